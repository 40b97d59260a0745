//! Parts of a text without regard of case.

pub(super) fn find(text: &str, word: &str) -> Option<usize> {
    text.to_ascii_lowercase().find(word)
}

pub(super) fn strip<'t>(text: &'t str, prefix: &str) -> Option<&'t str> {
    let begins = text.get(..prefix.len())?.eq_ignore_ascii_case(prefix);
    begins.then(|| text[prefix.len()..].trim_start())
}

pub(super) fn strip_end<'t>(text: &'t str, suffix: &str) -> Option<&'t str> {
    let at = text.len().checked_sub(suffix.len())?;
    let ends = text.get(at..)?.eq_ignore_ascii_case(suffix);
    ends.then(|| text[..at].trim_end())
}
