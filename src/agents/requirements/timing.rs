//! When a response comes.

use super::text::{find, strip, strip_end};

/// When a response comes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Timing {
    /// Not said.
    Open,
    /// In the first step.
    Initially,
    /// In the same step.
    Now,
    /// In the same step as something else: `at the same time`.
    Together,
    /// In the next step.
    Next,
    /// After exactly so many steps.
    After(u32),
    /// At some time.
    Eventually,
    /// In so many steps.
    Within(u32),
    /// At all times: from now on, or as long as the condition holds.
    Always,
    /// From now on.
    FromNowOn,
    /// In so many steps, this one included.
    For(u32),
    /// Until this, which need not come.
    Until(String),
    /// Before this.
    Before(String),
    /// Again and again.
    InfinitelyOften,
    /// At least every so many steps.
    Every(u32),
}

const SUFFIXES: [(&str, Timing); 29] = [
    (" initially", Timing::Initially),
    (" at first", Timing::Initially),
    (" at the beginning", Timing::Initially),
    (" in the beginning", Timing::Initially),
    (" at the start", Timing::Initially),
    (" in the first step", Timing::Initially),
    (" instantly", Timing::Now),
    (" right away", Timing::Now),
    (" straight away", Timing::Now),
    (" immediately", Timing::Now),
    (" at once", Timing::Now),
    (" at the same time", Timing::Together),
    (" simultaneously", Timing::Together),
    (" in the same step", Timing::Together),
    (" in the next step", Timing::Next),
    (" at the next step", Timing::Next),
    (" at the next time point", Timing::Next),
    (" eventually", Timing::Eventually),
    (" at some time", Timing::Eventually),
    (" at some point", Timing::Eventually),
    (" at some moment", Timing::Eventually),
    (" infinitely often", Timing::InfinitelyOften),
    (" again and again", Timing::InfinitelyOften),
    (" at all times", Timing::Always),
    (" all the time", Timing::Always),
    (" forever", Timing::FromNowOn),
    (" from then on", Timing::FromNowOn),
    (" from now on", Timing::FromNowOn),
    (" always", Timing::Always),
];
/// Words before a response, which may also stand behind its `be`.
const PREFIXES: [(&str, Timing); 5] = [
    ("initially ", Timing::Initially),
    ("eventually ", Timing::Eventually),
    ("immediately ", Timing::Now),
    ("instantly ", Timing::Now),
    ("always ", Timing::Always),
];
/// Words that begin a sentence, before a comma or not.
const FIRST: [(&str, Timing); 8] = [
    ("initially", Timing::Initially),
    ("at first", Timing::Initially),
    ("at the beginning", Timing::Initially),
    ("in the beginning", Timing::Initially),
    ("at the start", Timing::Initially),
    ("in the first step", Timing::Initially),
    ("eventually", Timing::Eventually),
    ("at some point", Timing::Eventually),
];

/// Why a time is not read.
const STEPS: &str = "time is counted in steps, and a step is one round of inputs and outputs: say how many rounds the time \
                     takes, such as `within 3 steps`";

/// The sentence without a leading phrase that states the time of its response.
pub(super) fn first(text: &str) -> (&str, Timing) {
    for (words, timing) in FIRST {
        if let Some(rest) =
            strip(text, words).filter(|rest| rest.starts_with(',') || strip(rest, "the ").is_some())
        {
            return (rest.trim_start_matches([',', ' ']), timing);
        }
    }
    (text, Timing::Open)
}

/// The response without the words before it that say when it comes.
pub(super) fn led(text: &str) -> (String, Timing) {
    let (be, response) = strip(text, "be ").map_or(("", text), |rest| ("be ", rest));
    for (prefix, timing) in PREFIXES {
        if let Some(rest) = strip(response, prefix) {
            return (format!("{be}{rest}"), timing);
        }
    }
    (text.to_string(), Timing::Open)
}

/// The response without the words behind it that say when it comes.
pub(super) fn timed(text: &str) -> Result<(&str, Timing), String> {
    let text = text.trim().trim_end_matches(['.', ',']).trim();
    for (suffix, timing) in SUFFIXES {
        if let Some(rest) = strip_end(text, suffix) {
            return Ok((rest.trim_end_matches(','), timing));
        }
    }
    if let Some(at) = find(text, " at least every ") {
        return match number_and_unit(&text[at + 16..]) {
            Some((number, unit)) if is_unit(unit) => Ok((&text[..at], Timing::Every(number))),
            _ => Err(format!("expected a number of steps after `at least every`: {STEPS}")),
        };
    }
    for word in [" within ", " after ", " for "] {
        let Some(at) = find(text, word) else { continue };
        let after = text[at + word.len()..].trim();
        let (after, most) = strip(after, "at most ").map_or((after, false), |after| (after, true));
        let (after, least) = strip(after, "at least ").map_or((after, false), |after| (after, true));
        let after = strip(after, "the next ").unwrap_or(after);
        let Some((number, unit)) = number_and_unit(after) else {
            if word == " for " || word == " after " {
                continue;
            }
            return Err(format!("expected a number of steps after `within`, in place of `{after}`"));
        };
        if !is_unit(unit) {
            return Err(format!("expected `steps` after the number, in place of `{unit}`: {STEPS}"));
        }
        let timing = match (word, most, least) {
            (" within ", _, false) | (" after ", true, false) => Timing::Within(number),
            (" after ", false, false) => Timing::After(number),
            (" for ", ..) if number == 0 => return Err("expected at least 1 step after `for`".into()),
            (" for ", false, _) => Timing::For(number),
            (word, most, _) => {
                let bound = if most { "at most" } else { "at least" };
                return Err(format!(
                    "expected `within N steps`, `after N steps` or `for N steps`, since `{} {bound}` can be read in two ways",
                    word.trim()
                ));
            }
        };
        return Ok((&text[..at], timing));
    }
    for (word, timing) in [(" until ", Timing::Until as fn(String) -> Timing), (" before ", Timing::Before)] {
        if let Some(at) = find(text, word) {
            return Ok((&text[..at], timing(text[at + word.len()..].to_string())));
        }
    }
    Ok((text, Timing::Open))
}

/// `5 steps`, `five steps`.
pub(super) fn number_and_unit(text: &str) -> Option<(u32, &str)> {
    const WORDS: [&str; 11] =
        ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
    let (number, unit) = text.trim().split_once(' ').unwrap_or((text.trim(), ""));
    let lower = number.to_ascii_lowercase();
    let value =
        lower.parse().ok().or_else(|| WORDS.iter().position(|word| *word == lower).map(|n| n as u32))?;
    Some((value, unit.trim()))
}

/// Whether a word counts steps.
pub(super) fn is_unit(text: &str) -> bool {
    const UNITS: [&str; 10] =
        ["step", "steps", "tick", "ticks", "cycle", "cycles", "time steps", "time units", "turns", "turn"];
    UNITS.contains(&text)
}
