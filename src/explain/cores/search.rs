//! The search for a minimal core.
//!
//! First the guarantees that the known counter-strategy does not need are removed. Then groups of guarantees, and
//! single ones, are removed by realizability queries with little work each. If some queries stay undecided, small sets
//! are tried from below: smallest hitting sets of the complements of the sets known to be realizable
//! ([`hitting`](super::hitting)). At last, single guarantees are removed by queries with more work.

use super::defeat::Defeat;
use super::few_assumptions::few_assumptions;
use super::hitting::smallest;
use super::kept::{Controller, kept};
use super::likely::likely_core;
use crate::counter_repr::CounterRepr;
use crate::synthesis_queries::{SynthesisAnswer, Synthesizer, with_guarantees};
use crate::tuning::{
    CORE_QUESTIONS, HITTING_QUESTIONS, HITTING_SETS, LEAST_REDUCED, MACHINE_WORK, MOST_REDUCED, NARROW,
    NEEDED_WORK, PROPOSED_WORK, QUICK_UNANSWERED, QUICK_WORK, SMALLER_WORK, UNANSWERED,
};
use tsl_synth_core::base::IdSet;
use tsl_synth_core::model::{Abstraction, StrategyRepr};
use tsl_synth_engine::synth::FailedCertificate;
use tsl_synth_lang::spec::{ClauseId, Problem};

/// The state of the search.
pub(super) struct CoreSearch<'a, 'b> {
    problem: &'a Problem,
    asker: &'a mut Synthesizer<'b>,
    /// Guarantees that are unrealizable, in source order.
    pub(super) kept: Vec<ClauseId>,
    /// A counter-strategy against them.
    pub(super) counter: Option<CounterRepr>,
    pub(super) notion: Abstraction,
    /// Sets of guarantees that are realizable.
    realizable: Vec<IdSet<ClauseId>>,
    /// The assumptions that the last question needed.
    assumptions: Vec<ClauseId>,
    /// Controllers of all guarantees that were kept at the time but one.
    pub(super) controllers: Vec<(ClauseId, Controller)>,
}

impl<'a, 'b> CoreSearch<'a, 'b> {
    /// A search among guarantees that the counter-strategy defeats.
    pub(super) fn new(
        problem: &'a Problem,
        kept: Vec<ClauseId>,
        (counter, notion): (Option<CounterRepr>, Abstraction),
        asker: &'a mut Synthesizer<'b>,
    ) -> Self {
        Self {
            problem,
            asker,
            kept,
            counter,
            notion,
            realizable: Vec::new(),
            assumptions: Vec::new(),
            controllers: Vec::new(),
        }
    }

    /// Makes the set as small as the limits allow.
    pub(super) fn run(&mut self) -> Result<(), FailedCertificate> {
        let all = self.kept.clone();
        self.narrow();
        self.asker.allow(CORE_QUESTIONS, QUICK_UNANSWERED);
        let is_circuit = matches!(self.counter, Some(StrategyRepr::Circuit(_)));
        self.asker.ask_for_circuits(is_circuit);
        if is_circuit && self.kept.len() > NARROW {
            self.propose()?;
        }
        let is_small = is_circuit && self.kept.len() <= NARROW;
        self.leave_out(if is_small { PROPOSED_WORK } else { QUICK_WORK })?;
        if self.undecided().is_empty() {
            return self.smaller(&all);
        }
        self.asker.ask_for_circuits(false);
        self.asker.allow(HITTING_QUESTIONS, UNANSWERED);
        self.try_small_sets(&self.kept.clone(), u64::MAX)?;
        self.asker.allow(CORE_QUESTIONS, UNANSWERED);
        self.leave_out(u64::MAX)
    }

    /// Asks about a likely core of the set: the one that is left when guarantees are removed in source order; if that is not
    /// found, one with small formulas.
    fn propose(&mut self) -> Result<(), FailedCertificate> {
        let (mut last, mut small) = (self.kept.clone(), self.kept.clone());
        last.reverse();
        small.sort_by_key(|&id| (self.problem.formulas.size(self.problem.clauses[id].formula), id));
        let most = self.kept.len() - 1;
        let found = [last, small].iter().find_map(|order| likely_core(self.problem, order, most, self.asker));
        if let Some(core) = found {
            self.is_unrealizable(&core, PROPOSED_WORK)?;
        }
        Ok(())
    }

    /// Looks for a core with fewer guarantees than the minimal one that was found, with little work.
    fn smaller(&mut self, all: &[ClauseId]) -> Result<(), FailedCertificate> {
        if self.kept.len() < LEAST_REDUCED || all.len() > MOST_REDUCED {
            return Ok(());
        }
        self.asker.allow(HITTING_QUESTIONS, QUICK_UNANSWERED);
        let outer = self.asker.limited(SMALLER_WORK);
        let known = (self.kept.clone(), self.counter.clone(), self.notion);
        self.try_small_sets(all, QUICK_WORK)?;
        self.leave_out(QUICK_WORK)?;
        if !self.undecided().is_empty() {
            (self.kept, self.counter, self.notion) = known;
        }
        self.asker.restore(outer);
        Ok(())
    }

    /// The guarantees that may not be needed.
    pub(super) fn undecided(&self) -> Vec<ClauseId> {
        if self.kept.len() == 1 {
            return Vec::new();
        }
        self.kept.iter().copied().filter(|&id| !self.is_realizable(&self.without(&[id]))).collect()
    }

    fn without(&self, left_out: &[ClauseId]) -> Vec<ClauseId> {
        self.kept.iter().copied().filter(|id| !left_out.contains(id)).collect()
    }

