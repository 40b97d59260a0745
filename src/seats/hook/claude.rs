//! The dialect of Claude Code (`docs/hooks.md` of its manual, versions 2.1.240 to 2.1.302, and payloads of 2.1.332).
//!
//! `PostToolUse` comes after calls that succeeded and `PostToolUseFailure` after the others, so the name of the event
//! determines the outcome. The outcome of a call that was interrupted is unknown, and so is that of a shell whose exit
//! code 1 the host interprets (`returnCodeInterpretation`). How a call in the background ended is told by a notice, which
//! comes like a prompt. `PostToolBatch` lists the calls of a turn, also those that the host refused.

use super::dialect::{
    HookDialect, HostAction, HostFacts, PathRoot, PayloadCall, SettingsForm, SettingsLocation,
    claude_decision, claude_output, event, named_call,
};
use super::fields::{COMMON, FieldSlot, HookFields, extended, marked};
use super::reply::{HookReply, claude_like, not_asked};
use super::{EndedCalls, HookEvent, HookKind, HookPayload, settings};
use crate::log::shared::{self, ClaudeEnd, LenientObject};
use serde::Deserialize;
use serde_json::{Value, json};
use tsl_synth_core::model::{CallOutcome, JsonText, Ruling};

/// The known gaps: what Claude Code does without the consent of the gate.
const GAPS: &[&str] = &[
    "Before 2.1.295 a hook that crashes or is too slow is no denial: the call runs. From 2.1.295 on the entry's \
     `onFailure` blocks it.",
    "A hook whose program is not there (a moved file, exit code 127) is no denial before 2.1.295 either.",
    "`disableAllHooks` in any settings file, and a managed file with `allowManagedHooksOnly`, switch it off.",
    "Files that a prompt mentions with `@` are read without a call.",
    "What a script does that an allowed call starts is not seen.",
    "It does not tell how a command of a skill (`!` in its text) or of `Monitor` ended. Before a command of a skill it cannot \
     ask a person: what a policy answers with `ask` is refused there.",
    "A fork of a session (`--fork-session`) does not name the session whose history it has: `on_fork` in the policy.",
    "A prompt that an agent scheduled in an earlier session (`CronCreate` with `durable`) is taken for one of the user.",
    "An agent whose stop is refused goes on at most 8 times in a row; an interrupt ends the turn without asking.",
];

/// The event before a command of a skill runs: nothing reports its end.
const SKILL_COMMAND: &str = "PreSkillShellCommand";

const FACTS: HostFacts = HostFacts {
    name: "claude-code",
    title: "Claude Code",
    gaps: GAPS,
    on_failure: "before 2.1.295 Claude Code lets the call run",
    after_install: "",
    block_setting: Some("\"onFailure\": \"block\""),
    starts_by_cmd: false,
    // `Monitor` and the commands of skills are reported as `Bash`.
    shells: &["Bash"],
    events: &[
        event("SessionStart", 10),
        event("UserPromptSubmit", 10),
        event("PreToolUse", 10),
        event(SKILL_COMMAND, 10),
        event("PostToolUse", 10),
        event("PostToolUseFailure", 10),
        event(TURN_OVER, 10),
        event(SAYS, 10),
        event("SubagentStop", 10),
        event("Stop", 10),
        event("ConfigChange", 10),
        event("SessionEnd", 3),
    ],
    timeout: ("timeout", 1),
    // The entries contain paths of this machine, so in a project they are written to the settings that are not shared.
    place: SettingsLocation {
        layout: SettingsForm::Nested,
        variables: &[("CLAUDE_CONFIG_DIR", "")],
        folder: ".claude",
        user: "settings.json",
        project: ".claude/settings.local.json",
    },
    switches: &[
        (PathRoot::System("windows"), r"C:\Program Files\ClaudeCode\managed-settings.json"),
        (PathRoot::System("macos"), "/Library/Application Support/ClaudeCode/managed-settings.json"),
        (PathRoot::System("linux"), "/etc/claude-code/managed-settings.json"),
        (PathRoot::Home, "settings.json"),
        (PathRoot::Project, ".claude/settings.json"),
        (PathRoot::Project, ".claude/settings.local.json"),
    ],
    harmless: HARMLESS,
    silent: SILENT,
};

