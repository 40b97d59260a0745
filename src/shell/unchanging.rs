//! Which commands of a script may change what a probe of the policy finds.

use super::automaton::ScriptState;
use super::clause::{CommandClause, Exported, set_by_programs};
use super::files::CommandFiles;
use super::graph_builder::{ShellAutomaton, ShellCommand};
use super::launchers::TRANSPARENT;
use super::tree::RedirectKind;
use super::word::{Certainty, ShellWord};

/// Files to which writing changes nothing.
pub(super) const DEVICES: &[&str] = &["-", "/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty"];

/// Programs and builtins that only read, but for the files that their words and redirections name.
pub(super) const READERS: &[&str] = &[
    "[", "test", "true", "false", ":", "echo", "printf", "pwd", "return", "exit", "wait", "sleep", "id",
    "whoami", "uname", "nproc", "basename", "dirname", "realpath", "readlink", "type", "which", "cat",
    "head", "tail", "grep", "egrep", "fgrep", "rg", "ls", "wc", "cut", "tr", "uniq", "diff", "cmp", "stat",
    "file",
];

/// Subcommands of git that only read.
pub(super) const GIT_READERS: &[&str] = &[
    "status",
    "log",
    "diff",
    "show",
    "rev-parse",
    "ls-files",
    "ls-remote",
    "describe",
    "rev-list",
    "cat-file",
    "blame",
    "shortlog",
    "grep",
];

/// Why the answer of a probe says nothing about a script.
#[derive(Clone, Copy, Debug)]
pub struct Disturbance<'c> {
    /// The command that it is due to.
    pub command: &'c ShellCommand,
    /// Whether the command asks for the answer and may run in another folder, on another machine or with other variables
    /// than the probe; else it may change what the probe finds.
    pub is_elsewhere: bool,
}

/// Why the answer of a probe, given before a script runs, may not hold for the commands that ask for it; `None` if it
/// does. `asks` tells for each command whether a table asks for the probe, and `unchanged_by` are commands that the
/// policy declares to change nothing.
///
/// The order of commands is not considered. A single command that asks may change what it likes, unless it is repeated.
/// With `is_fixed` the probe runs in a folder of its own, and where the command runs does not matter.
pub fn disturbance<'c>(
    script: &'c ShellAutomaton,
    asks: &[bool],
    unchanged_by: &[CommandClause],
    is_fixed: bool,
) -> Option<Disturbance<'c>> {
    let exported = Exported::of(script);
    let mut asking = script.letters.iter().zip(asks).filter(|(_, asks)| **asks).map(|(command, _)| command);
    if let Some(command) = asking.find(|command| !is_fixed && runs_elsewhere(command)) {
        return Some(Disturbance { command, is_elsewhere: true });
    }
    let keeps = |command: &ShellCommand| keeps(command, unchanged_by, &exported);
    let changing: Vec<usize> = (0..script.letters.len()).filter(|&at| !keeps(&script.letters[at])).collect();
    let is_asking = |at: usize| asks.get(at).copied().unwrap_or(false);
    match changing.as_slice() {
        [] => None,
        &[only] if is_asking(only) && !is_repeated(&script.states, only) => None,
        all => {
            let other = all.iter().copied().find(|&at| !is_asking(at)).unwrap_or(all[0]);
            script.letters.get(other).map(|command| Disturbance { command, is_elsewhere: false })
        }
    }
}

/// Options that name the folder or the project in which a program works.
const FOLDER_OPTIONS: &[&str] = &[
    "-C",
    "--git-dir",
    "--work-tree",
    "--namespace",
    "--directory",
    "--cwd",
    "--chdir",
    "-chdir",
    "--prefix",
    "--project",
    "--manifest-path",
    "--workdir",
    "--context",
];

/// Whether a command may run in another folder, on another machine or with other variables than the call begins with.
fn runs_elsewhere(command: &ShellCommand) -> bool {
    let names_folder = |word: &ShellWord| {
        let option = word.text().map(|text| text.split('=').next().unwrap_or(text));
        option.is_none_or(|option| FOLDER_OPTIONS.contains(&option))
    };
    command.folders.is_some()
        || command.elsewhere
        || command.own_views < command.views.len()
        || !command.assignments.is_empty()
        || !command.inherited.is_empty()
        || !set_by_programs(&command.views).is_empty()
        || command.views.iter().flatten().any(names_folder)
}

