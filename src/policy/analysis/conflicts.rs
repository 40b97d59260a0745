//! Pairs of laws that exclude each other: in some state that the two allow, each alone leaves the agent a choice, and
//! both together none.
//!
//! The product of two monitors with those of the `assume` laws that are not invariants is explored with sets of letters
//! as labels; letters are never enumerated. Registers are free: their propositions hold or not.

use super::frame::{Alternation, AnalysisFrame, ChoiceId};
use super::trajectory::{Trajectory, violated};
use crate::language::LawId;
use rustc_hash::{FxHashMap, FxHashSet};
use tsl_synth_core::base::{Budget, IdSet, Limit};
use tsl_synth_core::logic::{Guard, Letter};
use tsl_synth_core::model::LawStatus;

/// Products of two laws with more states than this are not decided.
const MAX_STATES: usize = 4096;

/// A conflict of two laws.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The laws.
    pub laws: [LawId; 2],
    /// A shortest word into a state in which they leave no choice.
    pub trajectory: Trajectory,
    /// Other laws that this word violates.
    pub others: Vec<LawId>,
}

/// All conflicts, and the pairs whose product is too large.
#[derive(Clone, Debug, Default)]
pub struct Conflicts {
    /// The conflicts, in the order of the laws.
    pub found: Vec<Conflict>,
    /// The pairs whose product is too large.
    pub undecided: Vec<[LawId; 2]>,
}

/// The pairs of laws that exclude each other.
///
/// # Errors
/// The budget.
pub fn conflicts(frame: &mut AnalysisFrame<'_>, budget: &Budget) -> Result<Conflicts, Limit> {
    let mut all = Conflicts::default();
    if frame.turns == Alternation::Free {
        return Ok(all);
    }
    let laws = frame.laws();
    let mut blocked = Blocked::default();
    let most: FxHashMap<LawId, Vec<IdSet<ChoiceId>>> =
        laws.iter().map(|&law| (law, blocked.each(frame, law))).collect();
    for (i, &first) in laws.iter().enumerate() {
        for &second in &laws[i + 1..] {
            budget.tick(1, || "the conflicts of laws".into())?;
            // If all `assume` laws are invariants, the choices that a state blocks do not depend on their states.
            let is_possible = frame.turns != Alternation::ChoiceFirst || !frame.assumes.is_empty() || {
                let available = frame.choices_with(frame.world);
                let covers = |a: &IdSet<ChoiceId>, b: &IdSet<ChoiceId>| {
                    let mut sum = a.clone();
                    sum.union_with(b);
                    available.is_subset(&sum)
                };
                most[&first].iter().any(|a| most[&second].iter().any(|b| covers(a, b)))
            };
            if !is_possible {
                continue;
            }
            match pair(frame, [first, second], &mut blocked, budget)? {
                CommonWord::None => {}
                CommonWord::TooLarge => all.undecided.push([first, second]),
                CommonWord::Found(letters, known) => {
                    let others = violated(frame.compiled, &laws, &letters);
                    let trajectory = Trajectory::new(frame, letters, known);
                    all.found.push(Conflict { laws: [first, second], trajectory, others });
                }
            }
        }
    }
    Ok(all)
}

/// The choices that laws block in their states, memoized.
#[derive(Default)]
pub(super) struct Blocked {
    known: FxHashMap<(LawId, u32, Guard), IdSet<ChoiceId>>,
}

impl Blocked {
    /// The choices after which some letter of `world` violates a law.
    pub(super) fn of(
        &mut self,
        frame: &mut AnalysisFrame<'_>,
        law: LawId,
        state: u32,
        world: Guard,
    ) -> IdSet<ChoiceId> {
        if let Some(known) = self.known.get(&(law, state, world)) {
            return known.clone();
        }
        let bad = frame.bad(law, state);
        let bad = frame.guards.and(bad, world);
        let blocked = frame.choices_with(bad);
        self.known.insert((law, state, world), blocked.clone());
        blocked
    }
    /// The different sets that a law blocks in any of its states.
    fn each(&mut self, frame: &mut AnalysisFrame<'_>, law: LawId) -> Vec<IdSet<ChoiceId>> {
        let monitor = &frame.compiled.monitors[law];
        let live = |&state: &u32| monitor.standing(state) != LawStatus::Violated;
        let (states, world) = ((0..monitor.len() as u32).filter(live), frame.world);
        let mut sets: Vec<IdSet<ChoiceId>> = states.map(|state| self.of(frame, law, state, world)).collect();
        sets.sort();
        sets.dedup();
        sets
    }
}

enum CommonWord {
    None,
    TooLarge,
    /// A word, and the rest of the next letter if it is known.
    Found(Vec<Letter>, Option<Letter>),
}

/// The states of the two laws and of the `assume` laws, and whether there was a letter.
type ConflictState = (Vec<u32>, bool);

