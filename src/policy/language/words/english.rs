//! Laws in English. Common forms have their own sentences; any other formula is printed operator by operator, with
//! parentheses where a sentence would be ambiguous. [`read_sentence`](super::read_sentence) parses all of these
//! sentences.

use super::names::{ACT, NameKind, OUTCOMES, PolicyNames};
use super::pattern_print::{NameVerb, Tense, join, quoted, sentence};
use super::recognize::recognize;
use super::tree::{LawTree, Link, Temporal};
use super::visits::{Visits, visits};

/// For each unary operator, the text before its operand.
pub(super) const PREFIXES: &[(Temporal, &str)] = &[
    (Temporal::Next, "in the next step, if there is one, "),
    (Temporal::StrongNext, "there is a next step, and in it "),
    (Temporal::Finally, "now or later "),
    (Temporal::Globally, "now and always later "),
    (Temporal::Yesterday, "there is a step before, and in it "),
    (Temporal::WeakYesterday, "in the step before, if there is one, "),
    (Temporal::Once, "now or before "),
    (Temporal::Historically, "now and always before "),
];

/// For each binary operator: the text between its operands, whether the second operand is printed first, and the text
/// after both.
pub(super) const LINKS: &[(Link, &str, bool, &str)] = &[
    (Link::Until, ", until ", false, ", which comes"),
    (Link::WeakUntil, ", until ", false, ", or for ever"),
    (Link::Release, ", up to the step in which ", true, ", or for ever"),
    (Link::StrongRelease, ", up to the step in which ", true, ", which comes"),
    (Link::Since, ", ever since ", false, ", which was"),
    (Link::Trigger, ", back to the step in which ", true, ", or to the beginning"),
];

pub(super) const NOT: &str = "it is not so that ";
pub(super) const TRUE: &str = "anything happens";
pub(super) const FALSE: &str = "the impossible happens";

/// A law as one or several English sentences, one for each conjunct.
pub fn english(law: &LawTree, names: &PolicyNames) -> String {
    match law {
        LawTree::And(all) if recognize(law, names).is_none() => {
            let sentences: Vec<String> = all.iter().map(|law| one_sentence(law, names)).collect();
            sentences.join(" ")
        }
        _ => one_sentence(law, names),
    }
}

fn one_sentence(law: &LawTree, names: &PolicyNames) -> String {
    if let Some(pattern) = recognize(law, names) {
        return pattern.english();
    }
    sentence(&shape(law, names).unwrap_or_else(|| clause(law, names)))
}

/// The sentence of a common form that is not a named pattern.
fn shape(law: &LawTree, names: &PolicyNames) -> Option<String> {
    let say = |law: &LawTree| operand(law, names);
    if let Some(Visits { on, least, most }) = visits(law) {
        let times = |n: u32| if n == 1 { "once".to_owned() } else { format!("{n} times") };
        return match (least, most) {
            (None, Some(most)) => Some(format!("it begins at most {} that {}", times(most), say(on))),
            (Some(least), None) => Some(format!("it begins at least {} that {}", times(least), say(on))),
            _ => None,
        };
    }
    match law {
        LawTree::Unary(Temporal::Globally, body) => match &**body {
            LawTree::Not(never) if never.is_boolean() => {
                Some(format!("it never happens that {}", say(never)))
            }
            LawTree::Implies(given, then) => Some(match &**then {
                LawTree::Unary(Temporal::Next, action) if given.is_boolean() => {
                    match next_action(action, names) {
                        Some(action) => format!("if {}, {action}", say(given)),
                        None => format!("if {}, then in the next step {}", say(given), say(action)),
                    }
                }
                _ => format!("whenever {}, {}", say(given), clause(then, names)),
            }),
            body => Some(format!("in every step {}", say(body))),
        },
        LawTree::Unary(Temporal::Finally, body) => Some(format!("at some time {}", say(body))),
        LawTree::Implies(given, then) => Some(format!("if {}, then {}", say(given), say(then))),
        LawTree::Binary(link @ (Link::Until | Link::WeakUntil), kept, until) => match &**kept {
            LawTree::Not(never) => {
                let comes = if *link == Link::Until { ", which comes" } else { "" };
                Some(format!("before {}{comes}, it never happens that {}", say(until), say(never)))
            }
            _ => None,
        },
        _ => None,
    }
}

