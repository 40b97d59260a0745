//! Repairs of TLSF in which it matters to which section a formula belongs: PRESET depends on INITIALLY only, and with
//! `Strict` semantics ASSERT on INITIALLY and REQUIRE (see [`Restricted`](tsl_synth_lang::spec::Restricted)).

use super::Repair;
use super::templates::{AssumptionCandidate, Template};
use std::collections::BTreeSet;
use tsl_synth_core::base::IdVec;
use tsl_synth_core::logic::{FormulaId, Formulas, Node};
use tsl_synth_core::model::Role;
use tsl_synth_lang::spec::{Clause, ClauseId, Problem};

const REQUIRE: &str = "REQUIRE";
const ASSERT: &str = "ASSERT";

/// Whether the formulas of a section hold in every step.
pub(super) fn is_always(section: &str) -> bool {
    section == REQUIRE || section == ASSERT
}

/// The section of an added assumption, if it matters.
pub(super) fn of_assumption(problem: &Problem, added: AssumptionCandidate) -> Option<&'static str> {
    problem.restricted.as_ref()?;
    Some(match (added.template, problem.formulas.node(added.formula)) {
        (Template::Initial | Template::InitialEither, _) => "INITIALLY",
        (_, Node::Globally(_)) => REQUIRE,
        _ => "ASSUME",
    })
}

/// The section of a clause, if it matters.
pub(super) fn of_clause(problem: &Problem, clause: ClauseId) -> Option<&'static str> {
    let restricted = problem.restricted.as_ref()?;
    let is_in = |clauses: &[(ClauseId, FormulaId)]| clauses.iter().any(|(id, _)| *id == clause);
    if is_in(&restricted.preset) { Some("PRESET") } else { is_in(&restricted.asserted).then_some(ASSERT) }
}

/// The formula of a clause as written, with `G` around an ASSERT.
pub(super) fn written(problem: &Problem, formulas: &mut Formulas, clause: ClauseId) -> FormulaId {
    let find = |clauses: &[(ClauseId, FormulaId)]| clauses.iter().find(|(id, _)| *id == clause).map(|c| c.1);
    let Some(restricted) = &problem.restricted else { return problem.clauses[clause].formula };
    match (find(&restricted.preset), find(&restricted.asserted)) {
        (Some(preset), _) => preset,
        (_, Some(asserted)) => formulas.globally(asserted),
        _ => problem.clauses[clause].formula,
    }
}

/// The formula of a clause with other text, given as by [`written`].
pub(super) fn lowered(problem: &mut Problem, clause: ClauseId, f: FormulaId) -> FormulaId {
    let Some(restricted) = &problem.restricted else { return f };
    let body = match *problem.formulas.node(f) {
        Node::Globally(body) if of_clause(problem, clause) == Some(ASSERT) => body,
        _ => f,
    };
    restricted.lowered(&mut problem.formulas, clause, body).unwrap_or(f)
}

/// The problem with a repair, without the clauses that it drops, and the clauses that it changes or adds. `formulas` is
/// the arena of the repair.
pub fn repaired(problem: &Problem, formulas: &Formulas, repair: &Repair) -> (Problem, BTreeSet<ClauseId>) {
    let mut whole = Problem { formulas: formulas.clone(), ..problem.clone() };
    let (mut changed, mut dropped) = (BTreeSet::new(), BTreeSet::new());
    for change in &repair.changes {
        let Some(formula) = change.formula else {
            dropped.insert(change.clause);
            continue;
        };
        let clause = &mut whole.clauses[change.clause];
        clause.span = None;
        changed.insert(change.clause);
        let formula = lowered(&mut whole, change.clause, formula);
        whole.clauses[change.clause].formula = formula;
    }
    let added: Vec<AssumptionCandidate> = repair
        .additions
        .iter()
        .map(|addition| AssumptionCandidate { template: addition.template, formula: addition.formula })
        .collect();
    for candidate in &added {
        let (role, formula) = (Role::Assumption, candidate.formula);
        changed.insert(whole.clauses.push(Clause { role, formula, span: None, constraint: None }));
    }
    assume(&mut whole, &added);
    let mut clauses = IdVec::new();
    let mut here = BTreeSet::new();
    for (id, clause) in whole.clauses.enumerate().filter(|(id, _)| !dropped.contains(id)) {
        let new = clauses.push(clause.clone());
        if changed.contains(&id) {
            here.insert(new);
        }
    }
    // The ids of clauses are others now.
    (Problem { clauses, restricted: None, ..whole }, here)
}

/// Weakens the clauses that depend on the sections of added assumptions.
pub(super) fn assume(problem: &mut Problem, added: &[AssumptionCandidate]) {
    if added.is_empty() {
        return;
    }
    let Some(mut restricted) = problem.restricted.clone() else { return };
    for candidate in added {
        let (section, f) = (of_assumption(problem, *candidate), candidate.formula);
        let Problem { formulas, .. } = problem;
        match (section, formulas.node(f)) {
            (Some("INITIALLY"), _) => restricted.initially = formulas.and([restricted.initially, f]),
            (Some(REQUIRE), &Node::Globally(body)) => {
                restricted.required = formulas.and([restricted.required, body]);
            }
            _ => {}
        }
    }
    for &(clause, f) in restricted.preset.iter().chain(&restricted.asserted) {
        if let Some(formula) = restricted.lowered(&mut problem.formulas, clause, f) {
            problem.clauses[clause].formula = formula;
            problem.clauses[clause].role = Role::Restriction;
        }
    }
    problem.restricted = Some(restricted);
}
