//! Scripts that run tests: the gate counts tests as passed only where bash says so too. In bash `pytest` is a function that
//! succeeds or fails at random and notes it; the gate sees the same script and how it ended.

use super::gates::Gate;
use std::path::Path;
use std::process::{Command, Stdio};
use tsl_synth_core::base::Random;
use tsl_synth_core::model::{CallOutcome, HostEventKind, JsonText};
use tsl_synth_testkit::{quota, skip};

const POLICY: &str = r#"policy = 1
unmatched = "allow"
opaque = "allow"
use = ["tests.run", "git.push"]
[[law]]
id = "tested"
rule = "git.push requires tests.run before"
"#;

/// Each run of tests notes its outcome in a file.
const PRELUDE: &str = "RANDOM=$SEED\npytest() { local s=$((RANDOM / 7 % 2)); echo $s >> \"$LOG\"; return $s; }\n\
    export -f pytest\nFUNCNEST=8\n";

fn bash(script: &str) -> HostEventKind<'static> {
    let arguments = JsonText(serde_json::json!({ "command": script }).to_string().into());
    HostEventKind::Call { id: None, server: None, tool: "Bash".into(), arguments }
}

/// Whether the gate permits a push after a script that ended so.
fn may_push_after(gate: &mut Gate, script: &str, outcome: CallOutcome) -> bool {
    let fresh = gate.session.clone();
    gate.hears(bash(script));
    gate.hears(HostEventKind::Result { call: None, outcome, result: None });
    let may_push = gate.lets_through(bash("git push"));
    gate.session = fresh;
    may_push
}

/// Runs a script: whether it succeeded, and whether some tests did. `None` if it did not end.
fn run(script: &str, seed: u64, folder: &Path) -> Option<(bool, bool)> {
    let log = folder.join("log");
    std::fs::write(&log, "").expect("the log is written");
    let status = Command::new("timeout")
        .args(["1", "bash", "-c"])
        .arg(format!("{PRELUDE}{script}"))
        .env("LOG", &log)
        .env("SEED", seed.to_string())
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .expect("bash runs");
    let noted = std::fs::read_to_string(&log).expect("the log");
    let is_over = status.code().is_some_and(|code| code != 124);
    is_over.then(|| (status.success(), noted.lines().any(|line| line == "0")))
}

fn has_bash() -> bool {
    for program in ["bash", "timeout"] {
        if Command::new(program).arg("--version").stdout(Stdio::null()).status().is_err() {
            skip(&format!("there is no {program}"));
            return false;
        }
    }
    true
}

/// Scripts after which, reported as successful, tests have passed.
const PASSED: &[&str] = &[
    "pytest",
    "pytest; exit $?",
    "pytest; exit",
    "pytest || exit",
    "pytest || exit $?",
    "pytest && exit; exit 1",
    "f() { pytest || return; }; f",
    "pytest || exit 1",
    "pytest || exit 1; exit 0",
    "pytest && exit 0; exit 1",
    "pytest && exit 0; false",
    "if ! pytest; then exit 1; fi",
    "if pytest; then exit 0; fi; exit 3",
    "f() { pytest || return 1; }; f",
    "f() { pytest; return; }; f",
    "f() { pytest; return $?; }; f",
    "until pytest; do true; done",
    "until pytest; do exit 1; done",
    "while true; do pytest && break; done",
    "while :; do if pytest; then break; fi; done",
    "while ! pytest; do true; done",
    "for i in 1 2 3; do pytest && break; false; done",
    "for i in 1 2; do pytest || exit 1; done",
    "for i in 1 2; do pytest; done",
    "bash -c 'pytest; exit $?'",
    "bash -c 'pytest || exit 1'",
    "(pytest || exit 1)",
    "(exit 0) && pytest",
    "case x in x) pytest ;; esac",
    "case abc in a*) pytest ;; *) false ;; esac",
    "case b in a) true ;; b) pytest ;; esac",
    "case b in a|b) pytest || exit 1 ;; esac; true",
    "[[ a == a ]] && pytest",
    "! pytest && exit 1; true",
    "set -o pipefail; pytest 2>&1 | tee out.txt",
    "set -e; pytest; exit 0",
    "true; set -e; pytest; true",
];

