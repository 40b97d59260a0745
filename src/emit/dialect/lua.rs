//! Lua 5.4 or later.

use super::super::names::NameCase;
use super::super::reserved::LUA;
use super::super::text::rust_string;
use super::{IdentifierKind, TargetDialect, Ty, named};
use tsl_synth_lang::spec::Operator;

pub(crate) struct Lua;

impl TargetDialect for Lua {
    fn reserved(&self) -> &'static [&'static [&'static str]] {
        &[LUA]
    }
    fn fixed_types(&self) -> &'static [&'static [&'static str]] {
        &[]
    }
    fn case(&self, _what: IdentifierKind) -> NameCase {
        NameCase::Keep
    }
    fn texts(&self) -> bool {
        true
    }
    fn local(&self) -> &'static str {
        // A function has at most 200 local variables, so that these and those of a circuit are fields of tables.
        "v."
    }
    fn circuit_names(&self) -> [&'static str; 2] {
        ["s.b", "g.g"]
    }
    fn ty(&self, ty: &Ty) -> String {
        named(ty, ["boolean", "integer", "number"])
    }
    fn string(&self, text: &str) -> String {
        // The escapes are those of Rust.
        rust_string(text)
    }
    fn integer(&self, value: i64, real: bool) -> String {
        match (value, real) {
            (_, true) if value < 0 => format!("({value}.0)"),
            (_, true) => format!("{value}.0"),
            (i64::MIN, _) => "math.mininteger".into(),
            _ if value < 0 => format!("({value})"),
            _ => value.to_string(),
        }
    }
    fn variant(&self, _ty: &str, _ident: &str, quoted: &str) -> String {
        quoted.to_owned()
    }
    fn call(&self, method: &str, arguments: &[String], _asynchronous: bool, _target: &str) -> String {
        format!("answer(env:{method}({}), \"{method}\")", arguments.join(", "))
    }
    fn connectives(&self) -> [&'static str; 2] {
        ["and", "or"]
    }
    fn negate(&self, operand: &str) -> String {
        format!("not {operand}")
    }
    fn exact(&self, operator: Operator, left: &str, right: &str) -> Option<String> {
        let operation = match operator {
            Operator::Add => "add",
            Operator::Sub => "sub",
            _ => "mul",
        };
        Some(format!("exact_{operation}({left}, {right})"))
    }
    fn exact_input(&self, code: String) -> String {
        format!("whole({code})")
    }
    fn computed(&self, operator: Operator, left: &str, right: &str, ty: &Ty) -> Option<String> {
        if *ty == Ty::Integer {
            return self.exact(operator, left, right);
        }
        // Integers are never added here: their sum would wrap.
        let unit = if operator == Operator::Mul { "* 1.0" } else { "+ 0.0" };
        Some(format!("({left} {unit} {} {right})", self.operator(operator)))
    }
    fn integer_division(&self, operator: Operator, a: &str, b: &str, real: bool) -> String {
        let operation = if operator == Operator::Div { "quotient" } else { "remainder" };
        format!("{operation}({a}, {b}){}", if real { " + 0.0" } else { "" })
    }
    fn saturate(&self, value: &str, low: &str, high: &str) -> String {
        format!("math.min(math.max({value}, {low}), {high})")
    }
    fn wrap(&self, value: &str, low: &str, high: &str, _real: bool) -> String {
        format!("wrap({value}, {low}, {high})")
    }
}
