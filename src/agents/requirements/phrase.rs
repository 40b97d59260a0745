//! Phrases: the words that say what holds, and whether they are negated. A word that changes the meaning of a sentence and
//! is not understood at its place is an error and never part of a name.

use super::changes::{Change, change};
use super::unread::{sign, unread};
use super::verbs::third_person;
use super::words::{
    BEFORE_NOT, IDLE, IDLE_LAST, PRONOUNS, QUANTIFIERS, WEATHER, WITH_NOT, is_identifier, is_name,
    is_negation, is_one_of, words,
};

/// What holds, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Phrase {
    /// The words that say it.
    pub(super) words: Vec<String>,
    /// Whether it is negated.
    pub(super) is_negated: bool,
    /// Whether it is a change of that.
    pub(super) change: Option<Change>,
    /// Whether the phrase says `has` and not `is`: `the tank has a lid`.
    pub(super) has: bool,
    /// A sign that is no word: the phrase is read only if a name is given to it.
    pub(super) sign: Option<String>,
}

/// Reads a phrase.
///
/// # Errors
/// What was expected.
pub(super) fn phrase(text: &str) -> Result<Phrase, String> {
    let said: Vec<&str> = words(text).collect();
    let (all, change) = change(&said)?;
    let wrong = |word: &str| {
        Err(format!(
            "expected a phrase for one thing that holds or is done, without `{word}`, in place of `{}`",
            text.trim()
        ))
    };
    let nots: Vec<usize> = (0..all.len()).filter(|&at| is_negation(all[at])).collect();
    let has = |list: &[&str]| all.iter().any(|word| is_one_of(list, word));
    if let Some(&at) = nots.first() {
        let is_placed =
            at == 0 || is_one_of(&BEFORE_NOT, all[at - 1]) || !all[at].eq_ignore_ascii_case("not");
        if nots.len() > 1 || !is_placed || has(&["that"]) || has(&QUANTIFIERS) {
            return wrong(all[at]);
        }
    }
    let mut is_negated = !nots.is_empty();
    let mut found: Vec<String> = Vec::new();
    for (at, word) in all.iter().copied().enumerate() {
        let is_last = at + 1 == all.len() && is_one_of(&IDLE_LAST, word);
        let is_idle = word != "A" && is_one_of(&IDLE, word) || is_last;
        if is_idle || nots.contains(&at) || is_negated && is_one_of(&WITH_NOT, word) {
            continue;
        }
        // `does not press` is the negation of `presses`.
        let is_done = nots.contains(&at.wrapping_sub(1))
            && (is_one_of(&["doesn't"], all[at - 1]) || at > 1 && is_one_of(&["does"], all[at - 2]));
        found.push(if is_done { third_person(word) } else { word.to_string() });
    }
    // `P is true`, `P is not satisfied`, `P is false`.
    if found.len() > 1
        && all.len() > 2
        && let Some(truth) = found.last().filter(|word| is_one_of(&["true", "satisfied", "false"], word))
    {
        is_negated ^= truth.eq_ignore_ascii_case("false");
        found.pop();
    }
    // A single letter is a name, also where it is an article elsewhere.
    if found.is_empty()
        && let Some(letter) = all.last().filter(|word| word.len() == 1 && is_name(word))
    {
        found.push((*letter).to_string());
    }
    if found.is_empty() {
        return Err(format!("expected what holds, in words, in place of `{}`", text.trim()));
    }
    let is_weather = found.len() == 2 && is_one_of(&["it"], &found[0]) && is_one_of(&WEATHER, &found[1]);
    if let Some(word) = found.iter().find(|word| is_one_of(&PRONOUNS, word) && !is_weather) {
        return Err(format!("expected the name of the thing in place of `{word}` in `{}`", text.trim()));
    }
    let said: Vec<&str> =
        all.iter().enumerate().filter(|(at, _)| !nots.contains(at)).map(|(_, word)| *word).collect();
    if let Some(word) = unread(&said) {
        return wrong(&word);
    }
    let exact = |word: &String| {
        if found.len() == 1 && word.len() > 1 && is_identifier(word) {
            word.clone()
        } else {
            word.to_lowercase()
        }
    };
    Ok(Phrase {
        words: found.iter().map(exact).collect(),
        is_negated,
        change,
        has: all.iter().any(|word| is_one_of(&["has", "have", "hasn't", "haven't"], word)),
        sign: sign(text),
    })
}
