//! The only composer: runs the engines, refines the abstraction of TSL, minimizes, and has every answer
//! certified.

mod options;

pub use options::{Certificate, Engine, Options, Outcome, Statistics};

use crate::base::{Limit, LimitKind, Observer};
use crate::model::{Unknown, Verdict};
use crate::spec::Problem;

/// Decides a problem and certifies the answer.
///
/// The arena of formulas grows; the clauses of the problem stay. Facts found by refinement are in
/// [`Outcome::constraints`]; the verdict holds for the problem with them.
pub fn synthesize(_problem: &mut Problem, _options: &Options, _observer: &dyn Observer) -> Outcome {
    Outcome {
        verdict: Verdict::Unknown(Unknown {
            stage: "engine".into(),
            limit: Limit::new(LimitKind::Work, "no engine yet"),
        }),
        certificate: None,
        constraints: Vec::new(),
        failure: None,
        statistics: Statistics::default(),
    }
}