/// Scripts that succeed although no tests have passed.
const NOT_PASSED: &[&str] = &[
    "pytest; exit 0",
    "pytest || exit 0",
    "pytest && exit 1; exit 0",
    "pytest; exit 256",
    "bash -c 'pytest; exit 0'",
    "bash -c \"pytest || exit 0\"; true",
    "(pytest; exit 0)",
    "(pytest || exit 0) && true",
    "if ! pytest; then exit 0; fi",
    "if pytest; then exit 0; fi",
    "f() { pytest || return 0; }; f",
    "f() { pytest; return 0; }; f",
    "f() { if pytest; then return 1; fi; }; f",
    "while pytest; do break; done",
    "until pytest; do break; done",
    "while true; do pytest; break; done",
    "while ! pytest; do break; done",
    "for i in 1 2; do pytest && continue; break; done",
    "for i in 1 2; do pytest || break; done",
    "! for i in 1 2; do ! { pytest; break; }; done",
    "for i in 1 2; do pytest || continue; done",
    "for i in; do pytest; done",
    "while false; do pytest; done",
    "[[ $(pytest) ]]",
    "[[ -z $(pytest) ]]",
    "x=$(pytest); [[ $x == '' ]]",
    "case $(pytest) in *) ;; esac",
    "case x in y) pytest ;; esac",
    "case x in x) true ;; *) pytest ;; esac",
    "case $x in x) pytest ;; esac",
    "pytest | exit 0",
    "pytest | true",
    "set -o pipefail; pytest | cat; true",
    "pytest; [[ a == a ]]",
    "pytest; ((1))",
    "! pytest",
    "pytest & wait",
    "pytest &",
    "export X=$(pytest)",
    "local_x() { local x=$(pytest); }; local_x",
    "echo \"$(pytest)\"",
    "true && (pytest; true)",
    "trap 'exit 0' EXIT; pytest",
    "trap 'pytest' EXIT; exit 0",
    "false && pytest; exit 0",
    "time pytest; exit 0",
    "exec 3>&1; pytest; exit 0",
    "eval 'pytest; exit 0'",
    "eval 'pytest || true'",
];

#[test]
fn known_spellings_count_as_bash_runs_them() {
    let mut gate = Gate::new(POLICY);
    let mut wrong = Vec::new();
    for (scripts, expected) in [(PASSED, true), (NOT_PASSED, false)] {
        for script in scripts {
            if may_push_after(&mut gate, script, CallOutcome::Ok) != expected {
                wrong.push((script, expected));
            }
        }
    }
    // In one command with the push.
    let goes_on = |script: &&&str| !script.contains("exit") && !script.ends_with('&');
    for script in NOT_PASSED.iter().filter(goes_on) {
        let together = format!("{script} && git push");
        if gate.lets_through(bash(&together)) {
            wrong.push((script, false));
        }
    }
    assert!(wrong.is_empty(), "{} wrong: {wrong:#?}", wrong.len());
    if !has_bash() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    for script in PASSED {
        for seed in 0..quota(6) as u64 {
            let found = run(script, seed, folder.path());
            assert_ne!(found, Some((true, false)), "{script}");
        }
    }
}

/// Scripts of the constructs of bash that decide what the exit status of a script is.
struct Scripts {
    random: Random,
}

