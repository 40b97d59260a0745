//! EARS sentences: conditions, the system, `shall`, a response, and when it comes.

use super::Formula;
use super::condition::{Join, Joined, Things};
use super::names::{Names, Side};
use super::phrase::phrase;
use super::text::{cut, find, negated, strip, strip_end};
use super::timing::{Timing, first, is_unit, led, number_and_unit, timed};
use super::words::{bare, is_copula, is_negation, is_quantifier, words};

/// How a condition is introduced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Keyword {
    While,
    When,
    If,
    Once,
    After,
    Where,
    Unless,
    Before,
    Until,
}

const KEYWORDS: [(&str, Keyword); 17] = [
    ("while ", Keyword::While),
    ("during ", Keyword::While),
    ("as long as ", Keyword::While),
    ("whenever ", Keyword::When),
    ("when ", Keyword::When),
    ("upon ", Keyword::When),
    ("as soon as ", Keyword::When),
    ("unless ", Keyword::Unless),
    ("except when ", Keyword::Unless),
    ("except while ", Keyword::Unless),
    ("except if ", Keyword::Unless),
    ("once ", Keyword::Once),
    ("after ", Keyword::After),
    ("if ", Keyword::If),
    ("where ", Keyword::Where),
    ("before ", Keyword::Before),
    ("until ", Keyword::Until),
];
/// Those that stand behind a response; `before` and `until` are times of it.
const BEHIND: [&str; 10] = [
    "when ",
    "whenever ",
    "if ",
    "while ",
    "as long as ",
    "as soon as ",
    "unless ",
    "except when ",
    "except while ",
    "except if ",
];
/// Words that begin a condition behind a response if `otherwise` follows: `be on if P, and off otherwise`.
const CASES: [&str; 5] = ["when ", "whenever ", "if ", "while ", "as long as "];
const ONLY_IF: [&str; 4] = ["if ", "when ", "while ", "as long as "];
const ONLY_AFTER: [&str; 2] = ["after ", "once "];

/// What makes a response due; of several conditions, the last one here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Start {
    /// Nothing: it is always due.
    None,
    /// Something that lasts.
    State,
    /// Something that happens, or lasts.
    Event,
    /// Something that happens, after which the response is due for good.
    Once,
    /// As `Once`, for a response that need not come at that time.
    After,
}

impl Start {
    fn of(keyword: Keyword) -> Self {
        match keyword {
            Keyword::When | Keyword::If => Self::Event,
            Keyword::Once => Self::Once,
            Keyword::After => Self::After,
            _ => Self::State,
        }
    }
}

/// A negation of a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Negation {
    No,
    Not,
    Never,
}

/// Who shall do it.
struct Subjects {
    /// The words of each, without articles.
    all: Vec<Vec<String>>,
    things: Things,
}

