//! Counter-strategies from HOA: automata that control the inputs of an alphabet.

use super::lexer::HoaError;
use super::machine::HoaMachine;
use rustc_hash::FxHashMap;
use tsl_synth_core::base::{Id, IdVec};
use tsl_synth_core::logic::{Alphabet, AtomId, BitId, Guard, Guards, Letter, Player};
use tsl_synth_core::model::{CounterEdge, CounterState, CounterStrategy, StateId};

impl HoaMachine {
    /// Whether this is a strategy of the environment: `controllable-AP` is present and lists only inputs of the
    /// alphabet; it may be empty only if the alphabet has no inputs.
    pub fn is_counter_over(&self, alphabet: &Alphabet) -> bool {
        let is_input = |name: &String| alphabet.inputs().any(|atom| alphabet.atoms()[atom].name == *name);
        let Some(controlled) = self.controllable.as_deref() else { return false };
        let some = !controlled.is_empty() || alphabet.inputs().next().is_none();
        some && controlled.iter().all(|&i| self.propositions.get(i).is_some_and(is_input))
    }

    /// The first proposition that is not an atom of the alphabet.
    pub fn unknown_over(&self, alphabet: &Alphabet) -> Option<&str> {
        let known = |name: &str| alphabet.atoms().iter().any(|atom| atom.name == name);
        self.propositions.iter().map(String::as_str).find(|name| !known(name))
    }

    /// The counter-strategy over a given alphabet: in every state the labels agree on one input letter. The certifier
    /// checks that the labels without the inputs are disjoint and complete.
    ///
    /// # Errors
    /// If a proposition is not an atom, or the labels of a state do not determine one input letter.
    pub fn counter_over(&self, alphabet: &Alphabet) -> Result<CounterStrategy, HoaError> {
        self.of_reached(|machine| machine.counter_of_all(alphabet))
    }

    fn counter_of_all(&self, alphabet: &Alphabet) -> Result<CounterStrategy, HoaError> {
        let whole = |message: String| HoaError { line: 0, message };
        let find =
            |name: &String| alphabet.atoms().enumerate().find(|(_, a)| a.name == *name).map(|(id, _)| id);
        let mut atoms = Vec::new();
        for name in &self.propositions {
            let unknown = || whole(format!("proposition {name:?} is not an atom of the specification"));
            atoms.push(find(name).ok_or_else(unknown)?);
        }
        let is_input = |bit: BitId| alphabet.player(atoms[bit.index()]) == Player::Environment;
        let inputs: Vec<BitId> = (0..atoms.len()).map(BitId::from_index).filter(|&b| is_input(b)).collect();
        let (mut labels, mut guards) = (self.guards.clone(), Guards::new());
        let mut done: FxHashMap<Guard, Guard> = FxHashMap::default();
        let mut states: IdVec<StateId, CounterState> = IdVec::new();
        for state in &self.states {
            let number = state.number;
            let all = state.edges.iter().fold(Guard::FALSE, |sum, edge| labels.or(sum, edge.0));
            let given = labels.exists(all, &|bit| !is_input(bit));
            let letter = labels.pick(given).unwrap_or_default();
            if given != labels.valuation(inputs.iter().rev().copied(), &letter) {
                return Err(whole(format!("state {number} does not give one input letter")));
            }
            let mut edges = Vec::new();
            for &(label, next) in &state.edges {
                let rest = labels.exists(label, &is_input);
                let guard = over_bits(alphabet, &atoms, (&labels, rest), &mut guards, &mut done);
                edges.push(CounterEdge { guard, next: StateId::from_index(next) });
            }
            let mut input = Letter::new();
            for bit in letter.iter() {
                alphabet.choose(atoms[bit.index()], &mut input);
            }
            states.push(CounterState { input, edges });
        }
        Ok(CounterStrategy { guards, states, initial: StateId::from_index(self.start) })
    }
}

/// A guard over propositions as a guard over bits. The recursion depth is at most the number of propositions.
fn over_bits(
    alphabet: &Alphabet,
    atoms: &[AtomId],
    (labels, label): (&Guards, Guard),
    guards: &mut Guards,
    done: &mut FxHashMap<Guard, Guard>,
) -> Guard {
    let Some((bit, low, high)) = labels.branch(label) else { return label };
    if let Some(&known) = done.get(&label) {
        return known;
    }
    let low = over_bits(alphabet, atoms, (labels, low), guards, done);
    let high = over_bits(alphabet, atoms, (labels, high), guards, done);
    let condition = alphabet.guard(atoms[bit.index()], guards);
    let result = guards.ite(condition, high, low);
    done.insert(label, result);
    result
}
