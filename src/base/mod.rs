//! Typed ids, id-indexed tables and sets, the budget of a computation, a hash, partition refinement,
//! questions to a SAT solver, stores of decision diagrams, exact decimals, and patterns of names.

mod budget;
mod decimal;
mod glob;
mod hash;
mod ids;
mod partition;
mod random;
mod sat;
pub(crate) mod steps;
mod store;

pub use budget::{Budget, Limit, LimitKind, StopFlag};
pub use decimal::{DECIMAL_PLACES, Decimal};
pub use glob::{BadGlob, GLOB_LENGTH, Glob, GlobKind};
pub use hash::sha256;
pub use ids::{Id, IdSet, IdVec};
pub use partition::coarsest_partition;
pub use random::Random;
pub use sat::Sat;
pub use store::{DiagramStore, Done};
