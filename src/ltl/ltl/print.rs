//! Prints LTL formulas. They are parsed back to the same trees, and those without past operators are valid in Spot.

use super::{INFIX, LtlExprs, LtlId, LtlKind, PREFIX, PREFIXES, infix};
use crate::operators::{Level, Side};

/// An entry of the stack of what is left to print.
enum LtlPrintJob {
    Formula(LtlId, Level),
    Text(&'static str),
    Owned(String),
}

/// Prints a formula on one line with the parentheses that are needed. Linear, iterative.
pub fn print_ltl(exprs: &LtlExprs, root: LtlId) -> String {
    let mut text = String::new();
    let mut jobs = vec![LtlPrintJob::Formula(root, 0)];
    while let Some(job) = jobs.pop() {
        let (id, needed) = match job {
            LtlPrintJob::Text(t) => {
                text.push_str(t);
                continue;
            }
            LtlPrintJob::Owned(t) => {
                text.push_str(&t);
                continue;
            }
            LtlPrintJob::Formula(id, needed) => (id, needed),
        };
        match exprs.kind(id) {
            LtlKind::Constant(value) => text.push_str(if *value { "1" } else { "0" }),
            LtlKind::Proposition(name) => text.push_str(&proposition(name)),
            LtlKind::Unary(op, operand) => {
                let spelling = PREFIXES.iter().find(|row| row.0 == *op).map_or("!", |row| row.1[0]);
                text.push_str(spelling);
                if spelling != "!" {
                    text.push(' ');
                }
                jobs.push(LtlPrintJob::Formula(*operand, PREFIX));
            }
            LtlKind::Bounded { op, low, high, body } => {
                let spelling = PREFIXES.iter().find(|row| row.0 == *op).map_or("X", |row| row.1[0]);
                let bounds = match high {
                    Some(high) if matches!(spelling, "X" | "Y" | "Z") && high == low => {
                        format!("{spelling}[{low}] ")
                    }
                    Some(high) => format!("{spelling}[{low}:{high}] "),
                    None => format!("{spelling}[{low}:$] "),
                };
                jobs.extend([LtlPrintJob::Formula(*body, PREFIX), LtlPrintJob::Owned(bounds)]);
            }
            LtlKind::Binary(op, left, right) => {
                let (spelling, level, side) = infix(*op).unwrap_or(("&", 0, Side::Left));
                let own = |s: Side| if side == s { level } else { level + 1 };
                let jobs_of = [
                    LtlPrintJob::Formula(*right, own(Side::Right)),
                    LtlPrintJob::Text(" "),
                    LtlPrintJob::Text(spelling),
                    LtlPrintJob::Text(" "),
                    LtlPrintJob::Formula(*left, own(Side::Left)),
                ];
                if level < needed {
                    text.push('(');
                    jobs.push(LtlPrintJob::Text(")"));
                }
                jobs.extend(jobs_of);
            }
        }
    }
    text
}

/// A proposition, between quotes unless the name alone is always parsed as a proposition.
pub fn proposition(name: &str) -> String {
    let mut chars = name.chars();
    let begins = chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
    let second = chars.clone().next();
    let glued = name.starts_with(['F', 'G', 'X']) && second.is_none_or(|c| !c.is_ascii_digit());
    let known =
        INFIX.iter().any(|row| row.1.contains(&name)) || PREFIXES.iter().any(|row| row.1.contains(&name));
    let words = ["true", "True", "TRUE", "false", "False", "FALSE"];
    let word = chars.all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.'));
    let plain = begins && word && !glued && !known && !words.contains(&name);
    if plain {
        return name.to_owned();
    }
    format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""))
}
