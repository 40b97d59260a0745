//! Certificates of circuits too large to enumerate: model checking on decision diagrams.
//!
//! The questions are those of the explicit certifier (`checker`), each answered on the cone of influence of its
//! letters (`structure`) by a symbolic tableau (`claims`), states that may be reached (`reach`) and a search for fair
//! cycles (`fair`); or on the whole circuit by what its plays have done so far (`past`). Shares the diagram library with
//! the symbolic engine and nothing else.

mod claims;
mod clusters;
mod diagrams;
mod encode;
mod fair;
mod forward;
mod model;
mod monitors;
mod moves;
mod order;
mod past;
mod preimage;
mod reach;
mod shape;
mod structure;
mod successors;

pub use encode::{circuit_of_counter, circuit_of_mealy};

use super::cases::Cases;
use super::checker::{Checker, Search};
use super::claim::Claim;
use super::conditions::recurring;
use super::normal::Literal;
use super::product::shortened;
use super::{Certified, CertifyError};
use crate::base::{Budget, IdVec, Limit, LimitKind};
use crate::certify::tuning::{
    BYTES_PER_NODE, FEW_CLAIMS, FIRST_NODES, FIRST_WORK, FORWARD_SHARE, LEAST_NODES, MAX_CLAIMS, MAX_HELPED,
    MAX_NODES, MUCH_WORK, NODES_GROWTH,
};
use crate::logic::{Alphabet, BitId, Class, FormulaId, Formulas, Guards, Lasso, Letter, Node, Player};
use crate::model::{Circuit, Contract};
use diagrams::Bdd;
use model::Model;
use moves::Moves;
use past::Past;
use preimage::Preimage;
use rustc_hash::FxHashSet;
use std::rc::Rc;
use structure::{Cone, Leaf};
use successors::Successors;

/// Certifies what is claimed of a circuit; with `blind` also that its outputs do not depend on the inputs of the same step.
pub(super) fn certify(
    claim: &Claim<'_>,
    circuit: &Circuit,
    blind: bool,
    budget: &Budget,
) -> Result<Certified, CertifyError> {
    let &Claim { formulas, alphabet, contract, strategy } = claim;
    let owner = strategy.owner();
    check_shape(alphabet, circuit, owner)?;
    let cases = Cases::new(formulas, contract);
    let mut search = Symbolic::new(&cases.formulas, alphabet, circuit, owner, budget);
    let Contract { facts, restrictions, assumptions, guarantees } = contract;
    search.clauses = [facts, restrictions, assumptions, guarantees].into_iter().flatten().copied().collect();
    if blind {
        search.check_blind()?;
    }
    Checker::new(&cases, alphabet, search).check(owner, contract)
}

/// Inputs, step by step, in whose last step the output with this index is false; `None` if it is always true.
/// As few steps as possible.
///
/// # Errors
/// A limit, also where the reachable states could not be found.
///
/// # Panics
/// If there is no such output or the circuit is not well formed.
pub fn find_false_output(
    circuit: &Circuit,
    output: usize,
    budget: &Budget,
) -> Result<Option<Vec<Vec<bool>>>, Limit> {
    assert!(circuit.is_well_formed(), "the circuit is well formed");
    let mut store = Growing::new(circuit, true, budget);
    store.run(|store| store.model.inputs_to_false(output))
}

pub(super) fn check_shape(alphabet: &Alphabet, circuit: &Circuit, owner: Player) -> Result<(), CertifyError> {
    let malformed = |what: String| Err(CertifyError::Malformed(what));
    let (reads, gives) = (alphabet.bits_of(owner.opponent()).count(), alphabet.bits_of(owner).count());
    if circuit.inputs != reads || circuit.outputs.len() != gives {
        return malformed(format!(
            "a circuit with {} inputs and {} outputs over {reads} and {gives} bits",
            circuit.inputs,
            circuit.outputs.len()
        ));
    }
    if !circuit.is_well_formed() {
        return malformed("a circuit whose gates are out of order".into());
    }
    Ok(())
}

