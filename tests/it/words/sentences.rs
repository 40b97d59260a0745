//! Every sentence that is printed is read back as an equivalent law.

use super::meaning::{Letter, difference, random_words, words};
use super::patterns;
use crate::policy_check::ltlcrit;
use std::path::Path;
use tsl_synth_policy::language::words::{
    LawTree, Link, NameKind, PolicyNames, Temporal, english, read_pattern, read_sentence,
};
use tsl_synth_testkit::{Rng, cases};

/// Fails unless the two laws agree on many words.
pub(crate) fn assert_equivalent(f: &LawTree, g: &LawTree, what: &str) {
    if f == g {
        return;
    }
    let mut atoms = f.atoms();
    atoms.extend(g.atoms());
    atoms.sort();
    atoms.dedup();
    let atoms: Vec<&str> = atoms.iter().map(|name| &**name).collect();
    let longest = (14 / atoms.len().max(1)).min(5);
    let mut all: Vec<Vec<Letter<'_>>> = words(&atoms, longest);
    all.extend(random_words(&mut Rng(7), &atoms, 9, 300));
    if let Some(word) = difference(f, g, &all) {
        panic!("{what}: `{f}` and `{g}` differ on {word:?}");
    }
}

/// Prints a law as a sentence, reads it back and compares the laws; returns the sentence.
fn round_trip(law: &LawTree, names: &PolicyNames) -> String {
    let sentence = english(law, names);
    let read = read_sentence(&sentence, names).unwrap_or_else(|refused| {
        panic!("{sentence}\n{law}\n{refused}: {}", &sentence[refused.range.clone()])
    });
    assert_equivalent(law, &read.law, &sentence);
    sentence
}

/// A law list of LTLCrit: identifier, formula, explanation.
pub(crate) fn laws(file: &str) -> Vec<(String, String, String)> {
    let value = ltlcrit::read(&ltlcrit::cases()[0], file);
    let laws = value["laws"].as_array().expect("laws");
    let field = |law: &serde_json::Value, name: &str| law[name].as_str().expect("a text").to_owned();
    laws.iter().map(|law| (field(law, "law_id"), field(law, "law"), field(law, "explanation"))).collect()
}

/// The names of formulas: those beginning with `action_` are actions.
pub(crate) fn names_of(laws: &[LawTree]) -> PolicyNames {
    let mut names = PolicyNames::new();
    for law in laws {
        for atom in law.atoms() {
            let kind = if atom.starts_with("action_") { NameKind::Action } else { NameKind::Momentary };
            names.add(atom, kind);
        }
    }
    names
}

#[test]
fn the_laws_of_ltlcrit_are_read_back() {
    let mut count = 0;
    for file in ["laws_saycan_hard.json", "laws_saycan_soft.json", "laws_innermonologue.json"] {
        for (id, formula, _) in laws(file) {
            let law = LawTree::read(&formula, &PolicyNames::new()).expect("a law");
            let sentence = round_trip(&law, &names_of(std::slice::from_ref(&law)));
            assert!(sentence.contains("the next action is"), "{id}: {sentence}");
            count += 1;
        }
    }
    assert_eq!(count, 54);
    let names = PolicyNames::from_iter([("near", NameKind::Momentary), ("craft", NameKind::Action)]);
    let law = LawTree::read("G(!near -> X !craft)", &names).expect("a law");
    assert_eq!(english(&law, &names), "If `near` does not hold, the next action is not `craft`.");
}

#[test]
fn the_constraints_of_the_safety_chip_are_read_back() {
    for folder in cases("agents/safety-chip") {
        the_constraints_are_read_back(&folder);
    }
}

fn the_constraints_are_read_back(folder: &Path) {
    let text = std::fs::read_to_string(folder.join("cases.json")).expect("cases");
    let value: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let constraints = value["constraints"].as_object().expect("constraints");
    assert_eq!(constraints.len(), 13);
    let names: PolicyNames = value["propositions"]
        .as_array()
        .expect("propositions")
        .iter()
        .map(|name| (name.as_str().expect("a name"), NameKind::Momentary))
        .collect();
    for (id, constraint) in constraints {
        let law = LawTree::read(constraint["ltl"].as_str().expect("LTL"), &names).expect("a law");
        let sentence = round_trip(&law, &names);
        let expected = match id.as_str() {
            "C1" => "Before `living_room` holds, it never happens that `bathroom` holds.",
            "C1u" => "Before `living_room` holds, which comes, it never happens that `bathroom` holds.",
            "C3" => "Whenever `living_room` holds, `kitchen` holds then or later.",
            "C5" => "It begins at most 2 times that `bedroom` holds.",
            "C5bad" => "It begins at least 2 times that `bedroom` holds.",
            "C6" => "It never happens that `living_room` holds.",
            "C7" => "From each step in which `kitchen` holds on, it never happens that `bathroom` holds.",
            _ => continue,
        };
        assert_eq!(sentence, expected, "{id}");
    }
}

