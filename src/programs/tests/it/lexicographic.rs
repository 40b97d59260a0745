//! Loops whose distances fall lexicographically, and goals behind a change of phase, in families of games.

use crate::winner_of;
use tsl_synth_programs::{ProgramLanguage, Winner};

/// Counters x0, x1, ...: each falls only when those after it are at most 0, and sets the next one to anything.
fn nested(count: usize, outermost: &str) -> String {
    let outputs: Vec<String> = (0..count).map(|i| format!("output x{i} Int")).collect();
    let outputs = outputs.join("\n");
    let steps = (1..count).rev().map(|at| {
        let next = if at + 1 < count { format!(" (x{} d)", at + 1) } else { String::new() };
        format!("if (> x{at} 0) then sys (((x{at} (- x{at} 1)){next}) run) else ")
    });
    let step = steps.collect::<Vec<String>>().concat();
    format!(
        "type Reach\ninput d Int\n{outputs}\nloc run 0\nloc goal 1\ninit run
trans run if (<= x0 0) then goal else {step} sys (({outermost} (x1 d)) run)\n"
    )
}

#[test]
fn distances_fall_lexicographically() {
    for count in [2, 3] {
        let text = nested(count, "(x0 (- x0 1))");
        assert_eq!(winner_of(text, ProgramLanguage::Rpg), Some(Winner::System), "{count}");
        let text = nested(count, "(x0 (+ x0 1))");
        assert_eq!(winner_of(text, ProgramLanguage::Rpg), Some(Winner::Environment), "{count}");
    }
}

/// The environment chooses which of two positive numbers falls, and what becomes of the other one.
#[test]
fn either_number_falls() {
    for (first, second, expected) in [
        ("((x (- x 1)))", "((y (- y 1)))", Winner::System),
        ("((x (- x 1)) (y d))", "((y (- y 2)))", Winner::System),
        ("((x (- x 1)) (y (+ y 1)))", "((y (- y 2)))", Winner::System),
        ("((x (- x 1)) (y d))", "((y (- y 1)) (x d))", Winner::Environment),
        ("((x (- x 1)) (y (+ y 1)))", "((y (- y 1)) (x (+ x 1)))", Winner::Environment),
    ] {
        let text = format!(
            "type Reach\ninput which Bool\ninput d Int\noutput x Int\noutput y Int\nloc run 0\nloc goal 1\ninit run
trans run if (or (<= x 0) (<= y 0)) then goal else if which then sys ({first} run) else sys ({second} run)\n"
        );
        assert_eq!(winner_of(text, ProgramLanguage::Rpg), Some(expected), "{first} {second}");
    }
}

/// A number has to pass a mark before it may fall; which phase it is in is the value of a cell.
#[test]
fn phases_are_values_of_cells() {
    for mark in [3, 100, 100_000] {
        for (down, expected) in [("(- x 1)", Winner::System), ("(+ x 0)", Winner::Environment)] {
            let text = format!(
                "type Reach\noutput x Int\noutput up Bool\nloc start 0\nloc run 0\nloc goal 1\ninit start
trans start sys (((up true)) run)
trans run if (and (not up) (<= x 0)) then goal else if (and up (>= x {mark})) then sys (((up false)) run) else
  if up then sys (((x (+ x 1))) run) else sys (((x {down})) run)\n"
            );
            assert_eq!(winner_of(text, ProgramLanguage::Rpg), Some(expected), "{mark} {down}");
        }
    }
}
