//! Deterministic parity automata as tables over explicit letters, and analyses of their cycles. A run accepts if the
//! least priority seen infinitely often is even; a letter without an entry ends the run, which rejects.
//!
//! Cycles of one parity are found by a decomposition into components per priority; O(priorities · entries).

use super::scc::{Components, components};
use rustc_hash::FxHashMap;

/// The next state and the priority of the step; `None` if the run ends.
pub type TableEntry = Option<(u32, u32)>;

/// A deterministic parity automaton; the first state is the initial one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParityTable {
    /// How many letters there are: 2 to the number of propositions.
    pub letters: usize,
    /// The entries, state by state.
    pub entries: Vec<TableEntry>,
}

/// The cycles of a table.
#[derive(Clone, Debug)]
pub(super) struct Cycles {
    /// The component of each state.
    pub(super) component: Components,
    /// Whether the entry lies on an accepting cycle.
    pub(super) accepting: Vec<bool>,
    /// Whether the entry lies on a rejecting cycle.
    pub(super) rejecting: Vec<bool>,
}

impl ParityTable {
    /// How many states there are.
    pub fn len(&self) -> usize {
        self.entries.len() / self.letters
    }
    /// Whether there is no state.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
    /// The entries of a state, by letter.
    pub fn row(&self, state: usize) -> &[TableEntry] {
        &self.entries[state * self.letters..(state + 1) * self.letters]
    }
    /// The priorities in use, ascending.
    pub fn priorities(&self) -> Vec<u32> {
        let mut all: Vec<u32> = self.entries.iter().flatten().map(|&(_, priority)| priority).collect();
        all.sort_unstable();
        all.dedup();
        all
    }
    pub(super) fn components_from(&self, least: u32) -> Components {
        let successors: Vec<Vec<usize>> = (0..self.len())
            .map(|state| {
                let kept = self.row(state).iter().flatten().filter(|(_, priority)| *priority >= least);
                let mut next: Vec<usize> = kept.map(|&(to, _)| to as usize).collect();
                next.sort_unstable();
                next.dedup();
                next
            })
            .collect();
        components(&successors)
    }
    pub(super) fn cycles(&self) -> Cycles {
        let (mut accepting, mut rejecting) =
            (vec![false; self.entries.len()], vec![false; self.entries.len()]);
        for priority in self.priorities() {
            let component = self.components_from(priority);
            let inner = |i: usize, entry: &TableEntry| {
                entry
                    .filter(|&(to, p)| p >= priority && component[to as usize] == component[i / self.letters])
            };
            let mut found = component.table(false);
            for (i, entry) in self.entries.iter().enumerate() {
                if inner(i, entry).is_some_and(|(_, p)| p == priority) {
                    found[component[i / self.letters]] = true;
                }
            }
            let marked = if priority % 2 == 0 { &mut accepting } else { &mut rejecting };
            for (i, entry) in self.entries.iter().enumerate() {
                marked[i] |= inner(i, entry).is_some() && found[component[i / self.letters]];
            }
        }
        Cycles { component: self.components_from(0), accepting, rejecting }
    }

    /// Keeps the initial state and the reachable states with a nonempty language; replaces the priorities by the least
    /// ones in the same order and of the same parities.
    pub fn tidy(&self) -> Self {
        let cycles = self.cycles();
        let mut alive = cycles.component.table(false);
        let mut order: Vec<usize> = (0..self.len()).collect();
        order.sort_by_key(|&state| cycles.component[state]);
        for &state in &order {
            for (letter, entry) in self.row(state).iter().enumerate() {
                if let Some((to, _)) = *entry {
                    alive[cycles.component[state]] |= cycles.accepting[state * self.letters + letter]
                        || (alive[cycles.component[to as usize]]
                            && cycles.component[to as usize] != cycles.component[state]);
                }
            }
        }
        let mut ranks: FxHashMap<u32, u32> = FxHashMap::default();
        let mut rank = 0;
        for (i, &priority) in self.priorities().iter().enumerate() {
            rank = if i == 0 { priority % 2 } else { rank + u32::from(rank % 2 != priority % 2) };
            ranks.insert(priority, rank);
        }
        let mut map: FxHashMap<usize, u32> = FxHashMap::default();
        let mut states = vec![0usize];
        map.insert(0, 0);
        let mut entries = Vec::new();
        let mut next = 0;
        while next < states.len() {
            let state = states[next];
            next += 1;
            for entry in self.row(state) {
                let kept = entry.filter(|&(to, _)| alive[cycles.component[to as usize]]);
                entries.push(kept.map(|(to, priority)| {
                    let id = *map.entry(to as usize).or_insert_with(|| {
                        states.push(to as usize);
                        states.len() as u32 - 1
                    });
                    (id, ranks[&priority])
                }));
            }
        }
        Self { letters: self.letters, entries }
    }

