//! Decision diagrams with limits: the operations of `oxidd` that the symbolic engine uses, each obeying the
//! budget. A full node table is a memory limit.

use crate::base::{Budget, DiagramStore, Done, Limit, LimitKind};
use crate::game::tuning::{NODES_PER_WORK, SWEPT_PER_WORK};
use oxidd::bcdd::BCDDFunction;
use oxidd::util::{AllocResult, OutOfMemory};
use oxidd::{
    BooleanFunction, BooleanFunctionQuant, BooleanOperator, Function, FunctionSubst, HasLevel as _, Manager,
    ManagerRef, Subst, VarNo,
};
use rustc_hash::FxHashMap;

/// A Boolean function over the variables of a game.
pub(super) type Bdd = BCDDFunction;

/// A store of diagrams.
pub(super) struct Diagrams<'a> {
    store: DiagramStore,
    pub(super) budget: &'a Budget,
    variables: Vec<Bdd>,
    pub(super) top: Bdd,
    pub(super) bottom: Bdd,
}

const WHAT: &str = "the decision diagrams of the symbolic engine";

fn full(_: OutOfMemory) -> Limit {
    Limit::new(LimitKind::Memory, WHAT)
}

/// A simultaneous replacement of variables by functions.
pub(super) type Replacement = Subst<Bdd>;

impl<'a> Diagrams<'a> {
    /// A store for at most `nodes` nodes over `variables` variables, the first on top.
    pub(super) fn new(nodes: usize, variables: usize, budget: &'a Budget) -> Result<Self, Limit> {
        let store = DiagramStore::new(nodes, (4 * nodes).clamp(1 << 12, 1 << 22), WHAT)?;
        let made = store.manager().with_manager_exclusive(|manager| -> AllocResult<_> {
            let range = manager.add_vars(VarNo::try_from(variables).unwrap_or(VarNo::MAX));
            let variables: AllocResult<Vec<Bdd>> = range.map(|v| Bdd::var(manager, v)).collect();
            Ok((variables?, Bdd::t(manager), Bdd::f(manager)))
        });
        let (variables, top, bottom) = made.map_err(full)?;
        Ok(Self { store, budget, variables, top, bottom })
    }
    /// Nodes in use.
    pub(super) fn nodes(&self) -> usize {
        self.store.nodes()
    }
    /// One operation, on a budget that counts the nodes it makes: most make none, a few make most.
    fn run(&self, operation: impl FnOnce() -> AllocResult<Bdd>) -> Result<Bdd, Limit> {
        let Done { result, made, swept } = self.store.run(operation);
        let work = 1 + made / NODES_PER_WORK + swept / SWEPT_PER_WORK;
        self.budget.tick(work, || "the symbolic game".into())?;
        result.map_err(full)
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
        self.run(|| a.and(b))
    }
    pub(super) fn or(&self, a: &Bdd, b: &Bdd) -> Result<Bdd, Limit> {
        self.run(|| a.or(b))
    }
    pub(super) fn not(&self, a: &Bdd) -> Result<Bdd, Limit> {
        self.run(|| a.not())
    }
    /// a ↔ b
    pub(super) fn iff(&self, a: &Bdd, b: &Bdd) -> Result<Bdd, Limit> {
        self.run(|| a.equiv(b))
    }
    /// a ∧ ¬b
    pub(super) fn minus(&self, a: &Bdd, b: &Bdd) -> Result<Bdd, Limit> {
        self.run(|| b.imp_strict(a))
    }
    pub(super) fn ite(&self, a: &Bdd, b: &Bdd, c: &Bdd) -> Result<Bdd, Limit> {
        self.run(|| a.ite(b, c))
    }
    pub(super) fn conjunction<'b>(&self, parts: impl IntoIterator<Item = &'b Bdd>) -> Result<Bdd, Limit> {
        parts.into_iter().try_fold(self.top.clone(), |sum, part| self.and(&sum, part))
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
    /// ∀ cube. a ∨ b
    pub(super) fn forall_or(&self, a: &Bdd, b: &Bdd, cube: &Bdd) -> Result<Bdd, Limit> {
        self.run(|| a.apply_forall(BooleanOperator::Or, b, cube))
    }
    pub(super) fn replacement(variables: Vec<usize>, functions: Vec<Bdd>) -> Replacement {
        let variables = variables.into_iter().map(|v| VarNo::try_from(v).unwrap_or(VarNo::MAX)).collect();
        Subst::new(variables, functions)
    }
    pub(super) fn replace(&self, a: &Bdd, replacement: &Replacement) -> Result<Bdd, Limit> {
        self.run(|| a.substitute(replacement))
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
        self.run(|| a.restrict(&cube))
    }
    /// A function that agrees with `a` wherever `care` holds, and is not larger. Tries for a time linear in the sizes.
    // Diagrams are counted references: equal and hashed by their node, whose contents never change.
    #[allow(clippy::mutable_key_type)]
    pub(super) fn simplified(&self, a: &Bdd, care: &Bdd) -> Result<Bdd, Limit> {
        if *care == self.bottom {
            return Ok(self.bottom.clone());
        }
        let size = a.node_count();
        let mut memo = FxHashMap::default();
        let smaller = self.restricted(a, care, &mut memo, 8 * (size + care.node_count()))?;
        Ok(if smaller.node_count() < size { smaller } else { a.clone() })
    }
    /// At most `most` pairs are looked at; what is left then stays as it is. Recursion is as deep as there are variables.
    #[allow(clippy::mutable_key_type)]
    fn restricted(
        &self,
        a: &Bdd,
        care: &Bdd,
        memo: &mut FxHashMap<(Bdd, Bdd), Bdd>,
        most: usize,
    ) -> Result<Bdd, Limit> {
        let (Some((top, low, high)), Some((level, mut care_low, mut care_high))) =
            (Self::branch(a), Self::branch(care))
        else {
            return Ok(a.clone());
        };
        let key = (a.clone(), care.clone());
        if let Some(done) = memo.get(&key) {
            return Ok(done.clone());
        }
        if memo.len() > most {
            return Ok(a.clone());
        }
        let made = if level < top {
            // Of a variable that `a` does not depend on there are cares for either value.
            self.restricted(a, &self.or(&care_low, &care_high)?, memo, most)?
        } else {
            if level > top {
                (care_low, care_high) = (care.clone(), care.clone());
            }
            if care_low == self.bottom {
                self.restricted(&high, &care_high, memo, most)?
            } else if care_high == self.bottom {
                self.restricted(&low, &care_low, memo, most)?
            } else {
                let low = self.restricted(&low, &care_low, memo, most)?;
                let high = self.restricted(&high, &care_high, memo, most)?;
                self.ite(self.variable(top), &high, &low)?
            }
        };
        memo.insert(key, made.clone());
        Ok(made)
    }
    /// The value under an assignment; variables that are not listed are false.
    pub(super) fn holds(a: &Bdd, assignment: &[(usize, bool)]) -> bool {
        a.eval(assignment.iter().map(|&(v, value)| (VarNo::try_from(v).unwrap_or(VarNo::MAX), value)))
    }
    /// The top variable and the cofactors (false, true); `None` for a constant.
    pub(super) fn branch(a: &Bdd) -> Option<(usize, Bdd, Bdd)> {
        let (high, low) = a.cofactors()?;
        let level = a.with_manager_shared(|manager, edge| manager.get_node(edge).unwrap_inner().level());
        Some((level as usize, low, high))
    }
}
