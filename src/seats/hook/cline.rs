//! The dialect of Cline (`@cline/core` 0.0.86 of its version 3, and the hooks of the versions before).
//!
//! - A hook is a file with the name of the event. Version 3 ignores its exit code and output that is not JSON, so every
//!   denial is JSON, and our files print a denial if the gate crashes or is missing.
//! - Version 3 has objects with other names (`tool_call`) beside those of the older versions (`preToolUse`), in which
//!   every argument is a string; if both are given, `tool_call` counts, since it has the id of the call.
//! - `run_commands` has a list of commands, which run at the same time; policies read them as one line, in `command`.
//! - Cline does not wait for the answer to a prompt or to the end of a task. A denied call ends the run in version 3.

use super::dialect::{
    HookDialect, HostAction, HostFacts, Sample, SettingsForm, SettingsLocation, event, joined,
};
use super::fields::{FieldSlot, HookFields, marked};
use super::reply::{HookReply, NO_ANSWER, not_asked};
use super::{HookKind, HookPayload, lines};
use crate::log::shared::{self, LenientObject};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Value, json};
use tsl_synth_core::model::{CallOutcome, JsonText, Ruling};

const GAPS: &[&str] = &[
    "A hook that is too slow is no denial, and no setting changes that. One that crashes or is not there (exit code 127) is \
     a denial only because our file makes one of it.",
    "It ignores the exit code of a hook and output that is no JSON: then the call runs.",
    "From version 3 on a denial ends the run: the model reads why in the next one.",
    "The end of a task is not asked about, so that what is owed is only recorded.",
    "Prompts are told while the run goes on, or not at all: rules about what the user said may not hold.",
    "Before version 3 it does not tell how a command ended, and reads the hooks of the user in `~/Documents/Cline/Hooks`: \
     there install with `--scope project`.",
    "On Windows older versions have no hooks.",
    "It cannot ask a person from a hook: what a policy answers with `ask` is refused.",
];

const FACTS: HostFacts = HostFacts {
    name: "cline",
    title: "Cline",
    gaps: GAPS,
    on_failure: "Cline lets the call run",
    after_install: "",
    block_setting: None,
    starts_by_cmd: false,
    shells: &["execute_command", "run_commands"],
    events: &[
        event("TaskStart", 30),
        event("UserPromptSubmit", 30),
        event("PreToolUse", 30),
        event("PostToolUse", 30),
        event("SessionShutdown", 30),
    ],
    timeout: ("timeout", 1),
    place: SettingsLocation {
        layout: SettingsForm::Files,
        variables: &[("CLINE_DIR", "")],
        folder: ".cline",
        user: "hooks",
        project: ".clinerules/hooks",
    },
    switches: &[],
    harmless: &[
        "TaskStart",
        "TaskResume",
        "TaskCancel",
        "TaskComplete",
        "TaskError",
        "UserPromptSubmit",
        "PostToolUse",
        "PreCompact",
        "SessionShutdown",
        "agent_start",
        "agent_resume",
        "agent_abort",
        "agent_end",
        "agent_error",
        "prompt_submit",
        "tool_result",
        "session_shutdown",
    ],
    silent: &[],
};

const KEYS: &[(&str, FieldSlot)] = &[
    ("hookName", FieldSlot::Event),
    ("taskId", FieldSlot::Session),
    ("agent_id", FieldSlot::Agent),
    ("parent_agent_id", FieldSlot::Parent),
    ("sessionContext", FieldSlot::Context),
    ("preToolUse", FieldSlot::Before),
    ("postToolUse", FieldSlot::After),
    ("userPromptSubmit", FieldSlot::Path),
    ("tool_call", FieldSlot::Inner),
    ("tool_result", FieldSlot::Command),
];
const BEFORE: &[(&str, FieldSlot)] = &[("toolName", FieldSlot::Tool), ("parameters", FieldSlot::Input)];
const AFTER: &[(&str, FieldSlot)] = &[
    ("toolName", FieldSlot::Tool),
    ("parameters", FieldSlot::Input),
    ("result", FieldSlot::Response),
    ("success", FieldSlot::Status),
];
const CALL: &[(&str, FieldSlot)] = &[
    ("id", FieldSlot::Call),
    ("name", FieldSlot::Tool),
    ("input", FieldSlot::Input),
    ("output", FieldSlot::Response),
    ("error", FieldSlot::Error),
];
const MCP: &[(&str, FieldSlot)] = &[
    ("server_name", FieldSlot::Server),
    ("tool_name", FieldSlot::ServerTool),
    ("arguments", FieldSlot::Input),
];
const PROMPT: &[(&str, FieldSlot)] = &[("prompt", FieldSlot::Prompt)];
const CONTEXT: &[(&str, FieldSlot)] = &[("rootSessionId", FieldSlot::Session)];

