//! All laws together, judged by words.

use super::compile;
use super::explicit::bits;
use super::texts::{Flavor, random};
use crate::support::Rng;
use std::collections::BTreeSet;
use tsl_synth::base::{Budget, Id};
use tsl_synth::control::policy::Conjunction;
use tsl_synth::logic::Letter;
use tsl_synth::model::Standing;
use tsl_synth::spec::policy::LawId;

/// The standing of all laws together, by a search through the product of the monitors over all letters.
#[test]
fn laws_stand_together_as_some_word_says() {
    let mut dead = 0;
    for seed in 0..200 {
        let mut rng = Rng(seed * 49_979_687 + 1);
        let text = random(&mut rng, Flavor::Plain);
        let compiled = compile(&text.whole()).expect("a policy");
        let mut policy = compiled.policy.clone();
        if policy.atoms.bits() > 12 {
            continue;
        }
        let possible = policy.atoms.possible(&mut policy.guards, true);
        let letters: Vec<Letter> = (0..1 << policy.atoms.bits())
            .map(bits)
            .filter(|letter| policy.guards.contains(possible, letter))
            .collect();
        let laws: Vec<LawId> = policy.laws.ids().collect();
        let mut states: Vec<Vec<u32>> = vec![vec![0; laws.len()]];
        let mut next: Vec<BTreeSet<usize>> = Vec::new();
        while next.len() < states.len() {
            let from = states[next.len()].clone();
            let mut own = BTreeSet::new();
            for letter in &letters {
                let to: Vec<u32> =
                    laws.iter().map(|&law| compiled.step(law, from[law.index()], letter)).collect();
                let known = states.iter().position(|one| *one == to);
                own.insert(known.unwrap_or_else(|| {
                    states.push(to);
                    states.len() - 1
                }));
            }
            next.push(own);
        }
        let holds = |state: &Vec<u32>| {
            laws.iter().all(|&law| compiled.monitors[law].dfa().is_accepting(state[law.index()]))
        };
        let mut live: Vec<bool> = states.iter().map(holds).collect();
        for _ in 0..states.len() {
            live = (0..states.len()).map(|i| live[i] || next[i].iter().any(|&to| live[to])).collect();
        }
        let conjunction = Conjunction::new(&compiled, &laws, 1 << 20, &Budget::unlimited()).expect("small");
        for (state, live) in states.iter().zip(live) {
            let standing = conjunction.standing(&compiled, state);
            assert_eq!(standing != Standing::Violated, live, "{state:?}\n{}", text.whole());
            assert_eq!(standing.holds(), live && holds(state), "{state:?}\n{}", text.whole());
            let each = laws.iter().all(|&law| compiled.monitors[law].dfa().is_live(state[law.index()]));
            dead += usize::from(each && !live);
        }
    }
    assert!(dead > 10, "laws of which each is alive and all together are not: {dead}");
}

