//! Builds the automaton of a script from its tree. Each construct is built between the state before it and the states
//! after its success and its failure.
//!
//! Where the shell decides by values that are not known (conditions, patterns), all branches are possible. Parts of a
//! pipeline run in parallel, so that their commands are interleaved arbitrarily; a subshell and a command substitution
//! are separate scripts. A command with `&` at the outermost level runs in parallel to all that follows, and may still
//! run at the end. At inner levels, and for `<(..)`, `coproc` and `trap`, its commands may occur at any later time and
//! any number of times. `set -e` and `set -o pipefail` are followed at the outermost level; at inner levels they may be
//! on or off.

use super::automaton::{ScriptAutomaton, SilentAutomaton};
use super::folder::WorkingFolder;
use super::graph::{Component, Ends, ShellGraph, ShellStep};
use super::scripts::Following;
use super::tree::{AndOrList, CommandTree, Fed, Inner, List, LoopHead, Pipeline, Redirect, commands};
use super::word::{Folders, ShellWord};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Nested calls of functions, wrappers and scripts deeper than this are not followed.
pub(super) const CALLS: usize = 8;
/// Longer pipelines have too many interleavings.
const PARTS: usize = 12;
/// The most background commands that are followed exactly.
const BACKGROUND: usize = 4;

/// A command of a script.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ShellCommand {
    /// Its words; then, if it runs another command (`sudo git push`), the words of that one, and so on. Empty if
    /// nothing is known.
    pub views: Vec<Vec<ShellWord>>,
    /// How many of these a table may name so that the whole command has a table: not a command that is run elsewhere, as
    /// in `docker run alpine ls`.
    pub own_views: usize,
    /// `NAME=value` before it.
    pub assignments: Vec<(String, ShellWord)>,
    /// Variables that the commands around it set for it: `HUSKY=0` for what `HUSKY=0 bash -c ..` runs.
    pub inherited: Vec<(String, ShellWord)>,
    /// Files that it is redirected to and from.
    pub redirects: Vec<Redirect>,
    /// The text on its standard input, from a here-document or a here-string.
    pub input: Option<ShellWord>,
    /// What the command before it in a pipeline writes, as far as that is known.
    pub fed: Option<Fed>,
    /// Whether its standard input may have a text that is not known: it reads from a pipeline, from another descriptor, or
    /// from the standard input of a compound command around it.
    pub is_fed: bool,
    /// The folders in which it may run, where that may be another one than at the beginning of the script.
    pub folders: Option<Folders>,
    /// Why it may do more than its words show, in a few words.
    pub opaque: Option<&'static str>,
    /// Whether it is a shell whose commands follow as separate letters.
    pub shell: bool,
    /// Whether it needs no table of its own: it runs elsewhere for a program that does not wait for it, or is what a
    /// package manager runs, if that is a program.
    pub elsewhere: bool,
}

impl ShellCommand {
    /// The name of its program, without what that runs.
    pub(super) fn program(&self) -> Option<&str> {
        self.views.first().and_then(|words| words.first()).and_then(ShellWord::program)
    }
    /// Whether there is, or may be, a text on its standard input.
    pub(super) fn has_input(&self) -> bool {
        let reads = |redirect: &Redirect| redirect.kind.reads();
        self.is_fed || self.input.is_some() || self.fed.is_some() || self.redirects.iter().any(reads)
    }
}

/// The commands of a script as an automaton.
pub type ShellAutomaton = ScriptAutomaton<ShellCommand>;

pub(super) fn opaque_automaton(reason: &'static str) -> ShellAutomaton {
    let mut draft = SilentAutomaton::default();
    let (from, to) = (draft.state(), draft.state());
    draft.ends[to] = (true, true);
    draft.edges[from].extend([true, false].map(|ok| (Some((0, ok)), to)));
    let command = ShellCommand { opaque: Some(reason), ..ShellCommand::default() };
    ScriptAutomaton { letters: vec![command], states: draft.finish(from) }
}

/// An option of the shell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum ShellOption {
    #[default]
    Off,
    EventKind,
    /// Unknown.
    Maybe,
}

