//! Hanoi Omega-Automata, version 1 (Babiak et al., CAV 2015), for machines: written as Spot's tools write
//! strategies, with `controllable-AP`, and read with aliases, implicit labels and a leading verdict line.

mod expression;
mod lexer;
mod reader;
mod writer;

pub use reader::{HoaError, HoaMachine, HoaState, read_hoa};
pub use writer::{HoaHeader, write_counter_strategy, write_mealy};
