//! The control side of a controller: for each state a function from letters to leaves, as guards over atoms and
//! as a decision tree; the same for watched assumptions; sinks, and the product states where `resync` may restart.

use super::care::CareSet;
use super::input::{AssumptionMonitor, EmitError};
use super::tree::DecisionTree;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;
use tsl_synth_core::base::{Id, IdVec};
use tsl_synth_core::logic::atoms::{AtomGuards, variable};
use tsl_synth_core::logic::{Alphabet, AtomId, FormulaId, Guard, Guards, Letter, Node, Player};
use tsl_synth_core::model::{Mealy, Monitor, MonitorStateId, Role, StateId};
use tsl_synth_lang::spec::{Problem, Target};

/// The most product states that are visited in the search for restarts, and the most restarts that are kept. If the
/// search reaches a limit, it is incomplete, and all states count as expected.
const PRODUCT_LIMIT: usize = 4096;
const RESYNC_LIMIT: usize = 32;
/// The most combinations of monitor successors of one leaf, and the most product transitions in all.
const PART_LIMIT: usize = 256;
const WORK_LIMIT: usize = 100_000;

/// The updates, outputs and successor that a machine chooses on some letters in one state.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct MachineLeaf {
    /// The chosen update of each cell.
    pub(super) updates: Vec<AtomId>,
    /// The Boolean outputs that are true.
    pub(super) outputs: Vec<AtomId>,
    pub(super) next: StateId,
}

/// A state of the machine.
#[derive(Clone, Debug)]
pub(super) struct StateData {
    pub(super) leaves: Vec<MachineLeaf>,
    /// The guard of each leaf over atoms; the guards are disjoint and cover all letters.
    pub(super) guards: Vec<Guard>,
    pub(super) tree: DecisionTree,
    /// Never left once reached, and not the start.
    pub(super) sink: bool,
    /// Whether it is reached while no watched assumption is broken; `true` where that was not decided.
    pub(super) expected: bool,
}

/// The successor of a state of a monitor on some letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum MonitorLeaf {
    /// A live state: the assumption may still hold.
    Goes(MonitorStateId),
    /// The environment broke the assumption: no choice of the system could have kept it.
    Broken,
    /// The system chose outputs after which the assumption cannot hold.
    GivenUp,
}

/// A live state of a monitor.
#[derive(Clone, Debug)]
pub(super) struct WatchState {
    pub(super) leaves: Vec<MonitorLeaf>,
    pub(super) guards: Vec<Guard>,
    pub(super) tree: DecisionTree,
}

/// A watched assumption.
#[derive(Clone, Debug)]
pub(super) struct MonitorData {
    pub(super) text: String,
    pub(super) initial: MonitorStateId,
    /// `None` for dead states.
    pub(super) states: IdVec<MonitorStateId, Option<WatchState>>,
}

/// A product state where `resync` may restart.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Restart {
    pub(super) state: StateId,
    /// The state of each monitor; `None` once its assumption is given up.
    pub(super) monitors: Vec<Option<MonitorStateId>>,
}

/// The control side of a controller.
#[derive(Debug)]
pub(super) struct Control<'a> {
    /// Owns all guards of `states` and `watches`.
    pub(super) atoms: AtomGuards<'a>,
    /// The letters that can occur: the facts hold, and each cell has exactly one update.
    pub(super) care: CareSet,
    pub(super) initial: StateId,
    pub(super) states: IdVec<StateId, StateData>,
    pub(super) watches: Vec<MonitorData>,
    pub(super) restarts: Vec<Restart>,
}

impl<'a> Control<'a> {
    /// Builds the control side of a machine and its watched assumptions.
    pub(super) fn build(
        problem: &'a Problem,
        mealy: &Mealy,
        assumptions: &[AssumptionMonitor],
    ) -> Result<Self, EmitError> {
        let mut control = Self::without_states(problem, assumptions)?;
        let alphabet = &problem.alphabet;
        let mut from = mealy.guards.clone();
        let states: Result<Vec<StateData>, EmitError> = mealy
            .states
            .ids()
            .map(|state| state_data(alphabet, mealy, state, &mut from, &mut control.atoms, &control.care))
            .collect();
        (control.initial, control.states) = (mealy.initial, IdVec::from(states?));
        control.explore(alphabet);
        Ok(control)
    }

