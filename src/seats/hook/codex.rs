//! The dialect of Codex (`codex-rs/hooks`, versions 0.144 to 0.166).
//!
//! - In hooks all its shells are named `Bash` and have their line in `command`, unlike in its rollouts; a policy for
//!   both lists `["Bash", "shell", "exec_command"]`. A patch is in `input` in both.
//! - A shell command that applies a patch (`apply_patch <<'EOF'`) is a call of `apply_patch`, as it edits files.
//! - `PostToolUse` comes after tools that succeeded. A shell always counts as successful, whatever its exit code, and
//!   the payload has only its output (openai/codex issue 34289). So the outcome of a shell is unknown, unless a
//!   structured response reports the exit code. The output is not trusted, since the command wrote it.

use super::claude::{HARMLESS, SILENT, kind};
use super::dialect::{
    HookDialect, HostAction, HostFacts, PathRoot, PayloadCall, SettingsForm, SettingsLocation,
    claude_decision, claude_output, event, named_call, opened,
};
use super::fields::{FieldSlot, HookFields, marked};
use super::reply::{HookReply, NO_ANSWER, claude_like};
use super::{HookEvent, HookKind, HookPayload, lines};
use crate::log::shared::{self, LenientObject};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::borrow::Cow;
use std::fmt::Write;
use tsl_synth_core::model::{CallOutcome, JsonText, Ruling};

/// The known gaps: what Codex does without the consent of the gate.
const GAPS: &[&str] = &[
    "A hook that is too slow is no denial, and no setting changes that. One that crashes or is not there (exit code 127) is \
     a denial only because the entry makes one of it, on Windows not at all.",
    "A hook that is new or changed is skipped until a person trusts it with `/hooks`.",
    "`[features] hooks = false` in `config.toml`, or an untrusted project for the files of a project, switches it off.",
    "Search that the provider hosts, input to a running process, and calls inside of another call's script are not seen.",
    "It does not tell whether a shell command succeeded: its outcome is unknown. What needs `.ok` of it is met within one \
     command only, as in `cargo test && git push`.",
    "It tells nothing after some calls that failed: such a call counts as ended, with an unknown outcome, when the next one of \
     the same agent is proposed.",
    "It cannot ask a person from a hook: what a policy answers with `ask` is refused.",
];

/// Codex has no event for failed calls, and waits at most three seconds at the end of a session.
const FACTS: HostFacts = HostFacts {
    name: "codex",
    title: "Codex",
    gaps: GAPS,
    on_failure: "Codex lets the call run",
    after_install: "Codex skips new and changed hooks until you trust them: start it and use /hooks.",
    block_setting: None,
    starts_by_cmd: true,
    shells: &["Bash"],
    events: &[
        event("SessionStart", 10),
        event("UserPromptSubmit", 10),
        event("PreToolUse", 10),
        event("PostToolUse", 10),
        event("Stop", 10),
        event("SessionEnd", 3),
    ],
    timeout: ("timeout", 1),
    place: SettingsLocation {
        layout: SettingsForm::Nested,
        variables: &[("CODEX_HOME", "")],
        folder: ".codex",
        user: "hooks.json",
        project: ".codex/hooks.json",
    },
    switches: &[
        (PathRoot::System("linux"), "/etc/codex/requirements.toml"),
        (PathRoot::System("macos"), "/etc/codex/requirements.toml"),
        (PathRoot::System("linux"), "/etc/codex/config.toml"),
        (PathRoot::System("macos"), "/etc/codex/config.toml"),
        (PathRoot::Home, "config.toml"),
        (PathRoot::Project, ".codex/config.toml"),
    ],
    harmless: HARMLESS,
    silent: SILENT,
};

pub(super) struct CodexHooks;

