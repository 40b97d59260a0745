//! A finite game graph and its fixpoints, with sets as lists of truth values.

use std::collections::BTreeSet;
use tsl_synth_policy::language::ActionId;

/// Where a letter may lead; `None` if it violates a law.
pub(crate) type Ends = BTreeSet<Option<usize>>;

/// A choice of the agent with its answers.
pub(crate) struct Choice {
    pub(crate) action: ActionId,
    pub(crate) letter: u64,
    pub(crate) mask: u32,
    /// For each answer of the world where it leads.
    pub(crate) answers: Vec<Ends>,
}

/// Positions by number, their letters, and the solution.
#[derive(Default)]
pub(crate) struct Graph {
    pub(crate) idle: bool,
    pub(crate) is_finite: bool,
    pub(crate) world: Vec<Vec<Ends>>,
    pub(crate) choices: Vec<Vec<Choice>>,
    pub(crate) end: Vec<bool>,
    pub(crate) winning: Vec<bool>,
    pub(crate) closed: Vec<bool>,
}

impl Graph {
    /// The largest subset of `z` that letters of the world do not leave.
    fn closed(&self, z: &[bool]) -> Vec<bool> {
        let mut c = z.to_vec();
        loop {
            let stays = |ends: &Ends| ends.iter().all(|end| end.is_some_and(|to| c[to]));
            let next: Vec<bool> = (0..c.len()).map(|p| c[p] && self.world[p].iter().all(stays)).collect();
            if next == c {
                return c;
            }
            c = next;
        }
    }
    /// The positions from which letters of the world may lead to `y`.
    fn reachable_by_world(&self, y: &[bool]) -> Vec<bool> {
        let mut h = y.to_vec();
        loop {
            let leads = |ends: &Ends| ends.iter().any(|end| end.is_some_and(|to| h[to]));
            let next: Vec<bool> = (0..h.len()).map(|p| h[p] || self.world[p].iter().any(leads)).collect();
            if next == h {
                return h;
            }
            h = next;
        }
    }
    /// Whether all answers to a choice stay in `c`, and there is one.
    pub(crate) fn is_safe(choice: &Choice, c: &[bool]) -> bool {
        !choice.answers.is_empty() && choice.answers.iter().flatten().all(|end| end.is_some_and(|to| c[to]))
    }
    pub(super) fn fixpoints(&mut self) {
        let (n, idle, is_finite) = (self.end.len(), self.idle, self.is_finite);
        let mut z = vec![true; n];
        loop {
            let c = self.closed(&z);
            let mut y = vec![false; n];
            loop {
                let h = self.reachable_by_world(&y);
                let good = |choice: &Choice| {
                    let some = choice.answers.iter().flatten().any(|end| end.is_some_and(|to| h[to]));
                    Self::is_safe(choice, &c) && (some || !is_finite)
                };
                let next: Vec<bool> = (0..n)
                    .map(|p| {
                        z[p] && (is_finite && self.end[p]
                            || self.choices[p].iter().any(good)
                            || idle && c[p] && (h[p] || !is_finite))
                    })
                    .collect();
                if next == y {
                    break;
                }
                y = next;
            }
            if y == z {
                (self.winning, self.closed) = (z, c);
                return;
            }
            z = y;
        }
    }
    /// The actions with a choice that is safe for `c`, among some choices.
    pub(super) fn actions(&self, p: usize, c: &[bool], among: &dyn Fn(&Choice) -> bool) -> Vec<ActionId> {
        let safe = self.choices[p].iter().filter(|&choice| among(choice) && Self::is_safe(choice, c));
        let ids: BTreeSet<ActionId> = safe.map(|choice| choice.action).collect();
        ids.into_iter().collect()
    }
    /// The number of letters on a shortest path to an accepted end; `None` if there is none.
    pub(crate) fn way(&self, p: usize) -> Option<usize> {
        if !self.winning[p] {
            return None;
        }
        if self.end[p] {
            return Some(0);
        }
        // Breadth-first from the position; after the first letter every position is closed.
        let mut seen = BTreeSet::new();
        let mut front = vec![p];
        for length in 1.. {
            let mut next = Vec::new();
            for &q in &front {
                let safe = self.choices[q].iter().filter(|choice| Self::is_safe(choice, &self.closed));
                let mut ends: Vec<Option<usize>> =
                    safe.flat_map(|choice| choice.answers.iter().flatten().copied()).collect();
                if length > 1 || self.idle && self.closed[q] {
                    ends.extend(self.world[q].iter().flatten().copied());
                }
                next.extend(ends.into_iter().flatten().filter(|&to| seen.insert(to)));
            }
            if next.iter().any(|&to| self.end[to]) {
                return Some(length);
            }
            if next.is_empty() {
                return None;
            }
            front = next;
        }
        None
    }
}