/// What is assumed of commands that the shell itself runs and whose text is not known, such as `source FILE`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unread {
    /// They may leave the script, with any status.
    #[default]
    MayLeave,
    /// The script goes on after them.
    GoesOn,
}

/// The states after success and failure: where a loop is left, and where its next round begins.
#[derive(Clone, Copy, Debug)]
pub(super) struct LoopEnds {
    pub(super) left: (usize, usize),
    pub(super) again: (usize, usize),
}

#[derive(Clone, Debug)]
pub(super) struct ShellContext {
    /// The states after `exit` with status 0, and with another status.
    pub(super) exit: (usize, usize),
    /// The states after `return` with status 0, and with another status.
    pub(super) returns: Option<(usize, usize)>,
    /// The states after `break` and `continue` of the enclosing loops, innermost last.
    pub(super) loops: Vec<LoopEnds>,
    /// Whether a failure here does not end the script under `set -e`.
    pub(super) checked: bool,
    /// Whether it is inside of a pipeline with `!`, which may then also negate the status of `break`.
    pub(super) negated: bool,
}

impl ShellContext {
    pub(super) fn outermost(exit: (usize, usize)) -> Self {
        Self { exit, returns: None, loops: Vec::new(), checked: false, negated: false }
    }
    pub(super) fn checked(&self) -> Self {
        Self { checked: true, ..self.clone() }
    }
}

/// The options and functions of one shell, as far as they are known.
#[derive(Clone, Debug, Default)]
pub(super) struct ShellScope {
    pub(super) errexit: ShellOption,
    pub(super) pipefail: ShellOption,
    /// The bodies of functions, by name, that are defined anywhere in the script.
    pub(super) bodies: BTreeMap<String, Vec<Rc<CommandTree>>>,
    /// The functions that are certainly defined.
    pub(super) defined: BTreeSet<String>,
    /// The number of enclosing constructs that may be skipped or repeated.
    pub(super) conditional: usize,
    /// Where commands run.
    pub(super) folder: WorkingFolder,
    /// Whether wildcards may find hidden files.
    pub(super) hidden: bool,
    /// The functions whose bodies are being followed.
    pub(super) active: Vec<String>,
    /// The words that a function was called with, if it does not change them.
    pub(super) arguments: Option<Vec<ShellWord>>,
    /// The number of enclosing scripts.
    pub(super) depth: usize,
    /// Variables that the enclosing commands set for the commands that they run.
    pub(super) inherited: Vec<(String, ShellWord)>,
    /// Variables with options of programs that the shell has exported.
    pub(super) exported: Vec<(String, ShellWord)>,
    /// Whether the standard input of the commands that follow may have a text that is not known.
    pub(super) is_fed: bool,
    /// Whether options or functions may change in constructs that may be skipped or repeated.
    pub(super) unsure: bool,
}

#[derive(Default)]
pub(super) struct GraphBuilder {
    pub(super) commands: Vec<ShellCommand>,
    pub(super) graph: ShellGraph,
    pub(super) scope: ShellScope,
    pub(super) following: Following,
    pub(super) unread: Unread,
}

impl GraphBuilder {
    /// The automaton of what `build` puts between a state and the states after its success and failure.
    pub(super) fn whole(mut self, build: impl FnOnce(&mut Self, Ends)) -> (ShellAutomaton, Following) {
        let ends = (self.state(), self.state(), self.state());
        build(&mut self, ends);
        let automaton = match self.graph.draft(ends.1, ends.2) {
            Some(draft) => ScriptAutomaton { letters: self.commands, states: draft.finish(ends.0) },
            None => opaque_automaton("the script has too many states"),
        };
        (automaton, self.following)
    }
    pub(super) fn component(&mut self, build: impl FnOnce(&mut Self, Ends)) -> Component {
        let (around, ends) = self.graph.begin();
        build(self, ends);
        self.graph.end(around, ends)
    }
    pub(super) fn state(&mut self) -> usize {
        self.graph.state()
    }
    pub(super) fn silent(&mut self, from: usize, to: usize) {
        self.graph.silent(from, to);
    }
    /// The state after a failure that ends the script under `set -e`.
    pub(super) fn failing(&mut self, failed: usize, context: &ShellContext) -> usize {
        match (context.checked, self.scope.errexit) {
            (true, _) | (_, ShellOption::Off) => failed,
            (_, ShellOption::EventKind) => context.exit.1,
            (_, ShellOption::Maybe) => {
                let state = self.state();
                self.silent(state, failed);
                self.silent(state, context.exit.1);
                state
            }
        }
    }

