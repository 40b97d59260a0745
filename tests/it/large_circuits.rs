//! Families of controllers with hundreds of latches, certified on diagrams; incorrect variants are rejected.

use std::time::Instant;
use tsl_synth_core::base::{Budget, Id, IdVec};
use tsl_synth_core::logic::{
    Alphabet, AtomId, BitId, FormulaId, Formulas, Guard, Guards, LassoSemantics, Letter,
};
use tsl_synth_core::model::{
    Circuit, CircuitBuilder, Contract, Literal, Mealy, MealyEdge, MealyState, Role, StateId,
};
use tsl_synth_engine::mealy::mealy_of_circuit;
use tsl_synth_kernel::{CertifyError, StrategyClaim, StrategyRef, certify};
use tsl_synth_testkit::Rng;

/// A controller and its contract.
struct Family {
    formulas: Formulas,
    alphabet: Alphabet,
    contract: Contract,
    circuit: Circuit,
}

/// How an arbiter remembers whose turn it is.
#[derive(Clone, Copy, Debug)]
enum Turn {
    /// One latch per client, of which one is true.
    OneHot,
    /// The number of the client in binary.
    Binary,
    /// Fixed priorities: the first waiting client. Fair for at most two clients, if each pauses again and again.
    Priority,
}

/// At most one is true: a tree, as TLSF libraries write it.
fn at_most_one(formulas: &mut Formulas, all: &[FormulaId]) -> FormulaId {
    if all.len() < 2 {
        return formulas.top();
    }
    let (left, right) = all.split_at(all.len().div_ceil(2));
    let none = |formulas: &mut Formulas, part: &[FormulaId]| {
        let negated: Vec<FormulaId> = part.iter().map(|&f| formulas.not(f)).collect();
        formulas.and(negated)
    };
    let (no_left, no_right) = (none(formulas, left), none(formulas, right));
    let (one_left, one_right) = (at_most_one(formulas, left), at_most_one(formulas, right));
    let sides = [formulas.and([no_left, one_right]), formulas.and([one_left, no_right])];
    formulas.or(sides)
}

/// A full arbiter for `n` clients: never two grants, every request granted, no grant without a request.
fn arbiter(n: usize, turn: Turn) -> Family {
    let (mut formulas, mut alphabet) = (Formulas::new(), Alphabet::new());
    for i in 0..n {
        alphabet.add_input(format!("r{i}"));
    }
    for i in 0..n {
        alphabet.add_output(format!("g{i}"));
    }
    let atom = |formulas: &mut Formulas, i: usize| formulas.atom(AtomId::from_index(i));
    let requests: Vec<FormulaId> = (0..n).map(|i| atom(&mut formulas, i)).collect();
    let grants: Vec<FormulaId> = (0..n).map(|i| atom(&mut formulas, n + i)).collect();
    let mut contract = Contract::default();
    let exclusive = at_most_one(&mut formulas, &grants);
    contract.guarantees.push(formulas.globally(exclusive));
    for (&r, &g) in requests.iter().zip(&grants) {
        let (no_r, no_g) = (formulas.not(r), formulas.not(g));
        let asked = formulas.release(r, no_g);
        let quiet = formulas.and([no_r, no_g]);
        let (quiet_next, asked_next) = (formulas.next(quiet), formulas.next(asked));
        let after = formulas.and([g, quiet_next]);
        let unasked = formulas.implies(after, asked_next);
        let granted = formulas.finally(g);
        let fair = formulas.implies(r, granted);
        // Both requirements of a client under one `G`, as in many specifications.
        let client = formulas.and([unasked, fair]);
        contract.guarantees.extend([asked, formulas.globally(client)]);
        if matches!(turn, Turn::Priority) {
            let pauses = formulas.finally(no_r);
            // Each client pauses again and again.
            contract.assumptions.push(formulas.globally(pauses));
        }
    }

    let mut b = CircuitBuilder::new(n);
    let waiting: Vec<Literal> = (0..n).map(|_| b.add_latch(false)).collect();
    let turns = turns(&mut b, n, turn, &waiting);
    for i in 0..n {
        let granted = b.and(turns[i], waiting[i]);
        let asked = b.or(waiting[i], b.input(i));
        let still = b.and(asked, !granted);
        b.set_next(waiting[i], still);
        b.add_output(granted);
    }
    Family { formulas, alphabet, contract, circuit: b.finish() }
}

