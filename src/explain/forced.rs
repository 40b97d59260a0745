//! The shortest loss that the environment can force.
//!
//! A formula is broken within n steps if it is false in the *weak view* of the first n letters (Eisner, Fisman,
//! Havlicek, Lustig, McIsaac and Van Campenhout 2003, "Reasoning with temporal logic on truncated paths", section 3);
//! it then fails whatever follows. The weak view of n letters is a formula of `X` and Boolean operators; whether a
//! controller satisfies it for every guarantee of a core is a realizability question, answered and certified for n = 1,
//! 2, 3, …. The first n without a controller is the least number of steps in which the environment can force some
//! guarantee to be broken. In the play against its counter-strategy the system resists as long as it can, which is n
//! steps.

use super::cores::Core;
use super::numbers::losing_play;
use super::play::{LosingPlay, PlayEnding};
use super::synthesis_queries::{SynthesisAnswer, Synthesizer};
use super::tuning::{FORCED_SIZE, FORCED_STEPS, FORCED_WORK, LONGEST_FORCED};
use rustc_hash::FxHashMap;
use tsl_synth_core::logic::{FormulaId, Formulas, Node};
use tsl_synth_core::model::{Abstraction, Observer, Phase};
use tsl_synth_engine::synth::{FailedCertificate, SolverOptions};
use tsl_synth_lang::spec::Problem;

/// The result on the losses that the environment can force.
#[derive(Clone, Debug)]
pub struct Forced {
    /// A play in which the environment forces a loss and the system resists as long as it can.
    pub play: Option<LosingPlay>,
    /// The number of steps within which no environment can force a loss.
    pub excluded: usize,
}

/// The shortest loss against the guarantees of a core that the environment can force; `known` is a play that the
/// system loses.
///
/// # Errors
/// An answer to one of the questions failed its certificate check.
pub fn forced_loss(
    problem: &Problem,
    core: &Core,
    known: Option<&LosingPlay>,
    options: &SolverOptions,
    observer: &dyn Observer,
) -> Result<Forced, FailedCertificate> {
    observer.phase(Phase::ShortestViolation);
    let most = match known {
        Some(play) if play.ending == PlayEnding::Violated => (play.steps.len() - 1).min(LONGEST_FORCED),
        _ => FORCED_STEPS,
    };
    let mut asker = Synthesizer::new(options, observer);
    asker.allow(most, 1);
    let mut excluded = 0;
    for steps in 1..=most {
        let Some(part) = within(problem, core, steps) else { break };
        match asker.ask(&part)? {
            SynthesisAnswer::Realizable(_) => excluded = steps,
            SynthesisAnswer::Unrealizable(counter, notion)
                if notion == core.notion || notion == Abstraction::Tsl =>
            {
                let core = Core { counter: Some(counter), ..core.clone() };
                let budget = asker.budget(FORCED_WORK);
                return Ok(Forced { play: losing_play(&part, &core, &budget).ok(), excluded });
            }
            SynthesisAnswer::Unrealizable(..) | SynthesisAnswer::Unknown => break,
        }
    }
    Ok(Forced { play: None, excluded })
}

/// The problem with the core's guarantees replaced by their weak views, without other guarantees; `None` if they are
/// too large.
fn within(problem: &Problem, core: &Core, steps: usize) -> Option<Problem> {
    let mut part = problem.clone();
    let top = part.formulas.top();
    for (id, clause) in part.clauses.iter_mut().enumerate() {
        if !clause.is_duty() {
            continue;
        }
        let in_core =
            core.guarantees.iter().any(|&guarantee| tsl_synth_core::base::Id::index(guarantee) == id);
        clause.formula = if in_core { weak(&mut part.formulas, clause.formula, steps)? } else { top };
    }
    Some(part)
}

