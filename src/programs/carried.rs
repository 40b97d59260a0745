//! Candidates for accelerated loops whose invariant follows from how a step changes the inequalities of a target.
//!
//! Example: a vehicle at x with charge e goes home to 0, and e has to be at least 0 then. A step changes x by -1 and e by
//! -2. The distance is x, and the charge lasts exactly from the states with e ≥ 2x, which neither the target nor a few
//! steps before it say. If a step costs between 1 and 2, the most counts.

use crate::arena::{Family, GameMove};
use crate::fixpoint::Fixpoint;
use crate::loop_steps::{Change, Step};
use crate::ranking::{Candidate, MEASURED, TARGETS};
use std::collections::VecDeque;
use std::rc::Rc;
use tsl_synth_arithmetic::{Atom, Polyhedron, Region};
use tsl_synth_core::base::{Id, Rational};
use tsl_synth_core::logic::{Inequality, Sum};
use tsl_synth_core::model::LocationId;

/// The most moves of a step, the most steps of a location, and the most candidates of one.
const MOVES: usize = 4;
const STEPS: usize = 40;
const CANDIDATES: usize = 150;
/// The most kinds of steps one after another to what is lost, and the most polyhedra of it at a location.
const KINDS: usize = 3;
const LOST: usize = 40;

impl Fixpoint<'_, '_> {
    /// Candidates whose invariant says that a target is reached by equal steps, as far as inequalities show that.
    pub(crate) fn carried(&mut self, targets: &[Region]) -> Vec<Candidate> {
        let mut found: Vec<Candidate> = Vec::new();
        for location in self.own.clone() {
            let mut own = Vec::new();
            let steps = self.steps(location);
            for target in targets[location.index()].iter().take(TARGETS) {
                for step in steps.iter() {
                    for one in self.along(location, target, step) {
                        if own.len() < CANDIDATES && !own.contains(&one) {
                            own.push(one);
                        }
                    }
                }
            }
            found.append(&mut own);
        }
        found
    }

    /// The candidates of a target and a step: the distance is measured by the inequalities that the step brings nearer.
    fn along(&mut self, location: LocationId, target: &[Atom], step: &Step) -> Vec<Candidate> {
        let Some((falling, reach)) = self.reach(target, step) else { return Vec::new() };
        let space = &mut self.arena.space;
        let guarded = space.meet(&reach, &step.guard).map(|kept| space.irredundant(kept));
        let mut found = Vec::new();
        for kept in guarded.into_iter().chain([reach]) {
            let open = |&atom: &Atom| !self.arena.space.implies(&kept, atom);
            let measured: Vec<Atom> = falling.iter().copied().filter(open).collect();
            if (1..=MEASURED).contains(&measured.len()) {
                // Inside of another loop, a round may also end in what that loop has won.
                found.push(Candidate { location, measured, kept, is_lean: self.nested_in.is_none() });
            }
        }
        found
    }

    /// A set of states from which repetitions of a step lead to a target, shown by adding up the changes of its
    /// inequalities, and the inequalities of the target that each step comes closer to; `None` if the set is empty.
    fn reach(&mut self, target: &[Atom], step: &Step) -> Option<(Vec<Atom>, Polyhedron)> {
        // The number of steps, which is a rational number here.
        let counter = self.arena.counter();
        let after = |inequality: &Inequality, most: Rational, begin: Rational| {
            let sum = inequality.sum.plus(most, &Sum::variable(counter))?;
            let sum = sum.plus(most.times(begin)?.negated(), &Sum::constant(Rational::ONE))?;
            Some(Inequality { sum, strict: inequality.strict })
        };
        let at_least = Sum::constant(Rational::ONE).plus(Rational::ONE.negated(), &Sum::variable(counter))?;
        let mut rows = vec![Inequality::at_most_zero(at_least)];
        let mut falling = Vec::new();
        for &atom in target {
            let inequality = self.arena.space.inequality(atom).clone();
            let most = step.most(&inequality.sum)?;
            if most.is_negative() && !self.is_boolean(atom) {
                falling.push(atom);
            }
            rows.push(after(&inequality, most, Rational::ZERO)?);
        }
        if falling.is_empty() {
            return None;
        }
        // Before the last step its guard still holds.
        for &atom in &step.guard {
            let inequality = self.arena.space.inequality(atom).clone();
            if let Some(most) = step.most(&inequality.sum).filter(|most| most.is_positive()) {
                rows.push(after(&inequality, most, Rational::ONE)?);
            }
        }
        let space = &mut self.arena.space;
        let family = space.polyhedron(&rows)?;
        let reach = space.exists(&family, &[counter])?;
        Some((falling, space.irredundant(reach)))
    }

