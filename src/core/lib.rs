//! The common ground of all crates of tsl-synth: typed ids, tables, budgets and decision diagrams; texts, spans and
//! diagnostics; formulas, guards and their semantics on lassos; and the types that travel between the stages.
//!
//! This crate is internal to `tsl-synth` and may change in any version.

#![forbid(unsafe_code)]

pub mod base;
pub mod diag;
pub mod json;
pub mod json_text;
pub mod logic;
pub mod model;
pub mod source;
