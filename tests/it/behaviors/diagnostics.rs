//! The exact diagnostics of mistakes in `.agent` files, and random texts, on which the reader must not panic.

use crate::syntax::corpus::render;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;
use tsl_synth_core::diag::{Code, all_codes};
use tsl_synth_service::{BehaviorRequest, FailureKind, Input, Session};
use tsl_synth_testkit::Rng;

fn input(name: &str, text: impl Into<String>) -> Input {
    serde_input(name, text.into())
}

/// An [`Input`] with this text, taken from a specification of one text.
fn serde_input(name: &str, text: String) -> Input {
    use tsl_synth_service::{SpecLanguage, SpecRequest};
    SpecRequest::text(SpecLanguage::Tsl, name, text).inputs.remove(0)
}

#[test]
fn mistakes_in_agents_are_named() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/diagnostics");
    let files = tsl_synth_testkit::files_below(&folder, &["agent"]);
    assert!(files.len() >= 20, "{} fixtures", files.len());
    let update = std::env::var_os("UPDATE_FIXTURES").is_some();
    let (mut failures, mut codes) = (String::new(), BTreeSet::new());
    for path in files {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&path).expect("fixtures are text");
        let mut session = Session::new();
        let mut request = BehaviorRequest::new(input(&name, text));
        let transcript = path.with_extension("transcript");
        if let Ok(text) = std::fs::read_to_string(&transcript) {
            request.against.push(input("transcript", text));
        }
        let found = match session.check_behavior(&request) {
            Ok(report) => report.diagnostics,
            Err(failure) => {
                assert!(matches!(failure.kind, FailureKind::Input), "{name}: {failure:?}");
                failure.diagnostics
            }
        };
        codes.extend(found.iter().map(|d| d.code));
        let found = render(&session.sources, &found);
        assert!(!found.is_empty(), "{name}: nothing is said");
        let path = path.with_extension("expected");
        if update {
            std::fs::write(&path, &found).expect("the expectation can be written");
        }
        let expected = std::fs::read_to_string(&path).unwrap_or_default();
        if expected != found {
            let _ = writeln!(failures, "== {name}\nexpected:\n{expected}\nfound:\n{found}");
        }
    }
    assert!(failures.is_empty(), "{failures}");
    let missing: Vec<Code> = all_codes()
        .map(|(code, _)| code)
        .filter(|c| (400..430).contains(&c.0) && !codes.contains(c))
        .collect();
    assert!(missing.is_empty(), "no fixture for {missing:?}");
}

#[test]
fn no_text_makes_the_reader_fail() {
    let words = "( ) ( ) (define x (:states (:behavior (:text (:flags :env-input (:one-of (:max-loops :initial :final next until or \
                 always A B \"a\" \"b:\" \" \\ ; \n 3 99999999999999999999 ä \u{202e} (A (:text \"a\")) (B (:text \"ab\"))";
    let words: Vec<&str> = words.split(' ').collect();
    for seed in 0..3_000 {
        let mut rng = Rng(seed);
        let mut text = String::new();
        if rng.below(4) == 0 {
            let bytes: Vec<u8> = (0..rng.below(200)).map(|_| rng.draw() as u8).collect();
            text = String::from_utf8_lossy(&bytes).into_owned();
        } else if rng.flip() {
            text +=
                "(define x (:states (A (:text \"a\")) (B (:text \"ab\") (:flags :env-input))) (:behavior ";
        }
        for _ in 0..rng.below(40) {
            text += words[rng.below(words.len())];
            text.push(' ');
        }
        let mut session = Session::new();
        let mut request = BehaviorRequest::new(input("x.agent", text.clone()));
        request.against.push(input("t", "A b ab: A"));
        if let Err(failure) = session.check_behavior(&request) {
            assert!(matches!(failure.kind, FailureKind::Input), "{failure:?}: {text}");
        }
    }
}

#[test]
fn nesting_is_bounded() {
    for (open, depth) in [("(", 100_000), ("(next ", 50_000), ("(until A ", 50_000), ("(always ", 201)] {
        let text = format!(
            "(define x (:states (A (:text \"a\"))) (:behavior {}A{}))",
            open.repeat(depth),
            ")".repeat(depth)
        );
        let failure =
            Session::new().check_behavior(&BehaviorRequest::new(input("x", text))).expect_err("too deep");
        assert!(failure.diagnostics.iter().any(|d| d.code == Code::TOO_DEEP), "{open}: {failure:?}");
    }
    let deep = format!(
        "(define x (:states (A (:text \"a\"))) (:behavior {}A{}))",
        "(next ".repeat(150),
        ")".repeat(150)
    );
    assert!(Session::new().check_behavior(&BehaviorRequest::new(input("x", deep))).expect("an agent").valid);
}
