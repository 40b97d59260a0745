//! The controller in product with monitors of the assumptions: the next letter, the assumptions that it breaks, and the
//! product states in which the controller may restart after that.

use super::judge::{WatchedClauses, is_alive};
use rustc_hash::FxHashSet;
use std::collections::VecDeque;
use tsl_synth_core::base::Id;
use tsl_synth_core::logic::{Alphabet, AtomId, AtomKind, BitId, Guard, Guards, Letter, Player};
use tsl_synth_core::model::{Mealy, Monitor, MonitorStateId, StateId};

/// The maximal number of product states that are explored in search of one to restart in.
const PRODUCT_STATES: usize = 4096;
/// The maximal number of parts into which the monitors divide the letters of one edge.
const PARTS: usize = 256;

/// The state of each monitor; `None` once its assumption is violated.
pub(super) type Reached = Vec<Option<MonitorStateId>>;

/// A step that may be taken.
#[derive(Clone, Debug)]
pub(super) struct SafeStep {
    /// The state of the controller that the step is taken from.
    pub(super) from: StateId,
    /// The whole letter.
    pub(super) letter: Letter,
    /// The next state of the controller.
    pub(super) next: StateId,
    /// The next states of the monitors.
    pub(super) reached: Reached,
    /// The assumptions that no choice of the system could have kept.
    pub(super) broken: Vec<usize>,
    /// The assumptions that another choice of the system could have kept.
    pub(super) given_up: Vec<usize>,
}

/// A controller and the monitors of the assumptions.
#[derive(Clone, Debug)]
pub(super) struct ControllerWatch {
    alphabet: Alphabet,
    machine: Mealy,
    monitors: Vec<Monitor>,
    /// The index of the monitor of the conjunction of all assumptions.
    joint: Option<usize>,
    /// The product states in which the controller may restart, in breadth-first order; `None` before they are first
    /// needed.
    product_states: Option<Vec<(StateId, Reached)>>,
}

impl ControllerWatch {
    pub(super) fn new(alphabet: &Alphabet, machine: &Mealy, clauses: &WatchedClauses) -> Self {
        let monitors = clauses.assumptions.iter().map(|watched| watched.monitor.clone()).collect();
        let (alphabet, machine, joint) = (alphabet.clone(), machine.clone(), clauses.joint());
        Self { alphabet, machine, monitors, joint, product_states: None }
    }

    /// The initial product state.
    pub(super) fn initial(&self) -> (StateId, Reached) {
        let reached = self.monitors.iter().map(|m| (!m.states[m.initial].dead).then_some(m.initial));
        (self.machine.initial, reached.collect())
    }

    /// The step of the controller on these inputs; `None` if it has none, which never happens for a certified
    /// controller.
    pub(super) fn step(&mut self, state: StateId, reached: &Reached, input: &Letter) -> Option<SafeStep> {
        let edge = self.machine.edge(state, input)?;
        let mut letter = input.clone();
        letter.union_with(&edge.output);
        let letter = self.alphabet.canonical(&letter);
        let next = edge.next;
        let (mut after, mut broken, mut given_up) =
            (Vec::with_capacity(reached.len()), Vec::new(), Vec::new());
        for (i, now) in reached.iter().enumerate() {
            let Some(now) = *now else {
                after.push(None);
                continue;
            };
            let then = self.monitors[i].step(now, &letter);
            let dead = self.monitors[i].states[then].dead;
            let known = |bit| {
                let given = self.alphabet.owner(bit) == Player::Environment;
                given.then(|| input.contains(bit))
            };
            if dead {
                let avoidable = is_alive(&mut self.monitors[i], now, &known);
                if avoidable { given_up.push(i) } else { broken.push(i) }
            }
            after.push((!dead).then_some(then));
        }
        // The conjunction of the assumptions is reported as broken only if no single assumption is.
        if let Some(joint) = self.joint
            && after[..joint].iter().any(Option::is_none)
        {
            broken.retain(|&i| i != joint);
            given_up.retain(|&i| i != joint);
        }
        Some(SafeStep { from: state, letter, next, reached: after, broken, given_up })
    }

