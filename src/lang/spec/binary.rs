//! Arithmetic and comparisons of signals whose values are encoded in binary, as formulas over the digits: adders and
//! comparators instead of tables with a row for each combination of values.
//!
//! Numbers are in two's complement, with as many digits as their range needs, so no result overflows. A term without
//! a value (division by zero) has a formula for "it has a value".

use super::finite::FiniteProgram;
use super::lowering::Lowering;
use super::signature::{LiteralValue, Operator, Overflow, Sort, SymbolId, Term, TermId};
use rustc_hash::FxHashMap;
use tsl_synth_core::logic::{FormulaId, Formulas, ValueCode};

/// A number as formulas.
#[derive(Clone, Debug)]
pub(super) struct BinaryNumber {
    /// "It has a value."
    pub(super) exists: FormulaId,
    /// The digits in two's complement, least significant first; the last is the sign.
    digits: Vec<FormulaId>,
    /// Bounds of the value.
    low: i128,
    high: i128,
}

impl BinaryNumber {
    /// The digit with this number; the sign is repeated.
    pub(super) fn digit(&self, i: usize) -> FormulaId {
        self.digits[i.min(self.digits.len() - 1)]
    }
    /// The formula "it is this number", if it has a value.
    pub(super) fn is(&self, formulas: &mut Formulas, number: usize) -> FormulaId {
        let number = constant(formulas, number as i128);
        equal(formulas, self, &number)
    }
}

/// The value of a term as formulas.
#[derive(Clone, Debug)]
enum BinaryValue {
    Number(BinaryNumber),
    /// A comparison: whether it has a value, and whether it is true.
    Truth(FormulaId, FormulaId),
    /// A value of an enumeration: for each possible value, whether it is this one.
    Variant(Vec<(String, FormulaId)>),
}

/// How many digits a number within these bounds needs, with its sign.
fn width(low: i128, high: i128) -> usize {
    let magnitude = |n: i128| (i128::BITS - if n < 0 { !n } else { n }.leading_zeros()) as usize;
    magnitude(low).max(magnitude(high)) + 1
}

/// Whether all numbers within these bounds fit the arithmetic of terms.
fn fits(low: i128, high: i128) -> bool {
    low >= i128::from(i64::MIN) && high <= i128::from(i64::MAX)
}

