//! A game as a player sees it: moves as maps between regions, and the states from which the player can force the next
//! step into given regions.

use rustc_hash::FxHashMap;
use std::rc::Rc;
use tsl_synth_arithmetic::{Atom, Polyhedron, Region, Space};
use tsl_synth_core::base::{Budget, Id, IdVec, Limit, LimitKind, Rational};
use tsl_synth_core::logic::{Inequality, Sum};
use tsl_synth_core::model::{LocationId, MoveId, ProgramGame, ProgramMove, ProgramSort};

/// Sums in place of some variables.
pub(crate) type Sums = Vec<Option<Sum>>;

/// A region for each location.
pub(crate) type Family = Rc<Vec<Region>>;

/// How often inequalities of new states are taken over at a location.
const JOINS: usize = 3;
/// The most sums that are tried for a variable, and the most for all.
const WAYS: usize = 12;
const WITNESSES: usize = 40;

/// Whose strategy is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    System,
    Environment,
}

impl Side {
    /// Whether a priority is good for the player.
    pub(crate) fn likes(self, priority: u32) -> bool {
        priority.is_multiple_of(2) == (self == Self::System)
    }
}

/// A move; what is chosen with it are variables, or sums are in their place.
#[derive(Clone, Debug)]
pub(crate) struct GameMove {
    pub(crate) id: MoveId,
    pub(crate) to: LocationId,
    pub(crate) priority: u32,
    pub(crate) guard: Polyhedron,
    /// The map of the updates, a number of the space.
    pub(crate) map: usize,
    /// The sum that each cell gets.
    pub(crate) updates: Vec<Sum>,
}

/// A game with the space of its regions.
pub(crate) struct Arena<'a> {
    pub(crate) game: &'a ProgramGame,
    pub(crate) space: Space,
    pub(crate) budget: &'a Budget,
    /// The work that was counted, and that of the space when it was counted last.
    pub(crate) work: u64,
    counted: u64,
    /// The moves from each location, with chosen numbers as variables.
    pub(crate) moves: IdVec<LocationId, Vec<GameMove>>,
    /// The inputs, and the chosen numbers.
    pub(crate) inputs: Vec<u32>,
    pub(crate) numbers: Vec<u32>,
    /// Moves with sums in place of inputs or chosen numbers.
    made: FxHashMap<(MoveId, Sums), Option<Rc<GameMove>>>,
    /// The variables that bound distances in loops.
    bounds: Vec<u32>,
    /// The variable that counts the steps of an extrapolation.
    counter: Option<u32>,
    /// For each location, the states and inputs for which a move is enabled; `None` if one always is.
    pub(crate) enabled: IdVec<LocationId, Option<Region>>,
    /// For each location, a superset of the states that plays reach; moves do not lead out of it.
    pub(crate) reachable: Vec<Region>,
}

/// For each location what [`Arena`] has in `enabled` and `reachable`, as inequalities.
pub(crate) struct Facts {
    enabled: IdVec<LocationId, Option<Vec<Vec<Inequality>>>>,
    reachable: IdVec<LocationId, Vec<Vec<Inequality>>>,
}

/// A number is too large.
pub(crate) struct TooLarge;

/// For each variable the sum in its place, or the variable itself.
pub(crate) fn in_place(sums: &[Option<Sum>]) -> impl Fn(u32) -> Option<Sum> + Copy + '_ {
    |v| Some(sums.get(v as usize).cloned().flatten().unwrap_or_else(|| Sum::variable(v)))
}

/// For each variable from the number `first` on the next one of the sums; other variables stay.
pub(crate) fn in_place_from(first: usize, sums: &[Sum]) -> impl Fn(u32) -> Option<Sum> + Copy + '_ {
    move |v| {
        let own = (v as usize).checked_sub(first).and_then(|index| sums.get(index));
        Some(own.cloned().unwrap_or_else(|| Sum::variable(v)))
    }
}

/// Inequalities with sums in place of variables; `None` if a number is too large.
pub(crate) fn all_substituted(
    parts: &[Inequality],
    image: impl Fn(u32) -> Option<Sum> + Copy,
) -> Option<Vec<Inequality>> {
    parts.iter().map(|part| part.substituted(image)).collect()
}

pub(crate) fn everything() -> Region {
    vec![Polyhedron::new()]
}

