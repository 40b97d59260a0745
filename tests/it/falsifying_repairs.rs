//! No repair is offered with which a controller wins by making an assumption false: ten specifications whose
//! assumptions depend on the outputs.

use crate::unrealizable::explain;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/repairs/sabotage")
}

fn squeezed(text: &str) -> String {
    text.split_whitespace().collect()
}

/// The specification with a repair: changed guarantees are replaced by `true`, and sections are added.
fn with_repair(text: &str, repair: &Value) -> String {
    let mut text = text.to_owned();
    let mut added = Vec::new();
    for change in repair["weaken"].as_array().expect("a list") {
        let clause = change["clause"]["text"].as_str().expect("a text");
        let clause = clause.trim_start_matches("always ").trim_start_matches("initially ");
        assert!(text.contains(clause), "{clause} is not in {text}");
        text = text.replacen(clause, "true", 1);
        added.extend(change.get("with").and_then(Value::as_str));
    }
    added.extend(repair["assume"].as_array().expect("a list").iter().filter_map(Value::as_str));
    format!("{text}\n{}\n", added.join("\n"))
}

#[test]
fn no_repair_wins_by_falsifying_assumptions() {
    let cases = std::fs::read_to_string(folder().join("sabotage.toml")).expect("the fixture");
    let cases: toml::Value = toml::from_str(&cases).expect("TOML");
    let cases = cases["case"].as_array().expect("cases");
    assert_eq!(cases.len(), 10);
    let scratch = tempfile::tempdir().expect("a folder");
    let (mut offered, mut helped) = (0, 0);
    for case in cases {
        let name = case["spec"].as_str().expect("a name");
        let path = folder().join(name);
        let text = std::fs::read_to_string(&path).expect("a specification");
        let document = explain(&path, &[]);
        assert_eq!(document["verdict"], "UNREALIZABLE", "{name}");
        let repairs = document["repairs"].as_array().expect("repairs");
        helped += usize::from(!repairs.is_empty());
        let never: Vec<String> = case["never"]
            .as_array()
            .expect("a list")
            .iter()
            .filter_map(toml::Value::as_str)
            .map(squeezed)
            .collect();
        for repair in repairs {
            offered += 1;
            let added: Vec<String> = repair["assume"]
                .as_array()
                .expect("a list")
                .iter()
                .filter_map(Value::as_str)
                .map(squeezed)
                .collect();
            // A repair that makes a guarantee vacuous is reported as such.
            let idle = !repair["idle"].as_array().expect("a list").is_empty();
            assert!(idle || !added.iter().any(|text| never.contains(text)), "{name}: {repair}");
            // With the repair there is a controller that does not make the assumptions false.
            let file = scratch.path().join(name);
            std::fs::write(&file, with_repair(&text, repair)).expect("a file");
            let run = Command::new(env!("CARGO_BIN_EXE_tsl-synth"))
                .args(["check", "--format", "json"])
                .arg(&file)
                .output()
                .expect("the binary");
            let document: Value = serde_json::from_slice(&run.stdout).expect("JSON");
            let result = &document["results"][0];
            assert_eq!(result["verdict"], "REALIZABLE", "{name}: {repair} {document}");
            let friendly = result["friendly"].as_str().expect("asked");
            assert!(matches!(friendly, "friendly" | "independent"), "{name}: {repair}: {friendly}");
            let told = |code: &str| {
                result["diagnostics"].as_array().into_iter().flatten().any(|d| d["code"] == code)
            };
            assert!(!told("TSL0301"), "{name}: {repair}");
            assert!(idle || !told("TSL0308"), "{name}: {repair} {}", result["diagnostics"]);
        }
    }
    // Enough repairs were tested.
    assert!(offered >= 20 && helped >= 8, "{offered} repairs of {helped} specifications");
}
