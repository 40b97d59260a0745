//! The engines: games from formulas, their solvers, the machines that strategies become, and `synthesize`, which
//! combines answers to a certified verdict.
//!
//! This crate is internal to `tsl-synth` and may change in any version.

#![forbid(unsafe_code)]

pub mod game;
pub mod mealy;
pub mod synth;
