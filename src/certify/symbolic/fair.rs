//! Fair plays of a circuit beside a tableau: Emerson and Lei, "Efficient model checking in fragments of the
//! propositional mu-calculus" (LICS 1986), with fairness on transitions; and one of those plays as a lasso.
//!
//! A place is a state of the circuit with the claims that are pending. A move reads a letter and makes claims. The
//! region is the greatest set of places from which, for every fairness condition, some moves within the set lead
//! to one that satisfies it. Predecessors are computed by composition. O(places²) steps in the worst case.

use super::claims::Claims;
use super::diagrams::{Bdd, Diagrams, Replacement};
use super::model::Model;
use super::structure::Cone;
use crate::base::{Limit, LimitKind};
use crate::logic::{Alphabet, Lasso, Letter, Player};
use rustc_hash::{FxHashMap, FxHashSet};

/// Longer plays are not written down.
const MAX_STEPS: usize = 1 << 14;

/// A game without opponent: the moves of a model beside a tableau.
pub(super) struct Moves<'m, 'a> {
    pub(super) model: &'m Model<'a>,
    /// The part of the model that the conjuncts are about.
    pub(super) cone: &'m Cone,
    /// A superset of the reachable states of the cone.
    pub(super) reached: &'m Bdd,
    pub(super) claims: &'m Claims,
    /// The pairs (claim, pending).
    pub(super) pool: &'m [(usize, usize)],
    /// Latches become their functions, pending claims the claims.
    pub(super) step: &'m Replacement,
    /// The letters that can be read.
    pub(super) readable: &'m Bdd,
}

/// The moves that lead to a fairness condition, nearest places first: places and the moves to make there.
type Layers = Vec<(Bdd, Bdd)>;

impl Moves<'_, '_> {
    fn d(&self) -> &Diagrams {
        &self.model.diagrams
    }

    /// A play that satisfies the conjuncts of the tableau, if there is one.
    pub(super) fn play(&self, alphabet: &Alphabet, owner: Player) -> Result<Option<Lasso>, Limit> {
        let d = self.d();
        let relation = d.and(&self.claims.relation, self.readable)?;
        let mut read: Vec<usize> = self.cone.inputs.iter().map(|&i| self.model.inputs[i]).collect();
        read.extend(self.pool[..self.claims.count].iter().map(|&(claim, _)| claim));
        let read = d.cube(read)?;
        let first = d.and(&self.claims.start, self.readable)?;
        let reset = self.model.reset(&self.cone.latches)?;
        let first = d.restrict(&first, &reset)?;
        let mut region = self.reached.clone();
        let conditions = match &self.claims.fairness[..] {
            [] => vec![d.top.clone()],
            some => some.to_vec(),
        };
        loop {
            let before = region.clone();
            for condition in &conditions {
                let inside = self.prune(&mut region, &relation, &read)?;
                if !self.starts(&first, &inside, &reset)? {
                    return Ok(None);
                }
                let layers = self.layers(&region, &inside, condition, (&relation, &read), false)?;
                region = layers.last().map_or(d.bottom.clone(), |(places, _)| places.clone());
            }
            if region == before {
                break;
            }
        }
        let inside = d.replace(&region, self.step)?;
        if !self.starts(&first, &inside, &reset)? {
            return Ok(None);
        }
        let plans: Result<Vec<Layers>, Limit> = conditions
            .iter()
            .map(|condition| self.layers(&region, &inside, condition, (&relation, &read), true))
            .collect();
        self.walk(&first, &inside, &relation, &plans?, alphabet, owner).map(Some)
    }

    /// Drops places without an infinite play in the region, one round of predecessors at a time: cheaper than to
    /// find out in the search for the condition. Returns the moves into what is left.
    fn prune(&self, region: &mut Bdd, relation: &Bdd, read: &Bdd) -> Result<Bdd, Limit> {
        let d = self.d();
        loop {
            let inside = d.replace(region, self.step)?;
            let left = d.and(region, &d.and_exists(relation, &inside, read)?)?;
            if left == *region {
                return Ok(inside);
            }
            *region = left;
        }
    }

    fn starts(&self, first: &Bdd, inside: &Bdd, reset: &Bdd) -> Result<bool, Limit> {
        let d = self.d();
        Ok(d.and(first, &d.restrict(inside, reset)?)? != d.bottom)
    }

