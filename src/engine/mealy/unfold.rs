//! A controller together with the values of signals that its updates determine, such as the mode of a cell: for people,
//! who think of modes and not of the states of the machine.
//!
//! The facts of the language say which value a signal has after an update. They become monitors that run beside the
//! machine; the values that a signal can have in a product state are read off the letters that keep all monitors alive.
//! Product states with one state of the machine and the same values are one node, and bisimilar nodes with the same values
//! are one. Inputs that break a fact or a watched assumption belong to no edge.

use super::extract::merge_edges;
use rustc_hash::FxHashMap;
use tsl_synth_automata::ltl_to_monitor;
use tsl_synth_core::base::{Budget, Id, IdSet, Limit, LimitKind, coarsest_partition};
use tsl_synth_core::logic::{
    Alphabet, CellId, EncodedSignal, FormulaId, Formulas, Guard, Guards, Letter, Player,
};
use tsl_synth_core::model::{Mealy, MealyEdge, Monitor, StateId};

/// The most states of the monitor of a fact.
const MONITOR_STATES: usize = 256;
/// The most product states, for each node that is accepted.
const PRODUCT_STATES: usize = 64;

/// What is unfolded.
pub struct Unfolding<'a> {
    /// Owns the facts; monitors add formulas.
    pub formulas: &'a mut Formulas,
    /// The atoms.
    pub alphabet: &'a Alphabet,
    /// What every environment obeys.
    pub facts: &'a [FormulaId],
    /// Assumptions; inputs that break one are left out.
    pub assumptions: &'a [&'a Monitor],
    /// The signals whose values are told apart.
    pub signals: &'a [&'a EncodedSignal],
    /// Cells whose values are known by their last updates, with what each option writes.
    pub written: &'a [(CellId, Vec<Written>)],
    /// The controller.
    pub machine: &'a Mealy,
}

/// What an update writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// The cell keeps its value.
    Same,
    /// The value with this index.
    Value(usize),
    /// A value that is not known.
    Unknown,
}

/// A state of the machine with values.
#[derive(Clone, Debug)]
pub struct UnfoldedNode {
    /// One of the states of the machine that it stands for.
    pub state: StateId,
    /// For each signal, and then for each cell that is known by its last update, the index of its value; `None` if it may
    /// have several.
    pub values: Vec<Option<usize>>,
    /// The inputs that can happen here.
    pub inputs: Guard,
    /// The edges, which cover these inputs. The next states are indices of nodes.
    pub edges: Vec<MealyEdge>,
}

/// A machine with values.
#[derive(Clone, Debug)]
pub struct Unfolded {
    /// Owns all guards.
    pub guards: Guards,
    /// The nodes; runs begin in the first one.
    pub nodes: Vec<UnfoldedNode>,
}

/// The edges of a live state of a monitor; `None` for a dead one.
type Watch = Vec<Option<Vec<(Guard, u32)>>>;

/// A state of the machine, the states of the monitors, and the values that were written last.
type Place = (StateId, Vec<u32>, Vec<Option<usize>>);

