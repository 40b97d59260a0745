//! `explain TRACE`: verdicts, exit codes, and errors in questions.

use super::Folder;

const LATCH: &str = "HOA: v1\nStates: 2\nStart: 0\nAP: 2 \"a\" \"o\"\ncontrollable-AP: 1\nAcceptance: 0 t\n--BODY--\n\
                     State: 0\n[!0&!1] 0\n[0&1] 1\nState: 1\n[1] 1\n--END--\n";

fn latch() -> Folder {
    let folder = Folder::new();
    folder.file("m.hoa", LATCH);
    folder
}

#[test]
fn a_cause_as_json() {
    let folder = latch();
    let args = ["explain", "--machine", "m.hoa", "--trace", "!a&!o; a&o; cycle{!a&o}", "--effect", "F o"];
    let run = folder.run(args.into_iter().chain(["--format", "json", "--automaton", "c.hoa"])).exits(0);
    let json = run.json();
    assert_eq!(json["verdict"], "cause");
    assert_eq!(json["formula"], "X a");
    assert_eq!(json["exact"], true);
    assert_eq!(json["necessary"][0]["input"], "a");
    assert_eq!(json["necessary"][0]["steps"]["prefix"], serde_json::json!([1]));
    assert_eq!(json["counterfactual"]["flips"][0]["step"], 1);
    assert!(json["certificate"].is_string());
    let automaton = std::fs::read_to_string(folder.path().join("c.hoa")).expect("an automaton");
    assert!(automaton.contains("Acceptance: 1 Inf(0)") && json["automaton"] == automaton.as_str());
    // The automaton of the cause is accepted as a hypothesis.
    let again = folder.run(args.into_iter().chain(["--hypothesis", "c.hoa"])).exits(0);
    assert!(again.out.contains("is the cause"), "{}", again.out);
    let dot = folder.run(args.into_iter().chain(["--automaton", "c.dot"])).exits(0);
    assert!(dot.out.contains("3 states"), "{}", dot.out);
    assert!(std::fs::read_to_string(folder.path().join("c.dot")).expect("a graph").starts_with("digraph"));
}

#[test]
fn exit_codes_tell_the_verdict() {
    let folder = latch();
    let explain = |trace: &str, effect: &str, more: &[&str]| {
        let mut args = vec!["explain", "--machine", "m.hoa", "--trace", trace, "--effect", effect];
        args.extend_from_slice(more);
        folder.run(args)
    };
    assert!(explain("cycle{!a}", "F o", &[]).exits(1).out.contains("did not happen"));
    assert!(explain("cycle{a}", "o | !o", &[]).exits(0).out.contains("whatever the inputs are"));
    assert!(explain("cycle{a & !o}", "F o", &[]).exits(2).out.contains("in step 0"));
    explain("cycle{o}", "F o", &[]).exits(2);
    explain("cycle{a}", "F b", &[]).exits(2);
    explain("cycle{a}", "F o", &["--hypothesis", "o"]).exits(2);
    explain("a; !a", "X o", &["--continue", "any"]).exits(0);
    explain("a; !a", "F o", &["--continue", "any"]).exits(2);
    assert!(explain("a; !a", "F o", &[]).exits(0).out.contains("the trace is finite"));
    explain("cycle{a}", "G o", &["--hypothesis", "a"]).exits(0);
    assert!(explain("cycle{a}", "G o", &["--hypothesis", "1"]).exits(1).out.contains("too weak"));
    assert!(explain("cycle{a}", "G o", &["--hypothesis", "G a"]).exits(1).out.contains("too strong"));
    assert!(explain("cycle{a}", "G o", &["--hypothesis", "X a"]).exits(1).out.contains("neither"));
    // `--effect` without a trace, and `--all-cores` with one.
    folder.file("s.ltl", "// inputs: a\n// outputs: o\nG (a -> o)\n");
    assert!(
        folder
            .run(["explain", "s.ltl", "--effect", "F o"])
            .exits(2)
            .err
            .contains("`--effect` is about traces")
    );
    assert!(explain("cycle{a}", "F o", &["--all-cores"]).exits(2).err.contains("is about specifications"));
    // Without a machine, without an effect (that of the outputs of the last step is explained), without a trace.
    Folder::new().run(["explain", "--trace", "cycle{a}", "--effect", "F o"]).exits(2);
    let run = folder.run(["explain", "--machine", "m.hoa", "--trace", "cycle{a}"]).exits(0);
    assert!(run.out.contains("`o` happened") && run.out.contains("no effect was named"), "{}", run.out);
    folder.run(["explain", "nothing.json", "--machine", "m.hoa"]).exits(2);
}

