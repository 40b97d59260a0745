//! Couvreur's search of a product, "On-the-fly verification of linear temporal logic" (FM 1999), iterative. It ends at
//! the first accepting component, and a play is extracted from the explored part of the product. If there is none, the
//! numbers of the components are the evidence that the kernel checks.
//!
//! Cost: linear in the edges of the part that is explored, apart from the expansions.

use crate::trusted::NoPlay;
use crate::trusted::normal::GoalId;
use crate::trusted::product::{PairEdge, PairId, TableauProduct};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use tsl_synth_core::base::{Id, IdSet, IdVec, Limit};
use tsl_synth_core::logic::{Lasso, Letter};

/// The result of a search.
#[derive(Debug)]
pub(crate) enum ProductEmptiness {
    /// A play in the language.
    Play(Lasso),
    /// There is no play; the evidence is `Some` if the product was made from formulas.
    Nothing(Option<NoPlay>),
}

/// How much a search explores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SearchExtent {
    /// Up to the first play.
    First,
    /// Everything, for a short play.
    Shortest,
}

/// Searches a product for a play.
pub(crate) fn search(
    product: &mut TableauProduct<'_>,
    effort: SearchExtent,
) -> Result<ProductEmptiness, Limit> {
    let mut search = Couvreur { all_goals: product.goals(), numbers: IdVec::new(), product };
    let accepting = search.accepting_components(effort)?;
    // An accepting component without a play would be a defect of this search, never an empty language.
    let play = accepting
        .iter()
        .map(|component| search.lasso(component, effort).expect("an accepting component has a play"))
        .min_by_key(|play| (play.len(), play.prefix.len()));
    if let Some(play) = play {
        return Ok(ProductEmptiness::Play(play));
    }
    assert!(search.product.is_empty_by(&search.numbers), "the components show that there is no play");
    Ok(ProductEmptiness::Nothing(search.product.no_play(&search.numbers)))
}

struct Couvreur<'p, 'a> {
    product: &'p mut TableauProduct<'a>,
    all_goals: IdSet<GoalId>,
    /// The number of the component of each finished state; no edge leads to a component with a larger number.
    numbers: IdVec<PairId, usize>,
}

/// A component under construction in Couvreur's search.
struct OpenComponent {
    /// The number of its first pair.
    number: usize,
    /// The goals postponed on every edge inside; all of them while there is no edge.
    always_postponed: IdSet<GoalId>,
    /// Whether there is an edge inside.
    closed: bool,
    /// The goals postponed on the edge by which it was entered.
    entered: IdSet<GoalId>,
}

