//! The letters that can occur, as conditions that share no variable with each other.
//!
//! As one diagram they can be exponential in the number of conditions, since the order of the variables is that of the
//! atoms; but a function of few variables needs few of them.

use tsl_synth_core::logic::{BitId, Guard, Guards};

/// The conditions of all letters that can occur.
#[derive(Debug)]
pub(super) struct CareSet {
    parts: Vec<CarePart>,
}

/// A condition, which some letter satisfies, and its variables in ascending order.
#[derive(Debug)]
struct CarePart {
    bits: Vec<BitId>,
    letters: Guard,
}

impl CarePart {
    fn shares(&self, bits: &[BitId]) -> bool {
        bits.iter().any(|bit| self.bits.binary_search(bit).is_ok())
    }
}

impl CareSet {
    /// The letters that satisfy all these conditions. Conditions that share variables become one.
    pub(super) fn new(guards: &mut Guards, conditions: impl IntoIterator<Item = Guard>) -> Self {
        let mut parts: Vec<CarePart> = Vec::new();
        for mut letters in conditions {
            if letters == Guard::TRUE {
                continue;
            }
            let mut bits = guards.support(letters);
            bits.sort_unstable();
            let (joined, apart): (Vec<_>, Vec<_>) = parts.into_iter().partition(|part| part.shares(&bits));
            parts = apart;
            for part in joined {
                letters = guards.and(part.letters, letters);
                bits.extend(part.bits);
            }
            bits.sort_unstable();
            bits.dedup();
            parts.push(CarePart { bits, letters });
        }
        Self { parts }
    }
    /// The letters that satisfy the conditions on variables of these functions. A letter of them can be changed to one
    /// that can occur without changing the values of the functions.
    pub(super) fn around(&self, guards: &mut Guards, functions: &[Guard]) -> Guard {
        let mut bits: Vec<BitId> = functions.iter().flat_map(|&guard| guards.support(guard)).collect();
        bits.sort_unstable();
        bits.dedup();
        let parts = self.parts.iter().filter(|part| part.shares(&bits));
        parts.fold(Guard::TRUE, |all, part| guards.and(all, part.letters))
    }
    /// The letters that can occur; the diagram may be exponential in the number of conditions.
    pub(super) fn all(&self, guards: &mut Guards) -> Guard {
        self.parts.iter().fold(Guard::TRUE, |all, part| guards.and(all, part.letters))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tsl_synth_core::base::Id;

    #[test]
    fn few_conditions_are_needed_for_few_variables() {
        // Each pair of variables i and n + i excludes each other: as one diagram this is exponential in n.
        let n = 60;
        let mut guards = Guards::new();
        let bit = BitId::from_index;
        let pairs: Vec<Guard> = (0..n)
            .map(|i| {
                let both = guards.cube(&[(bit(n + i), true), (bit(i), true)]);
                guards.not(both)
            })
            .collect();
        let care = CareSet::new(&mut guards, pairs.clone());
        let one = guards.bit(bit(3));
        assert_eq!(care.around(&mut guards, &[one]), pairs[3]);
        let last = guards.bit(bit(n + 3));
        let outside = guards.bit(bit(2 * n));
        assert_eq!(care.around(&mut guards, &[last, outside]), pairs[3]);
        assert_eq!(care.around(&mut guards, &[outside]), Guard::TRUE);
    }

    #[test]
    fn conditions_that_share_variables_are_taken_together() {
        let mut guards = Guards::new();
        let bit = BitId::from_index;
        // A chain of implications in an order in which the links come last.
        let mut links: Vec<Guard> = [0, 2, 4, 1, 3]
            .into_iter()
            .map(|i| {
                let no = guards.cube(&[(bit(i + 1), false), (bit(i), true)]);
                guards.not(no)
            })
            .collect();
        let other = guards.bit(bit(9));
        links.push(other);
        let care = CareSet::new(&mut guards, links.clone());
        let all = links.iter().fold(Guard::TRUE, |all, &link| guards.and(all, link));
        assert_eq!(care.all(&mut guards), all);
        let chain = links[..5].iter().fold(Guard::TRUE, |all, &link| guards.and(all, link));
        let middle = guards.bit(bit(2));
        assert_eq!(care.around(&mut guards, &[middle]), chain);
    }
}
