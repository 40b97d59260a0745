//! Files and their imports: parses the main files and everything they import, and gives each file the
//! prefix of its names.

use crate::syntax::ast::{Import, Item, Module};
use crate::syntax::{Expression, parse_tsl};
use tsl_synth_core::diag::{Code, Diagnostic, Diagnostics};
use tsl_synth_core::source::{SourceId, SourceMap, Span};
use tsl_synth_ltl::operators::Dialect;

/// Imports nested deeper than this are an error.
pub const IMPORT_DEPTH: usize = 32;
/// The library `import patterns`.
const PATTERNS: &str = include_str!("patterns.tsl");
/// More files than this are an error.
pub const IMPORT_FILES: usize = 1024;

/// A file that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loaded {
    /// A name that is the same for every path to this file, by which import cycles are found. [`Loader::load`] gets it
    /// as `from` for the imports of this file.
    pub canonical: String,
    /// The name shown to the user.
    pub name: String,
    /// The text.
    pub text: String,
}

/// Why a file was not found.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LoadError {
    /// There is no such file; holds the path that was tried.
    NotFound(String),
    /// The file is outside the root of imports; holds the root.
    OutsideRoot(String),
    /// The file is not UTF-8 text.
    NotText,
    /// The file cannot be read; holds the reason.
    Unreadable(String),
}

impl std::fmt::Display for LoadError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NotFound(name) => write!(f, "there is no file `{name}`"),
            Self::OutsideRoot(root) => write!(f, "the file is outside of `{root}`"),
            Self::NotText => f.write_str("the file is not UTF-8 text"),
            Self::Unreadable(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for LoadError {}

/// Finds imported files. The implementation in the binary rejects files outside the root of imports.
pub trait Loader {
    /// The file that `path` names when written in the file `from` (its canonical name).
    ///
    /// # Errors
    /// When it is not there, not allowed, or not text.
    fn load(&self, from: &str, path: &str) -> Result<Loaded, LoadError>;
}

/// A loader without any files.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoImports;

impl Loader for NoImports {
    fn load(&self, _from: &str, path: &str) -> Result<Loaded, LoadError> {
        Err(LoadError::NotFound(path.into()))
    }
}

/// A main file: its text in the map, and the name under which its imports are looked up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MainFile {
    /// The text.
    pub source: SourceId,
    /// Given to [`Loader::load`] as `from`.
    pub canonical: String,
}

/// A parsed file with the prefix of its names: `""` or `"Mod."`.
#[derive(Debug)]
pub(super) struct Unit {
    pub(super) module: Module,
    pub(super) prefix: String,
    canonical: String,
    parent: Option<usize>,
    depth: usize,
}

impl Unit {
    /// A file that holds one expression and nothing else.
    pub(super) fn of_expression(expression: &Expression, source: SourceId) -> Self {
        Self {
            module: Module { source, theory: None, items: Vec::new(), exprs: expression.exprs.clone() },
            prefix: String::new(),
            canonical: String::new(),
            parent: None,
            depth: 0,
        }
    }
}

/// All files, imported ones before those that import them.
pub(super) fn load_units(
    files: &[MainFile],
    dialect: Dialect,
    map: &mut SourceMap,
    loader: &dyn Loader,
    diagnostics: &mut Diagnostics,
) -> Vec<Unit> {
    let mut loading = Loading { units: Vec::new(), order: Vec::new(), diagnostics, dialect };
    for file in files {
        let from = loading.order.len();
        if let Some(module) = parse_tsl(map, file.source, dialect, loading.diagnostics) {
            let unit = Unit {
                module,
                prefix: String::new(),
                canonical: file.canonical.clone(),
                parent: None,
                depth: 0,
            };
            loading.add(unit, map, loader);
        }
        // Units were numbered importer first; their reverse has imports first.
        loading.order[from..].reverse();
    }
    let order = std::mem::take(&mut loading.order);
    let mut units: Vec<Option<Unit>> = loading.units.into_iter().map(Some).collect();
    order.into_iter().filter_map(|i| units[i].take()).collect()
}

struct Loading<'a> {
    units: Vec<Unit>,
    order: Vec<usize>,
    diagnostics: &'a mut Diagnostics,
    dialect: Dialect,
}

