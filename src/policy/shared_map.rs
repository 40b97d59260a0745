//! A hash map whose clones share what they have in common: a session is cloned for each decision, and a decision changes
//! few entries.
//!
//! A trie over the bits of hashes (Bagwell, *Ideal Hash Trees*, 2001), with nodes that are copied when they are changed
//! and have other owners. A change copies one path: its cost does not depend on the number of entries, apart from the
//! depth, which is logarithmic. Nodes that two maps share are skipped when these are compared.

use rustc_hash::FxHasher;
use std::borrow::Borrow;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// Bits of a hash that a node tells apart.
const BITS: u32 = 4;
/// The children of an inner node.
const WIDTH: usize = 1 << BITS;
/// The entries of a leaf before it is split, unless no bits are left.
const LEAF: usize = 8;
/// Bits of a hash that are used.
const HASH_BITS: u32 = 32;

/// A hash map; cloning takes constant time.
#[derive(Clone, Debug)]
pub struct SharedMap<K, V> {
    root: Arc<Node<K, V>>,
    len: usize,
}

#[derive(Clone, Debug)]
enum Node<K, V> {
    Leaf(Vec<Entry<K, V>>),
    /// A child for each value of the next bits.
    Inner(Vec<Arc<Node<K, V>>>),
}

#[derive(Clone, Debug)]
struct Entry<K, V> {
    hash: u32,
    key: K,
    value: V,
}

impl<K, V> Default for SharedMap<K, V> {
    fn default() -> Self {
        Self { root: Arc::new(Node::Leaf(Vec::new())), len: 0 }
    }
}

fn hash_of<Q: Hash + ?Sized>(key: &Q) -> u32 {
    let mut hasher = FxHasher::default();
    key.hash(&mut hasher);
    // The high bits of the product depend on all bits of the hash (Fibonacci hashing, Knuth, volume 3, section 6.4).
    (hasher.finish().wrapping_mul(0x9e37_79b9_7f4a_7c15) >> HASH_BITS) as u32
}

/// The child for a hash at a depth in bits.
fn child(hash: u32, depth: u32) -> usize {
    (hash >> depth) as usize % WIDTH
}

impl<K: Hash + Eq + Clone, V: Clone> SharedMap<K, V> {
    /// The number of entries.
    pub fn len(&self) -> usize {
        self.len
    }
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
    /// The value of a key.
    pub fn get<Q: Hash + Eq + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        let hash = hash_of(key);
        let (mut node, mut depth) = (&*self.root, 0);
        loop {
            match node {
                Node::Leaf(entries) => {
                    let own = |entry: &&Entry<K, V>| entry.hash == hash && entry.key.borrow() == key;
                    return entries.iter().find(own).map(|entry| &entry.value);
                }
                Node::Inner(children) => {
                    node = &children[child(hash, depth)];
                    depth += BITS;
                }
            }
        }
    }
    /// Sets the value of a key, and returns the one before.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        let hash = hash_of(&key);
        let (mut node, mut depth) = (Arc::make_mut(&mut self.root), 0);
        loop {
            if let Node::Leaf(entries) = node
                && entries.len() >= LEAF
                && depth < HASH_BITS
                && !entries.iter().any(|entry| entry.hash == hash && entry.key == key)
            {
                *node = split(std::mem::take(entries), depth);
            }
            match node {
                Node::Leaf(entries) => {
                    if let Some(known) =
                        entries.iter_mut().find(|entry| entry.hash == hash && entry.key == key)
                    {
                        return Some(std::mem::replace(&mut known.value, value));
                    }
                    entries.push(Entry { hash, key, value });
                    self.len += 1;
                    return None;
                }
                Node::Inner(children) => {
                    node = Arc::make_mut(&mut children[child(hash, depth)]);
                    depth += BITS;
                }
            }
        }
    }
    /// All entries, in unspecified order.
    pub fn iter(&self) -> impl Iterator<Item = (&K, &V)> {
        let mut stack = vec![&*self.root];
        let mut entries: std::slice::Iter<'_, Entry<K, V>> = [].iter();
        std::iter::from_fn(move || {
            loop {
                if let Some(entry) = entries.next() {
                    return Some((&entry.key, &entry.value));
                }
                match stack.pop()? {
                    Node::Leaf(own) => entries = own.iter(),
                    Node::Inner(children) => stack.extend(children.iter().map(|child| &**child)),
                }
            }
        })
    }
    /// Calls `visit` with the entries of two maps that may differ: for a key of this map its value and that in the other
    /// map, if there is one. Keys that only the other map has are not visited. Nodes that both share are skipped.
    /// Returns the number of entries that were looked at.
    pub fn compare<'s>(&'s self, other: &Self, visit: &mut dyn FnMut(&'s K, &V, Option<&V>)) -> usize {
        let mut looked_at = 0;
        let mut stack = vec![(&self.root, Some(&other.root))];
        while let Some((own, known)) = stack.pop() {
            if known.is_some_and(|known| Arc::ptr_eq(own, known)) {
                continue;
            }
            match (&**own, known.map(|known| &**known)) {
                (Node::Inner(own), Some(Node::Inner(known))) => {
                    stack.extend(own.iter().zip(known.iter().map(Some)));
                }
                // The other map has a leaf here, or nothing that is shared.
                (Node::Inner(own), _) => stack.extend(own.iter().map(|child| (child, None))),
                (Node::Leaf(entries), _) => {
                    for entry in entries {
                        looked_at += 1;
                        visit(&entry.key, &entry.value, other.get(&entry.key));
                    }
                }
            }
        }
        looked_at
    }
}

