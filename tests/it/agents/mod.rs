//! Agents: plans under a grammar.

mod plan;
