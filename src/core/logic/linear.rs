//! Linear arithmetic over integers and rational numbers as data: sums, inequalities, systems of them, and proofs that a
//! system has no solution. There is no search here.

use crate::base::{Rational, gcd};
use std::collections::BTreeMap;

/// A sum of variables with coefficients, and a constant.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Sum {
    /// The variables with their coefficients, which are not 0.
    terms: BTreeMap<u32, Rational>,
    constant: Rational,
}

impl Default for Sum {
    /// 0
    fn default() -> Self {
        Self::constant(Rational::ZERO)
    }
}

impl Sum {
    /// A constant.
    pub fn constant(value: Rational) -> Self {
        Self { terms: BTreeMap::new(), constant: value }
    }
    /// A variable.
    pub fn variable(variable: u32) -> Self {
        Self { terms: BTreeMap::from([(variable, Rational::ONE)]), constant: Rational::ZERO }
    }
    /// The variables in order, with their coefficients, which are not 0.
    pub fn terms(&self) -> impl Iterator<Item = (u32, Rational)> + '_ {
        self.terms.iter().map(|(&variable, &coefficient)| (variable, coefficient))
    }
    /// The coefficient of a variable.
    pub fn coefficient(&self, variable: u32) -> Rational {
        self.terms.get(&variable).copied().unwrap_or(Rational::ZERO)
    }
    /// The constant.
    pub fn offset(&self) -> Rational {
        self.constant
    }
    /// Its value, if it has no variables.
    pub fn value(&self) -> Option<Rational> {
        self.terms.is_empty().then_some(self.constant)
    }
    /// The sum as text, such as `2 * x - y + 3`, with these texts for variables and for numbers that are not negative.
    pub fn text(&self, name: impl Fn(u32) -> String, number: impl Fn(Rational) -> String) -> String {
        let mut text = String::new();
        let mut add = |factor: Rational, part: &dyn Fn(Rational) -> String| {
            let (is_negative, size) =
                if factor.is_negative() { (true, factor.negated()) } else { (false, factor) };
            text += match (text.is_empty(), is_negative) {
                (true, true) => "-",
                (true, false) => "",
                (false, true) => " - ",
                (false, false) => " + ",
            };
            text += &part(size);
        };
        for (variable, factor) in self.terms() {
            add(factor, &|size| match name(variable) {
                name if size == Rational::ONE => name,
                name => format!("{} * {name}", number(size)),
            });
        }
        if self.terms.is_empty() || !self.constant.is_zero() {
            add(self.constant, &number);
        }
        text
    }
    /// The sum plus `factor` times another one; `None` if a coefficient is too large.
    pub fn plus(&self, factor: Rational, other: &Self) -> Option<Self> {
        let mut terms = self.terms.clone();
        for (variable, coefficient) in other.terms() {
            let old = terms.get(&variable).copied().unwrap_or(Rational::ZERO);
            let new = old.plus(factor.times(coefficient)?)?;
            if new.is_zero() {
                terms.remove(&variable);
            } else {
                terms.insert(variable, new);
            }
        }
        Some(Self { terms, constant: self.constant.plus(factor.times(other.constant)?)? })
    }
    /// The sum multiplied by a constant; `None` if a coefficient is too large.
    pub fn times(&self, factor: Rational) -> Option<Self> {
        Self::constant(Rational::ZERO).plus(factor, self)
    }
    /// The sum with the other sign.
    pub fn negated(&self) -> Self {
        let terms = self.terms.iter().map(|(&variable, coefficient)| (variable, coefficient.negated()));
        Self { terms: terms.collect(), constant: self.constant.negated() }
    }
    /// The sum with sums in place of variables; `None` if a coefficient is too large or a variable has no sum.
    pub fn substituted(&self, mut image: impl FnMut(u32) -> Option<Self>) -> Option<Self> {
        let mut result = Self::constant(self.constant);
        for (variable, coefficient) in self.terms() {
            result = result.plus(coefficient, &image(variable)?)?;
        }
        Some(result)
    }
}

