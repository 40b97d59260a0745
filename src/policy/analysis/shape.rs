//! The laws of LTLCrit (Gokhale, Srivastava and Bullo 2025, equation 1): `G (p -> X q)`, where `p` is about the world
//! and `q` about the action, and some action satisfies `q`. The state of such a law depends on the last letter only.

use super::frame::AnalysisFrame;
use crate::language::{LawAtom, LawId};
use tsl_synth_core::logic::{FiniteFormulas, FiniteId, FiniteNode, Guard};

/// Whether a law has this form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// It has the form.
    StateAction,
    /// It is no `G (p -> X q)`.
    Other,
    /// Its premise is about actions or results, so that it depends on the history.
    History,
    /// Its conclusion is not about the action alone.
    AboutTheWorld,
    /// No single action satisfies its conclusion.
    NoAction,
}

/// The form of a law.
pub fn shape(frame: &mut AnalysisFrame<'_>, law: LawId) -> Shape {
    let formula = &frame.compiled.policy.laws[law].formula;
    let Some((premise, asked)) = parts(&formula.formulas, formula.root) else { return Shape::Other };
    let guard = |frame: &mut AnalysisFrame<'_>, (place, negated): (u32, bool)| {
        let guard = formula.guards[place as usize];
        if negated { frame.guards.not(guard) } else { guard }
    };
    let atoms = &frame.compiled.policy.atoms;
    let asked = guard(frame, asked);
    if let Some(premise) = premise {
        let premise = guard(frame, premise);
        let is_world = |&bit: &_| matches!(atoms.atom(bit), LawAtom::Proposition(_) | LawAtom::Clear(_));
        if !frame.guards.support(premise).iter().all(is_world) {
            return Shape::History;
        }
    }
    let is_call = |&bit: &_| matches!(atoms.atom(bit), LawAtom::Call(_));
    if !frame.guards.support(asked).iter().all(is_call) {
        return Shape::AboutTheWorld;
    }
    let acting = frame.guards.minus(frame.world, frame.silent);
    let kept = frame.guards.and(asked, acting);
    if kept == Guard::FALSE { Shape::NoAction } else { Shape::StateAction }
}

type Part = (u32, bool);

/// The negated premise, if there is one, and the conclusion without its next operator.
fn parts(formulas: &FiniteFormulas, root: FiniteId) -> Option<(Option<Part>, Part)> {
    let letter = |id: FiniteId| match *formulas.node(id) {
        FiniteNode::Letter { letter, negated } => Some((letter, negated)),
        _ => None,
    };
    let next = |id: FiniteId| match *formulas.node(id) {
        FiniteNode::Next(body) | FiniteNode::StrongNext(body) => letter(body),
        _ => None,
    };
    let FiniteNode::Release(left, body) = *formulas.node(root) else { return None };
    if *formulas.node(left) != FiniteNode::Constant(false) {
        return None;
    }
    match *formulas.node(body) {
        FiniteNode::Or(a, b) => {
            let of = |a, b| letter(a).zip(next(b)).map(|(p, q)| (Some(p), q));
            of(a, b).or_else(|| of(b, a))
        }
        _ => next(body).map(|asked| (None, asked)),
    }
}
