//! Moore machines: inputs are evaluated with a one-step delay in the game, but messages about plays use the actual
//! steps.

use super::Folder;
use crate::gallery;
use std::process::Command;
use tsl_synth_testkit::skip;

/// An echo under the assumption that there is no ring while it sounds.
const ECHO: &str = "INFO { TITLE: \"Echo\" DESCRIPTION: \"\" SEMANTICS: Moore TARGET: Moore }\nMAIN {\n  INPUTS { ring; }\n  \
                    OUTPUTS { echo; }\n  PRESET { !echo; }\n  REQUIRE { !(echo && ring); }\n  ASSERT { X echo <-> ring; }\n}\n";

#[test]
fn a_controller_loses_nothing_that_it_keeps() {
    let spec = gallery::folder().join("tlsf/moore_echo.tlsf");
    let folder = Folder::new();
    let run =
        folder.run(["simulate", spec.to_str().expect("UTF-8"), "--random", "60", "--seed", "1"]).exits(0);
    assert!(!run.out.contains("can no longer be kept"), "{}", run.out);
    assert!(run.out.contains(" call / echo") && run.out.contains(" !call / "), "{}", run.out);
}

#[test]
fn a_broken_assumption_is_told_in_its_step() {
    let folder = Folder::new();
    folder.file("echo.tlsf", ECHO);
    let kept = folder.run_with(["simulate", "echo.tlsf"], "ring\n!ring\nring\n!ring\n").exits(0);
    assert!(!kept.out.contains("broken") && !kept.out.contains("can no longer be kept"), "{}", kept.out);
    let broken = folder.run_with(["simulate", "echo.tlsf"], "!ring\nring\nring\n!ring\n").exits(0);
    let told: Vec<usize> = broken
        .out
        .lines()
        .filter(|line| line.starts_with("   "))
        .enumerate()
        .filter(|(_, line)| line.contains("the assumption") && line.contains("is broken"))
        .map(|(i, _)| i)
        .collect();
    // After the lines of steps 0, 1 and 2.
    assert_eq!(told, [3], "{}", broken.out);
}

#[test]
fn emitted_code_watches_the_same_assumption() {
    let folder = Folder::new();
    folder.file("echo.tlsf", ECHO);
    folder.run(["emit", "echo.tlsf", "--lang", "js", "-o", "echo.mjs"]).exits(0);
    folder.file(
        "play.mjs",
        "import { Controller } from \"./echo.mjs\";\n\
         for (const word of [[true, false, true, false], [false, true, true, false]]) {\n  \
         const echo = new Controller();\n  let steps = 0;\n  \
         try { for (const ring of word) { echo.step({ ring }); steps += 1; } } catch { }\n  console.log(steps);\n}\n",
    );
    let Ok(output) = Command::new("node").arg("play.mjs").current_dir(folder.path()).output() else {
        assert!(std::env::var_os("CI").is_none(), "node does not start");
        return skip("node is not there");
    };
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "4\n2\n",
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}