impl HookDialect for CodexHooks {
    fn facts(&self) -> &'static HostFacts {
        &FACTS
    }
    fn kind(&self, event: &str) -> HookKind {
        kind(event)
    }
    fn tells_what_ran(&self) -> bool {
        true
    }
    /// Calls that may run at once are those of shells, whose results say nothing about their ends.
    fn runs_in_order(&self) -> bool {
        true
    }
    fn is_by_host(&self, prompt: &str) -> bool {
        shared::is_by_codex(prompt)
    }
    fn arguments<'a>(&self, tool: &str, raw: &'a str) -> JsonText<'a> {
        let as_logged = match tool {
            PATCH => patch(raw),
            _ => is_shell(tool).then(|| shared::codex_shell_arguments(raw)).flatten(),
        };
        as_logged.unwrap_or_else(|| shared::arguments(raw))
    }
    fn asked(&self, _: &str, fields: &HookFields<'_>) -> Result<PayloadCall, String> {
        let call = named_call(fields)?;
        if !is_shell(&call.tool) {
            return Ok(call);
        }
        match shared::patches(shell_line(&call.raw)?.as_str()) {
            (Some(raw), _) => Ok(PayloadCall { server: None, tool: PATCH.into(), raw }),
            (None, None) => Ok(call),
            (None, Some(_)) => {
                Err("the command applies a patch beside other commands, so that it is not clear what comes \
                                    before and after the edit: apply the patch in a call of its own"
                    .into())
            }
        }
    }
    fn outcome(&self, _: &str, fields: &HookFields<'_>) -> CallOutcome {
        if !is_shell(&fields.text(FieldSlot::Tool).unwrap_or_default()) {
            return marked(fields.get(FieldSlot::Response), CallOutcome::Ok);
        }
        let reported = fields.given(FieldSlot::Response).and_then(shared::object::<ShellResponse>);
        let code =
            reported.and_then(|reported| reported.exit_code.or_else(|| reported.metadata.0?.exit_code));
        match code {
            Some(0) => CallOutcome::Ok,
            Some(_) => CallOutcome::Failed,
            None => marked(fields.get(FieldSlot::Response), CallOutcome::Unknown),
        }
    }
    /// Text for the model is added only after calls: before a call Codex would reject the whole answer and run the
    /// call.
    fn answer(&self, payload: &HookPayload, ruling: Ruling, reason: &str) -> HookReply {
        claude_like(payload, ruling, reason, false, payload.kind == HookKind::Result)
    }
    fn action(&self, exit: Option<i32>, stdout: &str, stderr: &str) -> HostAction {
        match exit {
            Some(0) => claude_output(stdout, decided),
            Some(2) if !stderr.is_empty() => HostAction::Refuses(stderr.to_owned()),
            _ => HostAction::Ignores,
        }
    }
    fn entry(&self, event: &HookEvent, words: &[String]) -> Value {
        let mut line = lines::posix(words);
        if self.kind(event.name) == HookKind::Call {
            // A crash or a missing program becomes a denial, in every shell that Codex may use.
            let _ = write!(line, " || sh -c 'echo \"denied by tsl-synth: {NO_ANSWER}\" >&2; exit 2'");
        }
        let hook = json!({
            "type": "command", "command": line, "commandWindows": lines::cmd(words), "timeout": event.timeout,
        });
        json!({ "hooks": [hook] })
    }
    /// `[features] hooks = false`, or its older name.
    fn is_off(&self, text: &str) -> Result<bool, String> {
        let table: toml::Table = toml::from_str(text).map_err(|error| error.message().to_owned())?;
        let features = table.get("features").and_then(toml::Value::as_table);
        let is_off = |name: &str| {
            features.and_then(|features| features.get(name)) == Some(&toml::Value::Boolean(false))
        };
        Ok(is_off("hooks") || is_off("codex_hooks"))
    }
}

/// Unknown keys make Codex ignore the whole output (`deny_unknown_fields`).
fn decided(value: &Value) -> HostAction {
    let knows = |value: &Value, keys: &[&str]| {
        value.as_object().is_some_and(|all| all.keys().all(|key| keys.contains(&key.as_str())))
    };
    let top = ["continue", "stopReason", "suppressOutput", "systemMessage", "hookSpecificOutput"];
    let specific = &value["hookSpecificOutput"];
    if !knows(value, &top) {
        return HostAction::Ignores;
    }
    if specific.is_null() {
        return HostAction::NoDecision;
    }
    // The schema also has `updatedInput` and `additionalContext`, but the versions covered here reject them.
    let inner = ["hookEventName", "permissionDecision", "permissionDecisionReason"];
    if specific["hookEventName"] != "PreToolUse" || !knows(specific, &inner) {
        return HostAction::Ignores;
    }
    match claude_decision(specific) {
        HostAction::Refuses(reason) if !reason.trim().is_empty() => HostAction::Refuses(reason),
        HostAction::NoDecision => HostAction::NoDecision,
        _ => HostAction::Ignores,
    }
}

/// The tool that edits files.
const PATCH: &str = "apply_patch";

/// The arguments of a shell with `command` as one line.
fn shell_line(raw: &str) -> Result<JsonText<'static>, String> {
    let raw = opened(raw)?;
    let line = shared::codex_shell_arguments(&raw);
    Ok(line.unwrap_or_else(|| shared::arguments(&raw).into_owned()))
}

fn is_shell(tool: &str) -> bool {
    matches!(
        tool,
        "Bash" | "shell" | "local_shell" | "container.exec" | "exec_command" | "exec" | "shell_command"
    )
}

/// Rollouts have the text of a patch in `input`, hooks in `command`: both names are given.
fn patch(raw: &str) -> Option<JsonText<'static>> {
    let reported: Patch<'_> = shared::object(raw)?;
    if reported.input.is_some() {
        return None;
    }
    let rest = raw.trim_start().strip_prefix('{')?;
    Some(JsonText(Cow::Owned(format!("{{\"input\":{},{rest}", reported.command?.get()))))
}

/// The arguments of `apply_patch`.
#[derive(Deserialize)]
struct Patch<'a> {
    #[serde(borrow)]
    command: Option<&'a RawValue>,
    #[serde(borrow)]
    input: Option<&'a RawValue>,
}

/// A structured response of a shell.
#[derive(Deserialize)]
struct ShellResponse {
    exit_code: Option<i64>,
    #[serde(default)]
    metadata: LenientObject<ShellMetadata>,
}

#[derive(Deserialize)]
struct ShellMetadata {
    exit_code: Option<i64>,
}
