//! Tests: machines and specifications of other tools, whose signals are not named as ours are.

use super::*;
use tsl_synth_core::diag::Code;
use tsl_synth_core::model::Verdict;
use tsl_synth_documents::{DiffVerdict, VerifyVerdict};

const AB: &str = "input a: Bool;\noutput motor: Bool;\nalways guarantee { motor <-> a; }\n";

fn tsl(text: &str) -> SpecRequest {
    SpecRequest::text(SpecLanguage::Tsl, "ab.tsl", text)
}

fn ltl(formula: &str, outs: &[&str]) -> SpecRequest {
    SpecRequest::formulas([formula], outs.iter().copied())
}

fn file(name: &str, text: impl Into<String>) -> Input {
    Input::Text { name: name.into(), text: text.into() }
}

fn hoa(propositions: &str, controllable: &str, label: &str) -> Input {
    let text = format!(
        "HOA: v1\nStates: 1\nStart: 0\nAP: {propositions}\ncontrollable-AP: {controllable}\nAcceptance: 0 t\n\
         --BODY--\nState: 0\n{label}\n--END--\n"
    );
    file("m.hoa", text)
}

/// The verdict, whether outputs are open, and the codes of all findings; or the errors.
fn verdict(spec: &SpecRequest, machine: Input) -> Result<(VerifyVerdict, bool, Vec<Code>), String> {
    let report = Session::new().verify(&VerifyRequest::new(spec.clone(), machine));
    let report = report.map_err(|failure| format!("{failure}"))?;
    let open = matches!(report.answer, VerifyAnswer::Judged { open: true, .. });
    Ok((report.verdict(), open, report.diagnostics.iter().map(|found| found.code).collect()))
}

/// The machine JSON of the controller of a specification.
fn json(spec: SpecRequest) -> Input {
    let report = Session::new().emit(&EmitRequest::new(spec, Lang::Json)).expect("realizable");
    file("m.json", report.main().text().expect("a text"))
}

#[test]
fn a_boolean_output_of_tsl_is_one_signal_of_a_foreign_machine() {
    use VerifyVerdict::{Holds, Violated};
    let same = "[0&1|!0&!1] 0";
    for (machine, expected, is_open) in [
        (file("m.aag", "aag 1 1 0 1 0\n2\n2\ni0 a\no0 motor\n"), Holds, false),
        (file("m.aag", "aag 1 1 0 1 0\n2\n3\ni0 a\no0 motor\n"), Violated, false),
        (hoa("2 \"a\" \"motor\"", "1", same), Holds, false),
        (hoa("2 \"a\" \"motor\"", "1", "[!0&1|0&!1] 0"), Violated, false),
        (hoa("2 \"a\" \"motor\"", "1", "[1] 0"), Violated, false),
        (hoa("2 \"a\" \"motor\"", "1", "[t] 0"), Violated, true),
        // In another case, and both updates as signals, as our files have them.
        (hoa("2 \"a\" \"MOTOR\"", "1", same), Holds, false),
        (hoa("3 \"a\" \"[motor <- true]\" \"[motor <- false]\"", "1 2", "[0&1&!2|!0&!1&2] 0"), Holds, false),
        (json(ltl("G (motor <-> a)", &["motor"])), Holds, false),
        (json(ltl("G (motor <-> !a)", &["motor"])), Violated, false),
        (json(tsl(AB)), Holds, false),
    ] {
        let found = verdict(&tsl(AB), machine.clone()).unwrap_or_else(|why| panic!("{why}: {machine:?}"));
        assert_eq!((found.0, found.1), (expected, is_open), "{machine:?}");
    }
    // A cell has further updates, and is no such output; two names for one output are none.
    let cell = "input a: Bool;\ncell motor: Bool = false;\nalways guarantee { [motor <- true] <-> a; }\n";
    assert!(verdict(&tsl(cell), hoa("2 \"a\" \"motor\"", "1", same)).is_err());
    let twice = hoa("3 \"a\" \"motor\" \"[motor <- true]\"", "1 2", "[0&1&2|!0&!1&!2] 0");
    assert!(verdict(&tsl(AB), twice).is_err());
}

