//! Sessions of a log for pages: after each event the standing of each law and the states of its monitor, and for each
//! call the ruling of the gate.

use std::collections::BTreeMap;
use tsl_synth_core::base::Id;
use tsl_synth_core::model::{HostEvent, HostEventKind, LawStatus};
use tsl_synth_documents::{ActiveState, FollowedEvent, FollowedMove, FollowedRuling, FollowedSession};
use tsl_synth_emit::PolicyPages;
use tsl_synth_gate::{GateDocument, GateService, MemoryJournal, describe};
use tsl_synth_policy::language::{LawId, LawKind};
use tsl_synth_policy::{
    CompiledPolicy, Conjunction, Copies, Interpreter, LawState, PolicyMonitor, PossibleState,
};

/// The number of copies of a law that are listed for one state.
const LISTED: usize = 6;
/// Laws with more copies are shown without them.
const MOST_COPIES: usize = 400;
/// The maximal number of calls that the gate rules on.
const MOST_RULINGS: usize = 2_000;

/// An event of a page that is not part of the session.
#[derive(Clone, Debug)]
pub(super) struct OutsideEvent {
    /// It is shown before the first event whose line number is at least this one.
    pub(super) before: u64,
    /// The event.
    pub(super) event: FollowedEvent,
}

/// Builds sessions from their events.
pub(super) struct Following<'p> {
    compiled: &'p CompiledPolicy,
    pages: &'p PolicyPages<'p>,
    conjunction: Option<&'p Conjunction>,
    interpreter: Interpreter,
    shield: Option<GateService<MemoryJournal>>,
    asked: usize,
    running: BTreeMap<String, FollowedRun<'p>>,
    sessions: Vec<FollowedSession>,
}

struct FollowedRun<'p> {
    monitor: PolicyMonitor<'p>,
    number: usize,
    moves: Vec<FollowedMove>,
    joint: String,
    violated: Vec<bool>,
}

impl<'p> Following<'p> {
    /// Begins without sessions. Without a shield, calls have no new rulings.
    pub(super) fn new(
        compiled: &'p CompiledPolicy,
        pages: &'p PolicyPages<'p>,
        conjunction: Option<&'p Conjunction>,
        shield: Option<GateService<MemoryJournal>>,
    ) -> Self {
        Self {
            compiled,
            pages,
            conjunction,
            interpreter: Interpreter::new(compiled),
            shield,
            asked: 0,
            running: BTreeMap::new(),
            sessions: Vec::new(),
        }
    }

    /// Adds an event; `ruling` is the ruling that was recorded for it.
    pub(super) fn event(&mut self, event: &HostEvent<'_>, ruling: Option<FollowedRuling>) {
        let ruling = ruling.or_else(|| self.ruling(event));
        let (compiled, pages) = (self.compiled, self.pages);
        let running = self.running.entry(event.session.to_string()).or_insert_with(|| {
            // An aside before its first event may have created the session already.
            let is_begun = self.sessions.last().is_some_and(|last| last.events.iter().all(|one| one.aside));
            if !is_begun {
                let name = event.session.to_string();
                self.sessions.push(FollowedSession { name, ..FollowedSession::default() });
            }
            FollowedRun::new(compiled, self.interpreter.another(), self.conjunction, self.sessions.len() - 1)
        });
        let step = running.monitor.event(event);
        let mut followed = FollowedEvent {
            line: event.line,
            kind: kind(event).into(),
            what: describe(event),
            letters: step.letters.iter().map(|letter| pages.letter(letter)).collect(),
            notes: step.faults.iter().map(ToString::to_string).collect(),
            ruling,
            ..FollowedEvent::default()
        };
        if step.unmatched {
            followed.notes.push("no table names this call".into());
        }
        for id in compiled.policy.laws.ids() {
            let place = id.index();
            let now = moved(compiled, &running.monitor, id);
            let is_violated = running.monitor.standing(id).sure() == Some(LawStatus::Violated);
            if is_violated && !running.violated[place] {
                running.violated[place] = true;
                followed.violated.push(place);
            }
            if now != running.moves[place] {
                running.moves[place] = now.clone();
                followed.moves.push(now);
            }
        }
        let joint = running.monitor.joint().words();
        if joint != running.joint {
            running.joint.clone_from(&joint);
            followed.joint = Some(joint);
        }
        if step.ends {
            let owes = |id: &LawId| {
                compiled.policy.laws[*id].kind == LawKind::Hard
                    && running.monitor.standing(*id).worst == LawStatus::CurrentlyViolated
            };
            followed.owed = Some(compiled.policy.laws.ids().filter(owes).map(Id::index).collect());
        }
        self.sessions[running.number].events.push(followed);
        if step.closes {
            self.running.remove(event.session.as_ref());
        }
    }

