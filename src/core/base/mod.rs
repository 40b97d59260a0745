//! Typed ids, id-indexed tables and sets, the budget of a computation, a hash, partition refinement, a SAT solver,
//! stores of decision diagrams, exact decimals and rational numbers, and patterns of names.

mod budget;
pub mod calendar;
mod characters;
mod decimal;
pub mod diagrams;
mod glob;
mod hash;
mod ids;
#[cfg(feature = "oxidd")]
pub mod oxidd_store;
mod partition;
mod random;
mod rational;
mod sat;
#[cfg(feature = "oxidd")]
pub mod recording;
mod stack;
pub mod steps;
mod store;
mod text;

pub use budget::{Budget, Limit, LimitKind, StopFlag};
pub use characters::is_deceptive;
pub use decimal::{DECIMAL_PLACES, Decimal};
#[cfg(not(feature = "oxidd"))]
pub use diagrams::{Diagram, DiagramStore, Replacement};
pub use glob::{BadGlob, GLOB_LENGTH, Glob, GlobKind, from_home};
pub use hash::sha256;
pub use ids::{Id, IdSet, IdVec};
pub use partition::coarsest_partition;
pub use random::Random;
pub(crate) use rational::gcd;
pub use rational::{Rational, short_gcd};
pub use sat::Sat;
pub use stack::{LARGE_STACK, NoResult, on_large_stack, with_large_stack};
pub use store::{Applied, BooleanFunction, Charge, Operation, Spent, Store, Variable};
pub use text::{abridged, counted, csv_field, escape_markup, unfenced};

/// The store that engine and certifier use.
#[cfg(feature = "oxidd")]
pub type DiagramStore = recording::Recorder<oxidd_store::OxiddStore>;
/// Its functions.
#[cfg(feature = "oxidd")]
pub type Diagram = <DiagramStore as Store>::Function;
/// Its replacements.
#[cfg(feature = "oxidd")]
pub type Replacement = <DiagramStore as Store>::Replacement;
