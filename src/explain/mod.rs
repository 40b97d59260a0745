//! Why there is no controller, and whether a contract says what it seems to say. Asks `synth`, so that
//! every claim rests on certified answers.
//!
//! [`minimal_core`] finds clauses that cannot be kept together, [`losing_play`] a play against them that a
//! reader can follow, [`forced_loss`] a shortest one that ends, [`story`] says both in a sentence, and
//! [`examine`] looks at contracts whose verdict means less than it seems to.

pub mod cause;
mod ask;
mod blame;
mod claim;
mod clause;
mod compare;
mod deletion;
mod endless;
mod falsified;
mod forced;
mod given;
mod growth;
mod health;
mod lassos;
mod idle;
mod letters;
mod lost;
mod marco;
mod play;
mod progress;
mod repair;
mod shortest;
mod story;
mod trigger;
mod tuning;
mod values;
mod watch;

pub use blame::{blame_text, falsifying_machine};
pub use clause::{cited, clause_parts, clause_text, role_word};
pub use compare::{Distinguishing, LanguageComparison, OneWay, compare};
pub use deletion::{Core, minimal_core};
pub use endless::PlayStep;
pub use falsified::falsified;
pub use forced::{Forced, forced_loss};
pub use given::is_given;
pub use health::{Examined, FINDINGS, FindingScope, examine};
pub use idle::never_done;
pub use letters::idle;
pub use lost::{Lost, lost};
pub use marco::{Cores, all_cores};
pub use play::{BrokenClause, LosingPlay, PlayEnding, losing_play};
pub use repair::{Addition, Repair, RepairEffort, Repairs, Template, Weakened, Weakening, repairs};
pub use story::story;
pub use values::values_told;
pub use watch::ClauseWatch;
