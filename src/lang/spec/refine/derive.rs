//! Derives a constraint from an inconsistent play: weakest preconditions of the contradicting evaluations, back to the
//! latest step at which they contradict each other for all values of the cells.

use std::collections::BTreeSet;

use super::explore::{Abstraction, RefinementPlay, holds, stored};
use super::knowledge;
use super::nodes::{Nodes, TimedLeaf, TimedTerm, TimedTermId};
use crate::spec::{Problem, SymbolId, Term, TermId};
use rustc_hash::FxHashMap;
use tsl_synth_core::base::{Budget, Limit};
use tsl_synth_core::logic::{AtomId, FormulaId};
use tsl_synth_core::model::CounterStrategy;

/// A predicate atom evaluated in a step of a play.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepEvaluation {
    /// The step, counted from 0.
    pub step: u32,
    /// The predicate atom.
    pub atom: AtomId,
    /// The truth value that the counter-strategy gave it.
    pub truth: bool,
}

/// A premise of a constraint about one step.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum StepNeed {
    /// This update was chosen.
    Update(AtomId),
    /// This followed signal has its value with this index.
    Value(SymbolId, usize),
}

/// A constraint with the evaluations that it was derived from.
#[derive(Clone, Debug)]
pub(super) struct Derived {
    /// Steps relative to the first one.
    pub(super) conditions: BTreeSet<(u32, StepNeed)>,
    pub(super) evaluations: Vec<StepEvaluation>,
    /// Whether it relies on declared initial values, so that it holds in step 0 only.
    pub(super) from_start: bool,
    /// Whether the evaluations are two of one timed term.
    same_term: bool,
}

/// The conditions, the first step that they refer to, and whether initial values were needed.
type Weakest = (BTreeSet<(u32, StepNeed)>, u32, bool);

struct Deriver<'a> {
    problem: &'a Problem,
    abstraction: &'a Abstraction,
    counter: &'a CounterStrategy,
    play: &'a RefinementPlay,
    nodes: Nodes,
    conditions: BTreeSet<(u32, StepNeed)>,
    budget: &'a Budget,
}

/// Derives a constraint that the play violates; `None` where there is none of a known form.
///
/// # Errors
/// When the budget ends.
pub(super) fn derive(
    problem: &Problem,
    abstraction: &Abstraction,
    counter: &CounterStrategy,
    play: &RefinementPlay,
    budget: &Budget,
) -> Result<Option<Derived>, Limit> {
    let (nodes, conditions) = (Nodes::default(), BTreeSet::new());
    let mut this = Deriver { problem, abstraction, counter, play, nodes, conditions, budget };
    let Some(evaluations) = this.contradicting()? else { return Ok(None) };
    let Some((conditions, first, from_start)) = this.weakest(&evaluations)? else { return Ok(None) };
    let conditions = conditions.into_iter().map(|(step, c)| (step - first, c)).collect();
    let evaluations = evaluations.into_iter().map(|e| StepEvaluation { step: e.step - first, ..e }).collect();
    let mut derived = Derived { conditions, evaluations, from_start, same_term: false };
    let Some(same_term) = verify(problem, abstraction, &derived) else { return Ok(None) };
    derived.same_term = same_term;
    Ok(Some(derived))
}

