//! The household of Safety Chip.

use super::{edited, household};
use std::collections::BTreeSet;
use tsl_synth_agents::world::{Environment, ToolCall, WorldMessage};
use tsl_synth_core::base::Random;

const ROOMS: [(&str, &str); 4] = [
    ("bathroom", "bathroom"),
    ("bedroom", "bedroom"),
    ("kitchen", "kitchen"),
    ("living_room", "living room"),
];

/// The rooms of each call, at the changes of a walk.
fn letters(calls: &[ToolCall]) -> Vec<Vec<String>> {
    let letter = |call: &ToolCall| {
        let rooms = call.arguments["to"].as_array().into_iter().flatten();
        rooms.map(|room| room.as_str().expect("a room").to_owned()).collect()
    };
    calls.iter().filter(|call| call.tool == "walk").map(letter).collect()
}

#[test]
fn walks_go_through_doorways_in_which_two_rooms_are_true() {
    let between = |from: &str, to: &str| {
        let mut world = household("toilet");
        world.act(&format!("walk to {from}"));
        let message = world.message();
        let walk = format!("walk to {to}");
        letters(&message.actions.iter().find(|offer| offer.name == walk).expect("a walk").calls)
    };
    for (from, shown) in ROOMS {
        for (to, other) in ROOMS {
            let letters = between(shown, other);
            assert_eq!(letters.is_empty(), from == to);
            let mut here = vec![from.to_owned()];
            for letter in &letters {
                assert!(letter.is_sorted() && (1..=2).contains(&letter.len()), "{letter:?}");
                // One room is entered or left at a time.
                let (a, b): (BTreeSet<&String>, BTreeSet<&String>) =
                    (here.iter().collect(), letter.iter().collect());
                assert_eq!(a.symmetric_difference(&b).count(), 1, "{here:?} {letter:?}");
                here.clone_from(letter);
            }
            assert!(letters.is_empty() || here == [to]);
        }
    }
    // The doorway of the paper's prompt.
    assert_eq!(between("bedroom", "bathroom")[0], ["bathroom", "bedroom"]);
    assert_eq!(between("kitchen", "bathroom").len(), 4);
}

/// A way to do each task, and the room where it begins.
const WAYS: [(&str, &str, &[&str]); 5] = [
    (
        "salmon",
        "bedroom",
        &["walk to kitchen", "grab salmon", "open fridge", "put salmon in fridge", "close fridge"],
    ),
    ("toilet", "kitchen", &["walk to bathroom", "walk to toilet", "sit on toilet"]),
    (
        "television",
        "bedroom",
        &["walk to living room", "walk to sofa", "switch on television", "watch television"],
    ),
    (
        "book",
        "kitchen",
        &["walk to bedroom", "grab book", "walk to living room", "walk to sofa", "read book"],
    ),
    (
        "plate",
        "bathroom",
        &["walk to living room", "grab plate", "walk to kitchen", "put plate in sink", "wash plate"],
    ),
];

#[test]
fn every_task_is_done_by_its_actions_in_their_order_only() {
    for (name, start, way) in WAYS {
        let mut world = household(name);
        let first = world.message();
        let letter = serde_json::json!({ "to": [start] });
        assert_eq!(first.happened.iter().map(|call| &call.arguments).collect::<Vec<_>>(), [&letter]);
        assert!(!first.reached && first.ends && first.truths.is_none());
        for action in way {
            assert!(!world.is_reached(), "{name}: {action}");
            world.act(action);
            assert_eq!(world.last(), Ok(*action), "{name}");
            assert!(world.message().happened.is_empty());
        }
        assert!(world.is_reached() && world.message().reached, "{name}");
        assert_eq!(world.goals().count(), world.task().sub_goals().count());
        // Without one of its actions, another one fails, or it is not done.
        for left_out in 0..way.len() {
            let mut world = household(name);
            for (at, action) in way.iter().enumerate() {
                if at != left_out {
                    world.act(action);
                }
            }
            assert!(!world.is_reached(), "{name} without {}", way[left_out]);
        }
    }
    assert!(edited("household", &[]).task("laundry").is_err_and(|why| why.contains("television")));
}

#[test]
fn what_was_done_is_undone_by_its_opposite_and_by_leaving() {
    let mut world = household("salmon");
    let mut done = |actions: &[&str]| {
        for action in actions {
            world.act(action);
        }
        (world.last().map(str::to_owned).map_err(str::to_owned), world.is_reached())
    };
    let (last, _) =
        done(&["walk to kitchen", "grab salmon", "open fridge", "close fridge", "put salmon in fridge"]);
    assert_eq!(last, Err("first: open fridge".into()));
    assert!(!done(&["open fridge", "put salmon in fridge"]).1);
    assert!(done(&["close fridge"]).1);
    assert!(!done(&["open fridge"]).1);
    let mut world = household("television");
    for action in ["walk to living room", "walk to sofa", "switch on television", "walk to bedroom"] {
        world.act(action);
    }
    world.act("walk to living room");
    world.act("watch television");
    assert_eq!(world.last(), Err("first: walk to sofa"));
    assert!(world.message().text.contains("Done so far: switch on television."), "{}", world.message().text);
}

#[test]
fn calls_tell_what_an_action_will_do() {
    for seed in 0..30 {
        let mut random = Random::new(seed);
        let mut world = household(WAYS[random.below(5)].0);
        for _ in 0..60 {
            let message = world.message();
            assert_eq!(WorldMessage::read(&message.json()), Ok(message.clone()));
            let offer = &message.actions[random.below(message.actions.len())];
            world.act(&offer.name);
            let after = world.message();
            match letters(&offer.calls).last() {
                Some(last) => {
                    let (_, shown) = ROOMS.iter().find(|(room, _)| last == &[*room]).expect("a room");
                    assert!(
                        after.ok && after.text.contains(&format!("You are in the {shown}.")),
                        "{after:?}"
                    );
                }
                None => assert_eq!(offer.calls[0].arguments, serde_json::json!({ "action": offer.name })),
            }
        }
    }
    let mut world = household("toilet");
    world.act("walk to kitchen");
    assert_eq!(world.last(), Err("you are there already"));
    world.act("sit on toilet");
    assert_eq!(world.last(), Err("that is in the bathroom"));
    world.act("fly");
    assert_eq!(world.last(), Err("there is no such action"));
}
