//! Free English sentences: the avoidance and trigger patterns of Menghi et al., "Specification Patterns for Robotic
//! Missions", TSE 47(10), 2021, as in the robot constraints of the seeds, over places and over actions.
//!
//! `before` is weak: it forbids the second event without the first, and requires neither. A visit is a maximal interval
//! of steps in which a place holds.

use super::clause::{ClauseToken, ClauseTokenKind, around, range};
use super::counts::counted;
use super::modality::{FramedSentence, framed, permission};
use super::names::PolicyNames;
use super::pattern::{LawPattern, NameCondition};
use super::reading::Sentence;
use super::refused::Refused;
use super::slot::{HalfSentence, given_half, main_half};
use super::tree::{LawTree, Link, Temporal};
use tsl_synth_core::diag::Code;

const WEAK: &str = "`before` is read weakly: the run may end without either; `F` of the first, as a law of its own, asks for it";
const EVENTUALLY: &str =
    "without `next` or `at the same time` what follows may come at any later time before the end";
const VISIT: &str = "going somewhere is read as an event: the ban holds from then on, also after leaving";

impl Sentence {
    pub(super) fn of(law: LawTree) -> Self {
        Self { law, registers: Vec::new(), notes: Vec::new() }
    }
    pub(super) fn of_pattern(pattern: &LawPattern) -> Self {
        Self { law: pattern.law(), registers: pattern.register().into_iter().collect(), notes: Vec::new() }
    }
    pub(super) fn note(mut self, note: &str) -> Self {
        self.notes.push(note.to_owned());
        self
    }
}

/// The relation between the two halves of a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SentenceRelation {
    /// `a if and only if b`
    Exactly,
    /// `a right after b`
    RightAfter,
    /// `a before b`
    Before,
    /// `a until b`
    Until,
    /// `a unless b`, `a without b`
    Unless,
    /// `a while b`
    While,
    /// `a after b`, `a once b`
    After,
    /// `a if b`
    If,
    /// `b means a`
    Means,
    /// `a requires b`
    Requires,
    /// `only a if b`, `a only if b`
    OnlyIf,
    /// `a only after b`
    OnlyAfter,
    /// `a only while b`
    OnlyWhile,
    /// `a only before b`
    OnlyBefore,
}

/// The joints, words that join two halves of a sentence, with the relation of each. Earlier entries are tried first.
const JOINTS: &[(&str, SentenceRelation)] = &[
    ("if and only if", SentenceRelation::Exactly),
    ("exactly when", SentenceRelation::Exactly),
    ("exactly if", SentenceRelation::Exactly),
    ("right after", SentenceRelation::RightAfter),
    ("immediately after", SentenceRelation::RightAfter),
    ("directly after", SentenceRelation::RightAfter),
    ("straight after", SentenceRelation::RightAfter),
    ("except if", SentenceRelation::Unless),
    ("except when", SentenceRelation::Unless),
    ("except while", SentenceRelation::Unless),
    ("except after", SentenceRelation::Unless),
    ("except once", SentenceRelation::Unless),
    ("unless", SentenceRelation::Unless),
    ("without", SentenceRelation::Unless),
    ("means that", SentenceRelation::Means),
    ("means", SentenceRelation::Means),
    ("implies that", SentenceRelation::Means),
    ("implies", SentenceRelation::Means),
    ("leads to", SentenceRelation::Means),
    ("as long as", SentenceRelation::While),
    ("while", SentenceRelation::While),
    ("during", SentenceRelation::While),
    ("whenever", SentenceRelation::If),
    ("as soon as", SentenceRelation::If),
    ("if", SentenceRelation::If),
    ("when", SentenceRelation::If),
    ("before", SentenceRelation::Before),
    ("prior to", SentenceRelation::Before),
    ("until", SentenceRelation::Until),
    ("once", SentenceRelation::After),
    ("after", SentenceRelation::After),
    ("requires", SentenceRelation::Requires),
    ("require", SentenceRelation::Requires),
    ("needs", SentenceRelation::Requires),
    ("need", SentenceRelation::Requires),
];

impl SentenceRelation {
    /// The relation with `only` before it.
    fn with_only(self, place: &std::ops::Range<usize>) -> Result<Self, Refused> {
        match self {
            Self::If => Ok(Self::OnlyIf),
            Self::After => Ok(Self::OnlyAfter),
            Self::While => Ok(Self::OnlyWhile),
            Self::Before | Self::Until => Ok(Self::OnlyBefore),
            _ => Err(only_is_unclear(place)),
        }
    }
}

