//! The document of `check --format json`.

use super::SCHEMA_VERSION;
use super::explain::CheckRepair;
use crate::diag::{Diagnostic, Severity};
use crate::explain::{Core, Ending, Play, clause_text, role_word};
use crate::logic::{AtomId, Letter};
use crate::model::{Notion, Verdict};
use crate::source::{SourceMap, Span};
use crate::spec::{ClauseId, Problem};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The whole document.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CheckDocument {
    /// The version of this format.
    pub schema_version: String,
    /// What made the document.
    pub tool: Tool,
    /// One result; with `--each` one per file.
    pub results: Vec<CheckResult>,
}

impl CheckDocument {
    /// The document with these results.
    pub fn new(tool_version: &str, results: Vec<CheckResult>) -> Self {
        Self { schema_version: SCHEMA_VERSION.into(), tool: Tool::new(tool_version), results }
    }
}

/// The program that made a document.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
}

impl Tool {
    /// This program in this version.
    pub fn new(version: &str) -> Self {
        Self { name: "tsl-synth".into(), version: version.into() }
    }
}

/// A verdict as JSON.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum CheckVerdict {
    /// There is a controller.
    Realizable,
    /// There is none, in the sense of the notion.
    Unrealizable,
    /// Neither is known; the reason says why.
    Unknown,
}

impl CheckVerdict {
    /// The mirror of a verdict.
    pub fn of(verdict: &Verdict) -> Self {
        match verdict {
            Verdict::Realizable(_) => Self::Realizable,
            Verdict::Unrealizable(..) => Self::Unrealizable,
            Verdict::Unknown(_) => Self::Unknown,
        }
    }
}

impl std::fmt::Display for CheckVerdict {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Realizable => "REALIZABLE",
            Self::Unrealizable => "UNREALIZABLE",
            Self::Unknown => "UNKNOWN",
        })
    }
}

/// In which sense a specification is unrealizable.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CheckNotion {
    /// The LTL abstraction is unrealizable; a TSL controller may still exist.
    Ltl,
    /// There is no controller.
    Tsl,
}

impl CheckNotion {
    /// The mirror of a notion.
    pub fn of(notion: Notion) -> Self {
        match notion {
            Notion::Ltl => Self::Ltl,
            Notion::Tsl => Self::Tsl,
        }
    }
}

impl std::fmt::Display for CheckNotion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Ltl => "ltl",
            Self::Tsl => "tsl",
        })
    }
}

/// The result of checking one specification.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CheckResult {
    /// The specification: its file, or its files with ", " between them.
    pub spec: String,
    /// The answer.
    pub verdict: CheckVerdict,
    /// Why there is no controller, or no answer, in a sentence.
    pub reason: Option<String>,
    /// In which sense; only for UNREALIZABLE.
    pub notion: Option<CheckNotion>,
    /// The engine that found the answer.
    pub engine: Option<String>,
    /// The bound with which it was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bound: Option<u32>,
    /// Wall-clock time.
    pub seconds: f64,
    /// Wall-clock time of checking the answer, part of the above.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub certificate_seconds: Option<f64>,
    /// The most physical memory that the process had, in bytes, where the system tells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub peak_memory: Option<u64>,
    /// States of the controller or of the counter-strategy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub states: Option<usize>,
    /// Latches of a strategy that is a circuit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latches: Option<usize>,
    /// And-gates of a strategy that is a circuit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gates: Option<usize>,
    /// How the answer was checked; absent when it was not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub certificate: Option<CheckCertificate>,
    /// Everything there is to say about the input.
    pub diagnostics: Vec<CheckDiagnostic>,
    /// Clauses that cannot be kept together; only for UNREALIZABLE.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub core: Option<CheckCore>,
    /// A play that the system loses, whatever it does; only for UNREALIZABLE.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub play: Option<CheckPlay>,
    /// What would help; only for UNREALIZABLE.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hints: Vec<CheckRepair>,
    /// What the engines did, with `--stats`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub log: Vec<String>,
}

