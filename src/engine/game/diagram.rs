//! Multi-terminal decision diagrams from letters to sets of obligations, the transition function of the
//! bounded game. The bits of the environment are above the bits of the system. A leaf is a sorted set of
//! entries: a state of an automaton with its counter, or the state of a gate.
//!
//! One set is *below* another if it requires less: its entries are among the other's, with counters at most as large.
//! `BAD` is above everything.

use super::tuning::POLL_NODES;
use rustc_hash::FxHashMap;
use tsl_synth_core::base::{Budget, Id, Limit, LimitKind};
use tsl_synth_core::logic::{BitId, Guard, Guards};

/// A node or, with the top bit set, a leaf.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Ref(u32);

const LEAF: u32 = 1 << 31;

/// An entry of a leaf: a state in the upper 24 bits, a counter in the lower 8.
pub(super) type LeafEntry = u32;

/// The entry of a state with a counter.
pub(super) fn entry(state: usize, counter: u32) -> LeafEntry {
    (u32::try_from(state).expect("fewer than 2^24 states") << 8) | counter
}

/// The state of an entry.
pub(super) fn state_of(entry: LeafEntry) -> usize {
    (entry >> 8) as usize
}

/// The counter of an entry.
pub(super) fn counter_of(entry: LeafEntry) -> u32 {
    entry & 0xff
}

impl Ref {
    /// The bound is exceeded.
    pub(super) const BAD: Self = Self(LEAF);
    /// No obligation is left.
    pub(super) const EMPTY: Self = Self(LEAF | 1);

