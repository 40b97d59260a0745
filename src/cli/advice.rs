//! Partial results and suggestions for the verdict UNKNOWN, as text.

use crate::layout::{paragraph, table, width};
use tsl_synth_core::model::Role;
use tsl_synth_core::source::SourceMap;
use tsl_synth_lang::spec::{ClauseId, Problem};
use tsl_synth_service::{CheckReport, ClauseWeight, MOST_WEIGHED, clause_quote};

/// The most clauses that are listed as heavy.
const HEAVY: usize = 5;

/// The partial results and suggestions of a report.
pub(crate) fn text(
    report: &CheckReport,
    sources: &SourceMap,
    list: impl Fn(&Problem, &[ClauseId]) -> String,
) -> String {
    let (Some(problem), Some(advice)) = (&report.problem, &report.advice) else { return String::new() };
    let width = width();
    let listed = |title: &str, clauses: &[ClauseId]| paragraph(title, 0, width) + &list(problem, clauses);
    let guarantees = problem.clauses.iter().filter(|clause| clause.role == Role::Guarantee).count();
    let mut parts: Vec<String> = Vec::new();
    if !advice.parts.is_empty() {
        let title = match advice.parts.len() {
            1 => format!(
                "Decided on the way: this one of {guarantees} guarantees shares no output with the others and has a controller (not certified):"
            ),
            some => format!(
                "Decided on the way: these {some} of {guarantees} guarantees share no output with the others and have a controller (not certified):"
            ),
        };
        parts.push(listed(&title, &advice.parts));
    }
    if !advice.decided.is_empty() {
        let title = match advice.decided.len() {
            1 => format!(
                "Decided on the way: this one of {guarantees} guarantees has a controller (not certified):"
            ),
            some => format!(
                "Decided on the way: these {some} of {guarantees} guarantees have a controller together (not certified):"
            ),
        };
        parts.push(listed(&title, &advice.decided));
    }
    if let Some(hard) = advice.hard {
        parts.push(listed("With this guarantee added there was no answer:", &[hard]));
    }
    if advice.weights.len() > 1 {
        parts.push(heavy(problem, sources, &advice.weights, width));
    }
    if !advice.suggestions.is_empty() {
        let mut list = String::from("What to try:\n");
        for suggestion in &advice.suggestions {
            list.push_str(&paragraph(&format!("  - {suggestion}"), 4, width));
        }
        parts.push(list);
    }
    parts.join("\n")
}

/// The heaviest clauses.
fn heavy(problem: &Problem, sources: &SourceMap, weights: &[ClauseWeight], width: usize) -> String {
    let mut rows = vec![vec!["states".into(), "atoms".into(), "clause".into()]];
    for weight in weights.iter().take(HEAVY) {
        let states = weight.states.map_or_else(|| format!("> {MOST_WEIGHED}"), |states| states.to_string());
        let span = problem.clauses[weight.clause].span;
        let place = span.map(|span| sources.positions(span).0);
        let place = place.map_or_else(String::new, |at| format!("{}:{} ", at.line, at.column));
        let text = clause_quote(problem, sources, weight.clause);
        rows.push(vec![states, weight.atoms.to_string(), format!("{place}{text}")]);
    }
    let title = match weights.len() {
        all if all > HEAVY => {
            format!("The {HEAVY} heaviest of {all} clauses, by the size of their automata:")
        }
        _ => "The clauses, by the size of their automata:".into(),
    };
    format!("{title}\n{}", table(&rows, width))
}
