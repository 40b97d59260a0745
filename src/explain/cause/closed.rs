//! Systems closed under the facts of a specification: the value of a cell follows from its updates, so a test of the
//! value is not a free choice of the environment.
//!
//! The product of the plays with the monitor of the facts. An input that has only one possible value in each state of
//! the product becomes an output; O(|system| · |monitor|) states.

use crate::tuning::MONITOR_STATES;
use rustc_hash::FxHashMap;
use tsl_synth_automata::ltl_to_monitor;
use tsl_synth_core::base::{Budget, Id, IdVec, Limit};
use tsl_synth_core::logic::{
    Alphabet, AtomId, AtomKind, BitId, Class, FormulaId, Formulas, Guard, Normalizer, Player,
};
use tsl_synth_core::model::{Buchi, Edge, NodeId};

/// A system with the facts built in.
#[derive(Clone, Debug)]
pub struct Closed {
    /// The same atoms, some of them outputs now.
    pub alphabet: Alphabet,
    /// The plays that keep the facts.
    pub system: Buchi,
    /// The inputs that are determined by the play so far.
    pub followed: Vec<AtomId>,
    /// Whether every sequence of the other inputs has a play.
    pub total: bool,
}

/// The plays of a system without acceptance sets that keep these facts; `None` if no input follows from them.
///
/// # Errors
/// A limit.
pub fn closed(
    alphabet: &Alphabet,
    system: &Buchi,
    formulas: &mut Formulas,
    facts: FormulaId,
    budget: &Budget,
) -> Result<Option<Closed>, Limit> {
    let facts = Normalizer::new().normalize(formulas, facts, false);
    if formulas.is_constant(facts) || !formulas.class(facts).is(Class::SAFETY) {
        return Ok(None);
    }
    let monitor = ltl_to_monitor(formulas, alphabet, facts, MONITOR_STATES, budget)?;
    let mut guards = system.guards.clone();
    let mut states: Vec<(NodeId, _)> = system.initial.iter().map(|&q| (q, monitor.initial)).collect();
    let mut index: FxHashMap<_, usize> = states.iter().copied().zip(0..).collect();
    let initial = (0..states.len()).map(NodeId::from_index).collect();
    let mut edges: IdVec<NodeId, Vec<Edge>> = IdVec::new();
    while edges.len() < states.len() {
        let (q, m) = states[edges.len()];
        let mut out = Vec::new();
        for play in &system.edges[q] {
            for step in monitor.states[m].edges.iter().filter(|step| !monitor.states[step.next].dead) {
                budget.tick(1, || "plays that keep the facts".into())?;
                let copy = monitor.guards.copy_into(step.guard, &mut guards);
                let guard = guards.and(play.guard, copy);
                if guard != Guard::FALSE {
                    let key = (play.next, step.next);
                    let next = *index.entry(key).or_insert_with(|| {
                        states.push(key);
                        states.len() - 1
                    });
                    out.push(Edge { next: NodeId::from_index(next), marks: play.marks, guard });
                }
            }
        }
        edges.push(out);
    }
    // The input letters of each state.
    let output = |bit: BitId| alphabet.owner(bit) == Player::System;
    let mut letters = Vec::with_capacity(edges.len());
    for out in &edges {
        let all = out.iter().fold(Guard::FALSE, |all, edge| guards.or(all, edge.guard));
        letters.push(guards.exists(all, &output));
    }
    let mut follows = |atom: &AtomId| {
        let AtomKind::Input(bit) = alphabet.atoms()[*atom].kind else { return false };
        let literals = [guards.literal(bit, true), guards.literal(bit, false)];
        letters.iter().all(|&letter| literals.iter().any(|&literal| guards.implies(letter, literal)))
    };
    let followed: Vec<AtomId> = alphabet.inputs().filter(&mut follows).collect();
    if followed.is_empty() {
        return Ok(None);
    }
    let alphabet = alphabet.with_outputs(|atom| followed.contains(&atom));
    let ours = |bit: BitId| alphabet.owner(bit) == Player::System;
    let total = letters.iter().all(|&letter| guards.exists(letter, &ours) == Guard::TRUE);
    let system = Buchi { guards, edges, initial, sets: system.sets };
    Ok(Some(Closed { alphabet, system, followed, total }))
}
