//! `view`: a page that draws and plays a machine.

use crate::args::{EngineArgs, InputArgs, OutputArgs};
use crate::exit::Exit;
use crate::output;
use crate::settings::Settings;
use crate::terminal;
use crate::{pipe, project};
use anyhow::{Context, Result};
use clap::Args;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tsl_synth_service::{Input, SpecRequest, ViewRequest, is_stdin, shown};

/// Programs that open a file in the browser.
const OPENERS: &[&str] = if cfg!(target_os = "macos") { &["open"] } else { &["xdg-open", "open"] };

/// `view`
#[derive(Args, Debug)]
#[command(after_long_help = "\
The page shows the controller of a specification, the counter-strategy of an unrealizable one with what would help, or \
the machine of a file (HOA, AIGER, machine JSON). The file of a trace in JSON is played on the machine that it names, \
or that `--spec` or `--machine` names; the causes of its effect are marked, and beside it stands the nearest run without \
the effect, whose inputs can be changed one by one. Of a policy the page has the laws with their monitors; with logs after it, or of \
the journal of a gate or the record of an agent under a policy, it shows event by event how they stood and what the gate \
said. Without `-o` the page goes to standard output.")]
pub(crate) struct ViewArgs {
    /// Of a trace, mark the causes of this effect [default: the one that the trace names]
    #[arg(long, value_name = "FORMULA", help_heading = "Traces")]
    pub(crate) effect: Option<String>,
    /// Of a trace, compare the cause with this formula over the inputs
    #[arg(long, value_name = "FORMULA", help_heading = "Traces")]
    pub(crate) hypothesis: Option<String>,
    /// The specification of the controller that made the trace [default: what the trace names]
    #[arg(long, value_name = "FILE", conflicts_with = "machine", help_heading = "Traces")]
    pub(crate) spec: Option<PathBuf>,
    /// The machine that made the trace (HOA, AIGER, machine JSON) [default: what the trace names]
    #[arg(long, value_name = "FILE", help_heading = "Traces")]
    pub(crate) machine: Option<PathBuf>,
    /// Format of the logs that follow a policy [default: recognized by their beginning]
    #[arg(long, value_name = "FORMAT", value_parser = crate::monitor::args::format, help_heading = "Policies")]
    pub(crate) from: Option<tsl_synth_seats::log::LogFormat>,
    /// Open the page in the browser; without `-o` it is written to a new folder for temporary files
    #[arg(long, help_heading = "Output")]
    pub(crate) open: bool,
    #[command(flatten)]
    pub(crate) input: InputArgs,
    #[command(flatten)]
    pub(crate) engine: EngineArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// Runs the verb.
pub(crate) fn run(mut args: ViewArgs) -> Exit {
    if args.spec.is_some() || args.machine.is_some() {
        return of_trace(&args);
    }
    if let Err(error) = pipe::complete(&mut args.input.specs, &args.input.formula, project::of_folder) {
        return output::error(&error);
    }
    if crate::view_policy::is_meant(&args) {
        return crate::view_policy::run(&args);
    }
    if let Some(exit) = crate::view_agent::run(&args) {
        return exit;
    }
    if args.from.is_some() {
        return output::wrong("`--from` is about logs: `view POLICY LOG --from FORMAT`");
    }
    if let Err(error) = project::complete(&mut args.input, &mut args.engine) {
        return output::error(&error);
    }
    show(&args, args.input.spec(), None)
}

/// Makes the page of a trace of the machine or specification that an option names.
fn of_trace(args: &ViewArgs) -> Exit {
    let [trace] = args.input.specs.as_slice() else {
        return output::wrong("`--spec` and `--machine` are about one trace: `view TRACE --spec s.tsl`");
    };
    if args.from.is_some() {
        return output::wrong("`--from` is about logs: `view POLICY LOG --from FORMAT`");
    }
    let trace = Input::File(trace.clone());
    let specs = args.spec.iter().chain(&args.machine).cloned().collect();
    show(args, InputArgs { specs, ..args.input.clone() }.spec(), Some(trace))
}

/// Makes the page of a machine, and of a trace of it, if any.
fn show(args: &ViewArgs, spec: SpecRequest, trace: Option<Input>) -> Exit {
    let mut request = ViewRequest::new(spec);
    request.trace = trace;
    request.solver = Settings::new(args.engine.clone()).solver();
    request.effect.clone_from(&args.effect);
    request.hypothesis.clone_from(&args.hypothesis);
    crate::view_agent::show(args, move |session| session.view(&request))
}

/// Writes the page to a file or to standard output; with `--open` always to a file, which is opened.
pub(crate) fn deliver(html: &str, args: &ViewArgs) -> Result<()> {
    let file = args.output.output.as_deref().filter(|path| !is_stdin(path));
    if !args.open {
        return output::deliver(file, html);
    }
    let file = match file {
        Some(file) => file.to_path_buf(),
        None => kept()?,
    };
    output::write_file(&file, html.as_bytes())?;
    if !args.output.quiet {
        terminal::eprint(&format!("wrote {}\n", terminal::escape(&shown(&file))));
    }
    open(&file)
}

/// The path for a page without `-o`, in a new temporary folder that is not removed.
fn kept() -> Result<PathBuf> {
    let folder = tempfile::Builder::new().prefix("tsl-synth-view-").tempdir();
    Ok(folder.context("cannot make a folder for the page")?.keep().join("view.html"))
}

fn open(file: &Path) -> Result<()> {
    let path = file.canonicalize().with_context(|| format!("cannot find `{}`", file.display()))?;
    for opener in OPENERS {
        let child = Command::new(opener)
            .arg(&path)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        if child.is_ok() {
            return Ok(());
        }
    }
    anyhow::bail!("no program opens pages here ({}); the file is written", OPENERS.join(", "))
}
