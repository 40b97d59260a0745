//! Machines: extraction from strategies, minimization, simulation, circuits.

mod parallel_composition;
mod circuit;
mod complete;
mod difference;
mod exact;
mod extract;
mod identity;
mod least_change;
mod minimize;
mod moore;
mod quotient;
mod registers;
mod rename;
mod simulate;
mod unfold;
mod tuning;
mod dual;

pub use circuit::{circuit_of_counter, circuit_of_mealy, counter_of_circuit, mealy_of_circuit, simplified};
pub use complete::{Continuation, Deviation, MachineRun, choice, complete};
pub use difference::{Compared, Difference, first_difference};
pub use dual::DualMachine;
pub use exact::smallest_mealy;
pub use extract::{counter_strategy, mealy};
pub use identity::{circuit_id, counter_id, machine_id};
pub use least_change::LeastChange;
pub use minimize::{Mergeable, merge_states};
pub use moore::{moore, moore_circuit};
pub use parallel_composition::{circuits_in_parallel, parallel_composition};
pub use quotient::{quotient_counter, quotient_mealy};
pub use registers::Registers;
pub use rename::{rename_counter, rename_mealy};
pub use simulate::{PlaySoFar, Strategist};
pub use unfold::{Unfolded, UnfoldedNode, Unfolding, Written};