#[test]
fn an_effect_that_did_not_happen_failed_somewhere() {
    let folder = latch();
    let explain = |trace: &str, effect: &str| {
        let args =
            ["explain", "--machine", "m.hoa", "--trace", trace, "--effect", effect, "--format", "json"];
        folder.run(args).exits(1).json()
    };
    let step = explain("!a; !a; a; cycle{a}", "G !o");
    assert_eq!(step["ruledOutAt"], 2, "{step}");
    assert_eq!(
        step["sentence"],
        "`G !o` did not happen on this trace: step 2 rules it out, whatever comes later."
    );
    // Once the first `o` is followed by another one, no continuation satisfies the effect.
    assert_eq!(explain("!a; a; cycle{a}", "(!o U (o & X !o)) & F o")["ruledOutAt"], 2);
    let cycle = explain("!a; cycle{!a}", "F o");
    assert_eq!(cycle["ruledOutAt"], serde_json::Value::Null);
    assert_eq!(
        cycle["sentence"],
        "`F o` did not happen on this trace: no single step rules it out, but step 0 for ever does."
    );
}

/// Counterfactuals range over the plays that a file allows.
#[test]
fn systems_in_hoa_that_leave_something_open() {
    let folder = Folder::new();
    let machine = |start: &str, acceptance: &str, labels: &str| {
        format!(
            "REALIZABLE\nHOA: v1\nStates: 1\n{start}\nAP: 2 \"a\" \"o\"\ncontrollable-AP: 1\nAcceptance: {acceptance}\n\
             --BODY--\nState: 0\n{labels}\n--END--\n"
        )
    };
    let any = |labels: &str| machine("Start: 0", "0 t", labels);
    folder.file("open.hoa", any("[0] 0\n[!0&!1] 0"));
    folder.file("fixed.hoa", any("[0&1] 0\n[!0&!1] 0"));
    folder.file("partial.hoa", any("[0&1] 0"));
    let explain = |machine: &str, trace: &str, more: &[&str]| {
        let args = ["explain", "--machine", machine, "--trace", trace];
        folder.run(args.iter().chain(if more.is_empty() { &["--effect", "F o"] } else { more }))
    };
    // With `a` the output is free, without `a` it is false.
    let run = explain("open.hoa", "cycle{!a}", &["--effect", "G !o"]).exits(0);
    assert!(run.out.contains("leaves outputs open (first in state 0)"), "{}", run.out);
    assert!(run.out.contains("because of `G !a`"), "{}", run.out);
    let run = explain("open.hoa", "cycle{a & o}", &["--format", "json"]).exits(1);
    assert!(run.out.contains("no effect was named"), "{}", run.out);
    let run = explain("open.hoa", "cycle{a & o}", &[]).exits(1);
    assert!(
        run.out.contains("but not because of its inputs: the system may also do otherwise"),
        "{}",
        run.out
    );
    assert!(run.out.contains("0  a / o          a / !o"), "{}", run.out);
    let json = explain("open.hoa", "cycle{a & o}", &["--effect", "F o", "--format", "json"]).exits(1).json();
    assert_eq!((&json["verdict"], &json["exact"]), (&"no-cause".into(), &true.into()));
    assert_eq!(json["counterfactual"]["cycle"], serde_json::json!([{ "a": true, "o": false }]));
    let run = explain("open.hoa", "cycle{a}", &[]).exits(1);
    assert!(run.out.contains("does not name all outputs"), "{}", run.out);
    let run = explain("open.hoa", "!a & !o; cycle{!a & o}", &[]).exits(2);
    assert!(run.out.contains("no play of it is as the trace says up to step 1"), "{}", run.out);
    let run = explain("open.hoa", "cycle{!a}", &["--effect", "G !o", "--contingencies"]).exits(2);
    assert!(run.err.contains("contingencies need a machine"), "{}", run.err);
    assert!(!explain("fixed.hoa", "cycle{a}", &[]).exits(0).out.contains("leaves outputs open"));
    let run = explain("open.hoa", "cycle{a & o}", &["--effect", "F o", "--hypothesis", "a"]).exits(1);
    assert!(run.out.contains("there is no cause that the hypothesis could be"), "{}", run.out);
    // No other input sequence has a play.
    let run = explain("partial.hoa", "cycle{a}", &[]).exits(0);
    assert!(run.out.contains("no input could have prevented it"), "{}", run.out);
    assert!(run.out.contains("state 0 does not read every input letter, such as `!a`"), "{}", run.out);
    // `o` holds infinitely often, and never without `a`.
    folder.file("fair.hoa", machine("Start: 0", "1 Inf(0)", "[0&1] 0 {0}\n[!1] 0"));
    let run = explain("fair.hoa", "cycle{a & o}", &["--effect", "G F a"]).exits(0);
    assert!(run.out.contains("no input could have prevented it"), "{}", run.out);
    assert!(run.out.contains("only plays that the acceptance condition of the file accepts"), "{}", run.out);
    let run = explain("fair.hoa", "a & o; cycle{a & !o}", &["--effect", "G F a"]).exits(2);
    assert!(run.out.contains("its acceptance condition rejects every play"), "{}", run.out);
    // `a` and `o` hold only finitely often; the initial state is given twice.
    folder.file("never.hoa", machine("Start: 0\nStart: 0", "1 Fin(0)", "[0&1] 0 {0}\n[!0&!1] 0"));
    let run = explain("never.hoa", "a & o; cycle{!a & !o}", &["--effect", "F o"]).exits(0);
    assert!(run.out.contains("because `a` was true at step 0"), "{}", run.out);
    let run = explain("never.hoa", "a & o; cycle{!a & !o}", &["--effect", "F G !o"]).exits(0);
    assert!(run.out.contains("no input could have prevented it"), "{}", run.out);
}