    /// Whether each assumption is kept by some next letter that gives these inputs these values.
    pub(super) fn may_go_on(&mut self, reached: &Reached, inputs: &[(AtomId, bool)]) -> bool {
        let known = |bit: BitId| {
            let is = |atom: AtomId| self.alphabet.atoms()[atom].kind == AtomKind::Input(bit);
            inputs.iter().find(|(atom, _)| is(*atom)).map(|(_, value)| *value)
        };
        let mut live = self.monitors.iter_mut().zip(reached);
        live.all(|(monitor, now)| now.is_none_or(|now| is_alive(monitor, now, &known)))
    }

    /// The step from the first reachable product state in which these inputs break no assumption and do not lead to a
    /// sink.
    pub(super) fn restart(&mut self, input: &Letter) -> Option<SafeStep> {
        let states = match self.product_states.take() {
            Some(states) => states,
            None => self.explore(),
        };
        let is_sink = |this: &Self, state: StateId| {
            state != this.machine.initial && this.machine.states[state].edges.iter().all(|e| e.next == state)
        };
        let found = states.iter().find_map(|(state, reached)| {
            let step = self.step(*state, reached, input)?;
            (step.broken.is_empty() && !is_sink(self, step.next)).then_some(step)
        });
        self.product_states = Some(states);
        found
    }

    /// The product states that are reachable without breaking an assumption, in breadth-first order.
    fn explore(&self) -> Vec<(StateId, Reached)> {
        let mut guards = self.alphabet.guards();
        let machine: Vec<Vec<(Guard, StateId)>> = self
            .machine
            .states
            .iter()
            .map(|state| {
                let letters = state.edges.iter().map(|edge| {
                    let read = self.machine.guards.copy_into(edge.guard, &mut guards);
                    let written = guards.valuation(self.alphabet.bits_of(Player::System), &edge.output);
                    (guards.and(read, written), edge.next)
                });
                letters.collect()
            })
            .collect();
        let monitors: Vec<Vec<Vec<(Guard, MonitorStateId)>>> = self
            .monitors
            .iter()
            .map(|monitor| {
                let edges = |state: &tsl_synth_core::model::MonitorState| {
                    let alive = state.edges.iter().filter(|edge| !monitor.states[edge.next].dead);
                    alive.map(|edge| (edge.guard, edge.next)).collect::<Vec<_>>()
                };
                let all: Vec<Vec<_>> = monitor.states.iter().map(edges).collect();
                let copied = all.into_iter().map(|edges| {
                    let copy =
                        edges.into_iter().map(|(g, next)| (monitor.guards.copy_into(g, &mut guards), next));
                    copy.collect()
                });
                copied.collect()
            })
            .collect();
        let first = self.initial();
        let mut seen: FxHashSet<(StateId, Reached)> = FxHashSet::from_iter([first.clone()]);
        let mut queue = VecDeque::from([first]);
        let mut order = Vec::new();
        while let Some((state, reached)) = queue.pop_front() {
            for &(letters, next) in &machine[state.index()] {
                for reached in parts(&mut guards, letters, &monitors, &reached) {
                    if seen.len() < PRODUCT_STATES && seen.insert((next, reached.clone())) {
                        queue.push_back((next, reached));
                    }
                }
            }
            order.push((state, reached));
        }
        order
    }
}

/// The successor states of the monitors on these letters, as far as every assumption is kept.
fn parts(
    guards: &mut Guards,
    letters: Guard,
    monitors: &[Vec<Vec<(Guard, MonitorStateId)>>],
    reached: &Reached,
) -> Vec<Reached> {
    let mut parts: Vec<(Guard, Reached)> = vec![(letters, Vec::new())];
    for (monitor, now) in monitors.iter().zip(reached) {
        let mut finer = Vec::new();
        for (letters, after) in parts {
            let Some(now) = now else {
                finer.push((letters, [&after[..], &[None]].concat()));
                continue;
            };
            for &(guard, next) in &monitor[now.index()] {
                let both = guards.and(letters, guard);
                if both != Guard::FALSE && finer.len() < PARTS {
                    finer.push((both, [&after[..], &[Some(next)]].concat()));
                }
            }
        }
        parts = finer;
    }
    parts.into_iter().filter(|(letters, _)| *letters != Guard::FALSE).map(|(_, reached)| reached).collect()
}
