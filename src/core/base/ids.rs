//! Ids are newtypes over `u32` made by one macro; tables and sets are indexed by them.

use bit_set::BitSet;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// A 32-bit index into one kind of table.
pub trait Id: Copy + Eq + Ord + std::fmt::Debug {
    /// The id with this index.
    ///
    /// # Panics
    /// If `index` does not fit 32 bits.
    fn from_index(index: usize) -> Self;
    /// The index of this id.
    fn index(self) -> usize;
}

/// Declares id types: `define_id! { /// doc pub struct StateId; }`.
#[macro_export]
macro_rules! define_id {
    ($($(#[$meta:meta])* $vis:vis struct $name:ident;)+) => {$(
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(transparent)]
        $vis struct $name(u32);

        impl $crate::base::Id for $name {
            fn from_index(index: usize) -> Self {
                $name(u32::try_from(index).expect("an id fits 32 bits"))
            }
            fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, "{}{}", stringify!($name), self.0)
            }
        }
    )+};
}

/// A table indexed by ids of type `I`.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct IdVec<I, T> {
    items: Vec<T>,
    id: PhantomData<fn(I) -> I>,
}

impl<I: Id, T> IdVec<I, T> {
    /// The empty table.
    pub fn new() -> Self {
        Self { items: Vec::new(), id: PhantomData }
    }
    /// A table of `len` copies of `value`.
    pub fn filled(value: T, len: usize) -> Self
    where
        T: Clone,
    {
        Self { items: vec![value; len], id: PhantomData }
    }
    /// Appends an item and returns its id.
    pub fn push(&mut self, item: T) -> I {
        let id = I::from_index(self.items.len());
        self.items.push(item);
        id
    }
    /// How many items there are.
    pub fn len(&self) -> usize {
        self.items.len()
    }
    /// Whether there are no items.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }
    /// All ids in order.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = I> + ExactSizeIterator + use<I, T> {
        (0..self.items.len()).map(I::from_index)
    }
    /// All items in the order of their ids.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.items.iter()
    }
    /// All items in the order of their ids, mutably.
    pub fn iter_mut(&mut self) -> std::slice::IterMut<'_, T> {
        self.items.iter_mut()
    }
    /// All pairs of id and item in order.
    pub fn enumerate(&self) -> impl Iterator<Item = (I, &T)> {
        self.items.iter().enumerate().map(|(i, item)| (I::from_index(i), item))
    }
    /// The item with this id, if there is one.
    pub fn get(&self, id: I) -> Option<&T> {
        self.items.get(id.index())
    }
    /// The items as a slice.
    pub fn as_slice(&self) -> &[T] {
        &self.items
    }
}

impl<I: Id, T> Default for IdVec<I, T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<I: Id, T> From<Vec<T>> for IdVec<I, T> {
    fn from(items: Vec<T>) -> Self {
        Self { items, id: PhantomData }
    }
}

impl<I: Id, T> FromIterator<T> for IdVec<I, T> {
    fn from_iter<It: IntoIterator<Item = T>>(iter: It) -> Self {
        Self::from(iter.into_iter().collect::<Vec<T>>())
    }
}

impl<'a, I: Id, T> IntoIterator for &'a IdVec<I, T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;
    fn into_iter(self) -> Self::IntoIter {
        self.items.iter()
    }
}

impl<'a, I: Id, T> IntoIterator for &'a mut IdVec<I, T> {
    type Item = &'a mut T;
    type IntoIter = std::slice::IterMut<'a, T>;
    fn into_iter(self) -> Self::IntoIter {
        self.items.iter_mut()
    }
}

impl<I: Id, T: std::fmt::Debug> std::fmt::Debug for IdVec<I, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(&self.items).finish()
    }
}

impl<I: Id, T> Index<I> for IdVec<I, T> {
    type Output = T;
    fn index(&self, id: I) -> &T {
        &self.items[id.index()]
    }
}

impl<I: Id, T> IndexMut<I> for IdVec<I, T> {
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.items[id.index()]
    }
}

/// A set of ids, as a bit set.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct IdSet<I> {
    bits: BitSet,
    id: PhantomData<fn(I) -> I>,
}

impl<I: Id> IdSet<I> {
    /// The empty set.
    pub fn new() -> Self {
        Self { bits: BitSet::new(), id: PhantomData }
    }
    /// Adds `id`; returns whether it was absent.
    pub fn insert(&mut self, id: I) -> bool {
        self.bits.insert(id.index())
    }
    /// Removes `id`; returns whether it was present.
    pub fn remove(&mut self, id: I) -> bool {
        self.bits.remove(id.index())
    }
    /// Whether `id` is in the set.
    pub fn contains(&self, id: I) -> bool {
        self.bits.contains(id.index())
    }
    /// Adds all ids of `other`.
    pub fn union_with(&mut self, other: &Self) {
        self.bits.union_with(&other.bits);
    }
    /// Keeps only the ids that are also in `other`.
    pub fn intersect_with(&mut self, other: &Self) {
        self.bits.intersect_with(&other.bits);
    }
    /// Whether every id of `self` is in `other`.
    pub fn is_subset(&self, other: &Self) -> bool {
        self.bits.is_subset(&other.bits)
    }
    /// Whether no id is in both.
    pub fn is_disjoint(&self, other: &Self) -> bool {
        self.bits.is_disjoint(&other.bits)
    }
    /// How many ids are in the set. Linear in the largest id.
    pub fn len(&self) -> usize {
        self.bits.iter().count()
    }
    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.bits.is_empty()
    }
    /// The ids in increasing order.
    pub fn iter(&self) -> impl Iterator<Item = I> + '_ {
        self.bits.iter().map(I::from_index)
    }
}

impl<I: Id> Default for IdSet<I> {
    fn default() -> Self {
        Self::new()
    }
}

impl<I: Id> FromIterator<I> for IdSet<I> {
    fn from_iter<It: IntoIterator<Item = I>>(iter: It) -> Self {
        let mut set = Self::new();
        for id in iter {
            set.insert(id);
        }
        set
    }
}

impl<I: Id> Extend<I> for IdSet<I> {
    fn extend<It: IntoIterator<Item = I>>(&mut self, iter: It) {
        for id in iter {
            self.insert(id);
        }
    }
}

impl<I: Id> std::fmt::Debug for IdSet<I> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}
