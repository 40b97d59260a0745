//! Warnings found without synthesis: probable misspellings, constants written as inputs, `G B -> C` written for
//! `G (B -> C)`, constant clauses.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::declare::Declarations;
use super::infer::Inferred;
use super::modules::Unit;
use super::problem::{Language, Problem};
use super::signature::{LiteralValue, Operator, Sort, Symbol, SymbolKind};
use super::stored;
use super::value::{Expanded, ExpandedId, ExpandedValues, NameId};
use crate::syntax::ast::{Binder, ExprId, ExprKind, Exprs, Item};
use rustc_hash::FxHashSet;
use tsl_synth_core::diag::{Code, Diagnostic, Diagnostics, Severity};
use tsl_synth_core::model::Role;
use tsl_synth_core::source::Span;
use tsl_synth_ltl::operators::{BinaryOp, UnaryOp};
use tsl_synth_ltl::spelling::one_edit;

/// An initial value must be a value of the declared sort.
pub(super) fn initial_value(
    symbol: &Symbol,
    literal: Option<&LiteralValue>,
    span: Span,
    diagnostics: &mut Diagnostics,
) {
    let wrong = match (&symbol.sort, literal) {
        (Sort::Range(low, high), Some(LiteralValue::Int(i))) => (!(*low..=*high).contains(i))
            .then(|| format!("{i} is not in the range {low}..{high} of `{}`", symbol.name)),
        (Sort::Range(..), _) | (Sort::Int, None) => {
            Some(format!("the initial value of `{}` is not an integer literal", symbol.name))
        }
        (Sort::Enum(_), Some(LiteralValue::Variant(_))) => None,
        (Sort::Enum(names), _) => Some(format!("`{}` is one of `{}`", symbol.name, names.join("`, `"))),
        _ => None,
    };
    if let Some(message) = wrong {
        diagnostics.push(Diagnostic::error(Code::NOT_CONSTANT, message).at(span, "the initial value"));
    }
}

/// Names that are probably misspelt or meant as constants, and updates with values of unknown range.
pub(super) fn names(
    units: &[Unit],
    macros: &FxHashSet<Arc<str>>,
    declarations: &Declarations,
    values: &ExpandedValues,
    roots: &[ExpandedId],
    inferred: &Inferred,
    diagnostics: &mut Diagnostics,
) {
    misspelt(units, macros, declarations, inferred, diagnostics);
    let reachable = values.reachable(roots.iter().copied());
    let mut copied: BTreeMap<NameId, Span> = BTreeMap::new();
    let mut used: FxHashSet<NameId> = FxHashSet::default();
    let name_of = |v: ExpandedId| if let Expanded::Name(name) = values.get(v) { Some(*name) } else { None };
    for &id in &reachable {
        match values.get(id) {
            Expanded::Update(cell, term) => {
                if let Some(name) = name_of(*term) {
                    copied.entry(name).or_insert(values.span(*term));
                }
                free_value(values, declarations, inferred, *cell, *term, diagnostics);
                fraction(values, inferred, *cell, *term, diagnostics);
            }
            other => other.for_each_operand(|v| used.extend(name_of(v))),
        }
    }
    used.extend(roots.iter().filter_map(|&root| name_of(root)));
    let mut noted: Vec<(&str, Span)> = Vec::new();
    for (name, span) in copied {
        let Some(&symbol) = inferred.by_name.get(&name) else { continue };
        let info = &inferred.symbols[symbol];
        if info.kind != SymbolKind::Input || used.contains(&name) || declarations.by_name.contains_key(&name)
        {
            continue;
        }
        let text = &info.name;
        let last = text.rsplit('.').next().unwrap_or(text);
        if last.starts_with(char::is_uppercase) {
            diagnostics.push(only_copied(&[(text, span)], Severity::Warning));
        } else {
            noted.push((text, span));
        }
    }
    if !noted.is_empty() {
        diagnostics.push(only_copied(&noted, Severity::Note));
    }
}

/// The names of a list that are shown; the others are counted.
const SHOWN_NAMES: usize = 5;