impl Scripts {
    fn one(&mut self, of: &[&str]) -> String {
        of[self.random.below(of.len())].to_owned()
    }
    fn list(&mut self, depth: usize) -> String {
        let lines: Vec<String> = (0..=self.random.below(2)).map(|_| self.chain(depth)).collect();
        lines.join("; ")
    }
    fn chain(&mut self, depth: usize) -> String {
        let first = self.pipeline(depth);
        match self.random.below(3) {
            0 => format!("{first} && {}", self.pipeline(depth)),
            1 => format!("{first} || {}", self.pipeline(depth)),
            _ => first,
        }
    }
    fn pipeline(&mut self, depth: usize) -> String {
        let command = self.command(depth);
        match self.random.below(10) {
            0 => format!("! {command}"),
            1 => format!("{command} | {}", self.one(&["cat", "exit 0", "exit 1", "pytest", "true"])),
            _ => command,
        }
    }
    fn command(&mut self, depth: usize) -> String {
        const LEAVES: &[&str] = &[
            "pytest",
            "pytest",
            "pytest",
            "pytest",
            "true",
            "false",
            "exit 0",
            "exit 1",
            "exit",
            "return 0",
            "return 1",
            "return",
            "break",
            "continue",
            "exit $?",
            "[[ a == a ]]",
            "[[ a == b ]]",
            "((0))",
            "set -e",
            "set -o pipefail",
            "[[ $(pytest) ]]",
            "x=$(pytest)",
            "export x=$(pytest)",
            "exit 256",
        ];
        if depth == 0 {
            return self.one(LEAVES);
        }
        let below = depth - 1;
        match self.random.below(14) {
            0 => format!("{{ {}; }}", self.list(below)),
            1 => format!("({})", self.list(below)),
            2 => format!("if {}; then {}; fi", self.list(below), self.list(below)),
            3 => format!("if {}; then {}; else {}; fi", self.list(below), self.list(below), self.list(below)),
            4 => format!("for i in 1 2; do {}; done", self.list(below)),
            5 | 6 => {
                let word = self.one(&["while", "until"]);
                let guard = "n=$((n+1)); [ $n -gt 3 ] && break";
                format!("n=0; {word} {guard}; {}; do {}; done", self.list(below), self.list(below))
            }
            7 => {
                let word = self.one(&["a", "b", "abc", "$u", "\"$(pytest)\"", "''"]);
                let pattern = self.one(&["a", "a*", "?", "[ab]", "b|c", "*", "$u", "''"]);
                let end = self.one(&[";;", ";&", ";;&"]);
                format!(
                    "case {word} in {pattern}) {} {end} *c) {} ;; esac",
                    self.list(below),
                    self.list(below)
                )
            }
            8 | 9 => format!("f() {{ {}; }}; f", self.list(below)),
            10 => format!("bash -c '{}'", self.list(0)),
            11 => format!("eval '{}'", self.list(0)),
            _ => self.one(LEAVES),
        }
    }
}

#[test]
fn tests_count_as_passed_only_if_they_passed_in_bash() {
    if !has_bash() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let mut gate = Gate::new(POLICY);
    let mut scripts = Scripts { random: Random::new(7) };
    let (mut permitted, mut runs, mut wrong) = (0, 0, Vec::new());
    for round in 0..quota(600) {
        let script = scripts.list(round % 3);
        for (outcome, ok) in [(CallOutcome::Ok, true), (CallOutcome::Failed, false)] {
            if !script.contains("pytest") || !may_push_after(&mut gate, &script, outcome) {
                continue;
            }
            permitted += 1;
            let found: Vec<(bool, bool)> =
                (0..5).filter_map(|seed| run(&script, seed, folder.path())).collect();
            runs += found.iter().filter(|(succeeded, _)| *succeeded == ok).count();
            if found.contains(&(ok, false)) {
                wrong.push((script.len(), script.clone(), outcome));
            }
        }
    }
    wrong.sort_unstable_by_key(|(length, ..)| *length);
    println!("{permitted} pushes permitted, {runs} runs with such an end");
    assert!(wrong.is_empty(), "{} wrong, such as {:#?}", wrong.len(), &wrong[..wrong.len().min(6)]);
    assert!(permitted > quota(10) && runs > quota(20), "{permitted} {runs}");
}
