//! `view RECORD` of an agent with a controller: the machine, with the recorded turns played, the questions and answers,
//! and the turns in which adherence was lost.

use super::agent::letter;
use super::simulate::{Playing, SimulateRequest};
use super::{
    Failure, Input, LoggedRun, Prefer, SolverOptions, SpecRequest, ViewReport, ViewRequest, adherence,
};
use crate::Session;
use serde_json::json;
use tsl_synth_core::diag::{Code, Diagnostic};
use tsl_synth_documents::{Record, TurnDocument};
use tsl_synth_emit::GivenPlay;
use tsl_synth_engine::mealy::Deviation;

/// Asks for the page of a record.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct StoryViewRequest {
    /// The specification of the agent.
    pub spec: SpecRequest,
    /// How it is solved.
    pub solver: SolverOptions,
    /// The name of the record.
    pub name: String,
    /// The record.
    pub record: Record,
}

/// The options of a story: its controller is the one that is found first.
fn first(solver: &SolverOptions) -> SolverOptions {
    SolverOptions { prefer: Prefer::Any, ..solver.clone() }
}

impl StoryViewRequest {
    /// Asks for the page of this record.
    pub fn new(spec: SpecRequest, name: impl Into<String>, record: Record) -> Self {
        Self { spec, solver: SolverOptions::default(), name: name.into(), record }
    }
}

fn bad_record(message: &str) -> Failure {
    Diagnostic::error(Code::BAD_RECORD, message).into()
}

impl Session<'_> {
    /// The page of a record.
    ///
    /// # Errors
    /// A record of another controller, errors of the specification, or a limit.
    pub fn view_story(&mut self, request: &StoryViewRequest) -> Result<ViewReport, Failure> {
        self.deep(|session| session.view_story_here(request))
    }

    fn view_story_here(&mut self, request: &StoryViewRequest) -> Result<ViewReport, Failure> {
        let record = &request.record;
        let asked =
            SimulateRequest { solver: first(&request.solver), ..SimulateRequest::new(request.spec.clone()) };
        let machine = self.simulate(&asked)?;
        if machine.id != record.header.machine_id {
            return Err(bad_record(
                "the record was made with another controller: its specification has changed",
            ));
        }
        let done: Vec<&TurnDocument> = record.turns.iter().filter(|turn| !turn.held).collect();
        // Another play begins where the controller restarted.
        let end = done.iter().skip(1).position(|turn| turn.resynchronized).map_or(done.len(), |i| i + 1);
        let played = &done[..end];
        let letters: Vec<_> = played.iter().map(|turn| letter(turn)).collect();
        let text = json!({ "prefix": letters }).to_string();
        let mut playing = Playing::new(&machine, 0, false);
        if !letters.is_empty() {
            let script = self.script(&machine, &Input::Text { name: request.name.clone(), text })?;
            match playing.follow(&script, false, &mut |_| {}) {
                Ok(()) => {}
                Err(Deviation::TooLong(limit)) => return Err(limit.into()),
                Err(_) => return Err(bad_record("the controller does not do what the record says")),
            }
        }
        let document = playing.document(None);
        let trace = serde_json::to_value(&document)
            .map_err(|error| Failure::internal(format!("JSON of a trace: {error}")))?;
        let mut notes = told(request);
        if end < done.len() {
            let turn = done[end].number;
            notes.push(format!("In turn {turn} the controller restarted: the page has the turns before."));
        }
        let play = GivenPlay {
            name: request.name.clone(),
            trace,
            remarks: played.iter().map(|turn| remarks(turn)).collect(),
            notes,
            ..GivenPlay::default()
        };
        let inner = ViewRequest { solver: first(&request.solver), ..ViewRequest::new(request.spec.clone()) };
        self.view_play(&inner, Some(&play), None)
    }
}

/// The summary of the record.
fn told(request: &StoryViewRequest) -> Vec<String> {
    let record = &request.record;
    let found = adherence(&[LoggedRun::new(request.name.clone(), record)]);
    let mut notes = vec![format!(
        "{} records {} turns; turns in which nothing was chosen are not steps.",
        request.name, found.turns
    )];
    for violation in &found.violations {
        let blame = match (&violation.broken, &violation.given_up) {
            (Some((turn, assumption)), _) => {
                format!("; `{assumption}` was broken in turn {turn}")
            }
            (None, Some((turn, assumption))) => {
                format!("; the agent made `{assumption}` impossible in turn {turn}")
            }
            (None, None) => String::new(),
        };
        notes.push(format!("Turn {} violates `{}`{blame}.", violation.turn, violation.guarantee));
    }
    if found.violations.is_empty() {
        notes.push("No guarantee was violated.".into());
    }
    for point in &found.points {
        notes.push(format!(
            "`{}` was kept after `{}` in {} of {} turns ({:.0} %).",
            point.predicate,
            point.update,
            point.kept,
            point.asked,
            point.percent()
        ));
    }
    if let Some(end) = &record.end {
        let text = if end.text.is_empty() { String::new() } else { format!(": {}", end.text) };
        notes.push(format!("The run ended: {}{text}.", end.reason));
    }
    notes
}

/// The messages, answers and violations of a turn: pairs of a title and a text.
fn remarks(turn: &TurnDocument) -> Vec<(String, String)> {
    let mut remarks = Vec::new();
    let mut add = |title: &str, text: String| remarks.push((title.to_owned(), text));
    if !turn.message.is_empty() {
        add("the user says", turn.message.clone());
    }
    let asked = turn.inputs.iter().filter(|(name, _)| !turn.not_asked.contains(name));
    let asked: Vec<String> =
        asked.map(|(name, holds)| format!("{}{name}", if *holds { "" } else { "!" })).collect();
    if !asked.is_empty() {
        add("the model answers", asked.join(", "));
    }
    for (cell, value) in &turn.values {
        add(cell, value.clone());
    }
    for (cell, count) in &turn.discarded {
        add("discarded", format!("{count} texts for {cell}"));
    }
    for (title, clauses) in [
        ("✗ broken assumption", &turn.broken),
        ("✗ given up", &turn.given_up),
        ("✗ violated guarantee", &turn.violated),
    ] {
        for clause in clauses {
            add(title, clause.clone());
        }
    }
    remarks
}
