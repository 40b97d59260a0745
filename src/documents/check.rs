//! The document of `check --format json`.

use super::SCHEMA_VERSION;
use super::parts::{CheckClause, CheckCore, CheckDiagnostic, CheckNotion, CheckPlay, CheckVerdict, Tool};
use super::repair::CheckRepair;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tsl_synth_engine::synth::Friendliness;

/// The whole document.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CheckDocument {
    /// The version of this format.
    pub schema_version: String,
    /// The program that made the document.
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
    /// The notion of unrealizability; only for UNREALIZABLE.
    pub notion: Option<CheckNotion>,
    /// What UNREALIZABLE does not say: there may be a controller if terms, or arithmetic, are given their meaning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remark: Option<String>,
    /// The engine that found the answer.
    pub engine: Option<String>,
    /// The bound with which the answer was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bound: Option<u32>,
    /// Wall-clock time in seconds.
    pub seconds: f64,
    /// Wall-clock time of checking the answer, part of the above.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub certificate_seconds: Option<f64>,
    /// The peak physical memory of the process in bytes, if the system reports it.
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
    /// Whether the controller makes the assumptions false; absent if that was not asked, and without a controller.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub friendly: Option<CheckFriendly>,
    /// All findings about the input.
    pub diagnostics: Vec<CheckDiagnostic>,
    /// Clauses that cannot be satisfied together; only for UNREALIZABLE.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub core: Option<CheckCore>,
    /// A counterexample: a play that the environment wins; only for UNREALIZABLE.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub play: Option<CheckPlay>,
    /// Suggested repairs; only for UNREALIZABLE.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hints: Vec<CheckRepair>,
    /// What is known, and what may help; only for UNKNOWN.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub advice: Option<CheckAdvice>,
    /// What the engines did, with `--stats`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub log: Vec<String>,
    /// Whether `--baseline` lists the failures, so that they do not fail the run; absent if not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub known: bool,
}

impl CheckResult {
    /// A result without an answer, and why.
    pub fn unknown(spec: &str, reason: String) -> Self {
        Self {
            spec: spec.into(),
            verdict: CheckVerdict::Unknown,
            reason: Some(reason),
            notion: None,
            remark: None,
            engine: None,
            bound: None,
            seconds: 0.0,
            certificate_seconds: None,
            peak_memory: None,
            states: None,
            latches: None,
            gates: None,
            certificate: None,
            friendly: None,
            diagnostics: Vec::new(),
            core: None,
            play: None,
            hints: Vec::new(),
            advice: None,
            log: Vec::new(),
            known: false,
        }
    }
}

/// Partial results and suggestions for the verdict UNKNOWN. Nothing of it is certified.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CheckAdvice {
    /// Guarantees that share no output with the others, and for which a controller was found.
    pub parts: Vec<CheckClause>,
    /// The largest set of guarantees for which a controller was found under some of the assumptions, besides these parts.
    pub decided: Vec<CheckClause>,
    /// The guarantee that was added last when a set, enlarged one guarantee at a time, could no longer be decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hard: Option<CheckClause>,
    /// The written clauses, heavy ones first.
    pub weights: Vec<CheckWeight>,
    /// What to try; each is true for this specification and call.
    pub suggestions: Vec<String>,
}

/// How heavy a clause is for the engines.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
pub struct CheckWeight {
    /// The clause.
    pub clause: CheckClause,
    /// States of a Büchi automaton of an assumption, or of the negation of a guarantee; absent if there are too many to
    /// count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub states: Option<usize>,
    /// Atomic propositions that it mentions.
    pub atoms: usize,
}

/// Whether a controller makes the assumptions false, and whether it has to.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum CheckFriendly {
    /// No controller can make an assumption false: none depends on the outputs, or the environment can satisfy them
    /// whatever the outputs are.
    Independent,
    /// The controller does not: every history with legal inputs can be continued to a play that satisfies the
    /// assumptions. Certified.
    Friendly,
    /// The controller does, and so does every other controller. Certified.
    None,
    /// Not known, or the controller does and it is not known whether every other one does.
    Undecided,
    /// No environment can satisfy the assumptions.
    Unsatisfiable,
}

impl CheckFriendly {
    /// The JSON form of what is known; `None` if it was not asked.
    pub fn of(friendly: &Friendliness) -> Option<Self> {
        match friendly {
            Friendliness::NotAsked => None,
            Friendliness::Independent => Some(Self::Independent),
            Friendliness::Friendly => Some(Self::Friendly),
            Friendliness::None(_) => Some(Self::None),
            Friendliness::Undecided(..) => Some(Self::Undecided),
            Friendliness::Unsatisfiable => Some(Self::Unsatisfiable),
        }
    }
}

/// How an answer was checked.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
pub struct CheckCertificate {
    /// False if certificates are turned off. An answer whose check failed is not reported as an answer.
    pub checked: bool,
    /// The method.
    pub by: String,
}
