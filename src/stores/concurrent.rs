//! Tests of gates that several threads and processes share: never more calls are granted than the policy permits.

use crate::{FileStore, memory, policy_from_file};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tsl_synth_gate::{Gate, Policy, Ruling, Store};

/// As many payments as the policy permits.
const CAP: usize = 500;
/// The number of proposals.
const PROPOSALS: usize = 10_000;
/// Names the folder of the store for a child process.
const CHILD: &str = "TSL_SYNTH_TEST_GATE";
/// Names the session of a child process.
const SESSION: &str = "TSL_SYNTH_TEST_SESSION";

fn text() -> String {
    format!(
        "policy = 1\n[actions]\ngroups = [['pay']]\n[[count]]\nname = 'over'\ncount = true\non = 'pay'\nabove = {CAP}\n\
         [[match]]\non = 'call'\ntool = 'pay'\naction = 'pay'\n\
         [[law]]\nid = 'cap'\nltl = 'G (pay -> !over)'\nwhy = 'At most {CAP} payments.'\n"
    )
}

fn policy() -> Policy {
    Policy::from_text("cap.toml", &text()).expect("a policy")
}

/// Proposes payments, and returns how many were granted.
fn pay(gate: &Gate, proposals: usize) -> usize {
    let mut granted = 0;
    for _ in 0..proposals {
        let decision = gate.propose("pay", r#"{"eur": 1}"#).expect("a decision");
        assert_eq!(decision.is_allowed(), decision.ticket.is_some());
        if decision.verdict == Ruling::Allow {
            granted += 1;
            gate.commit(&decision.ticket.expect("a ticket"), Some(true), None).expect("it ended");
        } else {
            assert_eq!(decision.by, ["cap"]);
        }
    }
    granted
}

/// The payments that eight threads are granted; each has the gate that `gate` returns for its number.
fn threads(gate: impl Fn(usize) -> Arc<Gate>) -> usize {
    let granted = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for number in 0..8 {
            let (own, granted) = (gate(number), &granted);
            scope.spawn(move || granted.fetch_add(pay(&own, PROPOSALS / 8), Ordering::Relaxed));
        }
    });
    granted.into_inner()
}

#[test]
fn gates_can_be_shared() {
    fn is_shared<T: Send + Sync>() {}
    is_shared::<Gate>();
    is_shared::<Policy>();
    is_shared::<FileStore>();
}

#[test]
fn threads_at_one_gate_are_granted_the_cap() {
    let gate = Arc::new(Gate::new(&policy(), "s", Arc::new(memory())).expect("a gate"));
    assert_eq!(threads(|_| gate.clone()), CAP);
    assert!(gate.end().expect("a decision").is_allowed());
}

#[test]
fn gates_of_one_session_are_granted_the_cap() {
    let (policy, store) = (policy(), Arc::new(memory()));
    assert_eq!(threads(|_| Arc::new(Gate::new(&policy, "s", store.clone()).expect("a gate"))), CAP);
    let other = Gate::new(&policy, "another session", store).expect("a gate");
    assert_eq!(pay(&other, 3), 3);
}

#[test]
fn gates_in_files_are_granted_the_cap_and_remember_it() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let store = || -> Arc<dyn Store> { Arc::new(FileStore::new(folder.path(), false).expect("a store")) };
    let shared = policy();
    assert_eq!(threads(|_| Arc::new(Gate::new(&shared, "s", store()).expect("a gate"))), CAP);
    let later = Gate::new(&policy(), "s", store()).expect("a gate");
    assert_eq!(pay(&later, 3), 0);
}

/// Run by the next tests in processes of its own.
#[test]
fn pays_in_a_process_of_its_own() {
    let Some(folder) = std::env::var_os(CHILD).map(PathBuf::from) else { return };
    let session = std::env::var(SESSION).unwrap_or_else(|_| "s".into());
    let policy = policy_from_file(&folder.join("cap.toml")).expect("a policy");
    let gate = Gate::new(&policy, &session, Arc::new(FileStore::new(&folder, false).expect("a store")));
    println!("granted {}.", pay(&gate.expect("a gate"), PROPOSALS / 2));
}

fn child(folder: &Path, session: &str) -> std::process::Child {
    Command::new(std::env::current_exe().expect("this program"))
        .args(["--exact", "concurrent::pays_in_a_process_of_its_own", "--nocapture"])
        .env(CHILD, folder)
        .env(SESSION, session)
        .stdout(Stdio::piped())
        .spawn()
        .expect("a process")
}

#[test]
fn processes_of_one_store_are_granted_the_cap() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("cap.toml"), text()).expect("a policy");
    let granted = ["s", "s"].map(|session| child(folder.path(), session)).map(granted);
    assert_eq!(granted.iter().sum::<usize>(), CAP, "{granted:?}");
}

/// How many payments a process was granted.
fn granted(child: std::process::Child) -> usize {
    let output = child.wait_with_output().expect("it ends");
    let text = String::from_utf8(output.stdout).expect("text");
    let number = text.split_once("granted ").and_then(|(_, rest)| rest.split_once('.'));
    number.and_then(|(number, _)| number.parse().ok()).expect("a number")
}

#[test]
fn processes_in_sessions_of_their_own_share_a_total() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let over = text().replace("count = true\n", "count = true\nover = 'sessions'\n");
    std::fs::write(folder.path().join("cap.toml"), over).expect("a policy");
    // A process that is killed at some moment may have been granted more than it could say, and nothing is lost.
    let mut killed = child(folder.path(), "killed");
    std::thread::sleep(std::time::Duration::from_millis(300));
    killed.kill().expect("a process");
    killed.wait().expect("it ends");
    let others: usize = ["a", "b"].map(|session| child(folder.path(), session)).map(granted).iter().sum();
    let policy = policy_from_file(&folder.path().join("cap.toml")).expect("a policy");
    let store: Arc<dyn Store> = Arc::new(FileStore::new(folder.path(), false).expect("a store"));
    let mut journal = store.journals();
    journal.lock("killed", 0).expect("the journal");
    let own = journal.whole().expect("records").into_iter().filter(|record| record.kind == "granted").count();
    assert!(own + others <= CAP && own + others + 1 >= CAP, "{own} and {others}");
    let later = Gate::new(&policy, "later", store).expect("a gate");
    assert!(pay(&later, 3) <= CAP - own - others);
}