/// The run that `simulate` wrote of a machine with open outputs is one of its plays.
#[test]
fn runs_of_a_machine_with_open_outputs() {
    let folder = Folder::new();
    folder.file(
        "open.hoa",
        "HOA: v1\nStates: 1\nStart: 0\nAP: 2 \"a\" \"o\"\ncontrollable-AP: 1\nAcceptance: 0 t\n--BODY--\nState: 0\n\
         [0] 0\n[!0&!1] 0\n--END--\n",
    );
    folder.run_with(["simulate", "open.hoa", "-o", "t.json"], "!a\na\n").exits(0);
    folder.run(["explain", "t.json", "--effect", "!o"]).exits(0);
    let trace = std::fs::read_to_string(folder.path().join("t.json")).expect("a trace");
    folder.file("t.json", trace.replace("\"machineId\": \"", "\"machineId\": \"0"));
    folder.run(["explain", "t.json", "--effect", "!o"]).exits(2);
}

/// A cause with a single residual language whose automaton nevertheless needs two states: only the search by SAT proves
/// that these are the fewest.
#[test]
fn the_fewest_states_are_proved() {
    let folder = Folder::new();
    folder.file(
        "m.hoa",
        "HOA: v1\nStates: 1\nStart: 0\nAP: 4 \"a\" \"b\" \"o\" \"p\"\ncontrollable-AP: 2 3\nAcceptance: 0 t\n--BODY--\n\
         State: 0\n[0&1&2&3] 0\n[0&!1&2&!3] 0\n[!0&1&!2&3] 0\n[!0&!1&!2&!3] 0\n--END--\n",
    );
    let args = ["explain", "--machine", "m.hoa", "--trace", "cycle{a & b}", "--effect", "G F o & G F p"];
    let run = folder.run(args.into_iter().chain(["--automaton", "c.hoa", "--format", "json"])).exits(0);
    let json = run.json();
    assert_eq!(json["automatonMinimal"], true, "{json}");
    assert!(json["automaton"].as_str().is_some_and(|hoa| hoa.contains("States: 2")), "{json}");
}

/// The example of arXiv 2402.16905: the guessed cause `G !market` is exact only under the assumption that the story
/// does not begin in the cave.
#[test]
fn assumptions_tell_where_an_event_came_from() {
    let folder = Folder::new();
    folder.file(
        "m.hoa",
        "HOA: v1\nStates: 2\nStart: 0\nAP: 4 \"market\" \"cave\" \"toMarket\" \"toCave\"\ncontrollable-AP: 2 3\n\
         Acceptance: 0 t\n--BODY--\nState: 0\n[!0&!1&2&!3] 1\n[(0|1)&!2&3] 0\nState: 1\n[!0&2&!3] 1\n[0&!2&3] 1\n--END--\n",
    );
    let args =
        ["explain", "--machine", "m.hoa", "--trace", "cycle{!market & !cave}", "--effect", "G !toCave"];
    let plain = folder.run(args.into_iter().chain(["--hypothesis", "G !market"])).exits(1);
    assert!(
        plain.out.contains("`cave` was false at step 0") && plain.out.contains("too weak"),
        "{}",
        plain.out
    );
    let asked = ["--assume", "!cave", "--assume", "F cave", "--hypothesis", "G !market"];
    let asked = folder.run(args.into_iter().chain(asked)).exits(0);
    assert!(
        asked.out.contains("without the assumptions it would also count that `cave` was false at step 0")
    );
    assert!(asked.out.contains("the trace itself breaks the assumption `F cave`"), "{}", asked.out);
}

