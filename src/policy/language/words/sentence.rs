//! Parses sentences as laws: those that [`english`](super::english) and
//! [`LawPattern::english`](super::LawPattern::english) write, and free sentences of users.

use super::clause::{
    ClauseContext, ClauseReader, ClauseToken, ClauseTokenKind, after, around, before, range, tokens,
};
use super::families;
use super::names::PolicyNames;
use super::pattern::{CountRequest, LawPattern, Reset, Window, fresh};
use super::pattern_read::{parse_pattern, read_window};
use super::phrased;
use super::reading::Sentence;
use super::recognize::condition;
use super::refused::Refused;
use super::tree::{LawTree, Link, Temporal};
use super::visits;
use tsl_synth_core::diag::Code;

/// The sentences of a text, without their final punctuation. A text that cannot be split into tokens is one sentence.
pub fn sentences(text: &str) -> Vec<&str> {
    let Ok(tokens) = tokens(text) else { return vec![text] };
    let all = tokens.split(|token| token.kind == ClauseTokenKind::Stop).filter(|tokens| !tokens.is_empty());
    all.filter_map(|tokens| text.get(range(tokens))).collect()
}

/// Parses one or more sentences about the names of a policy.
///
/// # Errors
/// If a sentence has none of the known forms, or mentions an unknown name.
pub fn read_sentence(text: &str, names: &PolicyNames) -> Result<Sentence, Refused> {
    let tokens = tokens(text)?;
    let mut all = Sentence { law: LawTree::Constant(true), registers: Vec::new(), notes: Vec::new() };
    let mut laws = Vec::new();
    for sentence in
        tokens.split(|token| token.kind == ClauseTokenKind::Stop).filter(|tokens| !tokens.is_empty())
    {
        let mut registers = Vec::new();
        let ours = form(sentence, names, &mut registers);
        let law = match ours {
            Ok(law) => law,
            Err(refused) => match rule_or_family(text, sentence, names) {
                Ok(read) => {
                    registers = read.registers;
                    all.notes.extend(read.notes);
                    read.law
                }
                Err(other) => {
                    let is_ours = sentence.iter().any(|token| matches!(token.kind, ClauseTokenKind::Name(_)));
                    return Err(if is_ours { refused } else { other });
                }
            },
        };
        laws.push(law);
        all.registers.append(&mut registers);
    }
    if laws.is_empty() {
        return Err(Refused::new(Code::SENTENCE_FORM, 0..0, "there is no sentence"));
    }
    all.law = LawTree::all(laws);
    Ok(all)
}

/// Parses a named pattern or a free sentence.
fn rule_or_family(text: &str, tokens: &[ClauseToken], names: &PolicyNames) -> Result<Sentence, Refused> {
    match text.get(range(tokens)).map(|rule| parse_pattern(rule, names)) {
        Some(Ok(pattern)) => Ok(Sentence::of_pattern(&pattern)),
        _ => families::read(tokens, names).or_else(|refused| {
            let pattern = phrased::read(text, tokens, names);
            pattern.map(|pattern| Sentence::of_pattern(&pattern)).ok_or(refused)
        }),
    }
}

