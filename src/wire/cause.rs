//! The document of `explain --format json` for the cause of an effect on a trace.

use super::trace::ImpossibleAssumptions;
use super::{SCHEMA_VERSION, Tool};
use crate::explain::cause::input_name;
use crate::logic::{Alphabet, Lasso, Letter};
use crate::model::{InputEvent, NecessaryEvent};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// What came of the question.
#[derive(Clone, Copy, Debug, JsonSchema, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum CauseVerdict {
    /// There is a cause.
    Cause,
    /// The effect did not happen.
    NoEffect,
    /// The effect happened, and on the same inputs the system may also do without it.
    NoCause,
    /// No input could have prevented the effect.
    Inevitable,
    /// The trace is not one of the machine.
    BadTrace,
}

/// The whole document.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CauseDocument {
    /// The version of this format.
    pub schema_version: String,
    /// What made the document.
    pub tool: Tool,
    /// What came of the question.
    pub verdict: CauseVerdict,
    /// The answer in one sentence.
    pub sentence: String,
    /// The effect as it was written.
    pub effect: String,
    /// The machine that was explained.
    pub machine: String,
    /// For an effect that did not happen: the step after which it could not happen any more, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ruled_out_at: Option<usize>,
    /// When the assumptions of the specification became impossible on the trace, if they did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assumptions: Option<ImpossibleAssumptions>,
    /// A formula over the inputs that is equivalent to the cause, where one was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub formula: Option<String>,
    /// The language of the formula: `ltl`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub formula_kind: Option<String>,
    /// Whether formula, or necessary events and alternatives together, are all of the cause.
    pub exact: bool,
    /// Events that were necessary each by itself.
    pub necessary: Vec<CauseEvents>,
    /// Of each of these sets at least one event was necessary.
    pub alternatives: Vec<Vec<CauseEvent>>,
    /// At least one of these infinitely many events was necessary; the cause is nothing else then.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub recurring: Vec<CauseEvents>,
    /// Each of these groups of events came again and again, all events of it in one step; the cause is nothing else then.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub again: Vec<Vec<CauseEvents>>,
    /// The nearest play without the effect.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counterfactual: Option<CauseCounterfactual>,
    /// Inputs that never mattered.
    pub irrelevant_inputs: Vec<String>,
    /// The exact cause as HOA.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub automaton: Option<String>,
    /// Whether no deterministic automaton of the cause has fewer states; false where that is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub automaton_minimal: Option<bool>,
    /// What is to be said of a hypothesis.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hypothesis: Option<CauseHypothesis>,
    /// Whoever reads the answer should know this.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub notes: Vec<String>,
    /// What the independent check did, where it was done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub certificate: Option<String>,
}

/// The document for several effects on one trace.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CausesDocument {
    /// The version of this format.
    pub schema_version: String,
    /// What made the document.
    pub tool: Tool,
    /// The answers in the order of the effects, each as for one effect alone.
    pub results: Vec<CauseDocument>,
}

impl CausesDocument {
    /// The document of these answers.
    pub fn new(tool_version: &str, results: Vec<CauseDocument>) -> Self {
        Self { schema_version: SCHEMA_VERSION.into(), tool: Tool::new(tool_version), results }
    }
}

/// Why an agent chose what it chose in a turn.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ChoiceDocument {
    /// The turn.
    pub turn: u32,
    /// The turns that the steps of the cause stand for: those since the controller began, or restarted.
    pub turns: Vec<u32>,
    /// What was chosen.
    pub effect: String,
    /// The cause.
    pub cause: CauseDocument,
}

/// An input that had one value in several steps.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct CauseEvents {
    /// The input.
    pub input: String,
    /// Its actual value.
    pub value: bool,
    /// When.
    pub steps: CauseSteps,
}

/// A set of steps that is finally periodic.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct CauseSteps {
    /// Single steps.
    pub prefix: Vec<usize>,
    /// The steps of the first round.
    pub period: Vec<usize>,
    /// Each step of the first round comes again every so many steps.
    pub every: usize,
}

/// An input in a step.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct CauseEvent {
    /// The step, from 0.
    pub step: usize,
    /// The input.
    pub input: String,
    /// Its actual value.
    pub actual: bool,
}

