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
use tsl_synth_kernel::{EdgeSet, MonitorAutomaton, MonitorCondition, MonitoredFormula};

/// Compiles a conjunct as [`compile_contract`] compiles it beside others, unless these share memory with it; `None` if it
/// has no small automata.
///
/// # Errors
/// A limit of the budget.
pub fn monitored_formula(
    formulas: &mut Formulas,
    alphabet: &Alphabet,
    f: FormulaId,
    budget: &Budget,
) -> Result<Option<MonitoredFormula>, Limit> {
    let contract = Contract { guarantees: vec![f], ..Contract::default() };
    let compiled = match compile_contract(formulas, alphabet, &contract, Sharing::Nothing(FEW_STATES), budget)
    {
        Ok(compiled) => compiled,
        Err(limit) if limit.kind == LimitKind::Size => return Ok(None),
        Err(limit) => return Err(limit),
    };
    let part = compiled.part(GameRole::Guarantee);
    let in_conditions: Vec<AutomatonId> = compiled.colors.iter().flat_map(Color::automata).collect();
    let coded = |(id, automaton): (AutomatonId, _)| MonitorAutomaton {
        codes: state_codes(automaton, !in_conditions.contains(&id)),
        automaton: automaton.clone(),
    };
    let automata = compiled.automata.enumerate().map(coded).collect();
    let mut all: Vec<MonitorCondition> =
        part.safety.iter().map(|&id| MonitorCondition::Alive(id.index())).collect();
    all.push(condition(&compiled.colors, &part.condition));
    Ok(Some(MonitoredFormula { automata, condition: MonitorCondition::All(all) }))
}

/// Recursion is as deep as the condition.
fn condition(colors: &IdVec<ColorId, Color>, of: &ColorCondition) -> MonitorCondition {
    let all = |parts: &[ColorCondition]| parts.iter().map(|part| condition(colors, part)).collect();
    match of {
        ColorCondition::True => MonitorCondition::All(Vec::new()),
        ColorCondition::False => MonitorCondition::Any(Vec::new()),
        ColorCondition::Inf(color) => MonitorCondition::Often(edges(&colors[*color])),
        ColorCondition::Fin(color) => MonitorCondition::Seldom(edges(&colors[*color])),
        ColorCondition::And(parts) => MonitorCondition::All(all(parts)),
        ColorCondition::Or(parts) => MonitorCondition::Any(all(parts)),
    }
}

fn edges(color: &Color) -> EdgeSet {
    match color {
        Color::Accepting(id) => EdgeSet::Accepting(id.index()),
        Color::All(parts) => EdgeSet::All(parts.iter().map(edges).collect()),
        Color::Any(parts) => EdgeSet::Any(parts.iter().map(edges).collect()),
        Color::Not(color) => EdgeSet::Not(Box::new(edges(color))),
    }
}
