//! The dual game, with the players exchanged: a counter-strategy as a machine whose inputs are the moves of the system.
//!
//! Every atom keeps its number and gets a bit of its own, so that formulas keep their meaning on words of either
//! alphabet. An update of a cell becomes an input, too: if several updates of a cell are true, the first counts, and if
//! none is, the cell keeps its value (or takes its first option, if no option keeps the value). So every letter is a
//! move, and changing one input gives another move or the same one.

use rustc_hash::FxHashMap;
use tsl_synth_core::base::{Id, IdVec};
use tsl_synth_core::logic::{Alphabet, AtomId, AtomKind, BitId, Cell, Guard, Guards, Lasso, Letter, Player};
use tsl_synth_core::model::{CounterStrategy, Mealy, MealyEdge, MealyState};

/// A counter-strategy as a machine of the dual game.
#[derive(Clone, Debug)]
pub struct DualMachine {
    /// The same atoms: those of the system are inputs, those of the environment are Boolean outputs.
    pub alphabet: Alphabet,
    /// The counter-strategy as a machine over them; with the same states.
    pub machine: Mealy,
}

impl DualMachine {
    /// The dual of a counter-strategy over `alphabet`. Linear in the nodes of its guards times the options of cells.
    pub fn new(alphabet: &Alphabet, counter: &CounterStrategy) -> Self {
        let mut dual = Alphabet::new();
        for (id, atom) in alphabet.atoms().enumerate() {
            let name = atom.name.as_str();
            let same = match alphabet.player(id) {
                Player::Environment => dual.add_output(name),
                Player::System => dual.add_input(name),
            };
            debug_assert_eq!(same, id);
        }
        alphabet.encoded().iter().for_each(|signal| dual.add_encoded(signal.clone()));
        let mut guards = Guards::new();
        let meaning = meanings(alphabet, &mut guards);
        let mut known = FxHashMap::default();
        let mut states = IdVec::new();
        for state in &counter.states {
            let output: Letter =
                alphabet.inputs().filter(|&atom| alphabet.holds(atom, &state.input)).map(bit_of).collect();
            let edges = state.edges.iter().map(|edge| {
                let guard = image(&counter.guards, edge.guard, &mut guards, &meaning, &mut known);
                MealyEdge { guard, output: output.clone(), next: edge.next }
            });
            states.push(MealyState { edges: edges.filter(|edge| edge.guard != Guard::FALSE).collect() });
        }
        Self { alphabet: dual, machine: Mealy { guards, states, initial: counter.initial } }
    }

    /// A word over the counter-strategy's `alphabet` as a word over the new one.
    pub fn word(alphabet: &Alphabet, word: &Lasso) -> Lasso {
        let letter = |letter: &Letter| {
            alphabet.atoms().ids().filter(|&atom| alphabet.holds(atom, letter)).map(bit_of).collect()
        };
        Lasso {
            prefix: word.prefix.iter().map(letter).collect(),
            cycle: word.cycle.iter().map(letter).collect(),
        }
    }
}

/// The bit that an atom gets.
fn bit_of(atom: AtomId) -> BitId {
    BitId::from_index(atom.index())
}

/// Each bit of the system as a guard over the new inputs.
fn meanings(alphabet: &Alphabet, guards: &mut Guards) -> FxHashMap<BitId, Guard> {
    let mut meaning = FxHashMap::default();
    for output in alphabet.outputs() {
        if let AtomKind::Output(bit) = alphabet.atoms()[output].kind {
            meaning.insert(bit, guards.bit(bit_of(output)));
        }
    }
    for cell in alphabet.cells() {
        let mut codes = vec![Guard::FALSE; cell.bits.len()];
        let mut choose = |guards: &mut Guards, index: usize, when: Guard| {
            for (_, code) in codes.iter_mut().enumerate().filter(|(i, _)| index >> i & 1 == 1) {
                *code = guards.or(*code, when);
            }
        };
        let kept = kept(alphabet, cell);
        let mut none = Guard::TRUE;
        for (index, &option) in cell.options.iter().enumerate().filter(|&(index, _)| index != kept) {
            let given = guards.bit(bit_of(option));
            let first = guards.and(none, given);
            choose(guards, index, first);
            none = guards.minus(none, given);
        }
        choose(guards, kept, none);
        meaning.extend(cell.bits.iter().copied().zip(codes));
    }
    meaning
}

