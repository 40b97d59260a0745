//! Patterns in English. Names are in back quotes, and compound conditions in parentheses, so that sentences are
//! unambiguous.

use super::pattern::{LawPattern, NameCondition, PatternSubject, Reset};

/// A name in back quotes, as sentences contain it.
pub(super) fn quoted(name: &str) -> String {
    format!("`{}`", name.replace('\\', "\\\\").replace('`', "\\`"))
}

/// The tense of a verb.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tense {
    /// `is called`
    Present,
    /// `has been called`
    Perfect,
    /// `was called`
    Past,
}

/// The predicate of a name: it is called, it has an outcome, or it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NameVerb {
    Called,
    Succeeds,
    Fails,
    Unknown,
    Holds,
}

impl NameVerb {
    pub(super) const ALL: [Self; 5] = [Self::Called, Self::Succeeds, Self::Fails, Self::Unknown, Self::Holds];

    pub(super) fn of_outcome(outcome: &str) -> Self {
        match outcome {
            "ok" => Self::Succeeds,
            "failed" => Self::Fails,
            _ => Self::Unknown,
        }
    }
    /// The verb after a name. The negative perfect uses `never`.
    pub(super) fn form(self, tense: Tense, positive: bool) -> &'static str {
        match (self, tense, positive) {
            (Self::Called, Tense::Present, true) => "is called",
            (Self::Called, Tense::Present, false) => "is not called",
            (Self::Called, Tense::Perfect, true) => "has been called",
            (Self::Called, Tense::Perfect, false) => "has never been called",
            (Self::Called, Tense::Past, true) => "was called",
            (Self::Called, Tense::Past, false) => "was not called",
            (Self::Succeeds, Tense::Present, true) => "succeeds",
            (Self::Succeeds, Tense::Present, false) => "does not succeed",
            (Self::Succeeds, Tense::Perfect, true) => "has succeeded",
            (Self::Succeeds, Tense::Perfect, false) => "has never succeeded",
            (Self::Succeeds, Tense::Past, true) => "succeeded",
            (Self::Succeeds, Tense::Past, false) => "did not succeed",
            (Self::Fails, Tense::Present, true) => "fails",
            (Self::Fails, Tense::Present, false) => "does not fail",
            (Self::Fails, Tense::Perfect, true) => "has failed",
            (Self::Fails, Tense::Perfect, false) => "has never failed",
            (Self::Fails, Tense::Past, true) => "failed",
            (Self::Fails, Tense::Past, false) => "did not fail",
            (Self::Unknown, Tense::Present, true) => "has an unknown result",
            (Self::Unknown, Tense::Present, false) => "has no unknown result",
            (Self::Unknown, Tense::Perfect, true) => "has had an unknown result",
            (Self::Unknown, Tense::Perfect, false) => "has never had an unknown result",
            (Self::Unknown, Tense::Past, true) => "had an unknown result",
            (Self::Unknown, Tense::Past, false) => "had no unknown result",
            (Self::Holds, Tense::Present, true) => "holds",
            (Self::Holds, Tense::Present, false) => "does not hold",
            (Self::Holds, Tense::Perfect, true) => "has held",
            (Self::Holds, Tense::Perfect, false) => "has never held",
            (Self::Holds, Tense::Past, true) => "held",
            (Self::Holds, Tense::Past, false) => "did not hold",
        }
    }
}

fn parts(subject: &PatternSubject, done: bool) -> (String, NameVerb) {
    match subject {
        PatternSubject::Action(name) => {
            (quoted(name), if done { NameVerb::Succeeds } else { NameVerb::Called })
        }
        PatternSubject::Outcome(name, outcome) => (quoted(name), NameVerb::of_outcome(outcome)),
        PatternSubject::Momentary(name) | PatternSubject::State(name) => (quoted(name), NameVerb::Holds),
    }
}

/// The conjunction or disjunction of several clauses, in parentheses.
pub(super) fn join(conjunction: bool, clauses: &[String]) -> String {
    format!("({})", clauses.join(if conjunction { " and " } else { " or " }))
}

fn each(condition: &NameCondition, literal: &dyn Fn(&PatternSubject, bool) -> String) -> String {
    condition.each(true, literal, &|conjunction, clauses| join(conjunction, &clauses))
}

fn plain(condition: &NameCondition, done: bool, tense: Tense) -> String {
    each(condition, &|subject, positive| {
        let (name, verb) = parts(subject, done);
        format!("{name} {}", verb.form(tense, positive))
    })
}

/// The condition in the current letter; an action denotes its call.
fn called(condition: &NameCondition) -> String {
    plain(condition, false, Tense::Present)
}

/// The condition in the perfect tense; an action denotes its success.
fn has_been(condition: &NameCondition) -> String {
    each(condition, &|subject, positive| {
        let (name, verb) = parts(subject, true);
        if subject.is_state() && !positive {
            return format!("{name} has been false");
        }
        format!("{name} {}", verb.form(Tense::Perfect, positive))
    })
}

