//! Patterns of `case`.

use super::word::{Certainty, ShellWord, WordPiece};

/// Whether a word of `case` matches a pattern, as far as both are known: plain signs with `*` and `?`.
pub(super) fn case_matches(word: &ShellWord, pattern: &str) -> Certainty {
    if pattern == "*" {
        return Certainty::Yes;
    }
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,+@%*?".contains(c);
    let is_whole = !word.home && !word.splits && word.pieces.iter().all(|p| matches!(p, WordPiece::Text(_)));
    let Some(text) = word.text().filter(|_| is_whole && pattern.chars().all(is_plain)) else {
        return Certainty::Maybe;
    };
    // `nocasematch` makes more words match.
    let lower = |text: &str| text.to_lowercase().chars().collect::<Vec<char>>();
    if fits(&text.chars().collect::<Vec<char>>(), &pattern.chars().collect::<Vec<char>>()) {
        Certainty::Yes
    } else if fits(&lower(text), &lower(pattern)) {
        Certainty::Maybe
    } else {
        Certainty::No
    }
}

/// Whether a text matches a pattern of `*` and `?`.
fn fits(text: &[char], pattern: &[char]) -> bool {
    // The lengths of the beginnings of the text that the pattern so far matches.
    let mut reached = vec![false; text.len() + 1];
    reached[0] = true;
    for &sign in pattern {
        let mut next = vec![false; text.len() + 1];
        for at in 0..=text.len() {
            next[at] = if sign == '*' {
                reached[at] || at > 0 && next[at - 1]
            } else {
                at > 0 && reached[at - 1] && (sign == '?' || sign == text[at - 1])
            };
        }
        reached = next;
    }
    reached[text.len()]
}
