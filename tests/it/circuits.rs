//! Circuits: made from machines, written and read as AIGER, certified on diagrams.

use crate::campaign::{controller_is_right, counter_is_right, first_seed, setting, winners};
use crate::oracle::instance::Instance;
use crate::oracle::machines::{random_counter, random_mealy};
use crate::oracle::specs::{Scale, random_instance};
use tsl_synth_core::base::{Budget, LimitKind};
use tsl_synth_core::logic::{Alphabet, Guard, LassoSemantics, Letter, Player};
use tsl_synth_core::model::{Circuit, CircuitBuilder, Literal, Mealy, Role, StrategyRepr, Verdict};
use tsl_synth_engine::mealy::{
    PlaySoFar, Strategist, circuit_of_counter, circuit_of_mealy, counter_of_circuit, mealy_of_circuit,
};
use tsl_synth_formats::aiger::{Aiger, aiger_of_strategy, read_aiger, write_ascii, write_binary};
use tsl_synth_kernel as certify;
use tsl_synth_kernel::{
    CertifyError, StrategyClaim, StrategyRef, Violation, certify, controller_of_circuit, find_false_output,
};
use tsl_synth_testkit::{Rng, small_alphabet};

/// The values of a player's bits in a letter, in order.
fn values(alphabet: &Alphabet, player: Player, letter: &Letter) -> Vec<bool> {
    alphabet.bits_of(player).map(|bit| letter.contains(bit)).collect()
}

/// Checks that both have the same outputs on a random word.
fn same_behavior(rng: &mut Rng, alphabet: &Alphabet, machine: &Mealy, circuit: &Circuit) {
    let (mut state, mut latches) = (machine.initial, circuit.reset());
    for _ in 0..60 {
        let input: Letter = alphabet.bits_of(Player::Environment).filter(|_| rng.flip()).collect();
        let edge = machine.edge(state, &input).expect("total");
        let step = circuit.evaluate(&latches, &values(alphabet, Player::Environment, &input));
        let bits = alphabet.bits_of(Player::System).zip(step.outputs(circuit));
        let output: Letter = bits.filter(|(_, value)| *value).map(|(bit, _)| bit).collect();
        assert_eq!(alphabet.canonical(&output), alphabet.canonical(&edge.output));
        (state, latches) = (edge.next, step.next(circuit));
    }
}

#[test]
fn circuits_do_what_their_machines_do_and_aiger_keeps_it() {
    let mut rng = Rng(11);
    for round in 0..60 {
        let alphabet = small_alphabet(round % 2 == 0);
        let states = 1 + rng.below(6);
        let machine = random_mealy(&mut rng, &alphabet, states);
        let circuit = circuit_of_mealy(&alphabet, &machine);
        assert!(circuit.is_well_formed());
        same_behavior(&mut rng, &alphabet, &machine, &circuit);
        let back = mealy_of_circuit(&alphabet, &circuit, 100, &Budget::unlimited()).expect("small");
        same_behavior(&mut rng, &alphabet, &back, &circuit);
        let back = controller_of_circuit(&alphabet, &circuit, 100, &Budget::unlimited()).expect("small");
        same_behavior(&mut rng, &alphabet, &back, &circuit);

        let file = aiger_of_strategy(&alphabet, &circuit, Player::System, "a comment\nof two lines\n");
        let text = write_ascii(&file);
        assert_eq!(read_aiger(text.as_bytes()).expect("ASCII"), file, "{text}");
        assert_eq!(read_aiger(&write_binary(&file)).expect("binary"), file, "{text}");
        let read = file.strategy(&alphabet).expect("the same names");
        assert_eq!(read.owner, Player::System);
        same_behavior(&mut rng, &alphabet, &machine, &read.circuit);
        for cell in 0..read.proper.outputs.len() {
            let wrong = find_false_output(&read.proper, cell, &Budget::unlimited()).expect("small");
            assert_eq!(wrong, None, "one update");
        }

        let counter = random_counter(&mut rng, &alphabet, states);
        let circuit = circuit_of_counter(&alphabet, &counter);
        let file = aiger_of_strategy(&alphabet, &circuit, Player::Environment, "");
        let read = read_aiger(&write_binary(&file)).expect("binary").strategy(&alphabet).expect("names");
        assert_eq!(read.owner, Player::Environment);
        let back = counter_of_circuit(&alphabet, &read.circuit, 100, &Budget::unlimited());
        let back = back.expect("small").expect("it does not look at the outputs");
        let simulated =
            certify::counter_of_circuit(&alphabet, &read.circuit, 100, &Budget::unlimited()).expect("small");
        let (mut p, mut q, mut r) = (counter.initial, back.initial, simulated.initial);
        for _ in 0..60 {
            assert_eq!(counter.states[p].input, back.states[q].input);
            assert_eq!(counter.states[p].input, simulated.states[r].input);
            let output = tsl_synth_testkit::random_letter(&mut rng, &alphabet);
            let output: Letter =
                alphabet.bits_of(Player::System).filter(|&bit| output.contains(bit)).collect();
            p = counter.edge(p, &output).expect("total").next;
            q = back.edge(q, &output).expect("total").next;
            r = simulated.edge(r, &output).expect("total").next;
        }
    }
}

