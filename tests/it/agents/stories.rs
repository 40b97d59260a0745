//! Agents with a synthesized controller: the guarantees that they keep with perfect and with erring models.

use super::{TASKS, adventure, game, options, record, story};
use tsl_synth_agents::SimRates;
use tsl_synth_agents::story::{StoryEnd, Value};
use tsl_synth_core::model::OnBroken;
use tsl_synth_experiments::{Adventure, AdventureRates, Experiment};
use tsl_synth_service::{LoggedRun, adherence};

fn perfect() -> AdventureRates {
    AdventureRates { answers: SimRates::default(), forget: 0.0, miscount: 0.0 }
}

#[test]
fn a_perfect_model_keeps_every_guarantee() {
    let mut experiment = Adventure::default();
    experiment.rates = perfect();
    for task in 1..=4 {
        for agent in ["controller", "controller, rewriting", "model alone"] {
            let row = experiment.run(&format!("task {task}/{agent}")).expect("a part");
            assert!(
                (row.get("kept") - 75.0).abs() < 0.5 && (row.get("games") - 75.0).abs() < 0.5,
                "task {task}, {agent}"
            );
            assert_eq!(row.get("broken").to_string(), "0", "task {task}, {agent}");
        }
    }
    assert!(experiment.run("task 9/controller").is_err());
}

#[test]
fn rewriting_keeps_the_guarantees_at_the_committed_rates() {
    let experiment = Adventure::default();
    let (mut kept, mut games, mut alone) = (0.0, 0.0, 0.0);
    for task in 1..=4 {
        let row = experiment.run(&format!("task {task}/controller, rewriting")).expect("a part");
        kept += row.get("kept");
        games += row.get("games");
        alone += experiment.run(&format!("task {task}/model alone")).expect("a part").get("kept");
    }
    assert!(kept / games >= 0.995, "{kept} of {games}");
    assert!(alone < kept, "{alone} of {games} without a controller");
    // The same seed gives the same rows.
    let part = "task 3/model alone";
    assert_eq!(experiment.run(part).expect("a part"), experiment.run(part).expect("a part"));
}

#[test]
fn no_violated_guarantee_without_a_broken_assumption() {
    let mut random = tsl_synth_core::base::Random::new(7);
    let mut violations = 0;
    for task in TASKS {
        let (_, loaded) = adventure(task);
        assert!(loaded.story.clauses.is_complete);
        for seed in 0..60 {
            let mut rate = || random.below(100) as f64 / 100.0;
            let rates = SimRates {
                success: rate(),
                spurious: rate(),
                sticky: rate(),
                misread: rate() / 2.0,
                refusal: rate() / 10.0,
                malformed: rate() / 10.0,
            };
            let policy = OnBroken::ALL[seed as usize % 4];
            let (played, _) = game(&loaded, &options(20, seed as u32 % 3, policy), &rates, seed);
            for violation in played.violations() {
                violations += 1;
                assert!(violation.broken.is_some_and(|(turn, _)| turn <= violation.turn), "{task}, {seed}");
            }
            match played.end {
                StoryEnd::Broken(_) => assert_eq!(policy, OnBroken::Error),
                StoryEnd::Turns => assert_eq!(played.turns.len(), 20),
                StoryEnd::Stopped(ref stop) => assert_eq!(stop.attempts, 4, "{stop}"),
                ref other => panic!("{other:?}"),
            }
        }
    }
    assert!(violations > 20, "{violations} violations were blamed");
}

#[test]
fn the_controller_is_the_same_whoever_errs() {
    // Under `continue` the updates of a game are those of the machine on the same inputs.
    let (_, loaded) = adventure("story_choices");
    let rates = SimRates { success: 0.6, spurious: 0.2, ..SimRates::default() };
    for seed in 0..20 {
        let (played, _) = game(&loaded, &options(20, 0, OnBroken::Continue), &rates, seed);
        let mut state = loaded.story.machine.initial;
        for turn in &played.turns {
            assert_eq!(turn.state, state);
            let edge = loaded.story.machine.edge(state, &turn.letter).expect("an edge");
            state = edge.next;
            assert_eq!(turn.next, state);
        }
    }
}

