//! Acceleration of least fixpoints by ranking arguments: loops whose rounds each decrease a distance.
//!
//! For a polyhedron T of what is won already, the distance of a state is the sum of the amounts by which it violates some
//! of the inequalities of T; the other inequalities are the invariant. With a fresh constant k, the player has to force,
//! from every state of the invariant with a distance of at most k, either what is won already or a state of the invariant
//! with a distance of at most k minus a fixed positive decrease. Then all of the invariant is won. Where that fails, the
//! states from which it fails are removed from the invariant, a few times.
//!
//! One round of a loop may need a nested loop, which leaves the bound k unchanged and decreases the distance from the
//! states that complete the round. So ranks are lexicographic: y decreases to 0 before x decreases once.
//!
//! Source: Heim and Dimitrova, "Solving infinite-state games via acceleration" (POPL 2024); the lemma is evaluated here by
//! the fixpoints of the levels inside, with k as a variable.

use crate::arena::{Family, TooLarge};
use crate::fixpoint::{Fixpoint, Loop, Tried};
use crate::record::{Acceleration, Stage};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
use std::rc::Rc;
use tsl_synth_arithmetic::{Atom, Literal, Polyhedron, Region};
use tsl_synth_core::base::{Id, Limit, Rational};
use tsl_synth_core::logic::{Inequality, Sum};
use tsl_synth_core::model::{LocationId, ProgramSort};

/// The most inequalities that a distance sums up.
pub(crate) const MEASURED: usize = 4;
/// The most polyhedra of a location that are tried.
pub(crate) const TARGETS: usize = 12;
/// The most polyhedra won last at a location of which a point is compared with the targets.
const FRESH: usize = 6;
/// The most times that states are removed from an invariant.
const SMALLER: usize = 3;
/// The rounds after a nested loop whose states become targets.
const RENEWED: usize = 2;
/// The most rounds of a loop.
const ROUNDS: usize = 10;

/// The most images of moves that are computed for a location between the heads of a loop; with more, all reachable states
/// of the location are taken.
const BETWEEN: usize = 12;
/// Each guessed candidate may take the work that is left for loops divided by this.
const SHARE: u64 = 5;
/// Where candidates are carried along steps, others may take their work divided by `CARRIED_FIRST`, or that of `STAGES`
/// stages without a loop.
const CARRIED_FIRST: u64 = 8;
const STAGES: u64 = 8;

/// A candidate for a loop: its location, the inequalities by whose violation the distance is measured, and the invariant.
#[derive(PartialEq, Eq)]
pub(crate) struct Candidate {
    pub(crate) location: LocationId,
    pub(crate) measured: Vec<Atom>,
    pub(crate) kept: Polyhedron,
    /// Whether the loop has to end in the targets instead of anywhere in what is won already, which takes less work.
    pub(crate) is_lean: bool,
}

impl Candidate {
    /// The parts that identify a candidate among those that were tried.
    fn key(&self) -> Loop {
        (self.location, self.kept.clone(), self.measured.clone())
    }
}

/// The result of trying a candidate.
enum Attempt {
    /// A loop with the states that it adds.
    Found(Stage, Family),
    Failed,
    /// All states of the invariant are won already.
    Superfluous,
}