    /// The places of the region from which moves inside of it lead to the condition; all layers, or the last.
    fn layers(
        &self,
        region: &Bdd,
        inside: &Bdd,
        condition: &Bdd,
        (relation, read): (&Bdd, &Bdd),
        all: bool,
    ) -> Result<Layers, Limit> {
        let d = self.d();
        let goal = d.and(inside, condition)?;
        let places = d.and(region, &d.and_exists(relation, &goal, read)?)?;
        let mut layers = vec![(places, goal)];
        loop {
            let (known, _) = layers.last().expect("there is a first layer");
            if known == region {
                return Ok(layers);
            }
            let closer = d.and(inside, &d.replace(known, self.step)?)?;
            let places = d.and(region, &d.and_exists(relation, &closer, read)?)?;
            let places = d.or(known, &places)?;
            if places == *known {
                return Ok(layers);
            }
            if !all {
                layers.clear();
            }
            layers.push((places, closer));
        }
    }

    /// Follows the plans, one condition after the other, until a place comes again at the start of a round.
    fn walk(
        &self,
        first: &Bdd,
        inside: &Bdd,
        relation: &Bdd,
        plans: &[Layers],
        alphabet: &Alphabet,
        owner: Player,
    ) -> Result<Lasso, Limit> {
        let d = self.d();
        let mut letters: Vec<Letter> = Vec::new();
        let mut place = Place { latches: self.model.circuit.reset(), pending: Vec::new() };
        let reset = self.model.reset(&self.cone.latches)?;
        let opening = d.and(first, &d.restrict(inside, &reset)?)?;
        self.advance(&opening, &mut place, &mut letters, alphabet, owner)?;
        let mut rounds: FxHashMap<Place, usize> = FxHashMap::default();
        loop {
            if let Some(&start) = rounds.get(&place) {
                let cycle = letters.split_off(start);
                return Ok(Lasso { prefix: letters, cycle });
            }
            rounds.insert(place.clone(), letters.len());
            for layers in plans {
                loop {
                    let here = self.literals(&place)?;
                    let mut found = None;
                    for (index, (places, moves)) in layers.iter().enumerate() {
                        if d.restrict(places, &here)? == d.top {
                            found = Some((index, moves));
                            break;
                        }
                    }
                    let Some((index, moves)) = found else {
                        return Err(Limit::new(LimitKind::Size, "certificate: a play left the region"));
                    };
                    let moves = d.and(&d.restrict(relation, &here)?, &d.restrict(moves, &here)?)?;
                    self.advance(&moves, &mut place, &mut letters, alphabet, owner)?;
                    if index == 0 {
                        break;
                    }
                }
            }
        }
    }

    fn literals(&self, place: &Place) -> Result<Bdd, Limit> {
        let latches = self.cone.latches.iter().map(|&i| (self.model.latches[i].now, place.latches[i]));
        let pending = self.pool.iter().zip(&place.pending).map(|(&(_, p), &value)| (p, value));
        self.d().literals(latches.chain(pending).collect())
    }

    /// Makes one of the moves.
    fn advance(
        &self,
        moves: &Bdd,
        place: &mut Place,
        letters: &mut Vec<Letter>,
        alphabet: &Alphabet,
        owner: Player,
    ) -> Result<(), Limit> {
        let too_long = || Limit::new(LimitKind::Size, format!("a play of more than {MAX_STEPS} steps"));
        let chosen = self.d().pick(moves).filter(|_| letters.len() < MAX_STEPS).ok_or_else(too_long)?;
        let chosen: FxHashSet<usize> =
            chosen.into_iter().filter(|&(_, value)| value).map(|(v, _)| v).collect();
        let value = |variable: usize| chosen.contains(&variable);
        let inputs: Vec<bool> = self.model.inputs.iter().map(|&v| value(v)).collect();
        let (letter, latches) = self.model.letter(alphabet, owner, &place.latches, &inputs);
        letters.push(letter);
        let pending = self.pool[..self.claims.count].iter().map(|&(claim, _)| value(claim)).collect();
        *place = Place { latches, pending };
        Ok(())
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Place {
    latches: Vec<bool>,
    pending: Vec<bool>,
}
