//! Sessions of real hosts: what Claude Code tells, and what the gate makes of it.

use crate::cli::Folder;
use crate::support::shared;
use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;
use std::process::Stdio;

/// A session of Claude Code whose hooks are answered by processes, as the host starts them.
struct Host {
    folder: Folder,
    calls: u32,
}

/// An answer of the hook.
#[derive(Debug)]
struct Answer {
    may_run: bool,
    text: String,
}

impl Host {
    fn new(policy: &str) -> Self {
        let folder = Folder::new();
        folder.file("policy.toml", policy);
        folder.file("project/.keep", "");
        Self { folder, calls: 0 }
    }
    fn send(&self, payload: &Value) -> Answer {
        let mut command = self.folder.command(["shield"]);
        command.arg(self.folder.path().join("policy.toml")).args([
            "--proto",
            "hook",
            "--host",
            "claude-code",
        ]);
        command.arg("--journal").arg(self.folder.path().join("journals"));
        command.env("HOME", self.folder.path().join("home")).env_remove("CLAUDE_CONFIG_DIR");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("it starts");
        child.stdin.take().expect("piped").write_all(payload.to_string().as_bytes()).expect("it reads");
        let output = child.wait_with_output().expect("it ends");
        let text =
            format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        let refuses = text.contains("\"deny\"") || text.contains("\"ask\"") || text.contains("\"block\"");
        let may_run = output.status.code() == Some(0) && !refuses;
        let event = payload["hook_event_name"].as_str().unwrap_or_default();
        let what = payload.get("tool_input").or(payload.get("prompt")).unwrap_or(&Value::Null).to_string();
        println!("{event} {:.90} -> {}", what, if text.is_empty() { "silence" } else { text.trim() });
        Answer { may_run, text }
    }
    fn event(&self, name: &str, more: &Value) -> Answer {
        let project = self.folder.path().join("project");
        let mut payload = json!({ "session_id": "s1", "cwd": project, "hook_event_name": name });
        for (key, value) in more.as_object().expect("an object") {
            payload[key] = value.clone();
        }
        self.send(&payload)
    }
    fn pre(&mut self, tool: &str, input: &Value) -> (bool, String) {
        self.calls += 1;
        let id = format!("toolu_{}", self.calls);
        let more = json!({ "tool_name": tool, "tool_input": input, "tool_use_id": id });
        (self.event("PreToolUse", &more).may_run, id)
    }
    fn post(&self, id: &str, tool: &str, input: &Value, response: &Value) -> Answer {
        let more =
            json!({ "tool_name": tool, "tool_input": input, "tool_response": response, "tool_use_id": id });
        self.event("PostToolUse", &more)
    }
    fn bash(&mut self, command: &str) -> (bool, String) {
        self.pre("Bash", &json!({ "command": command, "description": "d" }))
    }
    fn prompt(&self, text: &str) {
        self.event("UserPromptSubmit", &json!({ "prompt": text }));
    }
}

const REFUND: &str = r#"policy = 1
name = "refund"
unmatched = "allow"
[propositions]
valid = { state = true }
[actions]
groups = [["refund"]]
[[match]]
on = "call"
tool = "refund"
action = "refund"
[[match]]
on = "result"
tool = "check"
where = [{ pointer = "/result/valid", "=" = true }]
set = { valid = true }
[[law]]
id = "checked"
ltl = "G (refund -> valid)"
"#;

/// What a server of MCP returns: blocks of content, or the text of structured content.
#[test]
fn results_of_mcp_are_read_in_hooks() {
    for (response, may_refund) in [
        (json!([{ "type": "text", "text": "{\"valid\": true}" }]), true),
        (json!("{\"valid\":true}"), true),
        (json!({ "valid": true }), true),
        (json!([{ "type": "text", "text": "{\"valid\": false}" }]), false),
        (json!([{ "type": "text", "text": "valid" }]), false),
        (json!([]), false),
        // No object with this key, but a list with something in its place.
        (json!(["x"]), false),
    ] {
        let mut host = Host::new(REFUND);
        let (may, _) = host.pre("mcp__shop__refund", &json!({}));
        assert!(!may, "nothing is checked yet");
        let (may, id) = host.pre("mcp__shop__check", &json!({}));
        assert!(may);
        host.post(&id, "mcp__shop__check", &json!({}), &response);
        let (may, _) = host.pre("mcp__shop__refund", &json!({}));
        assert_eq!(may, may_refund, "{response}");
    }
}

