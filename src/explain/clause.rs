//! Clauses as text.

use super::repair::formula_text;
use tsl_synth_core::base::abridged;
use tsl_synth_core::logic::Node;
use tsl_synth_core::model::Role;
use tsl_synth_core::source::SourceMap;
use tsl_synth_lang::spec::{ClauseId, Language, Problem};

/// A clause as it was written, on one line: `always F inCave(s)`, in TLSF `G (F r)`; an instance of a big conjunction of
/// TLSF with its values, `G (r[0] -> g[0])`. A clause that the language added is shown as an LTL formula.
pub fn clause_text(problem: &Problem, map: &SourceMap, clause: ClauseId) -> String {
    always(problem, clause_parts(problem, map, clause))
}

/// The text with the `always` of its section.
fn always(problem: &Problem, (always, text): (bool, String)) -> String {
    match (always, problem.language) {
        (false, _) => text,
        (true, Language::Tlsf) => format!("G ({text})"),
        (true, _) => format!("always {text}"),
    }
}

/// The line of a clause as messages quote it: as [`clause_quote`], but a big conjunction of TLSF as it is written.
pub fn line_quote(problem: &Problem, map: &SourceMap, clause: ClauseId) -> String {
    abridged(&always(problem, line_parts(problem, map, clause)), SHOWN)
}

/// As [`clause_parts`], but a big conjunction of TLSF as it is written.
pub fn line_parts(problem: &Problem, map: &SourceMap, clause: ClauseId) -> (bool, String) {
    let span = problem.clauses[clause].span;
    let written = span.and_then(|span| problem.wordings.parenthesized.get(&span).map(String::as_str));
    parts_of(problem, clause, written.or_else(|| span.map(|span| map.text(span))))
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
pub fn clause_parts(problem: &Problem, map: &SourceMap, id: ClauseId) -> (bool, String) {
    let clause = &problem.clauses[id];
    let own = problem.wordings.of(clause);
    if own.is_none()
        && clause.span.is_some_and(|span| problem.wordings.shared.contains(&span))
        && !problem.rewritten
    {
        return (false, formula_text(problem, &problem.formulas, clause.formula));
    }
    parts_of(problem, id, own.or_else(|| clause.span.map(|span| map.text(span))))
}

/// The parts of a clause that is written so.
fn parts_of(problem: &Problem, clause: ClauseId, written: Option<&str>) -> (bool, String) {
    let clause = &problem.clauses[clause];
    let written = written.filter(|t| !t.contains("//") && !t.contains("/*"));
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
