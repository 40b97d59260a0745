//! `fmt`: TSL files in the standard layout.

use crate::args::FmtArgs;
use crate::exit::Exit;
use crate::output::{self, Output};
use crate::settings::dialect;
use crate::supervise::{self, End};
use crate::{files, memory, terminal, text};
use std::path::{Path, PathBuf};
use tsl_synth::base::StopFlag;
use tsl_synth::diag::{Diagnostics, Severity};
use tsl_synth::source::SourceMap;
use tsl_synth::syntax::{Dialect, format_tsl};

/// What came of one file.
enum Formatted {
    /// The text before and after.
    Text(String, String),
    /// It has errors.
    Wrong(SourceMap, Diagnostics),
    TooLarge,
}

/// Runs the verb.
pub(crate) fn run(args: &FmtArgs) -> Exit {
    if args.output.is_some() && args.files.len() > 1 {
        return output::wrong("`--output` takes the result of one file, and several were given");
    }
    let color = terminal::wants_color(args.color);
    let mut exit = Exit::Yes;
    for path in &args.files {
        exit = exit.worst(one(path, args, color));
    }
    exit
}

fn one(path: &Path, args: &FmtArgs, color: bool) -> Exit {
    if path.extension().is_some_and(|e| e == "tlsf" || e == "ltl") {
        return output::wrong(&format!(
            "`{}` is not TSL, and only TSL has a standard layout",
            files::shown(path)
        ));
    }
    let dialect = dialect(args.dialect);
    let allowance = supervise::Allowance { time: None, memory: memory::half_of_the_memory() };
    let file = path.to_path_buf();
    let end = supervise::run(allowance, &StopFlag::new(), move |_| format(&file, dialect));
    let (before, after) = match end {
        End::Done(Formatted::Text(before, after)) => (before, after),
        End::Done(Formatted::Wrong(map, diagnostics)) => {
            let errors = diagnostics.iter().filter(|d| d.severity == Severity::Error);
            terminal::say(&text::render(errors, &map, color));
            return Exit::Wrong;
        }
        End::Done(Formatted::TooLarge) | End::Abandoned(..) => {
            output::wrong(&format!("`{}` is too large", files::shown(path)));
            return Exit::Unknown;
        }
        End::Panicked(message) => return output::internal(&message),
    };
    let target: Option<PathBuf> = match &args.output {
        Some(output) => Some(output.clone()).filter(|output| !files::is_stdin(output)),
        None => Some(path.to_path_buf()).filter(|path| !files::is_stdin(path)),
    };
    let in_place = args.output.is_none();
    let written = match target {
        _ if args.check && before == after => return Exit::Yes,
        _ if args.check => {
            terminal::say(&format!(
                "{} is not in the standard layout\n",
                terminal::escape(&files::shown(path))
            ));
            return Exit::No;
        }
        Some(_) if in_place && before == after => return Exit::Yes,
        Some(target) => output::write_file(&target, &after),
        None => {
            let mut out = Output::new(None);
            out.push(&after);
            out.finish()
        }
    };
    match written {
        Ok(()) => Exit::Yes,
        Err(message) => output::wrong(&message),
    }
}

fn format(path: &Path, dialect: Dialect) -> Formatted {
    let mut map = SourceMap::new();
    let mut diagnostics = Diagnostics::new();
    let source = match files::load(path, &mut map) {
        Ok(source) => source,
        Err(None) => return Formatted::TooLarge,
        Err(Some(diagnostic)) => {
            diagnostics.push(diagnostic);
            return Formatted::Wrong(map, diagnostics);
        }
    };
    match format_tsl(&map, source, dialect, &mut diagnostics) {
        Some(after) => Formatted::Text(map.get(source).text.clone(), after),
        None => Formatted::Wrong(map, diagnostics),
    }
}
