//! Actors in the inventory world: no forbidden action is done, whatever the oracle answers, and every run ends.

use super::{FnOracle, actor, gallery, household, inventory};
use crate::policy_check::ltlcrit::{cases, laws, policy, read, texts};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use tsl_synth_agents::world::{BEGIN, EffectsWorld, Environment, InventoryModel, ModelRates, Simulated};
use tsl_synth_agents::{AnswerKind, NoOracle, Oracle, OracleAnswer, OracleError, OracleRequest};
use tsl_synth_core::base::Random;
use tsl_synth_core::model::{CallOutcome, HostEvent, HostEventKind, LawStatus};
use tsl_synth_documents::Record;
use tsl_synth_policy::PolicyMonitor;
use tsl_synth_policy::language::{Fallback, LawKind};
use tsl_synth_seats::log::{LogFormat, LogReader};
use tsl_synth_service::{
    ActorEnd, ActorKind, ActorOutcome, ActorRun, Oracles, actor_options, actor_totals, replay_actor,
    run_actor,
};

/// Runs an actor in the inventory world; returns its outcome and record.
fn run(run: &mut ActorRun, model: &mut dyn Oracle, seed: u64) -> (ActorOutcome, String) {
    let mut world = Simulated(inventory(seed));
    in_world(run, model, &mut world, seed)
}

fn in_world(
    run: &mut ActorRun,
    model: &mut dyn Oracle,
    world: &mut dyn Oracle,
    seed: u64,
) -> (ActorOutcome, String) {
    let (mut evaluator, mut user) = (NoOracle, NoOracle);
    let oracles = Oracles { evaluator: &mut evaluator, generator: model, user: &mut user, world };
    let mut record = String::new();
    let header = run.header(vec!["policy".into()], 3, seed);
    let outcome = run_actor(run, oracles, header, &mut |_| {}, &mut |line| record.push_str(line));
    (outcome, record)
}

/// The hard laws that the executed actions violate, by a monitor that is independent of the gate.
fn violated(run: &ActorRun, outcome: &ActorOutcome) -> BTreeSet<String> {
    let compiled = run.compiled();
    let mut monitor = PolicyMonitor::new(compiled);
    for step in &outcome.steps {
        let (props, action) =
            (step.truths.iter().cloned().map(Into::into).collect(), step.action.clone().map(Into::into));
        let kind = HostEventKind::Step { props, action, end: false };
        monitor.event(&HostEvent::new("s", 0, kind));
    }
    let close = HostEventKind::Close;
    monitor.event(&HostEvent::new("s", 0, close));
    let laws = compiled.policy.laws.enumerate();
    laws.filter(|(id, law)| law.kind == LawKind::Hard && monitor.standing(*id).worst == LawStatus::Violated)
        .map(|(_, law)| law.id.clone())
        .collect()
}

/// An oracle that ignores the laws: random scores, a random or the last choice, and random plans.
fn adversary(seed: u64) -> impl Oracle {
    let mut random = Random::new(seed);
    FnOracle(move |request: &OracleRequest| {
        let n = request.choices.len();
        Ok(match request.kind {
            AnswerKind::Score => OracleAnswer::Scores((0..n).map(|_| random.below(100) as f64).collect()),
            AnswerKind::Generate => {
                let names = request.prompt.lines().find_map(|line| line.strip_prefix("The actions: "));
                let names: Vec<&str> = names.expect("a list").trim_end_matches('.').split(", ").collect();
                let plan: Vec<&str> =
                    (0..=random.below(4)).map(|_| names[random.below(names.len())]).collect();
                OracleAnswer::Text(plan.join("\n"))
            }
            _ => OracleAnswer::Choice(if random.flip() { random.below(n) } else { n - 1 }),
        })
    })
}

