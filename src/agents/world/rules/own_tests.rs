//! Worlds with rules of their own: counters, ways, places, things; each family against a model that is written out here.

use super::*;
use std::collections::BTreeMap;
use std::fmt::Write;
use tsl_synth_core::base::sha256;

fn spec(text: &str) -> Arc<WorldSpec> {
    Arc::new(WorldSpec::read(text, false, None).unwrap_or_else(|why| panic!("{why}\n{text}")))
}

fn world(text: &str, seed: u64) -> EffectsWorld {
    EffectsWorld::new(spec(text), 0, seed)
}

const INVENTORY: &str =
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../specs/worlds/inventory.world.toml"));
const HOUSEHOLD: &str =
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../specs/worlds/household.world.toml"));

/// The messages of random walks, as one number. The worlds were compiled in before they were files; the numbers are
/// those of then, so the tables of the experiments are the same.
#[test]
fn the_worlds_of_the_gallery_give_the_same_runs_as_ever() {
    let mut found = Vec::new();
    for (text, known) in [(INVENTORY, "c11123ff43b8ed14"), (HOUSEHOLD, "522de2288696d22f")] {
        let spec = spec(text);
        let mut told = String::new();
        for seed in 0..20 {
            let task = usize::try_from(seed).expect("a small number") % spec.tasks().len();
            let mut world = EffectsWorld::new(Arc::clone(&spec), task, seed);
            let mut random = Random::new(!seed);
            let actions: Vec<String> = spec.actions().map(str::to_owned).collect();
            for _ in 0..300 {
                world.act(&actions[random.below(actions.len())]);
                let WorldMessage { ok, truths, reached, actions, .. } = world.message();
                told.extend([format!("{ok} {truths:?} {reached} {actions:?}")]);
            }
        }
        found.push((sha256(told.as_bytes())[..16].to_owned(), known));
    }
    assert!(found.iter().all(|(own, known)| own == known), "{found:?}");
}

#[test]
fn numbers_are_compared_in_conditions() {
    let text = |condition: &str| {
        format!(
            "world = 1\neffects = \"own\"\nfacts = [\"on\"]\n[[counter]]\nname = \"n\"\nat_least = {{ many = 4 }}\n\
             [[action]]\nname = \"add\"\nchanges = {{ n = 1 }}\n[[action]]\nname = \"switch\"\nsets = [\"on\"]\n\
             [[task]]\nname = \"t\"\ngoal = \"{condition}\"\n"
        )
    };
    for n in 0_i32..7 {
        for is_on in [false, true] {
            for (condition, holds) in [
                ("n >= 3", n >= 3),
                ("n<=3", n <= 3),
                ("n > 3", n > 3),
                ("n < 3", n < 3),
                ("n < 0", false),
                ("n == 3", n == 3),
                ("n = 3", n == 3),
                ("n != 3", n != 3),
                ("!(n >= 2) | on", n < 2 || is_on),
                ("n >= 2 -> n >= 5 & on", n < 2 || n >= 5 && is_on),
                ("n >= 3 <-> on", (n >= 3) == is_on),
                ("many", n >= 4),
                ("!many & n != 1 & n != 2", n < 4 && n != 1 && n != 2),
            ] {
                let mut world = world(&text(condition), 0);
                (0..n).for_each(|_| world.act("add"));
                if is_on {
                    world.act("switch");
                }
                assert_eq!(world.is_reached(), holds, "{condition} {n} {is_on}");
            }
        }
    }
}