/// The weak view of `steps` letters; `None` if it is too large. O(steps · size).
pub(super) fn weak(formulas: &mut Formulas, f: FormulaId, steps: usize) -> Option<FormulaId> {
    let order = formulas.subformulas(&[f]);
    let (top, bottom) = (formulas.top(), formulas.bottom());
    // Weak and strong view of every subformula; without letters everything holds weakly and nothing strongly.
    let mut before: FxHashMap<FormulaId, (FormulaId, FormulaId)> = FxHashMap::default();
    for &g in &order {
        before.insert(g, if formulas.is_constant(g) { (g, g) } else { (top, bottom) });
    }
    for _ in 0..steps {
        let mut now: FxHashMap<FormulaId, (FormulaId, FormulaId)> = FxHashMap::default();
        for &g in &order {
            let node = formulas.node(g).clone();
            let views = match &node {
                Node::True | Node::False | Node::Atom(_) => (g, g),
                Node::Not(h) => {
                    let (w, s) = now[h];
                    (formulas.not(s), formulas.not(w))
                }
                Node::Iff(a, b) => {
                    let ((wa, sa), (wb, sb)) = (now[a], now[b]);
                    (equal(formulas, (wa, sa), (wb, sb)), equal(formulas, (sa, wa), (sb, wb)))
                }
                _ => (
                    expanded(formulas, &node, |h| now[h].0, |h| before[h].0, before[&g].0),
                    expanded(formulas, &node, |h| now[h].1, |h| before[h].1, before[&g].1),
                ),
            };
            now.insert(g, views);
        }
        before = now;
    }
    let view = before[&f].0;
    (formulas.size(view) <= FORCED_SIZE).then_some(view)
}

/// Both hold in the first view, or both fail in the second.
fn equal(
    formulas: &mut Formulas,
    (a, not_a): (FormulaId, FormulaId),
    (b, not_b): (FormulaId, FormulaId),
) -> FormulaId {
    let (not_a, not_b) = (formulas.not(not_a), formulas.not(not_b));
    let (both, neither) = (formulas.and([a, b]), formulas.and([not_a, not_b]));
    formulas.or([both, neither])
}

/// A node by its expansion law: views of operands now, and of operands below `X` in the next step.
fn expanded(
    formulas: &mut Formulas,
    node: &Node,
    now: impl Fn(&FormulaId) -> FormulaId,
    later: impl Fn(&FormulaId) -> FormulaId,
    again: FormulaId,
) -> FormulaId {
    match node {
        Node::And(gs) => formulas.and(gs.iter().map(now)),
        Node::Or(gs) => formulas.or(gs.iter().map(now)),
        Node::Next(g) => formulas.next(later(g)),
        Node::Finally(g) => {
            let rest = formulas.next(again);
            formulas.or([now(g), rest])
        }
        Node::Globally(g) => {
            let rest = formulas.next(again);
            formulas.and([now(g), rest])
        }
        Node::Until(a, b) | Node::WeakUntil(a, b) => {
            let rest = formulas.next(again);
            let stay = formulas.and([now(a), rest]);
            formulas.or([now(b), stay])
        }
        Node::Release(a, b) | Node::StrongRelease(a, b) => {
            let rest = formulas.next(again);
            let stay = formulas.or([now(a), rest]);
            formulas.and([now(b), stay])
        }
        Node::True | Node::False | Node::Atom(_) | Node::Not(_) | Node::Iff(..) => {
            unreachable!("views of these are made directly")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::after;
    use tsl_synth_core::logic::{Alphabet, Letter};

    #[test]
    fn what_is_broken_within_n_steps_is_what_progression_breaks() {
        let mut alphabet = Alphabet::new();
        let (a, b) = (alphabet.add_input("a"), alphabet.add_output("b"));
        let mut fs = Formulas::new();
        let (a, b) = (fs.atom(a), fs.atom(b));
        let next_b = fs.next(b);
        let mut all = vec![
            fs.until(a, next_b),
            fs.weak_until(next_b, a),
            fs.release(a, b),
            fs.strong_release(b, a),
            fs.iff(a, next_b),
        ];
        for f in all.clone() {
            let (finally, globally) = (fs.finally(f), fs.globally(f));
            all.extend([finally, globally, fs.not(f), fs.not(globally)]);
        }
        let mut broken = 0;
        for steps in 1..=3 {
            let views: Vec<FormulaId> =
                all.iter().map(|&f| weak(&mut fs, f, steps).expect("small")).collect();
            for code in 0..1usize << (2 * steps) {
                let (mut rest, mut view) = (all.clone(), views.clone());
                for step in 0..steps {
                    let bits = code >> (2 * step) & 3;
                    let letter: Letter = (0..2)
                        .filter(|i| bits >> i & 1 == 1)
                        .map(tsl_synth_core::base::Id::from_index)
                        .collect();
                    rest = after(&mut fs, &alphabet, &rest, &letter);
                    view = after(&mut fs, &alphabet, &view, &letter);
                }
                for i in 0..all.len() {
                    assert!(fs.is_constant(view[i]));
                    assert_eq!(
                        rest[i] == fs.bottom(),
                        view[i] == fs.bottom(),
                        "{}",
                        fs.display(all[i], &alphabet)
                    );
                    broken += usize::from(view[i] == fs.bottom());
                }
            }
        }
        assert!(broken > 100);
    }
}