    /// A part of a family that may be a post-fixpoint: without what was lost from it in the first rounds, and without
    /// the states from which equal steps lead there, one kind of step after another.
    pub(crate) fn kept_for_ever(&mut self, family: &Family, value: &Family) -> Family {
        let mut result = family.as_ref().clone();
        for location in self.own.clone() {
            let at = location.index();
            let steps = self.steps(location);
            let mut lost = self.arena.space.difference(&family[at], &value[at]);
            let mut begin = 0;
            for _ in 0..KINDS {
                let end = lost.len();
                for number in begin..end {
                    for step in steps.iter() {
                        let target = lost[number].clone();
                        let Some((_, reach)) = self.reach(&target, step) else { continue };
                        let reach = self.arena.space.meet(&reach, &step.guard);
                        if let Some(reach) = reach.filter(|_| lost.len() < LOST) {
                            let reach = self.arena.space.irredundant(reach);
                            if !self.arena.space.is_covered(&reach, &lost) {
                                lost.push(reach);
                            }
                        }
                    }
                }
                begin = end;
            }
            result[at] = self.arena.space.difference(&family[at], &lost);
            result[at] = self.arena.space.simplified(&result[at]);
        }
        Rc::new(result)
    }

    /// The steps of a location.
    fn steps(&mut self, location: LocationId) -> Rc<Vec<Step>> {
        if let Some(known) = self.steps.get(&location) {
            return known.clone();
        }
        let mut found: Vec<Step> = Vec::new();
        let heads = self.group(location);
        let cells = self.arena.game.cells;
        let mut todo: VecDeque<(LocationId, usize, Step)> = VecDeque::new();
        let still = vec![(Some(Rational::ZERO), Some(Rational::ZERO)); cells];
        todo.push_back((location, 0, Step { guard: Polyhedron::new(), changes: still }));
        while let Some((from, length, before)) = todo.pop_front() {
            for at in 0..self.arena.moves[from].len() {
                let one = self.arena.moves[from][at].clone();
                if !self.is_own(one.to) || found.len() + todo.len() >= STEPS {
                    continue;
                }
                let changes = self.changes_of(from, &one);
                let changes = before.changes.iter().zip(changes).map(|(&(a, b), (c, d))| {
                    let add = |x: Option<Rational>, y: Option<Rational>| x?.plus(y?);
                    (add(a, c), add(b, d))
                });
                let mut step = Step { guard: before.guard.clone(), changes: changes.collect() };
                if length == 0 {
                    let hidden: Vec<u32> =
                        (cells..self.arena.game.variables.len()).map(|v| v as u32).collect();
                    let Some(guard) = self.arena.space.exists(&one.guard, &hidden) else { continue };
                    step.guard = guard;
                }
                if heads.contains(&one.to) {
                    let still = |change: &Change| *change == (Some(Rational::ZERO), Some(Rational::ZERO));
                    if !step.changes.iter().all(still) && !found.contains(&step) {
                        found.push(step);
                    }
                } else if length + 1 < MOVES {
                    todo.push_back((one.to, length + 1, step));
                }
            }
        }
        let joined = joined(&found);
        let found = [self.alike(&found), found, joined.into_iter().collect()].concat();
        let found = Rc::new(found);
        self.steps.insert(location, found.clone());
        found
    }

