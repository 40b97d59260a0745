//! Sessions of hosts through their hooks: what a payload says about a result, a prompt and a call, and whether the agent
//! can take the gate out of its way.

use crate::cli::Folder;
use serde_json::{Value, json};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use tsl_synth_seats::hook::HookHost;
use tsl_synth_testkit::more;

/// What the host does after an answer of the gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Done {
    /// It goes on.
    Runs,
    /// It goes on, and a person or the model is told something.
    Told,
    /// It refuses what was proposed.
    Refused,
}

/// Sessions of one policy, with journals of their own.
pub(super) struct Hooks {
    folder: Folder,
    policy: PathBuf,
    host: &'static str,
}

impl Hooks {
    /// The hooks of Claude Code.
    pub(super) fn new(policy: &str) -> Self {
        Self::of("claude-code", policy)
    }
    fn of(host: &'static str, policy: &str) -> Self {
        let folder = Folder::new();
        let policy = folder.file("policy.toml", policy);
        Self { folder, policy, host }
    }
    /// Sends a payload to the hook, as a process of its own: what the host does, and all that was printed.
    fn send(&self, payload: &Value) -> (Done, String) {
        let event = payload["hook_event_name"].as_str().expect("an event");
        let mut command = self.folder.command(["shield"]);
        command.arg(&self.policy).args(["--proto", "hook", "--host", self.host, "--event", event]);
        command.arg("--journal").arg(self.folder.path().join("journals"));
        command
            .env("HOME", self.folder.path())
            .env_remove("CLAUDE_CONFIG_DIR")
            .env_remove("CLAUDE_PROJECT_DIR");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("it starts");
        child.stdin.take().expect("piped").write_all(payload.to_string().as_bytes()).expect("it reads");
        let output = child.wait_with_output().expect("it ends");
        let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        let host = HookHost::ALL.iter().find(|host| host.name() == self.host).expect("a host");
        let answer: Value = serde_json::from_str(&out).unwrap_or_default();
        let is_refused =
            !host.action(output.status.code(), &out, &err).may_run() || answer["decision"] == "block";
        let done = match out.trim() {
            _ if is_refused => Done::Refused,
            "" | "{}" if output.status.success() => Done::Runs,
            _ => Done::Told,
        };
        (done, format!("{out}{err}"))
    }
    #[track_caller]
    pub(super) fn expect(&self, payload: &Value, done: Done) -> String {
        let (found, said) = self.send(payload);
        println!("{}: {found:?} {}", in_short(payload), said.chars().take(160).collect::<String>().trim());
        assert_eq!(found, done, "{payload}\n{said}");
        said
    }
}

/// A payload in a few words.
fn in_short(payload: &Value) -> String {
    let of = |key: &str| payload[key].as_str().unwrap_or_default().to_owned();
    let what = ["tool_input", "prompt", "tool_calls", "file_path", "delta"].map(|key| &payload[key]);
    let what = what.into_iter().find(|value| !value.is_null()).map(Value::to_string).unwrap_or_default();
    format!("{} {} {}", of("hook_event_name"), of("tool_name"), what.chars().take(90).collect::<String>())
}

/// A payload of Claude Code.
fn payload(event: &str, more: &Value) -> Value {
    let mut all = json!({ "session_id": "s1", "cwd": "/p", "hook_event_name": event });
    all.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
    all
}

fn before(id: &str, tool: &str, input: &Value) -> Value {
    payload("PreToolUse", &json!({ "tool_name": tool, "tool_input": input, "tool_use_id": id }))
}

fn after(id: &str, tool: &str, input: &Value, response: &Value) -> Value {
    let more =
        json!({ "tool_name": tool, "tool_input": input, "tool_use_id": id, "tool_response": response });
    payload("PostToolUse", &more)
}

fn command(text: &str) -> Value {
    json!({ "command": text })
}

/// The response of a shell with these entries more.
fn printed(more: &Value) -> Value {
    let mut all = json!({ "stdout": "", "stderr": "", "interrupted": false, "isImage": false });
    all.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
    all
}

