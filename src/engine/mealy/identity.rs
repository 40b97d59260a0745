//! The id of a strategy: a hash of its transition table. Equal tables over alphabets with equal names have equal ids,
//! whatever text they were read from; how inputs and outputs are interleaved and how guards are divided into edges does
//! not matter, but the numbering of states does.

use rustc_hash::FxHashMap;
use std::fmt::Write;
use tsl_synth_core::base::{Id, sha256};
use tsl_synth_core::logic::atoms::{AtomGuards, atom_of};
use tsl_synth_core::logic::{Alphabet, AtomId, AtomKind, BitId, Guard, Guards, Letter, Player};
use tsl_synth_core::model::{Circuit, CounterStrategy, Mealy, StateId};

/// How many digits an id has.
const DIGITS: usize = 32;

/// The atoms in the order of the table: inputs, then cell by cell, then Boolean outputs.
fn order(alphabet: &Alphabet) -> Vec<AtomId> {
    let options = alphabet.cells().iter().flat_map(|cell| cell.options.iter().copied());
    alphabet.inputs().chain(options).chain(alphabet.outputs()).collect()
}

fn head(kind: &str, alphabet: &Alphabet, initial: StateId) -> String {
    let mut table = format!("tsl-synth {kind} 2\ninitial {}\n", initial.index());
    for atom in order(alphabet) {
        let atom = &alphabet.atoms()[atom];
        match atom.kind {
            AtomKind::Input(_) => writeln!(table, "input {:?}", atom.name),
            AtomKind::Output(_) => writeln!(table, "output {:?}", atom.name),
            AtomKind::Update(cell, _) => {
                writeln!(table, "update {:?} {:?}", alphabet.cells()[cell].name, atom.name)
            }
        }
        .expect("strings take everything");
    }
    table
}

fn finish(table: &str) -> String {
    let mut hash = sha256(table.as_bytes());
    hash.truncate(DIGITS);
    hash
}

/// The values of one player's atoms in a letter, as digits.
fn values(alphabet: &Alphabet, player: Player, letter: &Letter) -> String {
    let owned = order(alphabet).into_iter().filter(|&atom| alphabet.player(atom) == player);
    owned.map(|atom| if alphabet.holds(atom, letter) { '1' } else { '0' }).collect()
}

/// Guards over atoms, numbered in the order of the table.
struct AtomTables<'a> {
    alphabet: &'a Alphabet,
    atoms: AtomGuards<'a>,
    numbers: Vec<BitId>,
}

impl<'a> AtomTables<'a> {
    fn new(alphabet: &'a Alphabet) -> Self {
        let mut numbers = vec![BitId::from_index(0); alphabet.atoms().len()];
        for (number, atom) in order(alphabet).into_iter().enumerate() {
            numbers[atom.index()] = BitId::from_index(number);
        }
        Self { alphabet, atoms: AtomGuards::new(alphabet), numbers }
    }
    /// The rows of a state: one per label and next state, in order of their text.
    fn rows<L: PartialEq>(
        &mut self,
        edges: impl Iterator<Item = (Guard, L, StateId)>,
        from: &mut Guards,
        text: &dyn Fn(&L) -> String,
    ) -> String {
        let care = self.atoms.care();
        let mut merged: Vec<(Guard, L, StateId)> = Vec::new();
        for (guard, label, next) in edges {
            let guard = self.atoms.import(guard, from);
            match merged.iter_mut().find(|(_, l, n)| *l == label && *n == next) {
                Some(same) => same.0 = self.atoms.guards.or(same.0, guard),
                None => merged.push((guard, label, next)),
            }
        }
        let mut rows = Vec::new();
        for (guard, label, next) in merged {
            let guard = self.significant(guard, care);
            if guard != Guard::FALSE {
                let mut ordered = Guards::new();
                let guard = renumber(&self.atoms.guards, guard, &self.numbers, &mut ordered);
                rows.push(format!("edge {} / {} / {}", diagram(&ordered, guard), text(&label), next.index()));
            }
        }
        rows.sort_unstable();
        rows.join("\n")
    }
    /// A canonical guard with the same letters, where only letters with one update per cell count. If these do not
    /// depend on the updates, neither does the result.
    fn significant(&mut self, guard: Guard, care: Guard) -> Guard {
        let atoms = self.alphabet.atoms();
        let update = |bit: BitId| matches!(atoms[atom_of(bit)].kind, AtomKind::Update(..));
        let guards = &mut self.atoms.guards;
        let letters = guards.and(guard, care);
        let others = guards.exists(letters, &update);
        if guards.and(others, care) == letters { others } else { letters }
    }
}

