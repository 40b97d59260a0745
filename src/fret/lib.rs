//! Requirements that FRET, NASA's Formal Requirements Elicitation Tool, exports as JSON, read as contracts in LTL.
//!
//! A component of an export has variables (Booleans and numbers, inputs and outputs of each step) and requirements, each
//! with a formula in past-time and one in future-time LTL over comparisons of linear sums. FRET calls a component
//! *realizable* if outputs can be chosen step by step, knowing the inputs of the step, so that every guarantee holds as
//! long as all assumptions have held.
//!
//! Comparisons become propositions, and what arithmetic says about them becomes clauses (`facts`). Where the system can
//! choose numbers for every choice of propositions that these clauses allow, and likewise the environment, the contract
//! has the same winner as the component. Otherwise there are two contracts: one in which the environment has more
//! choices than it really has, so that REALIZABLE is right, and one in which the system has, so that UNREALIZABLE is
//! ([`Contracts`]).
//!
//! | stage | where |
//! |---|---|
//! | JSON is read | `export` |
//! | formulas and assignments are parsed | `syntax` |
//! | sums are made linear, comparisons become atoms | `numbers`, `comparisons`, `lower` |
//! | what arithmetic says about atoms | `facts` |
//! | the text of the contract | `contract` |
//!
//! Sources: Giannakopoulou, Pressburger, Mavridou and Schumann, "Automated formalization of structured natural language
//! requirements" (IST 2021), for the formulas; Mavridou, Katis, Giannakopoulou, Kooi, Pressburger and Whalen, "From partial
//! to global assume-guarantee contracts" (FM 2021), for realizability.

#![forbid(unsafe_code)]

mod comparisons;
mod contract;
mod export;
mod facts;
mod logic;
mod lower;
mod numbers;
mod syntax;
#[cfg(test)]
mod tests;

pub use contract::{ARITHMETIC, Contracts, WITH, contracts};
pub use export::{
    Component, Export, ExportError, Owner, Requirement, Sort, Variable, is_export, read_export,
};
