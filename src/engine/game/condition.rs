//! Emerson-Lei conditions over colors of edges, and their Zielonka trees.

use super::colors::{ColorId, ColorPosition, Colors};
use super::tuning::{COMPARISONS_PER_WORK, MAX_CLAUSES, MAX_LEAVES};
use std::collections::BTreeSet;
use tsl_synth_core::base::{Budget, Id, IdVec, Limit, LimitKind};

/// A Boolean combination of "color c is seen infinitely often".
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ColorCondition {
    /// Always met.
    True,
    /// Never met.
    False,
    /// Edges of the color are taken infinitely often.
    Inf(ColorId),
    /// Edges of the color are taken finitely often.
    Fin(ColorId),
    /// All of them.
    And(Vec<ColorCondition>),
    /// One of them.
    Or(Vec<ColorCondition>),
}

impl ColorCondition {
    /// The conjunction, without constants and nesting.
    pub fn and(parts: impl IntoIterator<Item = Self>) -> Self {
        let mut all = Vec::new();
        for part in parts {
            match part {
                Self::True => {}
                Self::False => return Self::False,
                Self::And(inner) => all.extend(inner),
                other => all.push(other),
            }
        }
        if all.len() == 1 {
            all.swap_remove(0)
        } else if all.is_empty() {
            Self::True
        } else {
            Self::And(all)
        }
    }
    /// The disjunction, without constants and nesting.
    pub fn or(parts: impl IntoIterator<Item = Self>) -> Self {
        Self::and(parts.into_iter().map(|part| part.negated())).negated()
    }
    /// The complement.
    pub fn negated(&self) -> Self {
        match self {
            Self::True => Self::False,
            Self::False => Self::True,
            Self::Inf(i) => Self::Fin(*i),
            Self::Fin(i) => Self::Inf(*i),
            Self::And(parts) => Self::Or(parts.iter().map(Self::negated).collect()),
            Self::Or(parts) => Self::And(parts.iter().map(Self::negated).collect()),
        }
    }
    /// The colors it depends on, in order.
    pub fn colors(&self) -> IdVec<ColorPosition, ColorId> {
        let mut found = Vec::new();
        self.collect(&mut found);
        found.sort_unstable();
        found.dedup();
        found.into()
    }
    fn collect(&self, found: &mut Vec<ColorId>) {
        match self {
            Self::True | Self::False => {}
            Self::Inf(i) | Self::Fin(i) => found.push(*i),
            Self::And(parts) | Self::Or(parts) => parts.iter().for_each(|part| part.collect(found)),
        }
    }
    /// Whether it is met when exactly a set of colors is seen infinitely often; `position` returns the set of each
    /// color.
    fn holds(&self, set: Colors, position: &dyn Fn(ColorId) -> Colors) -> bool {
        match self {
            Self::True => true,
            Self::False => false,
            Self::Inf(i) => position(*i).meets(set),
            Self::Fin(i) => !position(*i).meets(set),
            Self::And(parts) => parts.iter().all(|part| part.holds(set, position)),
            Self::Or(parts) => parts.iter().any(|part| part.holds(set, position)),
        }
    }
    /// The maximal subsets of a set of colors that meet the condition, the largest first, found by restricting a set to
    /// the maximal subsets that meet a violated conjunct. There is one for Streett conditions, exponentially many in
    /// general. Recursion is as deep as conjunctions and disjunctions alternate.
    ///
    /// # Errors
    /// [`LimitKind::Size`] when there are many; those of the budget.
    fn maximal(
        &self,
        set: Colors,
        position: &dyn Fn(ColorId) -> Colors,
        budget: &Budget,
    ) -> Result<Vec<Colors>, Limit> {
        let mut open: BTreeSet<(u32, Colors)> = BTreeSet::new();
        let add = |set: Colors, open: &mut BTreeSet<(u32, Colors)>| open.insert((set.len(), set));
        match self {
            Self::False => return Ok(Vec::new()),
            Self::Inf(i) if !position(*i).meets(set) => return Ok(Vec::new()),
            Self::True | Self::Inf(_) => return Ok(vec![set]),
            Self::Fin(i) => return Ok(vec![set.without(position(*i))]),
            Self::And(_) => {
                add(set, &mut open);
            }
            Self::Or(parts) => {
                for part in parts {
                    for set in part.maximal(set, position, budget)? {
                        add(set, &mut open);
                    }
                }
            }
        }
        let mut found: Vec<Colors> = Vec::new();
        while let Some((_, set)) = open.pop_last() {
            budget.tick(1 + found.len() as u64 / COMPARISONS_PER_WORK, what)?;
            if found.iter().any(|&larger| set.is_within(larger)) {
                continue;
            }
            let broken = match self {
                Self::And(parts) => parts.iter().find(|part| !part.holds(set, position)),
                _ => None,
            };
            let Some(part) = broken else {
                found.push(set);
                continue;
            };
            for set in part.maximal(set, position, budget)? {
                add(set, &mut open);
            }
            if open.len() + found.len() > MAX_CLAUSES {
                return Err(too_large());
            }
        }
        found.sort_by_key(|set| (std::cmp::Reverse(set.len()), *set));
        Ok(found)
    }
    /// The disjunctive normal form over these colors, which are in order: clauses of (infinitely often, finitely
    /// often) sets of positions in `colors`, minimal.
    ///
    /// # Errors
    /// [`LimitKind::Size`] when it is large; those of the budget.
    pub(super) fn disjunctive(
        &self,
        colors: &IdVec<ColorPosition, ColorId>,
        budget: &Budget,
    ) -> Result<Vec<(Colors, Colors)>, Limit> {
        self.clauses(&|color| position(colors, color), budget)
    }
    /// The disjunctive normal form: clauses of (infinitely often, finitely often) sets of colors.
    fn clauses(
        &self,
        color: &dyn Fn(ColorId) -> Colors,
        budget: &Budget,
    ) -> Result<Vec<(Colors, Colors)>, Limit> {
        Ok(match self {
            Self::True => vec![(Colors::NONE, Colors::NONE)],
            Self::False => vec![],
            Self::Inf(i) => vec![(color(*i), Colors::NONE)],
            Self::Fin(i) => vec![(Colors::NONE, color(*i))],
            Self::Or(parts) => {
                let mut sum = Vec::new();
                for part in parts {
                    sum.extend(part.clauses(color, budget)?);
                    minimal(&mut sum, budget)?;
                }
                sum
            }
            Self::And(parts) => {
                let mut product = vec![(Colors::NONE, Colors::NONE)];
                for part in parts {
                    let right = part.clauses(color, budget)?;
                    if product.len() * right.len() > MAX_CLAUSES * 8 {
                        return Err(too_large());
                    }
                    let pairs = product.iter().flat_map(|a| right.iter().map(|b| (a.0 | b.0, a.1 | b.1)));
                    product = pairs.filter(|(inf, fin)| !inf.meets(*fin)).collect();
                    minimal(&mut product, budget)?;
                }
                product
            }
        })
    }
}