/// The presses determine the state of the lamp, so they are the only inputs.
#[test]
fn what_follows_from_the_updates_is_no_input() {
    let folder = Folder::new();
    folder.file(
        "toggle.tsl",
        "cell lamp: Bool = false;\nalways guarantee {\n  press && !lamp -> [lamp <- true];\n  \
         press && lamp -> [lamp <- false];\n  !press -> [lamp <- lamp];\n}\n",
    );
    folder.file(
        "t.json",
        "{\"spec\": \"toggle.tsl\", \"effect\": \"G F lamp\", \"prefix\": [{\"press\": true, \"(lamp)\": false}], \
         \"loop\": [{\"press\": false, \"(lamp)\": true}]}",
    );
    let json = folder.run(["explain", "t.json", "--format", "json"]).exits(0).json();
    assert_eq!(json["formula"], "press & X G !press", "{json}");
    assert_eq!(json["exact"], true);
    assert!(json["notes"].to_string().contains("`lamp` follows from earlier steps"), "{json}");
    assert_eq!(json["irrelevantInputs"], serde_json::json!([]));
    // Values of the lamp may be omitted, and with `--default-false` also inputs that are false.
    let explain = |trace: &str, more: &[&str]| {
        let args =
            ["explain", "--spec", "toggle.tsl", "--effect", "G F lamp", "--format", "json", "--trace", trace];
        folder.run(args.iter().chain(more))
    };
    let same = |found: serde_json::Value| {
        assert_eq!(found["formula"], json["formula"], "{found}");
        assert_eq!(found["counterfactual"], json["counterfactual"], "{found}");
    };
    same(explain("press; cycle{!press}", &[]).exits(0).json());
    same(explain("press; cycle{1}", &["--default-false"]).exits(0).json());
    let missing = explain("press; cycle{1}", &[]).exits(2);
    assert!(missing.err.contains("TSL0205") && missing.err.contains("step 1: the input `press` is missing"));
    // The lamp alternates, so the loop of the play is twice as long as that of the trace.
    let run = explain("cycle{press}", &["--default-false"]).exits(0).json();
    assert_eq!(run["formula"], "G F press", "{run}");
    assert!(
        explain("press & lamp; cycle{1}", &["--default-false"]).exits(2).out.contains("step 0 of the trace")
    );
    // The last input of a finite trace is repeated, so the lamp alternates.
    folder.file(
        "finite.json",
        "{\"spec\": \"toggle.tsl\", \"effect\": \"G (lamp <-> X !lamp)\", \"prefix\": [{\"press\": true, \"(lamp)\": false}]}",
    );
    let json = folder.run(["explain", "finite.json", "--format", "json"]).exits(0).json();
    assert_eq!(json["formula"], "G press", "{json}");
    // A trace on which the lamp is on although nobody pressed is not one of this specification.
    folder.file(
        "bad.json",
        "{\"spec\": \"toggle.tsl\", \"effect\": \"F lamp\", \"prefix\": [], \"loop\": [{\"press\": false, \"(lamp)\": true}]}",
    );
    let run = folder.run(["explain", "bad.json"]).exits(2);
    assert!(run.out.contains("no trace of") && run.out.contains("step 0 of the trace breaks"), "{}", run.out);
}

/// The updates of a lift determine its floor.
#[test]
fn comparisons_of_a_finite_sort_are_filled_in() {
    let folder = Folder::new();
    folder.file(
        "lift.tsl",
        "cell floor: 0..2 = 0;\nalways guarantee {\n  up && floor < 2 -> [floor <- floor + 1];\n  \
         !(up && floor < 2) -> [floor <- floor];\n}\n",
    );
    let args = ["explain", "--spec", "lift.tsl", "--effect", "F (floor = 2)", "--format", "json"];
    let json = folder.run(args.iter().chain(&["--trace", "up; !up; up; cycle{!up}"])).exits(0).json();
    assert_eq!(json["formula"], "up & X X up", "{json}");
    assert!(json["notes"].to_string().contains("`floor` follows from earlier steps"), "{json}");
    let short = folder.run(args.iter().chain(&["--trace", "up; 1; up; cycle{1}", "--default-false"]));
    assert_eq!(short.exits(0).json()["counterfactual"], json["counterfactual"]);
}

