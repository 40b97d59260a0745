//! Certificates from the records of fixpoints.
//!
//! A node stands for a polyhedron that a leaf of the record added, with its place in the least fixpoints. Options lead to
//! nodes whose rank is allowed; those that are needed to cover all inputs are kept, and only nodes that are reached.

use crate::arena::{Arena, GameMove, Side};
use crate::fixpoint::Level;
use crate::proof::coverage;
use crate::record::{Acceleration, Place, Record};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use tsl_synth_arithmetic::{Literal, Polyhedron, Region, refute};
use tsl_synth_core::base::{Id, Limit, Rational};
use tsl_synth_core::logic::{Inequality, LinearSystem, Sum};
use tsl_synth_core::model::{
    EnvironmentNode, LocationId, ProgramCertificate, ProgramNodes, ProgramRegion, ProgramStart,
    ProgramStartProof, ProgramStep, SystemNode, SystemOption, SystemProof,
};

/// The most options of a node that are looked at again to drop some.
const FEW: usize = 16;

/// A polyhedron of states that are won in the same way.
#[derive(Clone, Debug)]
pub(crate) struct Piece {
    pub(crate) location: LocationId,
    pub(crate) states: Polyhedron,
    /// The number of the component of locations.
    component: usize,
    /// For each least fixpoint of the component, outermost first.
    places: Vec<Place>,
    /// The inputs that the environment chooses.
    inputs: Rc<Vec<Option<Sum>>>,
}

/// How a step can lead from a piece to another one.
#[derive(Clone, Debug)]
pub(crate) struct Way {
    pub(crate) falls: Option<usize>,
    /// The bounds that are set, with the sums over the next cells; the others are kept or 0.
    set: Vec<(u32, Sum)>,
    kept: Vec<u32>,
}

/// A component of the locations with what is won there.
pub(crate) struct SolvedComponent {
    pub(crate) number: usize,
    pub(crate) own: Vec<LocationId>,
    pub(crate) levels: Vec<Level>,
    pub(crate) record: Record,
}

/// Builds a certificate.
pub(crate) struct Builder<'r, 'a> {
    pub(crate) arena: &'r mut Arena<'a>,
    pub(crate) side: Side,
    pub(crate) pieces: Vec<Piece>,
    /// The bad priorities of the game, for each three components of a rank.
    bad: Vec<u32>,
    by_location: Vec<Vec<usize>>,
    least_falls: Vec<Rational>,
    /// The maps of moves together with what is remembered.
    maps: FxHashMap<(usize, Vec<Sum>), usize>,
}

/// A step with what it needs.
pub(crate) struct Planned {
    pub(crate) step: ProgramStep,
    pub(crate) condition: Polyhedron,
    way: Way,
}

impl<'r, 'a> Builder<'r, 'a> {
    pub(crate) fn new(arena: &'r mut Arena<'a>, side: Side) -> Self {
        let mut bad: Vec<u32> = arena.game.moves.iter().map(|one| one.priority).collect();
        bad.retain(|&priority| !side.likes(priority));
        bad.sort_unstable();
        bad.dedup();
        if bad.is_empty() {
            bad.push(if side == Side::System { 1 } else { 0 });
        }
        let least_falls = vec![Rational::ONE; bad.len()];
        let by_location = vec![Vec::new(); arena.game.locations.len()];
        Self { arena, side, pieces: Vec::new(), bad, by_location, least_falls, maps: FxHashMap::default() }
    }

    /// Adds the pieces of a component's record; components come in the order in which they were solved.
    pub(crate) fn add(&mut self, solved: &SolvedComponent, won: &[Region]) -> Result<(), Limit> {
        self.collect(solved, won, 0, &solved.record, &mut Vec::new())
    }

