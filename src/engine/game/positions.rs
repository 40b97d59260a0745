//! The transition function of the bounded game: the diagram of a position, from letters to next positions.
//!
//! The diagrams of all entries are joined by bucket elimination: as soon as no other diagram depends on a bit, the
//! player who owns it chooses its value wherever one value requires less than the other on every letter. This keeps
//! independent obligations from multiplying.

use super::diagram::{EntryDiagrams, LeafEntry, Ref, counter_of, entry, state_of};
use super::objective::Objective;
use rustc_hash::FxHashMap;
use tsl_synth_core::base::{Budget, Id, Limit};
use tsl_synth_core::logic::{Alphabet, BitId, Guard, Player};
use tsl_synth_core::model::{Buchi, Marks, MonitorStateId, NodeId};

/// The gate or automaton to which a global state number belongs.
#[derive(Clone, Copy, Debug)]
enum LocalState {
    /// Gate and its state.
    Gate(usize, MonitorStateId),
    /// Group, automaton, state.
    Automaton(usize, usize, NodeId),
}

/// The transition function for one objective and one bound.
#[derive(Debug)]
pub(super) struct Transitions<'a> {
    objective: &'a Objective,
    bound: u32,
    pub(super) diagrams: EntryDiagrams,
    /// The bit at each level, the environment's first.
    pub(super) bits: Vec<BitId>,
    /// Levels below this belong to the environment.
    pub(super) border: u32,
    local_states: Vec<LocalState>,
    gate_base: Vec<usize>,
    automaton_base: Vec<Vec<usize>>,
    /// Diagrams of single entries, before gating.
    singles: FxHashMap<LeafEntry, Ref>,
    /// Letters on which a gate in this state stays alive.
    alive: FxHashMap<usize, Ref>,
}

impl<'a> Transitions<'a> {
    pub(super) fn new(
        objective: &'a Objective,
        alphabet: &Alphabet,
        bound: u32,
        max_nodes: usize,
        budget: Budget,
    ) -> Self {
        let bits: Vec<BitId> =
            alphabet.bits_of(Player::Environment).chain(alphabet.bits_of(Player::System)).collect();
        let mut levels = vec![0; alphabet.bit_count()];
        for (level, bit) in bits.iter().enumerate() {
            levels[bit.index()] = level as u32;
        }
        let mut local_states = Vec::new();
        let gate_base = objective
            .gates
            .iter()
            .enumerate()
            .map(|(g, monitor)| {
                let base = local_states.len();
                local_states.extend(monitor.states.ids().map(|s| LocalState::Gate(g, s)));
                base
            })
            .collect();
        let automaton_base = objective
            .groups
            .iter()
            .enumerate()
            .map(|(i, group)| {
                let bases = group.automata.iter().enumerate().map(|(j, (automaton, _))| {
                    let base = local_states.len();
                    local_states.extend(automaton.edges.ids().map(|q| LocalState::Automaton(i, j, q)));
                    base
                });
                bases.collect()
            })
            .collect();
        Self {
            objective,
            bound,
            diagrams: EntryDiagrams::new(levels, max_nodes, budget),
            border: alphabet.bits_of(Player::Environment).count() as u32,
            bits,
            local_states,
            gate_base,
            automaton_base,
            singles: FxHashMap::default(),
            alive: FxHashMap::default(),
        }
    }

    /// The initial position.
    pub(super) fn initial(&mut self) -> Ref {
        let mut entries = Vec::new();
        for (gate, monitor) in self.objective.gates.iter().enumerate() {
            entries.push(entry(self.gate_base[gate] + monitor.initial.index(), 0));
        }
        for (i, group) in self.objective.groups.iter().enumerate() {
            let dead = |&g: &usize| {
                let monitor = &self.objective.gates[g];
                monitor.states[monitor.initial].dead
            };
            if group.gates.iter().any(dead) {
                continue;
            }
            for (j, (automaton, _)) in group.automata.iter().enumerate() {
                for q in &automaton.initial {
                    entries.push(entry(self.automaton_base[i][j] + q.index(), 0));
                }
            }
        }
        entries.sort_unstable();
        let entries = self.relevant(&entries);
        self.diagrams.leaf(entries)
    }

