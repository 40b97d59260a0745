//! Candidates for accelerated loops whose invariant is a polyhedron that holds whenever a play enters a location, as it is
//! or weakened.
//!
//! Example: a robot at (x, y) has to reach 0 before a guard at (a, b), from states with x ≥ 0, y ≥ 0, x < a, y < b. Its
//! moves do not preserve x < a and y < b, but they preserve the sum of both, x + y < a + b. Another one: of the numbers
//! x ≥ 1 and y ≥ 1 the smaller one is subtracted from the larger one until they are equal. The decreasing distance is
//! x + y, which the goal x = y does not mention, but the invariant bounds it from below.

use crate::arena::Family;
use crate::fixpoint::Fixpoint;
use crate::ranking::{Candidate, MEASURED, TARGETS};
use tsl_synth_arithmetic::{Atom, Literal, Polyhedron, Region};
use tsl_synth_core::base::{Id, Rational};
use tsl_synth_core::logic::{Inequality, Sum};
use tsl_synth_core::model::LocationId;

/// The most polyhedra of states in which plays enter a location.
const ENTRIES: usize = 6;
/// The most inequalities of one that are added up in pairs.
const ADDED: usize = 8;
/// The most candidates of a location.
const CANDIDATES: usize = 120;

impl Fixpoint<'_, '_> {
    /// Candidates whose invariant holds on entry. The distance is that from a target, or a sum that the invariant bounds.
    pub(crate) fn entered(&mut self, targets: &[Region]) -> Vec<Candidate> {
        let mut found = [Vec::new(), Vec::new()];
        for location in self.own.clone() {
            let (outer, inner) = self.entries(location);
            for (entries, found) in [outer, inner].into_iter().zip(&mut found) {
                let mut own = Vec::new();
                for entry in entries.into_iter().filter(|entry| !entry.is_empty()).take(ENTRIES) {
                    own.extend(self.descending(location, &entry));
                    if own.len() >= CANDIDATES {
                        break;
                    }
                    let kept = [vec![entry.clone()], self.weakened(&entry)].concat();
                    for kept in &kept {
                        if own.len() >= CANDIDATES {
                            break;
                        }
                        let targets = &targets[location.index()];
                        for target in targets.iter().take(TARGETS) {
                            let Some(one) = self.towards(location, targets, target, kept) else { continue };
                            if !own.contains(&one) {
                                own.push(one);
                            }
                        }
                    }
                }
                own.truncate(CANDIDATES);
                found.append(&mut own);
            }
        }
        found.into_iter().flatten().collect()
    }

    /// Supersets of the states in which plays enter a location: from a start or from another component, and from another
    /// location of this component.
    fn entries(&mut self, location: LocationId) -> (Region, Region) {
        if let Some(known) = self.entries.get(&location) {
            return known.clone();
        }
        let found = self.arena.entries(location, &self.own);
        self.entries.insert(location, found.clone());
        found
    }

    /// Whether a least fixpoint may end with this value: the value contains the family of the greatest fixpoint around it,
    /// so that it cannot grow, or it contains all states in which plays enter the component.
    pub(crate) fn is_enough(&mut self, parameters: &[Family], value: &Family) -> bool {
        if let Some(outer) = self.outer(parameters) {
            return self.is_within(&outer, value);
        }
        if !parameters.is_empty() || self.depth > 0 {
            return false;
        }
        for location in self.own.clone() {
            let (outer, _) = self.entries(location);
            if !self.arena.space.is_within(&outer, &value[location.index()]) {
                return false;
            }
        }
        true
    }

