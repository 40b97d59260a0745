//! The steps of laws that analyses of policies share: they are those of the laws, and their size is that of the laws.

use super::super::policy_game::compile;
use super::super::policy_game::families::{PATTERNS, SHARINGS, Sharing, policy};
use super::random;
use tsl_synth_core::base::Budget;
use tsl_synth_core::logic::{Guard, Letter};
use tsl_synth_policy::CompiledPolicy;
use tsl_synth_policy::analysis::AnalysisFrame;
use tsl_synth_testkit::Rng;

/// A letter of the world, at random.
fn letter(frame: &AnalysisFrame<'_>, rng: &mut Rng) -> Option<Letter> {
    let (mut letter, mut rest) = (Letter::new(), frame.world);
    while let Some((bit, low, high)) = frame.guards.branch(rest) {
        let is_high = low == Guard::FALSE || high != Guard::FALSE && rng.below(2) == 0;
        if is_high {
            letter.insert(bit);
        }
        rest = if is_high { high } else { low };
    }
    (rest == Guard::TRUE).then_some(letter)
}

/// Checks the edges of all laws from all their states on random letters. Returns how many letters were read.
fn check(text: &str, compiled: &CompiledPolicy, rng: &mut Rng) -> usize {
    let mut frame = AnalysisFrame::new(compiled, &Budget::unlimited()).expect("a frame");
    let mut checked = 0;
    for law in compiled.policy.laws.ids() {
        for state in 0..compiled.monitors[law].len() as u32 {
            let edges = frame.edges(law, state);
            for &(target, letters) in edges.iter() {
                let some = frame.guards.pick_common(letters, frame.world);
                let some = some.unwrap_or_else(|| panic!("no letter leads to {target}\n{text}"));
                let both = frame.guards.and(letters, frame.world);
                assert_eq!(frame.guards.pick(both).as_ref(), Some(&some), "{text}");
                assert_eq!(compiled.step(law, state, &some), target, "{some:?}\n{text}");
            }
            for _ in 0..8 {
                let Some(letter) = letter(&frame, rng) else { continue };
                let targets = edges.iter().filter(|(_, letters)| frame.guards.contains(*letters, &letter));
                let targets: Vec<u32> = targets.map(|&(target, _)| target).collect();
                assert_eq!(targets, [compiled.step(law, state, &letter)], "{letter:?}\n{text}");
                checked += 1;
            }
        }
    }
    checked
}

#[test]
fn edges_are_the_steps_of_laws() {
    let (mut rng, mut checked) = (Rng(11), 0);
    for _ in 0..200 {
        let is_next = rng.below(2) == 0;
        let text = random::text(&mut rng, is_next);
        let compiled = compile(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        checked += check(&text, &compiled, &mut rng);
    }
    for (pattern, _) in PATTERNS {
        for sharing in SHARINGS {
            let text = policy(Some(pattern), sharing, 6, false);
            let compiled = compile(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
            checked += check(&text, &compiled, &mut rng);
        }
    }
    println!("{checked} letters");
    assert!(checked > 10_000, "{checked}");
}

/// Ten times as many rules have about ten times as many nodes, not a hundred times, unless each of them is about all
/// actions, as "immediately" is.
#[test]
fn edges_of_many_rules_are_small() {
    for (pattern, _) in PATTERNS.into_iter().filter(|(name, _)| *name != "immediate response") {
        let nodes = [30, 300].map(|rules| {
            let text = policy(Some(pattern), Sharing::Nothing, rules, false);
            let compiled = compile(&text).unwrap_or_else(|error| panic!("{pattern}: {error}"));
            let mut frame = AnalysisFrame::new(&compiled, &Budget::unlimited()).expect("a frame");
            for law in compiled.policy.laws.ids() {
                (0..compiled.monitors[law].len() as u32).for_each(|state| drop(frame.edges(law, state)));
            }
            frame.guards.node_count()
        });
        println!("{pattern}: {} and {} nodes", nodes[0], nodes[1]);
        assert!(nodes[1] < 15 * nodes[0], "{pattern}: {nodes:?}");
    }
}
