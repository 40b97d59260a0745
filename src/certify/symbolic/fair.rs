//! Fair plays of a circuit beside a tableau: Emerson and Lei, "Efficient model checking in fragments of the
//! propositional mu-calculus" (LICS 1986), with fairness on transitions; and one of those plays as a lasso.
//!
//! A place is a state of the circuit with the claims that are pending. A move reads a letter and makes claims. The
//! region is the greatest set of places from which, for every fairness condition, some moves within the set lead
//! to one that satisfies it. Predecessors: `preimage`. O(places²) steps in the worst case.

use super::diagrams::Bdd;
use super::moves::{Moves, Parts};
use crate::base::{Limit, LimitKind};
use crate::certify::tuning::MAX_STEPS;
use crate::logic::{Alphabet, Lasso, Letter, Player};
use rustc_hash::{FxHashMap, FxHashSet};

/// The moves that lead to a fairness condition, nearest places first: places and the moves to make there.
type Layers = Vec<(Bdd, Bdd)>;

impl Moves<'_, '_> {
    /// Whether the search forward leaves a place; always without one.
    pub(super) fn may_be_fair(&self) -> Result<bool, Limit> {
        match self.successors {
            Some(steps) => {
                let (d, parts) = (self.d(), self.parts()?);
                let reset = self.model.reset(&self.cone.latches)?;
                let first = self.steps.answered(d, d.restrict(&parts.opening, &reset)?, &reset)?;
                Ok(first != d.bottom && self.hull(steps, &parts)?.1 != d.bottom)
            }
            None => Ok(true),
        }
    }

    /// A play that satisfies the conjuncts, if there is one.
    pub(super) fn play(&self, alphabet: &Alphabet, owner: Player) -> Result<Option<Lasso>, Limit> {
        let (d, shape) = (self.d(), self.shape);
        let parts = self.parts()?;
        let reset = self.model.reset(&self.cone.latches)?;
        let first = self.steps.answered(d, d.restrict(&parts.opening, &reset)?, &reset)?;
        if first == d.bottom {
            return Ok(None);
        }
        let mut later = shape.entry != d.top || shape.stable != d.top;
        let mut region = self.reached.clone();
        if let Some(steps) = self.successors {
            // The way to it is not in the region, but what follows the entry is.
            let (entered, left) = self.hull(steps, &parts)?;
            if left == d.bottom {
                return Ok(None);
            }
            region = if shape.entry == d.top { left } else { entered };
            later = true;
        }
        let Parts { relation, settled, conditions, .. } = parts;
        loop {
            let before = region.clone();
            for condition in &conditions {
                let inside = self.prune(&mut region, &settled)?;
                if inside == d.bottom || !later && !self.starts(&first, &inside, &reset)? {
                    return Ok(None);
                }
                let layers = self.layers(&region, &inside, condition, &settled, false)?;
                region = layers.last().map_or(d.bottom.clone(), |(places, _)| places.clone());
            }
            if region == before {
                break;
            }
        }
        let inside = self.steps.leading(d, &region)?;
        // The play may enter the region at once; else the way to it.
        let mut goal = d.and(&inside, &d.and(&shape.entry, &shape.stable)?)?;
        let mut way: Layers = Vec::new();
        if !self.starts(&first, &goal, &reset)? {
            if !later {
                return Ok(None);
            }
            way = self.layers(self.reached, &d.top, &goal, &relation, true)?;
            goal = way.last().map_or(Ok(d.bottom.clone()), |(places, _)| self.steps.leading(d, places))?;
            if !self.starts(&first, &goal, &reset)? {
                return Ok(None);
            }
        }
        let plans: Result<Vec<Layers>, Limit> = conditions
            .iter()
            .map(|condition| self.layers(&region, &inside, condition, &settled, true))
            .collect();
        let opening = d.and(&first, &d.restrict(&goal, &reset)?)?;
        self.walk(&opening, (&way, &relation), (&plans?, &settled), alphabet, owner).map(Some)
    }

