//! A pattern for the texts that a model may write in a state: texts that contain no prompt.
//!
//! A text is cut into characters that begin no prompt and into beginnings, which are nonempty proper prefixes of
//! prompts. Let `A` be the set of the first characters of prompts. A beginning is followed by a character outside of
//! `A` that does not continue it (`broken`), or by another beginning if no character of `A` continues it (`open`), or
//! by the end of the text (`any`). The texts are then `([^A] | open* broken)* open* any?`. A character also counts as
//! continuing a beginning if it continues a suffix that is itself a beginning. The pattern needs no look-around and
//! matches no text with a prompt in it, but it also excludes some texts without prompts, such as `Final T` before a
//! capital letter that begins a prompt. White space that occurs in no prompt separates a text from the next prompt, so
//! that no prompt spans the two.

use super::pattern::CharPattern;
use std::collections::{BTreeMap, BTreeSet};

/// The beginnings of the prompts of an agent.
pub(super) struct PromptBeginnings {
    /// Each prefix of a prompt, with the characters that continue one of its nonempty suffixes to a longer prefix.
    continued: BTreeMap<Vec<char>, BTreeSet<char>>,
    /// Prefixes of prompts that contain a prompt.
    forbidden: BTreeSet<Vec<char>>,
    /// Characters that begin a prompt.
    first: BTreeSet<char>,
    prompts: Vec<Vec<char>>,
    /// White space that is in no prompt.
    separator: char,
}

impl PromptBeginnings {
    /// `None` if line feed, tab and blank each occur in some prompt, so that none can be the separator.
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

    /// The characters that continue a nonempty suffix of the text to a longer prefix of a prompt.
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

    /// The prefixes of prompts that are one character longer, without those that contain a prompt.
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

    /// The `broken` texts after a beginning: possibly more of the prompt, then a character that does not continue it.
    fn broken(&self, beginning: &[char]) -> CharPattern {
        let end = self.not(&self.continued[beginning]);
        let more = self
            .longer(beginning)
            .map(|(c, longer)| CharPattern::seq([CharPattern::text(&c.to_string()), self.broken(&longer)]));
        CharPattern::alt([end].into_iter().chain(more))
    }

    /// The `open` texts after a beginning: possibly more of the prompt, such that another beginning may follow; `None`
    /// if there are none.
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

    /// The `any` texts after a beginning: possibly more of the prompt, then the end of the text.
    fn any(&self, beginning: &[char]) -> CharPattern {
        let more: Vec<CharPattern> = self
            .longer(beginning)
            .map(|(c, longer)| CharPattern::seq([CharPattern::text(&c.to_string()), self.any(&longer)]))
            .collect();
        if more.is_empty() { CharPattern::text("") } else { CharPattern::alt(more).opt() }
    }

    /// The texts described at the top of this file, in front of the separator or the end of a run.
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

    /// The texts that may follow `prompt`: up to and with the separator before the next prompt, or, if `is_end`, up to
    /// the end of the run.
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
        // A suffix of the prompt and the text could form another prompt: the first character must not continue a
        // suffix.
        let first = CharPattern::seq([self.not(&continued), rest]);
        if is_end { first.opt() } else { CharPattern::alt([CharPattern::text(&end), first]) }
    }
}
