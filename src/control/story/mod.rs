//! An agent whose controller is synthesized from a specification in TSL: the controller chooses the updates, models fill
//! in their content (Rothkopf, Santolucito et al., arXiv 2402.16905, sections 4 and 5).
//!
//! A turn has four steps: the *evaluator* says which predicates hold of the last passage; the controller picks an update
//! for every cell; the *generator* writes what the update asks for, from the prompt of the update, the user's message
//! and a summary; the summary is renewed. Arithmetic and comparisons over cells are computed, nobody is asked.
//!
//! | file | what it does |
//! |---|---|
//! | `plan` | how each predicate is evaluated and each update computed, from the specification and its table of prompts |
//! | `values` | terms evaluated over the values of cells |
//! | `judge` | clauses beside monitors: what a run violates, and who is to blame |
//! | `watch` | the controller beside monitors of the assumptions; what a broken assumption does |
//! | `turn` | what a turn holds |
//! | `play` | the turns |

mod judge;
mod plan;
mod play;
mod turn;
mod values;
mod watch;

pub use judge::{Observed, StepJudgment, WatchedClause, WatchedClauses};
pub use plan::{PredicateSource, QuestionContext, Story, UpdateSource, checks, unknown_prompts};
pub use play::{Audience, BrokenGuarantee, NoAudience, Played, StoryEnd, StoryOptions};
pub use turn::{AppliedUpdate, Evaluated, Evaluation, Turn};
pub use values::Value;
