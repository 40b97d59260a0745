//! Records the operations on a store and replays them on another one, to compare stores on the work of engine and
//! certifier.

use super::budget::Limit;
use super::store::{Applied, BooleanFunction, Charge, Operation, Spent, Store, Variable};
use std::hash::{Hash, Hasher};
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Steps of one recording at most.
const MOST_STEPS: usize = 8_000_000;

/// One step. Functions are numbered in the order in which they were made.
#[derive(Clone, Debug)]
enum Step {
    Variables(usize),
    Constant(bool),
    Not(u32),
    Branch(u32),
    Apply(Operation<u32, Box<[(Variable, u32)]>>),
    Drop(u32),
    Collect,
}

/// The operations on one store.
#[derive(Clone, Debug, Default)]
pub struct Recording {
    nodes: usize,
    results: usize,
    steps: Vec<Step>,
    made: u32,
}

type Shared = Arc<Mutex<Recording>>;

/// The recordings of the stores made while [`record`] runs; otherwise `None`.
static RECORDINGS: Mutex<Option<Vec<Shared>>> = Mutex::new(None);

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs `work` and records all stores that are made meanwhile, in any thread.
pub fn record<T>(work: impl FnOnce() -> T) -> (T, Vec<Recording>) {
    *locked(&RECORDINGS) = Some(Vec::new());
    let result = work();
    let made = locked(&RECORDINGS).take().unwrap_or_default();
    (result, made.iter().map(|own| std::mem::take(&mut *locked(own))).collect())
}

/// A store that may be recorded.
pub struct Recorder<S> {
    store: S,
    recording: Option<Shared>,
}

/// A function with its number in a recording.
#[derive(Clone)]
pub struct Recorded<F> {
    function: F,
    entry: Option<Rc<Entry>>,
}

struct Entry {
    number: u32,
    recording: Shared,
}

impl Drop for Entry {
    fn drop(&mut self) {
        add(&self.recording, Step::Drop(self.number));
    }
}

fn add(recording: &Shared, step: Step) {
    let mut recording = locked(recording);
    if recording.steps.len() < MOST_STEPS {
        recording.steps.push(step);
    }
}

/// Functions that a step has just made.
fn made<F>(recording: Option<&Shared>, functions: impl IntoIterator<Item = F>) -> Vec<Recorded<F>> {
    let number = |recording: &Shared| {
        let mut own = locked(recording);
        own.made += 1;
        Rc::new(Entry { number: own.made - 1, recording: recording.clone() })
    };
    functions.into_iter().map(|function| Recorded { function, entry: recording.map(number) }).collect()
}

impl<F> Recorded<F> {
    /// Its number. Zero where nothing is recorded.
    fn number(&self) -> u32 {
        self.entry.as_ref().map_or(0, |entry| entry.number)
    }
}

impl<F: PartialEq> PartialEq for Recorded<F> {
    fn eq(&self, other: &Self) -> bool {
        self.function == other.function
    }
}

impl<F: Eq> Eq for Recorded<F> {}

impl<F: Hash> Hash for Recorded<F> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.function.hash(state);
    }
}

impl<F: BooleanFunction> BooleanFunction for Recorded<F> {
    fn branch(&self) -> Option<(Variable, Self, Self)> {
        let (variable, low, high) = self.function.branch()?;
        let recording = self.entry.as_ref().map(|entry| &entry.recording);
        if let Some(own) = recording {
            add(own, Step::Branch(self.number()));
        }
        let mut both = made(recording, [low, high]).into_iter();
        both.next().zip(both.next()).map(|(low, high)| (variable, low, high))
    }
    fn node_count(&self) -> usize {
        self.function.node_count()
    }
    fn eval(&self, value: impl Fn(Variable) -> bool) -> bool {
        self.function.eval(value)
    }
}

impl<S: Store> Recorder<S> {
    /// A function that this step made.
    fn one(&self, step: impl FnOnce() -> Step, function: S::Function) -> Recorded<S::Function> {
        if let Some(own) = &self.recording {
            add(own, step());
        }
        made(self.recording.as_ref(), [function]).remove(0)
    }
}

/// A replacement with the numbers of its functions.
pub struct RecordedReplacement<R> {
    replacement: R,
    numbers: Box<[(Variable, u32)]>,
    /// Keeps the functions alive as long as the replacement.
    _entries: Vec<Option<Rc<Entry>>>,
}

impl<S: Store> Store for Recorder<S> {
    type Function = Recorded<S::Function>;
    type Replacement = RecordedReplacement<S::Replacement>;

