//! Machine JSON and HOA: what is written is read back as the same machine, and errors are reported.

use crate::cli::Folder;
use std::path::Path;
use tsl_synth_core::logic::{Alphabet, Letter, Player};
use tsl_synth_core::model::Mealy;
use tsl_synth_core::source::SourceMap;
use tsl_synth_documents::AnyStrategy;
use tsl_synth_documents::machine::MachineDocument;
use tsl_synth_engine::mealy::machine_id;
use tsl_synth_formats::hoa::read_hoa;
use tsl_synth_testkit::Rng;

fn document(text: &str) -> Result<MachineDocument, String> {
    let mut map = SourceMap::new();
    let source = map.add("machine.json", text);
    MachineDocument::read(&map, source).map_err(|d| d.message)
}

fn strategy(text: &str) -> Result<(Alphabet, AnyStrategy), String> {
    document(text)?.strategy().map_err(|d| d.message)
}

/// The names of the atoms that hold in a letter.
fn names(alphabet: &Alphabet, letter: &Letter) -> Vec<String> {
    let atoms = alphabet.atoms().enumerate().filter(|&(id, _)| alphabet.holds(id, letter));
    let mut names: Vec<String> = atoms.map(|(_, atom)| atom.name.clone()).collect();
    names.sort();
    names
}

/// Checks that both machines have the same outputs on a random word, with inputs and outputs matched by name.
fn same_behavior((first, a): (&Alphabet, &Mealy), (second, b): (&Alphabet, &Mealy), rng: &mut Rng) {
    let (mut p, mut q) = (a.initial, b.initial);
    for _ in 0..300 {
        let input: Letter = first.bits_of(Player::Environment).filter(|_| rng.flip()).collect();
        let mut other = Letter::new();
        for atom in first.inputs().filter(|&atom| first.holds(atom, &input)) {
            let name = &first.atoms()[atom].name;
            let same = second.inputs().find(|&x| second.atoms()[x].name == *name).expect("the same inputs");
            second.choose(same, &mut other);
        }
        let (x, y) = (a.edge(p, &input).expect("total"), b.edge(q, &other).expect("total"));
        let whole = |alphabet: &Alphabet, input: &Letter, output: &Letter| {
            let mut letter = input.clone();
            letter.union_with(output);
            names(alphabet, &letter)
        };
        assert_eq!(whole(first, &input, &x.output), whole(second, &other, &y.output));
        (p, q) = (x.next, y.next);
    }
}

#[test]
fn what_emit_writes_is_read_back() {
    let folder = Folder::new();
    let specs = Path::new(env!("CARGO_MANIFEST_DIR")).join("specs");
    let mut rng = Rng(7);
    for name in [
        "adventure/story.tsl",
        "machines/vending_machine.tsl",
        "arbiters/round_robin.tsl",
        "ltl/latch.ltl",
        "ltl/load_balancer.ltl",
    ] {
        let spec = specs.join(name);
        let json =
            folder.run(["emit".as_ref(), "--lang".as_ref(), "json".as_ref(), spec.as_os_str()]).exits(0);
        let (alphabet, AnyStrategy::Mealy(mealy)) = strategy(&json.out).expect(name) else {
            panic!("{name}: not a controller");
        };
        let hoa = folder.run(["emit".as_ref(), "--lang".as_ref(), "hoa".as_ref(), spec.as_os_str()]).exits(0);
        let (other, same) = read_hoa(&hoa.out).and_then(|hoa| hoa.mealy(&[])).expect(name);
        assert_eq!(alphabet.cells().len(), other.cells().len(), "{name}");
        same_behavior((&alphabet, &mealy), (&other, &same), &mut rng);
        same_behavior((&other, &same), (&alphabet, &mealy), &mut rng);
        // The order of atoms in a file does not matter to the id.
        assert_eq!(machine_id(&alphabet, &mealy), machine_id(&other, &same), "{name}");
    }
    for name in ["adventure/cave.tsl", "arbiters/impatient.tsl", "ltl/clairvoyant.ltl"] {
        let spec = specs.join(name);
        let arguments = ["emit", "--counter", "--lang", "json"].map(std::ffi::OsStr::new);
        let json = folder.run(arguments.into_iter().chain([spec.as_os_str()])).exits(0);
        let (_, AnyStrategy::Counter(counter)) = strategy(&json.out).expect(name) else {
            panic!("{name}: not a counter-strategy");
        };
        assert!(!counter.states.is_empty());
    }
}

