//! The words of an explanation of a law, split into a condition and a main clause, and the names that these mention.

use super::ground::{bare, parts, stem};
use std::ops::Range;

/// A word of an explanation.
#[derive(Clone, Debug)]
pub(super) struct ExplanationWord {
    pub(super) text: String,
    stem: String,
    /// Whether only blanks and hyphens separate it from the word before.
    joined: bool,
}

/// The form of the condition of an explanation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ExplanationKind {
    /// `C: do A`, `if C, do A`, `do A if C`
    If,
    /// `do not A unless C`, `do not A without C`
    Unless,
    /// There is no condition that could be distinguished from the rest.
    None,
}

/// An explanation split into its condition and its main clause.
#[derive(Clone, Debug)]
pub(super) struct LawExplanation {
    words: Vec<ExplanationWord>,
    pub(super) kind: ExplanationKind,
    condition: Range<usize>,
    main: Range<usize>,
    /// Pairs of stems that the explanation uses as synonyms.
    aliases: Vec<(String, String)>,
}

const NEGATIONS: &[&str] = &[
    "not",
    "don't",
    "dont",
    "cannot",
    "can't",
    "never",
    "mustn't",
    "shouldn't",
    "avoid",
    "forbidden",
    "prohibited",
];
/// Words that refer to things that were named before, or that the action needs.
const PRONOUNS: &[&str] = &["one", "it", "them", "they", "ones", "owned", "already"];
/// Words for everything that an action needs.
const WHOLE: &[&str] = &[
    "material",
    "ingredient",
    "resource",
    "requirement",
    "prerequisite",
    "precondition",
    "component",
    "supplies",
    "everything",
    "needed",
    "necessary",
];
/// Words of names that explanations often omit or paraphrase.
const LIGHT: &[&str] = &[
    "has", "have", "had", "is", "are", "was", "the", "a", "an", "near", "in", "at", "of", "to", "any", "ok",
    "done", "valid", "been",
];
/// The rest of a name from one of these words on describes a place.
const PLACES: &[&str] = &["in", "at", "on", "within", "inside"];

impl LawExplanation {
    /// Splits a text; `None` if it explains nothing: a remark in parentheses, or no words.
    pub(super) fn new(text: &str) -> Option<Self> {
        let text = text.trim();
        if text.is_empty() || text.starts_with('(') && text.ends_with(')') {
            return None;
        }
        let mut words: Vec<ExplanationWord> = Vec::new();
        let (mut colon, mut commas) = (None, Vec::new());
        let mut current = String::new();
        let mut joined = false;
        for c in text.chars().chain([' ']) {
            if c.is_alphanumeric() || c == '\'' || c == '’' || c == '_' {
                current.push(if c == '’' { '\'' } else { c });
                continue;
            }
            if !current.is_empty() {
                let lower = current.to_lowercase();
                words.push(ExplanationWord { stem: stem(&lower), text: lower, joined });
                current.clear();
                joined = true;
            }
            match c {
                ':' if colon.is_none() => colon = Some(words.len()),
                ',' => commas.push(words.len()),
                _ => {}
            }
            joined &= c.is_whitespace() || c == '-';
        }
        if words.is_empty() {
            return None;
        }
        let n = words.len();
        let find = |list: &[&str]| words.iter().position(|word| list.contains(&word.text.as_str()));
        let (kind, condition, main) = if let Some(at) = colon.filter(|at| *at > 0 && *at < n) {
            (ExplanationKind::If, 0..at, at..n)
        } else if let Some(at) = find(&["unless", "without"]).filter(|at| *at > 0) {
            (ExplanationKind::Unless, at + 1..n, 0..at)
        } else if matches!(words[0].text.as_str(), "if" | "when" | "whenever") {
            match commas.last().copied().or_else(|| find(&["then"])) {
                Some(at) if at < n => (ExplanationKind::If, 1..at, at..n),
                _ => (ExplanationKind::None, 0..n, 0..n),
            }
        } else if let Some(at) = find(&["if", "when", "whenever"]) {
            (ExplanationKind::If, at + 1..n, 0..at)
        } else {
            (ExplanationKind::None, 0..n, 0..n)
        };
        Some(Self { words, kind, condition, main, aliases: Vec::new() })
    }

