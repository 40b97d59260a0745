//! The forms of the result of a run: what is printed, and `--report FORMAT=FILE`, each form in a file of its own.

use super::CheckedSpec;
use super::args::CheckArgs;
use super::junit;
use super::report_file::ReportForm;
use super::summary::Tally;
use crate::flags::OutputFormat;
use crate::output;
use anyhow::Result;
use tsl_synth_core::diag::Diagnostic;
use tsl_synth_core::source::SourceMap;
use tsl_synth_documents::{CheckDocument, SarifLog};
use tsl_synth_service::VERSION;

/// The results of a run in a form that is one document; those that are printed line by line are empty, except for GitHub.
pub(super) fn document(format: OutputFormat, answers: &[CheckedSpec], args: &CheckArgs) -> String {
    match format {
        OutputFormat::Json => {
            let results = answers.iter().map(|answer| answer.result(args.stats)).collect();
            output::json(&CheckDocument::new(VERSION, results))
        }
        OutputFormat::Sarif => {
            let findings: Vec<(&SourceMap, Diagnostic)> =
                answers.iter().flat_map(|a| a.findings().into_iter().map(|d| (&a.sources, d))).collect();
            output::json(&SarifLog::new(VERSION, findings.iter().map(|(map, d)| (*map, d))))
        }
        OutputFormat::Junit => junit::document(answers, args),
        OutputFormat::Github => answers.iter().map(|answer| answer.github(args.each)).collect(),
        OutputFormat::Text => String::new(),
    }
}

/// Writes the reports that are asked for.
///
/// # Errors
/// A file cannot be written.
pub(super) fn write(args: &CheckArgs, answers: &[CheckedSpec], tally: &Tally) -> Result<()> {
    for report in &args.report {
        let text = match report.form {
            ReportForm::Result(format) => document(format, answers, args),
            ReportForm::Markdown => tally.table(),
        };
        output::write_file(&report.path, text.as_bytes())?;
    }
    Ok(())
}

/// With `-q` and several specifications, what is printed at the end: a line for each good one, and the names of the others.
#[derive(Debug, Default)]
pub(super) struct ShortLines {
    good: String,
    bad: Vec<String>,
}

impl ShortLines {
    /// Whether a run prints short lines.
    pub(super) fn wanted(args: &CheckArgs, specifications: usize) -> bool {
        args.output.quiet && specifications > 1 && args.format == OutputFormat::Text
    }
    /// Adds a result; returns whether it is good, so that nothing else is printed about it.
    pub(super) fn add(&mut self, answer: &CheckedSpec, is_good: bool) -> bool {
        let line = format!("{}: {}", crate::terminal::escape(&answer.name), answer.verdict());
        if is_good {
            self.good.push_str(&line);
            self.good.push('\n');
        } else {
            self.bad.push(line);
        }
        is_good
    }
    /// The lines of all good results, and then those of the bad ones, which were printed at length before.
    pub(super) fn text(&self) -> String {
        let mut text = self.good.clone();
        for line in &self.bad {
            text.push_str(line);
            text.push('\n');
        }
        text
    }
}