#[test]
fn a_cell_without_exactly_one_update_is_found() {
    let alphabet = small_alphabet(true);
    // After b, both [x <- a] and [x <- b].
    let text = "aag 3 2 1 3 0\n2\n4\n6 4\n7\n6\n6\ni0 a\ni1 b\no0 [x <- x]\no1 [x <- a]\no2 [x <- b]\n";
    let read = read_aiger(text.as_bytes()).expect("AIGER").strategy(&alphabet).expect("names");
    let play = find_false_output(&read.proper, 0, &Budget::unlimited()).expect("small").expect("wrong");
    assert_eq!(play.len(), 2);
    assert!(play[0][1], "b in the first step");
}

#[test]
fn signals_are_matched_by_name() {
    let alphabet = small_alphabet(false);
    let read = |text: &str| read_aiger(text.as_bytes()).expect("AIGER").strategy(&alphabet);
    let told = |text: &str| read(text).expect_err("not over the alphabet").to_string();
    // Outputs in any order; an unknown input that nothing reads.
    let fine = read("aag 2 2 0 2 0\n2\n4\n4\n1\ni0 idle\ni1 b\no0 d\no1 c\n").expect("fine");
    assert_eq!(fine.circuit.outputs, [Literal::TRUE, fine.circuit.input(1)]);
    assert!(told("aag 2 2 0 2 0\n2\n4\n2\n1\ni0 idle\ni1 b\no0 d\no1 c\n").contains("\"idle\""));
    // An output that is not in the file is what a further input says.
    let open = read("aag 0 0 0 1 0\n1\no0 c\n").expect("open");
    assert_eq!((open.open, &open.circuit.outputs[..]), (1, &[Literal::TRUE, open.circuit.input(2)][..]));
    assert!(told("aag 0 0 0 1 0\n1\no0 a\n").contains("there is no output \"b\""));
    assert!(told("aag 0 0 0 2 0\n1\n1\no0 c\no1 c\n").contains("the name \"c\""));
    assert!(told("aag 0 0 0 2 0\n1\n1\no0 c\no1 a\n").contains("both players"));
    assert!(told("aag 0 0 0 1 0\n1\n").contains("has no name"));
    assert!(told("aag 0 0 0 1 0\n1\no0 z\n").contains("not an atom"));
}

