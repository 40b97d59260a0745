//! Plays of a counter-strategy that no numbers allow: explored forward, with the values of cells as sums over initial
//! values and inputs. The literals that contradict each other become a fact.

use super::abstraction::{Numbers, fixed_inputs, letter_truth, require};
use super::facts::Forbidden;
use crate::spec::problem::{Clause, Constraint, Problem};
use rustc_hash::FxHashMap;
use tsl_synth_arithmetic::{LinearAnswer, decide};
use tsl_synth_core::base::{Budget, Id, IdVec, Limit};
use tsl_synth_core::logic::{AtomId, Guard, Guards, LinearSystem, Sum};
use tsl_synth_core::model::{CounterStrategy, Role, StateId};

/// The largest number of plays that are explored.
const PLAYS: usize = 300;
/// The longest play.
const STEPS: usize = 8;

/// The most steps before the last one in facts that hold always.
const GENERIC: u32 = 3;

/// A comparison in a step, and its truth value.
type Literal = (u32, AtomId, bool);

/// One explored play: its last state, and how it got there.
struct Explored {
    state: StateId,
    parent: Option<usize>,
    /// The updates of the cells that are numbers after the previous state.
    chosen: Vec<AtomId>,
}

/// A fact that some play of the counter-strategy violates, if one is found; the comparisons in `free` may have any
/// truth value in a state.
///
/// # Errors
/// When the budget ends.
pub fn impossible_play(
    problem: &mut Problem,
    counter: &CounterStrategy,
    free: &IdVec<StateId, Vec<AtomId>>,
    budget: &Budget,
) -> Result<Option<Clause>, Limit> {
    let numbers = Numbers::new(&problem.signature);
    let Some(forbidden) = find(problem, &numbers, counter, free, budget)? else { return Ok(None) };
    let formula = forbidden.formula(&mut problem.formulas);
    let constraint = Some(Constraint::Arithmetic);
    Ok(Some(Clause { role: Role::Fact, formula, span: None, constraint }))
}

fn find(
    problem: &Problem,
    numbers: &Numbers,
    counter: &CounterStrategy,
    free: &IdVec<StateId, Vec<AtomId>>,
    budget: &Budget,
) -> Result<Option<Forbidden>, Limit> {
    let mut guards = counter.guards.clone();
    let start = Explored { state: counter.initial, parent: None, chosen: Vec::new() };
    let mut plays = vec![start];
    let mut next = 0;
    while next < plays.len() && next < PLAYS {
        let path = path(&plays, next);
        let literals = literals(problem, numbers, counter, &path, |state, atom| !free[state].contains(&atom));
        let run = Run { problem, numbers, counter, path: &path };
        budget.tick(64 * (1 + literals.len() as u64), || "plays over numbers".into())?;
        if !literals.is_empty() && run.impossible(&literals, 0, true) {
            let all = self::literals(problem, numbers, counter, &path, |_, _| true);
            return Ok(Some(run.derive(&literals, &all)));
        }
        if path.len() < STEPS {
            for edge in &counter.states[plays[next].state].edges {
                for chosen in choices(problem, numbers, edge.guard, &mut guards) {
                    plays.push(Explored { state: edge.next, parent: Some(next), chosen });
                }
                if plays.len() > 4 * PLAYS {
                    break;
                }
            }
        }
        next += 1;
    }
    Ok(None)
}

/// The states of a play with the updates after each but the last.
type Path = Vec<(StateId, Vec<AtomId>)>;

fn path(plays: &[Explored], last: usize) -> Path {
    let (mut path, mut after, mut at) = (Vec::new(), Vec::new(), Some(last));
    while let Some(play) = at.map(|at| &plays[at]) {
        path.push((play.state, std::mem::replace(&mut after, play.chosen.clone())));
        at = play.parent;
    }
    path.reverse();
    path
}

