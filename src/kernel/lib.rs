//! The independent checker of answers: a controller keeps its contract, a counter-strategy defeats every
//! controller. Every verdict passes through here before it is believed.
//!
//! # What is checked
//!
//! For a [`Contract`] `⋀F → (⋀R ∧ (⋀A → ⋀G))` and a strategy with plays P:
//!
//! - a [`Mealy`] machine: well formed (see [`CertifyError::Malformed`]), and for every restriction r
//!   `P ∩ ⋀F ∩ ¬r = ∅` and for every guarantee g `P ∩ ⋀F ∩ ⋀A ∩ ¬g = ∅`. Clause by clause is sound, as the
//!   negation of the contract is the union of these languages.
//! - a [`CounterStrategy`]: well formed, and `P ∩ ¬f = ∅` for every fact f, `P ∩ ⋀R ∩ ¬a = ∅` for every
//!   assumption a, and `P ∩ ⋀R ∩ ⋀G = ∅`: the guarantees only together.
//! - a [`Circuit`] of either: as many inputs and outputs as the alphabet has bits, gates in order, and the same
//!   questions; of a Moore machine or a counter-strategy also that no output depends on the inputs of the same step.
//!
//! The formulas are the original ones of the contract, before any simplification. A question may use only some of its
//! conjuncts: if the larger language is empty, so is the smaller one. So conjuncts are added only when a play was found
//! that breaks them.
//!
//! # What is trusted
//!
//! A verdict rests on the folders `trusted` and `monitors`, on `entry`, `claim` and `outcome`, and on what these share with
//! other modules (below); not on the folder `search`, which decides what is tried and finds plays and components. The
//! interface between the two is one type, `trusted::NoPlay`: only the kernel can make a value of it, and the checker of a contract
//! (`trusted::checker`) accepts nothing else as the answer that a language is empty. A play that a search reports is
//! evaluated by definition ([`LassoSemantics`]) before it counts as a violation. A `NoPlay` is made in three ways:
//!
//! 1. `trusted::product`: the states of a product with a tableau have numbers that never increase along an edge, and for
//!    each number there is a strong fixpoint that all edges between states of this number postpone.
//! 2. `trusted::elimination`: the components of a product with deterministic conditions each have a reason why no path that
//!    stays in them is fair.
//! 3. `trusted::symbolic::answer`: a fixpoint on decision diagrams is empty. These fixpoints are computed by the kernel itself.
//!
//! For the first two the search runs outside and the kernel checks what it found in time linear in the product.
//!
//! # Why each reduction is sound
//!
//! - `trusted::cases`: a clause becomes conjuncts, its negation cases, by the laws of Boolean operators, `G (a ∧ b) = G a ∧ G b`,
//!   `F (a ∨ b) = F a ∨ F b`, `GF (a ∨ b) = GF a ∨ GF b`, `FG (a ∧ b) = FG a ∧ FG b`, and `GF X a = GF a`, `FG X a = FG a`.
//! - `trusted::normal`: negation normal form by the dualities of U and R, W and M; formulas without temporal operators are sets
//!   of letters.
//! - `trusted::tableau`: the expansion laws of the fixpoints; a branch is dropped if another branch has a subset of its
//!   obligations and of its postponed fixpoints (see the head of the file).
//! - `trusted::plays`: a strategy is a graph whose infinite paths are its plays. Guards are disjoint and complete,
//!   letters belong to their player, every cell has the code of an option.
//! - `trusted::conditions`: a Boolean combination of `GF b`, `FG b`, safety and co-safety formulas becomes the same
//!   combination of the conditions for its leaves: an Emerson-Lei condition on the letters read infinitely often and on
//!   the safety formulas broken at some point.
//! - `trusted::residuals`: formula progression; a safety formula is broken iff its residual becomes false.
//! - `trusted::windows`: a formula `G g`, in which X is the only temporal operator of g and is not nested, is a relation
//!   between each letter and the next one.
//! - `trusted::symbolic::claims`: every temporal subformula has a variable for its claim about the next step (Clarke,
//!   Grumberg and Hamaguchi); where it occurs in one polarity only, one direction of the claim suffices.
//! - `trusted::symbolic::structure`: the plays of a cone of influence are those of the circuit, projected to the bits of
//!   the cone.
//! - `trusted::symbolic::shape` and `monitors`: `G b`, `GF b`, `FG b`, `F (a ∧ G b)` and Boolean combinations of `F b` and `G b` constrain
//!   moves and fairness instead of having claims.
//! - `trusted::symbolic::reach`: a superset of the reachable states, used only for pruning: plays begin in the initial
//!   state.
//! - `trusted::symbolic::past`: formulas about a letter and the next one, evaluated with a delay of one step (see the
//!   head of the file).
//! - `trusted::symbolic::encode`: a machine as a circuit that stores the number of the machine's state in binary.
//! - `monitors`: a circuit in parallel with deterministic automata for the conjuncts of its contract, whose conditions
//!   replace the conjuncts after the implication that is needed was checked for each (see the head of the module).
//!
//! # What is shared with the engines
//!
//! Data types, and these functions on them; no algorithm of an engine. The engines go through alternating automata, counters
//! and parity games, never through these tableaus.
//!
//! - formulas: [`Formulas::node`], `subformulas`, `support`, `size`, `class` (with [`Class::is`], [`Class::negated`]), `is_window`,
//!   `is_windowed`, `next_depth`, and the smart constructors `not`, `and`, `or`, `finally`, `globally` in `trusted::cases`;
//! - sets of letters: [`Guards::and`], `or`, `not`, `minus`, `implies`, `intersects`, `contains`, `pick`, `literal`, `valuation`,
//!   `branch`, `make`, `support`, `topmost`;
//! - atoms: [`Alphabet::guard`], `bits_of`, `bit_count`, `cells`, `owner`, `canonical`, and `with_outputs`, `add_input`, `add_output`
//!   in `monitors`;
//! - linear arithmetic: `Rational`, `Sum::plus`, `times`, `negated`, `substituted`, [`Inequality::substituted`] and `normalized`;
//! - words: [`LassoSemantics`], which evaluates a formula on a lasso word by definition;
//! - circuits: [`Circuit::evaluate`], `is_well_formed`, and [`CircuitBuilder`] in `trusted::symbolic::encode` and `monitors`;
//! - decision diagrams: [`DiagramStore`], all operations that `trusted::symbolic::diagrams` lists. Feature `oxidd`
//!   replaces the store by that of the library OxiDD, to compare verdicts.
//!
//! Their tests are differential: formulas and `LassoSemantics` against the definition on random lasso words, guards and
//! diagrams against truth tables. Each method of the kernel is tested on its own, on strategies whose short plays are
//! enumerated. `.ci/mutants` applies some hundred mutations to the kernel; for each mutation that no test detects,
//! `fixtures/mutants/argued.md` explains why it changes no verdict.
//!
//! # Claims of other kinds
//!
//! That a controller is friendly, that none is, that an assumption cannot be broken, that a formula is the cause of an
//! effect, that a fact follows from the terms of its atoms, that the environment can choose numbers: `friendly`,
//! `unfalsifiable`, `causes`, `facts`, `number_strategy`, each with its own soundness argument. `friendly`, `causes` and
//! `number_strategy` use the kernel for emptiness checks. Proofs about numbers come from a prover that is not trusted, and
//! `linear` multiplies them out. That a player wins a game over a program: `programs`, by regions, answers and ranks.

