//! `experiment NAME` with files of one's own in the place of those of the gallery.

use super::{Folder, Run};
use std::path::Path;

/// A folder with these files of the gallery, by their paths below `specs`.
fn folder(paths: &[&str]) -> Folder {
    let folder = Folder::new();
    for path in paths {
        folder.file(path.rsplit('/').next().expect("a name"), text(path));
    }
    folder
}

fn text(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("specs").join(path);
    std::fs::read_to_string(path).expect("a file of the gallery")
}

fn experiment(folder: &Folder, args: &[&str]) -> Run {
    folder.run(["experiment"].iter().chain(args).chain(&["--progress", "never"]))
}

/// The row of a table.
fn row<'r>(run: &'r Run, name: &str) -> Vec<&'r str> {
    let line = run.out.lines().find(|line| line.starts_with(name));
    line.unwrap_or_else(|| panic!("{name}: {run:?}"))[name.len()..].split_whitespace().collect()
}

const WORLDS: [&str; 4] = [
    "worlds/warehouse.toml",
    "worlds/warehouse.world.toml",
    "worlds/kitchen.toml",
    "worlds/kitchen.world.toml",
];

#[test]
fn ltlcrit_is_played_in_a_world_of_ones_own() {
    let folder = folder(&WORLDS);
    for (env, rows) in [
        ("effects:warehouse.world.toml:all_boxes", ["first box", "goal"]),
        ("warehouse.world.toml:one_box", ["box in the gripper", "goal"]),
    ] {
        let call = ["ltlcrit", "--env", env, "--games", "2", "-o", "out"];
        let run = experiment(&folder, &call).exits(0);
        assert!(rows.iter().all(|name| run.out.contains(name)), "{env}: {run:?}");
        assert!(!run.out.contains("the paper"), "{run:?}");
        for actor in ["SayCan", "InnerMonologue"] {
            for laws in ["unguarded", "hard", "printed", "repaired", "mined"] {
                let row = row(&run, &format!("{actor}/{laws} "));
                assert_eq!(row.iter().filter(|cell| cell.ends_with("/2)")).count() * 2, row.len(), "{run:?}");
            }
            let below = run.out.split("percent of actions").nth(1).expect("the second table");
            let guarded =
                below.lines().find(|line| line.starts_with(&format!("{actor}/hard "))).expect("a row");
            assert_eq!(guarded.split_whitespace().nth(3), Some("0"), "no hard law is violated: {run:?}");
        }
        // What is there is not computed again; another world is.
        let again = experiment(&folder, &call).exits(0);
        assert!(again.err.contains("10 of 10 rows are there already") && again.out == run.out, "{again:?}");
    }
}

#[test]
fn the_safety_chip_takes_constraints_tasks_and_a_house_of_ones_own() {
    let gallery = ["policies/household.toml", "worlds/household.laws.toml", "worlds/household.world.toml"];
    let folder = folder(&gallery);
    let plain = experiment(&folder, &["safety-chip", "--games", "2"]).exits(0);
    // The files of the gallery by their names.
    let named = [
        "safety-chip",
        "--games",
        "2",
        "--spec",
        "household.toml",
        "--laws",
        "household.laws.toml",
        "--env",
        "household.world.toml",
    ];
    assert_eq!(experiment(&folder, &named).exits(0).out, plain.out);
    // One task, and a list of two constraints.
    folder.file(
        "laws.json",
        r#"[{"id": "no-bath", "ltl": "G !bathroom", "why": "Stay out of the bathroom."},
        {"id": "bed-first", "ltl": "(!kitchen) W bedroom"}]"#,
    );
    let call = ["safety-chip", "--env", "household:salmon", "--laws", "laws.json", "--games", "5"];
    let run = experiment(&folder, &call).exits(0);
    assert!(run.out.starts_with("1 tasks, 5 runs") && !run.out.contains("chip/3"), "{run:?}");
    assert_eq!(row(&run, "with the chip/2")[..2], ["1.00", "1.00"], "{run:?}");
    // Another house.
    let house = text("worlds/household.world.toml");
    let other = house.replace("[\"bathroom\", \"bedroom\"],", "").replace("\"plate\"", "\"dishes\"");
    folder.file("house.toml", other);
    let run = experiment(
        &folder,
        &["safety-chip", "--env", "house.toml:dishes", "--laws", "laws.json", "--games", "2"],
    );
    assert!(run.code == 0 && run.out.starts_with("1 tasks"), "{run:?}");
}

