//! Explores all plays of a counter-strategy, with the known truth values of predicates on terms that can recur. Two
//! plays that agree up to renaming of opaque values reach the same position, so exploration often terminates.
//!
//! A term can recur only if it can be rebuilt from the current values of cells, constants and future inputs, as
//! indivisible parts. So a cell's value whose arguments cannot all be rebuilt is replaced by a new opaque value, and
//! facts about a term that cannot be rebuilt are dropped; both are exact.

use super::knowledge;
use super::nodes::{Nodes, TimedLeaf, TimedTerm, TimedTermId, is_noisy};
use crate::spec::arithmetic::comparison_of;
use crate::spec::finite::domain;
use crate::spec::{AtomMeaning, LiteralValue, Problem, SymbolId, Term, TermId};
use rustc_hash::{FxHashMap, FxHashSet};
use tsl_synth_core::base::{Budget, Limit, steps};
use tsl_synth_core::logic::{AtomId, AtomKind, EncodedSignal, Guard, Letter};
use tsl_synth_core::model::{CounterStrategy, StateId};

/// A cell whose values flow into some predicate.
#[derive(Debug)]
pub(super) struct TrackedCell {
    pub(super) symbol: SymbolId,
    /// Atom and term of each option.
    pub(super) options: Vec<(AtomId, TermId)>,
}

/// The part of a problem that is relevant to the consistency of plays.
#[derive(Debug)]
pub(super) struct Abstraction {
    /// Predicate atoms that are not noisy and that some clause mentions, with their terms; comparisons of numbers, which
    /// are computed, are left out.
    pub(super) atoms: Vec<(AtomId, TermId)>,
    pub(super) cells: Vec<TrackedCell>,
    /// Signals whose values are encoded in the letters: the code, and all values.
    pub(super) followed: FxHashMap<SymbolId, (EncodedSignal, Vec<LiteralValue>)>,
}

/// A play: its states, and the options of the tracked cells after each state but the last.
#[derive(Clone, Debug)]
pub(super) struct RefinementPlay {
    pub(super) states: Vec<StateId>,
    pub(super) chosen: Vec<Vec<u32>>,
}

/// The result of exploration.
#[derive(Debug)]
pub(super) enum Explored {
    Consistent,
    Inconsistent(RefinementPlay),
}

impl Abstraction {
    pub(super) fn new(problem: &Problem) -> Self {
        let signature = &problem.signature;
        let mut followed = FxHashMap::default();
        let mut value_atoms = FxHashSet::default();
        for (&symbol, signal) in signature.encoded.iter().zip(problem.alphabet.encoded()) {
            if let Ok(Some(values)) = domain(signature, symbol) {
                value_atoms.extend(signal.atoms.iter().copied());
                followed.insert(symbol, (signal.clone(), values));
            }
        }
        // The winner does not depend on the values of atoms that no clause mentions.
        let clauses: Vec<_> = problem.clauses.iter().map(|clause| clause.formula).collect();
        let mentioned = problem.formulas.support(&clauses);
        let mut atoms = Vec::new();
        for (atom, meaning) in signature.atoms.enumerate() {
            if let AtomMeaning::Predicate(term) = *meaning
                && mentioned.contains(atom)
                && !value_atoms.contains(&atom)
                && !is_noisy(signature, term)
                && comparison_of(signature, term).is_none()
            {
                atoms.push((atom, term));
            }
        }
        let mut this = Self { atoms, cells: Vec::new(), followed };
        this.track(problem);
        this
    }

