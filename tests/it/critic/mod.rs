//! The critic: edits of laws in texts, admission and refusal of edits, and laws mined from runs.

mod admission;
mod cli;
mod mining;
mod text;
