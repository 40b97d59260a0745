//! Trace JSON: what `simulate` writes, and `explain` and `monitor` read.

use super::{SCHEMA_VERSION, Tool};
use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;
use tsl_synth_core::logic::{Alphabet, Letter};
use tsl_synth_kernel::{Blame, Culprit};

/// A trace.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct TraceDocument {
    /// The version of this format.
    pub schema_version: String,
    /// The program that made the document.
    pub tool: Tool,
    /// The specification, relative to the folder of the trace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spec: Option<String>,
    /// The machine, relative to the folder of the trace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub machine: Option<String>,
    /// The id of the machine whose outputs these are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub machine_id: Option<String>,
    /// An effect to be explained.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effect: Option<String>,
    /// The letters before the loop.
    pub prefix: Vec<LetterDocument>,
    /// The letters that repeat; absent in a finite trace.
    #[serde(rename = "loop", skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub cycle: Vec<LetterDocument>,
    /// When the assumptions of the specification became impossible, if they did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assumptions: Option<ImpossibleAssumptions>,
}

/// When the assumptions became impossible to satisfy on a trace, and who made them so.
#[derive(Clone, Debug, JsonSchema, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ImpossibleAssumptions {
    /// The step after which they cannot be satisfied any more; absent if they cannot from the start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub impossible_after: Option<usize>,
    /// Who made them so; absent if no trace satisfies them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<ImpossibleBy>,
    /// The first assumption that cannot be satisfied on its own; absent if only several together cannot be satisfied.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clause: Option<String>,
}

/// Who made the assumptions impossible to satisfy.
#[derive(Clone, Copy, Debug, JsonSchema, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ImpossibleBy {
    /// The environment, with an input that the assumptions did not allow.
    Environment,
    /// The system: with another answer to the input they could be satisfied.
    System,
    /// The controller: after the answers so far they can be satisfied, but no play of this machine satisfies them.
    Controller,
}

/// A letter: predicate terms and propositions with their truth, cells with the term they are set to. A name that
/// is both is the cell, and in parentheses the predicate term: `"(lamp)": false, "lamp": "true"`.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(transparent)]
pub struct LetterDocument(#[schemars(with = "BTreeMap<String, LetterValue>")] Vec<(String, LetterValue)>);

/// The value of a term in a letter.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(untagged)]
pub enum LetterValue {
    /// It holds or not.
    Holds(bool),
    /// The term that a cell is set to.
    Term(String),
}

impl Serialize for LetterDocument {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(term, value)| (term, value)))
    }
}

impl LetterDocument {
    /// A letter with the names of an alphabet: inputs, cells, outputs.
    pub fn new(alphabet: &Alphabet, letter: &Letter) -> Self {
        let atoms = alphabet.atoms();
        let is_cell = |name: &str| alphabet.cells().iter().any(|cell| cell.name == name);
        let truth = |name: &str, holds: bool| {
            let key = if is_cell(name) { format!("({name})") } else { name.to_string() };
            (key, LetterValue::Holds(holds))
        };
        let inputs = alphabet.input_words(letter);
        let mut entries: Vec<(String, LetterValue)> =
            inputs.iter().map(|word| truth(&word.text, word.holds)).collect();
        for (id, cell) in alphabet.cells().enumerate() {
            let term = alphabet.update_term(alphabet.chosen(letter, id)).unwrap_or_default();
            entries.push((cell.name.clone(), LetterValue::Term(term.into())));
        }
        let outputs = alphabet.outputs();
        entries.extend(outputs.map(|atom| truth(&atoms[atom].name, alphabet.holds(atom, letter))));
        Self(entries)
    }
}

impl TraceDocument {
    /// The document of a word; with `back`, its letters from there on repeat.
    pub fn new(tool_version: &str, alphabet: &Alphabet, letters: &[Letter], back: Option<usize>) -> Self {
        let (prefix, cycle) = letters.split_at(back.unwrap_or(letters.len()).min(letters.len()));
        let documents =
            |part: &[Letter]| part.iter().map(|letter| LetterDocument::new(alphabet, letter)).collect();
        Self {
            schema_version: SCHEMA_VERSION.into(),
            tool: Tool::new(tool_version),
            spec: None,
            machine: None,
            machine_id: None,
            effect: None,
            prefix: documents(prefix),
            cycle: documents(cycle),
            assumptions: None,
        }
    }
}

impl ImpossibleAssumptions {
    /// The document of a finding, with the text of the clause.
    pub fn new(blame: &Blame, clause: Option<String>) -> Self {
        let by = blame.by.map(|by| match by {
            Culprit::Environment => ImpossibleBy::Environment,
            Culprit::System => ImpossibleBy::System,
            Culprit::Controller => ImpossibleBy::Controller,
        });
        Self { impossible_after: blame.steps.checked_sub(1), by, clause }
    }
}