/// A finding about inputs that are only ever copied.
fn only_copied(inputs: &[(&str, Span)], severity: Severity) -> Diagnostic {
    let names: Vec<String> = inputs.iter().take(SHOWN_NAMES).map(|(name, _)| format!("`{name}`")).collect();
    let more = match inputs.len().saturating_sub(SHOWN_NAMES) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let (noun, verb) = if inputs.len() == 1 { ("input", "is") } else { ("inputs", "are") };
    let message = format!("the {noun} {}{more} {verb} only ever copied", names.join(", "));
    let of_severity = if severity == Severity::Warning { Diagnostic::warning } else { Diagnostic::note };
    let diagnostic = of_severity(Code::MAYBE_CONSTANT, message);
    let shown = inputs.iter().take(SHOWN_NAMES);
    let diagnostic = shown.fold(diagnostic, |own, (_, span)| own.at(*span, "an input of every step"));
    let example = inputs.first().map_or("", |(name, _)| name);
    diagnostic.hint(format!("if it is a constant, write `{example}()`"))
}

/// Misspellings are not searched for in specifications with more names than this.
const MISSPELT: usize = 1000;

/// Warns of names that are written only once and differ in one edit from another name.
fn misspelt(
    units: &[Unit],
    macros: &FxHashSet<Arc<str>>,
    declarations: &Declarations,
    inferred: &Inferred,
    diagnostics: &mut Diagnostics,
) {
    let mut written: BTreeMap<String, (usize, Span)> = BTreeMap::new();
    for unit in units {
        let mut bound: FxHashSet<&str> = FxHashSet::default();
        for item in &unit.module.items {
            if let Item::Definition(definition) = item {
                bound.extend(definition.parameters.iter().map(|p| &*p.text));
            }
        }
        for (_, expr) in unit.module.exprs.enumerate() {
            if let ExprKind::Big { binders, .. } = &expr.kind {
                bound.extend(binders.iter().map(|b| match b {
                    Binder::In { name, .. } | Binder::Between { name, .. } => &*name.text,
                }));
            }
        }
        for (_, expr) in unit.module.exprs.enumerate() {
            let (text, span) = match &expr.kind {
                ExprKind::Name(text) => (text, expr.span),
                ExprKind::Update { cell, cell_span, .. } => (cell, *cell_span),
                _ => continue,
            };
            if !bound.contains(&**text) {
                written.entry(format!("{}{text}", unit.prefix)).or_insert((0, span)).0 += 1;
            }
        }
    }
    let declared: FxHashSet<&str> = inferred
        .by_name
        .iter()
        .filter(|(n, _)| declarations.by_name.contains_key(n))
        .map(|(_, &s)| inferred.symbols[s].name.as_str())
        .collect();
    let known: BTreeMap<&str, &Symbol> = inferred.symbols.iter().map(|s| (s.name.as_str(), s)).collect();
    // Every pair of names is compared.
    if written.len() > MISSPELT {
        return;
    }
    for (name, &(count, span)) in &written {
        let Some(symbol) = known.get(name.as_str()) else { continue };
        if count != 1 || declared.contains(name.as_str()) {
            continue;
        }
        let alike = written.iter().find(|(other, (times, _))| {
            let same_use =
                known.get(other.as_str()).is_some_and(|o| o.arguments.len() == symbol.arguments.len());
            (*times > 1 || declared.contains(other.as_str()))
                && (same_use || macros.contains(other.as_str()))
                && one_edit(name, other)
        });
        if let Some((other, (_, place))) = alike {
            let message = format!("`{name}` is used only here and is almost `{other}`");
            diagnostics.push(
                Diagnostic::warning(Code::MISSPELT, message)
                    .at(span, "a new name")
                    .at(*place, "the other name")
                    .hint(format!("did you mean `{other}`?")),
            );
        }
    }
}

/// Refuses a decimal number in an update of a cell of integers.
fn fraction(
    values: &ExpandedValues,
    inferred: &Inferred,
    cell: NameId,
    term: ExpandedId,
    diagnostics: &mut Diagnostics,
) {
    let Some(&symbol) = inferred.by_name.get(&cell) else { return };
    let info = &inferred.symbols[symbol];
    if info.sort != Sort::Int {
        return;
    }
    let is_decimal = |id: &ExpandedId| matches!(values.get(*id), Expanded::Real(_));
    if let Some(decimal) = values.reachable([term]).into_iter().find(is_decimal) {
        let message = format!("`{}` is an integer, and this is a decimal number", info.name);
        diagnostics.push(
            Diagnostic::error(Code::SORT_CLASH, message)
                .at(values.span(decimal), "not an integer")
                .hint(format!("declare it with sort `Real`: `cell {}: Real`", info.name)),
        );
    }
}

