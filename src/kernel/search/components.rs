//! A fair path of a graph for a conjunction of clauses about letters that are read infinitely often or finitely often
//! and about safety formulas, or an elimination of all paths: Baier, Blahoudek, Duret-Lutz, Klein, Müller and Strejček,
//! "Generic emptiness check for fun and profit" (ATVA 2019). If no cycle of a component satisfies a clause by letters
//! that it reads, only letters that are read finitely often can satisfy it: the component is searched again without
//! these rare letters. For strong fairness this is the polynomial search for Streett components; a clause with several
//! sets of rare letters requires one search for each set.

use crate::trusted::elimination::{
    Decomposition, Elimination, EliminationReason, FairnessCondition, ProductGraph, VertexEdge, VertexId,
};
use crate::trusted::normal::GoalId;
use std::collections::VecDeque;
use tsl_synth_core::base::{Budget, Id, IdVec, Limit};
use tsl_synth_core::logic::{Guard, Guards, Lasso, Letter};

/// What a fair cycle must have: a letter of a set, or an edge that does not postpone a strong fixpoint.
#[derive(Clone, Copy, Debug)]
enum Recurring {
    Letters(Guard),
    Goal(GoalId),
}

/// Part of a graph, without the letters that are not allowed.
struct Region {
    pairs: Vec<VertexId>,
    allowed: Guard,
}

struct FairComponents<'a> {
    graph: &'a ProductGraph,
    guards: &'a mut Guards,
    condition: &'a FairnessCondition,
    /// The number of the region that a pair is in.
    region_of: IdVec<VertexId, usize>,
    regions: usize,
    /// The numbers of the last search for components.
    low: IdVec<VertexId, usize>,
    budget: &'a Budget,
}

/// The result of the search.
pub(crate) enum Fairness {
    /// A play that satisfies the condition.
    Play(Lasso),
    /// Why there is none.
    Nothing(Elimination),
}

/// A play that satisfies the condition, or why there is none.
pub(crate) fn fair_play(
    graph: &ProductGraph,
    guards: &mut Guards,
    condition: &FairnessCondition,
    budget: &Budget,
) -> Result<Fairness, Limit> {
    let region_of = IdVec::filled(0, graph.edges.len());
    let low = region_of.clone();
    let mut finder = FairComponents { graph, guards, condition, region_of, regions: 0, low, budget };
    let mut shown = Elimination { regions: vec![Decomposition::new()] };
    let mut open = vec![(0, Region { pairs: graph.edges.ids().collect(), allowed: Guard::TRUE })];
    while let Some((number, region)) = open.pop() {
        for (component, closed) in finder.components(&region)? {
            let component = Region { pairs: component, allowed: region.allowed };
            let judgment = if closed {
                finder.judge(&component)?
            } else {
                ComponentVerdict::Unfair(EliminationReason::NoEdge)
            };
            let reason = match judgment {
                ComponentVerdict::Fair(wanted) => {
                    // If there were none, this search would have a defect; the language would not be empty.
                    let play = finder.lasso(&component, wanted).expect("a fair component has a play");
                    return Ok(Fairness::Play(play));
                }
                ComponentVerdict::Unfair(EliminationReason::Clause(clause, _)) => {
                    let mut without = Vec::new();
                    for &rare in &condition.clauses[clause].seldom {
                        let allowed = finder.guards.minus(component.allowed, rare);
                        without.push(shown.regions.len());
                        open.push((shown.regions.len(), Region { pairs: component.pairs.clone(), allowed }));
                        shown.regions.push(Decomposition::new());
                    }
                    EliminationReason::Clause(clause, without)
                }
                ComponentVerdict::Unfair(reason) => reason,
            };
            shown.regions[number].push((component.pairs, reason));
        }
    }
    Ok(Fairness::Nothing(shown))
}

/// Whether a component has a fair cycle.
enum ComponentVerdict {
    /// A cycle that reads all of these satisfies the condition.
    Fair(Vec<Recurring>),
    /// No cycle satisfies the condition; if the reason is a clause, none that reads letters of all its sets of rare
    /// letters.
    Unfair(EliminationReason),
}

