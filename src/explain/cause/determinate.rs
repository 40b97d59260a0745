//! The cause as a deterministic automaton in difference space, built on the fly: a class-specific complement of the
//! counterfactuals.
//!
//! - Where every component of the counterfactuals accepts all its cycles or none, a run accepts if and only if it stays
//!   in accepting components from some step on, and the breakpoint construction gives a deterministic Büchi
//!   automaton (Miyano and Hayashi, *Alternating finite automata on ω-words*, 1984); for safety and guarantee
//!   effects it is the subset construction. At most 3ⁿ states.
//! - Otherwise the history trees of [`tsl_synth_automata::HistoryTree`], with the parity dualized.
//!
//! A letter that reaches a top state leaves the cause irrevocably: there is no edge. A run accepts if the least
//! priority seen infinitely often is even.

use super::counterfactuals::Counterfactuals;
use super::events::bits;
use super::flips::Flips;
use crate::tuning::MOST_LOCAL;
use rustc_hash::FxHashMap;
use tsl_synth_automata::{HistoryTree, components};
use tsl_synth_core::base::{Budget, Limit, LimitKind};

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum StateSets {
    /// States reached, and those of them on runs that have been in accepting components since the last
    /// breakpoint.
    Breakpoint(Box<[usize]>, Box<[usize]>),
    Tree(HistoryTree),
}

/// The next state and the priority of the edge; `None` if the letter leaves the cause.
pub(super) type CauseTarget = Option<(usize, u32)>;

/// The edges of one state.
#[derive(Clone, Debug)]
pub(super) struct CauseEdges {
    /// The inputs on which they depend.
    pub(super) local: Flips,
    /// By the values of these inputs, packed.
    pub(super) targets: Box<[CauseTarget]>,
}

/// The bits of `flips` that are in `mask`, next to each other.
pub(super) fn pack(flips: Flips, mask: Flips) -> usize {
    bits(mask).enumerate().map(|(i, bit)| usize::from(flips >> bit & 1 == 1) << i).sum()
}

/// The inverse of [`pack`].
pub(super) fn unpack(packed: usize, mask: Flips) -> Flips {
    bits(mask).enumerate().map(|(i, bit)| ((packed >> i & 1) as Flips) << bit).sum()
}

/// The explored part of the automaton.
#[derive(Debug)]
pub(super) struct Determinate<'a> {
    counterfactuals: &'a Counterfactuals,
    /// For every state whether all cycles of its component accept; `None` if some component has both kinds of cycles.
    good: Option<Vec<bool>>,
    states: Vec<(usize, StateSets)>,
    index: FxHashMap<(usize, StateSets), usize>,
    rows: Vec<Option<CauseEdges>>,
    most: usize,
}

impl<'a> Determinate<'a> {
    /// The automaton with at most `most` states; its first state is the initial one.
    pub(super) fn new(counterfactuals: &'a Counterfactuals, most: usize) -> Self {
        let good = weak(counterfactuals);
        let mut this = Self {
            counterfactuals,
            good,
            states: Vec::new(),
            index: FxHashMap::default(),
            rows: Vec::new(),
            most,
        };
        let states = counterfactuals.initial.clone();
        let content = match &this.good {
            Some(good) => {
                let since = states.iter().copied().filter(|&s| good[s]).collect();
                StateSets::Breakpoint(states.into(), since)
            }
            None => StateSets::Tree(HistoryTree::new(states)),
        };
        this.state(0, content);
        this
    }

    /// How many states were made so far.
    pub(super) fn len(&self) -> usize {
        self.states.len()
    }
    /// The lasso position of a state; meaningless for the state that accepts everything.
    pub(super) fn position(&self, state: usize) -> usize {
        self.states[state].0
    }
    fn state(&mut self, position: usize, content: StateSets) -> usize {
        let empty = match &content {
            StateSets::Breakpoint(states, _) => states.is_empty(),
            StateSets::Tree(tree) => tree.states().len() == 0,
        };
        // No counterfactual is left: one state accepts everything.
        let key = (if empty { 0 } else { position }, content);
        if let Some(&state) = self.index.get(&key) {
            return state;
        }
        self.states.push(key.clone());
        self.rows.push(None);
        self.index.insert(key, self.states.len() - 1);
        self.states.len() - 1
    }