impl Fixpoint<'_, '_> {
    /// A loop that adds something to a least fixpoint, with all that it adds.
    pub(crate) fn accelerated(
        &mut self,
        parameters: &mut Vec<Family>,
        current: &Family,
        targets: &[Region],
        fresh: &Family,
        latest: &[(Region, Region)],
    ) -> Result<Option<(Stage, Family)>, Limit> {
        let mut candidates = Vec::new();
        if self.guesses {
            candidates.extend(self.entered(targets));
            candidates.extend(self.guessed(targets, latest));
        }
        if self.carries {
            candidates.extend(self.carried(targets));
        }
        if self.effort.others || self.succeeded.is_empty() {
            candidates.extend(self.candidates(targets, fresh));
        }
        if let Some((bound, _)) = self.nested_in {
            // A nested loop keeps the bound of the loop around it: its invariant mentions the bound, its distance does not.
            // Other candidates are tried outside of that loop.
            let space = &self.arena.space;
            let mentions = |atom: &Atom| space.mentions_any(*atom, |variable| variable == bound);
            candidates.retain(|one| one.kept.iter().any(mentions) && !one.measured.iter().any(mentions));
        }
        let lean: Family = Rc::new(targets.to_vec());
        candidates.sort_by_cached_key(|one| !self.succeeded.contains(&one.key()));
        for candidate in candidates {
            if self.arena.work > self.work_limit {
                break;
            }
            let mut variants = vec![self.group(candidate.location)];
            if variants[0].len() > 1 {
                variants.push(vec![candidate.location]);
            }
            for (variant, heads) in variants.into_iter().enumerate() {
                let key = (candidate.key(), (variant + 2 * parameters.len()) as u8);
                // One that was cut short is tried again with more work only.
                let allowed = self.allowed(&candidate);
                if self.carries && self.cut.get(&key).is_some_and(|&before| allowed <= before) {
                    continue;
                }
                // Outside of loops, a candidate that failed in an earlier round of a greatest fixpoint around this one is not
                // tried again: the family of that fixpoint was larger then.
                if self.depth == 0 && self.failed.contains(&key) || !self.tried.insert(key.clone()) {
                    continue;
                }
                let ends = if candidate.is_lean { &lean } else { current };
                let (found, was_cut) =
                    self.attempt_within(parameters, (current, ends), &candidate, &heads)?;
                match found {
                    Attempt::Found(stage, value) => {
                        self.succeeded.insert(key.0);
                        return Ok(Some((stage, value)));
                    }
                    // With more work it may succeed.
                    Attempt::Failed if was_cut => {
                        if self.depth == 0 {
                            self.cut.insert(key.clone(), allowed);
                        }
                        self.tried.remove(&key);
                    }
                    Attempt::Failed if self.depth == 0 => {
                        self.failed.insert(key);
                    }
                    Attempt::Failed | Attempt::Superfluous => {}
                }
            }
        }
        Ok(None)
    }

    /// The work that a candidate may take.
    fn allowed(&self, candidate: &Candidate) -> u64 {
        let left = self.work_limit.saturating_sub(self.arena.work);
        let mut own = self.effort.candidate;
        if self.guesses {
            // There are many candidates; those that use up their share are tried again later.
            own = own.min(left / SHARE);
        }
        if self.carries && !candidate.is_lean {
            own = own.min((own / CARRIED_FIRST).max(STAGES * self.plain_work));
        }
        own.min(left)
    }

    /// Tries a candidate with its share of the work that is left for loops; the second result is whether the attempt used
    /// up this share.
    fn attempt_within(
        &mut self,
        parameters: &mut Vec<Family>,
        families: (&Family, &Family),
        candidate: &Candidate,
        heads: &[LocationId],
    ) -> Result<(Attempt, bool), Limit> {
        let outer = self.work_limit;
        self.work_limit = self.arena.work + self.allowed(candidate);
        let around = self.relevant.take();
        let found = self.attempt(parameters, families, candidate, heads);
        self.relevant = around;
        let was_cut = self.arena.work > self.work_limit;
        self.work_limit = outer;
        Ok((found?, was_cut))
    }

    /// The locations of the component that are copies of the same location of the text, with other states of the
    /// formula's automaton.
    pub(crate) fn group(&self, location: LocationId) -> Vec<LocationId> {
        let name = &self.arena.game.locations[location];
        self.own.iter().copied().filter(|&other| self.arena.game.locations[other] == *name).collect()
    }