/// A cause holds on the trace, so a formula that is false on the trace is not a cause.
#[test]
fn a_hypothesis_may_be_false_on_the_trace() {
    let folder = latch();
    let args = ["explain", "--machine", "m.hoa", "--trace", "!a; cycle{a}", "--effect", "X o"];
    let run = folder.run(args.iter().chain(&["--hypothesis", "a"])).exits(1);
    assert!(
        run.out.contains("hypothesis: `a` is not the cause: the hypothesis is false on this trace."),
        "{}",
        run.out
    );
    let json =
        folder.run(args.iter().chain(&["--hypothesis", "!a & X !a", "--format", "json"])).exits(1).json();
    assert_eq!(json["hypothesis"]["holdsOnTrace"], false, "{json}");
    folder.file(
        "h.hoa",
        "HOA: v1\nStates: 1\nStart: 0\nAP: 1 \"a\"\nAcceptance: 1 Inf(0)\n--BODY--\nState: 0\n[0] 0 {0}\n--END--\n",
    );
    let run = folder.run(args.iter().chain(&["--hypothesis", "h.hoa"])).exits(1);
    assert!(run.out.contains("the hypothesis is false on this trace"), "{}", run.out);
    let json =
        folder.run(args.iter().chain(&["--hypothesis", "X a & X X a", "--format", "json"])).exits(1).json();
    assert_eq!(
        (&json["hypothesis"]["holdsOnTrace"], &json["hypothesis"]["verdict"]),
        (&true.into(), &"too-strong".into())
    );
}

#[test]
fn several_effects_in_one_call() {
    let folder = latch();
    let explain = |more: &[&str]| {
        let args = ["explain", "--machine", "m.hoa", "--trace", "!a; cycle{a}", "--effect", "X o"];
        folder.run(args.iter().chain(more))
    };
    let run = explain(&["--effect", "F G o"]).exits(0);
    let (first, second) = run.out.split_once("\neffect 2 of 2: `F G o`\n").expect("two headlines");
    let alone = explain(&[]).exits(0).out;
    assert_eq!(first, format!("effect 1 of 2: `X o`\n{alone}"));
    assert!(second.starts_with("`F G o` happened because"), "{second}");
    let json = explain(&["--effect", "o | !o", "--effect", "o", "--format", "json"]).exits(1).json();
    let verdicts: Vec<&str> = json["results"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|one| one["verdict"].as_str())
        .collect();
    assert_eq!(verdicts, ["cause", "inevitable", "no-effect"], "{json}");
    assert_eq!(json["results"][0], explain(&["--format", "json"]).exits(0).json());
    let run = explain(&["--effect", "o", "--svg", "x.svg"]).exits(2);
    assert!(run.err.contains("`--svg` is for one effect"), "{}", run.err);
}

#[test]
fn one_of_infinitely_many_steps_was_enough() {
    let folder = Folder::new();
    // The output is the input of the step before.
    folder.file(
        "m.hoa",
        "HOA: v1\nStates: 2\nStart: 0\nAP: 2 \"a\" \"o\"\ncontrollable-AP: 1\nAcceptance: 0 t\n--BODY--\n\
         State: 0\n[0&!1] 1\n[!0&!1] 0\nState: 1\n[0&1] 1\n[!0&1] 0\n--END--\n",
    );
    let explain = |trace: &str, more: &[&str]| {
        let args = ["explain", "--machine", "m.hoa", "--effect", "F o", "--trace", trace];
        folder.run(args.iter().chain(more).copied())
    };
    let run = explain("cycle{a; !a}", &[]).exits(0);
    assert!(run.out.contains("because `a` was true at one of the steps 0, 2, 4, ..."), "{}", run.out);
    let json = explain("cycle{a; !a}", &["--format", "json"]).exits(0).json();
    let steps = serde_json::json!({ "prefix": [], "period": [0], "every": 2 });
    assert_eq!((&json["recurring"][0]["steps"], &json["exact"]), (&steps, &serde_json::json!(true)));
    let run = explain("cycle{a}", &["--hypothesis", "F a"]).exits(0);
    assert!(run.out.contains("because `a` was true at some step, that is, because of `F a`"), "{}", run.out);
    let run = explain("!a; !a; cycle{a}", &[]).exits(0);
    assert!(run.out.contains("because `a` was true at some step from 2 on"), "{}", run.out);
}

