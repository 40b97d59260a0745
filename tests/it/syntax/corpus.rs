//! Every public specification parses in the dialect it was written for.

use std::path::{Path, PathBuf};

use tsl_synth::diag::{Diagnostics, Severity};
use tsl_synth::source::SourceMap;
use tsl_synth::syntax::{Dialect, parse_tsl};

/// The folder of public specifications, which is not part of this repository.
pub(super) fn corpus() -> Option<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let found = [here.join("../shared/cases/tsl"), PathBuf::from("/work/shared/cases/tsl")];
    let found = found.into_iter().find(|p| p.is_dir());
    if found.is_none() {
        println!("skipped: ../shared/cases/tsl is not here");
    }
    found
}

/// One line per finding: `line:column severity code message | hints`.
pub(super) fn render(map: &SourceMap, diagnostics: &Diagnostics) -> String {
    let mut text = String::new();
    for d in diagnostics.iter() {
        let place = d.labels.first().map_or_else(String::new, |l| {
            let p = map.positions(l.span).0;
            format!("{}:{} ", p.line, p.column)
        });
        let severity = match d.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        };
        text.push_str(&format!("{place}{severity} {}: {}\n", d.code, d.message));
        if let Some(label) = d.labels.first().filter(|l| !l.text.is_empty()) {
            text.push_str(&format!("  here: {}\n", label.text));
        }
        for label in d.labels.iter().skip(1) {
            let p = map.positions(label.span).0;
            text.push_str(&format!("  {}:{} {}\n", p.line, p.column, label.text));
        }
        for hint in &d.hints {
            text.push_str(&format!("  hint: {hint}\n"));
        }
    }
    text
}

/// Name, whether FORK reads it, whether ORIG reads it.
pub(super) fn rows(folder: &Path) -> Vec<(String, bool, bool)> {
    let index = std::fs::read_to_string(folder.join("INDEX.csv")).expect("the corpus has an index");
    let mut rows = Vec::new();
    for line in index.lines().skip(1) {
        let name = line.split(',').next().unwrap_or("").to_owned();
        // Fields before these two hold commas between quotes in places; their values do not.
        let fork = line.contains(",ok,ok,") || line.contains(",ok,fail,");
        let orig = line.contains(",ok,ok,") || line.contains(",fail,ok,");
        rows.push((name, fork, orig));
    }
    rows
}

#[test]
fn every_file_parses_in_its_dialects() {
    let Some(folder) = corpus() else { return };
    let mut failures = String::new();
    let mut warned = 0;
    let mut count = 0;
    for (name, fork, orig) in rows(&folder) {
        let Ok(text) = std::fs::read_to_string(folder.join(&name)) else { continue };
        count += 1;
        for (dialect, reads) in
            [(Dialect::TslSynth, fork || orig), (Dialect::Tsltools, orig), (Dialect::Barnard, fork)]
        {
            let mut map = SourceMap::new();
            let source = map.add(&name, text.clone());
            let mut diagnostics = Diagnostics::new();
            let module = parse_tsl(&map, source, dialect, &mut diagnostics);
            let fails = !(fork || orig);
            if module.is_some() != reads && (reads || fails) {
                failures += &format!("{name} {dialect:?}\n{}", render(&map, &diagnostics));
            }
            if std::env::var_os("SHOW").is_some() && !diagnostics.is_empty() {
                warned += 1;
                println!("== {name} {dialect:?}\n{}", render(&map, &diagnostics));
            }
        }
    }
    println!("{count} files, {warned} with findings");
    assert!(count > 300, "the corpus has {count} files");
    assert!(failures.is_empty(), "{failures}");
}