    /// Whether these guarantees are known to be realizable.
    fn is_realizable(&self, guarantees: &[ClauseId]) -> bool {
        self.realizable.iter().any(|set| guarantees.iter().all(|&id| set.contains(id)))
    }

    /// Removes the guarantees that the counter-strategy does not need.
    fn narrow(&mut self) {
        let Some(counter) = &self.counter else { return };
        let budget = self.asker.budget_of_all(NEEDED_WORK);
        if let Some(needed) = Defeat::new(self.problem, (counter, self.notion), &self.kept, budget).needed() {
            self.kept = needed;
        }
    }

    /// Removes groups of guarantees, and at last single ones, until no query with this much work allows to remove one.
    fn leave_out(&mut self, work: u64) -> Result<(), FailedCertificate> {
        let mut chunk = self.kept.len() / 2;
        while chunk > 1 {
            self.pass(chunk, work)?;
            chunk = chunk.min(self.kept.len()) / 2;
        }
        loop {
            let before = self.kept.len();
            self.pass(1, work)?;
            if self.kept.len() == before || self.asker.exhausted() {
                return Ok(());
            }
        }
    }

    /// Tries to remove each group of `chunk` guarantees, large formulas first, since that makes later queries easier.
    fn pass(&mut self, chunk: usize, work: u64) -> Result<(), FailedCertificate> {
        let mut order = self.kept.clone();
        let size = |id: ClauseId| self.problem.formulas.size(self.problem.clauses[id].formula);
        order.sort_by_key(|&id| std::cmp::Reverse((size(id), id)));
        for group in order.chunks(chunk) {
            let fewer = self.without(group);
            if fewer.is_empty() || fewer.len() == self.kept.len() || self.asker.exhausted() {
                continue;
            }
            self.is_unrealizable(&fewer, work)?;
        }
        Ok(())
    }

    /// Tries small sets of these guarantees from below, smaller than the set that is kept, until one is unrealizable.
    fn try_small_sets(&mut self, all: &[ClauseId], work: u64) -> Result<(), FailedCertificate> {
        let outside = |set: &dyn Fn(ClauseId) -> bool| -> Vec<usize> {
            (0..all.len()).filter(|&i| !set(all[i])).collect()
        };
        // Undecided sets are taken for realizable here; the claim that the result is minimal does not depend on them.
        let mut sets: Vec<Vec<usize>> = Vec::new();
        let mut known = 0;
        while !self.asker.exhausted() {
            for set in &self.realizable[known..] {
                sets.push(outside(&|id| set.contains(id)));
            }
            known = self.realizable.len();
            let Some(hitting) = smallest(&sets, HITTING_SETS) else { return Ok(()) };
            if hitting.len() >= self.kept.len() {
                return Ok(());
            }
            let some: Vec<ClauseId> = hitting.iter().map(|&i| all[i]).collect();
            match self.is_unrealizable_among(&some, all, work)? {
                Some(true) => return Ok(()),
                Some(false) => {}
                None => sets.push(outside(&|id| some.contains(&id))),
            }
        }
        Ok(())
    }

    /// Whether these guarantees are unrealizable; then they, or a subset, become the set that is searched. `None` if
    /// that is not known in the required sense.
    fn is_unrealizable(
        &mut self,
        guarantees: &[ClauseId],
        work: u64,
    ) -> Result<Option<bool>, FailedCertificate> {
        let kept = self.kept.clone();
        self.is_unrealizable_among(guarantees, &kept, work)
    }

    /// The same; a controller is also model checked against the others of `all`.
    fn is_unrealizable_among(
        &mut self,
        guarantees: &[ClauseId],
        all: &[ClauseId],
        work: u64,
    ) -> Result<Option<bool>, FailedCertificate> {
        if self.is_realizable(guarantees) {
            return Ok(Some(false));
        }
        Ok(match self.answer(guarantees, work)? {
            // Unrealizability in the weaker sense does not imply it in the stronger.
            SynthesisAnswer::Unrealizable(counter, notion)
                if notion == self.notion || notion == Abstraction::Tsl =>
            {
                self.kept = guarantees.to_vec();
                (self.counter, self.notion) = (Some(counter), notion);
                self.narrow();
                Some(true)
            }
            SynthesisAnswer::Realizable(controller) => {
                self.learn(guarantees, all, controller);
                Some(false)
            }
            SynthesisAnswer::Unrealizable(..) | SynthesisAnswer::Unknown => None,
        })
    }

    /// Decides realizability of some guarantees, at first under few assumptions, and under all of them if that fails.
    fn answer(&mut self, guarantees: &[ClauseId], work: u64) -> Result<SynthesisAnswer, FailedCertificate> {
        let answer = few_assumptions(self.problem, guarantees, &mut self.assumptions, self.asker, work)?;
        if !matches!(answer, SynthesisAnswer::Unknown) {
            return Ok(answer);
        }
        self.asker.ask_within(&with_guarantees(self.problem, guarantees), work)
    }

    /// Records what a controller of these guarantees shows about others of `all`.
    fn learn(&mut self, guarantees: &[ClauseId], all: &[ClauseId], controller: Controller) {
        let budget = self.asker.budget_of_all(MACHINE_WORK);
        let is_last = self.kept == all && self.without(guarantees).len() == 1;
        // It cannot keep the last one as well.
        let set = if is_last {
            guarantees.iter().copied().collect()
        } else {
            kept(self.problem, guarantees, all, &controller, &budget)
        };
        let lost: Vec<ClauseId> = self.kept.iter().copied().filter(|&id| !set.contains(id)).collect();
        if let [only] = lost[..] {
            self.controllers.push((only, controller));
        }
        self.realizable.push(set);
    }
}
