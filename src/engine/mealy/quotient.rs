//! Bisimulation quotients by partition refinement (Kanellakis and Smolka 1983), unreachable states dropped,
//! states numbered in breadth-first order. O(n² · m) guard operations.

use super::extract::merge_edges;
use rustc_hash::FxHashMap;
use tsl_synth_core::base::{Id, IdVec, coarsest_partition};
use tsl_synth_core::logic::{Guard, Guards, Letter};
use tsl_synth_core::model::{
    CounterEdge, CounterState, CounterStrategy, Mealy, MealyEdge, MealyState, StateId,
};

/// The coarsest partition in which states of a block have the same labelled edges into the same blocks.
fn partition<L: Clone + Ord + std::hash::Hash>(
    guards: &mut Guards,
    states: &[Vec<(Guard, L, usize)>],
    initial: Vec<usize>,
) -> Vec<usize> {
    coarsest_partition(initial, |q, block| {
        let mut signature: Vec<(L, usize, Guard)> = Vec::new();
        for (guard, label, target) in &states[q] {
            let b = block[*target];
            match signature.iter_mut().find(|(l, c, _)| l == label && *c == b) {
                Some(entry) => entry.2 = guards.or(entry.2, *guard),
                None => signature.push((label.clone(), b, *guard)),
            }
        }
        signature.sort();
        signature
    })
}

/// New numbers for the blocks, breadth first from the initial state; `None` where unreachable.
fn number(successors: &[Vec<usize>], block: &[usize], initial: usize) -> (Vec<Option<usize>>, Vec<usize>) {
    let mut numbers = vec![None; successors.len()];
    let mut representatives = vec![initial];
    numbers[block[initial]] = Some(0);
    let mut i = 0;
    while i < representatives.len() {
        for &r in &successors[representatives[i]] {
            if numbers[block[r]].is_none() {
                numbers[block[r]] = Some(representatives.len());
                representatives.push(r);
            }
        }
        i += 1;
    }
    (numbers, representatives)
}

/// The smallest machine with the same answers.
///
/// # Panics
/// If an edge leads to a state that does not exist.
pub fn quotient_mealy(machine: &Mealy) -> Mealy {
    let mut guards = machine.guards.clone();
    let edges: Vec<Vec<(Guard, Letter, usize)>> = machine
        .states
        .iter()
        .map(|s| s.edges.iter().map(|e| (e.guard, e.output.clone(), e.next.index())).collect())
        .collect();
    let block = partition(&mut guards, &edges, vec![0; edges.len()]);
    let successors: Vec<Vec<usize>> = edges.iter().map(|es| es.iter().map(|e| e.2).collect()).collect();
    let (numbers, representatives) = number(&successors, &block, machine.initial.index());
    let states: IdVec<StateId, MealyState> = representatives
        .iter()
        .map(|&q| {
            let edges = edges[q].iter().map(|(guard, output, target)| MealyEdge {
                guard: *guard,
                output: output.clone(),
                next: StateId::from_index(numbers[block[*target]].expect("targets are reachable")),
            });
            let edges = edges.collect();
            MealyState { edges: merge_edges(&mut guards, edges) }
        })
        .collect();
    Mealy { guards, states, initial: StateId::from_index(0) }
}

/// The smallest counter-strategy with the same inputs.
///
/// # Panics
/// If an edge leads to a state that does not exist.
pub fn quotient_counter(machine: &CounterStrategy) -> CounterStrategy {
    let mut guards = machine.guards.clone();
    let edges: Vec<Vec<(Guard, (), usize)>> = machine
        .states
        .iter()
        .map(|s| s.edges.iter().map(|e| (e.guard, (), e.next.index())).collect())
        .collect();
    let mut inputs: FxHashMap<&Letter, usize> = FxHashMap::default();
    let initial: Vec<usize> = machine
        .states
        .iter()
        .map(|s| {
            let fresh = inputs.len();
            *inputs.entry(&s.input).or_insert(fresh)
        })
        .collect();
    let block = partition(&mut guards, &edges, initial);
    let successors: Vec<Vec<usize>> = edges.iter().map(|es| es.iter().map(|e| e.2).collect()).collect();
    let (numbers, representatives) = number(&successors, &block, machine.initial.index());
    let states: IdVec<StateId, CounterState> = representatives
        .iter()
        .map(|&q| {
            let mut merged: Vec<CounterEdge> = Vec::new();
            for &(guard, (), target) in &edges[q] {
                let next = StateId::from_index(numbers[block[target]].expect("targets are reachable"));
                match merged.iter_mut().find(|e| e.next == next) {
                    Some(same) => same.guard = guards.or(same.guard, guard),
                    None => merged.push(CounterEdge { guard, next }),
                }
            }
            CounterState { input: machine.states[StateId::from_index(q)].input.clone(), edges: merged }
        })
        .collect();
    CounterStrategy { guards, states, initial: StateId::from_index(0) }
}
