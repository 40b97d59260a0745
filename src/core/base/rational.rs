//! Exact rational numbers of bounded size. An operation whose result is too large has none, so that a number is never
//! wrong.

use std::cmp::Ordering;
use std::fmt;

/// Numerators and denominators are below this bound, so that products of two of them fit into 128 bits, and sums of two
/// into 64.
const BOUND: i64 = 1 << 62;

/// An exact rational number; the numerator and the denominator are less than 2^62 in magnitude.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rational {
    numerator: i64,
    /// Positive, and without a common divisor with the numerator.
    denominator: i64,
}

impl Rational {
    /// 0
    pub const ZERO: Self = Self { numerator: 0, denominator: 1 };
    /// 1
    pub const ONE: Self = Self { numerator: 1, denominator: 1 };

    /// The quotient of two integers; `None` if the divisor is 0 or the result is too large.
    pub fn new(numerator: i128, denominator: i128) -> Option<Self> {
        if denominator == 1 {
            return Self::small(i64::try_from(numerator).ok()?);
        }
        if denominator == 0 {
            return None;
        }
        let divisor = gcd(numerator, denominator);
        let sign = if denominator < 0 { -1 } else { 1 };
        let (numerator, denominator) =
            ((numerator / divisor).checked_mul(sign)?, (denominator / divisor).checked_mul(sign)?);
        let (numerator, denominator) = (i64::try_from(numerator).ok()?, i64::try_from(denominator).ok()?);
        Some(Self { denominator, ..Self::small(numerator)? }).filter(|_| denominator < BOUND)
    }
    /// An integer; `None` if it is too large.
    pub fn integer(value: i128) -> Option<Self> {
        Self::new(value, 1)
    }
    fn small(numerator: i64) -> Option<Self> {
        (numerator > -BOUND && numerator < BOUND).then_some(Self { numerator, denominator: 1 })
    }
    /// A decimal number such as `-2.50`; `None` for other texts and if it is too large.
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let all = format!("{whole}{}", fraction.trim_end_matches('0'));
        let places = u32::try_from(all.len() - whole.len()).ok().filter(|&places| places <= 18)?;
        if whole.is_empty() || !all.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        let value: i128 = all.parse().ok()?;
        Self::new(if text.starts_with('-') { -value } else { value }, 10i128.pow(places))
    }
    /// The numerator; its sign is that of the number.
    pub fn numerator(self) -> i128 {
        self.numerator.into()
    }
    /// The denominator, which is positive.
    pub fn denominator(self) -> i128 {
        self.denominator.into()
    }
    /// The sum, if it is not too large.
    pub fn plus(self, other: Self) -> Option<Self> {
        if self.denominator == 1 && other.denominator == 1 {
            return Self::small(self.numerator + other.numerator);
        }
        let left = self.numerator() * other.denominator();
        let right = other.numerator() * self.denominator();
        Self::new(left.checked_add(right)?, self.denominator() * other.denominator())
    }
    /// The difference, if it is not too large.
    pub fn minus(self, other: Self) -> Option<Self> {
        self.plus(other.negated())
    }
    /// The product, if it is not too large.
    pub fn times(self, other: Self) -> Option<Self> {
        Self::new(self.numerator() * other.numerator(), self.denominator() * other.denominator())
    }
    /// The quotient; `None` for a division by 0 and if it is too large.
    pub fn over(self, other: Self) -> Option<Self> {
        Self::new(self.numerator() * other.denominator(), self.denominator() * other.numerator())
    }
    /// The number with the other sign.
    pub fn negated(self) -> Self {
        Self { numerator: -self.numerator, ..self }
    }
    /// The greatest integer that is not greater.
    pub fn floor(self) -> Self {
        Self { numerator: self.numerator.div_euclid(self.denominator), denominator: 1 }
    }
    /// The least integer that is not less.
    pub fn ceiling(self) -> Self {
        self.negated().floor().negated()
    }
    /// Whether it is an integer.
    pub fn is_integer(self) -> bool {
        self.denominator == 1
    }
    /// Whether it is 0.
    pub fn is_zero(self) -> bool {
        self.numerator == 0
    }
    /// Whether it is greater than 0.
    pub fn is_positive(self) -> bool {
        self.numerator > 0
    }
    /// Whether it is less than 0.
    pub fn is_negative(self) -> bool {
        self.numerator < 0
    }
}

/// The greatest common divisor, which is positive; 1 for two zeros.
pub(crate) fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        // A division of 128 bits takes many times as long as one of 64.
        if let (Ok(short_a), Ok(short_b)) = (u64::try_from(a), u64::try_from(b)) {
            return i128::from(short_gcd(short_a, short_b)).max(1);
        }
        (a, b) = (b, a % b);
    }
    i128::try_from(a).unwrap_or(1).max(1)
}

