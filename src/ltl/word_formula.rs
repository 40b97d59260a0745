//! Formulas on finite words from the operators of LTL, each with its negation. They are built from trees and not from
//! [`tsl_synth_core::logic::Formulas`], whose simplifications are sound on infinite words only.

use crate::operators::{BinaryOp, UnaryOp};
use tsl_synth_core::logic::{FiniteFormulas, FiniteId};

/// The largest bound of an operator.
pub const MAX_BOUND: u64 = 1 << 10;

/// A formula and its negation.
pub type Pair = (FiniteId, FiniteId);

/// Builds formulas in an arena.
pub struct FormulaPairs<'a> {
    /// The arena.
    pub formulas: &'a mut FiniteFormulas,
}

impl FormulaPairs<'_> {
    /// True or false.
    pub fn constant(&mut self, value: bool) -> Pair {
        (self.formulas.constant(value), self.formulas.constant(!value))
    }
    /// A letter.
    pub fn letter(&mut self, letter: u32) -> Pair {
        (self.formulas.letter(letter), self.formulas.not_letter(letter))
    }
    /// The conjunction.
    pub fn and(&mut self, a: Pair, b: Pair) -> Pair {
        (self.formulas.and(a.0, b.0), self.formulas.or(a.1, b.1))
    }
    /// The disjunction.
    pub fn or(&mut self, a: Pair, b: Pair) -> Pair {
        (self.formulas.or(a.0, b.0), self.formulas.and(a.1, b.1))
    }
    pub(super) fn next(&mut self, a: Pair) -> Pair {
        (self.formulas.next(a.0), self.formulas.strong_next(a.1))
    }
    /// The strong next: false at the end of the word.
    pub fn strong_next(&mut self, a: Pair) -> Pair {
        (self.formulas.strong_next(a.0), self.formulas.next(a.1))
    }
    fn until(&mut self, a: Pair, b: Pair) -> Pair {
        (self.formulas.until(a.0, b.0), self.formulas.release(a.1, b.1))
    }
    fn release(&mut self, a: Pair, b: Pair) -> Pair {
        (self.formulas.release(a.0, b.0), self.formulas.until(a.1, b.1))
    }
    fn weak_until(&mut self, a: Pair, b: Pair) -> Pair {
        let either = self.or(a, b);
        self.release(b, either)
    }
    fn since(&mut self, a: Pair, b: Pair) -> Pair {
        (self.formulas.since(a.0, b.0), self.formulas.triggered(a.1, b.1))
    }
    fn triggered(&mut self, a: Pair, b: Pair) -> Pair {
        (self.formulas.triggered(a.0, b.0), self.formulas.since(a.1, b.1))
    }
    /// Whether it has a future operator; such a formula cannot be an operand of a past operator.
    pub(super) fn has_future(&self, a: Pair) -> bool {
        self.formulas.has_future(a.0)
    }
    /// `None` for a past operator above a future operator.
    pub fn unary(&mut self, op: UnaryOp, a: Pair) -> Option<Pair> {
        let is_past = !matches!(
            op,
            UnaryOp::Not | UnaryOp::Next | UnaryOp::Finally | UnaryOp::Globally | UnaryOp::Negate
        );
        if is_past && self.has_future(a) {
            return None;
        }
        let (top, bottom) = (self.constant(true), self.constant(false));
        Some(match op {
            UnaryOp::Not => (a.1, a.0),
            UnaryOp::Next => self.next(a),
            UnaryOp::Finally => self.until(top, a),
            UnaryOp::Globally => self.release(bottom, a),
            UnaryOp::Yesterday => (self.formulas.yesterday(a.0), self.formulas.weak_yesterday(a.1)),
            UnaryOp::WeakYesterday => (self.formulas.weak_yesterday(a.0), self.formulas.yesterday(a.1)),
            UnaryOp::Once => self.since(top, a),
            UnaryOp::Historically => self.triggered(bottom, a),
            UnaryOp::Negate | UnaryOp::Size | UnaryOp::Min | UnaryOp::Max => return None,
        })
    }
    /// `None` for a past operator above a future operator.
    pub fn binary(&mut self, op: BinaryOp, a: Pair, b: Pair) -> Option<Pair> {
        let not = |(f, g): Pair| (g, f);
        let is_past = matches!(op, BinaryOp::Since | BinaryOp::Trigger);
        if is_past && (self.has_future(a) || self.has_future(b)) {
            return None;
        }
        Some(match op {
            BinaryOp::And => self.and(a, b),
            BinaryOp::Or => self.or(a, b),
            BinaryOp::Implies => self.or(not(a), b),
            BinaryOp::Iff | BinaryOp::Xor => {
                let (both, neither) = (self.and(a, b), self.and(not(a), not(b)));
                let same = self.or(both, neither);
                if op == BinaryOp::Iff { same } else { not(same) }
            }
            BinaryOp::Until => self.until(a, b),
            BinaryOp::Release => self.release(a, b),
            BinaryOp::WeakUntil => self.weak_until(a, b),
            BinaryOp::StrongRelease => {
                let both = self.and(a, b);
                self.until(b, both)
            }
            BinaryOp::AsSoonAs => {
                let both = self.and(a, b);
                self.weak_until(not(b), both)
            }
            BinaryOp::Since => self.since(a, b),
            BinaryOp::Trigger => self.triggered(a, b),
            _ => return None,
        })
    }
    /// `X[n] f` is weak; the steps of `F[n:m] f` must exist, those of `G[n:m] f` need not; the past operators are their
    /// mirror images, and the steps of `Y[n] f` must exist. `None` if a bound is above [`MAX_BOUND`], or for a past
    /// operator above a future operator.
    pub fn bounded(&mut self, op: UnaryOp, low: u64, high: Option<u64>, body: Pair) -> Option<Pair> {
        if low.max(high.unwrap_or(0)) > MAX_BOUND {
            return None;
        }
        let step = match op {
            UnaryOp::Once | UnaryOp::Yesterday => UnaryOp::Yesterday,
            UnaryOp::Historically | UnaryOp::WeakYesterday => UnaryOp::WeakYesterday,
            _ => UnaryOp::Next,
        };
        let strong = matches!(op, UnaryOp::Finally | UnaryOp::Once);
        let mut f = match (op, high) {
            (UnaryOp::Next | UnaryOp::Yesterday | UnaryOp::WeakYesterday, _) => body,
            (_, None) => self.unary(op, body)?,
            (_, Some(high)) if low > high => return Some(self.constant(!strong)),
            (_, Some(high)) => {
                let mut f = body;
                for _ in low..high {
                    let other = self.step(op, step, f)?;
                    f = if strong { self.or(body, other) } else { self.and(body, other) };
                }
                f
            }
        };
        for _ in 0..low {
            f = self.step(op, step, f)?;
        }
        Some(f)
    }
    /// `X[n!] f`, `F[n:m!] f`, `G[n:m!] f`, whose steps have to exist: `X[!]` in the place of each `X`. `None` as for
    /// [`Self::bounded`].
    pub fn bounded_strong(&mut self, op: UnaryOp, low: u64, high: Option<u64>, body: Pair) -> Option<Pair> {
        if low.max(high.unwrap_or(0)) > MAX_BOUND {
            return None;
        }
        let mut f = match (op, high) {
            (UnaryOp::Next, _) => body,
            (UnaryOp::Globally, None) => self.unary(op, body)?,
            (UnaryOp::Globally, Some(high)) if low > high => return Some(self.constant(true)),
            (UnaryOp::Globally, Some(high)) => {
                let mut f = body;
                for _ in low..high {
                    let later = self.strong_next(f);
                    f = self.and(body, later);
                }
                f
            }
            // The steps of `F` and of past operators have to exist anyway.
            _ => return self.bounded(op, low, high, body),
        };
        for _ in 0..low {
            f = self.strong_next(f);
        }
        Some(f)
    }
    /// One step of a bounded operator; those of `F` have to exist.
    fn step(&mut self, op: UnaryOp, step: UnaryOp, f: Pair) -> Option<Pair> {
        if op == UnaryOp::Finally { Some(self.strong_next(f)) } else { self.unary(step, f) }
    }
}