/// The condition as an obligation: it holds now or later, or only later if `strictly`.
fn comes(condition: &NameCondition, strictly: bool) -> String {
    let when = if strictly { "later" } else { "then or later" };
    each(condition, &|subject, positive| {
        let (name, verb) = parts(subject, true);
        format!("{name} {} {when}", verb.form(Tense::Present, positive))
    })
}

/// The condition at the end of the word; after a trigger, only events from the trigger on count.
fn at_end(condition: &NameCondition, after: Option<bool>) -> String {
    each(condition, &|subject, positive| {
        let (name, verb) = parts(subject, true);
        match (subject.is_state(), after) {
            (true, _) => format!("{name} {} at the end", verb.form(Tense::Present, positive)),
            (false, None) => format!("{name} {} by the end", verb.form(Tense::Perfect, positive)),
            (false, Some(strictly)) => {
                let when = if strictly { "later" } else { "then or later" };
                let never = if positive { "" } else { "never " };
                format!("{name} {never}{} {when}", verb.form(Tense::Present, true))
            }
        }
    })
}

/// The text with an initial capital and a full stop.
pub(super) fn sentence(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(|c| c.to_ascii_uppercase());
    first.into_iter().chain(chars).chain(['.']).collect()
}

impl LawPattern {
    /// What it means, as an English sentence.
    pub fn english(&self) -> String {
        let text = match self {
            Self::RequiresBefore { what, needed } => {
                format!("{} only if {} before", called(what), has_been(needed))
            }
            Self::RequiresSince { what, needed, since } => format!(
                "{} only if {} since the last time that {}",
                called(what),
                has_been(needed),
                plain(since, false, Tense::Past)
            ),
            Self::OnlyBetween { what, open, close } => format!(
                "{} only between a step in which {} and the next step in which {}",
                called(what),
                plain(open, true, Tense::Present),
                called(close)
            ),
            Self::ForbidsAfter { trigger, forbidden } if trigger.mentions_call() => {
                format!(
                    "after each step in which {}, it never happens that {}",
                    called(trigger),
                    called(forbidden)
                )
            }
            Self::ForbidsAfter { trigger, forbidden } => format!(
                "from each step in which {} on, it never happens that {}",
                called(trigger),
                called(forbidden)
            ),
            Self::ThenEventually { trigger, owed } => {
                format!("whenever {}, {}", called(trigger), comes(owed, trigger.mentions_call()))
            }
            Self::ThenImmediately { trigger, owed } => {
                let trigger = called(trigger);
                let done = plain(owed, true, Tense::Present);
                if owed.mentions_an_action() {
                    let asked = each(owed, &|subject, positive| {
                        let (name, verb) = match subject {
                            PatternSubject::Outcome(name, _) => (quoted(name), NameVerb::Called),
                            other => parts(other, false),
                        };
                        format!("{name} {}", verb.form(Tense::Present, positive))
                    });
                    format!("whenever {trigger}, after it an action is called only if {asked}, until {done}")
                } else {
                    format!("whenever {trigger}, after it no action is called until {done}")
                }
            }
            Self::AtMost { most: 0, what, reset: Reset::Never | Reset::Since(_) } => {
                format!("it never happens that {}", called(what))
            }
            Self::AtMost { most, what, reset } => {
                let times = match most {
                    1 => "once".to_owned(),
                    n => format!("{n} times"),
                };
                let per = match reset {
                    Reset::Per(window) => format!(" per {}", window.words()),
                    _ => String::new(),
                };
                let anew = match reset {
                    Reset::Since(condition) => {
                        format!(", counted anew each time that {}", plain(condition, true, Tense::Present))
                    }
                    _ => String::new(),
                };
                let begins = if what.is_state() { "it begins" } else { "it happens" };
                format!("{begins} at most {times}{per} that {}{anew}", called(what))
            }
            Self::AtMostDistinct { most, value, what, since } => {
                let values = if *most == 1 { "one value" } else { "values" };
                let number = if *most == 1 { String::new() } else { format!("{most} different ") };
                let anew = since.as_ref().map_or(String::new(), |since| {
                    format!(", counted anew each time that {}", plain(since, true, Tense::Present))
                });
                format!("{} with at most {number}{values} of {}{anew}", called(what), quoted(value))
            }
            Self::NeverWhile { what, state } => {
                format!("it never happens that {} while {}", called(what), called(state))
            }
            Self::Within { what, most, of } => format!(
                "{} only if {} in this step or in one of the {most} before it",
                called(what),
                plain(of, true, Tense::Past)
            ),
            Self::Ask { what, first: true, .. } => {
                format!("{} without a question only if it has ended before", called(what))
            }
            Self::Ask { what, unless: None, .. } => {
                format!("it never happens without a question that {}", called(what))
            }
            Self::Ask { what, unless: Some(unless), .. } => {
                format!("it never happens without a question that {} unless {}", called(what), called(unless))
            }
            Self::EndRequires { needed } => at_end(needed, None),
            Self::AfterEndRequires { trigger, needed } => {
                format!("whenever {}, {}", called(trigger), at_end(needed, Some(trigger.mentions_call())))
            }
        };
        sentence(&text)
    }
}
