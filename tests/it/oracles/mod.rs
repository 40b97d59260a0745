//! Oracles behind the binary: models at an address, programs, scripts, a person.

#[cfg(feature = "http")]
mod http;
mod person;
mod program;
#[cfg(feature = "http")]
pub(crate) mod stub;
