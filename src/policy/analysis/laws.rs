//! Analysis of single laws and of pairs: laws that always hold, that can never hold, that never fire, that others
//! imply.

use super::frame::AnalysisFrame;
use crate::language::{Ending, Law, LawId, LawKind};
use rustc_hash::FxHashSet;
use tsl_synth_core::base::{Budget, Id, Limit};
use tsl_synth_core::logic::{Guard, Letter};
use tsl_synth_core::model::LawStatus;

/// Products of two laws with more states than this are not compared.
const MAX_STATES: usize = 4096;

/// A suspicious property of a law.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LawFinding {
    /// Every word keeps it.
    Vacuous,
    /// No word keeps it.
    Impossible,
    /// Some condition in it holds in no letter that the world may make, so that nothing can violate it.
    NeverFires,
    /// These actions, propositions or results together are a condition in it, and no letter has them together.
    NeverTogether(Vec<String>),
    /// Every word that keeps the other law keeps this one.
    ImpliedBy(LawId),
    /// The same words keep both.
    EquivalentTo(LawId),
}

/// The suspicious properties of laws, in their order. Implications are checked for pairs of laws only.
///
/// # Errors
/// The budget.
pub fn law_findings(
    frame: &mut AnalysisFrame<'_>,
    budget: &Budget,
) -> Result<Vec<(LawId, LawFinding)>, Limit> {
    let compiled = frame.compiled;
    let mut all: Vec<(LawId, LawFinding)> = Vec::new();
    for law in compiled.policy.laws.ids() {
        budget.tick(1, || "laws that say nothing".into())?;
        let finding = alone(frame, law).or_else(|| never_together(frame, law));
        all.extend(finding.map(|finding| (law, finding)));
    }
    if compiled.policy.end == Ending::Infinite && !all_safe(frame) {
        return Ok(all);
    }
    let odd: FxHashSet<LawId> = all.iter().map(|(law, _)| *law).collect();
    let laws: Vec<LawId> = frame.own_laws().into_iter().filter(|law| !odd.contains(law)).collect();
    let mut equivalent: FxHashSet<LawId> = FxHashSet::default();
    for &weak in &laws {
        // Most other laws keep the first word that comes to mind, so that they do not imply this one.
        let word = breaking_word(frame, weak);
        for &strong in laws.iter().filter(|&&strong| strong != weak && !equivalent.contains(&strong)) {
            let (own, other) = (&compiled.policy.laws[weak], &compiled.policy.laws[strong]);
            budget.tick(1, || "laws that others imply".into())?;
            if own.for_each != other.for_each
                || !binds(other, own)
                || word.as_ref().is_some_and(|word| keeps(frame, strong, word))
                || !implies(frame, strong, weak, budget)?
            {
                continue;
            }
            let same = binds(own, other) && implies(frame, weak, strong, budget)?;
            if same && weak.index() < strong.index() {
                continue;
            }
            if same {
                equivalent.insert(weak);
            }
            all.push((
                weak,
                if same { LawFinding::EquivalentTo(strong) } else { LawFinding::ImpliedBy(strong) },
            ));
            break;
        }
    }
    all.sort_by_key(|(law, _)| *law);
    Ok(all)
}

/// Whether a law binds at least as much as another one: it is not soft where the other one is hard, and what happens to
/// a call that violates it is as strict.
fn binds(strong: &Law, weak: &Law) -> bool {
    (weak.kind == LawKind::Soft || strong.kind == LawKind::Hard) && strong.on_violation <= weak.on_violation
}

/// A suspicious property of a law alone.
fn alone(frame: &mut AnalysisFrame<'_>, law: LawId) -> Option<LawFinding> {
    let compiled = frame.compiled;
    match compiled.monitors[law].standing(0) {
        LawStatus::Satisfied if fires(frame, law) => return Some(LawFinding::Vacuous),
        LawStatus::Satisfied => return Some(LawFinding::NeverFires),
        LawStatus::Violated => return Some(LawFinding::Impossible),
        _ if compiled.policy.laws[law].kind == LawKind::Assume => return None,
        _ => {}
    }
    let reach = reachable(frame, law);
    let holds: Vec<bool> =
        reach.iter().map(|&state| compiled.monitors[law].standing(state).holds()).collect();
    if holds.iter().all(|&holds| holds) {
        Some(LawFinding::NeverFires)
    } else if holds.contains(&true) {
        None
    } else {
        Some(LawFinding::Impossible)
    }
}

/// The names of a condition in a law that holds in no letter that can occur, if there is one.
fn never_together(frame: &mut AnalysisFrame<'_>, law: LawId) -> Option<LawFinding> {
    let policy = &frame.compiled.policy;
    for &guard in &policy.laws[law].formula.guards {
        let own = policy.guards.copy_into(guard, &mut frame.guards);
        for condition in [own, frame.guards.not(own)] {
            if condition != Guard::FALSE
                && !frame.guards.intersects(condition, frame.world)
                && let Some(letter) = frame.guards.pick(condition)
            {
                let names = policy.atoms.letter_names(&letter);
                return (names.len() > 1).then_some(LawFinding::NeverTogether(names));
            }
        }
    }
    None
}

