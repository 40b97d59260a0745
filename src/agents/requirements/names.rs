//! The names that stand for phrases, and who decides about them.

use super::phrase::{Phrase, phrase};
use super::unread::sign;
use super::verbs::{is_present_of, verb_of};
use super::words::{bare, is_name, is_quantifier};
use std::collections::{BTreeMap, BTreeSet};
use tsl_synth_ltl::operators::reserved_word;

/// Who decides about what a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    /// The environment.
    Input,
    /// The system.
    Output,
}

/// A name with its phrase.
#[derive(Clone, Debug)]
struct Named {
    name: String,
    phrase: String,
    side: Side,
    /// Whether the side was declared.
    is_fixed: bool,
    /// The words without those that say how many, in the singular.
    counted: Vec<String>,
    /// The words as they are compared; none if the name was given to several phrases.
    key: Option<String>,
}

/// What is done, with those who shall do it.
pub(super) type Responses = BTreeMap<Vec<String>, BTreeSet<Vec<String>>>;

/// The names so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    all: Vec<Named>,
    /// Phrases that were given a name, in their plain form.
    given: BTreeMap<String, String>,
    /// Sides that were declared.
    sides: BTreeMap<String, Side>,
    /// All responses of the text: of two that do the same, each has a name of its own.
    responses: Responses,
}

/// Words of declarations in TSL that are no names, and `not`, `and`, `or`; [`reserved_word`] has the others.
const RESERVED: [&str; 14] = [
    "input",
    "output",
    "cell",
    "function",
    "predicate",
    "import",
    "as",
    "type",
    "enum",
    "def",
    "let",
    "not",
    "and",
    "or",
];

fn is_reserved(name: &str) -> bool {
    reserved_word(name).is_some() || RESERVED.contains(&name)
}

impl Names {
    /// No names, with the responses of the whole text.
    pub(super) fn with(responses: Responses) -> Self {
        Self { responses, ..Self::default() }
    }

    /// The responses so far, with those who shall do them.
    pub(super) fn into_responses(self) -> Responses {
        self.responses
    }

    /// Reads `NAME = phrase | phrase`, `input NAME` and `output NAME`; `false` for other lines.
    pub(super) fn declared(&mut self, line: &str) -> bool {
        if let Some((name, phrases)) = line.split_once('=') {
            let name = name.trim();
            if !is_name(name) || is_reserved(name) {
                return false;
            }
            for phrase in phrases.split('|') {
                self.given.insert(bare(phrase.trim().trim_end_matches('.')).join(" "), name.to_string());
            }
            return true;
        }
        for (word, side) in [("input ", Side::Input), ("output ", Side::Output)] {
            let Some(list) = line.strip_prefix(word) else { continue };
            let names: Vec<&str> = list.trim_end_matches([';', '.']).split(',').map(str::trim).collect();
            if names.iter().all(|name| is_name(name)) {
                for name in names {
                    self.sides.insert(name.to_string(), side);
                    if let Some(known) = self.all.iter_mut().find(|known| known.name == name) {
                        (known.side, known.is_fixed) = (side, true);
                    }
                }
                return true;
            }
        }
        false
    }

    /// The names of a side with their phrases, in the order in which they occur.
    pub(super) fn of(&self, side: Side) -> Vec<(String, String)> {
        let own = self.all.iter().filter(|named| named.side == side);
        own.map(|named| (named.name.clone(), named.phrase.clone())).collect()
    }

    /// Whether a word is a name that is known, or that was given or declared.
    pub(super) fn knows(&self, word: &str) -> bool {
        self.all.iter().any(|named| named.name.eq_ignore_ascii_case(word))
            || self.sides.keys().any(|name| name.eq_ignore_ascii_case(word))
            || self.given.contains_key(&word.to_lowercase())
            || self.given.values().any(|name| name.eq_ignore_ascii_case(word))
    }

    /// Whether a phrase was given a name.
    pub(super) fn is_given(&self, phrase: &str) -> bool {
        self.given.contains_key(&bare(phrase).join(" "))
    }

    /// Reads a phrase; one that was given a name is read as it is.
    fn phrase(&self, text: &str) -> Result<Phrase, String> {
        if !self.is_given(text) {
            return phrase(text);
        }
        Ok(Phrase { words: bare(text), is_negated: false, change: None, has: false, sign: None })
    }

