//! What a host needs to have: its facts, how its payloads are read, how it is answered, and what it makes of answers.

use super::fields::{COMMON, FieldSlot, HookFields, marked};
use super::reply::{HookReply, claude_like_failure};
use super::{HookKind, HookPayload};
use crate::format::log::{shared, split_mcp};
use crate::model::{CallOutcome, JsonText, Ruling};
use serde_json::{Value, json};
use std::borrow::Cow;

/// An event that we are called for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HookEvent {
    /// The name that the host gives it.
    pub name: &'static str,
    /// The number of seconds that the host waits for the hook. Our own deadline is far below.
    pub timeout: u64,
}

/// Shorter to write in the tables of the hosts.
pub(super) const fn event(name: &'static str, timeout: u64) -> HookEvent {
    HookEvent { name, timeout }
}

/// What the host does with a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HostAction {
    /// It goes on as if there were no hook: its own permissions decide.
    NoDecision,
    /// It runs the call without asking anybody.
    Approves,
    /// It asks a person.
    Asks,
    /// It refuses the call and shows the reason to the model.
    Refuses(String),
    /// It says that the hook failed, and goes on as if there were none.
    Ignores,
}

impl HostAction {
    /// Whether the call may run without a person.
    pub fn may_run(&self) -> bool {
        matches!(self, Self::NoDecision | Self::Approves | Self::Ignores)
    }
}

/// The form of the settings of a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettingsForm {
    /// JSON: `hooks.<event>` is a list of entries, each with a list `hooks`.
    Nested,
    /// JSON with a `version`: `hooks.<event>` is a list of hooks.
    Flat,
    /// Files that are ours as a whole.
    Files,
}

/// Where the settings of a host are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SettingsLocation {
    /// Their form.
    pub layout: SettingsForm,
    /// Variables that name another folder than `folder`, and what is below that folder.
    pub variables: &'static [(&'static str, &'static str)],
    /// The folder of the host in the home folder.
    pub folder: &'static str,
    /// The settings of all projects, in that folder: a file, or the folder of our files.
    pub user: &'static str,
    /// The settings of a project, in the folder of the project.
    pub project: &'static str,
}

/// What the path of a file begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathRoot {
    /// It is absolute, on this system: `linux`, `macos` or `windows`.
    System(&'static str),
    /// The folder of the host in the home folder.
    Home,
    /// The folder of the project.
    Project,
}

/// A file that can switch hooks off.
pub type Switch = (PathRoot, &'static str);

/// What to try a hook with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sample<'a> {
    /// A call of this tool.
    Call(&'a str),
    /// The user says this.
    Prompt(&'a str),
}

/// What there is to say of a host without reading anything.
pub(super) struct HostFacts {
    pub(super) name: &'static str,
    pub(super) title: &'static str,
    pub(super) gaps: &'static [&'static str],
    pub(super) on_failure: &'static str,
    pub(super) after_install: &'static str,
    pub(super) block_setting: Option<&'static str>,
    pub(super) starts_by_cmd: bool,
    pub(super) shells: &'static [&'static str],
    pub(super) events: &'static [HookEvent],
    /// The key of the time that the host waits, and how many of its units a second has.
    pub(super) timeout: (&'static str, u64),
    pub(super) place: SettingsLocation,
    pub(super) switches: &'static [Switch],
    /// Events in which nothing waits for a permission, so that a fault of ours is only reported. At the wish to stop a
    /// refusal would hold the agent forever.
    pub(super) harmless: &'static [&'static str],
    /// Events with a tool that come after another event of the same call, so that silence decides nothing.
    pub(super) silent: &'static [&'static str],
}

/// The call that a payload reports.
pub(super) struct PayloadCall {
    pub(super) server: Option<String>,
    pub(super) tool: String,
    /// The arguments as they stand in the payload.
    pub(super) raw: String,
}

