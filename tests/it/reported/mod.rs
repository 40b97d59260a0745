//! Faults that were found by inputs of other people, each as a whole kind.

mod changes;
mod commands;
mod explanations;
mod host_sessions;
mod hosts;
mod idioms;
mod inputs;
mod language;
mod machines;
mod notations;
mod plays;
mod open_results;
mod policies;
mod seats;
mod shell;
mod sizes;
