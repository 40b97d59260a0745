//! The operations of [`DiagramStore`](super::diagrams::DiagramStore) by the library `oxidd`, to compare with: engine and
//! certifier use this store where the crate is built with the feature `oxidd`.
//!
//! The library collects garbage in a thread of its own when a store is nearly full, also while an operation runs: what
//! there is room for would depend on how busy the machine is. So a store is made twice as large as it says, garbage is
//! collected between operations, and an operation during which the thread may have been woken counts as one that does
//! not fit, whatever came of it; before the next one the thread is done. Operations cannot be interrupted.

use super::budget::{Limit, LimitKind};
use super::diagrams::{Charge, Spent};
use super::steps;
use oxidd::bcdd::{BCDDFunction, BCDDManagerRef, new_manager};
use oxidd::util::{AllocResult, OutOfMemory};
use oxidd::{
    BooleanFunction, BooleanFunctionQuant, BooleanOperator, Function, FunctionSubst, HasLevel as _, Manager,
    ManagerRef, Subst, VarNo,
};
use std::cell::Cell;

/// A store of diagrams.
pub struct DiagramStore {
    manager: BCDDManagerRef,
    /// Nodes that there is room for.
    room: usize,
    what: &'static str,
    /// How often garbage was collected here.
    collections: Cell<u64>,
    /// Whether the thread of the library did not come when it was woken: it will not do so any more.
    alone: Cell<bool>,
}

/// A Boolean function in a store.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Diagram(BCDDFunction);

/// A simultaneous replacement of variables by functions.
pub struct Replacement(Subst<BCDDFunction>);

fn number(variable: usize) -> VarNo {
    VarNo::try_from(variable).unwrap_or(VarNo::MAX)
}

impl Replacement {
    /// Replaces each of these variables by a function.
    pub fn new(pairs: impl IntoIterator<Item = (usize, Diagram)>) -> Self {
        let (variables, functions) = pairs.into_iter().map(|(v, own)| (number(v), own.0)).unzip();
        Self(Subst::new(variables, functions))
    }
}

impl Diagram {
    /// The topmost variable and the cofactors, false first; `None` for a constant.
    pub fn branch(&self) -> Option<(usize, Self, Self)> {
        let (high, low) = self.0.cofactors()?;
        let level = self.0.with_manager_shared(|manager, edge| manager.get_node(edge).unwrap_inner().level());
        Some((level as usize, Self(low), Self(high)))
    }
    /// How many nodes it has, a constant among them.
    pub fn node_count(&self) -> usize {
        self.0.node_count()
    }
    /// The value where each variable has the value that `value` says.
    pub fn eval(&self, value: impl Fn(usize) -> bool) -> bool {
        let count = self.0.with_manager_shared(|manager, _| manager.num_vars());
        self.0.eval((0..count).map(|v| (v, value(v as usize))))
    }
}

