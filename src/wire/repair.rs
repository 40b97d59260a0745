//! What would help, as data.

use super::parts::CheckClause;
use crate::explain::Repair;
use crate::source::SourceMap;
use crate::spec::{ClauseId, Language, Problem};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// A verified repair: with all of it there is a controller.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
pub struct CheckRepair {
    /// Assumptions to add, in the language of the specification: sections of TSL, formulas of LTL.
    pub assume: Vec<String>,
    /// Guarantees to weaken.
    pub weaken: Vec<CheckChange>,
    /// Guarantees that ask for nothing any more.
    pub idle: Vec<CheckClause>,
}

/// A guarantee to weaken.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
pub struct CheckChange {
    /// The guarantee.
    pub clause: CheckClause,
    /// What stands in its place, in the language of the specification; absent when it is dropped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub with: Option<String>,
}

impl CheckRepair {
    /// The mirror of a repair.
    pub fn new(problem: &Problem, map: &SourceMap, repair: &Repair) -> Self {
        let section = |always: bool, word: &str, text: &str| match (problem.language, always) {
            (Language::Ltl, _) => text.to_string(),
            (Language::Tsl, true) => format!("always {word} {{ {text}; }}"),
            (Language::Tsl, false) => format!("initially {word} {{ {text}; }}"),
        };
        let clause = |id: ClauseId| CheckClause::new(problem, map, id);
        Self {
            assume: repair.additions.iter().map(|a| section(a.always, "assume", &a.text)).collect(),
            weaken: repair
                .changes
                .iter()
                .map(|change| CheckChange {
                    clause: clause(change.clause),
                    with: change.formula.map(|_| section(change.always, "guarantee", &change.text)),
                })
                .collect(),
            idle: repair.idle.iter().map(|&id| clause(id)).collect(),
        }
    }

    /// The repair in a sentence without its end: "assume `G F done`".
    pub fn sentence(&self) -> String {
        let mut parts = Vec::new();
        let quoted: Vec<String> = self.assume.iter().map(|text| format!("`{text}`")).collect();
        if !quoted.is_empty() {
            parts.push(format!("assume {}", quoted.join(" and ")));
        }
        for change in &self.weaken {
            parts.push(match &change.with {
                Some(with) => format!("guarantee `{with}` instead of `{}`", change.clause.text),
                None => format!("drop `{}`", change.clause.text),
            });
        }
        let mut sentence = parts.join(", ");
        if !self.idle.is_empty() {
            let idle: Vec<String> = self.idle.iter().map(|c| format!("`{}`", c.text)).collect();
            let asks = if idle.len() == 1 { "asks" } else { "ask" };
            let _ = write!(sentence, " (then {} {asks} for nothing)", idle.join(" and "));
        }
        sentence
    }
}