#[test]
fn holding_does_nothing_and_error_ends() {
    let (_, loaded) = adventure("story");
    let rates = SimRates { spurious: 1.0, ..SimRates::default() };
    let (played, _) = game(&loaded, &options(5, 0, OnBroken::Hold), &rates, 1);
    let first = played.turns.iter().position(|turn| turn.held).expect("a spurious cave");
    assert!(played.turns[first].made.is_empty());
    assert_eq!(played.turns[first].state, played.turns[first].next);
    let (played, text) = game(&loaded, &options(5, 0, OnBroken::Error), &rates, 1);
    assert!(matches!(played.end, StoryEnd::Broken(_)), "{:?}", played.end);
    assert_eq!(played.turns.len(), first);
    let record = record(&text);
    let end = record.end.expect("an end");
    assert_eq!((end.reason.as_str(), end.turns), ("broken", first));
    assert!(end.text.contains("inCave"), "{}", end.text);
    // Under `resync` the agent plays all turns.
    let (played, _) = game(&loaded, &options(12, 0, OnBroken::Resync), &rates, 1);
    assert_eq!(played.end, StoryEnd::Turns);
    assert!(played.turns.iter().any(|turn| turn.resynchronized));
}

#[test]
fn cells_are_computed() {
    let spec = "cell n: 0..3 saturating = 0; cell on: Bool = false;
        always guarantee { [n <- n + 1] <-> go; [on <- true] <-> (n > 2); F [said <- speak(n)]; }";
    let (_, loaded) = story(spec, "");
    let (played, _) =
        game(&loaded, &options(12, 0, OnBroken::Error), &SimRates { misread: 0.5, ..SimRates::default() }, 3);
    assert_eq!(played.end, StoryEnd::Turns);
    let mut n = 0;
    let mut increments = 0;
    for turn in &played.turns {
        for made in &turn.made {
            if made.cell == "n" {
                increments += 1;
                n = (n + 1).min(3);
                assert_eq!(made.value, Value::Int(n));
            }
        }
    }
    assert!(increments > 3, "{increments}");
    let said: Vec<_> =
        played.turns.iter().flat_map(|turn| &turn.made).filter(|made| made.generated).collect();
    assert!(said.iter().all(|made| made.cell == "said") && !said.is_empty());
}

#[test]
fn adherence_measures_the_rate_of_the_model() {
    let (_, loaded) = adventure("story");
    let success = 0.8;
    let rates = SimRates { success, ..SimRates::default() };
    let mut runs = Vec::new();
    for seed in 0..75 {
        let (_, text) = game(&loaded, &options(20, 0, OnBroken::Resync), &rates, seed);
        runs.push(LoggedRun::new(format!("game {seed}"), &record(&text)));
    }
    let found = adherence(&runs);
    assert_eq!((found.runs, found.kept, found.turns), (75, 75, 1500));
    let (asked, kept) = found.points.iter().fold((0, 0), |(a, k), point| (a + point.asked, k + point.kept));
    let sigma = (success * (1.0 - success) / asked as f64).sqrt();
    let measured = kept as f64 / asked as f64;
    assert!((measured - success).abs() < 3.0 * sigma, "{measured} of {asked}");
    assert!(found.points.iter().any(|point| point.update == "[passage <- toCave(summary)]"));
}

#[test]
fn each_of_two_texts_of_a_turn_is_evaluated() {
    // Both texts are written in every turn, and the evaluations of a turn refer to the texts of the turn before.
    let spec = "always assume { [a <- f(a)] -> X good(a); [b <- g(b)] -> X fine(b); }
        always guarantee { [a <- f(a)]; [b <- g(b)]; }";
    let (_, loaded) = story(spec, "");
    let rates = SimRates { success: 0.5, ..SimRates::default() };
    let mut wrong = 0;
    for seed in 0..20 {
        let (played, _) = game(&loaded, &options(10, 1, OnBroken::Continue), &rates, seed);
        for pair in played.turns.windows(2) {
            for evaluation in &pair[1].evaluations {
                let name = loaded.story.name(evaluation.atom);
                let cell = if name.starts_with("good") { "a" } else { "b" };
                let made = pair[0].made.iter().find(|made| made.cell == cell).expect("it was written");
                let holds = made.value.to_string().contains(&format!("[{name}]"));
                assert_eq!(evaluation.holds, holds, "{seed}: {name} of {}", made.value);
                wrong += usize::from(!holds);
            }
        }
    }
    assert!(wrong > 20, "{wrong}");
}

#[test]
fn a_controller_that_gives_up_an_assumption_is_named() {
    let spec = "assume { G [x <- f(x)]; } guarantee { G p(x); F [x <- g(x)]; }";
    let (_, loaded) = story(spec, "");
    let (played, _) = game(&loaded, &options(6, 0, OnBroken::Continue), &SimRates::default(), 1);
    let violations = played.violations();
    assert!(!violations.is_empty());
    assert!(violations.iter().all(|violation| violation.broken.is_some() || violation.given_up.is_some()));
}
