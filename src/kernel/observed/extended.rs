//! A circuit in parallel with monitors: circuits that follow the runs of automata.

use super::{ObservedAutomaton, undecided};
use rustc_hash::FxHashMap;
use tsl_synth_core::base::{Id, Limit};
use tsl_synth_core::logic::{Alphabet, BitId, Guard, Guards, Player};
use tsl_synth_core::model::{Circuit, CircuitBuilder, Literal};

/// The monitors of a circuit.
#[derive(Default)]
pub(super) struct Monitors {
    /// Their automata.
    pub(super) parts: Vec<ObservedAutomaton>,
}

/// For each latch of the monitors the latch of the circuit (with whether it has the opposite value) or the constant that
/// replaces it, if any does.
pub(super) type Plan = Vec<Option<Replacement>>;

/// What replaces a latch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Replacement {
    /// This latch of the circuit, negated or not.
    Latch(usize, bool),
    /// A constant.
    Constant(bool),
}

/// Checks that the initial state has code 0, and that only the dead state may share its code with another one.
pub(super) fn check_codes(part: &ObservedAutomaton) -> Result<(), Limit> {
    let ObservedAutomaton { automaton, codes } = part;
    let mut used: FxHashMap<usize, usize> = FxHashMap::default();
    for (q, &code) in automaton.states.ids().zip(codes) {
        if Some(q) != automaton.dead && used.insert(code, q.index()).is_some() {
            return Err(undecided("two states of an automaton have the same code"));
        }
    }
    let complete = codes.len() == automaton.states.len();
    if !complete || codes[automaton.initial.index()] != 0 || automaton.dead == Some(automaton.initial) {
        return Err(undecided("an automaton without a code for each state, 0 for the initial one"));
    }
    Ok(())
}

/// Whether the dead state has the code of another state.
pub(super) fn shares_code(part: &ObservedAutomaton) -> bool {
    let dead = part.automaton.dead;
    let is_code_of_dead =
        |q: usize| dead.is_some_and(|dead| q != dead.index() && part.codes[q] == part.codes[dead.index()]);
    (0..part.codes.len()).any(is_code_of_dead)
}

/// The number of latches of a monitor.
pub(super) fn width(part: &ObservedAutomaton) -> usize {
    let largest = part.codes.iter().copied().max().unwrap_or(0);
    (usize::BITS - largest.leading_zeros()) as usize
}

impl Monitors {
    /// The number of latches of all monitors.
    pub(super) fn latches(&self) -> usize {
        self.parts.iter().map(width).sum()
    }

    /// The circuit with the signals of each monitor (alive, accepting) as further outputs. Latches of monitors are replaced
    /// as the plan says, which is right only if they always have the same value.
    pub(super) fn extended(
        &self,
        alphabet: &Alphabet,
        owner: Player,
        circuit: &Circuit,
        plan: &Plan,
    ) -> Circuit {
        self.built(alphabet, owner, circuit, plan, false)
    }

    /// The circuit and its monitors without their signals. For every latch of a monitor there is a latch with its next
    /// value, in order behind those of the circuit, although the others may read what replaces it.
    pub(super) fn with_all_latches(
        &self,
        alphabet: &Alphabet,
        owner: Player,
        circuit: &Circuit,
        plan: &Plan,
    ) -> Circuit {
        self.built(alphabet, owner, circuit, plan, true)
    }

    fn built(
        &self,
        alphabet: &Alphabet,
        owner: Player,
        circuit: &Circuit,
        plan: &Plan,
        keep_all: bool,
    ) -> Circuit {
        let mut builder = CircuitBuilder::new(circuit.inputs);
        let inputs: Vec<Literal> = (0..circuit.inputs).map(|i| builder.input(i)).collect();
        let latches = builder.import_latches(circuit);
        let outputs = builder.import_gates(circuit, &inputs, &latches);
        for &output in &outputs {
            builder.add_output(output);
        }
        let mut letter: FxHashMap<BitId, Literal> = FxHashMap::default();
        letter.extend(alphabet.bits_of(owner).zip(outputs));
        letter.extend(alphabet.bits_of(owner.opponent()).zip(inputs));
        canonical(alphabet, &mut builder, &mut letter);
        let mut plan = plan.iter();
        let mut kept = Vec::new();
        for part in &self.parts {
            let replaced: Vec<Option<Replacement>> =
                (0..width(part)).map(|_| *plan.next().expect("the plan has all latches")).collect();
            let mut own = Vec::new();
            let mut state = Vec::new();
            for replacement in replaced {
                let latch = builder.add_latch(false);
                own.push(latch);
                state.push(match replacement {
                    None => latch,
                    Some(Replacement::Latch(i, negated)) => latches[i].negated_if(negated),
                    Some(Replacement::Constant(value)) => Literal::constant(value),
                });
            }
            let step = step(&mut builder, part, &letter, &state);
            for (latch, next) in own.iter().zip(step.next) {
                builder.set_next(*latch, next);
            }
            if !keep_all {
                builder.add_output(step.alive);
                builder.add_output(step.accepting);
            }
            kept.extend(own);
        }
        if keep_all {
            latches.into_iter().chain(kept).for_each(|latch| builder.add_output(latch));
        }
        builder.finish()
    }
}

