//! Strategies for random specifications with past operators: the engines agree, and their machines, which do not read
//! registers, are played against random words; `verify` on random machines agrees with such plays.

use super::formula::{Tree, Word};
use super::{letter, problem, values};
use crate::campaign::first_seed;
use tsl_synth_core::base::{Budget, Id, IdVec, StopFlag};
use tsl_synth_core::logic::{Guards, Letter, Player};
use tsl_synth_core::model::{
    CounterEdge, CounterState, CounterStrategy, Mealy, MealyEdge, MealyState, Silent, StateId, StrategyRepr,
    Verdict,
};
use tsl_synth_engine::mealy::{Registers, circuit_of_counter, circuit_of_mealy, mealy_of_circuit};
use tsl_synth_engine::synth::{
    Engine, MachineCandidate, MachineVerdict, SolverOptions, StrategyForm, VerifyOptions, synthesize, verify,
};
use tsl_synth_lang::spec::Problem;
use tsl_synth_testkit::Rng;

/// The limit of counted work; a game that reaches it is undecided.
const WORK: u64 = 3_000_000;
/// Words that a machine is played against.
const PLAYS: usize = 24;

/// The play of a strategy against the other player's choices in `word`, until the state and the position repeat.
fn play(
    problem: &Problem,
    word: &Word,
    initial: StateId,
    step: impl Fn(StateId, &Letter) -> (Letter, StateId),
) -> Word {
    let (mut state, mut position) = (initial, 0);
    let (mut letters, mut seen) = (Vec::new(), Vec::new());
    loop {
        if let Some(back) = seen.iter().position(|before| *before == (state, position)) {
            return Word { letters, back };
        }
        seen.push((state, position));
        let (whole, next) = step(state, &letter(problem, word.letters[position]));
        letters.push(values(problem, &whole));
        (state, position) = (next, if position + 1 == word.letters.len() { word.back } else { position + 1 });
    }
}

/// The part of a letter that a player decides.
fn part(problem: &Problem, letter: &Letter, player: Player) -> Letter {
    letter.iter().filter(|&bit| problem.alphabet.owner(bit) == player).collect()
}

fn against_mealy(problem: &Problem, machine: &Mealy, word: &Word) -> Word {
    play(problem, word, machine.initial, |state, given| {
        let mut whole = part(problem, given, Player::Environment);
        let edge = machine.edge(state, &whole).expect("an answer");
        whole.union_with(&edge.output);
        (whole, edge.next)
    })
}

fn against_counter(problem: &Problem, machine: &CounterStrategy, word: &Word) -> Word {
    play(problem, word, machine.initial, |state, given| {
        let mut whole = part(problem, given, Player::System);
        let next = machine.edge(state, &whole).expect("an edge").next;
        whole.union_with(&machine.states[state].input);
        (whole, next)
    })
}

/// The verdict of an engine, whose machine is played; `None` if the limit is reached.
fn decided(text: &str, tree: &Tree, engine: Engine, form: StrategyForm, rng: &mut Rng) -> Option<bool> {
    let mut problem = problem(text);
    let options = SolverOptions {
        engine,
        form,
        minimize: form == StrategyForm::Explicit && rng.flip(),
        stop: StopFlag::new().within(WORK),
        ..SolverOptions::default()
    };
    let outcome = synthesize(&mut problem, &options, &Silent)
        .unwrap_or_else(|failed| panic!("{engine}, {form:?}: {failed}\n{text}"));
    let registers = Registers::of(&problem);
    let words: Vec<Word> = (0..PLAYS).map(|_| Word::random(rng)).collect();
    let shown = problem.shown_alphabet();
    let verdict = registers.hidden(&outcome.verdict);
    let machine = match verdict {
        Verdict::Unknown(_) => return None,
        Verdict::Unrealizable(StrategyRepr::Explicit(counter), _) => {
            for word in words {
                let play = against_counter(&problem, &counter, &word);
                assert!(!tree.holds(&play), "{engine}: the system wins {play:?} of {text}");
            }
            return Some(false);
        }
        Verdict::Unrealizable(StrategyRepr::Circuit(circuit), _) => {
            assert_eq!((circuit.inputs, circuit.outputs.len()), (2, 2), "{text}");
            return Some(false);
        }
        Verdict::Realizable(StrategyRepr::Explicit(machine)) => machine,
        Verdict::Realizable(StrategyRepr::Circuit(circuit)) => {
            assert_eq!((circuit.inputs, circuit.outputs.len()), (2, 2), "{text}");
            mealy_of_circuit(&shown, &circuit, 1 << 12, &Budget::unlimited()).expect("a small circuit")
        }
    };
    let known = |bit: tsl_synth_core::logic::BitId| bit.index() < shown.bit_count();
    for state in &machine.states {
        assert!(state.edges.iter().all(|e| machine.guards.support(e.guard).into_iter().all(known)), "{text}");
    }
    for word in words {
        let play = against_mealy(&problem, &machine, &word);
        assert!(tree.holds(&play), "{engine}: the environment wins {play:?} of {text}");
    }
    Some(true)
}

