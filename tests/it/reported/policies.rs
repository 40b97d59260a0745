//! Calls that a policy forbids and that passed: what is asked about once, commands without a table, words and values
//! that are not known.

use crate::support::shared;
use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// The cases of `../shared/cases/gate` that are decided here.
const DECIDED: [&str; 1] = ["01"];
/// Cases that are not solved yet: their decisions are printed.
const OPEN: [&str; 10] = ["07", "08", "09", "15", "16", "18", "24", "26", "27", "29"];

/// The answers of the gate to requests, one on each line.
fn answers(policy: &Path, requests: &str) -> Vec<Value> {
    let mut child = Command::new(env!("CARGO_BIN_EXE_tsl-synth"))
        .arg("shield")
        .arg(policy)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the gate starts");
    let mut input = child.stdin.take().expect("a pipe");
    let text = requests.to_owned();
    let writer = std::thread::spawn(move || input.write_all(text.as_bytes()).expect("the gate reads"));
    let output = child.wait_with_output().expect("it ends");
    writer.join().expect("all requests were written");
    let lines = String::from_utf8(output.stdout).expect("text");
    let read = |line: &str| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
    lines.lines().map(read).collect()
}

/// A session with a policy.
struct Session {
    name: &'static str,
    policy: String,
    requests: Vec<Value>,
    /// For each request the expected verdict; empty if it is no proposal.
    expected: Vec<&'static str>,
}

impl Session {
    fn new(name: &'static str, policy: &str) -> Self {
        let policy = format!("policy = 1\nname = \"{name}\"\n{policy}");
        Self { name, policy, requests: Vec::new(), expected: Vec::new() }
    }
    fn tell(mut self, request: Value) -> Self {
        self.requests.push(request);
        self.expected.push("");
        self
    }
    /// A call with its expected verdict; if it is granted or asked about, it is made and succeeds.
    fn call(mut self, tool: &str, arguments: &Value, expected: &'static str) -> Self {
        let id = format!("c{}", self.requests.len());
        self.requests.push(json!({ "event": "propose", "id": id, "tool": tool, "arguments": arguments }));
        self.expected.push(expected);
        if expected == "deny" {
            return self;
        }
        self.tell(json!({ "event": "result", "id": id, "ok": true }))
    }
    fn calls(self, tool: &str, expected: &'static str) -> Self {
        self.call(tool, &json!({}), expected)
    }
    fn shell(self, command: &str, expected: &'static str) -> Self {
        self.call("Bash", &json!({ "command": command }), expected)
    }
    /// Plays the session and compares the verdicts; the answers to the proposals.
    fn check(self) -> Vec<Value> {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("policy.toml");
        std::fs::write(&file, &self.policy).expect("a policy");
        let lines: Vec<String> = self.requests.iter().map(Value::to_string).collect();
        let answers = answers(&file, &format!("{}\n", lines.join("\n")));
        assert_eq!(answers.len(), self.requests.len(), "{}: {answers:?}", self.name);
        let mut proposals = Vec::new();
        for ((request, answer), expected) in self.requests.iter().zip(answers).zip(&self.expected) {
            if expected.is_empty() {
                assert!(answer.get("error").is_none(), "{}: {request}\n{answer}", self.name);
                continue;
            }
            let (tool, arguments) = (request["tool"].as_str().unwrap_or_default(), &request["arguments"]);
            println!("{}: {tool} {arguments}: {}", self.name, answer["verdict"]);
            assert_eq!(answer["verdict"], **expected, "{}: {request}\n{answer:#}", self.name);
            assert_eq!(answer.get("lost"), None, "{}: {request}\n{answer:#}", self.name);
            proposals.push(answer);
        }
        proposals
    }
}

/// The expected and the given verdict of each call of a case.
fn verdicts(folder: &Path) -> Vec<(String, String, String)> {
    let input = std::fs::read_to_string(folder.join("input.jsonl")).expect("requests");
    let table = std::fs::read_to_string(folder.join("expected.md")).expect("a table");
    let rows = table.lines().filter(|line| line.starts_with("| ")).skip(1);
    let right = rows.map(|row| {
        // A bar within a call is written as `&#124;`.
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        (cells[1].to_owned(), cells[2].to_owned())
    });
    let answers = answers(&folder.join("policy.toml"), &input);
    let given = answers.iter().filter_map(|answer| answer["verdict"].as_str());
    right.zip(given).map(|((call, right), given)| (call, right, given.to_owned())).collect()
}

