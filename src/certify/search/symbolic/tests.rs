//! The ways against each other on random circuits and questions.

use super::{FairSearch, PlayQuestion, Symbolic};
use crate::base::{Budget, LimitKind, Random};
use crate::certify::kernel::Emptiness;
use crate::certify::kernel::normal::SignedFormula;
use crate::logic::{Alphabet, FormulaId, Formulas, LassoSemantics, Player};
use crate::model::{Circuit, CircuitBuilder};

/// Two inputs, two outputs and three latches, of which some may remember a letter.
fn circuit(random: &mut Random) -> Circuit {
    let mut b = CircuitBuilder::new(2);
    let latches = [0; 3].map(|_| b.add_latch(random.flip()));
    let mut all = vec![b.input(0), b.input(1), latches[0], latches[1], latches[2]];
    for _ in 0..6 {
        let [x, y] = [0; 2].map(|_| all[random.below(all.len())].negated_if(random.flip()));
        let gate = b.and(x, y);
        all.push(gate);
    }
    for latch in latches {
        b.set_next(latch, all[random.below(all.len())].negated_if(random.flip()));
    }
    for _ in 0..2 {
        b.add_output(all[random.below(all.len())].negated_if(random.flip()));
    }
    b.finish()
}

/// A disjunction of literals of this letter and the next one.
fn window(random: &mut Random, formulas: &mut Formulas, atoms: &[FormulaId]) -> FormulaId {
    let mut parts = Vec::new();
    for _ in 0..=random.below(3) {
        let atom = atoms[random.below(atoms.len())];
        let literal = if random.flip() { formulas.not(atom) } else { atom };
        parts.push(if random.below(3) == 0 { formulas.next(literal) } else { literal });
    }
    formulas.or(parts)
}

fn conjunct(random: &mut Random, formulas: &mut Formulas, atoms: &[FormulaId]) -> SignedFormula {
    let [a, b] = [0; 2].map(|_| window(random, formulas, atoms));
    let atom = atoms[random.below(atoms.len())];
    match random.below(7) {
        0 => (atom, random.flip()),
        1 => (formulas.globally(a), random.flip()),
        2 => (formulas.finally(a), random.flip()),
        3 => (formulas.weak_until(a, b), false),
        4 => {
            let some_time = formulas.finally(atom);
            (formulas.globally(some_time), random.flip())
        }
        5 => {
            let always = formulas.globally(atom);
            (formulas.finally(always), random.flip())
        }
        _ => {
            let some_time = formulas.finally(atom);
            let other = atoms[random.below(atoms.len())];
            let response = formulas.or([other, some_time]);
            (formulas.globally(response), random.flip())
        }
    }
}

/// All ways agree with each other, and plays satisfy what was asked. What the past shows to be without plays is so, and where
/// other ways find none it mostly shows that.
#[test]
fn all_ways_agree() {
    let mut random = Random::new(5);
    let mut alphabet = Alphabet::new();
    let names = ["a", "b"].map(|name| alphabet.add_input(name)).into_iter();
    let names: Vec<_> = names.chain(["x", "y"].map(|name| alphabet.add_output(name))).collect();
    let (mut shown, mut missed, mut plays, mut resumed) = (0, 0, 0, 0);
    for round in 0..600 {
        let mut formulas = Formulas::new();
        let atoms: Vec<FormulaId> = names.iter().map(|&atom| formulas.atom(atom)).collect();
        let circuit = circuit(&mut random);
        let conjuncts: Vec<SignedFormula> =
            (0..=random.below(3)).map(|_| conjunct(&mut random, &mut formulas, &atoms)).collect();
        let pool: Vec<SignedFormula> =
            (0..random.below(4)).map(|_| conjunct(&mut random, &mut formulas, &atoms)).collect();
        let budget = Budget::unlimited();
        // A counter-strategy's outputs are the inputs, and it reads the outputs.
        let owner = if random.flip() { Player::System } else { Player::Environment };
        let mut search = Symbolic::new(&formulas, &alphabet, &circuit, owner, &budget);
        let question = |conjuncts, pool| PlayQuestion {
            formulas: &formulas,
            alphabet: &alphabet,
            owner,
            conjuncts,
            pool,
            clauses: &[],
            likely: &[],
        };
        // Where a limit is met, it goes on from there.
        let mut work = 1;
        let past = loop {
            match search.attempt(&question(&conjuncts, &pool), FairSearch::Past, work).expect("no limit") {
                Err(limit) if limit.kind == LimitKind::Work => work += 1,
                past => break past,
            }
            resumed += 1;
        };
        let all = [&conjuncts[..], &pool].concat();
        let mut answers = [FairSearch::Forward, FairSearch::Relation, FairSearch::Composition].map(|way| {
            let (answer, _) =
                search.attempt(&question(&all, &[]), way, u64::MAX).expect("no limit").expect("an answer");
            let Emptiness::Play(play) = answer else { return None };
            let mut meaning = LassoSemantics::new(&formulas, &alphabet, &play);
            assert!(all.iter().all(|&(f, value)| meaning.holds(f) == value), "{round} {way:?}");
            Some(play)
        });
        assert!(answers.iter().all(|play| play.is_some() == answers[0].is_some()), "{round}: {answers:?}");
        let play = answers[0].take();
        match (past, play) {
            (Ok((Emptiness::NoPlay(_), _)), None) => shown += 1,
            (Err(limit), play) => {
                assert_eq!(limit.kind, LimitKind::Size);
                *(if play.is_some() { &mut plays } else { &mut missed }) += 1;
            }
            (past, play) => panic!("{round}: {past:?} {play:?}"),
        }
    }
    assert!(shown > 200 && plays > 100 && missed < shown, "{shown} shown, {missed} missed, {plays}");
    assert!(resumed > 0, "no limit was ever met");
}
