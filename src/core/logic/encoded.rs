//! Signals with finitely many values: the input atoms of a letter determine the value.

use super::ids::AtomId;

/// How a value is encoded in atoms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueCode {
    /// An atom for each value but the last: at most one is true, and none if the signal has its last value.
    OneHot,
    /// The atoms are the binary digits of the index of the value, least significant first.
    Binary,
}

/// A signal with finitely many values, and the input atoms that encode its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EncodedSignal {
    /// The name of the signal.
    pub name: String,
    /// Its values in order, as they are written.
    pub values: Vec<String>,
    /// The atoms that encode the index of the value.
    pub atoms: Vec<AtomId>,
    /// How they encode it.
    pub code: ValueCode,
}

impl EncodedSignal {
    /// The index of the value for these truth values of the atoms. Codes that encode no value are taken for the last.
    pub fn index(&self, holds: impl Fn(AtomId) -> bool) -> usize {
        self.number(holds).min(self.values.len() - 1)
    }

    /// The number that the atoms encode with these truth values, usually the index of a value. The atoms of a binary code
    /// may encode larger numbers, which stand for no value; if no atom of a one-hot code is true, it is the last index.
    pub fn number(&self, holds: impl Fn(AtomId) -> bool) -> usize {
        match self.code {
            ValueCode::OneHot => {
                self.atoms.iter().position(|&atom| holds(atom)).unwrap_or(self.values.len() - 1)
            }
            ValueCode::Binary => {
                self.atoms.iter().enumerate().map(|(i, &atom)| usize::from(holds(atom)) << i).sum()
            }
        }
    }

    /// The truth values of the atoms for the value with this index.
    pub fn literals(&self, index: usize) -> impl Iterator<Item = (AtomId, bool)> + '_ {
        self.atoms.iter().enumerate().map(move |(i, &atom)| {
            let holds = match self.code {
                ValueCode::OneHot => i == index,
                ValueCode::Binary => index >> i & 1 == 1,
            };
            (atom, holds)
        })
    }

    /// The index of a value as it is written.
    pub fn find(&self, value: &str) -> Option<usize> {
        self.values.iter().position(|known| known == value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Id;

    #[test]
    fn an_index_is_the_index_of_its_literals() {
        for (code, width) in [(ValueCode::OneHot, 4), (ValueCode::Binary, 3)] {
            let signal = EncodedSignal {
                name: "x".into(),
                values: (0..5).map(|v| v.to_string()).collect(),
                atoms: (0..width).map(AtomId::from_index).collect(),
                code,
            };
            for index in 0..5 {
                let holds = |atom| signal.literals(index).any(|literal| literal == (atom, true));
                assert_eq!(signal.index(holds), index, "{code:?}");
                assert_eq!(signal.find(&index.to_string()), Some(index));
            }
            assert_eq!(signal.find("5"), None);
        }
    }
}