#[test]
fn nothing_forbidden_is_done_whatever_the_oracle_answers() {
    let text = gallery("saycan.json");
    let mut refused = 0;
    for kind in ActorKind::ALL {
        let mut actor = actor(&text, kind, |options| {
            options.fallback = Some(Fallback::Hard);
            options.steps = 60;
        });
        for seed in 0..6 {
            let (outcome, _) = run(&mut actor, &mut adversary(seed), seed);
            assert_eq!(violated(&actor, &outcome), BTreeSet::new(), "{kind:?} {seed}");
            assert_eq!((outcome.violated.len(), outcome.owed.len()), (0, 0));
            assert!(outcome.steps.len() <= 60);
            refused += outcome.steps.iter().map(|step| step.refused.len()).sum::<usize>();
        }
    }
    assert!(refused > 20, "{refused}");
    // The same oracle in shadow mode does what the laws forbid, and the monitor sees it.
    let mut shadow = actor(&text, ActorKind::Monologue, |options| {
        options.fallback = Some(Fallback::Hard);
        options.shadow = true;
        options.steps = 60;
    });
    let (outcome, _) = run(&mut shadow, &mut adversary(1), 1);
    let seen = violated(&shadow, &outcome);
    assert!(!seen.is_empty());
    assert_eq!(outcome.violated.iter().cloned().collect::<BTreeSet<_>>(), seen);
    let of_steps: BTreeSet<String> =
        outcome.steps.iter().flat_map(|step| step.violated.iter().cloned()).collect();
    assert!(seen.is_subset(&of_steps), "{seen:?} {of_steps:?}");
}

#[test]
fn a_stubborn_oracle_gets_nothing_through_and_the_run_ends() {
    // An oracle that always names the first of three actions that is offered, whatever was refused.
    let mut asked = 0;
    let mut stubborn = FnOracle(|request: &OracleRequest| {
        asked += 1;
        let wanted = ["action_mine_diamond", "action_craft_iron_pickaxe", "action_equip_iron_pickaxe"];
        let place = wanted.iter().find_map(|name| request.choices.iter().position(|own| own == name));
        place.map(OracleAnswer::Choice).ok_or(OracleError::Ended("nothing else will do".into()))
    });
    let mut actor = actor(&gallery("saycan.json"), ActorKind::Monologue, |options| options.retries = 2);
    let (outcome, record) = run(&mut actor, &mut stubborn, 1);
    assert_eq!(outcome.end, ActorEnd::Refused(3));
    assert_eq!(asked, 3);
    let [step] = outcome.steps.as_slice() else { panic!("{:?}", outcome.steps) };
    assert_eq!(step.action, None);
    assert_eq!(step.refused[0].by, ["saycan-hard-001", "saycan-soft-001"]);
    assert!(
        step.refused[0].reason.contains("Diamonds cannot be mined unless an iron pickaxe is equipped"),
        "{:?}",
        step.refused
    );
    // The second request names the refusal.
    let asked: Vec<String> =
        record.lines().filter(|line| line.contains("choose")).map(str::to_string).collect();
    assert!(
        !asked[0].contains("was refused") && asked[1].contains("`action_mine_diamond` was refused"),
        "{asked:?}"
    );
    assert!(record.ends_with("\"reason\":\"refused\",\"text\":\"all 3 proposals of one step were refused, and no more are asked for\",\"turns\":1}}\n"), "{record}");
}

