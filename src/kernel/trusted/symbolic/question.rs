//! A question about the plays of a circuit.

use crate::trusted::normal::SignedFormula;
use tsl_synth_core::logic::{Alphabet, BitId, FormulaId, Formulas, Guards, Letter, Player};

/// Is there a play that satisfies all conjuncts?
#[derive(Clone, Copy)]
pub(crate) struct PlayQuestion<'q> {
    pub(crate) formulas: &'q Formulas,
    pub(crate) alphabet: &'q Alphabet,
    pub(crate) owner: Player,
    pub(crate) conjuncts: &'q [SignedFormula],
    /// Plays that break one of these are useless: an answer may use any of them as further conjuncts.
    pub(crate) pool: &'q [SignedFormula],
    /// Formulas that other questions may be about.
    pub(crate) clauses: &'q [FormulaId],
    /// Members of the pool that helped with other questions.
    pub(crate) likely: &'q [SignedFormula],
}

impl PlayQuestion<'_> {
    /// The bits that some formulas mention.
    pub(super) fn letters(&self, formulas: &[FormulaId]) -> Vec<BitId> {
        let mut guards = Guards::new();
        let mut letters = Letter::new();
        for atom in self.formulas.support(formulas).iter() {
            let guard = self.alphabet.guard(atom, &mut guards);
            letters.extend(guards.support(guard));
        }
        letters.iter().collect()
    }

    /// The outputs and inputs that some conjuncts mention, by their numbers.
    pub(super) fn mentioned(&self, literals: &[SignedFormula]) -> (Vec<usize>, Vec<usize>) {
        let roots: Vec<FormulaId> = literals.iter().map(|&(f, _)| f).collect();
        let mentioned = self.letters(&roots);
        let numbers = |player: Player| -> Vec<usize> {
            let numbered = self.alphabet.bits_of(player).enumerate();
            numbered.filter(|(_, bit)| mentioned.contains(bit)).map(|(number, _)| number).collect()
        };
        (numbers(self.owner), numbers(self.owner.opponent()))
    }
}
