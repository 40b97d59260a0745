//! The independent checker of answers: a controller keeps its contract, a counter-strategy defeats every
//! controller. Every verdict passes through here before it is believed.
//!
//! What is checked, for a [`Contract`] `⋀F → (⋀R ∧ (⋀A → ⋀G))` and a machine with plays P:
//!
//! - a [`Mealy`] machine: well formed (see [`CertifyError::Malformed`]), and for every restriction r
//!   `P ∩ ⋀F ∩ ¬r = ∅` and for every guarantee g `P ∩ ⋀F ∩ ⋀A ∩ ¬g = ∅`. Clause by clause is sound, as the
//!   negation of the contract is the union of these languages.
//! - a [`CounterStrategy`]: well formed, and `P ∩ ¬f = ∅` for every fact f, `P ∩ ⋀R ∩ ¬a = ∅` for every
//!   assumption a, and `P ∩ ⋀R ∩ ⋀G = ∅`: the guarantees only together.
//!
//! The formulas are the original ones of the contract, before any simplification. Each emptiness question is
//! answered on the product of the explicit machine with an on-the-fly tableau (Gerth, Peled, Vardi and Wolper
//! 1995, with the transition-based acceptance of Couvreur 1999) by Couvreur's strongly connected components.
//! Conjuncts that only narrow the language (facts, assumptions, restrictions, the guarantees of the last
//! question) are added when a play that breaks them was found, so those that are not needed cost nothing.
//!
//! Where a tableau would guess, deterministic conditions say the same with fewer states (`conditions`): what is left of
//! safety and co-safety formulas, and an Emerson-Lei condition on what happens infinitely often.
//!
//! A [`Circuit`] is checked by the same questions, answered on decision diagrams (`symbolic`); so is a question
//! about an explicit machine whose products grow too large (`mixed`).
//!
//! Facts that refinement adds to a contract are shown again from the terms of their atoms (`facts`).
//!
//! This module shares data types with the engines (formulas, guards, machines) and no algorithm. The engines
//! go through alternating automata and counters, never through this tableau.

mod blame;
mod causes;
mod claim;
mod effects;
mod entry;
mod expected;
mod facts;
mod friendly;
mod keepable;
mod kernel;
mod search;
mod tuning;
mod unfold;

pub use blame::{Blame, Culprit, Tracker};
pub use causes::{CauseClaim, certify_cause};
pub use claim::{Claim, StrategyRef};
pub use entry::{certify, find_false_output, find_violation};
pub use facts::{Constant, Data, DataId, Operation, Saying, Signal, SignalId, Vocabulary, certify_fact};
pub use friendly::{Falsified, Friendly, certify_friendly, certify_none_friendly};
pub use keepable::is_always_keepable;
pub use kernel::symbolic::{circuit_of_counter, circuit_of_mealy};
pub use unfold::{controller_of_circuit, counter_of_circuit};

#[cfg(doc)]
use crate::model::{Circuit, Contract, CounterStrategy, Mealy};

use crate::base::Limit;
use crate::logic::Lasso;
use crate::model::Role;

/// A certificate: everything that had to be checked was checked and holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Certified {
    /// Emptiness questions answered, over all rounds.
    pub searches: u64,
    /// States of all products that were searched.
    pub product_states: u64,
    /// Of a circuit: nodes of decision diagrams, after the question that needed most.
    pub diagram_nodes: u64,
}

/// A play that refutes the claim about a machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The role of the clause that decides. For a controller: the restriction or guarantee that the play
    /// breaks while it keeps what was promised for it. For a counter-strategy: the fact or assumption that the
    /// play breaks although the system keeps the restrictions, or [`Role::Guarantee`] when the system keeps
    /// all restrictions and guarantees.
    pub role: Role,
    /// The index of the clause among those of its role; `None` where all guarantees of a counter-strategy's
    /// play are kept.
    pub clause: Option<usize>,
    /// The play.
    pub play: Lasso,
}

/// Why there is no certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CertifyError {
    /// The machine is not a strategy: no such initial or next state, guards of a state that overlap, leave a
    /// letter out or mention bits of the wrong player, a letter with bits of the wrong player or with a code
    /// that means no update of its cell. The text says which, with the number of the state.
    Malformed(String),
    /// The claim is wrong; this play shows it.
    Violated(Violation),
    /// What is claimed of a cause is wrong; the text says what.
    Wrong(String),
    /// A limit was reached first: neither certified nor refuted.
    Limit(Limit),
}

impl From<Limit> for CertifyError {
    fn from(limit: Limit) -> Self {
        Self::Limit(limit)
    }
}

impl std::fmt::Display for CertifyError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Malformed(what) => write!(f, "not a strategy: {what}"),
            Self::Violated(Violation { role, clause, play }) => {
                let role = match role {
                    Role::Fact => "fact",
                    Role::Restriction => "restriction",
                    Role::Assumption => "assumption",
                    Role::Guarantee => "guarantee",
                };
                match clause {
                    Some(clause) => write!(f, "{role} {} fails", clause + 1)?,
                    None => write!(f, "every {role} is kept")?,
                }
                write!(f, " on a play of {} + {} steps", play.prefix.len(), play.cycle.len())
            }
            Self::Wrong(what) => f.write_str(what),
            Self::Limit(limit) => limit.fmt(f),
        }
    }
}

impl std::error::Error for CertifyError {}
