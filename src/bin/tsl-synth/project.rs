//! Which specification is meant when none is named: `tsl-synth.toml` in this folder or above, else the only
//! specification in this folder.

use crate::args::{DialectArg, EngineArg, EngineArgs, InputArgs};
use crate::units;
use anyhow::{Context, Result, anyhow, bail};
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// The name of the project file.
pub(crate) const FILE_NAME: &str = "tsl-synth.toml";

/// A project file as written.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Project {
    spec: Option<OneOrMany>,
    #[serde(default)]
    inputs: Vec<String>,
    #[serde(default)]
    outputs: Vec<String>,
    #[serde(default)]
    options: ProjectOptions,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum OneOrMany {
    One(PathBuf),
    Many(Vec<PathBuf>),
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct ProjectOptions {
    engine: Option<EngineArg>,
    bound: Option<u32>,
    refinements: Option<u32>,
    no_certify: Option<bool>,
    deterministic: Option<bool>,
    time_limit: Option<String>,
    memory_limit: Option<String>,
    threads: Option<u32>,
    seed: Option<u64>,
    dialect: Option<DialectArg>,
    strict: Option<bool>,
    import_root: Option<PathBuf>,
}

/// Completes what the command line left open. Flags win over the project file.
///
/// # Errors
/// What is wrong with the project file, or what was looked for in vain.
pub(crate) fn complete(input: &mut InputArgs, engine: &mut EngineArgs) -> Result<()> {
    if !input.specs.is_empty() || !input.formula.is_empty() {
        return Ok(());
    }
    let here = std::env::current_dir().context("the current folder cannot be read")?;
    let Some(file) = here.ancestors().map(|folder| folder.join(FILE_NAME)).find(|file| file.is_file()) else {
        input.specs = vec![only_specification()?];
        return Ok(());
    };
    let name = relative(&here, &file);
    let text = std::fs::read_to_string(&file).with_context(|| format!("cannot read `{}`", name.display()))?;
    let project: Project = toml::from_str(&text)
        .map_err(|e| anyhow!("in `{}`: {}", name.display(), e.to_string().trim_end()))?;
    let folder = name.parent().unwrap_or(Path::new("")).to_path_buf();
    input.specs = match project.spec {
        Some(OneOrMany::One(path)) => vec![folder.join(path)],
        Some(OneOrMany::Many(paths)) => paths.iter().map(|path| folder.join(path)).collect(),
        None => vec![only_specification()?],
    };
    if input.specs.is_empty() {
        bail!("`{}` names no specification: `spec` is empty", name.display());
    }
    if input.ins.is_empty() && input.outs.is_empty() {
        input.ins = project.inputs;
        input.outs = project.outputs;
    }
    let options = project.options;
    let in_file = |key: &str, error: String| anyhow!("in `{}`: options.{key}: {error}", name.display());
    let time = options.time_limit.as_deref().map(units::time).transpose();
    let memory = options.memory_limit.as_deref().map(units::memory).transpose();
    engine.time_limit = engine.time_limit.or(time.map_err(|e| in_file("time-limit", e))?);
    engine.memory_limit = engine.memory_limit.or(memory.map_err(|e| in_file("memory-limit", e))?);
    engine.engine = engine.engine.or(options.engine);
    engine.bound = engine.bound.or(options.bound);
    engine.refinements = engine.refinements.or(options.refinements);
    engine.no_certify |= options.no_certify.unwrap_or(false);
    engine.deterministic |= options.deterministic.unwrap_or(false);
    engine.threads = engine.threads.or(options.threads);
    engine.seed = engine.seed.or(options.seed);
    input.dialect = input.dialect.or(options.dialect);
    input.strict |= options.strict.unwrap_or(false);
    input.import_root = input.import_root.take().or(options.import_root.map(|path| folder.join(path)));
    Ok(())
}

/// `file` as seen from `here`, which is below its folder or the same.
fn relative(here: &Path, file: &Path) -> PathBuf {
    let depth =
        file.parent().and_then(|folder| here.strip_prefix(folder).ok()).map_or(0, |p| p.components().count());
    let mut path: PathBuf = std::iter::repeat_n("..", depth).collect();
    path.push(FILE_NAME);
    path
}

/// The only specification in the current folder.
fn only_specification() -> Result<PathBuf> {
    let entries = std::fs::read_dir(".").context("the current folder cannot be read")?;
    let mut found: Vec<PathBuf> = entries
        .filter_map(Result::ok)
        .map(|entry| PathBuf::from(entry.file_name()))
        .filter(|path| {
            path.extension().is_some_and(|e| e == "tsl" || e == "ltl" || e == "tlsf") && path.is_file()
        })
        .collect();
    found.sort();
    match found.as_slice() {
        [only] => Ok(only.clone()),
        [] => Err(anyhow!(
            "no specification was named; looked for `{FILE_NAME}` in this folder and above, and for one \
             `.tsl`, `.ltl` or `.tlsf` file in this folder"
        )),
        many => {
            let names: Vec<_> = many.iter().take(5).map(|path| format!("`{}`", path.display())).collect();
            let more = if many.len() > names.len() { ", ..." } else { "" };
            Err(anyhow!(
                "no specification was named; there is no `{FILE_NAME}` in this folder or above, and this \
                 folder holds {} specifications: {}{more}. Name one, or use `--each` with several",
                many.len(),
                names.join(", ")
            ))
        }
    }
}
