//! Scenarios: sessions in lines of the reference protocol, with the verdict that each step should have.
//!
//! ```json
//! {"scenario":"no push without tests"}
//! {"event":"message","role":"user","text":"Push it."}
//! {"event":"call","tool":"Bash","arguments":{"command":"git push"},"expect":"deny","by":["tests-before-push"],"reason":"Run the tests"}
//! {"event":"call","tool":"Bash","arguments":{"command":"cargo test"},"expect":"allow","ok":true,"result":{"stdout":""}}
//! {"event":"end","expect":"allow"}
//! ```
//!
//! A line `scenario` begins a new session. Events are those of the [reference protocol](tsl_synth_seats::gate). A call, or
//! the wish to stop, may say what is expected: the verdict, the laws that are named, and a part of the reason. With `ok` a
//! call that is granted ends at once, with this outcome and `result`.

use crate::decide::GateAnswer;
use crate::describe::describe;
use crate::journal::MemoryJournal;
use crate::records::{self, RecordKind};
use crate::service::GateService;
use crate::shared::SharedSolver;
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::collections::BTreeSet;
use tsl_synth_core::json_text::has_duplicate_keys;
use tsl_synth_core::model::{CallOutcome, HostEventKind, JsonText};
use tsl_synth_seats::gate::{GateRequest, event_json, read_request};
use tsl_synth_seats::journal::JournalRecord;

/// The names of verdicts.
const VERDICTS: &[&str] = &["allow", "warn", "ask", "deny"];

/// A session with the verdicts that its steps should have.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// Its name.
    pub name: String,
    steps: Vec<ScenarioStep>,
}

/// A step of a scenario.
#[derive(Clone, Debug)]
struct ScenarioStep {
    line: u64,
    request: GateRequest,
    expected: Expected,
    /// How the call ends if it is granted.
    end: Option<(CallOutcome, Option<JsonText<'static>>)>,
}

/// What is expected of an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Expected {
    verdict: Option<String>,
    by: Option<BTreeSet<String>>,
    reason: Option<String>,
}

/// A step as it was decided.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StepReport {
    /// The line of the file.
    pub line: u64,
    /// The step in a few words.
    pub what: String,
    /// The verdict, for steps that have one.
    pub verdict: Option<String>,
    /// The reason for it.
    pub reason: String,
    /// In what it differs from what was expected, in sentences.
    pub differences: Vec<String>,
}

/// A scenario that cannot be read or run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScenarioFault {
    /// The line of the file.
    pub line: u64,
    /// What is wrong.
    pub message: String,
}

impl std::fmt::Display for ScenarioFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for ScenarioFault {}

impl Scenario {
    /// Reads the scenarios of a file.
    ///
    /// # Errors
    /// A line that is no step, a file without steps, and expectations that nothing can meet.
    pub fn read(text: &str) -> Result<Vec<Self>, ScenarioFault> {
        let mut all: Vec<Self> = Vec::new();
        for (line, text) in (1..).zip(text.lines()) {
            let text = text.trim_start_matches('\u{feff}').trim();
            if text.is_empty() {
                continue;
            }
            let fault = |message: String| ScenarioFault { line, message };
            let mut fields: Map<String, Value> = serde_json::from_str(text)
                .map_err(|error| fault(format!("it is no JSON object: {error}")))?;
            if has_duplicate_keys(&JsonText::borrowed(text)) != Ok(false) {
                return Err(fault("a key is named twice".into()));
            }
            if let Some(name) = fields.remove("scenario") {
                let name = name.as_str().filter(|_| fields.is_empty()).map(str::to_owned);
                let name = name.ok_or_else(|| fault("`scenario` is a name, alone on its line".into()))?;
                all.push(Self { name, steps: Vec::new() });
                continue;
            }
            if all.is_empty() {
                all.push(Self { name: "scenario".into(), steps: Vec::new() });
            }
            let step = ScenarioStep::read(line, fields).map_err(fault)?;
            if let Some(last) = all.last_mut() {
                if let Some(id) = step.result_of().filter(|id| !last.has_call(id)) {
                    return Err(fault(format!("no call of the scenario before it has the id `{id}`")));
                }
                last.steps.push(step);
            }
        }
        if all.iter().all(|scenario| scenario.steps.is_empty()) {
            return Err(ScenarioFault { line: 1, message: "the file has no steps".into() });
        }
        Ok(all)
    }
    /// Whether some call so far has an id.
    fn has_call(&self, id: &str) -> bool {
        let is_call = |step: &ScenarioStep| matches!(step.event(), Some(HostEventKind::Call { id: Some(own), .. }) if own == id);
        self.steps.iter().any(is_call)
    }
    /// Decides the steps in a session of their own.
    ///
    /// # Errors
    /// A step that cannot be taken.
    pub fn run(&self, solver: &SharedSolver) -> Result<Vec<StepReport>, ScenarioFault> {
        let mut gate = GateService::sharing(solver.clone(), MemoryJournal::default(), false);
        self.steps.iter().map(|step| step.run(&mut gate)).collect()
    }
}