/// A model with the variables of its tableaux.
struct Store<'a> {
    model: Model<'a>,
    /// Pairs of variables for claims that find no room in the model, below all others.
    below: Vec<(usize, usize)>,
    past: Option<Past>,
}

/// Makes a model where one is needed, with more and more diagram nodes.
struct Growing<'a> {
    circuit: &'a Circuit,
    /// See [`Model::new`].
    cut: bool,
    budget: Budget,
    order: Option<Rc<[Leaf]>>,
    store: Option<Store<'a>>,
    nodes: usize,
}

impl<'a> Growing<'a> {
    fn new(circuit: &'a Circuit, cut: bool, budget: &Budget) -> Self {
        Self { circuit, cut, budget: budget.clone(), order: None, store: None, nodes: FIRST_NODES }
    }

    fn run<T>(&mut self, mut question: impl FnMut(&mut Store<'a>) -> Result<T, Limit>) -> Result<T, Limit> {
        let most = (self.budget.memory_limit() / BYTES_PER_NODE).min(MAX_NODES) as usize;
        if most < LEAST_NODES {
            return Err(Limit::new(LimitKind::Memory, "certificate: the decision diagrams of a circuit"));
        }
        loop {
            self.nodes = self.nodes.min(most);
            let result = self.provide().and_then(&mut question);
            match result {
                Err(limit) if limit.kind == LimitKind::Memory && self.nodes < most => {
                    self.store = None;
                    self.nodes = self.nodes.saturating_mul(NODES_GROWTH);
                }
                Err(limit) if limit.kind == LimitKind::Memory => {
                    self.store = None;
                    return Err(limit);
                }
                result => return result,
            }
        }
    }

    /// For many steps: garbage is collected less often, and with it goes all that the library remembers. A step that is
    /// hopeless takes longer.
    fn make_room(&mut self) {
        if self.nodes == FIRST_NODES {
            self.nodes *= NODES_GROWTH;
            self.store = None;
        }
    }

    /// The order of the variables, found once.
    fn ordered(&mut self, budget: &Budget) -> Result<Rc<[Leaf]>, Limit> {
        if let Some(order) = &self.order {
            return Ok(Rc::clone(order));
        }
        let order = Model::order(self.circuit, self.cut, budget)?;
        Ok(Rc::clone(self.order.insert(order.into())))
    }

    fn provide(&mut self) -> Result<&mut Store<'a>, Limit> {
        let budget = self.budget.clone();
        let order = self.ordered(&budget)?;
        let mut store = match self.store.take() {
            Some(store) => store,
            None => Store {
                model: Model::new(self.circuit, self.cut, &order, self.nodes, &budget)?,
                below: Vec::new(),
                past: None,
            },
        };
        store.model.diagrams.budget = budget;
        if store.model.diagrams.nodes() > self.nodes / 2 {
            store.model.diagrams.collect_garbage();
        }
        Ok(self.store.insert(store))
    }
}

/// How fair plays are looked for, and predecessors found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// Forward first ([`forward`]); then backward by a relation of the answers.
    Forward,
    /// Backward by a relation of the answers ([`preimage`]).
    Relation,
    /// Backward by composition with whole functions.
    Composition,
    /// Forward with the whole contract ([`past`]).
    Past,
}

/// Answers emptiness questions about the plays of a circuit. None of the ways is better always, so they take turns, the one
/// that answered last first, each time with four times the work; twice that of the last answer to begin with.
pub(super) struct Symbolic<'a> {
    formulas: &'a Formulas,
    alphabet: &'a Alphabet,
    owner: Player,
    budget: Budget,
    /// In terms of answers, and with whole functions.
    stores: [Growing<'a>; 2],
    ways: [Way; 4],
    /// Further conjuncts that may be asked for.
    pool: Vec<Literal>,
    /// What all questions are about.
    clauses: Vec<FormulaId>,
    /// All that ever could be, and what the last clause needed of it.
    seen: FxHashSet<Literal>,
    helped: Vec<Literal>,
    /// Work of the last answer.
    used: u64,
    /// Work that what has happened is given at least: plays that others find do not make a clause easier for it.
    patience: u64,
}