#[test]
fn malformed_files_are_refused_with_a_reason() {
    for (text, part) in [
        ("", "begins with"),
        ("aig", "begins with"),
        ("aag 1 1\n", "counts"),
        ("aag 1 1 0 0 x\n", "counts"),
        ("aag 99999999999 0 0 0 0\n", "counts"),
        ("aag 4294967295 0 0 0 0\n", "more than"),
        ("aig 60000000 60000000 0 0 0\n", "more than"),
        ("aag 5 0 0 0 5\n2 4 4\n4 2 2\n", "the file ends"),
        ("aag 2 0 0 0 2\n2 4 4\n4 2 2\n", "depends on itself"),
        ("aag 2 1 0 1 0\n2\n4\n", "not defined"),
        ("aag 2 1 0 1 0\n2\n9\n", "past the last variable"),
        ("aag 2 2 0 0 0\n2\n2\n", "defined twice"),
        ("aag 2 2 0 0 0\n2\n3\n", "no variable"),
        ("aag 1 0 1 0 0\n2 3 2\n", "without a first value"),
        ("aag 1 0 1 0 0\n2 3 7\n", "0 or 1"),
        ("aag 1 0 0 0 0 1\n2\n", "bad states"),
        ("aag 1 1 0 0 0\n2\ni0 a\ni0 b\n", "two names"),
        ("aag 1 1 0 0 0\n2\ni1 a\n", "no i1"),
        ("aag 1 1 0 0 0\n2\nwhat\n", "expected a symbol"),
        ("aig 3 1 0 0 1\n", "M is I + L + A"),
        ("aig 2 1 0 0 1\n\u{0}\u{0}", "not encoded"),
        ("aig 2 1 0 0 1\n\u{2}", "not encoded"),
    ] {
        let error = read_aiger(text.as_bytes()).expect_err(text).to_string();
        assert!(error.contains(part), "{text:?}: {error}");
    }
    // Gates in any order, carriage returns.
    let text = "aag 3 1 0 1 2\r\n2\r\n6\r\n6 4 4\r\n4 2 3\r\no0 x\r\n";
    assert_eq!(read_aiger(text.as_bytes()).expect("fine").outputs, [Some("x".to_string())]);
    // No bytes make the reader panic.
    let mut rng = Rng(5);
    let whole = write_binary(&Aiger { comment: "x".into(), ..read_aiger(text.as_bytes()).expect("fine") });
    for _ in 0..3000 {
        let mut bytes = whole.clone();
        for _ in 0..=rng.below(4) {
            let at = rng.below(bytes.len());
            bytes[at] = rng.draw() as u8;
        }
        let _ = read_aiger(&bytes).map(|file| file.circuit.is_well_formed());
    }
}

/// A random well-formed circuit with this many inputs and outputs.
fn random_circuit(rng: &mut Rng, inputs: usize, outputs: usize) -> Circuit {
    let mut builder = CircuitBuilder::new(inputs);
    let mut pool: Vec<Literal> = (0..inputs).map(|i| builder.input(i)).collect();
    let latches: Vec<Literal> = (0..=rng.below(3)).map(|_| builder.add_latch(rng.flip())).collect();
    pool.extend(&latches);
    let any = |rng: &mut Rng, pool: &[Literal]| pool[rng.below(pool.len())].negated_if(rng.flip());
    for _ in 0..2 + rng.below(8) {
        let gate = builder.and(any(rng, &pool), any(rng, &pool));
        pool.push(gate);
    }
    for latch in latches {
        builder.set_next(latch, any(rng, &pool));
    }
    for _ in 0..outputs {
        builder.add_output(any(rng, &pool));
    }
    builder.finish()
}

/// Whether the play of a violation is a counterexample: it violates the clause and satisfies the facts and assumptions
/// that count for it. Without a clause it satisfies all restrictions and guarantees, which refutes a counter-strategy.
fn is_a_refutation(instance: &Instance, violation: &Violation) -> bool {
    let mut meaning = LassoSemantics::new(&instance.formulas, &instance.alphabet, &violation.play);
    let contract = &instance.contract;
    let all =
        |role: Role, meaning: &mut LassoSemantics<'_>| contract.of(role).iter().all(|&f| meaning.holds(f));
    match violation.clause {
        Some(clause) => {
            let broken = !meaning.holds(contract.of(violation.role)[clause]);
            let promised = violation.role != Role::Guarantee || all(Role::Assumption, &mut meaning);
            broken && promised && (violation.role == Role::Fact || all(Role::Fact, &mut meaning))
        }
        None => all(Role::Restriction, &mut meaning) && all(Role::Guarantee, &mut meaning),
    }
}