/// A response whose words were read, before its time.
struct Response {
    goal: String,
    /// Whether it is made of several that all are to hold, with no `both`.
    is_several: bool,
    negation: Negation,
    timing: Timing,
    /// How many it is made of.
    parts: usize,
    /// Whether it is to stay what it is: `shall remain closed`.
    remains: bool,
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
    let (before, lead) = first(before.trim());
    let (conditions, system) = conditions(before)?;
    let subjects = subjects(&system)?;
    let response = response.trim().trim_end_matches(['.', ',']).trim();
    let is_led = lead != Timing::Open;
    if is_led && (!conditions.is_empty() || strip_end(response, " otherwise").is_some() || has_only(response))
    {
        return Err(
            "expected a response without a condition behind a time at the beginning of the sentence".into()
        );
    }
    let both_ways = [" if and only if ", " exactly when ", " exactly if "];
    if let Some((goal, condition)) = both_ways.iter().find_map(|words| cut(response, words)) {
        if !conditions.is_empty() || is_led || timed(goal)?.1 != Timing::Open {
            return Err("expected no further condition and no time beside `if and only if`".into());
        }
        let condition = names.condition(condition, Side::Input)?;
        let goal = timeless(goal, &subjects, names)?;
        return Ok((format!("G ({goal} <-> {condition})"), None));
    }
    if let Some(cases) = strip_end(response, " otherwise") {
        return of_cases(cases, &conditions, &subjects, names);
    }
    let (rest, is_only) = strip(response, "only ").map_or((response, false), |rest| (rest, true));
    let find_only = |words: &[&'static str]| {
        let words: Vec<String> = words
            .iter()
            .map(|word| if is_only { (*word).to_string() } else { format!("only {word}") })
            .collect();
        trailing(rest, &words).map(|(goal, _, needed)| (goal, needed))
    };
    if let Some((goal, needed)) = find_only(&ONLY_IF) {
        return only(goal, needed, false, &conditions, &subjects, names);
    }
    if let Some((goal, needed)) = find_only(&ONLY_AFTER) {
        return only(goal, needed, true, &conditions, &subjects, names);
    }
    if is_only {
        return Err(
            "expected `only if`, `only when`, `only while`, `only after` or `only once` with a condition"
                .into(),
        );
    }
    let mut conditions = conditions;
    let bounded = bounded(response);
    let mut response = bounded.as_ref().map_or(response, |(goal, _)| goal.as_str());
    if let Some((_, condition)) = &bounded {
        conditions.push((Keyword::When, condition.clone()));
    } else if let Some((before, keyword, condition)) = trailing(response, &BEHIND) {
        let known = KEYWORDS.iter().find(|(word, _)| *word == keyword);
        conditions.push((known.map_or(Keyword::When, |(_, keyword)| *keyword), condition.to_string()));
        response = before;
    }
    // Names are listed in the order in which they are met: conditions come first.
    let moved = match conditions.as_slice() {
        [(Keyword::Before, text)] => Some(Timing::Before(text.clone())),
        [(Keyword::Until, text)] => Some(Timing::Until(text.clone())),
        _ => None,
    };
    if moved.is_some() {
        conditions.clear();
    }
    let condition = condition_of(&conditions, names)?;
    let mut response = read_response(response, &subjects, names)?;
    if let Some(timing) = moved.or(is_led.then_some(lead)) {
        if response.timing != Timing::Open {
            return Err("expected one time of the response, and there are two".into());
        }
        response.timing = timing;
    }
    in_time(&conditions, condition, response, names)
}

/// Whether a response has `only` in it.
fn has_only(response: &str) -> bool {
    words(response).any(|word| word.eq_ignore_ascii_case("only"))
}

/// `R no later than 5 steps after C`, `R within 5 steps of C`: `R within 5 steps`, and C.
fn bounded(response: &str) -> Option<(String, String)> {
    let late = [" no later than ", " within ", " at most "];
    let (at, word) = late.iter().find_map(|word| Some((find(response, word)?, word)))?;
    // `for at most 5 steps` says how long, not how late.
    if [" for", " after"].iter().any(|word| strip_end(&response[..at], word).is_some()) {
        return None;
    }
    let (number, rest) = number_and_unit(&response[at + word.len()..])?;
    let (unit, condition) = [" after ", " of "].iter().find_map(|word| cut(rest, word))?;
    is_unit(unit).then(|| (format!("{} within {number} steps", &response[..at]), condition.to_string()))
}

/// `be on if P, and off`, before `otherwise`.
fn of_cases(
    cases: &str,
    conditions: &[(Keyword, String)],
    subjects: &Subjects,
    names: &mut Names,
) -> Result<Formula, String> {
    let wrong = || Err("expected `shall be .. if .., and .. otherwise`".to_string());
    let at = cases.to_ascii_lowercase().rfind(" and ");
    let Some(at) = at.filter(|_| conditions.is_empty()) else { return wrong() };
    let (first, other) = (cases[..at].trim_end().trim_end_matches(','), cases[at + 5..].trim());
    let Some((goal, _, condition)) = trailing(first, &CASES) else { return wrong() };
    let other = match strip(goal, "be ") {
        Some(_) if strip(other, "be ").is_none() => format!("be {other}"),
        _ => other.to_string(),
    };
    let condition = names.condition(condition, Side::Input)?;
    let mut sides = Vec::new();
    for side in [goal, other.as_str()] {
        sides.push(timeless(side, subjects, names)?);
    }
    Ok((format!("G (({condition} -> {}) && ({} -> {}))", sides[0], negated(&condition), sides[1]), None))
}

