//! Emitted agents: each project runs as emitted, keeps its guarantees, and calls a chat model without revealing the key
//! in its output.

use super::run::run;
use crate::cli::{Folder, Run};
use crate::oracles::stub::{Reply, Stub};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Language, the program that runs it, the main file.
const LANGS: [(&str, &str, &str); 2] = [("js", "node", "main.js"), ("python", "python3", "main.py")];
/// The API key, which must not occur in any output.
const KEY: &str = "sk-test-0123456789abcdef";

fn emit(folder: &Folder, spec: &Path, lang: &str) -> PathBuf {
    let project = folder.path().join(format!("{lang}-project"));
    let args = ["emit", "--llm", "--quiet", "--lang", lang, "--scaffold"].map(Into::into);
    folder.run(args.into_iter().chain([project.clone().into_os_string(), spec.into()])).exits(0);
    project
}

fn test(project: &Path, program: &str) -> bool {
    let args: &[&str] = if program == "node" { &["--test"] } else { &["-m", "unittest", "-q"] };
    run(project, program, args, program == "node").is_some()
}

#[test]
fn agents_play_and_keep_their_guarantees() {
    let specs = Path::new(env!("CARGO_MANIFEST_DIR")).join("specs");
    let names = ["adventure/story.tsl", "adventure/story_choices_forest.tsl", "spurious/treasure.tsl"];
    for (lang, program, main) in LANGS {
        for name in names {
            let folder = Folder::new();
            let project = emit(&folder, &specs.join(name), lang);
            let Some(played) = run(&project, program, &[main], program == "node") else { break };
            let last = played.trim_end().lines().last().unwrap_or_default();
            assert_eq!(last, "8 turns, 0 guarantees broken, 0 assumptions broken", "{name} {lang}: {played}");
            assert!(test(&project, program));
        }
    }
}

#[test]
fn a_cave_follows_a_cave() {
    let spec = Path::new(env!("CARGO_MANIFEST_DIR")).join("specs/adventure/story.tsl");
    let folder = Folder::new();
    let project = emit(&folder, &spec, "js");
    let prompts = std::fs::read_to_string(project.join("prompts.json")).expect("it is there");
    let prompts: serde_json::Value = serde_json::from_str(&prompts).expect("JSON");
    // From `prompts.toml` beside the specification.
    assert_eq!(prompts["predicates"]["inTown(summary)"]["prompt"], "Is the main character in a town?");
    let game = std::fs::read_to_string(project.join("game.json")).expect("it is there");
    let game: serde_json::Value = serde_json::from_str(&game).expect("JSON");
    let play = game["play"].as_array().expect("letters");
    assert_eq!(play.len(), 60);
    for (now, next) in play.iter().zip(&play[1..]) {
        assert_eq!(now["passage"] == "toCave(summary)", next["inCave(summary)"] == json!(true));
    }
    assert!(play.iter().any(|letter| letter["passage"] == "toCave(summary)"));
}

#[test]
fn hostile_names_and_prompts_are_inert() {
    let spec = "always guarantee {\n  constructor(x) -> [y <- toString(x)];\n  !constructor(x) && holds(y) -> [y <- self(x)];\n  \
                then(x) -> [z <- __proto__(x)];\n  !then(x) && turn -> [z <- write(y)];\n}\n";
    let evil = "*/ \"; process.exit(9); '''\n`${process.exit(9)}` {{ 7 * 7 }} {% raw %} </script> \u{202e}\u{1b}[2J import os; os._exit(9)";
    let text = serde_json::Value::from(evil).to_string().replace('\u{202e}', "\\u202e");
    let table = format!(
        "[generator]\nprompt = {text}\n[evaluator]\nprompt = {text}\n[predicates]\nholds = {text}\n[functions]\nself = {text}\n__proto__ = {text}\n"
    );
    for (lang, program, main) in LANGS {
        let folder = Folder::new();
        let file = folder.file("os `${x}` {{ 1 }}.tsl", spec);
        std::fs::write(file.with_file_name("prompts.toml"), &table).expect("a file");
        let project = emit(&folder, &file, lang);
        let mut seen = 0;
        for entry in std::fs::read_dir(&project).expect("a folder").flatten() {
            let text = std::fs::read_to_string(entry.path()).expect("text");
            assert!(!text.contains(['\u{202e}', '\u{1b}']), "{}", entry.path().display());
            match entry.path().extension().and_then(|ending| ending.to_str()) {
                Some("json") => seen += usize::from(text.contains("process.exit(9)")),
                _ => assert!(!text.contains("process.exit(9)"), "{}", entry.path().display()),
            }
        }
        assert_eq!(seen, 1, "only the prompts hold the prompts");
        let Some(played) = run(&project, program, &[main], program == "node") else { continue };
        assert!(played.contains("8 turns, 0 guarantees broken"), "{played}");
        assert!(test(&project, program));
    }
}

