//! The specification languages TSL, TLSF and LTL: from text to a problem, and back.
//!
//! This crate is internal to `tsl-synth` and may change in any version.

#![forbid(unsafe_code)]

pub mod spec;
pub mod syntax;
