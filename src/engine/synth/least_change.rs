//! Replaces a controller by one that changes cells only where a clause asks for it, if that is found in time.

use super::found::WinningStrategy;
use super::run::Synthesis;
use super::tuning::{LEAST_CHANGE_CHECK, LEAST_CHANGE_WORK, MOST_GROWTH};
use crate::game::objective;
use crate::mealy::LeastChange;
use tsl_synth_core::base::{IdVec, Limit};
use tsl_synth_core::logic::{AtomId, CellId, Player};
use tsl_synth_core::model::{Mealy, Prefer, StrategyRepr};
use tsl_synth_kernel::StrategyRef;
use tsl_synth_lang::spec::{AtomMeaning, Problem, Target, Term};

/// For each cell the update that keeps its value, if there is one.
pub fn keeping_updates(problem: &Problem) -> IdVec<CellId, Option<AtomId>> {
    let (alphabet, signature) = (&problem.alphabet, &problem.signature);
    let keeps = |cell: CellId, atom: AtomId| match signature.atoms[atom] {
        AtomMeaning::Update(_, term) => *signature.terms.get(term) == Term::Signal(signature.cells[cell]),
        _ => false,
    };
    let of = |(id, cell): (CellId, &tsl_synth_core::logic::Cell)| {
        cell.options.iter().copied().find(|&atom| keeps(id, atom))
    };
    alphabet.cells().enumerate().map(of).collect()
}

/// Updates that write a value of a cell whose values are followed, each with the inputs on which the cell has the value.
pub fn writing_updates(problem: &Problem) -> Vec<(AtomId, Vec<(AtomId, bool)>)> {
    let (alphabet, signature) = (&problem.alphabet, &problem.signature);
    let switch = |symbol| {
        alphabet.inputs().find(|&atom| match signature.atoms[atom] {
            AtomMeaning::Predicate(term) => *signature.terms.get(term) == Term::Signal(symbol),
            _ => false,
        })
    };
    let mut written = Vec::new();
    for (id, cell) in alphabet.cells().enumerate() {
        let Some(&symbol) = signature.cells.get(id) else { continue };
        for &option in &cell.options {
            let AtomMeaning::Update(_, term) = signature.atoms[option] else { continue };
            if !matches!(signature.terms.get(term), Term::Literal(_)) {
                continue;
            }
            let text = signature.display(term);
            let value = match (problem.encoded(symbol), text.as_str()) {
                (Some(signal), _) => signal.find(&text).map(|index| signal.literals(index).collect()),
                (None, "true" | "false") => switch(symbol).map(|atom| vec![(atom, text == "true")]),
                (None, _) => None,
            };
            written.extend(value.map(|value| (option, value)));
        }
    }
    written
}

impl Synthesis<'_> {
    /// The controller that is preferred ([`Prefer`]); this one if it has no cells, is no explicit Mealy machine, or if no
    /// other one is found and certified with little work. A friendly controller stays friendly.
    pub(super) fn preferred(&mut self, found: WinningStrategy, friendly: bool) -> WinningStrategy {
        let prefer = self.options.prefer;
        let is_asked = self.options.minimize
            && prefer != Prefer::Any
            && !self.problem.finite
            && self.problem.target == Target::Mealy;
        let WinningStrategy::System(StrategyRepr::Explicit(machine)) = &found else { return found };
        if !is_asked {
            return found;
        }
        let keep = keeping_updates(self.problem);
        if keep.iter().all(Option::is_none) {
            return found;
        }
        let budget = self.budget().child(LEAST_CHANGE_WORK);
        let sought = self.with_least_change(machine, &keep, prefer, &budget);
        let log = &mut self.statistics.log;
        let other = match sought {
            Ok(Some(other)) if other.states.len() > MOST_GROWTH * (machine.states.len() + 1) => {
                log.push(format!("fewer changes: {} states would be too many", other.states.len()));
                return found;
            }
            Ok(Some(other)) => {
                log.push(format!(
                    "fewer changes: {} states, {} units of work",
                    other.states.len(),
                    budget.work()
                ));
                other
            }
            Ok(None) => {
                log.push("fewer changes: none".into());
                return found;
            }
            Err(limit) => {
                log.push(format!("fewer changes: {limit}"));
                return found;
            }
        };
        let budget = self.budget().child(LEAST_CHANGE_CHECK);
        let strategy = StrategyRef::Mealy(&other);
        if !self.wins(strategy, &self.contract, &budget)
            || friendly && !self.stays_friendly(strategy, &budget)
        {
            self.statistics.log.push("fewer changes: the machine was not certified".into());
            return found;
        }
        WinningStrategy::System(StrategyRepr::Explicit(other))
    }

    fn with_least_change(
        &mut self,
        machine: &Mealy,
        keep: &IdVec<CellId, Option<AtomId>>,
        prefer: Prefer,
        budget: &tsl_synth_core::base::Budget,
    ) -> Result<Option<Mealy>, Limit> {
        let same = writing_updates(self.problem);
        let Problem { formulas, alphabet, .. } = &mut *self.problem;
        let objective = objective(formulas, alphabet, &self.contract, Player::System, budget)?;
        let search = LeastChange { objective: &objective, alphabet, keep, same: &same, machine };
        // A machine all of whose changes are needed stays as it is.
        if prefer == Prefer::Keep && matches!(search.unneeded(budget)?, Some((0, _))) {
            return Ok(None);
        }
        search.find(prefer, budget)
    }
}
