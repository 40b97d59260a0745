//! The argument of `check --report`: a form of the result and a file.

use crate::flags::OutputFormat;
use clap::ValueEnum;
use std::path::PathBuf;

/// The form of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReportForm {
    /// As with `--format`.
    Result(OutputFormat),
    /// The table of `--summary`.
    Markdown,
}

/// A report in a file.
#[derive(Clone, Debug)]
pub(crate) struct ReportFile {
    pub(super) form: ReportForm,
    pub(super) path: PathBuf,
}

/// Reads `FORMAT=FILE`.
pub(crate) fn report_file(text: &str) -> Result<ReportFile, String> {
    let (form, path) = text.split_once('=').ok_or("expected FORMAT=FILE, such as sarif=findings.sarif")?;
    let form = match (form, OutputFormat::from_str(form, false)) {
        ("markdown" | "md", _) => ReportForm::Markdown,
        (_, Ok(format)) if format != OutputFormat::Text => ReportForm::Result(format),
        _ => return Err("expected one of json, github, sarif, junit, markdown before `=`".into()),
    };
    if path.is_empty() || path == "-" {
        return Err("name a file after `=`: standard output is for `--format`".into());
    }
    Ok(ReportFile { form, path: path.into() })
}
