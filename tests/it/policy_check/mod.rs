//! `check POLICY`: conflicts, over-constrained states, and other findings about policies.

mod answers;
mod diagnostics;
mod edges;
pub(crate) mod ltlcrit;
mod open_logs;
mod random;

use tsl_synth_policy::analysis::{AgentChoice, AnalysisFrame, ChoiceId};
use tsl_synth_service::{Input, PolicyCheckReport, PolicyCheckRequest, Session, SpecLanguage, SpecRequest};

/// The text of a policy as input.
fn input(name: &str, text: impl Into<String>) -> Input {
    SpecRequest::text(SpecLanguage::Tsl, name, text).inputs.remove(0)
}

/// The report about a policy without errors.
fn checked(name: &str, text: &str) -> PolicyCheckReport {
    let answer = Session::new().check_policy(&PolicyCheckRequest::new(input(name, text)));
    answer.unwrap_or_else(|failure| panic!("{name}: {failure:?}\n{text}"))
}

/// The name of a choice.
fn name(frame: &AnalysisFrame<'_>, choice: ChoiceId) -> String {
    let choice: &AgentChoice = &frame.choices[choice];
    choice.name(&frame.compiled.policy)
}
