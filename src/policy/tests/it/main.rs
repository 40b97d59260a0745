//! Tests of policies, in one program.

mod spellings;
mod vocabularies;
