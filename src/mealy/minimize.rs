//! Minimization beyond bisimulation: the specification, not the machine, says what a state must do. States
//! are merged as long as the result is judged to keep the specification.

use super::quotient::{quotient_counter, quotient_mealy};
use crate::base::Id;
use crate::model::{CounterStrategy, Mealy, StateId};

/// A machine whose states can be merged.
pub trait Mergeable: Sized + Clone {
    /// How many states there are.
    fn state_count(&self) -> usize;
    /// Leads every edge into `from`, and the start, to `to` instead.
    fn redirect(&mut self, from: usize, to: usize);
    /// Drops what became unreachable and merges what became equal.
    fn tidy(&self) -> Self;
}

impl Mergeable for Mealy {
    fn state_count(&self) -> usize {
        self.states.len()
    }
    fn redirect(&mut self, from: usize, to: usize) {
        let edges = self.states.iter_mut().flat_map(|s| &mut s.edges);
        lead(edges.map(|e| &mut e.next).chain([&mut self.initial]), from, to);
    }
    fn tidy(&self) -> Self {
        quotient_mealy(self)
    }
}

impl Mergeable for CounterStrategy {
    fn state_count(&self) -> usize {
        self.states.len()
    }
    fn redirect(&mut self, from: usize, to: usize) {
        let edges = self.states.iter_mut().flat_map(|s| &mut s.edges);
        lead(edges.map(|e| &mut e.next).chain([&mut self.initial]), from, to);
    }
    fn tidy(&self) -> Self {
        quotient_counter(self)
    }
}

/// Replaces `from` by `to` among the targets.
fn lead<'a>(targets: impl Iterator<Item = &'a mut StateId>, from: usize, to: usize) {
    let (from, to) = (StateId::from_index(from), StateId::from_index(to));
    for target in targets.filter(|target| **target == from) {
        *target = to;
    }
}

/// Merges states greedily while `keeps` says that the merged machine still does its job; at most `tries`
/// questions. The result is judged good or is the machine itself.
pub fn merge_states<M: Mergeable>(machine: &M, mut tries: usize, mut keeps: impl FnMut(&M) -> bool) -> M {
    let mut best = machine.tidy();
    'again: loop {
        let n = best.state_count();
        for to in 0..n {
            for from in (0..n).rev().filter(|&from| from != to) {
                if tries == 0 {
                    return best;
                }
                tries -= 1;
                let mut merged = best.clone();
                merged.redirect(from, to);
                let merged = merged.tidy();
                if keeps(&merged) {
                    best = merged;
                    continue 'again;
                }
            }
        }
        return best;
    }
}
