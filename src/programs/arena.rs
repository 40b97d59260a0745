//! A game as a player sees it: moves as maps between regions, and the states from which the player can force the next
//! step into given regions.

use std::rc::Rc;
use tsl_synth_arithmetic::{Polyhedron, Region, Space};
use tsl_synth_core::base::{Budget, Id, IdVec, Limit, LimitKind, Rational};
use tsl_synth_core::logic::{Inequality, Sum};
use tsl_synth_core::model::{LocationId, MoveId, ProgramGame, ProgramMove};

/// A region for each location.
pub(crate) type Family = Rc<Vec<Region>>;

/// The most ways to choose the numbers of a move.
const CHOICES: usize = 24;

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

/// A move with numbers in place of those that are chosen with it, or with these as variables.
#[derive(Clone, Debug)]
pub(crate) struct GameMove {
    pub(crate) id: MoveId,
    /// For a move with numbers in their place, these numbers.
    pub(crate) numbers: Vec<Sum>,
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
    /// The moves from each location, with numbers in place of those that are chosen.
    pub(crate) chosen: IdVec<LocationId, Vec<GameMove>>,
    /// The moves from each location, with chosen numbers as variables.
    pub(crate) free: IdVec<LocationId, Vec<GameMove>>,
    /// The inputs, and the chosen numbers.
    pub(crate) inputs: Vec<u32>,
    numbers: Vec<u32>,
    /// The variables that bound distances in loops.
    bounds: Vec<u32>,
    /// For each location, where some move is enabled, at most and at least; `None` if one always is.
    enabled: IdVec<LocationId, Option<[Region; 2]>>,
}

pub(crate) fn too_large() -> Limit {
    Limit::new(LimitKind::Size, "numbers beyond 2^62 in a game over a program")
}

pub(crate) fn everything() -> Region {
    vec![Polyhedron::new()]
}

