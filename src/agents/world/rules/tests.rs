//! Worlds of declared effects against a model of the warehouse that is written out here.

use super::*;
use crate::world::{BEGIN, Simulated};
use crate::{AnswerKind, Oracle, OracleAnswer, OracleRequest};
use tsl_synth_core::base::Budget;
use tsl_synth_core::diag::Diagnostics;
use tsl_synth_core::source::SourceMap;
use tsl_synth_policy::CompiledPolicy;
use tsl_synth_policy::language::load_policy;

const POLICY: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../specs/worlds/warehouse.toml"));
const WORLD: &str =
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../specs/worlds/warehouse.world.toml"));

fn compiled(text: &str) -> Arc<CompiledPolicy> {
    let mut sources = SourceMap::new();
    let source = sources.add("policy.toml", text);
    let mut diagnostics = Diagnostics::new();
    let policy = load_policy(&mut sources, source, &mut diagnostics);
    let policy = policy.unwrap_or_else(|| panic!("{diagnostics:?}"));
    Arc::new(CompiledPolicy::new(policy, &Budget::unlimited()).expect("a small policy"))
}

fn spec() -> Arc<WorldSpec> {
    Arc::new(WorldSpec::read(WORLD, false, Some(&compiled(POLICY))).expect("our world is read"))
}

/// The warehouse by hand; the random parts are taken from the world.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Warehouse {
    place: &'static str,
    holding: bool,
    battery: u32,
    delivered: u32,
}

#[test]
fn actions_do_what_is_declared() {
    for seed in 0..40 {
        let mut world = EffectsWorld::new(spec(), 1, seed);
        let mut own = Warehouse { place: "at_dock", holding: false, battery: 4, delivered: 0 };
        let mut random = Random::new(!seed);
        let mut failed = 0;
        for _ in 0..200 {
            let actions = ["go_dock", "go_shelf", "go_charger", "pick", "place", "charge", "wait", "fly"];
            let action = actions[random.below(actions.len())];
            world.act(action);
            let message = world.message();
            let mut next = own.clone();
            let possible = match action {
                "go_dock" | "go_shelf" if own.battery == 0 => false,
                "go_dock" => {
                    (next.place, next.battery) = ("at_dock", own.battery - 1);
                    true
                }
                "go_shelf" => {
                    (next.place, next.battery) = ("at_shelf", own.battery - 1);
                    true
                }
                "go_charger" => {
                    next.place = "at_charger";
                    true
                }
                "pick" => {
                    next.holding = true;
                    own.place == "at_shelf" && !own.holding
                }
                "place" => {
                    (next.holding, next.delivered) = (false, (own.delivered + 1).min(3));
                    own.place == "at_dock" && own.holding
                }
                "charge" => {
                    next.battery = 4;
                    own.place == "at_charger"
                }
                "wait" => true,
                _ => false,
            };
            // Only the gripper fails at random.
            assert!(message.ok == possible || action == "pick" && possible, "{action}: {message:?}");
            failed += u32::from(possible && !message.ok);
            if message.ok {
                own = next;
            }
            let truths = message.truths.expect("the world tells what holds");
            for place in ["at_dock", "at_shelf", "at_charger"] {
                assert_eq!(truths.contains(place), own.place == place, "{action}");
            }
            let told = |name: &str| truths.contains(name);
            assert_eq!(told("holding"), own.holding);
            assert_eq!((told("charged"), told("full")), (own.battery >= 1, own.battery >= 4));
            assert_eq!(
                (told("one_delivered"), told("all_delivered")),
                (own.delivered >= 1, own.delivered >= 3)
            );
            assert_eq!(message.reached, own.delivered >= 3);
        }
        assert!(failed < 40, "the gripper slips in a tenth of the cases: {failed}");
    }
}

/// Runs a model in a world; the number of actions until the goal, if it is reached.
pub(super) fn run(world: &EffectsWorld, model: &mut dyn Oracle) -> Option<usize> {
    let mut port = Simulated(world.clone());
    let mut act = |action: &str| {
        let answer = port.ask(&OracleRequest::new(AnswerKind::Act, action, action));
        let Ok(OracleAnswer::Text(text)) = answer else { panic!("the world answers") };
        WorldMessage::read(&text).expect("a message")
    };
    let mut message = act(BEGIN);
    for steps in 0..300 {
        if message.reached {
            return Some(steps);
        }
        let choices: Vec<String> = message.actions.iter().map(|offer| offer.name.clone()).collect();
        let request = OracleRequest::new(AnswerKind::Choose, "action", &message.text)
            .about(&message.text)
            .choices(&choices);
        let Ok(OracleAnswer::Choice(chosen)) = model.ask(&request) else { panic!("the model chooses") };
        message = act(&choices[chosen]);
    }
    None
}

