//! Why an effect did not occur: the step that ruled it out, if one did.

use tsl_synth_core::logic::Lasso;
use tsl_synth_core::model::Buchi;

/// The first step after which no continuation of a word is accepted; `None` if every prefix has an accepted
/// continuation, so that no single step decides. Every state of the automaton must have a nonempty language. O((|word|
/// · |automaton|)^2) at most, |word| · |automaton| as a rule.
pub fn ruled_out(automaton: &Buchi, word: &Lasso) -> Option<usize> {
    let mut states = automaton.initial.clone();
    let mut position = 0;
    // A run with more steps has been in some state twice at the same position of the word, so there is an infinite run.
    for step in 0..=word.len() * automaton.edges.len() {
        let letter = word.letter(position);
        let edges = states.iter().flat_map(|&state| &automaton.edges[state]);
        let open = edges.filter(|edge| automaton.guards.contains(edge.guard, letter));
        states = open.map(|edge| edge.next).collect();
        states.sort_unstable();
        states.dedup();
        if states.is_empty() {
            return Some(step);
        }
        position = word.successor(position);
    }
    None
}
