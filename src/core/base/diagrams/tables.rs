//! Nodes, the tables in which equal nodes are found, the cache of results, and the collection of garbage.

use super::Spent;
use crate::base::Limit;

/// A function: a node, and in the lowest bit whether it is negated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Edge(pub(super) u32);

impl Edge {
    pub(super) const TRUE: Self = Self(0);
    pub(super) const FALSE: Self = Self(1);

    pub(super) fn node(self) -> usize {
        (self.0 >> 1) as usize
    }
    pub(super) fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }
    pub(super) fn is_constant(self) -> bool {
        self.0 < 2
    }
    /// Negated where `negated` holds.
    pub(super) fn negated_if(self, negated: bool) -> Self {
        Self(self.0 ^ u32::from(negated))
    }
    pub(super) fn without_negation(self) -> Self {
        Self(self.0 & !1)
    }
}

impl std::ops::Not for Edge {
    type Output = Self;
    fn not(self) -> Self {
        Self(self.0 ^ 1)
    }
}

/// A node that branches on a variable. The high edge is never negated, so that equal functions are equal edges.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    /// The level of the variable; [`FREE`] where there is no node.
    level: u32,
    pub(super) low: Edge,
    pub(super) high: Edge,
    /// The next node of the bucket, or the next free index; [`NONE`] after the last.
    next: u32,
}

/// The level of constants, below all variables.
pub(super) const BOTTOM: u32 = u32::MAX;
/// The level of an index without a node.
const FREE: u32 = u32::MAX - 1;
const NONE: u32 = u32::MAX;

/// Steps between two reports to the meter.
const STEPS_BETWEEN_CHARGES: u32 = 1 << 10;
/// Entries of a table that are processed between two reports to the meter; few in tests, which interrupt there.
const AT_ONCE: usize = if cfg!(test) { 8 } else { 1 << 14 };
/// The smallest table of a level and the smallest cache, in entries.
const LEAST_BUCKETS: usize = 1 << 4;
const LEAST_CACHE: usize = 1 << 12;
/// The cache grows when one operation has overwritten more than `OVERWRITTEN` results for each entry of the cache, and
/// found more than one result for `OVERWRITTEN_PER_HIT` overwritten ones. A smaller `OVERWRITTEN`: less is computed
/// again, and more memory is used.
const OVERWRITTEN: u64 = 2;
const OVERWRITTEN_PER_HIT: u64 = 8;
/// Nodes in use below which garbage is not collected, since that also drops cached results. Doubles after each
/// collection, up to the second number: where there is much garbage, much would be computed again.
const LEAST_COLLECTED: usize = 1 << 18;
const LEAST_COLLECTED_LATER: usize = 1 << 21;
/// Garbage is collected when this many times as many nodes are in use as after the last collection. Smaller: less
/// memory, and more is computed again.
const COLLECTED_GROWTH: usize = 8;
/// The bytes of a node with its share of the table of its level and its count of handles, and of an entry of the cache.
pub(super) const NODE_BYTES: usize = 16 + 6 + 4;
pub(super) const ENTRY_BYTES: usize = 20;

/// The nodes of one variable, hashed by their edges. The table grows by one list at a time, so that no insertion takes
/// long (Litwin, "Linear hashing", VLDB 1980): of 2ᵏ + n lists the first n are already split.
#[derive(Debug)]
struct Level {
    buckets: Vec<u32>,
    /// The least 2ⁱ - 1 that is no less than the number of each list.
    mask: usize,
    count: usize,
}

