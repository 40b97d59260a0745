//! The verdicts on the spellings that tables about shell commands were tried with.

use super::super::Failure;
use super::try_calls::read_call;
use std::sync::Arc;
use tsl_synth_core::source::SourceMap;
use tsl_synth_documents::{PolicySpelling, PolicySpellings};
use tsl_synth_gate::{TriedCall, try_calls};
use tsl_synth_policy::CompiledPolicy;
use tsl_synth_policy::analysis::{ReadSpelling, TableSpellings};
use tsl_synth_policy::shell::Certainty;

/// What the gate would decide about each spelling at the beginning of a session.
pub(super) fn spelling_verdicts(
    compiled: &CompiledPolicy,
    all: &[TableSpellings],
) -> Result<Vec<[Vec<String>; 2]>, Failure> {
    let policy = &compiled.policy;
    let shared = Arc::new(compiled.clone());
    let mut verdicts = Vec::new();
    for own in all {
        let tool = policy.matches[own.table].tools.iter().find_map(|glob| glob.literal());
        let decide = |spellings: &[ReadSpelling]| -> Result<Vec<String>, Failure> {
            let calls = spellings.iter().map(|one| read_call(policy, tool, &one.text));
            let calls: Vec<TriedCall> = calls.collect::<Result<_, _>>()?;
            let answers = try_calls(shared.clone(), &calls, false, None)?;
            Ok(answers.into_iter().map(|answer| answer.document.verdict.unwrap_or_default()).collect())
        };
        verdicts.push([decide(&own.same)?, decide(&own.others)?]);
    }
    Ok(verdicts)
}

/// The part of the document about spellings; empty unless they were asked for.
pub(super) fn spellings_document(
    compiled: &CompiledPolicy,
    all: &[TableSpellings],
    verdicts: &[[Vec<String>; 2]],
    sources: &SourceMap,
) -> Vec<PolicySpellings> {
    let tried = |one: &ReadSpelling, verdict: &String| PolicySpelling {
        command: one.text.clone(),
        matches: match one.certainty {
            Certainty::Yes => "yes",
            Certainty::No if !one.is_opaque => "no",
            Certainty::No | Certainty::Maybe => "maybe",
        }
        .into(),
        verdict: verdict.clone(),
    };
    let each = all.iter().zip(verdicts);
    each.map(|(own, [same, others])| {
        let table = &compiled.policy.matches[own.table];
        PolicySpellings {
            line: sources.positions(table.span).0.line,
            names: compiled.policy.table_names(table),
            example: own.example.clone(),
            same: own.same.iter().zip(same).map(|(one, verdict)| tried(one, verdict)).collect(),
            others: own.others.iter().zip(others).map(|(one, verdict)| tried(one, verdict)).collect(),
        }
    })
    .collect()
}
