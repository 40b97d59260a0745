//! The sessions of a log against which `check --against` checks a policy.

use super::super::{Failure, RunEvents};
use std::collections::BTreeMap;
use tsl_synth_core::logic::Letter;
use tsl_synth_core::model::{CallOutcome, HostEvent, HostEventKind, Speaker};
use tsl_synth_policy::analysis::RecordedSession;
use tsl_synth_policy::language::{LawAtom, LawId, Named};
use tsl_synth_policy::{CompiledPolicy, PolicyMonitor, StandingRange};

/// A session against which a policy is checked.
#[derive(Clone, Debug, Default)]
pub struct LoggedSession {
    /// Its name.
    pub name: String,
    /// Its letters, with the propositions of registers.
    pub letters: Vec<Letter>,
    /// Thoughts of the agent and texts of failed calls, each with the number of letters before it.
    pub notes: Vec<(usize, String)>,
    /// Goals that the environment reported, each with the number of letters before.
    pub reached: Vec<(usize, String)>,
    /// The values that each letter is bound to; letters past the end are bound to none.
    pub bindings: Vec<Vec<(String, String)>>,
    /// The standings, at the end, of the laws about which the log leaves something open.
    pub open: BTreeMap<LawId, StandingRange>,
}

impl RecordedSession for LoggedSession {
    fn name(&self) -> &str {
        &self.name
    }
    fn letters(&self) -> &[Letter] {
        &self.letters
    }
    fn bindings(&self, letter: usize) -> &[(String, String)] {
        self.bindings.get(letter).map_or(&[], Vec::as_slice)
    }
    fn standing(&self, law: LawId) -> Option<StandingRange> {
        self.open.get(&law).copied()
    }
}

/// The sessions against which a policy is checked.
#[derive(Clone, Debug, Default)]
pub struct LoggedSessions {
    /// The sessions.
    pub sessions: Vec<LoggedSession>,
    /// Tools whose calls no table matches, and how many calls.
    pub unmatched: BTreeMap<String, u64>,
    /// Names of observations that the policy does not have, and how often they occur.
    pub unknown: BTreeMap<String, u64>,
}

impl LoggedSessions {
    /// The sessions of runs, each with its name.
    pub fn of_runs(compiled: &CompiledPolicy, runs: impl IntoIterator<Item = (String, RunEvents)>) -> Self {
        let mut builder = LoggedSessionsBuilder::new(compiled);
        for (name, run) in runs {
            let mut goals = run.goals.into_iter().peekable();
            for (at, kind) in run.events.into_iter().enumerate() {
                builder.event(&HostEvent::new(name.as_str(), 0, kind));
                while let Some((_, goal)) = goals.next_if(|(after, _)| *after <= at + 1) {
                    builder.reached(&name, goal);
                }
            }
        }
        builder.finish()
    }

    /// The names of the actions and propositions, in the order of the policy, that no session has. Those that registers
    /// compute are left out.
    pub(super) fn never_seen(&self, compiled: &CompiledPolicy) -> Vec<LawAtom> {
        let atoms = &compiled.policy.atoms;
        let mut seen = Letter::new();
        for letter in self.sessions.iter().flat_map(|session| &session.letters) {
            seen.union_with(letter);
        }
        let is_seen = |atom| seen.contains(atoms.bit(atom));
        let propositions = atoms.propositions.enumerate().filter(|(_, own)| !own.is_computed);
        let propositions = propositions
            .filter(|&(id, _)| !is_seen(LawAtom::Proposition(id)) && !is_seen(LawAtom::Clear(id)))
            .map(|(id, _)| LawAtom::Proposition(id));
        let actions = atoms.actions.ids().map(LawAtom::Call).filter(|&atom| !is_seen(atom));
        propositions.chain(actions).collect()
    }
}

/// Longer texts are cut in notes.
const NOTE: usize = 300;