fn only_is_unclear(place: &std::ops::Range<usize>) -> Refused {
    Refused::new(Code::SENTENCE_FORM, place.clone(), "`only` is not understood here").hint(
        "`A only if P`, `A only after B`, `A only before B`, `A only while P` and `A only once` are read",
    )
}

/// Parses one sentence.
pub(super) fn read(tokens: &[ClauseToken], names: &PolicyNames) -> Result<Sentence, Refused> {
    let frame = framed(tokens)?;
    let tokens = frame.tokens.as_slice();
    if let Some(counted) = counted(&frame, names) {
        return counted;
    }
    for (words, joint) in JOINTS {
        let Some((first, second)) = around(tokens, words) else { continue };
        // `after that` and the like are not joints.
        if second.is_empty()
            || second.first().is_some_and(|token| token.is("that")) && words.contains("after")
            || *joint == SentenceRelation::Requires && (first.is_empty() || second[0].is("to"))
        {
            continue;
        }
        let joint = match &frame.only {
            // `only` belongs to what follows it.
            Some(place) if place.start > second[0].range.start => return Err(only_is_unclear(place)),
            Some(place) => joint.with_only(place)?,
            None => *joint,
        };
        let (then, given) =
            if first.iter().all(|token| token.is("please") || token.kind == ClauseTokenKind::Comma) {
                // `if b, a` and `before b, a`; but `means` never comes first.
                leading(second, names)?
            } else if joint == SentenceRelation::Means {
                (main_half(second, names)?, given_half(first, names)?)
            } else {
                (main_half(first, names)?, given_half(second, names)?)
            };
        return joined(joint, &modal(then, &frame)?, &given, range(tokens));
    }
    if let Some(place) = &frame.only {
        return Err(only_is_unclear(place));
    }
    let one = modal(main_half(tokens, names)?, &frame)?;
    alone(&one, tokens)
}

/// The main half with what `is forbidden` and `may` say about it.
fn modal(mut then: HalfSentence, frame: &FramedSentence) -> Result<HalfSentence, Refused> {
    if frame.forbids {
        if then.negative || matches!(then.about, NameCondition::All(_)) {
            let message = "it is not clear what is forbidden: write `never`, and then what is not done";
            return Err(Refused::new(Code::SENTENCE_FORM, then.place, message));
        }
        then.negative = true;
    }
    match &frame.permits {
        Some(place) if !then.negative && frame.only.is_none() => Err(permission(place.clone())),
        _ => Ok(then),
    }
}

/// The law of a sentence without a condition.
fn alone(one: &HalfSentence, tokens: &[ClauseToken]) -> Result<Sentence, Refused> {
    if one.again {
        let message = "`again` is not understood without what came before: write `after B, never A again`";
        return Err(Refused::new(Code::SENTENCE_FORM, range(tokens), message));
    }
    let law = one.about.call();
    let says = |word: &str| tokens.iter().any(|token| token.is(word));
    if one.negative {
        return Ok(Sentence::of(LawTree::globally(LawTree::negate(law))));
    }
    if says("always") && !one.event {
        return Ok(Sentence::of(LawTree::globally(law)));
    }
    Ok(Sentence::of_pattern(&LawPattern::EndRequires { needed: one.about.clone() })
        .note("this has to be so before the end"))
}

/// Longer sentences that begin with a joint need a comma.
const LONGEST: usize = 60;

/// Words with which a main clause begins.
const BEGINNINGS: &[&str] = &[
    "you", "the", "do", "don't", "never", "always", "i", "we", "it", "avoid", "no", "must", "cannot",
    "please", "make",
];

/// The halves after and before the comma (or `then`) of a sentence that begins with a joint: the main half, and what it
/// depends on. Without a comma, the first split for which both halves can be parsed.
fn leading(tokens: &[ClauseToken], names: &PolicyNames) -> Result<(HalfSentence, HalfSentence), Refused> {
    let mut first = None;
    for between in [", then", ",", "then"] {
        let mut at = 0;
        while let Some((given, then)) = around(&tokens[at..], between) {
            let given = &tokens[..at + given.len()];
            if !then.is_empty() {
                match (given_half(given, names), main_half(then, names)) {
                    (Ok(given), Ok(then)) => return Ok((then, given)),
                    (Err(why), _) | (_, Err(why)) => first = first.or(Some(why)),
                }
            }
            // Commas may stand in the list of conditions.
            at = tokens.len() - then.len();
        }
    }
    if let Some(why) = first {
        return Err(why);
    }
    let both =
        |at: usize| Some((main_half(&tokens[at..], names).ok()?, given_half(&tokens[..at], names).ok()?));
    let last = tokens.len().min(LONGEST);
    let begins = |at: &usize| tokens[*at].word().is_some_and(|word| BEGINNINGS.contains(&word));
    let found = (1..last).filter(begins).find_map(both).or_else(|| (1..last).find_map(both));
    found.ok_or_else(|| {
        let message = "expected a comma, and behind it what follows";
        main_half(tokens, names)
            .err()
            .unwrap_or_else(|| Refused::new(Code::SENTENCE_FORM, range(tokens), message))
    })
}

