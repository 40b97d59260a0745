//! `plan`: each of its commands, and calls that are wrong.

use super::Folder;
use std::fmt::Write;

const TOOLS: &str = "S -> I\nI -> A I | c | i\nA -> a1 | a2\n%limit * 1\n%unlimited i\n%order execution\n%label a1 \"Colorization\"\n";

fn folder() -> Folder {
    let folder = Folder::new();
    folder.file("g.cfg", TOOLS);
    folder.file("toy.cfg", "S -> ε | a S b\n");
    folder
}

#[test]
fn words_are_checked() {
    let folder = folder();
    assert_eq!(folder.run(["plan", "g.cfg", "check", "a1", "a2", "i"]).exits(0).out, "PLAN\n");
    let run = folder.run(["plan", "g.cfg", "check", "a1 a1 i"]).exits(1);
    assert_eq!(
        run.out,
        "WRONG\nno plan goes on with step 2, `a1`: one of `a2`, `c`, `i` could stand there\n"
    );
    let run = folder.run(["plan", "g.cfg", "check", "a1"]).exits(1);
    assert_eq!(run.out, "UNFINISHED\nthe plan goes on with one of `a2`, `c`, `i`\n");
    assert_eq!(folder.run(["plan", "toy.cfg", "check"]).exits(0).out, "PLAN\n");
    let run = folder.run(["plan", "g.cfg", "check", "--format", "json", "c", "c"]).exits(1).json();
    assert_eq!((&run["answer"], &run["at"], &run["isPlan"]), (&"wrong".into(), &1.into(), &true.into()));
}

#[test]
fn next_steps_counts_lists_and_samples() {
    let folder = folder();
    let run = folder.run(["plan", "g.cfg", "next", "a2"]).exits(0);
    assert_eq!(run.out, "a1  Colorization\nc\ni\n");
    assert_eq!(folder.run(["plan", "g.cfg", "next", "i"]).exits(0).out, "(the steps so far are a plan)\n");
    folder.run(["plan", "g.cfg", "next", "i", "i"]).exits(1);
    assert_eq!(folder.run(["plan", "g.cfg", "count"]).exits(0).out, "10\n");
    assert!(folder.run(["plan", "toy.cfg", "count"]).exits(0).out.starts_with("infinite\n"));
    assert_eq!(folder.run(["plan", "toy.cfg", "count", "--length", "7"]).exits(0).out, "4\n");
    let run = folder.run(["plan", "g.cfg", "enumerate", "--limit", "4"]).exits(0);
    assert_eq!(run.out, "c\ni\na1 c\na1 i\n(there are more)\n");
    let run = folder.run(["plan", "toy.cfg", "enumerate", "--limit", "3"]).exits(0);
    assert_eq!(run.out, "ε\na b\na a b b\n(there are more)\n");
    let draw =
        |seed: &str| folder.run(["plan", "g.cfg", "sample", "--number", "5", "--seed", seed]).exits(0).out;
    assert_eq!((draw("1"), draw("1").lines().count()), (draw("1"), 5));
    assert_ne!(draw("1"), draw("2"));
    let run = folder.run(["plan", "toy.cfg", "sample"]).exits(3);
    assert!(run.err.contains("infinitely many plans"), "{run:?}");
}

#[test]
fn laws_narrow_the_plans() {
    let folder = folder();
    folder.file("law.ltl", "F a1\n");
    folder.file("law.tsl", "always guarantee { a1 -> X c; }\n");
    assert_eq!(folder.run(["plan", "g.cfg", "count", "--with", "law.ltl"]).exits(0).out, "6\n");
    let run = folder.run(["plan", "g.cfg", "enumerate", "--with", "law.ltl", "--with", "law.tsl"]).exits(0);
    assert_eq!(run.out, "a1 c\na2 a1 c\n");
    let run = folder.run(["plan", "g.cfg", "next", "--with", "law.ltl", "--with", "law.tsl", "a1"]).exits(0);
    assert_eq!(run.out, "c\n");
    let run =
        folder.run(["plan", "g.cfg", "drive", "--oracle", "last", "--law", "F a1 & F a2 & F c"]).exits(0);
    assert!(run.out.contains("word: a2 a1 c\n"), "{run:?}");
    let run = folder.run(["plan", "g.cfg", "enumerate", "--law", "F c & F i"]).exits(1);
    assert_eq!(run.out, "NONE\nthere is no plan that keeps the laws\n");
    let run = folder.run(["plan", "g.cfg", "count", "--law", "F a3"]).exits(2);
    assert!(run.err.contains("TSL0437") && run.err.contains("the grammar has no step `a3`"), "{run:?}");
}

