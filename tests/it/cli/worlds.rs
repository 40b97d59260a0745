//! Worlds of one's own, tools, thoughts and whole plans of actors, and the critic in turn with an actor.

use super::{Folder, Run};
use std::path::Path;

fn folder() -> Folder {
    let folder = Folder::new();
    let specs = Path::new(env!("CARGO_MANIFEST_DIR")).join("specs");
    for name in ["worlds/warehouse.toml", "worlds/warehouse.world.toml", "policies/household.toml"] {
        let text = std::fs::read_to_string(specs.join(name)).expect("a file of the gallery");
        folder.file(name.rsplit_once('/').expect("a folder").1, text);
    }
    folder
}

fn gallery(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("specs/worlds").join(name);
    std::fs::read_to_string(path).expect("a file of the gallery")
}

fn agent(folder: &Folder, more: &[&str]) -> Run {
    folder.run(std::iter::once(&"agent").chain(more))
}

const ONE_BOX: [&str; 4] = ["--env", "effects:warehouse.world.toml:one_box", "--oracle", "sim"];

#[test]
fn a_world_file_is_played_recorded_and_replayed() {
    let folder = folder();
    for actor in ["monologue", "score", "plan"] {
        for seed in ["0", "1", "2", "3"] {
            let more = ["--actor", actor, "--seed", seed, "--record", "run.jsonl"];
            let run = agent(&folder, &[&["warehouse.toml"], &ONE_BOX[..], &more].concat()).exits(0);
            assert!(run.out.contains("reached:  box in the gripper"), "{actor} {seed}: {run:?}");
            assert!(run.err.contains("the goal is reached"), "{actor} {seed}: {run:?}");
            agent(&folder, &["--replay", "run.jsonl", "-q"]).exits(0);
        }
    }
    // The same seed, the same run.
    let call = [&["warehouse.toml"], &ONE_BOX[..], &["--seed", "5"]].concat();
    assert_eq!(agent(&folder, &call).out, agent(&folder, &call).out);
}

#[test]
fn wrong_worlds_are_refused_with_the_reason() {
    let folder = folder();
    folder.file("bad.toml", "world = 1\npolicy = \"warehouse.toml\"\nbegin = [\"at_dok\"]\n");
    folder.file("lost.toml", "world = 1\npolicy = \"none.toml\"\n");
    folder.file("broken.toml", "world = = 1\n");
    for (env, why) in [
        ("effects:none.toml", "cannot read `none.toml`"),
        ("effects:warehouse.world.toml:two", "it has one_box, all_boxes"),
        ("effects:bad.toml", "is `at_dock` meant?"),
        ("effects:lost.toml", "cannot read `none.toml`"),
        ("effects:broken.toml", "line 1"),
        ("household:attic", "it has salmon, toilet, television, book, plate"),
        ("inventory:gold", "it has diamond"),
        ("warehouse.world.toml:two", "it has one_box, all_boxes"),
        ("tools:none.toml", "cannot read `none.toml`"),
    ] {
        let run = agent(&folder, &["warehouse.toml", "--env", env, "--oracle", "sim"]).exits(2);
        assert!(run.err.contains(why), "{env}: {run:?}");
    }
    // A world of other names.
    let run = agent(&folder, &["household.toml", "--env", "effects:warehouse.world.toml", "--oracle", "sim"]);
    assert!(run.code == 1 && run.err.contains("no proposition and no action"), "{run:?}");
}

#[test]
fn thoughts_are_kept_and_shown_again() {
    let folder = folder();
    let script = "{\"answer\":{\"thought\":\"First the bedroom.\",\"choice\":2}}\n{\"answer\":4}\n";
    folder.file("script.jsonl", script);
    let call = ["household.toml", "--env", "household:toilet", "--oracle", "script:script.jsonl"];
    let run = agent(&folder, &[&call[..], &["--turns", "2", "--record", "run.jsonl"]].concat());
    assert!(run.out.contains("thought:  First the bedroom."), "{run:?}");
    let record = std::fs::read_to_string(folder.path().join("run.jsonl")).expect("a record");
    let asked = record.lines().filter(|line| line.contains("What do you do next?"));
    let asked: Vec<&str> = asked.collect();
    assert!(asked.len() == 2 && asked[1].contains("Thought: First the bedroom."), "{record}");
    agent(&folder, &["--replay", "run.jsonl", "-q"]).exits(0);
}

