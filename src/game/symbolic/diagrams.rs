//! The decision diagrams of the symbolic engine: operations that obey the budget. A full node table is a memory limit.

use crate::base::{Budget, Charge, Diagram, DiagramStore, Limit, Spent};
use crate::game::tuning::{NODES_PER_WORK, SWEPT_PER_WORK};

pub(super) use crate::base::Replacement;

/// A Boolean function over the variables of a game.
pub(super) type Bdd = Diagram;

/// A store of diagrams.
pub(super) struct Diagrams<'a> {
    store: DiagramStore,
    pub(super) budget: &'a Budget,
    variables: Vec<Bdd>,
    pub(super) top: Bdd,
    pub(super) bottom: Bdd,
}

const WHAT: &str = "the decision diagrams of the symbolic engine";

impl<'a> Diagrams<'a> {
    /// A store for at most `nodes` nodes over `variables` variables, the first on top.
    pub(super) fn new(nodes: usize, variables: usize, budget: &'a Budget) -> Result<Self, Limit> {
        let store = DiagramStore::new(nodes, (4 * nodes).clamp(1 << 12, 1 << 22), WHAT);
        let variables = store.add_variables(variables)?;
        let (top, bottom) = (store.constant(true), store.constant(false));
        Ok(Self { store, budget, variables, top, bottom })
    }
    /// Nodes in use.
    pub(super) fn nodes(&self) -> usize {
        self.store.nodes()
    }
    fn tick(&self, work: u64) -> Result<(), Limit> {
        self.budget.tick(work, || "the symbolic game".into())
    }
    /// One operation, on a budget that counts the nodes it makes: most make none, a few make most.
    fn run(
        &self,
        operation: impl FnOnce(&DiagramStore, Charge<'_>) -> Result<Bdd, Limit>,
    ) -> Result<Bdd, Limit> {
        self.tick(1)?;
        let charge = |spent: Spent| self.tick(spent.made / NODES_PER_WORK + spent.swept / SWEPT_PER_WORK);
        operation(&self.store, &charge)
    }
    /// How many variables there are.
    pub(super) fn count(&self) -> usize {
        self.variables.len()
    }
    pub(super) fn variable(&self, v: usize) -> &Bdd {
        &self.variables[v]
    }
    pub(super) fn constant(&self, value: bool) -> Bdd {
        if value { self.top.clone() } else { self.bottom.clone() }
    }
    pub(super) fn and(&self, a: &Bdd, b: &Bdd) -> Result<Bdd, Limit> {
        self.run(|store, charge| store.and(a, b, charge))
    }
    pub(super) fn or(&self, a: &Bdd, b: &Bdd) -> Result<Bdd, Limit> {
        self.run(|store, charge| store.or(a, b, charge))
    }
    pub(super) fn not(&self, a: &Bdd) -> Result<Bdd, Limit> {
        self.tick(1)?;
        Ok(self.store.not(a))
    }
    /// a ↔ b
    pub(super) fn iff(&self, a: &Bdd, b: &Bdd) -> Result<Bdd, Limit> {
        self.run(|store, charge| store.iff(a, b, charge))
    }
    /// a ∧ ¬b
    pub(super) fn minus(&self, a: &Bdd, b: &Bdd) -> Result<Bdd, Limit> {
        self.run(|store, charge| store.minus(a, b, charge))
    }
    pub(super) fn ite(&self, a: &Bdd, b: &Bdd, c: &Bdd) -> Result<Bdd, Limit> {
        self.run(|store, charge| store.ite(a, b, c, charge))
    }
    pub(super) fn conjunction<'b>(&self, parts: impl IntoIterator<Item = &'b Bdd>) -> Result<Bdd, Limit> {
        parts.into_iter().try_fold(self.top.clone(), |sum, part| self.and(&sum, part))
    }
    pub(super) fn exists(&self, a: &Bdd, cube: &Bdd) -> Result<Bdd, Limit> {
        self.run(|store, charge| store.exists(a, cube, charge))
    }
    pub(super) fn forall(&self, a: &Bdd, cube: &Bdd) -> Result<Bdd, Limit> {
        self.run(|store, charge| store.forall(a, cube, charge))
    }
    /// ∃ cube. a ∧ b
    pub(super) fn and_exists(&self, a: &Bdd, b: &Bdd, cube: &Bdd) -> Result<Bdd, Limit> {
        self.run(|store, charge| store.and_exists(a, b, cube, charge))
    }
    /// ∀ cube. a ∨ b
    pub(super) fn forall_or(&self, a: &Bdd, b: &Bdd, cube: &Bdd) -> Result<Bdd, Limit> {
        self.run(|store, charge| store.forall_or(a, b, cube, charge))
    }
    pub(super) fn replacement(variables: Vec<usize>, functions: Vec<Bdd>) -> Replacement {
        Replacement::new(variables.into_iter().zip(functions))
    }
    pub(super) fn replace(&self, a: &Bdd, replacement: &Replacement) -> Result<Bdd, Limit> {
        self.run(|store, charge| store.replace(a, replacement, charge))
    }
    /// A conjunction of literals.
    pub(super) fn cube(&self, literals: &[(usize, bool)]) -> Result<Bdd, Limit> {
        let mut cube = self.top.clone();
        for &(v, value) in literals.iter().rev() {
            let literal = if value { self.variables[v].clone() } else { self.not(&self.variables[v])? };
            cube = self.and(&cube, &literal)?;
        }
        Ok(cube)
    }
    /// The cofactor for a conjunction of literals.
    pub(super) fn restrict(&self, a: &Bdd, literals: &[(usize, bool)]) -> Result<Bdd, Limit> {
        let cube = self.cube(literals)?;
        self.run(|store, charge| store.cofactor(a, &cube, charge))
    }
    /// A function that agrees with `a` wherever `care` holds, and is not larger. Tries for a time linear in the sizes.
    pub(super) fn simplified(&self, a: &Bdd, care: &Bdd) -> Result<Bdd, Limit> {
        self.run(|store, charge| store.simplified(a, care, 8, charge))
    }
    /// The value under an assignment; variables that are not listed are false.
    pub(super) fn holds(a: &Bdd, assignment: &[(usize, bool)]) -> bool {
        let most = assignment.iter().map(|&(v, _)| v + 1).max().unwrap_or(0);
        let mut values = vec![false; most];
        for &(v, value) in assignment {
            values[v] = value;
        }
        a.eval(|v| values.get(v).copied().unwrap_or(false))
    }
    /// The top variable and the cofactors (false, true); `None` for a constant.
    pub(super) fn branch(a: &Bdd) -> Option<(usize, Bdd, Bdd)> {
        a.branch()
    }
}