    /// Drops the gates without any automaton left behind them.
    fn relevant(&self, entries: &[LeafEntry]) -> Box<[LeafEntry]> {
        let mut groups = vec![false; self.objective.groups.len()];
        for &e in entries {
            if let LocalState::Automaton(i, ..) = self.local_states[state_of(e)] {
                groups[i] = true;
            }
        }
        let guarding = |gate: usize| {
            self.objective.groups.iter().zip(&groups).any(|(g, &alive)| alive && g.gates.contains(&gate))
        };
        entries
            .iter()
            .copied()
            .filter(|&e| match self.local_states[state_of(e)] {
                LocalState::Gate(gate, _) => guarding(gate),
                LocalState::Automaton(..) => true,
            })
            .collect()
    }

    /// The diagram of one entry, before gating.
    fn single(&mut self, e: LeafEntry) -> Ref {
        if let Some(&r) = self.singles.get(&e) {
            return r;
        }
        let r = match self.local_states[state_of(e)] {
            LocalState::Gate(gate, state) => {
                let monitor = &self.objective.gates[gate];
                let mut sum = Ref::EMPTY;
                for edge in &monitor.states[state].edges {
                    if monitor.states[edge.next].dead {
                        continue;
                    }
                    let leaf =
                        self.diagrams.leaf([entry(self.gate_base[gate] + edge.next.index(), 0)].into());
                    let part = self.diagrams.on_guard(&monitor.guards, edge.guard, leaf);
                    sum = self.diagrams.join(sum, part);
                }
                sum
            }
            LocalState::Automaton(i, j, q) => {
                let (automaton, component) = &self.objective.groups[i].automata[j];
                let gated = !self.objective.groups[i].gates.is_empty();
                let mut sum = Ref::EMPTY;
                for edge in &automaton.edges[q] {
                    // A run finally stays in one component: counters restart where the component changes.
                    let same = component[q.index()] == component[edge.next.index()];
                    let counter = if same { advance(automaton.sets, counter_of(e), edge.marks) } else { 0 };
                    let hopeless = !gated && is_hopeless(automaton, edge.next);
                    let leaf = if counter >= limit(automaton, self.bound) || hopeless {
                        Ref::BAD
                    } else {
                        let state = self.automaton_base[i][j] + edge.next.index();
                        self.diagrams.leaf([entry(state, counter)].into())
                    };
                    let part = self.diagrams.on_guard(&automaton.guards, edge.guard, leaf);
                    sum = self.diagrams.join(sum, part);
                }
                sum
            }
        };
        self.singles.insert(e, r);
        r
    }

    /// The letters on which the gate stays alive: `BAD` for true, `EMPTY` for false.
    fn alive(&mut self, e: LeafEntry) -> Ref {
        if let Some(&r) = self.alive.get(&state_of(e)) {
            return r;
        }
        let LocalState::Gate(gate, state) = self.local_states[state_of(e)] else {
            unreachable!("only gates die")
        };
        let monitor = &self.objective.gates[gate];
        let mut sum = Ref::EMPTY;
        for edge in &monitor.states[state].edges {
            if !monitor.states[edge.next].dead {
                let part = self.diagrams.on_guard(&monitor.guards, edge.guard, Ref::BAD);
                sum = self.diagrams.join(sum, part);
            }
        }
        self.alive.insert(state_of(e), sum);
        sum
    }