/// The set of a color's position in the sorted `colors`; empty if it is not one of them.
fn position(colors: &IdVec<ColorPosition, ColorId>, color: ColorId) -> Colors {
    let position = colors.as_slice().binary_search(&color);
    position.map_or(Colors::NONE, |position| Colors::only(ColorPosition::from_index(position)))
}

fn what() -> String {
    "an acceptance condition with a large Zielonka tree".into()
}

fn too_large() -> Limit {
    Limit::new(LimitKind::Size, what())
}

/// Drops clauses that imply another clause.
fn minimal(clauses: &mut Vec<(Colors, Colors)>, budget: &Budget) -> Result<(), Limit> {
    clauses.sort_by_key(|c| (c.0.len() + c.1.len(), *c));
    clauses.dedup();
    let mut kept: Vec<(Colors, Colors)> = Vec::new();
    for &c in clauses.iter() {
        budget.tick(1 + kept.len() as u64 / COMPARISONS_PER_WORK, what)?;
        if !kept.iter().any(|k| k.0.is_within(c.0) && k.1.is_within(c.1)) {
            kept.push(c);
        }
        if kept.len() > MAX_CLAUSES {
            return Err(too_large());
        }
    }
    *clauses = kept;
    Ok(())
}

/// A node of a [`ZielonkaTree`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ZielonkaNode {
    /// A set of colors: positions in [`ZielonkaTree::colors`].
    pub label: Colors,
    /// Whether seeing exactly these colors infinitely often meets the condition.
    pub accepting: bool,
    /// The maximal subsets of the label with the opposite acceptance, in canonical order.
    pub children: Vec<usize>,
}

