//! What an editor asks while somebody types: text in, plain data out, without any protocol. [`Sketch`] answers from the text
//! alone, and does so for every text; [`Session::read_spec`](super::Session::read_spec) and
//! [`Session::judge`](super::Session::judge) know what `check` knows.

mod positions;
mod reading;
mod sketch;

pub use positions::{ColumnUnit, Lines};
pub use reading::{Finding, FindingPlace, KnownName, KnownNames, Reading};
pub use sketch::{ImportAt, NameRole, NamedThing, OutlineItem, OutlineKind, Sketch};
