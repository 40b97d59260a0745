//! Prints TSL trees in our own dialect. Printed text is parsed back to the same tree.

use std::fmt::Write;

use super::ast::{
    Alternative, AlternativeGuard, ApplicationStyle, Binder, Declaration, DeclarationKind, Definition,
    ExprId, ExprKind, Exprs, Item, Modifier, Module, Section, SectionKind, SectionMode, SortKind,
    SortSignature, TheoryKind,
};
use tsl_synth_core::source::Name;
use tsl_synth_ltl::operators::Dialect;
use tsl_synth_ltl::operators::{APPLICATION, EVERY, Level, PREFIX, Side, UnaryOp};

/// The level of expressions that never need parentheses.
const ATOM: Level = 120;

/// Marks operands of `!`, `X` and the like: an infix operator is printed in parentheses there, and other expressions
/// need the level `PREFIX`.
const PREFIXED: Level = 96;

/// Which parentheses are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parentheses {
    /// Those of the text, and others where they are needed.
    Kept,
    /// Only those that are needed, and some that help the reader.
    Needed,
}

/// An entry of the stack of what is left to print.
enum PrintJob {
    /// An expression, in parentheses if its level is less than this one.
    Expr(ExprId, Level),
    Text(&'static str),
    Owned(String),
}

/// Prints an expression on one line. Linear, iterative.
pub fn print_expression(exprs: &Exprs, root: ExprId, parentheses: Parentheses) -> String {
    let mut text = String::new();
    let mut jobs = vec![PrintJob::Expr(root, 0)];
    let mut inner = Vec::new();
    while let Some(job) = jobs.pop() {
        match job {
            PrintJob::Text(t) => text.push_str(t),
            PrintJob::Owned(t) => text.push_str(&t),
            PrintJob::Expr(id, level) => {
                let id = if parentheses == Parentheses::Needed { exprs.strip(id) } else { id };
                let kind = exprs.kind(id);
                let own = level_of(kind);
                let infix = matches!(
                    kind,
                    ExprKind::Binary(..) | ExprKind::BoundedBinary { .. } | ExprKind::Every { .. }
                );
                let level = if level == PREFIXED && !infix { PREFIX } else { level };
                inner.clear();
                if own < level {
                    inner.push(PrintJob::Text("("));
                }
                expand(kind, &mut inner);
                if own < level {
                    inner.push(PrintJob::Text(")"));
                }
                jobs.extend(inner.drain(..).rev());
            }
        }
    }
    text
}

/// The level of an expression: how tightly its outermost operator binds.
pub(super) fn level_of(kind: &ExprKind) -> Level {
    match kind {
        ExprKind::Int(n) if *n < 0 => UnaryOp::Negate.level(),
        ExprKind::Real(t) if t.starts_with('-') => UnaryOp::Negate.level(),
        ExprKind::Apply { style: ApplicationStyle::Juxtaposition, .. } => APPLICATION,
        ExprKind::Unary(op, _) | ExprKind::Bounded { op, .. } | ExprKind::Timed { op, .. } => op.level(),
        ExprKind::Every { .. } => EVERY,
        ExprKind::Big { op, .. } => op.level(),
        ExprKind::Binary(op, ..) | ExprKind::BoundedBinary { op, .. } => {
            op.binding(Dialect::TslSynth).map_or(0, |b| b.0)
        }
        ExprKind::Progression { .. } => 0,
        _ => ATOM,
    }
}

/// The parts of an expression in order.
fn expand(kind: &ExprKind, jobs: &mut Vec<PrintJob>) {
    match kind {
        ExprKind::Name(name) => jobs.push(PrintJob::Owned(name.to_string())),
        ExprKind::Bool(value) => jobs.push(PrintJob::Text(if *value { "true" } else { "false" })),
        ExprKind::Int(n) => jobs.push(PrintJob::Owned(n.to_string())),
        ExprKind::Real(text) => jobs.push(PrintJob::Owned(text.to_string())),
        ExprKind::Apply { function, arguments, style: ApplicationStyle::Call } => {
            jobs.extend([PrintJob::Expr(*function, ATOM), PrintJob::Text("(")]);
            list(arguments, jobs);
            jobs.push(PrintJob::Text(")"));
        }
        ExprKind::Apply { function, arguments, style: ApplicationStyle::Juxtaposition } => {
            jobs.push(PrintJob::Expr(*function, ATOM));
            for argument in arguments {
                jobs.extend([PrintJob::Text(" "), PrintJob::Expr(*argument, ATOM)]);
            }
        }
        ExprKind::Index { name, index, .. } => {
            jobs.push(PrintJob::Owned(format!("{name}[")));
            jobs.extend([PrintJob::Expr(*index, 0), PrintJob::Text("]")]);
        }
        ExprKind::Update { cell, index, value, .. } => {
            match index {
                None => jobs.push(PrintJob::Owned(format!("[{cell} <- "))),
                Some(index) => {
                    jobs.push(PrintJob::Owned(format!("[{cell}[")));
                    jobs.extend([PrintJob::Expr(*index, 0), PrintJob::Text("] <- ")]);
                }
            }
            jobs.extend([PrintJob::Expr(*value, 0), PrintJob::Text("]")]);
        }
        ExprKind::Unary(op, operand) => {
            jobs.push(PrintJob::Text(op.spelling()));
            if !matches!(op, UnaryOp::Not | UnaryOp::Negate) {
                jobs.push(PrintJob::Text(" "));
            }
            jobs.push(PrintJob::Expr(*operand, below_prefix(op.level())));
        }
        ExprKind::Bounded { op, low, high, body } => {
            jobs.extend([PrintJob::Text(op.spelling()), PrintJob::Text("[")]);
            if let Some(low) = low {
                jobs.extend([PrintJob::Expr(*low, 0), PrintJob::Text(":")]);
            }
            jobs.extend([
                PrintJob::Expr(*high, 0),
                PrintJob::Text("] "),
                PrintJob::Expr(*body, below_prefix(op.level())),
            ]);
        }
        ExprKind::Timed { .. } | ExprKind::Every { .. } => timed(kind, jobs),
        ExprKind::Binary(op, left, right) => {
            let (level, side) = op.binding(Dialect::TslSynth).unwrap_or((0, Side::Left));
            let chains = !op.is_comparison();
            let same = |s: Side| if chains && side == s { level } else { level + 1 };
            jobs.push(PrintJob::Expr(*left, same(Side::Left)));
            jobs.extend([PrintJob::Text(" "), PrintJob::Text(op.spelling()), PrintJob::Text(" ")]);
            jobs.push(PrintJob::Expr(*right, same(Side::Right)));
        }
        ExprKind::BoundedBinary { op, low, high, left, right } => {
            let (level, _) = op.binding(Dialect::TslSynth).unwrap_or((0, Side::Right));
            jobs.push(PrintJob::Expr(*left, level + 1));
            jobs.extend([PrintJob::Text(" "), PrintJob::Text(op.spelling()), PrintJob::Text("[")]);
            jobs.extend([PrintJob::Expr(*low, 0), PrintJob::Text(":"), PrintJob::Expr(*high, 0)]);
            jobs.extend([PrintJob::Text("] "), PrintJob::Expr(*right, level)]);
        }
        ExprKind::Big { op, binders, body } => {
            jobs.extend([PrintJob::Text(op.spelling()), PrintJob::Text("[")]);
            for (index, binder) in binders.iter().enumerate() {
                if index > 0 {
                    jobs.push(PrintJob::Text(", "));
                }
                self::binder(binder, jobs);
            }
            jobs.extend([PrintJob::Text("] "), PrintJob::Expr(*body, below_prefix(op.level()))]);
        }
        ExprKind::Set(elements) => {
            jobs.push(PrintJob::Text("{"));
            list(elements, jobs);
            jobs.push(PrintJob::Text("}"));
        }
        ExprKind::Progression { first, second, last } => {
            jobs.push(PrintJob::Expr(*first, 0));
            if let Some(second) = second {
                jobs.extend([PrintJob::Text(", "), PrintJob::Expr(*second, 0)]);
            }
            jobs.extend([PrintJob::Text(".."), PrintJob::Expr(*last, 0)]);
        }
        ExprKind::Group(inner) => {
            jobs.extend([PrintJob::Text("("), PrintJob::Expr(*inner, 0), PrintJob::Text(")")]);
        }
    }
}

/// The parts of `F within n f`, `G for n f` and `f every n`.
fn timed(kind: &ExprKind, jobs: &mut Vec<PrintJob>) {
    match kind {
        ExprKind::Timed { op, count, body } => {
            let word = op.time_word().unwrap_or_default();
            jobs.extend([op.spelling(), " ", word, " "].map(PrintJob::Text));
            let body = PrintJob::Expr(*body, below_prefix(op.level()));
            jobs.extend([PrintJob::Expr(*count, ATOM), PrintJob::Text(" "), body]);
        }
        ExprKind::Every { body, period } => {
            let (body, period) = (PrintJob::Expr(*body, EVERY), PrintJob::Expr(*period, APPLICATION));
            jobs.extend([body, PrintJob::Text(" every "), period]);
        }
        _ => unreachable!("no other expression has a number of steps"),
    }
}

/// The operands of an expression, each with the level that it needs to be printed without parentheses.
pub(super) fn operands(kind: &ExprKind, needs: &mut Vec<(ExprId, Level)>) {
    let mut jobs = Vec::new();
    expand(kind, &mut jobs);
    for job in jobs {
        if let PrintJob::Expr(id, level) = job {
            needs.push((id, if level == PREFIXED { PREFIX } else { level }));
        }
    }
}

/// The level that the operand of a prefix operator needs. For readability an infix operator under `!` or `X` is printed
/// with parentheses, even a comparison, which binds tighter than `!`.
fn below_prefix(level: Level) -> Level {
    if level == PREFIX { PREFIXED } else { level }
}

fn list(exprs: &[ExprId], jobs: &mut Vec<PrintJob>) {
    for (index, expr) in exprs.iter().enumerate() {
        if index > 0 {
            jobs.push(PrintJob::Text(", "));
        }
        jobs.push(PrintJob::Expr(*expr, 0));
    }
}

fn binder(binder: &Binder, jobs: &mut Vec<PrintJob>) {
    match binder {
        Binder::In { name, set } => {
            jobs.extend([PrintJob::Owned(format!("{} IN ", name.text)), PrintJob::Expr(*set, 66)]);
        }
        Binder::Between { low, low_strict, name, high, high_strict } => {
            let sign = |strict: bool| if strict { "<" } else { "<=" };
            jobs.push(PrintJob::Expr(*low, 71));
            jobs.push(PrintJob::Owned(format!(
                " {} {} {} ",
                sign(*low_strict),
                name.text,
                sign(*high_strict)
            )));
            jobs.push(PrintJob::Expr(*high, 71));
        }
    }
}

/// Prints a module without its comments, one item per line or block.
pub fn print_module(module: &Module) -> String {
    let mut text = String::new();
    if let Some(theory) = &module.theory {
        text.push_str(match theory.kind {
            TheoryKind::Uf => "#UF\n",
            TheoryKind::Euf => "#EUF\n",
            TheoryKind::Lia => "#LIA\n",
        });
    }
    for item in &module.items {
        let _ = match item {
            Item::Import(i) => {
                let quote = if i.is_library { "" } else { "\"" };
                let name = i.module.as_ref().map_or(String::new(), |name| format!(" as {}", name.text));
                writeln!(text, "import {quote}{}{quote}{name}", i.path.text)
            }
            Item::Declaration(d) => writeln!(text, "{}", declaration(&module.exprs, d)),
            Item::Definition(d) => writeln!(text, "{}", definition(&module.exprs, d)),
            Item::Section(s) => writeln!(text, "{}", section(&module.exprs, s)),
        };
    }
    text
}

fn print(exprs: &Exprs, id: ExprId) -> String {
    print_expression(exprs, id, Parentheses::Kept)
}

fn declaration(exprs: &Exprs, d: &Declaration) -> String {
    let mut text = String::new();
    for (modifier, _) in &d.modifiers {
        text.push_str(match modifier {
            Modifier::Saturating => "saturating ",
            Modifier::Wrapping => "wrapping ",
            Modifier::Noisy => "noisy ",
        });
    }
    text.push_str(match d.kind {
        DeclarationKind::Input => "input ",
        DeclarationKind::Output => "output ",
        DeclarationKind::Cell => "cell ",
        DeclarationKind::Predicate => "predicate ",
        DeclarationKind::Function => "function ",
    });
    let name = |(name, width): (&Name, &Option<ExprId>)| match width {
        None => name.text.to_string(),
        Some(width) => format!("{}[{}]", name.text, print(exprs, *width)),
    };
    let names: Vec<String> = d.names.iter().zip(&d.widths).map(name).collect();
    text.push_str(&names.join(", "));
    if let Some(signature) = &d.signature {
        let _ = write!(text, ": {}", self::signature(exprs, signature));
    }
    if let Some(init) = d.init {
        let _ = write!(text, " = {}", print(exprs, init));
    }
    text + ";"
}

fn signature(exprs: &Exprs, signature: &SortSignature) -> String {
    let sort = |kind: &SortKind| match kind {
        SortKind::Bool => "Bool".to_owned(),
        SortKind::Named(name) => name.to_string(),
        SortKind::Range { low, high } => format!("{}..{}", print(exprs, *low), print(exprs, *high)),
        SortKind::Bounded { name, low, high } => {
            format!("{} in {}..{}", name.text, print(exprs, *low), print(exprs, *high))
        }
        SortKind::Enum(names) => {
            let names: Vec<&str> = names.iter().map(|n| &*n.text).collect();
            format!("enum {{{}}}", names.join(", "))
        }
    };
    let sorts: Vec<String> =
        signature.arguments.iter().chain([&signature.result]).map(|s| sort(&s.kind)).collect();
    sorts.join(" -> ")
}

fn definition(exprs: &Exprs, d: &Definition) -> String {
    let mut text = d.name.text.to_string();
    for parameter in &d.parameters {
        let _ = write!(text, " {}", parameter.text);
    }
    text.push_str(" =");
    for Alternative { guard, body } in &d.alternatives {
        let body = print(exprs, *body);
        let _ = match guard {
            AlternativeGuard::None => write!(text, " {body}"),
            AlternativeGuard::When(condition) => write!(text, "\n  {} : {body}", print(exprs, *condition)),
            AlternativeGuard::Otherwise(_) => write!(text, "\n  otherwise : {body}"),
        };
    }
    text + ";"
}

fn section(exprs: &Exprs, s: &Section) -> String {
    let mut text = match s.mode {
        Some(SectionMode::Initially) => "initially ".to_owned(),
        Some(SectionMode::Always) => "always ".to_owned(),
        None => String::new(),
    };
    text.push_str(match s.kind {
        SectionKind::Assume => "assume",
        SectionKind::Guarantee => "guarantee",
    });
    if let Some(after) = s.after {
        let _ = write!(text, " after {}", print(exprs, after));
    }
    text.push_str(" {\n");
    for clause in &s.clauses {
        let _ = writeln!(text, "  {};", print(exprs, *clause));
    }
    text + "}"
}
