//! The inventory world of LTLCrit: its alphabet, its consistency on random walks, the effects of its actions, and the
//! words of the cases.

use super::{edited, gallery, inventory};
use crate::policy_check::ltlcrit::{cases, read, texts};
use serde_json::Value;
use std::collections::BTreeSet;
use tsl_synth_agents::world::{EffectsWorld, Environment, WorldMessage};
use tsl_synth_core::base::Random;

/// A random walk that now and then keeps to one action for some time, so that quantities grow.
fn walk(seed: u64, steps: usize, mut each: impl FnMut(&EffectsWorld, &str, &EffectsWorld)) {
    let mut random = Random::new(seed);
    let mut world = inventory(seed);
    let spec = world.spec().clone();
    let actions: Vec<&str> = spec.actions().collect();
    let mut action = actions[0];
    for _ in 0..steps {
        if !random.chance(0.5) {
            action = actions[random.below(actions.len())];
        }
        let before = world.clone();
        world.act(action);
        each(&before, action, &world);
    }
}

#[test]
fn it_has_the_alphabet_of_the_paper() {
    for folder in cases() {
        let alphabet = read(&folder, "alphabet.json");
        let names = |list: &str| -> Vec<String> {
            let all = alphabet[list].as_array().expect("a list").iter();
            all.map(|one| one["ap"].as_str().expect("a name").to_string()).collect()
        };
        let spec = edited("inventory", &[]);
        let sorted = |names: Vec<String>| names.into_iter().collect::<BTreeSet<_>>();
        assert_eq!(sorted(names("observations")), spec.observations().map(str::to_owned).collect());
        assert_eq!(names("actions"), spec.actions().collect::<Vec<_>>());
    }
}

#[test]
fn what_observations_mean_holds_in_every_state_of_random_walks() {
    let chains = [
        vec!["11x_plank", "4x_plank", "3x_plank", "2x_plank", "plank"],
        vec!["11x_cobble", "8x_cobble", "3x_cobble"],
        vec!["3x_iron_ingot", "iron_ingot"],
        vec!["3x_iron_ore", "2x_iron_ore", "1x_iron_ore"],
    ];
    let mut seen: BTreeSet<String> = BTreeSet::new();
    for seed in 0..60 {
        walk(seed, 500, |_, action, after| {
            let truths = after.truths();
            let has = |name: &str| truths.contains(format!("obs_{name}").as_str());
            for chain in &chains {
                for pair in chain.windows(2) {
                    let (more, less) = (format!("has_{}", pair[0]), format!("has_{}", pair[1]));
                    assert!(!has(&more) || has(&less), "{action}: {more} without {less}");
                }
            }
            let kinds = ["wood", "stone", "iron"];
            let held: Vec<&&str> =
                kinds.iter().filter(|kind| has(&format!("{kind}_pickaxe_equipped"))).collect();
            assert!(held.len() <= 1, "{held:?}");
            assert!(held.iter().all(|kind| has(&format!("has_{kind}_pickaxe"))), "{held:?}");
            seen.extend(truths);
        });
    }
    // Random walks reach stone tools, but not iron.
    assert!(seen.len() >= 20, "{seen:?}");
}

#[test]
fn actions_change_what_the_effects_of_the_gallery_say() {
    let policy: Value = serde_json::from_str(&gallery("saycan.json")).expect("JSON");
    let effects = &policy["actions"]["effects"];
    let quantities = policy["quantities"].as_object().expect("quantities");
    let mut changed = 0;
    for seed in 0..40 {
        walk(seed, 400, |before, action, after| {
            let (old, new) = (before.truths(), after.truths());
            let effect = &effects[action];
            let named = |list: &str, name: &str| {
                effect[list].as_array().is_some_and(|all| all.iter().any(|one| one == name))
            };
            // Propositions that compare a quantity that the action changes.
            let counted = |name: &str| {
                let all = effect["changes"].as_object().into_iter().flatten();
                all.into_iter().any(|(quantity, _)| !quantities[quantity]["at_least"][name].is_null())
                    || action == "action_smelt_iron" && name == "obs_has_fuel"
                    // The fuel that is burnt is coal, a log or a plank.
                    || action == "action_smelt_iron" && (name.ends_with("plank") || name.ends_with("log"))
            };
            for name in new.difference(&old) {
                let may = named("may_set", name) || named("sets", name) || counted(name);
                assert!(may, "{action} set {name}");
                changed += 1;
            }
            for name in old.difference(&new) {
                let may = named("may_clear", name) || named("clears", name) || counted(name);
                assert!(may, "{action} cleared {name}");
                changed += 1;
            }
            if after.last().is_err() {
                assert_eq!(old, new, "{action} failed and changed something");
            }
        });
    }
    assert!(changed > 2_000, "{changed}");
}