#[test]
fn further_signals_of_a_machine_are_as_they_like_in_every_language() {
    use VerifyVerdict::{Holds, Violated};
    for spec in [tsl(AB), ltl("G (motor <-> a)", &["motor"])] {
        for (machine, expected) in [
            (file("m.aag", "aag 2 2 0 2 0\n2\n4\n2\n5\ni0 a\ni1 b\no0 motor\no1 lamp\n"), Holds),
            (file("m.aag", "aag 2 2 0 2 0\n2\n4\n4\n2\ni0 a\ni1 b\no0 motor\no1 lamp\n"), Violated),
            (hoa("4 \"a\" \"b\" \"motor\" \"lamp\"", "2 3", "[(0&2|!0&!2)&3] 0"), Holds),
            (json(ltl("G (motor <-> a) & G (lamp <-> b)", &["motor", "lamp"])), Holds),
        ] {
            let found = verdict(&spec, machine.clone()).unwrap_or_else(|why| panic!("{why}: {machine:?}"));
            assert_eq!(found.0, expected, "{machine:?}");
            assert!(found.2.contains(&Code::NAMES_EXTRA), "{found:?}");
        }
    }
    // What TSL relates to other terms is no signal that the environment gives as it likes.
    let number =
        "input x: Int;\ninput a: Bool;\noutput motor: Bool;\nalways guarantee { motor <-> x > 3; }\n";
    for other in ["x > 5", "p(x)", "[c <- x]", "true"] {
        let names = format!("3 \"x > 3\" \"{other}\" \"motor\"");
        assert!(verdict(&tsl(number), hoa(&names, "2", "[0&2|!0&!2] 0")).is_err(), "{other}");
    }
    // A declared input that no formula mentions is one.
    let found = verdict(&tsl(number), hoa("3 \"x > 3\" \"a\" \"motor\"", "2", "[0&2|!0&!2] 0"));
    assert_eq!(found.expect("a machine").0, Holds);
}

#[test]
fn an_output_that_the_file_does_not_name_is_open_in_every_format() {
    use VerifyVerdict::{Holds, Violated};
    let aiger = || file("m.aag", "aag 1 1 0 1 0\n2\n2\ni0 a\no0 b\n");
    let read = || hoa("2 \"a\" \"b\"", "1", "[0&1|!0&!1] 0");
    for (formula, expected) in [
        ("G (a <-> b) & G (c | !c | d)", Holds),
        ("G (a <-> b) & G (c -> a)", Violated),
        ("G (a <-> b) & G F c & (d | !d)", Violated),
        ("G (b -> a) & (G c | F !c) & (d | !d)", Holds),
    ] {
        for machine in [aiger(), read()] {
            let found = verdict(&ltl(formula, &["b", "c", "d"]), machine.clone());
            let found = found.unwrap_or_else(|why| panic!("{formula}: {why}: {machine:?}"));
            assert_eq!((found.0, found.1), (expected, formula.contains('c')), "{formula}: {machine:?}");
        }
    }
    // Updates: one that the file does not name may be taken where no other one of the cell is.
    let cell = |clause: &str| {
        let text = format!(
            "input a: Bool;\ninput x: T;\ninput y: T;\ninput z: T;\noutput c: T;\n\
             always guarantee {{ a -> [c <- x]; {clause} }}\n"
        );
        tsl(&text)
    };
    for (clause, expected) in [
        ("[c <- x] || [c <- y] || [c <- z] || [c <- c];", Holds),
        ("!a -> [c <- y] || [c <- z] || [c <- c];", Holds),
        ("!a -> [c <- y] || [c <- c]; a || ![c <- z] || a;", Violated),
    ] {
        let aiger = file("m.aag", "aag 1 1 0 1 0\n2\n2\ni0 a\no0 [c <- x]\n");
        let read = hoa("2 \"a\" \"[c <- x]\"", "1", "[0&1|!0&!1] 0");
        for machine in [aiger, read] {
            let found = verdict(&cell(clause), machine.clone());
            assert_eq!(found.unwrap_or_else(|why| panic!("{why}")).0, expected, "{clause}: {machine:?}");
        }
    }
    // Inputs of a counter-strategy have to be given.
    let counter = file("m.aag", "aag 1 1 0 1 0\n2\n1\ni0 b\no0 a\n");
    assert!(verdict(&ltl("G (b <-> X a) & (a2 | !a2)", &["b"]), counter).is_err());
}

