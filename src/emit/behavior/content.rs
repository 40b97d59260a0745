//! The texts that a model may write in a state, as a pattern: those in which no prompt is found.
//!
//! A text is cut into characters that begin no prompt, and beginnings of prompts that go on differently. Let `A` be the first
//! characters of prompts. A proper beginning of a prompt is followed either by a character outside of `A` that does not
//! continue it (`broken`), or, where no character of `A` could continue it, by another beginning (`open`), or it stands at the
//! end (`any`). Then the texts are `([^A] | open* broken)* open* any?`, where what could continue a beginning counts all of its suffixes that begin prompts
//! themselves. This is without look-around, leaves out texts such as `Final T` before a capital that begins a prompt, and
//! lets no prompt through. Before a prompt stands white space that is in no prompt, so that nothing arises across the seam.

use super::pattern::CharPattern;
use std::collections::{BTreeMap, BTreeSet};

/// The beginnings of the prompts of an agent.
pub(super) struct PromptBeginnings {
    /// Each beginning, the empty one included, with the characters that may continue it or one of its suffixes.
    continued: BTreeMap<Vec<char>, BTreeSet<char>>,
    /// Beginnings in which a prompt is found.
    forbidden: BTreeSet<Vec<char>>,
    /// Characters that begin a prompt.
    first: BTreeSet<char>,
    prompts: Vec<Vec<char>>,
    /// White space that is in no prompt.
    separator: char,
}

impl PromptBeginnings {
    /// `None` if every white space is in some prompt.
    pub(super) fn new<'p>(prompts: impl IntoIterator<Item = &'p str>) -> Option<Self> {
        let prompts: Vec<Vec<char>> = prompts.into_iter().map(|prompt| prompt.chars().collect()).collect();
        let separator =
            ['\n', '\t', ' '].into_iter().find(|c| prompts.iter().all(|prompt| !prompt.contains(c)))?;
        let first: BTreeSet<char> = prompts.iter().filter_map(|prompt| prompt.first().copied()).collect();
        let mut contents =
            Self { continued: BTreeMap::new(), forbidden: BTreeSet::new(), first, prompts, separator };
        for prompt in contents.prompts.clone() {
            for length in 0..=prompt.len() {
                let beginning = &prompt[..length];
                let found =
                    contents.prompts.iter().any(|other| beginning.windows(other.len()).any(|w| w == other));
                if found {
                    contents.forbidden.insert(beginning.to_vec());
                }
                contents.continued.insert(beginning.to_vec(), contents.next(beginning));
            }
        }
        Some(contents)
    }

    /// What could continue a suffix of a text, which is not empty, to a longer beginning of a prompt.
    fn next(&self, text: &[char]) -> BTreeSet<char> {
        let mut next = BTreeSet::new();
        for prompt in &self.prompts {
            for length in 1..prompt.len() {
                if text.ends_with(&prompt[..length]) {
                    next.insert(prompt[length]);
                }
            }
        }
        next
    }

    /// The beginnings that are one character longer, without those in which a prompt is found.
    fn longer<'c>(&'c self, beginning: &'c [char]) -> impl Iterator<Item = (char, Vec<char>)> + 'c {
        let after: BTreeSet<char> = self
            .prompts
            .iter()
            .filter(|prompt| prompt.len() > beginning.len() && prompt.starts_with(beginning))
            .map(|prompt| prompt[beginning.len()])
            .collect();
        after.into_iter().filter_map(move |c| {
            let longer = [beginning, &[c]].concat();
            (!self.forbidden.contains(&longer)).then_some((c, longer))
        })
    }

    fn not(&self, more: &BTreeSet<char>) -> CharPattern {
        CharPattern::Not(self.first.union(more).copied().collect())
    }

    /// What may stand after a beginning: a character that ends it, or more of it.
    fn broken(&self, beginning: &[char]) -> CharPattern {
        let end = self.not(&self.continued[beginning]);
        let more = self
            .longer(beginning)
            .map(|(c, longer)| CharPattern::seq([CharPattern::text(&c.to_string()), self.broken(&longer)]));
        CharPattern::alt([end].into_iter().chain(more))
    }

    /// What may stand after a beginning so that another beginning may follow; `None` if nothing.
    fn open(&self, beginning: &[char]) -> Option<CharPattern> {
        let more: Vec<CharPattern> = self
            .longer(beginning)
            .filter_map(|(c, longer)| {
                Some(CharPattern::seq([CharPattern::text(&c.to_string()), self.open(&longer)?]))
            })
            .collect();
        let ends = self.continued[beginning].is_disjoint(&self.first);
        match (ends, more.is_empty()) {
            (true, true) => Some(CharPattern::text("")),
            (true, false) => Some(CharPattern::alt(more).opt()),
            (false, true) => None,
            (false, false) => Some(CharPattern::alt(more)),
        }
    }

    /// More of a beginning, or nothing: at the end of a text.
    fn any(&self, beginning: &[char]) -> CharPattern {
        let more: Vec<CharPattern> = self
            .longer(beginning)
            .map(|(c, longer)| CharPattern::seq([CharPattern::text(&c.to_string()), self.any(&longer)]))
            .collect();
        if more.is_empty() { CharPattern::text("") } else { CharPattern::alt(more).opt() }
    }

    /// All texts without prompts, in front of the separator or the end.
    fn free(&self) -> CharPattern {
        let begins: Vec<(char, Vec<char>)> = self.longer(&[]).collect();
        let each = |c: char, rest| CharPattern::seq([CharPattern::text(&c.to_string()), rest]);
        let broken: Vec<CharPattern> = begins.iter().map(|(c, b)| each(*c, self.broken(b))).collect();
        let open: Vec<CharPattern> =
            begins.iter().filter_map(|(c, b)| Some(each(*c, self.open(b)?))).collect();
        let plain = CharPattern::Not(self.first.clone());
        if broken.is_empty() {
            return plain.star();
        }
        let broken = CharPattern::alt(broken);
        let end = self.any(&[]);
        if open.is_empty() {
            return CharPattern::seq([CharPattern::alt([plain, broken]).star(), end]);
        }
        let open = CharPattern::alt(open).star();
        let steps = CharPattern::alt([plain, CharPattern::seq([open.clone(), broken])]).star();
        CharPattern::seq([steps, open, end])
    }

    /// What may stand after a prompt up to another prompt, which ends in the separator; or at the end of a run.
    pub(super) fn after(&self, prompt: &str, one_of: &[String], is_end: bool) -> CharPattern {
        let end = if is_end { String::new() } else { self.separator.to_string() };
        if !one_of.is_empty() {
            let blank = if prompt.ends_with([' ', '\t', '\n', '\r']) { "" } else { " " };
            let texts = CharPattern::alt(one_of.iter().map(|text| CharPattern::text(text)));
            return CharPattern::seq([CharPattern::text(blank), texts, CharPattern::text(&end)]);
        }
        let chars: Vec<char> = prompt.chars().collect();
        let continued = self.next(&chars);
        let whole = CharPattern::Named("text".into(), std::rc::Rc::new(self.free()));
        let rest = CharPattern::seq([whole, CharPattern::text(&end)]);
        if continued.is_empty() {
            return rest;
        }
        // The prompt with the text could make another one: the first character rules that out.
        let first = CharPattern::seq([self.not(&continued), rest]);
        if is_end { first.opt() } else { CharPattern::alt([CharPattern::text(&end), first]) }
    }
}
