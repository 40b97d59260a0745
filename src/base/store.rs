//! A store of decision diagrams of `oxidd` whose behaviour does not depend on the clock.
//!
//! The library collects garbage in a thread of its own when a store is nearly full, also while an operation runs: what
//! there is room for would depend on how busy the machine is. So a store is made twice as large as it says, garbage is
//! collected between operations, and an operation during which the thread may have been woken counts as one that does
//! not fit, whatever came of it; before the next one the thread is done.

use super::budget::{Limit, LimitKind};
use super::steps;
use oxidd::bcdd::{BCDDFunction, BCDDManagerRef, new_manager};
use oxidd::util::{AllocResult, OutOfMemory};
use oxidd::{Manager, ManagerRef};
use std::cell::Cell;

/// A store of diagrams.
pub struct DiagramStore {
    manager: BCDDManagerRef,
    /// Nodes that there is room for.
    room: usize,
    /// How often garbage was collected here.
    collections: Cell<u64>,
    /// Whether the thread of the library did not come when it was woken: it will not do so any more.
    alone: Cell<bool>,
}

/// What came of an operation.
pub struct Done {
    /// The function, unless it does not fit.
    pub result: AllocResult<BCDDFunction>,
    /// Nodes that were made.
    pub made: u64,
    /// Nodes that were looked at for garbage before.
    pub swept: u64,
}

impl DiagramStore {
    /// A store with room for `nodes` nodes and so many entries of the cache of operations.
    ///
    /// # Errors
    /// [`LimitKind::Memory`] for `what` where there is no memory for its tables or no thread.
    pub fn new(nodes: usize, cache: usize, what: &str) -> Result<Self, Limit> {
        // Two nodes and their places in the tables, which the library would abort without.
        const BYTES: usize = 64;
        // The tables are filled with zeros.
        steps::count((nodes / 8 + cache / 8) as u64);
        let room: Result<(), _> = Vec::<[u8; BYTES]>::new().try_reserve_exact(nodes);
        let made =
            room.ok().and_then(|()| std::panic::catch_unwind(|| new_manager(2 * nodes, cache, 1)).ok());
        let manager = made.ok_or_else(|| Limit::new(LimitKind::Memory, what))?;
        Ok(Self { manager, room: nodes, collections: Cell::new(0), alone: Cell::new(false) })
    }
    /// The manager, for what makes few nodes.
    pub fn manager(&self) -> &BCDDManagerRef {
        &self.manager
    }
    /// Nodes in use: exact between operations.
    pub fn nodes(&self) -> usize {
        self.manager.with_manager_shared(|manager| manager.approx_num_inner_nodes())
    }
    /// Frees what no function uses.
    pub fn collect_garbage(&self) {
        self.manager.with_manager_shared(|manager| manager.gc());
        self.collections.set(self.all_collections());
    }
    /// How often garbage was collected, here or by the thread of the library.
    fn all_collections(&self) -> u64 {
        self.manager.with_manager_shared(|manager| manager.gc_count())
    }
    /// Waits until the thread of the library, which may have been woken, is done, and collects what it left.
    fn settle(&self) {
        // Some tenths of a second.
        const POLLS: u32 = 200_000;
        let come = || self.all_collections() != self.collections.get();
        if !self.alone.get() {
            let came = (0..POLLS).any(|_| {
                let come = come();
                if !come {
                    std::thread::yield_now();
                }
                come
            });
            self.alone.set(!came);
        }
        // Only when nobody else works with the store.
        self.manager.with_manager_exclusive(|_| ());
        self.collect_garbage();
    }
    /// One operation. The result is an error where the store is too full for it.
    pub fn run(&self, operation: impl FnOnce() -> AllocResult<BCDDFunction>) -> Done {
        let (mut before, mut swept) = (self.nodes(), 0);
        let too_full = |before: usize, twentieths: usize| before > self.room / 20 * twentieths;
        if too_full(before, 17) {
            swept = before as u64;
            self.collect_garbage();
            before = self.nodes();
            if too_full(before, 14) {
                return Done { result: Err(OutOfMemory), made: 0, swept };
            }
        }
        let result = operation();
        let after = self.nodes();
        steps::count(5 + 4 * after.saturating_sub(before) as u64);
        // The library wakes its thread at 95 %.
        let woken = 2 * self.room / 100 * 95;
        if result.is_err() || after >= woken || self.all_collections() != self.collections.get() {
            drop(result);
            self.settle();
            return Done { result: Err(OutOfMemory), made: woken.saturating_sub(before) as u64, swept };
        }
        Done { result, made: after.saturating_sub(before) as u64, swept }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use oxidd::BooleanFunction;

    /// Σ xᵢ yᵢ of few, of many, and of few products again; with all x above all y, n of them are of 2ⁿ nodes.
    fn attempt() -> Vec<(bool, u64)> {
        const MOST: usize = 16;
        let store = DiagramStore::new(1 << 15, 1 << 12, "a test").expect("memory");
        let variables: Vec<BCDDFunction> = store.manager().with_manager_exclusive(|manager| {
            let variables = manager.add_vars(2 * MOST as u32);
            variables.map(|v| BCDDFunction::var(manager, v).expect("room")).collect()
        });
        let none = store.manager().with_manager_shared(BCDDFunction::f);
        let sum = |count: usize| {
            (0..count).try_fold(none.clone(), |sum, i| sum.or(&variables[i].and(&variables[MOST + i])?))
        };
        let answers = [5, MOST, 6].map(|count| store.run(|| sum(count)));
        answers.into_iter().map(|Done { result, made, .. }| (result.is_ok(), made)).collect()
    }

    #[test]
    fn what_does_not_fit_leaves_a_store_that_works() {
        let first = attempt();
        let fits: Vec<bool> = first.iter().map(|&(fits, _)| fits).collect();
        assert_eq!(fits, [true, false, true], "{first:?}");
        // Whatever the thread of the library did and when.
        assert!((0..20).all(|_| attempt() == first));
    }
}
