//! Until the loader lands.
#![allow(missing_docs, dead_code)]
use tsl_synth::source::{SourceId, SourceMap};
use tsl_synth::diag::Diagnostics;
use tsl_synth::spec::Problem;
use tsl_synth::base::Limit;
use tsl_synth::syntax::Dialect;
pub(crate) struct Loaded { pub canonical: String, pub name: String, pub text: String }
pub(crate) enum LoadError { NotFound(String), OutsideRoot(String), NotText, Unreadable(String) }
pub(crate) trait Loader { fn load(&self, from: &str, path: &str) -> Result<Loaded, LoadError>; }
pub(crate) struct MainFile { pub source: SourceId, pub canonical: String }
#[derive(Clone, Debug, Default)]
pub(crate) struct LoadOptions { pub dialect: Dialect }
#[derive(Clone, Debug, Default)]
pub(crate) struct Failure { pub diagnostics: Diagnostics, pub limit: Option<Limit> }
pub(crate) fn load_tsl(files: &[MainFile], options: &LoadOptions, map: &mut SourceMap, _loader: &dyn Loader) -> Result<(Problem, Diagnostics), Failure> {
    let mut diagnostics = Diagnostics::new();
    for f in files { tsl_synth::syntax::parse_tsl(map, f.source, options.dialect, &mut diagnostics); }
    Err(Failure { diagnostics, limit: None })
}
