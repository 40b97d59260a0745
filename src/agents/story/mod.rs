//! An agent whose controller is synthesized from a specification in TSL: the controller chooses the updates, models
//! fill in their content (Rothkopf, Santolucito et al., arXiv 2402.16905, sections 4 and 5).
//!
//! A turn has four steps: the *evaluator* decides which predicates hold of the last passage; the controller picks an
//! update for every cell; the *generator* writes the content of the update, from the prompt of the update, the user's
//! message and a summary; the summary is renewed. Arithmetic and comparisons over cells are computed without an oracle.
//!
//! | file | what it does |
//! |---|---|
//! | `plan` | how each predicate is evaluated and each update computed, from the specification and its table of prompts |
//! | `values` | terms evaluated over the values of cells |
//! | `judge` | monitors of clauses: the violations in a run, and the player who caused them |
//! | `watch` | the controller with monitors of the assumptions; the reaction to a broken assumption |
//! | `turn` | the record of a turn |
//! | `play` | the loop over the turns |
//! | `alone` | the turns of a model without a controller, which is told the rules |

mod alone;
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
