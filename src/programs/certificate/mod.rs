//! Certificates from the records of fixpoints.
//!
//! Each node of a certificate is a polyhedron of winning states together with the stage of each least fixpoint in which
//! these states were added; the stages make up its rank. The options of a node lead to nodes of an allowed rank. Of the
//! options, enough to cover all inputs are kept; of the nodes, those that can be reached from the start.

mod nodes;

use crate::arena::{Arena, GameMove, Side, Sums, all_substituted, in_place, in_place_from};
use crate::fixpoint::{Level, goal_of};
use crate::proof::coverage;
use crate::record::{Acceleration, Place, Record, Stage};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use tsl_synth_arithmetic::{Literal, Polyhedron, Region};
use tsl_synth_core::base::{Id, Limit, Rational};
use tsl_synth_core::logic::{Inequality, Sum};
use tsl_synth_core::model::{
    EnvironmentNode, LocationId, ProgramCertificate, ProgramNodes, ProgramStart, ProgramStartProof,
    ProgramStep, SystemNode,
};

/// A polyhedron of states that are won in the same way.
#[derive(Clone, Debug)]
pub(crate) struct Piece {
    pub(crate) location: LocationId,
    pub(crate) states: Polyhedron,
    /// The number of the component of locations.
    component: usize,
    /// The stage in each least fixpoint of the component, outermost first; after a stage that is a loop, the stage in it.
    places: Vec<Place>,
    /// The inputs that the environment chooses.
    inputs: Rc<Sums>,
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
    /// The bad priorities of the game. After its first component, a rank has the following ones for each bad priority: the
    /// stage of the least fixpoint, and for each depth of nested loops the bound of a loop's distance and the stage in it.
    bad: Vec<u32>,
    /// The number of components of a rank for each bad priority.
    width: usize,
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
    /// A builder for records in which loops of one level are nested at most `nesting` deep.
    pub(crate) fn new(arena: &'r mut Arena<'a>, side: Side, nesting: usize) -> Self {
        let mut bad: Vec<u32> = arena.game.moves.iter().map(|one| one.priority).collect();
        bad.retain(|&priority| !side.likes(priority));
        bad.sort_unstable();
        bad.dedup();
        if bad.is_empty() {
            bad.push(u32::from(side == Side::System));
        }
        let least_falls = vec![Rational::ONE; bad.len()];
        let by_location = vec![Vec::new(); arena.game.locations.len()];
        let (pieces, maps) = (Vec::new(), FxHashMap::default());
        Self { arena, side, pieces, bad, width: 1 + 2 * nesting, by_location, least_falls, maps }
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
                let first = 1 + self.width * self.slot(levels[level].priorities[0]);
                self.collect_stages(solved, won, (level, first), stages, places)?;
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
                        goal_of(&solved.own, levels, parameters, won, priority, to)
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

    /// Adds the pieces of the stages of a least fixpoint or of a loop in one. In the rank of a piece, `component` holds the
    /// index of its stage.
    fn collect_stages(
        &mut self,
        solved: &SolvedComponent,
        won: &[Region],
        (level, component): (usize, usize),
        stages: &[Stage],
        places: &mut Vec<Place>,
    ) -> Result<(), Limit> {
        for (stage, one) in stages.iter().enumerate() {
            let mut place = Place { component, stage, acceleration: None };
            let result = match one {
                Stage::Plain(inner) => {
                    places.push(place);
                    self.collect(solved, won, level + 1, inner, places)
                }
                Stage::Loop(acceleration, inner) => {
                    let slot = (component - 1) / self.width;
                    self.least_falls[slot] = self.least_falls[slot].min(acceleration.fall);
                    place.acceleration = Some(acceleration.clone());
                    places.push(place);
                    self.collect_stages(solved, won, (level, component + 2), inner, places)
                }
            };
            places.pop();
            result?;
        }
        Ok(())
    }

    /// Parts of a polyhedron with inputs of the environment that are good for the whole part.
    fn with_inputs(
        &mut self,
        location: LocationId,
        states: Polyhedron,
        goal: &dyn Fn(u32, LocationId) -> Region,
    ) -> Result<Vec<(Polyhedron, Rc<Sums>)>, Limit> {
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
        let parts = self.arena.space.inequalities(polyhedron);
        let parts = all_substituted(&parts, in_place(sums));
        self.arena.space.polyhedron(&parts?)
    }

    fn slot(&self, priority: u32) -> usize {
        self.bad.iter().position(|&bad| bad == priority).unwrap_or(0)
    }

    /// Whether a component of the rank matters for a step of this priority.
    fn matters(&self, component: usize, priority: u32) -> bool {
        let level = self.bad[component.saturating_sub(1) / self.width];
        level < priority || level == priority && !self.side.likes(priority)
    }

    /// How a step of this priority can lead from a piece to another one with a rank that is allowed.
    fn ways(&self, from: &Piece, to: &Piece, priority: u32) -> Vec<Way> {
        let mut found = Vec::new();
        let start = Way { falls: None, set: Vec::new(), kept: Vec::new() };
        if from.component != to.component {
            if to.component < from.component {
                let falls = self.matters(0, priority).then_some(0);
                enter(to, 0, Way { falls, ..start }, &mut found);
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
                enter(to, at, way, found);
            }
            return;
        }
        match new.stage.cmp(&old.stage) {
            std::cmp::Ordering::Greater => {}
            std::cmp::Ordering::Less => {
                enter(to, at, Way { falls: Some(old.component), ..way }, found);
            }
            std::cmp::Ordering::Equal => {
                let Some(acceleration) = &new.acceleration else {
                    self.compare(from, to, at + 1, priority, way, found);
                    return;
                };
                let mut keep = way.clone();
                keep.kept.push(acceleration.bound);
                self.compare(from, to, at + 1, priority, keep, found);
                enter(to, at, Way { falls: Some(old.component + 1), ..way }, found);
            }
        }
    }

    /// The components of the rank of a piece.
    fn rank(&self, piece: &Piece) -> Vec<Sum> {
        let number = |value: usize| Sum::constant(Rational::integer(value as i128).unwrap_or(Rational::ZERO));
        let mut rank = vec![number(0); 1 + self.width * self.bad.len()];
        rank[0] = number(piece.component);
        for place in &piece.places {
            rank[place.component] = number(place.stage);
            if let Some(acceleration) = &place.acceleration {
                rank[place.component + 1] = Sum::variable(acceleration.bound);
            }
        }
        rank
    }

    fn first_bound(&self) -> usize {
        self.arena.game.variables.len()
    }

    /// How many values are remembered.
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
        let map = if let Some(&map) = self.maps.get(&key) {
            map
        } else {
            let mut next: Vec<Option<Sum>> = one.updates.iter().cloned().map(Some).collect();
            next.resize(self.first_bound(), None);
            next.extend(remembered.iter().cloned().map(Some));
            let map = self.arena.space.add_map(next);
            self.maps.insert(key, map);
            map
        };
        let mut atoms = one.guard.clone();
        for at in 0..self.pieces[to].states.len() {
            match self.arena.space.mapped(map, self.pieces[to].states[at])? {
                Literal::Known(true) => {}
                Literal::Known(false) => return None,
                Literal::Atom(atom) => atoms.push(atom),
            }
        }
        // Only for a bound that is set anew and decreases does the change of the rank depend on the state.
        if let Some(component) = way.falls.filter(|&component| self.is_bound(component)) {
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
        let image = in_place_from(self.first_bound(), remembered);
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
            needed.push(part.substituted(image)?);
        }
        needed.extend(self.rank_changes(from, *node, one, &planned.way, remembered)?);
        Some(needed)
    }

