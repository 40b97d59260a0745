//! Free English sentences: the avoidance and trigger patterns of Menghi et al., "Specification Patterns for Robotic
//! Missions", TSE 47(10), 2021, as in the robot constraints of the seeds, over places and over actions.
//!
//! `before` is weak: it forbids the second event without the first, and requires neither. A visit is a maximal interval
//! of steps in which a place holds.

use super::clause::{ClauseToken, ClauseTokenKind, around, range};
use super::counts::counted;
use super::names::PolicyNames;
use super::pattern::{LawPattern, NameCondition};
use super::reading::Sentence;
use super::refused::Refused;
use super::slot::{HalfSentence, slot};
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
    /// `a unless b`, `a only if b`, `a without b`
    Unless,
    /// `a only after b`
    OnlyAfter,
    /// `a while b`
    While,
    /// `a after b`, `a once b`
    After,
    /// `a if b`
    If,
    /// `b means a`
    Means,
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
    ("only if", SentenceRelation::Unless),
    ("only when", SentenceRelation::Unless),
    ("only after", SentenceRelation::OnlyAfter),
    ("only once", SentenceRelation::OnlyAfter),
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
];

/// Parses one sentence.
pub(super) fn read(tokens: &[ClauseToken], names: &PolicyNames) -> Result<Sentence, Refused> {
    if let Some(counted) = counted(tokens, names) {
        return counted;
    }
    for (words, joint) in JOINTS {
        let Some((first, second)) = around(tokens, words) else { continue };
        // `after that` and the like are not joints.
        if second.is_empty()
            || second.first().is_some_and(|token| token.is("that")) && words.contains("after")
        {
            continue;
        }
        if first.iter().all(|token| token.is("please") || token.kind == ClauseTokenKind::Comma) {
            let (given, then) = leading(second, names)?;
            // `if b, a` and `before b, a`; but `means` never comes first.
            return joined(*joint, &then, &given, range(tokens));
        }
        let (first, second) = (slot(first, names)?, slot(second, names)?);
        return match joint {
            SentenceRelation::Means => joined(*joint, &second, &first, range(tokens)),
            _ => joined(*joint, &first, &second, range(tokens)),
        };
    }
    let one = slot(tokens, names)?;
    let law = one.about.call();
    let says = |word: &str| tokens.iter().any(|token| token.is(word));
    if one.negative {
        return Ok(Sentence::of(LawTree::globally(LawTree::negate(law))));
    }
    if says("always") && !one.event {
        return Ok(Sentence::of(LawTree::globally(law)));
    }
    Ok(Sentence::of_pattern(&LawPattern::EndRequires { needed: one.about })
        .note("this has to be so before the end"))
}

/// Longer sentences that begin with a joint need a comma.
const LONGEST: usize = 60;

/// Words with which a main clause begins.
const BEGINNINGS: &[&str] = &[
    "you", "the", "do", "don't", "never", "always", "i", "we", "it", "avoid", "no", "must", "cannot",
    "please", "make",
];

/// The halves before and after the comma (or `then`) of a sentence that begins with a joint. Without a comma, the first
/// split for which both halves can be parsed.
fn leading(tokens: &[ClauseToken], names: &PolicyNames) -> Result<(HalfSentence, HalfSentence), Refused> {
    for between in [", then", ",", "then"] {
        if let Some((given, then)) = around(tokens, between)
            && !then.is_empty()
        {
            return Ok((slot(given, names)?, slot(then, names)?));
        }
    }
    let both = |at: usize| Some((slot(&tokens[..at], names).ok()?, slot(&tokens[at..], names).ok()?));
    let last = tokens.len().min(LONGEST);
    let begins = |at: &usize| tokens[*at].word().is_some_and(|word| BEGINNINGS.contains(&word));
    let found = (1..last).filter(begins).find_map(both).or_else(|| (1..last).find_map(both));
    found.ok_or_else(|| {
        let message = "expected a comma, and behind it what follows";
        slot(tokens, names).err().unwrap_or_else(|| Refused::new(Code::SENTENCE_FORM, range(tokens), message))
    })
}

fn signed(slot: &HalfSentence) -> NameCondition {
    if slot.negative { NameCondition::Not(Box::new(slot.about.clone())) } else { slot.about.clone() }
}

/// The law of a sentence of two halves: `then`, and `given` on which it depends.
fn joined(
    joint: SentenceRelation,
    then: &HalfSentence,
    given: &HalfSentence,
    place: std::ops::Range<usize>,
) -> Result<Sentence, Refused> {
    let unclear = |message: &str| Err(Refused::new(Code::SENTENCE_FORM, place.clone(), message));
    let before = |what: &HalfSentence, needed: &HalfSentence| {
        let (what, needed) = (what.about.clone(), needed.about.clone());
        Ok(Sentence::of_pattern(&LawPattern::RequiresBefore { what, needed }).note(WEAK))
    };
    match joint {
        SentenceRelation::Exactly => {
            let then_law = signed(then).call();
            let law = if then.next { LawTree::unary(Temporal::Next, then_law) } else { then_law };
            Ok(Sentence::of(LawTree::globally(LawTree::Iff(Box::new(signed(given).call()), Box::new(law)))))
        }
        SentenceRelation::RightAfter => Ok(next(given, then)),
        SentenceRelation::Before | SentenceRelation::Until if then.negative => before(then, given),
        SentenceRelation::Before => before(given, then),
        SentenceRelation::Until => {
            let law = LawTree::binary(Link::WeakUntil, then.about.call(), given.about.done());
            Ok(Sentence::of(law).note("`until` is read weakly: the run may end before it comes"))
        }
        SentenceRelation::OnlyAfter => before(then, given),
        SentenceRelation::Unless => {
            let first_law =
                if given.negative { LawTree::negate(given.about.call()) } else { given.about.call() };
            if !given.negative && (given.perfect || given.about.mentions_an_action()) {
                return before(then, given);
            }
            Ok(Sentence::of(LawTree::globally(LawTree::implies(then.about.call(), first_law))))
        }
        SentenceRelation::While if then.negative => Ok(excluded(then, given)),
        SentenceRelation::While => unclear(
            "what has to be so while something else is so? say `do not .. while ..`, or `if .., then ..`",
        ),
        SentenceRelation::After | SentenceRelation::If | SentenceRelation::Means => {
            Ok(conditional(joint, then, given))
        }
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
fn conditional(joint: SentenceRelation, then: &HalfSentence, given: &HalfSentence) -> Sentence {
    let trigger = signed(given);
    if then.next && !then.later {
        return next(given, then);
    }
    if then.negative {
        if given.negative && given.perfect {
            let (what, needed) = (then.about.clone(), given.about.clone());
            return Sentence::of_pattern(&LawPattern::RequiresBefore { what, needed }).note(WEAK);
        }
        let forbids = LawPattern::ForbidsAfter { trigger, forbidden: then.about.clone() };
        if given.perfect || then.later || joint == SentenceRelation::After {
            return Sentence::of_pattern(&forbids);
        }
        let is_event = given.event || given.about.mentions_an_action();
        if is_event && !given.negative && !then.same {
            return Sentence::of_pattern(&forbids).note(VISIT);
        }
        return excluded(then, given);
    }
    if then.same {
        return Sentence::of(LawTree::globally(LawTree::implies(trigger.call(), then.about.call())));
    }
    let owed = Sentence::of_pattern(&LawPattern::ThenEventually { trigger, owed: then.about.clone() });
    if then.later { owed } else { owed.note(EVENTUALLY) }
}
