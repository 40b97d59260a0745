//! Random scripts run by bash: the commands that were recorded are a run of the automaton.

use std::fmt::Write;
use std::process::{Command, Stdio};
use tsl_synth_core::base::Random;
use tsl_synth_shell::{
    ArgvPattern, CommandClause, CommandPattern, LetterAutomaton, letter_automaton, script_automaton,
};
use tsl_synth_testkit::{quota, skip};

/// Commands that record themselves: `r NAME STATUS`.
const NAMES: [&str; 5] = ["a", "b", "c", "d", "e"];

/// The recorder appends a line, so that commands that run at the same time do not mix theirs.
const PRELUDE: &str = "r() { echo \"$1 $2\" >> \"$LOG\"; return \"$2\"; }\nexport -f r\nFUNCNEST=8\n";

struct Scripts {
    random: Random,
}

impl Scripts {
    fn command(&mut self) -> String {
        let status = usize::from(self.random.chance(0.4));
        format!("r {} {status}", NAMES[self.random.below(NAMES.len())])
    }
    fn list(&mut self, depth: usize, inside: bool) -> String {
        let mut text = String::new();
        for i in 0..=self.random.below(3) {
            if i > 0 {
                text.push_str(["; ", "\n", "; "][self.random.below(3)]);
            }
            text += &self.chain(depth, inside);
        }
        text
    }
    fn chain(&mut self, depth: usize, inside: bool) -> String {
        let mut text = self.pipeline(depth, inside);
        for _ in 0..self.random.below(3) {
            let next = self.pipeline(depth, inside);
            let _ = write!(text, " {} {next}", ["&&", "||"][self.random.below(2)]);
        }
        text
    }
    fn pipeline(&mut self, depth: usize, inside: bool) -> String {
        let not = if self.random.chance(0.15) { "! " } else { "" };
        let first = self.tree(depth, inside);
        match self.random.below(7) {
            0 => format!("{not}{first} | {}", self.tree(depth, false)),
            _ => format!("{not}{first}"),
        }
    }
    fn tree(&mut self, depth: usize, inside: bool) -> String {
        let choice = if depth == 0 { self.random.below(8) } else { self.random.below(22) };
        let below = depth.saturating_sub(1);
        match choice {
            0 => "true".into(),
            1 => "false".into(),
            2 if inside => ["break", "continue"][self.random.below(2)].into(),
            3 if depth < 2 => ["exit", "exit 0", "exit 1"][self.random.below(3)].into(),
            8 => format!("{{ {}; }}", self.list(below, inside)),
            9 => format!("({})", self.list(below, false)),
            10 | 11 => {
                let (condition, body) = (self.list(below, inside), self.list(below, inside));
                match self.random.below(3) {
                    0 => format!("if {condition}; then {body}; fi"),
                    1 => format!("if {condition}; then {body}; else {}; fi", self.list(below, inside)),
                    _ => {
                        let (other, last) = (self.list(below, inside), self.list(below, inside));
                        format!("if {condition}; then {body}; elif {other}; then {last}; fi")
                    }
                }
            }
            12 => format!("for i in 1 2; do {}; done", self.list(below, true)),
            13 => {
                // The guard ends the loop after three iterations, unless a nested loop resets the counter.
                let (word, body) = (["while", "until"][self.random.below(2)], self.list(below, true));
                format!(
                    "n=0; {word} n=$((n+1)); [ $n -gt 3 ] && break; {}; do {body}; done",
                    self.chain(0, false)
                )
            }
            14 => {
                let (value, a, b) =
                    (self.random.below(3), self.list(below, inside), self.list(below, inside));
                format!(
                    "case {value} in 0) {a};; 1) {b}{} 2) r e 1;; esac",
                    [";;", ";&", ";;&"][self.random.below(3)]
                )
            }
            15 => format!("f{} () {{ {}; }}", self.random.below(2), self.list(below, false)),
            16 => format!("f{}", self.random.below(2)),
            17 => format!("x=$({})", self.list(below, false)),
            18 => format!("true \"$({})\"", self.list(below, false)),
            19 => format!("bash {} '{}'", ["-c", "-ec"][self.random.below(2)], self.list(0, false)),
            20 => ["set -e", "set +e", "set -o pipefail", "set -eo pipefail"][self.random.below(4)].into(),
            21 => match self.random.below(4) {
                0 => "[[ a == b ]]".into(),
                1 => "((1 > 2))".into(),
                2 => format!("{{ {}; }} > /nonexistent/file", self.list(0, false)),
                _ => format!("{} < /nonexistent/file", self.command()),
            },
            _ => self.command(),
        }
    }
}

