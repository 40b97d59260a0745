//! Which clauses ask for the updates of a controller, and which updates are free choices.
//!
//! An update is *free* if the controller still satisfies its specification when it keeps the cell instead, on the same
//! inputs in the same state, and goes on as before. Otherwise some clauses are broken by that: they ask for the update.
//! Both answers come from the certifier. If keeping the cell breaks no clause that is written in the specification but only
//! a rule of the language, such as the range of a cell in a later step, the question is undecided: no written clause asks
//! for the update, and the controller does not say how to go on from a value that it never has.

use super::tuning::ASKED_WORK;
use tsl_synth_core::base::{Budget, IdVec};
use tsl_synth_core::logic::{AtomId, CellId, Guard, Letter, Player};
use tsl_synth_core::model::{Contract, Mealy, MealyEdge, Role, StateId};
use tsl_synth_engine::synth::keeping_updates;
use tsl_synth_kernel::{CertifyError, StrategyClaim, StrategyRef, certify};
use tsl_synth_lang::spec::{ClauseId, Problem, Target};

/// The most clauses that are named for one update.
const MOST_CLAUSES: usize = 3;

/// Whether an update is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asked {
    /// Keeping the cell would break these clauses, at least.
    By(Vec<ClauseId>),
    /// The cell could be kept.
    Free,
    /// Not decided, because of a limit.
    Undecided,
}

/// An update of a cell on an edge of a controller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UpdateReason {
    /// The state.
    pub state: StateId,
    /// The index of the edge among those of the state.
    pub edge: usize,
    /// The cell.
    pub cell: CellId,
    /// The update, which does not keep the cell.
    pub update: AtomId,
    /// Whether it is asked for.
    pub asked: Asked,
}

/// Answers for which updates of a controller there is a reason.
pub struct Reasons<'a> {
    problem: &'a Problem,
    contract: Contract,
    keep: IdVec<CellId, Option<AtomId>>,
    machine: &'a Mealy,
}

impl<'a> Reasons<'a> {
    /// About a controller of a problem whose clauses include all facts that it relies on. `None` for machines whose
    /// answers come before the inputs of the step, and for finite words.
    pub fn new(problem: &'a Problem, machine: &'a Mealy) -> Option<Self> {
        let is_told = problem.target == Target::Mealy && !problem.finite;
        let (contract, keep) = (problem.contract(), keeping_updates(problem));
        is_told.then_some(Self { problem, contract, keep, machine })
    }

    /// Whether a cell can keep its value.
    pub fn can_keep(&self, cell: CellId) -> bool {
        self.keep[cell].is_some()
    }

    /// The updates of an edge that change their cells.
    pub fn changes(&self, edge: &MealyEdge) -> Vec<(CellId, AtomId)> {
        let alphabet = &self.problem.alphabet;
        let kept = self.keep.enumerate().filter_map(|(cell, keep)| Some((cell, (*keep)?)));
        let chosen = kept.map(|(cell, keep)| (cell, alphabet.chosen(&edge.output, cell), keep));
        chosen.filter(|(_, update, keep)| update != keep).map(|(cell, update, _)| (cell, update)).collect()
    }

    /// The reasons of all updates on all edges.
    pub fn all(&self, budget: &Budget) -> Vec<UpdateReason> {
        let mut reasons = Vec::new();
        for (state, own) in self.machine.states.enumerate() {
            for (i, edge) in own.edges.iter().enumerate() {
                for (cell, update) in self.changes(edge) {
                    let asked = self.asked((state, i), None, cell, budget);
                    reasons.push(UpdateReason { state, edge: i, cell, update, asked });
                }
            }
        }
        reasons
    }

    /// Whether the update of a cell on an edge is asked for, on all inputs of the edge or only on those of a letter.
    pub fn asked(
        &self,
        (state, edge): (StateId, usize),
        part: Option<&Letter>,
        cell: CellId,
        budget: &Budget,
    ) -> Asked {
        let Some(keep) = self.keep[cell] else { return Asked::Undecided };
        let alternative = self.with(state, edge, part, &|output| self.problem.alphabet.choose(keep, output));
        self.broken(&alternative, budget)
    }

    /// The clauses that a changed machine breaks.
    pub fn broken(&self, alternative: &Mealy, budget: &Budget) -> Asked {
        let Problem { formulas, alphabet, .. } = self.problem;
        let mut contract = self.contract.clone();
        let mut left: Vec<ClauseId> = self.clauses(Role::Guarantee);
        let mut found = Vec::new();
        let by = |found: Vec<ClauseId>| if found.is_empty() { Asked::Undecided } else { Asked::By(found) };
        loop {
            let share = budget.child(ASKED_WORK.min(budget.left()));
            let strategy = StrategyRef::Mealy(alternative);
            let claim = StrategyClaim { formulas, alphabet, contract: &contract, strategy };
            let checked = certify(&claim, &share);
            if budget.tick(1 + share.work(), String::new).is_err() {
                return by(found);
            }
            match checked {
                Ok(_) if found.is_empty() => return Asked::Free,
                Err(CertifyError::Violated(violation)) => {
                    let Some(index) = violation.clause else { return by(found) };
                    let is_written = |id: &ClauseId| self.problem.clauses[*id].span.is_some();
                    if violation.role != Role::Guarantee {
                        found.extend(self.clauses(violation.role).get(index).copied().filter(is_written));
                        return by(found);
                    }
                    let clause = left.remove(index);
                    if !is_written(&clause) {
                        return by(found);
                    }
                    found.push(clause);
                    contract.guarantees.remove(index);
                    if found.len() == MOST_CLAUSES {
                        return Asked::By(found);
                    }
                }
                Ok(_) | Err(_) => return by(found),
            }
        }
    }

    fn clauses(&self, role: Role) -> Vec<ClauseId> {
        let own = self.problem.clauses.enumerate().filter(|(_, clause)| clause.role == role);
        own.map(|(id, _)| id).collect()
    }

    /// The machine with another answer on an edge, on all its inputs or only on those of a letter.
    pub fn with(
        &self,
        state: StateId,
        edge: usize,
        part: Option<&Letter>,
        change: &dyn Fn(&mut Letter),
    ) -> Mealy {
        let mut machine = self.machine.clone();
        let alphabet = &self.problem.alphabet;
        let inputs = part.map_or(Guard::TRUE, |letter| {
            machine.guards.valuation(alphabet.bits_of(Player::Environment), letter)
        });
        let own = &mut machine.states[state].edges[edge];
        let (whole, mut output, next) = (own.guard, own.output.clone(), own.next);
        let changed = machine.guards.and(whole, inputs);
        own.guard = machine.guards.minus(whole, inputs);
        change(&mut output);
        machine.states[state].edges.push(MealyEdge { guard: changed, output, next });
        machine.states[state].edges.retain(|edge| edge.guard != Guard::FALSE);
        machine
    }
}
