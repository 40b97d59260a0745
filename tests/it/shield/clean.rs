//! `shield clean`: sessions that are older than their policies say are removed.

use crate::cli::Folder;
use serde_json::json;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::time::{Duration, SystemTime};

const POLICY: &str = "policy = 1\nunmatched = 'allow'\nretain = '30d'\n[actions]\ngroups = [['push']]\n[[match]]\n\
    on = 'call'\ntool = 'Push'\naction = 'push'\n[[law]]\nid = 'once'\nrule = 'at most 1 push'\n";

/// Whether a hook lets a call of a session pass.
fn may_push(folder: &Folder, policy: &str, session: &str) -> bool {
    let payload = json!({
        "session_id": session, "cwd": "/p", "hook_event_name": "PreToolUse", "tool_name": "Push", "tool_input": {},
        "tool_use_id": "c1",
    });
    let mut command = folder.command(["shield", policy, "--proto", "hook", "--host", "codex", "--journal"]);
    command.arg(folder.path().join("state"));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    child.stdin.take().expect("piped").write_all(payload.to_string().as_bytes()).expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    output.status.success() && !String::from_utf8_lossy(&output.stdout).contains("\"deny\"")
}

fn journal(folder: &Folder, session: &str) -> PathBuf {
    let all = folder.path().join("state/journals/codex");
    let name = |path: &Path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(session));
    let mut paths = std::fs::read_dir(all).expect("journals").map(|entry| entry.expect("a journal").path());
    paths.find(|path| name(path)).expect("the journal of the session")
}

fn age(journal: &Path, days: u64) {
    let file = File::options().write(true).open(journal).expect("a journal");
    file.set_modified(SystemTime::now() - Duration::from_secs(days * 86_400)).expect("another time");
}

fn clean(folder: &Folder, more: &[&str]) -> Output {
    let mut command = folder.command(["shield", "clean", "--journal"]);
    command.arg(folder.path().join("state")).args(more).output().expect("it runs")
}

#[test]
fn old_sessions_are_removed() {
    let folder = Folder::new();
    folder.file("kept.toml", POLICY);
    folder.file("for_ever.toml", POLICY.replace("retain = '30d'\n", ""));
    let output = clean(&folder, &[]);
    assert_eq!((output.status.code(), &*output.stdout), (Some(0), &b"0 sessions removed\n"[..]));
    let sessions = [("kept.toml", "old", 31), ("kept.toml", "young", 29), ("for_ever.toml", "eternal", 999)];
    for (policy, session, _) in sessions {
        assert!(may_push(&folder, policy, session));
    }
    for (_, session, days) in sessions {
        age(&journal(&folder, session), days);
    }
    let held = File::options().write(true).open(journal(&folder, "old")).expect("a journal");
    held.lock().expect("a lock");
    let output = clean(&folder, &[]);
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.code() == Some(1) && said.contains("another process holds it"), "{said}");
    drop(held);
    let output = clean(&folder, &[]);
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.code() == Some(0) && said.ends_with("1 session removed\n"), "{said}");
    assert!(said.starts_with("removed ") && said.contains("old-"), "{said}");
    assert!(journal(&folder, "young").exists() && journal(&folder, "eternal").exists());
    // The same id is another call in another session.
    assert!(may_push(&folder, "kept.toml", "old"));
    assert!(clean(&folder, &["no such argument"]).status.code() == Some(2));
}

#[test]
fn a_hook_begins_a_session_anew_that_is_too_old() {
    let folder = Folder::new();
    folder.file("kept.toml", POLICY);
    assert!(may_push(&folder, "kept.toml", "s"));
    age(&journal(&folder, "s"), 31);
    // As it has another session with this name, the call is the first.
    let before = std::fs::read(journal(&folder, "s")).expect("a journal");
    assert!(may_push(&folder, "kept.toml", "s"));
    let after = std::fs::read(journal(&folder, "s")).expect("a journal");
    assert_ne!(before[..24], after[..24], "the journal begins anew");
    assert_eq!(before.split(|&byte| byte == b'\n').count(), after.split(|&byte| byte == b'\n').count());
}
