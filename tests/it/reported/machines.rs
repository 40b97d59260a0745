//! Machines of other tools: versions of HOA, several automata in a file, states that no run reaches, names in other
//! letter case.

use crate::cli::{Folder, Run};

fn shown(what: &str, run: &Run) {
    println!("{what}: exit {}: {}{}", run.code, run.out, run.err);
}

/// A machine that answers `g` one step after each `r`, with this first line, count of states and further states.
fn machine(version: &str, states: usize, further: &str) -> String {
    format!(
        "HOA: {version}\nStates: {states}\nStart: 0\nAP: 2 \"r\" \"g\"\ncontrollable-AP: 1\nacc-name: all\n\
         Acceptance: 0 t\n--BODY--\nState: 0\n[0&!1] 1\n[!0&!1] 0\nState: 1\n[0&1] 1\n[!0&1] 0\n{further}--END--\n"
    )
}

fn verify(folder: &Folder, text: &str) -> Run {
    folder.file("m.hoa", text);
    let run = folder.run(["verify", "--ins", "r", "--formula", "G (r -> X g) & !g", "m.hoa"]);
    shown("verify", &run);
    run
}

#[test]
fn version_1_1_of_hoa_is_read() {
    let folder = Folder::new();
    let negated = machine("v1.1", 2, "")
        .replace("--BODY--", "properties: !terminal deterministic !stutter-invariant\n--BODY--");
    for text in [machine("v1", 2, ""), machine("v1.1", 2, ""), negated] {
        assert!(verify(&folder, &text).out.starts_with("HOLDS"));
        folder.file("m.hoa", &text);
        assert_eq!(folder.run(["convert", "m.hoa", "--to", "aiger"]).code, 0);
    }
    for version in ["v2", "v1.2", "v1.", "v11", "v", "1.1"] {
        let run = verify(&folder, &machine(version, 2, ""));
        assert!(run.code == 2 && run.err.contains("line 1"), "{version}: {}", run.err);
    }
}

#[test]
fn a_second_automaton_is_refused() {
    let folder = Folder::new();
    let (one, other) = (machine("v1", 2, ""), machine("v1", 2, "").replace("[0&1] 1", "[0&!1] 1"));
    for text in
        [format!("{one}{one}"), format!("{one}{other}"), format!("REALIZABLE\n{one}REALIZABLE\n{other}")]
    {
        let run = verify(&folder, &text);
        assert!(run.code == 2 && run.err.contains("second automaton"), "{}", run.err);
        folder.file("m.hoa", &text);
        for args in [&["convert", "m.hoa", "--to", "json"][..], &["simulate", "m.hoa", "--random", "1"]] {
            assert_eq!(folder.run(args).code, 2, "{args:?}");
        }
    }
    for after in ["\n", "/* end */\n", "done.\n"] {
        assert_eq!(verify(&folder, &format!("{one}{after}")).code, 0, "{after:?}");
    }
    // An aborted automaton is to be discarded.
    let cut = "HOA: v1\nStates: 9\nStart: 0\nAP: 1 \"r\"\n--BODY--\nState: 0\n--ABORT--\n";
    for text in [format!("{cut}{one}"), format!("{cut}{cut}{one}"), format!("HOA: v1 --ABORT-- {one}")] {
        assert!(verify(&folder, &text).out.starts_with("HOLDS"), "{text}");
    }
    let run = verify(&folder, cut);
    assert!(run.code == 2 && run.err.contains("aborted"), "{}", run.err);
}

/// `States:` may exceed what is described; and what no run reaches is no fault of a machine.
#[test]
fn states_that_no_run_reaches_are_passed_over() {
    let folder = Folder::new();
    for (name, states, further, kept) in [
        ("counted", 3, "", 2),
        ("many", 1000, "", 2),
        ("described", 3, "State: 2\n[t] 2\n", 3),
        ("incomplete", 3, "State: 2\n[0&1] 0\n", 2),
        ("empty", 3, "State: 2\n", 2),
        ("two edges", 3, "State: 2\n[1] 0\n[1] 1\n", 2),
        ("late", 9, "State: 8\n[0] 8\n", 2),
    ] {
        let run = verify(&folder, &machine("v1", states, further));
        assert!(run.code == 0 && run.out.starts_with("HOLDS"), "{name}: {}{}", run.out, run.err);
        let json = folder.run(["convert", "m.hoa", "--to", "json"]).json();
        assert_eq!(json["states"].as_array().expect("states").len(), kept, "{name}");
    }
    // The first state need not have the number 0.
    let first = "HOA: v1\nStates: 4\nStart: 3\nAP: 2 \"r\" \"g\"\ncontrollable-AP: 1\nAcceptance: 0 t\n--BODY--\nState: 2\n[0&1] 2\n[!0&1] 3\nState: 3\n[0&!1] 2\n[!0&!1] 3\n--END--\n";
    assert!(verify(&folder, first).out.starts_with("HOLDS"));
    // States that are reached count, by the numbers of the file.
    let run = verify(&folder, &first.replace("[!0&1] 3\n", ""));
    assert!(run.code == 1 && run.out.contains("state 2"), "{}{}", run.out, run.err);
    let run = verify(&folder, &first.replace("State: 2\n[0&1] 2\n[!0&1] 3\n", ""));
    assert!(run.code == 2 && run.err.contains("state 2 is not described"), "{}{}", run.out, run.err);
}

