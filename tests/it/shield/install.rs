//! `shield install`, `uninstall` and `doctor`: the program in a temporary home folder.

use crate::cli::{Folder, Run};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use tsl_synth_seats::hook::settings::{install, installed, uninstall};
use tsl_synth_seats::hook::{HookHost, SettingsForm};

const POLICY: &str = r#"policy = 1
name = "push"
[actions]
groups = [["push", "test"]]
[[match]]
on = "call"
tool = "Push"
action = "push"
[[match]]
on = "call"
tool = "Test"
action = "test"
[[law]]
id = "tests-first"
rule = "push requires test before"
"#;

/// A home folder and a project in it.
struct Home {
    folder: Folder,
}

impl Home {
    fn new() -> Self {
        let folder = Folder::new();
        folder.file("home/.keep", "");
        folder.file("project/policy.toml", POLICY);
        Self { folder }
    }
    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
    fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).expect("the file")
    }
    fn run(&self, args: &[&str]) -> Run {
        let mut command = self.folder.command(["shield"]);
        command.args(args).current_dir(self.path("project")).stdin(Stdio::null());
        for variable in ["XDG_STATE_HOME", "TSL_SYNTH_STATE"] {
            command.env_remove(variable);
        }
        for (variable, _) in HookHost::ALL.iter().flat_map(|host| host.place().variables) {
            command.env_remove(variable);
        }
        for variable in ["HOME", "USERPROFILE", "LOCALAPPDATA"] {
            command.env(variable, self.path("home"));
        }
        Run::of(command.output().expect("the program starts"))
    }
    /// A shell script in place of the program.
    #[cfg(unix)]
    fn script(&self, name: &str, text: &str) -> String {
        use std::os::unix::fs::PermissionsExt;
        let path = self.folder.file(name, format!("#!/bin/sh\n{text}\n"));
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("executable");
        path.to_str().expect("text").to_owned()
    }
}

/// The settings file for each host and scope.
const FILES: [(&str, &str, &str); 10] = [
    ("claude-code", "project", "project/.claude/settings.local.json"),
    ("claude-code", "user", "home/.claude/settings.json"),
    ("codex", "project", "project/.codex/hooks.json"),
    ("codex", "user", "home/.codex/hooks.json"),
    ("copilot", "project", "project/.github/hooks/tsl-synth.json"),
    ("copilot", "user", "home/.copilot/hooks/tsl-synth.json"),
    ("gemini-cli", "project", "project/.gemini/settings.json"),
    ("gemini-cli", "user", "home/.gemini/settings.json"),
    ("cursor", "project", "project/.cursor/hooks.json"),
    ("cursor", "user", "home/.cursor/hooks.json"),
];

/// Hosts whose settings are JSON.
fn with_json() -> impl Iterator<Item = HookHost> {
    HookHost::ALL.iter().copied().filter(|host| host.place().layout != SettingsForm::Files)
}

/// What remains of settings that contained only our hooks.
fn emptied(host: HookHost) -> Value {
    if host.place().layout == SettingsForm::Flat { json!({"version": 1}) } else { json!({}) }
}

fn host(name: &str) -> HookHost {
    HookHost::ALL.iter().copied().find(|host| host.name() == name).expect("a host")
}

#[test]
fn installed_twice_is_installed_once_and_taken_out_is_as_before() {
    for (name, scope, file) in FILES {
        let home = Home::new();
        let args = ["--host", name, "--scope", scope];
        home.run(&[&["install"][..], &args].concat()).exits(0);
        let first = home.text(file);
        let hooks = installed(host(name), &first).expect("settings");
        let expected: Vec<&str> = host(name).events().iter().map(|event| event.name).collect();
        assert_eq!(hooks.iter().map(|hook| hook.event.as_str()).collect::<Vec<_>>(), expected);
        let run = home.run(&[&["install"][..], &args].concat()).exits(0);
        assert!(run.out.contains("nothing to change"), "{run:?}");
        assert_eq!(home.text(file), first);
        home.run(&[&["uninstall"][..], &args].concat()).exits(0);
        assert_eq!(serde_json::from_str::<Value>(&home.text(file)).expect("JSON"), emptied(host(name)));
        home.run(&[&["uninstall"][..], &args].concat()).exits(0);
    }
}

