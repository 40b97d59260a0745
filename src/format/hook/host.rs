//! What a host makes of the output of a hook before a call: the rules of its manual or source, written down once more, to
//! hold our answers and an installed hook against.

use super::HookHost;
use serde_json::Value;

/// What the host does with the call.
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

/// What the host does after a hook that ended by itself. Without an exit code it was killed.
pub fn action(host: HookHost, exit: Option<i32>, stdout: &str, stderr: &str) -> HostAction {
    let stdout = stdout.trim();
    match exit {
        Some(0) => match serde_json::from_str::<Value>(stdout) {
            _ if stdout.is_empty() => HostAction::NoDecision,
            Ok(value) if value.is_object() => match host {
                HookHost::ClaudeCode => claude(&value),
                HookHost::Codex => codex(&value),
            },
            // Other text is context for the model at best.
            _ if stdout.starts_with(['{', '[']) => HostAction::Ignores,
            _ => HostAction::NoDecision,
        },
        Some(2) => match (host, stderr.trim()) {
            (HookHost::Codex, "") => HostAction::Ignores,
            // Before 2.1.214 Claude Code ran the call if there was JSON that its schema refused.
            (HookHost::ClaudeCode, _) if !stdout.is_empty() => HostAction::Ignores,
            (_, reason) => HostAction::Refuses(reason.to_owned()),
        },
        _ => HostAction::Ignores,
    }
}

fn decided(specific: &Value, codex: bool) -> HostAction {
    let reason = specific["permissionDecisionReason"].as_str().unwrap_or_default();
    match specific["permissionDecision"].as_str() {
        Some("deny") if codex && reason.trim().is_empty() => HostAction::Ignores,
        Some("deny") => HostAction::Refuses(reason.to_owned()),
        Some(_) if codex => HostAction::Ignores,
        Some("ask") => HostAction::Asks,
        Some("allow") => HostAction::Approves,
        Some(_) => HostAction::Ignores,
        None => HostAction::NoDecision,
    }
}

fn claude(value: &Value) -> HostAction {
    let specific = &value["hookSpecificOutput"];
    if specific.is_null() {
        return HostAction::NoDecision;
    }
    if specific["hookEventName"] == "PreToolUse" { decided(specific, false) } else { HostAction::Ignores }
}

/// Unknown keys make Codex ignore the whole output (`deny_unknown_fields`).
fn codex(value: &Value) -> HostAction {
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
    // `updatedInput` and `additionalContext` are known, and refused by the versions that we read.
    let inner = ["hookEventName", "permissionDecision", "permissionDecisionReason"];
    if specific["hookEventName"] != "PreToolUse" || !knows(specific, &inner) {
        return HostAction::Ignores;
    }
    decided(specific, true)
}
