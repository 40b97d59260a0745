//! The parts of a text, as far as it can be read: words, names with their introductions and uses, formulas with their
//! ranges. A syntax error in a clause affects only that clause.

mod ltl;
mod tlsf;
mod tsl;

use super::super::SpecLanguage;
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;
use tsl_synth_core::source::SourceMap;
use tsl_synth_lang::syntax::{WordLanguage, unreadable_from, words};
use tsl_synth_ltl::operators::{BigOp, BinaryOp, UnaryOp};
use tsl_synth_ltl::word::{Word, WordKind};

/// The role of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum NameRole {
    /// A signal that the environment gives in every step.
    Input,
    /// A signal that the system sets and does not read.
    Output,
    /// A signal that the system sets and reads from the next step on.
    Cell,
    /// A predicate over values.
    Predicate,
    /// A function of values.
    Function,
    /// A value that never changes: `c()`.
    Constant,
    /// A macro.
    Definition,
    /// A parameter of a macro or of the specification.
    Parameter,
    /// The variable of a big operator.
    Variable,
    /// A value of an enumeration.
    Value,
    /// An enumeration.
    Enumeration,
    /// The name that an import gives to a file.
    Module,
    /// A name of an imported file.
    Imported,
    /// An atomic proposition that is not declared as an input or output.
    Proposition,
}

impl NameRole {
    /// The role in a word or two.
    pub fn noun(self) -> &'static str {
        match self {
            Self::Input => "input",
            Self::Output => "output",
            Self::Cell => "cell",
            Self::Predicate => "predicate",
            Self::Function => "function",
            Self::Constant => "constant",
            Self::Definition => "definition",
            Self::Parameter => "parameter",
            Self::Variable => "bound variable",
            Self::Value => "value of an enumeration",
            Self::Enumeration => "enumeration",
            Self::Module => "imported module",
            Self::Imported => "imported name",
            Self::Proposition => "proposition",
        }
    }
}

/// A name of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NamedThing {
    /// As written.
    pub name: String,
    /// Its role, as far as the text alone shows.
    pub role: NameRole,
    /// The text of its declaration or definition on one line; empty if it is only used.
    pub written: String,
    /// Where it is introduced, if it is.
    pub introduced: Option<Range<usize>>,
    /// The part of the text in which it has this meaning; `None` for all of it.
    pub(super) scope: Option<Range<usize>>,
}

/// An occurrence of a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mention {
    pub(super) range: Range<usize>,
    /// Index of the [`NamedThing`].
    pub(super) thing: usize,
    /// Whether it is the target of an update, and not read.
    pub(super) written: bool,
}

/// The forms of formulas and terms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SketchForm {
    /// A name, a number, a constant.
    Leaf,
    /// The first child is applied to the others.
    Apply,
    /// `[cell <- child]`
    Update(String),
    Unary(UnaryOp),
    /// The last child is the operand; the others are bounds.
    Bounded(UnaryOp),
    /// `F within n f`, `G for n f`: the number of steps, and the operand.
    Timed(UnaryOp),
    /// `f every n`: the operand, and the number of steps.
    Every,
    Binary(BinaryOp),
    /// The last child is the body.
    Big(BigOp),
    /// `( child )`
    Group,
    /// Sets, elements of buses, patterns.
    Other,
}

/// A formula or term with its range; children have smaller indices than their parents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SketchNode {
    pub(super) range: Range<usize>,
    pub(super) form: SketchForm,
    pub(super) children: Vec<usize>,
}

/// A formula of a section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ClauseAt {
    pub(super) root: usize,
    /// Whether it is assumed, and not guaranteed.
    pub(super) assumed: bool,
    /// Whether it must hold in every step.
    pub(super) always: bool,
}

/// The kind of an item of the outline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OutlineKind {
    /// `always guarantee { }`, `MAIN { INPUTS { } }`
    Section,
    /// A formula.
    Clause,
    /// `import "x.tsl" as X`
    Import,
    /// A name with its role.
    Name(NameRole),
}

/// An item of the outline of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OutlineItem {
    /// Its text on one line.
    pub name: String,
    /// Its kind.
    pub kind: OutlineKind,
    /// The range of the whole item.
    pub range: Range<usize>,
    /// The part to show, inside of `range`.
    pub selection: Range<usize>,
    /// The items inside it.
    pub children: Vec<OutlineItem>,
}

