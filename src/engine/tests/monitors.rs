//! Certificates of circuits by monitors, against those by tableaux: of the circuits of the symbolic engine, of circuits
//! with one change, and with automata with one change.

use tsl_synth_core::base::{Budget, Id, Random, on_large_stack};
use tsl_synth_core::model::{
    Circuit, Contract, DeterministicBuchi, Literal, RunStateId, Silent, StrategyRepr, Verdict,
};
use tsl_synth_core::source::SourceMap;
use tsl_synth_engine::game::{StrategyForm, monitored_formula};
use tsl_synth_engine::synth::{Engine, SolverOptions, synthesize};
use tsl_synth_kernel::{
    CertifyError, MonitoredFormula, StrategyClaim, StrategyRef, certify, certify_by_monitors,
};
use tsl_synth_lang::spec::{LoadOptions, MainFile, NoImports, Problem, load_tsl};

/// A random specification: two predicates, and a cell with three updates.
fn text(random: &mut Random) -> String {
    fn literal(random: &mut Random, of: &[&str]) -> String {
        let not = if random.below(4) == 0 { "!" } else { "" };
        format!("{not}{}", of[random.below(of.len())])
    }
    const INPUTS: [&str; 2] = ["p(i)", "q(i)"];
    const UPDATES: [&str; 3] = ["[m <- a()]", "[m <- b()]", "[m <- m]"];
    fn clause(random: &mut Random, reads: &[&str], gives: &[&str]) -> String {
        let [a, b] = [0; 2].map(|_| literal(random, reads));
        let [x, y] = [0; 2].map(|_| literal(random, gives));
        match random.below(12) {
            0 => format!("{a} -> X {x};"),
            1 => format!("{a} -> F {x};"),
            2 => format!("({a} && {b}) -> ({y} U {x});"),
            3 => format!("{a} -> ({x} W {b});"),
            4 => format!("{a} -> X (X {x});"),
            5 => format!("F ({x} || {a});"),
            6 => format!("(G F {a}) -> (G F {x});"),
            7 => format!("{a} -> (X {x} || X X {y});"),
            8 => format!("{a} -> X (F ({x} && {b}));"),
            9 => format!("({x} R {a}) || F {y};"),
            10 => format!("(F G {a}) || (G F {x});"),
            _ => format!("{a} <-> {x};"),
        }
    }
    let assumption = random.flip().then(|| clause(random, &UPDATES, &INPUTS));
    let assumption = assumption.map(|clause| format!("always assume {{ {clause} }}\n")).unwrap_or_default();
    let guarantees: Vec<String> = (0..=random.below(3)).map(|_| clause(random, &INPUTS, &UPDATES)).collect();
    format!("{assumption}always guarantee {{\n{}\n}}\n", guarantees.join("\n"))
}

fn load(text: &str) -> Problem {
    let mut map = SourceMap::new();
    let source = map.add("x.tsl", text);
    let files = [MainFile { source, canonical: String::new() }];
    match load_tsl(&files, &LoadOptions::default(), &mut map, &NoImports) {
        Ok((problem, _)) => problem,
        Err(failure) => panic!("{:?}\n{text}", failure.diagnostics),
    }
}

/// A circuit of the winner; `None` if the engine does not decide with its work.
fn solved(problem: &mut Problem) -> Option<(Circuit, bool)> {
    let options = SolverOptions {
        engine: Engine::Symbolic,
        form: StrategyForm::Circuit,
        certify: false,
        minimize: false,
        friendly: false,
        refinement_rounds: 0,
        ..SolverOptions::default()
    };
    match synthesize(problem, &options, &Silent).expect("nothing is certified").verdict {
        Verdict::Realizable(StrategyRepr::Circuit(circuit)) => Some((circuit, true)),
        Verdict::Unrealizable(StrategyRepr::Circuit(circuit), _) => Some((circuit, false)),
        _ => None,
    }
}

fn strategy(circuit: &Circuit, controller: bool) -> StrategyRef<'_> {
    if controller { StrategyRef::MealyCircuit(circuit) } else { StrategyRef::CounterCircuit(circuit) }
}

/// The circuit with another operand of a gate, another next value or output.
fn changed(random: &mut Random, circuit: &Circuit, controller: bool) -> Circuit {
    let mut circuit = circuit.clone();
    let (gates, latches, outputs) = (circuit.gates.len(), circuit.latches.len(), circuit.outputs.len());
    if gates + latches + outputs == 0 {
        return circuit;
    }
    let at = random.below(gates + latches + outputs);
    if at < gates {
        let (a, b) = circuit.gates[at];
        circuit.gates[at] = if random.flip() { (!a, b) } else { (a, !b) };
    } else if at < gates + latches {
        let latch = &mut circuit.latches[at - gates];
        if random.flip() { latch.reset = !latch.reset } else { latch.next = !latch.next }
    } else {
        let output = &mut circuit.outputs[at - gates - latches];
        *output = match random.below(3) {
            0 => Literal::constant(random.flip()),
            1 if controller && circuit.inputs > 0 => Literal::new(1 + random.below(circuit.inputs), false),
            _ => !*output,
        };
    }
    circuit
}

