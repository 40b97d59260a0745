//! `simulate`: by hand through a pipe and through a terminal, from scripts, at random.

use super::{BROKEN, Folder, REALIZABLE, UNREALIZABLE};
use std::process::Command;
use tsl_synth_core::diag::Diagnostics;
use tsl_synth_core::logic::Letter;
use tsl_synth_core::source::SourceMap;
use tsl_synth_documents::AnyStrategy;
use tsl_synth_documents::machine::MachineDocument;
use tsl_synth_engine::mealy::{Continuation, Strategist, complete};
use tsl_synth_formats::trace::read_trace;
use tsl_synth_service::trace_terms::{MissingInput, resolve_trace};
use tsl_synth_testkit::skip;

/// A lamp with a Boolean cell: its name is a predicate term and a cell.
const LAMP: &str = "input press: Bool;\ncell lamp: Bool = false;\nalways guarantee {\n  press && ! lamp -> [lamp <- true];\n  \
                    press && lamp -> [lamp <- false];\n  ! press -> [lamp <- lamp];\n}\n";
/// A wire as HOA, with names for its states.
const WIRE: &str = "HOA: v1\nStates: 2\nStart: 0\nAP: 2 \"a\" \"o\"\ncontrollable-AP: 1\nacc-name: all\n\
                    Acceptance: 0 t\n--BODY--\nState: 0 \"low\"\n[!0&!1] 0\n[0&1] 1\nState: 1 \"high\"\n[0&1] 1\n[!0&!1] 0\n--END--\n";

#[test]
fn by_hand() {
    let folder = Folder::new();
    folder.file("lamp.tsl", LAMP);
    let lines = "press // on\n\n.\nundo\npress\ntrace\nback 2\nrandom 0\n!press\nquit\npress\n";
    let run = folder.run_with(["simulate", "lamp.tsl"], lines).exits(0);
    // The value of the lamp follows from its last update: nobody has to type it.
    let expected = "controller of lamp.tsl, 1 state\ninputs: press, lamp\noutputs: lamp\n   \
                    0  S0 -> S0  press, !lamp / [lamp <- true]\n   \
                    1  S0 -> S0  !press, lamp / -\n\
                    took back 1\n   \
                    1  S0 -> S0  press, lamp / [lamp <- false]\n   \
                    0  S0 -> S0  press, !lamp / [lamp <- true]\n   \
                    1  S0 -> S0  press, lamp / [lamp <- false]\n\
                    took back 2\n   \
                    0  S0 -> S0  !press, !lamp / -\n";
    assert_eq!(run.out, expected);
    // Inputs that contradict the meaning of the specification are played with a warning.
    let run = folder.run_with(["simulate", "lamp.tsl", "-q"], "press lamp\n").exits(0);
    assert!(run.out.contains("this cannot happen by the meaning of the specification"), "{}", run.out);
}

#[test]
fn mistakes_by_hand() {
    let folder = Folder::new();
    folder.file("lamp.tsl", LAMP);
    for (line, expected) in [
        ("pres", "step 1: there is no `pres`; did you mean `press`?"),
        (
            "press [lamp <- lamp]",
            "step 1: `[lamp <- lamp]` was said, but in state S0 the machine gives `[lamp <- false]`",
        ),
        ("press | lamp", "a letter is a conjunction of literals"),
        ("back", "`back N` takes a number"),
        ("save", "`save FILE` takes the name"),
        ("save no/such/folder/x.json", "cannot write"),
        ("press & !press", "step 1: `press` is said to hold and not to hold"),
        ("((", "a bracket or quote is not closed"),
    ] {
        let run = folder.run_with(["simulate", "lamp.tsl"], &format!("press\n{line}\n")).exits(2);
        assert!(run.err.contains(expected) && run.err.contains("line 2"), "{line}: {}", run.err);
    }
    folder.file("broken.tsl", BROKEN);
    folder.run(["simulate", "broken.tsl"]).exits(2);
    folder.run(["simulate", "nothing.tsl"]).exits(2);
    folder.run(["simulate", "lamp.tsl", "--script", "nothing.json"]).exits(2);
    let run = folder.run(["simulate", "lamp.tsl", "--random", "1", "-o", "no/where/t.json"]).exits(2);
    assert!(run.err.contains("`no/where/t.json`: there is no such folder"), "{}", run.err);
    folder.run(["emit", "--lang", "aiger", "lamp.tsl", "-o", "lamp.aag"]).exits(0);
    let run = folder.run(["simulate", "lamp.aag", "--random", "2", "--seed", "1", "-q"]).exits(0);
    assert!(run.out.contains("[lamp <- "), "{}", run.out);
    let text = std::fs::read_to_string(folder.path().join("lamp.aag")).expect("a circuit");
    let piped = folder.run_with(["simulate", "-", "--random", "2", "--seed", "1", "-q"], &text).exits(0);
    assert_eq!(run.out, piped.out);
    folder.run_with(["simulate", "-", "--random", "2"], "neither").exits(2);
    folder.run(["simulate", "lamp.tsl", "--script", "x", "--random", "3"]).exits(2);
    folder.run_with(["simulate", "-", "--input-format", "tsl"], LAMP).exits(2);
    folder.run_with(["simulate", "-", "--input-format", "tsl", "--random", "2"], LAMP).exits(0);
}

