//! What a table says about one command: its words, the files that it reads and writes, its environment.

use super::arguments::assignment;
use super::argv::ArgvPattern;
use super::file_glob::FileGlob;
use super::files::CommandFiles;
use super::graph_builder::{ShellAutomaton, ShellCommand};
use super::options::ProgramPattern;
use super::tree::Fed;
use super::word::{Certainty, ShellWord};
use tsl_synth_core::base::Glob;

/// The words of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClauseWords {
    /// Any.
    Any,
    /// `argv`
    Argv(ArgvPattern),
    /// `program`, `subcommand`, `flags` and so on.
    Program(ProgramPattern),
}

/// A variable of the environment: its name, and its value if that matters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnvGlob {
    /// The name.
    pub name: Glob,
    /// The value; any unless given.
    pub value: Option<Glob>,
}

/// What a table says about one command; all of it has to hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandClause {
    /// The words.
    pub words: ClauseWords,
    /// It writes one of these; empty for no condition.
    pub writes: Vec<FileGlob>,
    /// It reads one of these; empty for no condition.
    pub reads: Vec<FileGlob>,
    /// One of these variables is set for it; empty for no condition.
    pub env: Vec<EnvGlob>,
    /// Globs, one of which matches the text on its standard input; empty for no condition.
    pub input: Vec<Glob>,
}

/// What several tables say that mean the same: one of the clauses holds.
#[derive(Clone, Debug)]
pub struct CommandPattern<'t> {
    /// The clauses.
    pub any: Vec<&'t CommandClause>,
    /// Whether a letter with it has the files of the command.
    pub asks_for_files: bool,
    /// Whether all other conditions of the tables certainly hold. If not, a match is at most [`Certainty::Maybe`].
    pub is_sure: bool,
}

/// The variables that a script may have given to its commands before they run.
#[derive(Debug, Default)]
pub struct Exported(Vec<(String, ShellWord)>);

impl Exported {
    /// What `export`, `declare -x` and assignments without a command set somewhere in a script.
    pub fn of(automaton: &ShellAutomaton) -> Self {
        const EXPORTS: &[&str] = &["export", "declare", "typeset", "readonly", "local"];
        let mut all = Vec::new();
        for command in &automaton.letters {
            if command.views.is_empty() {
                all.extend(command.assignments.iter().cloned());
            }
            for view in &command.views {
                if view.first().and_then(ShellWord::text).is_none_or(|name| !EXPORTS.contains(&name)) {
                    continue;
                }
                for word in &view[1..] {
                    let named = || word.text().map(|name| (name.to_owned(), ShellWord::unknown()));
                    all.extend(assignment(word).or_else(named));
                }
            }
        }
        Self(all)
    }
}

impl From<ArgvPattern> for CommandClause {
    fn from(argv: ArgvPattern) -> Self {
        ClauseWords::Argv(argv).into()
    }
}

impl From<ClauseWords> for CommandClause {
    fn from(words: ClauseWords) -> Self {
        Self { words, writes: Vec::new(), reads: Vec::new(), env: Vec::new(), input: Vec::new() }
    }
}