    /// Whether two tidy automata over the same letters accept the same words. O(states · states · letters), times
    /// the pairs of priorities.
    pub fn same_language(&self, other: &Self) -> bool {
        TableProduct::reached(self, other).is_some_and(|pairs| !pairs.differ(None).contains(&true))
    }

    /// For each pair of states of a tidy automaton, numbered `p * states + q`, whether they accept the same words.
    pub(super) fn equal_states(&self) -> Vec<bool> {
        TableProduct::all(self).differ(Some(self.len())).into_iter().map(|differ| !differ).collect()
    }
}

/// The product of two automata.
struct TableProduct {
    /// Per pair: next pair and both priorities.
    edges: Vec<Vec<(usize, u32, u32)>>,
    /// Per pair: on some letter one of the two runs ends and the other can continue and accept.
    torn: Vec<bool>,
}

impl TableProduct {
    /// The pairs reached from the initial one; `None` as soon as one is torn.
    fn reached(a: &ParityTable, b: &ParityTable) -> Option<Self> {
        let mut index: FxHashMap<(usize, usize), usize> = FxHashMap::default();
        let mut pairs = vec![(0, 0)];
        index.insert((0, 0), 0);
        let mut this = Self { edges: Vec::new(), torn: Vec::new() };
        while this.edges.len() < pairs.len() {
            let pair = pairs[this.edges.len()];
            let torn = this.add((a, b), pair, |next| {
                *index.entry(next).or_insert_with(|| {
                    pairs.push(next);
                    pairs.len() - 1
                })
            });
            if torn {
                return None;
            }
        }
        Some(this)
    }

    /// All pairs of states of one automaton, `p * states + q`.
    fn all(table: &ParityTable) -> Self {
        let n = table.len();
        let mut this = Self { edges: Vec::with_capacity(n * n), torn: Vec::with_capacity(n * n) };
        for p in 0..n {
            for q in 0..n {
                this.add((table, table), (p, q), |(s, t)| s * n + t);
            }
        }
        this
    }

    /// Adds the edges of a pair, and returns whether it is torn.
    fn add(
        &mut self,
        (a, b): (&ParityTable, &ParityTable),
        (p, q): (usize, usize),
        mut number: impl FnMut((usize, usize)) -> usize,
    ) -> bool {
        let (mut out, mut torn) = (Vec::new(), false);
        for (x, y) in a.row(p).iter().zip(b.row(q)) {
            match (x, y) {
                (Some((s, i)), Some((t, j))) => out.push((number((*s as usize, *t as usize)), *i, *j)),
                (None, None) => {}
                _ => torn = true,
            }
        }
        out.sort_unstable();
        out.dedup();
        self.edges.push(out);
        self.torn.push(torn);
        torn
    }

    /// The pairs whose languages differ. `all` is the number of states if the pairs are all pairs of one automaton;
    /// then a pair differs if the swapped pair does, and half of the parities suffice.
    fn differ(&self, all: Option<usize>) -> Vec<bool> {
        let list = |of: fn(&(usize, u32, u32)) -> u32| {
            let mut all: Vec<u32> = self.edges.iter().flatten().map(of).collect();
            all.sort_unstable();
            all.dedup();
            all
        };
        let (left, right) = (list(|e| e.1), list(|e| e.2));
        let mut bad = self.torn.clone();
        for &i in &left {
            for &j in right.iter().filter(|&&j| j % 2 != i % 2 && (all.is_none() || i % 2 == 0)) {
                let kept = |e: &&(usize, u32, u32)| e.1 >= i && e.2 >= j;
                let successors: Vec<Vec<usize>> =
                    self.edges.iter().map(|out| out.iter().filter(kept).map(|e| e.0).collect()).collect();
                let component = components(&successors);
                let mut seen = component.table((false, false));
                for (v, out) in self.edges.iter().enumerate() {
                    for e in out.iter().filter(kept).filter(|e| component[e.0] == component[v]) {
                        seen[component[v]].0 |= e.1 == i;
                        seen[component[v]].1 |= e.2 == j;
                    }
                }
                for (v, bad) in bad.iter_mut().enumerate() {
                    *bad |= seen[component[v]] == (true, true);
                }
            }
        }
        if let Some(n) = all {
            for v in 0..bad.len() {
                bad[v] |= bad[v % n * n + v / n];
            }
        }
        // A pair that reaches a differing pair differs.
        let mut before: Vec<Vec<usize>> = vec![Vec::new(); self.edges.len()];
        for (v, out) in self.edges.iter().enumerate() {
            for e in out {
                before[e.0].push(v);
            }
        }
        let mut stack: Vec<usize> = (0..bad.len()).filter(|&v| bad[v]).collect();
        while let Some(v) = stack.pop() {
            for &u in &before[v] {
                if !bad[u] {
                    bad[u] = true;
                    stack.push(u);
                }
            }
        }
        bad
    }
}
