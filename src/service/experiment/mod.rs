//! Experiments on agents, as functions from settings to rows.

pub mod openagi;
pub mod travel;
mod travel_data;
mod travel_judge;

pub use travel_judge::Judged;