/// Names that have another meaning inside a part of the text.
pub(super) struct SketchScope {
    within: Range<usize>,
    names: Vec<(String, NameRole, Range<usize>)>,
}

/// The parts of a syntax tree, before its words are assigned to names.
#[derive(Default)]
pub(super) struct SketchDraft {
    nodes: Vec<SketchNode>,
    clauses: Vec<ClauseAt>,
    items: Vec<OutlineItem>,
    /// Names of the whole text: name, role, range, and the text of the declaration.
    introduced: Vec<(String, NameRole, Range<usize>, String)>,
    scopes: Vec<SketchScope>,
    /// Words that are not names here: sorts, keys, values of keys.
    sorts: Vec<Range<usize>>,
    keywords: Vec<Range<usize>>,
    /// Names that only the tree shows, and the starts of targets of updates.
    names: FxHashSet<(usize, usize)>,
    written: FxHashSet<usize>,
    /// The roles of names that are introduced nowhere.
    guessed: FxHashMap<String, NameRole>,
    imports: Vec<ImportAt>,
}

/// An import of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ImportAt {
    /// The path as it is written.
    pub path: String,
    /// The range of the path.
    pub path_range: Range<usize>,
    /// The prefix of the names of the file.
    pub module: String,
}

/// The parts of a text: words, names and formulas. Every text has them, also one with syntax errors.
#[derive(Clone, Debug)]
pub struct Sketch {
    pub(super) text: String,
    /// The language of the text.
    pub language: SpecLanguage,
    pub(super) words: Vec<Word>,
    /// The sorts of declarations.
    pub(super) sorts: Vec<Range<usize>>,
    pub(super) nodes: Vec<SketchNode>,
    pub(super) clauses: Vec<ClauseAt>,
    pub(super) things: Vec<NamedThing>,
    pub(super) mentions: Vec<Mention>,
    /// The imports.
    pub imports: Vec<ImportAt>,
    items: Vec<OutlineItem>,
}

impl Sketch {
    /// The parts of a text. Never fails; the time is linear in the text, times the number of scopes and declarations.
    pub fn new(language: SpecLanguage, text: &str) -> Self {
        let notation = match language {
            SpecLanguage::Tsl => WordLanguage::Tsl,
            SpecLanguage::Tlsf => WordLanguage::Tlsf,
            SpecLanguage::Ltl => WordLanguage::Ltl,
        };
        let mut map = SourceMap::new();
        let mut source = map.add("", text);
        let found = words(text, notation, source);
        let words = found.unwrap_or_else(|| {
            // After a comment without an end, or brackets nested past the limit, only the text before counts.
            source = map.add("", readable(text));
            words(&map.get(source).text, notation, source).unwrap_or_default()
        });
        let draft = match notation {
            WordLanguage::Tsl => tsl::draft(&map, source),
            WordLanguage::Tlsf => tlsf::draft(&map, source, &words),
            WordLanguage::Ltl => ltl::draft(&map, source),
        };
        draft.finish(text.to_string(), language, words)
    }
    /// The outline, in the order of the text.
    pub fn outline(&self) -> &[OutlineItem] {
        &self.items
    }
    /// The word around a position, or else the one that ends there.
    pub(super) fn word_at(&self, offset: usize) -> Option<&Word> {
        let next = self.words.partition_point(|word| word.range.end <= offset);
        let around = self.words.get(next).filter(|word| word.range.start <= offset);
        let before = next.checked_sub(1).map(|i| &self.words[i]).filter(|word| word.range.end == offset);
        let is_name = |word: &&Word| matches!(word.kind, WordKind::Name | WordKind::Text);
        around.filter(is_name).or_else(|| before.filter(is_name)).or(around).or(before)
    }
    /// The name at a position.
    pub(super) fn mention_at(&self, offset: usize) -> Option<&Mention> {
        let next = self.mentions.partition_point(|mention| mention.range.end < offset);
        self.mentions[next..].iter().take_while(|m| m.range.start <= offset).last()
    }
    /// The smallest formula that contains a range.
    pub(super) fn node_around(&self, range: &Range<usize>) -> Option<usize> {
        let contains = |node: &SketchNode| node.range.start <= range.start && range.end <= node.range.end;
        self.nodes.iter().position(contains)
    }
    /// A piece of the text on one line, cut if it is long.
    pub(super) fn snippet(&self, range: Range<usize>, most: usize) -> String {
        snippet(&self.text, range, most)
    }
}

