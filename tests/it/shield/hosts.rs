//! The program as the hook of Copilot, Gemini CLI, Cursor, Cline and OpenCode: whole sessions, calls without ids,
//! faults, and the files that are installed where settings are not JSON.

use super::live::Live;
use super::shapes::{EventContent, Shape};
use crate::cli::Run;
use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use tsl_synth_seats::hook::files::files;
use tsl_synth_seats::hook::settings::installed;
use tsl_synth_seats::hook::{HookHost, HookKind, HostAction};

impl Live {
    fn send_event(&self, shape: Shape, session: &str, content: EventContent<'_>) -> HostAction {
        let run = self.hook(shape.host(), shape.event(content), &shape.payload(session, content));
        shape.host().action(Some(run.code), &run.out, &run.err)
    }
    fn is_call_allowed(&self, shape: Shape, session: &str, tool: &str, id: &str) -> bool {
        match self.send_event(shape, session, EventContent::Call { tool, arguments: r#"{"n":"1"}"#, id }) {
            HostAction::NoDecision => true,
            HostAction::Refuses(why) => {
                assert!(why.contains("Test before you push."), "{shape:?}: {why}");
                false
            }
            other => panic!("{shape:?}: {other:?}"),
        }
    }
    fn send_result(&self, shape: Shape, tool: &str, id: &str, ok: bool) {
        self.send_event(shape, "s1", EventContent::Result { tool, arguments: r#"{"n":"1"}"#, id, ok });
    }
}

#[test]
fn a_call_that_the_rules_forbid_is_refused_until_they_permit_it() {
    for shape in Shape::ALL {
        let live = Live::new();
        assert!(live.send_event(shape, "s1", EventContent::Prompt("push, please")).may_run(), "{shape:?}");
        assert!(!live.is_call_allowed(shape, "s1", "Push", "c1"));
        assert!(live.is_call_allowed(shape, "s1", "Test", "c2"));
        // Neither a granted call nor a failed one counts as done.
        assert!(!live.is_call_allowed(shape, "s1", "Push", "c3"));
        live.send_result(shape, "Test", "c2", false);
        assert!(!live.is_call_allowed(shape, "s1", "Push", "c4"));
        assert!(live.is_call_allowed(shape, "s1", "Test", "c5"));
        live.send_result(shape, "Test", "c5", true);
        assert!(live.is_call_allowed(shape, "s1", "Push", "c6"), "{shape:?}");
        assert!(!live.is_call_allowed(shape, "s2", "Push", "c7"), "another session has tested nothing");
    }
}

/// Without ids, a result belongs to the oldest open call with the same tool and arguments.
#[test]
fn results_without_ids_find_their_calls() {
    for shape in Shape::ALL.into_iter().filter(|shape| !shape.has_ids()) {
        let live = Live::new();
        // Two open calls with the same tool and arguments.
        assert!(
            live.is_call_allowed(shape, "s1", "Test", "") && live.is_call_allowed(shape, "s1", "Test", "")
        );
        live.send_result(shape, "Test", "", false);
        assert!(!live.is_call_allowed(shape, "s1", "Push", ""), "{shape:?}");
        // Results with other arguments, and of a call that was never proposed.
        live.send_event(
            shape,
            "s1",
            EventContent::Result { tool: "Test", arguments: r#"{"n":"2"}"#, id: "", ok: true },
        );
        live.send_event(
            shape,
            "s1",
            EventContent::Result { tool: "Read", arguments: r#"{"n":"1"}"#, id: "", ok: true },
        );
        assert!(!live.is_call_allowed(shape, "s1", "Push", ""), "{shape:?}");
        live.send_result(shape, "Test", "", true);
        assert!(live.is_call_allowed(shape, "s1", "Push", ""), "{shape:?}");
        let text = std::fs::read_to_string(&live.journals(shape.host())[0]).expect("a journal");
        // Each proposal is a call of its own.
        for number in 1..=5 {
            assert!(
                text.contains(&format!("\\\"#{number}\\\"")) || text.contains(&format!("\"#{number}\"")),
                "{text}"
            );
        }
        // Its result belongs to the call that was granted, not to one of the refused calls before it.
        live.send_result(shape, "Push", "", true);
        let text = std::fs::read_to_string(&live.journals(shape.host())[0]).expect("a journal");
        let last = text.lines().rfind(|line| line.contains("\"event\":\"result\"")).expect("a result");
        assert!(last.contains("\"id\":\"#5\""), "{shape:?}: {last}");
    }
}

/// Many hooks at once, each a process, for calls without ids: each call has a number of its own, and only allowed calls
/// run.
#[test]
fn calls_at_once_are_calls_of_their_own() {
    let (live, shape) = (Live::new(), Shape::Gemini);
    let tools = ["Test", "Push"];
    let content = |i: usize| EventContent::Call { tool: tools[i % 2], arguments: "{}", id: "" };
    let start = |i| live.start(shape.host(), shape.event(content(i)), &shape.payload("s1", content(i)));
    let children: Vec<_> = (0..12).map(|i| (i, start(i))).collect();
    for (i, child) in children {
        let run = Run::of(child.wait_with_output().expect("it ends"));
        assert_eq!(shape.host().action(Some(run.code), &run.out, &run.err).may_run(), i % 2 == 0, "{run:?}");
    }
    let text = std::fs::read_to_string(&live.journals(shape.host())[0]).expect("a journal");
    for number in 1..=12 {
        assert_eq!(text.matches(&format!("\"event\":\"call\",\"id\":\"#{number}\"")).count(), 1, "{text}");
    }
}

/// A host that never closes standard input: the gate's deadline is before the host's, and the answer is a denial.
#[test]
fn a_payload_that_does_not_end_is_refused_in_time() {
    let live = Live::new();
    let hung: Vec<_> = Shape::ALL
        .into_iter()
        .map(|shape| {
            let call = EventContent::Call { tool: "Test", arguments: "{}", id: "c1" };
            let args = [
                "policy.toml",
                "--proto",
                "hook",
                "--host",
                shape.host().name(),
                "--event",
                shape.event(call),
            ];
            let mut child = live.command(&args).spawn().expect("it starts");
            let mut stdin = child.stdin.take().expect("piped");
            stdin.write_all(&shape.payload("s1", call).as_bytes()[..20]).expect("it reads");
            (shape.host(), stdin, child)
        })
        .collect();
    for (host, stdin, child) in hung {
        let run = Run::of(child.wait_with_output().expect("it ends"));
        let does = host.action(Some(run.code), run.out.trim(), run.err.trim());
        assert!(matches!(&does, HostAction::Refuses(why) if why.contains("in time")), "{host:?} {run:?}");
        drop(stdin);
    }
}

/// A resumed session of Gemini CLI keeps its history; a granted call that was never executed does not count as done.
#[test]
fn a_session_that_is_taken_up_again_goes_on() {
    let (live, shape) = (Live::new(), Shape::Gemini);
    let start = |source: &str| {
        let text =
            json!({"session_id": "s1", "hook_event_name": "SessionStart", "cwd": "/p", "source": source});
        live.hook(shape.host(), "SessionStart", &text.to_string()).exits(0);
    };
    start("startup");
    assert!(live.is_call_allowed(shape, "s1", "Test", ""));
    start("resume");
    assert!(!live.is_call_allowed(shape, "s1", "Push", ""), "the test was granted and never executed");
    assert!(live.is_call_allowed(shape, "s1", "Test", ""));
    live.send_result(shape, "Test", "", true);
    start("resume");
    assert!(live.is_call_allowed(shape, "s1", "Push", ""));
}

const ONCE: &str = r#"policy = 1
name = "once"
unmatched = "allow"
[actions]
groups = [["push"]]
[[match]]
on = "call"
tool = "Shell"
shell = "/arguments/command"
argv = ["git", "push", "**"]
action = "push"
[[law]]
id = "once"
rule = "at most 1 push"
why = "Push once."
"#;

/// Cursor reports one call by two events, which are one action. If only one of them arrives, that one is judged.
#[test]
fn two_events_of_cursor_are_one_call() {
    let pre = |command: &str, id: &str| {
        json!({
            "conversation_id": "v", "hook_event_name": "preToolUse", "tool_name": "Shell", "tool_use_id": id,
            "tool_input": {"command": command, "cwd": "", "timeout": 30000}, "cwd": "",
        })
    };
    let shell = |command: &str| json!({"conversation_id": "v", "hook_event_name": "beforeShellExecution", "command": command, "cwd": "/p"});
    let gate = || {
        let live = Live::new();
        live.0.file("project/policy.toml", ONCE);
        move |payload: Value| {
            let event = payload["hook_event_name"].as_str().expect("a name").to_owned();
            let run = live.hook(HookHost::Cursor, &event, &payload.to_string());
            HookHost::Cursor.action(Some(run.code), &run.out, &run.err).may_run()
        }
    };
    let both = gate();
    assert!(both(pre("git push", "t1")) && both(shell("git push")), "one call, told twice");
    assert!(!both(pre("git push", "t2")), "a second push");
    assert!(!both(shell("git push --force")), "another command than the one that was granted");
    let only_shell = gate();
    assert!(only_shell(shell("git push")) && !only_shell(shell("git push")), "two calls without ids are two");
    let only_pre = gate();
    assert!(only_pre(pre("git push", "t1")) && !only_pre(pre("git push", "t2")));
}

/// No call runs if the gate fails: if the policy or payload cannot be read, or the journal is damaged.
#[test]
fn faults_of_ours_refuse_calls() {
    let call = EventContent::Call { tool: "Test", arguments: "{}", id: "c1" };
    for shape in Shape::ALL {
        let (live, host, event) = (Live::new(), shape.host(), shape.event(call));
        let whole = shape.payload("s1", call);
        for payload in ["", "{", "\u{feff}", "nonsense", &whole[..whole.len() / 2]] {
            let run = live.hook(host, event, payload);
            let does = host.action(Some(run.code), &run.out, &run.err);
            assert!(
                matches!(&does, HostAction::Refuses(why) if why.contains("tsl-synth")),
                "{shape:?} {run:?}"
            );
        }
        assert!(live.send_event(shape, "s1", call).may_run());
        std::fs::write(&live.journals(host)[0], "damaged\nlines\n").expect("written");
        assert!(!live.send_event(shape, "s1", call).may_run(), "{shape:?}");
        live.0.file("project/policy.toml", "policy = 1\n[[law]]\n");
        assert!(!live.send_event(shape, "s9", call).may_run(), "{shape:?}");
        std::fs::remove_file(live.path("project/policy.toml")).expect("removed");
        assert!(!live.send_event(shape, "s9", call).may_run(), "{shape:?}");
    }
}

/// Runs a command line in a shell, as hosts do.
#[cfg(unix)]
fn shell(line: &str, payload: &str) -> Run {
    let mut child = Command::new("sh")
        .args(["-c", line])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("a shell");
    let _ = child.stdin.take().expect("piped").write_all(payload.as_bytes());
    Run::of(child.wait_with_output().expect("it ends"))
}

#[cfg(unix)]
fn script(live: &Live, name: &str, text: &str) -> String {
    use std::os::unix::fs::PermissionsExt;
    let path = live.0.file(name, format!("#!/bin/sh\n{text}\n"));
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("executable");
    path.to_str().expect("text").to_owned()
}

/// Ways in which a gate ends without an answer.
#[cfg(unix)]
const BROKEN: [&str; 5] = [
    "cat >/dev/null; exit 1",
    "cat >/dev/null; exit 0",
    "kill -9 $$",
    "printf '{\"cancel\":fal'; kill -9 $$",
    "printf '{\"decision\":\"all'; kill -9 $$",
];

/// For hosts that let calls run when a hook fails, the installed entry itself turns the failure into a denial.
#[cfg(unix)]
#[test]
fn a_gate_that_crashes_or_is_gone_is_a_denial() {
    let install = |live: &Live, host: HookHost, program: &str| {
        let args = ["install", "--host", host.name(), "--program", program];
        Run::of(live.command(&args).output().expect("it ends")).exits(0);
    };
    for host in [HookHost::Codex, HookHost::GeminiCli, HookHost::Cline] {
        for (i, text) in BROKEN.into_iter().chain(["gone"]).enumerate() {
            // Codex and Gemini CLI take empty output with exit code 0 for no decision.
            if text.ends_with("exit 0") && host != HookHost::Cline {
                continue;
            }
            let live = Live::new();
            let program = script(&live, &format!("it's {i}"), text);
            install(&live, host, &program);
            if text == "gone" {
                std::fs::remove_file(&program).expect("removed");
            }
            let line = if host == HookHost::Cline {
                format!("'{}'", live.path("project/.clinerules/hooks/PreToolUse").display())
            } else {
                let text = std::fs::read_to_string(live.path("project").join(host.place().project));
                let hooks = installed(host, &text.expect("settings")).expect("settings");
                let call = hooks.into_iter().find(|hook| host.kind(&hook.event) == HookKind::Call);
                call.expect("a hook").command
            };
            let doctor = live.command(&["doctor", "--host", host.name()]).stdin(Stdio::null()).output();
            let doctor = Run::of(doctor.expect("it ends")).exits(1);
            assert!(doctor.out.contains("gives no answer to a call"), "{doctor:?}");
            let run = shell(&line, "{}");
            let does = host.action(Some(run.code), run.out.trim(), run.err.trim());
            assert!(
                matches!(&does, HostAction::Refuses(why) if why.contains("the gate did not answer")),
                "{host:?} {text}: {run:?}"
            );
        }
    }
}

#[test]
fn files_of_ours_come_and_go_and_others_stay() {
    for (host, folder) in [(HookHost::Cline, ".clinerules/hooks"), (HookHost::OpenCode, ".opencode/plugins")]
    {
        let live = Live::new();
        let run = |args: &[&str]| Run::of(live.command(args).stdin(Stdio::null()).output().expect("it ends"));
        let args = ["--host", host.name()];
        let names: Vec<&str> = files(host, &[]).into_iter().map(|file| file.name).collect();
        let path = |name: &str| live.path("project").join(folder).join(name);
        let dry = run(&[&["install"][..], &args, &["--dry-run"]].concat()).exits(0);
        assert!(
            dry.out.contains("lets through in spite of its hooks") && dry.out.contains("exit code 127"),
            "{dry:?}"
        );
        assert!(!path("").exists(), "a dry run writes nothing");
        run(&[&["install"][..], &args].concat()).exits(0);
        live.0.file(&format!("project/{folder}/other.js"), "// mine\n");
        for name in &names {
            let text = std::fs::read_to_string(path(name)).expect("our file");
            assert!(text.contains("--proto") && text.contains("policy.toml"), "{text}");
        }
        let again = run(&[&["install"][..], &args].concat()).exits(0);
        assert_eq!(again.out.matches("nothing to change").count(), names.len(), "{again:?}");
        run(&[&["uninstall"][..], &args].concat()).exits(0);
        assert!(names.iter().all(|name| !path(name).exists()) && path("other.js").exists());
        // A hook that somebody else wrote is not touched.
        live.0.file(&format!("project/{folder}/{}", names[names.len() - 1]), "mine\n");
        let refused = run(&[&["install"][..], &args].concat()).exits(2);
        assert!(refused.err.contains("somebody else"), "{refused:?}");
        run(&[&["uninstall"][..], &args].concat()).exits(0);
        assert_eq!(std::fs::read_to_string(path(names[names.len() - 1])).expect("theirs"), "mine\n");
        assert!(names[..names.len() - 1].iter().all(|name| !path(name).exists()), "nothing by halves");
    }
}

/// Calls our plugin as OpenCode does; prints for each call `ran`, or the reason of the refusal.
const DRIVER: &str = r#"
const { default: plugin } = await import(process.argv[2]);
const parents = { child: "s1" };
const client = { session: { get: async ({ path }) => ({ data: { parentID: parents[path.id] } }) } };
const hooks = await plugin.server({ client, directory: process.cwd() });
await hooks.config({ mcp: { bank: {}, "bank_of x": {} } });
const call = async (tool, callID, args, sessionID = "s1", exit = 0) => {
  try {
    await hooks["tool.execute.before"]({ tool, sessionID, callID }, { args });
  } catch (error) {
    return console.log(error.message.split("\n").join(" | "));
  }
  await hooks["tool.execute.after"]({ tool, sessionID, callID, args }, { output: "x", metadata: { exit } });
  console.log(Object.isFrozen(args) ? "ran" : "ran, and could be changed");
};
const message = { parts: [{ type: "text", text: "go" }, { type: "text", text: "no", synthetic: true }] };
await hooks["chat.message"]({ sessionID: "s1" }, message).catch((error) => console.log(error.message));
for (const one of JSON.parse(process.argv[3])) await call(...one);
"#;

fn driven(live: &Live, plugin: &Path, calls: &Value) -> Option<Vec<String>> {
    let driver = live.0.file("driver.mjs", DRIVER);
    let module = live.path("plugin.mjs");
    std::fs::copy(plugin, &module).expect("copied");
    let done = Command::new("node")
        .arg(driver)
        .arg(&module)
        .arg(calls.to_string())
        .env("TSL_SYNTH_STATE", live.path("state"))
        .output();
    match done {
        Err(error) if std::env::var_os("CI").is_none() => {
            tsl_synth_testkit::skip(&format!("node is not installed: {error}"));
            None
        }
        done => {
            let run = Run::of(done.expect("node")).exits(0);
            Some(run.out.lines().map(str::to_owned).collect())
        }
    }
}

#[test]
fn the_plugin_of_opencode_throws_on_all_but_a_permission() {
    let live = Live::new();
    Run::of(live.command(&["install", "--host", "opencode"]).output().expect("it ends")).exits(0);
    let plugin = live.path("project/.opencode/plugins/tsl-synth.js");
    let calls = json!([
        ["Push", "c1", {"a": {"b": 1}}],
        ["Test", "c2", {}, "s1", 1],
        ["Push", "c3", {}],
        // The call of a subagent belongs to the session of its parent.
        ["Test", "c4", {}, "child"],
        ["Push", "c5", {}],
        // If the names of two servers are prefixes of the tool's, the longer one is the server.
        ["bank_pay_all", "c6", {}],
        ["bank_of_x_pay", "c7", {}],
        ["bank_", "c8", {}],
    ]);
    let Some(lines) = driven(&live, &plugin, &calls) else { return };
    let refused = |line: &str| line.starts_with("Denied by tests-first: Test before you push.");
    assert!(refused(&lines[0]) && lines[1] == "ran" && refused(&lines[2]), "{lines:?}");
    assert_eq!(lines[3..], ["ran"; 5], "{lines:?}");
    let journals = live.journals(HookHost::OpenCode);
    let text = std::fs::read_to_string(&journals[0]).expect("a journal");
    let named = [
        r#""server":"bank","#,
        r#""tool":"pay_all""#,
        r#""server":"bank_of x","#,
        r#""tool":"pay""#,
        r#""tool":"bank_""#,
    ];
    for named in named {
        assert!(text.contains(named), "{named}: {text}");
    }
    assert!(journals.len() == 1 && text.contains("child") && !text.contains("no\\\""), "{text}");
}

#[cfg(unix)]
#[test]
fn the_plugin_of_opencode_throws_when_the_gate_fails() {
    let broken = [
        ("cat >/dev/null; exit 1", "exit code 1"),
        ("cat >/dev/null; exit 0", "cannot be read"),
        ("cat >/dev/null; echo nonsense", "cannot be read"),
        ("cat >/dev/null; echo '{}'", "denied by tsl-synth"),
        ("cat >/dev/null; echo '{\"verdict\":\"allowed\"}'", "denied by tsl-synth"),
        ("cat >/dev/null; echo '{\"verdict\":\"allow\"}'; exit 2", "exit code 2"),
        ("kill -9 $$", "exit code null"),
        ("exec sleep 30", "in time"),
        ("gone", "cannot be started"),
    ];
    for (i, (text, word)) in broken.into_iter().enumerate() {
        let live = Live::new();
        let program = script(&live, &format!("it's {i}"), text);
        let args = ["install", "--host", "opencode", "--program", &program];
        Run::of(live.command(&args).output().expect("it ends")).exits(0);
        if text == "gone" {
            std::fs::remove_file(&program).expect("removed");
        }
        let plugin = live.path("project/.opencode/plugins/tsl-synth.js");
        let quick =
            std::fs::read_to_string(&plugin).expect("ours").replace("DEADLINE = 20000", "DEADLINE = 700");
        std::fs::write(&plugin, quick).expect("written");
        let Some(lines) = driven(&live, &plugin, &json!([["Test", "c1", {}]])) else { return };
        // One line for the prompt, one for the call.
        assert!(lines.len() == 2 && lines.iter().all(|line| line.contains(word)), "{text}: {lines:?}");
    }
}
