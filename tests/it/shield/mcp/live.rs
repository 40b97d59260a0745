//! The program as a process between an MCP client and an MCP server, which is a script for node.

use crate::cli::{Folder, Run};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};
use tsl_synth_testkit::skip;

/// A server that logs what it reads and writes. The name of the tool determines what it does.
const SERVER: &str = r#"
const fs = require("node:fs");
const say = (bytes) => { fs.appendFileSync("sent", bytes); fs.writeSync(1, bytes); };
if (process.argv[2] === "greet") say("Hello from the server\n");
process.stderr.write("the server runs\n");
let rest = Buffer.alloc(0);
process.stdin.on("data", (chunk) => {
  fs.appendFileSync("seen", chunk);
  rest = Buffer.concat([rest, chunk]);
  for (let end; (end = rest.indexOf(10)) >= 0; rest = rest.subarray(end + 1)) {
    let message;
    try { message = JSON.parse(rest.subarray(0, end)); } catch { continue; }
    if (Array.isArray(message) || message.id === undefined || message.method === undefined) continue;
    const id = JSON.stringify(message.id);
    const name = message.params?.name ?? "";
    if (name === "crash") process.exit(7);
    if (name === "die") process.kill(process.pid, "SIGKILL");
    if (name === "silent") continue;
    const text = name === "big" ? "x".repeat(10 << 20) : "caf\u00e9 \u2028";
    say(`{"id" :${id}, "result":{ "content":[{"type":"text","text":"${text}"}] },"jsonrpc":"2.0"}\r\n`);
  }
});
process.stdin.on("end", () => { if (process.argv[2] === "stay") setInterval(() => {}, 1000); else say("half a li"); });
"#;

const POLICY: &str = r#"policy = 1
name = "push"
unmatched = "allow"
[actions]
groups = [["push", "test"]]
[[match]]
on = "call"
tool = "push"
server = "box"
action = "push"
[[match]]
on = "call"
tool = "test"
server = "box"
action = "test"
[[law]]
id = "tests-first"
rule = "push requires test before"
why = "Test before you push."
"#;

/// The running program with its server, its folder, and its standard input and output.
struct Live {
    folder: Folder,
    child: Child,
    stdin: Option<ChildStdin>,
    out: BufReader<ChildStdout>,
}

/// `None` if node is not installed.
fn start(flags: &[&str], mode: &str) -> Option<Live> {
    start_in(Folder::new(), flags, mode)
}

fn start_in(folder: Folder, flags: &[&str], mode: &str) -> Option<Live> {
    if Command::new("node").arg("--version").output().is_err() {
        assert!(std::env::var_os("CI").is_none(), "`node` is not there");
        skip("`node` is not there");
        return None;
    }
    folder.file("server.cjs", SERVER);
    folder.file("policy.toml", POLICY);
    let mut command = folder.command(["shield", "policy.toml", "--proto", "mcp", "--server", "box"]);
    command
        .args(flags)
        .args(["--", "node", "server.cjs", mode])
        .env("TSL_SYNTH_STATE", folder.path().join("state"));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    let stdin = child.stdin.take();
    let out = BufReader::new(child.stdout.take().expect("piped"));
    Some(Live { folder, child, stdin, out })
}

impl Live {
    fn say(&mut self, line: &str) {
        let stdin = self.stdin.as_mut().expect("open");
        stdin.write_all(format!("{line}\n").as_bytes()).expect("it reads");
    }
    fn hear(&mut self) -> String {
        let mut line = String::new();
        self.out.read_line(&mut line).expect("text");
        line
    }
    /// Calls a tool and returns whether the call was refused.
    fn is_refused(&mut self, id: u32, tool: &str) -> bool {
        self.say(&call(id, tool));
        let answer: Value = serde_json::from_str(&self.hear()).expect("JSON");
        assert_eq!(answer["id"], id);
        answer["result"]["isError"] == true
    }
    fn file(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.folder.path().join(name)).unwrap_or_default()
    }
    /// Closes the input; returns the remaining output and the folder.
    fn end(mut self) -> (Run, Folder) {
        drop(self.stdin.take());
        let mut out = Vec::new();
        self.out.read_to_end(&mut out).expect("it ends");
        let mut output = self.child.wait_with_output().expect("it ends");
        output.stdout = out;
        (Run::of(output), self.folder)
    }
}

