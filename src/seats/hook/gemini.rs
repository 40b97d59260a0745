//! The dialect of Gemini CLI (`packages/core/src/hooks` of its source, versions 0.61 to 0.65).
//!
//! - It parses standard output, and standard error if there is none; the exit code counts only if that text is not
//!   JSON. So every denial is JSON with exit code 0, also after faults of ours: exit code 2 without output, or with
//!   JSON of another host, is not a denial.
//! - Calls have no ids. A subagent works in the session of its parent and is not named.
//! - The tool that runs commands reports exit code and signal at the end of its text, after the output of the command.
//! - The reason why the end is refused becomes the next prompt, and is reported as one.

use super::claude::SILENT;
use super::dialect::{
    HookDialect, HostAction, HostFacts, PathRoot, Sample, SettingsForm, SettingsLocation, event,
};
use super::fields::{COMMON, FieldSlot, HookFields, extended, marked};
use super::reply::{HELD, HookReply, NO_ANSWER, not_asked};
use super::{HookEvent, HookKind, HookPayload, lines, settings};
use crate::log::shared;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tsl_synth_core::model::{CallOutcome, JsonText, Ruling};

const GAPS: &[&str] = &[
    "A hook that is too slow is no denial, and no setting changes that. One that crashes or is not there (exit code 127) is \
     a denial only because the entry makes one of it.",
    "`hooksConfig.enabled = false` or `hooksConfig.disabled` in any settings file switches it off. In a folder that is not \
     trusted no hook of settings runs; Gemini CLI asks before every tool there instead.",
    "Other hooks of the project or of an extension may rewrite the arguments of a call that was granted, and a person may \
     edit them when asked.",
    "Files that a prompt mentions with `@`, and commands that the user runs with `!`, are not seen.",
    "What a script does that an allowed call starts is not seen.",
    "It tells no ids of calls: of two equal calls at once it is open which one ended.",
    "Not all versions can ask a person from a hook: what a policy answers with `ask` is refused.",
];

/// Gemini CLI has time-outs in milliseconds.
const FACTS: HostFacts = HostFacts {
    name: "gemini-cli",
    title: "Gemini CLI",
    gaps: GAPS,
    on_failure: "Gemini CLI lets the call run",
    after_install: "",
    block_setting: None,
    starts_by_cmd: false,
    shells: &["run_shell_command"],
    events: &[
        event("SessionStart", 10),
        event("BeforeAgent", 10),
        event("BeforeTool", 10),
        event("AfterTool", 10),
        event("AfterAgent", 10),
        event("SessionEnd", 3),
    ],
    timeout: ("timeout", 1000),
    place: SettingsLocation {
        layout: SettingsForm::Nested,
        variables: &[("GEMINI_CLI_HOME", ".gemini")],
        folder: ".gemini",
        user: "settings.json",
        project: ".gemini/settings.json",
    },
    switches: &[
        (PathRoot::System("linux"), "/etc/gemini-cli/settings.json"),
        (PathRoot::System("macos"), "/Library/Application Support/GeminiCli/settings.json"),
        (PathRoot::System("windows"), r"C:\ProgramData\gemini-cli\settings.json"),
        (PathRoot::Home, "settings.json"),
        (PathRoot::Project, ".gemini/settings.json"),
    ],
    harmless: &[
        "SessionStart",
        "SessionEnd",
        "AfterTool",
        "AfterAgent",
        "Notification",
        "PreCompress",
        "AfterModel",
    ],
    silent: SILENT,
};

const KEYS: &[(&str, FieldSlot)] =
    &[("mcp_context", FieldSlot::Inner), ("prompt_response", FieldSlot::LastMessage)];
const CONTEXT: &[(&str, FieldSlot)] =
    &[("server_name", FieldSlot::Server), ("tool_name", FieldSlot::ServerTool)];

pub(super) struct Gemini;

