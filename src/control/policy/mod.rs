//! Policies at run time: events become letters, laws are monitored, and decisions are made.

mod compiled;

pub use compiled::CompiledPolicy;
