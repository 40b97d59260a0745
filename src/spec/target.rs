//! What the machine that is asked for keeps, where that is not what the game is about.

use super::problem::{Problem, Target};
use crate::logic::{FormulaId, Node, Player};
use crate::model::Contract;

impl Problem {
    /// The contract as a machine of the kind of [`Problem::target`] keeps it. Linear.
    pub fn target_contract(&mut self, game: &Contract) -> Contract {
        game.map(|f| self.target_formula(f))
    }
    /// A formula of the game's clauses as a machine of the kind of [`Problem::target`] keeps it. For Moore machines
    /// inputs are read in their own step again: every `X i` becomes `i`. Linear.
    pub fn target_formula(&mut self, f: FormulaId) -> FormulaId {
        if self.target == Target::Mealy {
            return f;
        }
        let Self { formulas, alphabet, .. } = self;
        formulas.map(f, |formulas, g, _| match *formulas.node(g) {
            Node::Next(read) => match *formulas.node(read) {
                Node::Atom(a) if alphabet.player(a) == Player::Environment => Some(read),
                _ => None,
            },
            _ => None,
        })
    }
    /// The problem with clauses that are about plays of its controller instead of the game. A counter-strategy of the
    /// environment plays the game itself. To be used once, and not before anything is solved or certified.
    #[must_use]
    pub fn of_controller_plays(mut self) -> Self {
        if self.target != Target::Mealy {
            for id in self.clauses.ids() {
                self.clauses[id].formula = self.target_formula(self.clauses[id].formula);
            }
        }
        self
    }
}