    /// Whether some move of the component changes what an atom says.
    pub(crate) fn changes(&mut self, atom: Atom) -> bool {
        let mut maps = Vec::new();
        for &location in &self.own {
            maps.extend(
                self.arena.moves[location].iter().filter(|one| self.is_own(one.to)).map(|one| one.map),
            );
        }
        maps.into_iter().any(|map| self.arena.space.mapped(map, atom) != Some(Literal::Atom(atom)))
    }

    /// Whether an atom can be a part of a distance: it is an inequality of numbers that some move of the component changes.
    pub(crate) fn is_measurable(&mut self, atom: Atom) -> bool {
        !self.is_boolean(atom) && self.changes(atom)
    }

    /// Candidates with guessed invariants: the distance is measured by the inequalities of a target that the invariant does
    /// not imply.
    fn guessed(&mut self, targets: &[Region], latest: &[(Region, Region)]) -> Vec<Candidate> {
        let mut found: Vec<Candidate> = Vec::new();
        for at in 0..self.own.len() {
            let location = self.own[at];
            let (before, after) = &latest[location.index()];
            for kept in self.extrapolated(before, after) {
                for target in targets[location.index()].iter().take(TARGETS) {
                    let open = |&atom: &Atom| !self.arena.space.implies(&kept, atom);
                    let measured: Vec<Atom> = target.iter().copied().filter(open).collect();
                    let fits = (1..=MEASURED).contains(&measured.len())
                        && measured.iter().all(|&atom| self.is_measurable(atom));
                    if fits {
                        found.push(Candidate { location, measured, kept: kept.clone(), is_lean: false });
                    }
                }
            }
        }
        found
    }

    /// The inequalities of a polyhedron that a point violates.
    fn violated(&self, polyhedron: &[Atom], point: &BTreeMap<u32, Rational>) -> Vec<Atom> {
        polyhedron.iter().copied().filter(|&atom| !self.arena.space.holds(atom, point)).collect()
    }

    /// Whether a distance from one of the targets can be measured for a point of a polyhedron, or no point is found.
    pub(crate) fn has_distance(&mut self, part: &Polyhedron, targets: &[Polyhedron]) -> bool {
        let Some(point) = self.arena.space.point(part) else { return true };
        for target in targets.iter().take(TARGETS) {
            let broken = self.violated(target, &point);
            if broken.len() <= MEASURED && broken.iter().all(|&atom| self.is_measurable(atom)) {
                return true;
            }
        }
        false
    }

    /// Candidates that measure a distance from a target and keep the other inequalities of the target. The distance is
    /// measured by those inequalities that a point of the states won last violates; then by each inequality alone, and by
    /// the two inequalities of each equation. Candidates between several targets come first, see [`Self::outside`].
    fn candidates(&mut self, targets: &[Region], fresh: &Family) -> Vec<Candidate> {
        let (mut found, mut others): (Vec<Candidate>, Vec<Candidate>) = (Vec::new(), Vec::new());
        for at in 0..self.own.len() {
            let location = self.own[at];
            for target in targets[location.index()].iter().take(TARGETS) {
                let moving: Vec<Atom> =
                    target.iter().copied().filter(|&atom| self.is_measurable(atom)).collect();
                let candidate = |measured: Vec<Atom>| {
                    let kept = target.iter().copied().filter(|atom| !measured.contains(atom)).collect();
                    Candidate { location, measured, kept, is_lean: false }
                };
                for part in fresh[location.index()].iter().take(FRESH) {
                    let Some(point) = self.arena.space.point(part) else { continue };
                    let broken = self.violated(target, &point);
                    let fits = (1..=MEASURED).contains(&broken.len())
                        && broken.iter().all(|atom| moving.contains(atom));
                    if fits {
                        let one = candidate(broken);
                        if !found.contains(&one) {
                            found.push(one);
                        }
                    }
                }
                others.extend(moving.iter().map(|&atom| candidate(vec![atom])));
                for pair in moving.windows(2) {
                    if self.arena.space.form(pair[0]).0 == self.arena.space.form(pair[1]).0 {
                        others.push(candidate(pair.to_vec()));
                    }
                }
            }
        }
        found.sort_by_key(|candidate| (candidate.measured.len(), candidate.kept.len()));
        others.sort_by_key(|candidate| (candidate.measured.len() != 2, candidate.kept.len()));
        let mut all = self.outside(targets);
        all.append(&mut found);
        all.append(&mut others);
        all
    }

