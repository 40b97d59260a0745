//! The product of a machine's plays with the tableau of a conjunction, and its emptiness: Couvreur,
//! "On-the-fly verification of linear temporal logic" (FM 1999), iterative. The search stops at the
//! first accepting component, and a play is read off the part of the product that was seen.
//!
//! Cost: linear in the edges of the part that is explored, apart from the expansions.

use super::normal::{GoalId, NormalForms, NormalId};
use super::plays::{Plays, Rent};
use super::tableau::{Choice, Obligations, expand};
use crate::base::{Budget, Id, IdSet, IdVec, Limit};
use crate::define_id;
use crate::logic::{Guard, Lasso, Letter};
use crate::model::StateId;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

define_id! {
    /// A state of the product.
    struct PairId;
}

/// What a search found.
#[derive(Debug)]
pub(super) struct Search {
    /// A play in the language, if there is one.
    pub(super) play: Option<Lasso>,
    /// How many product states were seen.
    pub(super) states: u64,
}

/// How much a search explores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effort {
    /// Up to the first play.
    First,
    /// Everything, for a short play.
    Shortest,
}

/// Searches for a play on which all `conjuncts` hold.
pub(super) fn search(
    plays: &mut Plays,
    forms: &mut NormalForms,
    conjuncts: &[NormalId],
    effort: Effort,
    budget: &Budget,
) -> Result<Search, Limit> {
    let mut product = Product {
        plays,
        all_goals: (0..forms.goal_count()).map(GoalId::from_index).collect(),
        forms,
        pairs: IdVec::new(),
        index: FxHashMap::default(),
        rent: Rent::new(budget),
        budget,
    };
    let initial = product.pair(product.plays.initial, conjuncts.iter().copied().collect())?;
    let accepting = product.accepting_components(initial, effort)?;
    // An accepting component without a play would be a defect of this search, never an empty language.
    let play = accepting
        .iter()
        .map(|component| {
            product.lasso(initial, component, effort).expect("an accepting component has a play")
        })
        .min_by_key(|play| (play.len(), play.prefix.len()));
    Ok(Search { play, states: product.pairs.len() as u64 })
}

#[derive(Debug)]
struct Pair {
    state: StateId,
    obligations: Obligations,
    /// Filled when the search first enters the pair.
    edges: Vec<Edge>,
}

#[derive(Clone, Debug)]
struct Edge {
    letters: Guard,
    postponed: IdSet<GoalId>,
    next: PairId,
}

struct Product<'a> {
    plays: &'a mut Plays,
    forms: &'a mut NormalForms,
    pairs: IdVec<PairId, Pair>,
    index: FxHashMap<(StateId, Obligations), PairId>,
    all_goals: IdSet<GoalId>,
    rent: Rent<'a>,
    budget: &'a Budget,
}

/// A component under construction in Couvreur's search.
struct Root {
    /// The number of its first pair.
    number: usize,
    /// The goals postponed on every edge inside; all of them while there is no edge.
    always_postponed: IdSet<GoalId>,
    /// Whether there is an edge inside.
    closed: bool,
    /// The goals postponed on the edge by which it was entered.
    entered: IdSet<GoalId>,
}

