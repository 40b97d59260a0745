//! The integration tests: one binary. `tests/README.md` says what is here and how to run the campaigns.

mod agreement;
mod architecture;
mod automaton;
mod campaign;
mod causes;
mod certify;
mod circuits;
mod delta;
mod cli;
mod delays;
mod emit;
mod explain;
mod gallery;
mod hoa;
mod large_circuits;
mod hoa_automata;
mod machines;
mod monitors;
mod oracle;
mod readme;
mod smallest;
mod spec;
mod support;
mod syntax;
mod trace;
mod unrealizable;
