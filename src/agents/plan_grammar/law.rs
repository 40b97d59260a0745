//! Laws that plans have to satisfy: formulas over the steps of a grammar, interpreted on finite words.
//!
//! Each step of a plan is one letter, and the name of a step is a proposition that holds in it. Formulas are built from
//! the trees and not from [`tsl_synth_core::logic::Formulas`], whose simplifications are sound on infinite words only.

use super::grammar::PlanGrammar;
use tsl_synth_core::base::Id;
use tsl_synth_core::diag::{Code, Diagnostic, Diagnostics};
use tsl_synth_core::logic::{FiniteFormulas, FiniteId};
use tsl_synth_core::source::Span;
use tsl_synth_lang::syntax::ast;
use tsl_synth_lang::syntax::ast::{ExprId, ExprKind, Exprs, Item, SectionKind, SectionMode};
use tsl_synth_ltl::ltl::{LtlKind, LtlModule};
use tsl_synth_ltl::operators::UnaryOp;
use tsl_synth_ltl::spelling::nearest;
use tsl_synth_ltl::word_formula::{FormulaPairs, MAX_BOUND, Pair};

const PAST_HINT: &str = "an operator of the past cannot stand above one of the future";
/// The largest number of nodes of a formula.
const MAX_NODES: usize = 1 << 14;

struct PlanLawBuilder<'a> {
    grammar: &'a PlanGrammar,
    formulas: &'a mut FiniteFormulas,
    diagnostics: &'a mut Diagnostics,
}

impl PlanLawBuilder<'_> {
    fn wrong(&mut self, code: Code, span: Span, message: impl Into<String>, hint: &str) {
        let error = Diagnostic::error(code, message).at(span, "here");
        self.diagnostics.push(if hint.is_empty() { error } else { error.hint(hint) });
    }
    fn constant(&mut self, value: bool) -> Pair {
        self.pairs().constant(value)
    }
    fn step(&mut self, name: &str, span: Span) -> Pair {
        let Some(id) = self.grammar.terminal(name) else {
            let near = nearest(name, self.grammar.terminals.iter().map(|one| one.name.as_str()));
            let hint = near.map_or_else(
                || {
                    "the propositions of laws are the steps of plans, which are the terminals of the grammar"
                        .to_string()
                },
                |near| format!("perhaps `{near}` is meant"),
            );
            self.wrong(Code::CFG_UNKNOWN, span, format!("the grammar has no step `{name}`"), &hint);
            return self.constant(true);
        };
        self.pairs().letter(id.index() as u32)
    }
    fn pairs(&mut self) -> FormulaPairs<'_> {
        FormulaPairs { formulas: self.formulas }
    }
    /// The formula of an operator; reports an error if there is none, for a past operator above a future operator.
    fn operator(&mut self, made: Option<Pair>, span: Span, hint: &str) -> Pair {
        made.unwrap_or_else(|| {
            self.wrong(Code::CFG_LAW, span, "this is not allowed in a law for plans", hint);
            self.constant(true)
        })
    }
    fn bounded(&mut self, op: UnaryOp, low: u64, high: Option<u64>, body: Pair, span: Span) -> Pair {
        let made = self.pairs().bounded(op, low, high, body);
        self.within(made, body, span)
    }
    fn bounded_strong(&mut self, op: UnaryOp, low: u64, high: Option<u64>, body: Pair, span: Span) -> Pair {
        let made = self.pairs().bounded_strong(op, low, high, body);
        self.within(made, body, span)
    }
    /// Translates a temporal operator with bounds. The error says what is wrong with the bounds.
    fn within(&mut self, made: Option<Pair>, body: Pair, span: Span) -> Pair {
        made.unwrap_or_else(|| {
            self.wrong(Code::CFG_LAW, span, format!("a bound of a law is above {MAX_BOUND}"), "");
            body
        })
    }
    fn implied(&mut self, assumptions: &[Pair], guarantees: &[Pair]) -> FiniteId {
        let top = self.constant(true);
        let given = assumptions.iter().fold(top, |all, &one| self.pairs().and(all, one));
        let asked = guarantees.iter().fold(top, |all, &one| self.pairs().and(all, one));
        self.pairs().or((given.1, given.0), asked).0
    }
    fn too_large(&mut self, span: Span) -> bool {
        let large = self.formulas.len() > MAX_NODES;
        if large {
            self.wrong(Code::CFG_LAW, span, format!("a law has more than {MAX_NODES} subformulas"), "");
        }
        large
    }
}

