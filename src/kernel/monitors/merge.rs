//! Finds latches of monitors that always have the value of a latch of the circuit, and proves it by induction.
//!
//! Candidates come from a simulation, which is not trusted. In a circuit in which all candidates are replaced at once, each
//! of them has to have the same initial and next value as what replaces it. Then they are equal in every reachable state:
//! in the first step, and in each next one if they are in the one before. Candidates that fail are dropped until none
//! does (van Eijk, "Sequential equivalence checking based on structural similarities", IEEE TCAD 2000).

use super::circuit::{MonitorOutputs, Monitors, Plan, Replacement};
use crate::search::simulation::signatures;
use crate::search::symbolic::Growing;
use rustc_hash::FxHashMap;
use tsl_synth_core::base::{Budget, Limit};
use tsl_synth_core::model::Circuit;

/// What replaces the latches of the monitors.
pub(super) fn plan(monitors: &Monitors<'_>, budget: &Budget) -> Result<Plan, Limit> {
    let nothing: Plan = vec![None; monitors.latches()];
    let own = monitors.circuit.latches.len();
    let mut plan = candidates(&monitors.parallel(&nothing, MonitorOutputs::Latches), own, budget)?;
    while plan.iter().any(Option::is_some) {
        let whole = monitors.parallel(&plan, MonitorOutputs::Latches);
        let wrong = wrong(&whole, own, &plan, budget)?;
        if wrong.is_empty() {
            break;
        }
        for latch in wrong {
            plan[latch] = None;
        }
    }
    Ok(plan)
}

/// For each latch behind those of the circuit a latch of the circuit that had the same or the opposite value in all steps
/// of a simulation. `own` is the number of latches of the circuit.
fn candidates(whole: &Circuit, own: usize, budget: &Budget) -> Result<Plan, Limit> {
    let signatures = signatures(whole, budget)?;
    let (own, others) = signatures.split_at(own);
    let mut index: FxHashMap<Vec<u64>, usize> = FxHashMap::default();
    for (latch, signature) in own.iter().enumerate().rev() {
        index.insert(signature.clone(), latch);
    }
    let candidate = |signature: &Vec<u64>| {
        if signature.iter().all(|&word| word == 0) {
            return Some(Replacement::Constant(false));
        }
        let opposite: Vec<u64> = signature.iter().map(|&word| !word).collect();
        let same = index.get(signature).map(|&latch| Replacement::Latch(latch, false));
        same.or_else(|| index.get(&opposite).map(|&latch| Replacement::Latch(latch, true)))
    };
    Ok(others.iter().map(candidate).collect())
}

/// The latches whose replacement is not proved, by their positions in the plan. `own` is the number of latches of the
/// circuit without monitors.
fn wrong(whole: &Circuit, own: usize, plan: &Plan, budget: &Budget) -> Result<Vec<usize>, Limit> {
    let outputs: Vec<usize> = (0..whole.outputs.len()).collect();
    Growing::new(whole, true, budget).run(|store| {
        let model = &mut store.model;
        model.cone(&outputs, &[])?;
        let d = &model.diagrams;
        let mut wrong = Vec::new();
        for (position, replacement) in plan.iter().enumerate() {
            let latch = own + position;
            let reset = whole.latches[latch].reset;
            let proved = match *replacement {
                None => true,
                Some(Replacement::Constant(value)) => {
                    reset == value && *model.next(latch) == d.constant(value)
                }
                Some(Replacement::Latch(other, negated)) => {
                    let next = model.next(other);
                    let next = if negated { d.not(next)? } else { next.clone() };
                    reset == (whole.latches[other].reset != negated) && *model.next(latch) == next
                }
            };
            if !proved {
                wrong.push(position);
            }
        }
        Ok(wrong)
    })
}
