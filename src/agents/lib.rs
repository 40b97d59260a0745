//! Agents at run time: the questions to a model or a person, their answers, and the record of both.
//!
//! An agent consists of a formal part, which computes the allowed next steps, and four ports that supply the content:
//! an evaluator and a generator (two models, or one), a user and the world. Each port is an [`Oracle`]; a
//! [`Conversation`] sends a request to its port a bounded number of times and reports every exchange to a [`Log`].

#![forbid(unsafe_code)]

pub mod behavior_spec;
pub mod from_nl;
pub mod plan_grammar;
pub mod prompts;
pub mod syntax_agent;
pub mod syntax_plan;
mod toml_or_json;
pub mod tools;
pub mod wiki;
pub mod behavior_to_automaton;
pub mod behavior;
mod conversation;
mod oracle;
mod replay;
pub mod requirements;
pub mod plan;
mod script;
mod sim;
pub mod story;
pub mod tool_list;
pub mod travel_planner;
mod usage;
pub mod world;

pub use conversation::{Conversation, Exchange, Log, NoLog, Port, StopReason};
pub use oracle::{AnswerKind, NoOracle, Oracle, OracleAnswer, OracleError, OracleRequest, TextGrammar};
pub use replay::Replay;
pub use script::{Script, Scripted};
pub use sim::{Sim, SimRates, SimWorld};
pub use toml_or_json::toml_or_json;
pub use usage::OracleUsage;