#[test]
fn ways_ranges_and_chances_are_drawn_only_where_an_action_is_possible() {
    let text = "world = 1\neffects = \"own\"\nhidden = [\"seen\"]\n[[counter]]\nname = \"coal\"\ninitial = 40\n[[counter]]\nname = \"wood\"\n\
                initial = 40\n[[counter]]\nname = \"heat\"\n[[counter]]\nname = \"seen\"\nmost = 9\n[[action]]\nname = \"burn\"\n\
                any_of_them = 0.5\none_of = [{ needs = { coal = 1 }, changes = { coal = -1 } }, \
                { needs = { wood = 1 }, changes = { wood = -1 }, error = \"no wood\" }]\nchanges = { heat = 1 }\n\
                then = [{ chance = 0.5, changes = { seen = [2, 5] } }, { when = \"seen >= 5\", changes = { seen = -5 } }]\n\
                [[action]]\nname = \"never\"\nneeds = { heat = 1000 }\nsucceeds = 0.5\n";
    let amount = |world: &EffectsWorld, at: usize| world.state[at];
    let mut errors = BTreeSet::new();
    for seed in 0..30 {
        let (mut own, mut other) = (world(text, seed), world(text, seed));
        for _ in 0..120 {
            let before = own.state.clone();
            own.act("burn");
            // An action that is not possible draws nothing.
            other.act("never");
            other.act("burn");
            assert_eq!(own.state, other.state);
            let after = &own.state;
            match own.last() {
                Ok(_) => {
                    assert_eq!(after[0] + after[1] + 1, before[0] + before[1]);
                    assert_eq!(after[2], before[2] + 1);
                }
                Err(why) => {
                    errors.insert(why.to_owned());
                    assert_eq!(*after, before);
                }
            }
            assert!(after[3] < 5, "five are taken away at once");
        }
        // The first way is taken more often.
        assert!(amount(&own, 0) <= amount(&own, 1));
        assert!(!own.message().text.contains("seen"), "{}", own.message().text);
        let mut luckless = world(text, seed).imagined(false);
        (0..40).for_each(|_| luckless.act("burn"));
        assert_eq!(
            (luckless.state[0], luckless.state[3]),
            (0, 0),
            "nothing happens by chance in such a copy"
        );
        luckless.act("burn");
        assert_eq!(luckless.last(), Ok("burn"), "then the second way");
    }
    assert_eq!(errors.into_iter().collect::<Vec<_>>(), ["missing: 1 coal", "no wood"]);
}

/// Random maps: walks take the shortest way, use up its length, and change the place.
#[test]
fn walks_take_the_shortest_ways() {
    for seed in 0..40 {
        let mut random = Random::new(seed);
        let count = 2 + random.below(6);
        let mut far = vec![vec![u32::MAX; count]; count];
        let mut doors = Vec::new();
        for _ in 0..=random.below(2 * count) {
            let (a, b) = (random.below(count), random.below(count));
            let length = 1 + u32::try_from(random.below(5)).expect("a small number");
            if a != b {
                doors.push(if random.flip() && length == 1 {
                    format!("[\"p{a}\", \"p{b}\"]")
                } else {
                    format!("[\"p{a}\", \"p{b}\", {length}]")
                });
                far[a][b] = far[a][b].min(length);
                far[b][a] = far[a][b];
            }
        }
        for via in 0..count {
            for a in 0..count {
                for b in 0..count {
                    far[a][b] = far[a][b].min(far[a][via].saturating_add(far[via][b]));
                }
            }
        }
        let places: Vec<String> = (0..count).map(|at| format!("\"p{at}\"")).collect();
        let text = format!(
            "world = 1\neffects = \"own\"\n[map]\nplaces = [{}]\ndoors = [{}]\nwalk = \"go {{place}}\"\ntool = \"go\"\n\
             uses = {{ fuel = 2 }}\n[[counter]]\nname = \"fuel\"\ninitial = 40\n",
            places.join(", "),
            doors.join(", ")
        );
        let mut world = world(&text, seed);
        let (mut here, mut fuel) = (0, 40_u32);
        for _ in 0..30 {
            let to = random.below(count);
            let offered = world.message().actions[to].calls.clone();
            world.act(&format!("go p{to}"));
            let length = far[here][to];
            let possible = to != here && length < u32::MAX && 2 * length <= fuel;
            assert_eq!(world.last().is_ok(), possible, "{text} {here} {to} {:?}", world.last());
            if possible {
                (here, fuel) = (to, fuel - 2 * length);
                assert_eq!(
                    offered.last().expect("a call").arguments,
                    serde_json::json!({ "to": [format!("p{to}")] })
                );
            }
            let seen: Vec<String> = world.truths().into_iter().collect();
            assert_eq!(seen, [format!("p{here}")]);
            assert_eq!(world.state[0], fuel);
        }
    }
}

const THINGS: &str = "world = 1\neffects = \"own\"\n[map]\nplaces = [\"hall\", \"kitchen\"]\ndoors = [[\"hall\", \"kitchen\"]]\n\
    [hands]\ncapacity = 2\n[[container]]\nname = \"fridge\"\nat = \"kitchen\"\nopens = true\ncapacity = 2\n[[container]]\n\
    name = \"sink\"\nat = \"kitchen\"\n[[object]]\nname = \"egg\"\nin = \"fridge\"\n[[object]]\nname = \"mug\"\nat = \"hall\"\n\
    [[object]]\nname = \"tea pot\"\nin = \"sink\"\n[[object]]\nname = \"pan\"\nat = \"kitchen\"\n[[task]]\nname = \"cold\"\n\
    goal = \"tea_pot_in_fridge & pan_in_fridge & !fridge_open & hall\"\n";

