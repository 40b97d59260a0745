//! Calls that the program does not have lead somewhere, and the forms of the result of many files.

use std::path::Path;
use std::process::{Command, Output};

fn tool(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tsl-synth"));
    command.current_dir(folder).args(arguments).output().expect("the program runs")
}

const GOOD: &str = "always guarantee { go -> [x <- a()]; }\n";
const BAD: &str = "always guarantee { [x <- a()]; go -> [x <- b()]; }\n";

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in [("a.tsl", GOOD), ("b.tsl", BAD), ("c.tsl", GOOD)] {
        std::fs::write(folder.path().join(name), text).expect("written");
    }
    folder
}

#[test]
fn words_that_are_no_verbs_lead_to_one() {
    let folder = folder();
    for (arguments, lead) in [
        (&["a.tsl"][..], "tsl-synth check a.tsl"),
        (&["synth", "a.tsl"], "tsl-synth emit SPEC"),
        (&["run", "a.tsl"], "tsl-synth simulate SPEC"),
        (&["graph", "a.tsl"], "tsl-synth view SPEC"),
        (&["init"], "tsl-synth new"),
        (&["help", "a.tsl"], "tsl-synth check a.tsl"),
        (&["help", "until"], "tsl-synth help tsl"),
        (&["emit", "a.tsl", "-o", "x.html"], "tsl-synth view SPEC -o FILE.html"),
        (&["emit", "a.tsl", "-o", "x.png"], "tsl-synth emit SPEC -o FILE.svg"),
    ] {
        let output = tool(folder.path(), arguments);
        let text = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {text}");
        assert!(text.contains(lead), "{arguments:?}: {text}");
    }
    let output = tool(folder.path(), &["chekc", "a.tsl"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("check"));
}

#[test]
fn bad_files_come_first_and_last_and_good_ones_are_a_line() {
    let folder = folder();
    let output = tool(folder.path(), &["check", "-q", "--each", "a.tsl", "b.tsl", "c.tsl"]);
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8_lossy(&output.stdout);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "UNREALIZABLE", "{text}");
    assert_eq!(lines[1], "spec: b.tsl", "{text}");
    let end: Vec<&str> = lines[lines.len() - 5..].to_vec();
    assert_eq!(end[..3], ["a.tsl: REALIZABLE", "c.tsl: REALIZABLE", "b.tsl: UNREALIZABLE"], "{text}");
    assert!(end[4].starts_with("3 specifications: 2 realizable, 1 unrealizable"), "{text}");
}

#[test]
fn one_run_writes_several_reports() {
    let folder = folder();
    let reports = [
        "--report",
        "json=out.json",
        "--report",
        "sarif=out.sarif",
        "--report",
        "junit=out.xml",
        "--report",
        "markdown=out.md",
        "--report",
        "github=out.txt",
    ];
    let arguments = [&["check", "--each", "a.tsl", "b.tsl"][..], &reports].concat();
    let output = tool(folder.path(), &arguments);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stdout).starts_with("REALIZABLE"));
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).expect("the report");
    let json: serde_json::Value = serde_json::from_str(&read("out.json")).expect("JSON");
    assert_eq!(json["results"][1]["verdict"], "UNREALIZABLE");
    let sarif: serde_json::Value = serde_json::from_str(&read("out.sarif")).expect("JSON");
    assert_eq!(sarif["version"], "2.1.0");
    assert!(read("out.xml").starts_with("<?xml"));
    assert!(read("out.md").contains("| b"));
    assert!(read("out.txt").contains("::error"));
    let wrong = tool(folder.path(), &["check", "a.tsl", "--report", "pdf=x.pdf"]);
    assert_eq!(wrong.status.code(), Some(2));
}
