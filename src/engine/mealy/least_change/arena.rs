//! The automata and hypotheses of an objective over one store of guards, and the answers that are tried.

use super::LeastChange;
use crate::game::{GatedAutomata, advance};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use tsl_synth_automata::{ComponentId, components};
use tsl_synth_core::base::{Budget, Id, IdVec, Limit};
use tsl_synth_core::logic::{Alphabet, AtomId, CellId, Guard, Guards, Letter, Player};
use tsl_synth_core::model::{Marks, Mealy};

/// The most answers that are tried in each position.
const MOST_ANSWERS: usize = 96;
/// The most cells of an answer that are kept one by one rather than all together.
const MOST_CHANGED: usize = 6;

/// Instead of the state of a hypothesis that no longer matters.
const BROKEN: u32 = u32::MAX;

/// A state of an automaton with the number of acceptance sets that its run has met in turn: a generalized condition
/// needs no further states.
pub(super) type Track = (u32, u32);

/// A state of one of the automata.
pub(super) struct Node {
    pub(super) group: usize,
    pub(super) edges: Vec<NodeEdge>,
    /// Whether a run can stay here, or come back, and be rejecting.
    pub(super) is_pending: bool,
    sets: usize,
}

/// An edge of an automaton.
pub(super) struct NodeEdge {
    pub(super) guard: Guard,
    next: u32,
    /// The marks; `None` where the component changes.
    counted: Option<Marks>,
}

/// A hypothesis, as the edges of its states; `None` for a dead state.
type Gate = Vec<Option<Vec<(Guard, u32)>>>;

/// An answer of the system.
pub(super) struct Answer {
    pub(super) letter: Letter,
    /// How many cells change, at most.
    pub(super) changes: usize,
    /// For each cell that may get the value which it has, the inputs on which it does.
    pub(super) same: Vec<Guard>,
}

/// The states of all hypotheses.
pub(super) type ContextId = u32;

/// The states of the hypotheses after an answer, by inputs.
type Steps = Rc<Vec<(Guard, ContextId)>>;

/// An edge of the machine: inputs, the index of the answer, the next state.
pub(super) type MachineEdge = (Guard, usize, usize);

/// The parts of an objective, with what was computed about them.
pub(super) struct Arena<'a> {
    pub(super) budget: &'a Budget,
    pub(super) alphabet: &'a Alphabet,
    pub(super) machine: &'a Mealy,
    pub(super) guards: Guards,
    pub(super) nodes: Vec<Node>,
    initial: Vec<u32>,
    gates: Vec<Gate>,
    initial_gates: Vec<u32>,
    groups: Vec<Vec<usize>>,
    pub(super) answers: Vec<Answer>,
    /// For each state of the machine its edges: guard, answer, next state.
    pub(super) edges: Vec<Vec<MachineEdge>>,
    contexts: Vec<Vec<u32>>,
    context_ids: FxHashMap<Vec<u32>, ContextId>,
    steps: FxHashMap<(ContextId, usize), Steps>,
    given: FxHashMap<(Guard, usize), Guard>,
}

impl<'a> Arena<'a> {
    pub(super) fn new(given: &LeastChange<'a>, budget: &'a Budget) -> Self {
        let LeastChange { objective, alphabet, keep, same, machine } = *given;
        let mut guards = alphabet.guards();
        let (mut nodes, mut initial) = (Vec::new(), Vec::new());
        for (group, gated) in objective.groups.iter().enumerate() {
            add_nodes(gated, group, &mut guards, &mut nodes, &mut initial);
        }
        let gate = |monitor: &tsl_synth_core::model::Monitor| {
            let state = |state: &tsl_synth_core::model::MonitorState| {
                (!state.dead).then(|| {
                    let copied = state.edges.iter().map(|edge| (edge.guard, edge.next.index() as u32));
                    copied.collect::<Vec<_>>()
                })
            };
            monitor.states.iter().map(state).collect::<Gate>()
        };
        let mut gates: Vec<Gate> = objective.gates.iter().map(gate).collect();
        for (gate, monitor) in gates.iter_mut().zip(&objective.gates) {
            for (own, _) in gate.iter_mut().flatten().flatten() {
                *own = monitor.guards.copy_into(*own, &mut guards);
            }
        }
        let (mut answers, edges) = answers(alphabet, keep, machine, &mut guards);
        for answer in &mut answers {
            let written = same.iter().filter(|(update, _)| alphabet.holds(*update, &answer.letter));
            answer.same = written
                .map(|(_, values)| {
                    values.iter().fold(Guard::TRUE, |all, &(atom, holds)| {
                        let own = alphabet.guard(atom, &mut guards);
                        let own = if holds { own } else { guards.not(own) };
                        guards.and(all, own)
                    })
                })
                .collect();
        }
        Self {
            budget,
            alphabet,
            machine,
            guards,
            nodes,
            initial,
            gates,
            initial_gates: objective.gates.iter().map(|gate| gate.initial.index() as u32).collect(),
            groups: objective.groups.iter().map(|group| group.gates.clone()).collect(),
            answers,
            edges,
            contexts: Vec::new(),
            context_ids: FxHashMap::default(),
            steps: FxHashMap::default(),
            given: FxHashMap::default(),
        }
    }