#[test]
fn an_oracle_is_driven_to_a_plan() {
    let folder = folder();
    folder.file("script.jsonl", "{\"answer\": 2}\n{\"answer\": 99}\n{\"answer\": 1}\n{\"answer\": 2}\n");
    let run = folder.run(["plan", "g.cfg", "drive", "--oracle", "script:script.jsonl"]).exits(0);
    assert_eq!(
        run.out,
        "PLAN\nStep 1: i, for \"Colorization\"\nStep 2: Colorization, for \"a2\"\nStep 3: a2\nword: a2 a1 i\nquestions: 3, dead ends: 0\n"
    );
    folder.file("short.jsonl", "{\"answer\": 2}\n");
    let run = folder.run(["plan", "g.cfg", "drive", "--oracle", "script:short.jsonl"]).exits(3);
    assert!(
        run.out.starts_with("STOPPED\nthe script has no more answers to `choose` about `I`\n"),
        "{run:?}"
    );
    let run = folder.run(["plan", "toy.cfg", "drive", "--oracle", "last", "--most", "9"]).exits(0);
    assert!(run.out.contains("word: a a b b\n"), "{run:?}");
    let json =
        folder.run(["plan", "g.cfg", "drive", "--oracle", "first", "--format", "json"]).exits(0).json();
    assert_eq!((&json["answer"], &json["order"]), (&"plan".into(), &serde_json::json!([2, 1, 0])));
}

#[cfg(unix)]
#[test]
fn the_best_plan_is_kept_and_choices_are_exported() {
    let folder = folder();
    // The reward of a plan is the number of its steps.
    folder.file(
        "reward.sh",
        "while read -r line; do n=$(printf '%s' \"$line\" | grep -o '\"step\"' | wc -l); echo \"{\\\"reward\\\": $n}\"; done\n",
    );
    let args =
        ["plan", "g.cfg", "drive", "--reward", "cmd:sh reward.sh", "--best", "30", "--export", "out.jsonl"];
    let run = folder.run(args).exits(0);
    assert!(run.out.contains("reward: 3\n"), "{run:?}");
    let lines = std::fs::read_to_string(folder.path().join("out.jsonl")).expect("exported");
    let lines: Vec<serde_json::Value> =
        lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert!(
        lines.len() >= 30
            && lines.iter().all(|line| line["prompt"].is_string() && line["reward"].is_number())
    );
    assert!(lines.iter().any(|line| line["choice"] == serde_json::json!(["Colorization"])), "{lines:?}");
    folder.file("banana.sh", "read -r line; echo banana\n");
    let run = folder.run(["plan", "g.cfg", "drive", "--reward", "cmd:sh banana.sh"]).exits(2);
    assert!(run.err.contains("`banana`, which is no JSON"), "{run:?}");
    folder.file("silent.sh", "exec sleep 60\n");
    let args = ["plan", "g.cfg", "drive", "--reward", "cmd:sh silent.sh", "--reward-timeout", "100ms"];
    assert!(folder.run(args).exits(2).err.contains("does not answer"));
}

#[test]
fn wrong_calls_and_grammars_are_named() {
    let folder = folder();
    for (args, message) in [
        (vec!["plan", "none.cfg", "count"], "cannot read `none.cfg`: there is no such file"),
        (vec!["plan", "g.cfg", "check", "a9"], "the grammar has no step `a9`"),
        (vec!["plan", "g.cfg", "check", "a1{x}"], "chooses nothing"),
        (vec!["plan", "g.cfg", "drive", "--oracle", "banana"], "`banana` is no oracle"),
        (vec!["plan", "g.cfg", "drive", "--reward", "banana"], "`banana` is no reward program"),
    ] {
        let run = folder.run(args).exits(2);
        assert!(run.err.contains(message), "{message}: {run:?}");
    }
    folder.file("bad.cfg", "S -> a (\nT a\n%limt a 1\n");
    let run = folder.run(["plan", "bad.cfg", "count"]).exits(2);
    for part in ["TSL0430", "bad.cfg:1:8", "`->` is expected after `T`"] {
        assert!(run.err.contains(part), "{part}: {run:?}");
    }
}

