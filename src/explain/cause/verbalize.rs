//! Causes in words.

use super::answer::{CauseAnswer, Explained};
use super::question::input_atom;
use super::question::letter_at;
use tsl_synth_core::logic::{Alphabet, BitId, Formulas, Lasso, Letter};
use tsl_synth_core::model::{InputEvent, NecessaryEvent, PeriodicSteps};

/// How many single steps are listed before three dots.
const LISTED: usize = 8;

/// Steps as words: `at every step`, `at steps 0, 2, 4, ...`, `at step 0 and from step 3 on`.
pub fn steps_text(steps: &PeriodicSteps) -> String {
    let PeriodicSteps { prefix, period, every } = steps;
    if *every == 1 && period.len() == 1 {
        let from = period[0];
        return match prefix.len() {
            0 if from == 0 => "at every step".into(),
            0 => format!("from step {from} on"),
            _ => format!("{} and from step {from} on", listed(prefix, false)),
        };
    }
    if period.is_empty() {
        return listed(prefix, false);
    }
    // Two rounds at least show the pattern.
    let rounds = 2.max(3usize.saturating_sub(prefix.len()).div_ceil(period.len()));
    let later = (0..rounds).flat_map(|round| period.iter().map(move |step| step + round * every));
    let all: Vec<usize> = prefix.iter().copied().chain(later).collect();
    listed(&all, true)
}

fn listed(steps: &[usize], more: bool) -> String {
    let shown: Vec<String> = steps.iter().take(LISTED).map(ToString::to_string).collect();
    let word = if steps.len() == 1 && !more { "at step" } else { "at steps" };
    if more || steps.len() > LISTED {
        return format!("{word} {}, ...", shown.join(", "));
    }
    format!("{word} {}", and(&shown))
}

/// `a, b and c`
pub(super) fn and(parts: &[String]) -> String {
    join(parts, "and")
}

fn join(parts: &[String], word: &str) -> String {
    match parts {
        [] => String::new(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} {word} {last}", most.join(", ")),
    }
}

fn truth(value: bool) -> &'static str {
    if value { "true" } else { "false" }
}

/// The name of an input.
pub fn input_name(alphabet: &Alphabet, input: BitId) -> &str {
    &alphabet.atoms()[input_atom(alphabet, input)].name
}

/// A necessary event in words: `` `inMarket` was false at every step``.
pub fn event_text(alphabet: &Alphabet, event: &NecessaryEvent) -> String {
    let name = input_name(alphabet, event.input);
    format!("`{name}` was {} {}", truth(event.value), steps_text(&event.steps))
}

/// Alternatives in words: `` `a` was true at step 0 or `b` was true at step 3``.
pub fn alternative_text(alphabet: &Alphabet, alternative: &[InputEvent]) -> String {
    let one = |event: &InputEvent| {
        let name = input_name(alphabet, event.input);
        format!("`{name}` was {} at step {}", truth(event.actual), event.step)
    };
    join(&alternative.iter().map(one).collect::<Vec<_>>(), "or")
}

/// Infinitely many cells of which any one was sufficient, in words: `` `a` was true at one of the steps 0, 2, 4, ...``.
pub fn recurring_text(alphabet: &Alphabet, events: &[NecessaryEvent]) -> String {
    let one = |event: &NecessaryEvent| {
        let (name, value) = (input_name(alphabet, event.input), truth(event.value));
        let PeriodicSteps { prefix, period, every } = &event.steps;
        let when = match (period.first(), every) {
            (Some(0), 1) => "at some step".into(),
            (Some(from), 1) if prefix.is_empty() => format!("at some step from {from} on"),
            (Some(from), 1) => format!("{} or at some step from {from} on", listed(prefix, false)),
            _ => {
                let steps = steps_text(&event.steps);
                steps.strip_prefix("at steps ").map_or(steps.clone(), |s| format!("at one of the steps {s}"))
            }
        };
        format!("`{name}` was {value} {when}")
    };
    join(&events.iter().map(one).collect::<Vec<_>>(), "or")
}

/// The sentence that an effect did not happen, with the step that ruled it out, from [`super::ruled_out`].
pub fn absence(effect: &str, actual: &Lasso, ruled_out: Option<usize>) -> String {
    let from = actual.prefix.len();
    let why = match (ruled_out, actual.cycle.len()) {
        (Some(step), _) => format!("step {step} rules it out, whatever comes later"),
        (None, 1) => format!("no single step rules it out, but step {from} for ever does"),
        (None, n) => format!("no single step rules it out, but steps {from} to {} for ever do", from + n - 1),
    };
    format!("`{effect}` did not happen on this trace: {why}.")
}

