//! Causes on traces: the recorded cases, random instances against the definition, and what is said of them.

mod bench;
mod cases;
mod golden;
pub(crate) mod instance;
mod random;
mod systems;
