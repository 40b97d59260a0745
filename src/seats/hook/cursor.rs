//! The dialect of Cursor (cursor.com/docs/hooks, versions 2.3 to 3.13; written from its manual, not tested with the
//! program).
//!
//! - Cursor may report one call twice: by `preToolUse` with an id, and by `beforeShellExecution`, `beforeMCPExecution`
//!   or `beforeReadFile` without one. Commands and files to read are judged at `preToolUse`, and the other event then
//!   counts as the same call; without a `preToolUse` the other event is judged. Tools of MCP servers are judged at
//!   `beforeMCPExecution`, since only that event names the server.
//! - So that both events report the same call, a `Shell` has only its `command` as argument, and a `Read` its
//!   `file_path`.
//! - Every event needs an answer: `{"permission":"allow"}` or `{"continue":true}`.
//! - On Windows a byte-order mark precedes the JSON, and `tool_input` is a string or an object.
//! - The reason why the end is refused becomes the next prompt.

use super::dialect::{
    HookDialect, HostAction, HostFacts, PayloadCall, Sample, SettingsForm, SettingsLocation, event, joined,
};
use super::fields::{FieldSlot, HookFields, marked};
use super::reply::{HELD, HookReply, not_asked};
use super::{HookEvent, HookKind, HookPayload, lines};
use crate::log::shared;
use serde::Deserialize;
use serde_json::{Value, json};
use tsl_synth_core::model::{CallOutcome, Ruling};

const GAPS: &[&str] = &[
    "An entry whose `failClosed` is taken out lets the call run when the hook crashes, is too slow or is not there (exit \
     code 127).",
    "Completions of Cursor Tab are not calls and are not judged; no more are files that a person attaches to a prompt.",
    "What a script does that an allowed call starts is not seen.",
    "Of a call of an MCP server that fails it may not tell which one it was: the call then stays pending.",
    "An agent whose stop is refused goes on at most 5 times in a row (`loop_limit`); an interrupt ends it without asking.",
    "It asks a person only in some events: what a policy answers with `ask` is refused.",
];

const FACTS: HostFacts = HostFacts {
    name: "cursor",
    title: "Cursor",
    gaps: GAPS,
    on_failure: "Cursor refuses every call",
    after_install: "",
    block_setting: Some("\"failClosed\": true"),
    starts_by_cmd: true,
    shells: &["Shell"],
    events: &[
        event("sessionStart", 10),
        event("beforeSubmitPrompt", 10),
        event("preToolUse", 10),
        event("beforeShellExecution", 10),
        event("beforeMCPExecution", 10),
        event("beforeReadFile", 10),
        event("postToolUse", 10),
        event("postToolUseFailure", 10),
        event("afterMCPExecution", 10),
        event("stop", 10),
        event("sessionEnd", 3),
    ],
    timeout: ("timeout", 1),
    place: SettingsLocation {
        layout: SettingsForm::Flat,
        variables: &[("CURSOR_CONFIG_DIR", "")],
        folder: ".cursor",
        user: "hooks.json",
        project: ".cursor/hooks.json",
    },
    switches: &[],
    harmless: &[
        "sessionStart",
        "sessionEnd",
        "postToolUse",
        "postToolUseFailure",
        "afterShellExecution",
        "afterMCPExecution",
        "afterFileEdit",
        "afterAgentResponse",
        "afterAgentThought",
        "subagentStop",
        "preCompact",
        "stop",
    ],
    silent: &["afterShellExecution", "afterFileEdit", "subagentStart", "subagentStop"],
};

const KEYS: &[(&str, FieldSlot)] = &[
    ("hook_event_name", FieldSlot::Event),
    ("conversation_id", FieldSlot::Session),
    ("cwd", FieldSlot::Cwd),
    ("tool_name", FieldSlot::Tool),
    ("tool_input", FieldSlot::Input),
    ("tool_output", FieldSlot::Response),
    ("result_json", FieldSlot::Response),
    ("error_message", FieldSlot::Error),
    ("is_interrupt", FieldSlot::Interrupted),
    ("tool_use_id", FieldSlot::Call),
    ("mcp_server_name", FieldSlot::Server),
    ("command", FieldSlot::Command),
    ("file_path", FieldSlot::Path),
    ("prompt", FieldSlot::Prompt),
    ("status", FieldSlot::Status),
];

/// The prefix of the names of tools of MCP servers in `preToolUse` and `postToolUse`.
const MCP: &str = "MCP:";

