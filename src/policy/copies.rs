//! The copies of a law with `for_each`, one for each combination of values seen.
//!
//! A copy is identified by a key: a value or none for each name. The key without values represents all combinations not
//! seen. A letter with bindings is a step of the copies whose keys have its values; before that, each key that agrees
//! with the letter is joined with its values, so that the keys seen stay closed under joining, and a new key begins in
//! the state of the largest key that it extends. A key is added even if its copy stays in that state: its calls may be
//! pending. Keys are grouped in classes, one for each state of the monitor, so that a letter without bindings costs as
//! many steps as there are states, not values. Clones share what does not change.

use crate::program::{BoundLetter, UNKNOWN_VALUE};
use crate::shared_map::SharedMap;
use rustc_hash::FxHashMap;
use std::sync::{Arc, OnceLock};

/// A value or none for each name of the law.
pub type Key = Arc<[Option<Box<str>>]>;

/// The key of a combination in which each name has a value.
pub fn key_of(values: impl IntoIterator<Item = String>) -> Key {
    values.into_iter().map(|value| Some(value.into())).collect()
}

/// The values of such a key.
pub fn key_values(key: &Key) -> Vec<String> {
    key.iter().map(|value| value.as_deref().unwrap_or_default().to_owned()).collect()
}

/// The values that bindings give to some names.
fn bound_values(names: &[String], bindings: &[(String, String)]) -> Vec<Option<Box<str>>> {
    let value =
        |name: &String| bindings.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str().into());
    names.iter().map(value).collect()
}

/// The known values that a letter gives to some names, and whether it has unknown ones, too.
pub(super) fn known_values(names: &[String], letter: &BoundLetter) -> (Vec<Option<Box<str>>>, bool) {
    let mut values = bound_values(names, &letter.bindings);
    let unknown = |value: &&mut Option<Box<str>>| value.as_deref() == Some(UNKNOWN_VALUE);
    let is_unknown = values.iter_mut().filter(unknown).map(Option::take).count() > 0;
    (values, is_unknown)
}

/// The place of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    class: u32,
    /// The number of keys that were added before it.
    number: u32,
}

/// The keys of one state.
#[derive(Clone, Debug)]
struct Group {
    state: u32,
    /// One of its classes, for new keys.
    class: u32,
    /// The number of its keys.
    keys: usize,
    /// One of its keys, if that was determined.
    some: OnceLock<Key>,
}

impl Group {
    fn new(state: u32, class: u32) -> Self {
        Self { state, class, keys: 0, some: OnceLock::new() }
    }
}

/// The copies of one law.
#[derive(Clone, Debug)]
pub struct Copies {
    names: Arc<[String]>,
    keys: SharedMap<Key, Place>,
    /// The class of the key without values.
    unbound: u32,
    /// For each class its group. A class keeps its keys when its group is merged into another one.
    of_class: Vec<u32>,
    /// The groups, each of another state.
    groups: Vec<Group>,
}

