//! Questions about a circuit: the kernel's methods take turns, with increasing work.

mod growing;
mod order;
mod walk;

pub(crate) use growing::Growing;

use super::couvreur::shortened;
use crate::outcome::{Certified, CertifyError};
use crate::trusted::Emptiness;
use crate::trusted::checker::PlaySearch;
use crate::trusted::normal::SignedFormula;
use crate::trusted::symbolic::answer::FairSearch;
use crate::trusted::symbolic::claims;
use crate::trusted::symbolic::question::PlayQuestion;
use crate::tuning::{FEW_CLAIMS, FIRST_WORK, FORWARD_SHARE, MAX_HELPED, MUCH_WORK};
use rustc_hash::FxHashSet;
use tsl_synth_core::base::{Budget, Limit, LimitKind};
use tsl_synth_core::logic::{Alphabet, FormulaId, Formulas, Player};
use tsl_synth_core::model::Circuit;
use walk::walk;

/// Answers emptiness questions about the plays of a circuit. No method is always best, so they take turns, the one that
/// answered last first. The first round has twice the work of the last answer, and each further round four times more.
pub(crate) struct Symbolic<'a> {
    formulas: &'a Formulas,
    alphabet: &'a Alphabet,
    owner: Player,
    budget: Budget,
    /// A model whose latches are functions of answers, and one whose latches are functions of latches and inputs only.
    stores: [Growing<'a>; 2],
    ways: [FairSearch; 4],
    /// Further conjuncts that may be asked for.
    pool: Vec<SignedFormula>,
    /// All clauses of the contract.
    pub(crate) clauses: Vec<FormulaId>,
    /// All conjuncts that ever were in the pool, and those of them that the last emptiness answer needed.
    seen: FxHashSet<SignedFormula>,
    helped: Vec<SignedFormula>,
    /// Work of the last answer.
    used: u64,
    /// Work that [`FairSearch::Past`] gets at least: plays that other methods find do not make a clause easier for it.
    least_work: u64,
}

impl<'a> Symbolic<'a> {
    pub(crate) fn new(
        formulas: &'a Formulas,
        alphabet: &'a Alphabet,
        circuit: &'a Circuit,
        owner: Player,
        budget: &Budget,
    ) -> Self {
        let stores = [true, false].map(|cut| Growing::new(circuit, cut, budget));
        let ways = [FairSearch::Past, FairSearch::Forward, FairSearch::Relation, FairSearch::Composition];
        Self {
            formulas,
            alphabet,
            owner,
            budget: budget.clone(),
            stores,
            ways,
            pool: Vec::new(),
            clauses: Vec::new(),
            seen: FxHashSet::default(),
            helped: Vec::new(),
            used: 0,
            least_work: 0,
        }
    }

    /// Uses another budget from now on.
    pub(crate) fn obey(&mut self, budget: &Budget) {
        self.budget = budget.clone();
    }

    /// An answer with the diagram nodes that it took.
    fn answer(&mut self, question: &PlayQuestion<'_>) -> Result<(Emptiness, u64), Limit> {
        let mut work = FIRST_WORK.max(self.used.saturating_mul(2));
        let mut hopeless = Vec::new();
        loop {
            let (mut go_on, mut last) = (false, None);
            for i in 0..self.ways.len() {
                if hopeless.contains(&self.ways[i]) {
                    continue;
                }
                match self.attempt(question, self.ways[i], work)? {
                    Ok(answer) => {
                        // `Past` stays first if another method found a play: that method may need many plays before it
                        // shows that there is none.
                        let first = usize::from(
                            matches!(answer.0, Emptiness::Play(_)) && self.ways[0] == FairSearch::Past,
                        );
                        self.ways[first..=i].rotate_right(1);
                        return Ok(answer);
                    }
                    Err(limit) => {
                        go_on |= limit.kind == LimitKind::Work;
                        if limit.kind == LimitKind::Size {
                            hopeless.push(self.ways[i]);
                        }
                        last = Some(limit);
                    }
                }
            }
            // Nothing is gained by further attempts unless one of them met the limit of its work.
            if let Some(limit) = last.filter(|_| !go_on) {
                return Err(limit);
            }
            work = work.saturating_mul(4);
        }
    }