/// Parses a sentence in one of the forms that `english` writes.
fn form(
    tokens: &[ClauseToken],
    names: &PolicyNames,
    registers: &mut Vec<CountRequest>,
) -> Result<LawTree, Refused> {
    let read = ClauseReader { names };
    if let Some(rest) = after(tokens, "whenever") {
        let (given, then) = comma(rest)?;
        return Ok(LawTree::globally(LawTree::implies(read.plain(given)?, consequence(&read, then)?)));
    }
    if let Some((what, rest)) = around(tokens, "with at most") {
        return distinct(tokens, what, rest, &read, registers);
    }
    if let Some((what, rest)) = around(tokens, "only if")
        && let Some(needed) = before(rest, "before")
    {
        let needed = read.read(needed, &ClauseContext::Before)?;
        return Ok(LawTree::globally(LawTree::implies(read.plain(what)?, needed)));
    }
    if let Some((what, rest)) = around(tokens, "only if")
        && let Some((needed, since)) = around(rest, "since the last time that")
    {
        let since = read.plain(since)?;
        let needed = read.read(needed, &ClauseContext::Since(&since))?;
        return Ok(LawTree::globally(LawTree::implies(read.plain(what)?, needed)));
    }
    if let Some((what, rest)) = around(tokens, "only between a step in which")
        && let Some((open, close)) = around(rest, "and the next step in which")
    {
        let needed = fresh(read.plain(open)?, &read.plain(close)?);
        return Ok(LawTree::globally(LawTree::implies(read.plain(what)?, needed)));
    }
    if let Some(rest) = after(tokens, "after each step in which")
        && let Some((given, never)) = around(rest, ", it never happens that")
    {
        let never = LawTree::globally(LawTree::negate(read.plain(never)?));
        let later = LawTree::unary(Temporal::Next, never);
        return Ok(LawTree::globally(LawTree::implies(read.plain(given)?, later)));
    }
    if let Some(rest) = after(tokens, "from each step in which")
        && let Some((given, never)) = around(rest, "on, it never happens that")
    {
        let never = LawTree::globally(LawTree::negate(read.plain(never)?));
        return Ok(LawTree::globally(LawTree::implies(read.plain(given)?, never)));
    }
    if let Some(rest) = after(tokens, "it never happens that") {
        let never = match around(rest, "while") {
            Some((what, state)) => LawTree::all([read.plain(what)?, read.plain(state)?]),
            None => read.plain(rest)?,
        };
        return Ok(LawTree::globally(LawTree::negate(never)));
    }
    for (start, is_visit) in [("it happens", false), ("it begins", true)] {
        if let Some(rest) = after(tokens, start) {
            return counted(rest, is_visit, &read, registers);
        }
    }
    if let Some(rest) = after(tokens, "before")
        && let Some((until, never)) = around(rest, ", it never happens that")
    {
        let (link, until) =
            before(until, ", which comes").map_or((Link::WeakUntil, until), |until| (Link::Until, until));
        let kept = LawTree::negate(read.plain(never)?);
        return Ok(LawTree::binary(link, kept, read.plain(until)?));
    }
    if let Some(rest) = after(tokens, "if")
        && let Ok((given, then)) = comma(rest)
    {
        if let Some(action) = after(then, "the next action is") {
            return Ok(next_step(read.plain(given)?, actions(action, &read)?));
        }
        if let Some(then) = after(then, "then in the next step").filter(|then| after(then, ",").is_none()) {
            return Ok(next_step(read.plain(given)?, read.plain(then)?));
        }
    }
    if let Some(rest) = after(tokens, "in every step") {
        return Ok(LawTree::globally(read.plain(rest)?));
    }
    if let Some(rest) = after(tokens, "at some time") {
        return Ok(LawTree::finally(read.plain(rest)?));
    }
    read.plain(tokens)
}

fn next_step(given: LawTree, then: LawTree) -> LawTree {
    LawTree::globally(LawTree::implies(given, LawTree::unary(Temporal::Next, then)))
}

fn comma(tokens: &[ClauseToken]) -> Result<(&[ClauseToken], &[ClauseToken]), Refused> {
    around(tokens, ",").ok_or_else(|| {
        Refused::new(Code::SENTENCE_FORM, range(tokens), "expected a comma, and behind it what follows")
    })
}

/// `a`, not `a`, none of a list, one of a list.
fn actions(tokens: &[ClauseToken], read: &ClauseReader<'_>) -> Result<LawTree, Refused> {
    let list = |tokens: &[ClauseToken]| -> Result<Vec<LawTree>, Refused> {
        tokens
            .split(|token| token.kind == ClauseTokenKind::Comma)
            .map(|name| match name {
                [one] => read.atom(one, ""),
                _ => Err(Refused::new(Code::SENTENCE_FORM, range(tokens), "expected the name of an action")),
            })
            .collect()
    };
    if let Some(rest) = after(tokens, "none of") {
        return Ok(LawTree::all(list(rest)?.into_iter().map(LawTree::negate)));
    }
    if let Some(rest) = after(tokens, "one of") {
        return Ok(LawTree::any(list(rest)?));
    }
    if let Some(rest) = after(tokens, "not") {
        return Ok(LawTree::all(list(rest)?.into_iter().map(LawTree::negate)));
    }
    Ok(LawTree::all(list(tokens)?))
}

/// Parses the consequence of a trigger.
fn consequence(read: &ClauseReader<'_>, tokens: &[ClauseToken]) -> Result<LawTree, Refused> {
    let immediately = |waiting: LawTree, done: &[ClauseToken]| -> Result<LawTree, Refused> {
        let until = LawTree::binary(Link::Until, waiting, read.plain(done)?);
        Ok(LawTree::unary(Temporal::StrongNext, until))
    };
    let act = || LawTree::atom(super::names::ACT);
    if let Some(rest) = after(tokens, "after it an action is called only if")
        && let Some((asked, done)) = around(rest, ", until")
    {
        return immediately(LawTree::implies(act(), read.plain(asked)?), done);
    }
    if let Some(done) = after(tokens, "after it no action is called until") {
        return immediately(LawTree::negate(act()), done);
    }
    read.plain(tokens)
}

