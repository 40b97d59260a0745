//! Agents: plans under a grammar.

mod plan;
mod plan_diagnostics;
mod plan_random;
mod plan_tables;