/// A play that would have been.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct CauseCounterfactual {
    /// The letters before the cycle.
    pub prefix: Vec<CauseLetter>,
    /// The letters that repeat.
    pub cycle: Vec<CauseLetter>,
    /// What would have to be different: in the steps listed, and in every round after.
    pub flips: Vec<CauseEvent>,
    /// The flips that come again in every round of the cycle; none if a finite number is enough.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub flips_per_round: Vec<CauseEvent>,
}

/// Inputs and outputs with their truth, cells with the term they are set to.
pub type CauseLetter = BTreeMap<String, CauseValue>;

/// What a letter gives to a term.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(untagged)]
pub enum CauseValue {
    /// It holds or not.
    Holds(bool),
    /// The term that a cell is set to.
    Term(String),
}

/// How a hypothesis compares with the cause.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CauseHypothesis {
    /// `cause`, `too-weak`, `too-strong`, `unrelated`.
    pub verdict: String,
    /// In words.
    pub sentence: String,
    /// Whether it is true on the trace; what is false there is no cause.
    pub holds_on_trace: bool,
    /// Input sequences that show it.
    pub witnesses: Vec<CauseWitness>,
}

/// Input sequences that tell a hypothesis from the cause.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct CauseWitness {
    /// What it shows.
    pub shows: String,
    /// Letters before the cycle.
    pub prefix: Vec<CauseLetter>,
    /// Letters that repeat.
    pub cycle: Vec<CauseLetter>,
}

impl CauseDocument {
    /// A document that says no more than this.
    pub fn new(
        tool_version: &str,
        verdict: CauseVerdict,
        sentence: String,
        effect: &str,
        machine: &str,
    ) -> Self {
        Self {
            schema_version: SCHEMA_VERSION.into(),
            tool: Tool::new(tool_version),
            verdict,
            sentence,
            effect: effect.into(),
            machine: machine.into(),
            ruled_out_at: None,
            assumptions: None,
            formula: None,
            formula_kind: None,
            exact: verdict != CauseVerdict::BadTrace,
            necessary: Vec::new(),
            alternatives: Vec::new(),
            recurring: Vec::new(),
            again: Vec::new(),
            counterfactual: None,
            irrelevant_inputs: Vec::new(),
            automaton: None,
            automaton_minimal: None,
            hypothesis: None,
            notes: Vec::new(),
            certificate: None,
        }
    }
}

impl CauseEvents {
    /// In the terms of an alphabet.
    pub fn new(alphabet: &Alphabet, event: &NecessaryEvent) -> Self {
        let steps = &event.steps;
        let (prefix, period, every) = (steps.prefix.clone(), steps.period.clone(), steps.every);
        let input = input_name(alphabet, event.input).to_owned();
        Self { input, value: event.value, steps: CauseSteps { prefix, period, every } }
    }
}

impl CauseEvent {
    /// In the terms of an alphabet.
    pub fn new(alphabet: &Alphabet, event: &InputEvent) -> Self {
        let input = input_name(alphabet, event.input).to_owned();
        Self { step: event.step, input, actual: event.actual }
    }
}

/// A letter in the terms of an alphabet; without outputs for an input letter.
pub fn cause_letter(alphabet: &Alphabet, letter: &Letter, outputs: bool) -> CauseLetter {
    let atoms = alphabet.atoms();
    let truth = |atom| (atoms[atom].name.clone(), CauseValue::Holds(alphabet.holds(atom, letter)));
    let mut all: CauseLetter = alphabet.inputs().map(truth).collect();
    if outputs {
        all.extend(alphabet.outputs().map(truth));
        for (id, cell) in alphabet.cells().enumerate() {
            let term = alphabet.update_term(alphabet.chosen(letter, id)).unwrap_or_default();
            all.insert(cell.name.clone(), CauseValue::Term(term.into()));
        }
    }
    all
}

/// The letters of a word, before the cycle and in it.
pub fn cause_word(alphabet: &Alphabet, word: &Lasso, outputs: bool) -> (Vec<CauseLetter>, Vec<CauseLetter>) {
    let letters =
        |part: &[Letter]| part.iter().map(|letter| cause_letter(alphabet, letter, outputs)).collect();
    (letters(&word.prefix), letters(&word.cycle))
}
