//! Simple commands: functions, builtins that affect the shell itself, programs that run other commands.

use super::arguments::assignment;
use super::clause::set_by_programs;
use super::disturbed::with_files;
use super::effects::Changes;
use super::graph::{Ends, ShellStep};
use super::graph_builder::{
    CALLS, GraphBuilder, ShellAutomaton, ShellCommand, ShellContext, ShellOption, Unread, collect,
    opaque_automaton,
};
use super::launchers::{Outcome, TRANSPARENT};
use super::option_variables::{gives_options, with_options};
use super::programs::SHELLS;
use super::read::{read_changed, read_evaluated, read_script, sets_home};
use super::runs::Runs;
use super::scripts::{ScriptText, WantedFiles, is_elsewhere};
use super::tree::{CommandTree, Inner, List, Simple, commands, only_simple};
use super::values::may_set_options;
use super::word::{Folders, ShellWord, UnknownText};
use super::wrappers::{Meanwhile, is_assignment, meanwhile, runs};
use std::borrow::Cow;
use std::rc::Rc;
use std::sync::Arc;
use tsl_synth_core::model::ReadScripts;

/// The automaton of a script. A script that cannot be read, or whose automaton would be too large, is one opaque
/// command.
pub fn script_automaton(text: &str) -> ShellAutomaton {
    script_with_files(text, None, Unread::MayLeave).0
}

/// The automaton of a script, and the files that have to be read before it is complete. `files` has the contents of those
/// that were read so far; without it no script in a file is followed.
pub fn script_with_files(
    text: &str,
    files: Option<&Arc<ReadScripts>>,
    unread: Unread,
) -> (ShellAutomaton, WantedFiles) {
    with_files(files, unread, |mut builder, changes| match read_changed(text, 0, changes) {
        Ok((list, code)) => {
            (builder.following.code, builder.following.sets_home) = (code, sets_home(text));
            builder.following.heard(text);
            builder.whole(|b, ends| b.program(&list, ends, (ShellOption::Off, ShellOption::Off)))
        }
        Err(reason) => (opaque_automaton(reason), builder.following),
    })
}

/// The automaton of a command given as a list of words, without a shell: `["bash", "-lc", "git push"]`.
pub fn argv_automaton(words: &[String]) -> ShellAutomaton {
    argv_with_files(words, None, Unread::MayLeave).0
}

/// The automaton of a command given as a list of words, and the files that have to be read, as in [`script_with_files`].
pub fn argv_with_files(
    words: &[String],
    files: Option<&Arc<ReadScripts>>,
    unread: Unread,
) -> (ShellAutomaton, WantedFiles) {
    if words.is_empty() {
        return (opaque_automaton("no command"), WantedFiles::default());
    }
    let words: Vec<ShellWord> = words.iter().map(|word| ShellWord::literal(word)).collect();
    with_files(files, unread, |builder, _| {
        builder.whole(|b, ends| {
            let context = ShellContext::outermost((ends.1, ends.2));
            b.run(words.clone(), &ShellCommand::default(), ends, &context);
        })
    })
}

/// Where the text of a script comes from.
#[derive(Clone, Copy)]
enum ScriptOrigin<'a> {
    /// A file with this path.
    File(&'a str),
    /// The words or the standard input of a command, which may run it elsewhere than the shell runs.
    Words { is_moved: bool },
}

