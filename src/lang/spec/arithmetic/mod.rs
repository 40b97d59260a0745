//! Arithmetic over declared numbers (`Int`, `Real`): linear sums, systems of linear constraints, and facts about
//! comparisons.

mod abstraction;
mod concrete;
mod facts;
mod preconditions;
mod plays;
mod solver;
mod strategy;
mod sums;

pub(crate) use abstraction::Numbers;
pub use concrete::{NumberPlay, NumberStep, numbers_of_steps};
pub(crate) use facts::facts;
pub use plays::impossible_play;
pub(crate) use preconditions::preconditions;
pub use solver::{LinearAnswer, LinearModel, decide, refutation, satisfies, value};
pub use strategy::{NumberPlan, number_plan};
pub(crate) use sums::has_numbers;
pub use sums::{NumberComparison, NumberSet, compared_numbers, comparison_of, number_set, sum_of};