/// Events that recurred together, in words: `` at one of the steps 0, 2, 4, ..., `a` was true and `b` was false``.
pub fn again_text(alphabet: &Alphabet, group: &[NecessaryEvent]) -> String {
    let steps = group.first().map_or(String::new(), |event| steps_text(&event.steps));
    let when = match steps.strip_prefix("at steps ") {
        Some(steps) => format!("at one of the steps {steps}"),
        None => "at some step".into(),
    };
    let one = |event: &NecessaryEvent| {
        format!("`{}` was {}", input_name(alphabet, event.input), truth(event.value))
    };
    format!("{when}, {}", and(&group.iter().map(one).collect::<Vec<_>>()))
}

/// The answer in one sentence. `effect` is how the effect was written.
pub fn sentence(alphabet: &Alphabet, formulas: &Formulas, effect: &str, answer: &CauseAnswer) -> String {
    match answer {
        CauseAnswer::NoEffect => format!("`{effect}` did not happen on this trace."),
        CauseAnswer::NotDecided(_) => format!(
            "`{effect}` happened on this trace, but not because of its inputs: the system may also do otherwise on the same inputs."
        ),
        CauseAnswer::Inevitable => {
            format!("`{effect}` happens whatever the inputs are: no input could have prevented it.")
        }
        CauseAnswer::Cause(found) => because(alphabet, formulas, effect, found),
    }
}

/// The most events that one sentence lists.
const SAID: usize = 6;

fn because(alphabet: &Alphabet, formulas: &Formulas, effect: &str, found: &Explained) -> String {
    let cause = &found.cause;
    let events: Vec<String> = cause.necessary.iter().map(|e| event_text(alphabet, e)).collect();
    let several = cause.alternatives.len() + events.len() > 1;
    let choice = |set: &Vec<InputEvent>| {
        let text = alternative_text(alphabet, set);
        if several { format!("({text})") } else { text }
    };
    let choices: Vec<String> = cause.alternatives.iter().map(choice).collect();
    let mut parts: Vec<String> = events.iter().chain(&choices).cloned().collect();
    if !cause.recurring.is_empty() {
        parts.push(recurring_text(alphabet, &cause.recurring));
    }
    parts.extend(cause.again.iter().map(|group| format!("again and again, {}", again_text(alphabet, group))));
    let formula = cause.formula.map(|f| formulas.display_by_time(f, alphabet));
    if found.exact && parts.len() <= SAID {
        let tail = formula.map_or(String::new(), |f| format!(", that is, because of `{f}`"));
        return format!("`{effect}` happened because {}{tail}.", and(&parts));
    }
    if let Some(formula) = formula {
        let tail = if parts.is_empty() || parts.len() > SAID {
            String::new()
        } else {
            format!("; in particular {}", and(&parts))
        };
        return format!("`{effect}` happened because of `{formula}`{tail}.");
    }
    if parts.is_empty() {
        let repeated = cause.counterfactual.as_ref().is_some_and(|c| !c.period.is_empty());
        let why = if repeated {
            "no finite number of changed inputs would have undone it, only infinitely many changes"
        } else {
            "no one input of one step was necessary for it, only several together"
        };
        return format!("`{effect}` happened for no single reason: {why}.");
    }
    let more = if parts.len() > SAID { ", and so on" } else { "" };
    parts.truncate(SAID);
    format!(
        "`{effect}` happened because {}{more}; so the cause begins, and no short formula says all of it.",
        and(&parts)
    )
}

/// A step of a comparison of two runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepComparison {
    /// The step.
    pub step: usize,
    /// The actual letter.
    pub actual: Letter,
    /// The counterfactual letter.
    pub instead: Letter,
}

/// Two runs side by side: the steps up to where they are the same forever, or up to the end of the first
/// common round; and from which step on they are the same.
pub fn compare(actual: &Lasso, instead: &Lasso) -> (Vec<StepComparison>, Option<usize>) {
    let prefix = actual.prefix.len().max(instead.prefix.len());
    let (a, b) = (actual.cycle.len(), instead.cycle.len());
    let mut round = a;
    // At most the product of the two rounds.
    while !round.is_multiple_of(b) {
        round += a;
    }
    let all = prefix + round;
    let same = |step: usize| letter_at(actual, step) == letter_at(instead, step);
    let together = (prefix..all).all(same);
    let joined =
        if together { Some((0..prefix).rev().find(|&step| !same(step)).map_or(0, |s| s + 1)) } else { None };
    let row = |step: usize| StepComparison {
        step,
        actual: letter_at(actual, step).clone(),
        instead: letter_at(instead, step).clone(),
    };
    ((0..joined.unwrap_or(all)).map(row).collect(), joined)
}
