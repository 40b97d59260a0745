//! A [`Store`] of the library `oxidd`, for comparison with the store of this crate: engine and certifier use it if the
//! crate is built with the feature `oxidd`.
//!
//! The library collects garbage in a thread of its own when a store is nearly full, also while an operation runs: which
//! operations fit into the store would depend on how busy the machine is. So a store is made twice as large as
//! requested, garbage is collected between operations, and an operation during which the thread may have been woken
//! counts as one that does not fit, whatever its result; the next operation waits until the thread is done. Operations
//! cannot be interrupted.

use super::budget::{Limit, LimitKind};
use super::ids::Id as _;
use super::steps;
use super::store::{self, Applied, Charge, Operation, Spent, Store, Variable};
use oxidd::bcdd::{BCDDFunction, BCDDManagerRef, new_manager};
use oxidd::util::{AllocResult, OutOfMemory};
use oxidd::{
    BooleanFunction, BooleanFunctionQuant, BooleanOperator, Function, FunctionSubst, HasLevel as _, Manager,
    ManagerRef, Subst, VarNo,
};
use std::cell::Cell;

/// A store of diagrams.
pub struct OxiddStore {
    manager: BCDDManagerRef,
    /// Nodes that there is room for.
    room: usize,
    what: &'static str,
    /// The number of all collections, as it was after the last one here.
    collections: Cell<u64>,
    /// Whether the thread of the library did not collect garbage although it may have been woken: it is not waited for
    /// any more.
    alone: Cell<bool>,
}

/// A Boolean function in a store.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct OxiddFunction(BCDDFunction);

/// A simultaneous replacement of variables by functions.
pub struct OxiddReplacement(Subst<BCDDFunction>);

fn number(variable: usize) -> VarNo {
    VarNo::try_from(variable).unwrap_or(VarNo::MAX)
}

impl store::BooleanFunction for OxiddFunction {
    fn branch(&self) -> Option<(Variable, Self, Self)> {
        let (high, low) = self.0.cofactors()?;
        let level = self.0.with_manager_shared(|manager, edge| manager.get_node(edge).unwrap_inner().level());
        Some((Variable::from_index(level as usize), Self(low), Self(high)))
    }
    fn node_count(&self) -> usize {
        self.0.node_count()
    }
    fn eval(&self, value: impl Fn(Variable) -> bool) -> bool {
        let count = self.0.with_manager_shared(|manager, _| manager.num_vars());
        self.0.eval((0..count).map(|v| (v, value(Variable::from_index(v as usize)))))
    }
}

impl OxiddStore {
    fn full(&self) -> Limit {
        Limit::new(LimitKind::Memory, self.what)
    }
    fn collect(&self) {
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
        // Exclusive access waits until no other thread uses the store.
        self.manager.with_manager_exclusive(|_| ());
        self.collect();
    }
    /// One operation. The result is an error if the store is too full for it.
    fn run(
        &self,
        charge: Charge<'_>,
        operation: impl FnOnce() -> AllocResult<BCDDFunction>,
    ) -> Result<OxiddFunction, Limit> {
        let (mut before, mut swept) = (self.nodes(), 0);
        let too_full = |before: usize, twentieths: usize| before > self.room / 20 * twentieths;
        if too_full(before, 17) {
            swept = before as u64;
            self.collect();
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
        result.map(OxiddFunction).map_err(|OutOfMemory| self.full())
    }
}

impl Store for OxiddStore {
    type Function = OxiddFunction;
    type Replacement = OxiddReplacement;

