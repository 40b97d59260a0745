//! Numbers of the theory, which are functions without arguments: `i5()`, `i-5()`, `r0.5()`.

use super::blank;

/// Writes literals such as `i5()`, `r0.5()`, `c1()` and `int5()` as numbers, at their places, `i-5()` and `im5()` (as
/// Raboniel writes it) as `(-5)`, and `true()` as `true`. Whether some are fractions.
pub(super) fn literals(text: &str, bytes: &mut [u8]) -> bool {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'\'' || byte == b'.';
    let old = text.as_bytes();
    let end_of = |from: usize| (from..old.len()).find(|&at| !is_word(old[at])).unwrap_or(old.len());
    let (mut at, mut has_fractions) = (0, false);
    while at < old.len() {
        if !is_word(old[at]) {
            at += 1;
            continue;
        }
        let begin = at;
        let mut end = end_of(begin);
        if old.get(end) == Some(&b'-') && is_kind(&text[begin..end]) {
            end = end_of(end + 1);
        }
        at = end;
        let word = &text[begin..end];
        if !text[end..].starts_with("()") {
            // The part behind a minus sign may be a number by itself.
            at = end_of(begin);
            continue;
        }
        if let Some((is_negative, digits)) = number(word) {
            blank(bytes, begin..end + 2);
            let first = end - digits.len();
            bytes[first..end].copy_from_slice(digits.as_bytes());
            if is_negative {
                bytes[first - 2..first].copy_from_slice(b"(-");
                bytes[end] = b')';
            }
            has_fractions |= word.starts_with('r') || digits.contains('.');
        }
        if matches!(word, "true" | "false") {
            blank(bytes, end..end + 2);
        }
    }
    has_fractions
}

/// Whether numbers of a theory begin with these letters.
fn is_kind(letters: &str) -> bool {
    matches!(letters, "i" | "r" | "c" | "int" | "real")
}

/// The number that a word such as `i5` is: whether it is negative, its digits.
fn number(word: &str) -> Option<(bool, &str)> {
    let digits = word.trim_start_matches(|letter: char| letter.is_ascii_alphabetic() || letter == '-');
    let prefix = &word[..word.len() - digits.len()];
    let is_number = digits.starts_with(|digit: char| digit.is_ascii_digit())
        && digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
        && digits.matches('.').count() <= 1
        && !digits.ends_with('.');
    let positive = prefix.strip_suffix(['m', '-']);
    let is_literal = is_number && is_kind(positive.unwrap_or(prefix));
    is_literal.then_some((positive.is_some(), digits))
}