#[test]
fn entries_name_the_program_and_the_policy_by_their_whole_paths() {
    let home = Home::new();
    home.run(&["install", "--host", "claude-code"]).exits(0);
    home.run(&["install", "--host", "codex"]).exits(0);
    let policy = home.path("project").canonicalize().expect("there").join("policy.toml");
    let policy = policy.to_str().expect("text");
    let claude: Value = serde_json::from_str(&home.text(FILES[0].2)).expect("JSON");
    let entry = &claude["hooks"]["PreToolUse"][0];
    assert_eq!(entry["matcher"], "*");
    let hook = &entry["hooks"][0];
    assert_eq!(
        (&hook["type"], &hook["onFailure"], &hook["timeout"]),
        (&json!("command"), &json!("block"), &json!(10))
    );
    assert!(Path::new(hook["command"].as_str().expect("text")).is_absolute());
    let args: Vec<&str> = hook["args"].as_array().expect("a list").iter().filter_map(Value::as_str).collect();
    assert_eq!(
        (args[0], args[2..].join(" ").as_str()),
        ("shield", "--proto hook --host claude-code --event PreToolUse")
    );
    assert_eq!(Path::new(args[1]).canonicalize().expect("there").to_str(), Some(policy));
    // For other events a failing hook does not block the agent.
    assert_eq!(claude["hooks"]["Stop"][0]["hooks"][0]["onFailure"], Value::Null);
    let codex: Value = serde_json::from_str(&home.text(FILES[2].2)).expect("JSON");
    let hook = &codex["hooks"]["PreToolUse"][0]["hooks"][0];
    assert_eq!((&hook["args"], &hook["onFailure"]), (&Value::Null, &Value::Null));
    for key in ["command", "commandWindows"] {
        let line = hook[key].as_str().expect("one line");
        assert!(line.contains("policy.toml --proto hook --host codex --event PreToolUse"), "{line}");
    }
}

const SETTINGS: &str = r#"{
  // why this is so
  "version": 1,
  "model": "opus", "permissions": { "allow": ["Bash(ls:*)"] },
  "hooks": {
    /* formatting */
    "PostToolUse": [
      { "matcher": "Edit|Write", "hooks": [{ "type": "command", "command": "prettier --write" }] },
    ],
  },
  "env": {"A": "1"}   // last
}
"#;

#[test]
fn settings_keep_their_comments_order_and_layout() {
    let words: Vec<String> =
        ["/bin/a b", "shield", "/p.toml", "--proto", "hook", "--host", "codex"].map(str::to_owned).to_vec();
    for host in with_json() {
        let after = install(host, SETTINGS, &words).expect("settings");
        // Every line is there, in order; only commas and brackets may have moved.
        let mut rest = after.as_str();
        for part in [
            "// why this is so",
            "\"model\": \"opus\", \"permissions\": { \"allow\": [\"Bash(ls:*)\"] },",
            "/* formatting */",
            r#"{ "matcher": "Edit|Write", "hooks": [{ "type": "command", "command": "prettier --write" }] },"#,
            r#""env": {"A": "1"}   // last"#,
        ] {
            let at = rest.find(part).unwrap_or_else(|| panic!("{part} is lost or moved:\n{after}"));
            rest = &rest[at + part.len()..];
        }
        assert_eq!(installed(host, &after).expect("settings").len(), host.events().len());
        assert_eq!(install(host, &after, &words).expect("again"), after);
        assert_eq!(uninstall(host, &after).expect("settings"), SETTINGS);
        assert_eq!(uninstall(host, SETTINGS).expect("settings"), SETTINGS);
    }
}