fn signed(slot: &HalfSentence) -> NameCondition {
    if slot.negative { NameCondition::Not(Box::new(slot.about.clone())) } else { slot.about.clone() }
}

/// The law by which `then` needs `given`: what was done earlier, and a condition at that step.
fn needing(then: &HalfSentence, given: &HalfSentence) -> Result<Sentence, Refused> {
    let (what, needed) = (then.about.clone(), signed(given));
    let subjects = needed.subjects();
    let done = subjects.iter().filter(|subject| subject.is_of_action()).count();
    if !given.perfect && done == 0 {
        return Ok(Sentence::of(LawTree::globally(LawTree::implies(what.call(), needed.call()))));
    }
    let has_not = needed.each(true, &|subject, positive| !positive && subject.is_of_action(), &|_, parts| {
        parts.into_iter().any(|part| part)
    });
    if has_not {
        let message = "what was not done is not understood as a condition: write `after A, never B`";
        return Err(Refused::new(Code::SENTENCE_FORM, given.place.clone(), message));
    }
    if done == subjects.len() || done == 0 {
        return Ok(Sentence::of_pattern(&LawPattern::RequiresBefore { what, needed }).note(WEAK));
    }
    let law = needed.each_law(&|subject, positive| match (subject.is_of_action(), positive) {
        (true, _) => LawTree::once(subject.done()),
        (false, true) => subject.call(),
        (false, false) => LawTree::negate(subject.call()),
    });
    Ok(Sentence::of(LawTree::globally(LawTree::implies(what.call(), law)))
        .note("a call has to have succeeded before, and a proposition has to hold at that time"))
}

/// The law of a sentence of two halves: `then`, and `given` on which it depends.
fn joined(
    joint: SentenceRelation,
    then: &HalfSentence,
    given: &HalfSentence,
    place: std::ops::Range<usize>,
) -> Result<Sentence, Refused> {
    use SentenceRelation as R;
    let unclear = |message: &str| Err(Refused::new(Code::SENTENCE_FORM, place.clone(), message));
    let before = |what: &HalfSentence, needed: &HalfSentence| {
        let (what, needed) = (what.about.clone(), needed.about.clone());
        Ok(Sentence::of_pattern(&LawPattern::RequiresBefore { what, needed }).note(WEAK))
    };
    let is_only = matches!(joint, R::OnlyIf | R::OnlyAfter | R::OnlyWhile | R::OnlyBefore);
    if is_only && then.negative {
        return unclear("`only` and a negation: write `A only if P`, or `never A while P`");
    }
    if then.comes && !then.negative && matches!(joint, R::After | R::RightAfter) {
        return unclear(
            "this may demand A after B, or forbid A before B: write `after B, do A`, or `A only after B`",
        );
    }
    let follows = matches!(joint, R::After | R::If | R::Means | R::RightAfter);
    if then.again && !(follows && then.negative) {
        return unclear("`again` is understood in `after B, never A again` only");
    }
    let takes_not = !matches!(joint, R::Before | R::Until | R::Requires | R::OnlyAfter | R::OnlyBefore);
    if given.negative && !takes_not {
        return unclear("a negation behind this word is not understood: say what happens, not what does not");
    }
    // Of what happens in one step, one thing is a call.
    let is_what = |half: &HalfSentence| half.about.calls_together();
    if (is_what(given) && (follows || matches!(joint, R::Before | R::While | R::Exactly)))
        || is_what(then) && (is_only || then.negative || joint == R::Requires)
    {
        return unclear(
            "two calls never come in one step: write `or` in place of `and`, or one sentence for each",
        );
    }
    match joint {
        R::Exactly => {
            let then_law = signed(then).call();
            let law = if then.next { LawTree::unary(Temporal::Next, then_law) } else { then_law };
            Ok(Sentence::of(LawTree::globally(LawTree::Iff(Box::new(signed(given).call()), Box::new(law)))))
        }
        R::RightAfter => Ok(next(given, then)),
        R::Before | R::Until if then.negative => before(then, given),
        R::Before => before(given, then),
        R::Requires if then.negative => unclear("what does not require something is no law"),
        R::Until => {
            let law = LawTree::binary(Link::WeakUntil, then.about.call(), given.about.done());
            Ok(Sentence::of(law).note("`until` is read weakly: the run may end before it comes"))
        }
        R::OnlyAfter | R::Requires => before(then, given),
        R::OnlyBefore => {
            let (trigger, forbidden) = (given.about.clone(), then.about.clone());
            Ok(Sentence::of_pattern(&LawPattern::ForbidsAfter { trigger, forbidden }))
        }
        R::OnlyWhile if given.about.mentions_an_action() => {
            unclear("a call does not last: write `A only after B`, or `A only between B and C`")
        }
        R::OnlyWhile => {
            let law = LawTree::implies(then.about.call(), signed(given).call());
            Ok(Sentence::of(LawTree::globally(law)))
        }
        R::Unless if !then.negative => unclear(
            "this may demand A, or only permit it: write `never A unless P`, `A only if P`, or `never A while P`",
        ),
        R::Unless if matches!(given.about, NameCondition::Any(_)) && given.about.mentions_an_action() => {
            unclear(
                "is one of them enough, or are all needed? write `A only after (B or C)` or one sentence for each",
            )
        }
        R::OnlyIf | R::Unless => needing(then, given),
        R::While if then.about.mentions_call() && given.about.mentions_call() => unclear(
            "a call has no duration, so that no other call is made during it: write `after B, never A`",
        ),
        R::While if then.negative => Ok(excluded(then, given)),
        R::While => unclear(
            "what has to be so while something else is so? say `do not .. while ..`, or `if .., then ..`",
        ),
        R::After | R::If | R::Means => conditional(joint, then, given),
    }
}

