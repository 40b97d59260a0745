//! Checks certificates of tsl-synth with code of its own: it shares nothing with the engines, the readers or the checker of
//! tsl-synth, and searches nothing.
//!
//! # What is proved
//!
//! A contract is `facts → (restrictions ∧ (assumptions → guarantees))`, each a list of clauses of LTL over inputs and
//! outputs. A *play* of a machine is the sequence of letters along an infinite path from its start.
//!
//! - REALIZABLE: the machine is a controller ([`machine::check_machine`]); for every restriction r no play satisfies all
//!   facts and `¬r`, and for every guarantee g none satisfies all facts, all assumptions and `¬g`. So every play satisfies
//!   the contract.
//! - UNREALIZABLE: the machine is a strategy of the environment, which chooses the inputs of a step before the outputs;
//!   no play breaks a fact; for every assumption a no play satisfies all restrictions and `¬a`; and no play satisfies all
//!   restrictions and all guarantees. So every play breaks the contract, and no controller keeps it: each controller has a
//!   play with this strategy.
//!
//! A claim may use fewer of the clauses that are given for it. Then it is stronger.
//!
//! # Why an accepted claim holds
//!
//! A claim says that no play satisfies all formulas of a set S₀. Its proof is a table of pairs (state of the machine, set of
//! formulas), each with a rank, such that:
//!
//! 1. some row is (start, S) with S ⊆ S₀;
//! 2. for each row (q, S), each edge of q to q′ and each branch of the expansion of S on the label of that edge
//!    ([`tableau::expand`]) there is a row (q′, S″), where S″ is a subset of the branch's formulas for the next step,
//!    with the same rank or a smaller one;
//! 3. for each rank there is a strong fixpoint (`p U q` or `p M q`) that all branches between rows of this rank postpone.
//!
//! Let w be a play that satisfies S₀, with the states q₀ q₁ .. of its path. By induction there are rows (qᵢ, Sᵢ) such that
//! the suffix w[i..] satisfies Sᵢ, and the ranks do not rise: the first row by 1; and since w[i..] satisfies Sᵢ, the
//! expansion has a branch such that w[i+1..] satisfies all of its next formulas and the goals of the fixpoints that it
//! postpones are false of w[i..] (soundness of the expansion, at the head of [`tableau`]); 2 gives the next row. The
//! ranks are natural numbers, so from some step on they are equal. By 3 some fixpoint u is postponed in each step from
//! then on. A postponed fixpoint is one of the next formulas of its branch, so u is true of w[i+1..] for all those i, and its
//! goal is false of all those suffixes: a contradiction to the meaning of U and M, whose goal comes. (The row after a
//! branch may have fewer formulas than the branch. That w[i+1..] satisfies u follows from the branch, not from the row.)
//!
//! # What is trusted
//!
//! This crate and Rust's standard library; that a specification in TSL means what the clauses of the certificate say.
//! Clauses of LTL and TLSF are read from the specification again, and the two contracts are compared as formulas in
//! normal form.

#![forbid(unsafe_code)]

pub mod certificate;
pub mod check;
pub mod contract;
pub mod cube;
pub mod formula;
pub mod hoa;
pub mod machine;
pub mod read_ltl;
pub mod syntax;
pub mod tableau;
pub mod tlsf;

mod specification;

pub use specification::{Origin, Source, contract_of};