impl Lowering<'_> {
    /// Whether the value of some signal of the term is encoded in binary.
    pub(super) fn is_binary(&self, program: &FiniteProgram) -> bool {
        program.signals.iter().any(|signal| self.encoded[signal].code == ValueCode::Binary)
    }

    /// The formula "the computed comparison has a value and is true", over binary digits; `None` if a table is needed.
    pub(super) fn truth_of(&mut self, program: &FiniteProgram) -> Option<FormulaId> {
        match self.binary_value(program)? {
            BinaryValue::Truth(exists, holds) => Some(self.formulas.and([exists, holds])),
            BinaryValue::Number(_) | BinaryValue::Variant(_) => None,
        }
    }

    /// What a cell of a range stores for a term: the digits of the index of the value, and "it stores one" in
    /// `exists`; `None` if a table is needed.
    pub(super) fn stored_index(&mut self, cell: SymbolId, program: &FiniteProgram) -> Option<BinaryNumber> {
        let info = &self.signature.symbols[cell];
        let (Sort::Range(low, high), overflow) = (&info.sort, info.overflow) else { return None };
        let (low, high) = (i128::from(*low), i128::from(*high));
        let BinaryValue::Number(value) = self.binary_value(program)? else { return None };
        let fs = &mut self.formulas;
        let first = constant(fs, low);
        let index = subtract(fs, &value, &first);
        let last = constant(fs, high - low);
        Some(match overflow {
            Overflow::Unavailable => {
                let zero = constant(fs, 0);
                let (below, above) = (greater(fs, &zero, &index), greater(fs, &index, &last));
                let outside = fs.or([below, above]);
                let inside = fs.not(outside);
                let exists = fs.and([index.exists, inside]);
                BinaryNumber { exists, ..index }
            }
            Overflow::Saturating => {
                let zero = constant(fs, 0);
                let (below, above) = (greater(fs, &zero, &index), greater(fs, &index, &last));
                let raised = choose(fs, below, &zero, &index);
                BinaryNumber { exists: index.exists, ..choose(fs, above, &last, &raised) }
            }
            // The digits of a remainder of a power of two are the last ones.
            Overflow::Wrapping if (high - low + 1).count_ones() == 1 => {
                let mut digits: Vec<FormulaId> =
                    (0..width(0, high - low) - 1).map(|i| index.digit(i)).collect();
                digits.push(fs.bottom());
                BinaryNumber { digits, low: 0, high: high - low, ..index }
            }
            Overflow::Wrapping => {
                let size = constant(fs, high - low + 1);
                let (_, rest) = divide(fs, &index, &size);
                let zero = constant(fs, 0);
                let (negative, positive) = (greater(fs, &zero, &rest), add(fs, &rest, &size));
                BinaryNumber { exists: index.exists, ..choose(fs, negative, &positive, &rest) }
            }
        })
    }

    /// The value of a term some of whose signals are encoded in binary.
    fn binary_value(&mut self, program: &FiniteProgram) -> Option<BinaryValue> {
        if !self.is_binary(program) {
            return None;
        }
        let mut done: FxHashMap<TermId, BinaryValue> = FxHashMap::default();
        for &term in program.order() {
            let value = match *self.signature.terms.get(term) {
                Term::Literal(LiteralValue::Int(n)) => {
                    BinaryValue::Number(constant(&self.formulas, i128::from(n)))
                }
                Term::Literal(LiteralValue::Variant(ref name)) => {
                    BinaryValue::Variant(vec![(name.clone(), self.formulas.top())])
                }
                Term::Signal(symbol) => self.signal(symbol),
                Term::Operation(operator, a, b) => {
                    operation(&mut self.formulas, operator, done.get(&a)?, done.get(&b)?)?
                }
                Term::Literal(_) | Term::Apply(..) => return None,
            };
            done.insert(term, value);
        }
        done.remove(program.order().last()?)
    }

    fn signal(&mut self, symbol: SymbolId) -> BinaryValue {
        let signal = self.encoded[&symbol].clone();
        let Sort::Range(low, high) = self.signature.symbols[symbol].sort else {
            let names = signal.values.iter().enumerate();
            return BinaryValue::Variant(names.map(|(i, n)| (n.clone(), self.value_is(symbol, i))).collect());
        };
        let (low, high) = (i128::from(low), i128::from(high));
        let mut digits: Vec<FormulaId> = match signal.code {
            ValueCode::Binary => signal.atoms.iter().map(|&atom| self.formulas.atom(atom)).collect(),
            ValueCode::OneHot => (0..width(0, high - low) - 1)
                .map(|digit| {
                    let with = (0..signal.values.len()).filter(|index| index >> digit & 1 == 1);
                    let with: Vec<FormulaId> = with.map(|index| self.value_is(symbol, index)).collect();
                    self.formulas.or(with)
                })
                .collect(),
        };
        let fs = &mut self.formulas;
        digits.push(fs.bottom());
        let index = BinaryNumber { exists: fs.top(), digits, low: 0, high: high - low };
        let first = constant(fs, low);
        BinaryValue::Number(add(fs, &index, &first))
    }
}

/// The value of an operation; `None` for operands that no operation computes in this form.
fn operation(fs: &mut Formulas, operator: Operator, a: &BinaryValue, b: &BinaryValue) -> Option<BinaryValue> {
    let value = match (operator, a, b) {
        (Operator::Equal, BinaryValue::Number(a), BinaryValue::Number(b)) => {
            let (exists, same) = (fs.and([a.exists, b.exists]), equal(fs, a, b));
            BinaryValue::Truth(exists, same)
        }
        (Operator::Equal, BinaryValue::Truth(x, a), BinaryValue::Truth(y, b)) => {
            let (exists, same) = (fs.and([*x, *y]), fs.iff(*a, *b));
            BinaryValue::Truth(exists, same)
        }
        (Operator::Equal, BinaryValue::Variant(a), BinaryValue::Variant(b)) => {
            let mut same = Vec::new();
            for (name, is) in a {
                if let Some((_, other)) = b.iter().find(|(other, _)| other == name) {
                    same.push(fs.and([*is, *other]));
                }
            }
            let same = fs.or(same);
            BinaryValue::Truth(fs.top(), same)
        }
        (Operator::Greater, BinaryValue::Number(a), BinaryValue::Number(b)) => {
            let (exists, more) = (fs.and([a.exists, b.exists]), greater(fs, a, b));
            BinaryValue::Truth(exists, more)
        }
        (_, BinaryValue::Number(a), BinaryValue::Number(b)) => BinaryValue::Number(match operator {
            Operator::Add => add(fs, a, b),
            Operator::Sub => subtract(fs, a, b),
            Operator::Mul => multiply(fs, a, b),
            Operator::Div => divide(fs, a, b).0,
            _ => divide(fs, a, b).1,
        }),
        _ => return None,
    };
    match value {
        BinaryValue::Number(ref number) if !fits(number.low, number.high) => None,
        value => Some(value),
    }
}

