//! Nested fixpoints of parity games over regions, component by component of the locations.
//!
//! The levels of a component are its priorities, the least one outermost: a greatest fixpoint for one that is good for the
//! player, a least one for a bad one. What is computed is won for sure: least fixpoints may end early, greatest ones too
//! small. Source: Emerson and Jutla, "Tree automata, mu-calculus and determinacy" (FOCS 1991).

use crate::arena::{Arena, Family, Side};
use crate::loop_steps::Step;
use crate::record::{Record, Stage};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::rc::Rc;
use tsl_synth_arithmetic::{Atom, Polyhedron, Region};
use tsl_synth_core::base::{Id, Limit};
use tsl_synth_core::model::LocationId;

/// The rounds of a greatest fixpoint, after the exact ones, in which it is guessed what further rounds would lose.
const WIDENED: usize = 3;

/// When the iteration of a greatest fixpoint does not terminate, it is restarted with the states that satisfy one
/// inequality: the most inequalities that are tried, and the most rounds for each.
const RESTARTS: usize = 16;
const RESTARTED: usize = 2;

/// The round of a greatest fixpoint after which it is guessed what equal steps of the opponent lose.
const CARRIED: usize = 3;

/// How much is tried.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Effort {
    /// The most stages of a least fixpoint.
    pub(crate) stages: usize,
    /// The most rounds of a greatest fixpoint.
    pub(crate) rounds: usize,
    /// The deepest nesting of loops.
    pub(crate) loops: usize,
    /// The most loops of a level around a loop of the same level.
    pub(crate) nested: usize,
    /// Whether other loops are tried, too, once one that is carried along steps was found.
    pub(crate) others: bool,
    /// The work for one candidate of a loop.
    pub(crate) candidate: u64,
}

/// Where a move of this priority has to lead at a location: into the parameter of the priority's level, or, at a location
/// of another component, into what is won there.
pub(crate) fn goal_of(
    own: &[LocationId],
    levels: &[Level],
    parameters: &[Family],
    won: &[Region],
    priority: u32,
    to: LocationId,
) -> Region {
    if own.binary_search(&to).is_err() {
        return won[to.index()].clone();
    }
    let level = levels.iter().position(|level| level.priorities.contains(&priority));
    level.map_or(Region::new(), |level| parameters[level][to.index()].clone())
}

/// A level of a component: its priorities, all good for the player or all bad.
#[derive(Clone, Debug)]
pub(crate) struct Level {
    pub(crate) priorities: Vec<u32>,
    pub(crate) good: bool,
}

/// A candidate for a loop: the location, what is kept, and what is measured.
pub(crate) type Loop = (LocationId, Polyhedron, Vec<Atom>);

/// A candidate that was tried, in a variant and with the number of levels around it.
pub(crate) type Tried = (Loop, u8);

/// Solves a component.
pub(crate) struct Fixpoint<'r, 'a> {
    pub(crate) arena: &'r mut Arena<'a>,
    pub(crate) side: Side,
    pub(crate) effort: Effort,
    /// Whether invariants are guessed from how bounds change from stage to stage, and long fractions are rounded.
    pub(crate) guesses: bool,
    /// Whether it tries first what steps of equal size keep.
    pub(crate) carries: bool,
    /// The locations of the component, in order.
    pub(crate) own: Vec<LocationId>,
    pub(crate) levels: Vec<Level>,
    /// What is won at the locations of earlier components.
    pub(crate) won: &'r [Region],
    /// The least fixpoints that are being computed inside loops.
    pub(crate) depth: usize,
    pub(crate) tried: FxHashSet<Tried>,
    /// A superset of the states between the heads of a loop to which its fixpoints are restricted, if they are.
    pub(crate) relevant: Option<Family>,
    /// During the search for nested loops of one level: the variable that bounds the distance of the loop directly around
    /// them, and the number of loops of the level around them.
    pub(crate) nested_in: Option<(u32, usize)>,
    /// The candidates that failed and those that succeeded outside of loops, in all rounds of outer fixpoints.
    pub(crate) failed: FxHashSet<Tried>,
    pub(crate) succeeded: FxHashSet<Loop>,
    /// The candidates that were cut short outside of loops, with the work that they were allowed.
    pub(crate) cut: FxHashMap<Tried, u64>,
    /// Memoized supersets of the states in which plays enter locations: see [`Arena::entries`].
    pub(crate) entries: FxHashMap<LocationId, (Region, Region)>,
    /// Memoized steps from locations back to them.
    pub(crate) steps: FxHashMap<LocationId, Rc<Vec<Step>>>,
    /// The work of the latest stage outside of loops.
    pub(crate) plain_work: u64,
    /// The work after which loops are given up.
    pub(crate) work_limit: u64,
}