/// The law of an LTL text: its assumptions imply its guarantees. `X[!]` is strong, `X` weak. `None` if there are
/// errors.
pub fn law_of_ltl(
    module: &LtlModule,
    grammar: &PlanGrammar,
    formulas: &mut FiniteFormulas,
    diagnostics: &mut Diagnostics,
) -> Option<FiniteId> {
    let mut found = Diagnostics::new();
    let mut builder = PlanLawBuilder { grammar, formulas, diagnostics: &mut found };
    let mut done: Vec<Pair> = Vec::new();
    for (_, expr) in module.exprs.enumerate() {
        let of = |done: &[Pair], id: tsl_synth_ltl::ltl::LtlId| done[id.index()];
        let pair = match &expr.kind {
            LtlKind::Constant(value) => builder.constant(*value),
            LtlKind::Proposition(name) => builder.step(name, expr.span),
            LtlKind::Unary(UnaryOp::Next, a)
                if module.strong_nexts.iter().any(|at| at.start == expr.span.start) =>
            {
                builder.pairs().strong_next(of(&done, *a))
            }
            LtlKind::Unary(op, a) => {
                let made = builder.pairs().unary(*op, of(&done, *a));
                builder.operator(made, expr.span, PAST_HINT)
            }
            LtlKind::Bounded { op, low, high, body }
                if module.strong_nexts.iter().any(|at| at.start == expr.span.start) =>
            {
                builder.bounded_strong(*op, *low, *high, of(&done, *body), expr.span)
            }
            LtlKind::Bounded { op, low, high, body } => {
                builder.bounded(*op, *low, *high, of(&done, *body), expr.span)
            }
            LtlKind::Binary(op, a, b) => {
                let made = builder.pairs().binary(*op, of(&done, *a), of(&done, *b));
                builder.operator(made, expr.span, PAST_HINT)
            }
        };
        done.push(pair);
        if builder.too_large(expr.span) {
            break;
        }
    }
    let failed = found.has_errors();
    diagnostics.append(found);
    if failed {
        return None;
    }
    let of = |ids: &[tsl_synth_ltl::ltl::LtlId]| ids.iter().map(|id| done[id.index()]).collect::<Vec<_>>();
    let mut rest = Diagnostics::new();
    let mut builder = PlanLawBuilder { grammar, formulas, diagnostics: &mut rest };
    Some(builder.implied(&of(&module.assumptions), &of(&module.formulas)))
}

/// The law of a TSL text. Of TSL, a law may have sections, names of steps, and the Boolean and temporal operators.
/// `None` if there are errors.
pub fn law_of_tsl(
    module: &ast::Module,
    grammar: &PlanGrammar,
    formulas: &mut FiniteFormulas,
    diagnostics: &mut Diagnostics,
) -> Option<FiniteId> {
    const HINT: &str = "a law has sections, names of steps, and the Boolean and temporal operators, none of the past above one of the future";
    let mut found = Diagnostics::new();
    let mut builder = PlanLawBuilder { grammar, formulas, diagnostics: &mut found };
    let (mut assumptions, mut guarantees) = (Vec::new(), Vec::new());
    for item in &module.items {
        let section = match item {
            Item::Section(section) if section.after.is_none() => section,
            Item::Declaration(_) => continue,
            other => {
                builder.wrong(Code::CFG_LAW, other.span(), "this is not allowed in a law for plans", HINT);
                continue;
            }
        };
        for &clause in &section.clauses {
            let Some(mut pair) = tsl_formula(&mut builder, &module.exprs, clause, HINT) else { continue };
            if section.mode == Some(SectionMode::Always) {
                pair = builder.pairs().unary(UnaryOp::Globally, pair).unwrap_or(pair);
            }
            match section.kind {
                SectionKind::Assume => assumptions.push(pair),
                SectionKind::Guarantee => guarantees.push(pair),
            }
        }
    }
    let law = builder.implied(&assumptions, &guarantees);
    let failed = found.has_errors();
    diagnostics.append(found);
    (!failed).then_some(law)
}

/// The formula of a clause of TSL; operands have smaller ids than their operators and are built first.
fn tsl_formula(builder: &mut PlanLawBuilder<'_>, exprs: &Exprs, root: ExprId, hint: &str) -> Option<Pair> {
    let mut needed = std::collections::BTreeSet::from([root]);
    let mut todo = vec![root];
    while let Some(id) = todo.pop() {
        let children: &[ExprId] = match exprs.kind(id) {
            ExprKind::Unary(_, a)
            | ExprKind::Group(a)
            | ExprKind::Bounded { body: a, .. }
            | ExprKind::Timed { body: a, .. } => &[*a],
            ExprKind::Binary(_, a, b) => &[*a, *b],
            _ => &[],
        };
        for &child in children {
            if needed.insert(child) {
                todo.push(child);
            }
        }
    }
    let mut done: std::collections::BTreeMap<ExprId, Pair> = std::collections::BTreeMap::new();
    let number = |id: ExprId| match exprs.kind(id) {
        ExprKind::Int(n) => u64::try_from(*n).ok(),
        _ => None,
    };
    for &id in &needed {
        let span = exprs.span(id);
        let pair = match exprs.kind(id) {
            ExprKind::Name(name) => Some(builder.step(name, span)),
            ExprKind::Bool(value) => Some(builder.constant(*value)),
            ExprKind::Group(a) => Some(done[a]),
            ExprKind::Unary(op, a) => builder.pairs().unary(*op, done[a]),
            ExprKind::Binary(op, a, b) => builder.pairs().binary(*op, done[a], done[b]),
            ExprKind::Bounded { op: op @ UnaryOp::Next, low: None, high, body } => {
                number(*high).map(|n| builder.bounded(*op, n, Some(n), done[body], span))
            }
            ExprKind::Bounded {
                op: op @ (UnaryOp::Finally | UnaryOp::Globally),
                low: Some(low),
                high,
                body,
            } => {
                let bounds = number(*low).zip(number(*high));
                bounds.map(|(low, high)| builder.bounded(*op, low, Some(high), done[body], span))
            }
            ExprKind::Timed { op: op @ UnaryOp::Finally, count, body } => {
                number(*count).map(|n| builder.bounded(*op, 0, Some(n), done[body], span))
            }
            ExprKind::Timed { op: op @ UnaryOp::Globally, count, body } => {
                let last = number(*count).and_then(|n| n.checked_sub(1));
                last.map(|last| builder.bounded(*op, 0, Some(last), done[body], span))
            }
            _ => None,
        };
        let Some(pair) = pair else {
            builder.wrong(Code::CFG_LAW, span, "this is not allowed in a law for plans", hint);
            return None;
        };
        done.insert(id, pair);
        if builder.too_large(span) {
            return None;
        }
    }
    done.get(&root).copied()
}