impl<'a> Symbolic<'a> {
    pub(super) fn new(
        formulas: &'a Formulas,
        alphabet: &'a Alphabet,
        circuit: &'a Circuit,
        owner: Player,
        budget: &Budget,
    ) -> Self {
        let stores = [true, false].map(|cut| Growing::new(circuit, cut, budget));
        let ways = [Way::Past, Way::Forward, Way::Relation, Way::Composition];
        Self {
            formulas,
            alphabet,
            owner,
            budget: budget.clone(),
            stores,
            ways,
            pool: Vec::new(),
            clauses: Vec::new(),
            seen: FxHashSet::default(),
            helped: Vec::new(),
            used: 0,
            patience: 0,
        }
    }

    /// Obeys another budget from now on.
    pub(super) fn obey(&mut self, budget: &Budget) {
        self.budget = budget.clone();
    }

    /// An answer with the diagram nodes that it took.
    fn answer(&mut self, question: &Question<'_>) -> Result<(Option<Lasso>, u64), Limit> {
        let mut work = FIRST_WORK.max(self.used.saturating_mul(2));
        let mut hopeless = Vec::new();
        loop {
            let (mut go_on, mut last) = (false, None);
            for i in 0..self.ways.len() {
                if hopeless.contains(&self.ways[i]) {
                    continue;
                }
                match self.attempt(question, self.ways[i], work)? {
                    Ok(answer) => {
                        // Those that find plays show that there are none of use only after many of them.
                        let first = usize::from(answer.0.is_some() && self.ways[0] == Way::Past);
                        self.ways[first..=i].rotate_right(1);
                        return Ok(answer);
                    }
                    Err(limit) => {
                        go_on |= limit.kind == LimitKind::Work;
                        if limit.kind == LimitKind::Size {
                            hopeless.push(self.ways[i]);
                        }
                        last = Some(limit);
                    }
                }
            }
            // Nothing is gained by further attempts unless one of them met the limit of its work.
            if let Some(limit) = last.filter(|_| !go_on) {
                return Err(limit);
            }
            work = work.saturating_mul(4);
        }
    }

    /// An answer with the diagram nodes that it took, or the limit that one way met with so much work.
    fn attempt(
        &mut self,
        question: &Question<'_>,
        way: Way,
        work: u64,
    ) -> Result<Result<(Option<Lasso>, u64), Limit>, Limit> {
        let few = claims::temporal(self.formulas, question.conjuncts).len() <= FEW_CLAIMS;
        let times = if way == Way::Past || way == Way::Forward && few { FORWARD_SHARE } else { 1 };
        let mut work = work.saturating_mul(times);
        if way == Way::Past {
            work = work.max(self.patience);
        }
        let work = work.min(self.budget.left());
        let share = self.budget.child(work);
        let store = &mut self.stores[usize::from(way == Way::Composition)];
        store.ordered(&self.budget)?;
        store.budget = share.clone();
        let result = store.run(|store| {
            let play = question.answer(store, way)?;
            Ok((play, store.model.diagrams.nodes() as u64))
        });
        self.budget.tick(share.work(), || "certificate: model checking a circuit".into())?;
        let small_steps = MUCH_WORK..work.saturating_add(work / 8);
        if result.as_ref().is_err_and(|limit| limit.kind == LimitKind::Work)
            && small_steps.contains(&share.work())
        {
            store.make_room();
        }
        if result.is_ok() {
            self.used = share.work() / times;
        }
        if way == Way::Past {
            let is_short = result.as_ref().is_err_and(|limit| limit.kind == LimitKind::Work);
            self.patience = if is_short { work.saturating_mul(4) } else { 0 };
        }
        match result {
            Err(limit) if !matches!(limit.kind, LimitKind::Work | LimitKind::Memory | LimitKind::Size) => {
                Err(limit)
            }
            result => Ok(result),
        }
    }

