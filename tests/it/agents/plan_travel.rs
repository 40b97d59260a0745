//! Items of TravelPlanner as grammars, and the judgment of plans, which does not use the grammars.

use super::plan::{By, drive, driven_names, plans};
use serde_json::{Value, json};
use std::path::Path;
use tsl_synth_agents::Oracle;
use tsl_synth_agents::plan::{DriveEnd, DriveOptions};
use tsl_synth_agents::tool_list::{tool_list, tools_grammar};
use tsl_synth_agents::travel_planner::{TravelItem, judge, travel_grammar, travel_items, travel_plans};

fn items() -> Vec<TravelItem> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/papers/travelplanner");
    ["items.jsonl", "item.csv"]
        .iter()
        .flat_map(|name| {
            let text = std::fs::read_to_string(folder.join(name)).expect("a file of ours");
            travel_items(&text).unwrap_or_else(|why| panic!("{name}: {why}"))
        })
        .collect()
}

#[test]
fn items_are_read_with_all_their_tables() {
    let items = items();
    let shape: Vec<(u32, u32, u32)> =
        items.iter().map(|item| (item.days, item.cities, item.people)).collect();
    assert_eq!(shape, [(3, 1, 1), (5, 2, 2), (3, 1, 2), (7, 3, 3)]);
    for item in &items {
        let cities = item.cities as usize;
        assert!(item.restaurants.len() >= 9 * cities && item.attractions.len() >= 3 * cities, "{item:?}");
        assert!(item.accommodations.len() >= 6 * cities && !item.flights.is_empty(), "{item:?}");
        assert_eq!(item.rides.len(), 2 * (cities + 1) * cities);
        assert!(item.restaurants.iter().all(|one| (10..99).contains(&one.cost) && !one.cuisines.is_empty()));
        assert!(item.accommodations.iter().all(|one| one.occupancy >= 1 && one.price >= 50));
        assert!(item.flights.iter().all(|one| item.dates.contains(&one.date) && one.number.starts_with('F')));
    }
    // A name with a comma is in a column of its own.
    assert!(items.iter().flat_map(|item| &item.restaurants).any(|one| one.name.ends_with("House, & Sons")));
    assert_eq!(items[1].constraint.cuisine, ["Thai", "French"]);
    for wrong in ["{}", "[1]", "a,b\n1,2\n", "[{\"org\": \"A\"}]"] {
        assert!(travel_items(wrong).is_err(), "{wrong}");
    }
    // A table whose columns cannot be told apart is not one without rows.
    let mut item = small();
    item["reference_information"][0]["Content"] = "Name City Cuisines\nThe Inn Alder Thai\n".into();
    let why = travel_items(&item.to_string()).expect_err("no columns");
    assert!(why.contains("no row of the table is read"), "{why}");
}

/// The document of a driver with these steps.
fn document(names: &[String]) -> String {
    let steps: Vec<Value> = names.iter().map(|name| json!({ "step": name, "text": name })).collect();
    json!({ "answer": "plan", "plans": [steps] }).to_string()
}

#[test]
fn every_trip_of_a_grammar_keeps_all_constraints() {
    let (mut with, mut without) = (0, 0);
    for item in items() {
        let text = travel_grammar(&item);
        let plans = plans("trip.cfg", &text, &[]);
        let (mut first, mut last, mut some) = (By(|_| 0), By(|n| n - 1), By(|n| n * 7 / 11));
        let oracles: [&mut dyn Oracle; 3] = [&mut first, &mut last, &mut some];
        for oracle in oracles {
            let driven = drive(&plans, oracle, DriveOptions::default());
            if driven.end == DriveEnd::NoPlan {
                without += 1;
                continue;
            }
            assert_eq!((&driven.end, driven.backtracks), (&DriveEnd::Plan, 0), "{text}");
            let names = driven_names(&plans, &driven);
            let days = travel_plans(&document(&names)).expect("days").remove(0);
            let judgment = judge(&item, &days);
            assert!(judgment.passes(), "{judgment:?}\n{names:?}");
            let cost: u64 = driven
                .nodes
                .iter()
                .map(|node| u64::from(plans.grammar.terminals[node.step.terminal].cost))
                .sum();
            assert_eq!(cost, judgment.cost, "{names:?}");
            with += 1;
        }
    }
    assert!(with >= 6 && without >= 3, "{with} {without}");
}

/// A small item: two cities, one of them the origin.
fn small() -> Value {
    json!({
        "org": "A", "dest": "B", "days": 3, "visiting_city_number": 1, "people_number": 2, "budget": 1000,
        "date": ["2022-03-01", "2022-03-02", "2022-03-03"],
        "local_constraint": "{'house rule': 'pets', 'cuisine': ['Thai'], 'room type': 'private room', 'transportation': 'no self-driving'}",
        "reference_information": [
            {"Description": "Attractions in B", "Content": [{"Name": "Zoo"}, {"Name": "Park"}]},
            {"Description": "Restaurants in B", "Content":
                "Name  Average Cost           Cuisines\n  R1            10  Thai, Vietnamese\n  R2            20           Italian\n  R3            30           Italian\n  R4            10           Italian\n  R5            10           Italian\n  R6            10           Italian"},
            {"Description": "Accommodations in B", "Content": [
                {"NAME": "Inn", "price": "$100", "room type": "Private room", "house_rules": "No smoking", "minimum nights": 2, "maximum occupancy": 1},
                {"NAME": "Den", "price": 50, "room type": "Shared room", "house_rules": "No pets", "minimum nights": 3, "maximum occupancy": 2}]},
            {"Description": "Flight from A to B on 2022-03-01", "Content": [{"Flight Number": "F1", "Price": 70}]},
            {"Description": "Flight from B to A on 2022-03-03", "Content": "There is no flight."},
            {"Description": "Self-driving from B to A", "Content": "self-driving, from B to A, cost: 40"},
            {"Description": "Taxi from B to A", "Content": "taxi, from B to A, duration: 1 hour, cost: 90"}
        ]
    })
}