/// A new policy replaces the previous one; hooks of other programs in the same entry stay.
#[test]
fn an_older_installation_is_replaced() {
    let of = |policy: &str| {
        ["/bin/t", "shield", policy, "--proto", "hook", "--host", "claude-code"].map(str::to_owned).to_vec()
    };
    let host = HookHost::ClaudeCode;
    let first = install(host, SETTINGS, &of("/a.toml")).expect("settings");
    let second = install(host, &first, &of("/b.toml")).expect("settings");
    assert!(!second.contains("/a.toml") && second.contains("prettier"));
    assert_eq!(installed(host, &second).expect("settings").len(), host.events().len());
    assert_eq!(second, install(host, SETTINGS, &of("/b.toml")).expect("settings"));
    let mixed = r#"{"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[
        {"type":"command","command":"/bin/t shield /a.toml --proto hook --host claude-code"},{"type":"command","command":"mine"}]}]}}"#;
    let hooks = installed(host, mixed).expect("settings");
    assert_eq!((hooks.len(), hooks[0].sees_all, hooks[0].blocks_on_failure), (1, false, false));
    let after: Value = serde_json::from_str(&uninstall(host, mixed).expect("settings")).expect("JSON");
    assert_eq!(
        after,
        json!({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "mine"}]}]}})
    );
}

#[test]
fn empty_files_and_odd_line_ends_are_settings() {
    let words: Vec<String> = ["/bin/t", "shield", "/p", "--proto", "hook"].map(str::to_owned).to_vec();
    for text in [
        "",
        " \n",
        "{}",
        "{\r\n  \"a\": 1\r\n}\r\n",
        "{\"hooks\":{}}",
        "{\"hooks\":{\"Stop\":[]}}",
        "// nothing\n{}",
    ] {
        for host in with_json() {
            let after = install(host, text, &words).expect(text);
            assert_eq!(installed(host, &after).expect("settings").len(), host.events().len(), "{after}");
            assert_eq!(install(host, &after, &words).expect("again"), after);
            assert_eq!(installed(host, &uninstall(host, &after).expect("settings")).expect("settings"), []);
        }
    }
}

/// A file without valid settings is reported with a reason and stays unchanged.
#[test]
fn broken_settings_are_left_alone() {
    let deep = "[".repeat(100_000);
    let broken = [
        "{",
        "[]",
        "7",
        "{\"a\":1,}}",
        "{'a':1}",
        "{\"hooks\":[]}",
        "{\"hooks\":{\"PreToolUse\":{}}}",
        "{\"hooks\":{\"PreToolUse\":[{\"hooks\":3}]}}",
        "{\"hooks\":{},\"hooks\":{}}",
        "{\"hooks\":{\"Stop\":[],\"Stop\":[]}}",
        "{a:1}",
        "\u{0}",
        &deep,
    ];
    for (name, scope, file) in [FILES[0], FILES[3], FILES[4], FILES[7], FILES[8]] {
        for text in broken {
            if host(name).place().layout == SettingsForm::Flat && text.contains(":3}") {
                // In the flat layout this is a hook of another program.
                continue;
            }
            let home = Home::new();
            home.folder.file(file, text);
            for verb in ["install", "uninstall", "doctor"] {
                let run = home.run(&[verb, "--host", name, "--scope", scope]);
                let shown = &text[..text.len().min(40)];
                assert_eq!(run.code, if verb == "doctor" { 1 } else { 2 }, "{verb} {shown}: {run:?}");
                assert!((run.out.clone() + &run.err).contains("settings"), "{verb} {shown}: {run:?}");
                assert_eq!(home.text(file), text);
                let folder = home.path(file);
                let count = std::fs::read_dir(folder.parent().expect("a folder")).expect("there").count();
                assert_eq!(count, 1, "no backup, no temporary file");
            }
        }
    }
}

#[test]
fn a_dry_run_shows_the_change_and_what_the_host_lets_through() {
    for (name, scope, file) in FILES {
        let home = Home::new();
        home.folder.file(file, SETTINGS);
        let run = home.run(&["install", "--host", name, "--scope", scope, "--dry-run"]).exits(0);
        assert!(run.out.contains("\n+") && run.out.contains("@@") && run.out.contains("--event"), "{run:?}");
        assert!(
            run.out.contains("lets through in spite of its hooks") && run.out.contains("exit code 127"),
            "{run:?}"
        );
        assert_eq!(home.text(file), SETTINGS);
        home.run(&["install", "--host", name, "--scope", scope]).exits(0);
        assert_eq!(home.text(&format!("{file}.tsl-synth-backup")), SETTINGS);
        let there = home.text(file);
        let run = home.run(&["uninstall", "--host", name, "--scope", scope, "--dry-run"]).exits(0);
        assert!(run.out.contains("\n-") && home.text(file) == there, "{run:?}");
        // The backup has the settings before the first installation, also after a second one.
        home.folder.file("project/other.toml", POLICY);
        home.run(&["install", "--host", name, "--scope", scope, "--policy", "other.toml"]).exits(0);
        assert_eq!(home.text(&format!("{file}.tsl-synth-backup")), SETTINGS);
    }
}

