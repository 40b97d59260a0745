//! A sentence about when the assumptions became impossible on a play, and which player made them so.

use super::falsified::{broken, reported};
use tsl_synth_core::diag::{Code, Diagnostic};
use tsl_synth_core::source::SourceMap;
use tsl_synth_kernel::{Blame, Culprit, Falsified};
use tsl_synth_lang::spec::Problem;

/// The sentence about a play. `clause` is the text of the clause that [`Blame::assumption`] names; `is_machine` is
/// whether the controller plays the system.
pub fn blame_text(blame: &Blame, clause: Option<&str>, is_machine: bool) -> String {
    if blame.facts {
        return "this cannot happen by the meaning of the specification".into();
    }
    let (what, it) = match clause {
        Some(text) => (format!("the assumption `{text}`"), "it"),
        None => ("the assumptions".into(), "them"),
    };
    let since = if blame.steps == 0 { "from the start" } else { "any more" };
    let why = match blame.by {
        None => format!("nothing that the environment and the system do keeps {it}"),
        Some(Culprit::Environment) => "the input was not allowed by the assumptions".into(),
        Some(Culprit::System) if is_machine => format!("the controller's answer made {it} impossible"),
        Some(Culprit::System) => format!("the system's answer made {it} impossible"),
        Some(Culprit::Controller) if blame.steps == 0 => format!("no play of this controller keeps {it}"),
        Some(Culprit::Controller) => format!("no continuation of this controller keeps {it}"),
    };
    format!("{what} cannot be kept {since}: {why}")
}

/// The note on a machine that satisfies a specification and can make its assumptions false.
pub fn falsifying_machine(problem: &Problem, map: &SourceMap, how: &Falsified) -> Diagnostic {
    let message = format!("in this machine {}", broken(problem, map, how));
    reported(problem, map, Diagnostic::note(Code::MAY_FALSIFY, message), how)
}
