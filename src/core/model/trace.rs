//! Traces: finite or ultimately periodic words of observations, which may leave atoms undetermined.

use crate::base::IdSet;
use crate::logic::{Alphabet, AtomId, Letter};

/// The known values of atoms in one step. Atoms in neither set are undetermined.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Observation {
    /// Atoms that hold.
    pub holds: IdSet<AtomId>,
    /// Atoms that do not hold.
    pub fails: IdSet<AtomId>,
}

impl Observation {
    /// The values of all atoms in a letter.
    pub fn whole(alphabet: &Alphabet, letter: &Letter) -> Self {
        let mut this = Self::default();
        for atom in alphabet.atoms().ids() {
            let set = if alphabet.holds(atom, letter) { &mut this.holds } else { &mut this.fails };
            set.insert(atom);
        }
        this
    }
    /// Records whether an atom holds; returns `false` if the contrary was recorded before.
    pub fn record(&mut self, atom: AtomId, value: bool) -> bool {
        let (set, other) =
            if value { (&mut self.holds, &self.fails) } else { (&mut self.fails, &self.holds) };
        set.insert(atom);
        !other.contains(atom)
    }
    /// The value of an atom; `None` if it is undetermined.
    pub fn value(&self, atom: AtomId) -> Option<bool> {
        if self.holds.contains(atom) {
            return Some(true);
        }
        self.fails.contains(atom).then_some(false)
    }
    /// The first atom that has different values in the letter and the observation.
    pub fn differs(&self, alphabet: &Alphabet, letter: &Letter) -> Option<AtomId> {
        let wrong = |&atom: &AtomId| self.value(atom).is_some_and(|v| v != alphabet.holds(atom, letter));
        alphabet.atoms().ids().find(wrong)
    }
    /// The input letter: the inputs that are observed to hold.
    pub fn input(&self, alphabet: &Alphabet) -> Letter {
        let mut letter = Letter::new();
        for atom in alphabet.inputs().filter(|&atom| self.holds.contains(atom)) {
            alphabet.choose(atom, &mut letter);
        }
        letter
    }
}

/// A word of observations: `prefix · cycle^ω`, or the finite word `prefix` if `cycle` is empty.
///
/// In a trace that was read from a file, every observation determines every input.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    /// The steps before the cycle.
    pub prefix: Vec<Observation>,
    /// The steps that repeat.
    pub cycle: Vec<Observation>,
}

impl Trace {
    /// Whether the word ends.
    pub fn is_finite(&self) -> bool {
        self.cycle.is_empty()
    }
    /// How many different steps there are.
    pub fn len(&self) -> usize {
        self.prefix.len() + self.cycle.len()
    }
    /// Whether nothing was observed.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// The observation at a step of the word; `None` past the end of a finite one.
    pub fn at(&self, step: usize) -> Option<&Observation> {
        match step.checked_sub(self.prefix.len()) {
            None => self.prefix.get(step),
            Some(_) if self.cycle.is_empty() => None,
            Some(rest) => self.cycle.get(rest % self.cycle.len()),
        }
    }
}
