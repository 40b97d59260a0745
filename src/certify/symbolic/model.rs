//! A circuit as functions on decision diagrams, and the states it reaches.
//!
//! States are valuations of latches. Predecessors are found by composition with the latches' functions, so that
//! the transition relation is never built; only the forward search for reachable states uses a relation, in
//! clusters with early quantification (Burch, Clarke and Long, VLSI 1991; Ranjan et al., IWLS 1995). The reachable
//! states only prune: where that search meets a limit all states count as reachable, which is sound.

use super::diagrams::{Bdd, Diagrams};
use super::order::{Leaf, support, variable_order};
use crate::base::{Budget, IdVec, Limit, LimitKind};
use crate::logic::{Alphabet, BitId, Guard, Guards, Letter, Player};
use crate::model::Circuit;

/// Inputs, latches and claims in all: the library recurses as deep as there are variables.
const MAX_VARIABLES: usize = 8192;
/// Nodes of a cluster of the transition relation.
const CLUSTER: usize = 2000;
/// Rounds of the forward search.
const MAX_ROUNDS: usize = 4096;

/// A latch: its variables in this and in the next step, and its function.
pub(super) struct LatchVariables {
    pub(super) now: usize,
    pub(super) next: usize,
    pub(super) function: Bdd,
}

/// A circuit on diagrams.
pub(super) struct Model<'a> {
    pub(super) diagrams: Diagrams<'a>,
    pub(super) circuit: &'a Circuit,
    /// The variable of each input.
    pub(super) inputs: Vec<usize>,
    pub(super) latches: Vec<LatchVariables>,
    /// The function of each output.
    pub(super) outputs: Vec<Bdd>,
    /// The first state.
    pub(super) reset: Bdd,
    /// A superset of the reachable states, as a set of latch valuations.
    pub(super) reached: Bdd,
    /// The states first reached after 0, 1, ... steps; `None` if the search did not finish.
    pub(super) rings: Option<Vec<Bdd>>,
}

impl<'a> Model<'a> {
    /// The functions of a well-formed circuit, with a store of at most `nodes` nodes.
    pub(super) fn new(circuit: &'a Circuit, nodes: usize, budget: &'a Budget) -> Result<Self, Limit> {
        let leaves = variable_order(circuit);
        let count = circuit.inputs + 2 * circuit.latches.len();
        if count > MAX_VARIABLES {
            let what = format!("certificate: a circuit of more than {MAX_VARIABLES} inputs and latches");
            return Err(Limit::new(LimitKind::Size, what));
        }
        let diagrams = Diagrams::new(nodes, count, budget)?;
        let mut inputs = vec![0; circuit.inputs];
        let mut places = vec![0; circuit.latches.len()];
        let mut variable = 0;
        for leaf in leaves {
            match leaf {
                Leaf::Input(i) => inputs[i] = variable,
                Leaf::Latch(i) => places[i] = variable,
            }
            variable += if matches!(leaf, Leaf::Latch(_)) { 2 } else { 1 };
        }
        let mut values = vec![diagrams.bottom.clone()];
        values.extend(inputs.iter().chain(&places).map(|&v| diagrams.variable(v).clone()));
        for &(a, b) in &circuit.gates {
            let operand = |l: crate::model::Literal| {
                let value = &values[l.variable()];
                if l.is_negated() { diagrams.not(value) } else { Ok(value.clone()) }
            };
            let gate = diagrams.and(&operand(a)?, &operand(b)?)?;
            values.push(gate);
        }
        let function = |l: crate::model::Literal| {
            let value = &values[l.variable()];
            if l.is_negated() { diagrams.not(value) } else { Ok(value.clone()) }
        };
        let outputs: Result<Vec<Bdd>, Limit> = circuit.outputs.iter().map(|&l| function(l)).collect();
        let mut latches = Vec::new();
        for (latch, &now) in circuit.latches.iter().zip(&places) {
            latches.push(LatchVariables { now, next: now + 1, function: function(latch.next)? });
        }
        let reset = circuit.latches.iter().zip(&places).map(|(latch, &now)| (now, latch.reset));
        let reset = diagrams.literals(reset.collect())?;
        let (outputs, reached) = (outputs?, diagrams.top.clone());
        drop(values);
        Ok(Self { diagrams, circuit, inputs, latches, outputs, reset, reached, rings: None })
    }

    /// Searches the reachable states.
    ///
    /// # Errors
    /// Limits other than of memory and rounds; at those all states count as reachable.
    pub(super) fn reach(&mut self) -> Result<(), Limit> {
        match self.forward() {
            Ok(Some(rings)) => {
                let d = &self.diagrams;
                self.reached = rings.iter().try_fold(d.bottom.clone(), |sum, ring| d.or(&sum, ring))?;
                self.rings = Some(rings);
                Ok(())
            }
            Err(limit) if limit.kind != LimitKind::Memory => Err(limit),
            Ok(None) | Err(_) => {
                self.diagrams.collect_garbage();
                Ok(())
            }
        }
    }

    fn forward(&self) -> Result<Option<Vec<Bdd>>, Limit> {
        let d = &self.diagrams;
        let image = Image::new(self)?;
        let mut reached = self.reset.clone();
        let mut rings = vec![self.reset.clone()];
        while rings.len() < MAX_ROUNDS {
            let Some(frontier) = rings.last() else { break };
            let next = image.of(d, frontier)?;
            let fresh = d.minus(&next, &reached)?;
            if fresh == d.bottom {
                return Ok(Some(rings));
            }
            reached = d.or(&reached, &fresh)?;
            rings.push(fresh);
        }
        Ok(None)
    }

