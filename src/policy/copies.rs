//! The copies of a law with `for_each`, one for each combination of values seen.
//!
//! A copy is identified by a key: a value or none for each name. The key without values represents all combinations not
//! seen. A letter with bindings is a step of the copies whose keys have its values; before that, each key that agrees
//! with the letter is joined with its values, so that the keys seen stay closed under joining, and a new key begins in
//! the state of the largest key that it extends. Keys are grouped in classes, one for each state of the monitor, so
//! that a letter without bindings costs as many steps as there are states, not values.

use rustc_hash::FxHashMap;

/// A value or none for each name of the law.
pub type Key = Vec<Option<Box<str>>>;

/// The copies of one law.
#[derive(Clone, Debug)]
pub struct Copies {
    names: Vec<String>,
    keys: FxHashMap<Key, usize>,
    /// In the order they were seen; the first is the key without values.
    order: Vec<Key>,
    /// For each class the one it was merged into, or itself.
    parents: Vec<usize>,
    /// The state of each class that was not merged.
    states: Vec<u32>,
}

impl Copies {
    /// One copy, for values not seen.
    pub fn new(names: Vec<String>) -> Self {
        let none: Key = vec![None; names.len()];
        let keys = FxHashMap::from_iter([(none.clone(), 0)]);
        Self { names, keys, order: vec![none], parents: vec![0], states: vec![0] }
    }
    /// Copies with these keys, in the order they were seen, in these states. The first key is the one without values.
    pub fn with_states(names: Vec<String>, states: impl IntoIterator<Item = (Key, u32)>) -> Self {
        let mut copies = Self::new(names);
        for (key, state) in states {
            copies.place(key, state);
        }
        copies
    }
    /// The names whose values are distinguished.
    pub fn names(&self) -> &[String] {
        &self.names
    }
    /// The number of values or combinations of values seen.
    pub fn len(&self) -> usize {
        self.order.len() - 1
    }
    /// Whether none was seen.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    fn root(&self, mut class: usize) -> usize {
        while self.parents[class] != class {
            class = self.parents[class];
        }
        class
    }
    /// The state of a copy that exists.
    fn state_of(&self, key: &Key) -> Option<u32> {
        self.keys.get(key).map(|&class| self.states[self.root(class)])
    }
    /// All keys with their states, in the order they were seen.
    pub fn iter(&self) -> impl Iterator<Item = (&Key, u32)> {
        self.order.iter().map(|key| (key, self.state_of(key).unwrap_or(0)))
    }
    /// Whether two sets of copies have the same keys in the same states, in any order.
    pub fn same(&self, other: &Self) -> bool {
        self.keys.len() == other.keys.len()
            && self.order.iter().all(|key| self.state_of(key) == other.state_of(key))
    }
    /// The states that some copy is in, sorted.
    pub fn states(&self) -> Vec<u32> {
        let mut used = vec![false; self.parents.len()];
        for &class in self.keys.values() {
            used[self.root(class)] = true;
        }
        let mut states: Vec<u32> = (0..used.len()).filter(|&i| used[i]).map(|i| self.states[i]).collect();
        states.sort_unstable();
        states.dedup();
        states
    }
    /// The values that a letter gives to the names of this law.
    pub fn values(&self, bindings: &[(String, String)]) -> Key {
        let value = |name: &String| {
            bindings.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str().into())
        };
        self.names.iter().map(value).collect()
    }
    /// The state that the copy with these values is in, or would begin in.
    pub fn state_for(&self, values: &Key) -> u32 {
        self.state_of(values).unwrap_or_else(|| self.begin(values))
    }
    /// The initial state of the copy with a new key: the state of the copy with the largest key that the new one extends.
    fn begin(&self, key: &Key) -> u32 {
        let inside = |small: &&Key| small.iter().zip(key).all(|(a, b)| a.is_none() || a == b);
        let size = |key: &Key| key.iter().filter(|value| value.is_some()).count();
        let largest = self.order.iter().filter(inside).max_by_key(|key| size(key));
        largest.and_then(|key| self.state_of(key)).unwrap_or(0)
    }
    /// A step of all copies whose keys have the values of a letter. At most `most` keys are distinguished; returns
    /// `false` if the letter would add more, and then adds none.
    pub fn step(&mut self, values: &Key, most: usize, mut next: impl FnMut(u32) -> u32) -> bool {
        if values.iter().all(Option::is_none) {
            self.step_all(next);
            return true;
        }
        let joined = |key: &Key| -> Option<Key> {
            let agree = key.iter().zip(values).all(|(a, b)| a.is_none() || b.is_none() || a == b);
            agree.then(|| key.iter().zip(values).map(|(a, b)| a.clone().or_else(|| b.clone())).collect())
        };
        // With one name, only the key of the value itself can be missing.
        let fresh: Vec<Key> = if self.names.len() == 1 {
            if self.keys.contains_key(values) { Vec::new() } else { vec![values.clone()] }
        } else {
            let mut fresh: Vec<Key> = Vec::new();
            for key in self.order.iter().filter_map(joined) {
                if !self.keys.contains_key(&key) && !fresh.contains(&key) {
                    fresh.push(key);
                }
            }
            fresh
        };
        let enough = self.len() + fresh.len() <= most;
        if enough {
            let begins: Vec<u32> = fresh.iter().map(|key| self.begin(key)).collect();
            for (key, state) in fresh.into_iter().zip(begins) {
                self.place(key, state);
            }
        }
        let reached: Vec<Key> = if self.names.len() == 1 {
            self.keys.contains_key(values).then(|| values.clone()).into_iter().collect()
        } else {
            let has = |key: &&Key| key.iter().zip(values).all(|(a, b)| b.is_none() || a == b);
            self.order.iter().filter(has).cloned().collect()
        };
        for key in reached {
            let state = next(self.state_of(&key).unwrap_or(0));
            self.place(key, state);
        }
        enough
    }
    /// A step of all copies.
    pub fn step_all(&mut self, mut next: impl FnMut(u32) -> u32) {
        let mut classes: FxHashMap<u32, usize> = FxHashMap::default();
        for class in 0..self.parents.len() {
            if self.parents[class] == class {
                self.states[class] = next(self.states[class]);
                self.parents[class] = *classes.entry(self.states[class]).or_insert(class);
            }
        }
        self.compact();
    }
    /// Puts a key into the class of a state.
    fn place(&mut self, key: Key, state: u32) {
        let known = (0..self.parents.len())
            .find(|&class| self.parents[class] == class && self.states[class] == state);
        let class = known.unwrap_or_else(|| {
            self.parents.push(self.parents.len());
            self.states.push(state);
            self.parents.len() - 1
        });
        if self.keys.insert(key.clone(), class).is_none() {
            self.order.push(key);
        }
        self.compact();
    }
    /// Removes merged classes once there are many.
    fn compact(&mut self) {
        if self.parents.len() < 64 || self.parents.len() < 2 * self.order.len() {
            return;
        }
        let mut new: Vec<Option<usize>> = vec![None; self.parents.len()];
        let mut states = Vec::new();
        for key in &self.order {
            let root = self.root(self.keys[key]);
            let class = *new[root].get_or_insert_with(|| {
                states.push(self.states[root]);
                states.len() - 1
            });
            self.keys.insert(key.clone(), class);
        }
        self.parents = (0..states.len()).collect();
        self.states = states;
    }
}
