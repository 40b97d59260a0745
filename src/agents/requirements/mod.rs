//! Translation of requirements in English to LTL without a language model: EARS sentences (Mavin et al., "Easy approach to requirements syntax", RE
//! 2009) and the sentences of specification patterns (Dwyer, Avrunin and Corbett, ICSE 1999; Konrad and Cheng, ICSE 2005).
//!
//! | sentence | formula |
//! |---|---|
//! | `The S shall R.` | `G R` |
//! | `While P, the S shall R.` | `G (P -> R)` |
//! | `When T, the S shall R.`, `If T, then the S shall R.` | `G (T -> F R)` |
//! | `Where F, ..` | `F` is one more condition |
//! | `.. shall R within N steps`, `immediately`, `in the next step`, `until C`, `before C`, `for N steps` | in place of `F R` |
//! | `Globally`, `Before R`, `After Q`, `Between Q and R`, `After Q until R` | the scopes of the patterns |
//!
//! A sentence is read only if each of its words is understood: words that change its meaning and are not read at their place,
//! such as pronouns, counts and exceptions, are never part of a name.
//!
//! What holds is named by its phrase: `the valve is open` is `valve_open`. `NAME = phrase | phrase` in a line of its own
//! gives a name to phrases. Conditions are inputs and responses of the system are outputs; `input NAME` and `output NAME`
//! in lines of their own say otherwise.

mod changes;
mod condition;
mod ears;
mod names;
mod pattern;
mod phrase;
#[cfg(test)]
mod tests;
mod text;
mod timing;
mod unread;
mod verbs;
mod words;

use names::{Names, Responses, Side};
use std::collections::BTreeSet;
use std::fmt::Write;

/// A sentence that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Requirement {
    /// The number of its line, from 1.
    pub line: usize,
    /// The sentence.
    pub sentence: String,
    /// Its formula in LTL.
    pub formula: String,
    /// How it was understood where it has several readings.
    pub note: Option<String>,
}

/// A sentence that was not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnreadSentence {
    /// The number of its line, from 1.
    pub line: usize,
    /// The sentence.
    pub sentence: String,
    /// What was expected.
    pub expected: String,
}

/// The requirements of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Requirements {
    /// The sentences that were read, in order.
    pub read: Vec<Requirement>,
    /// Those that were not.
    pub unread: Vec<UnreadSentence>,
    /// The names of conditions, with the phrases that they stand for.
    pub inputs: Vec<(String, String)>,
    /// The names of responses, with the phrases that they stand for.
    pub outputs: Vec<(String, String)>,
}

/// What a sentence is expected to be.
const EXPECTED: &str = "expected `When .., the SYSTEM shall ..`, `While .., the SYSTEM shall ..`, `If .., then the SYSTEM \
                        shall ..`, `The SYSTEM shall ..`, or a pattern such as `It is always the case that if .. then .. \
                        eventually holds`";

/// The formula of a sentence, with a remark on how it was understood.
type Formula = (String, Option<String>);

/// Reads the sentences of a text. Empty lines and lines that begin with `#` are skipped; a line that begins with blanks goes
/// on the sentence before it.
pub fn read_requirements(text: &str) -> Requirements {
    let text = text.replace(['\u{2019}', '\u{2018}', '\u{2bc}'], "'").replace(['\u{201c}', '\u{201d}'], "\"");
    // What is done by whom has to be known before the first name is made.
    let (_, responses) = read_with(&text, Responses::default());
    read_with(&text, responses).0
}

fn read_with(text: &str, responses: Responses) -> (Requirements, Responses) {
    let mut found = Requirements::default();
    let mut names = Names::with(responses);
    let mut sentences: Vec<(usize, String)> = Vec::new();
    for (i, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        let plain = line.trim();
        if plain.is_empty() || plain.starts_with('#') {
            continue;
        }
        let (plain, is_item) = without_mark(plain);
        if names.declared(plain) {
            continue;
        }
        match sentences.last_mut() {
            Some((_, last)) if line.starts_with([' ', '\t']) && !last.ends_with('.') && !is_item => {
                last.push(' ');
                last.push_str(plain);
            }
            _ => sentences.push((i + 1, plain.to_string())),
        }
    }
    for (line, text) in sentences {
        for sentence in split(&text) {
            let sentence = sentence.split_whitespace().collect::<Vec<_>>().join(" ");
            let read = with_small_article(&sentence);
            match ears::read(&read, &mut names).or_else(|| pattern::read(&read, &mut names)) {
                Some(Ok((formula, note))) => {
                    let note = with_changes(&formula, note);
                    found.read.push(Requirement { line, sentence, formula, note });
                }
                Some(Err(expected)) => found.unread.push(UnreadSentence { line, sentence, expected }),
                None => found.unread.push(UnreadSentence { line, sentence, expected: EXPECTED.into() }),
            }
        }
    }
    found.inputs = names.of(Side::Input);
    found.outputs = names.of(Side::Output);
    (found, names.into_responses())
}

