//! Monitors of policies as code and as queries, held to the reference: `World::step`.

mod adapters;
mod agents;
mod automata;
mod expressions;
mod gate_runs;
mod gate_speed;
mod gates;
mod random;
mod run;
mod sql;
mod speed;

pub(crate) use random::{RandomPolicy, compiled};