/// A random contract with clauses of every role.
fn random_contract(rng: &mut Rng) -> Instance {
    let mut instance = random_instance(rng, Scale::FULL);
    let contract = &mut instance.contract;
    if contract.guarantees.len() > 1 && rng.flip() {
        contract.restrictions.extend(contract.guarantees.pop());
    }
    if rng.below(3) == 0 {
        contract.facts.extend(contract.assumptions.pop());
    }
    instance
}

/// Whether the strategy is certified. Checks that both certifiers agree, and that a play of the symbolic one is a
/// counterexample.
fn agree<T: std::fmt::Debug>(
    instance: &Instance,
    explicit: Result<T, CertifyError>,
    symbolic: Result<T, CertifyError>,
) -> bool {
    match (explicit, symbolic) {
        (Ok(_), Ok(_)) => true,
        (Err(CertifyError::Violated(_)), Err(CertifyError::Violated(violation))) => {
            assert!(is_a_refutation(instance, &violation), "{violation:?}\n{}", instance.show());
            false
        }
        (a, b) => panic!("explicit {a:?}\nsymbolic {b:?}\n{}", instance.show()),
    }
}

fn differential(count: u64) {
    let mut holds = [0, 0];
    for seed in first_seed()..first_seed() + count {
        let mut rng = Rng(seed);
        let instance = random_contract(&mut rng);
        let Instance { formulas, alphabet, contract, .. } = &instance;
        let budget = Budget::unlimited();
        let sides = [Player::Environment, Player::System].map(|p| alphabet.bits_of(p).count());
        let circuit = random_circuit(&mut rng, sides[0], sides[1]);
        let machine = mealy_of_circuit(alphabet, &circuit, 100, &budget).expect("few latches");
        let explicit = certify(
            &StrategyClaim { formulas, alphabet, contract, strategy: StrategyRef::Mealy(&machine) },
            &budget,
        );
        let symbolic = certify(
            &StrategyClaim { formulas, alphabet, contract, strategy: StrategyRef::MealyCircuit(&circuit) },
            &budget,
        );
        holds[0] += u64::from(agree(&instance, explicit, symbolic));

        let states = 1 + rng.below(4);
        let counter = random_counter(&mut rng, alphabet, states);
        let circuit = circuit_of_counter(alphabet, &counter);
        let explicit = certify(
            &StrategyClaim { formulas, alphabet, contract, strategy: StrategyRef::Counter(&counter) },
            &budget,
        );
        let symbolic = certify(
            &StrategyClaim { formulas, alphabet, contract, strategy: StrategyRef::CounterCircuit(&circuit) },
            &budget,
        );
        holds[1] += u64::from(agree(&instance, explicit, symbolic));
    }
    println!("{count} random circuits of each player: {} and {} hold", holds[0], holds[1]);
    assert!(holds[0] > count / 50 && holds[1] > count / 200, "both answers occur: {holds:?}");
}

#[test]
fn both_certifiers_agree_on_random_circuits() {
    differential(2_000);
}

#[test]
#[ignore = "a campaign"]
fn campaign_circuits() {
    differential(setting("TSL_SYNTH_CIRCUITS", 20_000));
}

