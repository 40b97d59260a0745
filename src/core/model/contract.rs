//! The objective of a system, clause by clause.

use crate::logic::{FormulaId, Formulas};

/// The role of a formula in a [`Contract`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// True of every environment by the meaning of the language.
    Fact,
    /// Required of the system, whatever the environment does.
    Restriction,
    /// Expected of the environment.
    Assumption,
    /// Required of the system if the assumptions hold.
    Guarantee,
}

/// The objective of the system: `⋀ facts → (⋀ restrictions ∧ (⋀ assumptions → ⋀ guarantees))`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Contract {
    /// Constraints that every environment obeys by the meaning of TSL (a Boolean cell's value is its last
    /// update, `x = 3` excludes `x = 4`, constraints found by refinement).
    pub facts: Vec<FormulaId>,
    /// Constraints on the system that hold unconditionally (an update that would leave a range).
    pub restrictions: Vec<FormulaId>,
    /// Assumptions about the environment.
    pub assumptions: Vec<FormulaId>,
    /// Guarantees of the system.
    pub guarantees: Vec<FormulaId>,
}

impl Contract {
    /// The objective as one formula.
    pub fn formula(&self, formulas: &mut Formulas) -> FormulaId {
        let facts = formulas.and(self.facts.iter().copied());
        let restrictions = formulas.and(self.restrictions.iter().copied());
        let assumptions = formulas.and(self.assumptions.iter().copied());
        let guarantees = formulas.and(self.guarantees.iter().copied());
        let core = formulas.implies(assumptions, guarantees);
        let kept = formulas.and([restrictions, core]);
        formulas.implies(facts, kept)
    }
    /// The contract with another formula in the place of each.
    pub fn map(&self, mut image: impl FnMut(FormulaId) -> FormulaId) -> Self {
        let mut of = |clauses: &[FormulaId]| clauses.iter().map(|&f| image(f)).collect();
        Self {
            facts: of(&self.facts),
            restrictions: of(&self.restrictions),
            assumptions: of(&self.assumptions),
            guarantees: of(&self.guarantees),
        }
    }
    /// The formulas of one role.
    pub fn of(&self, role: Role) -> &[FormulaId] {
        match role {
            Role::Fact => &self.facts,
            Role::Restriction => &self.restrictions,
            Role::Assumption => &self.assumptions,
            Role::Guarantee => &self.guarantees,
        }
    }
}
