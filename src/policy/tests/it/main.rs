//! Tests of policies, in one program.

mod environment;
mod scripts;
mod spellings;
mod values;
mod vocabularies;
