//! The formula of a law over letters: its maximal subformulas without temporal operators become guards, the rest
//! becomes a formula over them on finite words.

use super::atoms::{Atoms, LawAtom, Named};
use tsl_synth_core::base::Id;
use tsl_synth_core::diag::{Code, Diagnostic, Diagnostics};
use tsl_synth_core::logic::{FiniteFormulas, FiniteId, Guard, Guards};
use tsl_synth_core::source::Span;
use tsl_synth_ltl::ltl::{LtlId, LtlKind, LtlModule};
use tsl_synth_ltl::operators::{BinaryOp, UnaryOp};
use tsl_synth_ltl::spelling::nearest;
use tsl_synth_ltl::word_formula::{FormulaPairs, MAX_BOUND, Pair};

/// The largest number of nodes of a formula.
const MAX_NODES: usize = 1 << 14;
/// The largest number of guards of a formula: its automaton has a letter for each valuation of them.
pub const MAX_GUARDS: usize = 12;

/// A formula whose propositions are guards.
#[derive(Clone, Debug)]
pub struct LawFormula {
    /// The guards, in the store of the policy; proposition `i` of the formula is the `i`-th.
    pub guards: Vec<Guard>,
    /// Owns the formula; letters are bits.
    pub formulas: FiniteFormulas,
    /// The formula.
    pub root: FiniteId,
}

impl LawFormula {
    /// The formula that always holds.
    pub fn top() -> Self {
        let mut formulas = FiniteFormulas::over_bits();
        let root = formulas.constant(true);
        Self { guards: Vec::new(), formulas, root }
    }
}

/// The letters that satisfy each subformula; `None` for those with temporal operators or with propositions that hold
/// until they are cleared.
fn state_parts(
    module: &LtlModule,
    atoms: &Atoms,
    guards: &mut Guards,
    diagnostics: &mut Diagnostics,
) -> Vec<Option<Guard>> {
    let mut parts: Vec<Option<Guard>> = Vec::new();
    for (_, expr) in module.exprs.enumerate() {
        let of = |id: LtlId| parts[id.index()];
        let part = match &expr.kind {
            LtlKind::Constant(value) => Some(if *value { Guard::TRUE } else { Guard::FALSE }),
            LtlKind::Proposition(name) => {
                let named = atoms.named(name);
                if named.is_none() {
                    diagnostics.push(unknown(name, expr.span, atoms));
                }
                named.and_then(|named| atoms.guard(guards, named))
            }
            LtlKind::Unary(UnaryOp::Not, a) => of(*a).map(|a| guards.not(a)),
            LtlKind::Binary(op, a, b) => match (op, of(*a), of(*b)) {
                (BinaryOp::And, Some(a), Some(b)) => Some(guards.and(a, b)),
                (BinaryOp::Or, Some(a), Some(b)) => Some(guards.or(a, b)),
                (BinaryOp::Implies, Some(a), Some(b)) => {
                    let a = guards.not(a);
                    Some(guards.or(a, b))
                }
                (BinaryOp::Iff, Some(a), Some(b)) => Some(guards.iff(a, b)),
                (BinaryOp::Xor, Some(a), Some(b)) => {
                    let same = guards.iff(a, b);
                    Some(guards.not(same))
                }
                _ => None,
            },
            LtlKind::Unary(..) | LtlKind::Bounded { .. } => None,
        };
        parts.push(part);
    }
    parts
}

/// The proposition of a guard, whose number is its index among those used.
fn proposition(
    guard: Guard,
    used: &mut Vec<Guard>,
    guards: &mut Guards,
    pairs: &mut FormulaPairs<'_>,
) -> Pair {
    let complement = guards.not(guard);
    let known = used.iter().position(|&one| one == guard || one == complement);
    let place = known.unwrap_or(used.len());
    if known.is_none() {
        used.push(guard);
    }
    let (yes, no) = pairs.letter(place as u32);
    if used[place] == guard { (yes, no) } else { (no, yes) }
}

/// An error about a name that the policy does not have.
pub(super) fn unknown(name: &str, span: Span, atoms: &Atoms) -> Diagnostic {
    let error = Diagnostic::error(
        Code::POLICY_UNKNOWN,
        format!("the policy has no proposition or action `{name}`; a law about it would never fire"),
    )
    .at(span, "not declared");
    match nearest(name, atoms.names()) {
        Some(near) => error.hint(format!("did you mean `{near}`?")),
        None => error,
    }
}

