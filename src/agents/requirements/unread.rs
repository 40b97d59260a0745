//! Words, phrases and signs that change what a sentence says and that no rule reads at their place: they are refused and
//! never part of a name.

use super::words::{is_one_of, words};

/// Words of conditions, times, frequencies, counts, exceptions, possibilities and the past, and pronouns for persons.
#[rustfmt::skip]
const NEVER_IN_NAMES: &[&str] = &[
    // Conditions and times.
    "when", "whenever", "while", "if", "unless", "until", "till", "within", "before", "after", "later", "earlier", "step",
    "steps", "then", "eventually", "immediately", "instantly", "always", "previously", "follow", "since", "during",
    "between", "where", "upon", "simultaneously", "initially", "finally", "lastly", "sometime", "meanwhile", "afterwards",
    "afterward", "beforehand", "thereafter", "thereupon", "henceforth", "subsequently", "consecutively", "recently",
    "lately", "formerly", "originally", "ago", "today", "tomorrow", "yesterday", "tonight", "nowadays", "now", "soon",
    "sooner", "promptly", "shortly", "momentarily", "briefly", "temporarily", "permanently", "indefinitely", "forever",
    "already", "yet", "just", "still", "anymore", "ever", "everytime", "anytime", "whilst", "throughout",
    "monday", "mondays", "tuesday", "tuesdays", "wednesday", "wednesdays", "thursday", "thursdays", "friday", "fridays",
    "saturday", "saturdays", "sunday", "sundays", "weekday", "weekdays", "weekend", "weekends", "o'clock", "a.m", "p.m",
    // How often.
    "never", "again", "once", "twice", "thrice", "times", "often", "sometimes", "occasionally", "rarely", "seldom",
    "frequently", "usually", "normally", "generally", "typically", "mostly", "regularly", "periodically", "repeatedly",
    "continuously", "continually", "constantly", "perpetually", "intermittently", "sporadically", "hardly", "scarcely",
    "barely", "daily", "hourly", "weekly", "monthly", "yearly", "annually", "nightly", "alternately", "alternatingly",
    "alternatively",
    // What goes on or changes.
    "remain", "remains", "stay", "stays", "keep", "keeps", "continue", "continues", "been", "being", "became",
    // Lists, counts and exceptions.
    "only", "solely", "merely", "except", "exactly", "either", "neither", "nor", "but", "otherwise", "else", "instead",
    "same", "per", "least", "without", "as", "also", "together", "respectively", "etc", "jointly", "besides", "likewise",
    // Possibilities, duties and reasons.
    "shall", "must", "should", "will", "won't", "would", "can", "cannot", "can't", "could", "may", "might", "possible",
    "able", "possibly", "probably", "perhaps", "maybe", "preferably", "ideally", "optionally", "hopefully", "likely",
    "presumably", "supposedly", "somehow", "ought", "because", "although", "though", "therefore", "hence", "thus",
    "whether", "regardless", "despite",
    // The past and persons.
    "was", "were", "had", "did", "he", "she", "him", "her", "whose", "who", "which",
];
/// Words that are adverbs of time or of a list at the end of a phrase: `blink first`, but `the first floor`.
const NEVER_LAST: [&str; 6] = ["first", "last", "next", "too", "longer", "well"];
/// Phrases that say when or how often something is.
#[rustfmt::skip]
const TIMES: &[&str] = &[
    "of the time", "first time", "second time", "third time", "fourth time", "fifth time", "last time", "next time", "other time",
    "in winter", "in summer", "in spring", "in autumn", "in january", "in february", "in march", "in april", "in june", "in july",
    "in august", "in september", "in october", "in november", "in december", "each time", "every time", "any time", "whole run", "whole time",
    "entire time", "all the time", "same time", "time to time", "at a time", "at the time", "at times", "in time",
    "on time", "at some", "at any", "at every", "at each", "at no", "at least", "at most", "at last", "at all", "at once",
    "at first", "at present", "at night", "at noon", "at midnight", "at the latest", "at the earliest", "at the moment",
    "at the beginning", "in the beginning", "from the beginning", "at the start", "from the start",
    "the very beginning", "the very start", "in the end", "at intervals", "in advance", "in between", "in turn", "by turns",
    "one after", "a while", "for now", "by now", "from now", "from then", "so far", "up to now", "in the meantime",
    "some time", "some day", "one day", "a day", "every day", "each day", "all day", "every night", "each night",
    "all night", "in the morning", "in the afternoon", "in the evening", "in the past",
    "in the future", "right away", "straight away", "and so on", "along with", "in addition", "in case", "in order",
    "as well", "no longer", "any longer", "any more", "much longer", "more than once",
];
/// What `at the end of` is a time of.
#[rustfmt::skip]
const SPANS: [&str; 16] = [
    "run", "day", "night", "week", "month", "year", "shift", "game", "execution", "trace", "time", "session", "cycle",
    "round", "hour", "mission",
];
/// Units of time: after a number they say how long or when.
#[rustfmt::skip]
const UNITS: [&str; 17] = [
    "second", "seconds", "sec", "secs", "ms", "millisecond", "milliseconds", "minute", "minutes", "min", "mins", "hour",
    "hours", "days", "weeks", "months", "years",
];

