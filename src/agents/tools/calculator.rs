//! The calculator: arithmetic of exact fractions with `+ - * / % ^`, parentheses, square roots and percentages.

/// How deep parentheses and signs may be nested.
const DEEPEST: u32 = 64;
/// Results that are no short decimals are rounded to this number of digits after the point, or, below 1, after the zeros.
const DIGITS: u32 = 6;
/// Results with at most this number of digits after the point are exact.
const EXACT: u32 = 15;

#[derive(Clone, Copy, Debug)]
struct Fraction {
    above: i128,
    /// Positive.
    below: i128,
}

impl Fraction {
    fn new(above: i128, below: i128) -> Option<Self> {
        let (mut a, mut b) = (above.checked_abs()?, below.checked_abs()?);
        while b != 0 {
            (a, b) = (b, a % b);
        }
        let sign = below.signum();
        (below != 0).then(|| Self { above: sign * above / a, below: sign * below / a })
    }
    fn add(self, other: Self) -> Option<Self> {
        let left = self.above.checked_mul(other.below)?;
        let right = other.above.checked_mul(self.below)?;
        Self::new(left.checked_add(right)?, self.below.checked_mul(other.below)?)
    }
    fn negated(self) -> Option<Self> {
        Some(Self { above: self.above.checked_neg()?, ..self })
    }
    fn times(self, other: Self) -> Option<Self> {
        Self::new(self.above.checked_mul(other.above)?, self.below.checked_mul(other.below)?)
    }
    /// The remainder that has the sign of the divisor, as in Python.
    fn remainder(self, by: Self) -> Option<Self> {
        let quotient = self.times(by.inverse()?)?;
        let whole = Self::new(quotient.above.div_euclid(quotient.below), 1)?;
        self.add(whole.times(by)?.negated()?)
    }
    /// An integer power.
    fn power(self, exponent: Self) -> Option<Self> {
        let times = u32::try_from(exponent.above.checked_abs()?).ok()?;
        if exponent.below != 1 || times > 10_000 {
            return None;
        }
        let one = Self { above: 1, below: 1 };
        let value = (0..times).try_fold(one, |value, _| value.times(self))?;
        if exponent.above < 0 { value.inverse() } else { Some(value) }
    }
    /// The square root: exact if that is a fraction, otherwise to more digits than are shown.
    fn root(self) -> Option<Self> {
        let (above, below) = (self.above.checked_isqrt()?, self.below.isqrt());
        if above * above == self.above && below * below == self.below {
            return Self::new(above, below);
        }
        [EXACT + 3, EXACT + 2, EXACT + 1, DIGITS + 1].into_iter().find_map(|digits| {
            let scale = 10_i128.pow(digits);
            let scaled = self.above.checked_mul(scale)?.checked_mul(scale)? / self.below;
            Self::new(scaled.isqrt(), scale)
        })
    }
    fn inverse(self) -> Option<Self> {
        Self::new(self.below, self.above)
    }
    /// As a decimal, exact or rounded to [`DIGITS`] digits.
    fn shown(self) -> Option<String> {
        let power = |digits: u32| 10_i128.pow(digits);
        let size = self.above.checked_abs()?;
        let exact = (0..=EXACT).find(|&digits| power(digits) % self.below == 0);
        let zeros =
            (0..EXACT).find(|&zeros| size.checked_mul(power(zeros + 1)).is_none_or(|own| own >= self.below));
        let digits = exact.unwrap_or(DIGITS + zeros.unwrap_or(0));
        let scale = power(digits);
        let scaled = size.checked_mul(scale)?;
        let rounded = scaled.checked_add(self.below / 2)? / self.below;
        let sign = if self.above < 0 && rounded > 0 { "-" } else { "" };
        let (whole, rest) = (rounded / scale, rounded % scale);
        let decimals = format!("{rest:0width$}", width = digits as usize);
        let decimals = decimals.trim_end_matches('0');
        let point = if decimals.is_empty() { "" } else { "." };
        Some(format!("{sign}{whole}{point}{decimals}"))
    }
}

struct ArithmeticReader<'t> {
    rest: &'t str,
}

