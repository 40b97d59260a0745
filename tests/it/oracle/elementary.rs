//! A model checker by enumeration: the elementary-set tableau of Clarke, Grumberg and Hamaguchi (1994). A node is a
//! letter and a guess, for every temporal subformula, of its truth in the next step; an edge leads to the nodes where
//! the guesses are true; a path is fair if each least fixpoint that it claims is fulfilled, and each greatest fixpoint
//! that it denies is refuted.
//!
//! Exponential in the sizes of the formula and of the alphabet. Shares only data types with the certifier.

use super::instance::Instance;
use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use std::collections::{HashMap, HashSet};
use tsl_synth_core::base::Id;
use tsl_synth_core::logic::{FormulaId, Letter, Node, Player};
use tsl_synth_core::model::{CounterStrategy, Mealy};

/// A strategy, possibly partial, as a table: from each state on each letter of [`Instance::letters`] the next state, if
/// the strategy allows that letter. The first state is the initial one.
pub(crate) type Table = Vec<Vec<Option<usize>>>;

/// The tableau of one formula over all letters.
pub(crate) struct Elementary {
    nodes: Vec<TableauNode>,
    /// The nodes where the formula is true.
    initial: Vec<usize>,
    edges: Vec<Vec<usize>>,
    fairness: usize,
}

struct TableauNode {
    letter: usize,
    /// Per fixpoint, whether this node does not postpone it.
    fair: Vec<bool>,
}

impl Elementary {
    /// The tableau, or `None` when it would have more than `limit` nodes.
    pub(crate) fn new(instance: &Instance, letters: &[Letter], f: FormulaId, limit: usize) -> Option<Self> {
        let subformulas = instance.formulas.subformulas(&[f]);
        let temporal: Vec<FormulaId> =
            subformulas.iter().copied().filter(|&g| is_temporal(instance.formulas.node(g))).collect();
        if temporal.len() > 16 || letters.len() << temporal.len() > limit {
            return None;
        }
        let mut nodes = Vec::new();
        let mut initial = Vec::new();
        let mut guesses = Vec::new();
        let mut by_truth: HashMap<Vec<bool>, Vec<usize>> = HashMap::new();
        for (letter_index, letter) in letters.iter().enumerate() {
            for code in 0..1usize << temporal.len() {
                let guess: Vec<bool> = (0..temporal.len()).map(|i| code >> i & 1 == 1).collect();
                let mut now: HashMap<FormulaId, bool> = HashMap::new();
                for &g in &subformulas {
                    let next = temporal.iter().position(|&t| t == g).is_some_and(|i| guess[i]);
                    let value = truth(instance, letter, g, next, &now);
                    now.insert(g, value);
                }
                // The guess that a predecessor must have: the truth of the operand of X, and of the fixpoints
                // themselves.
                let claims = temporal.iter().map(|&t| match *instance.formulas.node(t) {
                    Node::Next(g) => now[&g],
                    _ => now[&t],
                });
                by_truth.entry(claims.collect()).or_default().push(nodes.len());
                if now[&f] {
                    initial.push(nodes.len());
                }
                let fair = temporal.iter().filter_map(|&t| discharged(instance, t, &now)).collect();
                nodes.push(TableauNode { letter: letter_index, fair });
                guesses.push(guess);
            }
        }
        let edges: Vec<Vec<usize>> =
            guesses.iter().map(|guess| by_truth.get(guess).cloned().unwrap_or_default()).collect();
        let fairness = nodes.first().map_or(0, |node| node.fair.len());
        let mut this = Self { nodes, initial, edges, fairness };
        this.keep_fair_paths();
        Some(this)
    }

