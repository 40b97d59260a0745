//! Words of TSL and of English that would pass for propositions: `always` before a section or on a line of its own.

use super::{LtlExprs, LtlKind, foreign};
use tsl_synth_core::diag::{Code, Diagnostic, Diagnostics};
use tsl_synth_core::source::Span;

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
    let is_list = matches!(lower.as_str(), "inputs" | "outputs" | ".inputs" | ".outputs");
    let meant = match meant {
        "" if is_section && place.is_alone => return Some(SECTIONS.to_owned()),
        "" if is_list && place.is_alone => {
            return Some("the first lines list signals as `// inputs: a, b` and `// outputs: c`".to_owned());
        }
        "" if place.heads_section => foreign::prefix(word)
            .map_or("a formula before a section ends with `;` or on its own line", |found| found.1),
        "" => return None,
        _ if place.is_last && !place.is_alone => return None,
        meant => meant,
    };
    Some(format!("{SECTIONS}; {meant}"))
}

/// Warns of the first `last`, and in a text with strong operators also `end`, that no list names: in formulas over finite
/// words it is the last step, here it is a proposition.
pub(super) fn warn_of_ends(
    exprs: &LtlExprs,
    text: &str,
    has_strong: bool,
    is_listed: &dyn Fn(&str) -> bool,
    diagnostics: &mut Diagnostics,
) {
    let is_end = |name: &str| match name.to_lowercase().as_str() {
        "last" => true,
        "end" => has_strong,
        _ => false,
    };
    let mut found: Vec<(Span, &str)> = Vec::new();
    for (_, expr) in exprs.enumerate() {
        if let LtlKind::Proposition(name) = &expr.kind
            && is_end(name)
            && !is_listed(name)
            && text[expr.span.range()] == **name
        {
            found.push((expr.span, name));
        }
    }
    let Some((span, name)) = found.into_iter().min_by_key(|(span, _)| span.start) else { return };
    let message = format!("`{name}` is a proposition here, since infinite words have no last step");
    diagnostics.push(
        Diagnostic::warning(Code::LIKE_A_CONSTANT, message)
            .at(span, "read as a proposition")
            .hint("formulas over finite words are TLSF with `SEMANTICS: Mealy,Finite`")
            .hint(format!("if it is a signal, list it with the inputs or outputs (`--outs {name}`)")),
    );
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
            "G (a -> always)",
            "a -> F never",
            "never U a",
            "assume -> c",
            "c\nguarantee { a }",
            "\"always\"\nc",
            "next\nc",
            "A\nG c",
        ] {
            assert_eq!(refused(text, &[]), Some(Vec::new()), "{text}");
        }
    }

    #[test]
    fn the_last_step_of_finite_words_is_told_apart() {
        for (text, names, warned) in [
            ("G (r -> F (last & g))", &[][..], Some("last")),
            ("F last", &["last"], None),
            ("G (r -> X[!] g) & F end", &[], Some("end")),
            ("G (r -> F end)", &[], None),
            ("// inputs: r, last\nG (r -> F last)", &[], None),
            ("F \"last\"", &[], None),
        ] {
            let mut map = SourceMap::new();
            let source = map.add("<text>", text);
            let mut found = Diagnostics::new();
            parse_ltl(&map, source, &|name| names.contains(&name), &mut found);
            let warning = found.iter().find(|found| found.code == Code::LIKE_A_CONSTANT);
            assert_eq!(warning.and_then(|w| w.message.split('`').nth(1)), warned, "{text}");
        }
        for text in ["G (r -> WX g)", "G (r -> N g)"] {
            assert_eq!(refused(text, &[]), None, "{text}");
        }
    }
}