#[test]
fn open_outputs_of_moore_machines_are_no_violation() {
    let info = "INFO { TITLE: \"t\" DESCRIPTION: \"d\" SEMANTICS: Moore TARGET: Moore }\n";
    let main =
        "MAIN { INPUTS { a; } OUTPUTS { b; c; } GUARANTEE { G (b || !b) && G (c || !c); G (a -> X b); } }\n";
    let spec = SpecRequest::text(SpecLanguage::Tlsf, "s.tlsf", format!("{info}{main}"));
    // `b` is true, and `c` is not in the file.
    for machine in [file("m.aag", "aag 1 1 0 1 0\n2\n1\ni0 a\no0 b\n"), hoa("2 \"a\" \"b\"", "1", "[1] 0")] {
        let why = verdict(&spec, machine.clone()).expect_err("open");
        assert!(why.contains("Moore"), "{why}: {machine:?}");
    }
    let whole = file("m.aag", "aag 1 1 0 2 0\n2\n1\n0\ni0 a\no0 b\no1 c\n");
    assert_eq!(verdict(&spec, whole).expect("a machine").0, VerifyVerdict::Holds);
}

#[test]
fn games_of_spot_are_refused_with_what_to_do() {
    let text = "HOA: v1\nStates: 2\nStart: 0\nAP: 2 \"a\" \"b\"\ncontrollable-AP: 1\nspot-state-player: 0 1\n\
                Acceptance: 0 t\n--BODY--\nState: 0\n[0] 1\n[!0] 1\nState: 1\n[1] 0\n--END--\n";
    let why = verdict(&ltl("G (b | a)", &["b"]), file("m.hoa", text)).expect_err("a game");
    assert!(why.contains("line 6") && why.contains("--print-game-hoa"), "{why}");
}

#[test]
fn propositions_are_declared_once() {
    let text = |first: &str| {
        format!(
            "HOA: v1\nStates: 1\nStart: 0\n{first}AP: 2 \"a\" \"b\"\ncontrollable-AP: 1\nAcceptance: 0 t\n--BODY--\n\
             State: 0\n[1] 0\n--END--\n"
        )
    };
    let spec = ltl("G (b | a)", &["b"]);
    assert!(verdict(&spec, file("m.hoa", text(""))).is_ok());
    for first in ["AP: 0\n", "AP: 1 \"c\"\n"] {
        let why = verdict(&spec, file("m.hoa", text(first))).expect_err("two headers");
        assert!(why.contains("`AP:` is given twice"), "{first} {why}");
    }
}

#[test]
fn the_error_is_about_the_format_of_the_file() {
    for (name, text, told) in [
        ("m.aag", "", "begins with `aag` or `aig`"),
        ("m.aig", "x", "begins with `aag` or `aig`"),
        ("m.AAG", "hello", "begins with `aag` or `aig`"),
        ("m.hoa", "", "expected `HOA: v1`"),
        ("m.hoa", "hello", "expected `HOA: v1`"),
        ("m.kiss", ".i 1\n", "AIGER (`aag`, `aig`)"),
        ("m", "", "AIGER (`aag`, `aig`)"),
    ] {
        let why = verdict(&ltl("G a", &["a"]), file(name, text)).expect_err(name);
        assert!(why.contains(told), "{name}: {why}");
    }
    for text in ["", "[]", "1", "\u{feff}"] {
        let why = verdict(&ltl("G a", &["a"]), file("m.json", text)).expect_err("no document");
        assert!(!why.contains("HOA"), "{text}: {why}");
    }
    // With a byte order mark.
    let aiger = "\u{feff}aag 1 1 0 1 0\n2\n2\ni0 a\no0 b\n";
    assert_eq!(
        verdict(&ltl("G (a <-> b)", &["b"]), file("m.aag", aiger)).expect("a circuit").0,
        VerifyVerdict::Holds
    );
}

