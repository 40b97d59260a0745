//! `agent eval` and the presets of `experiment`, against a server of chat completions that the tests start.

use super::stub::{Reply, Stub};
use crate::cli::{Folder, Run};
use crate::readme::root;
use serde_json::{Value, json};
use std::path::Path;

/// A completion with usage.
fn says(text: &str) -> Reply {
    Reply::body(
        &json!({"choices": [{"message": {"content": text}, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 20, "completion_tokens": 3}})
        .to_string(),
    )
}

/// The form of the answer that a request wants, from its system message.
fn form(body: &Value) -> String {
    body["messages"][0]["content"].as_str().unwrap_or_default().to_string()
}

/// A model that says yes, takes the first choice, scores all alike, and writes `text`.
fn easy(text: &'static str) -> Stub {
    Stub::answering(move |body| {
        let form = form(body);
        if form.starts_with("Respond with 0 if") {
            says("1")
        } else if form.starts_with("Respond with the number") {
            says("1. I choose this")
        } else if form.starts_with("Respond with two lines") {
            says("Thought: the first one is fine\nAction: 1")
        } else if let Some((_, rest)) = form.split_once("a JSON list of ") {
            let count: usize = rest.split(' ').next().and_then(|n| n.parse().ok()).expect("a number");
            says(&format!("{:?}", vec![1; count]))
        } else {
            says(text)
        }
    })
}

fn run<'a>(folder: &Folder, args: impl IntoIterator<Item = &'a str>) -> Run {
    let mut command = folder.command(args);
    for name in ["http_proxy", "HTTP_PROXY", "ALL_PROXY", "all_proxy", "OPENAI_API_KEY", "TSL_SYNTH_MODEL"] {
        command.env_remove(name);
    }
    Run::of(command.output().expect("the binary runs"))
}

fn gallery(name: &str) -> String {
    root().join("specs").join(name).to_string_lossy().into_owned()
}