impl Fixpoint<'_, '_> {
    pub(crate) fn is_own(&self, location: LocationId) -> bool {
        self.own.binary_search(&location).is_ok()
    }

    /// Nothing at all locations.
    fn nothing(&self) -> Family {
        Rc::new(vec![Region::new(); self.won.len()])
    }

    /// Everything that is reachable at the locations of the component.
    fn everything(&self) -> Family {
        let mut family = vec![Region::new(); self.won.len()];
        for &location in &self.own {
            family[location.index()].clone_from(&self.arena.reachable[location.index()]);
        }
        Rc::new(family)
    }

    /// The family of the innermost greatest fixpoint around a level, to which everything can be restricted.
    pub(crate) fn outer(&self, parameters: &[Family]) -> Option<Family> {
        let good = (0..parameters.len()).rev().find(|&level| self.levels[level].good);
        good.map(|level| parameters[level].clone())
    }

    /// The fixpoint of a level and those inside it, given those around it.
    pub(crate) fn level(&mut self, parameters: &mut Vec<Family>) -> Result<(Family, Record), Limit> {
        match self.levels.get(parameters.len()) {
            None => self.leaf(parameters),
            Some(level) if level.good => self.greatest(parameters),
            Some(_) => self.least(parameters),
        }
    }

    fn leaf(&mut self, parameters: &[Family]) -> Result<(Family, Record), Limit> {
        let outer = self.outer(parameters);
        // Of a greatest fixpoint each round has to be exact, because what it loses it never gets back.
        let ends_greatest = self.levels.last().is_none_or(|level| level.good);
        let mut value = vec![Region::new(); self.won.len()];
        if self.depth > 0 && self.arena.work > self.work_limit {
            // Nothing is won for sure.
            let value = Rc::new(value);
            return Ok((value.clone(), Record::Leaf { parameters: parameters.to_vec(), value }));
        }
        for at in 0..self.own.len() {
            let location = self.own[at];
            let within = match &outer {
                Some(family) => family[location.index()].clone(),
                None => self.arena.reachable[location.index()].clone(),
            };
            let within = match &self.relevant {
                Some(relevant) => self.arena.space.intersection(&within, &relevant[location.index()]),
                None => within,
            };
            if within.is_empty() {
                continue;
            }
            let levels = &self.levels;
            let (own, won) = (&self.own, self.won);
            let goal = |priority: u32, to: LocationId| goal_of(own, levels, parameters, won, priority, to);
            let mut found = self.arena.controllable(self.side, location, &within, &goal)?;
            if self.guesses && !ends_greatest {
                found = self.arena.space.rounded(found);
            }
            value[location.index()] = found;
        }
        let value = Rc::new(value);
        Ok((value.clone(), Record::Leaf { parameters: parameters.to_vec(), value }))
    }

    fn greatest(&mut self, parameters: &mut Vec<Family>) -> Result<(Family, Record), Limit> {
        let first = self.outer(parameters).unwrap_or_else(|| self.everything());
        let mut current = first.clone();
        let mut round = 0;
        let mut before = self.nothing();
        // A family from which nothing is lost: every round contains it.
        let mut floor: Option<Family> = None;
        loop {
            self.arena.tick()?;
            parameters.push(current.clone());
            let result = self.level(parameters);
            parameters.pop();
            let (mut value, record) = result?;
            if self.is_within(&current, &value) {
                return Ok((current, Record::Greatest(Box::new(record))));
            }
            round += 1;
            let (exact, last) = (self.effort.rounds, self.effort.rounds + WIDENED);
            let mut guess = None;
            if round == CARRIED && self.carries && self.depth == 0 {
                let part = self.kept_for_ever(&first, &value);
                if let Some(part) = self.settled(parameters, part)? {
                    current = part;
                    continue;
                }
            }
            if round == exact && self.depth == 0 {
                floor = self.restarted(parameters, &first, &current, &value)?;
            }
            if self.guesses && self.depth == 0 && (exact..=last).contains(&(round + 1)) {
                let lost = self.without(&current, &value);
                if round >= exact {
                    guess = self.without_more(&value, &before, &lost);
                }
                before = lost;
            }
            if let Some(guess) = guess {
                value = guess;
            } else if round >= exact {
                // What still changes is given up.
                let keep = |location: usize| -> Region {
                    let old = &current[location];
                    value[location].iter().filter(|part| old.contains(part)).cloned().collect()
                };
                value = Rc::new((0..value.len()).map(keep).collect());
            }
            if round > 2 * self.effort.rounds {
                value = self.nothing();
            }
            if round > 2 * self.effort.rounds + 1 {
                floor = None;
            }
            current = match &floor {
                Some(floor) => self.joined(&value, floor),
                None => value,
            };
        }
    }

