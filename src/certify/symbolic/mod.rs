//! Certificates of circuits too large to enumerate: model checking on decision diagrams.
//!
//! The questions are those of the explicit certifier (`clauses`), answered by a symbolic tableau (`claims`), the
//! reachable states (`model`) and a search for fair cycles (`fair`). Shares the diagram library with the symbolic
//! engine and nothing else.

mod claims;
mod diagrams;
mod fair;
mod model;
mod order;

use super::clauses::{Checker, Literal, Search};
use super::product::shortened;
use super::{Certified, CertifyError};
use crate::base::{Budget, IdVec, Limit, LimitKind};
use crate::logic::{Alphabet, BitId, Class, Formulas, Lasso, Node, Player};
use crate::model::{Circuit, Contract};
use diagrams::{Bdd, Diagrams, Replacement};
use model::Model;

/// Diagram nodes of the first attempt; each further one has 8 times as many.
const FIRST_NODES: usize = 1 << 18;
/// Diagram nodes at most, and bytes of the memory limit per node.
const MAX_NODES: u64 = 1 << 25;
const BYTES_PER_NODE: u64 = 64;

/// Certifies that a circuit is a controller for the contract: every play keeps it. That it is total, deterministic
/// and makes one update per cell holds by construction.
///
/// # Errors
/// [`CertifyError`]: not a circuit over the alphabet, refuted by a play, or a limit of the budget.
pub fn certify_circuit(
    formulas: &Formulas,
    alphabet: &Alphabet,
    contract: &Contract,
    circuit: &Circuit,
    budget: &Budget,
) -> Result<Certified, CertifyError> {
    certify(formulas, alphabet, contract, (circuit, Player::System), false, budget)
}

/// Certifies that a circuit is a controller for the contract, as [`certify_circuit`], and that its outputs do not
/// depend on the inputs of the same step.
///
/// # Errors
/// [`CertifyError`]: not a circuit over the alphabet, refuted by a play, or a limit of the budget.
pub fn certify_moore_circuit(
    formulas: &Formulas,
    alphabet: &Alphabet,
    contract: &Contract,
    circuit: &Circuit,
    budget: &Budget,
) -> Result<Certified, CertifyError> {
    certify(formulas, alphabet, contract, (circuit, Player::System), true, budget)
}

/// Certifies that a circuit of the environment defeats every controller: its letters do not depend on the outputs
/// of the same step, and every play breaks the contract (and keeps the facts).
///
/// # Errors
/// [`CertifyError`]: not a circuit over the alphabet, refuted by a play, or a limit of the budget.
pub fn certify_counter_circuit(
    formulas: &Formulas,
    alphabet: &Alphabet,
    contract: &Contract,
    circuit: &Circuit,
    budget: &Budget,
) -> Result<Certified, CertifyError> {
    certify(formulas, alphabet, contract, (circuit, Player::Environment), true, budget)
}

/// Certifies what the owner of the circuit claims: that it keeps the contract or that it defeats every controller;
/// with `blind` also that its outputs do not depend on the inputs of the same step.
fn certify(
    formulas: &Formulas,
    alphabet: &Alphabet,
    contract: &Contract,
    (circuit, owner): (&Circuit, Player),
    blind: bool,
    budget: &Budget,
) -> Result<Certified, CertifyError> {
    check_shape(alphabet, circuit, owner)?;
    growing(budget, |nodes| {
        let search = Symbolic::new(formulas, alphabet, circuit, owner, nodes, budget)?;
        if blind {
            search.check_blind()?;
        }
        let mut checker = Checker::new(formulas, alphabet, search);
        let done = match owner {
            Player::System => checker.controller(contract)?,
            Player::Environment => checker.counter(contract)?,
        };
        Ok(Certified { diagram_nodes: checker.search.peak as u64, ..done })
    })
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
    let found = growing(budget, |nodes| {
        let mut model = Model::new(circuit, nodes, budget)?;
        model.reach()?;
        Ok(model.inputs_to_false(output)?)
    });
    found.map_err(|error| match error {
        CertifyError::Limit(limit) => limit,
        other => Limit::new(LimitKind::Size, other.to_string()),
    })
}

/// Tries with more and more diagram nodes.
fn growing<T>(
    budget: &Budget,
    mut attempt: impl FnMut(usize) -> Result<T, CertifyError>,
) -> Result<T, CertifyError> {
    let most = (budget.memory_limit() / BYTES_PER_NODE).clamp(1 << 14, MAX_NODES) as usize;
    let mut nodes = FIRST_NODES.min(most);
    loop {
        match attempt(nodes) {
            Err(CertifyError::Limit(limit)) if limit.kind == LimitKind::Memory && nodes < most => {
                nodes = (nodes * 8).min(most);
            }
            result => return result,
        }
    }
}

fn check_shape(alphabet: &Alphabet, circuit: &Circuit, owner: Player) -> Result<(), CertifyError> {
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

/// Answers emptiness questions about the plays of a circuit.
struct Symbolic<'a> {
    formulas: &'a Formulas,
    alphabet: &'a Alphabet,
    owner: Player,
    model: Model<'a>,
    bits: IdVec<BitId, Bdd>,
    /// The letters that can be read.
    readable: Bdd,
    /// Pairs of variables of the tableaux: a claim, and the same pending from the step before.
    pool: Vec<(usize, usize)>,
    /// Latches become their functions, pending claims the claims.
    step: Replacement,
    nodes: usize,
    peak: usize,
}

