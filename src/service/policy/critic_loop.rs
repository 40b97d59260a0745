//! `critic --loop`: an actor plays under the policy, the critic edits its laws from what happened, and so on until nothing
//! changes (LTLCrit, Gokhale, Srivastava and Bullo 2025, figure 1).

use super::super::{ActorOptions, ActorOutcome, ActorRun, ActorTotals, Failure, Input, VERSION, run_events};
use super::{CriticReport, CriticRequest, LoggedSessions};
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
    /// The edits.
    pub critic: CriticReport,
}

/// The result of a loop.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CriticLoopReport {
    /// The iterations, at least one.
    pub iterations: Vec<LoopIteration>,
}

impl CriticLoopReport {
    /// The policy as it was and as it is now.
    pub fn texts(&self) -> (&str, &str) {
        let (first, last) = (self.iterations.first(), self.iterations.last());
        (first.map_or("", |one| one.critic.before.as_str()), last.map_or("", |one| one.critic.after.as_str()))
    }

    /// Whether the last iteration changed nothing.
    pub fn is_settled(&self) -> bool {
        self.iterations.last().is_some_and(|one| one.critic.before == one.critic.after)
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
            critic: one.critic.document(VERSION),
        };
        let name = self.iterations.first().map_or("", |one| one.critic.name.as_str());
        let mut document = CriticLoopDocument::new(VERSION, name);
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
        let mut text = self.sources.get(source).text.clone();
        let name = request.critic.policy.shown();
        let mut report = CriticLoopReport { iterations: Vec::new() };
        for iteration in 0..request.iterations.max(1) {
            let input = Input::Text { name: name.clone(), text: text.clone() };
            let loaded = self.policy(&input)?;
            let options = actor.options(&loaded)?;
            let mut run = ActorRun::new(loaded, &text, options)?;
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
            let oracle = oracle.as_mut().map(|oracle| &mut **oracle as &mut dyn Oracle);
            let critic = self.critic(&asked, &sessions, oracle, log)?;
            text.clone_from(&critic.after);
            let is_settled = critic.before == critic.after;
            let one = LoopIteration { totals, reached, critic };
            heard(&one);
            report.iterations.push(one);
            if is_settled {
                break;
            }
        }
        Ok(report)
    }
}
