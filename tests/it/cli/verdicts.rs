//! Verdicts and exit codes of `check`.

use super::{BROKEN, Folder, REALIZABLE, UNREALIZABLE};
use std::time::{Duration, Instant};

#[test]
fn exit_codes_follow_the_table() {
    let folder = Folder::new();
    folder.file("yes.tsl", REALIZABLE);
    folder.file("no.tsl", UNREALIZABLE);
    folder.file("broken.tsl", BROKEN);
    let run = folder.run(["check", "yes.tsl"]).exits(0);
    assert_eq!(run.out.lines().next(), Some("REALIZABLE"));
    let run = folder.run(["check", "no.tsl"]).exits(1);
    assert_eq!(run.out.lines().next(), Some("UNREALIZABLE"));
    let run = folder.run(["check", "broken.tsl"]).exits(2);
    assert!(run.out.is_empty() && run.err.contains("broken.tsl:2:"), "{run:?}");
    let run = folder.run(["check", "--time-limit", "0s", "yes.tsl"]);
    assert!(
        matches!((run.code, run.out.lines().next()), (0, Some("REALIZABLE")) | (3, Some("UNKNOWN"))),
        "{run:?}"
    );
    folder.run(["check", "--frobnicate"]).exits(2);
    folder.run(["frobnicate"]).exits(2);
    folder.run(["--help"]).exits(0);
    folder.run(["--version"]).exits(0);
}

#[test]
fn the_reason_names_the_clauses_and_a_play() {
    let folder = Folder::new();
    folder.file("no.tsl", UNREALIZABLE);
    let run = folder.run(["check", "no.tsl"]).exits(1);
    for part in ["in no.tsl", "1.  2:3 ", "2.  3:3 ", "go -> [x <- a()]", "`go` and `stop` true", "step 0"] {
        assert!(run.out.contains(part), "{part} is missing:\n{}", run.out);
    }
    assert!(!run.out.contains("4:3"), "the third guarantee has nothing to do with it:\n{}", run.out);
}

#[test]
fn a_story_that_may_start_in_the_cave() {
    let folder = Folder::new();
    let spec = concat!(env!("CARGO_MANIFEST_DIR"), "/specs/adventure/cave.tsl");
    let run = folder.run(["check", spec]).exits(1);
    let sentence = "The environment may start with `inCave(summary)` true and `inMarket(summary)` false, and \
                    then `(!inCave(summary)) W inMarket(summary)` fails at step 0, whatever the system does.";
    let told = run.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains(sentence), "{told}");
}

#[test]
fn the_codes_of_the_competition() {
    let folder = Folder::new();
    folder.file("yes.tsl", REALIZABLE);
    folder.file("no.tsl", UNREALIZABLE);
    folder.file("broken.tsl", BROKEN);
    folder.run(["check", "--exit-code", "syntcomp", "yes.tsl"]).exits(10);
    folder.run(["check", "--exit-code", "syntcomp", "no.tsl"]).exits(20);
    folder.run(["check", "--exit-code", "syntcomp", "broken.tsl"]).exits(2);
}

#[test]
fn each_file_by_itself_and_the_worst_exit() {
    let folder = Folder::new();
    folder.file("yes.tsl", REALIZABLE);
    folder.file("no.tsl", UNREALIZABLE);
    folder.file("broken.tsl", BROKEN);
    let run = folder.run(["check", "--each", "yes.tsl", "no.tsl"]).exits(1);
    assert_eq!(run.out.lines().next(), Some("REALIZABLE"));
    assert!(run.out.contains("\n\nUNREALIZABLE\nspec: no.tsl\n"), "{}", run.out);
    folder.run(["check", "--each", "broken.tsl", "no.tsl", "yes.tsl"]).exits(2);
    let run = folder.run(["check", "--each", "--format", "json", "yes.tsl", "broken.tsl"]).exits(2);
    assert_eq!(run.json()["results"].as_array().map(Vec::len), Some(2));
}

#[test]
fn several_files_are_one_specification() {
    let folder = Folder::new();
    folder.file("a.tsl", "always guarantee { go -> [x <- a()]; }");
    folder.file("b.tsl", "always guarantee { stop -> [x <- b()]; }");
    folder.run(["check", "a.tsl"]).exits(0);
    folder.run(["check", "b.tsl"]).exits(0);
    let run = folder.run(["check", "a.tsl", "b.tsl"]).exits(1);
    assert!(run.out.contains("a.tsl:1:20") && run.out.contains("b.tsl:1:20"), "{}", run.out);
}