#[test]
fn whole_plans_are_judged_before_anything_is_done() {
    let folder = folder();
    let plan = |lines: &[&str]| {
        serde_json::json!({ "subject": "plan", "answer": lines.join("\n") }).to_string() + "\n"
    };
    let hasty = plan(&["walk to bathroom", "walk to toilet", "sit on toilet", "DONE"]);
    let unfinished = plan(&["walk to bedroom", "walk to living room", "walk to bathroom", "DONE"]);
    let good = plan(&[
        "1. walk to bedroom",
        "2. walk to living room",
        "3. walk to bathroom",
        "4. walk to toilet",
        "5. sit on toilet",
        "6. walk to kitchen",
        "DONE",
    ]);
    folder.file("script.jsonl", hasty + &unfinished + &good);
    let call =
        ["household.toml", "--env", "household:toilet", "--oracle", "script:script.jsonl", "--rollout"];
    let run = agent(&folder, &[&call[..], &["--record", "run.jsonl"]].concat()).exits(0);
    let refused: Vec<&str> =
        run.out.lines().filter_map(|line| line.trim().strip_prefix("refused:")).collect();
    assert_eq!(refused.len(), 2, "{run:?}");
    assert!(refused[0].contains("line 1, walk to bathroom (by living-before-bathroom)"), "{run:?}");
    assert!(refused[1].contains("line 4, DONE (by living-then-kitchen)"), "{run:?}");
    let done: Vec<&str> = run.out.lines().filter_map(|line| line.trim().strip_prefix("done:")).collect();
    assert_eq!((done.len(), done[0].trim()), (7, "walk to bedroom"), "{run:?}");
    agent(&folder, &["--replay", "run.jsonl", "-q"]).exits(0);
    // A plan with a line that is no action is asked for again.
    folder.file("script.jsonl", plan(&["fly"]) + &plan(&["walk to the moon"]));
    let run = agent(&folder, &[&call[..], &["--attempts", "2"]].concat()).exits(1);
    assert!(run.err.contains("`walk to the moon` is none of the actions"), "{run:?}");
    let run = agent(&folder, &[&call[..], &["--actor", "score"]].concat()).exits(2);
    assert!(run.err.contains("cannot be used with"), "{run:?}");
}

#[test]
fn behaviors_use_the_tools_of_a_file() {
    let folder = Folder::new();
    let specs = Path::new(env!("CARGO_MANIFEST_DIR")).join("specs/agents");
    let tools = format!("tools:{}", specs.join("tools.toml").display());
    let behavior = specs.join("react.agent").display().to_string();
    let says = |text: &str| serde_json::json!({ "answer": text }).to_string() + "\n";
    folder.file(
        "script.jsonl",
        says(" I look it up.\nAction:")
            + &says(" Search\nAction Input:")
            + &says(" Mount Corra\nObservation:")
            + &says(" I know it.\nFinal Thought:")
            + &says(" It is there.\nAnswer:")
            + &says(" 2318 meters"),
    );
    let call = ["--env", &tools, "--oracle", "script:script.jsonl", "--task", "Question: How high?"];
    let run = agent(&folder, &[&[behavior.as_str()], &call[..]].concat());
    let found =
        "Observation: Mount Corra is the highest mountain of Varn. Its summit is 2318 meters above the sea.";
    assert!(run.out.contains(found), "{run:?}");
    // A program, and one that fails.
    folder
        .file("own.toml", "tools = 1\n[tool.Search]\ncmd = \"tr a-z A-Z\"\n[tool.Lookup]\ncmd = \"false\"\n");
    let call =
        ["--env", "tools:own.toml", "--oracle", "script:script.jsonl", "--task", "Question: How high?"];
    let run = agent(&folder, &[&[behavior.as_str()], &call[..]].concat());
    assert!(run.out.contains("Observation: MOUNT CORRA"), "{run:?}");
}

