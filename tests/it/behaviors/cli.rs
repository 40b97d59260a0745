//! `check` and `emit` of `.agent` files, as a user calls them.

use crate::cli::Folder;
use std::path::Path;

const SPECS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/specs/agents");

#[test]
fn every_agent_of_the_gallery_has_the_verdict_of_its_first_line() {
    let folder = Folder::new();
    let files = tsl_synth_testkit::files_below(Path::new(SPECS), &["agent"]);
    assert!(files.len() >= 5);
    for file in files {
        let text = std::fs::read_to_string(&file).expect("an agent");
        let wanted = text.lines().next().and_then(|line| line.strip_prefix("; expect: ")).expect("a verdict");
        let run = folder.run(["check".as_ref(), file.as_os_str()]).exits(i32::from(wanted == "INVALID"));
        assert_eq!(run.out.lines().next(), Some(wanted), "{}", file.display());
    }
}

#[test]
fn transcripts_are_checked_against_a_behavior() {
    let folder = Folder::new();
    let react = format!("{SPECS}/react.agent");
    folder.file("good.txt", "Question: x\nThought: a\nAction: Search\nAction Input: y\nObservation: z\nFinal Thought: b\nAnswer: c\n");
    folder.file("states", "Thought Action Observation\n");
    folder.file("tool.txt", "Thought: a\nAction: Google\nAction Input: y\n");
    let run = folder.run(["check", &react, "--against", "good.txt"]).exits(0);
    assert_eq!(run.out, "VALID\ngood.txt: accepted, 1 run\n");
    let run = folder.run(["check", &react, "--against", "good.txt", "--against", "states"]).exits(1);
    assert_eq!(
        run.out,
        "INVALID\n`states` is no run: `Observation` may not come after `Action`\ngood.txt: accepted, 1 run\nstates: rejected\n"
    );
    assert!(
        run.err.contains("states:1:16") && run.err.contains("only `Action-Input` may come here"),
        "{}",
        run.err
    );
    let run = folder.run(["check", &react, "--against", "tool.txt"]).exits(1);
    assert!(
        run.out.contains("one of `Search`, `Lookup`, `Calculator`") && run.err.contains("tool.txt:2:9"),
        "{run:?}"
    );
    // The prompts overlap: a warning, which may be denied.
    assert_eq!(folder.run(["check", &react, "--deny=warnings"]).exits(1).out.lines().next(), Some("VALID"));
    folder.run(["check", &react, "--deny=TSL0410"]).exits(1);
    folder.run(["check", &react, "--deny=TSL0412"]).exits(0);
    let run = folder.run(["check", &react, "--format", "json", "--against", "states"]).exits(1);
    let result = &run.json()["results"][0];
    assert_eq!((&result["verdict"], &result["agent"]), (&"INVALID".into(), &"react".into()));
    assert_eq!(result["transcripts"][0]["runs"][0], serde_json::json!(["Thought", "Action"]));
}

/// The examples of the manual: each line `; run:` is a run, each line `; no run:` is none.
#[test]
fn the_examples_of_the_manual_have_the_runs_that_they_name() {
    let folder = Folder::new();
    let page = crate::readme::read(&crate::readme::root().join("src/cli/topics/agent.md"));
    let shown: Vec<_> =
        crate::readme::blocks(&page).into_iter().filter(|block| block.lang == "agent").collect();
    assert!(shown.len() >= 4);
    let mut seen = String::new();
    for block in shown {
        let text = block.lines.join("\n");
        folder.file("shown.agent", &text);
        folder.run(["check", "shown.agent", "--deny=warnings"]).exits(0);
        let mut runs = [0, 0];
        for line in &block.lines {
            for (at, mark) in ["; run: ", "; no run: "].into_iter().enumerate() {
                let Some(run) = line.strip_prefix(mark) else { continue };
                folder.file("run.txt", run);
                folder
                    .run(["check", "shown.agent", "--against", "run.txt"])
                    .exits(i32::try_from(at).expect("small"));
                runs[at] += 1;
            }
        }
        assert!(runs[0] > 0, "{text}");
        seen.push_str(&text);
    }
    for form in ["next", "until", "always", ":max-loops", ":one-of", ":env-input", ":initial", ":final"] {
        assert!(seen.contains(form), "{form} has no example");
    }
}

