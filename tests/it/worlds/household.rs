//! The household of Safety Chip.

use std::collections::BTreeSet;
use tsl_synth_agents::world::{Environment, HOUSEHOLD_TASKS, Household, Room, WorldMessage};
use tsl_synth_core::base::Random;

#[test]
fn walks_go_through_doorways_in_which_two_rooms_are_true() {
    for from in Room::ALL {
        for to in Room::ALL {
            let letters = from.letters(to);
            assert_eq!(letters.is_empty(), from == to);
            let mut here = vec![from];
            for letter in &letters {
                assert!(letter.is_sorted() && (1..=2).contains(&letter.len()), "{letter:?}");
                // One room is entered or left at a time.
                let (a, b): (BTreeSet<Room>, BTreeSet<Room>) =
                    (here.iter().copied().collect(), letter.iter().copied().collect());
                assert_eq!(a.symmetric_difference(&b).count(), 1, "{here:?} {letter:?}");
                here.clone_from(letter);
            }
            assert!(letters.is_empty() || here == [to]);
        }
    }
    // The doorway of the paper's prompt.
    assert_eq!(Room::Bedroom.letters(Room::Bathroom)[0], [Room::Bathroom, Room::Bedroom]);
    assert_eq!(Room::Kitchen.letters(Room::Bathroom).len(), 4);
}

#[test]
fn what_comes_next_does_every_task() {
    for (name, _, start, wanted) in HOUSEHOLD_TASKS {
        let mut world = Household::new(name).expect("a task");
        let first = world.message();
        let letter = serde_json::json!({ "to": [start.proposition()] });
        assert_eq!(first.happened.iter().map(|call| &call.arguments).collect::<Vec<_>>(), [&letter]);
        assert!(!first.reached && first.ends);
        let mut steps = 0;
        while let Some((deed, room)) = world.next_deed() {
            let action =
                if room == world.room() { deed.to_string() } else { format!("walk to {}", room.name()) };
            world.act(&action);
            assert!(world.message().ok, "{name}: {action}");
            steps += 1;
            assert!(steps < 20, "{name}");
        }
        assert!(world.is_reached() && world.message().reached, "{name}");
        assert_eq!(world.message().goals.len(), wanted.len());
    }
    assert!(Household::new("laundry").is_none());
}

#[test]
fn calls_tell_what_an_action_will_do() {
    for seed in 0..30 {
        let mut random = Random::new(seed);
        let mut world = Household::new(HOUSEHOLD_TASKS[random.below(5)].0).expect("a task");
        for _ in 0..60 {
            let message = world.message();
            assert_eq!(WorldMessage::read(&message.json()), Ok(message.clone()));
            let offer = &message.actions[random.below(message.actions.len())];
            let before = world.room();
            world.act(&offer.name);
            let moved = offer.calls.iter().all(|call| call.tool == "walk");
            assert_eq!(world.room() != before, moved, "{}", offer.name);
            if moved {
                let last = offer.calls.last().expect("a call");
                assert_eq!(last.arguments["to"], serde_json::json!([world.room().proposition()]));
                assert!(world.message().ok);
            }
        }
    }
    let mut world = Household::new("toilet").expect("a task");
    world.act("walk to kitchen");
    assert!(!world.message().ok, "the agent is there already");
    world.act("sit on toilet");
    assert!(!world.message().ok, "it is elsewhere");
}
