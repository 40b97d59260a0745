//! Translates behaviors to deterministic automata: the position automaton of Glushkov (1961), determinized by the subset
//! construction and minimized.
//!
//! Behaviors are regular expressions without the empty word (Crouse et al., arXiv 2310.08535): `next` is concatenation,
//! `until A B` is `A* B`, `or` is union and `always A` repeats `A` without end, so that nothing follows it. A bounded
//! loop is unrolled. The two readings of `until` as LTL over single positions make the published agents unsatisfiable.

use crate::behavior_spec::{BehaviorFormula, BehaviorSpec};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use tsl_synth_core::base::{Id, IdVec, Limit, LimitKind};
use tsl_synth_core::model::{AgentStateId, BehaviorAutomaton, BehaviorNode, BehaviorNodeId};

/// The most positions, and the most nodes, of an automaton.
const MOST_NODES: usize = 10_000;
/// The most pairs of positions that follow each other.
const MOST_PAIRS: usize = 1_000_000;

/// The first and the last positions of a formula. No formula matches the empty word.
struct FirstLast {
    first: Vec<usize>,
    last: Vec<usize>,
}

#[derive(Default)]
struct Positions {
    /// The state of each position.
    states: Vec<AgentStateId>,
    /// The positions that may follow each position.
    follow: Vec<Vec<usize>>,
    pairs: usize,
}

fn too_large() -> Limit {
    Limit::new(LimitKind::Size, format!("the automaton of the behavior has more than {MOST_NODES} states"))
}

impl Positions {
    fn link(&mut self, from: &[usize], to: &[usize]) -> Result<(), Limit> {
        self.pairs += from.len() * to.len();
        if self.pairs > MOST_PAIRS {
            return Err(too_large());
        }
        for &position in from {
            self.follow[position].extend(to);
        }
        Ok(())
    }

    fn add(&mut self, formula: &BehaviorFormula) -> Result<FirstLast, Limit> {
        match formula {
            BehaviorFormula::State(state) => {
                if self.states.len() >= MOST_NODES {
                    return Err(too_large());
                }
                self.states.push(*state);
                self.follow.push(Vec::new());
                let position = vec![self.states.len() - 1];
                Ok(FirstLast { first: position.clone(), last: position })
            }
            BehaviorFormula::Next(all) => {
                let mut ends: Option<FirstLast> = None;
                for formula in all {
                    let next = self.add(formula)?;
                    ends = Some(match ends {
                        None => next,
                        Some(before) => {
                            self.link(&before.last, &next.first)?;
                            FirstLast { first: before.first, last: next.last }
                        }
                    });
                }
                Ok(ends.unwrap_or(FirstLast { first: Vec::new(), last: Vec::new() }))
            }
            BehaviorFormula::Or(all) => {
                let mut ends = FirstLast { first: Vec::new(), last: Vec::new() };
                for formula in all {
                    let one = self.add(formula)?;
                    ends.first.extend(one.first);
                    ends.last.extend(one.last);
                }
                Ok(ends)
            }
            BehaviorFormula::Until(body, exit, None) => {
                let (body, exit) = (self.add(body)?, self.add(exit)?);
                self.link(&body.last, &body.first)?;
                self.link(&body.last, &exit.first)?;
                let first = body.first.iter().chain(&exit.first).copied().collect();
                Ok(FirstLast { first, last: exit.last })
            }
            BehaviorFormula::Until(body, exit, Some(times)) => {
                let exit = self.add(exit)?;
                let mut first = exit.first.clone();
                let mut before: Option<Vec<usize>> = None;
                for _ in 0..*times {
                    let round = self.add(body)?;
                    match &before {
                        None => first.extend(&round.first),
                        Some(last) => self.link(last, &round.first)?,
                    }
                    self.link(&round.last, &exit.first)?;
                    before = Some(round.last);
                }
                Ok(FirstLast { first, last: exit.last })
            }
            BehaviorFormula::Always(body) => {
                let FirstLast { first, last } = self.add(body)?;
                self.link(&last, &first)?;
                Ok(FirstLast { first, last: Vec::new() })
            }
        }
    }
}

