//! Many specifications in one call: folders, globs, formats for build servers, known failures.

use super::{BROKEN, Folder, REALIZABLE, UNREALIZABLE};

/// A realizable, an unrealizable and a broken specification, and a file of definitions.
fn gallery() -> Folder {
    let folder = Folder::new();
    // The root of imports is the repository.
    folder.file(".git/HEAD", "");
    folder.file("specs/no.tsl", UNREALIZABLE);
    folder.file(
        "specs/deep/yes.tsl",
        "import \"../lib.tsl\" as Lib\nalways guarantee { p(s) -> [x <- Lib.f(x)]; }",
    );
    folder.file("specs/lib.tsl", "f x = g(x);\n");
    folder.file("specs/notes.md", "not a specification");
    folder.file("broken.tsl", BROKEN);
    folder
}

/// The verdicts with the names of their specifications.
fn verdicts(out: &str) -> Vec<String> {
    let lines: Vec<&str> = out.lines().collect();
    let named = lines.windows(2).filter_map(|pair| Some((pair[0], pair[1].strip_prefix("spec: ")?)));
    named.map(|(verdict, spec)| format!("{spec} {verdict}")).collect()
}

#[test]
fn a_folder_is_checked_file_by_file() {
    let folder = gallery();
    let run = folder.run(["check", "specs"]).exits(1);
    assert_eq!(verdicts(&run.out), ["specs/deep/yes.tsl REALIZABLE", "specs/no.tsl UNREALIZABLE"]);
    let line = "2 specifications: 1 realizable, 1 unrealizable, 0 unknown, 0 errors; 1 file without guarantees \
                left out";
    assert_eq!(run.out.lines().last(), Some(line));
    // A file without guarantees gives a warning if it is named, and none if it was found in a folder.
    assert!(!run.err.contains("TSL0157"), "{}", run.err);
    folder.run(["check", "--deny=warnings", "specs/deep"]).exits(0);
    let run = folder.run(["check", "--each", "specs/lib.tsl", "specs/no.tsl"]).exits(1);
    assert!(run.err.contains("TSL0157") && verdicts(&run.out).len() == 2, "{run:?}");
    let results = folder.run(["check", ".", "--format", "json"]).exits(2).json();
    assert_eq!(results["results"].as_array().map(Vec::len), Some(3));
}

#[test]
fn globs_are_expanded() {
    let folder = gallery();
    let run = folder.run(["check", "--each", "specs/**/*.tsl", "b*.tsl"]).exits(2);
    assert_eq!(
        verdicts(&run.out),
        ["specs/deep/yes.tsl REALIZABLE", "specs/no.tsl UNREALIZABLE", "broken.tsl ERROR"]
    );
    // Without `--each` the files are one specification, as if the shell had expanded the glob.
    folder.file("parts/a.tsl", "always guarantee { go -> [x <- a()]; }");
    folder.file("parts/b.tsl", "always guarantee { stop -> [x <- b()]; }");
    let run = folder.run(["check", "parts/*.tsl"]).exits(1);
    assert!(run.out.contains("parts/a.tsl:1:20") && run.out.contains("parts/b.tsl:1:20"), "{}", run.out);
    let run = folder.run(["check", "parts/*.ltl"]).exits(2);
    assert!(run.err.contains("cannot read `parts/*.ltl`"), "{}", run.err);
}

#[test]
fn what_is_missing_is_an_error_and_the_others_are_checked() {
    let folder = gallery();
    folder.file("empty/notes.md", "");
    let all = ["check", "--each", "gone.tsl", "no/*.tsl", "empty", "specs/no.tsl", "broken.tsl"];
    let run = folder.run(all).exits(2);
    assert_eq!(
        verdicts(&run.out),
        ["gone.tsl ERROR", "no/*.tsl ERROR", "empty ERROR", "specs/no.tsl UNREALIZABLE", "broken.tsl ERROR"]
    );
    assert!(run.out.contains("cannot read `gone.tsl`: there is no such file"), "{}", run.out);
    let line = "5 specifications: 0 realizable, 1 unrealizable, 0 unknown, 4 errors";
    assert_eq!(run.out.lines().last(), Some(line));
    let results = folder.run(all.iter().copied().chain(["--format", "json"])).exits(2).json();
    assert_eq!(results["results"][0]["verdict"], "ERROR");
    assert_eq!(results["results"][1]["diagnostics"][0]["code"], "TSL0004");
}

