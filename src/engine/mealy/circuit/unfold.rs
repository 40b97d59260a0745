//! Circuits as explicit machines: the reachable valuations of the latches, letters kept symbolic. Exponential in the
//! latches in the worst case, therefore with limits.

use crate::mealy::tuning::UNFOLDED_EDGES;
use rustc_hash::FxHashMap;
use tsl_synth_core::base::{Budget, Id, IdVec, Limit, LimitKind};
use tsl_synth_core::logic::{Alphabet, BitId, Guard, Guards, Letter, Player};
use tsl_synth_core::model::{
    Circuit, CounterEdge, CounterState, CounterStrategy, Literal, Mealy, MealyEdge, MealyState, StateId,
};

/// The machine of a well-formed circuit of a controller, states in the order in which a breadth-first search
/// meets them.
///
/// # Errors
/// More than `max_states` states, too many edges of a state, a limit of the budget.
pub fn mealy_of_circuit(
    alphabet: &Alphabet,
    circuit: &Circuit,
    max_states: usize,
    budget: &Budget,
) -> Result<Mealy, Limit> {
    let (guards, rows) = unfold(alphabet, circuit, Player::System, max_states, budget)?;
    let edge = |(guard, output, next): Row| MealyEdge { guard, output: alphabet.canonical(&output), next };
    let states = rows.into_iter().map(|row| MealyState { edges: row.into_iter().map(edge).collect() });
    Ok(Mealy { guards, states: states.collect(), initial: StateId::from_index(0) })
}

/// The machine of a well-formed circuit of a counter-strategy.
///
/// # Errors
/// As [`mealy_of_circuit`]. The result is `None` if an output depends on an input of the same step.
pub fn counter_of_circuit(
    alphabet: &Alphabet,
    circuit: &Circuit,
    max_states: usize,
    budget: &Budget,
) -> Result<Option<CounterStrategy>, Limit> {
    let (guards, rows) = unfold(alphabet, circuit, Player::Environment, max_states, budget)?;
    let mut states: IdVec<StateId, CounterState> = IdVec::new();
    for row in rows {
        let Some((_, input, _)) = row.first() else { return Ok(None) };
        if row.iter().any(|(_, other, _)| other != input) {
            return Ok(None);
        }
        let input = input.clone();
        let edges = row.into_iter().map(|(guard, _, next)| CounterEdge { guard, next });
        states.push(CounterState { input, edges: edges.collect() });
    }
    Ok(Some(CounterStrategy { guards, states, initial: StateId::from_index(0) }))
}

/// An edge: guard, answer and next state.
type Row = (Guard, Letter, StateId);

fn unfold(
    alphabet: &Alphabet,
    circuit: &Circuit,
    owner: Player,
    max_states: usize,
    budget: &Budget,
) -> Result<(Guards, Vec<Vec<Row>>), Limit> {
    let read: Vec<BitId> = alphabet.bits_of(owner.opponent()).collect();
    let given: Vec<BitId> = alphabet.bits_of(owner).collect();
    let mut guards = Guards::new();
    let mut index: FxHashMap<Vec<bool>, StateId> = FxHashMap::default();
    let mut states = vec![circuit.reset()];
    index.insert(circuit.reset(), StateId::from_index(0));
    let mut rows = Vec::new();
    while let Some(latches) = states.get(rows.len()).cloned() {
        let values = functions(circuit, &latches, &read, &mut guards, budget)?;
        let mut row = Vec::new();
        for (guard, answer, next) in parts(circuit, &values, &mut guards, budget)? {
            let known = index.len();
            let next = *index.entry(next).or_insert_with_key(|next| {
                states.push(next.clone());
                StateId::from_index(known)
            });
            let answer = given.iter().zip(answer).filter(|(_, value)| *value).map(|(&bit, _)| bit).collect();
            row.push((guard, answer, next));
        }
        if states.len() > max_states {
            return Err(Limit::new(LimitKind::Size, format!("a circuit with more than {max_states} states")));
        }
        rows.push(row);
    }
    Ok((guards, rows))
}

/// The letters on which each variable is true in a state.
///
/// # Errors
/// A limit of the budget.
pub(in crate::mealy) fn functions(
    circuit: &Circuit,
    latches: &[bool],
    read: &[BitId],
    guards: &mut Guards,
    budget: &Budget,
) -> Result<Vec<Guard>, Limit> {
    let constant = |value: bool| if value { Guard::TRUE } else { Guard::FALSE };
    let mut values = vec![Guard::FALSE];
    values.extend(read.iter().map(|&bit| guards.bit(bit)));
    values.extend(latches.iter().map(|&value| constant(value)));
    for &(a, b) in &circuit.gates {
        let before = guards.node_count();
        let (a, b) = (value(&values, a, guards), value(&values, b, guards));
        let gate = guards.and(a, b);
        values.push(gate);
        let made = guards.node_count() - before;
        budget.tick(1 + made as u64, || "the states of a circuit".into())?;
        budget.charge(64 * made as u64, || "the states of a circuit".into())?;
    }
    Ok(values)
}

/// The letters on which a literal is true.
pub(in crate::mealy) fn value(values: &[Guard], literal: Literal, guards: &mut Guards) -> Guard {
    let value = values[literal.variable()];
    if literal.is_negated() { guards.not(value) } else { value }
}

/// Splits the letters in a state by outputs and next values of the latches.
#[expect(clippy::type_complexity, reason = "a list of triples")]
fn parts(
    circuit: &Circuit,
    values: &[Guard],
    guards: &mut Guards,
    budget: &Budget,
) -> Result<Vec<(Guard, Vec<bool>, Vec<bool>)>, Limit> {
    let next = circuit.latches.iter().map(|latch| latch.next);
    let mut parts = vec![(Guard::TRUE, Vec::new())];
    for literal in circuit.outputs.iter().copied().chain(next) {
        let function = value(values, literal, guards);
        let mut finer = Vec::new();
        for (letters, known) in parts {
            budget.tick(1, || "the edges of a circuit".into())?;
            let (yes, no) = (guards.and(letters, function), guards.minus(letters, function));
            for (letters, value) in [(no, false), (yes, true)] {
                if letters != Guard::FALSE {
                    finer.push((letters, [&known[..], &[value]].concat()));
                }
            }
        }
        if finer.len() > UNFOLDED_EDGES {
            let what = format!("a circuit with more than {UNFOLDED_EDGES} edges of a state");
            return Err(Limit::new(LimitKind::Size, what));
        }
        parts = finer;
    }
    let split = |(letters, mut values): (Guard, Vec<bool>)| {
        let next = values.split_off(circuit.outputs.len());
        (letters, values, next)
    };
    Ok(parts.into_iter().map(split).collect())
}
