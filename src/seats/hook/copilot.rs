//! The dialects of GitHub Copilot (`@github/copilot` 1.0.102, its manual, and the manual of VS Code).
//!
//! - The command line program and the cloud agent name no event in the payload of `preToolUse`, so the event for which
//!   the hook is installed counts; the keys are `toolName` and `toolArgs`, whose value is an object or a string that
//!   contains one.
//! - Copilot in VS Code reads the same files, and has the events of Claude Code, the key `tool_name`, and its own names
//!   of tools. Each answer contains the forms of both.
//! - Any exit code but 0 denies a call; a hook that is too slow does not.
//! - Calls of the command line program have no ids. Its shells report the exit code in the last line of the text.
//! - The reason why the end is refused may become a prompt.

use super::claude::{HARMLESS, kind};
use super::dialect::{
    HookDialect, HostAction, HostFacts, PathRoot, Sample, SettingsForm, SettingsLocation, claude_decision,
    event, joined,
};
use super::fields::{FieldSlot, HookFields, marked};
use super::reply::{HELD, HookReply, specific};
use super::{HookEvent, HookKind, HookPayload, lines, settings};
use crate::log::shared;
use serde::Deserialize;
use serde_json::{Value, json};
use tsl_synth_core::model::{CallOutcome, Ruling};

const GAPS: &[&str] = &[
    "A hook that is too slow is no denial: the call runs, and no setting changes that. A crash and a program that is not \
     there (exit code 127) deny.",
    "`disableAllHooks` in the settings of the user or of a project switches it off; `.github/hooks` counts only in a folder \
     that is trusted.",
    "`.github/hooks` is shared: the program and the policy must be at the same paths on every machine, or each call there is \
     refused.",
    "`ask` is a denial where nobody can be asked, as in the cloud and with `-p`.",
    "Input to a running shell is a call of its own whose effect is not known; what a script does inside is not seen.",
    "In VS Code tools have other names than in the command line program, and a terminal does not tell how a command ended.",
    "Tools of MCP servers are told as `server-tool`, without the server apart.",
    "It tells no ids of calls: of two equal calls at once it is open which one ended.",
    "In versions whose hooks name no session (`sessionId`) every call is refused: what one session in a folder did would \
     count in the next one.",
];

const FACTS: HostFacts = HostFacts {
    name: "copilot",
    title: "Copilot",
    gaps: GAPS,
    on_failure: "Copilot refuses every call, but lets it run after a time-out",
    after_install: "",
    block_setting: None,
    starts_by_cmd: false,
    shells: &["bash", "powershell", "run_in_terminal"],
    events: &[
        event("sessionStart", 10),
        event("userPromptSubmitted", 10),
        event("preToolUse", 10),
        event("postToolUse", 10),
        event("postToolUseFailure", 10),
        event("agentStop", 10),
        event("sessionEnd", 3),
    ],
    timeout: ("timeoutSec", 1),
    place: SettingsLocation {
        layout: SettingsForm::Flat,
        variables: &[("COPILOT_HOME", "")],
        folder: ".copilot",
        user: "hooks/tsl-synth.json",
        project: ".github/hooks/tsl-synth.json",
    },
    switches: &[
        (PathRoot::Home, "settings.json"),
        (PathRoot::Home, "config.json"),
        (PathRoot::Project, ".github/copilot/settings.json"),
        (PathRoot::Project, ".github/copilot/settings.local.json"),
    ],
    harmless: &[
        "sessionStart",
        "sessionEnd",
        "agentStop",
        "subagentStart",
        "subagentStop",
        "postToolUse",
        "postToolUseFailure",
        "errorOccurred",
        "notification",
        "preCompact",
    ],
    silent: &["permissionRequest", "PermissionRequest", "PermissionDenied"],
};

const KEYS: &[(&str, FieldSlot)] = &[
    ("hook_event_name", FieldSlot::Event),
    ("hookEventName", FieldSlot::Event),
    ("hookName", FieldSlot::Event),
    ("sessionId", FieldSlot::Session),
    ("session_id", FieldSlot::Session),
    ("agent_id", FieldSlot::Agent),
    ("agentId", FieldSlot::Agent),
    ("cwd", FieldSlot::Cwd),
    ("toolName", FieldSlot::Tool),
    ("tool_name", FieldSlot::Tool),
    ("toolArgs", FieldSlot::Input),
    ("tool_input", FieldSlot::Input),
    ("toolInput", FieldSlot::Input),
    ("toolResult", FieldSlot::Response),
    ("tool_result", FieldSlot::Response),
    ("tool_response", FieldSlot::Response),
    ("error", FieldSlot::Error),
    ("tool_use_id", FieldSlot::Call),
    ("toolCallId", FieldSlot::Call),
    ("prompt", FieldSlot::Prompt),
    ("source", FieldSlot::Source),
    ("stop_hook_active", FieldSlot::StopActive),
    ("stopReason", FieldSlot::Status),
];

pub(super) struct Copilot;

