//! Warnings about a grammar of plans: symbols that look misspelt, are unproductive (derive no plan), or are unreachable
//! from the start.

use super::grammar::{NonterminalId, Places, PlanGrammar, StackSymbol};
use tsl_synth_core::base::{Id, IdSet};
use tsl_synth_core::diag::{Code, Diagnostic, Diagnostics};
use tsl_synth_core::source::{SourceId, Span};
use tsl_synth_ltl::spelling::one_edit;

/// Misspellings are not searched for if there are more pairs of names than this.
const MAX_COMPARED: usize = 200_000;

/// Reports probable mistakes in a grammar whose names are resolved.
pub(super) fn look(
    grammar: &PlanGrammar,
    listed: Option<&[String]>,
    places: &Places,
    source: SourceId,
    diagnostics: &mut Diagnostics,
) {
    let place = |name: &str| places.get(name).copied().unwrap_or(Span::new(source, 0, 0));
    terminals(grammar, listed, &place, diagnostics);
    let productive = productive(grammar);
    let needed = needed(grammar);
    for (id, nonterminal) in grammar.nonterminals.enumerate() {
        let name = nonterminal.name.as_str();
        if name.is_empty() {
            continue;
        }
        let found = if id == grammar.start && !productive.contains(id) {
            let warning = Diagnostic::warning(Code::CFG_EMPTY, "the grammar has no plan");
            warning.at(place(name), "each of its productions needs a nonterminal from which no plan comes")
        } else if !productive.contains(id) {
            let message = format!("no plan comes from `{name}`");
            let warning = Diagnostic::warning(Code::CFG_UNPRODUCTIVE, message);
            warning.at(place(name), "each of its productions needs a nonterminal from which no plan comes")
        } else if !needed.contains(id) {
            let start = &grammar.nonterminals[grammar.start].name;
            let message = format!("`{name}` is unreachable from the start");
            let from = if start.is_empty() { "the start".to_string() } else { format!("`{start}`") };
            Diagnostic::warning(Code::CFG_UNREACHABLE, message)
                .at(place(name), format!("{from} does not lead to it"))
        } else {
            continue;
        };
        diagnostics.push(found);
    }
}

/// Terminals whose name suggests a nonterminal whose productions are missing.
fn terminals(
    grammar: &PlanGrammar,
    listed: Option<&[String]>,
    place: &dyn Fn(&str) -> Span,
    diagnostics: &mut Diagnostics,
) {
    let capital = |name: &str| name.chars().next().is_some_and(char::is_uppercase);
    let by_case = grammar.nonterminals.iter().all(|one| capital(&one.name))
        && grammar.terminals.iter().any(|one| !capital(&one.name));
    // Each terminal is compared with each nonterminal.
    let compared = grammar.terminals.len() * grammar.nonterminals.len() <= MAX_COMPARED;
    for terminal in &grammar.terminals {
        let name = terminal.name.as_str();
        if let Some(listed) = listed {
            if !listed.iter().any(|one| one == name) {
                let message = format!("`{name}` has no production and `%terminals` does not list it");
                diagnostics
                    .push(Diagnostic::error(Code::CFG_UNDEFINED, message).at(place(name), "used here"));
            }
            continue;
        }
        let mut names = grammar.nonterminals.iter().map(|one| one.name.as_str()).filter(|_| compared);
        let near = names.find(|other| {
            // Names that differ only in case are assumed to be intended.
            one_edit(name, other) && !name.eq_ignore_ascii_case(other)
        });
        if near.is_none() && !(by_case && capital(name) && !name.contains(char::is_whitespace)) {
            continue;
        }
        let message = format!("`{name}` has no production, so it is a step of the plan");
        let hint = near.map_or_else(
            || "`%terminals` lists what is meant to be a step".to_string(),
            |near| format!("perhaps `{near}` is meant; `%terminals` lists what is meant to be a step"),
        );
        diagnostics
            .push(Diagnostic::warning(Code::CFG_UNDEFINED, message).at(place(name), "used here").hint(hint));
    }
}

/// The productive nonterminals: those that derive some word, ignoring control states and limits.
fn productive(grammar: &PlanGrammar) -> IdSet<NonterminalId> {
    let mut productive = IdSet::new();
    // For each rule the number of nonterminals in its body that are not known to be productive, and for each
    // nonterminal the rules with it in their bodies.
    let mut open: Vec<usize> = Vec::new();
    let mut users: Vec<Vec<usize>> = vec![Vec::new(); grammar.nonterminals.len()];
    let mut todo: Vec<NonterminalId> = Vec::new();
    for (i, rule) in grammar.rules.iter().enumerate() {
        let mut count = 0;
        for symbol in &rule.body {
            if let StackSymbol::Nonterminal(id) = symbol {
                users[id.index()].push(i);
                count += 1;
            }
        }
        open.push(count);
        if count == 0 && productive.insert(rule.top) {
            todo.push(rule.top);
        }
    }
    while let Some(id) = todo.pop() {
        for &i in &users[id.index()] {
            open[i] -= 1;
            let top = grammar.rules.as_slice()[i].top;
            if open[i] == 0 && productive.insert(top) {
                todo.push(top);
            }
        }
    }
    productive
}

/// The nonterminals reachable from the start, ignoring control states and limits.
fn needed(grammar: &PlanGrammar) -> IdSet<NonterminalId> {
    let mut needed = IdSet::new();
    let mut rules_of = vec![Vec::new(); grammar.nonterminals.len()];
    for rule in &grammar.rules {
        rules_of[rule.top.index()].push(rule);
    }
    let mut todo = vec![grammar.start];
    needed.insert(grammar.start);
    while let Some(top) = todo.pop() {
        for rule in &rules_of[top.index()] {
            for symbol in &rule.body {
                if let StackSymbol::Nonterminal(id) = symbol
                    && needed.insert(*id)
                {
                    todo.push(*id);
                }
            }
        }
    }
    needed
}