fn constant(fs: &Formulas, value: i128) -> BinaryNumber {
    let digits = (0..width(value, value)).map(|i| fs.constant(value >> i & 1 == 1)).collect();
    BinaryNumber { exists: fs.top(), digits, low: value, high: value }
}

/// The sum with a carry, to this many digits.
fn sum(fs: &mut Formulas, a: &[FormulaId], b: &[FormulaId], mut carry: FormulaId) -> Vec<FormulaId> {
    let mut digits = Vec::with_capacity(a.len());
    for (&a, &b) in a.iter().zip(b) {
        let different = fs.xor(a, b);
        digits.push(fs.xor(different, carry));
        let (both, passed) = (fs.and([a, b]), fs.and([different, carry]));
        carry = fs.or([both, passed]);
    }
    digits
}

fn add(fs: &mut Formulas, a: &BinaryNumber, b: &BinaryNumber) -> BinaryNumber {
    let (low, high) = (a.low + b.low, a.high + b.high);
    let zero = fs.bottom();
    combined(fs, a, b, (low, high), |fs, a, b| sum(fs, a, b, zero))
}

fn subtract(fs: &mut Formulas, a: &BinaryNumber, b: &BinaryNumber) -> BinaryNumber {
    let (low, high) = (a.low - b.high, a.high - b.low);
    let one = fs.top();
    combined(fs, a, b, (low, high), |fs, a, b| {
        let inverted: Vec<FormulaId> = b.iter().map(|&digit| fs.not(digit)).collect();
        sum(fs, a, &inverted, one)
    })
}

fn multiply(fs: &mut Formulas, a: &BinaryNumber, b: &BinaryNumber) -> BinaryNumber {
    let ends = [a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high];
    let low = ends.iter().copied().fold(i128::MAX, i128::min);
    let high = ends.iter().copied().fold(i128::MIN, i128::max);
    combined(fs, a, b, (low, high), |fs, a, b| {
        let zero = fs.bottom();
        let mut result = vec![zero; a.len()];
        for (shift, &digit) in b.iter().enumerate() {
            let shifted: Vec<FormulaId> =
                (0..a.len()).map(|i| if i < shift { zero } else { fs.and([a[i - shift], digit]) }).collect();
            result = sum(fs, &result, &shifted, zero);
        }
        result
    })
}

/// A result within these bounds from operands with as many digits as it has.
fn combined(
    fs: &mut Formulas,
    a: &BinaryNumber,
    b: &BinaryNumber,
    (low, high): (i128, i128),
    digits: impl FnOnce(&mut Formulas, &[FormulaId], &[FormulaId]) -> Vec<FormulaId>,
) -> BinaryNumber {
    let width = width(low, high);
    let [left, right] = [a, b].map(|n| (0..width).map(|i| n.digit(i)).collect::<Vec<_>>());
    let digits = digits(fs, &left, &right);
    BinaryNumber { exists: fs.and([a.exists, b.exists]), digits, low, high }
}

