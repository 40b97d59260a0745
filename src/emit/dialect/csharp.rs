//! C# 7 or later.

use super::super::names::NameCase;
use super::super::reserved::CSHARP;
use super::super::text::python_string;
use super::{FIXED_TYPES, IdentifierKind, TargetDialect, Ty, named};
use tsl_synth_lang::spec::Operator;

pub(crate) struct CSharp;

impl TargetDialect for CSharp {
    fn reserved(&self) -> &'static [&'static [&'static str]] {
        &[CSHARP]
    }
    fn fixed_types(&self) -> &'static [&'static [&'static str]] {
        &[
            FIXED_TYPES,
            &["AssumptionBroken", "Ask", "Decision", "Restarts", "Text", "Lassos", "Program", "World"],
        ]
    }
    fn case(&self, _what: IdentifierKind) -> NameCase {
        NameCase::Pascal
    }
    fn sort_name(&self, ident: String) -> String {
        // No field of a class may have the name of its type parameter. Other names have no `_` inside.
        format!("T_{ident}")
    }
    fn ty(&self, ty: &Ty) -> String {
        named(ty, ["bool", "long", "double"])
    }
    fn string(&self, text: &str) -> String {
        // The escapes are those of Python.
        python_string(text)
    }
    fn integer(&self, value: i64, real: bool) -> String {
        match (value, real) {
            (_, true) if value < 0 => format!("({value}.0)"),
            (_, true) => format!("{value}.0"),
            (i64::MIN, _) => "long.MinValue".into(),
            _ if value < 0 => format!("({value}L)"),
            _ => format!("{value}L"),
        }
    }
    fn exact(&self, operator: Operator, left: &str, right: &str) -> Option<String> {
        Some(format!("checked({left} {} {right})", self.operator(operator)))
    }
    fn computed(&self, operator: Operator, left: &str, right: &str, ty: &Ty) -> Option<String> {
        if *ty == Ty::Integer { self.exact(operator, left, right) } else { None }
    }
    fn integer_division(&self, operator: Operator, a: &str, b: &str, real: bool) -> String {
        match operator {
            Operator::Div if real => format!("global::System.Math.Truncate({a} / {b})"),
            _ => format!("{a} {} {b}", self.operator(operator)),
        }
    }
    fn saturate(&self, value: &str, low: &str, high: &str) -> String {
        format!("global::System.Math.Min(global::System.Math.Max({value}, {low}), {high})")
    }
    fn wrap(&self, value: &str, low: &str, high: &str, _real: bool) -> String {
        format!("Machine.Wrap({value}, {low}, {high})")
    }
}
