//! Games with a small limit of nodes, which are solved for some laws first, have the solution of those without.

use super::compile;
use super::families::{PATTERNS, Sharing, policy};
use super::texts::{Flavor, random};
use std::sync::Arc;
use tsl_synth_core::base::Budget;
use tsl_synth_policy::{CompiledPolicy, Game, GameOptions};
use tsl_synth_testkit::{Rng, quota};

/// How many solutions were found after a first attempt with all laws at once had ended in the limit.
fn solved_again(compiled: &Arc<CompiledPolicy>, what: &str) -> usize {
    let options = GameOptions::new(&compiled.policy);
    let unlimited = Budget::unlimited();
    let Ok(game) = Game::new(compiled, &options, &unlimited) else { return 0 };
    let expected = game.solved();
    let mut again = 0;
    let mut nodes = expected.made;
    while nodes > 16 {
        nodes -= nodes.div_ceil(5);
        let limited = GameOptions { nodes, collect_at: nodes / 2, ..options.clone() };
        let Ok(game) = Game::new(compiled, &limited, &unlimited) else { continue };
        let found = game.solved();
        assert_eq!(found.diagrams, expected.diagrams, "{nodes} nodes\n{what}");
        assert_eq!(
            (found.winning, found.closed, found.end, &found.allowed, &found.legal),
            (expected.winning, expected.closed, expected.end, &expected.allowed, &expected.legal),
            "{nodes} nodes\n{what}"
        );
        again += usize::from(found.made > expected.made);
    }
    again
}

#[test]
fn rules_of_each_pattern_have_the_same_game() {
    let mut again = 0;
    for (name, _) in PATTERNS {
        for sharing in [Sharing::Chain, Sharing::Threes] {
            for rules in [2, 5, 9] {
                let text = policy(Some(name), sharing, rules, false);
                again += solved_again(&compile(&text).expect("a policy"), &text);
            }
        }
    }
    let mixed: usize = [4, 7, 9, 12, 14, 17]
        .into_iter()
        .map(|rules| {
            let text = policy(None, Sharing::Twos, rules, false);
            solved_again(&compile(&text).expect("a policy"), &text)
        })
        .sum();
    println!("{again} of one pattern, {mixed} of several");
    assert!(again > 10 && mixed > 3, "too few for a test: {again}, {mixed}");
}

#[test]
fn random_policies_have_the_same_game() {
    let mut again = 0;
    for seed in 0..quota(200) as u64 {
        let flavor = [Flavor::Plain, Flavor::Registers, Flavor::ForEach][seed as usize % 3];
        let whole = random(&mut Rng(seed * 130_363 + 5), flavor).whole();
        let compiled = compile(&whole).unwrap_or_else(|error| panic!("{error}\n{whole}"));
        again += solved_again(&compiled, &whole);
    }
    println!("{again} solutions after a limit");
    assert!(again > quota(40), "too few for a test: {again}");
}
