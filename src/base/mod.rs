//! Typed ids, id-indexed tables and sets, and the budget of a computation.

mod budget;
mod ids;

pub use budget::{Budget, Limit, LimitKind, Observer, Silent, StopFlag};
pub use ids::{Id, IdSet, IdVec};
