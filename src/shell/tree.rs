//! The tree of a script, with the structure that determines the order of its commands.

use super::word::{Certainty, ShellWord};

/// What a redirection does with its target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RedirectKind {
    /// `<`
    Read,
    /// `>`, `>|`, `&>`: the file is overwritten.
    Write,
    /// `>>`, `&>>`
    Append,
    /// `<>`
    ReadWrite,
}

impl RedirectKind {
    /// Whether the file becomes the standard input.
    pub(super) fn reads(self) -> bool {
        matches!(self, Self::Read | Self::ReadWrite)
    }
}

/// A redirection from or to a file. Those between descriptors, here-documents and here-strings are not kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redirect {
    /// Whether the file is read or written.
    pub kind: RedirectKind,
    /// The file.
    pub target: ShellWord,
}

/// What a command of a pipeline reads from the one before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fed {
    /// Names, each of which is this word, separated by zero bytes.
    Names(ShellWord),
    /// These words in one line, separated by blanks.
    Words(Vec<String>),
}

/// Commands that run for the expansion of a word or for a redirection.
#[derive(Clone, Debug, Default)]
pub(super) struct Inner {
    /// `$(..)`: in sequence, before the command.
    pub(super) before: Vec<List>,
    /// `<(..)`, `>(..)`: in parallel to the command.
    pub(super) beside: Vec<List>,
    /// Files that a compound command is redirected to and from.
    pub(super) redirects: Vec<Redirect>,
    /// Whether the standard input of the compound command is redirected, to a file, a descriptor or a here-document.
    pub(super) feeds: bool,
    /// Why any command may run, if something is not understood.
    pub(super) opaque: Option<&'static str>,
}

/// A simple command.
#[derive(Clone, Debug, Default)]
pub(super) struct Simple {
    pub(super) assignments: Vec<(String, ShellWord)>,
    pub(super) words: Vec<ShellWord>,
    pub(super) redirects: Vec<Redirect>,
    /// Whether it has redirections that may fail, also those that are not kept.
    pub(super) redirected: bool,
    /// The text of its here-document or here-string.
    pub(super) input: Option<ShellWord>,
    /// Whether another descriptor is its standard input.
    pub(super) reads_descriptor: bool,
    /// What each name is that the command before it in a pipeline writes.
    pub(super) fed: Option<Fed>,
    pub(super) inner: Inner,
}

/// What decides whether a loop goes on.
#[derive(Clone, Debug)]
pub(super) enum LoopHead {
    /// `while` or `until` with the condition, and whether the loop ends when the condition succeeds: `until`.
    While(List, bool),
    /// `for NAME in WORDS`, and whether there is certainly a word.
    For { never_empty: bool },
    /// A loop whose number of rounds is not known: `for ((..))`, `select`.
    Open,
}

/// How a body of `case` ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CaseEnd {
    /// `;;`
    Stops,
    /// `;&`: the next body runs, too.
    RunsNext,
    /// `;;&`: the patterns after it are tried.
    TriesNext,
}

/// An arm of `case`.
#[derive(Clone, Debug)]
pub(super) struct CaseArm {
    /// Whether the word matches one of its patterns.
    pub(super) matches: Certainty,
    pub(super) body: List,
    pub(super) end: CaseEnd,
}

impl CaseArm {
    /// An arm that may be taken, and after which no other is.
    pub(super) fn open(body: List) -> Self {
        Self { matches: Certainty::Maybe, body, end: CaseEnd::Stops }
    }
}

/// A command.
#[derive(Clone, Debug)]
pub(super) enum CommandTree {
    Simple(Box<Simple>),
    Group(List),
    Subshell(List),
    /// Conditions with their bodies, and the body of `else`.
    If(Vec<(List, List)>, Option<List>),
    Loop(LoopHead, List),
    /// The arms of `case`, and whether one of them is taken for certain.
    Case(Vec<CaseArm>, bool),
    Function(String, Box<CommandTree>),
    /// `[[ .. ]]`, `(( .. ))`: true or false.
    Test,
    /// `coproc`
    Beside(List),
    /// A command with the commands that its redirections or words run.
    With(Inner, Box<CommandTree>),
    Opaque(&'static str),
}

/// `a | b`
#[derive(Clone, Debug)]
pub(super) struct Pipeline {
    pub(super) negated: bool,
    pub(super) parts: Vec<CommandTree>,
}

/// `a && b || c`; the flag is true for `&&`.
#[derive(Clone, Debug)]
pub(super) struct AndOrList {
    pub(super) first: Pipeline,
    pub(super) rest: Vec<(bool, Pipeline)>,
    /// Whether `&` follows it.
    pub(super) background: bool,
}

/// `a; b & c`
pub(super) type List = Vec<AndOrList>;

impl CommandTree {
    /// The lists inside, functions and substitutions included.
    pub(super) fn lists(&self) -> Vec<&List> {
        match self {
            Self::Simple(simple) => simple.inner.before.iter().chain(&simple.inner.beside).collect(),
            Self::Group(list) | Self::Subshell(list) | Self::Beside(list) => vec![list],
            Self::If(arms, otherwise) => {
                let mut lists: Vec<&List> =
                    arms.iter().flat_map(|(condition, body)| [condition, body]).collect();
                lists.extend(otherwise);
                lists
            }
            Self::Loop(LoopHead::While(condition, _), body) => vec![body, condition],
            Self::Loop(LoopHead::For { .. } | LoopHead::Open, body) => vec![body],
            Self::Case(arms, _) => arms.iter().map(|arm| &arm.body).collect(),
            Self::Function(_, body) => body.lists(),
            Self::With(inner, tree) => inner.before.iter().chain(&inner.beside).chain(tree.lists()).collect(),
            Self::Test | Self::Opaque(_) => Vec::new(),
        }
    }
}

/// The commands of a list.
pub(super) fn commands(list: &[AndOrList]) -> impl Iterator<Item = &CommandTree> {
    list.iter().flat_map(|chain| {
        std::iter::once(&chain.first)
            .chain(chain.rest.iter().map(|(_, pipeline)| pipeline))
            .flat_map(|p| &p.parts)
    })
}

/// Whether a list defines functions.
pub(super) fn has_functions(list: &List) -> bool {
    has(list, &|tree| matches!(tree, CommandTree::Function(..)))
}

/// Whether a list has loops.
pub(super) fn has_loops(list: &List) -> bool {
    has(list, &|tree| matches!(tree, CommandTree::Loop(..)))
}

/// Whether a predicate holds for some command of a list, at any depth.
fn has(list: &List, is_it: &dyn Fn(&CommandTree) -> bool) -> bool {
    let mut open = vec![list];
    while let Some(list) = open.pop() {
        for tree in commands(list) {
            let mut inside = tree;
            while let CommandTree::With(_, tree) = inside {
                inside = tree;
            }
            if is_it(inside) {
                return true;
            }
            open.extend(tree.lists());
        }
    }
    false
}

/// The simple command that is a whole script.
pub(super) fn only_simple(list: &mut [AndOrList]) -> Option<&mut Simple> {
    let [chain] = list else { return None };
    match &mut chain.first.parts[..] {
        [CommandTree::Simple(simple)] if chain.rest.is_empty() => Some(&mut **simple),
        _ => None,
    }
}
