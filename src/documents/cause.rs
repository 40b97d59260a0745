//! The document of `explain --format json` for the cause of an effect on a trace.

use super::trace::ImpossibleAssumptions;
use super::{SCHEMA_VERSION, Tool};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use tsl_synth_core::logic::{Alphabet, Lasso, Letter};
use tsl_synth_core::model::{InputEvent, NecessaryEvent};
use tsl_synth_explain::cause::input_name;

/// The answer to the question for a cause.
#[derive(Clone, Copy, Debug, JsonSchema, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum CauseVerdict {
    /// There is a cause.
    Cause,
    /// The effect did not happen.
    NoEffect,
    /// The effect happened, but on the same inputs the system can also avoid it.
    NoCause,
    /// No input could have prevented the effect.
    Inevitable,
    /// The trace is not a trace of the machine.
    BadTrace,
}

/// The whole document.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CauseDocument {
    /// The version of this format.
    pub schema_version: String,
    /// The program that made the document.
    pub tool: Tool,
    /// The answer to the question for a cause.
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
    /// A formula over the inputs that is equivalent to the cause, if one was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub formula: Option<String>,
    /// The language of the formula: `ltl`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub formula_kind: Option<String>,
    /// Whether the formula, or the necessary events and alternatives together, describe the cause completely.
    pub exact: bool,
    /// Events each of which was necessary.
    pub necessary: Vec<CauseEvents>,
    /// Sets of events; at least one event of each set was necessary.
    pub alternatives: Vec<Vec<CauseEvent>>,
    /// Infinitely many events, at least one of which was necessary. If present, this is the whole cause.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub recurring: Vec<CauseEvents>,
    /// Groups of events; the cause is that for each group all its events happen in one step infinitely often. If
    /// present, this is the whole cause.
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
    /// Whether no deterministic automaton of the cause has fewer states; false if that is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub automaton_minimal: Option<bool>,
    /// How the given hypothesis compares with the cause.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hypothesis: Option<CauseHypothesis>,
    /// Why the controller did what it did in the step that is explained, and how the cells got the values on which that
    /// depended, latest first. Empty if a formula is explained.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub chain: Vec<CauseLink>,
    /// Remarks that are important for reading the answer.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub notes: Vec<String>,
    /// What the independent check did, if it was done.
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
    /// The program that made the document.
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

/// The cause of a choice of an agent in a turn.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ChoiceDocument {
    /// The turn.
    pub turn: u32,
    /// The turns that correspond to the steps of the cause: those since the controller began or restarted.
    pub turns: Vec<u32>,
    /// The choice.
    pub effect: String,
    /// The cause.
    pub cause: CauseDocument,
}

/// The reasons for the update of a cell in a step.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CauseLink {
    /// The step.
    pub step: usize,
    /// The cell.
    pub cell: String,
    /// The term that it got; its own name if it was kept.
    pub term: String,
    /// The inputs that decided it.
    pub because: Vec<String>,
    /// The clauses that ask for it, each with its line. None for a free choice, or if that is not known.
    pub clauses: Vec<String>,
    /// Whether it was a free choice: no clause asked for it.
    pub free: bool,
    /// For a free choice, other terms that no clause forbids.
    pub allowed: Vec<String>,
    /// All of it in a sentence.
    pub sentence: String,
}

/// An input that had one value in several steps.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct CauseEvents {
    /// The input.
    pub input: String,
    /// Its actual value.
    pub value: bool,
    /// The steps.
    pub steps: CauseSteps,
}

/// An ultimately periodic set of steps.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct CauseSteps {
    /// Single steps.
    pub prefix: Vec<usize>,
    /// The steps of the first round.
    pub period: Vec<usize>,
    /// The period: each step of the first round recurs after this many steps.
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

/// A counterfactual play.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct CauseCounterfactual {
    /// The letters before the cycle.
    pub prefix: Vec<CauseLetter>,
    /// The letters that repeat.
    pub cycle: Vec<CauseLetter>,
    /// The inputs that would have to be different in single steps.
    pub flips: Vec<CauseEvent>,
    /// The inputs that would have to be different in every round of the cycle; none if a finite number of flips is
    /// enough.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub flips_per_round: Vec<CauseEvent>,
}

/// Inputs and outputs with their truth, cells with the term they are set to.
pub type CauseLetter = BTreeMap<String, CauseValue>;

/// The value of a term in a letter.
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
    /// The comparison in a sentence.
    pub sentence: String,
    /// Whether it is true on the trace; a formula that is false there is not a cause.
    pub holds_on_trace: bool,
    /// Input sequences that show it.
    pub witnesses: Vec<CauseWitness>,
}

/// An input sequence that distinguishes a hypothesis from the cause.
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
    /// A document with only these entries.
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
            chain: Vec::new(),
            notes: Vec::new(),
            certificate: None,
        }
    }
}

impl CauseEvents {
    /// The event with the input names of an alphabet.
    pub fn new(alphabet: &Alphabet, event: &NecessaryEvent) -> Self {
        let steps = &event.steps;
        let (prefix, period, every) = (steps.prefix.clone(), steps.period.clone(), steps.every);
        let input = input_name(alphabet, event.input).to_owned();
        Self { input, value: event.value, steps: CauseSteps { prefix, period, every } }
    }
}

impl CauseEvent {
    /// The event with the input names of an alphabet.
    pub fn new(alphabet: &Alphabet, event: &InputEvent) -> Self {
        let input = input_name(alphabet, event.input).to_owned();
        Self { step: event.step, input, actual: event.actual }
    }
}

/// A letter with the names of an alphabet; without outputs for an input letter.
pub fn cause_letter(alphabet: &Alphabet, letter: &Letter, outputs: bool) -> CauseLetter {
    let atoms = alphabet.atoms();
    let truth = |atom| (atoms[atom].name.clone(), CauseValue::Holds(alphabet.holds(atom, letter)));
    let inputs = alphabet.input_words(letter).into_iter();
    let mut all: CauseLetter = inputs.map(|word| (word.text, CauseValue::Holds(word.holds))).collect();
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
