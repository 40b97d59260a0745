//! `fmt`: TSL files in the standard layout.

use crate::adapters::{Adapters, WithSources};
use crate::exit::Exit;
use crate::flags::{ColorChoice, DialectArg, EngineArgs, OutputArgs};
use crate::output;
use crate::settings::dialect;
use crate::terminal;
use clap::Args;
use std::path::{Path, PathBuf};
use tsl_synth_service::{Formatted, Input, SpecLanguage, is_stdin, shown};

/// `fmt`
#[derive(Args, Debug)]
pub(crate) struct FmtArgs {
    /// TSL files to rewrite in place; `-` reads standard input and writes standard output
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// Write nothing; exit with 1 if a file would change
    #[arg(long)]
    pub(crate) check: bool,
    /// Write the result of the one file here instead of in place
    #[arg(short, long, value_name = "FILE", conflicts_with = "check")]
    pub(crate) output: Option<PathBuf>,
    /// The dialect of TSL in which the files are read; they are written in ours
    #[arg(long, value_enum)]
    pub(crate) dialect: Option<DialectArg>,
    /// Colors
    #[arg(long, value_enum, default_value_t)]
    pub(crate) color: ColorChoice,
}

/// Runs the verb.
pub(crate) fn run(args: &FmtArgs) -> Exit {
    if args.output.is_some() && args.files.len() > 1 {
        return output::wrong("`--output` takes the result of one file, and several were given");
    }
    let mut exit = Exit::Yes;
    for path in &args.files {
        exit = exit.worst(one(path, args));
    }
    exit
}

fn one(path: &Path, args: &FmtArgs) -> Exit {
    let is_machine = path.extension().and_then(|ending| ending.to_str()).is_some_and(|ending| {
        ["hoa", "ehoa", "aag", "aig", "json"].iter().any(|other| ending.eq_ignore_ascii_case(other))
    });
    let language = SpecLanguage::of_ending(path);
    if is_machine || SpecLanguage::is_other(path) || language.is_some_and(|one| one != SpecLanguage::Tsl) {
        return output::wrong(&format!("`{}` is not TSL, and only TSL has a standard layout", shown(path)));
    }
    let adapters = Adapters::new(
        &EngineArgs::default(),
        &OutputArgs { color: args.color, quiet: true, ..OutputArgs::default() },
        None,
    );
    let (input, dialect) = (Input::File(path.to_path_buf()), dialect(args.dialect));
    let asked = adapters.ask(move |session| session.format(&input, dialect));
    let WithSources { answer, sources } = match asked.or_exit() {
        Ok(asked) => asked,
        Err(exit) => return exit,
    };
    let (before, after) = match answer {
        Ok(Formatted { before, after, .. }) => (before, after),
        Err(failure) => return adapters.failed(&failure, &sources),
    };
    let target: Option<PathBuf> = match &args.output {
        Some(output) => Some(output.clone()).filter(|output| !is_stdin(output)),
        None => Some(path.to_path_buf()).filter(|path| !is_stdin(path)),
    };
    let in_place = args.output.is_none();
    let written = match target {
        _ if args.check && before == after => return Exit::Yes,
        _ if args.check => {
            terminal::eprint(&format!("{} is not in the standard layout\n", terminal::escape(&shown(path))));
            return Exit::No;
        }
        Some(_) if in_place && before == after => return Exit::Yes,
        Some(target) => output::write_file(&target, after.as_bytes()),
        None => output::deliver(None, &after),
    };
    match written {
        Ok(()) => Exit::Yes,
        Err(error) => output::error(&error),
    }
}
