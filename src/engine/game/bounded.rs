//! The bounded game, solved on the fly from its initial position.
//!
//! A position is a set of entries (states with counters of rejecting visits, at most K); the protagonist must keep the
//! counters within the bound forever. Positions are explored forward, assumed to be won until shown lost, and a lost
//! position makes those that relied on it choose again (a local greatest fixpoint). Positions that require less than a
//! won one are won with its strategy, positions that require more than a lost one are lost: the antichains of the
//! backward algorithm, used forward.
//!
//! Sources: Schewe and Finkbeiner, *Bounded synthesis*, ATVA 2007; Filiot, Jin and Raskin, *An antichain
//! algorithm for LTL realizability*, CAV 2009; Liu and Smolka, *Simple linear-time algorithms for minimal
//! fixed points*, ICALP 1998. (K+2)ⁿ positions in the worst case. Its answers are checked by the certifier.

use super::diagram::{EntryDiagrams, Ref, is_below, state_of};
use super::objective::Objective;
use super::positions::Transitions;
use super::tuning::{MAX_BRANCHING, MAX_COMPARED};
use rustc_hash::FxHashMap;
use tsl_synth_core::base::{Budget, IdVec, Limit, LimitKind};
use tsl_synth_core::define_id;
use tsl_synth_core::logic::{Alphabet, Guard, Guards, Player};
use tsl_synth_core::model::{Counter, Observer};

define_id! {
    /// A position of the game.
    struct PositionId;
}

/// One answer of a strategy.
#[derive(Clone, Debug)]
pub struct StrategyMove {
    /// Letters of the environment: on which the system moves, or among which the environment chooses.
    pub inputs: Guard,
    /// Letters of the system: among which it chooses, or on which the environment moves.
    pub outputs: Guard,
    /// Index of the next position.
    pub next: usize,
}

/// A winning strategy: the moves of each position; the first position is the initial one. For the system the
/// inputs of a position's moves cover all letters; for the environment all moves of a position have the
/// same inputs and the outputs cover all letters.
#[derive(Clone, Debug)]
pub struct PositionStrategy {
    /// Owns the guards.
    pub guards: Guards,
    /// The moves of each position.
    pub moves: Vec<Vec<StrategyMove>>,
}

/// The result for one bound.
#[derive(Clone, Debug)]
pub enum BoundedSolution {
    /// The protagonist wins.
    Won(PositionStrategy),
    /// The protagonist has no strategy within this bound. This decides nothing about larger bounds.
    Lost,
}

/// One way to satisfy an obligation: every leaf must be won.
#[derive(Debug)]
struct ObligationAlternative {
    border: Ref,
    leaves: Vec<Ref>,
}

/// A choice of the protagonist in a position: the system chooses an output for each class of inputs, the environment
/// one input for all outputs.
#[derive(Debug)]
struct PositionObligation {
    alternatives: Vec<ObligationAlternative>,
    chosen: usize,
    targets: Vec<PositionId>,
}

#[derive(Debug)]
struct BoundedPosition {
    leaf: Ref,
    signature: u64,
    root: Ref,
    obligations: Vec<PositionObligation>,
    expanded: bool,
    lost: bool,
    dependents: Vec<(PositionId, usize)>,
}

struct BoundedSolver<'a> {
    transitions: Transitions<'a>,
    player: Player,
    budget: &'a Budget,
    positions: IdVec<PositionId, BoundedPosition>,
    index: FxHashMap<Ref, PositionId>,
    lost: Vec<(u64, Ref)>,
    stack: Vec<PositionId>,
}

/// Solves the game for one bound on the counters.
///
/// # Errors
/// A limit: time, memory (`max_nodes` diagram nodes), counted work.
pub fn solve(
    objective: &Objective,
    alphabet: &Alphabet,
    bound: u32,
    max_nodes: usize,
    budget: &Budget,
    observer: &dyn Observer,
) -> Result<BoundedSolution, Limit> {
    let mut solver = BoundedSolver {
        transitions: Transitions::new(objective, alphabet, bound.min(200), max_nodes, budget.clone()),
        player: objective.player,
        budget,
        positions: IdVec::new(),
        index: FxHashMap::default(),
        lost: Vec::new(),
        stack: Vec::new(),
    };
    let initial = solver.transitions.initial();
    let initial = solver.position(initial);
    while let Some(p) = solver.stack.pop() {
        if solver.positions[p].expanded || solver.positions[p].lost || !solver.is_needed(p, initial) {
            continue;
        }
        solver.expand(p)?;
        if solver.positions[initial].lost {
            return Ok(BoundedSolution::Lost);
        }
        if solver.positions.len().is_multiple_of(256) {
            observer.count(Counter::Positions, solver.positions.len() as u64);
        }
    }
    Ok(BoundedSolution::Won(solver.strategy(initial)))
}

