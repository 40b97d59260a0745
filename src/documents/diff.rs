//! The document of `diff --format json`.

use super::parts::{CheckClause, CheckDiagnostic};
use super::trace::TraceDocument;
use super::{SCHEMA_VERSION, Tool};
use schemars::JsonSchema;
use serde::Serialize;

/// Two machines or two specifications compared.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct DiffDocument {
    /// The version of this format.
    pub schema_version: String,
    /// The program that made the document.
    pub tool: Tool,
    /// The first file.
    pub left: String,
    /// The second file.
    pub right: String,
    /// What the files are; absent if they were never read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<DiffKind>,
    /// The answer.
    pub verdict: DiffVerdict,
    /// The answer in a sentence; absent if the diagnostics explain it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// How the answer is to be understood: names that only one file has, and how they were treated.
    pub notes: Vec<String>,
    /// For specifications: how the sets of words that they allow are related.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relation: Option<DiffRelation>,
    /// For machines: the step, from 0, in which their answers differ.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<usize>,
    /// For machines: the atoms that differ in that step.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub atoms: Vec<DiffAtom>,
    /// For machines: the plays of the left and of the right one up to that step.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub plays: Vec<TraceDocument>,
    /// For specifications: a word that the left one allows and the right one does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub only_left: Option<DiffWord>,
    /// For specifications: a word that the right one allows and the left one does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub only_right: Option<DiffWord>,
    /// All findings about the input.
    pub diagnostics: Vec<CheckDiagnostic>,
}

/// The kind of files that are compared.
#[derive(Clone, Copy, Debug, JsonSchema, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum DiffKind {
    /// Machines: equivalent if they give the same answers to every word.
    Machines,
    /// Specifications: equivalent if they allow the same infinite words.
    Specifications,
}

/// The answer.
#[derive(Clone, Copy, Debug, JsonSchema, PartialEq, Eq, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum DiffVerdict {
    /// They are equivalent.
    Equivalent,
    /// They are not.
    Different,
    /// Neither is known.
    Unknown,
}

/// How the words that two specifications allow are related.
#[derive(Clone, Copy, Debug, JsonSchema, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum DiffRelation {
    /// They allow the same words.
    Same,
    /// The words of the left one are a proper subset of those of the right one.
    LeftStronger,
    /// The words of the right one are a proper subset of those of the left one.
    RightStronger,
    /// Each allows a word that the other one does not.
    Incomparable,
}

/// An atom in which two answers differ.
#[derive(Clone, Debug, JsonSchema, PartialEq, Eq, Serialize)]
pub struct DiffAtom {
    /// Its name.
    pub name: String,
    /// Whether it holds in the answer of the left machine.
    pub left: bool,
    /// Whether it holds in the answer of the right machine.
    pub right: bool,
}

/// A word that one specification allows and the other one does not.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct DiffWord {
    /// The word.
    pub trace: TraceDocument,
    /// The clause of the other specification that fails on the word; absent if a cell gets an update that the other
    /// specification does not have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clause: Option<CheckClause>,
}

impl DiffDocument {
    /// A document without an answer.
    pub fn new(tool_version: &str, left: &str, right: &str) -> Self {
        Self {
            schema_version: SCHEMA_VERSION.into(),
            tool: Tool::new(tool_version),
            left: left.into(),
            right: right.into(),
            kind: None,
            verdict: DiffVerdict::Unknown,
            reason: None,
            notes: Vec::new(),
            relation: None,
            step: None,
            atoms: Vec::new(),
            plays: Vec::new(),
            only_left: None,
            only_right: None,
            diagnostics: Vec::new(),
        }
    }
}
