//! Emptiness by what has happened: the states that plays reach while they keep all that is known of safety.
//!
//! A tableau says of `G g` with an X in it what the next letter must be, so that images range over all that may be
//! claimed. Here it is read one step late, from the letter before, which latches of the circuit mostly remember: what
//! plays have done so far is then a set of states of the circuit, found once for all clauses of a contract. That no step
//! of it breaks a clause is one operation, and fair cycles are looked for inside of it. The strict implications of
//! generalized reactivity (Bloem, Jobstmann, Piterman, Pnueli and Sa'ar, JCSS 2012) are such questions. O(diameter)
//! images, then those of `forward`.

use super::Question;
use super::claims::claims;
use super::diagrams::{Bdd, Diagrams};
use super::model::{Model, canonical_codes};
use super::shape::shape;
use super::structure::Cone;
use super::successors::Successors;
use crate::base::{IdVec, Limit, LimitKind};
use crate::certify::normal::Literal;
use crate::certify::tuning::KNOWN_SETS;
use crate::logic::{BitId, Class, FormulaId, Formulas, Node, Player};
use rustc_hash::FxHashMap;

/// Letters and those before them, beside a whole circuit.
pub(super) struct Past {
    cone: Cone,
    /// What each bit was in the step before.
    before: FxHashMap<BitId, Bdd>,
    /// Bits that no latch remembers, with variables of what they are now and were before.
    pairs: Vec<(BitId, (usize, usize))>,
    steps: Successors,
    /// The last first.
    known: Vec<Known>,
}

/// What plays do that keep some safety.
struct Known {
    /// What is asked of the first letter, of every one, and of every one with the one after it.
    parts: [Vec<Literal>; 3],
    /// The bits that have to be remembered for that.
    kept: Vec<BitId>,
    /// The first moves, and all others.
    opening: Bdd,
    relation: Bdd,
    /// The same parts in terms of what the circuit gives; made where a breach is looked for.
    exact: Option<[Bdd; 3]>,
    /// The places after one step or more.
    places: Bdd,
    /// Those whose successors may be missing.
    open: Bdd,
    /// What else was asked of plays when a limit was met, and places among which fair ones go on.
    begun: Option<(Vec<Literal>, Bdd)>,
}

/// What is asked, by when it is known.
#[derive(Default)]
struct Times {
    /// Of the first letter.
    first: Vec<Literal>,
    /// Of every letter.
    now: Vec<Literal>,
    /// Of every letter and the one after it.
    late: Vec<Literal>,
    /// Of some letter up to which `now` and `late` hold.
    breach: Option<Literal>,
    /// Everything else.
    rest: Vec<Literal>,
}

impl Times {
    fn add(&mut self, formulas: &Formulas, (f, value): Literal) {
        let depth = |g: FormulaId| near(formulas, g);
        let is_boolean = |g: FormulaId| formulas.class(g).is(Class::BOOLEAN);
        let (always, body) = match *formulas.node(f) {
            Node::Globally(g) => (value, g),
            Node::Finally(g) => (!value, g),
            Node::WeakUntil(kept, end) if !value && self.breach.is_none() && depth(kept) && depth(end) => {
                self.hold(formulas, (end, false));
                self.breach = Some((kept, false));
                return;
            }
            _ if is_boolean(f) => return self.first.push((f, value)),
            _ => return self.rest.push((f, value)),
        };
        if depth(body) && always {
            self.hold(formulas, (body, value));
        } else if depth(body) && self.breach.is_none() {
            self.breach = Some((body, value));
        } else {
            self.rest.push((f, value));
        }
    }

    fn hold(&mut self, formulas: &Formulas, (f, value): Literal) {
        // Conjunct by conjunct, so that as much as can be is known at once.
        let mut stack = vec![(f, value)];
        while let Some((f, value)) = stack.pop() {
            match (formulas.node(f), value) {
                (Node::Not(g), _) => stack.push((*g, !value)),
                (Node::And(gs), true) | (Node::Or(gs), false) => stack.extend(gs.iter().map(|&g| (g, value))),
                _ if formulas.class(f).is(Class::BOOLEAN) => self.now.push((f, value)),
                _ => self.late.push((f, value)),
            }
        }
    }
}

/// Whether a formula is about a letter and the next one.
fn near(formulas: &Formulas, f: FormulaId) -> bool {
    formulas.is_window(f) && formulas.next_depth(f) <= 1
}

