//! Typed ids, id-indexed tables and sets, the budget of a computation, a hash, and partition refinement.

mod budget;
mod hash;
mod ids;
mod partition;
mod random;

pub use budget::{Budget, Limit, LimitKind, Observer, Silent, StopFlag};
pub use hash::sha256;
pub use ids::{Id, IdSet, IdVec};
pub use partition::coarsest_partition;
pub use random::Random;
