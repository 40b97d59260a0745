//! Decision trees: from the guards of the edges of a state to nested tests.
//!
//! The edges are a function from letters to leaves, given by one guard per leaf. A tree tests variables, each
//! at most once on a path, and never one whose value is already determined, so no branch is dead and no two
//! branches have the same condition. With few variables the tree has as few tests as possible (dynamic
//! programming over cofactors; among the smallest the one with the shortest paths, then the earliest
//! variables); with many the variable that separates the leaves best is tested first. Equal subtrees share one
//! node.

use rustc_hash::FxHashMap;
use tsl_synth_core::logic::atoms::restrict;
use tsl_synth_core::logic::{BitId, Guard, Guards};

/// The most variables for which a smallest tree is computed.
const EXACT_VARIABLES: usize = 6;

/// A node of a [`DecisionTree`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct DecisionNodeId(u32);

/// A decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum DecisionNode {
    /// This leaf, by its index in the list of guards.
    Leaf(usize),
    /// Test a variable.
    Test { variable: BitId, then: DecisionNodeId, otherwise: DecisionNodeId },
}

/// The tree of one function.
#[derive(Clone, Debug)]
pub(super) struct DecisionTree {
    nodes: Vec<DecisionNode>,
    pub(super) root: DecisionNodeId,
}

/// The cost that is minimized: the number of tests of a tree, then the sum of the depths of these tests.
type Cost = (u64, u64);

struct TreeBuilder<'a> {
    guards: &'a mut Guards,
    nodes: Vec<DecisionNode>,
    index: FxHashMap<DecisionNode, DecisionNodeId>,
    memo: FxHashMap<LiveLeaves, (DecisionNodeId, Cost)>,
}

/// The leaves that are still possible, by their index, with the letters on which they are chosen.
type LiveLeaves = Vec<(usize, Guard)>;

impl DecisionTree {
    /// The tree of the function that maps the letters of `leaves[i]` to i. Letters outside of `care` cannot
    /// occur. The guards must be disjoint and cover `care`.
    ///
    /// Exponential in [`EXACT_VARIABLES`] at most, otherwise linear in the tree times variables.
    pub(super) fn build(guards: &mut Guards, leaves: &[Guard], care: Guard) -> Self {
        let within = leaves.iter().map(|&leaf| guards.and(leaf, care));
        let within = within.enumerate().filter(|(_, guard)| *guard != Guard::FALSE).collect();
        let mut builder = TreeBuilder {
            guards,
            nodes: Vec::new(),
            index: FxHashMap::default(),
            memo: FxHashMap::default(),
        };
        let (root, _) = builder.best(within);
        Self { nodes: builder.nodes, root }
    }
    /// The decision at a node.
    pub(super) fn node(&self, id: DecisionNodeId) -> DecisionNode {
        self.nodes[id.0 as usize]
    }
    /// All nodes, children before their parents.
    pub(super) fn nodes(&self) -> impl Iterator<Item = DecisionNodeId> + use<> {
        (0..self.nodes.len() as u32).map(DecisionNodeId)
    }
    /// The number of tests of the tree, where tests of shared subtrees count at each use.
    pub(super) fn tests(&self) -> u64 {
        self.measure().1[self.root.0 as usize]
    }
    /// The number of references to each node, and the number of tests of its subtree, counted as in
    /// [`DecisionTree::tests`].
    pub(super) fn measure(&self) -> (Vec<u32>, Vec<u64>) {
        let mut uses = vec![0; self.nodes.len()];
        let mut sizes = vec![0u64; self.nodes.len()];
        // Children are made before their parents.
        for (i, node) in self.nodes.iter().enumerate() {
            if let DecisionNode::Test { then, otherwise, .. } = *node {
                let below = sizes[then.0 as usize].saturating_add(sizes[otherwise.0 as usize]);
                sizes[i] = below.saturating_add(1);
            }
        }
        let mut seen = vec![false; self.nodes.len()];
        let mut stack = vec![self.root];
        while let Some(id) = stack.pop() {
            uses[id.0 as usize] += 1;
            if std::mem::replace(&mut seen[id.0 as usize], true) {
                continue;
            }
            if let DecisionNode::Test { then, otherwise, .. } = self.node(id) {
                stack.extend([then, otherwise]);
            }
        }
        (uses, sizes)
    }
    /// The variables that the tree tests.
    pub(super) fn variables(&self) -> Vec<BitId> {
        let (uses, _) = self.measure();
        let mut variables: Vec<BitId> = self
            .nodes
            .iter()
            .zip(uses)
            .filter(|(_, uses)| *uses > 0)
            .filter_map(|(node, _)| match node {
                DecisionNode::Test { variable, .. } => Some(*variable),
                DecisionNode::Leaf(_) => None,
            })
            .collect();
        variables.sort_unstable();
        variables.dedup();
        variables
    }
}