    /// Whether some play of the strategy satisfies the formula.
    pub(crate) fn has_play(&self, table: &Table) -> bool {
        let mut graph: DiGraph<usize, ()> = DiGraph::new();
        let mut index: HashMap<(usize, usize), NodeIndex> = HashMap::new();
        let mut stack = Vec::new();
        for &node in &self.initial {
            index.insert((0, node), graph.add_node(node));
            stack.push((0, node));
        }
        while let Some((state, node)) = stack.pop() {
            let Some(next_state) = table[state][self.nodes[node].letter] else { continue };
            for &next in &self.edges[node] {
                if table[next_state][self.nodes[next].letter].is_none() {
                    continue;
                }
                let from = index[&(state, node)];
                let to = *index.entry((next_state, next)).or_insert_with(|| {
                    stack.push((next_state, next));
                    graph.add_node(next)
                });
                graph.add_edge(from, to, ());
            }
        }
        kosaraju_scc(&graph).iter().any(|component| self.is_fair(&graph, component))
    }

    /// The nodes in which runs on satisfying words begin.
    pub(crate) fn initial(&self) -> &[usize] {
        &self.initial
    }

    /// The successors of a node in runs on satisfying words.
    pub(crate) fn successors(&self, node: usize) -> &[usize] {
        &self.edges[node]
    }

    /// The letter that a run reads in a node: an index into the letters.
    pub(crate) fn letter(&self, node: usize) -> usize {
        self.nodes[node].letter
    }

    /// The pairs of a state of the strategy and a node from which a play of the strategy has a fair path.
    pub(crate) fn live(&self, table: &Table) -> HashSet<(usize, usize)> {
        let mut graph: DiGraph<usize, ()> = DiGraph::new();
        let mut pairs = Vec::new();
        let mut index = HashMap::new();
        for (state, row) in table.iter().enumerate() {
            for node in 0..self.nodes.len() {
                if row[self.nodes[node].letter].is_some() {
                    index.insert((state, node), graph.add_node(node));
                    pairs.push((state, node));
                }
            }
        }
        for &(state, node) in &pairs {
            let next_state = table[state][self.nodes[node].letter].expect("an allowed letter");
            for &next in &self.edges[node] {
                if let Some(&to) = index.get(&(next_state, next)) {
                    graph.add_edge(index[&(state, node)], to, ());
                }
            }
        }
        let mut live = HashSet::new();
        // Successors come first in this order of components.
        for component in kosaraju_scc(&graph) {
            let leads_on =
                component.iter().any(|&n| graph.neighbors(n).any(|m| live.contains(&pairs[m.index()])));
            if leads_on || self.is_fair(&graph, &component) {
                live.extend(component.iter().map(|n| pairs[n.index()]));
            }
        }
        live
    }

    fn is_fair(&self, graph: &DiGraph<usize, ()>, component: &[NodeIndex]) -> bool {
        let cyclic = component.len() > 1 || graph.contains_edge(component[0], component[0]);
        cyclic && (0..self.fairness).all(|i| component.iter().any(|&n| self.nodes[graph[n]].fair[i]))
    }

    /// Removes the initial nodes and edges from which there is no fair path, on any word.
    fn keep_fair_paths(&mut self) {
        let mut graph: DiGraph<usize, ()> = DiGraph::new();
        for node in 0..self.nodes.len() {
            graph.add_node(node);
        }
        for (from, targets) in self.edges.iter().enumerate() {
            for &to in targets {
                graph.add_edge(NodeIndex::new(from), NodeIndex::new(to), ());
            }
        }
        let mut live = vec![false; self.nodes.len()];
        // Successors come first in this order of components.
        for component in kosaraju_scc(&graph) {
            let leads_on = component.iter().any(|&n| self.edges[n.index()].iter().any(|&m| live[m]));
            if leads_on || self.is_fair(&graph, &component) {
                for n in &component {
                    live[n.index()] = true;
                }
            }
        }
        self.initial.retain(|&node| live[node]);
        for (from, targets) in self.edges.iter_mut().enumerate() {
            targets.retain(|&to| live[from] && live[to]);
        }
    }
}