    /// Whether an atom mentions Boolean variables only.
    pub(crate) fn is_boolean(&self, atom: Atom) -> bool {
        let variables = &self.arena.game.variables;
        let is_number = |v: u32| variables.get(v as usize).is_none_or(|v| v.sort != ProgramSort::Boolean);
        !self.arena.space.mentions_any(atom, is_number)
    }

    /// Whether the distance of a candidate decreases in each round of a loop through these heads.
    fn attempt(
        &mut self,
        parameters: &mut Vec<Family>,
        (current, ends): (&Family, &Family),
        candidate: &Candidate,
        heads: &[LocationId],
    ) -> Result<Attempt, Limit> {
        let space = &mut self.arena.space;
        let parts: Vec<Sum> = candidate.measured.iter().map(|&a| space.inequality(a).sum.clone()).collect();
        let Some(sums) = subset_sums(&parts) else { return Ok(Attempt::Failed) };
        let integer = sums.iter().all(|sum| {
            sum.offset().is_integer() && sum.terms().all(|(v, c)| c.is_integer() && space.is_integer(v))
        });
        let falls = if integer { vec![Rational::ONE] } else { self.falls(&sums) };
        let outer = self.outer(parameters);
        let mut invariants: Vec<Region> = Vec::new();
        for head in heads {
            let all = outer.as_ref().map_or(vec![Polyhedron::new()], |family| family[head.index()].clone());
            invariants.push(self.arena.space.intersection(&vec![candidate.kept.clone()], &all));
        }
        if !self.adds(heads, &invariants, current) {
            return Ok(Attempt::Superfluous);
        }
        let bound = self.arena.bound(self.depth, integer);
        // Each decrease is tried with the whole invariant before invariants are made smaller; with a single decrease, the
        // second pass begins with all that the first one does.
        let passes: &[usize] = match (candidate.is_lean || self.nested_in.is_some(), falls.len()) {
            (true, _) => &[0],
            (false, 1) => &[SMALLER],
            (false, _) => &[0, SMALLER],
        };
        for &smaller in passes {
            for &fall in &falls {
                let measure = Measure { bound, sums: &sums, fall, is_lean: candidate.is_lean };
                let found =
                    self.attempt_with(parameters, (current, ends), &measure, (heads, &invariants), smaller)?;
                if let Some((stage, value)) = found {
                    return Ok(Attempt::Found(stage, value));
                }
            }
        }
        Ok(Attempt::Failed)
    }

    /// The decreases per round that are tried for distances over real numbers: the least positive amount by which a move
    /// decreases one of the sums, and 1, 1/10, 1/100.
    fn falls(&mut self, sums: &[Sum]) -> Vec<Rational> {
        let mut least: Option<Rational> = None;
        for &location in &self.own {
            for one in self.arena.moves[location].iter().filter(|one| self.is_own(one.to)) {
                for sum in sums {
                    let after = sum.substituted(|v| one.updates.get(v as usize).cloned());
                    let fall = after.and_then(|after| sum.plus(Rational::ONE.negated(), &after));
                    let fall = fall.and_then(|fall| fall.value()).filter(|fall| fall.is_positive());
                    least = least.into_iter().chain(fall).min();
                }
            }
        }
        let usual = [(1, 1), (1, 10), (1, 100)].into_iter().filter_map(|(a, b)| Rational::new(a, b));
        let mut falls: Vec<Rational> = least.into_iter().collect();
        falls.extend(usual.filter(|&fall| least != Some(fall)));
        falls
    }

