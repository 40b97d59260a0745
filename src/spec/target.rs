//! What the machine that is asked for keeps, where that is not what the game is about.

use super::problem::{Problem, Target};
use crate::logic::{Node, Player};
use crate::model::Contract;

impl Problem {
    /// The contract as a machine of the kind of [`Problem::target`] keeps it. For Moore machines inputs are read
    /// in their own step again: every `X i` of the game's contract becomes `i`. Linear.
    pub fn target_contract(&mut self, game: &Contract) -> Contract {
        if self.target == Target::Mealy {
            return game.clone();
        }
        let Self { formulas, alphabet, .. } = self;
        game.map(|f| {
            formulas.map(f, |formulas, g, _| match *formulas.node(g) {
                Node::Next(read) => match *formulas.node(read) {
                    Node::Atom(a) if alphabet.player(a) == Player::Environment => Some(read),
                    _ => None,
                },
                _ => None,
            })
        })
    }
}
