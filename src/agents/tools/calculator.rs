//! The calculator: exact fractions, `+ - * / ( )` and decimals.

/// How deep parentheses and signs may be nested.
const DEEPEST: u32 = 64;
/// Results are rounded to this number of digits after the point.
const DIGITS: u32 = 6;

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
    fn inverse(self) -> Option<Self> {
        Self::new(self.below, self.above)
    }
    /// As a decimal, rounded to [`DIGITS`] digits after the point.
    fn shown(self) -> Option<String> {
        let scale = 10_i128.pow(DIGITS);
        let scaled = self.above.checked_abs()?.checked_mul(scale)?;
        let rounded = scaled.checked_add(self.below / 2)? / self.below;
        let sign = if self.above < 0 && rounded > 0 { "-" } else { "" };
        let (whole, rest) = (rounded / scale, rounded % scale);
        let decimals = format!("{rest:0width$}", width = DIGITS as usize);
        let decimals = decimals.trim_end_matches('0');
        let point = if decimals.is_empty() { "" } else { "." };
        Some(format!("{sign}{whole}{point}{decimals}"))
    }
}

struct ArithmeticReader<'t> {
    rest: &'t str,
}

impl ArithmeticReader<'_> {
    fn takes(&mut self, c: char) -> bool {
        self.rest = self.rest.trim_start();
        match self.rest.strip_prefix(c) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }
    fn sum(&mut self, depth: u32) -> Option<Fraction> {
        let mut value = self.product(depth)?;
        loop {
            if self.takes('+') {
                value = value.add(self.product(depth)?)?;
            } else if self.takes('-') {
                value = value.add(self.product(depth)?.negated()?)?;
            } else {
                return Some(value);
            }
        }
    }
    fn product(&mut self, depth: u32) -> Option<Fraction> {
        let mut value = self.factor(depth)?;
        loop {
            if self.takes('*') {
                value = value.times(self.factor(depth)?)?;
            } else if self.takes('/') {
                value = value.times(self.factor(depth)?.inverse()?)?;
            } else {
                return Some(value);
            }
        }
    }
    fn factor(&mut self, depth: u32) -> Option<Fraction> {
        let deeper = depth.checked_sub(1)?;
        if self.takes('-') {
            return self.factor(deeper)?.negated();
        }
        if self.takes('(') {
            let value = self.sum(deeper)?;
            return self.takes(')').then_some(value);
        }
        self.number()
    }
    fn number(&mut self) -> Option<Fraction> {
        let end = self.rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        let (whole, decimals) = word.split_once('.').unwrap_or((word, ""));
        let below = 10_i128.checked_pow(decimals.len().try_into().ok()?)?;
        Fraction::new([whole, decimals].concat().parse().ok()?, below)
    }
}

/// The value of an expression, as a decimal; `None` if it is malformed or has no value, or if a number is too large.
pub fn calculate(expression: &str) -> Option<String> {
    let mut reader = ArithmeticReader { rest: expression };
    let value = reader.sum(DEEPEST)?;
    reader.rest.trim().is_empty().then(|| value.shown())?
}
