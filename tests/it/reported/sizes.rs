//! Policies of growing size: `check` and `install` say what `shield` says.

use crate::cli::Folder;
use crate::policy_game::families::{Sharing, policy};
use std::collections::BTreeSet;
use std::io::Write as _;
use std::process::Stdio;

/// A policy with this many rules of the plainest form that share nothing.
fn rules(count: usize, head: &str) -> String {
    let text = policy(Some("formula"), Sharing::Nothing, count, false);
    text.replacen("policy = 1\n", &format!("policy = 1\n{head}"), 1)
}

/// A policy whose game has no encoding. (One whose game is too large is in `fixtures/diagnostics`, TSL0522: it takes long.)
fn undecided() -> String {
    "policy = 1\ntrace = \"per-action\"\n[[match]]\non = \"call\"\ntool = \"a0\"\naction = \"a0\"\n\
     bind = { v = \"/arguments/v\" }\n[[law]]\nid = \"one\"\nfor_each = [\"v\"]\nrule = \"at most 1 a0\"\n"
        .to_owned()
}

/// The answers of the gate to a call that the rules forbid and to one that they permit.
fn decide(folder: &Folder, policy: &str) -> String {
    let mut command = folder.command(["shield", policy]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    let lines = "{\"event\":\"propose\",\"session\":\"s\",\"id\":\"c1\",\"tool\":\"a0\",\"arguments\":{}}\n\
                 {\"event\":\"propose\",\"session\":\"s\",\"id\":\"c2\",\"tool\":\"b0\",\"arguments\":{}}\n";
    // A gate that cannot be built may end before it reads.
    let _ = child.stdin.take().expect("piped").write_all(lines.as_bytes());
    let output = child.wait_with_output().expect("it ends");
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

#[test]
fn check_and_install_say_what_the_gate_says() {
    let plain = |count: usize, head: &str| (rules(count, head), true);
    let policies = [
        plain(1, ""),
        plain(11, ""),
        plain(100, ""),
        plain(40, "look_ahead = false\n"),
        (undecided(), false),
    ];
    for (policy, has_gate) in policies {
        let folder = Folder::new();
        folder.file("policy.toml", policy);
        let said = decide(&folder, "policy.toml");
        // Also from the solved games that the first run kept.
        assert_eq!(decide(&folder, "policy.toml"), said);
        let check = folder.run(["check", "policy.toml"]);
        let install = folder.run(["shield", "install", "--host", "claude-code", "--dry-run"]);
        println!("{said}");
        let is_warned = check.err.contains("TSL0522");
        if said.contains("limit reached") {
            assert!(said.contains("look_ahead = false"), "{said}");
            assert!(is_warned && check.err.contains("look_ahead = false"), "{}", check.err);
            assert!(install.code == 3 && install.err.contains("TSL0522"), "{}", install.err);
        } else {
            let verdicts = ["\"verdict\":\"allow\"", "\"verdict\":\"deny\""];
            assert!(verdicts.iter().all(|verdict| said.contains(verdict)), "{said}");
            assert!(!is_warned && install.code == 0, "{}{}", check.err, install.err);
        }
        assert_eq!(has_gate, !is_warned, "{said}");
    }
}

/// The names of the kept games below a folder of journals.
fn kept_games(state: &std::path::Path) -> BTreeSet<std::ffi::OsString> {
    let folders = std::fs::read_dir(state.join("compiled")).into_iter().flatten().flatten();
    let files = folders.flat_map(|folder| std::fs::read_dir(folder.path()).into_iter().flatten().flatten());
    files.map(|file| file.file_name()).collect()
}

#[test]
fn hooks_find_the_games_that_install_solved() {
    for (count, sharing) in [(1, Sharing::Nothing), (10, Sharing::Chain), (30, Sharing::Threes)] {
        let folder = Folder::new();
        folder.file("policy.toml", policy(Some("formula"), sharing, count, false));
        let state = folder.path().join("state");
        let command = |words: &[&str]| {
            let mut command = folder.command(words);
            command.env("HOME", folder.path()).env_remove("CLAUDE_CONFIG_DIR").env("TSL_SYNTH_STATE", &state);
            command
        };
        let dry = ["shield", "install", "--host", "claude-code", "--dry-run"];
        assert!(command(&dry).output().expect("it runs").status.success());
        assert!(kept_games(&state).is_empty());
        assert!(command(&dry[..4]).output().expect("it runs").status.success());
        let solved = kept_games(&state);
        assert!(!solved.is_empty());
        let mut hook = command(&["shield", "policy.toml", "--proto", "hook", "--host", "claude-code"]);
        let mut child = hook.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts");
        let payload = "{\"session_id\":\"s\",\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"b0\",\
                       \"tool_use_id\":\"t\",\"tool_input\":{}}";
        child.stdin.take().expect("piped").write_all(payload.as_bytes()).expect("it reads");
        let output = child.wait_with_output().expect("it ends");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        println!("{count} rules: {} games of `install`", solved.len());
        assert_eq!(kept_games(&state), solved);
    }
}