impl<K: Hash + Eq + Clone, V: Clone + PartialEq> PartialEq for SharedMap<K, V> {
    fn eq(&self, other: &Self) -> bool {
        let is_in = |(key, value): (&K, &V)| other.get(key) == Some(value);
        self.len == other.len && (Arc::ptr_eq(&self.root, &other.root) || self.iter().all(is_in))
    }
}

impl<K: Hash + Eq + Clone, V: Clone> FromIterator<(K, V)> for SharedMap<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        let mut map = Self::default();
        entries.into_iter().for_each(|(key, value)| _ = map.insert(key, value));
        map
    }
}

/// An inner node with the entries of a leaf at a depth in bits.
fn split<K: Clone, V: Clone>(entries: Vec<Entry<K, V>>, depth: u32) -> Node<K, V> {
    let mut parts: Vec<Vec<Entry<K, V>>> = (0..WIDTH).map(|_| Vec::new()).collect();
    for entry in entries {
        parts[child(entry.hash, depth)].push(entry);
    }
    Node::Inner(parts.into_iter().map(|part| Arc::new(Node::Leaf(part))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;
    use tsl_synth_core::base::Random;

    /// A key with few hashes.
    #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
    struct Alike(u32);

    impl Hash for Alike {
        fn hash<H: Hasher>(&self, state: &mut H) {
            (self.0 % 3).hash(state);
        }
    }

    fn plain<K: Hash + Eq + Clone + Ord>(map: &SharedMap<K, u32>) -> BTreeMap<K, u32> {
        map.iter().map(|(key, value)| (key.clone(), *value)).collect()
    }

    #[test]
    fn it_is_a_map_whatever_the_hashes_are() {
        let mut random = Random::new(1);
        let (mut many, mut alike) = (SharedMap::default(), SharedMap::default());
        let (mut plain_many, mut plain_alike) = (BTreeMap::new(), BTreeMap::new());
        let mut before = Vec::new();
        for round in 0..3_000_u32 {
            let key = random.below(900) as u32;
            assert_eq!(many.insert(key, round), plain_many.insert(key, round));
            let other = Alike(key % 40);
            assert_eq!(alike.insert(other.clone(), round), plain_alike.insert(other, round));
            assert_eq!(many.get(&key), Some(&round));
            assert_eq!(many.get(&(key + 1)), plain_many.get(&(key + 1)));
            if round % 500 == 0 {
                before.push((many.clone(), plain_many.clone()));
            }
        }
        assert_eq!((many.len(), alike.len()), (plain_many.len(), plain_alike.len()));
        assert_eq!((plain(&many), plain(&alike)), (plain_many, plain_alike));
        for (own, known) in before {
            assert_eq!(plain(&own), known, "a clone does not change");
        }
    }

    #[test]
    fn what_two_maps_share_is_not_looked_at() {
        let mut map: SharedMap<u32, u32> = SharedMap::default();
        (0..10_000).for_each(|key| _ = map.insert(key, key));
        let known = map.clone();
        let mut differ = Vec::new();
        assert_eq!(map.compare(&known, &mut |_, _, _| differ.push(0)), 0, "they are the same");
        map.insert(77, 0);
        map.insert(20_000, 1);
        let looked_at = map.compare(&known, &mut |key, own, other| {
            if Some(own) != other {
                differ.push(*key);
            }
        });
        differ.sort_unstable();
        assert_eq!(differ, [77, 20_000]);
        assert!(looked_at <= 2 * (LEAF + 1), "{looked_at} entries of two leaves");
    }
}