impl Unfolding<'_> {
    /// The machine with values, with at most this many nodes.
    ///
    /// # Errors
    /// A limit, among them more nodes.
    pub fn find(&mut self, most: usize, budget: &Budget) -> Result<Unfolded, Limit> {
        let mut guards = self.alphabet.guards();
        let (watches, first) = self.watches(&mut guards, budget)?;
        let edges: Vec<Vec<MealyEdge>> = self
            .machine
            .states
            .iter()
            .map(|state| {
                let copied = state.edges.iter().map(|edge| MealyEdge {
                    guard: self.machine.guards.copy_into(edge.guard, &mut guards),
                    output: self.alphabet.canonical(&edge.output),
                    next: edge.next,
                });
                copied.collect()
            })
            .collect();
        let mut product = Product { watches, guards, alphabet: self.alphabet, budget };
        let mut nodes: Vec<UnfoldedNode> = Vec::new();
        let mut numbers: FxHashMap<(StateId, Vec<Option<usize>>), usize> = FxHashMap::default();
        let mut places: FxHashMap<Place, usize> = FxHashMap::default();
        let mut open: Vec<Place> = vec![(self.machine.initial, first, vec![None; self.written.len()])];
        let mut steps: Vec<(usize, MealyEdge, Place)> = Vec::new();
        while let Some(place) = open.pop() {
            if places.contains_key(&place) {
                continue;
            }
            let (state, monitors, written) = place.clone();
            let letters = product.alive(&monitors);
            let inputs = product.inputs(letters);
            let values = [self.values(&mut product.guards, inputs), written.clone()].concat();
            let next = nodes.len();
            let node = *numbers.entry((state, values)).or_insert_with_key(|(state, values)| {
                nodes.push(UnfoldedNode {
                    state: *state,
                    values: values.clone(),
                    inputs: Guard::FALSE,
                    edges: Vec::new(),
                });
                next
            });
            nodes[node].inputs = product.guards.or(nodes[node].inputs, inputs);
            places.insert(place, node);
            if nodes.len() > most || places.len() > most * PRODUCT_STATES {
                return Err(Limit::new(LimitKind::Size, format!("a drawing of more than {most} states")));
            }
            for edge in &edges[state.index()] {
                for (inputs, after) in product.step(&monitors, edge)? {
                    let place = (edge.next, after, self.after(&written, &edge.output));
                    steps.push((node, MealyEdge { guard: inputs, ..edge.clone() }, place.clone()));
                    open.push(place);
                }
            }
        }
        for (node, edge, place) in steps {
            let next = StateId::from_index(places[&place]);
            nodes[node].edges.push(MealyEdge { next, ..edge });
        }
        for node in &mut nodes {
            node.edges = merge_edges(&mut product.guards, std::mem::take(&mut node.edges));
        }
        Ok(quotient(product.guards, &nodes))
    }

    /// The values that were written last after an output letter.
    fn after(&self, before: &[Option<usize>], output: &Letter) -> Vec<Option<usize>> {
        let after = |(&before, (cell, options)): (&Option<usize>, &(CellId, Vec<Written>))| {
            let chosen = self.alphabet.chosen(output, *cell);
            let index = self.alphabet.cells()[*cell].options.iter().position(|&option| option == chosen);
            match index.map(|index| options[index]) {
                Some(Written::Same) => before,
                Some(Written::Value(value)) => Some(value),
                Some(Written::Unknown) | None => None,
            }
        };
        before.iter().zip(self.written).map(after).collect()
    }

    /// The monitors of the facts about the signals and of the assumptions, and their initial states.
    fn watches(&mut self, guards: &mut Guards, budget: &Budget) -> Result<(Vec<Watch>, Vec<u32>), Limit> {
        let own: IdSet<_> = self.signals.iter().flat_map(|signal| signal.atoms.iter().copied()).collect();
        let (mut watches, mut first) = (Vec::new(), Vec::new());
        let mut add = |monitor: &Monitor| {
            let state = |state: &tsl_synth_core::model::MonitorState| {
                let edges = state.edges.iter();
                let copied = edges
                    .map(|edge| (monitor.guards.copy_into(edge.guard, guards), edge.next.index() as u32));
                (!state.dead).then(|| copied.collect())
            };
            watches.push(monitor.states.iter().map(state).collect::<Watch>());
            first.push(monitor.initial.index() as u32);
        };
        for &fact in self.facts {
            if self.formulas.support(&[fact]).iter().any(|atom| own.contains(atom)) {
                add(&ltl_to_monitor(self.formulas, self.alphabet, fact, MONITOR_STATES, budget)?);
            }
        }
        self.assumptions.iter().for_each(|monitor| add(monitor));
        Ok((watches, first))
    }

    /// The value of each signal on some inputs.
    fn values(&self, guards: &mut Guards, inputs: Guard) -> Vec<Option<usize>> {
        let mut value = |signal: &&EncodedSignal| {
            let mut found = (0..signal.values.len()).filter(|&index| {
                let coded = signal.literals(index).fold(Guard::TRUE, |all, (atom, value)| {
                    let own = self.alphabet.guard(atom, guards);
                    let own = if value { own } else { guards.not(own) };
                    guards.and(all, own)
                });
                guards.overlap(inputs, coded)
            });
            let first = found.next();
            first.filter(|_| found.next().is_none())
        };
        self.signals.iter().map(&mut value).collect()
    }
}

