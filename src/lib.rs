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
//! This package is the facade of a workspace: it re-exports what a program needs, and its program is the command line.
//! The other packages, `tsl-synth-*`, may change in any version; `src/README.md` in the repository describes them.
//!
//! # Features
//!
//! `cli` (on by default) is the command line with the dependencies that only it needs; `tui` (on by default) enables
//! `simulate --tui`; `http` (on by default) enables oracles that are models at an HTTP address. A user of the library
//! turns them off with `default-features = false`. `oxidd` takes the decision diagrams of another library, to compare
//! with ours.
//!
//! # Conventions
//!
//! - The library reads no files, prints nothing, does not sleep or ask for the time; programs provide files and clock
//!   through the ports of [`service`].
//! - Errors implement [`std::error::Error`].

#![forbid(unsafe_code)]

pub use tsl_synth_agents as control;
pub use tsl_synth_core::{base, diag, logic, model, source};
pub use tsl_synth_documents as wire;
pub use tsl_synth_emit as emit;
pub use tsl_synth_formats as format;
pub use tsl_synth_gate as gate;
pub use tsl_synth_lang::{spec, syntax};
pub use tsl_synth_policy as policy;
pub use tsl_synth_seats as seats;
pub use tsl_synth_service as service;