/// At odd steps the output is `a & !b`. LTL cannot express that this holds infinitely often at odd steps, but the
/// sentence does.
#[test]
fn events_that_came_again_and_again() {
    let folder = Folder::new();
    folder.file(
        "m.hoa",
        "HOA: v1\nStates: 2\nStart: 0\nAP: 3 \"a\" \"b\" \"o\"\ncontrollable-AP: 2\nAcceptance: 0 t\n--BODY--\n\
         State: 0\n[!2] 1\nState: 1\n[0&!1&2] 0\n[!(0&!1)&!2] 0\n--END--\n",
    );
    let args = ["explain", "--machine", "m.hoa", "--trace", "cycle{!a & b; a & !b}", "--effect", "G F o"];
    let run = folder.run(args).exits(0);
    let sentence = "`G F o` happened because again and again, at one of the steps 1, 3, 5, ..., `a` was true and `b` was false.";
    assert!(run.out.starts_with(sentence), "{}", run.out);
    let json = folder.run(args.into_iter().chain(["--format", "json"])).exits(0).json();
    assert_eq!((&json["exact"], &json["formula"]), (&serde_json::json!(true), &serde_json::Value::Null));
    assert_eq!(json["again"][0][1]["steps"], serde_json::json!({ "prefix": [], "period": [1], "every": 2 }));
    // Two outputs, which depend on the even and on the odd steps.
    folder.file(
        "two.hoa",
        "HOA: v1\nStates: 2\nStart: 0\nAP: 3 \"a\" \"o\" \"p\"\ncontrollable-AP: 1 2\nAcceptance: 0 t\n--BODY--\n\
         State: 0\n[0&1&!2] 1\n[!0&!1&!2] 1\nState: 1\n[0&!1&2] 0\n[!0&!1&!2] 0\n--END--\n",
    );
    let args = ["explain", "--machine", "two.hoa", "--trace", "cycle{a}", "--effect", "G F o & G F p"];
    let json = folder.run(args.into_iter().chain(["--format", "json"])).exits(0).json();
    assert_eq!(json["again"].as_array().map(Vec::len), Some(2), "{json}");
}

#[test]
fn circuits_and_effects_in_hoa() {
    let folder = Folder::new();
    let wire = "aag 1 1 0 1 0\n2\n2\ni0 a\no0 o\n";
    folder.file("m.aag", wire);
    let again = "HOA: v1\nStates: 1\nStart: 0\nAP: 1 \"o\"\nAcceptance: 1 Inf(0)\n--BODY--\nState: 0\n[0] 0 {0}\n[!0] 0\n--END--\n";
    folder.file("e.hoa", again);
    let args = |machine: &'static str| {
        ["explain", "--machine", machine, "--trace", "cycle{a & o}", "--effect", "e.hoa", "--format", "json"]
    };
    let json = folder.run(args("m.aag")).exits(0).json();
    assert_eq!((&json["formula"], json["certificate"].is_string()), (&serde_json::json!("G F a"), true));
    assert_eq!(folder.run_with(args("-"), wire).exits(0).json()["formula"], "G F a");
    // Only one argument can be read from standard input.
    folder.run_with(["explain", "-", "--machine", "-", "--effect", "F o"], wire).exits(2);
    folder.file("nameless.aag", "aag 1 1 0 1 0\n2\n2\n");
    let run = folder.run(args("nameless.aag")).exits(2);
    assert!(run.err.contains("output 0 has no name"), "{}", run.err);
}

/// The environment falsifies every guess; the person who plays the system asks for the cause of an input.
#[test]
fn plays_against_a_counter_strategy() {
    let folder = Folder::new();
    folder.file("guess.ltl", "// inputs: a\n// outputs: g\nG (g <-> X a)\n");
    folder.run_with(["simulate", "guess.ltl", "-o", "t.json"], "!g\ng\n").exits(0);
    let explain = |effect: &str, more: &[&str]| {
        let args = ["explain", "t.json", "--effect", effect];
        folder.run(args.iter().chain(more))
    };
    let run = explain("X a", &["--hypothesis", "!g"]).exits(0);
    assert!(run.out.contains("`X a` happened because `g` was false at step 0"), "{}", run.out);
    assert!(run.out.contains("you play the system"), "{}", run.out);
    // The environment wins whatever the system does.
    assert!(explain("!(G (g <-> X a))", &[]).exits(0).out.contains("no input could have prevented it"));
    explain("X a", &["--hypothesis", "a"]).exits(2);
    // Updates of a cell: a step without an update keeps its value.
    folder.file("guess.tsl", "always guarantee { [guess <- high()] <-> X loud(sound); }\n");
    folder.run_with(["simulate", "guess.tsl", "-o", "t.json"], "[guess <- high()]\n.\n").exits(0);
    let run = explain("X ! loud(sound)", &[]).exits(0);
    assert!(run.out.contains("because `[guess <- high()]` was true at step 0, that is"), "{}", run.out);
    // The changed trace is not a play of this counter-strategy.
    let trace = std::fs::read_to_string(folder.path().join("t.json")).expect("a trace");
    folder.file("t.json", trace.replacen("false", "true", 1));
    assert!(explain("X ! loud(sound)", &[]).exits(2).out.contains("the input `loud(sound)` is not given"));
}

