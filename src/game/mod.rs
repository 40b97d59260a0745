//! The bounded engine: k-bounded safety games over universal co-Büchi automata, for either player.
//!
//! [`Objective`] says what a player must achieve, [`solve`] plays for one bound. A won game yields a
//! [`Strategy`]; a lost one says nothing about realizability.

mod bounded;
mod diagram;
mod objective;
mod positions;

pub use bounded::{Move, Solution, Strategy, solve};
pub use objective::{Group, Objective, objective};
pub use positions::advance;