    /// An answer with the diagram nodes that it took, or the limit that the method met with this much work.
    pub(crate) fn attempt(
        &mut self,
        question: &PlayQuestion<'_>,
        way: FairSearch,
        work: u64,
    ) -> Result<Result<(Emptiness, u64), Limit>, Limit> {
        let few = claims::temporal(self.formulas, question.conjuncts).len() <= FEW_CLAIMS;
        let times =
            if way == FairSearch::Past || way == FairSearch::Forward && few { FORWARD_SHARE } else { 1 };
        let mut work = work.saturating_mul(times);
        if way == FairSearch::Past {
            work = work.max(self.least_work);
        }
        let work = work.min(self.budget.left());
        let share = self.budget.child(work);
        let (alphabet, owner) = (question.alphabet, question.owner);
        let store = &mut self.stores[usize::from(way == FairSearch::Composition)];
        store.ordered(&self.budget)?;
        store.budget = share.clone();
        let result = store.run(|store| {
            let answer =
                question.answer(store, way, &|moves, region| walk(moves, region, alphabet, owner))?;
            Ok((answer, store.model.diagrams.nodes() as u64))
        });
        self.budget.tick(share.work(), || "certificate: model checking a circuit".into())?;
        let small_steps = MUCH_WORK..work.saturating_add(work / 8);
        if result.as_ref().is_err_and(|limit| limit.kind == LimitKind::Work)
            && small_steps.contains(&share.work())
        {
            store.make_room();
        }
        if result.is_ok() {
            self.used = share.work() / times;
        }
        if way == FairSearch::Past {
            let is_short = result.as_ref().is_err_and(|limit| limit.kind == LimitKind::Work);
            self.least_work = if is_short { work.saturating_mul(4) } else { 0 };
        }
        match result {
            Err(limit) if !matches!(limit.kind, LimitKind::Work | LimitKind::Memory | LimitKind::Size) => {
                Err(limit)
            }
            result => Ok(result),
        }
    }

    /// Checks that no output of the circuit depends on its inputs of the same step.
    pub(crate) fn check_blind(&mut self) -> Result<(), CertifyError> {
        for (output, bit) in self.alphabet.bits_of(self.owner).enumerate() {
            if self.stores[0].run(|store| store.model.looks_at_present(output))? {
                let message = format!("{bit:?} depends on what the other player does in the same step");
                return Err(CertifyError::Malformed(message));
            }
        }
        Ok(())
    }
}

impl PlaySearch for Symbolic<'_> {
    fn may_assume(&mut self, pool: &[SignedFormula]) {
        self.pool = pool.to_vec();
        self.seen.extend(pool);
    }

    fn find(&mut self, conjuncts: &[SignedFormula], done: &mut Certified) -> Result<Emptiness, Limit> {
        done.searches += 1;
        let (formulas, alphabet, owner) = (self.formulas, self.alphabet, self.owner);
        let (pool, clauses) = (&self.pool.clone(), &self.clauses.clone());
        let likely: Vec<SignedFormula> = self.helped.iter().copied().filter(|f| pool.contains(f)).collect();
        let question = PlayQuestion { formulas, alphabet, owner, conjuncts, pool, clauses, likely: &likely };
        let (answer, nodes) = self.answer(&question)?;
        let needed = conjuncts.iter().copied().filter(|literal| self.seen.contains(literal));
        let needed: Vec<SignedFormula> = needed.chain(likely).collect();
        if matches!(answer, Emptiness::NoPlay(_)) && needed.len() <= MAX_HELPED {
            self.helped = needed;
        }
        done.diagram_nodes = done.diagram_nodes.max(nodes);
        Ok(match answer {
            Emptiness::Play(play) => Emptiness::Play(shortened(play)),
            nothing @ Emptiness::NoPlay(_) => nothing,
        })
    }
}
