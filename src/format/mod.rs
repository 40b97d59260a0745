//! Text formats of machines, automata and words: text to model and back, with limits.

pub mod aiger;
pub mod atoms;
pub mod cover;
pub mod dot;
pub mod hoa;
pub mod json;
pub mod trace;
