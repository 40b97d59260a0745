//! A minimal subset of the guarantees that a given counter-strategy defeats. The subset grows from the empty set:
//! while some play against the counter-strategy satisfies it, a guarantee that this play violates is added. Then
//! guarantees are removed as long as the counter-strategy defeats the rest.
//!
//! No game is solved, only model checking is done. The subset is unrealizable, so all other guarantees can be dropped.

use crate::counter_repr::{CounterRepr, bits, counter_ref};
use crate::synthesis_queries::with_guarantees;
use crate::tuning::FIRST_SINGLES;
use tsl_synth_core::base::{Budget, IdSet};
use tsl_synth_core::logic::{BitId, Class, LassoSemantics, Player};
use tsl_synth_core::model::{Abstraction, Contract, Role};
use tsl_synth_kernel::{CertifyError, StrategyClaim, certify};
use tsl_synth_lang::spec::{ClauseId, Problem, compared_numbers};

/// The result of model checking a counter-strategy against a subset of the guarantees.
enum Checked {
    /// It defeats them.
    Defeated,
    /// It does not: on some play these guarantees, of those that are considered, are kept.
    Kept(IdSet<ClauseId>),
    /// Not known within the limits.
    Unknown,
}

/// A counter-strategy that satisfies the facts and assumptions as long as all written restrictions are kept.
pub(super) struct Defeat<'a> {
    problem: &'a Problem,
    counter: &'a CounterRepr,
    /// The guarantees that are considered.
    all: Vec<ClauseId>,
    budget: Budget,
    /// For each play that was found, the guarantees that are kept on it: it wins against no subset of them.
    plays: Vec<IdSet<ClauseId>>,
    /// Whether comparisons of numbers are computed: without their meaning they are propositions as all others.
    has_numbers: bool,
}

