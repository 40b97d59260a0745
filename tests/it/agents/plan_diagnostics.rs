//! The exact diagnostics of typical mistakes in `.cfg` files.

use crate::syntax::corpus::render;
use std::fmt::Write;
use std::path::Path;
use tsl_synth_agents::plan_grammar::resolve_cfg;
use tsl_synth_agents::syntax_plan::parse_cfg;
use tsl_synth_core::diag::Diagnostics;
use tsl_synth_core::source::SourceMap;

#[test]
fn mistakes_in_grammars_are_named() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/diagnostics");
    let mut names: Vec<String> = std::fs::read_dir(&folder)
        .expect("the fixtures are here")
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| Path::new(name).extension().is_some_and(|ending| ending == "cfg"))
        .collect();
    names.sort();
    let update = std::env::var_os("UPDATE_FIXTURES").is_some();
    let mut failures = String::new();
    for name in &names {
        let text = std::fs::read_to_string(folder.join(name)).expect("fixtures are text");
        let mut map = SourceMap::new();
        let source = map.add(name, text);
        let mut diagnostics = Diagnostics::new();
        let grammar = parse_cfg(&map, source, &mut diagnostics)
            .and_then(|module| resolve_cfg(&module, "grammar", &mut diagnostics));
        assert_eq!(grammar.is_some(), !diagnostics.has_errors(), "{name}: a result exactly without errors");
        let found = render(&map, &diagnostics);
        assert!(!found.is_empty(), "{name}: nothing is said");
        let path = folder.join(Path::new(name).with_extension("expected"));
        if update {
            std::fs::write(&path, &found).expect("the expectation can be written");
        }
        let expected = std::fs::read_to_string(&path).unwrap_or_default();
        if expected != found {
            let _ = writeln!(failures, "== {name}\nexpected:\n{expected}\nfound:\n{found}");
        }
    }
    assert!(names.len() >= 11, "only {} fixtures", names.len());
    assert!(failures.is_empty(), "{failures}");
}
