//! Minimal sets of laws that together leave no choice: minimal covers of the choices by the choices that each law
//! blocks.

use super::frame::ChoiceId;
use crate::language::LawId;
use tsl_synth_core::base::IdSet;

/// The largest number of cores of one state that are listed.
pub const MAX_CORES: usize = 16;
/// The largest number of partial covers that are tried.
const MAX_TRIED: usize = 20_000;

/// The minimal sets of laws that block all of `available`, at most [`MAX_CORES`], the smallest first; empty if all laws
/// together leave a choice. Complete for small inputs; past a bound of work some larger cores may be missing, never
/// all.
pub fn cores(available: &IdSet<ChoiceId>, blocked: &[(LawId, IdSet<ChoiceId>)]) -> Vec<Vec<LawId>> {
    let covers = |laws: &[usize], without: Option<usize>| {
        let mut sum = IdSet::new();
        for &law in laws.iter().filter(|&&law| Some(law) != without) {
            sum.union_with(&blocked[law].1);
        }
        available.is_subset(&sum)
    };
    let all: Vec<usize> = (0..blocked.len()).collect();
    if available.is_empty() || !covers(&all, None) {
        return Vec::new();
    }
    // By deletion: one that is surely minimal.
    let mut one = all.clone();
    for &law in &all {
        if covers(&one, Some(law)) {
            one.retain(|&own| own != law);
        }
    }
    let mut found: Vec<Vec<usize>> = vec![one];
    // Level by level: each cover has some law that blocks the choice which the fewest laws block.
    let mut open: Vec<Vec<usize>> = vec![Vec::new()];
    let mut tried = 0;
    while !open.is_empty() && found.len() < MAX_CORES && tried < MAX_TRIED {
        let mut next: Vec<Vec<usize>> = Vec::new();
        for part in open {
            tried += 1;
            let left = available.iter().filter(|&c| part.iter().all(|&law| !blocked[law].1.contains(c)));
            let by = |choice| all.iter().copied().filter(move |&law| blocked[law].1.contains(choice));
            let Some(rarest) = left.min_by_key(|&choice| by(choice).count()) else {
                let is_minimal = part.iter().all(|&law| !covers(&part, Some(law)));
                let mut part = part;
                part.sort_unstable();
                if is_minimal && !found.contains(&part) && found.len() < MAX_CORES {
                    found.push(part);
                }
                continue;
            };
            if next.len() < MAX_TRIED {
                next.extend(by(rarest).map(|law| [&part[..], &[law]].concat()));
            }
        }
        open = next;
    }
    found.sort_by_key(|core| (core.len(), core.clone()));
    found.into_iter().map(|core| core.into_iter().map(|law| blocked[law].0).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tsl_synth_core::base::{Id, Random};

    #[test]
    fn cores_are_all_minimal_covers() {
        let mut random = Random::new(5);
        for _ in 0..500 {
            let (choices, laws) = (1 + random.below(5), 1 + random.below(6));
            let available: IdSet<ChoiceId> = (0..choices).map(ChoiceId::from_index).collect();
            let blocked: Vec<(LawId, IdSet<ChoiceId>)> = (0..laws)
                .map(|law| {
                    let some = (0..choices).filter(|_| random.below(2) == 0).map(ChoiceId::from_index);
                    (LawId::from_index(law), some.collect())
                })
                .collect();
            let covers = |mask: usize| {
                available.iter().all(|c| (0..laws).any(|l| mask >> l & 1 == 1 && blocked[l].1.contains(c)))
            };
            let mut slow: Vec<Vec<LawId>> = (0..1usize << laws)
                .filter(|&mask| covers(mask))
                .filter(|&mask| (0..laws).all(|l| mask >> l & 1 == 0 || !covers(mask & !(1 << l))))
                .map(|mask| (0..laws).filter(|l| mask >> l & 1 == 1).map(LawId::from_index).collect())
                .collect();
            slow.sort_by_key(|core: &Vec<LawId>| (core.len(), core.clone()));
            let fast = cores(&available, &blocked);
            assert!(slow.len() > MAX_CORES || fast == slow, "{fast:?} {slow:?}");
        }
    }
}