    /// Whether the distance decreases as the measure says from the whole invariant or, after the states from which that
    /// fails were removed at most `smaller` times, from the rest of the invariant.
    fn attempt_with(
        &mut self,
        parameters: &mut Vec<Family>,
        (current, ends): (&Family, &Family),
        measure: &Measure,
        (heads, invariants): (&[LocationId], &[Region]),
        smaller: usize,
    ) -> Result<Option<(Stage, Family)>, Limit> {
        let mut kept = invariants.to_vec();
        let mut heads = without_empty(heads, &mut kept);
        let mut before: Vec<(LocationId, Region)> = Vec::new();
        for left in (0..=smaller).rev() {
            if heads.is_empty() || !self.adds(&heads, &kept, current) {
                break;
            }
            let Some(task) = self.task(measure, &heads, &kept) else { break };
            if measure.is_lean {
                self.relevant = Some(self.between(&heads, &kept));
            }
            match self.around(parameters, ends, (measure, &task), left > 0)? {
                Ok(stages) => {
                    let mut value = vec![Region::new(); current.len()];
                    for (head, region) in heads.iter().zip(&kept) {
                        value[head.index()].clone_from(region);
                    }
                    let acceleration = Acceleration {
                        bound: measure.bound,
                        heads: heads.iter().copied().zip(kept).collect(),
                        sums: measure.sums.to_vec(),
                        fall: measure.fall,
                        is_bounded: task.is_bounded,
                    };
                    return Ok(Some((Stage::Loop(Rc::new(acceleration), stages), Rc::new(value))));
                }
                Err(_) if left == 0 => break,
                Err(lost) => {
                    let mut now = Vec::new();
                    for ((head, region), lost) in heads.iter().zip(kept.iter_mut()).zip(lost) {
                        let mut lost = self.arena.projected(&lost, &[measure.bound]);
                        now.push((*head, lost.clone()));
                        let old = before.iter().find(|(other, _)| other == head);
                        if let Some((_, old)) = old.filter(|_| self.guesses) {
                            lost.extend(self.extrapolated(old, &lost));
                        }
                        let smaller = self.arena.space.difference(region, &lost);
                        *region = self.arena.space.simplified(&smaller);
                    }
                    before = now;
                    heads = without_empty(&heads, &mut kept);
                }
            }
        }
        Ok(None)
    }

    /// Supersets of the states of plays that start in the invariant at a head of a loop, until they reach a head again; at
    /// heads, the invariant.
    fn between(&mut self, heads: &[LocationId], kept: &[Region]) -> Family {
        let mut found = vec![Region::new(); self.won.len()];
        for (head, region) in heads.iter().zip(kept) {
            found[head.index()].clone_from(region);
        }
        let mut todo: Vec<(LocationId, Polyhedron)> = heads
            .iter()
            .zip(kept)
            .flat_map(|(&head, region)| region.iter().map(move |p| (head, p.clone())))
            .collect();
        // The number of images at each location, which is bounded because polyhedra may grow in ever smaller steps.
        let mut grown = vec![0; self.won.len()];
        while let Some((from, states)) = todo.pop() {
            for at in 0..self.arena.moves[from].len() {
                let next = self.arena.moves[from][at].to;
                let to = next.index();
                if !self.is_own(next) || heads.contains(&next) || found[to] == self.arena.reachable[to] {
                    continue;
                }
                let one = self.arena.moves[from][at].clone();
                let image = self.arena.image(&one, &states);
                grown[to] += usize::from(matches!(image, Ok(Some(_))));
                match image {
                    Ok(None) => {}
                    Ok(Some(image)) if grown[to] <= BETWEEN => {
                        let before = found[to].clone();
                        self.arena.space.insert(&mut found[to], image.clone());
                        if found[to] != before {
                            todo.push((next, image));
                        }
                    }
                    Ok(Some(_)) | Err(TooLarge) => {
                        found[to].clone_from(&self.arena.reachable[to]);
                        todo.extend(found[to].iter().map(|states| (next, states.clone())));
                    }
                }
            }
        }
        Rc::new(found)
    }

