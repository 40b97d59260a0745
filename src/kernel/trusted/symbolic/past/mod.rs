//! Emptiness by forward reachability: the states that plays reach while they satisfy all requirements on single letters
//! and on letters with the next one.
//!
//! For `G g` with an X in g, a tableau has claims about the next letter, so that images range over all possible claims.
//! Here g is evaluated with a delay of one step, on the previous letter, most of which is stored in latches of the
//! circuit anyway: plays so far are then represented by a set of states of the circuit, computed once for all clauses
//! of a contract. The strict implications of generalized reactivity (Bloem, Jobstmann, Piterman, Pnueli and Sa'ar, JCSS
//! 2012) are such questions.
//!
//! A question ([`Requirements`]) is answered by the first of these that shows that there is no play:
//!
//! 1. [`first_letter_is_impossible`](PlayQuestion::first_letter_is_impossible): no first letter is allowed;
//! 2. [`no_letter_breaks`](PlayQuestion::no_letter_breaks): no reached state has a letter that is a breach;
//! 3. [`no_step_breaks`](PlayQuestion::no_step_breaks): no reached state has a letter that completes a breach together
//!    with the previous letter;
//! 4. [`no_cycle_is_fair`](PlayQuestion::no_cycle_is_fair): no breach is required, and no cycle of reached states is
//!    fair.
//!
//! The results kept between questions are [`KeptPlays`], each with its [`PastProgress`]. O(diameter) images, then those
//! of [`Successors::fair`].

mod requirements;

use super::claims::claims;
use super::diagrams::{Bdd, Diagrams};
use super::model::{CircuitModel, canonical_codes};
use super::question::PlayQuestion;
use super::shape::shape;
use super::structure::Cone;
use super::successors::Successors;
use crate::trusted::normal::SignedFormula;
use crate::tuning::KNOWN_SETS;
use requirements::{Requirements, Safety, is_step};
use rustc_hash::FxHashMap;
use tsl_synth_core::base::{IdVec, Limit, LimitKind, Variable};
use tsl_synth_core::logic::{BitId, Class, FormulaId, Node, Player};

/// A whole circuit with the letter of the previous step.
pub(super) struct PastModel {
    cone: Cone,
    /// The value of each bit in the previous step.
    before: FxHashMap<BitId, Bdd>,
    /// Bits that no latch stores, with variables for their values in this and in the previous step.
    pairs: Vec<(BitId, (Variable, Variable))>,
    steps: Successors,
    /// The one used last comes first.
    known: Vec<KeptPlays>,
}

/// The moves and states of plays that satisfy some requirements.
struct KeptPlays {
    safety: Safety,
    /// The bits whose previous values these requirements mention.
    remembered: Vec<BitId>,
    /// The first moves, and all later ones.
    opening: Bdd,
    relation: Bdd,
    /// The requirements over latches and inputs; computed when a breach is searched for.
    exact: Option<ExactParts>,
    /// The states after one step or more; complete unless [`PastProgress::Reaching`].
    states: Bdd,
    progress: PastProgress,
}

/// The progress of a [`KeptPlays`]: first its states are reached, then fair cycles among them are searched for. After a
/// limit the next attempt continues from there.
enum PastProgress {
    /// The successors of these states may be missing.
    Reaching(Bdd),
    /// All states are reached.
    Reached,
    /// Every cycle that is fair for these conjuncts is among these states.
    Pruning(Vec<SignedFormula>, Bdd),
}

/// Requirements as functions of latches and inputs, without variables for answers.
#[derive(Clone)]
struct ExactParts {
    first: Bdd,
    letters: Bdd,
    steps: Bdd,
}

fn undecided() -> Limit {
    Limit::new(LimitKind::Size, "certificate: forward reachability does not decide it")
}

