//! Phrases: the words that say what holds, and whether they are negated. A word that changes the meaning of a sentence and
//! is not understood at its place is an error and never part of a name.

/// Words that names leave out.
const IDLE: [&str; 13] =
    ["the", "a", "an", "is", "are", "be", "been", "being", "has", "have", "that", "becomes", "become"];
/// Words that names leave out at the end of a phrase.
const IDLE_LAST: [&str; 2] = ["holds", "hold"];
/// Phrases that say how often something happens, which no formula expresses.
const OFTEN: [&str; 9] = [
    "of the time",
    "first time",
    "last time",
    "next time",
    "each time",
    "every time",
    "any time",
    "whole run",
    "whole time",
];
/// Words that negate a phrase.
const NOT: [&str; 8] = ["not", "no", "isn't", "aren't", "doesn't", "don't", "hasn't", "haven't"];
/// Words that go with a negation and say nothing else.
const WITH_NOT: [&str; 3] = ["does", "do", "longer"];
/// Words directly after which `not` is read.
const BEFORE_NOT: [&str; 7] = ["is", "are", "be", "has", "have", "does", "do"];
/// Verbs that end the subject of a condition.
const COPULAS: [&str; 4] = ["is", "are", "has", "have"];
/// Words that say how many.
const QUANTIFIERS: [&str; 14] = [
    "every", "each", "all", "both", "any", "some", "most", "many", "few", "several", "two", "three", "four",
    "five",
];
/// What is said of `it` where `it` is no pronoun: `it is cold`.
const WEATHER: [&str; 12] =
    ["cold", "hot", "warm", "cool", "dark", "light", "late", "early", "rains", "raining", "snows", "snowing"];
/// Pronouns in place of the name of a thing.
const PRONOUNS: [&str; 8] = ["it", "they", "them", "its", "their", "this", "these", "those"];
/// Words that are never part of a name: those of conditions, times, counts, exceptions, possibilities and the past, and
/// pronouns for persons.
const NEVER_IN_NAMES: &[&str] = &[
    "when",
    "whenever",
    "while",
    "if",
    "unless",
    "until",
    "within",
    "before",
    "after",
    "later",
    "earlier",
    "step",
    "steps",
    "only",
    "then",
    "shall",
    "must",
    "should",
    "eventually",
    "immediately",
    "always",
    "previously",
    "follow",
    "never",
    "again",
    "once",
    "twice",
    "thrice",
    "times",
    "except",
    "exactly",
    "either",
    "neither",
    "nor",
    "but",
    "otherwise",
    "else",
    "same",
    "simultaneously",
    "still",
    "remain",
    "remains",
    "stay",
    "stays",
    "keep",
    "keeps",
    "continue",
    "continues",
    "instead",
    "since",
    "during",
    "between",
    "where",
    "upon",
    "per",
    "will",
    "won't",
    "would",
    "can",
    "cannot",
    "can't",
    "could",
    "couldn't",
    "may",
    "might",
    "was",
    "wasn't",
    "were",
    "weren't",
    "had",
    "hadn't",
    "did",
    "didn't",
    "he",
    "she",
    "him",
    "her",
    "whose",
    "who",
    "which",
    "possible",
    "ever",
    "anymore",
    "often",
    "least",
    "able",
    "without",
];

/// What holds, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Phrase {
    /// The words that say it.
    pub(super) words: Vec<String>,
    /// Whether it is negated.
    pub(super) is_negated: bool,
}

/// The words of a text as they are written.
pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    let parts = text.split(|c: char| c.is_whitespace() || ",;\"`()".contains(c));
    parts.map(|word| word.trim_matches(['\'', '.', ':'])).filter(|word| !word.is_empty())
}

pub(super) fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Whether a word is written as the name of a signal and not as a word.
pub(super) fn is_identifier(word: &str) -> bool {
    is_name(word)
        && (word.len() == 1 || word.contains('_') || word.chars().skip(1).any(|c| !c.is_ascii_lowercase()))
}

pub(super) fn is_one_of(list: &[&str], word: &str) -> bool {
    list.iter().any(|known| word.eq_ignore_ascii_case(known))
}

pub(super) fn is_negation(word: &str) -> bool {
    is_one_of(&NOT, word)
}

pub(super) fn is_copula(word: &str) -> bool {
    is_one_of(&COPULAS, word)
}

pub(super) fn is_article(word: &str) -> bool {
    is_one_of(&["the", "a", "an"], word) && word != "A"
}

pub(super) fn is_quantifier(word: &str) -> bool {
    is_one_of(&QUANTIFIERS, word)
}

/// Words without articles, forms of `be` and the like.
pub(super) fn bare(text: &str) -> Vec<String> {
    let mut all: Vec<&str> = words(text).collect();
    if all.last().is_some_and(|word| is_one_of(&IDLE_LAST, word)) {
        all.pop();
    }
    let kept = all.into_iter().filter(|word| *word == "A" || !is_one_of(&IDLE, word));
    kept.map(str::to_lowercase).collect()
}

/// Reads a phrase.
///
/// # Errors
/// What was expected.
pub(super) fn phrase(text: &str) -> Result<Phrase, String> {
    let all: Vec<&str> = words(text).collect();
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
    let lower = text.to_lowercase();
    if let Some(often) = OFTEN.iter().find(|often| lower.contains(**often)) {
        return wrong(often);
    }
    let mut is_negated = !nots.is_empty();
    let mut found: Vec<&str> = Vec::new();
    for (at, word) in all.iter().copied().enumerate() {
        let is_last = at + 1 == all.len() && is_one_of(&IDLE_LAST, word);
        let is_idle = word != "A" && is_one_of(&IDLE, word) || is_last;
        if !(is_idle || nots.contains(&at) || is_negated && is_one_of(&WITH_NOT, word)) {
            found.push(word);
        }
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
        found.push(letter);
    }
    if found.is_empty() {
        return Err(format!("expected what holds, in words, in place of `{}`", text.trim()));
    }
    let is_weather = found.len() == 2 && is_one_of(&["it"], found[0]) && is_one_of(&WEATHER, found[1]);
    let is_left = |word: &&&str| is_one_of(NEVER_IN_NAMES, word) || is_one_of(&PRONOUNS, word) && !is_weather;
    if let Some(word) =
        found.iter().find(is_left).filter(|word| found.len() > 1 || !is_one_of(&["step"], word))
    {
        if is_one_of(&PRONOUNS, word) {
            return Err(format!("expected the name of the thing in place of `{word}` in `{}`", text.trim()));
        }
        return wrong(word);
    }
    let exact = |word: &&str| {
        if found.len() == 1 && word.len() > 1 && is_identifier(word) {
            (*word).to_string()
        } else {
            word.to_lowercase()
        }
    };
    Ok(Phrase { words: found.iter().map(exact).collect(), is_negated })
}