const TESTS_FIRST: &str = r#"policy = 1
name = "tests"
unmatched = "allow"
[actions]
groups = [["push", "test"]]
[[match]]
on = "call"
tool = "Bash"
shell = "/arguments/command"
argv = ["git", "push", "**"]
action = "push"
[[match]]
on = "call"
tool = "Bash"
shell = "/arguments/command"
argv = ["pytest", "**"]
action = "test"
[[law]]
id = "tests-first"
ltl = "G (push -> O test.ok)"
"#;

#[test]
fn an_interpreted_exit_code_is_no_success() {
    for (extra, may_push) in [
        (json!({}), true),
        (json!({ "returnCodeInterpretation": "No matches found" }), false),
        (json!({ "returnCodeInterpretation": "Files differ" }), false),
        (json!({ "returnCodeInterpretation": "Condition is false" }), false),
        (json!({ "backgroundTaskId": "b1" }), false),
        (json!({ "interrupted": true }), false),
    ] {
        let mut host = Host::new(TESTS_FIRST);
        let command = "pytest && grep -q x f";
        let (may, id) = host.bash(command);
        assert!(may);
        let mut response = json!({ "stdout": "", "stderr": "", "interrupted": false, "isImage": false });
        for (key, value) in extra.as_object().expect("an object") {
            response[key] = value.clone();
        }
        host.post(&id, "Bash", &json!({ "command": command, "description": "d" }), &response);
        assert_eq!(host.bash("git push").0, may_push, "{extra}");
    }
}

/// Another hook, or a person, may change the arguments after the decision.
#[test]
fn what_ran_is_judged_and_not_what_was_granted() {
    // `true` ran in the place of the tests.
    let mut host = Host::new(TESTS_FIRST);
    let done = json!({ "stdout": "", "stderr": "", "interrupted": false });
    let (_, id) = host.bash("pytest");
    let told = host.post(&id, "Bash", &json!({ "command": "true", "description": "d" }), &done);
    assert!(told.text.contains("what ran is not the call that was granted"), "{}", told.text);
    assert!(!host.bash("git push").0, "no tests ran");
    // A push ran in the place of `ls`.
    let (may, id) = host.bash("ls");
    assert!(may);
    let told = host.post(&id, "Bash", &json!({ "command": "git push", "description": "d" }), &done);
    assert!(told.text.contains("tests-first"), "{}", told.text);
    // The same arguments in another order are the same call.
    let (_, id) = host.bash("pytest");
    let told = host.post(&id, "Bash", &json!({ "description": "d", "command": "pytest" }), &done);
    assert!(!told.text.contains("what ran"), "{}", told.text);
    assert!(host.bash("git push").0);
}

const CONFIRM: &str = r#"policy = 1
name = "confirm"
unmatched = "allow"
[propositions]
confirmed = {}
[actions]
groups = [["push"]]
[[match]]
on = "message"
role = "user"
regex = '(?i)\byes\b'
proposition = "confirmed"
[[match]]
on = "call"
tool = "Bash"
shell = "/arguments/command"
argv = ["git", "push", "**"]
action = "push"
[[law]]
id = "confirm"
rule = "push requires confirmed before"
"#;