    fn part(&self, range: &Range<usize>) -> &[ExplanationWord] {
        self.words.get(range.clone()).unwrap_or_default()
    }
    /// Whether the main clause is negated.
    pub(super) fn forbids(&self) -> bool {
        let main = self.part(&self.main);
        let negated = |word: &ExplanationWord| NEGATIONS.contains(&word.text.as_str());
        main.iter().any(negated) || main.first().is_some_and(|word| word.text == "no")
    }
    /// Whether the condition refers to everything that an action needs.
    pub(super) fn speaks_of_all(&self) -> bool {
        let whole: Vec<String> = WHOLE.iter().map(|word| stem(word)).collect();
        self.part(&self.condition).iter().any(|word| whole.contains(&word.stem))
    }
    /// The words in which names of the condition are searched: all words if the condition refers to the rest by a
    /// pronoun.
    fn of_condition(&self) -> &[ExplanationWord] {
        let condition = self.part(&self.condition);
        let refers = condition.iter().any(|word| PRONOUNS.contains(&word.text.as_str()));
        if refers { &self.words } else { condition }
    }

    /// Learns synonyms from the main clause: if one word of it and one word of the action's name remain unmatched, they
    /// are synonyms.
    pub(super) fn learn(&mut self, action: &str, names: &[&str]) {
        let wanted = content(action);
        let light = |word: &ExplanationWord| {
            LIGHT.contains(&word.text.as_str()) || PRONOUNS.contains(&word.text.as_str())
        };
        let main: Vec<ExplanationWord> =
            self.part(&self.main).iter().filter(|word| !light(word)).cloned().collect();
        if !main.iter().any(|word| wanted.contains(&word.stem)) {
            return;
        }
        let said: Vec<&ExplanationWord> =
            main.iter().filter(|word| !wanted.iter().any(|w| alike(w, &word.stem))).collect();
        let unsaid: Vec<&String> =
            wanted.iter().filter(|w| !main.iter().any(|word| alike(w, &word.stem))).collect();
        if let ([said], [unsaid]) = (said.as_slice(), unsaid.as_slice()) {
            self.aliases.push((said.stem.clone(), (*unsaid).clone()));
        }
        // `cobblestone` makes `cobble` and `stone` synonyms, if both are words of names.
        let known: Vec<String> = names.iter().flat_map(|name| content(name)).collect();
        for word in &main {
            for last in &known {
                if let Some(first) = word.stem.strip_suffix(last.as_str())
                    && let Some(first) = known.iter().find(|known| **known == stem(first))
                {
                    self.aliases.push((first.clone(), last.clone()));
                }
            }
        }
    }

    fn is_said(&self, wanted: &str, among: &[ExplanationWord]) -> bool {
        let has = |wanted: &str| among.iter().any(|word| alike(wanted, &word.stem));
        has(wanted)
            || self.aliases.iter().any(|(a, b)| alike(a, wanted) && has(b) || alike(b, wanted) && has(a))
    }

