//! Comparisons of machines and of specifications, checked by enumeration and by the lasso semantics.

use crate::oracle::machines::{mutate_mealy, random_counter, random_mealy};
use std::collections::{BTreeSet, VecDeque};
use tsl_synth_core::base::{Budget, IdVec};
use tsl_synth_core::logic::{Alphabet, BitId, Formulas, LassoSemantics, Letter, Player};
use tsl_synth_core::model::{Mealy, Role};
use tsl_synth_engine::mealy::{Compared, PlaySoFar, Strategist, first_difference};
use tsl_synth_explain::{OneWay, compare};
use tsl_synth_lang::spec::{AtomMeaning, Clause, Language, Problem, Signature, Target, Wordings, join};
use tsl_synth_testkit::{Rng, random_formula, random_lasso, small_alphabet};

/// All letters of a player.
fn letters(alphabet: &Alphabet, player: Player) -> Vec<Letter> {
    let bits: Vec<BitId> = alphabet.bits_of(player).collect();
    let letter = |code: usize| -> Letter {
        bits.iter().enumerate().filter(|(i, _)| code >> i & 1 == 1).map(|(_, &bit)| bit).collect()
    };
    let all: Vec<Letter> = (0..1usize << bits.len()).map(letter).collect();
    all.into_iter()
        .filter(|letter| player == Player::Environment || alphabet.canonical(letter) == *letter)
        .collect()
}

/// The number of steps up to the first difference, by breadth-first search over pairs of states.
fn by_enumeration(alphabet: &Alphabet, a: &Mealy, b: &Mealy) -> Option<usize> {
    let mut seen = BTreeSet::new();
    let mut queue = VecDeque::from([((a.initial, b.initial), 1)]);
    while let Some(((p, q), steps)) = queue.pop_front() {
        if !seen.insert((p, q)) {
            continue;
        }
        for letter in letters(alphabet, Player::Environment) {
            let (x, y) = (a.edge(p, &letter).expect("complete"), b.edge(q, &letter).expect("complete"));
            if alphabet.canonical(&x.output) != alphabet.canonical(&y.output) {
                return Some(steps);
            }
            queue.push_back(((x.next, y.next), steps + 1));
        }
    }
    None
}

fn names(alphabet: &Alphabet, player: Player) -> Vec<String> {
    let own = alphabet.atoms().enumerate().filter(|&(id, _)| alphabet.player(id) == player);
    own.map(|(_, atom)| atom.name.clone()).collect()
}

#[test]
fn the_first_difference_of_machines_is_that_of_enumeration() {
    let mut rng = Rng(7);
    let (mut same, mut late) = (0, 0);
    for round in 0..400 {
        let alphabet = small_alphabet(round % 2 == 0);
        let states = 1 + rng.below(5);
        let left = random_mealy(&mut rng, &alphabet, states);
        let mut right = left.clone();
        for _ in 0..rng.below(3) {
            if let Some(mutant) = mutate_mealy(&mut rng, &alphabet, &right) {
                right = mutant;
            }
        }
        if round % 10 == 0 {
            let states = 1 + rng.below(5);
            right = random_mealy(&mut rng, &alphabet, states);
        }
        let machines = [Strategist::Mealy(&left), Strategist::Mealy(&right)];
        let sides = machines.map(|strategy| Compared { alphabet: &alphabet, strategy });
        let (found, _) = first_difference(sides, &names(&alphabet, Player::System), &Budget::unlimited())
            .expect("no limit");
        let expected = by_enumeration(&alphabet, &left, &right);
        assert_eq!(found.as_ref().map(|found| found.word.len()), expected);
        match &found {
            None => same += 1,
            Some(found) => {
                late += usize::from(found.word.len() > 1);
                let plays = machines.map(|machine| {
                    let mut play = PlaySoFar::new(&alphabet, machine);
                    for choice in found.choices(&alphabet) {
                        play.step(&choice).expect("an answer");
                    }
                    play.letters().to_vec()
                });
                let last = found.word.len() - 1;
                assert_eq!(plays[0][..last], plays[1][..last]);
                assert_ne!(plays[0][last], plays[1][last]);
            }
        }
    }
    assert!(same > 50 && late > 20, "{same} equivalent, {late} with a difference after the first step");
}

