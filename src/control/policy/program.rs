//! What one event says in letters: an automaton, since a shell command may run its parts in several ways.

use crate::base::Decimal;
use crate::logic::Letter;
use crate::spec::policy::{ActionId, RegisterId};

/// A letter with the values it is bound to and the amounts it adds to registers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BoundLetter {
    /// The letter, without computed propositions.
    pub letter: Letter,
    /// Names and values, sorted by name.
    pub bindings: Vec<(String, String)>,
    /// What registers of amounts add.
    pub amounts: Vec<(RegisterId, Decimal)>,
}

/// A step of a program.
#[derive(Clone, Debug, PartialEq)]
pub struct Arrow {
    /// The state after it.
    pub to: usize,
    /// Its letter; without one nothing is told.
    pub letter: Option<BoundLetter>,
}

/// A nondeterministic automaton of letters; state 0 is the first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Program {
    /// The arrows of each state.
    pub arrows: Vec<Vec<Arrow>>,
    /// The last states, each with the actions whose outcome is that of the whole.
    pub last: Vec<(usize, Vec<ActionId>)>,
}

impl Program {
    /// No letter.
    pub fn silent() -> Self {
        Self { arrows: vec![Vec::new()], last: vec![(0, Vec::new())] }
    }
    /// One letter, whose actions end with the event that reports the result.
    pub fn one(letter: BoundLetter, actions: Vec<ActionId>) -> Self {
        let arrow = Arrow { to: 1, letter: Some(letter) };
        Self { arrows: vec![vec![arrow], Vec::new()], last: vec![(1, actions)] }
    }
    /// Whether it tells nothing.
    pub fn is_silent(&self) -> bool {
        self.arrows.iter().flatten().all(|arrow| arrow.letter.is_none())
    }
    /// The only letter, if there is one at most in every run.
    pub fn only_letter(&self) -> Option<&BoundLetter> {
        match self.arrows.as_slice() {
            [first, second] if second.is_empty() => match first.as_slice() {
                [Arrow { letter, .. }] => letter.as_ref(),
                _ => None,
            },
            _ => None,
        }
    }
}
