//! All plans of a grammar at once: the packed forest of their derivations, their number, and drawing one at random.
//!
//! A node represents the derivations that pop a symbol, or the rest of a right-hand side, between two states. Counts
//! are sums of products over the forest; the number of derivations is finite exactly if the forest has no cycle.

use super::reach::Reach;
use super::space::{Space, StateIndex};
use crate::plan_grammar::{NonterminalId, PlanRuleId, StackSymbol, TerminalId};
use num_bigint::BigUint;
use rustc_hash::{FxHashMap, FxHashSet};
use tsl_synth_automata::{ComponentId, Components, components};
use tsl_synth_core::base::{Budget, Limit, LimitKind, Random};

/// The maximal number of nodes.
const MAX_NODES: usize = 4_000_000;

/// A pseudo-state for the end of the plan.
const END: StateIndex = StateIndex::MAX;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum ForestNode {
    Symbol(StateIndex, NonterminalId, StateIndex),
    Rest(PlanRuleId, u16, StateIndex, StateIndex),
}

#[derive(Clone, Copy, Debug)]
struct ForestAlternative {
    /// The step, and the number of steps of its class that can be taken.
    step: Option<(TerminalId, u32)>,
    /// The children, in order.
    parts: [Option<u32>; 2],
}

/// The forest of a grammar.
pub(super) struct Forest {
    alternatives: Vec<Vec<ForestAlternative>>,
    /// Components of the graph of useful nodes, children first.
    component: Components,
    useful: Vec<bool>,
}

/// The number of derivations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Derivations {
    /// The number of derivations, without and with the subsets that their steps choose.
    Finite(BigUint, BigUint),
    /// Infinitely many, of infinitely many words.
    InfiniteWords,
    /// Infinitely many, of finitely many words: no cycle of the forest writes a step.
    InfiniteTrees,
}

/// The number of subsets that a step may choose; 1 for a step without subsets.
pub(super) fn subsets(space: &Space<'_>, step: TerminalId) -> BigUint {
    space.grammar.terminals[step].subset.as_ref().map_or_else(
        || BigUint::from(1u32),
        |subset| (BigUint::from(1u32) << subset.elements.len()) - u32::from(!subset.may_be_empty),
    )
}

impl Forest {
    /// The forest of all plans.
    pub(super) fn new(space: &mut Space<'_>, reach: &mut Reach, budget: &Budget) -> Result<Self, Limit> {
        let (first, start) = (space.first(), space.grammar.start);
        reach.finish(space, first, start, budget)?;
        let root = ForestNode::Symbol(first, start, END);
        let mut nodes = vec![root];
        let mut ids: FxHashMap<ForestNode, u32> = FxHashMap::from_iter([(root, 0)]);
        let mut alternatives: Vec<Vec<ForestAlternative>> = Vec::new();
        while alternatives.len() < nodes.len() {
            budget.tick(1, || "the forest of all plans".into())?;
            if nodes.len() > MAX_NODES {
                let what = format!("the forest of all plans has more than {MAX_NODES} nodes");
                return Err(Limit::new(LimitKind::Size, what));
            }
            let mut own = Vec::new();
            let node = nodes[alternatives.len()];
            let mut id_of = |node: ForestNode| {
                let fresh = nodes.len() as u32;
                *ids.entry(node).or_insert_with(|| {
                    nodes.push(node);
                    fresh
                })
            };
            match node {
                ForestNode::Symbol(state, top, end) => {
                    for &rule in space.representatives(state, top).iter() {
                        let state = space.enter(state, rule);
                        let rest = id_of(ForestNode::Rest(rule, 0, state, end));
                        own.push(ForestAlternative { step: None, parts: [Some(rest), None] });
                    }
                }
                ForestNode::Rest(rule, at, state, end) => {
                    let body = &space.grammar.rules[rule].body;
                    let (symbol, size) = (body.get(at as usize).copied(), body.len());
                    match symbol {
                        None if end == END && space.is_final(state) || end == state => {
                            own.push(ForestAlternative { step: None, parts: [None, None] });
                        }
                        None => {}
                        Some(StackSymbol::Terminal(step)) => {
                            if let Some(next) = space.step(state, step) {
                                let rest = id_of(ForestNode::Rest(rule, at + 1, next, end));
                                let step = Some((step, space.ways(state, step)));
                                own.push(ForestAlternative { step, parts: [Some(rest), None] });
                            }
                        }
                        Some(StackSymbol::Nonterminal(top)) if at as usize + 1 == size => {
                            let only = id_of(ForestNode::Symbol(state, top, end));
                            own.push(ForestAlternative { step: None, parts: [Some(only), None] });
                        }
                        Some(StackSymbol::Nonterminal(top)) => {
                            for (middle, _) in reach.ends(space, state, top, budget)? {
                                let first = id_of(ForestNode::Symbol(state, top, middle));
                                let rest = id_of(ForestNode::Rest(rule, at + 1, middle, end));
                                own.push(ForestAlternative { step: None, parts: [Some(first), Some(rest)] });
                            }
                        }
                    }
                }
            }
            alternatives.push(own);
        }
        Ok(Self::pruned(alternatives))
    }