/// A random specification of one or two parts, most of them invariants.
fn specification(rng: &mut Rng) -> Tree {
    let mut parts: Vec<Tree> = Vec::new();
    for _ in 0..=rng.below(2) {
        let size = 3 + rng.below(6);
        let past = rng.flip();
        let part = Tree::random(rng, size, past);
        parts.push(if past || rng.flip() { Tree::Unary("G", Box::new(part)) } else { part });
    }
    let last = parts.pop().expect("a part");
    parts.into_iter().fold(last, |all, part| {
        let op = if rng.below(4) == 0 { "->" } else { "&" };
        Tree::Binary(op, Box::new(part), Box::new(all))
    })
}

fn engines_agree(count: u64) {
    let (mut verdicts, mut undecided) = ([0, 0], 0);
    for number in 0..count {
        let seed = first_seed() + number;
        let mut rng = Rng(seed);
        let tree = specification(&mut rng);
        let text = tree.text();
        let mut found: Vec<bool> = Vec::new();
        for (engine, form) in [
            (Engine::Bounded, StrategyForm::Explicit),
            (Engine::Explicit, StrategyForm::Explicit),
            (Engine::Symbolic, StrategyForm::Explicit),
            (Engine::Symbolic, StrategyForm::Circuit),
        ] {
            match decided(&text, &tree, engine, form, &mut rng) {
                Some(verdict) => found.push(verdict),
                None => undecided += 1,
            }
        }
        assert!(found.windows(2).all(|two| two[0] == two[1]), "seed {seed}: {found:?} of {text}");
        if let Some(&verdict) = found.first() {
            verdicts[usize::from(verdict)] += 1;
        }
    }
    println!("{count} specifications: {verdicts:?}, {undecided} games undecided");
    assert!(
        verdicts[0] > count / 10 && verdicts[1] > count / 10 && undecided < count,
        "{verdicts:?} {undecided}"
    );
}

#[test]
fn engines_agree_and_machines_keep_the_definition() {
    engines_agree(tsl_synth_testkit::quota(14) as u64);
}

#[test]
#[ignore = "a campaign: see tests/README.md"]
fn campaign_past_engines() {
    engines_agree(crate::campaign::setting("TSL_SYNTH_PAST_GAMES", 2_000));
}

/// A machine with random answers to each of the four letters of the other player.
fn random_mealy(rng: &mut Rng, problem: &Problem) -> Mealy {
    let (states, mut guards) = (1 + rng.below(3), Guards::new());
    let bits: Vec<_> = problem.shown_alphabet().bits_of(Player::Environment).collect();
    let all = (0..states).map(|_| {
        let edges = [0, 1, 2, 3].map(|code| MealyEdge {
            guard: guards.cube(&[(bits[0], code & 1 == 1), (bits[1], code & 2 == 2)]),
            output: part(problem, &letter(problem, [0; 4].map(|_| rng.flip())), Player::System),
            next: StateId::from_index(rng.below(states)),
        });
        MealyState { edges: edges.to_vec() }
    });
    let states: IdVec<StateId, MealyState> = all.collect();
    Mealy { guards, states, initial: StateId::from_index(0) }
}