/// Whether a command changes nothing that a probe may find.
fn keeps(command: &ShellCommand, unchanged_by: &[CommandClause], exported: &Exported) -> bool {
    let is_device = |word: &ShellWord| word.text().is_some_and(|text| DEVICES.contains(&text));
    let mut redirects = command.redirects.iter().filter(|redirect| redirect.kind != RedirectKind::Read);
    if command.opaque.is_some() || redirects.any(|redirect| !is_device(&redirect.target)) {
        return false;
    }
    let is_declared = |clause: &CommandClause| clause.matches(command, exported) == Certainty::Yes;
    if command.shell || unchanged_by.iter().any(is_declared) {
        return true;
    }
    !command.views.is_empty()
        && command.views.iter().all(|view| only_reads(view))
        && CommandFiles::of(command).all_written().iter().all(is_device)
}

fn only_reads(words: &[ShellWord]) -> bool {
    let Some(program) = words.first().and_then(ShellWord::program) else { return false };
    let is_output = |word: &ShellWord| word.text().is_none_or(|text| text.contains("--output"));
    match program {
        "git" => {
            let subcommand = words.get(1).and_then(ShellWord::text);
            subcommand.is_some_and(|word| GIT_READERS.contains(&word)) && !words.iter().any(is_output)
        }
        _ => READERS.contains(&program) || TRANSPARENT.contains(&program),
    }
}

/// Whether a command may run more than once.
fn is_repeated(states: &[ScriptState], letter: usize) -> bool {
    let after = states.iter().flat_map(|state| &state.edges).filter(|edge| edge.letter == letter);
    let mut open: Vec<usize> = after.map(|edge| edge.to).collect();
    let mut seen = vec![false; states.len()];
    while let Some(state) = open.pop() {
        if std::mem::replace(&mut seen[state], true) {
            continue;
        }
        for edge in &states[state].edges {
            if edge.letter == letter {
                return true;
            }
            open.push(edge.to);
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script_automaton;

    /// The command that changes what `git commit` asks for, as its first word and its second.
    fn changing(text: &str) -> Option<String> {
        let script = script_automaton(text);
        let word = |command: &ShellCommand, at: usize| {
            let view = command.views.last().and_then(|view| view.get(at));
            view.and_then(ShellWord::text).unwrap_or("?").to_owned()
        };
        let asks: Vec<bool> = script.letters.iter().map(|command| word(command, 1) == "commit").collect();
        let found = disturbance(&script, &asks, &[], false)?;
        let elsewhere = if found.is_elsewhere { "elsewhere: " } else { "" };
        Some(format!("{elsewhere}{} {}", word(found.command, 0), word(found.command, 1)))
    }

    #[test]
    fn commands_beside_the_one_that_asks_may_change_the_answer() {
        for text in [
            "git commit -m x",
            "git status && git commit -m x",
            "git diff --cached | cat; git commit -m x 2>/dev/null && echo done",
            "(git commit -m x)",
            "sudo git commit -m x",
            "if [ -f a ]; then git commit -m x; fi",
        ] {
            assert_eq!(changing(text), None, "{text}");
        }
        let mut wrong = Vec::new();
        for (text, by) in [
            ("git add . && git commit -m x", "git add"),
            ("git commit -m x; git switch main", "git switch"),
            ("cd sub && git commit -m x", "elsewhere: git commit"),
            ("make && git commit -m x", "make ?"),
            ("$c && git commit -m x", "elsewhere: git commit"),
            ("git commit -m x && git commit -m y", "git commit"),
            ("for i in 1 2; do git commit -m x; done", "git commit"),
            ("while true; do git commit -m \"$(date)\"; done", "elsewhere: git commit"),
            ("echo ref: refs/heads/main > .git/HEAD; git commit -m x", "echo ref:"),
            ("echo x | tee .git/HEAD && git commit -m x", "tee .git/HEAD"),
            ("git diff --output=x; git commit", "git diff"),
            ("GIT_DIR=x git commit", "elsewhere: git commit"),
            ("env GIT_DIR=x git commit", "elsewhere: git commit"),
            ("export GIT_DIR=x; git commit", "export GIT_DIR=x"),
            ("bash -c 'cd x; git commit'", "elsewhere: git commit"),
            ("ssh host git commit", "ssh host"),
            ("git commit --work-tree=../x", "elsewhere: git commit"),
        ] {
            let found = changing(text);
            if found.as_deref() != Some(by) {
                wrong.push((text, by, found));
            }
        }
        assert!(wrong.is_empty(), "{wrong:?}");
    }
}