#[test]
fn ltl_from_the_command_line_and_from_standard_input() {
    let folder = Folder::new();
    let game = ["check", "--ins", "r", "--outs", "g"];
    folder.run(game.iter().copied().chain(["--formula", "G (r -> X g)"])).exits(0);
    folder.run(game.iter().copied().chain(["--formula", "G (g <-> X r)"])).exits(1);
    folder.run(["check", "--ins", "/^r/", "--formula", "G (r1 -> F g)"]).exits(0);
    let run = folder
        .run_with(["check", "--input-format", "ltl", "-"], "// inputs: r\n// outputs: g\nG (g <-> X r)\n");
    let run = run.exits(1);
    assert!(run.out.contains("<stdin>:3:1"), "{}", run.out);
    folder.run_with(["check", "-"], "G a").exits(2);
    folder.run_with(["check", "--input-format", "tsl", "-"], REALIZABLE).exits(0);
}

#[test]
fn questionable_contracts_are_told_and_denied() {
    let folder = Folder::new();
    folder.file(
        "vacuous.tsl",
        "always assume { go; ! go; }\nalways guarantee { [x <- a()]; stop -> [x <- b()]; }\n",
    );
    let run = folder.run(["check", "vacuous.tsl"]).exits(0);
    assert!(run.err.contains("TSL0301"), "{}", run.err);
    folder.run(["check", "--deny", "vacuous.tsl"]).exits(1);
    folder.run(["check", "--deny=TSL0301", "vacuous.tsl"]).exits(1);
    folder.run(["check", "--deny=TSL0302", "vacuous.tsl"]).exits(0);
    folder.file(
        "cheat.tsl",
        "always assume { [x <- a()] || go; }\nalways guarantee { F [y <- b()]; [y <- y]; }\n",
    );
    let run = folder.run(["check", "cheat.tsl"]);
    assert_eq!(run.code, 1, "the environment keeps `go`: {run:?}");
    folder
        .file("cheat.tsl", "always assume { F [x <- a()]; }\nalways guarantee { F [y <- b()]; [y <- y]; }\n");
    let run = folder.run(["check", "cheat.tsl"]).exits(0);
    assert!(run.err.contains("TSL0303"), "{}", run.err);
    folder.run(["check", "--deny", "cheat.tsl"]).exits(1);
    folder.file("twice.tsl", "always guarantee { go -> [x <- a()]; (go && stop) -> [x <- a()]; }");
    let run = folder.run(["check", "twice.tsl"]).exits(0);
    assert!(run.err.contains("TSL0304") && run.err.contains("twice.tsl:1:38"), "{}", run.err);
    let run = folder.run(["check", "-q", "twice.tsl"]).exits(0);
    assert!(run.err.is_empty(), "{}", run.err);
}

#[test]
fn the_same_call_prints_the_same_bytes() {
    let folder = Folder::new();
    folder.file("no.tsl", UNREALIZABLE);
    let first = folder.run(["check", "--deterministic", "no.tsl"]).exits(1);
    for threads in ["1", "2"] {
        let again = folder.run(["check", "--deterministic", "--threads", threads, "no.tsl"]).exits(1);
        assert_eq!((&first.out, &first.err), (&again.out, &again.err));
    }
}

/// A game that no engine solves soon: many clients, each of which is served by two cells.
fn long_game() -> String {
    use std::fmt::Write;
    let mut text = String::from("always guarantee {\n");
    for i in 0..24 {
        let other = (i * 5) % 24;
        let _ = writeln!(text, "  ask{i} -> X X X X X F ([turn <- c{i}()] && X X X [hand <- c{other}()]);");
        let _ = writeln!(text, "  (ask{i} && X ! ask{i}) -> X X X X ! [turn <- c{i}()];");
        let _ = writeln!(text, "  [turn <- c{i}()] -> F [hand <- c{i}()];");
    }
    text.push_str("}\n");
    text
}

#[cfg(unix)]
#[test]
fn an_interrupt_is_obeyed_at_once() {
    let folder = Folder::new();
    folder.file("long.tsl", long_game());
    let mut child =
        folder.command(["check", "long.tsl", "-o", "out.txt"]).spawn().expect("the binary starts");
    std::thread::sleep(Duration::from_millis(400));
    assert!(child.try_wait().expect("a child").is_none(), "the game is over too soon to be interrupted");
    let start = Instant::now();
    let pid = child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-INT", &pid]).status().expect("kill").success());
    let status = child.wait().expect("the binary ends");
    // The documented limit is 200 ms; a busy machine may take longer.
    assert!(start.elapsed() < Duration::from_secs(1), "{:?}", start.elapsed());
    assert_eq!(status.code(), Some(130));
    assert!(!folder.path().join("out.txt").exists());
}

#[test]
fn the_time_limit_is_obeyed() {
    let folder = Folder::new();
    folder.file("long.tsl", long_game());
    let start = Instant::now();
    let run = folder.run(["check", "--time-limit", "500ms", "long.tsl"]).exits(3);
    assert!(start.elapsed() < Duration::from_secs(4), "{:?}", start.elapsed());
    assert_eq!(run.out.lines().next(), Some("UNKNOWN"));
    assert!(run.out.contains("time limit"), "{}", run.out);
}