/// The truth values of the comparisons that the counter-strategy promises along a play.
fn literals(
    problem: &Problem,
    numbers: &Numbers,
    counter: &CounterStrategy,
    path: &Path,
    is_promised: impl Fn(StateId, AtomId) -> bool,
) -> Vec<Literal> {
    let mut all = Vec::new();
    for (step, (state, _)) in path.iter().enumerate() {
        let letter = &counter.states[*state].input;
        for atom in numbers.atoms.iter().filter(|atom| is_promised(*state, atom.atom)) {
            all.push((step as u32, atom.atom, letter_truth(problem, atom.atom, letter)));
        }
    }
    all
}

/// All choices of updates of the cells that are numbers within a guard.
fn choices(problem: &Problem, numbers: &Numbers, guard: Guard, guards: &mut Guards) -> Vec<Vec<AtomId>> {
    let mut all = Vec::new();
    let mut todo = vec![(guard, Vec::new())];
    while let Some((guard, chosen)) = todo.pop() {
        if guard == Guard::FALSE {
            continue;
        }
        let Some(cell) = numbers.cells.get(chosen.len()) else {
            all.push(chosen);
            continue;
        };
        for (atom, _) in cell.options.iter().rev() {
            let with = problem.alphabet.guard(*atom, guards);
            let narrowed = guards.and(guard, with);
            todo.push((narrowed, [&chosen[..], &[*atom]].concat()));
        }
    }
    all
}

struct Run<'a> {
    problem: &'a Problem,
    numbers: &'a Numbers,
    counter: &'a CounterStrategy,
    path: &'a Path,
}