/// Replaces the bits of each cell by those of its canonical code: a code past the last option means the last option.
fn canonical(alphabet: &Alphabet, builder: &mut CircuitBuilder, letter: &mut FxHashMap<BitId, Literal>) {
    for cell in alphabet.cells() {
        let last = cell.options.len() - 1;
        // code > last, compared from the least significant bit: on equal bits the result for the lower bits decides.
        let mut above = Literal::FALSE;
        for (i, bit) in cell.bits.iter().enumerate() {
            let value = letter[bit];
            above = if last >> i & 1 == 1 { builder.and(value, above) } else { builder.or(value, above) };
        }
        for (i, bit) in cell.bits.iter().enumerate() {
            let chosen = builder.mux(above, Literal::constant(last >> i & 1 == 1), letter[bit]);
            letter.insert(*bit, chosen);
        }
    }
}

/// One step of a monitor.
struct MonitorStep {
    /// The next code.
    next: Vec<Literal>,
    /// Whether it has not died in this step. (What it says after its death means nothing if the dead state shares its code.)
    alive: Literal,
    accepting: Literal,
}

fn step(
    builder: &mut CircuitBuilder,
    part: &ObservedAutomaton,
    letter: &FxHashMap<BitId, Literal>,
    state: &[Literal],
) -> MonitorStep {
    let ObservedAutomaton { automaton, codes } = part;
    let shares = shares_code(part);
    let mut made: FxHashMap<Guard, Literal> = FxHashMap::default();
    made.insert(Guard::FALSE, Literal::FALSE);
    made.insert(Guard::TRUE, Literal::TRUE);
    let mut next: Vec<Vec<Literal>> = vec![Vec::new(); state.len()];
    let (mut dying, mut accepting) = (Vec::new(), Vec::new());
    for (q, edges) in automaton.states.enumerate() {
        if shares && Some(q) == automaton.dead {
            continue;
        }
        let code = codes[q.index()];
        let here = builder.and_all(
            state.iter().enumerate().map(|(i, bit)| bit.negated_if(code >> i & 1 == 0)).collect::<Vec<_>>(),
        );
        for edge in edges {
            let guard = literal(builder, &automaton.guards, edge.guard, letter, &mut made);
            let taken = builder.and(here, guard);
            let to = codes[edge.next.index()];
            for (_, when) in next.iter_mut().enumerate().filter(|&(i, _)| to >> i & 1 == 1) {
                when.push(taken);
            }
            if Some(edge.next) == automaton.dead {
                dying.push(taken);
            }
            if edge.accepting {
                accepting.push(taken);
            }
        }
    }
    let alive = !builder.or_all(dying);
    let accepting = builder.or_all(accepting);
    let next = next.into_iter().map(|when| builder.or_all(when)).collect();
    MonitorStep { next, alive, accepting }
}

/// A literal that is true iff the guard contains the letter. Recursion is as deep as there are bits in the guard.
fn literal(
    builder: &mut CircuitBuilder,
    guards: &Guards,
    guard: Guard,
    letter: &FxHashMap<BitId, Literal>,
    made: &mut FxHashMap<Guard, Literal>,
) -> Literal {
    if let Some(&known) = made.get(&guard) {
        return known;
    }
    let (bit, low, high) = guards.branch(guard).expect("the constants are there from the start");
    let low = literal(builder, guards, low, letter, made);
    let high = literal(builder, guards, high, letter, made);
    let result = builder.mux(letter[&bit], high, low);
    made.insert(guard, result);
    result
}
