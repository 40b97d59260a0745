//! Plays against a strategy of the environment, in numbers.

use crate::arena::Side;
use crate::kept::{Kept, KeptStep, Rest};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;
use tsl_synth_core::base::{IdVec, Rational};
use tsl_synth_core::logic::{Inequality, Sum};
use tsl_synth_core::model::{
    EnvironmentNode, LocationId, MoveId, ProgramCertificate, ProgramFormula, ProgramGame, ProgramNodes,
    ProgramStartProof, ProgramStep,
};

/// A step of a play.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayStep {
    /// Where it begins.
    pub location: LocationId,
    /// The values of the cells.
    pub cells: Vec<Rational>,
    /// The inputs that the environment chooses.
    pub inputs: Vec<Rational>,
    /// The move that the system takes.
    pub chosen: MoveId,
}

/// A play: the steps from `repeats_from` on repeat for ever; otherwise it goes on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NumberPlay {
    /// The steps.
    pub steps: Vec<PlayStep>,
    /// The step that is next after the last one.
    pub repeats_from: Option<usize>,
    /// Where it ends, if the system has lost there.
    pub lost: Option<LostStep>,
}

/// Where a play ends that the system has lost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LostStep {
    /// Where it ends.
    pub location: LocationId,
    /// The values of the cells.
    pub cells: Vec<Rational>,
    /// The inputs of this step, if each answer of the system to them breaks the formula for ever; `None` if no continuation is
    /// won by the system, whatever the numbers are.
    pub inputs: Option<Vec<Rational>>,
}

/// A play of at most `steps` steps in which the environment keeps to its certificate and the system resists: it never
/// breaks the formula for ever while another answer does not, and where it loses within these steps whatever it does, it
/// takes the move after which it loses last, and the play ends there. Elsewhere it takes a move after which most locations
/// can be reached, and among these one to a new state. The play was computed in exact arithmetic, with the game and its
/// formula. `None` if the certificate is not one of the environment, or no such play was found.
pub fn losing_play(
    game: &ProgramGame,
    formula: Option<&ProgramFormula>,
    certificate: &ProgramCertificate,
    steps: usize,
) -> Option<NumberPlay> {
    let against = Against::new(game, certificate)?;
    let ProgramStartProof::One(values, start) = &certificate.covered else { return None };
    let start = certificate.start.get(*start)?;
    let remembered = evaluated(&start.remembered, values)?;
    let mut kept = formula.map(Kept::new);
    let rest = kept.as_ref().map(Kept::start).unwrap_or_default();
    let first = Position { node: start.node, cells: values.clone(), remembered, rest };
    let map = PositionMap::new(&against, kept.as_mut(), first, steps)?;
    let mut play = NumberPlay::default();
    let mut seen: FxHashMap<usize, usize> = FxHashMap::default();
    let mut at = 0;
    loop {
        let position = &map.positions[at];
        let (location, cells) = (against.location(position)?, position.cells.clone());
        if map.loses_after[at] == Some(0) {
            let inputs = if against.is_lost(position)? { None } else { Some(against.inputs(position)?) };
            play.lost = Some(LostStep { location, cells, inputs });
            break;
        }
        let left = steps - play.steps.len();
        if left == 0 {
            break;
        }
        if let Some(before) = seen.insert(at, play.steps.len()) {
            play.repeats_from = Some(before);
            break;
        }
        let (chosen, next) = map.resisting(&against, at, left, &seen)?;
        play.steps.push(PlayStep { location, cells, inputs: against.inputs(position)?, chosen });
        at = next;
    }
    Some(play)
}

/// A node of the certificate with the values of cells and remembered values.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Position {
    node: usize,
    cells: Vec<Rational>,
    remembered: Vec<Rational>,
    /// What remains of the formula.
    rest: Rest,
}

/// The game against the strategy of the environment.
struct Against<'g> {
    game: &'g ProgramGame,
    certificate: &'g ProgramCertificate,
    nodes: &'g [EnvironmentNode],
    moves: IdVec<LocationId, Vec<MoveId>>,
    /// How many locations can be reached from each, and whether the system wins none of the plays from it, whatever
    /// the numbers are.
    ahead: IdVec<LocationId, (usize, bool)>,
}

