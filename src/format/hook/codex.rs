//! The dialect of Codex (`codex-rs/hooks`, versions 0.144 to 0.166).
//!
//! - Its shells are all named `Bash` in hooks and have their line in `command`, unlike in its rollouts; a policy that is to
//!   read both names `["Bash", "shell", "exec_command"]`. A patch is in `input` in both.
//! - `PostToolUse` comes after tools that succeeded. A shell always counts as such, whatever its exit code, and the payload
//!   has only its output (openai/codex issue 34289). So the outcome of a shell is unknown, unless a structured response
//!   tells the exit code. What the output says is not believed: the command wrote it.

use super::fields::{Fields, marked};
use crate::format::log::shared;
use crate::model::{JsonText, Outcome};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;

/// What Codex lets through.
pub(super) const GAPS: &[&str] = &[
    "A hook that crashes, is too slow, or is not there (exit code 127) is no denial: the call runs, and no setting \
     changes that.",
    "A hook that is new or changed is skipped until a person trusts it with `/hooks`.",
    "`[features] hooks = false` in `config.toml`, or an untrusted project for the files of a project, switches it off.",
    "Search that the provider hosts, input to a running process, and calls inside of another call's script are not seen.",
    "It does not tell whether a shell command succeeded: its outcome is unknown. What needs `.ok` of it is met within one \
     command only, as in `cargo test && git push`.",
    "It tells nothing after a call that failed: the call stays pending.",
    "It cannot ask a person from a hook: what a policy answers with `ask` is refused.",
];

fn is_shell(tool: &str) -> bool {
    matches!(
        tool,
        "Bash" | "shell" | "local_shell" | "container.exec" | "exec_command" | "exec" | "shell_command"
    )
}

/// The arguments of a call, read as rollouts of this host are.
pub(super) fn arguments<'a>(tool: &str, raw: &'a str) -> JsonText<'a> {
    let as_logged = match tool {
        "apply_patch" => patch(raw),
        _ => is_shell(tool).then(|| shared::codex_shell_arguments(raw)).flatten(),
    };
    as_logged.unwrap_or_else(|| shared::arguments(raw))
}

/// Rollouts have the text of a patch in `input`, hooks in `command`: both names are told.
fn patch(raw: &str) -> Option<JsonText<'static>> {
    let told: Patch<'_> = serde_json::from_str(raw).ok()?;
    if told.input.is_some() {
        return None;
    }
    let rest = raw.trim_start().strip_prefix('{')?;
    Some(JsonText(Cow::Owned(format!("{{\"input\":{},{rest}", told.command?.get()))))
}

/// The arguments of `apply_patch`.
#[derive(Deserialize)]
struct Patch<'a> {
    #[serde(borrow)]
    command: Option<&'a RawValue>,
    #[serde(borrow)]
    input: Option<&'a RawValue>,
}

/// How a call ended.
pub(super) fn outcome(tool: &str, fields: &Fields<'_>) -> Outcome {
    if !is_shell(tool) {
        return marked(fields.response, Outcome::Ok);
    }
    let response = shared::given(fields.response).filter(|response| response.starts_with('{'));
    let told = response.and_then(|response| serde_json::from_str::<Told>(response).ok());
    let code = told.and_then(|told| told.exit_code.or_else(|| told.metadata?.exit_code));
    match code {
        Some(0) => Outcome::Ok,
        Some(_) => Outcome::Failed,
        None => marked(fields.response, Outcome::Unknown),
    }
}

/// A structured response of a shell.
#[derive(Deserialize)]
struct Told {
    exit_code: Option<i64>,
    metadata: Option<Metadata>,
}

#[derive(Deserialize)]
struct Metadata {
    exit_code: Option<i64>,
}
