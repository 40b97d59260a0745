//! Policies as emitted monitors and queries, compared with `PossibleState::step`, and agents.

mod agents;
mod automata;
mod random;
mod run;
mod sql;
mod speed;

pub(crate) use random::{RandomPolicy, compiled};
