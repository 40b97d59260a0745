//! Functions that logs and hooks of the same host share, so that a policy reads the same values in both.

use super::{blocks, claude, codex, lenient, shell, text};
use serde_json::value::RawValue;
use std::borrow::Cow;
use tsl_synth_core::model::JsonText;

/// The arguments in a raw value: an object, or a string that contains one.
pub(crate) fn arguments(raw: &str) -> JsonText<'_> {
    text::arguments(raw).0
}

/// Arguments of a shell of Codex with `command` as one line; `None` unless they have a list of words or `cmd`.
pub(crate) fn codex_shell_arguments(raw: &str) -> Option<JsonText<'static>> {
    let inner = text::unquoted(raw);
    codex::shell_arguments(inner.as_deref().unwrap_or(raw))
}

/// Whether Claude Code itself wrote this prompt, in the place of the user.
pub(crate) fn is_by_claude(prompt: &str) -> bool {
    claude::HOST.iter().any(|beginning| prompt.starts_with(beginning))
}

/// Whether Codex itself wrote this prompt, in the place of the user.
pub(crate) fn is_by_codex(prompt: &str) -> bool {
    codex::HOST.iter().any(|beginning| prompt.starts_with(beginning))
}

/// The intended value of a result.
pub(crate) fn result(raw: &str) -> JsonText<'_> {
    blocks::result(raw)
}

/// The string, if a raw value is one.
pub(crate) fn unquoted(raw: &str) -> Option<Cow<'_, str>> {
    text::unquoted(raw)
}

/// The text of a value; `null` counts as absent.
pub(crate) fn given(raw: Option<&RawValue>) -> Option<&str> {
    lenient::given(raw)
}

/// Words as one line of a POSIX shell.
pub(crate) fn shell_line(words: &[Cow<'_, str>]) -> String {
    shell::line(words)
}
