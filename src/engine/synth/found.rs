//! A strategy of either player in either form (explicit or circuit): found by an engine or given to `verify`, and
//! checked by the certifier.

use super::options::CheckMethod;
use crate::game::PositionStrategy;
use crate::mealy::{counter_strategy, mealy, quotient_counter, quotient_mealy};
use tsl_synth_core::logic::{Alphabet, Player};
use tsl_synth_core::model::{Abstraction, Circuit, CounterStrategy, Mealy, StrategyRepr, Verdict};
use tsl_synth_kernel::{Certified, StrategyRef};
use tsl_synth_lang::spec::Target;

/// A controller as the certifier takes it: a machine of the kind `target`.
pub fn controller_ref(controller: &StrategyRepr<Mealy>, target: Target) -> StrategyRef<'_> {
    match (controller, target) {
        (StrategyRepr::Explicit(machine), Target::Mealy) => StrategyRef::Mealy(machine),
        (StrategyRepr::Explicit(machine), Target::Moore) => StrategyRef::Moore(machine),
        (StrategyRepr::Circuit(circuit), Target::Mealy) => StrategyRef::MealyCircuit(circuit),
        (StrategyRepr::Circuit(circuit), Target::Moore) => StrategyRef::MooreCircuit(circuit),
    }
}

/// A strategy that is claimed to win, with its player.
#[derive(Debug)]
pub(super) enum WinningStrategy {
    System(StrategyRepr<Mealy>),
    Environment(StrategyRepr<CounterStrategy>),
}

impl WinningStrategy {
    /// An engine's strategy as a machine.
    pub(super) fn new(player: Player, strategy: &PositionStrategy, alphabet: &Alphabet) -> Self {
        match player {
            Player::System => {
                Self::System(StrategyRepr::Explicit(quotient_mealy(&mealy(strategy, alphabet))))
            }
            Player::Environment => {
                let machine = quotient_counter(&counter_strategy(strategy, alphabet));
                Self::Environment(StrategyRepr::Explicit(machine))
            }
        }
    }

    pub(super) fn circuit(player: Player, circuit: Circuit) -> Self {
        match player {
            Player::System => Self::System(StrategyRepr::Circuit(circuit)),
            Player::Environment => Self::Environment(StrategyRepr::Circuit(circuit)),
        }
    }

    /// The player whose strategy it is.
    pub(super) fn player(&self) -> Player {
        match self {
            Self::System(_) => Player::System,
            Self::Environment(_) => Player::Environment,
        }
    }

    /// The number of states; `None` for a circuit.
    pub(super) fn states(&self) -> Option<usize> {
        match self {
            Self::System(form) => form.as_explicit().map(|machine| machine.states.len()),
            Self::Environment(form) => form.as_explicit().map(|machine| machine.states.len()),
        }
    }

    /// The strategy as the certifier takes it; a controller is a machine of the kind `target`.
    pub(super) fn strategy(&self, target: Target) -> StrategyRef<'_> {
        match self {
            Self::System(controller) => controller_ref(controller, target),
            Self::Environment(StrategyRepr::Explicit(machine)) => StrategyRef::Counter(machine),
            Self::Environment(StrategyRepr::Circuit(circuit)) => StrategyRef::CounterCircuit(circuit),
        }
    }

    /// The method by which it was certified.
    pub(super) fn method(&self, certified: &Certified) -> CheckMethod {
        match self.states() {
            Some(_) if certified.diagram_nodes == 0 => CheckMethod::Products,
            Some(_) => CheckMethod::ProductsAndDiagrams,
            None if certified.monitors > 0 => CheckMethod::Monitors,
            None => CheckMethod::Diagrams,
        }
    }

    /// The verdict; `notion` is the sense in which a counter-strategy shows unrealizability.
    pub(super) fn verdict(self, notion: Abstraction) -> Verdict {
        match self {
            Self::System(controller) => Verdict::Realizable(controller),
            Self::Environment(opponent) => Verdict::Unrealizable(opponent, notion),
        }
    }
}
