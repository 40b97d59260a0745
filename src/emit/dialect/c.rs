//! C99.

use super::super::names::NameCase;
use super::super::reserved::C as RESERVED;
use super::super::text::c_string;
use super::{IdentifierKind, TargetDialect, Ty, named};
use tsl_synth_lang::spec::Operator;

pub(crate) struct C;

impl TargetDialect for C {
    fn reserved(&self) -> &'static [&'static [&'static str]] {
        &[RESERVED]
    }
    fn fixed_types(&self) -> &'static [&'static [&'static str]] {
        &[&[
            "state",
            "predicates",
            "predicate",
            "updates",
            "inputs",
            "cells",
            "environment",
            "controller",
            "step",
            "result",
            "assumption",
            "letter",
            "monitors",
            "plan",
            "decision",
            "init",
            "cells_fit",
            "inputs_fit",
            "decide",
            "save",
            "restore",
            "state_name",
            "state_is_sink",
            "assumption_text",
            "letter_json",
            "machine_id",
            "trace",
            "wrap",
            "saturate",
            "truth",
            "initial",
            "outcome",
            "ask",
            "status",
            "make_plan",
            "next",
            "evaluate",
        ]]
    }
    fn case(&self, what: IdentifierKind) -> NameCase {
        match what {
            IdentifierKind::Variant => NameCase::Upper,
            _ => NameCase::Snake,
        }
    }
    fn predicate(&self, ident: &str) -> String {
        format!("p->{ident}")
    }
    fn flat(&self) -> bool {
        true
    }
    fn type_name(&self, module: &str, ident: &str) -> String {
        format!("{module}_{ident}")
    }
    fn ty(&self, ty: &Ty) -> String {
        named(ty, ["bool", "int64_t", "double"])
    }
    fn string(&self, text: &str) -> String {
        c_string(text)
    }
    fn integer(&self, value: i64, real: bool) -> String {
        match (value, real) {
            (_, true) if value < 0 => format!("({value}.0)"),
            (_, true) => format!("{value}.0"),
            (i64::MIN, _) => "INT64_MIN".into(),
            _ => format!("INT64_C({value})"),
        }
    }
    fn variant(&self, _ty: &str, ident: &str, _quoted: &str) -> String {
        ident.to_owned()
    }
    fn input(&self, ident: &str) -> String {
        format!("inputs->{ident}")
    }
    fn cell(&self, ident: &str) -> String {
        format!("self->cells.{ident}")
    }
    fn call(&self, method: &str, arguments: &[String], _asynchronous: bool, target: &str) -> String {
        let mut list = vec!["env->context".to_owned()];
        list.extend_from_slice(arguments);
        list.push(format!("&{target}"));
        format!("env->{method}({})", list.join(", "))
    }
    fn sample(&self, _text: &str) -> String {
        "0".into()
    }
    fn calls_are_statements(&self) -> bool {
        true
    }
    fn exact(&self, operator: Operator, left: &str, right: &str) -> Option<String> {
        let operation = match operator {
            Operator::Add => "ADD",
            Operator::Sub => "SUB",
            _ => "MUL",
        };
        Some(format!("EXACT_{operation}({left}, {right})"))
    }
    fn integer_division(&self, operator: Operator, a: &str, b: &str, real: bool) -> String {
        let symbol = self.operator(operator);
        if real {
            format!("(double)((int64_t){a} {symbol} (int64_t){b})")
        } else {
            format!("{a} {symbol} {b}")
        }
    }
    fn saturate(&self, value: &str, low: &str, high: &str) -> String {
        format!("SATURATE({value}, {low}, {high})")
    }
    fn wrap(&self, value: &str, low: &str, high: &str, _real: bool) -> String {
        format!("WRAP({value}, {low}, {high})")
    }
}
