//! Sessions that keep some laws and, besides, keep or violate another one: what a policy permits, and what it implies.
//!
//! The product of the monitors is searched breadth first, at first with the other law alone. A session that is found and
//! violates one of the laws adds that law to the product (abstraction refinement by counterexamples, Clarke et al. 2000), so
//! laws that have nothing to do with the question are never multiplied. Where no session is left, the laws that were needed
//! are made minimal by deletion.

use super::frame::AnalysisFrame;
use crate::language::{ActionId, LawAtom, LawId, OUTCOMES};
use rustc_hash::FxHashSet;
use tsl_synth_core::base::{Budget, Limit, LimitKind};
use tsl_synth_core::logic::{BitId, Guard, Letter};
use tsl_synth_core::model::LawStatus;

/// The largest number of states of one search.
const MAX_STATES: usize = 200_000;
/// A number of open calls of an action that stands for itself and all greater ones.
const MANY: u8 = 2;

/// Whether there is a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SessionSearch {
    /// A shortest one.
    Found(Vec<Letter>),
    /// There is none, because of these laws; none of them can be left out.
    Excluded(Vec<LawId>),
}

/// Whether some session over letters of the world keeps these laws, and keeps (or, unless `keeps`, violates) the law that is
/// asked about. Results come after the calls that they are of. A session with one call at a time is preferred.
///
/// # Errors
/// The budget, or too many states.
pub fn find_session(
    frame: &mut AnalysisFrame<'_>,
    laws: &[LawId],
    (asked, keeps): (LawId, bool),
    budget: &Budget,
) -> Result<SessionSearch, Limit> {
    let whole = frame.world;
    let singly = at_most_one_call(frame);
    frame.world = frame.guards.and(whole, singly);
    let found = search(frame, laws, (asked, keeps), budget);
    frame.world = whole;
    match found? {
        SessionSearch::Excluded(_) => search(frame, laws, (asked, keeps), budget),
        found @ SessionSearch::Found(_) => Ok(found),
    }
}

/// The letters with at most one call.
fn at_most_one_call(frame: &mut AnalysisFrame<'_>) -> Guard {
    let atoms = &frame.compiled.policy.atoms;
    let calls: Vec<BitId> = atoms.actions.ids().map(|action| atoms.bit(LawAtom::Call(action))).collect();
    let (mut none, mut one) = (Guard::TRUE, Guard::FALSE);
    for bit in calls {
        let (is, not) = (frame.guards.literal(bit, true), frame.guards.literal(bit, false));
        let (first, later) = (frame.guards.and(none, is), frame.guards.and(one, not));
        one = frame.guards.or(first, later);
        none = frame.guards.and(none, not);
    }
    frame.guards.or(none, one)
}

fn search(
    frame: &mut AnalysisFrame<'_>,
    laws: &[LawId],
    (asked, keeps): (LawId, bool),
    budget: &Budget,
) -> Result<SessionSearch, Limit> {
    let mut used: Vec<LawId> = Vec::new();
    loop {
        let Some(found) = word(frame, &used, (asked, keeps), budget)? else {
            // Minimal by deletion.
            for law in used.clone() {
                let without: Vec<LawId> = used.iter().copied().filter(|own| *own != law).collect();
                if word(frame, &without, (asked, keeps), budget)?.is_none() {
                    used = without;
                }
            }
            return Ok(SessionSearch::Excluded(used));
        };
        let violated =
            laws.iter().copied().filter(|law| !used.contains(law) && !is_kept(frame, *law, &found));
        let violated: Vec<LawId> = violated.collect();
        match violated.first() {
            None => return Ok(SessionSearch::Found(found)),
            // One at a time: the next word may keep the others.
            Some(&law) => used.push(law),
        }
    }
}

/// Whether a word keeps a law.
fn is_kept(frame: &AnalysisFrame<'_>, law: LawId, word: &[Letter]) -> bool {
    let state = word.iter().fold(0, |state, letter| frame.compiled.step(law, state, letter));
    frame.compiled.monitors[law].standing(state).holds()
}

/// The states of the laws, and how many calls of each action are open.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct SearchState {
    laws: Box<[u32]>,
    open: Box<[u8]>,
}

/// The actions whose results some of the laws read, and with which bits.
fn actions(frame: &AnalysisFrame<'_>, laws: &[LawId]) -> Vec<(ActionId, BitId, Vec<BitId>)> {
    let atoms = &frame.compiled.policy.atoms;
    let read: Vec<BitId> = laws.iter().flat_map(|&law| frame.compiled.reads(law)).collect();
    let results = |action: ActionId| OUTCOMES.iter().map(move |&outcome| LawAtom::Result(action, outcome));
    let used =
        atoms.actions.ids().filter(|&action| results(action).any(|own| read.contains(&atoms.bit(own))));
    used.map(|action| {
        let results = results(action).map(|own| atoms.bit(own)).collect();
        (action, atoms.bit(LawAtom::Call(action)), results)
    })
    .collect()
}