const BEFORE: &str = "policy = 1\nname = \"rest\"\ntiming = \"next\"\nidle = false\nlook_ahead = false\n\
    [propositions]\ntired = {}\ndone = {}\n\
    [actions]\ngroups = [[\"work\", \"rest\"]]\n\
    [actions.effects]\nwork = { may_set = [\"tired\"], sets = [\"done\"] }\nrest = { clears = [\"tired\"] }\n\
    [[law]]\nid = \"no-work-tired\"\nltl = \"G (tired -> X !work)\"\n\
    [[law]]\nid = \"never-rest\"\nkind = \"soft\"\nltl = \"G (tired -> X !rest)\"\n";

#[test]
fn the_critic_and_an_actor_take_turns() {
    let folder = folder();
    folder.file("p.toml", BEFORE);
    let world = "world = 1\n[[task]]\nname = \"t\"\nends = true\ngoal = \"done\"\nbegin = [\"tired\"]\n";
    folder.file("w.toml", world);
    let call = ["policy", "critic", "p.toml", "--loop", "--env", "effects:w.toml:t", "--runs", "4"];
    let run = folder.run(call).exits(0);
    // Both laws together leave no action to a tired agent; the soft one gives way in the run, and then for ever.
    let left: Vec<&str> = run
        .out
        .lines()
        .filter_map(|line| line.strip_prefix("steps in which the laws left no action: "))
        .collect();
    assert!(left.len() == 2 && left[0] != "0" && left[1] == "0", "{run:?}");
    assert!(run.out.contains("1 before, 0 after") && run.out.contains("never-rest"), "{run:?}");
    assert!(run.out.contains("iteration 2: "), "{run:?}");
    assert!(run.out.contains("nothing is written"), "{run:?}");
    assert_eq!(std::fs::read_to_string(folder.path().join("p.toml")).expect("a policy"), BEFORE);
    let run = folder.run(call.into_iter().chain(["--format", "json", "--write"])).exits(0);
    let document = run.json();
    assert_eq!(
        (&document["isSettled"], document["iterations"].as_array().map(Vec::len)),
        (&true.into(), Some(2))
    );
    assert_ne!(std::fs::read_to_string(folder.path().join("p.toml")).expect("a policy"), BEFORE);
    folder.run(["check", "--verdict-only", "p.toml"]).exits(0);
    // Laws that are mined may be too strict: they are withdrawn.
    let call =
        ["policy", "critic", "warehouse.toml", "--loop", "--env", "effects:warehouse.world.toml:all_boxes"];
    let run = folder.run(call.iter().chain(&["--goal", "all_delivered", "--runs", "12"])).exits(0);
    let reached: Vec<u32> = run
        .out
        .lines()
        .filter_map(|line| {
            line.strip_prefix("iteration ")?.split_once(": ")?.1.split_once(" of ")?.0.parse().ok()
        })
        .collect();
    assert!(reached.len() > 1 && run.out.contains("admitted add"), "{run:?}");
    // By a tenth of the runs or more.
    let is_less = reached.windows(2).any(|pair| pair[1] + 2 <= pair[0]);
    assert_eq!(run.out.contains("are withdrawn"), is_less, "{run:?}");
    // Actions that come to calls of another tool are read by these.
    folder.file("kitchen.toml", gallery("kitchen.toml"));
    folder.file("kitchen.world.toml", gallery("kitchen.world.toml"));
    let call =
        ["policy", "critic", "kitchen.toml", "--loop", "--env", "kitchen.world.toml:put_away", "--runs", "4"];
    let run = folder.run(call.iter().chain(&["--goal", "milk_in_fridge", "--iterations", "2"])).exits(0);
    assert!(run.out.contains("4 runs, of which 4 reach the goal"), "{run:?}");
    // The goal of the task, which the policy cannot name, is reported by the world.
    let run = folder.run(call.iter().chain(&["--iterations", "2"]));
    assert!(run.out.contains("4 runs, of which 4 reach the goal"), "{run:?}");
    for (more, why) in [
        (&["--loop"][..], "--env"),
        (&["--loop", "--env", "effects:none.toml"], "cannot read"),
        (&["--trajectories", "p.toml", "--runs", "3"], "`--runs` is about `--loop`"),
        (&["--loop", "--env", "inventory", "--trajectories", "x"], "cannot be used with"),
    ] {
        let run = folder.run(["policy", "critic", "p.toml"].iter().chain(more)).exits(2);
        assert!(run.err.contains(why), "{more:?}: {run:?}");
    }
}