/// Runs the agent against a server, with a key; `None` if the program is not installed.
fn chat(project: &Path, program: &str, main: &str, address: &str, timeout: &str) -> Option<Run> {
    let mut command = Command::new(program);
    command.arg(main).current_dir(project).stdin(Stdio::null());
    for proxy in ["http_proxy", "HTTP_PROXY", "ALL_PROXY", "all_proxy"] {
        command.env_remove(proxy);
    }
    command.env("LLM_URL", address).env("LLM_MODEL", "m").env("LLM_KEY", KEY).env("LLM_TIMEOUT_MS", timeout);
    let run = Run::of(command.output().ok()?);
    assert!(!run.out.contains(KEY) && !run.err.contains(KEY), "the key is shown: {run:#?}");
    Some(run)
}

#[test]
fn a_chat_model_plays() {
    let spec = Path::new(env!("CARGO_MANIFEST_DIR")).join("specs/adventure/story.tsl");
    for (lang, program, main) in LANGS {
        let folder = Folder::new();
        let project = emit(&folder, &spec, lang);
        let says = Stub::new(vec![
            Reply::error(429, "retry-after: 0\r\n", "slow down"),
            Reply::error(500, "retry-after: 0\r\n", "oops"),
            Reply::says("1\u{1b}[2J"),
            Reply::says("a summary"),
            Reply::says("banana"),
            Reply::says("```json\n{\"answer\": true}\n```"),
            Reply::says("1."),
        ]);
        let Some(run) = chat(&project, program, main, &says.oracle(), "20000") else { continue };
        let run = run.exits(0);
        assert!(run.out.contains("8 turns, ") && !run.out.contains('\u{1b}'), "{}", run.out);
        let arrived = says.arrived();
        assert_eq!(arrived[0].line, "POST /v1/chat/completions HTTP/1.1");
        assert_eq!(arrived[0].header("authorization"), Some(format!("Bearer {KEY}").as_str()));
        // Nothing was written yet, so the first request is for a passage.
        let content = arrived[0].body["messages"][0]["content"].as_str().expect("a text");
        assert!(content.contains("In this passage the reader comes to a market"), "{content}");
        assert!(content.ends_with("The reader says:\nI look around."), "{content}");
        assert_eq!(arrived[0].body["model"], "m");
        assert_eq!(arrived[0].body["temperature"].as_f64(), Some(0.0));
        let asked = arrived[4].body["messages"][1]["content"].as_str().expect("a text");
        assert!(asked.contains("Is the main character inside a cave"), "{asked}");

        for (reply, why) in [
            (Reply::error(401, "", &format!("wrong key {KEY}")), "status 401"),
            (Reply::error(429, "retry-after: 3600\r\n", "later"), "status 429"),
            (Reply::Raw(302, "location: http://127.0.0.1:1/\r\n".into(), String::new()), "status 302"),
            (Reply::body("<html>"), "no chat completion"),
            (Reply::body("{\"choices\":[{\"message\":{\"content\":7}}]}"), "is no text"),
            (Reply::says(""), "no text for toMarket in three attempts"),
            (Reply::Hangs, "status none"),
            (Reply::Truncated, "status none"),
            (Reply::Long(20_000_000), "the response is too long"),
        ] {
            let stub = Stub::new(vec![reply.clone()]);
            let timeout = if matches!(reply, Reply::Hangs | Reply::Truncated) { "400" } else { "20000" };
            let run = chat(&project, program, main, &stub.oracle(), timeout).expect("it is there").exits(1);
            assert!(
                run.err.starts_with("the game ends: ") && run.err.contains(why),
                "{lang}: {reply:?}: {}",
                run.err
            );
        }
        let stub = Stub::new(vec![Reply::says("a passage"), Reply::says("a summary"), Reply::says("banana")]);
        let run = chat(&project, program, main, &stub.oracle(), "20000").expect("it is there").exits(1);
        assert!(
            run.err.contains("no truth value of inCave(summary) in three attempts: banana"),
            "{}",
            run.err
        );
        for address in
            ["http://example.org/v1", &format!("http://me:{KEY}@127.0.0.1:1"), "nonsense", "ftp://x"]
        {
            let run = chat(&project, program, main, address, "400").expect("it is there").exits(1);
            assert!(run.err.starts_with("the game ends: "), "{address}: {}", run.err);
        }
    }
}

#[test]
fn agents_are_not_for_every_target() {
    let folder = Folder::new();
    let spec = folder.file("s.tsl", "always guarantee { go -> [x <- a()]; }\n");
    let spec = spec.to_str().expect("UTF-8");
    let run = folder.run(["emit", spec, "--llm", "--scaffold", "p", "--lang", "c"]).exits(2);
    assert!(run.err.contains("agents are emitted in `js` and `python`"), "{}", run.err);
    let run = folder.run(["emit", spec, "--llm", "--lang", "js"]).exits(2);
    assert!(run.err.contains("--scaffold"), "{}", run.err);
    let numbers = folder.file("n.tsl", "always guarantee { n < 3 -> [x <- a()]; }\n");
    let run =
        folder.run(["emit", numbers.to_str().expect("UTF-8"), "--llm", "--scaffold", "p", "--lang", "js"]);
    assert!(run.exits(2).err.contains("`n` is neither a text nor true or false"));
    assert!(!folder.path().join("p").exists());
}