    pub(super) fn is_leaf(self) -> bool {
        self.0 & LEAF != 0
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct MultiTerminalNode {
    level: u32,
    low: Ref,
    high: Ref,
}

/// A store of diagrams. Nothing is freed: a store lives for one game with one bound.
#[derive(Debug)]
pub(super) struct EntryDiagrams {
    nodes: Vec<MultiTerminalNode>,
    unique: FxHashMap<MultiTerminalNode, Ref>,
    leaves: Vec<Box<[LeafEntry]>>,
    leaf_index: FxHashMap<Box<[LeafEntry]>, Ref>,
    joins: FxHashMap<(Ref, Ref), Ref>,
    gated: FxHashMap<(Ref, Ref), Ref>,
    compared: FxHashMap<(Ref, Ref), bool>,
    supports: FxHashMap<Ref, std::rc::Rc<[u32]>>,
    levels: Vec<u32>,
    max_nodes: usize,
    budget: Budget,
    /// A limit was met inside an operation; its result is meaningless and [`EntryDiagrams::check`] reports it.
    failed: Option<Limit>,
    counted: usize,
    /// Nodes walked without making any since the last check.
    walked: usize,
}

impl EntryDiagrams {
    /// `levels` maps bits to levels; at most `max_nodes` nodes and leaves.
    pub(super) fn new(levels: Vec<u32>, max_nodes: usize, budget: Budget) -> Self {
        let mut this = Self {
            nodes: Vec::new(),
            unique: FxHashMap::default(),
            leaves: vec![Box::new([u32::MAX])],
            leaf_index: FxHashMap::default(),
            joins: FxHashMap::default(),
            gated: FxHashMap::default(),
            compared: FxHashMap::default(),
            supports: FxHashMap::default(),
            levels,
            max_nodes,
            budget,
            failed: None,
            counted: 0,
            walked: 0,
        };
        let empty = this.leaf(Box::new([]));
        debug_assert_eq!(empty, Ref::EMPTY);
        this
    }

    /// How many nodes and leaves there are.
    pub(super) fn size(&self) -> usize {
        self.nodes.len() + self.leaves.len()
    }

    /// Counts `work` and the nodes made since the last check, and checks the limits.
    pub(super) fn check(&mut self, work: usize) -> Result<(), Limit> {
        let size = self.size();
        let walked = std::mem::take(&mut self.walked);
        let work = work + walked + size - std::mem::replace(&mut self.counted, size);
        if let Some(limit) = &self.failed {
            return Err(limit.clone());
        }
        let what = || format!("a bounded game with {size} diagram nodes");
        self.budget.tick(work as u64, what)?;
        if size > self.max_nodes { Err(Limit::new(LimitKind::Memory, what())) } else { Ok(()) }
    }

    /// The entries of a leaf.
    pub(super) fn entries(&self, leaf: Ref) -> &[LeafEntry] {
        debug_assert!(leaf.is_leaf());
        &self.leaves[(leaf.0 & !LEAF) as usize]
    }

    /// Level, low and high child of an inner node.
    pub(super) fn branch(&self, node: Ref) -> Option<(u32, Ref, Ref)> {
        if node.is_leaf() {
            return None;
        }
        let n = self.nodes[node.0 as usize];
        Some((n.level, n.low, n.high))
    }

    fn level(&self, node: Ref) -> u32 {
        self.branch(node).map_or(u32::MAX, |(level, ..)| level)
    }

    /// The leaf of a sorted set of entries.
    pub(super) fn leaf(&mut self, entries: Box<[LeafEntry]>) -> Ref {
        if let Some(&leaf) = self.leaf_index.get(&entries) {
            return leaf;
        }
        let leaf = Ref(LEAF | self.leaves.len() as u32);
        self.leaves.push(entries.clone());
        self.leaf_index.insert(entries, leaf);
        leaf
    }

    fn make(&mut self, level: u32, low: Ref, high: Ref) -> Ref {
        if low == high {
            return low;
        }
        let node = MultiTerminalNode { level, low, high };
        if let Some(&r) = self.unique.get(&node) {
            return r;
        }
        let r = Ref(self.nodes.len() as u32);
        self.nodes.push(node);
        self.unique.insert(node, r);
        if self.nodes.len().is_multiple_of(POLL_NODES) {
            self.failed = self.check(0).err();
        }
        r
    }

    fn cofactors(&self, node: Ref, level: u32) -> (Ref, Ref) {
        match self.branch(node) {
            Some((l, low, high)) if l == level => (low, high),
            _ => (node, node),
        }
    }

    /// `guard ? inside : EMPTY` for a leaf `inside`.
    pub(super) fn on_guard(&mut self, guards: &Guards, guard: Guard, inside: Ref) -> Ref {
        let mut cache = FxHashMap::default();
        let made = self.on_guard_cached(guards, guard, inside, &mut cache);
        self.walked += cache.len();
        made
    }

    fn on_guard_cached(
        &mut self,
        guards: &Guards,
        guard: Guard,
        inside: Ref,
        cache: &mut FxHashMap<Guard, Ref>,
    ) -> Ref {
        let Some((bit, low, high)) = guards.branch(guard) else {
            return if guard == Guard::TRUE { inside } else { Ref::EMPTY };
        };
        if let Some(&r) = cache.get(&guard) {
            return r;
        }
        let low = self.on_guard_cached(guards, low, inside, cache);
        let high = self.on_guard_cached(guards, high, inside, cache);
        let level = self.levels[bit.index()];
        let r = self.insert(level, low, high);
        cache.insert(guard, r);
        r
    }

    /// `bit at level ? high : low`, for a level anywhere in the order.
    fn insert(&mut self, level: u32, low: Ref, high: Ref) -> Ref {
        let top = self.level(low).min(self.level(high));
        if level < top || low == high {
            return self.make(level, low, high);
        }
        let (l0, l1) = self.cofactors(low, top);
        let (h0, h1) = self.cofactors(high, top);
        if top == level {
            return self.make(level, l0, h1);
        }
        let zero = self.insert(level, l0, h0);
        let one = self.insert(level, l1, h1);
        self.make(top, zero, one)
    }

    /// The union of the obligations on every letter.
    pub(super) fn join(&mut self, a: Ref, b: Ref) -> Ref {
        let (a, b) = (a.min(b), a.max(b));
        if a == b || b == Ref::EMPTY {
            return a;
        }
        if a == Ref::EMPTY {
            return b;
        }
        if a == Ref::BAD || b == Ref::BAD || self.failed.is_some() {
            return Ref::BAD;
        }
        if let Some(&r) = self.joins.get(&(a, b)) {
            return r;
        }
        let r = if a.is_leaf() && b.is_leaf() {
            let merged = merge(self.entries(a), self.entries(b));
            self.leaf(merged)
        } else {
            let level = self.level(a).min(self.level(b));
            let (a0, a1) = self.cofactors(a, level);
            let (b0, b1) = self.cofactors(b, level);
            let low = self.join(a0, b0);
            let high = self.join(a1, b1);
            self.make(level, low, high)
        };
        self.joins.insert((a, b), r);
        r
    }

    /// `condition ? then : EMPTY`, where the leaves of the condition are `BAD` (true) and `EMPTY` (false).
    pub(super) fn gate(&mut self, condition: Ref, then: Ref) -> Ref {
        if condition == Ref::BAD || then == Ref::EMPTY {
            return then;
        }
        if condition == Ref::EMPTY || self.failed.is_some() {
            return Ref::EMPTY;
        }
        if let Some(&r) = self.gated.get(&(condition, then)) {
            return r;
        }
        let level = self.level(condition).min(self.level(then));
        let (c0, c1) = self.cofactors(condition, level);
        let (t0, t1) = self.cofactors(then, level);
        let low = self.gate(c0, t0);
        let high = self.gate(c1, t1);
        let r = self.make(level, low, high);
        self.gated.insert((condition, then), r);
        r
    }

    /// Whether `a` requires at most as much as `b` on every letter.
    pub(super) fn below(&mut self, a: Ref, b: Ref) -> bool {
        if a == b || a == Ref::EMPTY || b == Ref::BAD {
            return true;
        }
        if a == Ref::BAD || b == Ref::EMPTY {
            // Diagrams are reduced: an inner node is no constant.
            return false;
        }
        if a.is_leaf() && b.is_leaf() {
            return is_below(self.entries(a), self.entries(b));
        }
        if let Some(&r) = self.compared.get(&(a, b)) {
            return r;
        }
        let level = self.level(a).min(self.level(b));
        let (a0, a1) = self.cofactors(a, level);
        let (b0, b1) = self.cofactors(b, level);
        let r = self.below(a0, b0) && self.below(a1, b1);
        self.compared.insert((a, b), r);
        r
    }

    /// Resolves the nodes of a level whose children are comparable: if `lower`, the larger child becomes `BAD`, else
    /// the larger child replaces the node.
    pub(super) fn prune(&mut self, root: Ref, level: u32, lower: bool) -> Ref {
        self.prune_cached(root, level, lower, &mut FxHashMap::default())
    }

    fn prune_cached(&mut self, r: Ref, level: u32, lower: bool, cache: &mut FxHashMap<Ref, Ref>) -> Ref {
        let Some((l, low, high)) = self.branch(r) else { return r };
        if l > level {
            return r;
        }
        if let Some(&done) = cache.get(&r) {
            return done;
        }
        let done = if l == level {
            if self.below(low, high) {
                if lower { self.make(l, low, Ref::BAD) } else { high }
            } else if self.below(high, low) {
                if lower { self.make(l, Ref::BAD, high) } else { low }
            } else {
                r
            }
        } else {
            let low = self.prune_cached(low, level, lower, cache);
            let high = self.prune_cached(high, level, lower, cache);
            self.make(l, low, high)
        };
        cache.insert(r, done);
        done
    }

    /// The levels that a diagram depends on, ascending.
    pub(super) fn support(&mut self, root: Ref) -> std::rc::Rc<[u32]> {
        if let Some(support) = self.supports.get(&root) {
            return std::rc::Rc::clone(support);
        }
        let mut levels = std::collections::BTreeSet::new();
        let mut seen = rustc_hash::FxHashSet::default();
        let mut stack = vec![root];
        while let Some(r) = stack.pop() {
            if let Some((level, low, high)) = self.branch(r)
                && seen.insert(r)
            {
                levels.insert(level);
                stack.extend([low, high]);
            }
        }
        self.walked += seen.len();
        let support: std::rc::Rc<[u32]> = levels.into_iter().collect();
        self.supports.insert(root, std::rc::Rc::clone(&support));
        support
    }

    /// The distinct nodes at or below `border` that a walk from `root` meets first, in order.
    pub(super) fn frontier(&self, root: Ref, border: u32) -> Vec<Ref> {
        let mut seen = rustc_hash::FxHashSet::default();
        let mut found = Vec::new();
        let mut stack = vec![root];
        while let Some(r) = stack.pop() {
            if !seen.insert(r) {
                continue;
            }
            match self.branch(r) {
                Some((level, low, high)) if level < border => stack.extend([high, low]),
                _ => found.push(r),
            }
        }
        found
    }

    /// The letters that lead from `root` to `target`, over the bits that `bits` lists for each level; the walk ends at
    /// level `stop`.
    pub(super) fn paths(
        &self,
        root: Ref,
        target: Ref,
        stop: u32,
        bits: &[BitId],
        guards: &mut Guards,
    ) -> Guard {
        let mut cache = FxHashMap::default();
        self.paths_cached(root, target, stop, bits, guards, &mut cache)
    }

    fn paths_cached(
        &self,
        r: Ref,
        target: Ref,
        stop: u32,
        bits: &[BitId],
        guards: &mut Guards,
        cache: &mut FxHashMap<Ref, Guard>,
    ) -> Guard {
        if r == target {
            return Guard::TRUE;
        }
        let Some((level, low, high)) = self.branch(r).filter(|b| b.0 < stop) else { return Guard::FALSE };
        if let Some(&guard) = cache.get(&r) {
            return guard;
        }
        let low = self.paths_cached(low, target, stop, bits, guards, cache);
        let high = self.paths_cached(high, target, stop, bits, guards, cache);
        let condition = guards.bit(bits[level as usize]);
        let guard = guards.ite(condition, high, low);
        cache.insert(r, guard);
        guard
    }
}

/// Union of two sorted sets of entries, the larger counter for a state in both.
fn merge(a: &[LeafEntry], b: &[LeafEntry]) -> Box<[LeafEntry]> {
    let mut merged = Vec::with_capacity(a.len() + b.len());
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        match state_of(a[i]).cmp(&state_of(b[j])) {
            std::cmp::Ordering::Less => {
                merged.push(a[i]);
                i += 1;
            }
            std::cmp::Ordering::Greater => {
                merged.push(b[j]);
                j += 1;
            }
            std::cmp::Ordering::Equal => {
                merged.push(a[i].max(b[j]));
                i += 1;
                j += 1;
            }
        }
    }
    merged.extend_from_slice(&a[i..]);
    merged.extend_from_slice(&b[j..]);
    merged.into()
}

/// Whether the sorted set `a` requires at most as much as `b`.
pub(super) fn is_below(a: &[LeafEntry], b: &[LeafEntry]) -> bool {
    let mut rest = b.iter();
    a.len() <= b.len()
        && a.iter().all(|&x| {
            rest.by_ref()
                .find(|&&y| state_of(y) >= state_of(x))
                .is_some_and(|&y| state_of(y) == state_of(x) && counter_of(y) >= counter_of(x))
        })
}
