//! The folder of `--evidence`.

use crate::exit::Exit;
use crate::{output, terminal};
use anyhow::{Context, Result, anyhow};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use tsl_synth_core::model::Verdict;
use tsl_synth_core::source::SourceMap;
use tsl_synth_service::{CheckReport, FailureKind, Session};

/// The folder that evidence is written to.
pub(super) struct EvidenceFolder {
    folder: PathBuf,
    /// The names of its subfolders so far, one for each of several specifications; `None` for a single one.
    taken: Option<BTreeSet<String>>,
    /// The exit code of the worst error, if any.
    worst: Option<Exit>,
}

impl EvidenceFolder {
    /// A folder that is new or empty, for one specification or several.
    ///
    /// # Errors
    /// If the folder is not empty or cannot be created.
    pub(super) fn new(folder: &Path, several: bool) -> Result<Self> {
        let shown = folder.display();
        crate::files::make_folder(folder)?;
        let mut entries =
            std::fs::read_dir(folder).with_context(|| format!("cannot read the folder `{shown}`"))?;
        if entries.next().is_some() {
            return Err(anyhow!("the folder `{shown}` is not empty: evidence needs a folder of its own"));
        }
        Ok(Self { folder: folder.to_path_buf(), taken: several.then(BTreeSet::new), worst: None })
    }

    /// Writes the evidence for a verdict; there is none for UNKNOWN.
    pub(super) fn add(&mut self, report: &CheckReport, sources: &SourceMap) {
        if matches!(report.verdict, Verdict::Unknown(_)) || report.numbers.is_some() {
            let name = terminal::escape(&report.name);
            let why = match report.numbers {
                Some(_) => "games over numbers cannot be replayed by other programs yet",
                None => "there is no verdict",
            };
            terminal::eprint(&format!("note: no evidence for `{name}`: {why}\n"));
            return;
        }
        let exit = match self.write(report, sources) {
            Ok(()) => return,
            Err(Wrong::Io(error)) => output::error(&error),
            Err(Wrong::Internal(why)) => output::internal(&why),
        };
        self.worst = Some(self.worst.map_or(exit, |worst| worst.worst(exit)));
    }

    /// The worse of the given exit code and that of the errors here.
    pub(super) fn finish(self, exit: Exit) -> Exit {
        self.worst.map_or(exit, |worst| worst.worst(exit))
    }

    fn write(&mut self, report: &CheckReport, sources: &SourceMap) -> Result<(), Wrong> {
        let mut session = Session::new();
        session.sources = sources.clone();
        let evidence = session.evidence(report).map_err(|failure| match failure.kind {
            FailureKind::Internal(why) => Wrong::Internal(why),
            _ => Wrong::Io(anyhow!(failure.reason())),
        })?;
        let folder = self.folder_of(&report.name);
        for file in &evidence.files {
            let path = file.path.split('/').fold(folder.clone(), |path, part| path.join(part));
            if let Some(parent) = path.parent() {
                crate::files::make_folder(parent)?;
            }
            output::write_file(&path, file.bytes())?;
        }
        Ok(())
    }

    /// The folder of a specification, named after it with `_` for characters that are special in file names.
    fn folder_of(&mut self, name: &str) -> PathBuf {
        let Some(taken) = &mut self.taken else { return self.folder.clone() };
        let plain = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_') { c } else { '_' };
        let own: String = name.trim_start_matches(['.', '/']).chars().map(plain).collect();
        let own = if own.is_empty() { "spec".into() } else { own };
        let numbered = |n: usize| if n == 1 { own.clone() } else { format!("{own}-{n}") };
        let mut n = 1;
        while !taken.insert(numbered(n)) {
            n += 1;
        }
        self.folder.join(numbered(n))
    }
}

enum Wrong {
    Io(anyhow::Error),
    Internal(String),
}

impl From<anyhow::Error> for Wrong {
    fn from(error: anyhow::Error) -> Self {
        Self::Io(error)
    }
}
