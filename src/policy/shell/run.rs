//! Simple commands: functions, builtins that affect the shell itself, programs that run other commands.

use super::build::{
    CALLS, GraphBuilder, ShellAutomaton, ShellCommand, ShellContext, ShellOption, opaque_automaton,
};
use super::graph::Ends;
use super::read::read_script;
use super::tree::Simple;
use super::word::ShellWord;
use super::wrappers::{Runs, runs};
use std::rc::Rc;

/// The automaton of a script. A script that cannot be read, or whose automaton would be too large, is one opaque
/// command.
pub fn script_automaton(text: &str) -> ShellAutomaton {
    match read_script(text, 0) {
        Ok(list) => GraphBuilder::default().whole(|b, ends| {
            b.program(&list, ends, (ShellOption::Off, ShellOption::Off));
        }),
        Err(reason) => opaque_automaton(reason),
    }
}

/// The automaton of a command given as a list of words, without a shell: `["bash", "-lc", "git push"]`.
pub fn argv_automaton(words: &[String]) -> ShellAutomaton {
    if words.is_empty() {
        return opaque_automaton("no command");
    }
    let words = words.iter().map(|word| ShellWord::literal(word)).collect();
    GraphBuilder::default().whole(|b, ends| {
        let context = ShellContext::outermost((ends.1, ends.2));
        b.run(words, &ShellCommand::default(), ends, &context);
    })
}

impl GraphBuilder {
    pub(super) fn simple(&mut self, simple: &Simple, (from, ok, failed): Ends, context: &ShellContext) {
        let at = self.inner(&simple.inner, from, context);
        if simple.redirected || simple.words.is_empty() && !simple.inner.before.is_empty() {
            let failed = self.failing(failed, context);
            self.silent(at, failed);
        }
        if simple.words.is_empty() {
            return self.silent(at, ok);
        }
        let outer = ShellCommand {
            assignments: simple.assignments.clone(),
            redirects: simple.redirects.clone(),
            ..ShellCommand::default()
        };
        let name = simple.words[0].text().map(str::to_owned);
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
            self.tree(&body, (at, ok, after), &inside);
            self.scope.conditional -= 1;
            self.scope.active.pop();
            if certain {
                return;
            }
        }
        self.run(simple.words.clone(), &outer, (at, ok, failed), context);
    }
    /// Runs a command that is not a function.
    fn run(
        &mut self,
        words: Vec<ShellWord>,
        outer: &ShellCommand,
        (from, ok, failed): Ends,
        context: &ShellContext,
    ) {
        let mut views = vec![words];
        let (mut ok, mut failed) = (ok, failed);
        loop {
            let words = views.last().cloned().unwrap_or_default();
            let builtin = views[..views.len() - 1]
                .iter()
                .all(|view| matches!(view.first().and_then(ShellWord::text), Some("command" | "builtin")));
            if builtin && self.builtin(&words, (from, ok, failed), context) {
                return;
            }
            let name = words.first().and_then(ShellWord::text);
            if builtin && name == Some("exec") {
                if words.len() == 1 {
                    return self.silent(from, ok);
                }
                (ok, failed) = context.exit;
            }
            let leaf = ShellCommand { views: views.clone(), ..outer.clone() };
            match runs(&words) {
                Runs::Nothing => return self.letter(leaf, (from, ok, failed), context),
                Runs::Command(inner) if views.len() < CALLS => views.push(inner),
                Runs::Repeatedly(inner) if views.len() < CALLS && self.scope.active.len() < CALLS => {
                    let again = self.state();
                    self.silent(from, again);
                    self.scope.active.push(String::new());
                    let inside = ShellContext { checked: true, ..ShellContext::outermost((again, again)) };
                    self.run(inner, &ShellCommand::default(), (again, again, again), &inside);
                    self.scope.active.pop();
                    return self.letter(leaf, (again, ok, failed), context);
                }
                Runs::Script(text, stops, pipefail) => {
                    let flag = |on| if on { ShellOption::EventKind } else { ShellOption::Off };
                    match read_script(&text, self.scope.depth + 1) {
                        Ok(list) => {
                            let start = self.state();
                            let checked = context.checked();
                            self.letter(ShellCommand { shell: true, ..leaf }, (from, start, start), &checked);
                            let failed = self.failing(failed, context);
                            return self.program(&list, (start, ok, failed), (flag(stops), flag(pipefail)));
                        }
                        Err(reason) => {
                            let leaf = ShellCommand { opaque: Some(reason), ..leaf };
                            return self.letter(leaf, (from, ok, failed), context);
                        }
                    }
                }
                Runs::Opaque(reason) => {
                    self.letter(ShellCommand { opaque: Some(reason), ..leaf }, (from, ok, failed), context);
                    if builtin && !name.is_some_and(|name| name.contains('/')) {
                        self.shaken(ok, context);
                    }
                    return;
                }
                Runs::Command(_) | Runs::Repeatedly(_) => {
                    let leaf = ShellCommand { opaque: Some("commands are nested too deep"), ..leaf };
                    return self.letter(leaf, (from, ok, failed), context);
                }
            }
        }
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
        match name {
            "exit" => jump(self, context.exit),
            "return" => jump(self, context.returns.unwrap_or((ok, failed))),
            "break" | "continue" => {
                let levels = match argument {
                    None => 1..=1,
                    Some(Some(text)) if text.parse::<usize>().is_ok_and(|n| n > 0) => {
                        let levels = text.parse::<usize>().unwrap_or(1).min(context.loops.len().max(1));
                        levels..=levels
                    }
                    _ => 1..=context.loops.len(),
                };
                for level in levels {
                    match context.loops.len().checked_sub(level) {
                        Some(at) => {
                            let (done, again) = context.loops[at];
                            self.silent(from, if name == "break" { done } else { again });
                        }
                        None => self.silent(from, ok),
                    }
                }
                if context.loops.is_empty() {
                    self.silent(from, ok);
                }
            }
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
            "trap" if words.len() > 1 && !matches!(argument, Some(Some("" | "-" | "-p" | "-l"))) => {
                self.opaque("a command that runs later", (from, ok, failed), context);
                let later = self.commands.len() - 1;
                let start = self.state();
                self.silent(from, start);
                self.graph.spawn(vec![(later, true), (later, false)], start, ok);
            }
            "shopt" | "export" | "declare" | "typeset" | "alias" | "hash" | "enable" => {
                let texts: Vec<Option<&str>> = words[1..].iter().map(ShellWord::text).collect();
                let changes = |text: Option<&str>| match text {
                    None => matches!(name, "shopt" | "hash" | "enable"),
                    Some(text) => match name {
                        "shopt" => matches!(text, "expand_aliases" | "lastpipe" | "extdebug"),
                        "hash" => text == "-p",
                        "enable" => text.starts_with('-'),
                        "alias" => false,
                        _ => text.starts_with('-') && text.contains('f'),
                    },
                };
                if !texts.into_iter().any(changes) {
                    return false;
                }
                self.opaque("a command that changes what names mean", (from, ok, failed), context);
            }
            _ => return false,
        }
        true
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
