//! Automata over the commands of scripts.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// The most rounds of merging equal states.
const ROUNDS: usize = 20;

/// How a command of a script ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CommandOutcome {
    /// It succeeded: otherwise the script does not take this edge.
    Ok,
    /// It failed: otherwise the script does not take this edge.
    Failed,
    /// The script takes this edge in both cases.
    Open,
}

impl CommandOutcome {
    /// Whether the edge may be taken after a command that succeeded (`ok`) or failed.
    pub fn allows(self, ok: bool) -> bool {
        match self {
            Self::Ok => ok,
            Self::Failed => !ok,
            Self::Open => true,
        }
    }
}

/// A transition: a command that may be the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ScriptEdge {
    /// The index of its letter in [`ScriptAutomaton::letters`].
    pub letter: usize,
    /// How it ends if the script takes this edge.
    pub outcome: CommandOutcome,
    /// The state after it.
    pub to: usize,
}

/// A state of a script between two commands.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct ScriptState {
    /// The outgoing edges, sorted.
    pub edges: Vec<ScriptEdge>,
    /// The script may end here with exit status 0.
    pub ends_ok: bool,
    /// The script may end here with another exit status.
    pub ends_failed: bool,
}

/// The orders in which a script may run its commands: a nondeterministic automaton over letters with outcomes.
///
/// Every run of the script is a path from the initial state: each command that ends is an edge, in the order of their
/// ends. An interrupted run is a prefix of a path; a completed run is in a state with `ends_ok` or `ends_failed`,
/// depending on its exit status. In a state without edges and without ends the script runs on without commands. The
/// automaton may have paths that no run takes. All states are reachable; the initial one is 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptAutomaton<L> {
    /// The letters that edges name.
    pub letters: Vec<L>,
    /// The states; the initial one is the first.
    pub states: Vec<ScriptState>,
}

/// Letters by index with outcomes: true for commands that succeeded.
pub type ScriptWord = Vec<(usize, bool)>;

impl<L> ScriptAutomaton<L> {
    /// The states after a prefix of a run.
    pub fn after(&self, word: &[(usize, bool)]) -> BTreeSet<usize> {
        let mut now = BTreeSet::from([0]);
        for &(letter, ok) in word {
            let edges = now.iter().flat_map(|&state| &self.states[state].edges);
            now = edges.filter(|e| e.letter == letter && e.outcome.allows(ok)).map(|edge| edge.to).collect();
        }
        now
    }
    /// Whether a run with these commands may end with exit status 0 (`ok`), or with another one.
    pub fn accepts(&self, word: &[(usize, bool)], ok: bool) -> bool {
        self.after(word)
            .iter()
            .any(|&state| if ok { self.states[state].ends_ok } else { self.states[state].ends_failed })
    }
    /// All prefixes of runs up to a length, each with whether the script may end there with status 0 and with another.
    /// Exponential in the length; for tests and for examples.
    pub fn words(&self, length: usize) -> BTreeMap<ScriptWord, (bool, bool)> {
        let mut words = BTreeMap::new();
        let mut layer = BTreeMap::from([(ScriptWord::new(), BTreeSet::from([0]))]);
        for left in (0..=length).rev() {
            let mut next: BTreeMap<ScriptWord, BTreeSet<usize>> = BTreeMap::new();
            for (word, states) in layer {
                let states: Vec<&ScriptState> = states.iter().map(|&state| &self.states[state]).collect();
                for edge in states.iter().flat_map(|state| &state.edges).filter(|_| left > 0) {
                    for ok in [false, true].into_iter().filter(|&ok| edge.outcome.allows(ok)) {
                        let mut longer = word.clone();
                        longer.push((edge.letter, ok));
                        next.entry(longer).or_default().insert(edge.to);
                    }
                }
                words.insert(word, (states.iter().any(|s| s.ends_ok), states.iter().any(|s| s.ends_failed)));
            }
            layer = next;
        }
        words
    }
}

/// The letter of an edge with whether the command succeeded, if it has one, and the next state.
type DraftEdge = (Option<(usize, bool)>, usize);

/// An automaton with silent edges.
#[derive(Clone, Debug, Default)]
pub(super) struct SilentAutomaton {
    /// For each state its edges.
    pub(super) edges: Vec<Vec<DraftEdge>>,
    /// Whether the script may end in a state: with status 0, and with another.
    pub(super) ends: Vec<(bool, bool)>,
}

