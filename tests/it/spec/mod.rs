//! From files to problems.

pub(crate) mod corpus;
mod meaning;
mod operators;
mod runs;
mod support;