impl Copies {
    /// One copy, for values that are not distinguished.
    pub fn new(names: Vec<String>) -> Self {
        let none: Key = names.iter().map(|_| None).collect();
        let mut keys = SharedMap::default();
        keys.insert(none, Place { class: 0, number: 0 });
        Self {
            names: names.into(),
            keys,
            unbound: 0,
            of_class: vec![0],
            groups: vec![Group { keys: 1, ..Group::new(0, 0) }],
        }
    }
    /// Copies with these keys, in the order they were added, in these states. The first key is the one without values.
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
    /// The number of values or combinations of values that are distinguished.
    pub fn len(&self) -> usize {
        self.keys.len() - 1
    }
    /// Whether none is.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    fn group(&self, class: u32) -> usize {
        self.of_class[class as usize] as usize
    }
    fn state_at(&self, place: Place) -> u32 {
        self.groups[self.group(place.class)].state
    }
    /// The state of a copy that exists.
    fn state_of(&self, key: &[Option<Box<str>>]) -> Option<u32> {
        self.keys.get(key).map(|&place| self.state_at(place))
    }
    /// The state of the copy for values that are not distinguished.
    pub fn default_state(&self) -> u32 {
        self.groups[self.group(self.unbound)].state
    }
    /// All keys with their states, in unspecified order.
    pub fn unordered(&self) -> impl Iterator<Item = (&Key, u32)> {
        self.keys.iter().map(|(key, &place)| (key, self.state_at(place)))
    }
    /// All keys with their states, in the order they were added; sorts them.
    pub fn iter(&self) -> impl Iterator<Item = (&Key, u32)> {
        let mut all: Vec<(&Key, Place)> = self.keys.iter().map(|(key, &place)| (key, place)).collect();
        all.sort_unstable_by_key(|(_, place)| place.number);
        all.into_iter().map(|(key, place)| (key, self.state_at(place)))
    }
    /// Whether two sets of copies have the same keys in the same states, in any order.
    pub fn same(&self, other: &Self) -> bool {
        self.keys.len() == other.keys.len()
            && self.unordered().all(|(key, state)| other.state_of(key) == Some(state))
    }
    /// The keys that had another state before, or did not exist, of copies that became these ones; `None` if a letter
    /// without values changed several. The time does not depend on the number of keys that are the same.
    pub fn changed<'s>(&'s self, before: &Self) -> Option<Vec<&'s Key>> {
        let classes = 0..before.of_class.len() as u32;
        let state = |own: &Self, class: u32| own.groups[own.group(class)].state;
        if self.of_class.len() < before.of_class.len()
            || classes.into_iter().any(|class| state(self, class) != state(before, class))
        {
            return None;
        }
        let mut changed = Vec::new();
        // Classes have the same states, so places that both share are those of keys that are the same.
        self.keys.compare(&before.keys, &mut |key, &own, known| {
            if known.is_none_or(|&known| before.state_at(known) != self.state_at(own)) {
                changed.push(key);
            }
        });
        Some(changed)
    }
    /// The states that some copy is in, sorted.
    pub fn states(&self) -> Vec<u32> {
        let used = self.groups.iter().filter(|group| group.keys > 0);
        let mut states: Vec<u32> = used.map(|group| group.state).collect();
        states.sort_unstable();
        states
    }
    /// Some key whose copy is in this state, if there is one. The last result is cached, and keys are searched only if it
    /// has left the state; `looked_at` is called for each key that is examined.
    pub fn some_in(&self, state: u32, looked_at: &dyn Fn()) -> Option<&Key> {
        let at = self.groups.iter().position(|group| group.state == state && group.keys > 0)?;
        let search = || {
            let mut keys = self.keys.iter().inspect(|_| looked_at());
            keys.find(|(_, place)| self.group(place.class) == at).map(|(key, _)| key.clone())
        };
        if self.groups[at].some.get().is_none() {
            let _ = self.groups[at].some.set(search()?);
        }
        self.groups[at].some.get()
    }
    /// The number of copies in states with a property.
    pub fn count(&self, has: impl Fn(u32) -> bool) -> usize {
        self.groups.iter().filter(|group| has(group.state)).map(|group| group.keys).sum()
    }
    /// Whether a letter with these values adds no key: since the keys are closed under joining, if these are a key.
    pub fn has(&self, values: &[Option<Box<str>>]) -> bool {
        self.keys.get(values).is_some()
    }
    /// The values that a letter gives to the names of this law.
    pub fn values(&self, bindings: &[(String, String)]) -> Vec<Option<Box<str>>> {
        bound_values(&self.names, bindings)
    }
    /// The state that the copy with these values is in, or would begin in.
    pub fn state_for(&self, values: &[Option<Box<str>>]) -> u32 {
        self.state_of(values).unwrap_or_else(|| self.begin(values))
    }
    /// The state in which a new key begins: that of the largest key that it extends. With one name this is the key
    /// without values.
    fn begin(&self, key: &[Option<Box<str>>]) -> u32 {
        if self.names.len() == 1 || self.is_empty() {
            return self.default_state();
        }
        let inside = |small: &Key| small.iter().zip(key).all(|(a, b)| a.is_none() || a == b);
        let size = |key: &Key| key.iter().filter(|value| value.is_some()).count();
        let largest =
            self.unordered().filter(|(small, _)| inside(small)).max_by_key(|(small, _)| size(small));
        largest.map_or(0, |(_, state)| state)
    }
    /// The steps of all copies that a letter with values reaches, also of those that it would add.
    fn steps(&self, values: &[Option<Box<str>>], next: &mut dyn FnMut(u32) -> u32) -> Vec<Step> {
        let agrees = |key: &Key| key.iter().zip(values).all(|(a, b)| a.is_none() || b.is_none() || a == b);
        let has = |key: &Key| key.iter().zip(values).all(|(a, b)| b.is_none() || a == b);
        let mut steps: Vec<Step> = Vec::new();
        for (key, before) in self.iter().filter(|(key, _)| agrees(key)) {
            if has(key) {
                steps.push(Step { key: key.clone(), is_new: false, before, after: next(before) });
                continue;
            }
            let key: Key = key.iter().zip(values).map(|(a, b)| a.clone().or_else(|| b.clone())).collect();
            if self.state_of(&key).is_none() && !steps.iter().any(|step| step.key == key) {
                let before = self.begin(&key);
                steps.push(Step { key, is_new: true, before, after: next(before) });
            }
        }
        steps
    }
    /// A step of the only copy that a letter with a value reaches, where there is one name.
    fn step_one(this: &mut Arc<Self>, value: &[Option<Box<str>>], most: usize, after: u32) -> bool {
        let enough = this.state_of(value).is_some() || this.len() < most;
        if enough {
            Arc::make_mut(this).place(value.into(), after);
        }
        enough
    }
    /// A step of all copies whose keys have the values of a letter. At most `most` keys are distinguished; returns
    /// `false` if the letter would add more, and then adds none. Copies whose states do not change are not copied.
    pub fn step(
        this: &mut Arc<Self>,
        values: &[Option<Box<str>>],
        most: usize,
        mut next: impl FnMut(u32) -> u32,
    ) -> bool {
        if values.iter().all(Option::is_none) {
            let states = this.next_states(next);
            if states.iter().zip(&this.groups).any(|(&state, group)| state != group.state) {
                Arc::make_mut(this).move_groups(&states);
            }
            return true;
        }
        if this.names.len() == 1 {
            let known = this.state_of(values);
            let after = next(known.unwrap_or_else(|| this.begin(values)));
            return known == Some(after) || Self::step_one(this, values, most, after);
        }
        let steps = this.steps(values, &mut next);
        if steps.iter().all(|step| !step.is_new && step.before == step.after) {
            return true;
        }
        let added = steps.iter().filter(|step| step.is_new).count();
        let enough = this.len() + added <= most;
        let own = Arc::make_mut(this);
        for step in steps.into_iter().filter(|step| enough || !step.is_new) {
            own.place(step.key, step.after);
        }
        enough
    }
    /// A step of all copies.
    pub fn step_all(&mut self, next: impl FnMut(u32) -> u32) {
        self.move_groups(&self.next_states(next));
    }
    /// The states of the groups after a step; of groups without keys their own.
    fn next_states(&self, mut next: impl FnMut(u32) -> u32) -> Vec<u32> {
        let of = |group: &Group| if group.keys > 0 { next(group.state) } else { group.state };
        self.groups.iter().map(of).collect()
    }
    /// Gives each group a state; groups of one state are merged, and those without keys are removed.
    fn move_groups(&mut self, states: &[u32]) {
        let mut place_of: FxHashMap<u32, u32> = FxHashMap::default();
        let mut groups: Vec<Group> = Vec::new();
        let mut moved: Vec<u32> = Vec::with_capacity(states.len());
        for (group, &state) in self.groups.iter().zip(states) {
            let place = *place_of.entry(state).or_insert_with(|| {
                groups.push(Group { some: group.some.clone(), ..Group::new(state, group.class) });
                groups.len() as u32 - 1
            });
            let own = &mut groups[place as usize];
            if own.keys == 0 {
                own.some = group.some.clone();
            }
            own.keys += group.keys;
            moved.push(place);
        }
        for group in &mut self.of_class {
            *group = moved[*group as usize];
        }
        self.groups = groups;
        self.compact();
    }
    /// Puts a key into the group of a state.
    fn place(&mut self, key: Key, state: u32) {
        let known = self.groups.iter().position(|group| group.state == state);
        let group = known.unwrap_or_else(|| {
            let class = self.of_class.len() as u32;
            self.of_class.push(self.groups.len() as u32);
            self.groups.push(Group::new(state, class));
            self.groups.len() - 1
        });
        let class = self.groups[group].class;
        let before = self.keys.get(&key).copied();
        if let Some(before) = before {
            let old = self.group(before.class);
            self.groups[old].keys -= 1;
            if self.groups[old].some.get() == Some(&key) {
                self.groups[old].some = OnceLock::new();
            }
        }
        let number = before.map_or(self.keys.len() as u32, |before| before.number);
        let own = &mut self.groups[group];
        own.keys += 1;
        let _ = own.some.set(key.clone());
        if number == 0 {
            self.unbound = class;
        }
        self.keys.insert(key, Place { class, number });
        self.compact();
    }
    /// Renumbers the classes once there are many.
    fn compact(&mut self) {
        // So rarely that it costs a few steps for each class that was added.
        if self.of_class.len() < 64 + 2 * self.groups.len() + self.keys.len() / 4 {
            return;
        }
        let mut new: Vec<Option<u32>> = vec![None; self.groups.len()];
        let mut groups: Vec<Group> = Vec::new();
        for (group, new) in self.groups.iter().zip(&mut new).filter(|(group, _)| group.keys > 0) {
            let class = groups.len() as u32;
            *new = Some(class);
            groups.push(Group { class, ..group.clone() });
        }
        let class = |class: u32| new[self.group(class)].unwrap_or(0);
        let mut keys = SharedMap::default();
        for (key, &place) in self.keys.iter() {
            keys.insert(key.clone(), Place { class: class(place.class), ..place });
        }
        self.unbound = class(self.unbound);
        self.keys = keys;
        self.of_class = (0..groups.len() as u32).collect();
        self.groups = groups;
    }
}

/// A copy and its states before and after a letter.
struct Step {
    key: Key,
    is_new: bool,
    before: u32,
    after: u32,
}