    /// The literal of a phrase of a condition.
    pub(super) fn of_condition(&mut self, text: &str, side: Side) -> Result<String, String> {
        let read = self.phrase(text)?;
        if let Some(subjects) = self.responses.get(&read.words).filter(|subjects| subjects.len() > 1) {
            let all: Vec<String> =
                subjects.iter().map(|subject| format!("the {}", subject.join(" "))).collect();
            return Err(format!("expected who does `{}`: {}", text.trim(), all.join(" or ")));
        }
        let words = self.done_by_a_system(&read.words).unwrap_or_else(|| read.words.clone());
        self.literal(&words, &read, text, side)
    }

    /// Whether somebody shall do what one word says.
    pub(super) fn is_done(&self, word: &str) -> bool {
        self.responses.contains_key(&vec![word.to_lowercase()])
    }

    /// The literal of what a subject shall do; or shall be, if the subject is part of the name.
    pub(super) fn of_response(
        &mut self,
        text: &str,
        subject: &[String],
        is_state: bool,
    ) -> Result<String, String> {
        let mut read = self.phrase(text)?;
        // `be running` is `run`, if no name was given to it.
        let state = [subject, read.words.as_slice()].concat().join(" ");
        let is_free = is_state && read.words.len() == 1 && !self.given.contains_key(&state);
        let verb = read.words.first().filter(|_| is_free).and_then(|word| verb_of(word));
        read.words = verb.map_or(read.words, |verb| vec![verb.to_string()]);
        let words = if is_state && verb.is_none() {
            [subject, read.words.as_slice()].concat()
        } else {
            let all = self.responses.entry(read.words.clone()).or_default();
            all.insert(subject.to_vec());
            self.words_of(&read.words, subject)
        };
        if words.len() > read.words.len() {
            read.sign = read.sign.or_else(|| sign(&subject.join(" ")));
        }
        if read.change.is_some() {
            return Err(format!(
                "expected what is to hold or to be done, and no change, in place of `{}`",
                text.trim()
            ));
        }
        self.literal(&words, &read, text, Side::Output)
    }

    /// The words of the name of a response: with the subject, if another one does the same.
    fn words_of(&self, done: &[String], subject: &[String]) -> Vec<String> {
        match self.responses.get(done) {
            Some(subjects) if subjects.len() > 1 => [subject, done].concat(),
            _ => done.to_vec(),
        }
    }

    /// The words of the name of `the pump runs` or `the pump is running`, where the pump shall run.
    fn done_by_a_system(&self, words: &[String]) -> Option<Vec<String>> {
        self.responses.iter().find_map(|(done, subjects)| {
            let subject = subjects.iter().find(|subject| {
                let Some(rest) = words.strip_prefix(subject.as_slice()) else { return false };
                let (Some((verb, object)), Some((said, about))) = (done.split_first(), rest.split_first())
                else {
                    return false;
                };
                object == about && is_present_of(said, verb)
            })?;
            Some(self.words_of(done, subject))
        })
    }

