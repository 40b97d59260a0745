//! A better variable order for given functions, found by sifting: each block of variables in turn moves through all
//! positions and stays in the best one.
//!
//! Rudell, "Dynamic variable ordering for ordered binary decision diagrams", ICCAD 1993, on a copy of the functions in a
//! store of its own, whose adjacent levels can be swapped. A round takes O(blocks²) swaps, each linear in the size of the
//! two levels; work is counted in nodes that a swap looks at.

use super::diagrams::{Bdd, Diagrams};
use crate::base::Id as _;
use crate::game::tuning::{SIFTING_GROWTH, SIFTING_ROUNDS};
use rustc_hash::FxHashMap;

const FALSE: usize = 0;
const TRUE: usize = 1;

#[derive(Clone, Copy, Debug)]
struct Node {
    variable: usize,
    low: usize,
    high: usize,
    /// How many nodes and functions refer to it.
    uses: usize,
}

/// Functions in a store of their own.
pub(super) struct Sifter {
    /// The constants first; free positions are listed in `free`.
    nodes: Vec<Node>,
    free: Vec<usize>,
    /// The nodes of each variable, by their cofactors.
    unique: Vec<FxHashMap<(usize, usize), usize>>,
    /// Variables from the top down, in blocks that stay together.
    blocks: Vec<Vec<usize>>,
    size: usize,
    /// Nodes that may yet be looked at.
    work: usize,
}