    /// The control side of a controller whose decisions are not listed state by state: only its watched assumptions.
    pub(super) fn without_states(
        problem: &'a Problem,
        assumptions: &[AssumptionMonitor],
    ) -> Result<Self, EmitError> {
        let mut atoms = AtomGuards::new(&problem.alphabet);
        let mut conditions = facts(problem, &mut atoms.guards);
        conditions.extend(problem.alphabet.cells().ids().map(|cell| atoms.one_of_each([cell])));
        let care = CareSet::new(&mut atoms.guards, conditions);
        let watches: Result<Vec<MonitorData>, EmitError> =
            assumptions.iter().map(|a| watch_data(problem, a, &mut atoms, &care)).collect();
        let (initial, states) = (StateId::from_index(0), IdVec::new());
        Ok(Self { atoms, care, initial, states, watches: watches?, restarts: Vec::new() })
    }

    /// Explores the product states that are reachable while no assumption is broken, breadth first; sets `restarts`
    /// and, if no limit is reached, `expected`.
    fn explore(&mut self, alphabet: &Alphabet) {
        let start = Restart {
            state: self.initial,
            monitors: self.watches.iter().map(|watch| Some(watch.initial)).collect(),
        };
        let mut seen: FxHashSet<Restart> = FxHashSet::default();
        let mut order = Vec::new();
        let first = start.clone();
        let mut queue = VecDeque::from([start.clone()]);
        seen.insert(start);
        let (mut work, mut complete) = (0, true);
        while let Some(place) = queue.pop_front() {
            let successors = self.successors(alphabet, &place, &mut complete);
            work += successors.len();
            if work > WORK_LIMIT || seen.len() >= PRODUCT_LIMIT {
                complete = false;
                break;
            }
            for next in successors {
                if seen.len() < PRODUCT_LIMIT && seen.insert(next.clone()) {
                    queue.push_back(next);
                }
            }
            order.push(place);
        }
        if complete && !self.watches.is_empty() {
            let reached: FxHashSet<StateId> = order.iter().map(|place| place.state).collect();
            for state in self.states.ids() {
                self.states[state].expected = reached.contains(&state);
            }
        }
        if order.is_empty() {
            order.push(first);
        }
        order.retain(|place| !self.states[place.state].sink);
        order.truncate(RESYNC_LIMIT);
        self.restarts = order;
    }

    fn successors(&mut self, alphabet: &Alphabet, place: &Restart, complete: &mut bool) -> Vec<Restart> {
        let mut result = Vec::new();
        for (leaf, &guard) in self.states[place.state].leaves.iter().zip(&self.states[place.state].guards) {
            let outputs = output_guard(alphabet, leaf, &mut self.atoms.guards);
            let guards = &mut self.atoms.guards;
            let guard = guards.and(guard, outputs);
            let live = self
                .watches
                .iter()
                .zip(&place.monitors)
                .filter_map(|(watch, state)| state.and_then(|state| watch.states[state].as_ref()));
            let functions: Vec<Guard> = live.flat_map(|live| &live.guards).copied().chain([guard]).collect();
            let care = self.care.around(guards, &functions);
            let letters = guards.and(guard, care);
            let mut parts = vec![(letters, Vec::new())];
            for (watch, state) in self.watches.iter().zip(&place.monitors) {
                let live = state.and_then(|state| watch.states[state].as_ref());
                let mut finer = Vec::new();
                for (letters, monitors) in parts {
                    let Some(live) = live else {
                        finer.push((letters, [&monitors[..], &[None]].concat()));
                        continue;
                    };
                    for (leaf, &guard) in live.leaves.iter().zip(&live.guards) {
                        let next = match leaf {
                            MonitorLeaf::Goes(next) => Some(*next),
                            MonitorLeaf::GivenUp => None,
                            MonitorLeaf::Broken => continue,
                        };
                        finer.push((guards.and(letters, guard), [&monitors[..], &[next]].concat()));
                    }
                }
                finer.retain(|(letters, _)| *letters != Guard::FALSE);
                *complete &= finer.len() <= PART_LIMIT;
                finer.truncate(PART_LIMIT);
                parts = finer;
            }
            let alive = parts.into_iter().filter(|(letters, _)| *letters != Guard::FALSE);
            result.extend(alive.map(|(_, monitors)| Restart { state: leaf.next, monitors }));
        }
        result
    }
}