/// Events that request no permission, with the names that several hosts share.
pub(super) const HARMLESS: &[&str] = &[
    "SessionStart",
    "SessionEnd",
    "Stop",
    "StopFailure",
    "SubagentStart",
    "SubagentStop",
    "PostToolUse",
    "PostToolUseFailure",
    "PostToolBatch",
    "MessageDisplay",
    "Notification",
    "PreCompact",
    "PostCompact",
    "Interrupt",
    "Setup",
];

/// Events that follow `PreToolUse` of the same call; without an answer the decision is left to a person.
pub(super) const SILENT: &[&str] = &["PermissionRequest", "PermissionDenied"];

/// The kind of the event with this name, for hosts that share the names of Claude Code.
pub(super) fn kind(event: &str) -> HookKind {
    match event {
        "SessionStart" => HookKind::Start,
        "UserPromptSubmit" => HookKind::Prompt,
        "PreToolUse" | SKILL_COMMAND => HookKind::Call,
        "PostToolUse" | "PostToolUseFailure" => HookKind::Result,
        "Stop" => HookKind::End,
        "SessionEnd" => HookKind::Close,
        "ConfigChange" => HookKind::Settings,
        _ => HookKind::Other,
    }
}

const KEYS: &[(&str, FieldSlot)] = &[
    ("file_path", FieldSlot::Path),
    ("tool_calls", FieldSlot::Calls),
    ("message_id", FieldSlot::Message),
    ("delta", FieldSlot::Delta),
    ("final", FieldSlot::Final),
    ("transcript_path", FieldSlot::Transcript),
];

/// The event after all calls of a turn, also those that the host refused.
const TURN_OVER: &str = "PostToolBatch";
/// The event while the agent says something.
const SAYS: &str = "MessageDisplay";

pub(super) struct ClaudeHooks;

