//! The claims about the machine of a verdict, each as a question of its own. Together the answers prove the verdict.

use super::tableau;
use super::wires::{Copy, atoms_of, one_update_each};
use tsl_synth_core::base::Id;
use tsl_synth_core::logic::{Alphabet, FormulaId, Formulas, Player};
use tsl_synth_core::model::{CircuitBuilder, Contract, Literal, Role};
use tsl_synth_explain::role_word;
use tsl_synth_formats::aiger::{Aiger, CircuitProperty, ModelChecking};
use tsl_synth_lang::spec::{ClauseId, Problem, Target};

/// A clause in the form that the machine must satisfy.
pub(super) struct CheckedClause {
    pub(super) id: ClauseId,
    pub(super) role: Role,
    pub(super) formula: FormulaId,
}

impl CheckedClause {
    /// The name of its files without the extension.
    pub(super) fn stem(&self) -> String {
        format!("{:02}-{}", self.id.index() + 1, role_word(self.role))
    }
}

/// One claim.
pub(super) struct EvidenceClaim {
    /// The name of its files without the extension.
    pub(super) stem: String,
    /// The claim in a sentence.
    pub(super) says: String,
    /// The formula that no play of the machine satisfies, if the claim can be stated as one.
    pub(super) formula: Option<FormulaId>,
    /// The question whether the claim is wrong, about a circuit.
    pub(super) problem: ModelChecking,
}

/// The clauses in the form that a strategy of `owner` must satisfy. For Moore machines of the system, inputs refer to
/// their own step again, without the delay of the game.
pub(super) fn held(problem: &mut Problem, owner: Player) -> Vec<CheckedClause> {
    let mut contract = problem.contract();
    if owner == Player::System {
        contract = problem.target_contract(&contract);
    }
    let mut next = [0; 4];
    let place = |role: Role| match role {
        Role::Fact => 0,
        Role::Restriction => 1,
        Role::Assumption => 2,
        Role::Guarantee => 3,
    };
    let of_role = |(id, role): (ClauseId, Role)| {
        let at = &mut next[place(role)];
        *at += 1;
        CheckedClause { id, role, formula: contract.of(role)[*at - 1] }
    };
    problem.clauses.enumerate().map(|(id, clause)| (id, clause.role)).map(of_role).collect()
}

/// The contract of the clauses.
pub(super) fn contract(held: &[CheckedClause]) -> Contract {
    let of = |role| held.iter().filter(|clause| clause.role == role).map(|clause| clause.formula).collect();
    Contract {
        facts: of(Role::Fact),
        restrictions: of(Role::Restriction),
        assumptions: of(Role::Assumption),
        guarantees: of(Role::Guarantee),
    }
}

/// All claims.
pub(super) fn claims(
    problem: &mut Problem,
    held: &[CheckedClause],
    machine: &Aiger,
    owner: Player,
) -> Vec<EvidenceClaim> {
    let mut claims = Vec::new();
    let alphabet = &problem.alphabet;
    if owner == Player::System && alphabet.cells().iter().next().is_some() {
        claims.push(EvidenceClaim {
            stem: "cells".into(),
            says: "each cell gets exactly one update in each step".into(),
            formula: None,
            problem: cells(alphabet, machine),
        });
    }
    if owner == Player::Environment || problem.target == Target::Moore {
        let says = match owner {
            Player::Environment => "the inputs do not depend on the outputs of the same step",
            Player::System => "the outputs do not depend on the inputs of the same step",
        };
        claims.push(EvidenceClaim {
            stem: "moore".into(),
            says: says.into(),
            formula: None,
            problem: moore(alphabet, machine, owner),
        });
    }
    let Problem { formulas, alphabet, .. } = problem;
    let contract = contract(held);
    let (facts, restrictions) = (&contract.facts, &contract.restrictions);
    for clause in held {
        let (given, says) = match (owner, clause.role) {
            (Player::System, Role::Restriction) => {
                (facts.clone(), "no play that keeps the facts breaks this restriction")
            }
            (Player::System, Role::Guarantee) => (
                [facts.as_slice(), &contract.assumptions].concat(),
                "no play that keeps the facts and the assumptions breaks this guarantee",
            ),
            (Player::Environment, Role::Fact) => (Vec::new(), "no play breaks this fact"),
            (Player::Environment, Role::Assumption) => {
                (restrictions.clone(), "no play that keeps the restrictions breaks this assumption")
            }
            _ => continue,
        };
        let broken = formulas.not(clause.formula);
        let conjuncts = [given.as_slice(), &[broken]].concat();
        claims.push(of_formulas(
            formulas,
            alphabet,
            (machine, owner),
            (clause.stem(), says.into()),
            &conjuncts,
        ));
    }
    if owner == Player::Environment {
        let conjuncts = [restrictions.as_slice(), &contract.guarantees].concat();
        let says = "no play keeps all restrictions and all guarantees".to_string();
        claims.push(of_formulas(
            formulas,
            alphabet,
            (machine, owner),
            ("all-guarantees".into(), says),
            &conjuncts,
        ));
    }
    claims
}