#[test]
fn scripts() {
    let folder = Folder::new();
    folder.file("wire.hoa", WIRE);
    folder.file("letters.txt", "// a script\na\n!a\n\na=1\n");
    let run = folder.run(["simulate", "wire.hoa", "--script", "letters.txt", "-q"]).exits(0);
    let steps = "   0  low -> high  a / o\n   1  high -> low  !a / !o\n   2  low -> high  a / o\n";
    assert_eq!(run.out, steps);
    let run = folder.run(["simulate", "wire.hoa", "--script", "letters.txt", "-q", "--loop"]).exits(0);
    assert_eq!(run.out, format!("{steps}   3  high -> high  a / o\n      and again from step 3\n"));
    let run = folder.run_with(["simulate", "wire.hoa", "--script", "-", "-q"], "cycle{a & o; !a}").exits(0);
    let round = "   0  low -> high  a / o\n   1  high -> low  !a / !o\n";
    assert_eq!(run.out, format!("{round}      and again from step 0\n"));
    for (trace, expected) in [
        ("a; a & !o", "step 1: `!o` was said, but in state high the machine gives `o`"),
        ("{\"prefix\": [{\"o\": true}]}", "step 0: the input `a` is missing"),
        ("{\"machineId\": \"1\", \"prefix\": [{\"a\": true}]}", "the trace is of another machine"),
        ("b", "step 0: there is no `b`"),
    ] {
        let run = folder.run_with(["simulate", "wire.hoa", "--script", "-", "-q"], trace).exits(2);
        assert!(run.err.contains(expected), "{trace}: {}", run.err);
    }
}

#[test]
fn random_plays_are_reproducible_traces() {
    let folder = Folder::new();
    folder.file("sub/lamp.tsl", LAMP);
    folder.file("sub/copy.tsl", REALIZABLE);
    for spec in ["sub/lamp.tsl", "sub/copy.tsl"] {
        let play = |seed: &str| {
            folder
                .run(["simulate", spec, "--random", "20", "--seed", seed, "--loop", "--format", "json"])
                .exits(0)
        };
        let first = play("5");
        assert_eq!(first.out, play("5").out);
        assert_ne!(first.out, play("6").out);
        // The trace is one of the machine that `emit` writes.
        let machine = folder.run(["emit", "--lang", "json", spec]).exits(0);
        let mut map = SourceMap::new();
        let (trace, table) = (map.add("trace", first.out.as_str()), map.add("machine", machine.out.as_str()));
        let document = MachineDocument::read(&map, table).expect("a machine");
        let Ok((alphabet, AnyStrategy::Mealy(mealy))) = document.strategy() else { panic!("no controller") };
        let text = read_trace(&map, trace).expect("a trace");
        assert_eq!(text.machine_id.as_ref().map(|id| id.text.clone()), Some(document.machine_id));
        let word = resolve_trace(&alphabet, &text, MissingInput::Error).expect("its letters");
        let run = complete(&alphabet, Strategist::Mealy(&mealy), &word, Continuation::Any, &Letter::new())
            .expect("a run");
        assert!(run.back.is_some() && run.observed >= 20);
    }
    // Trace files contain the path of their specification.
    folder.run(["simulate", "sub/lamp.tsl", "--random", "3", "-o", "t.json", "-q"]).exits(0);
    let text = std::fs::read_to_string(folder.path().join("t.json")).expect("the trace");
    assert!(text.contains("\"spec\": \"sub/lamp.tsl\""), "{text}");
    folder.run(["simulate", "sub/lamp.tsl", "--script", "t.json"]).exits(0);
}