impl<'g> Against<'g> {
    fn new(game: &'g ProgramGame, certificate: &'g ProgramCertificate) -> Option<Self> {
        let ProgramNodes::Environment(nodes) = &certificate.nodes else { return None };
        let moves = game.moves_from();
        // A cycle whose least priority is even.
        let wins = |id: &MoveId| {
            let one = &game.moves[*id];
            let allowed = |other: MoveId| game.moves[other].priority >= one.priority;
            Side::System.likes(one.priority) && reached(game, &moves, one.to, &allowed).contains(&one.from)
        };
        let winning: FxHashSet<LocationId> =
            game.moves.ids().filter(wins).map(|id| game.moves[id].from).collect();
        let ahead = game.locations.ids().map(|location| {
            let reached = reached(game, &moves, location, &|_| true);
            (reached.len(), reached.is_disjoint(&winning))
        });
        let ahead = ahead.collect();
        Some(Self { game, certificate, nodes, moves, ahead })
    }
    fn location(&self, position: &Position) -> Option<LocationId> {
        Some(self.nodes.get(position.node)?.region.location)
    }
    fn is_lost(&self, position: &Position) -> Option<bool> {
        Some(self.ahead[self.location(position)?].1)
    }
    /// The values of all variables and of what is remembered, with the inputs that the environment chooses: cells, inputs,
    /// chosen numbers, remembered values.
    fn values(&self, position: &Position) -> Option<Vec<Rational>> {
        let game = self.game;
        let mut all = position.cells.clone();
        all.resize(game.variables.len(), Rational::ZERO);
        all.extend(&position.remembered);
        let inputs = evaluated(&self.nodes.get(position.node)?.inputs, &all)?;
        all.splice(game.cells..game.cells + game.inputs, inputs);
        Some(all)
    }
    fn inputs(&self, position: &Position) -> Option<Vec<Rational>> {
        let game = self.game;
        Some(self.values(position)?[game.cells..game.cells + game.inputs].to_vec())
    }
    /// The moves that the system can take, each with the position that follows, without those that break the formula for
    /// ever. `None` if the environment breaks an assumption.
    fn answers(&self, position: &Position, mut kept: Option<&mut Kept<'_>>) -> Option<Answers> {
        let game = self.game;
        let own = self.nodes.get(position.node)?;
        let numbers = game.variables.len() - game.cells - game.inputs;
        let mut all = self.values(position)?;
        let (mut answers, mut is_broken, mut is_open) = (Vec::new(), false, false);
        for (at, &id) in self.moves[own.region.location].iter().enumerate() {
            let chosen = own.enabled.iter().filter(|(one, _)| *one == id).map(|(_, chosen)| chosen.clone());
            for chosen in chosen.chain([vec![Sum::default(); numbers]]) {
                let chosen = evaluated(&chosen, &all)?;
                all.splice(game.cells + game.inputs..game.variables.len(), chosen);
                let one = &game.moves[id];
                if !holds(&one.guard, &all) {
                    continue;
                }
                let updated = evaluated(&one.updates, &all)?;
                let steps = own.answers.get(at)?;
                let mut rest = Rest::new();
                if let Some(kept) = kept.as_deref_mut() {
                    let present = &all[..game.cells + game.inputs];
                    let step = KeptStep { present, next: &updated, actions: one.actions };
                    rest = kept.after(&position.rest, step)?;
                    if kept.is_lost(&rest) {
                        is_broken = true;
                        break;
                    }
                    if kept.is_won(&rest) {
                        return None;
                    }
                }
                is_open = true;
                if let Some(next) = followed(game, self.certificate, &steps.0, &updated, &all) {
                    answers.push((id, Position { rest, ..next }));
                    break;
                }
            }
        }
        Some(Answers { answers, is_lost: is_broken && !is_open })
    }
}

/// The answers of the system in a position.
struct Answers {
    /// Those that do not break the formula for ever, each with the position that follows.
    answers: Vec<(MoveId, Position)>,
    /// Whether all break it.
    is_lost: bool,
}

/// The most positions that are looked at for a play.
const POSITIONS: usize = 2_000;

/// The positions that the system can reach in some steps.
struct PositionMap {
    positions: Vec<Position>,
    /// The answers in each position; `None` where they were not looked at.
    answers: Vec<Option<Vec<(MoveId, usize)>>>,
    /// After how many steps the system has lost at the latest; `None` if that is not known.
    loses_after: Vec<Option<usize>>,
}