#[test]
fn the_model_reaches_the_goals() {
    for task in 0..2 {
        for seed in 0..10 {
            let world = EffectsWorld::new(spec(), task, seed);
            let perfect = EffectsRates { random: 0.0, ..EffectsRates::default() };
            let steps = run(&world, &mut EffectsModel::new(&world, perfect, seed));
            // Without errors of its own, only the world delays it.
            let least = [4, 12][task];
            assert!(steps.is_some_and(|steps| (least..least + 12).contains(&steps)), "{task}: {steps:?}");
            let usual = EffectsRates::default();
            assert!(run(&world, &mut EffectsModel::new(&world, usual, seed)).is_some());
        }
    }
}

#[test]
fn worlds_are_reproducible_and_copies_are_others() {
    let play = |seed: u64| {
        let mut world = EffectsWorld::new(spec(), 0, seed);
        let mut texts = Vec::new();
        for action in ["go_shelf", "pick", "wait", "go_dock", "place", "wait", "go_shelf", "pick"].repeat(4) {
            world.act(action);
            texts.push(world.message().text);
        }
        texts
    };
    assert_eq!(play(1), play(1));
    assert!((2..6).any(|seed| play(seed) != play(1)));
    let world = EffectsWorld::new(spec(), 0, 5);
    for chances in [false, true] {
        let mut copy = world.imagined(chances);
        for action in ["go_shelf", "pick", "go_dock", "place"] {
            copy.act(action);
            assert!(copy.message().ok, "nothing fails by chance in a copy");
        }
        assert_eq!(copy.message().truths.is_some_and(|truths| truths.contains("aisle_blocked")), chances);
    }
    assert_eq!(world.message(), EffectsWorld::new(spec(), 0, 5).message());
}

#[test]
fn the_effects_alone_are_a_world() {
    let spec = Arc::new(WorldSpec::of_policy(&compiled(POLICY)));
    let mut world = EffectsWorld::new(Arc::clone(&spec), 0, 1);
    assert!(world.message().ends && !world.message().reached);
    world.act("go_dock");
    assert!(world.message().truths.is_some_and(|truths| truths.contains("at_dock")));
    let truths: BTreeSet<String> = ["at_shelf".to_owned(), "charged".into()].into();
    let set = EffectsWorld::new(spec, 0, 1).with_truths(&truths);
    assert_eq!(set.message().truths, Some(truths));
}

#[test]
fn wrong_worlds_are_refused_with_the_reason() {
    for (text, why) in [
        ("", "missing field `world`"),
        ("world = 2", "reads `world = 1`"),
        ("world = 1\ncolor = 3", "unknown field `color`"),
        ("world = 1\nbegin = [\"at_dok\"]", "is `at_dock` meant?"),
        ("world = 1\nbegin = [\"full\"]", "follows from the quantity `battery`"),
        ("world = 1\n[amounts]\nbatery = 1", "is `battery` meant?"),
        ("world = 1\n[amounts]\nbattery = 9", "at most 4, and not 9"),
        ("world = 1\n[actions.pik]\nsucceeds = 1.0", "is `pick` meant?"),
        ("world = 1\n[actions.pick]\nsucceeds = 1.5", "no probability"),
        ("world = 1\n[actions.pick]\nrequires = \"at_shelf &\"", "actions.pick"),
        ("world = 1\n[actions.pick]\nrequires = \"F at_shelf\"", "no temporal operators"),
        ("world = 1\n[actions.pick]\nrequires = \"pick\"", "no proposition `pick`"),
        ("world = 1\n[actions.pick]\nchances = { holding = 0.1 }", "neither may set nor may clear `holding`"),
        ("world = 1\n[[task]]\nname = \"a\"\n[[task]]\nname = \"a\"", "a name of its own"),
        ("world = 1\n[[task]]\nname = \"a\"\ngoal = \"flying\"", "no proposition `flying`"),
    ] {
        let read = WorldSpec::read(text, false, Some(&compiled(POLICY))).map(drop);
        assert!(read.as_ref().is_err_and(|error| error.contains(why)), "{text}: {read:?}");
    }
    let json = r#"{"world": 1, "begin": ["at_shelf"], "task": [{"name": "t", "goal": "holding"}]}"#;
    assert!(WorldSpec::read(json, true, Some(&compiled(POLICY))).is_ok());
    assert_eq!(world_policy(WORLD, false), Ok(Some(Some("warehouse.toml".into()))));
    assert_eq!(world_policy(POLICY, false), Ok(None));
}
