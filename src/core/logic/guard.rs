//! Guards: sets of letters as reduced ordered binary decision diagrams over bits (Bryant 1986), the smallest bit on top
//! unless bits are placed after others ([`Guards::put_behind`]). A [`Guards`] store owns the nodes; guards of different
//! stores must not be mixed.

use super::letter::{BitId, Letter};
use crate::base::{Budget, Id, StopFlag, steps};
use rustc_hash::{FxHashMap, FxHashSet};

/// A set of letters in a [`Guards`] store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Guard(u32);

impl Guard {
    /// No letter.
    pub const FALSE: Self = Self(0);
    /// Every letter.
    pub const TRUE: Self = Self(1);
}

impl Id for Guard {
    fn from_index(index: usize) -> Self {
        Self(u32::try_from(index).expect("a store holds fewer than 2^32 nodes"))
    }
    fn index(self) -> usize {
        self.0 as usize
    }
}

/// A conjunction of literals, in the order of a store.
pub type Cube = Vec<(BitId, bool)>;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct GuardNode {
    bit: BitId,
    low: Guard,
    high: Guard,
}

/// A store of guards. Equal sets of letters are equal guards.
#[derive(Clone, Debug)]
pub struct Guards {
    nodes: Vec<GuardNode>,
    unique: FxHashMap<GuardNode, Guard>,
    ite_cache: FxHashMap<(Guard, Guard, Guard), Guard>,
    /// The bit after which each bit is placed: itself unless it was moved, as for bits that are not listed.
    ranks: Vec<BitId>,
    /// With more nodes operations give up.
    limit: usize,
    /// Operations give up, too, once one of these is raised.
    stop: Vec<StopFlag>,
    /// Steps until the flags are checked next.
    until_look: u32,
    is_exhausted: bool,
}

/// Steps between two checks of the flags.
const STEPS_BETWEEN_LOOKS: u32 = 1 << 10;

impl Default for Guards {
    fn default() -> Self {
        Self::new()
    }
}