impl PositionMap {
    fn new(
        against: &Against<'_>,
        mut kept: Option<&mut Kept<'_>>,
        first: Position,
        steps: usize,
    ) -> Option<Self> {
        let mut numbers: FxHashMap<Position, usize> = FxHashMap::default();
        let mut map = Self { positions: vec![first.clone()], answers: vec![None], loses_after: vec![None] };
        numbers.insert(first, 0);
        let mut depth = vec![0];
        let mut at = 0;
        while at < map.positions.len() {
            let position = map.positions[at].clone();
            if against.is_lost(&position)? {
                map.loses_after[at] = Some(0);
            } else if depth[at] < steps && map.positions.len() < POSITIONS {
                let mut answers = Vec::new();
                let found = against.answers(&position, kept.as_deref_mut())?;
                for (id, next) in found.answers {
                    let count = map.positions.len();
                    let number = *numbers.entry(next.clone()).or_insert(count);
                    if number == count {
                        map.positions.push(next);
                        map.answers.push(None);
                        map.loses_after.push(None);
                        depth.push(depth[at] + 1);
                    }
                    answers.push((id, number));
                }
                if found.is_lost {
                    map.loses_after[at] = Some(0);
                }
                map.answers[at] = Some(answers);
            }
            at += 1;
        }
        map.rank();
        Some(map)
    }

    /// Finds where the system loses whatever it answers, and how long that takes at most.
    fn rank(&mut self) {
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for at in (0..self.positions.len()).rev() {
                let Some(answers) = self.answers[at].as_ref().filter(|_| self.loses_after[at].is_none())
                else {
                    continue;
                };
                let last =
                    answers.iter().map(|(_, next)| self.loses_after[*next]).collect::<Option<Vec<_>>>();
                if let Some(steps) = last.as_ref().and_then(|steps| steps.iter().max()) {
                    self.loses_after[at] = Some(steps + 1);
                    changed = true;
                }
            }
        }
    }

    /// The answer that loses last among those that lose within `left` steps, if all lose; else one that keeps most
    /// locations within reach.
    fn resisting(
        &self,
        against: &Against<'_>,
        at: usize,
        left: usize,
        seen: &FxHashMap<usize, usize>,
    ) -> Option<(MoveId, usize)> {
        let answers = self.answers[at].as_ref()?;
        let order = |&(_, next): &(MoveId, usize)| {
            let location = against.nodes[self.positions[next].node].region.location;
            let lost = self.loses_after[next];
            let is_late = lost.is_some_and(|steps| steps < left);
            let late = if is_late { lost } else { None };
            (
                lost.is_some(),
                !is_late && lost.is_some(),
                Reverse(late),
                Reverse(against.ahead[location].0),
                seen.contains_key(&next),
            )
        };
        answers.iter().min_by_key(|answer| order(answer)).copied()
    }
}

/// The locations that can be reached from one by some moves.
fn reached(
    game: &ProgramGame,
    moves: &IdVec<LocationId, Vec<MoveId>>,
    from: LocationId,
    allowed: &dyn Fn(MoveId) -> bool,
) -> FxHashSet<LocationId> {
    let mut seen = FxHashSet::from_iter([from]);
    let mut todo = vec![from];
    while let Some(location) = todo.pop() {
        let next = moves[location].iter().filter(|&&id| allowed(id)).map(|&id| game.moves[id].to);
        todo.extend(next.filter(|&to| seen.insert(to)));
    }
    seen
}

/// The node after a move with the cells and the remembered values there.
fn followed(
    game: &ProgramGame,
    certificate: &ProgramCertificate,
    steps: &[ProgramStep],
    cells: &[Rational],
    all: &[Rational],
) -> Option<Position> {
    let ProgramNodes::Environment(nodes) = &certificate.nodes else { return None };
    for step in steps {
        let remembered = evaluated(&step.remembered, all)?;
        let mut after = cells.to_vec();
        after.resize(game.variables.len(), Rational::ZERO);
        after.extend(&remembered);
        if holds(&nodes.get(step.node)?.region.states, &after) {
            return Some(Position { node: step.node, cells: cells.to_vec(), remembered, rest: Rest::new() });
        }
    }
    None
}

fn evaluated(sums: &[Sum], values: &[Rational]) -> Option<Vec<Rational>> {
    let image = |variable: u32| values.get(variable as usize).map(|&value| Sum::constant(value));
    sums.iter().map(|sum| sum.substituted(image)?.value()).collect()
}

fn holds(parts: &[Inequality], values: &[Rational]) -> bool {
    let image = |variable: u32| values.get(variable as usize).map(|&value| Sum::constant(value));
    parts.iter().all(|part| part.substituted(image).and_then(|part| part.known()) == Some(true))
}