pub(super) const RECEIPT: &str = r#"policy = 1
name = "receipts"
unmatched = "allow"
[propositions]
good = {}
[actions]
groups = [["refund"]]
[[match]]
on = "result"
server = "desk"
tool = "look_up"
ok = true
where = [{ pointer = "/result/open", "=" = true }]
proposition = "good"
[[match]]
on = "call"
server = "desk"
tool = "refund"
action = "refund"
[[law]]
id = "looked-up"
rule = "refund requires good before"
"#;

#[test]
fn results_of_mcp_tools_are_read_in_each_form() {
    let blocks = json!([{ "type": "text", "text": "{\"open\": true}" }]);
    let closed = json!([{ "type": "text", "text": "{\"open\": false}" }]);
    let two = json!([{ "type": "text", "text": "{\"open\":" }, { "type": "text", "text": "true}" }]);
    let mut checked = 0;
    for (name, response, done) in [
        ("blocks", &blocks, Done::Runs),
        ("two blocks", &two, Done::Runs),
        ("a text", &json!("{\"open\":true}"), Done::Runs),
        ("the value is another", &closed, Done::Refused),
        ("no JSON", &json!([{ "type": "text", "text": "open" }]), Done::Refused),
        ("a list of other things", &json!([true]), Done::Refused),
        ("no blocks", &json!([]), Done::Refused),
    ] {
        let hooks = Hooks::new(RECEIPT);
        println!("{name}:");
        let order = json!({ "order": 3 });
        hooks.expect(&before("a", "mcp__desk__look_up", &order), Done::Runs);
        hooks.expect(&after("a", "mcp__desk__look_up", &order, response), Done::Runs);
        hooks.expect(&before("b", "mcp__desk__refund", &order), done);
        checked += 1;
    }
    // Gemini CLI has the content in `llmContent`: parts, or a text that may be marked as that of strangers.
    let marked = "<untrusted_context>\n{\"open\": true}\n</untrusted_context>";
    for (response, done) in [
        (json!({ "llmContent": [{ "text": "{\"open\": true}" }], "returnDisplay": "x" }), Done::Runs),
        (json!({ "llmContent": "{\"open\": true}", "returnDisplay": "x" }), Done::Runs),
        (json!({ "llmContent": marked, "returnDisplay": "x" }), Done::Runs),
        (json!({ "llmContent": [{ "text": "{\"open\": false}" }], "returnDisplay": "x" }), Done::Refused),
        (json!({ "llmContent": "{\"open\": true}", "error": { "message": "no" } }), Done::Refused),
        (json!([[{ "text": "{\"open\": true}" }], null]), Done::Refused),
    ] {
        let hooks = Hooks::of("gemini-cli", RECEIPT);
        let of = |event: &str, tool: &str, more: &Value| {
            let mut all = payload(event, more);
            all["tool_name"] = format!("mcp_desk_{tool}").into();
            all["tool_input"] = json!({ "order": 3 });
            all["mcp_context"] = json!({ "server_name": "desk", "tool_name": tool });
            all
        };
        hooks.expect(&of("BeforeTool", "look_up", &json!({})), Done::Runs);
        hooks.expect(&of("AfterTool", "look_up", &json!({ "tool_response": response })), Done::Runs);
        hooks.expect(&of("BeforeTool", "refund", &json!({})), done);
        checked += 1;
    }
    println!("{checked} forms of results");
    if let Some(folder) = case("20") {
        the_result_of_case_20_is_read_as_in_the_proxy(&folder);
    }
}

/// The case of `../shared/cases/gate` that begins with this number, if that folder is there.
fn case(number: &str) -> Option<PathBuf> {
    let mut folders: Vec<PathBuf> = std::fs::read_dir(more("cases/gate")?)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    folders.sort();
    let is_it =
        |folder: &PathBuf| folder.file_name().is_some_and(|name| name.to_string_lossy().starts_with(number));
    Some(folders.into_iter().find(is_it).expect("the case"))
}

