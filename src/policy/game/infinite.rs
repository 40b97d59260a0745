//! Infinite runs: only safety laws are decided.

use crate::CompiledPolicy;
use crate::language::LawId;
use rustc_hash::FxHashSet;
use tsl_synth_automata::finite_to_dfa;
use tsl_synth_core::base::{Budget, Limit, LimitKind};
use tsl_synth_core::logic::{FiniteFormulas, FiniteId, FiniteNode};
use tsl_synth_core::model::Dfa;

/// The formula with weak nexts in place of strong ones, which is equivalent on infinite words.
fn weak(formulas: &FiniteFormulas, root: FiniteId) -> (FiniteFormulas, FiniteId) {
    use tsl_synth_core::base::Id;
    let mut own = FiniteFormulas::over_bits();
    let mut done: Vec<FiniteId> = Vec::new();
    // Operands have smaller ids than the formulas that contain them.
    for i in 0..=root.index() {
        let of = |f: FiniteId| done[f.index()];
        let made = match *formulas.node(FiniteId::from_index(i)) {
            FiniteNode::Constant(value) => own.constant(value),
            FiniteNode::Letter { letter, negated: false } => own.letter(letter),
            FiniteNode::Letter { letter, negated: true } => own.not_letter(letter),
            FiniteNode::And(f, g) => own.and(of(f), of(g)),
            FiniteNode::Or(f, g) => own.or(of(f), of(g)),
            FiniteNode::Next(f) | FiniteNode::StrongNext(f) => own.next(of(f)),
            FiniteNode::Until(f, g) => own.until(of(f), of(g)),
            FiniteNode::Release(f, g) => own.release(of(f), of(g)),
            FiniteNode::Yesterday(f) => own.yesterday(of(f)),
            FiniteNode::WeakYesterday(f) => own.weak_yesterday(of(f)),
            FiniteNode::Since(f, g) => own.since(of(f), of(g)),
            FiniteNode::Triggered(f, g) => own.triggered(of(f), of(g)),
        };
        done.push(made);
    }
    (own, done[root.index()])
}

/// Whether two automata over the same letters reach states that are not live after the same words.
fn die_together(a: &Dfa, b: &Dfa) -> bool {
    let (mut seen, mut stack) = (FxHashSet::from_iter([(0, 0)]), vec![(0, 0)]);
    while let Some((s, t)) = stack.pop() {
        if a.is_live(s) != b.is_live(t) {
            return false;
        }
        for letter in 0..a.letters() {
            let next = (a.next(s, letter), b.next(t, letter));
            if seen.insert(next) {
                stack.push(next);
            }
        }
    }
    true
}

/// Checks that laws are safety laws and that their monitors, which are built for finite words, detect all violations. A
/// law is a safety law if, with weak nexts, every word with a continuation that satisfies it satisfies it, too.
///
/// # Errors
/// A law that is not such a law, or the budget.
pub(super) fn only_safety(compiled: &CompiledPolicy, laws: &[LawId], budget: &Budget) -> Result<(), Limit> {
    for &id in laws {
        let law = &compiled.policy.laws[id];
        let monitor = &compiled.monitors[id];
        let (formulas, root) = weak(&law.formula.formulas, law.formula.root);
        let dfa = finite_to_dfa(&formulas, root, monitor.valuations(), monitor.len() * 4 + 64, budget)?;
        let is_safety = (0..dfa.len() as u32).all(|state| dfa.is_live(state) == dfa.is_accepting(state));
        if !is_safety || !die_together(&dfa, monitor.dfa()) {
            let what = format!("look-ahead for runs without end: the law `{}` is not a safety law", law.id);
            return Err(Limit::new(LimitKind::Bound, what));
        }
    }
    Ok(())
}