fn signature(diagrams: &EntryDiagrams, leaf: Ref) -> u64 {
    diagrams.entries(leaf).iter().fold(0, |bits, &e| bits | 1 << (state_of(e) % 64))
}

impl BoundedSolver<'_> {
    fn position(&mut self, leaf: Ref) -> PositionId {
        if let Some(&p) = self.index.get(&leaf) {
            if !self.positions[p].expanded {
                self.stack.push(p);
            }
            return p;
        }
        let p = self.positions.push(BoundedPosition {
            leaf,
            signature: signature(&self.transitions.diagrams, leaf),
            root: Ref::BAD,
            obligations: Vec::new(),
            expanded: false,
            lost: false,
            dependents: Vec::new(),
        });
        self.index.insert(leaf, p);
        self.stack.push(p);
        p
    }

    /// Whether some current choice leads to the position.
    fn is_needed(&self, p: PositionId, initial: PositionId) -> bool {
        p == initial
            || self.positions[p].dependents.iter().any(|&(q, o)| {
                let source = &self.positions[q];
                !source.lost && source.obligations[o].targets.contains(&p)
            })
    }

    fn expand(&mut self, p: PositionId) -> Result<(), Limit> {
        let root = self.transitions.diagram(self.positions[p].leaf)?;
        let borders = self.transitions.diagrams.frontier(root, self.transitions.border);
        let mut classes: Vec<ObligationAlternative> = Vec::new();
        for border in borders {
            let leaves = self.transitions.diagrams.frontier(border, u32::MAX);
            self.transitions.diagrams.check(leaves.len())?;
            if leaves.len() > MAX_BRANCHING || classes.len() > MAX_BRANCHING {
                return Err(Limit::new(LimitKind::Size, "a position with too many choices"));
            }
            classes.push(ObligationAlternative { border, leaves });
        }
        let position = &mut self.positions[p];
        position.root = root;
        position.expanded = true;
        position.obligations = match self.player {
            Player::System => {
                let diagrams = &self.transitions.diagrams;
                classes.iter().map(|class| options_of(diagrams, class)).collect()
            }
            Player::Environment => {
                classes.retain(|class| !class.leaves.contains(&Ref::BAD));
                for class in &mut classes {
                    keep_extreme(&self.transitions.diagrams, &mut class.leaves, false);
                }
                let diagrams = &self.transitions.diagrams;
                classes.sort_by_cached_key(|class| {
                    (
                        class.leaves.iter().map(|&l| 1 + diagrams.entries(l).len()).sum::<usize>(),
                        class.leaves.clone(),
                    )
                });
                vec![PositionObligation { alternatives: classes, chosen: 0, targets: Vec::new() }]
            }
        };
        for o in 0..self.positions[p].obligations.len() {
            if !self.choose(p, o)? {
                return self.lose(p);
            }
        }
        Ok(())
    }

    /// Chooses the first alternative that is not known to be lost; false if there is none.
    fn choose(&mut self, p: PositionId, o: usize) -> Result<bool, Limit> {
        let alternatives = &self.positions[p].obligations[o].alternatives;
        let mut fresh = None;
        let mut best: Option<(usize, Vec<PositionId>)> = None;
        for (i, alternative) in alternatives.iter().enumerate() {
            self.budget.tick(1 + alternative.leaves.len() as u64, || "playing a bounded game".to_owned())?;
            if alternative.leaves.iter().any(|&leaf| self.is_lost(leaf)) {
                continue;
            }
            let known: Option<Vec<PositionId>> =
                alternative.leaves.iter().map(|&leaf| self.covering(leaf)).collect();
            if let Some(targets) = known {
                best = Some((i, targets));
                break;
            }
            fresh.get_or_insert(i);
        }
        let (chosen, targets) = match (best, fresh) {
            (Some(best), _) => best,
            (None, Some(i)) => {
                let leaves = self.positions[p].obligations[o].alternatives[i].leaves.clone();
                let targets = leaves
                    .into_iter()
                    .map(|leaf| self.covering(leaf).unwrap_or_else(|| self.position(leaf)))
                    .collect();
                (i, targets)
            }
            (None, None) => return Ok(false),
        };
        for &q in &targets {
            self.positions[q].dependents.push((p, o));
            if !self.positions[q].expanded {
                self.stack.push(q);
            }
        }
        let obligation = &mut self.positions[p].obligations[o];
        obligation.chosen = chosen;
        obligation.targets = targets;
        Ok(true)
    }

    fn is_lost(&self, leaf: Ref) -> bool {
        if let Some(&p) = self.index.get(&leaf)
            && self.positions[p].lost
        {
            return true;
        }
        let diagrams = &self.transitions.diagrams;
        let sign = signature(diagrams, leaf);
        let entries = diagrams.entries(leaf);
        self.lost.iter().any(|&(s, l)| s & !sign == 0 && is_below(diagrams.entries(l), entries))
    }

    /// A position, not known to be lost, that requires at least as much as `leaf`.
    fn covering(&self, leaf: Ref) -> Option<PositionId> {
        if let Some(&p) = self.index.get(&leaf)
            && !self.positions[p].lost
        {
            return Some(p);
        }
        let diagrams = &self.transitions.diagrams;
        let sign = signature(diagrams, leaf);
        let entries = diagrams.entries(leaf);
        self.positions
            .enumerate()
            .find(|(_, q)| !q.lost && sign & !q.signature == 0 && is_below(entries, diagrams.entries(q.leaf)))
            .map(|(p, _)| p)
    }

    fn lose(&mut self, p: PositionId) -> Result<(), Limit> {
        let mut work = vec![p];
        while let Some(p) = work.pop() {
            if std::mem::replace(&mut self.positions[p].lost, true) {
                continue;
            }
            self.remember_lost(p);
            for (q, o) in std::mem::take(&mut self.positions[p].dependents) {
                let source = &self.positions[q];
                if !source.lost && source.obligations[o].targets.contains(&p) && !self.choose(q, o)? {
                    work.push(q);
                }
            }
        }
        Ok(())
    }

    fn remember_lost(&mut self, p: PositionId) {
        let (leaf, sign) = (self.positions[p].leaf, self.positions[p].signature);
        let diagrams = &self.transitions.diagrams;
        let entries = diagrams.entries(leaf);
        self.lost.retain(|&(s, l)| !(sign & !s == 0 && is_below(entries, diagrams.entries(l))));
        self.lost.push((sign, leaf));
    }

    fn strategy(&self, initial: PositionId) -> PositionStrategy {
        let mut guards = Guards::new();
        let mut number: FxHashMap<PositionId, usize> = FxHashMap::default();
        let mut order = vec![initial];
        number.insert(initial, 0);
        let mut moves = Vec::new();
        while moves.len() < order.len() {
            let p = order[moves.len()];
            let mut list = Vec::new();
            for obligation in &self.positions[p].obligations {
                let alternative = &obligation.alternatives[obligation.chosen];
                let diagrams = &self.transitions.diagrams;
                let bits = &self.transitions.bits;
                let inputs = diagrams.paths(
                    self.positions[p].root,
                    alternative.border,
                    self.transitions.border,
                    bits,
                    &mut guards,
                );
                for leaf in diagrams.frontier(alternative.border, u32::MAX) {
                    // The environment has a move for every output; a leaf that was dropped as easier uses the strategy
                    // of a harder one.
                    let Some(target) = self.target(obligation, leaf) else { continue };
                    let outputs = diagrams.paths(alternative.border, leaf, u32::MAX, bits, &mut guards);
                    let next = *number.entry(target).or_insert_with(|| {
                        order.push(target);
                        order.len() - 1
                    });
                    list.push(StrategyMove { inputs, outputs, next });
                }
            }
            moves.push(list);
        }
        PositionStrategy { guards, moves }
    }

    /// The position that a leaf of the chosen alternative leads to; `None` for a leaf not chosen by the system.
    fn target(&self, obligation: &PositionObligation, leaf: Ref) -> Option<PositionId> {
        let diagrams = &self.transitions.diagrams;
        let entries = diagrams.entries(leaf);
        let fits = |&&q: &&PositionId| is_below(entries, diagrams.entries(self.positions[q].leaf));
        if leaf == Ref::BAD { None } else { obligation.targets.iter().find(fits).copied() }
    }
}

/// The outputs that a class of inputs can be answered with, the least demanding ones.
fn options_of(diagrams: &EntryDiagrams, class: &ObligationAlternative) -> PositionObligation {
    let mut leaves: Vec<Ref> = class.leaves.iter().copied().filter(|&l| l != Ref::BAD).collect();
    keep_extreme(diagrams, &mut leaves, true);
    leaves.sort_by_cached_key(|&leaf| (diagrams.entries(leaf).len(), leaf));
    let alternatives = leaves
        .into_iter()
        .map(|leaf| ObligationAlternative { border: class.border, leaves: vec![leaf] })
        .collect();
    PositionObligation { alternatives, chosen: 0, targets: Vec::new() }
}

/// Keeps the minimal or maximal leaves, when there are few enough to compare.
fn keep_extreme(diagrams: &EntryDiagrams, leaves: &mut Vec<Ref>, minimal: bool) {
    if leaves.len() > MAX_COMPARED {
        return;
    }
    let all = leaves.clone();
    leaves.retain(|&leaf| {
        !all.iter().any(|&other| {
            let (low, high) = if minimal { (other, leaf) } else { (leaf, other) };
            other != leaf && is_below(diagrams.entries(low), diagrams.entries(high))
        })
    });
}
