//! Answers to hooks: what has to be printed and how the process has to end, per host.
//!
//! | | Claude Code | Codex |
//! |---|---|---|
//! | deny a call | JSON on stdout, exit 0 | the same, with a reason that is not blank |
//! | ask a person | JSON on stdout, exit 0 | not possible: deny, and say so |
//! | let pass | nothing, exit 0 | nothing, exit 0 |
//! | let pass with a warning | `systemMessage`, `additionalContext` | `systemMessage` only: more is an error |
//! | refuse a stop | `{"decision":"block",..}`, exit 0 | the same |
//! | fault of ours before a call | nothing on stdout, reason on stderr, exit 2 | the same |
//!
//! Exit code 2 with a reason on standard error is what both hosts take for a denial without reading JSON, so that no
//! change of their schemas turns it into a permission. Standard output is empty then: Claude Code before 2.1.214 ran the
//! call if there was JSON that its schema refused.

use super::{HookHost, HookKind, HookPayload};
use crate::model::{Answer, Ruling};
use serde_json::{Value, json};

/// Reasons are cut after so many bytes; hosts show no more than 10,000 characters.
pub const REASON_LIMIT: usize = 8_000;

/// What a hook process prints, and its exit code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookReply {
    /// For standard output.
    pub stdout: String,
    /// For standard error. Never empty where the exit code is not 0.
    pub stderr: String,
    /// The exit code.
    pub exit: u8,
}

impl HookReply {
    /// No decision: the host does what it would do without us.
    fn silence() -> Self {
        Self { stdout: String::new(), stderr: String::new(), exit: 0 }
    }
    fn json(value: &Value) -> Self {
        Self { stdout: format!("{value}\n"), stderr: String::new(), exit: 0 }
    }
    fn refusal(reason: &str) -> Self {
        Self { stdout: String::new(), stderr: format!("{reason}\n"), exit: 2 }
    }
}

/// The text without control characters, which could rewrite a terminal, and not longer than [`REASON_LIMIT`]. Never blank.
fn shown(reason: &str) -> String {
    let clean = |c: char| if c.is_control() && c != '\n' && c != '\t' { '\u{fffd}' } else { c };
    let reason = reason.trim();
    let mut out = String::new();
    for c in reason.chars().map(clean) {
        if out.len() + c.len_utf8() > REASON_LIMIT {
            out.push_str(" ...");
            break;
        }
        out.push(c);
    }
    if out.is_empty() { "refused by the policy, which gives no reason".into() } else { out }
}

/// What the host has to be told so that it does what was answered to a payload.
pub fn answer(payload: &HookPayload, answer: &Answer) -> HookReply {
    if answer.ruling == Ruling::Allow {
        return HookReply::silence();
    }
    let reason = shown(&answer.reason);
    match (payload.kind, answer.ruling) {
        (HookKind::Call, Ruling::Deny) => decision(payload, "deny", &reason),
        (HookKind::Call, Ruling::Ask) => match payload.host {
            HookHost::ClaudeCode => decision(payload, "ask", &reason),
            HookHost::Codex => decision(payload, "deny", &format!("{reason}\n{NO_ASKING}")),
        },
        (HookKind::End | HookKind::Prompt, Ruling::Deny | Ruling::Ask) => {
            HookReply::json(&json!({ "decision": "block", "reason": reason }))
        }
        (HookKind::Call | HookKind::Result, _) if says_context(payload) => HookReply::json(&json!({
            "systemMessage": reason,
            "hookSpecificOutput": { "hookEventName": payload.event, "additionalContext": reason },
        })),
        (_, Ruling::Warn) | (HookKind::Result, _) => HookReply::json(&json!({ "systemMessage": reason })),
        // These events are reports; there is nothing to refuse.
        _ => failure(payload.host, Some(&payload.event), &reason),
    }
}

/// Added to reasons where a person should be asked and the host cannot.
const NO_ASKING: &str = "A person must approve this call, and Codex cannot ask for that from a hook, so it is refused. \
    Tell the user: they can do it themselves outside of Codex, or change `on_violation` in the policy.";

/// Whether the host takes text for the model here. Codex refuses the whole answer before a call, so that the call runs.
fn says_context(payload: &HookPayload) -> bool {
    payload.host == HookHost::ClaudeCode || payload.kind == HookKind::Result
}

fn decision(payload: &HookPayload, decision: &str, reason: &str) -> HookReply {
    HookReply::json(&json!({
        "hookSpecificOutput": {
            "hookEventName": payload.event,
            "permissionDecision": decision,
            "permissionDecisionReason": reason,
        }
    }))
}

/// Events in which nothing waits for a permission, so that a fault of ours is only reported. In `Stop` and `SubagentStop` a
/// refusal would hold the agent for ever.
const HARMLESS: &[&str] = &[
    "SessionStart",
    "SessionEnd",
    "Stop",
    "StopFailure",
    "SubagentStart",
    "SubagentStop",
    "PostToolUse",
    "PostToolUseFailure",
    "PostToolBatch",
    "Notification",
    "PreCompact",
    "PostCompact",
    "Interrupt",
    "Setup",
];

/// What the host has to be told when anything of ours goes wrong, so that it does not run what it asked about. Without a
/// name of the event it may be a call. A prompt is refused too: what the user said would be missing in the journal.
pub fn failure(_host: HookHost, event: Option<&str>, reason: &str) -> HookReply {
    let reason = shown(reason);
    if event.is_some_and(|event| HARMLESS.contains(&event)) {
        return HookReply::json(&json!({ "systemMessage": format!("tsl-synth: {reason}") }));
    }
    HookReply::refusal(&format!("denied by tsl-synth: {reason}"))
}
