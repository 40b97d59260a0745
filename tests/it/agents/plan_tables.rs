//! The gallery of `specs/plans`: numbers of plans, the daily plan, the risk analysis of a deal, trips; hostile input.

use super::plan::{By, drive, driven_names, names, plans};
use serde_json::Value;
use std::collections::BTreeSet;
use tsl_synth_agents::plan::{DriveEnd, DriveOptions, PlanLength, WordReport};
use tsl_synth_agents::plan_grammar::TerminalId;
use tsl_synth_agents::{Conversation, NoLog, NoOracle, Script, Scripted};
use tsl_synth_core::base::Budget;
use tsl_synth_experiments::openagi::{MODELS, OpenAgiSettings, TASKS, openagi};
use tsl_synth_experiments::travel::{Agent, Travel, TravelSettings, travel, travel_grammar};
use tsl_synth_service::{Input, PlanRequest, Plans, Session};
use tsl_synth_testkit::{Rng, cases};

fn gallery(name: &str) -> Plans {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("specs/plans").join(name);
    plans(name, &std::fs::read_to_string(path).expect("the gallery is here"), &[])
}

fn ids(plans: &Plans, word: &[&str]) -> Vec<TerminalId> {
    word.iter().map(|name| plans.grammar.terminal(name).unwrap_or_else(|| panic!("{name}"))).collect()
}

#[test]
fn the_gallery_has_as_many_plans_as_it_says() {
    let budget = Budget::unlimited();
    for (file, words, with_subsets) in [
        ("openagi_task1.cfg", "349830", "349830"),
        ("openagi_task2.cfg", "4007600937", "4007600937"),
        ("openagi_taskx.cfg", "8543019637", "8543019637"),
        ("cooking.cfg", "3", "1075838976"),
        ("daily.cfg", "88", "88"),
    ] {
        let plans = gallery(file);
        assert!(plans.diagnostics.is_empty(), "{file}: {:?}", plans.diagnostics);
        let count = plans.planner(PlanLength::Any, &budget).count().expect("no limit");
        assert_eq!(count.words.expect("finite").to_string(), words, "{file}");
        assert_eq!(count.with_subsets.expect("finite").to_string(), with_subsets, "{file}");
    }
}

#[test]
fn the_day_is_planned_as_recorded() {
    for folder in cases("agents/plan") {
        let text = std::fs::read_to_string(folder.join("cases.json")).expect("cases.json");
        let cases: Value = serde_json::from_str(&text).expect("JSON");
        let daily = &cases["daily"];
        let plans = gallery("daily.cfg");
        let budget = Budget::unlimited();
        let mut planner = plans.planner(PlanLength::Any, &budget);
        for list in daily["choice_lists"].as_array().expect("lists") {
            let prefix: Vec<&str> = list["planned_backwards"]
                .as_array()
                .expect("a list")
                .iter()
                .filter_map(Value::as_str)
                .collect();
            let expected = list.get("choices").or(list.get("choices_fig4")).expect("choices");
            let next = planner.next(&ids(&plans, &prefix), false).expect("no limit").expect("possible").steps;
            assert_eq!(serde_json::json!(names(&plans, &next)), *expected, "{list}");
        }
        let backwards = |plan: &Value| -> Vec<String> {
            let steps = plan.as_array().expect("a list").iter().rev();
            steps.map(|step| step.get(2).unwrap_or(step).as_str().expect("a name").to_string()).collect()
        };
        for (key, expected) in [("valid", true), ("invalid", false)] {
            for one in daily[key].as_array().expect("a list") {
                let word = backwards(&one["plan"]);
                let word = ids(&plans, &word.iter().map(String::as_str).collect::<Vec<_>>());
                assert_eq!(planner.check(&word).expect("no limit") == WordReport::Plan, expected, "{one}");
            }
        }
        for plan in daily["public_code_plans"].as_array().expect("a list") {
            let word: Vec<&str> = plan.as_array().expect("a list").iter().filter_map(Value::as_str).collect();
            assert_eq!(planner.check(&ids(&plans, &word)).expect("no limit"), WordReport::Plan, "{plan}");
        }
    }
}