/// For each client, whether it is its turn.
fn turns(b: &mut CircuitBuilder, n: usize, turn: Turn, waiting: &[Literal]) -> Vec<Literal> {
    match turn {
        Turn::OneHot => {
            let ring: Vec<Literal> = (0..n).map(|i| b.add_latch(i == 0)).collect();
            for i in 0..n {
                b.set_next(ring[(i + 1) % n], ring[i]);
            }
            ring
        }
        Turn::Binary => {
            let width = (usize::BITS - (n - 1).leading_zeros()) as usize;
            let counter: Vec<Literal> = (0..width).map(|_| b.add_latch(false)).collect();
            let is = |b: &mut CircuitBuilder, value: usize| {
                let bits = counter.iter().enumerate().map(|(i, &l)| l.negated_if(value >> i & 1 == 0));
                b.and_all(bits.collect::<Vec<_>>())
            };
            let last = is(b, n - 1);
            let mut carry = Literal::TRUE;
            for &latch in &counter {
                let sum = b.iff(latch, !carry);
                carry = b.and(carry, latch);
                let next = b.and(sum, !last);
                b.set_next(latch, next);
            }
            (0..n).map(|i| is(b, i)).collect()
        }
        Turn::Priority => {
            let mut free = Literal::TRUE;
            let mut turns = Vec::new();
            for &waits in waiting {
                turns.push(free);
                free = b.and(free, !waits);
            }
            turns
        }
    }
}

fn certified(family: &Family, circuit: &Circuit) -> Result<u64, CertifyError> {
    let Family { formulas, alphabet, contract, .. } = family;
    certify(
        &StrategyClaim { formulas, alphabet, contract, strategy: StrategyRef::MealyCircuit(circuit) },
        &Budget::unlimited(),
    )
    .map(|c| c.diagram_nodes)
}

/// Checks that the play of a rejected circuit violates the clause, satisfies the assumptions and is a play of the
/// circuit.
fn is_refuted(family: &Family, circuit: &Circuit, error: &CertifyError) {
    let CertifyError::Violated(violation) = error else { panic!("{error}") };
    let Family { formulas, alphabet, contract, .. } = family;
    let mut meaning = LassoSemantics::new(formulas, alphabet, &violation.play);
    let clause = violation.clause.expect("a controller breaks one clause");
    assert!(!meaning.holds(contract.of(violation.role)[clause]), "{violation:?}");
    assert!(contract.of(Role::Assumption).iter().all(|&f| meaning.holds(f)), "{violation:?}");
    let (mut latches, n) = (circuit.reset(), circuit.inputs);
    let mut position = 0;
    for _ in 0..2 * violation.play.len() {
        let letter = violation.play.letter(position);
        let bits: Vec<bool> = (0..2 * n).map(|i| letter.contains(BitId::from_index(i))).collect();
        let step = circuit.evaluate(&latches, &bits[..n]);
        assert_eq!(step.outputs(circuit), bits[n..], "step {position}");
        latches = step.next(circuit);
        position = violation.play.successor(position);
    }
}

#[test]
fn arbiters_are_certified() {
    for turn in [Turn::OneHot, Turn::Binary] {
        let family = arbiter(12, turn);
        assert!(certified(&family, &family.circuit).is_ok(), "{turn:?}");
    }
    // The last of three clients starves if the first two request alternately.
    let family = arbiter(3, Turn::Priority);
    let error = certified(&family, &family.circuit).expect_err("unfair");
    is_refuted(&family, &family.circuit, &error);
    let family = arbiter(2, Turn::Priority);
    assert!(certified(&family, &family.circuit).is_ok());
}

#[test]
fn mutants_of_arbiters_are_judged_as_explicitly() {
    let mut rng = Rng(17);
    let mut rejected = 0;
    for turn in [Turn::OneHot, Turn::Binary, Turn::Priority] {
        let family = arbiter(3, turn);
        for _ in 0..40 {
            let mutant = crate::circuits::mutate(&mut rng, &family.circuit);
            let budget = Budget::unlimited();
            let Family { formulas, alphabet, contract, .. } = &family;
            let machine = mealy_of_circuit(alphabet, &mutant, 1000, &budget).expect("few latches");
            let explicit = certify(
                &StrategyClaim { formulas, alphabet, contract, strategy: StrategyRef::Mealy(&machine) },
                &budget,
            );
            let symbolic = certified(&family, &mutant);
            assert_eq!(explicit.is_ok(), symbolic.is_ok(), "{turn:?} {explicit:?} {symbolic:?} {mutant:?}");
            if let Err(error) = symbolic {
                rejected += 1;
                is_refuted(&family, &mutant, &error);
            }
        }
    }
    assert!(rejected > 60, "{rejected} of 120 mutants");
}

