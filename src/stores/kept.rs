//! Tests: for how long sessions are kept, and what becomes of them when their policy is edited.

use crate::journal::remove;
use crate::{Effort, FileStore, JournalStore, policy_from_file};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, SystemTime};
use tsl_synth_gate::{Gate, MemoryStore, Policy, PolicyError, Ruling, Store};

const DAY: u64 = 86_400;

fn text(first: &str) -> String {
    format!(
        "policy = 1\n{first}\n[actions]\ngroups = [['pay']]\n[[match]]\non = 'call'\ntool = 'pay'\naction = 'pay'\n\
         [[law]]\nid = 'once'\nrule = 'at most 1 pay'\n"
    )
}

fn policy(first: &str) -> Policy {
    Policy::from_text("once.toml", &text(first)).unwrap_or_else(|error| panic!("{first}: {error}"))
}

fn files(folder: &Path) -> FileStore {
    FileStore::new(folder, false).expect("a store")
}

fn gate(policy: &Policy, session: &str, folder: &Path) -> Gate {
    Gate::new(policy, session, Arc::new(files(folder))).expect("a gate")
}

fn pays(gate: &Gate) -> bool {
    gate.propose("pay", "{}").expect("a decision").verdict == Ruling::Allow
}

/// Makes a journal older.
fn age(journal: &Path, days: u64) {
    let file = File::options().write(true).open(journal).expect("a journal");
    file.set_modified(SystemTime::now() - Duration::from_secs(days * DAY)).expect("another time");
}

#[test]
fn a_session_is_kept_as_long_as_the_policy_says() {
    for (first, days, is_new) in [
        ("retain = '30d'", 31, true),
        ("retain = '30d'", 29, false),
        ("retain = '24h'", 2, true),
        ("", 1000, false),
    ] {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let policy = policy(first);
        let running = gate(&policy, "s", folder.path());
        assert!(pays(&running) && !pays(&running), "{first}");
        let journal = files(folder.path()).journal("s");
        age(&journal, days);
        assert_eq!(pays(&gate(&policy, "s", folder.path())), is_new, "{first}, {days} days");
        // The gate that has the old session in memory sees what the other one did.
        assert!(!pays(&running), "{first}, {days} days");
        age(&journal, days);
        assert_eq!(pays(&running), is_new, "{first}, {days} days");
        assert!(!pays(&running) && !pays(&gate(&policy, "s", folder.path())), "{first}, {days} days");
    }
}

#[test]
fn a_running_gate_begins_a_session_anew_that_was_removed() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let kept = policy("retain = '30d'");
    let running = gate(&kept, "s", folder.path());
    assert!(pays(&running));
    // Beyond a checkpoint.
    for _ in 0..100 {
        assert!(!pays(&running));
    }
    let journal = files(folder.path()).journal("s");
    age(&journal, 31);
    assert_eq!(files(folder.path()).remove_old(), Ok(1));
    assert!(cfg!(not(unix)) || !journal.exists());
    assert!(pays(&running) && !pays(&running));
}

#[test]
fn sessions_are_removed_when_another_begins() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let names = ["old", "locked", "young", "of another policy", "with a checkpoint"];
    let journals = names.map(|name| {
        let policy = policy(if name == "of another policy" { "" } else { "retain = '30d'" });
        let gate = gate(&policy, name, folder.path());
        for _ in 0..if name == "with a checkpoint" { 200 } else { 1 } {
            pays(&gate);
        }
        files(folder.path()).journal(name)
    });
    for (name, journal) in names.iter().zip(&journals) {
        age(journal, if *name == "young" { 20 } else { 31 });
    }
    let held = File::options().write(true).open(&journals[1]).expect("a journal");
    held.lock().expect("a lock");
    // Without retention nothing is looked at.
    pays(&gate(&policy(""), "first", folder.path()));
    let are_there =
        || journals.each_ref().map(|path| std::fs::metadata(path).is_ok_and(|file| file.len() > 0));
    assert_eq!(are_there(), [true; 5]);
    pays(&gate(&policy("retain = '30d'"), "second", folder.path()));
    assert_eq!(are_there(), [false, true, true, true, false]);
    drop(held);
    assert_eq!(files(folder.path()).remove_old(), Ok(1));
    assert_eq!(are_there(), [false, false, true, true, false]);
    assert_eq!(files(folder.path()).remove_old(), Ok(0));
}