/// The automaton of a behavior that begins in its initial states and ends in its final ones.
///
/// # Errors
/// If it is too large.
pub fn behavior_to_automaton(spec: &BehaviorSpec) -> Result<BehaviorAutomaton, Limit> {
    let mut positions = Positions::default();
    let ends = positions.add(&spec.formula)?;
    let mut is_last = vec![false; positions.states.len()];
    ends.last.iter().for_each(|&position| is_last[position] = true);
    let may_end = |set: &[usize]| {
        if spec.finals.is_empty() {
            return set.iter().any(|&position| is_last[position]);
        }
        set.first().is_some_and(|&position| spec.finals.contains(&positions.states[position]))
    };
    let group = |set: &[usize]| {
        let mut groups: Vec<(AgentStateId, Vec<usize>)> = Vec::new();
        let mut sorted: Vec<usize> = set.to_vec();
        sorted.sort_unstable_by_key(|&position| (positions.states[position], position));
        sorted.dedup();
        for position in sorted {
            let state = positions.states[position];
            match groups.last_mut() {
                Some((last, list)) if *last == state => list.push(position),
                _ => groups.push((state, vec![position])),
            }
        }
        groups
    };
    let mut start = group(&ends.first);
    start.retain(|(state, _)| spec.initial.contains(state));
    let mut nodes = vec![BehaviorNode { state: None, may_end: false, next: Vec::new() }];
    let mut known: FxHashMap<Vec<usize>, usize> = FxHashMap::default();
    let mut todo = VecDeque::from([(0, start)]);
    while let Some((from, groups)) = todo.pop_front() {
        for (state, set) in groups {
            let to = if let Some(&to) = known.get(&set) {
                to
            } else {
                if nodes.len() >= MOST_NODES {
                    return Err(too_large());
                }
                nodes.push(BehaviorNode { state: Some(state), may_end: may_end(&set), next: Vec::new() });
                let after: Vec<usize> =
                    set.iter().flat_map(|&p| positions.follow[p].iter().copied()).collect();
                todo.push_back((nodes.len() - 1, group(&after)));
                known.insert(set, nodes.len() - 1);
                nodes.len() - 1
            };
            nodes[from].next.push((state, BehaviorNodeId::from_index(to)));
        }
    }
    Ok(minimized(&nodes))
}

/// Merges nodes with the same runs (Moore): classes are split until the nodes of each class have equivalent successors.
fn minimized(nodes: &[BehaviorNode]) -> BehaviorAutomaton {
    let mut class = vec![0; nodes.len()];
    let mut count = 0;
    loop {
        let mut numbers: FxHashMap<_, usize> = FxHashMap::default();
        let next: Vec<usize> = nodes
            .iter()
            .zip(&class)
            .map(|(node, &old)| {
                let after: Vec<_> = node.next.iter().map(|(state, to)| (*state, class[to.index()])).collect();
                let fresh = numbers.len();
                *numbers.entry((old, node.state, node.may_end, after)).or_insert(fresh)
            })
            .collect();
        class = next;
        if numbers.len() == count {
            break;
        }
        count = numbers.len();
    }
    // Number the classes in breadth-first order from the start.
    let mut number: FxHashMap<usize, usize> = FxHashMap::default();
    number.insert(class[0], 0);
    let mut order = vec![0];
    let mut result: IdVec<BehaviorNodeId, BehaviorNode> = IdVec::new();
    while let Some(&at) = order.get(result.len()) {
        let node = &nodes[at];
        let mut next = Vec::new();
        for (state, to) in &node.next {
            let fresh = order.len();
            let id = *number.entry(class[to.index()]).or_insert(fresh);
            if id == fresh {
                order.push(to.index());
            }
            next.push((*state, BehaviorNodeId::from_index(id)));
        }
        result.push(BehaviorNode { next, ..node.clone() });
    }
    BehaviorAutomaton::new(result)
}
