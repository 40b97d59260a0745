//! `[[probe]]`: what is asked when a call is decided, when not, and what a later process makes of the answers.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tsl_synth_core::model::ProbeAnswer;
use tsl_synth_gate::{
    Call, Decision, Gate, GateJournal, MemoryStore, Policy, ProbeRunner, Ruling, Speaker, Store, Surroundings,
};

const POLICY: &str = r#"
policy = 1
unmatched = "allow"
use = ["git.commit"]

[[probe]]
name = "branch"
run = ["git", "branch", "--show-current"]
unchanged_by = ["git add"]

[[probe]]
name = "frozen"
run = ["test", "-e", "/etc/frozen"]
folder = "/"

[[match]]
on = "call"
program = "git"
subcommand = ["commit"]
where = [{ pointer = "/probe/branch/text", in = ["main", "master"] }]
action = "commit_on_main"

[[match]]
on = "call"
tool = "deploy"
where = [{ pointer = "/probe/frozen/exit", "=" = 0 }]
proposition = "frozen"

[[match]]
on = "call"
tool = "deploy"
action = "deploy"

[propositions]
frozen = {}

[actions]
groups = [["commit_on_main"], ["deploy"]]

[rules]
not-on-main = "never commit_on_main"
no-deploy = { ltl = "G !(deploy & frozen)" }
"#;

/// Answers that a test changes, by the first word, and how often each was asked for.
#[derive(Debug, Default)]
struct World {
    answers: Mutex<BTreeMap<String, ProbeAnswer>>,
    asked: Mutex<Vec<String>>,
}

impl World {
    fn set(&self, program: &str, exit: i32, text: &str) {
        let answer = ProbeAnswer::ended(exit, text.as_bytes());
        self.answers.lock().expect("answers").insert(program.to_owned(), answer);
    }
    fn asked(&self) -> Vec<String> {
        std::mem::take(&mut *self.asked.lock().expect("asked"))
    }
}

impl ProbeRunner for World {
    fn run(&self, folder: &str, words: &[String], _: Duration) -> ProbeAnswer {
        self.asked.lock().expect("asked").push(format!("{folder} {}", words.join(" ")));
        let answers = self.answers.lock().expect("answers");
        answers.get(&words[0]).cloned().unwrap_or(ProbeAnswer::Failed("it is not there".into()))
    }
}

struct Session {
    world: Arc<World>,
    store: Arc<MemoryStore>,
    policy: Policy,
    gate: Gate,
}

impl Session {
    fn new() -> Self {
        let policy = Policy::from_text("probes.toml", POLICY).unwrap_or_else(|error| panic!("{error}"));
        let (world, store) = (Arc::new(World::default()), Arc::new(MemoryStore::new(|| None)));
        let gate = Gate::new(&policy, "s", store.clone()).expect("a gate");
        let session = Self { world, store, policy, gate };
        session.world.set("git", 0, "topic\n");
        session.world.set("test", 1, "");
        session.open();
        session
    }
    fn open(&self) {
        let (probes, folder) = (Some(self.world.clone() as Arc<dyn ProbeRunner>), Some("/w".into()));
        let around = Surroundings { probes, folder, ..Surroundings::default() };
        self.gate.look_around(around).expect("a gate");
    }
    fn call(&self, id: &str, tool: &str, arguments: &str) -> Decision {
        self.gate.propose_call(&Call { id: Some(id), ..Call::new(tool, arguments) }).expect("a decision")
    }
    fn run(&self, id: &str, command: &str) -> Decision {
        self.call(id, "Bash", &serde_json::json!({ "command": command }).to_string())
    }
    /// The verdict about a command in the present world; a call that is allowed ends.
    fn verdict(&self, command: &str) -> Ruling {
        let decision = self.run(&format!("{command} {}", self.world.asked().len()), command);
        if let (Ruling::Allow, Some(ticket)) = (decision.verdict, &decision.ticket) {
            self.gate.commit(ticket, Some(true), None).expect("heard");
        }
        decision.verdict
    }
}

