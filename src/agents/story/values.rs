//! Terms evaluated over the values of cells.

use std::collections::BTreeMap;
use std::fmt;
use tsl_synth_lang::spec::{LiteralValue, Operator, Overflow, Signature, Sort, SymbolId, Term, TermId};

/// The value of a cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A truth value.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A text, or a value of an enumeration.
    Text(String),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(value) => write!(f, "{value}"),
            Self::Int(value) => write!(f, "{value}"),
            Self::Text(text) => f.write_str(text),
        }
    }
}

/// The values of cells; a cell without one was never written.
pub(super) type Values = BTreeMap<SymbolId, Value>;

/// Whether a term consists only of operators, literals other than reals, and signals that `known` accepts. Nesting of
/// terms is bounded by the parser.
pub(super) fn is_computed(signature: &Signature, term: TermId, known: &dyn Fn(SymbolId) -> bool) -> bool {
    match signature.terms.get(term) {
        Term::Signal(symbol) => known(*symbol),
        Term::Literal(LiteralValue::Real(_)) | Term::Apply(..) => false,
        Term::Literal(_) => true,
        Term::Operation(_, a, b) => is_computed(signature, *a, known) && is_computed(signature, *b, known),
    }
}

/// The value of a term; `None` for a signal without one, an overflow of 64 bits, a division by zero, and operands of
/// the wrong kind.
pub(super) fn evaluate(signature: &Signature, term: TermId, values: &Values) -> Option<Value> {
    Some(match signature.terms.get(term) {
        Term::Signal(symbol) => values.get(symbol)?.clone(),
        Term::Literal(LiteralValue::Bool(value)) => Value::Bool(*value),
        Term::Literal(LiteralValue::Int(value)) => Value::Int(*value),
        Term::Literal(LiteralValue::Variant(name)) => Value::Text(name.clone()),
        Term::Literal(LiteralValue::Real(_)) | Term::Apply(..) => return None,
        Term::Operation(operator, a, b) => {
            let (a, b) = (evaluate(signature, *a, values)?, evaluate(signature, *b, values)?);
            match (operator, a, b) {
                (Operator::Equal, a, b) => Value::Bool(a == b),
                (operator, Value::Int(a), Value::Int(b)) => arithmetic(*operator, a, b)?,
                _ => return None,
            }
        }
    })
}

fn arithmetic(operator: Operator, a: i64, b: i64) -> Option<Value> {
    Some(Value::Int(match operator {
        Operator::Add => a.checked_add(b)?,
        Operator::Sub => a.checked_sub(b)?,
        Operator::Mul => a.checked_mul(b)?,
        Operator::Div => a.checked_div(b)?,
        Operator::Mod => a.checked_rem(b)?,
        Operator::Equal => return Some(Value::Bool(a == b)),
        Operator::Greater => return Some(Value::Bool(a > b)),
    }))
}

/// The computed value fitted into the declared range of the cell, by saturation or wrapping as declared.
pub(super) fn stored(signature: &Signature, cell: SymbolId, value: Value) -> Value {
    let symbol = &signature.symbols[cell];
    match (value, &symbol.sort, symbol.overflow) {
        (Value::Int(value), Sort::Range(low, high), Overflow::Saturating) => {
            Value::Int(value.clamp(*low, *high))
        }
        (Value::Int(value), Sort::Range(low, high), Overflow::Wrapping) => {
            let (value, low, high) = (i128::from(value), i128::from(*low), i128::from(*high));
            let wrapped = low + (value - low).rem_euclid(high - low + 1);
            Value::Int(i64::try_from(wrapped).unwrap_or_default())
        }
        (value, ..) => value,
    }
}

/// The value that a cell has before the first turn.
pub(super) fn initial(signature: &Signature, cell: SymbolId, given: Option<Value>) -> Option<Value> {
    let symbol = &signature.symbols[cell];
    let declared = symbol.initial.and_then(|term| evaluate(signature, term, &Values::new()));
    declared.or(given).or(match symbol.sort {
        Sort::Bool => Some(Value::Bool(false)),
        Sort::Number => Some(Value::Int(0)),
        Sort::Range(low, high) => Some(Value::Int(0.clamp(low, high))),
        _ => None,
    })
}
