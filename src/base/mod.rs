//! Typed ids, id-indexed tables and sets, the budget of a computation, a hash, partition refinement,
//! questions to a SAT solver, stores of decision diagrams, exact decimals, and patterns of names.

mod budget;
mod decimal;
pub mod diagrams;
mod glob;
mod hash;
mod ids;
#[cfg(feature = "oxidd")]
mod oxidd_store;
mod partition;
mod random;
mod sat;
mod stack;
pub(crate) mod steps;

pub use budget::{Budget, Limit, LimitKind, StopFlag};
pub use decimal::{DECIMAL_PLACES, Decimal};
pub use diagrams::{Charge, Spent};
#[cfg(not(feature = "oxidd"))]
pub use diagrams::{Diagram, DiagramStore, Replacement};
pub use glob::{BadGlob, GLOB_LENGTH, Glob, GlobKind};
pub use hash::sha256;
pub use ids::{Id, IdSet, IdVec};
#[cfg(feature = "oxidd")]
pub use oxidd_store::{Diagram, DiagramStore, Replacement};
pub use partition::coarsest_partition;
pub use random::Random;
pub use sat::Sat;
pub use stack::{NoResult, on_stack};