#[test]
fn over_constrained_states_are_logged_and_the_policy_says_what_gives_way() {
    // Without a log, one law requires to mine one, and another one to explore.
    let text = json!({
        "policy": 1, "timing": "next", "idle": false, "look_ahead": false,
        "propositions": { "obs_has_log": {} },
        "actions": { "groups": [inventory(0).spec().actions().collect::<Vec<_>>()] },
        "law": [
            { "id": "no-diamond", "kind": "hard", "ltl": "G(!obs_has_log -> X(!action_mine_diamond))" },
            { "id": "wood", "kind": "soft", "ltl": "G(!obs_has_log -> X(action_mine_log))" },
            { "id": "look", "kind": "soft", "ltl": "G(!obs_has_log -> X(action_explore_general))" },
        ],
    });
    for kind in ActorKind::ALL {
        let mut strict = actor(&text.to_string(), kind, |_| {});
        let (outcome, _) = run(&mut strict, &mut adversary(1), 1);
        assert_eq!(outcome.end, ActorEnd::Stuck, "{kind:?}");
        assert_eq!(outcome.steps[0].core, ["wood", "look"]);
        assert_eq!(outcome.steps[0].action, None);
        let mut yielding = actor(&text.to_string(), kind, |options| {
            options.fallback = Some(Fallback::Hard);
            options.steps = 5;
        });
        let (outcome, _) = run(&mut yielding, &mut adversary(1), 1);
        assert_eq!(outcome.steps[0].core, ["wood", "look"]);
        assert_eq!(outcome.steps[0].dropped, ["wood", "look"]);
        assert!(outcome.steps[0].action.is_some() && outcome.violated.is_empty());
        // Dropped laws restart in the next state, which is over-constrained again.
        let mut digger = FnOracle(|request: &OracleRequest| {
            let down = "action_explore_diamond_down";
            if request.kind == AnswerKind::Generate {
                return Ok(OracleAnswer::Text(down.into()));
            }
            let place = request.choices.iter().position(|own| own == down).expect("it is allowed");
            let scores = (0..request.choices.len()).map(|i| if i == place { 1.0 } else { 0.0 }).collect();
            Ok(if request.kind == AnswerKind::Score {
                OracleAnswer::Scores(scores)
            } else {
                OracleAnswer::Choice(place)
            })
        });
        let (outcome, _) = run(&mut yielding, &mut digger, 1);
        assert_eq!(outcome.end, ActorEnd::Limit, "{kind:?}");
        for step in &outcome.steps {
            assert_eq!(
                (&step.core, &step.refused),
                (&vec!["wood".to_string(), "look".to_string()], &Vec::new())
            );
        }
    }
}

#[test]
fn records_are_the_same_for_a_seed_and_come_out_again() {
    let text = gallery("saycan.json");
    for kind in ActorKind::ALL {
        let mut first = actor(&text, kind, |options| {
            options.fallback = Some(Fallback::Hard);
            options.steps = 40;
            options.task = "Mine a diamond.".into();
        });
        let model = || InventoryModel::new(ModelRates::default(), 5);
        let (outcome, record) = run(&mut first, &mut model(), 9);
        let (_, again) = run(&mut first, &mut model(), 9);
        assert_eq!(record, again, "{kind:?}");
        let read = Record::read(&record).expect("a record");
        assert_eq!(read.steps, outcome.steps);
        let document = read.header.actor.clone().expect("an actor");
        let options = actor_options(&document).expect("options");
        let mut other = ActorRun::new(super::loaded("policy.json", &text), &text, options).expect("an actor");
        let mut replayed = String::new();
        replay_actor(&mut other, &read, &mut |_| {}, &mut |line| replayed.push_str(line));
        assert_eq!(replayed, record, "{kind:?}");
        let totals = actor_totals([&read, &read]);
        assert_eq!((totals.runs, totals.violating), (2, 0));
        assert_eq!(totals.actions, 2 * outcome.steps.iter().filter(|step| step.action.is_some()).count());
    }
}

/// The events of a record, read as a log.
fn events(record: &str) -> Vec<HostEventKind<'static>> {
    assert_eq!(LogFormat::detect(record.as_bytes()), Some(LogFormat::Record));
    let mut events = Vec::new();
    let mut reader = LogReader::new(LogFormat::Record, "game");
    let mut sink = |event: &HostEvent<'_>| {
        assert_eq!(event.session, "game");
        events.push(event.clone().into_owned().kind);
        ControlFlow::Continue(())
    };
    for line in record.lines() {
        assert!(reader.feed_line(line, &mut sink).is_continue());
    }
    assert!(reader.finish(&mut sink).is_continue());
    assert_eq!((reader.notes().broken_lines, reader.notes().unknown_lines), (0, 0));
    events
}