    /// A separate script, with the options of the shell at its beginning.
    pub(super) fn program(
        &mut self,
        list: &List,
        (from, ok, failed): Ends,
        (errexit, pipefail): (ShellOption, ShellOption),
    ) {
        let mut scope = ShellScope {
            errexit,
            pipefail,
            depth: self.scope.depth + 1,
            folder: self.scope.folder.clone(),
            inherited: self.scope.inherited.clone(),
            exported: self.scope.exported.clone(),
            is_fed: self.scope.is_fed,
            ..ShellScope::default()
        };
        collect(list, &mut scope.bodies, &mut scope.unsure);
        if scope.unsure {
            (scope.errexit, scope.pipefail) = (ShellOption::Maybe, ShellOption::Maybe);
        }
        let around = std::mem::replace(&mut self.scope, scope);
        if self.scope.depth > CALLS {
            self.opaque(
                "scripts are nested too deep",
                (from, ok, failed),
                &ShellContext::outermost((ok, failed)),
            );
        } else {
            self.outermost(list, (from, ok, failed), BACKGROUND);
        }
        self.scope = around;
    }
    /// The outermost list of a script: background commands run in parallel to the rest.
    fn outermost(&mut self, list: &[AndOrList], (from, ok, failed): Ends, exact: usize) {
        let context = ShellContext::outermost((ok, failed));
        let Some(at) = list.iter().position(|chain| chain.background).filter(|_| exact > 0) else {
            return self.list(list, (from, ok, failed), &context);
        };
        let between = self.state();
        self.list(&list[..at], (from, between, between), &context);
        let mark = self.following.mark();
        let mut first = list[at].clone();
        first.background = false;
        let scope = self.scope.clone();
        let background = self.component(|b, ends| b.outermost(&[first], ends, 0));
        self.scope = scope;
        let rest = self.component(|b, ends| b.outermost(&list[at + 1..], ends, exact - 1));
        self.following.beside(mark, self.commands.len());
        self.graph.product(&[background, rest], between, |states, parts| match states[1] {
            state if state == parts[1].ok => (Some(ok), None),
            state if state == parts[1].failed => (None, Some(failed)),
            _ => (None, None),
        });
    }
    pub(super) fn list(&mut self, list: &[AndOrList], (from, ok, failed): Ends, context: &ShellContext) {
        if self.graph.too_large {
            return;
        }
        let Some((last, before)) = list.split_last() else { return self.silent(from, ok) };
        let mut at = from;
        for (i, chain) in before.iter().enumerate() {
            // `pytest; exit` leaves with the status of the tests.
            let next = list.get(i + 1).filter(|next| next.rest.is_empty() && !next.background);
            if let Some(leave) = next.and_then(|next| self.leaves_with_status(&next.first, context)) {
                return self.chain(chain, (at, leave.0, leave.1), context);
            }
            let next = self.state();
            self.chain(chain, (at, next, next), context);
            at = next;
        }
        self.chain(last, (at, ok, failed), context);
    }
    fn chain(&mut self, chain: &AndOrList, (from, ok, failed): Ends, context: &ShellContext) {
        if chain.background {
            let mut first = chain.clone();
            first.background = false;
            return self.beside(&[first], from, ok);
        }
        let start = self.scope.folder.now.clone();
        // The folder after the first command has succeeded.
        let mut entered = None;
        let (mut at, mut pipeline) = (from, &chain.first);
        // The states in which the last command that ran has failed, and those in which it has succeeded.
        let (mut after_failure, mut after_success): (Vec<usize>, Vec<usize>) = (Vec::new(), Vec::new());
        for (and, next) in &chain.rest {
            let (good, bad) = (self.state(), self.state());
            self.pipeline(pipeline, (at, good, bad), &context.checked());
            entered.get_or_insert_with(|| self.scope.folder.now.clone());
            if !and {
                self.may_be_in(&start);
            }
            after_success.push(good);
            after_failure.push(bad);
            at = self.state();
            // The other states skip the command and keep their outcome.
            let run = std::mem::take(if *and { &mut after_success } else { &mut after_failure });
            for state in run {
                self.silent(state, at);
            }
            pipeline = next;
        }
        // The folder after the chain: where `cd` failed, the old one, unless the script ends then.
        let stops = chain.rest.is_empty() && self.scope.errexit == ShellOption::EventKind && !context.checked;
        let leaves = matches!(&chain.rest[..], [(false, last)] if leaves(last));
        match (chain.rest.last(), self.leaves_with_status(pipeline, context)) {
            // `pytest || exit` leaves with the failure of the tests.
            (Some((and, _)), Some(leave)) => self.silent(at, if *and { leave.0 } else { leave.1 }),
            _ => self.pipeline(pipeline, (at, ok, failed), context),
        }
        if !stops {
            self.may_be_in(&start);
        }
        if let Some(entered) = entered.filter(|_| leaves) {
            self.scope.folder.now = entered;
        }
        for state in after_success {
            self.silent(state, ok);
        }
        for state in after_failure {
            self.silent(state, failed);
        }
    }
    /// If a pipeline is just `exit` or `return` without a status, which keeps that of the command before: the states after
    /// success and after failure.
    fn leaves_with_status(&self, pipeline: &Pipeline, context: &ShellContext) -> Option<(usize, usize)> {
        let [CommandTree::Simple(simple)] = &pipeline.parts[..] else { return None };
        let is_plain = simple.assignments.is_empty() && !simple.redirected && !pipeline.negated;
        match (&simple.words[..], is_plain) {
            ([only], true) => match only.text()? {
                name if self.scope.bodies.contains_key(name) => None,
                "exit" => Some(context.exit),
                "return" => context.returns,
                _ => None,
            },
            _ => None,
        }
    }
    /// The folder may be this one, too.
    fn may_be_in(&mut self, folders: &Folders) {
        if self.scope.folder.now != *folders {
            self.scope.folder.now = folders.or(&self.scope.folder.now);
        }
    }
    fn pipeline(&mut self, pipeline: &Pipeline, (from, ok, failed): Ends, context: &ShellContext) {
        let (ok, failed) = if pipeline.negated { (failed, ok) } else { (ok, failed) };
        let mut checked = if pipeline.negated { context.checked() } else { context.clone() };
        checked.negated |= pipeline.negated;
        // Bash does not negate the failure of a redirection.
        let redirected = |tree: &CommandTree| match tree {
            CommandTree::With(..) => true,
            CommandTree::Simple(simple) => simple.redirected,
            _ => false,
        };
        if pipeline.negated && pipeline.parts.iter().any(redirected) {
            self.silent(from, ok);
        }
        if pipeline.parts.len() > PARTS {
            self.graph.too_large = true;
            return;
        }
        match &pipeline.parts[..] {
            [] => {
                self.silent(from, ok);
                self.silent(from, failed);
            }
            [tree] => {
                let before = self.scope.folder.now.clone();
                self.tree(tree, (from, ok, failed), &checked);
                if pipeline.negated {
                    self.may_be_in(&before);
                }
            }
            parts => {
                let scope = self.scope.clone();
                let mut components = Vec::new();
                let mark = self.following.mark();
                for (i, part) in parts.iter().enumerate() {
                    self.scope.is_fed |= i > 0;
                    components.push(self.component(|b, (from, ok, failed)| {
                        let inside = ShellContext {
                            checked: checked.checked,
                            ..ShellContext::outermost((ok, failed))
                        };
                        let returns = checked.returns.map(|_| (ok, failed));
                        let inside = ShellContext { returns, ..inside };
                        b.tree(part, (from, ok, failed), &inside);
                    }));
                    self.scope = scope.clone();
                }
                self.following.beside(mark, self.commands.len());
                let failed = self.failing(failed, &checked);
                let pipefail = self.scope.pipefail;
                self.graph.product(&components, from, |states, parts| {
                    let done =
                        |(state, part): (&usize, &Component)| *state == part.ok || *state == part.failed;
                    if !states.iter().zip(parts).all(done) {
                        return (None, None);
                    }
                    let good: Vec<bool> =
                        states.iter().zip(parts).map(|(state, part)| *state == part.ok).collect();
                    let last = good.last() == Some(&true);
                    let all = good.iter().all(|&good| good);
                    let succeeds = match pipefail {
                        ShellOption::Off => last,
                        ShellOption::EventKind | ShellOption::Maybe => {
                            all || (last && pipefail == ShellOption::Maybe)
                        }
                    };
                    let fails = match pipefail {
                        ShellOption::Off => !last,
                        ShellOption::EventKind | ShellOption::Maybe => !all,
                    };
                    (succeeds.then_some(ok), fails.then_some(failed))
                });
            }
        }
    }
    /// Commands that run in parallel to those that follow.
    pub(super) fn beside(&mut self, list: &[AndOrList], from: usize, to: usize) {
        let scope = self.scope.clone();
        let mark = self.following.mark();
        let component = self.component(|b, (from, ok, failed)| {
            b.list(list, (from, ok, failed), &ShellContext::outermost((ok, failed)));
        });
        self.following.beside(mark, usize::MAX);
        self.scope = scope;
        let letters = self.graph.letters(&component);
        self.graph.spawn(letters, from, to);
    }
    fn subshell(&mut self, list: &[AndOrList], (from, ok, failed): Ends, context: &ShellContext) {
        let scope = self.scope.clone();
        let inside = ShellContext { checked: context.checked, ..ShellContext::outermost((ok, failed)) };
        let inside = ShellContext { returns: context.returns.map(|_| (ok, failed)), ..inside };
        self.list(list, (from, ok, failed), &inside);
        self.scope = scope;
    }
    /// The commands that run for the expansion of a word. Returns the state after them.
    pub(super) fn inner(&mut self, inner: &Inner, from: usize, context: &ShellContext) -> usize {
        let mut at = from;
        for list in &inner.before {
            let next = self.state();
            let errexit = self.scope.errexit;
            // Bash turns `set -e` off here, other shells do not.
            if errexit == ShellOption::EventKind {
                self.scope.errexit = ShellOption::Maybe;
            }
            self.subshell(list, (at, next, next), context);
            self.scope.errexit = errexit;
            at = next;
        }
        for list in &inner.beside {
            let next = self.state();
            self.beside(list, at, next);
            at = next;
        }
        if let Some(reason) = inner.opaque {
            let next = self.state();
            self.opaque(reason, (at, next, next), context);
            at = next;
        }
        at
    }
    pub(super) fn tree(&mut self, tree: &CommandTree, (from, ok, failed): Ends, context: &ShellContext) {
        match tree {
            CommandTree::Simple(simple) => self.simple(simple, (from, ok, failed), context),
            CommandTree::Group(list) => self.list(list, (from, ok, failed), context),
            CommandTree::Subshell(list) => {
                let failed = self.failing(failed, context);
                self.subshell(list, (from, ok, failed), context);
            }
            CommandTree::If(arms, otherwise) => {
                self.scope.conditional += 1;
                let mut at = from;
                for (condition, body) in arms {
                    let (then, next) = (self.state(), self.state());
                    self.list(condition, (at, then, next), &context.checked());
                    self.list(body, (then, ok, failed), context);
                    at = next;
                }
                self.list(otherwise.as_deref().unwrap_or(&[]), (at, ok, failed), context);
                self.scope.conditional -= 1;
            }
            CommandTree::Loop(head, body) => self.rounds(head, body, (from, ok, failed), context),
            CommandTree::Case(arms, is_whole) => self.case(arms, *is_whole, (from, ok, failed), context),
            CommandTree::Function(name, _) => {
                if self.scope.conditional == 0 && !self.scope.unsure {
                    self.scope.defined.insert(name.clone());
                }
                self.silent(from, ok);
            }
            CommandTree::Test => {
                let failed = self.failing(failed, context);
                self.silent(from, ok);
                self.silent(from, failed);
            }
            CommandTree::Beside(list) => self.beside(list, from, ok),
            CommandTree::With(inner, tree) => {
                let at = self.redirected(inner, from, context);
                let is_for =
                    matches!(&**tree, CommandTree::Loop(head, _) if !matches!(head, LoopHead::While(..)));
                if !matches!(**tree, CommandTree::Test | CommandTree::Case(..)) && !is_for {
                    // The file of a redirection may not be opened.
                    let failed = self.failing(failed, context);
                    self.silent(at, failed);
                }
                let around = self.scope.is_fed;
                self.scope.is_fed |= inner.feeds;
                self.tree(tree, (at, ok, failed), context);
                self.scope.is_fed = around;
            }
            CommandTree::Opaque(reason) => self.opaque(reason, (from, ok, failed), context),
        }
    }
    /// A command that may do anything, even change the shell itself.
    pub(super) fn opaque(&mut self, reason: &'static str, ends: Ends, context: &ShellContext) {
        let command = ShellCommand { opaque: Some(reason), ..ShellCommand::default() };
        self.letter(command, ends, context);
        self.shaken(ends.1, context);
    }
    /// Accounts for a command that may have changed the shell, or ended it.
    pub(super) fn shaken(&mut self, after: usize, context: &ShellContext) {
        if self.unread == Unread::MayLeave {
            self.silent(after, context.exit.0);
            self.silent(after, context.exit.1);
        }
        self.scope.errexit = ShellOption::Maybe;
        self.scope.pipefail = ShellOption::Maybe;
        self.scope.folder.forget();
        self.scope.defined.clear();
    }
    pub(super) fn letter(&mut self, command: ShellCommand, (from, ok, failed): Ends, context: &ShellContext) {
        let failed = self.failing(failed, context);
        let only = match &command.views[..] {
            [words] => words[0].text().filter(|&name| words.len() == 1 || name == ":").map(str::to_owned),
            _ => None,
        };
        let only = only.as_deref();
        self.commands.push(command);
        let command = self.commands.len() - 1;
        if only != Some("false") {
            self.graph.edge(from, ShellStep::Command((command, true)), ok);
        }
        if !matches!(only, Some("true" | ":")) {
            self.graph.edge(from, ShellStep::Command((command, false)), failed);
        }
    }
}