#[test]
fn things_are_taken_and_put_where_that_is_possible() {
    let mut done = 0;
    for seed in 0..30 {
        let mut world = world(THINGS, seed);
        let mut random = Random::new(!seed);
        let names = ["egg", "mug", "tea pot", "pan"];
        let first = ["fridge", "hall", "sink", "kitchen"];
        let mut place: BTreeMap<&str, &str> = names.into_iter().zip(first).collect();
        let (mut here, mut open) = ("hall", false);
        let actions: Vec<String> = world.spec().actions().map(str::to_owned).collect();
        assert_eq!(actions.len(), 2 + 2 + 4 * (1 + 1 + 2));
        for _ in 0..400 {
            let action = &actions[random.below(actions.len())];
            world.act(action);
            let inside = |name: &str| place.values().filter(|own| **own == name).count();
            let words: Vec<&str> = action.splitn(2, ' ').collect();
            let possible = match (words[0], words[1]) {
                ("walk", to) => {
                    let to = if to == "to hall" { "hall" } else { "kitchen" };
                    let moves = to != here;
                    here = to;
                    moves
                }
                ("open" | "close", _) => {
                    let wanted = words[0] == "open";
                    let changes = here == "kitchen" && open != wanted;
                    open = if changes { wanted } else { open };
                    changes
                }
                ("take", name) => {
                    let reach = match place[name] {
                        "fridge" => here == "kitchen" && open,
                        "sink" => here == "kitchen",
                        own => own == here,
                    };
                    let fits = reach && inside("hands") < 2;
                    if fits {
                        place.insert(names.into_iter().find(|own| *own == name).expect("a thing"), "hands");
                    }
                    fits
                }
                (_, rest) => {
                    let name = names.into_iter().find(|name| rest.contains(name)).expect("a thing");
                    let to = ["fridge", "sink"].into_iter().find(|own| rest.ends_with(own));
                    let fits = match to {
                        None => true,
                        Some("fridge") => here == "kitchen" && open && inside("fridge") < 2,
                        Some(_) => here == "kitchen",
                    };
                    let fits = fits && place[name] == "hands";
                    if fits {
                        place.insert(name, to.unwrap_or(here));
                    }
                    fits
                }
            };
            assert_eq!(
                world.last().is_ok(),
                possible,
                "{action}: {:?} {place:?} {here} {open}",
                world.last()
            );
            let mut seen: BTreeSet<String> = [here.to_owned()].into();
            seen.extend(open.then(|| "fridge_open".to_owned()));
            for (name, at) in &place {
                let own = name.replace(' ', "_");
                seen.insert(match *at {
                    "hands" => format!("holding_{own}"),
                    "fridge" | "sink" => format!("{own}_in_{at}"),
                    _ => format!("{own}_at_{at}"),
                });
            }
            assert_eq!(world.truths(), seen, "{action}");
            done += usize::from(world.last().is_ok());
        }
    }
    assert!(done > 2_000, "{done}");
}

#[test]
fn the_model_plans_with_things_and_places() {
    for seed in 0..5 {
        let own = world(THINGS, seed);
        let perfect = EffectsRates { random: 0.0, ..EffectsRates::default() };
        let mut model = EffectsModel::new(&own, perfect, seed);
        let steps = tests::run(&own, &mut model);
        // To the kitchen, both things, the fridge opened, the egg out for lack of room, back to the hall.
        assert!(steps.is_some_and(|steps| (8..=9).contains(&steps)), "{steps:?}");
    }
}

