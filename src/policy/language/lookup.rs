//! Lookup of names and keywords that several tables of a policy use.

use super::atoms::{ActionId, Atoms, Named, PropositionId};
use super::formula::unknown;
use super::types::DefaultRuling;
use tsl_synth_core::diag::{Code, Diagnostic, Diagnostics};
use tsl_synth_core::source::Span;
use tsl_synth_ltl::spelling::nearest;

pub(super) const UNMATCHED: &[(&str, DefaultRuling)] = &[
    ("deny", DefaultRuling::Deny),
    ("ask", DefaultRuling::Ask),
    ("allow", DefaultRuling::Allow),
    ("warn", DefaultRuling::Warn),
];

/// The proposition of a name.
pub(super) fn proposition(
    atoms: &Atoms,
    name: &str,
    span: Span,
    diagnostics: &mut Diagnostics,
) -> Option<PropositionId> {
    match atoms.named(name) {
        Some(Named::Proposition(id)) => Some(id),
        Some(_) => {
            let error = Diagnostic::error(Code::POLICY_UNKNOWN, format!("`{name}` is no proposition"));
            diagnostics.push(error.at(span, "here"));
            None
        }
        None => {
            diagnostics.push(unknown(name, span, atoms));
            None
        }
    }
}

/// The action of a name.
pub(super) fn action(
    atoms: &Atoms,
    name: &str,
    span: Span,
    diagnostics: &mut Diagnostics,
) -> Option<ActionId> {
    if let Some(Named::Action(id)) = atoms.named(name) {
        return Some(id);
    }
    let error = Diagnostic::error(Code::POLICY_UNKNOWN, format!("the policy has no action `{name}`"))
        .at(span, "here");
    let near = nearest(name, atoms.actions.iter().map(|action| action.name.as_str()));
    diagnostics.push(match near {
        Some(near) => error.hint(format!("did you mean `{near}`?")),
        None => error.hint("an action is named by a table, a group of `[actions]`, or `use`"),
    });
    None
}

/// The proposition of a name; computed ones cannot be set.
pub(super) fn settable(
    atoms: &Atoms,
    name: &str,
    span: Span,
    diagnostics: &mut Diagnostics,
) -> Option<PropositionId> {
    let id = proposition(atoms, name, span, diagnostics)?;
    if atoms.propositions[id].is_computed {
        let error = Diagnostic::error(Code::POLICY_FIELD, format!("`{name}` is computed by a register"));
        diagnostics.push(error.at(span, "it cannot be set"));
        return None;
    }
    Some(id)
}