impl HookDialect for Gemini {
    fn facts(&self) -> &'static HostFacts {
        &FACTS
    }
    fn keys(&self) -> &'static [(&'static str, FieldSlot)] {
        const ALL: &[(&str, FieldSlot)] = &extended::<{ COMMON.len() + KEYS.len() }>(KEYS);
        ALL
    }
    fn unfold(&self, fields: &mut HookFields<'_>) -> Result<(), String> {
        let context = fields.inner(FieldSlot::Inner, CONTEXT)?;
        fields.fill(FieldSlot::Server, context.get(FieldSlot::Server));
        fields.fill(FieldSlot::ServerTool, context.get(FieldSlot::ServerTool));
        Ok(())
    }
    fn kind(&self, event: &str) -> HookKind {
        match event {
            "SessionStart" => HookKind::Start,
            "BeforeAgent" => HookKind::Prompt,
            "BeforeTool" => HookKind::Call,
            "AfterTool" => HookKind::Result,
            "AfterAgent" => HookKind::End,
            "SessionEnd" => HookKind::Close,
            _ => HookKind::Other,
        }
    }
    fn outcome(&self, _: &str, fields: &HookFields<'_>) -> CallOutcome {
        let reported: Option<ToolResponse> = fields.given(FieldSlot::Response).and_then(shared::object);
        let Some(reported) = reported else { return CallOutcome::Unknown };
        if reported.error.is_some_and(|error| !error.is_null()) {
            return CallOutcome::Failed;
        }
        if fields.text(FieldSlot::Tool).is_some_and(|tool| FACTS.shells.contains(&&*tool)) {
            return reported.content.as_str().map_or(CallOutcome::Unknown, shared::shell_outcome);
        }
        marked(fields.get(FieldSlot::Response), CallOutcome::Ok)
    }
    /// What the model gets to read, in which a text that is JSON is read, and which may be marked as that of strangers;
    /// the whole response if the call failed.
    fn result(&self, fields: &HookFields<'_>) -> Option<JsonText<'static>> {
        let response = fields.given(FieldSlot::Response)?;
        let reported: Option<ToolContent<'_>> = shared::object(response);
        let content = reported.filter(|reported| shared::given(reported.error).is_none());
        let Some(content) = content.and_then(|reported| shared::given(reported.content)) else {
            return Some(shared::result(response).into_owned());
        };
        let value = shared::parts(content).into_owned();
        let inner = shared::unquoted(value.as_str()).and_then(|text| {
            let inner = text.strip_prefix(shared::UNTRUSTED.0)?.strip_suffix(shared::UNTRUSTED.1)?;
            Some(shared::result(&Value::from(inner).to_string()).into_owned())
        });
        Some(inner.unwrap_or(value))
    }
    fn answer(&self, payload: &HookPayload, ruling: Ruling, reason: &str) -> HookReply {
        match (payload.kind, ruling) {
            (_, Ruling::Allow) => HookReply::json(&json!({})),
            (HookKind::Call, Ruling::Ask) => deny(&not_asked(reason, FACTS.title)),
            (HookKind::End, Ruling::Ask | Ruling::Deny) => deny(&format!("{HELD}{reason}")),
            (HookKind::Call | HookKind::Prompt, Ruling::Deny | Ruling::Ask) => deny(reason),
            (HookKind::Result, _) => HookReply::json(&json!({
                "systemMessage": reason, "hookSpecificOutput": { "additionalContext": reason },
            })),
            _ => HookReply::json(&json!({ "systemMessage": reason })),
        }
    }
    fn failure(&self, event: Option<&str>, reason: &str) -> HookReply {
        if event.is_some_and(|event| FACTS.harmless.contains(&event)) {
            return HookReply::json(&json!({ "systemMessage": format!("tsl-synth: {reason}") }));
        }
        deny(&format!("denied by tsl-synth: {reason}"))
    }
    fn action(&self, exit: Option<i32>, stdout: &str, stderr: &str) -> HostAction {
        let text = if stdout.is_empty() { stderr } else { stdout };
        let Some(exit) = exit.filter(|_| !text.is_empty()) else {
            return if exit == Some(0) { HostAction::NoDecision } else { HostAction::Ignores };
        };
        let Ok(reported) = serde_json::from_str::<Value>(text) else {
            return if matches!(exit, 0 | 1) {
                HostAction::NoDecision
            } else {
                HostAction::Refuses(text.to_owned())
            };
        };
        match reported["decision"].as_str() {
            Some("deny" | "block") => {
                let reason = reported["stopReason"].as_str().or(reported["reason"].as_str());
                HostAction::Refuses(reason.unwrap_or("No reason provided").to_owned())
            }
            _ if reported["continue"] == false => HostAction::Refuses("the agent is stopped".into()),
            _ if exit == 0 => HostAction::NoDecision,
            _ => HostAction::Ignores,
        }
    }
    fn entry(&self, event: &HookEvent, words: &[String]) -> Value {
        let reason = format!("denied by tsl-synth: {NO_ANSWER}");
        let denial = json!({ "decision": "deny", "reason": reason });
        let is_call = self.kind(event.name) == HookKind::Call;
        let command = match (cfg!(windows), is_call) {
            (false, false) => lines::posix(words),
            // With exit code 2 this is a denial even after the beginning of another answer.
            (false, true) => format!("{} || {{ echo '{denial}'; exit 2; }}", lines::posix(words)),
            (true, false) => lines::powershell(words),
            (true, true) => format!("{}; if (-not $?) {{ '{denial}'; exit 2 }}", lines::powershell(words)),
        };
        let hook = json!({
            "type": "command", "name": "tsl-synth", "command": command, "timeout": event.timeout * FACTS.timeout.1,
        });
        let has_tool = matches!(self.kind(event.name), HookKind::Call | HookKind::Result);
        if has_tool { json!({ "matcher": "*", "hooks": [hook] }) } else { json!({ "hooks": [hook] }) }
    }
    fn is_off(&self, text: &str) -> Result<bool, String> {
        let reported = settings::value_of(text)?;
        let disabled = reported["hooksConfig"]["disabled"].as_array();
        let names_us = |name: &Value| name.as_str().is_some_and(|name| name == "tsl-synth");
        Ok(reported["hooksConfig"]["enabled"] == false
            || reported["tools"]["enableHooks"] == false
            || disabled.is_some_and(|names| names.iter().any(names_us)))
    }
    fn sample(&self, event: &str, session: &str, folder: &str, sample: Sample<'_>) -> Value {
        let base = json!({
            "session_id": session, "transcript_path": "", "cwd": folder, "hook_event_name": event,
            "timestamp": "2026-11-23T00:00:00.000Z",
        });
        let more = match sample {
            Sample::Call(tool) => json!({ "tool_name": tool, "tool_input": { "text": "tried" } }),
            Sample::Prompt(text) => json!({ "prompt": text }),
        };
        super::dialect::joined(base, more)
    }
}

fn deny(reason: &str) -> HookReply {
    HookReply::json(&json!({ "decision": "deny", "reason": reason }))
}

/// The text of a response, as it is written.
#[derive(Deserialize)]
struct ToolContent<'a> {
    #[serde(borrow, rename = "llmContent")]
    content: Option<&'a RawValue>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
}

/// The response of a tool.
#[derive(Deserialize)]
struct ToolResponse {
    #[serde(rename = "llmContent", default)]
    content: Value,
    error: Option<Value>,
}