impl Sifter {
    /// The functions over some variables, listed from the top down, each a block. At most so much `work` is done.
    // Diagrams are counted references: equal and hashed by their node, whose contents never change.
    #[allow(clippy::mutable_key_type)]
    pub(super) fn new<'f>(
        order: impl Iterator<Item = usize>,
        functions: impl Iterator<Item = &'f Bdd>,
        work: usize,
    ) -> Self {
        let blocks: Vec<Vec<usize>> = order.map(|v| vec![v]).collect();
        let variables = blocks.iter().flatten().max().map_or(0, |v| v + 1);
        let constant = Node { variable: usize::MAX, low: 0, high: 0, uses: 0 };
        let unique = vec![FxHashMap::default(); variables];
        let mut sifter = Self { nodes: vec![constant; 2], free: Vec::new(), unique, blocks, size: 0, work };
        let mut copied = FxHashMap::default();
        for function in functions {
            let root = sifter.copy(function, &mut copied);
            sifter.nodes[root].uses += 1;
        }
        sifter
    }

    /// Recursion is as deep as there are variables.
    #[allow(clippy::mutable_key_type)]
    fn copy(&mut self, function: &Bdd, copied: &mut FxHashMap<Bdd, usize>) -> usize {
        let Some((variable, low, high)) = Diagrams::branch(function) else {
            return if Diagrams::holds(function, &[]) { TRUE } else { FALSE };
        };
        if let Some(&node) = copied.get(function) {
            return node;
        }
        let low = self.copy(&low, copied);
        let high = self.copy(&high, copied);
        let node = self.node(variable.index(), low, high);
        copied.insert(function.clone(), node);
        node
    }

    /// The node with these cofactors, which gains no use by that.
    fn node(&mut self, variable: usize, low: usize, high: usize) -> usize {
        if low == high {
            return low;
        }
        if let Some(&node) = self.unique[variable].get(&(low, high)) {
            return node;
        }
        self.nodes[low].uses += 1;
        self.nodes[high].uses += 1;
        self.size += 1;
        let made = Node { variable, low, high, uses: 0 };
        let node = if let Some(node) = self.free.pop() {
            self.nodes[node] = made;
            node
        } else {
            self.nodes.push(made);
            self.nodes.len() - 1
        };
        self.unique[variable].insert((low, high), node);
        node
    }

    /// Takes one use away from a node, which is freed with the last.
    fn release(&mut self, node: usize) {
        let mut stack = vec![node];
        while let Some(node) = stack.pop() {
            self.nodes[node].uses -= 1;
            let Node { variable, low, high, uses } = self.nodes[node];
            if uses == 0 && node > TRUE {
                self.unique[variable].remove(&(low, high));
                self.free.push(node);
                self.size -= 1;
                stack.extend([low, high]);
            }
        }
    }

    /// Exchanges two variables, of which `upper` stands directly above `lower`.
    fn swap(&mut self, upper: usize, lower: usize) {
        let mut dependent: Vec<usize> = Vec::new();
        self.work = self.work.saturating_sub(self.unique[upper].len() + 1);
        for &node in self.unique[upper].values() {
            let Node { low, high, .. } = self.nodes[node];
            if self.nodes[low].variable == lower || self.nodes[high].variable == lower {
                dependent.push(node);
            }
        }
        // The same order of work, and so the same positions of nodes, in every run.
        dependent.sort_unstable();
        for node in dependent {
            let Node { low, high, .. } = self.nodes[node];
            let cofactors = |child: usize| match self.nodes[child] {
                Node { variable, low, high, .. } if variable == lower => (low, high),
                _ => (child, child),
            };
            let ((low_low, low_high), (high_low, high_high)) = (cofactors(low), cofactors(high));
            self.unique[upper].remove(&(low, high));
            let new_low = self.node(upper, low_low, high_low);
            self.nodes[new_low].uses += 1;
            let new_high = self.node(upper, low_high, high_high);
            self.nodes[new_high].uses += 1;
            self.release(low);
            self.release(high);
            let Node { variable, low, high, .. } = &mut self.nodes[node];
            (*variable, *low, *high) = (lower, new_low, new_high);
            self.unique[lower].insert((new_low, new_high), node);
        }
    }

    /// Exchanges a block with the next one.
    fn exchange(&mut self, block: usize) {
        let (above, below) = (self.blocks[block].clone(), self.blocks[block + 1].clone());
        for &lower in &below {
            for &upper in above.iter().rev() {
                self.swap(upper, lower);
            }
        }
        self.blocks.swap(block, block + 1);
    }

    /// Makes one block of those of two variables, if the second one's is itself alone.
    pub(super) fn join(&mut self, first: usize, second: usize) {
        let place_of = |blocks: &[Vec<usize>], v: usize| blocks.iter().position(|block| block.contains(&v));
        let (Some(to), Some(mut at)) = (place_of(&self.blocks, first), place_of(&self.blocks, second)) else {
            return;
        };
        if to == at || self.blocks[at].len() > 1 {
            return;
        }
        // To the position directly below the block, or directly above it if it comes from there.
        while at > to + 1 {
            self.exchange(at - 1);
            at -= 1;
        }
        while at + 1 < to {
            self.exchange(at);
            at += 1;
        }
        let above = at.min(to);
        let lower = self.blocks.remove(above + 1);
        self.blocks[above].extend(lower);
    }

    /// Moves the block at a position to its best position.
    fn sift(&mut self, mut at: usize) {
        let (mut best, mut best_at) = (self.size, at);
        let last = self.blocks.len() - 1;
        // First to the end that is nearer, then all the way to the other.
        let down_first = last - at < at;
        for down in [down_first, !down_first] {
            while at != (if down { last } else { 0 })
                && self.size * SIFTING_GROWTH.1 <= best * SIFTING_GROWTH.0
                && self.work > 0
            {
                self.exchange(if down { at } else { at - 1 });
                at = if down { at + 1 } else { at - 1 };
                if self.size < best {
                    (best, best_at) = (self.size, at);
                }
            }
            // Back past all that was not tried.
            while at != best_at {
                self.exchange(if at < best_at { at } else { at - 1 });
                at = if at < best_at { at + 1 } else { at - 1 };
            }
        }
    }

    /// Sifts all blocks, those with the most nodes first, until that gains little or the work is done.
    pub(super) fn run(&mut self) {
        for _ in 0..SIFTING_ROUNDS {
            let before = self.size;
            let nodes = |block: &Vec<usize>| block.iter().map(|&v| self.unique[v].len()).sum::<usize>();
            let mut queue: Vec<(usize, usize)> =
                self.blocks.iter().map(|block| (nodes(block), block[0])).collect();
            queue.sort_by_key(|&(nodes, v)| (std::cmp::Reverse(nodes), v));
            for (_, v) in queue {
                let at = self.blocks.iter().position(|block| block[0] == v);
                self.sift(at.expect("blocks only move"));
                if self.work == 0 {
                    return;
                }
            }
            if self.size * 20 > before * 19 {
                return;
            }
        }
    }

    /// Nodes of all functions together.
    pub(super) fn size(&self) -> usize {
        self.size
    }

    /// The variables from the top down.
    pub(super) fn order(&self) -> impl Iterator<Item = usize> {
        self.blocks.iter().flatten().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{Budget, Random, Variable};
    use rustc_hash::FxHashSet;

    fn value(sifter: &Sifter, root: usize, assignment: usize) -> bool {
        let mut at = root;
        while at > TRUE {
            let Node { variable, low, high, .. } = sifter.nodes[at];
            at = if assignment >> variable & 1 == 1 { high } else { low };
        }
        at == TRUE
    }

    /// The nodes that are there are those that the functions need, in the order of the blocks.
    fn check(sifter: &Sifter, roots: &[usize]) {
        let position: FxHashMap<usize, usize> =
            sifter.order().enumerate().map(|(position, v)| (v, position)).collect();
        let mut seen = FxHashSet::default();
        let mut stack: Vec<usize> = roots.to_vec();
        while let Some(node) = stack.pop() {
            if node > TRUE && seen.insert(node) {
                let Node { variable, low, high, .. } = sifter.nodes[node];
                assert_ne!(low, high);
                assert_eq!(sifter.unique[variable][&(low, high)], node);
                for child in [low, high] {
                    assert!(child <= TRUE || position[&variable] < position[&sifter.nodes[child].variable]);
                    stack.push(child);
                }
            }
        }
        assert_eq!(seen.len(), sifter.size());
        assert_eq!(sifter.unique.iter().map(FxHashMap::len).sum::<usize>(), sifter.size());
    }

    #[test]
    fn pairs_come_together() {
        // A disjunction of conjunctions of variables that stand far apart: exponential before, linear after.
        let budget = Budget::unlimited();
        let d = Diagrams::new(1 << 16, 16, &budget).expect("there is room");
        let mut f = d.bottom.clone();
        let at = Variable::from_index;
        for v in 0..8 {
            f = d
                .or(&f, &d.and(d.variable(at(v)), d.variable(at(v + 8))).expect("there is room"))
                .expect("there is room");
        }
        let mut sifter = Sifter::new(0..16, std::iter::once(&f), 1_000_000);
        assert!(sifter.size() > 500);
        sifter.run();
        assert_eq!(sifter.size(), 16);
    }

    // Diagrams are counted references: equal and hashed by their node, whose contents never change.
    #[allow(clippy::mutable_key_type)]
    #[test]
    fn functions_stay_what_they_are() {
        let mut random = Random::new(27);
        let budget = Budget::unlimited();
        for _ in 0..40 {
            let d = Diagrams::new(1 << 14, 10, &budget).expect("there is room");
            let functions: Vec<Bdd> = (0..3)
                .map(|_| {
                    let mut f = d.bottom.clone();
                    for _ in 0..12 {
                        let values: Vec<usize> = (0..10).map(|_| random.below(6)).collect();
                        let fixed = values.iter().enumerate().filter(|(_, value)| **value < 2);
                        let literals: Vec<(Variable, bool)> =
                            fixed.map(|(v, &value)| (Variable::from_index(v), value == 1)).collect();
                        f = d.or(&f, &d.cube(&literals).expect("there is room")).expect("there is room");
                    }
                    f
                })
                .collect();
            let mut sifter = Sifter::new(0..10, functions.iter(), 1_000_000);
            let mut copied = FxHashMap::default();
            let roots: Vec<usize> = functions.iter().map(|f| sifter.copy(f, &mut copied)).collect();
            check(&sifter, &roots);
            sifter.join(2, 7);
            sifter.join(7, 5);
            sifter.join(9, 0);
            sifter.run();
            check(&sifter, &roots);
            for (f, &root) in functions.iter().zip(&roots) {
                for assignment in 0..1 << 10 {
                    let value_of = |v: usize| (Variable::from_index(v), assignment >> v & 1 == 1);
                    let values: Vec<(Variable, bool)> = (0..10).map(value_of).collect();
                    assert_eq!(value(&sifter, root, assignment), Diagrams::holds(f, &values));
                }
            }
            let order: Vec<usize> = sifter.order().collect();
            let position =
                |v: usize| order.iter().position(|&other| other == v).expect("every variable has a position");
            assert!(
                position(2).abs_diff(position(7)) <= 2 && position(9).abs_diff(position(0)) == 1,
                "{order:?}"
            );
        }
    }
}
