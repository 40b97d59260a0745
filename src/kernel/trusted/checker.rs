//! The emptiness questions of a contract, clause by clause, and the refinement loop that uses as few conjuncts as
//! suffice for each of them.

use super::Emptiness;
use super::cases::Cases;
use super::normal::SignedFormula;
use crate::outcome::{Certified, CertifyError, Violation};
use tsl_synth_core::base::Limit;
use tsl_synth_core::logic::{Alphabet, FormulaId, LassoSemantics, Player};
use tsl_synth_core::model::{Contract, Role};

/// Answers emptiness questions about the plays of one strategy. Implementations are free in how they search: the
/// checker evaluates a play, and only the kernel can create the proof that there is none.
pub(crate) trait PlaySearch {
    /// Whether some play satisfies all conjuncts. Adds to the statistics in `done`.
    fn find(&mut self, conjuncts: &[SignedFormula], done: &mut Certified) -> Result<Emptiness, Limit>;
    /// Plays that break a conjunct of the pool are useless: the next answers may use any of these conjuncts, too.
    fn may_assume(&mut self, _pool: &[SignedFormula]) {}
}

/// Asks the questions of a contract.
pub(crate) struct Checker<'a, S> {
    cases: &'a Cases,
    alphabet: &'a Alphabet,
    search: S,
    done: Certified,
}

impl<'a, S: PlaySearch> Checker<'a, S> {
    /// A checker of the contract whose cases these are.
    pub(crate) fn new(cases: &'a Cases, alphabet: &'a Alphabet, search: S) -> Self {
        Self { cases, alphabet, search, done: Certified::default() }
    }

    /// Checks that the strategy, which belongs to this player, wins the contract.
    pub(crate) fn check(&mut self, owner: Player, contract: &Contract) -> Result<Certified, CertifyError> {
        match owner {
            Player::System => self.controller(contract),
            Player::Environment => self.counter(contract),
        }
    }

    /// Checks that the strategy is a controller of the contract.
    fn controller(&mut self, contract: &Contract) -> Result<Certified, CertifyError> {
        let mut expected = self.conjuncts(&contract.facts);
        self.keeps(Role::Restriction, &contract.restrictions, &expected)?;
        expected.extend(self.conjuncts(&contract.assumptions));
        self.keeps(Role::Guarantee, &contract.guarantees, &expected)?;
        Ok(self.done)
    }

    /// Checks that the strategy defeats every controller.
    fn counter(&mut self, contract: &Contract) -> Result<Certified, CertifyError> {
        self.defeats(contract, &[])
    }

    /// Checks that the strategy defeats every controller, on the plays that satisfy some further clauses.
    pub(crate) fn defeats(
        &mut self,
        contract: &Contract,
        given: &[FormulaId],
    ) -> Result<Certified, CertifyError> {
        let mut kept = self.conjuncts(given);
        self.keeps(Role::Fact, &contract.facts, &kept)?;
        kept.extend(self.conjuncts(&contract.restrictions));
        self.keeps(Role::Assumption, &contract.assumptions, &kept)?;
        kept.extend(self.conjuncts(&contract.guarantees));
        self.refute(Role::Guarantee, None, &[(self.cases.formulas.top(), true)], &kept)?;
        Ok(self.done)
    }

    /// Checks that every play that satisfies all of `pool` keeps the clauses.
    fn keeps(
        &mut self,
        role: Role,
        clauses: &[FormulaId],
        pool: &[SignedFormula],
    ) -> Result<(), CertifyError> {
        let cases = self.cases;
        for (i, &clause) in clauses.iter().enumerate() {
            for case in cases.negated(clause) {
                self.refute(role, Some(i), case, pool)?;
            }
        }
        Ok(())
    }

    /// Shows that no play satisfies `claim` and all of `pool`.
    fn refute(
        &mut self,
        role: Role,
        clause: Option<usize>,
        claim: &[SignedFormula],
        pool: &[SignedFormula],
    ) -> Result<(), CertifyError> {
        // Positive conjuncts of the claim (the premises of a negated implication) are added only when needed, like the
        // pool.
        let (mut pool, mut used): (Vec<SignedFormula>, Vec<SignedFormula>) = (pool.to_vec(), Vec::new());
        for &part in claim {
            if part.1 { pool.push(part) } else { used.push(part) }
        }
        if used.is_empty() {
            used = claim.to_vec();
            pool.truncate(pool.len() - used.len());
        }
        let formulas = &self.cases.formulas;
        loop {
            self.search.may_assume(&pool);
            let play = match self.search.find(&used, &mut self.done)? {
                Emptiness::Play(play) => play,
                Emptiness::NoPlay(shown) => {
                    assert!(
                        shown.conjuncts().iter().all(|f| used.contains(f) || pool.contains(f)),
                        "the answer is about this question"
                    );
                    return Ok(());
                }
            };
            let mut meaning = LassoSemantics::new(formulas, self.alphabet, &play);
            assert!(
                used.iter().all(|&(f, value)| meaning.holds(f) == value),
                "the play satisfies what was asked"
            );
            let broken = pool
                .iter()
                .enumerate()
                .filter(|&(_, &(f, value))| meaning.holds(f) != value)
                .min_by_key(|(_, (f, _))| formulas.size(*f))
                .map(|(i, _)| i);
            let Some(broken) = broken else {
                return Err(CertifyError::Violated(Violation { role, clause, play }));
            };
            used.push(pool.swap_remove(broken));
        }
    }

    fn conjuncts(&self, clauses: &[FormulaId]) -> Vec<SignedFormula> {
        clauses.iter().flat_map(|&clause| self.cases.conjuncts(clause)).copied().collect()
    }
}
