//! One deterministic automaton for one formula: the product of its automata, with the Emerson-Lei condition of the
//! formula over their colors. It is the game automaton of the symbolic engine in a form that can be printed.

use super::colors::{AutomatonId, ColorId, ColorPosition, Colors};
use super::compiled::{CompiledContract, Sharing, compile_contract};
use super::role::GameRole;
use rustc_hash::FxHashMap;
use tsl_synth_core::base::{Budget, Id, IdVec, Limit, LimitKind, coarsest_partition};
use tsl_synth_core::logic::{Alphabet, FormulaId, Formulas, Guard, Guards};
use tsl_synth_core::model::{
    Acceptance, AcceptanceClause, Contract, Edge, EmersonLei, Marks, NodeId, RunEdge, RunStateId,
};

/// A deterministic automaton with exactly the words of the formula; a letter without an edge ends the run, and a run
/// that ends rejects. At most as many states as the product of the automata; most formulas have one automaton. Checked
/// by the lasso semantics in the tests.
///
/// # Errors
/// Those of [`compile_contract`]; more than `max_states` states or [`Marks::MAX_SETS`] colors.
pub fn conjunct_automaton(
    formulas: &mut Formulas,
    alphabet: &Alphabet,
    f: FormulaId,
    max_states: usize,
    budget: &Budget,
) -> Result<EmersonLei, Limit> {
    let contract = Contract { guarantees: vec![f], ..Contract::default() };
    let product = compile_contract(formulas, alphabet, &contract, Sharing::Nothing(max_states), budget)?;
    let part = product.part(GameRole::Guarantee);
    let colors = part.condition.colors();
    if colors.len() > Marks::MAX_SETS {
        return Err(Limit::new(LimitKind::Size, "an automaton with more than 64 acceptance sets"));
    }
    let marks = |set: Colors| {
        colors
            .ids()
            .filter(|&c| set.contains(c))
            .map(|c| Marks::of(c.index()))
            .fold(Marks::NONE, Marks::union)
    };
    let clauses = part.condition.disjunctive(&colors, budget)?;
    let mut clauses: Vec<AcceptanceClause> =
        clauses.into_iter().map(|(inf, fin)| AcceptanceClause { inf: marks(inf), fin: marks(fin) }).collect();
    clauses.sort_unstable();
    let mut guards = Guards::new();
    let edges = explore(&product, &colors, &mut guards, max_states, budget)?;
    let edges = merged(&mut guards, &edges);
    let acceptance = Acceptance { sets: colors.len(), clauses };
    Ok(EmersonLei { guards, edges, initial: vec![NodeId::from_index(0)], acceptance })
}

/// The reachable states, without those where a safety automaton is dead.
fn explore(
    product: &CompiledContract,
    colors: &IdVec<ColorPosition, ColorId>,
    guards: &mut Guards,
    max_states: usize,
    budget: &Budget,
) -> Result<IdVec<NodeId, Vec<Edge>>, Limit> {
    let what = || format!("a product of automata with more than {max_states} states");
    let safety = &product.part(GameRole::Guarantee).safety;
    let automata: IdVec<AutomatonId, IdVec<RunStateId, Vec<RunEdge>>> = product
        .automata
        .iter()
        .map(|automaton| {
            let mut copied =
                |e: &RunEdge| RunEdge { guard: automaton.guards.copy_into(e.guard, guards), ..*e };
            automaton.states.iter().map(|out| out.iter().map(&mut copied).collect()).collect()
        })
        .collect();
    let dead =
        |states: &[RunStateId]| safety.iter().any(|&c| product.automata[c].dead == Some(states[c.index()]));
    let first: Vec<RunStateId> = product.automata.iter().map(|automaton| automaton.initial).collect();
    let mut ids: FxHashMap<Vec<RunStateId>, NodeId> = FxHashMap::default();
    ids.insert(first.clone(), NodeId::from_index(0));
    let mut states = vec![first];
    let mut edges: IdVec<NodeId, Vec<Edge>> = IdVec::new();
    while edges.len() < states.len() {
        let from = states[edges.len()].clone();
        // The letters by the edges that they take.
        let mut parts: Vec<(Guard, Vec<RunEdge>)> = vec![(Guard::TRUE, Vec::new())];
        if dead(&from) {
            parts.clear();
        }
        for (automaton, &state) in automata.iter().zip(&from) {
            let mut finer = Vec::new();
            for (letters, taken) in parts {
                for &edge in &automaton[state] {
                    budget.tick(1, what)?;
                    let both = guards.and(letters, edge.guard);
                    if both != Guard::FALSE {
                        finer.push((both, [&taken[..], &[edge]].concat()));
                    }
                }
            }
            parts = finer;
        }
        let mut out: Vec<Edge> = Vec::new();
        for (guard, taken) in parts {
            let next: Vec<RunStateId> = taken.iter().map(|edge| edge.next).collect();
            if dead(&next) {
                continue;
            }
            let met = |&(_, &color): &(ColorPosition, &ColorId)| {
                product.colors[color].holds(&|c| taken[c.index()].accepting)
            };
            let marks = colors.enumerate().filter(met).map(|(position, _)| Marks::of(position.index()));
            let marks = marks.fold(Marks::NONE, Marks::union);
            let next = *ids.entry(next).or_insert_with_key(|next| {
                states.push(next.clone());
                NodeId::from_index(states.len() - 1)
            });
            add(guards, &mut out, Edge { next, marks, guard });
        }
        if states.len() > max_states {
            return Err(Limit::new(LimitKind::Size, what()));
        }
        out.sort_unstable();
        edges.push(out);
    }
    Ok(edges)
}

/// Adds an edge; merges it with an edge with the same target and sets if there is one.
fn add(guards: &mut Guards, out: &mut Vec<Edge>, edge: Edge) {
    match out.iter_mut().find(|other| other.next == edge.next && other.marks == edge.marks) {
        Some(other) => other.guard = guards.or(other.guard, edge.guard),
        None => out.push(edge),
    }
}

/// Merges bisimilar states. The first state stays the first.
fn merged(guards: &mut Guards, edges: &IdVec<NodeId, Vec<Edge>>) -> IdVec<NodeId, Vec<Edge>> {
    let mut between = |state: usize, block: &[usize]| {
        let mut out = Vec::new();
        for edge in &edges[NodeId::from_index(state)] {
            let next = NodeId::from_index(block[edge.next.index()]);
            add(guards, &mut out, Edge { next, ..*edge });
        }
        out.sort_unstable();
        out
    };
    let block = coarsest_partition(vec![0; edges.len()], &mut between);
    let mut merged: IdVec<NodeId, Vec<Edge>> = IdVec::new();
    for (state, &own) in block.iter().enumerate() {
        // Blocks are numbered by their first states.
        if own == merged.len() {
            merged.push(between(state, &block));
        }
    }
    merged
}
