//! Circuits as explicit machines, by simulation in three values: an input is branched on only where an answer or a next
//! latch is still unknown without it. The certifier's own unfolding: it shares no code with the one that `emit` uses.
//! Exponential in the latches, and in the inputs that matter together, in the worst case; therefore with limits.

use super::outcome::CertifyError;
use crate::trusted::plays::output_letters;
use crate::trusted::symbolic::check_shape;
use rustc_hash::FxHashMap;
use tsl_synth_core::base::{Budget, Id, Limit, LimitKind};
use tsl_synth_core::logic::{Alphabet, BitId, Guard, Guards, Letter, Player};
use tsl_synth_core::model::{
    Circuit, CounterEdge, CounterState, CounterStrategy, Literal, Mealy, MealyEdge, MealyState, StateId,
};

/// The machine of a circuit of a controller, with its states in breadth-first order.
///
/// # Errors
/// [`CertifyError::Malformed`] if it is no circuit over the alphabet; more than `max_states` states; a limit of the
/// budget.
pub fn controller_of_circuit(
    alphabet: &Alphabet,
    circuit: &Circuit,
    max_states: usize,
    budget: &Budget,
) -> Result<Mealy, CertifyError> {
    let (guards, rows) = unfold(alphabet, circuit, Player::System, max_states, budget)?;
    let edge = |(guard, output, next): Row| MealyEdge { guard, output, next };
    let states = rows.into_iter().map(|row| MealyState { edges: row.into_iter().map(edge).collect() });
    Ok(Mealy { guards, states: states.collect(), initial: StateId::from_index(0) })
}

/// The machine of a circuit of a counter-strategy.
///
/// # Errors
/// As [`controller_of_circuit`]; malformed, too, if an output depends on an input of the same step.
pub fn counter_of_circuit(
    alphabet: &Alphabet,
    circuit: &Circuit,
    max_states: usize,
    budget: &Budget,
) -> Result<CounterStrategy, CertifyError> {
    let (guards, rows) = unfold(alphabet, circuit, Player::Environment, max_states, budget)?;
    let mut states = tsl_synth_core::base::IdVec::new();
    for row in rows {
        let input = row.first().map(|(_, input, _)| input.clone()).unwrap_or_default();
        if row.iter().any(|(_, other, _)| *other != input) {
            let message = "an input that it gives depends on the outputs of the same step";
            return Err(CertifyError::Malformed(message.into()));
        }
        let edges = row.into_iter().map(|(guard, _, next)| CounterEdge { guard, next });
        states.push(CounterState { input, edges: edges.collect() });
    }
    Ok(CounterStrategy { guards, states, initial: StateId::from_index(0) })
}

/// A set of letters, the answer to them, and the next state.
type Row = (Guard, Letter, StateId);

fn unfold(
    alphabet: &Alphabet,
    circuit: &Circuit,
    owner: Player,
    max_states: usize,
    budget: &Budget,
) -> Result<(Guards, Vec<Vec<Row>>), CertifyError> {
    check_shape(alphabet, circuit, owner)?;
    let read: Vec<BitId> = alphabet.bits_of(owner.opponent()).collect();
    let given: Vec<BitId> = alphabet.bits_of(owner).collect();
    let mut guards = Guards::new();
    // Codes past the last option of a cell are no letters.
    let domain = match owner {
        Player::System => Guard::TRUE,
        Player::Environment => output_letters(alphabet, &mut guards),
    };
    let mut index: FxHashMap<Vec<bool>, StateId> = FxHashMap::default();
    let mut states = vec![circuit.reset()];
    index.insert(circuit.reset(), StateId::from_index(0));
    let mut rows = Vec::new();
    while let Some(latches) = states.get(rows.len()).cloned() {
        let before = guards.node_count();
        let mut row = Vec::new();
        for (letters, answer, next) in steps(circuit, &latches, &read, domain, &mut guards, budget)? {
            let known = index.len();
            let next = *index.entry(next).or_insert_with_key(|next| {
                states.push(next.clone());
                StateId::from_index(known)
            });
            let answer = given.iter().zip(answer).filter(|(_, value)| *value).map(|(&bit, _)| bit).collect();
            row.push((letters, answer, next));
        }
        if states.len() > max_states {
            let what = format!("certificate: a circuit with more than {max_states} states");
            return Err(Limit::new(LimitKind::Size, what).into());
        }
        let made = (guards.node_count() - before + row.len() + latches.len()) as u64;
        budget.charge(64 * made, || "certificate: the states of a circuit".into())?;
        rows.push(row);
    }
    Ok((guards, rows))
}

