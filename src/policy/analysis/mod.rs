//! Static analysis of a policy for `check`: laws that exclude each other, words into states in which no choice is
//! legal, vacuous laws, tables that match nothing.
//!
//! An action is *step-legal* in a state if no letter with it violates a law forever. If the action is chosen first
//! (`timing = "next"`), these are all letters with which the world may complete it; if the rest of the letter is known
//! (`timing = "same"`), it is this letter. A state is *over-constrained* if no choice is step-legal. Doing nothing is a
//! choice if the policy has `idle = true`; if the action is chosen last, doing nothing adds no letter, so that such a
//! policy is never over-constrained.

mod cycles;
mod conflicts;
mod copies;
mod cores;
mod emptied;
mod frame;
mod grounding;
mod joint;
mod laws;
mod lints;
mod loss;
mod moves;
mod possible;
mod product;
mod search;
mod shape;
mod spellings;
mod trajectory;
mod traps;
mod world;

pub use conflicts::{BlockedChoices, Conflict, Conflicts, blocked_after, conflicts};
pub use copies::{Copying, copies};
pub use cores::{MAX_CORES, cores};
pub use cycles::{Cycle, cycles};
pub use emptied::emptied;
pub use frame::{AgentChoice, Alternation, AnalysisFrame, ChoiceId, Edges};
pub use grounding::{Grounding, RecordedSession, ground, ground_law};
pub use joint::{EditEffect, JointAnswer, edit_effect, is_never_stuck, joint};
pub use laws::{LawFinding, implies, law_finding, law_findings};
pub use lints::{Lint, lints};
pub use possible::{SessionSearch, find_session};
pub use product::{ProductReport, product};
pub use search::{SEARCH_STATES, SearchReport, Stuck, search};
pub use shape::{Shape, shape};
pub use spellings::{ReadSpelling, TableSpellings, look_alikes, spellings};
pub use trajectory::{Trajectory, TrajectoryStep, violated};
pub use traps::{LookAhead, TRAP_POSITIONS, Trap, letter_names, look_ahead};
