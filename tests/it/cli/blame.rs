//! Which player makes an assumption impossible to keep: in plays, traces, and verified machines.

use super::Folder;

/// A lift with two floors: an assumption about the floor, which the controller determines.
const FLOOR: &str = "cell floor: 0..1 = 0;\nalways assume { callUp -> F (floor = 1); }\n\
                     always guarantee { callUp -> [floor <- floor + 1]; callDown -> [floor <- 0]; }\n";
const FLOOR_CLAUSE: &str = "the assumption `always callUp -> F (floor = 1)` cannot be kept any more: no continuation of this controller keeps it";
/// Assumptions about inputs only.
const POLITE: &str = "always assume {\n  ! (a && b);\n  b -> X a;\n}\n\
                      always guarantee {\n  a -> [x <- f()];\n  b -> [x <- g()];\n}\n";
/// The assumption forbids an update that a guarantee requires.
const UPDATE: &str =
    "always assume { ! [x <- f()]; }\nalways guarantee {\n  a -> [x <- f()];\n  ! a -> [x <- g()];\n}\n";

fn count(text: &str, part: &str) -> usize {
    text.matches(part).count()
}

#[test]
fn by_the_controller() {
    let folder = Folder::new();
    folder.file("floor.tsl", FLOOR);
    let lines = "callUp callDown\nundo\n.\ncallUp\ncallDown\nsave t.json\ntrace\nback 2\nsave early.json\n";
    let run = folder.run_with(["simulate", "floor.tsl"], lines).exits(0);
    // After the first step, after the same step in the second play, and in the output of `trace`.
    assert_eq!(count(&run.out, FLOOR_CLAUSE), 3, "{}", run.out);
    assert_eq!(count(&run.out, "the assumption"), 3, "{}", run.out);
    let trace = |name: &str| -> serde_json::Value {
        let text = std::fs::read_to_string(folder.path().join(name)).expect("the trace");
        serde_json::from_str(&text).expect("JSON")
    };
    let expected = serde_json::json!({
        "impossibleAfter": 1, "by": "controller", "clause": "always callUp -> F (floor = 1)"
    });
    assert_eq!(trace("t.json")["assumptions"], expected);
    assert!(trace("early.json").get("assumptions").is_none());
    // The same as a document on standard output.
    let run = folder.run_with(["simulate", "floor.tsl", "--format", "json"], "callUp\n.\n").exits(0);
    assert_eq!(run.json()["assumptions"]["impossibleAfter"], 0);
    assert!(run.err.contains(FLOOR_CLAUSE), "{}", run.err);
    // The field `assumptions` of a trace file is optional, and `explain` prints the same note without it.
    folder.run(["simulate", "floor.tsl", "--script", "t.json", "-q"]).exits(0);
    let mut old = trace("t.json");
    old.as_object_mut().expect("an object").remove("assumptions");
    folder.file("old.json", old.to_string());
    for name in ["t.json", "old.json"] {
        let explain = ["explain", name, "--effect", "F callDown"];
        let run = folder.run(explain).exits(0);
        assert!(run.out.contains(&format!("note: after step 1 {FLOOR_CLAUSE}")), "{}", run.out);
        let run = folder.run(explain.into_iter().chain(["--format", "json"])).exits(0);
        assert_eq!(run.json()["assumptions"], expected);
    }
    // A trace that ends before that step has no note.
    let run = folder.run(["explain", "early.json", "--effect", "F callDown"]).exits(1);
    assert!(!run.out.contains("the assumption"), "{}", run.out);
}

