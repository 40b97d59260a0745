//! `critic --loop`: an actor plays under the policy, the critic edits its laws from what happened, and so on until nothing
//! changes (LTLCrit, Gokhale, Srivastava and Bullo 2025, figure 1). Edits after which fewer runs reach the goal are
//! withdrawn, which the paper does not do.

use super::super::{
    ActorOptions, ActorOutcome, ActorRun, ActorTotals, Failure, Input, TASK_DONE, VERSION, run_events,
};
use super::{CriticGoal, CriticReport, CriticRequest, LoggedSessions};
use crate::Session;
use tsl_synth_agents::{Log, Oracle};
use tsl_synth_documents::{CriticIteration, CriticLoopDocument};
use tsl_synth_gate::LoadedPolicy;
use tsl_synth_policy::CompiledPolicy;

/// Asks for iterations of an actor and the critic.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CriticLoopRequest {
    /// What the critic is asked in each iteration.
    pub critic: CriticRequest,
    /// The runs of the actor in each iteration.
    pub runs: u32,
    /// The largest number of iterations.
    pub iterations: u32,
}

impl CriticLoopRequest {
    /// Asks for these iterations.
    pub fn new(critic: CriticRequest, runs: u32, iterations: u32) -> Self {
        Self { critic, runs, iterations }
    }
}

/// An iteration: the runs under the laws so far, and the edits that they led to.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LoopIteration {
    /// The totals of the runs.
    pub totals: ActorTotals,
    /// The number of runs that reached the goal.
    pub reached: usize,
    /// The edits; `None` where fewer runs reached the goal than in the previous iteration, whose edits are withdrawn.
    pub critic: Option<CriticReport>,
}

impl LoopIteration {
    /// Whether fewer runs reached the goal than before, by at least a tenth of them.
    fn is_worse_than(&self, before: &Self) -> bool {
        let lost = before.reached.saturating_sub(self.reached);
        lost > 0 && lost * 10 >= self.totals.runs
    }
}

/// The result of a loop.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CriticLoopReport {
    /// The iterations, at least one.
    pub iterations: Vec<LoopIteration>,
    /// The name of the policy's text.
    pub name: String,
    /// The text as it was.
    pub before: String,
    /// The text with the edits of all iterations.
    pub after: String,
}

impl CriticLoopReport {
    /// Whether the last iteration changed nothing, or withdrew edits.
    pub fn is_settled(&self) -> bool {
        let last = self.iterations.last();
        last.is_some_and(|one| one.critic.as_ref().is_none_or(|critic| critic.before == critic.after))
    }

    /// The document of `critic --loop --format json`; its `diff` is empty.
    pub fn document(&self) -> CriticLoopDocument {
        let iteration = |one: &LoopIteration| CriticIteration {
            runs: one.totals.runs,
            reached: one.reached,
            actions: one.totals.actions,
            failed: one.totals.failed,
            refused: one.totals.refused,
            over_constrained: one.totals.over_constrained,
            critic: one.critic.as_ref().map(|critic| critic.document(VERSION)),
        };
        let mut document = CriticLoopDocument::new(VERSION, &self.name);
        document.iterations = self.iterations.iter().map(iteration).collect();
        document.is_settled = self.is_settled();
        document
    }
}

/// An actor from whose runs the critic learns.
pub trait LoopActor {
    /// How it is run under a policy.
    ///
    /// # Errors
    /// Why it cannot be run.
    fn options(&mut self, loaded: &LoadedPolicy) -> Result<ActorOptions, Failure>;
    /// What its runs are to reach if the request does not say it, in order: goals that the environment reports.
    fn goals(&self) -> Vec<CriticGoal> {
        vec![CriticGoal::Reported(TASK_DONE.into())]
    }
    /// A run; its number is another one in each iteration.
    ///
    /// # Errors
    /// Why there is none.
    fn play(&mut self, run: &mut ActorRun, number: u32) -> Result<ActorOutcome, Failure>;
}

impl Session<'_> {
    /// Lets an actor and the critic take turns until an iteration changes nothing. `heard` is called after each
    /// iteration.
    ///
    /// # Errors
    /// Errors of the policy, of a run, or of the critic.
    pub fn critic_loop(
        &mut self,
        request: &CriticLoopRequest,
        actor: &mut dyn LoopActor,
        mut oracle: Option<&mut dyn Oracle>,
        log: &mut dyn Log,
        heard: &mut dyn FnMut(&LoopIteration),
    ) -> Result<CriticLoopReport, Failure> {
        let source = self.source(&request.critic.policy)?;
        let text = self.sources.get(source).text.clone();
        let name = request.critic.policy.shown();
        let mut report = CriticLoopReport { iterations: Vec::new(), name, before: text.clone(), after: text };
        for iteration in 0..request.iterations.max(1) {
            let input = Input::Text { name: report.name.clone(), text: report.after.clone() };
            let loaded = self.policy(&input)?;
            let options = actor.options(&loaded)?;
            let mut run = ActorRun::new(loaded, &report.after, options)?;
            let mut totals = ActorTotals::default();
            let (mut reached, mut runs) = (0, Vec::new());
            for number in 1..=request.runs.max(1) {
                let outcome = actor.play(&mut run, iteration * request.runs + number - 1)?;
                totals.add(&outcome.steps, outcome.end.name());
                reached += usize::from(outcome.reached);
                runs.push((format!("run-{number}"), run_events(&outcome)));
            }
            let sessions =
                |compiled: &CompiledPolicy| Ok(LoggedSessions::of_runs(compiled, runs.iter().cloned()));
            let mut asked = request.critic.clone();
            asked.policy = input;
            if asked.goals.is_empty() {
                asked.goals = actor.goals();
            }
            let oracle = oracle.as_mut().map(|oracle| &mut **oracle as &mut dyn Oracle);
            let mut one = LoopIteration { totals, reached, critic: None };
            let previous = report.iterations.last().filter(|before| one.is_worse_than(before));
            if let Some(critic) = previous.and_then(|before| before.critic.as_ref()) {
                report.after.clone_from(&critic.before);
            } else {
                let critic = self.critic(&asked, &sessions, oracle, log)?;
                report.after.clone_from(&critic.after);
                one.critic = Some(critic);
            }
            heard(&one);
            report.iterations.push(one);
            if report.is_settled() {
                break;
            }
        }
        Ok(report)
    }
}
