//! Repairs of unrealizable specifications with numbers that games over numbers decide: one assumption on inputs that holds
//! in every step, or one guarantee of the core that is dropped.

use super::Failure;
use super::tuning::{NUMBER_REPAIR_WORK, NUMBER_REPAIRS};
use crate::Session;
use tsl_synth_core::base::StopFlag;
use tsl_synth_core::logic::AtomId;
use tsl_synth_core::model::Role;
use tsl_synth_documents::CheckVerdict;
use tsl_synth_explain::{Addition, Core, Repair, Template, Weakened, Weakening, literal_text};
use tsl_synth_lang::spec::{
    AtomMeaning, Clause, NumberGame, Problem, SymbolKind, compared_numbers, number_game,
};

impl Session<'_> {
    /// Repairs that the games over numbers accept, within a bound on work. An assumption does not contradict the others: with
    /// it the environment can keep all of them, whatever the system does.
    ///
    /// # Errors
    /// A certificate was refused.
    pub(super) fn number_repairs(&self, problem: &Problem, core: &Core) -> Result<Vec<Repair>, Failure> {
        let stop = self.cancel.within(NUMBER_REPAIR_WORK);
        let mut found = Vec::new();
        for (atom, value) in conditions(problem, core) {
            if found.len() == NUMBER_REPAIRS || stop.raised().is_some() {
                break;
            }
            let mut with = problem.clone();
            let mut formula = with.formulas.atom(atom);
            if !value {
                formula = with.formulas.not(formula);
            }
            let formula = with.formulas.globally(formula);
            with.clauses.push(Clause { role: Role::Assumption, formula, span: None, constraint: None });
            if self.winner(&with, &stop)? != CheckVerdict::Realizable {
                continue;
            }
            let mut hopeless = with;
            for id in hopeless.clauses.ids().collect::<Vec<_>>() {
                match hopeless.clauses[id].role {
                    Role::Guarantee => hopeless.clauses[id].formula = hopeless.formulas.bottom(),
                    Role::Restriction => hopeless.clauses[id].formula = hopeless.formulas.top(),
                    Role::Fact | Role::Assumption => {}
                }
            }
            if self.winner(&hopeless, &stop)? != CheckVerdict::Unrealizable {
                continue;
            }
            let text = literal_text(problem, atom, value);
            let addition =
                Addition { template: Template::Constant, formula, always: true, text, section: None };
            found.push(Repair { additions: vec![addition], ..Repair::default() });
        }
        for &clause in &core.guarantees {
            // What was not written as a guarantee, such as the bounds of a cell, is not dropped.
            if problem.clauses[clause].role != Role::Guarantee || found.len() == NUMBER_REPAIRS {
                continue;
            }
            let mut without = problem.clone();
            without.clauses[clause].formula = without.formulas.top();
            if self.winner(&without, &stop)? == CheckVerdict::Realizable {
                let change = Weakened {
                    weakening: Weakening::Dropped,
                    clause,
                    formula: None,
                    always: false,
                    text: String::new(),
                    section: None,
                };
                found.push(Repair { changes: vec![change], ..Repair::default() });
            }
        }
        Ok(found)
    }

    /// Who wins the game over numbers of a problem.
    fn winner(&self, problem: &Problem, stop: &StopFlag) -> Result<CheckVerdict, Failure> {
        match number_game(problem) {
            Ok(NumberGame { text, is_exact, .. }) if stop.raised().is_none() => {
                let share = stop.within(NUMBER_REPAIR_WORK / 4);
                Ok(self.decided(String::new(), &text, is_exact, &share)?.verdict())
            }
            _ => Ok(CheckVerdict::Unknown),
        }
    }
}

/// The comparisons of inputs with numbers in the core, with a truth value each.
fn conditions(problem: &Problem, core: &Core) -> Vec<(AtomId, bool)> {
    let signature = &problem.signature;
    let compared = compared_numbers(signature);
    let roots: Vec<_> = core.guarantees.iter().map(|&id| problem.clauses[id].formula).collect();
    let is_of_inputs = |atom: &AtomId| match signature.atoms.get(*atom) {
        Some(&AtomMeaning::Predicate(term)) => {
            let signals = signature.signals_of(term);
            let is_input = |symbol| signature.symbols[symbol].kind == SymbolKind::Input;
            !signals.is_empty() && signals.into_iter().all(is_input)
        }
        _ => false,
    };
    let support = problem.support(&roots);
    let atoms: Vec<AtomId> = support
        .iter()
        .filter(|atom| compared.contains(atom) && !problem.is_hidden(*atom))
        .filter(is_of_inputs)
        .collect();
    atoms.into_iter().flat_map(|atom| [(atom, false), (atom, true)]).collect()
}
