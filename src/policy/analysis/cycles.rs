//! Actions that no session can have: of rules such as `a requires b before` and `b requires a before`, each waits for the
//! other.

use crate::CompiledPolicy;
use crate::language::words::{LawTree, Link, PolicyNames, Temporal};
use crate::language::{ActionId, LawId, LawKind, names_of};
use std::collections::{BTreeMap, BTreeSet};
use tsl_synth_automata::components;

/// Actions of which each needs that another one of them has succeeded before, and the laws that say so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cycle {
    /// The actions.
    pub actions: Vec<ActionId>,
    /// The laws.
    pub laws: Vec<LawId>,
}

/// The cycles of the hard laws. Only laws for the same bound values are taken together.
pub fn cycles(compiled: &CompiledPolicy) -> Vec<Cycle> {
    let policy = &compiled.policy;
    let names = names_of(&policy.atoms);
    let ids: BTreeMap<&str, ActionId> =
        policy.atoms.actions.enumerate().map(|(id, action)| (action.name.as_str(), id)).collect();
    let mut kinds: BTreeMap<&[String], Needs> = BTreeMap::new();
    for (law, own) in policy.laws.enumerate().filter(|(_, own)| own.kind == LawKind::Hard) {
        let Some((what, needed)) =
            LawTree::read(&own.ltl, &names).ok().and_then(|law| needs_of(&law, &names))
        else {
            continue;
        };
        let needs = kinds.entry(&own.for_each).or_default();
        for action in what.iter().filter_map(|name| ids.get(name.as_str())) {
            let all = needed.iter().filter_map(|name| ids.get(name.as_str()));
            needs.entry(*action).or_default().extend(all.map(|needed| (*needed, law)));
        }
    }
    kinds.values().flat_map(cycles_of).collect()
}

/// What each action needs, with the law that says so.
type Needs = BTreeMap<ActionId, Vec<(ActionId, LawId)>>;

/// The strongly connected components that have a cycle.
fn cycles_of(needs: &Needs) -> Vec<Cycle> {
    let all: Vec<ActionId> = needs.keys().copied().collect();
    let place = |(needed, _): &(ActionId, LawId)| all.binary_search(needed).ok();
    let successors: Vec<Vec<usize>> =
        needs.values().map(|edges| edges.iter().filter_map(place).collect()).collect();
    let component = components(&successors);
    let mut found = Vec::new();
    for first in 0..all.len() {
        let own: Vec<usize> = (0..all.len()).filter(|&other| component[other] == component[first]).collect();
        if own[0] != first || own.len() == 1 && !successors[first].contains(&first) {
            continue;
        }
        let actions: Vec<ActionId> = own.iter().map(|&at| all[at]).collect();
        let edges = actions.iter().flat_map(|action| &needs[action]);
        let laws: BTreeSet<LawId> =
            edges.filter(|(needed, _)| actions.contains(needed)).map(|(_, law)| *law).collect();
        found.push(Cycle { actions, laws: laws.into_iter().collect() });
    }
    found
}

/// The actions that a law is about, and those that have to have succeeded before each of them.
fn needs_of(law: &LawTree, names: &PolicyNames) -> Option<(BTreeSet<String>, BTreeSet<String>)> {
    let LawTree::Unary(Temporal::Globally, body) = law else { return None };
    let LawTree::Implies(what, has) = &**body else { return None };
    let parts = match &**what {
        LawTree::Or(parts) => parts.as_slice(),
        one => std::slice::from_ref(one),
    };
    let name = |part: &LawTree| match part {
        LawTree::Atom(name) => Some(name.to_string()),
        _ => None,
    };
    Some((parts.iter().filter_map(name).collect(), succeeded(has, names)))
}

/// The actions that have succeeded if a formula holds, now or before.
fn succeeded(law: &LawTree, names: &PolicyNames) -> BTreeSet<String> {
    match law {
        LawTree::Atom(name) if names.knows(name) => {
            name.strip_suffix(".ok").map(str::to_string).into_iter().collect()
        }
        LawTree::Unary(Temporal::Once | Temporal::Yesterday, inner)
        | LawTree::Binary(Link::Since, _, inner) => succeeded(inner, names),
        LawTree::And(parts) => parts.iter().flat_map(|part| succeeded(part, names)).collect(),
        LawTree::Or(parts) => {
            let mut all = parts.iter().map(|part| succeeded(part, names));
            let first = all.next().unwrap_or_default();
            all.fold(first, |both, part| both.intersection(&part).cloned().collect())
        }
        _ => BTreeSet::new(),
    }
}
