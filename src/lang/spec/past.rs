//! Past operators. `Y f` and `a S b` get a hidden Boolean cell that stores the value of `f`, or of `a S b`, in the
//! previous step; it is false in the first step. With the laws `a S b = b || (a && Y (a S b))`, `Z f = !Y !f`,
//! `O f = true S f`, `H f = !O !f`, `a T b = !(!a S !b)` this encoding is exact, provided that no future operator is
//! below a past operator.

use super::signature::{SymbolId, TermId};
use super::value::{ExpandedId, ExpandedValues};
use rustc_hash::FxHashSet;
use tsl_synth_core::diag::{Code, Diagnostic, Diagnostics};

/// The past operators of a specification.
#[derive(Debug, Default)]
pub(super) struct PastOperators {
    /// In the order of values.
    pub(super) operators: Vec<ExpandedId>,
}

/// The cell of one past operator.
#[derive(Clone, Copy, Debug)]
pub(super) struct PastCell {
    pub(super) value: ExpandedId,
    pub(super) symbol: SymbolId,
    pub(super) signal: TermId,
}

/// Finds all past operators; one above a future operator is an error.
pub(super) fn find(
    values: &ExpandedValues,
    roots: &[ExpandedId],
    diagnostics: &mut Diagnostics,
) -> PastOperators {
    let mut past = PastOperators::default();
    let mut future: FxHashSet<ExpandedId> = FxHashSet::default();
    for id in values.reachable(roots.iter().copied()) {
        let value = values.get(id);
        let mut below = None;
        value.for_each_operand(|v| below = below.or(future.contains(&v).then_some(v)));
        if value.is_future_operator() || below.is_some() {
            future.insert(id);
        }
        if value.is_past_operator() {
            past.operators.push(id);
            if let Some(below) = below {
                diagnostics.push(
                    Diagnostic::error(
                        Code::PAST_OVER_FUTURE,
                        "a past operator cannot be above a future operator",
                    )
                    .at(values.span(id), "`Y`, `Z`, `O`, `H`, `S` or `T`")
                    .at(values.span(below), "speaks about the future")
                    .hint("`Y X f` is `f`, except in the first step; move the past operator inside"),
                );
            }
        }
    }
    past
}