#[test]
fn a_damaged_journal_is_not_removed() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    pays(&gate(&policy("retain = '1d'"), "s", folder.path()));
    let journal = files(folder.path()).journal("s");
    let damaged = std::fs::read_to_string(&journal).expect("a journal").replace("pay", "pax");
    std::fs::write(&journal, damaged).expect("a journal");
    age(&journal, 9);
    let store = JournalStore::new(folder.path().to_path_buf(), false);
    let removed = store.remove_old("jsonl", Effort::All).expect("a folder");
    assert_eq!(removed.journals, Vec::<PathBuf>::new());
    assert_eq!(removed.left.len(), 1);
    assert!(removed.left[0].0 == journal && removed.left[0].1.contains("checksum"), "{removed:?}");
}

#[test]
fn many_journals_are_removed_in_small_steps() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let kept = policy("retain = '1d'");
    for number in 0..50 {
        pays(&gate(&kept, &number.to_string(), folder.path()));
        age(&files(folder.path()).journal(&number.to_string()), 2);
    }
    // Those that began after the first removed some already; all are of this age now.
    let store = JournalStore::new(folder.path().to_path_buf(), false);
    let mut steps = Vec::new();
    loop {
        let removed = store.remove_old("jsonl", Effort::Little).expect("a folder").journals.len();
        assert!(removed <= 16);
        steps.push(removed);
        if removed == 0 {
            break;
        }
    }
    assert_eq!(store.sessions("jsonl", Duration::MAX).expect("a folder").len(), 0, "{steps:?}");
}

#[test]
fn who_waits_for_a_journal_that_is_removed_begins_another_one() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let store = JournalStore::new(folder.path().to_path_buf(), false);
    let path = store.path("h", "s");
    let patience = Duration::from_secs(20);
    for _ in 0..50 {
        let first = store.lock("h", "s", patience).expect("a journal");
        std::thread::scope(|scope| {
            let other = scope.spawn(|| {
                let mut journal = store.lock("h", "s", patience).expect("a journal");
                journal.append("event", "{}").expect("a record");
                journal.number()
            });
            std::thread::sleep(Duration::from_micros(300));
            remove(&first.file, &path).expect("it is removed");
            drop(first);
            assert_eq!(other.join().ok(), Some(2));
        });
        // What the other one wrote is in the journal.
        let mut journal = store.lock("h", "s", patience).expect("a journal");
        assert_eq!(journal.whole().expect("records").len(), 2);
        remove(&journal.file, &path).expect("it is removed");
    }
}

#[test]
fn a_session_in_memory_is_kept_as_long_as_the_policy_says() {
    static NOW: AtomicI64 = AtomicI64::new(0);
    let store = Arc::new(MemoryStore::new(|| Some(NOW.load(Ordering::Relaxed))));
    let pass = |days: i64| NOW.fetch_add(days * 86_400_000, Ordering::Relaxed);
    let (kept, for_ever) = (policy("retain = '30d'"), policy(""));
    let open = |policy: &Policy, name: &str| Gate::new(policy, name, store.clone()).expect("a gate");
    let running = open(&kept, "s");
    let other = open(&kept, "s");
    let eternal = open(&for_ever, "e");
    assert!(pays(&running) && !pays(&other) && pays(&eternal));
    pass(29);
    assert!(!pays(&running));
    pass(31);
    // Another session that begins removes it; both gates begin anew.
    assert!(pays(&open(&kept, "t")));
    assert!(pays(&other) && !pays(&running) && !pays(&eternal));
    pass(31);
    assert!(pays(&running) && !pays(&other));
    pass(1000);
    assert!(!pays(&eternal));
}

#[test]
fn a_session_that_is_closed_is_freed_and_removed_on_demand() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let store: [Arc<dyn Store>; 2] = [Arc::new(crate::memory()), Arc::new(files(folder.path()))];
    for store in store {
        let policy = policy("");
        let open = || Gate::new(&policy, "s", store.clone()).expect("a gate");
        let gate = open();
        assert!(pays(&gate));
        gate.close().expect("it is closed");
        assert!(!pays(&gate) && !pays(&open()), "a session that was closed stays in the store");
        gate.close_and_remove().expect("it is closed");
        assert!(pays(&open()) && !pays(&gate), "a session that was removed begins anew");
    }
    let journal = files(folder.path()).journal("s");
    gate(&policy(""), "s", folder.path()).close_and_remove().expect("it is closed");
    assert!(std::fs::metadata(journal).is_ok_and(|file| file.len() > 0) == cfg!(not(unix)));
}

