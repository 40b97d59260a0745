//! EARS sentences: conditions, the system, `shall`, a response, and when it comes.

use super::Formula;
use super::phrase::{Names, Side};

/// How a condition is introduced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Keyword {
    While,
    When,
    If,
    Where,
    Unless,
}

const KEYWORDS: [(&str, Keyword); 11] = [
    ("while ", Keyword::While),
    ("during ", Keyword::While),
    ("as long as ", Keyword::While),
    ("whenever ", Keyword::When),
    ("when ", Keyword::When),
    ("upon ", Keyword::When),
    ("as soon as ", Keyword::When),
    ("unless ", Keyword::Unless),
    ("once ", Keyword::When),
    ("if ", Keyword::If),
    ("where ", Keyword::Where),
];

/// When the response comes.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Timing {
    /// Not said.
    Open,
    /// In the same step.
    Now,
    /// In the next step.
    Next,
    /// After exactly so many steps.
    After(u32),
    /// At some time.
    Eventually,
    /// In so many steps.
    Within(u32),
    /// From now on.
    Always,
    /// In so many steps, this one included.
    For(u32),
    /// Until this, which need not come.
    Until(String),
    /// Before this.
    Before(String),
    /// Again and again.
    InfinitelyOften,
}

/// A part of a text without regard of case.
fn find(text: &str, word: &str) -> Option<usize> {
    text.to_ascii_lowercase().find(word)
}

fn strip<'t>(text: &'t str, prefix: &str) -> Option<&'t str> {
    let begins = text.get(..prefix.len())?.eq_ignore_ascii_case(prefix);
    begins.then(|| &text[prefix.len()..])
}

fn strip_end<'t>(text: &'t str, suffix: &str) -> Option<&'t str> {
    let at = text.len().checked_sub(suffix.len())?;
    let ends = text.get(at..)?.eq_ignore_ascii_case(suffix);
    ends.then(|| text[..at].trim_end())
}

/// Reads a sentence with `shall`; `None` if it has none.
pub(super) fn read(sentence: &str, names: &mut Names) -> Option<Result<Formula, String>> {
    let at = ["shall ", "must ", "should "].into_iter().find_map(|word| {
        let at = find(sentence, &format!(" {word}"))?;
        Some((at, at + 1 + word.len()))
    })?;
    Some(of_parts(&sentence[..at.0], &sentence[at.1..], names))
}

