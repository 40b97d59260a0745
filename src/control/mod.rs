//! Agents at run time: what a model or a person is asked, what they answer, and what a record of it holds.
//!
//! An agent is a formal side, which computes what may come next, and four ports that fill in the content: an evaluator
//! and a generator (two models, or one), a user and the world. All four are an [`Oracle`]; a [`Conversation`] asks them, at
//! most so many times, and reports every exchange to a [`Log`].

pub mod behavior;
mod conversation;
mod oracle;
mod replay;
pub mod plan;
pub mod policy;
mod script;
mod sim;
pub mod story;
pub mod world;

pub use conversation::{Conversation, Exchange, Log, NoLog, Port, StopReason};
pub use oracle::{AnswerKind, NoOracle, Oracle, OracleAnswer, OracleError, OracleRequest};
pub use replay::Replay;
pub use script::{Script, Scripted};
pub use sim::{Sim, SimRates, SimWorld};