/// A circuit that differs in one literal or reset value.
pub(crate) fn mutate(rng: &mut Rng, circuit: &Circuit) -> Circuit {
    let mut mutant = circuit.clone();
    let any = |rng: &mut Rng, below: usize| Literal::new(rng.below(below), rng.flip());
    let (latches, gates, outputs) = (circuit.latches.len(), circuit.gates.len(), circuit.outputs.len());
    let place = rng.below(latches + gates + outputs);
    if place < latches {
        if rng.below(4) == 0 {
            mutant.latches[place].reset ^= true;
        } else {
            mutant.latches[place].next = any(rng, circuit.variables());
        }
    } else if place < latches + gates {
        let gate = place - latches;
        let operand = any(rng, circuit.gate(gate).variable());
        if rng.flip() {
            mutant.gates[gate].0 = operand;
        } else {
            mutant.gates[gate].1 = operand;
        }
    } else {
        mutant.outputs[place - latches - gates] = any(rng, circuit.variables());
    }
    mutant
}

fn mutants(count: usize) {
    let mut rng = Rng(first_seed());
    let winners = winners(count.div_ceil(10));
    let (mut rejected, mut accepted, mut made) = (0, 0, 0);
    while made < count {
        let (instance, verdict) = &winners[rng.below(winners.len())];
        let mut instance = instance.clone();
        let (budget, whole) = (Budget::unlimited(), instance.clone());
        let Instance { formulas, alphabet, contract, .. } = &whole;
        let (checked, right) = match verdict {
            Verdict::Realizable(StrategyRepr::Explicit(machine)) => {
                let circuit = mutate(&mut rng, &circuit_of_mealy(alphabet, machine));
                let machine = mealy_of_circuit(alphabet, &circuit, 1000, &budget).expect("few latches");
                let checked = certify(
                    &StrategyClaim {
                        formulas,
                        alphabet,
                        contract,
                        strategy: StrategyRef::MealyCircuit(&circuit),
                    },
                    &budget,
                );
                (checked, controller_is_right(&mut instance, &machine))
            }
            Verdict::Unrealizable(StrategyRepr::Explicit(machine), _) => {
                let circuit = mutate(&mut rng, &circuit_of_counter(alphabet, machine));
                let checked = certify(
                    &StrategyClaim {
                        formulas,
                        alphabet,
                        contract,
                        strategy: StrategyRef::CounterCircuit(&circuit),
                    },
                    &budget,
                );
                let machine = counter_of_circuit(alphabet, &circuit, 1000, &budget).expect("few latches");
                let Some(machine) = machine else {
                    assert!(matches!(checked, Err(CertifyError::Malformed(_))), "{checked:?}");
                    continue;
                };
                (checked, counter_is_right(&mut instance, &machine))
            }
            _ => unreachable!("winners only"),
        };
        let Some(right) = right else { continue };
        made += 1;
        match checked {
            Ok(_) => accepted += 1,
            Err(CertifyError::Violated(ref violation)) => {
                assert!(is_a_refutation(&whole, violation), "{violation:?}\n{}", whole.show());
                rejected += 1;
            }
            Err(ref error) => panic!("{error}"),
        }
        assert_eq!(checked.is_ok(), right, "enumeration says otherwise\n{}", instance.show());
    }
    println!("mutants of circuits: {made} made, {rejected} rejected, {accepted} accepted and all confirmed");
    assert!(accepted > 0 && rejected > 0);
}

#[test]
fn mutants_of_circuits_are_judged_rightly() {
    mutants(100);
}

#[test]
#[ignore = "a campaign"]
fn campaign_circuit_mutants() {
    mutants(setting("TSL_SYNTH_CIRCUITS", 1000) as usize);
}