#[test]
fn the_same_seed_is_the_same_world() {
    let run = |seed| {
        let mut messages = Vec::new();
        walk(seed, 200, |_, _, after| messages.push(after.message().json()));
        messages
    };
    assert_eq!(run(7), run(7));
    assert_ne!(run(7), run(8));
}

#[test]
fn messages_are_read_as_they_are_written() {
    walk(3, 200, |_, _, after| {
        let message = after.message();
        assert_eq!(WorldMessage::read(&message.json()), Ok(message));
    });
    for bad in [
        "",
        "[]",
        "{\"text\":1}",
        "{\"true\":[1]}",
        "{\"true\":{}}",
        "{\"actions\":[{}]}",
        "{\"actions\":[\"a\",\"a\"]}",
        "{\"actions\":[{\"name\":\"a\",\"calls\":[]}]}",
        "{\"actions\":[{\"name\":\"a\",\"calls\":[{}]}]}",
        "{\"ok\":\"yes\"}",
        "{\"state\":1}",
        "{\"happened\":[1]}",
    ] {
        assert!(WorldMessage::read(bad).is_err(), "{bad}");
    }
}

/// A run to the diamond if all random choices are favorable; its actions follow the recipes of the game.
#[test]
fn the_sub_goals_come_in_their_order() {
    let lucky = [
        ("succeeds = 0.97", "succeeds = 1.0"),
        ("chance = 0.2", "chance = 0.0"),
        ("chance = 0.05", "chance = 0.0"),
        ("chance = 0.3", "chance = 1.0"),
        ("chance = 0.4", "chance = 1.0"),
        ("any_of_them = 0.25", "any_of_them = 0.0"),
    ];
    let mut world = EffectsWorld::new(edited("inventory", &lucky), 0, 1);
    let run = "mine_log mine_log mine_log mine_log craft_planks craft_planks craft_planks craft_planks craft_stick \
               craft_crafting_table place_crafting_table craft_wooden_pickaxe equip_wood_pickaxe mine_stone mine_stone mine_stone \
               craft_stone_pickaxe equip_stone_pickaxe mine_stone mine_stone mine_stone mine_stone mine_stone mine_stone \
               mine_stone mine_stone craft_furnace explore_general mine_iron_ore explore_general mine_iron_ore explore_general \
               mine_iron_ore craft_stick place_furnace smelt_iron smelt_iron smelt_iron explore_general craft_iron_pickaxe \
               equip_iron_pickaxe explore_diamond_down mine_diamond";
    let mut reached = Vec::new();
    for step in run.split_whitespace() {
        world.act(&format!("action_{step}"));
        assert_eq!(world.last().err(), None, "{step}");
        for goal in world.goals() {
            if !reached.iter().any(|own| own == goal) {
                reached.push(goal.to_owned());
            }
        }
    }
    assert_eq!(reached, world.task().sub_goals().collect::<Vec<_>>());
    assert_eq!(reached.len(), 9);
    assert!(world.message().reached);
}

#[test]
fn what_is_missing_is_an_error_of_the_environment() {
    let spec = edited("inventory", &[("succeeds = 0.97", "succeeds = 1.0")]);
    let world = EffectsWorld::new(spec.clone(), 0, 1);
    for action in spec.actions() {
        let mut world = world.clone();
        world.act(action);
        let can = ["action_mine_log", "action_explore_general", "action_explore_diamond_down"];
        assert_eq!(world.last().is_ok(), can.contains(&action), "{action}");
        assert_eq!(world.message().ok, world.last().is_ok());
    }
    let mut world = world;
    world.act("action_fly");
    assert!(world.last().is_err());
}

/// Each word of the cases is a run of the world for some random choice in each step.
#[test]
fn the_words_into_over_constrained_states_are_runs_of_the_world() {
    for folder in cases() {
        let mut steps = 0;
        for trace in read(&folder, "deadlock_traces.json")["traces"].as_array().expect("traces") {
            let mut world = inventory(0);
            let mut action: Option<String> = None;
            for step in trace["trajectory"].as_array().expect("steps") {
                let expected: BTreeSet<String> = texts(&step["obs_true"]).into_iter().collect();
                if let Some(action) = &action {
                    let after = (0..2_000).map(|seed| {
                        let mut after = world.reseeded(seed);
                        after.act(action);
                        after
                    });
                    let fits = |world: &EffectsWorld| world.last().is_ok() && world.truths() == expected;
                    world = after.into_iter().find(fits).unwrap_or_else(|| panic!("{action}: {expected:?}"));
                    steps += 1;
                }
                action = step["action"].as_str().map(str::to_string);
            }
        }
        assert_eq!(steps, 12 + 14 + 20);
    }
}
