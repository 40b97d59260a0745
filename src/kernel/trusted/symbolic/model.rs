//! A circuit as functions on decision diagrams, computed for one cone at a time. A latch has two variables, for this
//! and the next step. An output on which latches depend, an *answer*, has one, too (see `preimage`).

use super::clusters::Clusters;
use super::diagrams::{Bdd, Diagrams};
use super::structure::{Cone, Structure, SupportLeaf};
use crate::tuning::{CLAIMS_PER_LETTER, MAX_VARIABLES, RECENT_RELATIONS};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::rc::Rc;
use tsl_synth_core::base::{Budget, Id, IdVec, Limit, LimitKind, Variable, steps};
use tsl_synth_core::logic::{Alphabet, BitId, Guard, Guards, Letter, Player};
use tsl_synth_core::model::{Circuit, Literal};

/// The variables of a latch in this and in the next step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LatchVariables {
    pub(crate) now: Variable,
    pub(crate) next: Variable,
}

/// The variables over which functions are expressed, besides inputs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FunctionTerms {
    Latches,
    /// Latches and answers.
    Answers,
    /// None: latches have their initial values.
    First,
}

/// A circuit on diagrams.
pub(crate) struct CircuitModel<'a> {
    pub(crate) diagrams: Diagrams,
    pub(crate) circuit: &'a Circuit,
    pub(crate) structure: Structure,
    /// The variable of each input.
    pub(crate) inputs: Vec<Variable>,
    pub(crate) latches: Vec<LatchVariables>,
    /// The variable of each output that is an answer; `None` for others.
    answers: Vec<Option<Variable>>,
    /// Pairs of variables reserved for claims, from the top.
    pub(crate) room: Vec<(Variable, Variable)>,
    /// The functions computed so far: of outputs over inputs and latches, of the next values of latches over these and
    /// answers.
    outputs: Vec<Option<Bdd>>,
    next: Vec<Option<Bdd>>,
    /// For each block of latches a superset of its reachable states; `None` before it is needed.
    pub(crate) reached: Vec<Option<Bdd>>,
    /// The transition relations that were used last.
    recent: RefCell<Vec<Recent>>,
}

/// The transition relation of a cone.
struct Recent {
    latches: Vec<usize>,
    answers: Vec<usize>,
    steps: Rc<Clusters>,
}

impl<'a> CircuitModel<'a> {
    /// A well-formed circuit with its variables in some order, with a store of at most `nodes` nodes; next values are
    /// expressed in terms of answers if `cut`.
    pub(crate) fn new(
        circuit: &'a Circuit,
        cut: bool,
        order: &[SupportLeaf],
        nodes: usize,
        budget: &Budget,
    ) -> Result<Self, Limit> {
        let structure = Structure::new(circuit, cut);
        let mut is_answer = vec![false; circuit.outputs.len()];
        for latch in 0..circuit.latches.len() {
            structure.answers(latch).for_each(|o| is_answer[o] = true);
        }
        let answered = is_answer.iter().filter(|&&is| is).count();
        let letters = circuit.inputs + answered;
        let count = letters + 2 * circuit.latches.len();
        let room =
            if count + 2 * CLAIMS_PER_LETTER * letters > MAX_VARIABLES { 0 } else { CLAIMS_PER_LETTER };
        let count = count + 2 * room * letters;
        if count > MAX_VARIABLES {
            let what = format!("certificate: a circuit of more than {MAX_VARIABLES} inputs and latches");
            return Err(Limit::new(LimitKind::Size, what));
        }
        let diagrams = Diagrams::new(nodes, count, budget)?;
        let at = Variable::from_index;
        let mut inputs = vec![at(0); circuit.inputs];
        let mut latches = vec![LatchVariables { now: at(0), next: at(0) }; circuit.latches.len()];
        let mut answers = vec![None; circuit.outputs.len()];
        let (mut variable, mut pairs) = (0, Vec::new());
        for leaf in order {
            match leaf {
                &SupportLeaf::Input(i) => inputs[i] = at(variable),
                &SupportLeaf::Latch(i) => {
                    latches[i] = LatchVariables { now: at(variable), next: at(variable + 1) }
                }
                &SupportLeaf::Output(o) if is_answer[o] => answers[o] = Some(at(variable)),
                SupportLeaf::Output(_) => continue,
            }
            if let SupportLeaf::Latch(_) = leaf {
                variable += 2;
            } else {
                let first = variable + 1;
                pairs.extend((0..room).map(|i| (at(first + 2 * i), at(first + 2 * i + 1))));
                variable = first + 2 * room;
            }
        }
        let (outputs, next) = (vec![None; circuit.outputs.len()], vec![None; latches.len()]);
        let reached = vec![None; structure.blocks.len()];
        Ok(Self {
            diagrams,
            circuit,
            structure,
            inputs,
            latches,
            answers,
            room: pairs,
            outputs,
            next,
            reached,
            recent: RefCell::default(),
        })
    }