/// A round-robin arbiter: a token circulates, and a client that has it is granted if it requests or waits.
fn arbiter(clients: usize) -> (Instance, Circuit) {
    let names = |head: &str| (0..clients).map(|i| format!("{head}{i}")).collect::<Vec<_>>();
    let mut instance = Instance::new(&names("r").join(" "), &names("g").join(" "));
    for i in 0..clients {
        let f = instance.read(&format!("G(r{i} -> F g{i})"));
        instance.contract.guarantees.push(f);
        let exclusive = (0..i).map(|j| format!("!(g{i} & g{j})")).collect::<Vec<_>>().join(" & ");
        if i > 0 {
            let f = instance.read(&format!("G({exclusive})"));
            instance.contract.guarantees.push(f);
        }
    }
    let mut builder = CircuitBuilder::new(clients);
    let token: Vec<Literal> = (0..clients).map(|i| builder.add_latch(i == 0)).collect();
    let waiting: Vec<Literal> = (0..clients).map(|_| builder.add_latch(false)).collect();
    for i in 0..clients {
        builder.set_next(token[i], token[(i + clients - 1) % clients]);
        let asks = builder.or(waiting[i], builder.input(i));
        let kept = builder.and(asks, !token[i]);
        builder.set_next(waiting[i], kept);
        let grant = builder.and(asks, token[i]);
        builder.add_output(grant);
    }
    (instance, builder.finish())
}

#[test]
fn an_arbiter_of_many_latches_is_certified() {
    let (instance, circuit) = arbiter(32);
    assert_eq!(circuit.latches.len(), 64);
    let Instance { formulas, alphabet, contract, .. } = &instance;
    let budget = Budget::unlimited();
    let done = certify(
        &StrategyClaim { formulas, alphabet, contract, strategy: StrategyRef::MealyCircuit(&circuit) },
        &budget,
    )
    .expect("an arbiter");
    assert!(done.diagram_nodes > 0 && done.searches >= 32);
    // A client that is never granted.
    let mut broken = circuit.clone();
    broken.outputs[7] = Literal::FALSE;
    let found = certify(
        &StrategyClaim { formulas, alphabet, contract, strategy: StrategyRef::MealyCircuit(&broken) },
        &budget,
    );
    let Err(CertifyError::Violated(violation)) = found else { panic!("{found:?}") };
    assert!(is_a_refutation(&instance, &violation));
    // A budget that is too small is reported as a limit.
    let small = Budget::unlimited().with_work(200);
    let Err(CertifyError::Limit(limit)) = certify(
        &StrategyClaim { formulas, alphabet, contract, strategy: StrategyRef::MealyCircuit(&circuit) },
        &small,
    ) else {
        panic!("more than 200 operations are needed");
    };
    assert_eq!(limit.kind, LimitKind::Work);
}

/// Plays of a circuit have the letters, and in each step the inputs for an allowed letter, of plays of its machine.
#[test]
fn plays_of_circuits_are_those_of_their_machines() {
    let mut rng = Rng(23);
    let mut some = 0;
    for round in 0..60 {
        let alphabet = small_alphabet(round % 2 == 0);
        let states = 1 + rng.below(6);
        let machine = random_mealy(&mut rng, &alphabet, states);
        let circuit = circuit_of_mealy(&alphabet, &machine);
        let mut play = PlaySoFar::new(&alphabet, Strategist::Mealy(&machine));
        let mut other = PlaySoFar::of_circuit(&alphabet, &circuit);
        for step in 0..40 {
            let mut guards = alphabet.guards();
            let mut allowed = Guard::TRUE;
            for atom in alphabet.atoms().ids().filter(|_| rng.below(3) == 0).collect::<Vec<_>>() {
                let own = alphabet.guard(atom, &mut guards);
                let own = if rng.flip() { own } else { guards.not(own) };
                let both = guards.and(allowed, own);
                allowed = if rng.flip() { both } else { guards.or(allowed, own) };
            }
            let inputs = play.inputs(allowed, &mut guards);
            assert_eq!(other.inputs(allowed, &mut guards), inputs, "round {round}, step {step}");
            some += usize::from(inputs != Guard::TRUE && inputs != Guard::FALSE);
            let input: Letter = alphabet.bits_of(Player::Environment).filter(|_| rng.flip()).collect();
            assert_eq!(play.step(&input), other.step(&input), "round {round}, step {step}");
            if rng.below(8) == 0 {
                play.back(3);
                other.back(3);
            }
        }
    }
    assert!(some > 300, "{some}");
}