fn mixed(a: u32, b: u32) -> u64 {
    let mixed = (u64::from(a) << 32 | u64::from(b)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed ^ mixed >> 29
}

impl Level {
    fn new() -> Self {
        Self { buckets: vec![NONE; LEAST_BUCKETS], mask: LEAST_BUCKETS - 1, count: 0 }
    }
    fn bucket(&self, low: Edge, high: Edge) -> usize {
        let bucket = (mixed(low.0, high.0) >> 20) as usize & self.mask;
        if bucket < self.buckets.len() { bucket } else { bucket & (self.mask >> 1) }
    }
    /// Adds a list and moves nodes to it from the list that it is split from.
    fn grow(&mut self, nodes: &mut [Node]) {
        let added = self.buckets.len();
        self.buckets.push(NONE);
        if added > self.mask {
            self.mask = 2 * self.mask + 1;
        }
        let mut at = std::mem::replace(&mut self.buckets[added & (self.mask >> 1)], NONE);
        while at != NONE {
            let Node { low, high, next, .. } = nodes[at as usize];
            let bucket = self.bucket(low, high);
            nodes[at as usize].next = std::mem::replace(&mut self.buckets[bucket], at);
            at = next;
        }
    }
}

/// A cached result: the operation, its three operands and the result. An array of numbers, since a large array of zeros
/// takes no memory until it is written to, unlike an array of structures.
type Entry = [u32; 5];

/// The operation whose second operand is a number.
pub(super) const REPLACE: u32 = 7;

/// No operation has the number 0.
const NOTHING: Entry = [0; 5];

/// Why an operation has no result.
#[derive(Debug)]
pub(super) enum Stop {
    /// There is no room for another node.
    Full,
    /// The charge returned an error.
    Limit(Limit),
}

/// Receives the resources that an operation uses, and may end it.
pub(super) type Meter<'m> = &'m mut dyn FnMut(Spent) -> Result<(), Limit>;

pub(super) struct Tables {
    nodes: Vec<Node>,
    /// The first free index.
    free: u32,
    in_use: usize,
    /// How many nodes may be in use between operations. One operation may use almost as many again.
    room: usize,
    levels: Vec<Level>,
    /// For each level its variable, and for each variable its level.
    variable_at: Vec<u32>,
    level_of: Vec<u32>,
    cache: Vec<Entry>,
    most_cache: usize,
    /// Results found in the cache and overwritten there by the current operation, since the cache last grew.
    hits: u64,
    overwritten: u64,
    /// The number of replacements that were used; the cache distinguishes their results by it.
    pub(super) replacements: u32,
    /// The number of nodes in use at which garbage is collected next, and a lower bound for that number.
    collect_at: usize,
    least_collected: usize,
    /// Spent since the last report to the meter.
    spent: Spent,
    until_charge: u32,
}

/// Nodes in use at which garbage is collected at the latest.
fn collected(room: usize) -> usize {
    room / 20 * 17
}

impl Tables {
    /// Tables for so many nodes, with a cache of at most so many results.
    pub(super) fn new(room: usize, cache: usize) -> Self {
        // Edges have a bit for the negation.
        let room = room.min((1 << 30) - 1);
        let constant = Node { level: BOTTOM, low: Edge::TRUE, high: Edge::TRUE, next: NONE };
        Self {
            nodes: vec![constant],
            free: NONE,
            in_use: 0,
            room,
            levels: Vec::new(),
            variable_at: Vec::new(),
            level_of: Vec::new(),
            cache: vec![NOTHING; LEAST_CACHE],
            most_cache: cache.next_power_of_two().max(LEAST_CACHE),
            hits: 0,
            overwritten: 0,
            replacements: 0,
            collect_at: LEAST_COLLECTED.min(collected(room)),
            least_collected: LEAST_COLLECTED,
            spent: Spent::default(),
            until_charge: STEPS_BETWEEN_CHARGES,
        }
    }
    pub(super) fn add_variables(&mut self, count: usize) {
        let first = self.levels.len();
        self.levels.extend((0..count).map(|_| Level::new()));
        self.variable_at.extend((first..first + count).map(|v| v as u32));
        self.level_of.extend((first..first + count).map(|v| v as u32));
    }
    pub(super) fn variables(&self) -> usize {
        self.levels.len()
    }
    pub(super) fn in_use(&self) -> usize {
        self.in_use
    }
    /// The bytes of nodes and cache as they are now.
    pub(super) fn bytes(&self) -> usize {
        self.nodes.len() * NODE_BYTES + self.cache.len() * ENTRY_BYTES
    }
    pub(super) fn level_of(&self, variable: usize) -> usize {
        self.level_of[variable] as usize
    }
    pub(super) fn variable_at(&self, level: usize) -> usize {
        self.variable_at[level] as usize
    }
    /// The level of the topmost variable of a function; the topmost level is 0.
    pub(super) fn level(&self, edge: Edge) -> u32 {
        self.nodes[edge.node()].level
    }
    /// The cofactors of a function for the variable of a level, false first. It must not depend on variables above.
    pub(super) fn cofactors(&self, edge: Edge, level: u32) -> (Edge, Edge) {
        let node = &self.nodes[edge.node()];
        if node.level != level {
            return (edge, edge);
        }
        (node.low.negated_if(edge.is_negated()), node.high.negated_if(edge.is_negated()))
    }

    /// Counts a step of an operation.
    pub(super) fn step(&mut self, meter: Meter<'_>) -> Result<(), Stop> {
        self.spent.steps += 1;
        self.until_charge -= 1;
        if self.until_charge == 0 { self.charge(meter) } else { Ok(()) }
    }
    /// Reports to the meter what was spent, and grows the cache with the number of nodes in use.
    pub(super) fn charge(&mut self, meter: Meter<'_>) -> Result<(), Stop> {
        self.report(meter)?;
        while self.cache.len() < self.most_cache && (self.in_use > self.cache.len() || self.is_thrashing()) {
            self.grow_cache(meter)?;
        }
        Ok(())
    }
    /// Reports to the meter what was spent.
    pub(super) fn report(&mut self, meter: Meter<'_>) -> Result<(), Stop> {
        self.until_charge = STEPS_BETWEEN_CHARGES;
        meter(std::mem::take(&mut self.spent)).map_err(Stop::Limit)
    }

    /// The function that is `high` where the variable of a level is true and `low` where it is false.
    pub(super) fn make(&mut self, level: u32, low: Edge, high: Edge) -> Result<Edge, Stop> {
        if low == high {
            return Ok(low);
        }
        let negated = high.is_negated();
        let (low, high) = (low.negated_if(negated), high.negated_if(negated));
        let found = match self.found(level, low, high) {
            Some(found) => found,
            None if self.in_use >= self.room / 10 * 19 => return Err(Stop::Full),
            None => self.add(level, low, high),
        };
        Ok(found.negated_if(negated))
    }
    /// As [`Self::make`], but also when there is no room.
    pub(super) fn make_always(&mut self, level: u32, low: Edge, high: Edge) -> Edge {
        if low == high {
            return low;
        }
        let negated = high.is_negated();
        let (low, high) = (low.negated_if(negated), high.negated_if(negated));
        let found = self.found(level, low, high).unwrap_or_else(|| self.add(level, low, high));
        found.negated_if(negated)
    }
    fn found(&self, level: u32, low: Edge, high: Edge) -> Option<Edge> {
        let level = &self.levels[level as usize];
        let mut at = level.buckets[level.bucket(low, high)];
        while at != NONE {
            let node = &self.nodes[at as usize];
            if (node.low, node.high) == (low, high) {
                return Some(Edge(at << 1));
            }
            at = node.next;
        }
        None
    }
    fn add(&mut self, level: u32, low: Edge, high: Edge) -> Edge {
        let index = if self.free == NONE {
            self.nodes.push(Node { level: FREE, low, high, next: NONE });
            self.nodes.len() as u32 - 1
        } else {
            let index = self.free;
            self.free = self.nodes[index as usize].next;
            index
        };
        self.in_use += 1;
        self.spent.made += 1;
        self.put(index, level, low, high);
        Edge(index << 1)
    }
    /// Puts a node that is in no table into that of a level.
    pub(super) fn put(&mut self, index: u32, level: u32, low: Edge, high: Edge) {
        let own = &mut self.levels[level as usize];
        let bucket = own.bucket(low, high);
        let next = std::mem::replace(&mut own.buckets[bucket], index);
        self.nodes[index as usize] = Node { level, low, high, next };
        own.count += 1;
        if own.count > own.buckets.len() {
            own.grow(&mut self.nodes);
        }
    }
    /// Removes all nodes from the table of a level and returns them.
    pub(super) fn take_level(&mut self, level: u32) -> Vec<u32> {
        let own = &mut self.levels[level as usize];
        let mut taken = Vec::with_capacity(own.count);
        for bucket in &mut own.buckets {
            let mut at = std::mem::replace(bucket, NONE);
            while at != NONE {
                taken.push(at);
                at = self.nodes[at as usize].next;
            }
        }
        own.count = 0;
        taken
    }
    /// Frees a node that is in the table of its level.
    pub(super) fn free(&mut self, index: u32) {
        let Node { level, low, high, next } = self.nodes[index as usize];
        let own = &mut self.levels[level as usize];
        let bucket = own.bucket(low, high);
        if own.buckets[bucket] == index {
            own.buckets[bucket] = next;
        } else {
            let mut at = own.buckets[bucket];
            while self.nodes[at as usize].next != index {
                at = self.nodes[at as usize].next;
            }
            self.nodes[at as usize].next = next;
        }
        own.count -= 1;
        self.nodes[index as usize] = Node { level: FREE, low: Edge::TRUE, high: Edge::TRUE, next: self.free };
        self.free = index;
        self.in_use -= 1;
    }
    /// Exchanges the variables of a level and of the one below in the order; the nodes are not changed.
    pub(super) fn exchange_variables(&mut self, level: usize) {
        self.variable_at.swap(level, level + 1);
        for level in [level, level + 1] {
            self.level_of[self.variable_at[level] as usize] = level as u32;
        }
    }
    pub(super) fn node(&self, index: u32) -> &Node {
        &self.nodes[index as usize]
    }
    /// How many indices there are, of nodes or free.
    pub(super) fn indices(&self) -> usize {
        self.nodes.len()
    }
    /// The indices of nodes, without the constant.
    pub(super) fn taken(&self) -> impl Iterator<Item = u32> {
        (1..self.nodes.len() as u32).filter(|&index| self.nodes[index as usize].level != FREE)
    }
    pub(super) fn level_size(&self, level: usize) -> usize {
        self.levels[level].count
    }
    pub(super) fn count_steps(&mut self, steps: u64) {
        self.spent.steps += steps;
    }
    /// Steps that were not reported to the meter yet.
    pub(super) fn unreported_steps(&self) -> u64 {
        self.spent.steps
    }
    pub(super) fn forget_results(&mut self) {
        self.cache.fill(NOTHING);
    }
    fn slot(&self, what: u32, a: Edge, b: Edge, c: Edge) -> usize {
        let mixed = mixed(a.0, b.0) ^ mixed(c.0, what).rotate_left(21);
        (mixed.wrapping_mul(0xff51_afd7_ed55_8ccd) >> 32) as usize & (self.cache.len() - 1)
    }
    /// The result of an operation, if the cache still has it.
    pub(super) fn known(&mut self, what: u32, a: Edge, b: Edge, c: Edge) -> Option<Edge> {
        let [operation, own_a, own_b, own_c, result] = self.cache[self.slot(what, a, b, c)];
        let is_known = [operation, own_a, own_b, own_c] == [what, a.0, b.0, c.0];
        self.hits += u64::from(is_known);
        is_known.then_some(Edge(result))
    }
    /// Caches a result, in place of the one in its slot.
    pub(super) fn keep(&mut self, what: u32, a: Edge, b: Edge, c: Edge, result: Edge) {
        let slot = self.slot(what, a, b, c);
        self.overwritten += u64::from(self.cache[slot] != NOTHING);
        self.cache[slot] = [what, a.0, b.0, c.0, result.0];
    }
    /// Resets the counts of the cache for a new operation.
    pub(super) fn begin(&mut self) {
        (self.hits, self.overwritten) = (0, 0);
    }
    /// Whether the operation overwrites many results although it finds many.
    fn is_thrashing(&self) -> bool {
        self.overwritten > OVERWRITTEN * self.cache.len() as u64
            && self.hits * OVERWRITTEN_PER_HIT > self.overwritten
    }
    /// If the meter ends it, some results are lost.
    fn grow_cache(&mut self, meter: Meter<'_>) -> Result<(), Stop> {
        let size = 2 * self.cache.len();
        let old = std::mem::replace(&mut self.cache, vec![NOTHING; size]);
        (self.hits, self.overwritten) = (0, 0);
        for part in old.chunks(AT_ONCE) {
            for entry in part.iter().filter(|&&entry| entry != NOTHING) {
                let [what, a, b, c, _] = *entry;
                let slot = self.slot(what, Edge(a), Edge(b), Edge(c));
                self.cache[slot] = *entry;
            }
            self.spent.steps += part.len() as u64 / 2;
            self.report(meter)?;
        }
        Ok(())
    }

    /// Whether so many nodes were made that garbage should be collected before the next operation.
    pub(super) fn is_due(&self) -> bool {
        self.in_use >= self.collect_at
    }
    /// Whether so many nodes are in use that another operation is not worth trying.
    pub(super) fn is_crowded(&self) -> bool {
        self.in_use > self.room / 20 * 14
    }
    /// Frees the nodes that no function with a handle depends on. `handles` counts the handles of each node. If the
    /// meter ends it, some garbage is left.
    pub(super) fn collect(&mut self, handles: &[u32], meter: Meter<'_>) -> Result<(), Stop> {
        let is_due = self.is_due();
        let marked = self.marked(handles, meter)?;
        let marked = |edge: Edge| marked[edge.node()];
        // Cached results are dropped before the nodes that they refer to are freed.
        for start in (0..self.cache.len()).step_by(AT_ONCE) {
            let end = self.cache.len().min(start + AT_ONCE);
            for entry in &mut self.cache[start..end] {
                let [what, a, b, c, result] = *entry;
                let [a, b, c, result] = [a, b, c, result].map(Edge);
                // The second operand of a replacement is its number.
                let lives = marked(a) && (what == REPLACE || marked(b)) && marked(c) && marked(result);
                if !lives {
                    *entry = NOTHING;
                }
            }
            self.report(meter)?;
        }
        // From the top down: if the meter ends it, the remaining nodes refer only to remaining nodes.
        for level in 0..self.levels.len() {
            for bucket in 0..self.levels[level].buckets.len() {
                let own = &mut self.levels[level];
                let list = &mut own.buckets[bucket];
                let mut at = std::mem::replace(list, NONE);
                while at != NONE {
                    let node = &mut self.nodes[at as usize];
                    let next = node.next;
                    if marked(Edge(at << 1)) {
                        node.next = *list;
                        *list = at;
                    } else {
                        *node = Node { level: FREE, low: Edge::TRUE, high: Edge::TRUE, next: self.free };
                        self.free = at;
                        own.count -= 1;
                        self.in_use -= 1;
                    }
                    self.spent.swept += 1;
                    at = next;
                }
                if bucket % AT_ONCE == AT_ONCE - 1 {
                    self.report(meter)?;
                }
            }
        }
        if is_due {
            self.least_collected = (2 * self.least_collected).min(LEAST_COLLECTED_LATER);
        }
        self.collect_at =
            (COLLECTED_GROWTH * self.in_use).max(self.least_collected).min(collected(self.room));
        self.report(meter)
    }
    /// For each node whether some function with a handle depends on it.
    fn marked(&mut self, handles: &[u32], meter: Meter<'_>) -> Result<Vec<bool>, Stop> {
        let mut marked = vec![false; self.nodes.len()];
        marked[0] = true;
        let mut open: Vec<u32> = Vec::new();
        let mut seen = 0;
        for (root, &count) in handles.iter().enumerate() {
            if count > 0 {
                open.push(root as u32);
            }
            while let Some(node) = open.pop() {
                seen += 1;
                if seen % AT_ONCE == 0 {
                    self.report(meter)?;
                }
                if !std::mem::replace(&mut marked[node as usize], true) {
                    let Node { low, high, .. } = self.nodes[node as usize];
                    let below = [low, high].map(|edge| edge.node() as u32);
                    open.extend(below.into_iter().filter(|&n| !marked[n as usize]));
                }
            }
        }
        Ok(marked)
    }
    /// The nodes of a function, without the constant, in the order of a search from the roots.
    pub(super) fn nodes_of(&self, roots: &[Edge]) -> Vec<usize> {
        let mut seen: rustc_hash::FxHashSet<usize> = rustc_hash::FxHashSet::default();
        let mut open: Vec<usize> = roots.iter().map(|edge| edge.node()).collect();
        let mut found = Vec::new();
        while let Some(node) = open.pop() {
            if node != 0 && seen.insert(node) {
                found.push(node);
                open.extend([self.nodes[node].low.node(), self.nodes[node].high.node()]);
            }
        }
        found
    }
}
