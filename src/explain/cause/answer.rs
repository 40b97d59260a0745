//! The readable answer, from the automaton of the counterfactuals: necessary events, overdetermined ones, the nearest
//! counterfactual, irrelevant inputs. The automaton of the cause is used only if it is small.

use super::again::again;
use super::counterfactuals::Counterfactuals;
use super::events::{ActualRun, alternatives, necessary};
use super::exact::{exact as exact_cause, formula_of};
use super::flips::Flips;
use super::inclusion::{KeptCells, flipped, outside};
use super::nearest::{FlipWord, distances, nearest};
use super::play::{accepts, play_without};
use super::question::{CauseQuestion, input_atom, letter_at, project};
use super::recurring::recurring;
use super::templates::templates;
use crate::tuning::{CHOICE_WORK, MOST_CHOICES};
use tsl_synth_automata::ltl_to_buchi;
use tsl_synth_core::base::{Budget, Limit};
use tsl_synth_core::logic::{Alphabet, BitId, FormulaId, Formulas, Lasso};
use tsl_synth_core::model::{Cause, Counterfactual, InputEvent, NecessaryEvent, Parity};

/// Limits of the search for an answer.
#[derive(Clone, Copy, Debug)]
pub struct CauseEffort {
    /// Alternatives have at most this many flips.
    pub alternatives: usize,
    /// Alternatives lie in the first `horizon` steps; by default in the trace and one more round of its cycle.
    pub horizon: Option<usize>,
    /// Counted work for the search of alternatives.
    pub search: u64,
    /// The most states of the cause automaton that are built to find irrelevant inputs and a formula.
    pub states: usize,
}

impl Default for CauseEffort {
    fn default() -> Self {
        Self { alternatives: 3, horizon: None, search: 20_000, states: 64 }
    }
}

/// The answer to a question.
#[derive(Clone, Debug)]
pub enum CauseAnswer {
    /// The effect did not occur on the trace.
    NoEffect,
    /// It occurred, and on the same inputs the system also has this play without it: there is no cause.
    NotDecided(Box<Lasso>),
    /// The effect occurs on every play of the system: no input could have prevented it.
    Inevitable,
    /// The cause of the effect.
    Cause(Box<Explained>),
}

/// A cause, and what is known about its list of events.
#[derive(Clone, Debug)]
pub struct Explained {
    /// The cause.
    pub cause: Cause,
    /// Whether necessary events and alternatives together are the cause: a sequence that keeps all of them has
    /// the effect and so has everything nearer.
    pub exact: bool,
    /// Whether all alternatives of the allowed size within the horizon were found.
    pub complete: bool,
}

/// Answers a question.
pub(super) fn answer(
    question: &CauseQuestion<'_>,
    counterfactuals: &Counterfactuals,
    formulas: &mut Formulas,
    within: FormulaId,
    effort: &CauseEffort,
    budget: &Budget,
) -> Result<CauseAnswer, Limit> {
    if !counterfactuals.spares_actual() {
        if accepts(question.alphabet, question.without, question.actual) {
            return Ok(CauseAnswer::NoEffect);
        }
        let other = play_without(question, question.actual).unwrap_or_else(|| question.actual.clone());
        return Ok(CauseAnswer::NotDecided(Box::new(other)));
    }
    let Some(word) = nearest(counterfactuals, budget)? else { return Ok(CauseAnswer::Inevitable) };
    let idle = ActualRun::new(counterfactuals, budget)?;
    let necessary = necessary(counterfactuals, &idle);
    let distance = distances(counterfactuals);
    let actual = question.actual;
    let horizon = effort.horizon.unwrap_or(actual.len() + actual.cycle.len());
    let (alternatives, complete) =
        alternatives(counterfactuals, &distance, horizon, effort.alternatives, effort.search);
    let alphabet = question.alphabet;
    let choices = choices(formulas, alphabet, &alternatives);
    let kept = kept(counterfactuals, &idle, &necessary);
    let kept_choices = formulas.and([choices, within]);
    // Many alternatives make a large automaton and an unreadable sentence.
    let exact = alternatives.len() <= MOST_CHOICES && {
        let some = budget.child(CHOICE_WORK);
        match ltl_to_buchi(formulas, alphabet, kept_choices, 64 * effort.states, &some) {
            Ok(automaton) => {
                let automaton = project(alphabet, question.system, &automaton, budget)?;
                outside(counterfactuals, &automaton, &kept, budget)?.is_none()
            }
            Err(_) => false,
        }
    };
    let recurring = if within == formulas.top() { recurring(counterfactuals, &word, budget)? } else { None };
    let exact = exact || recurring.is_some();
    let said = match &recurring {
        Some(events) => disjunction(formulas, alphabet, events),
        None if exact => conjunction(formulas, alphabet, &necessary),
        None => None,
    };
    // A cause automaton with few states may still have a formula, and shows which inputs the cause mentions.
    let small = exact_cause(counterfactuals, effort.states, budget).ok();
    let small = small.as_ref().map(|found| &found.automaton);
    let counterfactual = counterfactual(question, counterfactuals, &word);
    let irrelevant = irrelevant(counterfactuals, small);
    let formula = match (said, small) {
        (Some(f), _) => Some(formulas.and([f, choices])),
        (None, Some(automaton)) => formula_of(automaton, alphabet, formulas).or_else(|| {
            let mentioned: Vec<BitId> =
                counterfactuals.inputs.iter().copied().filter(|input| !irrelevant.contains(input)).collect();
            let broken = &counterfactual.play;
            templates(counterfactuals, &mentioned, broken, alphabet, formulas, effort.states, budget)
        }),
        (None, None) => None,
    };
    let plain = formula.is_none() && !exact && necessary.is_empty() && within == formulas.top();
    let again = if plain && !word.cycle.is_empty() {
        again(counterfactuals, &idle, 64 * effort.states, budget).ok().flatten().unwrap_or_default()
    } else {
        Vec::new()
    };
    let exact = exact || !again.is_empty();
    let counterfactual = Some(counterfactual);
    let recurring = recurring.unwrap_or_default();
    let cause = Cause { necessary, alternatives, recurring, again, counterfactual, irrelevant, formula };
    Ok(CauseAnswer::Cause(Box::new(Explained { cause, exact, complete })))
}