/// If `given`, then `then` in the next step.
fn next(given: &HalfSentence, then: &HalfSentence) -> Sentence {
    let trigger = signed(given);
    if then.negative {
        let never = LawTree::unary(Temporal::Next, LawTree::negate(then.about.call()));
        return Sentence::of(LawTree::globally(LawTree::implies(trigger.call(), never)));
    }
    if trigger.mentions_an_action() || then.about.mentions_an_action() {
        return Sentence::of_pattern(&LawPattern::ThenImmediately { trigger, owed: then.about.clone() });
    }
    let then = LawTree::unary(Temporal::Next, then.about.call());
    Sentence::of(LawTree::globally(LawTree::implies(trigger.call(), then)))
        .note("`right after` is the next step: it depends on what makes a step")
}

/// Both never hold in the same step.
fn excluded(then: &HalfSentence, given: &HalfSentence) -> Sentence {
    let both = LawTree::all([then.about.call(), signed(given).call()]);
    Sentence::of(LawTree::globally(LawTree::negate(both)))
}

/// `then if given`
fn conditional(
    joint: SentenceRelation,
    then: &HalfSentence,
    given: &HalfSentence,
) -> Result<Sentence, Refused> {
    let trigger = signed(given);
    let has_proposition = !trigger.subjects().iter().all(|subject| subject.is_of_action());
    if trigger.mentions_an_action() && has_proposition {
        let message = "a call happens and a proposition lasts: write one sentence for each of them";
        return Err(Refused::new(Code::SENTENCE_FORM, given.place.clone(), message));
    }
    if then.next && !then.later {
        return Ok(next(given, then));
    }
    if then.negative {
        if given.negative && given.perfect {
            let (what, needed) = (then.about.clone(), given.about.clone());
            return Ok(Sentence::of_pattern(&LawPattern::RequiresBefore { what, needed }).note(WEAK));
        }
        let forbids = LawPattern::ForbidsAfter { trigger, forbidden: then.about.clone() };
        if given.perfect || then.later || joint == SentenceRelation::After {
            return Ok(Sentence::of_pattern(&forbids));
        }
        let is_event = given.event || given.about.mentions_an_action();
        if is_event && !given.negative && !then.same {
            return Ok(Sentence::of_pattern(&forbids).note(VISIT));
        }
        return Ok(excluded(then, given));
    }
    if then.same {
        return Ok(Sentence::of(LawTree::globally(LawTree::implies(trigger.call(), then.about.call()))));
    }
    let owed = Sentence::of_pattern(&LawPattern::ThenEventually { trigger, owed: then.about.clone() });
    Ok(if then.later { owed } else { owed.note(EVENTUALLY) })
}