    /// The cone of some outputs and inputs; computes its functions.
    pub(crate) fn cone(&mut self, outputs: &[usize], inputs: &[usize]) -> Result<Cone, Limit> {
        let cone = self.structure.cone(outputs, inputs, self.circuit.inputs);
        let circuit = self.circuit;
        let outputs: Vec<usize> = cone.outputs.iter().chain(&cone.answers).copied().collect();
        let outputs: Vec<usize> = outputs.into_iter().filter(|&i| self.outputs[i].is_none()).collect();
        let latches: Vec<usize> = cone.latches.iter().copied().filter(|&i| self.next[i].is_none()).collect();
        let roots: Vec<Literal> = outputs.iter().map(|&i| circuit.outputs[i]).collect();
        for (i, function) in outputs.into_iter().zip(self.functions(&roots, FunctionTerms::Latches)?) {
            self.outputs[i] = Some(function);
        }
        let roots: Vec<Literal> = latches.iter().map(|&i| circuit.latches[i].next).collect();
        for (i, function) in latches.into_iter().zip(self.functions(&roots, FunctionTerms::Answers)?) {
            self.next[i] = Some(function);
        }
        Ok(cone)
    }

    /// The functions of some outputs in the first step.
    pub(crate) fn first_outputs(&self, outputs: &[usize]) -> Result<Vec<Bdd>, Limit> {
        let roots: Vec<Literal> = outputs.iter().map(|&o| self.circuit.outputs[o]).collect();
        self.functions(&roots, FunctionTerms::First)
    }

    /// The functions of literals.
    fn functions(&self, roots: &[Literal], terms: FunctionTerms) -> Result<Vec<Bdd>, Limit> {
        let (d, circuit) = (&self.diagrams, self.circuit);
        let first_gate = 1 + circuit.inputs + circuit.latches.len();
        let end =
            |variable: usize| self.structure.ends.get(&variable).filter(|_| terms == FunctionTerms::Answers);
        steps::count(circuit.variables() as u64);
        let mut needed = vec![false; circuit.variables()];
        for root in roots {
            needed[root.variable()] = true;
        }
        for (i, &(a, b)) in circuit.gates.iter().enumerate().rev() {
            if needed[first_gate + i] && end(first_gate + i).is_none() {
                (needed[a.variable()], needed[b.variable()]) = (true, true);
            }
        }
        let mut gates: FxHashMap<usize, Bdd> = FxHashMap::default();
        let of = |gates: &FxHashMap<usize, Bdd>, literal: Literal| {
            let variable = literal.variable();
            if let Some(&(output, negated)) = end(variable) {
                let answer = d.variable(self.answer(output));
                return if literal.is_negated() == negated { Ok(answer.clone()) } else { d.not(answer) };
            }
            let value = match variable.checked_sub(1) {
                None => &d.bottom,
                Some(input) if input < circuit.inputs => d.variable(self.inputs[input]),
                Some(input) if variable < first_gate => {
                    let latch = input - circuit.inputs;
                    if terms == FunctionTerms::First {
                        return Ok(d.constant(circuit.latches[latch].reset != literal.is_negated()));
                    }
                    d.variable(self.latches[latch].now)
                }
                Some(_) => &gates[&variable],
            };
            if literal.is_negated() { d.not(value) } else { Ok(value.clone()) }
        };
        for (i, &(a, b)) in circuit.gates.iter().enumerate() {
            if needed[first_gate + i] && end(first_gate + i).is_none() {
                let gate = d.and(&of(&gates, a)?, &of(&gates, b)?)?;
                gates.insert(first_gate + i, gate);
            }
        }
        roots.iter().map(|&root| of(&gates, root)).collect()
    }

    /// The function of an output in a cone that was made.
    pub(crate) fn output(&self, output: usize) -> &Bdd {
        self.outputs[output].as_ref().expect("its cone was made")
    }

    /// The next value of a latch in a cone that was made.
    pub(crate) fn next(&self, latch: usize) -> &Bdd {
        self.next[latch].as_ref().expect("its cone was made")
    }

    /// The variable of an output on which latches depend.
    pub(crate) fn answer(&self, output: usize) -> Variable {
        self.answers[output].expect("an output on which latches depend has a variable")
    }

    /// The variable, in this step, of an input, a latch or an answer.
    pub(crate) fn variable_of(&self, leaf: &SupportLeaf) -> Variable {
        match *leaf {
            SupportLeaf::Input(i) => self.inputs[i],
            SupportLeaf::Latch(i) => self.latches[i].now,
            SupportLeaf::Output(o) => self.answer(o),
        }
    }

