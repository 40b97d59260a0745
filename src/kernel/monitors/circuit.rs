//! A circuit in parallel with monitors: circuits that follow the runs of automata.

use super::{MonitorAutomaton, undecided};
use crate::trusted::symbolic::{guard_literal, has_code};
use rustc_hash::FxHashMap;
use tsl_synth_core::base::{Id, Limit};
use tsl_synth_core::logic::{Alphabet, BitId, Guard, Player};
use tsl_synth_core::model::{Circuit, CircuitBuilder, Literal};

/// A circuit and its monitors.
pub(super) struct Monitors<'a> {
    /// The alphabet of the circuit's letters.
    pub(super) alphabet: &'a Alphabet,
    /// The player whose strategy the circuit is.
    pub(super) owner: Player,
    /// The circuit.
    pub(super) circuit: &'a Circuit,
    /// The automata of the monitors.
    pub(super) parts: Vec<MonitorAutomaton>,
}

/// The outputs of a circuit in parallel with its monitors, behind its own.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum MonitorOutputs {
    /// The signals of each monitor: alive, accepting.
    Signals,
    /// All latches, those of the circuit first, then those of the monitors, also where another one replaces them. So none
    /// of them is left out.
    Latches,
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
pub(super) fn check_codes(part: &MonitorAutomaton) -> Result<(), Limit> {
    let MonitorAutomaton { automaton, codes } = part;
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
pub(super) fn shares_code(part: &MonitorAutomaton) -> bool {
    let dead = part.automaton.dead;
    let is_code_of_dead =
        |q: usize| dead.is_some_and(|dead| q != dead.index() && part.codes[q] == part.codes[dead.index()]);
    (0..part.codes.len()).any(is_code_of_dead)
}

/// The number of latches of a monitor.
pub(super) fn width(part: &MonitorAutomaton) -> usize {
    let largest = part.codes.iter().copied().max().unwrap_or(0);
    (usize::BITS - largest.leading_zeros()) as usize
}

impl Monitors<'_> {
    /// The number of latches of all monitors.
    pub(super) fn latches(&self) -> usize {
        self.parts.iter().map(width).sum()
    }

    /// The circuit in parallel with its monitors. Latches of monitors are replaced as the plan says, which is right only if
    /// they always have the same value.
    pub(super) fn parallel(&self, plan: &Plan, outputs_behind: MonitorOutputs) -> Circuit {
        let &Self { alphabet, owner, circuit, .. } = self;
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
            if outputs_behind == MonitorOutputs::Signals {
                builder.add_output(step.alive);
                builder.add_output(step.accepting);
            }
            kept.extend(own);
        }
        if outputs_behind == MonitorOutputs::Latches {
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
    part: &MonitorAutomaton,
    letter: &FxHashMap<BitId, Literal>,
    state: &[Literal],
) -> MonitorStep {
    let MonitorAutomaton { automaton, codes } = part;
    let shares = shares_code(part);
    let mut made: FxHashMap<Guard, Literal> = FxHashMap::default();
    let mut next: Vec<Vec<Literal>> = vec![Vec::new(); state.len()];
    let (mut dying, mut accepting) = (Vec::new(), Vec::new());
    for (q, edges) in automaton.states.enumerate() {
        if shares && Some(q) == automaton.dead {
            continue;
        }
        let here = has_code(builder, state, codes[q.index()]);
        for edge in edges {
            let guard = guard_literal(builder, &automaton.guards, edge.guard, letter, &mut made);
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