#[test]
fn runs_are_read_as_programs_log_them() {
    let folder = latch();
    let letters = [(false, false), (true, true), (false, true)];
    let plain = |(a, o)| serde_json::json!({ "a": a, "o": o });
    let timed = |at: usize, (a, o)| serde_json::json!({ "timestamp": format!("2026-11-01T00:00:0{at}Z"), "Step": at, "a": a, "o": o });
    let nested = |at: usize, (a, o)| serde_json::json!({ "ts": 17.5 + at as f64, "inputs": { "a": a }, "outputs": { "o": o } });
    let all: Vec<serde_json::Value> = letters.into_iter().map(plain).collect();
    let timed: Vec<_> = letters.into_iter().enumerate().map(|(at, letter)| timed(at, letter)).collect();
    let nested: Vec<_> = letters.into_iter().enumerate().map(|(at, letter)| nested(at, letter)).collect();
    let explained = |name: &str| {
        let args = ["explain", name, "--machine", "m.hoa", "--effect", "F o", "--format", "json"];
        folder.run(args).exits(0).json()["formula"].clone()
    };
    for (number, run) in [all, timed, nested].into_iter().enumerate() {
        let list = format!("list{number}.json");
        folder.file(&list, serde_json::Value::from(run.clone()).to_string());
        let lines: Vec<String> = run.iter().map(ToString::to_string).collect();
        let file = format!("lines{number}.jsonl");
        folder.file(&file, lines.join("\n"));
        assert_eq!((explained(&list), explained(&file)), ("X a".into(), "X a".into()), "{run:?}");
    }
    // A name that the specification has is no time, and any other unknown name is an error.
    folder.file("odd.jsonl", "{\"a\": true, \"o\": true, \"stamp\": 3}\n");
    let run = folder.run(["explain", "odd.jsonl", "--machine", "m.hoa", "--effect", "F o"]).exits(2);
    assert!(run.err.contains("there is no `stamp`"), "{run:?}");
    folder.file("flag.jsonl", "{\"a\": true, \"o\": true, \"time\": true}\n");
    let run = folder.run(["explain", "flag.jsonl", "--machine", "m.hoa", "--effect", "F o"]).exits(2);
    assert!(run.err.contains("there is no `time`"), "{run:?}");
}

/// An output with a value in each step has none to keep.
#[test]
fn chains_say_what_boolean_outputs_are() {
    let folder = Folder::new();
    folder.file(
        "alt.tsl",
        "input a: Bool;\noutput g: Bool;\ncell n: 0..2 = 0;\nalways guarantee { a -> !g; !a -> g; a -> [n <- 0]; !a -> [n <- n]; }\n",
    );
    let chain = |letters: &[bool], at: usize| {
        let letters: Vec<String> = letters.iter().map(|a| format!("{{\"a\": {a}}}")).collect();
        folder.file("x.json", format!("[{}]", letters.join(", ")));
        let at = at.to_string();
        let run = folder.run(["explain", "--spec", "alt.tsl", "x.json", "--at", &at, "--format", "json"]);
        let json = run.exits(0).json();
        let links = json["chain"].as_array().unwrap_or_else(|| panic!("{json}")).clone();
        links.iter().map(|link| link["sentence"].as_str().expect("a sentence").to_owned()).collect::<Vec<_>>()
    };
    let links = chain(&[true, false], 1);
    assert!(links.iter().any(|link| link.starts_with("step 1: g, because !a (")), "{links:?}");
    let links = chain(&[false, true], 1);
    assert!(links.iter().any(|link| link.starts_with("step 1: !g, because a (")), "{links:?}");
    let links = chain(&[false, false], 1);
    assert!(links.iter().any(|link| link.starts_with("step 1: g, because !a (")), "{links:?}");
    for play in [&[true, false][..], &[false, true], &[false, false], &[true, true]] {
        for at in 0..2 {
            let links = chain(play, at);
            assert!(!links.is_empty() && links.iter().all(|link| !link.contains("g is kept")), "{links:?}");
        }
    }
}

