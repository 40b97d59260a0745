//! Automata under construction: states, silent edges, products, and commands that may occur at any time.

use super::automaton::SilentAutomaton;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// Automata with more states are not built.
pub const SCRIPT_STATES: usize = 8_000;
/// The most edges for commands that may occur at any time.
const ANYTIME: usize = 1 << 18;
/// The most edges at which such commands start.
const PLACES: usize = 64;

/// A command by its index, and whether it succeeded.
pub(super) type CommandResult = (usize, bool);
/// The state before, after success, after failure.
pub(super) type Ends = (usize, usize, usize);

#[derive(Clone, Copy, Debug)]
pub(super) enum ShellStep {
    Silent,
    Command(CommandResult),
    /// From here on, the commands of this set may occur at any time.
    Spawn(usize),
}

/// A separate automaton: its edges, and the states after success and failure. The initial state is 0.
#[derive(Debug)]
pub(super) struct Component {
    pub(super) edges: Vec<Vec<(ShellStep, usize)>>,
    pub(super) ok: usize,
    pub(super) failed: usize,
}

#[derive(Debug, Default)]
pub(super) struct ShellGraph {
    edges: Vec<Vec<(ShellStep, usize)>>,
    spawned: Vec<Vec<CommandResult>>,
    /// Whether a limit was reached, so that the automaton is discarded.
    pub(super) too_large: bool,
}

impl ShellGraph {
    pub(super) fn state(&mut self) -> usize {
        self.too_large |= self.edges.len() >= SCRIPT_STATES;
        if self.too_large {
            return 0;
        }
        self.edges.push(Vec::new());
        self.edges.len() - 1
    }
    pub(super) fn edge(&mut self, from: usize, step: ShellStep, to: usize) {
        if !self.too_large {
            self.edges[from].push((step, to));
        }
    }
    pub(super) fn silent(&mut self, from: usize, to: usize) {
        self.edge(from, ShellStep::Silent, to);
    }
    /// From here on, these commands may occur at any time.
    pub(super) fn spawn(&mut self, letters: Vec<CommandResult>, from: usize, to: usize) {
        self.too_large |= self.spawned.len() >= PLACES;
        self.spawned.push(letters);
        self.edge(from, ShellStep::Spawn(self.spawned.len() - 1), to);
    }
    /// Sets the states aside and begins a separate automaton.
    pub(super) fn begin(&mut self) -> (Vec<Vec<(ShellStep, usize)>>, Ends) {
        let around = std::mem::take(&mut self.edges);
        let ends = (self.state(), self.state(), self.state());
        (around, ends)
    }
    /// The automaton that was begun; restores the states that were set aside.
    pub(super) fn end(&mut self, around: Vec<Vec<(ShellStep, usize)>>, (_, ok, failed): Ends) -> Component {
        Component { edges: std::mem::replace(&mut self.edges, around), ok, failed }
    }
    /// The commands of an automaton, including those that may occur at any time.
    pub(super) fn letters(&self, component: &Component) -> Vec<CommandResult> {
        let mut letters = BTreeSet::new();
        for (step, _) in component.edges.iter().flatten() {
            match step {
                ShellStep::Command(letter) => letters.extend([*letter]),
                ShellStep::Spawn(set) => letters.extend(self.spawned[*set].iter().copied()),
                ShellStep::Silent => {}
            }
        }
        letters.into_iter().collect()
    }
    /// Adds all interleavings. `leave` returns the states outside of the product that follow a tuple of states
    /// silently.
    pub(super) fn product(
        &mut self,
        parts: &[Component],
        from: usize,
        leave: impl Fn(&[usize], &[Component]) -> (Option<usize>, Option<usize>),
    ) {
        let first = vec![0; parts.len()];
        let mut numbers = FxHashMap::from_iter([(first.clone(), from)]);
        let mut open = vec![first];
        while let Some(tuple) = open.pop() {
            if self.too_large {
                return;
            }
            let at = numbers[&tuple];
            let (a, b) = leave(&tuple, parts);
            for target in [a, b].into_iter().flatten() {
                self.silent(at, target);
            }
            for (i, part) in parts.iter().enumerate() {
                for &(step, to) in &part.edges[tuple[i]] {
                    let mut next = tuple.clone();
                    next[i] = to;
                    let known = numbers.get(&next).copied();
                    let target = known.unwrap_or_else(|| {
                        let target = self.state();
                        numbers.insert(next.clone(), target);
                        open.push(next);
                        target
                    });
                    self.edge(at, step, target);
                }
            }
        }
    }
    /// All pairs of a command that may occur at any time and a state that is reachable after its start. `None` if there
    /// are too many.
    fn anytime(&self) -> Option<Vec<(usize, CommandResult)>> {
        let mut found = Vec::new();
        for (set, letters) in self.spawned.iter().enumerate() {
            let starts = self
                .edges
                .iter()
                .flatten()
                .filter(|(step, _)| matches!(step, ShellStep::Spawn(s) if *s == set));
            let mut open: Vec<usize> = starts.map(|&(_, to)| to).collect();
            let mut seen: BTreeSet<usize> = open.iter().copied().collect();
            while let Some(at) = open.pop() {
                open.extend(self.edges[at].iter().map(|&(_, to)| to).filter(|&to| seen.insert(to)));
            }
            if found.len() + seen.len() * letters.len() > ANYTIME {
                return None;
            }
            found.extend(seen.iter().flat_map(|&state| letters.iter().map(move |&letter| (state, letter))));
        }
        Some(found)
    }
    /// The automaton that ends in `ok` and `failed`; `None` if a limit was reached.
    pub(super) fn draft(&self, ok: usize, failed: usize) -> Option<SilentAutomaton> {
        let anytime = self.anytime().filter(|_| !self.too_large)?;
        let mut draft = SilentAutomaton::default();
        for _ in 0..self.edges.len() {
            draft.state();
        }
        draft.ends[ok].0 = true;
        draft.ends[failed].1 = true;
        for (at, edges) in self.edges.iter().enumerate() {
            for &(step, to) in edges {
                let step = if let ShellStep::Command(letter) = step { Some(letter) } else { None };
                draft.edges[at].push((step, to));
            }
        }
        for (state, letter) in anytime {
            draft.edges[state].push((Some(letter), state));
        }
        Some(draft)
    }
}