    /// Whether some head's region is not won already.
    fn adds(&mut self, heads: &[LocationId], kept: &[Region], current: &Family) -> bool {
        let mut parts = heads.iter().zip(kept);
        parts.any(|(head, region)| !self.arena.space.is_within(region, &current[head.index()]))
    }

    /// The regions of a round, over the variable that bounds the distance; `None` if a number is too large.
    fn task(&mut self, measure: &Measure, heads: &[LocationId], kept: &[Region]) -> Option<Task> {
        let &Measure { bound, sums, fall, .. } = measure;
        let minus = Rational::ONE.negated();
        let space = &mut self.arena.space;
        let bounded = Inequality::at_most_zero(Sum::variable(bound).negated());
        let is_bounded = space.polyhedron(std::slice::from_ref(&bounded))?;
        let (mut near, mut nearer) = (vec![bounded], Vec::new());
        for sum in sums {
            let within = sum.plus(minus, &Sum::variable(bound))?;
            nearer.push(Inequality::at_most_zero(within.plus(Rational::ONE, &Sum::constant(fall))?));
            near.push(Inequality::at_most_zero(within));
        }
        let at_least = Sum::constant(fall).plus(minus, &Sum::variable(bound))?;
        nearer.push(Inequality::at_most_zero(at_least));
        let (near, nearer) = (space.polyhedron(&near)?, space.polyhedron(&nearer)?);
        let mut task = Task { is_bounded, near: Vec::new(), nearer: Vec::new() };
        for (&head, region) in heads.iter().zip(kept) {
            let space = &mut self.arena.space;
            task.near.push((head, space.intersection(region, &vec![near.clone()])));
            task.nearer.push((head, space.intersection(region, &vec![nearer.clone()])));
        }
        Some(task)
    }

    /// The stages after which all near states are won; otherwise, if `asks_lost`, the near states of each head that are
    /// not won.
    fn around(
        &mut self,
        parameters: &mut Vec<Family>,
        current: &Family,
        (measure, task): (&Measure, &Task),
        asks_lost: bool,
    ) -> Result<Result<Vec<Stage>, Vec<Region>>, Limit> {
        let mut won = vec![Region::new(); current.len()];
        for (head, region) in &task.nearer {
            won[head.index()].clone_from(region);
        }
        let mut won = self.joined(current, &Rc::new(won));
        let (mut stages, mut tried) = (Vec::new(), FxHashSet::default());
        let most = (self.own.len() + 1).min(ROUNDS);
        let mut limit = most;
        // Nested loops measure distances from what was won first, or by the last nested loop; their invariants are guessed
        // from what the last two rounds won.
        let mut targets = vec![Region::new(); current.len()];
        let mut latest = vec![(Region::new(), Region::new()); current.len()];
        let mut renewed = 0;
        loop {
            parameters.push(won.clone());
            self.depth += 1;
            let result = self.level(parameters);
            self.depth -= 1;
            parameters.pop();
            let (value, record) = result?;
            stages.push(Stage::Plain(record));
            let mut more = self.joined(&won, &value);
            if self.is_near_won(task, &more) {
                return Ok(Ok(stages));
            }
            let mut is_last = stages.len() >= limit || self.is_within(&more, &won);
            let nesting = self.nested_in.map_or(0, |(_, nesting)| nesting);
            if nesting < self.effort.nested && !measure.is_lean {
                let fresh = self.without(&more, &won);
                let grown = self.grown(&value, &won);
                for location in self.own.iter().map(|location| location.index()) {
                    // What the steps after a nested loop add is a target, too: the next phase begins there.
                    if targets[location].is_empty() || renewed > 0 && self.carries {
                        targets[location].splice(0..0, grown[location].iter().cloned());
                    }
                    latest[location].0 = std::mem::replace(&mut latest[location].1, fresh[location].clone());
                }
                renewed = usize::saturating_sub(renewed, 1);
                let own = (&mut tried, measure.bound);
                if is_last
                    && let Some((stage, value)) =
                        self.nested(parameters, &more, &targets, &fresh, &latest, own)?
                {
                    stages.push(stage);
                    more = self.joined(&more, &value);
                    if self.is_near_won(task, &more) {
                        return Ok(Ok(stages));
                    }
                    limit = stages.len() + most;
                    targets.clone_from(value.as_ref());
                    (is_last, renewed) = (false, RENEWED);
                }
            }
            if is_last {
                let mut lost = Vec::new();
                for (head, near) in task.near.iter().filter(|_| asks_lost) {
                    lost.push(self.arena.space.difference(near, &more[head.index()]));
                }
                return Ok(Err(lost));
            }
            won = more;
        }
    }

