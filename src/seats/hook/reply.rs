//! Replies to hooks: the output and the exit code of the process.
//!
//! | | deny | ask a person | let pass | fault of ours before a call |
//! |---|---|---|---|---|
//! | Claude Code | JSON, exit 0 | JSON | nothing | nothing on stdout, reason on stderr, exit 2 |
//! | Codex | the same, with a reason that is not blank | not possible: deny, and say so | nothing | the same |
//! | Copilot | flat JSON and that of VS Code in one object | JSON | nothing | the same; any exit code but 0 denies |
//! | Gemini CLI | `decision` in JSON | not in all versions: deny | `{}` | JSON of a denial, exit 0 |
//! | Cursor | `permission` in JSON | not in all events: deny | JSON of a permission | reason on stderr, exit 2 |
//! | Cline | `cancel` in JSON | not possible: deny | JSON | JSON of a denial: it ignores exit codes |
//! | OpenCode | our own JSON, read by our plugin | not possible: deny | JSON | the same as a denial |
//!
//! Where exit code 2 with a reason on standard error is a denial, it is our answer to faults: no change of the host's
//! schema turns it into a permission. Standard output is empty then: Claude Code before 2.1.214 ran the call if there
//! was JSON that its schema refused.

use super::{HookHost, HookKind, HookPayload};
use serde_json::{Value, json};
use tsl_synth_core::model::{ProposalAnswer, Ruling};

/// Reasons are cut after this many bytes; hosts show no more than 10,000 characters.
pub const REASON_LIMIT: usize = 8_000;

/// The reason in the denial that an entry in the settings of a host gives if the gate ends without an answer, for hosts
/// whose entries can do that.
pub const NO_ANSWER: &str = "the gate did not answer";

/// What a hook process prints, and its exit code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookReply {
    /// For standard output.
    pub stdout: String,
    /// For standard error. Never empty if the exit code is not 0.
    pub stderr: String,
    /// The exit code.
    pub exit: u8,
}

impl HookReply {
    /// No decision: the host does what it would do without a hook.
    pub(super) fn silence() -> Self {
        Self { stdout: String::new(), stderr: String::new(), exit: 0 }
    }
    pub(super) fn json(value: &Value) -> Self {
        Self { stdout: format!("{value}\n"), stderr: String::new(), exit: 0 }
    }
    pub(super) fn refusal(reason: &str) -> Self {
        Self { stdout: String::new(), stderr: format!("{reason}\n"), exit: 2 }
    }
}

/// The text without control characters, which could rewrite a terminal, and not longer than [`REASON_LIMIT`]. Never
/// blank.
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

/// The reply that makes the host carry out the gate's answer to a payload.
pub fn answer(payload: &HookPayload, answer: &ProposalAnswer) -> HookReply {
    let reason = if answer.ruling == Ruling::Allow { String::new() } else { shown(&answer.reason) };
    payload.host.dialect().answer(payload, answer.ruling, &reason)
}

/// The reply after a fault of ours, which keeps the host from running the call. Without a name, the event may be a
/// call. A prompt is refused too, since the message of the user would be missing in the journal.
pub fn failure(host: HookHost, event: Option<&str>, reason: &str) -> HookReply {
    host.dialect().failure(event, &shown(reason))
}

/// The beginning of the reason for refusing the end. Hosts send this reason to the model as a prompt; the beginning
/// distinguishes it from messages of the user, about which policies have rules.
pub(super) const HELD: &str = "tsl-synth does not let the turn end: ";

/// The reason for a refusal if a person should be asked and the host cannot ask.
pub(super) fn not_asked(reason: &str, title: &str) -> String {
    format!(
        "{reason}\nA person must approve this call, and {title} cannot ask for that from a hook, so it is refused. \
         Tell the user: they can do it themselves outside of {title}, or change `on_violation` in the policy."
    )
}

/// The part of an answer that has the name of the event.
pub(super) fn specific(event: &str, decision: &str, reason: &str) -> Value {
    json!({ "hookEventName": event, "permissionDecision": decision, "permissionDecisionReason": reason })
}

/// The answers of Claude Code and Codex. `asks` is whether the host can ask a person, `says_context` whether it accepts
/// text for the model here.
pub(super) fn claude_like(
    payload: &HookPayload,
    ruling: Ruling,
    reason: &str,
    asks: bool,
    says_context: bool,
) -> HookReply {
    let decision = |decision: &str, reason: &str| {
        HookReply::json(&json!({ "hookSpecificOutput": specific(&payload.event, decision, reason) }))
    };
    match (payload.kind, ruling) {
        (_, Ruling::Allow) => HookReply::silence(),
        (HookKind::Call, Ruling::Deny) => decision("deny", reason),
        (HookKind::Call, Ruling::Ask) if asks => decision("ask", reason),
        (HookKind::Call, Ruling::Ask) => decision("deny", &not_asked(reason, payload.host.title())),
        (HookKind::End | HookKind::Prompt | HookKind::Settings, Ruling::Deny | Ruling::Ask) => {
            HookReply::json(&json!({ "decision": "block", "reason": reason }))
        }
        (HookKind::Call | HookKind::Result, _) if says_context => HookReply::json(&json!({
            "systemMessage": reason,
            "hookSpecificOutput": { "hookEventName": payload.event, "additionalContext": reason },
        })),
        (_, Ruling::Warn) | (HookKind::Result, _) => HookReply::json(&json!({ "systemMessage": reason })),
        // These events are reports; there is nothing to refuse.
        _ => failure(payload.host, Some(&payload.event), reason),
    }
}

/// Exit code 2 with a reason; for events that request no permission only a message.
pub(super) fn claude_like_failure(harmless: &[&str], event: Option<&str>, reason: &str) -> HookReply {
    if event.is_some_and(|event| harmless.contains(&event)) {
        return HookReply::json(&json!({ "systemMessage": format!("tsl-synth: {reason}") }));
    }
    HookReply::refusal(&format!("denied by tsl-synth: {reason}"))
}
