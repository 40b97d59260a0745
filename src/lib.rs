//! Certified reactive synthesis from temporal stream logic (TSL) and LTL.
//!
//! The pipeline is the table of contents; each stage yields the type that the next one takes:
//!
//! text → `syntax` (spanned trees) → `spec` (`Problem`: one formula per clause over one
//! `Alphabet`) → `automaton` (universal co-Büchi automata and deterministic monitors) →
//! `game` (bounded safety games for both players) → `mealy` (minimized machines) → `synth`
//! (portfolio, refinement, certification; a `Verdict`) → `explain` → `wire` and `emit`.
//!
//! # Conventions
//!
//! - Two players: the *environment* owns the inputs (predicate terms), the *system* owns the outputs
//!   (one update per cell and step). The system is a Mealy machine: it sees the inputs of a step before
//!   it chooses the outputs of that step. A counter-strategy of the environment is a Moore machine.
//! - A room imports only rooms that stand above it in the list of modules below. Nobody but the binary
//!   reads files, prints, sleeps or asks for the time; see [`base::Budget`] for the ports.
//! - Every answer is checked by `certify`, which shares data types with the engines and no algorithm.
//!
//! # Glossary
//!
//! | term | meaning |
//! |---|---|
//! | atom | an atomic proposition: a predicate term (input) or a Boolean output, or one update of a cell |
//! | cell | an output with one value out of its update terms in every step |
//! | bit | a Boolean variable of a guard; an input atom is one bit, a cell is ⌈log₂ n⌉ bits |
//! | letter | a valuation of all bits |
//! | clause | one formula of an `assume` or `guarantee` section, with the span it came from |
//! | fact | a constraint that the environment obeys by the meaning of TSL |
//! | UCW, NBW | universal co-Büchi, nondeterministic Büchi automaton on infinite words |

pub mod base;
pub mod source;
pub mod diag;
pub mod logic;
pub mod model;
pub mod format;
pub mod certify;
pub mod syntax;
pub mod spec;
pub mod automaton;
pub mod game;
pub mod mealy;
pub mod synth;
pub mod explain;
pub mod wire;
pub mod emit;