    /// Counts work.
    pub(super) fn tick(&self, amount: usize) -> Result<(), Limit> {
        self.budget.tick(amount as u64, || "a controller with fewer changes".into())
    }

    /// The states of the hypotheses and the runs at the beginning.
    pub(super) fn begin(&mut self) -> (ContextId, Vec<Track>) {
        let first = self.initial_gates.clone();
        let context = self.context(first);
        let alive = self.initial.iter().filter(|&&q| self.is_alive(self.nodes[q as usize].group, context));
        (context, alive.map(|&q| (q, 0)).collect())
    }

    fn context(&mut self, mut states: Vec<u32>) -> ContextId {
        // What happens to a hypothesis no longer matters if another one of all its groups is broken.
        let is_broken: Vec<bool> = self.groups.iter().map(|own| self.is_broken(own, &states)).collect();
        for (gate, state) in states.iter_mut().enumerate() {
            let is_needed =
                self.groups.iter().zip(&is_broken).any(|(own, broken)| !broken && own.contains(&gate));
            if !is_needed {
                *state = BROKEN;
            }
        }
        let next = self.contexts.len() as ContextId;
        *self.context_ids.entry(states).or_insert_with_key(|states| {
            self.contexts.push(states.clone());
            next
        })
    }

    /// Whether one of some hypotheses is broken.
    fn is_broken(&self, gates: &[usize], states: &[u32]) -> bool {
        gates.iter().any(|&g| states[g] == BROKEN || self.gates[g][states[g] as usize].is_none())
    }

    /// Whether the hypotheses of a group still hold.
    pub(super) fn is_alive(&self, group: usize, context: ContextId) -> bool {
        !self.is_broken(&self.groups[group], &self.contexts[context as usize])
    }

    /// The number of groups whose hypotheses hold.
    pub(super) fn alive(&self, context: ContextId) -> usize {
        (0..self.groups.len()).filter(|&group| self.is_alive(group, context)).count()
    }

    /// A guard over the inputs: the letters of `guard` with this answer.
    pub(super) fn given(&mut self, guard: Guard, answer: usize) -> Guard {
        if let Some(&known) = self.given.get(&(guard, answer)) {
            return known;
        }
        let (alphabet, letter) = (self.alphabet, &self.answers[answer].letter);
        let known = |bit| (alphabet.owner(bit) == Player::System).then(|| letter.contains(bit));
        let inputs = self.guards.given(guard, &known);
        self.given.insert((guard, answer), inputs);
        inputs
    }

    /// The states of the hypotheses after an answer, by inputs.
    pub(super) fn steps(&mut self, context: ContextId, answer: usize) -> Result<Steps, Limit> {
        if let Some(known) = self.steps.get(&(context, answer)) {
            return Ok(known.clone());
        }
        let states = self.contexts[context as usize].clone();
        let mut parts: Vec<(Guard, Vec<u32>)> = vec![(Guard::TRUE, states.clone())];
        for (g, &state) in states.iter().enumerate() {
            if state == BROKEN {
                continue;
            }
            let Some(edges) = self.gates[g][state as usize].clone() else { continue };
            let mut finer = Vec::new();
            for (guard, next) in edges {
                let inputs = self.given(guard, answer);
                for (part, states) in &parts {
                    let both = self.guards.and(*part, inputs);
                    if both != Guard::FALSE {
                        let mut states = states.clone();
                        states[g] = next;
                        finer.push((both, states));
                    }
                }
            }
            // Parts that are broken alike need not be told apart.
            parts = Vec::new();
            for (guard, states) in finer {
                let is_dead = self.groups.iter().all(|own| self.is_broken(own, &states));
                let states = if is_dead { vec![BROKEN; states.len()] } else { states };
                match parts.iter_mut().find(|(_, same)| *same == states) {
                    Some(part) => part.0 = self.guards.or(part.0, guard),
                    None => parts.push((guard, states)),
                }
            }
            parts.retain(|part| part.0 != Guard::FALSE);
            self.tick(parts.len())?;
        }
        let mut merged: Vec<(Guard, ContextId)> = Vec::new();
        for (guard, states) in parts {
            let next = self.context(states);
            match merged.iter_mut().find(|(_, same)| *same == next) {
                Some(part) => part.0 = self.guards.or(part.0, guard),
                None => merged.push((guard, next)),
            }
        }
        let merged = Rc::new(merged);
        self.steps.insert((context, answer), merged.clone());
        Ok(merged)
    }

