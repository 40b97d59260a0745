//! The assumptions that matter for a core.
//!
//! The set of assumptions grows from the empty set: as long as the core without some guarantee is unrealizable under
//! it, an assumption that the counter-strategy violates is added. Then assumptions that are not needed are removed.
//! Known controllers are model checked under fewer assumptions before anything is synthesized.

use super::kept::{Controller, keeps};
use crate::counter_repr::{CounterRepr, counter_ref};
use crate::synthesis_queries::{SynthesisAnswer, Synthesizer, part};
use crate::tuning::MACHINE_WORK;
use tsl_synth_core::model::Role;
use tsl_synth_engine::synth::FailedCertificate;
use tsl_synth_kernel::{CertifyError, StrategyClaim, certify};
use tsl_synth_lang::spec::{ClauseId, Problem};

/// Assumptions with which the core is minimal; a core of one guarantee is minimal under any. `controllers` are controllers of
/// the core without one guarantee.
pub(super) fn assumptions_that_matter(
    problem: &Problem,
    core: &[ClauseId],
    controllers: Vec<(ClauseId, Controller)>,
    asker: &mut Synthesizer<'_>,
) -> Result<Vec<ClauseId>, FailedCertificate> {
    let all: Vec<ClauseId> =
        problem.clauses.enumerate().filter(|(_, c)| c.role == Role::Assumption).map(|(id, _)| id).collect();
    if core.len() < 2 || all.is_empty() {
        return Ok(Vec::new());
    }
    let mut search = AssumptionSearch { problem, core, controllers, asker };
    let mut kept = match search.grown(&all)? {
        Some(some) => some,
        None => all,
    };
    for i in (0..kept.len()).rev() {
        let mut fewer = kept.clone();
        fewer.remove(i);
        if search.suffices(&fewer)? {
            kept = fewer;
        }
    }
    Ok(kept)
}

struct AssumptionSearch<'a, 'b> {
    problem: &'a Problem,
    core: &'a [ClauseId],
    /// Controllers of the core without this guarantee, with some assumptions.
    controllers: Vec<(ClauseId, Controller)>,
    asker: &'a mut Synthesizer<'b>,
}

impl AssumptionSearch<'_, '_> {
    /// The core without a guarantee, with these assumptions only.
    fn rest(&self, left_out: ClauseId, assumptions: &[ClauseId]) -> Problem {
        part(self.problem, |id, c| match c.role {
            _ if c.is_duty() => self.core.contains(&id) && id != left_out,
            Role::Assumption => assumptions.contains(&id),
            _ => true,
        })
    }

    /// Whether a known controller keeps the rest with these assumptions.
    fn is_known(&self, left_out: ClauseId, rest: &Problem) -> bool {
        let own = self.controllers.iter().filter(|(id, _)| *id == left_out);
        own.into_iter()
            .any(|(_, controller)| keeps(rest, controller, &self.asker.budget_of_all(MACHINE_WORK)).is_ok())
    }

    /// Whether with these assumptions the core is minimal.
    fn suffices(&mut self, assumptions: &[ClauseId]) -> Result<bool, FailedCertificate> {
        for &left_out in self.core {
            let rest = self.rest(left_out, assumptions);
            if self.is_known(left_out, &rest) {
                continue;
            }
            match self.asker.ask_at_length(&rest)? {
                SynthesisAnswer::Realizable(controller) => self.controllers.push((left_out, controller)),
                SynthesisAnswer::Unrealizable(..) | SynthesisAnswer::Unknown => return Ok(false),
            }
        }
        Ok(true)
    }

    /// Assumptions that suffice, grown from none; `None` if this search finds none.
    fn grown(&mut self, all: &[ClauseId]) -> Result<Option<Vec<ClauseId>>, FailedCertificate> {
        let mut some: Vec<ClauseId> = Vec::new();
        let mut index = 0;
        while let Some(&left_out) = self.core.get(index) {
            let rest = self.rest(left_out, &some);
            if self.is_known(left_out, &rest) {
                index += 1;
                continue;
            }
            match self.asker.ask_at_length(&rest)? {
                SynthesisAnswer::Realizable(controller) => {
                    self.controllers.push((left_out, controller));
                    index += 1;
                }
                SynthesisAnswer::Unrealizable(counter, _) => {
                    let Some(broken) = self.broken(left_out, &counter, &some, all) else { return Ok(None) };
                    some.push(broken);
                    some.sort_unstable();
                }
                SynthesisAnswer::Unknown => return Ok(None),
            }
        }
        Ok(Some(some))
    }

    /// The smallest assumption that a counter-strategy against the rest breaks on some play.
    fn broken(
        &self,
        left_out: ClauseId,
        counter: &CounterRepr,
        some: &[ClauseId],
        all: &[ClauseId],
    ) -> Option<ClauseId> {
        let mut open: Vec<ClauseId> = all.iter().copied().filter(|id| !some.contains(id)).collect();
        open.sort_by_key(|&id| (self.problem.formulas.size(self.problem.clauses[id].formula), id));
        let strategy = counter_ref(counter);
        open.into_iter().find(|&id| {
            let rest = self.rest(left_out, &[id]);
            let Problem { formulas, alphabet, .. } = &rest;
            let mut contract = rest.contract();
            contract.facts.clear();
            contract.guarantees.clear();
            let claim = StrategyClaim { formulas, alphabet, contract: &contract, strategy };
            let checked = certify(&claim, &self.asker.budget_of_all(MACHINE_WORK));
            matches!(checked, Err(CertifyError::Violated(v)) if v.role == Role::Assumption)
        })
    }
}