    /// Whether a component of the rank is the bound of a loop's distance.
    fn is_bound(&self, component: usize) -> bool {
        component > 0 && (component - 1) % self.width % 2 == 1
    }

    fn fall(&self, component: usize) -> Rational {
        if self.is_bound(component) { self.least_falls[(component - 1) / self.width] } else { Rational::ONE }
    }

    /// Starts at nodes of the initial location: for the cells, and what is remembered.
    fn starts(&mut self) -> Vec<(ProgramStart, Vec<Inequality>, Polyhedron)> {
        let initial = self.arena.game.initial;
        let same: Vec<Sum> = (0..self.arena.game.cells as u32).map(Sum::variable).collect();
        let mut found = Vec::new();
        for node in self.by_location[initial.index()].clone() {
            let piece = self.pieces[node].clone();
            let mut ways = Vec::new();
            enter(&piece, 0, Way { falls: None, set: Vec::new(), kept: Vec::new() }, &mut ways);
            for way in ways {
                let Some(remembered) = self.remembered(&way, &same) else { continue };
                let parts = self.arena.space.inequalities(&piece.states);
                let needed = all_substituted(&parts, in_place_from(self.first_bound(), &remembered));
                let Some(needed) = needed else { continue };
                let Some(condition) = self.arena.space.polyhedron(&needed) else { continue };
                found.push((ProgramStart { node, remembered }, needed, condition));
            }
        }
        found
    }

    /// The components of all ranks.
    fn components(&self) -> Vec<(u32, Rational)> {
        let mut components = vec![(self.bad[0], Rational::ONE)];
        for (level, fall) in self.bad.iter().zip(&self.least_falls) {
            components.push((*level, Rational::ONE));
            for _ in 0..self.width / 2 {
                components.extend([(*level, *fall), (*level, Rational::ONE)]);
            }
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
        for one in &mut start {
            one.node = numbers[&one.node];
        }
        for option in system.iter_mut().flat_map(|node: &mut SystemNode| &mut node.options) {
            option.step.node = numbers[&option.step.node];
        }
        for (steps, _) in environment.iter_mut().flat_map(|node: &mut EnvironmentNode| &mut node.answers) {
            for step in steps {
                step.node = numbers[&step.node];
            }
        }
        // Operations that ended early found nothing.
        self.arena.tick()?;
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

/// The ways to set the bounds of all loops of a piece from the level `at` on.
fn enter(to: &Piece, at: usize, way: Way, found: &mut Vec<Way>) {
    let Some(place) = to.places.get(at) else {
        found.push(way);
        return;
    };
    let Some(acceleration) = &place.acceleration else {
        enter(to, at + 1, way, found);
        return;
    };
    if !is_head(acceleration, to.location) {
        return;
    }
    for sum in acceleration.sums.iter().cloned().chain([Sum::constant(Rational::ZERO)]) {
        let mut more = way.clone();
        more.set.push((acceleration.bound, sum));
        enter(to, at + 1, more, found);
    }
}