    /// Of steps that change all cells alike, what their guards have in common.
    fn alike(&mut self, steps: &[Step]) -> Vec<Step> {
        let mut found: Vec<Step> = Vec::new();
        for (at, first) in steps.iter().enumerate() {
            let alike: Vec<&Step> = steps.iter().filter(|other| other.changes == first.changes).collect();
            if alike.len() < 2 || steps[..at].iter().any(|other| other.changes == first.changes) {
                continue;
            }
            let mut guard = first.guard.clone();
            guard.retain(|&atom| alike.iter().all(|other| self.arena.space.implies(&other.guard, atom)));
            found.push(Step { guard, changes: first.changes.clone() });
        }
        found
    }

    /// By how much a move changes each cell: a constant, or what its guard bounds.
    fn changes_of(&mut self, from: LocationId, one: &GameMove) -> Vec<Change> {
        let minus = Rational::ONE.negated();
        let mut guard: Option<Polyhedron> = None;
        let mut changes = Vec::new();
        for (update, cell) in one.updates.iter().zip(0..) {
            let Some(change) = update.plus(minus, &Sum::variable(cell)) else {
                changes.push((None, None));
                continue;
            };
            if let Some(change) = change.value() {
                changes.push((Some(change), Some(change)));
                continue;
            }
            let guard = guard.get_or_insert_with(|| self.without_exits(from, one)).clone();
            changes.push(self.bounds_of(&guard, &change));
        }
        changes
    }

    /// The guard of a move, without inputs for which other moves lead out of the component.
    fn without_exits(&mut self, from: LocationId, one: &GameMove) -> Polyhedron {
        let mut guard = one.guard.clone();
        for at in 0..self.arena.moves[from].len() {
            let other = &self.arena.moves[from][at];
            let [atom] = other.guard[..] else { continue };
            let cells = self.arena.game.cells as u32;
            if !self.is_own(other.to) && !self.arena.space.mentions_any(atom, |variable| variable < cells) {
                guard = self.arena.space.meet(&guard, &[atom ^ 1]).unwrap_or(guard);
            }
        }
        guard
    }

    /// The least and the greatest value of a sum over a polyhedron, where they are found.
    fn bounds_of(&mut self, polyhedron: &[Atom], sum: &Sum) -> Change {
        let counter = self.arena.counter();
        let Some(less) = sum.plus(Rational::ONE.negated(), &Sum::variable(counter)) else {
            return (None, None);
        };
        let rows = [Inequality::at_most_zero(less.negated()), Inequality::at_most_zero(less)];
        let others: Vec<u32> = (0..self.arena.game.variables.len()).map(|v| v as u32).collect();
        let space = &mut self.arena.space;
        let Some(equal) = space.polyhedron(&rows) else { return (None, None) };
        let Some(both) = space.meet(polyhedron, &equal) else { return (None, None) };
        let Some(bounds) = space.exists(&both, &others) else { return (None, None) };
        let mut found = (None, None);
        for inequality in space.inequalities(&bounds) {
            let factor = inequality.sum.coefficient(counter);
            let value = inequality.sum.offset().negated().over(factor);
            if factor.is_positive() { found.1 = value } else { found.0 = value }
        }
        found
    }
}

/// A step that stands for all of them, if there are several.
fn joined(steps: &[Step]) -> Option<Step> {
    let (first, others) = steps.split_first().filter(|(_, others)| !others.is_empty())?;
    let mut all = Step { guard: Polyhedron::new(), changes: first.changes.clone() };
    for other in others {
        for (own, more) in all.changes.iter_mut().zip(&other.changes) {
            own.0 = own.0.zip(more.0).map(|(a, b)| a.min(b));
            own.1 = own.1.zip(more.1).map(|(a, b)| a.max(b));
        }
    }
    Some(all)
}
