//! The variables of a game and candidates for their order, computed before any diagrams.

use super::order::{VariableGroup, force_order, hubs_first};
use crate::game::colors::{AutomatonId, Color};
use crate::game::compiled::CompiledContract;
use tsl_synth_core::base::{Id, IdVec};
use tsl_synth_core::logic::{Alphabet, BitId};
use tsl_synth_core::model::{DeterministicBuchi, RunStateId};

/// The variables of a game and candidates for their order.
pub(super) struct VariableLayout {
    /// Bits of a letter and of the memory; variables from there on are bits of states.
    pub(super) bits: usize,
    /// The code of each state of each automaton.
    pub(super) codes: IdVec<AutomatonId, Vec<usize>>,
    /// The variables of each automaton's state, least significant bit first.
    pub(super) state: IdVec<AutomatonId, Vec<usize>>,
    /// One or more orders, each with the position of every variable.
    pub(super) orders: Vec<Vec<usize>>,
    /// Whether the order has been sifted.
    pub(super) sifted: bool,
}

impl VariableLayout {
    pub(super) fn new(compiled: &CompiledContract, alphabet: &Alphabet) -> Self {
        let memory = &compiled.memory;
        let bits = alphabet.bit_count() + memory.len();
        let mut next = bits;
        let mut state: IdVec<AutomatonId, Vec<usize>> = IdVec::new();
        let shifts = memory.bits().map(|(bit, next)| [vec![bit], memory.guards().support(next)].concat());
        let mut groups: Vec<VariableGroup> =
            shifts.map(|bits| group(bits.into_iter().map(Id::index).collect())).collect();
        let mut stateless = vec![false; groups.len()];
        let in_conditions: Vec<AutomatonId> = compiled.colors.iter().flat_map(Color::automata).collect();
        let mut codes_of = IdVec::new();
        for (c, automaton) in compiled.automata.enumerate() {
            let codes = state_codes(automaton, !in_conditions.contains(&c));
            let bits: Vec<usize> = (next..next + width(&codes)).collect();
            codes_of.push(codes);
            next += bits.len();
            let mut variables: Vec<usize> = support(automaton).into_iter().map(Id::index).collect();
            variables.extend(&bits);
            stateless.push(bits.is_empty());
            groups.push(group(variables));
            state.push(bits);
        }
        lighten(&mut groups, &stateless, next);
        let mut orders = vec![force_order(next, &groups)];
        let hubs = hubs_first(&orders[0], &groups);
        orders.extend(hubs);
        Self { bits, codes: codes_of, state, orders, sifted: false }
    }
}

/// The code of each state: the initial one first, then in order. The dead state of an automaton that only ever ends a
/// mode needs no code of its own and comes last.
pub(in crate::game) fn state_codes(automaton: &DeterministicBuchi, ends_mode: bool) -> Vec<usize> {
    let last = automaton.dead.filter(|_| ends_mode);
    let mut order: Vec<RunStateId> = automaton.states.ids().collect();
    order.sort_by_key(|&q| (Some(q) == last, q != automaton.initial, q));
    let mut codes = vec![0; order.len()];
    for (i, q) in order.iter().enumerate() {
        codes[q.index()] = i;
    }
    if let Some(dead) = last {
        codes[dead.index()] = 0;
    }
    codes
}

fn width(codes: &[usize]) -> usize {
    let largest = codes.iter().copied().max().unwrap_or(0);
    (usize::BITS - largest.leading_zeros()) as usize
}

/// A group of variables to place close together; the weight falls with the size of the group.
fn group(variables: Vec<usize>) -> VariableGroup {
    let weight = 1.0 / (others(&variables) as f64).sqrt();
    VariableGroup { variables, weight }
}

/// The number of other variables in a group, at least one.
fn others(variables: &[usize]) -> usize {
    variables.len().saturating_sub(1).max(1)
}

/// Lowers the weights of automata without states. There are often very many, one for each pair of outputs, and their
/// conjunction is small in any order; with full weight they would separate the outputs from the states that determine
/// them, and diagrams would grow. The weight falls with the size of the group and with the square of the number of such
/// groups that each of its variables is in.
fn lighten(groups: &mut [VariableGroup], stateless: &[bool], variables: usize) {
    let mut degree = vec![0_u32; variables];
    for (group, _) in groups.iter().zip(stateless).filter(|(_, stateless)| **stateless) {
        group.variables.iter().for_each(|&v| degree[v] += 1);
    }
    for (group, _) in groups.iter_mut().zip(stateless).filter(|(_, stateless)| **stateless) {
        let fewest = f64::from(group.variables.iter().map(|&v| degree[v]).min().unwrap_or(1));
        group.weight = 1.0 / (fewest * fewest * others(&group.variables) as f64);
    }
}

/// The bits that the guards of an automaton mention, in order.
fn support(automaton: &DeterministicBuchi) -> Vec<BitId> {
    let mut bits: Vec<BitId> =
        automaton.states.iter().flatten().flat_map(|e| automaton.guards.support(e.guard)).collect();
    bits.sort_unstable();
    bits.dedup();
    bits
}
