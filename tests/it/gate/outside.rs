//! What is not in the events of a session, by hooks of real processes: probes, and counts over all sessions.

use crate::cli::Folder;
use serde_json::json;
use std::io::Write;
use std::process::Stdio;

const PROBE: &str = r#"policy = 1
unmatched = "allow"
use = ["git.commit"]
[[probe]]
name = "branch"
run = ["cat", "branch.txt"]
unchanged_by = ["git add"]
[[match]]
on = "call"
program = "git"
subcommand = ["commit"]
where = [{ pointer = "/probe/branch/text", "=" = "main" }]
action = "commit-on-main"
[actions]
groups = [["commit-on-main"]]
[rules]
on-a-branch = "never commit-on-main"
"#;

const TOTAL: &str = r#"policy = 1
name = "deploys"
unmatched = "allow"
[[match]]
on = "call"
program = "deploy"
action = "deploy"
[rules]
few = "at most 2 deploy per 1d over sessions"
"#;

/// Whether a hook of a host lets a command run, and what it says.
fn hook(folder: &Folder, host: &str, session: &str, id: &str, command: &str) -> (bool, String) {
    let payload = json!({
        "session_id": session, "cwd": folder.path(), "hook_event_name": "PreToolUse", "tool_name": "Bash",
        "tool_input": {"command": command}, "tool_use_id": id,
    });
    let mut child = folder
        .command(["shield", "policy.toml", "--proto", "hook", "--host", host, "--journal", "journals"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    child.stdin.take().expect("piped").write_all(payload.to_string().as_bytes()).expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    let said =
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    (!said.contains("\"deny\"") && output.status.code() == Some(0), said)
}

#[cfg(unix)]
#[test]
fn probes_are_run_by_hooks_and_by_try_and_not_by_monitor() {
    let folder = Folder::new();
    folder.file("policy.toml", PROBE);
    folder.file("branch.txt", "main\n");
    let (passes, said) = hook(&folder, "claude-code", "s", "1", "git add -A && git commit -m x");
    assert!(!passes && said.contains("on-a-branch"), "{said}");
    folder.file("branch.txt", "topic\n");
    let (passes, said) = hook(&folder, "claude-code", "s", "2", "git add -A && git commit -m x");
    assert!(passes, "{said}");
    let (passes, said) = hook(&folder, "claude-code", "t", "1", "git switch main && git commit -m x");
    assert!(!passes && said.contains("in a call of its own"), "{said}");
    std::fs::remove_file(folder.path().join("branch.txt")).expect("a file");
    let (passes, said) = hook(&folder, "claude-code", "t", "2", "git commit -m x");
    assert!(!passes && said.contains("may be commit-on-main"), "{said}");
    assert!(hook(&folder, "claude-code", "t", "3", "git log").0);
    // `try` asks, too.
    folder.file("branch.txt", "topic\n");
    assert_eq!(folder.run(["policy", "try", "policy.toml", "git commit -m x"]).code, 0);
    folder.file("branch.txt", "main\n");
    assert_eq!(folder.run(["policy", "try", "policy.toml", "git commit -m x"]).code, 1);
    // The journal has the answer of then; a log without one leaves the law undecided.
    let journals = folder.run(["policy", "monitor", "policy.toml", "journals", "--stats"]);
    assert_eq!(journals.code, 0, "{journals:?}");
    folder.file(
        "log.jsonl",
        "{\"event\":\"call\",\"id\":\"1\",\"tool\":\"Bash\",\"arguments\":{\"command\":\"git commit -m x\"}}\n",
    );
    let log = folder.run(["policy", "monitor", "policy.toml", "log.jsonl"]);
    assert_eq!(log.code, 3, "{log:?}");
}

#[test]
fn sessions_of_all_hosts_count_together() {
    let folder = Folder::new();
    folder.file("policy.toml", TOTAL);
    assert!(hook(&folder, "claude-code", "a", "1", "deploy x").0);
    // The same name of a session at another host is another session.
    assert!(hook(&folder, "codex", "a", "1", "deploy x").0);
    for (host, session) in [("claude-code", "a"), ("claude-code", "b"), ("codex", "a"), ("codex", "c")] {
        let (passes, said) = hook(&folder, host, session, "2", "deploy x");
        assert!(!passes && said.contains("few"), "{host} {session}: {said}");
        assert!(hook(&folder, host, session, "3", "ls").0, "{host} {session}");
    }
    // Two in one command are two.
    folder.file("policy.toml", TOTAL.replace("at most 2", "at most 3"));
    assert!(!hook(&folder, "codex", "c", "4", "deploy x && deploy y").0);
    assert!(hook(&folder, "codex", "c", "5", "deploy x").0);
    let log =
        "{\"event\":\"call\",\"id\":\"1\",\"tool\":\"Bash\",\"arguments\":{\"command\":\"deploy x\"}}\n";
    folder.file("log.jsonl", log);
    assert_eq!(folder.run(["policy", "monitor", "policy.toml", "log.jsonl"]).code, 3);
}

/// Emitted monitors see the events of one session.
#[test]
fn monitors_of_such_policies_are_not_emitted() {
    let folder = Folder::new();
    for (name, text) in [("probe.toml", PROBE), ("total.toml", TOTAL)] {
        folder.file(name, text);
        for lang in ["c", "sql"] {
            let run = folder.run(["policy", "emit", name, "--lang", lang]);
            assert!(run.code == 2 && run.err.contains("emitted monitors do not"), "{name} {lang}: {run:?}");
        }
    }
}
