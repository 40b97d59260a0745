//! The ways in which the kernel answers a question about the plays of a circuit.

use super::claims;
use super::diagrams::Bdd;
use super::fair::FairRegion;
use super::model::{CircuitModel, canonical_codes};
use super::moves::ModelMoves;
use super::past::PastModel;
use super::preimage::Preimage;
use super::question::PlayQuestion;
use super::structure::Cone;
use super::successors::Successors;
use super::{monitors, shape};
use crate::trusted::conditions::recurring;
use crate::trusted::normal::SignedFormula;
use crate::trusted::{Emptiness, NoPlay};
use crate::tuning::MAX_CLAIMS;
use tsl_synth_core::base::{IdVec, Limit, Variable};
use tsl_synth_core::logic::{BitId, Class, FormulaId, Formulas, Lasso, Node, Player};

/// Finds a play in a region that is not empty.
pub(crate) type PlayFinder<'w> = dyn Fn(&ModelMoves<'_, '_>, &FairRegion) -> Result<Lasso, Limit> + 'w;

/// A model with the variables of its tableaux.
pub(crate) struct ModelStore<'a> {
    pub(crate) model: CircuitModel<'a>,
    /// Pairs of variables, below all others, for claims beyond those that the model has reserved pairs for.
    below: Vec<(Variable, Variable)>,
    past: Option<PastModel>,
}

impl<'a> ModelStore<'a> {
    /// Of a model.
    pub(crate) fn new(model: CircuitModel<'a>) -> Self {
        Self { model, below: Vec::new(), past: None }
    }
}

/// How fair plays are searched for and predecessors computed. *Answers* are the outputs on which latches depend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FairSearch {
    /// Forward first ([`forward`]); then backward, with answers as variables.
    Forward,
    /// Backward, with answers as variables that a relation constrains ([`preimage`]).
    Relation,
    /// Backward, by composition with functions over latches and inputs only.
    Composition,
    /// Forward with the whole contract ([`past`]).
    Past,
}

/// Whether a conjunct is about the first few steps, each step and the next one, or what happens infinitely often or
/// ever: it may be added at once, as it needs no separate search.
fn is_simple(formulas: &Formulas, (f, value): SignedFormula) -> bool {
    let class = formulas.class(f);
    let is_boolean = |g: FormulaId| formulas.class(g).is(Class::BOOLEAN);
    let recurs = recurring(formulas, f).is_some_and(|(b, often)| often && is_boolean(b));
    class.is(Class::SAFETY) && class.is(Class::COSAFETY)
        || value && recurs
        || value && formulas.is_windowed(f) && formulas.next_depth(f) <= 1
        || monitors::is_monitored(formulas, f)
}