fn is_mcp(fields: &HookFields<'_>) -> bool {
    fields.text(FieldSlot::Tool).is_some_and(|tool| tool.starts_with(MCP))
}

pub(super) struct Cursor;

impl HookDialect for Cursor {
    fn facts(&self) -> &'static HostFacts {
        &FACTS
    }
    fn keys(&self) -> &'static [(&'static str, FieldSlot)] {
        KEYS
    }
    fn kind(&self, event: &str) -> HookKind {
        match event {
            "sessionStart" => HookKind::Start,
            "beforeSubmitPrompt" => HookKind::Prompt,
            "preToolUse" | "beforeShellExecution" | "beforeMCPExecution" | "beforeReadFile" => HookKind::Call,
            "postToolUse" | "postToolUseFailure" | "afterMCPExecution" => HookKind::Result,
            "stop" => HookKind::End,
            "sessionEnd" => HookKind::Close,
            _ => HookKind::Other,
        }
    }
    fn unfold(&self, fields: &mut HookFields<'_>) -> Result<(), String> {
        // `beforeMCPExecution` reports the call without an id, so later events must not have one either.
        if is_mcp(fields) {
            fields.clear(FieldSlot::Call);
        }
        Ok(())
    }
    fn repeats(&self, event: &str) -> bool {
        matches!(event, "beforeShellExecution" | "beforeReadFile")
    }
    fn is_told_elsewhere(&self, event: &str, fields: &HookFields<'_>) -> bool {
        // `beforeMCPExecution` and `afterMCPExecution` report the call with the name of its server, and its result.
        matches!(event, "preToolUse" | "postToolUse") && is_mcp(fields)
    }
    fn wants_end(&self, fields: &HookFields<'_>) -> bool {
        fields.text(FieldSlot::Status).is_none_or(|status| status == "completed")
    }
    fn asked(&self, event: &str, fields: &HookFields<'_>) -> Result<PayloadCall, String> {
        let one = |tool: &str, key: &str, slot: FieldSlot| {
            let value = fields.text(slot).ok_or_else(|| format!("the payload of the hook has no `{key}`"))?;
            Ok(PayloadCall { server: None, tool: tool.to_owned(), raw: json!({ key: value }).to_string() })
        };
        match event {
            "beforeShellExecution" => return one("Shell", "command", FieldSlot::Command),
            "beforeReadFile" => return one("Read", "file_path", FieldSlot::Path),
            _ => {}
        }
        let Some(tool) = fields.name(FieldSlot::Tool) else {
            return Err("the payload of the hook names no tool (`tool_name`)".into());
        };
        let Some(raw) = fields.given(FieldSlot::Input) else {
            return Err("the payload of the hook has no arguments (`tool_input`)".into());
        };
        let raw = super::dialect::opened(raw)?.into_owned();
        let server = fields.name(FieldSlot::Server);
        let raw = match &*tool {
            "Shell" => short(&raw, "command", &["command"])?,
            "Read" => short(&raw, "file_path", &["file_path", "path", "target_file"])?,
            _ => raw,
        };
        let tool = tool.strip_prefix(MCP).map(str::to_owned).unwrap_or(tool);
        Ok(PayloadCall { server, tool, raw })
    }
    fn outcome(&self, event: &str, fields: &HookFields<'_>) -> CallOutcome {
        if event == "postToolUseFailure" {
            return if fields.is_true(FieldSlot::Interrupted) {
                CallOutcome::Unknown
            } else {
                CallOutcome::Failed
            };
        }
        let response = fields.given(FieldSlot::Response).map(shared::result);
        if fields.text(FieldSlot::Tool).as_deref() == Some("Shell") {
            let reported = response.and_then(|response| shared::object::<ShellOutput>(response.as_str()));
            return match reported.and_then(|reported| reported.code) {
                Some(0) => CallOutcome::Ok,
                Some(_) => CallOutcome::Failed,
                None => CallOutcome::Unknown,
            };
        }
        let is_error = response.is_some_and(|response| {
            serde_json::from_str::<Value>(response.as_str()).is_ok_and(|reported| reported["isError"] == true)
        });
        if is_error { CallOutcome::Failed } else { marked(fields.get(FieldSlot::Response), CallOutcome::Ok) }
    }
    fn answer(&self, payload: &HookPayload, ruling: Ruling, reason: &str) -> HookReply {
        let lets = ruling < Ruling::Ask;
        match payload.kind {
            HookKind::Call if lets => HookReply::json(&permission("allow", reason)),
            HookKind::Call if ruling == Ruling::Ask => {
                HookReply::json(&permission("deny", &not_asked(reason, FACTS.title)))
            }
            HookKind::Call => HookReply::json(&permission("deny", reason)),
            HookKind::Prompt if lets => HookReply::json(&json!({ "continue": true })),
            HookKind::Prompt => HookReply::json(&json!({ "continue": false, "user_message": reason })),
            HookKind::End if !lets => {
                HookReply::json(&json!({ "followup_message": format!("{HELD}{reason}") }))
            }
            HookKind::Result if ruling > Ruling::Allow => {
                HookReply::json(&json!({ "additional_context": reason }))
            }
            _ => HookReply::json(&json!({})),
        }
    }
    fn failure(&self, event: Option<&str>, reason: &str) -> HookReply {
        if event.is_some_and(|event| FACTS.harmless.contains(&event)) {
            return HookReply::json(&json!({}));
        }
        HookReply::refusal(&format!("denied by tsl-synth: {reason}"))
    }
    /// The action of Cursor with `failClosed`, which our entries set.
    fn action(&self, exit: Option<i32>, stdout: &str, stderr: &str) -> HostAction {
        let reported = serde_json::from_str::<Value>(stdout).ok().filter(Value::is_object);
        match (exit, reported) {
            (Some(2), _) => HostAction::Refuses(stderr.to_owned()),
            (Some(0), Some(reported)) => match reported["permission"].as_str() {
                Some("allow") => HostAction::NoDecision,
                Some("ask") => HostAction::Asks,
                Some("deny") => {
                    HostAction::Refuses(reported["agent_message"].as_str().unwrap_or_default().to_owned())
                }
                _ => HostAction::Ignores,
            },
            _ => HostAction::Refuses("the hook failed".into()),
        }
    }
    fn entry(&self, event: &HookEvent, words: &[String]) -> Value {
        let mut hook = json!({ "command": lines::here(words), "timeout": event.timeout });
        if self.kind(event.name) == HookKind::Call {
            hook["failClosed"] = json!(true);
        }
        hook
    }
    fn sample(&self, event: &str, session: &str, folder: &str, sample: Sample<'_>) -> Value {
        let base = json!({
            "conversation_id": session, "generation_id": "doctor", "hook_event_name": event,
            "workspace_roots": [folder], "cwd": folder,
        });
        let more = match (sample, event) {
            (Sample::Call(tool), "beforeMCPExecution") => {
                json!({ "mcp_server_name": tool, "tool_name": tool, "tool_input": "{\"text\":\"tried\"}" })
            }
            (Sample::Call(tool), "beforeShellExecution") => json!({ "command": tool }),
            (Sample::Call(tool), "beforeReadFile") => json!({ "content": "", "file_path": tool }),
            (Sample::Call(tool), _) => {
                json!({ "tool_name": tool, "tool_use_id": "doctor-1", "tool_input": { "text": "tried" } })
            }
            (Sample::Prompt(text), _) => json!({ "prompt": text }),
        };
        joined(base, more)
    }
}

fn permission(permission: &str, reason: &str) -> Value {
    let mut reported = json!({ "permission": permission });
    if !reason.is_empty() {
        reported["user_message"] = json!(reason);
        reported["agent_message"] = json!(reason);
    }
    reported
}

/// The one argument that both events report.
fn short(raw: &str, key: &str, names: &[&str]) -> Result<String, String> {
    let reported: Value = serde_json::from_str(raw)
        .map_err(|error| format!("the arguments of the call cannot be read: {error}"))?;
    if tsl_synth_core::json_text::has_duplicate_keys(&tsl_synth_core::model::JsonText::borrowed(raw))
        != Ok(false)
    {
        return Err("the arguments of the call name a key twice".into());
    }
    let found: Vec<&str> = names.iter().filter_map(|name| reported[*name].as_str()).collect();
    match found[..] {
        [value] => Ok(json!({ key: value }).to_string()),
        _ => Err(format!("the arguments of the call have no `{key}`, or several")),
    }
}

/// The output of a shell.
#[derive(Deserialize)]
struct ShellOutput {
    #[serde(rename = "exitCode", alias = "exit_code")]
    code: Option<i64>,
}
