//! Clauses as text.

use tsl_synth_core::base::abridged;
use tsl_synth_core::logic::Node;
use tsl_synth_core::model::Role;
use tsl_synth_core::source::SourceMap;
use tsl_synth_lang::spec::{ClauseId, Problem};

/// A clause as it was written, on one line: `always F inCave(s)`. A clause that the language added is shown as an LTL
/// formula.
pub fn clause_text(problem: &Problem, map: &SourceMap, clause: ClauseId) -> String {
    match clause_parts(problem, map, clause) {
        (true, text) => format!("always {text}"),
        (false, text) => text,
    }
}

/// The maximum number of characters of a clause that a message quotes.
const SHOWN: usize = 160;

/// A clause as messages quote it: [`clause_text`], shortened in the middle if it is long.
pub fn clause_quote(problem: &Problem, map: &SourceMap, clause: ClauseId) -> String {
    abridged(&clause_text(problem, map, clause), SHOWN)
}

/// A clause with the line on which it begins: ``line 14, `always seesPlayer -> [mode <- chase]` ``.
pub fn clause_with_line(problem: &Problem, map: &SourceMap, clause: ClauseId) -> String {
    let text = clause_quote(problem, map, clause);
    match problem.clauses[clause].span {
        Some(span) => format!("line {}, `{text}`", map.positions(span).0.line),
        None => format!("`{text}`"),
    }
}

/// The text of a clause on one line, and whether it is in an `always` section, which is not part of the text.
pub fn clause_parts(problem: &Problem, map: &SourceMap, clause: ClauseId) -> (bool, String) {
    let clause = &problem.clauses[clause];
    let written = clause.span.map(|span| map.text(span)).filter(|t| !t.contains("//") && !t.contains("/*"));
    let Some(written) = written else {
        return (false, problem.formulas.display(clause.formula, &problem.alphabet));
    };
    let text = written.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = text.trim_end_matches(';').trim_end();
    // The bounds of a declared number are the clause.
    if text.starts_with("cell ") || text.starts_with("input ") {
        return (false, text.to_string());
    }
    // The span of a clause is its formula; the `always` before the section is not part of it.
    let globally = matches!(problem.formulas.node(clause.formula), Node::Globally(_))
        || clause.span.is_some_and(|span| problem.invariants.contains(&span));
    let inner = inside(text);
    let says_so = inner.starts_with("G ") || inner.starts_with("G(") || inner.starts_with("[]");
    (globally && !says_so, text.to_string())
}

/// A text without the parentheses and, in TLSF, the big conjunctions `&&[0 <= i < n]` in front of it.
fn inside(text: &str) -> &str {
    let inner = text.trim_start_matches(['(', ' ']);
    let range = ["&&[", "AND[", "FORALL["].iter().find_map(|big| inner.strip_prefix(big));
    match range.and_then(|range| range.split_once(']')) {
        Some((_, rest)) => inside(rest),
        None => inner,
    }
}

/// The most characters of a guarantee that is quoted; longer ones are cited by their numbers.
const QUOTED: usize = 60;

/// A clause in a sentence about a core: its text in quotes; if that is long and the core has several guarantees, the
/// number of the guarantee in the list of the core.
pub fn cited(text: &str, clause: ClauseId, core: &[ClauseId]) -> String {
    match core.iter().position(|&id| id == clause) {
        Some(index) if text.chars().count() > QUOTED && core.len() > 1 => format!("guarantee {}", index + 1),
        _ => format!("`{text}`"),
    }
}

/// The word for a role: "guarantee".
pub fn role_word(role: Role) -> &'static str {
    match role {
        Role::Fact => "fact",
        Role::Restriction => "restriction",
        Role::Assumption => "assumption",
        Role::Guarantee => "guarantee",
    }
}
