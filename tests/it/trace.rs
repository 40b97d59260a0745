//! Traces in all their forms, errors in them, and the runs of machines on them.

use tsl_synth_core::diag::Diagnostics;
use tsl_synth_core::logic::{Alphabet, Letter};
use tsl_synth_core::model::{Mealy, Trace};
use tsl_synth_core::source::SourceMap;
use tsl_synth_engine::mealy::{Continuation, Deviation, Strategist, complete};
use tsl_synth_formats::hoa::read_hoa;
use tsl_synth_formats::trace::{TraceText, read_trace};
use tsl_synth_service::trace_terms::{MissingInput, resolve_trace};
use tsl_synth_testkit::cases;

fn read(text: &str) -> Result<TraceText, Diagnostics> {
    let mut map = SourceMap::new();
    let source = map.add("trace", text);
    read_trace(&map, source)
}

/// The alphabet of a small adventure: two predicate terms, a comparison, a cell and a Boolean output.
fn adventure() -> Alphabet {
    let mut alphabet = Alphabet::new();
    alphabet.add_input("inMarket(summary)");
    alphabet.add_input("inCave(summary)");
    alphabet.add_input("gold > 3");
    alphabet.add_cell(
        "story",
        ["[story <- story]", "[story <- toMarket(summary)]", "[story <- toCave(summary)]"],
    );
    alphabet.add_output("lamp");
    alphabet
}

/// The literals of the letters in the order of the atoms: `-` for a negation, `*` before a letter of the cycle.
fn said(alphabet: &Alphabet, trace: &Trace) -> Vec<String> {
    let letters = trace.prefix.iter().map(|l| (l, "")).chain(trace.cycle.iter().map(|l| (l, "*")));
    letters
        .map(|(letter, mark)| {
            let atoms = alphabet.atoms().enumerate();
            let words = atoms.filter_map(|(id, atom)| {
                letter.value(id).map(|v| format!("{}{}", if v { "" } else { "-" }, atom.name))
            });
            format!("{mark}{}", words.collect::<Vec<_>>().join(","))
        })
        .collect()
}

fn resolve(text: &str, openness: MissingInput) -> Result<Vec<String>, Vec<String>> {
    let alphabet = adventure();
    let sentences = |found: Diagnostics| {
        found.iter().map(|d| format!("{} | {}", d.message, d.hints.join(" | "))).collect::<Vec<_>>()
    };
    let trace = read(text).map_err(sentences)?;
    let trace = resolve_trace(&alphabet, &trace, openness).map_err(sentences)?;
    Ok(said(&alphabet, &trace))
}

#[test]
fn every_form_says_the_same() {
    let inputs = "inMarket(summary),-inCave(summary),gold > 3";
    let cave = "-[story <- story],-[story <- toMarket(summary)],[story <- toCave(summary)]";
    let expected = vec![format!("{inputs},{cave},lamp"), format!("*{inputs}")];
    for text in [
        // Terms are compared up to notation: calls, blanks, reversed comparisons.
        r#"{"spec": "x.tsl", "effect": "F lamp", "machineId": "0",
            "prefix": [{"inMarket summary": true, "inCave( summary )": false, "3 < gold": true,
                        "story": "toCave summary", "lamp": true}],
            "loop": [{"inMarket(summary)": true, "inCave(summary)": false, "gold <= 3": false}]}"#,
        "inMarket(summary) & !inCave(summary) & gold > 3 & [story <- toCave(summary)] & lamp;
         cycle{ inMarket summary & !(inCave summary) & !(gold <= 3) & 1 }",
        "inMarket(summary) !inCave(summary) gold > 3 story<-toCave(summary) lamp=1\n\
         cycle{\"inMarket(summary)\" inCave(summary)=false !( gold<=3 ) } // a script\n",
        r##"{"#meta": {"format": "ITF"}, "vars": ["lamp"], "loop": 1, "states": [
            {"#meta": {"index": 0}, "inMarket(summary)": true, "inCave(summary)": false, "gold > 3": true,
             "story": "toCave(summary)", "lamp": true, "mbt::actionTaken": "step"},
            {"inMarket(summary)": true, "inCave(summary)": false, "gold > 3": true}]}"##,
    ] {
        assert_eq!(resolve(text, MissingInput::Error).as_ref(), Ok(&expected), "{text}");
    }
    // JSON lines are finite traces; so is an array of letters.
    let letter = r#"{"inMarket(summary)": true, "inCave(summary)": false, "gold > 3": true}"#;
    for text in [format!("{letter}\n{letter}\n"), format!("[{letter},{letter}]")] {
        assert_eq!(resolve(&text, MissingInput::Error), Ok(vec![inputs.to_string(); 2]), "{text}");
    }
    // With `MissingInput::False`, inputs that are not named are false.
    let short = "-inMarket(summary),inCave(summary),-gold > 3";
    assert_eq!(resolve("inCave(summary)", MissingInput::False), Ok(vec![short.to_string()]));
}

