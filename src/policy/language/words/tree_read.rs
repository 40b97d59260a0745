//! Laws from LTL text.

use super::names::PolicyNames;
use super::refused::Refused;
use super::tree::{LAW_DEPTH, LawTree, Link, Temporal};
use std::collections::BTreeSet;
use tsl_synth_core::base::Id;
use tsl_synth_core::diag::{Code, Diagnostics, Severity};
use tsl_synth_core::source::SourceMap;
use tsl_synth_ltl::ltl::{LtlId, LtlKind, LtlModule, parse_ltl};
use tsl_synth_ltl::operators::{BinaryOp, UnaryOp};

/// The largest number of operators and atoms of a law, with bounds written out.
const LARGEST: usize = 1 << 14;

impl LawTree {
    /// Parses an LTL text: the conjunction of its assumptions implies the conjunction of its formulas. Names are not
    /// resolved: `names` only determines which words are names although they begin like an operator.
    ///
    /// # Errors
    /// If the text is not LTL, or the law exceeds the limits of depth and size.
    pub fn read(text: &str, names: &PolicyNames) -> Result<Self, Refused> {
        let mut map = SourceMap::new();
        let source = map.add("law", text);
        let known: BTreeSet<&str> = names.iter().map(|(name, _)| &**name).collect();
        let mut found = Diagnostics::new();
        let module = parse_ltl(&map, source, &|name| known.contains(name), &mut found);
        if let Some(first) = found.iter().find(|diagnostic| diagnostic.severity == Severity::Error) {
            let range = first.labels.first().map_or(0..0, |label| label.span.range());
            let mut refused = Refused::new(first.code, range, first.message.clone());
            refused.hints.clone_from(&first.hints);
            return Err(refused);
        }
        let empty = || Refused::new(Code::NOTHING_STATED, 0..0, "there is no formula");
        Self::of_module(&module.ok_or_else(empty)?)
    }

    /// The law of a parsed text.
    ///
    /// # Errors
    /// If it exceeds the limits of depth and size.
    pub fn of_module(module: &LtlModule) -> Result<Self, Refused> {
        let exprs = &module.exprs;
        // Children come before their parents, and each has one parent.
        let mut made: Vec<Option<ParsedLaw>> = Vec::new();
        for (_, expr) in exprs.enumerate() {
            let mut take = |id: &LtlId| made[id.index()].take().unwrap_or_else(ParsedLaw::hole);
            let strong = || module.strong_nexts.iter().any(|at| at.start == expr.span.start);
            let part = match &expr.kind {
                LtlKind::Constant(value) => ParsedLaw { law: Self::Constant(*value), depth: 1, size: 1 },
                LtlKind::Proposition(name) => ParsedLaw { law: Self::Atom(name.clone()), depth: 1, size: 1 },
                LtlKind::Unary(op, a) => take(a).under(|law| match temporal(*op, strong()) {
                    Some(op) => Self::unary(op, law),
                    None => Self::Not(Box::new(law)),
                }),
                LtlKind::Bounded { op, low, high, body } => {
                    let body = take(body);
                    let steps = usize::try_from(low.saturating_add(high.unwrap_or(0))).unwrap_or(usize::MAX);
                    let depth = steps.saturating_mul(2).saturating_add(body.depth + 1);
                    let size = steps.saturating_add(2).saturating_mul(body.size + 2);
                    if depth > LAW_DEPTH || size > LARGEST {
                        return Err(too_large(expr.span.range()));
                    }
                    ParsedLaw { law: bounded(*op, strong(), *low, *high, &body.law), depth, size }
                }
                LtlKind::Binary(op, a, b) => {
                    let (a, b) = (take(a), take(b));
                    joined(*op, a, b)
                }
            };
            if part.depth > LAW_DEPTH || part.size > LARGEST {
                return Err(too_large(expr.span.range()));
            }
            made.push(Some(part));
        }
        let mut all = |roots: &[LtlId]| {
            Self::all(
                roots
                    .iter()
                    .filter_map(|id| made[id.index()].take())
                    .map(|part| part.law)
                    .collect::<Vec<_>>(),
            )
        };
        let (asked, given) = (all(&module.formulas), all(&module.assumptions));
        if module.assumptions.is_empty() {
            return Ok(asked);
        }
        Ok(Self::implies(given, asked))
    }
}