fn json_of(path: &Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(path).expect("a file")).expect("JSON")
}

fn the_result_of_case_20_is_read_as_in_the_proxy(folder: &Path) {
    let hooks = Hooks::new(&std::fs::read_to_string(folder.join("policy.toml")).expect("a policy"));
    for name in ["check.json", "checked.json", "refund.json"] {
        hooks.expect(&json_of(&folder.join(name)), Done::Runs);
    }
}

pub(super) const TESTED: &str = r#"policy = 1
name = "tested"
unmatched = "allow"
[actions]
groups = [["test"], ["publish"], ["edit"]]
[[match]]
on = "call"
tool = ["Edit", "Write"]
action = "edit"
[[match]]
on = "call"
tool = "Bash"
shell = "/arguments/command"
argv = ["just", "test", "**"]
action = "test"
opaque = "allow"
[[match]]
on = "call"
tool = "Bash"
shell = "/arguments/command"
argv = ["just", "publish", "**"]
action = "publish"
opaque = "allow"
[[law]]
id = "tested"
rule = "publish requires test since edit"
why = "Test first."
"#;

#[test]
fn an_exit_code_that_the_host_interprets_tells_nothing() {
    let mut checked = 0;
    for (line, response, done) in [
        ("just test", json!({}), Done::Runs),
        (
            "just test && rg -q slow out",
            json!({ "returnCodeInterpretation": "No matches found" }),
            Done::Refused,
        ),
        (
            "just test && find / -name x",
            json!({ "returnCodeInterpretation": "Some were not readable" }),
            Done::Refused,
        ),
        ("just test && diff a b", json!({ "returnCodeInterpretation": "Files differ" }), Done::Refused),
        ("just test && [ -f x ]", json!({ "returnCodeInterpretation": "Condition is false" }), Done::Refused),
        ("just test", json!({ "returnCodeInterpretation": null }), Done::Runs),
        ("just test", json!({ "backgroundTaskId": "b1" }), Done::Refused),
        ("just test", json!({ "isAsync": true, "status": "async_launched" }), Done::Refused),
        ("just test", json!({ "taskId": "b2", "timeoutMs": 5, "persistent": false }), Done::Refused),
    ] {
        let hooks = Hooks::new(TESTED);
        hooks.expect(&before("a", "Bash", &command(line)), Done::Runs);
        hooks.expect(&after("a", "Bash", &command(line), &printed(&response)), Done::Runs);
        hooks.expect(&before("b", "Bash", &command("just publish")), done);
        checked += 1;
    }
    println!("{checked} responses of shells");
}

pub(super) const CONSENT: &str = r#"policy = 1
name = "consent"
unmatched = "allow"
[propositions]
agreed = {}
[actions]
groups = [["publish"]]
[[match]]
on = "message"
role = "user"
regex = '(?i)\bgo ahead\b'
proposition = "agreed"
[[match]]
on = "call"
tool = "Bash"
shell = "/arguments/command"
argv = ["just", "publish", "**"]
action = "publish"
opaque = "allow"
[[law]]
id = "agreed"
rule = "publish requires agreed before"
"#;

