//! Tests of policies, in one program.

mod questions;
mod spellings;
mod vocabularies;
