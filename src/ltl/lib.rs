//! The reader of LTL and what all readers of formulas share: words, operators with their precedence, spellings.
//!
//! This crate is internal to `tsl-synth` and may change in any version.

#![forbid(unsafe_code)]

pub mod shunting_yard;
pub mod signs;
pub mod data;
pub mod ltl;
pub mod operators;
pub mod scan;
pub mod spelling;
pub mod word;
pub mod word_formula;
