//! The amounts that a register with a time window has counted: a persistent queue. Clones share all chunks but those that
//! change later, since a session is cloned for each decision.

use std::collections::VecDeque;
use std::sync::Arc;
use tsl_synth_core::base::Decimal;

/// The amounts that are shared together.
const CHUNK: usize = 16;

/// Amounts with their times in milliseconds, oldest first. Adding one or removing the oldest takes constant time.
#[derive(Clone, Debug, Default)]
pub struct Recent {
    /// No chunk is empty, or has been removed as a whole.
    chunks: VecDeque<Arc<Vec<(i64, Decimal)>>>,
    /// How many amounts of the first chunk were removed.
    removed: usize,
}

impl Recent {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.chunks.is_empty()
    }
    /// The oldest.
    pub fn first(&self) -> Option<&(i64, Decimal)> {
        self.chunks.front().and_then(|chunk| chunk.get(self.removed))
    }
    /// All, oldest first.
    pub fn iter(&self) -> impl Iterator<Item = &(i64, Decimal)> {
        self.chunks.iter().flat_map(|chunk| chunk.iter()).skip(self.removed)
    }
    /// Adds the newest.
    pub fn push(&mut self, counted: (i64, Decimal)) {
        match self.chunks.back_mut().filter(|chunk| chunk.len() < CHUNK) {
            Some(chunk) => Arc::make_mut(chunk).push(counted),
            None => self.chunks.push_back(Arc::new(vec![counted])),
        }
    }
    /// Removes the oldest.
    pub fn remove_first(&mut self) -> Option<(i64, Decimal)> {
        let first = self.first()?.clone();
        self.removed += 1;
        if self.chunks.front().is_some_and(|chunk| chunk.len() == self.removed) {
            self.chunks.pop_front();
            self.removed = 0;
        }
        Some(first)
    }
    /// Removes the newest of this amount; whether there is one. Linear.
    pub fn remove_last(&mut self, amount: &Decimal) -> bool {
        let mut all: Vec<(i64, Decimal)> = self.iter().cloned().collect();
        let Some(at) = all.iter().rposition(|(_, own)| own == amount) else { return false };
        all.remove(at);
        *self = all.into_iter().collect();
        true
    }
}

impl FromIterator<(i64, Decimal)> for Recent {
    fn from_iter<I: IntoIterator<Item = (i64, Decimal)>>(all: I) -> Self {
        let mut recent = Self::default();
        all.into_iter().for_each(|counted| recent.push(counted));
        recent
    }
}

impl PartialEq for Recent {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tsl_synth_core::base::Random;

    #[test]
    fn it_is_a_queue() {
        let mut random = Random::new(7);
        let amount = |number: usize| Decimal::parse(&number.to_string()).expect("a number");
        let (mut recent, mut plain, mut before) = (Recent::default(), VecDeque::new(), Vec::new());
        for round in 0..2_000_i64 {
            match random.below(8) {
                0..=3 => {
                    let counted = (round, amount(random.below(5)));
                    recent.push(counted.clone());
                    plain.push_back(counted);
                }
                4..=6 => assert_eq!(recent.remove_first(), plain.pop_front()),
                _ => {
                    let amount = amount(random.below(6));
                    let at = plain.iter().rposition(|(_, own)| *own == amount);
                    assert_eq!(recent.remove_last(&amount), at.is_some());
                    at.map(|at| plain.remove(at));
                }
            }
            assert_eq!((recent.first(), recent.is_empty()), (plain.front(), plain.is_empty()));
            if round % 97 == 0 {
                before.push((recent.clone(), plain.clone()));
            }
        }
        for (recent, plain) in before {
            assert!(recent.iter().eq(plain.iter()), "a clone does not change");
        }
    }
}
