//! Minimization beyond bisimulation: the result has to satisfy the specification, but need not be equivalent to the
//! machine. States are merged as long as the caller accepts the result.

use super::quotient::{quotient_counter, quotient_mealy};
use tsl_synth_core::base::Id;
use tsl_synth_core::model::{CounterStrategy, Mealy, StateId};

/// A machine whose states can be merged.
pub trait Mergeable: Sized + Clone {
    /// How many states there are.
    fn state_count(&self) -> usize;
    /// The targets of all edges, and the initial state.
    fn targets(&mut self) -> impl Iterator<Item = &mut StateId>;
    /// Drops unreachable states and merges bisimilar ones.
    fn tidy(&self) -> Self;
}

impl Mergeable for Mealy {
    fn state_count(&self) -> usize {
        self.states.len()
    }
    fn targets(&mut self) -> impl Iterator<Item = &mut StateId> {
        let edges = self.states.iter_mut().flat_map(|s| &mut s.edges);
        edges.map(|e| &mut e.next).chain([&mut self.initial])
    }
    fn tidy(&self) -> Self {
        quotient_mealy(self)
    }
}

impl Mergeable for CounterStrategy {
    fn state_count(&self) -> usize {
        self.states.len()
    }
    fn targets(&mut self) -> impl Iterator<Item = &mut StateId> {
        let edges = self.states.iter_mut().flat_map(|s| &mut s.edges);
        edges.map(|e| &mut e.next).chain([&mut self.initial])
    }
    fn tidy(&self) -> Self {
        quotient_counter(self)
    }
}

/// Merges states greedily while `keeps` accepts the merged machine; `keeps` is called at most `tries` times. The result
/// has been accepted or is the bisimulation quotient of the machine.
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
                let (from, to) = (StateId::from_index(from), StateId::from_index(to));
                for target in merged.targets().filter(|target| **target == from) {
                    *target = to;
                }
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
