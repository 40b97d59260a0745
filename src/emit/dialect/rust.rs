//! Rust: edition 2021 or later.

use super::super::names::NameCase;
use super::super::reserved::RUST;
use super::super::text::rust_string;
use super::{FIXED_TYPES, IdentifierKind, TargetDialect, TargetExpr, Ty, ValuePlace};
use tsl_synth_lang::spec::Operator;

pub(crate) struct Rust;

impl TargetDialect for Rust {
    fn reserved(&self) -> &'static [&'static [&'static str]] {
        &[RUST]
    }
    fn fixed_types(&self) -> &'static [&'static [&'static str]] {
        &[FIXED_TYPES, &["StepError", "Watch", "Error", "Self"]]
    }
    fn case(&self, what: IdentifierKind) -> NameCase {
        match what {
            IdentifierKind::Field | IdentifierKind::Method => NameCase::Snake,
            IdentifierKind::Type | IdentifierKind::Variant => NameCase::Pascal,
        }
    }
    fn ty(&self, ty: &Ty) -> String {
        match ty {
            Ty::Bool => "bool".into(),
            Ty::Integer => "i64".into(),
            Ty::Real | Ty::Rational => "f64".into(),
            Ty::Enum(ident) => ident.clone(),
            Ty::Opaque(ident) => format!("E::{ident}"),
        }
    }
    fn parameter(&self, ty: &Ty) -> String {
        match ty {
            Ty::Opaque(ident) => format!("&Self::{ident}"),
            _ => self.ty(ty),
        }
    }
    fn result(&self, ty: &Ty) -> String {
        match ty {
            Ty::Opaque(ident) => format!("Self::{ident}"),
            _ => self.ty(ty),
        }
    }
    fn string(&self, text: &str) -> String {
        rust_string(text)
    }
    fn integer(&self, value: i64, real: bool) -> String {
        let digits = if real { format!("{value}.0") } else { value.to_string() };
        if value < 0 { format!("({digits})") } else { digits }
    }
    fn variant(&self, ty: &str, ident: &str, _quoted: &str) -> String {
        format!("{ty}::{ident}")
    }
    fn cell(&self, ident: &str) -> String {
        format!("self.cells.{ident}")
    }
    fn call(&self, method: &str, arguments: &[String], asynchronous: bool, _target: &str) -> String {
        let wait = if asynchronous { ".await" } else { "" };
        format!("env.{method}({}){wait}?", arguments.join(", "))
    }
    fn sample(&self, text: &str) -> String {
        format!("String::from({})", rust_string(text))
    }
    fn shared_by_reference(&self) -> bool {
        true
    }
    fn argument(&self, expr: &TargetExpr, ty: &Ty) -> String {
        if ty.is_builtin() || expr.place == ValuePlace::Reference {
            expr.code.clone()
        } else {
            format!("&{}", expr.inner())
        }
    }
    fn stored(&self, expr: &TargetExpr, ty: &Ty) -> String {
        if ty.is_builtin() || expr.place == ValuePlace::Temporary {
            expr.code.clone()
        } else {
            format!("{}.clone()", expr.inner())
        }
    }
    fn operand(&self, expr: &TargetExpr, ty: &Ty) -> String {
        if !ty.is_builtin() && expr.place == ValuePlace::Reference {
            format!("*{}", expr.code)
        } else {
            expr.inner()
        }
    }
    fn exact(&self, operator: Operator, left: &str, right: &str) -> Option<String> {
        let operation = match operator {
            Operator::Add => "add",
            Operator::Sub => "sub",
            _ => "mul",
        };
        let [left, right] = [left, right].map(bare);
        Some(format!("i64::checked_{operation}({left}, {right}).expect(\"an integer overflows\")"))
    }
    fn integer_division(&self, operator: Operator, a: &str, b: &str, real: bool) -> String {
        match operator {
            Operator::Div if real => format!("({a} / {b}).trunc()"),
            _ => format!("{a} {} {b}", self.operator(operator)),
        }
    }
    fn saturate(&self, value: &str, low: &str, high: &str) -> String {
        let [low, high] = [low, high].map(bare);
        format!("({value}).clamp({low}, {high})")
    }
    fn wrap(&self, value: &str, low: &str, high: &str, real: bool) -> String {
        let one = if real { "1.0" } else { "1" };
        let size = format!("({high} - {low} + {one})");
        format!("((({value}) - {low}) % {size} + {size}) % {size} + {low}")
    }
}

/// Removes the outer parentheses of a literal, which are not needed in an argument.
fn bare(text: &str) -> &str {
    text.strip_prefix('(').and_then(|text| text.strip_suffix(')')).unwrap_or(text)
}
