//! From files to problems.

pub(crate) mod corpus;
mod diagnostics;
mod division;
mod encodings;
mod facts;
mod fret;
mod loading;
mod meaning;
mod number_games;
mod number_plays;
mod numbers;
mod open_terms;
mod operators;
mod refine;
mod runs;
mod stored;
pub(crate) mod support;
mod time;
pub(crate) mod tlsf;
mod truth_choices;
mod tslmt;