    /// Finds the cells that flow into predicates.
    fn track(&mut self, problem: &Problem) {
        let signature = &problem.signature;
        let options = |symbol: SymbolId| {
            signature.cells.enumerate().find(|(_, s)| **s == symbol).map(|(cell, _)| {
                let atoms = problem.alphabet.cells()[cell].options.iter();
                let options = atoms.filter_map(|&atom| match signature.atoms[atom] {
                    AtomMeaning::Update(_, term) => Some((atom, term)),
                    _ => None,
                });
                options.collect::<Vec<_>>()
            })
        };
        let mut todo: Vec<TermId> = self.atoms.iter().map(|(_, term)| *term).collect();
        let mut seen: FxHashSet<TermId> = todo.iter().copied().collect();
        let mut cells: FxHashMap<SymbolId, TrackedCell> = FxHashMap::default();
        while let Some(term) = todo.pop() {
            let mut more = Vec::new();
            match signature.terms.get(term) {
                Term::Signal(symbol) => {
                    if !self.followed.contains_key(symbol)
                        && !cells.contains_key(symbol)
                        && let Some(options) = options(*symbol)
                    {
                        more.extend(options.iter().map(|(_, term)| *term));
                        cells.insert(*symbol, TrackedCell { symbol: *symbol, options });
                    }
                }
                Term::Apply(_, arguments) => more.extend(arguments.iter().copied()),
                Term::Operation(_, a, b) => more.extend([*a, *b]),
                Term::Literal(_) => {}
            }
            todo.extend(more.into_iter().filter(|t| seen.insert(*t)));
        }
        self.cells = cells.into_values().collect();
        self.cells.sort_by_key(|c| c.symbol);
    }

    /// The value of a followed signal in a letter.
    pub(super) fn value(
        &self,
        problem: &Problem,
        symbol: SymbolId,
        letter: &Letter,
    ) -> Option<&LiteralValue> {
        let (signal, values) = self.followed.get(&symbol)?;
        values.get(signal.index(|atom| holds(problem, atom, letter)))
    }
}

/// Whether an input atom is true in the letter of a state.
pub(super) fn holds(problem: &Problem, atom: AtomId, letter: &Letter) -> bool {
    match problem.alphabet.atoms()[atom].kind {
        AtomKind::Input(bit) => letter.contains(bit),
        AtomKind::Output(_) | AtomKind::Update(..) => false,
    }
}

/// The knowledge at a position: the values of tracked cells, and the truth values of predicates on timed terms.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Knowledge {
    cells: Vec<TimedTermId>,
    facts: Vec<(TimedTermId, bool)>,
}

struct ExploredPosition {
    state: StateId,
    parent: usize,
    chosen: Vec<u32>,
}

struct PlayExplorer<'a> {
    problem: &'a Problem,
    abstraction: &'a Abstraction,
    nodes: Nodes,
    entries: Vec<ExploredPosition>,
    queue: std::collections::VecDeque<(usize, Knowledge)>,
    seen: FxHashSet<(StateId, Knowledge)>,
}

/// Explores all plays, shortest first.
///
/// # Errors
/// When the budget ends.
pub(super) fn explore(
    problem: &Problem,
    abstraction: &Abstraction,
    counter: &CounterStrategy,
    budget: &Budget,
) -> Result<Explored, Limit> {
    let mut guards = counter.guards.clone();
    let options: Vec<Vec<Guard>> = abstraction
        .cells
        .iter()
        .map(|cell| cell.options.iter().map(|&(atom, _)| problem.alphabet.guard(atom, &mut guards)).collect())
        .collect();
    let mut charged = 0;
    let mut this = PlayExplorer {
        problem,
        abstraction,
        nodes: Nodes::default(),
        entries: Vec::new(),
        queue: std::collections::VecDeque::new(),
        seen: FxHashSet::default(),
    };
    let mut cells = Vec::new();
    for (i, cell) in abstraction.cells.iter().enumerate() {
        let node = match problem.signature.symbols[cell.symbol].initial {
            Some(term) => this.nodes.evaluate(
                &problem.signature,
                term,
                &mut FxHashMap::default(),
                // Initial values mention no signals; a noisy one is an opaque value.
                &mut |nodes, _| nodes.intern(TimedTerm::Leaf(i as u32)),
            ),
            None => this.nodes.intern(TimedTerm::Leaf(i as u32)),
        };
        cells.push(node);
    }
    this.visit(counter.initial, &cells, &[], usize::MAX, Vec::new());
    while let Some((entry, store)) = this.queue.pop_front() {
        let size = (store.cells.len() + store.facts.len()) as u64 + 1;
        budget.tick(size, || format!("checking plays: {} positions", this.entries.len()))?;
        let state = this.entries[entry].state;
        let mut memory = FxHashMap::default();
        let Some(facts) = this.observe(&counter.states[state].input, &store, &mut memory) else {
            return Ok(Explored::Inconsistent(this.play(entry)));
        };
        for edge in &counter.states[state].edges {
            // Chooses options cell by cell, as far as the guard allows.
            let mut stack = vec![(edge.guard, Vec::new())];
            while let Some((guard, chosen)) = stack.pop() {
                if guard == Guard::FALSE {
                    continue;
                }
                if chosen.len() == abstraction.cells.len() {
                    budget.tick(1 + size / 16, || {
                        format!("checking plays: {} positions", this.entries.len())
                    })?;
                    let cells: Vec<TimedTermId> = chosen
                        .iter()
                        .zip(&abstraction.cells)
                        .map(|(&option, cell): (&u32, _)| this.updated(cell, option, &store, &memory))
                        .collect();
                    this.visit(edge.next, &cells, &facts, entry, chosen);
                    continue;
                }
                for (option, &chooses) in options[chosen.len()].iter().enumerate().rev() {
                    let narrowed = guards.and(guard, chooses);
                    let mut chosen = chosen.clone();
                    chosen.push(option as u32);
                    stack.push((narrowed, chosen));
                }
            }
        }
        let made = (this.nodes.len() - charged) as u64;
        charged = this.nodes.len();
        budget.charge((made + size) * 64, || format!("checking plays: {} positions", this.entries.len()))?;
    }
    Ok(Explored::Consistent)
}

