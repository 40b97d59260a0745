//! Explores the product of a machine with the tableau of some formulas and ranks its strongly connected components in
//! reverse topological order. If no component has, for each strong fixpoint, an edge that does not postpone it, the ranks are
//! a proof that no play satisfies the formulas; otherwise the component yields a play that does.
//!
//! The expansion is that of the checker, so that its table has the same pairs. Nothing here is trusted.

use crate::lasso::Lasso;
use std::collections::{BTreeSet, HashMap, VecDeque};
use tsl_check::check::EdgesOver;
use tsl_check::cube::Cube;
use tsl_check::formula::{Arena, Formula};
use tsl_check::hoa::{Machine, State};
use tsl_check::tableau::expand;

/// A pair of the product with its rank.
pub(crate) type Ranked = (State, Vec<Formula>, u64);

/// What the product shows.
#[derive(Debug)]
pub(crate) enum Shown {
    /// No play satisfies the formulas: the rows of a table, that of the start first.
    NoPlay(Vec<Ranked>),
    /// A play may: a path with its labels. The labels are over the atoms of the formulas.
    Play(Play),
}

/// A path of the product to a cycle.
#[derive(Debug)]
pub(crate) struct Play {
    /// The states from the start to the end of the cycle.
    pub(crate) states: Vec<State>,
    /// The label of the edge to the next state; of the last one, back to the state at `back`.
    pub(crate) labels: Vec<Cube>,
    pub(crate) back: usize,
}

struct Edge {
    label: Cube,
    postponed: Vec<Formula>,
    next: usize,
}

struct Product<'a> {
    arena: &'a Arena,
    labels: EdgesOver<'a>,
    pairs: Vec<(State, Vec<Formula>)>,
    index: HashMap<(State, Vec<Formula>), usize>,
    edges: Vec<Vec<Edge>>,
}

/// Limits of an exploration.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Pairs of one claim.
    pub pairs: usize,
    /// Steps of all expansions.
    pub steps: u64,
}

/// Explores the product.
pub(crate) fn explore(
    arena: &Arena,
    machine: &Machine,
    start: &[Formula],
    limits: &mut Limits,
) -> Result<Shown, String> {
    let mut product = Product {
        arena,
        labels: EdgesOver::new(machine, arena.atoms(start)),
        pairs: Vec::new(),
        index: HashMap::new(),
        edges: Vec::new(),
    };
    product.pair((machine.start, start.to_vec()));
    while product.edges.len() < product.pairs.len() {
        if product.pairs.len() > limits.pairs {
            return Err(format!("a claim has more than {} pairs", limits.pairs));
        }
        product.enter(limits)?;
    }
    let component = product.components();
    match product.fair(&component) {
        None => {
            let pairs = product.pairs.into_iter().zip(component);
            Ok(Shown::NoPlay(pairs.map(|((state, formulas), rank)| (state, formulas, rank)).collect()))
        }
        Some(fair) => Ok(Shown::Play(product.play(&component, fair))),
    }
}

