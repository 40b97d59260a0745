//! Every specification parses in the dialects it was written for: those of the gallery, and the public ones where
//! the corpus is there.

use crate::gallery;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use tsl_synth_testkit::more;

use tsl_synth_core::diag::{Diagnostics, Severity};
use tsl_synth_core::source::{SourceMap, Span};
use tsl_synth_lang::syntax::ast::{AlternativeGuard, Definition, ExprKind, Import, Item, Module};
use tsl_synth_lang::syntax::{
    Parentheses, format_tsl, parse_tsl, parse_tsl_expression, print_expression, print_module,
};
use tsl_synth_ltl::operators::Dialect;

/// The folder of public specifications, which is not part of this repository.
pub(super) fn corpus() -> Option<PathBuf> {
    more("cases/tsl")
}

/// Findings as text: a line `line:column severity code: message` each, followed by lines for labels and hints.
pub(crate) fn render(map: &SourceMap, diagnostics: &Diagnostics) -> String {
    let mut text = String::new();
    for d in diagnostics {
        let place = d.labels.first().map_or_else(String::new, |l| {
            let p = map.positions(l.span).0;
            format!("{}:{} ", p.line, p.column)
        });
        let severity = match d.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        };
        let _ = writeln!(text, "{place}{severity} {}: {}", d.code, d.message);
        if let Some(label) = d.labels.first().filter(|l| !l.text.is_empty()) {
            let _ = writeln!(text, "  here: {}", label.text);
        }
        for label in d.labels.iter().skip(1) {
            let p = map.positions(label.span).0;
            let _ = writeln!(text, "  {}:{} {}", p.line, p.column, label.text);
        }
        for hint in &d.hints {
            let _ = writeln!(text, "  hint: {hint}");
        }
    }
    text
}

/// The name of each file, and whether Barnard-PL-Labs/tsltools (the fork) and reactive-systems/tsltools parse it.
pub(super) fn rows(folder: &Path) -> Vec<(String, bool, bool)> {
    let index = std::fs::read_to_string(folder.join("INDEX.csv")).expect("the corpus has an index");
    let mut rows = Vec::new();
    for line in index.lines().skip(1) {
        let name = line.split(',').next().unwrap_or("").to_owned();
        // Earlier fields may have quoted commas, so that the two columns are found by their values.
        let fork = line.contains(",ok,ok,") || line.contains(",ok,fail,");
        let orig = line.contains(",ok,ok,") || line.contains(",fail,ok,");
        rows.push((name, fork, orig));
    }
    rows
}

/// Short texts, and whether they are read, in every dialect: operators that Barnard-PL-Labs/tsltools lacks are, too.
const TEXTS: [(&str, bool); 8] = [
    ("always guarantee { a -> F b; }", true),
    ("always guarantee { [x <- f y] U p x || !G (a && b); }", true),
    ("always guarantee { a S b; Y a -> O b; }", true),
    ("always guarantee { &&[i IN {1, 2}] p i; }", true),
    ("always guarantee { a && ; }", false),
    ("always guarantee { (a -> b; }", false),
    ("always guarantee { [x <- ]; }", false),
    ("always guarantee { a b <- c; }", false),
];
const ALL: [Dialect; 3] = [Dialect::TslSynth, Dialect::Tsltools, Dialect::Barnard];

#[test]
fn every_file_parses_in_its_dialects() {
    for (text, reads) in TEXTS {
        for dialect in ALL {
            let mut map = SourceMap::new();
            let source = map.add("text.tsl", text);
            let mut diagnostics = Diagnostics::new();
            let module = parse_tsl(&map, source, dialect, &mut diagnostics);
            assert_eq!(module.is_some(), reads, "{dialect:?}: {text}\n{}", render(&map, &diagnostics));
        }
    }
    if let Some(folder) = corpus() {
        every_public_file_parses_in_its_dialects(&folder);
    }
}