#[test]
fn by_the_environment() {
    let folder = Folder::new();
    folder.file("polite.tsl", POLITE);
    let run = folder.run_with(["simulate", "polite.tsl", "-q"], "a b\n.\nb\n.\n").exits(0);
    let first = "   0  S0 -> S0  a, b / [x <- f()]\n      \
                 the assumption `always ! (a && b)` cannot be kept any more: the input was not allowed by the assumptions\n";
    assert!(run.out.starts_with(first), "{}", run.out);
    // The violation of an assumption is reported once; another assumption may be violated later.
    assert_eq!(count(&run.out, "the assumption `always ! (a && b)`"), 1, "{}", run.out);
    let second = "the assumption `always b -> X a` is broken, whatever follows";
    assert_eq!(count(&run.out, second), 1, "{}", run.out);
    // A play that repeats, for `explain`.
    let explain = ["explain", "--spec", "polite.tsl", "--effect", "F b", "--trace"];
    let run = folder.run(explain.into_iter().chain(["cycle{a & !b; !a & !b; a & b}"])).exits(0);
    assert!(run.out.contains("note: after step 2 the assumption `always ! (a && b)` cannot"), "{}", run.out);
    let run = folder.run(explain.into_iter().chain(["cycle{a & !b; !a & b}"])).exits(0);
    assert!(!run.out.contains("the assumption"), "{}", run.out);
    // With `--respect-assumptions` random inputs violate no assumption.
    for seed in ["1", "2", "3"] {
        let random = ["simulate", "polite.tsl", "--random", "60", "--seed", seed, "-q"];
        let run = folder.run(random.into_iter().chain(["--respect-assumptions"])).exits(0);
        assert!(!run.out.contains("the assumption") && run.out.lines().count() == 60, "{}", run.out);
        let run = folder.run(random).exits(0);
        assert!(run.out.contains("the input was not allowed"), "{}", run.out);
    }
}

#[test]
fn only_together_and_earlier_than_the_letters_show() {
    let folder = Folder::new();
    // After `a` no continuation satisfies both assumptions, although a single one is violated one step later at the
    // earliest.
    let spec =
        "// inputs: a, b\n// outputs: o\nassume { G (a -> X b); G (a -> X !b) }\nguarantee { G (a <-> o) }\n";
    folder.file("both.ltl", spec);
    let run = folder.run_with(["simulate", "both.ltl", "-q"], "!a\na\nb\n").exits(0);
    let line =
        "      the assumptions cannot be kept any more: the input was not allowed by the assumptions\n";
    assert!(run.out.contains(&format!("{line}   2  S0")) && count(&run.out, line) == 1, "{}", run.out);
    let random = ["simulate", "both.ltl", "--random", "40", "--respect-assumptions", "-q"];
    let run = folder.run(random).exits(0);
    assert!(!run.out.contains("the assumption") && run.out.lines().count() == 40, "{}", run.out);
}

#[test]
fn by_an_answer() {
    let folder = Folder::new();
    folder.file("update.tsl", UPDATE);
    let run = folder.run_with(["simulate", "update.tsl", "-o", "t.json", "-q"], "!a\na\na\n").exits(0);
    let line = "      the assumption `always ! [x <- f()]` cannot be kept any more: the controller's answer made it impossible\n";
    let expected = format!(
        "   0  S0 -> S0  !a / [x <- g()]\n   1  S0 -> S0  a / [x <- f()]\n{line}   2  S0 -> S0  a / [x <- f()]\n"
    );
    assert_eq!(run.out, expected);
    let text = std::fs::read_to_string(folder.path().join("t.json")).expect("the trace");
    assert!(text.contains("{\"impossibleAfter\":1,\"by\":\"system\",\"clause\":"), "{text}");
    // Against a counter-strategy the answers are those of a person.
    let spec = "cell floor: 0..1 = 0;\nalways assume { [floor <- floor + 1] -> floor = 0; }\n\
                always guarantee { go -> [y <- c()]; stop -> [y <- d()]; }\n";
    folder.file("no.tsl", spec);
    let lines = "[floor <- floor + 1]\n[floor <- floor + 1]\n.\n";
    let run = folder.run_with(["simulate", "no.tsl"], lines).exits(0);
    let line = "the assumption `always [floor <- floor + 1] -> floor = 0` cannot be kept any more: the system's answer made it impossible";
    assert_eq!(count(&run.out, line), 1, "{}", run.out);
    assert_eq!(count(&run.out, "the assumption"), 1, "{}", run.out);
}

