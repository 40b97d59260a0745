//! The decision diagrams of the symbolic engine: operations that count against the budget. A full node table is a
//! memory limit.

use crate::game::tuning::{NODES_PER_WORK, SWEPT_PER_WORK};
use tsl_synth_core::base::{
    Applied, BooleanFunction as _, Budget, Diagram, DiagramStore, Id as _, IdVec, Limit, Operation, Spent,
    Store as _, Variable,
};

pub(super) use tsl_synth_core::base::Replacement;

/// A Boolean function over the variables of a game.
pub(super) type Bdd = Diagram;

/// A store of diagrams.
pub(super) struct Diagrams<'a> {
    store: DiagramStore,
    pub(super) budget: &'a Budget,
    variables: IdVec<Variable, Bdd>,
    pub(super) top: Bdd,
    pub(super) bottom: Bdd,
}

const WHAT: &str = "the decision diagrams of the symbolic engine";

impl<'a> Diagrams<'a> {
    /// A store for at most `nodes` nodes over `variables` variables, the first on top.
    pub(super) fn new(nodes: usize, variables: usize, budget: &'a Budget) -> Result<Self, Limit> {
        let store = DiagramStore::new(nodes, (4 * nodes).clamp(1 << 12, 1 << 22), WHAT);
        let variables = store.add_variables(variables)?.into();
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
    /// Applies one operation and counts the nodes it makes as work: most operations make none, a few make most.
    fn apply(&self, operation: Applied<'_, DiagramStore>) -> Result<Bdd, Limit> {
        self.tick(1)?;
        let charge = |spent: Spent| self.tick(spent.made / NODES_PER_WORK + spent.swept / SWEPT_PER_WORK);
        self.store.apply(operation, &charge)
    }
    /// How many variables there are.
    pub(super) fn count(&self) -> usize {
        self.variables.len()
    }
    pub(super) fn variable(&self, v: Variable) -> &Bdd {
        &self.variables[v]
    }
    pub(super) fn constant(&self, value: bool) -> Bdd {
        if value { self.top.clone() } else { self.bottom.clone() }
    }
    pub(super) fn and(&self, a: &Bdd, b: &Bdd) -> Result<Bdd, Limit> {
        self.apply(Operation::And(a, b))
    }
    pub(super) fn or(&self, a: &Bdd, b: &Bdd) -> Result<Bdd, Limit> {
        self.apply(Operation::Or(a, b))
    }
    pub(super) fn not(&self, a: &Bdd) -> Result<Bdd, Limit> {
        self.tick(1)?;
        Ok(self.store.not(a))
    }
    /// a ↔ b
    pub(super) fn iff(&self, a: &Bdd, b: &Bdd) -> Result<Bdd, Limit> {
        self.apply(Operation::Iff(a, b))
    }
    /// a ∧ ¬b
    pub(super) fn minus(&self, a: &Bdd, b: &Bdd) -> Result<Bdd, Limit> {
        self.apply(Operation::Minus(a, b))
    }
    pub(super) fn ite(&self, a: &Bdd, b: &Bdd, c: &Bdd) -> Result<Bdd, Limit> {
        self.apply(Operation::Ite(a, b, c))
    }
    pub(super) fn conjunction<'b>(&self, parts: impl IntoIterator<Item = &'b Bdd>) -> Result<Bdd, Limit> {
        parts.into_iter().try_fold(self.top.clone(), |sum, part| self.and(&sum, part))
    }
    pub(super) fn exists(&self, a: &Bdd, cube: &Bdd) -> Result<Bdd, Limit> {
        self.apply(Operation::Exists(a, cube))
    }
    pub(super) fn forall(&self, a: &Bdd, cube: &Bdd) -> Result<Bdd, Limit> {
        self.apply(Operation::Forall(a, cube))
    }
    /// ∃ cube. a ∧ b
    pub(super) fn and_exists(&self, a: &Bdd, b: &Bdd, cube: &Bdd) -> Result<Bdd, Limit> {
        self.apply(Operation::AndExists(a, b, cube))
    }
    /// ∀ cube. a ∨ b
    pub(super) fn forall_or(&self, a: &Bdd, b: &Bdd, cube: &Bdd) -> Result<Bdd, Limit> {
        self.apply(Operation::ForallOr(a, b, cube))
    }
    pub(super) fn replacement(variables: Vec<Variable>, functions: Vec<Bdd>) -> Replacement {
        DiagramStore::replacement(variables.into_iter().zip(functions).collect())
    }
    pub(super) fn replace(&self, a: &Bdd, replacement: &Replacement) -> Result<Bdd, Limit> {
        self.apply(Operation::Replace(a, replacement))
    }
    /// A conjunction of literals.
    pub(super) fn cube(&self, literals: &[(Variable, bool)]) -> Result<Bdd, Limit> {
        let mut cube = self.top.clone();
        for &(v, value) in literals.iter().rev() {
            let literal = if value { self.variables[v].clone() } else { self.not(&self.variables[v])? };
            cube = self.and(&cube, &literal)?;
        }
        Ok(cube)
    }
    /// The cofactor for a conjunction of literals.
    pub(super) fn restrict(&self, a: &Bdd, literals: &[(Variable, bool)]) -> Result<Bdd, Limit> {
        let cube = self.cube(literals)?;
        self.apply(Operation::Cofactor(a, &cube))
    }
    /// A function that agrees with `a` wherever `care` holds, and is not larger. Tries for a time linear in the sizes.
    pub(super) fn simplified(&self, a: &Bdd, care: &Bdd) -> Result<Bdd, Limit> {
        self.apply(Operation::Simplified(a, care, 8))
    }
    /// The value under an assignment; variables that are not listed are false.
    pub(super) fn holds(a: &Bdd, assignment: &[(Variable, bool)]) -> bool {
        let most = assignment.iter().map(|&(v, _)| v.index() + 1).max().unwrap_or(0);
        let mut values = vec![false; most];
        for &(v, value) in assignment {
            values[v.index()] = value;
        }
        a.eval(|v| values.get(v.index()).copied().unwrap_or(false))
    }
    /// The top variable and the cofactors (false, true); `None` for a constant.
    pub(super) fn branch(a: &Bdd) -> Option<(Variable, Bdd, Bdd)> {
        a.branch()
    }
}