fn of_parts(before: &str, response: &str, names: &mut Names) -> Result<Formula, String> {
    let (conditions, system) = conditions(before)?;
    let begins =
        ["the ", "a ", "an ", "each ", "every ", "it"].iter().any(|word| strip(&system, word).is_some());
    let is_system = begins || system.split_whitespace().count() == 1;
    if !is_system || system.contains(',') || system.split_whitespace().count() > 6 {
        return Err(format!(
            "expected the name of the system before `shall`, such as `the SYSTEM`, in place of `{system}`"
        ));
    }
    let (response, only) = match trailing(response, &["only if ", "only when ", "only while "]) {
        Some((response, _, condition)) => (response, Some(condition)),
        None => (response, None),
    };
    let mut conditions = conditions;
    let mut response = response;
    if only.is_none()
        && let Some((before, keyword, condition)) = trailing(
            response,
            &["when ", "whenever ", "if ", "while ", "as long as ", "as soon as ", "unless "],
        )
    {
        let keyword =
            KEYWORDS.iter().find(|(word, _)| *word == keyword).map_or(Keyword::When, |(_, keyword)| *keyword);
        conditions.push((keyword, condition.to_string()));
        response = before;
    }
    let mut parts = Vec::new();
    let is_event = conditions.iter().any(|(keyword, _)| matches!(keyword, Keyword::When | Keyword::If));
    for (keyword, text) in &conditions {
        let condition = names.condition(text, Side::Input)?;
        parts.push(if *keyword == Keyword::Unless { negated(&condition) } else { condition });
    }
    let condition = match parts.len() {
        0 => None,
        1 => Some(parts.remove(0)),
        _ => Some(format!("({})", parts.join(" && "))),
    };
    let (response, timing) = timed(response)?;
    let (response, is_negated) = match ["not ", "never "].iter().find_map(|word| strip(response, word)) {
        Some(rest) => (rest, true),
        None => (response, false),
    };
    let response = ["eventually ", "immediately ", "always "]
        .iter()
        .find_map(|word| strip(response, word))
        .unwrap_or(response);
    let said = first_timing(&timing, is_negated, condition.is_some(), is_event);
    let goal = names.condition(response, Side::Output)?;
    let goal = if is_negated { negated(&goal) } else { goal };
    if let Some(only) = only {
        if timing != Timing::Open {
            return Err("expected no time in a sentence with `only if`".into());
        }
        let needed = names.condition(only, Side::Input)?;
        let formula = format!("({goal} -> {needed})");
        let formula = condition.map_or(formula.clone(), |condition| format!("({condition} -> {formula})"));
        return Ok((format!("G {formula}"), None));
    }
    let mut note = None;
    if timing == Timing::Open && said == Timing::Eventually {
        note = Some(
            "no time is named, so at some time; `immediately` or `within N steps` says more".to_string(),
        );
    }
    let formula = match &said {
        Timing::Now | Timing::Open => goal,
        Timing::Next => format!("X {goal}"),
        Timing::After(n) => format!("X[{n}] {goal}"),
        Timing::Eventually => format!("F {goal}"),
        Timing::Within(n) => format!("F[0:{n}] {goal}"),
        Timing::Always => format!("G {goal}"),
        Timing::For(n) => format!("G[0:{}] {goal}", n.saturating_sub(1)),
        Timing::Until(until) => format!("({goal} W {})", names.condition(until, Side::Input)?),
        Timing::Before(before) => {
            let before = names.condition(before, Side::Input)?;
            format!("({} W {goal})", negated(&before))
        }
        Timing::InfinitelyOften => format!("G F {goal}"),
    };
    let formula = match (condition, &said) {
        (Some(condition), _) => format!("G ({condition} -> {formula})"),
        // Without a condition these are about the whole run already.
        (
            None,
            Timing::InfinitelyOften
            | Timing::Always
            | Timing::Until(_)
            | Timing::Before(_)
            | Timing::Eventually,
        ) => formula,
        (None, _) => format!("G {formula}"),
    };
    Ok((formula, note))
}

/// The time of a response that says none.
fn first_timing(timing: &Timing, is_negated: bool, has_condition: bool, is_event: bool) -> Timing {
    match timing {
        Timing::Open if is_negated || !has_condition || !is_event => Timing::Now,
        Timing::Open => Timing::Eventually,
        said => said.clone(),
    }
}

fn negated(formula: &str) -> String {
    match formula.strip_prefix('!') {
        Some(rest) if !rest.contains(' ') => rest.to_string(),
        _ => format!("!{formula}"),
    }
}

/// A response with a condition behind it: what is before one of these words, the word, and what is after it.
fn trailing<'t>(text: &'t str, words: &[&'static str]) -> Option<(&'t str, &'static str, &'t str)> {
    let found = words.iter().filter_map(|word| Some((find(text, &format!(" {word}"))?, *word)));
    let (at, word) = found.min_by_key(|(at, word)| (*at, usize::MAX - word.len()))?;
    Some((text[..at].trim_end_matches(','), word, text[at + 1 + word.len()..].trim()))
}

