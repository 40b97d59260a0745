//! Plans under a grammar (Li et al., "Formal-LLM: Integrating formal language and natural language for controllable
//! LLM-based agents", 2024): which words are plans, how many there are, and driving an oracle to one.

mod ambiguity;
mod bounds;
mod completion;
mod drive;
mod forest;
mod look_ahead;
mod parikh;
mod planner;
mod prefix;
mod prompt;
mod rational;
mod reach;
mod simplex;
mod space;
mod tree;

pub use bounds::PlanBounds;
pub use drive::{
    AnsweredRequest, Dead, DriveEnd, DriveOptions, Driven, OnInvalid, PlanDriver, dead_configurations,
};
pub use planner::{Count, MAX_WORDS, PlanStep, Planner, WordReport};
pub use prefix::NextSteps;
pub use space::PlanLength;
pub use tree::PlanNode;