impl Deriver<'_> {
    fn letter(&self, step: u32) -> &tsl_synth_core::logic::Letter {
        &self.counter.states[self.play.states[step as usize]].input
    }

    /// Runs the play forward with full memory and finds evaluations that contradict each other.
    fn contradicting(&mut self) -> Result<Option<Vec<StepEvaluation>>, Limit> {
        let cells = &self.abstraction.cells;
        let mut values: Vec<TimedTermId> =
            cells.iter().map(|c| start(self.problem, &mut self.nodes, c.symbol)).collect();
        let mut all: Vec<(TimedTermId, bool)> = Vec::new();
        let mut evaluations = Vec::new();
        for step in 0..self.play.states.len() as u32 {
            let letter = &self.counter.states[self.play.states[step as usize]].input;
            let (problem, abstraction) = (self.problem, self.abstraction);
            let mut leaf = |nodes: &mut Nodes, asked: TimedLeaf| match asked {
                TimedLeaf::Noisy(term) => nodes.intern(TimedTerm::Noisy(term, step)),
                TimedLeaf::Signal(symbol) => match abstraction.value(problem, symbol, letter) {
                    Some(value) => nodes.intern(TimedTerm::Literal(value.clone())),
                    None => match cells.binary_search_by_key(&symbol, |c| c.symbol) {
                        Ok(i) => values[i],
                        Err(_) => nodes.intern(TimedTerm::Input(symbol, step)),
                    },
                },
            };
            let mut memory = FxHashMap::default();
            for &(atom, term) in &abstraction.atoms {
                let node = self.nodes.evaluate(&problem.signature, term, &mut memory, &mut leaf);
                let truth = holds(problem, atom, letter);
                all.push((node, truth));
                evaluations.push(StepEvaluation { step, atom, truth });
            }
            self.count(all.len())?;
            if let Some(found) = knowledge::contradiction(&self.nodes, &all) {
                return Ok(Some(found.into_iter().map(|i| evaluations[i]).collect()));
            }
            let Some(chosen) = self.play.chosen.get(step as usize) else { break };
            let mut next = Vec::new();
            for (cell, &option) in cells.iter().zip(chosen) {
                let term = cell.options[option as usize].1;
                let node = self.nodes.evaluate(&problem.signature, term, &mut memory, &mut leaf);
                next.push(keep_or_store(problem, &mut self.nodes, cell.symbol, term, node));
            }
            values = next;
        }
        Ok(None)
    }

    /// Charges an amount of work to the budget.
    fn count(&self, work: usize) -> Result<(), Limit> {
        self.budget.tick(1 + work as u64, || "deriving a constraint from an inconsistent play".into())
    }

    /// Goes back step by step until the evaluations contradict each other over the values of one step.
    fn weakest(&mut self, evaluations: &[StepEvaluation]) -> Result<Option<Weakest>, Limit> {
        let terms: FxHashMap<AtomId, TermId> = self.abstraction.atoms.iter().copied().collect();
        let Some(first) = evaluations.iter().map(|e| e.step).min() else { return Ok(None) };
        let mut at: Vec<(u32, TimedTermId)> = Vec::new();
        for evaluation in evaluations {
            let node = self.present(terms[&evaluation.atom], evaluation.step);
            at.push((evaluation.step, node));
        }
        let mut step = first;
        loop {
            for (when, node) in &mut at {
                while *when > step {
                    *when -= 1;
                    *node = self.before(*node, *when)?;
                }
            }
            let facts: Vec<(TimedTermId, bool)> =
                at.iter().zip(evaluations).map(|((_, n), e)| (*n, e.truth)).collect();
            if knowledge::contradiction(&self.nodes, &facts).is_some() {
                return Ok(Some((self.conditions.clone(), step, false)));
            }
            if step == 0 {
                let started: Vec<(TimedTermId, bool)> =
                    facts.iter().map(|&(n, truth)| (self.started(n), truth)).collect();
                let contradict = knowledge::contradiction(&self.nodes, &started).is_some();
                return Ok(contradict.then(|| (self.conditions.clone(), 0, true)));
            }
            step -= 1;
        }
    }

    /// The timed term that a term denotes over the cells of a step; the values of followed signals become conditions.
    fn present(&mut self, term: TermId, step: u32) -> TimedTermId {
        let (problem, abstraction) = (self.problem, self.abstraction);
        let letter = self.letter(step).clone();
        let mut used = Vec::new();
        let mut leaf = |nodes: &mut Nodes, asked: TimedLeaf| match asked {
            TimedLeaf::Noisy(term) => nodes.intern(TimedTerm::Noisy(term, step)),
            TimedLeaf::Signal(symbol) => match abstraction.value(problem, symbol, &letter) {
                Some(value) => {
                    let index = abstraction.followed[&symbol].1.iter().position(|v| v == value);
                    used.push(StepNeed::Value(symbol, index.expect("one of the values")));
                    nodes.intern(TimedTerm::Literal(value.clone()))
                }
                None if abstraction.cells.binary_search_by_key(&symbol, |c| c.symbol).is_ok() => {
                    nodes.intern(TimedTerm::Cell(symbol))
                }
                None => nodes.intern(TimedTerm::Input(symbol, step)),
            },
        };
        let node = self.nodes.evaluate(&problem.signature, term, &mut FxHashMap::default(), &mut leaf);
        self.conditions.extend(used.into_iter().map(|c| (step, c)));
        node
    }

    /// The same value expressed over the cells of `step`, the previous step.
    fn before(&mut self, node: TimedTermId, step: u32) -> Result<TimedTermId, Limit> {
        let abstraction = self.abstraction;
        let chosen = &self.play.chosen[step as usize];
        let mut image: FxHashMap<TimedTermId, TimedTermId> = FxHashMap::default();
        let all = self.nodes.reachable([node]);
        self.count(all.len())?;
        for id in all {
            let new = match *self.nodes.get(id) {
                TimedTerm::Cell(symbol) => {
                    let i = abstraction.cells.binary_search_by_key(&symbol, |c| c.symbol);
                    let i = i.expect("only tracked cells are leaves");
                    let (atom, term) = abstraction.cells[i].options[chosen[i] as usize];
                    self.conditions.insert((step, StepNeed::Update(atom)));
                    let value = self.present(term, step);
                    keep_or_store(self.problem, &mut self.nodes, symbol, term, value)
                }
                _ => self.nodes.rebuild(id, |n| image[&n]),
            };
            image.insert(id, new);
        }
        Ok(image[&node])
    }

    fn started(&mut self, node: TimedTermId) -> TimedTermId {
        let mut image: FxHashMap<TimedTermId, TimedTermId> = FxHashMap::default();
        for id in self.nodes.reachable([node]) {
            let new = match *self.nodes.get(id) {
                TimedTerm::Cell(symbol) => start(self.problem, &mut self.nodes, symbol),
                _ => self.nodes.rebuild(id, |n| image[&n]),
            };
            image.insert(id, new);
        }
        image[&node]
    }
}