/// The formula of a text: the conjunction of its assumptions implies the conjunction of its formulas. With
/// `strong_next`, `X` is read as `X[!]`. `None` if there are errors.
pub(super) fn lower(
    module: &LtlModule,
    atoms: &Atoms,
    guards: &mut Guards,
    strong_next: bool,
    diagnostics: &mut Diagnostics,
) -> Option<LawFormula> {
    let before = diagnostics.len();
    let parts = state_parts(module, atoms, guards, diagnostics);
    if diagnostics.len() > before {
        return None;
    }
    let mut formulas = FiniteFormulas::over_bits();
    let mut used: Vec<Guard> = Vec::new();
    let mut done: Vec<Pair> = Vec::new();
    let mut pairs = FormulaPairs { formulas: &mut formulas };
    // A guard becomes a proposition only if it is a whole formula or an operand of a subformula without a guard.
    let mut needed = vec![false; parts.len()];
    for &root in module.formulas.iter().chain(&module.assumptions) {
        needed[root.index()] = true;
    }
    for (id, expr) in module.exprs.enumerate() {
        if parts[id.index()].is_none() {
            let mut need = |f: LtlId| needed[f.index()] = true;
            match &expr.kind {
                LtlKind::Unary(_, a) | LtlKind::Bounded { body: a, .. } => need(*a),
                LtlKind::Binary(_, a, b) => {
                    need(*a);
                    need(*b);
                }
                LtlKind::Constant(_) | LtlKind::Proposition(_) => {}
            }
        }
    }
    for (id, expr) in module.exprs.enumerate() {
        let of = |f: LtlId| done[f.index()];
        let is_marked = || module.strong_nexts.iter().any(|at| at.start == expr.span.start);
        let is_strong = || strong_next || is_marked();
        let made = match (&expr.kind, parts[id.index()]) {
            (_, Some(_)) if !needed[id.index()] => Some(pairs.constant(true)),
            (_, Some(Guard::TRUE)) => Some(pairs.constant(true)),
            (_, Some(Guard::FALSE)) => Some(pairs.constant(false)),
            (_, Some(guard)) => Some(proposition(guard, &mut used, guards, &mut pairs)),
            (LtlKind::Proposition(name), None) => {
                let Some(Named::Proposition(id)) = atoms.named(name) else { return None };
                let mut held = |atom| {
                    let bit = guards.bit(atoms.bit(atom));
                    proposition(bit, &mut used, guards, &mut pairs)
                };
                let (set, clear) = (held(LawAtom::Proposition(id)), held(LawAtom::Clear(id)));
                let not = |(f, g): Pair| (g, f);
                // Holds if it was set and not cleared since. If initially true, it fails if it was cleared and not set
                // since.
                if atoms.propositions[id].initial {
                    pairs.binary(BinaryOp::Since, not(set), clear).map(not)
                } else {
                    pairs.binary(BinaryOp::Since, not(clear), set)
                }
            }
            (LtlKind::Unary(UnaryOp::Next, a), None) if is_strong() => Some(pairs.strong_next(of(*a))),
            (LtlKind::Unary(op, a), None) => pairs.unary(*op, of(*a)),
            (LtlKind::Binary(op, a, b), None) => pairs.binary(*op, of(*a), of(*b)),
            (LtlKind::Bounded { op: op @ UnaryOp::Next, low, high, body }, None) if is_strong() => {
                pairs.bounded_strong(*op, *low, *high, of(*body))
            }
            (LtlKind::Bounded { op, low, high, body }, None) if is_marked() => {
                pairs.bounded_strong(*op, *low, *high, of(*body))
            }
            (LtlKind::Bounded { op, low, high, body }, None) => pairs.bounded(*op, *low, *high, of(*body)),
            (LtlKind::Constant(_), None) => None,
        };
        let Some(made) = made else {
            let error = if matches!(expr.kind, LtlKind::Bounded { .. }) {
                Diagnostic::error(Code::POLICY_LAW, format!("a bound of a law is above {MAX_BOUND}"))
            } else {
                Diagnostic::error(Code::PAST_OVER_FUTURE, "a past operator cannot be above a future operator")
            };
            diagnostics.push(error.at(expr.span, "here"));
            return None;
        };
        done.push(made);
        if pairs.formulas.len() > MAX_NODES || used.len() > MAX_GUARDS {
            let what = format!(
                "a law has more than {MAX_NODES} subformulas, or more than {MAX_GUARDS} different parts without temporal \
                 operators"
            );
            let error = Diagnostic::error(Code::POLICY_LAW, what).at(expr.span, "here");
            diagnostics.push(error.hint("write it as several laws"));
            return None;
        }
    }
    let top = pairs.constant(true);
    let all = |pairs: &mut FormulaPairs<'_>, roots: &[LtlId]| {
        roots.iter().fold(top, |sum, root| pairs.and(sum, done[root.index()]))
    };
    let (given, asked) = (all(&mut pairs, &module.assumptions), all(&mut pairs, &module.formulas));
    let root = pairs.or((given.1, given.0), asked).0;
    Some(LawFormula { guards: used, formulas, root })
}
