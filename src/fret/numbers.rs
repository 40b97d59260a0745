//! Numbers as linear sums of symbols: variables of this step and of earlier ones, and terms that are not computed.

use std::fmt::Write;
use tsl_synth_core::base::Rational;
use tsl_synth_core::logic::{Inequality, Sum};

/// A number that sums are about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Symbol {
    /// The variable, or the text of a term that is not computed.
    pub(crate) name: String,
    /// How many steps ago.
    pub(crate) ago: u32,
    /// Whether the system chooses it in the step that it is of.
    pub(crate) output: bool,
    /// Whether it is an integer.
    pub(crate) integer: bool,
    /// Whether it is a term that is not computed.
    pub(crate) opaque: bool,
}

impl Symbol {
    /// Whether the system chooses it in this step.
    pub(crate) fn is_chosen(&self) -> bool {
        self.output && self.ago == 0
    }
}

/// All symbols, numbered in the order of their first use.
#[derive(Clone, Debug, Default)]
pub(crate) struct Symbols {
    all: Vec<Symbol>,
}

impl Symbols {
    /// The number of a symbol.
    pub(crate) fn number(&mut self, symbol: Symbol) -> u32 {
        let found = self.all.iter().position(|known| known.name == symbol.name && known.ago == symbol.ago);
        found.unwrap_or_else(|| {
            self.all.push(symbol);
            self.all.len() - 1
        }) as u32
    }
    /// How many there are.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.all.len()
    }
    /// The symbol with a number.
    pub(crate) fn get(&self, number: u32) -> &Symbol {
        &self.all[number as usize]
    }
    /// The sum in terms of values of `steps` steps before, which may be negative. `None` if a symbol would be of a later
    /// step, or a number is too large.
    pub(crate) fn shifted(&mut self, sum: &Sum, steps: i64) -> Option<Sum> {
        let mut shifted = Sum::constant(sum.offset());
        for (number, factor) in sum.terms() {
            let symbol = self.get(number).clone();
            let ago = u32::try_from(i64::from(symbol.ago) + steps).ok()?;
            let number = self.number(Symbol { ago, ..symbol });
            shifted = shifted.plus(factor, &Sum::variable(number))?;
        }
        Some(shifted)
    }
    /// The least number of steps ago of a symbol of a sum.
    pub(crate) fn latest(&self, sum: &Sum) -> u32 {
        sum.terms().map(|(number, _)| self.get(number).ago).min().unwrap_or(0)
    }
    /// Whether all symbols of a sum are integers.
    pub(crate) fn is_integer(&self, sum: &Sum) -> bool {
        sum.terms().all(|(number, _)| self.get(number).integer)
    }
    /// The text of a sum without a constant, such as `2*x - pre y`.
    pub(crate) fn text(&self, sum: &Sum) -> String {
        let mut text = String::new();
        for (number, factor) in sum.terms() {
            let symbol = self.get(number);
            let (sign, size) = if factor.is_negative() { ("-", factor.negated()) } else { ("+", factor) };
            match (text.is_empty(), sign) {
                (true, "-") => text.push('-'),
                (true, _) => {}
                (false, sign) => {
                    text.push(' ');
                    text.push_str(sign);
                    text.push(' ');
                }
            }
            if size != Rational::ONE {
                let _ = write!(text, "{size}*");
            }
            (0..symbol.ago).for_each(|_| text.push_str("pre "));
            text.push_str(&symbol.name);
        }
        text
    }
}

/// A linear form: a sum without a constant, with coprime integers as factors, the first of which is positive.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Form {
    terms: Vec<(u32, Rational)>,
}

impl Form {
    /// The sum.
    pub(crate) fn sum(&self) -> Sum {
        let zero = Sum::constant(Rational::ZERO);
        self.terms.iter().fold(zero, |sum, &(number, factor)| {
            // The factors come from a sum of bounded numbers.
            sum.plus(factor, &Sum::variable(number)).unwrap_or(sum)
        })
    }
    /// The numbers of its symbols.
    pub(crate) fn symbols(&self) -> impl Iterator<Item = u32> + '_ {
        self.terms.iter().map(|&(number, _)| number)
    }
}

/// The form of a sum with variables, and the factor by which the sum is it. `None` if a number is too large.
pub(crate) fn form(sum: &Sum) -> Option<(Form, Rational)> {
    let (number, first) = sum.terms().next()?;
    let offset = Sum::constant(sum.offset());
    let inequality = Inequality::at_most_zero(sum.plus(Rational::ONE.negated(), &offset)?);
    let coprime = inequality.normalized(|_| false)?.sum;
    let mut scale = coprime.coefficient(number).over(first)?;
    if coprime.coefficient(number).is_negative() {
        scale = scale.negated();
    }
    let terms = sum.terms().map(|(number, factor)| Some((number, factor.times(scale)?)));
    Some((Form { terms: terms.collect::<Option<_>>()? }, scale))
}

/// `form < bound`, `form <= bound` or `form = bound`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Comparison {
    pub(crate) form: Form,
    pub(crate) relation: Relation,
    pub(crate) bound: Rational,
}

/// The relation of a [`Comparison`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Relation {
    Below,
    AtMost,
    Equal,
}