pub(super) struct Cline;

impl HookDialect for Cline {
    fn facts(&self) -> &'static HostFacts {
        &FACTS
    }
    fn keys(&self) -> &'static [(&'static str, FieldSlot)] {
        KEYS
    }
    fn unfold(&self, fields: &mut HookFields<'_>) -> Result<(), String> {
        let parts = [
            (FieldSlot::Before, BEFORE),
            (FieldSlot::After, AFTER),
            (FieldSlot::Path, PROMPT),
            // These have precedence over the parts before.
            (FieldSlot::Inner, CALL),
            (FieldSlot::Command, CALL),
            (FieldSlot::Context, CONTEXT),
        ];
        for (slot, keys) in parts {
            let inner = fields.inner(slot, keys)?;
            for (_, slot) in keys {
                fields.set(*slot, inner.get(*slot));
            }
        }
        // The tools of MCP servers are arguments of one tool.
        if fields.text(FieldSlot::Tool).as_deref() == Some("use_mcp_tool") {
            let inner = fields.inner(FieldSlot::Input, MCP)?;
            for (_, slot) in MCP {
                fields.set(*slot, inner.get(*slot));
            }
        }
        // Only subagents keep the name of their agent.
        if fields.given(FieldSlot::Parent).is_none() {
            fields.clear(FieldSlot::Agent);
        }
        Ok(())
    }
    /// Prompts are told while the run goes on.
    fn waits_at_prompts(&self) -> bool {
        false
    }
    fn kind(&self, event: &str) -> HookKind {
        match event {
            "TaskStart" | "agent_start" => HookKind::Start,
            "UserPromptSubmit" | "prompt_submit" => HookKind::Prompt,
            "PreToolUse" | "tool_call" => HookKind::Call,
            "PostToolUse" | "tool_result" => HookKind::Result,
            "SessionShutdown" | "session_shutdown" => HookKind::Close,
            _ => HookKind::Other,
        }
    }
    fn outcome(&self, _: &str, fields: &HookFields<'_>) -> CallOutcome {
        let failed = fields.get(FieldSlot::Status).is_some_and(|raw| raw.get() == "false");
        if failed || fields.given(FieldSlot::Error).is_some() {
            return CallOutcome::Failed;
        }
        let is_shell = fields.text(FieldSlot::Tool).is_some_and(|tool| FACTS.shells.contains(&&*tool));
        if !is_shell {
            return marked(fields.get(FieldSlot::Response), CallOutcome::Ok);
        }
        let reported = fields
            .given(FieldSlot::Response)
            .and_then(|all| serde_json::from_str::<Vec<LenientObject<CommandResult>>>(all).ok());
        // A result that is no object may have failed.
        let all: Option<Vec<CommandResult>> =
            reported.and_then(|all| all.into_iter().map(|one| one.0).collect());
        let reported = all.unwrap_or_default();
        match (reported.iter().any(|one| one.success), reported.iter().any(|one| !one.success)) {
            (true, false) => CallOutcome::Ok,
            (false, true) => CallOutcome::Failed,
            _ => CallOutcome::Unknown,
        }
    }
    fn arguments<'a>(&self, tool: &str, raw: &'a str) -> JsonText<'a> {
        let line = (tool == "run_commands").then(|| at_once(raw)).flatten();
        line.unwrap_or_else(|| shared::arguments(raw))
    }
    fn answer(&self, payload: &HookPayload, ruling: Ruling, reason: &str) -> HookReply {
        match (payload.kind, ruling) {
            (HookKind::Call, Ruling::Deny) => cancel(reason),
            (HookKind::Call, Ruling::Ask) => cancel(&not_asked(reason, FACTS.title)),
            (HookKind::Call | HookKind::Result, Ruling::Warn) => {
                HookReply::json(&json!({ "cancel": false, "contextModification": reason }))
            }
            _ => HookReply::json(&json!({ "cancel": false })),
        }
    }
    fn failure(&self, event: Option<&str>, reason: &str) -> HookReply {
        if event.is_some_and(|event| FACTS.harmless.contains(&event)) {
            return HookReply::json(&json!({ "cancel": false }));
        }
        cancel(&format!("denied by tsl-synth: {reason}"))
    }
    fn action(&self, exit: Option<i32>, stdout: &str, _: &str) -> HostAction {
        let marked = stdout.lines().rev().find_map(|line| line.trim().strip_prefix("HOOK_CONTROL\t"));
        match serde_json::from_str::<Value>(marked.unwrap_or(stdout)) {
            Ok(reported) if reported["cancel"] == true => {
                let reason = reported["errorMessage"].as_str().or(reported["contextModification"].as_str());
                HostAction::Refuses(reason.unwrap_or_default().to_owned())
            }
            Ok(reported) if reported.is_object() => HostAction::NoDecision,
            _ if stdout.is_empty() && exit == Some(0) => HostAction::NoDecision,
            _ => HostAction::Ignores,
        }
    }
    fn files(&self, words: &[String]) -> Vec<(&'static str, String)> {
        let of = |name: &'static str| {
            let words: Vec<String> = words.iter().cloned().chain(["--event".into(), name.into()]).collect();
            if cfg!(windows) { windows(name, &words) } else { posix(name, &words) }
        };
        FACTS.events.iter().map(|event| of(event.name)).collect()
    }
    fn sample(&self, event: &str, session: &str, folder: &str, sample: Sample<'_>) -> Value {
        let base =
            json!({ "hookName": event, "taskId": session, "timestamp": "0", "workspaceRoots": [folder] });
        let more = match sample {
            Sample::Call(tool) => {
                json!({ "preToolUse": { "toolName": tool, "parameters": { "text": "tried" } } })
            }
            Sample::Prompt(text) => json!({ "userPromptSubmit": { "prompt": text, "attachments": [] } }),
        };
        joined(base, more)
    }
}