/// The value of a cell in step 0.
fn start(problem: &Problem, nodes: &mut Nodes, symbol: SymbolId) -> TimedTermId {
    match problem.signature.symbols[symbol].initial {
        Some(term) => nodes.evaluate(&problem.signature, term, &mut FxHashMap::default(), &mut |nodes, _| {
            nodes.intern(TimedTerm::Cell(symbol))
        }),
        None => nodes.intern(TimedTerm::Cell(symbol)),
    }
}

/// A self-update keeps the value; everything else is stored.
fn keep_or_store(
    problem: &Problem,
    nodes: &mut Nodes,
    symbol: SymbolId,
    term: TermId,
    value: TimedTermId,
) -> TimedTermId {
    if *problem.signature.terms.get(term) == Term::Signal(symbol) {
        value
    } else {
        stored(problem, nodes, symbol, value)
    }
}

/// `None` unless the constraint holds on every consistent play: evaluates terms forward from arbitrary values, using
/// only its conditions. It shares no state with the derivation, which goes backward. The result is whether the
/// evaluations are two of one timed term.
fn verify(problem: &Problem, abstraction: &Abstraction, derived: &Derived) -> Option<bool> {
    let terms: FxHashMap<AtomId, TermId> = abstraction.atoms.iter().copied().collect();
    let mut nodes = Nodes::default();
    let mut values: FxHashMap<SymbolId, TimedTermId> = FxHashMap::default();
    let mut fresh = 0;
    let mut unknown = |nodes: &mut Nodes| {
        fresh += 1;
        nodes.intern(TimedTerm::Leaf(fresh))
    };
    for cell in &abstraction.cells {
        let value = match problem.signature.symbols[cell.symbol].initial {
            Some(_) if derived.from_start => start(problem, &mut nodes, cell.symbol),
            _ => unknown(&mut nodes),
        };
        values.insert(cell.symbol, value);
    }
    let last = derived.evaluations.iter().map(|e| e.step).max().unwrap_or(0);
    let mut facts = Vec::new();
    for step in 0..=last {
        let given = |symbol: SymbolId| {
            abstraction.followed.get(&symbol).and_then(|(_, all)| {
                let find = |i: usize| derived.conditions.contains(&(step, StepNeed::Value(symbol, i)));
                (0..all.len()).find(|&i| find(i)).map(|i| all[i].clone())
            })
        };
        let mut memory = FxHashMap::default();
        let mut leaf = |nodes: &mut Nodes, asked: TimedLeaf| match asked {
            TimedLeaf::Noisy(_) => unknown(nodes),
            TimedLeaf::Signal(symbol) => match (given(symbol), values.get(&symbol)) {
                (Some(value), _) => nodes.intern(TimedTerm::Literal(value)),
                (None, Some(&value)) => value,
                (None, None) => unknown(nodes),
            },
        };
        for evaluation in derived.evaluations.iter().filter(|e| e.step == step) {
            let node = nodes.evaluate(&problem.signature, terms[&evaluation.atom], &mut memory, &mut leaf);
            facts.push((node, evaluation.truth));
        }
        let mut next = FxHashMap::default();
        for cell in &abstraction.cells {
            let known = cell
                .options
                .iter()
                .find(|(atom, _)| derived.conditions.contains(&(step, StepNeed::Update(*atom))));
            let value = match known {
                Some(&(_, term)) => {
                    let value = nodes.evaluate(&problem.signature, term, &mut memory, &mut leaf);
                    keep_or_store(problem, &mut nodes, cell.symbol, term, value)
                }
                None => leaf(&mut nodes, TimedLeaf::Noisy(cell.options[0].1)),
            };
            next.insert(cell.symbol, value);
        }
        values = next;
    }
    knowledge::contradiction(&nodes, &facts)?;
    Some(matches!(facts[..], [(a, _), (b, _)] if a == b))
}

