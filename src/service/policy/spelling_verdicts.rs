//! For each table about shell commands, what the gate decides about equivalent and similar commands.

use super::super::Failure;
use super::try_calls::read_call;
use std::sync::Arc;
use tsl_synth_core::source::SourceMap;
use tsl_synth_documents::{PolicySpelling, PolicySpellings};
use tsl_synth_gate::{TriedCall, try_calls};
use tsl_synth_policy::CompiledPolicy;
use tsl_synth_policy::analysis::{ReadSpelling, TableSpellings, look_alikes};
use tsl_synth_policy::shell::{Certainty, ExampleCommand};

/// Equivalent and similar commands for a table, each with the verdict at the beginning of a session.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ListedSpellings {
    /// The table, by its number in the policy.
    pub table: usize,
    /// A command that the table matches, if one was found.
    pub example: Option<String>,
    /// Equivalent spellings of the example.
    pub same: Vec<(ReadSpelling, String)>,
    /// Commands that resemble it.
    pub others: Vec<(ReadSpelling, String)>,
}

/// The list for each of these tables.
pub(super) fn listed_spellings(
    compiled: &CompiledPolicy,
    all: &[TableSpellings],
) -> Result<Vec<ListedSpellings>, Failure> {
    let policy = &compiled.policy;
    let shared = Arc::new(compiled.clone());
    let each = all.iter().map(|own| {
        let tool = policy.matches[own.table].tools.iter().find_map(|glob| glob.literal());
        let decided = |spellings: Vec<ReadSpelling>| -> Result<Vec<(ReadSpelling, String)>, Failure> {
            let calls = spellings.iter().map(|one| read_call(policy, tool, &one.text));
            let calls: Vec<TriedCall> = calls.collect::<Result<_, _>>()?;
            let answers = try_calls(shared.clone(), &calls, false, None)?;
            let verdicts = answers.into_iter().map(|answer| answer.document.verdict.unwrap_or_default());
            Ok(spellings.into_iter().zip(verdicts).collect())
        };
        Ok(ListedSpellings {
            table: own.table,
            example: own.example.as_ref().map(ExampleCommand::text),
            same: decided(own.same.clone())?,
            others: decided(look_alikes(policy, own))?,
        })
    });
    each.collect()
}

/// The part of the document about spellings.
pub(super) fn spellings_document(
    compiled: &CompiledPolicy,
    listed: &[ListedSpellings],
    sources: &SourceMap,
) -> Vec<PolicySpellings> {
    let tried = |(one, verdict): &(ReadSpelling, String)| PolicySpelling {
        command: one.text.clone(),
        matches: match one.certainty {
            Certainty::Yes => "yes",
            Certainty::No if !one.is_opaque => "no",
            Certainty::No | Certainty::Maybe => "maybe",
        }
        .into(),
        verdict: verdict.clone(),
    };
    let document = |own: &ListedSpellings| {
        let table = &compiled.policy.matches[own.table];
        PolicySpellings {
            line: sources.positions(table.span).0.line,
            names: compiled.policy.table_names(table),
            example: own.example.clone(),
            same: own.same.iter().map(tried).collect(),
            others: own.others.iter().map(tried).collect(),
        }
    };
    listed.iter().map(document).collect()
}