#[test]
fn items_of_travelplanner_are_imported_driven_and_judged() {
    let folder = folder();
    let items = std::fs::read_to_string(
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/papers/travelplanner/items.jsonl"),
    )
    .expect("a file of ours");
    folder.file("items.jsonl", &items);
    folder.run(["plan", "import", "travelplanner", "items.jsonl", "--item", "2", "-o", "trip.cfg"]).exits(0);
    let drive = ["plan", "trip.cfg", "drive", "--oracle", "last", "--format", "json", "-o", "plan.json"];
    folder.run(drive).exits(0);
    let run = folder.run(["plan", "judge", "items.jsonl", "plan.json", "--item", "2"]).exits(0);
    assert!(run.out.contains("PASSES") && run.out.contains("final pass rate: 100.0 % of 1 plans"), "{run:?}");
    let run = folder.run(["plan", "judge", "items.jsonl", "plan.json", "--item", "1", "--format", "json"]);
    let run = run.exits(1).json();
    assert_eq!((&run["plans"][0]["item"], &run["plans"][0]["passes"]), (&1.into(), &false.into()));
    let run = folder.run(["plan", "judge", "items.jsonl", "plan.json"]).exits(2);
    assert!(run.err.contains("3 items and 1 plans"), "{run:?}");
    let run = folder.run(["plan", "import", "travelplanner", "items.jsonl", "--item", "9"]).exits(2);
    assert!(run.err.contains("has 3 items"), "{run:?}");
    folder.run(["plan", "import", "travelplanner", "g.cfg"]).exits(2);
    folder.file("tools.csv", "name,input,output\nCaption,image,text\n");
    let tools =
        ["plan", "import", "openagi", "tools.csv", "--given", "image", "--want", "text", "-o", "t.cfg"];
    folder.run(tools).exits(0);
    let run = folder.run(["plan", "t.cfg", "enumerate"]).exits(0);
    assert_eq!(run.out, "Caption \"the given image\"\n");
    assert!(folder.run(["plan", "check"]).exits(2).err.contains("a grammar is expected"));
}

#[test]
fn what_is_given_and_not_needed_is_a_warning() {
    let folder = folder();
    folder.file("tools.csv", "name,input,output\nCaption,image,text\nSum,text+text,text\n");
    let import = |given: &str, want: &str| {
        folder.run(["plan", "import", "openagi", "tools.csv", "--given", given, "--want", want])
    };
    let plain = import("image", "text").exits(0);
    assert_eq!(plain.err, "");
    for (given, vain) in [
        ("image,video", vec!["video"]),
        ("video,image", vec!["video"]),
        ("sound,image,video", vec!["sound", "video"]),
        ("IMAGE, Video", vec!["video"]),
    ] {
        let run = import(given, "text").exits(0);
        assert_eq!(run.out, plain.out, "{given}");
        assert_eq!(run.err.matches("warning: ").count(), vain.len(), "{}", run.err);
        for kind in vain {
            assert!(run.err.contains(&format!("no tool has the kind `{kind}`")), "{}", run.err);
        }
    }
    // What is wanted may be given; a kind that is used is no reason for a warning.
    for given in ["video,image", "video"] {
        let run = import(given, "video").exits(0);
        assert_eq!(run.err, "", "{given}");
        folder.file("v.cfg", &run.out);
        assert_eq!(folder.run(["plan", "v.cfg", "enumerate"]).exits(0).out, "\"the given video\"\n");
    }
    for (given, want) in [("video", "text"), ("imgae", "text"), ("image", "video"), ("sound,video", "text")] {
        let run = import(given, want).exits(2);
        assert!(
            run.err.contains("no tool has the kind") && run.err.contains("`image`, `text`"),
            "{}",
            run.err
        );
    }
}

