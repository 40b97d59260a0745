//! Atoms fixed to constants: by polarity, which does not change the winner, and by choice of the environment, which
//! only makes the game harder for it.

use super::found::WinningStrategy;
use tsl_synth_core::logic::{Alphabet, AtomId, AtomKind, BitId, Formulas, Letter, Player};
use tsl_synth_core::model::{Circuit, Contract, Literal, StrategyRepr};

/// The values of bits that a smaller contract no longer mentions.
#[derive(Clone, Debug, Default)]
pub(super) struct Fixed {
    values: Vec<(BitId, bool)>,
}

impl Fixed {
    /// Fixes every atom that occurs in one polarity only: an input to the value that is worse for the system, a Boolean
    /// output to the better one. The objective is monotone in the atom, so the winner with the atom fixed also wins the
    /// original game. Repeated until nothing changes.
    pub(super) fn by_polarity(
        formulas: &mut Formulas,
        alphabet: &Alphabet,
        contract: &Contract,
    ) -> (Contract, Self) {
        let (mut contract, mut fixed) = (contract.clone(), Self::default());
        loop {
            let Contract { facts, restrictions, assumptions, guarantees } = &contract;
            let premises = facts.iter().chain(assumptions).map(|&f| (f, false));
            let duties = restrictions.iter().chain(guarantees).map(|&f| (f, true));
            let found = formulas.polarities(premises.chain(duties));
            let constant = |atom: AtomId| {
                let (positive, negative) = (found.positive.contains(atom), found.negative.contains(atom));
                match alphabet.atoms()[atom].kind {
                    AtomKind::Input(bit) if positive != negative => Some((bit, negative)),
                    AtomKind::Output(bit) if positive != negative => Some((bit, positive)),
                    _ => None,
                }
            };
            let new: Vec<(BitId, bool)> = alphabet.atoms().ids().filter_map(constant).collect();
            if new.is_empty() {
                return (contract, fixed);
            }
            contract =
                contract.map(|f| formulas.with_constants(f, &|atom| constant(atom).map(|(_, value)| value)));
            fixed.values.extend(new);
        }
    }

    /// Fixes inputs as the environment chooses.
    pub(super) fn by_choice(
        formulas: &mut Formulas,
        alphabet: &Alphabet,
        contract: &Contract,
        choice: &dyn Fn(BitId) -> Option<bool>,
    ) -> (Contract, Self) {
        let value = |atom: AtomId| match alphabet.atoms()[atom].kind {
            AtomKind::Input(bit) => choice(bit),
            _ => None,
        };
        let contract = contract.map(|f| formulas.with_constants(f, &value));
        let bits = alphabet.bits_of(Player::Environment);
        let values = bits.filter_map(|bit| choice(bit).map(|value| (bit, value))).collect();
        (contract, Self { values })
    }

    /// Extends a strategy for the smaller contract to the whole contract.
    pub(super) fn complete(&self, alphabet: &Alphabet, winner: WinningStrategy) -> WinningStrategy {
        match winner {
            WinningStrategy::System(StrategyRepr::Explicit(mut machine)) => {
                for edge in machine.states.iter_mut().flat_map(|state| &mut state.edges) {
                    self.set(alphabet, Player::System, &mut edge.output);
                }
                WinningStrategy::System(StrategyRepr::Explicit(machine))
            }
            WinningStrategy::Environment(StrategyRepr::Explicit(mut machine)) => {
                for state in &mut machine.states {
                    self.set(alphabet, Player::Environment, &mut state.input);
                }
                WinningStrategy::Environment(StrategyRepr::Explicit(machine))
            }
            WinningStrategy::System(StrategyRepr::Circuit(circuit)) => {
                WinningStrategy::System(StrategyRepr::Circuit(self.held(alphabet, Player::System, circuit)))
            }
            WinningStrategy::Environment(StrategyRepr::Circuit(circuit)) => WinningStrategy::Environment(
                StrategyRepr::Circuit(self.held(alphabet, Player::Environment, circuit)),
            ),
        }
    }

    fn of(&self, alphabet: &Alphabet, player: Player) -> impl Iterator<Item = (BitId, bool)> {
        self.values.iter().copied().filter(move |&(bit, _)| alphabet.owner(bit) == player)
    }

    fn set(&self, alphabet: &Alphabet, player: Player, letter: &mut Letter) {
        for (bit, value) in self.of(alphabet, player) {
            if value {
                letter.insert(bit);
            } else {
                letter.remove(bit);
            }
        }
    }

    fn held(&self, alphabet: &Alphabet, player: Player, mut circuit: Circuit) -> Circuit {
        for (bit, value) in self.of(alphabet, player) {
            if let Some(index) = alphabet.bits_of(player).position(|b| b == bit) {
                circuit.outputs[index] = Literal::constant(value);
            }
        }
        circuit
    }
}