fn call(id: u32, tool: &str) -> String {
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": tool, "arguments": {"n": 1}}})
        .to_string()
}

#[test]
fn everything_else_passes_byte_for_byte() {
    let Some(mut live) = start(&[], "greet") else { return };
    let lines = [
        r#" {"jsonrpc" : "2.0", "id": 1.0, "method":"initialize", "params":{"a":1, "a":2}}"#.to_owned(),
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\r".to_owned(),
        String::new(),
        r#"{"jsonrpc":"2.0","id":"s","result":{"roots":[]}}"#.to_owned(),
        format!(r#"{{"jsonrpc":"2.0","id":2,"method":"ping","params":{{"x":"{}"}}}}"#, "y".repeat(10 << 20)),
        r#"{"jsonrpc":"2.0","id":3,"method":"tools/list"}"#.to_owned(),
    ];
    for line in &lines {
        live.say(line);
    }
    let mut heard: String = (0..4).map(|_| live.hear()).collect();
    let (run, folder) = live.end();
    let run = run.exits(0);
    heard += &run.out;
    let file = |name: &str| std::fs::read(folder.path().join(name)).expect("a file");
    assert!(
        file("seen") == format!("{}\n", lines.join("\n")).into_bytes(),
        "what the server reads is what was sent"
    );
    assert_eq!(heard.into_bytes(), file("sent"));
    assert!(run.err.contains("the server runs"), "{run:?}");
}

#[test]
fn denied_calls_do_not_reach_the_server() {
    let Some(mut live) = start(&[], "") else { return };
    assert!(live.is_refused(1, "push"));
    assert!(!live.is_refused(2, "test"));
    assert!(!live.is_refused(3, "push"));
    let big = format!(
        r#"{{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{{"name":"big","arguments":{{"x":"{}"}}}}}}"#,
        "z".repeat(10 << 20)
    );
    live.say(&big);
    assert!(live.hear().len() > 10 << 20);
    live.say("{\"jsonrpc\":\"2.0\",\"id\":5,\r\"method\":\"tools/call\"}");
    assert!(live.hear().contains("-32700"));
    let seen = [call(2, "test"), call(3, "push"), big].map(|line| line + "\n").concat();
    assert!(live.file("seen") == seen.into_bytes());
    // When the policy becomes invalid, calls are denied and all other messages pass.
    live.folder.file("policy.toml", "policy = 1\n[[law]]\n");
    assert!(live.is_refused(6, "test"));
    live.say(r#"{"jsonrpc":"2.0","id":7,"method":"ping"}"#);
    assert!(live.hear().contains("caf\u{e9} \u{2028}"));
    live.folder.file("policy.toml", POLICY);
    assert!(!live.is_refused(8, "push"), "the session goes on where it was");
    // An incomplete line at the end of the input is not passed on.
    live.stdin
        .as_mut()
        .expect("open")
        .write_all(call(9, "test").trim_end_matches('}').as_bytes())
        .expect("it reads");
    let (run, folder) = live.end();
    run.exits(0);
    let seen = std::fs::read_to_string(folder.path().join("seen")).expect("text");
    assert!(!seen.contains("\"id\":9"));
}

#[test]
fn shadow_mode_lets_everything_pass() {
    let Some(mut live) = start(&["--shadow"], "") else { return };
    assert!(!live.is_refused(1, "push"));
    let (run, _) = live.end();
    assert!(run.exits(0).err.contains("tests-first"));
}

#[test]
fn a_server_that_ends_leaves_no_call_without_an_answer() {
    for (tool, code) in [("crash", 7), ("die", 137)] {
        let Some(mut live) = start(&[], "") else { return };
        live.say(&call(1, "silent"));
        live.say(&call(2, tool));
        let answers =
            [live.hear(), live.hear()].map(|line| serde_json::from_str::<Value>(&line).expect("JSON"));
        assert!(answers.iter().all(|answer| answer["result"]["isError"] == true), "{answers:?}");
        // The program ends although its input is still open.
        let output = live.child.wait().expect("it ends");
        let wanted = if cfg!(unix) { Some(code) } else { output.code() };
        assert_eq!(output.code(), wanted);
        let journals = live.folder.path().join("state/journals/mcp");
        let journal =
            std::fs::read_dir(journals).expect("a folder").next().expect("a journal").expect("an entry");
        let text = std::fs::read_to_string(journal.path()).expect("text");
        assert_eq!(text.matches("\"ok\":null").count(), 2, "the outcome of both is unknown: {text}");
    }
}

#[test]
fn a_server_that_does_not_end_is_stopped() {
    let Some(mut live) = start(&[], "stay") else { return };
    assert!(!live.is_refused(1, "test"));
    let start = Instant::now();
    let (run, _) = live.end();
    run.exits(0);
    assert!(start.elapsed() < Duration::from_secs(8), "{:?}", start.elapsed());
}

#[test]
fn a_server_that_does_not_start_is_an_error() {
    let folder = Folder::new();
    folder.file("policy.toml", POLICY);
    folder.file("broken.toml", "policy = 1\n[[law]]\n");
    for args in [
        &["policy.toml", "--proto", "mcp", "--", "no-such-program"][..],
        &["policy.toml", "--proto", "mcp"],
        &["broken.toml", "--proto", "mcp", "--", "node"],
    ] {
        let args = ["shield", "--journal", "state"].into_iter().chain(args.iter().copied());
        let run = folder.run(args).exits(2);
        assert!(run.out.is_empty() && run.err.contains("error"), "{run:?}");
    }
}

/// With `--host`, a hook decides, and the proxy passes only calls that the hook granted: once, with the same arguments.
#[test]
fn with_a_hook_only_its_grants_pass_and_once_each() {
    let folder = Folder::new();
    let Some(mut live) = start_in(folder, &["--host", "claude-code"], "") else { return };
    let place = live.folder.path().to_owned();
    let hook = |event: &str, tool: &str, id: &str, more: Value| {
        let mut payload = json!({
            "session_id": "s1", "cwd": "/p", "hook_event_name": event, "tool_name": format!("mcp__box__{tool}"),
            "tool_input": {"n": 1}, "tool_use_id": id,
        });
        payload.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        let mut command = Command::new(env!("CARGO_BIN_EXE_tsl-synth"));
        command
            .args(["shield", "policy.toml", "--proto", "hook", "--host", "claude-code"])
            .current_dir(&place);
        command.env("TSL_SYNTH_STATE", place.join("state")).stdin(Stdio::piped()).stdout(Stdio::piped());
        command.stderr(Stdio::piped());
        let mut child = command.spawn().expect("it starts");
        child.stdin.take().expect("piped").write_all(payload.to_string().as_bytes()).expect("it reads");
        Run::of(child.wait_with_output().expect("it ends")).exits(0).out
    };
    let grant = |tool: &str, id: &str| assert_eq!(hook("PreToolUse", tool, id, json!({})), "");
    assert!(hook("PreToolUse", "push", "c0", json!({})).contains("deny"));
    grant("test", "c1");
    grant("test", "c2");
    grant("other", "c3");
    let done = hook("PostToolUse", "other", "c3", json!({"tool_response": "ok"}));
    assert_eq!(done, "");
    assert!(live.is_refused(1, "push"), "the host makes a call that the hook denied");
    assert!(!live.is_refused(2, "test") && !live.is_refused(3, "test"));
    assert!(live.is_refused(4, "test"), "each grant is for one call");
    assert!(live.is_refused(5, "other"), "the call has ended");
    live.say(&call(6, "test").replace("{\"n\":1}", "{\"n\":2}"));
    assert!(live.hear().contains("isError"));
    // The hooks can append to the journal after the records of the proxy, so that further grants are possible.
    grant("test", "c4");
    assert!(!live.is_refused(7, "test"));
    let (run, folder) = live.end();
    run.exits(0);
    let seen = std::fs::read_to_string(folder.path().join("seen")).expect("text");
    assert_eq!(seen, [2, 3, 7].map(|id| call(id, "test") + "\n").concat());
}
