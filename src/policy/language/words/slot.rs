//! One half of a free sentence: its condition, and markers such as negation, tense and time.

use super::clause::{ClauseToken, ClauseTokenKind, range};
use super::ground::phrase;
use super::names::PolicyNames;
use super::pattern::{NameCondition, PatternSubject};
use super::refused::Refused;
use tsl_synth_core::diag::Code;

pub(super) const NEGATIONS: &[&str] = &[
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
    "neither",
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
const COMING: &[&str] =
    &["come", "comes", "coming", "happen", "happens", "occur", "occurs", "any", "follow", "follows"];
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
    (&["any", "more"], Mark::Again),
    (&["anymore"], Mark::Again),
    (&["again"], Mark::Again),
    (&["make", "sure"], Mark::Nothing),
    (&["stay", "away", "from"], Mark::Not),
    (&["stay", "out", "of"], Mark::Not),
    (&["keep", "out", "of"], Mark::Not),
    (&["keep", "away", "from"], Mark::Not),
    (&["refrain", "from"], Mark::Not),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    Later,
    Next,
    Same,
    Not,
    Again,
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
    /// Whether it has `again` or `any more`, which only say something behind an event.
    pub(super) again: bool,
    /// Whether it says that something comes or happens, which may be about its order and not ask for it.
    pub(super) comes: bool,
    /// Its bytes in the text.
    pub(super) place: std::ops::Range<usize>,
}

/// Markers of time, and the words that are left.
#[derive(Default)]
#[allow(clippy::struct_excessive_bools)] // As in `HalfSentence`.
struct MarkedWords {
    words: Vec<ClauseToken>,
    later: bool,
    next: bool,
    same: bool,
    again: bool,
}

/// Takes the markers out. A phrase for a negation, such as `stay away from`, becomes `not`.
fn marked(tokens: &[ClauseToken]) -> MarkedWords {
    let mut found = MarkedWords::default();
    let mut rest = tokens;
    while let [token, others @ ..] = rest {
        let matched = PHRASES.iter().find(|(words, _)| {
            rest.len() >= words.len() && rest.iter().zip(*words).all(|(token, word)| token.is(word))
        });
        if let Some((words, mark)) = matched {
            match mark {
                Mark::Later => found.later = true,
                Mark::Next => found.next = true,
                Mark::Same => found.same = true,
                Mark::Again => found.again = true,
                Mark::Not => {
                    let kind = ClauseTokenKind::Word("not".into());
                    found.words.push(ClauseToken { kind, range: token.range.clone() });
                }
                Mark::Nothing => {}
            }
            rest = &rest[words.len()..];
            continue;
        }
        rest = others;
        match token.word() {
            Some(word) if LATER.contains(&word) => found.later = true,
            Some(word) if NEXT.contains(&word) => found.next = true,
            _ => found.words.push(token.clone()),
        }
    }
    while found.words.first().is_some_and(|token| token.kind == ClauseTokenKind::Comma) {
        found.words.remove(0);
    }
    found
}

/// Whether there is a token, and it is one of these words.
pub(super) fn is_any(token: Option<&ClauseToken>, words: &[&str]) -> bool {
    token.and_then(ClauseToken::word).is_some_and(|word| words.contains(&word))
}

fn is_not(token: &ClauseToken) -> bool {
    is_any(Some(token), NEGATIONS)
}

fn refused(tokens: &[ClauseToken], message: impl Into<String>) -> Refused {
    Refused::new(Code::SENTENCE_FORM, range(tokens), message)
}

fn half(tokens: &[ClauseToken], marks: &MarkedWords, about: NameCondition, negative: bool) -> HalfSentence {
    let said = |list: &[&str]| tokens.iter().filter_map(ClauseToken::word).any(|word| list.contains(&word));
    // `have to` is not a perfect tense.
    let perfect = tokens.iter().enumerate().any(|(at, token)| {
        token.word().is_some_and(|word| PERFECTS.contains(&word))
            && !tokens.get(at + 1).is_some_and(|next| {
                next.is("to") || next.is("not") && tokens.get(at + 2).is_some_and(|t| t.is("to"))
            })
    });
    let MarkedWords { later, next, same, again, .. } = *marks;
    HalfSentence {
        about,
        negative,
        perfect,
        event: said(MOTIONS),
        comes: said(COMING),
        later,
        next,
        same,
        again,
        place: range(tokens),
    }
}

/// Parses the main half of a sentence: what is to be done, or not. A negation stands before all names and is about all of
/// them.
pub(super) fn main_half(tokens: &[ClauseToken], names: &PolicyNames) -> Result<HalfSentence, Refused> {
    let marks = marked(tokens);
    let mut words = marks.words.clone();
    let nots: Vec<usize> = (0..words.len()).filter(|&at| is_not(&words[at])).collect();
    let negative = match nots[..] {
        [] => false,
        [at] => {
            let neither = words.remove(at).is("neither");
            if words[..at].iter().any(|token| matches!(token.kind, ClauseTokenKind::Name(_)))
                || phrase(&words[..at], names).is_ok()
            {
                let message = "the negation stands behind the name: write `never`, and then what is not done";
                return Err(refused(tokens, message));
            }
            if neither {
                or_for_nor(&mut words)?;
            }
            true
        }
        [_, second, ..] => {
            let message = "this has two negations: write one sentence for each thing that is forbidden";
            return Err(refused(&words[second..=second], message));
        }
    };
    let about = condition(&words, names)?;
    if negative && matches!(about, NameCondition::All(_)) {
        let message =
            "this forbids each of them, or both together: write `or` in place of `and`, or two sentences";
        return Err(refused(tokens, message));
    }
    Ok(half(tokens, &marks, about, negative))
}