#[test]
fn every_hint_has_its_level() {
    let folder = Folder::new();
    folder.file("no.tsl", UNREALIZABLE);
    let none = folder.run(["check", "--hints", "none", "no.tsl"]).exits(1);
    assert!(none.out.starts_with("UNREALIZABLE\n") && !none.out.contains("Counterexample"), "{none:?}");
    let brief = folder.run(["check", "no.tsl"]).exits(1);
    assert!(brief.out.contains("Counterexample") && brief.out.contains("Possible repairs"), "{brief:?}");
    let full = folder.run(["check", "--hints", "full", "no.tsl"]).exits(1);
    let part = |text: &str| text[..text.find("Possible repairs").expect("repairs")].to_string();
    assert_eq!(part(&brief.out), part(&full.out));
    folder.run(["check", "--hints", "none", "--verdict-only", "no.tsl"]).exits(2);
}

#[test]
fn a_limit_after_the_verdict_ends_with_what_is_known() {
    let folder = Folder::new();
    // The verdict is immediate; with `--hints full` the explanation takes longer than the time limit.
    let clause = |i: usize| format!("G (r{i} -> X g{i})\nG (r{i} -> F !g{i})\n");
    let clauses = (0..12).map(clause).collect::<Vec<_>>().concat();
    let conflict = (0..12).map(|i| format!("g{i}")).collect::<Vec<_>>().join(" + ").replace(" + ", " && ");
    folder.file("long.ltl", format!("{clauses}G !({conflict})\nG (b -> X !g0)\n"));
    let arguments = ["check", "--hints", "full", "--time-limit", "1s", "--ins", "/r|b/", "long.ltl"];
    let run = folder.run(arguments).exits(1);
    assert!(run.out.starts_with("UNREALIZABLE\n") && run.out.contains("certified by"), "{run:?}");
    if !run.out.contains("Possible repairs") {
        assert!(run.out.contains("explanation incomplete: the time limit was reached"), "{run:?}");
    }
}

#[test]
fn denied_findings_are_waited_for() {
    let folder = Folder::new();
    folder.file("vacuous.ltl", "assume { G a; F !a }\nG (a -> b)\n");
    let arguments = ["check", "--outs", "b", "--deny=loud", "vacuous.ltl"];
    folder.run(arguments).exits(1);
    folder.run(["check", "--outs", "b", "--deny=loud", "--hints", "none", "vacuous.ltl"]).exits(1);
    folder.run(["check", "--outs", "b", "vacuous.ltl"]).exits(0);
    folder.file("fine.ltl", "assume { G F a }\nG (a -> b)\n");
    folder.run(["check", "--outs", "b", "--deny=loud", "fine.ltl"]).exits(0);
}

#[test]
fn assumptions_of_ltl_stand_in_sections() {
    let folder = Folder::new();
    folder.file("no.ltl", "G (req -> X grant)\nG (block -> !grant)\n");
    let run = folder.run(["check", "--outs", "grant", "no.ltl"]).exits(1);
    let section = "assume { G (req -> X !block) }";
    assert!(run.out.contains(section), "{}", run.out);
    folder.file("yes.ltl", format!("G (req -> X grant)\nguarantee {{ G (block -> !grant); }}\n{section}\n"));
    folder.run(["check", "--outs", "grant", "yes.ltl"]).exits(0);
    for (wrong, place) in [("assume { a", ":1:1"), ("assume { guarantee { a } }", ":1:10"), ("a }", ":1:3")] {
        folder.file("wrong.ltl", wrong);
        let run = folder.run(["check", "--outs", "a", "wrong.ltl"]).exits(2);
        assert!(run.err.contains(&format!("wrong.ltl{place}")), "{run:?}");
    }
    folder.file("tsl.ltl", "always guarantee { a -> [x <- b]; }");
    let run = folder.run(["check", "tsl.ltl"]).exits(2);
    assert!(run.err.contains("this text is TSL") && run.err.matches("error").count() == 1, "{run:?}");
}

