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
    ("G", &["□", "◻", "⬜", "𝐆", "𝖦", "𝗚"]),
    ("F", &["◇", "⋄", "♢", "◊", "⬦", "𝐅", "𝖥", "𝗙"]),
    ("X", &["○", "◯", "𝐗", "𝖷", "𝗫"]),
    ("U", &["𝒰", "𝑈", "𝐔", "𝖴", "𝗨"]),
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

/// The commands of LaTeX for operators, and what to write.
const COMMANDS: &[(&str, &[&str])] = &[
    ("!", &["neg", "lnot"]),
    ("&&", &["wedge", "land"]),
    ("||", &["vee", "lor"]),
    ("->", &["rightarrow", "Rightarrow", "longrightarrow", "Longrightarrow", "to", "implies"]),
    (
        "<->",
        &["leftrightarrow", "Leftrightarrow", "longleftrightarrow", "Longleftrightarrow", "iff", "equiv"],
    ),
    ("G", &["Box", "square", "always", "Globally"]),
    ("F", &["Diamond", "lozenge", "diamond", "eventually", "Finally"]),
    ("X", &["bigcirc", "circ", "Next", "next"]),
    ("U", &["Until", "until"]),
    ("true", &["top"]),
    ("false", &["bot"]),
    ("<=", &["leq", "le"]),
    (">=", &["geq", "ge"]),
    ("!=", &["neq", "ne"]),
    ("<-", &["leftarrow", "gets"]),
];

/// The command of LaTeX with which a text begins, and what to write in its place; `None` for other texts, and for commands
/// that stand for no operator.
pub fn latex(text: &str) -> Option<(&str, &'static str)> {
    let word = text.strip_prefix('\\')?;
    let length = word.len() - word.trim_start_matches(|c: char| c.is_ascii_alphabetic()).len();
    let (spelling, _) = COMMANDS.iter().find(|(_, commands)| commands.contains(&&word[..length]))?;
    Some((&text[..=length], spelling))
}

/// What to write for a command of LaTeX with which a text begins.
pub fn latex_hint(text: &str) -> Option<String> {
    latex(text).map(|(command, spelling)| format!("this is LaTeX: write `{spelling}` for `{command}`"))
}

/// The hint on bounds that other notations write after an operator: `F<=3`, `F≤3`, `F_{[0,3]}`.
pub const BOUNDS: &str = "bounds are `F[0:3]` and `G[0:3]`: `F<=3` and `F_{[0,3]}` are `F[0:3]`";

/// Whether a text ends with an operator that may have bounds.
pub fn ends_with_bounded(text: &str) -> bool {
    let text = text.trim_end();
    let Some(last) = text.chars().next_back() else { return false };
    let before = &text[..text.len() - last.len_utf8()];
    if matches!(last, 'G' | 'F' | 'X') {
        return !before.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '\'' | '@'));
    }
    text.ends_with("[]") || matches!(in_ascii(&text[before.len()..]), "G" | "F" | "X")
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