#[test]
fn random_plays_may_respect_the_assumptions() {
    let folder = Folder::new();
    let spec = "always assume {\n  ! (a && b);\n  [x <- f()] -> X a;\n}\nalways guarantee {\n  b -> [x <- f()];\n  a -> [x <- g()];\n}\n";
    folder.file("polite.tsl", spec);
    for seed in ["1", "2", "3"] {
        let arguments = ["simulate", "polite.tsl", "--random", "60", "--seed", seed];
        let rude = folder.run(arguments).exits(0);
        assert!(rude.out.contains("is broken, whatever follows"), "{}", rude.out);
        let polite = folder.run(arguments.into_iter().chain(["--respect-assumptions"])).exits(0);
        assert!(!polite.out.contains("broken") && polite.out.lines().count() == 63, "{}", polite.out);
    }
}

#[test]
fn against_an_unrealizable_specification() {
    let folder = Folder::new();
    folder.file("no.tsl", UNREALIZABLE);
    let run = folder.run_with(["simulate", "no.tsl"], "x <- a()\n[x <- b()] [y <- c()]\n").exits(0);
    assert!(run.out.starts_with("unrealizable: you are the system"), "{}", run.out);
    assert!(
        run.out.contains("the guarantee `always stop -> [x <- b()]` can no longer be kept"),
        "{}",
        run.out
    );
    assert!(run.out.contains("the guarantee `always go -> [x <- a()]` can no longer be kept"), "{}", run.out);
    let run = folder.run_with(["simulate", "no.tsl"], "!go\n").exits(2);
    assert!(
        run.err.contains("step 0: `!go` was said, but in state S0 the environment gives `go`"),
        "{}",
        run.err
    );
    // Its trace can be read back.
    folder.run(["simulate", "no.tsl", "--random", "4", "-o", "t.json", "--loop"]).exits(0);
    folder.run(["simulate", "no.tsl", "--script", "t.json"]).exits(0);
}

#[test]
fn emitted_machines_are_played_like_their_specification() {
    let folder = Folder::new();
    folder.file("lamp.tsl", LAMP);
    folder.run(["emit", "--lang", "json", "lamp.tsl", "-o", "lamp.json"]).exits(0);
    folder.run(["emit", "--lang", "hoa", "lamp.tsl", "-o", "lamp.hoa"]).exits(0);
    folder.file("word", "press !lamp; press lamp; !press !lamp");
    let steps = |subject: &str| folder.run(["simulate", subject, "--script", "word", "-q"]).exits(0).out;
    let expected = steps("lamp.tsl");
    assert_eq!(expected.lines().count(), 3);
    assert_eq!(steps("lamp.json"), expected);
    assert_eq!(steps("lamp.hoa"), expected);
    folder.file("bad.json", "{\"schemaVersion\": \"1.0\"}");
    let run = folder.run(["simulate", "bad.json", "--random", "1"]).exits(2);
    assert!(run.err.contains("this is not machine JSON"), "{}", run.err);
}

/// The output of a command in a terminal in which these lines are typed; `None` without the program `script`.
fn in_a_terminal(folder: &Folder, command: &str, typed: &str) -> Option<String> {
    let typed_file = folder.file("typed", typed);
    let shell = format!("sleep 0.3; cat {}; sleep 0.3", typed_file.display());
    let output = Command::new("sh")
        .args(["-c", &format!("( {shell} ) | timeout 60 script -qec '{command}' /dev/null")])
        .current_dir(folder.path())
        .env_remove("CI")
        .output();
    let output = output.ok().filter(|o| !String::from_utf8_lossy(&o.stderr).contains("not found"))?;
    Some(String::from_utf8_lossy(&output.stdout).replace('\r', ""))
}