/// The Zielonka tree of a condition (Zielonka 1998; Casares, Colcombet and Fijalkow, ICALP 2021,
/// definition 5): the root is the set of all colors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ZielonkaTree {
    /// The nodes; the first is the root.
    pub nodes: Vec<ZielonkaNode>,
    /// The colors of the condition, in order.
    pub colors: IdVec<ColorPosition, ColorId>,
}

impl ZielonkaTree {
    /// The tree of a condition.
    ///
    /// # Errors
    /// [`LimitKind::Size`] with more than 512 colors, 3,000 leaves or 2,000 children of a node; those of the budget.
    pub fn new(condition: &ColorCondition, budget: &Budget) -> Result<Self, Limit> {
        let sides = Sides::new(condition.clone());
        if sides.colors.len() > Colors::MOST {
            return Err(too_large());
        }
        let all = sides.colors.ids().collect();
        let accepting = sides.accepts(all);
        let mut nodes = vec![ZielonkaNode { label: all, accepting, children: Vec::new() }];
        let (mut i, mut leaves) = (0, 0);
        while i < nodes.len() {
            let ZielonkaNode { label, accepting, .. } = nodes[i];
            budget.tick(1, what)?;
            let children = sides.below(label, accepting, budget)?;
            leaves += usize::from(children.is_empty());
            if leaves > MAX_LEAVES || nodes.len() > 4 * MAX_LEAVES {
                return Err(too_large());
            }
            for label in children {
                let child = nodes.len();
                nodes.push(ZielonkaNode { label, accepting: !accepting, children: Vec::new() });
                nodes[i].children.push(child);
            }
            i += 1;
        }
        Ok(Self { nodes, colors: sides.colors })
    }
}

/// A condition and its negation, evaluated on sets of the condition's colors, given as positions in `colors`.
pub(super) struct Sides {
    condition: ColorCondition,
    negated: ColorCondition,
    /// In order, at most [`Colors::MOST`].
    colors: IdVec<ColorPosition, ColorId>,
}

