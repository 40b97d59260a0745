//! Python 3.10 or later.

use super::super::names::NameCase;
use super::super::reserved::PYTHON;
use super::super::text::python_string;
use super::{FIXED_TYPES, IdentifierKind, TargetDialect, Ty};
use tsl_synth_lang::spec::Operator;

pub(crate) struct Python;

impl TargetDialect for Python {
    fn reserved(&self) -> &'static [&'static [&'static str]] {
        &[PYTHON]
    }
    fn fixed_types(&self) -> &'static [&'static [&'static str]] {
        &[
            FIXED_TYPES,
            &[
                "AssumptionBroken",
                "Ask",
                "Enum",
                "ABC",
                "Generic",
                "TypeVar",
                "Any",
                "Callable",
                "Mapping",
                "Exception",
                "ValueError",
                "RuntimeError",
                "Unset",
                "Final",
                "Broken",
                "Reentered",
                "NamedTuple",
                "Dead",
                "Optional",
                "Union",
            ],
        ]
    }
    fn case(&self, what: IdentifierKind) -> NameCase {
        match what {
            IdentifierKind::Field | IdentifierKind::Method => NameCase::Snake,
            IdentifierKind::Type => NameCase::Pascal,
            IdentifierKind::Variant => NameCase::Upper,
        }
    }
    fn ty(&self, ty: &Ty) -> String {
        match ty {
            Ty::Bool => "bool".into(),
            Ty::Integer => "int".into(),
            Ty::Real => "float".into(),
            Ty::Rational => "Fraction".into(),
            Ty::Enum(ident) | Ty::Opaque(ident) => ident.clone(),
        }
    }
    fn string(&self, text: &str) -> String {
        python_string(text)
    }
    fn boolean(&self, value: bool) -> String {
        if value { "True" } else { "False" }.into()
    }
    fn integer(&self, value: i64, _real: bool) -> String {
        if value < 0 { format!("({value})") } else { value.to_string() }
    }
    fn connectives(&self) -> [&'static str; 2] {
        ["and", "or"]
    }
    fn negate(&self, operand: &str) -> String {
        format!("not {operand}")
    }
    fn exact(&self, _operator: Operator, _left: &str, _right: &str) -> Option<String> {
        None
    }
    fn exact_input(&self, code: String) -> String {
        format!("_integer({code})")
    }
    fn rational(&self, code: &str) -> Option<String> {
        Some(format!("Fraction({code})"))
    }
    fn integer_division(&self, operator: Operator, a: &str, b: &str, _real: bool) -> String {
        // The operators of the language round down.
        let symbol = if operator == Operator::Div { "//" } else { "%" };
        format!("{a} {symbol} {b} if ({a} >= 0) == ({b} > 0) else -(-{a} {symbol} {b})")
    }
    fn saturate(&self, value: &str, low: &str, high: &str) -> String {
        format!("min(max({value}, {low}), {high})")
    }
    fn wrap(&self, value: &str, low: &str, high: &str, _real: bool) -> String {
        format!("(({value}) - {low}) % ({high} - {low} + 1) + {low}")
    }
}