/// `R only if P`, or `R only after P`.
fn only(
    goal: &str,
    needed: &str,
    is_after: bool,
    conditions: &[(Keyword, String)],
    subjects: &Subjects,
    names: &mut Names,
) -> Result<Formula, String> {
    let (goal, sign) = negation(goal);
    if sign != Negation::No || timed(goal)?.1 != Timing::Open || led(goal).1 != Timing::Open {
        return Err("expected no time and no negation in a sentence with `only`".into());
    }
    let condition = condition_of(conditions, names)?;
    let goal = goal_of(goal, sign, subjects, names)?;
    match goal.join {
        Join::And | Join::Both => return Err("expected one sentence with `only` for each response".into()),
        Join::Neither => return Err("expected no time and no negation in a sentence with `only`".into()),
        Join::One | Join::Or | Join::Counted => {}
    }
    let goal = goal.formula;
    let needed = names.condition(needed, Side::Input)?;
    match (is_after, condition) {
        (true, None) => Ok((format!("({} W {needed})", negated(&goal)), None)),
        (true, Some(_)) => Err("expected no condition before a sentence with `only after`".into()),
        (false, None) => Ok((format!("G ({goal} -> {needed})"), None)),
        (false, Some(condition)) => Ok((format!("G ({condition} -> ({goal} -> {needed}))"), None)),
    }
}

/// The negation at the beginning of a response.
fn negation(text: &str) -> (&str, Negation) {
    let text = text.trim();
    match (strip(text, "not "), strip(text, "never ")) {
        (Some(rest), _) => (rest, Negation::Not),
        (_, Some(rest)) => (rest, Negation::Never),
        _ => (text, Negation::No),
    }
}

fn goal_of(text: &str, negation: Negation, subjects: &Subjects, names: &mut Names) -> Result<Joined, String> {
    let mut all = Vec::new();
    for subject in &subjects.all {
        all.push(names.response(text, subject)?);
    }
    if all.len() == 1 {
        return Ok(all.remove(0));
    }
    if !subjects.things.is_all() && (negation != Negation::No || all.iter().any(|one| one.join != Join::One))
    {
        return Err("expected one response without a negation behind a list of things with `or`, `neither` or a count".into());
    }
    let is_none = all[0].join == Join::Neither;
    let parts: Vec<String> = all.into_iter().map(|one| one.formula).collect();
    if is_none {
        // None of the responses of each of them.
        return Ok(Joined { formula: format!("({})", parts.join(" || ")), join: Join::Neither });
    }
    subjects.things.joined(&parts)
}

/// The formula of a response for which the sentence names no time.
fn timeless(text: &str, subjects: &Subjects, names: &mut Names) -> Result<String, String> {
    let response = read_response(text, subjects, names)?;
    if response.timing != Timing::Open || response.remains {
        return Err("expected no time of the response in this sentence".into());
    }
    if response.is_several && response.negation != Negation::No {
        return Err(NEGATED_AND.into());
    }
    Ok(if response.negation == Negation::No { response.goal } else { negated(&response.goal) })
}

fn read_response(text: &str, subjects: &Subjects, names: &mut Names) -> Result<Response, String> {
    let (text, behind) = timed(text)?;
    let (text, negation) = negation(text);
    if negation != Negation::No && words(text).any(is_negation) {
        return Err(format!("expected no second negation in `{text}`"));
    }
    let (text, ahead) = led(text);
    if behind != Timing::Open && ahead != Timing::Open {
        return Err("expected one time of the response, and there are two".into());
    }
    let stays = ["remain ", "stay "].iter().find_map(|word| strip(&text, word));
    let remains = stays.is_some();
    let text = stays.map_or(text.clone(), |rest| format!("be {rest}"));
    let goal = goal_of(&text, negation, subjects, names)?;
    if negation != Negation::No && matches!(goal.join, Join::Counted | Join::Neither) {
        return Err("expected no negation of a count: say what is to hold".into());
    }
    let negation = if goal.join == Join::Neither { Negation::Not } else { negation };
    let timing = if behind == Timing::Open { ahead } else { behind };
    let is_several = goal.join == Join::And;
    let parts = 1 + goal.formula.matches(" && ").count();
    Ok(Response { goal: goal.formula, is_several, parts, negation, timing, remains })
}

