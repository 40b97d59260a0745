//! Explicit strategies as circuits and back.

mod encode;
mod sweep;
mod unfold;

pub use encode::{circuit_of_counter, circuit_of_mealy};
pub use sweep::simplified;
pub use unfold::{counter_of_circuit, mealy_of_circuit};
pub(super) use unfold::{functions, value};
