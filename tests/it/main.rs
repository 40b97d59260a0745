//! The integration tests: one binary.

mod automaton;
mod support;
mod syntax;
