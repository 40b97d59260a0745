//! The operations on decision diagrams that engine and certifier need: one interface for the store of this crate and
//! for the library `oxidd`, with which it is compared.

use super::budget::Limit;
use crate::define_id;
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;
use std::hash::Hash;

define_id! {
    /// A variable of a store. Variables are numbered in the order in which they were added, which may differ from the
    /// variable order.
    pub struct Variable;
}

impl Variable {
    /// The variable with the next number.
    #[must_use]
    pub fn successor(self) -> Self {
        Self(self.0 + 1)
    }
}

/// The resources that an operation used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    /// Steps of its recursion, and entries of tables that were moved.
    pub steps: u64,
    /// Nodes that were made.
    pub made: u64,
    /// Nodes visited by garbage collection.
    pub swept: u64,
}

/// Receives the resources that an operation uses; an error ends the operation.
pub type Charge<'c> = &'c dyn Fn(Spent) -> Result<(), Limit>;

/// A Boolean function in a store. Equal functions of one store are equal.
pub trait BooleanFunction: Clone + Eq + Hash {
    /// The topmost variable and the cofactors, false first; `None` for a constant.
    fn branch(&self) -> Option<(Variable, Self, Self)>;
    /// How many nodes it has, a constant among them.
    fn node_count(&self) -> usize;
    /// The variables that it depends on, in ascending order.
    // Diagrams are counted references: equal and hashed by their node, whose contents never change.
    #[allow(clippy::mutable_key_type)]
    fn support(&self) -> Vec<Variable> {
        let (mut seen, mut variables) = (FxHashSet::default(), BTreeSet::new());
        let mut open = vec![self.clone()];
        while let Some(part) = open.pop() {
            if let Some((variable, low, high)) = part.branch()
                && seen.insert(part)
            {
                variables.insert(variable);
                open.extend([low, high]);
            }
        }
        variables.into_iter().collect()
    }
    /// The value of the function when each variable has the value that `value` returns for it.
    fn eval(&self, value: impl Fn(Variable) -> bool) -> bool;
}

/// An operation that makes a function from others. A cube is a conjunction of variables.
#[derive(Clone, Copy, Debug)]
pub enum Operation<F, R> {
    /// a ∧ b
    And(F, F),
    /// a ∨ b
    Or(F, F),
    /// a ∧ ¬b
    Minus(F, F),
    /// a ↔ b
    Iff(F, F),
    /// a ? b : c
    Ite(F, F, F),
    /// ∃ cube. a, given as a, cube
    Exists(F, F),
    /// ∀ cube. a, given as a, cube
    Forall(F, F),
    /// ∃ cube. a ∧ b, given as a, b, cube
    AndExists(F, F, F),
    /// ∀ cube. a ∨ b, given as a, b, cube
    ForallOr(F, F, F),
    /// The cofactor of a function for a conjunction of literals.
    Cofactor(F, F),
    /// A function with functions in place of variables.
    Replace(F, R),
    /// A function that agrees with the first wherever the second holds, and is not larger (Coudert, Berthet and Madre
    /// 1989). The number limits how many pairs of nodes are visited for each node of the two functions; the parts
    /// beyond that are not simplified.
    Simplified(F, F, usize),
    /// The union of an irredundant cover by cubes between two bounds, the lower first (Minato 1993, procedure ISOP;
    /// Minato and Morreale). The lower bound must imply the upper one. The number limits the steps of recursion for
    /// each node of the bounds; the parts beyond that equal the lower bound.
    Covered(F, F, usize),
}

impl<F, R> Operation<F, R> {
    /// The same operation on other operands.
    pub fn map<G, Q>(self, mut f: impl FnMut(F) -> G, r: impl FnOnce(R) -> Q) -> Operation<G, Q> {
        match self {
            Self::And(a, b) => Operation::And(f(a), f(b)),
            Self::Or(a, b) => Operation::Or(f(a), f(b)),
            Self::Minus(a, b) => Operation::Minus(f(a), f(b)),
            Self::Iff(a, b) => Operation::Iff(f(a), f(b)),
            Self::Ite(a, b, c) => Operation::Ite(f(a), f(b), f(c)),
            Self::Exists(a, b) => Operation::Exists(f(a), f(b)),
            Self::Forall(a, b) => Operation::Forall(f(a), f(b)),
            Self::AndExists(a, b, c) => Operation::AndExists(f(a), f(b), f(c)),
            Self::ForallOr(a, b, c) => Operation::ForallOr(f(a), f(b), f(c)),
            Self::Cofactor(a, b) => Operation::Cofactor(f(a), f(b)),
            Self::Replace(a, own) => Operation::Replace(f(a), r(own)),
            Self::Simplified(a, care, effort) => Operation::Simplified(f(a), f(care), effort),
            Self::Covered(lower, upper, effort) => Operation::Covered(f(lower), f(upper), effort),
        }
    }
}

/// An operation on functions of a store.
pub type Applied<'a, S> = Operation<&'a <S as Store>::Function, &'a <S as Store>::Replacement>;

/// A store of diagrams. Variables are numbered in the order in which they were added, which is at first also their
/// order from the top.
pub trait Store: Sized {
    /// Its functions.
    type Function: BooleanFunction;
    /// Simultaneous replacements of variables by functions.
    type Replacement;

    /// A store with room for so many nodes between operations (during one, almost twice as many) and at most so many
    /// cached results of operations; `what` describes the diagrams in messages about limits.
    fn new(nodes: usize, results: usize, what: &'static str) -> Self;
    /// The function that is true or false everywhere.
    fn constant(&self, value: bool) -> Self::Function;
    /// Adds variables below all others.
    ///
    /// # Errors
    /// [`Memory`](super::budget::LimitKind::Memory) where there is no room for them.
    fn add_variables(&self, count: usize) -> Result<Vec<Self::Function>, Limit>;
    /// Nodes in use, garbage among them.
    fn nodes(&self) -> usize;
    /// Frees the nodes on which no function depends.
    ///
    /// # Errors
    /// The error of the charge; then some garbage may be left.
    fn collect_garbage(&self, charge: Charge<'_>) -> Result<(), Limit>;
    /// ¬a
    fn not(&self, a: &Self::Function) -> Self::Function;
    /// Replaces each of these variables by a function.
    fn replacement(pairs: Vec<(Variable, Self::Function)>) -> Self::Replacement;
    /// The result of an operation.
    ///
    /// # Errors
    /// [`Memory`](super::budget::LimitKind::Memory) if there is no room, or the error of the charge.
    fn apply(&self, operation: Applied<'_, Self>, charge: Charge<'_>) -> Result<Self::Function, Limit>;
}
