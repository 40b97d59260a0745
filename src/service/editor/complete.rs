//! Completions.

use super::super::SpecLanguage;
use super::hover::role;
use super::reading::KnownNames;
use super::sentence;
use super::sketch::{NameRole, Sketch};
use std::ops::Range;
use tsl_synth_ltl::operators::{BinaryOp, UnaryOp};
use tsl_synth_ltl::word::WordKind;

/// The kind of a completion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CompletionKind {
    /// A name.
    Name(NameRole),
    /// A word of sections and declarations.
    Keyword,
    /// An operator.
    Operator,
}

/// A suggestion to continue the text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Completion {
    /// The text that is shown and inserted.
    pub text: String,
    /// Its kind.
    pub kind: CompletionKind,
    /// A few words about it.
    pub detail: String,
}

const SECTIONS_TSL: &[&str] = &[
    "always guarantee {",
    "always assume {",
    "initially guarantee {",
    "initially assume {",
    "guarantee {",
    "assume {",
    "cell",
    "input",
    "output",
    "predicate",
    "function",
    "noisy",
    "saturating",
    "wrapping",
    "import",
];
const SECTIONS_TLSF: &[&str] = &["INFO {", "GLOBAL {", "MAIN {"];
const INSIDE_TLSF: &[(&str, &[&str])] = &[
    ("INFO", &["TITLE:", "DESCRIPTION:", "SEMANTICS:", "TARGET:", "TAGS:"]),
    ("GLOBAL", &["PARAMETERS {", "DEFINITIONS {"]),
    (
        "MAIN",
        &[
            "INPUTS {",
            "OUTPUTS {",
            "INITIALLY {",
            "PRESET {",
            "REQUIRE {",
            "ASSERT {",
            "ASSUME {",
            "GUARANTEE {",
        ],
    ),
];
const SECTIONS_LTL: &[&str] = &["assume {", "guarantee {"];
const PREFIXES: &[UnaryOp] = &[
    UnaryOp::Globally,
    UnaryOp::Finally,
    UnaryOp::Next,
    UnaryOp::Yesterday,
    UnaryOp::WeakYesterday,
    UnaryOp::Once,
    UnaryOp::Historically,
];
const INFIXES: &[BinaryOp] = &[
    BinaryOp::Until,
    BinaryOp::WeakUntil,
    BinaryOp::Release,
    BinaryOp::StrongRelease,
    BinaryOp::AsSoonAs,
    BinaryOp::Since,
    BinaryOp::Trigger,
];

impl Sketch {
    /// The completions at a position, best first. There are none in comments and quoted texts.
    pub fn completions(&self, offset: usize, known: &KnownNames) -> Vec<Completion> {
        let inside = |kinds: &[WordKind]| {
            self.words.iter().any(|word| {
                kinds.contains(&word.kind) && word.range.start < offset && offset < word.range.end
                    || word.kind == WordKind::Comment
                        && offset == word.range.end
                        && self.text[word.range.clone()].starts_with("//")
            })
        };
        if inside(&[WordKind::Comment, WordKind::Text]) {
            return Vec::new();
        }
        let section = self.open_section(offset);
        let mut all = Vec::new();
        let words = |all: &mut Vec<Completion>, texts: &[&str]| {
            all.extend(texts.iter().map(|text| Completion {
                text: (*text).into(),
                kind: CompletionKind::Keyword,
                detail: "keyword".into(),
            }));
        };
        match (self.language, section) {
            (SpecLanguage::Tsl, None) => {
                words(&mut all, SECTIONS_TSL);
                if self.in_definition(offset) {
                    self.of_formulas(offset, known, &mut all);
                }
            }
            (SpecLanguage::Tlsf, None) => words(&mut all, SECTIONS_TLSF),
            (SpecLanguage::Tlsf, Some(section)) => {
                match INSIDE_TLSF.iter().find(|(name, _)| *name == section) {
                    Some((_, texts)) => words(&mut all, texts),
                    None => self.of_formulas(offset, known, &mut all),
                }
            }
            (SpecLanguage::Tsl, Some(_)) => self.of_formulas(offset, known, &mut all),
            (SpecLanguage::Ltl, section) => {
                self.of_formulas(offset, known, &mut all);
                if section.is_none() {
                    words(&mut all, SECTIONS_LTL);
                }
            }
        }
        all
    }

