//! Laws with `for_each`, compared with one separate monitor for each value.

use super::{compiled, letter};
use tsl_synth_core::base::Id;
use tsl_synth_policy::language::LawId;
use tsl_synth_policy::{BoundLetter, Key, PossibleState};
use tsl_synth_testkit::Rng;

const NAMES: [&str; 5] = ["p", "q", "a", "a.ok", "b"];

/// A law over names of [`NAMES`].
fn random_law(rng: &mut Rng) -> String {
    let mut name = || NAMES[rng.below(NAMES.len())];
    let (x, y, z) = (name(), name(), name());
    match rng.below(7) {
        0 => format!("G ({x} -> O {y})"),
        1 => format!("G ({x} -> F {y})"),
        2 => format!("G ({x} -> X G !{y})"),
        3 => format!("G ({x} -> !{y} S {z})"),
        4 => format!("!{x} W {y}"),
        5 => format!("G ({x} -> Z H !{x})"),
        _ => format!("F {x} & G ({y} -> X[!] {z})"),
    }
}

fn policy(law: &str, each: &[&str]) -> String {
    let each = if each.is_empty() {
        String::new()
    } else {
        let quoted: Vec<String> = each.iter().map(|name| format!("{name:?}")).collect();
        format!("for_each = [{}]\n", quoted.join(", "))
    };
    format!(
        "policy = 1\ntrace = \"per-action\"\n[propositions]\np = {{}}\nq = {{}}\n[actions]\ngroups = [[\"a\"], [\"b\"]]\n\
         [[law]]\nid = \"l\"\n{each}ltl = \"{law}\"\n"
    )
}

/// The names that are true in a letter, and its bindings.
type Bound = (Vec<&'static str>, Vec<(String, String)>);

/// Letters with bindings of some of the names.
fn random_letters(rng: &mut Rng, names: &[&str], length: usize) -> Vec<Bound> {
    (0..length)
        .map(|_| {
            let own = NAMES.into_iter().filter(|_| rng.below(3) == 0).collect();
            let mut bindings: Vec<(String, String)> = Vec::new();
            for name in names {
                if rng.below(3) > 0 {
                    bindings.push(((*name).to_owned(), format!("v{}", rng.below(3))));
                }
            }
            (own, bindings)
        })
        .collect()
}

#[test]
fn copies_are_monitors_of_single_values() {
    let mut rng = Rng(7);
    for round in 0..150 {
        let names: &[&str] = if round % 3 == 0 { &["x", "y"] } else { &["x"] };
        let law = random_law(&mut rng);
        let each = compiled("each.toml", &policy(&law, names));
        let plain = compiled("plain.toml", &policy(&law, &[]));
        let id = LawId::from_index(0);
        let letters = random_letters(&mut rng, names, 12);
        let mut world = PossibleState::new(&each);
        let mut values: Vec<Vec<String>> = Vec::new();
        // All combinations of the values v0 to v3; no letter has v3.
        for i in 0..4usize.pow(names.len() as u32) {
            values.push((0..names.len()).map(|n| format!("v{}", i / 4usize.pow(n as u32) % 4)).collect());
        }
        let mut singles: Vec<PossibleState> = values.iter().map(|_| PossibleState::new(&plain)).collect();
        let mut seen: Vec<bool> = vec![false; values.len()];
        for (own, bindings) in &letters {
            let of_each = BoundLetter {
                letter: letter(&each, own),
                bindings: bindings.clone(),
                ..BoundLetter::default()
            };
            world.step(&each, &of_each, None);
            let of_plain = BoundLetter { letter: letter(&plain, own), ..BoundLetter::default() };
            for (i, combination) in values.iter().enumerate() {
                let reaches = bindings.iter().all(|(name, value)| {
                    let place = names.iter().position(|own| own == name).expect("a name of the law");
                    combination[place] == *value
                });
                if reaches {
                    singles[i].step(&plain, &of_plain, None);
                    seen[i] |= !bindings.is_empty();
                }
            }
            for (i, combination) in values.iter().enumerate() {
                let state = match world.law(id) {
                    tsl_synth_policy::LawState::Each(copies) => {
                        let key: Key = combination.iter().map(|value| Some(value.as_str().into())).collect();
                        copies.state_for(&key)
                    }
                    tsl_synth_policy::LawState::One(_) => panic!("the law has copies"),
                };
                let expected = singles[i].standing(&plain, id);
                assert_eq!(
                    each.monitors[id].standing(state),
                    expected,
                    "{law} for {combination:?} after {own:?}"
                );
            }
        }
        assert!(seen.iter().any(|&yes| yes));
    }
}
