//! Linear arithmetic over integers and rational numbers: decision procedures for systems of linear constraints, which
//! return a model or a proof of unsatisfiability, and operations on unions of polyhedra.
//!
//! - [`decide`]: a solution or a proof of a system with integers, by elimination; complete for small systems;
//! - [`Simplex`]: whether bounds on linear forms have a rational solution, and which of them contradict each other;
//! - [`Space`]: regions, unions of polyhedra, with the operations of sets and the elimination of variables.

#![forbid(unsafe_code)]

mod elimination;
mod prove;
mod simplex;
mod space;

pub use elimination::{LinearAnswer, LinearModel, decide, refutation, satisfies, value};
pub use prove::refute;
pub use simplex::{Bound, Simplex, SimplexAnswer};
pub use space::{Atom, Literal, Polyhedron, Region, Space};
