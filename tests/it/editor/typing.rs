//! Texts as they are typed, character by character.

use super::{read, request, texts};
use std::ops::Range;
use std::path::PathBuf;
use tsl_synth_service::editor::{ColumnUnit, KnownNames, Lines, OutlineItem, Sketch};
use tsl_synth_service::{Session, SpecLanguage};
use tsl_synth_testkit::quota;

/// Makes every query at an offset, and checks that the answers fit the text.
fn query_all(sketch: &Sketch, text: &str, offset: usize) {
    let none = KnownNames::new();
    let good = |range: &Range<usize>| {
        assert!(range.start <= range.end && text.get(range.clone()).is_some(), "{range:?} in {text:?}");
    };
    if let Some(hover) = sketch.hover(offset, &none) {
        good(&hover.range);
        assert!(!hover.text.is_empty());
    }
    sketch.completions(offset, &none);
    for one in sketch.references(offset) {
        good(&one.range);
    }
    sketch.definition(offset);
    sketch.named_at(offset);
    let mut end = 0;
    for token in sketch.tokens(&none) {
        good(&token.range);
        assert!(end <= token.range.start, "tokens overlap in {text:?}");
        end = token.range.end;
    }
    let (mut depth, mut before) = (0i64, 0);
    for inlay in sketch.inlays() {
        assert!(text.is_char_boundary(inlay.offset) && before <= inlay.offset);
        before = inlay.offset;
        depth += if inlay.text == "(" { 1 } else { -1 };
        assert!(depth >= 0, "parentheses close before they open in {text:?}");
    }
    assert_eq!(depth, 0);
    let mut todo: Vec<&OutlineItem> = sketch.outline().iter().collect();
    while let Some(item) = todo.pop() {
        good(&item.range);
        assert!(item.range.start <= item.selection.start && item.selection.end <= item.range.end);
        todo.extend(&item.children);
    }
}

/// The text before each character, and the whole text.
fn prefixes(text: &str) -> impl Iterator<Item = &str> {
    text.char_indices().map(|(at, _)| &text[..at]).chain([text])
}

/// A third of the gallery, with specifications of each language; all of it in `campaigns suite`.
fn some_texts() -> impl Iterator<Item = (PathBuf, SpecLanguage, String)> {
    texts().into_iter().step_by(if quota(1) > 1 { 1 } else { 8 })
}

#[test]
fn no_prefix_of_a_specification_is_too_much() {
    for (_, language, text) in some_texts() {
        for (i, prefix) in prefixes(&text).enumerate() {
            let sketch = Sketch::new(language, prefix);
            // All queries on every prefix would take too long.
            if i % 7 == 0 || prefix.len() == text.len() {
                query_all(&sketch, prefix, prefix.len());
            } else {
                sketch.hover(prefix.len(), &KnownNames::new());
                sketch.completions(prefix.len(), &KnownNames::new());
            }
        }
        // Some queries at every offset of the whole text.
        let sketch = Sketch::new(language, &text);
        for (at, _) in text.char_indices() {
            sketch.hover(at, &KnownNames::new());
            sketch.completions(at, &KnownNames::new());
            sketch.references(at);
        }
    }
}

#[test]
fn no_text_with_a_hole_is_too_much() {
    for (_, language, text) in some_texts() {
        let mut at = 0;
        while at < text.len() {
            let end = (at + 7).min(text.len());
            if text.is_char_boundary(at) && text.is_char_boundary(end) {
                for filling in ["", "(", "}", "/*", "\"", "ä😀\r", "[x <-", "\u{0}"] {
                    let broken = format!("{}{filling}{}", &text[..at], &text[end..]);
                    query_all(&Sketch::new(language, &broken), &broken, at);
                }
            }
            at += 41;
        }
    }
}

#[test]
fn deep_texts_are_read() {
    for language in [SpecLanguage::Tsl, SpecLanguage::Tlsf, SpecLanguage::Ltl] {
        for sign in ["(", "[", "{", "!", "X ", "a && ", "/*", "a -> "] {
            for count in [50, 900, 5000] {
                let text = format!("always guarantee {{ {}a", sign.repeat(count));
                query_all(&Sketch::new(language, &text), &text, text.len());
            }
        }
    }
}

/// Reads every prefix that ends with `;`, a brace or a line feed; the whole text has no errors.
#[test]
fn readings_of_prefixes_end_with_that_of_the_text() {
    for (path, language, text) in texts() {
        let mut seen = 0;
        for prefix in prefixes(&text).filter(|prefix| prefix.ends_with([';', '}', '\n', '{'])) {
            for finding in read(language, prefix).findings {
                assert!(prefix.get(finding.range.clone()).is_some(), "{finding:?} in {prefix:?}");
                assert_ne!(finding.code.to_string(), "TSL0000");
                assert!(!finding.message.contains("internal error"), "{finding:?} in {prefix:?}");
            }
            seen += 1;
        }
        assert!(seen > 2, "{}", path.display());
        let last = read(language, &text);
        let errors = last.findings.iter().filter(|one| one.severity == tsl_synth_core::diag::Severity::Error);
        assert_eq!(errors.count(), 0, "{}", path.display());
        let mut session = Session::new();
        let again = session.read_spec(&request(&path, language, &text));
        assert_eq!(again.findings, last.findings, "{}", path.display());
        assert!(again.names.is_some_and(|names| !names.is_empty()), "{}", path.display());
    }
}

#[test]
fn places_of_all_texts_are_found_again() {
    for (_, _, text) in texts() {
        let text = text.replace('a', "ä😀").replace(";\n", ";\r\n");
        let lines = Lines::new(&text);
        for unit in [ColumnUnit::Utf8, ColumnUnit::Utf16] {
            for (at, _) in text.char_indices().filter(|(_, c)| !matches!(c, '\r' | '\n')) {
                let (line, column) = lines.place(&text, at, unit);
                assert_eq!(lines.offset(&text, line, column, unit), at);
            }
        }
    }
}