/// Twelve tools for each of two kinds, each used once, with a leaf that is used once, too.
fn many_tools() -> String {
    let of = |kind: usize| {
        let tool = |n: usize| format!("t{kind}x{n} K{} K{}", n % 2, (n + kind) % 3 % 2);
        (0..12).map(tool).collect::<Vec<_>>().join(" | ")
    };
    format!("K0 -> {} | leaf\nK1 -> {} | other\n%limit * 1\n%limit leaf 3\n", of(0), of(1))
}

#[test]
fn large_numbers_of_plans_have_bounds_and_dead_ends_are_announced() {
    let folder = folder();
    let mut text = many_tools();
    for n in 0..24 {
        let _ = writeln!(text, "%cost t{}x{} {}", n % 2, n / 2, n + 1);
    }
    folder.file("many.cfg", format!("{text}%budget 200\n"));
    let run = folder.run(["plan", "many.cfg", "count", "--format", "json"]).exits(3).json();
    assert_eq!((&run["answer"], &run["shortest"]), (&"bounded".into(), &1.into()));
    let run = folder.run(["plan", "many.cfg", "drive", "--oracle", "first"]).exits(0);
    assert!(run.out.contains("dead ends: 0") && !run.out.contains("announced"), "{run:?}");
    let run = folder.run(["plan", "many.cfg", "sample"]).exits(3);
    assert!(run.err.contains("drive --oracle random"), "{run:?}");
}

/// What an argument is as a whole goes before what its words are.
#[test]
fn an_argument_that_is_a_step_is_that_step() {
    let folder = Folder::new();
    for (name, rest) in
        [("the given image", "crop"), ("a b", "a"), ("\u{e9}t\u{e9}  2", "x"), ("<-", "b c d")]
    {
        folder.file("g.cfg", format!("S -> \"{rest}\" S | \"{name}\"\n"));
        let quoted = [name, rest].map(|step| format!("\"{step}\""));
        for call in [
            &["check", rest, rest, name][..],
            &["check", &quoted[1], &quoted[0]],
            &["check", &format!("{} {}", quoted[1], quoted[0])],
            &["check", &quoted[1], name],
        ] {
            let run = folder.run([&["plan", "g.cfg"], call].concat()).exits(0);
            assert_eq!(run.out, "PLAN\n", "{call:?}");
        }
        let run = folder.run(["plan", "g.cfg", "next", rest]).exits(0);
        assert!(run.out.contains(name), "{run:?}");
        // What the shell splits is put together again.
        let split: Vec<&str> = quoted[0].split(' ').collect();
        folder.run([&["plan", "g.cfg", "check"], &split[..]].concat()).exits(0);
    }
    folder.file("g.cfg", "S -> \"the dish\" | a S | \"b}\" S\n%subset \"the dish\" salt sugar a\n");
    let run = folder.run(["plan", "g.cfg", "check", "a", "the dish{salt,a}"]);
    if run.code == 0 {
        folder.run(["plan", "g.cfg", "check", "\"the dish\"{salt,", "a}"]).exits(0);
    }
    let run = folder.run(["plan", "g.cfg", "check", "no dish"]).exits(2);
    assert!(run.err.contains("the grammar has no step `no`"), "{run:?}");
}

/// Where the exact number is not found, for whatever reason, the answer is UNKNOWN with bounds on standard output.
#[test]
fn a_count_beyond_its_limits_has_bounds() {
    let folder = folder();
    folder.file("many.cfg", many_tools());
    for more in [&["--time-limit", "1s"][..], &["--length", "30"], &["--length", "22", "--time-limit", "1s"]]
    {
        let call = [&["plan", "many.cfg", "count", "--format", "json"], more].concat();
        let run = folder.run(call).exits(3).json();
        let bound = run["atLeast"].as_str().and_then(|n| n.parse::<u128>().ok());
        // How far a search comes in a time depends on the machine.
        let least = u128::from(!more.contains(&"--time-limit"));
        assert!(bound.is_some_and(|bound| bound >= least), "{more:?}: {run:?}");
        assert_eq!(&run["answer"], "bounded");
    }
    let run = folder.run(["plan", "many.cfg", "count", "--length", "30"]).exits(3);
    assert!(run.out.starts_with("UNKNOWN\nthe exact number was not found: "), "{run:?}");
    assert!(run.out.contains("\nat least "), "{run:?}");
}