#[test]
fn counter_strategies_are_compared_on_legal_moves() {
    let mut rng = Rng(11);
    let alphabet = small_alphabet(true);
    let moves = letters(&alphabet, Player::System);
    let mut different = 0;
    for _ in 0..100 {
        let [left, right] = [2, 2].map(|states| random_counter(&mut rng, &alphabet, states));
        let sides = [Strategist::Counter(&left), Strategist::Counter(&right)]
            .map(|strategy| Compared { alphabet: &alphabet, strategy });
        let (found, _) =
            first_difference(sides, &names(&alphabet, Player::Environment), &Budget::unlimited())
                .expect("no limit");
        // All words of up to five moves.
        let mut expected = None;
        let mut pairs = BTreeSet::from([(left.initial, right.initial)]);
        for steps in 1..=5 {
            if pairs.iter().any(|&(p, q)| left.states[p].input != right.states[q].input) {
                expected = Some(steps);
                break;
            }
            let next = |&(p, q): &(_, _)| {
                let step = |letter: &Letter| {
                    (
                        left.edge(p, letter).expect("complete").next,
                        right.edge(q, letter).expect("complete").next,
                    )
                };
                moves.iter().map(step).collect::<Vec<_>>()
            };
            pairs = pairs.iter().flat_map(next).collect();
        }
        assert_eq!(found.map(|found| found.word.len()), expected);
        different += usize::from(expected.is_some());
    }
    assert!(different > 10 && different < 100, "{different}");
}

/// A problem with these formulas over an alphabet.
fn problem(
    alphabet: &Alphabet,
    formulas: &Formulas,
    clauses: &[(Role, tsl_synth_core::logic::FormulaId)],
) -> Problem {
    let mut signature = Signature::default();
    alphabet.atoms().ids().for_each(|_| {
        signature.atoms.push(AtomMeaning::Proposition);
    });
    let clause = |&(role, formula): &_| Clause { role, formula, span: None, constraint: None };
    Problem {
        name: "random".into(),
        language: Language::Ltl,
        formulas: formulas.clone(),
        alphabet: alphabet.clone(),
        clauses: IdVec::from(clauses.iter().map(clause).collect::<Vec<_>>()),
        signature,
        rewritten: false,
        restricted: None,
        invariants: Vec::new(),
        wordings: Wordings::default(),
        answers_first: false,
        finite: false,
        target: Target::Mealy,
    }
}

/// Compares the results for pairs of random contracts with the lasso semantics on random words.
fn compared(pairs: usize, words: usize) {
    let mut rng = Rng(23);
    let (mut equivalent, mut one_way, mut both_ways) = (0, 0, 0);
    for round in 0..pairs {
        let alphabet = small_alphabet(round % 2 == 0);
        let mut formulas = Formulas::new();
        let mut contract = |rng: &mut Rng| {
            let roles = [Role::Guarantee, Role::Guarantee, Role::Assumption, Role::Restriction];
            (0..=rng.below(3))
                .map(|_| {
                    let size = 1 + rng.below(7);
                    (roles[rng.below(4)], random_formula(rng, &mut formulas, &alphabet, size))
                })
                .collect::<Vec<_>>()
        };
        let left = contract(&mut rng);
        // Contracts that have much in common are equivalent more often.
        let mut right = if rng.flip() { left.clone() } else { contract(&mut rng) };
        if rng.flip() {
            right.extend(contract(&mut rng));
        }
        let (left, right) = (problem(&alphabet, &formulas, &left), problem(&alphabet, &formulas, &right));
        let mut joint = join(&left, &right).expect("the same atoms");
        let found = compare(&mut joint, &Budget::unlimited()).expect("both translations agree");
        let kept = |problem: &Problem, word: &_| {
            let mut formulas = problem.formulas.clone();
            let whole = problem.contract().formula(&mut formulas);
            LassoSemantics::new(&formulas, &problem.alphabet, word).holds(whole)
        };
        // The joint alphabet has the atoms in the same order.
        assert_eq!(joint.alphabet.atoms(), alphabet.atoms());
        for (way, [one, other]) in found.ways.iter().zip([[&left, &right], [&right, &left]]) {
            match way {
                OneWay::Word(found) => {
                    assert!(kept(one, &found.word) && !kept(other, &found.word), "{:?}", found.word);
                }
                OneWay::None => {
                    for _ in 0..words {
                        let word = random_lasso(&mut rng, &alphabet);
                        assert!(!kept(one, &word) || kept(other, &word), "{word:?}");
                    }
                }
                OneWay::Unknown(limit) => panic!("{limit}"),
            }
        }
        match found.ways.iter().filter(|way| matches!(way, OneWay::Word(_))).count() {
            0 => equivalent += 1,
            1 => one_way += 1,
            _ => both_ways += 1,
        }
    }
    println!("{equivalent} equivalent, {one_way} with one stronger, {both_ways} incomparable");
    assert!(equivalent.min(one_way).min(both_ways) * 20 > pairs, "{equivalent} {one_way} {both_ways}");
}

#[test]
fn contracts_are_compared_as_their_words_are() {
    compared(150, 40);
}

#[test]
#[ignore = "a campaign"]
fn campaign_contracts_are_compared_as_their_words_are() {
    compared(3000, 200);
}