pub(super) trait HookDialect: Sync {
    fn facts(&self) -> &'static HostFacts;
    /// The keys of payloads that are read.
    fn keys(&self) -> &'static [(&'static str, FieldSlot)] {
        COMMON
    }
    /// Fills entries that stand deeper in the payload.
    fn unfold(&self, _fields: &mut HookFields<'_>) -> Result<(), String> {
        Ok(())
    }
    /// The name of the event, where only the form of the payload shows it.
    fn guess(&self, _fields: &HookFields<'_>) -> Option<&'static str> {
        None
    }
    fn kind(&self, event: &str) -> HookKind;
    /// Whether the event reports a call that another event reports with its id.
    fn repeats(&self, _event: &str) -> bool {
        false
    }
    /// Whether another event reports all that this one reports, and more.
    fn is_told_elsewhere(&self, _event: &str, _fields: &HookFields<'_>) -> bool {
        false
    }
    /// Whether the wish to stop is one: some hosts report by the same event that the agent was interrupted.
    fn wants_end(&self, _fields: &HookFields<'_>) -> bool {
        true
    }
    /// Whether the host itself says this in the place of the user.
    fn is_by_host(&self, _prompt: &str) -> bool {
        false
    }
    /// The call of a payload, before it or after it.
    fn asked(&self, _event: &str, fields: &HookFields<'_>) -> Result<PayloadCall, String> {
        let Some(name) = fields.text(FieldSlot::Tool).filter(|name| !name.is_empty()) else {
            return Err("the payload of the hook names no tool (`tool_name`)".into());
        };
        let Some(raw) = fields.given(FieldSlot::Input) else {
            return Err("the payload of the hook has no arguments (`tool_input`)".into());
        };
        let (server, tool) = if let Some(server) = fields.text(FieldSlot::Server) {
            (Some(server), fields.text(FieldSlot::ServerTool).unwrap_or(name))
        } else {
            let (server, tool) = split_mcp(&name);
            (server.map(str::to_owned), tool.to_owned())
        };
        Ok(PayloadCall { server, tool, raw: raw.to_owned() })
    }
    /// The arguments as policies read them.
    fn arguments<'a>(&self, _tool: &str, raw: &'a str) -> JsonText<'a> {
        shared::arguments(raw)
    }
    /// How a call ended.
    fn outcome(&self, _event: &str, fields: &HookFields<'_>) -> CallOutcome {
        marked(fields.get(FieldSlot::Response), CallOutcome::Ok)
    }
    /// What has to be printed. The reason is blank only where the ruling is to allow.
    fn answer(&self, payload: &HookPayload, ruling: Ruling, reason: &str) -> HookReply;
    /// What has to be printed when anything of ours goes wrong.
    fn failure(&self, event: Option<&str>, reason: &str) -> HookReply {
        claude_like_failure(self.facts().harmless, event, reason)
    }
    /// What the host does with the call after a hook with this exit code and output, by its manual or source. The outputs are
    /// trimmed.
    fn action(&self, exit: Option<i32>, stdout: &str, stderr: &str) -> HostAction;
    /// The entry for an event, in settings that are JSON.
    fn entry(&self, _event: &HookEvent, _words: &[String]) -> Value {
        Value::Null
    }
    /// Our files, by name.
    fn files(&self, _words: &[String]) -> Vec<(&'static str, String)> {
        Vec::new()
    }
    /// Whether settings switch our hooks off.
    fn is_off(&self, _text: &str) -> Result<bool, String> {
        Ok(false)
    }
    /// A payload to try a hook with.
    fn sample(&self, event: &str, session: &str, folder: &str, sample: Sample<'_>) -> Value {
        let base = json!({
            "session_id": session, "transcript_path": null, "cwd": folder, "permission_mode": "default",
            "hook_event_name": event,
        });
        let more = match sample {
            Sample::Call(tool) => {
                json!({ "tool_name": tool, "tool_use_id": "doctor-1", "tool_input": { "text": "tried" } })
            }
            Sample::Prompt(text) => json!({ "prompt": text }),
        };
        joined(base, more)
    }
}

/// The entries of both objects.
pub(super) fn joined(mut base: Value, more: Value) -> Value {
    if let (Some(all), Value::Object(more)) = (base.as_object_mut(), more) {
        all.extend(more);
    }
    base
}

/// The decision that an answer like those of Claude Code has.
pub(super) fn claude_decision(specific: &Value) -> HostAction {
    let reason = || specific["permissionDecisionReason"].as_str().unwrap_or_default().to_owned();
    match specific["permissionDecision"].as_str() {
        Some("deny") => HostAction::Refuses(reason()),
        Some("ask") => HostAction::Asks,
        Some("allow") => HostAction::Approves,
        Some(_) => HostAction::Ignores,
        None => HostAction::NoDecision,
    }
}

/// What a host makes of the output of a hook that ended well, if it reads it as Claude Code does: nothing is no decision, an
/// object is an answer, other JSON is ignored, and other text is context for the model at best.
pub(super) fn claude_output(stdout: &str, answer: impl FnOnce(&Value) -> HostAction) -> HostAction {
    match serde_json::from_str::<Value>(stdout) {
        _ if stdout.is_empty() => HostAction::NoDecision,
        Ok(value) if value.is_object() => answer(&value),
        _ if stdout.starts_with(['{', '[']) => HostAction::Ignores,
        _ => HostAction::NoDecision,
    }
}

/// Arguments that a host sends as an object, or as a string that holds one.
///
/// # Errors
/// A string that begins like an object and is none: the host may read it otherwise.
pub(super) fn opened(raw: &str) -> Result<Cow<'_, str>, String> {
    if !raw.starts_with('"') {
        return Ok(Cow::Borrowed(raw));
    }
    let opened = shared::arguments(raw);
    let is_left = opened.as_str() == raw;
    let inner = shared::unquoted(raw).unwrap_or_default();
    if is_left && inner.trim_start().starts_with(['{', '[']) {
        return Err("the arguments of the call cannot be read: a text that is no JSON".into());
    }
    Ok(Cow::Owned(opened.as_str().to_owned()))
}
