//! The file of `--certificate`.

use crate::exit::Exit;
use crate::{output, terminal};
use anyhow::{Result, anyhow};
use std::path::{Path, PathBuf};
use tsl_synth_core::model::Verdict;
use tsl_synth_core::source::SourceMap;
use tsl_synth_service::{CheckReport, FailureKind, Session};

/// The file that a certificate is written to.
pub(super) struct CertificateFile {
    path: PathBuf,
    parameters: Vec<(String, i64)>,
    /// The exit code of what went wrong, if anything did.
    worst: Option<Exit>,
}

impl CertificateFile {
    /// A file for the certificate of one specification.
    ///
    /// # Errors
    /// If there are several specifications.
    pub(super) fn new(path: &Path, parameters: &[(String, i64)], several: bool) -> Result<Self> {
        if several {
            return Err(anyhow!("`--certificate` is for one specification at a time"));
        }
        Ok(Self { path: path.to_path_buf(), parameters: parameters.to_vec(), worst: None })
    }

    /// Writes the certificate of a verdict. Where there is none, a note says why, and the file is left as it is.
    pub(super) fn write(&mut self, report: &CheckReport, sources: &SourceMap) {
        let mut session = Session::new();
        session.sources = sources.clone();
        let name = terminal::escape(&report.name);
        let exit = match session.certificate(report, &self.parameters) {
            Ok(certificate) => match output::write_file(&self.path, certificate.text.as_bytes()) {
                Ok(()) => return,
                Err(error) => output::error(&error),
            },
            Err(failure) => match failure.kind {
                FailureKind::Internal(why) => output::internal(&why),
                _ if matches!(report.verdict, Verdict::Unknown(_)) && report.numbers.is_none() => {
                    terminal::eprint(&format!("note: no certificate for `{name}`: there is no verdict\n"));
                    return;
                }
                _ => {
                    let why = terminal::escape(&failure.reason());
                    terminal::eprint(&format!("note: no certificate for `{name}`: {why}\n"));
                    Exit::Unknown
                }
            },
        };
        self.worst = Some(self.worst.map_or(exit, |worst| worst.worst(exit)));
    }

    /// The worse of the given exit code and that of what went wrong here.
    pub(super) fn finish(self, exit: Exit) -> Exit {
        self.worst.map_or(exit, |worst| worst.worst(exit))
    }
}