#[cfg(test)]
mod tests {
    use super::{FormulaPairs, UnaryOp};
    use tsl_synth_core::logic::FiniteFormulas;

    #[test]
    fn bounds_of_past_operators_count_steps_back() {
        let mut formulas = FiniteFormulas::over_bits();
        let mut pairs = FormulaPairs { formulas: &mut formulas };
        let p = pairs.letter(0);
        let mut unary = |op, f| pairs.unary(op, f).expect("no future below");
        let y = unary(UnaryOp::Yesterday, p);
        let yy = unary(UnaryOp::Yesterday, y);
        let z = unary(UnaryOp::WeakYesterday, p);
        let (once, always) = (pairs.or(p, y), pairs.and(p, z));
        assert_eq!(pairs.bounded(UnaryOp::Yesterday, 2, Some(2), p), Some(yy));
        assert_eq!(pairs.bounded(UnaryOp::Once, 0, Some(1), p), Some(once));
        assert_eq!(pairs.bounded(UnaryOp::Historically, 0, Some(1), p), Some(always));
        let later = pairs.unary(UnaryOp::Yesterday, once);
        assert_eq!(pairs.bounded(UnaryOp::Once, 1, Some(2), p), later);
        let next = pairs.next(p);
        assert_eq!(pairs.bounded(UnaryOp::Once, 0, Some(1), next), None);
    }
}
