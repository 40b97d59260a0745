//! `agent`, `explain RECORD` and `experiment` as a user calls them.

use super::{Folder, Run};
use serde_json::Value;

const SPEC: &str = "always assume { [said <- greet(name)] -> X greeted(said); }
always guarantee { hungry -> ![said <- greet(name)]; F [said <- greet(name)]; }
always assume { F !hungry; }
";

fn folder() -> Folder {
    let folder = Folder::new();
    folder.file("host.tsl", SPEC);
    folder.file(
        "host.prompts.toml",
        "[generator]\nprompt = 'You are a host.'\n[functions]\ngreet = 'Greet the guest.'\n[predicates]\n\
         greeted = 'Is somebody greeted?'\nhungry = { prompt = 'Is the guest hungry?', about = 'message' }\n",
    );
    folder
}

fn agent(folder: &Folder, more: &[&str]) -> Run {
    folder.run(["agent", "host.tsl"].iter().chain(more))
}

#[test]
fn a_game_is_recorded_replayed_explained_and_counted() {
    let folder = folder();
    let run = agent(&folder, &["--oracle", "sim", "--turns", "6", "--record", "game.jsonl"]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.out.contains("Turn 5"), "{}", run.out);
    let replayed = folder.run(["agent", "--replay", "game.jsonl", "-q"]);
    assert_eq!(replayed.code, 0, "{}", replayed.err);
    assert!(replayed.err.contains("the same"), "{}", replayed.err);
    let text = std::fs::read_to_string(folder.path().join("game.jsonl")).expect("a record");
    let turns: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("JSON lines"))
        .filter(|line| line["turn"].is_object())
        .collect();
    assert_eq!(turns.len(), 6);
    for turn in 0..6 {
        let explained = folder.run(["explain", "game.jsonl", "--turn", &turn.to_string()]);
        assert_eq!(explained.code, 0, "{}", explained.err);
        assert!(explained.out.contains(&format!("In turn {turn} the controller chose")), "{}", explained.out);
    }
    let json = folder.run(["explain", "game.jsonl", "--format", "json"]);
    let json: Value = serde_json::from_str(&json.out).expect("JSON");
    assert_eq!(json["turn"], 5);
    let none = folder.run(["explain", "game.jsonl", "--turn", "99"]);
    assert_eq!(none.code, 2);
    assert!(none.err.contains("6 turns"), "{}", none.err);
    let stats = folder.run(["agent", "stats", "game.jsonl", "game.jsonl", "--format", "json"]);
    assert_eq!(stats.code, 0, "{}", stats.err);
    let stats: Value = serde_json::from_str(&stats.out).expect("JSON");
    assert_eq!((&stats["runs"], &stats["kept"], &stats["turns"]), (&2.into(), &2.into(), &12.into()));
    // A record is not replayed after its specification was changed.
    folder.file("host.tsl", format!("{SPEC}// Changed.\n"));
    let changed = folder.run(["agent", "--replay", "game.jsonl", "-q"]);
    assert_eq!(changed.code, 1);
    assert!(changed.err.contains("changed"), "{}", changed.err);
}

#[test]
fn records_that_were_changed_by_hand_are_refused() {
    let folder = folder();
    agent(&folder, &["--oracle", "sim", "--turns", "3", "--record", "game.jsonl"]);
    let text = std::fs::read_to_string(folder.path().join("game.jsonl")).expect("a record");
    for state in ["99999", "99999999999"] {
        folder.file("other.jsonl", text.replace("\"state\":0", &format!("\"state\":{state}")));
        let run = folder.run(["explain", "other.jsonl", "--turn", "0"]);
        assert_eq!(run.code, 2, "{}", run.err);
        assert!(run.err.contains(&format!("no state {state}")), "{}", run.err);
    }
    // `--record` never overwrites a file of the agent.
    let run = agent(&folder, &["--oracle", "sim", "--record", "host.tsl"]);
    assert_eq!(run.code, 2, "{}", run.err);
    assert_eq!(std::fs::read_to_string(folder.path().join("host.tsl")).expect("it is there"), SPEC);
}