    /// Removes the alternatives that lead to no plan.
    fn pruned(mut alternatives: Vec<Vec<ForestAlternative>>) -> Self {
        let n = alternatives.len();
        let mut parents: Vec<Vec<u32>> = vec![Vec::new(); n];
        for (id, own) in alternatives.iter().enumerate() {
            for part in own.iter().flat_map(|one| one.parts.into_iter().flatten()) {
                parents[part as usize].push(id as u32);
            }
        }
        let mut productive = vec![false; n];
        let works = |productive: &[bool], one: &ForestAlternative| {
            one.parts.iter().flatten().all(|&part| productive[part as usize])
        };
        let mut todo: Vec<u32> = (0..n as u32).rev().collect();
        while let Some(id) = todo.pop() {
            let id = id as usize;
            if !productive[id] && alternatives[id].iter().any(|one| works(&productive, one)) {
                productive[id] = true;
                todo.extend(parents[id].iter().filter(|&&parent| !productive[parent as usize]));
            }
        }
        for own in &mut alternatives {
            own.retain(|one| works(&productive, one));
        }
        let mut useful = vec![false; n];
        useful[0] = productive[0];
        let mut todo = if productive[0] { vec![0u32] } else { Vec::new() };
        while let Some(id) = todo.pop() {
            for part in alternatives[id as usize].iter().flat_map(|one| one.parts.into_iter().flatten()) {
                if !std::mem::replace(&mut useful[part as usize], true) {
                    todo.push(part);
                }
            }
        }
        for (own, useful) in alternatives.iter_mut().zip(&useful) {
            if !useful {
                own.clear();
            }
        }
        let graph: Vec<Vec<usize>> = alternatives
            .iter()
            .map(|own| {
                own.iter().flat_map(|one| one.parts.into_iter().flatten()).map(|part| part as usize).collect()
            })
            .collect();
        Self { component: components(&graph), alternatives, useful }
    }

    /// Whether there is a plan.
    pub(super) fn has_plan(&self) -> bool {
        self.useful[0]
    }

