//! Propositions that are never used, and tables that never match or contradict each other.

use super::cycles::{Cycle, cycles};
use crate::CompiledPolicy;
use crate::language::{ActionId, DefaultRuling, EventKind, LawAtom, LawId, Match, Policy, PropositionId};
use tsl_synth_core::base::Glob;
use tsl_synth_core::logic::Letter;
use tsl_synth_core::model::{Pointer, Relation, ValueComparison, ValueCondition};
use tsl_synth_core::source::Span;
use tsl_synth_shell::{ClauseWords, CommandClause};

/// Something that is never used or cannot happen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lint {
    /// No law and no register depends on a proposition.
    UnusedProposition(PropositionId),
    /// No event matches a table: its conditions require two values at one pointer.
    NeverMatches(Span),
    /// Each call that one table matches is matched by the other, and they name two actions of one group.
    TwoActions(Span, ActionId, Span, ActionId),
    /// The table with this number matches every call, and leaves a law nothing to forbid.
    Emptied(LawId, usize),
    /// Actions that wait for each other.
    Cycle(Cycle),
    /// Nothing of a call is at a pointer of a table: the table, the pointer, and the one that is probably meant.
    Elsewhere(Span, String, String),
    /// The policy permits only commands that tables list by their words, and none of its tables is about the files that
    /// commands write. So redirections to any file are permitted. The place is that of the first such table.
    Redirections(Span),
    /// A law for each value reads a proposition that calls and results set without a value: it is about all values.
    Unbound(LawId, PropositionId),
}

/// The findings, propositions first.
pub fn lints(compiled: &CompiledPolicy) -> Vec<Lint> {
    let policy = &compiled.policy;
    let registers =
        policy.registers.iter().flat_map(|register| [register.on, register.returned_on, register.reset_on]);
    let guards = compiled.monitors.iter().flat_map(|monitor| monitor.guards().iter().copied());
    let used: Letter = guards.chain(registers).flat_map(|guard| policy.guards.support(guard)).collect();
    let mut all = Vec::new();
    for id in policy.atoms.propositions.ids() {
        let bits = [LawAtom::Proposition(id), LawAtom::Clear(id)].map(|atom| policy.atoms.bit(atom));
        if !bits.into_iter().any(|bit| used.contains(bit)) {
            all.push(Lint::UnusedProposition(id));
        }
    }
    for table in &policy.matches {
        let each = table.conditions.iter().enumerate();
        let pairs = each.flat_map(|(i, a)| table.conditions[i + 1..].iter().map(move |b| (a, b)));
        if pairs.into_iter().any(|(a, b)| contradict(a, b)) {
            all.push(Lint::NeverMatches(table.span));
        }
    }
    all.extend(policy.matches.iter().flat_map(elsewhere));
    all.extend(redirections(policy));
    all.extend(unbound(compiled));
    all.extend(cycles(compiled).into_iter().map(Lint::Cycle));
    let calls: Vec<&Match> = policy.matches.iter().filter(|table| table.on == EventKind::Call).collect();
    for (i, first) in calls.iter().enumerate() {
        for second in &calls[i + 1..] {
            let (Some(a), Some(b)) = (first.action, second.action) else { continue };
            let one_group = policy.atoms.actions[a].group == policy.atoms.actions[b].group;
            if a != b && one_group && (covers(first, second) || covers(second, first)) {
                all.push(Lint::TwoActions(first.span, a, second.span, b));
            }
        }
    }
    all
}

/// Propositions of laws for each value that only tables about calls and results set, where no table about the same tool binds
/// a value: a letter has the values of all tables that match, and that of a result those of its call.
fn unbound(compiled: &CompiledPolicy) -> Vec<Lint> {
    let policy = &compiled.policy;
    let mut all = Vec::new();
    for (law, own) in policy.laws.enumerate().filter(|(_, law)| !law.for_each.is_empty()) {
        let read = compiled.reads(law);
        for id in policy.atoms.propositions.ids() {
            let bits = [LawAtom::Proposition(id), LawAtom::Clear(id)].map(|atom| policy.atoms.bit(atom));
            let mut tables = policy.matches.iter().filter(|table| table.sets(id)).peekable();
            let is_of_call = |table: &Match| matches!(table.on, EventKind::Call | EventKind::Result);
            let binds = |table: &Match| table.bind.iter().any(|(name, _)| own.for_each.contains(name));
            let could_bind = |table: &Match| {
                let shares_tool = |other: &&Match| {
                    all_names(&table.tools, &other.tools) || all_names(&other.tools, &table.tools)
                };
                let mut others =
                    policy.matches.iter().filter(|other| is_of_call(other) && shares_tool(other));
                is_of_call(table) && !others.any(binds)
            };
            if bits.iter().any(|bit| read.contains(bit)) && tables.peek().is_some() && tables.all(could_bind)
            {
                all.push(Lint::Unbound(law, id));
            }
        }
    }
    all
}