const MACHINE: &str = r#"{"schemaVersion": "1.0", "tool": {"name": "hand", "version": "1"}, "kind": "mealy",
 "player": "system", "machineId": "ID", "spec": {"name": "x", "sha256": ""}, "origin": "by hand",
 "inputs": [{"id": "p", "term": "p(x)"}, {"id": "q", "term": "q(x)"}],
 "cells": [{"name": "x", "terms": ["x", "f(x)"], "ids": ["keep", "set"]}],
 "outputs": [{"id": "o", "term": "o"}], "initial": 0,
 "states": [
  {"id": 0, "name": "S0", "edges": [
   {"guard": "p & !q", "next": 1, "updates": {"x": "f(x)"}, "outputs": {"o": true}},
   {"guard": "p -> q", "next": 0, "updates": {"x": "x"}, "outputs": {"o": false}}]},
  {"id": 1, "name": "S1", "edges": [{"guard": "1", "next": 1, "updates": {"x": "x"}, "outputs": {"o": true}}]}]}"#;

/// The document with the id that belongs to its transition table.
fn machine() -> String {
    let told = strategy(MACHINE).expect_err("the id is wrong");
    let id = told.rsplit(' ').next().expect("the id comes last");
    MACHINE.replace("\"ID\"", &format!("{id:?}"))
}

#[test]
fn machines_may_be_written_by_hand() {
    let (alphabet, AnyStrategy::Mealy(mealy)) = strategy(&machine()).expect("a machine") else {
        panic!("not a controller");
    };
    assert_eq!((mealy.states.len(), alphabet.atoms().len(), alphabet.cells().len()), (2, 5, 1));
    // The id depends on the transition table only, not on how its guards are divided among edges.
    let divided = machine().replace(
        r#"{"guard": "1", "next": 1, "updates": {"x": "x"}, "outputs": {"o": true}}"#,
        r#"{"guard": "p <-> q", "next": 1, "updates": {"x": "x"}, "outputs": {"o": true}},
           {"guard": "p ^ q", "next": 1, "updates": {"x": "x"}, "outputs": {"o": true}}"#,
    );
    assert!(divided != machine() && strategy(&divided).is_ok());
}

#[test]
fn what_is_wrong_with_a_machine_is_said() {
    for (from, to, expected) in [
        ("p & !q", "p", "state 0 has two edges for one letter"),
        ("p -> q", "q", "state 0 has no edge for some letter"),
        ("p -> q", "p -> X q", "a guard of state 0: a guard has no temporal operators"),
        ("p -> q", "p -> r", "a guard of state 0: `r` cannot be asked here"),
        ("p -> q", "p -> set", "a guard of state 0: `set` cannot be asked here"),
        ("p -> q", "p -> (q", "a guard of state 0:"),
        ("\"next\": 0", "\"next\": 7", "state 0 leads to state 7"),
        ("\"initial\": 0", "\"initial\": 2", "the initial state 2"),
        ("{\"x\": \"f(x)\"}", "{\"x\": \"g(x)\"}", "`[x <- g(x)]` is no update"),
        ("{\"x\": \"f(x)\"}", "{}", "an edge of state 0 does not update `x`"),
        ("{\"x\": \"f(x)\"}", "{\"x\": \"f(x)\", \"y\": \"x\"}", "an edge of state 0 names something"),
        ("{\"o\": false}", "{}", "an edge of state 0 does not say `o`"),
        ("\"id\": \"q\"", "\"id\": \"p\"", "the id `p` is declared twice"),
        ("\"q(x)\"", "\"p(x)\"", "`p(x)` is declared twice"),
        ("\"id\": 1", "\"id\": 2", "state 2 is in the place of state 1"),
        ("\"player\": \"system\"", "\"player\": \"environment\"", "a machine is `mealy`"),
        ("\"mealy\"", "\"turing\"", "this is not machine JSON: unknown variant `turing`"),
        ("\"initial\": 0,", "", "this is not machine JSON: missing field `initial`"),
        ("\"initial\": 0,", "\"initial\": 0, \"initial\": 0,", "the key \"initial\" is named twice"),
        ("\"1.0\"", "\"2.0\"", "machine JSON of version 2.0"),
        ("\"o\": true", "\"o\": false", "`machineId` is"),
    ] {
        let text = machine();
        assert!(text.contains(from), "{from}");
        let message = strategy(&text.replacen(from, to, 1)).expect_err(to);
        assert!(message.starts_with(expected), "{from} -> {to}: {message}");
    }
}