/// A law, how deep it is nested, and how many operators and atoms it has.
struct ParsedLaw {
    law: LawTree,
    depth: usize,
    size: usize,
}

impl ParsedLaw {
    fn hole() -> Self {
        Self { law: LawTree::Constant(true), depth: 1, size: 1 }
    }
    fn under(self, op: impl FnOnce(LawTree) -> LawTree) -> Self {
        Self { law: op(self.law), depth: self.depth + 1, size: self.size + 1 }
    }
}

fn too_large(place: std::ops::Range<usize>) -> Refused {
    let message = format!(
        "this law is nested deeper than {LAW_DEPTH} operators, or has more than {LARGEST}, with its bounds written out"
    );
    Refused::new(Code::LAW_TOO_DEEP, place, message)
}

fn joined(op: BinaryOp, a: ParsedLaw, b: ParsedLaw) -> ParsedLaw {
    let size = a.size + b.size + 1;
    let is_same = |law: &LawTree| match op {
        BinaryOp::And => matches!(law, LawTree::And(_)),
        BinaryOp::Or => matches!(law, LawTree::Or(_)),
        _ => false,
    };
    // Nested conjunctions and disjunctions are flattened, so they add no depth.
    let below = |part: &ParsedLaw| part.depth + usize::from(!is_same(&part.law));
    let depth = below(&a).max(below(&b));
    let (f, g) = (a.law, b.law);
    let linked = |op: Link, f: LawTree, g: LawTree| LawTree::binary(op, f, g);
    let law = match (op, f) {
        (BinaryOp::And, LawTree::And(mut all)) if !matches!(g, LawTree::And(_)) => {
            all.push(g);
            LawTree::And(all)
        }
        (BinaryOp::Or, LawTree::Or(mut all)) if !matches!(g, LawTree::Or(_)) => {
            all.push(g);
            LawTree::Or(all)
        }
        (BinaryOp::And, f) => LawTree::all([f, g]),
        (BinaryOp::Or, f) => LawTree::any([f, g]),
        (BinaryOp::Implies, f) => LawTree::implies(f, g),
        (BinaryOp::Xor, f) => {
            let same = LawTree::Iff(Box::new(f), Box::new(g));
            return ParsedLaw { law: LawTree::Not(Box::new(same)), depth: depth + 1, size: size + 1 };
        }
        (BinaryOp::Until, f) => linked(Link::Until, f, g),
        (BinaryOp::WeakUntil, f) => linked(Link::WeakUntil, f, g),
        (BinaryOp::Release, f) => linked(Link::Release, f, g),
        (BinaryOp::StrongRelease, f) => linked(Link::StrongRelease, f, g),
        (BinaryOp::Since, f) => linked(Link::Since, f, g),
        (BinaryOp::Trigger, f) => linked(Link::Trigger, f, g),
        // The only other operator that the LTL parser produces is `<->`.
        (_, f) => LawTree::Iff(Box::new(f), Box::new(g)),
    };
    ParsedLaw { law, depth, size }
}

/// The temporal operator; `None` for `!`.
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

/// A bounded operator written out with single steps, which are strong for `F` and `O` and weak for `G` and `H`.
fn bounded(op: UnaryOp, strong: bool, low: u64, high: Option<u64>, body: &LawTree) -> LawTree {
    let (step, any) = match op {
        UnaryOp::Finally => (Temporal::StrongNext, true),
        UnaryOp::Next if strong => (Temporal::StrongNext, true),
        UnaryOp::Globally if strong => (Temporal::StrongNext, false),
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