    /// The ruling of the gate on a call or a request to stop, provided that everything before was let through.
    fn ruling(&mut self, event: &HostEvent<'_>) -> Option<FollowedRuling> {
        let shield = self.shield.as_mut()?;
        let is_asked = matches!(event.kind, HostEventKind::Call { .. } | HostEventKind::End);
        self.asked += usize::from(is_asked);
        if self.asked > MOST_RULINGS {
            self.shield = None;
            return None;
        }
        match shield.event(event) {
            Ok(answer) if is_asked => Some(ruling(&answer.document)),
            Err(reason) if is_asked => {
                Some(FollowedRuling { verdict: "deny".into(), reason, ..FollowedRuling::default() })
            }
            _ => None,
        }
    }

    /// Whether the gate has ruled on all calls.
    pub(super) fn is_all_asked(&self) -> bool {
        self.asked <= MOST_RULINGS
    }

    /// Adds an event that is not part of the session, to the last session or a new one.
    pub(super) fn aside(&mut self, session: &str, event: FollowedEvent) {
        if self.sessions.is_empty() {
            self.sessions.push(FollowedSession { name: session.into(), ..FollowedSession::default() });
        }
        if let Some(last) = self.sessions.last_mut() {
            last.events.push(event);
        }
    }

    /// The sessions, in the order of their first events.
    pub(super) fn finish(self) -> Vec<FollowedSession> {
        self.sessions
    }
}

impl<'p> FollowedRun<'p> {
    fn new(
        compiled: &'p CompiledPolicy,
        interpreter: Interpreter,
        conjunction: Option<&'p Conjunction>,
        number: usize,
    ) -> Self {
        let monitor = PolicyMonitor::with_interpreter(compiled, interpreter).with_conjunction(conjunction);
        let moves = compiled.policy.laws.ids().map(|id| moved(compiled, &monitor, id)).collect();
        let laws = compiled.policy.laws.len();
        // Empty, so that the first event reports the joint standing.
        Self { monitor, number, moves, joint: String::new(), violated: vec![false; laws] }
    }
}

/// The kind of an event in documents.
fn kind(event: &HostEvent<'_>) -> &'static str {
    match event.kind {
        HostEventKind::Start => "start",
        HostEventKind::Message { .. } => "message",
        HostEventKind::Call { .. } => "call",
        HostEventKind::Result { .. } => "result",
        HostEventKind::Observe { .. } => "observe",
        HostEventKind::Step { .. } => "step",
        HostEventKind::Tick => "tick",
        HostEventKind::End => "end",
        HostEventKind::Close => "close",
        HostEventKind::Untold(_) => "untold",
    }
}

/// The ruling in an answer of the gate.
pub(super) fn ruling(document: &GateDocument) -> FollowedRuling {
    FollowedRuling {
        verdict: document.verdict.clone().unwrap_or_default(),
        reason: document.reason.clone(),
        by: document.by.clone(),
        then: false,
    }
}

/// The standing of a law, and the states of its monitor.
fn moved(compiled: &CompiledPolicy, monitor: &PolicyMonitor<'_>, law: LawId) -> FollowedMove {
    let mut states: BTreeMap<u32, ActiveState> = BTreeMap::new();
    for world in monitor.worlds() {
        add_states(world, law, &mut states);
    }
    debug_assert!(law.index() < compiled.policy.laws.len(), "a law of the policy");
    FollowedMove {
        of: law.index(),
        standing: monitor.standing(law).words(),
        at: states.into_values().collect(),
    }
}

fn add_states(world: &PossibleState, law: LawId, states: &mut BTreeMap<u32, ActiveState>) {
    let mut place = |state: u32, copy: Option<String>| {
        let own = states.entry(state).or_insert(ActiveState { state, copies: Vec::new(), more: 0 });
        match copy {
            Some(copy) if own.copies.contains(&copy) => {}
            Some(copy) if own.copies.len() < LISTED => own.copies.push(copy),
            Some(_) => own.more += 1,
            None => {}
        }
    };
    match world.law(law) {
        LawState::One(state) => place(*state, None),
        LawState::Each(copies) if copies.len() > MOST_COPIES => {
            for state in copies.states() {
                place(state, None);
            }
        }
        LawState::Each(copies) => {
            for (key, state) in copies.iter() {
                place(state, Some(copy_name(copies, key)));
            }
        }
    }
}

/// The values that a copy is bound to.
fn copy_name(copies: &Copies, key: &[Option<Box<str>>]) -> String {
    let bound = copies.names().iter().zip(key);
    let bound: Vec<String> =
        bound.filter_map(|(name, value)| Some(format!("{name}={}", value.as_ref()?))).collect();
    if bound.is_empty() { "any other value".into() } else { bound.join(", ") }
}
