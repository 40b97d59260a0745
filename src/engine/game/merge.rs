//! Fewer colors for an Emerson-Lei condition: its Zielonka tree may have a branch for every order of the colors.
//!
//! Three laws, and their duals, for colors that occur only once in the condition:
//!
//! - Edges of a or of b are taken finitely often if those of "a or b" are: `Fin a & Fin b = Fin (a | b)`.
//! - A color is *weak* if from some step on all edges of a run have it or none. Then `Fin w = Inf !w`, and for any
//!   color a `Inf w & Inf a = Inf (w & a)` and `Inf w & Fin a = Fin (!w | a)`.
//! - `Inf w & (f | g) = (Inf w & f) | (Inf w & g)`.
//!
//! Checked on random cycles in the tests.

use super::colors::{AutomatonId, Color, ColorId};

use super::condition::ColorCondition;
use rustc_hash::FxHashMap;
use tsl_synth_core::base::IdVec;

/// An equivalent condition over as many colors or fewer; new ones are added to `colors`. Recursion is as deep
/// as conjunctions and disjunctions alternate.
pub(super) fn merged(
    condition: &ColorCondition,
    colors: &mut IdVec<ColorId, Color>,
    weak: &dyn Fn(AutomatonId) -> bool,
) -> ColorCondition {
    let mut uses = FxHashMap::default();
    count(condition, &mut uses);
    Merger { colors, weak, uses }.merge(condition)
}

fn count(condition: &ColorCondition, uses: &mut FxHashMap<ColorId, usize>) {
    match condition {
        ColorCondition::True | ColorCondition::False => {}
        ColorCondition::Inf(i) | ColorCondition::Fin(i) => *uses.entry(*i).or_default() += 1,
        ColorCondition::And(parts) | ColorCondition::Or(parts) => {
            for part in parts {
                count(part, uses);
            }
        }
    }
}

struct Merger<'a> {
    colors: &'a mut IdVec<ColorId, Color>,
    /// Whether an automaton is weak.
    weak: &'a dyn Fn(AutomatonId) -> bool,
    /// How often each color occurs in the condition.
    uses: FxHashMap<ColorId, usize>,
}

impl Merger<'_> {
    fn merge(&mut self, condition: &ColorCondition) -> ColorCondition {
        match condition {
            ColorCondition::And(parts) => {
                let parts: Vec<ColorCondition> = parts.iter().map(|part| self.merge(part)).collect();
                self.conjunction(ColorCondition::and(parts))
            }
            ColorCondition::Or(parts) => {
                let parts: Vec<ColorCondition> =
                    parts.iter().map(|part| self.merge(part).negated()).collect();
                self.conjunction(ColorCondition::and(parts)).negated()
            }
            other => other.clone(),
        }
    }

    /// Merges literals of one conjunction.
    fn conjunction(&mut self, condition: ColorCondition) -> ColorCondition {
        let ColorCondition::And(parts) = condition else { return condition };
        let (mut constant, mut finite, mut rest) = (Vec::new(), Vec::new(), Vec::new());
        for part in parts {
            match part {
                ColorCondition::Inf(i) if self.once(i) && self.is_weak(i) => {
                    constant.push(self.colors[i].clone());
                }
                ColorCondition::Fin(i) if self.once(i) && self.is_weak(i) => {
                    constant.push(Color::Not(Box::new(self.colors[i].clone())));
                }
                ColorCondition::Fin(i) if self.once(i) => finite.push(self.colors[i].clone()),
                other if !rest.contains(&other) => rest.push(other),
                _ => {}
            }
        }
        if !finite.is_empty() {
            let color = self.color(one(finite, Color::Any));
            rest.push(ColorCondition::Fin(color));
        }
        if constant.is_empty() {
            return ColorCondition::and(rest);
        }
        let constant = one(constant, Color::All);
        if let Some(i) = rest.iter().rposition(|part| self.absorbs(part)) {
            rest[i] = self.absorb(&rest[i].clone(), &constant);
        } else {
            let color = self.color(constant);
            rest.push(ColorCondition::Inf(color));
        }
        ColorCondition::and(rest)
    }

    /// Whether the colors of a part occur nowhere else in the condition.
    fn absorbs(&self, condition: &ColorCondition) -> bool {
        condition.colors().iter().all(|&i| self.once(i))
    }

    /// `Inf constant & condition` for a weak color.
    fn absorb(&mut self, condition: &ColorCondition, constant: &Color) -> ColorCondition {
        match condition {
            ColorCondition::Inf(i) => {
                let both = vec![self.colors[*i].clone(), constant.clone()];
                ColorCondition::Inf(self.color(Color::All(both)))
            }
            ColorCondition::Fin(i) => {
                let ended = Color::Not(Box::new(constant.clone()));
                let either = vec![self.colors[*i].clone(), ended];
                ColorCondition::Fin(self.color(Color::Any(either)))
            }
            ColorCondition::Or(parts) => {
                ColorCondition::or(parts.iter().map(|part| self.absorb(part, constant)).collect::<Vec<_>>())
            }
            ColorCondition::And(parts) => {
                let (first, others) = parts.split_first().expect("conjunctions have operands");
                let first = self.absorb(first, constant);
                ColorCondition::and(std::iter::once(first).chain(others.iter().cloned()))
            }
            ColorCondition::True | ColorCondition::False => unreachable!("conjunctions hold no constants"),
        }
    }

    fn once(&self, color: ColorId) -> bool {
        self.uses.get(&color).is_none_or(|&uses| uses == 1)
    }

    fn is_weak(&self, color: ColorId) -> bool {
        self.colors[color].automata().into_iter().all(self.weak)
    }

    /// Adds a color, even if there is an equal one.
    fn color(&mut self, color: Color) -> ColorId {
        self.colors.push(color)
    }
}