#[test]
fn in_a_terminal_mistakes_are_told_and_the_play_goes_on() {
    let folder = Folder::new();
    folder.file("wire.hoa", WIRE);
    let command = format!("{} simulate wire.hoa --color never", env!("CARGO_BIN_EXE_tsl-synth"));
    let typed = "help\nb\na\nsave t.json\nstate\nquit\n";
    let Some(shown) = in_a_terminal(&folder, &command, typed) else {
        skip("there is no `script` here to make a terminal");
        return;
    };
    for expected in [
        "step 0, low> ",
        "took back one step".replace("took", "take").as_str(),
        "step 0: there is no `b`",
        "   0  low -> high  a / o",
        "step 1, high> ",
        "wrote t.json",
        "you choose: a",
    ] {
        assert!(shown.contains(expected), "{expected}\n{shown}");
    }
    let text = std::fs::read_to_string(folder.path().join("t.json")).expect("the trace");
    let mut map = SourceMap::new();
    let source = map.add("t.json", text);
    let read: Result<_, Diagnostics> = read_trace(&map, source);
    assert_eq!(read.expect("a trace").prefix.len(), 1);
}

/// Runs the program of a scaffold and returns the letters that its trace hook printed.
fn letters_of(folder: &Folder, lang: &str, program: &[&str]) -> Option<String> {
    folder.run(["emit", "--lang", lang, "--scaffold", lang, "-q", "choice.tsl"]).exits(0);
    let output = Command::new(program[0]).args(&program[1..]).current_dir(folder.path().join(lang)).output();
    let Ok(output) = output else {
        println!("skipped: `{}` is not there", program[0]);
        return None;
    };
    let text = String::from_utf8(output.stdout).expect("text");
    assert!(output.status.success(), "{lang}: {text}{}", String::from_utf8_lossy(&output.stderr));
    // The last line is the snapshot.
    let letters: Vec<&str> = text.lines().filter(|line| !line.contains("machineId")).collect();
    Some(letters.join("\n"))
}

#[test]
fn trace_hooks_of_emitted_controllers_write_traces() {
    let folder = Folder::new();
    let spec = "always guarantee {\n  hot (room x) -> [fan <- on()];\n  ! hot(room(x)) -> [fan <- off()];\n  y > 3 -> [log <- x];\n}\n";
    folder.file("choice.tsl", spec);
    let programs: [(&str, &[&str]); 3] = [
        ("js", &["node", "main.js"]),
        ("python", &["python3", "main.py"]),
        ("rust", &["cargo", "run", "--quiet", "--offline"]),
    ];
    for (lang, program) in programs {
        let Some(letters) = letters_of(&folder, lang, program) else { continue };
        assert!(letters.lines().count() >= 3, "{lang}: {letters}");
        let run = folder.run_with(["simulate", "choice.tsl", "--script", "-", "-q"], &letters).exits(0);
        assert_eq!(run.out.lines().count(), letters.lines().count(), "{lang}");
        // An output that the machine does not give is rejected.
        let wrong = letters.replace("\"on()\"", "\"off()\"").replace("\"off()\"", "\"on()\"");
        folder.run_with(["simulate", "choice.tsl", "--script", "-", "-q"], &wrong).exits(2);
    }
}

#[test]
fn parameters_reach_the_controller_of_a_trace() {
    let folder = Folder::new();
    folder.file(
        "delay.tlsf",
        "INFO { TITLE: \"delay\" DESCRIPTION: \"an answer n steps later\" SEMANTICS: Mealy TARGET: Mealy }\n\
         GLOBAL { PARAMETERS { n = 1; } }\n\
         MAIN { INPUTS { r; } OUTPUTS { g; } GUARANTEE { G (r <-> X[n] g); } }\n",
    );
    let ask = ["explain", "--spec", "delay.tlsf", "--effect", "X X g", "--trace", "r; !r; cycle{!r}"];
    folder.run(ask).exits(1);
    folder.run(ask.into_iter().chain(["--param", "n=2"])).exits(0);
}

