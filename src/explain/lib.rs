//! Explanations of why there is no controller, and checks of whether a contract means what it seems to mean. All
//! questions go to `synth`, so every claim rests on certified answers.
//!
//! [`minimal_core`] finds guarantees that cannot be kept together, [`losing_play`] a readable play in which the system
//! violates one, [`forced_loss`] a shortest finite one, [`explanation_sentence`] describes both in a sentence, and [`examine`] reports
//! contracts whose verdict means less than it seems to.

#![forbid(unsafe_code)]

pub mod cause;
mod synthesis_queries;
mod arithmetic;
mod asked;
mod blame;
mod chain;
mod claim;
mod clause;
mod compare;
mod cores;
mod counter_repr;
mod endless;
mod falsified;
mod forced;
mod given;
mod health;
mod lassos;
mod idle;
mod letters;
mod lost;
mod marco;
mod number_cells;
mod numbers;
mod opponent;
mod play;
mod progress;
mod repair;
mod shortest;
mod shown;
mod explanation_sentence;
mod trigger;
mod unread;
mod tuning;
mod values;
mod watch;
mod weight;

pub use arithmetic::may_hang_on_arithmetic;
pub use asked::{Asked, Reasons, UpdateReason};
pub use blame::{blame_text, falsifying_machine};
pub use chain::{ChainLink, Owed, chain};
pub use clause::{
    cited, clause_parts, clause_quote, clause_text, clause_with_line, line_parts, line_quote, role_word,
};
pub use compare::{Distinguishing, LanguageComparison, OneWay, compare};
pub use cores::{Core, minimal_core};
pub use counter_repr::CounterRepr;
pub use endless::PlayStep;
pub use explanation_sentence::explanation_sentence;
pub use falsified::falsified;
pub use forced::{Forced, forced_loss};
pub use given::is_given;
pub use health::{Examined, FINDINGS, FindingScope, examine};
pub use idle::never_done;
pub use letters::idle;
pub use lost::{Lost, lost};
pub use marco::{Cores, all_cores};
pub use number_cells::updates_of_numbers;
pub use numbers::losing_play;
pub use play::{BrokenClause, LosingPlay, PlayEnding};
pub use repair::{Addition, Repair, RepairEffort, Repairs, Template, Weakened, Weakening, repaired, repairs};
pub use shown::{ShownStep, shown_steps};
pub use unread::{never_read, unread_inputs};
pub use values::{first_unavailable, literal_text, values_told};
pub use watch::ClauseWatch;
pub use weight::{ClauseWeight, MOST_WEIGHED, clause_weights};