impl CheckResult {
    /// A result without an answer, and why.
    pub fn unknown(spec: &str, reason: String) -> Self {
        Self {
            spec: spec.into(),
            verdict: CheckVerdict::Unknown,
            reason: Some(reason),
            notion: None,
            engine: None,
            bound: None,
            seconds: 0.0,
            certificate_seconds: None,
            peak_memory: None,
            states: None,
            latches: None,
            gates: None,
            certificate: None,
            diagnostics: Vec::new(),
            core: None,
            play: None,
            hints: Vec::new(),
            log: Vec::new(),
        }
    }
}

/// How an answer was checked.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
pub struct CheckCertificate {
    /// Always true: an answer whose check failed is no answer.
    pub checked: bool,
    /// The method.
    pub by: String,
}

/// A place in a text.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, Serialize)]
pub struct CheckPosition {
    /// From 1.
    pub line: u32,
    /// In characters, from 1.
    pub column: u32,
    /// In bytes from the beginning of the file, from 0.
    pub byte: u32,
}

/// A range in a file.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
pub struct CheckPlace {
    /// The file as it was named.
    pub file: String,
    /// Its first character.
    pub start: CheckPosition,
    /// One past its last character.
    pub end: CheckPosition,
}

impl CheckPlace {
    /// The place of a span.
    pub fn new(map: &SourceMap, span: Span) -> Self {
        let (start, end) = map.positions(span);
        Self {
            file: map.get(span.source).name.clone(),
            start: CheckPosition { line: start.line, column: start.column, byte: span.start },
            end: CheckPosition { line: end.line, column: end.column, byte: span.end },
        }
    }
}

/// A finding about the input.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
pub struct CheckDiagnostic {
    /// Stable: `TSL0123`.
    pub code: String,
    /// `error`, `warning` or `note`.
    pub severity: String,
    /// One sentence.
    pub message: String,
    /// Where; absent when there is no text to show.
    #[serde(flatten)]
    pub place: Option<CheckPlace>,
    /// Remarks about places, the first one about the place itself.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<CheckLabel>,
    /// What to do.
    pub hints: Vec<String>,
}

/// A remark about a place.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
pub struct CheckLabel {
    /// The remark.
    pub text: String,
    /// The place.
    #[serde(flatten)]
    pub place: CheckPlace,
}

impl CheckDiagnostic {
    /// The mirror of a diagnostic.
    pub fn new(map: &SourceMap, diagnostic: &Diagnostic) -> Self {
        let labels = &diagnostic.labels;
        Self {
            code: diagnostic.code.to_string(),
            severity: severity_word(diagnostic.severity).into(),
            message: diagnostic.message.clone(),
            place: labels.first().map(|label| CheckPlace::new(map, label.span)),
            labels: labels
                .iter()
                .enumerate()
                .filter(|(i, label)| *i > 0 || !label.text.is_empty())
                .map(|(_, label)| CheckLabel {
                    text: label.text.clone(),
                    place: CheckPlace::new(map, label.span),
                })
                .collect(),
            hints: diagnostic.hints.clone(),
        }
    }
}

/// `error`, `warning` or `note`.
pub fn severity_word(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    }
}

/// Clauses that cannot be kept together.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CheckCore {
    /// Whether none of the guarantees can be left out.
    pub minimal: bool,
    /// The guarantees.
    pub guarantees: Vec<CheckClause>,
    /// Assumptions about the same things: the environment keeps them all the same.
    pub assumptions: Vec<CheckClause>,
}

/// A clause of the specification.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
pub struct CheckClause {
    /// `guarantee`, `assumption`, `restriction` or `fact`.
    pub role: String,
    /// As written, on one line.
    pub text: String,
    /// Where; absent for what the language adds.
    #[serde(flatten)]
    pub place: Option<CheckPlace>,
}

impl CheckClause {
    /// The mirror of a clause.
    pub fn new(problem: &Problem, map: &SourceMap, id: ClauseId) -> Self {
        let clause = &problem.clauses[id];
        Self {
            role: role_word(clause.role).into(),
            text: clause_text(problem, map, id),
            place: clause.span.map(|span| CheckPlace::new(map, span)),
        }
    }
}

