//! What was observed: finite or ultimately periodic words whose letters may leave atoms open.

use crate::base::IdSet;
use crate::logic::{Alphabet, AtomId, Letter};

/// What is said of one step. Of atoms in neither set nothing is said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Observation {
    /// Atoms that hold.
    pub holds: IdSet<AtomId>,
    /// Atoms that do not hold.
    pub fails: IdSet<AtomId>,
}

impl Observation {
    /// What a letter says of every atom.
    pub fn whole(alphabet: &Alphabet, letter: &Letter) -> Self {
        let mut this = Self::default();
        for atom in alphabet.atoms().ids() {
            let set = if alphabet.holds(atom, letter) { &mut this.holds } else { &mut this.fails };
            set.insert(atom);
        }
        this
    }
    /// Says whether an atom holds; `false` if the contrary was said.
    pub fn say(&mut self, atom: AtomId, value: bool) -> bool {
        let (set, other) =
            if value { (&mut self.holds, &self.fails) } else { (&mut self.fails, &self.holds) };
        set.insert(atom);
        !other.contains(atom)
    }
    /// What is said of an atom.
    pub fn value(&self, atom: AtomId) -> Option<bool> {
        if self.holds.contains(atom) {
            return Some(true);
        }
        self.fails.contains(atom).then_some(false)
    }
    /// The first atom of which the letter and the observation say different things.
    pub fn differs(&self, alphabet: &Alphabet, letter: &Letter) -> Option<AtomId> {
        let wrong = |&atom: &AtomId| self.value(atom).is_some_and(|v| v != alphabet.holds(atom, letter));
        alphabet.atoms().ids().find(wrong)
    }
    /// The input letter: the inputs that are said to hold.
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
/// Where it comes from a file, every letter says something of every input.
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
