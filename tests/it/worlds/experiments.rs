//! `experiment ltlcrit` and `experiment safety-chip`: with few games, the results are ordered as in the papers.

#![expect(clippy::float_cmp, reason = "counts, and shares that are 0 or 1, are exact")]

use super::{edited, file, loaded};
use std::collections::BTreeMap;
use tsl_synth_experiments::{
    Experiment, Household, Ltlcrit, NamedText, PlayedWorld, Replaced, Row, SafetyChip, read_laws,
};

fn rows(experiment: &dyn Experiment, parts: &[&str]) -> BTreeMap<String, Row> {
    let known = experiment.parts();
    let run = |part: &&str| {
        assert!(known.iter().any(|own| own == part), "{part}: {known:?}");
        let row = experiment.run(part).unwrap_or_else(|failure| panic!("{part}: {}", failure.reason()));
        ((*part).to_string(), row)
    };
    parts.iter().map(run).collect()
}

#[test]
fn mined_laws_help_in_games_that_they_were_not_mined_from() {
    let ltlcrit = Ltlcrit { games: 2, ..Ltlcrit::default() };
    let parts = ["SayCan/hard", "SayCan/mined"];
    let rows = rows(&ltlcrit, &parts);
    let of = |part: &str, column: &str| rows[part].get(column);
    assert_eq!(of("SayCan/hard", "wooden tool in"), 0.0);
    assert_eq!(of("SayCan/mined", "wooden tool in"), 2.0, "{:?}", rows["SayCan/mined"]);
    assert!(of("SayCan/mined", "stone tool in") >= 1.0, "{:?}", rows["SayCan/mined"]);
    for column in ["hard laws violated", "conflicting pairs", "over-constrained per game"] {
        assert_eq!(of("SayCan/mined", column), 0.0, "{column}");
    }
}

#[test]
fn the_way_to_a_diamond_has_the_order_of_the_paper() {
    let ltlcrit = Ltlcrit { games: 3, ..Ltlcrit::default() };
    let parts = [
        "SayCan/unguarded",
        "SayCan/hard",
        "SayCan/printed",
        "SayCan/repaired",
        "InnerMonologue/unguarded",
        "InnerMonologue/printed",
        "InnerMonologue/repaired",
    ];
    let rows = rows(&ltlcrit, &parts);
    let of = |part: &str, column: &str| rows[part].get(column);
    // SayCan reaches no diamond alone or with the hard laws only; with the laws of the critic it always does.
    for part in ["SayCan/unguarded", "SayCan/hard"] {
        assert_eq!(of(part, "diamond in"), 0.0, "{part}");
    }
    for part in ["SayCan/printed", "SayCan/repaired"] {
        assert_eq!(of(part, "diamond in"), 3.0, "{part}: {:?}", rows[part]);
    }
    // With the laws, InnerMonologue is faster and fails less often.
    let (alone, guarded) = ("InnerMonologue/unguarded", "InnerMonologue/printed");
    for tool in ["wooden tool", "stone tool"] {
        assert!(of(guarded, tool) <= of(alone, tool), "{tool}");
    }
    assert!(of(guarded, "diamond in") >= of(alone, "diamond in"));
    assert!(of(guarded, "failed %") < of(alone, "failed %"));
    assert!(of(guarded, "refused %") > 0.0);
    // Hard laws are violated only without the gate.
    assert!(of(alone, "hard laws violated") > 0.0);
    for part in parts.iter().filter(|part| !part.ends_with("unguarded")) {
        assert_eq!(of(part, "hard laws violated"), 0.0, "{part}");
    }
    // The printed laws conflict with each other, the repaired ones do not.
    assert_eq!(of("SayCan/printed", "conflicting pairs"), 32.0);
    assert_eq!(of("InnerMonologue/printed", "conflicting pairs"), 34.0);
    assert!(of("SayCan/printed", "over-constrained per game") > 0.0);
    for part in ["SayCan/repaired", "InnerMonologue/repaired"] {
        assert_eq!(of(part, "conflicting pairs"), 0.0, "{part}");
        assert_eq!(of(part, "over-constrained per game"), 0.0, "{part}");
    }
    let report = ltlcrit.report(&parts.iter().map(|part| rows[*part].clone()).collect::<Vec<_>>());
    assert!(report.text.contains("SayCan + LTLCrit") && report.chart.is_some());
    let again =
        ltlcrit.run("InnerMonologue/printed").unwrap_or_else(|failure| panic!("{}", failure.reason()));
    assert_eq!(again, rows[guarded]);
}

#[test]
fn laws_of_a_critic_are_two_more_rows() {
    let laws = r#"[{"law_id": "wood", "law": "G(!obs_has_log & !obs_has_plank -> X(action_mine_log))", "explanation": "Wood first."},
        {"law_id": "no-diamonds", "law": "G(!obs_has_iron_pickaxe -> X(!action_explore_diamond_down))", "explanation": ""}]"#;
    let critic = Some(read_laws(laws).expect("laws"));
    let ltlcrit = Ltlcrit { games: 2, steps: 40, critic, ..Ltlcrit::default() };
    assert_eq!(ltlcrit.parts().iter().filter(|part| part.ends_with("/critic")).count(), 2);
    let row = ltlcrit.run("SayCan/critic").unwrap_or_else(|failure| panic!("{}", failure.reason()));
    assert_eq!((row.get("wooden tool in"), row.get("hard laws violated")), (2.0, 0.0));
    assert_eq!(Ltlcrit::default().parts().iter().filter(|part| part.ends_with("/critic")).count(), 0);
    for bad in ["", "{}", "[{}]", "[{\"law\": 1}]", "3"] {
        assert!(read_laws(bad).is_err(), "{bad}");
    }
    // A law with names that do not exist is an error of the input, not of the program.
    let unknown = read_laws(r#"[{"law": "G(obs_has_wings -> X(action_fly))"}]"#).expect("a law");
    let ltlcrit = Ltlcrit { games: 1, critic: Some(unknown), ..Ltlcrit::default() };
    assert!(ltlcrit.run("SayCan/critic").is_err());
}

