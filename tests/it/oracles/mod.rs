//! Oracles of the binary: models at an address, programs, scripts, a person.

#[cfg(feature = "http")]
mod http;
mod person;
mod program;
pub(crate) mod stub;
#[cfg(feature = "http")]
mod today;
#[cfg(feature = "http")]
mod eval;
#[cfg(feature = "http")]
mod decoding;
