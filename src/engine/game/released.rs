//! Automata of obligations that are released by one of several invariants, `G (b ∨ F p ∨ G c₁ ∨ … ∨ G cₙ)`, over shared
//! memory: n + 1 bits instead of more than 2ⁿ states.
//!
//! The formula fails if p is never again true, some later step is without b, and each cᵢ is false at or after that
//! step. If one of these steps is a witness, so is the first one after the last p; only that step has to be remembered,
//! with the cᵢ that have been false since: the breakpoint construction of Miyano and Hayashi ("Alternating finite
//! automata on ω-words", TCS 1984), whose obligations are comparable here. Linear in the formula.

use super::memory::Memory;
use tsl_synth_core::base::{Id, IdVec};
use tsl_synth_core::logic::{BitId, Class, FormulaId, Formulas, Guard, Guards, Node};
use tsl_synth_core::model::{DeterministicBuchi, RunEdge, RunStateId};

/// The automaton of a formula of this form over new bits of memory; `None`, and the memory is as before, for any other
/// formula.
pub(super) fn over_released(
    memory: &mut Memory,
    formulas: &mut Formulas,
    f: FormulaId,
) -> Option<DeterministicBuchi> {
    let Node::Globally(body) = *formulas.node(f) else { return None };
    let Node::Or(parts) = formulas.node(body).clone() else { return None };
    let is_boolean = |f: FormulaId| formulas.class(f).is(Class::BOOLEAN);
    let (mut now, mut goals, mut kept) = (Vec::new(), Vec::new(), Vec::new());
    for part in parts {
        match *formulas.node(part) {
            _ if is_boolean(part) => now.push(part),
            Node::Finally(goal) if is_boolean(goal) => goals.push(goal),
            Node::Globally(c) if is_boolean(c) => kept.push(c),
            _ => return None,
        }
    }
    if kept.is_empty() {
        return None;
    }
    let has_goal = !goals.is_empty();
    // Without a Boolean part every step starts the obligation.
    let started = (!now.is_empty()).then(|| memory.reserve());
    let broken: Vec<BitId> = kept.iter().map(|_| memory.reserve()).collect();
    let (now, goal) = (formulas.or(now), formulas.or(goals));
    let [now, goal] = [now, goal].map(|f| memory.guard(formulas, f));
    let kept: Vec<Guard> = kept.into_iter().map(|c| memory.guard(formulas, c)).collect();
    let guards = memory.guards_mut();
    let mut since = guards.not(now);
    if let Some(started) = started {
        let before = guards.bit(started);
        since = guards.or(before, since);
    }
    since = guards.minus(since, goal);
    let mut later: Vec<(BitId, Guard)> = started.map(|bit| (bit, since)).into_iter().collect();
    for (&bit, c) in broken.iter().zip(kept) {
        let before = guards.bit(bit);
        let breaks = guards.not(c);
        let either = guards.or(before, breaks);
        later.push((bit, guards.and(since, either)));
    }
    for (bit, next) in later {
        memory.define(bit, next);
    }
    // The memory is evaluated with a delay of one step: that changes no language, and a guard over the letter as well
    // would be larger.
    let mut guards = Guards::new();
    let failed = guards.valuation(broken.iter().copied(), &broken.iter().copied().collect());
    let fine = guards.not(failed);
    let [open, closed] = [0, 1].map(RunStateId::from_index);
    let stay = RunEdge { next: open, accepting: true, guard: fine };
    let states = if has_goal {
        vec![vec![RunEdge { next: open, accepting: false, guard: failed }, stay]]
    } else {
        let rest = RunEdge { next: closed, accepting: false, guard: Guard::TRUE };
        vec![vec![stay, RunEdge { next: closed, accepting: false, guard: failed }], vec![rest]]
    };
    Some(DeterministicBuchi {
        guards,
        states: IdVec::from(states),
        initial: open,
        dead: (!has_goal).then_some(closed),
    })
}