/// With a specification a list is a play, and no policy, whatever its names are.
#[test]
fn plays_with_wrong_names_are_plays() {
    let folder = Folder::new();
    folder.file(
        "s.tsl",
        "input tick, packet: Bool;\noutput send: Bool;\nalways guarantee { send -> packet; }\n",
    );
    for (letter, near) in [
        (r#"{"tick": false, "paket": true}"#, "paket"),
        (r#"{"foo": true}"#, "foo"),
        (r#"{"TICK": false, "packet": true}"#, "TICK"),
    ] {
        folder.file("k.json", format!("[{letter}]"));
        let run = folder.run(["explain", "--spec", "s.tsl", "k.json"]).exits(2);
        assert!(!run.err.contains("TSL0501") && run.err.contains(near), "{run:?}");
    }
}

/// Assumptions about the past limit counterfactuals as those without past operators do.
#[test]
fn assumptions_about_the_past_are_respected() {
    // Assumptions with past operators, and the same without.
    let assumptions = [
        ("G (b -> Y a)", "!b; G (!a -> X !b)"),
        ("G (b -> !Z a)", "true"),
        ("G (b -> O a)", "!b W a; !b || a"),
        ("G (b -> H !a)", "G (a -> G !b)"),
        ("G (b -> Y Y a)", "!b; X !b; G (!a -> X X !b)"),
        ("G (b -> (!b S a))", "true"),
    ];
    let folder = Folder::new();
    let head = "// inputs: a, b\n// outputs: o\n";
    for (past, future) in assumptions {
        if future == "true" {
            continue;
        }
        for trace in ["!a&!b;!a&!b;cycle{a&!b}", "a&!b;!a&!b;!a&!b;cycle{a&!b}", "!a&!b;cycle{!a&!b}"] {
            let answer = |assumed: &str| {
                folder.file("s.ltl", format!("{head}assume {{ {assumed} }}\nG (o <-> (a | b))\n"));
                let call = ["explain", "--spec", "s.ltl", "--trace", trace, "--effect", "X !o"];
                let json = folder
                    .run(call.into_iter().chain(["--respect-assumptions", "--format", "json"]))
                    .exits(0)
                    .json();
                (
                    json["verdict"].clone(),
                    json["necessary"].clone(),
                    json["alternatives"].clone(),
                    json["formula"].clone(),
                )
            };
            assert_eq!(answer(past), answer(future), "{past}, {trace}");
        }
    }
}

/// Past operators in effects mean what their definitions by future operators mean on the steps of the trace.
#[test]
fn effects_may_speak_about_the_past() {
    let folder = Folder::new();
    folder.file("s.ltl", "// inputs: a, b\n// outputs: o\nG (o <-> (a | b))\n");
    folder.file("s.tsl", "input a, b: Bool;\noutput o: Bool;\nalways guarantee { o <-> (a || b); }\n");
    // An effect, and the same without past operators.
    let effects = [
        ("X X Y o", "X o"),
        ("X X (o && Y !o)", "X !o && X X o"),
        ("X X O o", "o || X o || X X o"),
        ("X X H !o", "!o && X !o && X X !o"),
        ("X X (!o S o)", "o && X !o && X X !o || X o && X X !o || X X o"),
        ("F (o && Y !o)", "F (!o && X o)"),
        ("G (o -> O o)", "true"),
    ];
    for spec in ["s.ltl", "s.tsl"] {
        for trace in ["a&!b;!a&!b;cycle{a&!b}", "!a&!b;!a&!b;!a&!b;cycle{!a&b}", "!a&!b;cycle{a&b;!a&!b}"] {
            for (past, future) in effects {
                let answer = |effect: &str| {
                    let call =
                        ["explain", "--spec", spec, "--trace", trace, "--effect", effect, "--format", "json"];
                    let run = folder.run(call);
                    assert!(run.code < 2, "{run:?}");
                    let json = run.json();
                    (json["verdict"].clone(), json["necessary"].clone(), json["alternatives"].clone())
                };
                if future != "true" {
                    assert_eq!(answer(past), answer(future), "{past}, {trace}, {spec}");
                }
            }
        }
    }
    let call =
        ["explain", "--spec", "s.ltl", "--trace", "cycle{a&b}", "--effect", "F o", "--hypothesis", "F Y a"];
    assert!(folder.run(call).exits(2).err.contains("the hypothesis has past operators"));
}

/// Runs against counter-strategies over comparisons, predicates and values are explained without a named effect.
#[test]
fn moves_of_the_environment_are_explained_in_values() {
    let specs = [
        "always guarantee { p(x) -> [y <- f(x)]; q(y) -> [y <- g(x)]; }\n",
        "input level: 0..9;\noutput a, b: Bool;\nalways guarantee { level > 5 -> a; level > 3 -> b; !(a && b); }\n",
        "input up: Bool;\ncell n: 0..3 = 0;\nalways guarantee { up -> [n <- n + 1]; n < 3; }\n",
        "input m: enum {red, green, blue};\noutput o: Bool;\nalways guarantee { m = red -> o; m != blue -> !o; }\n",
    ];
    let folder = Folder::new();
    for text in specs {
        folder.file("s.tsl", text);
        folder.run(["simulate", "s.tsl", "--random", "5", "--seed", "3", "-o", "run.json"]).exits(0);
        for at in ["0", "2", "4"] {
            let run = folder.run(["explain", "run.json", "--at", at]);
            assert!(run.code < 2, "{text}: {run:?}");
            assert!(!run.out.contains(" % 2"), "digits: {}", run.out);
        }
    }
}
