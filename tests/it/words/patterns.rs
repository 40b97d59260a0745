//! The named patterns compared with handwritten definitions on finite words.

use super::meaning::{Letter, holds, words};
use tsl_synth_policy::language::words::{
    LawPattern, NameKind, PATTERNS, PolicyNames, pattern_table, read_pattern,
};

pub(crate) fn names() -> PolicyNames {
    use NameKind::{Action, Momentary, State};
    PolicyNames::from_iter([
        ("edit", Action),
        ("tests", Action),
        ("push", Action),
        ("refund", Action),
        ("said", Momentary),
        ("frozen", State),
        ("clean", State),
    ])
}

fn read(text: &str) -> LawPattern {
    read_pattern(text, &names()).unwrap_or_else(|refused| panic!("{text}: {refused}"))
}

type Meaning = fn(&[Letter<'_>]) -> bool;

fn has(word: &[Letter<'_>], at: usize, atom: &str) -> bool {
    word[at].contains(&atom)
}
fn steps(word: &[Letter<'_>], atom: &str) -> Vec<usize> {
    (0..word.len()).filter(|&at| has(word, at, atom)).collect()
}

/// Rules, the atoms that matter, and their meaning.
const MEANINGS: &[(&str, &[&str], Meaning)] = &[
    ("push requires tests before", &["push", "tests.ok", "tests"], |w| {
        steps(w, "push").iter().all(|&at| (0..=at).any(|i| has(w, i, "tests.ok")))
    }),
    ("never push", &["push"], |w| steps(w, "push").is_empty()),
    ("never push unless said", &["push", "said"], |w| steps(w, "push").iter().all(|&at| has(w, at, "said"))),
    ("push unless tests", &["push", "tests.ok"], |w| {
        steps(w, "push").iter().all(|&at| (0..=at).any(|i| has(w, i, "tests.ok")))
    }),
    ("ask before each push unless frozen", &["push", "frozen"], |w| {
        steps(w, "push").iter().all(|&at| has(w, at, "frozen"))
    }),
    ("ask before first push", &["push", "push.ok", "push.failed", "push.unknown"], |w| {
        let ended = |i: usize| ["push.ok", "push.failed", "push.unknown"].iter().any(|end| has(w, i, end));
        steps(w, "push").iter().all(|&at| (0..=at).any(ended))
    }),
    ("push within 2 of tests", &["push", "tests.ok"], |w| {
        steps(w, "push").iter().all(|&at| (at.saturating_sub(2)..=at).any(|i| has(w, i, "tests.ok")))
    }),
    ("push requires (tests & said) before", &["push", "tests.ok", "said"], |w| {
        let before = |at: usize, x: &str| (0..=at).any(|i| has(w, i, x));
        steps(w, "push").iter().all(|&at| before(at, "tests.ok") && before(at, "said"))
    }),
    ("push requires (tests & !said) before", &["push", "tests.ok", "said"], |w| {
        let before = |at: usize, x: &str| (0..=at).any(|i| has(w, i, x));
        steps(w, "push").iter().all(|&at| before(at, "tests.ok") && !before(at, "said"))
    }),
    ("push requires !frozen before", &["push", "frozen"], |w| {
        steps(w, "push").iter().all(|&at| (0..=at).any(|i| !has(w, i, "frozen")))
    }),
    ("push requires tests since edit", &["push", "tests.ok", "edit"], |w| {
        // In a letter, results precede calls: an edit in the letter of the result counts, one with the push does not.
        steps(w, "push")
            .iter()
            .all(|&at| (0..=at).any(|i| has(w, i, "tests.ok") && (i..at).all(|j| !has(w, j, "edit"))))
    }),
    ("edit requires said since edit", &["said", "edit"], |w| {
        steps(w, "edit")
            .iter()
            .all(|&at| (0..=at).any(|i| has(w, i, "said") && (i..at).all(|j| !has(w, j, "edit"))))
    }),
    ("push forbids edit after", &["push", "edit"], |w| {
        steps(w, "push").iter().all(|&at| (at + 1..w.len()).all(|i| !has(w, i, "edit")))
    }),
    ("push.ok forbids edit after", &["push.ok", "edit"], |w| {
        steps(w, "push.ok").iter().all(|&at| (at..w.len()).all(|i| !has(w, i, "edit")))
    }),
    ("refund forbids refund after", &["refund"], |w| steps(w, "refund").len() <= 1),
    ("said forbids push after", &["said", "push"], |w| {
        steps(w, "said").iter().all(|&at| (at..w.len()).all(|i| !has(w, i, "push")))
    }),
    ("edit then tests eventually", &["edit", "tests.ok", "tests"], |w| {
        steps(w, "edit").iter().all(|&at| (at + 1..w.len()).any(|i| has(w, i, "tests.ok")))
    }),
    ("said then tests eventually", &["said", "tests.ok"], |w| {
        steps(w, "said").iter().all(|&at| (at..w.len()).any(|i| has(w, i, "tests.ok")))
    }),
    ("edit then tests immediately", &["edit", "tests", "tests.ok", "act"], |w| {
        steps(w, "edit").iter().all(|&at| {
            (at + 1..w.len()).any(|i| {
                has(w, i, "tests.ok") && (at + 1..i).all(|j| !has(w, j, "act") || has(w, j, "tests"))
            })
        })
    }),
    ("edit then said immediately", &["edit", "said", "act"], |w| {
        steps(w, "edit")
            .iter()
            .all(|&at| (at + 1..w.len()).any(|i| has(w, i, "said") && (at + 1..i).all(|j| !has(w, j, "act"))))
    }),
    ("at most 0 refund", &["refund"], |w| steps(w, "refund").is_empty()),
    ("at most 2 refund", &["refund"], |w| steps(w, "refund").len() <= 2),
    ("at most 1 refund since said", &["refund", "said"], |w| {
        let mut count = 0;
        (0..w.len()).all(|at| {
            if has(w, at, "said") {
                count = 0;
            }
            count += usize::from(has(w, at, "refund"));
            count <= 1
        })
    }),
    ("at most 2 refund since tests", &["refund", "tests.ok"], |w| {
        let mut count = 0;
        (0..w.len()).all(|at| {
            if has(w, at, "tests.ok") {
                count = 0;
            }
            count += usize::from(has(w, at, "refund"));
            count <= 2
        })
    }),
    ("at most 1 frozen", &["frozen"], |w| {
        steps(w, "frozen").iter().filter(|&&at| at == 0 || !has(w, at - 1, "frozen")).count() <= 1
    }),
    ("never refund while frozen", &["refund", "frozen"], |w| {
        steps(w, "refund").iter().all(|&at| !has(w, at, "frozen"))
    }),
    ("never refund while (frozen & !clean)", &["refund", "frozen", "clean"], |w| {
        steps(w, "refund").iter().all(|&at| !has(w, at, "frozen") || has(w, at, "clean"))
    }),
    ("edit only between tests and push", &["push", "tests.ok", "edit"], |w| {
        let mut open = false;
        (0..w.len()).all(|at| {
            let keeps = !has(w, at, "edit") || open || has(w, at, "tests.ok");
            open = (open || has(w, at, "tests.ok")) && !has(w, at, "push");
            keeps
        })
    }),
    ("end requires tests", &["tests.ok", "tests"], |w| !steps(w, "tests.ok").is_empty()),
    ("end requires !said", &["said"], |w| steps(w, "said").is_empty()),
    ("end requires clean", &["clean"], |w| w.last().is_some_and(|letter| letter.contains(&"clean"))),
    ("end requires !frozen", &["frozen"], |w| w.last().is_none_or(|letter| !letter.contains(&"frozen"))),
    ("end requires (tests | clean)", &["clean", "tests.ok"], |w| {
        !steps(w, "tests.ok").is_empty() || w.last().is_some_and(|letter| letter.contains(&"clean"))
    }),
    ("after edit end requires tests", &["edit", "tests.ok"], |w| {
        steps(w, "edit").iter().all(|&at| (at + 1..w.len()).any(|i| has(w, i, "tests.ok")))
    }),
    ("after edit end requires clean", &["edit", "clean"], |w| {
        steps(w, "edit").is_empty() || w.last().is_some_and(|letter| letter.contains(&"clean"))
    }),
    (
        "(push | edit.failed) requires not (tests.failed or said) before",
        &["push", "edit.failed", "tests.failed", "said"],
        |w| {
            (0..w.len())
                .filter(|&at| has(w, at, "push") || has(w, at, "edit.failed"))
                .all(|at| (0..=at).all(|i| !has(w, i, "tests.failed") && !has(w, i, "said")))
        },
    ),
];

#[test]
fn each_pattern_means_what_it_says() {
    for (rule, atoms, meaning) in MEANINGS {
        let law = read(rule).law();
        let unknown: Vec<_> = law.atoms().into_iter().filter(|name| !atoms.contains(&&**name)).collect();
        assert!(unknown.is_empty(), "{rule}: {law} also speaks of {unknown:?}");
        for word in words(atoms, if atoms.len() < 3 { 5 } else { 4 }) {
            assert_eq!(holds(&law, &word, 0), meaning(&word), "{rule}: {law} on {word:?}");
        }
    }
}

#[test]
fn every_form_has_an_example_that_reads() {
    for pattern in PATTERNS {
        let read = read(pattern.example);
        assert!(read.english().ends_with('.'), "{}", read.english());
        assert!(!read.ltl().is_empty());
    }
    assert_eq!(PATTERNS.len(), 20);
    let table = pattern_table();
    assert_eq!(table.len(), PATTERNS.len(), "every example is a rule");
    assert_eq!(table[0].english, "`push` is called only if `tests` has succeeded before.");
    assert_eq!(table.iter().filter(|row| row.register.is_some()).count(), 4);
    assert_eq!(read("edit then tests immediately").ltl(), "G(edit -> X[!]((act -> tests) U tests.ok))");
    assert_eq!(read("said then frozen immediately").ltl(), "G(said -> X[!](!act U frozen))");
    assert_eq!(read("refund requires said before").ltl(), "G(refund -> O said)");
}

#[test]
fn counts_past_the_limit_and_rates_ask_for_a_register() {
    assert_eq!(read("at most 8 refund").register(), None);
    let pattern = read("at most 500 (refund | push) since tests");
    let register = pattern.register().expect("a register");
    assert_eq!(pattern.ltl(), format!("G !{}", register.name));
    assert_eq!((register.above, register.on.to_string().as_str()), (500, "refund | push"));
    assert_eq!(register.reset_on.map(|law| law.to_string()).as_deref(), Some("tests.ok"));
    let rate = read("at most 5 refund per 60 seconds").register().expect("a register");
    assert_eq!(rate.name, "over_5_refund_per_1min");
    assert_eq!(rate.window.map(|window| window.milliseconds), Some(60_000));
    let stretches = read("at most 9 frozen").register().expect("a register");
    assert_eq!(stretches.on.to_string(), "frozen & !Y frozen");
}

#[test]
fn what_is_no_pattern_is_refused_with_its_place() {
    for (rule, place, said) in [
        ("", "", "empty"),
        ("push require tests before", "require", "did you mean `requires`"),
        ("push requires test before", "test", "did you mean `tests`"),
        ("push requires tests", "", "expected `before` or `since`"),
        ("push requires tests befor", "befor", "did you mean `before`"),
        ("push requires tests before edit", "edit", "expected the end"),
        ("push requires tests.fail before", "tests.fail", "did you mean `tests.failed`"),
        ("push requires said.ok before", "said.ok", "only actions have outcomes"),
        ("never refund while said", "said", "keeps its value"),
        ("never refund while refund", "refund", "keeps its value"),
        ("edit then !tests eventually", "!tests", "something that happens"),
        ("at most many refund", "many", "expected a number"),
        ("at most 5 refund per banana", "banana", "length of time"),
        ("at most 5 refund per 0s", "0s", "length of time"),
        ("(push | edit requires tests before", "requires", "expected `)`"),
        ("push -> tests", ">", "means nothing"),
        ("push > tests", ">", "means nothing"),
        ("\"push requires tests before", "\"push requires tests before", "expected the quote"),
        ("push requires before", "before", "the word `before`"),
    ] {
        let refused = read_pattern(rule, &names()).expect_err(rule);
        let last = rule.rfind(place).unwrap_or_default();
        assert!(refused.to_string().contains(said), "{rule}: {refused}");
        let shown = &rule[refused.range.clone()];
        assert!(shown == place || place.is_empty(), "{rule}: {shown} at {last}");
    }
    let deep = format!("{}push{} requires tests before", "(".repeat(5_000), ")".repeat(5_000));
    assert!(read_pattern(&deep, &names()).is_err());
    let negated = format!("{}push requires tests before", "!".repeat(5_001));
    assert_eq!(read(&negated), read("!push requires tests before"));
}

#[test]
fn names_like_words_of_the_patterns_stand_between_quotes() {
    let names = PolicyNames::from_iter([("end", NameKind::Action), ("go (now)", NameKind::State)]);
    let pattern = read_pattern("\"end\" requires \"go (now)\" before", &names).expect("a pattern");
    assert_eq!(pattern.ltl(), "G(end -> O \"go (now)\")");
    assert_eq!(pattern.english(), "`end` is called only if `go (now)` has held before.");
}
