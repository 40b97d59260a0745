//! Machines as circuits, and questions about single outputs, against evaluation.

use super::setting::{Setting, unlimited};
use crate::search::symbolic::Growing;
use crate::trusted::symbolic::{check_shape, circuit_of_counter, circuit_of_mealy};
use crate::{controller_of_circuit, counter_of_circuit, find_false_output};
use tsl_synth_core::base::Id as _;
use tsl_synth_core::logic::{Letter, Player};
use tsl_synth_core::model::{Circuit, CircuitBuilder, Literal};

/// Letters of a player, canonically coded.
fn random_letter(setting: &mut Setting, player: Player) -> Letter {
    let bits: Vec<_> = setting.alphabet.bits_of(player).collect();
    let letter: Letter = bits.into_iter().filter(|_| setting.random.flip()).collect();
    let letter = setting.alphabet.canonical(&letter);
    letter.iter().filter(|&bit| setting.alphabet.owner(bit) == player).collect()
}

fn values(setting: &Setting, player: Player, letter: &Letter) -> Vec<bool> {
    setting.alphabet.bits_of(player).map(|bit| letter.contains(bit)).collect()
}

#[test]
fn circuits_of_machines_do_what_the_machines_do() {
    for seed in 0..150 {
        let mut setting = Setting::new(seed);
        let machine = setting.mealy();
        let circuit = circuit_of_mealy(&setting.alphabet, &machine);
        check_shape(&setting.alphabet, &circuit, Player::System).expect("a circuit of a controller");
        let (mut latches, mut state) = (circuit.reset(), machine.initial);
        for _ in 0..20 {
            let input = random_letter(&mut setting, Player::Environment);
            let step = circuit.evaluate(&latches, &values(&setting, Player::Environment, &input));
            let edges = &machine.states[state].edges;
            let edge =
                edges.iter().find(|edge| machine.guards.contains(edge.guard, &input)).expect("an edge");
            assert_eq!(step.outputs(&circuit), values(&setting, Player::System, &edge.output), "{seed}");
            (latches, state) = (step.next(&circuit), edge.next);
        }
        let machine = setting.counter();
        let circuit = circuit_of_counter(&setting.alphabet, &machine);
        check_shape(&setting.alphabet, &circuit, Player::Environment)
            .expect("a circuit of a counter-strategy");
        let (mut latches, mut state) = (circuit.reset(), machine.initial);
        for _ in 0..20 {
            let output = random_letter(&mut setting, Player::System);
            let step = circuit.evaluate(&latches, &values(&setting, Player::System, &output));
            let here = &machine.states[state];
            assert_eq!(step.outputs(&circuit), values(&setting, Player::Environment, &here.input), "{seed}");
            let edge =
                here.edges.iter().find(|edge| machine.guards.contains(edge.guard, &output)).expect("an edge");
            (latches, state) = (step.next(&circuit), edge.next);
        }
    }
}

#[test]
fn circuits_of_other_shapes_are_rejected() {
    let setting = Setting::new(1);
    let (read, given) = (
        setting.alphabet.bits_of(Player::Environment).count(),
        setting.alphabet.bits_of(Player::System).count(),
    );
    for (inputs, outputs) in [(read, given), (read + 1, given), (read, given + 1), (read, given - 1)] {
        let mut b = CircuitBuilder::new(inputs);
        (0..outputs).for_each(|_| b.add_output(Literal::constant(true)));
        let made = check_shape(&setting.alphabet, &b.finish(), Player::System);
        assert_eq!(made.is_ok(), (inputs, outputs) == (read, given), "{inputs} {outputs}");
    }
    let mut b = CircuitBuilder::new(read);
    let gate = b.and(b.input(0), b.input(1));
    (0..given).for_each(|_| b.add_output(gate));
    let mut circuit = b.finish();
    assert!(check_shape(&setting.alphabet, &circuit, Player::System).is_ok());
    circuit.gates[0].0 = gate;
    assert!(check_shape(&setting.alphabet, &circuit, Player::System).is_err(), "a gate that reads itself");
}

