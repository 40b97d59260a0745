//! Formats of results, output files, and the small verbs.

use super::{BROKEN, Folder, REALIZABLE, UNREALIZABLE};
use std::path::Path;

#[test]
fn json_says_everything() {
    let folder = Folder::new();
    folder.file("no.tsl", UNREALIZABLE);
    let run = folder.run(["check", "--format", "json", "no.tsl"]).exits(1);
    let document = run.json();
    assert_eq!(document["schemaVersion"], "1.0");
    assert_eq!(document["tool"]["name"], "tsl-synth");
    let result = &document["results"][0];
    assert_eq!(
        (&result["spec"], &result["verdict"], &result["notion"]),
        (&"no.tsl".into(), &"UNREALIZABLE".into(), &"tsl".into())
    );
    assert_eq!(result["certificate"]["checked"], true);
    assert_eq!(result["core"]["minimal"], true);
    let guarantees = result["core"]["guarantees"].as_array().expect("a list");
    let lines: Vec<_> = guarantees.iter().map(|g| g["start"]["line"].as_u64()).collect();
    assert_eq!(lines, [Some(2), Some(3)]);
    assert_eq!(guarantees[0]["start"]["byte"], 21);
    let step = &result["play"]["steps"][0];
    assert_eq!((&step["inputs"]["go"], &step["inputs"]["stop"]), (&true.into(), &true.into()));
    let run = folder.run(["check", "--format", "json", "missing.tsl"]).exits(2);
    let result = &run.json()["results"][0];
    assert_eq!((&result["verdict"], &result["diagnostics"][0]["code"]), (&"ERROR".into(), &"TSL0004".into()));
}

#[test]
fn the_schema_in_the_repository_is_the_schema_printed() {
    let folder = Folder::new();
    let schemas = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/schemas");
    for name in [
        "answer", "baseline", "cause", "causes", "check", "emit", "explain", "machine", "policy", "request",
        "script", "template", "trace", "verify",
    ] {
        let run = folder.run(["schema", name]).exits(0);
        let path = schemas.join(format!("{name}.json"));
        if std::env::var_os("UPDATE_FIXTURES").is_some() {
            std::fs::create_dir_all(&schemas).expect("a folder");
            std::fs::write(&path, &run.out).expect("the schema");
        }
        let kept = std::fs::read_to_string(&path).expect("the schema is in the repository");
        assert!(kept == run.out, "{name}: run the test with UPDATE_FIXTURES=1 and look at the difference");
    }
    let kept = std::fs::read_to_string(schemas.join("check.json")).expect("the schema");
    // Every field of a result is in the schema.
    folder.file("no.tsl", UNREALIZABLE);
    let document = folder.run(["check", "--format", "json", "no.tsl"]).json();
    let schema: serde_json::Value = serde_json::from_str(&kept).expect("JSON");
    let known = &schema["$defs"]["CheckResult"]["properties"];
    for field in document["results"][0].as_object().expect("an object").keys() {
        assert!(known.get(field).is_some(), "{field} is not in the schema");
    }
}

#[test]
fn github_annotations_point_at_the_clauses() {
    let folder = Folder::new();
    folder.file("no.tsl", UNREALIZABLE);
    let run = folder.run(["check", "--format", "github", "no.tsl"]).exits(1);
    assert!(run.out.contains("\n::error file=no.tsl,line=2,endLine=2,col=3,"), "{}", run.out);
    assert!(run.out.contains("title=TSL0300::"), "{}", run.out);
    folder.file("broken.tsl", BROKEN);
    let run = folder.run(["check", "--format", "github", "broken.tsl"]).exits(2);
    assert!(run.out.contains("::error file=broken.tsl,line=2"), "{}", run.out);
}

#[test]
fn every_format_says_when_nothing_was_certified() {
    let folder = Folder::new();
    folder.file("no.tsl", UNREALIZABLE);
    for (format, words) in [
        ("text", "\nnot certified\n"),
        ("json", "\"checked\": false"),
        ("github", "title=TSL0321::"),
        ("sarif", "\"TSL0321\""),
    ] {
        let run = folder.run(["check", "--format", format, "--no-certify", "no.tsl"]).exits(1);
        assert!(run.out.contains(words), "{format}: {}", run.out);
        let run = folder.run(["check", "--format", format, "no.tsl"]).exits(1);
        assert!(!run.out.contains(words), "{format}: {}", run.out);
    }
}

