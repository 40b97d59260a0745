//! `check` of games over programs: verdicts, plays, JSON, errors, limits.

use super::Folder;
use crate::readme::root;
use std::fmt::Write;

fn own(name: &str) -> String {
    root().join("specs/programs").join(name).to_string_lossy().into_owned()
}

#[test]
fn verdicts_have_their_exit_codes_and_plays_are_in_numbers() {
    let folder = Folder::new();
    let run = folder.run(["check", &own("robot.rpg")]).exits(0);
    assert!(run.out.starts_with("REALIZABLE\ncertified by "), "{}", run.out);
    let run = folder.run(["check", &own("robot_windy.rpg")]).exits(1);
    assert!(run.out.starts_with("UNREALIZABLE\ncertified by "), "{}", run.out);
    assert!(
        run.out.contains("inputs wind = 2; the system answers [x <- x + wind - 1]\n")
            && run.out.contains("and so on from step"),
        "{}",
        run.out
    );
    let run = folder.run(["check", "--verdict-only", &own("queue.issy"), &own("queue_busy.issy")]).exits(1);
    let lines: Vec<&str> = run.out.lines().collect();
    assert!(lines[0].ends_with("queue.issy: REALIZABLE"), "{}", run.out);
    assert!(lines[1].ends_with("queue_busy.issy: UNREALIZABLE"), "{}", run.out);
    let again = folder.run(["check", &own("robot_windy.rpg")]).exits(1);
    assert_eq!(again.out, folder.run(["check", &own("robot_windy.rpg")]).exits(1).out);
}

#[test]
fn json_has_the_play_as_data() {
    let folder = Folder::new();
    let run = folder.run(["check", "--format", "json", &own("queue_busy.issy")]).exits(1);
    let document = run.json();
    let result = &document["results"][0];
    assert_eq!(result["verdict"], "UNREALIZABLE");
    assert!(result["certificate"]["regions"].as_u64().is_some_and(|regions| regions > 0), "{result}");
    let step = &result["play"][0];
    let waiting = step["state"]["waiting"].as_str().and_then(|text| text.parse::<i64>().ok());
    assert!(waiting.is_some_and(|waiting| waiting >= 1), "{step}");
    assert!(["true", "false"].contains(&step["inputs"]["job"].as_str().expect("an input")), "{step}");
}

#[test]
fn errors_name_file_and_line() {
    let folder = Folder::new();
    folder.file("bad.rpg", "type Safety\noutput x Int\nloc a 1\ninit a\ntrans a sys (((x (* x x))) a)\n");
    let run = folder.run(["check", "bad.rpg"]).exits(2);
    assert!(run.err.contains("bad.rpg:5:") && run.err.contains("not linear"), "{}", run.err);
    folder.file("bad.issy", "state int x\nformula { assert G F [x = ] }\n");
    let run = folder.run(["check", "bad.issy"]).exits(2);
    assert!(run.err.contains("bad.issy:2:") && run.err.contains("expected here"), "{}", run.err);
    folder.file("deep.rpg", format!("type Safety\nloc a 1\ninit a\ntrans a if {}", "(not ".repeat(10_000)));
    let run = folder.run(["check", "deep.rpg"]).exits(2);
    assert!(run.err.contains("nested deeper"), "{}", run.err);
    let run = folder.run(["check", &own("robot.rpg"), "x.tsl"]).exits(2);
    assert!(run.err.contains("checked by themselves"), "{}", run.err);
    folder.run(["check", "missing.issy"]).exits(2);
    folder.file("binary.rpg", "\u{0}\u{1}");
    folder.run(["check", "binary.rpg"]).exits(2);
}

/// Two walkers whose distances depend on each other: no answer within a moment.
#[test]
fn a_limit_is_unknown() {
    let folder = Folder::new();
    let cells = ["a", "b", "c", "d", "e", "f"];
    let (mut outputs, mut options, mut goal) = (String::new(), String::new(), String::new());
    for (at, cell) in cells.iter().enumerate() {
        let other = cells[(at + 1) % cells.len()];
        let _ = writeln!(outputs, "output {cell} Int");
        let _ = writeln!(options, "(({cell} (+ {cell} {other})) ({other} (- {other} (* 2 {cell})))) a");
        let _ = write!(goal, "(= {cell} 7) ");
    }
    let text = format!(
        "type Reach\n{outputs}loc a 0\nloc g 1\ninit a\ntrans a if (and {goal}) then g else sys ({options})\n"
    );
    folder.file("hard.rpg", &text);
    let run = folder.run(["check", "--time-limit", "1s", "hard.rpg"]);
    assert!(matches!(run.code, 1 | 3), "{}: {}", run.code, run.out);
}
