//! Nodes of certificates: options that cover all inputs, and answers to all moves, with their proofs.

use super::{Builder, Piece, Planned};
use crate::arena::{GameMove, all_substituted, in_place, in_place_from};
use crate::proof::coverage;
use std::rc::Rc;
use tsl_synth_arithmetic::{Polyhedron, Region, refute};
use tsl_synth_core::base::{Id, Limit, Rational};
use tsl_synth_core::logic::{Inequality, Sum};
use tsl_synth_core::model::{EnvironmentNode, ProgramRegion, SystemNode, SystemOption, SystemProof};
use tsl_synth_kernel::refutes;

/// The most options of a node that are looked at again to drop some.
const FEW: usize = 16;

impl Builder<'_, '_> {
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
    pub(super) fn reduced(&mut self, left: &Region, condition: &Polyhedron) -> Option<Region> {
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
    pub(super) fn system_node(&mut self, at: usize) -> Result<Option<SystemNode>, Limit> {
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
                let mut all = self.guard(option)?;
                all.extend(self.needed(at, made, planned)?);
                Some(all)
            })
            .collect();
        let Some(needed) = needed else { return Ok(None) };
        let always = match self.arena.enabled[piece.location] {
            None => coverage(&mut self.arena.space, &given, &needed),
            Some(_) => None,
        };
        let proof = if let Some(proof) = always {
            SystemProof::Always(proof)
        } else {
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
        };
        let Some(region) = self.region(&piece) else { return Ok(None) };
        let options = options.into_iter().map(|(option, _, _)| option).collect();
        Ok(Some(SystemNode { region, options, proof }))
    }

    /// The node of the environment for a piece; `None` if it is not covered.
    pub(super) fn environment_node(&mut self, at: usize) -> Result<Option<EnvironmentNode>, Limit> {
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
                let needed =
                    all_substituted(&self.arena.game.moves[one.id].guard, in_place_from(first, &chosen))
                        .and_then(|guard| all_substituted(&guard, in_place(&sums)));
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
            let mut given = given.clone();
            let Some(guard) = all_substituted(&self.arena.game.moves[id].guard, in_place(&sums)) else {
                return Ok(None);
            };
            given.extend(guard);
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
    fn guard(&self, option: &SystemOption) -> Option<Vec<Inequality>> {
        let first = self.arena.game.cells + self.arena.game.inputs;
        all_substituted(&self.arena.game.moves[option.chosen].guard, in_place_from(first, &option.numbers))
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
        let mut bounded = Vec::new();
        for component in &rank {
            bounded.push(if component.value().is_some() {
                None
            } else {
                let mut inequalities = states.clone();
                inequalities.push(Inequality::below_zero(component.clone()));
                let system = self.arena.space.system(inequalities);
                Some(refute(&system).filter(|proof| refutes(&system, proof))?)
            });
        }
        Some(ProgramRegion { location: piece.location, states, rank, bounded })
    }
}
