//! Tests of the store with several processes, kills, full disks and damaged files.

use super::{Journal, JournalStore};
use crate::journal::WINDOW;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tsl_synth_seats::journal::{CHECKPOINT, HEADER, JournalEnd, parse};

const LOCK_WAIT: Duration = Duration::from_secs(30);

fn store() -> (tempfile::TempDir, JournalStore) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let store = JournalStore::new(folder.path().join("state"), false);
    (folder, store)
}

fn data(journal: &Journal) -> Vec<&str> {
    journal.records.iter().map(|record| record.data.as_str()).collect()
}

#[test]
fn what_was_appended_is_read_again() {
    let (_folder, store) = store();
    let mut journal = store.lock("codex", "s1", LOCK_WAIT).expect("a new journal");
    assert_eq!(journal.records[0].kind, HEADER);
    journal.append("event", r#"{"a":1}"#).expect("written");
    journal.append("decision", "[]").expect("written");
    drop(journal);
    let journal = store.lock("codex", "s1", LOCK_WAIT).expect("the same journal");
    assert_eq!(data(&journal)[1..], [r#"{"a":1}"#, "[]"]);
    assert_eq!(store.lock("codex", "s2", LOCK_WAIT).expect("another").records.len(), 1);
    assert_eq!(store.lock("claude-code", "s1", LOCK_WAIT).expect("another").records.len(), 1);
}

#[test]
fn hostile_names_stay_in_the_folder_and_apart() {
    let (_folder, store) = store();
    let long = "x".repeat(100_000);
    let names = [
        "",
        ".",
        "..",
        "../../etc/passwd",
        "/etc/passwd",
        "a/b",
        "a\\b",
        "a:b",
        "A",
        "a",
        "con",
        "\0",
        "\n",
        "\u{202e}é",
        &long,
    ];
    let mut paths: Vec<PathBuf> = Vec::new();
    for name in names {
        let path = store.path("codex", name);
        let file = path.file_name().expect("a name").to_str().expect("ASCII");
        assert_eq!(path.parent(), Some(store.folder().join("journals").join("codex").as_path()), "{name:?}");
        assert!(file.len() < 100 && file.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b)));
        store.lock("codex", name, LOCK_WAIT).expect("a journal").append("event", "1").expect("written");
        paths.push(file.to_ascii_lowercase().into());
    }
    paths.sort();
    paths.dedup();
    assert_eq!(paths.len(), names.len());
}

/// A second process waits no longer than its `patience`, and gets the lock once it is free.
#[test]
fn a_lock_that_is_held_is_an_error_in_time() {
    let (_folder, store) = store();
    let held = store.lock("codex", "s", LOCK_WAIT).expect("a journal");
    let refused = store.lock("codex", "s", Duration::from_millis(30)).expect_err("it is held");
    assert!(format!("{refused:#}").contains("another process holds it"), "{refused:#}");
    store.lock("codex", "other", Duration::from_millis(30)).expect("of another session");
    drop(held);
    store.lock("codex", "s", Duration::from_millis(30)).expect("it is free");
}

/// File locks of several handles exclude each other, in one process as in several. Each thread adds one to the number
/// that it reads.
#[test]
fn many_at_once_lose_and_mix_nothing() {
    const THREADS: u64 = 8;
    const EACH: u64 = 40;
    let (_folder, store) = store();
    let sum = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (store, sum) = (&store, &sum);
            scope.spawn(move || {
                for i in 0..EACH {
                    let session = format!("s{}", (thread + i) % 4);
                    let mut journal = store.lock("codex", &session, LOCK_WAIT).expect("the lock");
                    let last: u64 =
                        journal.records.last().map_or(0, |record| record.data.parse().unwrap_or(0));
                    journal.append("event", &(last + 1).to_string()).expect("written");
                    sum.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
    });
    let mut found = 0;
    for session in 0..4 {
        let journal = store.lock("codex", &format!("s{session}"), LOCK_WAIT).expect("whole");
        let numbers: Vec<u64> =
            data(&journal)[1..].iter().map(|text| text.parse().expect("a number")).collect();
        assert!(numbers.iter().copied().eq(1..=numbers.len() as u64));
        found += numbers.len() as u64;
    }
    assert_eq!((found, sum.into_inner()), (THREADS * EACH, THREADS * EACH));
}

/// A killed process leaves a prefix of the record that it was writing: it is cut off, and complete records stay.
#[test]
fn a_kill_at_every_byte_leaves_the_records_before() {
    let (_folder, store) = store();
    let path = store.path("codex", "s");
    let mut journal = store.lock("codex", "s", LOCK_WAIT).expect("a journal");
    journal.append("event", "1").expect("written");
    let before = std::fs::read(&path).expect("the file").len();
    journal.append("event", r#"{"text":"\n{\"sum\":"}"#).expect("written");
    drop(journal);
    let whole = std::fs::read(&path).expect("the file");
    for length in before..whole.len() {
        std::fs::write(&path, &whole[..length]).expect("written");
        let mut journal = store.lock("codex", "s", LOCK_WAIT).expect("it is mended");
        assert_eq!(data(&journal)[1..], ["1"]);
        assert_eq!(journal.cut_off, (length - before) as u64);
        journal.append("event", "2").expect("written");
        drop(journal);
        let journal = store.lock("codex", "s", LOCK_WAIT).expect("it is whole");
        assert_eq!((data(&journal)[1..].to_vec(), journal.cut_off), (vec!["1", "2"], 0));
    }
    // Killed while the first line was written.
    for length in 0..40 {
        std::fs::write(&path, &whole[..length]).expect("written");
        assert_eq!(store.lock("codex", "s", LOCK_WAIT).expect("it is new").records.len(), 1);
    }
}

#[test]
fn damage_in_the_middle_is_an_error_and_nothing_is_written() {
    let (_folder, store) = store();
    let path = store.path("codex", "s");
    let mut journal = store.lock("codex", "s", LOCK_WAIT).expect("a journal");
    journal.append("event", "1").expect("written");
    journal.append("event", "2").expect("written");
    drop(journal);
    let whole = std::fs::read(&path).expect("the file");
    for at in 0..whole.len() - 1 {
        let mut damaged = whole.clone();
        damaged[at] ^= 1;
        std::fs::write(&path, &damaged).expect("written");
        let refused = store.lock("codex", "s", LOCK_WAIT).expect_err("it is damaged");
        let line = 1 + String::from_utf8_lossy(&whole[..at]).matches('\n').count();
        assert!(format!("{refused:#}").contains(&format!("line {line} of the journal")), "{at}: {refused:#}");
        assert!(std::fs::read(&path).expect("the file") == damaged);
    }
}

/// Only the end of a long journal is read: records before the last checkpoint are not.
#[test]
fn reading_begins_at_the_last_checkpoint() {
    let (_folder, store) = store();
    let mut journal = store.lock("codex", "s", LOCK_WAIT).expect("a journal");
    let long = format!("{:?}", "x".repeat(usize::try_from(WINDOW).expect("small") / 3));
    for i in 0..20 {
        journal.append("event", &long).expect("written");
        if i == 3 || i == 9 {
            journal.append(CHECKPOINT, &i.to_string()).expect("written");
        }
    }
    drop(journal);
    let journal = store.lock("codex", "s", LOCK_WAIT).expect("the journal");
    assert_eq!((journal.records[0].kind.as_str(), journal.records[0].data.as_str()), (CHECKPOINT, "9"));
    assert_eq!(journal.records.len(), 11);
    drop(journal);
    let mut journal = store.lock("codex", "s", LOCK_WAIT).expect("the journal");
    journal.append(CHECKPOINT, "20").expect("written");
    drop(journal);
    // A torn end after a checkpoint.
    let path = store.path("codex", "s");
    let mut bytes = std::fs::read(&path).expect("the file");
    bytes.extend_from_slice(b"{\"sum\":\"00");
    std::fs::write(&path, bytes).expect("written");
    let journal = store.lock("codex", "s", LOCK_WAIT).expect("the journal");
    assert_eq!((data(&journal), journal.cut_off), (vec!["20"], 10));
}

#[test]
fn records_that_would_break_the_lines_are_refused() {
    let (_folder, store) = store();
    let mut journal = store.lock("codex", "s", LOCK_WAIT).expect("a journal");
    for (kind, text) in [("event", "1\n2"), ("event", "{"), ("event", ""), ("two words", "1"), ("", "1")] {
        journal.append(kind, text).expect_err("no record");
    }
    drop(journal);
    assert_eq!(store.lock("codex", "s", LOCK_WAIT).expect("whole").records.len(), 1);
}

#[cfg(unix)]
#[test]
fn journals_are_private() {
    use std::os::unix::fs::PermissionsExt;
    let (_folder, store) = store();
    drop(store.lock("codex", "s", LOCK_WAIT).expect("a journal"));
    let path = store.path("codex", "s");
    let mode = |path: &std::path::Path| std::fs::metadata(path).expect("there").permissions().mode() & 0o777;
    assert_eq!((mode(&path), mode(path.parent().expect("a folder"))), (0o600, 0o700));
}

/// A disk without space, a folder that cannot be written, and a folder or device in place of the file.
#[cfg(unix)]
#[test]
fn what_cannot_be_written_is_an_error() {
    let (folder, store) = store();
    let path = store.path("codex", "s");
    std::fs::create_dir_all(&path).expect("a folder in the place of the file");
    store.lock("codex", "s", LOCK_WAIT).expect_err("it is a folder");
    std::fs::remove_dir(&path).expect("removed");
    if std::path::Path::new("/dev/full").exists() {
        std::os::unix::fs::symlink("/dev/full", &path).expect("a link");
        store.lock("codex", "s", LOCK_WAIT).expect_err("it is a device");
    }
    let file = folder.path().join("file");
    std::fs::write(&file, "").expect("a file");
    JournalStore::new(file.join("state"), false)
        .lock("codex", "s", LOCK_WAIT)
        .expect_err("its folder is a file");
}

/// Writing fails in the middle of a record, as on a full disk: the journal is as it was.
#[cfg(unix)]
#[test]
fn a_full_disk_leaves_the_journal_as_it_was() {
    let (_folder, store) = store();
    let full = std::path::Path::new("/dev/full");
    if !full.exists() {
        return;
    }
    let mut journal = store.lock("codex", "s", LOCK_WAIT).expect("a journal");
    let real = std::mem::replace(
        &mut journal.file,
        std::fs::OpenOptions::new().read(true).write(true).open(full).expect("a full disk"),
    );
    let refused = journal.append("event", "1").expect_err("the disk is full");
    assert!(format!("{refused:#}").contains("cannot write to the journal"), "{refused:#}");
    assert_eq!(journal.records.len(), 1);
    journal.file = real;
    journal.append("event", "2").expect("there is space again");
    drop(journal);
    assert_eq!(data(&store.lock("codex", "s", LOCK_WAIT).expect("whole"))[1..], ["2"]);
}

#[test]
fn durable_journals_are_the_same() {
    let (folder, _) = store();
    let store = JournalStore::new(folder.path().join("durable"), true);
    store.lock("codex", "s", LOCK_WAIT).expect("a journal").append("event", "1").expect("written");
    assert_eq!(data(&store.lock("codex", "s", LOCK_WAIT).expect("whole"))[1..], ["1"]);
}

/// Names the folder for [`appends_until_it_is_killed`].
const CHILD: &str = "TSL_SYNTH_TEST_STORE";

/// Runs as a child process of the next test, and prints what it has written; without [`CHILD`] it does nothing.
#[test]
fn appends_until_it_is_killed() {
    use std::io::Write;
    let Some(folder) = std::env::var_os(CHILD) else { return };
    let store = JournalStore::new(folder.into(), false);
    loop {
        let mut journal = store.lock("codex", "s", LOCK_WAIT).expect("the lock");
        let last: u64 = journal.records.last().map_or(0, |record| record.data.parse().unwrap_or(0));
        if last.is_multiple_of(64) && last > 0 && journal.records.len() > 1 {
            journal.append(CHECKPOINT, &last.to_string()).expect("written");
        }
        journal.append("event", &(last + 1).to_string()).expect("written");
        drop(journal);
        let mut out = std::io::stdout().lock();
        writeln!(out, "wrote {}", last + 1).and_then(|()| out.flush()).expect("said");
    }
}

/// Three processes append at once and are killed at various moments: each number occurs once, in order, and so do all
/// numbers that a process reported as written.
#[test]
fn processes_that_are_killed_lose_nothing_that_they_told() {
    use std::io::Read;
    use std::process::{Command, Stdio};
    let (folder, _) = store();
    let store = JournalStore::new(folder.path().join("state"), false);
    let mut last = 0;
    for round in 0..6u64 {
        let children: Vec<_> = (0..3)
            .map(|_| {
                Command::new(std::env::current_exe().expect("this program"))
                    .args(["--exact", "tests::appends_until_it_is_killed", "--nocapture"])
                    .env(CHILD, store.folder())
                    .stdout(Stdio::piped())
                    .stderr(Stdio::null())
                    .spawn()
                    .expect("it starts")
            })
            .collect();
        std::thread::sleep(Duration::from_millis(150 + 37 * round));
        for mut child in children {
            child.kill().expect("it runs");
            child.wait().expect("it ends");
            let mut said = String::new();
            child.stdout.take().expect("piped").read_to_string(&mut said).expect("text");
            let whole = said.rfind('\n').map_or("", |end| &said[..end]);
            let numbers = whole.lines().filter_map(|line| line.rsplit_once("wrote ")?.1.parse::<u64>().ok());
            last = numbers.max().unwrap_or(0).max(last);
        }
        let journal = store.lock("codex", "s", LOCK_WAIT).expect("whole");
        let written: u64 = journal.records.last().map_or(0, |record| record.data.parse().unwrap_or(0));
        assert!(last > 0 && written >= last, "{written} written, {last} told");
    }
    let text = std::fs::read(store.path("codex", "s")).expect("the file");
    let all = parse(&text, &JournalEnd::default()).expect("whole");
    let events = all.records.iter().filter(|record| record.kind == "event");
    let numbers: Vec<u64> = events.map(|record| record.data.parse().expect("a number")).collect();
    assert!(numbers.iter().copied().eq(1..=numbers.len() as u64) && numbers.len() as u64 >= last);
    assert!(all.records.iter().any(|record| record.kind == CHECKPOINT));
}