#[test]
fn cases_of_forbidden_calls_that_passed() {
    let Some(root) = shared("cases/gate") else { return };
    let mut folders: Vec<_> = std::fs::read_dir(root).expect("a folder").flatten().collect();
    folders.sort_by_key(std::fs::DirEntry::file_name);
    let mut decided = 0;
    for folder in folders.iter().map(std::fs::DirEntry::path) {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let is = |list: &[&str]| list.iter().any(|number| name.starts_with(number));
        if !is(&DECIDED) && !is(&OPEN) {
            continue;
        }
        if !folder.join("input.jsonl").is_file() {
            println!("{name}: open (it runs hooks, not lines)");
            continue;
        }
        for (call, right, given) in verdicts(&folder) {
            let note = if right == given || right == "any" { "" } else { "  OPEN" };
            println!("{name}: {call}: {given}, right is {right}{note}");
            if is(&DECIDED) {
                decided += 1;
                assert!(note.is_empty(), "{name}: {call}: {given}, not {right}");
            }
        }
    }
    assert_eq!(decided, 4, "calls of the decided cases");
}

const LEAK: &str = r#"
unmatched = "allow"
[actions]
groups = [["fetch"], ["mail", "post"], ["deploy"], ["check"]]
[[match]]
on = "call"
tool = "fetch"
action = "fetch"
[[match]]
on = "call"
tool = "mail"
action = "mail"
[[match]]
on = "call"
tool = "post"
action = "post"
[[match]]
on = "call"
tool = "deploy"
action = "deploy"
[[match]]
on = "call"
tool = "check"
action = "check"
"#;

#[test]
fn each_violation_is_asked_about() {
    // The law looks back, or ahead, or is about one call alone.
    for (name, law) in [
        ("ask: past", "G (mail -> !(O fetch))"),
        ("ask: future", "G (fetch -> X G !mail)"),
        ("ask: once", "G (fetch -> X G !mail) & G (mail -> X G !mail)"),
    ] {
        let text = format!("{LEAK}[[law]]\nid = \"l\"\nltl = \"{law}\"\non_violation = \"ask\"\n");
        let session = Session::new(name, &text).calls("fetch", "allow").calls("check", "allow");
        session.calls("mail", "ask").calls("post", "allow").calls("mail", "ask").calls("mail", "ask").check();
    }
    let text = format!("{LEAK}[[law]]\nid = \"never\"\nltl = \"G !deploy\"\non_violation = \"ask\"\n");
    Session::new("ask: never", &text)
        .calls("deploy", "ask")
        .calls("check", "allow")
        .calls("deploy", "ask")
        .calls("deploy", "ask")
        .check();
    // What the call's letter says beside the call is read all the same.
    let text = r#"
unmatched = "allow"
trace = "per-action"
[propositions]
dirty = {}
[[match]]
on = "observe"
where = [{ pointer = "/dirty", "=" = true }]
proposition = "dirty"
[actions]
groups = [["send", "other"]]
[[match]]
on = "call"
tool = "send"
action = "send"
[[match]]
on = "call"
tool = "other"
action = "other"
[[law]]
id = "clean"
ltl = "G (send -> !(O dirty))"
on_violation = "ask"
"#;
    Session::new("ask: truths of the same letter", text)
        .calls("send", "allow")
        .tell(json!({ "event": "observe", "set": { "dirty": true } }))
        .calls("send", "ask")
        .calls("other", "allow")
        .calls("send", "ask")
        .check();
}

#[test]
fn each_violation_is_warned_about() {
    let warned =
        format!("{LEAK}[[law]]\nid = \"w\"\nltl = \"G (mail -> !(O fetch))\"\non_violation = \"warn\"\n");
    let answers = Session::new("warn", &warned)
        .calls("mail", "allow")
        .calls("fetch", "allow")
        .calls("mail", "warn")
        .calls("check", "allow")
        .calls("mail", "warn")
        .check();
    assert_eq!(answers[4]["by"], json!(["w"]));
    // `log` passes, and names the law each time.
    let logged = warned.replace("\"warn\"", "\"log\"");
    let answers = Session::new("log", &logged)
        .calls("fetch", "allow")
        .calls("mail", "allow")
        .calls("mail", "allow")
        .check();
    assert_eq!((&answers[1]["by"], &answers[2]["by"]), (&json!(["w"]), &json!(["w"])));
    // Where the call is chosen before the rest of its letter.
    let text = format!(
        "timing = \"next\"\n{LEAK}[[law]]\nid = \"w\"\nltl = \"G (fetch -> X G !mail)\"\non_violation = \"warn\"\n"
    );
    Session::new("warn: next", &text)
        .calls("mail", "allow")
        .calls("fetch", "allow")
        .calls("mail", "warn")
        .calls("check", "allow")
        .calls("mail", "warn")
        .check();
}