/// The monitors, beside the machine.
struct Product<'a> {
    watches: Vec<Watch>,
    guards: Guards,
    alphabet: &'a Alphabet,
    budget: &'a Budget,
}

impl Product<'_> {
    /// The letters after which all monitors are alive.
    fn alive(&mut self, monitors: &[u32]) -> Guard {
        let mut letters = Guard::TRUE;
        for (watch, &state) in self.watches.iter().zip(monitors) {
            let Some(edges) = &watch[state as usize] else { return Guard::FALSE };
            let live = edges.iter().filter(|(_, next)| watch[*next as usize].is_some());
            let live = live.fold(Guard::FALSE, |sum, (guard, _)| self.guards.or(sum, *guard));
            letters = self.guards.and(letters, live);
        }
        letters
    }

    /// The inputs of some letters.
    fn inputs(&mut self, letters: Guard) -> Guard {
        let alphabet = self.alphabet;
        self.guards.exists(letters, &|bit| alphabet.owner(bit) == Player::System)
    }

    /// The states of the monitors after an edge, by inputs.
    fn step(&mut self, monitors: &[u32], edge: &MealyEdge) -> Result<Vec<(Guard, Vec<u32>)>, Limit> {
        let mut parts: Vec<(Guard, Vec<u32>)> = vec![(edge.guard, Vec::new())];
        for (watch, &state) in self.watches.iter().zip(monitors) {
            let mut finer: Vec<(Guard, Vec<u32>)> = Vec::new();
            let Some(edges) = &watch[state as usize] else { return Ok(Vec::new()) };
            for &(guard, next) in edges.iter().filter(|(_, next)| watch[*next as usize].is_some()) {
                let inputs = given(&mut self.guards, self.alphabet, guard, &edge.output);
                for (part, states) in &parts {
                    let both = self.guards.and(*part, inputs);
                    if both != Guard::FALSE {
                        finer.push((both, [&states[..], &[next]].concat()));
                    }
                }
            }
            self.budget.tick(1 + finer.len() as u64, || "the values of cells in a machine".into())?;
            parts = finer;
        }
        Ok(parts)
    }
}

/// The inputs that are in a guard together with an output letter.
fn given(guards: &mut Guards, alphabet: &Alphabet, guard: Guard, output: &Letter) -> Guard {
    guards.given(guard, &|bit| (alphabet.owner(bit) == Player::System).then(|| output.contains(bit)))
}

/// Merges bisimilar nodes with the same values.
fn quotient(mut guards: Guards, nodes: &[UnfoldedNode]) -> Unfolded {
    let mut kinds: Vec<&Vec<Option<usize>>> = Vec::new();
    let kind = |node: &UnfoldedNode, kinds: &[&Vec<Option<usize>>]| {
        kinds.iter().position(|known| **known == node.values)
    };
    let mut initial = Vec::new();
    for node in nodes {
        let own = kind(node, &kinds).unwrap_or_else(|| {
            kinds.push(&node.values);
            kinds.len() - 1
        });
        initial.push(own);
    }
    let block = coarsest_partition(initial, |node, block| {
        let mut signature: Vec<(Letter, usize, Guard)> = Vec::new();
        for edge in &nodes[node].edges {
            let target = block[edge.next.index()];
            match signature.iter_mut().find(|(output, next, _)| *output == edge.output && *next == target) {
                Some(same) => same.2 = guards.or(same.2, edge.guard),
                None => signature.push((edge.output.clone(), target, edge.guard)),
            }
        }
        signature.sort();
        signature
    });
    let mut numbers: FxHashMap<usize, usize> = FxHashMap::from_iter([(block[0], 0)]);
    let mut order = vec![0];
    let mut merged: Vec<UnfoldedNode> = Vec::new();
    while let Some(&node) = order.get(merged.len()) {
        let mut own = nodes[node].clone();
        for edge in &mut own.edges {
            let number = *numbers.entry(block[edge.next.index()]).or_insert_with(|| {
                order.push(edge.next.index());
                order.len() - 1
            });
            edge.next = StateId::from_index(number);
        }
        own.edges = merge_edges(&mut guards, std::mem::take(&mut own.edges));
        merged.push(own);
    }
    Unfolded { guards, nodes: merged }
}
