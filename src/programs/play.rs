//! Plays against a strategy of the environment, in numbers.

use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;
use tsl_synth_core::base::{IdVec, Rational};
use tsl_synth_core::logic::{Inequality, Sum};
use tsl_synth_core::model::{
    LocationId, MoveId, ProgramCertificate, ProgramGame, ProgramNodes, ProgramStartProof, ProgramStep,
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
}

/// A play of at most `steps` steps in which the environment keeps to its certificate, and the system takes the first
/// move that it can, among those after which most locations can be reached, and among these one to a new state. `None`
/// if the certificate is not one of the environment.
pub fn losing_play(game: &ProgramGame, certificate: &ProgramCertificate, steps: usize) -> Option<NumberPlay> {
    let ProgramNodes::Environment(nodes) = &certificate.nodes else { return None };
    let ProgramStartProof::One(values, start) = &certificate.covered else { return None };
    let start = certificate.start.get(*start)?;
    let mut cells = values.clone();
    let mut node = start.node;
    let mut remembered = evaluated(&start.remembered, &cells)?;
    let moves: IdVec<LocationId, Vec<MoveId>> = game.moves_from();
    let open: IdVec<LocationId, usize> =
        game.locations.ids().map(|location| reached(game, &moves, location)).collect();
    let mut visited: FxHashSet<(LocationId, Vec<Rational>)> = FxHashSet::default();
    let mut play = NumberPlay::default();
    let mut seen: FxHashMap<(usize, Vec<Rational>, Vec<Rational>), usize> = FxHashMap::default();
    while play.steps.len() < steps {
        let state = (node, cells.clone(), remembered.clone());
        if let Some(&before) = seen.get(&state) {
            play.repeats_from = Some(before);
            break;
        }
        seen.insert(state, play.steps.len());
        let own = nodes.get(node)?;
        let numbers = game.variables.len() - game.cells - game.inputs;
        // Variables in order: cells, inputs, chosen numbers, remembered values.
        let mut all = cells.clone();
        all.resize(game.variables.len(), Rational::ZERO);
        all.extend(&remembered);
        let inputs = evaluated(&own.inputs, &all)?;
        all.splice(game.cells..game.cells + game.inputs, inputs.iter().copied());
        let here = own.region.location;
        visited.insert((here, cells.clone()));
        let mut answers = Vec::new();
        for (at, &id) in moves[here].iter().enumerate() {
            let chosen = own.enabled.iter().filter(|(one, _)| *one == id).map(|(_, chosen)| chosen.clone());
            let ways = chosen.chain([vec![Sum::default(); numbers]]);
            for chosen in ways {
                let chosen = evaluated(&chosen, &all)?;
                all.splice(game.cells + game.inputs..game.variables.len(), chosen);
                let one = &game.moves[id];
                if !holds(&one.guard, &all) {
                    continue;
                }
                let updated = evaluated(&one.updates, &all)?;
                let steps = own.answers.get(at)?;
                if let Some(next) = followed(game, certificate, &steps.0, &updated, &all) {
                    let is_old = visited.contains(&(one.to, updated));
                    answers.push((Reverse(open[one.to]), is_old, id, next));
                    break;
                }
            }
        }
        let next = answers.into_iter().min_by_key(|(open, is_old, ..)| (*open, *is_old));
        let (_, _, chosen, next) = next?;
        play.steps.push(PlayStep { location: here, cells: cells.clone(), inputs, chosen });
        (node, cells, remembered) = next;
    }
    Some(play)
}

/// How many locations can be reached from one.
fn reached(game: &ProgramGame, moves: &IdVec<LocationId, Vec<MoveId>>, from: LocationId) -> usize {
    let mut seen = FxHashSet::from_iter([from]);
    let mut todo = vec![from];
    while let Some(location) = todo.pop() {
        let next = moves[location].iter().map(|&id| game.moves[id].to);
        todo.extend(next.filter(|&to| seen.insert(to)));
    }
    seen.len()
}

/// The node after a move with the cells and the remembered values there.
fn followed(
    game: &ProgramGame,
    certificate: &ProgramCertificate,
    steps: &[ProgramStep],
    cells: &[Rational],
    all: &[Rational],
) -> Option<(usize, Vec<Rational>, Vec<Rational>)> {
    let ProgramNodes::Environment(nodes) = &certificate.nodes else { return None };
    for step in steps {
        let remembered = evaluated(&step.remembered, all)?;
        let mut after = cells.to_vec();
        after.resize(game.variables.len(), Rational::ZERO);
        after.extend(&remembered);
        if holds(&nodes.get(step.node)?.region.states, &after) {
            return Some((step.node, cells.to_vec(), remembered));
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