fn good() -> Value {
    json!([
        {"days": 1, "current_city": "from A to B", "transportation": "Flight Number: F1, from A to B, Departure Time: 1", "breakfast": "-", "attraction": "Zoo, B;", "lunch": "R1, B", "dinner": "R2, B", "accommodation": "Inn, B"},
        {"days": 2, "current_city": "B", "transportation": "-", "breakfast": "R3, B", "attraction": "Park, B;", "lunch": "R4, B", "dinner": "R5, B", "accommodation": "Inn, B"},
        {"days": 3, "current_city": "from B to A", "transportation": "Taxi, from B to A, duration: 1 hour", "breakfast": "R6, B", "attraction": "-", "lunch": "-", "dinner": "-", "accommodation": "-"}
    ])
}

#[test]
fn each_constraint_is_judged() {
    let item = travel_items(&small().to_string()).expect("an item").remove(0);
    let judged = |days: &Value| {
        let days = travel_plans(&days.to_string()).expect("days").remove(0);
        judge(&item, &days)
    };
    let right = judged(&good());
    assert!(right.passes(), "{right:?}");
    // 2 flights of 70, a taxi of 90, two rooms for two nights, meals for two.
    assert_eq!(right.cost, 140 + 90 + 400 + 2 * (10 + 20 + 30 + 10 + 10 + 10));
    let cases = [
        ("within sandbox", "/1/lunch", "R9, B"),
        ("complete information", "/1/dinner", "-"),
        ("within current city", "/0/lunch", "R1, C"),
        ("reasonable city route", "/2/current_city", "from B to C"),
        ("diverse restaurants", "/1/lunch", "R1, B"),
        ("diverse attractions", "/1/attraction", "Zoo, B"),
        ("non-conflicting transportation", "/2/transportation", "Self-driving, from B to A, cost: 40"),
        ("minimum nights stay", "/1/accommodation", "Den, B"),
        ("budget", "/0/lunch", "R9, B"),
        ("room rule", "/1/accommodation", "Den, B"),
        ("room type", "/1/accommodation", "Den, B"),
        ("cuisine", "/0/lunch", "-"),
        ("transportation", "/2/transportation", "Self-driving, from B to A, cost: 40"),
    ];
    for (constraint, at, to) in cases {
        let mut days = good();
        *days.pointer_mut(at).expect("a field") = to.into();
        let judgment = judged(&days);
        let all = judgment.commonsense.iter().chain(&judgment.hard);
        let wrong: Vec<&str> = all.filter(|one| one.wrong.is_some()).map(|one| one.constraint).collect();
        assert!(wrong.contains(&constraint), "{constraint}: {wrong:?}");
    }
    assert!(!judged(&json!([])).passes() && judged(&json!([])).hard.iter().all(|one| one.wrong.is_some()));
    // The forms of files: with the query before it, in an object, as text.
    let annotated = json!({ "annotated_plan": [{ "org": "A" }, good()] });
    let text = json!({ "plan": good().to_string() });
    assert!(judged(&annotated).passes() && judged(&text).passes());
    // The item has exactly the trips that the judge accepts: one bed, one way each, five meals and R1 among them.
    let plans = plans("trip.cfg", &travel_grammar(&item), &[]);
    let budget = tsl_synth_core::base::Budget::unlimited();
    let count = plans.planner(tsl_synth_agents::plan::PlanLength::Any, &budget).count().expect("small");
    assert_eq!(count.words.expect("finite").to_string(), (6 * 5 * 4 * 3 * 2 * 2).to_string());
}

#[test]
fn tools_become_grammars() {
    let csv = "name,input,output\nVQA,image+text,text\nCaption,image,text\nBlur,image,image\n";
    let json = r#"{"VQA": {"Input Modality": ["image", "text"], "Output Modality": "text"}, "Caption": {"input": "image", "output": "text"}, "Blur": {"input": "image", "output": "image"}}"#;
    for text in [csv, json] {
        let mut tools = tool_list(text).expect("tools");
        tools.sort_by(|a, b| b.name.cmp(&a.name));
        assert_eq!(tools[0].inputs, ["image", "text"]);
        let grammar = tools_grammar(&tools, &["image".into()], "text").expect("a grammar");
        let plans = plans("tools.cfg", &grammar, &[]);
        let budget = tsl_synth_core::base::Budget::unlimited();
        let count = plans.planner(tsl_synth_agents::plan::PlanLength::Any, &budget).count().expect("small");
        // Caption of the image; VQA of image and caption; Blur before one of the images or nowhere.
        assert_eq!(count.words.expect("finite").to_string(), "5");
    }
    assert!(tool_list("name,input\na,b\n").is_err_and(|why| why.contains("output")));
    let tools = tool_list(csv).expect("tools");
    assert!(tools_grammar(&tools, &["sound".into()], "text").is_err_and(|why| why.contains("`sound`")));
}
