//! `check FILE.agent`: whether a behavior can be run, and whether transcripts are runs of it. The first line is `VALID` or
//! `INVALID` (exit codes 0 and 1); `--deny` makes warnings count.

use super::files::{self, Reported};
use crate::adapters::Adapters;
use crate::check::args::CheckArgs;
use crate::exit::Exit;
use crate::flags::OutputFormat;
use crate::{output, terminal};
use std::path::{Path, PathBuf};
use tsl_synth_core::base::counted;
use tsl_synth_core::diag::Severity;
use tsl_synth_documents::{BehaviorCheckDocument, BehaviorResult};
use tsl_synth_service::{BehaviorRequest, Input, VERSION};

/// Whether a file is a behavior.
pub(crate) fn is_agent(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "agent")
}

/// Runs the verb if it is about behaviors.
pub(super) fn run(args: &CheckArgs) -> Option<Exit> {
    let specs = &args.input.specs;
    let agents = specs.iter().filter(|path| is_agent(path)).count();
    if agents == 0 {
        let wrong = "`--against` holds transcripts to a behavior, or a policy to a log: name an `.agent` file or a policy";
        return (!args.against.is_empty()).then(|| output::wrong(wrong));
    }
    if agents < specs.len() {
        return Some(output::wrong(
            "`.agent` files are checked by themselves, without files of other languages",
        ));
    }
    let unused = [(args.from.is_some(), "--from")];
    let document = |results| output::json(&BehaviorCheckDocument::new(VERSION, results));
    Some(files::each(args, "`.agent` files", &unused, |path, format| one(path, args, format), document))
}

/// The exit code of one file, its text, and its part of the document.
fn one(path: &Path, args: &CheckArgs, format: OutputFormat) -> Reported<BehaviorResult> {
    let adapters = Adapters::new(&args.engine, &args.output, args.input.import_root.as_ref());
    let mut request = BehaviorRequest::new(Input::File(path.to_path_buf()));
    request.against = args.against.iter().cloned().map(Input::File).collect();
    let failed = |found| BehaviorResult::new(&path.to_string_lossy(), "ERROR", found);
    let asked = files::ask(&adapters, format, move |session| session.check_behavior(&request), failed);
    let (report, sources) = match asked {
        Ok(asked) => asked,
        Err(reported) => return reported,
    };
    let is_good = report.valid && !files::denies(args, &report.diagnostics);
    let exit = if is_good { Exit::Yes } else { Exit::No };
    if format == OutputFormat::Json {
        return (exit, String::new(), Some(report.result(&sources)));
    }
    adapters.show(&report.diagnostics, Severity::Note, &sources);
    let mut text = format!("{}\n", report.verdict());
    if !args.verdict_only {
        if let Some(reason) = &report.reason {
            text.extend([&*terminal::escape(reason), "\n"]);
        }
        let against: Vec<PathBuf> = args.against.clone();
        for ((_, transcript), file) in report.transcripts.iter().zip(&against) {
            let name = terminal::escape(&file.to_string_lossy());
            let said = match &transcript.fault {
                None => format!(": accepted, {}\n", counted(transcript.runs.len(), "run")),
                Some(_) => ": rejected\n".into(),
            };
            text.extend([name, said]);
        }
        if report.valid && against.is_empty() {
            text += &terminal::escape_lines(&report.table());
        }
    }
    (exit, text, None)
}
