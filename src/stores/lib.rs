//! Homes of sessions in files: locked journals with checksums, and a cache of solved games beside them.
//!
//! This is the only library crate with side effects: it reads and writes files, sleeps, reads the clock and runs the
//! commands of probes. It is internal to `tsl-synth` and may change in any version.

#![forbid(unsafe_code)]

mod compiled;
#[cfg(test)]
mod concurrent;
mod disk;
mod error;
mod files;
mod journal;
#[cfg(test)]
mod kept;
mod old;
mod probes;
mod scripts;
mod store;
mod surroundings;
#[cfg(test)]
mod tests;

pub use compiled::Compiled;
pub use disk::{DiskJournals, LOCK_WAIT};
pub use error::StoreError;
pub use files::{FileStore, memory, now, policy_from_file};
pub use journal::{Journal, JournalMark};
pub use old::{Effort, Removed};
pub use probes::ProcessProbes;
pub use scripts::DiskScripts;
pub use store::JournalStore;
pub use surroundings::{surroundings, surroundings_in};
