//! The document of `verify --format json`.

use super::check::CheckCertificate;
use super::parts::{CheckClause, CheckDiagnostic};
use super::trace::TraceDocument;
use super::{SCHEMA_VERSION, Tool};
use schemars::JsonSchema;
use serde::Serialize;

/// The result of verifying a machine.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct VerifyDocument {
    /// The version of this format.
    pub schema_version: String,
    /// The program that made the document.
    pub tool: Tool,
    /// The specification.
    pub spec: String,
    /// The machine.
    pub machine: String,
    /// The answer.
    pub verdict: VerifyVerdict,
    /// The answer in a sentence; absent if the diagnostics explain it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Whose strategy the machine is: `system` or `environment`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub player: Option<String>,
    /// `tsl` or `ltl`: the sense in which a counter-strategy wins, or a play is possible.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notion: Option<String>,
    /// States of the machine; absent for a circuit that was not unfolded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub states: Option<usize>,
    /// Latches of a circuit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latches: Option<usize>,
    /// Gates of a circuit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gates: Option<usize>,
    /// For HOLDS: how that was checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub certificate: Option<CheckCertificate>,
    /// The number of emptiness checks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub questions: Option<u64>,
    /// States of all products that were searched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub product_states: Option<u64>,
    /// For a circuit: nodes of decision diagrams.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diagram_nodes: Option<u64>,
    /// The clause that fails on the play.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clause: Option<CheckClause>,
    /// The play; with UNKNOWN, a play for which it is not known whether predicates and functions of TSL allow it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<TraceDocument>,
    /// All findings about the input.
    pub diagnostics: Vec<CheckDiagnostic>,
}

/// A verdict on a machine.
#[derive(Clone, Copy, Debug, JsonSchema, PartialEq, Eq, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum VerifyVerdict {
    /// The machine satisfies the specification.
    Holds,
    /// It does not.
    Violated,
    /// Neither is known.
    Unknown,
}

impl VerifyDocument {
    /// A document without an answer.
    pub fn new(tool_version: &str, spec: String, machine: String) -> Self {
        Self {
            schema_version: SCHEMA_VERSION.into(),
            tool: Tool::new(tool_version),
            spec,
            machine,
            verdict: VerifyVerdict::Unknown,
            reason: None,
            player: None,
            notion: None,
            states: None,
            latches: None,
            gates: None,
            certificate: None,
            questions: None,
            product_states: None,
            diagram_nodes: None,
            clause: None,
            trace: None,
            diagnostics: Vec::new(),
        }
    }
}