impl HookDialect for Copilot {
    fn facts(&self) -> &'static HostFacts {
        &FACTS
    }
    fn keys(&self) -> &'static [(&'static str, FieldSlot)] {
        KEYS
    }
    fn guess(&self, fields: &HookFields<'_>) -> Option<&'static str> {
        let is_over = fields.get(FieldSlot::Response).is_some() || fields.get(FieldSlot::Error).is_some();
        let is_call = fields.get(FieldSlot::Tool).is_some() && fields.get(FieldSlot::Input).is_some();
        match (is_call, is_over, fields.get(FieldSlot::Prompt)) {
            (true, true, _) => Some("postToolUse"),
            (true, false, _) => Some("preToolUse"),
            (false, false, Some(_)) => Some("userPromptSubmitted"),
            _ => None,
        }
    }
    fn kind(&self, event: &str) -> HookKind {
        match event {
            "sessionStart" => HookKind::Start,
            "userPromptSubmitted" => HookKind::Prompt,
            "preToolUse" => HookKind::Call,
            "postToolUse" | "postToolUseFailure" => HookKind::Result,
            "agentStop" => HookKind::End,
            "sessionEnd" => HookKind::Close,
            other => kind(other),
        }
    }
    fn outcome(&self, event: &str, fields: &HookFields<'_>) -> CallOutcome {
        if matches!(event, "postToolUseFailure" | "PostToolUseFailure") {
            return CallOutcome::Failed;
        }
        let reported: Option<ToolResult> = fields.given(FieldSlot::Response).and_then(shared::object);
        let is_shell = fields.text(FieldSlot::Tool).is_some_and(|tool| is_shell(&tool));
        match reported {
            Some(ToolResult { kind, .. }) if kind != "success" => CallOutcome::Failed,
            Some(ToolResult { text, .. }) if is_shell => shell_outcome(&text),
            None if is_shell => CallOutcome::Unknown,
            _ => marked(fields.get(FieldSlot::Response), CallOutcome::Ok),
        }
    }
    fn answer(&self, payload: &HookPayload, ruling: Ruling, reason: &str) -> HookReply {
        let decision = |decision: &str| {
            HookReply::json(&json!({
                "permissionDecision": decision,
                "permissionDecisionReason": reason,
                "hookSpecificOutput": specific("PreToolUse", decision, reason),
            }))
        };
        match (payload.kind, ruling) {
            (_, Ruling::Allow) => HookReply::silence(),
            (HookKind::Call, Ruling::Deny) => decision("deny"),
            (HookKind::Call, Ruling::Ask) => decision("ask"),
            (HookKind::End | HookKind::Prompt, Ruling::Deny | Ruling::Ask) => {
                HookReply::json(&json!({ "decision": "block", "reason": format!("{HELD}{reason}") }))
            }
            _ => HookReply::json(&json!({ "systemMessage": reason })),
        }
    }
    fn failure(&self, event: Option<&str>, reason: &str) -> HookReply {
        let is_harmless =
            event.is_some_and(|event| FACTS.harmless.contains(&event) || HARMLESS.contains(&event));
        if is_harmless {
            return HookReply::json(&json!({ "systemMessage": format!("tsl-synth: {reason}") }));
        }
        HookReply::refusal(&format!("denied by tsl-synth: {reason}"))
    }
    fn action(&self, exit: Option<i32>, stdout: &str, stderr: &str) -> HostAction {
        match exit {
            Some(0) if stdout.is_empty() => HostAction::NoDecision,
            Some(0) => match serde_json::from_str::<Value>(stdout) {
                Ok(value) if value.is_object() => claude_decision(&value),
                _ => HostAction::Ignores,
            },
            _ => HostAction::Refuses(stderr.to_owned()),
        }
    }
    fn entry(&self, event: &HookEvent, words: &[String]) -> Value {
        json!({
            "type": "command", "bash": lines::posix(words), "powershell": lines::powershell(words),
            "timeoutSec": event.timeout,
        })
    }
    fn is_off(&self, text: &str) -> Result<bool, String> {
        settings::is_set(text, &["disableAllHooks"])
    }
    fn sample(&self, _: &str, session: &str, folder: &str, sample: Sample<'_>) -> Value {
        let base = json!({ "sessionId": session, "timestamp": 0, "cwd": folder });
        let more = match sample {
            Sample::Call(tool) => json!({ "toolName": tool, "toolArgs": "{\"text\":\"tried\"}" }),
            Sample::Prompt(text) => json!({ "prompt": text }),
        };
        joined(base, more)
    }
}

fn is_shell(tool: &str) -> bool {
    FACTS.shells.contains(&tool)
        || matches!(tool, "local_shell" | "read_bash" | "read_powershell" | "write_bash" | "write_powershell")
}

/// The result of a tool.
#[derive(Deserialize)]
struct ToolResult {
    #[serde(rename = "resultType", alias = "result_type")]
    kind: String,
    #[serde(rename = "textResultForLlm", alias = "text_result_for_llm", default)]
    text: String,
}

/// How a command ended, from the last line, which the host writes after the output of the command.
fn shell_outcome(text: &str) -> CallOutcome {
    let last = text.trim_end().lines().next_back().unwrap_or_default();
    let reported = last.strip_prefix("<shellId: ").and_then(|rest| rest.strip_suffix('>'));
    match reported.and_then(|reported| reported.split_once(" completed with exit code ")) {
        Some((_, "0")) => CallOutcome::Ok,
        Some((_, code)) if code.parse::<i64>().is_ok() => CallOutcome::Failed,
        _ => CallOutcome::Unknown,
    }
}
