//! Plays, reasons and repairs of unrealizable contracts over numbers: what is shown obeys the text.

use crate::cli::Folder;
use serde_json::Value;

fn document(folder: &Folder, verb: &str, file: &str) -> Value {
    let run = folder.run([verb, file, "--format", "json"]).exits(1);
    let document: Value = serde_json::from_str(&run.out).expect("JSON");
    if verb == "check" { document["results"][0].clone() } else { document }
}

/// The value of a term such as `x - 2`, `2 * x` or `x + i` for values of the names.
fn value(term: &str, of: &dyn Fn(&str) -> i64) -> i64 {
    let number = |text: &str| text.parse().unwrap_or_else(|_| of(text));
    let words: Vec<&str> = term.split(' ').collect();
    match words.as_slice() {
        [one] => number(one),
        [a, "+", b] => number(a) + number(b),
        [a, "-", b] => number(a) - number(b),
        [a, "*", b] => number(a) * number(b),
        _ => panic!("{term}"),
    }
}

/// The steps of a play, each of whose updates is followed, within the bounds of the cell `x`. Returns their number.
fn replayed(play: &Value, most: i64, text: &str) -> usize {
    let steps = play["steps"].as_array().unwrap_or_else(|| panic!("no play\n{text}"));
    let number = |step: &Value, name: &str| -> i64 {
        let found = step["numbers"][name].as_str().unwrap_or_else(|| panic!("{name}: {step}\n{text}"));
        found.parse().expect("an integer")
    };
    for (at, step) in steps.iter().enumerate() {
        assert!((0..=most).contains(&number(step, "x")), "step {at}: {play}\n{text}");
        assert!((0..=2).contains(&number(step, "i")), "step {at}: {play}\n{text}");
        if let (Some(term), Some(next)) = (step["updates"]["x"].as_str(), steps.get(at + 1)) {
            assert_eq!(
                value(term, &|name| number(step, name)),
                number(next, "x"),
                "step {at}: {play}\n{text}"
            );
        }
    }
    steps.len()
}

const HEAD: &str = "input i: Int in 0..2;\ninput a: Bool;\n";

#[test]
fn plays_keep_bounds_and_end_where_a_guarantee_is_lost() {
    let folder = Folder::new();
    for most in [7, 20, 1_000] {
        for (goal, steps) in [
            ("(i <= 3) -> G for 3 (i <= (-1))", 1),
            ("a -> X[2] (i < 0)", 3),
            ("a -> X[4] (i < 0 && x != 5)", 5),
        ] {
            let text = format!(
                "{HEAD}cell x: Int in 0..{most} = 0;\nalways assume {{ F (i = 2); i != 1; }}\nalways guarantee {{
  [x <- max (x - 2) 0] || [x <- 2 * x] || [x <- min (x + 3) {most}] || [x <- x];\n  {goal};\n}}\n"
            );
            folder.file("play.tsl", &text);
            let result = document(&folder, "check", "play.tsl");
            assert_eq!(replayed(&result["play"], most, &text), steps, "{result}\n{text}");
            if steps > 1 && most > 7 {
                continue;
            }
            let shown = folder.run(["check", "play.tsl"]).exits(1).out;
            assert!(shown.contains("no answer helps"), "{shown}");
            // What only the translation knows is not shown.
            assert!(!shown.contains("past") && !result["play"].to_string().contains("past"), "{shown}");
        }
    }
}