/// The patterns of the recorders: name by name. Other commands are not recorded.
fn patterns() -> Vec<CommandClause> {
    NAMES.iter().map(|name| ArgvPattern::new(&["r", name, "*"]).expect("a pattern").into()).collect()
}

/// Whether the automaton has a run with these recorded commands and this final status; other commands may occur in
/// between.
fn explains(automaton: &LetterAutomaton, recorded: &[(usize, bool)], ok: bool) -> bool {
    let silent = |states: Vec<usize>| {
        let (mut seen, mut open) = (vec![false; automaton.states.len()], states);
        let mut reached = Vec::new();
        while let Some(state) = open.pop() {
            if !std::mem::replace(&mut seen[state], true) {
                reached.push(state);
                let edges = automaton.states[state].edges.iter();
                open.extend(
                    edges.filter(|edge| automaton.letters[edge.letter].sure.is_empty()).map(|edge| edge.to),
                );
            }
        }
        reached
    };
    let mut now = silent(vec![0]);
    for &(name, ok) in recorded {
        let edges = now.iter().flat_map(|&state| &automaton.states[state].edges);
        let fits =
            edges.filter(|edge| automaton.letters[edge.letter].sure == [name] && edge.outcome.allows(ok));
        now = silent(fits.map(|edge| edge.to).collect());
    }
    now.iter()
        .any(|&state| if ok { automaton.states[state].ends_ok } else { automaton.states[state].ends_failed })
}

#[test]
fn recorded_runs_are_runs_of_the_automaton() {
    for program in ["bash", "timeout"] {
        if Command::new(program).arg("--version").stdout(Stdio::null()).status().is_err() {
            skip(&format!("there is no {program}"));
            return;
        }
    }
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log");
    let mut scripts = Scripts { random: Random::new(20) };
    let (mut commands, mut refuted, mut read) = (0, 0, 0);
    for round in 0..quota(120) {
        let script = scripts.list(2, false);
        std::fs::write(&log, "").expect("the log is written");
        // Random loops may run forever: such a run is cut off and not compared.
        let status = Command::new("timeout")
            .args(["0.5", "bash", "-c"])
            .arg(format!("{PRELUDE}{script}"))
            .env("LOG", &log)
            .current_dir(folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .expect("bash runs");
        if status.code().is_none_or(|code| code == 124) {
            continue;
        }
        let text = std::fs::read_to_string(&log).expect("the log");
        let recorded: Vec<(usize, bool)> = text
            .lines()
            .filter_map(|line| {
                let (name, status) = line.split_once(' ')?;
                Some((NAMES.iter().position(|known| *known == name)?, status == "0"))
            })
            .collect();
        let automaton = letter_automaton(&script_automaton(&script), &CommandPattern::each(&patterns()));
        let opaque = automaton.letters.iter().any(|letter| letter.opaque);
        if opaque {
            continue;
        }
        read += 1;
        commands += recorded.len();
        assert!(explains(&automaton, &recorded, status.success()), "{round}: {script}\n{text}{status}");
        // The automaton must also reject: more than a quarter of the runs with a random command inserted are no runs.
        let mut wrong = recorded.clone();
        wrong.insert(scripts.random.below(wrong.len() + 1), (scripts.random.below(NAMES.len()), false));
        refuted += usize::from(!explains(&automaton, &wrong, status.success()));
    }
    assert!(read > quota(60), "only {read} scripts were read");
    assert!(commands > quota(120), "only {commands} commands ran");
    assert!(refuted * 4 > read, "only {refuted} of {read} wrong runs were found out");
}
