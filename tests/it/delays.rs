//! Delay lines: delayed formulas compared with the lasso semantics, and games with shared memory compared with games
//! without it; all strategies are certified.

use crate::monitors::product_accepts;
use crate::oracle::instance::Instance;
use crate::oracle::specs::{Scale, random_instance};
use tsl_synth_core::base::{Budget, Id as _, LimitKind};
use tsl_synth_core::logic::{
    Alphabet, AtomId, FormulaId, Formulas, Lasso, LassoSemantics, Letter, Node, Normalizer, Player,
};
use tsl_synth_core::model::{Contract, Silent};
use tsl_synth_engine::game::{
    CompiledContract, FEW_STATES, Memory, Sharing, StrategyForm, SymbolicStrategy, compile_contract,
    solve_symbolic, symbolic_winner,
};
use tsl_synth_engine::mealy::{counter_strategy, mealy};
use tsl_synth_kernel::{CertifyError, StrategyClaim, StrategyRef, certify};
use tsl_synth_testkit::{Rng, random_formula, random_lasso, small_alphabet};

/// The word with the bits of memory in each letter; `before` has their first values.
fn with_memory(memory: &Memory, word: &Lasso, before: &Letter) -> Lasso {
    let mut seen: Vec<(usize, Letter)> = Vec::new();
    let mut letters = Vec::new();
    let (mut position, mut past) = (0, before.clone());
    loop {
        if let Some(start) = seen.iter().position(|s| *s == (position, past.clone())) {
            let cycle = letters.split_off(start);
            return Lasso { prefix: letters, cycle };
        }
        seen.push((position, past.clone()));
        let mut letter = word.letter(position).clone();
        letter.union_with(&past);
        past = memory.step(&letter);
        letters.push(letter);
        position = word.successor(position);
    }
}

fn shifted(memory: &mut Memory, formulas: &mut Formulas, f: FormulaId, k: u32) -> FormulaId {
    formulas.delayed(f, k, &mut |formulas, g, k| memory.past(formulas, g, k))
}

/// A random formula with more X than usual.
fn with_nested_next(rng: &mut Rng, formulas: &mut Formulas, alphabet: &Alphabet) -> FormulaId {
    let mut part = |formulas: &mut Formulas| {
        let size = 1 + rng.below(6);
        let f = random_formula(rng, formulas, alphabet, size);
        formulas.next_n(rng.below(5) as u32, f)
    };
    let (f, g, h) = (part(formulas), part(formulas), part(formulas));
    let n = rng.below(5);
    match n {
        0 | 1 => {
            let trigger = formulas.atom(AtomId::from_index(0));
            let body = formulas.implies(trigger, f);
            let body = formulas.globally(body);
            if n == 0 { body } else { formulas.and([body, g]) }
        }
        2 => formulas.until(f, g),
        3 => formulas.release(f, g),
        _ => formulas.or([f, g, h]),
    }
}

/// A random formula of the form `G (p | F q | G r | ...)`, in which `p` may be missing and `F q` may be `G q`.
fn with_release_by_globally(rng: &mut Rng, formulas: &mut Formulas, alphabet: &Alphabet) -> FormulaId {
    let mut parts = Vec::new();
    for i in 0..2 + rng.below(4) {
        let (a, b) = (random_literal(rng, formulas, alphabet), random_literal(rng, formulas, alphabet));
        let part = if rng.flip() { formulas.and([a, b]) } else { formulas.or([a, b]) };
        parts.push(match i {
            0 => part,
            1 if rng.flip() => formulas.finally(part),
            _ => formulas.globally(part),
        });
    }
    if rng.flip() {
        parts.remove(0);
    }
    let body = formulas.or(parts);
    formulas.globally(body)
}

fn random_literal(rng: &mut Rng, formulas: &mut Formulas, alphabet: &Alphabet) -> FormulaId {
    let atom = formulas.atom(AtomId::from_index(rng.below(alphabet.atoms().len())));
    if rng.flip() { atom } else { formulas.not(atom) }
}