impl Run<'_> {
    /// Whether no numbers give these comparisons these truth values on the play from step `from` on, where the cells
    /// have arbitrary values, or the initial ones for `initial`.
    fn impossible(&self, literals: &[Literal], from: u32, initial: bool) -> bool {
        let numbers = self.numbers;
        let mut values: FxHashMap<u32, Sum> = FxHashMap::default();
        for cell in &numbers.cells {
            let value = match cell.initial {
                Some(value) if initial => Sum::constant(value),
                _ => Sum::variable(numbers.timed(cell.variable(), from)),
            };
            values.insert(cell.variable(), value);
        }
        let last = literals.iter().map(|(step, ..)| *step).max().unwrap_or(from);
        let mut system = LinearSystem::default();
        for step in from..=last {
            let (state, chosen) = &self.path[step as usize];
            let fixed = fixed_inputs(self.problem, numbers, &self.counter.states[*state].input);
            let read = |v: u32| {
                Some(match (values.get(&v), fixed.iter().find(|(symbol, _)| *symbol == v)) {
                    (Some(value), _) => value.clone(),
                    (None, Some((_, value))) => Sum::constant(*value),
                    (None, None) => Sum::variable(numbers.timed(v, step)),
                })
            };
            for &(at, atom, truth) in literals {
                let found = numbers.atoms.iter().find(|known| known.atom == atom && at == step);
                let Some(known) = found else { continue };
                if let Some(sum) = known.comparison.sum.substituted(read) {
                    require(&mut system, sum, known.comparison.equal, truth);
                }
            }
            let mut next: FxHashMap<u32, Sum> = FxHashMap::default();
            for (cell, atom) in numbers.cells.iter().zip(chosen) {
                let option = cell.options.iter().find(|(option, _)| option == atom);
                let sum = option.and_then(|(_, sum)| sum.as_ref()).and_then(|sum| sum.substituted(read));
                // A value that is not known is arbitrary.
                let fresh = numbers.timed(cell.variable(), step + 1);
                next.insert(cell.variable(), sum.unwrap_or_else(|| Sum::variable(fresh)));
            }
            if !chosen.is_empty() {
                values = next;
            }
        }
        numbers.bound(&mut system);
        matches!(decide(&system), LinearAnswer::Impossible(_))
    }

    /// A small impossible set of literals: if possible of all comparisons on the last steps, few of them, so that the
    /// fact holds always; otherwise of those that are promised, from the first step.
    fn derive(&self, promised: &[Literal], all: &[Literal]) -> Forbidden {
        let last = self.path.len() as u32 - 1;
        let mut generic = (last.saturating_sub(GENERIC)..=last).rev().filter_map(|from| {
            let mut literals: Vec<Literal> = all.iter().copied().filter(|(step, ..)| *step >= from).collect();
            // Those that are not promised are dropped first.
            literals.sort_by_key(|literal| promised.contains(literal));
            self.impossible(&literals, from, false).then_some((literals, from))
        });
        let (literals, from, from_start) = match generic.next() {
            Some((literals, from)) => (literals, from, false),
            None => (promised.to_vec(), 0, true),
        };
        let mut literals = self.smallest(literals, from, from_start);
        let (updates, read) = self.needed(&literals, from);
        literals.extend(self.told(&read));
        Forbidden {
            from_start,
            updates: updates.into_iter().map(|(step, atom)| (step - from, atom)).collect(),
            literals: literals.into_iter().map(|(step, atom, truth)| (step - from, atom, truth)).collect(),
        }
    }

    /// Impossible literals without those that are not needed.
    fn smallest(&self, mut literals: Vec<Literal>, from: u32, initial: bool) -> Vec<Literal> {
        let mut at = 0;
        while at < literals.len() {
            let mut fewer = literals.clone();
            fewer.remove(at);
            if !fewer.is_empty() && self.impossible(&fewer, from, initial) {
                literals = fewer;
            } else {
                at += 1;
            }
        }
        literals
    }

    /// The atoms that tell the values of these inputs in these steps.
    fn told(&self, read: &[(u32, u32)]) -> Vec<Literal> {
        let mut told = Vec::new();
        for (&symbol, signal) in self.problem.signature.encoded.iter().zip(self.problem.alphabet.encoded()) {
            for &(step, _) in read.iter().filter(|(_, v)| *v == symbol.index() as u32) {
                let letter = &self.counter.states[self.path[step as usize].0].input;
                let truth = |atom: AtomId| letter_truth(self.problem, atom, letter);
                told.extend(signal.atoms.iter().map(|&atom| (step, atom, truth(atom))));
            }
        }
        told
    }

    /// The updates that determine the sums of the literals, from a step on, and the inputs that are read in some steps.
    fn needed(&self, literals: &[Literal], from: u32) -> Needed {
        let last = literals.iter().map(|(step, ..)| *step).max().unwrap_or(from);
        let mut variables: Vec<u32> = Vec::new();
        let (mut updates, mut inputs) = (Vec::new(), Vec::new());
        for step in (from..=last).rev() {
            let (_, chosen) = &self.path[step as usize];
            let mut before = Vec::new();
            for (cell, atom) in self.numbers.cells.iter().zip(chosen) {
                let option = cell.options.iter().find(|(option, _)| option == atom);
                let sum = option.and_then(|(_, sum)| sum.as_ref());
                if let Some(sum) = sum.filter(|_| step < last && variables.contains(&cell.variable())) {
                    updates.push((step, *atom));
                    before.extend(sum.terms().map(|(v, _)| v));
                }
            }
            for (_, atom, _) in literals.iter().filter(|(at, ..)| *at == step) {
                let known = self.numbers.atoms.iter().find(|known| known.atom == *atom);
                before.extend(known.iter().flat_map(|k| k.comparison.sum.terms()).map(|(v, _)| v));
            }
            before.sort_unstable();
            before.dedup();
            inputs.extend(before.iter().filter(|v| self.numbers.cell(**v).is_none()).map(|&v| (step, v)));
            variables = before;
        }
        updates.sort_unstable();
        (updates, inputs)
    }
}

/// Updates in steps, and inputs in steps.
type Needed = (Vec<(u32, AtomId)>, Vec<(u32, u32)>);