/// The letters that have the outputs and updates of a leaf.
fn output_guard(alphabet: &Alphabet, leaf: &MachineLeaf, guards: &mut Guards) -> Guard {
    let mut cube: Vec<_> =
        alphabet.outputs().map(|atom| (variable(atom), leaf.outputs.contains(&atom))).collect();
    for (cell, chosen) in alphabet.cells().iter().zip(&leaf.updates) {
        cube.extend(cell.options.iter().map(|atom| (variable(*atom), atom == chosen)));
    }
    cube.sort_unstable_by(|a, b| b.cmp(a));
    guards.cube(&cube)
}

fn state_data(
    alphabet: &Alphabet,
    mealy: &Mealy,
    state: StateId,
    from: &mut Guards,
    atoms: &mut AtomGuards<'_>,
    care: &CareSet,
) -> Result<StateData, EmitError> {
    let mut leaves: Vec<MachineLeaf> = Vec::new();
    let mut guards: Vec<Guard> = Vec::new();
    let mut all = Guard::FALSE;
    for edge in &mealy.states[state].edges {
        if edge.guard == Guard::FALSE {
            continue;
        }
        let guard = atoms.import(edge.guard, from);
        let inputs_only =
            from.support(edge.guard).iter().all(|bit| alphabet.owner(*bit) == Player::Environment);
        if !inputs_only || atoms.guards.intersects(all, guard) {
            return Err(EmitError::Internal(format!("state {} is not deterministic", state.index())));
        }
        all = atoms.guards.or(all, guard);
        let leaf = leaf_of(alphabet, &edge.output, edge.next);
        if let Some(i) = leaves.iter().position(|known| *known == leaf) {
            guards[i] = atoms.guards.or(guards[i], guard);
        } else {
            leaves.push(leaf);
            guards.push(guard);
        }
    }
    if all != Guard::TRUE {
        return Err(EmitError::Internal(format!("state {} does not cover every input", state.index())));
    }
    let care = care.around(&mut atoms.guards, &guards);
    let tree = DecisionTree::build(&mut atoms.guards, &guards, care);
    let sink = state != mealy.initial && leaves.iter().all(|leaf| leaf.next == state);
    Ok(StateData { leaves, guards, tree, sink, expected: true })
}

/// The leaf of an output letter and a successor.
pub(super) fn leaf_of(alphabet: &Alphabet, output: &Letter, next: StateId) -> MachineLeaf {
    MachineLeaf {
        updates: alphabet.cells().ids().map(|cell| alphabet.chosen(output, cell)).collect(),
        outputs: alphabet.outputs().filter(|&atom| alphabet.holds(atom, output)).collect(),
        next,
    }
}

