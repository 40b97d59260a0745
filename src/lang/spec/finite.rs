//! Values of declared finite sorts: which terms can be computed, and their value for given values of the signals.
//! Comparisons of computable terms are never left to the environment.

use super::signature::{LiteralValue, Operator, Overflow, Signature, Sort, SymbolId, Term, TermId, Terms};
use rustc_hash::FxHashSet;
use tsl_synth_core::base::{Limit, LimitKind};
use tsl_synth_core::logic::ValueCode;

/// The largest number of values of a finite sort; checked only for sorts whose values are compared.
pub const FINITE_VALUES: usize = 1 << 12;
/// The largest number of values that have an atom each. The binary digits of more values are fewer atoms.
pub const ONE_HOT_VALUES: usize = 3;
/// The largest number of combinations of signal values for which a term is tabulated.
pub const FINITE_COMBINATIONS: usize = 1 << 14;

/// The values of a signal of a finite sort, in order; `None` for other symbols.
pub(super) fn domain(signature: &Signature, symbol: SymbolId) -> Result<Option<Vec<LiteralValue>>, Limit> {
    let info = &signature.symbols[symbol];
    if !info.kind.is_signal() {
        return Ok(None);
    }
    match &info.sort {
        Sort::Range(low, high) => {
            let count = i128::from(*high) - i128::from(*low) + 1;
            if count > FINITE_VALUES as i128 {
                let what =
                    format!("the range of `{}` has {count} values, more than {FINITE_VALUES}", info.name);
                return Err(Limit::new(LimitKind::Size, what));
            }
            Ok(Some((*low..=*high).map(LiteralValue::Int).collect()))
        }
        Sort::Enum(names) if names.len() > FINITE_VALUES => {
            let what =
                format!("the sort of `{}` has {} values, more than {FINITE_VALUES}", info.name, names.len());
            Err(Limit::new(LimitKind::Size, what))
        }
        Sort::Enum(names) => Ok(Some(names.iter().cloned().map(LiteralValue::Variant).collect())),
        _ => Ok(None),
    }
}

/// Whether this symbol is a signal of a finite sort, so that its values can be followed.
pub(super) fn is_finite(signature: &Signature, symbol: SymbolId) -> bool {
    let info = &signature.symbols[symbol];
    matches!(info.sort, Sort::Range(..) | Sort::Enum(_)) && info.kind.is_signal()
}

/// How a signal with these values is encoded: ranges with more values than `one_hot_values` in binary, enumerations,
/// which have no arithmetic, never.
pub(super) fn code(values: &[LiteralValue], one_hot_values: usize) -> ValueCode {
    match values.first() {
        Some(LiteralValue::Int(_)) if values.len() > one_hot_values.max(1) => ValueCode::Binary,
        _ => ValueCode::OneHot,
    }
}

/// The comparison "this binary digit of the index of the value is 1" for a signal of a range: `x % 2 = 1`,
/// `(x - 1) / 4 % 2 = 1`, and for the most significant digit `x > 7`. `None` if the index has fewer digits.
pub(super) fn digit(signature: &mut Signature, symbol: SymbolId, digit: u32) -> Option<TermId> {
    let Sort::Range(low, high) = signature.symbols[symbol].sort else { return None };
    let last = u64::try_from(i128::from(high) - i128::from(low)).ok()?;
    let digits = u64::BITS - last.leading_zeros();
    let terms = &mut signature.terms;
    let mut term = terms.intern(Term::Signal(symbol));
    let number = |terms: &mut Terms, n: i64| terms.intern(Term::Literal(LiteralValue::Int(n)));
    let weight = 1i64.checked_shl(digit).filter(|_| digit < digits)?;
    if digit + 1 == digits {
        let below = number(terms, low.checked_add(weight)? - 1);
        return Some(terms.intern(Term::Operation(Operator::Greater, term, below)));
    }
    if low != 0 {
        let (operator, offset) =
            if low < 0 { (Operator::Add, low.checked_neg()?) } else { (Operator::Sub, low) };
        let offset = number(terms, offset);
        term = terms.intern(Term::Operation(operator, term, offset));
    }
    if digit > 0 {
        let weight = number(terms, weight);
        term = terms.intern(Term::Operation(Operator::Div, term, weight));
    }
    let (two, one) = (number(terms, 2), number(terms, 1));
    term = terms.intern(Term::Operation(Operator::Mod, term, two));
    Some(terms.intern(Term::Operation(Operator::Equal, term, one)))
}

/// Values of the signals of a term, and the value of the term, if it has one.
pub(super) type Row = (Vec<LiteralValue>, Option<LiteralValue>);

/// A term that can be computed from the values of signals of finite sorts.
#[derive(Clone, Debug)]
pub(super) struct FiniteProgram {
    /// Subterms, operands first; the last is the term.
    order: Vec<TermId>,
    /// The signals it reads, sorted.
    pub(super) signals: Vec<SymbolId>,
}

impl FiniteProgram {
    /// The program of a term over literals and signals of finite sorts; `None` if it has other leaves.
    pub(super) fn new(signature: &Signature, term: TermId) -> Option<Self> {
        let mut seen = FxHashSet::default();
        let mut todo = vec![term];
        let mut signals = Vec::new();
        seen.insert(term);
        while let Some(id) = todo.pop() {
            match signature.terms.get(id) {
                Term::Literal(LiteralValue::Int(_) | LiteralValue::Variant(_)) => {}
                Term::Signal(symbol) if is_finite(signature, *symbol) => signals.push(*symbol),
                Term::Operation(_, a, b) => todo.extend([*a, *b].into_iter().filter(|t| seen.insert(*t))),
                _ => return None,
            }
        }
        let mut order: Vec<TermId> = seen.into_iter().collect();
        order.sort_unstable();
        signals.sort_unstable();
        Some(Self { order, signals })
    }

