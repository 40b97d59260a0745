//! Games over programs with integers and rational numbers: fixpoints over regions with acceleration, certificates that
//! the checker verifies step by step.

#![forbid(unsafe_code)]

mod arena;
mod carried;
mod certificate;
mod controller;
mod entries;
mod extrapolation;
mod fixpoint;
mod kept;
mod loop_steps;
mod objective;
mod play;
mod proof;
mod ranking;
mod record;
mod solve;
mod text;

pub use controller::{ControllerNode, ControllerOption, ProgramController, controller};
pub use play::{LostStep, NumberPlay, PlayStep, losing_play};
pub use solve::{Solution, Winner, solve};
pub use text::{ProgramLanguage, read_program};
