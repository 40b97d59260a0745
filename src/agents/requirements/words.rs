//! Words of phrases, and kinds of them.

/// Words that names leave out.
pub(super) const IDLE: [&str; 9] = ["the", "a", "an", "is", "are", "be", "has", "have", "that"];
/// Words that names leave out at the end of a phrase.
pub(super) const IDLE_LAST: [&str; 2] = ["holds", "hold"];
/// Words that negate a phrase.
pub(super) const NOT: [&str; 8] = ["not", "no", "isn't", "aren't", "doesn't", "don't", "hasn't", "haven't"];
/// Words that go with a negation and say nothing else.
pub(super) const WITH_NOT: [&str; 2] = ["does", "do"];
/// Words directly after which `not` is read.
pub(super) const BEFORE_NOT: [&str; 7] = ["is", "are", "be", "has", "have", "does", "do"];
/// Verbs that end the subject of a condition.
pub(super) const COPULAS: [&str; 4] = ["is", "are", "has", "have"];
/// Words that say how many.
pub(super) const QUANTIFIERS: [&str; 14] = [
    "every", "each", "all", "both", "any", "some", "most", "many", "few", "several", "two", "three", "four",
    "five",
];
/// What is said of `it` where `it` is no pronoun: `it is cold`.
pub(super) const WEATHER: [&str; 12] =
    ["cold", "hot", "warm", "cool", "dark", "light", "late", "early", "rains", "raining", "snows", "snowing"];
/// Pronouns in place of the name of a thing.
pub(super) const PRONOUNS: [&str; 8] = ["it", "they", "them", "its", "their", "this", "these", "those"];
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