fn undecided() -> Limit {
    Limit::new(LimitKind::Size, "certificate: safety alone does not answer it")
}

impl Question<'_> {
    /// Shows that there are no plays.
    ///
    /// # Errors
    /// There may be some, or a limit.
    pub(super) fn no_plays(&self, past: &mut Option<Past>, model: &mut Model<'_>) -> Result<(), Limit> {
        let mut times = Times::default();
        self.conjuncts.iter().for_each(|&literal| times.add(self.formulas, literal));
        let own = times.rest.len();
        let breaches = times.breach.is_some();
        for &literal in self.pool.iter().filter(|literal| !self.conjuncts.contains(literal)) {
            let mut further = Times { breach: Some(literal), ..Times::default() };
            further.add(self.formulas, literal);
            times.first.extend(further.first);
            times.now.extend(further.now);
            times.late.extend(further.late);
            if !breaches {
                times.rest.extend(further.rest);
            }
        }
        let is_first = own == 0 && !breaches;
        if is_first && self.first_is_wrong(model, &times)? {
            return Ok(());
        }
        let with: Vec<FormulaId> = times.late.iter().chain(&times.breach).map(|&(f, _)| f).collect();
        if !past.as_ref().is_some_and(|past| past.remembers(&self.bits_before(&with))) {
            let wanted = [with, self.clauses.to_vec()].concat();
            *past = Some(Past::new(self, model, &self.bits_before(&wanted))?);
        }
        let past = past.as_mut().expect("it was made");
        self.answer_by(past, model, times, own)
    }

    /// The first letter alone cannot be.
    fn first_is_wrong(&self, model: &mut Model<'_>, times: &Times) -> Result<bool, Limit> {
        let literals: Vec<Literal> = times.first.iter().chain(&times.now).copied().collect();
        let (given, _) = self.mentioned(&literals);
        let functions = model.first_outputs(&given)?;
        let d = &model.diagrams;
        let mut bits = model.bits(self.alphabet, self.owner, &Cone::default(), &[]);
        let own: Vec<BitId> = self.alphabet.bits_of(self.owner).collect();
        for (output, function) in given.into_iter().zip(functions) {
            bits[own[output]] = function;
        }
        let made = claims(model, (self.formulas, self.alphabet), &bits, &literals, &[])?;
        Ok(made.start == d.bottom)
    }

    /// The bits whose value in the step before tells of some formulas, and of what is asked of all steps in others,
    /// whether it held then.
    fn bits_before(&self, formulas: &[FormulaId]) -> Vec<BitId> {
        let (mut roots, mut outside) = (formulas.to_vec(), Vec::new());
        while let Some(f) = roots.pop() {
            let node = self.formulas.node(f);
            let parts = match *node {
                Node::WeakUntil(a, b) => vec![a, b],
                _ => vec![f],
            };
            let late = parts.iter().any(|&f| !self.formulas.class(f).is(Class::BOOLEAN));
            if late && parts.iter().all(|&f| near(self.formulas, f)) {
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

    /// Values in the step before, given the bits of then and those of now.
    fn late(
        &self,
        model: &Model<'_>,
        literals: &[Literal],
        before: &IdVec<BitId, Bdd>,
        now: &IdVec<BitId, Bdd>,
    ) -> Result<Bdd, Limit> {
        let (d, formulas, context) = (&model.diagrams, self.formulas, (self.formulas, self.alphabet));
        let roots: Vec<FormulaId> = literals.iter().map(|&(f, _)| f).collect();
        let mut values: FxHashMap<FormulaId, Bdd> = FxHashMap::default();
        for f in formulas.subformulas(&roots) {
            let node = formulas.node(f);
            let value = match node {
                Node::Next(g) => claims(model, context, now, &[(*g, true)], &[])?.start,
                _ if formulas.class(f).is(Class::BOOLEAN) => {
                    claims(model, context, before, &[(f, true)], &[])?.start
                }
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

    fn answer_by(
        &self,
        past: &mut Past,
        model: &mut Model<'_>,
        times: Times,
        own: usize,
    ) -> Result<(), Limit> {
        let context = (self.formulas, self.alphabet);
        let d = &model.diagrams;
        let mut before = IdVec::filled(d.bottom.clone(), self.alphabet.bit_count());
        for (&bit, value) in &past.before {
            before[bit] = value.clone();
        }
        let bits = model.bits(self.alphabet, self.owner, &past.cone, &past.cone.answers);
        let Times { first, now, late, breach, rest: others } = times;
        let mut parts = [first, now, late];
        for part in &mut parts {
            part.sort_unstable();
            part.dedup();
        }
        self.know(past, model, parts, &before, &bits)?;
        let Past { cone, before: held, steps, pairs, known } = past;
        let known = &mut known[0];
        let reset = model.reset(&cone.latches)?;

        if let Some((f, value)) = breach {
            let exact = model.bits(self.alphabet, self.owner, cone, &[]);
            let letter =
                |literals: &[Literal]| Ok::<_, Limit>(claims(model, context, &exact, literals, &[])?.start);
            let [first, now, late] = match &known.exact {
                Some(made) => made,
                None => known.exact.insert([
                    letter(&known.parts[0])?,
                    letter(&known.parts[1])?,
                    self.late(model, &known.parts[2], &before, &exact)?,
                ]),
            };
            if self.formulas.class(f).is(Class::BOOLEAN) {
                let breach = d.and(now, &letter(&[(f, value)])?)?;
                if d.and(&reset, &d.and(&breach, first)?)? == d.bottom
                    && d.and(&known.places, &breach)? == d.bottom
                {
                    return Ok(());
                }
                if !self.letters(&[f]).iter().all(|bit| held.contains_key(bit)) {
                    return Err(undecided());
                }
            }
            // What the other parts do not need is remembered for one step only.
            let mut places = known.places.clone();
            let more = |bit: BitId| !known.kept.contains(&bit);
            if pairs.iter().any(|&(bit, _)| more(bit)) {
                let last = remembered(d, pairs, &bits, more)?;
                let first = steps.of(d, &reset, &d.and(&known.opening, &last)?)?;
                let later = steps.of(d, &places, &d.and(&known.relation, &last)?)?;
                places = d.or(&first, &later)?;
            }
            let breach = d.and(&places, &self.late(model, &[(f, value)], &before, &exact)?)?;
            return if d.and(&breach, late)? == d.bottom { Ok(()) } else { Err(undecided()) };
        }
        let question = Question { conjuncts: &others, ..*self };
        let (shape, rest) = shape(&question, model, &bits)?;
        if rest.iter().any(|literal| others[..own].contains(literal)) {
            return Err(undecided());
        }
        let settled = d.and(&known.relation, &d.and(&shape.always, &shape.stable)?)?;
        let begun = known.begun.take_if(|(asked, _)| *asked == others);
        let mut region = if let Some((_, region)) = begun {
            region
        } else if shape.entry == d.top {
            known.places.clone()
        } else {
            let at_once = d.and(&known.opening, &d.and(&shape.entry, &shape.stable)?)?;
            let at_once = steps.of(d, &reset, &at_once)?;
            let later = steps.of(d, &known.places, &d.and(&settled, &shape.entry)?)?;
            steps.closure(d, &known.places, d.or(&at_once, &later)?, &settled)?
        };
        let fair = steps.fair(d, &mut region, &settled, &shape.fairness);
        let is_empty = region == d.bottom;
        known.begun = fair.is_err().then_some((others, region));
        fair?;
        if is_empty { Ok(()) } else { Err(undecided()) }
    }

    /// Puts what plays do that keep some parts first among what is known. Where a limit is met, it goes on from there the
    /// next time.
    fn know(
        &self,
        past: &mut Past,
        model: &Model<'_>,
        parts: [Vec<Literal>; 3],
        before: &IdVec<BitId, Bdd>,
        bits: &IdVec<BitId, Bdd>,
    ) -> Result<(), Limit> {
        let d = &model.diagrams;
        if let Some(i) = past.known.iter().position(|known| known.parts == parts) {
            past.known[..=i].rotate_right(1);
        } else {
            let letter = |literals: &[Literal]| {
                Ok::<_, Limit>(claims(model, (self.formulas, self.alphabet), bits, literals, &[])?.start)
            };
            let readable = match self.owner {
                Player::System => d.top.clone(),
                Player::Environment => canonical_codes(model, self.alphabet, bits, &past.cone)?,
            };
            let late: Vec<FormulaId> = parts[2].iter().map(|&(f, _)| f).collect();
            let kept = self.bits_before(&late);
            let always = d.and(&readable, &letter(&parts[1])?)?;
            let moves = d.and(&always, &remembered(d, &past.pairs, bits, |bit| kept.contains(&bit))?)?;
            let opening = d.and(&moves, &letter(&parts[0])?)?;
            let relation = d.and(&moves, &self.late(model, &parts[2], before, bits)?)?;
            let same = past.known.iter().find(|known| known.opening == opening && known.relation == relation);
            let (places, open) = if let Some(known) = same {
                (known.places.clone(), known.open.clone())
            } else {
                let first = past.steps.of(d, &model.reset(&past.cone.latches)?, &opening)?;
                (first.clone(), first)
            };
            past.known.truncate(KNOWN_SETS - 1);
            past.known
                .insert(0, Known { parts, kept, opening, relation, exact: None, places, open, begun: None });
        }
        let known = &mut past.known[0];
        while known.open != d.bottom {
            let next = past.steps.of(d, &known.open, &known.relation)?;
            let (open, places) = (d.minus(&next, &known.places)?, d.or(&known.places, &next)?);
            (known.open, known.places) = (open, places);
        }
        Ok(())
    }
}

/// The moves that remember some bits.
fn remembered(
    d: &Diagrams,
    pairs: &[(BitId, (usize, usize))],
    bits: &IdVec<BitId, Bdd>,
    which: impl Fn(BitId) -> bool,
) -> Result<Bdd, Limit> {
    pairs
        .iter()
        .filter(|&&(bit, _)| which(bit))
        .try_fold(d.top.clone(), |all, &(bit, (now, _))| d.and(&all, &d.iff(d.variable(now), &bits[bit])?))
}

impl Past {
    fn new(question: &Question<'_>, model: &mut Model<'_>, wanted: &[BitId]) -> Result<Self, Limit> {
        let circuit = model.circuit;
        let all: [Vec<usize>; 2] = [circuit.outputs.len(), circuit.inputs].map(|count| (0..count).collect());
        let cone = model.cone(&all[0], &all[1])?;
        let given = question.alphabet.bits_of(question.owner).zip(circuit.outputs.iter().copied());
        let read = question.alphabet.bits_of(question.owner.opponent());
        let read = read.enumerate().map(|(i, bit)| (bit, circuit.input(i)));
        let literals = given.chain(read);
        let (mut before, mut pairs) = (FxHashMap::default(), Vec::new());
        let (mut room, places) = (model.room.clone(), model.places(question.alphabet, question.owner));
        for (bit, literal) in literals {
            let latch = circuit.latches.iter().position(|l| l.next.variable() == literal.variable());
            let value = if let Some(latch) = latch.filter(|latch| cone.latches.binary_search(latch).is_ok()) {
                let held = model.diagrams.variable(model.latches[latch].now).clone();
                if circuit.latches[latch].next == literal { held } else { model.diagrams.not(&held)? }
            } else if wanted.contains(&bit) {
                // Near the letter, if there is room.
                let at = room.partition_point(|&(first, _)| first <= places[bit]);
                let pair = if room.is_empty() {
                    let first = model.diagrams.add_variables(2)?;
                    (first, first + 1)
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
        let variables: Vec<(usize, usize)> = pairs.iter().map(|&(_, pair)| pair).collect();
        let steps = Successors::new(model, &cone, &variables)?;
        model.room = room;
        Ok(Self { cone, before, pairs, steps, known: Vec::new() })
    }

    fn remembers(&self, bits: &[BitId]) -> bool {
        bits.iter().all(|bit| self.before.contains_key(bit))
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Question, Symbolic, Way};
    use crate::base::{Budget, LimitKind, Random};
    use crate::certify::normal::Literal;
    use crate::logic::{Alphabet, FormulaId, Formulas, Player};
    use crate::model::{Circuit, CircuitBuilder};

    /// Two inputs, two outputs and three latches, of which some may remember a letter.
    fn circuit(random: &mut Random) -> Circuit {
        let mut b = CircuitBuilder::new(2);
        let latches = [0; 3].map(|_| b.add_latch(random.flip()));
        let mut all = vec![b.input(0), b.input(1), latches[0], latches[1], latches[2]];
        for _ in 0..6 {
            let [x, y] = [0; 2].map(|_| all[random.below(all.len())].negated_if(random.flip()));
            let gate = b.and(x, y);
            all.push(gate);
        }
        for latch in latches {
            b.set_next(latch, all[random.below(all.len())].negated_if(random.flip()));
        }
        for _ in 0..2 {
            b.add_output(all[random.below(all.len())].negated_if(random.flip()));
        }
        b.finish()
    }

    /// A disjunction of literals of this letter and the next one.
    fn window(random: &mut Random, formulas: &mut Formulas, atoms: &[FormulaId]) -> FormulaId {
        let mut parts = Vec::new();
        for _ in 0..=random.below(3) {
            let atom = atoms[random.below(atoms.len())];
            let literal = if random.flip() { formulas.not(atom) } else { atom };
            parts.push(if random.below(3) == 0 { formulas.next(literal) } else { literal });
        }
        formulas.or(parts)
    }

    fn conjunct(random: &mut Random, formulas: &mut Formulas, atoms: &[FormulaId]) -> Literal {
        let [a, b] = [0; 2].map(|_| window(random, formulas, atoms));
        let atom = atoms[random.below(atoms.len())];
        match random.below(7) {
            0 => (atom, random.flip()),
            1 => (formulas.globally(a), random.flip()),
            2 => (formulas.finally(a), random.flip()),
            3 => (formulas.weak_until(a, b), false),
            4 => {
                let some_time = formulas.finally(atom);
                (formulas.globally(some_time), random.flip())
            }
            5 => {
                let always = formulas.globally(atom);
                (formulas.finally(always), random.flip())
            }
            _ => {
                let some_time = formulas.finally(atom);
                let other = atoms[random.below(atoms.len())];
                let response = formulas.or([other, some_time]);
                (formulas.globally(response), random.flip())
            }
        }
    }

    /// What it shows to be without plays is so, and where other ways find none it mostly shows that.
    #[test]
    fn emptiness_by_the_past_is_emptiness() {
        let mut random = Random::new(5);
        let mut alphabet = Alphabet::new();
        let names = ["a", "b"].map(|name| alphabet.add_input(name)).into_iter();
        let names: Vec<_> = names.chain(["x", "y"].map(|name| alphabet.add_output(name))).collect();
        let (mut shown, mut missed, mut plays, mut resumed) = (0, 0, 0, 0);
        for round in 0..600 {
            let mut formulas = Formulas::new();
            let atoms: Vec<FormulaId> = names.iter().map(|&atom| formulas.atom(atom)).collect();
            let circuit = circuit(&mut random);
            let conjuncts: Vec<Literal> =
                (0..=random.below(3)).map(|_| conjunct(&mut random, &mut formulas, &atoms)).collect();
            let pool: Vec<Literal> =
                (0..random.below(4)).map(|_| conjunct(&mut random, &mut formulas, &atoms)).collect();
            let budget = Budget::unlimited();
            // A counter-strategy's outputs are the inputs, and it reads the outputs.
            let owner = if random.flip() { Player::System } else { Player::Environment };
            let mut search = Symbolic::new(&formulas, &alphabet, &circuit, owner, &budget);
            let question = |conjuncts, pool| Question {
                formulas: &formulas,
                alphabet: &alphabet,
                owner,
                conjuncts,
                pool,
                clauses: &[],
                likely: &[],
            };
            // Where a limit is met, it goes on from there.
            let mut work = 1;
            let past = loop {
                match search.attempt(&question(&conjuncts, &pool), Way::Past, work).expect("no limit") {
                    Err(limit) if limit.kind == LimitKind::Work => work += 1,
                    past => break past,
                }
                resumed += 1;
            };
            let all = [&conjuncts[..], &pool].concat();
            let (play, _) = search
                .attempt(&question(&all, &[]), Way::Composition, u64::MAX)
                .expect("no limit")
                .expect("an answer");
            match (past, play) {
                (Ok((None, _)), None) => shown += 1,
                (Err(limit), play) => {
                    assert_eq!(limit.kind, LimitKind::Size);
                    *(if play.is_some() { &mut plays } else { &mut missed }) += 1;
                }
                (past, play) => panic!("{round}: {past:?} {play:?}"),
            }
        }
        assert!(shown > 200 && plays > 100 && missed < shown, "{shown} shown, {missed} missed, {plays}");
        assert!(resumed > 0, "no limit was ever met");
    }
}