impl ScenarioStep {
    fn read(line: u64, mut fields: Map<String, Value>) -> Result<Self, String> {
        let expected = Expected::take(&mut fields)?;
        let is_call = matches!(fields.get("event").and_then(Value::as_str), Some("call" | "propose"));
        let mut end = None;
        if is_call {
            let result = fields.remove("result");
            end = match fields.remove("ok") {
                None if result.is_some() => {
                    return Err("a call with a `result` says whether it is `ok`".into());
                }
                None => None,
                Some(Value::Bool(true)) => Some(CallOutcome::Ok),
                Some(Value::Bool(false)) => Some(CallOutcome::Failed),
                Some(Value::Null) => Some(CallOutcome::Unknown),
                Some(_) => return Err("`ok` is true, false, or null for not known".into()),
            }
            .map(|outcome| (outcome, result.as_ref().map(JsonText::of)));
        }
        if is_call && !fields.contains_key("id") {
            fields.insert("id".into(), format!("line {line}").into());
        }
        let request = read_request(&Value::Object(fields).to_string(), line, SESSION).map_err(|bad| bad.0)?;
        let has_verdict = match &request {
            GateRequest::Event(event) => {
                matches!(event.kind, HostEventKind::Call { .. } | HostEventKind::End)
            }
            _ => false,
        };
        if !has_verdict && expected != Expected::default() {
            return Err("only calls and the `end` have a verdict to expect".into());
        }
        Ok(Self { line, request, expected, end })
    }
    /// The event, if it is one.
    fn event(&self) -> Option<&HostEventKind<'static>> {
        if let GateRequest::Event(event) = &self.request { Some(&event.kind) } else { None }
    }
    /// The id of the call whose result it is.
    fn result_of(&self) -> Option<&str> {
        if let Some(HostEventKind::Result { call, .. }) = self.event() { call.as_deref() } else { None }
    }
    fn run(&self, gate: &mut GateService<MemoryJournal>) -> Result<StepReport, ScenarioFault> {
        let fault = |message: String| ScenarioFault { line: self.line, message };
        let (answer, what, time) = match &self.request {
            GateRequest::Event(event) => (gate.event(event).map_err(fault)?, describe(event), event.time),
            GateRequest::Commit { ticket, outcome, result, time, .. } => {
                let done = gate.commit(SESSION, ticket, *outcome, result.clone(), *time);
                (done.map_err(fault)?, "a call ends".into(), *time)
            }
            GateRequest::SolverOptions { .. } => {
                return Err(fault("`options` is no step of a scenario".into()));
            }
        };
        if let (Some((outcome, result)), Some(ticket)) = (&self.end, &answer.document.ticket) {
            gate.commit(SESSION, ticket, *outcome, result.clone(), time).map_err(fault)?;
        }
        Ok(StepReport {
            line: self.line,
            what,
            verdict: answer.document.verdict.clone(),
            reason: answer.document.reason.clone(),
            differences: self.expected.differences(&answer),
        })
    }
}

/// The session of all steps.
const SESSION: &str = "scenario";

impl Expected {
    fn take(fields: &mut Map<String, Value>) -> Result<Self, String> {
        let text = |value: Option<Value>, key: &str| match value {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(format!("`{key}` is a text")),
        };
        let verdict = text(fields.remove("expect"), "expect")?;
        if let Some(verdict) = verdict.as_deref().filter(|verdict| !VERDICTS.contains(verdict)) {
            return Err(format!(
                "there is no verdict `{}`: they are {}",
                verdict.escape_debug(),
                VERDICTS.join(", ")
            ));
        }
        let by = match fields.remove("by") {
            None => None,
            Some(by) => {
                let laws: Option<BTreeSet<String>> = by
                    .as_array()
                    .and_then(|laws| laws.iter().map(|law| law.as_str().map(str::to_owned)).collect());
                Some(laws.ok_or("`by` is a list of laws")?)
            }
        };
        Ok(Self { verdict, by, reason: text(fields.remove("reason"), "reason")? })
    }
    fn differences(&self, answer: &GateAnswer) -> Vec<String> {
        let document = &answer.document;
        let mut all = Vec::new();
        let verdict = document.verdict.as_deref().unwrap_or("none");
        if let Some(expected) = self.verdict.as_deref().filter(|expected| *expected != verdict) {
            all.push(format!("the verdict is {verdict}, and {expected} was expected"));
        }
        let by: BTreeSet<String> = document.by.iter().cloned().collect();
        if let Some(expected) = self.by.as_ref().filter(|expected| **expected != by) {
            let words = |laws: &BTreeSet<String>| {
                let words: Vec<&str> = laws.iter().map(String::as_str).collect();
                if words.is_empty() { "no law".to_owned() } else { words.join(", ") }
            };
            all.push(format!("it is by {}, and {} was expected", words(&by), words(expected)));
        }
        if let Some(expected) = self.reason.as_deref().filter(|part| !document.reason.contains(part)) {
            all.push(format!("the reason does not have `{expected}`"));
        }
        all
    }
}

/// The scenario of a journal: its events, with the verdicts that were given.
///
/// # Errors
/// A record that cannot be read.
pub fn scenario_of(records: &[JournalRecord], name: &str) -> Result<String, String> {
    let mut text = format!("{}\n", serde_json::json!({ "scenario": name }));
    for record in records {
        let Some(kind) = RecordKind::of(&record.kind) else { continue };
        // A call that was proposed again changes nothing, and has the verdict of the first time.
        if matches!(kind, RecordKind::Policy | RecordKind::Again) {
            continue;
        }
        let bad = |why: String| format!("record {} of the journal: {why}", record.number);
        let event = records::event_text(record).map_err(|error| bad(error.to_string()))?;
        let GateRequest::Event(event) =
            read_request(&event, record.number, SESSION).map_err(|error| bad(error.0))?
        else {
            return Err(bad("it is no event".into()));
        };
        let mut step = event_json(&event);
        let data: Value = serde_json::from_str(&record.data).map_err(|error| bad(error.to_string()))?;
        let verdict = &data["verdict"];
        if let Some(own) = verdict["verdict"].as_str() {
            step.insert("expect".into(), own.into());
            if let Some(by) = verdict["by"].as_array().filter(|by| !by.is_empty()) {
                step.insert("by".into(), Cow::Borrowed(by).into_owned().into());
            }
        }
        text.push_str(&Value::Object(step).to_string());
        text.push('\n');
    }
    Ok(text)
}
