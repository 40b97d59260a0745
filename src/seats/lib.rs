//! What hosts of agents send and expect: hooks, MCP, logs of sessions, journals. Text in, text out.
//!
//! This crate is internal to `tsl-synth` and may change in any version.

#![forbid(unsafe_code)]

pub mod gate;
pub mod hook;
pub mod journal;
pub mod log;
pub mod mcp;
pub mod packed;