fn converted(spec: &SpecRequest, to: MachineFormat) -> String {
    let report = Session::new().convert(&ConvertRequest::new(spec.clone(), to)).expect("it can be written");
    String::from_utf8(report.contents.bytes().to_vec()).expect("text")
}

fn difference(left: &SpecRequest, right: &SpecRequest) -> DiffVerdict {
    Session::new().diff(&DiffRequest::new(left.clone(), right.clone())).expect("comparable").verdict()
}

#[test]
fn boolean_outputs_keep_their_name_and_meaning_in_other_languages() {
    let text = converted(&tsl(AB), MachineFormat::Ltl);
    assert!(text.contains("// outputs: motor\n") && !text.contains("gets"), "{text}");
    let text = converted(&tsl(AB), MachineFormat::Smv);
    assert!(text.contains("motor : boolean; -- output") && !text.contains("gets"), "{text}");
    let text = converted(&ltl("G (motor <-> a)", &["motor"]), MachineFormat::Tsl);
    assert!(text.contains("output motor: Bool;") && !text.contains("<- true"), "{text}");
    for (formula, outs) in [
        ("G (motor <-> a)", &["motor"][..]),
        ("G F a -> G F (b & !c)", &["b", "c"]),
        ("G (b | !c) & (c U a | G !a)", &["b", "c"]),
        // An output that no formula mentions, and one that stays undetermined.
        ("G (b <-> a)", &["b", "free"]),
    ] {
        let source = ltl(formula, outs);
        for to in [MachineFormat::Tsl, MachineFormat::Tlsf, MachineFormat::Ltl] {
            let (language, name) = match to {
                MachineFormat::Tsl => (SpecLanguage::Tsl, "s.tsl"),
                MachineFormat::Tlsf => (SpecLanguage::Tlsf, "s.tlsf"),
                _ => (SpecLanguage::Ltl, "s.ltl"),
            };
            let text = converted(&source, to);
            let result = SpecRequest::text(language, name, text.clone());
            assert_eq!(difference(&source, &result), DiffVerdict::Equivalent, "{formula}:\n{text}");
            let other = ltl(&format!("({formula}) & F {}", outs[0]), outs);
            assert_eq!(difference(&other, &result), DiffVerdict::Different, "{formula}:\n{text}");
            if to == MachineFormat::Tsl {
                // And back again.
                let back =
                    SpecRequest::text(SpecLanguage::Ltl, "t.ltl", converted(&result, MachineFormat::Ltl));
                assert_eq!(difference(&result, &back), DiffVerdict::Equivalent, "{formula}:\n{text}");
            }
        }
    }
    // Cells beside outputs, and values that are followed.
    let text = "input a: Bool;\noutput m: Bool;\ncell n: 0..3 = 0;\nalways guarantee { a -> [n <- 3]; m <-> n = 3; }\n";
    let back = SpecRequest::text(SpecLanguage::Ltl, "t.ltl", converted(&tsl(text), MachineFormat::Ltl));
    let is_realizable = |spec: SpecRequest| {
        let report = Session::new().check(&CheckRequest::new(spec)).expect("an answer");
        matches!(report.verdict, Verdict::Realizable(_))
    };
    assert!(is_realizable(tsl(text)) && is_realizable(back));
}

#[test]
fn a_boolean_output_has_no_value_that_a_program_must_give() {
    let open = "output motor: Bool;\nalways guarantee { [motor <- true] || [motor <- false]; }\n";
    for lang in [Lang::Js, Lang::Ts] {
        let text = |spec: &str| {
            let report = Session::new().emit(&EmitRequest::new(tsl(spec), lang)).expect("realizable");
            report.main().text().expect("a text").to_owned()
        };
        assert!(!text(AB).contains("has no declared initial value"), "{lang:?}");
        // One that is updated by terms has a value.
        assert!(text(open).contains("has no declared initial value"), "{lang:?}");
    }
}