impl<'a> Arena<'a> {
    pub(crate) fn new(
        game: &'a ProgramGame,
        budget: &'a Budget,
        facts: Option<&Facts>,
    ) -> Result<Self, Limit> {
        let variables = game.variables.len() as u32;
        let mut space = Space::new((0..variables).map(|v| game.is_integer(v)).collect());
        let locations = game.locations.len();
        let mut moves = IdVec::filled(Vec::new(), locations);
        for (id, one) in game.moves.enumerate() {
            if let Some(guard) = space.polyhedron(&one.guard) {
                moves[one.from].push(game_move(&mut space, id, one, guard, one.updates.clone()));
            }
        }
        let inputs = (game.cells..game.cells + game.inputs).map(|v| v as u32).collect();
        let numbers = (game.cells + game.inputs..game.variables.len()).map(|v| v as u32).collect();
        let enabled = IdVec::filled(None, locations);
        let (made, bounds) = (FxHashMap::default(), Vec::new());
        let mut arena = Self {
            game,
            space,
            budget,
            work: 0,
            counted: 0,
            moves,
            inputs,
            numbers,
            made,
            bounds,
            counter: None,
            enabled,
            reachable: vec![everything(); locations],
        };
        if let Some(facts) = facts {
            let Self { space, enabled, reachable, .. } = &mut arena;
            let mut region = |parts: &[Vec<Inequality>]| -> Region {
                parts.iter().filter_map(|part| space.polyhedron(part)).collect()
            };
            for location in game.locations.ids() {
                enabled[location] = facts.enabled[location].as_deref().map(&mut region);
                reachable[location.index()] = region(&facts.reachable[location]);
            }
            return Ok(arena);
        }
        for location in game.locations.ids() {
            let guards: Region = arena.moves[location].iter().map(|one| one.guard.clone()).collect();
            let numbers = arena.numbers.clone();
            let region = arena.projected(&guards, &numbers);
            if !arena.space.is_covered(&Polyhedron::new(), &region) {
                arena.enabled[location] = Some(region);
            }
        }
        arena.bound_reachable()?;
        Ok(arena)
    }

    /// The facts about the game that do not depend on the search, for other arenas of the same game.
    pub(crate) fn facts(&self) -> Facts {
        let parts = |region: &Region| region.iter().map(|part| self.space.inequalities(part)).collect();
        let mut facts = Facts { enabled: IdVec::new(), reachable: IdVec::new() };
        for location in self.game.locations.ids() {
            facts.enabled.push(self.enabled[location].as_ref().map(parts));
            facts.reachable.push(parts(&self.reachable[location.index()]));
        }
        facts
    }

    /// Computes supersets of the reachable states: from the start along all moves, with the inequalities that all images
    /// have in common.
    fn bound_reachable(&mut self) -> Result<(), Limit> {
        let mut found: Vec<Option<Polyhedron>> = vec![None; self.reachable.len()];
        let mut joins = vec![0; self.reachable.len()];
        let mut todo = Vec::new();
        for part in self.game.start.clone() {
            if let Some(part) = self.space.polyhedron(&part) {
                let initial = self.game.initial;
                self.join(&mut found[initial.index()], &mut joins[initial.index()], part);
                todo.push(initial);
            }
        }
        while let Some(from) = todo.pop() {
            for at in 0..self.moves[from].len() {
                self.tick()?;
                let one = self.moves[from][at].clone();
                if found[one.to.index()].as_ref().is_some_and(Vec::is_empty) {
                    continue;
                }
                let Some(states) = found[from.index()].clone() else { continue };
                let image = match self.image(&one, &states) {
                    Ok(Some(image)) => image,
                    Ok(None) => continue,
                    Err(TooLarge) => return Ok(()),
                };
                if self.join(&mut found[one.to.index()], &mut joins[one.to.index()], image) {
                    todo.push(one.to);
                }
            }
        }
        self.reachable = found.into_iter().map(|states| states.into_iter().collect()).collect();
        Ok(())
    }

    /// Extends what is known of a location by a polyhedron; whether that changed anything.
    fn join(&mut self, known: &mut Option<Polyhedron>, joins: &mut usize, more: Polyhedron) -> bool {
        let Some(old) = known.clone() else {
            *known = Some(more);
            return true;
        };
        let mut kept: Vec<Atom> =
            old.iter().copied().filter(|&atom| self.space.implies(&more, atom)).collect();
        if kept.len() == old.len() {
            return false;
        }
        // The other's inequalities are taken a few times only, so that this ends.
        *joins += 1;
        if *joins <= JOINS {
            kept.extend(more.iter().copied().filter(|&atom| self.space.implies(&old, atom)));
        }
        *known = Some(self.space.meet(&kept, &[]).unwrap_or_default());
        true
    }

