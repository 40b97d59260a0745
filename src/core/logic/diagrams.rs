//! Guards as plain data: the nodes of some diagrams, to be traversed and serialized. Nothing is combined here, so no
//! table of unique nodes is needed.

use super::guard::{Guard, Guards};
use super::letter::{BitId, Letter};
use crate::base::Id;
use rustc_hash::{FxHashMap, FxHashSet};

/// A node: its bit, and the cofactors for a false and for a true bit.
pub type DiagramNode = (BitId, Guard, Guard);

/// The nodes of some guards; each comes after its cofactors.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GuardDiagrams {
    nodes: Vec<DiagramNode>,
}

impl GuardDiagrams {
    /// No nodes: the constants only.
    pub fn new() -> Self {
        Self::default()
    }
    /// The diagrams with these nodes; `None` if one does not come after its cofactors.
    pub fn from_nodes(nodes: Vec<DiagramNode>) -> Option<Self> {
        let is_behind = |(i, &(_, low, high)): (usize, &DiagramNode)| low.index().max(high.index()) < i + 2;
        nodes.iter().enumerate().all(is_behind).then_some(Self { nodes })
    }
    /// The nodes; the first has the number 2.
    pub fn nodes(&self) -> &[DiagramNode] {
        &self.nodes
    }
    /// Whether a guard is one of these diagrams.
    pub fn has(&self, guard: Guard) -> bool {
        guard.index() < self.nodes.len() + 2
    }
    /// Adds a guard of a store; `done` has the guards that were added before. Recursion is as deep as there are bits.
    pub fn add(&mut self, store: &Guards, guard: Guard, done: &mut FxHashMap<Guard, Guard>) -> Guard {
        let Some((bit, low, high)) = store.branch(guard) else { return guard };
        if let Some(&own) = done.get(&guard) {
            return own;
        }
        let (low, high) = (self.add(store, low, done), self.add(store, high, done));
        let own = Guard::from_index(self.nodes.len() + 2);
        self.nodes.push((bit, low, high));
        done.insert(guard, own);
        own
    }
    /// The top bit of a guard and its cofactors; `None` for a constant.
    pub fn branch(&self, guard: Guard) -> Option<DiagramNode> {
        guard.index().checked_sub(2).map(|index| self.nodes[index])
    }
    /// Whether a letter is in a guard.
    pub fn contains(&self, mut guard: Guard, letter: &Letter) -> bool {
        while let Some((bit, low, high)) = self.branch(guard) {
            guard = if letter.contains(bit) { high } else { low };
        }
        guard == Guard::TRUE
    }
    /// Some letter of a guard with the `known` values of bits; the letter leaves the known bits out and prefers false
    /// bits, from the topmost on.
    pub fn pick_given(&self, guard: Guard, known: &dyn Fn(BitId) -> Option<bool>) -> Option<Letter> {
        let mut letter = Letter::new();
        self.search(guard, known, &mut FxHashSet::default(), &mut letter).then_some(letter)
    }
    /// Recursion is as deep as there are bits.
    fn search(
        &self,
        guard: Guard,
        known: &dyn Fn(BitId) -> Option<bool>,
        failed: &mut FxHashSet<Guard>,
        letter: &mut Letter,
    ) -> bool {
        let Some((bit, low, high)) = self.branch(guard) else { return guard == Guard::TRUE };
        if failed.contains(&guard) {
            return false;
        }
        let found = match known(bit) {
            Some(value) => self.search(if value { high } else { low }, known, failed, letter),
            None if self.search(low, known, failed, letter) => true,
            None => {
                letter.insert(bit);
                let found = self.search(high, known, failed, letter);
                if !found {
                    letter.remove(bit);
                }
                found
            }
        };
        if !found {
            failed.insert(guard);
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Random;

    const BITS: usize = 6;

    #[test]
    fn nodes_mean_what_the_guards_mean() {
        let mut random = Random::new(23);
        for _ in 0..300 {
            let mut store = Guards::new();
            let mut made: Vec<Guard> = (0..BITS).map(|i| store.bit(BitId::from_index(i))).collect();
            for _ in 0..6 {
                let [a, b, c] = [0; 3].map(|_| made[random.below(made.len())]);
                let d = store.ite(a, b, c);
                made.push(store.not(d));
            }
            let guard = made[made.len() - 1];
            let (mut diagrams, mut done) = (GuardDiagrams::new(), FxHashMap::default());
            let own = diagrams.add(&store, guard, &mut done);
            assert!(diagrams.has(own));
            assert_eq!(GuardDiagrams::from_nodes(diagrams.nodes().to_vec()).as_ref(), Some(&diagrams));
            for code in 0..1_usize << BITS {
                let letter: Letter =
                    (0..BITS).filter(|i| code >> i & 1 == 1).map(BitId::from_index).collect();
                assert_eq!(diagrams.contains(own, &letter), store.contains(guard, &letter));
                let known = |bit: BitId| bit.index().is_multiple_of(2).then(|| letter.contains(bit));
                let given = store.given(guard, &known);
                assert_eq!(diagrams.pick_given(own, &known), store.pick(given));
            }
        }
    }

    #[test]
    fn nodes_that_are_no_diagram_are_refused() {
        let bit = BitId::from_index;
        let guard = Guard::from_index;
        assert!(GuardDiagrams::from_nodes(vec![(bit(0), Guard::FALSE, guard(2))]).is_none());
        assert!(GuardDiagrams::from_nodes(vec![(bit(0), guard(3), Guard::TRUE)]).is_none());
    }
}
