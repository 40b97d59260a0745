//! Well-known mistakes: operators of other languages, words that look like operators.

use strsim::levenshtein;
use tsl_synth_ltl::operators::{BinaryOp, UnaryOp, reserved_word};

/// The operator that is meant by a wrong spelling between two operands.
pub(in crate::syntax) fn wrong_infix(text: &str) -> Option<BinaryOp> {
    Some(match text {
        "&" | "/\\" | "and" | "And" => BinaryOp::And,
        "|" | "\\/" | "or" | "Or" => BinaryOp::Or,
        "=>" | "==>" | "-->" | "implies" | "Implies" => BinaryOp::Implies,
        "<=>" | "<==>" | "<-->" | "iff" | "Iff" | "IFF" => BinaryOp::Iff,
        "===" => BinaryOp::Eq,
        "!==" => BinaryOp::Ne,
        "∈" => BinaryOp::In,
        "until" | "Until" | "UNTIL" => BinaryOp::Until,
        "release" | "releases" => BinaryOp::Release,
        "weakuntil" | "weak_until" | "weakUntil" | "unless" => BinaryOp::WeakUntil,
        _ => return None,
    })
}

/// The operator that is meant by a wrong spelling before an operand.
pub(in crate::syntax) fn wrong_prefix(text: &str) -> Option<UnaryOp> {
    Some(match text {
        "~" | "not" | "Not" => UnaryOp::Not,
        "globally" => UnaryOp::Globally,
        "<>" | "eventually" | "finally" => UnaryOp::Finally,
        "next" => UnaryOp::Next,
        _ => return None,
    })
}

/// What to write instead of a word of an English sentence that is read as a name.
pub(super) fn prose(word: &str) -> Option<&'static str> {
    Some(match word {
        "when" | "whenever" | "then" => "`p -> q` says: whenever `p` holds, so does `q`",
        "else" => "write one implication for each case: `(c -> a) && (!c -> b)`",
        "should" | "must" | "shall" | "will" => {
            "what must hold is a formula in `guarantee`, such as `p -> F q`"
        }
        "within" => "with a number of steps it is a bound: `F within 5 p`",
        "for" => "with a number of steps it is a bound: `G for 3 p`",
        "every" => {
            "with a number it is a period: `p every 10` says that `p` holds at the steps 0, 10, 20, .."
        }
        "is" | "are" | "be" | "been" | "has" | "have" | "the" | "an" | "of" | "becomes" | "means" => {
            "a comment begins with `//`; a declaration is `input p: Bool;`"
        }
        _ => return None,
    })
}

/// The name of a constant for a text: `selectDrink` for `"select drink"`.
pub(super) fn constant_for(text: &str) -> String {
    /// Longer names are cut.
    const WORDS: usize = 4;
    let words = text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).take(WORDS);
    let mut name = String::new();
    for word in words {
        if name.is_empty() {
            name.push_str(&word.to_lowercase());
        } else {
            name.extend(word.chars().take(1).map(|c| c.to_ascii_uppercase()));
            name.extend(word.chars().skip(1));
        }
    }
    if name.len() > 40 || !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
        name = if name.is_empty() || name.len() > 40 { "greeting".into() } else { format!("text{name}") };
    }
    if reserved_word(&name).is_some() { format!("{name}Text") } else { name }
}

/// The operator of an assignment of other languages: `+=`, `--`.
pub(super) fn assignment(text: &str) -> Option<char> {
    matches!(text, "+=" | "-=" | "*=" | "++" | "--").then(|| text.chars().next()).flatten()
}

/// `XX`, `GF` and the like, with the operators apart: `X X`, `G F`.
pub(in crate::syntax) fn glued_operators(name: &str) -> Option<String> {
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
    /// Longer texts are not compared.
    const LONGEST: usize = 40;
    let lower = text.to_lowercase();
    if lower.len() > LONGEST {
        return None;
    }
    words
        .iter()
        .map(|word| (levenshtein(&lower, word), *word))
        .filter(|(d, word)| *d <= 2 && 2 * d < word.len())
        .min_by_key(|(d, _)| *d)
        .map(|(_, word)| word)
}

/// The message for a reserved word in the place of a name, and its hint.
pub(super) fn reserved_message(word: &str) -> (String, String) {
    let what = reserved_word(word).unwrap_or("reserved");
    let hint = format!("call it something longer, such as `{}_`", word.to_lowercase());
    (format!("`{word}` cannot be a name: it is {what}"), hint)
}