fn watch_data(
    problem: &Problem,
    assumption: &AssumptionMonitor,
    atoms: &mut AtomGuards<'_>,
    care: &CareSet,
) -> Result<MonitorData, EmitError> {
    let monitor = &assumption.monitor;
    let mut from = monitor.guards.clone();
    let mut states = IdVec::new();
    for (id, state) in monitor.states.enumerate() {
        if state.dead {
            states.push(None);
            continue;
        }
        let parts = watch_parts(problem, monitor, id, &mut from);
        let parts: Vec<(MonitorLeaf, Guard)> =
            parts.into_iter().map(|(watch, guard)| (watch, atoms.import(guard, &mut from))).collect();
        let functions: Vec<Guard> = parts.iter().map(|&(_, guard)| guard).collect();
        let care = care.around(&mut atoms.guards, &functions);
        let mut leaves = Vec::new();
        let mut guards = Vec::new();
        let mut all = Guard::FALSE;
        for (watch, guard) in parts {
            let guard = atoms.guards.and(guard, care);
            all = atoms.guards.or(all, guard);
            if guard != Guard::FALSE {
                leaves.push(watch);
                guards.push(guard);
            }
        }
        if all != care {
            return Err(EmitError::Internal(format!("monitor of `{}` is not total", assumption.text)));
        }
        let tree = DecisionTree::build(&mut atoms.guards, &guards, care);
        states.push(Some(WatchState { leaves, guards, tree }));
    }
    Ok(MonitorData { text: assumption.text.clone(), initial: monitor.initial, states })
}

/// The successors of a live state. The letters that lead to dead states are divided by the player that is responsible:
/// the player that moves last in a step if it could have avoided them, else the player that moves first.
fn watch_parts(
    problem: &Problem,
    monitor: &Monitor,
    state: MonitorStateId,
    guards: &mut Guards,
) -> Vec<(MonitorLeaf, Guard)> {
    let mut parts: Vec<(MonitorLeaf, Guard)> = Vec::new();
    let mut dead = Guard::FALSE;
    for edge in &monitor.states[state].edges {
        if monitor.states[edge.next].dead {
            dead = guards.or(dead, edge.guard);
        } else if let Some(part) = parts.iter_mut().find(|(watch, _)| *watch == MonitorLeaf::Goes(edge.next))
        {
            part.1 = guards.or(part.1, edge.guard);
        } else {
            parts.push((MonitorLeaf::Goes(edge.next), edge.guard));
        }
    }
    let alive = guards.not(dead);
    // A Moore machine chooses the outputs of a step before it reads the inputs.
    let last = if problem.target == Target::Moore { Player::Environment } else { Player::System };
    let avoidable = guards.exists(alive, &|bit| problem.alphabet.owner(bit) == last);
    let (by_last, by_first) = (guards.and(dead, avoidable), guards.not(avoidable));
    let (broken, given_up) =
        if last == Player::Environment { (by_last, by_first) } else { (by_first, by_last) };
    parts.push((MonitorLeaf::Broken, broken));
    parts.push((MonitorLeaf::GivenUp, given_up));
    parts
}

/// The conditions on input letters that the semantics of the language gives in every step, by the facts of the form G b,
/// where b is a Boolean combination of inputs.
fn facts(problem: &Problem, guards: &mut Guards) -> Vec<Guard> {
    let facts = problem.clauses.iter().filter(|clause| clause.role == Role::Fact);
    let bodies = facts.filter_map(|clause| match *problem.formulas.node(clause.formula) {
        Node::Globally(body) => Some(body),
        _ => None,
    });
    bodies.filter_map(|body| invariant(problem, body, guards)).collect()
}

fn invariant(problem: &Problem, body: FormulaId, guards: &mut Guards) -> Option<Guard> {
    let formulas = &problem.formulas;
    let mut values: FxHashMap<FormulaId, Guard> = FxHashMap::default();
    for f in formulas.subformulas(&[body]) {
        let guard = match formulas.node(f) {
            Node::True => Guard::TRUE,
            Node::False => Guard::FALSE,
            Node::Atom(atom) if problem.alphabet.player(*atom) == Player::Environment => {
                guards.bit(variable(*atom))
            }
            Node::Not(g) => guards.not(values[g]),
            Node::And(gs) => gs.iter().fold(Guard::TRUE, |sum, g| guards.and(sum, values[g])),
            Node::Or(gs) => gs.iter().fold(Guard::FALSE, |sum, g| guards.or(sum, values[g])),
            Node::Iff(a, b) => guards.iff(values[a], values[b]),
            _ => return None,
        };
        values.insert(f, guard);
    }
    Some(values[&body])
}