fn one(mut colors: Vec<Color>, combine: fn(Vec<Color>) -> Color) -> Color {
    if colors.len() == 1 { colors.swap_remove(0) } else { combine(colors) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tsl_synth_core::base::{Id, Random};

    fn holds(condition: &ColorCondition, seen: &dyn Fn(ColorId) -> bool) -> bool {
        match condition {
            ColorCondition::True => true,
            ColorCondition::False => false,
            ColorCondition::Inf(i) => seen(*i),
            ColorCondition::Fin(i) => !seen(*i),
            ColorCondition::And(parts) => parts.iter().all(|part| holds(part, seen)),
            ColorCondition::Or(parts) => parts.iter().any(|part| holds(part, seen)),
        }
    }

    fn random(rng: &mut Random, size: usize, colors: usize) -> ColorCondition {
        if size < 2 {
            let i = ColorId::from_index(rng.below(colors));
            return if rng.flip() { ColorCondition::Inf(i) } else { ColorCondition::Fin(i) };
        }
        let left = 1 + rng.below(size - 1);
        let parts = [random(rng, left, colors), random(rng, size - left, colors)];
        if rng.flip() { ColorCondition::and(parts) } else { ColorCondition::or(parts) }
    }

    /// Cycles of a few edges, each with the automata that accept there; the weak ones accept on all or none.
    #[test]
    fn merged_conditions_hold_on_the_same_cycles() {
        let mut rng = Random::new(5);
        let (automata, weak) = (7, 3);
        let (mut before, mut after) = (0, 0);
        for _ in 0..2_000 {
            let mut colors: IdVec<ColorId, Color> =
                (0..automata).map(AutomatonId::from_index).map(Color::Accepting).collect();
            let size = 1 + rng.below(9);
            let condition = random(&mut rng, size, automata);
            let fewer = merged(&condition, &mut colors, &|c| c.index() < weak);
            before += condition.colors().len();
            after += fewer.colors().len();
            assert!(fewer.colors().len() <= condition.colors().len(), "{condition:?} became {fewer:?}");
            for _ in 0..40 {
                let constant = rng.below(1 << weak);
                let edges: Vec<usize> =
                    (0..=rng.below(4)).map(|_| constant | rng.below(1 << automata) >> weak << weak).collect();
                let seen =
                    |i: ColorId| edges.iter().any(|edge| colors[i].holds(&|c| edge >> c.index() & 1 == 1));
                assert_eq!(holds(&fewer, &seen), holds(&condition, &seen), "{condition:?} became {fewer:?}");
            }
        }
        assert!(after * 10 < before * 9, "{after} of {before} colors");
    }
}
