//! One universal co-Büchi automaton for a whole objective: the disjoint union of its automata, each restricted
//! to the letters on which its gates stay alive.

use crate::game::{Objective, advance};
use crate::mealy::tuning::{MAX_GUARD_WORK, MAX_HYPOTHESIS, MAX_UNIVERSAL};
use tsl_synth_automata::{components, restrict};
use tsl_synth_core::base::{Budget, Id, Limit, LimitKind, StopFlag};
use tsl_synth_core::logic::{Guard, Guards};
use tsl_synth_core::model::{Buchi, Marks};

/// A state of the automaton.
#[derive(Debug)]
pub(super) struct UniversalState {
    pub(super) edges: Vec<UniversalEdge>,
    /// Acceptance sets of its automaton.
    sets: usize,
    /// The number of states of its component; 0 if the component has no cycle.
    turns: u32,
    /// Whether some run from here is rejecting on every word.
    pub(super) hopeless: bool,
}

/// An edge, with its index in [`Universal::labels`].
#[derive(Debug)]
pub(super) struct UniversalEdge {
    pub(super) label: usize,
    pub(super) next: usize,
    /// The marks that count; `None` when the component changes and counters restart.
    counted: Option<Marks>,
}

/// The automaton.
#[derive(Debug)]
pub(super) struct Universal {
    pub(super) guards: Guards,
    /// The distinct guards of edges.
    pub(super) labels: Vec<Guard>,
    pub(super) nodes: Vec<UniversalState>,
    pub(super) initial: Vec<usize>,
}

impl Universal {
    /// The automaton of an objective, and whether it includes all hypotheses: without some of them its machines are
    /// still controllers, but smaller ones may exist.
    pub(super) fn new(objective: &Objective, budget: &Budget) -> Result<(Self, bool), Limit> {
        let mut union =
            Self { guards: Guards::new(), labels: Vec::new(), nodes: Vec::new(), initial: Vec::new() };
        let mut exact = true;
        // Work on guards is not counted by budgets.
        let flag = StopFlag::new().within(u64::MAX);
        let (budget, before) = (&budget.clone().with_flag(flag.clone()), budget.work());
        let on_guards = || flag.spent().saturating_sub(budget.work() - before);
        for group in &objective.groups {
            for (automaton, _) in &group.automata {
                let mut restricted = automaton.clone();
                for &gate in &group.gates {
                    match restrict(&restricted, &objective.gates[gate], MAX_HYPOTHESIS, budget) {
                        Ok(_) if on_guards() > MAX_GUARD_WORK => {
                            let what = "guards too large for the search for the smallest machine";
                            return Err(Limit::new(LimitKind::Size, what));
                        }
                        Ok(smaller) => restricted = smaller,
                        Err(limit) if limit.kind == LimitKind::Size => exact = false,
                        Err(limit) => return Err(limit),
                    }
                }
                union.add(&restricted);
                if union.nodes.len() > MAX_UNIVERSAL {
                    let what = "a universal automaton too large for the search for the smallest machine";
                    return Err(Limit::new(LimitKind::Size, what));
                }
            }
        }
        Ok((union, exact))
    }

    fn add(&mut self, automaton: &Buchi) {
        let base = self.nodes.len();
        let successors: Vec<Vec<usize>> =
            automaton.edges.iter().map(|out| out.iter().map(|e| e.next.index()).collect()).collect();
        let component = components(&successors);
        let all = Marks::all(automaton.sets);
        for (q, out) in automaton.edges.enumerate() {
            let own = component[q.index()];
            let inside = |p: usize| component[p] == own;
            let stays = (0..successors.len()).any(|p| inside(p) && successors[p].iter().any(|&r| inside(r)));
            let size = component.iter().filter(|&c| c == own).count() as u32;
            let edges = out.iter().map(|edge| {
                let guard = automaton.guards.copy_into(edge.guard, &mut self.guards);
                let label = self.labels.iter().position(|&l| l == guard).unwrap_or_else(|| {
                    self.labels.push(guard);
                    self.labels.len() - 1
                });
                let counted = inside(edge.next.index()).then_some(edge.marks);
                UniversalEdge { label, next: base + edge.next.index(), counted }
            });
            let edges = edges.collect();
            let hopeless = out.iter().any(|e| e.next == q && e.marks.covers(all) && e.guard == Guard::TRUE);
            self.nodes.push(UniversalState {
                edges,
                sets: automaton.sets,
                turns: if stays { size } else { 0 },
                hopeless,
            });
        }
        self.initial.extend(automaton.initial.iter().map(|q| base + q.index()));
    }

    /// How many counters are distinguished at each node of the product with a machine of n states, when a run may
    /// be rejecting for `rounds` rounds. A run that is rejecting more often than its component has states in the
    /// product is rejecting forever.
    pub(super) fn levels(&self, n: usize, rounds: u32) -> Vec<u32> {
        let levels = self.nodes.iter().map(|node| {
            let most = node.turns.saturating_mul(n as u32).min(rounds);
            most.saturating_mul(node.sets.max(1) as u32) + 1
        });
        levels.collect()
    }

    /// The counter after an edge; `None` when it is too large.
    pub(super) fn counter(
        &self,
        node: usize,
        edge: &UniversalEdge,
        counter: u32,
        levels: &[u32],
    ) -> Option<u32> {
        if self.nodes[edge.next].hopeless {
            return None;
        }
        let next = edge.counted.map_or(0, |marks| advance(self.nodes[node].sets, counter, marks));
        (next < levels[edge.next]).then_some(next)
    }
}
