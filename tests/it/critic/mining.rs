//! Laws mined from runs in random worlds: they are compared with the runs and with the known rules of the worlds.

use super::admission::{Step, events, recorded_sessions};
use crate::policies::{compiled, letter};
use std::fmt::Write;
use tsl_synth_agents::NoLog;
use tsl_synth_core::logic::Letter;
use tsl_synth_policy::CompiledPolicy;
use tsl_synth_service::{CriticGoal, CriticReport, CriticRequest, Input, LoggedSessions, RunEvents, Session};
use tsl_synth_testkit::Rng;

const FACTS: [&str; 6] = ["f0", "f1", "f2", "f3", "f4", "f5"];
const ACTIONS: [&str; 6] = ["a0", "a1", "a2", "a3", "a4", "wait"];

/// An action needs facts, and then makes a fact true; the last fact is the goal.
struct Rules {
    needs: Vec<Vec<usize>>,
    makes: Vec<usize>,
}

impl Rules {
    /// Action `i` makes fact `i + 1` and needs fact `i`, and perhaps an earlier one.
    fn random(rng: &mut Rng) -> Self {
        let needs = (0..5).map(|i| {
            let mut own = vec![i];
            if i > 0 && rng.flip() {
                own.push(rng.below(i));
            }
            own
        });
        Self { needs: needs.collect(), makes: (1..6).collect() }
    }
    fn act(&self, facts: &mut [bool; 6], action: usize) -> bool {
        if action == 5 {
            return true;
        }
        let ok = self.needs[action].iter().all(|&fact| facts[fact]);
        facts[self.makes[action]] |= ok;
        ok
    }
}

type OwnedRun = (Vec<OwnedStep>, Vec<&'static str>);

fn names(facts: [bool; 6]) -> Vec<&'static str> {
    FACTS.iter().zip(facts).filter(|(_, holds)| *holds).map(|(name, _)| *name).collect()
}

fn play(rng: &mut Rng, rules: &Rules) -> OwnedRun {
    let mut facts = [true, false, false, false, false, false];
    let mut steps = Vec::new();
    while !facts[5] && steps.len() < 60 {
        // Facts before the last are sometimes lost again.
        if rng.below(12) == 0 {
            facts[1 + rng.below(4)] = false;
        }
        let (before, action) = (names(facts), rng.below(6));
        let ok = rules.act(&mut facts, action);
        steps.push((before, ACTIONS[action], ok));
    }
    (steps, names(facts))
}

fn policy() -> String {
    let mut text = String::from("policy = 1\ntiming = \"next\"\nidle = false\n[propositions]\n");
    for fact in FACTS {
        let _ = writeln!(text, "{fact} = {{}}");
    }
    let _ = writeln!(text, "[actions]\ngroups = [{ACTIONS:?}]");
    text + "[[law]]\nid = \"start\"\nkind = \"hard\"\nltl = \"G(f5 -> X !a0)\"\n"
}

/// A step of a run of its own: what holds, what is done, whether it succeeds.
type OwnedStep = (Vec<&'static str>, &'static str, bool);

fn borrowed(steps: &[OwnedStep]) -> Vec<Step<'_>> {
    steps.iter().map(|(truths, action, ok)| (truths.as_slice(), *action, *ok)).collect()
}

fn mined(runs: &[OwnedRun], goal: Option<&str>) -> CriticReport {
    let goals = goal.map(|goal| CriticGoal::Condition(goal.into()));
    mined_for(runs, goals.into_iter().collect())
}

fn mined_for(runs: &[OwnedRun], goals: Vec<CriticGoal>) -> CriticReport {
    let borrowed: Vec<_> = runs.iter().map(|(steps, last)| (borrowed(steps), last.clone())).collect();
    let sessions = recorded_sessions(&borrowed);
    let mut request = CriticRequest::new(Input::Text { name: "p.toml".into(), text: policy() });
    request.goals = goals;
    Session::new().critic(&request, &sessions, None, &mut NoLog).expect("mined")
}

/// The successful steps of a run that a mined law forbids, each with this law.
fn violated(report: &CriticReport, run: &OwnedRun) -> Vec<(usize, String)> {
    let compiled = compiled("p.toml", &report.after);
    let mut found = Vec::new();
    for (law, own) in compiled.policy.laws.enumerate().filter(|(_, own)| own.id.starts_with("mined-")) {
        for (i, (truths, action, ok)) in run.0.iter().enumerate() {
            let word: [Letter; 2] = [letter(&compiled, truths), letter(&compiled, &[action])];
            let state = word.iter().fold(0, |state, letter| compiled.step(law, state, letter));
            if !compiled.monitors[law].dfa().is_live(state) && *ok {
                found.push((i, own.id.clone()));
            }
        }
    }
    found
}

