//! Why an effect happened on a trace: temporal causes.
//!
//! For a trace π of a system and an effect E, input sequences are compared with the inputs of π cell by cell, where a
//! cell is an input at a step: ρ ≤ σ if every cell that ρ changes is changed by σ. The cause is the set of input
//! sequences σ such that no ρ ≤ σ breaks the effect; it is the strongest property whose absence would have undone the
//! effect (Finkbeiner, Frenkel, Metzger and Siber, *Synthesis of temporal causality*, CAV 2024).
//!
//! The system is any Büchi automaton: a sequence breaks the effect if the system has a play on it without the effect,
//! so a sequence without a play breaks nothing; if the system has a play without the effect on the inputs of π itself,
//! there is no cause.

mod absence;
mod again;
mod answer;
mod closed;
mod contingency;
mod determinate;
mod events;
mod exact;
mod finder;
mod flips;
pub mod hypothesis;
mod inclusion;
mod nearest;
mod play;
mod question;
mod recurring;
mod counterfactuals;
mod verbalize;
mod templates;
mod timeline;

pub use absence::ruled_out;
pub use answer::{CauseAnswer, CauseEffort, Explained};
pub use closed::{Closed, closed};
pub use contingency::contingent_plays;
pub use counterfactuals::FlipOrder;
pub use exact::{ExactCause, formula_of};
pub use finder::CauseFinder;
pub use inclusion::Spoiled;
pub use play::{Letters, accepts, play_with, stuck_at};
pub use question::{CauseQuestion, plays, shortest_lasso};
pub use timeline::timeline;
pub use verbalize::{
    StepComparison, absence, again_text, alternative_text, compare, event_text, input_name, recurring_text,
    sentence, steps_text,
};
