//! Values of the variables of loops, as far as a script determines them by its text.

use super::word::{ShellWord, UnknownText};

/// What the variable of a loop over these words stands for, in quotes; `None` if nothing is known of it.
pub(super) fn loop_value(words: &[ShellWord]) -> Option<ShellWord> {
    match words {
        [] => None,
        // The matches of one wildcard.
        [only] if only.unknown == UnknownText::Wildcard && only.each => {
            Some(ShellWord { splits: true, ..only.clone() })
        }
        [only] if only.text().is_some_and(is_one_word) => Some(only.clone()),
        // One of several words, which are not split.
        _ if words.iter().all(|word| word.text().is_some_and(is_one_word)) => Some(ShellWord::any()),
        _ => None,
    }
}

/// Whether a value is one word also without quotes.
fn is_one_word(text: &str) -> bool {
    !text.is_empty() && !text.contains([' ', '\t', '\n', '*', '?', '[', '\\'])
}

/// Whether a script names a variable only once, where it is set, besides its uses as `$NAME` and `${NAME..}`. Options such
/// as `-f` are no names.
pub(super) fn only_set_once(name: &str, script: &str) -> bool {
    // Text that is evaluated, or read from a file, may set it.
    if ["eval", "source", " . ", "\n. ", ";. "].iter().any(|text| script.contains(text))
        || script.starts_with(". ")
    {
        return false;
    }
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut set = 0;
    for (at, _) in script.match_indices(name) {
        let (before, after) = (&script[..at], &script[at + name.len()..]);
        if after.starts_with(is_part) {
            continue;
        }
        let start = before.trim_end_matches(is_part);
        if start.len() < before.len() {
            // `printf -vNAME`, `read -aNAME`.
            if start.ends_with('-') {
                return false;
            }
            continue;
        }
        let is_use = before.ends_with('$') || before.ends_with("${") || before.ends_with("${#");
        set += usize::from(!is_use && !before.ends_with('-'));
    }
    set == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_that_may_be_set_elsewhere_are_not_known() {
        for script in [
            "for f in *.log; do rm \"$f\"; done",
            "for f in a; do rm -f \"${f%.x}\" \"${#f}\"; done",
            "for f in a; do test -f $f; done",
        ] {
            assert!(only_set_once("f", script), "{script}");
        }
        for script in [
            "for f in *.log; do f=/; rm \"$f\"; done",
            "for f in a; do read f; done",
            "for f in a; do read -r f < x; done",
            "for f in a; do printf -v f x; done",
            "for f in a; do printf -vf x; done",
            "for f in a; do ((f++)); done",
            "for f in a; do let f=1; done",
            "for f in a; do eval \"$x\"; done",
            "for f in a; do . ./x; done",
            "for f in a; do source x; done",
            "for f in a; do for f in b; do :; done; done",
            "for f in a; do mapfile f; done",
            "for f in a; do declare -n f=y; done",
            "for f in a; do unset f; done",
        ] {
            assert!(!only_set_once("f", script), "{script}");
        }
    }
}
