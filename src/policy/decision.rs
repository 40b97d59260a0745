//! The monitor of a law as two tables: a decision diagram from letters to classes, and the state after each class.
//!
//! Two valuations of the guards are in one class if they lead from every state of the monitor to the same state. The
//! diagram tests the bits of a letter in the order of the guards, each at most once on a path, and only where the class
//! depends on them (Bryant 1986, with classes as leaves): the number of tests depends on the names in the law, not on
//! all names of the policy.

use rustc_hash::FxHashMap;
use tsl_synth_core::base::{Budget, Id, Limit, LimitKind};
use tsl_synth_core::logic::{BitId, Guard, Guards, Letter};
use tsl_synth_core::model::LawMonitor;

/// The maximal number of entries in the memo table of a diagram's construction.
const MOST: usize = 1 << 18;

/// The root of a diagram, or a successor of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DecisionResult {
    /// Another test, by its number.
    Test(u32),
    /// The class of the letter.
    Class(u32),
}

/// A test of one bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DecisionTest {
    /// The bit.
    pub bit: BitId,
    /// The successor if the bit is false.
    pub low: DecisionResult,
    /// The successor if the bit is true.
    pub high: DecisionResult,
}

/// The map from letters to classes, and the map from states and classes to states.
#[derive(Clone, Debug)]
pub struct LawDecision {
    /// In topological order: the successors of a test come before it.
    tests: Vec<DecisionTest>,
    root: DecisionResult,
    classes: u32,
    /// For each state a row with the state after each class.
    next: Vec<u32>,
}

impl LawDecision {
    /// The tables of a monitor whose guards are in this store.
    ///
    /// # Errors
    /// The budget, or a diagram that would be large.
    pub fn new(monitor: &LawMonitor, guards: &Guards, budget: &Budget) -> Result<Self, Limit> {
        let states = monitor.len() as u32;
        let mut columns: FxHashMap<Vec<u32>, u32> = FxHashMap::default();
        let mut listed: Vec<Vec<u32>> = Vec::new();
        let mut of_letter = Vec::with_capacity(monitor.valuations().len());
        for letter in 0..monitor.dfa().letters() {
            budget.tick(u64::from(states), || "the classes of letters of a law".into())?;
            let column: Vec<u32> = (0..states).map(|state| monitor.dfa().next(state, letter)).collect();
            let class = *columns.entry(column).or_insert_with_key(|column| {
                listed.push(column.clone());
                listed.len() as u32 - 1
            });
            of_letter.push(class);
        }
        let mut diagram = DecisionDiagram {
            guards,
            monitor,
            of_letter,
            tests: Vec::new(),
            known: FxHashMap::default(),
            unique: FxHashMap::default(),
        };
        let root = diagram.decide(monitor.guards().to_vec(), budget)?;
        // Classes without letters are left out.
        let mut number = vec![None; listed.len()];
        let mut used: Vec<u32> = Vec::new();
        let mut renamed = |decided: DecisionResult| match decided {
            DecisionResult::Class(class) => {
                DecisionResult::Class(*number[class as usize].get_or_insert_with(|| {
                    used.push(class);
                    used.len() as u32 - 1
                }))
            }
            test @ DecisionResult::Test(_) => test,
        };
        let rename =
            |test: &DecisionTest| DecisionTest { low: renamed(test.low), high: renamed(test.high), ..*test };
        let tests: Vec<DecisionTest> = diagram.tests.iter().map(rename).collect();
        let root = renamed(root);
        let next = (0..states as usize).flat_map(|state| used.iter().map(move |&class| (state, class)));
        let next = next.map(|(state, class)| listed[class as usize][state]).collect();
        Ok(Self { tests, root, classes: used.len() as u32, next })
    }
    /// The tests in topological order: the successors of a test come before it.
    pub fn tests(&self) -> &[DecisionTest] {
        &self.tests
    }
    /// The root of the diagram.
    pub fn root(&self) -> DecisionResult {
        self.root
    }
    /// The number of classes of letters.
    pub fn classes(&self) -> u32 {
        self.classes
    }
    /// The class of a letter.
    pub fn class(&self, letter: &Letter) -> u32 {
        let mut decided = self.root;
        loop {
            match decided {
                DecisionResult::Class(class) => return class,
                DecisionResult::Test(number) => {
                    let test = &self.tests[number as usize];
                    decided = if letter.contains(test.bit) { test.high } else { test.low };
                }
            }
        }
    }
    /// The state after a letter of a class.
    pub fn next(&self, state: u32, class: u32) -> u32 {
        self.next[(state * self.classes + class) as usize]
    }
    /// For each state the states after each class.
    pub fn rows(&self) -> impl Iterator<Item = &[u32]> {
        self.next.chunks_exact(self.classes as usize)
    }
}

struct DecisionDiagram<'a> {
    guards: &'a Guards,
    monitor: &'a LawMonitor,
    of_letter: Vec<u32>,
    tests: Vec<DecisionTest>,
    known: FxHashMap<Vec<Guard>, DecisionResult>,
    unique: FxHashMap<DecisionTest, u32>,
}

impl DecisionDiagram<'_> {
    /// The diagram for guards in which some bits are fixed. The recursion is at most as deep as there are bits.
    fn decide(&mut self, given: Vec<Guard>, budget: &Budget) -> Result<DecisionResult, Limit> {
        let tops = given.iter().filter_map(|&guard| self.guards.branch(guard)).map(|(bit, ..)| bit);
        let Some(bit) = self.guards.topmost(tops) else {
            let valuation = given.iter().enumerate().map(|(i, &g)| usize::from(g == Guard::TRUE) << i).sum();
            return Ok(DecisionResult::Class(self.of_letter[self.monitor.letter(valuation) as usize]));
        };
        if let Some(&decided) = self.known.get(&given) {
            return Ok(decided);
        }
        budget.tick(1, || "the decisions of a law".into())?;
        if self.known.len() >= MOST {
            let message = format!("which letters a law tells apart takes more than {MOST} decisions");
            return Err(Limit::new(LimitKind::Work, message));
        }
        let side = |high: bool| -> Vec<Guard> {
            let part = |&guard: &Guard| match self.guards.branch(guard) {
                Some((own, low, then)) if own == bit => {
                    if high {
                        then
                    } else {
                        low
                    }
                }
                _ => guard,
            };
            given.iter().map(part).collect()
        };
        let (low, high) = (side(false), side(true));
        let (low, high) = (self.decide(low, budget)?, self.decide(high, budget)?);
        let decided = if low == high {
            low
        } else {
            let test = DecisionTest { bit, low, high };
            let tests = &mut self.tests;
            DecisionResult::Test(*self.unique.entry(test).or_insert_with(|| {
                tests.push(test);
                tests.len() as u32 - 1
            }))
        };
        self.known.insert(given, decided);
        Ok(decided)
    }
}

/// The bits that some diagram tests, each once, in order.
pub fn tested_bits<'a>(decisions: impl IntoIterator<Item = &'a LawDecision>) -> Vec<BitId> {
    let mut bits: Vec<BitId> =
        decisions.into_iter().flat_map(|decision| decision.tests.iter().map(|test| test.bit)).collect();
    bits.sort_unstable_by_key(|bit| bit.index());
    bits.dedup();
    bits
}