#[test]
fn the_answer_of_a_probe_decides() {
    let session = Session::new();
    assert_eq!(session.run("1", "git commit -m x").verdict, Ruling::Allow);
    assert_eq!(session.world.asked(), ["/w git branch --show-current"]);
    session.gate.result("1", Some(true), None).expect("heard");
    session.world.set("git", 0, "main\n");
    let denied = session.run("2", "git commit -m x");
    assert_eq!((denied.verdict, denied.by.as_slice()), (Ruling::Deny, &["not-on-main".to_owned()][..]));
    // What no table asks about is not asked.
    session.world.asked();
    assert_eq!(session.run("3", "git log && ls").verdict, Ruling::Allow);
    assert_eq!(session.call("4", "Read", r#"{"file_path": "x"}"#).verdict, Ruling::Allow);
    assert!(session.world.asked().is_empty());
}

#[test]
fn without_an_answer_the_strictest_one_counts() {
    let session = Session::new();
    session.world.set("git", 128, "fatal: not a repository");
    assert_eq!(session.run("1", "git commit -m x").verdict, Ruling::Deny);
    session.world.answers.lock().expect("answers").clear();
    let denied = session.run("2", "git commit -m x");
    assert_eq!(denied.verdict, Ruling::Deny);
    assert!(
        denied.reason.contains("The probe `branch` has no answer: it is not there."),
        "{}",
        denied.reason
    );
    assert_eq!(session.call("3", "deploy", "{}").verdict, Ruling::Deny);
    session.world.set("test", 0, "");
    assert_eq!(session.call("4", "deploy", "{}").verdict, Ruling::Deny);
    session.world.set("test", 1, "");
    assert_eq!(session.call("5", "deploy", "{}").verdict, Ruling::Allow);
    // Nothing is run by a gate that was given no runner.
    let gate = Gate::new(&session.policy, "t", session.store.clone()).expect("a gate");
    let denied = gate.propose("Bash", r#"{"command": "git commit"}"#).expect("a decision");
    assert!(denied.verdict == Ruling::Deny && denied.reason.contains("no commands are run here"));
    assert_eq!(gate.propose("Bash", r#"{"command": "git log"}"#).expect("a decision").verdict, Ruling::Allow);
}

/// What the command itself may change before it asks, and where it may run, is not what the probe saw.
#[test]
fn what_may_change_in_between_is_not_known() {
    let session = Session::new();
    for command in [
        "git commit -m x",
        "git add -A && git commit -m x",
        "git add a b; git status; git commit -am x",
        "git diff --cached | cat && git commit -m x",
        "echo done && git commit -m \"$(date)\" || true",
    ] {
        let expected = if command.contains("date") { Ruling::Deny } else { Ruling::Allow };
        assert_eq!(session.verdict(command), expected, "{command}");
    }
    for command in [
        "git switch main && git commit -m x",
        "cd ../other && git commit -m x",
        "make && git commit -m x",
        "git -C ../other commit -m x",
        "GIT_DIR=../other/.git git commit -m x",
        "ssh host git commit -m x",
        "bash -c 'cd ..; git commit -m x'",
        "git commit -m x && git commit -m y",
        "for f in a b; do git commit $f -m x; done",
        "echo ref: refs/heads/main > .git/HEAD; git commit -m x",
    ] {
        assert_eq!(session.verdict(command), Ruling::Deny, "{command}");
        assert!(session.world.asked().is_empty(), "{command}");
    }
    let denied = session.run("why", "git switch main && git commit -m x");
    let why = "`git switch main` in the same call may change what it finds";
    assert!(denied.reason.contains(why), "{}", denied.reason);
    // A call that has not ended may change it, too, but not one that only reads.
    assert_eq!(session.call("r", "Read", "{}").verdict, Ruling::Allow);
    assert_eq!(session.run("c", "git commit -m x").verdict, Ruling::Allow);
    assert_eq!(session.run("d", "git commit -m y").verdict, Ruling::Deny);
    session.gate.result("c", Some(true), None).expect("heard");
    assert_eq!(session.run("e", "git commit -m y").verdict, Ruling::Allow);
}

#[test]
fn the_journal_has_the_answers_and_a_changed_one_needs_a_new_call() {
    let mut session = Session::new();
    assert_eq!(session.run("1", "git commit -m x").verdict, Ruling::Allow);
    let mut journal: Box<dyn GateJournal + Send> = session.store.journals();
    let records = journal.lock("s", 0).expect("records");
    journal.unlock();
    let text = r#""outside":{"probes":{"branch":{"ended":{"exit":0,"text":"topic"}}}}"#;
    assert!(records.iter().any(|record| record.data.contains(text)), "{records:?}");
    session.world.asked();
    session.gate = Gate::new(&session.policy, "s", session.store.clone()).expect("a gate");
    session.open();
    drop(session.gate.message(Speaker::User, "go on").expect("heard"));
    assert!(session.world.asked().is_empty());
    // The same call again: allowed while the answer is the same.
    assert_eq!(session.run("1", "git commit -m x").verdict, Ruling::Allow);
    session.world.set("git", 0, "main");
    let denied = session.run("1", "git commit -m x");
    assert!(denied.verdict == Ruling::Deny && denied.reason.contains("changed after it was allowed"));
}

/// Errors of the text, each with its place.
#[test]
fn probes_are_read_strictly() {
    let wrong = |from: &str, to: &str| {
        assert!(POLICY.contains(from), "{from}");
        let error = Policy::from_text("probes.toml", &POLICY.replacen(from, to, 1)).expect_err("an error");
        error.to_string()
    };
    let git = r#"run = ["git", "branch", "--show-current"]"#;
    for (from, to, says) in [
        ("/probe/branch/text", "/probe/branches/text", "there is no probe `branches`"),
        ("/probe/branch/text", "/probe/branch", "has `text`, `lines` and `exit`"),
        ("/probe/branch/text", "/probe/branch/stdout", "has `text`, `lines` and `exit`"),
        (git, "run = \"git branch\"", "a list of the program and its arguments"),
        (git, "run = []", "a list of the program and its arguments"),
        (git, "", "which command it runs"),
        (git, "run = [\"git\"]\ntimeout = \"1h\"", "at most 10 s"),
        (git, "run = [\"git\"]\ntimeout = 3", "timeout"),
        ("folder = \"/\"", "folder = \"x\"", "absolute path"),
        ("unchanged_by = [\"git add\"]", "unchanged_by = [\"\"]", "first words"),
        ("name = \"branch\"", "name = \"a/b\"", "letters, digits"),
        ("name = \"frozen\"\nrun", "name = \"branch\"\nrun", "is taken"),
        (
            "on = \"call\"\ntool = \"deploy\"\nwhere",
            "on = \"result\"\ntool = \"deploy\"\nwhere",
            "asked about calls",
        ),
    ] {
        let error = wrong(from, to);
        assert!(error.contains(says), "{to}: {error}");
    }
}
