//! One half of a free sentence: its condition, and markers such as negation, tense and time.

use super::clause::{ClauseToken, ClauseTokenKind};
use super::ground::ground;
use super::names::PolicyNames;
use super::pattern::NameCondition;
use super::refused::Refused;

const NEGATIONS: &[&str] = &[
    "not",
    "don't",
    "dont",
    "doesn't",
    "didn't",
    "never",
    "cannot",
    "can't",
    "cant",
    "mustn't",
    "shouldn't",
    "won't",
    "wouldn't",
    "couldn't",
    "haven't",
    "havent",
    "hasn't",
    "hadn't",
    "isn't",
    "aren't",
    "wasn't",
    "weren't",
    "avoid",
    "avoids",
    "avoiding",
    "no",
    "forbidden",
    "prohibited",
    "disallowed",
    "needn't",
];
const PERFECTS: &[&str] =
    &["have", "has", "haven't", "havent", "hasn't", "hadn't", "had", "been", "having", "already", "once"];
const LATER: &[&str] =
    &["later", "eventually", "afterwards", "afterward", "finally", "subsequently", "someday", "sometime"];
const NEXT: &[&str] = &["next", "immediately", "directly", "instantly", "straightaway"];
const MOTIONS: &[&str] = &[
    "go", "goes", "going", "enter", "enters", "entering", "visit", "visits", "visiting", "walk", "walks",
    "call", "calls", "calling", "move", "reach", "reaches", "use", "uses", "run", "runs",
];
/// Phrases with the meaning of one of the lists above, or without meaning.
const PHRASES: &[(&[&str], Mark)] = &[
    (&["in", "the", "future"], Mark::Later),
    (&["at", "some", "point"], Mark::Later),
    (&["at", "some", "time"], Mark::Later),
    (&["some", "time"], Mark::Later),
    (&["after", "that"], Mark::Later),
    (&["right", "away"], Mark::Next),
    (&["at", "once"], Mark::Next),
    (&["right", "after"], Mark::Next),
    (&["right", "afterwards"], Mark::Next),
    (&["in", "the", "next", "step"], Mark::Next),
    (&["at", "the", "same", "time"], Mark::Same),
    (&["in", "the", "same", "step"], Mark::Same),
    (&["simultaneously"], Mark::Same),
    (&["any", "more"], Mark::Nothing),
    (&["make", "sure"], Mark::Nothing),
    (&["stay", "away", "from"], Mark::Not),
    (&["stay", "out", "of"], Mark::Not),
    (&["keep", "out", "of"], Mark::Not),
    (&["keep", "away", "from"], Mark::Not),
    (&["refrain", "from"], Mark::Not),
    (&["off", "limits"], Mark::Not),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    Later,
    Next,
    Same,
    Not,
    Nothing,
}

/// A half of a sentence.
#[derive(Clone, Debug)]
#[allow(clippy::struct_excessive_bools)] // Each is a word that may be there or not.
pub(super) struct HalfSentence {
    /// The condition on names.
    pub(super) about: NameCondition,
    /// Whether it is negated.
    pub(super) negative: bool,
    /// Whether it is in the perfect tense, about earlier steps.
    pub(super) perfect: bool,
    /// Whether it has a verb of action, and so describes an event and not a state.
    pub(super) event: bool,
    /// Whether it has a marker such as `later` or `eventually`.
    pub(super) later: bool,
    /// Whether it has a marker such as `next` or `immediately`.
    pub(super) next: bool,
    /// Whether it has a marker such as `at the same time`.
    pub(super) same: bool,
}

/// Parses half a sentence.
pub(super) fn slot(tokens: &[ClauseToken], names: &PolicyNames) -> Result<HalfSentence, Refused> {
    let (mut negative, mut later, mut next, mut same) = (false, false, false, false);
    let mut kept: Vec<ClauseToken> = Vec::new();
    let mut rest = tokens;
    while let [token, others @ ..] = rest {
        let matched = PHRASES.iter().find(|(words, _)| {
            rest.len() >= words.len() && rest.iter().zip(*words).all(|(token, word)| token.is(word))
        });
        if let Some((words, mark)) = matched {
            match mark {
                Mark::Later => later = true,
                Mark::Next => next = true,
                Mark::Same => same = true,
                Mark::Not => negative = !negative,
                Mark::Nothing => {}
            }
            rest = &rest[words.len()..];
            continue;
        }
        rest = others;
        match token.word() {
            // In free text, `never` and `no` after another negation strengthen it; `not avoid` is rare.
            Some(word) if NEGATIONS.contains(&word) => negative = true,
            Some(word) if LATER.contains(&word) => later = true,
            Some(word) if NEXT.contains(&word) => next = true,
            _ => kept.push(token.clone()),
        }
    }
    while kept.first().is_some_and(|token| token.kind == ClauseTokenKind::Comma) {
        kept.remove(0);
    }
    let said = |list: &[&str]| tokens.iter().filter_map(ClauseToken::word).any(|word| list.contains(&word));
    // `have to` is not a perfect tense.
    let perfect = tokens.iter().enumerate().any(|(at, token)| {
        token.word().is_some_and(|word| PERFECTS.contains(&word))
            && !tokens.get(at + 1).is_some_and(|next| {
                next.is("to") || next.is("not") && tokens.get(at + 2).is_some_and(|t| t.is("to"))
            })
    });
    let event = said(MOTIONS);
    Ok(HalfSentence { about: ground(&kept, names)?, negative, perfect, event, later, next, same })
}
