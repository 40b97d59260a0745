//! The critic of LTLCrit (Gokhale, Srivastava and Bullo 2025, section 3.4): edits of laws that recorded runs support.
//!
//! Edits come from a model ([`prompt`]) or from mining ([`mine`], [`relax`]). Whether an edit is admitted is decided
//! elsewhere: nothing here changes a policy.

mod goal;
mod mine;
mod prompt;
mod relax;
mod runs;

pub use goal::Goal;
pub use mine::{MineOptions, mine};
pub use prompt::{PromptParts, prompt};
pub use relax::{delete, relax};
pub use runs::{Feature, FeatureId, RecordedRun, Run, RunStep, features, run};
