//! Parts of a text without regard to case (the words that are searched for are in lower case), and text of formulas.

/// The first place of a word.
pub(super) fn find(text: &str, word: &str) -> Option<usize> {
    text.to_ascii_lowercase().find(word)
}

/// What is before and after the first place of a word.
pub(super) fn cut<'t>(text: &'t str, between: &str) -> Option<(&'t str, &'t str)> {
    let at = find(text, between)?;
    Some((text[..at].trim(), text[at + between.len()..].trim()))
}

/// What follows a prefix.
pub(super) fn strip<'t>(text: &'t str, prefix: &str) -> Option<&'t str> {
    let begins = text.get(..prefix.len())?.eq_ignore_ascii_case(prefix);
    begins.then(|| text[prefix.len()..].trim_start())
}

/// What is before a suffix.
pub(super) fn strip_end<'t>(text: &'t str, suffix: &str) -> Option<&'t str> {
    let at = text.len().checked_sub(suffix.len())?;
    let ends = text.get(at..)?.eq_ignore_ascii_case(suffix);
    ends.then(|| text[..at].trim_end())
}

/// The negation of a formula, without `!!`.
pub(super) fn negated(formula: &str) -> String {
    match formula.strip_prefix('!') {
        Some(rest) if !rest.contains(' ') => rest.to_string(),
        _ => format!("!{formula}"),
    }
}