#[test]
fn shifts_agree_with_lasso_semantics() {
    let mut rng = Rng(3);
    let (mut accepted, mut words, mut idle) = (0, 0, 0);
    for round in 0..1500 {
        let alphabet = small_alphabet(round % 2 == 0);
        let mut formulas = Formulas::new();
        let f = with_nested_next(&mut rng, &mut formulas, &alphabet);
        let depth = formulas.next_depth(f);
        // Every delay is correct; a delay by the depth leaves no X.
        let k = if rng.flip() { depth } else { rng.below(7) as u32 };
        let mut memory = Memory::new(&alphabet);
        let delayed = shifted(&mut memory, &mut formulas, f, k);
        assert!(k < depth || formulas.next_depth(delayed) == 0);
        let waited = formulas.next_n(k, delayed);
        let idles = formulas.idles(&alphabet, f);
        idle += u32::from(idles && !formulas.is_constant(f));
        let text = formulas.display(f, &alphabet);
        for _ in 0..10 {
            let word = random_lasso(&mut rng, &alphabet);
            let truth = LassoSemantics::new(&formulas, &alphabet, &word).holds(f);
            // Past values before the first step do not matter.
            let before: Letter = memory.bits().map(|(bit, _)| bit).filter(|_| rng.flip()).collect();
            let late_word = with_memory(&memory, &word, &before);
            let mut meaning = LassoSemantics::new(&formulas, &memory.alphabet, &late_word);
            assert_eq!(meaning.holds(waited), truth, "{text} shifted by {k} on {word:?}");
            if idles {
                let quiet_word = with_memory(&memory, &word, &Letter::new());
                let mut meaning = LassoSemantics::new(&formulas, &memory.alphabet, &quiet_word);
                assert_eq!(meaning.holds(delayed), truth, "{text} shifted by {k}, idle, on {word:?}");
            }
            accepted += u32::from(truth);
            words += 1;
        }
    }
    assert!(accepted * 5 > words && accepted * 5 < 4 * words && idle > 100, "{accepted} of {words}, {idle}");
}

#[test]
fn finer_conjunctions_agree_with_lasso_semantics() {
    let mut rng = Rng(5);
    let (mut accepted, mut words, mut split) = (0, 0, 0);
    for round in 0..1500 {
        let alphabet = small_alphabet(round % 2 == 0);
        let mut formulas = Formulas::new();
        let (size, most) = (3 + rng.below(14), 1 + rng.below(40));
        let f = random_formula(&mut rng, &mut formulas, &alphabet, size);
        let f = Normalizer::new().normalize(&mut formulas, f, false);
        let whole = matches!(formulas.node(f), Node::And(_));
        let parts = formulas.conjuncts(f, most);
        assert!(parts.len() <= most);
        split += u32::from(parts.len() > 1 && !whole);
        for _ in 0..10 {
            let word = random_lasso(&mut rng, &alphabet);
            let mut meaning = LassoSemantics::new(&formulas, &alphabet, &word);
            let truth = meaning.holds(f);
            let all = parts.iter().all(|&g| meaning.holds(g));
            assert_eq!(all, truth, "{} on {word:?}", formulas.display(f, &alphabet));
            accepted += u32::from(truth);
            words += 1;
        }
    }
    assert!(accepted * 5 > words && accepted * 5 < 4 * words && split > 100, "{accepted}, {split} split");
}

#[test]
fn started_is_true_from_its_step_on() {
    let alphabet = small_alphabet(false);
    let mut formulas = Formulas::new();
    let mut memory = Memory::new(&alphabet);
    let started = memory.started_bit(&mut formulas, 3);
    let word = Lasso { prefix: Vec::new(), cycle: vec![Letter::new()] };
    let delayed = with_memory(&memory, &word, &Letter::new());
    let values: Vec<bool> = (0..delayed.len()).map(|i| delayed.letter(i).contains(started)).collect();
    assert_eq!(values, [false, false, false, true]);
}

/// How many of 20 random words satisfy the formula. Checks that the automata accept exactly these.
fn accepted_of_20(
    rng: &mut Rng,
    (formulas, alphabet, f): (&Formulas, &Alphabet, FormulaId),
    product: &CompiledContract,
) -> u32 {
    let mut accepted = 0;
    for _ in 0..20 {
        let word = random_lasso(rng, alphabet);
        let truth = LassoSemantics::new(formulas, alphabet, &word).holds(f);
        let text = formulas.display(f, alphabet);
        assert_eq!(product_accepts(product, &word), truth, "{text} on {word:?}: {product:?}");
        accepted += u32::from(truth);
    }
    accepted
}