impl SilentAutomaton {
    pub(super) fn state(&mut self) -> usize {
        self.edges.push(Vec::new());
        self.ends.push((false, false));
        self.edges.len() - 1
    }
    /// The states of the automaton without silent edges that starts in `initial`, with equal states merged.
    pub(super) fn finish(&self, initial: usize) -> Vec<ScriptState> {
        let mut states = Vec::new();
        // A state stands for its closure under silent edges.
        let mut numbers = BTreeMap::from([(initial, 0)]);
        let mut queue = VecDeque::from([initial]);
        let mut seen = vec![usize::MAX; self.edges.len()];
        while let Some(start) = queue.pop_front() {
            let mut state = ScriptState::default();
            let mut edges: BTreeMap<(usize, usize), (bool, bool)> = BTreeMap::new();
            let mut open = vec![start];
            seen[start] = start;
            while let Some(at) = open.pop() {
                state.ends_ok |= self.ends[at].0;
                state.ends_failed |= self.ends[at].1;
                for &(step, to) in &self.edges[at] {
                    match step {
                        Some((letter, ok)) => {
                            let outcomes = edges.entry((letter, to)).or_default();
                            outcomes.0 |= ok;
                            outcomes.1 |= !ok;
                        }
                        None if seen[to] != start => {
                            seen[to] = start;
                            open.push(to);
                        }
                        None => {}
                    }
                }
            }
            for ((letter, target), outcomes) in edges {
                let fresh = numbers.len();
                let to = *numbers.entry(target).or_insert(fresh);
                if to == fresh {
                    queue.push_back(target);
                }
                state.edges.push(ScriptEdge { letter, outcome: outcome(outcomes), to });
            }
            states.push(state);
        }
        quotient(states)
    }
}

/// The state that a state was merged into, directly or through others.
fn class_of(class: &[usize], mut state: usize) -> usize {
    while class[state] != state {
        state = class[state];
    }
    state
}

fn outcome(outcomes: (bool, bool)) -> CommandOutcome {
    match outcomes {
        (true, true) => CommandOutcome::Open,
        (true, false) => CommandOutcome::Ok,
        _ => CommandOutcome::Failed,
    }
}

/// Merges states with equal edges and ends, and numbers them in breadth-first order. A round goes from the last state
/// to the first, so that one round suffices for chains; the rounds are limited, since the result need not be minimal.
fn quotient(mut states: Vec<ScriptState>) -> Vec<ScriptState> {
    let mut class: Vec<usize> = (0..states.len()).collect();
    for _ in 0..ROUNDS {
        let mut changed = false;
        let mut known: BTreeMap<ScriptState, usize> = BTreeMap::new();
        for i in (0..states.len()).rev().filter(|&i| i == class[i]).collect::<Vec<_>>() {
            let mut merged: BTreeMap<(usize, usize), (bool, bool)> = BTreeMap::new();
            for edge in &states[i].edges {
                let to = class_of(&class, edge.to);
                let outcomes = merged.entry((edge.letter, to)).or_default();
                outcomes.0 |= edge.outcome.allows(true);
                outcomes.1 |= edge.outcome.allows(false);
            }
            let edges =
                merged.into_iter().map(|((letter, to), o)| ScriptEdge { letter, outcome: outcome(o), to });
            states[i].edges = edges.collect();
            let same = *known.entry(states[i].clone()).or_insert(i);
            changed |= same != i;
            class[i] = same;
        }
        if !changed {
            break;
        }
    }
    let initial = class_of(&class, 0);
    for state in &mut states {
        for edge in &mut state.edges {
            edge.to = class_of(&class, edge.to);
        }
    }
    let (mut numbers, mut order, mut next) = (vec![usize::MAX; states.len()], vec![initial], 0);
    numbers[initial] = 0;
    while next < order.len() {
        for edge in &states[order[next]].edges {
            if numbers[edge.to] == usize::MAX {
                numbers[edge.to] = order.len();
                order.push(edge.to);
            }
        }
        next += 1;
    }
    let renumbered = order.iter().map(|&old| {
        let mut state = states[old].clone();
        for edge in &mut state.edges {
            edge.to = numbers[edge.to];
        }
        state.edges.sort_unstable();
        state
    });
    renumbered.collect()
}