/// Whether a command ends the script, or the function.
fn leaves(pipeline: &Pipeline) -> bool {
    match &pipeline.parts[..] {
        [CommandTree::Simple(simple)] => {
            matches!(simple.words.first().and_then(ShellWord::text), Some("exit" | "return"))
        }
        _ => false,
    }
}

/// Collects the functions of a script. Sets `unsure` if a command that changes options or functions is not a plain
/// command of the outermost list.
pub(super) fn collect(list: &List, bodies: &mut BTreeMap<String, Vec<Rc<CommandTree>>>, unsure: &mut bool) {
    const CHANGING: &[&str] = &["set", "eval", "source", ".", "shopt", "trap", "unset"];
    let changes = |word: Option<&ShellWord>| {
        word.is_some_and(|word| word.text().is_none_or(|text| CHANGING.contains(&text)))
    };
    let mut open: Vec<(&List, bool)> = vec![(list, true)];
    while let Some((list, outermost)) = open.pop() {
        for chain in list {
            // The second command of a chain may be skipped.
            let plain =
                outermost && chain.rest.is_empty() && !chain.background && chain.first.parts.len() == 1;
            for tree in commands(std::slice::from_ref(chain)) {
                if let CommandTree::Simple(simple) = tree {
                    let builtin =
                        matches!(simple.words.first().and_then(ShellWord::text), Some("command" | "builtin"));
                    *unsure |= !plain && changes(simple.words.get(usize::from(builtin)));
                }
                let mut inside = tree;
                while let CommandTree::With(_, tree) = inside {
                    inside = tree;
                }
                if let CommandTree::Function(name, body) = inside {
                    bodies.entry(name.clone()).or_default().push(Rc::from((**body).clone()));
                }
                open.extend(tree.lists().into_iter().map(|list| (list, false)));
            }
        }
    }
}