impl GraphBuilder {
    pub(super) fn simple(&mut self, simple: &Simple, (from, ok, failed): Ends, context: &ShellContext) {
        let at = self.inner(&simple.inner, from, context);
        if simple.redirected || simple.words.is_empty() && !simple.inner.before.is_empty() {
            let failed = self.failing(failed, context);
            self.silent(at, failed);
        }
        let folders = self.folders();
        let outer = ShellCommand {
            assignments: simple.assignments.clone(),
            inherited: self.scope.inherited.clone(),
            redirects: simple.redirects.clone(),
            folders: folders.clone(),
            input: simple.input.clone(),
            fed: simple.fed.clone(),
            is_fed: self.scope.is_fed || simple.reads_descriptor,
            ..ShellCommand::default()
        };
        if simple.words.is_empty() {
            let at = self.meanwhile(self.set_by(&[], &simple.assignments), at, context);
            return self.without_words(outer, (at, ok));
        }
        let mut words = self.with_arguments(&simple.words);
        if folders.is_some() {
            for word in &mut words {
                word.folders.clone_from(&folders);
            }
        }
        if words.is_empty() {
            return self.silent(at, ok);
        }
        whole_assignments(&mut words);
        let name = words[0].text().map(str::to_owned);
        if let Some(name) = name.filter(|name| self.scope.bodies.contains_key(name)) {
            let certain = self.scope.defined.contains(&name);
            let bodies = &self.scope.bodies[&name];
            if bodies.len() != 1 || self.scope.active.contains(&name) || self.scope.active.len() >= CALLS {
                return self.opaque("a function that is not followed", (at, ok, failed), context);
            }
            let body = Rc::clone(&bodies[0]);
            let failing = self.failing(failed, context);
            // Under `set -e` a function that fails ends the script only if the failure itself was not checked.
            let after = self.state();
            self.silent(after, failed);
            self.silent(after, failing);
            let inside = ShellContext { returns: Some((ok, after)), loops: Vec::new(), ..context.clone() };
            self.scope.active.push(name);
            self.scope.conditional += 1;
            let own = keeps_arguments(&body).then(|| words[1..].to_vec());
            let around = std::mem::replace(&mut self.scope.arguments, own);
            self.inheriting(&simple.assignments, |builder| builder.tree(&body, (at, ok, after), &inside));
            self.scope.arguments = around;
            self.scope.conditional -= 1;
            self.scope.active.pop();
            if certain {
                return;
            }
        }
        self.inheriting(&simple.assignments, |builder| {
            builder.run(words, &outer, (at, ok, failed), context);
        });
    }
    /// Builds commands that inherit these variables, in addition to those of the enclosing commands.
    fn inheriting<T>(&mut self, set: &[(String, ShellWord)], build: impl FnOnce(&mut Self) -> T) -> T {
        let around = self.scope.inherited.len();
        self.scope.inherited.extend_from_slice(set);
        let built = build(self);
        self.scope.inherited.truncate(around);
        built
    }
    /// The folders in which the next command may run, where that may be another one than at the beginning.
    fn folders(&self) -> Option<Folders> {
        Some(self.scope.folder.now.clone()).filter(|now| !now.is_start())
    }
    /// The words of a command, with the words of the function in which it stands for `"$@"`.
    fn with_arguments(&self, words: &[ShellWord]) -> Vec<ShellWord> {
        let Some(arguments) = &self.scope.arguments else { return words.to_vec() };
        let own = words.iter().map(|word| {
            if word.unknown == UnknownText::Arguments { &arguments[..] } else { std::slice::from_ref(word) }
        });
        own.flatten().cloned().collect()
    }
    /// `A=b`, `> file`: assignments are silent unless a pattern matches them.
    fn without_words(&mut self, command: ShellCommand, (from, ok): (usize, usize)) {
        if command.redirects.is_empty() && command.assignments.is_empty() {
            return self.silent(from, ok);
        }
        let shell = command.redirects.is_empty();
        self.commands.push(ShellCommand { shell, ..command });
        let command = self.commands.len() - 1;
        self.graph.edge(from, ShellStep::Command((command, true)), ok);
    }
    /// The commands of a compound command's redirections, and the files that these open: a step that is silent unless
    /// a pattern matches it. Returns the state after them.
    pub(super) fn redirected(&mut self, inner: &Inner, from: usize, context: &ShellContext) -> usize {
        let at = self.inner(inner, from, context);
        if inner.redirects.is_empty() {
            return at;
        }
        let next = self.state();
        let opened = ShellCommand {
            redirects: inner.redirects.clone(),
            folders: self.folders(),
            shell: true,
            ..ShellCommand::default()
        };
        self.commands.push(opened);
        let command = self.commands.len() - 1;
        self.graph.edge(at, ShellStep::Command((command, true)), next);
        next
    }
    /// Runs a command that is not a function.
    pub(super) fn run(
        &mut self,
        words: Vec<ShellWord>,
        outer: &ShellCommand,
        (from, ok, failed): Ends,
        context: &ShellContext,
    ) {
        let mut views = vec![words];
        let mut own_views = None;
        let (mut from, mut ok, mut failed) = (from, ok, failed);
        let (mut around, mut outer) = (Cow::Borrowed(context), Cow::Borrowed(outer));
        let mut assignments = outer.assignments.clone();
        loop {
            let context = &*around;
            let mut words = views.pop().unwrap_or_default();
            let by_program = set_by_programs(&views);
            let variables = outer.assignments.iter().chain(&outer.inherited).chain(&by_program);
            if let Some(more) = with_options(&words, variables.chain(&self.scope.exported)) {
                words = more;
            }
            views.push(words.clone());
            from = self.meanwhile(self.set_by(&words, &assignments), from, context);
            assignments.clear();
            let builtin = views[..views.len() - 1]
                .iter()
                .all(|view| matches!(view.first().and_then(ShellWord::text), Some("command" | "builtin")));
            if builtin && self.builtin(&words, (from, ok, failed), context) {
                return;
            }
            let name = words.first().and_then(ShellWord::text);
            let is_moved = is_elsewhere(&views);
            if builtin && name == Some("exec") {
                if words.len() == 1 {
                    // The redirections are those of the shell from here on.
                    return self.without_words(outer.into_owned(), (from, ok));
                }
                (ok, failed) = context.exit;
            }
            let program = words.first().and_then(ShellWord::program).unwrap_or_default();
            let leaf = ShellCommand {
                views: views.clone(),
                own_views: own_views.unwrap_or(views.len()),
                ..outer.as_ref().clone()
            };
            let mut now = runs(&words, outer.input.as_ref(), outer.fed.as_ref());
            if self.following.reads_files() {
                if builtin && matches!(name, Some("source" | ".")) {
                    return self.source(leaf, &words[1..], (from, ok, failed), context);
                }
                if now == Runs::Nothing && !is_moved && views.len() < CALLS {
                    now = self.following.started(&words, outer.folders.as_ref());
                }
            }
            if let Runs::File(word, stops, pipefail) = &now {
                match self.script_of(word, outer.folders.as_ref(), is_moved) {
                    Ok(ScriptText { path, text }) => {
                        let (origin, options) = (ScriptOrigin::File(&path), (*stops, *pipefail));
                        return self.inheriting(&set_by_programs(&views), |builder| {
                            builder.script(leaf, &text, origin, options, (from, ok, failed), context);
                        });
                    }
                    Err(reason) => now = Runs::Opaque(reason),
                }
            }
            if let Runs::Apart(inner, outcome) = now {
                if outcome == Outcome::Later {
                    return self.later(*inner, leaf, &outer, (from, ok, failed), context);
                }
                let after = self.untold(outcome, (from, ok, failed), context);
                (ok, failed, now) = (after, after, *inner);
                around = Cow::Owned(context.checked());
            }
            let context = &*around;
            match now {
                Runs::Command(mut inner) if views.len() < CALLS => {
                    in_folders(&mut inner, &outer);
                    if !TRANSPARENT.contains(&program) {
                        own_views.get_or_insert(views.len());
                    }
                    views.push(inner);
                }
                Runs::Either(mut inner) if views.len() < CALLS => {
                    self.letter(leaf, (from, ok, failed), context);
                    in_folders(&mut inner, &outer);
                    own_views.get_or_insert(views.len());
                    views.push(inner);
                    // The table of the manager is enough for what it runs.
                    outer = Cow::Owned(ShellCommand { elsewhere: true, ..outer.into_owned() });
                }
                now => {
                    let leaf = (leaf, builtin, is_moved);
                    return self.innermost(now, leaf, &outer, (from, ok, failed), context);
                }
            }
        }
    }
    /// A command with what it runs, which is no single command. `leaf` says whether it may be a builtin, and whether it is
    /// run elsewhere.
    fn innermost(
        &mut self,
        now: Runs,
        (leaf, builtin, is_moved): (ShellCommand, bool, bool),
        outer: &ShellCommand,
        (from, ok, failed): Ends,
        context: &ShellContext,
    ) {
        let first = leaf.views.last().and_then(|words| words.first()).cloned().unwrap_or_default();
        let set = set_by_programs(&leaf.views);
        match now {
            Runs::Nothing => self.letter(leaf, (from, ok, failed), context),
            Runs::Scripts(texts) => {
                let texts = texts.into_iter().map(Ok).collect();
                let from = self.inheriting(&set, |builder| builder.meanwhile(texts, from, context));
                self.letter(leaf, (from, ok, failed), context);
            }
            Runs::Repeatedly(inner) if leaf.views.len() < CALLS && self.scope.active.len() < CALLS => {
                let again = self.inheriting(&set, |builder| builder.repeated(inner, outer, from));
                self.letter(leaf, (again, ok, failed), context);
            }
            Runs::Script(text, stops, pipefail) => {
                let is_shell = first.program().is_some_and(|program| SHELLS.contains(&program));
                let origin = ScriptOrigin::Words { is_moved: is_moved || !is_shell };
                let options = (stops, pipefail);
                self.inheriting(&set, |builder| {
                    builder.script(leaf, &text, origin, options, (from, ok, failed), context);
                });
            }
            Runs::Opaque(reason) => {
                self.letter(ShellCommand { opaque: Some(reason), ..leaf }, (from, ok, failed), context);
                if builtin && !first.text().is_some_and(|name| name.contains('/')) {
                    self.shaken(ok, context);
                }
            }
            Runs::Command(_) | Runs::Repeatedly(_) | Runs::File(..) | Runs::Apart(..) | Runs::Either(_) => {
                let leaf = ShellCommand { opaque: Some("commands are nested too deep"), ..leaf };
                self.letter(leaf, (from, ok, failed), context);
            }
        }
    }
    /// The state after a command of a program that may succeed whatever the command does, and without running it.
    fn untold(&mut self, outcome: Outcome, (from, ok, failed): Ends, context: &ShellContext) -> usize {
        let after = self.state();
        self.silent(from, after);
        if outcome == Outcome::Again {
            self.silent(after, from);
        }
        self.silent(after, ok);
        let failing = self.failing(failed, context);
        self.silent(after, failing);
        after
    }
    /// The script in a file that a command names.
    fn script_of(
        &mut self,
        word: &ShellWord,
        folders: Option<&Folders>,
        is_moved: bool,
    ) -> Result<ScriptText, &'static str> {
        self.following.enter(is_moved);
        let script = self.following.script(word, folders);
        self.following.leave(is_moved);
        script
    }
    /// Commands that a program runs any number of times, such as those of `xargs`. Returns the state after them.
    fn repeated(&mut self, inner: Vec<Vec<ShellWord>>, outer: &ShellCommand, from: usize) -> usize {
        let again = self.state();
        self.silent(from, again);
        self.scope.active.push(String::new());
        self.following.enter(true);
        let outer = ShellCommand {
            folders: outer.folders.clone(),
            inherited: self.scope.inherited.clone(),
            is_fed: outer.has_input() && outer.program() != Some("xargs"),
            ..ShellCommand::default()
        };
        let inside = ShellContext { checked: true, ..ShellContext::outermost((again, again)) };
        for mut inner in inner {
            in_folders(&mut inner, &outer);
            self.run(inner, &outer, (again, again, again), &inside);
        }
        self.following.leave(true);
        self.scope.active.pop();
        again
    }
    /// A program that runs a script whose text is known: `origin` is where the text comes from.
    fn script(
        &mut self,
        leaf: ShellCommand,
        text: &str,
        origin: ScriptOrigin<'_>,
        (stops, pipefail): (bool, bool),
        (from, ok, failed): Ends,
        context: &ShellContext,
    ) {
        let program = leaf.views.last().and_then(|words| words.first()?.program()).unwrap_or_default();
        let flag = |on| if on { ShellOption::EventKind } else { ShellOption::Off };
        self.following.heard(text);
        match read_script(text, self.scope.depth + 1) {
            Ok(mut list) => {
                // A text on the standard input is that of the only command.
                if let Some(simple) = only_simple(&mut list)
                    && simple.input.is_none()
                    && program == "ssh"
                {
                    simple.input.clone_from(&leaf.input);
                }
                let (start, begin) = (self.state(), self.commands.len());
                let around = self.scope.is_fed;
                self.scope.is_fed |= leaf.has_input();
                let shell = matches!(origin, ScriptOrigin::File(_)) || SHELLS.contains(&program);
                self.letter(ShellCommand { shell, ..leaf }, (from, start, start), &context.checked());
                let failed = self.failing(failed, context);
                match origin {
                    ScriptOrigin::File(path) => self.following.begin(path),
                    ScriptOrigin::Words { is_moved } => self.following.enter(is_moved),
                }
                self.program(&list, (start, ok, failed), (flag(stops), flag(pipefail)));
                match origin {
                    ScriptOrigin::File(_) => self.following.end(begin..self.commands.len()),
                    ScriptOrigin::Words { is_moved } => self.following.leave(is_moved),
                }
                self.scope.is_fed = around;
            }
            Err(reason) => {
                self.letter(ShellCommand { opaque: Some(reason), ..leaf }, (from, ok, failed), context);
            }
        }
    }
    /// `source`: the commands of a file are run by the shell itself.
    fn source(
        &mut self,
        leaf: ShellCommand,
        words: &[ShellWord],
        (from, ok, failed): Ends,
        context: &ShellContext,
    ) {
        let read = self.following.sourced(words, leaf.folders.as_ref()).and_then(|script| {
            if sets_home(&script.text) {
                return Err("a script that sets HOME");
            }
            let functions = !self.scope.bodies.is_empty();
            let around = Changes { functions, hidden: self.scope.hidden, splitting: true };
            let (list, code) = read_changed(&script.text, self.scope.depth + 1, around)?;
            if self.following.code.or(code).may_run() {
                return Err("arithmetic with a text that may be a command");
            }
            Ok((script, list, code))
        });
        let (ScriptText { path, text }, list, code) = match read {
            Ok(read) => read,
            Err(reason) => {
                self.letter(ShellCommand { opaque: Some(reason), ..leaf }, (from, ok, failed), context);
                return self.shaken(ok, context);
            }
        };
        self.following.heard(&text);
        let mut changes = Changes::of(&text);
        changes.hidden |= may_set_options(&list);
        self.following.changes = self.following.changes.or(changes);
        self.following.code = self.following.code.or(code);
        let (start, begin) = (self.state(), self.commands.len());
        self.letter(ShellCommand { shell: true, ..leaf }, (from, start, start), &context.checked());
        let mut unsure = false;
        collect(&list, &mut self.scope.bodies, &mut unsure);
        if unsure {
            self.scope.unsure = true;
            (self.scope.errexit, self.scope.pipefail) = (ShellOption::Maybe, ShellOption::Maybe);
        }
        let inside = ShellContext { returns: Some((ok, failed)), ..context.clone() };
        let around = self.scope.arguments.take();
        self.scope.depth += 1;
        self.following.begin(&path);
        self.list(&list, (start, ok, failed), &inside);
        self.following.end(begin..self.commands.len());
        self.scope.depth -= 1;
        self.scope.arguments = around;
    }
    /// The scripts that a command runs by the variables that it sets, and by its words.
    fn set_by(&self, words: &[ShellWord], assignments: &[(String, ShellWord)]) -> Vec<Meanwhile> {
        let is_meant = |(name, _): &&(String, ShellWord)| !self.following.is_kept(name);
        let assignments: Vec<(String, ShellWord)> = assignments.iter().filter(is_meant).cloned().collect();
        meanwhile(words, &assignments)
    }
    /// Scripts that run any number of times, or not at all, before a command ends. Returns the state after them.
    fn meanwhile(&mut self, scripts: Vec<Meanwhile>, from: usize, context: &ShellContext) -> usize {
        let mut at = from;
        for script in scripts {
            let again = self.state();
            self.silent(at, again);
            at = again;
            let list = script.and_then(|text| {
                self.following.heard(&text);
                read_script(&text, self.scope.depth + 1)
            });
            match list {
                Ok(list) if self.scope.active.len() < CALLS => {
                    self.scope.active.push(String::new());
                    self.following.enter(true);
                    self.program(&list, (again, again, again), (ShellOption::Off, ShellOption::Off));
                    self.following.leave(true);
                    self.scope.active.pop();
                }
                Ok(_) => self.opaque("scripts are nested too deep", (again, again, again), context),
                Err(reason) => self.opaque(reason, (again, again, again), context),
            }
        }
        at
    }
    /// Reads a text that this shell evaluates.
    fn evaluated(&self, text: &str) -> Result<List, &'static str> {
        let functions = !self.scope.bodies.is_empty();
        let changes = Changes { functions, hidden: self.scope.hidden, splitting: true };
        read_evaluated(text, self.scope.depth + 1, changes)
    }
    /// `eval` with known words: commands of the shell itself.
    fn eval(&mut self, words: &[ShellWord], ends: Ends, context: &ShellContext) -> bool {
        let texts: Option<Vec<&str>> = words.iter().map(ShellWord::text).collect();
        let Some(text) = texts.map(|texts| texts.join(" ")) else { return false };
        match self.evaluated(&text) {
            Ok(list) if is_plain(&list) && self.scope.active.len() < CALLS => {
                self.scope.active.push(String::new());
                self.list(&list, ends, context);
                self.scope.active.pop();
                true
            }
            _ => false,
        }
    }
    /// `trap` with a known text: its commands may run at any later time.
    fn trap(&mut self, words: &[ShellWord], (from, ok, failed): Ends, context: &ShellContext) {
        let words = if words.first().and_then(ShellWord::text) == Some("--") { &words[1..] } else { words };
        let text = words.first().map(ShellWord::text);
        if words.len() < 2 || matches!(text, Some(Some("" | "-" | "-p" | "-l"))) {
            return self.silent(from, ok);
        }
        let list = match text {
            Some(Some(text)) => self.evaluated(text).ok(),
            _ => None,
        };
        if let Some(list) = list.filter(|list| is_plain(list) && ends_by_signals_only(list, &words[1..])) {
            return self.beside(&list, from, ok);
        }
        self.opaque("a command that runs later", (from, ok, failed), context);
        // It may run at the end and leave with another status.
        self.silent(ok, context.exit.0);
        self.silent(ok, context.exit.1);
        let later = self.commands.len() - 1;
        let start = self.state();
        self.silent(from, start);
        self.graph.spawn(vec![(later, true), (later, false)], start, ok);
    }
    /// Builtins that affect the shell itself. Returns true if the command needs no letter besides those added here.
    fn builtin(&mut self, words: &[ShellWord], (from, ok, failed): Ends, context: &ShellContext) -> bool {
        let Some(name) = words.first().and_then(ShellWord::text) else { return false };
        let argument = words.get(1).map(ShellWord::text);
        let jump = |b: &mut Self, (good, bad): (usize, usize)| {
            let status = match argument {
                Some(Some(text)) => text.parse::<i64>().ok().map(|status| status.rem_euclid(256) == 0),
                _ => None,
            };
            if status != Some(false) {
                b.silent(from, good);
            }
            if status != Some(true) {
                b.silent(from, bad);
            }
        };
        if matches!(name, "exit" | "return") && words.len() > 2 {
            // Too many words: bash goes on.
            let failed = self.failing(failed, context);
            self.silent(from, failed);
        }
        match name {
            "exit" => jump(self, context.exit),
            "return" => {
                if let Some(after) = context.returns {
                    jump(self, after);
                } else {
                    // It is an error outside of a function.
                    self.silent(from, ok);
                    let failed = self.failing(failed, context);
                    self.silent(from, failed);
                }
            }
            "break" | "continue" => self.leave_loops(words, (from, ok), context),
            "set" => {
                self.set(&words[1..]);
                return false;
            }
            "unset" => {
                let names: Vec<Option<&str>> = words[1..].iter().map(ShellWord::text).collect();
                self.scope
                    .defined
                    .retain(|name| !names.contains(&None) && !names.contains(&Some(name.as_str())));
                return false;
            }
            "cd" | "pushd" | "popd" | "chdir" => {
                let name = if name == "chdir" { "cd" } else { name };
                self.scope.folder.change(name, &words[1..]);
                return false;
            }
            "setopt" | "emulate" => {
                self.scope.hidden = true;
                return false;
            }
            "trap" => self.trap(&words[1..], (from, ok, failed), context),
            "eval" => return self.eval(&words[1..], (from, ok, failed), context),
            "shopt" | "export" | "declare" | "typeset" | "alias" | "hash" | "enable" => {
                let texts: Vec<Option<&str>> = words[1..].iter().map(ShellWord::text).collect();
                let finds_hidden = |text: Option<&str>| text.is_none_or(|text| text.contains("glob"));
                self.scope.hidden |= name == "shopt" && texts.iter().copied().any(finds_hidden);
                let changes = |text: Option<&str>| match text {
                    None => matches!(name, "shopt" | "hash" | "enable" | "alias"),
                    Some(text) => match name {
                        "shopt" => matches!(text, "expand_aliases" | "lastpipe" | "extdebug"),
                        "hash" => text == "-p",
                        "enable" => text.starts_with('-'),
                        "alias" => text.contains('='),
                        _ => text.starts_with('-') && text.contains('f'),
                    },
                };
                let changes = texts.into_iter().any(changes);
                self.exports(&words[1..]);
                if !changes {
                    return false;
                }
                self.opaque("a command that changes what names mean", (from, ok, failed), context);
            }
            _ => return false,
        }
        true
    }
    /// Notes the variables among the words of `export` whose values are options of a program.
    fn exports(&mut self, words: &[ShellWord]) {
        let set = words.iter().filter_map(assignment);
        self.scope.exported.extend(set.filter(|(name, _)| gives_options(name)));
    }
    /// `set -euo pipefail`
    fn set(&mut self, words: &[ShellWord]) {
        let (mut at, unsure) = (0, self.scope.conditional > 0 || self.scope.unsure);
        while let Some(word) = words.get(at) {
            at += 1;
            let Some(text) = word.text() else {
                (self.scope.errexit, self.scope.pipefail) = (ShellOption::Maybe, ShellOption::Maybe);
                return;
            };
            let (flag, letters) = match (text.strip_prefix('-'), text.strip_prefix('+')) {
                (Some("-"), _) => return,
                (Some(letters), _) => (ShellOption::EventKind, letters),
                (_, Some(letters)) => (ShellOption::Off, letters),
                _ => return,
            };
            let flag = if unsure { ShellOption::Maybe } else { flag };
            if letters.contains('e') {
                self.scope.errexit = flag;
            }
            if letters.contains('o') {
                match words.get(at).map(ShellWord::text) {
                    Some(Some("errexit")) => self.scope.errexit = flag,
                    Some(Some("pipefail")) => self.scope.pipefail = flag,
                    Some(Some(_)) => {}
                    _ => (self.scope.errexit, self.scope.pipefail) = (ShellOption::Maybe, ShellOption::Maybe),
                }
                at += 1;
            }
        }
    }
}

