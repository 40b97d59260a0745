//! What the machine that is asked for keeps, where that is not what the game is about.

use super::problem::{Problem, Target};
use crate::base::{Id, IdVec};
use crate::logic::{FormulaId, Node, Player};
use crate::model::Contract;

impl Problem {
    /// The contract as a machine of the kind of [`Problem::target`] keeps it. For Moore machines inputs are read
    /// in their own step again: every `X i` of the game's contract becomes `i`. Linear in the arena.
    pub fn target_contract(&mut self, game: &Contract) -> Contract {
        if self.target == Target::Mealy {
            return game.clone();
        }
        let roots: Vec<FormulaId> = [&game.facts, &game.restrictions, &game.assumptions, &game.guarantees]
            .into_iter()
            .flatten()
            .copied()
            .collect();
        let last = roots.iter().max().map_or(0, |f| f.index() + 1);
        let mut read: IdVec<FormulaId, FormulaId> = IdVec::new();
        for f in (0..last).map(FormulaId::from_index) {
            let node = self.formulas.node(f).clone();
            let late_input = |g: FormulaId| matches!(*self.formulas.node(g), Node::Atom(a) if self.alphabet.player(a) == Player::Environment);
            let formula = match node {
                Node::Next(g) if late_input(g) => g,
                _ => {
                    let mut operands = Vec::new();
                    node.for_each_operand(|g| operands.push(read[g]));
                    self.formulas.rebuild(&node, &operands)
                }
            };
            read.push(formula);
        }
        let of = |fs: &[FormulaId]| fs.iter().map(|&f| read[f]).collect();
        Contract {
            facts: of(&game.facts),
            restrictions: of(&game.restrictions),
            assumptions: of(&game.assumptions),
            guarantees: of(&game.guarantees),
        }
    }
}