/// A condition over the names of the patterns.
fn random_condition(rng: &mut Rng, kinds: &[&str], depth: usize) -> String {
    let name = kinds[rng.below(kinds.len())];
    match rng.below(if depth == 0 { 4 } else { 8 }) {
        0 => format!("!{name}"),
        4 | 5 => {
            let (a, b) = (random_condition(rng, kinds, depth - 1), random_condition(rng, kinds, depth - 1));
            format!("({a} & {b})")
        }
        6 => {
            let (a, b) = (random_condition(rng, kinds, depth - 1), random_condition(rng, kinds, depth - 1));
            format!("({a} | {b})")
        }
        7 => format!("!{}", random_condition(rng, kinds, depth - 1)),
        _ => name.to_owned(),
    }
}

const ANY: &[&str] =
    &["edit", "tests", "push", "tests.ok", "push.failed", "edit.unknown", "said", "frozen", "clean"];

/// A rule of a random pattern.
pub(crate) fn random_rule(rng: &mut Rng) -> String {
    let depth = rng.below(2);
    let a = random_condition(rng, ANY, depth);
    let b = random_condition(rng, ANY, depth);
    let c = random_condition(rng, ANY, 0);
    let n = rng.below(4);
    match rng.below(12) {
        0 => format!("{a} requires {b} before"),
        1 => format!("{a} requires {b} since {c}"),
        2 => format!("{a} forbids {b} after"),
        3 => format!("{a} then {b} eventually"),
        4 => format!("{a} then {b} immediately"),
        5 => format!("at most {n} {a}"),
        6 => format!("at most {n} {a} since {b}"),
        7 => format!("at most {} {a} per {}min", n + 7, n + 1),
        8 => format!("never {a} while {}", random_condition(rng, &["frozen", "clean"], depth)),
        9 => format!("{a} only between {b} and {c}"),
        10 => format!("end requires {b}"),
        _ => format!("after {a} end requires {b}"),
    }
}

#[test]
fn five_hundred_rules_are_read_back() {
    let names = patterns::names();
    let mut rng = Rng(5_000);
    let (mut count, mut refused) = (0, 0);
    while count < 500 {
        let rule = random_rule(&mut rng);
        let Ok(pattern) = read_pattern(&rule, &names) else {
            refused += 1;
            assert!(rule.contains("then") && rule.contains('!'), "{rule} is refused");
            continue;
        };
        count += 1;
        let law = pattern.law();
        assert_eq!(
            LawTree::read(&pattern.ltl(), &names).as_ref(),
            Ok(&law),
            "{rule}: the LTL reads as another tree"
        );
        let sentence = pattern.english();
        let read = read_sentence(&sentence, &names).unwrap_or_else(|refused| {
            panic!("{rule}\n{sentence}\n{refused}: {}", &sentence[refused.range.clone()])
        });
        assert_equivalent(&law, &read.law, &format!("{rule}: {sentence}"));
        let registers: Vec<_> = pattern.register().into_iter().collect();
        assert_eq!(registers, read.registers, "{rule}: {sentence}");
        if registers.is_empty() {
            round_trip(&law, &names);
        }
    }
    assert!(refused < 100, "{refused} rules were refused");
}

#[test]
fn counts_of_distinct_values_are_read_back() {
    let names = patterns::names();
    for (rule, expected) in [
        ("at most 3 distinct file in edit", "`edit` is called with at most 3 different values of `file`."),
        ("at most 1 distinct file in edit", "`edit` is called with at most one value of `file`."),
        ("at most 0 distinct file in edit", "`edit` is called with at most 0 different values of `file`."),
        (
            "at most 2 distinct to in push since tests",
            "`push` is called with at most 2 different values of `to`, counted anew each time that `tests` succeeds.",
        ),
        (
            "at most 2 distinct \"in\" in edit.ok since tests.failed",
            "`edit` succeeds with at most 2 different values of `in`, counted anew each time that `tests` fails.",
        ),
        (
            "at most 9 distinct file in (edit | push)",
            "(`edit` is called or `push` is called) with at most 9 different values of `file`.",
        ),
    ] {
        let pattern = read_pattern(rule, &names).unwrap_or_else(|refused| panic!("{rule}: {refused}"));
        assert_eq!(pattern.english(), expected, "{rule}");
        let read = read_sentence(expected, &names).unwrap_or_else(|refused| panic!("{expected}: {refused}"));
        assert_eq!(read.law, pattern.law(), "{rule}");
        assert_eq!(read.registers, pattern.register().into_iter().collect::<Vec<_>>(), "{rule}");
    }
    for rule in [
        "at most 3 distinct in edit",
        "at most distinct file in edit",
        "at most 3 distinct file in edit per 60s",
    ] {
        assert!(read_pattern(rule, &names).is_err(), "{rule}");
    }
}

