//! Games that are solved compositionally, because of a small limit of nodes, have the same solution as without it.

use super::compile;
use super::families::{PATTERNS, Sharing, policy};
use super::texts::{FLAVORS, random};
use std::sync::Arc;
use tsl_synth_core::base::Budget;
use tsl_synth_policy::{CompiledPolicy, Game, GameOptions};
use tsl_synth_testkit::{Rng, quota};

/// How many solutions were found after a first attempt with all laws at once had ended in the limit.
fn solved_again(compiled: &Arc<CompiledPolicy>, tracks: usize, what: &str) -> usize {
    let options = GameOptions { tracks, ..GameOptions::new(&compiled.policy) };
    let unlimited = Budget::unlimited();
    let Ok(game) = Game::new(compiled, &options, &unlimited) else { return 0 };
    let expected = game.solved();
    let mut again = 0;
    let mut nodes = expected.made;
    while nodes > 16 {
        nodes -= nodes.div_ceil(5);
        let limited = GameOptions { nodes, ..options.clone() };
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
                again += solved_again(&compile(&text).expect("a policy"), 1, &text);
            }
        }
    }
    let mixed: usize = [4, 7, 9, 12, 14, 17]
        .into_iter()
        .map(|rules| {
            let text = policy(None, Sharing::Twos, rules, false);
            solved_again(&compile(&text).expect("a policy"), 1, &text)
        })
        .sum();
    println!("{again} of one pattern, {mixed} of several");
    assert!(again > 10 && mixed > 3, "too few for a test: {again}, {mixed}");
}

#[test]
fn random_policies_have_the_same_game() {
    let mut again = [0, 0];
    for seed in 0..quota(200) as u64 {
        let flavor = FLAVORS[seed as usize % FLAVORS.len()];
        let whole = random(&mut Rng(seed * 130_363 + 5), flavor).whole();
        let compiled = compile(&whole).unwrap_or_else(|error| panic!("{error}\n{whole}"));
        for tracks in [1, 2] {
            again[tracks - 1] += solved_again(&compiled, tracks, &whole);
        }
    }
    println!("solutions after a limit, with one track and with two: {again:?}");
    assert!(again[0] > quota(40), "too few for a test: {again:?}");
}
