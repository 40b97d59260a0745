//! Words of TSL and of English that would pass for propositions: `always` before a section or on a line of its own.

use super::foreign;

/// Where a word stands that no list of inputs and outputs names.
#[derive(Clone, Copy)]
pub(super) struct Place {
    /// The formula is this word.
    pub(super) is_alone: bool,
    /// Nothing follows in this section or text, or `;`.
    pub(super) is_last: bool,
    /// The word is the whole formula before a section on the same line.
    pub(super) heads_section: bool,
}

/// What to write instead of a word that begins a section or a formula in other notations; `None` for words that may be
/// propositions.
pub(super) fn hint(word: &str, place: Place) -> Option<String> {
    const SECTIONS: &str = "sections of LTL files are `assume { .. }` and `guarantee { .. }`";
    let lower = word.to_lowercase();
    let meant = match lower.as_str() {
        "always" | "globally" | "henceforth" => "always is `G`",
        "initially" => "a formula without an operator is about the first step",
        "eventually" | "finally" | "sometimes" => "eventually is `F`",
        "never" => "never is `G !`",
        _ => "",
    };
    let is_section = matches!(
        lower.as_str(),
        "assume" | "assumes" | "assumption" | "assumptions" | "guarantee" | "guarantees"
    );
    let meant = match meant {
        "" if is_section && place.is_alone => return Some(SECTIONS.to_owned()),
        "" if place.heads_section => foreign::prefix(word)
            .map_or("a formula before a section ends with `;` or on its own line", |found| found.1),
        "" => return None,
        _ if place.is_last && !place.is_alone => return None,
        meant => meant,
    };
    Some(format!("{SECTIONS}; {meant}"))
}

#[cfg(test)]
mod tests {
    use crate::ltl::parse_ltl;
    use tsl_synth_core::diag::{Code, Diagnostics, Severity};
    use tsl_synth_core::source::SourceMap;

    /// The words that are refused when `names` are declared, or `None` if the text has other errors.
    fn refused(text: &str, names: &[&str]) -> Option<Vec<String>> {
        let mut map = SourceMap::new();
        let source = map.add("<text>", text);
        let mut found = Diagnostics::new();
        parse_ltl(&map, source, &|name| names.contains(&name), &mut found);
        let errors = found.iter().filter(|found| found.severity == Severity::Error);
        errors
            .map(|error| {
                let word = error.message.split('`').nth(1)?;
                (error.code == Code::UNKNOWN_PROPOSITION).then(|| word.to_owned())
            })
            .collect()
    }

    #[test]
    fn words_before_sections_and_formulas_are_no_propositions() {
        for (text, words) in [
            ("WORD assume { F a; }\nWORD guarantee { c; F !c; }", 2),
            ("WORD assume { F a; };\nWORD guarantee { c; F !c };", 2),
            ("WORD\nassume { F a }\nguarantee { c }", 1),
            ("guarantee { WORD\n c }", 1),
            ("guarantee { WORD; c }", 1),
            ("WORD; F a", 1),
            ("WORD\n  G (a -> c)", 1),
            ("a -> WORD\n  G (a -> c)", 1),
            ("WORD /* all */ guarantee { c }", 1),
            ("c\nWORD", 1),
        ] {
            for word in ["always", "initially", "eventually", "Always", "globally", "never"] {
                let text = text.replace("WORD", word);
                assert_eq!(refused(&text, &[]), Some(vec![word.to_owned(); words]), "{text}");
                // A declared word is a proposition.
                assert_eq!(refused(&text, &[word]), Some(Vec::new()), "{text}");
                let header = format!("// inputs: a\n// outputs: c, {word}\n{text}");
                assert_eq!(refused(&header, &[]), Some(Vec::new()), "{header}");
            }
        }
        for word in ["assume", "guarantee", "assumptions"] {
            let text = format!("{word}\n  G F a\nG (a -> c)");
            assert_eq!(refused(&text, &[]), Some(vec![word.to_owned()]), "{text}");
        }
        assert_eq!(refused("next guarantee { c }", &[]), Some(vec!["next".to_owned()]));
        // A formula between this word and the operand is an error of its own.
        for text in ["always (a -> c)", "initially (a -> c)", "always G (a -> c)", "eventually c"] {
            assert_eq!(refused(text, &[]), None, "{text}");
        }
    }

    #[test]
    fn words_where_no_section_begins_are_propositions() {
        for text in [
            "G (a -> always)", "a -> F never", "never U a", "assume -> c", "c\nguarantee { a }", "\"always\"\nc",
            "next\nc", "A\nG c",
        ] {
            assert_eq!(refused(text, &[]), Some(Vec::new()), "{text}");
        }
    }
}
