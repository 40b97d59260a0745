//! `explain RUN --at STEP`: the chain of reasons for people, with lines of the specification.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// A guard of a game. The lines of its clauses count.
const GUARD: &str = include_str!("../../fixtures/machines/guard.tsl");

fn tool(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tsl-synth"));
    command.current_dir(folder).args(arguments).output().expect("the program runs")
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// A folder with the specification and a play of its controller on these inputs, one step in each line.
fn played(prefer: &str, steps: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("guard.tsl"), GUARD).expect("written");
    let mut play = Command::new(env!("CARGO_BIN_EXE_tsl-synth"))
        .current_dir(folder.path())
        .args(["simulate", "guard.tsl", "--prefer", prefer, "-o", "run.json"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .expect("the program runs");
    let mut input = play.stdin.take().expect("it reads steps");
    input.write_all(steps.as_bytes()).expect("written");
    drop(input);
    assert!(play.wait().expect("it ends").success());
    folder
}

#[test]
fn a_step_is_explained_back_through_the_cells() {
    let folder = played("keep", ".\nhearsNoise\nseesPlayer\n.\n");
    let output = tool(folder.path(), &["explain", "run.json", "--at", "3"]);
    let told = text(&output);
    let mut lines = told.lines();
    let first = lines.next().unwrap_or_default();
    assert!(
        first.starts_with("step 3: mode <- search, because !seesPlayer, !tired, mode = chase (line 11,"),
        "{told}"
    );
    let second = lines.next().unwrap_or_default();
    assert!(second.starts_with("  step 2: mode <- chase, because seesPlayer (line 10,"), "{told}");
    assert!(told.contains("happened because"), "the exact cause follows: {told}");
    // The last step is explained if none is named.
    let output = tool(folder.path(), &["explain", "run.json"]);
    assert_eq!(text(&output).lines().next(), Some(first));
}

#[test]
fn what_no_clause_asks_for_is_said() {
    let folder = played("keep", ".\n.\n");
    let told = text(&tool(folder.path(), &["explain", "run.json", "--at", "0"]));
    let first = told.lines().next().unwrap_or_default();
    assert!(first.contains("mode is kept") && first.contains("no clause asks for a change"), "{told}");
    let folder = played("any", ".\n.\n");
    let output = tool(folder.path(), &["explain", "run.json", "--at", "0", "--format", "json"]);
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let link = &document["chain"][0];
    assert_eq!((&link["step"], &link["free"]), (&0.into(), &true.into()), "{document}");
    assert!(link["allowed"].as_array().is_some_and(|all| all.contains(&"mode".into())), "{document}");
    assert!(link["clauses"].as_array().is_some_and(Vec::is_empty), "{document}");
}

#[test]
fn a_step_that_is_not_there_is_an_error() {
    let folder = played("keep", ".\n");
    let output = tool(folder.path(), &["explain", "run.json", "--at", "7"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("the trace has no step 7"));
}

/// Specifications with a counter beside a mode: the counter decides some updates of the mode, and others it does not.
fn modes(most: u32, counter: &str, with_bell: bool) -> String {
    let mut text = format!(
        "input go: Bool;\ninput stop: Bool;\ninput unused: Bool;\ncell mode: enum {{idle, run, hold}} = idle;\ncell {counter}: \
         0..{most} = 0;\noutput beep: Bool;\nalways guarantee {{\n"
    );
    for clause in [
        "mode = idle && go -> [mode <- run]".to_string(),
        "mode = run && stop -> [mode <- hold]".into(),
        "mode = hold && !stop -> [mode <- run]".into(),
        "mode = idle && !go -> [mode <- idle]".into(),
        format!("mode = run && {counter} = {most} && !stop -> [mode <- idle] && [{counter} <- 0]"),
        format!("mode = run && {counter} < {most} && !stop -> [{counter} <- {counter} + 1] && [mode <- run]"),
        "mode = hold && stop -> [mode <- hold]".into(),
        format!("mode != run -> [{counter} <- {counter}]"),
        format!("mode = run && stop -> [{counter} <- {counter}]"),
        format!("beep <-> (mode = run && {counter} = {most})"),
    ] {
        if with_bell || !clause.starts_with("beep") {
            text.extend(["  ", clause.as_str(), ";\n"]);
        }
    }
    text + "}\n"
}

#[test]
fn only_what_the_clause_reads_is_a_reason() {
    let (mut checked, mut with_counter) = (0, 0);
    for (most, counter, with_bell) in [(1, "n", true), (2, "count", false), (3, "n", true), (3, "zz", false)]
    {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("m.tsl"), modes(most, counter, with_bell)).expect("written");
        for seed in ["1", "4"] {
            let args = ["simulate", "m.tsl", "--random", "12", "--seed", seed, "-q", "-o", "run.json"];
            assert!(tool(folder.path(), &args).status.success());
            for step in ["3", "6", "9", "11"] {
                let told = text(&tool(folder.path(), &["explain", "run.json", "--at", step]));
                for line in told.lines().filter(|line| line.trim_start().starts_with("step ")) {
                    // `step 10: mode <- run, because !stop, mode = hold (line 10, always mode = hold && !stop -> ..)`
                    let Some((_, rest)) = line.split_once(": mode <- ") else { continue };
                    let Some((because, clause)) =
                        rest.split_once(", because ").and_then(|(_, why)| why.split_once(" (line "))
                    else {
                        continue;
                    };
                    assert!(!because.contains("unused"), "{line}");
                    for reason in because.split(", ") {
                        let name = reason.trim_start_matches('!').split(' ').next().unwrap_or_default();
                        assert!(
                            clause.contains(name),
                            "{most} {counter} {seed} {step}: `{reason}` is not read: {line}"
                        );
                        with_counter += usize::from(name == counter);
                    }
                    checked += 1;
                }
            }
        }
    }
    assert!(checked > 40 && with_counter > 3, "{checked} {with_counter}");
}
