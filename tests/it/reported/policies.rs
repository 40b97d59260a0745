//! Calls that a policy forbids and that passed: what is asked about once, commands without a table, words and values
//! that are not known.

use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use tsl_synth_core::diag::Diagnostics;
use tsl_synth_core::source::SourceMap;
use tsl_synth_policy::language::load_policy;
use tsl_synth_testkit::shared;

/// The cases of `../shared/cases/gate` that are decided here.
const DECIDED: [&str; 5] = ["01", "03", "11", "14", "23"];
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
pub(super) struct Session {
    name: &'static str,
    policy: String,
    pub(super) requests: Vec<Value>,
    /// For each request the expected verdict; empty if it is no proposal.
    pub(super) expected: Vec<&'static str>,
}

impl Session {
    pub(super) fn new(name: &'static str, policy: &str) -> Self {
        let policy = format!("policy = 1\nname = \"{name}\"\n{policy}");
        Self { name, policy, requests: Vec::new(), expected: Vec::new() }
    }
    pub(super) fn tell(mut self, request: Value) -> Self {
        self.requests.push(request);
        self.expected.push("");
        self
    }
    /// A call with its expected verdict; if it is granted or asked about, it is made and succeeds.
    pub(super) fn call(mut self, tool: &str, arguments: &Value, expected: &'static str) -> Self {
        let id = format!("c{}", self.requests.len());
        self.requests.push(json!({ "event": "propose", "id": id, "tool": tool, "arguments": arguments }));
        self.expected.push(expected);
        if expected == "deny" {
            return self;
        }
        self.tell(json!({ "event": "result", "id": id, "ok": true }))
    }
    pub(super) fn calls(self, tool: &str, expected: &'static str) -> Self {
        self.call(tool, &json!({}), expected)
    }
    pub(super) fn shell(self, command: &str, expected: &'static str) -> Self {
        self.call("Bash", &json!({ "command": command }), expected)
    }
    /// Plays the session and compares the verdicts; the answers to the proposals.
    pub(super) fn check(self) -> Vec<Value> {
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

/// The findings of a policy.
fn findings(text: &str) -> Vec<String> {
    let mut map = SourceMap::new();
    let source = map.add("policy.toml", format!("policy = 1\n{text}"));
    let mut diagnostics = Diagnostics::new();
    load_policy(&mut map, source, &mut diagnostics);
    diagnostics.iter().map(ToString::to_string).collect()
}

/// Whether the reason of an answer has a text.
fn says(answer: &Value, text: &str) -> bool {
    answer["reason"].as_str().is_some_and(|reason| reason.contains(text))
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
    assert_eq!(decided, 4 + 5 + 4 + 5 + 4, "calls of the decided cases");
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

/// A policy with tables of shell commands: the words of each, its action, and more of the table.
fn shell_policy(head: &str, groups: &str, tables: &[(&[&str], &str, &str)], laws: &str) -> String {
    let mut text = format!("{head}\n[actions]\ngroups = {groups}\n");
    for (argv, action, more) in tables {
        let argv = json!(argv);
        let table = format!(
            "[[match]]\non = \"call\"\ntool = \"Bash\"\nshell = \"/arguments/command\"\nargv = {argv}\n\
             action = \"{action}\"\n{more}\n"
        );
        text.push_str(&table);
    }
    text + laws
}

#[test]
fn each_command_of_a_script_needs_a_table() {
    let never = "[[law]]\nid = \"l\"\nltl = \"G !push\"\n";
    let tables: [(&[&str], &str, &str); 3] =
        [(&["ls", "**"], "list", ""), (&["wc", "**"], "count", ""), (&["git", "push", "**"], "push", "")];
    let groups = "[[\"list\"], [\"count\"], [\"push\"]]";
    for (head, verdict) in [("", "deny"), ("unmatched = \"ask\"", "ask"), ("unmatched = \"warn\"", "warn")] {
        let text = shell_policy(head, groups, &tables, never);
        let answers = Session::new("unmatched", &text)
            .shell("ls -l", "allow")
            .shell("ls | wc -l; { ls && wc x; } || ls", "allow")
            .shell("bash -c 'ls && wc x'", "allow")
            .shell("x=1; ls", "allow")
            .shell("evil x", verdict)
            .shell("ls && evil x", verdict)
            .shell("ls | evil", verdict)
            .shell("if evil; then ls; fi", verdict)
            .shell("for f in 1 2; do ls; evil; done", verdict)
            .shell("bash -c 'ls; evil'", verdict)
            .shell("ls \"$(evil)\"", verdict)
            .shell("git \"$x\"", "deny")
            .calls("Other", verdict)
            .check();
        assert!(says(&answers[5], "No table of the policy names"), "{:#}", answers[5]);
    }
    // A table about the whole call names each command in it.
    let whole = "[[match]]\non = \"call\"\ntool = \"Bash\"\naction = \"count\"\n";
    let text = shell_policy("", groups, &tables, &format!("{whole}{never}"));
    Session::new("unmatched: whole call", &text)
        .shell("ls && evil x", "allow")
        .calls("Other", "deny")
        .check();
    let text = shell_policy("unmatched = \"allow\"", groups, &tables, never);
    Session::new("unmatched: allow", &text)
        .shell("ls && evil x; git push", "deny")
        .shell("evil", "allow")
        .check();
}

#[test]
fn patterns_that_may_match_are_assumed_to_match_together() {
    let groups = "[[\"push\"], [\"force\"], [\"main\"], [\"pull\"]]";
    let tables: [(&[&str], &str, &str); 4] = [
        (&["git", "push", "**"], "push", ""),
        (&["git", "**", "{-f,--force}", "**"], "force", ""),
        (&["git", "**", "main", "**"], "main", ""),
        (&["git", "pull", "**"], "pull", ""),
    ];
    let law = |ltl: &str| format!("[[law]]\nid = \"l\"\nltl = \"{ltl}\"\n");
    let two = shell_policy("unmatched = \"allow\"", groups, &tables, &law("G !(push & force)"));
    Session::new("together: two", &two)
        .shell("git push origin main", "allow")
        .shell("git $x --force", "deny")
        .shell("git {push,--force}", "deny")
        .shell("git \"$a\" \"$b\"", "deny")
        .shell("x='push --force'; git $x", "deny")
        .shell("sudo git $(cat args)", "deny")
        .shell("git push origin \"$branch\"", "deny")
        // One word cannot be both, and `-x` is neither.
        .shell("git \"$a\"", "allow")
        .shell("git \"$a\" -x", "allow")
        .shell("git pull \"$a\"", "allow")
        .check();
    let three = shell_policy("unmatched = \"allow\"", groups, &tables, &law("G !(push & force & main)"));
    Session::new("together: three", &three)
        .shell("git push \"$a\"", "allow")
        .shell("git push \"$a\" \"$b\"", "deny")
        .shell("git push $a", "deny")
        .shell("git \"$a\" \"$b\"", "allow")
        .check();
    // Subcommands exclude each other, so that no two of many are assumed for one word.
    let exclusive = shell_policy("unmatched = \"allow\"", groups, &tables, &law("G !(push & pull)"));
    Session::new("together: exclusive", &exclusive)
        .shell("git \"$a\"", "allow")
        .shell("git \"$a\" \"$b\"", "allow")
        // These may be `git bisect run COMMAND`.
        .shell("git $a", "deny")
        .shell("git \"$a\" \"$b\" \"$c\"", "deny")
        .check();
    // Outcomes, too: after the command both may have been done.
    let after =
        shell_policy("unmatched = \"allow\"", groups, &tables, &law("G (pull -> !(O (push & force)))"));
    Session::new("together: later", &after)
        .shell("git \"$a\" \"$b\"", "allow")
        .shell("git pull", "deny")
        .check();
}

#[test]
fn tables_that_disagree_deny() {
    let never = "[[law]]\nid = \"l\"\nltl = \"G !(push & force)\"\n";
    let tables: [(&[&str], &str, &str); 2] =
        [(&["git", "push", "**"], "push", ""), (&["git", "**", "--force", "**"], "force", "")];
    let text = shell_policy("unmatched = \"allow\"", "[[\"push\", \"force\"]]", &tables, never);
    let answers = Session::new("disagree: one group", &text)
        .shell("git push", "allow")
        .shell("git fetch --force", "allow")
        .shell("ls; git push --force", "deny")
        .shell("git push $x", "deny")
        .check();
    assert!(says(&answers[2], "`push` and `force`, which are of one group"), "{:#}", answers[2]);
    let sets = |value: &str| format!("set = {{ clean = {value} }}");
    let tables: [(&[&str], &str, &str); 2] =
        [(&["make", "**"], "push", &sets("true")), (&["make", "dirt"], "force", &sets("false"))];
    let head = "unmatched = \"allow\"\n[propositions]\nclean = { state = true }";
    let law = "[[law]]\nid = \"l\"\nltl = \"G (force -> !clean)\"\n";
    let text = shell_policy(head, "[[\"push\"], [\"force\"]]", &tables, law);
    let answers =
        Session::new("disagree: truths", &text).shell("make", "allow").shell("make dirt", "deny").check();
    assert!(says(&answers[1], "two tables disagree on `clean`"), "{:#}", answers[1]);
    // Of two answers for what cannot be read the stricter one holds.
    let tables: [(&[&str], &str, &str); 2] =
        [(&["a"], "push", "opaque = \"allow\""), (&["b"], "force", "opaque = \"deny\"")];
    let text = shell_policy("unmatched = \"allow\"", "[[\"push\"], [\"force\"]]", &tables, never);
    Session::new("disagree: opaque", &text).shell("eval \"$x\"", "deny").shell("a", "allow").check();
}

#[test]
fn a_call_without_its_value_fulfils_nothing() {
    let text = r#"
unmatched = "allow"
[propositions]
receipt = {}
[actions]
groups = [["check"], ["refund"]]
[[match]]
on = "call"
tool = "check"
action = "check"
bind = { order = "/arguments/order" }
[[match]]
on = "call"
tool = "refund"
action = "refund"
bind = { order = "/arguments/order" }
[[match]]
on = "result"
tool = "lookup"
ok = true
proposition = "receipt"
bind = { order = "/result/order" }
[[law]]
id = "checked"
for_each = ["order"]
ltl = "G (refund -> O (check.ok | receipt))"
"#;
    let order = |order: Value| json!({ "order": order });
    let mut session = Session::new("unbound: fulfils", text);
    for without in [json!({}), json!({ "order": null }), json!({ "id": "7" })] {
        session = session
            .call("check", &without, "allow")
            .call("refund", &order(json!("7")), "deny")
            .call("refund", &order(json!("8")), "deny")
            .call("refund", &without, "deny");
    }
    // Lists and objects are compared by value.
    session = session
        .call("check", &order(json!(["7"])), "allow")
        .call("refund", &order(json!("7")), "deny")
        .call("refund", &order(json!(["8"])), "deny")
        .call("refund", &order(json!(["7"])), "allow")
        .call("check", &order(json!({ "a": 1, "b": 2 })), "allow")
        .call("refund", &order(json!({ "b": 2, "a": 1 })), "allow")
        .call("refund", &order(json!({ "b": 1, "a": 2 })), "deny");
    session = session
        .tell(json!({ "event": "propose", "id": "l", "tool": "lookup", "arguments": {} }))
        .tell(json!({ "event": "result", "id": "l", "ok": true, "result": { "found": 7 } }));
    session
        .call("refund", &order(json!("7")), "deny")
        .call("check", &order(json!("7")), "allow")
        .call("refund", &order(json!("7")), "allow")
        .call("refund", &json!({}), "deny")
        .check();
    // What it forbids, it forbids for each value.
    let law = text.replace("G (refund -> O (check.ok | receipt))", "G (check -> X G !refund)");
    Session::new("unbound: forbids", &law)
        .call("refund", &order(json!("7")), "allow")
        .call("check", &json!({}), "allow")
        .call("refund", &order(json!("7")), "deny")
        .call("refund", &order(json!("9")), "deny")
        .call("refund", &json!({}), "deny")
        .check();
    // Tables about shell commands bind values as well.
    let text = r#"
unmatched = "allow"
[actions]
groups = [["test"], ["push"]]
[[match]]
on = "call"
tool = "Bash"
shell = "/arguments/command"
argv = ["make", "test"]
action = "test"
bind = { dir = "/arguments/cwd" }
[[match]]
on = "call"
tool = "Bash"
shell = "/arguments/command"
argv = ["git", "push"]
action = "push"
bind = { dir = "/arguments/cwd" }
[[law]]
id = "tested"
for_each = ["dir"]
ltl = "G (push -> O test.ok)"
"#;
    let run = |command: &str, dir: &str| json!({ "command": command, "cwd": dir });
    Session::new("unbound: shell", text)
        .call("Bash", &run("make test", "/a"), "allow")
        .call("Bash", &run("git push", "/a"), "allow")
        .call("Bash", &run("git push", "/b"), "deny")
        .call("Bash", &run("make test && git push", "/b"), "allow")
        .call("Bash", &json!({ "command": "make test" }), "allow")
        .call("Bash", &run("git push", "/c"), "deny")
        .call("Bash", &json!({ "command": "make test && git push" }), "deny")
        .check();
}

#[test]
fn values_that_cannot_be_compared_deny() {
    let policy = |condition: &str| {
        format!(
            "unmatched = \"allow\"\n[actions]\ngroups = [[\"pay\"]]\n[[match]]\non = \"call\"\n\
             tool = \"pay\"\nwhere = [{condition}]\naction = \"pay\"\n\
             [[law]]\nid = \"l\"\nltl = \"G !pay\"\n"
        )
    };
    let eur = |value: Value| json!({ "eur": value });
    let more = policy("{ pointer = \"/arguments/eur\", \">\" = 10 }");
    let answers = Session::new("where: order", &more)
        .call("pay", &eur(json!(9)), "allow")
        .call("pay", &eur(json!(11)), "deny")
        .call("pay", &eur(json!("11")), "deny")
        .call("pay", &eur(json!([11])), "deny")
        .call("pay", &eur(json!(null)), "deny")
        .call("pay", &json!({ "amount": 11 }), "deny")
        .call("other", &json!({}), "allow")
        .check();
    assert!(says(&answers[2], "cannot be judged: `/arguments/eur`"), "{:#}", answers[2]);
    let glob = policy("{ pointer = \"/arguments/file\", glob = \"*.env\" }");
    Session::new("where: glob", &glob)
        .call("pay", &json!({ "file": "a.txt" }), "allow")
        .call("pay", &json!({ "file": ["x.env"] }), "deny")
        .call("pay", &json!({ "path": "a.txt" }), "deny")
        .check();
    let same = policy("{ pointer = \"/arguments/sure\", \"=\" = true }");
    Session::new("where: equal", &same)
        .call("pay", &json!({ "sure": false }), "allow")
        .call("pay", &json!({ "sure": "true" }), "deny")
        .call("pay", &json!({ "sure": null }), "allow")
        .call("pay", &json!({ "sure": 1 }), "deny")
        .check();
    // A pointer without `/arguments` finds nothing in a call.
    let wrong = policy("{ pointer = \"/eur\", \">\" = 10 }");
    Session::new("where: wrong pointer", &wrong).call("pay", &eur(json!(1)), "deny").check();
    // What may be missing is asked for first; a position behind the end of a list is surely missing.
    let optional = policy(
        "{ pointer = \"/arguments/eur\", exists = true }, { pointer = \"/arguments/eur\", \">\" = 10 }",
    );
    Session::new("where: optional", &optional)
        .call("pay", &json!({}), "allow")
        .call("pay", &eur(json!(11)), "deny")
        .call("pay", &eur(json!("11")), "deny")
        .check();
    let second = policy("{ pointer = \"/arguments/parts/1/eur\", \">\" = 10 }");
    Session::new("where: behind the end", &second)
        .call("pay", &json!({ "parts": [{ "eur": 99 }] }), "allow")
        .call("pay", &json!({ "parts": [{}, { "eur": 11 }] }), "deny")
        .call("pay", &json!({ "parts": [{}, { "usd": 11 }] }), "deny")
        .call("pay", &json!({ "parts": 1 }), "deny")
        .check();
}

#[test]
fn shell_tables_whose_command_is_missing_deny() {
    let table = |opaque: &str| {
        let tables: [(&[&str], &str, &str); 1] = [(&["git", "push", "**"], "push", opaque)];
        let law = "[[law]]\nid = \"l\"\nltl = \"G !push\"\n";
        shell_policy("unmatched = \"allow\"", "[[\"push\"]]", &tables, law)
    };
    for (opaque, verdict) in [("", "deny"), ("opaque = \"ask\"", "ask"), ("opaque = \"allow\"", "allow")] {
        let mut session = Session::new("shell: missing", &table(opaque)).shell("ls", "allow");
        for arguments in [
            json!({ "cmd": "git push" }),
            json!({ "command": ["git", 1] }),
            json!({ "command": { "line": "git push" } }),
            json!({ "command": 7 }),
            json!({ "command": null }),
            json!({ "command": [] }),
            json!(null),
            json!([]),
        ] {
            session = session.call("Bash", &arguments, verdict);
        }
        session.call("Bash", &json!({ "command": ["git", "push"] }), "deny").check();
    }
}

#[test]
fn sums_count_results() {
    let policy = |count: &str| {
        format!(
            "unmatched = \"allow\"\n[actions]\ngroups = [[\"pay\"], [\"other\"]]\n[[match]]\non = \"call\"\n\
             tool = \"pay\"\naction = \"pay\"\n[[count]]\nname = \"over\"\n{count}above = 5\n\
             [[law]]\nid = \"cap\"\nltl = \"G (pay -> !over)\"\n"
        )
    };
    let eur = |value: Value| json!({ "eur": value });
    let sum = policy("sum = \"/arguments/eur\"\non = \"pay.ok\"\n");
    let answers = Session::new("sum: successes", &sum)
        .call("pay", &eur(json!(4)), "allow")
        .call("pay", &json!({}), "deny")
        .call("pay", &eur(json!("4")), "deny")
        .call("pay", &eur(json!(-4)), "deny")
        .call("pay", &eur(json!(4)), "allow")
        .call("pay", &eur(json!(0)), "deny")
        .check();
    assert!(says(&answers[1], "the amount for `over` is missing"), "{:#}", answers[1]);
    // A payment that failed costs nothing.
    let mut session = Session::new("sum: failures", &sum);
    for i in 0..3 {
        let id = format!("f{i}");
        session = session
            .tell(json!({ "event": "propose", "id": id, "tool": "pay", "arguments": { "eur": 9 } }))
            .tell(json!({ "event": "result", "id": id, "ok": false }));
    }
    session.call("pay", &eur(json!(9)), "allow").call("pay", &eur(json!(0)), "deny").check();
    // An amount that the result tells; one that it does not tell is above every limit.
    let told = policy("sum = \"/result/eur\"\non = \"pay.ok\"\n");
    let paid = |session: Session, id: &str, result: Value| {
        session
            .tell(json!({ "event": "propose", "id": id, "tool": "pay", "arguments": {} }))
            .tell(json!({ "event": "result", "id": id, "ok": true, "result": result }))
    };
    let mut session = Session::new("sum: told by results", &told);
    for (id, value) in [("a", 3), ("b", 2), ("c", 1)] {
        session = paid(session, id, eur(json!(value)));
    }
    session.calls("pay", "deny").check();
    let session = Session::new("sum: not told", &told);
    paid(session, "a", json!({ "usd": 1 })).calls("pay", "deny").check();
    // Commands of a script.
    let tables: [(&[&str], &str, &str); 1] = [(&["pay", "**"], "pay", "")];
    let rest = "[[count]]\nname = \"over\"\nsum = \"/arguments/eur\"\non = \"pay\"\nabove = 5\n\
                [[law]]\nid = \"cap\"\nltl = \"G (pay -> !over)\"\n";
    let shell = shell_policy("unmatched = \"allow\"", "[[\"pay\"]]", &tables, rest);
    let run = |command: &str, eur: i32| json!({ "command": command, "eur": eur });
    Session::new("sum: scripts", &shell)
        .call("Bash", &run("ls", 9), "allow")
        .call("Bash", &run("pay a; pay b", 3), "deny")
        .call("Bash", &run("pay a && ls", 3), "allow")
        .call("Bash", &run("pay a", 3), "deny")
        .check();
    // Registers that can never count.
    for (count, says) in [
        ("sum = \"/result/eur\"\non = \"pay\"\n", "`on` names no outcome"),
        ("sum = \"/arguments/eur\"\non = \"pay & pay.ok\"\n", "only calls and their outcomes"),
        ("sum = \"/arguments/eur\"\non = \"seen\"\n", "only calls and their outcomes"),
        ("count = true\non = \"pay & other.ok\"\n", "no letter is one that `on` names"),
        ("count = true\non = \"over\"\n", "no letter is one that `on` names"),
    ] {
        let text = policy(count).replacen("[actions]", "[propositions]\nseen = {}\n[actions]", 1);
        let found = findings(&text);
        println!("never counts: {count:?}: {found:?}");
        assert!(found.iter().any(|one| one.contains("TSL0507") && one.contains(says)), "{count}: {found:?}");
    }
    let fine =
        ["sum = \"/arguments/eur\"\non = [\"pay\", \"pay.ok\"]\n", "count = true\non = \"pay.failed\"\n"];
    for count in fine {
        assert!(findings(&policy(count)).iter().all(|one| !one.contains("TSL0507")), "{count}");
    }
}
