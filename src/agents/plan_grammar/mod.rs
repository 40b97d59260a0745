//! Grammars of plans with their names resolved, and the laws that their plans have to satisfy.

mod directives;
mod grammar;
mod health;
mod law;
mod resolve;

pub use grammar::{
    ControlId, ControlState, Nonterminal, NonterminalId, Order, PlanGrammar, PlanRule, PlanRuleId,
    StackSymbol, StepGroup, Subset, Terminal, TerminalId,
};
pub use law::{law_of_ltl, law_of_tsl};
pub use resolve::resolve_cfg;