#[test]
fn an_approval_frees_no_other_value_and_no_other_law() {
    let text = r#"
unmatched = "allow"
[actions]
groups = [["open"], ["pay"]]
[[match]]
on = "call"
tool = "open"
action = "open"
bind = { account = "/arguments/account" }
[[match]]
on = "call"
tool = "pay"
action = "pay"
bind = { account = "/arguments/account" }
[[law]]
id = "opened"
for_each = ["account"]
ltl = "G (pay -> O open)"
on_violation = "ask"
"#;
    let account = |name: &str| json!({ "account": name });
    Session::new("ask: for each", text)
        .call("open", &account("a"), "allow")
        .call("pay", &account("a"), "allow")
        .call("pay", &account("b"), "ask")
        .call("pay", &account("b"), "ask")
        .call("pay", &account("c"), "ask")
        .call("open", &account("b"), "allow")
        .call("pay", &account("b"), "allow")
        .call("pay", &account("c"), "ask")
        .check();
    // The hard law needs look-ahead: after `fetch` only `check` can come before the end, and `post` forbids it.
    let hard = "[[law]]\nid = \"checked\"\nltl = \"G (fetch -> F check)\"\n\
                [[law]]\nid = \"closed\"\nltl = \"G (post -> G !check)\"\n";
    let text = format!("{LEAK}[[law]]\nid = \"asked\"\nltl = \"G !mail\"\non_violation = \"ask\"\n{hard}");
    let answers = Session::new("ask: look-ahead stays", &text)
        .calls("fetch", "allow")
        .calls("mail", "ask")
        .calls("post", "deny")
        .calls("mail", "ask")
        .calls("check", "allow")
        .calls("post", "allow")
        .calls("fetch", "deny")
        .calls("mail", "ask")
        .check();
    assert_eq!(answers[2]["by"], json!(["checked", "closed"]));
    // An asked law that can no longer be kept, although no letter has violated it yet: `mail` owes a `deploy`, which a
    // hard law forbids.
    let text = format!(
        "{LEAK}[[law]]\nid = \"owes\"\nltl = \"G (mail -> F deploy)\"\non_violation = \"ask\"\n\
         [[law]]\nid = \"frozen\"\nltl = \"G !deploy\"\n{hard}"
    );
    Session::new("ask: cannot be kept", &text)
        .calls("mail", "ask")
        .calls("deploy", "deny")
        .calls("fetch", "allow")
        .calls("post", "deny")
        .calls("check", "allow")
        .check();
}

#[test]
fn each_violation_within_a_script_is_asked_about() {
    let text = r#"
unmatched = "allow"
[actions]
groups = [["read"], ["send"]]
[[match]]
on = "call"
tool = "Bash"
shell = "/arguments/command"
argv = ["cat", "secret"]
action = "read"
[[match]]
on = "call"
tool = "Bash"
shell = "/arguments/command"
argv = ["curl", "**"]
action = "send"
[[law]]
id = "no-leak"
ltl = "G (send -> !(O read))"
on_violation = "ask"
"#;
    Session::new("ask: scripts", text)
        .shell("curl a && ls", "allow")
        .shell("ls; cat secret && curl a; ls", "ask")
        .shell("ls", "allow")
        .shell("ls && curl b", "ask")
        .shell("curl c", "ask")
        .check();
}

#[test]
fn a_denied_call_that_was_made_frees_nothing() {
    for law in ["G (mail -> !(O fetch))", "G (fetch -> X G !mail)"] {
        let text = format!("{LEAK}[[law]]\nid = \"l\"\nltl = \"{law}\"\n");
        let mut session =
            Session::new("deny: disobeyed", &text).calls("fetch", "allow").calls("mail", "deny");
        let id = session.requests[2]["id"].clone();
        session = session.tell(json!({ "event": "result", "id": id, "ok": true }));
        session.calls("mail", "deny").calls("check", "allow").calls("mail", "deny").check();
    }
}
