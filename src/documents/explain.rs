//! The document of `explain SPEC --format json`.

use super::SCHEMA_VERSION;
use super::check::CheckAdvice;
use super::parts::{CheckClause, CheckCore, CheckDiagnostic, CheckNotion, CheckPlay, CheckVerdict, Tool};
use super::repair::CheckRepair;
use schemars::JsonSchema;
use serde::Serialize;
use tsl_synth_core::source::SourceMap;
use tsl_synth_explain::{Cores, Lost, clause_text};
use tsl_synth_lang::spec::{ClauseId, Problem};

/// The whole document.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ExplainDocument {
    /// The version of this format.
    pub schema_version: String,
    /// The program that made the document.
    pub tool: Tool,
    /// The specification: its file, or its files with ", " between them.
    pub spec: String,
    /// The answer.
    pub verdict: CheckVerdict,
    /// The notion of unrealizability; only for UNREALIZABLE.
    pub notion: Option<CheckNotion>,
    /// What UNREALIZABLE does not say: there may be a controller if terms, or arithmetic, are given their meaning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remark: Option<String>,
    /// Why there is no controller, or no answer.
    pub sentence: Option<String>,
    /// Clauses that cannot be satisfied together: one set, or as many as were asked for.
    pub cores: Vec<CheckCore>,
    /// Whether these are all of them.
    pub all_cores: bool,
    /// Minimal sets of guarantees without which the others can be satisfied, as far as the search for all cores found
    /// them.
    pub corrections: Vec<Vec<CheckClause>>,
    /// A counterexample: a play that the environment wins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub play: Option<CheckPlay>,
    /// The number of steps within which no environment can force a guarantee of the first core to be violated: a play
    /// with one step more is a shortest one. Absent if that was not asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_loss_within: Option<usize>,
    /// The step of the play after which each guarantee of the first core can no longer be satisfied.
    pub lost: Vec<ExplainLost>,
    /// Suggested repairs, best first.
    pub repairs: Vec<CheckRepair>,
    /// What is known, and what may help; only for UNKNOWN.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub advice: Option<CheckAdvice>,
    /// All findings about the input.
    pub diagnostics: Vec<CheckDiagnostic>,
}

impl ExplainDocument {
    /// The document without an answer.
    pub fn new(tool_version: &str, spec: &str, verdict: CheckVerdict) -> Self {
        Self {
            schema_version: SCHEMA_VERSION.into(),
            tool: Tool::new(tool_version),
            spec: spec.into(),
            verdict,
            notion: None,
            remark: None,
            sentence: None,
            cores: Vec::new(),
            all_cores: false,
            corrections: Vec::new(),
            play: None,
            no_loss_within: None,
            lost: Vec::new(),
            repairs: Vec::new(),
            advice: None,
            diagnostics: Vec::new(),
        }
    }

    /// Fills in the cores.
    pub fn with_cores(&mut self, problem: &Problem, map: &SourceMap, cores: &Cores) {
        self.cores = cores.cores.iter().map(|core| CheckCore::new(problem, map, core)).collect();
        self.all_cores = cores.complete;
        let clauses =
            |ids: &Vec<ClauseId>| ids.iter().map(|&id| CheckClause::new(problem, map, id)).collect();
        self.corrections = cores.corrections.iter().map(clauses).collect();
    }
}

/// When a guarantee is lost in a play: from then on it can no longer be satisfied.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ExplainLost {
    /// The guarantee.
    pub clause: CheckClause,
    /// The number of steps after which no controller could satisfy it, even if it were the only guarantee; 0 is from
    /// the start. Absent if it could still be satisfied at the end: then it fails only because of the others, or is
    /// postponed forever.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after_steps: Option<usize>,
}

impl ExplainLost {
    /// The JSON form.
    pub fn new(problem: &Problem, map: &SourceMap, lost: &Lost) -> Self {
        Self { clause: CheckClause::new(problem, map, lost.clause), after_steps: lost.after }
    }
}

/// When a guarantee is lost, for a person: "`G a` cannot be kept from the start".
pub fn lost_sentence(problem: &Problem, map: &SourceMap, lost: &Lost, endless: bool) -> String {
    let clause = clause_text(problem, map, lost.clause);
    match (lost.after, endless) {
        (Some(0), _) => format!("`{clause}` cannot be kept from step 0"),
        (Some(n), _) => format!("`{clause}` cannot be kept after step {}", n - 1),
        (None, true) => format!("`{clause}` could be kept by itself for ever"),
        (None, false) => format!("`{clause}` could be kept by itself to the end"),
    }
}
