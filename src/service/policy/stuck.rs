//! States in which the laws of a policy leave no action.

use tsl_synth_core::base::{Budget, Limit};
use tsl_synth_policy::analysis::{
    AnalysisFrame, Conflicts, JointAnswer, SearchReport, Stuck, joint, product, search,
};

/// The states in which laws leave no action, as far as they are known.
#[derive(Clone, Debug, Default)]
pub(super) struct StuckStates {
    /// One state for each set of laws found that leaves no action, shortest ways first.
    pub found: Vec<Stuck>,
    /// The search of the world that the declared effects describe.
    pub search: SearchReport,
    /// Whether there are no other states of this kind.
    pub is_decided: bool,
}

impl StuckStates {
    /// Why there may be other states of this kind; `None` if there are none.
    pub(super) fn undecided(&self) -> Option<String> {
        let why = match self.search.not_searched {
            Some(why) => why.to_owned(),
            None => format!("the search ended after {} states", self.search.states),
        };
        (!self.is_decided).then_some(why)
    }
}

/// Finds the states in which the laws leave no action: in the world that the declared effects describe, else in any.
///
/// # Errors
/// A limit of the budget.
pub(super) fn stuck_states(
    frame: &mut AnalysisFrame<'_>,
    conflicts: &Conflicts,
    states: usize,
    budget: &Budget,
) -> Result<StuckStates, Limit> {
    let search = search(frame, states, budget)?;
    let is_closed = search.not_searched.is_none();
    if is_closed && search.is_complete {
        return Ok(StuckStates { found: search.found.clone(), search, is_decided: true });
    }
    let joint = joint(frame, budget)?;
    let (mut found, mut is_decided) = (search.found.clone(), joint == JointAnswer::Never);
    if !is_closed {
        match joint {
            JointAnswer::Never => {}
            JointAnswer::Stuck(stuck) => found = stuck,
            // Without declared effects the states of all laws together are searched for sets of laws of any size.
            JointAnswer::Open => {
                let product = product(frame, budget)?;
                (found, is_decided) = (product.found, product.is_complete);
            }
        }
        for conflict in conflicts.found.iter().filter(|conflict| conflict.others.is_empty()) {
            let core = conflict.laws.to_vec();
            if found.iter().all(|known| known.core != core) {
                found.push(Stuck { core, trajectory: conflict.trajectory.clone() });
            }
        }
        found.sort_by_key(|one| one.trajectory.len());
    }
    Ok(StuckStates { found, search, is_decided })
}
