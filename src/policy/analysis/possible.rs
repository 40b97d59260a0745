//! Sessions that keep some laws and, besides, keep or violate another one: what a policy permits, and what it implies.
//!
//! The product of the monitors is searched breadth first, at first for the law that is asked about alone. If the session that
//! is found violates another law, that law is added to the product (counterexample-guided abstraction refinement, Clarke et
//! al. 2000), so that unrelated laws do not multiply the states. If there is no session, the set of laws in the product is
//! reduced to a minimal one by deletion.

use super::frame::AnalysisFrame;
use crate::language::{LawAtom, LawId, OUTCOMES};
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
    let all = frame.world;
    let singly = at_most_one_call(frame);
    let singly = frame.guards.and(all, singly);
    let mut question = Question { frame, asked, keeps, budget, letters: singly };
    let mut used: Vec<LawId> = Vec::new();
    for letters in [singly, all] {
        question.letters = letters;
        if let Some(found) = question.session(laws, &mut used)? {
            return Ok(SessionSearch::Found(found));
        }
    }
    // Minimal by deletion.
    for law in used.clone() {
        let without: Vec<LawId> = used.iter().copied().filter(|own| *own != law).collect();
        if question.word(&without)?.is_none() {
            used = without;
        }
    }
    Ok(SessionSearch::Excluded(used))
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

/// The states of the laws, and how many calls of each action are open.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct SearchState {
    laws: Box<[u32]>,
    open: Box<[u8]>,
}

/// An action whose results some law of the product reads.
struct TrackedAction {
    /// The letters with a call of it.
    called: Guard,
    /// The letters without a result of it.
    quiet: Guard,
}

/// What is asked, and the letters of the sessions.
struct Question<'f, 'c> {
    frame: &'f mut AnalysisFrame<'c>,
    asked: LawId,
    /// Whether the law that is asked about is to be kept.
    keeps: bool,
    budget: &'f Budget,
    letters: Guard,
}

impl Question<'_, '_> {
    /// A session that keeps all laws. The laws that the search needs are added to those used so far.
    fn session(&mut self, laws: &[LawId], used: &mut Vec<LawId>) -> Result<Option<Vec<Letter>>, Limit> {
        while let Some(found) = self.word(used)? {
            // One at a time: the next word may keep the others.
            match laws.iter().find(|law| !used.contains(law) && !self.is_kept(**law, &found)) {
                None => return Ok(Some(found)),
                Some(&law) => used.push(law),
            }
        }
        Ok(None)
    }

    /// Whether a word keeps a law.
    fn is_kept(&self, law: LawId, word: &[Letter]) -> bool {
        let state = word.iter().fold(0, |state, letter| self.frame.compiled.step(law, state, letter));
        self.frame.compiled.monitors[law].standing(state).holds()
    }

    /// The actions whose results some of the laws read.
    fn tracked(&mut self, laws: &[LawId]) -> Vec<TrackedAction> {
        let compiled = self.frame.compiled;
        let atoms = &compiled.policy.atoms;
        let read: Vec<BitId> = laws.iter().flat_map(|&law| compiled.reads(law)).collect();
        let mut tracked = Vec::new();
        for action in atoms.actions.ids() {
            let results = OUTCOMES.map(|outcome| atoms.bit(LawAtom::Result(action, outcome)));
            if results.iter().any(|bit| read.contains(bit)) {
                let called = self.frame.guards.literal(atoms.bit(LawAtom::Call(action)), true);
                let quiet = self.frame.guards.cube(&results.map(|bit| (bit, false)));
                tracked.push(TrackedAction { called, quiet });
            }
        }
        tracked
    }