    /// The subterms, operands first; the last is the term.
    pub(super) fn order(&self) -> &[TermId] {
        &self.order
    }

    /// The value when the signals have these values (in the order of [`FiniteProgram::signals`]); `None` if it
    /// does not exist: overflow, division by zero.
    fn run(&self, signature: &Signature, inputs: &[LiteralValue]) -> Option<LiteralValue> {
        let mut results: Vec<Option<LiteralValue>> = Vec::with_capacity(self.order.len());
        let find = |results: &[Option<LiteralValue>], term: TermId| {
            self.order.binary_search(&term).ok().and_then(|i| results[i].clone())
        };
        for &term in &self.order {
            let result = match signature.terms.get(term) {
                Term::Literal(literal) => Some(literal.clone()),
                Term::Signal(symbol) => self.signals.binary_search(symbol).ok().map(|i| inputs[i].clone()),
                Term::Operation(operator, a, b) => match (find(&results, *a), find(&results, *b)) {
                    (Some(a), Some(b)) => operate(*operator, &a, &b),
                    _ => None,
                },
                Term::Apply(..) => None,
            };
            results.push(result);
        }
        results.pop().flatten()
    }

    /// All combinations of values of the signals, with the value of the term in each.
    ///
    /// # Errors
    /// When there are too many.
    pub(super) fn table(&self, signature: &Signature) -> Result<Vec<Row>, Limit> {
        let mut domains = Vec::new();
        let mut count = 1usize;
        for &signal in &self.signals {
            let values = domain(signature, signal)?.unwrap_or_default();
            count = count.saturating_mul(values.len());
            domains.push(values);
        }
        if count > FINITE_COMBINATIONS {
            let term = self.order.last().map_or(String::new(), |&t| signature.display(t));
            let what =
                format!("`{term}` has {count} combinations of values, more than {FINITE_COMBINATIONS}");
            return Err(Limit::new(LimitKind::Size, what));
        }
        let mut rows = Vec::with_capacity(count);
        for mut code in 0..count {
            let mut row = Vec::with_capacity(domains.len());
            for values in &domains {
                row.push(values[code % values.len()].clone());
                code /= values.len();
            }
            let value = self.run(signature, &row);
            rows.push((row, value));
        }
        Ok(rows)
    }
}

fn operate(operator: Operator, a: &LiteralValue, b: &LiteralValue) -> Option<LiteralValue> {
    match (operator, a, b) {
        (Operator::Equal, a, b) => Some(LiteralValue::Bool(a == b)),
        (_, &LiteralValue::Int(a), &LiteralValue::Int(b)) => Some(match operator {
            Operator::Add => LiteralValue::Int(a.checked_add(b)?),
            Operator::Sub => LiteralValue::Int(a.checked_sub(b)?),
            Operator::Mul => LiteralValue::Int(a.checked_mul(b)?),
            Operator::Div => LiteralValue::Int(a.checked_div(b)?),
            Operator::Mod => LiteralValue::Int(a.checked_rem(b)?),
            Operator::Greater => LiteralValue::Bool(a > b),
            Operator::Equal => return None,
        }),
        _ => None,
    }
}

/// The value that a cell has after an update to this value; `None` if the update is not available.
pub(super) fn store(
    signature: &Signature,
    cell: SymbolId,
    value: Option<&LiteralValue>,
) -> Option<LiteralValue> {
    let info = &signature.symbols[cell];
    match (&info.sort, value?) {
        (Sort::Range(low, high), &LiteralValue::Int(i)) => {
            let size = i128::from(*high) - i128::from(*low) + 1;
            match info.overflow {
                Overflow::Unavailable if (*low..=*high).contains(&i) => Some(LiteralValue::Int(i)),
                Overflow::Unavailable => None,
                Overflow::Saturating => Some(LiteralValue::Int(i.clamp(*low, *high))),
                Overflow::Wrapping => {
                    let offset = (i128::from(i) - i128::from(*low)).rem_euclid(size);
                    Some(LiteralValue::Int((i128::from(*low) + offset) as i64))
                }
            }
        }
        (Sort::Enum(names), LiteralValue::Variant(name)) => {
            names.contains(name).then(|| LiteralValue::Variant(name.clone()))
        }
        _ => None,
    }
}

/// Whether some values of its signals leave the update of a cell without a value. Where these are too many to be
/// tabulated, the answer is "yes" for every update of a cell that neither saturates nor wraps, and for every division.
pub(super) fn may_be_unavailable(
    signature: &Signature,
    cell: SymbolId,
    program: &FiniteProgram,
) -> Result<bool, Limit> {
    let mut combinations = 1usize;
    for &signal in &program.signals {
        let values = domain(signature, signal)?.map_or(1, |values| values.len());
        combinations = combinations.saturating_mul(values);
    }
    if combinations > FINITE_COMBINATIONS && matches!(signature.symbols[cell].sort, Sort::Range(..)) {
        return Ok(signature.symbols[cell].overflow == Overflow::Unavailable
            || program.order.iter().any(|&term| {
                matches!(signature.terms.get(term), Term::Operation(Operator::Div | Operator::Mod, ..))
            }));
    }
    let table = program.table(signature)?;
    Ok(table.iter().any(|(_, value)| store(signature, cell, value.as_ref()).is_none()))
}
