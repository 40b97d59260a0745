//! The engines that solve games.
//!
//! The bounded engine: k-bounded safety games over universal co-Büchi automata, for either player.
//!
//! [`Objective`] is what a player must achieve, [`solve`] solves the game for one bound. A won game yields a
//! [`PositionStrategy`]; a game lost for one bound decides nothing about realizability.
//!
//! The symbolic engine: [`compile_contract`] compiles each conjunct to a deterministic automaton, and
//! [`solve_symbolic`] solves the Emerson-Lei game of their product on decision diagrams. [`conjunct_automaton`] is the
//! explicit product for one conjunct.
//!
//! The explicit engine: [`solve_explicit`] explores the same product forward and solves its Emerson-Lei game as a
//! graph.

mod bounded;
mod colors;
mod compiled;
mod condition;
mod conjunct;
mod determined;
mod diagram;
mod role;
mod explicit;
mod memory;
mod merge;
mod mode;
mod objective;
mod monitors;
mod released;
mod positions;
mod strict;
mod subsets;
mod symbolic;
mod tuning;
mod windows;

pub use bounded::{BoundedSolution, PositionStrategy, StrategyMove, solve};
pub use colors::{AutomatonId, Color, ColorId, ColorPosition, Colors};
pub use compiled::{CompiledContract, CompiledPart, Sharing, compile_contract};
pub use condition::{ColorCondition, ZielonkaNode, ZielonkaTree};
pub use conjunct::conjunct_automaton;
pub use determined::determined_inputs;
pub use explicit::{ExplicitEffort, ExplicitSolution, solve_explicit};
pub use memory::Memory;
pub use monitors::monitored_formula;
pub use objective::{GatedAutomata, Objective, objective};
pub use positions::advance;
pub use role::GameRole;
pub use symbolic::{
    StrategyForm, SymbolicSolution, SymbolicStrategy, solve_symbolic, symbolic_winner,
    symbolic_winner_of_large,
};
pub use tuning::FEW_STATES;
