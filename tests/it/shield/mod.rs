//! The gate in front of an agent: hooks of hosts, journals, installation.

mod hook;
mod install;
mod journal;
mod lines;
mod live;
mod speed;