impl DecisionNodeId {
    /// The index into the tables of [`DecisionTree::measure`].
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

impl TreeBuilder<'_> {
    fn add(&mut self, node: DecisionNode) -> DecisionNodeId {
        let next = DecisionNodeId(u32::try_from(self.nodes.len()).expect("a tree has fewer than 2^32 nodes"));
        let id = *self.index.entry(node).or_insert(next);
        if id == next {
            self.nodes.push(node);
        }
        id
    }
    fn best(&mut self, leaves: LiveLeaves) -> (DecisionNodeId, Cost) {
        if let Some(&known) = self.memo.get(&leaves) {
            return known;
        }
        let result = if leaves.len() < 2 {
            let first = leaves.first().map_or(0, |(leaf, _)| *leaf);
            (self.add(DecisionNode::Leaf(first)), (0, 0))
        } else {
            let variables = self.useful(&leaves);
            let candidates = if variables.len() <= EXACT_VARIABLES {
                variables
            } else {
                vec![self.separating(&leaves, &variables)]
            };
            self.cheapest(&leaves, &candidates)
        };
        self.memo.insert(leaves, result);
        result
    }
    fn cheapest(&mut self, leaves: &LiveLeaves, candidates: &[BitId]) -> (DecisionNodeId, Cost) {
        let mut found: Option<(DecisionNodeId, Cost, BitId, DecisionNodeId)> = None;
        for &variable in candidates {
            let (low, high) = self.split(leaves, variable);
            let (then, (tests1, length1)) = self.best(high);
            let (otherwise, (tests0, length0)) = self.best(low);
            let tests = tests0.saturating_add(tests1).saturating_add(1);
            let cost = (tests, length0.saturating_add(length1).saturating_add(tests));
            if found.is_none_or(|(_, least, ..)| cost < least) {
                found = Some((then, cost, variable, otherwise));
            }
        }
        let (then, cost, variable, otherwise) = found.expect("two leaves differ in some variable");
        (self.add(DecisionNode::Test { variable, then, otherwise }), cost)
    }
    fn split(&mut self, leaves: &LiveLeaves, variable: BitId) -> (LiveLeaves, LiveLeaves) {
        let mut half = |value| -> LiveLeaves {
            let restricted =
                leaves.iter().map(|&(leaf, guard)| (leaf, restrict(self.guards, guard, variable, value)));
            restricted.filter(|(_, guard)| *guard != Guard::FALSE).collect()
        };
        (half(false), half(true))
    }
    /// The variables on which the leaves depend and whose values are not already determined.
    fn useful(&mut self, leaves: &LiveLeaves) -> Vec<BitId> {
        let mut variables: Vec<BitId> =
            leaves.iter().flat_map(|&(_, guard)| self.guards.support(guard)).collect();
        variables.sort_unstable();
        variables.dedup();
        variables.retain(|&variable| {
            let (low, high) = self.split(leaves, variable);
            !low.is_empty() && !high.is_empty()
        });
        variables
    }
    /// The variable after which the fewest leaves and the smallest guards remain.
    fn separating(&mut self, leaves: &LiveLeaves, variables: &[BitId]) -> BitId {
        let mut score = |variable| {
            let (low, high) = self.split(leaves, variable);
            let left = low.len() + high.len();
            let support: usize = low.iter().chain(&high).map(|&(_, g)| self.guards.support(g).len()).sum();
            (left, support, variable)
        };
        variables.iter().map(|&variable| score(variable)).min().expect("some variable is useful").2
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tsl_synth_core::base::Id;

    /// Tests of the smallest tree for a truth table, by trying every variable everywhere.
    fn smallest(table: &[usize], live: &[bool]) -> u64 {
        let mut seen = table.iter().zip(live).filter(|(_, live)| **live).map(|(leaf, _)| leaf);
        let first = seen.next();
        if seen.all(|leaf| Some(leaf) == first) {
            return 0;
        }
        let bits = table.len().trailing_zeros() as usize;
        let split = |bit: usize, value: bool| -> Vec<bool> {
            live.iter().enumerate().map(|(i, live)| *live && (i >> bit & 1 == 1) == value).collect()
        };
        (0..bits)
            .map(|bit| (split(bit, false), split(bit, true)))
            .filter(|(low, high)| [low, high].iter().all(|half| half.contains(&true)))
            .map(|(low, high)| 1 + smallest(table, &low) + smallest(table, &high))
            .min()
            .expect("two letters differ")
    }

    fn guard(guards: &mut Guards, bits: usize, holds: &dyn Fn(usize) -> bool) -> Guard {
        let mut sum = Guard::FALSE;
        for letter in (0..1usize << bits).filter(|&letter| holds(letter)) {
            let cube: Vec<_> =
                (0..bits).rev().map(|i| (BitId::from_index(i), letter >> i & 1 == 1)).collect();
            let product = guards.cube(&cube);
            sum = guards.or(sum, product);
        }
        sum
    }

    #[test]
    fn trees_decide_right_with_the_fewest_tests() {
        let mut seed = 1u64;
        let mut random = |n: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) as usize % n
        };
        for round in 0..300 {
            let bits = 1 + round % 4;
            let leaves = 1 + random(3);
            let table: Vec<usize> = (0..1usize << bits).map(|_| random(leaves)).collect();
            let live: Vec<bool> = (0..1usize << bits).map(|_| round % 3 > 0 || random(4) > 0).collect();
            if !live.contains(&true) {
                continue;
            }
            let mut guards = Guards::new();
            let parts: Vec<Guard> =
                (0..leaves).map(|leaf| guard(&mut guards, bits, &|i| table[i] == leaf)).collect();
            let care = guard(&mut guards, bits, &|i| live[i]);
            let tree = DecisionTree::build(&mut guards, &parts, care);
            let (_, sizes) = tree.measure();
            assert_eq!(sizes[tree.root.index()], smallest(&table, &live), "{table:?} {live:?}");
            for letter in (0..1usize << bits).filter(|&letter| live[letter]) {
                let mut at = tree.root;
                while let DecisionNode::Test { variable, then, otherwise } = tree.node(at) {
                    at = if letter >> variable.index() & 1 == 1 { then } else { otherwise };
                }
                assert_eq!(tree.node(at), DecisionNode::Leaf(table[letter]));
            }
        }
    }

    #[test]
    fn a_large_parity_is_a_small_diagram() {
        let mut guards = Guards::new();
        let mut odd = Guard::FALSE;
        for bit in (0..24).rev().map(BitId::from_index) {
            let even = guards.not(odd);
            odd = guards.make(bit, odd, even);
        }
        let even = guards.not(odd);
        let tree = DecisionTree::build(&mut guards, &[even, odd], Guard::TRUE);
        let (uses, _) = tree.measure();
        assert!(uses.iter().filter(|n| **n > 0).count() < 100);
    }
}