fn is_temporal(node: &Node) -> bool {
    !matches!(
        node,
        Node::True | Node::False | Node::Atom(_) | Node::Not(_) | Node::And(_) | Node::Or(_) | Node::Iff(..)
    )
}

fn truth(
    instance: &Instance,
    letter: &Letter,
    f: FormulaId,
    next: bool,
    now: &HashMap<FormulaId, bool>,
) -> bool {
    match instance.formulas.node(f) {
        Node::True => true,
        Node::False => false,
        Node::Atom(a) => instance.alphabet.holds(*a, letter),
        Node::Not(g) => !now[g],
        Node::And(gs) => gs.iter().all(|g| now[g]),
        Node::Or(gs) => gs.iter().any(|g| now[g]),
        Node::Iff(a, b) => now[a] == now[b],
        Node::Next(_) => next,
        Node::Finally(g) => now[g] || next,
        Node::Globally(g) => now[g] && next,
        Node::Until(a, b) | Node::WeakUntil(a, b) => now[b] || now[a] && next,
        Node::Release(a, b) | Node::StrongRelease(a, b) => now[b] && (now[a] || next),
    }
}

/// Whether the node does not postpone a fixpoint: a least one that is claimed, or a greatest one that is denied. `None`
/// for X.
fn discharged(instance: &Instance, f: FormulaId, now: &HashMap<FormulaId, bool>) -> Option<bool> {
    match instance.formulas.node(f) {
        Node::Finally(g) => Some(!now[&f] || now[g]),
        Node::Until(_, b) => Some(!now[&f] || now[b]),
        Node::StrongRelease(a, b) => Some(!now[&f] || now[a] && now[b]),
        Node::Globally(g) => Some(now[&f] || !now[g]),
        Node::Release(_, b) => Some(now[&f] || !now[b]),
        Node::WeakUntil(a, b) => Some(now[&f] || !now[a] && !now[b]),
        _ => None,
    }
}

/// The table of a controller.
pub(crate) fn table_of_mealy(instance: &Instance, letters: &[Letter], machine: &Mealy) -> Table {
    let outputs: Letter = instance.alphabet.bits_of(Player::System).collect();
    let outputs = &outputs;
    let row = |state| {
        letters.iter().map(move |letter| {
            let edge = machine.edge(state, letter).expect("total on inputs");
            let mut output = letter.clone();
            output.intersect_with(outputs);
            (edge.output == output).then_some(edge.next.index())
        })
    };
    starting_with(machine.initial.index(), machine.states.ids().map(|state| row(state).collect()).collect())
}

/// The table of a counter-strategy.
pub(crate) fn table_of_counter(instance: &Instance, letters: &[Letter], machine: &CounterStrategy) -> Table {
    let inputs: Letter = instance.alphabet.bits_of(Player::Environment).collect();
    let inputs = &inputs;
    let row = |state| {
        letters.iter().map(move |letter| {
            let edge = machine.edge(state, letter).expect("total on outputs");
            let mut input = letter.clone();
            input.intersect_with(inputs);
            (machine.states[state].input == input).then_some(edge.next.index())
        })
    };
    starting_with(machine.initial.index(), machine.states.ids().map(|state| row(state).collect()).collect())
}

/// Exchanges the numbers of the first and the initial state.
fn starting_with(initial: usize, mut table: Table) -> Table {
    let swapped = |state: usize| match state {
        0 => initial,
        state if state == initial => 0,
        state => state,
    };
    table.swap(0, initial);
    for target in table.iter_mut().flatten().flatten() {
        *target = swapped(*target);
    }
    table
}

/// Whether every play of the strategy satisfies `f`; `None` when the tableau would be too large.
pub(crate) fn keeps(instance: &mut Instance, table: &Table, f: FormulaId, limit: usize) -> Option<bool> {
    let letters = instance.letters();
    let negated = instance.formulas.not(f);
    Some(!Elementary::new(instance, &letters, negated, limit)?.has_play(table))
}
