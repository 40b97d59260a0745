//! Loading texts and files in tests.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use tsl_synth_core::diag::{Diagnostics, Severity};
use tsl_synth_core::source::SourceMap;
use tsl_synth_lang::spec;
use tsl_synth_lang::spec::{LoadError, LoadFailure, LoadOptions, Loaded, Loader, MainFile, Problem};

/// Imports from a table of texts.
#[derive(Default)]
pub(crate) struct Table(pub(crate) BTreeMap<String, String>);

impl Loader for Table {
    fn load(&self, _from: &str, path: &str) -> Result<Loaded, LoadError> {
        match self.0.get(path) {
            Some(text) => Ok(Loaded { canonical: path.into(), name: path.into(), text: text.clone() }),
            None if path.starts_with("../") => Err(LoadError::OutsideRoot(".".into())),
            None => Err(LoadError::NotFound(path.into())),
        }
    }
}

/// Imports from the file system.
pub(crate) struct Folder;

impl Loader for Folder {
    fn load(&self, from: &str, path: &str) -> Result<Loaded, LoadError> {
        let file = Path::new(from).parent().unwrap_or(Path::new(".")).join(path);
        let file = file.canonicalize().map_err(|_| LoadError::NotFound(file.display().to_string()))?;
        let text = std::fs::read_to_string(&file).map_err(|e| LoadError::Unreadable(e.to_string()))?;
        Ok(Loaded { canonical: file.display().to_string(), name: file.display().to_string(), text })
    }
}

/// Loads texts as the main files of one specification.
pub(crate) fn load_all(
    texts: &[&str],
    options: &LoadOptions,
    loader: &dyn Loader,
) -> (SourceMap, Result<(Problem, Diagnostics), LoadFailure>) {
    let mut map = SourceMap::new();
    let mut files = Vec::new();
    for (i, text) in texts.iter().enumerate() {
        let name = if i == 0 { "main.tsl".to_string() } else { format!("main{i}.tsl") };
        files.push(MainFile { source: map.add(name.clone(), *text), canonical: name });
    }
    let result = spec::load_tsl(&files, options, &mut map, loader);
    (map, result)
}

/// The problem of a text, which must be free of errors.
pub(crate) fn problem(text: &str) -> Problem {
    let (_, result) = load_all(&[text], &LoadOptions::default(), &Table::default());
    match result {
        Ok((problem, _)) => problem,
        Err(failure) => panic!("{text}\n{}", show(&failure)),
    }
}

/// A failure as text.
pub(crate) fn show(failure: &LoadFailure) -> String {
    let mut text = lines(&failure.diagnostics);
    if let Some(limit) = &failure.limit {
        text.push_str(&limit.to_string());
    }
    text
}

/// Diagnostics as text, one per line.
pub(crate) fn lines(diagnostics: &Diagnostics) -> String {
    let mut text = String::new();
    for d in diagnostics.iter().filter(|d| d.severity >= Severity::Note) {
        let _ = write!(text, "{:?} {}: {}", d.severity, d.code, d.message);
        for hint in &d.hints {
            let _ = write!(text, " [{hint}]");
        }
        text.push('\n');
    }
    text
}
