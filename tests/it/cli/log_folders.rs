//! `policy monitor` over what platforms keep: folders with foreign and broken files, sessions in several files, journals
//! that were changed, calls whose results were never recorded.

use super::Folder;
use serde_json::{Value, json};
use std::fmt::Write;
use tsl_synth_seats::journal::{HEADER, JournalEnd, line};
use tsl_synth_testkit::Rng;

const POLICY: &str = "policy = 1\nname = \"release\"\nunmatched = \"allow\"\ntools = [\"edit\", \"tests\", \"push\"]\n\
    [rules]\nfresh = \"push requires tests before\"\nfew = \"at most 2 push\"\n";

fn folder() -> Folder {
    let folder = Folder::new();
    folder.file("p.toml", POLICY);
    folder
}

/// The total of the logs: sessions, and for each law how often it was kept, violated, and undecidable.
fn total(folder: &Folder, logs: &[&str]) -> (u64, Vec<[u64; 3]>) {
    let call = ["policy", "monitor", "p.toml"].iter().chain(logs).chain(&["--stats", "--format", "json"]);
    let run = folder.run(call);
    assert!(run.code < 4 && run.code != 2, "{run:?}");
    let last: Value = serde_json::from_str(run.out.lines().last().expect("a line")).expect("JSON");
    let number = |value: &Value| value.as_u64().expect("a number");
    let laws = last["laws"].as_array().expect("laws").iter();
    let laws = laws.map(|law| ["kept", "violated", "undecidable"].map(|key| number(&law[key]))).collect();
    (number(&last["sessions"]), laws)
}

/// Events of random sessions in our own format, in the order of their times.
fn events(rng: &mut Rng, sessions: usize, calls: usize, has_times: bool) -> Vec<String> {
    let mut all = Vec::new();
    for n in 0..calls {
        let (session, tool) = (rng.below(sessions), ["edit", "tests", "push"][rng.below(3)]);
        for event in
            [json!({ "event": "call", "tool": tool }), json!({ "event": "result", "ok": rng.below(4) > 0 })]
        {
            let mut event = event;
            event["session"] = format!("s{session}").into();
            event["id"] = n.into();
            if has_times {
                event["time"] = (1_793_491_200_000_u64 + 1_000 * all.len() as u64).into();
            }
            all.push(event.to_string());
        }
    }
    all
}

#[test]
fn sessions_in_several_files_are_one() {
    let mut rng = Rng(41);
    for (sessions, calls, files) in [(1, 4, 2), (1, 12, 3), (3, 20, 2), (5, 60, 4), (40, 200, 6)] {
        for has_times in [true, false] {
            let lines = events(&mut rng, sessions, calls, has_times);
            let whole = folder();
            whole.file("whole.jsonl", lines.join("\n"));
            let expected = total(&whole, &["whole.jsonl"]);
            let split = folder();
            let mut names: Vec<String> = (0..files).map(|n| format!("logs/part{n}.jsonl")).collect();
            if has_times {
                // With times the names of the files do not matter.
                names.reverse();
            }
            for (name, part) in names.iter().zip(lines.chunks(lines.len().div_ceil(files))) {
                split.file(name, part.join("\n"));
            }
            assert_eq!(
                total(&split, &["logs"]),
                expected,
                "{sessions} sessions, {calls} calls, {files} files"
            );
            names.sort();
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            assert_eq!(total(&split, &names), expected, "{sessions} sessions, {calls} calls, {files} files");
        }
    }
}

/// A record of Claude Code at a time.
fn claude(session: &str, second: usize, is_side: bool, message: &Value) -> String {
    let role = message["role"].clone();
    json!({
        "type": role, "sessionId": session, "isSidechain": is_side, "parentUuid": null, "message": message,
        "timestamp": format!("2026-11-02T10:{:02}:{:02}Z", second / 60, second % 60),
    })
    .to_string()
}

fn claude_call(id: &str, tool: &str) -> Value {
    json!({ "id": format!("m{id}"), "role": "assistant", "content": [
        { "type": "tool_use", "id": id, "name": tool, "input": {} } ] })
}

fn claude_result(id: &str) -> Value {
    json!({ "role": "user", "content": [{ "type": "tool_result", "tool_use_id": id, "content": "done" }] })
}