    /// For each bit of an alphabet the last variable in this step that it depends on.
    pub(crate) fn depths(&self, alphabet: &Alphabet, owner: Player) -> IdVec<BitId, Variable> {
        let first = Variable::from_index(0);
        let mut depths = IdVec::filled(first, alphabet.bit_count());
        for (bit, &variable) in alphabet.bits_of(owner.opponent()).zip(&self.inputs) {
            depths[bit] = variable;
        }
        for (output, bit) in alphabet.bits_of(owner).enumerate() {
            let support = &self.structure.outputs[output];
            let deepest = || support.iter().map(|leaf| self.variable_of(leaf)).max().unwrap_or(first);
            depths[bit] = self.answers[output].unwrap_or_else(deepest);
        }
        depths
    }

    /// The initial values of some latches.
    pub(crate) fn reset(&self, latches: &[usize]) -> Result<Bdd, Limit> {
        let values = latches.iter().map(|&i| (self.latches[i].now, self.circuit.latches[i].reset));
        self.diagrams.literals(values.collect())
    }

    /// The function of every bit of an alphabet, for a strategy of `owner`: its outputs and the inputs that it reads.
    /// Outputs outside of the cone are left out; `answers` are represented by their variables.
    pub(crate) fn bits(
        &self,
        alphabet: &Alphabet,
        owner: Player,
        cone: &Cone,
        answers: &[usize],
    ) -> IdVec<BitId, Bdd> {
        let mut bits = IdVec::filled(self.diagrams.bottom.clone(), alphabet.bit_count());
        let given: Vec<BitId> = alphabet.bits_of(owner).collect();
        for &output in &cone.outputs {
            let answer = answers.contains(&output).then(|| self.diagrams.variable(self.answer(output)));
            bits[given[output]] = answer.unwrap_or_else(|| self.output(output)).clone();
        }
        for (bit, &variable) in alphabet.bits_of(owner.opponent()).zip(&self.inputs) {
            bits[bit] = self.diagrams.variable(variable).clone();
        }
        bits
    }

    /// A guard over bits as a function. Recursion is as deep as there are bits in the guard.
    pub(crate) fn guard(
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

    /// The letter of a step: the inputs and the circuit's outputs; also the next values of the latches.
    pub(crate) fn letter(
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

    /// The relation of some answers and of the next values of some latches. Consecutive questions are often about one
    /// cone: the last few relations are kept.
    pub(crate) fn steps(&self, latches: &[usize], answers: &[usize]) -> Result<Rc<Clusters>, Limit> {
        let mut recent = self.recent.borrow_mut();
        let known = recent.iter().position(|made| made.latches == latches && made.answers == answers);
        let made = match known {
            Some(known) => recent.remove(known),
            None => Recent {
                latches: latches.to_vec(),
                answers: answers.to_vec(),
                steps: Rc::new(self.clusters(latches, answers)?),
            },
        };
        let steps = Rc::clone(&made.steps);
        recent.truncate(RECENT_RELATIONS - 1);
        recent.insert(0, made);
        Ok(steps)
    }

    fn clusters(&self, latches: &[usize], answers: &[usize]) -> Result<Clusters, Limit> {
        let d = &self.diagrams;
        let mut steps = Clusters::new(d);
        let support =
            |leaves: &[SupportLeaf]| leaves.iter().map(|leaf| self.variable_of(leaf)).collect::<Vec<_>>();
        let (mut latches, mut answers) = (latches.to_vec(), answers.to_vec());
        answers.sort_by_key(|&o| self.answer(o));
        for o in answers {
            let part = d.iff(d.variable(self.answer(o)), self.output(o))?;
            let mentions = support(&self.structure.outputs[o]).into_iter().chain([self.answer(o)]);
            steps.join(d, part, mentions)?;
        }
        latches.sort_by_key(|&i| self.latches[i].now);
        for i in latches {
            let part = d.iff(d.variable(self.latches[i].next), self.next(i))?;
            steps.join(d, part, support(&self.structure.local[i]))?;
        }
        Ok(steps)
    }
}

/// The valuations of the inputs in which every cell of the cone has the code of one of its options.
pub(crate) fn canonical_codes(
    model: &CircuitModel<'_>,
    alphabet: &Alphabet,
    bits: &IdVec<BitId, Bdd>,
    cone: &Cone,
) -> Result<Bdd, Limit> {
    let d = &model.diagrams;
    let mut all = d.top.clone();
    let inside = |bit: &BitId| cone.inputs.iter().any(|&i| *d.variable(model.inputs[i]) == bits[*bit]);
    for cell in alphabet.cells().iter().filter(|cell| cell.bits.iter().any(inside)) {
        // code ≤ last, compared from the least significant bit: on equal bits the result for the lower bits decides.
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
