//! Traps: the search of `check`, compared with the game by its definition.

use super::explicit::Bounds;
use super::explicit::{Explicit, Mode};
use super::texts::{Flavor, random};
use super::{GameOptions, Rng, SMALL, compile};
use std::collections::BTreeMap;
use tsl_synth_core::base::Budget;
use tsl_synth_policy::analysis::look_ahead;
use tsl_synth_policy::language::ActionId;
use tsl_synth_testkit::quota;

/// The traps, which are actions that violate no law at once but may lead to a position that is not closed, with the
/// number of letters of a shortest word to each, that of the trap included.
fn by_definition(explicit: &Explicit<'_>) -> BTreeMap<ActionId, usize> {
    let mut depth = vec![None; explicit.len()];
    depth[0] = Some(0);
    let (mut open, mut traps) = (std::collections::VecDeque::from([0]), BTreeMap::new());
    while let Some(p) = open.pop_front() {
        let steps = depth[p].expect("it was reached");
        let mut next: Vec<usize> = explicit.graph.world[p].iter().flatten().filter_map(|end| *end).collect();
        for choice in &explicit.graph.choices[p] {
            // Each letter is considered separately, because the agent also chooses the propositions raised with a call.
            let ends: Vec<Option<usize>> = choice.answers.iter().flatten().copied().collect();
            if ends.contains(&None) || ends.is_empty() {
                continue;
            }
            let ends: Vec<usize> = ends.into_iter().flatten().collect();
            if ends.iter().all(|&end| explicit.graph.closed[end]) {
                next.extend(ends);
            } else {
                traps.entry(choice.action).or_insert(steps + 1);
            }
        }
        for end in next {
            if depth[end].is_none() {
                depth[end] = Some(steps + 1);
                open.push_back(end);
            }
        }
    }
    traps
}

#[test]
fn traps_are_those_of_the_definition() {
    let (mut compared, mut with_traps, mut lost, mut for_one_value) = (0, 0, 0, 0);
    for seed in 0..quota(120) as u64 {
        let mut rng = Rng(seed * 104_729 + 11);
        let flavor = [Flavor::Plain, Flavor::Registers, Flavor::ForEach][seed as usize % 3];
        let whole = random(&mut rng, flavor).whole();
        let compiled = compile(&whole).unwrap_or_else(|error| panic!("{error}\n{whole}"));
        let options = GameOptions::new(&compiled.policy);
        let Some(explicit) = Explicit::solve(&compiled, &options.kept, 1, Bounds { nodes: 400, ..SMALL })
        else {
            continue;
        };
        if explicit.rules.mode != Mode::Apart
            || options.kept.is_empty()
            || options.kept.iter().any(|&law| !compiled.monitors[law].dfa().is_live(0))
        {
            continue;
        }
        let found = look_ahead(&compiled, 2000, &Budget::unlimited()).expect("small");
        assert_eq!(found.can_act_and_stop, Some(explicit.graph.closed[0]), "{whole}");
        if !explicit.graph.closed[0] {
            lost += 1;
            assert!(!found.lost.is_empty(), "{whole}");
            let alone = GameOptions { kept: found.lost.clone(), ..options };
            let own = Explicit::solve(&compiled, &alone.kept, 1, Bounds { nodes: 2_000, ..SMALL });
            assert!(own.is_none_or(|own| !own.graph.closed[0]), "{:?} is not lost\n{whole}", found.lost);
            continue;
        }
        let expected = by_definition(&explicit);
        let mut actual: BTreeMap<ActionId, usize> = BTreeMap::new();
        for trap in &found.traps {
            let letters = actual.entry(trap.action).or_insert(trap.way.len());
            *letters = trap.way.len().min(*letters);
        }
        if found.is_complete && !found.is_of_one_value {
            assert_eq!(actual, expected, "seed {seed}\n{whole}");
            compared += 1;
            with_traps += usize::from(!actual.is_empty());
        } else if found.is_of_one_value {
            let known =
                actual.iter().all(|(action, letters)| expected.get(action).is_some_and(|n| n <= letters));
            assert!(known, "seed {seed}: {actual:?}, by definition {expected:?}\n{whole}");
            for_one_value += usize::from(!actual.is_empty());
        }
    }
    println!("{compared} compared, {with_traps} with traps, {lost} lost, {for_one_value} traps of one value");
    assert!(compared >= quota(18) && with_traps >= quota(5) && lost >= quota(3) && for_one_value >= quota(1));
}