#[test]
fn a_state_that_may_not_come_first_is_named_with_the_reason() {
    let folder = Folder::new();
    for (formula, end) in [
        ("(until S0 S1)", ""),
        ("(next (until S0 S1) S2)", " S2"),
        ("(until (next S0 S2) (or S1 S2))", ""),
        ("(or S0 (until S2 S1))", ""),
        ("(until S0 S1 (:max-loops 3))", ""),
        ("(always (until S0 S1))", ""),
    ] {
        let agent = |flags: [&str; 2]| {
            let flag = |text: &str| if text.is_empty() { String::new() } else { format!("(:flags {text})") };
            format!(
                "(define x (:states (S0 (:text \"a:\") {}) (S1 (:text \"b:\") {}) (S2 (:text \"c:\"))) (:behavior {formula}))",
                flag(flags[0]),
                flag(flags[1])
            )
        };
        folder.file("run.txt", format!("S1{end}"));
        for (flags, why) in [
            (["", ""], Some("give `S1` and all other states that may come first `(:flags :initial)`")),
            ([":initial", ""], Some("`S1` has no `(:flags :initial)`")),
            ([":initial", ":initial"], None),
        ] {
            folder.file("x.agent", agent(flags));
            let run = folder.run(["check", "x.agent", "--against", "run.txt"]);
            match why {
                Some(why) => {
                    let run = run.exits(1);
                    assert!(run.err.contains("`S1` may not come at the beginning"), "{formula}: {}", run.err);
                    // Long lines are wrapped.
                    let said = run.err.split_whitespace().collect::<Vec<_>>().join(" ");
                    assert!(said.contains(why), "{formula}, {flags:?}: {}", run.err);
                }
                None => drop(run.exits(0)),
            }
        }
    }
    // A state that comes first in no run has no such reason.
    folder.file(
        "x.agent",
        "(define x (:states (S0 (:text \"a:\")) (S1 (:text \"b:\"))) (:behavior (next S0 S1)))",
    );
    folder.file("run.txt", "S1");
    let run = folder.run(["check", "x.agent", "--against", "run.txt"]).exits(1);
    assert!(run.err.contains("at the beginning") && !run.err.contains(":initial"), "{}", run.err);
}

#[test]
fn wrong_calls() {
    let folder = Folder::new();
    let react = format!("{SPECS}/react.agent");
    folder.file("x.ltl", "G a");
    folder.file("broken.agent", "(define x (:states (A (:text \"a\")))");
    assert_eq!(folder.run(["check", "broken.agent"]).exits(2).out, "");
    assert_eq!(
        folder.run(["check", "broken.agent", "--format", "json"]).exits(2).json()["results"][0]["verdict"],
        "ERROR"
    );
    for args in [
        vec!["check", &react, "x.ltl"],
        vec!["check", "x.ltl", "--against", "x.ltl"],
        vec!["check", &react, "--against", "missing"],
        vec!["check", "missing.agent"],
        vec!["check", &react, "--format", "junit"],
        vec!["check", &react, "--summary", "out.md"],
        vec!["emit", &react, "--lang", "c"],
        vec!["emit", &react, "--lang", "js", "--async"],
        vec!["emit", "x.ltl", "--lang", "regex"],
        vec!["emit", &format!("{SPECS}/dead_end.agent"), "--lang", "js"],
    ] {
        let run = folder.run(&args).exits(2);
        assert!(run.err.contains("error"), "{args:?}: {}", run.err);
    }
}

#[test]
fn grammars_stand_beside_the_document() {
    let folder = Folder::new();
    let react = format!("{SPECS}/react.agent");
    folder.run(["emit", &react, "--lang", "gbnf", "-o", "out.json"]).exits(0);
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).expect("a file");
    let document: serde_json::Value = serde_json::from_str(&read("out.json")).expect("JSON");
    let first = &document["segments"][0];
    assert_eq!(
        (first["prefix"].as_str(), &first["stop"]),
        (Some("Thought:"), &serde_json::json!(["Observation:"]))
    );
    assert_eq!(first["grammar"], read("out.0.gbnf"));
    let printed = folder.run(["emit", &react, "--lang", "json"]).exits(0);
    assert_eq!(printed.json()["states"][1]["oneOf"][0], "Search");
    assert!(folder.run(["emit", &react, "--lang", "dot"]).exits(0).out.starts_with("digraph"));
    let drawing = folder.run(["emit", &react, "--lang", "svg"]).exits(0).out;
    let automaton = folder.run(["emit", &react, "--lang", "json"]).exits(0).json();
    let nodes = automaton["nodes"].as_array().expect("nodes");
    let states = nodes.iter().filter(|node| !node["state"].is_null()).count();
    assert_eq!(drawing.matches("class=\"state-box\"").count(), states);
}
