//! The inputs of letters as a person reads them: the values of signals instead of their binary digits.

use super::alphabet::Alphabet;
use super::encoded::{EncodedSignal, ValueCode};
use super::ids::AtomId;
use super::letter::Letter;

/// An input of a letter as a person reads it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputWord {
    /// The name of an atom, or the equation `x = 3` of a signal whose value is encoded in binary.
    pub text: String,
    /// Whether it holds; an equation always does.
    pub holds: bool,
    /// The atom, or one of those that encode the value.
    pub atom: AtomId,
}

impl Alphabet {
    /// The signal of which an atom is a binary digit.
    pub fn digit_of(&self, atom: AtomId) -> Option<&EncodedSignal> {
        let mut signals = self.encoded().iter().filter(|signal| signal.code == ValueCode::Binary);
        signals.find(|signal| signal.atoms.contains(&atom))
    }

    /// The inputs of a letter in order: a signal whose value is encoded in binary has one word, in the place of its
    /// first digit.
    pub fn input_words(&self, letter: &Letter) -> Vec<InputWord> {
        let mut words = Vec::new();
        for atom in self.inputs() {
            match self.digit_of(atom) {
                None => {
                    let text = self.atoms()[atom].name.clone();
                    words.push(InputWord { text, holds: self.holds(atom, letter), atom });
                }
                Some(signal) if signal.atoms[0] == atom => {
                    let index = signal.index(|digit| self.holds(digit, letter));
                    let text = format!("{} = {}", signal.name, signal.values[index]);
                    words.push(InputWord { text, holds: true, atom });
                }
                Some(_) => {}
            }
        }
        words
    }

    /// What the environment chooses: the names of input atoms, and `x = 0..9` for a signal whose value is encoded in
    /// binary.
    pub fn input_names(&self) -> Vec<String> {
        let mut names = Vec::new();
        for atom in self.inputs() {
            match self.digit_of(atom) {
                None => names.push(self.atoms()[atom].name.clone()),
                Some(signal) if signal.atoms[0] == atom => {
                    let (first, last) = (&signal.values[0], &signal.values[signal.values.len() - 1]);
                    names.push(format!("{} = {first}..{last}", signal.name));
                }
                Some(_) => {}
            }
        }
        names
    }
}
