//! A smallest hitting set.
//!
//! An unrealizable set of guarantees contains, for every realizable set, a guarantee outside of it. So a smallest set
//! with that property, if it is unrealizable, is a smallest core, and the realizable sets show that it is minimal
//! (Ignatiev, Previti, Liffiton and Marques-Silva 2015, "Smallest MUS extraction with minimal hitting set
//! dualization").

/// A smallest set of numbers that intersects each of `sets`, with a preference for numbers in many of them; `None` if
/// more than `most` candidates are examined, or a set is empty.
pub(super) fn smallest(sets: &[Vec<usize>], most: usize) -> Option<Vec<usize>> {
    let mut left = most;
    for size in 0.. {
        let mut chosen = Vec::new();
        if extend(sets, &mut chosen, size, &mut left)? {
            chosen.sort_unstable();
            return Some(chosen);
        }
        if size > sets.len() {
            return None;
        }
    }
    None
}

/// Whether `chosen` can be completed with at most `size` further numbers; `None` if the limit is reached.
fn extend(sets: &[Vec<usize>], chosen: &mut Vec<usize>, size: usize, left: &mut usize) -> Option<bool> {
    *left = left.checked_sub(1)?;
    let missed = sets.iter().filter(|set| !set.iter().any(|element| chosen.contains(element)));
    // The smallest set has the fewest ways.
    let Some(set) = missed.min_by_key(|set| set.len()) else { return Some(true) };
    if size == 0 {
        return Some(false);
    }
    let frequency = |element: usize| sets.iter().filter(|set| set.contains(&element)).count();
    let mut order = set.clone();
    order.sort_by_key(|&element| (std::cmp::Reverse(frequency(element)), element));
    for element in order {
        chosen.push(element);
        if extend(sets, chosen, size - 1, left)? {
            return Some(true);
        }
        chosen.pop();
    }
    Some(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By trying all subsets.
    fn by_definition(sets: &[Vec<usize>], numbers: u32) -> Option<usize> {
        let hits = |code: u32| sets.iter().all(|set| set.iter().any(|&element| code >> element & 1 == 1));
        (0..1u32 << numbers).filter(|&code| hits(code)).map(|code| code.count_ones() as usize).min()
    }

    #[test]
    fn hitting_sets_are_smallest() {
        let mut seed = 1u64;
        let mut random = |below: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % below
        };
        let mut none = 0;
        for _ in 0..500 {
            let sets: Vec<Vec<usize>> =
                (0..random(7)).map(|_| (0..8).filter(|_| random(3) == 0).collect::<Vec<usize>>()).collect();
            let found = smallest(&sets, 100_000);
            assert_eq!(found.as_ref().map(Vec::len), by_definition(&sets, 8), "{sets:?}");
            let hits = |found: &Vec<usize>| sets.iter().all(|set| set.iter().any(|one| found.contains(one)));
            assert!(found.as_ref().is_none_or(hits), "{sets:?}");
            none += usize::from(found.is_none());
        }
        assert!(none > 10);
        assert_eq!(smallest(&[vec![0], vec![1]], 1), None);
    }
}