/// The outcome of one of several commands.
#[derive(Deserialize)]
struct CommandResult {
    success: bool,
}

/// The arguments with a `command` added to the list `commands`: one shell line, which policies read, that runs them at
/// the same time.
fn at_once(raw: &str) -> Option<JsonText<'static>> {
    #[derive(Deserialize)]
    struct Commands {
        commands: Vec<String>,
        command: Option<IgnoredAny>,
    }
    let reported: Commands = shared::object(raw)?;
    if reported.command.is_some() {
        return None;
    }
    let line = match &reported.commands[..] {
        [only] => only.clone(),
        all => all.iter().map(|one| format!("{{ {one}\n}}")).collect::<Vec<_>>().join(" & "),
    };
    let rest = raw.trim_start().strip_prefix('{')?;
    Some(JsonText(format!("{{\"command\":{},{rest}", json!(line)).into()))
}

fn cancel(reason: &str) -> HookReply {
    HookReply::json(&json!({ "cancel": true, "errorMessage": reason }))
}

/// The output of our files if the gate gives no answer.
fn denial() -> Value {
    json!({ "cancel": true, "errorMessage": format!("denied by tsl-synth: {NO_ANSWER}") })
}

fn posix(name: &'static str, words: &[String]) -> (&'static str, String) {
    let (line, mark) = (lines::posix(words), super::files::MARK);
    let body = if name == "PreToolUse" {
        format!(
            "answer=$({line})\ncase $answer in\n'{{'*'}}') printf '%s\\n' \"$answer\" ;;\n*) printf '%s\\n' '{}' ;;\nesac\n",
            denial()
        )
    } else {
        format!("exec {line}\n")
    };
    (name, format!("#!/bin/sh\n# {mark}\n{body}"))
}

fn windows(name: &'static str, words: &[String]) -> (&'static str, String) {
    let file = match name {
        "TaskStart" => "TaskStart.ps1",
        "UserPromptSubmit" => "UserPromptSubmit.ps1",
        "PreToolUse" => "PreToolUse.ps1",
        "PostToolUse" => "PostToolUse.ps1",
        _ => "SessionShutdown.ps1",
    };
    let (line, mark) = (lines::powershell(words), super::files::MARK);
    let body = if name == "PreToolUse" {
        format!(
            "$answer = $input | {line}\nif (\"$answer\" -like '{{*}}') {{ \"$answer\" }} else {{ '{}' }}\n",
            denial()
        )
    } else {
        format!("$input | {line}\n")
    };
    (file, format!("# {mark}\n{body}"))
}