#[test]
fn what_would_be_silent_approval_is_not_installed() {
    let home = Home::new();
    home.folder.file("project/broken.toml", "policy = 1\n[[law]]\n");
    for (args, word) in [
        (&["--policy", "missing.toml"][..], "missing.toml"),
        (&["--policy", "broken.toml"], "broken.toml"),
        (&["--program", "/no/such/program"], "/no/such/program"),
        (&["--program", "."], "no file"),
    ] {
        let run = home.run(&[&["install", "--host", "codex"][..], args].concat()).exits(2);
        assert!(run.err.contains(word), "{run:?}");
        assert!(!home.path(FILES[2].2).exists());
    }
    home.run(&["install"]).exits(2);
    home.run(&["install", "--host", "emacs"]).exits(2);
}

/// Tool names differ between hosts: `install` reports a policy whose `shell` rules name no tool that runs commands.
#[test]
fn a_policy_that_names_no_shell_of_the_host_is_told() {
    let home = Home::new();
    let of = |tools: &str| {
        format!(
            "policy = 1\nname = \"p\"\n[actions]\ngroups = [[\"push\"]]\n[[match]]\non = \"call\"\n{tools}shell = \"/arguments/command\"\n\
             argv = [\"git\", \"push\", \"**\"]\naction = \"push\"\n[[law]]\nid = \"once\"\nrule = \"at most 1 push\"\n"
        )
    };
    for host in HookHost::ALL {
        for (tools, is_named) in [
            ("tool = \"Other\"\n".to_owned(), false),
            (format!("tool = [\"Other\", \"{}\"]\n", host.shells()[0]), true),
            ("tool = \"*\"\n".to_owned(), true),
            (String::new(), true),
        ] {
            home.folder.file("project/policy.toml", of(&tools));
            let run = home.run(&["install", "--host", host.name(), "--dry-run"]).exits(0);
            assert_eq!(run.out.contains("none names the tools"), !is_named, "{tools} {run:?}");
        }
        // The introductory policy names the shells of all hosts.
        let first = Path::new(env!("CARGO_MANIFEST_DIR")).join("specs/policies/tests-before-push.toml");
        let first = first.to_str().expect("text");
        let run = home.run(&["install", "--host", host.name(), "--dry-run", "--policy", first]).exits(0);
        assert!(!run.out.contains("none names the tools"), "{run:?}");
    }
}

#[cfg(unix)]
#[test]
fn links_stay_links_and_permissions_stay() {
    use std::os::unix::fs::PermissionsExt;
    let home = Home::new();
    let real = home.folder.file("home/dotfiles/settings.json", "{}\n");
    std::fs::set_permissions(&real, std::fs::Permissions::from_mode(0o600)).expect("set");
    std::fs::create_dir_all(home.path("home/.claude")).expect("a folder");
    std::os::unix::fs::symlink(&real, home.path(FILES[1].2)).expect("a link");
    home.run(&["install", "--host", "claude-code", "--scope", "user"]).exits(0);
    assert!(std::fs::symlink_metadata(home.path(FILES[1].2)).expect("there").is_symlink());
    assert_eq!(std::fs::metadata(&real).expect("there").permissions().mode() & 0o777, 0o600);
    assert!(home.text("home/dotfiles/settings.json").contains("PreToolUse"));
}

/// A gate that fails on truncated payloads, denies every call, and lets prompts pass.
#[cfg(unix)]
const GOOD: &str = r#"[ "$1" = --version ] && { echo "tsl-synth 0.1.0"; exit 0; }
text=$(cat)
case "$text" in
  *UserPromptSubmit*) exit 0 ;;
  *\}) echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"unknown tool"}}' ;;
  *) echo "half" >&2; exit 2 ;;
esac"#;

