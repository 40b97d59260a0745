//! Repairs as data.

use super::parts::CheckClause;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt::Write;
use tsl_synth_core::source::SourceMap;
use tsl_synth_explain::Repair;
use tsl_synth_lang::spec::{ClauseId, Language, Problem};

/// A verified repair: with all of it there is a controller.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
pub struct CheckRepair {
    /// Assumptions to add, in the language of the specification: sections of TSL and LTL, formulas of TLSF, or
    /// sections where the section matters.
    pub assume: Vec<String>,
    /// Guarantees to weaken.
    pub weaken: Vec<CheckChange>,
    /// Guarantees that become vacuous.
    pub idle: Vec<CheckClause>,
}

/// A guarantee to weaken.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
pub struct CheckChange {
    /// The guarantee.
    pub clause: CheckClause,
    /// Its replacement, in the language of the specification; absent if it is dropped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub with: Option<String>,
}

impl CheckRepair {
    /// The JSON form of a repair.
    pub fn new(problem: &Problem, map: &SourceMap, repair: &Repair) -> Self {
        let section =
            |named: Option<&str>, always: bool, word: &str, text: &str| match (problem.language, always) {
                (Language::Ltl, _) => format!("{word} {{ {text} }}"),
                (Language::Tlsf, _) => match named {
                    Some(named) => format!("{named} {{ {text}; }}"),
                    None => text.to_string(),
                },
                (Language::Tsl, true) => format!("always {word} {{ {text}; }}"),
                (Language::Tsl, false) => format!("initially {word} {{ {text}; }}"),
            };
        let clause = |id: ClauseId| CheckClause::new(problem, map, id);
        Self {
            assume: repair
                .additions
                .iter()
                .map(|a| section(a.section, a.always, "assume", &a.text))
                .collect(),
            weaken: repair
                .changes
                .iter()
                .map(|change| CheckChange {
                    clause: clause(change.clause),
                    with: change
                        .formula
                        .map(|_| section(change.section, change.always, "guarantee", &change.text)),
                })
                .collect(),
            idle: repair.idle.iter().map(|&id| clause(id)).collect(),
        }
    }

    /// The repair in a sentence without its end: "assume `G F done`".
    pub fn sentence(&self) -> String {
        self.sentence_citing(|clause| format!("`{}`", clause.text))
    }

    /// The repair in a sentence without its end, in which `cite` names the clauses of the specification.
    pub fn sentence_citing(&self, cite: impl Fn(&CheckClause) -> String) -> String {
        let mut parts = Vec::new();
        let quoted: Vec<String> = self.assume.iter().map(|text| format!("`{text}`")).collect();
        if !quoted.is_empty() {
            // The text of a section contains the keyword `assume` itself.
            let verb = if self.assume[0].ends_with('}') { "add" } else { "assume" };
            parts.push(format!("{verb} {}", quoted.join(" and ")));
        }
        for change in &self.weaken {
            if let Some(with) = &change.with {
                let verb = if with.ends_with('}') { "write" } else { "guarantee" };
                parts.push(format!("{verb} `{with}` instead of {}", cite(&change.clause)));
            }
        }
        let dropped = self.weaken.iter().filter(|change| change.with.is_none());
        let dropped: Vec<String> = dropped.map(|change| cite(&change.clause)).collect();
        match dropped.as_slice() {
            [] => {}
            [only] => parts.push(format!("drop {only}")),
            [first, second] => parts.push(format!("drop both {first} and {second}")),
            [first @ .., last] => parts.push(format!("drop all of {} and {last}", first.join(", "))),
        }
        let mut sentence = parts.join(", and ");
        if !self.idle.is_empty() {
            let idle: Vec<String> = self.idle.iter().map(&cite).collect();
            let _ = write!(sentence, " (makes {} vacuous)", idle.join(" and "));
        }
        sentence
    }
}
