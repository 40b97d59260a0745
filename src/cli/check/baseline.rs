//! The baseline of accepted failures: `--baseline` and `--write-baseline`.
//!
//! A baseline can list UNREALIZABLE, UNKNOWN and denied findings, but no error of the input or of the program, which
//! leaves the specification unchecked.

use super::CheckedSpec;
use super::jobs::CheckJob;
use crate::check::args::CheckArgs;
use crate::flags::Deny;
use crate::{choices, output, terminal};
use anyhow::{Context, Result, anyhow, bail};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use tsl_synth_core::diag::Code;
use tsl_synth_documents::{BaselineDocument, BaselineEntry, CheckVerdict, SCHEMA_VERSION};
use tsl_synth_service::is_stdin;

/// The failures of one specification: a verdict other than REALIZABLE, and denied findings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Failing {
    verdict: Option<CheckVerdict>,
    codes: BTreeSet<Code>,
}

impl Failing {
    fn is_empty(&self) -> bool {
        self.verdict.is_none() && self.codes.is_empty()
    }
    /// Whether all of these failures are also in `known`.
    fn within(&self, known: &Self) -> bool {
        (self.verdict.is_none() || self.verdict == known.verdict) && self.codes.is_subset(&known.codes)
    }
}

/// The known failures, by specification.
#[derive(Debug)]
pub(super) struct Baseline {
    file: PathBuf,
    /// The canonical path of the folder of `file`; names of specifications are relative to it.
    folder: PathBuf,
    known: BTreeMap<String, Failing>,
    write: bool,
    /// Known specifications that no longer fail.
    gone: Vec<String>,
}

impl Baseline {
    /// Reads the file, which need not exist if it will be written.
    ///
    /// # Errors
    /// When the file cannot be read or is not a baseline.
    pub(super) fn read(file: &Path, write: bool) -> Result<Self> {
        let name = file.display();
        let folder = match file.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        let folder = folder.canonicalize().with_context(|| format!("cannot read the folder of `{name}`"))?;
        let known = match std::fs::read_to_string(file) {
            Ok(text) => entries(&text).with_context(|| format!("`{name}` is no baseline"))?,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound && write => BTreeMap::new(),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                bail!("cannot read `{name}`: there is no such file; `--write-baseline` makes it")
            }
            Err(error) => return Err(error).with_context(|| format!("cannot read `{name}`")),
        };
        Ok(Self { file: file.into(), folder, known, write, gone: Vec::new() })
    }

    /// Whether this specification fails and all of its failures are known; with `--write-baseline` they become known.
    pub(super) fn knows(&mut self, job: &CheckJob, answer: &CheckedSpec, denied: &[Deny]) -> bool {
        let verdict = answer.verdict();
        if verdict == CheckVerdict::Error {
            return false;
        }
        let failing = Failing {
            verdict: Some(verdict).filter(|verdict| *verdict != CheckVerdict::Realizable),
            codes: answer.denied(denied),
        };
        let name = self.name(job, answer);
        if failing.is_empty() {
            if self.known.contains_key(&name) {
                if self.write {
                    self.known.remove(&name);
                } else {
                    self.gone.push(name);
                }
            }
            return false;
        }
        if self.write {
            self.known.insert(name, failing);
            return true;
        }
        self.known.get(&name).is_some_and(|known| failing.within(known))
    }

    /// Writes the file, or without `--write-baseline` reports the known specifications that no longer fail.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(super) fn finish(self, args: &CheckArgs) -> Result<()> {
        if !self.write {
            for name in self.gone.iter().filter(|_| !args.output.quiet) {
                terminal::eprint(&format!(
                    "note: `{}` is in the baseline and does not fail any more; `--write-baseline` takes it out\n",
                    terminal::escape(name)
                ));
            }
            return Ok(());
        }
        let entry = |(spec, failing): (String, Failing)| BaselineEntry {
            spec,
            verdict: failing.verdict,
            codes: failing.codes.iter().map(ToString::to_string).collect(),
        };
        let document = BaselineDocument::new(self.known.into_iter().map(entry).collect());
        output::write_file(&self.file, output::json(&document).as_bytes())
    }

    /// The name of a specification: its files relative to the folder of the baseline, with `/`.
    fn name(&self, job: &CheckJob, answer: &CheckedSpec) -> String {
        if job.input.specs.is_empty() {
            return answer.name.clone();
        }
        let names: Vec<String> = job.input.specs.iter().map(|path| relative(&self.folder, path)).collect();
        names.join(", ")
    }
}

/// A path relative to a folder, which is given by its canonical path.
fn relative(folder: &Path, path: &Path) -> String {
    let Some(path) = Some(path).filter(|path| !is_stdin(path)).and_then(|path| path.canonicalize().ok())
    else {
        return path.to_string_lossy().into_owned();
    };
    let common = folder.components().zip(path.components()).take_while(|(a, b)| a == b).count();
    let up = folder.components().skip(common).map(|_| "..".into());
    let down = path.components().skip(common).map(|part| part.as_os_str().to_string_lossy());
    up.chain(down).collect::<Vec<_>>().join("/")
}

fn entries(text: &str) -> Result<BTreeMap<String, Failing>> {
    let document: BaselineDocument = serde_json::from_str(text)?;
    let major = |version: &str| version.split('.').next().map(str::to_string);
    if major(&document.schema_version) != major(SCHEMA_VERSION) {
        bail!("schemaVersion: `{}` is not known here", document.schema_version);
    }
    let mut known = BTreeMap::new();
    for BaselineEntry { spec, verdict, codes } in document.known {
        if !matches!(verdict, None | Some(CheckVerdict::Unrealizable | CheckVerdict::Unknown)) {
            bail!("`{spec}`: only UNREALIZABLE and UNKNOWN can be known");
        }
        let code =
            |text: &String| choices::parse_code(text).ok_or_else(|| anyhow!("`{spec}`: `{text}` is no code"));
        let codes = codes.iter().map(code).collect::<Result<_>>()?;
        if known.insert(spec.clone(), Failing { verdict, codes }).is_some() {
            bail!("`{spec}` is there twice");
        }
    }
    Ok(known)
}
