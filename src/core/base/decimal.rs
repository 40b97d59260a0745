//! Decimal numbers as JSON writes them, compared and added exactly.

#![expect(
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "places are counted from texts in memory"
)]

use std::cmp::Ordering;
use std::fmt;

/// Numbers whose digits span more than this many places are refused by [`Decimal::plus`].
pub const DECIMAL_PLACES: i64 = 1_000;

/// An exact decimal number: `± 0.d₁d₂…dₙ · 10^exponent`, where neither the first nor the last digit is 0. Zero has no digits,
/// the exponent 0 and no sign, so that equal numbers are equal values.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Decimal {
    negative: bool,
    exponent: i64,
    digits: Box<str>,
}

impl Decimal {
    /// Reads a number as JSON writes it, also with a leading `+` or leading zeros. `None` if the text is not such a
    /// number (`nan` and `inf` are not), or if its exponent does not fit into 32 bits. Linear.
    pub fn parse(text: &str) -> Option<Self> {
        let (negative, rest) = match text.as_bytes().first()? {
            b'-' => (true, &text[1..]),
            b'+' => (false, &text[1..]),
            _ => (false, text),
        };
        let (mantissa, exponent) = match rest.find(['e', 'E']) {
            Some(at) => (&rest[..at], i64::from(rest[at + 1..].parse::<i32>().ok()?)),
            None => (rest, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all_digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
        let point_is_wrong = mantissa.contains('.') && fraction.is_empty();
        if whole.is_empty() || point_is_wrong || !all_digits(whole) || !all_digits(fraction) {
            return None;
        }
        Some(Self::of(negative, &format!("{whole}{fraction}"), exponent + whole.len() as i64))
    }
    /// `± 0.digits · 10^exponent`, brought into its normal form.
    fn of(negative: bool, digits: &str, exponent: i64) -> Self {
        let stripped = digits.trim_start_matches('0');
        let exponent = exponent - (digits.len() - stripped.len()) as i64;
        let stripped = stripped.trim_end_matches('0');
        if stripped.is_empty() {
            return Self::default();
        }
        Self { negative, exponent, digits: stripped.into() }
    }
    /// One.
    pub fn one() -> Self {
        Self::of(false, "1", 1)
    }
    /// Its negation.
    pub fn negated(&self) -> Self {
        Self { negative: !self.negative && !self.is_zero(), ..self.clone() }
    }
    /// Whether it is below zero.
    pub fn is_negative(&self) -> bool {
        self.negative
    }
    /// Whether it is zero.
    pub fn is_zero(&self) -> bool {
        self.digits.is_empty()
    }
    /// The number rounded down to a whole number: 0 for negative numbers, `u32::MAX` for large ones.
    pub fn saturating_u32(&self) -> u32 {
        if self.negative || self.exponent <= 0 {
            return 0;
        }
        if self.exponent > 10 {
            return u32::MAX;
        }
        let digits = self.digits.bytes().chain(std::iter::repeat(b'0')).take(self.exponent as usize);
        let value = digits.fold(0u64, |value, digit| 10 * value + u64::from(digit - b'0'));
        u32::try_from(value).unwrap_or(u32::MAX)
    }
    /// The exact sum. `None` if the digits of the two span more than [`DECIMAL_PLACES`] places, as `1e9999 + 1` does.
    pub fn plus(&self, other: &Self) -> Option<Self> {
        if self.is_zero() || other.is_zero() {
            return Some(if self.is_zero() { other } else { self }.clone());
        }
        let last = |n: &Self| n.exponent - n.digits.len() as i64;
        // Place values are powers of ten from `low` up to `high`, with one place for the carry.
        let (low, high) = (last(self).min(last(other)), self.exponent.max(other.exponent) + 1);
        if high - low > DECIMAL_PLACES {
            return None;
        }
        let places = |n: &Self| {
            let mut places = vec![0i8; (high - low) as usize];
            for (i, digit) in n.digits.bytes().enumerate() {
                places[(n.exponent - 1 - i as i64 - low) as usize] = (digit - b'0') as i8;
            }
            places
        };
        let (larger, smaller) =
            if self.compare_size(other) == Ordering::Less { (other, self) } else { (self, other) };
        let sign = if larger.negative == smaller.negative { 1 } else { -1 };
        let (mut sum, added) = (places(larger), places(smaller));
        let mut carry = 0;
        for (digit, added) in sum.iter_mut().zip(added) {
            let value = *digit + sign * added + carry;
            carry = value.div_euclid(10);
            *digit = value.rem_euclid(10);
        }
        let digits: String = sum.iter().rev().map(|&digit| char::from(b'0' + digit.unsigned_abs())).collect();
        Some(Self::of(larger.negative, &digits, high))
    }
    /// Compares without the signs.
    fn compare_size(&self, other: &Self) -> Ordering {
        match (self.is_zero(), other.is_zero()) {
            (true, true) => Ordering::Equal,
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
            // Digits after the point compare like words: none of them ends with 0.
            (false, false) => self.exponent.cmp(&other.exponent).then_with(|| self.digits.cmp(&other.digits)),
        }
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self.negative, other.negative) {
            (false, true) => Ordering::Greater,
            (true, false) => Ordering::Less,
            (false, false) => self.compare_size(other),
            (true, true) => other.compare_size(self),
        }
    }
}

impl From<i64> for Decimal {
    fn from(number: i64) -> Self {
        let digits = number.unsigned_abs().to_string();
        Self::of(number < 0, &digits, digits.len() as i64)
    }
}

/// Equal numbers are written alike: without exponent up to 21 places, with one beyond.
impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (digits, length) = (&*self.digits, self.digits.len() as i64);
        if digits.is_empty() {
            return f.write_str("0");
        }
        if self.negative {
            f.write_str("-")?;
        }
        match self.exponent {
            e if !(-6..=21).contains(&e) => {
                let (first, rest) = digits.split_at(1);
                let point = if rest.is_empty() { "" } else { "." };
                write!(f, "{first}{point}{rest}e{}", e - 1)
            }
            e if e <= 0 => write!(f, "0.{}{digits}", "0".repeat(-e as usize)),
            e if e >= length => write!(f, "{digits}{}", "0".repeat((e - length) as usize)),
            e => {
                let (whole, fraction) = digits.split_at(e as usize);
                write!(f, "{whole}.{fraction}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Random;

    fn decimal(text: &str) -> Decimal {
        Decimal::parse(text).unwrap_or_else(|| panic!("{text} is a number"))
    }

    #[test]
    fn equal_numbers_are_equal_and_print_alike() {
        for (a, b) in [
            ("1", "1.0"),
            ("100", "1e2"),
            ("0.10", "1E-1"),
            ("-0", "0.000"),
            ("0e9", "0"),
            ("12.50", "1250e-2"),
            ("+7", "7"),
            ("007", "7"),
        ] {
            assert_eq!(decimal(a), decimal(b), "{a} {b}");
            assert_eq!(decimal(a).to_string(), decimal(b).to_string());
        }
        assert_eq!(decimal("1e30").to_string(), "1e30");
        assert_eq!(decimal("-1.25e-9").to_string(), "-1.25e-9");
        assert_eq!(decimal("0.000125").to_string(), "0.000125");
        for text in ["", "-", "nan", "inf", "1.", ".5", "1e", "1e99999999999", "0x10", "1 ", "١"] {
            assert_eq!(Decimal::parse(text), None, "{text}");
        }
    }

    #[test]
    fn neighbors_beyond_doubles_differ() {
        assert!(decimal("9007199254740993") > decimal("9007199254740992"));
        assert!(decimal("0.1000000000000000000001") > decimal("0.1"));
        assert!(decimal("-5") < decimal("-4.9"));
        assert!(decimal("1e400") > decimal("1e308"));
    }

    #[test]
    fn order_and_sum_agree_with_whole_numbers() {
        let mut random = Random::new(20);
        for _ in 0..5_000 {
            let mut number = || {
                let size = random.below(12) as u32;
                random.below(10usize.pow(size)) as i64 * if random.chance(0.5) { 1 } else { -1 }
            };
            let (a, b) = (number(), number());
            let scaled = |n: i64| decimal(&format!("{n}e-3"));
            assert_eq!(scaled(a).cmp(&scaled(b)), a.cmp(&b), "{a} {b}");
            assert_eq!(scaled(a).plus(&scaled(b)), Some(scaled(a + b)), "{a} {b}");
            assert_eq!(decimal(&Decimal::from(a).to_string()), Decimal::from(a));
            assert_eq!(decimal(&scaled(a).to_string()), scaled(a));
        }
        assert_eq!(decimal("1e9999").plus(&decimal("1")), None);
    }
}
