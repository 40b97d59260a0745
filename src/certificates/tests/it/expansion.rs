//! The lemma on which the checker rests, on random words: of a word that satisfies a set of formulas some branch is true.

use crate::random::{Random, formula};
use std::collections::BTreeSet;
use tsl_check::cube::Cube;
use tsl_check::formula::{Arena, Formula, Node};
use tsl_check::tableau::{Branch, expand};
use tsl_synth_certificates::lasso::{Lasso, holds};

fn word(random: &mut Random, atoms: usize) -> Lasso {
    let length = 1 + random.below(5);
    let letter =
        |random: &mut Random| (0..atoms as u32).filter(|_| random.below(2) == 0).collect::<BTreeSet<u32>>();
    let letters = (0..length).map(|_| letter(random)).collect();
    Lasso { letters, back: random.below(length) }
}

/// The word without its first letter.
fn rest(word: &Lasso) -> Lasso {
    if word.back > 0 {
        return Lasso { letters: word.letters[1..].to_vec(), back: word.back - 1 };
    }
    let mut letters = word.letters.clone();
    letters.rotate_left(1);
    Lasso { letters, back: 0 }
}

fn is_true_of(arena: &mut Arena, branch: &Branch, word: &Lasso) -> bool {
    let after = rest(word);
    let goals: Vec<Formula> = branch
        .postponed
        .iter()
        .map(|f| match *arena.node(*f) {
            Node::Until(_, q) => q,
            Node::Strong(p, q) => arena.and([p, q]),
            ref other => panic!("{other:?} is no strong fixpoint"),
        })
        .collect();
    branch.next.iter().all(|&f| holds(arena, f, &after)) && goals.iter().all(|&g| !holds(arena, g, word))
}

#[test]
fn a_branch_is_true_of_every_word_that_satisfies_the_formulas() {
    let (mut satisfied, mut several) = (0, 0);
    for seed in 0..30_000 {
        let mut random = Random(seed);
        let mut arena = Arena::new();
        let formulas: Vec<Formula> = (0..=random.below(3))
            .map(|_| {
                let size = 1 + random.below(8);
                formula(&mut random, &mut arena, 3, size)
            })
            .collect();
        let word = word(&mut random, 3);
        let mut cube = Cube::default();
        for atom in (0..3).filter(|_| random.below(2) == 0) {
            cube.add(atom, word.letters[0].contains(&atom));
        }
        let branches = expand(&arena, &formulas, &cube, &mut 100_000).expect("it is small");
        several += usize::from(branches.len() > 1);
        let all = formulas.iter().all(|&f| holds(&arena, f, &word));
        satisfied += usize::from(all);
        if all {
            let some = branches.iter().any(|branch| is_true_of(&mut arena, branch, &word));
            assert!(some, "seed {seed}: no branch is true of {word:?}");
        }
    }
    assert!(satisfied > 4000 && several > 3000, "{satisfied} satisfied, {several} with several branches");
}

#[test]
fn negation_is_negation_on_words() {
    for seed in 0..5000 {
        let mut random = Random(seed);
        let mut arena = Arena::new();
        let f = formula(&mut random, &mut arena, 3, 10);
        let not = arena.not(f);
        let word = word(&mut random, 3);
        assert_ne!(holds(&arena, f, &word), holds(&arena, not, &word), "seed {seed}");
    }
}