/// A formula of any form.
pub(crate) fn random_law(rng: &mut Rng, size: usize) -> LawTree {
    if size <= 1 {
        let atoms = ["edit", "tests.ok", "said", "frozen", "act"];
        return match rng.below(12) {
            0 => LawTree::Constant(rng.flip()),
            n => LawTree::atom(atoms[n % atoms.len()]),
        };
    }
    let left = 1 + rng.below(size - 1);
    let right = size.saturating_sub(left).max(1);
    match rng.below(14) {
        0 | 1 => LawTree::negate(random_law(rng, size - 1)),
        2 | 3 => LawTree::all([random_law(rng, left), random_law(rng, right)]),
        4 | 5 => LawTree::any([random_law(rng, left), random_law(rng, right)]),
        6 => LawTree::implies(random_law(rng, left), random_law(rng, right)),
        7 => LawTree::Iff(Box::new(random_law(rng, left)), Box::new(random_law(rng, right))),
        8..=10 => LawTree::unary(Temporal::ALL[rng.below(8)], random_law(rng, size - 1)),
        _ => LawTree::binary(Link::ALL[rng.below(6)], random_law(rng, left), random_law(rng, right)),
    }
}

#[test]
fn any_formula_is_read_back() {
    let names = patterns::names();
    let mut rng = Rng(42);
    for round in 0..3_000 {
        let size = 1 + rng.below(12);
        let mut law = random_law(&mut rng, size);
        if round % 3 == 0 {
            law = LawTree::globally(LawTree::implies(random_law(&mut rng, 2), law));
        }
        assert_equivalent(&law, &LawTree::read(&law.to_string(), &names).expect("LTL"), "its LTL");
        round_trip(&law, &names);
    }
}

#[test]
fn hostile_names_stay_names() {
    let bad = "a` holds. It never happens that `b\\";
    let names = PolicyNames::from_iter([(bad, NameKind::Momentary), ("b", NameKind::Action)]);
    let law = LawTree::globally(LawTree::implies(LawTree::atom(bad), LawTree::once(LawTree::atom("b.ok"))));
    let sentence = round_trip(&law, &names);
    assert!(sentence.ends_with("only if `b` has succeeded before."), "{sentence}");
}

#[test]
fn deep_and_long_sentences_are_refused() {
    let names = patterns::names();
    let deep = format!("in every step {}`said` holds{}", "(".repeat(3_000), ")".repeat(3_000));
    assert!(read_sentence(&deep, &names).is_err());
    assert!(read_sentence(&"now or later ".repeat(2_000), &names).is_err());
    assert!(read_sentence(&"a ".repeat(80_000), &names).is_err());
    assert!(read_sentence("", &names).is_err());
    assert!(LawTree::read(&"!".repeat(900), &names).is_err());
    assert!(LawTree::read(&format!("{}said", "X ".repeat(300)), &names).is_err());
    assert!(LawTree::read("F[0:9999999999] said", &names).is_err());
    let long = format!("G({})", vec!["said"; 5_000].join(" & "));
    let law = LawTree::read(&long, &names).expect("many conjuncts are not deep");
    assert_eq!(law.to_string(), long);
}

#[test]
fn any_row_of_words_is_read_or_refused_with_a_place() {
    const WORDS: &[&str] = &[
        "whenever",
        "`edit`",
        "is called",
        "only if",
        "before",
        "after",
        "since",
        "the last time that",
        "it begins",
        "at most",
        "at least",
        "2 times",
        "that",
        ",",
        "(",
        ")",
        ".",
        "never",
        "if",
        "then",
        "the next action is",
        "not",
        "`tests`",
        "has succeeded",
        "once",
        "twice",
        "you have to",
        "go to",
        "kitchen",
        "frozen",
        "said",
        "more than",
        "`",
        "\u{201c}",
        "é",
        "until",
        "which comes",
        "per",
        "60s",
        "later",
        "and",
        "or",
        "unless",
        "exactly if",
        ":",
        "means",
        "requires",
        "end",
        "\"",
        "\\",
        "&",
        "!",
        "99999999999",
    ];
    let names = patterns::names();
    let mut rng = Rng(77);
    for round in 0..10_000 {
        let length = 1 + rng.below(14);
        let text: Vec<&str> = (0..length).map(|_| WORDS[rng.below(WORDS.len())]).collect();
        let text = text.join(if rng.below(5) == 0 { "" } else { " " });
        for range in [read_sentence(&text, &names).err(), read_pattern(&text, &names).err()]
            .into_iter()
            .flatten()
            .map(|refused| refused.range)
        {
            assert!(text.get(range.clone()).is_some(), "{text}: {range:?}");
        }
        if round % 10 != 0 {
            continue;
        }
        let law = LawTree::atom("said");
        let _ = tsl_synth_policy::language::words::text_against_formula(&text, &law, &names);
    }
}