impl Product<'_> {
    fn pair(&mut self, state: StateId, obligations: Obligations) -> Result<PairId, Limit> {
        let key = (state, obligations);
        if let Some(&pair) = self.index.get(&key) {
            return Ok(pair);
        }
        // Two copies of the set and the tables around it.
        self.rent.charge(192 + self.forms.len() as u64 / 4)?;
        let pair = self.pairs.push(Pair { state, obligations: key.1.clone(), edges: Vec::new() });
        self.index.insert(key, pair);
        Ok(pair)
    }

    fn enter(&mut self, pair: PairId) -> Result<(), Limit> {
        let Pair { state, ref obligations, .. } = self.pairs[pair];
        let obligations = obligations.clone();
        let mut edges: Vec<Edge> = Vec::new();
        for i in 0..self.plays.edges[state].len() {
            let (letters, target) = self.plays.edges[state][i];
            let nodes_before = self.plays.guards.node_count();
            let choice = Choice::SomeLetter;
            for branch in
                expand(self.forms, &mut self.plays.guards, &obligations, letters, choice, self.budget)?
            {
                let next = self.pair(target, branch.next)?;
                if edges.iter().any(|e| e.next == next && e.postponed.is_subset(&branch.postponed)) {
                    continue;
                }
                self.rent.charge(64)?;
                edges.push(Edge { letters: branch.letters, postponed: branch.postponed, next });
            }
            self.rent.charge(32 * (self.plays.guards.node_count() - nodes_before) as u64)?;
        }
        self.pairs[pair].edges = edges;
        Ok(())
    }

    /// The accepting components, each as a set of pairs that reach each other by edges that were seen. With
    /// [`Effort::First`] at most one, maybe not maximal.
    fn accepting_components(&mut self, initial: PairId, effort: Effort) -> Result<Vec<IdSet<PairId>>, Limit> {
        const DEAD: usize = usize::MAX;
        let mut found = Vec::new();
        // The number of each pair in the order of the search, from 1; 0 when unseen.
        let mut numbers: Vec<usize> = Vec::new();
        let mut live: Vec<PairId> = Vec::new();
        let mut roots: Vec<Root> = Vec::new();
        let mut frames: Vec<(PairId, usize)> = Vec::new();
        let mut seen = 0usize;
        let mut step = Some((initial, IdSet::new()));
        loop {
            if let Some((pair, entered)) = step.take() {
                self.enter(pair)?;
                seen += 1;
                numbers.resize(self.pairs.len(), 0);
                numbers[pair.index()] = seen;
                live.push(pair);
                let always_postponed = self.all_goals.clone();
                roots.push(Root { number: seen, always_postponed, closed: false, entered });
                frames.push((pair, 0));
            }
            let Some((pair, cursor)) = frames.last_mut() else { return Ok(found) };
            let pair = *pair;
            if let Some(edge) = self.pairs[pair].edges.get(*cursor) {
                *cursor += 1;
                let number = numbers[edge.next.index()];
                if number == 0 {
                    step = Some((edge.next, edge.postponed.clone()));
                } else if number != DEAD {
                    let accepting = merge(&mut roots, number, &edge.postponed);
                    if accepting && effort == Effort::First {
                        let root = roots.last().expect("merged into it").number;
                        let component = live.iter().copied().filter(|p| numbers[p.index()] >= root);
                        return Ok(vec![component.collect()]);
                    }
                }
                continue;
            }
            frames.pop();
            let number = numbers[pair.index()];
            if let Some(root) = roots.pop_if(|root| root.number == number) {
                let first = live.iter().rposition(|&p| p == pair).expect("a root is live");
                let component: IdSet<PairId> = live[first..].iter().copied().collect();
                for p in live.drain(first..) {
                    numbers[p.index()] = DEAD;
                }
                if root.closed && root.always_postponed.is_empty() {
                    found.push(component);
                }
            }
        }
    }

    /// A short play that reaches the component and stays in it, postponing no goal forever.
    fn lasso(&self, initial: PairId, component: &IdSet<PairId>, effort: Effort) -> Option<Lasso> {
        const STARTS: usize = 32;
        let everywhere = |_: &Edge| true;
        let reach = self.breadth_first(initial, &everywhere);
        let mut starts: Vec<PairId> = component.iter().collect();
        starts.sort_by_key(|&p| (reach.get(&p).map_or(usize::MAX, |seen| seen.distance), p));
        starts.truncate(if effort == Effort::First { 1 } else { STARTS });
        let candidates = starts.into_iter().filter_map(|start| {
            let prefix = path(&reach, start)?;
            let cycle = self.cycle(start, component)?;
            Some(shortened(Lasso { prefix: self.letters(&prefix), cycle: self.letters(&cycle) }))
        });
        candidates.min_by_key(Lasso::len)
    }

    fn cycle(&self, start: PairId, component: &IdSet<PairId>) -> Option<Vec<Edge>> {
        let inside = |edge: &Edge| component.contains(edge.next);
        let mut cycle: Vec<Edge> = Vec::new();
        let mut missing = self.all_goals.clone();
        let mut here = start;
        while !missing.is_empty() {
            // The nearest edge that does not postpone some missing goal.
            let reach = self.breadth_first(here, &inside);
            let good = |edge: &Edge| inside(edge) && !missing.is_subset(&edge.postponed);
            let (_, from, edge) = reach
                .iter()
                .flat_map(|(&p, seen)| self.pairs[p].edges.iter().enumerate().map(move |e| (seen, p, e)))
                .filter(|(_, _, (_, edge))| good(edge))
                .map(|(seen, p, (i, edge))| ((seen.distance, p, i), p, edge))
                .min_by_key(|(key, ..)| *key)?;
            let mut part = path(&reach, from)?;
            part.push(edge.clone());
            for edge in &part {
                missing.intersect_with(&edge.postponed);
            }
            cycle.extend(part);
            here = edge.next;
        }
        if here != start || cycle.is_empty() {
            // Back to the start, by at least one edge.
            let reach = self.breadth_first(here, &inside);
            let closing = |p: PairId| self.pairs[p].edges.iter().find(|edge| edge.next == start);
            let (_, from) = reach
                .iter()
                .filter(|&(&p, _)| closing(p).is_some())
                .map(|(&p, seen)| ((seen.distance, p), p))
                .min()?;
            cycle.extend(path(&reach, from)?);
            cycle.extend(closing(from).cloned());
        }
        Some(cycle)
    }

    fn breadth_first(&self, from: PairId, allowed: &dyn Fn(&Edge) -> bool) -> FxHashMap<PairId, Seen> {
        let mut reach = FxHashMap::default();
        reach.insert(from, Seen { distance: 0, by: None });
        let mut queue = VecDeque::from([from]);
        while let Some(pair) = queue.pop_front() {
            let distance = reach[&pair].distance + 1;
            for edge in self.pairs[pair].edges.iter().filter(|edge| allowed(edge)) {
                reach.entry(edge.next).or_insert_with(|| {
                    queue.push_back(edge.next);
                    Seen { distance, by: Some((pair, edge.clone())) }
                });
            }
        }
        reach
    }

    fn letters(&self, path: &[Edge]) -> Vec<Letter> {
        path.iter().map(|edge| self.plays.guards.pick(edge.letters).expect("a branch has a letter")).collect()
    }
}

