//! Reading and printing TSL and LTL.

pub(crate) mod corpus;
mod diagnostics;
mod stress;
mod reading;
