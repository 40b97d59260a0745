//! The project file: if the command line names no specification, `tsl-synth.toml` in this folder or above does, else it
//! is the only specification in this folder.

mod keys;

use crate::files::PROJECT_FILE;
use crate::flags::{Deny, EngineArgs, InputArgs, OutputFormat};
use crate::targets::{CheckTarget, expand};
use anyhow::{Context, Result, anyhow, bail};
use keys::TableKeys;
use std::path::{Path, PathBuf};
use tsl_synth_service::SpecLanguage;

/// The options of a project file for `check`, which flags override.
#[derive(Debug, Default)]
pub(crate) struct CheckOptions {
    /// The project file, if it was read; the specifications are then those that it names.
    pub(crate) file: Option<PathBuf>,
    pub(crate) each: bool,
    pub(crate) jobs: Option<u32>,
    pub(crate) deny: Vec<Deny>,
    pub(crate) format: Option<OutputFormat>,
    pub(crate) cache: Option<PathBuf>,
    pub(crate) baseline: Option<PathBuf>,
}

/// Completes the flags by the project file, for a verb that takes one specification.
///
/// # Errors
/// When the project file has an error, or there is not exactly one specification.
pub(crate) fn complete(input: &mut InputArgs, engine: &mut EngineArgs) -> Result<()> {
    let options = fill(input, engine)?;
    let Some(file) = options.file else { return Ok(()) };
    let targets = expand(&input.specs, false);
    input.specs = targets.list.iter().map(|target| target.path().to_path_buf()).collect();
    for target in &targets.list {
        if let CheckTarget::Nothing(name, why) = target {
            bail!("in `{}`: spec: `{}`: {why}", file.display(), name.display());
        }
    }
    if !(options.each || targets.folder) || input.specs.len() < 2 {
        return Ok(());
    }
    bail!(
        "`{}` names {} specifications, each by itself: {}. Name the one that is meant",
        file.display(),
        input.specs.len(),
        few(&input.specs)
    )
}

/// The first five of some paths.
fn few(paths: &[PathBuf]) -> String {
    let names: Vec<_> = paths.iter().take(5).map(|path| format!("`{}`", path.display())).collect();
    let more = if paths.len() > names.len() { ", ..." } else { "" };
    format!("{}{more}", names.join(", "))
}

/// Completes the flags by the project file if they name no specification. Flags take precedence.
pub(crate) fn fill(input: &mut InputArgs, engine: &mut EngineArgs) -> Result<CheckOptions> {
    if !input.specs.is_empty() || !input.formula.is_empty() {
        return Ok(CheckOptions::default());
    }
    let here = std::env::current_dir().context("the current folder cannot be read")?;
    let Some(file) = here.ancestors().map(|folder| folder.join(PROJECT_FILE)).find(|file| file.is_file())
    else {
        input.specs = vec![only_specification()?];
        return Ok(CheckOptions::default());
    };
    let name = relative(&here, &file);
    let text = std::fs::read_to_string(&file).with_context(|| format!("cannot read `{}`", name.display()))?;
    read(&text, &name, input, engine).with_context(|| format!("in `{}`", name.display()))
}

/// The project file of this folder or above, or the only specification in this folder: what is meant if nothing is named.
pub(crate) fn of_folder() -> Option<PathBuf> {
    let here = std::env::current_dir().ok()?;
    let file = here.ancestors().map(|folder| folder.join(PROJECT_FILE)).find(|file| file.is_file());
    file.map(|file| relative(&here, &file)).or_else(|| only_specification().ok())
}

/// The input options of the nearest project file above a specification, if that file names the specification.
pub(crate) fn options_of(spec: &Path) -> Option<InputArgs> {
    let spec = std::fs::canonicalize(spec).ok()?;
    let file =
        spec.ancestors().skip(1).map(|folder| folder.join(PROJECT_FILE)).find(|file| file.is_file())?;
    let text = std::fs::read_to_string(&file).ok()?;
    let mut input = InputArgs::default();
    read(&text, &file, &mut input, &mut EngineArgs::default()).ok()?;
    let targets = expand(&input.specs, false);
    let mut named = targets.list.iter().filter_map(|target| std::fs::canonicalize(target.path()).ok());
    named.any(|path| path == spec).then_some(input)
}

