//! What a script may change of the meaning of its own words, and what of it computes.

use super::word::{ShellWord, WordPiece};
use std::collections::BTreeMap;

/// What is known of the shell in which a substitution runs.
#[derive(Clone, Debug, Default)]
pub(super) struct Outer {
    /// The variables whose values are known.
    pub(super) variables: BTreeMap<String, ShellWord>,
    /// Whether it is only read for what it may set, so that no values are followed.
    pub(super) is_survey: bool,
    /// Whether functions or settings there may change what names and wildcards mean.
    pub(super) changes: Changes,
}

/// What a script may change of the meaning of words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Changes {
    /// It has functions or aliases, so that `date` may be one.
    pub(super) functions: bool,
    /// Wildcards may find hidden files.
    pub(super) hidden: bool,
    /// Values may be split at other signs than blanks.
    pub(super) splitting: bool,
}

impl Code {
    pub(super) fn or(self, other: Self) -> Self {
        Self { computes: self.computes | other.computes, has_code: self.has_code | other.has_code }
    }
    /// Whether a text may be computed as an expression that runs a command.
    pub(super) fn may_run(self) -> bool {
        self.computes && self.has_code
    }
}

impl Changes {
    /// What the text of a script may change, whatever quotes stand in it.
    pub(super) fn of(text: &str) -> Self {
        let plain: String = text.chars().filter(|c| !matches!(c, '\\' | '\'' | '"' | '\n')).collect();
        let lower = plain.to_ascii_lowercase();
        let has = |parts: &[&str]| parts.iter().any(|part| lower.contains(part));
        let empty_brackets =
            text.match_indices('(').any(|(at, _)| text[at + 1..].trim_start().starts_with(')'));
        Self {
            functions: empty_brackets || has(&["function", "alias"]),
            hidden: has(&["dotglob", "globdots", "glob_dots", "globignore"]),
            splitting: plain.matches("IFS").count() > plain.matches("IFS= read").count(),
        }
    }
    pub(super) fn or(self, other: Self) -> Self {
        Self {
            functions: self.functions | other.functions,
            hidden: self.hidden | other.hidden,
            splitting: self.splitting | other.splitting,
        }
    }
}

/// What a script has of arithmetic, and of texts that arithmetic would run.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Code {
    /// Whether it computes with variables.
    pub(super) computes: bool,
    /// Whether some literal text has a substitution.
    pub(super) has_code: bool,
}

/// Whether a comparison is one of numbers, which are expressions.
pub(super) fn is_arithmetic(operator: &str) -> bool {
    matches!(operator, "-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge")
}

/// Whether a builtin takes names of variables, in which an index is computed, or numbers, which are expressions.
pub(super) fn evaluates(words: &[ShellWord]) -> bool {
    const BUILTINS: &[&str] = &[
        "printf",
        "read",
        "test",
        "[",
        "unset",
        "declare",
        "typeset",
        "local",
        "let",
        "wait",
        "mapfile",
        "readarray",
        "getopts",
        "export",
        "readonly",
    ];
    let has = |text: &str| words.iter().any(|word| word.text() == Some(text));
    let name = words.iter().take(3).filter_map(ShellWord::text).find(|text| BUILTINS.contains(text));
    let may_name = |word: &ShellWord| match word.pieces.first() {
        Some(WordPiece::Text(text)) => text.contains('['),
        Some(WordPiece::Any | WordPiece::Name) => true,
        Some(WordPiece::Plain) | None => false,
    };
    match name {
        None => false,
        Some("printf") => has("-v"),
        Some("test" | "[") => has("-v") || has("-R"),
        Some("let") => true,
        Some("declare" | "typeset" | "local") if words.iter().any(is_computed) => true,
        Some(_) => words.iter().skip(1).any(may_name),
    }
}

/// Whether an option of `declare` makes values numbers, or names of variables.
pub(super) fn is_computed(word: &ShellWord) -> bool {
    word.text().is_some_and(|text| text.starts_with('-') && text.contains(['i', 'n', 'a', 'A']))
}

/// Whether a literal text has a substitution.
pub(super) fn has_code(text: &str) -> bool {
    text.contains("$(") || text.contains('`')
}
