//! Cores: the laws that together refuse a proposal that violates none of them at once.

use super::decide::After;
use super::solver::GateSolver;
use crate::language::{LawAtom, LawId};
use std::collections::{BTreeMap, BTreeSet};
use tsl_synth_core::base::Id;
use tsl_synth_core::logic::BitId;

/// The maximal number of laws whose removal is tried for one core.
const MOST: usize = 96;
/// The limit on diagram nodes is so many times smaller for the games that the search for a core solves.
const FEWER_NODES: usize = 16;
/// The maximal work for the search of one core.
const CORE_WORK: u64 = 1 << 19;
/// A guard that reads more bits says nothing about what a law is about: that any action is called.
const SPECIFIC: usize = 4;

impl GateSolver {
    /// Laws that together refuse a proposal: all laws that refuse it alone, if there are any; otherwise a set that is
    /// minimal under inclusion. The laws that are most relevant are tried first, twice as many each time, until they
    /// refuse it; from these one after the other is removed, from the last on. The set need not be minimal if there are
    /// too many laws, or if a smaller game is too hard. Only parts of the policy that refuse the proposal are searched.
    pub(super) fn core(&mut self, after: &After, laws: &[LawId]) -> Result<Vec<LawId>, String> {
        let mut parts = Vec::new();
        for (part, kept) in self.concerned(laws) {
            if !self.is_part_winning_after(part, after, &kept)? {
                parts.push((part, kept));
            }
        }
        let mut alone = Vec::new();
        for (part, laws) in &parts {
            for &law in laws {
                if !self.is_part_winning_after(*part, after, &[law])? {
                    alone.push(law);
                }
            }
        }
        let Some((part, laws)) = parts.first().filter(|_| alone.is_empty()) else { return Ok(alone) };
        // The core is for information: the decision is made.
        let (nodes, left) = (self.options.nodes, self.left);
        self.options.nodes = nodes / FEWER_NODES;
        self.left = left.min(CORE_WORK);
        let core = self.small_core(*part, after, laws);
        (self.options.nodes, self.left) = (nodes, left);
        Ok(core)
    }
    /// A core of the laws of one part, of which none refuses the proposal alone.
    fn small_core(&mut self, part: usize, after: &After, laws: &[LawId]) -> Vec<LawId> {
        let order = self.by_relevance(part, after, laws);
        let in_order =
            |few: &[LawId]| -> Vec<LawId> { laws.iter().copied().filter(|law| few.contains(law)).collect() };
        let mut core = laws.to_vec();
        let mut most = 2;
        while most < order.len() {
            let few = in_order(&order[..most]);
            match self.is_part_winning_after(part, after, &few) {
                Ok(true) => most *= 2,
                Ok(false) => {
                    core = few;
                    break;
                }
                Err(_) => return core,
            }
        }
        for law in core.clone().into_iter().rev().take(MOST) {
            let rest: Vec<LawId> = core.iter().copied().filter(|&own| own != law).collect();
            match self.is_part_winning_after(part, after, &rest) {
                Ok(true) => {}
                Ok(false) => core = rest,
                Err(_) => break,
            }
        }
        core
    }
    /// The laws that owe something after the proposal, then those about the same actions and propositions as these, and
    /// so on, and then all others.
    fn by_relevance(&self, part: usize, after: &After, laws: &[LawId]) -> Vec<LawId> {
        let (After::Views(views) | After::Choice(views, _)) = after;
        let positions: Vec<_> = views.of_part(part).iter().flat_map(|view| &view.positions).collect();
        let owes = |law: LawId| {
            let monitor = &self.compiled.monitors[law];
            let mut states = positions.iter().flat_map(|position| &position.laws[law.index()]);
            states.any(|&state| !monitor.standing(state).holds())
        };
        let about: BTreeMap<LawId, BTreeSet<BitId>> =
            laws.iter().map(|&law| (law, self.about(law))).collect();
        let (mut order, mut rest): (Vec<LawId>, Vec<LawId>) = laws.iter().partition(|&&law| owes(law));
        let mut at = 0;
        while let Some(law) = order.get(at).filter(|_| !rest.is_empty()) {
            let own = &about[law];
            let (near, far): (Vec<LawId>, Vec<LawId>) =
                rest.iter().partition(|&other| !about[other].is_disjoint(own));
            rest = far;
            order.extend(near);
            at += 1;
        }
        order.extend(rest);
        order
    }
    /// The actions and propositions that a law is about, each by the bit of its call or truth.
    fn about(&self, law: LawId) -> BTreeSet<BitId> {
        let atoms = &self.compiled.policy.atoms;
        let subject = |bit| match atoms.atom(bit) {
            LawAtom::Call(id) | LawAtom::Result(id, _) => atoms.bit(LawAtom::Call(id)),
            LawAtom::Proposition(id) | LawAtom::Clear(id) => atoms.bit(LawAtom::Proposition(id)),
            LawAtom::Opaque => bit,
        };
        let guards = self.compiled.monitors[law].guards().iter();
        let read = guards.map(|&guard| self.compiled.reads_through_registers([guard]));
        read.filter(|bits| bits.len() <= SPECIFIC).flatten().map(subject).collect()
    }
}
