//! The decision diagrams of the certifier: the operations of `oxidd` it uses, each obeying the budget. A full
//! node table is a memory limit. (The engine has operations of its own; the two share the library, its store and
//! nothing else.)

use crate::base::{Budget, DiagramStore, Done, Limit, LimitKind};
use crate::certify::tuning::{NODES_PER_WORK, OPERATION_WORK};
use oxidd::bcdd::BCDDFunction;
use oxidd::util::{AllocResult, OutOfMemory};
use oxidd::{
    BooleanFunction, BooleanFunctionQuant, BooleanOperator, Function, FunctionSubst, HasLevel as _, Manager,
    ManagerRef, Subst, VarNo,
};
use std::cell::Cell;

/// A Boolean function.
pub(super) type Bdd = BCDDFunction;

/// A simultaneous replacement of variables by functions.
pub(super) type Replacement = Subst<Bdd>;

/// A store of diagrams over variables that are numbered from the top.
pub(super) struct Diagrams {
    store: DiagramStore,
    /// What the operations may use.
    pub(super) budget: Budget,
    /// Nodes that have not been counted as work.
    open: Cell<u64>,
    variables: Vec<Bdd>,
    pub(super) top: Bdd,
    pub(super) bottom: Bdd,
}

const WHAT: &str = "certificate: the decision diagrams of a circuit";

fn full(_: OutOfMemory) -> Limit {
    Limit::new(LimitKind::Memory, WHAT)
}

fn number(v: usize) -> VarNo {
    VarNo::try_from(v).unwrap_or(VarNo::MAX)
}

impl Diagrams {
    /// A store for at most `nodes` nodes over `variables` variables.
    pub(super) fn new(nodes: usize, variables: usize, budget: &Budget) -> Result<Self, Limit> {
        let store = DiagramStore::new(nodes, nodes.clamp(1 << 12, 1 << 22), WHAT)?;
        let constants = store.manager().with_manager_shared(|m| (Bdd::t(m), Bdd::f(m)));
        let mut this = Self {
            store,
            budget: budget.clone(),
            open: Cell::new(0),
            variables: Vec::new(),
            top: constants.0,
            bottom: constants.1,
        };
        this.add_variables(variables)?;
        Ok(this)
    }
    /// Adds variables below all others; returns the number of the first.
    pub(super) fn add_variables(&mut self, count: usize) -> Result<usize, Limit> {
        let first = self.variables.len();
        let made = self.store.manager().with_manager_exclusive(|manager| -> AllocResult<Vec<Bdd>> {
            let range = manager.add_vars(number(count));
            range.map(|v| Bdd::var(manager, v)).collect()
        });
        self.variables.extend(made.map_err(full)?);
        Ok(first)
    }
    /// How many variables there are.
    pub(super) fn count(&self) -> usize {
        self.variables.len()
    }
    /// Nodes in use.
    pub(super) fn nodes(&self) -> usize {
        self.store.nodes()
    }
    /// Frees what no function uses.
    pub(super) fn collect_garbage(&self) {
        self.store.collect_garbage();
    }
    /// One operation, on a budget that counts the nodes it makes: most make none, a few make most.
    fn run(&self, operation: impl FnOnce() -> AllocResult<Bdd>) -> Result<Bdd, Limit> {
        let Done { result, made, .. } = self.store.run(operation);
        let open = self.open.get() + OPERATION_WORK + made;
        self.open.set(open % NODES_PER_WORK);
        self.budget.tick(open / NODES_PER_WORK, || "certificate: model checking a circuit".into())?;
        result.map_err(full)
    }
    pub(super) fn variable(&self, v: usize) -> &Bdd {
        &self.variables[v]
    }
    pub(super) fn constant(&self, value: bool) -> Bdd {
        if value { self.top.clone() } else { self.bottom.clone() }
    }
    pub(super) fn and(&self, a: &Bdd, b: &Bdd) -> Result<Bdd, Limit> {
        self.run(|| a.and(b))
    }
    pub(super) fn or(&self, a: &Bdd, b: &Bdd) -> Result<Bdd, Limit> {
        self.run(|| a.or(b))
    }
    pub(super) fn not(&self, a: &Bdd) -> Result<Bdd, Limit> {
        self.run(|| a.not())
    }
    pub(super) fn implies(&self, a: &Bdd, b: &Bdd) -> Result<Bdd, Limit> {
        self.run(|| a.imp(b))
    }
    /// a ∧ ¬b
    pub(super) fn minus(&self, a: &Bdd, b: &Bdd) -> Result<Bdd, Limit> {
        self.run(|| b.imp_strict(a))
    }
    pub(super) fn iff(&self, a: &Bdd, b: &Bdd) -> Result<Bdd, Limit> {
        self.run(|| a.equiv(b))
    }
    pub(super) fn ite(&self, a: &Bdd, b: &Bdd, c: &Bdd) -> Result<Bdd, Limit> {
        self.run(|| a.ite(b, c))
    }
    /// The conjunction of variables.
    pub(super) fn cube(&self, mut variables: Vec<usize>) -> Result<Bdd, Limit> {
        variables.sort_unstable_by(|a, b| b.cmp(a));
        variables.iter().try_fold(self.top.clone(), |cube, &v| self.and(&cube, &self.variables[v]))
    }
    pub(super) fn exists(&self, a: &Bdd, cube: &Bdd) -> Result<Bdd, Limit> {
        self.run(|| a.exists(cube))
    }
    pub(super) fn forall(&self, a: &Bdd, cube: &Bdd) -> Result<Bdd, Limit> {
        self.run(|| a.forall(cube))
    }
    /// ∃ cube. a ∧ b
    pub(super) fn and_exists(&self, a: &Bdd, b: &Bdd, cube: &Bdd) -> Result<Bdd, Limit> {
        self.run(|| a.apply_exists(BooleanOperator::And, b, cube))
    }
    pub(super) fn replacement(pairs: Vec<(usize, Bdd)>) -> Replacement {
        let (variables, functions) = pairs.into_iter().map(|(v, f)| (number(v), f)).unzip();
        Subst::new(variables, functions)
    }
    pub(super) fn replace(&self, a: &Bdd, replacement: &Replacement) -> Result<Bdd, Limit> {
        self.run(|| a.substitute(replacement))
    }
    /// The conjunction of literals.
    pub(super) fn literals(&self, mut literals: Vec<(usize, bool)>) -> Result<Bdd, Limit> {
        literals.sort_unstable_by(|a, b| b.cmp(a));
        literals.iter().try_fold(self.top.clone(), |cube, &(v, value)| {
            if value { self.and(&cube, &self.variables[v]) } else { self.minus(&cube, &self.variables[v]) }
        })
    }
    /// The cofactor for a conjunction of literals.
    pub(super) fn restrict(&self, a: &Bdd, cube: &Bdd) -> Result<Bdd, Limit> {
        self.run(|| a.restrict(cube))
    }
    /// Some literals that make the function true, false preferred; `None` for ⊥.
    pub(super) fn pick(&self, a: &Bdd) -> Option<Vec<(usize, bool)>> {
        if *a == self.bottom {
            return None;
        }
        let mut literals = Vec::new();
        let mut at = a.clone();
        while let Some((high, low)) = at.cofactors() {
            let level = at.with_manager_shared(|m, edge| m.get_node(edge).unwrap_inner().level());
            let value = low == self.bottom;
            literals.push((level as usize, value));
            at = if value { high } else { low };
        }
        Some(literals)
    }
}