impl<'a> Arena<'a> {
    pub(crate) fn new(game: &'a ProgramGame, budget: &'a Budget) -> Result<Self, Limit> {
        let variables = game.variables.len() as u32;
        let mut space = Space::new((0..variables).map(|v| game.is_integer(v)).collect());
        let locations = game.locations.len();
        let (mut chosen, mut free) =
            (IdVec::filled(Vec::new(), locations), IdVec::filled(Vec::new(), locations));
        for (id, one) in game.moves.enumerate() {
            let same = one.updates.clone();
            if let Some(guard) = space.polyhedron(&one.guard) {
                free[one.from].push(game_move(&mut space, id, one, Vec::new(), guard, same));
            }
            for numbers in choices(game, one) {
                let Some((guard, updates)) = with_numbers(game, one, &numbers) else { return Err(too_large()) };
                if let Some(guard) = space.polyhedron(&guard) {
                    chosen[one.from].push(game_move(&mut space, id, one, numbers, guard, updates));
                }
            }
        }
        let inputs = (game.cells..game.cells + game.inputs).map(|v| v as u32).collect();
        let numbers = (game.cells + game.inputs..game.variables.len()).map(|v| v as u32).collect();
        let enabled = IdVec::filled(None, locations);
        let mut arena = Self { game, space, budget, chosen, free, inputs, numbers, bounds: Vec::new(), enabled };
        for location in game.locations.ids() {
            let guards: Region = arena.chosen[location].iter().map(|one| one.guard.clone()).collect();
            if !arena.space.is_covered(&Polyhedron::new(), &guards) {
                let free: Region = arena.free[location].iter().map(|one| one.guard.clone()).collect();
                let numbers = arena.numbers.clone();
                let most = arena.projected(&free, &numbers);
                let mut least = Region::new();
                for guard in guards {
                    arena.space.insert(&mut least, guard);
                }
                arena.enabled[location] = Some([most, least]);
            }
        }
        Ok(arena)
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

    /// Counts work.
    pub(crate) fn tick(&mut self) -> Result<(), Limit> {
        let amount = 1 + std::mem::take(&mut self.space.questions);
        self.budget.tick(amount, || "a game over a program".into())
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
        for at in 0..self.chosen[location].len() {
            let one = self.chosen[location][at].clone();
            for polyhedron in goal(one.priority, one.to) {
                if let Some(part) = self.space.preimage(one.map, &one.guard, &polyhedron) {
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
        let mut rest = self.space.difference(outer, &sure);
        self.tick()?;
        if let Some([enabled, _]) = self.enabled[location].clone() {
            rest = self.space.intersection(&rest, &enabled);
        } else if with.is_empty() {
            return Ok(self.space.simplified(&sure));
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
        for at in 0..self.free[location].len() {
            let one = self.free[location][at].clone();
            let missed = self.space.difference(&everything(), &goal(one.priority, one.to));
            let mut parts = Region::new();
            for polyhedron in missed {
                parts.extend(self.space.preimage(one.map, &one.guard, &polyhedron));
            }
            for part in self.projected(&parts, &numbers) {
                self.space.insert(&mut bad, part);
            }
            self.tick()?;
        }
        let mut allowed = outer.clone();
        if let Some([_, enabled]) = self.enabled[location].clone() {
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
    numbers: Vec<Sum>,
    guard: Polyhedron,
    updates: Vec<Sum>,
) -> GameMove {
    let map = space.add_map(updates.iter().cloned().map(Some).collect());
    GameMove { id, numbers, to: one.to, priority: one.priority, guard, map, updates }
}

/// The guard and the updates of a move with numbers in place of those that are chosen.
fn with_numbers(game: &ProgramGame, one: &ProgramMove, numbers: &[Sum]) -> Option<(Vec<Inequality>, Vec<Sum>)> {
    let first = game.cells + game.inputs;
    let image = |variable: u32| {
        let own = (variable as usize).checked_sub(first).and_then(|index| numbers.get(index));
        Some(own.cloned().unwrap_or_else(|| Sum::variable(variable)))
    };
    let guard = one.guard.iter().map(|part| {
        Some(Inequality { sum: part.sum.substituted(image)?, strict: part.strict })
    });
    let updates = one.updates.iter().map(|sum| sum.substituted(image));
    Some((guard.collect::<Option<_>>()?, updates.collect::<Option<_>>()?))
}

/// Ways to choose the numbers of a move: for each number that the move uses, the bounds that its guard has for it, or the
/// old value of the cell that it is for, or 0.
fn choices(game: &ProgramGame, one: &ProgramMove) -> Vec<Vec<Sum>> {
    let first = (game.cells + game.inputs) as u32;
    let mut all: Vec<Vec<Sum>> = vec![Vec::new()];
    for number in first..game.variables.len() as u32 {
        let mut ways: Vec<Sum> = Vec::new();
        let mut add = |sum: Sum| {
            let is_closed = sum.terms().all(|(variable, factor)| {
                variable < first && (factor.is_integer() || !game.is_integer(number))
            });
            if is_closed && !ways.contains(&sum) {
                ways.push(sum);
            }
        };
        for part in &one.guard {
            let factor = part.sum.coefficient(number);
            if factor.is_zero() {
                continue;
            }
            // factor n + rest ≤ 0 has the bound -rest / factor, and one less or more where it is strict.
            let rest = part.sum.plus(factor.negated(), &Sum::variable(number));
            let bound = rest.zip(Rational::ONE.negated().over(factor)).and_then(|(rest, by)| rest.times(by));
            let Some(bound) = bound else { continue };
            let away = if factor.is_positive() { Rational::ONE.negated() } else { Rational::ONE };
            if let Some(beyond) = bound.plus(away, &Sum::constant(Rational::ONE)) {
                add(beyond);
            }
            if !part.strict {
                add(bound);
            }
        }
        for (cell, update) in (0..).zip(&one.updates) {
            if *update == Sum::variable(number) {
                add(Sum::variable(cell));
            }
        }
        if ways.is_empty() {
            ways.push(Sum::constant(Rational::ZERO));
        }
        let mut next = Vec::new();
        for numbers in &all {
            for way in &ways {
                let mut more = numbers.clone();
                more.push(way.clone());
                next.push(more);
            }
        }
        if next.len() > CHOICES {
            next.truncate(CHOICES);
        }
        all = next;
    }
    all
}