    /// Useful nodes, children first.
    fn order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.useful.len()).filter(|&id| self.useful[id]).collect();
        order.sort_by_key(|&id| self.component[id]);
        order
    }

    /// The number of derivations.
    pub(super) fn derivations(&self, space: &Space<'_>) -> Derivations {
        match self.cycle() {
            Some(true) => return Derivations::InfiniteWords,
            Some(false) => return Derivations::InfiniteTrees,
            None => {}
        }
        let [words, all] = [false, true].map(|with_subsets| self.counts(space, with_subsets)[0].clone());
        Derivations::Finite(words, all)
    }

    /// The number of derivations of each node of a forest without cycles; with the subsets that its steps choose, or
    /// without.
    pub(super) fn counts(&self, space: &Space<'_>, with_subsets: bool) -> Vec<BigUint> {
        let mut counts = vec![BigUint::ZERO; self.useful.len()];
        for id in self.order() {
            counts[id] =
                self.alternatives[id].iter().map(|one| weight(space, one, &counts, with_subsets)).sum();
        }
        counts
    }

    /// `None` if there is no cycle, otherwise whether some cycle writes a step.
    fn cycle(&self) -> Option<bool> {
        let mut size = FxHashMap::<ComponentId, u32>::default();
        for id in self.order() {
            *size.entry(self.component[id]).or_default() += 1;
        }
        let inside = |id: usize, part: u32| {
            let part = part as usize;
            self.component[part] == self.component[id] && (part == id || size[&self.component[id]] > 1)
        };
        let mut writes = vec![false; self.useful.len()];
        let order = self.order();
        loop {
            let mut changed = false;
            for &id in &order {
                let yes = writes[id]
                    || self.alternatives[id].iter().any(|one| {
                        one.step.is_some() || one.parts.iter().flatten().any(|&p| writes[p as usize])
                    });
                changed |= yes != writes[id];
                writes[id] = yes;
            }
            if !changed {
                break;
            }
        }
        let mut found = None;
        for &id in &order {
            for one in &self.alternatives[id] {
                let parts: Vec<u32> = one.parts.into_iter().flatten().collect();
                for (i, &part) in parts.iter().enumerate() {
                    if !inside(id, part) {
                        continue;
                    }
                    let beside = parts.iter().enumerate().any(|(j, &other)| j != i && writes[other as usize]);
                    if one.step.is_some() || beside {
                        return Some(true);
                    }
                    found = Some(false);
                }
            }
        }
        found
    }

    /// The steps of a derivation drawn uniformly among those that `counts` counts.
    pub(super) fn draw(
        &self,
        space: &Space<'_>,
        counts: &[BigUint],
        with_subsets: bool,
        random: &mut Random,
    ) -> Vec<TerminalId> {
        let mut word = Vec::new();
        let mut used: FxHashSet<TerminalId> = FxHashSet::default();
        let mut todo = vec![0u32];
        while let Some(id) = todo.pop() {
            let id = id as usize;
            let mut left = below(&counts[id], random);
            let chosen = self.alternatives[id].iter().find(|one| {
                let weight = weight(space, one, counts, with_subsets);
                if left < weight {
                    return true;
                }
                left -= weight;
                false
            });
            let Some(one) = chosen else { continue };
            if let Some((step, ways)) = one.step {
                let step = if ways > 1 || space.class_of(step).nth(1).is_some() {
                    let free: Vec<TerminalId> =
                        space.class_of(step).filter(|id| !used.contains(id)).collect();
                    free[random.below(free.len())]
                } else {
                    step
                };
                used.insert(step);
                word.push(step);
            }
            todo.extend(one.parts.into_iter().rev().flatten());
        }
        word
    }
}

fn weight(space: &Space<'_>, one: &ForestAlternative, counts: &[BigUint], with_subsets: bool) -> BigUint {
    let mut product = BigUint::from(1u32);
    if let Some((step, ways)) = one.step {
        product *= ways;
        if with_subsets && space.grammar.terminals[step].subset.is_some() {
            product *= subsets(space, step);
        }
    }
    for part in one.parts.into_iter().flatten() {
        product *= &counts[part as usize];
    }
    product
}

/// A uniformly random number below `n`; 0 if `n` is 0.
pub(super) fn below(n: &BigUint, random: &mut Random) -> BigUint {
    if *n <= BigUint::from(1u32) {
        return BigUint::ZERO;
    }
    let bits = n.bits();
    loop {
        let digits = (0..bits.div_ceil(32)).map(|_| random.bits() as u32).collect();
        let drawn = BigUint::new(digits) & ((BigUint::from(1u32) << bits) - 1u32);
        if drawn < *n {
            return drawn;
        }
    }
}