#[test]
fn automata_over_memory_agree_with_lasso_semantics() {
    let mut rng = Rng(17);
    let (mut accepted, mut words, mut remembering) = (0, 0, 0);
    for round in 0..2000 {
        let alphabet = small_alphabet(round % 2 == 0);
        let mut formulas = Formulas::new();
        let size = 2 + rng.below(12);
        let f = match rng.below(4) {
            0 => with_nested_next(&mut rng, &mut formulas, &alphabet),
            1 => with_release_by_globally(&mut rng, &mut formulas, &alphabet),
            _ => random_formula(&mut rng, &mut formulas, &alphabet, size),
        };
        let contract = Contract { guarantees: vec![f], ..Contract::default() };
        let budget = Budget::unlimited().with_work(1 << 22);
        let Ok(product) = compile_contract(&mut formulas, &alphabet, &contract, Sharing::Memory(0), &budget)
        else {
            continue;
        };
        remembering += u32::from(!product.memory.is_empty());
        accepted += accepted_of_20(&mut rng, (&formulas, &alphabet, f), &product);
        words += 20;
    }
    assert!(accepted * 5 > words && accepted * 5 < 4 * words && remembering > 500, "{remembering}");
}

/// The limit of work for the certificate of one circuit.
const CIRCUIT_WORK: u64 = 20_000;

/// The number of bits of memory and the winner, whose strategy is certified: explicitly, and with little memory also as
/// a circuit.
fn certified(instance: &mut Instance, sharing: Sharing) -> Option<(usize, Player)> {
    let Instance { formulas, alphabet, contract, .. } = instance;
    let budget = Budget::unlimited().with_work(3_000_000);
    let compiled = match compile_contract(formulas, alphabet, contract, sharing, &budget) {
        Ok(compiled) => compiled,
        Err(limit) => {
            assert!(matches!(limit.kind, LimitKind::Size | LimitKind::Work), "{limit:?}");
            return None;
        }
    };
    let winner = symbolic_winner(&compiled, alphabet, 1 << 20, &budget).ok()?;
    // The certificate of a circuit has separate variables for stored values, and takes too long with many of them.
    let forms: &[StrategyForm] = if compiled.memory.len() > 3 {
        &[StrategyForm::Explicit]
    } else {
        &[StrategyForm::Explicit, StrategyForm::Circuit]
    };
    for &form in forms {
        let (formulas, contract) = (&instance.formulas, &instance.contract);
        let alphabet = &instance.alphabet;
        let solution = solve_symbolic(&compiled, alphabet, 1 << 20, |_| form, &budget, &Silent).ok()?;
        assert_eq!(solution.winner, winner);
        let (unlimited, limited) = (Budget::unlimited(), Budget::unlimited().with_work(CIRCUIT_WORK));
        let certified = match (winner, solution.strategy) {
            (Player::System, SymbolicStrategy::Explicit(strategy)) => certify(
                &StrategyClaim {
                    formulas,
                    alphabet,
                    contract,
                    strategy: StrategyRef::Mealy(&mealy(&strategy, alphabet)),
                },
                &unlimited,
            ),
            (Player::Environment, SymbolicStrategy::Explicit(strategy)) => {
                let machine = counter_strategy(&strategy, alphabet);
                certify(
                    &StrategyClaim { formulas, alphabet, contract, strategy: StrategyRef::Counter(&machine) },
                    &unlimited,
                )
            }
            (Player::System, SymbolicStrategy::Circuit(circuit)) => certify(
                &StrategyClaim {
                    formulas,
                    alphabet,
                    contract,
                    strategy: StrategyRef::MealyCircuit(&circuit),
                },
                &limited,
            ),
            (Player::Environment, SymbolicStrategy::Circuit(circuit)) => certify(
                &StrategyClaim {
                    formulas,
                    alphabet,
                    contract,
                    strategy: StrategyRef::CounterCircuit(&circuit),
                },
                &limited,
            ),
        };
        match certified {
            Ok(_) => {}
            Err(CertifyError::Limit(_)) if form == StrategyForm::Circuit => {}
            Err(error) => panic!("{sharing:?}, {form:?}: {error:?}\n{}", instance.show()),
        }
    }
    Some((compiled.memory.len(), winner))
}

#[test]
fn games_over_memory_are_won_by_whom_they_are_won_without() {
    let mut rng = Rng(11);
    let (mut won, mut remembering) = ([0, 0], 0);
    for round in 0..300 {
        let mut instance = random_instance(&mut rng, Scale { inputs: 2, outputs: 2, size: 12 });
        if round % 3 == 0 {
            instance = Instance::new("a b", "x").with_cell("m", "u v w");
        }
        for _ in 0..=rng.below(2) {
            let f = with_nested_next(&mut rng, &mut instance.formulas, &instance.alphabet);
            let contract = &mut instance.contract;
            [
                &mut contract.guarantees,
                &mut contract.assumptions,
                &mut contract.restrictions,
                &mut contract.facts,
            ][[0, 0, 1, 2, 3][rng.below(5)]]
            .push(f);
        }
        let (Some((bits, delayed)), Some((_, usual))) = (
            certified(&mut instance, Sharing::Memory(0)),
            certified(&mut instance, Sharing::Memory(FEW_STATES)),
        ) else {
            continue;
        };
        assert_eq!(delayed, usual, "{}", instance.show());
        remembering += u32::from(bits > 0);
        won[usize::from(delayed == Player::System)] += 1;
    }
    assert!(won[0] > 40 && won[1] > 40 && remembering > 100, "{won:?}, {remembering} with memory");
}