fn random_counter(rng: &mut Rng, problem: &Problem) -> CounterStrategy {
    let (states, mut guards) = (1 + rng.below(3), Guards::new());
    let bits: Vec<_> = problem.alphabet.bits_of(Player::System).collect();
    let all = (0..states).map(|_| {
        let edges = [0, 1, 2, 3].map(|code| CounterEdge {
            guard: guards.cube(&[(bits[0], code & 1 == 1), (bits[1], code & 2 == 2)]),
            next: StateId::from_index(rng.below(states)),
        });
        let input = part(problem, &letter(problem, [0; 4].map(|_| rng.flip())), Player::Environment);
        let input = input.iter().filter(|bit| bit.index() < 4).collect();
        CounterState { input, edges: edges.to_vec() }
    });
    let states: IdVec<StateId, CounterState> = all.collect();
    CounterStrategy { guards, states, initial: StateId::from_index(0) }
}

/// Whether `verify` accepts a candidate. A counterexample must refute it and, for a Mealy machine, be one of its plays.
fn judged(problem: &mut Problem, candidate: &MachineCandidate, symbolic: bool, tree: &Tree) -> bool {
    let options = VerifyOptions { symbolic, refinement_rounds: 0, stop: StopFlag::new(), memory: 1 << 30 };
    match verify(problem, candidate, &options, &Silent).judgment {
        MachineVerdict::Holds(..) => true,
        MachineVerdict::Violated { play, .. } => {
            let letters = (0..play.len()).map(|i| values(problem, play.letter(i))).collect();
            let word = Word { letters, back: play.prefix.len() };
            assert_eq!(tree.holds(&word), candidate.owner() == Player::Environment, "{}", tree.text());
            let again = match candidate {
                MachineCandidate::Mealy(machine) => Some(against_mealy(problem, machine, &word)),
                _ => None,
            };
            if let Some(other) = again {
                let letter = |word: &Word, mut i: usize| {
                    while i >= word.letters.len() {
                        i -= word.letters.len() - word.back;
                    }
                    word.letters[i]
                };
                for i in 0..word.letters.len() + other.letters.len() {
                    assert_eq!(letter(&word, i), letter(&other, i), "a play of the machine");
                }
            }
            false
        }
        other => panic!("{other:?}"),
    }
}

/// No play against a random word refutes a random machine that `verify` accepts.
#[test]
fn verification_agrees_with_the_definition() {
    let mut counts = [[0, 0], [0, 0]];
    for number in 0..200 {
        let seed = first_seed() + number;
        let mut rng = Rng(seed);
        let tree = specification(&mut rng);
        let mut problem = problem(&tree.text());
        let shown = problem.shown_alphabet();
        let words: Vec<Word> = (0..PLAYS).map(|_| Word::random(&mut rng)).collect();
        let (machine, counter) = (random_mealy(&mut rng, &problem), random_counter(&mut rng, &problem));
        let candidate = MachineCandidate::Mealy(machine.clone());
        let holds = judged(&mut problem, &candidate, false, &tree);
        let circuit = Registers::of(&problem).unread_by_circuit(&circuit_of_mealy(&shown, &machine), 0);
        let proper = tsl_synth_core::model::CircuitBuilder::new(circuit.inputs).finish();
        let candidate = MachineCandidate::Circuit { owner: Player::System, circuit, proper };
        assert_eq!(judged(&mut problem, &candidate, true, &tree), holds, "seed {seed}");
        let mut plays = words.iter().map(|word| against_mealy(&problem, &machine, word));
        let refuted = plays.any(|play| !tree.holds(&play));
        assert!(!(holds && refuted), "seed {seed}: {}", tree.text());
        counts[0][usize::from(holds)] += 1;

        let registers = Registers::of(&problem);
        let budget = Budget::unlimited();
        let given = registers.given_by(&counter, 1 << 12, &budget).expect("a small product");
        let circuit = registers.given_by_circuit(&circuit_of_counter(&shown, &counter));
        let holds = judged(&mut problem, &MachineCandidate::Counter(given), false, &tree);
        let proper = tsl_synth_core::model::CircuitBuilder::new(circuit.inputs).finish();
        let candidate = MachineCandidate::Circuit { owner: Player::Environment, circuit, proper };
        assert_eq!(judged(&mut problem, &candidate, true, &tree), holds, "seed {seed}");
        let mut plays = words.iter().map(|word| against_counter(&problem, &counter, word));
        let refuted = plays.any(|play| tree.holds(&play));
        assert!(!(holds && refuted), "seed {seed}: {}", tree.text());
        counts[1][usize::from(holds)] += 1;
    }
    assert!(counts.iter().flatten().all(|&count| count > 10), "{counts:?}");
}
