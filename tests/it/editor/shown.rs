//! Hovers, completions, inlays, tokens.

use super::{marked, read, tsl};
use tsl_synth_service::SpecLanguage;
use tsl_synth_service::editor::{HighlightKind, KnownNames, NameRole, Sketch};

fn hover(text: &str) -> String {
    let (text, at) = marked(text);
    let names = read(SpecLanguage::Tsl, &text).names.unwrap_or_default();
    tsl(&text).hover(at, &names).map_or(String::new(), |hover| hover.text)
}

#[test]
fn hovers_tell_roles_sorts_and_meaning() {
    let cell = hover("cell lamp: Bool = false;\nalways guarantee { press -> [§lamp <- true]; }\n");
    assert!(cell.contains("**cell** `lamp: Bool = false`"), "{cell}");
    let cell = hover("cell n: 0..3 = 1;\nalways guarantee { §n = 2 -> [n <- n - 1]; }\n");
    for part in ["**cell** `n: 0..3 = 1`", "Updated once, read 2 times."] {
        assert!(cell.contains(part), "{cell}");
    }
    let predicate = hover("always guarantee { §p x -> [y <- f x]; }\n");
    assert!(predicate.contains("**predicate** `p:") && predicate.contains("-> Bool`"), "{predicate}");
    let operator = hover("always guarantee { a §-> F b && c; }\n");
    assert!(operator.contains("if `a`, then (now or later, `b`) and `c`"), "{operator}");
    let until = hover("guarantee { a || b §U c; }\n");
    assert!(until.contains("`b` until `c`, which does happen"), "{until}");
    let or = hover("guarantee { a §|| b U c; }\n");
    assert!(or.contains("Read as `a || (b U c)`"), "{or}");
    assert!(hover("§always guarantee { a; }\n").contains("every step"));
    assert!(hover("guarantee { F[2§:5] a; }\n").is_empty());
    assert!(hover("guarantee { §F[2:5] a; }\n").contains("within 2 to 5 steps, `a`"));
}

#[test]
fn names_cannot_break_out_of_what_is_shown() {
    let text = "G (\"a`[x](command:y)`\" -> F b)\n";
    let sketch = Sketch::new(SpecLanguage::Ltl, text);
    for word in ["[x]", "->"] {
        let at = text.find(word).expect("there");
        let hover = sketch.hover(at, &KnownNames::new()).expect("a hover").text;
        assert!(hover.contains("a'[x](command:y)'"), "{hover}");
        assert_eq!(hover.matches('`').count() % 2, 0, "{hover}");
    }
}

#[test]
fn completions_are_names_in_scope_and_words_of_the_place() {
    let all = |text: &str| {
        let (text, at) = marked(text);
        let names = tsl(&text).completions(at, &KnownNames::new());
        names.into_iter().map(|one| one.text).collect::<Vec<_>>()
    };
    let text = "cell lamp: Bool = false;\nf x = x;\nalways guarantee { press -> [";
    let inside = all(&format!("{text}§"));
    assert_eq!(inside.first().map(String::as_str), Some("lamp"), "{inside:?}");
    assert!(inside.contains(&"press".to_string()) && inside.contains(&"f".to_string()));
    assert!(!inside.contains(&"x".to_string()), "the parameter is not in scope: {inside:?}");
    assert!(all("f x = §").contains(&"x".to_string()));
    assert!(all("§").iter().any(|text| text.starts_with("always guarantee")));
    assert!(all("// text §").is_empty());
    let typed = all("always guarantee { press; pr§");
    assert!(typed.contains(&"press".to_string()) && !typed.contains(&"pr".to_string()), "{typed:?}");
    let (tlsf, at) = marked("MAIN { INPUTS { a; } § }");
    let words = Sketch::new(SpecLanguage::Tlsf, &tlsf).completions(at, &KnownNames::new());
    assert!(words.iter().any(|one| one.text == "OUTPUTS {"), "{words:?}");
}

/// Inlays show the parentheses that the rules of precedence imply, and none where they are written.
#[test]
fn inlays_are_the_parentheses_that_are_implied() {
    let shown = |text: &str| {
        let mut shown = text.to_string();
        for inlay in tsl(text).inlays().iter().rev() {
            shown.insert_str(inlay.offset, inlay.text);
        }
        shown
    };
    let body = |formula: &str| format!("guarantee {{ {formula}; }}");
    for (formula, expected) in [
        ("a && b || c", "(a && b) || c"),
        ("G a -> X b", "(G a) -> X b"),
        ("G (a -> X b)", "G (a -> X b)"),
        ("a U b && c", "(a U b) && c"),
        ("a -> b -> c", "a -> (b -> c)"),
        ("a U b U c || d", "(a U (b U c)) || d"),
        ("a && b -> c || d", "a && b -> c || d"),
        ("x = 1 && y > 2", "x = 1 && y > 2"),
    ] {
        assert_eq!(shown(&body(formula)), body(expected));
        assert_eq!(shown(&body(expected)), body(expected), "what is written is not shown");
    }
}

#[test]
fn tokens_tell_what_names_stand_for() {
    let text = "cell lamp: Bool = false; // a lamp\nalways guarantee { press -> [lamp <- f lamp]; }\n";
    let names = read(SpecLanguage::Tsl, text).names.unwrap_or_default();
    let tokens: Vec<_> = tsl(text)
        .tokens(&names)
        .into_iter()
        .map(|token| (text[token.range.clone()].to_string(), token.kind, token.introduces, token.written))
        .collect();
    let has = |word: &str, kind, introduces, written| {
        let wanted = (word.to_string(), kind, introduces, written);
        assert!(tokens.contains(&wanted), "{wanted:?} in {tokens:#?}");
    };
    has("cell", HighlightKind::Keyword, false, false);
    has("lamp", HighlightKind::Name(NameRole::Cell), true, false);
    has("lamp", HighlightKind::Name(NameRole::Cell), false, true);
    has("Bool", HighlightKind::Sort, false, false);
    has("// a lamp", HighlightKind::Comment, false, false);
    has("press", HighlightKind::Name(NameRole::Input), false, false);
    has("<-", HighlightKind::Operator, false, false);
    has("false", HighlightKind::Number, false, false);
}