fn literal(formulas: &mut Formulas, alphabet: &Alphabet, input: BitId, value: bool) -> FormulaId {
    let atom = formulas.atom(input_atom(alphabet, input));
    if value { atom } else { formulas.not(atom) }
}

/// The formula that at least one cell of every alternative has its actual value.
fn choices(formulas: &mut Formulas, alphabet: &Alphabet, alternatives: &[Vec<InputEvent>]) -> FormulaId {
    let mut all = Vec::new();
    for alternative in alternatives {
        let mut some = Vec::new();
        for event in alternative {
            let literal = literal(formulas, alphabet, event.input, event.actual);
            some.push(formulas.next_n(event.step as u32, literal));
        }
        all.push(formulas.or(some));
    }
    formulas.and(all)
}

/// All necessary events as a formula; `None` if a period is longer than one step, which LTL cannot express.
fn conjunction(
    formulas: &mut Formulas,
    alphabet: &Alphabet,
    necessary: &[NecessaryEvent],
) -> Option<FormulaId> {
    let mut all = Vec::new();
    for event in necessary {
        let literal = literal(formulas, alphabet, event.input, event.value);
        for &step in &event.steps.prefix {
            all.push(formulas.next_n(step as u32, literal));
        }
        if let Some(&first) = event.steps.period.first() {
            if event.steps.every != 1 {
                return None;
            }
            let always = formulas.globally(literal);
            all.push(formulas.next_n(first as u32, always));
        }
    }
    Some(formulas.and(all))
}

/// The disjunction of these events as a formula; `None` as for [`conjunction`].
fn disjunction(formulas: &mut Formulas, alphabet: &Alphabet, events: &[NecessaryEvent]) -> Option<FormulaId> {
    let mut some = Vec::new();
    for event in events {
        let literal = literal(formulas, alphabet, event.input, event.value);
        for &step in &event.steps.prefix {
            some.push(formulas.next_n(step as u32, literal));
        }
        if let Some(&first) = event.steps.period.first() {
            if event.steps.every != 1 {
                return None;
            }
            let finally = formulas.finally(literal);
            some.push(formulas.next_n(first as u32, finally));
        }
    }
    Some(formulas.or(some))
}

fn kept(counterfactuals: &Counterfactuals, idle: &ActualRun, necessary: &[NecessaryEvent]) -> KeptCells {
    let mask = |step: usize| -> Flips {
        let events = necessary.iter().filter(|event| event.steps.contains(step));
        events.fold(0, |mask, event| {
            let i = counterfactuals.inputs.binary_search(&event.input).expect("an input of the question");
            mask | 1 << i
        })
    };
    KeptCells::new((0..idle.sets.len()).map(mask).collect(), idle.repeats_from)
}

fn counterfactual(
    question: &CauseQuestion<'_>,
    counterfactuals: &Counterfactuals,
    word: &FlipWord,
) -> Counterfactual {
    let actual = &counterfactuals.actual;
    let at = |step: usize| -> Flips {
        match step.checked_sub(word.prefix.len()) {
            None => word.prefix[step],
            Some(_) if word.cycle.is_empty() => 0,
            Some(later) => word.cycle[later % word.cycle.len()],
        }
    };
    let start = word.prefix.len().max(actual.prefix.len());
    let round =
        if word.cycle.is_empty() { actual.cycle.len() } else { lcm(actual.cycle.len(), word.cycle.len()) };
    let letters = |steps: std::ops::Range<usize>| {
        steps.map(|step| flipped(letter_at(actual, step), &counterfactuals.inputs, at(step))).collect()
    };
    let inputs = Lasso { prefix: letters(0..start), cycle: letters(start..start + round) };
    let events = |steps: std::ops::Range<usize>| -> Vec<InputEvent> {
        let all = steps.flat_map(|step| super::events::bits(at(step)).map(move |i| (step, i)));
        let event = |(step, i): (usize, u32)| {
            let input = counterfactuals.inputs[i as usize];
            InputEvent { step, input, actual: letter_at(actual, step).contains(input) }
        };
        all.map(event).collect()
    };
    let flips = events(0..start);
    let period = events(start..start + round);
    let play = play_without(question, &inputs).unwrap_or(inputs);
    Counterfactual { play, flips, period }
}

fn lcm(a: usize, b: usize) -> usize {
    let (mut x, mut y) = (a, b);
    while y != 0 {
        (x, y) = (y, x % y);
    }
    a / x * b
}

/// The inputs that the cause does not mention: those on no edge of the counterfactuals, or of the automaton of the cause if
/// that was built.
fn irrelevant(counterfactuals: &Counterfactuals, cause: Option<&Parity>) -> Vec<BitId> {
    let support = counterfactuals.support();
    let mentioned = cause.map(|cause| -> Vec<BitId> {
        cause.edges.iter().flatten().flat_map(|edge| cause.guards.support(edge.guard)).collect()
    });
    let inputs = counterfactuals.inputs.iter().enumerate();
    let idle = inputs.filter(|&(i, input)| {
        support >> i & 1 == 0 || mentioned.as_ref().is_some_and(|bits| !bits.contains(input))
    });
    idle.map(|(_, &input)| input).collect()
}