/// The hard laws that a monitor of the events sees violated.
fn violated_by(run: &ActorRun, events: &[HostEventKind<'static>]) -> BTreeSet<String> {
    let compiled = run.compiled();
    let mut monitor = PolicyMonitor::new(compiled);
    for kind in events {
        monitor.event(&HostEvent::new("game", 0, kind.clone()));
    }
    let laws = compiled.policy.laws.enumerate();
    laws.filter(|(id, law)| law.kind == LawKind::Hard && monitor.standing(*id).worst == LawStatus::Violated)
        .map(|(_, law)| law.id.clone())
        .collect()
}

#[test]
fn records_are_read_as_logs() {
    let text = gallery("saycan.json");
    for shadow in [false, true] {
        let mut actor = actor(&text, ActorKind::Monologue, |options| {
            options.fallback = Some(Fallback::Hard);
            options.shadow = shadow;
            options.steps = 60;
        });
        let (outcome, record) = run(&mut actor, &mut adversary(1), 1);
        let events = events(&record);
        let tools: Vec<&str> = events
            .iter()
            .filter_map(|kind| if let HostEventKind::Call { tool, .. } = kind { Some(&**tool) } else { None })
            .collect();
        let done: Vec<&str> = outcome.steps.iter().filter_map(|step| step.action.as_deref()).collect();
        assert_eq!(tools, done);
        let failed = |kind: &&HostEventKind<'_>| {
            matches!(kind, HostEventKind::Result { outcome: CallOutcome::Failed, .. })
        };
        assert_eq!(
            events.iter().filter(failed).count(),
            outcome.steps.iter().filter(|step| !step.ok && step.action.is_some()).count()
        );
        assert_eq!(violated_by(&actor, &events), outcome.violated.iter().cloned().collect(), "{shadow}");
        assert_eq!(shadow, !outcome.violated.is_empty());
    }
}

#[test]
fn records_of_actions_of_several_calls_are_read_as_logs() {
    let text = gallery("household.toml");
    let mut refused = 0;
    let mut violations = 0;
    for (shadow, seed) in (0..8).flat_map(|seed| [(false, seed), (true, seed)]) {
        let mut actor = actor(&text, ActorKind::Monologue, |options| options.shadow = shadow);
        let mut world = Simulated(household("toilet"));
        let mut random = Random::new(seed);
        let mut model = FnOracle(move |request: &OracleRequest| {
            Ok(OracleAnswer::Choice(random.below(request.choices.len())))
        });
        let (outcome, record) = in_world(&mut actor, &mut model, &mut world, seed);
        violations += outcome.violated.len();
        refused += outcome.steps.iter().map(|step| step.refused.len()).sum::<usize>();
        let events = events(&record);
        let ends = events.iter().filter(|kind| matches!(kind, HostEventKind::End)).count();
        assert_eq!(ends, usize::from(outcome.end == ActorEnd::Done));
        assert_eq!(
            violated_by(&actor, &events),
            outcome.violated.iter().cloned().collect(),
            "{shadow} {seed}"
        );
        assert!(shadow || outcome.violated.is_empty());
    }
    assert!(refused > 10 && violations > 0, "{refused} {violations}");
}

#[test]
fn environments_that_tell_nonsense_end_the_run() {
    let text = gallery("saycan.json");
    let mut actor = actor(&text, ActorKind::Monologue, |_| {});
    for (told, why) in [
        ("banana", "no JSON"),
        ("{\"true\":[\"weather\"],\"actions\":[\"fly\"]}", "no proposition and no action"),
        ("{\"true\":1}", "a list"),
    ] {
        let mut world = FnOracle(|_: &OracleRequest| Ok(OracleAnswer::Text(told.into())));
        let (outcome, _) = in_world(&mut actor, &mut adversary(1), &mut world, 1);
        let ActorEnd::World(said) = &outcome.end else { panic!("{:?}", outcome.end) };
        assert!(said.contains(why), "{said}");
    }
    // An environment gets each action only once, even if its answer cannot be read.
    let mut asked = 0;
    let mut world = FnOracle(|_: &OracleRequest| {
        asked += 1;
        if asked == 1 {
            Ok(OracleAnswer::Text("{\"true\":[]}".into()))
        } else {
            Ok(OracleAnswer::Text("?".into()))
        }
    });
    let mut first = FnOracle(|_: &OracleRequest| Ok(OracleAnswer::Choice(0)));
    let (outcome, _) = in_world(&mut actor, &mut first, &mut world, 1);
    assert!(matches!(outcome.end, ActorEnd::World(_)), "{:?}", outcome.end);
    assert_eq!(asked, 2);
}