/// Reads the text of the project file into the options that the flags left open.
fn read(text: &str, name: &Path, input: &mut InputArgs, engine: &mut EngineArgs) -> Result<CheckOptions> {
    let folder = name.parent().unwrap_or(Path::new("")).to_path_buf();
    let mut project = TableKeys::read(text)?;
    let specs = project.texts("spec")?;
    let (ins, outs) = (project.texts("inputs")?, project.texts("outputs")?);
    let mut options = project.table("options")?;
    project.end()?;

    let check = CheckOptions {
        file: Some(name.to_path_buf()),
        each: options.flag("each")?,
        jobs: options.number("jobs", 1..=1024)?,
        deny: options.parsed_list("deny")?,
        format: options.word("format")?,
        cache: options.text("cache")?.map(|path| folder.join(path)),
        baseline: options.text("baseline")?.map(|path| folder.join(path)),
    };
    input.specs = match specs {
        None => vec![only_specification()?],
        Some(names) if names.is_empty() => bail!("spec: the list is empty"),
        Some(names) => names.iter().map(|name| folder.join(name)).collect(),
    };
    if input.ins.is_empty() && input.outs.is_empty() {
        input.ins = ins.unwrap_or_default();
        input.outs = outs.unwrap_or_default();
    }
    engine.time_limit = engine.time_limit.or(options.read_with("time-limit", crate::units::time)?);
    engine.memory_limit = engine.memory_limit.or(options.read_with("memory-limit", crate::units::memory)?);
    engine.engine = engine.engine.or(options.word("engine")?);
    engine.bound = engine.bound.or(options.number("bound", 0..=u32::MAX)?);
    engine.refinements = engine.refinements.or(options.number("refinements", 0..=u32::MAX)?);
    engine.prefer = engine.prefer.or(options.read_with("prefer", crate::flags::prefer)?);
    engine.no_certify |= options.flag("no-certify")?;
    engine.deterministic |= options.flag("deterministic")?;
    engine.threads = engine.threads.or(options.number("threads", 1..=1024)?);
    engine.seed = engine.seed.or(options.number("seed", 0..=i64::MAX as u64)?);
    input.dialect = input.dialect.or(options.word("dialect")?);
    input.strict |= options.flag("strict")?;
    let import_root = options.text("import-root")?.map(|path| folder.join(path));
    input.import_root = input.import_root.take().or(import_root);
    options.end()?;
    Ok(check)
}

/// The path of the project file `file` relative to `here`, which is its folder or below it.
fn relative(here: &Path, file: &Path) -> PathBuf {
    let depth =
        file.parent().and_then(|folder| here.strip_prefix(folder).ok()).map_or(0, |p| p.components().count());
    let mut path: PathBuf = std::iter::repeat_n("..", depth).collect();
    path.push(PROJECT_FILE);
    path
}

/// The only specification in the current folder.
fn only_specification() -> Result<PathBuf> {
    let entries = std::fs::read_dir(".").context("the current folder cannot be read")?;
    let mut found: Vec<PathBuf> = entries
        .filter_map(Result::ok)
        .map(|entry| PathBuf::from(entry.file_name()))
        .filter(|path| SpecLanguage::of_ending(path).is_some() && path.is_file())
        .collect();
    found.sort();
    match found.as_slice() {
        [only] => Ok(only.clone()),
        [] => Err(anyhow!(
            "no specification was named; looked for `{PROJECT_FILE}` in this folder and above, and for one \
             `.tsl`, `.ltl` or `.tlsf` file in this folder"
        )),
        many => Err(anyhow!(
            "no specification was named; there is no `{PROJECT_FILE}` in this folder or above, and this \
             folder holds {} specifications: {}. Name one, or check them all with `check .`",
            many.len(),
            few(many)
        )),
    }
}
