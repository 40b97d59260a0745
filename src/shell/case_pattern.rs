//! Patterns of `case`.

use super::word::{Certainty, ShellWord, WordPiece};
use tsl_synth_core::base::{Glob, GlobKind};

/// Whether a word of `case` matches a pattern. The answer is [`Certainty::Maybe`] unless the word is known and the pattern
/// has only plain characters, `*` and `?`.
pub(super) fn case_matches(word: &ShellWord, pattern: &str) -> Certainty {
    if pattern == "*" {
        return Certainty::Yes;
    }
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,+@%*?".contains(c);
    let is_whole = !word.home && !word.splits && word.pieces.iter().all(|p| matches!(p, WordPiece::Text(_)));
    let Some(text) = word.text().filter(|_| is_whole && pattern.chars().all(is_plain)) else {
        return Certainty::Maybe;
    };
    // With `nocasematch` case is ignored.
    let matches =
        |text: &str, pattern: &str| Glob::new(pattern, GlobKind::Name).map(|glob| glob.matches(text));
    match matches(text, pattern) {
        Ok(true) => Certainty::Yes,
        Ok(false) if matches(&text.to_lowercase(), &pattern.to_lowercase()) == Ok(false) => Certainty::No,
        // The pattern matches without regard to case, or is too large.
        Ok(false) | Err(_) => Certainty::Maybe,
    }
}