#[test]
fn prompts_that_the_agent_scheduled_are_not_the_users() {
    let prompt = |text: &str| payload("UserPromptSubmit", &json!({ "prompt": text }));
    let notice = "<task-notification>\n<summary>go ahead</summary>\n</task-notification>";
    let mut checked = 0;
    for (tool, input, said, done) in [
        ("ScheduleWakeup", json!({ "delaySeconds": 60, "prompt": "Go ahead." }), "Go ahead.", Done::Refused),
        (
            "ScheduleWakeup",
            json!({ "delaySeconds": 60, "prompt": " Go ahead.\n" }),
            "Go ahead.",
            Done::Refused,
        ),
        ("CronCreate", json!({ "cron": "* * * * *", "prompt": "go ahead" }), "go ahead\n", Done::Refused),
        ("CronCreate", json!({ "cron": "* * * * *", "prompt": "wake up" }), "go ahead", Done::Runs),
        ("Read", json!({ "file_path": "/p/a", "prompt": "go ahead" }), "go ahead", Done::Runs),
        ("CronCreate", json!({ "cron": "* * * * *", "prompt": "wake up" }), notice, Done::Refused),
        ("CronCreate", json!(["* * * * *", "go ahead"]), "go ahead", Done::Runs),
    ] {
        let hooks = Hooks::new(CONSENT);
        hooks.expect(&before("a", tool, &input), Done::Runs);
        hooks.expect(&prompt(said), Done::Runs);
        hooks.expect(&before("b", "Bash", &command("just publish")), done);
        checked += 1;
    }
    // It is remembered beyond checkpoints of the journal, and real consent still counts.
    let hooks = Hooks::new(CONSENT);
    hooks.expect(
        &before("a", "CronCreate", &json!({ "cron": "1 * * * *", "prompt": "Go ahead!" })),
        Done::Runs,
    );
    for i in 0..70 {
        let (done, said) = hooks.send(&before(&format!("c{i}"), "Bash", &command("ls")));
        assert_eq!(done, Done::Runs, "{said}");
    }
    hooks.expect(&prompt("Go ahead!"), Done::Runs);
    hooks.expect(&before("b", "Bash", &command("just publish")), Done::Refused);
    hooks.expect(&prompt("yes, go ahead"), Done::Runs);
    hooks.expect(&before("d", "Bash", &command("just publish")), Done::Runs);
    println!("{} sessions with prompts", checked + 1);
}

