//! A store of decision diagrams of `oxidd`.

use super::budget::{Limit, LimitKind};
use oxidd::bcdd::{BCDDManagerRef, new_manager};

/// A store with room for `nodes` nodes and so many entries of the cache of operations.
///
/// It is made twice as large: one that is nearly full is collected by a thread of the library while an operation runs,
/// and what there is room for would depend on how busy the machine is.
///
/// # Errors
/// [`LimitKind::Memory`] for `what` where there is no memory for its tables or no thread.
pub fn diagram_store(nodes: usize, cache: usize, what: &str) -> Result<BCDDManagerRef, Limit> {
    // Two nodes and their places in the tables, which the library would abort without.
    const BYTES: usize = 64;
    let room: Result<(), _> = Vec::<[u8; BYTES]>::new().try_reserve_exact(nodes);
    let made = room.ok().and_then(|()| std::panic::catch_unwind(|| new_manager(2 * nodes, cache, 1)).ok());
    made.ok_or_else(|| Limit::new(LimitKind::Memory, what))
}
