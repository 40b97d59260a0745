//! Commands that run on when the program that starts them has ended: `docker run -d`, `ssh -f`, `tmux new -d`.

use super::graph::Ends;
use super::graph_builder::{CALLS, GraphBuilder, ShellCommand, ShellContext, ShellOption};
use super::launchers::TRANSPARENT;
use super::read::read_script;
use super::run::in_folders;
use super::runs::Runs;
use super::word::ShellWord;

impl GraphBuilder {
    /// A program that starts what `runs` tells and does not wait for it: its commands may occur at any later time, and the
    /// outcome of the program is not theirs.
    pub(super) fn later(
        &mut self,
        runs: Runs,
        leaf: ShellCommand,
        outer: &ShellCommand,
        (from, ok, failed): Ends,
        context: &ShellContext,
    ) {
        let program = leaf.views.last().and_then(|words| words.first()).and_then(ShellWord::program);
        let is_transparent = program.is_some_and(|name| TRANSPARENT.contains(&name));
        // What runs elsewhere needs no table of its own.
        let inner = ShellCommand {
            assignments: outer.assignments.clone(),
            inherited: outer.inherited.clone(),
            folders: outer.folders.clone(),
            is_fed: outer.has_input(),
            elsewhere: outer.elsewhere || !is_transparent,
            ..ShellCommand::default()
        };
        let is_too_deep = self.scope.active.len() >= CALLS;
        let start = self.state();
        let (scope, mark) = (self.scope.clone(), self.following.mark());
        self.scope.active.push(String::new());
        self.following.enter(true);
        let component = self.component(|builder, ends| {
            let inside = ShellContext::outermost((ends.1, ends.2));
            match runs {
                _ if is_too_deep => builder.opaque("commands are nested too deep", ends, &inside),
                Runs::Command(mut words) => {
                    in_folders(&mut words, &inner);
                    builder.run(words, &inner, ends, &inside);
                }
                Runs::Script(text, ..) => {
                    builder.following.heard(&text);
                    match read_script(&text, builder.scope.depth + 1) {
                        Ok(list) => builder.program(&list, ends, (ShellOption::Off, ShellOption::Off)),
                        Err(reason) => builder.opaque(reason, ends, &inside),
                    }
                }
                _ => builder.opaque("a command that runs later", ends, &inside),
            }
        });
        self.following.leave(true);
        self.following.beside(mark, usize::MAX);
        self.scope = scope;
        let letters = self.graph.letters(&component);
        self.graph.spawn(letters, from, start);
        let shell = leaf.shell || is_transparent;
        self.letter(ShellCommand { shell, ..leaf }, (start, ok, failed), context);
    }
}
