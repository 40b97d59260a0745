//! Hooks of agent hosts: the payload that a host sends to a hook on standard input, and the output and exit code that
//! make the host carry out a decision. Each host has its own dialect, which is one file of this module and one line of
//! the list of hosts; an answer that one host obeys may let the call run in another.
//!
//! ```
//! use tsl_synth_seats::hook::{HookHost, HookKind, answer, read};
//! use tsl_synth_core::model::{ProposalAnswer, Ruling};
//!
//! let payload = br#"{"session_id":"s1","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"git push"},"tool_use_id":"t9"}"#;
//! let payload = read(HookHost::ClaudeCode, None, payload).expect("a payload");
//! assert_eq!((payload.kind, payload.session.as_str()), (HookKind::Call, "s1"));
//! let denied = ProposalAnswer { ruling: Ruling::Deny, reason: "run the tests first".into(), laws: vec![], ticket: None };
//! let reply = answer(&payload, &denied);
//! assert!(reply.exit == 0 && reply.stdout.contains(r#""permissionDecision":"deny""#));
//! ```
//!
//! For all hosts:
//!
//! - A payload that cannot be read reliably is a [`HookFault`], which [`failure`] answers with a denial: incomplete
//!   JSON, text that is not UTF-8 or has half of a surrogate pair, duplicate keys, a call without a session, tool or
//!   arguments, an event with an unknown name that has the form of a proposed call. The gate must judge exactly the
//!   call that the host runs.
//! - Unknown keys are ignored.
//! - We never approve a call in the place of a person: the answer for an allowed call leaves the permissions of the
//!   host in force.
//! - If a host gives calls no ids, a result belongs to the oldest open call of the same tool with the same arguments
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
pub use payload::{EndedCalls, HookFault, HookKind, HookPayload, MessagePart, PAYLOAD_LIMIT, read};
pub use reply::{HookReply, NO_ANSWER, REASON_LIMIT, answer, failure};
use serde_json::Value;

/// The list of hosts: the name of the variant, and the dialect.
macro_rules! hosts {
    ($($(#[$doc:meta])* $host:ident: $dialect:expr;)*) => {
        /// A host whose hooks are supported.
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
    /// The known gaps: what this host does without the consent of an installed gate, in sentences.
    pub fn gaps(self) -> &'static [&'static str] {
        self.dialect().facts().gaps
    }
    /// What this host does when the program of the hook is not there, is killed or is too slow, as the end of a
    /// sentence.
    pub fn on_failure(self) -> &'static str {
        self.dialect().facts().on_failure
    }
    /// What the user has to do or know after our hooks were installed, in a sentence; may be empty.
    pub fn after_install(self) -> &'static str {
        self.dialect().facts().after_install
    }
    /// The setting of an entry that makes the host refuse a call when the hook fails, if it has one.
    pub fn block_setting(self) -> Option<&'static str> {
        self.dialect().facts().block_setting
    }
    /// Whether it starts hooks by `cmd` on Windows, which removes outer quotation marks.
    pub fn starts_by_cmd(self) -> bool {
        self.dialect().facts().starts_by_cmd
    }
    /// The names of the tools of the host that run a command line.
    pub fn shells(self) -> &'static [&'static str] {
        self.dialect().facts().shells
    }
    /// The events for which our hook is installed. Events without information for the gate are left out, since each
    /// starts a process.
    pub fn events(self) -> &'static [HookEvent] {
        self.dialect().facts().events
    }
    /// The kind of the event with this name.
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
    /// A payload as the host sends it, with which a hook is tested.
    pub fn sample(self, event: &str, session: &str, folder: &str, sample: Sample<'_>) -> Value {
        self.dialect().sample(event, session, folder, sample)
    }
    /// What the host does with a call after a hook that ended before its time-out: the rules of its manual or source,
    /// against which our answers and an installed hook are checked. Without an exit code the hook was killed.
    pub fn action(self, exit: Option<i32>, stdout: &str, stderr: &str) -> HostAction {
        self.dialect().action(exit, stdout.trim(), stderr.trim())
    }
}
