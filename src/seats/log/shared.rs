//! Functions that logs and hooks of the same host share, so that a policy reads the same values in both.

pub(crate) use super::claude::ClaudeEnd;
pub(crate) use super::gemini::{UNTRUSTED, shell_outcome};
pub(crate) use super::lenient::LenientObject;
pub(crate) use super::notice::TaskNotice;
use super::{blocks, claude, codex, lenient, notice, patch, shell, text};
use serde::Deserialize;
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

/// The arguments of `apply_patch`, if a command of a shell of Codex, with these arguments, does nothing else; and those of
/// the patches that it applies beside other things.
pub(crate) fn patches(arguments: &str) -> (Option<String>, Option<String>) {
    patch::of_shell(arguments)
}

/// Whether Claude Code itself wrote this prompt, in the place of the user.
pub(crate) fn is_by_claude(prompt: &str) -> bool {
    claude::is_by_host(prompt)
}

/// Whether Codex itself wrote this prompt, in the place of the user.
pub(crate) fn is_by_codex(prompt: &str) -> bool {
    codex::HOST.iter().any(|beginning| prompt.starts_with(beginning))
}

/// What the response of a tool of Claude Code that did not fail says about the end of its call.
pub(crate) fn end_in_claude(response: &str) -> ClaudeEnd {
    claude::end(response)
}

/// How a call in the background ended, if a prompt is the notice of Claude Code about that.
pub(crate) fn notice_of_claude(prompt: &str) -> Option<TaskNotice<'_>> {
    notice::read(prompt)
}

/// Whether a tool of Claude Code that is not named `Bash` runs a command as that does.
pub(crate) fn is_shell_of_claude(tool: &str, input: &str) -> bool {
    claude::is_shell(tool, input)
}

/// The intended value of a result.
pub(crate) fn result(raw: &str) -> JsonText<'_> {
    blocks::result(raw)
}

/// The intended value of a result in the form of Gemini: a text, or a list of parts that need no `type`.
pub(crate) fn parts(raw: &str) -> JsonText<'_> {
    blocks::parts(raw)
}

/// The object in a raw value; `None` for a value of any other kind. A derived `Deserialize` would also take a list for
/// the fields of a struct in their order.
pub(crate) fn object<'a, T: Deserialize<'a>>(raw: &'a str) -> Option<T> {
    serde_json::from_str::<LenientObject<T>>(raw).ok()?.0
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
