//! Totals over many runs of actors.

use tsl_synth_documents::{
    ActorCore, ActorGoal, ActorRefusal, ActorStepDocument, ActorTotalsDocument, Record, SCHEMA_VERSION,
};

/// How often a sub-goal was reached.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GoalTotal {
    /// The sub-goal.
    pub name: String,
    /// The number of runs that reached it.
    pub runs: usize,
    /// The numbers of steps until it was reached, summed over these runs.
    pub steps: u64,
}

impl GoalTotal {
    /// Steps to the sub-goal on average, in the runs that reached it.
    pub fn mean(&self) -> Option<f64> {
        (self.runs > 0).then(|| self.steps as f64 / self.runs as f64)
    }
}

/// Totals over many runs.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ActorTotals {
    /// The number of runs.
    pub runs: usize,
    /// The number of executed actions.
    pub actions: usize,
    /// How many of them failed.
    pub failed: usize,
    /// Proposals that were refused.
    pub refused: usize,
    /// All proposals.
    pub proposals: usize,
    /// Executed actions that violate laws: only in shadow mode.
    pub violating: usize,
    /// Steps in which the laws left no action.
    pub over_constrained: usize,
    /// The minimal sets of laws that left no action, and in how many steps, the most frequent first.
    pub cores: Vec<(Vec<String>, usize)>,
    /// The sub-goals, ordered by the run and step in which each was first reached.
    pub goals: Vec<GoalTotal>,
    /// The reasons for which runs ended, and how many runs.
    pub ends: Vec<(String, usize)>,
}

impl ActorTotals {
    /// Adds a run.
    pub fn add(&mut self, steps: &[ActorStepDocument], end: &str) {
        self.runs += 1;
        count(&mut self.ends, &end.to_string());
        for (number, step) in (1_u64..).zip(steps) {
            self.refused += step.refused.len();
            // In shadow mode a refused action is executed all the same.
            let is_done = |refusal: &&ActorRefusal| step.action.as_ref() == Some(&refusal.action);
            self.proposals += step.refused.len() - step.refused.iter().filter(is_done).count();
            self.proposals += usize::from(step.action.is_some());
            if !step.core.is_empty() {
                self.over_constrained += 1;
                count(&mut self.cores, &step.core);
            }
            if step.action.is_some() {
                self.actions += 1;
                self.failed += usize::from(!step.ok);
                self.violating += usize::from(!step.violated.is_empty());
            }
            for goal in &step.goals {
                let place = self.goals.iter().position(|own| own.name == *goal).unwrap_or_else(|| {
                    self.goals.push(GoalTotal { name: goal.clone(), ..GoalTotal::default() });
                    self.goals.len() - 1
                });
                self.goals[place].runs += 1;
                self.goals[place].steps += number;
            }
        }
        self.cores.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    }
    /// The document of `agent stats --format json`.
    pub fn document(&self) -> ActorTotalsDocument {
        let core = |(laws, states): &(Vec<String>, usize)| ActorCore { laws: laws.clone(), states: *states };
        let goal = |goal: &GoalTotal| ActorGoal {
            name: goal.name.clone(),
            runs: goal.runs,
            actions: goal.mean().unwrap_or(0.0),
        };
        ActorTotalsDocument {
            schema_version: SCHEMA_VERSION.into(),
            runs: self.runs,
            actions: self.actions,
            failed: self.failed,
            refused: self.refused,
            violating: self.violating,
            over_constrained: self.over_constrained,
            cores: self.cores.iter().map(core).collect(),
            goals: self.goals.iter().map(goal).collect(),
            ends: self.ends.iter().cloned().collect(),
        }
    }
    /// Percent of the actions that failed.
    pub fn failed_percent(&self) -> f64 {
        percent(self.failed, self.actions)
    }
    /// Percent of the proposals that were refused.
    pub fn refused_percent(&self) -> f64 {
        percent(self.refused, self.proposals)
    }
}

fn percent(part: usize, whole: usize) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}

fn count<T: Clone + PartialEq>(list: &mut Vec<(T, usize)>, what: &T) {
    match list.iter_mut().find(|(own, _)| own == what) {
        Some((_, number)) => *number += 1,
        None => list.push((what.clone(), 1)),
    }
}

/// The totals of records of actors.
pub fn actor_totals<'r>(records: impl IntoIterator<Item = &'r Record>) -> ActorTotals {
    let mut totals = ActorTotals::default();
    for record in records {
        let end = record.end.as_ref().map_or("cut off", |end| end.reason.as_str());
        totals.add(&record.steps, end);
    }
    totals
}
