//! Readers of logs of agents.

mod events;
mod fixtures;
