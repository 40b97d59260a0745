//! The dialect between us and our plugin for OpenCode (`opencode-ai` 1.18; its version 2 from the notes of others, not
//! tested).
//!
//! OpenCode has no hooks that are commands. The plugin (`templates/hosts/opencode.js`) starts the gate for each event
//! and throws unless the answer is that the call may run; OpenCode does not run a call whose hook throws. Payloads have
//! the keys of Claude Code, and also `mcp_server` and the `exit` code of a command.

use super::claude::{HARMLESS, SILENT, kind};
use super::dialect::{HookDialect, HostAction, HostFacts, SettingsForm, SettingsLocation, event};
use super::fields::{COMMON, FieldSlot, HookFields, extended, marked};
use super::reply::{HookReply, not_asked};
use super::{HookKind, HookPayload};
use serde_json::{Value, json};
use tsl_synth_core::model::{CallOutcome, Ruling};

const GAPS: &[&str] = &[
    "A plugin that is not loaded judges nothing: `--pure`, `OPENCODE_PURE`, an error in loading it, or in version 2 an entry \
     `-tsl-synth` in the configuration. A crash, a time-out and a program that is not there (exit code 127) deny.",
    "Other plugins run in the same process with the rights of the agent and can change what ours does.",
    "Commands that the user runs with `!`, and files that a prompt mentions with `@`, are not seen; nor is what a script does \
     that an allowed call starts.",
    "The end of a turn is not asked about, so that what is owed is only recorded.",
    "In version 2 results, prompts and subagents are not told: a call stays pending, and a subagent is a session of its own.",
    "It cannot ask a person from a plugin: what a policy answers with `ask` is refused.",
];

const FACTS: HostFacts = HostFacts {
    name: "opencode",
    title: "OpenCode",
    gaps: GAPS,
    on_failure: "OpenCode refuses every call",
    after_install: "OpenCode loads the plugin when it starts: start it again.",
    block_setting: None,
    starts_by_cmd: false,
    shells: &["bash", "shell"],
    events: &[
        event("UserPromptSubmit", 20),
        event("PreToolUse", 20),
        event("PostToolUse", 20),
        event("PostToolUseFailure", 20),
    ],
    timeout: ("timeout", 1),
    place: SettingsLocation {
        layout: SettingsForm::Files,
        variables: &[("OPENCODE_CONFIG_DIR", ""), ("XDG_CONFIG_HOME", "opencode")],
        folder: ".config/opencode",
        user: "plugins",
        project: ".opencode/plugins",
    },
    switches: &[],
    harmless: HARMLESS,
    silent: SILENT,
};

const KEYS: &[(&str, FieldSlot)] = &[("mcp_server", FieldSlot::Server), ("exit", FieldSlot::Status)];
const PLUGIN: &str = tsl_synth_templates::text("hosts/opencode.js");
const FILE: &str = "tsl-synth.js";

pub(super) struct OpenCode;

impl HookDialect for OpenCode {
    fn facts(&self) -> &'static HostFacts {
        &FACTS
    }
    fn keys(&self) -> &'static [(&'static str, FieldSlot)] {
        const ALL: &[(&str, FieldSlot)] = &extended::<{ COMMON.len() + KEYS.len() }>(KEYS);
        ALL
    }
    fn kind(&self, event: &str) -> HookKind {
        kind(event)
    }
    fn outcome(&self, event: &str, fields: &HookFields<'_>) -> CallOutcome {
        if event == "PostToolUseFailure" {
            return CallOutcome::Failed;
        }
        let is_shell = fields.text(FieldSlot::Tool).is_some_and(|tool| FACTS.shells.contains(&&*tool));
        match fields.given(FieldSlot::Status) {
            Some("0") => CallOutcome::Ok,
            Some(_) => CallOutcome::Failed,
            None if is_shell => CallOutcome::Unknown,
            None => marked(fields.get(FieldSlot::Response), CallOutcome::Ok),
        }
    }
    fn answer(&self, payload: &HookPayload, ruling: Ruling, reason: &str) -> HookReply {
        let verdict =
            |verdict: &str, reason: &str| HookReply::json(&json!({ "verdict": verdict, "reason": reason }));
        match (payload.kind, ruling) {
            (HookKind::Call, Ruling::Ask) => verdict("deny", &not_asked(reason, FACTS.title)),
            (HookKind::Call | HookKind::Prompt, Ruling::Ask | Ruling::Deny) => verdict("deny", reason),
            _ => verdict("allow", reason),
        }
    }
    fn failure(&self, event: Option<&str>, reason: &str) -> HookReply {
        let is_harmless = event.is_some_and(|event| HARMLESS.contains(&event));
        let verdict = if is_harmless { "allow" } else { "deny" };
        HookReply::json(&json!({ "verdict": verdict, "reason": format!("denied by tsl-synth: {reason}") }))
    }
    fn action(&self, exit: Option<i32>, stdout: &str, _: &str) -> HostAction {
        let reported = serde_json::from_str::<Value>(stdout).unwrap_or_default();
        match exit {
            Some(0) if reported["verdict"] == "allow" => HostAction::NoDecision,
            _ => HostAction::Refuses(reported["reason"].as_str().unwrap_or("denied by tsl-synth").to_owned()),
        }
    }
    fn files(&self, words: &[String]) -> Vec<(&'static str, String)> {
        vec![(FILE, PLUGIN.replacen("const COMMAND = [];", &format!("const COMMAND = {};", json!(words)), 1))]
    }
}