    /// The diagram of a position: the next position for every letter that the players cannot rule out.
    pub(super) fn diagram(&mut self, position: Ref) -> Result<Ref, Limit> {
        let entries = self.relevant(self.diagrams.entries(position));
        let mut group_alive = vec![Ref::BAD; self.objective.groups.len()];
        for &e in &entries {
            if let LocalState::Gate(gate, _) = self.local_states[state_of(e)] {
                let alive = self.alive(e);
                for (i, group) in self.objective.groups.iter().enumerate() {
                    if group.gates.contains(&gate) {
                        group_alive[i] = self.diagrams.gate(group_alive[i], alive);
                    }
                }
            }
        }
        let mut parts = Vec::with_capacity(entries.len());
        for &e in &entries {
            let single = self.single(e);
            let part = match self.local_states[state_of(e)] {
                LocalState::Automaton(i, ..) => self.diagrams.gate(group_alive[i], single),
                // A gate is kept as long as some group behind it is alive.
                LocalState::Gate(gate, _) => {
                    let mut any = Ref::EMPTY;
                    for (i, group) in self.objective.groups.iter().enumerate() {
                        if group.gates.contains(&gate) {
                            any = self.diagrams.join(any, group_alive[i]);
                        }
                    }
                    self.diagrams.gate(any, single)
                }
            };
            parts.push(part);
            self.diagrams.check(1)?;
        }
        self.eliminate(parts)
    }

    fn eliminate(&mut self, mut parts: Vec<Ref>) -> Result<Ref, Limit> {
        let protagonist = self.objective.player;
        parts.sort_unstable();
        parts.dedup();
        let mut open: Vec<u32> = (0..self.bits.len() as u32).collect();
        loop {
            // The bit on which the fewest diagrams depend; the deepest of those.
            let mut uses = vec![0usize; self.bits.len()];
            for &part in &parts {
                for &level in self.diagrams.support(part).iter() {
                    uses[level as usize] += 1;
                }
            }
            open.retain(|&level| uses[level as usize] > 0);
            let Some(&level) = open.iter().min_by_key(|&&level| (uses[level as usize], u32::MAX - level))
            else {
                break;
            };
            let (mut joined, mut rest) = (Ref::EMPTY, Vec::new());
            for part in parts {
                if self.diagrams.support(part).binary_search(&level).is_ok() {
                    joined = self.diagrams.join(joined, part);
                    self.diagrams.check(1)?;
                } else {
                    rest.push(part);
                }
            }
            let owner = if level < self.border { Player::Environment } else { Player::System };
            let pruned = self.diagrams.prune(joined, level, owner == protagonist);
            open.retain(|&l| l != level);
            rest.push(pruned);
            parts = rest;
        }
        let mut joined = Ref::EMPTY;
        for part in parts {
            joined = self.diagrams.join(joined, part);
        }
        self.diagrams.check(1)?;
        Ok(joined)
    }
}

/// The counter of a run of an automaton with `sets` acceptance sets after an edge with these marks. It counts
/// acceptance sets in turn: `sets` of them are one rejecting round. It moves past as many sets as the edge is
/// in, at most one round, so a run that is ahead of another stays ahead: of two runs in one state the larger
/// counter is enough (no degeneralization).
pub fn advance(sets: usize, counter: u32, marks: Marks) -> u32 {
    let sets = sets as u32;
    if sets == 0 {
        return counter + 1;
    }
    let mut reached = counter;
    while reached < counter + sets && marks.covers(Marks::of((reached % sets) as usize)) {
        reached += 1;
    }
    reached
}

/// The first counter past the bound on rejecting rounds; counters have 8 bits.
fn limit(automaton: &Buchi, bound: u32) -> u32 {
    (bound.saturating_add(1)).saturating_mul(automaton.sets.max(1) as u32).min(250)
}

/// Whether the run in this state is rejecting forever, whatever follows.
fn is_hopeless(automaton: &Buchi, q: NodeId) -> bool {
    let all = Marks::all(automaton.sets);
    automaton.edges[q].iter().any(|e| e.next == q && e.marks.covers(all) && e.guard == Guard::TRUE)
}