impl<'a> Symbolic<'a> {
    fn new(
        formulas: &'a Formulas,
        alphabet: &'a Alphabet,
        circuit: &'a Circuit,
        owner: Player,
        nodes: usize,
        budget: &'a Budget,
    ) -> Result<Self, Limit> {
        let mut model = Model::new(circuit, nodes, budget)?;
        model.reach()?;
        let bits = model.bits(alphabet, owner);
        let readable = match owner {
            Player::System => model.diagrams.top.clone(),
            Player::Environment => model::canonical_codes(&model, alphabet, &bits)?,
        };
        let step = Diagrams::replacement(Vec::new());
        let peak = model.diagrams.nodes();
        let mut this =
            Self { formulas, alphabet, owner, model, bits, readable, pool: Vec::new(), step, nodes, peak };
        this.provide(0)?;
        Ok(this)
    }

    /// Sees to it that there are as many pairs of variables.
    fn provide(&mut self, claims: usize) -> Result<(), Limit> {
        let missing = claims.saturating_sub(self.pool.len());
        let first = self.model.diagrams.add_variables(2 * missing)?;
        self.pool.extend((0..missing).map(|i| (first + 2 * i, first + 2 * i + 1)));
        let d = &self.model.diagrams;
        let latches = self.model.latches.iter().map(|latch| (latch.now, latch.function.clone()));
        let pending = self.pool.iter().map(|&(claim, pending)| (pending, d.variable(claim).clone()));
        self.step = Diagrams::replacement(latches.chain(pending).collect());
        Ok(())
    }

    /// The letters of a counter-strategy do not depend on what it reads.
    fn check_blind(&self) -> Result<(), CertifyError> {
        let d = &self.model.diagrams;
        let read = d.cube(self.model.inputs.clone())?;
        for (bit, output) in self.alphabet.bits_of(self.owner).zip(&self.model.outputs) {
            let varies = d.minus(&d.exists(output, &read)?, &d.forall(output, &read)?)?;
            if d.and(&varies, &self.model.reached)? != d.bottom {
                let message = format!("{bit:?} depends on what the other player does in the same step");
                return Err(CertifyError::Malformed(message));
            }
        }
        Ok(())
    }

    /// Whether the only conjunct is `¬G b` for a `b` without temporal operators that holds in every reachable step.
    fn is_invariant(&self, conjuncts: &[Literal]) -> Result<bool, Limit> {
        let &[(f, false)] = conjuncts else { return Ok(false) };
        let Node::Globally(body) = *self.formulas.node(f) else { return Ok(false) };
        if !self.formulas.class(body).is(Class::BOOLEAN) {
            return Ok(false);
        }
        let d = &self.model.diagrams;
        let context = (self.formulas, self.alphabet);
        let possible = d.and(&self.readable, &self.model.reached)?;
        // Conjunct by conjunct, which keeps the diagrams small.
        let parts = match self.formulas.node(body) {
            Node::And(parts) => parts.to_vec(),
            _ => vec![body],
        };
        for part in parts {
            let made = claims::claims(&self.model, context, &self.bits, &[(part, false)], &[])?;
            if d.and(&made.start, &possible)? != d.bottom {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

impl Search for Symbolic<'_> {
    fn find(&mut self, conjuncts: &[Literal], done: &mut Certified) -> Result<Option<Lasso>, Limit> {
        done.searches += 1;
        if self.model.diagrams.nodes() > self.nodes / 2 {
            self.model.diagrams.collect_garbage();
        }
        if self.is_invariant(conjuncts)? {
            return Ok(None);
        }
        let needed = claims::count(self.formulas, conjuncts);
        if needed > self.pool.len() {
            self.provide(needed)?;
        }
        let context = (self.formulas, self.alphabet);
        let claims = claims::claims(&self.model, context, &self.bits, conjuncts, &self.pool)?;
        let moves = fair::Moves {
            model: &self.model,
            claims: &claims,
            pool: &self.pool,
            step: &self.step,
            readable: &self.readable,
        };
        let play = moves.play(self.alphabet, self.owner)?;
        self.peak = self.peak.max(self.model.diagrams.nodes());
        Ok(play.map(shortened))
    }
}

impl Model<'_> {
    fn inputs_to_false(&self, output: usize) -> Result<Option<Vec<Vec<bool>>>, Limit> {
        let d = &self.diagrams;
        let Some(rings) = &self.rings else {
            return Err(Limit::new(LimitKind::Size, "the reachable states of the circuit"));
        };
        let low = d.not(&self.outputs[output])?;
        for (depth, ring) in rings.iter().enumerate() {
            let Some(mut literals) = d.pick(&d.and(ring, &low)?) else { continue };
            let value = |literals: &[(usize, bool)], v: usize| literals.contains(&(v, true));
            let read = |literals: &[(usize, bool)]| -> Vec<bool> {
                self.inputs.iter().map(|&v| value(literals, v)).collect()
            };
            let mut inputs = vec![read(&literals)];
            for ring in rings[..depth].iter().rev() {
                let mut before = ring.clone();
                for latch in &self.latches {
                    let after = value(&literals, latch.now);
                    before = if after {
                        d.and(&before, &latch.function)?
                    } else {
                        d.minus(&before, &latch.function)?
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
