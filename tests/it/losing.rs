//! Infinite losing plays compared with all short plays: none violates fewer guarantees, or as few in fewer steps.

use crate::oracle::instance::Instance;
use crate::oracle::machines::random_counter;
use tsl_synth_core::base::Budget;
use tsl_synth_core::logic::{Alphabet, FormulaId, Formulas, Lasso, LassoSemantics, Letter, Node, Player};
use tsl_synth_core::model::{Abstraction, CounterStrategy, StrategyRepr};
use tsl_synth_explain::{Core, LosingPlay, PlayEnding, losing_play};
use tsl_synth_kernel::{StrategyClaim, StrategyRef, certify};
use tsl_synth_lang::spec::ClauseId;
use tsl_synth_testkit::{Rng, quota, random_formula};

/// The most steps of plays that are enumerated.
const STEPS: usize = 4;

/// Whether a formula holds on a finite word in the weak or the strong view, by definition (Eisner, Fisman, Havlicek,
/// Lustig, McIsaac and Van Campenhout 2003, section 3).
fn view(fs: &Formulas, alphabet: &Alphabet, word: &[&Letter], f: FormulaId, weak: bool) -> bool {
    let on = |f, word: &[&Letter], weak| view(fs, alphabet, word, f, weak);
    let mut later = vec![weak; word.len() + 1];
    let mut fold = |step: &dyn Fn(usize, bool) -> bool| {
        for i in (0..word.len()).rev() {
            later[i] = step(i, later[i + 1]);
        }
        later[0]
    };
    match fs.node(f) {
        Node::True => true,
        Node::False => false,
        _ if word.is_empty() => weak,
        Node::Atom(atom) => alphabet.holds(*atom, word[0]),
        Node::Not(g) => !on(*g, word, !weak),
        Node::And(gs) => gs.iter().all(|&g| on(g, word, weak)),
        Node::Or(gs) => gs.iter().any(|&g| on(g, word, weak)),
        Node::Iff(a, b) => {
            (on(*a, word, weak) && on(*b, word, weak)) || !(on(*a, word, !weak) || on(*b, word, !weak))
        }
        Node::Next(g) => on(*g, &word[1..], weak),
        Node::Finally(g) => fold(&|i, next| on(*g, &word[i..], weak) || next),
        Node::Globally(g) => fold(&|i, next| on(*g, &word[i..], weak) && next),
        Node::Until(a, b) | Node::WeakUntil(a, b) => {
            fold(&|i, next| on(*b, &word[i..], weak) || on(*a, &word[i..], weak) && next)
        }
        Node::Release(a, b) | Node::StrongRelease(a, b) => {
            fold(&|i, next| on(*b, &word[i..], weak) && (on(*a, &word[i..], weak) || next))
        }
    }
}

/// How many guarantees a word violates; `None` if a finite prefix violates one.
fn failing(instance: &Instance, word: &Lasso) -> Option<usize> {
    let (fs, alphabet) = (&instance.formulas, &instance.alphabet);
    let rounds: Vec<&Letter> =
        word.prefix.iter().chain(std::iter::repeat_n(&word.cycle, 5).flatten()).collect();
    let guarantees = &instance.contract.guarantees;
    if guarantees.iter().any(|&f| !view(fs, alphabet, &rounds, f, true)) {
        return None;
    }
    let mut meaning = LassoSemantics::new(fs, alphabet, word);
    Some(guarantees.iter().filter(|&&f| !meaning.holds(f)).count())
}