    /// The candidate with this invariant that measures the distance from a target; inequalities of the target by which no
    /// distance can be measured join the invariant. First, inequalities of the target are dropped as long as the
    /// invariant together with the others stays within the union of all targets.
    fn towards(
        &mut self,
        location: LocationId,
        targets: &Region,
        target: &[Atom],
        kept: &[Atom],
    ) -> Option<Candidate> {
        let mut open: Vec<Atom> = Vec::new();
        for &atom in target {
            if !self.arena.space.implies(kept, atom) {
                open.push(atom);
            }
        }
        let mut at = 0;
        while targets.len() > 1 && open.len() > 1 && at < open.len() {
            let mut fewer = open.clone();
            fewer.remove(at);
            let is_within = match self.arena.space.meet(kept, &fewer) {
                Some(both) => self.arena.space.is_covered(&both, targets),
                None => false,
            };
            if is_within { open = fewer } else { at += 1 }
        }
        let (measured, more): (Vec<Atom>, Vec<Atom>) =
            open.into_iter().partition(|&atom| self.is_measurable(atom));
        let kept = self.arena.space.meet(kept, &more)?;
        let fits = (1..=MEASURED).contains(&measured.len());
        fits.then_some(Candidate { location, measured, kept, is_lean: true })
    }

    /// Supersets of a polyhedron: with the sum of two inequalities in place of both, or without one inequality.
    fn weakened(&mut self, polyhedron: &Polyhedron) -> Vec<Polyhedron> {
        let count = polyhedron.len().min(ADDED);
        let mut found = Vec::new();
        for first in 0..count {
            for second in first + 1..count {
                let (a, b) = (polyhedron[first], polyhedron[second]);
                let Some(both) = self.added(a, b) else { continue };
                let rest = polyhedron.iter().copied().filter(|&atom| atom != a && atom != b);
                let atoms: Vec<Atom> = rest.chain([both]).collect();
                found.extend(self.arena.space.meet(&atoms, &[]));
            }
        }
        for at in 0..polyhedron.len() {
            let mut rest = polyhedron.clone();
            rest.remove(at);
            if !rest.is_empty() {
                found.push(rest);
            }
        }
        found
    }

    /// Candidates at locations where several targets consist of a single inequality: the invariant says that the play is in
    /// none of these targets, and the distance is the sum of the slacks of two inequalities of the invariant. Example: x and
    /// y are positive, and each step decreases one of them by 1 and keeps the other; x + y decreases.
    pub(crate) fn outside(&mut self, targets: &[Region]) -> Vec<Candidate> {
        let mut found = Vec::new();
        for location in self.own.clone() {
            let single = targets[location.index()].iter().take(TARGETS).filter(|target| target.len() == 1);
            let outside: Vec<Atom> = single.map(|target| target[0] ^ 1).collect();
            if outside.len() > 1
                && let Some(kept) = self.arena.space.meet(&outside, &[])
                && kept.len() > 1
            {
                found.extend(self.descending(location, &kept).into_iter().skip(kept.len()));
            }
        }
        found
    }

    /// The sum of two inequalities; `None` if it is true or false everywhere, or a number is too large.
    fn added(&mut self, a: Atom, b: Atom) -> Option<Atom> {
        let (a, b) = (self.arena.space.inequality(a).clone(), self.arena.space.inequality(b));
        let sum = a.sum.plus(Rational::ONE, &b.sum)?;
        let strict = a.strict || b.strict;
        self.atom(&Inequality { sum, strict })
    }

    fn atom(&mut self, inequality: &Inequality) -> Option<Atom> {
        match self.arena.space.literal(inequality)? {
            Literal::Atom(atom) => Some(atom),
            Literal::Known(_) => None,
        }
    }

    /// Candidates whose distance is the slack of an inequality of a polyhedron, which is the invariant, or of two.
    fn descending(&mut self, location: LocationId, kept: &Polyhedron) -> Vec<Candidate> {
        let mut moving: Vec<Sum> = Vec::new();
        for &atom in kept.iter().take(ADDED) {
            if self.is_measurable(atom) {
                moving.push(self.arena.space.inequality(atom).sum.negated());
            }
        }
        let mut sums = moving.clone();
        for (at, first) in moving.iter().enumerate() {
            sums.extend(moving[at + 1..].iter().filter_map(|second| first.plus(Rational::ONE, second)));
        }
        let mut found = Vec::new();
        for sum in sums {
            let Some(atom) = self.atom(&Inequality::at_most_zero(sum)) else { continue };
            if self.changes(atom) {
                found.push(Candidate { location, measured: vec![atom], kept: kept.clone(), is_lean: true });
            }
        }
        found
    }
}
