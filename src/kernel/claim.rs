//! Claims about strategies.

use tsl_synth_core::logic::{Alphabet, Formulas, Player};
use tsl_synth_core::model::{Circuit, Contract, CounterStrategy, Mealy};

/// A strategy and its kind: a controller, a controller whose outputs do not depend on the inputs of the same step
/// (Moore), or a counter-strategy.
#[derive(Clone, Copy, Debug)]
pub enum StrategyRef<'a> {
    /// A controller.
    Mealy(&'a Mealy),
    /// A controller in which all edges of a state have the same output.
    Moore(&'a Mealy),
    /// A counter-strategy.
    Counter(&'a CounterStrategy),
    /// A controller as a circuit.
    MealyCircuit(&'a Circuit),
    /// A controller as a circuit whose outputs do not depend on the inputs of the same step.
    MooreCircuit(&'a Circuit),
    /// A counter-strategy as a circuit, whose letters do not depend on the outputs of the same step.
    CounterCircuit(&'a Circuit),
}

impl StrategyRef<'_> {
    /// The player whose strategy it is.
    pub fn owner(self) -> Player {
        match self {
            Self::Mealy(_) | Self::Moore(_) | Self::MealyCircuit(_) | Self::MooreCircuit(_) => Player::System,
            Self::Counter(_) | Self::CounterCircuit(_) => Player::Environment,
        }
    }
}

/// The claim that a strategy wins a contract: that a controller keeps it on every play, or that a counter-strategy breaks
/// it on every play and keeps the facts.
#[derive(Clone, Copy, Debug)]
pub struct StrategyClaim<'a> {
    /// The formulas of the contract.
    pub formulas: &'a Formulas,
    /// What its atoms mean.
    pub alphabet: &'a Alphabet,
    /// The contract.
    pub contract: &'a Contract,
    /// The strategy.
    pub strategy: StrategyRef<'a>,
}