    /// Whether the condition mentions an atom: more than half of its words, or its noun without a preceding word that
    /// makes it another name (`pickaxe`, not `wooden pickaxe`).
    pub(super) fn mentions(&self, atom: &str, names: &[&str]) -> bool {
        self.mentioned_in(atom, names, self.of_condition())
    }
    fn mentioned_in(&self, atom: &str, names: &[&str], among: &[ExplanationWord]) -> bool {
        let wanted = content(atom);
        let said = wanted.iter().filter(|word| self.is_said(word, among)).count();
        if said * 2 > wanted.len() || wanted.is_empty() {
            return true;
        }
        let Some(thing) = thing(atom) else { return false };
        let makes_another: Vec<String> = names
            .iter()
            .filter_map(|name| {
                let words = content(name);
                let at = words.iter().position(|word| *word == thing);
                at.and_then(|at| at.checked_sub(1)).map(|at| words[at].clone())
            })
            .collect();
        among.iter().enumerate().any(|(at, word)| {
            let before = at.checked_sub(1).filter(|_| word.joined).map(|at| &among[at].stem);
            alike(&thing, &word.stem)
                && !before.is_some_and(|word| makes_another.iter().any(|a| alike(a, word)))
        })
    }
    /// Whether the main clause mentions an action.
    pub(super) fn acts(&self, action: &str) -> bool {
        let main = self.part(&self.main);
        content(action).iter().any(|word| self.is_said(word, main))
    }

    /// For a condition that uses only `and` or only `or`, with as many parts as atoms: whether it is a conjunction, and
    /// the atom of each part.
    pub(super) fn sign<'a>(&self, atoms: &[&'a str]) -> Option<(bool, Vec<&'a str>)> {
        let condition = self.part(&self.condition);
        let is = |word: &ExplanationWord, sign: &str| word.text == sign;
        let conjunction = condition.iter().any(|word| is(word, "and"));
        if conjunction == condition.iter().any(|word| is(word, "or"))
            || condition.iter().any(|word| NEGATIONS.contains(&word.text.as_str()) || is(word, "no"))
        {
            return None;
        }
        // Commas separate parts as well.
        let mut pieces: Vec<Vec<ExplanationWord>> = vec![Vec::new()];
        for word in condition {
            if is(word, "and") || is(word, "or") || !word.joined {
                pieces.push(Vec::new());
            }
            if !is(word, "and") && !is(word, "or") {
                pieces.last_mut()?.push(word.clone());
            }
        }
        pieces.retain(|piece| !piece.is_empty());
        if pieces.len() != atoms.len() {
            return None;
        }
        let mut free: Vec<&str> = atoms.to_vec();
        let mut found = Vec::new();
        for piece in &pieces {
            let score = |atom: &str| {
                let words = content(atom);
                let said = words.iter().filter(|word| self.is_said(word, piece)).count();
                (said * 60) / words.len().max(1)
            };
            let best = free.iter().copied().max_by_key(|atom| score(atom)).filter(|atom| score(atom) > 0)?;
            free.retain(|atom| *atom != best);
            found.push(best);
        }
        Some((conjunction, found))
    }
}

/// Equal stems, or one is a prefix of the other: `wood` and `wooden`.
fn alike(a: &str, b: &str) -> bool {
    const SHORTEST: usize = 4;
    let begins = |long: &str, short: &str| short.len() >= SHORTEST && long.starts_with(short);
    a == b || begins(a, b) || begins(b, a)
}

/// The stems of the words of a name, without light words, amounts and places.
fn content(name: &str) -> Vec<String> {
    let words = parts(bare(name));
    let end = words
        .iter()
        .skip(1)
        .position(|word| PLACES.contains(&word.as_str()))
        .map_or(words.len(), |at| at + 1);
    let is_amount = |word: &str| word.starts_with(|c: char| c.is_ascii_digit());
    let kept = words[..end].iter().filter(|word| !LIGHT.contains(&word.as_str()) && !is_amount(word));
    kept.map(|word| stem(word)).collect()
}

/// The noun of a name: its last word that is no light word, amount, place or participle.
fn thing(name: &str) -> Option<String> {
    let words = parts(bare(name));
    let end = words
        .iter()
        .skip(1)
        .position(|word| PLACES.contains(&word.as_str()))
        .map_or(words.len(), |at| at + 1);
    let nouns = words[..end].iter().rev();
    nouns
        .filter(|word| !LIGHT.contains(&word.as_str()) && !word.starts_with(|c: char| c.is_ascii_digit()))
        .find(|word| !word.ends_with("ed"))
        .map(|word| stem(word))
}