    /// Drops places without an infinite play in the region, one round of predecessors at a time: cheaper than to
    /// find out in the search for the condition. Returns the moves into what is left.
    fn prune(&self, region: &mut Bdd, relation: &Bdd) -> Result<Bdd, Limit> {
        let d = self.d();
        loop {
            let inside = self.steps.leading(d, region)?;
            let left = d.and(region, &self.steps.of(d, &inside, relation)?)?;
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
        relation: &Bdd,
        all: bool,
    ) -> Result<Layers, Limit> {
        let d = self.d();
        let goal = d.and(inside, condition)?;
        let places = d.and(region, &self.steps.of(d, &goal, relation)?)?;
        let mut layers = vec![(places, goal)];
        loop {
            let (known, _) = layers.last().expect("there is a first layer");
            if known == region {
                return Ok(layers);
            }
            let closer = d.and(inside, &self.steps.leading(d, known)?)?;
            let places = d.and(region, &self.steps.of(d, &closer, relation)?)?;
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

    /// Goes the way, if there is one; then follows the plans, one condition after the other, until a place comes
    /// again at the start of a round.
    fn walk(
        &self,
        opening: &Bdd,
        (way, relation): (&Layers, &Bdd),
        (plans, settled): (&[Layers], &Bdd),
        alphabet: &Alphabet,
        owner: Player,
    ) -> Result<Lasso, Limit> {
        let mut walk = Walk {
            letters: Vec::new(),
            place: Place { latches: self.model.circuit.reset(), pending: Vec::new() },
            alphabet,
            owner,
        };
        self.advance(opening, &mut walk)?;
        if !way.is_empty() {
            self.follow(way, relation, &mut walk)?;
        }
        let mut rounds: FxHashMap<Place, usize> = FxHashMap::default();
        loop {
            if let Some(&start) = rounds.get(&walk.place) {
                let cycle = walk.letters.split_off(start);
                return Ok(Lasso { prefix: walk.letters, cycle });
            }
            rounds.insert(walk.place.clone(), walk.letters.len());
            for layers in plans {
                self.follow(layers, settled, &mut walk)?;
            }
        }
    }

    /// Moves through the layers, the move of the first included.
    fn follow(&self, layers: &Layers, relation: &Bdd, walk: &mut Walk<'_>) -> Result<(), Limit> {
        let d = self.d();
        loop {
            let here = self.literals(&walk.place)?;
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
            let moves = self.steps.answered(d, moves, &here)?;
            self.advance(&moves, walk)?;
            if index == 0 {
                return Ok(());
            }
        }
    }

    fn literals(&self, place: &Place) -> Result<Bdd, Limit> {
        let latches = self.cone.latches.iter().map(|&i| (self.model.latches[i].now, place.latches[i]));
        let pending = self.pairs.iter().zip(&place.pending).map(|(&(_, p), &value)| (p, value));
        self.d().literals(latches.chain(pending).collect())
    }

    /// Makes one of the moves.
    fn advance(&self, moves: &Bdd, walk: &mut Walk<'_>) -> Result<(), Limit> {
        let too_long = || Limit::new(LimitKind::Size, format!("a play of more than {MAX_STEPS} steps"));
        let chosen = self.d().pick(moves).filter(|_| walk.letters.len() < MAX_STEPS).ok_or_else(too_long)?;
        let chosen: FxHashSet<usize> =
            chosen.into_iter().filter(|&(_, value)| value).map(|(v, _)| v).collect();
        let value = |variable: usize| chosen.contains(&variable);
        let inputs: Vec<bool> = self.model.inputs.iter().map(|&v| value(v)).collect();
        let (letter, latches) = self.model.letter(walk.alphabet, walk.owner, &walk.place.latches, &inputs);
        walk.letters.push(letter);
        let pending = self.pairs.iter().map(|&(claim, _)| value(claim)).collect();
        walk.place = Place { latches, pending };
        Ok(())
    }
}

/// A play in the making.
struct Walk<'a> {
    letters: Vec<Letter>,
    place: Place,
    alphabet: &'a Alphabet,
    owner: Player,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Place {
    latches: Vec<bool>,
    pending: Vec<bool>,
}
