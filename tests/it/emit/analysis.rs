//! The inputs on which a machine depends and its distinct reactions, computed from its edges alone.

use super::examples::Example;
use std::collections::BTreeSet;
use tsl_synth_core::logic::{Alphabet, AtomId, AtomKind, Guard, Letter, Player};
use tsl_synth_core::model::{Circuit, Literal, Mealy, MealyEdge, StateId};
use tsl_synth_lang::spec::{Problem, SymbolId, Term, TermId};

/// The first edge with the same output and next state: edges that differ only in their guards are one reaction.
pub(crate) fn representative(mealy: &Mealy, state: StateId, edge: usize) -> usize {
    let edges = &mealy.states[state].edges;
    let same = |e: &MealyEdge| e.next == edges[edge].next && e.output == edges[edge].output;
    edges.iter().position(same).expect("an edge is like itself")
}

/// The distinct reactions of a state: one edge for each pair of output and next state.
pub(crate) fn leaves(mealy: &Mealy, state: StateId) -> Vec<usize> {
    let all = 0..mealy.states[state].edges.len();
    all.filter(|&i| representative(mealy, state, i) == i).collect()
}

pub(crate) fn symbols(
    problem: &Problem,
    term: TermId,
    signals: &mut BTreeSet<SymbolId>,
    methods: &mut BTreeSet<SymbolId>,
) {
    match problem.signature.terms.get(term) {
        Term::Signal(symbol) => {
            signals.insert(*symbol);
        }
        Term::Literal(_) => {}
        Term::Apply(symbol, arguments) => {
            methods.insert(*symbol);
            arguments.iter().for_each(|&a| symbols(problem, a, signals, methods));
        }
        Term::Operation(_, a, b) => {
            symbols(problem, *a, signals, methods);
            symbols(problem, *b, signals, methods);
        }
    }
}

/// The inputs of a circuit that it uses.
fn read_by(alphabet: &Alphabet, circuit: &Circuit) -> Letter {
    let gates = circuit.gates.iter().flat_map(|&(a, b)| [a, b]);
    let nexts = circuit.latches.iter().map(|latch| latch.next);
    let used: BTreeSet<usize> =
        gates.chain(nexts).chain(circuit.outputs.iter().copied()).map(Literal::variable).collect();
    let bits = alphabet.bits_of(Player::Environment).enumerate();
    bits.filter(|(i, _)| used.contains(&circuit.input(*i).variable())).map(|(_, bit)| bit).collect()
}

/// The input atoms on which the machine, or the circuit that encodes it, or a monitor depends.
pub(crate) fn tested(example: &Example, circuit: Option<&Circuit>) -> BTreeSet<AtomId> {
    let alphabet = &example.problem.alphabet;
    let mut bits = circuit.map_or_else(Letter::new, |circuit| read_by(alphabet, circuit));
    let mealy = &example.mealy;
    let mut guards = mealy.guards.clone();
    for state in mealy.states.iter().filter(|_| circuit.is_none()) {
        for a in &state.edges {
            let mut same = Guard::FALSE;
            for b in state.edges.iter().filter(|b| b.next == a.next && b.output == a.output) {
                same = guards.or(same, b.guard);
            }
            bits.extend(guards.support(same));
        }
    }
    for watched in &example.monitors {
        let monitor = &watched.monitor;
        let mut guards = monitor.guards.clone();
        for state in monitor.states.iter().filter(|s| !s.dead) {
            let mut dead = Guard::FALSE;
            for e in &state.edges {
                if monitor.states[e.next].dead {
                    dead = guards.or(dead, e.guard);
                } else {
                    bits.extend(guards.support(e.guard));
                }
            }
            let alive = guards.not(dead);
            let avoidable = guards.exists(alive, &|bit| alphabet.owner(bit) == Player::System);
            let given_up = guards.and(dead, avoidable);
            bits.extend(guards.support(avoidable));
            bits.extend(guards.support(given_up));
        }
    }
    let is =
        |atom: &AtomId| matches!(alphabet.atoms()[*atom].kind, AtomKind::Input(bit) if bits.contains(bit));
    alphabet.inputs().filter(is).collect()
}
