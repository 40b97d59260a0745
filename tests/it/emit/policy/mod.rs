//! Policies as emitted monitors, queries and gates, compared with `PossibleState::step` and `shield`.

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
