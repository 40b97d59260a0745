//! The exact diagnostics for typical semantic mistakes: fixtures 40 to 60, 94 to 98 and 100 to 103.

use std::fmt::Write as _;
use std::path::Path;

use super::support::{Folder, Table, lines, load_all};
use crate::syntax::corpus::render;
use tsl_synth_core::diag::Diagnostics;
use tsl_synth_core::source::SourceMap;
use tsl_synth_lang::spec;
use tsl_synth_lang::spec::{LoadError, LoadOptions, Loaded, Loader, MainFile};

/// Imports below the folder of fixtures, shown by their file names.
struct Root(std::path::PathBuf);

impl Loader for Root {
    fn load(&self, from: &str, path: &str) -> Result<Loaded, LoadError> {
        let loaded = Folder.load(from, path).map_err(|error| match error {
            LoadError::NotFound(_) => LoadError::NotFound(path.into()),
            other => other,
        })?;
        if !Path::new(&loaded.canonical).starts_with(&self.0) {
            return Err(LoadError::OutsideRoot("fixtures/diagnostics".into()));
        }
        Ok(loaded)
    }
}

/// The number that the name of a fixture begins with.
fn number(name: &str) -> Option<u32> {
    name.split('-').next()?.parse().ok()
}

#[test]
fn mistakes_of_meaning_are_named() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/diagnostics");
    let folder = folder.canonicalize().expect("the fixtures are here");
    let mut names: Vec<String> = std::fs::read_dir(&folder)
        .expect("the fixtures are here")
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| {
            Path::new(name).extension().is_some_and(|e| e == "tsl")
                && number(name).is_some_and(|n| matches!(n, 40..=60 | 94..=98 | 100..=103))
        })
        .collect();
    names.sort();
    let update = std::env::var_os("UPDATE_FIXTURES").is_some();
    let mut failures = String::new();
    assert_eq!(names.len(), 31);
    for name in names {
        let path = folder.join(&name);
        let mut map = SourceMap::new();
        let source = map.add(&name, std::fs::read_to_string(&path).expect("fixtures are text"));
        let file = MainFile { source, canonical: path.display().to_string() };
        let result = spec::load_tsl(&[file], &LoadOptions::default(), &mut map, &Root(folder.clone()));
        let diagnostics: Diagnostics = match result {
            Ok((_, diagnostics)) => diagnostics,
            Err(failure) => failure.diagnostics,
        };
        let found = render(&map, &diagnostics);
        assert!(!found.is_empty(), "{name}: nothing is said");
        let path = path.with_extension("expected");
        if update {
            std::fs::write(&path, &found).expect("the expectation can be written");
        }
        let expected = std::fs::read_to_string(&path).unwrap_or_default();
        if expected != found {
            let _ = writeln!(failures, "== {name}\nexpected:\n{expected}\nfound:\n{found}");
        }
    }
    assert!(failures.is_empty(), "{failures}");
}

#[test]
fn strict_checking_wants_declarations() {
    let options = LoadOptions { strict: true, ..LoadOptions::default() };
    let text = "input a; cell x; always guarantee { a -> [x <- f b]; }";
    let (_, result) = load_all(&[text], &options, &Table::default());
    let failure = result.expect_err("two names are not declared");
    assert_eq!(lines(&failure.diagnostics).matches("TSL0124").count(), 2, "{}", lines(&failure.diagnostics));
}

#[test]
fn sizes_past_the_limit_are_limits() {
    let texts = [
        "n = 1000000000; guarantee { X[n] a; }",
        "n = 1000000000; guarantee { F[0:n] a; }",
        "guarantee { &&[0 <= i < 1000000000] p i; }",
        "guarantee { &&[i IN {0..100000}, j IN {0..100000}] (p i && q j); }",
        "guarantee { a IN {1..1000000000000}; }",
        "always guarantee after 1000000000 { a; }",
        "cell c: 0..1000000 = 0; guarantee { c = 3; }",
        "f x = x && X x; g x = f (f (f (f x))); h x = g (g (g (g x))); guarantee { &&[0 <= i < 100000] h (h (h (p i))); }",
    ];
    for text in texts {
        let (_, result) = load_all(&[text], &LoadOptions::default(), &Table::default());
        let failure = result.err().unwrap_or_else(|| panic!("{text}: no limit was met"));
        assert!(failure.limit.is_some(), "{text}: {}", lines(&failure.diagnostics));
    }
}

#[test]
fn long_chains_do_not_overflow_the_stack() {
    let mut text = String::from("d0 = a;\n");
    for i in 1..20_000 {
        let _ = writeln!(text, "d{i} = X (d{} && f (c)) ;", i - 1);
    }
    text.push_str("guarantee { d19999; }");
    let (_, result) = load_all(&[&text], &LoadOptions::default(), &Table::default());
    let (problem, _) = result.unwrap_or_else(|failure| panic!("{}", super::support::show(&failure)));
    assert!(problem.formulas.size(problem.clauses.as_slice()[0].formula) > 30_000);
}