    fn collect(
        &mut self,
        solved: &SolvedComponent,
        won: &[Region],
        level: usize,
        record: &Record,
        places: &mut Vec<Place>,
    ) -> Result<(), Limit> {
        let levels = &solved.levels;
        match record {
            Record::Greatest(inner) => self.collect(solved, won, level + 1, inner, places)?,
            Record::Least(stages) => {
                let slot = self.slot(levels[level].priorities[0]);
                for (stage, one) in stages.iter().enumerate() {
                    if let Some(acceleration) = &one.acceleration {
                        self.least_falls[slot] = self.least_falls[slot].min(acceleration.fall);
                    }
                    for (round, inner) in one.rounds.iter().enumerate() {
                        let acceleration = one.acceleration.clone();
                        places.push(Place { component: 1 + 3 * slot, stage, round, acceleration });
                        let result = self.collect(solved, won, level + 1, inner, places);
                        places.pop();
                        result?;
                    }
                }
            }
            Record::Leaf { parameters, value } => {
                for (at, region) in value.iter().enumerate() {
                    let mut left = region.clone();
                    for (level, parameter) in levels.iter().zip(parameters) {
                        if !level.good {
                            left = self.arena.space.difference(&left, &parameter[at]);
                        }
                    }
                    for place in places.iter() {
                        if let Some(acceleration) = &place.acceleration {
                            let bounded = vec![acceleration.is_bounded.clone()];
                            left = self.arena.space.intersection(&left, &bounded);
                        }
                    }
                    let location = LocationId::from_index(at);
                    let goal = |priority: u32, to: LocationId| {
                        if !solved.own.contains(&to) {
                            return won[to.index()].clone();
                        }
                        let level = levels.iter().position(|level| level.priorities.contains(&priority));
                        level.map_or(Region::new(), |level| parameters[level][to.index()].clone())
                    };
                    for states in left {
                        let parts = match self.side {
                            Side::System => vec![(states, Rc::default())],
                            Side::Environment => self.with_inputs(location, states, &goal)?,
                        };
                        for (states, inputs) in parts {
                            self.by_location[at].push(self.pieces.len());
                            let (component, places) = (solved.number, places.clone());
                            self.pieces.push(Piece { location, states, component, places, inputs });
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// Parts of a polyhedron with inputs of the environment that are good for the whole part.
    fn with_inputs(
        &mut self,
        location: LocationId,
        states: Polyhedron,
        goal: &dyn Fn(u32, LocationId) -> Region,
    ) -> Result<Vec<(Polyhedron, Rc<Vec<Option<Sum>>>)>, Limit> {
        let good = self.arena.winning_inputs(location, &vec![states.clone()], goal)?;
        let inputs = self.arena.inputs.clone();
        let (mut left, mut found): (Region, Vec<_>) = (vec![states], Vec::new());
        for polyhedron in good {
            for sums in self.arena.witnesses(&polyhedron, &inputs) {
                let Some(condition) = self.substituted(&polyhedron, &sums) else { continue };
                let condition = vec![condition];
                let own = self.arena.space.intersection(&left, &condition);
                if own.is_empty() {
                    continue;
                }
                left = self.arena.space.difference(&left, &condition);
                let sums = Rc::new(sums);
                found.extend(own.into_iter().map(|part| (part, sums.clone())));
            }
            if left.is_empty() {
                break;
            }
        }
        Ok(found)
    }

    /// A polyhedron with sums in place of some variables.
    fn substituted(&mut self, polyhedron: &[u32], sums: &[Option<Sum>]) -> Option<Polyhedron> {
        let image =
            |v: u32| Some(sums.get(v as usize).cloned().flatten().unwrap_or_else(|| Sum::variable(v)));
        let parts = self.arena.space.inequalities(polyhedron);
        let parts: Option<Vec<Inequality>> = parts
            .iter()
            .map(|part| Some(Inequality { sum: part.sum.substituted(image)?, strict: part.strict }))
            .collect();
        self.arena.space.polyhedron(&parts?)
    }

    fn slot(&self, priority: u32) -> usize {
        self.bad.iter().position(|&bad| bad == priority).unwrap_or(0)
    }

    /// Whether a component of the rank matters for a step of this priority.
    fn matters(&self, component: usize, priority: u32) -> bool {
        let level = self.bad[component.saturating_sub(1) / 3];
        level < priority || level == priority && !self.side.likes(priority)
    }

    /// How a step of this priority can lead from a piece to another one with a rank that is allowed.
    fn ways(&self, from: &Piece, to: &Piece, priority: u32) -> Vec<Way> {
        let mut found = Vec::new();
        let start = Way { falls: None, set: Vec::new(), kept: Vec::new() };
        if from.component != to.component {
            if to.component < from.component {
                let falls = self.matters(0, priority).then_some(0);
                self.enter(to, 0, Way { falls, ..start }, &mut found);
            }
            return found;
        }
        self.compare(from, to, 0, priority, start, &mut found);
        found
    }

    fn compare(&self, from: &Piece, to: &Piece, at: usize, priority: u32, way: Way, found: &mut Vec<Way>) {
        let (Some(old), Some(new)) = (from.places.get(at), to.places.get(at)) else {
            if self.side.likes(priority) {
                found.push(way);
            }
            return;
        };
        if !self.matters(old.component, priority) {
            if self.side.likes(priority) {
                self.enter(to, at, way, found);
            }
            return;
        }
        match new.stage.cmp(&old.stage) {
            std::cmp::Ordering::Greater => {}
            std::cmp::Ordering::Less => {
                self.enter(to, at, Way { falls: Some(old.component), ..way }, found);
            }
            std::cmp::Ordering::Equal => {
                let Some(acceleration) = &new.acceleration else {
                    self.compare(from, to, at + 1, priority, way, found);
                    return;
                };
                let mut keep = way.clone();
                keep.kept.push(acceleration.bound);
                match new.round.cmp(&old.round) {
                    std::cmp::Ordering::Less => {
                        self.enter(to, at + 1, Way { falls: Some(old.component + 2), ..keep }, found);
                    }
                    std::cmp::Ordering::Equal => self.compare(from, to, at + 1, priority, keep, found),
                    std::cmp::Ordering::Greater => {}
                }
                self.enter(to, at, Way { falls: Some(old.component + 1), ..way }, found);
            }
        }
    }

    /// The ways to set the bounds of all loops of a piece from the level `at` on.
    fn enter(&self, to: &Piece, at: usize, way: Way, found: &mut Vec<Way>) {
        let Some(place) = to.places.get(at) else {
            found.push(way);
            return;
        };
        let Some(acceleration) = &place.acceleration else {
            self.enter(to, at + 1, way, found);
            return;
        };
        if !is_head(acceleration, to.location) {
            return;
        }
        for sum in acceleration.sums.iter().cloned().chain([Sum::constant(Rational::ZERO)]) {
            let mut more = way.clone();
            more.set.push((acceleration.bound, sum));
            self.enter(to, at + 1, more, found);
        }
    }

    /// The components of the rank of a piece.
    fn rank(&self, piece: &Piece) -> Vec<Sum> {
        let number = |value: usize| Sum::constant(Rational::integer(value as i128).unwrap_or(Rational::ZERO));
        let mut rank = vec![number(0); 1 + 3 * self.bad.len()];
        rank[0] = number(piece.component);
        for place in &piece.places {
            rank[place.component] = number(place.stage);
            if let Some(acceleration) = &place.acceleration {
                rank[place.component + 1] = Sum::variable(acceleration.bound);
                rank[place.component + 2] = number(place.round);
            }
        }
        rank
    }

    fn first_bound(&self) -> usize {
        self.arena.game.variables.len()
    }

    fn bounds(&self) -> usize {
        self.arena.space.variables() - self.first_bound()
    }

    /// The remembered values after a step, over all variables.
    fn remembered(&self, way: &Way, updates: &[Sum]) -> Option<Vec<Sum>> {
        let first = self.first_bound() as u32;
        let mut result = Vec::new();
        for bound in first..first + self.bounds() as u32 {
            let set = way.set.iter().find(|(variable, _)| *variable == bound);
            result.push(match set {
                Some((_, sum)) => sum.substituted(|cell| updates.get(cell as usize).cloned())?,
                None if way.kept.contains(&bound) => Sum::variable(bound),
                None => Sum::constant(Rational::ZERO),
            });
        }
        Some(result)
    }

    /// Where a step by a move leads to a piece, if that is possible together with some states.
    fn planned(
        &mut self,
        from: usize,
        to: usize,
        one: &GameMove,
        way: &Way,
        given: &[u32],
    ) -> Option<Planned> {
        let remembered = self.remembered(way, &one.updates)?;
        let key = (one.map, remembered.clone());
        let map = match self.maps.get(&key) {
            Some(&map) => map,
            None => {
                let mut next: Vec<Option<Sum>> = one.updates.iter().cloned().map(Some).collect();
                next.resize(self.first_bound(), None);
                next.extend(remembered.iter().cloned().map(Some));
                let map = self.arena.space.add_map(next);
                self.maps.insert(key, map);
                map
            }
        };
        let mut atoms = one.guard.clone();
        for at in 0..self.pieces[to].states.len() {
            match self.arena.space.mapped(map, self.pieces[to].states[at])? {
                Literal::Known(true) => {}
                Literal::Known(false) => return None,
                Literal::Atom(atom) => atoms.push(atom),
            }
        }
        // Of the rank, only a bound that is set anew and falls is not a matter of constants.
        if let Some(component) = way.falls.filter(|component| component % 3 == 2) {
            for part in self.rank_changes(from, to, one, way, &remembered)?.get(component..)? {
                match self.arena.space.literal(part)? {
                    Literal::Known(true) => {}
                    Literal::Known(false) => return None,
                    Literal::Atom(atom) => atoms.push(atom),
                }
            }
        }
        let condition = self.arena.space.meet(&atoms, &[])?;
        self.arena.space.meet(&condition, given)?;
        let step = ProgramStep { node: to, remembered, falls: way.falls };
        Some(Planned { step, condition, way: way.clone() })
    }

    /// For the components of the rank that matter up to the one that falls, what has to hold.
    fn rank_changes(
        &self,
        from: usize,
        to: usize,
        one: &GameMove,
        way: &Way,
        remembered: &[Sum],
    ) -> Option<Vec<Inequality>> {
        let (before, after) = (self.rank(&self.pieces[from]), self.rank(&self.pieces[to]));
        let first = self.first_bound();
        let image = |variable: u32| {
            let own = (variable as usize).checked_sub(first).and_then(|index| remembered.get(index));
            Some(own.cloned().unwrap_or_else(|| Sum::variable(variable)))
        };
        let prefix = (0..before.len()).take_while(|&c| self.matters(c, one.priority)).count();
        let end = way.falls.unwrap_or(prefix);
        let mut needed = Vec::new();
        for component in 0..prefix.min(end + 1) {
            let after = after[component].substituted(image)?;
            let mut change = after.plus(Rational::ONE, &before[component].negated())?;
            if way.falls == Some(component) {
                change = change.plus(Rational::ONE, &Sum::constant(self.fall(component)))?;
            }
            needed.push(Inequality::at_most_zero(change));
        }
        Some(needed)
    }

    /// What a step needs, in the order of the checker.
    fn needed(&self, from: usize, one: &GameMove, planned: &Planned) -> Option<Vec<Inequality>> {
        let ProgramStep { node, remembered, .. } = &planned.step;
        let first = self.first_bound();
        let image = |variable: u32| {
            let index = variable as usize;
            let own = index.checked_sub(first).map_or(one.updates.get(index), |index| remembered.get(index));
            Some(own.cloned().unwrap_or_else(|| Sum::variable(variable)))
        };
        let mut needed = Vec::new();
        for &atom in &self.pieces[*node].states {
            let part = self.arena.space.inequality(atom);
            needed.push(Inequality { sum: part.sum.substituted(image)?, strict: part.strict });
        }
        needed.extend(self.rank_changes(from, *node, one, &planned.way, remembered)?);
        Some(needed)
    }

    fn fall(&self, component: usize) -> Rational {
        if component % 3 == 2 { self.least_falls[(component - 1) / 3] } else { Rational::ONE }
    }

    /// The possible steps of a move from a piece, those with a falling rank first; `visit` says whether more are needed.
    fn steps(
        &mut self,
        at: usize,
        one: &GameMove,
        falling: bool,
        visit: &mut dyn FnMut(&mut Self, Planned) -> Result<bool, Limit>,
    ) -> Result<bool, Limit> {
        let piece = self.pieces[at].clone();
        for to in self.by_location[one.to.index()].clone() {
            let target = self.pieces[to].clone();
            for way in self.ways(&piece, &target, one.priority) {
                if way.falls.is_some() != falling {
                    continue;
                }
                let Some(planned) = self.planned(at, to, one, &way, &piece.states) else { continue };
                if !visit(self, planned)? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// What is left of a region without a polyhedron; `None` if they have nothing in common.
    fn reduced(&mut self, left: &Region, condition: &Polyhedron) -> Option<Region> {
        let (mut rest, mut meets) = (Region::new(), false);
        for part in left {
            if self.arena.space.meet(part, condition).is_none() {
                rest.push(part.clone());
            } else {
                meets = true;
                rest.extend(self.arena.space.difference(&vec![part.clone()], &vec![condition.clone()]));
            }
        }
        meets.then_some(rest)
    }

    /// The node of the system for a piece, with steps to pieces by their numbers; `None` if it is not covered.
    fn system_node(&mut self, at: usize) -> Result<Option<SystemNode>, Limit> {
        let piece = self.pieces[at].clone();
        let moves = self.arena.moves[piece.location].clone();
        let mut options: Vec<(SystemOption, Planned, Rc<GameMove>)> = Vec::new();
        let mut left: Region = vec![piece.states.clone()];
        if let Some(enabled) = self.arena.enabled[piece.location].clone() {
            left = self.arena.space.intersection(&left, &enabled);
        }
        let first = self.arena.game.cells + self.arena.game.inputs;
        let numbers = self.arena.numbers.clone();
        'all: for falling in [true, false] {
            for one in &moves {
                let game_move = &self.arena.game.moves[one.id];
                let sums = game_move.updates.iter().chain(game_move.guard.iter().map(|part| &part.sum));
                let chooses = sums.clone().any(|sum| sum.terms().any(|(v, _)| v as usize >= first));
                let none = vec![Some(Sum::constant(Rational::ZERO)); numbers.len()];
                let go_on = self.steps(at, one, falling, &mut |this, planned| {
                    let mut ways: Vec<Vec<Option<Sum>>> = vec![[vec![None; first], none.clone()].concat()];
                    if chooses {
                        let needed = this.arena.space.meet(&planned.condition, &piece.states);
                        ways = needed.map_or(Vec::new(), |needed| this.arena.witnesses(&needed, &numbers));
                    }
                    for sums in ways {
                        let Some(made) = this.arena.with_sums(one.id, &sums) else { continue };
                        let way = planned.way.clone();
                        let Some(planned) = this.planned(at, planned.step.node, &made, &way, &piece.states)
                        else {
                            continue;
                        };
                        let Some(rest) = this.reduced(&left, &planned.condition) else { continue };
                        this.arena.tick()?;
                        left = rest;
                        let chosen = SystemOption {
                            chosen: one.id,
                            numbers: sums.into_iter().skip(first).map(Option::unwrap_or_default).collect(),
                            step: planned.step.clone(),
                        };
                        options.push((chosen, planned, made));
                    }
                    Ok(!left.is_empty())
                })?;
                if !go_on {
                    break 'all;
                }
            }
        }
        if !left.is_empty() {
            return Ok(None);
        }
        self.drop_options(&piece, &mut options);
        let given = self.arena.space.inequalities(&piece.states);
        let needed: Option<Vec<Vec<Inequality>>> = options
            .iter()
            .map(|(option, planned, made)| {
                let mut all = self.guard(option);
                all.extend(self.needed(at, made, planned)?);
                Some(all)
            })
            .collect();
        let Some(needed) = needed else { return Ok(None) };
        let always = match self.arena.enabled[piece.location] {
            None => coverage(&mut self.arena.space, &given, &needed),
            Some(_) => None,
        };
        let proof = match always {
            Some(proof) => SystemProof::Always(proof),
            None => {
                let mut proofs = Vec::new();
                for one in self.arena.game.moves.iter().filter(|one| one.from == piece.location) {
                    let mut given = given.clone();
                    given.extend(one.guard.iter().cloned());
                    let Some(proof) = coverage(&mut self.arena.space, &given, &needed) else {
                        return Ok(None);
                    };
                    proofs.push(proof);
                }
                SystemProof::WhereEnabled(proofs)
            }
        };
        let Some(region) = self.region(&piece) else { return Ok(None) };
        let options = options.into_iter().map(|(option, _, _)| option).collect();
        Ok(Some(SystemNode { region, options, proof }))
    }

    /// The node of the environment for a piece; `None` if it is not covered.
    fn environment_node(&mut self, at: usize) -> Result<Option<EnvironmentNode>, Limit> {
        let piece = self.pieces[at].clone();
        let given = self.arena.space.inequalities(&piece.states);
        let (cells, first) = (self.arena.game.cells, self.arena.game.cells + self.arena.game.inputs);
        let inputs: Vec<Sum> =
            (cells..first).map(|v| piece.inputs.get(v).cloned().flatten().unwrap_or_default()).collect();
        let sums: Vec<Option<Sum>> =
            (0..first).map(|v| v.checked_sub(cells).and_then(|index| inputs.get(index).cloned())).collect();
        let numbers = self.arena.numbers.clone();
        let (mut left, mut enabled, mut guards): (Region, _, _) =
            (vec![piece.states.clone()], Vec::new(), Vec::new());
        for one in self.arena.moves[piece.location].clone() {
            let Some(made) = self.arena.with_sums(one.id, &sums) else { continue };
            let Some(guard) = self.arena.space.meet(&made.guard, &piece.states) else { continue };
            for chosen in self.arena.witnesses(&guard, &numbers) {
                let Some(condition) = self.substituted(&made.guard, &chosen) else { continue };
                let Some(rest) = self.reduced(&left, &condition) else { continue };
                left = rest;
                let chosen: Vec<Sum> = chosen
                    .into_iter()
                    .skip(first)
                    .take(numbers.len())
                    .map(Option::unwrap_or_default)
                    .collect();
                let image = |v: u32| {
                    let index = v as usize;
                    let own = index.checked_sub(first).and_then(|index| chosen.get(index).cloned());
                    Some(
                        own.or_else(|| sums.get(index).cloned().flatten())
                            .unwrap_or_else(|| Sum::variable(v)),
                    )
                };
                let needed: Option<Vec<Inequality>> = self.arena.game.moves[one.id]
                    .guard
                    .iter()
                    .map(|part| Some(Inequality { sum: part.sum.substituted(image)?, strict: part.strict }))
                    .collect();
                let Some(needed) = needed else { return Ok(None) };
                guards.push(needed);
                enabled.push((one.id, chosen));
            }
            if left.is_empty() {
                break;
            }
        }
        if !left.is_empty() {
            return Ok(None);
        }
        let Some(allowed) = coverage(&mut self.arena.space, &given, &guards) else { return Ok(None) };
        let mut answers = Vec::new();
        let ids: Vec<_> = self
            .arena
            .game
            .moves
            .enumerate()
            .filter(|(_, one)| one.from == piece.location)
            .map(|(id, _)| id)
            .collect();
        for id in ids {
            let image =
                |v: u32| Some(sums.get(v as usize).cloned().flatten().unwrap_or_else(|| Sum::variable(v)));
            let mut given = given.clone();
            for part in &self.arena.game.moves[id].guard {
                let Some(sum) = part.sum.substituted(image) else { return Ok(None) };
                given.push(Inequality { sum, strict: part.strict });
            }
            let (mut steps, mut needed) = (Vec::new(), Vec::new());
            if let Some(made) = self.arena.with_sums(id, &sums)
                && let Some(states) = self.arena.space.meet(&made.guard, &piece.states)
            {
                let mut left: Region = vec![states];
                for falling in [true, false] {
                    if left.is_empty() {
                        break;
                    }
                    self.steps(at, &made, falling, &mut |this, planned| {
                        if let Some(rest) = this.reduced(&left, &planned.condition) {
                            this.arena.tick()?;
                            left = rest;
                            let Some(own) = this.needed(at, &made, &planned) else { return Ok(false) };
                            needed.push(own);
                            steps.push(planned.step);
                        }
                        Ok(!left.is_empty())
                    })?;
                }
                if !left.is_empty() {
                    return Ok(None);
                }
            }
            let Some(proof) = coverage(&mut self.arena.space, &given, &needed) else { return Ok(None) };
            answers.push((steps, proof));
        }
        let Some(region) = self.region(&piece) else { return Ok(None) };
        Ok(Some(EnvironmentNode { region, inputs, enabled, allowed, answers }))
    }

    /// The guard of an option with its numbers, as the checker computes it.
    fn guard(&self, option: &SystemOption) -> Vec<Inequality> {
        let first = self.arena.game.cells + self.arena.game.inputs;
        let image = |variable: u32| {
            let own = (variable as usize).checked_sub(first).and_then(|index| option.numbers.get(index));
            Some(own.cloned().unwrap_or_else(|| Sum::variable(variable)))
        };
        let parts = self.arena.game.moves[option.chosen].guard.iter();
        parts
            .filter_map(|part| Some(Inequality { sum: part.sum.substituted(image)?, strict: part.strict }))
            .collect()
    }

    /// Drops options without which the others are enough.
    fn drop_options(&mut self, piece: &Piece, options: &mut Vec<(SystemOption, Planned, Rc<GameMove>)>) {
        if options.len() > FEW {
            return;
        }
        let mut needed = vec![piece.states.clone()];
        if let Some(enabled) = self.arena.enabled[piece.location].clone() {
            needed = self.arena.space.intersection(&needed, &enabled);
        }
        let mut at = 0;
        while options.len() > 1 && at < options.len() {
            let others: Region = (0..options.len())
                .filter(|&other| other != at)
                .map(|other| options[other].1.condition.clone())
                .collect();
            if self.arena.space.is_within(&needed, &others) {
                options.remove(at);
            } else {
                at += 1;
            }
        }
    }

    /// The region of a piece with proofs that its rank is at least 0.
    fn region(&mut self, piece: &Piece) -> Option<ProgramRegion> {
        let states = self.arena.space.inequalities(&piece.states);
        let rank = self.rank(piece);
        let integer: Vec<bool> =
            (0..self.arena.space.variables() as u32).map(|v| self.arena.space.is_integer(v)).collect();
        let mut bounded = Vec::new();
        for component in &rank {
            bounded.push(match component.value() {
                Some(_) => None,
                None => {
                    let mut inequalities = states.clone();
                    inequalities.push(Inequality::below_zero(component.clone()));
                    let system =
                        LinearSystem { inequalities, different: Vec::new(), integer: integer.clone() };
                    Some(refute(&system)?)
                }
            });
        }
        Some(ProgramRegion { location: piece.location, states, rank, bounded })
    }

    /// Starts at nodes of the initial location: for the cells, and what is remembered.
    fn starts(&mut self) -> Vec<(ProgramStart, Vec<Inequality>, Polyhedron)> {
        let initial = self.arena.game.initial;
        let same: Vec<Sum> = (0..self.arena.game.cells as u32).map(Sum::variable).collect();
        let mut found = Vec::new();
        for node in self.by_location[initial.index()].clone() {
            let piece = self.pieces[node].clone();
            let mut ways = Vec::new();
            self.enter(&piece, 0, Way { falls: None, set: Vec::new(), kept: Vec::new() }, &mut ways);
            for way in ways {
                let Some(remembered) = self.remembered(&way, &same) else { continue };
                let first = self.first_bound();
                let image = |variable: u32| {
                    let own = (variable as usize).checked_sub(first).and_then(|index| remembered.get(index));
                    Some(own.cloned().unwrap_or_else(|| Sum::variable(variable)))
                };
                let parts = self.arena.space.inequalities(&piece.states);
                let needed: Option<Vec<Inequality>> = parts
                    .iter()
                    .map(|part| Some(Inequality { sum: part.sum.substituted(image)?, strict: part.strict }))
                    .collect();
                let Some(needed) = needed else { continue };
                let Some(condition) = self.arena.space.polyhedron(&needed) else { continue };
                found.push((ProgramStart { node, remembered: remembered.clone() }, needed, condition));
            }
        }
        found
    }

    /// The components of all ranks.
    fn components(&self) -> Vec<(u32, Rational)> {
        let mut components = vec![(self.bad[0], Rational::ONE)];
        for (level, fall) in self.bad.iter().zip(&self.least_falls) {
            components.extend([(*level, Rational::ONE), (*level, *fall), (*level, Rational::ONE)]);
        }
        components
    }

    /// The certificate of the player; `None` if some part of it was not found.
    pub(crate) fn finish(mut self) -> Result<Option<ProgramCertificate>, Limit> {
        let (mut start, covered) = match self.side {
            Side::System => match self.whole_start() {
                Some(found) => found,
                None => return Ok(None),
            },
            Side::Environment => match self.some_start() {
                Some(found) => found,
                None => return Ok(None),
            },
        };
        let mut numbers: FxHashMap<usize, usize> = FxHashMap::default();
        let mut todo: Vec<usize> = start.iter().map(|one| one.node).collect();
        let (mut system, mut environment) = (Vec::new(), Vec::new());
        while let Some(piece) = todo.pop() {
            if numbers.contains_key(&piece) {
                continue;
            }
            numbers.insert(piece, numbers.len());
            match self.side {
                Side::System => {
                    let Some(node) = self.system_node(piece)? else { return Ok(None) };
                    todo.extend(node.options.iter().map(|option| option.step.node));
                    system.push(node);
                }
                Side::Environment => {
                    let Some(node) = self.environment_node(piece)? else { return Ok(None) };
                    todo.extend(node.answers.iter().flat_map(|(steps, _)| steps).map(|step| step.node));
                    environment.push(node);
                }
            }
        }
        let first = self.first_bound() as u32;
        let remembered =
            (first..first + self.bounds() as u32).map(|v| self.arena.space.is_integer(v)).collect();
        start.iter_mut().for_each(|one| one.node = numbers[&one.node]);
        for option in system.iter_mut().flat_map(|node: &mut SystemNode| &mut node.options) {
            option.step.node = numbers[&option.step.node];
        }
        for (steps, _) in environment.iter_mut().flat_map(|node: &mut EnvironmentNode| &mut node.answers) {
            steps.iter_mut().for_each(|step| step.node = numbers[&step.node]);
        }
        let nodes = match self.side {
            Side::System => ProgramNodes::System(system),
            Side::Environment => ProgramNodes::Environment(environment),
        };
        Ok(Some(ProgramCertificate { components: self.components(), remembered, nodes, start, covered }))
    }

    /// Nodes that cover the whole start, with proofs.
    fn whole_start(&mut self) -> Option<(Vec<ProgramStart>, ProgramStartProof)> {
        let (mut start, mut options) = (Vec::new(), Vec::new());
        let mut left: Region = Vec::new();
        for part in self.arena.game.start.clone() {
            left.extend(self.arena.space.polyhedron(&part));
        }
        for (one, needed, condition) in self.starts() {
            let Some(rest) = self.reduced(&left, &condition) else { continue };
            left = rest;
            start.push(one);
            options.push(needed);
        }
        if !left.is_empty() {
            return None;
        }
        let mut proofs = Vec::new();
        for part in self.arena.game.start.clone() {
            proofs.push(coverage(&mut self.arena.space, &part, &options)?);
        }
        Some((start, ProgramStartProof::All(proofs)))
    }

    /// First values of the cells in some node.
    fn some_start(&mut self) -> Option<(Vec<ProgramStart>, ProgramStartProof)> {
        for (one, _, condition) in self.starts() {
            for part in self.arena.game.start.clone() {
                let part = self.arena.space.polyhedron(&part)?;
                let Some(both) = self.arena.space.meet(&part, &condition) else { continue };
                let Some(point) = self.arena.space.point(&both) else { continue };
                let values = (0..self.arena.game.cells as u32)
                    .map(|cell| point.get(&cell).copied().unwrap_or(Rational::ZERO))
                    .collect();
                return Some((vec![one], ProgramStartProof::One(values, 0)));
            }
        }
        None
    }
}

fn is_head(acceleration: &Rc<Acceleration>, location: LocationId) -> bool {
    acceleration.heads.iter().any(|(head, _)| *head == location)
}