impl PlayQuestion<'_> {
    /// Shows that there are no plays.
    ///
    /// # Errors
    /// A limit, also if there may be some.
    pub(super) fn no_plays(
        &self,
        past: &mut Option<PastModel>,
        model: &mut CircuitModel<'_>,
    ) -> Result<(), Limit> {
        let requirements = Requirements::of(self);
        let asks_for_safety_only = requirements.own == 0 && requirements.breach.is_none();
        if asks_for_safety_only && self.first_letter_is_impossible(model, &requirements.safety)? {
            return Ok(());
        }
        let with: Vec<FormulaId> =
            requirements.safety.steps.iter().chain(&requirements.breach).map(|&(f, _)| f).collect();
        if !past.as_ref().is_some_and(|past| past.remembers(&self.bits_before(&with))) {
            let wanted = [with, self.clauses.to_vec()].concat();
            *past = Some(PastModel::new(self, model, &self.bits_before(&wanted))?);
        }
        let past = past.as_mut().expect("it was made");
        self.know(past, model, requirements.safety.clone())?;
        let is_empty = match requirements.breach {
            Some(breach) => {
                self.no_letter_breaks(past, model, breach)? || self.no_step_breaks(past, model, breach)?
            }
            None => self.no_cycle_is_fair(past, model, &requirements)?,
        };
        if is_empty { Ok(()) } else { Err(undecided()) }
    }

    /// Whether no letter is allowed as the first one.
    fn first_letter_is_impossible(
        &self,
        model: &mut CircuitModel<'_>,
        safety: &Safety,
    ) -> Result<bool, Limit> {
        let literals: Vec<SignedFormula> = safety.first.iter().chain(&safety.letters).copied().collect();
        let (given, _) = self.mentioned(&literals);
        let functions = model.first_outputs(&given)?;
        let d = &model.diagrams;
        let mut bits = model.bits(self.alphabet, self.owner, &Cone::default(), &[]);
        let own: Vec<BitId> = self.alphabet.bits_of(self.owner).collect();
        for (output, function) in given.into_iter().zip(functions) {
            bits[own[output]] = function;
        }
        Ok(self.letter(model, &bits, &literals)? == d.bottom)
    }

    /// Whether the breach is about one letter, and no letter of a play is a breach.
    fn no_letter_breaks(
        &self,
        past: &mut PastModel,
        model: &CircuitModel<'_>,
        (f, value): SignedFormula,
    ) -> Result<bool, Limit> {
        if !self.formulas.class(f).is(Class::BOOLEAN) {
            return Ok(false);
        }
        let d = &model.diagrams;
        let bits = model.bits(self.alphabet, self.owner, &past.cone, &[]);
        let before = past.bits_before(self, d);
        let known = &mut past.known[0];
        let exact = known.exact(self, model, &before, &bits)?;
        let breach = d.and(&exact.letters, &self.letter(model, &bits, &[(f, value)])?)?;
        let reset = model.reset(&past.cone.latches)?;
        Ok(d.and(&reset, &d.and(&breach, &exact.first)?)? == d.bottom
            && d.and(&known.states, &breach)? == d.bottom)
    }

    /// Whether no letter of a play is a breach, by itself or with the next letter; evaluated in the step after it.
    fn no_step_breaks(
        &self,
        past: &mut PastModel,
        model: &CircuitModel<'_>,
        (f, value): SignedFormula,
    ) -> Result<bool, Limit> {
        if self.formulas.class(f).is(Class::BOOLEAN)
            && !self.letters(&[f]).iter().all(|bit| past.before.contains_key(bit))
        {
            return Ok(false);
        }
        let d = &model.diagrams;
        let before = past.bits_before(self, d);
        let exact_bits = model.bits(self.alphabet, self.owner, &past.cone, &[]);
        let PastModel { cone, steps, pairs, known, .. } = past;
        let known = &mut known[0];
        // Bits that only the breach mentions are stored for one step only.
        let mut states = known.states.clone();
        let more = |bit: BitId| !known.remembered.contains(&bit);
        if pairs.iter().any(|&(bit, _)| more(bit)) {
            let bits = model.bits(self.alphabet, self.owner, cone, &cone.answers);
            let last = remembered(d, pairs, &bits, more)?;
            let reset = model.reset(&cone.latches)?;
            let first = steps.of(d, &reset, &d.and(&known.opening, &last)?)?;
            let later = steps.of(d, &states, &d.and(&known.relation, &last)?)?;
            states = d.or(&first, &later)?;
        }
        let breach = d.and(&states, &self.delayed(model, &[(f, value)], &before, &exact_bits)?)?;
        let exact = known.exact(self, model, &before, &exact_bits)?;
        Ok(d.and(&breach, &exact.steps)? == d.bottom)
    }

    /// Whether no cycle of reached states satisfies the other requirements.
    fn no_cycle_is_fair(
        &self,
        past: &mut PastModel,
        model: &mut CircuitModel<'_>,
        requirements: &Requirements,
    ) -> Result<bool, Limit> {
        let d = &model.diagrams;
        let PastModel { cone, steps, known, .. } = past;
        let known = &mut known[0];
        let bits = model.bits(self.alphabet, self.owner, cone, &cone.answers);
        let question = PlayQuestion { conjuncts: &requirements.rest, ..*self };
        let (shape, others) = shape(&question, model, &bits)?;
        if others.iter().any(|literal| requirements.rest[..requirements.own].contains(literal)) {
            return Ok(false);
        }
        let settled = d.and(&known.relation, &d.and(&shape.always, &shape.stable)?)?;
        let mut region = match std::mem::replace(&mut known.progress, PastProgress::Reached) {
            PastProgress::Pruning(asked, region) if asked == requirements.rest => region,
            _ if shape.entry == d.top => known.states.clone(),
            _ => {
                let reset = model.reset(&cone.latches)?;
                let at_once = d.and(&known.opening, &d.and(&shape.entry, &shape.stable)?)?;
                let at_once = steps.of(d, &reset, &at_once)?;
                let later = steps.of(d, &known.states, &d.and(&settled, &shape.entry)?)?;
                steps.closure(d, &known.states, d.or(&at_once, &later)?, &settled)?
            }
        };
        let fair = steps.fair(d, &mut region, &settled, &shape.fairness);
        let is_empty = region == d.bottom;
        if fair.is_err() {
            known.progress = PastProgress::Pruning(requirements.rest.clone(), region);
        }
        fair.map(|()| is_empty)
    }

    /// Moves the [`KeptPlays`] of these requirements to the front, made if there is none, and reaches all its states.
    fn know(&self, past: &mut PastModel, model: &CircuitModel<'_>, safety: Safety) -> Result<(), Limit> {
        let d = &model.diagrams;
        if let Some(i) = past.known.iter().position(|known| known.safety == safety) {
            past.known[..=i].rotate_right(1);
        } else {
            let made = self.begin(past, model, safety)?;
            past.known.truncate(KNOWN_SETS - 1);
            past.known.insert(0, made);
        }
        let known = &mut past.known[0];
        while let PastProgress::Reaching(open) = &known.progress {
            if *open == d.bottom {
                known.progress = PastProgress::Reached;
                break;
            }
            let next = past.steps.of(d, open, &known.relation)?;
            let (open, states) = (d.minus(&next, &known.states)?, d.or(&known.states, &next)?);
            (known.progress, known.states) = (PastProgress::Reaching(open), states);
        }
        Ok(())
    }

    /// The moves of plays that satisfy these requirements, and their states after the first move.
    fn begin(&self, past: &PastModel, model: &CircuitModel<'_>, safety: Safety) -> Result<KeptPlays, Limit> {
        let d = &model.diagrams;
        let before = past.bits_before(self, d);
        let bits = model.bits(self.alphabet, self.owner, &past.cone, &past.cone.answers);
        let readable = match self.owner {
            Player::System => d.top.clone(),
            Player::Environment => canonical_codes(model, self.alphabet, &bits, &past.cone)?,
        };
        let steps: Vec<FormulaId> = safety.steps.iter().map(|&(f, _)| f).collect();
        let kept = self.bits_before(&steps);
        let always = d.and(&readable, &self.letter(model, &bits, &safety.letters)?)?;
        let moves = d.and(&always, &remembered(d, &past.pairs, &bits, |bit| kept.contains(&bit))?)?;
        let opening = d.and(&moves, &self.letter(model, &bits, &safety.first)?)?;
        let relation = d.and(&moves, &self.delayed(model, &safety.steps, &before, &bits)?)?;
        let same = past.known.iter().find(|known| known.opening == opening && known.relation == relation);
        let (states, progress) = if let Some(known) = same {
            let progress = match &known.progress {
                PastProgress::Reaching(open) => PastProgress::Reaching(open.clone()),
                PastProgress::Reached | PastProgress::Pruning(..) => PastProgress::Reached,
            };
            (known.states.clone(), progress)
        } else {
            let first = past.steps.of(d, &model.reset(&past.cone.latches)?, &opening)?;
            (first.clone(), PastProgress::Reaching(first))
        };
        Ok(KeptPlays { safety, remembered: kept, opening, relation, exact: None, states, progress })
    }

    /// The letters on which some formulas without temporal operators hold.
    fn letter(
        &self,
        model: &CircuitModel<'_>,
        bits: &IdVec<BitId, Bdd>,
        literals: &[SignedFormula],
    ) -> Result<Bdd, Limit> {
        Ok(claims(model, (self.formulas, self.alphabet), bits, literals, &[])?.start)
    }

    /// The conjunction of formulas about a letter and the next one, evaluated in the previous step, given the bits of
    /// that step and of this one.
    fn delayed(
        &self,
        model: &CircuitModel<'_>,
        literals: &[SignedFormula],
        before: &IdVec<BitId, Bdd>,
        now: &IdVec<BitId, Bdd>,
    ) -> Result<Bdd, Limit> {
        let (d, formulas) = (&model.diagrams, self.formulas);
        let roots: Vec<FormulaId> = literals.iter().map(|&(f, _)| f).collect();
        let mut values: FxHashMap<FormulaId, Bdd> = FxHashMap::default();
        for f in formulas.subformulas(&roots) {
            let value = match formulas.node(f) {
                Node::Next(g) => self.letter(model, now, &[(*g, true)])?,
                _ if formulas.class(f).is(Class::BOOLEAN) => self.letter(model, before, &[(f, true)])?,
                Node::Not(g) => d.not(&values[g])?,
                Node::And(gs) => gs.iter().try_fold(d.top.clone(), |sum, g| d.and(&sum, &values[g]))?,
                Node::Or(gs) => gs.iter().try_fold(d.bottom.clone(), |sum, g| d.or(&sum, &values[g]))?,
                Node::Iff(a, b) => d.iff(&values[a], &values[b])?,
                _ => return Err(undecided()),
            };
            values.insert(f, value);
        }
        literals.iter().try_fold(d.top.clone(), |all, (f, value)| {
            if *value { d.and(&all, &values[f]) } else { d.minus(&all, &values[f]) }
        })
    }

    /// The bits whose previous values are needed to evaluate, one step later, the subformulas of some formulas that are
    /// about a letter and the next one.
    fn bits_before(&self, formulas: &[FormulaId]) -> Vec<BitId> {
        let (mut roots, mut outside) = (formulas.to_vec(), Vec::new());
        while let Some(f) = roots.pop() {
            let node = self.formulas.node(f);
            let parts = match *node {
                Node::WeakUntil(a, b) => vec![a, b],
                _ => vec![f],
            };
            let has_next = parts.iter().any(|&f| !self.formulas.class(f).is(Class::BOOLEAN));
            if has_next && parts.iter().all(|&f| is_step(self.formulas, f)) {
                outside.extend(parts);
            } else {
                node.for_each_operand(|g| roots.push(g));
            }
        }
        let (mut stack, mut outside) = (outside, Vec::new());
        while let Some(f) = stack.pop() {
            match self.formulas.node(f) {
                Node::Next(_) => {}
                _ if self.formulas.class(f).is(Class::BOOLEAN) => outside.push(f),
                node => node.for_each_operand(|g| stack.push(g)),
            }
        }
        outside.sort_unstable();
        outside.dedup();
        self.letters(&outside)
    }
}

