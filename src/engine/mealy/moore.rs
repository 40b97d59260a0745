//! From a Mealy machine that reads every input with a delay of one step to a Moore machine (Mealy 1955, Moore 1956):
//! the states of the Moore machine are the edges of the Mealy machine. O(m · d) for m edges, d of them from a state;
//! the certifier checks the result as a Moore machine.

use super::quotient::quotient_mealy;
use tsl_synth_core::base::{Id, IdVec};
use tsl_synth_core::model::{Circuit, CircuitBuilder, Literal, Mealy, MealyEdge, MealyState, StateId};

/// The Moore machine with the output of `machine` in every step, where `machine` reads the input of step n in step n +
/// 1, and an arbitrary input in step 0. All edges of a state have the same output.
pub fn moore(machine: &Mealy) -> Mealy {
    let mut first = IdVec::<StateId, usize>::new();
    let mut count = 0;
    for state in &machine.states {
        first.push(count);
        count += state.edges.len();
    }
    let number = |state: StateId, edge: usize| StateId::from_index(first[state] + edge);
    let mut states = IdVec::new();
    for state in &machine.states {
        for edge in &state.edges {
            let next = machine.states[edge.next].edges.iter().enumerate();
            let edges = next.map(|(i, later)| MealyEdge {
                guard: later.guard,
                output: edge.output.clone(),
                next: number(edge.next, i),
            });
            states.push(MealyState { edges: edges.collect() });
        }
    }
    let initial = number(machine.initial, 0);
    quotient_mealy(&Mealy { guards: machine.guards.clone(), states, initial })
}

/// As [`moore`], for a circuit: a latch delays every input by one step. Linear.
pub fn moore_circuit(circuit: &Circuit) -> Circuit {
    let mut builder = CircuitBuilder::new(circuit.inputs);
    let delayed: Vec<Literal> = (0..circuit.inputs).map(|_| builder.add_latch(false)).collect();
    for (i, &latch) in delayed.iter().enumerate() {
        let input = builder.input(i);
        builder.set_next(latch, input);
    }
    for output in builder.import(circuit, &delayed) {
        builder.add_output(output);
    }
    builder.finish()
}