/// The option that keeps a cell's value; the first if there is none.
fn kept(alphabet: &Alphabet, cell: &Cell) -> usize {
    let keeps = |&option: &AtomId| alphabet.update_term(option) == Some(cell.name.as_str());
    cell.options.iter().position(keeps).unwrap_or(0)
}

/// The guard with `meaning` substituted for its bits.
fn image(
    from: &Guards,
    guard: Guard,
    guards: &mut Guards,
    meaning: &FxHashMap<BitId, Guard>,
    known: &mut FxHashMap<Guard, Guard>,
) -> Guard {
    let mut stack = vec![guard];
    while let Some(&top) = stack.last() {
        if known.contains_key(&top) {
            stack.pop();
            continue;
        }
        let Some((bit, low, high)) = from.branch(top) else {
            known.insert(top, top);
            continue;
        };
        match (known.get(&low), known.get(&high)) {
            (Some(&low), Some(&high)) => {
                let condition = meaning.get(&bit).copied().unwrap_or(Guard::FALSE);
                let result = guards.ite(condition, high, low);
                known.insert(top, result);
            }
            _ => stack.extend([low, high]),
        }
    }
    known[&guard]
}

#[cfg(test)]
mod tests {
    use super::*;
    use tsl_synth_core::model::{CounterEdge, CounterState, StateId};

    /// Gives `a` after `[x <- f()]`, and not after the other two updates.
    #[test]
    fn moves_lead_to_the_same_answers() {
        let mut alphabet = Alphabet::new();
        let a = alphabet.add_input("a");
        let go = alphabet.add_output("go");
        let cell = alphabet.add_cell("x", ["[x <- f()]", "[x <- g()]", "[x <- x]"]);
        let options = alphabet.cells()[cell].options.clone();
        let mut guards = Guards::new();
        let f = alphabet.guard(options[0], &mut guards);
        let going = alphabet.guard(go, &mut guards);
        let yes = guards.and(f, going);
        let no = guards.not(yes);
        let mut input = Letter::new();
        alphabet.choose(a, &mut input);
        let edges = |_: usize| {
            vec![
                CounterEdge { guard: no, next: StateId::from_index(0) },
                CounterEdge { guard: yes, next: StateId::from_index(1) },
            ]
        };
        let states =
            [CounterState { input: Letter::new(), edges: edges(0) }, CounterState { input, edges: edges(1) }];
        let counter =
            CounterStrategy { guards, states: states.into_iter().collect(), initial: StateId::from_index(0) };
        let dual = DualMachine::new(&alphabet, &counter);
        for (given, answered) in [
            (&["go", "[x <- f()]"][..], true),
            (&["go", "[x <- f()]", "[x <- g()]"], true),
            (&["go", "[x <- g()]"], false),
            (&["go"], false),
            (&["[x <- f()]"], false),
        ] {
            let atoms = dual.alphabet.atoms();
            let letter: Letter = atoms
                .enumerate()
                .filter(|(_, atom)| given.contains(&atom.name.as_str()))
                .map(|(id, _)| bit_of(id))
                .collect();
            let edge = dual.machine.edge(dual.machine.initial, &letter).expect("every letter is a move");
            assert_eq!(edge.next.index() == 1, answered, "{given:?}");
            assert!(edge.output.is_empty());
            let then = &dual.machine.states[edge.next].edges[0];
            assert_eq!(dual.alphabet.holds(a, &then.output), answered, "{given:?}");
        }
    }
}