/// Answers by the names of choices, in order.
struct Named<'a>(std::slice::Iter<'a, &'a str>);
impl tsl_synth_agents::Oracle for Named<'_> {
    fn ask(
        &mut self,
        request: &tsl_synth_agents::OracleRequest,
    ) -> Result<tsl_synth_agents::OracleAnswer, tsl_synth_agents::OracleError> {
        let name = self.0.next().expect("an answer is left");
        if request.kind == tsl_synth_agents::AnswerKind::ChooseMany {
            let chosen = name.split(',').map(|one| request.choices.iter().position(|choice| choice == one));
            return Ok(tsl_synth_agents::OracleAnswer::Choices(
                chosen.map(|i| i.expect("an element")).collect(),
            ));
        }
        let found = request.choices.iter().position(|choice| choice == name);
        Ok(tsl_synth_agents::OracleAnswer::Choice(
            found.unwrap_or_else(|| panic!("{name}: {:?}", request.choices)),
        ))
    }
}

/// How a drive with these answers ends, and the steps of its plan.
fn scripted(plans: &Plans, answers: &[&str]) -> (DriveEnd, Vec<String>) {
    let budget = Budget::unlimited();
    let mut planner = plans.planner(PlanLength::Any, &budget);
    let mut oracle = Named(answers.iter());
    let (mut a, mut b, mut c, mut log) = (NoOracle, NoOracle, NoOracle, NoLog);
    let mut conversation = Conversation::new(&mut oracle, &mut a, &mut b, &mut c, &mut log, 1);
    let driven = tsl_synth_agents::plan::PlanDriver::new(&mut planner, DriveOptions::default())
        .run(&mut conversation)
        .expect("no limit");
    let texts = driven.order.iter().map(|&i| driven.nodes[i].text.clone()).collect();
    (driven.end, texts)
}

#[test]
fn the_risks_of_a_deal() {
    let plans = gallery("risk.cfg");
    let (end, steps) = scripted(
        &plans,
        &[
            "entitled: insufficient information",
            "pick liabilities",
            "liabilities: no",
            "pick cfius",
            "cfius: no",
            "antitrust: yes",
            "United States,China",
        ],
    );
    assert_eq!(end, DriveEnd::Plan);
    assert_eq!(steps.last().map(String::as_str), Some("pass the preliminary analysis"), "{steps:?}");
    assert!(steps.contains(&"regions: United States, China".to_string()), "{steps:?}");
    let (end, steps) = scripted(&plans, &["entitled: no"]);
    assert_eq!((end, steps.len()), (DriveEnd::Plan, 1));
    // The answer about the last topic can still end the deal.
    let (end, steps) = scripted(
        &plans,
        &["entitled: yes", "pick antitrust", "antitrust: no", "pick cfius", "cfius: no", "liabilities: yes"],
    );
    assert_eq!((end, steps.last().map(String::as_str)), (DriveEnd::Plan, Some("liabilities: yes")));
    let budget = Budget::unlimited();
    let word = ids(&plans, &["entitled: yes", "pass the preliminary analysis"]);
    assert_ne!(plans.planner(PlanLength::Any, &budget).check(&word).expect("no limit"), WordReport::Plan);
}

#[test]
fn what_a_step_needs_comes_before_it() {
    let plans = gallery("cooking.cfg");
    for rule in [(|_| 0) as fn(usize) -> usize, |n| n - 1] {
        let driven = drive(&plans, &mut By(rule), DriveOptions::default());
        assert_eq!(driven.end, DriveEnd::Plan);
        let place = |i: usize| driven.order.iter().position(|&j| j == i).expect("each step is carried out");
        for (i, node) in driven.nodes.iter().enumerate() {
            assert!(node.serves.is_none_or(|parent| place(i) < place(parent)), "{driven:?}");
        }
        let asked =
            &driven.taken.iter().find(|taken| taken.request.subject == "Mixture").expect("asked").request;
        for part in [
            "Task: Make a beef and broccoli dish",
            "Step n: Stir-fry the beef and broccoli mixture with the seasoning in a wok",
            "Step (n-2): ?",
            "To get the mixture of beef and broccoli for the step \"Stir-fry the beef",
            "1: Combine lightly cooked beef and lightly cooked broccoli in a wok\n2: Combine",
            "only an integer",
        ] {
            assert!(asked.prompt.contains(part), "{part}:\n{}", asked.prompt);
        }
    }
}

