//! Tests of policies, in one program.

mod mistakes;
mod questions;
mod spellings;
mod vocabularies;