impl Derived {
    /// `G (conditions -> the evaluations agree)`, without `G` if it is about step 0 only.
    pub(super) fn formula(&self, problem: &mut Problem, abstraction: &Abstraction) -> FormulaId {
        let formulas = &mut problem.formulas;
        let mut premises = Vec::new();
        for (step, condition) in &self.conditions {
            let now = match condition {
                StepNeed::Update(atom) => formulas.atom(*atom),
                StepNeed::Value(symbol, index) => formulas.has_value(&abstraction.followed[symbol].0, *index),
            };
            premises.push(formulas.next_n(*step, now));
        }
        let premise = formulas.and(premises);
        let mut observed = Vec::new();
        for evaluation in &self.evaluations {
            let atom = formulas.atom(evaluation.atom);
            observed.push((formulas.next_n(evaluation.step, atom), evaluation.truth));
        }
        let conclusion = match observed[..] {
            // One predicate evaluated twice.
            [(a, x), (b, y)] if x != y && self.same_term => formulas.iff(a, b),
            _ => {
                let as_seen: Vec<FormulaId> =
                    observed.iter().map(|&(f, truth)| if truth { f } else { formulas.not(f) }).collect();
                let all = formulas.and(as_seen);
                formulas.not(all)
            }
        };
        let implication = formulas.implies(premise, conclusion);
        if self.from_start { implication } else { formulas.globally(implication) }
    }
}