/// The moves that store the values of some bits.
fn remembered(
    d: &Diagrams,
    pairs: &[(BitId, (Variable, Variable))],
    bits: &IdVec<BitId, Bdd>,
    which: impl Fn(BitId) -> bool,
) -> Result<Bdd, Limit> {
    pairs
        .iter()
        .filter(|&&(bit, _)| which(bit))
        .try_fold(d.top.clone(), |all, &(bit, (now, _))| d.and(&all, &d.iff(d.variable(now), &bits[bit])?))
}

impl KeptPlays {
    /// The requirements as functions of latches and inputs.
    fn exact(
        &mut self,
        question: &PlayQuestion<'_>,
        model: &CircuitModel<'_>,
        before: &IdVec<BitId, Bdd>,
        bits: &IdVec<BitId, Bdd>,
    ) -> Result<ExactParts, Limit> {
        if let Some(made) = &self.exact {
            return Ok(made.clone());
        }
        let Safety { first, letters, steps } = &self.safety;
        let made = ExactParts {
            first: question.letter(model, bits, first)?,
            letters: question.letter(model, bits, letters)?,
            steps: question.delayed(model, steps, before, bits)?,
        };
        self.exact = Some(made.clone());
        Ok(made)
    }
}

impl PastModel {
    fn new(
        question: &PlayQuestion<'_>,
        model: &mut CircuitModel<'_>,
        wanted: &[BitId],
    ) -> Result<Self, Limit> {
        let circuit = model.circuit;
        let all: [Vec<usize>; 2] = [circuit.outputs.len(), circuit.inputs].map(|count| (0..count).collect());
        let cone = model.cone(&all[0], &all[1])?;
        let given = question.alphabet.bits_of(question.owner).zip(circuit.outputs.iter().copied());
        let read = question.alphabet.bits_of(question.owner.opponent());
        let read = read.enumerate().map(|(i, bit)| (bit, circuit.input(i)));
        let literals = given.chain(read);
        let (mut before, mut pairs) = (FxHashMap::default(), Vec::new());
        let (mut room, depths) = (model.room.clone(), model.depths(question.alphabet, question.owner));
        for (bit, literal) in literals {
            let latch = circuit.latches.iter().position(|l| l.next.variable() == literal.variable());
            let value = if let Some(latch) = latch.filter(|latch| cone.latches.binary_search(latch).is_ok()) {
                let held = model.diagrams.variable(model.latches[latch].now).clone();
                if circuit.latches[latch].next == literal { held } else { model.diagrams.not(&held)? }
            } else if wanted.contains(&bit) {
                // Near the variables of the bit, if a reserved pair is left.
                let at = room.partition_point(|&(first, _)| first <= depths[bit]);
                let pair = if room.is_empty() {
                    let first = model.diagrams.add_variables(2)?;
                    (first, first.successor())
                } else {
                    room.remove(at.min(room.len() - 1))
                };
                pairs.push((bit, pair));
                model.diagrams.variable(pair.1).clone()
            } else {
                continue;
            };
            before.insert(bit, value);
        }
        let variables: Vec<(Variable, Variable)> = pairs.iter().map(|&(_, pair)| pair).collect();
        let steps = Successors::new(model, &cone, &variables)?;
        model.room = room;
        Ok(Self { cone, before, pairs, steps, known: Vec::new() })
    }

    /// The value of each bit in the previous step; false for bits that are not stored.
    fn bits_before(&self, question: &PlayQuestion<'_>, d: &Diagrams) -> IdVec<BitId, Bdd> {
        let mut before = IdVec::filled(d.bottom.clone(), question.alphabet.bit_count());
        for (&bit, value) in &self.before {
            before[bit] = value.clone();
        }
        before
    }

    fn remembers(&self, bits: &[BitId]) -> bool {
        bits.iter().all(|bit| self.before.contains_key(bit))
    }
}
