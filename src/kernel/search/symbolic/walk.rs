//! A play of a nonempty fair region, as a lasso: through the layers of one condition after the other until a state
//! repeats.

use crate::trusted::symbolic::diagrams::Bdd;
use crate::trusted::symbolic::fair::{FairRegion, Layers};
use crate::trusted::symbolic::moves::ModelMoves;
use crate::tuning::MAX_STEPS;
use rustc_hash::{FxHashMap, FxHashSet};
use tsl_synth_core::base::{Limit, LimitKind, Variable};
use tsl_synth_core::logic::{Alphabet, Lasso, Letter, Player};

/// Follows the layers to the region, if there are any; then the layers of one condition after the other, until a state
/// repeats at the start of a round.
pub(super) fn walk(
    moves: &ModelMoves<'_, '_>,
    region: &FairRegion,
    alphabet: &Alphabet,
    owner: Player,
) -> Result<Lasso, Limit> {
    let FairRegion { opening, way, relation, region, inside, settled, conditions } = region;
    let plans = conditions.iter().map(|condition| moves.layers(region, inside, condition, settled, true));
    let plans = plans.collect::<Result<Vec<Layers>, Limit>>()?;
    let state = CircuitState { latches: moves.model.circuit.reset(), pending: Vec::new() };
    let mut walk = PartialPlay { moves, letters: Vec::new(), state, alphabet, owner };
    walk.advance(opening)?;
    if !way.is_empty() {
        walk.follow(way, relation)?;
    }
    let mut rounds: FxHashMap<CircuitState, usize> = FxHashMap::default();
    loop {
        if let Some(&start) = rounds.get(&walk.state) {
            let cycle = walk.letters.split_off(start);
            return Ok(Lasso { prefix: walk.letters, cycle });
        }
        rounds.insert(walk.state.clone(), walk.letters.len());
        for layers in &plans {
            walk.follow(layers, settled)?;
        }
    }
}

/// A play under construction.
struct PartialPlay<'w, 'm, 'a> {
    moves: &'w ModelMoves<'m, 'a>,
    letters: Vec<Letter>,
    state: CircuitState,
    alphabet: &'w Alphabet,
    owner: Player,
}

/// A state of the product of the circuit with the tableau.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct CircuitState {
    latches: Vec<bool>,
    pending: Vec<bool>,
}

impl PartialPlay<'_, '_, '_> {
    /// Moves through the layers, including a move of the first layer, which meets the condition.
    fn follow(&mut self, layers: &Layers, relation: &Bdd) -> Result<(), Limit> {
        let d = self.moves.d();
        loop {
            let here = self.literals()?;
            let mut found = None;
            for (index, (states, moves)) in layers.iter().enumerate() {
                if d.restrict(states, &here)? == d.top {
                    found = Some((index, moves));
                    break;
                }
            }
            let Some((index, moves)) = found else {
                return Err(Limit::new(LimitKind::Size, "certificate: a play left the region"));
            };
            let moves = d.and(&d.restrict(relation, &here)?, &d.restrict(moves, &here)?)?;
            let moves = self.moves.steps.answered(d, moves, &here)?;
            self.advance(&moves)?;
            if index == 0 {
                return Ok(());
            }
        }
    }

    /// The state as a conjunction of literals.
    fn literals(&self) -> Result<Bdd, Limit> {
        let ModelMoves { model, cone, pairs, .. } = self.moves;
        let latches = cone.latches.iter().map(|&i| (model.latches[i].now, self.state.latches[i]));
        let pending = pairs.iter().zip(&self.state.pending).map(|(&(_, p), &value)| (p, value));
        self.moves.d().literals(latches.chain(pending).collect())
    }

    /// Makes one of the moves.
    fn advance(&mut self, moves: &Bdd) -> Result<(), Limit> {
        let ModelMoves { model, pairs, .. } = self.moves;
        let too_long = || Limit::new(LimitKind::Size, format!("a play of more than {MAX_STEPS} steps"));
        let chosen = self.moves.d().pick(moves).filter(|_| self.letters.len() < MAX_STEPS);
        let chosen = chosen.ok_or_else(too_long)?;
        let chosen: FxHashSet<Variable> =
            chosen.into_iter().filter(|&(_, value)| value).map(|(v, _)| v).collect();
        let value = |variable: Variable| chosen.contains(&variable);
        let inputs: Vec<bool> = model.inputs.iter().map(|&v| value(v)).collect();
        let (letter, latches) = model.letter(self.alphabet, self.owner, &self.state.latches, &inputs);
        self.letters.push(letter);
        self.state =
            CircuitState { latches, pending: pairs.iter().map(|&(claim, _)| value(claim)).collect() };
        Ok(())
    }
}