#[test]
fn a_tool_that_was_used_is_not_offered() {
    let plans = plans(
        "image.cfg",
        "S -> I\nI -> A I | C T | i\nT -> t\nA -> a1 | a2 | a3\nC -> c1\n%limit * 1\n%order execution\n%goal I \"the input image\"\n%label a2 \"Image Super Resolution\"\n",
        &[],
    );
    let mut script = Script::new(
        [1, 2]
            .map(|choice| Scripted {
                kind: None,
                subject: None,
                repeat: false,
                outcome: Ok(tsl_synth_agents::OracleAnswer::Choice(choice)),
            })
            .to_vec(),
    );
    let driven = drive(&plans, &mut script, DriveOptions::default());
    assert_eq!(driven_names(&plans, &driven), ["a2", "c1", "t"]);
    let second = &driven.taken[1].request;
    assert_eq!(second.choices, ["a1", "a3", "c1", "i"]);
    assert!(
        second.prompt.contains("To get the input image for the step \"Image Super Resolution\""),
        "{}",
        second.prompt
    );
}

#[test]
fn every_trip_under_the_whole_grammar_passes() {
    let budget = Budget::unlimited();
    let mut seen = 0;
    let settings = TravelSettings { trips: 3, seed: 7, ..TravelSettings::default() };
    let rows = travel(&settings, &budget, &mut |agent, query, judged| {
        if agent == Agent::Guarded {
            assert!(judged.passes(), "query {}: {judged:?}", query.id);
            seen += 1;
        }
    })
    .expect("no limit");
    assert!(seen >= 15, "only {seen} trips");
    let [free, flow, guarded] = &rows[..] else { panic!("{rows:?}") };
    assert!((guarded.delivery, guarded.passed) == (100.0, 100.0), "{guarded:?}");
    assert!(guarded.impossible >= 3, "some queries have no trip: {guarded:?}");
    assert!(free.passed < 50.0 && flow.passed < 100.0 && flow.delivery >= 100.0, "{free:?} {flow:?}");
}

/// The planner has a plan if and only if enumeration of all trips finds one within the budget.
#[test]
fn queries_without_a_trip_have_none() {
    let travel = Travel::ours().expect("the database can be read");
    let budget = Budget::unlimited();
    let mut without = 0;
    for query in travel.queries.iter().filter(|query| query.destinations.len() == 1) {
        let (text, laws) = travel_grammar(&travel, query, true);
        let laws: Vec<&str> = laws.iter().map(String::as_str).collect();
        let plans = plans("trip.cfg", &text, &laws);
        let possible = plans.planner(PlanLength::Any, &budget).has_plan().expect("no limit");
        without += usize::from(!possible);
        assert_eq!(
            possible,
            cheapest_trip(&travel, query).is_some_and(|cost| cost <= query.budget),
            "{query:?}"
        );
    }
    assert!(without >= 1, "each query has a trip");
}

/// The cost of the cheapest trip to one city that satisfies all constraints of the query but the budget.
fn cheapest_trip(travel: &Travel, query: &tsl_synth_experiments::travel::TravelQuery) -> Option<u32> {
    let city = travel.city(&query.destinations[0])?;
    let ways = |from: &str, to: &str| -> Vec<(String, u32)> {
        let legs = travel.legs(from, to).filter(|leg| query.forbidden.as_ref() != Some(&leg.kind));
        legs.map(|leg| (leg.kind.clone(), leg.price)).collect()
    };
    let mut best = None;
    for (out, there) in ways(&query.origin, &city.name) {
        for (back, home) in ways(&city.name, &query.origin) {
            let kinds = [out.as_str(), back.as_str()];
            if kinds.contains(&"flight") && kinds.contains(&"driving") {
                continue;
            }
            for hotel in city.hotels.iter().filter(|hotel| query.accepts(hotel)) {
                for left_out in 0..city.restaurants.len() {
                    let eaten: Vec<_> = city
                        .restaurants
                        .iter()
                        .enumerate()
                        .filter(|(i, _)| *i != left_out)
                        .map(|(_, one)| one)
                        .collect();
                    if query.cuisine.as_ref().is_some_and(|wish| eaten.iter().all(|one| one.cuisine != *wish))
                    {
                        continue;
                    }
                    let meals: u32 = eaten.iter().map(|one| one.price).sum();
                    let mut sights: Vec<u32> = city.attractions.iter().map(|one| one.price).collect();
                    sights.sort_unstable();
                    let cost = there + home + 2 * hotel.price + meals + sights[0] + sights[1];
                    best = Some(best.map_or(cost, |best: u32| best.min(cost)));
                }
            }
        }
    }
    best
}

