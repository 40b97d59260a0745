//! Refinement of the TSL abstraction: checks whether the plays of a counter-strategy are plays of some interpretation
//! of the predicates and functions. If not, it derives a constraint that every consistent environment satisfies and the
//! counter-strategy violates.
//!
//! Two evaluations of one predicate on the same *timed term* (inputs of a step, constants and initial cells, through
//! the updates of the play, compared by congruence) must agree; comparisons with literals must be satisfiable together.
//! A play that satisfies this is a play of the term model. Method: Finkbeiner, Klein, Piskac, Santolucito, "Temporal
//! Stream Logic: Synthesis beyond the Bools" (CAV 2019), whose refinement checks bounded plays; here the plays of a
//! finite counter-strategy are explored to the end.

mod derive;
mod explore;
mod frame;
mod knowledge;
mod nodes;

pub use derive::StepEvaluation;
pub use frame::frame_constraints;

use super::arithmetic::compared_numbers;
use super::problem::{Clause, Constraint, Language, Problem};
use super::signature::{AtomMeaning, Sort, SymbolId};
use tsl_synth_core::base::{Budget, Limit, LimitKind};
use tsl_synth_core::logic::AtomId;
use tsl_synth_core::model::{CounterStrategy, Role, StateId};

/// Whether all plays of a counter-strategy are consistent, that is, plays of some interpretation of TSL.
#[derive(Clone, Debug)]
pub enum Consistency {
    /// All plays are consistent: the specification is unrealizable in the sense of TSL.
    Consistent,
    /// Some play is inconsistent.
    Inconsistent(Refinement),
    /// The budget was exhausted first.
    Unknown(Limit),
}

/// A constraint derived from an inconsistent play.
#[derive(Clone, Debug)]
pub struct Refinement {
    /// A fact of every consistent environment that the counter-strategy violates.
    pub clause: Clause,
    /// The states of the inconsistent play.
    pub states: Vec<StateId>,
    /// After each state but the last, the updates of the cells that flow into predicates.
    pub updates: Vec<Vec<AtomId>>,
    /// The evaluations that contradict each other, in steps of the constraint.
    pub evaluations: Vec<StepEvaluation>,
}

/// Whether no predicate without a meaning is about the numbers of comparisons that are computed, so that the consistency
/// of both can be decided one by one.
pub fn numbers_are_separate(problem: &Problem) -> bool {
    let signature = &problem.signature;
    let comparisons =
        compared_numbers(signature).into_iter().filter_map(|atom| match signature.atoms[atom] {
            AtomMeaning::Predicate(term) => Some(term),
            AtomMeaning::Update(..) | AtomMeaning::Proposition => None,
        });
    let compared: Vec<SymbolId> = comparisons.flat_map(|term| signature.signals_of(term)).collect();
    let abstraction = explore::Abstraction::new(problem);
    let updates = abstraction.cells.iter().flat_map(|cell| cell.options.iter().map(|(_, term)| *term));
    let mut terms = abstraction.atoms.iter().map(|(_, term)| *term).chain(updates);
    !terms.any(|term| {
        signature.signals_of(term).into_iter().any(|symbol| {
            let is_number = matches!(signature.symbols[symbol].sort, Sort::Int | Sort::Real);
            let followed = abstraction.followed.contains_key(&symbol);
            is_number || compared.contains(&symbol) && !followed
        })
    })
}

/// Checks all plays of a counter-strategy. Positions are charged to the budget, so the answer is `Unknown` if
/// infinitely many different values are relevant.
pub fn check_plays(problem: &mut Problem, counter: &CounterStrategy, budget: &Budget) -> Consistency {
    if problem.language != Language::Tsl {
        return Consistency::Consistent;
    }
    let abstraction = explore::Abstraction::new(problem);
    let play = match explore::explore(problem, &abstraction, counter, budget) {
        Ok(explore::Explored::Consistent) => return Consistency::Consistent,
        Ok(explore::Explored::Inconsistent(play)) => play,
        Err(limit) => return Consistency::Unknown(limit),
    };
    match derive::derive(problem, &abstraction, counter, &play, budget) {
        Ok(Some(derived)) => {
            let formula = derived.formula(problem, &abstraction);
            let chosen = |options: &Vec<u32>| {
                options.iter().zip(&abstraction.cells).map(|(&o, cell)| cell.options[o as usize].0).collect()
            };
            Consistency::Inconsistent(Refinement {
                clause: Clause {
                    role: Role::Fact,
                    formula,
                    span: None,
                    constraint: Some(Constraint::Refinement),
                },
                updates: play.chosen.iter().map(chosen).collect(),
                states: play.states,
                evaluations: derived.evaluations,
            })
        }
        Ok(None) => Consistency::Unknown(Limit::new(
            LimitKind::Work,
            "no constraint was derived from an inconsistent play",
        )),
        Err(limit) => Consistency::Unknown(limit),
    }
}