fn read(folder: &Folder, name: &str) -> String {
    std::fs::read_to_string(folder.path().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn rows(folder: &Folder, name: &str) -> Vec<Value> {
    read(folder, name).lines().skip(1).map(|line| serde_json::from_str(line).expect("a row")).collect()
}

const TASKS: &str = "{\"id\":\"t\",\"task\":\"Go to toilet.\",\"env\":\"household:toilet\"}\n{\"id\":\"s\",\"task\":\"Put salmon into the fridge.\",\"env\":\"household:salmon\"}\n";

#[test]
fn a_policy_guarded_beside_alone_resumed_and_repeated_without_the_model() {
    let folder = Folder::new();
    folder.file("tasks.jsonl", TASKS);
    let stub = easy("?");
    let (policy, oracle) = (gallery("policies/household.toml"), format!("{}#m", stub.oracle()));
    let call = |oracle: &str, out: &str| {
        let args = [
            "agent",
            "eval",
            &policy,
            "--oracle",
            oracle,
            "--tasks",
            "tasks.jsonl",
            "--runs",
            "2",
            "--turns",
            "6",
            "-o",
            out,
            "--price-in",
            "1",
            "--price-out",
            "10",
        ];
        run(&folder, args)
    };
    let first = call(&oracle, "out").exits(0);
    assert!(first.out.starts_with("household: 4 runs guarded, 4 alone\n"), "{}", first.out);
    for measure in ["kept %", "done and kept %", "failed %", "refused %", "tokens in", "cost"] {
        assert!(first.out.contains(measure), "{measure}: {}", first.out);
    }
    let made = rows(&folder, "out/household.runs.jsonl");
    assert_eq!(made.len(), 8);
    for row in &made {
        let (requests, tokens) = (row["requests"].as_u64().expect("a number"), row["promptTokens"].as_u64());
        assert!(requests > 0 && tokens == Some(20 * requests), "{row}");
        if row["arm"] == "guarded" {
            assert_eq!(row["kept"], json!(true), "{row}");
        }
    }
    // The rules are in the prompt of the model alone only.
    let asked = stub.arrived();
    let with_rules = |request: &&super::stub::Arrived| request.body.to_string().contains("Keep these rules");
    let alone: u64 =
        made.iter().filter(|row| row["arm"] == "alone").filter_map(|row| row["requests"].as_u64()).sum();
    assert_eq!(asked.iter().filter(with_rules).count() as u64, alone);

    // The last runs are lost: they are made again from the answers that were kept, and all files are the same.
    let names = ["household.runs.jsonl", "household.csv", "household.html", "household.txt", "answers.jsonl"];
    let before: Vec<String> = names.iter().map(|name| read(&folder, &format!("out/{name}"))).collect();
    let cut = before[0].lines().take(6).collect::<Vec<_>>().join("\n") + "\n";
    folder.file("out/household.runs.jsonl", format!("{cut}{{\"group\":"));
    let again = call(&oracle, "out").exits(0);
    assert_eq!(again.out, first.out);
    assert!(again.err.contains("5 of 8 runs are there already"), "{}", again.err);
    assert_eq!(stub.arrived().len(), asked.len());
    for (name, before) in names.iter().zip(&before) {
        assert_eq!(&read(&folder, &format!("out/{name}")), before, "{name}");
    }

    // The same without the model.
    let repeated = call("record:out/answers.jsonl", "other").exits(0);
    assert_eq!(repeated.out, first.out);
    assert_eq!(read(&folder, "other/household.csv"), before[1]);
    assert_eq!(stub.arrived().len(), asked.len());

    // Another seed is another evaluation.
    let args = [
        "agent",
        "eval",
        &policy,
        "--oracle",
        &oracle,
        "--tasks",
        "tasks.jsonl",
        "--turns",
        "2",
        "-o",
        "out",
        "--seed",
        "5",
    ];
    let other = run(&folder, args).exits(0);
    assert!(other.err.contains("runs of another evaluation are replaced"), "{}", other.err);
}

#[test]
fn what_a_server_refuses_is_learned_once_for_all_runs() {
    let folder = Folder::new();
    folder.file("tasks.jsonl", "{\"task\":\"\"}\n");
    let stub = Stub::answering(|body| {
        if body.get("seed").is_some() {
            return Reply::error(400, "", "Unsupported parameter: 'seed' is not supported with this model.");
        }
        let form = form(body);
        if form.is_empty() { says("load wash") } else { says("1") }
    });
    let grammar = folder.file("wash.cfg", "S -> load S | wash\n%limit load 2\n");
    let (grammar, oracle) = (grammar.to_string_lossy().into_owned(), format!("{}#m", stub.oracle()));
    let out = run(
        &folder,
        ["agent", "eval", &grammar, "--oracle", &oracle, "--tasks", "tasks.jsonl", "--runs", "3"],
    )
    .exits(0);
    assert!(out.out.contains("kept %"), "{}", out.out);
    let refused = stub.arrived().iter().filter(|request| request.body.get("seed").is_some()).count();
    assert_eq!(refused, 1);
}

#[test]
fn plans_are_judged_by_the_grammar_and_answers_by_the_judge() {
    let folder = Folder::new();
    folder.file("tasks.jsonl", "{\"id\":\"a\",\"task\":\"Wash.\",\"answer\":\"load wash\"}\n");
    let grammar =
        folder.file("wash.cfg", "S -> load S | wash\n%limit load 2\n").to_string_lossy().into_owned();
    for (text, judge, kept, correct) in [
        ("load wash", "exact", true, true),
        ("1. load\n2. load\n3. wash", "exact", true, false),
        ("1. load\n2. load\n3. wash", "f1", true, true),
        ("load load load wash", "regex", false, true),
        ("load dry", "exact", false, false),
    ] {
        let stub = easy(text);
        let oracle = format!("{}#m", stub.oracle());
        let args = [
            "agent",
            "eval",
            &grammar,
            "--oracle",
            &oracle,
            "--tasks",
            "tasks.jsonl",
            "--only",
            "alone",
            "--judge",
            judge,
            "-o",
            "out",
        ];
        run(&folder, args).exits(0);
        let rows = rows(&folder, "out/wash.runs.jsonl");
        assert_eq!(
            (&rows[0]["kept"], &rows[0]["correct"]),
            (&json!(kept), &json!(correct)),
            "{text}, {judge}: {}",
            rows[0]
        );
        std::fs::remove_dir_all(folder.path().join("out")).expect("it is there");
    }
    // A program judges.
    let stub = easy("load wash");
    let oracle = format!("{}#m", stub.oracle());
    folder.file("judge.jsonl", "{\"kind\":\"predicate\",\"answer\":false,\"repeat\":true}\n");
    let args = [
        "agent",
        "eval",
        &grammar,
        "--oracle",
        &oracle,
        "--tasks",
        "tasks.jsonl",
        "--judge",
        "script:judge.jsonl",
    ];
    let judged = run(&folder, args).exits(0);
    let line = judged.out.lines().find(|line| line.starts_with("correct %")).expect("a line");
    assert!(line.contains("0.0 [0.0, 0.0]"), "{line}");
}

#[test]
fn plans_of_grammars_without_a_longest_plan_come_to_an_end() {
    let folder = Folder::new();
    folder.file("tasks.jsonl", "{\"task\":\"Go on.\"}\n");
    for (grammar, least) in [
        ("S -> stop | go S\n", 1),
        ("S -> \u{3b5} | a S b\n", 0),
        ("S -> stop | E S | go S\nE -> \u{3b5}\n", 1),
        ("S -> one two three four T\nT -> stop | S\n", 5),
    ] {
        // It always takes the last choice, which goes on.
        let stub = Stub::answering(|body| {
            let asked = body["messages"].to_string();
            let last = (1..9).rev().find(|n| asked.contains(&format!("\\n{n}: "))).unwrap_or(1);
            says(&last.to_string())
        });
        let path = folder.file("x.cfg", grammar).to_string_lossy().into_owned();
        let oracle = format!("{}#m", stub.oracle());
        let mut before = 0;
        for turns in ["", "1", "4", "10"] {
            let mut args = vec![
                "agent",
                "eval",
                &path,
                "--oracle",
                &oracle,
                "--tasks",
                "tasks.jsonl",
                "--only",
                "guarded",
            ];
            if !turns.is_empty() {
                args.extend(["--turns", turns]);
            }
            args.extend(["-o", "out"]);
            run(&folder, args).exits(0);
            let row = rows(&folder, "out/x.runs.jsonl").remove(0);
            let most = turns.parse().unwrap_or(500);
            let (steps, questions) =
                (row["steps"].as_u64().expect("a number"), stub.arrived().len() - before);
            assert!(
                steps <= most && questions <= 500,
                "{grammar}, {turns}: {steps} steps, {questions} questions"
            );
            assert_eq!(row["kept"], json!(least <= most), "{grammar}, {turns}: {row}");
            if least > most {
                assert_eq!(row["end"], json!(format!("there is no plan of at most {most} steps")));
            }
            before = stub.arrived().len();
            std::fs::remove_dir_all(folder.path().join("out")).expect("it is there");
        }
    }
}

const TALK: &str = "(define talk (:states (Think (:text \"Thought:\")) (Look (:text \"Look:\") (:flags :env-input)) (Say (:text \"Answer:\"))) (:behavior (next Think Look Say)))\n";

#[test]
fn a_behavior_guarded_beside_alone() {
    let folder = Folder::new();
    folder.file("tasks.jsonl", "{\"id\":\"q\",\"task\":\"Question: how many?\",\"answer\":\"42\"}\n");
    folder.file("world.jsonl", "{\"kind\":\"act\",\"answer\":\" there are 42\\n\",\"repeat\":true}\n");
    let behavior = folder.file("talk.agent", TALK).to_string_lossy().into_owned();
    // Alone it makes up what it sees.
    let stub = Stub::answering(|body| {
        let prompt = body["messages"][0]["content"].as_str().unwrap_or_default();
        match prompt.rsplit("Question: how many?").next().unwrap_or_default() {
            rest if rest.contains("Answer:") => says("42"),
            rest if rest.contains("Look:") => says("Answer: 42"),
            rest if rest.contains("Thought:") => says("I look."),
            _ => says("Thought: I know.\nAnswer: 41"),
        }
    });
    let oracle = format!("{}#m", stub.oracle());
    let args = [
        "agent",
        "eval",
        &behavior,
        "--oracle",
        &oracle,
        "--env",
        "script:world.jsonl",
        "--tasks",
        "tasks.jsonl",
        "-o",
        "out",
    ];
    let out = run(&folder, args).exits(0);
    let rows = rows(&folder, "out/talk.runs.jsonl");
    assert_eq!(
        (&rows[0]["kept"], &rows[0]["answer"], &rows[0]["correct"]),
        (&json!(true), &json!("42"), &json!(true)),
        "{}",
        out.out
    );
    assert_eq!(
        (&rows[1]["kept"], &rows[1]["answer"], &rows[1]["correct"]),
        (&json!(false), &json!("41"), &json!(false)),
        "{}",
        out.out
    );
    assert_eq!(rows[1]["violated"], json!(["Say"]));
}

#[test]
fn a_story_guarded_beside_alone() {
    let folder = Folder::new();
    folder.file("tasks.jsonl", "{\"id\":\"game\",\"messages\":[\"I go on.\",\"I go left.\",\"I run.\"]}\n");
    let stub = easy("You are in a cave, in a town, and at a market.");
    let (spec, oracle) = (gallery("adventure/story_choices.tsl"), format!("{}#m", stub.oracle()));
    let args =
        ["agent", "eval", &spec, "--oracle", &oracle, "--tasks", "tasks.jsonl", "--turns", "3", "-o", "out"];
    let out = run(&folder, args).exits(0);
    for measure in ["kept %", "point in time %", "tokens in"] {
        assert!(out.out.contains(measure), "{}", out.out);
    }
    let asked = stub.arrived();
    assert!(
        asked.iter().any(|request| request.body.to_string().contains("You keep these rules in all turns"))
    );
    assert!(asked.iter().any(|request| request.body.to_string().contains("I go left.")));
}

#[test]
fn budgets_end_an_evaluation_and_a_larger_one_goes_on() {
    let folder = Folder::new();
    folder.file("tasks.jsonl", TASKS);
    let stub = easy("?");
    let (policy, oracle) = (gallery("policies/household.toml"), format!("{}#m", stub.oracle()));
    let call = |budget: &[&str]| {
        let args = [
            "agent",
            "eval",
            &policy,
            "--oracle",
            &oracle,
            "--tasks",
            "tasks.jsonl",
            "--turns",
            "3",
            "-o",
            "out",
        ];
        run(&folder, args.into_iter().chain(budget.iter().copied()))
    };
    let cut = call(&["--budget-tokens", "1"]).exits(3);
    assert!(
        cut.err.contains("the budget of 1 tokens is used up") && cut.err.contains("1 of 4 runs"),
        "{}",
        cut.err
    );
    let cut = call(&["--price-in", "1000", "--budget", "0.000001"]).exits(3);
    assert!(cut.err.contains("is used up"), "{}", cut.err);
    call(&[]).exits(0);
    assert_eq!(rows(&folder, "out/household.runs.jsonl").len(), 4);
}

#[test]
fn a_model_that_gives_no_answer_leaves_runs_unfinished() {
    let folder = Folder::new();
    folder.file("tasks.jsonl", TASKS);
    let stub = Stub::new(vec![Reply::error(503, "retry-after: 0\r\n", "overloaded")]);
    let (policy, oracle) = (gallery("policies/household.toml"), format!("{}#m", stub.oracle()));
    let call = |oracle: &str| {
        run(
            &folder,
            [
                "agent",
                "eval",
                &policy,
                "--oracle",
                oracle,
                "--tasks",
                "tasks.jsonl",
                "--turns",
                "2",
                "-o",
                "out",
            ],
        )
    };
    let none = call(&oracle).exits(3);
    assert!(
        none.err.contains("4 of 4 runs got no answer") && none.err.contains("overloaded"),
        "{}",
        none.err
    );
    let wrong = Stub::new(vec![Reply::error(401, "", "no key")]);
    let wrong = call(&format!("{}#m", wrong.oracle())).exits(2);
    assert!(wrong.err.contains("wants a key"), "{}", wrong.err);
}

#[test]
fn reports_escape_what_models_say() {
    let folder = Folder::new();
    folder.file("tasks.jsonl", "{\"id\":\"<b>\",\"task\":\"x\",\"answer\":\"y\"}\n");
    let grammar = folder.file("wash.cfg", "S -> load S | wash\n").to_string_lossy().into_owned();
    let stub = easy("<script>alert(1)</script>\u{1b}[31m");
    let oracle = format!("{}#m", stub.oracle());
    run(&folder, ["agent", "eval", &grammar, "--oracle", &oracle, "--tasks", "tasks.jsonl", "-o", "out"])
        .exits(0);
    let page = read(&folder, "out/wash.html");
    assert!(page.contains("&lt;script&gt;") && !page.contains("<script") && !page.contains('\u{1b}'));
    assert!(page.contains("<svg") && page.contains("default-src 'none'"));
}

#[test]
fn wrong_calls_say_why() {
    let folder = Folder::new();
    folder.file("tasks.jsonl", TASKS);
    folder.file("faulty.jsonl", "{\"task\":\"a\"}\n{\"tsak\":\"b\"}\n");
    folder.file("plain.jsonl", "{\"task\":\"a\"}\n");
    folder.file("asks.jsonl", "{\"task\":\"a\",\"answer\":\"(\"}\n");
    let (policy, plan) = (gallery("policies/household.toml"), gallery("plans/toy.cfg"));
    let missing = Path::new("none.jsonl").to_string_lossy().into_owned();
    let cases: [(&[&str], &str); 9] = [
        (&[&policy, "--tasks", "tasks.jsonl"], "no model is named"),
        (&[&policy, "--oracle", "sim", "--tasks", &missing], "cannot read `none.jsonl`"),
        (&[&policy, "--oracle", "sim", "--tasks", "faulty.jsonl"], "`faulty.jsonl`, line 2"),
        (&[&policy, "--oracle", "sim", "--tasks", "plain.jsonl"], "task `1` has no environment"),
        (&[&policy, "--oracle", "sim", "--tasks", "tasks.jsonl", "--law", "x"], "`--law` is not about"),
        (&[&policy, "--oracle", "sim", "--tasks", "tasks.jsonl", "--budget", "1"], "`--budget` needs"),
        (&[&policy, "--oracle", "nobody", "--tasks", "tasks.jsonl"], "`nobody` is no oracle"),
        (
            &[&plan, "--oracle", "sim", "--tasks", "asks.jsonl", "--judge", "regex"],
            "is no regular expression",
        ),
        (&[&plan, "--oracle", "sim", "--tasks", "asks.jsonl", "--judge", "nobody"], "`nobody` is no oracle"),
    ];
    for (args, why) in cases {
        let run = run(&folder, ["agent", "eval"].into_iter().chain(args.iter().copied())).exits(2);
        assert!(run.err.contains(why), "{args:?}: {}", run.err);
    }
    let run = run(&folder, ["experiment", "react", "--budget-tokens", "5"]).exits(2);
    assert!(run.err.contains("`--budget-tokens`: a model of your own is named by `--oracle`"), "{}", run.err);
}

/// Every experiment with a model at an address.
#[test]
fn the_presets_run_with_ones_own_model() {
    for (name, first) in [
        ("adventure", "task 1: 1 run guarded, 1 alone"),
        ("openagi", "Task 1: 1 run guarded, 1 alone"),
        ("travel", "trips: "),
        ("ltlcrit", "SayCan/hard: 1 run guarded, 1 alone"),
        ("safety-chip", "0 constraints: 5 runs guarded, 5 alone"),
        ("react", "react: "),
    ] {
        let folder = Folder::new();
        let stub = easy("Thought: I look.\nAction: Search\n");
        let oracle = format!("{}#m", stub.oracle());
        let run = run(
            &folder,
            ["experiment", name, "--oracle", &oracle, "--games", "1", "--turns", "4", "-o", "out"],
        );
        assert!(run.out.starts_with(first), "{name}: {run:#?}");
        assert!(matches!(run.code, 0 | 3), "{name}: {run:#?}");
        assert!(
            rows(&folder, &format!("out/{name}.runs.jsonl"))
                .iter()
                .any(|row| row["promptTokens"] != json!(0))
        );
        assert!(read(&folder, &format!("out/{name}.html")).contains("<svg"));
    }
}