struct Seen {
    distance: usize,
    /// The pair before and the edge from it.
    by: Option<(PairId, Edge)>,
}

fn path(reach: &FxHashMap<PairId, Seen>, to: PairId) -> Option<Vec<Edge>> {
    let mut edges = Vec::new();
    let mut seen = reach.get(&to)?;
    while let Some((before, edge)) = &seen.by {
        edges.push(edge.clone());
        seen = &reach[before];
    }
    edges.reverse();
    Some(edges)
}

/// The same word with the shortest prefix and cycle.
pub(super) fn shortened(word: Lasso) -> Lasso {
    let Lasso { mut prefix, mut cycle } = word;
    let n = cycle.len();
    let period = (1..=n).find(|&d| n.is_multiple_of(d) && (d..n).all(|i| cycle[i] == cycle[i - d]));
    cycle.truncate(period.unwrap_or(n));
    while prefix.pop_if(|last| Some(&*last) == cycle.last()).is_some() {
        cycle.rotate_right(1);
    }
    Lasso { prefix, cycle }
}

/// Merges the components down to the one of the pair with this number, closed by an edge; whether it accepts.
fn merge(roots: &mut Vec<Root>, number: usize, postponed: &IdSet<GoalId>) -> bool {
    let mut always_postponed = postponed.clone();
    while let Some(upper) = roots.pop_if(|root| root.number > number) {
        always_postponed.intersect_with(&upper.always_postponed);
        always_postponed.intersect_with(&upper.entered);
    }
    let root = roots.last_mut().expect("a live pair lies in some component");
    root.always_postponed.intersect_with(&always_postponed);
    root.closed = true;
    root.always_postponed.is_empty()
}
