//! Tests of policies, in one program.

mod mistakes;
mod questions;
mod spellings;
mod untold;
mod vocabularies;