impl PlayQuestion<'_> {
    /// Answers the question in the given way; `walk` finds a play in a fair region.
    ///
    /// # Errors
    /// A limit; with [`FairSearch::Past`] also if there may be a play.
    pub(crate) fn answer(
        &self,
        store: &mut ModelStore<'_>,
        way: FairSearch,
        walk: &PlayFinder<'_>,
    ) -> Result<Emptiness, Limit> {
        if way == FairSearch::Past {
            self.no_plays(&mut store.past, &mut store.model)?;
            return Ok(Emptiness::NoPlay(NoPlay::shown([self.conjuncts, self.pool].concat())));
        }
        if !self.likely.is_empty() {
            let conjuncts = [self.conjuncts, self.likely].concat();
            return PlayQuestion { conjuncts: &conjuncts, likely: &[], ..*self }.answer(store, way, walk);
        }
        if way != FairSearch::Forward {
            return self.play(store, way, walk);
        }
        let more = self.near(&store.model);
        if !more.is_empty() && self.explore(store, way, &|moves| moves.may_be_fair())? != Some(true) {
            return Ok(self.nothing());
        }
        // Finding a play is more work than showing that there is none: it is to satisfy these conjuncts, too.
        let conjuncts = [self.conjuncts, &more].concat();
        PlayQuestion { conjuncts: &conjuncts, ..*self }.play(store, way, walk)
    }

    /// To be called only where it was checked that there is no play.
    fn nothing(&self) -> Emptiness {
        Emptiness::NoPlay(NoPlay::shown(self.conjuncts.to_vec()))
    }

    /// A play, or that there is none, by a search for fair states.
    fn play(
        &self,
        store: &mut ModelStore<'_>,
        way: FairSearch,
        walk: &PlayFinder<'_>,
    ) -> Result<Emptiness, Limit> {
        let play = self.explore(store, way, &|moves| match moves.fair_region()? {
            Some(region) => walk(moves, &region).map(Some),
            None => Ok(None),
        })?;
        Ok(play.flatten().map_or_else(|| self.nothing(), Emptiness::Play))
    }

    /// The simple conjuncts of the pool that depend on no latches but those that the question depends on anyway.
    fn near(&self, model: &CircuitModel<'_>) -> Vec<SignedFormula> {
        let latches = |literals: &[SignedFormula]| {
            let (given, read) = self.mentioned(literals);
            model.structure.cone(&given, &read, model.circuit.inputs).latches
        };
        let own = latches(self.conjuncts);
        let is_near = |literal: &SignedFormula| {
            !self.conjuncts.contains(literal)
                && is_simple(self.formulas, *literal)
                && latches(&[*literal]).iter().all(|latch| own.binary_search(latch).is_ok())
        };
        let mut near: Vec<SignedFormula> = Vec::new();
        let mut claims = claims::temporal(self.formulas, self.conjuncts).len();
        for literal in self.pool.iter().copied().filter(is_near) {
            if self.formulas.is_windowed(literal.0) {
                claims += claims::temporal(self.formulas, &[literal]).len();
            }
            if claims <= MAX_CLAIMS {
                near.push(literal);
            }
        }
        near
    }

    /// The result of a search among the moves that satisfy the conjuncts; `None` if there are certainly no plays.
    fn explore<T>(
        &self,
        store: &mut ModelStore<'_>,
        way: FairSearch,
        search: &dyn Fn(&ModelMoves<'_, '_>) -> Result<T, Limit>,
    ) -> Result<Option<T>, Limit> {
        let cone = self.cone(&mut store.model)?;
        let reached = store.model.reached(&cone)?;
        let context = (self.formulas, self.alphabet);
        let model = &store.model;
        let bits = model.bits(self.alphabet, self.owner, &cone, &[]);
        let readable = match self.owner {
            Player::System => model.diagrams.top.clone(),
            Player::Environment => canonical_codes(model, self.alphabet, &bits, &cone)?,
        };
        if self.is_invariant(model, &bits, &model.diagrams.and(&readable, &reached)?)? {
            return Ok(None);
        }
        let bits = model.bits(self.alphabet, self.owner, &cone, &cone.answers);
        let (mut shape, mut rest) = shape::shape(self, model, &bits)?;
        let mut monitored = Vec::new();
        if way == FairSearch::Forward && shape.entry == model.diagrams.top {
            (monitored, rest) =
                rest.into_iter().partition(|&(f, _)| monitors::is_monitored(self.formulas, f));
        }
        let mut temporal = claims::temporal(self.formulas, &rest);
        let claimed = temporal.len();
        temporal.extend(claims::temporal(self.formulas, &monitored));
        let pairs = self.pairs(store, &temporal)?;
        let model = &store.model;
        let d = &model.diagrams;
        let mut claims = claims::claims(model, context, &bits, &rest, &pairs[..claimed])?;
        let made = monitors::monitors(model, context, &bits, &monitored, &pairs[claimed..])?;
        claims.start = d.and(&claims.start, &made.first)?;
        claims.relation = d.and(&claims.relation, &made.relation)?;
        shape.stable = d.and(&shape.stable, &made.stable)?;
        let pending = pairs.iter().map(|&(claim, pending)| (pending, d.variable(claim).clone()));
        let read = pairs.iter().map(|&(claim, _)| claim).collect();
        let steps = &Preimage::new(model, &cone, pending, read)?;
        let successors = match way {
            FairSearch::Forward => Some(Successors::new(model, &cone, &pairs)?),
            FairSearch::Relation | FairSearch::Composition | FairSearch::Past => None,
        };
        let moves = ModelMoves {
            model,
            cone: &cone,
            reached: &reached,
            claims: &claims,
            shape: &shape,
            pairs: &pairs,
            claimed,
            steps,
            readable: &readable,
            successors: successors.as_ref(),
        };
        search(&moves).map(Some)
    }

    /// The variables of claims, each near the bits that it is about: claims and latches about the same bits depend on
    /// each other.
    fn pairs(
        &self,
        store: &mut ModelStore<'_>,
        claims: &[FormulaId],
    ) -> Result<Vec<(Variable, Variable)>, Limit> {
        if claims.is_empty() {
            return Ok(Vec::new());
        }
        let (mut free, mut below) = (store.model.room.clone(), 0);
        let depths = store.model.depths(self.alphabet, self.owner);
        let mut pairs = Vec::with_capacity(claims.len());
        for &claim in claims {
            let deepest = self.letters(&[claim]).into_iter().map(|bit| depths[bit]).max();
            let at = free.partition_point(|&(first, _)| Some(first) <= deepest);
            if free.is_empty() {
                pairs.push(store.below(below)?);
                below += 1;
            } else {
                pairs.push(free.remove(at.min(free.len() - 1)));
            }
        }
        Ok(pairs)
    }

    /// The cone of influence of the conjuncts, with all bits of each cell that it reads.
    fn cone(&self, model: &mut CircuitModel<'_>) -> Result<Cone, Limit> {
        let (given, inputs) = self.mentioned(self.conjuncts);
        let mut cone = model.cone(&given, &inputs)?;
        let read: Vec<BitId> = self.alphabet.bits_of(self.owner.opponent()).collect();
        if self.owner == Player::Environment {
            let position = |bit: &BitId| read.iter().position(|other| other == bit);
            for cell in self.alphabet.cells() {
                let inputs: Vec<usize> = cell.bits.iter().filter_map(position).collect();
                if inputs.iter().any(|i| cone.inputs.contains(i)) {
                    cone.inputs.extend(inputs);
                }
            }
            cone.inputs.sort_unstable();
            cone.inputs.dedup();
        }
        Ok(cone)
    }

    /// Whether the only conjunct is `¬G b` for a `b` without temporal operators that holds in every possible step.
    fn is_invariant(
        &self,
        model: &CircuitModel<'_>,
        bits: &IdVec<BitId, Bdd>,
        possible: &Bdd,
    ) -> Result<bool, Limit> {
        let &[(f, false)] = self.conjuncts else { return Ok(false) };
        let Node::Globally(body) = *self.formulas.node(f) else { return Ok(false) };
        if !self.formulas.class(body).is(Class::BOOLEAN) {
            return Ok(false);
        }
        let context = (self.formulas, self.alphabet);
        // Conjunct by conjunct, which keeps the diagrams small.
        let parts = match self.formulas.node(body) {
            Node::And(parts) => parts.to_vec(),
            _ => vec![body],
        };
        let d = &model.diagrams;
        for part in parts {
            let made = claims::claims(model, context, bits, &[(part, false)], &[])?;
            if d.and(&made.start, possible)? != d.bottom {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

impl ModelStore<'_> {
    /// A pair of variables below all of the model.
    fn below(&mut self, index: usize) -> Result<(Variable, Variable), Limit> {
        if index == self.below.len() {
            let first = self.model.diagrams.add_variables(2)?;
            self.below.push((first, first.successor()));
        }
        Ok(self.below[index])
    }
}