impl FairComponents<'_> {
    /// Makes these pairs the current region.
    fn enter(&mut self, pairs: &[VertexId]) {
        self.regions += 1;
        for &pair in pairs {
            self.region_of[pair] = self.regions;
        }
    }

    /// The allowed letters of an edge if it stays in the current region, otherwise none.
    fn inside(&mut self, edge: &VertexEdge, allowed: Guard) -> Guard {
        if self.region_of[edge.next] != self.regions {
            return Guard::FALSE;
        }
        self.guards.and(edge.letters, allowed)
    }

    fn judge(&mut self, component: &Region) -> Result<ComponentVerdict, Limit> {
        self.enter(&component.pairs);
        let graph = self.graph;
        let (condition, first) = (self.condition, component.pairs[0]);
        let clauses = &condition.clauses;
        let mut goals: Vec<bool> = vec![false; condition.goals];
        // For each clause, whether its frequent letters can be read, and which sets of its rare letters.
        let mut often = vec![false; clauses.len()];
        let mut seldom: Vec<Vec<bool>> = clauses.iter().map(|c| vec![false; c.seldom.len()]).collect();
        for &pair in &component.pairs {
            for edge in &graph.edges[pair] {
                let letters = self.inside(edge, component.allowed);
                if letters == Guard::FALSE {
                    continue;
                }
                self.budget.tick(1, || "certificate: fair components of a product".into())?;
                for (goal, met) in goals.iter_mut().enumerate() {
                    *met |= !edge.postponed.contains(GoalId::from_index(goal));
                }
                for (i, clause) in clauses.iter().enumerate() {
                    often[i] = often[i] || self.guards.intersects(letters, clause.often);
                    for (seen, &rare) in seldom[i].iter_mut().zip(&clause.seldom) {
                        *seen = *seen || self.guards.intersects(letters, rare);
                    }
                }
            }
        }
        if let Some(goal) = goals.iter().position(|met| !met) {
            return Ok(ComponentVerdict::Unfair(EliminationReason::Postponed(GoalId::from_index(goal))));
        }
        let mut wanted: Vec<Recurring> =
            (0..goals.len()).map(|goal| Recurring::Goal(GoalId::from_index(goal))).collect();
        let mut failed: Option<usize> = None;
        for (i, clause) in clauses.iter().enumerate() {
            // A safety formula is broken at all states of a component or at none.
            if condition.by_safety(clause, first) || seldom[i].contains(&false) {
                continue;
            }
            if often[i] {
                wanted.push(Recurring::Letters(clause.often));
            } else if failed.is_none_or(|other| clauses[other].seldom.len() > clause.seldom.len()) {
                failed = Some(i);
            }
        }
        Ok(match failed {
            Some(clause) => ComponentVerdict::Unfair(EliminationReason::Clause(clause, Vec::new())),
            None => ComponentVerdict::Fair(wanted),
        })
    }

    /// The strongly connected components of a region, each after all components that it leads to, and whether an edge
    /// is inside: Tarjan, "Depth-first search and linear graph algorithms" (SIAM J. Computing 1972), iterative.
    fn components(&mut self, region: &Region) -> Result<Vec<(Vec<VertexId>, bool)>, Limit> {
        const DONE: usize = usize::MAX;
        self.enter(&region.pairs);
        let graph = self.graph;
        for &pair in &region.pairs {
            self.low[pair] = 0;
        }
        let (mut live, mut seen, mut found) = (Vec::new(), 0, Vec::new());
        // Pairs with their numbers, how many of their edges were followed, and whether one leads to themselves.
        let mut frames: Vec<(VertexId, usize, usize, bool)> = Vec::new();
        for &root in &region.pairs {
            let mut step = (self.low[root] == 0).then_some(root);
            loop {
                if let Some(pair) = step.take() {
                    self.budget.tick(1, || "certificate: fair components of a product".into())?;
                    seen += 1;
                    self.low[pair] = seen;
                    frames.push((pair, seen, 0, false));
                    live.push(pair);
                }
                let Some((pair, number, cursor, looped)) = frames.last_mut() else { break };
                let (pair, number) = (*pair, *number);
                if let Some(edge) = graph.edges[pair].get(*cursor) {
                    *cursor += 1;
                    if self.region_of[edge.next] == self.regions
                        && self.guards.intersects(edge.letters, region.allowed)
                    {
                        *looped |= edge.next == pair;
                        match self.low[edge.next] {
                            0 => step = Some(edge.next),
                            DONE => {}
                            other => self.low[pair] = self.low[pair].min(other),
                        }
                    }
                    continue;
                }
                let looped = *looped;
                frames.pop();
                if let Some(&(parent, ..)) = frames.last() {
                    self.low[parent] = self.low[parent].min(self.low[pair]);
                }
                if self.low[pair] == number {
                    let first = live.iter().rposition(|&p| p == pair).expect("a root is live");
                    let component: Vec<VertexId> = live.drain(first..).collect();
                    for &member in &component {
                        self.low[member] = DONE;
                    }
                    let closed = component.len() > 1 || looped;
                    found.push((component, closed));
                }
            }
        }
        Ok(found)
    }

    /// A play that reaches a component and reads all of `wanted` there infinitely often.
    fn lasso(&mut self, component: &Region, mut wanted: Vec<Recurring>) -> Option<Lasso> {
        let everything: Vec<VertexId> = self.graph.edges.ids().collect();
        self.enter(&everything);
        let mut is_goal = IdVec::filled(false, self.graph.edges.len());
        for &pair in &component.pairs {
            is_goal[pair] = true;
        }
        let (prefix, start) = if is_goal[self.graph.initial] {
            (Vec::new(), self.graph.initial)
        } else {
            self.path(self.graph.initial, Guard::TRUE, &mut |_, edge, letters| {
                is_goal[edge.next].then_some(letters)
            })?
        };
        self.enter(&component.pairs);
        let (mut cycle, mut here) = (Vec::new(), start);
        while let Some(next) = wanted.pop() {
            let mut met = |guards: &mut Guards, edge: &VertexEdge, letters: Guard| match next {
                Recurring::Goal(goal) => (!edge.postponed.contains(goal)).then_some(letters),
                Recurring::Letters(often) => Some(guards.and(letters, often)).filter(|&l| l != Guard::FALSE),
            };
            let (part, end) = self.path(here, component.allowed, &mut met)?;
            cycle.extend(part);
            here = end;
        }
        if here != start || cycle.is_empty() {
            let (part, _) = self.path(here, component.allowed, &mut |_, edge, letters| {
                (edge.next == start).then_some(letters)
            })?;
            cycle.extend(part);
        }
        Some(Lasso { prefix, cycle })
    }

    /// The letters of a shortest path in the current region, and its end. `met` returns the letters with which an edge
    /// may be the last one.
    fn path(
        &mut self,
        from: VertexId,
        allowed: Guard,
        met: &mut dyn FnMut(&mut Guards, &VertexEdge, Guard) -> Option<Guard>,
    ) -> Option<(Vec<Letter>, VertexId)> {
        let graph = self.graph;
        let mut by: IdVec<VertexId, Option<(VertexId, Guard)>> = IdVec::filled(None, graph.edges.len());
        let mut seen = IdVec::filled(false, graph.edges.len());
        seen[from] = true;
        let mut queue = VecDeque::from([from]);
        while let Some(pair) = queue.pop_front() {
            for edge in &graph.edges[pair] {
                let letters = self.inside(edge, allowed);
                if letters == Guard::FALSE {
                    continue;
                }
                if let Some(last) = met(self.guards, edge, letters) {
                    let mut path = vec![self.guards.pick(last)?];
                    let mut at = pair;
                    while let Some((before, letters)) = by[at] {
                        path.push(self.guards.pick(letters)?);
                        at = before;
                    }
                    path.reverse();
                    return Some((path, edge.next));
                }
                if !std::mem::replace(&mut seen[edge.next], true) {
                    by[edge.next] = Some((pair, letters));
                    queue.push_back(edge.next);
                }
            }
        }
        None
    }
}
