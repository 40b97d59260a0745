//! The product of a Büchi automaton with a safety monitor. At most |automaton| · |monitor| states.

use super::reduce::reduce;
use rustc_hash::FxHashMap;
use tsl_synth_core::base::{Budget, Id, IdVec, Limit, LimitKind};
use tsl_synth_core::logic::Guard;
use tsl_synth_core::model::{Buchi, Edge, Monitor, MonitorStateId, NodeId};

/// An automaton for the words of `automaton` on which the monitor never dies, reduced.
///
/// # Errors
/// A limit, among them a product of more than `max_states` states.
pub fn restrict(
    automaton: &Buchi,
    monitor: &Monitor,
    max_states: usize,
    budget: &Budget,
) -> Result<Buchi, Limit> {
    let mut guards = automaton.guards.clone();
    let steps: IdVec<MonitorStateId, Vec<(Guard, MonitorStateId)>> = monitor
        .states
        .iter()
        .map(|state| {
            let alive = state.edges.iter().filter(|edge| !monitor.states[edge.next].dead);
            alive.map(|edge| (monitor.guards.copy_into(edge.guard, &mut guards), edge.next)).collect()
        })
        .collect();
    let mut pairs: Vec<(NodeId, MonitorStateId)> = Vec::new();
    let mut index: FxHashMap<(NodeId, MonitorStateId), NodeId> = FxHashMap::default();
    let mut id = |pair, pairs: &mut Vec<_>| {
        *index.entry(pair).or_insert_with(|| {
            pairs.push(pair);
            NodeId::from_index(pairs.len() - 1)
        })
    };
    let begins = if monitor.states[monitor.initial].dead { &[][..] } else { &automaton.initial[..] };
    let initial = begins.iter().map(|&q| id((q, monitor.initial), &mut pairs)).collect();
    let mut edges: IdVec<NodeId, Vec<Edge>> = IdVec::new();
    while edges.len() < pairs.len() {
        let what = || format!("a product with a monitor of more than {max_states} states");
        if pairs.len() > max_states {
            return Err(Limit::new(LimitKind::Size, what()));
        }
        let (q, m) = pairs[edges.len()];
        budget.tick((automaton.edges[q].len() * steps[m].len()) as u64, what)?;
        let mut out = Vec::new();
        for edge in &automaton.edges[q] {
            for &(alive, next) in &steps[m] {
                let guard = guards.and(edge.guard, alive);
                if guard != Guard::FALSE {
                    out.push(Edge { next: id((edge.next, next), &mut pairs), marks: edge.marks, guard });
                }
            }
        }
        edges.push(out);
    }
    let mut product = Buchi { guards, edges, initial, sets: automaton.sets };
    reduce(&mut product, budget)?;
    Ok(product)
}
