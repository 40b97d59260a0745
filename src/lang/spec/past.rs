//! Past operators of TSL, as registers: see `past_ltl`. `f every n` gets registers that count steps modulo n, in binary.

use super::past_ltl::PastAtoms;
use super::value::{ExpandedId, ExpandedValues};
use rustc_hash::FxHashSet;
use tsl_synth_core::base::Limit;
use tsl_synth_core::diag::{Code, Diagnostic, Diagnostics};
use tsl_synth_core::logic::{FormulaId, Formulas};

/// Reports past operators above future operators.
pub(super) fn check(values: &ExpandedValues, roots: &[ExpandedId], diagnostics: &mut Diagnostics) {
    let mut future: FxHashSet<ExpandedId> = FxHashSet::default();
    for id in values.reachable(roots.iter().copied()) {
        let value = values.get(id);
        let mut below = None;
        value.for_each_operand(|v| below = below.or(future.contains(&v).then_some(v)));
        if value.is_future_operator() || below.is_some() {
            future.insert(id);
        }
        if let Some(below) = below.filter(|_| value.is_past_operator()) {
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

impl PastAtoms<'_> {
    /// That the number of the step, from 0, is a multiple of a period of at least 2: all binary digits of a counter that
    /// begins with 0 and goes from `period - 1` to 0 are 0. Linear in the number of digits.
    ///
    /// # Errors
    /// More registers than the limit.
    pub(super) fn tick(&mut self, fs: &mut Formulas, period: i64) -> Result<FormulaId, Limit> {
        let last = period - 1;
        let count = i64::BITS - last.leading_zeros();
        let mut digits = Vec::new();
        for _ in 0..count {
            digits.push(self.reserve()?);
        }
        let bits: Vec<FormulaId> = digits.iter().map(|&atom| fs.atom(atom)).collect();
        let mut at_last = Vec::new();
        for (place, &bit) in bits.iter().enumerate() {
            at_last.push(if last >> place & 1 == 1 { bit } else { fs.not(bit) });
        }
        let at_last = fs.and(at_last);
        let goes_on = fs.not(at_last);
        let mut carry = fs.top();
        for (&atom, &bit) in digits.iter().zip(&bits) {
            let same = fs.iff(bit, carry);
            let changed = fs.not(same);
            let next = fs.and([goes_on, changed]);
            self.define(atom, next);
            carry = fs.and([carry, bit]);
        }
        let any = fs.or(bits);
        Ok(fs.not(any))
    }
}