impl ArithmeticReader<'_> {
    fn takes(&mut self, sign: &str) -> bool {
        self.rest = self.rest.trim_start();
        match self.rest.strip_prefix(sign) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }
    /// A word that no letter or digit follows.
    fn takes_word(&mut self, word: &str) -> bool {
        let before = self.rest;
        let ends = self.takes(word) && !self.rest.starts_with(char::is_alphanumeric);
        if !ends {
            self.rest = before;
        }
        ends
    }
    fn sum(&mut self, depth: u32) -> Option<Fraction> {
        let mut value = self.product(depth)?;
        loop {
            if self.takes("+") {
                value = value.add(self.product(depth)?)?;
            } else if self.takes("-") {
                value = value.add(self.product(depth)?.negated()?)?;
            } else {
                return Some(value);
            }
        }
    }
    fn product(&mut self, depth: u32) -> Option<Fraction> {
        let mut value = self.factor(depth)?;
        loop {
            if self.takes("*") || self.takes("\u{d7}") {
                value = value.times(self.factor(depth)?)?;
            } else if self.takes("/") || self.takes("\u{f7}") {
                value = value.times(self.factor(depth)?.inverse()?)?;
            } else if self.takes("%") {
                value = value.remainder(self.factor(depth)?)?;
            } else if self.takes_word("of") {
                // `15% of 80`.
                value = value.times(self.factor(depth)?)?;
            } else {
                return Some(value);
            }
        }
    }
    fn factor(&mut self, depth: u32) -> Option<Fraction> {
        let deeper = depth.checked_sub(1)?;
        if self.takes("-") {
            return self.factor(deeper)?.negated();
        }
        if self.takes("+") {
            return self.factor(deeper);
        }
        let base = self.percentage(deeper)?;
        // `2 ^ 3 ^ 2` is `2 ^ (3 ^ 2)`, and `-2 ^ 2` is `-(2 ^ 2)`.
        if self.takes("**") || self.takes("^") { base.power(self.factor(deeper)?) } else { Some(base) }
    }
    /// A value, and `%` after it where no operand follows.
    fn percentage(&mut self, depth: u32) -> Option<Fraction> {
        let value = self.value(depth)?;
        let before = self.rest;
        if self.takes("%") {
            let next = self.rest.trim_start();
            let is_operand = next.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '(' | '.'))
                || next.starts_with("sqrt");
            if !is_operand {
                return value.times(Fraction::new(1, 100)?);
            }
            self.rest = before;
        }
        Some(value)
    }
    fn value(&mut self, depth: u32) -> Option<Fraction> {
        let is_root = self.takes_word("sqrt") || self.takes("\u{221a}");
        if self.takes("(") {
            let value = self.sum(depth)?;
            let value = self.takes(")").then_some(value)?;
            return if is_root { value.root() } else { Some(value) };
        }
        let value = self.number()?;
        if is_root { value.root() } else { Some(value) }
    }
    /// Digits, perhaps with commas between thousands, decimals and a power of ten: `1,250.5`, `1e3`.
    fn number(&mut self) -> Option<Fraction> {
        self.rest = self.rest.trim_start();
        let end = self.rest.find(|c: char| !c.is_ascii_digit() && c != '.' && c != ',');
        let (word, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest;
        let (whole, decimals) = word.split_once('.').unwrap_or((word, ""));
        let mut groups = whole.split(',');
        let first = groups.next()?;
        let is_grouped = groups.clone().all(|group| group.len() == 3)
            && (!whole.contains(',') || (1..=3).contains(&first.len()));
        if !is_grouped {
            return None;
        }
        let digits: String = whole.chars().filter(|c| *c != ',').collect();
        let below = 10_i128.checked_pow(decimals.len().try_into().ok()?)?;
        let value = Fraction::new([digits.as_str(), decimals].concat().parse().ok()?, below)?;
        let Some(exponent) = self.rest.strip_prefix(['e', 'E']) else { return Some(value) };
        let (sign, digits) = match exponent.strip_prefix('-') {
            Some(digits) => (-1, digits),
            None => (1, exponent.strip_prefix('+').unwrap_or(exponent)),
        };
        let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
        self.rest = &digits[end..];
        let power = Fraction::new(10, 1)?.power(Fraction::new(digits[..end].parse().ok()?, 1)?)?;
        value.times(if sign < 0 { power.inverse()? } else { power })
    }
}

/// The value of an expression, as a decimal; `None` if it is malformed or has no value, or if a number is too large.
pub fn calculate(expression: &str) -> Option<String> {
    let mut reader = ArithmeticReader { rest: expression };
    let value = reader.sum(DEEPEST)?;
    reader.rest.trim().is_empty().then(|| value.shown())?
}