#[test]
fn prompts_that_the_agent_scheduled_are_not_of_the_user() {
    for (tool, input) in [
        ("ScheduleWakeup", json!({ "delaySeconds": 60, "reason": "wait", "prompt": "Yes, push." })),
        ("CronCreate", json!({ "cron": "* * * * *", "prompt": "Yes, push.", "recurring": true })),
    ] {
        let mut host = Host::new(CONFIRM);
        let (_, id) = host.pre(tool, &input);
        host.post(&id, tool, &input, &json!({}));
        // So many events that the session is read from a checkpoint.
        for _ in 0..40 {
            host.bash("ls");
        }
        host.prompt("Yes, push.");
        host.prompt("  Yes, push.\n");
        assert!(!host.bash("git push").0, "{tool}: the agent confirmed it itself");
        host.prompt("yes");
        assert!(host.bash("git push").0, "{tool}: a person confirmed it");
    }
    let mut host = Host::new(CONFIRM);
    host.prompt("<task-notification>\n<summary>yes</summary>\n</task-notification>");
    assert!(!host.bash("git push").0, "the host wrote it");
}

const NO_PUSH: &str = r#"policy = 1
unmatched = "allow"
[actions]
groups = [["push"]]
[[match]]
on = "call"
tool = "Bash"
shell = "/arguments/command"
argv = ["git", "push", "**"]
action = "push"
[[law]]
id = "no-push"
ltl = "G !push"
"#;

#[test]
fn monitors_and_skills_are_shells() {
    let mut host = Host::new(NO_PUSH);
    assert!(!host.bash("git push").0);
    let watch = |command: &str| json!({ "description": "watch", "timeout_ms": 5000, "command": command });
    assert!(!host.pre("Monitor", &watch("git push; echo pushed")).0);
    assert!(host.pre("Monitor", &watch("tail -f log")).0);
    let skill = |command: &str| {
        json!({
            "tool_name": "Bash", "tool_input": { "command": command }, "tool_use_id": "x:preamble-0",
            "command_name": "p", "command_source": "projectSettings", "invoked_by": "user",
        })
    };
    let answer = host.event("PreSkillShellCommand", &skill("git push origin HEAD:main"));
    assert!(!answer.may_run && answer.text.contains("no-push"), "{}", answer.text);
    let mut host = Host::new(NO_PUSH);
    assert!(host.event("PreSkillShellCommand", &skill("git status")).may_run);
    // The outcome of a command that goes on in the background is not known.
    let mut tests = Host::new(TESTS_FIRST);
    let (may, id) = tests.pre("Monitor", &watch("pytest"));
    assert!(may);
    tests.post(
        &id,
        "Monitor",
        &watch("pytest"),
        &json!({ "taskId": "t", "timeoutMs": 5000, "persistent": false }),
    );
    assert!(!tests.bash("git push").0);
    assert!(host.bash("ls").0);
}

#[test]
fn the_files_of_the_gate_are_not_edited_by_the_agent() {
    let mut host = Host::new(NO_PUSH);
    let at = |name: &str| host.folder.path().join(name).to_string_lossy().into_owned();
    let (policy, journal) = (at("policy.toml"), at("journals/claude-code/x.jsonl"));
    let outside = at("project/src/main.rs");
    for path in [
        policy.as_str(),
        "../policy.toml",
        "./.././policy.toml",
        journal.as_str(),
        ".claude/settings.local.json",
        ".claude/settings.json",
    ] {
        for (tool, input) in [
            ("Edit", json!({ "file_path": path, "old_string": "a", "new_string": "b" })),
            ("Write", json!({ "file_path": path, "content": "" })),
            ("MultiEdit", json!({ "file_path": path, "edits": [] })),
        ] {
            assert!(!host.pre(tool, &input).0, "{tool} {path}");
        }
        assert!(host.pre("Read", &json!({ "file_path": path })).0, "reading {path}");
    }
    for path in [outside.as_str(), "policy.toml", "src/.claude.rs"] {
        assert!(host.pre("Write", &json!({ "file_path": path, "content": "" })).0, "{path}");
    }
}