    /// Polyhedra that contain all states in which plays enter a location: from a start or from locations outside of the
    /// component `own`; and from its other locations.
    pub(crate) fn entries(&mut self, location: LocationId, own: &[LocationId]) -> (Region, Region) {
        let (mut outer, mut inner) = (Region::new(), Region::new());
        if location == self.game.initial {
            for part in &self.game.start {
                outer.extend(self.space.polyhedron(part));
            }
        }
        for from in self.game.locations.ids().filter(|&from| from != location) {
            let entries = if own.contains(&from) { &mut inner } else { &mut outer };
            for at in 0..self.moves[from].len() {
                let one = self.moves[from][at].clone();
                if one.to != location {
                    continue;
                }
                for states in self.reachable[from.index()].clone() {
                    match self.image(&one, &states) {
                        Ok(Some(image)) => self.space.insert(entries, image),
                        Ok(None) => {}
                        // The image is unknown, but it is within the reachable states.
                        Err(TooLarge) => entries.extend(self.reachable[location.index()].iter().cloned()),
                    }
                }
            }
        }
        (outer, inner)
    }

    /// A superset of the states that a move leads to from a polyhedron; `None` if it is empty.
    pub(crate) fn image(&mut self, one: &GameMove, states: &[Atom]) -> Result<Option<Polyhedron>, TooLarge> {
        let (cells, all) = (self.game.cells as u32, self.game.variables.len() as u32);
        // What the states say of the bounds of distances is dropped.
        let speaks = |atom: &Atom| !self.space.mentions_any(*atom, |variable| variable >= all);
        let states: Vec<Atom> = states.iter().copied().filter(speaks).collect();
        let Some(before) = self.space.meet(&one.guard, &states) else { return Ok(None) };
        // In a separate space. If a move adds a constant to a cell, the variable of the cell stands for its next value;
        // for the next values of other cells there are further variables after all others.
        let minus = Rational::ONE.negated();
        let mut before_step: Sums = vec![None; all as usize];
        for (update, own) in one.updates.iter().zip(0..) {
            let change = update.plus(minus, &Sum::variable(own)).ok_or(TooLarge)?;
            if let Some(change) = change.value() {
                let old = Sum::variable(own).plus(minus, &Sum::constant(change)).ok_or(TooLarge)?;
                before_step[own as usize] = Some(old);
            }
        }
        let integer = (0..all).chain(0..cells).map(|v| self.game.is_integer(v));
        let mut space = Space::new(integer.collect());
        space.set_limit(self.budget.left(), self.budget.flags());
        let step = self.space.inequalities(&before);
        let mut step = all_substituted(&step, in_place(&before_step)).ok_or(TooLarge)?;
        let mut others: Vec<u32> = (cells..all).collect();
        for (update, own) in one.updates.iter().zip(0..) {
            if before_step[own as usize].is_none() {
                let update = update.substituted(in_place(&before_step)).ok_or(TooLarge)?;
                let change = update.plus(minus, &Sum::variable(all + own)).ok_or(TooLarge)?;
                step.push(Inequality::at_most_zero(change.negated()));
                step.push(Inequality::at_most_zero(change));
                others.push(own);
            }
        }
        let image = space.polyhedron(&step).and_then(|step| space.exists(&step, &others));
        let image = image.map(|image| space.irredundant(image));
        self.space.work += space.work;
        let Some(image) = image else { return Err(TooLarge) };
        let back = |variable: u32| Some(Sum::variable(variable.checked_sub(all).unwrap_or(variable)));
        let mut parts = Vec::new();
        for part in space.inequalities(&image) {
            let part = part.substituted(back).ok_or(TooLarge)?;
            // Of truth values only "at least 1" and "at most 0" mean anything.
            let terms: Vec<(u32, Rational)> = part.sum.terms().take(2).collect();
            if let [(variable, factor)] = terms[..]
                && self.game.variables[variable as usize].sort == ProgramSort::Boolean
                && part.sum.offset() != if factor.is_positive() { Rational::ZERO } else { Rational::ONE }
            {
                continue;
            }
            parts.push(part);
        }
        Ok(self.space.polyhedron(&parts))
    }

