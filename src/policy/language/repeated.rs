//! Errors that have one cause are one error.

use tsl_synth_core::diag::{Code, Diagnostic, Diagnostics};

/// The most places of one error that are shown.
const PLACES: usize = 5;
/// The most hints of one error.
const HINTS: usize = 3;

/// The diagnostics, with errors about the same unknown name taken together.
pub(super) fn together(found: &Diagnostics) -> Vec<Diagnostic> {
    let mut all: Vec<Diagnostic> = Vec::new();
    for finding in found {
        let is_about_name = finding.code == Code::POLICY_UNKNOWN || finding.code == Code::RULE_NAME;
        let same = |other: &&mut Diagnostic| other.code == finding.code && other.message == finding.message;
        match all.iter_mut().find(same).filter(|_| is_about_name) {
            Some(first) => {
                let further = finding.labels.first().filter(|_| first.labels.len() < PLACES);
                first.labels.extend(further.map(|label| {
                    let mut label = label.clone();
                    "and here".clone_into(&mut label.text);
                    label
                }));
                // What was meant may be another rule in another place.
                let hints = finding.hints.iter().filter(|hint| !first.hints.contains(hint)).cloned();
                let hints: Vec<String> = hints.take(HINTS.saturating_sub(first.hints.len())).collect();
                first.hints.extend(hints);
            }
            None => all.push(finding.clone()),
        }
    }
    all
}
