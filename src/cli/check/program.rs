//! `check FILE.rpg` and `check FILE.issy`: who wins a game over a program with numbers. The first line is `REALIZABLE`,
//! `UNREALIZABLE` or `UNKNOWN` (exit codes 0, 1 and 3).

use super::files::{self, Reported};
use crate::adapters::Adapters;
use crate::check::args::CheckArgs;
use crate::exit::Exit;
use crate::flags::OutputFormat;
use crate::{output, terminal};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use tsl_synth_documents::{CheckVerdict, ProgramDocument, ProgramResult};
use tsl_synth_service::{Input, ProgramLanguage, ProgramRequest, VERSION};

/// The language of a file if it is a game over a program.
pub(crate) fn language(path: &Path) -> Option<ProgramLanguage> {
    match path.extension()?.to_str()? {
        "rpg" => Some(ProgramLanguage::Rpg),
        "issy" => Some(ProgramLanguage::Issy),
        _ => None,
    }
}

/// Runs the verb if it is about games over programs.
pub(super) fn run(args: &CheckArgs) -> Option<Exit> {
    let specs = &args.input.specs;
    let programs = specs.iter().filter(|path| language(path).is_some()).count();
    if programs == 0 {
        return None;
    }
    if programs < specs.len() {
        let wrong = "`.rpg` and `.issy` files are checked by themselves, without files of other languages";
        return Some(output::wrong(wrong));
    }
    let unused = [
        (args.from.is_some(), "--from"),
        (!args.against.is_empty(), "--against"),
        (args.cache.is_some(), "--cache"),
        (!args.deny.is_empty(), "--deny"),
    ];
    let document = |results| output::json(&ProgramDocument::new(VERSION, results));
    let noun = "`.rpg` and `.issy` files";
    Some(files::each(args, noun, &unused, |path, format| one(path, args, format), document))
}

/// The exit code of one file, its text, and its part of the document.
fn one(path: &Path, args: &CheckArgs, format: OutputFormat) -> Reported<ProgramResult> {
    let adapters = Adapters::new(&args.engine, &args.output, args.input.import_root.as_ref());
    let language = language(path).unwrap_or(ProgramLanguage::Rpg);
    let request = ProgramRequest::new(Input::File(path.to_path_buf()), language);
    let failed = |found| ProgramResult::new(&path.to_string_lossy(), found);
    let asked = files::ask(&adapters, format, move |session| session.check_program(&request), failed);
    let (report, _) = match asked {
        Ok(asked) => asked,
        Err(reported) => return reported,
    };
    let exit = match report.verdict() {
        CheckVerdict::Realizable => Exit::Yes,
        CheckVerdict::Unrealizable => Exit::No,
        CheckVerdict::Unknown | CheckVerdict::Error => Exit::Unknown,
    };
    let result = report.result();
    if format == OutputFormat::Json {
        return (exit, String::new(), Some(result));
    }
    let mut text = format!("{}\n", report.verdict());
    if !args.verdict_only {
        text += &terminal::escape_lines(&explained(&result));
    }
    (exit, text, None)
}

/// The lines below the verdict.
fn explained(result: &ProgramResult) -> String {
    let mut text = String::new();
    if let Some(reason) = &result.reason {
        let _ = writeln!(text, "{reason}");
    }
    if let Some(certificate) = &result.certificate {
        let _ = match certificate.regions {
            1 => writeln!(text, "certified: 1 region of states was checked, step by step"),
            regions => writeln!(text, "certified: {regions} regions of states were checked, step by step"),
        };
    }
    if result.play.is_empty() {
        return text;
    }
    let _ = writeln!(
        text,
        "the environment wins, for example (the system takes the first transition that it can):"
    );
    let width = result.play.len().to_string().len();
    for (number, step) in result.play.iter().enumerate() {
        let _ = write!(text, "  {:>width$}. at {}", number + 1, step.location);
        if !step.state.is_empty() {
            let _ = write!(text, " with {}", values(&step.state));
        }
        if !step.inputs.is_empty() {
            let _ = write!(text, ": inputs {}", values(&step.inputs));
        }
        text.push('\n');
    }
    match result.repeats_from {
        Some(from) => {
            let _ = writeln!(text, "  and so on from step {}", from + 1);
        }
        None => {
            let _ = writeln!(text, "  and so on");
        }
    }
    text
}

fn values(values: &BTreeMap<String, String>) -> String {
    let all: Vec<String> = values.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    all.join(", ")
}