    /// A part of a family that is a post-fixpoint, so that it is within the greatest fixpoint: the union of those
    /// intersections of the family with one inequality of a later round from which a few rounds lose nothing more. Where
    /// the exact iteration does not terminate, such a part often suffices: once a robot has passed a goal to which it
    /// cannot return, its other coordinates do not matter. Another part that is tried extrapolates the polyhedra that the
    /// last round did not change: `x ≥ 1, y ≥ 0`, then `x ≥ 2, y ≥ -1`, and so on are within `x + y ≥ 1`.
    fn restarted(
        &mut self,
        parameters: &mut Vec<Family>,
        family: &Family,
        before: &Family,
        later: &Family,
    ) -> Result<Option<Family>, Limit> {
        let inner = self.levels.len() - parameters.len();
        if inner > if self.side == Side::Environment { 2 } else { 1 } {
            return Ok(None);
        }
        let mut counts: BTreeMap<Atom, usize> = BTreeMap::new();
        for &location in &self.own {
            for &atom in later[location.index()].iter().flatten() {
                *counts.entry(atom).or_default() += 1;
            }
        }
        let mut atoms: Vec<Atom> = counts.keys().copied().filter(|&atom| !self.is_boolean(atom)).collect();
        atoms.sort_by_key(|atom| std::cmp::Reverse(counts[atom]));
        let mut found: Option<Family> = None;
        // A candidate that fails in a part of the family may succeed in all of it.
        let failed = self.failed.clone();
        let mut parts: Vec<Family> = self.continued(family, before, later).into_iter().collect();
        for atom in atoms.into_iter().take(RESTARTS) {
            let mut part = family.as_ref().clone();
            for &location in &self.own {
                let region = &mut part[location.index()];
                *region = self.arena.space.intersection(region, &vec![vec![atom]]);
            }
            parts.push(Rc::new(part));
        }
        for part in parts {
            if let Some(part) = self.settled(parameters, part)? {
                found = Some(found.map_or(part.clone(), |found| self.joined(&found, &part)));
            }
        }
        self.failed = failed;
        Ok(found)
    }

    /// The part of a family that is left after a few rounds if nothing more is lost from it then, and it is not empty.
    fn settled(&mut self, parameters: &mut Vec<Family>, mut part: Family) -> Result<Option<Family>, Limit> {
        for _ in 0..RESTARTED {
            if part.iter().all(Region::is_empty) {
                break;
            }
            parameters.push(part.clone());
            let result = self.level(parameters);
            parameters.pop();
            let (value, _) = result?;
            if self.is_within(&part, &value) {
                return Ok(Some(part));
            }
            part = value;
        }
        Ok(None)
    }

    /// The intersection of a family with those polyhedra that two successive rounds have in common and with the
    /// extrapolations of pairs of them; `None` if there is no extrapolation.
    fn continued(&mut self, family: &Family, before: &Family, later: &Family) -> Option<Family> {
        let mut result = vec![Region::new(); family.len()];
        let mut is_new = false;
        for at in 0..self.own.len() {
            let location = self.own[at].index();
            let left = later[location].iter().filter(|part| before[location].contains(part));
            let left: Region = left.cloned().collect();
            let more = self.extrapolated(&left, &left);
            is_new |= !more.is_empty();
            let all = self.arena.space.union(&left, &more);
            result[location] = self.arena.space.intersection(&family[location], &all);
        }
        is_new.then(|| Rc::new(result))
    }

    /// A family without what would be lost in further rounds if each loses what the last two lost, moved on by the same
    /// step; `None` if nothing is found.
    fn without_more(&mut self, family: &Family, before: &Family, lost: &Family) -> Option<Family> {
        let mut result = family.as_ref().clone();
        let mut is_smaller = false;
        for at in 0..self.own.len() {
            let location = self.own[at].index();
            let more = self.extrapolated(&before[location], &lost[location]);
            is_smaller |= !more.is_empty();
            result[location] = self.arena.space.difference(&result[location], &more);
        }
        is_smaller.then(|| Rc::new(result))
    }