/// The first table that lists commands by their words, if the policy permits nothing else and no table is about files
/// that commands write.
fn redirections(policy: &Policy) -> Option<Lint> {
    let clauses = || policy.matches.iter().filter_map(|table| Some((table, &table.shell.as_ref()?.clause)));
    let is_deny =
        policy.unmatched == DefaultRuling::Deny && clauses().all(|(_, clause)| clause.writes.is_empty());
    let by_words = |(table, clause): &(&Match, &CommandClause)| {
        table.action.is_some() && clause.words != ClauseWords::Any
    };
    let (table, _) = clauses().find(by_words).filter(|_| is_deny)?;
    Some(Lint::Redirections(table.span))
}

/// What other programs call the arguments of a call.
const ARGUMENTS: [&str; 9] =
    ["args", "argument", "arg", "tool_input", "tool_args", "input", "params", "parameters", "kwargs"];
/// What other programs call its result.
const RESULT: [&str; 6] = ["results", "output", "tool_response", "tool_output", "tool_result", "response"];

/// The pointers of a table for calls or results that lead to nothing. A call whose table cannot be judged is refused.
fn elsewhere(table: &Match) -> Vec<Lint> {
    let is_result = table.on == EventKind::Result;
    if !(is_result || table.on == EventKind::Call) {
        return Vec::new();
    }
    let conditions = table.conditions.iter().map(|condition| &condition.pointer);
    let binds = table.bind.iter().map(|(_, pointer)| pointer);
    let leads = |pointer: &&Pointer| match pointer.parts() {
        [first, ..] => {
            let known = ["arguments", "probe"].contains(&&**first) || is_result && **first == *"result";
            known || pointer.parts().len() == 1 && ["tool", "server"].contains(&&**first)
        }
        [] => false,
    };
    let meant = |pointer: &Pointer| {
        let first = pointer.parts().first().map_or("", |first| &**first);
        let rest = pointer.within(first).map(|rest| rest.to_string()).unwrap_or_default();
        match first {
            first if ARGUMENTS.contains(&first) => format!("/arguments{rest}"),
            first if is_result && RESULT.contains(&first) => format!("/result{rest}"),
            _ => format!("/arguments{pointer}"),
        }
    };
    let wrong = conditions.chain(binds).filter(|pointer| !leads(pointer));
    wrong.map(|pointer| Lint::Elsewhere(table.span, pointer.to_string(), meant(pointer))).collect()
}

/// Whether two conditions require different values at one pointer.
fn contradict(a: &ValueCondition, b: &ValueCondition) -> bool {
    match (&a.comparison, &b.comparison) {
        (ValueComparison::Compare(Relation::Equal, x), ValueComparison::Compare(Relation::Equal, y)) => {
            a.pointer == b.pointer && x != y
        }
        _ => false,
    }
}

/// Whether some names match all that others match; none stand for all names.
fn all_names(wide: &[Glob], narrow: &[Glob]) -> bool {
    let covers = |one: &Glob, other: &Glob| {
        one == other || other.literal().is_some_and(|name| one.matches(name)) || one.as_str() == "*"
    };
    let is_covered = |other: &Glob| wide.iter().any(|one| covers(one, other));
    wide.is_empty() || !narrow.is_empty() && narrow.iter().all(is_covered)
}

/// Whether every call that `narrow` matches is surely matched by `wide`: the same tools, servers and command, and no
/// further condition.
fn covers(wide: &Match, narrow: &Match) -> bool {
    let shell =
        |table: &Match| table.shell.as_ref().map(|shell| (shell.pointer.clone(), shell.clause.clone()));
    all_names(&wide.tools, &narrow.tools)
        && all_names(&wide.servers, &narrow.servers)
        && shell(wide) == shell(narrow)
        && wide.said.iter().all(|condition| narrow.said.contains(condition))
        && wide.conditions.iter().all(|condition| narrow.conditions.contains(condition))
}
