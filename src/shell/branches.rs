//! The automata of loops and of `case`. Their exit status tells which of the commands in them have succeeded.

use super::folder::changes_folder;
use super::graph::Ends;
use super::graph_builder::{GraphBuilder, LoopEnds, ShellContext};
use super::tree::{CaseArm, CaseEnd, List, LoopHead, has_loops};
use super::word::{Certainty, ShellWord};

impl GraphBuilder {
    /// A loop. Its exit status is that of the last command of its body, or 0 if the body never ran or `break` ended it.
    pub(super) fn rounds(
        &mut self,
        head: &LoopHead,
        body: &List,
        (from, ok, failed): Ends,
        context: &ShellContext,
    ) {
        self.scope.conditional += 1;
        let mark = self.following.mark();
        let is_function = |name: &str| self.scope.bodies.contains_key(name);
        let condition = match head {
            LoopHead::While(condition, _) => Some(condition),
            LoopHead::For { .. } | LoopHead::Open => None,
        };
        if condition.into_iter().chain([body]).any(|list| changes_folder(list, &is_function)) {
            // Each round begins where the one before ended.
            self.scope.folder.forget();
        }
        // Before a round: at first and after a body that succeeded, and after one that failed.
        let (after_ok, after_failed, start) = (self.state(), self.state(), self.state());
        let mut inside = context.clone();
        inside.loops.push(LoopEnds { left: (ok, failed), again: (after_ok, after_failed) });
        match head {
            LoopHead::While(condition, until) => {
                self.silent(from, after_ok);
                let ends = |done| if *until { (done, start) } else { (start, done) };
                // A condition with loops is built once: two copies at each level would be exponential in the depth.
                if has_loops(condition) {
                    let done = self.state();
                    let (good, bad) = ends(done);
                    self.silent(after_failed, after_ok);
                    self.list(condition, (after_ok, good, bad), &inside.checked());
                    self.silent(done, ok);
                    self.silent(done, failed);
                } else {
                    for (at, done) in [(after_ok, ok), (after_failed, failed)] {
                        let (good, bad) = ends(done);
                        self.list(condition, (at, good, bad), &inside.checked());
                    }
                }
            }
            LoopHead::For { never_empty } => {
                self.silent(from, start);
                if !never_empty {
                    self.silent(from, ok);
                }
                self.silent(after_ok, start);
                self.silent(after_ok, ok);
                self.silent(after_failed, start);
                self.silent(after_failed, failed);
            }
            LoopHead::Open => {
                self.silent(from, start);
                for again in [after_ok, after_failed] {
                    self.silent(again, start);
                }
                for done in [from, after_ok, after_failed] {
                    self.silent(done, ok);
                    self.silent(done, failed);
                }
            }
        }
        self.list(body, (start, after_ok, after_failed), &inside);
        self.following.beside(mark, self.commands.len());
        self.scope.conditional -= 1;
    }
    /// `break` and `continue`, which succeed, but for a `!` around them.
    pub(super) fn leave_loops(
        &mut self,
        words: &[ShellWord],
        (from, ok): (usize, usize),
        context: &ShellContext,
    ) {
        let all = context.loops.len();
        if all == 0 {
            return self.silent(from, ok);
        }
        let count = words.get(1).and_then(ShellWord::text).and_then(|text| text.parse::<usize>().ok());
        let levels = match (words.len(), count.filter(|&n| n > 0).map(|n| n.min(all))) {
            (1, _) => 1..=1,
            (_, Some(level)) => level..=level,
            // It may be any number.
            _ => 1..=all,
        };
        let is_break = words[0].text() == Some("break");
        for level in levels {
            let ends = context.loops[all - level];
            let (good, bad) = if is_break { ends.left } else { ends.again };
            self.silent(from, good);
            self.silent(from, if context.negated { bad } else { good });
        }
    }
    /// `case`. With `is_whole`, one of the arms is taken for certain.
    pub(super) fn case(&mut self, arms: &[CaseArm], is_whole: bool, ends: Ends, context: &ShellContext) {
        let (from, ok, failed) = ends;
        self.scope.conditional += 1;
        let starts: Vec<usize> = arms.iter().map(|_| self.state()).collect();
        // `tries[i]`: before the patterns of arm `i` are tried. In the last of these states none has matched.
        let mut tries = vec![from];
        tries.extend(arms.iter().map(|_| self.state()));
        for (i, arm) in arms.iter().enumerate() {
            if arm.matches != Certainty::No {
                self.silent(tries[i], starts[i]);
            }
            if arm.matches != Certainty::Yes {
                self.silent(tries[i], tries[i + 1]);
            }
            let next = match arm.end {
                CaseEnd::Stops => None,
                CaseEnd::RunsNext => starts.get(i + 1).copied(),
                CaseEnd::TriesNext => Some(tries[i + 1]),
            };
            if next.is_none() || arm.end == CaseEnd::TriesNext {
                self.list(&arm.body, (starts[i], ok, failed), context);
            }
            if let Some(next) = next {
                self.list(&arm.body, (starts[i], next, next), context);
            }
        }
        if !is_whole {
            self.silent(tries[arms.len()], ok);
        }
        self.scope.conditional -= 1;
    }
}