/// Notes arithmetic on numbers that is not linear, which is not computed.
pub(super) fn not_linear(
    values: &ExpandedValues,
    roots: &[ExpandedId],
    inferred: &Inferred,
    diagnostics: &mut Diagnostics,
) {
    let sort_of = |name: &NameId| inferred.by_name.get(name).map(|&s| &inferred.symbols[s].sort);
    // Whether a value reads names, and whether it is made of declared numbers only.
    let read = |id: ExpandedId| {
        let (mut any, mut known, mut integer) = (false, true, false);
        for part in values.reachable([id]) {
            match values.get(part) {
                Expanded::Name(name) => {
                    any = true;
                    integer |= !matches!(sort_of(name), Some(Sort::Real));
                    known &= matches!(sort_of(name), Some(Sort::Int | Sort::Real));
                }
                Expanded::Apply(..) => known = false,
                _ => {}
            }
        }
        (any, known, integer)
    };
    for id in values.reachable(roots.iter().copied()) {
        let &Expanded::Operation(operator, a, b) = values.get(id) else { continue };
        let ((a, known_a, integer), (b, known_b, _)) = (read(a), read(b));
        let rounds = match operator {
            Operator::Mul => a && b,
            Operator::Div => b || integer,
            Operator::Mod => true,
            _ => false,
        };
        if rounds && (a || b) && known_a && known_b {
            let message = "this is not linear, so it is not computed but left to the environment";
            diagnostics.push(
                Diagnostic::note(Code::UNINTERPRETED_ARITHMETIC, message)
                    .at(values.span(id), "not a sum with constant factors"),
            );
        }
    }
}

/// Warns when the value of an update is not known to be in the range of its cell. A number that is computed is refused
/// there, since its value would be lost.
fn free_value(
    values: &ExpandedValues,
    declarations: &Declarations,
    inferred: &Inferred,
    cell: NameId,
    term: ExpandedId,
    diagnostics: &mut Diagnostics,
) {
    let Some(&symbol) = inferred.by_name.get(&cell) else { return };
    let Sort::Range(low, high) = inferred.symbols[symbol].sort else { return };
    let sort_of = |name: &NameId| inferred.by_name.get(name).map(|&s| &inferred.symbols[s].sort);
    let mut free = None;
    for id in values.reachable([term]) {
        match values.get(id) {
            Expanded::Name(name) if matches!(sort_of(name), Some(Sort::Range(..) | Sort::Enum(_))) => {}
            // A function into the same range is trusted without a warning, because its range is declared.
            Expanded::Apply(name, _) if id == term && sort_of(name) == Some(&Sort::Range(low, high)) => {
                return;
            }
            Expanded::Int(_) | Expanded::Operation(..) => {}
            _ => free = Some(id),
        }
    }
    if let Some(taken) = stored::integer(values, declarations, term) {
        let (name, taken) = (&inferred.symbols[symbol].name, values.text(taken));
        let message =
            format!("`{name}` has the range {low}..{high}, and `{taken}` has not: this is not computed");
        diagnostics.push(
            Diagnostic::error(Code::FREE_VALUE, message)
                .at(values.span(term), "an integer or a real number")
                .hint(format!("declare `{name}` as a number: `cell {name}: Int in {low}..{high}`")),
        );
        return;
    }
    if let Some(free) = free {
        let name = &inferred.symbols[symbol].name;
        let message = format!(
            "this value is not known to be in the range {low}..{high} of `{name}`; it is trusted to be"
        );
        diagnostics.push(
            Diagnostic::warning(Code::FREE_VALUE, message)
                .at(values.span(term), "any value of the range is possible")
                .hint(format!(
                    "because of {}; declare it with the range {low}..{high}",
                    values.describe(free)
                )),
        );
    }
}