/// The conditions before the name of the system, and that name.
fn conditions(before: &str) -> Result<(Vec<(Keyword, String)>, String), String> {
    let mut rest = before.trim();
    let mut found: Vec<(Keyword, String)> = Vec::new();
    loop {
        rest = strip(rest, "and ").unwrap_or(rest);
        let Some((keyword, after)) =
            KEYWORDS.iter().find_map(|(word, keyword)| Some((*keyword, strip(rest, word)?)))
        else {
            break;
        };
        // The condition ends at a comma before the next condition or the system.
        let Some(end) = end_of_condition(after) else {
            return Err(
                "expected a comma between the condition and the system: `When .., the SYSTEM shall ..`"
                    .into(),
            );
        };
        let condition = after[..end].trim().to_string();
        if condition.is_empty() {
            return Err("expected a condition after the first word of the sentence".into());
        }
        found.push((keyword, condition));
        rest = after[end..].trim_start_matches([',', ' ']);
        rest = strip(rest, "then ").unwrap_or(rest);
    }
    Ok((found, rest.trim().to_string()))
}

/// Where a condition ends: at the last comma before which no further condition begins, or at ` then `.
fn end_of_condition(text: &str) -> Option<usize> {
    let mut commas = text.match_indices(',').map(|(at, _)| at);
    let begins = |at: &usize| {
        let after = text[at + 1..].trim_start();
        let after = strip(after, "then ").unwrap_or(after);
        let is_condition = KEYWORDS.iter().any(|(word, _)| strip(after, word).is_some());
        is_condition || strip(after, "the ").is_some() || strip(after, "and ").is_none()
    };
    let comma = commas.find(begins);
    comma.or_else(|| find(text, " then "))
}

/// The response without the words that say when it comes.
fn timed(text: &str) -> Result<(&str, Timing), String> {
    let text = text.trim().trim_end_matches(['.', ',']).trim();
    for (suffix, timing) in [
        (" immediately", Timing::Now),
        (" at once", Timing::Now),
        (" at the same time", Timing::Now),
        (" in the same step", Timing::Now),
        (" in the next step", Timing::Next),
        (" at the next step", Timing::Next),
        (" at the next time point", Timing::Next),
        (" eventually", Timing::Eventually),
        (" at some time", Timing::Eventually),
        (" infinitely often", Timing::InfinitelyOften),
        (" again and again", Timing::InfinitelyOften),
        (" at all times", Timing::Always),
        (" forever", Timing::Always),
        (" from then on", Timing::Always),
        (" always", Timing::Always),
    ] {
        if let Some(rest) = strip_end(text, suffix) {
            return Ok((rest.trim_end_matches(','), timing));
        }
    }
    for (prefix, timing) in [("eventually ", Timing::Eventually), ("immediately ", Timing::Now)] {
        if strip(text, prefix).is_some() {
            return Ok((text, timing));
        }
    }
    for word in [" within ", " after ", " for "] {
        let Some(at) = find(text, word) else { continue };
        let after = text[at + word.len()..].trim();
        let after = strip(after, "at most ").or_else(|| strip(after, "at least ")).unwrap_or(after);
        let after = strip(after, "the next ").unwrap_or(after);
        let Some((number, unit)) = number_and_unit(after) else {
            if word == " for " || word == " after " {
                continue;
            }
            return Err(format!("expected a number of steps after `within`, in place of `{after}`"));
        };
        if !is_unit(unit) {
            return Err(format!(
                "expected `steps` after the number, in place of `{unit}`: time is counted in steps"
            ));
        }
        let timing = match word {
            " within " => Timing::Within(number),
            " after " => Timing::After(number),
            _ if number == 0 => return Err("expected at least 1 step after `for`".into()),
            _ => Timing::For(number),
        };
        return Ok((&text[..at], timing));
    }
    if let Some(at) = find(text, " until ") {
        return Ok((&text[..at], Timing::Until(text[at + 7..].to_string())));
    }
    if let Some(at) = find(text, " before ") {
        return Ok((&text[..at], Timing::Before(text[at + 8..].to_string())));
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
    matches!(
        text,
        "step"
            | "steps"
            | "tick"
            | "ticks"
            | "cycle"
            | "cycles"
            | "time steps"
            | "time units"
            | "turns"
            | "turn"
    )
}