impl PlayExplorer<'_> {
    /// Evaluates all predicates of a step, and stores the terms of updates in `memory`; `None` if the truth values of
    /// the letter contradict the known facts.
    fn observe(
        &mut self,
        letter: &Letter,
        store: &Knowledge,
        memory: &mut FxHashMap<TermId, TimedTermId>,
    ) -> Option<Vec<(TimedTermId, bool)>> {
        let (problem, abstraction) = (self.problem, self.abstraction);
        let mut fresh = 0;
        for node in self.nodes.reachable(store.cells.iter().copied()) {
            if let TimedTerm::Leaf(i) = self.nodes.get(node) {
                fresh = fresh.max(i + 1);
            }
        }
        let mut leaf = |nodes: &mut Nodes, asked: TimedLeaf| {
            if let TimedLeaf::Signal(symbol) = asked {
                if let Some(value) = abstraction.value(problem, symbol, letter) {
                    return nodes.intern(TimedTerm::Literal(value.clone()));
                }
                if let Ok(i) = abstraction.cells.binary_search_by_key(&symbol, |c| c.symbol) {
                    return store.cells[i];
                }
            }
            fresh += 1;
            nodes.intern(TimedTerm::Leaf(fresh - 1))
        };
        let mut facts = store.facts.clone();
        for &(atom, term) in &abstraction.atoms {
            let node = self.nodes.evaluate(&problem.signature, term, memory, &mut leaf);
            facts.push((node, holds(problem, atom, letter)));
        }
        for cell in &abstraction.cells {
            for &(_, term) in &cell.options {
                self.nodes.evaluate(&problem.signature, term, memory, &mut leaf);
            }
        }
        if knowledge::contradiction(&self.nodes, &facts).is_some() {
            return None;
        }
        facts.sort_unstable();
        facts.dedup();
        Some(facts)
    }

    fn updated(
        &mut self,
        cell: &TrackedCell,
        option: u32,
        store: &Knowledge,
        memory: &FxHashMap<TermId, TimedTermId>,
    ) -> TimedTermId {
        let term = cell.options[option as usize].1;
        if *self.problem.signature.terms.get(term) == Term::Signal(cell.symbol) {
            let i = self.abstraction.cells.binary_search_by_key(&cell.symbol, |c| c.symbol);
            return store.cells[i.expect("the cell is tracked")];
        }
        stored(self.problem, &mut self.nodes, cell.symbol, memory[&term])
    }

    /// Drops facts about terms that cannot recur, renames opaque values, and queues the position if it is new.
    fn visit(
        &mut self,
        state: StateId,
        cells: &[TimedTermId],
        facts: &[(TimedTermId, bool)],
        parent: usize,
        chosen: Vec<u32>,
    ) {
        let store = self.canonical(cells, facts);
        if self.seen.insert((state, store.clone())) {
            self.entries.push(ExploredPosition { state, parent, chosen });
            self.queue.push_back((self.entries.len() - 1, store));
        }
    }

    fn canonical(&mut self, cells: &[TimedTermId], facts: &[(TimedTermId, bool)]) -> Knowledge {
        let held: FxHashSet<TimedTermId> = cells.iter().copied().collect();
        let all = self.nodes.reachable(cells.iter().copied().chain(facts.iter().map(|(n, _)| *n)));
        // Each node is looked up in several tables.
        steps::count(4 * all.len() as u64);
        let mut buildable: FxHashSet<TimedTermId> = FxHashSet::default();
        // Nodes whose arguments can all be rebuilt.
        let mut composed: FxHashSet<TimedTermId> = FxHashSet::default();
        for &node in &all {
            let is_composed = match self.nodes.get(node) {
                TimedTerm::Leaf(_) | TimedTerm::Cell(_) | TimedTerm::Input(..) | TimedTerm::Noisy(..) => {
                    false
                }
                other => {
                    let mut all = true;
                    other.for_each(|n| all &= buildable.contains(&n));
                    all
                }
            };
            if is_composed {
                composed.insert(node);
            }
            if is_composed || held.contains(&node) {
                buildable.insert(node);
            }
        }
        // Opaque values are numbered in the order in which the cells mention them.
        let mut names: FxHashMap<TimedTermId, u32> = FxHashMap::default();
        let mut visited: FxHashSet<TimedTermId> = FxHashSet::default();
        for &cell in cells {
            let mut stack = vec![cell];
            while let Some(node) = stack.pop() {
                if !visited.insert(node) {
                    continue;
                }
                if composed.contains(&node) {
                    let from = stack.len();
                    self.nodes.get(node).for_each(|n| stack.push(n));
                    stack[from..].reverse();
                } else {
                    let next = names.len() as u32;
                    names.insert(node, next);
                }
            }
        }
        let mut image: FxHashMap<TimedTermId, TimedTermId> = FxHashMap::default();
        for &node in &all {
            let new = match names.get(&node) {
                Some(&i) => self.nodes.intern(TimedTerm::Leaf(i)),
                None if composed.contains(&node) => self.nodes.rebuild(node, |n| image[&n]),
                None => continue,
            };
            image.insert(node, new);
        }
        let mut kept: Vec<(TimedTermId, bool)> = facts
            .iter()
            .filter(|(n, _)| buildable.contains(n) && !matches!(self.nodes.get(*n), TimedTerm::Literal(_)))
            .map(|(n, truth)| (image[n], *truth))
            .collect();
        kept.sort_unstable();
        kept.dedup();
        Knowledge { cells: cells.iter().map(|n| image[n]).collect(), facts: kept }
    }

    fn play(&self, last: usize) -> RefinementPlay {
        let (mut states, mut chosen) = (Vec::new(), Vec::new());
        let mut at = last;
        while at != usize::MAX {
            let entry = &self.entries[at];
            states.push(entry.state);
            if entry.parent != usize::MAX {
                chosen.push(entry.chosen.clone());
            }
            at = entry.parent;
        }
        states.reverse();
        chosen.reverse();
        RefinementPlay { states, chosen }
    }
}

/// The value of a cell after an update to a value.
pub(super) fn stored(
    problem: &Problem,
    nodes: &mut Nodes,
    symbol: SymbolId,
    value: TimedTermId,
) -> TimedTermId {
    let computed = matches!(nodes.get(value), TimedTerm::Operation(..));
    match problem.signature.symbols[symbol].overflow {
        crate::spec::Overflow::Unavailable => value,
        _ if computed => nodes.intern(TimedTerm::Stored(symbol, value)),
        _ => value,
    }
}