#[test]
fn the_number_of_jobs_changes_nothing() {
    let folder = gallery();
    for i in 0..6 {
        let text = if i % 2 == 0 { REALIZABLE } else { UNREALIZABLE };
        folder.file(&format!("more/{i}.tsl"), text);
    }
    let one = folder.run(["check", "specs", "more", "broken.tsl", "--jobs", "1"]).exits(2);
    for jobs in ["2", "5", "100"] {
        let run = folder.run(["check", "specs", "more", "broken.tsl", "--jobs", jobs]).exits(2);
        assert_eq!((&run.out, &run.err), (&one.out, &one.err), "--jobs {jobs}");
    }
    folder.run(["check", "specs", "--jobs", "0"]).exits(2);
}

/// Not decided with `--bound 0`.
const OPEN: &str = "// inputs: r\n// outputs: g\nG (r -> X X g)\nG (r -> X X X X (g | F r))\nG F !g\n";

#[test]
fn what_is_unknown_is_counted() {
    let folder = Folder::new();
    folder.file("open.ltl", OPEN);
    folder.file("yes.ltl", "// inputs: r\n// outputs: g\nG (r -> g)\n");
    let run = folder.run(["check", ".", "--bound", "0"]).exits(3);
    assert_eq!(verdicts(&run.out), ["open.ltl UNKNOWN", "yes.ltl REALIZABLE"]);
    let line = "2 specifications: 1 realizable, 0 unrealizable, 1 unknown, 0 errors";
    assert_eq!(run.out.lines().last(), Some(line));
}

