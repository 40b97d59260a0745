//! Policies that are edited while a session runs: the flag `--on-change deny` and the key `on_change`.

use crate::cli::Folder;
use serde_json::json;
use std::io::Write;
use std::process::Stdio;

const STRICT: &str = r#"policy = 1
name = "pushes"
unmatched = "allow"
[actions]
groups = [["push"]]
[[match]]
on = "call"
tool = "Push"
action = "push"
[[law]]
id = "no-push"
ltl = "G !push"
"#;

/// The same without its law.
const WEAK: &str = r#"policy = 1
unmatched = "allow"
[actions]
groups = [["other"]]
[[law]]
id = "a"
rule = "at most 9 other"
"#;

/// Sessions whose policy is in one file, with journals of their own.
struct Edited(Folder);

impl Edited {
    fn new(policy: &str) -> Self {
        let folder = Folder::new();
        folder.file("policy.toml", policy);
        Self(folder)
    }
    fn edit(&self, policy: &str) {
        self.0.file("policy.toml", policy);
    }
    /// Sends one call through a hook, as a process of its own, and returns whether it may be made, with the answer.
    fn call(&self, host: &str, id: u32, flags: &[&str]) -> (bool, String) {
        let payload = json!({
            "session_id": "s1", "cwd": "/p", "hook_event_name": "PreToolUse", "tool_name": "Push",
            "tool_input": {}, "tool_use_id": format!("c{id}"),
        });
        let journal = self.0.path().join("journals");
        let policy = self.0.path().join("policy.toml");
        let mut command = self.0.command(["shield"]);
        command.arg(policy).args(["--proto", "hook", "--host", host, "--journal"]).arg(journal).args(flags);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("it starts");
        child.stdin.take().expect("piped").write_all(payload.to_string().as_bytes()).expect("it reads");
        let output = child.wait_with_output().expect("it ends");
        let said =
            format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        (!said.contains("\"deny\"") && output.status.code() == Some(0), said)
    }
}

const DENY: [&str; 2] = ["--on-change", "deny"];

fn with_key(policy: &str) -> String {
    policy.replace("unmatched = ", "on_change = \"deny\"\nunmatched = ")
}

#[test]
fn an_edited_policy_decides_nothing_where_changes_are_denied() {
    for host in ["claude-code", "codex"] {
        // The flag, the key in the old policy, the key in both: the new policy has to be refused.
        for (old, new, flags) in [
            (STRICT.to_owned(), WEAK.to_owned(), &DENY[..]),
            (with_key(STRICT), WEAK.to_owned(), &[]),
            (with_key(STRICT), with_key(WEAK), &[]),
            (STRICT.to_owned(), with_key(WEAK), &[]),
        ] {
            let edited = Edited::new(&old);
            let (may, said) = edited.call(host, 1, flags);
            assert!(!may && said.contains("no-push"), "{host}: the law denies: {said}");
            edited.edit(&new);
            for id in 2..4 {
                let (may, said) = edited.call(host, id, flags);
                println!("{host}, {flags:?}, call {id} after the edit: {said}");
                assert!(!may && said.contains("edited after this session began"), "{host}: {said}");
            }
            // The old policy decides again once it is restored.
            edited.edit(&old);
            let (may, said) = edited.call(host, 4, flags);
            assert!(!may && said.contains("no-push"), "{host}: {said}");
        }
    }
}

#[test]
fn the_journal_records_that_changes_are_denied() {
    // The flag is on the first call only; a later process without it refuses the other policy all the same.
    let edited = Edited::new(STRICT);
    assert!(!edited.call("claude-code", 1, &DENY).0);
    edited.edit(WEAK);
    let (may, said) = edited.call("claude-code", 2, &[]);
    assert!(!may && said.contains("edited after this session began"), "{said}");
    // Many records, so that the state of the session is read from a checkpoint.
    edited.edit(STRICT);
    for id in 3..80 {
        assert!(!edited.call("claude-code", id, &[]).0);
    }
    edited.edit(WEAK);
    let (may, said) = edited.call("claude-code", 80, &[]);
    println!("after a checkpoint: {said}");
    assert!(!may && said.contains("edited after this session began"), "{said}");
}

#[test]
fn without_the_flag_an_edited_policy_decides() {
    let edited = Edited::new(STRICT);
    assert!(!edited.call("claude-code", 1, &[]).0);
    edited.edit(WEAK);
    let (may, said) = edited.call("claude-code", 2, &[]);
    assert!(may, "{said}");
    // The same text with another time stamp is no change.
    let edited = Edited::new(&with_key(WEAK));
    assert!(edited.call("claude-code", 1, &[]).0);
    edited.edit(&with_key(WEAK));
    assert!(edited.call("claude-code", 2, &[]).0);
}

/// JSON lines: one process, whose policy is edited between two calls.
#[test]
fn a_running_gate_denies_after_an_edit() {
    for (old, flags) in [(STRICT.to_owned(), &DENY[..]), (with_key(STRICT), &[])] {
        let edited = Edited::new(&old);
        let mut command = edited.0.command(["shield"]);
        command.arg(edited.0.path().join("policy.toml")).args(flags);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().expect("it starts");
        let mut input = child.stdin.take().expect("piped");
        let mut answers = std::io::BufReader::new(child.stdout.take().expect("piped"));
        let mut ask = |id: u32| {
            let line = json!({"event": "propose", "session": "s", "id": format!("c{id}"), "tool": "Push", "arguments": {}});
            writeln!(input, "{line}").expect("written");
            let mut answer = String::new();
            std::io::BufRead::read_line(&mut answers, &mut answer).expect("an answer");
            answer
        };
        let first = ask(1);
        assert!(first.contains("no-push"), "{first}");
        edited.edit(WEAK);
        let second = ask(2);
        println!("{flags:?}: {second}");
        assert!(second.contains("\"deny\"") && second.contains("edited"), "{second}");
        drop(input);
        child.wait().expect("it ends");
    }
}
