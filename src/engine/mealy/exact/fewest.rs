//! A lower bound on the number of states of every controller: a set of input words of which no two can lead a controller
//! to the same state, because some continuation requires different outputs after them. Smaller numbers of states need
//! not be tried, for which the solver takes long: a counter of n bits needs 2^n states, and so does a delay of n steps.
//!
//! A run on an input word is *certain* if it exists for all outputs of a winning controller. Such a controller never
//! chooses outputs that lead a certain run to a hopeless state; the others are *allowed*. A transition from the end of a
//! certain run is certain if all allowed outputs satisfy its label. Two sets of states in which certain runs end are
//! *incompatible* if their allowed outputs for some class of letters are disjoint, or if for some class the sets that
//! they lead to are incompatible (as for partially specified machines, Paull and Unger 1959).

use super::classes::LetterClass;
use super::universal::Universal;
use crate::mealy::tuning::MAX_CERTAIN_SETS;
use rustc_hash::FxHashMap;
use tsl_synth_core::base::{Budget, Limit};
use tsl_synth_core::logic::Guard;

/// For input words, the sets of states in which certain runs end.
#[derive(Default)]
struct CertainSets {
    sets: Vec<Vec<usize>>,
    index: FxHashMap<Vec<usize>, usize>,
    /// For each set and class the outputs that a controller may choose.
    allowed: Vec<Vec<Guard>>,
    /// For each set and class the next set, unless it is beyond the limit on sets.
    next: Vec<Vec<Option<usize>>>,
}

impl CertainSets {
    fn number(&mut self, set: Vec<usize>) -> Option<usize> {
        if let Some(&known) = self.index.get(&set) {
            return Some(known);
        }
        if self.sets.len() == MAX_CERTAIN_SETS {
            return None;
        }
        self.index.insert(set.clone(), self.sets.len());
        self.sets.push(set);
        Some(self.sets.len() - 1)
    }

    fn new(universal: &mut Universal, classes: &[LetterClass], budget: &Budget) -> Result<Self, Limit> {
        let mut this = Self::default();
        let mut initial = universal.initial.clone();
        initial.sort_unstable();
        initial.dedup();
        this.number(initial);
        let mut at = 0;
        while at < this.sets.len() {
            let set = this.sets[at].clone();
            let (mut allowed, mut next) = (Vec::new(), Vec::new());
            for class in classes {
                budget.tick(1 + set.len() as u64, what)?;
                let (outputs, after) = step(universal, class, &set);
                allowed.push(outputs);
                next.push(this.number(after));
            }
            this.allowed.push(allowed);
            this.next.push(next);
            at += 1;
        }
        Ok(this)
    }

    /// For each class and set the sets from which the class leads there.
    fn predecessors(&self, classes: usize) -> Vec<Vec<Vec<usize>>> {
        let mut before = vec![vec![Vec::new(); self.sets.len()]; classes];
        for (set, next) in self.next.iter().enumerate() {
            for (class, &next) in next.iter().enumerate() {
                if let Some(next) = next {
                    before[class][next].push(set);
                }
            }
        }
        before
    }
}

fn what() -> String {
    "a lower bound on the number of states".into()
}

/// The allowed outputs, which lead to no hopeless state from the set, and the states in which certain runs end next.
fn step(universal: &mut Universal, class: &LetterClass, set: &[usize]) -> (Guard, Vec<usize>) {
    let Universal { guards, nodes, .. } = universal;
    let mut lost = Guard::FALSE;
    let mut reached: Vec<(usize, Guard)> = Vec::new();
    for edge in set.iter().flat_map(|&node| &nodes[node].edges) {
        let outputs = class.outputs[edge.label];
        if nodes[edge.next].hopeless {
            lost = guards.or(lost, outputs);
        } else {
            match reached.iter_mut().find(|(node, _)| *node == edge.next) {
                Some((_, known)) => *known = guards.or(*known, outputs),
                None => reached.push((edge.next, outputs)),
            }
        }
    }
    let certain =
        |&(node, outputs): &(usize, Guard)| (guards.or(lost, outputs) == Guard::TRUE).then_some(node);
    let mut after: Vec<usize> = reached.iter().filter_map(certain).collect();
    after.sort_unstable();
    (guards.not(lost), after)
}

/// A number of states that every controller has, at least.
///
/// # Errors
/// A limit of the budget.
pub(super) fn fewest_states(
    universal: &mut Universal,
    classes: &[LetterClass],
    budget: &Budget,
) -> Result<usize, Limit> {
    let certain = CertainSets::new(universal, classes, budget)?;
    let count = certain.sets.len();
    let mut rows: FxHashMap<&[Guard], usize> = FxHashMap::default();
    let mut distinct: Vec<&[Guard]> = Vec::new();
    let row_of: Vec<usize> = certain
        .allowed
        .iter()
        .map(|row| {
            *rows.entry(row).or_insert_with(|| {
                distinct.push(row);
                distinct.len() - 1
            })
        })
        .collect();
    let mut disjoint = vec![vec![false; distinct.len()]; distinct.len()];
    for (i, row) in distinct.iter().enumerate() {
        for (j, other) in distinct.iter().enumerate().skip(i + 1) {
            budget.tick(1, what)?;
            let mut pairs = row.iter().zip(*other);
            disjoint[i][j] = pairs.any(|(&a, &b)| !universal.guards.intersects(a, b));
            disjoint[j][i] = disjoint[i][j];
        }
    }
    let before = certain.predecessors(classes.len());
    let mut apart = vec![vec![false; count]; count];
    let mut pending = Vec::new();
    for (a, &row) in row_of.iter().enumerate() {
        for (b, &other) in row_of.iter().enumerate().skip(a + 1) {
            if disjoint[row][other] {
                (apart[a][b], apart[b][a]) = (true, true);
                pending.push((a, b));
            }
        }
    }
    while let Some((a, b)) = pending.pop() {
        for before in &before {
            budget.tick(1, what)?;
            for &p in &before[a] {
                for &q in before[b].iter().filter(|&&q| q != p) {
                    if !apart[p][q] {
                        (apart[p][q], apart[q][p]) = (true, true);
                        pending.push((p, q));
                    }
                }
            }
        }
    }
    Ok(clique(&apart))
}

/// The size of a set of indices that are pairwise related, chosen greedily.
fn clique(related: &[Vec<bool>]) -> usize {
    let degree = |row: &Vec<bool>| row.iter().filter(|&&yes| yes).count();
    let mut order: Vec<usize> = (0..related.len()).collect();
    order.sort_by_cached_key(|&i| std::cmp::Reverse(degree(&related[i])));
    let mut chosen: Vec<usize> = Vec::new();
    for i in order {
        if chosen.iter().all(|&j| related[i][j]) {
            chosen.push(i);
        }
    }
    chosen.len()
}