    /// A move with sums in place of some variables; `None` if it is never enabled or a number is too large.
    pub(crate) fn with_sums(&mut self, id: MoveId, sums: &[Option<Sum>]) -> Option<Rc<GameMove>> {
        let key = (id, sums.to_vec());
        if let Some(known) = self.made.get(&key) {
            return known.clone();
        }
        let one = &self.game.moves[id];
        let image = in_place(sums);
        let updates: Option<Vec<Sum>> = one.updates.iter().map(|sum| sum.substituted(image)).collect();
        let made = all_substituted(&one.guard, image).zip(updates).and_then(|(guard, updates)| {
            let guard = self.space.polyhedron(&guard)?;
            Some(Rc::new(game_move(&mut self.space, id, one, guard, updates)))
        });
        self.made.insert(key, made.clone());
        made
    }

    /// Sums for some variables, over the others, with which a polyhedron holds wherever it can, or in a part of it:
    /// bounds that it has for them (virtual substitution, Loos and Weispfenning 1993).
    pub(crate) fn witnesses(&mut self, polyhedron: &[Atom], variables: &[u32]) -> Vec<Vec<Option<Sum>>> {
        let Some((&variable, others)) = variables.split_last() else {
            return vec![vec![None; self.game.variables.len()]];
        };
        let mut ways: Vec<Sum> = Vec::new();
        let is_integer = self.space.is_integer(variable);
        let rows: Vec<Inequality> = self.space.inequalities(polyhedron);
        let mut add = |sum: Option<Sum>| {
            let Some(sum) = sum else { return };
            let stays = |(v, c): (u32, Rational)| c.is_integer() && self.space.is_integer(v);
            if (!is_integer || sum.offset().is_integer() && sum.terms().all(stays)) && !ways.contains(&sum) {
                ways.push(sum);
            }
        };
        let one = Sum::constant(Rational::ONE);
        let (mut strict, mut least, mut greatest) = (Vec::new(), Vec::new(), Vec::new());
        for row in &rows {
            let factor = row.sum.coefficient(variable);
            if factor.is_zero() {
                continue;
            }
            // factor v + rest ≤ 0 bounds v by -rest / factor.
            let rest = row.sum.plus(factor.negated(), &Sum::variable(variable));
            let bound = rest.zip(Rational::ONE.negated().over(factor)).and_then(|(rest, by)| rest.times(by));
            let Some(bound) = bound else { continue };
            let away = if factor.is_positive() { Rational::ONE.negated() } else { Rational::ONE };
            if row.strict {
                strict.push(bound.plus(away, &one));
            } else {
                add(Some(bound.clone()));
            }
            if factor.is_positive() { greatest.push(bound) } else { least.push(bound) }
        }
        if !is_integer {
            // Between two bounds.
            for low in &least {
                for high in &greatest {
                    add(low.plus(Rational::ONE, high).and_then(|sum| sum.times(Rational::new(1, 2)?)));
                }
            }
        }
        strict.into_iter().for_each(&mut add);
        if ways.is_empty() {
            ways.push(Sum::constant(Rational::ZERO));
        }
        let mut found = Vec::new();
        for way in ways.into_iter().take(WAYS) {
            let mut map = vec![None; self.space.variables()];
            map[variable as usize] = Some(way.clone());
            let parts = all_substituted(&rows, in_place(&map));
            let Some(rest) = parts.and_then(|parts| self.space.polyhedron(&parts)) else { continue };
            for mut sums in self.witnesses(&rest, others) {
                // The way may mention the others.
                let Some(own) = way.substituted(in_place(&sums)) else { continue };
                sums[variable as usize] = Some(own);
                found.push(sums);
                if found.len() >= WITNESSES {
                    return found;
                }
            }
        }
        found
    }

    /// The variable that bounds the distance in a loop at this depth.
    pub(crate) fn bound(&mut self, depth: usize, is_integer: bool) -> u32 {
        let at = 2 * depth + usize::from(is_integer);
        while self.bounds.len() <= at {
            let is_integer = self.bounds.len() % 2 == 1;
            let variable = self.space.add_variable(is_integer);
            self.bounds.push(variable);
        }
        self.bounds[at]
    }

    /// The variable that counts the steps of an extrapolation.
    pub(crate) fn counter(&mut self) -> u32 {
        *self.counter.get_or_insert_with(|| self.space.add_variable(false))
    }

    /// Counts work.
    pub(crate) fn tick(&mut self) -> Result<(), Limit> {
        let amount = 1 + self.space.work - self.counted;
        self.counted = self.space.work;
        self.work += amount;
        let what = || "a game over a program".to_string();
        self.budget.tick(amount, what)?;
        if self.space.is_exhausted() {
            return Err(Limit::new(LimitKind::Work, what()));
        }
        self.space.set_limit(self.budget.left(), self.budget.flags());
        Ok(())
    }