    /// A loop of the same level inside of the loop whose distance `bound` bounds, with the states that it adds to a round of
    /// that loop. `tried` are the candidates that were tried in this round.
    fn nested(
        &mut self,
        parameters: &mut Vec<Family>,
        won: &Family,
        targets: &[Region],
        fresh: &Family,
        latest: &[(Region, Region)],
        (tried, bound): (&mut FxHashSet<Tried>, u32),
    ) -> Result<Option<(Stage, Family)>, Limit> {
        std::mem::swap(&mut self.tried, tried);
        let around = self.nested_in;
        self.nested_in = Some((bound, around.map_or(1, |(_, nesting)| nesting + 1)));
        self.depth += 1;
        let found = self.accelerated(parameters, won, targets, fresh, latest);
        self.depth -= 1;
        self.nested_in = around;
        std::mem::swap(&mut self.tried, tried);
        found
    }

    /// The polyhedra of a family that are not within another one.
    fn grown(&mut self, value: &Family, won: &Family) -> Family {
        let mut result = vec![Region::new(); value.len()];
        for at in 0..self.own.len() {
            let location = self.own[at].index();
            for polyhedron in &value[location] {
                if !self.arena.space.is_covered(polyhedron, &won[location]) {
                    result[location].push(polyhedron.clone());
                }
            }
        }
        Rc::new(result)
    }

    /// Whether all near states are won, so that a round is complete.
    fn is_near_won(&mut self, task: &Task, won: &Family) -> bool {
        task.near.iter().all(|(head, near)| self.arena.space.is_within(near, &won[head.index()]))
    }
}

/// A distance, the maximum of the sums and 0; the variable that bounds it; and by how much each round has to decrease it.
struct Measure<'s> {
    bound: u32,
    sums: &'s [Sum],
    fall: Rational,
    is_lean: bool,
}

/// The regions of a round: from the near states, whose distance is at most the bound, the player has to force the nearer
/// ones, whose distance is at most the bound minus the decrease, or what is won already.
struct Task {
    /// The constraint that the bound is at least 0.
    is_bounded: Polyhedron,
    near: Vec<(LocationId, Region)>,
    nearer: Vec<(LocationId, Region)>,
}

/// The sums of all nonempty sets of parts that are not constants.
fn subset_sums(parts: &[Sum]) -> Option<Vec<Sum>> {
    let mut sums = vec![Sum::constant(Rational::ZERO)];
    for part in parts {
        for at in 0..sums.len() {
            sums.push(sums[at].plus(Rational::ONE, part)?);
        }
    }
    sums.retain(|sum| sum.value().is_none());
    sums.sort();
    sums.dedup();
    Some(sums)
}

/// The heads whose regions are not empty; empty regions are dropped.
fn without_empty(heads: &[LocationId], kept: &mut Vec<Region>) -> Vec<LocationId> {
    let left = heads.iter().zip(kept.iter()).filter(|(_, region)| !region.is_empty());
    let left = left.map(|(&head, _)| head).collect();
    kept.retain(|region| !region.is_empty());
    left
}
