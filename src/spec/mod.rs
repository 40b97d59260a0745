//! Specifications with names and sorts resolved, and the one [`Problem`] that all input languages are
//! lowered to.

mod problem;
mod signature;

pub use problem::{Clause, ClauseId, Constraint, Language, Problem};
pub use signature::{
    AtomMeaning, Literal, Operator, Overflow, Signature, Sort, Symbol, SymbolId, SymbolKind, Term, TermId, Terms,
};