fn every_public_file_parses_in_its_dialects(folder: &Path) {
    let mut failures = String::new();
    let mut warned = 0;
    let mut count = 0;
    for (name, fork, orig) in rows(folder) {
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
                let _ = write!(failures, "{name} {dialect:?}\n{}", render(&map, &diagnostics));
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

/// Whether two modules are equal up to spans; with `exact` they must have the same parentheses, too.
pub(super) fn same_modules(a: &Module, b: &Module, exact: bool) -> bool {
    let same = |x, y| a.exprs.same(x, &b.exprs, y, !exact);
    a.theory.as_ref().map(|t| t.kind) == b.theory.as_ref().map(|t| t.kind)
        && a.items.len() == b.items.len()
        && a.items.iter().zip(&b.items).all(|(x, y)| match (x, y) {
            (Item::Import(x), Item::Import(y)) => {
                let name = |import: &Import| import.module.as_ref().map(|name| name.text.clone());
                x.path.text == y.path.text && x.is_library == y.is_library && name(x) == name(y)
            }
            (Item::Section(x), Item::Section(y)) => {
                x.mode == y.mode
                    && x.kind == y.kind
                    && x.after.is_some() == y.after.is_some()
                    && x.clauses.len() == y.clauses.len()
                    && x.clauses.iter().zip(&y.clauses).all(|(x, y)| same(*x, *y))
            }
            (Item::Definition(x), Item::Definition(y)) => {
                let names = |d: &Definition| -> Vec<String> {
                    [&d.name].into_iter().chain(&d.parameters).map(|n| n.text.to_string()).collect()
                };
                names(x) == names(y)
                    && x.alternatives.len() == y.alternatives.len()
                    && x.alternatives.iter().zip(&y.alternatives).all(|(x, y)| {
                        same(x.body, y.body)
                            && match (x.guard, y.guard) {
                                (AlternativeGuard::When(x), AlternativeGuard::When(y)) => same(x, y),
                                (AlternativeGuard::None, AlternativeGuard::None)
                                | (AlternativeGuard::Otherwise(_), AlternativeGuard::Otherwise(_)) => true,
                                _ => false,
                            }
                    })
            }
            (Item::Declaration(x), Item::Declaration(y)) => {
                x.kind == y.kind
                    && x.names.iter().map(|n| &n.text).eq(y.names.iter().map(|n| &n.text))
                    && x.signature.is_some() == y.signature.is_some()
                    && x.init.is_some() == y.init.is_some()
            }
            _ => false,
        })
}

/// Parses, formats, and checks that nothing but the layout changed.
pub(super) fn check_format(name: &str, text: &str, dialect: Dialect) -> Option<String> {
    let mut map = SourceMap::new();
    let mut diagnostics = Diagnostics::new();
    let source = map.add(name, text);
    let module = parse_tsl(&map, source, dialect, &mut diagnostics)?;
    let once = format_tsl(&map, source, dialect, &mut diagnostics).expect("what parses can be formatted");
    let again = map.add("once", once.clone());
    let mut found = Diagnostics::new();
    let Some(reread) = parse_tsl(&map, again, Dialect::TslSynth, &mut found) else {
        panic!("{name}: does not parse after formatting\n{once}\n{}", render(&map, &found));
    };
    let exact = dialect == Dialect::TslSynth;
    assert!(same_modules(&module, &reread, exact), "{name} ({dialect:?}): formatting changed it\n{once}");
    let twice = format_tsl(&map, again, Dialect::TslSynth, &mut found).expect("it parsed");
    assert_eq!(once, twice, "{name}: formatting twice differs");
    let printed = print_module(&module);
    let again = map.add("printed", printed.clone());
    let Some(reread) = parse_tsl(&map, again, Dialect::TslSynth, &mut found) else {
        panic!("{name}: does not parse after printing\n{printed}\n{}", render(&map, &found));
    };
    assert!(same_modules(&module, &reread, false), "{name} ({dialect:?}): printing changed it\n{printed}");
    for id in module
        .exprs
        .ids()
        .step_by(7)
        .filter(|id| !matches!(module.exprs.kind(*id), ExprKind::Progression { .. }))
    {
        let text = print_expression(&module.exprs, id, Parentheses::Needed);
        let source = map.add("expression", text.clone());
        let span = Span::new(source, 0, text.len());
        let Some(expression) = parse_tsl_expression(&map, span, Dialect::TslSynth, &mut found) else {
            panic!("{name}: `{text}` does not parse\n{}", render(&map, &found));
        };
        let same = module.exprs.same(id, &expression.exprs, expression.root, true);
        assert!(same, "{name}: `{text}` reads differently");
    }
    let comments = |text: &str| text.matches("//").count() + text.matches("/*").count();
    assert_eq!(comments(text), comments(&once), "{name}: a comment got lost\n{once}");
    Some(once)
}

#[test]
fn formatting_keeps_every_file() {
    for (text, reads) in TEXTS {
        for dialect in ALL {
            assert_eq!(check_format("text.tsl", text, dialect).is_some(), reads, "{dialect:?}: {text}");
        }
    }
    let mut files = gallery::gallery();
    files.retain(|path| path.extension().is_some_and(|e| e == "tsl"));
    for path in files {
        let text = std::fs::read_to_string(&path).expect("a specification");
        let formatted = check_format(&path.display().to_string(), &text, Dialect::TslSynth);
        // The gallery is in the standard layout.
        assert_eq!(formatted.as_deref(), Some(text.as_str()), "{}", path.display());
    }
    let Some(folder) = corpus() else { return };
    for (name, fork, orig) in rows(&folder) {
        let Ok(text) = std::fs::read_to_string(folder.join(&name)) else { continue };
        let formatted = check_format(&name, &text, Dialect::TslSynth);
        if std::env::var_os("SHOW").is_some() {
            println!("== {name}\n{}", formatted.unwrap_or_default());
        }
        if orig {
            check_format(&name, &text, Dialect::Tsltools);
        }
        if fork {
            check_format(&name, &text, Dialect::Barnard);
        }
    }
}

/// All files of a kind under a folder.
fn files_under(folder: PathBuf, kind: &str) -> Vec<PathBuf> {
    let mut todo = vec![folder];
    let mut files = Vec::new();
    while let Some(path) = todo.pop() {
        if path.is_dir() {
            let entries = std::fs::read_dir(&path).expect("the folder can be read");
            todo.extend(entries.filter_map(|e| Some(e.ok()?.path())));
        } else if path.is_file() && path.extension().is_some_and(|e| e == kind) {
            files.push(path);
        }
    }
    files.sort();
    files
}

#[test]
fn the_gallery_and_the_agents_parse() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = files_under(here.join("specs"), "tsl");
    files.extend(corpus().map(|c| files_under(c.join("../agents"), "tsl")).unwrap_or_default());
    for path in files {
        let name = path.display().to_string();
        let text = std::fs::read_to_string(&path).expect("specifications are text");
        let formatted = check_format(&name, &text, Dialect::TslSynth);
        // One file is kept as the paper prints it, with a parenthesis missing.
        assert_eq!(formatted.is_some(), !name.contains("task3.as-printed"), "{name}");
    }
}

#[test]
fn the_ltl_gallery_parses() {
    for path in files_under(Path::new(env!("CARGO_MANIFEST_DIR")).join("specs"), "ltl") {
        let text = std::fs::read_to_string(&path).expect("specifications are text");
        let mut map = SourceMap::new();
        let source = map.add(path.display().to_string(), text);
        let mut found = Diagnostics::new();
        let module = tsl_synth_ltl::ltl::parse_ltl(&map, source, &|_| false, &mut found);
        assert!(module.is_some(), "{}\n{}", path.display(), render(&map, &found));
    }
}
