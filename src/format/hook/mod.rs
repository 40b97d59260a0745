//! Hooks of hosts of agents: what a host tells a hook on standard input, and what it has to read and see as the exit code
//! to do what was decided. Each host has a dialect of its own; an answer that one host obeys lets the call run in another.
//!
//! ```
//! use tsl_synth::format::hook::{HookHost, HookKind, answer, read};
//! use tsl_synth::model::{Answer, Ruling};
//!
//! let payload = br#"{"session_id":"s1","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"git push"},"tool_use_id":"t9"}"#;
//! let payload = read(HookHost::ClaudeCode, payload).expect("a payload");
//! assert_eq!((payload.kind, payload.session.as_str()), (HookKind::Call, "s1"));
//! let denied = Answer { ruling: Ruling::Deny, reason: "run the tests first".into(), laws: vec![], ticket: None };
//! let reply = answer(&payload, &denied);
//! assert!(reply.exit == 0 && reply.stdout.contains(r#""permissionDecision":"deny""#));
//! ```
//!
//! What holds for all hosts:
//!
//! - A payload that cannot be read for certain is a [`HookFault`], which [`failure`] answers with a denial: half of a JSON
//!   text, text that is not UTF-8 or has half of a surrogate pair, a key that is named twice, a call without a session,
//!   tool or arguments, an event of an unknown name that has the form of a proposed call. What the gate judges must be
//!   what the host runs.
//! - Keys that are not known are passed over.
//! - We never approve in the place of a person: what is allowed is answered with silence, so that the permissions of the
//!   host still apply.

mod claude;
mod codex;
mod entry;
mod fields;
mod host;
mod payload;
mod reply;
pub mod settings;

pub use entry::{HookEvent, events, settings_entry};
pub use host::{HostAction, action};
pub use payload::{HookFault, HookKind, HookPayload, PAYLOAD_LIMIT, read};
pub use reply::{HookReply, REASON_LIMIT, answer, failure};

/// A host whose hooks we speak.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HookHost {
    /// Claude Code.
    ClaudeCode,
    /// Codex.
    Codex,
}

impl HookHost {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::ClaudeCode, Self::Codex];

    /// Its name on the command line and in journals.
    pub fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
        }
    }
    /// Its name in sentences.
    pub fn title(self) -> &'static str {
        match self {
            Self::ClaudeCode => "Claude Code",
            Self::Codex => "Codex",
        }
    }
    /// What this host lets through although a gate stands in front of its calls, in sentences.
    pub fn gaps(self) -> &'static [&'static str] {
        match self {
            Self::ClaudeCode => claude::GAPS,
            Self::Codex => codex::GAPS,
        }
    }
}