#[test]
fn agents_beside_their_session_belong_to_it() {
    // A subagent runs the tests, its main agent pushes.
    for place in ["logs/agent-1.jsonl", "logs/a/main2.jsonl", "logs/s/subagents/agent-1.jsonl"] {
        let folder = folder();
        let side =
            [claude("s", 1, true, &claude_call("t", "tests")), claude("s", 2, true, &claude_result("t"))];
        let main = [
            claude("s", 0, false, &json!({ "role": "user", "content": "go" })),
            claude("s", 3, false, &claude_call("p", "push")),
            claude("s", 4, false, &claude_result("p")),
        ];
        folder.file(place, side.join("\n"));
        folder.file("logs/s.jsonl", main.join("\n"));
        let (sessions, laws) = total(&folder, &["logs"]);
        assert_eq!((sessions, laws[0]), (1, [1, 0, 0]), "{place}");
    }
}

#[test]
fn files_that_are_not_read_are_named() {
    let good = "{\"event\":\"call\",\"session\":\"s\",\"id\":1,\"tool\":\"edit\"}\n";
    let push = "{\"event\":\"call\",\"session\":\"t\",\"id\":1,\"tool\":\"push\"}\n";
    let torn = format!("\"tool\":\"edit\"}}\n{push}");
    let messages =
        json!({ "messages": [{ "role": "user", "content": "go" }, { "role": "assistant", "tool_calls": [
        { "id": "1", "function": { "name": "push", "arguments": "{}" } } ] }] })
        .to_string();
    // A file beside a good one; the exit codes without and with `--query`; what is said about it.
    let unread: [(&str, Vec<u8>, [i32; 2], &str); 7] = [
        ("notes.md", b"# Notes".to_vec(), [0, 0], "`logs/notes.md`"),
        ("x.json", b"{\"colors\":[1,2]}".to_vec(), [0, 3], "`logs/x.json`"),
        ("y.bin", vec![0, 159, 146, 150], [0, 0], "`logs/y.bin`"),
        (
            "cut.json",
            messages.as_bytes()[..messages.len() - 9].to_vec(),
            [0, 3],
            "`logs/cut.json` is not read",
        ),
        ("z.jsonl", Vec::new(), [0, 3], "`logs/z.jsonl`"),
        ("torn.jsonl", torn.into_bytes(), [1, 1], "line 1 of the log is not JSON"),
        ("end.jsonl", format!("{good}{{\"event\":\"ca").into_bytes(), [0, 3], "ends in the middle"),
    ];
    for (name, bytes, [plain, query], said) in unread {
        let folder = folder();
        folder.file("logs/good.jsonl", good.replace("\"s\"", "\"g\""));
        folder.file(&format!("logs/{name}"), bytes);
        let run = folder.run(["policy", "monitor", "p.toml", "logs", "--stats"]).exits(plain);
        assert!(run.out.contains(said) || run.err.contains(said), "{name}: {run:?}");
        folder.run(["policy", "monitor", "p.toml", "logs", "--query"]).exits(query);
    }
    // Of many, the first ones.
    let folder = folder();
    folder.file("logs/good.jsonl", good);
    for n in 0..30 {
        folder.file(&format!("logs/{n:02}.json"), "{\"a\":1}");
    }
    let run = folder.run(["policy", "monitor", "p.toml", "logs", "--stats"]).exits(0);
    let text = format!("{}{}", run.out, run.err);
    assert!(
        text.contains("30 files of no known format are not read") && text.contains("and 25 more"),
        "{text}"
    );
    // A format whose logs have names of their own.
    let run = folder.run(["policy", "monitor", "p.toml", "logs", "--from", "codex"]).exits(2);
    assert!(run.err.contains("`rollout-*.jsonl`"), "{}", run.err);
}

/// The lines of a journal with calls of these tools that were granted.
fn journal(tools: &[&str]) -> Vec<String> {
    let mut end = JournalEnd::default();
    let mut lines = Vec::new();
    let mut add = |kind: &str, data: Value| {
        let (text, next) = line(&end, kind, &data.to_string()).expect("a record");
        lines.push(text.trim_end().to_owned());
        end = next;
    };
    add(HEADER, json!({ "version": 1, "host": "claude-code", "session": "s" }));
    for (n, tool) in tools.iter().enumerate() {
        add("granted", json!({ "event": { "event": "call", "id": n, "tool": tool, "arguments": {} } }));
        add("event", json!({ "event": "result", "id": n, "ok": true }));
    }
    lines
}