/// The fewest violated guarantees, and with these the fewest steps, of plays of at most `most` steps.
fn best(instance: &Instance, counter: &CounterStrategy, most: usize) -> Option<(usize, usize)> {
    let mut answers: Vec<Letter> = Vec::new();
    for letter in instance.letters() {
        let own = letter.iter().filter(|&bit| instance.alphabet.owner(bit) == Player::System);
        let answer: Letter = own.collect();
        if !answers.contains(&answer) {
            answers.push(answer);
        }
    }
    let mut found: Option<(usize, usize)> = None;
    let mut words: Vec<(Vec<Letter>, Vec<_>)> = vec![(Vec::new(), vec![counter.initial])];
    for steps in 1..=most {
        let mut longer = Vec::new();
        for (letters, states) in words {
            for answer in &answers {
                let state = states[steps - 1];
                let mut letter = counter.states[state].input.clone();
                letter.union_with(answer);
                let next = counter.edge(state, answer).expect("an edge").next;
                let (mut letters, mut states) = (letters.clone(), states.clone());
                letters.push(letter);
                states.push(next);
                for from in (0..steps).filter(|&from| states[from] == next) {
                    let word = Lasso { prefix: letters[..from].to_vec(), cycle: letters[from..].to_vec() };
                    if let Some(failures) = failing(instance, &word)
                        && found.is_none_or(|best| (failures, steps) < best)
                    {
                        found = Some((failures, steps));
                    }
                }
                longer.push((letters, states));
            }
        }
        words = longer;
    }
    found
}

fn word_of(play: &LosingPlay, from: usize) -> Lasso {
    let letter = |step: &tsl_synth_explain::PlayStep| {
        let mut letter = step.input.clone();
        letter.union_with(step.output.as_ref().expect("an answer"));
        letter
    };
    let mut letters: Vec<Letter> = play.steps.iter().map(letter).collect();
    let cycle = letters.split_off(from);
    Lasso { prefix: letters, cycle }
}

#[test]
fn endless_losing_plays_are_the_shortest_of_all_words() {
    let mut rng = Rng(11);
    let mut counts = [0; STEPS + 1];
    while counts.iter().sum::<usize>() < quota(15) {
        let mut instance = if rng.flip() {
            Instance::new("a b", "x y")
        } else {
            Instance::new("a b", "").with_cell("c", "p q r")
        };
        for _ in 0..=rng.below(3) {
            let size = 2 + rng.below(6);
            let f = random_formula(&mut rng, &mut instance.formulas, &instance.alphabet, size);
            let then = instance.formulas.finally(f);
            let f = if rng.flip() { f } else { instance.formulas.globally(then) };
            instance.contract.guarantees.push(f);
        }
        let states = 1 + rng.below(4);
        let counter = random_counter(&mut rng, &instance.alphabet, states);
        let budget = Budget::unlimited();
        let (fs, alphabet) = (&instance.formulas, &instance.alphabet);
        if certify(
            &StrategyClaim {
                formulas: fs,
                alphabet,
                contract: &instance.contract,
                strategy: StrategyRef::Counter(&counter),
            },
            &budget,
        )
        .is_err()
        {
            continue;
        }
        let problem = instance.problem();
        let guarantees: Vec<ClauseId> = problem.clauses.ids().collect();
        let core = Core {
            guarantees,
            assumptions: Vec::new(),
            minimal: false,
            undecided: Vec::new(),
            counter: Some(StrategyRepr::Explicit(counter.clone())),
            notion: Abstraction::Ltl,
        };
        let play = losing_play(&problem, &core, &budget).expect("a play");
        let expected = best(&instance, &counter, STEPS);
        let what = format!("{} {counter:?}: {play:?}, {expected:?}", instance.show());
        let PlayEnding::Repeats(from) = play.ending else {
            assert_eq!(expected, None, "{what}");
            continue;
        };
        assert!(play.shortest, "{what}");
        let (failures, steps) = (play.failures.len(), play.steps.len());
        assert_eq!(failing(&instance, &word_of(&play, from)), Some(failures), "{what}");
        match expected {
            Some(best) => assert!((failures, steps) <= best, "{what}"),
            None => assert!(steps > STEPS, "{what}"),
        }
        counts[if steps > STEPS { 0 } else { steps }] += 1;
    }
    println!("endless plays by length, 0 for longer ones: {counts:?}");
    assert!(counts[2] + counts[3] > quota(2), "{counts:?}");
}
