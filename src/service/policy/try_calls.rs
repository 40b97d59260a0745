//! `policy try`: what the tables of a policy see in a call, and what the gate decides about it.

use super::super::{Failure, Input, VERSION};
use crate::Session;
use serde_json::{Map, Value};
use std::sync::Arc;
use tsl_synth_core::diag::Diagnostics;
use tsl_synth_core::model::Pointer;
use tsl_synth_documents::{NearMiss, TriedCallDocument, TriedCommand, TriedTable, TryDocument};
use tsl_synth_gate::{LoadedPolicy, Surroundings, TriedAnswer, TriedCall, try_calls};
use tsl_synth_policy::CommandReading;
use tsl_synth_policy::language::{Match, Policy};
use tsl_synth_shell::Certainty;

/// The tool that a command is for, if a table about shell commands is about it.
const SHELL: &str = "Bash";

/// Asks what the gate would decide about calls.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TryRequest {
    /// The policy.
    pub policy: Input,
    /// The calls: shell commands, or JSON objects `{"tool": .., "arguments": ..}`.
    pub calls: Vec<String>,
    /// The tool that commands are for; else one of the policy.
    pub tool: Option<String>,
    /// Whether the calls are made in one session, each that is allowed succeeding before the next one.
    pub in_order: bool,
    /// What is around the calls; by default no script is read and no probe is run.
    pub around: Surroundings,
}

impl TryRequest {
    /// Asks about these calls, each in a session of its own.
    pub fn new(policy: Input, calls: Vec<String>) -> Self {
        Self { policy, calls, tool: None, in_order: false, around: Surroundings::default() }
    }
}

/// What the gate would decide.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TryReport {
    /// The calls with what the tables see and the decisions.
    pub document: TryDocument,
    /// Findings about the text of the policy.
    pub diagnostics: Diagnostics,
}

impl Session<'_> {
    /// Decides about calls without making them.
    ///
    /// # Errors
    /// Errors of the text of the policy, a call that cannot be read, or a limit.
    pub fn try_policy(&mut self, request: &TryRequest) -> Result<TryReport, Failure> {
        self.deep(|session| session.try_policy_here(request))
    }
    fn try_policy_here(&mut self, request: &TryRequest) -> Result<TryReport, Failure> {
        let LoadedPolicy { compiled, diagnostics, .. } = self.policy_here(&request.policy)?;
        let compiled = Arc::new(compiled);
        let read = |text: &String| read_call(&compiled.policy, request.tool.as_deref(), text);
        let calls: Vec<TriedCall> = request.calls.iter().map(read).collect::<Result<_, _>>()?;
        let answers = try_calls(compiled.clone(), &calls, request.in_order, &request.around)?;
        let table = |at: usize| -> (Option<u32>, Vec<String>) {
            let table = &compiled.policy.matches[at];
            // The lines of vocabularies are not those of the file.
            let line = compiled.policy.is_own(table).then(|| self.sources.positions(table.span).0.line);
            (line, compiled.policy.table_names(table))
        };
        let each = request.calls.iter().zip(&calls).zip(answers);
        let calls = each.map(|((text, call), answer)| document(text, call, answer, &table)).collect();
        let document = TryDocument::new(VERSION, &request.policy.shown(), calls);
        Ok(TryReport { document, diagnostics })
    }
}

fn document(
    text: &str,
    call: &TriedCall,
    answer: TriedAnswer,
    table: &dyn Fn(usize) -> (Option<u32>, Vec<String>),
) -> TriedCallDocument {
    let tried = |(at, certainty): (usize, Certainty)| {
        let (line, names) = table(at);
        TriedTable { line, names, is_certain: certainty == Certainty::Yes }
    };
    // A word of a vocabulary has many tables.
    let each_once = |tables: Vec<(usize, Certainty)>| {
        let mut once: Vec<TriedTable> = Vec::new();
        for own in tables.into_iter().map(tried) {
            match once.iter_mut().find(|other| (other.line, &other.names) == (own.line, &own.names)) {
                Some(other) => other.is_certain |= own.is_certain,
                None => once.push(own),
            }
        }
        once
    };
    let command = |command: CommandReading| TriedCommand {
        words: command.words,
        unreadable: command.opaque.map(str::to_owned),
        tables: each_once(command.tables),
        near: command
            .near
            .into_iter()
            .map(|(at, between)| {
                let (line, names) = table(at);
                NearMiss { line, names, between }
            })
            .collect(),
    };
    let reading = answer.reading;
    TriedCallDocument {
        call: text.to_owned(),
        tool: call.tool.clone(),
        verdict: answer.document.verdict.unwrap_or_default(),
        by: answer.document.by,
        reason: answer.document.reason,
        tables: each_once(reading.tables.into_iter().map(|at| (at, Certainty::Yes)).collect()),
        commands: reading.commands.into_iter().map(command).collect(),
    }
}

/// A call from a command or from a JSON object.
pub(crate) fn read_call(policy: &Policy, tool: Option<&str>, text: &str) -> Result<TriedCall, Failure> {
    if let Ok(Value::Object(mut fields)) = serde_json::from_str::<Value>(text) {
        let Some(Value::String(named)) = fields.remove("tool") else {
            return Err(Failure::unsupported("a call as JSON names its `tool`, a text"));
        };
        let server = fields.remove("server").and_then(|server| server.as_str().map(str::to_owned));
        let arguments = fields.remove("arguments").unwrap_or_else(|| Value::Object(Map::new()));
        if let Some(other) = fields.keys().next() {
            let shown = other.escape_default();
            return Err(Failure::unsupported(format!(
                "a call has `tool`, `arguments` and `server`, not `{shown}`"
            )));
        }
        return Ok(TriedCall::new(server, named, arguments.to_string()));
    }
    let accepts = |table: &Match, name: &str| {
        table.shell.is_some() && (table.tools.is_empty() || table.tools.iter().any(|glob| glob.matches(name)))
    };
    let literals = policy.matches.iter().filter(|table| table.shell.is_some());
    let mut literals = literals.flat_map(|table| &table.tools).filter_map(|glob| glob.literal());
    let name = match tool {
        Some(tool) => tool,
        None if policy.matches.iter().any(|table| accepts(table, SHELL)) => SHELL,
        None => literals.next().unwrap_or(SHELL),
    };
    let mut pointer = policy.matches.iter().filter(|table| accepts(table, name));
    let Some(pointer) = pointer.find_map(|table| Some(&table.shell.as_ref()?.pointer)) else {
        return Err(Failure::unsupported(format!(
            "no table of the policy is about shell commands of the tool `{}`: name another one with `--tool`, or give \
             the call as JSON, `{{\"tool\": \"..\", \"arguments\": {{..}}}}`",
            name.escape_default()
        )));
    };
    Ok(TriedCall::new(None, name, arguments(pointer, text).to_string()))
}

/// The arguments that have a text at a pointer.
fn arguments(pointer: &Pointer, text: &str) -> Value {
    let inner = pointer.within("arguments").unwrap_or_else(|| pointer.clone());
    let steps = inner.parts().iter().rev();
    steps.fold(Value::String(text.to_owned()), |value, step| {
        Value::Object(Map::from_iter([(step.to_string(), value)]))
    })
}
