//! The signs that papers use for the operators of temporal logic. Every language of formulas reads them, with the
//! precedence of the spellings that they stand for.

/// Each spelling with its signs; `^` is an operator of LTL only, `<=`, `>=`, `!=` and `<-` are none there.
const SIGNS: &[(&str, &[&str])] = &[
    ("!", &["¬"]),
    ("&&", &["∧"]),
    ("||", &["∨"]),
    ("^", &["⊕"]),
    ("->", &["→", "⟶", "⇒", "⟹"]),
    ("<->", &["↔", "⟷", "⇔", "⟺"]),
    ("G", &["□", "◻", "⬜"]),
    ("F", &["◇", "⋄", "♢"]),
    ("X", &["○", "◯"]),
    ("U", &["𝒰", "𝑈"]),
    ("true", &["⊤"]),
    ("false", &["⊥"]),
    ("<=", &["≤"]),
    (">=", &["≥"]),
    ("!=", &["≠"]),
    ("<-", &["←"]),
];

/// The spelling in ASCII of a sign of papers; a text that is no such sign is returned as it is.
pub fn in_ascii(text: &str) -> &str {
    if text.is_ascii() {
        return text;
    }
    SIGNS.iter().find(|(_, signs)| signs.contains(&text)).map_or(text, |(spelling, _)| spelling)
}

#[cfg(test)]
mod tests {
    use super::{SIGNS, in_ascii};
    use crate::operators::{BinaryOp, UnaryOp};

    #[test]
    fn every_sign_stands_for_one_spelling() {
        let mut seen = std::collections::BTreeSet::new();
        for (spelling, signs) in SIGNS {
            let known = UnaryOp::of_spelling(spelling).is_some() || BinaryOp::of_spelling(spelling).is_some();
            assert!(known || matches!(*spelling, "^" | "true" | "false" | "<-"), "{spelling}");
            for sign in *signs {
                assert!(seen.insert(sign), "{sign} twice");
                assert_eq!(in_ascii(sign), *spelling);
            }
        }
        assert_eq!(in_ascii("&&"), "&&");
        assert_eq!(in_ascii("ü"), "ü");
    }
}
