//! Causes on traces: the recorded cases, random instances compared with the definition, and printed explanations.

mod bench;
mod cases;
mod golden;
pub(crate) mod instance;
mod random;
mod systems;