fn pair(
    frame: &mut AnalysisFrame<'_>,
    laws: [LawId; 2],
    blocked: &mut Blocked,
    budget: &Budget,
) -> Result<CommonWord, Limit> {
    let all: Vec<LawId> = laws.iter().copied().chain(frame.assumes.iter().copied()).collect();
    let mut nodes: Vec<(ConflictState, usize, Letter)> =
        vec![((vec![0; all.len()], false), 0, Letter::new())];
    let mut seen: FxHashSet<ConflictState> = FxHashSet::from_iter([nodes[0].0.clone()]);
    let mut at = 0;
    while at < nodes.len() {
        budget.tick(1, || "the conflicts of laws".into())?;
        let (states, begun) = nodes[at].0.clone();
        let world = frame.world_in(&states[2..]);
        let (stuck, legal) = situation(frame, laws, &states, world, begun, blocked);
        if let Some(known) = frame.guards.pick(stuck) {
            let known = (frame.turns == Alternation::ChoiceLast).then_some(known);
            return Ok(CommonWord::Found(word(&nodes, at), known));
        }
        let mut open: Vec<(Vec<u32>, Guard)> = vec![(Vec::new(), legal)];
        for (&law, &state) in all.iter().zip(&states) {
            let edges = frame.edges(law, state);
            let monitor = &frame.compiled.monitors[law];
            let mut next = Vec::new();
            for (targets, letters) in open {
                for &(target, own) in edges.iter() {
                    let both = frame.guards.and(letters, own);
                    if both != Guard::FALSE && monitor.standing(target) != LawStatus::Violated {
                        next.push(([&targets[..], &[target]].concat(), both));
                    }
                }
            }
            open = next;
        }
        for (targets, letters) in open {
            let node = (targets, true);
            if seen.insert(node.clone())
                && let Some(letter) = frame.guards.pick(letters)
            {
                nodes.push((node, at, letter));
            }
        }
        if nodes.len() > MAX_STATES {
            return Ok(CommonWord::TooLarge);
        }
        at += 1;
    }
    Ok(CommonWord::None)
}

/// The letters that led to a node.
fn word(nodes: &[(ConflictState, usize, Letter)], mut at: usize) -> Vec<Letter> {
    let mut letters = Vec::new();
    while at != 0 {
        letters.push(nodes[at].2.clone());
        at = nodes[at].1;
    }
    letters.reverse();
    letters
}

/// The rests of letters for which both laws together leave no choice although each alone leaves one (all or none, if
/// the rest is not known before the choice), and the letters of legal steps.
fn situation(
    frame: &mut AnalysisFrame<'_>,
    laws: [LawId; 2],
    states: &[u32],
    world: Guard,
    begun: bool,
    blocked: &mut Blocked,
) -> (Guard, Guard) {
    if frame.turns == Alternation::ChoiceFirst {
        if !begun {
            let first = frame.first();
            return (Guard::FALSE, frame.guards.and(first, world));
        }
        let available = frame.choices_with(world);
        let own = [0, 1].map(|i| blocked.of(frame, laws[i], states[i], world));
        let mut both = own[0].clone();
        both.union_with(&own[1]);
        let is_stuck = available.is_subset(&both) && own.iter().all(|own| !available.is_subset(own));
        let mut legal = Guard::FALSE;
        for choice in available.iter().filter(|&choice| !both.contains(choice)) {
            let cube = frame.cubes[choice];
            legal = frame.guards.or(legal, cube);
        }
        let legal = frame.guards.and(legal, world);
        return (if is_stuck { Guard::TRUE } else { Guard::FALSE }, legal);
    }
    let bad = [0, 1].map(|i| frame.bad(laws[i], states[i]));
    let (mut some, mut both) = (Guard::FALSE, Guard::TRUE);
    let (mut each, mut chosen) = ([Guard::TRUE; 2], Guard::FALSE);
    for choice in frame.choices.ids() {
        let available = frame.given(world, choice);
        let not_available = frame.guards.not(available);
        some = frame.guards.or(some, available);
        let mut either = not_available;
        for i in 0..2 {
            let own = frame.given(bad[i], choice);
            let own = frame.guards.or(own, not_available);
            each[i] = frame.guards.and(each[i], own);
            either = frame.guards.or(either, own);
        }
        both = frame.guards.and(both, either);
        let cube = frame.cubes[choice];
        chosen = frame.guards.or(chosen, cube);
    }
    let mut stuck = frame.guards.and(some, both);
    for own in each {
        stuck = frame.guards.minus(stuck, own);
    }
    // If each event is a letter, letters of the world without a call are legal, too.
    if frame.compiled.policy.trace == crate::language::TraceMode::PerEvent {
        chosen = frame.guards.or(chosen, frame.silent);
    }
    (stuck, frame.guards.and(world, chosen))
}

/// The choices that the world allows, and the laws that block choices, each with those that it blocks.
pub type BlockedChoices = (IdSet<ChoiceId>, Vec<(LawId, IdSet<ChoiceId>)>);

/// The choices that each law blocks after a word, if the agent chooses first.
///
/// # Errors
/// The budget.
pub fn blocked_after(
    frame: &mut AnalysisFrame<'_>,
    letters: &[Letter],
    budget: &Budget,
) -> Result<BlockedChoices, Limit> {
    budget.tick(letters.len() as u64, || "a word".into())?;
    let compiled = frame.compiled;
    let end = |law: LawId| letters.iter().fold(0, |state, letter| compiled.step(law, state, letter));
    let memory: Vec<u32> = frame.assumes.iter().map(|&law| end(law)).collect();
    let world = frame.world_in(&memory);
    let available = frame.choices_with(world);
    let (mut blocked, mut all) = (Blocked::default(), Vec::new());
    for law in frame.laws() {
        let own = blocked.of(frame, law, end(law), world);
        if !own.is_empty() {
            all.push((law, own));
        }
    }
    Ok((available, all))
}