#[test]
fn retention_is_a_duration() {
    for wrong in ["'30x'", "'-3d'", "30", "'0d'", "''", "true", "'99999999999999999999d'", "['30d']"] {
        let error = Policy::from_text("once.toml", &text(&format!("retain = {wrong}"))).expect_err(wrong);
        let PolicyError::Text { findings, .. } = &error else { panic!("{wrong}: {error}") };
        assert!(findings[0].place.is_some(), "{error}");
        assert!(error.to_string().contains("`retain`"), "{error}");
    }
}

/// How many times a policy was edited.
static TIMES: AtomicI64 = AtomicI64::new(1);

/// Writes the policy so that its time differs from the one before.
fn edit(file: &Path, text: &str) {
    std::fs::write(file, text).expect("a policy");
    let later = TIMES.fetch_add(1, Ordering::Relaxed).unsigned_abs();
    let opened = File::options().write(true).open(file).expect("a policy");
    opened.set_modified(SystemTime::now() + Duration::from_secs(later)).expect("another time");
}

#[test]
fn an_edited_policy_is_taken_up() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("pay.toml");
    let twice = text("").replace("most 1", "most 2");
    edit(&file, &text(""));
    for store in [Arc::new(crate::memory()) as Arc<dyn Store>, Arc::new(files(folder.path()))] {
        edit(&file, &text(""));
        let policy = policy_from_file(&file).expect("a policy");
        let gates = [1, 2].map(|_| Gate::new(&policy, "s", store.clone()).expect("a gate"));
        let before = policy.sha256();
        assert!(pays(&gates[0]) && !pays(&gates[1]));
        // What was paid before counts by the new text, too.
        edit(&file, &twice);
        assert!(pays(&gates[1]) && !pays(&gates[0]) && !pays(&gates[1]));
        assert_ne!(policy.sha256(), before);
        // A text that is no policy denies everything, and so does a file that is gone.
        edit(&file, &text("unmatched = 'maybe'"));
        let error = gates[0].propose("pay", "{}").expect_err("no policy").to_string();
        assert!(error.contains("unmatched"), "{error}");
        assert!(gates[1].end().is_err());
        std::fs::remove_file(&file).expect("it is removed");
        let error = gates[1].propose("pay", "{}").expect_err("no policy").to_string();
        assert!(error.contains("cannot read"), "{error}");
        edit(&file, &text("").replace("most 1", "most 3"));
        assert!(pays(&gates[1]) && !pays(&gates[0]));
        // The same text again changes nothing.
        edit(&file, &text("").replace("most 1", "most 3"));
        assert!(!pays(&gates[0]));
    }
    // A policy that is given as text is not followed.
    let policy = Policy::from_text(&file.to_string_lossy(), &text("")).expect("a policy");
    let gate = Gate::new(&policy, "s", Arc::new(crate::memory())).expect("a gate");
    assert!(pays(&gate));
    edit(&file, &twice);
    assert!(!pays(&gate));
}

#[test]
fn an_edited_policy_is_refused_if_the_old_one_says_so() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("pay.toml");
    let first = text("on_change = 'deny'");
    edit(&file, &first);
    let policy = policy_from_file(&file).expect("a policy");
    let running = gate(&policy, "s", folder.path());
    assert!(pays(&running));
    edit(&file, &first.replace("most 1", "most 2"));
    let error = running.propose("pay", "{}").expect_err("an edited policy").to_string();
    assert!(error.contains("on_change"), "{error}");
    // Also in a gate that begins now: the journal says it.
    let later = gate(&policy_from_file(&file).expect("a policy"), "s", folder.path());
    assert!(later.propose("pay", "{}").is_err());
    edit(&file, &first);
    assert!(!pays(&running));
}

#[test]
fn a_change_of_the_retention_holds_at_once() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("pay.toml");
    edit(&file, &text(""));
    let running = gate(&policy_from_file(&file).expect("a policy"), "s", folder.path());
    assert!(pays(&running));
    age(&files(folder.path()).journal("s"), 9);
    assert!(!pays(&running));
    edit(&file, &text("retain = '7d'"));
    age(&files(folder.path()).journal("s"), 9);
    assert!(pays(&running));
}