#[test]
fn every_annotation_has_a_file() {
    let folder = gallery();
    folder.file("vacuous.tsl", "always assume { go; ! go; }\nalways guarantee { go -> [x <- a()]; }\n");
    folder.file("bound.ltl", OPEN);
    let all =
        ["check", "--each", "gone.tsl", "no/*.tsl", "broken.tsl", "specs/no.tsl", "specs/lib.tsl", "x.md"];
    let run = folder.run(all.into_iter().chain(["vacuous.tsl", "--format", "github"])).exits(2);
    let unknown = folder.run(["check", "bound.ltl", "--bound", "0", "--format", "github"]).exits(3);
    let text = run.out + &unknown.out;
    let annotations: Vec<&str> = text.lines().filter(|line| line.starts_with("::")).collect();
    assert!(annotations.len() >= 7, "{text}");
    for annotation in &annotations {
        assert!(annotation.split("::").nth(1).is_some_and(|p| p.contains(" file=")), "{annotation}");
    }
    for file in ["gone.tsl", "no/*.tsl", "broken.tsl", "specs/lib.tsl", "x.md", "vacuous.tsl", "bound.ltl"] {
        assert!(annotations.iter().any(|a| a.contains(&format!(" file={file},line="))), "{file}: {text}");
    }
    let log = folder.run(["check", "--each", "gone.tsl", "--format", "sarif"]).exits(2).json();
    let place = &log["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "gone.tsl");
}

/// The numbers in the attributes of the suite.
fn counts(xml: &str) -> Vec<&str> {
    let suite = xml.lines().find(|line| line.trim_start().starts_with("<testsuite ")).expect("a suite");
    let value = |name: &str| suite.split(&format!(" {name}=\"")).nth(1)?.split('"').next();
    ["tests", "failures", "errors", "skipped"].map(|name| value(name).expect("a number")).to_vec()
}

/// Asserts that every tag is closed, and that texts and attributes contain only what XML allows.
fn is_well_formed(xml: &str) {
    let mut open = Vec::new();
    for (i, piece) in xml.split('<').enumerate().skip(1) {
        let (tag, text) = piece.split_once('>').unwrap_or_else(|| panic!("tag {i} does not end: {piece}"));
        assert!(!text.contains('>') && tag.matches('"').count() % 2 == 0, "{piece}");
        let name = tag.split([' ', '/']).next().unwrap_or("");
        match (tag.strip_prefix('/'), tag.starts_with('?') || tag.ends_with('/')) {
            (Some(name), _) => assert_eq!(open.pop(), Some(name)),
            (None, false) => open.push(name),
            (None, true) => {}
        }
        for entity in piece.split('&').skip(1) {
            let known = ["amp;", "lt;", "gt;", "quot;", "#10;"];
            assert!(known.iter().any(|known| entity.starts_with(known)), "{piece}");
        }
    }
    assert!(open.is_empty(), "{open:?} are open");
    assert!(xml.chars().all(|c| c == '\n' || !c.is_control()), "control characters");
}

#[test]
fn junit_counts_and_names_what_fails() {
    let folder = gallery();
    folder.file("vacuous.tsl", "always assume { go; ! go; }\nalways guarantee { go -> [x <- a()]; }\n");
    let all = ["check", "--format", "junit", "specs", "vacuous.tsl", "gone.tsl"];
    let xml = folder.run(all).exits(2).out;
    is_well_formed(&xml);
    assert_eq!(counts(&xml), ["4", "1", "1", "0"]);
    assert!(xml.contains("<testcase name=\"specs/deep/yes.tsl\" classname=\"specs.deep\""), "{xml}");
    assert!(xml.contains("<failure type=\"UNREALIZABLE\" message=\"The environment may"), "{xml}");
    let xml = folder.run(all.into_iter().chain(["--deny"])).exits(2).out;
    assert_eq!(counts(&xml), ["4", "2", "1", "0"]);
    assert!(xml.contains("<failure type=\"TSL0301\" message=\"denied findings: TSL0301\">"), "{xml}");
    folder.file("open.ltl", OPEN);
    let xml = folder.run(["check", "open.ltl", "--format", "junit", "--bound", "0"]).exits(3).out;
    assert_eq!(counts(&xml), ["1", "0", "1", "0"]);
    assert!(xml.contains("<error type=\"UNKNOWN\""), "{xml}");
}

#[cfg(unix)]
#[test]
fn junit_and_the_summary_hold_hostile_names() {
    let folder = Folder::new();
    folder.file("a\"<&>'|`]]>\u{1b}[1m\n.tsl", UNREALIZABLE);
    folder.file("a$(touch hacked);\u{202e}b.tsl", BROKEN);
    let xml = folder.run(["check", ".", "--format", "junit", "--summary", "s.md"]).exits(2).out;
    is_well_formed(&xml);
    assert_eq!(counts(&xml), ["2", "1", "1", "0"]);
    let summary = std::fs::read_to_string(folder.path().join("s.md")).expect("the summary");
    let rows: Vec<&str> = summary.lines().filter(|line| line.starts_with('|')).collect();
    assert_eq!(rows.len(), 4, "{summary}");
    assert!(rows.iter().all(|row| row.matches('|').count() == 5), "{summary}");
    assert!(!summary.contains('`') && !summary.contains('\u{1b}'), "{summary}");
}

#[test]
fn a_summary_is_appended() {
    let folder = gallery();
    folder.file("s.md", "before\n");
    folder.run(["check", "specs", "--summary", "s.md"]).exits(1);
    let summary = std::fs::read_to_string(folder.path().join("s.md")).expect("the summary");
    assert!(summary.starts_with("before\n### tsl-synth check\n"), "{summary}");
    assert!(summary.contains("\n| specs/no.tsl | UNREALIZABLE | "), "{summary}");
    assert!(summary.contains("\n2 specifications: 1 realizable, 1 unrealizable"), "{summary}");
    let run = folder.run(["check", "specs/no.tsl", "--summary", "no/such/folder.md"]).exits(2);
    assert!(run.err.contains("cannot write `no/such/folder.md`"), "{}", run.err);
}

#[test]
fn known_failures_do_not_fail() {
    let folder = gallery();
    let vacuous = "always assume { go; ! go; }\nalways guarantee { go -> [x <- a()]; }\n";
    folder.file("vacuous.tsl", vacuous);
    let base = ["check", "specs", "vacuous.tsl", "--deny", "--baseline", "known.json"];
    let run = folder.run(base).exits(2);
    assert!(run.err.contains("`--write-baseline` makes it"), "{}", run.err);
    folder.run(base.into_iter().chain(["--write-baseline"])).exits(0);
    let kept = std::fs::read_to_string(folder.path().join("known.json")).expect("the baseline");
    let document: serde_json::Value = serde_json::from_str(&kept).expect("JSON");
    assert_eq!(document["known"][0]["spec"], "specs/no.tsl");
    assert_eq!(document["known"][0]["verdict"], "UNREALIZABLE");
    assert_eq!(document["known"][1], serde_json::json!({ "spec": "vacuous.tsl", "codes": ["TSL0301"] }));
    let run = folder.run(base).exits(0);
    assert!(run.out.contains("known failure: the baseline has it"), "{}", run.out);
    assert!(run.out.ends_with("; 2 known failures; 1 file without guarantees left out\n"), "{}", run.out);
    // The same however the files are named, and from another folder.
    let output = folder
        .command(["check", "--each", "no.tsl", "../vacuous.tsl", "--deny", "--baseline", "../known.json"])
        .current_dir(folder.path().join("specs"))
        .output()
        .expect("a run");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let xml = folder.run(base.into_iter().chain(["--format", "junit"])).exits(0).out;
    assert_eq!(counts(&xml), ["3", "0", "0", "2"]);
    let run = folder.run(base.into_iter().chain(["--format", "github"])).exits(0);
    assert!(run.out.contains("::notice file=specs/no.tsl") && !run.out.contains("::error"), "{}", run.out);
    let results = folder.run(base.into_iter().chain(["--format", "json"])).exits(0).json();
    assert_eq!((&results["results"][1]["known"], results["results"][0].get("known")), (&true.into(), None));
    // A new failure counts, also for a specification with another known failure.
    folder.file("specs/deep/yes.tsl", UNREALIZABLE);
    folder.run(base).exits(1);
    folder.file("specs/deep/yes.tsl", REALIZABLE);
    folder.file("vacuous.tsl", UNREALIZABLE);
    folder.run(base).exits(1);
    folder.file("vacuous.tsl", BROKEN);
    folder.run(base).exits(2);
    // Entries that do not fail any more are reported, and removed by `--write-baseline`; unchecked ones are kept.
    folder.file("vacuous.tsl", REALIZABLE);
    let run = folder.run(base).exits(0);
    assert!(
        run.err.contains("note: `vacuous.tsl` is in the baseline and does not fail any more"),
        "{}",
        run.err
    );
    folder.run(["check", "vacuous.tsl", "--baseline", "known.json", "--write-baseline"]).exits(0);
    let kept = std::fs::read_to_string(folder.path().join("known.json")).expect("the baseline");
    assert!(!kept.contains("vacuous.tsl") && kept.contains("specs/no.tsl"), "{kept}");
}

#[test]
fn a_baseline_that_is_none_is_refused() {
    let folder = gallery();
    let entry = |entry: &str| format!("{{\"schemaVersion\":\"1.0\",\"known\":[{entry}]}}");
    let texts = [
        "",
        "[]",
        "{\"schemaVersion\":\"2.0\",\"known\":[]}",
        &entry("{\"spec\":\"a\",\"verdict\":\"ERROR\"}"),
        &entry("{\"spec\":\"a\",\"verdict\":\"REALIZABLE\"}"),
        &entry("{\"spec\":\"a\",\"verdcit\":\"UNKNOWN\"}"),
        &entry("{\"spec\":\"a\",\"codes\":[\"TSLx\"]}"),
        &entry("{\"spec\":\"a\"},{\"spec\":\"a\"}"),
    ];
    for text in texts {
        folder.file("known.json", text);
        let run = folder.run(["check", "specs/no.tsl", "--baseline", "known.json"]).exits(2);
        assert!(run.err.contains("`known.json` is no baseline"), "{text}: {}", run.err);
    }
    folder.run(["check", "specs/no.tsl", "--write-baseline"]).exits(2);
}