#[test]
fn a_person_plays_the_model() {
    let folder = folder();
    let run = folder.run_with(
        ["agent", "host.tsl", "--oracle", "tty", "--turns", "2", "--record", "game.jsonl"],
        "I am here.\nn\nWelcome!\n\nThank you.\ny\nn\n",
    );
    assert_eq!(run.code, 0, "{}\n{}", run.out, run.err);
    assert!(run.err.contains("Is the guest hungry?"), "{}", run.err);
    assert!(run.err.contains("Greet the guest."), "{}", run.err);
    let record = std::fs::read_to_string(folder.path().join("game.jsonl")).expect("a record");
    assert!(record.contains("Welcome!"), "{record}");
}

#[test]
fn what_is_wrong_is_said() {
    let folder = folder();
    let wrong = |args: &[&str], words: &str| {
        let run = folder.run(args);
        assert_eq!(run.code, 2, "{args:?}: {}", run.err);
        assert!(run.err.contains(words), "{args:?}: {}", run.err);
    };
    wrong(&["agent", "host.tsl"], "--oracle tty");
    wrong(&["agent", "host.tsl", "--oracle", "sim:luck=1"], "there is no rate `luck`");
    wrong(&["agent", "host.tsl", "--oracle", "sim:success=2"], "is no rate");
    wrong(&["agent", "host.tsl", "--oracle", "banana"], "is no oracle");
    wrong(&["agent", "host.tsl", "--oracle", "sim", "--task", "x"], "about behaviors");
    wrong(&["agent", "host.tsl", "--oracle", "sim", "--record", "no/such/folder"], "cannot write");
    wrong(&["agent", "nobody.tsl", "--oracle", "sim"], "no such file");
    wrong(&["agent", "--replay", "nothing.jsonl"], "cannot read");
    wrong(&["explain", "host.tsl", "--turn", "1"], "line 1");
    folder.file("torn.jsonl", "banana\n");
    wrong(&["agent", "stats", "torn.jsonl"], "line 1");
    folder.file("host.prompts.toml", "[functions]\ngreet = 7\n");
    wrong(&["agent", "host.tsl", "--oracle", "sim"], "host.prompts.toml:2");
    folder.file("host.prompts.toml", "[predicates]\ngretted = 'Is somebody greeted?'\n");
    let run = agent(&folder, &["--oracle", "sim", "--turns", "1"]);
    assert!(run.err.contains("TSL0461") && run.err.contains("did you mean `greeted`"), "{}", run.err);
    folder.file("never.tsl", "guarantee { a; !a; }");
    let run = folder.run(["agent", "never.tsl", "--oracle", "sim"]);
    assert_eq!(run.code, 1, "{}", run.err);
}

#[test]
fn hostile_texts_of_models_do_not_reach_the_terminal() {
    let folder = folder();
    folder.file(
        "script.jsonl",
        "{\"kind\":\"predicate\",\"repeat\":true,\"answer\":false}\n\
         {\"kind\":\"generate\",\"repeat\":true,\"answer\":\"hi \\u001b[31m there \\u202e\"}\n",
    );
    let run = agent(&folder, &["--oracle", "script:script.jsonl", "--turns", "1"]);
    assert!(run.out.contains("hi \\u{1b}[31m there"), "{}", run.out);
    assert!(!run.out.contains('\u{1b}') && !run.err.contains('\u{1b}'));
}

