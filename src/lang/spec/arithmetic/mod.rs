//! Linear arithmetic over signals of sort `Int` and `Real`: terms as linear sums, a decision procedure for systems of
//! linear constraints, facts about comparisons, and invariants of counter-strategies.

mod abstraction;
mod concrete;
mod facts;
mod game;
mod preconditions;
mod remembered;
mod plays;
mod strategy;
mod sums;

pub(crate) use abstraction::Numbers;
pub use concrete::{NumberPlay, NumberStep, numbers_of_steps};
pub(crate) use facts::facts;
pub use game::{NumberGame, number_game};
pub use plays::impossible_play;
pub(crate) use preconditions::preconditions;
pub use strategy::{NumberPlan, number_plan};
pub use sums::{
    NumberComparison, NumberSet, compared_numbers, comparison_of, has_numbers, number_set, sum_of,
};
pub use tsl_synth_arithmetic::{LinearAnswer, LinearModel, decide, refutation, satisfies, value};