#[test]
fn the_other_experiments_take_specifications_questions_and_databases() {
    let folder = folder(&[
        "agents/react.agent",
        "agents/wiki.toml",
        "plans/openagi_task1.cfg",
        "plans/travel/database.json",
        "adventure/story.tsl",
    ]);
    for name in ["port_alder", "mount_corra"] {
        folder.file(&format!("wiki/{name}.txt"), text(&format!("agents/wiki/{name}.txt")));
    }
    let run = experiment(&folder, &["openagi", "--spec", "openagi_task1.cfg", "--games", "3"]).exits(0);
    assert!(run.out.contains("openagi_task1/weak") && !run.out.contains("Task 2"), "{run:?}");
    let database = text("plans/travel/database.json");
    let mut value: serde_json::Value = serde_json::from_str(&database).expect("JSON");
    value["queries"].as_array_mut().expect("a list").truncate(1);
    folder.file("one.json", value.to_string());
    let run = experiment(&folder, &["travel", "--tasks", "one.json", "--games", "2", "-o", "out"]).exits(0);
    let rows = std::fs::read_to_string(folder.path().join("out/travel.csv")).expect("a table");
    assert!(run.out.contains("ours, free") && rows.lines().any(|line| line.contains(",2,")), "{rows}");
    let call = ["react", "--spec", "react.agent", "--tasks", "wiki.toml", "--games", "4"];
    let run = experiment(&folder, &call).exits(0);
    assert_eq!(run.out, experiment(&folder, &["react", "--games", "4"]).exits(0).out);
    let fewer = experiment(&folder, &["react", "--env", "wiki", "--games", "40"]).exits(0);
    assert_ne!(fewer.out, experiment(&folder, &["react", "--games", "40"]).exits(0).out);
    let run = experiment(&folder, &["adventure", "--spec", "story.tsl", "--games", "2"]).exits(0);
    assert!(run.out.contains("\nstory ") && run.out.contains("task story, percent"), "{run:?}");
}

#[test]
fn wrong_files_are_named_with_the_reason() {
    let folder = folder(&WORLDS);
    folder.file("own.toml", "world = 1\neffects = \"own\"\nfacts = [\"wet\"]\n[[action]]\nname = \"swim\"\n");
    folder.file("bad.toml", "policy = 1\n[propositions]\np = {}\n[[law]]\nid = \"a\"\nltl = \"G (q)\"\n");
    folder.file("bad.tsl", "always guarantee {");
    folder.file("laws.toml", "[tasks]\nsalmon = [\"x\"]\n[[law]]\nid = \"y\"\nltl = \"true\"\n");
    folder.file("tasks.toml", "[tasks]\nlaundry = []\n[[law]]\nid = \"y\"\nltl = \"true\"\n");
    folder.file("names.json", "[{\"id\": \"y\", \"ltl\": \"G !attic\"}]");
    std::fs::create_dir(folder.path().join("empty")).expect("a folder");
    for (args, why) in [
        (&["ltlcrit", "--env", "none.toml"][..], "a world is `inventory`, `household`, or a world file"),
        (&["ltlcrit", "--env", "effects:none.toml"], "cannot read `none.toml`"),
        (&["ltlcrit", "--env", "warehouse.world.toml:two"], "it has one_box, all_boxes"),
        (&["ltlcrit", "--env", "own.toml"], "the world names no policy: `--spec FILE`"),
        (&["ltlcrit", "--env", "own.toml", "--spec", "warehouse.toml"], "or write `tells = false` there"),
        (&["ltlcrit", "--spec", "bad.toml"], "`bad.toml`: "),
        (&["ltlcrit", "--spec", "none.toml"], "cannot read `none.toml`"),
        (&["ltlcrit", "--spec", "warehouse.toml", "--spec", "kitchen.toml"], "one file is expected"),
        (&["ltlcrit", "--tasks", "laws.toml"], "`--tasks` is not about the experiment `ltlcrit`"),
        (&["safety-chip", "--laws", "laws.toml"], "there is no law `x`, which task `salmon` names"),
        (&["safety-chip", "--laws", "tasks.toml"], "no task `laundry`; it has salmon"),
        (&["safety-chip", "--laws", "names.json"], "`attic`"),
        (&["openagi", "--spec", "bad.tsl"], "`bad.tsl`: "),
        (&["openagi", "--env", "inventory"], "`--env` is not about the experiment `openagi`"),
        (&["travel", "--tasks", "names.json"], "there is no list `cities`"),
        (&["react", "--tasks", "laws.toml"], "`laws.toml`: "),
        (&["react", "--env", "empty"], "has no articles"),
        (&["react", "--env", "nowhere"], "cannot read the articles of `nowhere`"),
        (&["adventure", "--spec", "bad.tsl"], "`{` is not closed"),
    ] {
        let run = experiment(&folder, &[args, &["--games", "1"]].concat());
        assert_eq!(run.code, 2, "{args:?}: {run:?}");
        assert!(run.err.contains(why), "{args:?}: {run:?}");
    }
}

/// An experiment that is refused leaves nothing, and what was there before stays.
#[test]
fn a_refused_experiment_leaves_no_files() {
    let folder = folder(&WORLDS);
    folder.file("plain.tsl", "always guarantee { a -> [x <- f(y)]; }\n");
    folder.file("bad.tsl", "always guarantee {");
    for spec in ["plain.tsl", "bad.tsl"] {
        let call = ["adventure", "--spec", spec, "--games", "1", "-o", "out"];
        experiment(&folder, &call).exits(2);
        assert!(!folder.path().join("out").exists(), "{spec}");
        folder.file("out/adventure.rows.jsonl", "{\"settings\": \"others\"}\n");
        folder.file("out/notes.txt", "mine");
        experiment(&folder, &call).exits(2);
        let kept = std::fs::read_to_string(folder.path().join("out/adventure.rows.jsonl"));
        assert_eq!(kept.expect("the file stays"), "{\"settings\": \"others\"}\n", "{spec}");
        std::fs::remove_dir_all(folder.path().join("out")).expect("the folder can be removed");
    }
}
