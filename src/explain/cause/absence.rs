//! Why an effect did not occur: the step that ruled it out, if one did.

use crate::logic::Lasso;
use crate::model::Buchi;
use rustc_hash::FxHashSet;

/// The first step after which no continuation of a word is accepted; `None` where every beginning could still have
/// been continued, so that no single step decides. Every state of the automaton has to accept something.
/// O(|word| · 2^|automaton|) in the worst case, |word| · |automaton| as a rule.
pub fn ruled_out(automaton: &Buchi, word: &Lasso) -> Option<usize> {
    let mut states = automaton.initial.clone();
    let mut seen = FxHashSet::default();
    let (mut step, mut position) = (0, 0);
    loop {
        if !seen.insert((position, states.clone())) {
            return None;
        }
        let letter = word.letter(position);
        let edges = states.iter().flat_map(|&state| &automaton.edges[state]);
        let open = edges.filter(|edge| automaton.guards.contains(edge.guard, letter));
        states = open.map(|edge| edge.next).collect();
        states.sort_unstable();
        states.dedup();
        if states.is_empty() {
            return Some(step);
        }
        step += 1;
        position = word.successor(position);
    }
}