#[test]
fn from_the_start() {
    let folder = Folder::new();
    folder.file("start.ltl", "// inputs: a\n// outputs: o\nassume { F o }\nguarantee { G !o }\n");
    let run = folder.run_with(["simulate", "start.ltl", "-o", "t.json"], ".\nundo\nreset\na\n").exits(0);
    let line = "the assumption `F o` cannot be kept from the start: no play of this controller keeps it\n";
    assert_eq!(count(&run.out, line), 1, "{}", run.out);
    assert_eq!(count(&run.out, "the assumption"), 1, "{}", run.out);
    let text = std::fs::read_to_string(folder.path().join("t.json")).expect("the trace");
    assert!(text.contains("\"assumptions\": {\"by\":\"controller\",\"clause\":\"F o\"}"), "{text}");
    folder.file("never.ltl", "// inputs: a\n// outputs: o\nassume { F a; G !a }\nguarantee { G !o }\n");
    let run = folder.run_with(["simulate", "never.ltl", "-o", "t.json"], "a\n").exits(0);
    let line = "the assumptions cannot be kept from the start: nothing that the environment and the system do keeps them\n";
    assert_eq!(count(&run.out, line), 1, "{}", run.out);
    let text = std::fs::read_to_string(folder.path().join("t.json")).expect("the trace");
    assert!(text.contains("\"assumptions\": {}"), "{text}");
}

#[test]
fn what_cannot_happen_is_no_matter_of_assumptions() {
    let folder = Folder::new();
    folder.file("floor.tsl", FLOOR);
    let run = folder.run_with(["simulate", "floor.tsl", "-q", "-o", "t.json"], "! floor = 0\n").exits(0);
    assert!(run.out.contains("this cannot happen by the meaning of the specification"), "{}", run.out);
    assert!(!run.out.contains("the assumption"), "{}", run.out);
    let text = std::fs::read_to_string(folder.path().join("t.json")).expect("the trace");
    assert!(!text.contains("assumptions"), "{text}");
}

#[test]
fn a_machine_that_is_verified() {
    let folder = Folder::new();
    folder.file("floor.tsl", FLOOR);
    folder.file("polite.tsl", POLITE);
    folder.file("update.tsl", UPDATE);
    for spec in ["floor.tsl", "update.tsl", "polite.tsl"] {
        for (lang, file) in [("json", "m.json"), ("hoa", "m.hoa"), ("aiger", "m.aag")] {
            folder.run(["emit", "--lang", lang, spec, "-o", file]).exits(0);
            let run = folder.run(["verify", spec, file]).exits(0);
            assert!(run.out.starts_with("HOLDS\n"), "{}", run.out);
            let told = run.err.contains("note[TSL0311]: in this machine the assumption `always ");
            assert_eq!(told, spec != "polite.tsl", "{spec} {file}: {}", run.err);
            let run = folder.run(["verify", spec, file, "--format", "json"]).exits(0);
            let json = run.json();
            let found = json["diagnostics"].as_array().expect("a list");
            let remarks: Vec<_> = found.iter().filter(|found| found["code"] == "TSL0311").collect();
            assert_eq!(remarks.len(), usize::from(spec != "polite.tsl"), "{}", run.out);
            assert!(remarks.iter().all(|remark| remark["severity"] == "note"), "{}", run.out);
            let run = folder.run(["verify", spec, file, "--allow-falsifying"]).exits(0);
            assert!(!run.err.contains("TSL0311"), "{}", run.err);
        }
    }
    // This machine goes up if only `callUp` holds, so the environment can always keep the assumption.
    let spec = "cell floor: 0..1 = 0;\nalways assume { callUp -> F (floor = 1); }\n\
                always guarantee { callUp && ! callDown -> [floor <- 1]; callDown && ! callUp -> [floor <- 0]; }\n";
    folder.file("kind.tsl", spec);
    folder.run(["emit", "--lang", "json", "kind.tsl", "-o", "m.json"]).exits(0);
    let run = folder.run(["verify", "kind.tsl", "m.json"]).exits(0);
    assert!(run.out.starts_with("HOLDS\n") && !run.err.contains("TSL0311"), "{}", run.err);
    // A machine that violates the specification gets no such note.
    let wrong = "cell floor: 0..1 = 0;\nalways assume { callUp -> F (floor = 1); }\n\
                 always guarantee { [floor <- 1]; }\n";
    folder.file("wrong.tsl", wrong);
    folder.run(["emit", "--lang", "json", "floor.tsl", "-o", "m.json"]).exits(0);
    let run = folder.run(["verify", "wrong.tsl", "m.json"]);
    assert!(run.code != 0 && !run.err.contains("TSL0311"), "{run:?}");
}