impl Couvreur<'_, '_> {
    /// The accepting components, each as a set of pairs that reach each other by edges that were seen. With
    /// [`SearchExtent::First`] at most one, maybe not maximal.
    fn accepting_components(&mut self, effort: SearchExtent) -> Result<Vec<IdSet<PairId>>, Limit> {
        const DEAD: usize = usize::MAX;
        let (mut found, mut done) = (Vec::new(), 0);
        // The number of each pair in the order of the search, from 1; 0 when unseen.
        let mut numbers: Vec<usize> = Vec::new();
        let mut live: Vec<PairId> = Vec::new();
        let mut roots: Vec<OpenComponent> = Vec::new();
        let mut frames: Vec<(PairId, usize)> = Vec::new();
        let mut seen = 0usize;
        let mut step = Some((self.product.initial(), IdSet::new()));
        loop {
            if let Some((pair, entered)) = step.take() {
                self.product.enter(pair)?;
                seen += 1;
                numbers.resize(self.product.len(), 0);
                numbers[pair.index()] = seen;
                live.push(pair);
                let always_postponed = self.all_goals.clone();
                roots.push(OpenComponent { number: seen, always_postponed, closed: false, entered });
                frames.push((pair, 0));
            }
            let Some((pair, cursor)) = frames.last_mut() else { return Ok(found) };
            let pair = *pair;
            if let Some(edge) = self.product.edges(pair).get(*cursor) {
                *cursor += 1;
                let number = numbers[edge.next.index()];
                if number == 0 {
                    step = Some((edge.next, edge.postponed.clone()));
                } else if number != DEAD {
                    let accepting = merge(&mut roots, number, &edge.postponed);
                    if accepting && effort == SearchExtent::First {
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
                while self.numbers.len() < self.product.len() {
                    self.numbers.push(0);
                }
                for p in live.drain(first..) {
                    numbers[p.index()] = DEAD;
                    self.numbers[p] = done;
                }
                done += 1;
                if root.closed && root.always_postponed.is_empty() {
                    found.push(component);
                }
            }
        }
    }

    /// A short play that reaches the component and stays in it, postponing no goal forever.
    fn lasso(&self, component: &IdSet<PairId>, effort: SearchExtent) -> Option<Lasso> {
        const STARTS: usize = 32;
        let everywhere = |_: &PairEdge| true;
        let reach = self.breadth_first(self.product.initial(), &everywhere);
        let mut starts: Vec<PairId> = component.iter().collect();
        starts.sort_by_key(|&p| (reach.get(&p).map_or(usize::MAX, |seen| seen.distance), p));
        starts.truncate(if effort == SearchExtent::First { 1 } else { STARTS });
        let candidates = starts.into_iter().filter_map(|start| {
            let prefix = path(&reach, start)?;
            let cycle = self.cycle(start, component)?;
            Some(shortened(Lasso { prefix: self.letters(&prefix), cycle: self.letters(&cycle) }))
        });
        candidates.min_by_key(Lasso::len)
    }

    fn cycle(&self, start: PairId, component: &IdSet<PairId>) -> Option<Vec<PairEdge>> {
        let inside = |edge: &PairEdge| component.contains(edge.next);
        let mut cycle: Vec<PairEdge> = Vec::new();
        let mut missing = self.all_goals.clone();
        let mut here = start;
        while !missing.is_empty() {
            // The nearest edge that does not postpone some missing goal.
            let reach = self.breadth_first(here, &inside);
            let good = |edge: &PairEdge| inside(edge) && !missing.is_subset(&edge.postponed);
            let (_, from, edge) = reach
                .iter()
                .flat_map(|(&p, seen)| self.product.edges(p).iter().enumerate().map(move |e| (seen, p, e)))
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
            let closing = |p: PairId| self.product.edges(p).iter().find(|edge| edge.next == start);
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

    fn breadth_first(&self, from: PairId, allowed: &dyn Fn(&PairEdge) -> bool) -> FxHashMap<PairId, Seen> {
        let mut reach = FxHashMap::default();
        reach.insert(from, Seen { distance: 0, by: None });
        let mut queue = VecDeque::from([from]);
        while let Some(pair) = queue.pop_front() {
            let distance = reach[&pair].distance + 1;
            for edge in self.product.edges(pair).iter().filter(|edge| allowed(edge)) {
                reach.entry(edge.next).or_insert_with(|| {
                    queue.push_back(edge.next);
                    Seen { distance, by: Some((pair, edge.clone())) }
                });
            }
        }
        reach
    }

    fn letters(&self, path: &[PairEdge]) -> Vec<Letter> {
        path.iter().map(|edge| self.product.letter(edge)).collect()
    }
}

struct Seen {
    distance: usize,
    /// The predecessor and the edge from it.
    by: Option<(PairId, PairEdge)>,
}

fn path(reach: &FxHashMap<PairId, Seen>, to: PairId) -> Option<Vec<PairEdge>> {
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
pub(crate) fn shortened(word: Lasso) -> Lasso {
    let Lasso { mut prefix, mut cycle } = word;
    let n = cycle.len();
    let period = (1..=n).find(|&d| n.is_multiple_of(d) && (d..n).all(|i| cycle[i] == cycle[i - d]));
    cycle.truncate(period.unwrap_or(n));
    while prefix.pop_if(|last| Some(&*last) == cycle.last()).is_some() {
        cycle.rotate_right(1);
    }
    Lasso { prefix, cycle }
}

/// Merges the components on the stack down to that of the pair with this number, to which an edge leads back; returns
/// whether the result is accepting.
fn merge(roots: &mut Vec<OpenComponent>, number: usize, postponed: &IdSet<GoalId>) -> bool {
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
