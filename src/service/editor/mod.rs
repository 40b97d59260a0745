//! Services for an editor while a user types: text in, plain data out, without any protocol. [`Sketch`] answers from
//! the text alone, and does so for every text; [`Session::read_spec`](crate::Session::read_spec) and
//! [`Session::check_edited`](crate::Session::check_edited) read and solve the specification as `check` does.

mod complete;
mod fixes;
mod hover;
mod inlays;
mod names;
mod positions;
mod reading;
mod repairs;
mod sentence;
mod sketch;
mod tokens;
mod verdict;

pub use complete::{Completion, CompletionKind};
pub use hover::Hover;
pub use inlays::Inlay;
pub use names::{Introduction, NameUse};
pub use positions::{ColumnUnit, Lines};
pub use reading::{Finding, FindingPlace, KnownName, KnownNames, Reading};
pub use repairs::{EditProposal, TextEdit};
pub use sketch::{ImportAt, NameRole, NamedThing, OutlineItem, OutlineKind, Sketch};
pub use tokens::{HighlightKind, HighlightToken};
pub use verdict::{JudgedSpec, KeptVerdicts, SpecVerdict};