impl Sides {
    pub(super) fn new(condition: ColorCondition) -> Self {
        let (negated, colors) = (condition.negated(), condition.colors());
        Self { condition, negated, colors }
    }
    fn position(&self, color: ColorId) -> Colors {
        position(&self.colors, color)
    }
    /// Whether the condition is met when exactly these colors are seen infinitely often.
    pub(super) fn accepts(&self, set: Colors) -> bool {
        self.condition.holds(set, &|color| self.position(color))
    }
    /// The maximal subsets of a set with the opposite acceptance; `accepting` is that of the set.
    ///
    /// # Errors
    /// As [`ColorCondition::maximal`].
    pub(super) fn below(&self, set: Colors, accepting: bool, budget: &Budget) -> Result<Vec<Colors>, Limit> {
        let opposite = if accepting { &self.negated } else { &self.condition };
        opposite.maximal(set, &|color| self.position(color), budget)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tsl_synth_core::base::Random;

    fn color(index: usize) -> ColorId {
        ColorId::from_index(index)
    }

    /// The set of these colors, each at the position of its own number.
    fn set(colors: impl IntoIterator<Item = usize>) -> Colors {
        colors.into_iter().map(ColorPosition::from_index).collect()
    }

    fn own(color: ColorId) -> Colors {
        set([color.index()])
    }

    fn holds(condition: &ColorCondition, set: Colors) -> bool {
        match condition {
            ColorCondition::True => true,
            ColorCondition::False => false,
            ColorCondition::Inf(i) => own(*i).is_within(set),
            ColorCondition::Fin(i) => !own(*i).is_within(set),
            ColorCondition::And(parts) => parts.iter().all(|p| holds(p, set)),
            ColorCondition::Or(parts) => parts.iter().any(|p| holds(p, set)),
        }
    }

    /// The tree by definition, over all subsets.
    fn check(condition: &ColorCondition) {
        let tree = ZielonkaTree::new(condition, &Budget::unlimited()).expect("small");
        let k = tree.colors.len();
        let widen = |colors: Colors| -> Colors {
            set(tree.colors.ids().filter(|&c| colors.contains(c)).map(|c| tree.colors[c].index()))
        };
        for node in &tree.nodes {
            assert_eq!(node.accepting, holds(condition, widen(node.label)));
            let opposite: Vec<Colors> = (0..1usize << k)
                .map(|bits| set((0..k).filter(|c| bits >> c & 1 == 1)))
                .filter(|set| set.is_within(node.label) && holds(condition, widen(*set)) != node.accepting)
                .collect();
            let mut maximal: Vec<Colors> = opposite
                .iter()
                .copied()
                .filter(|s| !opposite.iter().any(|t| s != t && s.is_within(*t)))
                .collect();
            let mut children: Vec<Colors> = node.children.iter().map(|&c| tree.nodes[c].label).collect();
            maximal.sort_unstable();
            children.sort_unstable();
            assert_eq!(children, maximal, "{condition:?}");
        }
    }

    #[test]
    fn trees_are_as_defined() {
        let inf = |i: usize| ColorCondition::Inf(color(i));
        let fin = |i: usize| ColorCondition::Fin(color(i));
        let streett = |pairs: usize| {
            ColorCondition::and((0..pairs).map(|i| ColorCondition::or([fin(2 * i), inf(2 * i + 1)])))
        };
        check(&ColorCondition::True);
        check(&inf(3));
        check(&ColorCondition::and([inf(0), inf(1), inf(2)]));
        check(&ColorCondition::or([fin(0), fin(1), ColorCondition::and([inf(2), inf(3)])]));
        check(&streett(3));
        check(&streett(3).negated());
        check(&ColorCondition::or([
            ColorCondition::and([inf(0), fin(1)]),
            ColorCondition::and([fin(0), inf(1)]),
        ]));
        let mut rng = Random::new(3);
        for _ in 0..300 {
            let size = 1 + rng.below(8);
            check(&random(&mut rng, size));
        }
    }

    fn random(rng: &mut Random, size: usize) -> ColorCondition {
        if size < 2 {
            let i = color(rng.below(6));
            return if rng.flip() { ColorCondition::Inf(i) } else { ColorCondition::Fin(i) };
        }
        let left = 1 + rng.below(size - 1);
        let parts = [random(rng, left), random(rng, size - left)];
        if rng.flip() { ColorCondition::and(parts) } else { ColorCondition::or(parts) }
    }

    #[test]
    fn many_streett_pairs_have_one_maximal_set() {
        let pairs = ColorCondition::and((0..40).map(|i| {
            ColorCondition::or([ColorCondition::Fin(color(2 * i)), ColorCondition::Inf(color(2 * i + 1))])
        }));
        // Without the second color of a pair, its first one has to go.
        let seen = set([0, 1, 2, 3, 4, 6]);
        let found = pairs.maximal(seen, &own, &Budget::unlimited()).expect("few");
        assert_eq!(found, [set([0, 1, 2, 3])]);
    }

    #[test]
    fn generalized_reactivity_has_few_leaves() {
        // A leaf for each pair of a premise and a goal: as many as the limit allows, then some more.
        let reactivity = |premises: usize, goals: usize| {
            let goals = (premises..premises + goals).map(color).map(ColorCondition::Inf);
            let premises = (0..premises).map(color).map(ColorCondition::Fin);
            let condition = ColorCondition::or(premises.chain([ColorCondition::and(goals)]));
            ZielonkaTree::new(&condition, &Budget::unlimited())
        };
        assert_eq!(reactivity(60, 50).expect("3,000 leaves").nodes.len(), 1 + 50 + 50 * 60);
        assert_eq!(reactivity(60, 51).expect_err("3,060 leaves").kind, LimitKind::Size);
    }
}
