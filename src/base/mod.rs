//! Typed ids, id-indexed tables and sets, the budget of a computation, and a hash.

mod budget;
mod hash;
mod ids;
mod random;

pub use budget::{Budget, Limit, LimitKind, Observer, Silent, StopFlag};
pub use hash::sha256;
pub use ids::{Id, IdSet, IdVec};
pub use random::Random;
