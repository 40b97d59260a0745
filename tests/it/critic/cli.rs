//! `critic` as a user calls it.

use super::admission::POLICY;
use crate::cli::Folder;

const LOG: &str = r#"{"event":"observe","session":"s","props":["ready"]}
{"event":"call","session":"s","id":"1","tool":"work"}
{"event":"result","session":"s","id":"1","ok":true}
{"event":"observe","session":"s","props":["ready","tired"]}
{"event":"call","session":"s","id":"2","tool":"rest"}
{"event":"result","session":"s","id":"2","ok":true}
{"event":"close","session":"s"}
"#;

fn folder(edits: &str) -> Folder {
    let folder = Folder::new();
    folder.file("p.toml", POLICY);
    folder.file("log.jsonl", LOG);
    let line = serde_json::json!({ "subject": "edits", "answer": edits }).to_string();
    folder.file("script.jsonl", line + "\n");
    folder
}

const CALL: [&str; 6] =
    ["critic", "p.toml", "--trajectories", "log.jsonl", "--oracle", "script:script.jsonl"];

#[test]
fn edits_are_shown_and_written_only_when_asked() {
    let folder =
        folder(r#"[{"op":"add","law_id":"calm","law":"G(ready & tired -> X !play)","explanation":"Rest."}]"#);
    let run = folder.run(CALL).exits(0);
    assert!(run.out.contains("admitted add `calm`"), "{run:?}");
    assert!(run.out.contains("+ltl = \"G(ready & tired -> X !play)\""), "{run:?}");
    assert!(run.out.contains("nothing is written"), "{run:?}");
    assert_eq!(std::fs::read_to_string(folder.path().join("p.toml")).expect("a policy"), POLICY);
    let run = folder.run(CALL.into_iter().chain(["--write"])).exits(0);
    assert!(!run.out.contains("nothing is written"), "{run:?}");
    let written = std::fs::read_to_string(folder.path().join("p.toml")).expect("a policy");
    assert!(written.starts_with(POLICY) && written.contains("calm"), "{written}");
    folder.run(["check", "--verdict-only", "p.toml"]).exits(0);
}

#[test]
fn refused_edits_end_with_exit_code_1_and_their_reasons() {
    let folder = folder(
        r#"[{"op":"add","law_id":"\u202e<b>","law":"G(tired -> X !rest)"},{"op":"delete","law_id":"no-play"}]"#,
    );
    let run = folder.run(CALL.into_iter().chain(["--write"])).exits(1);
    assert!(run.out.contains("leave no action") && run.out.contains("no action is legal"), "{run:?}");
    assert!(run.out.contains("only soft laws are edited") && !run.out.contains('\u{202e}'), "{run:?}");
    assert_eq!(std::fs::read_to_string(folder.path().join("p.toml")).expect("a policy"), POLICY);
    let json = folder.run(CALL.into_iter().chain(["--format", "json"])).exits(1).json();
    assert_eq!(json["edits"][0]["because"], "over-constrains");
    assert_eq!(json["edits"][0]["laws"].as_array().map(Vec::len), Some(3));
    assert_eq!(json["edits"][1]["because"], "not-soft");
    assert_eq!((&json["isSettled"], &json["diff"]), (&true.into(), &"".into()));
}

#[test]
fn invalid_calls_are_reported() {
    let folder = folder("[]");
    let run = folder.run(["critic", "p.toml", "--trajectories", "log.jsonl", "--goal", "redy"]).exits(2);
    assert!(run.err.contains("goal `redy`"), "{run:?}");
    folder.run(["critic", "p.toml"]).exits(2);
    folder.run(["critic", "no.toml", "--trajectories", "log.jsonl"]).exits(2);
    folder.run(["critic", "p.toml", "--trajectories", "no.jsonl"]).exits(2);
    folder.run(["critic", "p.toml", "--trajectories", "log.jsonl", "--oracle", "parrot"]).exits(2);
    folder
        .file("empty.jsonl", "{\"event\":\"message\",\"session\":\"s\",\"role\":\"user\",\"text\":\"hi\"}\n");
    let run = folder.run(["critic", "p.toml", "--trajectories", "empty.jsonl"]).exits(2);
    assert!(run.err.contains("have no step"), "{run:?}");
}