#[test]
fn own_worlds_are_refused_with_the_reason() {
    for (text, why) in [
        ("", "no policy is named"),
        ("effects = \"mine\"", "unknown variant `mine`"),
        ("effects = \"own\"\nhidden = [\"x\"]", "hidden: there is no proposition `x`"),
        ("effects = \"own\"\nfacts = [\"a\", \"a\"]", "`a` is declared twice"),
        (
            "effects = \"own\"\nfacts = [\"a\"]\n[[counter]]\nname = \"b\"\nat_least = { a = 1 }",
            "`a` is declared twice",
        ),
        (
            "effects = \"own\"\n[[counter]]\nname = \"n\"\ninitial = 3\nmost = 2",
            "begins with 3 and is at most 2",
        ),
        ("effects = \"own\"\n[[action]]\nat = \"x\"", "has no `name`"),
        (
            "effects = \"own\"\n[[action]]\nname = \"a\"\nat = \"x\"",
            "action `a`: `at = \"x\"`: the world has no `[map]`",
        ),
        ("effects = \"own\"\n[[action]]\nname = \"a\"\n[[action]]\nname = \"a\"", "two actions `a`"),
        ("effects = \"own\"\n[[action]]\nname = \"a\"\nafter = [\"b\"]", "no action `b` of its own"),
        (
            "effects = \"own\"\n[[action]]\nname = \"a\"\nchances = { x = 0.1 }",
            "a step of `then` has a `chance`",
        ),
        ("effects = \"own\"\n[[action]]\nname = \"a\"\nchanges = { x = 1 }", "no counter `x`"),
        (
            "effects = \"own\"\n[[action]]\nname = \"a\"\nchanges = { x = \"1\" }",
            "a change is a whole number",
        ),
        (
            "effects = \"own\"\n[[counter]]\nname = \"n\"\n[[action]]\nname = \"a\"\nchanges = { n = [3, 1] }",
            "3 is more than 1",
        ),
        (
            "effects = \"own\"\n[[counter]]\nname = \"n\"\n[[action]]\nname = \"a\"\nrequires = \"n\"",
            "compare it, such as `n >= 1`",
        ),
        (
            "effects = \"own\"\nfacts = [\"f\"]\n[[action]]\nname = \"a\"\nrequires = \"f >= 1\"",
            "is no number",
        ),
        ("effects = \"own\"\n[[action]]\nname = \"a\"\nrequires = 3", "`requires` is a condition, or a list"),
        (
            "effects = \"own\"\n[[action]]\nname = \"a\"\nthen = [{ chance = 2.0 }]",
            "chance: 2 is no probability",
        ),
        ("effects = \"own\"\n[map]\nplaces = []", "map: there are no places"),
        ("effects = \"own\"\n[map]\nplaces = [\"a\", \"a\"]", "`a` is declared twice"),
        ("effects = \"own\"\n[map]\nplaces = [\"hall\"]\ndoors = [[\"hall\", \"hal\"]]", "is `hall` meant?"),
        ("effects = \"own\"\n[map]\nplaces = [\"hall\"]\ndoors = [[\"hall\"]]", "a door is"),
        ("effects = \"own\"\n[map]\nplaces = [\"hall\"]\nwalk = \"go\"", "with `{place}` in it"),
        ("effects = \"own\"\n[[object]]\nname = \"egg\"\nin = \"box\"", "there is no container `box`"),
        ("effects = \"own\"\n[map]\nplaces = [\"hall\"]\n[[object]]\nname = \"egg\"", "says where it is"),
        (
            "effects = \"own\"\n[[container]]\nname = \"box\"\ncapacity = 0\n[[object]]\nname = \"egg\"\nin = \"box\"",
            "1 things are in it, and it holds 0",
        ),
        ("effects = \"own\"\n[actions.fly]\nsucceeds = 0.5", "the world has no action `fly`"),
    ] {
        let read = WorldSpec::read(&format!("world = 1\n{text}"), false, None).map(drop);
        assert!(read.as_ref().is_err_and(|error| error.contains(why)), "{text}: {read:?}");
    }
}

/// A house of places in a row, of objects that lie around, and of a box in the first place.
fn house(places: usize, objects: usize, wanted: usize) -> String {
    let place = |at: usize| format!("room{at}");
    let names: Vec<String> = (0..places).map(place).collect();
    let doors: Vec<[String; 2]> = (1..places).map(|at| [place(at - 1), place(at)]).collect();
    let mut text = format!(
        "world = 1\neffects = \"own\"\n[map]\nplaces = {names:?}\ndoors = {doors:?}\n[hands]\ncapacity = 2\n\
         [[container]]\nname = \"box\"\nat = \"room0\"\nopens = true\ncapacity = {objects}\n"
    );
    for object in 0..objects {
        let at = place(object * 7 % places);
        let _ = write!(text, "[[object]]\nname = \"thing{object}\"\nat = \"{at}\"\n");
    }
    let goal: Vec<String> = (0..wanted).map(|object| format!("thing{object}_in_box")).collect();
    format!("{text}[[task]]\nname = \"tidy\"\ngoal = \"{} & !box_open\"\n", goal.join(" & "))
}

#[test]
fn goals_of_many_parts_are_reached() {
    for (places, objects, wanted) in [(2, 1, 1), (3, 4, 2), (5, 10, 3), (5, 10, 10), (10, 30, 6)] {
        let world = world(&house(places, objects, wanted), 1);
        let perfect = EffectsRates { random: 0.0, ..EffectsRates::default() };
        let steps = tests::run(&world, &mut EffectsModel::new(&world, perfect, 1));
        // Each object is fetched and brought, at most through all places.
        let most = wanted * (2 * places + 2) + 2;
        assert!(steps.is_some_and(|steps| steps <= most), "{places} {objects} {wanted}: {steps:?}");
    }
}