/// The letters of the domain, classified by answer and next values of the latches.
#[expect(clippy::type_complexity, reason = "a list of triples")]
fn steps(
    circuit: &Circuit,
    latches: &[bool],
    read: &[BitId],
    domain: Guard,
    guards: &mut Guards,
    budget: &Budget,
) -> Result<Vec<(Guard, Vec<bool>, Vec<bool>)>, Limit> {
    let what = || String::from("certificate: the states of a circuit");
    let mut found: Vec<(Guard, Vec<bool>, Vec<bool>)> = Vec::new();
    let mut rows_of: FxHashMap<(Vec<bool>, Vec<bool>), usize> = FxHashMap::default();
    let mut stack: Vec<(Vec<Option<bool>>, Guard)> = vec![(vec![None; circuit.inputs], domain)];
    while let Some((inputs, letters)) = stack.pop() {
        budget.tick(1 + circuit.gates.len() as u64, what)?;
        let values = simulate(circuit, latches, &inputs);
        let of = |literal: Literal| values[literal.variable()].map(|value| value != literal.is_negated());
        let next = circuit.latches.iter().map(|latch| latch.next);
        if let Some(open) = circuit.outputs.iter().copied().chain(next).find(|&l| of(l).is_none()) {
            let input = undetermined(circuit, &values, open.variable());
            for value in [true, false] {
                let literal = guards.literal(read[input], value);
                let letters = guards.and(letters, literal);
                if letters != Guard::FALSE {
                    let mut inputs = inputs.clone();
                    inputs[input] = Some(value);
                    stack.push((inputs, letters));
                }
            }
            continue;
        }
        let answer: Vec<bool> = circuit.outputs.iter().filter_map(|&l| of(l)).collect();
        let next: Vec<bool> = circuit.latches.iter().filter_map(|latch| of(latch.next)).collect();
        let row_index = *rows_of.entry((answer.clone(), next.clone())).or_insert(found.len());
        match found.get_mut(row_index) {
            Some((all, ..)) => {
                let before = guards.node_count();
                *all = guards.or(*all, letters);
                budget.tick((guards.node_count() - before) as u64, what)?;
            }
            None => found.push((letters, answer, next)),
        }
    }
    Ok(found)
}

/// The values of all variables; `None` for those that depend on unknown inputs.
fn simulate(circuit: &Circuit, latches: &[bool], inputs: &[Option<bool>]) -> Vec<Option<bool>> {
    let mut values = vec![Some(false)];
    values.extend_from_slice(inputs);
    values.extend(latches.iter().map(|&value| Some(value)));
    for &(a, b) in &circuit.gates {
        let of = |literal: Literal| values[literal.variable()].map(|value| value != literal.is_negated());
        values.push(match (of(a), of(b)) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (Some(true), Some(true)) => Some(true),
            _ => None,
        });
    }
    values
}

/// An unknown input on which an unknown variable depends.
fn undetermined(circuit: &Circuit, values: &[Option<bool>], mut variable: usize) -> usize {
    let first_gate = 1 + circuit.inputs + circuit.latches.len();
    while variable >= first_gate {
        let (a, b) = circuit.gates[variable - first_gate];
        variable = if values[a.variable()].is_none() { a.variable() } else { b.variable() };
    }
    variable - 1
}
