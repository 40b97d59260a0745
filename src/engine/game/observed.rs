//! The automata of a formula as the certifier takes them: with the codes that their states have in circuits.

use super::colors::{AutomatonId, Color, ColorId};
use super::compiled::{Sharing, compile_contract};
use super::condition::ColorCondition;
use super::role::GameRole;
use super::symbolic::state_codes;
use super::tuning::FEW_STATES;
use tsl_synth_core::base::{Budget, Id, IdVec, Limit, LimitKind};
use tsl_synth_core::logic::{Alphabet, FormulaId, Formulas};
use tsl_synth_core::model::Contract;
use tsl_synth_kernel::{Observed, ObservedAutomaton, ObservedCondition, ObservedEdges};

/// Compiles a conjunct as [`compile_contract`] compiles it beside others, unless these share memory with it; `None` if it
/// has no small automata.
///
/// # Errors
/// A limit of the budget.
pub fn observed(
    formulas: &mut Formulas,
    alphabet: &Alphabet,
    f: FormulaId,
    budget: &Budget,
) -> Result<Option<Observed>, Limit> {
    let contract = Contract { guarantees: vec![f], ..Contract::default() };
    let compiled = match compile_contract(formulas, alphabet, &contract, Sharing::Nothing(FEW_STATES), budget)
    {
        Ok(compiled) => compiled,
        Err(limit) if limit.kind == LimitKind::Size => return Ok(None),
        Err(limit) => return Err(limit),
    };
    let part = compiled.part(GameRole::Guarantee);
    let in_conditions: Vec<AutomatonId> = compiled.colors.iter().flat_map(Color::automata).collect();
    let coded = |(id, automaton): (AutomatonId, _)| ObservedAutomaton {
        codes: state_codes(automaton, !in_conditions.contains(&id)),
        automaton: automaton.clone(),
    };
    let automata = compiled.automata.enumerate().map(coded).collect();
    let mut all: Vec<ObservedCondition> =
        part.safety.iter().map(|&id| ObservedCondition::Alive(id.index())).collect();
    all.push(condition(&compiled.colors, &part.condition));
    Ok(Some(Observed { automata, condition: ObservedCondition::All(all) }))
}

/// Recursion is as deep as the condition.
fn condition(colors: &IdVec<ColorId, Color>, of: &ColorCondition) -> ObservedCondition {
    let all = |parts: &[ColorCondition]| parts.iter().map(|part| condition(colors, part)).collect();
    match of {
        ColorCondition::True => ObservedCondition::All(Vec::new()),
        ColorCondition::False => ObservedCondition::Any(Vec::new()),
        ColorCondition::Inf(color) => ObservedCondition::Often(edges(&colors[*color])),
        ColorCondition::Fin(color) => ObservedCondition::Seldom(edges(&colors[*color])),
        ColorCondition::And(parts) => ObservedCondition::All(all(parts)),
        ColorCondition::Or(parts) => ObservedCondition::Any(all(parts)),
    }
}

fn edges(color: &Color) -> ObservedEdges {
    match color {
        Color::Accepting(id) => ObservedEdges::Accepting(id.index()),
        Color::All(parts) => ObservedEdges::All(parts.iter().map(edges).collect()),
        Color::Any(parts) => ObservedEdges::Any(parts.iter().map(edges).collect()),
        Color::Not(color) => ObservedEdges::Not(Box::new(edges(color))),
    }
}