/// The same set of letters with renumbered variables. Recursion is as deep as there are variables.
fn renumber(from: &Guards, guard: Guard, numbers: &[BitId], into: &mut Guards) -> Guard {
    fn go(
        from: &Guards,
        guard: Guard,
        numbers: &[BitId],
        into: &mut Guards,
        done: &mut FxHashMap<Guard, Guard>,
    ) -> Guard {
        let Some((bit, low, high)) = from.branch(guard) else { return guard };
        if let Some(&known) = done.get(&guard) {
            return known;
        }
        let low = go(from, low, numbers, into, done);
        let high = go(from, high, numbers, into, done);
        let condition = into.bit(numbers[bit.index()]);
        let result = into.ite(condition, high, low);
        done.insert(guard, result);
        result
    }
    go(from, guard, numbers, into, &mut FxHashMap::default())
}

/// A diagram as a list of its nodes, numbered in the order of a depth-first walk.
fn diagram(guards: &Guards, guard: Guard) -> String {
    let mut numbers: FxHashMap<Guard, usize> = [(Guard::FALSE, 0), (Guard::TRUE, 1)].into_iter().collect();
    let mut nodes = Vec::new();
    let mut stack = vec![(guard, false)];
    while let Some((guard, ready)) = stack.pop() {
        let Some((bit, low, high)) = guards.branch(guard) else { continue };
        if numbers.contains_key(&guard) {
            continue;
        }
        if ready {
            numbers.insert(guard, numbers.len());
            nodes.push(format!("{}?{}:{}", bit.index(), numbers[&high], numbers[&low]));
        } else {
            stack.extend([(guard, true), (high, false), (low, false)]);
        }
    }
    format!("{} {}", nodes.join(" "), numbers[&guard])
}

/// The id of a machine of the system. Linear in the size of its guards.
///
/// # Panics
/// If a guard has bits that the alphabet does not have.
pub fn machine_id(alphabet: &Alphabet, mealy: &Mealy) -> String {
    let mut table = head("machine", alphabet, mealy.initial);
    let mut tables = AtomTables::new(alphabet);
    let mut from = mealy.guards.clone();
    for (id, state) in mealy.states.enumerate() {
        let edges =
            state.edges.iter().map(|e| (e.guard, values(alphabet, Player::System, &e.output), e.next));
        let rows = tables.rows(edges, &mut from, &Clone::clone);
        writeln!(table, "state {}\n{rows}", id.index()).expect("strings take everything");
    }
    finish(&table)
}

/// The id of a controller that is a circuit: equal circuits over alphabets with equal names have equal ids. Linear in
/// its size.
pub fn circuit_id(alphabet: &Alphabet, circuit: &Circuit) -> String {
    let mut table = head("circuit", alphabet, StateId::from_index(0));
    for latch in &circuit.latches {
        writeln!(table, "latch {} {}", latch.next.code(), latch.reset).expect("strings take everything");
    }
    for (a, b) in &circuit.gates {
        writeln!(table, "gate {} {}", a.code(), b.code()).expect("strings take everything");
    }
    for output in &circuit.outputs {
        writeln!(table, "output {}", output.code()).expect("strings take everything");
    }
    finish(&table)
}

/// The id of a counter-strategy. Linear in the size of its guards.
///
/// # Panics
/// If a guard has bits that the alphabet does not have.
pub fn counter_id(alphabet: &Alphabet, counter: &CounterStrategy) -> String {
    let mut table = head("counter-strategy", alphabet, counter.initial);
    let mut tables = AtomTables::new(alphabet);
    let mut from = counter.guards.clone();
    for (id, state) in counter.states.enumerate() {
        let letter = values(alphabet, Player::Environment, &state.input);
        let edges = state.edges.iter().map(|e| (e.guard, (), e.next));
        let rows = tables.rows(edges, &mut from, &|()| String::new());
        writeln!(table, "state {} {letter}\n{rows}", id.index()).expect("strings take everything");
    }
    finish(&table)
}