fn of_formulas(
    formulas: &mut Formulas,
    alphabet: &Alphabet,
    (machine, owner): (&Aiger, Player),
    (stem, says): (String, String),
    conjuncts: &[FormulaId],
) -> EvidenceClaim {
    let problem = tableau::problem(formulas, alphabet, machine, owner, conjuncts);
    let formula = formulas.and(conjuncts.iter().copied());
    EvidenceClaim { stem, says, formula: Some(formula), problem }
}

fn names(machine: &Aiger) -> Vec<String> {
    machine.inputs.iter().map(|name| name.clone().unwrap_or_default()).collect()
}

fn asked(
    mut builder: CircuitBuilder,
    bad: Literal,
    constraint: Literal,
    inputs: Vec<String>,
) -> ModelChecking {
    builder.add_output(bad);
    builder.add_output(constraint);
    let mut circuit = builder.finish();
    let outputs = std::mem::take(&mut circuit.outputs);
    let constraints = outputs[1..].iter().copied().filter(|&literal| literal != Literal::TRUE).collect();
    ModelChecking {
        circuit,
        inputs,
        constraints,
        question: CircuitProperty::Bad(outputs[0]),
        comment: String::new(),
    }
}

/// Asks whether some cell ever has no update, or more than one.
fn cells(alphabet: &Alphabet, machine: &Aiger) -> ModelChecking {
    let mut builder = CircuitBuilder::new(machine.circuit.inputs);
    let inputs: Vec<Literal> = (0..machine.circuit.inputs).map(|i| builder.input(i)).collect();
    let (copy, _) = Copy::running(&mut builder, &machine.circuit, &inputs);
    let outputs = copy.outputs(&machine.circuit);
    let one = one_update_each(&mut builder, alphabet, &atoms_of(alphabet, Player::System), &outputs);
    asked(builder, !one, Literal::TRUE, names(machine))
}

/// Asks whether in some state two letters of the opponent get different answers.
fn moore(alphabet: &Alphabet, machine: &Aiger, owner: Player) -> ModelChecking {
    let read = machine.circuit.inputs;
    let mut builder = CircuitBuilder::new(2 * read);
    let [inputs, others] =
        [0, read].map(|from| -> Vec<Literal> { (from..from + read).map(|i| builder.input(i)).collect() });
    let (copy, latches) = Copy::running(&mut builder, &machine.circuit, &inputs);
    let other = Copy::new(&mut builder, &machine.circuit, &others, &latches);
    let pairs = copy.outputs(&machine.circuit).into_iter().zip(other.outputs(&machine.circuit));
    let same: Vec<Literal> = pairs.map(|(a, b)| builder.iff(a, b)).collect();
    let same = builder.and_all(same);
    let reads = atoms_of(alphabet, owner.opponent());
    let legal = [&inputs, &others].map(|letters| one_update_each(&mut builder, alphabet, &reads, letters));
    let legal = builder.and(legal[0], legal[1]);
    let own = names(machine);
    let instead = own.iter().map(|name| format!("instead: {name}")).collect();
    asked(builder, !same, legal, [own.clone(), instead].concat())
}
