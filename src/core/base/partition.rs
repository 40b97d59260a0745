//! Moore's partition refinement (*Gedanken-experiments on sequential machines*, 1956).

use rustc_hash::FxHashMap;
use std::hash::Hash;

/// The coarsest partition finer than `initial` in which states of one block have equal signatures, as the block of each
/// state; blocks are numbered by their first states. `signature` returns the edges of a state to the blocks that its
/// second argument gives, in a canonical order. At most as many rounds as states.
pub fn coarsest_partition<S: Hash + Eq>(
    initial: Vec<usize>,
    mut signature: impl FnMut(usize, &[usize]) -> S,
) -> Vec<usize> {
    let mut block = initial;
    let mut count = 0;
    loop {
        let mut index: FxHashMap<(usize, S), usize> = FxHashMap::default();
        let mut next = Vec::with_capacity(block.len());
        for (state, &own) in block.iter().enumerate() {
            let fresh = index.len();
            next.push(*index.entry((own, signature(state, &block))).or_insert(fresh));
        }
        block = next;
        if index.len() == count {
            return block;
        }
        count = index.len();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A cycle of six states of which every third is marked has three blocks; unmarked it has one.
    #[test]
    fn states_at_the_same_distance_are_one() {
        let next = |state: usize, block: &[usize]| block[(state + 1) % 6];
        assert_eq!(coarsest_partition(vec![7, 1, 1, 7, 1, 1], next), [0, 1, 2, 0, 1, 2]);
        assert_eq!(coarsest_partition(vec![0; 6], next), [0; 6]);
        assert_eq!(coarsest_partition(Vec::new(), next), [0; 0]);
    }
}