/// The first sign in a text that is no letter, digit or punctuation.
pub(super) fn sign(text: &str) -> Option<String> {
    let ends = |c: char| c.is_whitespace() || ",\"`()".contains(c);
    for written in text.split(ends) {
        let token = written.trim_matches(['\'', '.', ':']);
        // `.5` is not `5`.
        let begins = written.trim_start_matches('\'');
        if token.is_empty() && !written.is_empty() || begins.starts_with(['.', ':']) {
            return Some(begins.chars().take(1).collect());
        }
        let all: Vec<char> = token.chars().collect();
        for (at, &c) in all.iter().enumerate() {
            let before = at.checked_sub(1).map(|at| all[at]);
            let is_inside = before.is_some_and(char::is_alphanumeric)
                && all.get(at + 1).is_some_and(|next| next.is_alphanumeric());
            let is_read = match c {
                '_' => true,
                '-' | '.' | ':' | '\'' => is_inside,
                '%' => before.is_some_and(|c| c.is_ascii_digit()) && at + 1 == all.len(),
                _ => c.is_alphanumeric(),
            };
            if !is_read {
                return Some(c.to_string());
            }
        }
    }
    None
}

/// The first of the words of a phrase, in small letters, that is never part of a name.
pub(super) fn unread(all: &[&str]) -> Option<String> {
    let lower: Vec<String> = all.iter().map(|word| word.to_lowercase()).collect();
    let text = format!(" {} ", lower.join(" "));
    if let Some(time) = TIMES.iter().find(|time| text.contains(&format!(" {time} "))) {
        return Some((*time).to_string());
    }
    if let Some(time) = ["at the end", "by the end", "until the end"].iter().find(|time| {
        let behind = text.find(&format!(" {time} ")).map(|at| &text[at + time.len() + 1..]);
        behind.is_some_and(|behind| {
            let behind: Vec<&str> =
                words(behind).filter(|word| !is_one_of(&["the", "a", "an", "each", "every"], word)).collect();
            behind.first() != Some(&"of") || behind.get(1).is_none_or(|of| SPANS.contains(of))
        })
    }) {
        return Some((*time).to_string());
    }
    let is_clock = |word: &&String| {
        word.split_once(':').is_some_and(|(hour, rest)| {
            hour.chars().chain(rest.chars()).all(|c| c.is_ascii_digit() || c == ':')
        })
    };
    if let Some(clock) = lower.iter().find(is_clock) {
        return Some(clock.clone());
    }
    let number = |word: &str| {
        word.chars().all(|c| c.is_ascii_digit() || c == '.')
            || [
                "a", "an", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
                "half", "few", "some", "many", "several", "every", "each", "all",
            ]
            .contains(&word)
    };
    if let Some(pair) = lower.windows(2).find(|pair| number(&pair[0]) && UNITS.contains(&pair[1].as_str())) {
        return Some(pair.join(" "));
    }
    if let Some(last) = lower.last().filter(|word| lower.len() > 1 && NEVER_LAST.contains(&word.as_str())) {
        return Some(last.clone());
    }
    let is_left = |word: &&String| {
        let contracted =
            ["it's", "they're", "that's", "there's", "he's", "she's", "who's", "what's", "it'll", "they've"];
        is_one_of(NEVER_IN_NAMES, word) && (lower.len() > 1 || *word != "step")
            || word.ends_with("n't")
            || contracted.contains(&word.as_str())
    };
    lower.iter().find(is_left).cloned()
}