#[test]
fn mutants_of_a_large_arbiter_are_refused() {
    let family = arbiter(20, Turn::OneHot);
    let mut broken = family.circuit.clone();
    // Two tokens at once; a client that is never granted; a grant without a request.
    broken.latches[25].reset = true;
    is_refuted(&family, &broken, &certified(&family, &broken).expect_err("two grants"));
    broken = family.circuit.clone();
    broken.outputs[13] = Literal::FALSE;
    is_refuted(&family, &broken, &certified(&family, &broken).expect_err("no grant"));
    broken = family.circuit.clone();
    broken.outputs[7] = broken.latch(27);
    is_refuted(&family, &broken, &certified(&family, &broken).expect_err("nobody asked"));
}

/// A machine that outputs `acc` forever after `runs` consecutive steps with `p` and `q`, for the formula
/// `GF acc ↔ F((p ∧ … ∧ Xⁿp) ∧ (q ∧ … ∧ Xⁿq))`.
fn after_a_run(n: u32, runs: usize) -> (Formulas, Alphabet, Contract, Mealy) {
    let (mut formulas, mut alphabet) = (Formulas::new(), Alphabet::new());
    alphabet.add_input("p");
    alphabet.add_input("q");
    alphabet.add_output("acc");
    let [p, q, acc] = [0, 1, 2].map(|i| formulas.atom(AtomId::from_index(i)));
    let runs_of = [p, q].map(|f| {
        (0..n).fold(f, |run, _| {
            let next = formulas.next(run);
            formulas.and([f, next])
        })
    });
    let both = formulas.and(runs_of);
    let seen = formulas.finally(both);
    let again = formulas.finally(acc);
    let always = formulas.globally(again);
    let contract = Contract { guarantees: vec![formulas.iff(seen, always)], ..Contract::default() };
    let mut guards = Guards::new();
    let yes = [0, 1].map(|i| guards.literal(BitId::from_index(i), true));
    let yes = guards.and(yes[0], yes[1]);
    let (no, given) = (guards.not(yes), BitId::from_index(2));
    let id = StateId::from_index;
    let mut states = IdVec::new();
    for state in 0..=runs {
        let output: Letter = (state == runs).then_some(given).into_iter().collect();
        let edge = |guard, next| MealyEdge { guard, output: output.clone(), next: id(next) };
        let last = state == runs;
        let edges =
            if last { vec![edge(Guard::TRUE, runs)] } else { vec![edge(yes, state + 1), edge(no, 0)] };
        states.push(MealyState { edges });
    }
    (formulas, alphabet, contract, Mealy { guards, states, initial: id(0) })
}

#[test]
fn questions_with_a_large_tableau_are_answered_on_diagrams() {
    let (formulas, alphabet, contract, machine) = after_a_run(22, 23);
    let work = Budget::unlimited().with_work(500_000);
    let certified = certify(
        &StrategyClaim {
            formulas: &formulas,
            alphabet: &alphabet,
            contract: &contract,
            strategy: StrategyRef::Mealy(&machine),
        },
        &work,
    )
    .expect("right");
    assert!(certified.diagram_nodes > 0, "{certified:?}");
    // One step too few, one too many.
    for runs in [22, 24] {
        let (formulas, alphabet, contract, machine) = after_a_run(22, runs);
        let wrong = certify(
            &StrategyClaim {
                formulas: &formulas,
                alphabet: &alphabet,
                contract: &contract,
                strategy: StrategyRef::Mealy(&machine),
            },
            &work,
        );
        let Err(CertifyError::Violated(violation)) = wrong else { panic!("{wrong:?}") };
        assert!(!LassoSemantics::new(&formulas, &alphabet, &violation.play).holds(contract.guarantees[0]));
    }
}

/// Prints the size and time of certificates of larger and larger arbiters.
#[test]
#[ignore = "a measurement"]
fn cost_of_large_circuits() {
    for turn in [Turn::OneHot, Turn::Binary] {
        for n in [10, 25, 50, 100, 250] {
            let family = arbiter(n, turn);
            let start = Instant::now();
            let nodes = certified(&family, &family.circuit).expect("right");
            let latches = family.circuit.latches.len();
            println!("{turn:?} {n}: {latches} latches, {nodes} nodes, {:?}", start.elapsed());
        }
    }
}
