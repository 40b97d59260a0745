//! The critic: edits of laws in texts, what is admitted and why not, and laws mined from runs.

mod admission;
mod cli;
mod mining;
mod text;