/// The conjunction of conditions; `before` and `until` are none.
fn condition_of(conditions: &[(Keyword, String)], names: &mut Names) -> Result<Option<String>, String> {
    let mut parts = Vec::new();
    for (keyword, text) in conditions {
        if matches!(keyword, Keyword::Before | Keyword::Until) {
            return Err("expected `before` or `until` behind the response, with one condition".into());
        }
        let condition = names.condition(text, Side::Input)?;
        parts.push(if *keyword == Keyword::Unless { negated(&condition) } else { condition });
    }
    Ok(match parts.len() {
        0 => None,
        1 => Some(parts.remove(0)),
        _ => Some(format!("({})", parts.join(" && "))),
    })
}

/// The error for a negation of several responses.
const NEGATED_AND: &str = "expected `neither the pump nor the fan shall run`, `shall not open the A or close the B`, or \
                           `not both .. and ..`: a negation of `and` can be read in two ways";

/// The formula of a response with its conditions and its time.
fn in_time(
    conditions: &[(Keyword, String)],
    condition: Option<String>,
    response: Response,
    names: &mut Names,
) -> Result<Formula, String> {
    let start = conditions.iter().map(|(keyword, _)| Start::of(*keyword)).max().unwrap_or(Start::None);
    if response.is_several && response.negation != Negation::No && response.timing != Timing::Together {
        return Err(NEGATED_AND.into());
    }
    let (timing, note) = when(&response, start)?;
    let is_negated = response.negation != Negation::No;
    let goal = if is_negated { negated(&response.goal) } else { response.goal };
    let formula = match &timing {
        Timing::Open | Timing::Now | Timing::Together | Timing::Initially => goal,
        Timing::Next => format!("X {goal}"),
        Timing::After(n) => format!("X[{n}] {goal}"),
        Timing::Eventually => format!("F {goal}"),
        Timing::Within(n) if is_negated => format!("G[0:{n}] {goal}"),
        Timing::Within(n) => format!("F[0:{n}] {goal}"),
        Timing::Always | Timing::FromNowOn => format!("G {goal}"),
        Timing::For(n) => format!("G[0:{}] {goal}", n.saturating_sub(1)),
        Timing::Until(of) | Timing::Before(of)
            if words(of).any(|word| word.eq_ignore_ascii_case("every")) =>
        {
            return Err(format!("expected one thing in place of `every` in `{of}`"));
        }
        Timing::Until(until) => format!("({goal} W {})", names.condition(until, Side::Input)?),
        Timing::Before(before) => {
            let before = names.condition(before, Side::Input)?;
            if is_negated {
                format!("({goal} W {before})")
            } else {
                format!("({} W {goal})", negated(&before))
            }
        }
        Timing::InfinitelyOften => format!("G F {goal}"),
        Timing::Every(n) => format!("G F[0:{n}] {goal}"),
    };
    let is_whole = matches!(
        timing,
        Timing::InfinitelyOften
            | Timing::Initially
            | Timing::Every(_)
            | Timing::Always
            | Timing::FromNowOn
            | Timing::Until(_)
            | Timing::Before(_)
            | Timing::Eventually
    );
    let formula = match condition {
        Some(condition) => format!("G ({condition} -> {formula})"),
        // Without a condition these are about the whole run already.
        None if is_whole => formula,
        None => format!("G {formula}"),
    };
    Ok((formula, note))
}