#[test]
fn changed_journals_are_told() {
    for calls in [1, 3, 10] {
        let tools: Vec<&str> = ["tests", "push"].into_iter().cycle().take(calls).collect();
        let lines = journal(&tools);
        let warns = |lines: &[String]| {
            let folder = folder();
            folder.file("j.jsonl", lines.join("\n"));
            let run = folder.run(["policy", "monitor", "p.toml", "j.jsonl", "--stats"]);
            let query = folder.run(["policy", "monitor", "p.toml", "j.jsonl", "--query"]);
            let is_told = format!("{}{}", run.out, run.err).contains("of the journal:");
            assert!(!is_told || query.code != 0, "{query:?}");
            is_told
        };
        assert!(!warns(&lines), "{calls}");
        for n in 0..lines.len() {
            let mut removed = lines.clone();
            removed.remove(n);
            // Whether something came after the last record cannot be seen.
            assert_eq!(warns(&removed), n + 1 < lines.len(), "without line {n} of {calls} calls");
            let mut changed = lines.clone();
            changed[n] = changed[n].replace("\"data\":{", "\"data\":{ ");
            assert!(warns(&changed), "line {n} of {calls} calls is changed");
            if n > 0 {
                let mut exchanged = lines.clone();
                exchanged.swap(n - 1, n);
                assert!(warns(&exchanged), "lines {n} of {calls} calls are exchanged");
            }
        }
    }
}

/// What happens in a session: a call of a tool, with or without its result, or a prompt.
enum Told {
    Call(&'static str, bool),
    Prompt,
}

/// The session in a format.
fn session(format: &str, told: &[Told]) -> String {
    let mut messages = vec![json!({ "role": "user", "content": "go" })];
    let mut lines = vec![claude("s", 0, false, &messages[0])];
    let mut own = String::from("{\"event\":\"start\",\"session\":\"s\"}\n");
    for (n, event) in told.iter().enumerate() {
        let id = format!("call_{n}");
        match event {
            Told::Prompt => {
                messages.push(json!({ "role": "user", "content": "and?" }));
                lines.push(claude("s", 2 * n + 1, false, &json!({ "role": "user", "content": "and?" })));
                let _ = writeln!(
                    own,
                    "{}",
                    json!({ "event": "message", "session": "s", "role": "user", "text": "and?" })
                );
            }
            Told::Call(tool, has_result) => {
                let call = claude_call(&id, tool);
                lines.push(claude("s", 2 * n + 1, false, &call));
                messages.push(match format {
                    "anthropic" => json!({ "role": "assistant", "content": call["content"] }),
                    _ => json!({ "role": "assistant", "tool_calls": [
                        { "id": id, "type": "function", "function": { "name": tool, "arguments": "{}" } } ] }),
                });
                let _ =
                    writeln!(own, "{}", json!({ "event": "call", "session": "s", "id": id, "tool": tool }));
                if *has_result {
                    lines.push(claude("s", 2 * n + 2, false, &claude_result(&id)));
                    messages.push(match format {
                        "anthropic" => claude_result(&id),
                        _ => json!({ "role": "tool", "tool_call_id": id, "content": "done" }),
                    });
                    let result = json!({ "event": "result", "session": "s", "id": id, "ok": true });
                    let _ = writeln!(own, "{result}");
                }
            }
        }
    }
    match format {
        "claude" => lines.join("\n"),
        "jsonl" => own,
        _ => json!({ "messages": messages }).to_string(),
    }
}

#[test]
fn calls_without_results_are_undecided() {
    use Told::{Call, Prompt};
    let (kept, violated, open) = ([1, 0, 0], [0, 1, 0], [0, 0, 1]);
    // A session, and what is known of "push requires tests before" in Anthropic's and OpenAI's messages, transcripts of
    // Claude Code, and our own format, which tells each event as it came.
    let cases: [(Vec<Told>, [[u64; 3]; 4]); 6] = [
        (vec![Call("tests", true), Call("push", true)], [kept, open, kept, kept]),
        (vec![Call("push", true), Call("tests", true)], [violated; 4]),
        (vec![Call("tests", false), Prompt, Call("push", true)], [open, open, open, violated]),
        // Claude Code may call several tools at once, and tells results later.
        (vec![Call("tests", false), Call("push", true)], [open, open, violated, violated]),
        (vec![Call("tests", false), Call("push", false), Prompt], [open, open, violated, violated]),
        (vec![Call("push", false), Prompt, Call("tests", false)], [violated; 4]),
    ];
    for (told, expected) in cases {
        for (format, expected) in ["anthropic", "openai", "claude", "jsonl"].into_iter().zip(expected) {
            let folder = folder();
            let text = session(format, &told);
            folder.file("log.jsonl", &text);
            let (sessions, laws) = total(&folder, &["log.jsonl", "--from", format]);
            assert_eq!((sessions, laws[0]), (1, expected), "{format}: {text}");
        }
    }
}
