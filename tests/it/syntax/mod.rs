//! Reading and printing TSL and LTL.

mod corpus;
mod diagnostics;
mod stress;
mod reading;