    /// The word before the last brace that is open at a position.
    fn open_section(&self, offset: usize) -> Option<&str> {
        let mut open: Vec<usize> = Vec::new();
        for (i, word) in self.words.iter().enumerate().take_while(|(_, word)| word.range.end <= offset) {
            match (word.kind, &self.text[word.range.clone()]) {
                (WordKind::Bracket, "{") => open.push(i),
                (WordKind::Bracket, "}") => {
                    open.pop();
                }
                _ => {}
            }
        }
        let brace = *open.last()?;
        let before = brace.checked_sub(1).map(|i| self.words[i].range.clone());
        Some(before.map_or("", |range: Range<usize>| &self.text[range]))
    }

    /// Whether the last `=`, `;` or `}` before a position is an `=`.
    fn in_definition(&self, offset: usize) -> bool {
        let before = self.words.iter().rev().skip_while(|word| word.range.end > offset);
        for word in before {
            match &self.text[word.range.clone()] {
                ";" | "}" => return false,
                "=" => return true,
                _ => {}
            }
        }
        false
    }

    /// Names in scope, then operators.
    fn of_formulas(&self, offset: usize, known: &KnownNames, all: &mut Vec<Completion>) {
        // The name that is being typed is not suggested, unless it occurs elsewhere, too.
        let typed = self.mention_at(offset).filter(|mention| mention.range.end == offset).map(|m| m.thing);
        let update = self.after_bracket(offset);
        let mut names = Vec::new();
        let mut uses = vec![0usize; self.things.len()];
        self.mentions.iter().for_each(|mention| uses[mention.thing] += 1);
        for (i, thing) in self.things.iter().enumerate() {
            let in_scope =
                thing.scope.as_ref().is_none_or(|scope| scope.start <= offset && offset <= scope.end);
            if !in_scope || typed == Some(i) && uses[i] < 2 || thing.role == NameRole::Module {
                continue;
            }
            let role = role(thing, known);
            let settable = matches!(role, NameRole::Cell | NameRole::Output);
            let sort =
                known.get(&thing.name).map(|found| found.sort.as_str()).filter(|sort| !sort.is_empty());
            let detail =
                sort.map_or_else(|| role.noun().to_string(), |sort| format!("{}: {sort}", role.noun()));
            let kind = CompletionKind::Name(role);
            names.push((update && !settable, Completion { text: thing.name.clone(), kind, detail }));
        }
        names.sort_by(|(a_last, a), (b_last, b)| (a_last, &a.text).cmp(&(b_last, &b.text)));
        names.dedup_by(|a, b| a.1.text == b.1.text);
        all.extend(names.into_iter().map(|(_, name)| name));
        let future = |op: &UnaryOp| self.language != SpecLanguage::Tlsf || !op.is_past();
        let known_here = |op: &BinaryOp| match self.language {
            SpecLanguage::Tsl => true,
            SpecLanguage::Ltl => *op != BinaryOp::AsSoonAs,
            SpecLanguage::Tlsf => matches!(op, BinaryOp::Until | BinaryOp::WeakUntil | BinaryOp::Release),
        };
        let prefixes =
            PREFIXES.iter().filter(|op| future(op)).map(|op| (op.spelling(), sentence::unary(*op)));
        let infixes =
            INFIXES.iter().filter(|op| known_here(op)).map(|op| (op.spelling(), sentence::binary(*op)));
        all.extend(prefixes.chain(infixes).map(|(text, (name, meaning))| Completion {
            text: text.into(),
            kind: CompletionKind::Operator,
            detail: format!("{name}: {}", meaning.replace('`', "")),
        }));
        let durations = [UnaryOp::Finally, UnaryOp::Globally].map(|op| {
            (format!("{} {}", op.spelling(), op.time_word().unwrap_or_default()), sentence::timed(op))
        });
        let every = ("every".to_owned(), sentence::EVERY);
        let is_tsl = self.language == SpecLanguage::Tsl;
        all.extend(durations.into_iter().chain([every]).filter(|_| is_tsl).map(|(text, (name, meaning))| {
            let detail = format!("{name}: {}", meaning.replace('`', ""));
            Completion { text, kind: CompletionKind::Operator, detail }
        }));
        for text in ["true", "false"] {
            all.push(Completion {
                text: text.into(),
                kind: CompletionKind::Keyword,
                detail: "constant".into(),
            });
        }
    }

    /// Whether the target of an update is expected.
    fn after_bracket(&self, offset: usize) -> bool {
        let before = self.words.partition_point(|word| word.range.end < offset);
        let typed = self.words.get(before).filter(|w| w.kind == WordKind::Name && w.range.start < offset);
        let last = if typed.is_some() {
            before.checked_sub(1)
        } else {
            self.words.partition_point(|word| word.range.end <= offset).checked_sub(1)
        };
        last.is_some_and(|i| &self.text[self.words[i].range.clone()] == "[")
    }
}
