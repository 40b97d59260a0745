//! The dialect of Claude Code (`docs/hooks.md` of its manual, versions 2.1.240 to 2.1.302).
//!
//! `PostToolUse` comes after calls that succeeded and `PostToolUseFailure` after the others, so the name of the event tells
//! the outcome. A call that was interrupted, or that goes on in the background, may have done anything.

use super::fields::{Fields, marked};
use crate::format::log::shared;
use crate::model::{JsonText, Outcome};

/// What Claude Code lets through.
pub(super) const GAPS: &[&str] = &[
    "Before 2.1.295 a hook that crashes or is too slow is no denial: the call runs. From 2.1.295 on the entry's \
     `onFailure` blocks it.",
    "A hook whose program is not there (a moved file, exit code 127) is no denial before 2.1.295 either.",
    "`disableAllHooks` in any settings file, and a managed file with `allowManagedHooksOnly`, switch it off.",
    "Files that a prompt mentions with `@` are read without a call.",
    "What a script does that an allowed call starts is not seen.",
    "An agent whose stop is refused goes on at most 8 times in a row; an interrupt ends the turn without asking.",
];

/// The arguments of a call, read as logs of this host are.
pub(super) fn arguments(raw: &str) -> JsonText<'_> {
    shared::arguments(raw)
}

/// How a call ended.
pub(super) fn outcome(event: &str, fields: &Fields<'_>) -> Outcome {
    if event == "PostToolUseFailure" {
        let interrupted = fields.interrupted.is_some_and(|raw| raw.get() == "true");
        return if interrupted { Outcome::Unknown } else { Outcome::Failed };
    }
    let goes_on = shared::given(fields.response).is_some_and(|response| {
        serde_json::from_str::<Background>(response).is_ok_and(|found| found.task.is_some())
    });
    if goes_on { Outcome::Unknown } else { marked(fields.response, Outcome::Ok) }
}

/// The mark of a command that was sent to the background.
#[derive(serde::Deserialize)]
struct Background {
    #[serde(rename = "backgroundTaskId")]
    task: Option<serde::de::IgnoredAny>,
}
