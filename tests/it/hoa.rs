//! HOA as other tools and other people write it.

use tsl_synth_core::base::Id;
use tsl_synth_core::logic::{Alphabet, Letter};
use tsl_synth_core::model::Mealy;
use tsl_synth_formats::hoa::{HoaError, HoaMachine, read_hoa};

const HEAD: &str = "HOA: v1\nStates: 2\nStart: 0\nAP: 2 \"r\" \"g\"\ncontrollable-AP: 1\nacc-name: all\n\
                    Acceptance: 0 t\nproperties: trans-labels\n--BODY--\n";

fn machine(text: &str) -> (Alphabet, Mealy) {
    let read = read_hoa(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    read.mealy(&[]).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// The values of the output `g` on a word over the input `r`.
fn run(text: &str, word: &[bool]) -> Vec<bool> {
    let (alphabet, mealy) = machine(text);
    let atom = |name: &str| alphabet.atoms().ids().find(|&a| alphabet.atoms()[a].name == name).unwrap();
    let mut state = mealy.initial;
    let mut outputs = Vec::new();
    for &value in word {
        let mut letter = Letter::new();
        if value {
            alphabet.choose(atom("r"), &mut letter);
        }
        let edge = mealy.edge(state, &letter).expect("total");
        outputs.push(alphabet.holds(atom("g"), &edge.output));
        state = edge.next;
    }
    outputs
}

#[test]
fn what_synthesis_tools_print() {
    // A grant one step after each request.
    let body = "State: 0 \"idle\"\n[0&!1] 1\n[!0&!1] 0\nState: 1\n[0&1] 1\n[!0&1] 0\n--END--\n";
    let word = [true, false, true, true, false];
    let expected = vec![false, true, false, true, true];
    for text in [
        format!("{HEAD}{body}"),
        format!("REALIZABLE\n{HEAD}{body}"),
        format!("\u{feff}/* a comment /* inside */ */ {HEAD}{body} trailing text"),
        format!("{HEAD}{body}")
            .replace("--BODY--", "Alias: @go 0 & 1 | f\n--BODY--")
            .replace("[0&1]", "[@go]"),
        // An empty list of acceptance sets, parentheses.
        format!("{HEAD}State: 0\n[0&!1] 1 {{}}\n[(!0)&!1] 0\nState: 1\n[0&1] 1\n[!(0|!1)] 0\n--END--\n"),
    ] {
        assert_eq!(run(&text, &word), expected, "{text}");
    }
    let implicit = format!("{HEAD}State: 0 [t] 0\n--END--");
    assert!(read_hoa(&implicit).is_ok(), "one state may be enough");
    // Without labels the edges are in the order of the letters, proposition 0 the lowest bit.
    let read = read_hoa(&format!("{HEAD}State: 0 0 1 0 1\nState: 1 [t] 1\n--END--")).expect("HOA");
    let edge = |letter: usize| read.states[0].edges[letter];
    for code in 0..4usize {
        let letter: Letter = (0..2).filter(|i| code >> i & 1 == 1).map(Id::from_index).collect();
        assert!(read.guards.contains(edge(code).0, &letter) && edge(code).1 == code % 2);
    }
}

#[test]
fn choices_of_the_system_are_made_once() {
    // `t` leaves the output open, which is then false. Two edges for one input letter make no Mealy machine.
    assert_eq!(run(&format!("{HEAD}State: 0\n[t] 0\n--END--"), &[true, false]), [false, false]);
    let two = format!("{HEAD}State: 0\n[0] 0\n[1] 0\n[!0&!1] 0\n--END--");
    assert!(read_hoa(&two).expect("HOA").mealy(&[]).is_err());
    let partial = format!("{HEAD}State: 0\n[0] 0\n--END--");
    assert!(read_hoa(&partial).expect("HOA").mealy(&[]).is_err());
}

fn error(text: &str) -> HoaError {
    match read_hoa(text) {
        Err(error) => error,
        Ok(HoaMachine { name, .. }) => panic!("{name:?} was read: {text}"),
    }
}

/// A well-formed body.
const ALL: &str = "State: 0\n[t] 0\nState: 1\n[t] 1\n--END--";

#[test]
fn bad_text_is_an_error_with_a_line() {
    assert_eq!(error("").line, 1);
    assert_eq!(error("HOA: v2\n").line, 1);
    for (text, line) in [
        (format!("{HEAD}State: 0\n[0&7] 0\n--END--"), 11),
        (format!("{HEAD}State: 0\n[0&(1] 0\n--END--"), 11),
        (format!("{HEAD}State: 0\n[0&@x] 0\n--END--"), 11),
        (format!("{HEAD}State: 5\n[t] 0\n--END--"), 10),
        (format!("{HEAD}State: 0\n[t] 1\n--END--"), 12),
        (format!("{HEAD}State: 0\nState: 0\n--END--"), 11),
        (format!("{HEAD}State: 0\n[t] 0&1\n--END--"), 11),
        (format!("{HEAD}State: 0\n[t] 0\n"), 12),
        (HEAD.replace("Start: 0", "Start: 0\nStart: 1") + ALL, 4),
        (HEAD.replace("AP: 2", "AP: 4000000000"), 4),
        (HEAD.replace("AP: 2", "AP: 4000"), 5),
        (HEAD.replace("States: 2", "States: 99999999999999999999"), 2),
        (HEAD.replace("Acceptance: 0 t", "Acceptance: 1 Inf(0)") + ALL, 7),
        (HEAD.replace("acc-name", "Surprise"), 6),
        (HEAD.replace("\"g\"", "\"r\""), 4),
        (HEAD.replace("\"g\"", "\"g"), 9),
    ] {
        let error = error(&text);
        assert!(error.line.abs_diff(line) <= 1, "line {line}: {error}\n{text}");
    }
}

#[test]
fn huge_and_deep_text_is_refused_quickly() {
    let deep = format!("{HEAD}State: 0\n[{}0{}] 0\n--END--", "(".repeat(100_000), ")".repeat(100_000));
    assert!(read_hoa(&deep).is_err());
    let not = format!("{HEAD}State: 0\n[{}0] 0\n--END--", "!".repeat(100_000));
    assert!(read_hoa(&not).is_err());
    let comment = format!("{}{HEAD}", "/*".repeat(100_000));
    assert!(read_hoa(&comment).is_err());
    let states = HEAD.replace("States: 2", "States: 4000000");
    assert!(read_hoa(&format!("{states}State: 3999999\n[t] 3999999\n--END--")).is_err());
}