fn word(
    frame: &mut AnalysisFrame<'_>,
    laws: &[LawId],
    (asked, keeps): (LawId, bool),
    budget: &Budget,
) -> Result<Option<Vec<Letter>>, Limit> {
    let all: Vec<LawId> = laws.iter().copied().chain([asked]).collect();
    let actions = actions(frame, &all);
    let start = SearchState { laws: vec![0; all.len()].into(), open: vec![0; actions.len()].into() };
    let is_goal = |frame: &AnalysisFrame<'_>, state: &SearchState| {
        all.iter().zip(&state.laws).all(|(&law, &state)| {
            let holds = frame.compiled.monitors[law].standing(state).holds();
            if law == asked { holds == keeps } else { holds }
        })
    };
    // A session has at least one letter: the state before it counts only as the first one.
    let mut seen: FxHashSet<SearchState> = FxHashSet::default();
    let mut states: Vec<(SearchState, Option<(usize, Letter)>)> = vec![(start, None)];
    let mut at = 0;
    while at < states.len() {
        let state = states[at].0.clone();
        if at > 0 && is_goal(frame, &state) {
            let mut word = Vec::new();
            while let Some((before, letter)) = states[at].1.clone() {
                word.push(letter);
                at = before;
            }
            word.reverse();
            return Ok(Some(word));
        }
        let first = if at == 0 { frame.first() } else { frame.world };
        for (next, letter) in steps(frame, &all, asked, &actions, &state, first, budget)? {
            if !seen.insert(next.clone()) {
                continue;
            }
            if states.len() >= MAX_STATES {
                return Err(Limit::new(
                    LimitKind::Size,
                    format!("more than {MAX_STATES} states of the laws"),
                ));
            }
            states.push((next, Some((at, letter))));
        }
        at += 1;
    }
    Ok(None)
}

/// The next states with a letter that leads to each.
fn steps(
    frame: &mut AnalysisFrame<'_>,
    all: &[LawId],
    asked: LawId,
    actions: &[(ActionId, BitId, Vec<BitId>)],
    state: &SearchState,
    letters: Guard,
    budget: &Budget,
) -> Result<Vec<(SearchState, Letter)>, Limit> {
    let mut letters = letters;
    for ((_, _, results), open) in actions.iter().zip(&state.open) {
        if *open == 0 {
            let none: Vec<(BitId, bool)> = results.iter().map(|&bit| (bit, false)).collect();
            let none = frame.guards.cube(&none);
            letters = frame.guards.and(letters, none);
        }
    }
    // Partial choices: the laws so far with the letters that lead there.
    let mut partial: Vec<(Vec<u32>, Guard)> = vec![(Vec::new(), letters)];
    for (&law, &own) in all.iter().zip(&state.laws) {
        let edges = frame.edges(law, own);
        let mut next = Vec::new();
        for (states, letters) in partial {
            for &(target, guard) in edges.iter() {
                budget.tick(1, || "sessions that keep the laws".into())?;
                if law != asked && frame.compiled.monitors[law].standing(target) == LawStatus::Violated {
                    continue;
                }
                let both = frame.guards.and(letters, guard);
                if both != Guard::FALSE && frame.meets(both, Guard::TRUE) {
                    next.push(([&states[..], &[target]].concat(), both));
                }
            }
        }
        partial = next;
    }
    // What is called and what ends, for each action whose results are read.
    let mut found = Vec::new();
    for (laws, letters) in partial {
        let mut cases: Vec<(Guard, Vec<u8>)> = vec![(letters, Vec::new())];
        for ((_, call, results), &open) in actions.iter().zip(&state.open) {
            let mut next = Vec::new();
            let called = frame.guards.cube(&[(*call, true)]);
            let none: Vec<(BitId, bool)> = results.iter().map(|&bit| (bit, false)).collect();
            let quiet = frame.guards.cube(&none);
            for (letters, counts) in cases {
                for (is_called, has_ended) in [(false, false), (false, true), (true, false), (true, true)] {
                    if has_ended && open == 0 {
                        continue;
                    }
                    let side = if is_called { called } else { frame.guards.not(called) };
                    let other = if has_ended { frame.guards.not(quiet) } else { quiet };
                    let own = frame.guards.and(side, other);
                    let own = frame.guards.and(letters, own);
                    if own == Guard::FALSE || !frame.meets(own, Guard::TRUE) {
                        continue;
                    }
                    let left = if has_ended && open < MANY { open - 1 } else { open };
                    let count = (left + u8::from(is_called)).min(MANY);
                    next.push((own, [&counts[..], &[count]].concat()));
                }
            }
            cases = next;
        }
        for (letters, open) in cases {
            if let Some(letter) = frame.guards.pick_common(letters, frame.world) {
                found.push((SearchState { laws: laws.clone().into(), open: open.into() }, letter));
            }
        }
    }
    Ok(found)
}
