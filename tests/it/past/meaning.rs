//! The formulas and facts to which past operators are lowered, compared with the semantics by definition.

use super::formula::{Tree, Word};
use super::{letter, problem, with_registers};
use crate::campaign::first_seed;
use tsl_synth_automata::ltl_to_monitor_without;
use tsl_synth_core::base::Budget;
use tsl_synth_core::logic::LassoSemantics;
use tsl_synth_core::model::Role;
use tsl_synth_engine::mealy::Registers;
use tsl_synth_testkit::Rng;

/// Compares this many random formulas on eight words each.
fn compare(count: u64) {
    let (mut past, mut values, mut registers) = (0, [0, 0], 0);
    for number in 0..count {
        let seed = first_seed() + number;
        let mut rng = Rng(seed);
        let size = 2 + rng.below(12);
        let tree = Tree::random(&mut rng, size, false);
        let text = tree.text();
        let problem = problem(&text);
        past += u64::from(tree.has_past());
        registers = registers.max(problem.signature.registers.len());
        for _ in 0..8 {
            let word = Word::random(&mut rng);
            let expected = tree.holds(&word);
            assert_eq!(
                tree.holds_with(&word, 3),
                expected,
                "seed {seed}: more copies change {text} on {word:?}"
            );
            let lasso = with_registers(&problem, &word);
            let mut meaning = LassoSemantics::new(&problem.formulas, &problem.alphabet, &lasso);
            let mut all = |role| {
                problem.clauses.iter().filter(|clause| clause.role == role).all(|c| meaning.holds(c.formula))
            };
            assert!(all(Role::Fact), "seed {seed}: a fact fails of {text} on {word:?}");
            let found = !all(Role::Assumption) || all(Role::Guarantee);
            assert_eq!(found, expected, "seed {seed}: {text} on {word:?}");
            values[usize::from(found)] += 1;
        }
    }
    println!("{count} formulas, {past} with past operators, up to {registers} registers, {values:?} values");
    assert!(past > count / 2 && registers >= 4, "{past} of {count} have past operators");
    assert!(values[0] > count && values[1] > count, "{values:?}");
}

#[test]
fn lowered_formulas_mean_what_the_definition_says() {
    compare(500);
}

/// Monitors as in emitted code, which do not read registers: they reach a dead state exactly on the words that violate
/// an invariant.
#[test]
fn monitors_without_registers_decide_invariants() {
    let mut died = [0, 0];
    for number in 0..300 {
        let seed = first_seed() + number;
        let mut rng = Rng(seed);
        let size = 2 + rng.below(7);
        let tree = Tree::Unary("G", Box::new(Tree::random(&mut rng, size, true)));
        let text = tree.text();
        let mut problem = problem(&text);
        let all: Vec<_> = problem.clauses.iter().map(|clause| clause.formula).collect();
        let whole = problem.formulas.and(all);
        let registers = Registers::of(&problem).bits();
        let hidden = |bit| registers.contains(&bit);
        let budget = Budget::unlimited();
        let monitor = ltl_to_monitor_without(
            &mut problem.formulas,
            &problem.alphabet,
            whole,
            &hidden,
            1 << 12,
            &budget,
        )
        .unwrap_or_else(|limit| panic!("seed {seed}: {limit} for {text}"));
        for state in &monitor.states {
            let read = state.edges.iter().flat_map(|edge| monitor.guards.support(edge.guard));
            assert!(read.into_iter().all(|bit| !registers.contains(&bit)), "seed {seed}: {text}");
        }
        for _ in 0..8 {
            let word = Word::random(&mut rng);
            let (mut state, mut position) = (monitor.initial, 0);
            for _ in 0..(monitor.states.len() + 1) * word.letters.len() {
                state = monitor.step(state, &letter(&problem, word.letters[position]));
                position = if position + 1 == word.letters.len() { word.back } else { position + 1 };
            }
            let dead = monitor.states[state].dead;
            assert_eq!(dead, !tree.holds(&word), "seed {seed}: {text} on {word:?}");
            died[usize::from(dead)] += 1;
        }
    }
    assert!(died[0] > 200 && died[1] > 200, "{died:?}");
}

#[test]
#[ignore = "a campaign: see tests/README.md"]
fn campaign_past() {
    compare(crate::campaign::setting("TSL_SYNTH_PAST", 10_000));
}

/// On `{a} {} {b} {}^ω`.
#[test]
fn operators_by_hand() {
    let word = Word {
        letters: [(true, false), (false, false), (false, true), (false, false)]
            .map(|(a, b)| [a, b, false, false])
            .to_vec(),
        back: 3,
    };
    for (text, holds) in [
        ("Z 0 & X G !Z 0", true),
        ("!Y 1 & X G Y 1", true),
        ("X Y a & X X !Y a", true),
        ("G O a", true),
        ("G H a", false),
        ("H a & X G !H a", true),
        ("X (!b S a) & X X !(!b S a)", true),
        ("G F (!a S b)", true),
        ("G (a T !b)", false),
        // Either `!b` held in all steps so far, or since a step with `a`, that step included.
        ("(a T !b) & X (a T !b) & X X !(a T !b)", true),
        ("X X (O[1:2] a) & X X X !O[1:2] a", true),
        ("X H[1:1] a & X X !H[1:1] a & H[1:1] a", true),
        ("X X Y[2] a & !Y[2] 1 & Z[2] 0", true),
        ("G (b -> O a)", true),
        ("G (b -> Y a)", false),
        ("F (b & Y Y a)", true),
        ("F (b & Y a)", false),
        ("G (O b -> Y O (a & Z 0))", true),
    ] {
        let problem = problem(text);
        let lasso = with_registers(&problem, &word);
        let mut meaning = LassoSemantics::new(&problem.formulas, &problem.alphabet, &lasso);
        let found = problem
            .clauses
            .iter()
            .filter(|clause| clause.role != Role::Fact)
            .all(|clause| meaning.holds(clause.formula));
        assert_eq!(found, holds, "{text}");
    }
}