    /// The literal of the name of words, which becomes known.
    fn literal(&mut self, words: &[String], read: &Phrase, text: &str, side: Side) -> Result<String, String> {
        let name = name_of(words);
        let known = self.all.iter().map(|named| &named.name).chain(self.sides.keys());
        let spelled = known.into_iter().find(|known| known.eq_ignore_ascii_case(&name)).cloned();
        let given = [words, &read.words].iter().find_map(|words| self.given.get(&words.join(" "))).cloned();
        let key = given.is_none().then(|| key(words, read.has));
        if let Some(sign) = read.sign.as_ref().filter(|_| given.is_none()) {
            return Err(format!(
                "expected words in place of the sign `{sign}`, or a name for the phrase in a line of its own: `NAME = {}`",
                text.trim()
            ));
        }
        let name = given.or(spelled).unwrap_or(name);
        let other = self.all.iter().find(|known| known.name == name).filter(|known| known.key != key);
        if let Some(other) = other.filter(|other| other.key.is_some() && key.is_some()) {
            return Err(format!(
                "expected different words for different things: `{}` and `{}` would both be named `{name}`; a line `NAME = \
                 phrase` gives a name to one of them, `NAME = phrase | phrase` the same name to both",
                other.phrase,
                text.trim()
            ));
        }
        let plain: Vec<String> =
            words.iter().filter(|word| !is_quantifier(word)).map(|word| singular(word)).collect();
        let has_count = words.iter().any(|word| is_quantifier(word));
        let clash = self.all.iter().find(|known| {
            let same = known.counted == plain;
            known.name != name && same && (has_count || known.phrase_counts())
        });
        if let Some(clash) = clash {
            return Err(format!(
                "expected one of `{}` and `{}`: how the two depend on each other is not said",
                clash.phrase,
                text.trim()
            ));
        }
        match self.all.iter_mut().find(|known| known.name == name) {
            // What the system shall do is its own, also where it is a condition elsewhere.
            Some(known) if side == Side::Output && !known.is_fixed => known.side = Side::Output,
            Some(_) => {}
            None => {
                let fixed = self.sides.get(&name).copied();
                self.all.push(Named {
                    name: name.clone(),
                    phrase: text.trim().to_string(),
                    side: fixed.unwrap_or(side),
                    is_fixed: fixed.is_some(),
                    counted: plain,
                    key,
                });
            }
        }
        Ok(match read.change {
            Some(change) => change.of(&name),
            None if read.is_negated => format!("!{name}"),
            None => name,
        })
    }
}

impl Named {
    fn phrase_counts(&self) -> bool {
        self.phrase.split_whitespace().any(is_quantifier)
    }
}

fn singular(word: &str) -> String {
    word.strip_suffix('s').filter(|rest| rest.len() > 2).unwrap_or(word).to_string()
}

/// The words of a phrase as they are compared: two phrases with the same name and different keys are different things.
/// A hyphen or an underscore between words of letters is a blank.
fn key(words: &[String], has: bool) -> String {
    let mut key = String::from(if has { "has:" } else { "" });
    for word in words {
        let parts: Vec<&str> = word.split(['-', '_']).collect();
        let is_compound =
            parts.iter().all(|part| part.chars().all(char::is_alphanumeric) && !part.is_empty());
        let is_joined = word.contains('_') || parts.iter().all(|part| part.len() > 1);
        let word = if is_compound && is_joined { parts.join(" ") } else { word.clone() };
        key.push(' ');
        key.push_str(&word.to_lowercase());
    }
    key
}

/// Letters outside ASCII in ASCII; others by their number.
fn transliterated(c: char) -> String {
    const LETTERS: [(&str, &str); 22] = [
        ("ä\u{e6}", "ae"),
        ("ö\u{f8}\u{153}", "oe"),
        ("ü", "ue"),
        ("ß", "ss"),
        ("áàâãåăāą", "a"),
        ("éèêëěęēė", "e"),
        ("íìîïīįı", "i"),
        ("óòôõőō", "o"),
        ("úùûůűū", "u"),
        ("ýÿ", "y"),
        ("ñńňņ", "n"),
        ("çčćċ", "c"),
        ("šśşș", "s"),
        ("žźż", "z"),
        ("ł", "l"),
        ("đð", "d"),
        ("ďḍ", "d"),
        ("ř", "r"),
        ("ťţț", "t"),
        ("ğģ", "g"),
        ("ķ", "k"),
        ("þ", "th"),
    ];
    let found = LETTERS.iter().find(|(letters, _)| letters.contains(c));
    found.map_or_else(|| format!("u{:x}", u32::from(c)), |(_, ascii)| (*ascii).to_string())
}

fn name_of(words: &[String]) -> String {
    let mut name = String::new();
    for word in words {
        let mut clean = String::new();
        for c in word.chars() {
            match c {
                c if c.is_ascii_alphanumeric() || c == '_' => clean.push(c),
                '%' => clean.push('p'),
                c if c.is_alphanumeric() => clean.push_str(&transliterated(c)),
                _ => clean.push('_'),
            }
        }
        let clean = clean.trim_matches('_').to_string();
        if clean.is_empty() {
            continue;
        }
        if !name.is_empty() {
            name.push('_');
        }
        name.push_str(&clean);
    }
    if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) || is_reserved(&name) {
        name.insert_str(0, "p_");
    }
    name
}
