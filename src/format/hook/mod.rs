//! Hooks of hosts of agents: what a host sends to a hook on standard input, and what it has to read and see as the exit code
//! to do what was decided. Each host has a dialect of its own, which is one file of this module and one line of the list
//! of hosts; an answer that one host obeys lets the call run in another.
//!
//! ```
//! use tsl_synth::format::hook::{HookHost, HookKind, answer, read};
//! use tsl_synth::model::{ProposalAnswer, Ruling};
//!
//! let payload = br#"{"session_id":"s1","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"git push"},"tool_use_id":"t9"}"#;
//! let payload = read(HookHost::ClaudeCode, None, payload).expect("a payload");
//! assert_eq!((payload.kind, payload.session.as_str()), (HookKind::Call, "s1"));
//! let denied = ProposalAnswer { ruling: Ruling::Deny, reason: "run the tests first".into(), laws: vec![], ticket: None };
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
//! - We never approve in the place of a person: what is allowed is answered so that the permissions of the host still
//!   apply.
//! - Where a host gives calls no ids, a result is of the oldest open call of the same tool with the same arguments
//!   ([`HookPayload::of`]).

mod claude;
mod cline;
mod codex;
mod copilot;
mod cursor;
mod dialect;
mod fields;
pub mod files;
mod gemini;
mod lines;
mod opencode;
mod payload;
mod reply;
pub mod settings;

use dialect::HookDialect;
pub use dialect::{HookEvent, HostAction, PathRoot, Sample, SettingsForm, SettingsLocation, Switch};
pub use payload::{HookFault, HookKind, HookPayload, PAYLOAD_LIMIT, read};
pub use reply::{HookReply, NO_ANSWER, REASON_LIMIT, answer, failure};
use serde_json::Value;

/// The list of hosts: the name of the variant, and the dialect.
macro_rules! hosts {
    ($($(#[$doc:meta])* $host:ident: $dialect:expr;)*) => {
        /// A host whose hooks we speak.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum HookHost { $($(#[$doc])* $host,)* }

        impl HookHost {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$host),*];

            fn dialect(self) -> &'static dyn HookDialect {
                match self { $(Self::$host => &$dialect,)* }
            }
        }
    };
}

hosts! {
    /// Claude Code.
    ClaudeCode: claude::ClaudeHooks;
    /// Codex.
    Codex: codex::CodexHooks;
    /// GitHub Copilot: its command line program, its cloud agent, and Copilot in VS Code.
    Copilot: copilot::Copilot;
    /// Gemini CLI.
    GeminiCli: gemini::Gemini;
    /// Cursor.
    Cursor: cursor::Cursor;
    /// Cline.
    Cline: cline::Cline;
    /// OpenCode.
    OpenCode: opencode::OpenCode;
}

impl HookHost {
    /// Its name on the command line and in journals.
    pub fn name(self) -> &'static str {
        self.dialect().facts().name
    }
    /// Its name in sentences.
    pub fn title(self) -> &'static str {
        self.dialect().facts().title
    }
    /// What this host lets through although a gate stands in front of its calls, in sentences.
    pub fn gaps(self) -> &'static [&'static str] {
        self.dialect().facts().gaps
    }
    /// What this host does when the program of the hook is not there, is killed or is too slow, as the end of a sentence.
    pub fn on_failure(self) -> &'static str {
        self.dialect().facts().on_failure
    }
    /// What has to be done or known after our hooks were installed, in a sentence; empty if nothing.
    pub fn after_install(self) -> &'static str {
        self.dialect().facts().after_install
    }
    /// The setting of an entry that makes the host refuse a call when the hook fails, if it has one.
    pub fn block_setting(self) -> Option<&'static str> {
        self.dialect().facts().block_setting
    }
    /// Whether it starts hooks by `cmd` on Windows, which takes away outer quotation marks.
    pub fn starts_by_cmd(self) -> bool {
        self.dialect().facts().starts_by_cmd
    }
    /// The names of the tools of the host that run a command line.
    pub fn shells(self) -> &'static [&'static str] {
        self.dialect().facts().shells
    }
    /// All the events that we are called for. Those of which we would learn nothing are left out: each is a process.
    pub fn events(self) -> &'static [HookEvent] {
        self.dialect().facts().events
    }
    /// What the event of this name is.
    pub fn kind(self, event: &str) -> HookKind {
        self.dialect().kind(event)
    }
    /// Where its settings are.
    pub fn place(self) -> &'static SettingsLocation {
        &self.dialect().facts().place
    }
    /// The files that can switch hooks off.
    pub fn switches(self) -> &'static [Switch] {
        self.dialect().facts().switches
    }
    /// Whether the text of such a file switches our hooks off.
    ///
    /// # Errors
    /// Text that the host could not read either.
    pub fn is_off(self, text: &str) -> Result<bool, String> {
        self.dialect().is_off(text)
    }
    /// A payload as the host sends it, to try a hook with.
    pub fn sample(self, event: &str, session: &str, folder: &str, sample: Sample<'_>) -> Value {
        self.dialect().sample(event, session, folder, sample)
    }
    /// What the host does with a call after a hook that ended by itself: the rules of its manual or source, written down
    /// once more, to hold our answers and an installed hook against. Without an exit code it was killed.
    pub fn action(self, exit: Option<i32>, stdout: &str, stderr: &str) -> HostAction {
        self.dialect().action(exit, stdout.trim(), stderr.trim())
    }
}
