//! The exact diagnostics for typical mistakes.

use std::fmt::Write;
use std::path::Path;

use tsl_synth_core::diag::Diagnostics;
use tsl_synth_core::source::SourceMap;
use tsl_synth_lang::syntax::parse_tsl;
use tsl_synth_lang::syntax::tlsf::parse_tlsf;
use tsl_synth_ltl::ltl::parse_ltl;
use tsl_synth_ltl::operators::Dialect;

use super::corpus::render;

/// Numbers of fixtures whose mistakes are found in `src/spec`, as are those from 106 on.
const LATER: [std::ops::RangeInclusive<u32>; 3] = [40..=60, 94..=98, 100..=103];

#[test]
fn typical_mistakes_are_named() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/diagnostics");
    let mut names: Vec<String> = std::fs::read_dir(&folder)
        .expect("the fixtures are here")
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| ["tsl", "ltl", "tlsf"].contains(&extension(name)))
        .collect();
    names.sort();
    let update = std::env::var_os("UPDATE_FIXTURES").is_some();
    let mut failures = String::new();
    let mut count = 0;
    for name in names {
        let number: u32 = name.split('-').next().and_then(|n| n.parse().ok()).unwrap_or(0);
        if LATER.iter().any(|range| range.contains(&number)) || number >= 120 {
            continue;
        }
        count += 1;
        let text = std::fs::read_to_string(folder.join(&name)).expect("fixtures are text");
        let mut map = SourceMap::new();
        let source = map.add(&name, text);
        let mut diagnostics = Diagnostics::new();
        let parsed = if extension(&name) == "ltl" {
            parse_ltl(&map, source, &|_| false, &mut diagnostics).is_some()
        } else if extension(&name) == "tlsf" {
            parse_tlsf(&map, source, &mut diagnostics).is_some()
        } else {
            parse_tsl(&map, source, Dialect::TslSynth, &mut diagnostics).is_some()
        };
        assert_eq!(parsed, !diagnostics.has_errors(), "{name}: a result exactly without errors");
        let found = render(&map, &diagnostics);
        assert!(!found.is_empty(), "{name}: nothing is said");
        let path = folder.join(Path::new(&name).with_extension("expected"));
        if update {
            std::fs::write(&path, &found).expect("the expectation can be written");
        }
        let expected = std::fs::read_to_string(&path).unwrap_or_default();
        if expected != found {
            let _ = writeln!(failures, "== {name}\nexpected:\n{expected}\nfound:\n{found}");
        }
    }
    assert!(count >= 40, "only {count} fixtures");
    assert!(failures.is_empty(), "{failures}");
}

fn extension(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or("")
}
