//! Whether all laws together can leave no choice, for policies without declared effects: a sufficient condition that
//! they cannot, and states in which they do.
//!
//! For each choice we compute the letters after which some law may block it: those that lead from some state of a law
//! into a state in which it blocks the choice. A letter after which every choice may be blocked is a candidate. If
//! there is no candidate, no state is over-constrained. For laws whose state is determined by the last letter, such as
//! `G(p -> X a)`, a candidate that may come first leads to an over-constrained state.

use super::conflicts::Blocked;
use super::cores::cores;
use super::frame::{Alternation, AnalysisFrame, ChoiceId};
use super::search::Stuck;
use super::trajectory::{Trajectory, violated};
use crate::language::LawId;
use tsl_synth_core::base::{Budget, IdSet, Limit};
use tsl_synth_core::logic::Guard;
use tsl_synth_core::model::LawStatus;

/// The result for all laws together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JointAnswer {
    /// No reachable state is over-constrained.
    Never,
    /// Over-constrained states, each set of laws once.
    Stuck(Vec<Stuck>),
    /// Undecided.
    Open,
}

/// Checks whether all laws together can leave no choice, over the letters that the `assume` laws allow.
///
/// # Errors
/// The budget.
pub fn joint(frame: &mut AnalysisFrame<'_>, budget: &Budget) -> Result<JointAnswer, Limit> {
    let laws = frame.laws();
    let candidates = candidates(frame, &laws, budget)?;
    if is_never(frame, candidates) {
        return Ok(JointAnswer::Never);
    }
    if frame.turns == Alternation::ChoiceLast {
        return Ok(JointAnswer::Open);
    }
    let laws = frame.laws();
    let mut blocked = Blocked::default();
    let first = frame.first();
    let mut open = frame.guards.and(candidates, first);
    let mut found: Vec<Stuck> = Vec::new();
    while let Some(letter) = frame.guards.pick(open) {
        budget.tick(1, || "the laws together".into())?;
        let word = [letter];
        let step = |law: LawId| frame.compiled.step(law, 0, &word[0]);
        let states: Vec<(LawId, u32)> = laws.iter().map(|&law| (law, step(law))).collect();
        let memory: Vec<u32> = frame.assumes.iter().map(|&law| step(law)).collect();
        if !violated(frame.compiled, &laws, &word).is_empty() {
            break;
        }
        let here = frame.world_in(&memory);
        let available = frame.choices_with(here);
        let own: Vec<(LawId, IdSet<ChoiceId>)> =
            states.iter().map(|&(law, state)| (law, blocked.of(frame, law, state, here))).collect();
        let all = cores(&available, &own);
        let Some(core) = all.first() else { break };
        // Letters after which these laws already leave no choice are not tried again.
        let mut same = Guard::TRUE;
        for &(law, state) in states.iter().filter(|(law, _)| core.contains(law)) {
            let edges = frame.edges(law, 0);
            let letters = edges.iter().find(|&&(target, _)| target == state).map_or(Guard::FALSE, |e| e.1);
            same = frame.guards.and(same, letters);
        }
        open = frame.guards.minus(open, same);
        let trajectory = Trajectory::new(frame, word.to_vec(), None);
        if found.iter().all(|known| known.core != *core) {
            found.push(Stuck { core: core.clone(), trajectory });
        }
        if found.len() >= super::cores::MAX_CORES {
            break;
        }
    }
    Ok(if found.is_empty() { JointAnswer::Open } else { JointAnswer::Stuck(found) })
}

/// Whether single letters show that no reachable state is over-constrained: the cheap part of [`joint`].
///
/// # Errors
/// The budget.
pub fn is_never_stuck(frame: &mut AnalysisFrame<'_>, budget: &Budget) -> Result<bool, Limit> {
    let laws = frame.laws();
    let candidates = candidates(frame, &laws, budget)?;
    Ok(is_never(frame, candidates))
}

fn is_never(frame: &AnalysisFrame<'_>, candidates: Guard) -> bool {
    frame.turns == Alternation::Free || candidates == Guard::FALSE && frame.assumes.is_empty()
}