/// The thought of an agent, or the text of a failed call.
fn note(kind: &HostEventKind<'_>) -> Option<String> {
    let (what, text) = match kind {
        HostEventKind::Message { speaker: Speaker::Agent, text } => ("said", text.to_string()),
        HostEventKind::Result { outcome: CallOutcome::Failed, result: Some(result), .. } => {
            let value: Option<serde_json::Value> = serde_json::from_str(result.as_str()).ok();
            let text = value.as_ref().and_then(serde_json::Value::as_str).unwrap_or(result.as_str());
            ("error", text.to_string())
        }
        _ => return None,
    };
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let cut: String = line.chars().take(NOTE).collect();
    let more = if cut.len() < line.len() { " .." } else { "" };
    (!line.is_empty() && line != "null").then(|| format!("{what}: {cut}{more}"))
}

/// A port that gives the sessions against which a policy is checked; it gets the compiled policy, as letters depend on
/// it.
pub type LoadSessions<'p> = dyn Fn(&CompiledPolicy) -> Result<LoggedSessions, Failure> + Sync + 'p;

/// Builds the sessions of a log: events become letters.
pub struct LoggedSessionsBuilder<'p> {
    compiled: &'p CompiledPolicy,
    running: BTreeMap<String, (PolicyMonitor<'p>, LoggedSession)>,
    /// Whether the last event is part of a letter that is not complete yet.
    is_pending: bool,
    log: LoggedSessions,
}

impl<'p> LoggedSessionsBuilder<'p> {
    /// Starts without sessions.
    pub fn new(compiled: &'p CompiledPolicy) -> Self {
        Self { compiled, running: BTreeMap::new(), is_pending: false, log: LoggedSessions::default() }
    }
    /// Adds an event.
    pub fn event(&mut self, event: &HostEvent<'_>) {
        let compiled = self.compiled;
        let name = event.session.to_string();
        let (monitor, session) = self.running.entry(name.clone()).or_insert_with(|| {
            (PolicyMonitor::new(compiled), LoggedSession { name, ..LoggedSession::default() })
        });
        let step = monitor.event(event);
        self.is_pending = step.letters.is_empty();
        for seen in step.letters {
            session.letters.push(seen.letter);
            session.bindings.push(seen.bindings);
        }
        if let Some(note) = note(&event.kind) {
            session.notes.push((session.letters.len(), note));
        }
        match &event.kind {
            HostEventKind::Call { tool, .. } if step.unmatched => {
                *self.log.unmatched.entry(tool.to_string()).or_default() += 1;
            }
            HostEventKind::Observe { truths, .. } => {
                for name in truths.keys() {
                    self.name(name);
                }
            }
            HostEventKind::Step { props, action, .. } => {
                for name in props.iter().chain(action) {
                    self.name(name);
                }
            }
            _ => {}
        }
        if step.closes
            && let Some((monitor, mut session)) = self.running.remove(event.session.as_ref())
        {
            let standings = compiled.policy.laws.ids().map(|law| (law, monitor.standing(law)));
            session.open = standings.filter(|(_, standing)| standing.sure().is_none()).collect();
            self.log.sessions.push(session);
        }
    }
    /// The environment reports with the last event that a session reached a goal.
    fn reached(&mut self, name: &str, goal: String) {
        if let Some((_, session)) = self.running.get_mut(name) {
            session.reached.push((session.letters.len() + usize::from(self.is_pending), goal));
        }
    }
    fn name(&mut self, name: &str) {
        let known = self.compiled.policy.atoms.named(name);
        if !matches!(known, Some(Named::Proposition(_) | Named::Action(_) | Named::Result(..))) {
            *self.log.unknown.entry(name.to_string()).or_default() += 1;
        }
    }
    /// All sessions; those that are still open are closed.
    pub fn finish(mut self) -> LoggedSessions {
        for name in self.running.keys().cloned().collect::<Vec<_>>() {
            self.event(&HostEvent::new(name, 0, HostEventKind::Close));
        }
        self.log
    }
}