    /// A shortest word that keeps these laws and answers the question.
    fn word(&mut self, laws: &[LawId]) -> Result<Option<Vec<Letter>>, Limit> {
        let all: Vec<LawId> = laws.iter().copied().chain([self.asked]).collect();
        let tracked = self.tracked(&all);
        let start = SearchState { laws: vec![0; all.len()].into(), open: vec![0; tracked.len()].into() };
        // A session has at least one letter: the state before it counts only as the first one.
        let mut seen: FxHashSet<SearchState> = FxHashSet::default();
        let mut states: Vec<(SearchState, Option<(usize, Letter)>)> = vec![(start, None)];
        let mut at = 0;
        while at < states.len() {
            let state = states[at].0.clone();
            if at > 0 && self.is_goal(&all, &state) {
                let mut word = Vec::new();
                while let Some((before, letter)) = states[at].1.clone() {
                    word.push(letter);
                    at = before;
                }
                word.reverse();
                return Ok(Some(word));
            }
            let mut letters = self.letters;
            if at == 0 {
                let first = self.frame.first();
                letters = self.frame.guards.and(letters, first);
            }
            for (next, letter) in self.steps(&all, &tracked, &state, letters)? {
                if !seen.insert(next.clone()) {
                    continue;
                }
                if states.len() >= MAX_STATES {
                    let what = format!("more than {MAX_STATES} states of the laws");
                    return Err(Limit::new(LimitKind::Size, what));
                }
                states.push((next, Some((at, letter))));
            }
            at += 1;
        }
        Ok(None)
    }

    fn is_goal(&self, all: &[LawId], state: &SearchState) -> bool {
        all.iter().zip(&state.laws).all(|(&law, &state)| {
            let holds = self.frame.compiled.monitors[law].standing(state).holds();
            holds == (law != self.asked || self.keeps)
        })
    }

    /// The next states with a letter that leads to each.
    fn steps(
        &mut self,
        all: &[LawId],
        tracked: &[TrackedAction],
        state: &SearchState,
        letters: Guard,
    ) -> Result<Vec<(SearchState, Letter)>, Limit> {
        // The states of the laws so far, with the letters that lead there.
        let mut partial: Vec<(Vec<u32>, Guard)> = vec![(Vec::new(), letters)];
        for (&law, &own) in all.iter().zip(&state.laws) {
            let edges = self.frame.edges(law, own);
            let mut next = Vec::new();
            for (states, letters) in partial {
                for &(target, guard) in edges.iter() {
                    self.budget.tick(1, || "sessions that keep the laws".into())?;
                    let standing = self.frame.compiled.monitors[law].standing(target);
                    if law != self.asked && standing == LawStatus::Violated {
                        continue;
                    }
                    let both = self.frame.guards.and(letters, guard);
                    if both != Guard::FALSE {
                        next.push(([&states[..], &[target]].concat(), both));
                    }
                }
            }
            partial = next;
        }
        let mut found = Vec::new();
        for (laws, letters) in partial {
            for (letters, open) in self.calls_and_results(tracked, &state.open, letters) {
                if let Some(letter) = self.frame.guards.pick(letters) {
                    found.push((SearchState { laws: laws.clone().into(), open: open.into() }, letter));
                }
            }
        }
        Ok(found)
    }

    /// The letters by which tracked actions they call and end, with the open calls after each.
    fn calls_and_results(
        &mut self,
        tracked: &[TrackedAction],
        open: &[u8],
        letters: Guard,
    ) -> Vec<(Guard, Vec<u8>)> {
        let guards = &mut self.frame.guards;
        let mut cases: Vec<(Guard, Vec<u8>)> = vec![(letters, Vec::new())];
        for (action, &open) in tracked.iter().zip(open) {
            let mut next = Vec::new();
            for (letters, counts) in cases {
                for (is_called, has_ended) in [(false, false), (false, true), (true, false), (true, true)] {
                    if has_ended && open == 0 {
                        continue;
                    }
                    let own = if is_called {
                        guards.and(letters, action.called)
                    } else {
                        guards.minus(letters, action.called)
                    };
                    let own = if has_ended {
                        guards.minus(own, action.quiet)
                    } else {
                        guards.and(own, action.quiet)
                    };
                    if own != Guard::FALSE {
                        let left = if has_ended && open < MANY { open - 1 } else { open };
                        let count = (left + u8::from(is_called)).min(MANY);
                        next.push((own, [&counts[..], &[count]].concat()));
                    }
                }
            }
            cases = next;
        }
        cases
    }
}
