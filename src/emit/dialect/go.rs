//! Go 1.18 or later.

use super::super::names::NameCase;
use super::super::reserved::GO;
use super::super::text::python_string;
use super::{FIXED_TYPES, IdentifierKind, TargetDialect, Ty, named};
use tsl_synth_lang::spec::Operator;

pub(crate) struct Go;

impl TargetDialect for Go {
    fn reserved(&self) -> &'static [&'static [&'static str]] {
        &[GO]
    }
    fn fixed_types(&self) -> &'static [&'static [&'static str]] {
        &[
            FIXED_TYPES,
            &[
                "MachineId",
                "Start",
                "Decide",
                "MakePlan",
                "New",
                "Restore",
                "Assumptions",
                "AssumptionBroken",
                "OverflowError",
                "Initial",
                "Parts",
                "Options",
                "Ask",
                "AskNothing",
                "Unknown",
            ],
        ]
    }
    fn case(&self, _what: IdentifierKind) -> NameCase {
        // Names in upper case are those that other packages may use.
        NameCase::Pascal
    }
    fn flat(&self) -> bool {
        true
    }
    fn is_one_scope(&self) -> bool {
        true
    }
    fn constant(&self, _module_upper: &str, ident: &str) -> String {
        ident.to_owned()
    }
    fn ty(&self, ty: &Ty) -> String {
        named(ty, ["bool", "int64", "float64"])
    }
    fn string(&self, text: &str) -> String {
        // The escapes are those of Python.
        python_string(text)
    }
    fn integer(&self, value: i64, real: bool) -> String {
        let digits = if real { format!("{value}.0") } else { value.to_string() };
        if value < 0 { format!("({digits})") } else { digits }
    }
    fn variant(&self, _ty: &str, ident: &str, _quoted: &str) -> String {
        ident.to_owned()
    }
    fn calls_are_statements(&self) -> bool {
        true
    }
    fn exact(&self, operator: Operator, left: &str, right: &str) -> Option<String> {
        let operation = match operator {
            Operator::Add => "Add",
            Operator::Sub => "Sub",
            _ => "Mul",
        };
        Some(format!("exact{operation}({left}, {right})"))
    }
    fn computed(&self, operator: Operator, left: &str, right: &str, ty: &Ty) -> Option<String> {
        if *ty == Ty::Integer { self.exact(operator, left, right) } else { None }
    }
    fn integer_division(&self, operator: Operator, a: &str, b: &str, real: bool) -> String {
        match (operator, real) {
            (Operator::Div, true) => format!("math.Trunc({a} / {b})"),
            (_, true) => format!("math.Mod({a}, {b})"),
            (Operator::Div, false) => format!("exactDiv({a}, {b})"),
            (_, false) => format!("{a} % {b}"),
        }
    }
    fn saturate(&self, value: &str, low: &str, high: &str) -> String {
        format!("saturate({value}, {low}, {high})")
    }
    fn wrap(&self, value: &str, low: &str, high: &str, real: bool) -> String {
        format!("wrap{}({value}, {low}, {high})", if real { "Real" } else { "" })
    }
}
