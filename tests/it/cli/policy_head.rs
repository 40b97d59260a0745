//! `policy VERB`: the same answers as the verbs at the top, whose old spellings go on working.

use super::Folder;

const POLICY: &str = include_str!("../../../specs/policies/telecom.toml");
const LOG: &str = include_str!("../../../specs/policies/logs/telecom.breaks.jsonl");

const PUSH: &str = include_str!("../../../specs/policies/tests-before-push.toml");
const JOURNAL: &str = include_str!("../../../specs/policies/logs/tests-before-push.journal");

fn folder() -> Folder {
    let folder = Folder::new();
    folder.file("p.toml", POLICY);
    folder.file("log.jsonl", LOG);
    folder.file("j.journal", JOURNAL);
    folder.file("tests-before-push.toml", PUSH);
    folder.file("lamp.tsl", "always guarantee { [lamp <- on()]; }\n");
    folder
}

#[test]
fn both_spellings_answer_the_same() {
    let folder = folder();
    let propose = r#"{"event":"propose","tool":"lift","arguments":{"line":"a"}}"#;
    let mut checked = 0;
    for call in [
        vec!["check", "p.toml"],
        vec!["check", "p.toml", "--against", "log.jsonl", "--format", "json"],
        vec!["check", "p.toml", "--from-nl", "lift requires pay before"],
        vec!["explain", "p.toml"],
        vec!["explain", "j.journal", "--spec", "tests-before-push.toml"],
        vec!["monitor", "p.toml", "log.jsonl", "--stats"],
        vec!["monitor", "p.toml", "log.jsonl", "--format", "json"],
        vec!["shield", "test", "p.toml", propose],
        vec!["critic", "p.toml", "--trajectories", "log.jsonl"],
        vec!["emit", "p.toml", "--lang", "hoa"],
        vec!["emit", "p.toml", "--lang", "python", "--law-monitor"],
        vec!["view", "p.toml", "log.jsonl"],
    ] {
        let old = folder.run(&call);
        let new = folder.run(std::iter::once(&"policy").chain(&call));
        assert_eq!((old.code, &old.out, &old.err), (new.code, &new.out, &new.err), "{call:?}");
        assert!(old.code < 2, "{call:?}: {old:?}");
        checked += 1;
    }
    println!("{checked} calls in both spellings");
}

#[test]
fn what_is_no_policy_is_sent_to_the_verb_at_the_top() {
    let folder = folder();
    for verb in ["check", "explain", "emit", "view"] {
        let run = folder.run(["policy", verb, "lamp.tsl"]).exits(2);
        assert!(run.out.is_empty() && run.err.contains("`lamp.tsl` is no policy"), "{run:?}");
        assert!(run.err.contains(&format!("`tsl-synth {verb} lamp.tsl`")), "{run:?}");
        let run = folder.run(["policy", verb]).exits(2);
        assert!(run.err.contains("POLICY"), "{run:?}");
    }
    folder.run(["policy"]).exits(2);
    folder.run(["policy", "banana"]).exits(2);
}

#[test]
fn help_shows_the_flags_where_they_belong() {
    let folder = folder();
    let help = |call: &[&str]| folder.run(call.iter().chain(&["--help"])).exits(0).out;
    for (flag, here, elsewhere) in [
        ("--step", vec!["policy", "explain"], vec!["explain"]),
        ("--from-nl", vec!["policy", "check"], vec!["check"]),
        ("--law-monitor", vec!["policy", "emit"], vec!["emit"]),
        ("--all-cores", vec!["explain"], vec!["policy", "explain"]),
        ("--evidence", vec!["check"], vec!["policy", "check"]),
        ("--counter", vec!["emit"], vec!["policy", "emit"]),
    ] {
        assert!(help(&here).contains(flag), "{flag} is shown by {here:?}");
        assert!(!help(&elsewhere).contains(flag), "{flag} is not shown by {elsewhere:?}");
    }
    let verbs = help(&[]);
    assert!(
        verbs.contains("\n  policy ") && !verbs.contains("\n  shield ") && !verbs.contains("\n  critic ")
    );
    assert!(verbs.starts_with("Certified synthesis of controllers"), "{verbs}");
}