impl Guards {
    /// A store with the two constants.
    pub fn new() -> Self {
        let leaf = GuardNode { bit: BitId::from_index(0), low: Guard::FALSE, high: Guard::FALSE };
        let (unique, ite_cache) = (FxHashMap::default(), FxHashMap::default());
        let (limit, is_exhausted) = (usize::MAX, false);
        let (ranks, stop, until_look) = (Vec::new(), Vec::new(), STEPS_BETWEEN_LOOKS);
        Self { nodes: vec![leaf, leaf], unique, ite_cache, ranks, limit, stop, until_look, is_exhausted }
    }
    /// Sets how many nodes the store may hold. With more, operations give up soon and return meaningless guards, and
    /// [`Guards::is_exhausted`] holds from then on.
    pub fn set_limit(&mut self, nodes: usize) {
        self.limit = nodes;
    }
    /// The same if the limit is higher now.
    pub fn lower_limit(&mut self, nodes: usize) {
        self.limit = self.limit.min(nodes);
    }
    /// Operations give up as at the limit when a flag of the budget is raised, since large ones take long.
    pub fn set_stop(&mut self, budget: &Budget) {
        self.stop = budget.flags().to_vec();
    }
    /// Whether an operation gave up, so that its result and everything computed from it are meaningless.
    pub fn is_exhausted(&self) -> bool {
        self.is_exhausted
    }
    /// Lets operations continue after one gave up, once garbage was collected. The results since then stay meaningless.
    pub fn clear_exhausted(&mut self) {
        self.is_exhausted = false;
    }
    /// Places a bit that no guard depends on yet after another one in the order, and after those that are already
    /// placed there.
    pub fn put_behind(&mut self, bit: BitId, other: BitId) {
        let rank = self.rank(other).0;
        let listed = self.ranks.len();
        self.ranks.extend((listed..=bit.index()).map(BitId::from_index));
        self.ranks[bit.index()] = rank;
    }
    /// The sort key of a bit in the order of the store, the top bit first.
    fn rank(&self, bit: BitId) -> (BitId, BitId) {
        (self.ranks.get(bit.index()).copied().unwrap_or(bit), bit)
    }
    /// The topmost of some bits; `None` if there are none.
    pub fn topmost(&self, bits: impl IntoIterator<Item = BitId>) -> Option<BitId> {
        if self.ranks.is_empty() {
            bits.into_iter().min()
        } else {
            bits.into_iter().min_by_key(|&bit| self.rank(bit))
        }
    }
    /// How many combinations of guards were computed so far: a measure of the work done.
    pub fn combinations(&self) -> usize {
        self.ite_cache.len()
    }
    /// How many nodes the store holds.
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }
    /// Garbage collection: removes all nodes that are not reachable from `roots`, and updates the roots. Every other guard
    /// of the store is invalid afterwards. Linear in the number of nodes.
    pub fn collect(&mut self, roots: &mut [&mut Guard]) {
        let mut is_needed = vec![false; self.nodes.len()];
        is_needed[..2].fill(true);
        for root in roots.iter() {
            is_needed[root.index()] = true;
        }
        // The cofactors of a node are older than the node.
        for (at, node) in self.nodes.iter().enumerate().rev() {
            if is_needed[at] {
                is_needed[node.low.index()] = true;
                is_needed[node.high.index()] = true;
            }
        }
        let mut renumbered = vec![Guard::FALSE; self.nodes.len()];
        let mut nodes = Vec::new();
        self.unique.clear();
        for (at, &GuardNode { bit, low, high }) in self.nodes.iter().enumerate() {
            if is_needed[at] {
                renumbered[at] = Guard::from_index(nodes.len());
                let node = GuardNode { bit, low: renumbered[low.index()], high: renumbered[high.index()] };
                if at > 1 {
                    self.unique.insert(node, renumbered[at]);
                }
                nodes.push(node);
            }
        }
        for root in roots {
            **root = renumbered[root.index()];
        }
        self.nodes = nodes;
        self.ite_cache.clear();
    }
    /// The top bit of a guard and its two cofactors (bit false, bit true); `None` for a constant.
    pub fn branch(&self, guard: Guard) -> Option<(BitId, Guard, Guard)> {
        if guard.0 < 2 {
            return None;
        }
        let node = self.nodes[guard.0 as usize];
        Some((node.bit, node.low, node.high))
    }
    /// The guard with this top bit and these cofactors, whose bits must all stand below it.
    ///
    /// # Panics
    /// If the store would hold 2³² nodes.
    pub fn make(&mut self, bit: BitId, low: Guard, high: Guard) -> Guard {
        if low == high {
            return low;
        }
        let node = GuardNode { bit, low, high };
        if let Some(&guard) = self.unique.get(&node) {
            return guard;
        }
        steps::count(1);
        let guard = Guard::from_index(self.nodes.len());
        self.nodes.push(node);
        self.unique.insert(node, guard);
        guard
    }
    /// The letters in which a bit is true.
    pub fn bit(&mut self, bit: BitId) -> Guard {
        self.literal(bit, true)
    }
    /// The letters in which a bit has this value.
    pub fn literal(&mut self, bit: BitId, value: bool) -> Guard {
        let (low, high) = if value { (Guard::FALSE, Guard::TRUE) } else { (Guard::TRUE, Guard::FALSE) };
        self.make(bit, low, high)
    }
    fn cofactors(&self, guard: Guard, bit: BitId) -> (Guard, Guard) {
        match self.branch(guard) {
            Some((b, low, high)) if b == bit => (low, high),
            _ => (guard, guard),
        }
    }
    /// `condition ? then : otherwise`. Recursion is as deep as there are bits.
    ///
    /// # Panics
    /// Never.
    pub fn ite(&mut self, condition: Guard, then: Guard, otherwise: Guard) -> Guard {
        match (condition, then, otherwise) {
            (Guard::TRUE, t, _) => return t,
            (Guard::FALSE, _, e) => return e,
            (_, t, e) if t == e => return t,
            (c, Guard::TRUE, Guard::FALSE) => return c,
            _ => {}
        }
        let key = (condition, then, otherwise);
        if let Some(&guard) = self.ite_cache.get(&key) {
            return guard;
        }
        if self.nodes.len() > self.limit || self.ite_cache.len() / 4 > self.limit || self.is_stopped() {
            self.is_exhausted = true;
            return Guard::FALSE;
        }
        steps::count(1);
        let tops = [condition, then, otherwise].map(|g| self.branch(g).map(|(bit, ..)| bit));
        let bit = self.topmost(tops.into_iter().flatten()).expect("the condition is not constant");
        let (c0, c1) = self.cofactors(condition, bit);
        let (t0, t1) = self.cofactors(then, bit);
        let (e0, e1) = self.cofactors(otherwise, bit);
        let low = self.ite(c0, t0, e0);
        let high = self.ite(c1, t1, e1);
        let guard = self.make(bit, low, high);
        self.ite_cache.insert(key, guard);
        guard
    }
    /// Whether a flag is raised, checked once in [`STEPS_BETWEEN_LOOKS`] steps.
    fn is_stopped(&mut self) -> bool {
        if self.stop.is_empty() {
            return false;
        }
        self.until_look = self.until_look.checked_sub(1).unwrap_or(STEPS_BETWEEN_LOOKS);
        (self.is_exhausted || self.until_look == 0) && self.stop.iter().any(|flag| flag.raised().is_some())
    }
    /// Intersection.
    pub fn and(&mut self, a: Guard, b: Guard) -> Guard {
        self.ite(a.min(b), a.max(b), Guard::FALSE)
    }
    /// Union.
    pub fn or(&mut self, a: Guard, b: Guard) -> Guard {
        self.ite(a.min(b), Guard::TRUE, a.max(b))
    }
    /// Complement.
    pub fn not(&mut self, a: Guard) -> Guard {
        self.ite(a, Guard::FALSE, Guard::TRUE)
    }
    /// The letters on which both agree.
    pub fn iff(&mut self, a: Guard, b: Guard) -> Guard {
        let not_b = self.not(b);
        self.ite(a, b, not_b)
    }
    /// The letters of `a` that are not in `b`.
    pub fn minus(&mut self, a: Guard, b: Guard) -> Guard {
        self.ite(b, Guard::FALSE, a)
    }
    /// Whether some letter is in both.
    pub fn intersects(&mut self, a: Guard, b: Guard) -> bool {
        self.and(a, b) != Guard::FALSE
    }
    /// Whether some letter is in both, as [`Guards::intersects`]; makes no guard, and stops at the first such letter.
    pub fn overlap(&self, a: Guard, b: Guard) -> bool {
        self.common(a, b, &mut Vec::new(), &mut FxHashSet::default()).is_some()
    }
    /// The letter of both that [`Guards::pick`] picks from their intersection; makes no guard.
    pub fn pick_common(&self, a: Guard, b: Guard) -> Option<Letter> {
        let mut path = Vec::new();
        let rest = self.common(a, b, &mut path, &mut FxHashSet::default())?;
        let mut letter = self.pick(rest)?;
        letter.extend(path);
        Some(letter)
    }
    /// Searches both diagrams for a common letter. If there is one: the diagram node where the search ends; the bits that
    /// are true on the way there are appended to `path`. `apart` has pairs without a common letter.
    fn common(
        &self,
        a: Guard,
        b: Guard,
        path: &mut Vec<BitId>,
        apart: &mut FxHashSet<(Guard, Guard)>,
    ) -> Option<Guard> {
        match (a, b) {
            (Guard::FALSE, _) | (_, Guard::FALSE) => return None,
            (Guard::TRUE, rest) | (rest, Guard::TRUE) => return Some(rest),
            (a, b) if a == b => return Some(a),
            _ => {}
        }
        if apart.contains(&(a, b)) {
            return None;
        }
        steps::count(1);
        let tops = [a, b].map(|guard| self.branch(guard).map(|(bit, ..)| bit));
        let bit = self.topmost(tops.into_iter().flatten())?;
        let ((a0, a1), (b0, b1)) = (self.cofactors(a, bit), self.cofactors(b, bit));
        if let Some(rest) = self.common(a0, b0, path, apart) {
            return Some(rest);
        }
        path.push(bit);
        if let Some(rest) = self.common(a1, b1, path, apart) {
            return Some(rest);
        }
        path.pop();
        apart.insert((a, b));
        None
    }
    /// Whether every letter of `a` is in `b`.
    pub fn implies(&mut self, a: Guard, b: Guard) -> bool {
        self.minus(a, b) == Guard::FALSE
    }
    /// The letters that are in `guard` for some value of the `quantified` bits.
    pub fn exists(&mut self, guard: Guard, quantified: &dyn Fn(BitId) -> bool) -> Guard {
        self.exists_cached(guard, quantified, &mut FxHashMap::default())
    }
    fn exists_cached(
        &mut self,
        guard: Guard,
        quantified: &dyn Fn(BitId) -> bool,
        cache: &mut FxHashMap<Guard, Guard>,
    ) -> Guard {
        let Some((bit, low, high)) = self.branch(guard) else { return guard };
        if let Some(&result) = cache.get(&guard) {
            return result;
        }
        steps::count(1);
        let low = self.exists_cached(low, quantified, cache);
        let high = self.exists_cached(high, quantified, cache);
        let result = if quantified(bit) { self.or(low, high) } else { self.make(bit, low, high) };
        cache.insert(guard, result);
        result
    }
    /// The cofactor of the guard for the `known` values of bits: the letters that are in it if these bits are given
    /// their known values.
    pub fn given(&mut self, guard: Guard, known: &dyn Fn(BitId) -> Option<bool>) -> Guard {
        self.given_cached(guard, known, &mut FxHashMap::default())
    }
    fn given_cached(
        &mut self,
        guard: Guard,
        known: &dyn Fn(BitId) -> Option<bool>,
        done: &mut FxHashMap<Guard, Guard>,
    ) -> Guard {
        let Some((bit, low, high)) = self.branch(guard) else { return guard };
        if let Some(value) = known(bit) {
            return self.given_cached(if value { high } else { low }, known, done);
        }
        if let Some(&given) = done.get(&guard) {
            return given;
        }
        steps::count(1);
        let low = self.given_cached(low, known, done);
        let high = self.given_cached(high, known, done);
        let given = self.make(bit, low, high);
        done.insert(guard, given);
        given
    }
    /// The guard with guards in place of bits: the letters that are in it if each bit for which `by` returns a guard is
    /// given the value of that guard on the letter. `done` keeps results; it may be used again with the same `by`.
    /// Recursion is as deep as there are bits.
    pub fn compose(
        &mut self,
        guard: Guard,
        by: &dyn Fn(BitId) -> Option<Guard>,
        done: &mut FxHashMap<Guard, Guard>,
    ) -> Guard {
        let Some((bit, low, high)) = self.branch(guard) else { return guard };
        if let Some(&composed) = done.get(&guard) {
            return composed;
        }
        if self.is_exhausted {
            return Guard::FALSE;
        }
        let low = self.compose(low, by, done);
        let high = self.compose(high, by, done);
        let composed = self.composed(bit, by(bit), low, high);
        if !self.is_exhausted {
            done.insert(guard, composed);
        }
        composed
    }
    /// As [`Guards::compose`] if no bit below `lowest` in the order has a guard: what lies below it is not visited.
    pub fn compose_down_to(
        &mut self,
        guard: Guard,
        lowest: BitId,
        by: &dyn Fn(BitId) -> Option<Guard>,
        done: &mut FxHashMap<Guard, Guard>,
    ) -> Guard {
        let Some((bit, low, high)) = self.branch(guard) else { return guard };
        if self.rank(bit) > self.rank(lowest) {
            return guard;
        }
        if let Some(&composed) = done.get(&guard) {
            return composed;
        }
        if self.is_exhausted {
            return Guard::FALSE;
        }
        let low = self.compose_down_to(low, lowest, by, done);
        let high = self.compose_down_to(high, lowest, by, done);
        let composed = self.composed(bit, by(bit), low, high);
        if !self.is_exhausted {
            done.insert(guard, composed);
        }
        composed
    }
    /// `by ? high : low`, where a missing `by` is the bit itself.
    fn composed(&mut self, bit: BitId, by: Option<Guard>, low: Guard, high: Guard) -> Guard {
        let Some(by) = by else {
            let is_below =
                |guard: Guard| self.branch(guard).is_none_or(|(own, ..)| self.rank(own) > self.rank(bit));
            if is_below(low) && is_below(high) {
                return self.make(bit, low, high);
            }
            let condition = self.bit(bit);
            return self.ite(condition, high, low);
        };
        self.ite(by, high, low)
    }
    /// Whether a letter is in the guard.
    pub fn contains(&self, mut guard: Guard, letter: &Letter) -> bool {
        while let Some((bit, low, high)) = self.branch(guard) {
            guard = if letter.contains(bit) { high } else { low };
        }
        guard == Guard::TRUE
    }
    /// The guard of a cube.
    pub fn cube(&mut self, cube: &[(BitId, bool)]) -> Guard {
        // From the lowest bit on, so that each step adds one node on top.
        let mut cube = cube.to_vec();
        cube.sort_unstable_by_key(|&(bit, _)| self.rank(bit));
        cube.iter().rev().fold(Guard::TRUE, |product, &(bit, value)| {
            let literal = self.literal(bit, value);
            self.and(literal, product)
        })
    }
    /// The letters that agree with `letter` on `bits`.
    pub fn valuation(&mut self, bits: impl IntoIterator<Item = BitId>, letter: &Letter) -> Guard {
        let cube: Cube = bits.into_iter().map(|bit| (bit, letter.contains(bit))).collect();
        self.cube(&cube)
    }
    /// Some letter of the guard: false bits preferred, the smallest bit first. `None` for [`Guard::FALSE`].
    pub fn pick(&self, mut guard: Guard) -> Option<Letter> {
        let mut letter = Letter::new();
        while let Some((bit, low, high)) = self.branch(guard) {
            guard = low;
            if low == Guard::FALSE {
                letter.insert(bit);
                guard = high;
            }
        }
        (guard == Guard::TRUE).then_some(letter)
    }
    /// Disjoint cubes whose union is the guard: the paths of the diagram, in order.
    pub fn cubes(&self, guard: Guard) -> Vec<Cube> {
        let mut cubes = Vec::new();
        let mut stack = vec![(guard, Cube::new())];
        while let Some((guard, cube)) = stack.pop() {
            match self.branch(guard) {
                None if guard == Guard::TRUE => cubes.push(cube),
                None => {}
                Some((bit, low, high)) => {
                    let with = |value| [&cube[..], &[(bit, value)]].concat();
                    stack.push((high, with(true)));
                    stack.push((low, with(false)));
                }
            }
        }
        cubes
    }
    /// The bits that a guard depends on, in order.
    pub fn support(&self, guard: Guard) -> Vec<BitId> {
        let mut seen = FxHashSet::default();
        let mut bits = Letter::new();
        let mut stack = vec![guard];
        while let Some(guard) = stack.pop() {
            if let Some((bit, low, high)) = self.branch(guard)
                && seen.insert(guard)
            {
                bits.insert(bit);
                stack.extend([low, high]);
            }
        }
        bits.iter().collect()
    }
    /// The same set of letters in another store, whatever its order. Recursion is as deep as there are bits.
    pub fn copy_into(&self, guard: Guard, other: &mut Self) -> Guard {
        self.copy_given(guard, other, &|_| None)
    }
    /// The cofactor of the guard for the `known` values of bits, in another store.
    pub fn copy_given(&self, guard: Guard, other: &mut Self, known: &dyn Fn(BitId) -> Option<bool>) -> Guard {
        self.copy_cached(guard, other, known, &mut FxHashMap::default())
    }
    fn copy_cached(
        &self,
        guard: Guard,
        other: &mut Self,
        known: &dyn Fn(BitId) -> Option<bool>,
        done: &mut FxHashMap<Guard, Guard>,
    ) -> Guard {
        let Some((bit, low, high)) = self.branch(guard) else { return guard };
        if let Some(value) = known(bit) {
            return self.copy_cached(if value { high } else { low }, other, known, done);
        }
        if let Some(&copy) = done.get(&guard) {
            return copy;
        }
        let low = self.copy_cached(low, other, known, done);
        let high = self.copy_cached(high, other, known, done);
        let tops = [low, high].map(|g| other.branch(g).map(|(bit, ..)| bit));
        let copy = if other.topmost(tops.into_iter().flatten().chain([bit])) == Some(bit) {
            other.make(bit, low, high)
        } else {
            let here = other.bit(bit);
            other.ite(here, high, low)
        };
        done.insert(guard, copy);
        copy
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{LimitKind, Random};

    const BITS: usize = 6;

    /// A store in which each bit of the second half is placed after the corresponding bit of the first.
    fn in_pairs() -> Guards {
        let mut guards = Guards::new();
        for i in 0..BITS / 2 {
            guards.put_behind(BitId::from_index(BITS / 2 + i), BitId::from_index(i));
        }
        guards
    }

    fn letters() -> impl Iterator<Item = Letter> {
        let letter = |code: usize| (0..BITS).filter(|i| code >> i & 1 == 1).map(BitId::from_index).collect();
        (0..1 << BITS).map(letter)
    }

    #[test]
    fn what_roots_need_survives_a_collection() {
        let mut random = Random::new(29);
        for _ in 0..40 {
            let mut guards = in_pairs();
            let mut all: Vec<Guard> = (0..BITS).map(|bit| guards.bit(BitId::from_index(bit))).collect();
            for _ in 0..60 {
                let [a, b, c] = [(); 3].map(|()| all[random.below(all.len())]);
                all.push(guards.ite(a, b, c));
            }
            let mut kept: Vec<Guard> = (0..random.below(5)).map(|_| all[random.below(all.len())]).collect();
            let before = guards.clone();
            let old = kept.clone();
            guards.collect(&mut kept.iter_mut().collect::<Vec<_>>());
            let needed: FxHashSet<Guard> = old.iter().flat_map(|&guard| nodes_of(&before, guard)).collect();
            assert_eq!(guards.node_count(), needed.len() + 2);
            for (&old, &new) in old.iter().zip(&kept) {
                for letter in letters() {
                    assert_eq!(before.contains(old, &letter), guards.contains(new, &letter));
                }
                // Equal sets of letters are equal guards, also of what is made afterwards.
                let twice = guards.not(new);
                assert_eq!(guards.not(twice), new);
            }
            for (i, &a) in kept.iter().enumerate() {
                for (j, &b) in kept.iter().enumerate() {
                    assert_eq!(a == b, old[i] == old[j]);
                }
            }
        }
    }

    fn nodes_of(guards: &Guards, guard: Guard) -> Vec<Guard> {
        let Some((_, low, high)) = guards.branch(guard) else { return Vec::new() };
        [vec![guard], nodes_of(guards, low), nodes_of(guards, high)].concat()
    }

    #[test]
    fn large_operations_give_up_once_a_flag_is_raised() {
        // Sums of products of variables that stand far apart: 2^(n + 1) nodes.
        let sum = |guards: &mut Guards, n: usize| {
            (0..n).fold(Guard::FALSE, |sum, i| {
                let [near, far] = [i, n + i].map(|bit| guards.bit(BitId::from_index(bit)));
                let product = guards.and(near, far);
                guards.or(sum, product)
            })
        };
        let stop = StopFlag::new();
        let mut guards = Guards::new();
        guards.set_stop(&Budget::unlimited().with_flag(stop.clone()));
        assert_ne!(sum(&mut guards, 10), Guard::FALSE);
        assert!(!guards.is_exhausted());
        let before = guards.node_count();
        stop.raise(LimitKind::Interrupted);
        sum(&mut guards, 16);
        assert!(guards.is_exhausted());
        assert!(guards.node_count() < before + 2_000, "{} after {before}", guards.node_count());
    }

    #[test]
    fn the_order_of_bits_changes_no_meaning() {
        let mut random = Random::new(11);
        for _ in 0..200 {
            let mut stores = [Guards::new(), in_pairs()];
            let mut made: Vec<[Guard; 2]> =
                (0..BITS).map(|i| stores.each_mut().map(|guards| guards.bit(BitId::from_index(i)))).collect();
            for _ in 0..6 {
                let [a, b, c] = [0; 3].map(|_| made[random.below(made.len())]);
                made.push([0, 1].map(|s| stores[s].ite(a[s], b[s], c[s])));
            }
            let [plain, paired] = &mut stores;
            let [f, g] = made[made.len() - 1];
            for pair in made.windows(2) {
                let both = letters()
                    .any(|letter| plain.contains(pair[0][0], &letter) && plain.contains(pair[1][0], &letter));
                assert_eq!(plain.overlap(pair[0][0], pair[1][0]), both);
                assert_eq!(paired.overlap(pair[0][1], pair[1][1]), both);
                assert_eq!(plain.clone().intersects(pair[0][0], pair[1][0]), both);
            }
            assert!(letters().all(|letter| plain.contains(f, &letter) == paired.contains(g, &letter)));
            assert_eq!((plain.copy_into(f, paired), paired.copy_into(g, plain)), (g, f));
            let known = |bit: BitId| (bit.index() >= BITS / 2).then_some(bit.index().is_multiple_of(2));
            let [here, there] =
                [plain.copy_given(f, &mut in_pairs(), &known), paired.copy_given(g, plain, &known)];
            assert_eq!(plain.copy_given(f, &mut plain.clone(), &known), there);
            let known_in = |letter: &Letter| {
                (0..BITS)
                    .map(BitId::from_index)
                    .filter(|&bit| known(bit).unwrap_or(letter.contains(bit)))
                    .collect()
            };
            assert!(
                letters()
                    .all(|letter| plain.contains(there, &letter) == plain.contains(f, &known_in(&letter)))
            );
            assert_eq!(here == Guard::TRUE, there == Guard::TRUE);
            let quantified = |bit: BitId| bit.index().is_multiple_of(3);
            let (f, g) = (plain.exists(f, &quantified), paired.exists(g, &quantified));
            assert_eq!(plain.copy_into(f, paired), g);
        }
    }

    #[test]
    fn what_is_compared_stands_together() {
        let differ = |mut guards: Guards, pairs: usize| {
            let mut some = Guard::FALSE;
            for i in 0..pairs {
                let [a, b] = [i, pairs + i].map(|i| guards.bit(BitId::from_index(i)));
                let same = guards.iff(a, b);
                some = guards.ite(same, some, Guard::TRUE);
            }
            let mut open = vec![some];
            let mut seen = FxHashSet::default();
            while let Some(guard) = open.pop() {
                if let Some((_, low, high)) = guards.branch(guard)
                    && seen.insert(guard)
                {
                    open.extend([low, high]);
                }
            }
            seen.len()
        };
        let mut paired = Guards::new();
        (0..12).for_each(|i| paired.put_behind(BitId::from_index(12 + i), BitId::from_index(i)));
        assert_eq!(differ(paired, 12), 3 * 12);
        assert!(differ(Guards::new(), 12) > 1 << 12);
    }
}
