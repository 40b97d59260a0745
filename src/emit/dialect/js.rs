//! JavaScript and TypeScript.

use super::super::names::NameCase;
use super::super::reserved::JS;
use super::super::text::js_string;
use super::{FIXED_TYPES, IdentifierKind, TargetDialect, Ty, named};
use tsl_synth_lang::spec::Operator;

pub(crate) struct Js;

impl TargetDialect for Js {
    fn reserved(&self) -> &'static [&'static [&'static str]] {
        &[JS]
    }
    fn fixed_types(&self) -> &'static [&'static [&'static str]] {
        &[
            FIXED_TYPES,
            &[
                "AssumptionBroken",
                "Error",
                "Object",
                "Options",
                "Parts",
                "GivenParts",
                "Readonly",
                "Record",
                "Promise",
                "Array",
                "Symbol",
                "JSON",
                "Math",
                "Number",
                "String",
                "Boolean",
                "AbortSignal",
                "Monitors",
                "Partial",
                "Pick",
                "Omit",
                "Function",
                "Busy",
                "Date",
                "Map",
                "Set",
                "Infinity",
                "Decision",
                "Awaitable",
                "Reentered",
                "Unknown",
            ],
        ]
    }
    fn case(&self, what: IdentifierKind) -> NameCase {
        match what {
            IdentifierKind::Type => NameCase::Pascal,
            _ => NameCase::Keep,
        }
    }
    fn texts(&self) -> bool {
        true
    }
    fn ty(&self, ty: &Ty) -> String {
        named(ty, ["boolean", "number", "number"])
    }
    fn string(&self, text: &str) -> String {
        js_string(text)
    }
    fn integer(&self, value: i64, _real: bool) -> String {
        if value < 0 { format!("({value})") } else { value.to_string() }
    }
    fn variant(&self, _ty: &str, _ident: &str, quoted: &str) -> String {
        quoted.to_owned()
    }
    fn operator(&self, operator: Operator) -> &'static str {
        match operator {
            Operator::Add => "+",
            Operator::Sub => "-",
            Operator::Mul => "*",
            Operator::Div => "/",
            Operator::Mod => "%",
            Operator::Equal => "===",
            Operator::Greater => ">",
        }
    }
    fn exact(&self, operator: Operator, left: &str, right: &str) -> Option<String> {
        Some(format!("$exact({left} {} {right})", self.operator(operator)))
    }
    fn exact_input(&self, code: String) -> String {
        format!("$exact({code})")
    }
    fn integer_division(&self, operator: Operator, a: &str, b: &str, _real: bool) -> String {
        // Adding 0 makes 0 of the negative zero.
        match operator {
            Operator::Div => format!("Math.trunc({a} / {b}) + 0"),
            _ => format!("({a} % {b}) + 0"),
        }
    }
    fn saturate(&self, value: &str, low: &str, high: &str) -> String {
        format!("Math.min(Math.max({value}, {low}), {high})")
    }
    fn wrap(&self, value: &str, low: &str, high: &str, _real: bool) -> String {
        let size = format!("({high} - {low} + 1)");
        format!("((({value}) - {low}) % {size} + {size}) % {size} + {low}")
    }
}