impl<'a> Defeat<'a> {
    /// Checks within a budget. `all` are the guarantees that are considered.
    pub(super) fn new(
        problem: &'a Problem,
        (counter, notion): (&'a CounterRepr, Abstraction),
        all: &[ClauseId],
        budget: Budget,
    ) -> Self {
        let has_numbers = notion == Abstraction::Tsl && !compared_numbers(&problem.signature).is_empty();
        Self { problem, counter, all: all.to_vec(), budget, plays: Vec::new(), has_numbers }
    }

    /// Whether the counter-strategy defeats these guarantees alone, by a certificate.
    pub(super) fn defeats(&mut self, guarantees: &[ClauseId]) -> bool {
        matches!(self.check(guarantees), Checked::Defeated)
    }

    /// A set of guarantees that the counter-strategy defeats and from which none can be left out for it; `None` if none
    /// is found within the budget. If the budget ends later, the set may be larger than needed.
    pub(super) fn needed(&mut self) -> Option<Vec<ClauseId>> {
        let mut some: Vec<ClauseId> = Vec::new();
        if let Some(group) = self.defeated_group() {
            self.all = group;
        }
        loop {
            match self.check(&some) {
                Checked::Defeated => break,
                Checked::Kept(kept) => some.push(self.next_guarantee(&some, &kept)?),
                Checked::Unknown => return None,
            }
            some.sort_unstable();
        }
        if let [only] = some[..] {
            return Some(vec![self.first_single(only)]);
        }
        let mut order = some.clone();
        order.sort_by_key(|&id| {
            std::cmp::Reverse(self.problem.formulas.size(self.problem.clauses[id].formula))
        });
        for id in order {
            let fewer: Vec<ClauseId> = some.iter().copied().filter(|&other| other != id).collect();
            if self.defeats(&fewer) {
                some = fewer;
            }
        }
        Some(some)
    }

    /// The first guarantee in source order that the counter-strategy defeats alone: this one, or one of the first few.
    fn first_single(&mut self, known: ClauseId) -> ClauseId {
        let earlier: Vec<ClauseId> =
            self.all.iter().copied().filter(|&id| id < known).take(FIRST_SINGLES).collect();
        earlier.into_iter().find(|&id| self.defeats(&[id])).unwrap_or(known)
    }

    /// The first of several groups of guarantees without common outputs that the counter-strategy defeats by itself.
    fn defeated_group(&mut self) -> Option<Vec<ClauseId>> {
        let groups = groups(self.problem, &self.all);
        if groups.len() < 2 {
            return None;
        }
        groups.into_iter().find(|group| self.defeats(group))
    }

    /// The guarantee to add after a play that satisfies only those in `kept`. Of the violated ones, in this order of
    /// preference: one that shares outputs with those in the set, a safety property, one that few plays so far violate
    /// (so that it conflicts with those in the set), a small one.
    fn next_guarantee(&self, some: &[ClauseId], kept: &IdSet<ClauseId>) -> Option<ClauseId> {
        let mut near = IdSet::new();
        for &id in some {
            near.union_with(&outputs(self.problem, id));
        }
        let failing = self.all.iter().copied().filter(|&id| !kept.contains(id));
        failing.min_by_key(|&id| {
            let formula = self.problem.clauses[id].formula;
            let far = !some.is_empty() && outputs(self.problem, id).is_disjoint(&near);
            let lives = !self.problem.formulas.class(formula).is(Class::SAFETY);
            let fails = self.plays.iter().filter(|kept| !kept.contains(id)).count();
            (far, lives, fails, self.problem.formulas.size(formula), id)
        })
    }

    fn check(&mut self, guarantees: &[ClauseId]) -> Checked {
        let known = self.plays.iter().find(|kept| guarantees.iter().all(|&id| kept.contains(id)));
        if let Some(kept) = known {
            return Checked::Kept(kept.clone());
        }
        let part = with_guarantees(self.problem, guarantees);
        let mut contract = part.contract();
        // Without a restriction that the system must keep, the environment may break what it must keep.
        let is_restriction = |id: ClauseId| self.problem.clauses[id].role == Role::Restriction;
        let duties = self.problem.clauses.enumerate().filter(|(_, c)| c.is_duty()).map(|(id, _)| id);
        if duties.filter(|&id| is_restriction(id)).all(|id| guarantees.contains(&id)) {
            contract = Contract { facts: Vec::new(), assumptions: Vec::new(), ..contract };
        }
        let strategy = counter_ref(self.counter);
        let Problem { formulas, alphabet, .. } = &part;
        let claim = StrategyClaim { formulas, alphabet, contract: &contract, strategy };
        match certify(&claim, &self.budget) {
            // Its comparisons of numbers are sure on plays that keep all guarantees of its contract only.
            Ok(_) if self.has_numbers => Checked::Unknown,
            Ok(_) => Checked::Defeated,
            Err(CertifyError::Violated(violation)) => {
                let mut meaning = LassoSemantics::new(formulas, alphabet, &violation.play);
                let holds = |id: &ClauseId| meaning.holds(self.problem.clauses[*id].formula);
                let kept: IdSet<ClauseId> = self.all.iter().copied().filter(holds).collect();
                self.plays.push(kept.clone());
                Checked::Kept(kept)
            }
            Err(CertifyError::Limit(_) | CertifyError::Malformed(_) | CertifyError::Wrong(_)) => {
                Checked::Unknown
            }
        }
    }
}

/// The bits of the system that the formula of a clause mentions; for a cell all of its bits.
fn outputs(problem: &Problem, clause: ClauseId) -> IdSet<BitId> {
    bits(problem, clause).iter().filter(|&bit| problem.alphabet.owner(bit) == Player::System).collect()
}

/// Guarantees grouped by the outputs that they share, directly or through others, small groups first. Those without outputs
/// are groups of their own.
fn groups(problem: &Problem, guarantees: &[ClauseId]) -> Vec<Vec<ClauseId>> {
    let mut groups: Vec<(IdSet<BitId>, Vec<ClauseId>)> = Vec::new();
    for &id in guarantees {
        let mut own = (outputs(problem, id), vec![id]);
        let (near, far): (Vec<_>, Vec<_>) =
            groups.into_iter().partition(|(outputs, _)| !outputs.is_disjoint(&own.0));
        for (outputs, members) in near {
            own.0.union_with(&outputs);
            own.1.extend(members);
        }
        groups = far;
        groups.push(own);
    }
    let mut groups: Vec<Vec<ClauseId>> = groups.into_iter().map(|(_, members)| members).collect();
    for group in &mut groups {
        group.sort_unstable();
    }
    groups.sort_by_key(|group| (group.len(), group[0]));
    groups
}