/// A note with what a change is, if there is one in the formula.
fn with_changes(formula: &str, note: Option<String>) -> Option<String> {
    if !formula.contains("&& Y ") {
        return note;
    }
    let change = "a change from one step to the next, of which none is in the first step";
    Some(note.map_or_else(|| change.to_string(), |note| format!("{change}; {note}")))
}

/// An item of a list without its mark: `- `, `* `, `1. `, `2) `; and whether it has one.
fn without_mark(line: &str) -> (&str, bool) {
    let numbered = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let marks: &[&str] = if numbered.len() < line.len() { &[". ", ") "] } else { &["- ", "* ", "\u{2022} "] };
    let rest = if numbered.len() < line.len() { numbered } else { line };
    marks
        .iter()
        .find_map(|mark| rest.strip_prefix(mark))
        .map_or((line, false), |rest| (rest.trim_start(), true))
}

/// The sentence with a small `a` at its beginning if that is an article. Elsewhere a capital `A` is a name.
fn with_small_article(sentence: &str) -> String {
    const VERBS: [&str; 12] = [
        "holds",
        "responds",
        "precedes",
        "occurs",
        "eventually",
        "never",
        "always",
        "and",
        "or",
        "shall",
        "must",
        "should",
    ];
    match sentence.strip_prefix("A ") {
        Some(rest) if !VERBS.contains(&rest.split(' ').next().unwrap_or_default()) => format!("a {rest}"),
        _ => sentence.to_string(),
    }
}

/// The sentences of a line: a full stop before a blank ends one.
fn split(line: &str) -> Vec<String> {
    let mut sentences = Vec::new();
    let mut rest = line.trim();
    // A label such as `R1:` or `[REQ-2]` is no part of the sentence.
    if let Some(end) = rest.strip_prefix('[').and_then(|inner| inner.find(']')) {
        rest = rest[end + 2..].trim_start_matches([':', ' ']);
    } else if let Some((label, after)) = rest.split_once(": ")
        && label.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
        && label.contains(|c: char| c.is_ascii_digit())
    {
        rest = after;
    }
    loop {
        let end = rest.find(". ").map_or(rest.len(), |at| at + 1);
        let sentence = rest[..end].trim().trim_end_matches('.').trim();
        if !sentence.is_empty() {
            sentences.push(sentence.to_string());
        }
        rest = rest[end..].trim_start();
        if rest.is_empty() {
            return sentences;
        }
    }
}

impl Requirements {
    /// The sentences that were read as a specification in TSL, each with its sentence as a comment.
    pub fn tsl(&self) -> String {
        let mut text =
            String::from("// Read from English by tsl-synth: each formula stands below its sentence.\n");
        for (word, names) in [("input", &self.inputs), ("output", &self.outputs)] {
            for (name, phrase) in names {
                let _ = writeln!(text, "{word} {name}: Bool;  // {}", comment(phrase));
            }
        }
        text.push_str("\nguarantee {\n");
        for requirement in &self.read {
            let _ = writeln!(text, "  // {}", comment(&requirement.sentence));
            if let Some(note) = &requirement.note {
                let _ = writeln!(text, "  // (read as: {})", comment(note));
            }
            let _ = writeln!(text, "  {};", requirement.formula);
        }
        text.push_str("}\n");
        text
    }

    /// The sentences that were read as a file in LTL.
    pub fn ltl(&self) -> String {
        let list = |names: &[(String, String)]| {
            names.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ")
        };
        let mut text = String::new();
        for (word, names) in [("inputs", &self.inputs), ("outputs", &self.outputs)] {
            if !names.is_empty() {
                let _ = writeln!(text, "// {word}: {}", list(names));
            }
        }
        for requirement in &self.read {
            let _ = writeln!(text, "// {}", comment(&requirement.sentence));
            if let Some(note) = &requirement.note {
                let _ = writeln!(text, "// (read as: {})", comment(note));
            }
            let _ = writeln!(text, "{};", requirement.formula);
        }
        text
    }

    /// The names, each once.
    pub fn names(&self) -> BTreeSet<&str> {
        self.inputs.iter().chain(&self.outputs).map(|(name, _)| name.as_str()).collect()
    }
}

/// A text that may stand in a comment of one line.
fn comment(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}