/// The greatest common divisor; 0 for two zeros.
pub fn short_gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

impl Ord for Rational {
    fn cmp(&self, other: &Self) -> Ordering {
        if self.denominator == other.denominator {
            return self.numerator.cmp(&other.numerator);
        }
        (self.numerator() * other.denominator()).cmp(&(other.numerator() * self.denominator()))
    }
}

impl PartialOrd for Rational {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Rational {
    /// A decimal number if that is exact, and otherwise a fraction.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_integer() {
            return self.numerator.fmt(f);
        }
        let (mut scaled, mut places) = (*self, 0);
        while places < 9 {
            places += 1;
            match scaled.times(Self { numerator: 10, denominator: 1 }) {
                Some(next) => scaled = next,
                None => break,
            }
            if scaled.is_integer() {
                let (sign, digits) =
                    (if self.is_negative() { "-" } else { "" }, scaled.numerator.unsigned_abs().to_string());
                let digits = format!("{digits:0>width$}", width = places + 1);
                let (whole, fraction) = digits.split_at(digits.len() - places);
                return write!(f, "{sign}{whole}.{fraction}");
            }
        }
        write!(f, "{}/{}", self.numerator, self.denominator)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Rational {
        Rational::parse(text).unwrap_or_else(|| panic!("{text}"))
    }

    #[test]
    fn decimals_are_read_and_shown_exactly() {
        for text in ["0", "-3", "2.5", "-0.05", "12.125", "0.5"] {
            assert_eq!(number(text).to_string(), text);
        }
        assert_eq!(number("+007.500").to_string(), "7.5");
        assert_eq!(Rational::new(1, 3).map(|third| third.to_string()).as_deref(), Some("1/3"));
        for text in ["", "-", "1e3", "x", ".5", "99999999999999999999"] {
            assert_eq!(Rational::parse(text), None, "{text}");
        }
    }

    #[test]
    fn operations_are_exact_or_have_no_result() {
        let (half, third) = (number("0.5"), Rational::new(1, 3).expect("a third"));
        assert_eq!(half.plus(third), Rational::new(5, 6));
        assert_eq!(half.minus(third), Rational::new(1, 6));
        assert_eq!(half.times(third), Rational::new(1, 6));
        assert_eq!(half.over(third), Rational::new(3, 2));
        assert_eq!(half.over(Rational::ZERO), None);
        assert!(third < half && half.negated() < third.negated());
        assert_eq!((number("-2.5").floor(), number("-2.5").ceiling()), (number("-3"), number("-2")));
        let large = Rational::integer(i128::from(BOUND) - 1).expect("the largest");
        assert_eq!(large.plus(Rational::ONE), None);
        assert_eq!(large.times(large), None);
        assert_eq!(Rational::integer(BOUND.into()), None);
    }

    /// For numbers of all sizes, results are reduced, and operations on integers in 64 bits agree with those on fractions
    /// in 128 bits.
    #[test]
    fn operations_agree_with_larger_integers() {
        let mut random = crate::base::Random::new(8);
        let mut number = || {
            let mut part = || i128::try_from(random.below(1 << 40)).expect("small") >> random.below(38);
            let (high, low, below, sign) = (part(), part(), part(), part());
            let above = if sign % 3 == 0 { high << 22 | low } else { low };
            Rational::new(if sign % 2 == 0 { -above } else { above }, below + 1)
        };
        let (mut exact, mut large) = (0, 0);
        for _ in 0..20_000 {
            let (Some(a), Some(b)) = (number(), number()) else { continue };
            let (up, down) = ((a.numerator(), a.denominator()), (b.numerator(), b.denominator()));
            let sum = Rational::new(up.0 * down.1 + down.0 * up.1, up.1 * down.1);
            assert_eq!(a.plus(b), sum, "{a} + {b}");
            let product = a.times(b);
            for result in [sum, product].into_iter().flatten() {
                let divisors = [2, 3, 5, 7, 11, 13];
                let common = |n: &i128| result.numerator() % n == 0 && result.denominator() % n == 0;
                assert!(result.denominator() > 0 && !divisors.iter().any(common), "{a} {b} {result}");
            }
            let quotient = product.filter(|_| !b.is_zero()).and_then(|product| product.over(b));
            assert!(quotient.is_none_or(|quotient| quotient == a), "{a} * {b} / {b}");
            assert_eq!(a < b, up.0 * down.1 < down.0 * up.1, "{a} < {b}");
            if sum.is_some() { exact += 1 } else { large += 1 }
        }
        assert!(exact > 1_000 && large > 100, "{exact} {large}");
    }
}
