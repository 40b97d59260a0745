//! The bits for the turns in a Zielonka tree: the children of a node that is good for the player take turns, which the
//! node counts in binary. Nodes that are never on one path share bits, because a count may begin with any turn.

use crate::game::condition::ZielonkaTree;
use std::ops::Range;

/// The bits of each node.
pub(super) struct TurnBits {
    bits: Vec<Range<usize>>,
}

impl TurnBits {
    /// The bits of a player's tree.
    pub(super) fn new(tree: &ZielonkaTree) -> Self {
        Self::for_nodes(tree, true)
    }
    fn for_nodes(tree: &ZielonkaTree, accepting: bool) -> Self {
        let mut bits = vec![0..0; tree.nodes.len()];
        for (n, node) in tree.nodes.iter().enumerate() {
            let first = bits[n].start;
            let width = match node.children.len() {
                children if node.accepting == accepting && children > 1 => {
                    (usize::BITS - (children - 1).leading_zeros()) as usize
                }
                _ => 0,
            };
            bits[n] = first..first + width;
            for &child in &node.children {
                bits[child] = first + width..first + width;
            }
        }
        Self { bits }
    }
    /// The number of bits that suffice for the tree of a condition, for either player.
    pub(super) fn count(tree: &ZielonkaTree) -> usize {
        let ends = |accepting| Self::for_nodes(tree, accepting).bits.into_iter().map(|b| b.end).max();
        ends(true).max(ends(false)).unwrap_or(0)
    }
    /// The bits of a node's turn.
    pub(super) fn bits(&self, node: usize) -> Range<usize> {
        self.bits[node].clone()
    }
}