impl HookDialect for ClaudeHooks {
    fn facts(&self) -> &'static HostFacts {
        &FACTS
    }
    fn kind(&self, event: &str) -> HookKind {
        match event {
            TURN_OVER | "SubagentStop" => HookKind::Ended,
            SAYS => HookKind::Said,
            _ => kind(event),
        }
    }
    fn notice(&self, prompt: &str) -> Option<(String, CallOutcome)> {
        shared::notice_of_claude(prompt).map(|notice| (notice.call.to_owned(), notice.outcome))
    }
    fn goes_on(&self, fields: &HookFields<'_>) -> bool {
        fields.given(FieldSlot::Response).map(shared::end_in_claude) == Some(ClaudeEnd::GoesOn)
    }
    fn ended(&self, fields: &HookFields<'_>) -> EndedCalls {
        let Some(calls) = fields.given(FieldSlot::Calls) else { return EndedCalls::OfAgent };
        let calls: Vec<LenientObject<BatchCall>> = serde_json::from_str(calls).unwrap_or_default();
        EndedCalls::Named(
            calls.into_iter().filter_map(|call| Some(call.0?.tool_use_id?.as_str()?.to_owned())).collect(),
        )
    }
    fn keys(&self) -> &'static [(&'static str, FieldSlot)] {
        const ALL: &[(&str, FieldSlot)] = &extended::<{ COMMON.len() + KEYS.len() }>(KEYS);
        ALL
    }
    fn tells_what_ran(&self) -> bool {
        true
    }
    fn asked(&self, _: &str, fields: &HookFields<'_>) -> Result<PayloadCall, String> {
        let mut call = named_call(fields)?;
        if call.server.is_none() && shared::is_shell_of_claude(&call.tool, &call.raw) {
            call.tool = "Bash".into();
        }
        Ok(call)
    }
    fn arguments<'a>(&self, tool: &str, raw: &'a str) -> JsonText<'a> {
        let bare = (tool == "SendMessage").then(|| bare_message(raw)).flatten();
        bare.unwrap_or_else(|| shared::arguments(raw))
    }
    fn is_by_host(&self, prompt: &str) -> bool {
        shared::is_by_claude(prompt)
    }
    fn outcome(&self, event: &str, fields: &HookFields<'_>) -> CallOutcome {
        if event == "PostToolUseFailure" {
            return if fields.is_true(FieldSlot::Interrupted) {
                CallOutcome::Unknown
            } else {
                CallOutcome::Failed
            };
        }
        let end = fields.given(FieldSlot::Response).map_or(ClaudeEnd::Ok, shared::end_in_claude);
        let otherwise = if end == ClaudeEnd::Ok { CallOutcome::Ok } else { CallOutcome::Unknown };
        marked(fields.get(FieldSlot::Response), otherwise)
    }
    fn answer(&self, payload: &HookPayload, ruling: Ruling, reason: &str) -> HookReply {
        // The decisions of `PreToolUse` are not known there, but exit code 2 refuses.
        match (&*payload.event, ruling) {
            (SKILL_COMMAND, Ruling::Deny) => HookReply::refusal(reason),
            (SKILL_COMMAND, Ruling::Ask) => HookReply::refusal(&not_asked(reason, FACTS.title)),
            (SKILL_COMMAND, Ruling::Warn) => HookReply::json(&json!({ "systemMessage": reason })),
            _ => claude_like(payload, ruling, reason, true, true),
        }
    }
    fn action(&self, exit: Option<i32>, stdout: &str, stderr: &str) -> HostAction {
        match exit {
            Some(0) => claude_output(stdout, |value| match &value["hookSpecificOutput"] {
                Value::Null => HostAction::NoDecision,
                specific if specific["hookEventName"] == "PreToolUse" => claude_decision(specific),
                _ => HostAction::Ignores,
            }),
            // Before 2.1.214 Claude Code ran the call if there was JSON that its schema refused.
            Some(2) if stdout.is_empty() => HostAction::Refuses(stderr.to_owned()),
            _ => HostAction::Ignores,
        }
    }
    fn entry(&self, event: &HookEvent, words: &[String]) -> Value {
        let (program, arguments) = words.split_first().map_or((json!(""), &[][..]), |(p, a)| (json!(p), a));
        // The arguments are given as a list, so that no shell interprets them.
        let mut hook =
            json!({ "type": "command", "command": program, "args": arguments, "timeout": event.timeout });
        if matches!(self.kind(event.name), HookKind::Call | HookKind::Settings) {
            hook["onFailure"] = json!("block");
        }
        let has_tool = matches!(self.kind(event.name), HookKind::Call | HookKind::Result);
        if has_tool { json!({ "matcher": "*", "hooks": [hook] }) } else { json!({ "hooks": [hook] }) }
    }
    fn is_off(&self, text: &str) -> Result<bool, String> {
        settings::is_set(text, &["disableAllHooks", "allowManagedHooksOnly"])
    }
}

/// A call of a turn.
#[derive(Deserialize)]
struct BatchCall {
    tool_use_id: Option<Value>,
}

/// The arguments of `SendMessage` as the agent wrote them. Before the call the host adds keys that it derives from them,
/// which are not in the result and in transcripts.
fn bare_message(raw: &str) -> Option<JsonText<'static>> {
    const DERIVED: [&str; 4] = ["type", "recipient", "recipient_kind", "content"];
    let mut all: serde_json::Map<String, Value> = serde_json::from_str(raw).ok()?;
    let is_whole = all.contains_key("to") && all.get("content") == all.get("message");
    is_whole.then(|| {
        all.retain(|key, _| !DERIVED.contains(&key.as_str()));
        JsonText(Value::Object(all).to_string().into())
    })
}