    /// The run after an edge, and whether it met all acceptance sets once more.
    pub(super) fn after(&self, (node, met): Track, edge: &NodeEdge) -> (Track, bool) {
        let node = &self.nodes[node as usize];
        let Some(marks) = edge.counted else { return ((edge.next, 0), false) };
        let reached = advance(node.sets, met, marks);
        let sets = node.sets.max(1) as u32;
        ((edge.next, reached % sets), reached >= sets)
    }
}

fn add_nodes(
    gated: &GatedAutomata,
    group: usize,
    guards: &mut Guards,
    nodes: &mut Vec<Node>,
    initial: &mut Vec<u32>,
) {
    for (automaton, _) in &gated.automata {
        let base = nodes.len() as u32;
        let successors: Vec<Vec<usize>> =
            automaton.edges.iter().map(|out| out.iter().map(|e| e.next.index()).collect()).collect();
        let component = components(&successors);
        let all = Marks::all(automaton.sets);
        let mut seen: IdVec<ComponentId, Option<Marks>> = component.table(None);
        for (q, out) in automaton.edges.enumerate() {
            for edge in out.iter().filter(|edge| component[edge.next.index()] == component[q.index()]) {
                let own = &mut seen[component[q.index()]];
                *own = Some(own.unwrap_or(Marks::NONE).union(edge.marks));
            }
        }
        for (q, out) in automaton.edges.enumerate() {
            let own = component[q.index()];
            let edges = out.iter().map(|edge| NodeEdge {
                guard: automaton.guards.copy_into(edge.guard, guards),
                next: base + edge.next.index() as u32,
                counted: (component[edge.next.index()] == own).then_some(edge.marks),
            });
            let edges = edges.collect();
            let is_pending = seen[own].is_some_and(|marks| marks.covers(all));
            nodes.push(Node { group, edges, is_pending, sets: automaton.sets });
        }
        initial.extend(automaton.initial.iter().map(|q| base + q.index() as u32));
    }
}

/// The answers of a machine, also with cells kept, and its edges. Each answer of the machine comes before those that are
/// made from it.
fn answers(
    alphabet: &Alphabet,
    keep: &IdVec<CellId, Option<AtomId>>,
    machine: &Mealy,
    guards: &mut Guards,
) -> (Vec<Answer>, Vec<Vec<MachineEdge>>) {
    let mut letters: Vec<Letter> = Vec::new();
    let mut edges = Vec::new();
    for state in &machine.states {
        let mut own = Vec::new();
        for edge in &state.edges {
            let letter = alphabet.canonical(&edge.output);
            let index = letters.iter().position(|known| *known == letter).unwrap_or_else(|| {
                letters.push(letter);
                letters.len() - 1
            });
            own.push((machine.guards.copy_into(edge.guard, guards), index, edge.next.index()));
        }
        edges.push(own);
    }
    let changed = |letter: &Letter| -> Vec<(CellId, AtomId)> {
        let kept = keep.enumerate().filter_map(|(cell, keep)| Some((cell, (*keep)?)));
        kept.filter(|&(cell, keep)| alphabet.chosen(letter, cell) != keep).collect()
    };
    for own in letters.clone() {
        let cells = changed(&own);
        let subsets = if cells.len() <= MOST_CHANGED { 1usize << cells.len() } else { 2 };
        for subset in 1..subsets {
            let mut letter = own.clone();
            for (i, &(_, keep)) in cells.iter().enumerate() {
                if cells.len() > MOST_CHANGED || subset >> i & 1 == 1 {
                    alphabet.choose(keep, &mut letter);
                }
            }
            if letters.len() < MOST_ANSWERS && !letters.contains(&letter) {
                letters.push(letter);
            }
        }
    }
    let answer = |letter: Letter| Answer { changes: changed(&letter).len(), letter, same: Vec::new() };
    (letters.into_iter().map(answer).collect(), edges)
}