/// When a response comes, and how it was understood if that is not said.
fn when(response: &Response, start: Start) -> Result<(Timing, Option<String>), String> {
    use Negation as N;
    use Timing as T;
    let (is_event, is_from) = (start >= Start::Event, start >= Start::Once);
    let lasting = "expected `from then on`, or `while ..` in place of the condition, since this can be read in two ways";
    let lasts = matches!(response.timing, T::Open | T::Always | T::FromNowOn | T::For(_) | T::Until(_));
    if response.remains && !(lasts && response.negation == N::No) {
        return Err("expected how long it is to remain so, as in `remain closed until ..`, with no negation and no other \
                    time, since this can be read in two ways"
            .into());
    }
    let timing = match (&response.timing, response.negation) {
        (T::Open, N::Never) if is_event && !is_from => return Err(lasting.into()),
        (T::Open, N::Never | N::Not) if is_from => T::FromNowOn,
        (T::Open, N::No) if response.remains && is_from => T::FromNowOn,
        (T::Open, N::No) if response.remains && is_event => return Err(lasting.into()),
        (T::Open, N::No) if start == Start::After => {
            return Err(
                "expected when the response comes: `within N steps`, `in the next step`, `eventually`, or \
                        `from then on`"
                    .into(),
            );
        }
        (T::Open, N::No) if is_event => {
            let note = "no time is named, so at some time; `immediately` or `within N steps` says more";
            return Ok((T::Eventually, Some(note.to_string())));
        }
        (T::Open, _) | (T::Together, N::No) => T::Now,
        (T::Always, N::Not | N::Never) => {
            return Err(
                "expected no negation of `always`, which can be read in two ways: write `never`".into()
            );
        }
        (T::Always, _) if is_event && !is_from => return Err(lasting.into()),
        (T::Always, _) if start == Start::State => T::Now,
        (T::Within(_), N::Not | N::Never) => {
            let note = "in none of these steps";
            return Ok((response.timing.clone(), Some(note.to_string())));
        }
        (T::Together, _) if response.is_several && response.parts > 2 => {
            return Err("expected two things that are not to come together, since of more it can be read in two ways: write \
                        `at most one of the A, the B and the C shall ..`, or a sentence for each two"
                .into());
        }
        (T::Together, _) if response.is_several => T::Now,
        (T::Together, _) => {
            return Err(
                "expected what is not to come together: `the A and the B shall not .. at the same time`"
                    .into(),
            );
        }
        (T::Now | T::Eventually | T::After(_) | T::InfinitelyOften | T::Every(_), N::Not | N::Never)
        | (T::For(_), N::Never) => {
            return Err("expected no negation with this time, since it can be read in two ways: say what is to hold, or \
                        use `until`, `before`, `for N steps` or `from then on`"
                .into());
        }
        (T::Initially, _) if start != Start::None => {
            return Err("expected no condition with what is to hold in the first step".into());
        }
        (T::Every(_), N::No) if start != Start::None => {
            return Err("expected no condition with `at least every N steps`".into());
        }
        (said, _) => said.clone(),
    };
    Ok((timing, None))
}

/// A response with a condition behind it: what is before one of these words, the word, and what is after it.
fn trailing<'t, 'w>(text: &'t str, words: &'w [impl AsRef<str>]) -> Option<(&'t str, &'w str, &'t str)> {
    let words = words.iter().map(AsRef::<str>::as_ref);
    let found = words.filter_map(|word| Some((find(text, &format!(" {word}"))?, word)));
    let (at, word) = found.min_by_key(|(at, word)| (*at, usize::MAX - word.len()))?;
    Some((text[..at].trim_end_matches(','), word, text[at + 1 + word.len()..].trim()))
}

/// The systems that a sentence is about.
fn subjects(system: &str) -> Result<Subjects, String> {
    let things = Things::read(system).map_err(|_| expected_name(system))?;
    for one in &things.all {
        subject(one, system)?;
    }
    Ok(Subjects { all: things.all.iter().map(|one| bare(one)).collect(), things })
}

fn expected_name(system: &str) -> String {
    format!(
        "expected the name of the system before `shall`, such as `the SYSTEM` or `the A, the B and the C`, in place of \
         `{system}`"
    )
}

/// Whether a text is the name of one system.
fn subject(one: &str, system: &str) -> Result<(), String> {
    let said: Vec<&str> = words(one).collect();
    if let Some(word) = said.iter().find(|word| is_quantifier(word) || word.eq_ignore_ascii_case("no")) {
        return Err(format!(
            "expected one thing or person that shall do it in place of `{system}`: `{word}` says how many, so name them"
        ));
    }
    let pronouns = ["it", "they", "nobody", "everyone", "this", "that"];
    if said.first().is_some_and(|word| pronouns.iter().any(|one| word.eq_ignore_ascii_case(one))) {
        return Err(format!("expected the name of the system in place of `{system}`"));
    }
    let begins = ["the ", "a ", "an "].iter().any(|word| strip(one, word).is_some());
    let has_verb = said.iter().any(|word| is_copula(word) || *word == "that");
    if !(begins || said.len() == 1) || said.len() > 7 || has_verb {
        return Err(expected_name(system));
    }
    let read = phrase(one)?;
    if read.is_negated || read.change.is_some() {
        return Err(format!("expected the name of the system in place of `{system}`"));
    }
    Ok(())
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