    fn new(nodes: usize, results: usize, what: &'static str) -> Self {
        // The tables are filled with zeros.
        steps::count((nodes / 8 + results / 8) as u64);
        let manager = new_manager(2 * nodes, results, 1);
        Self { manager, room: nodes, what, collections: Cell::new(0), alone: Cell::new(false) }
    }
    fn constant(&self, value: bool) -> OxiddFunction {
        let make = if value { BCDDFunction::t } else { BCDDFunction::f };
        OxiddFunction(self.manager.with_manager_shared(make))
    }
    fn add_variables(&self, count: usize) -> Result<Vec<OxiddFunction>, Limit> {
        self.manager
            .with_manager_exclusive(|manager| {
                let range = manager.add_vars(number(count));
                range.map(|v| BCDDFunction::var(manager, v).map(OxiddFunction)).collect::<AllocResult<_>>()
            })
            .map_err(|OutOfMemory| self.full())
    }
    fn nodes(&self) -> usize {
        self.manager.with_manager_shared(|manager| manager.approx_num_inner_nodes())
    }
    fn collect_garbage(&self, charge: Charge<'_>) -> Result<(), Limit> {
        self.collect();
        charge(Spent::default())
    }
    fn not(&self, a: &OxiddFunction) -> OxiddFunction {
        OxiddFunction(a.0.not().expect("an edge is negated"))
    }
    fn replacement(pairs: Vec<(Variable, OxiddFunction)>) -> OxiddReplacement {
        let (variables, functions) = pairs.into_iter().map(|(v, own)| (number(v.index()), own.0)).unzip();
        OxiddReplacement(Subst::new(variables, functions))
    }
    fn apply(&self, operation: Applied<'_, Self>, charge: Charge<'_>) -> Result<OxiddFunction, Limit> {
        self.run(charge, || match operation.map(|a| &a.0, |r| &r.0) {
            Operation::And(a, b) => a.and(b),
            Operation::Or(a, b) => a.or(b),
            Operation::Minus(a, b) => b.imp_strict(a),
            Operation::Iff(a, b) => a.equiv(b),
            Operation::Ite(a, b, c) => a.ite(b, c),
            Operation::Exists(a, cube) => a.exists(cube),
            Operation::Forall(a, cube) => a.forall(cube),
            Operation::AndExists(a, b, cube) => a.apply_exists(BooleanOperator::And, b, cube),
            Operation::ForallOr(a, b, cube) => a.apply_forall(BooleanOperator::Or, b, cube),
            Operation::Cofactor(a, literals) => a.restrict(literals),
            Operation::Replace(a, replacement) => a.substitute(replacement),
            // It has no such operation. The function itself is not larger.
            Operation::Simplified(a, ..) => Ok(a.clone()),
            // Nor this one. The lower bound lies between the bounds.
            Operation::Covered(lower, ..) => Ok(lower.clone()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Limit, Operation, OxiddStore, Spent, Store, Variable};
    use crate::base::diagrams::DiagramStore;
    use crate::base::store::BooleanFunction as _;
    use crate::base::{Id as _, Random};

    const VARIABLES: usize = 14;
    const KEPT: usize = 48;

    #[expect(clippy::unnecessary_wraps, reason = "a charge may refuse")]
    fn free(_: Spent) -> Result<(), Limit> {
        Ok(())
    }

    /// The sizes and some values of the results of random operations.
    fn trace<S: Store>(seed: u64, steps: usize) -> Vec<u32> {
        let store = S::new(1 << 20, 1 << 16, "a test");
        let and = |a: &S::Function, b: &S::Function| store.apply(Operation::And(a, b), &free).expect("room");
        let variables = store.add_variables(VARIABLES).expect("room");
        let mut made: Vec<S::Function> = (0..KEPT).map(|i| variables[i % VARIABLES].clone()).collect();
        let mut random = Random::new(seed);
        let mut trace = Vec::with_capacity(steps);
        for _ in 0..steps {
            let [a, b, c] = &[0; 3].map(|_| made[random.below(KEPT)].clone());
            let chosen: Vec<usize> = (0..VARIABLES).filter(|_| random.below(4) == 0).collect();
            let cube = &chosen.iter().fold(store.constant(true), |cube, &v| and(&cube, &variables[v]));
            let literals = &chosen.iter().fold(store.constant(true), |cube, &v| {
                let own = if random.flip() { variables[v].clone() } else { store.not(&variables[v]) };
                and(&cube, &own)
            });
            let pairs = chosen
                .iter()
                .take(3)
                .map(|&v| (Variable::from_index(v), made[random.below(KEPT)].clone()))
                .collect();
            let replacement = &S::replacement(pairs);
            let operation = match random.below(12) {
                0 => Operation::And(a, b),
                1 => Operation::Or(a, b),
                2 => Operation::Iff(a, &variables[0]),
                3 => Operation::Iff(a, b),
                4 => Operation::Ite(a, b, c),
                5 => Operation::Minus(a, b),
                6 => Operation::Exists(a, cube),
                7 => Operation::Forall(a, cube),
                8 => Operation::AndExists(a, b, cube),
                9 => Operation::ForallOr(a, b, cube),
                10 => Operation::Cofactor(a, literals),
                _ => Operation::Replace(a, replacement),
            };
            let mut result = store.apply(operation, &free).expect("room");
            if random.below(8) == 0 {
                result = store.not(&result);
            }
            let point = random.below(1 << VARIABLES);
            let value = result.eval(|v| point >> v.index() & 1 == 1);
            trace.push((result.node_count() as u32) << 1 | u32::from(value));
            // Constants and large functions are not used as operands.
            let is_kept = (4..600).contains(&result.node_count());
            let index = random.below(KEPT);
            made[index] = if is_kept { result } else { variables[index % VARIABLES].clone() };
        }
        trace
    }

    fn compare(operations: usize) {
        let rounds = operations / 10_000;
        for seed in 0..rounds as u64 {
            assert!(trace::<DiagramStore>(seed, 10_000) == trace::<OxiddStore>(seed, 10_000), "seed {seed}");
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