#![forbid(unsafe_code)]

#[cfg(doc)]
use tsl_synth_core::base::DiagramStore;
#[cfg(doc)]
use tsl_synth_core::logic::{Alphabet, Class, Formulas, Guards, Inequality, LassoSemantics};
#[cfg(doc)]
use tsl_synth_core::model::{Circuit, CircuitBuilder, Contract, CounterStrategy, Mealy};

mod blame;
mod causes;
mod claim;
mod effects;
mod entry;
mod legal_histories;
mod fact_values;
mod facts;
mod linear;
mod monitors;
mod number_strategy;
mod friendly;
mod unfalsifiable;
mod trusted;
mod outcome;
mod programs;
mod search;
#[cfg(test)]
mod unit_tests;
mod tuning;
mod unfold;
mod vocabulary;

pub use blame::{Blame, Culprit, Tracker};
pub use causes::{CauseClaim, certify_cause};
pub use claim::{StrategyClaim, StrategyRef};
pub use entry::{certify, find_false_output, find_violation};
pub use facts::certify_fact;
pub use friendly::{Falsified, Friendly, certify_friendly, certify_none_friendly};
pub use linear::{Prover, refutes};
pub use monitors::{
    CompileFormula, EdgeSet, MonitorAutomaton, MonitorCondition, MonitoredFormula, certify_by_monitors,
};
pub use number_strategy::{NumberState, certify_numbers, defeats_with_free};
pub use outcome::{Certified, CertifyError, Violation};
pub use programs::certify_program;
pub use trusted::symbolic::{circuit_of_counter, circuit_of_mealy};
pub use unfalsifiable::is_always_unfalsifiable;
pub use unfold::{controller_of_circuit, counter_of_circuit};
pub use vocabulary::{
    Constant, DataAtom, DataId, DataTerm, NumberKind, Signal, SignalId, ValueOperation, Vocabulary,
};
