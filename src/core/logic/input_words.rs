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

impl std::fmt::Display for InputWord {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}", if self.holds { "" } else { "!" }, self.text)
    }
}

impl Alphabet {
    /// The signal whose value an atom encodes together with others.
    pub fn encoded_by(&self, atom: AtomId) -> Option<&EncodedSignal> {
        self.encoded().iter().find(|signal| signal.atoms.contains(&atom))
    }

    /// The signal of which an atom is a binary digit.
    pub fn digit_of(&self, atom: AtomId) -> Option<&EncodedSignal> {
        self.encoded_by(atom).filter(|signal| signal.code == ValueCode::Binary)
    }

    /// The input atoms in order, those that are binary digits of one signal only once, with the signal.
    fn grouped_inputs(&self) -> impl Iterator<Item = (AtomId, Option<&EncodedSignal>)> {
        let inputs = self.inputs().map(|atom| (atom, self.digit_of(atom)));
        inputs.filter(|(atom, signal)| signal.is_none_or(|signal| signal.atoms[0] == *atom))
    }

    /// The inputs of a letter in order: a signal whose value is encoded in binary has one word, in the place of its
    /// first digit.
    pub fn input_words(&self, letter: &Letter) -> Vec<InputWord> {
        let word = |(atom, signal): (AtomId, Option<&EncodedSignal>)| match signal {
            None => {
                InputWord { text: self.atoms()[atom].name.clone(), holds: self.holds(atom, letter), atom }
            }
            Some(signal) => {
                let value = &signal.values[signal.index(|digit| self.holds(digit, letter))];
                InputWord { text: format!("{} = {value}", signal.name), holds: true, atom }
            }
        };
        self.grouped_inputs().map(word).collect()
    }

    /// What the environment chooses: the names of input atoms, and `x = 0..9` for a signal whose value is encoded in
    /// binary.
    pub fn input_names(&self) -> Vec<String> {
        let name = |(atom, signal): (AtomId, Option<&EncodedSignal>)| match signal {
            None => self.atoms()[atom].name.clone(),
            Some(EncodedSignal { name, values, .. }) => {
                format!("{name} = {}..{}", values[0], values[values.len() - 1])
            }
        };
        self.grouped_inputs().map(name).collect()
    }
}