impl CheckCore {
    /// The mirror of a core.
    pub fn new(problem: &Problem, map: &SourceMap, core: &Core) -> Self {
        let clauses = |ids: &[ClauseId]| ids.iter().map(|&id| CheckClause::new(problem, map, id)).collect();
        Self {
            minimal: core.minimal,
            guarantees: clauses(&core.guarantees),
            assumptions: clauses(&core.assumptions),
        }
    }
}

/// A play that the system loses.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CheckPlay {
    /// The steps.
    pub steps: Vec<CheckStep>,
    /// The steps from this one on repeat for ever; absent when the play ends in a violation.
    #[serde(rename = "loop", skip_serializing_if = "Option::is_none")]
    pub repeats_from: Option<usize>,
    /// The clauses that fail.
    pub failures: Vec<CheckFailure>,
    /// Whether no endless play against the same counter-strategy in which no guarantee is broken at some step fails fewer
    /// guarantees, or as few in fewer steps; absent where that is not known, and for plays that end.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub shortest: bool,
}

/// A step of a play.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
pub struct CheckStep {
    /// The values of predicate terms and inputs.
    pub inputs: BTreeMap<String, bool>,
    /// The update of each cell; empty where no answer helps.
    pub updates: BTreeMap<String, String>,
    /// The values of Boolean outputs; empty where no answer helps.
    pub outputs: BTreeMap<String, bool>,
}

/// A clause that fails on a play.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
pub struct CheckFailure {
    /// The clause.
    pub clause: CheckClause,
    /// An answer in the last step that violates it; absent when every answer does, or when the loop never
    /// fulfills it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
}

/// The answer of the system as text: `[x <- a], go`.
pub fn answer_words(problem: &Problem, atoms: &[AtomId], answer: &Letter) -> Vec<String> {
    let alphabet = &problem.alphabet;
    let mut words = Vec::new();
    for (id, cell) in alphabet.cells().enumerate() {
        if cell.options.iter().any(|option| atoms.contains(option)) {
            words.push(alphabet.atoms()[alphabet.chosen(answer, id)].name.clone());
        }
    }
    for output in alphabet.outputs().filter(|output| atoms.contains(output)) {
        let not = if alphabet.holds(output, answer) { "" } else { "!" };
        words.push(format!("{not}{}", alphabet.atoms()[output].name));
    }
    words
}

impl CheckPlay {
    /// The mirror of a play.
    pub fn new(problem: &Problem, map: &SourceMap, play: &Play) -> Self {
        let alphabet = &problem.alphabet;
        let name = |atom: AtomId| alphabet.atoms()[atom].name.clone();
        let steps = play.steps.iter().map(|step| CheckStep {
            inputs: alphabet.inputs().map(|atom| (name(atom), alphabet.holds(atom, &step.input))).collect(),
            updates: step
                .output
                .iter()
                .flat_map(|output| {
                    let update = |(id, cell): (_, &crate::logic::Cell)| {
                        (cell.name.clone(), update_term(&name(alphabet.chosen(output, id))))
                    };
                    alphabet.cells().enumerate().map(update).collect::<Vec<_>>()
                })
                .collect(),
            outputs: step
                .output
                .iter()
                .flat_map(|output| alphabet.outputs().map(|atom| (name(atom), alphabet.holds(atom, output))))
                .collect(),
        });
        let all: Vec<AtomId> = alphabet.atoms().ids().collect();
        let failures = play.failures.iter().map(|failure| CheckFailure {
            clause: CheckClause::new(problem, map, failure.clause),
            answer: failure.answer.as_ref().map(|answer| answer_words(problem, &all, answer).join(", ")),
        });
        Self {
            steps: steps.collect(),
            repeats_from: match play.ending {
                Ending::Repeats(from) => Some(from),
                Ending::Violated => None,
            },
            failures: failures.collect(),
            shortest: play.shortest,
        }
    }
}

/// The term of an update shown as `[cell <- term]`.
fn update_term(update: &str) -> String {
    let inner = update.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(update);
    inner.split_once(" <- ").map_or(inner, |(_, term)| term).to_string()
}
