//! From files to problems.

mod corpus;
mod meaning;
mod support;
