//! The colors of a contract, and sets of the colors of one condition, given as positions in its list of colors.

use std::ops::{BitAnd, BitOr, Not};
use tsl_synth_core::base::Id;
use tsl_synth_core::define_id;

const WORDS: usize = 8;
const WIDTH: usize = u64::BITS as usize;

define_id! {
    /// The automaton of a conjunct of a [`CompiledContract`](super::CompiledContract).
    pub struct AutomatonId;
    /// A color of a [`CompiledContract`](super::CompiledContract).
    pub struct ColorId;
    /// The position of a color among those of one condition, in their order.
    pub struct ColorPosition;
}

/// A set of at most [`Colors::MOST`] colors of one condition. Sets are ordered as binary numbers.
// The most significant word first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Colors([u64; WORDS]);

impl Colors {
    /// How many colors there may be.
    pub const MOST: usize = WORDS * WIDTH;
    /// No color.
    pub const NONE: Self = Self([0; WORDS]);
    /// Every color.
    pub const ALL: Self = Self([u64::MAX; WORDS]);

    /// Only this color.
    ///
    /// # Panics
    /// If it is not below [`Colors::MOST`].
    pub fn only(color: ColorPosition) -> Self {
        let color = color.index();
        let mut words = [0; WORDS];
        words[WORDS - 1 - color / WIDTH] = 1 << (color % WIDTH);
        Self(words)
    }
    /// Whether a color is in the set.
    pub fn contains(self, color: ColorPosition) -> bool {
        self.meets(Self::only(color))
    }
    /// How many there are.
    pub fn len(self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }
    /// Whether there is none.
    pub fn is_empty(self) -> bool {
        self == Self::NONE
    }
    /// Whether all of them are in another set.
    pub fn is_within(self, other: Self) -> bool {
        self.0.iter().zip(&other.0).all(|(a, b)| a & !b == 0)
    }
    /// Whether one of them is in another set.
    pub fn meets(self, other: Self) -> bool {
        self.0.iter().zip(&other.0).any(|(a, b)| a & b != 0)
    }
    /// Those that are not in another set.
    #[must_use]
    pub fn without(self, other: Self) -> Self {
        self & !other
    }
}

impl BitAnd for Colors {
    type Output = Self;
    fn bitand(self, other: Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i] & other.0[i]))
    }
}

impl BitOr for Colors {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i] | other.0[i]))
    }
}

impl Not for Colors {
    type Output = Self;
    fn not(self) -> Self {
        Self(self.0.map(|word| !word))
    }
}

impl FromIterator<ColorPosition> for Colors {
    fn from_iter<T: IntoIterator<Item = ColorPosition>>(colors: T) -> Self {
        colors.into_iter().fold(Self::NONE, |set, color| set | Self::only(color))
    }
}

/// A color of edges: a Boolean combination of acceptance of single automata.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Color {
    /// The automaton takes an accepting edge.
    Accepting(AutomatonId),
    /// All of them.
    All(Vec<Color>),
    /// One of them.
    Any(Vec<Color>),
    /// Not this one.
    Not(Box<Color>),
}

impl Color {
    /// The automata it depends on.
    pub fn automata(&self) -> Vec<AutomatonId> {
        match self {
            Self::Accepting(c) => vec![*c],
            Self::All(parts) | Self::Any(parts) => parts.iter().flat_map(Self::automata).collect(),
            Self::Not(color) => color.automata(),
        }
    }
    /// Whether an edge has the color, given whether each automaton's edge is accepting.
    pub fn holds(&self, accepting: &dyn Fn(AutomatonId) -> bool) -> bool {
        match self {
            Self::Accepting(c) => accepting(*c),
            Self::All(parts) => parts.iter().all(|part| part.holds(accepting)),
            Self::Any(parts) => parts.iter().any(|part| part.holds(accepting)),
            Self::Not(color) => !color.holds(accepting),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use tsl_synth_core::base::Random;

    #[test]
    fn sets_are_sets() {
        let mut random = Random::new(5);
        for _ in 0..200 {
            let mut set = |size: usize| -> BTreeSet<usize> {
                (0..random.below(size)).map(|_| random.below(Colors::MOST)).collect()
            };
            let (a, b) = (set(9), set(600));
            let colors = |set: &BTreeSet<usize>| -> Colors {
                set.iter().copied().map(ColorPosition::from_index).collect()
            };
            let (x, y) = (colors(&a), colors(&b));
            assert_eq!(x.len() as usize, a.len());
            assert_eq!((x | y, x & y), (colors(&(&a | &b)), colors(&(&a & &b))));
            assert_eq!((x.without(y), y & !x), (colors(&(&a - &b)), colors(&(&b - &a))));
            assert_eq!((x.is_within(y), x.meets(y)), (a.is_subset(&b), !a.is_disjoint(&b)));
            assert!((x & y).is_within(x) && Colors::NONE.is_empty() && y.is_within(Colors::ALL));
            assert!(
                (0..Colors::MOST)
                    .all(|color| x.contains(ColorPosition::from_index(color)) == a.contains(&color))
            );
            // The largest color decides.
            assert_eq!(x.cmp(&y), a.iter().rev().cmp(b.iter().rev()));
        }
    }
}
