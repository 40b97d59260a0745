//! Laws written with a named pattern.

use super::read::Context;
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::syntax::data::Data;

/// The formula of a pattern.
pub(super) fn ltl(_context: &mut Context<'_>, rule: &Data, diagnostics: &mut Diagnostics) -> Option<String> {
    diagnostics.push(Diagnostic::error(Code::POLICY_LAW, "patterns are not read yet").at(rule.span, "here"));
    None
}
