//! Laws from LTL text.

use super::names::Names;
use super::refused::Refused;
use super::tree::{LAW_DEPTH, LawTree, Link, Temporal};
use crate::base::Id;
use crate::diag::{Code, Diagnostics, Severity};
use crate::source::SourceMap;
use crate::syntax::ltl::{LtlId, LtlKind, LtlModule, parse_ltl};
use crate::syntax::operators::{BinaryOp, UnaryOp};

/// A law with more operators than this, bounds written out, is not read.
const LARGEST: usize = 1 << 14;

impl LawTree {
    /// The law that a text in LTL states; several formulas are one conjunction, and those assumed are premises. Names are
    /// not looked up: `names` only says which words stay whole although they begin like an operator.
    ///
    /// # Errors
    /// If the text is no LTL, or the law is past the limits of depth and size.
    pub fn read(text: &str, names: &Names) -> Result<Self, Refused> {
        let mut map = SourceMap::new();
        let source = map.add("law", text);
        let known: Vec<&str> = names.iter().map(|(name, _)| &**name).collect();
        let mut found = Diagnostics::new();
        let module = parse_ltl(&map, source, &known, &mut found);
        if let Some(first) = found.iter().find(|diagnostic| diagnostic.severity == Severity::Error) {
            let range = first.labels.first().map_or(0..0, |label| label.span.range());
            let mut refused = Refused::new(first.code, range, first.message.clone());
            refused.hints.clone_from(&first.hints);
            return Err(refused);
        }
        let empty = || Refused::new(Code::NOTHING_STATED, 0..0, "there is no formula");
        Self::of_module(&module.ok_or_else(empty)?)
    }

    /// The law of a text that was parsed.
    ///
    /// # Errors
    /// If it is past the limits of depth and size.
    pub fn of_module(module: &LtlModule) -> Result<Self, Refused> {
        let exprs = &module.exprs;
        let mut sizes: Vec<(usize, usize)> = Vec::new();
        for (_, expr) in exprs.enumerate() {
            let of = |id: LtlId| sizes[id.index()];
            let (depth, size) = match &expr.kind {
                LtlKind::Constant(_) | LtlKind::Proposition(_) => (1, 1),
                LtlKind::Unary(_, a) => (of(*a).0 + 1, of(*a).1 + 1),
                LtlKind::Binary(_, a, b) => (of(*a).0.max(of(*b).0) + 2, of(*a).1 + of(*b).1 + 2),
                LtlKind::Bounded { low, high, body, .. } => {
                    let steps = usize::try_from(low.saturating_add(high.unwrap_or(0))).unwrap_or(usize::MAX);
                    let (depth, size) = of(*body);
                    (
                        steps.saturating_mul(2).saturating_add(depth + 1),
                        steps.saturating_add(2).saturating_mul(size + 2),
                    )
                }
            };
            if depth > LAW_DEPTH || size > LARGEST {
                let message = format!(
                    "this law is nested deeper than {LAW_DEPTH} operators, or has more than {LARGEST}, with its bounds \
                     written out"
                );
                return Err(Refused::new(Code::LAW_TOO_DEEP, expr.span.range(), message));
            }
            sizes.push((depth, size));
        }
        let all = |roots: &[LtlId]| Self::all(roots.iter().map(|&id| tree(module, id)).collect::<Vec<_>>());
        let asked = all(&module.formulas);
        if module.assumptions.is_empty() {
            return Ok(asked);
        }
        Ok(Self::implies(all(&module.assumptions), asked))
    }
}

/// Recurses at most [`LAW_DEPTH`] deep.
fn tree(module: &LtlModule, id: LtlId) -> LawTree {
    let expr = module.exprs.get(id);
    let strong = || module.strong_nexts.iter().any(|at| at.start == expr.span.start);
    let of = |id: &LtlId| tree(module, *id);
    match &expr.kind {
        LtlKind::Constant(value) => LawTree::Constant(*value),
        LtlKind::Proposition(name) => LawTree::Atom(name.clone()),
        LtlKind::Unary(op, a) => match temporal(*op, strong()) {
            Some(op) => LawTree::unary(op, of(a)),
            None => LawTree::Not(Box::new(of(a))),
        },
        LtlKind::Bounded { op, low, high, body } => bounded(*op, strong(), *low, *high, &of(body)),
        LtlKind::Binary(op, a, b) => {
            let (f, g) = (of(a), of(b));
            match op {
                BinaryOp::And => LawTree::all([f, g]),
                BinaryOp::Or => LawTree::any([f, g]),
                BinaryOp::Implies => LawTree::implies(f, g),
                BinaryOp::Xor => LawTree::Not(Box::new(LawTree::Iff(Box::new(f), Box::new(g)))),
                BinaryOp::Until => LawTree::binary(Link::Until, f, g),
                BinaryOp::WeakUntil => LawTree::binary(Link::WeakUntil, f, g),
                BinaryOp::Release => LawTree::binary(Link::Release, f, g),
                BinaryOp::StrongRelease => LawTree::binary(Link::StrongRelease, f, g),
                BinaryOp::Since => LawTree::binary(Link::Since, f, g),
                BinaryOp::Trigger => LawTree::binary(Link::Trigger, f, g),
                // The reader of LTL makes no other operators.
                _ => LawTree::Iff(Box::new(f), Box::new(g)),
            }
        }
    }
}

/// `None` for `!`.
fn temporal(op: UnaryOp, strong: bool) -> Option<Temporal> {
    Some(match op {
        UnaryOp::Next if strong => Temporal::StrongNext,
        UnaryOp::Next => Temporal::Next,
        UnaryOp::Finally => Temporal::Finally,
        UnaryOp::Globally => Temporal::Globally,
        UnaryOp::Yesterday => Temporal::Yesterday,
        UnaryOp::WeakYesterday => Temporal::WeakYesterday,
        UnaryOp::Once => Temporal::Once,
        UnaryOp::Historically => Temporal::Historically,
        _ => return None,
    })
}

/// Written out with single steps: those of `F` and `O` have to exist, those of `G` and `H` need not.
fn bounded(op: UnaryOp, strong: bool, low: u64, high: Option<u64>, body: &LawTree) -> LawTree {
    let (step, any) = match op {
        UnaryOp::Finally => (Temporal::StrongNext, true),
        UnaryOp::Next if strong => (Temporal::StrongNext, true),
        UnaryOp::Once | UnaryOp::Yesterday => (Temporal::Yesterday, true),
        UnaryOp::Historically | UnaryOp::WeakYesterday => (Temporal::WeakYesterday, false),
        _ => (Temporal::Next, false),
    };
    let is_step = matches!(op, UnaryOp::Next | UnaryOp::Yesterday | UnaryOp::WeakYesterday);
    let inner = match high {
        _ if is_step => body.clone(),
        None => temporal(op, strong).map_or_else(|| body.clone(), |op| LawTree::unary(op, body.clone())),
        Some(high) if high < low => return LawTree::Constant(!any),
        Some(high) => (low..high).fold(body.clone(), |f, _| {
            let later = LawTree::unary(step, f);
            if any { LawTree::any([body.clone(), later]) } else { LawTree::all([body.clone(), later]) }
        }),
    };
    (0..low).fold(inner, |f, _| LawTree::unary(step, f))
}
