//! Exact fractions of 64-bit integers. An operation whose result does not fit is `None`, never a rounded value.

use std::cmp::Ordering;
use tsl_synth_core::base::short_gcd;

/// A fraction in lowest terms with a positive denominator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fraction {
    numerator: i64,
    denominator: i64,
}

impl Fraction {
    pub(super) const ZERO: Self = Self { numerator: 0, denominator: 1 };

    pub(super) fn integer(n: i64) -> Self {
        Self { numerator: n, denominator: 1 }
    }
    pub(super) fn is_zero(self) -> bool {
        self.numerator == 0
    }
    pub(super) fn is_positive(self) -> bool {
        self.numerator > 0
    }
    /// Its value if it is an integer.
    pub(super) fn as_integer(self) -> Option<i64> {
        (self.denominator == 1).then_some(self.numerator)
    }
    /// The largest integer that is not larger.
    pub(super) fn floor(self) -> i64 {
        self.numerator.div_euclid(self.denominator)
    }
    fn reduced(numerator: i128, denominator: i128) -> Option<Self> {
        // Divisions of 128 bits take many times longer.
        if let (Ok(a), Ok(b)) = (i64::try_from(numerator), i64::try_from(denominator))
            && b > 0
            && let Ok(divisor) = i64::try_from(short_gcd(a.unsigned_abs(), b.unsigned_abs()).max(1))
        {
            return Some(Self { numerator: a / divisor, denominator: b / divisor });
        }
        let (mut a, mut b) = (numerator.unsigned_abs(), denominator.unsigned_abs());
        while b != 0 {
            (a, b) = (b, a % b);
        }
        let divisor = i128::try_from(a.max(1)).ok()? * denominator.signum();
        let numerator = i64::try_from(numerator / divisor).ok()?;
        Some(Self { numerator, denominator: i64::try_from(denominator / divisor).ok()? })
    }
    pub(super) fn plus(self, other: Self) -> Option<Self> {
        if self.denominator == 1 && other.denominator == 1 {
            return self.numerator.checked_add(other.numerator).map(Self::integer);
        }
        let (a, b) = (i128::from(self.numerator), i128::from(self.denominator));
        let (c, d) = (i128::from(other.numerator), i128::from(other.denominator));
        Self::reduced(a * d + c * b, b * d)
    }
    pub(super) fn minus(self, other: Self) -> Option<Self> {
        self.plus(Self { numerator: other.numerator.checked_neg()?, ..other })
    }
    pub(super) fn times(self, other: Self) -> Option<Self> {
        if self.denominator == 1 && other.denominator == 1 {
            return self.numerator.checked_mul(other.numerator).map(Self::integer);
        }
        let numerator = i128::from(self.numerator) * i128::from(other.numerator);
        Self::reduced(numerator, i128::from(self.denominator) * i128::from(other.denominator))
    }
    /// The quotient; `None` also for a divisor of 0.
    pub(super) fn over(self, other: Self) -> Option<Self> {
        if other.is_zero() {
            return None;
        }
        let numerator = i128::from(self.numerator) * i128::from(other.denominator);
        Self::reduced(numerator, i128::from(self.denominator) * i128::from(other.numerator))
    }
}

impl PartialOrd for Fraction {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Fraction {
    fn cmp(&self, other: &Self) -> Ordering {
        let left = i128::from(self.numerator) * i128::from(other.denominator);
        left.cmp(&(i128::from(other.numerator) * i128::from(self.denominator)))
    }
}