/// A piece of a text on one line, cut if it is long.
pub(super) fn snippet(text: &str, range: Range<usize>, most: usize) -> String {
    let piece = text.get(range).unwrap_or_default();
    let line = piece.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= most {
        return line;
    }
    line.chars().take(most.saturating_sub(1)).chain(['…']).collect()
}

/// The text with everything after its readable part replaced by blanks.
fn readable(text: &str) -> String {
    let mut end = text.len();
    // A cut inside a comment that is nested too deep leaves an open comment: cut again.
    while let Some(cut) = unreadable_from(&text[..end]) {
        end = cut.min(end.saturating_sub(1));
        while !text.is_char_boundary(end) {
            end -= 1;
        }
    }
    let blank = |c: char| if c == '\n' { "\n".into() } else { " ".repeat(c.len_utf8()) };
    text[..end].chars().map(String::from).chain(text[end..].chars().map(blank)).collect()
}

impl SketchDraft {
    pub(super) fn push(&mut self, range: Range<usize>, form: SketchForm, children: Vec<usize>) {
        self.nodes.push(SketchNode { range, form, children });
    }

    fn finish(mut self, text: String, language: SpecLanguage, mut words: Vec<Word>) -> Sketch {
        let within = |all: &[Range<usize>], word: &Word| {
            all.iter().any(|range| range.start <= word.range.start && word.range.end <= range.end)
        };
        for word in &mut words {
            if word.kind == WordKind::Name && within(&self.keywords, word) {
                word.kind = WordKind::Keyword;
            }
        }
        // Inner scopes come first.
        self.scopes.sort_by_key(|scope| scope.within.len());
        let mut things: Vec<NamedThing> = Vec::new();
        let mut index: FxHashMap<(Option<usize>, String), usize> = FxHashMap::default();
        for (name, role, at, written) in self.introduced {
            if let std::collections::hash_map::Entry::Vacant(entry) = index.entry((None, name.clone())) {
                entry.insert(things.len());
                things.push(NamedThing { name, role, written, introduced: Some(at), scope: None });
            }
        }
        let mut mentions = Vec::new();
        let listed: Vec<(Range<usize>, bool)> = words
            .iter()
            .filter(|word| word.kind == WordKind::Name && !within(&self.sorts, word))
            .map(|word| (word.range.clone(), false))
            .chain(self.names.iter().map(|&(start, end)| (start..end, true)))
            .collect();
        for (range, given) in listed {
            let given_elsewhere = !given && language == SpecLanguage::Ltl;
            if given_elsewhere {
                continue;
            }
            let name = &text[range.clone()];
            let scoped = self.scopes.iter().enumerate().find_map(|(i, scope)| {
                let inside = scope.within.start <= range.start && range.end <= scope.within.end;
                let bound = scope.names.iter().find(|(bound, ..)| inside && bound == name);
                bound.map(|(_, role, at)| (i, *role, at.clone(), scope.within.clone()))
            });
            let key = (scoped.as_ref().map(|found| found.0), name.to_string());
            let thing = *index.entry(key).or_insert_with(|| {
                let (role, introduced, scope) = match scoped {
                    Some((_, role, at, within)) => (role, Some(at), Some(within)),
                    None => (self.guessed.get(name).copied().unwrap_or(NameRole::Proposition), None, None),
                };
                things.push(NamedThing {
                    name: name.into(),
                    role,
                    written: String::new(),
                    introduced,
                    scope,
                });
                things.len() - 1
            });
            let written = self.written.contains(&range.start);
            mentions.push(Mention { range, thing, written });
        }
        mentions.sort_by_key(|mention| (mention.range.start, mention.range.end));
        mentions.dedup_by(|a, b| a.range == b.range);
        self.items.sort_by_key(|item| item.range.start);
        let Self { nodes, clauses, items, sorts, imports, .. } = self;
        Sketch { text, language, words, sorts, nodes, clauses, things, mentions, imports, items }
    }
}