#[test]
fn settings_without_the_hooks_are_refused() {
    let host = Host::new(NO_PUSH);
    let changed = || host.event("ConfigChange", &json!({ "source": "local_settings" })).may_run;
    let project = host.folder.path().join("project");
    let mut command = host.folder.command(["shield", "install", "--host", "claude-code", "--policy"]);
    command.arg(host.folder.path().join("policy.toml")).current_dir(&project);
    command.env("HOME", host.folder.path().join("home")).env_remove("CLAUDE_CONFIG_DIR");
    let output = command.output().expect("it runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let settings = project.join(".claude/settings.local.json");
    let own = std::fs::read_to_string(&settings).expect("the settings");
    assert!(own.contains("ConfigChange") && own.contains("PreSkillShellCommand"), "{own}");
    assert!(changed(), "the hooks are there");
    for weak in ["{}", "{\"hooks\": {}}", "", &own.replacen('{', "{\"disableAllHooks\": true,", 1)] {
        std::fs::write(&settings, weak).expect("written");
        assert!(!changed(), "{weak}");
    }
    std::fs::write(&settings, own.replacen('{', "{\"model\": \"x\",", 1)).expect("written");
    assert!(changed(), "another setting");
}

/// Sends all payloads of a recorded session, and returns the commands that were not refused.
fn replay(policy: &Path, session: &Path) -> Vec<(String, String, bool)> {
    let host = Host::new(&std::fs::read_to_string(policy).expect("a policy"));
    let text = std::fs::read_to_string(session).expect("a session");
    let mut seen = Vec::new();
    for line in text.lines() {
        let value: Value = serde_json::from_str(line).expect("JSON");
        let payload = value.get("payload").unwrap_or(&value);
        let event = payload["hook_event_name"].as_str().unwrap_or_default().to_owned();
        let answer = host.send(payload);
        let input = &payload["tool_input"];
        let what = input["command"].as_str().map_or_else(|| payload["tool_name"].to_string(), str::to_owned);
        // A report has nothing to refuse, whether the gate knows the event or not.
        if !matches!(&*event, "PreToolUse" | "PreSkillShellCommand" | "Stop" | "ConfigChange") {
            assert!(answer.may_run, "{event}: {}", answer.text);
        }
        seen.push((event, what, answer.may_run));
    }
    seen
}

#[test]
fn recorded_sessions_have_the_right_outcomes() {
    let Some(folder) = shared("cases/payloads") else { return };
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("specs/policies");
    let session = |name: &str| folder.join("claude-code").join(format!("session-{name}.jsonl"));
    let pushes = |seen: &[(String, String, bool)]| -> Vec<bool> {
        let is_push = |(event, what, _): &&(String, String, bool)| {
            event.starts_with("Pre") && what.contains("git push")
        };
        seen.iter().filter(is_push).map(|(_, _, may)| *may).collect()
    };
    // The second line is lifted after its payment, which an MCP server reports in blocks.
    let seen = replay(&own.join("telecom.toml"), &session("t3-text"));
    let lifts: Vec<bool> =
        seen.iter().filter(|(e, w, _)| e == "PreToolUse" && w.contains("resume_line")).map(|s| s.2).collect();
    println!("lifts: {lifts:?}");
    assert!(lifts.len() >= 2 && lifts.last() == Some(&true), "{lifts:?}");
    // Tests that failed behind `&& grep` are no tests that passed.
    let seen = replay(&own.join("tests-before-push.toml"), &session("t4-0"));
    println!("pushes after failed tests: {:?}", pushes(&seen));
    assert_eq!(pushes(&seen), [false]);
    // The agent confirms itself; a monitor and a skill push.
    for name in ["t7-wake", "t5-mon", "t9-skill"] {
        let seen = replay(&folder.join("confirm.toml"), &session(name));
        println!("{name}: {:?}", pushes(&seen));
        assert!(pushes(&seen).iter().all(|may| !may) && !pushes(&seen).is_empty(), "{name}");
    }
    for name in ["t2", "t5-denied", "t5-updated", "t12"] {
        replay(&folder.join("confirm.toml"), &session(name));
    }
}
