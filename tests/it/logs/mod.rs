//! Readers of logs of agents.

mod bench;
mod events;
mod fixtures;
mod hostile;
mod limits;
mod runs;
