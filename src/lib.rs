//! Certified reactive synthesis from temporal stream logic (TSL) and LTL.
//!
//! Given a contract over inputs and outputs, is there a controller that keeps it whatever its environment does? This
//! library answers with a machine or with a counter-strategy, and each answer is model-checked before it is returned.
//! The entry point for programs is [`service`]: a [`service::Session`] takes requests and returns reports.
//!
//! ```
//! use tsl_synth::service::{CheckRequest, EmitRequest, Lang, Session, SpecLanguage, SpecRequest};
//!
//! # fn main() -> Result<(), tsl_synth::service::Failure> {
//! let spec = SpecRequest::text(
//!     SpecLanguage::Tsl,
//!     "lamp.tsl",
//!     "cell lamp: Bool = false;
//!      always guarantee { press && !lamp -> [lamp <- true]; press && lamp -> [lamp <- false]; !press -> [lamp <- lamp]; }",
//! );
//! let mut session = Session::new();
//! let report = session.check(&CheckRequest::new(spec.clone()))?;
//! assert!(report.is_realizable() && report.certificate.is_some());
//! let code = session.emit(&EmitRequest::new(spec, Lang::Js))?;
//! assert!(code.main().text().is_some_and(|text| text.contains("export class Controller")));
//! # Ok(())
//! # }
//! ```
//!
//! # The pipeline
//!
//! Each stage yields the type that the next one takes. Modules in *italics* are private: engines change from version to
//! version, and their results are checked by code that shares no algorithm with them.
//!
//! | stage | module | yields |
//! |---|---|---|
//! | text is parsed | [`syntax`], [`diag`] | spanned trees; [`diag::Diagnostic`]s for what is wrong |
//! | names and sorts are resolved | [`spec`] | [`spec::Problem`]: one formula per clause over one [`logic::Alphabet`] |
//! | formulas become automata | *automaton* | [`model::Buchi`], [`model::EmersonLei`], [`model::Monitor`] |
//! | games are solved | *game* | a strategy of one of the two players |
//! | the strategy becomes a machine | *mealy* | [`model::Mealy`], [`model::CounterStrategy`], [`model::Circuit`] |
//! | answers are combined into a verdict | *synth* (`synthesize` in `synth/mod.rs`) | [`model::Verdict`] |
//! | and checked before `synthesize` returns it | *certify* (`certify` in `certify/entry.rs`) | [`service::Certificate`], or a failure that is exit code 4 |
//! | the verdict is explained | *explain* | [`service::Explanation`], [`service::cause`]s |
//! | an agent is run | [`control`] | [`control::Exchange`]s with models and the world |
//! | results are data | [`wire`], filled in by [`service`] | documents for JSON, with versions |
//! | controllers are code | [`mod@emit`] | [`emit::EmittedFile`]s |
//! | all stages in one call | [`service`] | reports |
//! | texts are edited | [`service::editor`]; the protocol is in `src/bin/tsl-synth/lsp` | findings, names, hovers, edits |
//! | reports are printed | the program: a file for each verb in `src/bin/tsl-synth`, `report.rs` for `check` and `explain` | text for people |
//!
//! [`mod@format`] reads and writes machines, automata and traces in the formats of other programs.
//!
//! # Where to add features
//!
//! - a target language: [`emit::Lang`] with its list `ALL`, a dialect in `src/emit/dialect`, reserved words in
//!   `reserved.rs`, templates in `templates/` and `templates.rs`; then `tests/it/emit`. A diagram or automaton is an arm of
//!   `table` in `src/emit/mod.rs` instead;
//! - a diagnostic: a line in `src/diag/codes.rs` with its code and text, and the code that reports it: in `syntax` and
//!   `spec` for the input, in `explain/health.rs` for a contract; an example in `fixtures/diagnostics`;
//! - an engine: a file in `src/game`, a method of `Settler` in `src/synth/settler.rs`, its turn in `settle.rs`, names
//!   in [`model::Engine`] and [`model::SolvedBy`], the flag in `args.rs` and `settings.rs`; the certifier does not
//!   change;
//! - a use case: a file in `src/service` with its request, its report and a method of [`service::Session`] (`format.rs` is
//!   the smallest); a verb is a file in `src/bin/tsl-synth` with its flags in `args.rs`, its arm in `main.rs` and its name in
//!   `help.rs`.
//!
//! # Features
//!
//! `cli` (on by default) has the dependencies that only the program needs: command line, progress bar, signals; `tui`
//! (on by default) enables `simulate --tui`; `http` (on by default) enables oracles that are models at an HTTP address.
//! A library user turns them off with `default-features = false`. `internals` makes the private modules public for the
//! tests of this package; nothing in them is stable.
//!
//! # Conventions
//!
//! - Two players: the *environment* owns the inputs (predicate terms), the *system* owns the outputs
//!   (one update per cell and step). The system is a Mealy machine: it sees the inputs of a step before
//!   it chooses the outputs of that step. A counter-strategy of the environment is a Moore machine.
//! - A module imports only modules above it in the list below. The library reads no files, prints nothing, does not
//!   sleep or ask for the time; programs provide files and clock through the ports of [`service`].
//! - Public types that may grow are `#[non_exhaustive]`; errors implement [`std::error::Error`].
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
//! | fact | a constraint that every environment obeys by the semantics of TSL |
//! | UCW, NBW | universal co-Büchi, nondeterministic Büchi automaton on infinite words |

#![forbid(unsafe_code)]
// Without `internals` the engine modules are private, and items in them that only tests use are not dead code.
#![cfg_attr(not(feature = "internals"), allow(dead_code, unreachable_pub, unused_imports))]

pub mod base;
pub mod source;
pub mod diag;
pub mod logic;
pub mod model;
pub mod format;
#[cfg(feature = "internals")]
pub mod certify;
#[cfg(not(feature = "internals"))]
mod certify;
pub mod syntax;
pub mod spec;
#[cfg(feature = "internals")]
pub mod automaton;
#[cfg(not(feature = "internals"))]
mod automaton;
#[cfg(feature = "internals")]
pub mod game;
#[cfg(not(feature = "internals"))]
mod game;
#[cfg(feature = "internals")]
pub mod mealy;
#[cfg(not(feature = "internals"))]
mod mealy;
#[cfg(feature = "internals")]
pub mod synth;
#[cfg(not(feature = "internals"))]
mod synth;
#[cfg(feature = "internals")]
pub mod explain;
#[cfg(not(feature = "internals"))]
mod explain;
pub mod control;
pub mod wire;
pub mod emit;
pub mod service;