#[test]
fn free_writing_fails_where_choosing_does_not() {
    let settings = OpenAgiSettings { plans: 20, ..OpenAgiSettings::default() };
    let rows = openagi(&settings, &Budget::unlimited()).expect("no limit");
    assert_eq!(rows.len(), TASKS.len() * MODELS.len());
    for row in &rows {
        assert!((row.guarded, row.backtracking) == (100.0, 100.0), "{row:?}");
        assert_eq!(row.configurations.1, if row.task == "Task 1" { 180 } else { 0 }, "{row:?}");
        assert!(row.free < 100.0, "{row:?}");
    }
}

#[test]
fn harmful_input_is_refused_or_read_and_never_a_panic() {
    let mut rng = Rng(433);
    let pieces = [
        "S",
        "->",
        "|",
        "ε",
        "(",
        ")",
        ",",
        "=",
        "\"",
        "%limit",
        "%start",
        "%accept",
        "%cost",
        "%subset",
        "#",
        "\n",
        " ",
        "a",
        "*",
        "99999999999",
        "1",
        "\u{0}",
        "é",
        "{",
        "%",
        "%order",
        "%require",
        "%budget",
        "T",
        "\\",
    ];
    let read = |text: String| {
        let budget = Budget::unlimited().with_work(200_000);
        let request = PlanRequest::new(Input::Text { name: "x.cfg".into(), text });
        if let Ok(plans) = Session::new().plans(&request) {
            let mut planner = plans.planner(PlanLength::AtMost(6), &budget);
            let _ = planner.count();
            let _ = planner.next(&[], true);
        }
    };
    for _ in 0..1_500 {
        let text: String = (0..rng.below(40))
            .map(|_| pieces[rng.below(pieces.len())])
            .collect::<Vec<_>>()
            .join(if rng.flip() { " " } else { "" });
        read(text);
    }
    for _ in 0..300 {
        let bytes: Vec<u8> = (0..rng.below(200)).map(|_| rng.draw() as u8).collect();
        read(String::from_utf8_lossy(&bytes).into_owned());
    }
    // Long bodies, long chains of rules, large numbers, and deep nesting.
    read(format!("S -> {}\n", "S ".repeat(30_000)));
    let chain: Vec<String> = (0..20_000).map(|i| format!("A{i} -> A{} x", i + 1)).collect();
    read(chain.join("\n"));
    read(
        "S -> a S | b\n%limit a 4294967295\n%require a 4294967295\n%cost a 4294967295\n%budget 4294967295\n"
            .into(),
    );
    read(format!("S -> {}\n", "(".repeat(50_000)));
    read(format!("S -> \"{}\n", "\\".repeat(50_000)));
    let elements: BTreeSet<String> = (0..70).map(|i| format!("e{i}")).collect();
    let many: Vec<String> = elements.into_iter().collect();
    read(format!("S -> s\n%subset s {}\n", many.join(" ")));
}

/// The grammar and the laws in the gallery are those that the experiment generates for query 2.
#[test]
fn the_trip_of_the_gallery_is_that_of_the_experiment() {
    let travel = Travel::ours().expect("the database can be read");
    let query = travel.queries.iter().find(|query| query.id == 2).expect("query 2");
    let (text, laws) = travel_grammar(&travel, query, true);
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("specs/plans/travel");
    let plans = gallery("travel/trip.cfg");
    assert!(plans.diagnostics.is_empty(), "{:?}", plans.diagnostics);
    for (name, found) in [("trip.cfg", text), ("trip.law", format!("{}\n", laws.join("\n")))] {
        let path = folder.join(name);
        if std::env::var_os("UPDATE_FIXTURES").is_some() {
            std::fs::write(&path, &found).expect("the gallery can be written");
        }
        assert_eq!(std::fs::read_to_string(&path).unwrap_or_default(), found, "{name}");
    }
}
