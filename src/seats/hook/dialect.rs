//! What each host defines: its facts, how its payloads are read, how it is answered, and how it reacts to answers.

use super::fields::{COMMON, FieldSlot, HookFields, marked};
use super::reply::{HookReply, claude_like_failure};
use super::{EndedCalls, HookKind, HookPayload};
use crate::log::{shared, split_mcp};
use serde_json::{Value, json};
use std::borrow::Cow;
use tsl_synth_core::model::{CallOutcome, JsonText, Ruling};

/// An event of a host for which our hook is installed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HookEvent {
    /// The name that the host gives it.
    pub name: &'static str,
    /// The number of seconds that the host waits for the hook. Our own deadline is far below.
    pub timeout: u64,
}

/// Shorthand for the tables of the hosts.
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
    /// It reports that the hook failed, and goes on as if there were none.
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
    /// Files that contain nothing but our hook.
    Files,
}

/// Where the settings of a host are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SettingsLocation {
    /// Their form.
    pub layout: SettingsForm,
    /// Environment variables that name another folder than `folder`, each with the path of the settings below that
    /// folder.
    pub variables: &'static [(&'static str, &'static str)],
    /// The folder of the host in the home folder.
    pub folder: &'static str,
    /// The settings of all projects, in that folder: a file, or the folder of our files.
    pub user: &'static str,
    /// The settings of a project, in the folder of the project.
    pub project: &'static str,
}

/// The folder that the path of a file is relative to.
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

/// The event with which a hook is tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sample<'a> {
    /// A call of this tool.
    Call(&'a str),
    /// A prompt of the user with this text.
    Prompt(&'a str),
}

/// The constant facts about a host.
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
    /// The key of the time-out in an entry, and the number of its units per second.
    pub(super) timeout: (&'static str, u64),
    pub(super) place: SettingsLocation,
    pub(super) switches: &'static [Switch],
    /// Events that request no permission, so that a fault of ours is only reported. The wish to stop is one of them:
    /// after a fault, refusals would keep the agent running forever.
    pub(super) harmless: &'static [&'static str],
    /// Events with a tool that follow another event of the same call, so they need no decision.
    pub(super) silent: &'static [&'static str],
}

/// The call that a payload reports.
pub(super) struct PayloadCall {
    pub(super) server: Option<String>,
    pub(super) tool: String,
    /// The arguments as in the payload.
    pub(super) raw: String,
}

pub(super) trait HookDialect: Sync {
    fn facts(&self) -> &'static HostFacts;
    /// The keys of payloads that are read.
    fn keys(&self) -> &'static [(&'static str, FieldSlot)] {
        COMMON
    }
    /// Fills entries from inner objects of the payload.
    fn unfold(&self, _fields: &mut HookFields<'_>) -> Result<(), String> {
        Ok(())
    }
    /// The name of the event, if only the form of the payload implies it.
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
    /// Whether an event of kind [`HookKind::End`] is a wish to stop: some hosts also use it to report that the agent
    /// was interrupted.
    fn wants_end(&self, _fields: &HookFields<'_>) -> bool {
        true
    }
    /// Whether the host itself wrote this prompt, in the place of the user.
    fn is_by_host(&self, _prompt: &str) -> bool {
        false
    }
    /// If the host wrote this prompt to tell how a call in the background ended: its id and its outcome.
    fn notice(&self, _prompt: &str) -> Option<(String, CallOutcome)> {
        None
    }
    /// Whether the call of a result goes on in the background, and a notice tells its end.
    fn goes_on(&self, _fields: &HookFields<'_>) -> bool {
        false
    }
    /// Whether an agent runs its calls one after the other, so that a call shows that those before it are over.
    fn runs_in_order(&self) -> bool {
        false
    }
    /// Whether a prompt comes only when all calls of the agent are over.
    fn waits_at_prompts(&self) -> bool {
        true
    }
    /// The calls that an event of kind [`HookKind::Ended`] shows to be over.
    fn ended(&self, _fields: &HookFields<'_>) -> EndedCalls {
        EndedCalls::OfAgent
    }
    /// The call that a payload is about, before or after it runs.
    fn asked(&self, _event: &str, fields: &HookFields<'_>) -> Result<PayloadCall, String> {
        named_call(fields)
    }
    /// The arguments as policies read them.
    fn arguments<'a>(&self, _tool: &str, raw: &'a str) -> JsonText<'a> {
        shared::arguments(raw)
    }
    /// How a call ended.
    fn outcome(&self, _event: &str, fields: &HookFields<'_>) -> CallOutcome {
        marked(fields.get(FieldSlot::Response), CallOutcome::Ok)
    }
    /// Whether the arguments in the report of a result are those with which the call ran, in the form in which it was
    /// proposed.
    fn tells_what_ran(&self) -> bool {
        false
    }
    /// The value of a result as policies read it.
    fn result(&self, fields: &HookFields<'_>) -> Option<JsonText<'static>> {
        let value = fields.given(FieldSlot::Response).or(fields.given(FieldSlot::Error));
        value.map(|raw| shared::result(raw).into_owned())
    }
    /// The reply to a ruling. The reason is blank only if the ruling is to allow.
    fn answer(&self, payload: &HookPayload, ruling: Ruling, reason: &str) -> HookReply;
    /// The reply after a fault of ours.
    fn failure(&self, event: Option<&str>, reason: &str) -> HookReply {
        claude_like_failure(self.facts().harmless, event, reason)
    }
    /// What the host does with the call after a hook with this exit code and output, according to its manual or source.
    /// The outputs are trimmed.
    fn action(&self, exit: Option<i32>, stdout: &str, stderr: &str) -> HostAction;
    /// The entry for an event, in settings that are JSON.
    fn entry(&self, _event: &HookEvent, _words: &[String]) -> Value {
        Value::Null
    }
    /// Our files: names and contents.
    fn files(&self, _words: &[String]) -> Vec<(&'static str, String)> {
        Vec::new()
    }
    /// Whether settings switch our hooks off.
    fn is_off(&self, _text: &str) -> Result<bool, String> {
        Ok(false)
    }
    /// A payload with which a hook is tested.
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

/// The call with the name and the arguments of the common keys.
pub(super) fn named_call(fields: &HookFields<'_>) -> Result<PayloadCall, String> {
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

/// The entries of both objects.
pub(super) fn joined(mut base: Value, more: Value) -> Value {
    if let (Some(all), Value::Object(more)) = (base.as_object_mut(), more) {
        all.extend(more);
    }
    base
}

/// The decision in an answer of the form of Claude Code.
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

/// The reaction of a host that reads the output of a hook with exit code 0 as Claude Code does: no output is no
/// decision, an object is an answer, other output that begins like JSON is ignored, and other text is at best context
/// for the model.
pub(super) fn claude_output(stdout: &str, answer: impl FnOnce(&Value) -> HostAction) -> HostAction {
    match serde_json::from_str::<Value>(stdout) {
        _ if stdout.is_empty() => HostAction::NoDecision,
        Ok(value) if value.is_object() => answer(&value),
        _ if stdout.starts_with(['{', '[']) => HostAction::Ignores,
        _ => HostAction::NoDecision,
    }
}

/// Arguments that a host sends as an object, or as a string that contains one.
///
/// # Errors
/// A string that begins like an object or array but is not JSON, since the host may read it differently.
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
