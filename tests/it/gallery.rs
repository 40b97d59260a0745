//! The gallery `specs/`: every specification has the verdict that is given in its first line.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use tsl_synth_core::model::{Abstraction, Silent, Verdict};
use tsl_synth_core::source::SourceMap;
use tsl_synth_engine::synth::{SolverOptions, synthesize};
use tsl_synth_lang::spec::{
    LoadOptions, MainFile, NoImports, Problem, TlsfOptions, load_ltl, load_tlsf, load_tsl,
};

pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("specs")
}

/// All specifications of the gallery, in order.
pub(crate) fn gallery() -> Vec<PathBuf> {
    let (mut files, mut folders) = (Vec::new(), vec![folder()]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("the gallery") {
            let path = entry.expect("the gallery").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "tsl" || e == "ltl" || e == "tlsf") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

/// Specifications with games over numbers, or large ones, that take most of the time of the gallery; others of the same
/// kinds and verdicts remain.
const SLOW: [&str; 10] = [
    "adventure/story_choices_forest.tsl",
    "numbers/battery.tsl",
    "numbers/cruise_steep.tsl",
    "numbers/elevator.tsl",
    "numbers/elevator_wild.tsl",
    "numbers/inventory.tsl",
    "numbers/tank_flooded.tsl",
    "numbers/thermostat_narrow.tsl",
    "numbers/traffic.tsl",
    "tlsf/round_robin_arbiter_unreal.tlsf",
];

/// The gallery without those specifications that take most of the time: for tests that synthesize and explain each
/// specification several times. `campaigns suite` runs these tests on all of it.
pub(crate) fn quick() -> Vec<PathBuf> {
    let all = gallery();
    if std::env::var_os("TSL_SYNTH_GALLERY").is_some() {
        return all;
    }
    let is_quick = |path: &&PathBuf| !SLOW.iter().any(|slow| path.ends_with(slow));
    let quick: Vec<PathBuf> = all.iter().filter(is_quick).cloned().collect();
    assert!(all.len() <= quick.len() + SLOW.len() && quick.len() >= 80, "{} specifications", quick.len());
    quick
}

/// Every `n`-th specification of [`quick`] from the one with this index on, for tests that do the same with each
/// specification. `campaigns suite` runs these tests on all of the gallery.
pub(crate) fn every(n: usize, first: usize) -> Vec<PathBuf> {
    let (first, n) = if std::env::var_os("TSL_SYNTH_GALLERY").is_some() { (0, 1) } else { (first, n) };
    quick().into_iter().skip(first).step_by(n).collect()
}

/// The results of `check --each --format json` on the whole gallery, in its order; made once.
pub(crate) fn results() -> &'static [Value] {
    static RESULTS: OnceLock<Vec<Value>> = OnceLock::new();
    RESULTS.get_or_init(|| {
        let output = Command::new(env!("CARGO_BIN_EXE_tsl-synth"))
            .args(["check", "--each", "--format", "json", "--time-limit", "60s"])
            .args(gallery())
            .output()
            .expect("the binary runs");
        let document: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        document["results"].as_array().expect("results").clone()
    })
}

/// The words after `// expect:` in the first line.
fn expected(path: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(path).expect("a specification");
    let first = text.lines().next().unwrap_or_default();
    let words = first.strip_prefix("// expect: ").unwrap_or_else(|| panic!("{}: {first}", path.display()));
    words.split(' ').map(str::to_string).collect()
}

/// The problem of a specification of the gallery.
pub(crate) fn problem(path: &Path) -> Problem {
    let mut map = SourceMap::new();
    let name = path.display().to_string();
    let source = map.add(name.clone(), std::fs::read_to_string(path).expect("a specification"));
    let result = match path.extension().and_then(|e| e.to_str()) {
        Some("ltl") => load_ltl(&[source], &[], &[], &map),
        Some("tlsf") => load_tlsf(source, &TlsfOptions::default(), &map),
        _ => load_tsl(&[MainFile { source, canonical: name }], &LoadOptions::default(), &mut map, &NoImports),
    };
    result.unwrap_or_else(|failure| panic!("{}: {failure:?}", path.display())).0
}

#[test]
fn every_specification_is_in_the_standard_layout() {
    let files: Vec<PathBuf> =
        gallery().into_iter().filter(|path| path.extension().is_some_and(|e| e == "tsl")).collect();
    assert!(files.len() >= 25, "{} specifications", files.len());
    let output = Command::new(env!("CARGO_BIN_EXE_tsl-synth"))
        .args(["fmt", "--check"])
        .args(&files)
        .output()
        .expect("the binary runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn every_specification_has_the_verdict_of_its_first_line() {
    let files = gallery();
    assert!(files.len() >= 40, "{} specifications", files.len());
    let results = results();
    assert_eq!(results.len(), files.len());
    let mut wrong = Vec::new();
    for (path, result) in files.iter().zip(results) {
        let expected = expected(path);
        let name = path.strip_prefix(folder()).expect("below the gallery").display();
        let found = result["verdict"].as_str().unwrap_or_default();
        let notion = result["notion"].as_str();
        let (warned, rest): (Vec<&str>, Vec<&str>) =
            expected.iter().map(AsRef::as_ref).partition(|word: &&str| word.starts_with("TSL"));
        if found != rest[0] || rest.get(1).is_some_and(|n| notion != Some(n)) {
            wrong.push(format!("{name}: {found} {notion:?} {}", result["reason"]));
        } else if result["certificate"]["checked"] != true {
            wrong.push(format!("{name}: not certified"));
        } else if found == "UNREALIZABLE" && (result["core"]["minimal"] != true || result["reason"].is_null())
        {
            wrong.push(format!("{name}: no minimal core or no reason"));
        }
        // A realizable specification has only those warnings whose codes are in its first line.
        for diagnostic in result["diagnostics"].as_array().into_iter().flatten() {
            let known = diagnostic["code"].as_str().is_some_and(|code| warned.contains(&code));
            if diagnostic["severity"] == "warning" && found == "REALIZABLE" && !known {
                wrong.push(format!("{name}: {} {}", diagnostic["code"], diagnostic["message"]));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn spurious_counter_strategies_need_refinement() {
    let spurious: Vec<PathBuf> =
        gallery().into_iter().filter(|path| path.parent().is_some_and(|p| p.ends_with("spurious"))).collect();
    assert!(spurious.len() >= 10);
    for path in spurious {
        let plain = SolverOptions { refinement_rounds: 0, ..SolverOptions::default() };
        let outcome = synthesize(&mut problem(&path), &plain, &Silent).expect("a certified answer");
        assert!(
            matches!(outcome.verdict, Verdict::Unrealizable(_, Abstraction::Ltl)),
            "{}: without refinement {:?}",
            path.display(),
            outcome.verdict
        );
        let outcome =
            synthesize(&mut problem(&path), &SolverOptions::default(), &Silent).expect("a certified answer");
        assert!(!outcome.constraints.is_empty(), "{}: no constraint was needed", path.display());
    }
}