#[test]
fn plays_of_programs_name_the_transitions() {
    let folder = Folder::new();
    for most in [5, 100, 100_000] {
        let text = format!(
            "input int d\nstate int x\nformula {{ assume G ([0 <= d] && [d <= 3])
  assert G ([0 <= x] && [x <= {most}])\n  assert G F [x = {most}]\n  assert G F [x = 0] }}
game Safety from a {{\n  loc a 1\n  from a to a with [x' = x + d] || [x' = x - 1] || keep(x) }}\n"
        );
        folder.file("steps.issy", text);
        let run = folder.run(["check", "steps.issy"]).exits(1);
        let steps: Vec<&str> = run.out.lines().filter(|line| line.contains(": inputs")).collect();
        assert!(!steps.is_empty(), "{}", run.out);
        for step in steps {
            let is_named = ["[x <- x + d]", "[x <- x - 1]", "[x <- -1 + x]", "no change", "no answer helps"];
            assert!(is_named.iter().any(|name| step.contains(name)), "{}", run.out);
        }
        // Lost from the start: that is said, too.
        let text = format!(
            "input int d\nstate int x\nformula {{ assert F [x = {most}] }}\ngame Safety from a {{
  loc a 1 with [x = 0]\n  from a to a with [0 <= d] && [d <= 3] && ([x' = x + d]) }}\n"
        );
        folder.file("start.issy", text);
        let run = folder.run(["check", "start.issy"]).exits(1);
        assert!(run.out.contains("1. at a with x = 0"), "{}", run.out);
    }
}

#[test]
fn reasons_name_what_the_environment_chooses() {
    let folder = Folder::new();
    for most in [7, 12] {
        let text = format!(
            "input i: Int in 0..2;\ncell x: Int in 0..{most} = 0;\nalways guarantee {{
  [x <- max (x - 2) 0] || [x <- x + i];\n  F (x = 3);\n}}\n"
        );
        folder.file("inputs.tsl", text);
        let run = folder.run(["check", "inputs.tsl"]).exits(1);
        if run.out.contains("may keep") {
            assert!(run.out.contains("by its choice of `i`"), "{}", run.out);
        }
        assert!(run.out.contains("i = "), "{}", run.out);
    }
}

#[test]
fn explanations_of_games_over_numbers_say_what_holds() {
    let folder = Folder::new();
    for (most, shows_text) in [(7, true), (9, false)] {
        let text = format!(
            "input i: Int in 0..2;\ncell x: Int in 0..{most} = 0;\nalways guarantee {{
  [x <- max (x - 2) 0] || [x <- x + 1];\n  F (x = 3);\n  i > 0 -> G for 3 (i = 0);\n}}\n"
        );
        folder.file("lost.tsl", text);
        if shows_text {
            let run = folder.run(["explain", "lost.tsl"]).exits(1);
            assert!(!run.out.contains("could be kept by itself"), "{}", run.out);
            assert!(run.out.contains("cannot be kept from step 0"), "{}", run.out);
            // Both are right by the game over numbers.
            assert!(run.out.contains("drop `always i > 0"), "{}", run.out);
            assert!(run.out.contains("always assume {"), "{}", run.out);
            continue;
        }
        let result = document(&folder, "explain", "lost.tsl");
        for repair in result["repairs"].as_array().expect("repairs") {
            let Some(assumed) = repair["assume"][0].as_str() else { continue };
            let whole = std::fs::read_to_string(folder.path().join("lost.tsl")).expect("the text");
            folder.file("repaired.tsl", format!("{whole}{assumed}\n"));
            folder.run(["check", "repaired.tsl"]).exits(0);
        }
    }
}

#[test]
fn repairs_have_no_comparison_that_the_bounds_decide() {
    let folder = Folder::new();
    for most in [1, 3, 50] {
        let text = format!(
            "input i: Bool;\ninput k: Int in 0..{most};\noutput o: Bool;\nalways guarantee {{ k > 0 -> k = 0; F o; }}\n"
        );
        folder.file("bounds.tsl", text);
        for verb in ["check", "explain"] {
            let result = document(&folder, verb, "bounds.tsl");
            let repairs = result[if verb == "check" { "hints" } else { "repairs" }].to_string();
            assert!(
                repairs.contains("k = 0") || repairs.contains("k > 0") || repairs.contains("k <= 0"),
                "{result}"
            );
            for part in [
                format!("k > {most}"),
                format!("k <= {most}"),
                "0 > k".into(),
                "0 <= k".into(),
                "k < 0".into(),
            ] {
                assert!(!repairs.contains(&part), "{part}: {repairs}");
            }
        }
    }
}
