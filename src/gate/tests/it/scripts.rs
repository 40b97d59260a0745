//! `read_scripts`: what the gate reads, when, and what a later process makes of it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use tsl_synth_core::model::ScriptContent;
use tsl_synth_gate::{
    Call, Decision, Gate, GateJournal, MemoryStore, Policy, Ruling, ScriptReader, Speaker, Store,
    Surroundings,
};

const POLICY: &str = r#"
policy = 1
read_scripts = true
unmatched = "allow"

[[match]]
on = "call"
program = "git"
subcommand = ["push"]
action = "push"

[[match]]
on = "call"
program = "cargo"
subcommand = ["test"]
action = "test"

[[law]]
id = "no-push"
rule = "at most 1 push"
"#;

/// Files whose texts a test changes, and how often one was read.
#[derive(Debug, Default)]
struct Files {
    texts: Mutex<BTreeMap<String, String>>,
    reads: Mutex<Vec<String>>,
}

impl Files {
    fn set(&self, path: &str, text: &str) {
        self.texts.lock().expect("files").insert(format!("/w/{path}"), text.to_owned());
    }
    fn reads(&self) -> Vec<String> {
        std::mem::take(&mut *self.reads.lock().expect("reads"))
    }
}

impl ScriptReader for Files {
    fn read(&self, folder: Option<&str>, path: &str) -> (ScriptContent, Option<String>) {
        let place = self.place(folder, path).expect("a place");
        self.reads.lock().expect("reads").push(place.clone());
        let texts = self.texts.lock().expect("files");
        let content = texts.get(&place).map(|text| ScriptContent::of_bytes(text.as_bytes()));
        (content.unwrap_or(ScriptContent::Missing), Some(place))
    }
    fn place(&self, folder: Option<&str>, path: &str) -> Option<String> {
        let path = path.strip_prefix("./").unwrap_or(path);
        Some(if path.starts_with('/') { path.to_owned() } else { format!("{}/{path}", folder?) })
    }
}

fn around(files: &Arc<Files>) -> Surroundings {
    Surroundings { scripts: Some(files.clone()), folder: Some("/w".into()), ..Surroundings::default() }
}

struct Session {
    files: Arc<Files>,
    store: Arc<MemoryStore>,
    policy: Policy,
    gate: Gate,
}

impl Session {
    fn new() -> Self {
        let policy = Policy::from_text("scripts.toml", POLICY).unwrap_or_else(|error| panic!("{error}"));
        let (files, store) = (Arc::new(Files::default()), Arc::new(MemoryStore::new(|| None)));
        let gate = Gate::new(&policy, "s", store.clone()).expect("a gate");
        let session = Self { files, store, policy, gate };
        session.open();
        session
    }
    fn open(&self) {
        self.gate.look_around(around(&self.files)).expect("a gate");
    }
    /// Another process, which reads the journal.
    fn restart(&mut self) {
        self.gate = Gate::new(&self.policy, "s", self.store.clone()).expect("a gate");
        self.open();
    }
    fn ask(&self, id: &str, tool: &str, arguments: &str) -> Decision {
        let call = Call { id: Some(id), ..Call::new(tool, arguments) };
        self.gate.propose_call(&call).expect("a decision")
    }
    fn run(&self, id: &str, command: &str) -> Decision {
        self.ask(id, "Bash", &serde_json::json!({ "command": command }).to_string())
    }
    /// Proposes a command that ends well if it is allowed.
    fn done(&self, id: &str, command: &str) -> Decision {
        let decision = self.run(id, command);
        if decision.verdict == Ruling::Allow {
            self.gate.result(id, Some(true), None).expect("heard");
        }
        decision
    }
    fn records(&self) -> Vec<String> {
        let mut journal: Box<dyn GateJournal + Send> = self.store.journals();
        let records = journal.lock("s", 0).expect("records");
        journal.unlock();
        records.into_iter().map(|record| record.data).collect()
    }
}

#[test]
fn the_journal_has_what_was_read_and_replay_reads_nothing() {
    let mut session = Session::new();
    session.files.set("a.sh", "echo hello\n");
    session.files.set("p.sh", "git push\n");
    assert_eq!(session.done("1", "sh a.sh").verdict, Ruling::Allow);
    assert_eq!(session.files.reads(), ["/w/a.sh"]);
    assert_eq!(session.done("2", "./p.sh").verdict, Ruling::Allow);
    let records = session.records().join("\n");
    let hash = tsl_synth_core::base::sha256(b"git push\n");
    assert!(records.contains(&hash) && records.contains("git push\\n"), "{records}");
    // The push of the script counts, whatever the file holds later.
    session.files.set("p.sh", "echo hello\n");
    session.files.reads();
    session.restart();
    let denied = session.run("3", "git push");
    assert_eq!((denied.verdict, denied.by), (Ruling::Deny, vec!["no-push".to_owned()]));
    assert_eq!(session.files.reads(), [""; 0]);
    assert_eq!(session.done("4", "./p.sh").verdict, Ruling::Allow);
    assert_eq!(session.files.reads(), ["/w/p.sh"]);
    // What was refused is not part of the session.
    session.files.set("p.sh", "git push\n");
    let denied = session.run("5", "./p.sh");
    assert_eq!(denied.verdict, Ruling::Deny);
    assert!(denied.reason.contains("git push"), "{}", denied.reason);
}