#[test]
fn constraints_are_kept_with_the_chip_and_not_without() {
    let chip = SafetyChip { runs: 6, ..SafetyChip::default() };
    let parts = [
        "without the chip/0",
        "without the chip/2",
        "without the chip/5",
        "with the chip/0",
        "with the chip/2",
        "with the chip/5",
    ];
    let rows = rows(&chip, &parts);
    let of = |part: &str, column: &str| rows[part].get(column);
    assert_eq!(of("without the chip/0", "kept"), 1.0);
    assert!(of("without the chip/2", "kept") > of("without the chip/5", "kept"), "{rows:?}");
    for part in ["with the chip/0", "with the chip/2", "with the chip/5"] {
        assert_eq!(of(part, "kept"), 1.0, "{part}");
        assert!(of(part, "success") >= 0.9, "{part}: {:?}", rows[part]);
    }
    let report = chip.report(&parts.iter().map(|part| rows[*part].clone()).collect::<Vec<_>>());
    assert!(report.text.contains("with the chip/5") && report.chart.is_some());
}

#[test]
fn every_task_can_be_done_under_all_its_constraints() {
    // A model that makes no errors and heeds the constraints.
    let rates =
        tsl_synth_agents::world::LawRates { overlook: 0.0, distracted: 0.0, careless: 0.0, heed: 1.0 };
    let chip = SafetyChip { runs: 1, rates, ..SafetyChip::default() };
    for count in 0..=5 {
        let without = chip
            .run(&format!("without the chip/{count}"))
            .unwrap_or_else(|failure| panic!("{}", failure.reason()));
        assert_eq!((without.get("success and kept"), without.get("failed %")), (1.0, 0.0), "{count}");
        let with = chip
            .run(&format!("with the chip/{count}"))
            .unwrap_or_else(|failure| panic!("{}", failure.reason()));
        assert_eq!((with.get("success"), with.get("kept")), (1.0, 1.0), "{count}");
    }
    let household = Household::gallery().unwrap_or_else(|failure| panic!("{}", failure.reason()));
    assert_eq!((household.tasks().len(), household.most()), (5, 5));
    for task in household.tasks() {
        let five = household.constraints(&task.name, 5);
        assert_eq!(five.len(), 5, "{}", task.name);
        let policy = loaded("household.json", &household.policy(five));
        assert!(five.iter().all(|own| policy.compiled.policy.laws.iter().any(|law| law.id == own.id)));
        // The map and the five constraints, and no others.
        assert_eq!(policy.compiled.policy.laws.len(), 6 + 5);
    }
}

#[test]
fn other_policies_and_worlds_are_played() {
    let named = |path: &str| NamedText { name: path.to_owned(), text: file(path) };
    let laws = r#"[{"law_id": "wood", "law": "G(!obs_has_log & !obs_has_plank -> X(action_mine_log))"}]"#;
    let laws = Some(NamedText { name: "laws.json".into(), text: laws.into() });
    // A policy of one's own in the world of the paper, with laws of a critic: the rows are those of the paper.
    let specs = vec![named("policies/saycan.json")];
    let files = Replaced { specs, laws: laws.clone(), ..Replaced::default() };
    let few = || Ltlcrit { games: 1, steps: 40, ..Ltlcrit::default() };
    let own = few().with_files(&files).expect("files of the gallery");
    let paper = few().with_files(&Replaced { laws, ..Replaced::default() }).expect("laws");
    for part in ["SayCan/critic", "InnerMonologue/hard"] {
        let rows = [&own, &paper].map(|one| one.run(part).unwrap_or_else(|failure| panic!("{failure:?}")));
        for column in ["failed %", "refused %", "hard laws violated", "conflicting pairs"] {
            assert_eq!(rows[0].get(column), rows[1].get(column), "{part}: {column}");
        }
        assert_eq!(rows[0].get("wooden pickaxe in"), rows[1].get("wooden tool in"), "{part}");
    }
    // A world with places and things, whose actions are calls of one tool.
    let world = PlayedWorld {
        spec: edited("kitchen", &[]),
        task: None,
        env: "kitchen.world.toml".into(),
        policy: Some(named("worlds/kitchen.toml")),
        identity: String::new(),
    };
    let files = Replaced { world: Some(world), ..Replaced::default() };
    let own = Ltlcrit { games: 3, ..Ltlcrit::default() }.with_files(&files).expect("a world and its policy");
    for part in ["SayCan/hard", "InnerMonologue/unguarded", "InnerMonologue/repaired"] {
        let row = own.run(part).unwrap_or_else(|failure| panic!("{failure:?}"));
        assert_eq!((row.get("goal in"), row.get("milk in the fridge in")), (3.0, 3.0), "{row:?}");
        assert!(part.ends_with("unguarded") || row.get("hard laws violated") == 0.0, "{row:?}");
    }
}