#[cfg(unix)]
#[test]
fn the_doctor_tells_gates_from_what_is_none() {
    let cases = [
        (GOOD, 0, "refuses a call that it cannot read"),
        ("cat >/dev/null; exit 0", 1, "does not refuse a call that it cannot read"),
        ("cat >/dev/null; exit 1", 1, "does not take up what the user says"),
        ("cat >/dev/null; exit 127", 1, "the program is not found"),
        ("kill -9 $$", 1, "killed by a signal"),
        ("cat >/dev/null; echo nonsense; exit 2", 1, "does not take up what the user says"),
        (
            r#"[ "$1" = --version ] && exit 0
cat >/dev/null; echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}'"#,
            1,
            "does not refuse",
        ),
    ];
    for (name, scope, file) in [FILES[0], FILES[2]] {
        for (script, code, word) in &cases {
            let home = Home::new();
            // A path with blanks and quotes.
            let program = home.script("bin dir/it's tsl-synth", script);
            home.run(&["install", "--host", name, "--scope", scope, "--program", &program]).exits(0);
            let run = home.run(&["doctor", "--host", name]);
            assert!(run.out.contains(word), "{name} {word}: {run:?}");
            assert_eq!(run.code, *code, "{name}: {run:?}");
            assert!(run.out.contains("lets through in spite of its hooks"), "{run:?}");
            // A missing program is an error.
            std::fs::remove_file(&program).expect("removed");
            let run = home.run(&["doctor", "--host", name]).exits(1);
            assert!(run.out.contains("there is no program"), "{run:?}");
            assert!(home.path(file).exists());
        }
    }
}

#[cfg(unix)]
#[test]
fn the_doctor_ends_with_hooks_that_do_not() {
    let home = Home::new();
    let program = home.script("slow", "[ \"$1\" = --version ] && exit 0\nexec sleep 60");
    home.run(&["install", "--host", "claude-code", "--program", &program]).exits(0);
    let quick = home.text(FILES[0].2).replace("\"timeout\": 10", "\"timeout\": 1");
    home.folder.file(FILES[0].2, &quick);
    let run = home.run(&["doctor"]).exits(1);
    assert!(run.out.contains("does not end in time"), "{run:?}");
}

#[cfg(unix)]
#[test]
fn the_doctor_finds_what_switches_hooks_off() {
    let home = Home::new();
    let program = home.script("tsl-synth", GOOD);
    home.run(&["install", "--host", "claude-code", "--program", &program]).exits(0);
    home.run(&["install", "--host", "codex", "--program", &program]).exits(0);
    home.run(&["doctor"]).exits(0);
    let off = home.folder.file("home/.claude/settings.json", "{\"disableAllHooks\": true}");
    let run = home.run(&["doctor"]).exits(1);
    assert!(run.out.contains("switches all hooks off"), "{run:?}");
    std::fs::remove_file(off).expect("removed");
    for text in ["[features]\nhooks = false\n", "features = { codex_hooks = false }\n", "[features"] {
        home.folder.file("home/.codex/config.toml", text);
        let run = home.run(&["doctor"]).exits(1);
        assert!(run.out.contains("config.toml"), "{run:?}");
        home.run(&["doctor", "--host", "claude-code"]).exits(0);
    }
    home.folder.file("home/.codex/config.toml", "model = \"x\"\n[features]\nhooks = true\n");
    home.run(&["doctor"]).exits(0);
    // An entry that was edited by hand.
    let edited = home.text(FILES[0].2).replace("\"matcher\": \"*\"", "\"matcher\": \"Bash\"");
    home.folder.file(FILES[0].2, edited);
    let run = home.run(&["doctor"]).exits(1);
    assert!(run.out.contains("not called for all tools"), "{run:?}");
}

#[test]
fn the_doctor_says_that_nothing_is_installed() {
    let home = Home::new();
    let run = home.run(&["doctor"]).exits(1);
    assert!(run.out.contains("no hooks of ours are installed"), "{run:?}");
    // It leaves no journals behind.
    let journals = home.path("home/.local/state/tsl-synth/journals/doctor");
    assert!(!journals.exists() || std::fs::read_dir(journals).expect("a folder").count() == 0);
}