/// The text for a law that requires or forbids the next action, if it is of this kind.
fn next_action(law: &LawTree, names: &PolicyNames) -> Option<String> {
    let action = |law: &LawTree| match law {
        LawTree::Atom(name) if names.kind(name) == Some(NameKind::Action) => Some(quoted(name)),
        _ => None,
    };
    let refused = |law: &LawTree| match law {
        LawTree::Not(inner) => action(inner),
        _ => None,
    };
    if let Some(name) = action(law) {
        return Some(format!("the next action is {name}"));
    }
    if let Some(name) = refused(law) {
        return Some(format!("the next action is not {name}"));
    }
    match law {
        LawTree::And(all) => {
            let all: Option<Vec<String>> = all.iter().map(refused).collect();
            all.map(|all| format!("the next action is none of {}", all.join(", ")))
        }
        LawTree::Or(all) => {
            let all: Option<Vec<String>> = all.iter().map(action).collect();
            all.map(|all| format!("the next action is one of {}", all.join(", ")))
        }
        _ => None,
    }
}

/// An atom or its negation.
fn literal(name: &str, positive: bool, names: &PolicyNames) -> String {
    if name == ACT && names.kind(name).is_none() {
        return if positive { "an action is called" } else { "no action is called" }.to_owned();
    }
    let outcome = name.rsplit_once('.').filter(|(action, suffix)| {
        names.kind(name).is_none()
            && names.kind(action) == Some(NameKind::Action)
            && OUTCOMES.contains(suffix)
    });
    let (name, verb) = match (outcome, names.kind(name)) {
        (Some((action, suffix)), _) => (action, NameVerb::of_outcome(suffix)),
        (None, Some(NameKind::Action)) => (name, NameVerb::Called),
        _ => (name, NameVerb::Holds),
    };
    format!("{} {}", quoted(name), verb.form(Tense::Present, positive))
}

/// A law as a part of another clause: an atom, its negation, or a clause in parentheses.
fn operand(law: &LawTree, names: &PolicyNames) -> String {
    match law {
        LawTree::Atom(_) => clause(law, names),
        LawTree::Not(inner) if matches!(**inner, LawTree::Atom(_)) => clause(law, names),
        LawTree::And(all) | LawTree::Or(all) => {
            let parts: Vec<String> = all.iter().map(|law| operand(law, names)).collect();
            join(matches!(law, LawTree::And(_)), &parts)
        }
        _ => format!("({})", clause(law, names)),
    }
}

/// A law printed operator by operator.
fn clause(law: &LawTree, names: &PolicyNames) -> String {
    let say = |law: &LawTree| operand(law, names);
    match law {
        LawTree::Constant(value) => if *value { TRUE } else { FALSE }.to_owned(),
        LawTree::Atom(name) => literal(name, true, names),
        LawTree::Not(inner) => match &**inner {
            LawTree::Atom(name) => literal(name, false, names),
            inner => format!("{NOT}{}", say(inner)),
        },
        LawTree::And(_) | LawTree::Or(_) => operand(law, names),
        LawTree::Implies(f, g) => format!("if {}, then {}", say(f), say(g)),
        LawTree::Iff(f, g) => format!("{} exactly if {}", say(f), say(g)),
        LawTree::Unary(op, f) => {
            let prefix = PREFIXES.iter().find(|row| row.0 == *op).map_or("", |row| row.1);
            format!("{prefix}{}", say(f))
        }
        LawTree::Binary(op, f, g) => {
            let (between, turned, behind) =
                LINKS.iter().find(|row| row.0 == *op).map_or(("", false, ""), |row| (row.1, row.2, row.3));
            let (first, second) = if turned { (g, f) } else { (f, g) };
            format!("{}{between}{}{behind}", say(first), say(second))
        }
    }
}
