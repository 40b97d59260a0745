//! Tests of policies, in one program.

mod gates;
mod giving_way;
mod lints;
mod mistakes;
mod mixed;
mod open_outcomes;
mod questions;
mod spellings;
mod tests_passed;
mod tool_names;
mod untold;
mod vocabularies;