    fn least(&mut self, parameters: &mut Vec<Family>) -> Result<(Family, Record), Limit> {
        let mut current = self.nothing();
        // Distances are measured from what was won first and by loops, or from larger polyhedra that contain it.
        let mut targets = vec![Region::new(); self.won.len()];
        // What was won last at each location, and what before that.
        let mut latest = vec![(Region::new(), Region::new()); self.won.len()];
        let mut stages: Vec<Stage> = Vec::new();
        let mut next_loop = 1;
        // Whether a loop was found since the last step: then the polyhedra that the next step adds become targets, too, if
        // no distance from the other targets can be measured for them.
        let mut is_renewed = false;
        let begin = self.arena.work;
        let (tried, nested_in) = (std::mem::take(&mut self.tried), self.nested_in.take());
        'stages: for count in 0..self.effort.stages {
            self.arena.tick()?;
            let before = self.arena.work;
            parameters.push(current.clone());
            let result = self.level(parameters);
            parameters.pop();
            let (value, record) = result?;
            if self.depth == 0 {
                self.plain_work = self.arena.work - before;
            }
            if self.is_within(&value, &current) {
                break;
            }
            stages.push(Stage::Plain(record));
            // Since the value of this fixpoint grew, failed candidates of the fixpoints inside it may succeed.
            let own = 2 * parameters.len() + 1;
            self.failed.retain(|(_, variant)| usize::from(*variant) <= own);
            let fresh = self.without(&value, &current);
            current = self.joined(&current, &value);
            for at in 0..self.own.len() {
                let location = self.own[at].index();
                let is_first = targets[location].is_empty();
                for part in fresh[location].iter().filter(|_| is_first || is_renewed) {
                    if is_first || self.carries || !self.has_distance(part, &targets[location]) {
                        targets[location].push(part.clone());
                    }
                }
                if !fresh[location].is_empty() {
                    latest[location].0 = std::mem::replace(&mut latest[location].1, fresh[location].clone());
                }
            }
            is_renewed = false;
            if self.is_enough(parameters, &current) {
                break;
            }
            if count >= next_loop && self.depth < self.effort.loops {
                next_loop = count + 1 + count / 3;
                let least = if self.carries { self.effort.candidate } else { self.effort.candidate / 4 };
                let allowed = least + 3 * (self.arena.work - begin);
                let outer = self.work_limit;
                self.work_limit = outer.min(self.arena.work + allowed);
                let mut fresh = fresh;
                while let Some((stage, value)) =
                    self.accelerated(parameters, &current, &targets, &fresh, &latest)?
                {
                    stages.push(stage);
                    is_renewed = true;
                    fresh = self.without(&value, &current);
                    current = self.joined(&current, &value);
                    if self.is_enough(parameters, &current) {
                        self.work_limit = outer;
                        break 'stages;
                    }
                    for location in self.own.iter().map(|location| location.index()) {
                        targets[location].extend(value[location].iter().cloned());
                        targets[location] = self.arena.space.enlarged(&targets[location], &current[location]);
                    }
                }
                self.work_limit = outer;
            }
        }
        (self.tried, self.nested_in) = (tried, nested_in);
        Ok((current, Record::Least(stages)))
    }

    /// What is in a family and not in another one.
    pub(crate) fn without(&mut self, family: &Family, other: &Family) -> Family {
        let mut result = vec![Region::new(); family.len()];
        for at in 0..self.own.len() {
            let location = self.own[at].index();
            result[location] = self.arena.space.difference(&family[location], &other[location]);
        }
        Rc::new(result)
    }

    pub(crate) fn is_within(&mut self, inner: &Family, outer: &Family) -> bool {
        let locations = self.own.clone();
        locations.iter().all(|l| self.arena.space.is_within(&inner[l.index()], &outer[l.index()]))
    }

    pub(crate) fn joined(&mut self, left: &Family, right: &Family) -> Family {
        let mut result = vec![Region::new(); left.len()];
        for &location in &self.own {
            let at = location.index();
            let union = self.arena.space.union(&left[at], &right[at]);
            result[at] = self.arena.space.simplified(&union);
        }
        Rc::new(result)
    }
}
