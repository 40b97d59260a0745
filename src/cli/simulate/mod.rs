//! `simulate`: a machine played by hand, from a script, or at random; for an unrealizable specification, the system
//! plays against the counter-strategy.

pub(crate) mod args;
mod session;
mod show;
#[cfg(feature = "tui")]
mod tui;

pub(crate) use show::{document as trace_json, relative as trace_path};

use crate::adapters::{Adapters, WithSources};
use crate::exit::Exit;
use crate::output;
use crate::supervise::WorkEnd;
use crate::terminal::{eprint, print};
use crate::{project, supervise};
use anyhow::{Context, Result};
use args::{SimulateArgs, TraceFormat};
use std::path::{Path, PathBuf};
use tsl_synth_core::diag::{Code, Diagnostic, Severity};
use tsl_synth_core::source::SourceMap;
use tsl_synth_service::{
    Deviation, Input, PlayEvent, PlayScript, PlayedMachine, Playing, SimulateRequest, is_stdin,
};

/// Whether all states of the machine are shown: on the whole terminal.
#[cfg(feature = "tui")]
fn shows_states(args: &SimulateArgs) -> bool {
    args.tui
}

#[cfg(not(feature = "tui"))]
fn shows_states(_: &SimulateArgs) -> bool {
    false
}

/// Runs the verb.
pub(crate) fn run(mut args: SimulateArgs) -> Exit {
    if let Err(error) = project::complete(&mut args.input, &mut args.engine) {
        return output::error(&error);
    }
    let stdin = args.input.specs.iter().filter(|path| is_stdin(path)).count();
    let script_stdin = args.script.as_deref().is_none_or(is_stdin) && args.random.is_none();
    if stdin > 0 && script_stdin {
        return output::wrong("standard input cannot be both the specification and the letters");
    }
    let adapters = Adapters::new(&args.engine, &args.output, args.input.import_root.as_ref());
    let mut request = SimulateRequest::new(args.input.spec());
    request.solver = adapters.settings.solver();
    request.takes_circuits = !shows_states(&args);
    let (machine, sources) = match adapters.report(move |session| session.simulate(&request)) {
        Ok(asked) => asked,
        Err(exit) => return exit,
    };
    adapters.show(&machine.diagnostics, Severity::Warning, &sources);
    // Parsing letters needs a large stack too.
    match supervise::on_large_stack(|| SimulatedPlay::new(&args, &machine, &sources).play(&adapters)) {
        Ok(exit) => exit,
        Err(panic) => output::internal(&panic),
    }
}

/// A play with the data that its messages need.
pub(super) struct SimulatedPlay<'a> {
    args: &'a SimulateArgs,
    machine: &'a PlayedMachine,
    sources: &'a SourceMap,
    play: Playing<'a>,
}

impl<'a> SimulatedPlay<'a> {
    fn new(args: &'a SimulateArgs, machine: &'a PlayedMachine, sources: &'a SourceMap) -> Self {
        let play = Playing::new(machine, args.engine.seed.unwrap_or(0), args.respect_assumptions);
        Self { args, machine, sources, play }
    }

    fn play(mut self, adapters: &Adapters) -> Exit {
        #[cfg(feature = "tui")]
        let quiet = self.args.output.quiet || self.args.tui;
        #[cfg(not(feature = "tui"))]
        let quiet = self.args.output.quiet;
        if !quiet {
            self.print_message(&show::heading(self.machine));
        }
        if let Some(blame) = self.play.blame() {
            self.print_message(&show::blamed(self.machine, blame));
        }
        let played = match (&self.args.script, self.args.random) {
            (Some(script), _) => self.script(script, adapters),
            (None, Some(steps)) => {
                let close = self.args.close;
                let answered = self.act(|play, tell| play.random(steps as usize, close, tell));
                if answered { Ok(()) } else { Err(Exit::No) }
            }
            #[cfg(feature = "tui")]
            (None, None) if self.args.tui => tui::play(&mut self),
            (None, None) => session::play(&mut self),
        };
        if let Err(exit) = played {
            return exit;
        }
        match self.deliver() {
            Ok(()) => Exit::Yes,
            Err(error) => output::error(&error),
        }
    }

    /// Prints a message about the play.
    fn print_message(&self, text: &str) {
        print_message(self.args, text);
    }

    /// Continues the play and prints its events.
    fn act<T>(&mut self, act: impl FnOnce(&mut Playing<'a>, &mut dyn FnMut(PlayEvent)) -> T) -> T {
        let (args, machine, sources) = (self.args, self.machine, self.sources);
        act(&mut self.play, &mut |event| print_message(args, &show::event(machine, sources, &event)))
    }

    fn script(&mut self, path: &Path, adapters: &Adapters) -> Result<(), Exit> {
        let (machine, input) = (self.machine.clone(), Input::File(path.to_path_buf()));
        let WithSources { answer, sources } =
            match adapters.ask(move |session| session.script(&machine, &input)) {
                WorkEnd::Done(asked) => asked,
                other => return other.or_exit().map(drop),
            };
        let script: PlayScript = answer.map_err(|failure| adapters.failed(&failure, &sources))?;
        let close = self.args.close;
        match self.act(|play, tell| play.follow(&script, close, tell)) {
            Ok(()) => Ok(()),
            Err(Deviation::TooLong(limit)) => {
                eprint(&format!("unknown: {limit}\n"));
                Err(Exit::Unknown)
            }
            Err(deviation) => {
                let (step, message) = show::deviation(self.machine, &deviation);
                let diagnostic = script.at_step(Diagnostic::error(Code::NO_RUN, message), step);
                adapters.show([&diagnostic], Severity::Error, &sources);
                Err(Exit::Wrong)
            }
        }
    }

    /// The trace so far as JSON, with paths relative to this folder.
    fn document(&self, folder: &Path) -> String {
        let path = self.machine.path.as_deref().map(|path| show::relative(folder, path));
        show::document(&self.play.document(path))
    }

    /// Writes the trace.
    fn save(&self, path: &Path) -> Result<()> {
        if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("vcd")) {
            let title = self.machine.path.as_deref().map_or("a play".into(), |path| path.to_string_lossy());
            return output::write_file(path, self.play.vcd(&title).as_bytes());
        }
        let folder = path.parent().map_or_else(PathBuf::new, Path::to_path_buf);
        output::write_file(path, self.document(&folder).as_bytes())
    }

    fn deliver(&self) -> Result<()> {
        if let Some(path) = self.args.output.output.as_deref().filter(|path| !is_stdin(path)) {
            self.save(path)?;
        }
        if self.args.format == TraceFormat::Json {
            print(&self.document(Path::new(""))).context("cannot write to standard output")?;
        }
        Ok(())
    }
}

/// Prints a message about the play: on standard output, unless that is for the trace.
fn print_message(args: &SimulateArgs, text: &str) {
    if args.format == TraceFormat::Json {
        if !args.output.quiet {
            eprint(text);
        }
    } else {
        // A failure to print does not stop the play.
        let _ = print(text);
    }
}
