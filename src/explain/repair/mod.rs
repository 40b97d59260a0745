//! Repairs of unrealizable problems: assumptions under which there is a controller, and weaker guarantees.
//!
//! Counter-strategy guided search: a counter-strategy all of whose plays keep an assumption defeats the problem with
//! that assumption as well, so only assumptions that each known counter-strategy breaks are worth a question, and each
//! question that is answered with a counter-strategy rules out others (Alur, Moarref and Topcu 2013, "Counter-strategy
//! guided refinement of GR(1) temporal logic specifications"; Li, Dworkin and Seshia 2011, "Mining assumptions for
//! synthesis"). Sets of assumptions must hit every counter-strategy, found as hitting sets (Cavezza and Alrajeh 2017,
//! "Interpolation-based GR(1) assumptions refinement", for weakness as the measure; hitting sets as for diagnoses,
//! Reiter 1987). Departures: full LTL, responses and exclusions among the forms, weaker guarantees by the same search,
//! and every repair that is offered is verified: the repaired problem has a friendly controller (see
//! [`certify_friendly`](tsl_synth_kernel::certify_friendly)), certified, so that it does not win by making the
//! assumptions false; the environment can keep them against every system, certified too, so no added assumption is
//! unsatisfiable, contradicts the others, or can be broken by the system; and the trigger of an added assumption
//! happens on a play of that controller that satisfies all of them.

mod order;
mod search;
mod sections;
mod templates;
mod text;
mod weaker;

pub use search::{RepairEffort, repairs};
pub use sections::repaired;
pub use templates::Template;
pub(crate) use text::formula_text;
pub use weaker::Weakening;

use tsl_synth_core::logic::FormulaId;
use tsl_synth_lang::spec::ClauseId;

/// An assumption to add.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Addition {
    /// Its form.
    pub template: Template,
    /// The assumption, in the arena of [`Repairs::formulas`].
    pub formula: FormulaId,
    /// Whether it holds in every step; [`Addition::text`] is then without the outermost `G` in TSL.
    pub always: bool,
    /// Its text in the language of the specification.
    pub text: String,
    /// The section of TLSF to which it must be added, where that matters.
    pub section: Option<&'static str>,
}

/// A guarantee to weaken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Weakened {
    /// The kind of weakening.
    pub weakening: Weakening,
    /// The guarantee.
    pub clause: ClauseId,
    /// The formula that replaces it; `None` when it is dropped.
    pub formula: Option<FormulaId>,
    /// Whether it holds in every step, as for [`Addition`].
    pub always: bool,
    /// Its text in the language of the specification; empty when it is dropped.
    pub text: String,
    /// The section of TLSF in which it is written, where that matters.
    pub section: Option<&'static str>,
}

/// A verified repair. One of the two lists is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Repair {
    /// Assumptions to add, all of them.
    pub additions: Vec<Addition>,
    /// Guarantees to weaken, all of them.
    pub changes: Vec<Weakened>,
    /// Guarantees of the core that are vacuous now, because the assumptions imply them.
    pub idle: Vec<ClauseId>,
    /// Whether the trigger of some guarantee of the core never happens with the controller that was found. Another
    /// controller may differ, so this only affects the order of repairs.
    pub unexercised: bool,
}

/// The repairs that were found, best first.
#[derive(Clone, Debug)]
pub struct Repairs {
    /// The repairs.
    pub repairs: Vec<Repair>,
    /// Owns the formulas of the repairs; an extension of the problem's own arena.
    pub formulas: tsl_synth_core::logic::Formulas,
    /// Whether the search tried all its candidates.
    pub complete: bool,
}