/// `sum ≤ 0`, or `sum < 0` if it is strict.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Inequality {
    /// The left side.
    pub sum: Sum,
    /// Whether the sum is less than 0.
    pub strict: bool,
}

impl Inequality {
    /// `sum ≤ 0`
    pub fn at_most_zero(sum: Sum) -> Self {
        Self { sum, strict: false }
    }
    /// `sum < 0`
    pub fn below_zero(sum: Sum) -> Self {
        Self { sum, strict: true }
    }
    /// The inequality that holds exactly if this one does not.
    pub fn negated(&self) -> Self {
        Self { sum: self.sum.negated(), strict: !self.strict }
    }
    /// The inequality with sums in place of variables; `None` if a coefficient is too large or a variable has no sum.
    pub fn substituted(&self, image: impl FnMut(u32) -> Option<Sum>) -> Option<Self> {
        Some(Self { sum: self.sum.substituted(image)?, strict: self.strict })
    }
    /// The truth value of an inequality without variables.
    pub fn known(&self) -> Option<bool> {
        let value = self.sum.value()?;
        Some(if self.strict { value.is_negative() } else { !value.is_positive() })
    }
    /// The inequality with coprime integers as coefficients; if all its variables are integers, it is not strict and
    /// its constant is rounded, which excludes no integer solution. `None` if a number is too large.
    pub fn normalized(&self, is_integer: impl Fn(u32) -> bool) -> Option<Self> {
        let (mut common, mut shared) = (1i128, 0i128);
        for (_, coefficient) in self.sum.terms() {
            let denominator = coefficient.denominator();
            common = common.checked_mul(denominator / gcd(common, denominator))?;
        }
        for (_, coefficient) in self.sum.terms() {
            shared = gcd(shared, coefficient.times(Rational::integer(common)?)?.numerator());
        }
        if shared == 0 {
            return Some(self.clone());
        }
        let sum = self.sum.times(Rational::new(common, shared)?)?;
        if !sum.terms().all(|(variable, _)| is_integer(variable)) {
            return Some(Self { sum, strict: self.strict });
        }
        // For an integer a: a + c < 0 iff a ≤ ⌈-c⌉ - 1, and a + c ≤ 0 iff a ≤ ⌊-c⌋.
        let bound = sum.offset().negated();
        let bound = if self.strict { bound.ceiling().minus(Rational::ONE)? } else { bound.floor() };
        let change = bound.negated().minus(sum.offset())?;
        let sum = sum.plus(change, &Sum::constant(Rational::ONE))?;
        Some(Self { sum, strict: false })
    }
}

/// A system of linear constraints.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinearSystem {
    /// All of these hold.
    pub inequalities: Vec<Inequality>,
    /// None of these sums is 0.
    pub different: Vec<Sum>,
    /// For each variable, whether it is an integer.
    pub integer: Vec<bool>,
}

impl LinearSystem {
    /// Adds that the sum is 0.
    pub fn equate(&mut self, sum: Sum) {
        self.inequalities.push(Inequality::at_most_zero(sum.negated()));
        self.inequalities.push(Inequality::at_most_zero(sum));
    }
    /// Whether a variable is an integer.
    pub fn is_integer(&self, variable: u32) -> bool {
        self.integer.get(variable as usize).copied().unwrap_or(false)
    }
}

/// A proof that a [`LinearSystem`] has no solution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinearProof {
    /// Each step is a combination of inequalities with positive factors (Farkas), by their number: those of the system,
    /// then those of cases, then those of earlier steps. Its result is normalized (an integer cut) and numbered. The
    /// last one is false.
    Combine(Vec<Vec<(usize, Rational)>>),
    /// Two cases, each with one more inequality.
    Cases(LinearSplit, Box<[Self; 2]>),
}

/// What the cases of a [`LinearProof`] distinguish.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinearSplit {
    /// `sum ≤ 0` or `sum > 0`.
    Sign(Sum),
    /// `sum < 0` or `sum > 0` for the sum with this index that is not 0.
    Different(usize),
}