impl Product<'_> {
    fn pair(&mut self, pair: (State, Vec<Formula>)) -> usize {
        let count = self.pairs.len();
        let at = *self.index.entry(pair.clone()).or_insert(count);
        if at == count {
            self.pairs.push(pair);
        }
        at
    }

    /// Computes the edges of the next pair.
    fn enter(&mut self, limits: &mut Limits) -> Result<(), String> {
        let (state, formulas) = self.pairs[self.edges.len()].clone();
        let mut edges = Vec::new();
        for &(ref label, target) in self.labels.of(state, &mut limits.steps)?.iter() {
            for branch in expand(self.arena, &formulas, label, &mut limits.steps)? {
                let next = self.pair((target, branch.next));
                edges.push(Edge { label: branch.letters, postponed: branch.postponed, next });
            }
        }
        self.edges.push(edges);
        Ok(())
    }

    /// The component of each pair; components that are reached have smaller numbers: Tarjan, "Depth-first search and
    /// linear graph algorithms" (SIAM J. Computing 1972), iterative.
    fn components(&self) -> Vec<u64> {
        const OPEN: u64 = u64::MAX;
        let count = self.pairs.len();
        let (mut low, mut component) = (vec![0usize; count], vec![OPEN; count]);
        let (mut seen, mut found) = (0, 0);
        let (mut live, mut frames) = (Vec::new(), vec![(0usize, 0usize, 0usize)]);
        while let Some(&(pair, number, cursor)) = frames.last() {
            let number = if number == 0 {
                seen += 1;
                low[pair] = seen;
                live.push(pair);
                seen
            } else {
                number
            };
            if let Some(edge) = self.edges[pair].get(cursor) {
                if let Some(top) = frames.last_mut() {
                    *top = (pair, number, cursor + 1);
                }
                if low[edge.next] == 0 {
                    frames.push((edge.next, 0, 0));
                } else if component[edge.next] == OPEN {
                    low[pair] = low[pair].min(low[edge.next]);
                }
                continue;
            }
            frames.pop();
            if let Some(&(parent, ..)) = frames.last() {
                low[parent] = low[parent].min(low[pair]);
            }
            if low[pair] == number {
                while let Some(member) = live.pop() {
                    component[member] = found;
                    if member == pair {
                        break;
                    }
                }
                found += 1;
            }
        }
        component
    }

    /// A component with an edge inside, such that no strong fixpoint is postponed by all edges inside.
    fn fair(&self, component: &[u64]) -> Option<u64> {
        let mut common: HashMap<u64, BTreeSet<Formula>> = HashMap::new();
        for (from, edges) in self.edges.iter().enumerate() {
            for edge in edges.iter().filter(|edge| component[edge.next] == component[from]) {
                let postponed: BTreeSet<Formula> = edge.postponed.iter().copied().collect();
                let all = common.entry(component[from]).or_insert_with(|| postponed.clone());
                all.retain(|f| postponed.contains(f));
            }
        }
        common.into_iter().filter(|(_, all)| all.is_empty()).map(|(number, _)| number).min()
    }

    /// A path to a component and a cycle in it on which every fixpoint is fulfilled.
    fn play(&self, component: &[u64], fair: u64) -> Play {
        let mut play = Play { states: vec![self.pairs[0].0], labels: Vec::new(), back: 0 };
        let mut at = self.walk(
            &mut play,
            0,
            &|_, _| true,
            &|_, next, _| component[next] == fair,
            component[0] == fair,
        );
        let entry = at;
        play.back = play.states.len() - 1;
        let inside = |_: usize, next: usize| component[next] == fair;
        let goals: BTreeSet<Formula> = (0..self.pairs.len())
            .filter(|&p| component[p] == fair)
            .flat_map(|p| self.edges[p].iter().filter(|e| component[e.next] == fair))
            .flat_map(|e| e.postponed.iter().copied())
            .collect();
        for goal in goals {
            at = self.walk(&mut play, at, &inside, &|_, _, edge| !edge.postponed.contains(&goal), false);
        }
        if at != entry || play.states.len() == play.back + 1 {
            self.walk(&mut play, at, &inside, &|_, next, _| next == entry, false);
        }
        // The last state is that at `back` again.
        play.states.pop();
        play
    }

    /// Extends a play by a shortest path whose last edge is wanted. Returns its end.
    fn walk(
        &self,
        play: &mut Play,
        from: usize,
        may: &dyn Fn(usize, usize) -> bool,
        wanted: &dyn Fn(usize, usize, &Edge) -> bool,
        is_there: bool,
    ) -> usize {
        if is_there {
            return from;
        }
        let mut by: HashMap<usize, (usize, &Edge)> = HashMap::new();
        let mut queue = VecDeque::from([from]);
        while let Some(pair) = queue.pop_front() {
            for edge in self.edges[pair].iter().filter(|edge| may(pair, edge.next)) {
                if wanted(pair, edge.next, edge) {
                    let (mut path, mut at) = (vec![edge], pair);
                    while at != from {
                        let (before, edge) = by[&at];
                        path.push(edge);
                        at = before;
                    }
                    for edge in path.iter().rev() {
                        play.labels.push(edge.label.clone());
                        play.states.push(self.pairs[edge.next].0);
                    }
                    return edge.next;
                }
                if edge.next != from && !by.contains_key(&edge.next) {
                    by.insert(edge.next, (pair, edge));
                    queue.push_back(edge.next);
                }
            }
        }
        from
    }
}

impl Play {
    /// A word of the machine along the states of the play with letters of its labels. Atoms that neither they nor the
    /// labels of the machine fix are false.
    pub(crate) fn word(&self, machine: &Machine) -> Lasso {
        let after = |i: usize| self.states.get(i + 1).copied().unwrap_or(self.states[self.back]);
        let letters = self.labels.iter().enumerate().map(|(i, label)| {
            let mut edges = machine.edges[self.states[i]].iter().filter(|edge| edge.1 == after(i));
            let both = edges.find_map(|(cube, _)| cube.and(label));
            let both = both.unwrap_or_else(|| label.clone());
            both.literals().iter().filter(|literal| literal.1).map(|literal| literal.0).collect()
        });
        Lasso { letters: letters.collect(), back: self.back }
    }
}