#[test]
fn tables_of_other_programs_are_judged() {
    let folder = folder();
    folder.file(
        "log.csv",
        "Run,Step,Greeted,Hungry,Update\n1,0,0,0,greet\n1,1,1,0,greet\n2,0,0,1,greet\n2,1,1,0,greet\n3,0,0,0,greet\n3,1,0,1,greet\n",
    );
    let run = folder.run(["agent", "stats", "log.csv", "--spec", "host.tsl", "--format", "json"]);
    assert_eq!(run.code, 1, "{}", run.err);
    let stats: Value = serde_json::from_str(&run.out).expect("JSON");
    assert_eq!((&stats["runs"], &stats["kept"]), (&3.into(), &1.into()));
    let violations = stats["violations"].as_array().expect("violations");
    assert_eq!(violations.len(), 2);
    assert!(violations[0]["broken"].is_null() && violations[0]["run"] == "2");
    assert_eq!((&violations[1]["run"], &violations[1]["brokenIn"]), (&"3".into(), &1.into()));
    let wrong = |text: &str, words: &str| {
        folder.file("log.csv", text);
        let run = folder.run(["agent", "stats", "log.csv", "--spec", "host.tsl"]);
        assert_eq!(run.code, 2, "{text}");
        assert!(run.err.contains(words), "{text}: {}", run.err);
    };
    wrong("Run,Greeted,Update\n1,0,greet\n", "`hungry`");
    wrong("Greeted,Greeted,Hungry,Update\n1,0,1,greet\n", "two columns");
    wrong("Greeted,Hungry,Update\n1,2,greet\n", "neither 0 nor 1");
    wrong("Greeted,Hungry,Update\n1,1,dance\n", "no update of `said`");
    wrong("Greeted,Hungry,Update\n1,1\n", "2 columns, not 3");
    wrong("Greeted,Hungry,Updates\n1,1,greet\n", "what `said` is set to");
    wrong("Greeted,Hungry,Update,Step\n1,1,greet,4294967296\n", "is no step");
    folder.file("a.ltl", "// inputs: g\n// outputs: h\nG (!g -> h)");
    folder.file("out.csv", "g,h\n0,1\n1,0\n0,0\n");
    let run = folder.run(["agent", "stats", "out.csv", "--spec", "a.ltl"]);
    assert!(run.out.contains("turn 2") && run.code == 1, "{}{}", run.out, run.err);
    folder.file("last.csv", "Greeted,Hungry,Update,Step\n1,1,greet,4294967295\n");
    let run = folder.run(["agent", "stats", "last.csv", "--spec", "host.tsl", "--evaluated", "after"]);
    assert!(run.code < 2, "{}", run.err);
    let run = folder.run(["agent", "stats", "log.csv"]);
    assert!(run.code == 2 && run.err.contains("--spec"), "{}", run.err);
}

#[test]
fn a_behavior_is_run_recorded_and_replayed() {
    let folder = Folder::new();
    folder.file(
        "echo.agent",
        "(define echo (:states (Ask (:text \"Ask:\")) (Hear (:text \"Hear:\") (:flags :env-input)) (Say (:text \"Say:\")))
          (:behavior (next Ask Hear Say)))",
    );
    folder.file(
        "model.jsonl",
        "{\"answer\":\" who?\\nSay: I know\\nHear: me\"}\n{\"answer\":\" the world\"}\n",
    );
    folder.file("world.jsonl", "{\"answer\":\" nobody Say: hello\"}\n");
    let args = ["agent", "echo.agent", "--oracle", "script:model.jsonl", "--env", "script:world.jsonl"];
    let run = folder.run(args.iter().chain(&["--record", "run.jsonl", "--task", "Begin."]));
    assert_eq!(run.code, 0, "{}\n{}", run.out, run.err);
    assert!(run.out.contains("Hear: nobody Say: hello"), "{}", run.out);
    assert!(!run.out.contains("me\n"), "{}", run.out);
    let replayed = folder.run(["agent", "--replay", "run.jsonl", "-q"]);
    assert_eq!(replayed.code, 0, "{}", replayed.err);
    let wrong = folder.run(args.iter().chain(&["--regenerate", "2"]));
    assert!(wrong.code == 2 && wrong.err.contains("specifications in TSL"), "{}", wrong.err);
}

#[test]
fn an_experiment_goes_on_where_it_was() {
    let folder = Folder::new();
    let run = |more: &[&str]| folder.run(["experiment", "adventure", "--games", "2"].iter().chain(more));
    let first = run(&["-o", "out"]);
    assert_eq!(first.code, 0, "{}", first.err);
    assert!(first.out.contains("96.00"), "{}", first.out);
    let read = |name: &str| std::fs::read_to_string(folder.path().join("out").join(name)).expect("a file");
    let (table, chart, rows) = (read("adventure.csv"), read("adventure.svg"), read("adventure.rows.jsonl"));
    assert!(chart.starts_with("<svg") && table.starts_with("part,games,kept"));
    // A run that was cut off in the middle of a line.
    let half: Vec<&str> = rows.lines().take(20).collect();
    folder.file("out/adventure.rows.jsonl", format!("{}\n{{\"part\":\"task", half.join("\n")));
    let second = run(&["-o", "out"]);
    assert!(second.err.contains("19 of"), "{}", second.err);
    assert_eq!((first.out.clone(), table), (second.out, read("adventure.csv")));
    // Rows of other settings are not reused.
    let third = run(&["-o", "out", "--seed", "5"]);
    assert!(!third.err.contains("already"), "{}", third.err);
    assert_eq!(run(&["--threads", "1"]).out, first.out);
    folder.file("taken", "");
    assert_eq!(run(&["-o", "taken"]).code, 2);
}