#[test]
fn a_script_that_changes_after_the_decision_is_judged_again() {
    let session = Session::new();
    session.files.set("a.sh", "echo hello\n");
    assert_eq!(session.run("1", "sh a.sh").verdict, Ruling::Allow);
    assert_eq!(session.run("1", "sh a.sh").verdict, Ruling::Allow);
    session.files.set("a.sh", "git push\n");
    let denied = session.run("1", "sh a.sh");
    assert_eq!(denied.verdict, Ruling::Deny);
    assert!(denied.reason.contains("changed after it was allowed"), "{}", denied.reason);
}

#[test]
fn a_call_that_has_not_ended_may_change_a_script() {
    let mut session = Session::new();
    session.files.set("a.sh", "echo hello\n");
    session.ask("w", "Write", r#"{"file_path": "/w/a.sh", "content": "git push"}"#);
    for _ in 0..2 {
        let denied = session.run("1", "sh a.sh");
        // One push is allowed, two are not.
        assert_eq!(denied.verdict, Ruling::Deny, "{}", denied.reason);
        session.restart();
    }
    session.gate.result("w", Some(true), None).expect("heard");
    assert_eq!(session.run("2", "sh a.sh").verdict, Ruling::Allow);
    session.gate.result("2", Some(true), None).expect("heard");
    // Calls that only read change nothing.
    session.ask("r", "Read", r#"{"file_path": "/w/a.sh"}"#);
    assert_eq!(session.run("3", "sh a.sh").verdict, Ruling::Allow);
    session.gate.message(Speaker::User, "go on").expect("heard");
}

#[test]
fn relative_paths_are_seen_from_the_folder_of_the_call() {
    let session = Session::new();
    session.files.set("a.sh", "echo hello\n");
    session.files.set("sub/a.sh", "git push; git push\n");
    assert_eq!(session.done("1", "sh a.sh").verdict, Ruling::Allow);
    assert_eq!(session.done("2", "cd sub && sh a.sh").verdict, Ruling::Deny);
    for (id, place) in [("3", "sub"), ("4", "/w/sub"), ("5", "~")] {
        let arguments = serde_json::json!({ "command": "sh a.sh", "workdir": place }).to_string();
        assert_eq!(session.ask(id, "Bash", &arguments).verdict, Ruling::Deny, "{place}");
    }
    // After `cd` the shell of the host may be elsewhere.
    assert_eq!(session.done("6", "cd sub && ls").verdict, Ruling::Allow);
    assert_eq!(session.done("7", "sh a.sh").verdict, Ruling::Deny);
    assert_eq!(session.done("8", "sh /w/a.sh").verdict, Ruling::Allow);
}

#[test]
fn nothing_is_read_without_permission() {
    let text = POLICY.replace("read_scripts = true\n", "");
    let policy = Policy::from_text("scripts.toml", &text).expect("a policy");
    let files = Arc::new(Files::default());
    let gate = Gate::new(&policy, "s", Arc::new(MemoryStore::new(|| None))).expect("a gate");
    gate.look_around(around(&files)).expect("a gate");
    files.set("a.sh", "echo hello\n");
    assert_eq!(gate.propose("Bash", r#"{"command": "sh a.sh"}"#).expect("a decision").verdict, Ruling::Deny);
    assert_eq!(gate.propose("Bash", r#"{"command": "./a.sh"}"#).expect("a decision").verdict, Ruling::Allow);
    assert_eq!(files.reads(), [""; 0]);
}

#[test]
fn calls_of_servers_and_many_scripts_are_not_known() {
    let session = Session::new();
    session.files.set("a.sh", "echo hello\n");
    let call = Call { server: Some("box"), ..Call::new("bash", r#"{"command": "sh /w/a.sh"}"#) };
    assert_eq!(session.gate.propose_call(&call).expect("a decision").verdict, Ruling::Deny);
    let many = (0..30).map(|i| format!("sh s{i}.sh; ")).collect::<Vec<_>>().concat();
    (0..30).for_each(|i| session.files.set(&format!("s{i}.sh"), "echo hello\n"));
    assert_eq!(session.run("2", &many).verdict, Ruling::Deny);
    assert!(session.files.reads().len() <= 16);
    let few = (0..10).map(|i| format!("sh s{i}.sh; ")).collect::<Vec<_>>().concat();
    assert_eq!(session.run("3", &few).verdict, Ruling::Allow);
}
