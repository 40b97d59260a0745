//! `view AGENT` and `view RECORD` of a behavior: its automaton, followed state by state.

use super::{Failure, Input, VERSION, ViewReport};
use crate::Session;
use tsl_synth_agents::behavior::Behavior;
use tsl_synth_core::base::{Id, counted};
use tsl_synth_documents::{ActiveState, FollowedEvent, FollowedMove, FollowedSession, StateDocument};
use tsl_synth_emit::{SessionsParts, emit_sessions, followed_behavior};

/// Asks for the page of a behavior.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct BehaviorViewRequest {
    /// The `.agent` text.
    pub agent: Input,
    /// A recorded run: the name of its file, its states, and why it ended.
    pub run: Option<(String, Vec<StateDocument>, Option<String>)>,
}

impl BehaviorViewRequest {
    /// Asks for the page of this behavior.
    pub fn new(agent: Input) -> Self {
        Self { agent, run: None }
    }
}

impl Session<'_> {
    /// The page of a behavior.
    ///
    /// # Errors
    /// Errors of the text, or a behavior that is invalid or too large.
    pub fn view_behavior(&mut self, request: &BehaviorViewRequest) -> Result<ViewReport, Failure> {
        let (behavior, diagnostics) = self.behavior(&request.agent, None)?;
        let name = request.agent.shown();
        let run = request.run.as_ref();
        let session = run.map(|(file, states, end)| session(&behavior, file, states, end.as_deref()));
        let count = behavior.automaton().size() - 1;
        let mut about = format!("behavior {}, {}", behavior.spec().name, counted(count, "state"));
        if let Some((file, ..)) = run {
            about = format!("behavior {}, {file}", behavior.spec().name);
        }
        let says = behavior.spec().states.iter().map(|state| state.name.as_str());
        let says = vec![("States", says.collect::<Vec<_>>().join(", "))];
        let parts = SessionsParts {
            title: name.clone(),
            version: VERSION.into(),
            about,
            kind: "behavior",
            automata: vec![followed_behavior(&behavior, says)],
            atoms: Vec::new(),
            offered: Vec::new(),
            conflicts: Vec::new(),
            sessions: session.into_iter().collect(),
            notes: vec![format!("Made by tsl-synth {VERSION} from {name}.")],
        };
        Ok(ViewReport { html: emit_sessions(parts)?, name, diagnostics })
    }
}

/// A recorded run.
fn session(behavior: &Behavior, file: &str, states: &[StateDocument], end: Option<&str>) -> FollowedSession {
    let mut events = Vec::new();
    let mut node = behavior.automaton().start();
    for state in states {
        let id = behavior.spec().states.enumerate().find(|(_, own)| own.name == state.state);
        let next = id.and_then(|(id, _)| behavior.automaton().step(node, id));
        let mut event = FollowedEvent {
            line: state.number as u64 + 1,
            kind: state.entered.clone(),
            what: format!("{} ({}): {}", state.state, state.author, state.text),
            ..FollowedEvent::default()
        };
        if let Some(next) = next {
            node = next;
            let state = ActiveState { state: next.index() as u32, copies: Vec::new(), more: 0 };
            event.moves.push(FollowedMove { of: 0, standing: String::new(), at: vec![state] });
        } else {
            event.aside = true;
            event.notes.push(format!("{} may not come here", state.state));
        }
        events.push(event);
        if let Some(removed) = &state.removed {
            events.push(FollowedEvent {
                line: state.number as u64 + 1,
                kind: "removed".into(),
                what: format!("the text went on with {removed}, which may not come here: that was taken out"),
                aside: true,
                ..FollowedEvent::default()
            });
        }
    }
    if let Some(end) = end {
        let line = states.len() as u64;
        let (kind, what) = ("end".into(), end.into());
        events.push(FollowedEvent { line, kind, what, aside: true, ..FollowedEvent::default() });
    }
    FollowedSession { name: file.into(), automata: Vec::new(), events }
}
