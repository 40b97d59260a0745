//! Conjunctions of literals, as sets of atoms that hold and of atoms that do not.

use crate::formula::Atom;

/// A conjunction of literals without contradictions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cube {
    /// Sorted by atom.
    literals: Vec<(Atom, bool)>,
}

impl Cube {
    /// The literals, sorted by atom.
    pub fn literals(&self) -> &[(Atom, bool)] {
        &self.literals
    }

    /// The value that the cube gives an atom.
    pub fn value(&self, atom: Atom) -> Option<bool> {
        let at = self.literals.binary_search_by_key(&atom, |literal| literal.0).ok()?;
        Some(self.literals[at].1)
    }

    /// Adds a literal; false if the cube has its negation.
    pub fn add(&mut self, atom: Atom, value: bool) -> bool {
        match self.literals.binary_search_by_key(&atom, |literal| literal.0) {
            Ok(at) => self.literals[at].1 == value,
            Err(at) => {
                self.literals.insert(at, (atom, value));
                true
            }
        }
    }

    /// The conjunction of two cubes, if there is one.
    pub fn and(&self, other: &Self) -> Option<Self> {
        let mut both = self.clone();
        other.literals.iter().all(|&(atom, value)| both.add(atom, value)).then_some(both)
    }

    /// Whether no letter is in both.
    pub fn excludes(&self, other: &Self) -> bool {
        self.literals.iter().any(|&(atom, value)| other.value(atom) == Some(!value))
    }

    /// The literals of some atoms.
    pub fn of(&self, keeps: &dyn Fn(Atom) -> bool) -> Self {
        Self { literals: self.literals.iter().copied().filter(|literal| keeps(literal.0)).collect() }
    }
}

/// A letter outside of all cubes, over some atoms; `None` if there is none. By cases, exponential in the atoms that
/// matter in the worst case.
///
/// # Errors
/// More than `most` cases.
pub fn uncovered(cubes: &[Cube], most: usize) -> Result<Option<Cube>, String> {
    let mut todo = vec![(Cube::default(), (0..cubes.len()).collect::<Vec<_>>())];
    let mut cases = 0;
    while let Some((letter, live)) = todo.pop() {
        cases += 1 + live.len();
        if cases > most {
            return Err(format!("more than {most} cases"));
        }
        let open = |i: usize| cubes[i].literals().iter().find(|literal| letter.value(literal.0).is_none());
        let Some(&first) = live.first() else { return Ok(Some(letter)) };
        if live.iter().any(|&i| open(i).is_none()) {
            continue;
        }
        let Some(&(atom, _)) = open(first) else { continue };
        for value in [false, true] {
            let mut letter = letter.clone();
            letter.add(atom, value);
            let live = live.iter().copied().filter(|&i| cubes[i].value(atom) != Some(!value)).collect();
            todo.push((letter, live));
        }
    }
    Ok(None)
}