    /// The states of a location within `outer` from which the player can force the next step into the region of its
    /// priority and location.
    pub(crate) fn controllable(
        &mut self,
        side: Side,
        location: LocationId,
        outer: &Region,
        goal: &dyn Fn(u32, LocationId) -> Region,
    ) -> Result<Region, Limit> {
        self.tick()?;
        match side {
            Side::System => self.system(location, outer, goal),
            Side::Environment => self.environment(location, outer, goal),
        }
    }

    /// For each input for which a move is enabled, some move leads to a goal.
    fn system(
        &mut self,
        location: LocationId,
        outer: &Region,
        goal: &dyn Fn(u32, LocationId) -> Region,
    ) -> Result<Region, Limit> {
        let mut good = Region::new();
        let numbers = self.numbers.clone();
        for at in 0..self.moves[location].len() {
            let one = self.moves[location][at].clone();
            for polyhedron in goal(one.priority, one.to) {
                if let Some(part) = self.space.preimage(one.map, &one.guard, &polyhedron)
                    && let Some(part) = self.space.exists(&part, &numbers)
                {
                    self.space.insert(&mut good, part);
                }
            }
        }
        let inputs = self.inputs.clone();
        let reads = |space: &Space, polyhedron: &Polyhedron| {
            polyhedron.iter().any(|&atom| space.mentions_any(atom, |v| inputs.contains(&v)))
        };
        let (with, sure): (Region, Region) = good.into_iter().partition(|p| reads(&self.space, p));
        let sure = self.space.intersection(outer, &sure);
        if with.is_empty() && self.enabled[location].is_none() {
            return Ok(self.space.simplified(&sure));
        }
        let mut rest = self.space.difference(outer, &sure);
        self.tick()?;
        if let Some(enabled) = self.enabled[location].clone() {
            rest = self.space.intersection(&rest, &enabled);
        }
        let lost = self.space.difference(&rest, &with);
        self.tick()?;
        let bad = self.projected(&lost, &inputs);
        let result = self.space.difference(outer, &bad);
        self.tick()?;
        Ok(self.space.simplified(&result))
    }

    /// For some input for which a move is enabled, all enabled moves lead to goals.
    fn environment(
        &mut self,
        location: LocationId,
        outer: &Region,
        goal: &dyn Fn(u32, LocationId) -> Region,
    ) -> Result<Region, Limit> {
        let good = self.winning_inputs(location, outer, goal)?;
        let inputs = self.inputs.clone();
        let result = self.projected(&good, &inputs);
        Ok(self.space.simplified(&result))
    }

    /// The states within `outer` with inputs for which a move is enabled and all enabled moves lead to goals.
    pub(crate) fn winning_inputs(
        &mut self,
        location: LocationId,
        outer: &Region,
        goal: &dyn Fn(u32, LocationId) -> Region,
    ) -> Result<Region, Limit> {
        let mut bad = Region::new();
        let numbers = self.numbers.clone();
        let mut missed: FxHashMap<(u32, LocationId), Region> = FxHashMap::default();
        for at in 0..self.moves[location].len() {
            let one = self.moves[location][at].clone();
            let missed = missed.entry((one.priority, one.to)).or_insert_with(|| {
                let all = self.reachable[one.to.index()].clone();
                self.space.difference(&all, &goal(one.priority, one.to))
            });
            let mut parts = Region::new();
            for polyhedron in missed.iter() {
                parts.extend(self.space.preimage(one.map, &one.guard, polyhedron));
            }
            for part in self.projected(&parts, &numbers) {
                self.space.insert(&mut bad, part);
            }
            self.tick()?;
        }
        let mut allowed = outer.clone();
        if let Some(enabled) = self.enabled[location].clone() {
            allowed = self.space.intersection(&allowed, &enabled);
        }
        Ok(self.space.difference(&allowed, &bad))
    }

    /// The region without some variables.
    pub(crate) fn projected(&mut self, region: &Region, variables: &[u32]) -> Region {
        let mut result = Region::new();
        for polyhedron in region {
            if let Some(part) = self.space.exists(polyhedron, variables) {
                self.space.insert(&mut result, part);
            }
        }
        result
    }
}

fn game_move(
    space: &mut Space,
    id: MoveId,
    one: &ProgramMove,
    guard: Polyhedron,
    updates: Vec<Sum>,
) -> GameMove {
    let map = space.add_map(updates.iter().cloned().map(Some).collect());
    GameMove { id, to: one.to, priority: one.priority, guard, map, updates }
}