/// `A with at most 3 different values of V, counted anew each time that B`, after its `with at most`.
fn distinct(
    tokens: &[ClauseToken],
    what: &[ClauseToken],
    rest: &[ClauseToken],
    read: &ClauseReader<'_>,
    registers: &mut Vec<CountRequest>,
) -> Result<LawTree, Refused> {
    let wrong = || {
        let message =
            "expected `with at most 3 different values of ..`, with the name of a value in back quotes";
        Refused::new(Code::SENTENCE_FORM, range(tokens), message)
    };
    let (head, anew) =
        around(rest, ", counted anew each time that").map_or((rest, None), |(head, anew)| (head, Some(anew)));
    let (most, name) = match head {
        [one, value, of, name] if one.is("one") && value.is("value") && of.is("of") => (1, name),
        [number, different, values, of, name]
            if different.is("different") && values.is("values") && of.is("of") =>
        {
            (number.word().and_then(|n| n.parse::<u32>().ok()).ok_or_else(wrong)?, name)
        }
        _ => return Err(wrong()),
    };
    let ClauseTokenKind::Name(value) = &name.kind else { return Err(wrong()) };
    let what = condition(&read.plain(what)?, read.names, false).ok_or_else(wrong)?;
    let since = match anew {
        Some(anew) => Some(condition(&read.plain(anew)?, read.names, true).ok_or_else(wrong)?),
        None => None,
    };
    let pattern = LawPattern::AtMostDistinct { most, value: value.as_str().into(), what, since };
    registers.extend(pattern.register());
    Ok(pattern.law())
}

/// `at most 3 times that A, counted anew each time that B`
fn counted(
    tokens: &[ClauseToken],
    is_visit: bool,
    read: &ClauseReader<'_>,
    registers: &mut Vec<CountRequest>,
) -> Result<LawTree, Refused> {
    let wrong = || {
        let message = "expected `at most once that ..` or `at least 2 times that ..`";
        Refused::new(Code::SENTENCE_FORM, range(tokens), message)
    };
    let (head, rest) = around(tokens, "that").ok_or_else(wrong)?;
    let (least, head) = match (after(head, "at most"), after(head, "at least")) {
        (Some(head), _) => (false, head),
        (_, Some(head)) => (true, head),
        _ => return Err(wrong()),
    };
    let (number, head) = match head {
        [once, head @ ..] if once.is("once") => (1, head),
        [number, times, head @ ..] if times.is("times") => {
            (number.word().and_then(|n| n.parse::<u32>().ok()).ok_or_else(wrong)?, head)
        }
        _ => return Err(wrong()),
    };
    let window: Option<Window> = match after(head, "per") {
        Some([window]) => Some(window.word().and_then(read_window).ok_or_else(wrong)?),
        Some([window, over, sessions]) if over.is("over") && sessions.is("sessions") => {
            let window = window.word().and_then(read_window).ok_or_else(wrong)?;
            Some(Window { is_over_sessions: true, ..window })
        }
        None if head.is_empty() => None,
        _ => return Err(wrong()),
    };
    let (what, anew) =
        around(rest, ", counted anew each time that").map_or((rest, None), |(w, a)| (w, Some(a)));
    let on = read.plain(what)?;
    if least {
        return if is_visit && number > 0 { Ok(visits::at_least(&on, number)) } else { Err(wrong()) };
    }
    let reset = match (window, anew) {
        (Some(window), None) => Reset::Per(window),
        (None, Some(anew)) => {
            let anew = read.plain(anew)?;
            Reset::Since(condition(&anew, read.names, true).ok_or_else(wrong)?)
        }
        (None, None) => Reset::Never,
        _ => return Err(wrong()),
    };
    let what = condition(&on, read.names, false).ok_or_else(wrong)?;
    if is_visit && !what.is_state() {
        // Visits of a condition that is not declared as a state.
        if reset != Reset::Never {
            return Err(wrong());
        }
        return Ok(visits::at_most(&on, number));
    }
    let pattern = LawPattern::AtMost { most: number, what, reset };
    registers.extend(pattern.register());
    Ok(pattern.law())
}
