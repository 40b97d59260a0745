//! Oracles behind the binary: models at an address, programs, scripts, a person.

mod http;
mod person;
mod program;
pub(crate) mod stub;