#[test]
fn what_is_read_of_a_cell_and_what_it_becomes_are_written_alike() {
    let folder = Folder::new();
    folder.file("lamp.tsl", LAMP);
    let program = "import { Controller } from './lamp.mjs';\n\
                   const lamp = new Controller({}, { trace: (letter) => console.log(JSON.stringify(letter)) });\n\
                   for (const press of [true, true, false]) lamp.step({ press });\n";
    folder.file("play.mjs", program);
    folder.run(["emit", "--lang", "js", "-o", "lamp.mjs", "lamp.tsl"]).exits(0);
    folder.file("word", "press; press; !press");
    folder.run(["simulate", "lamp.tsl", "--script", "word", "-o", "t.json", "-q"]).exits(0);
    let written = std::fs::read_to_string(folder.path().join("t.json")).expect("the trace");
    let letters = [
        r#"{"press":true,"(lamp)":false,"lamp":"true"}"#,
        r#"{"press":true,"(lamp)":true,"lamp":"false"}"#,
        r#"{"press":false,"(lamp)":false,"lamp":"lamp"}"#,
    ];
    for letter in letters {
        assert!(written.contains(letter), "{letter}\n{written}");
    }
    folder.run(["simulate", "lamp.tsl", "--script", "t.json", "-q"]).exits(0);
    let ask = ["explain", "--spec", "lamp.tsl", "--effect", "[lamp <- false]", "--continue", "any"];
    folder.run(ask.into_iter().chain(["t.json"])).exits(1);
    let foreign = written.replace("\"machineId\": \"", "\"machineId\": \"0");
    folder.file("foreign.json", &foreign);
    let run = folder.run(ask.into_iter().chain(["foreign.json"])).exits(2);
    assert!(run.err.contains("the trace is of another machine"), "{}", run.err);
    let Ok(run) = Command::new("node").arg("play.mjs").current_dir(folder.path()).output() else {
        println!("skipped: `node` is not there");
        return;
    };
    let lines = String::from_utf8_lossy(&run.stdout).into_owned();
    assert_eq!(lines.trim_end(), letters.join("\n"), "{}", String::from_utf8_lossy(&run.stderr));
    folder.file("lines.json", &lines);
    folder.run(["simulate", "lamp.tsl", "--script", "lines.json", "-q"]).exits(0);
    folder.run(ask.into_iter().chain(["lines.json"])).exits(1);
}

/// An arbiter that grants until a request ends, whose machine has very many states.
fn holding_arbiter(clients: usize) -> String {
    let of = |make: &dyn Fn(usize) -> String| (0..clients).map(make).collect::<String>();
    let names = |prefix: &str| (0..clients).map(|i| format!("{prefix}{i}")).collect::<Vec<_>>().join(", ");
    let others = |i: usize| (0..i).map(|j| format!("g{j}")).collect::<Vec<_>>().join(" || ");
    let exclusive = (1..clients).map(|i| format!("guarantee {{ G !(g{i} && ({})) }}\n", others(i)));
    let exclusive = exclusive.collect::<Vec<_>>().concat();
    format!(
        "// inputs: {}\n// outputs: {}\n{}{exclusive}{}{}",
        names("r"),
        names("g"),
        of(&|i| format!("assume {{ G F !r{i} }}\n")),
        of(&|i| format!("guarantee {{ G (r{i} -> F g{i}) }}\n")),
        of(&|i| format!("guarantee {{ G ((g{i} && r{i}) -> X g{i}) }}\n")),
    )
}

#[test]
fn controllers_with_very_many_states_are_played_as_circuits() {
    let folder = Folder::new();
    for clients in [2, 9, 12] {
        folder.file("arbiter.ltl", holding_arbiter(clients));
        let random = ["simulate", "arbiter.ltl", "--random", "40", "--seed", "3"];
        let run = folder.run(random).exits(0);
        let is_circuit = run.out.contains("a circuit (latches: ");
        assert_eq!(is_circuit, clients > 2, "{clients}: {}", run.out);
        let run = folder.run([&random[..], &["--format", "json", "-q"]].concat()).exits(0).json();
        let steps = run["prefix"].as_array().expect("steps");
        assert_eq!(steps.len(), 40);
        let mut granted = None;
        for step in steps {
            let held = |prefix: char| -> Vec<usize> {
                let all = step.as_object().into_iter().flatten();
                let held = all.filter(|(name, value)| name.starts_with(prefix) && **value == true);
                held.map(|(name, _)| name[1..].parse().expect("a number")).collect()
            };
            let (requests, grants) = (held('r'), held('g'));
            assert!(grants.len() <= 1, "{clients}: {step}");
            // A client that was granted and asked still has its grant.
            if let Some(client) = granted {
                assert_eq!(grants, [client], "{clients}: {step}");
            }
            granted = grants.first().copied().filter(|client| requests.contains(client));
        }
        assert_eq!(run["machineId"].is_null(), is_circuit);
        // The same play, read as a script.
        folder.file("play.json", run.to_string());
        folder.run(["simulate", "arbiter.ltl", "--script", "play.json", "-q"]).exits(0);
    }
}
