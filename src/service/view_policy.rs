//! `view POLICY [LOG]`: a page with the laws of a policy, their monitors, and their standing event by event.

use super::follow::{Following, OutsideEvent, ruling};
use super::policy::{laws_in_words, read_call};
use super::{ExampleWord, Failure, Input, LawInWords, LoadedPolicy, VERSION, ViewReport};
use crate::Session;
use std::collections::{BTreeMap, BTreeSet};
use tsl_synth_core::base::counted;
use tsl_synth_core::model::{HostEvent, HostEventKind, JsonText};
use tsl_synth_documents::{ActorStepDocument, FollowedEvent, FollowedRuling, FollowedSession};
use tsl_synth_emit::{PolicyPages, SessionsParts, emit_sessions, plain};
use tsl_synth_gate::{GateDocument, GateService, JournalEntry, MemoryJournal, TriedCall, told_records};
use tsl_synth_policy::language::{LawId, OnViolation, TraceMode};
use tsl_synth_seats::journal::JournalRecord;

/// Asks for the page of a policy.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PolicyViewRequest {
    /// The text of the policy.
    pub policy: Input,
    /// The log that is judged by it.
    pub log: Option<ViewedLog>,
    /// Calls to be judged instead of a log, each in a session of its own: shell commands, or JSON objects
    /// `{"tool": .., "arguments": ..}`.
    pub tried: Vec<String>,
}

impl PolicyViewRequest {
    /// Asks for the page of this policy.
    pub fn new(policy: Input) -> Self {
        Self { policy, log: None, tried: Vec::new() }
    }
}

/// Events with the recorded answers to them.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ViewedLog {
    /// The names of the files.
    pub name: String,
    /// The events, as `monitor` reads them.
    pub events: Vec<HostEvent<'static>>,
    /// For the journal of a gate, all records: the number of a record is the line of its event.
    pub records: Vec<JournalRecord>,
    /// For the record of an actor, its steps with their lines.
    pub steps: Vec<(u64, ActorStepDocument)>,
    /// Notes on parts that the log lacks or repeats.
    pub notes: Vec<String>,
}

impl ViewedLog {
    /// A log without events.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }
}

impl Session<'_> {
    /// The page of a policy.
    ///
    /// # Errors
    /// Errors of the text, a limit, or a journal that cannot be read.
    pub fn view_policy(&mut self, request: &PolicyViewRequest) -> Result<ViewReport, Failure> {
        self.deep(|session| session.view_policy_here(request))
    }

    fn view_policy_here(&mut self, request: &PolicyViewRequest) -> Result<ViewReport, Failure> {
        let loaded = self.policy_here(&request.policy)?;
        let name = request.policy.shown();
        let mut notes = vec![format!("Made by tsl-synth {VERSION} from {name}, sha256 {}.", loaded.sha256)];
        let pages = PolicyPages::new(&loaded.compiled)?;
        let tried = tried(&loaded, &request.tried)?;
        let sessions = match request.log.as_ref().or(tried.as_ref()) {
            Some(log) => self.sessions(&loaded, &name, &pages, log, &mut notes)?,
            None => Vec::new(),
        };
        let policy = &loaded.compiled.policy;
        if policy.laws.iter().any(|law| !law.for_each.is_empty()) {
            notes
                .push("Laws that are for each value have a copy for each; what is drawn is one copy.".into());
        }
        if policy.trace != TraceMode::PerEvent {
            notes
                .push("Truths and the action after them are in one letter: not each event is a step.".into());
        }
        let words = laws_in_words(&loaded.compiled);
        let ids = policy.laws.ids();
        let automata = ids.zip(&words).map(|(id, words)| pages.law(id, about(&loaded, id, words))).collect();
        let (offered, conflicts) = pages.offered();
        let about = match request.log.as_ref().or(tried.as_ref()) {
            Some(log) => format!("policy {}, {}", policy.name, log.name),
            None => format!("policy {}, {}", policy.name, counted(policy.laws.len(), "law")),
        };
        let parts = SessionsParts {
            title: name.clone(),
            version: VERSION.into(),
            about,
            kind: "law",
            automata,
            atoms: pages.atoms(),
            offered,
            conflicts,
            sessions,
            notes,
        };
        Ok(ViewReport { html: emit_sessions(parts)?, name, diagnostics: loaded.diagnostics })
    }

    /// The sessions of a log.
    fn sessions(
        &self,
        loaded: &LoadedPolicy,
        file: &str,
        pages: &PolicyPages<'_>,
        log: &ViewedLog,
        notes: &mut Vec<String>,
    ) -> Result<Vec<FollowedSession>, Failure> {
        notes.extend(log.notes.iter().cloned());
        let session = log.events.first().map_or("session", |event| event.session.as_ref()).to_owned();
        let told = told_records(&log.records, &session).map_err(Failure::unsupported)?;
        let is_recorded = !log.records.is_empty() || !log.steps.is_empty();
        let shield = if is_recorded { None } else { gate(loaded, file, notes) };
        let has_gate = shield.is_some();
        let conjunction = loaded.conjunction(&self.budget());
        let mut following = Following::new(&loaded.compiled, pages, conjunction.as_ref(), shield);
        let mut asides = asides(&told, &log.steps).into_iter().peekable();
        let said: BTreeMap<u64, FollowedRuling> =
            told.iter().filter_map(|one| Some((one.number, said(one)?))).collect();
        let parts: BTreeSet<u64> = told.iter().filter(|one| one.is_part).map(|one| one.number).collect();
        for event in &log.events {
            let is_last = matches!(event.kind, HostEventKind::Close);
            while let Some(aside) = asides.next_if(|aside| is_last || aside.before <= event.line) {
                following.aside(&session, aside.event);
            }
            // The events for the beginning and the end of a session have the line of another event.
            let is_decided = matches!(event.kind, HostEventKind::Call { .. } | HostEventKind::End);
            let is_own = is_decided && parts.contains(&event.line);
            following.event(event, if is_own { said.get(&event.line).cloned() } else { None });
        }
        for aside in asides {
            following.aside(&session, aside.event);
        }
        if has_gate {
            notes.push(
                "What the gate would say of a call is said as if all calls before it had been made.".into(),
            );
        }
        if !following.is_all_asked() {
            notes.push("The log has more calls than the gate was asked about.".into());
        }
        if told.iter().any(|one| one.policy.as_ref().is_some_and(|hash| *hash != loaded.sha256)) {
            notes.push(
                "The policy was edited since: the laws are those of now, the answers those of then.".into(),
            );
        }
        Ok(following.finish())
    }
}