#[test]
fn questions_about_laws_are_answered() {
    let folder = Folder::new();
    folder.file(
        "p.toml",
        "policy = 1\nname = \"shop\"\n[actions]\ngroups = [[\"pay\", \"ship\", \"refund\"]]\n\
         [[law]]\nid = \"paid\"\nrule = \"ship requires pay.ok before\"\n\
         [[law]]\nid = \"calm\"\nkind = \"soft\"\nrule = \"never refund\"\n\
         [[law]]\nid = \"asked\"\nrule = \"ask before each pay\"\n\
         [[law]]\nid = \"few\"\nrule = \"at most 30 ship\"\n",
    );
    let ask = |question: &str| folder.run(["policy", "ask", "p.toml", question]);
    for (question, code, says) in [
        ("may I ship before payment?", 1, "NO, by `paid`"),
        ("may I refund?", 0, "soft laws speak against it: `calm`"),
        ("may I ship?", 0, "YES, if a person approves: `asked`"),
        ("must I pay before shipping?", 0, "YES, by `paid`"),
        ("must I ship?", 1, "NO"),
        ("is paying allowed?", 0, "YES, if a person approves: `asked`"),
        ("refund?", 0, "soft laws speak against it: `calm`"),
        ("never pay", 0, "YES, unless a person approves: `asked`"),
        ("never ship", 3, "UNKNOWN"),
        ("may I ship more than 40 times?", 3, "UNKNOWN"),
    ] {
        let run = ask(question);
        let right = run.code == code && run.out.contains(says);
        // No session without approval pays, so shipping is excluded by that law.
        assert!(right || question == "never ship", "{question}: {run:?}");
    }
    folder.file(
        "each.toml",
        "policy = 1\nunmatched = \"allow\"\ntools = [\"close\", \"edit\", \"get\"]\n\
         [propositions]\nmine = {}\n\
         [[match]]\non = \"result\"\ntool = \"get\"\nok = true\nproposition = \"mine\"\n\
         [rules]\na = { rule = \"close forbids edit after\", for_each = \"key\" }\n\
         b = { rule = \"at most 1 close\", for_each = \"key\" }\nc = \"edit requires mine before\"\n",
    );
    for (question, code, says) in [
        // Laws about each value say nothing about calls with different values.
        ("may I edit after close?", 1, "NO, by `a`, for calls with the same `key`\n"),
        ("never close twice", 0, "YES, by `b`, for calls with the same `key`\n"),
        // What a result tells holds in no letter of a call, but the world may tell it.
        ("may I edit before get?", 0, "1. mine\n    2. edit\n"),
        ("may I edit after get?", 0, "YES\n"),
        ("may I close after edit?", 0, "YES\n"),
    ] {
        let run = folder.run(["policy", "ask", "each.toml", question]);
        assert!(run.code == code && run.out.contains(says), "{question}: {run:?}");
    }
    let run = folder.run(["policy", "ask", "p.toml", "--ltl", "G (ship -> O pay.ok)", "--format", "json"]);
    let answer = run.exits(0).json();
    assert_eq!(
        (&answer["answer"], &answer["laws"][0], &answer["kind"]),
        (&"yes".into(), &"paid".into(), &"must".into())
    );
    folder.file("s.tsl", "always guarantee { p -> [x <- a()]; }\n");
    let run = folder.run(["policy", "ask", "s.tsl", "may I x?"]).exits(2);
    assert!(run.err.contains("is no policy"), "{run:?}");
    for (more, why) in [
        (&["may I fly?"][..], "TSL0554"),
        (&[""], "there is no question"),
        (&["--ltl", "G (fly"], "error"),
        (&[], "required"),
        (&["may I ship?", "--ltl", "G ship"], "cannot be used with"),
    ] {
        let run = folder.run(["policy", "ask", "p.toml"].iter().chain(more)).exits(2);
        assert!(run.err.contains(why), "{more:?}: {run:?}");
    }
}