/// Parses the half of a sentence on which the main half depends: a condition whose parts may be negated.
pub(super) fn given_half(tokens: &[ClauseToken], names: &PolicyNames) -> Result<HalfSentence, Refused> {
    let marks = marked(tokens);
    let (about, negative) = match condition(&marks.words, names)? {
        NameCondition::Not(inner) => (*inner, true),
        about => (about, false),
    };
    Ok(half(tokens, &marks, about, negative))
}

/// Puts `or` in place of `nor`, which `neither` needs.
fn or_for_nor(words: &mut [ClauseToken]) -> Result<(), Refused> {
    let mut found = false;
    for token in words.iter_mut().filter(|token| token.is("nor")) {
        token.kind = ClauseTokenKind::Word("or".into());
        found = true;
    }
    if found { Ok(()) } else { Err(refused(words, "expected `nor` behind `neither`")) }
}

/// The condition that words denote: names, each possibly negated, with `and` or with `or` between them.
fn condition(tokens: &[ClauseToken], names: &PolicyNames) -> Result<NameCondition, Refused> {
    let has_not = tokens.iter().any(is_not);
    if !has_not && let Ok(subject) = phrase(tokens, names) {
        return Ok(NameCondition::Is(subject));
    }
    let lead = |token: &ClauseToken| is_any(Some(token), &["both", "either", "neither"]);
    if let Some(at) = tokens.iter().position(lead) {
        return of_pair(tokens, at, names);
    }
    let is = |words: &'static [&str]| move |token: &ClauseToken| is_any(Some(token), words);
    let (all, any) = (tokens.iter().any(is(&["and", "but"])), tokens.iter().any(is(&["or"])));
    let is_comma = |token: &ClauseToken| token.kind == ClauseTokenKind::Comma;
    if all && any {
        let message =
            "`and` and `or` in one condition can be read in two ways: write one sentence for each part";
        return Err(refused(tokens, message));
    }
    let is_sign = |token: &ClauseToken| is_comma(token) || is(&["and", "but", "or"])(token);
    let parts: Vec<&[ClauseToken]> = tokens.split(is_sign).filter(|part| !part.is_empty()).collect();
    if parts.len() > 1 && !(all || any) {
        return Err(refused(tokens, "expected `and` or `or` before the last name of a list"));
    }
    if parts.len() < 2 {
        return operand(parts.first().copied().unwrap_or(tokens), names);
    }
    // `not a and b`: the negation may be about both. A verb of its own ends what it is about.
    let has_verb =
        |part: &[ClauseToken]| part.iter().any(is(&["is", "are", "was", "were", "has", "have", "it"]));
    if parts[0].iter().any(is_not)
        && parts[1..].iter().any(|part| !part.iter().any(is_not) && !has_verb(part))
    {
        let message = "it is not clear what the negation is about: put what is negated last, `P and not Q`, or write \
                       `neither P nor Q`";
        return Err(refused(tokens, message));
    }
    let parts = parts.into_iter().map(|part| operand(part, names)).collect::<Result<Vec<_>, _>>()?;
    Ok(if all { NameCondition::All(parts) } else { NameCondition::Any(parts) })
}

/// `both A and B`, `either A or B`, `neither A nor B`, where the first of these words stands at `at`.
fn of_pair(tokens: &[ClauseToken], at: usize, names: &PolicyNames) -> Result<NameCondition, Refused> {
    let mut rest = tokens.to_vec();
    let word = rest.remove(at);
    let (link, other) = if word.is("both") { ("and", "or") } else { ("or", "and") };
    if word.is("neither") {
        or_for_nor(&mut rest)?;
    }
    let has = |link: &str| rest.iter().any(|token| token.is(link));
    if !has(link) || has(other) || rest.iter().any(is_not) {
        let message = match link {
            "and" => "expected `both A and B`",
            _ => "expected `either A or B`, or `neither A nor B`",
        };
        return Err(refused(tokens, message));
    }
    let inner = condition(&rest, names)?;
    Ok(if word.is("neither") { NameCondition::Not(Box::new(inner)) } else { inner })
}

/// A name, possibly negated.
fn operand(tokens: &[ClauseToken], names: &PolicyNames) -> Result<NameCondition, Refused> {
    let nots = tokens.iter().filter(|token| is_not(token)).count();
    if nots > 1 {
        return Err(refused(tokens, "this has two negations"));
    }
    let words: Vec<ClauseToken> = tokens.iter().filter(|token| !is_not(token)).cloned().collect();
    let subject = NameCondition::Is(phrase(&words, names)?);
    Ok(if nots == 1 { NameCondition::Not(Box::new(subject)) } else { subject })
}

impl NameCondition {
    /// Whether two calls are to happen in one step, in which there is one call.
    pub(super) fn calls_together(&self) -> bool {
        let is_call = |one: &Self| matches!(one, Self::Is(PatternSubject::Action(_)));
        match self {
            Self::All(all) => all.iter().filter(|one| is_call(one)).count() > 1,
            _ => false,
        }
    }
}
