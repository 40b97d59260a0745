//! Hanoi Omega-Automata, version 1 (Babiak et al., CAV 2015). Machines are written as Spot's tools write
//! strategies, with `controllable-AP`, and read with a leading verdict line; automata of any acceptance are
//! read, with aliases, implicit labels, acceptance on states or edges, and written.

mod acceptance;
mod automaton;
mod counter;
mod emerson_lei;
mod expression;
mod lexer;
mod machine;
mod open;
mod parity;
mod reader;
mod writer;

pub use automaton::{HoaAutomaton, read_automaton};
pub use emerson_lei::write_emerson_lei;
pub(super) use emerson_lei::{AtomLabels, condition as acceptance_condition, sets as acceptance_sets};
pub use lexer::HoaError;
pub use machine::{HoaMachine, HoaState, read_hoa};
pub use parity::write_parity;
pub(super) use parity::{propositions as parity_propositions, sum as parity_sum};
pub use writer::{HoaHeader, write_counter_strategy, write_mealy};
