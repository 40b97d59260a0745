//! The folders in which the commands of a script may run, computed from its text: `cd`, `pushd` and `popd` are
//! interpreted.
//!
//! Where `cd` may have failed, both folders are possible. A folder is named as seen from where the script began; links and
//! `CDPATH` are not known.

use super::tree::{CommandTree, List, commands};
use super::word::{Folders, ShellWord, UnknownText, WordPiece};
use std::sync::Arc;

/// More folders are not told apart.
const FOLDERS: usize = 4;

impl Default for Folders {
    fn default() -> Self {
        Self(Arc::new(vec![ShellWord::default()]))
    }
}

impl Folders {
    /// Some folder.
    pub(super) fn unknown() -> Self {
        Self(Arc::new(vec![ShellWord::default(), ShellWord::any()]))
    }
    /// Whether it is only the one in which the script began.
    pub fn is_start(&self) -> bool {
        matches!(&self.0[..], [only] if only.pieces.is_empty())
    }
    /// Whether there is only one.
    pub(super) fn is_one(&self) -> bool {
        self.0.len() == 1
    }
    /// Both of these and those.
    pub(super) fn or(&self, other: &Self) -> Self {
        let mut all = (*self.0).clone();
        for place in other.0.iter() {
            if !all.contains(place) {
                all.push(place.clone());
            }
        }
        if all.len() > FOLDERS { Self::unknown() } else { Self(Arc::new(all)) }
    }
    /// The folders after `cd` with this word has succeeded.
    fn entered(&self, word: &ShellWord) -> Self {
        if word.splits {
            return Self::unknown();
        }
        let mut all: Vec<ShellWord> = Vec::new();
        for place in self.0.iter() {
            let inside = below(place, word);
            if !all.contains(&inside) {
                all.push(inside);
            }
        }
        Self(Arc::new(all))
    }
    /// A word as the paths that it names, seen from where the script began, for each folder but that one.
    pub(super) fn paths(&self, word: &ShellWord) -> Vec<ShellWord> {
        let other = self.0.iter().filter(|place| !place.pieces.is_empty());
        other.map(|place| below(place, word)).collect()
    }
    /// The folder, if it is one and known.
    pub(super) fn only_text(&self) -> Option<&str> {
        let [place] = &self.0[..] else { return None };
        place.text()
    }
    /// The path that a known word names, if the folder is one.
    pub(super) fn only_path(&self, text: &str) -> Option<String> {
        let [place] = &self.0[..] else { return None };
        below(place, &ShellWord::literal(text)).text().map(str::to_owned)
    }
}

/// A word below a folder.
fn below(folder: &ShellWord, word: &ShellWord) -> ShellWord {
    let is_absolute = match word.pieces.first() {
        Some(WordPiece::Text(text)) => text.starts_with('/'),
        // It may begin with `/`, as it may with `../`.
        Some(WordPiece::Any) => {
            word.home || word.unknown == UnknownText::Value || word.unknown == UnknownText::Arguments
        }
        _ => false,
    };
    let plain = ShellWord { folders: None, ..word.clone() };
    if is_absolute || folder.pieces.is_empty() {
        return plain;
    }
    let mut joined = folder.clone();
    joined.push("/");
    joined.push_pieces(&word.pieces);
    let is_open = |word: &ShellWord| word.pieces.iter().any(|piece| matches!(piece, WordPiece::Any));
    joined.unknown = match (is_open(folder), is_open(word)) {
        (true, true) if folder.unknown != word.unknown => UnknownText::Value,
        (_, true) => word.unknown,
        _ => folder.unknown,
    };
    ShellWord { splits: word.splits, each: word.each, ..joined }
}

/// The folders of a shell: where it is, where it was before, and the stack of `pushd`.
#[derive(Clone, Debug, Default)]
pub(super) struct WorkingFolder {
    pub(super) now: Folders,
    before: Option<Folders>,
    stack: Vec<Folders>,
}

impl WorkingFolder {
    /// Accounts for `cd`, `pushd` or `popd` that succeeds, with these arguments.
    pub(super) fn change(&mut self, name: &str, arguments: &[ShellWord]) {
        let is_option = |word: &&ShellWord| {
            word.text().is_some_and(|text| {
                text == "--" || text.len() > 1 && text.starts_with('-') && !text.starts_with("-0")
            })
        };
        let operands = &arguments[arguments.iter().take_while(is_option).count()..];
        let next = match (name, operands) {
            ("popd", []) => self.stack.pop().unwrap_or_else(Folders::unknown),
            ("cd", []) => {
                let home = ShellWord { pieces: vec![WordPiece::Any], home: true, ..ShellWord::default() };
                self.now.entered(&home)
            }
            ("cd", [only]) if only.text() == Some("-") => {
                self.before.clone().unwrap_or_else(Folders::unknown)
            }
            ("cd" | "pushd", [only]) if !only.text().is_some_and(|text| text.starts_with(['+', '-'])) => {
                self.now.entered(only)
            }
            _ => Folders::unknown(),
        };
        if name == "pushd" {
            self.stack.push(self.now.clone());
        }
        self.before = Some(std::mem::replace(&mut self.now, next));
    }
    /// Nothing is known any more.
    pub(super) fn forget(&mut self) {
        *self = Self { now: Folders::unknown(), before: None, stack: Vec::new() };
    }
}

/// Whether commands of a list may change the folder of the shell that runs it; `is_function` tells names of functions.
pub(super) fn changes_folder(list: &List, is_function: &dyn Fn(&str) -> bool) -> bool {
    let mut open = vec![list];
    while let Some(list) = open.pop() {
        for chain in list.iter().filter(|chain| !chain.background) {
            let pipelines =
                std::iter::once(&chain.first).chain(chain.rest.iter().map(|(_, pipeline)| pipeline));
            if pipelines
                .into_iter()
                .any(|pipeline| pipeline.parts.len() == 1 && matters(&pipeline.parts[0], is_function))
            {
                return true;
            }
        }
        for tree in commands(list) {
            if let CommandTree::Simple(_) | CommandTree::Subshell(_) | CommandTree::Function(..) =
                inside(tree)
            {
                continue;
            }
            open.extend(tree.lists());
        }
    }
    false
}

fn inside(tree: &CommandTree) -> &CommandTree {
    let mut inside = tree;
    while let CommandTree::With(_, tree) = inside {
        inside = tree;
    }
    inside
}

fn matters(tree: &CommandTree, is_function: &dyn Fn(&str) -> bool) -> bool {
    let CommandTree::Simple(simple) = inside(tree) else { return false };
    simple.words.iter().take(3).filter_map(ShellWord::text).any(|text| {
        matches!(text, "cd" | "pushd" | "popd" | "eval" | "source" | "." | "dirs" | "chdir")
            || is_function(text)
    })
}