impl CommandClause {
    /// Whether a command matches.
    pub fn matches(&self, command: &ShellCommand, exported: &Exported) -> Certainty {
        let words = match &self.words {
            ClauseWords::Any => Certainty::Yes,
            ClauseWords::Argv(argv) => best(command, &|view| argv.matches(view)),
            ClauseWords::Program(program) => best(command, &|view| program.matches(view)),
        };
        if words == Certainty::No {
            return words;
        }
        let mut all = words;
        if !self.writes.is_empty() || !self.reads.is_empty() {
            let files = CommandFiles::of(command);
            if !self.writes.is_empty() {
                all = all.min(files.written(&self.writes));
            }
            if !self.reads.is_empty() {
                all = all.min(files.read(&self.reads));
            }
        }
        if !self.env.is_empty() {
            all = all.min(self.environment(command, exported));
        }
        if !self.input.is_empty() {
            all = all.min(self.standard_input(command));
        }
        all
    }
    /// If the words of a command match the list of words as soon as some are left out, the first one of these.
    pub fn stands_between<'w>(&self, words: &'w [ShellWord]) -> Option<&'w ShellWord> {
        match &self.words {
            ClauseWords::Argv(argv) => argv.stands_between(words),
            ClauseWords::Any | ClauseWords::Program(_) => None,
        }
    }
    /// The pattern of its words, if nothing else is in it.
    pub(super) fn argv(&self) -> Option<&ArgvPattern> {
        match &self.words {
            ClauseWords::Argv(argv) if self.is_about_words() => Some(argv),
            _ => None,
        }
    }
    /// Whether it says nothing but which words the command has.
    pub(super) fn is_about_words(&self) -> bool {
        self.writes.is_empty() && self.reads.is_empty() && self.env.is_empty() && self.input.is_empty()
    }
    /// Whether no command matches both.
    pub(super) fn excludes(&self, other: &Self) -> bool {
        match (&self.words, &other.words) {
            (ClauseWords::Program(one), ClauseWords::Program(two)) => one.excludes(two),
            _ => false,
        }
    }
    /// Whether the text on the standard input matches; that of a file or of another program may.
    fn standard_input(&self, command: &ShellCommand) -> Certainty {
        let of = |text: &ShellWord| self.input.iter().map(|glob| text.matches(glob)).max();
        let known = match (&command.input, &command.fed) {
            (Some(text), _) => of(text),
            (None, Some(Fed::Words(words))) => of(&ShellWord::literal(&words.join(" "))),
            (None, Some(Fed::Names(_)) | None) => command.is_fed.then_some(Certainty::Maybe),
        };
        let is_file = command.redirects.iter().any(|redirect| redirect.kind.reads());
        let of_file = is_file.then_some(Certainty::Maybe);
        known.max(of_file).unwrap_or(Certainty::No)
    }
    fn environment(&self, command: &ShellCommand, exported: &Exported) -> Certainty {
        let of = |name: &str, value: &ShellWord| {
            let each = self.env.iter().filter(|own| own.name.matches(name));
            let fits = each.map(|own| own.value.as_ref().map_or(Certainty::Yes, |glob| value.matches(glob)));
            fits.max().unwrap_or(Certainty::No)
        };
        let given = command.assignments.iter().map(|(name, value)| of(name, value)).max();
        let by_program = set_by_programs(&command.views);
        let by_program = by_program.iter().map(|(name, value)| of(name, value)).max();
        let is_replaced = |name: &str| command.assignments.iter().any(|(other, _)| other == name);
        let inherited = command.inherited.iter().filter(|(name, _)| !is_replaced(name));
        let inherited = inherited.map(|(name, value)| of(name, value)).max();
        let before = exported.0.iter().map(|(name, value)| of(name, value)).max();
        let before = before.map(|certainty| certainty.min(Certainty::Maybe));
        given.max(by_program).max(inherited).max(before).unwrap_or(Certainty::No)
    }
}

/// The variables that `env A=b`, `sudo A=b` and the like among these set for what they run.
pub(super) fn set_by_programs(views: &[Vec<ShellWord>]) -> Vec<(String, ShellWord)> {
    views.iter().flat_map(|view| set_by_program(view)).collect()
}

fn set_by_program(view: &[ShellWord]) -> Vec<(String, ShellWord)> {
    const GIVE: &[&str] = &["env", "sudo", "doas"];
    let Some(name) = view.first().and_then(ShellWord::program) else { return Vec::new() };
    if !GIVE.contains(&name) {
        return Vec::new();
    }
    view[1..].iter().filter_map(assignment).collect()
}

fn best(command: &ShellCommand, of: &dyn Fn(&[ShellWord]) -> Certainty) -> Certainty {
    command.views.iter().map(|view| of(view)).max().unwrap_or(Certainty::No)
}

impl<'t> CommandPattern<'t> {
    /// A pattern of each clause.
    pub fn each(clauses: &'t [CommandClause]) -> Vec<Self> {
        clauses
            .iter()
            .map(|clause| Self { any: vec![clause], asks_for_files: false, is_sure: true })
            .collect()
    }
    /// Whether a command matches.
    pub fn matches(&self, command: &ShellCommand, exported: &Exported) -> Certainty {
        let words = self.any.iter().map(|clause| clause.matches(command, exported)).max();
        let words = words.unwrap_or(Certainty::No);
        if self.is_sure { words } else { words.min(Certainty::Maybe) }
    }
}