/// Warnings about single clauses and about the whole specification.
pub(super) fn clauses(units: &[Unit], problem: &Problem, diagnostics: &mut Diagnostics) {
    for unit in units {
        for item in &unit.module.items {
            if let Item::Section(section) = item {
                for &clause in &section.clauses {
                    globally_implies(&unit.module.exprs, clause, diagnostics);
                }
            }
        }
    }
    for clause in problem.clauses.iter().filter(|c| problem.formulas.is_constant(c.formula)) {
        let Some(span) = clause.span else { continue };
        // The bounds of a cell that no update can leave are written as a declaration, not as a clause.
        if clause.role == Role::Restriction && clause.formula == problem.formulas.top() {
            continue;
        }
        let value = if clause.formula == problem.formulas.top() { "true" } else { "false" };
        let message = format!("this clause is {value} whatever happens");
        diagnostics
            .push(Diagnostic::warning(Code::CONSTANT_CLAUSE, message).at(span, format!("always {value}")));
    }
    if !problem.clauses.iter().any(|c| c.role == Role::Guarantee) {
        let message = "the specification has no guarantee: every controller keeps it";
        let mut diagnostic = Diagnostic::warning(Code::NO_GUARANTEE, message);
        if let Some(span) = problem.clauses.iter().find_map(|c| c.span) {
            diagnostic = diagnostic.at(span, "only assumptions");
        }
        diagnostics.push(diagnostic);
    } else if problem.language == Language::Tsl && problem.alphabet.cells().is_empty() {
        let message = "no update sets anything: every name of this specification is an input";
        let guarantee = problem.clauses.iter().find(|c| c.role == Role::Guarantee).and_then(|c| c.span);
        let diagnostic = Diagnostic::warning(Code::NEVER_SET, message)
            .hint("`[x <- term]` sets `x`, which makes it an output; `x` alone and `x = term` read it");
        diagnostics.push(guarantee.into_iter().fold(diagnostic, |d, span| d.at(span, "nothing is set here")));
    }
}

/// `G B -> X C` where B is about one step: `G (B -> X C)` is what is usually meant.
fn globally_implies(exprs: &Exprs, clause: ExprId, diagnostics: &mut Diagnostics) {
    let ExprKind::Binary(BinaryOp::Implies, left, right) = exprs.kind(exprs.strip(clause)) else { return };
    let ExprKind::Unary(UnaryOp::Globally, inside) = exprs.kind(*left) else { return };
    let acts = |kind: &ExprKind| matches!(kind, ExprKind::Unary(UnaryOp::Next, _) | ExprKind::Update { .. });
    if any(exprs, *inside, &is_temporal) || !any(exprs, *right, &acts) {
        return;
    }
    diagnostics.push(
        Diagnostic::warning(
            Code::GLOBALLY_IMPLIES,
            "this says something only if the left side holds for ever",
        )
        .at(exprs.span(clause), "read as `(G ...) -> ...`")
        .hint("did you mean `G (... -> ...)`, or the clause without `G` in an `always` section?"),
    );
}

fn is_temporal(kind: &ExprKind) -> bool {
    match kind {
        ExprKind::Unary(op, _) => {
            !matches!(op, UnaryOp::Not | UnaryOp::Negate | UnaryOp::Size | UnaryOp::Min | UnaryOp::Max)
        }
        ExprKind::Bounded { .. }
        | ExprKind::BoundedBinary { .. }
        | ExprKind::Timed { .. }
        | ExprKind::Every { .. } => true,
        ExprKind::Binary(op, ..) => matches!(
            op,
            BinaryOp::Until
                | BinaryOp::WeakUntil
                | BinaryOp::Release
                | BinaryOp::StrongRelease
                | BinaryOp::AsSoonAs
                | BinaryOp::Since
                | BinaryOp::Trigger
        ),
        _ => false,
    }
}

fn any(exprs: &Exprs, root: ExprId, test: &dyn Fn(&ExprKind) -> bool) -> bool {
    let mut todo = vec![root];
    while let Some(id) = todo.pop() {
        if test(exprs.kind(id)) {
            return true;
        }
        exprs.for_each_child(id, |child| todo.push(child));
    }
    false
}