    /// What the owner gives does not depend on what it reads in the same step.
    fn check_blind(&mut self) -> Result<(), CertifyError> {
        for (output, bit) in self.alphabet.bits_of(self.owner).enumerate() {
            if self.stores[0].run(|store| store.model.looks_at_present(output))? {
                let message = format!("{bit:?} depends on what the other player does in the same step");
                return Err(CertifyError::Malformed(message));
            }
        }
        Ok(())
    }
}

impl Search for Symbolic<'_> {
    fn may_assume(&mut self, pool: &[Literal]) {
        self.pool = pool.to_vec();
        self.seen.extend(pool);
    }

    fn find(&mut self, conjuncts: &[Literal], done: &mut Certified) -> Result<Option<Lasso>, Limit> {
        done.searches += 1;
        let (formulas, alphabet, owner) = (self.formulas, self.alphabet, self.owner);
        let (pool, clauses) = (&self.pool.clone(), &self.clauses.clone());
        let likely: Vec<Literal> = self.helped.iter().copied().filter(|f| pool.contains(f)).collect();
        let question = Question { formulas, alphabet, owner, conjuncts, pool, clauses, likely: &likely };
        let (play, nodes) = self.answer(&question)?;
        let needed = conjuncts.iter().copied().filter(|literal| self.seen.contains(literal));
        let needed: Vec<Literal> = needed.chain(likely).collect();
        if play.is_none() && needed.len() <= MAX_HELPED {
            self.helped = needed;
        }
        done.diagram_nodes = done.diagram_nodes.max(nodes);
        Ok(play.map(shortened))
    }
}

/// Whether a conjunct is about the first few steps, each step and the next one, or what happens infinitely often or ever:
/// it may be asked for at once, as it needs no search of its own.
fn is_simple(formulas: &Formulas, (f, value): Literal) -> bool {
    let class = formulas.class(f);
    let is_boolean = |g: FormulaId| formulas.class(g).is(Class::BOOLEAN);
    let recurs = recurring(formulas, f).is_some_and(|(b, often)| often && is_boolean(b));
    class.is(Class::SAFETY) && class.is(Class::COSAFETY)
        || value && recurs
        || value && formulas.is_windowed(f) && formulas.next_depth(f) <= 1
        || monitors::is_monitored(formulas, f)
}

/// Is there a play that satisfies all conjuncts?
#[derive(Clone, Copy)]
struct Question<'q> {
    formulas: &'q Formulas,
    alphabet: &'q Alphabet,
    owner: Player,
    conjuncts: &'q [Literal],
    /// Plays that break one of these are of no use, and others are easier to find.
    pool: &'q [Literal],
    /// What other questions may be about.
    clauses: &'q [FormulaId],
    /// Members of the pool that helped with other questions.
    likely: &'q [Literal],
}

