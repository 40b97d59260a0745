//! Sentences that count: `do not go to the bedroom more than two times`.

use super::clause::{ClauseToken, range};
use super::ground::number;
use super::modality::{FramedSentence, permission};
use super::names::PolicyNames;
use super::pattern::{LawPattern, NameCondition, Reset};
use super::reading::{JOINT_WORDS, Sentence};
use super::refused::Refused;
use super::slot::main_half;
use super::tree::{LawTree, Temporal};
use super::visits;
use tsl_synth_core::diag::Code;

/// The largest count that is written out in LTL.
const MOST: u32 = 100;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CountBound {
    AtMost,
    MoreThan,
    LessThan,
    AtLeast,
    Exactly,
    /// A number and nothing else: `twice`.
    Plain,
}

const BOUNDS: &[(&[&str], CountBound)] = &[
    (&["no", "more", "than"], CountBound::AtMost),
    (&["not", "more", "than"], CountBound::AtMost),
    (&["at", "most"], CountBound::AtMost),
    (&["a", "maximum", "of"], CountBound::AtMost),
    (&["up", "to"], CountBound::AtMost),
    (&["no", "less", "than"], CountBound::AtLeast),
    (&["no", "fewer", "than"], CountBound::AtLeast),
    (&["not", "less", "than"], CountBound::AtLeast),
    (&["at", "least"], CountBound::AtLeast),
    (&["a", "minimum", "of"], CountBound::AtLeast),
    (&["more", "than"], CountBound::MoreThan),
    (&["less", "than"], CountBound::LessThan),
    (&["fewer", "than"], CountBound::LessThan),
    (&["exactly"], CountBound::Exactly),
    (&["precisely"], CountBound::Exactly),
    (&["only"], CountBound::AtMost),
    (&[], CountBound::Plain),
];

/// The phrases before a number that say that it is the largest, without `only`.
pub(super) fn at_most() -> impl Iterator<Item = &'static [&'static str]> {
    let largest = BOUNDS.iter().filter(|(words, bound)| *bound == CountBound::AtMost && *words != ["only"]);
    largest.map(|(words, _)| *words)
}

/// `two times`, `twice`: the number, and how many tokens it takes.
fn times(tokens: &[ClauseToken]) -> Option<(u32, usize)> {
    let word = |at: usize| tokens.get(at).and_then(ClauseToken::word);
    let is_times = |at: usize| matches!(word(at), Some("time" | "times" | "visit" | "visits" | "x"));
    match word(0)? {
        "once" => Some((1, 1)),
        "twice" => Some((2, 1)),
        "thrice" => Some((3, 1)),
        first => number(first).filter(|_| is_times(1)).map(|n| (n, 2)),
    }
}

/// A sentence that counts; `None` if it does not.
pub(super) fn counted(frame: &FramedSentence, names: &PolicyNames) -> Option<Result<Sentence, Refused>> {
    let tokens = frame.tokens.as_slice();
    for at in 0..tokens.len() {
        for (words, bound) in BOUNDS {
            let behind = tokens.get(at + words.len()..).unwrap_or_default();
            let matches = tokens[at..].iter().zip(*words).all(|(token, word)| token.is(word));
            let Some((n, length)) = times(behind).filter(|_| matches) else { continue };
            let rest: Vec<ClauseToken> =
                tokens[..at].iter().chain(&tokens[at + words.len() + length..]).cloned().collect();
            // Sentences of two halves, such as those with `once you have visited`, are handled elsewhere.
            if rest.iter().any(|token| token.word().is_some_and(|word| JOINT_WORDS.contains(&word))) {
                return None;
            }
            let once_leads = words.is_empty() && tokens[at].is("once") && at + 1 < tokens.len();
            if once_leads {
                return None;
            }
            return Some(bounded(*bound, n, &rest, frame, names));
        }
    }
    None
}

fn bounded(
    bound: CountBound,
    n: u32,
    rest: &[ClauseToken],
    frame: &FramedSentence,
    names: &PolicyNames,
) -> Result<Sentence, Refused> {
    let mut one = main_half(rest, names)?;
    let unclear = |message: String| Err(Refused::new(Code::SENTENCE_FORM, range(&frame.tokens), message));
    if one.again || one.negative && frame.forbids {
        return unclear("what is counted here? say `at most`, `at least` or `exactly`".into());
    }
    if matches!(one.about, NameCondition::Any(_) | NameCondition::All(_)) {
        return unclear(
            "does each of them count alone? write one sentence for each, or `at most N (A | B)` for their sum".into(),
        );
    }
    one.negative |= frame.forbids;
    let bound = match (bound, &frame.only) {
        (CountBound::Plain, Some(_)) if !one.negative => CountBound::AtMost,
        (_, Some(_)) => return unclear("`only` is understood in `A only N times` here".into()),
        (bound, None) => bound,
    };
    if let (Some(place), false, false) = (&frame.permits, one.negative, bound == CountBound::AtMost) {
        return Err(permission(place.clone()));
    }
    if n > MOST {
        return unclear(format!("sentences count to {MOST}; a `[[count]]` counts further"));
    }
    let (least, most) = match (bound, one.negative) {
        (CountBound::AtMost, false) | (CountBound::MoreThan, true) => (None, Some(n)),
        (CountBound::LessThan, true) | (CountBound::AtLeast, false) => (Some(n), None),
        (CountBound::Plain, true) if n > 1 => (None, Some(n - 1)),
        (CountBound::LessThan, false) | (CountBound::AtLeast, true) if n > 0 => (None, Some(n - 1)),
        (CountBound::MoreThan, false) => (Some(n + 1), None),
        (CountBound::Exactly | CountBound::Plain, false) => (Some(n), Some(n)),
        _ => return unclear("what is counted here? say `at most`, `at least` or `exactly`".into()),
    };
    let mut sentence = Sentence::of(LawTree::Constant(true));
    let mut laws = Vec::new();
    if let Some(least) = least.filter(|least| *least > 0) {
        laws.push(at_least(&one.about, least));
    }
    if let Some(most) = most {
        if one.about.mentions_an_action() || one.about.is_state() {
            let pattern = LawPattern::AtMost { most, what: one.about.clone(), reset: Reset::Never };
            let counted = Sentence::of_pattern(&pattern);
            laws.push(counted.law);
            sentence.registers = counted.registers;
        } else {
            laws.push(visits::at_most(&one.about.call(), most));
        }
    }
    sentence.law = LawTree::all(laws);
    if !one.about.mentions_an_action() {
        sentence = sentence.note("a visit is a longest stretch of steps, and the first step may begin one");
    }
    Ok(sentence)
}

/// Counts the successes of an action one by one, and other conditions by visits.
fn at_least(about: &NameCondition, n: u32) -> LawTree {
    if !about.mentions_an_action() {
        return visits::at_least(&about.call(), n);
    }
    let done = about.done();
    let more = |law: LawTree| {
        LawTree::finally(LawTree::all([done.clone(), LawTree::unary(Temporal::StrongNext, law)]))
    };
    (1..n).fold(LawTree::finally(done.clone()), |law, _| more(law))
}