#[test]
fn bans_from_errors_never_forbid_what_succeeded() {
    let mut found = 0;
    for seed in 0..20 {
        let rng = &mut Rng(seed);
        let rules = Rules::random(rng);
        let runs: Vec<OwnedRun> = (0..20).map(|_| play(rng, &rules)).collect();
        let report = mined(&runs, None);
        assert!(report.is_settled);
        for run in &runs {
            assert_eq!(violated(&report, run), [], "seed {seed}\n{}", report.after);
        }
        // A required fact is found if its absence alone made the action fail often enough.
        for (action, needs) in rules.needs.iter().enumerate() {
            for &need in needs {
                let lacks = |(truths, own, ok): &OwnedStep| {
                    *own == ACTIONS[action]
                        && !ok
                        && !truths.contains(&FACTS[need])
                        && needs.iter().all(|&other| other == need || truths.contains(&FACTS[other]))
                };
                let failures = runs.iter().flat_map(|run| &run.0).filter(|step| lacks(step)).count();
                let successes = runs
                    .iter()
                    .flat_map(|run| &run.0)
                    .filter(|(_, own, ok)| *own == ACTIONS[action] && *ok)
                    .count();
                if failures >= 4 && successes >= 20 {
                    let law = format!("G(!{} -> X !{})", FACTS[need], ACTIONS[action]);
                    assert!(report.after.contains(&law), "seed {seed}: {law} is not in\n{}", report.after);
                    found += 1;
                }
            }
        }
    }
    assert!(found > 20, "{found}");
}

#[test]
fn the_shortest_runs_keep_all_mined_laws_and_the_goal_stays_within_reach() {
    for seed in 100..112 {
        let rng = &mut Rng(seed);
        let rules = Rules::random(rng);
        let runs: Vec<OwnedRun> = (0..40).map(|_| play(rng, &rules)).collect();
        let report = mined(&runs, Some("f5"));
        assert!(report.reaching.is_some_and(|reaching| reaching > 10));
        let mut shortest: Vec<&OwnedRun> = runs.iter().filter(|run| run.1.contains(&"f5")).collect();
        shortest.sort_by_key(|run| run.0.len());
        for run in &shortest[..2] {
            assert_eq!(violated(&report, run), [], "seed {seed}\n{}", report.after);
        }
        assert_eq!(report.stuck, [0, 0], "seed {seed}");
        // The same runs give the same bytes.
        assert_eq!(mined(&runs, Some("f5")).after, report.after);
    }
}

#[test]
fn goals_are_formulas_about_one_moment() {
    for seed in 200..206 {
        let rng = &mut Rng(seed);
        let rules = Rules::random(rng);
        let runs: Vec<OwnedRun> = (0..40).map(|_| play(rng, &rules)).collect();
        let holds = |run: &OwnedRun, goal: &dyn Fn(&[&str]) -> bool| {
            run.0.iter().any(|(truths, ..)| goal(truths)) || goal(&run.1)
        };
        let reaching = |goal: &str, definition: &dyn Fn(&[&str]) -> bool| {
            let report = mined(&runs, Some(goal));
            let expected = runs.iter().filter(|run| holds(run, definition)).count();
            assert_eq!(report.reaching, Some(expected), "seed {seed}: {goal}");
            report.after
        };
        let of_f5 = reaching("f5", &|truths| truths.contains(&"f5"));
        // Of the same meaning, so the same laws.
        assert_eq!(reaching("f5 & f0", &|truths| truths.contains(&"f5")), of_f5);
        assert_eq!(reaching("!(f0 -> !f5)", &|truths| truths.contains(&"f5")), of_f5);
        reaching("f2 & !f1", &|truths| truths.contains(&"f2") && !truths.contains(&"f1"));
        reaching("f3 <-> f4", &|truths| truths.contains(&"f3") == truths.contains(&"f4"));
        reaching("f2 ^ f3", &|truths| truths.contains(&"f2") != truths.contains(&"f3"));
        reaching("false", &|_| false);
    }
}

#[test]
fn goals_that_an_environment_reports_count_as_conditions_do() {
    for seed in 300..306 {
        let rng = &mut Rng(seed);
        let rules = Rules::random(rng);
        let runs: Vec<OwnedRun> = (0..40).map(|_| play(rng, &rules)).collect();
        // The environment says it with the observation that first has the fact.
        let reported = |(number, (steps, last)): (usize, &OwnedRun)| {
            let mut observed = steps.iter().map(|step| &step.0).chain([last]);
            let first = observed.position(|truths| truths.contains(&"f5"));
            let goals = first.map(|at| (3 * at + 1, "rich".to_owned())).into_iter().collect();
            (number.to_string(), RunEvents { events: events(&borrowed(steps), last), goals })
        };
        let sessions = |compiled: &CompiledPolicy| {
            Ok(LoggedSessions::of_runs(compiled, runs.iter().enumerate().map(reported)))
        };
        let mut request = CriticRequest::new(Input::Text { name: "p.toml".into(), text: policy() });
        let mut report = |goal: CriticGoal| {
            request.goals = vec![goal];
            Session::new().critic(&request, &sessions, None, &mut NoLog).expect("mined")
        };
        let told = report(CriticGoal::Reported("rich".into()));
        let read = report(CriticGoal::Condition("f5".into()));
        assert_eq!((told.reaching, &told.after), (read.reaching, &read.after), "seed {seed}");
        assert!(told.reaching.is_some_and(|reaching| reaching > 10));
        assert_eq!(report(CriticGoal::Reported("other".into())).reaching, Some(0));
    }
}
