//! What a sentence does with the thing that it is about: it demands, forbids or permits it, or has `only` before a
//! condition. The words for that are taken out of the sentence, so that every word that is left has to mean something else.

use super::clause::{ClauseToken, ClauseTokenKind};
use super::ground::number;
use super::reading::JOINT_WORDS;
use super::refused::Refused;
use super::slot::{NEGATIONS, is_any};
use std::ops::Range;
use tsl_synth_core::diag::Code;

const FORBIDDEN: &[&str] = &["forbidden", "prohibited", "disallowed", "banned"];
const PERMITTED: &[&str] = &["allowed", "permitted"];
const MODALS: &[&str] = &["may", "can", "could", "might"];
/// Words that permit where `to` follows: `free to push`.
const PERMITTED_TO: &[&str] = &["able", "free", "ok", "okay", "fine"];
const NEEDED: &[&str] =
    &["required", "needed", "necessary", "mandatory", "obliged", "need", "needs", "require"];
/// Forms of `be` before these words, and adverbs that say nothing.
const BEFORE: &[&str] = &["is", "are", "be", "it's", "strictly", "absolutely", "also"];

/// A sentence without the words that this module takes out.
pub(super) struct FramedSentence {
    /// The words that are left.
    pub(super) tokens: Vec<ClauseToken>,
    /// Whether it says `is forbidden`, `is not allowed`.
    pub(super) forbids: bool,
    /// The place of a word that permits.
    pub(super) permits: Option<Range<usize>>,
    /// The place of `only`, unless a count follows.
    pub(super) only: Option<Range<usize>>,
}

fn refused(range: Range<usize>, message: impl Into<String>) -> Refused {
    Refused::new(Code::SENTENCE_FORM, range, message)
}

/// A sentence that permits.
pub(super) fn permission(range: Range<usize>) -> Refused {
    refused(range, "a permission is no law: laws say what must not happen, and what has to")
        .hint("`never A`, `never A without B`, `A only after B`, `A only if P` and `at most N A` are laws")
}

/// Whether a negation stands before a place, with no joint and no comma between.
fn negated_before(tokens: &[ClauseToken], at: usize) -> bool {
    let ends =
        |token: &&ClauseToken| token.kind != ClauseTokenKind::Comma && !is_any(Some(token), JOINT_WORDS);
    tokens[..at].iter().rev().take_while(ends).any(|token| is_any(Some(token), NEGATIONS))
}

/// Whether a count stands here: `twice`, `3 times`, `once` at the end of a sentence.
fn counts(tokens: &[ClauseToken]) -> bool {
    match tokens {
        [once] if once.is("once") => true,
        [first, ..] if is_any(Some(first), &["twice", "thrice"]) => true,
        [first, times, ..] => {
            first.word().and_then(number).is_some()
                && is_any(Some(times), &["time", "times", "visit", "visits"])
        }
        _ => false,
    }
}

/// Takes the words for modality out of a sentence.
pub(super) fn framed(all: &[ClauseToken]) -> Result<FramedSentence, Refused> {
    let mut left = FramedSentence { tokens: Vec::new(), forbids: false, permits: None, only: None };
    let mut at = 0;
    while let Some(token) = all.get(at) {
        let (here, before, behind) =
            (Some(token), at.checked_sub(1).and_then(|at| all.get(at)), all.get(at + 1));
        let place = token.range.clone();
        at += 1;
        let has_to = is_any(here, &["have", "has", "had"]) && is_any(behind, &["to"]);
        if is_any(here, &["needn't", "optional"])
            || (has_to || is_any(here, NEEDED)) && negated_before(all, at - 1)
            || token.is("need") && is_any(behind, &["not"])
        {
            return Err(refused(
                place,
                "what need not be done is no law: laws say what must not happen, and what has to",
            ));
        }
        let off_limits = token.is("off") && is_any(behind, &["limits"]);
        if off_limits || is_any(here, FORBIDDEN) {
            at += usize::from(off_limits);
            if negated_before(all, at - 1 - usize::from(off_limits)) {
                return Err(permission(place));
            }
            if left.forbids {
                return Err(refused(place, "two prohibitions in one sentence: write one sentence for each"));
            }
            left.forbids = true;
            drop_verb(&mut left.tokens);
        } else if is_any(here, PERMITTED) {
            // `is not allowed`, `is only allowed`, `isn't allowed`.
            drop_verb(&mut left.tokens);
            let is_not = |token: &ClauseToken| is_any(Some(token), &["not", "never", "isn't", "aren't"]);
            if left.tokens.last().is_some_and(is_not) {
                left.tokens.pop();
                left.forbids = true;
            } else {
                left.permits = Some(place);
            }
            drop_verb(&mut left.tokens);
        } else if is_any(here, MODALS) {
            if !is_any(behind, &["not", "never"]) {
                left.permits = Some(place);
            }
        } else if is_any(here, PERMITTED_TO) && is_any(behind, &["to"]) {
            left.permits = Some(place);
        } else if token.is("only") && !counts(&all[at..]) && !is_any(before, &["and"]) {
            if left.only.is_some() {
                return Err(refused(place, "`only` is not understood twice in one sentence"));
            }
            if is_any(before, NEGATIONS) {
                return Err(refused(place, "`only` is not understood behind a negation"));
            }
            left.only = Some(place);
        } else {
            left.tokens.push(token.clone());
        }
    }
    Ok(left)
}

/// Drops the verb at the end of what was kept: `is` of `is forbidden`.
fn drop_verb(tokens: &mut Vec<ClauseToken>) {
    while tokens.last().is_some_and(|token| is_any(Some(token), BEFORE)) {
        tokens.pop();
    }
}
