//! Command lines of hooks, for the shells that hosts start them with.

use crate::log::shared::shell_line;
use std::borrow::Cow;

/// The words as one line of a POSIX shell.
pub(super) fn posix(words: &[String]) -> String {
    let list: Vec<Cow<'_, str>> = words.iter().map(|word| Cow::Borrowed(&**word)).collect();
    shell_line(&list)
}

/// The words as one line of `cmd`. Words are quoted only if necessary, since `cmd /C` removes outer quotation marks.
pub(super) fn cmd(words: &[String]) -> String {
    let quoted = |word: &String| {
        let is_plain =
            !word.is_empty() && !word.contains([' ', '\t', '"', '&', '|', '<', '>', '^', '(', ')']);
        if is_plain { word.clone() } else { format!("\"{}\"", word.replace('"', "\\\"")) }
    };
    words.iter().map(quoted).collect::<Vec<_>>().join(" ")
}

/// The words as one line of `PowerShell`.
pub(super) fn powershell(words: &[String]) -> String {
    let quoted = |word: &String| format!("'{}'", word.replace('\'', "''"));
    format!("& {}", words.iter().map(quoted).collect::<Vec<_>>().join(" "))
}

/// The line for the shell with which this system starts hooks, for hosts that have one key for all systems.
pub(super) fn here(words: &[String]) -> String {
    if cfg!(windows) { cmd(words) } else { posix(words) }
}
