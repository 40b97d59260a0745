//! Calls that are tried: what the gate would decide about them, without a journal.

use crate::answer::GateDocument;
use crate::around::Surroundings;
use crate::decide::decided;
use crate::scripts::Beginning;
use std::borrow::Cow;
use std::sync::Arc;
use tsl_synth_core::base::{Budget, Limit};
use tsl_synth_core::model::{CallOutcome, HostEvent, HostEventKind, JsonText, OutsideFacts, Ruling};
use tsl_synth_policy::gate::{GateOptions, GateSolver};
use tsl_synth_policy::{CallReading, CompiledPolicy};

/// A call that is tried.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TriedCall {
    /// The MCP server of the tool.
    pub server: Option<String>,
    /// The tool.
    pub tool: String,
    /// The arguments in JSON.
    pub arguments: String,
}

impl TriedCall {
    /// A call of a tool with arguments in JSON.
    pub fn new(server: Option<String>, tool: impl Into<String>, arguments: impl Into<String>) -> Self {
        Self { server, tool: tool.into(), arguments: arguments.into() }
    }
    fn event(&self, id: usize) -> HostEvent<'_> {
        let kind = HostEventKind::Call {
            id: Some(Cow::Owned(id.to_string())),
            server: self.server.as_deref().map(Cow::Borrowed),
            tool: Cow::Borrowed(&self.tool),
            arguments: JsonText::borrowed(&self.arguments),
        };
        HostEvent::new("try", 0, kind)
    }
}

/// What the gate sees in a call, and decides.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TriedAnswer {
    /// The tables and simple commands.
    pub reading: CallReading,
    /// The decision.
    pub document: GateDocument,
}

/// The rulings about calls, each in a session of its own.
///
/// # Errors
/// A limit on the game of all laws.
pub fn rulings_at_start(compiled: Arc<CompiledPolicy>, calls: &[TriedCall]) -> Result<Vec<Ruling>, Limit> {
    let mut solver = GateSolver::new(compiled, GateOptions::default(), &Budget::unlimited())?;
    let mut first = solver.session();
    solver.judge_beginning(&mut first);
    let events = calls.iter().enumerate().map(|(id, call)| call.event(id));
    Ok(events.map(|event| solver.propose(&mut first.clone(), &event).decision.ruling).collect())
}

/// Decides about each call: in a session of its own or, with `in_order`, in one session in which each call that is
/// allowed succeeds before the next one. What is around the calls is looked at as the policy says.
///
/// # Errors
/// A limit on the game of all laws.
pub fn try_calls(
    compiled: Arc<CompiledPolicy>,
    calls: &[TriedCall],
    in_order: bool,
    around: &Surroundings,
) -> Result<Vec<TriedAnswer>, Limit> {
    let mut solver = GateSolver::new(compiled, GateOptions::default(), &Budget::unlimited())?;
    let (mut session, mut answers) = (solver.session(), Vec::new());
    for (id, call) in calls.iter().enumerate() {
        if !in_order {
            session = solver.session();
        }
        let mut event = call.event(id);
        let from = Beginning { folder: around.folder.as_deref(), is_moved: false, is_pending: false };
        let (scripts, probes) = around.look(solver.compiled(), session.interpreter(), &event, from);
        let facts = OutsideFacts { probes, ..OutsideFacts::default() };
        (event.scripts, event.outside) = (scripts, (!facts.is_empty()).then(|| Arc::new(facts)));
        let reading = session.interpreter().reading(solver.compiled(), &event);
        let proposal = solver.propose(&mut session, &event);
        let is_made = proposal.decision.ruling < Ruling::Ask;
        let document = decided(&mut solver, &session, "try", &proposal.decision, Some(&event));
        if is_made {
            session.grant(&solver.compiled().clone(), proposal);
            let kind = HostEventKind::Result {
                call: Some(Cow::Owned(id.to_string())),
                outcome: CallOutcome::Ok,
                result: None,
            };
            solver.read_event(&mut session, &HostEvent { kind, ..event });
        } else {
            session.refuse(&proposal);
        }
        answers.push(TriedAnswer { reading, document });
    }
    Ok(answers)
}