/// `G (p → X q)` or the like, for random p and q without temporal operators.
fn window(rng: &mut Rng, formulas: &mut Formulas, atoms: usize) -> FormulaId {
    let mut relation = |formulas: &mut Formulas| {
        let mut literals = Vec::new();
        for atom in 0..atoms {
            let f = formulas.atom(AtomId::from_index(atom));
            match rng.below(4) {
                0 => literals.push(f),
                1 => literals.push(formulas.not(f)),
                _ => {}
            }
        }
        if rng.below(2) == 0 { formulas.and(literals) } else { formulas.or(literals) }
    };
    let (p, q, r) = (relation(formulas), relation(formulas), relation(formulas));
    let later = formulas.next(q);
    let both = formulas.and([r, later]);
    let body = match rng.below(3) {
        0 => formulas.implies(p, later),
        1 => formulas.iff(p, later),
        _ => formulas.implies(p, both),
    };
    formulas.globally(body)
}

/// The windows of a contract, relations between consecutive letters, are evaluated together with a one-step delay if
/// that takes fewer bits. The winner stays the same.
#[test]
fn delayed_windows_change_no_winner() {
    let mut rng = Rng(23);
    let (mut won, mut delayed) = ([0, 0], 0);
    for _ in 0..150 {
        let mut instance = random_instance(&mut rng, Scale { inputs: 2, outputs: 2, size: 8 });
        for _ in 0..3 + rng.below(4) {
            let atoms = instance.alphabet.atoms().len();
            let f = window(&mut rng, &mut instance.formulas, atoms);
            let contract = &mut instance.contract;
            [&mut contract.assumptions, &mut contract.guarantees, &mut contract.restrictions]
                [[0, 0, 1, 1, 2][rng.below(5)]]
            .push(f);
        }
        let (Some((bits, shared)), Some((none, apart))) = (
            certified(&mut instance, Sharing::Memory(FEW_STATES)),
            certified(&mut instance, Sharing::Nothing(4_096)),
        ) else {
            continue;
        };
        assert_eq!(shared, apart, "{}", instance.show());
        assert_eq!(none, 0, "no memory was wanted");
        delayed += u32::from(bits > 0);
        won[usize::from(shared == Player::System)] += 1;
    }
    assert!(won[0] > 30 && won[1] > 30 && delayed > 30, "{won:?}, {delayed} with memory");
}

/// Safety conjuncts over the same atoms have one automaton if that takes fewer bits.
#[test]
fn conjuncts_together_agree_with_lasso_semantics() {
    let mut rng = Rng(23);
    let (mut accepted, mut words, mut together) = (0, 0, 0);
    for _ in 0..600 {
        let alphabet = small_alphabet(false);
        let mut formulas = Formulas::new();
        let [a, b] = [0, 1].map(|i| formulas.atom(AtomId::from_index(i)));
        let conjuncts: Vec<FormulaId> = (0..4)
            .map(|_| {
                let mut literal = |formulas: &mut Formulas| {
                    let f = if rng.flip() { a } else { b };
                    let f = if rng.flip() { f } else { formulas.not(f) };
                    formulas.next_n(rng.below(3) as u32, f)
                };
                let [p, q, r] = [0; 3].map(|_| literal(&mut formulas));
                let g = formulas.weak_until(q, r);
                let g = formulas.or([p, g]);
                formulas.globally(g)
            })
            .collect();
        let f = formulas.and(conjuncts.iter().copied());
        let contract = Contract { guarantees: conjuncts, ..Contract::default() };
        let budget = Budget::unlimited();
        let sharing = Sharing::Memory(FEW_STATES);
        let product = compile_contract(&mut formulas, &alphabet, &contract, sharing, &budget).unwrap();
        together += u32::from(product.automata.len() < contract.guarantees.len());
        accepted += accepted_of_20(&mut rng, (&formulas, &alphabet, f), &product);
        words += 20;
    }
    assert!(accepted * 20 > words && together > 100, "{accepted} of {words}, {together}");
}
