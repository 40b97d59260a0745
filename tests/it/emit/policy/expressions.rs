//! Regular expressions and globs in emitted gates, compared with those of `shield`. For each expression there are a
//! table for messages, a proposition, and a law that this proposition never holds; the laws that a message violates
//! show which expressions match it.

use super::gate_runs::{javascript, python, rust};
use super::gates::{answer, loaded};
use crate::emit::run::folder;
use crate::support::Rng;
use serde_json::json;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;
use tsl_synth_emit::{PolicyEmitOptions, PolicyMeta, PolicyTarget, emit_policy};
use tsl_synth_service::{GateService, MemoryJournal};

/// Expressions that all targets support.
const PLAIN: &[&str] = &[
    r"(?i)\byes\b",
    r"^ab$",
    r"a.b",
    r"(?s)a.b",
    r"\Aa|b\z",
    r"a{2,3}b?",
    r"(a|b)*k\B",
    r"[^a-k\s]",
    r"\w+\d",
    r"\W\D\S",
    r"(?i:k)s",
    r"[a\-b]+$",
    r"(?P<n>ab|)1",
    r"\.|\n|\x41",
    r"(?:a|b|){3}_",
    r"\bk|s\b",
    r".\Bb",
];
/// Further expressions in the syntax of the gate's engine, for the Rust target only.
const OTHERS: &[&str] = &[
    r"\pL\pN",
    r"\p{Greek}|\p{Han}",
    r"(?m)^a$",
    r"(?mR)^a$",
    r"(?x) a b # a remark",
    r"[[:alpha:]&&[^a]]1",
    r"(?i)stra\u{df}e|\u{e4}",
    r"\b{start}a",
    r"b\b{end}",
    r"a\b{end-half}",
    r"\b{start-half}1",
    r"(?-u:\b)s(?-u:\w)",
    r"(a{0,2}b{1,}){2}",
    r"((a*)*)*b",
    r"[\w--b]k",
    r"(?i)[k-s]{2}",
    r"[^\n\r]\u{1F600}?$",
    r"(?i-u)k+$",
];
const GLOBS: &[&str] = &["a*", "*b", "?", "{a,b}*k", "a", "*[a-k]1", "*[!a]"];
/// The number of globs, from the first, that all targets support.
const PLAIN_GLOBS: usize = 5;
const LETTERS: &[&str] = &[
    "a",
    "b",
    "k",
    "K",
    "s",
    "A",
    "1",
    "_",
    " ",
    "-",
    ".",
    "\n",
    "\r",
    "\u{e4}",
    "\u{c4}",
    "\u{17f}",
    "\u{212a}",
    "\u{3b1}",
    "\u{4e2d}",
    "\u{1f600}",
    "\u{df}",
    "\u{660}",
    "\u{85}",
    "yes",
    "strasse",
    "stra\u{df}e",
];

/// A random expression over few letters.
fn random(rng: &mut Rng, depth: usize) -> String {
    let atoms =
        ["a", "b", "k", ".", "[ab]", "[^a]", r"\w", r"\d", r"\s", r"\b", r"\B", "^", "$", "1", "(?i:s)", ""];
    if depth == 0 {
        return atoms[rng.below(atoms.len())].to_owned();
    }
    let (f, g) = (random(rng, depth - 1), random(rng, depth - 1));
    match rng.below(7) {
        0 => format!("(?:{f})*"),
        1 => format!("(?:{f})+?"),
        2 => format!("(?:{f})?"),
        3 => format!("(?:{f}){{1,3}}"),
        4 => format!("(?:{f}|{g})"),
        _ => format!("{f}{g}"),
    }
}

fn policy(expressions: &BTreeSet<String>, globs: &[&str]) -> String {
    let mut text = String::from("policy = 1\nunmatched = \"allow\"\nlook_ahead = false\n[propositions]\n");
    let count = expressions.len() + globs.len();
    (0..count).for_each(|i| writeln!(text, "p{i} = {{}}").unwrap());
    text.push_str("[actions]\ngroups = [[\"a\", \"b\"]]\n");
    for (i, expression) in expressions.iter().enumerate() {
        write!(text, "[[match]]\non = \"message\"\nproposition = \"p{i}\"\n").unwrap();
        writeln!(text, "regex = {}", json!(expression)).unwrap();
    }
    for (i, glob) in globs.iter().enumerate() {
        let number = expressions.len() + i;
        write!(text, "[[match]]\non = \"message\"\nproposition = \"p{number}\"\n").unwrap();
        writeln!(text, "where = [{{ pointer = \"/text\", glob = {} }}]", json!(glob)).unwrap();
    }
    for i in 0..count {
        write!(text, "[[law]]\nid = \"l{i}\"\nkind = \"soft\"\nltl = \"G !p{i}\"\n").unwrap();
    }
    text
}

/// Writes the gate of a policy and its script: messages with the answers of `shield`.
fn prepare(dir: &Path, target: PolicyTarget, expressions: &BTreeSet<String>, messages: usize) {
    let globs = if target == PolicyTarget::Rust { GLOBS } else { &GLOBS[..PLAIN_GLOBS] };
    let own = loaded("expressions.toml", &policy(expressions, globs));
    let meta = PolicyMeta { tool_version: "0".into(), sha256: "00".into() };
    let files = emit_policy(&own.compiled, &meta, &PolicyEmitOptions::new(target, "p0")).expect("a gate");
    for file in files {
        std::fs::write(dir.join(&file.path), file.bytes()).expect("a writable folder");
    }
    let mut shield = GateService::new(own, "0", "p", MemoryJournal::default(), false)
        .map_err(|(limit, _)| limit.to_string())
        .expect("a gate");
    let (mut rng, mut script, mut broken) = (Rng(9), String::new(), BTreeSet::new());
    for time in 0..messages {
        let text: String = (0..rng.below(8)).map(|_| LETTERS[rng.below(LETTERS.len())]).collect();
        let request = json!({"event": "message", "text": text, "session": "s", "time": time}).to_string();
        let answer = answer(&mut shield, &request);
        assert_eq!(answer["answer"], "heard", "{answer}");
        let laws = answer["broken"].as_array().into_iter().flatten();
        broken.extend(laws.map(ToString::to_string));
        writeln!(script, "{request}\t{answer}").unwrap();
    }
    println!("{}: {} of {} expressions match", target.name(), broken.len(), expressions.len() + globs.len());
    assert!(2 * broken.len() > expressions.len(), "{broken:?}");
    std::fs::write(dir.join("p0.script"), script).expect("a writable folder");
    std::fs::write(dir.join("index.txt"), "p0 expressions.toml\n").expect("a writable folder");
}

fn owned(texts: &[&str]) -> impl Iterator<Item = String> {
    texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>().into_iter()
}

#[test]
fn expressions_match_in_rust_as_in_shield() {
    let dir = folder("expressions-rust");
    let mut rng = Rng(5);
    let mut all: BTreeSet<String> = owned(PLAIN).chain(owned(OTHERS)).collect();
    all.extend((0..120).map(|i| random(&mut rng, 2 + i % 3)));
    prepare(&dir, PolicyTarget::Rust, &all, 1_500);
    rust(&dir, &[0]);
}

#[test]
fn expressions_match_in_javascript_and_python_as_in_shield() {
    let dir = folder("expressions-js");
    let all: BTreeSet<String> = owned(PLAIN).collect();
    prepare(&dir, PolicyTarget::Js, &all, 1_500);
    javascript(&dir, 1);
    let dir = folder("expressions-python");
    prepare(&dir, PolicyTarget::Python, &all, 1_500);
    python(&dir, 1);
}