#[test]
fn names_are_matched_without_regard_to_case_and_the_index_of_a_bus() {
    let folder = Folder::new();
    folder.file(
        "bus.tlsf",
        "INFO { TITLE: \"t\" DESCRIPTION: \"d\" SEMANTICS: Mealy TARGET: Mealy }\n\
         MAIN { INPUTS { REQ[2]; Go; } OUTPUTS { GRANT[2]; } GUARANTEE { G (REQ[0] && Go <-> GRANT[0]); G (REQ[1] <-> GRANT[1]); } }",
    );
    let circuit = |names: [&str; 5]| {
        let [a, b, c, d, e] = names;
        format!("aag 4 3 0 2 1\n2\n4\n6\n8\n4\n8 2 6\ni0 {a}\ni1 {b}\ni2 {c}\no0 {d}\no1 {e}\n")
    };
    let hoa = |names: [&str; 5]| {
        let [a, b, c, d, e] = names;
        format!(
            "HOA: v1\nStates: 1\nStart: 0\nAP: 5 \"{a}\" \"{b}\" \"{c}\" \"{d}\" \"{e}\"\ncontrollable-AP: 3 4\nAcceptance: 0 t\n\
             --BODY--\nState: 0\n[((0&2&3) | (!(0&2)&!3)) & ((1&4) | (!1&!4))] 0\n--END--\n"
        )
    };
    for (names, code, noted) in [
        (["REQ_0", "REQ_1", "Go", "GRANT_0", "GRANT_1"], 0, false),
        (["req_0", "req_1", "go", "grant_0", "grant_1"], 0, true),
        (["REQ[0]", "REQ[1]", "Go", "GRANT[0]", "GRANT[1]"], 0, true),
        (["req[0]", "Req[1]", "GO", "grant_0", "GRANT_1"], 0, true),
        (["req_0", "req_1", "gone", "grant_0", "grant_1"], 2, false),
        // Two names for one signal.
        (["req_0", "REQ_0", "go", "grant_0", "grant_1"], 2, false),
    ] {
        for (file, text) in [("m.aag", circuit(names)), ("m.hoa", hoa(names))] {
            folder.file(file, text);
            let run = folder.run(["verify", "bus.tlsf", file]);
            shown(&format!("{names:?} in {file}"), &run);
            assert_eq!(run.code, code, "{names:?} in {file}: {}{}", run.out, run.err);
            assert_eq!(run.err.contains("TSL0208"), noted, "{names:?} in {file}: {}", run.err);
        }
    }
    // The machine is not believed for its names.
    folder.file("w.aag", circuit(["req_0", "req_1", "go", "grant_1", "grant_0"]));
    assert_eq!(folder.run(["verify", "bus.tlsf", "w.aag"]).code, 1);
    // A specification with both spellings has no doubt.
    folder.file("both.ltl", "// inputs: a, A\n// outputs: g\nG (a <-> g)\n");
    folder.file("both.aag", "aag 2 2 0 1 0\n2\n4\n2\ni0 a\ni1 A\no0 G\n");
    assert_eq!(folder.run(["verify", "both.ltl", "both.aag"]).code, 0);
    folder.file("both.aag", "aag 1 1 0 1 0\n2\n2\ni0 Ä\no0 g\n");
    assert_eq!(folder.run(["verify", "both.ltl", "both.aag"]).code, 2);
}

#[test]
fn an_input_and_an_output_of_one_name_are_named() {
    let folder = Folder::new();
    folder.file("m.aag", "aag 1 1 0 1 0\n2\n2\ni0 x\no0 x\n");
    let run = folder.run(["convert", "m.aag", "--to", "hoa"]);
    assert!(run.code == 2 && run.err.contains("an input and an output"), "{}", run.err);
}

#[test]
fn endings_in_capitals_are_known() {
    let folder = Folder::new();
    folder.file("S.LTL", "// inputs: a\nG (a -> b)\n");
    folder.file("S.Tsl", "always guarantee { a -> [x <- b()]; }");
    for file in ["S.LTL", "S.Tsl"] {
        assert_eq!(folder.run(["check", file]).code, 0, "{file}");
    }
}