/// A log with a session for each call that is tried; `None` if there are none.
fn tried(loaded: &LoadedPolicy, texts: &[String]) -> Result<Option<ViewedLog>, Failure> {
    let mut log = ViewedLog::new(match texts.len() {
        0 => return Ok(None),
        1 => "1 call".to_owned(),
        several => format!("{several} calls"),
    });
    for text in texts {
        let TriedCall { server, tool, arguments, .. } = read_call(&loaded.compiled.policy, None, text)?;
        let kind = HostEventKind::Call {
            id: Some("1".into()),
            server: server.map(Into::into),
            tool: tool.into(),
            arguments: JsonText(arguments.into()),
        };
        log.events.push(HostEvent::new(text.clone(), 1, kind));
    }
    Ok(Some(log))
}

/// The gate of a policy, unless its game is too hard.
fn gate(loaded: &LoadedPolicy, file: &str, notes: &mut Vec<String>) -> Option<GateService<MemoryJournal>> {
    match GateService::new(loaded.clone(), &loaded.sha256, file, MemoryJournal::default(), true) {
        Ok(shield) => Some(shield),
        Err((limit, _)) => {
            notes.push(format!("What the gate would say is not known: {}.", plain(&limit.to_string())));
            None
        }
    }
}

/// The description of a law: pairs of a title and a text.
fn about(loaded: &LoadedPolicy, id: LawId, words: &LawInWords) -> Vec<(&'static str, String)> {
    let law = &loaded.compiled.policy.laws[id];
    let mut about = vec![("Says", words.sentence.clone())];
    about.extend((!law.why.is_empty()).then(|| ("Why", law.why.clone())));
    about.extend(law.rule.clone().map(|rule| ("Rule", rule)));
    about.push(("Formula", law.ltl.clone()));
    let what = match law.on_violation {
        OnViolation::Deny => "it is refused",
        OnViolation::Ask => "a person is asked",
        OnViolation::Warn => "it passes with a warning",
        OnViolation::Log => "it passes and is recorded",
    };
    about.push(("A call that violates it", what.into()));
    let word = |word: &ExampleWord| {
        let letter = |letter: &Vec<String>| {
            if letter.is_empty() { "(nothing)".into() } else { letter.join(" & ") }
        };
        if word.is_empty() {
            "(no letter)".into()
        } else {
            word.iter().map(letter).collect::<Vec<_>>().join("; ")
        }
    };
    about.extend(words.accepted.as_ref().map(|own| ("Shortest that keeps it", word(own))));
    about.extend(words.rejected.as_ref().map(|own| ("Shortest that violates it", word(own))));
    about
}

/// The ruling of the gate in a record.
fn said(told: &JournalEntry) -> Option<FollowedRuling> {
    let verdict = told.verdict.as_ref()?;
    let text = |name: &str| verdict[name].as_str().unwrap_or_default().to_owned();
    let by = verdict["by"].as_array().into_iter().flatten();
    let mut document = GateDocument::new("verdict", "");
    document.verdict = Some(text("verdict"));
    document.reason = text("reason");
    document.by = by.filter_map(|law| law.as_str().map(str::to_owned)).collect();
    Some(FollowedRuling { then: true, ..ruling(&document) })
}

/// The entries of a journal or a record that are not events of the session.
fn asides(told: &[JournalEntry], steps: &[(u64, ActorStepDocument)]) -> Vec<OutsideEvent> {
    let mut asides = Vec::new();
    for one in told.iter().filter(|one| !one.is_part) {
        let event = FollowedEvent {
            line: one.number,
            kind: one.kind.into(),
            what: one.what.clone(),
            aside: true,
            ruling: said(one),
            ..FollowedEvent::default()
        };
        asides.push(OutsideEvent { before: one.number, event });
    }
    let mut before = 0;
    for (line, step) in steps {
        for refused in &step.refused {
            let event = FollowedEvent {
                line: *line,
                kind: "refused".into(),
                what: format!("step {}: {} is proposed", step.number, refused.action),
                aside: true,
                ruling: Some(FollowedRuling {
                    verdict: "deny".into(),
                    reason: refused.reason.clone(),
                    by: refused.by.clone(),
                    then: true,
                }),
                ..FollowedEvent::default()
            };
            asides.push(OutsideEvent { before, event });
        }
        if !step.core.is_empty() {
            let event = FollowedEvent {
                line: *line,
                kind: "stuck".into(),
                what: format!(
                    "step {}: these laws together leave no action: {}",
                    step.number,
                    step.core.join(", ")
                ),
                aside: true,
                ..FollowedEvent::default()
            };
            asides.push(OutsideEvent { before, event });
        }
        before = *line;
    }
    asides
}
