//! `check FILE.rpg` and `check FILE.issy`: who wins a game over a program with numbers. The first line is `REALIZABLE`,
//! `UNREALIZABLE` or `UNKNOWN` (exit codes 0, 1 and 3).

use super::files::{self, Reported};
use crate::adapters::Adapters;
use crate::check::args::CheckArgs;
use crate::exit::Exit;
use crate::flags::OutputFormat;
use crate::{number_play, output, terminal};
use std::fmt::Write;
use std::path::Path;
use tsl_synth_documents::{ProgramDocument, ProgramResult};
use tsl_synth_service::{Input, ProgramLanguage, ProgramRequest, VERSION};

/// The language of a file if it is a game over a program.
pub(crate) fn language(path: &Path) -> Option<ProgramLanguage> {
    match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
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
    let exit = Exit::of(report.verdict());
    let result = report.result();
    if format == OutputFormat::Json {
        return (exit, String::new(), Some(result));
    }
    let mut text = format!("{}\n", report.verdict());
    if !args.verdict_only {
        text += &terminal::escape_lines(&explained(&result, report.certificate().as_deref()));
    }
    (exit, text, None)
}

/// The lines below the verdict.
fn explained(result: &ProgramResult, certificate: Option<&str>) -> String {
    let mut text = String::new();
    if let Some(reason) = &result.reason {
        let _ = writeln!(text, "{reason}");
    }
    if let Some(certificate) = certificate {
        let _ = writeln!(text, "certified by {certificate}");
    }
    text + &number_play::text(&result.play)
}