impl Question<'_> {
    fn answer(&self, store: &mut Store<'_>, way: Way) -> Result<Option<Lasso>, Limit> {
        if way == Way::Past {
            return self.no_plays(&mut store.past, &mut store.model).map(|()| None);
        }
        if !self.likely.is_empty() {
            let conjuncts = [self.conjuncts, self.likely].concat();
            return Question { conjuncts: &conjuncts, likely: &[], ..*self }.answer(store, way);
        }
        if way != Way::Forward {
            return Ok(self.explore(store, way, &|moves| moves.play(self.alphabet, self.owner))?.flatten());
        }
        let more = self.near(&store.model);
        if !more.is_empty() && self.explore(store, way, &|moves| moves.may_be_fair())? != Some(true) {
            return Ok(None);
        }
        // A play takes more work than to see that there is none: one of use, if any.
        let conjuncts = [self.conjuncts, &more].concat();
        let question = Question { conjuncts: &conjuncts, ..*self };
        Ok(question.explore(store, way, &|moves| moves.play(self.alphabet, self.owner))?.flatten())
    }

    /// Those of the pool that are about latches that the question depends on anyway, or about what is read only.
    fn near(&self, model: &Model<'_>) -> Vec<Literal> {
        let latches = |literals: &[Literal]| {
            let (given, read) = self.mentioned(literals);
            model.structure.cone(&given, &read, model.circuit.inputs).latches
        };
        let own = latches(self.conjuncts);
        let is_near = |literal: &Literal| {
            !self.conjuncts.contains(literal)
                && is_simple(self.formulas, *literal)
                && latches(&[*literal]).iter().all(|latch| own.binary_search(latch).is_ok())
        };
        let mut near: Vec<Literal> = Vec::new();
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

    /// What is found among the moves that satisfy the conjuncts; `None` if there are certainly no plays.
    fn explore<T>(
        &self,
        store: &mut Store<'_>,
        way: Way,
        search: &dyn Fn(&Moves<'_, '_>) -> Result<T, Limit>,
    ) -> Result<Option<T>, Limit> {
        let cone = self.cone(&mut store.model)?;
        let reached = store.model.reached(&cone)?;
        let context = (self.formulas, self.alphabet);
        let model = &store.model;
        let bits = model.bits(self.alphabet, self.owner, &cone, &[]);
        let readable = match self.owner {
            Player::System => model.diagrams.top.clone(),
            Player::Environment => model::canonical_codes(model, self.alphabet, &bits, &cone)?,
        };
        if self.is_invariant(model, &bits, &model.diagrams.and(&readable, &reached)?)? {
            return Ok(None);
        }
        let bits = model.bits(self.alphabet, self.owner, &cone, &cone.answers);
        let (mut shape, mut rest) = shape::shape(self, model, &bits)?;
        let mut monitored = Vec::new();
        if way == Way::Forward && shape.entry == model.diagrams.top {
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
            Way::Forward => Some(Successors::new(model, &cone, &pairs)?),
            Way::Relation | Way::Composition | Way::Past => None,
        };
        let moves = Moves {
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

    /// The variables of claims, each near the letters that it is about: what is claimed and what the circuit
    /// remembers of these letters depend on each other.
    fn pairs(&self, store: &mut Store<'_>, claims: &[FormulaId]) -> Result<Vec<(usize, usize)>, Limit> {
        if claims.is_empty() {
            return Ok(Vec::new());
        }
        let (mut free, mut below) = (store.model.room.clone(), 0);
        let places = store.model.places(self.alphabet, self.owner);
        let mut pairs = Vec::with_capacity(claims.len());
        for &claim in claims {
            let deepest = self.letters(&[claim]).into_iter().map(|bit| places[bit]).max();
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

    /// The bits of the letters that some formulas are about.
    fn letters(&self, formulas: &[FormulaId]) -> Vec<BitId> {
        let mut guards = Guards::new();
        let mut letters = Letter::new();
        for atom in self.formulas.support(formulas).iter() {
            let guard = self.alphabet.guard(atom, &mut guards);
            letters.extend(guards.support(guard));
        }
        letters.iter().collect()
    }

    /// The outputs and inputs that some conjuncts are about, by their numbers.
    fn mentioned(&self, literals: &[Literal]) -> (Vec<usize>, Vec<usize>) {
        let roots: Vec<FormulaId> = literals.iter().map(|&(f, _)| f).collect();
        let mentioned = self.letters(&roots);
        let numbers = |player: Player| -> Vec<usize> {
            let numbered = self.alphabet.bits_of(player).enumerate();
            numbered.filter(|(_, bit)| mentioned.contains(bit)).map(|(number, _)| number).collect()
        };
        (numbers(self.owner), numbers(self.owner.opponent()))
    }

    /// What the conjuncts depend on. Of a cell that is read, all bits.
    fn cone(&self, model: &mut Model<'_>) -> Result<Cone, Limit> {
        let (given, inputs) = self.mentioned(self.conjuncts);
        let mut cone = model.cone(&given, &inputs)?;
        let read: Vec<BitId> = self.alphabet.bits_of(self.owner.opponent()).collect();
        if self.owner == Player::Environment {
            let place = |bit: &BitId| read.iter().position(|other| other == bit);
            for cell in self.alphabet.cells() {
                let inputs: Vec<usize> = cell.bits.iter().filter_map(place).collect();
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
        model: &Model<'_>,
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

impl Store<'_> {
    /// A pair of variables below all of the model.
    fn below(&mut self, index: usize) -> Result<(usize, usize), Limit> {
        if index == self.below.len() {
            let first = self.model.diagrams.add_variables(2)?;
            self.below.push((first, first + 1));
        }
        Ok(self.below[index])
    }
}

impl Model<'_> {
    /// Whether an output depends on the inputs of the same step in some state that is reached.
    fn looks_at_present(&mut self, output: usize) -> Result<bool, Limit> {
        if !self.structure.outputs[output].iter().any(|leaf| matches!(leaf, Leaf::Input(_))) {
            return Ok(false);
        }
        let cone = self.cone(&[output], &[])?;
        let reached = self.reached(&cone)?;
        let d = &self.diagrams;
        let read = d.cube(cone.inputs.iter().map(|&i| self.inputs[i]).collect())?;
        let function = self.output(output);
        let varies = d.minus(&d.exists(function, &read)?, &d.forall(function, &read)?)?;
        let mut states = d.and(&varies, &reached)?;
        let reset = self.reset(&cone.latches)?;
        let steps = Preimage::new(self, &cone, std::iter::empty(), Vec::new())?;
        loop {
            if d.and(&states, &reset)? != d.bottom {
                return Ok(true);
            }
            let before = d.and(&steps.of(d, &steps.leading(d, &states)?, &d.top)?, &reached)?;
            let more = d.or(&states, &before)?;
            if more == states {
                return Ok(false);
            }
            states = more;
        }
    }

    fn inputs_to_false(&mut self, output: usize) -> Result<Option<Vec<Vec<bool>>>, Limit> {
        let cone = self.cone(&[output], &[])?;
        let Some(rings) = self.rings(&cone)? else {
            return Err(Limit::new(LimitKind::Size, "the reachable states of the circuit"));
        };
        let d = &self.diagrams;
        let low = d.not(self.output(output))?;
        let steps = Preimage::new(self, &cone, std::iter::empty(), Vec::new())?;
        for (depth, ring) in rings.iter().enumerate() {
            let Some(mut literals) = d.pick(&d.and(ring, &low)?) else { continue };
            let value = |literals: &[(usize, bool)], v: usize| literals.contains(&(v, true));
            let read = |literals: &[(usize, bool)]| -> Vec<bool> {
                self.inputs.iter().map(|&v| value(literals, v)).collect()
            };
            let mut inputs = vec![read(&literals)];
            for ring in rings[..depth].iter().rev() {
                let mut before = steps.answered(d, ring.clone(), &d.top)?;
                for &latch in &cone.latches {
                    let after = value(&literals, self.latches[latch].now);
                    before = if after {
                        d.and(&before, self.next(latch))?
                    } else {
                        d.minus(&before, self.next(latch))?
                    };
                }
                literals = d.pick(&before).unwrap_or_default();
                inputs.push(read(&literals));
            }
            inputs.reverse();
            return Ok(Some(inputs));
        }
        Ok(None)
    }
}