impl Loading<'_> {
    fn add(&mut self, main: Unit, map: &mut SourceMap, loader: &dyn Loader) {
        let mut stack = vec![main];
        while let Some(unit) = stack.pop() {
            let index = self.units.len();
            let imports: Vec<_> = unit
                .module
                .items
                .iter()
                .filter_map(|item| if let Item::Import(import) = item { Some(import.clone()) } else { None })
                .collect();
            self.units.push(unit);
            self.order.push(index);
            for import in &imports {
                let found = if import.is_library {
                    self.library(index, import, map)
                } else {
                    let name = import.module.as_ref().map_or("", |name| &*name.text);
                    self.import(index, &import.path.text, import.path.span, name, map, loader)
                };
                // Two imports of one file under one name are one import.
                stack.extend(found.filter(|unit| {
                    !self
                        .units
                        .iter()
                        .chain(&stack)
                        .any(|u| u.canonical == unit.canonical && u.prefix == unit.prefix)
                }));
            }
        }
    }

    /// The file of a library that comes with the program.
    fn library(&mut self, parent: usize, import: &Import, map: &mut SourceMap) -> Option<Unit> {
        let name = format!("<{}>", import.path.text);
        let known = map.iter().find(|(_, source)| source.name == name).map(|(id, _)| id);
        let source = known.unwrap_or_else(|| map.add(name.clone(), PATTERNS));
        let module = parse_tsl(map, source, Dialect::TslSynth, self.diagnostics)?;
        let prefix = match &import.module {
            Some(name) => format!("{}{}.", self.units[parent].prefix, name.text),
            None => self.units[parent].prefix.clone(),
        };
        let depth = self.units[parent].depth + 1;
        Some(Unit { module, prefix, canonical: name, parent: Some(parent), depth })
    }

    fn import(
        &mut self,
        parent: usize,
        path: &str,
        span: Span,
        name: &str,
        map: &mut SourceMap,
        loader: &dyn Loader,
    ) -> Option<Unit> {
        let depth = self.units[parent].depth + 1;
        if depth > IMPORT_DEPTH || self.units.len() > IMPORT_FILES {
            let message = format!(
                "imports are nested deeper than {IMPORT_DEPTH}, or are more than {IMPORT_FILES} files"
            );
            self.diagnostics
                .push(Diagnostic::error(Code::IMPORT, message).at(span, "this import is one too many"));
            return None;
        }
        let loaded = match loader.load(&self.units[parent].canonical, path) {
            Ok(loaded) => loaded,
            Err(error) => {
                self.diagnostics.push(load_diagnostic(error, path, span));
                return None;
            }
        };
        let mut chain = vec![loaded.canonical.as_str()];
        let mut above = Some(parent);
        while let Some(i) = above {
            chain.push(&self.units[i].canonical);
            if self.units[i].canonical == loaded.canonical {
                let shown: Vec<_> =
                    chain.iter().rev().map(|c| c.rsplit(['/', '\\']).next().unwrap_or(c)).collect();
                self.diagnostics.push(
                    Diagnostic::error(
                        Code::IMPORT_CYCLE,
                        format!("this import closes a cycle: {}", shown.join(" -> ")),
                    )
                    .at(span, "imports a file that imports this one")
                    .hint("move what both files need into a third file"),
                );
                return None;
            }
            above = self.units[i].parent;
        }
        let source = map.add(loaded.name, loaded.text);
        let module = parse_tsl(map, source, self.dialect, self.diagnostics)?;
        let prefix = format!("{}{name}.", self.units[parent].prefix);
        Some(Unit { module, prefix, canonical: loaded.canonical, parent: Some(parent), depth })
    }
}

fn load_diagnostic(error: LoadError, path: &str, span: Span) -> Diagnostic {
    match error {
        LoadError::NotFound(looked) => {
            Diagnostic::error(Code::IMPORT_NOT_FOUND, format!("the imported file `{path}` does not exist"))
                .at(span, "not found")
                .hint(format!("looked for `{looked}`; paths are relative to the importing file"))
        }
        LoadError::OutsideRoot(root) => Diagnostic::error(
            Code::IMPORT_OUTSIDE_ROOT,
            format!("the imported file `{path}` is outside the import root"),
        )
        .at(span, "leaves the root")
        .hint(format!("the root is `{root}`; `--import-root` names another one")),
        LoadError::NotText => {
            Diagnostic::error(Code::NOT_TEXT, format!("`{path}` is not UTF-8 text")).at(span, "imported here")
        }
        LoadError::Unreadable(why) => {
            Diagnostic::error(Code::CANNOT_READ, format!("the imported file `{path}` cannot be read: {why}"))
                .at(span, "imported here")
        }
    }
}