    /// The edges of a state.
    ///
    /// # Errors
    /// A limit: the states of the automaton, the inputs of a state, the budget.
    pub(super) fn row(&mut self, state: usize, budget: &Budget) -> Result<&CauseEdges, Limit> {
        if self.rows[state].is_none() {
            let row = self.expand(state, budget)?;
            self.rows[state] = Some(row);
        }
        Ok(self.rows[state].as_ref().expect("just made"))
    }

    fn expand(&mut self, state: usize, budget: &Budget) -> Result<CauseEdges, Limit> {
        let (position, content) = self.states[state].clone();
        let members: Vec<usize> = match &content {
            StateSets::Breakpoint(states, _) => states.to_vec(),
            StateSets::Tree(tree) => tree.states().collect(),
        };
        let arcs = members.iter().flat_map(|&s| &self.counterfactuals.arcs[s]);
        let local = arcs.fold(0, |all, arc| all | arc.label.need | arc.label.forbid);
        if local.count_ones() > MOST_LOCAL {
            let what = format!("a cause automaton with {} inputs in one state", local.count_ones());
            return Err(Limit::new(LimitKind::Size, what));
        }
        let next = self.counterfactuals.actual.successor(position);
        let letters = 1usize << local.count_ones();
        let mut targets = Vec::with_capacity(letters);
        for letter in 0..letters {
            budget.tick(1 + members.len() as u64, || "the cause automaton".into())?;
            let flips = unpack(letter, local);
            let target = self
                .successor(&content, flips)
                .map(|(content, priority)| (self.state(next, content), priority));
            targets.push(target);
            if self.states.len() > self.most {
                let what = format!("a cause automaton with more than {} states", self.most);
                return Err(Limit::new(LimitKind::Size, what));
            }
        }
        let bytes = (letters * 24 + members.len() * 64 + 128) as u64;
        budget.charge(bytes, || "the cause automaton".into())?;
        Ok(CauseEdges { local, targets: targets.into() })
    }

    fn successor(&self, content: &StateSets, flips: Flips) -> Option<(StateSets, u32)> {
        match content {
            StateSets::Breakpoint(states, since) => {
                let next = self.counterfactuals.step(states, flips)?;
                let good = |s: usize| self.good.as_ref().is_some_and(|good| good[s]);
                let mut kept = self.counterfactuals.step(since, flips)?;
                kept.retain(|&s| good(s));
                let broken = kept.is_empty();
                if broken {
                    kept = next.iter().copied().filter(|&s| good(s)).collect();
                }
                Some((StateSets::Breakpoint(next.into(), kept.into()), u32::from(!broken)))
            }
            StateSets::Tree(tree) => {
                let mut spoiled = false;
                let (next, priority) = tree.step(|s| {
                    let arcs = self.counterfactuals.arcs[s].iter().filter(|arc| arc.label.admits(flips));
                    let out: Vec<(usize, bool)> = arcs.map(|arc| (arc.next, arc.accepting)).collect();
                    spoiled |= out.iter().any(|&(t, _)| self.counterfactuals.top[t]);
                    out
                });
                if spoiled {
                    return None;
                }
                // The complement accepts where the tree automaton rejects.
                let dual = if next.states().len() == 0 { 0 } else { priority.saturating_add(1) };
                Some((StateSets::Tree(next), if dual == u32::MAX { u32::MAX - 1 } else { dual }))
            }
        }
    }
}

/// For every state whether all cycles of its component accept, or `None` if some component has both kinds of
/// cycles.
fn weak(counterfactuals: &Counterfactuals) -> Option<Vec<bool>> {
    let successors = |only_rejecting: bool| -> Vec<Vec<usize>> {
        let arcs = |arcs: &Vec<super::counterfactuals::Arc>| {
            arcs.iter().filter(|arc| !(only_rejecting && arc.accepting)).map(|arc| arc.next).collect()
        };
        counterfactuals.arcs.iter().map(arcs).collect()
    };
    let all = successors(false);
    let component = components(&all);
    let rejecting = successors(true);
    let inner = components(&rejecting);
    let (mut accepts, mut rejects) = (component.table(false), component.table(false));
    for (s, arcs) in counterfactuals.arcs.iter().enumerate() {
        for arc in arcs.iter().filter(|arc| component[s] == component[arc.next]) {
            accepts[component[s]] |= arc.accepting;
            rejects[component[s]] |= !arc.accepting && inner[s] == inner[arc.next];
        }
    }
    if accepts.ids().any(|c| accepts[c] && rejects[c]) {
        return None;
    }
    Some(component.iter().map(|c| accepts[c]).collect())
}