/// The letters at which each choice may be blocked by some law in one of its states: letters after which the agent
/// chooses, or, if it chooses last, the rests of letters. If there is none and all `assume` laws are invariants, no
/// state is over-constrained.
///
/// # Errors
/// The budget.
fn candidates(frame: &mut AnalysisFrame<'_>, laws: &[LawId], budget: &Budget) -> Result<Guard, Limit> {
    match frame.turns {
        Alternation::Free => return Ok(Guard::FALSE),
        Alternation::ChoiceLast => return choice_last(frame, laws, budget),
        Alternation::ChoiceFirst => {}
    }
    let world = frame.world;
    let available = frame.choices_with(world);
    let mut blocked = Blocked::default();
    // For each choice the letters after which it may be blocked.
    let mut after: Vec<Guard> = vec![Guard::FALSE; frame.choices.len()];
    for &law in laws {
        budget.tick(1, || "the laws together".into())?;
        for (state, letters) in entries(frame, law) {
            for choice in blocked.of(frame, law, state, world).iter() {
                let place = tsl_synth_core::base::Id::index(choice);
                after[place] = frame.guards.or(after[place], letters);
            }
        }
    }
    let mut candidates = world;
    for choice in available.iter() {
        candidates = frame.guards.and(candidates, after[tsl_synth_core::base::Id::index(choice)]);
    }
    Ok(candidates)
}

/// The live states of a law with the letters that lead into them, from any live state.
fn entries(frame: &mut AnalysisFrame<'_>, law: LawId) -> Vec<(u32, Guard)> {
    let monitor = &frame.compiled.monitors[law];
    let live = |state: u32| monitor.standing(state) != LawStatus::Violated;
    let mut into = vec![Guard::FALSE; monitor.len()];
    for state in (0..monitor.len() as u32).filter(|&state| live(state)) {
        for &(target, letters) in frame.edges(law, state).iter().filter(|&&(target, _)| live(target)) {
            into[target as usize] = frame.guards.or(into[target as usize], letters);
        }
    }
    (0..).zip(into).filter(|&(_, letters)| letters != Guard::FALSE).collect()
}

/// If the rest of the letter is known: the rests for which every choice is blocked in some combination of states of the
/// laws.
fn choice_last(frame: &mut AnalysisFrame<'_>, laws: &[LawId], budget: &Budget) -> Result<Guard, Limit> {
    let (mut all, mut some) = (Guard::TRUE, Guard::FALSE);
    for choice in frame.choices.ids() {
        budget.tick(1, || "the laws together".into())?;
        let available = frame.given(frame.world, choice);
        some = frame.guards.or(some, available);
        let mut blocked = frame.guards.not(available);
        for &law in laws {
            let monitor = &frame.compiled.monitors[law];
            let live = |&state: &u32| monitor.standing(state) != LawStatus::Violated;
            for state in (0..monitor.len() as u32).filter(live) {
                let bad = frame.bad(law, state);
                let bad = frame.given(bad, choice);
                blocked = frame.guards.or(blocked, bad);
            }
        }
        all = frame.guards.and(all, blocked);
    }
    Ok(frame.guards.and(all, some))
}

/// How an edit of a law changes the over-constrained states, reachable or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EditEffect {
    /// Some state has an action again, and none loses its last one.
    Shrinks,
    /// The same states are over-constrained.
    Same,
    /// Some state may lose its last action.
    Grows,
}

/// Compares the over-constrained states without the law `new` and without the law `old`, as sets of letters; nothing is
/// enumerated. `None` if the states are not determined by the last letter, as they are for `G (p -> X a)`, and the
/// `assume` laws are invariants; then letters show only that there is no state of this kind.
///
/// # Errors
/// The budget.
pub fn edit_effect(
    frame: &mut AnalysisFrame<'_>,
    old: Option<LawId>,
    new: Option<LawId>,
    budget: &Budget,
) -> Result<Option<EditEffect>, Limit> {
    if !frame.assumes.is_empty() {
        return Ok(None);
    }
    let without = |frame: &AnalysisFrame<'_>, one: Option<LawId>| -> Vec<LawId> {
        frame.laws().into_iter().filter(|&law| Some(law) != one).collect()
    };
    let (laws_before, laws_after) = (without(frame, new), without(frame, old));
    let before = candidates(frame, &laws_before, budget)?;
    let after = candidates(frame, &laws_after, budget)?;
    let mut exact = true;
    for law in frame.laws() {
        exact &= is_determined(frame, law);
    }
    if !exact {
        return Ok((after == Guard::FALSE).then_some(EditEffect::Same));
    }
    let more = frame.guards.minus(after, before);
    let fewer = frame.guards.minus(before, after);
    Ok(Some(match (more == Guard::FALSE, fewer == Guard::FALSE) {
        (false, _) => EditEffect::Grows,
        (true, false) => EditEffect::Shrinks,
        (true, true) => EditEffect::Same,
    }))
}

/// Whether the last letter alone determines what a law blocks next.
fn is_determined(frame: &mut AnalysisFrame<'_>, law: LawId) -> bool {
    let entries = entries(frame, law);
    if frame.turns == Alternation::ChoiceLast {
        return entries.len() <= 1;
    }
    let mut seen = Guard::FALSE;
    entries.into_iter().all(|(_, letters)| {
        let apart = !frame.meets(seen, letters);
        seen = frame.guards.or(seen, letters);
        apart
    })
}