/// An automaton with another target, acceptance or dead state.
fn changed_automaton(random: &mut Random, automaton: &mut DeterministicBuchi) {
    let states = automaton.states.len();
    let q = RunStateId::from_index(random.below(states));
    let edges = &mut automaton.states[q];
    if edges.is_empty() {
        return;
    }
    let edge = random.below(edges.len());
    match random.below(4) {
        0 => edges[edge].accepting = !edges[edge].accepting,
        1 => edges[edge].next = RunStateId::from_index(random.below(states)),
        2 => automaton.dead = Some(q).filter(|_| random.flip()),
        _ => {
            let other = random.below(edges.len());
            let guard = edges[edge].guard;
            edges[edge].guard = edges[other].guard;
            edges[other].guard = guard;
        }
    }
}

#[derive(Debug, Default)]
struct Tally {
    /// Counter-strategies and controllers.
    circuits: [usize; 2],
    /// Counter-strategies and controllers that monitors certify.
    monitored: [usize; 2],
    /// Without a conjunct that needs an automaton.
    plain: usize,
    open: usize,
    wrong_circuits: usize,
    right_changes: usize,
    changed_automata: usize,
    accepted_automata: usize,
}

fn take(seed: u64, tally: &mut Tally) {
    let mut random = Random::new(seed);
    let text = text(&mut random);
    let mut problem = load(&text);
    let Some((circuit, controller)) = solved(&mut problem) else { return };
    let contract: Contract = problem.contract();
    let Problem { formulas, alphabet, .. } = &problem;
    let budget = || Budget::unlimited().child(2_000_000);
    let monitored = |circuit: &Circuit, change: &mut dyn FnMut(&mut MonitoredFormula)| {
        let claim = StrategyClaim {
            formulas,
            alphabet,
            contract: &contract,
            strategy: strategy(circuit, controller),
        };
        let compile = budget();
        certify_by_monitors(
            &claim,
            &mut |formulas, f| {
                let mut made = monitored_formula(formulas, alphabet, f, &compile)?;
                if let Some(made) = &mut made {
                    change(made);
                }
                Ok(made)
            },
            &budget(),
        )
    };
    let plain = |circuit: &Circuit| {
        let claim = StrategyClaim {
            formulas,
            alphabet,
            contract: &contract,
            strategy: strategy(circuit, controller),
        };
        certify(&claim, &budget())
    };
    tally.circuits[usize::from(controller)] += 1;
    match monitored(&circuit, &mut |_| {}) {
        Ok(certified) => {
            assert!(certified.monitors > 0, "seed {seed}\n{text}");
            tally.monitored[usize::from(controller)] += 1;
            assert!(plain(&circuit).is_ok(), "seed {seed}\n{text}");
        }
        Err(CertifyError::Limit(limit)) if limit.to_string().contains("no conjunct") => tally.plain += 1,
        Err(CertifyError::Limit(_)) => tally.open += 1,
        Err(error) => panic!("{error}, seed {seed}\n{text}"),
    }
    for _ in 0..6 {
        let circuit = changed(&mut random, &circuit, controller);
        match (monitored(&circuit, &mut |_| {}), plain(&circuit)) {
            (Ok(_), checked) => {
                tally.right_changes += 1;
                assert!(checked.is_ok(), "a wrong circuit is certified: {checked:?}, seed {seed}\n{text}");
            }
            (Err(_), Err(CertifyError::Violated(_) | CertifyError::Malformed(_))) => {
                tally.wrong_circuits += 1;
            }
            _ => {}
        }
        // Automata that are wrong certify at most what is true.
        let mut changes = 0;
        let checked = monitored(&circuit, &mut |made| {
            for part in &mut made.automata {
                changed_automaton(&mut random, &mut part.automaton);
                changes += 1;
            }
        });
        tally.changed_automata += usize::from(changes > 0);
        if checked.is_ok() {
            tally.accepted_automata += 1;
            assert!(plain(&circuit).is_ok(), "wrong automata certify a wrong circuit, seed {seed}\n{text}");
        }
    }
}

fn tally(first: u64, count: u64) -> Tally {
    let tally = on_large_stack(|| {
        let mut tally = Tally::default();
        for seed in first..first + count {
            take(seed, &mut tally);
        }
        tally
    })
    .expect("it ends");
    println!("{count} specifications from seed {first}: {tally:?}");
    tally
}

#[test]
fn monitors_certify_circuits_and_no_wrong_ones() {
    let tally = tally(1, 250);
    assert!(tally.monitored.iter().all(|&some| some >= 20), "{tally:?}");
    assert!(tally.wrong_circuits >= 100 && tally.changed_automata >= 100, "{tally:?}");
    assert!(tally.open * 10 <= tally.circuits.iter().sum::<usize>(), "{tally:?}");
}

#[test]
#[ignore = "a campaign"]
fn campaign_monitors() {
    let number = |name: &str, default: u64| {
        std::env::var(name).map_or(default, |text| text.parse().expect("a number"))
    };
    tally(number("TSL_SYNTH_SEED", 2026), number("TSL_SYNTH_MONITORS", 20_000));
}
