//! Why a store cannot be used.

use std::fmt;
use tsl_synth_seats::journal::JournalFault;

/// Why a store cannot be used: what was tried and the cause, in one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreError(String);

impl StoreError {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for StoreError {}

impl From<std::io::Error> for StoreError {
    fn from(error: std::io::Error) -> Self {
        Self(error.to_string())
    }
}

impl From<JournalFault> for StoreError {
    fn from(fault: JournalFault) -> Self {
        Self(fault.to_string())
    }
}

impl From<std::num::TryFromIntError> for StoreError {
    fn from(error: std::num::TryFromIntError) -> Self {
        Self(error.to_string())
    }
}

/// Says what was tried when it failed.
pub(crate) trait Tried<T> {
    fn tried(self, what: impl FnOnce() -> String) -> Result<T, StoreError>;
}

impl<T, E: fmt::Display> Tried<T> for Result<T, E> {
    fn tried(self, what: impl FnOnce() -> String) -> Result<T, StoreError> {
        self.map_err(|error| StoreError(format!("{}: {error}", what())))
    }
}

impl<T> Tried<T> for Option<T> {
    fn tried(self, what: impl FnOnce() -> String) -> Result<T, StoreError> {
        self.ok_or_else(|| StoreError(what()))
    }
}