/// A suspicious property of one law: of the law alone, or that another law implies it.
///
/// # Errors
/// The budget.
pub fn law_finding(
    frame: &mut AnalysisFrame<'_>,
    law: LawId,
    budget: &Budget,
) -> Result<Option<LawFinding>, Limit> {
    if let Some(finding) = alone(frame, law) {
        return Ok(Some(finding));
    }
    let compiled = frame.compiled;
    if compiled.policy.end == Ending::Infinite && !all_safe(frame) {
        return Ok(None);
    }
    for other in frame.own_laws().into_iter().filter(|&other| other != law) {
        let (own, strong) = (&compiled.policy.laws[law], &compiled.policy.laws[other]);
        let compares = own.for_each == strong.for_each && binds(strong, own) && alone(frame, other).is_none();
        if compares && implies(frame, other, law, budget)? {
            return Ok(Some(LawFinding::ImpliedBy(other)));
        }
    }
    Ok(None)
}

/// Whether each part of a law without temporal operators holds in some letter and fails in another.
fn fires(frame: &mut AnalysisFrame<'_>, law: LawId) -> bool {
    let guards = frame.compiled.monitors[law].guards().to_vec();
    guards.into_iter().all(|guard| {
        let outside = frame.guards.not(guard);
        [guard, outside].into_iter().all(|guard| frame.guards.overlap(guard, frame.world))
    })
}

fn all_safe(frame: &AnalysisFrame<'_>) -> bool {
    let laws = frame.own_laws();
    laws.into_iter().all(|law| {
        let monitor = &frame.compiled.monitors[law];
        (0..monitor.len() as u32).all(|state| monitor.standing(state) != LawStatus::CurrentlyViolated)
    })
}

fn reachable(frame: &mut AnalysisFrame<'_>, law: LawId) -> Vec<u32> {
    let mut reach = vec![0];
    let mut at = 0;
    while at < reach.len() {
        for &(target, _) in frame.edges(law, reach[at]).iter() {
            if !reach.contains(&target) {
                reach.push(target);
            }
        }
        at += 1;
    }
    reach
}

/// A shortest word over letters of the world that does not keep a law.
fn breaking_word(frame: &mut AnalysisFrame<'_>, law: LawId) -> Option<Vec<Letter>> {
    let monitor = &frame.compiled.monitors[law];
    let mut words: Vec<(u32, Vec<Letter>)> = vec![(0, Vec::new())];
    let mut seen = FxHashSet::from_iter([0]);
    let mut at = 0;
    while at < words.len() {
        let (state, word) = words[at].clone();
        if !monitor.standing(state).holds() {
            return Some(word);
        }
        for &(next, letters) in frame.edges(law, state).iter() {
            if let Some(letter) = frame.guards.pick_common(letters, frame.world).filter(|_| seen.insert(next))
            {
                words.push((next, [&word[..], &[letter]].concat()));
            }
        }
        at += 1;
    }
    None
}

/// Whether a word keeps a law.
fn keeps(frame: &AnalysisFrame<'_>, law: LawId, word: &[Letter]) -> bool {
    let compiled = frame.compiled;
    let state = word.iter().fold(0, |state, letter| compiled.step(law, state, letter));
    compiled.monitors[law].standing(state).holds()
}

/// Whether each word over letters of the world that keeps `strong` keeps `weak`; `false` where that is not known.
///
/// # Errors
/// The budget.
pub fn implies(
    frame: &mut AnalysisFrame<'_>,
    strong: LawId,
    weak: LawId,
    budget: &Budget,
) -> Result<bool, Limit> {
    let compiled = frame.compiled;
    let (a, b) = (&compiled.monitors[strong], &compiled.monitors[weak]);
    let mut open = vec![(0, 0)];
    let mut seen: FxHashSet<(u32, u32)> = FxHashSet::from_iter([(0, 0)]);
    while let Some((p, q)) = open.pop() {
        budget.tick(1, || "laws that others imply".into())?;
        if a.standing(p) == LawStatus::Violated || b.standing(q) == LawStatus::Satisfied {
            continue;
        }
        if a.standing(p).holds() && !b.standing(q).holds() {
            return Ok(false);
        }
        let (left, right) = (frame.edges(strong, p), frame.edges(weak, q));
        for &(p, letters) in left.iter() {
            for &(q, own) in right.iter() {
                if !seen.contains(&(p, q)) && frame.meets(letters, own) {
                    seen.insert((p, q));
                    open.push((p, q));
                }
            }
        }
        if seen.len() > MAX_STATES {
            return Ok(false);
        }
    }
    Ok(true)
}
