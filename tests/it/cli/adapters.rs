//! The programs in `specs/worlds/adapters`, which play environments by the JSON protocol.

use super::{Folder, Run};
use std::path::{Path, PathBuf};
use std::process::Command;
use tsl_synth_testkit::skip;

fn adapters() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("specs/worlds/adapters")
}

/// Whether Python is there, and this module of it.
fn has(module: &str) -> bool {
    let found = Command::new("python3").args(["-c", &format!("import {module}")]).output();
    let there = found.is_ok_and(|output| output.status.success());
    if !there {
        skip(&format!("there is no python3 with the module {module}"));
    }
    there
}

fn agent(folder: &Folder, policy: &str, program: &str, more: &[&str]) -> Run {
    let (policy, program) = (adapters().join(policy), adapters().join(program));
    let (program, arguments) = (program.display().to_string(), more);
    let env = format!("cmd:python3 {program} {}", arguments[0]);
    let policy = policy.display().to_string();
    let call = ["agent", policy.as_str(), "--env", env.as_str()];
    folder.run(call.iter().chain(&arguments[1..]))
}

const RANDOM: [&str; 6] = ["--oracle", "sim", "--retries", "40", "--turns", "3000"];

/// A model that takes these steps one after another.
fn model(steps: &[&str]) -> String {
    let steps = serde_json::json!(steps);
    format!(
        "import json, sys\nsteps = {steps}\nfor line in sys.stdin:\n    request = json.loads(line)\n    wanted = steps.pop(0)\n    \
         number = request['choices'].index(wanted) + 1\n    print(json.dumps({{'id': request['id'], 'answer': number}}), flush=True)\n"
    )
}

#[test]
fn a_house_in_words_is_played_as_alfworld_and_as_virtualhome() {
    if !has("dataclasses") {
        return;
    }
    let folder = Folder::new();
    let kitchen = adapters().join("kitchen.json").display().to_string();
    let script = adapters().join("breakfast.txt").display().to_string();
    let warm = [
        "go to sink 1",
        "take mug 1 from sink 1",
        "go to microwave 1",
        "heat mug 1 with microwave 1",
        "go to cabinet 1",
        "open cabinet 1",
        "put mug 1 in/on cabinet 1",
    ];
    let fruit = [
        "[WALK] <fridge> (1)",
        "[OPEN] <fridge> (1)",
        "[GRAB] <apple> (1)",
        "[CLOSE] <fridge> (1)",
        "[WALK] <sink> (1)",
        "[WASH] <apple> (1)",
        "[WALK] <counter> (1)",
        "[PUTIN] <apple> (1) <counter> (1)",
    ];
    let with_script = format!("{kitchen} --script {script}");
    for (game, steps) in [(&kitchen, &warm[..]), (&with_script, &fruit[..])] {
        let run = |more: &[&str]| {
            let own = [&[game.as_str(), "--actor", "monologue"][..], more].concat();
            agent(&folder, "text_world.toml", "text_world.py", &own)
        };
        // Each step by its name.
        folder.file("model.py", model(steps));
        let done = run(&["--oracle", "cmd:python3 model.py"]);
        assert!(done.code == 0 && done.err.contains("the goal is reached"), "{game}: {done:?}");
        // A model at random keeps the laws: it closes what it opened.
        let random = run(&["--oracle", "sim", "--retries", "40", "--turns", "150"]);
        assert!(random.out.contains("(by close)"), "{game}: {random:?}");
        assert!(
            !random.err.contains("hard laws violated") && random.err.contains("failed: 0"),
            "{game}: {random:?}"
        );
    }
    // A program that is not possible in this house.
    folder.file("no.txt", "Fly\n\n[GRAB] <apple> (1)\n");
    let no = format!("{kitchen} --script {}", folder.path().join("no.txt").display());
    let run = agent(&folder, "text_world.toml", "text_world.py", &[&no, "--oracle", "sim"]);
    assert!(run.code != 0 && run.err.contains("line 3 of the program is not possible here"), "{run:?}");
}

#[test]
fn gymnasium_is_played_without_falling_into_a_hole() {
    if !has("gymnasium") {
        return;
    }
    let folder = Folder::new();
    for game in ["FrozenLake --seed 1", "FrozenLake --size 6 --seed 4", "Taxi --seed 3"] {
        let policy = if game.starts_with("Taxi") { "taxi.toml" } else { "frozen_lake.toml" };
        let game = format!("{game} --steps 3000");
        let run = agent(&folder, policy, "gymnasium_world.py", &[&[game.as_str()][..], &RANDOM].concat());
        assert!(run.code == 0 && run.err.contains("failed: 0"), "{game}: {run:?}");
    }
    // Without the laws it falls.
    let free = [&["FrozenLake --seed 1", "--shadow"][..], &RANDOM].concat();
    let run = agent(&folder, "frozen_lake.toml", "gymnasium_world.py", &free);
    assert!(run.code == 1 && run.err.contains("hard laws violated: no-hole"), "{run:?}");
}