impl DiagramStore {
    /// A store with room for `nodes` nodes and so many results of operations.
    pub fn new(nodes: usize, results: usize, what: &'static str) -> Self {
        // The tables are filled with zeros.
        steps::count((nodes / 8 + results / 8) as u64);
        let manager = new_manager(2 * nodes, results, 1);
        Self { manager, room: nodes, what, collections: Cell::new(0), alone: Cell::new(false) }
    }
    fn full(&self) -> Limit {
        Limit::new(LimitKind::Memory, self.what)
    }
    /// The function that is true or false everywhere.
    pub fn constant(&self, value: bool) -> Diagram {
        let make = if value { BCDDFunction::t } else { BCDDFunction::f };
        Diagram(self.manager.with_manager_shared(make))
    }
    /// Adds variables below all others.
    ///
    /// # Errors
    /// [`LimitKind::Memory`] where there is no room for them.
    pub fn add_variables(&self, count: usize) -> Result<Vec<Diagram>, Limit> {
        self.manager
            .with_manager_exclusive(|manager| {
                let range = manager.add_vars(number(count));
                range.map(|v| BCDDFunction::var(manager, v).map(Diagram)).collect::<AllocResult<_>>()
            })
            .map_err(|OutOfMemory| self.full())
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
    fn run(
        &self,
        charge: Charge<'_>,
        operation: impl FnOnce() -> AllocResult<BCDDFunction>,
    ) -> Result<Diagram, Limit> {
        let (mut before, mut swept) = (self.nodes(), 0);
        let too_full = |before: usize, twentieths: usize| before > self.room / 20 * twentieths;
        if too_full(before, 17) {
            swept = before as u64;
            self.collect_garbage();
            before = self.nodes();
            if too_full(before, 14) {
                charge(Spent { steps: 0, made: 0, swept })?;
                return Err(self.full());
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
            charge(Spent { steps: 0, made: woken.saturating_sub(before) as u64, swept })?;
            return Err(self.full());
        }
        let made = after.saturating_sub(before) as u64;
        charge(Spent { steps: made, made, swept })?;
        result.map(Diagram).map_err(|OutOfMemory| self.full())
    }
    /// a ∧ b
    ///
    /// # Errors
    /// As all operations: no room, or what the charge says.
    pub fn and(&self, a: &Diagram, b: &Diagram, charge: Charge<'_>) -> Result<Diagram, Limit> {
        self.run(charge, || a.0.and(&b.0))
    }
    /// a ∨ b
    ///
    /// # Errors
    /// As [`DiagramStore::and`].
    pub fn or(&self, a: &Diagram, b: &Diagram, charge: Charge<'_>) -> Result<Diagram, Limit> {
        self.run(charge, || a.0.or(&b.0))
    }
    /// ¬a
    ///
    /// # Panics
    /// Never: negating makes no node.
    pub fn not(&self, a: &Diagram) -> Diagram {
        Diagram(a.0.not().expect("an edge is negated"))
    }
    /// a ∧ ¬b
    ///
    /// # Errors
    /// As [`DiagramStore::and`].
    pub fn minus(&self, a: &Diagram, b: &Diagram, charge: Charge<'_>) -> Result<Diagram, Limit> {
        self.run(charge, || b.0.imp_strict(&a.0))
    }
    /// a ↔ b
    ///
    /// # Errors
    /// As [`DiagramStore::and`].
    pub fn iff(&self, a: &Diagram, b: &Diagram, charge: Charge<'_>) -> Result<Diagram, Limit> {
        self.run(charge, || a.0.equiv(&b.0))
    }
    /// a ? b : c
    ///
    /// # Errors
    /// As [`DiagramStore::and`].
    pub fn ite(&self, a: &Diagram, b: &Diagram, c: &Diagram, charge: Charge<'_>) -> Result<Diagram, Limit> {
        self.run(charge, || a.0.ite(&b.0, &c.0))
    }
    /// ∃ cube. a, where `cube` is a conjunction of variables.
    ///
    /// # Errors
    /// As [`DiagramStore::and`].
    pub fn exists(&self, a: &Diagram, cube: &Diagram, charge: Charge<'_>) -> Result<Diagram, Limit> {
        self.run(charge, || a.0.exists(&cube.0))
    }
    /// ∀ cube. a
    ///
    /// # Errors
    /// As [`DiagramStore::and`].
    pub fn forall(&self, a: &Diagram, cube: &Diagram, charge: Charge<'_>) -> Result<Diagram, Limit> {
        self.run(charge, || a.0.forall(&cube.0))
    }
    /// ∃ cube. a ∧ b
    ///
    /// # Errors
    /// As [`DiagramStore::and`].
    pub fn and_exists(
        &self,
        a: &Diagram,
        b: &Diagram,
        cube: &Diagram,
        charge: Charge<'_>,
    ) -> Result<Diagram, Limit> {
        self.run(charge, || a.0.apply_exists(BooleanOperator::And, &b.0, &cube.0))
    }
    /// ∀ cube. a ∨ b
    ///
    /// # Errors
    /// As [`DiagramStore::and`].
    pub fn forall_or(
        &self,
        a: &Diagram,
        b: &Diagram,
        cube: &Diagram,
        charge: Charge<'_>,
    ) -> Result<Diagram, Limit> {
        self.run(charge, || a.0.apply_forall(BooleanOperator::Or, &b.0, &cube.0))
    }
    /// The cofactor of `a` for a conjunction of literals.
    ///
    /// # Errors
    /// As [`DiagramStore::and`].
    pub fn cofactor(&self, a: &Diagram, literals: &Diagram, charge: Charge<'_>) -> Result<Diagram, Limit> {
        self.run(charge, || a.0.restrict(&literals.0))
    }
    /// `a` with functions in place of variables.
    ///
    /// # Errors
    /// As [`DiagramStore::and`].
    pub fn replace(
        &self,
        a: &Diagram,
        replacement: &Replacement,
        charge: Charge<'_>,
    ) -> Result<Diagram, Limit> {
        self.run(charge, || a.0.substitute(&replacement.0))
    }
    /// A function that agrees with `a` wherever `care` holds: here `a` itself.
    ///
    /// # Errors
    /// None.
    pub fn simplified(
        &self,
        a: &Diagram,
        _care: &Diagram,
        _effort: usize,
        _charge: Charge<'_>,
    ) -> Result<Diagram, Limit> {
        Ok(a.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::Spent;
    use crate::base::{Limit, Random};

    const VARIABLES: usize = 14;
    const KEPT: usize = 48;

    #[expect(clippy::unnecessary_wraps, reason = "a charge may refuse")]
    fn free(_: Spent) -> Result<(), Limit> {
        Ok(())
    }

    /// The sizes and some values of what random operations make.
    macro_rules! trace {
        ($name:ident, $room:path) => {
            fn $name(seed: u64, steps: usize) -> Vec<u32> {
                use $room::{Diagram, DiagramStore, Replacement};
                let store = DiagramStore::new(1 << 20, 1 << 16, "a test");
                let variables = store.add_variables(VARIABLES).expect("room");
                let mut made: Vec<Diagram> = (0..KEPT).map(|i| variables[i % VARIABLES].clone()).collect();
                let mut random = Random::new(seed);
                let mut trace = Vec::with_capacity(steps);
                for _ in 0..steps {
                    let [a, b, c] = [0; 3].map(|_| made[random.below(KEPT)].clone());
                    let chosen: Vec<usize> = (0..VARIABLES).filter(|_| random.below(4) == 0).collect();
                    let cube = chosen.iter().fold(store.constant(true), |cube, &v| {
                        store.and(&cube, &variables[v], &free).expect("room")
                    });
                    let literals = chosen.iter().fold(store.constant(true), |cube, &v| {
                        let own = if random.flip() { variables[v].clone() } else { store.not(&variables[v]) };
                        store.and(&cube, &own, &free).expect("room")
                    });
                    let pairs: Vec<(usize, Diagram)> =
                        chosen.iter().take(3).map(|&v| (v, made[random.below(KEPT)].clone())).collect();
                    let result = match random.below(12) {
                        0 => store.and(&a, &b, &free),
                        1 => store.or(&a, &b, &free),
                        2 => Ok(store.not(&a)),
                        3 => store.iff(&a, &b, &free),
                        4 => store.ite(&a, &b, &c, &free),
                        5 => store.minus(&a, &b, &free),
                        6 => store.exists(&a, &cube, &free),
                        7 => store.forall(&a, &cube, &free),
                        8 => store.and_exists(&a, &b, &cube, &free),
                        9 => store.forall_or(&a, &b, &cube, &free),
                        10 => store.cofactor(&a, &literals, &free),
                        _ => store.replace(&a, &Replacement::new(pairs), &free),
                    };
                    let result = result.expect("room");
                    let point = random.below(1 << VARIABLES);
                    let value = result.eval(|v| point >> v & 1 == 1);
                    trace.push((result.node_count() as u32) << 1 | u32::from(value));
                    // What is constant or large leads to nothing else.
                    let is_kept = (4..600).contains(&result.node_count());
                    let place = random.below(KEPT);
                    made[place] = if is_kept { result } else { variables[place % VARIABLES].clone() };
                }
                trace
            }
        };
    }

    trace!(ours, crate::base::diagrams);
    trace!(theirs, crate::base::oxidd_store);

    fn compare(operations: usize) {
        let rounds = operations / 10_000;
        for seed in 0..rounds as u64 {
            assert!(ours(seed, 10_000) == theirs(seed, 10_000), "seed {seed}");
        }
        println!("{} operations, the same functions", rounds * 10_000);
    }

    #[test]
    fn both_stores_make_the_same_functions() {
        compare(20_000);
    }

    #[test]
    #[ignore = "minutes"]
    fn campaign_both_stores_make_the_same_functions() {
        compare(10_000_000);
    }
}