#[test]
fn an_environment_is_any_oracle() {
    // An environment that names only the true propositions, with two actions of which one is forbidden.
    let text = "policy = 1\ntrace = \"per-action\"\n[propositions]\ndark = {}\n[actions]\ngroups = [[\"read\", \"light\"]]\n\
                [[law]]\nid = \"eyes\"\nltl = \"G (dark -> !read)\"\n";
    let mut lit = false;
    let mut world = FnOracle(|request: &OracleRequest| {
        lit |= request.subject == "light";
        let done = request.subject == "read";
        let truths: Value = if lit { json!([]) } else { json!(["dark"]) };
        Ok(OracleAnswer::Text(
            json!({ "text": "A room.", "true": truths, "actions": ["read", "light"], "reached": done })
                .to_string(),
        ))
    });
    let mut reader = FnOracle(|request: &OracleRequest| {
        Ok(OracleAnswer::Choice(request.choices.iter().position(|own| own == "read").unwrap_or(0)))
    });
    let mut actor = actor(text, ActorKind::Monologue, |_| {});
    let (outcome, _) = in_world(&mut actor, &mut reader, &mut world, 1);
    assert_eq!(outcome.end, ActorEnd::Goal);
    let done: Vec<&str> = outcome.steps.iter().filter_map(|step| step.action.as_deref()).collect();
    assert_eq!(done, ["light", "read"]);
    assert_eq!(outcome.steps[0].refused[0].by, ["eyes"]);
}

/// The words of the cases as runs of an actor: the random choices of the world are picked to follow the word, the gate
/// allows every action of it, and no action is allowed in the last state.
#[test]
fn the_words_into_over_constrained_states_are_runs_of_an_actor() {
    for folder in cases() {
        for trace in read(&folder, "deadlock_traces.json")["traces"].as_array().expect("traces") {
            let set = trace["law_set"].as_str().expect("a name");
            let steps = trace["trajectory"].as_array().expect("steps");
            let mut actor = actor(&policy(&folder, laws(&folder, set)), ActorKind::Monologue, |_| {});
            let (mut world, mut at) = (inventory(0), 0);
            let mut lucky = FnOracle(|request: &OracleRequest| {
                if request.subject != BEGIN {
                    at += 1;
                    let expected: BTreeSet<String> = texts(&steps[at]["obs_true"]).into_iter().collect();
                    let after = (0..2_000).map(|seed| {
                        let mut after = world.reseeded(seed);
                        after.act(&request.subject);
                        after
                    });
                    let fits = |world: &EffectsWorld| world.last().is_ok() && world.truths() == expected;
                    world = after.into_iter().find(fits).expect("some luck leads there");
                }
                Ok(OracleAnswer::Text(world.message().json()))
            });
            let mut number = 0;
            let mut model = FnOracle(|request: &OracleRequest| {
                let wanted = steps[number]["action"].as_str().expect("an action");
                number += 1;
                Ok(OracleAnswer::Choice(
                    request.choices.iter().position(|own| own == wanted).expect("it is offered"),
                ))
            });
            let (outcome, _) = in_world(&mut actor, &mut model, &mut lucky, 0);
            assert_eq!(outcome.end, ActorEnd::Stuck, "{set}");
            let (last, before) = outcome.steps.split_last().expect("steps");
            assert_eq!(Some(before.len() as u64), trace["length"].as_u64(), "{set}");
            assert!(before.iter().all(|step| step.refused.is_empty() && step.core.is_empty() && step.ok));
            assert_eq!(
                last.core.iter().cloned().collect::<BTreeSet<_>>(),
                texts(&trace["core"]).into_iter().collect()
            );
        }
    }
}