#[test]
fn what_ran_in_place_of_a_granted_call_is_judged() {
    let response = printed(&json!({}));
    let mut checked = 0;
    for host in ["claude-code", "codex"] {
        for (granted, ran, said, next) in [
            // What was granted did not run: its tests have not passed.
            ("just test", "true", "", Done::Refused),
            // What ran was not granted, and violates a law.
            ("ls", "just publish", "violates tested", Done::Refused),
            // What would have been granted counts as what ran, without a word: other hooks may rewrite each call.
            ("ls", "just test", "", if host == "codex" { Done::Refused } else { Done::Runs }),
            ("just test", "just test", "", if host == "codex" { Done::Refused } else { Done::Runs }),
        ] {
            let hooks = Hooks::of(host, TESTED);
            hooks.expect(&before("a", "Bash", &command(granted)), Done::Runs);
            let told = hooks.expect(
                &after("a", "Bash", &command(ran), &response),
                if said.is_empty() { Done::Runs } else { Done::Told },
            );
            assert!(told.contains(said), "{told}");
            let again = hooks.expect(&after("a", "Bash", &command(ran), &response), Done::Runs);
            assert!(again.is_empty(), "{again}");
            hooks.expect(&before("b", "Bash", &command("just publish")), next);
            checked += 1;
        }
    }
    // A failed call, a call that was refused, and arguments that differ in their order and defaults only.
    let hooks = Hooks::new(TESTED);
    hooks.expect(&before("a", "Bash", &command("ls")), Done::Runs);
    let failed = json!({ "tool_name": "Bash", "tool_input": command("just publish"), "tool_use_id": "a", "error": "Exit code 1" });
    let told = hooks.expect(&payload("PostToolUseFailure", &failed), Done::Told);
    assert!(told.contains("violates tested"), "{told}");
    hooks.expect(&before("b", "Bash", &command("just publish")), Done::Refused);
    let told = hooks.expect(&after("b", "Bash", &command("just publish now"), &response), Done::Told);
    assert!(told.contains("violates tested"), "{told}");
    let pair = json!({ "command": "just test", "description": "x" });
    let turned: Value = serde_json::from_str(r#"{"description":"x","command":"just test"}"#).expect("JSON");
    hooks.expect(&before("c", "Bash", &pair), Done::Runs);
    hooks.expect(&after("c", "Bash", &turned, &response), Done::Runs);
    let bare = json!({ "to": "main", "summary": "x", "message": "y" });
    let whole = json!({ "to": "main", "summary": "x", "message": "y", "type": "message", "recipient": "main", "recipient_kind": "main", "content": "y" });
    hooks.expect(&before("d", "SendMessage", &whole), Done::Runs);
    hooks.expect(&after("d", "SendMessage", &bare, &json!({ "success": true })), Done::Runs);
    hooks.expect(&before("e", "Bash", &command("just publish")), Done::Runs);
    println!("{} sessions with rewritten calls", checked + 1);
    if let Some(folder) = case("21") {
        the_results_of_case_21_are_those_of_what_ran(&folder);
    }
}

fn the_results_of_case_21_are_those_of_what_ran(folder: &Path) {
    let hooks = Hooks::new(&std::fs::read_to_string(folder.join("policy.toml")).expect("a policy"));
    for (name, done) in [
        ("pre.json", Done::Runs),
        ("post.json", Done::Runs),
        ("push.json", Done::Refused),
        ("pre2.json", Done::Runs),
        ("post2.json", Done::Told),
    ] {
        let said = hooks.expect(&json_of(&folder.join(name)), done);
        assert_eq!(said.contains("violates tests-before-push"), name == "post2.json", "{said}");
    }
}

#[test]
fn monitors_and_commands_of_skills_are_shells() {
    let skill = |id: &str, line: &str| {
        let more = json!({ "tool_name": "Bash", "tool_input": command(line), "tool_use_id": id, "command_name": "s", "invoked_by": "claude" });
        payload("PreSkillShellCommand", &more)
    };
    let watch = |id: &str, line: &str| {
        let input = json!({ "command": line, "description": "x", "timeout_ms": 5 });
        before(id, "Monitor", &input)
    };
    let hooks = Hooks::new(TESTED);
    for (payload, done) in [
        (watch("a", "just publish; echo x"), Done::Refused),
        (watch("b", "tail -f out"), Done::Runs),
        (skill("c:preamble-0", "just publish"), Done::Refused),
        (skill("c:preamble-1", "git status"), Done::Runs),
        (skill("c:inner:preamble-0", "git status && just publish"), Done::Refused),
        // Its end is not told, so it never counts as passed.
        (skill("d:preamble-0", "just test"), Done::Runs),
        (skill("d:preamble-1", "just publish"), Done::Refused),
        (watch("e", "just test"), Done::Runs),
        (watch("f", "just test && just publish"), Done::Runs),
        (before("g", "Monitor", &json!({ "url": "ws://x" })), Done::Runs),
    ] {
        hooks.expect(&payload, done);
    }
    let started = json!({ "taskId": "b", "timeoutMs": 5, "persistent": false });
    let input = json!({ "command": "just test", "description": "x", "timeout_ms": 5 });
    hooks.expect(&after("e", "Monitor", &input, &started), Done::Runs);
    hooks.expect(&before("h", "Bash", &command("just publish")), Done::Refused);
    // A law that asks cannot ask before a command of a skill.
    let asks = TESTED.replace("why = ", "on_violation = \"ask\"\nwhy = ");
    let hooks = Hooks::new(&asks);
    let said = hooks.expect(&skill("a:preamble-0", "just publish"), Done::Refused);
    assert!(said.contains("A person must approve"), "{said}");
    println!("commands of monitors and skills");
}

#[test]
fn calls_that_would_change_the_gate_are_refused() {
    let hooks = Hooks::new(TESTED);
    let root = hooks.folder.path().to_path_buf();
    hooks.folder.file("sub/notes.txt", "x");
    let call = |id: usize, tool: &str, input: &Value| {
        let mut all = before(&format!("c{id}"), tool, input);
        all["cwd"] = root.to_string_lossy().into_owned().into();
        all
    };
    let path = |name: &str| root.join(name).to_string_lossy().into_owned();
    let patch = "*** Begin Patch\n*** Update File: policy.toml\n@@\n-a\n+b\n*** End Patch";
    let tools = [
        (
            "Edit",
            json!({ "file_path": path("policy.toml"), "old_string": "a", "new_string": "b" }),
            Done::Refused,
        ),
        ("Write", json!({ "file_path": path("sub/../policy.toml"), "content": "" }), Done::Refused),
        ("Write", json!({ "file_path": ".claude/settings.local.json", "content": "{}" }), Done::Refused),
        ("MultiEdit", json!({ "file_path": path(".claude/settings.json"), "edits": [] }), Done::Refused),
        ("Write", json!({ "file_path": "~/.claude/settings.json", "content": "{}" }), Done::Refused),
        ("Write", json!({ "file_path": path("journals/claude-code/x.jsonl"), "content": "" }), Done::Refused),
        ("mcp__files__write_file", json!({ "path": path("policy.toml"), "content": "" }), Done::Refused),
        ("mcp__files__search_replace", json!({ "path": path("policy.toml") }), Done::Refused),
        ("apply_patch", json!({ "input": patch }), Done::Refused),
        ("Read", json!({ "file_path": path("policy.toml") }), Done::Runs),
        ("mcp__files__read_file", json!({ "path": path("policy.toml") }), Done::Runs),
        ("Write", json!({ "file_path": path("sub/policy.toml"), "content": "" }), Done::Runs),
        (
            "Edit",
            json!({ "file_path": path("policy.toml.md"), "old_string": "policy.toml", "new_string": "b" }),
            Done::Runs,
        ),
    ];
    let commands = [
        ("echo {} > .claude/settings.local.json", Done::Refused),
        ("cd .claude && echo {} >> settings.local.json", Done::Refused),
        ("cp /tmp/weak.toml policy.toml", Done::Refused),
        ("rm -rf .claude", Done::Refused),
        ("sudo rm -f ./policy.toml", Done::Refused),
        ("ls; mv policy.toml old.toml", Done::Refused),
        ("sed -i s/deny/allow/ policy.toml", Done::Refused),
        ("tee .claude/settings.json < x", Done::Refused),
        ("dd if=/dev/null of=policy.toml", Done::Refused),
        ("rm -rf journals", Done::Refused),
        ("rm $DIR/policy.toml", Done::Refused),
        ("python3 -c \"open('policy.toml', 'w')\"", Done::Refused),
        ("git checkout -- policy.toml", Done::Refused),
        ("tsl-synth shield uninstall --host claude-code", Done::Refused),
        ("cat policy.toml | grep deny", Done::Runs),
        ("cp policy.toml /tmp/copy.toml", Done::Runs),
        ("git diff policy.toml && git commit -m 'policy.toml: tell why'", Done::Runs),
        ("tsl-synth check policy.toml", Done::Runs),
        ("sed -n 1,5p policy.toml", Done::Runs),
        ("rm -rf sub && mkdir -p sub && echo x > sub/policy.toml", Done::Runs),
        ("echo 'edit policy.toml' > sub/notes.txt", Done::Runs),
    ];
    let mut checked = 0;
    for (tool, input, done) in &tools {
        hooks.expect(&call(checked, tool, input), *done);
        checked += 1;
    }
    for (line, done) in commands {
        let said = hooks.expect(&call(checked, "Bash", &command(line)), done);
        assert!(done == Done::Runs || said.contains("part of the gate"), "{said}");
        checked += 1;
    }
    println!("{checked} calls about the files of the gate");
}

#[test]
fn commands_that_change_folders_of_the_gate_are_refused() {
    let hooks = Hooks::new(TESTED);
    let root = hooks.folder.path().to_path_buf();
    hooks.folder.file(".claude/settings.local.json", "{}");
    for (id, (line, done)) in [
        ("git clean -fdx", Done::Refused),
        ("git clean -xfd .", Done::Refused),
        ("git clean -fd .claude", Done::Refused),
        ("git restore --source=HEAD~3 .claude", Done::Refused),
        ("git checkout HEAD~3 -- .claude", Done::Refused),
        ("git rm -r .claude", Done::Refused),
        ("git mv .claude x", Done::Refused),
        ("tar xf x.tar -C .claude", Done::Refused),
        ("tar -xzf x.tgz --directory=.claude", Done::Refused),
        ("unzip x.zip -d .claude", Done::Refused),
        ("wget -P .claude http://x/settings.local.json", Done::Refused),
        ("cp x/settings.local.json .claude", Done::Refused),
        ("cp -r x/. .claude", Done::Refused),
        ("find .claude -name '*.json' -delete", Done::Refused),
        ("cp x/policy.toml .", Done::Refused),
        ("curl -O e.org/policy.toml", Done::Refused),
        ("rm -rf ~", Done::Refused),
        ("find . -name policy.toml | xargs rm", Done::Refused),
        ("find . -name '*.pyc' -delete", Done::Runs),
        ("git clean -n -dx", Done::Runs),
        ("git clean -fdx target", Done::Runs),
        ("git clean -f", Done::Runs),
        ("git checkout main", Done::Runs),
        ("git checkout -b clean", Done::Runs),
        ("git restore src", Done::Runs),
        ("git restore .", Done::Runs),
        ("git log -- .claude", Done::Runs),
        ("tar czf x.tgz .claude", Done::Runs),
        ("tar tf x.tgz", Done::Runs),
        ("tar czf policy.toml src", Done::Refused),
        ("tar tf policy.toml", Done::Runs),
        ("tar czf x.tgz --remove-files .claude", Done::Refused),
        ("tar xf x.tar -C target", Done::Runs),
        ("unzip x.zip -d target", Done::Runs),
        ("wget -P target http://x/a", Done::Runs),
        ("cp x/a.json target", Done::Runs),
        ("ls .claude", Done::Runs),
    ]
    .into_iter()
    .enumerate()
    {
        let mut call = before(&format!("f{id}"), "Bash", &command(line));
        call["cwd"] = root.to_string_lossy().into_owned().into();
        let said = hooks.expect(&call, done);
        assert!(done == Done::Runs || said.contains("part of the gate"), "{line}: {said}");
    }
}

#[test]
fn scripts_that_would_change_the_gate_are_refused() {
    let hooks = Hooks::new(&TESTED.replace("policy = 1\n", "policy = 1\nread_scripts = true\n"));
    let root = hooks.folder.path().to_path_buf();
    for (name, text) in [
        ("weaken.sh", "#!/bin/sh\necho hello\ncp weak.toml policy.toml\n"),
        ("outer.sh", "ls\nsh ./weaken.sh\n"),
        ("greet.sh", "#!/bin/sh\necho policy.toml\ncat policy.toml\n"),
    ] {
        hooks.folder.file(name, text);
    }
    hooks.folder.file("sub/notes.txt", "x");
    for (id, (line, done)) in [
        ("sh weaken.sh", Done::Refused),
        ("ls && bash ./weaken.sh", Done::Refused),
        ("bash outer.sh", Done::Refused),
        ("sh greet.sh", Done::Runs),
    ]
    .into_iter()
    .enumerate()
    {
        let mut call = before(&format!("c{id}"), "Bash", &command(line));
        call["cwd"] = root.to_string_lossy().into_owned().into();
        let said = hooks.expect(&call, done);
        assert!(done == Done::Runs || said.contains("part of the gate"), "{line}: {said}");
    }
}

/// Runs the command of an installed hook with a payload: whether it blocks, and what it printed.
fn run_installed(folder: &Folder, event: &str, payload: &Value, entries: &Value) -> (bool, String) {
    let hook = &entries["hooks"][event][0]["hooks"][0];
    let mut command = std::process::Command::new(hook["command"].as_str().expect("a program"));
    command.args(hook["args"].as_array().expect("arguments").iter().map(|arg| arg.as_str().expect("a text")));
    command
        .current_dir(folder.path())
        .env("HOME", folder.path())
        .env("TSL_SYNTH_STATE", folder.path().join("state"));
    command.env_remove("CLAUDE_CONFIG_DIR").env_remove("CLAUDE_PROJECT_DIR");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    child.stdin.take().expect("piped").write_all(payload.to_string().as_bytes()).expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let answer: Value = serde_json::from_str(&said).unwrap_or_default();
    (answer["decision"] == "block" || output.status.code() == Some(2), said)
}

#[test]
fn settings_without_the_hooks_of_the_gate_do_not_take_effect() {
    let folder = Folder::new();
    folder.file("policy.toml", TESTED);
    let install = || {
        let mut command = folder.command(["shield", "install", "--host", "claude-code"]);
        command.env("HOME", folder.path()).env_remove("CLAUDE_CONFIG_DIR");
        assert!(command.output().expect("it runs").status.success());
    };
    install();
    let file = folder.path().join(".claude/settings.local.json");
    let whole = std::fs::read_to_string(&file).expect("settings");
    let entries: Value = serde_json::from_str(&whole).expect("JSON");
    let changed = |name: &str, text: Option<&str>| {
        std::fs::write(&file, &whole).expect("settings");
        let path = folder.path().join(name);
        match text {
            Some(text) => drop(folder.file(name, text)),
            None => std::fs::remove_file(&path).expect("it was there"),
        }
        let more = json!({ "source": "local_settings", "file_path": path, "cwd": folder.path() });
        run_installed(&folder, "ConfigChange", &payload("ConfigChange", &more), &entries)
    };
    let local = ".claude/settings.local.json";
    let with = |key: &str, value: Value| {
        let mut all = entries.clone();
        all[key] = value;
        all.to_string()
    };
    let without = |event: &str| {
        let mut all = entries.clone();
        all["hooks"].as_object_mut().expect("hooks").remove(event);
        all.to_string()
    };
    let mut checked = 0;
    for (what, name, text, is_blocked) in [
        ("the same", local, Some(whole.clone()), false),
        ("a permission more", local, Some(with("permissions", json!({ "allow": ["Bash(ls)"] }))), false),
        ("another file", ".claude/settings.json", Some("{\"model\": \"x\"}".to_owned()), false),
        ("no settings", local, Some("{}".to_owned()), true),
        ("no file", local, None, true),
        ("half a file", local, Some("{\"hooks\":".to_owned()), true),
        ("no hook before calls", local, Some(without("PreToolUse")), true),
        ("no hook for settings", local, Some(without("ConfigChange")), true),
        ("another policy", local, Some(whole.replace("policy.toml", "weak.toml")), true),
        ("another matcher", local, Some(whole.replace("\"*\"", "\"Read\"")), true),
        ("another program", local, Some(whole.replace(env!("CARGO_BIN_EXE_tsl-synth"), "/bin/true")), true),
        ("in shadow", local, Some(whole.replace("\"shield\"", "\"shield\", \"--shadow\"")), true),
        ("crashes pass", local, Some(whole.replace("\"block\"", "\"warn\"")), true),
        ("switched off", local, Some(with("disableAllHooks", json!(true))), true),
        (
            "switched off elsewhere",
            ".claude/settings.json",
            Some("{\"disableAllHooks\": true}".to_owned()),
            true,
        ),
    ] {
        let (blocked, said) = changed(name, text.as_deref());
        println!("{what}: {}", said.chars().take(150).collect::<String>().trim());
        assert_eq!(blocked, is_blocked, "{what}: {said}");
        let _ = std::fs::remove_file(folder.path().join(".claude/settings.json"));
        checked += 1;
    }
    let mut dry = folder.command(["shield", "install", "--host", "claude-code", "--dry-run"]);
    dry.env("HOME", folder.path()).env_remove("CLAUDE_CONFIG_DIR");
    let said = String::from_utf8(dry.output().expect("it runs").stdout).expect("text");
    for part in [
        "Protected: the hook refuses",
        "`policy.toml`",
        local,
        "has no effect",
        "Not protected: what a script",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    println!("{checked} changes of settings");
}