/// Quotient and remainder, rounded toward zero; without a value if the divisor is 0.
fn divide(fs: &mut Formulas, a: &BinaryNumber, b: &BinaryNumber) -> (BinaryNumber, BinaryNumber) {
    let largest = |n: &BinaryNumber| n.low.abs().max(n.high.abs());
    let (dividend, divisor) = (magnitude(fs, a), magnitude(fs, b));
    let (mut quotient, mut rest) = (Vec::new(), constant(fs, 0));
    // Long division, from the most significant digit.
    for &digit in dividend.digits.iter().rev() {
        let mut digits = vec![digit];
        digits.extend(&rest.digits);
        rest = BinaryNumber { digits, high: rest.high * 2 + 1, ..rest };
        let too_large = greater(fs, &divisor, &rest);
        let fits = fs.not(too_large);
        let less = subtract(fs, &rest, &divisor);
        let next = choose(fs, fits, &less, &rest);
        // The rest is less than the divisor.
        let high = (largest(b) - 1).max(0).min(rest.high);
        let digits = (0..width(0, high)).map(|i| next.digit(i)).collect();
        rest = BinaryNumber { exists: fs.top(), digits, low: 0, high };
        quotient.push(fits);
    }
    quotient.reverse();
    quotient.push(fs.bottom());
    let zero = constant(fs, 0);
    let nonzero = equal(fs, b, &zero);
    let nonzero = fs.not(nonzero);
    let exists = fs.and([a.exists, b.exists, nonzero]);
    let quotient = BinaryNumber { exists: fs.top(), digits: quotient, low: 0, high: largest(a) };
    let [a_negative, b_negative] = [a, b].map(|n| n.digit(usize::MAX));
    let opposite = fs.xor(a_negative, b_negative);
    let quotient = with_sign(fs, opposite, &quotient);
    let rest = with_sign(fs, a_negative, &rest);
    (BinaryNumber { exists, ..quotient }, BinaryNumber { exists, ..rest })
}

/// The absolute value.
fn magnitude(fs: &mut Formulas, a: &BinaryNumber) -> BinaryNumber {
    let zero = constant(fs, 0);
    let negative = a.digit(usize::MAX);
    let opposite = subtract(fs, &zero, a);
    let positive = choose(fs, negative, &opposite, a);
    let high = a.low.abs().max(a.high.abs());
    let digits = (0..width(0, high)).map(|i| positive.digit(i)).collect();
    BinaryNumber { low: 0, high, digits, exists: a.exists }
}

/// The number or its opposite.
fn with_sign(fs: &mut Formulas, negative: FormulaId, a: &BinaryNumber) -> BinaryNumber {
    let zero = constant(fs, 0);
    let opposite = subtract(fs, &zero, a);
    choose(fs, negative, &opposite, a)
}

/// `yes` if the condition holds, else `no`.
fn choose(fs: &mut Formulas, condition: FormulaId, yes: &BinaryNumber, no: &BinaryNumber) -> BinaryNumber {
    if condition == fs.top() || condition == fs.bottom() {
        return if condition == fs.top() { yes.clone() } else { no.clone() };
    }
    let otherwise = fs.not(condition);
    combined(fs, yes, no, (yes.low.min(no.low), yes.high.max(no.high)), |fs, yes, no| {
        let digits = yes.iter().zip(no).map(|(&yes, &no)| {
            if yes == no {
                return yes;
            }
            let (yes, no) = (fs.and([condition, yes]), fs.and([otherwise, no]));
            fs.or([yes, no])
        });
        digits.collect()
    })
}

fn equal(fs: &mut Formulas, a: &BinaryNumber, b: &BinaryNumber) -> FormulaId {
    if a.high < b.low || b.high < a.low {
        return fs.bottom();
    }
    let width = a.digits.len().max(b.digits.len());
    let same: Vec<FormulaId> = (0..width).map(|i| fs.iff(a.digit(i), b.digit(i))).collect();
    fs.and(same)
}

fn greater(fs: &mut Formulas, a: &BinaryNumber, b: &BinaryNumber) -> FormulaId {
    if a.low > b.high || a.high <= b.low {
        return fs.constant(a.low > b.high);
    }
    let width = a.digits.len().max(b.digits.len());
    let mut more = fs.bottom();
    for i in 0..width {
        let (a, b) = (a.digit(i), b.digit(i));
        // A set sign makes a number smaller.
        let (a, b) = if i + 1 == width { (b, a) } else { (a, b) };
        let not_b = fs.not(b);
        let (decided, same) = (fs.and([a, not_b]), fs.iff(a, b));
        let kept = fs.and([same, more]);
        more = fs.or([decided, kept]);
    }
    more
}