    /// The function of every bit of an alphabet, for a strategy of `owner`: its outputs and what it reads.
    pub(super) fn bits(&self, alphabet: &Alphabet, owner: Player) -> IdVec<BitId, Bdd> {
        let mut bits = IdVec::filled(self.diagrams.bottom.clone(), alphabet.bit_count());
        for (bit, function) in alphabet.bits_of(owner).zip(&self.outputs) {
            bits[bit] = function.clone();
        }
        for (bit, &variable) in alphabet.bits_of(owner.opponent()).zip(&self.inputs) {
            bits[bit] = self.diagrams.variable(variable).clone();
        }
        bits
    }

    /// A guard over bits as a function. Recursion is as deep as there are bits in the guard.
    pub(super) fn guard(
        &self,
        guards: &Guards,
        guard: Guard,
        bits: &IdVec<BitId, Bdd>,
    ) -> Result<Bdd, Limit> {
        let Some((bit, low, high)) = guards.branch(guard) else {
            return Ok(self.diagrams.constant(guard == Guard::TRUE));
        };
        let low = self.guard(guards, low, bits)?;
        let high = self.guard(guards, high, bits)?;
        self.diagrams.ite(&bits[bit], &high, &low)
    }

    /// The letter of a step: what was read and what the circuit answers.
    pub(super) fn letter(
        &self,
        alphabet: &Alphabet,
        owner: Player,
        latches: &[bool],
        inputs: &[bool],
    ) -> (Letter, Vec<bool>) {
        let values = self.circuit.evaluate(latches, inputs);
        let outputs = values.outputs(self.circuit);
        let given = alphabet.bits_of(owner).zip(outputs.iter());
        let read = alphabet.bits_of(owner.opponent()).zip(inputs.iter());
        let letter: Letter = given.chain(read).filter(|(_, value)| **value).map(|(bit, _)| bit).collect();
        (alphabet.canonical(&letter), values.next(self.circuit))
    }
}

/// The clusters of the transition relation, each with the variables that no later one mentions.
struct Image {
    clusters: Vec<(Bdd, Bdd)>,
    /// Variables that no cluster mentions.
    alone: Bdd,
    rename: super::diagrams::Replacement,
}

impl Image {
    fn new(model: &Model<'_>) -> Result<Self, Limit> {
        let d = &model.diagrams;
        let mut order: Vec<usize> = (0..model.latches.len()).collect();
        order.sort_by_key(|&i| model.latches[i].now);
        let mut relations: Vec<Bdd> = Vec::new();
        let mut last = vec![None; model.circuit.inputs + 2 * model.latches.len()];
        for i in order {
            let latch = &model.latches[i];
            let part = d.iff(d.variable(latch.next), &latch.function)?;
            let joined = match relations.last() {
                Some(cluster) => Some(d.and(cluster, &part)?),
                None => None,
            };
            match joined.filter(|joined| oxidd::Function::node_count(joined) <= CLUSTER) {
                Some(joined) => *relations.last_mut().expect("it was joined to the last") = joined,
                None => relations.push(part),
            }
            for leaf in support(model.circuit, model.circuit.latches[i].next) {
                let variable = match leaf {
                    Leaf::Input(j) => model.inputs[j],
                    Leaf::Latch(j) => model.latches[j].now,
                };
                last[variable] = Some(relations.len() - 1);
            }
        }
        let mut freed: Vec<Vec<usize>> = vec![Vec::new(); relations.len()];
        let mut alone = Vec::new();
        for &variable in model.inputs.iter().chain(model.latches.iter().map(|latch| &latch.now)) {
            match last[variable] {
                Some(cluster) => freed[cluster].push(variable),
                None => alone.push(variable),
            }
        }
        let mut clusters = Vec::new();
        for (relation, variables) in relations.into_iter().zip(freed) {
            clusters.push((relation, d.cube(variables)?));
        }
        let back = model.latches.iter().map(|latch| (latch.next, d.variable(latch.now).clone()));
        Ok(Self { clusters, alone: d.cube(alone)?, rename: Diagrams::replacement(back.collect()) })
    }

    /// The successors of a set of states.
    fn of(&self, d: &Diagrams<'_>, states: &Bdd) -> Result<Bdd, Limit> {
        let mut image = d.exists(states, &self.alone)?;
        for (relation, freed) in &self.clusters {
            image = d.and_exists(&image, relation, freed)?;
        }
        d.replace(&image, &self.rename)
    }
}

/// The valuations of bits in which every cell has the code of one of its options.
pub(super) fn canonical_codes(
    model: &Model<'_>,
    alphabet: &Alphabet,
    bits: &IdVec<BitId, Bdd>,
) -> Result<Bdd, Limit> {
    let d = &model.diagrams;
    let mut all = d.top.clone();
    for cell in alphabet.cells() {
        // code ≤ last, from the least significant bit: at each bit the comparison so far decides a tie.
        let last = cell.options.len() - 1;
        let mut at_most = d.top.clone();
        for (i, &bit) in cell.bits.iter().enumerate() {
            let zero = d.not(&bits[bit])?;
            at_most = if last >> i & 1 == 1 { d.or(&zero, &at_most)? } else { d.and(&zero, &at_most)? };
        }
        all = d.and(&all, &at_most)?;
    }
    Ok(all)
}
