//! Translates formulas of the game to plays of the machine to synthesize, where these differ.

use super::problem::{Problem, Target};
use tsl_synth_core::logic::{FormulaId, Node, Player};
use tsl_synth_core::model::Contract;

impl Problem {
    /// The contract of the game, translated to plays of a machine of the kind of [`Problem::target`]. Linear.
    pub fn target_contract(&mut self, game: &Contract) -> Contract {
        game.map(|f| self.target_formula(f))
    }
    /// A formula of the game, translated to plays of a machine of the kind of [`Problem::target`]. For Moore machines,
    /// inputs lose their delay of one step: every `X i` becomes `i`. Linear.
    pub fn target_formula(&mut self, f: FormulaId) -> FormulaId {
        if self.target == Target::Mealy { f } else { self.undelayed(f) }
    }
    /// The formula of a clause as it was written, about plays in which the system answers first: inputs lose their delay
    /// if the semantics of the specification is that of Moore machines. Linear.
    pub fn written_formula(&mut self, f: FormulaId) -> FormulaId {
        if self.answers_first { self.undelayed(f) } else { f }
    }
    fn undelayed(&mut self, f: FormulaId) -> FormulaId {
        let Self { formulas, alphabet, .. } = self;
        formulas.map(f, |formulas, g, _| match *formulas.node(g) {
            Node::Next(read) => match *formulas.node(read) {
                Node::Atom(a) if alphabet.player(a) == Player::Environment => Some(read),
                _ => None,
            },
            _ => None,
        })
    }
    /// The problem with its clauses translated from the game to plays of its controller. Counter-strategies of the
    /// environment play the game itself, so they need the original clauses. To be called at most once; the result must
    /// not be solved or certified.
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
