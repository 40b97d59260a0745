//! Behavior that a controller never shows: outputs that are constant in all its plays, and guarantees whose trigger
//! never happens in them. Another controller of the same specification may differ, so these are notes, not defects.

use super::clause::clause_quote;
use super::trigger::is_triggered;
use super::tuning::{EXERCISE_WORK, MOST_IMPLIED};
use tsl_synth_core::base::{Budget, IdSet, IdVec};
use tsl_synth_core::diag::{Code, Diagnostic, Diagnostics};
use tsl_synth_core::logic::{AtomId, CellId};
use tsl_synth_core::model::{Mealy, Role, StateId};
use tsl_synth_core::source::{SourceMap, Span};
use tsl_synth_lang::spec::{Problem, ValueSets};

/// The most constant outputs that a message names.
const MOST_TOLD: usize = 4;

/// Notes on a controller of a problem, except about guarantees that never constrain anything according to `found`.
pub fn never_done(
    problem: &Problem,
    map: &SourceMap,
    machine: &Mealy,
    found: &Diagnostics,
    budget: &Budget,
) -> Diagnostics {
    let mut diagnostics = Diagnostics::new();
    let constant = constant_outputs(problem, machine);
    if !constant.is_empty() {
        let mut quoted: Vec<String> =
            constant.iter().map(|text| format!("`{text}`")).take(MOST_TOLD).collect();
        if constant.len() > MOST_TOLD {
            quoted.push(format!("and {} more", constant.len() - MOST_TOLD));
        }
        let message = format!("the controller that was found always answers {}", quoted.join(", "));
        diagnostics.push(
            Diagnostic::note(Code::CONSTANT_OUTPUT, message)
                .hint("if it should ever do something else, a guarantee has to require it"),
        );
    }
    if problem.clauses.iter().filter(|c| c.role == Role::Guarantee).count() > MOST_IMPLIED {
        return diagnostics;
    }
    let mut formulas = problem.formulas.clone();
    let is_idle = |span: Option<Span>| {
        let place = |d: &Diagnostic| d.labels.first().map(|label| label.span);
        found.iter().any(|d| d.code == Code::IDLE_GUARANTEE && place(d) == span)
    };
    let guarantees = problem.clauses.enumerate().filter(|(_, c)| c.role == Role::Guarantee);
    for (id, clause) in guarantees.filter(|(_, clause)| !is_idle(clause.span)) {
        let budget = budget.child(EXERCISE_WORK);
        let asked = (Role::Guarantee, clause.formula);
        if is_triggered(problem, &mut formulas, machine, asked, &budget) == Ok(false) {
            let text = clause_quote(problem, map, id);
            let message = format!("the controller that was found never exercises the guarantee `{text}`");
            let mut diagnostic = Diagnostic::note(Code::NEVER_EXERCISED, message)
                .hint("in none of its plays does what should trigger it happen");
            if let Some(span) = clause.span {
                diagnostic = diagnostic.at(span, "never exercised");
            }
            diagnostics.push(diagnostic);
        }
    }
    diagnostics
}

/// Cells with several options of which one is always chosen, and outputs with only one value, on all reachable edges.
fn constant_outputs(problem: &Problem, machine: &Mealy) -> Vec<String> {
    let alphabet = &problem.alphabet;
    let mut seen: IdSet<StateId> = [machine.initial].into_iter().collect();
    let mut queue = vec![machine.initial];
    let mut chosen: IdVec<CellId, Vec<AtomId>> = alphabet.cells().iter().map(|_| Vec::new()).collect();
    let outputs: Vec<AtomId> = alphabet.outputs().collect();
    let mut values: Vec<(bool, bool)> = vec![(false, false); outputs.len()];
    while let Some(state) = queue.pop() {
        for edge in &machine.states[state].edges {
            for (cell, options) in chosen.iter_mut().enumerate() {
                let option = alphabet.chosen(&edge.output, tsl_synth_core::base::Id::from_index(cell));
                if !options.contains(&option) {
                    options.push(option);
                }
            }
            for (&output, (never, ever)) in outputs.iter().zip(&mut values) {
                if alphabet.holds(output, &edge.output) { *ever = true } else { *never = true }
            }
            if seen.insert(edge.next) {
                queue.push(edge.next);
            }
        }
    }
    let cells = alphabet.cells().enumerate().filter_map(|(id, cell)| match chosen[id].as_slice() {
        [only] if cell.options.len() > 1 && !problem.is_hidden(*only) => {
            Some(alphabet.atoms()[*only].name.clone())
        }
        _ => None,
    });
    let constant = outputs.iter().zip(&values).filter(|(_, (never, ever))| never != ever);
    let literals: Vec<(AtomId, bool)> = constant.map(|(&output, &(_, ever))| (output, ever)).collect();
    let outputs = ValueSets::new(problem).texts(&literals, &|output, holds| {
        format!("{}{}", if holds { "" } else { "!" }, alphabet.atoms()[output].name)
    });
    cells.chain(outputs).collect()
}
