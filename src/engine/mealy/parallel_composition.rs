//! The synchronous product of controllers with disjoint outputs: all read the same inputs, each decides its own
//! outputs. Explicit machines have an explicit product with a limit on its size; the product of circuits is linear.

use rustc_hash::FxHashMap;
use tsl_synth_core::base::{Id, IdVec};
use tsl_synth_core::logic::{Alphabet, BitId, Guard, Guards, Letter, Player};
use tsl_synth_core::model::{Circuit, CircuitBuilder, Literal, Mealy, MealyEdge, MealyState, StateId};

/// The reachable product of machines, each with the bits that it decides; bits that none decides are false. `None` with
/// more than `max_edges` edges. O(edges of the product · machines) guards.
pub fn parallel_composition(machines: &[(Mealy, Vec<BitId>)], max_edges: usize) -> Option<Mealy> {
    let mut guards = Guards::new();
    let copied: Vec<Vec<Vec<MealyEdge>>> = machines
        .iter()
        .map(|(machine, own)| {
            let mut edge = |e: &MealyEdge| MealyEdge {
                guard: machine.guards.copy_into(e.guard, &mut guards),
                output: own.iter().copied().filter(|&bit| e.output.contains(bit)).collect(),
                next: e.next,
            };
            machine.states.iter().map(|state| state.edges.iter().map(&mut edge).collect()).collect()
        })
        .collect();
    let first: Vec<StateId> = machines.iter().map(|(machine, _)| machine.initial).collect();
    let initial = StateId::from_index(0);
    let mut ids = FxHashMap::from_iter([(first.clone(), initial)]);
    let mut found = vec![first];
    let mut states: IdVec<StateId, MealyState> = IdVec::new();
    let mut edges = 0;
    while states.len() < found.len() {
        let here = found[states.len()].clone();
        let mut rows: Vec<(Guard, Letter, Vec<StateId>)> = vec![(Guard::TRUE, Letter::new(), Vec::new())];
        for (machine, state) in copied.iter().zip(&here) {
            let mut finer = Vec::new();
            for (guard, output, next) in rows {
                for edge in &machine[state.index()] {
                    let both = guards.and(guard, edge.guard);
                    if both != Guard::FALSE {
                        let output = output.iter().chain(edge.output.iter()).collect();
                        finer.push((both, output, [&next[..], &[edge.next]].concat()));
                    }
                }
                if edges + finer.len() > max_edges {
                    return None;
                }
            }
            rows = finer;
        }
        edges += rows.len();
        let row = |(guard, output, next): (Guard, Letter, Vec<StateId>)| {
            let next = *ids.entry(next).or_insert_with_key(|next| {
                found.push(next.clone());
                StateId::from_index(found.len() - 1)
            });
            MealyEdge { guard, output, next }
        };
        states.push(MealyState { edges: rows.into_iter().map(row).collect() });
    }
    Some(Mealy { guards, states, initial })
}

/// Circuits of controllers as one, each with the bits that it decides; bits that none decides are false. Linear.
pub fn circuits_in_parallel(alphabet: &Alphabet, circuits: &[(Circuit, Vec<BitId>)]) -> Circuit {
    let mut builder = CircuitBuilder::new(alphabet.bits_of(Player::Environment).count());
    let inputs: Vec<Literal> =
        (0..alphabet.bits_of(Player::Environment).count()).map(|i| builder.input(i)).collect();
    let mut signals: FxHashMap<BitId, Literal> = FxHashMap::default();
    for (circuit, own) in circuits {
        let given = builder.import(circuit, &inputs);
        signals.extend(alphabet.bits_of(Player::System).zip(given).filter(|(bit, _)| own.contains(bit)));
    }
    for bit in alphabet.bits_of(Player::System) {
        builder.add_output(signals.get(&bit).copied().unwrap_or(Literal::FALSE));
    }
    builder.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mealy::circuit_of_mealy;

    /// A machine over one input that cycles through its answers, one state for each, while the input is true.
    fn ring(alphabet: &Alphabet, answers: &[&[usize]]) -> Mealy {
        let mut guards = Guards::new();
        let outputs: Vec<BitId> = alphabet.bits_of(Player::System).collect();
        let input = guards.bit(BitId::from_index(0));
        let idle = guards.not(input);
        let state = |(i, bits): (usize, &&[usize])| {
            let output: Letter = bits.iter().map(|&b| outputs[b]).collect();
            let edge =
                |guard, next| MealyEdge { guard, output: output.clone(), next: StateId::from_index(next) };
            MealyState { edges: vec![edge(input, (i + 1) % answers.len()), edge(idle, i)] }
        };
        let states = answers.iter().enumerate().map(state).collect();
        Mealy { guards, states, initial: StateId::from_index(0) }
    }

    #[test]
    fn each_machine_decides_its_own_outputs() {
        let mut alphabet = Alphabet::new();
        alphabet.add_input("i");
        for name in ["a", "b", "c"] {
            alphabet.add_output(name);
        }
        let bits: Vec<BitId> = alphabet.bits_of(Player::System).collect();
        // The first machine also sets b, which the second one decides.
        let machines = [
            (ring(&alphabet, &[&[0, 1], &[]]), vec![bits[0]]),
            (ring(&alphabet, &[&[1], &[], &[]]), vec![bits[1]]),
        ];
        let product = parallel_composition(&machines, 100).expect("six states");
        assert_eq!(product.states.len(), 6);
        let circuits = machines.clone().map(|(machine, own)| (circuit_of_mealy(&alphabet, &machine), own));
        let circuit = circuits_in_parallel(&alphabet, &circuits);
        let input = BitId::from_index(0);
        let (mut state, mut latches) = (product.initial, circuit.reset());
        let mut turned = 0;
        for step in 0..40 {
            let turn = step % 3 != 1;
            let letter: Letter = turn.then_some(input).into_iter().collect();
            let edge = product.edge(state, &letter).expect("total");
            let expected = [turned % 2 == 0, turned % 3 == 0, false];
            assert_eq!(bits.iter().map(|&b| edge.output.contains(b)).collect::<Vec<_>>(), expected);
            let values = circuit.evaluate(&latches, &[turn]);
            assert_eq!(values.outputs(&circuit), expected);
            (state, latches) = (edge.next, values.next(&circuit));
            turned += usize::from(turn);
        }
        assert!(parallel_composition(&machines, 11).is_none(), "twelve edges");
    }
}
