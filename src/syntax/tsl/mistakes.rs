//! Well-known mistakes by name: operators of other languages, words that look like operators.

use crate::syntax::operators::{BinaryOp, UnaryOp, reserved_word};

/// What a wrong spelling between two operands meant.
pub(super) fn wrong_infix(text: &str) -> Option<BinaryOp> {
    Some(match text {
        "&" | "/\\" | "∧" | "and" => BinaryOp::And,
        "|" | "\\/" | "∨" | "or" => BinaryOp::Or,
        "=>" | "==>" | "-->" | "→" | "⇒" | "implies" => BinaryOp::Implies,
        "<=>" | "<==>" | "<-->" | "↔" | "⇔" | "iff" => BinaryOp::Iff,
        "===" => BinaryOp::Eq,
        "!==" | "≠" => BinaryOp::Ne,
        "≤" => BinaryOp::Le,
        "≥" => BinaryOp::Ge,
        "∈" => BinaryOp::In,
        "until" => BinaryOp::Until,
        _ => return None,
    })
}

/// What a wrong spelling before an operand meant.
pub(super) fn wrong_prefix(text: &str) -> Option<UnaryOp> {
    Some(match text {
        "~" | "¬" | "not" => UnaryOp::Not,
        "□" | "globally" => UnaryOp::Globally,
        "◇" | "<>" | "eventually" | "finally" => UnaryOp::Finally,
        "○" | "◯" | "next" => UnaryOp::Next,
        _ => return None,
    })
}

/// `XX`, `GF` and the like, with the operators apart: `X X`, `G F`.
pub(super) fn glued_operators(name: &str) -> Option<String> {
    let letters = |c: char| "XFGYHO".contains(c);
    if name.len() < 2 || name.len() > 8 || !name.chars().all(letters) {
        return None;
    }
    let mut apart = String::with_capacity(2 * name.len());
    for (i, c) in name.chars().enumerate() {
        if i > 0 {
            apart.push(' ');
        }
        apart.push(c);
    }
    Some(apart)
}

/// The word among `words` that is at most two edits away from `text` (ignoring case), nearest first.
pub(super) fn nearest<'a>(text: &str, words: &[&'a str]) -> Option<&'a str> {
    let lower = text.to_lowercase();
    words
        .iter()
        .map(|word| (distance(&lower, word), *word))
        .filter(|(d, word)| *d <= 2 && 2 * d < word.len())
        .min_by_key(|(d, _)| *d)
        .map(|(_, word)| word)
}

/// Levenshtein's distance, for short words.
fn distance(a: &str, b: &str) -> usize {
    if a.len() > 40 {
        return usize::MAX;
    }
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let change = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = change.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

/// The message for a reserved word in the place of a name, and its hint.
pub(super) fn reserved_message(word: &str) -> (String, String) {
    let what = reserved_word(word).unwrap_or("reserved");
    let hint = format!("call it something longer, such as `{}_`", word.to_lowercase());
    (format!("`{word}` cannot be a name: it is {what}"), hint)
}
