//! What a world remembers: numbers, each in a slot, and the names that hold where numbers are large enough.

use std::collections::BTreeMap;

/// A number for each slot.
pub(super) type State = Box<[u32]>;

/// What a slot stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SlotKind {
    /// An amount, told as `3 logs`.
    Amount,
    /// 0 or 1.
    Fact,
    /// Whether an action was done and nothing undid it.
    Done,
    /// Where the agent or a thing is.
    Location,
}

/// A number that a world remembers.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    pub(super) name: String,
    /// Its name in sentences.
    pub(super) shown: String,
    pub(super) kind: SlotKind,
    pub(super) initial: u32,
    /// Larger values are cut to it.
    pub(super) most: u32,
    /// Whether the agent is told about it.
    pub(super) is_told: bool,
}

/// How a number is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Comparison {
    AtLeast,
    AtMost,
    Equal,
    Unequal,
}

/// A comparison of a slot with a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Atom {
    pub(super) slot: usize,
    pub(super) comparison: Comparison,
    pub(super) value: u32,
}

impl Atom {
    pub(super) fn at_least(slot: usize, value: u32) -> Self {
        Self { slot, comparison: Comparison::AtLeast, value }
    }
    pub(super) fn equal(slot: usize, value: u32) -> Self {
        Self { slot, comparison: Comparison::Equal, value }
    }
    pub(super) fn holds(self, state: &[u32]) -> bool {
        let own = state[self.slot];
        match self.comparison {
            Comparison::AtLeast => own >= self.value,
            Comparison::AtMost => own <= self.value,
            Comparison::Equal => own == self.value,
            Comparison::Unequal => own != self.value,
        }
    }
}

/// A name that holds or does not.
#[derive(Clone, Debug, Default)]
pub(super) struct Meaning {
    /// It holds where one of these does.
    pub(super) any: Vec<Atom>,
    /// The slot of a fact, which may be set.
    pub(super) fact: Option<usize>,
    /// Whether the world tells that it holds.
    pub(super) is_told: bool,
}

/// The slots and names of a world.
#[derive(Clone, Debug, Default)]
pub(super) struct Vocabulary {
    pub(super) slots: Vec<Slot>,
    pub(super) meanings: BTreeMap<String, Meaning>,
    /// Numbers that conditions compare, by name.
    by_name: BTreeMap<String, usize>,
}

impl Vocabulary {
    /// Adds a number that conditions compare.
    ///
    /// # Errors
    /// There is one of this name already.
    pub(super) fn add(&mut self, slot: Slot) -> Result<usize, String> {
        if self.by_name.insert(slot.name.clone(), self.slots.len()).is_some() {
            return Err(format!("`{}` is declared twice", slot.name));
        }
        Ok(self.unnamed(slot))
    }

    /// Adds a slot that conditions do not compare.
    pub(super) fn unnamed(&mut self, slot: Slot) -> usize {
        self.slots.push(slot);
        self.slots.len() - 1
    }

    /// Adds a fact, which is a slot and a name.
    ///
    /// # Errors
    /// There is one of this name already.
    pub(super) fn add_fact(&mut self, name: &str, initial: bool, is_told: bool) -> Result<usize, String> {
        if self.meanings.contains_key(name) {
            return Err(format!("`{name}` is declared twice"));
        }
        let at = self.unnamed(Slot {
            name: name.to_owned(),
            shown: name.to_owned(),
            kind: SlotKind::Fact,
            initial: u32::from(initial),
            most: 1,
            is_told: false,
        });
        let meaning = Meaning { any: vec![Atom::at_least(at, 1)], fact: Some(at), is_told };
        self.meanings.insert(name.to_owned(), meaning);
        Ok(at)
    }

    /// The slot of a name.
    pub(super) fn slot(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }

    /// The names of the slots of one kind.
    pub(super) fn names(&self, kind: SlotKind) -> impl Iterator<Item = &str> {
        self.slots.iter().filter(move |slot| slot.kind == kind).map(|slot| slot.name.as_str())
    }

    /// The names that the world tells where they hold.
    pub(super) fn told<'s>(&'s self, state: &'s [u32]) -> impl Iterator<Item = &'s str> {
        let holding = self
            .meanings
            .iter()
            .filter(|(_, meaning)| meaning.is_told && meaning.any.iter().any(|atom| atom.holds(state)));
        holding.map(|(name, _)| name.as_str())
    }

    /// The numbers at the beginning.
    pub(super) fn initial(&self) -> State {
        self.slots.iter().map(|slot| slot.initial.min(slot.most)).collect()
    }
}
