//! For each table about shell commands, what the gate decides about equivalent and similar commands.

use super::super::Failure;
use super::try_calls::read_call;
use std::sync::Arc;
use tsl_synth_core::source::SourceMap;
use tsl_synth_documents::{PolicySpelling, PolicySpellings};
use tsl_synth_gate::{TriedCall, rulings_at_start};
use tsl_synth_policy::CompiledPolicy;
use tsl_synth_policy::analysis::{ReadSpelling, TableSpellings, look_alikes};
use tsl_synth_shell::{Certainty, ExampleCommand};

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
    let each: Vec<[Vec<ReadSpelling>; 2]> =
        all.iter().map(|own| [own.same.clone(), look_alikes(policy, own)]).collect();
    let tool = |own: &TableSpellings| policy.matches[own.table].tools.iter().find_map(|glob| glob.literal());
    let calls = all.iter().zip(&each).flat_map(|(own, lists)| {
        lists.iter().flatten().map(move |one| read_call(policy, tool(own), &one.text))
    });
    let calls: Vec<TriedCall> = calls.collect::<Result<_, _>>()?;
    // One gate decides about all of them.
    let rulings = rulings_at_start(Arc::new(compiled.clone()), &calls)?;
    let mut verdicts = rulings.into_iter().map(|ruling| ruling.name().to_owned());
    let mut decided = |list: Vec<ReadSpelling>| {
        list.into_iter().zip(verdicts.by_ref()).collect::<Vec<(ReadSpelling, String)>>()
    };
    let listed = all.iter().zip(each).map(|(own, [same, others])| ListedSpellings {
        table: own.table,
        example: own.example.as_ref().map(ExampleCommand::text),
        same: decided(same),
        others: decided(others),
    });
    Ok(listed.collect())
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