/// The values of `export NAME=$VALUE` are not split.
fn whole_assignments(words: &mut [ShellWord]) {
    let declares = |text: &str| matches!(text, "export" | "declare" | "typeset" | "local" | "readonly");
    if !words[0].text().is_some_and(declares) {
        return;
    }
    for word in &mut words[1..] {
        let one = ShellWord { splits: false, each: false, ..word.clone() };
        if is_assignment(&one) {
            *word = one;
        }
    }
}

/// Words that a command passes on are used where the command runs.
pub(super) fn in_folders(words: &mut [ShellWord], command: &ShellCommand) {
    for word in words.iter_mut().filter(|word| word.folders.is_none()) {
        word.folders.clone_from(&command.folders);
    }
}

/// Whether a function keeps the words that it was called with: nothing in it is named `shift` or `set`.
fn keeps_arguments(body: &CommandTree) -> bool {
    let is_kept = |tree: &CommandTree| match tree {
        CommandTree::Simple(simple) => {
            let mut words = simple.words.iter().take(2).map(ShellWord::text);
            words.all(|text| !matches!(text, Some("shift" | "set" | "eval" | "source" | ".")))
        }
        CommandTree::Function(..) | CommandTree::Opaque(_) => false,
        _ => true,
    };
    let mut open: Vec<&List> = body.lists();
    while let Some(list) = open.pop() {
        for tree in commands(list) {
            let mut inside = tree;
            while let CommandTree::With(_, tree) = inside {
                inside = tree;
            }
            if !is_kept(inside) {
                return false;
            }
            open.extend(tree.lists());
        }
    }
    is_kept(body)
}