/// The reachable values of the latches, each with the least number of steps.
fn reached(circuit: &Circuit) -> Vec<(Vec<bool>, usize)> {
    let mut found = vec![(circuit.reset(), 0)];
    let mut next = 0;
    while let Some((latches, steps)) = found.get(next).cloned() {
        next += 1;
        for inputs in all_inputs(circuit) {
            let after = circuit.evaluate(&latches, &inputs).next(circuit);
            if found.iter().all(|(other, _)| *other != after) {
                found.push((after, steps + 1));
            }
        }
    }
    found
}

fn all_inputs(circuit: &Circuit) -> impl Iterator<Item = Vec<bool>> + use<> {
    let inputs = circuit.inputs;
    (0..1usize << inputs).map(move |code| (0..inputs).map(|i| code >> i & 1 == 1).collect())
}

#[test]
fn questions_about_outputs_are_answered_as_by_evaluation() {
    let (mut looking, mut blind, mut never, mut deep) = (0, 0, 0, 0);
    for seed in 0..300 {
        let mut setting = Setting::new(seed);
        let circuit = setting.circuit(Player::System, false);
        let states = reached(&circuit);
        for output in 0..circuit.outputs.len() {
            let given = |latches: &[bool]| -> Vec<bool> {
                let value = |inputs: Vec<bool>| circuit.evaluate(latches, &inputs).outputs(&circuit)[output];
                all_inputs(&circuit).map(value).collect()
            };
            let varies = states.iter().any(|(latches, _)| {
                let given = given(latches);
                given.iter().any(|&value| value != given[0])
            });
            for cut in [true, false] {
                let mut store = Growing::new(&circuit, cut, &unlimited());
                let looks = store.run(|store| store.model.looks_at_present(output)).expect("no limit");
                assert_eq!(looks, varies, "{seed} {output}");
            }
            *(if varies { &mut looking } else { &mut blind }) += 1;
            let first = states.iter().filter(|(latches, _)| given(latches).contains(&false));
            let first = first.map(|&(_, steps)| steps).min();
            let found = find_false_output(&circuit, output, &unlimited()).expect("no limit");
            assert_eq!(found.as_ref().map(Vec::len), first.map(|steps| steps + 1), "{seed} {output}");
            let Some(found) = found else {
                never += 1;
                continue;
            };
            deep += usize::from(found.len() > 2);
            let mut latches = circuit.reset();
            let mut last = true;
            for inputs in found {
                let step = circuit.evaluate(&latches, &inputs);
                last = step.outputs(&circuit)[output];
                latches = step.next(&circuit);
            }
            assert!(!last, "{seed} {output}");
        }
    }
    assert!(looking > 100 && blind > 100 && never > 5 && deep > 5, "{looking} {blind} {never} {deep}");
}

/// Machines of circuits do what the circuits do.
#[test]
fn machines_of_circuits_do_what_the_circuits_do() {
    for seed in 0..100 {
        let mut setting = Setting::new(seed);
        for owner in [Player::System, Player::Environment] {
            let circuit = setting.circuit(owner, true);
            let mut latches = circuit.reset();
            let (alphabet, budget) = (setting.alphabet.clone(), unlimited());
            let controller =
                (owner == Player::System).then(|| controller_of_circuit(&alphabet, &circuit, 100, &budget));
            let counter =
                (owner == Player::Environment).then(|| counter_of_circuit(&alphabet, &circuit, 100, &budget));
            let (controller, counter) = (
                controller.map(|made| made.expect("a machine")),
                counter.map(|made| made.expect("a machine")),
            );
            let mut state = tsl_synth_core::model::StateId::from_index(0);
            for _ in 0..20 {
                let read = random_letter(&mut setting, owner.opponent());
                let step = circuit.evaluate(&latches, &values(&setting, owner.opponent(), &read));
                let (given, next) = if let Some(machine) = &controller {
                    let mut edges = machine.states[state].edges.iter();
                    let edge =
                        edges.find(|edge| machine.guards.contains(edge.guard, &read)).expect("an edge");
                    (edge.output.clone(), edge.next)
                } else {
                    let machine = counter.as_ref().expect("one of both");
                    let mut edges = machine.states[state].edges.iter();
                    let edge =
                        edges.find(|edge| machine.guards.contains(edge.guard, &read)).expect("an edge");
                    (machine.states[state].input.clone(), edge.next)
                };
                assert_eq!(step.outputs(&circuit), values(&setting, owner, &given), "{seed} {owner}");
                (latches, state) = (step.next(&circuit), next);
            }
        }
    }
}