#[test]
fn mistakes_are_named_with_step_and_term() {
    for (text, expected) in [
        (
            "inMarkt(summary) & !inCave(summary) & gold > 3",
            "step 0: there is no `inMarkt(summary)` | did you mean `inMarket(summary)`?",
        ),
        (
            "inMarket(summary) & !inCave(summary) & gold > 3; inCave(summary) & !inMarket(summary)",
            "step 1: the input `gold > 3` is missing",
        ),
        (
            "inMarket(summary) & !inMarket(summary)",
            "step 0: `inMarket(summary)` is said to hold and not to hold",
        ),
        (
            r#"{"prefix": [{"story": "toCaves(summary)"}]}"#,
            "step 0: the cell `story` has no update to `toCaves(summary)` | did you mean `toCave(summary)`?",
        ),
        (r#"{"prefix": [{"lamp": "on"}]}"#, "step 0: `lamp` is true or false, not `on`"),
        (
            "[story <- story] & [story <- toCave(summary)]",
            "step 0: the cell `story` has contradictory updates",
        ),
        (
            "![story <- story] & ![story <- toCave(summary)] & ![story <- toMarket(summary)]",
            "step 0: the cell `story` gets no update",
        ),
        ("inCave summary", "step 0: there is no `inCave` | did you mean `inCave(summary)`?"),
        (r#"{"prefix": [], "loops": []}"#, "a trace has no key `loops`"),
        (r#"{"prefix": [], "loop": []}"#, "the loop has no letter"),
        (r#"{"prefix": [{"lamp": true, "lamp": false}]}"#, "the key \"lamp\" is named twice"),
        (r#"{"prefix": [{"lamp": null}]}"#, "`lamp` is true, false, or the term of an update; found null"),
        (r#"{"states": [{"lamp": true}], "loop": 1}"#, "`loop` is the number of a state"),
        ("", "there is no letter"),
        ("{", "expected a key"),
        ("lamp; ; lamp", "a letter is missing"),
        ("lamp | gold > 3", "a letter is a conjunction"),
        ("!(lamp & gold > 3)", "a negated conjunction"),
        ("cycle{lamp", "`cycle{` is not closed"),
        ("cycle{}", "`}` closes a `cycle{`"),
        ("cycle{lamp}; lamp", "nothing follows"),
        ("lamp}", "`}` closes a `cycle{`"),
        ("cycle{cycle{lamp}}", "braces are for"),
        ("f(lamp", "a bracket or quote is not closed"),
        ("lamp & 0", "this literal is always false"),
    ] {
        let found = resolve(text, MissingInput::Error).expect_err(text);
        assert!(found[0].starts_with(expected), "{text}\nexpected {expected}\nfound    {}", found[0]);
    }
}

#[test]
fn hostile_text_is_refused_quickly() {
    for text in [
        "(".repeat(100_000),
        format!("{}a{}", "(".repeat(100_000), ")".repeat(100_000)),
        format!("{}a{}", "(".repeat(900), ")".repeat(900)),
        "!".repeat(100_000),
        format!("{{\"prefix\": {}", "[".repeat(100_000)),
        "f(".repeat(900) + &")".repeat(900),
        "\u{feff}cycle{\u{0}}".into(),
    ] {
        assert!(resolve(&text, MissingInput::Error).is_err());
    }
}

const LATCH: &str = "HOA: v1\nStates: 2\nStart: 0\nAP: 2 \"a\" \"o\"\ncontrollable-AP: 1\nacc-name: all\n\
                     Acceptance: 0 t\n--BODY--\nState: 0\n[!0&!1] 0\n[0&1] 1\nState: 1\n[1] 1\n--END--\n";

fn machine(text: &str) -> (Alphabet, Mealy) {
    read_hoa(text).and_then(|hoa| hoa.mealy(&[])).unwrap_or_else(|e| panic!("{e}"))
}

fn trace(alphabet: &Alphabet, text: &str) -> Trace {
    let text = read(text).unwrap_or_else(|d| panic!("{text}: {d:?}"));
    resolve_trace(alphabet, &text, MissingInput::Error).unwrap_or_else(|d| panic!("{d:?}"))
}

#[test]
fn outputs_are_computed_or_compared() {
    let (alphabet, mealy) = machine(LATCH);
    let run = |text: &str, continuation| {
        let trace = trace(&alphabet, text);
        complete(&alphabet, Strategist::Mealy(&mealy), &trace, continuation, &Letter::new())
    };
    let outputs = |letters: &[Letter]| -> String {
        let o = alphabet.outputs().next().expect("an output");
        letters.iter().map(|l| if alphabet.holds(o, l) { '1' } else { '0' }).collect()
    };
    // After the first iteration the machine is in another state, so the cycle is unrolled once.
    let latched = run("cycle{!a; a}", Continuation::Last).expect("a run");
    assert_eq!((outputs(&latched.letters).as_str(), latched.back, latched.observed), ("0111", Some(2), 2));
    let lasso = latched.lasso().expect("a lasso");
    assert_eq!((lasso.prefix.len(), lasso.cycle.len()), (2, 2));
    // Finite traces.
    let finite = run("!a; a", Continuation::Any).expect("a run");
    assert_eq!((outputs(&finite.letters).as_str(), finite.back, finite.states.len()), ("01", None, 3));
    let last = run("!a; a; !a", Continuation::Last).expect("a run");
    assert_eq!((outputs(&last.letters).as_str(), last.back, last.observed), ("0111", Some(3), 3));
    // Deviations in the prefix, and in the first or second iteration of a cycle.
    assert!(run("a & o; cycle{!a & o}", Continuation::Last).is_ok());
    for (text, expected) in
        [("!a & !o; a & !o; !a", 1), ("cycle{!a & !o; a}", 2), ("cycle{a & o; !a & !o}", 1)]
    {
        match run(text, Continuation::Last) {
            Err(Deviation::Outputs { step, .. }) => assert_eq!(step, expected, "{text}"),
            other => panic!("{text}: {other:?}"),
        }
    }
}

#[test]
fn recorded_cases_are_traces_of_their_machines() {
    for folder in cases("causality") {
        let entries = std::fs::read_dir(&folder).expect("the cases");
        let mut runs = 0;
        for case in entries.flatten().map(|e| e.path()).filter(|p| p.is_dir()) {
            let name = case.file_name().and_then(|n| n.to_str()).unwrap_or_default().to_string();
            let text = |file: &str| std::fs::read_to_string(case.join(file)).expect("a file of the case");
            let Ok(hoa) = read_hoa(&text("system.hoa")) else {
                assert!(name.starts_with("deg-"), "{name}: the machine is not read");
                continue;
            };
            let Ok((alphabet, mealy)) = hoa.mealy(&[]) else { continue };
            let result = complete(
                &alphabet,
                Strategist::Mealy(&mealy),
                &trace(&alphabet, text("trace.txt").trim()),
                Continuation::Last,
                &Letter::new(),
            );
            // The trace of only this case deviates from the machine.
            assert_eq!(result.is_ok(), name != "deg-wrong-outputs", "{name}: {result:?}");
            runs += 1;
        }
        assert!(runs >= 7, "{runs}");
    }
}