    fn new(nodes: usize, results: usize, what: &'static str) -> Self {
        let recording = locked(&RECORDINGS).as_mut().map(|all| {
            all.push(Arc::new(Mutex::new(Recording { nodes, results, ..Recording::default() })));
            all[all.len() - 1].clone()
        });
        Self { store: S::new(nodes, results, what), recording }
    }
    fn constant(&self, value: bool) -> Self::Function {
        self.one(|| Step::Constant(value), self.store.constant(value))
    }
    fn add_variables(&self, count: usize) -> Result<Vec<Self::Function>, Limit> {
        let functions = self.store.add_variables(count)?;
        if let Some(own) = &self.recording {
            add(own, Step::Variables(count));
        }
        Ok(made(self.recording.as_ref(), functions))
    }
    fn nodes(&self) -> usize {
        self.store.nodes()
    }
    fn collect_garbage(&self, charge: Charge<'_>) -> Result<(), Limit> {
        if let Some(own) = &self.recording {
            add(own, Step::Collect);
        }
        self.store.collect_garbage(charge)
    }
    fn not(&self, a: &Self::Function) -> Self::Function {
        self.one(|| Step::Not(a.number()), self.store.not(&a.function))
    }
    fn replacement(pairs: Vec<(Variable, Self::Function)>) -> Self::Replacement {
        let numbers = pairs.iter().map(|(v, own)| (*v, own.number())).collect();
        let entries = pairs.iter().map(|(_, own)| own.entry.clone()).collect();
        let pairs = pairs.into_iter().map(|(v, own)| (v, own.function)).collect();
        RecordedReplacement { replacement: S::replacement(pairs), numbers, _entries: entries }
    }
    fn apply(&self, operation: Applied<'_, Self>, charge: Charge<'_>) -> Result<Self::Function, Limit> {
        let own = operation.map(|a| &a.function, |r| &r.replacement);
        let function = self.store.apply(own, charge)?;
        Ok(self.one(|| Step::Apply(operation.map(Recorded::number, |r| r.numbers.clone())), function))
    }
}

/// The result of a replay.
#[derive(Clone, Debug)]
pub struct ReplayResult {
    /// How long it took.
    pub time: Duration,
    /// The longest time between two calls of the charge: an operation can be interrupted after this time at the latest.
    pub longest_wait: Duration,
    /// Operations without a result, because there was no room for it or for an operand.
    pub left_out: usize,
    /// The sizes of the functions that exist at the end.
    pub sizes: Vec<usize>,
}

impl Recording {
    /// How many steps it has.
    pub fn steps(&self) -> usize {
        self.steps.len()
    }
    /// Replays the operations on another store. `now` returns the time; `done` is called with the store before it is
    /// dropped.
    pub fn replay<S: Store>(&self, now: impl Fn() -> Duration, done: impl FnOnce(&S)) -> ReplayResult {
        let start = now();
        let store = S::new(self.nodes, self.results, "a recording");
        let asked = std::cell::Cell::new((start, Duration::ZERO));
        let charge = |_: Spent| {
            let (last, longest) = asked.get();
            let now = now();
            asked.set((now, longest.max(now - last)));
            Ok(())
        };
        let mut made: Vec<Option<S::Function>> = Vec::with_capacity(self.made as usize);
        let mut left_out = 0;
        for step in &self.steps {
            match step {
                Step::Variables(count) => match store.add_variables(*count) {
                    Ok(functions) => made.extend(functions.into_iter().map(Some)),
                    Err(_) => made.extend((0..*count).map(|_| None)),
                },
                Step::Constant(value) => made.push(Some(store.constant(*value))),
                Step::Not(a) => {
                    let function = made[*a as usize].as_ref().map(|a| store.not(a));
                    made.push(function);
                }
                Step::Branch(a) => {
                    let both = made[*a as usize].as_ref().and_then(BooleanFunction::branch);
                    let (low, high) = both.map_or((None, None), |(_, low, high)| (Some(low), Some(high)));
                    made.extend([low, high]);
                }
                Step::Apply(operation) => {
                    asked.set((now(), asked.get().1));
                    let function = again(&store, operation, &made, &charge);
                    left_out += usize::from(function.is_none());
                    made.push(function);
                }
                Step::Drop(a) => made[*a as usize] = None,
                Step::Collect => {
                    let _ = store.collect_garbage(&charge);
                }
            }
        }
        let time = now() - start;
        let kept = made.iter().flatten();
        let sizes = kept.map(BooleanFunction::node_count).collect();
        done(&store);
        ReplayResult { time, longest_wait: asked.get().1, left_out, sizes }
    }
}

/// The result of an operation on functions with these numbers; `None` if there is no room for it or for an operand.
fn again<S: Store>(
    store: &S,
    operation: &Operation<u32, Box<[(Variable, u32)]>>,
    made: &[Option<S::Function>],
    charge: Charge<'_>,
) -> Option<S::Function> {
    let function = |a: u32| made[a as usize].as_ref();
    let mut is_whole = true;
    let _ = operation.clone().map(|a| is_whole &= function(a).is_some(), |_| ());
    // Not all stores have these operations.
    if let (Operation::Simplified(a, ..) | Operation::Covered(a, ..), true) = (operation, is_whole) {
        return function(*a).cloned();
    }
    let pairs = match operation {
        Operation::Replace(_, pairs) => {
            pairs.iter().map(|&(v, a)| Some((v, function(a)?.clone()))).collect::<Option<Vec<_>>>()?
        }
        _ => Vec::new(),
    };
    let replacement = S::replacement(pairs);
    let first = made.iter().flatten().next()?;
    let own = operation.clone().map(|a| function(a).unwrap_or(first), |_| &replacement);
    if is_whole { store.apply(own, charge).ok() } else { None }
}