/// Whether a list neither defines functions nor changes the shell that runs it.
fn is_plain(list: &List) -> bool {
    const CHANGING: &[&str] =
        &["set", "eval", "source", ".", "shopt", "trap", "unset", "exec", "alias", "hash", "enable"];
    let mut open = vec![list];
    while let Some(list) = open.pop() {
        for tree in commands(list) {
            match tree {
                CommandTree::Function(..) | CommandTree::Opaque(_) => return false,
                CommandTree::Simple(simple) => {
                    let mut words = simple.words.iter().take(2).map(ShellWord::text);
                    if words.any(|text| text.is_some_and(|text| CHANGING.contains(&text))) {
                        return false;
                    }
                }
                _ => {}
            }
            open.extend(tree.lists());
        }
    }
    true
}

/// Whether the commands of a trap leave the script only with a failure, after a signal that would end it, too.
fn ends_by_signals_only(list: &List, signals: &[ShellWord]) -> bool {
    let is_signal = |word: &ShellWord| {
        let inner = |text: &str| matches!(text, "EXIT" | "0" | "ERR" | "DEBUG" | "RETURN" | "SIGEXIT");
        word.text().is_some_and(|text| !inner(&text.to_ascii_uppercase()))
    };
    let mut open = vec![list];
    while let Some(list) = open.pop() {
        for tree in commands(list) {
            if let CommandTree::Simple(simple) = tree {
                let word = |i: usize| simple.words.get(i).and_then(ShellWord::text);
                let leaves = matches!(word(0), Some("exit" | "return" | "break" | "continue"));
                let fails = word(1).and_then(|text| text.parse::<u8>().ok()).is_some_and(|status| status > 0);
                if leaves && !(word(0) == Some("exit") && fails && signals.iter().all(is_signal)) {
                    return false;
                }
            }
            open.extend(tree.lists());
        }
    }
    true
}