/// An interrupt after the verdict ends the explanation with what is known.
#[cfg(unix)]
#[test]
fn an_interrupt_after_the_verdict_tells_what_is_known() {
    use std::io::{BufRead, BufReader, Read};
    let folder = Folder::new();
    // A core of many guarantees, which `--hints full` takes long to minimize.
    let answer = |i: usize| format!("G (r{i} -> F g{i})\nG (g{i} -> X !g{i})\n");
    let exclusive = |i: usize| (0..i).map(|j| format!("G !(g{i} && g{j})\n")).collect::<Vec<_>>().concat();
    let all: Vec<String> = (0..9).map(|i| answer(i) + &exclusive(i)).collect();
    folder.file("long.ltl", format!("{}G (b -> X X X g0 && X X X g1)\n", all.concat()));
    let mut child = folder
        .command(["check", "--hints", "full", "--ins", "/r|b/", "long.ltl"])
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let mut out = BufReader::new(child.stdout.take().expect("piped"));
    let mut first = String::new();
    out.read_line(&mut first).expect("the verdict");
    assert_eq!(first, "UNREALIZABLE\n");
    let sent = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(sent.expect("kill").success());
    let mut rest = String::new();
    out.read_to_string(&mut rest).expect("what is known");
    let code = child.wait().expect("an end").code();
    // On a machine where everything is known before the signal arrives nothing was interrupted.
    assert!(code == Some(130) && rest.contains("interrupted") || code == Some(1), "{code:?}: {rest}");
    assert!(rest.contains("certified by"), "{rest}");
}

#[test]
fn what_is_unknown_comes_with_advice() {
    let folder = Folder::new();
    folder.file(
        "open.ltl",
        "// inputs: r\n// outputs: g\nG (r -> X X g)\nG (r -> X X X X (g | F r))\nG F !g\n",
    );
    let run = folder.run(["check", "--bound", "0", "open.ltl"]).exits(3);
    for part in ["UNKNOWN\n", "What to try:", "a larger bound than 0", "no `--bound`"] {
        assert!(run.out.contains(part), "{part} is missing: {}", run.out);
    }
    let json = folder.run(["check", "--bound", "0", "--format", "json", "open.ltl"]).exits(3);
    let document: serde_json::Value = serde_json::from_str(&json.out).expect("JSON");
    let advice = &document["results"][0]["advice"];
    assert_eq!(advice["weights"].as_array().expect("clauses").len(), 3, "{json:?}");
    assert!(advice["weights"][0]["states"].as_u64().is_some_and(|states| states > 1), "{json:?}");
    assert_eq!(advice["suggestions"].as_array().expect("suggestions").len(), 2, "{json:?}");
    let explained = folder.run(["explain", "--bound", "0", "open.ltl"]).exits(3);
    assert!(explained.out.contains("What to try:"), "{explained:?}");
    // The advice is right: without the bound there is an answer, and then there is no advice.
    let decided = folder.run(["check", "open.ltl"]);
    assert!(matches!(decided.code, 0 | 1) && !decided.out.contains("What to try"), "{decided:?}");
}

#[test]
fn heavy_clauses_are_named_when_the_time_is_over() {
    let folder = Folder::new();
    for n in [1, 10, 50] {
        folder.file("long.tsl", long_game());
        let easy: Vec<String> =
            (0..n).map(|i| format!("always guarantee {{ easy{i} -> [e{i} <- on()]; }}\n")).collect();
        let easy = easy.concat();
        folder.file("easy.tsl", easy);
        let run = folder
            .run(["check", "--time-limit", "500ms", "--format", "json", "long.tsl", "easy.tsl"])
            .exits(3);
        let document: serde_json::Value = serde_json::from_str(&run.out).expect("JSON");
        let advice = &document["results"][0]["advice"];
        let weights = advice["weights"].as_array().unwrap_or_else(|| panic!("{}", run.out));
        let all: Vec<u64> =
            weights.iter().map(|weight| weight["states"].as_u64().unwrap_or(u64::MAX)).collect();
        assert!(all.windows(2).all(|pair| pair[0] >= pair[1]), "heavy ones first: {all:?}");
        assert!(weights.len() > n, "{weights:?}");
        let suggestions = advice["suggestions"].to_string();
        assert!(suggestions.contains("a longer `--time-limit`"), "{suggestions}");
        assert!(!suggestions.contains("--bound"), "{suggestions}");
    }
}

#[test]
fn an_explanation_that_is_cut_short_keeps_the_verdict() {
    let folder = Folder::new();
    let clause = |i: usize| format!("G (r{i} -> X g{i})\nG (r{i} -> F !g{i})\n");
    let clauses = (0..12).map(clause).collect::<Vec<_>>().concat();
    let conflict = (0..12).map(|i| format!("g{i}")).collect::<Vec<_>>().join(" && ");
    folder.file("long.ltl", format!("{clauses}G !({conflict})\nG (b -> X !g0)\n"));
    let run = folder.run(["explain", "--time-limit", "10s", "--ins", "/r|b/", "long.ltl"]).exits(1);
    assert!(run.out.starts_with("UNREALIZABLE\n") && run.out.contains("certified by"), "{run:?}");
    if !run.out.contains("Possible repairs") {
        assert!(run.out.contains("explanation incomplete: the time limit was reached"), "{run:?}");
    }
}
