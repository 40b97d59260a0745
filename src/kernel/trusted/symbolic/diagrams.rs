//! The decision diagrams of the certifier: operations that obey the budget. A full node table is a memory limit. (The
//! engine has operations of its own; the two share the store and nothing else.)

use crate::tuning::{NODES_PER_WORK, OPERATION_WORK};
use std::cell::Cell;
use tsl_synth_core::base::{
    Applied, BooleanFunction as _, Budget, Diagram, DiagramStore, Id as _, IdVec, Limit, Operation, Spent,
    Store as _, Variable,
};

pub(crate) use tsl_synth_core::base::Replacement;

/// A Boolean function.
pub(crate) type Bdd = Diagram;

/// A store of diagrams over variables that are numbered from the top.
pub(crate) struct Diagrams {
    store: DiagramStore,
    /// Limits the operations.
    pub(crate) budget: Budget,
    /// Nodes that have not been counted as work.
    open: Cell<u64>,
    variables: IdVec<Variable, Bdd>,
    pub(crate) top: Bdd,
    pub(crate) bottom: Bdd,
}

const WHAT: &str = "certificate: the decision diagrams of a circuit";

impl Diagrams {
    /// A store for at most `nodes` nodes over `variables` variables.
    pub(crate) fn new(nodes: usize, variables: usize, budget: &Budget) -> Result<Self, Limit> {
        let store = DiagramStore::new(nodes, nodes.clamp(1 << 12, 1 << 22), WHAT);
        let (top, bottom) = (store.constant(true), store.constant(false));
        let (budget, open) = (budget.clone(), Cell::new(0));
        let mut this = Self { store, budget, open, variables: IdVec::new(), top, bottom };
        this.add_variables(variables)?;
        Ok(this)
    }
    /// Adds variables below all others; returns the first.
    pub(crate) fn add_variables(&mut self, count: usize) -> Result<Variable, Limit> {
        let first = Variable::from_index(self.variables.len());
        for variable in self.store.add_variables(count)? {
            self.variables.push(variable);
        }
        Ok(first)
    }
    /// How many variables there are.
    pub(crate) fn count(&self) -> usize {
        self.variables.len()
    }
    /// Nodes in use.
    pub(crate) fn nodes(&self) -> usize {
        self.store.nodes()
    }
    /// Frees the nodes that no function uses.
    pub(crate) fn collect_garbage(&self) -> Result<(), Limit> {
        self.store.collect_garbage(&|spent: Spent| self.tick(spent.made))
    }
    fn tick(&self, nodes: u64) -> Result<(), Limit> {
        let open = self.open.get() + nodes;
        self.open.set(open % NODES_PER_WORK);
        self.budget.tick(open / NODES_PER_WORK, || "certificate: model checking a circuit".into())
    }
    /// One operation, on a budget that counts the nodes it makes: most make none, a few make most.
    fn apply(&self, operation: Applied<'_, DiagramStore>) -> Result<Bdd, Limit> {
        self.tick(OPERATION_WORK)?;
        self.store.apply(operation, &|spent: Spent| self.tick(spent.made))
    }
    pub(crate) fn variable(&self, v: Variable) -> &Bdd {
        &self.variables[v]
    }
    pub(crate) fn constant(&self, value: bool) -> Bdd {
        if value { self.top.clone() } else { self.bottom.clone() }
    }
    pub(crate) fn and(&self, a: &Bdd, b: &Bdd) -> Result<Bdd, Limit> {
        self.apply(Operation::And(a, b))
    }
    pub(crate) fn or(&self, a: &Bdd, b: &Bdd) -> Result<Bdd, Limit> {
        self.apply(Operation::Or(a, b))
    }
    pub(crate) fn not(&self, a: &Bdd) -> Result<Bdd, Limit> {
        self.tick(OPERATION_WORK)?;
        Ok(self.store.not(a))
    }
    pub(crate) fn implies(&self, a: &Bdd, b: &Bdd) -> Result<Bdd, Limit> {
        self.apply(Operation::Or(&self.store.not(a), b))
    }
    /// a ∧ ¬b
    pub(crate) fn minus(&self, a: &Bdd, b: &Bdd) -> Result<Bdd, Limit> {
        self.apply(Operation::Minus(a, b))
    }
    pub(crate) fn iff(&self, a: &Bdd, b: &Bdd) -> Result<Bdd, Limit> {
        self.apply(Operation::Iff(a, b))
    }
    pub(crate) fn ite(&self, a: &Bdd, b: &Bdd, c: &Bdd) -> Result<Bdd, Limit> {
        self.apply(Operation::Ite(a, b, c))
    }
    /// The conjunction of variables.
    pub(crate) fn cube(&self, mut variables: Vec<Variable>) -> Result<Bdd, Limit> {
        variables.sort_unstable_by(|a, b| b.cmp(a));
        variables.iter().try_fold(self.top.clone(), |cube, &v| self.and(&cube, &self.variables[v]))
    }
    pub(crate) fn exists(&self, a: &Bdd, cube: &Bdd) -> Result<Bdd, Limit> {
        self.apply(Operation::Exists(a, cube))
    }
    pub(crate) fn forall(&self, a: &Bdd, cube: &Bdd) -> Result<Bdd, Limit> {
        self.apply(Operation::Forall(a, cube))
    }
    /// ∃ cube. a ∧ b
    pub(crate) fn and_exists(&self, a: &Bdd, b: &Bdd, cube: &Bdd) -> Result<Bdd, Limit> {
        self.apply(Operation::AndExists(a, b, cube))
    }
    pub(crate) fn replacement(pairs: Vec<(Variable, Bdd)>) -> Replacement {
        DiagramStore::replacement(pairs)
    }
    pub(crate) fn replace(&self, a: &Bdd, replacement: &Replacement) -> Result<Bdd, Limit> {
        self.apply(Operation::Replace(a, replacement))
    }
    /// The conjunction of literals.
    pub(crate) fn literals(&self, mut literals: Vec<(Variable, bool)>) -> Result<Bdd, Limit> {
        literals.sort_unstable_by(|a, b| b.cmp(a));
        literals.iter().try_fold(self.top.clone(), |cube, &(v, value)| {
            if value { self.and(&cube, &self.variables[v]) } else { self.minus(&cube, &self.variables[v]) }
        })
    }
    /// The cofactor for a conjunction of literals.
    pub(crate) fn restrict(&self, a: &Bdd, cube: &Bdd) -> Result<Bdd, Limit> {
        self.apply(Operation::Cofactor(a, cube))
    }
    /// Some literals that make the function true, false preferred; `None` for ⊥.
    pub(crate) fn pick(&self, a: &Bdd) -> Option<Vec<(Variable, bool)>> {
        if *a == self.bottom {
            return None;
        }
        let mut literals = Vec::new();
        let mut at = a.clone();
        while let Some((variable, low, high)) = at.branch() {
            let value = low == self.bottom;
            literals.push((variable, value));
            at = if value { high } else { low };
        }
        Some(literals)
    }
}