#[test]
fn sarif_has_rules_and_places() {
    let folder = Folder::new();
    folder.file("no.tsl", UNREALIZABLE);
    folder.file("broken.tsl", BROKEN);
    let run = folder.run(["check", "--each", "--format", "sarif", "no.tsl", "broken.tsl"]).exits(2);
    let log = run.json();
    assert_eq!(log["version"], "2.1.0");
    let run = &log["runs"][0];
    let rules = run["tool"]["driver"]["rules"].as_array().expect("rules");
    let results = run["results"].as_array().expect("results");
    assert!(results.len() >= 2);
    for result in results {
        let rule = &rules[result["ruleIndex"].as_u64().expect("an index") as usize];
        assert_eq!(rule["id"], result["ruleId"]);
        assert!(!result["message"]["text"].as_str().expect("text").is_empty());
        let place = &result["locations"][0]["physicalLocation"];
        assert!(place["artifactLocation"]["uri"].as_str().is_some_and(|uri| uri.contains(".tsl")));
        assert!(place["region"]["startLine"].as_u64().expect("a line") >= 1);
        assert!(["error", "warning", "note"].contains(&result["level"].as_str().expect("a level")));
    }
}

#[test]
fn results_go_to_a_file_whole_or_not_at_all() {
    let folder = Folder::new();
    folder.file("yes.tsl", REALIZABLE);
    let run = folder.run(["check", "yes.tsl", "-o", "out.txt"]).exits(0);
    assert!(run.out.is_empty());
    let written = std::fs::read_to_string(folder.path().join("out.txt")).expect("the result");
    assert_eq!(written.lines().next(), Some("REALIZABLE"));
    let run = folder.run(["check", "yes.tsl", "-o", "no/such/folder.txt"]).exits(2);
    assert!(run.err.contains("cannot write"), "{}", run.err);
    folder.run(["check", "yes.tsl", "-o", "."]).exits(2);
    let left: Vec<_> = std::fs::read_dir(folder.path())
        .expect("the folder")
        .map(|entry| entry.expect("an entry").file_name())
        .filter(|name| name.to_string_lossy().starts_with(".tsl-synth"))
        .collect();
    assert!(left.is_empty(), "temporary files are left: {left:?}");
}

#[test]
fn colors_only_when_wanted() {
    let folder = Folder::new();
    folder.file("broken.tsl", BROKEN);
    let run = folder.run(["check", "broken.tsl"]).exits(2);
    assert!(!run.err.contains('\u{1b}'), "not on a pipe");
    let run = folder.run(["check", "--color", "always", "broken.tsl"]).exits(2);
    assert!(run.err.contains('\u{1b}'));
}

#[test]
fn fmt_keeps_comments_and_is_stable() {
    let folder = Folder::new();
    let path = folder.file("a.tsl", "always   guarantee{ // why\n go->[x<-a()];\n}");
    folder.run(["fmt", "--check", "a.tsl"]).exits(1);
    folder.run(["fmt", "a.tsl"]).exits(0);
    let text = std::fs::read_to_string(&path).expect("the file");
    assert!(text.contains("// why") && text.contains("go -> [x <- a()];"), "{text}");
    folder.run(["fmt", "--check", "a.tsl"]).exits(0);
    let run = folder.run_with(["fmt", "-"], "always guarantee { a; }").exits(0);
    assert!(run.out.starts_with("always guarantee {"), "{}", run.out);
    folder.file("broken.tsl", BROKEN);
    folder.run(["fmt", "broken.tsl"]).exits(2);
    assert_eq!(std::fs::read_to_string(folder.path().join("broken.tsl")).expect("the file"), BROKEN);
}

#[test]
fn the_small_verbs() {
    let folder = Folder::new();
    let run = folder.run(["explain", "TSL0300"]).exits(0);
    assert!(run.out.starts_with("TSL0300: "));
    folder.run(["explain", "tsl1"]).exits(0);
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let run = folder.run(["completions", shell]).exits(0);
        assert!(run.out.contains("tsl-synth"), "{shell}");
    }
    let run = folder.run(["man"]).exits(0);
    assert!(run.out.contains(".TH tsl-synth"), "{}", run.out.chars().take(200).collect::<String>());
    folder.run(["man", "-o", "pages"]).exits(0);
    assert!(folder.path().join("pages/tsl-synth-check.1").is_file());
}
