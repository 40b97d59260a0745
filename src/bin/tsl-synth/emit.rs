//! `emit`: the controller of a specification as code, diagram or automaton.

use crate::args::{EmitArgs, EmitFormat, InputArgs};
use crate::exit::Exit;
use crate::input::{self, Reading};
use crate::monitors::{self, Monitors};
use crate::output::{self, Output};
use crate::settings::Settings;
use crate::supervise;
use crate::terminal::{self, Spinner};
use crate::{files, project, text};
use std::path::Path;
use std::sync::Arc;
use tsl_synth::automaton::ltl_to_monitor;
use tsl_synth::base::{Budget, StopFlag, sha256};
use tsl_synth::diag::{Diagnostics, Severity};
use tsl_synth::emit::{
    AssumptionMonitor, ClauseText, EmitError, EmitInput, EmitOptions, EmittedFile, Lang, Meta, Strategy,
    UserTemplate, emit, emit_circuit,
};
use tsl_synth::explain::{clause_parts, clause_text};
use tsl_synth::format::aiger::{read_aiger, write_binary};
use tsl_synth::logic::{Class, Player};
use tsl_synth::model::{Form, Role, Verdict};
use tsl_synth::source::SourceMap;
use tsl_synth::spec::Problem;
use tsl_synth::synth::{Options, Outcome, Wanted, synthesize};
use tsl_synth::wire::{EmitDocument, EmitFile};

/// Larger monitors of assumptions are left out of the controller.
const MONITOR_STATES: usize = 256;
/// Work on one monitor.
const MONITOR_WORK: u64 = 1_000_000;

/// What came of the work.
enum Answer {
    Files(Vec<EmittedFile>),
    /// A part of what was asked for, and what is missing.
    Part(Vec<EmittedFile>, String),
    /// There is nothing to emit: the exit and why.
    Nothing(Exit, String),
    /// The input has errors.
    Wrong,
    /// Something is wrong with the program.
    Internal(String),
}

/// Runs the verb.
pub(crate) fn run(mut args: EmitArgs) -> Exit {
    if let Err(message) = project::complete(&mut args.input, &mut args.engine) {
        return output::wrong(&message);
    }
    let options = match options(&args) {
        Ok(options) => options,
        Err(message) => return output::wrong(&message),
    };
    let settings = Settings::new(args.engine.clone());
    let stop = StopFlag::new();
    let spinner = Arc::new(Spinner::new(args.output.progress, args.output.quiet));
    let work = Work {
        input: args.input.clone(),
        // What is emitted never depends on the clock or on the number of threads.
        synthesis: Options {
            form: if args.lang == Lang::Aiger { Wanted::Either } else { Wanted::Explicit },
            ..settings.options(stop.clone(), true)
        },
        options,
        counter: args.counter,
        monitors: args.monitors,
    };
    let observer = Arc::clone(&spinner);
    let end = supervise::run(settings.allowance, &stop, move |_| work.run(&observer));
    spinner.clear();
    let (answer, map, diagnostics) = match end.or_exit() {
        Ok(result) => result,
        Err(exit) => return exit,
    };
    let color = terminal::wants_color(args.output.color);
    let least = if args.output.quiet { Severity::Error } else { Severity::Warning };
    terminal::say(&text::render(diagnostics.iter().filter(|d| d.severity >= least), &map, color));
    match answer {
        Answer::Files(files) => match deliver(&files, &args) {
            Ok(()) => Exit::Yes,
            Err(message) => output::wrong(&message),
        },
        Answer::Part(files, missing) => match deliver(&files, &args) {
            Ok(()) => {
                terminal::say(&format!("{}\n", terminal::escape_lines(&missing)));
                Exit::Unknown
            }
            Err(message) => output::wrong(&message),
        },
        Answer::Nothing(exit, message) => {
            terminal::say(&format!("{}\n", terminal::escape_lines(&message)));
            exit
        }
        Answer::Wrong => Exit::Wrong,
        Answer::Internal(message) => output::internal(&message),
    }
}

fn options(args: &EmitArgs) -> Result<EmitOptions, String> {
    if args.monitors && !matches!(args.lang, Lang::Hoa | Lang::Dot) {
        return Err("`--monitors` are automata: `--lang hoa` or `--lang dot`".into());
    }
    let template = match &args.template {
        None => None,
        Some(path) => {
            let text = std::fs::read_to_string(path)
                .map_err(|e| format!("cannot read the template `{}`: {e}", path.display()))?;
            Some(UserTemplate { name: files::shown(path), text })
        }
    };
    // The companions of `-o name.js` share its stem.
    let stem = args.output.output.as_deref().filter(|path| !files::is_stdin(path)).and_then(Path::file_stem);
    Ok(EmitOptions {
        asynchronous: args.asynchronous,
        lazy: args.lazy,
        on_broken: args.on_broken_assumption,
        template,
        scaffold: args.scaffold.is_some(),
        stem: stem.map(|stem| stem.to_string_lossy().into_owned()),
        ..EmitOptions::new(args.lang)
    })
}

/// Puts the files where they are wanted.
fn deliver(files: &[EmittedFile], args: &EmitArgs) -> Result<(), String> {
    if let Some(folder) = &args.scaffold {
        return scaffold(files, folder, args);
    }
    let target = args.output.output.as_deref().filter(|path| !files::is_stdin(path));
    if args.format == EmitFormat::Json {
        let file = |f: &EmittedFile| EmitFile { path: f.path.clone(), main: f.main, text: f.text.clone() };
        let all = files.iter().map(file).collect();
        let spec = input::name(&args.input);
        let document = EmitDocument::new(env!("CARGO_PKG_VERSION"), &spec, args.lang.name(), all);
        let mut out = Output::new(target);
        out.push(&output::json(&document));
        return out.finish();
    }
    let Some(target) = target else {
        let mut out = Output::new(None);
        for file in files.iter().filter(|file| file.main) {
            out.push(&file.text);
        }
        return out.finish();
    };
    // The main file comes last, so that it is not there without its companions.
    for file in files.iter().filter(|file| !file.main) {
        output::write_file(&target.with_file_name(&file.path), &file.text)?;
    }
    if args.lang == Lang::Aiger && target.extension().is_some_and(|ending| ending == "aig") {
        return binary(files, target);
    }
    files.iter().filter(|file| file.main).try_for_each(|file| output::write_file(target, &file.text))
}

/// The ending `.aig` asks for the binary form of the same circuit.
fn binary(files: &[EmittedFile], target: &Path) -> Result<(), String> {
    for file in files.iter().filter(|file| file.main) {
        let circuit = read_aiger(file.text.as_bytes()).map_err(|error| error.to_string())?;
        files::write(target, &write_binary(&circuit))
            .map_err(|e| format!("cannot write `{}`: {e}", target.display()))?;
    }
    Ok(())
}

fn scaffold(files: &[EmittedFile], folder: &Path, args: &EmitArgs) -> Result<(), String> {
    let there: Vec<_> =
        files.iter().map(|file| folder.join(&file.path)).filter(|path| path.exists()).collect();
    if let (Some(first), false) = (there.first(), args.force) {
        return Err(format!("`{}` is there already; `--force` replaces it", first.display()));
    }
    for file in files {
        let path = folder.join(&file.path);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent)
                .map_err(|e| format!("cannot make the folder `{}`: {e}", parent.display()))?;
        }
        output::write_file(&path, &file.text)?;
        if !args.output.quiet {
            terminal::say(&format!("wrote {}\n", terminal::escape(&files::shown(&path))));
        }
    }
    Ok(())
}

/// The work, done on its own thread.
struct Work {
    input: InputArgs,
    synthesis: Options,
    options: EmitOptions,
    counter: bool,
    monitors: bool,
}

impl Work {
    fn run(&self, observer: &Spinner) -> (Answer, SourceMap, Diagnostics) {
        let (mut map, mut diagnostics) = (SourceMap::new(), Diagnostics::new());
        let answer = match input::read(&self.input, &mut map, &mut diagnostics) {
            Reading::Problem(problem) if self.monitors => self.monitors(*problem),
            Reading::Problem(problem) => self.solve(*problem, &map, observer),
            Reading::Wrong => Answer::Wrong,
            Reading::TooLarge(limit) => Answer::Nothing(Exit::Unknown, format!("unknown: {limit}")),
        };
        (answer, map, diagnostics)
    }

    fn monitors(&self, mut problem: Problem) -> Answer {
        match monitors::monitors(&mut problem, self.options.lang, &self.synthesis.stop) {
            Ok(Monitors { file, missing }) if missing.is_empty() => Answer::Files(vec![file]),
            Ok(Monitors { file, missing }) => Answer::Part(vec![file], missing.join("\n")),
            Err(limit) => Answer::Nothing(Exit::Unknown, format!("unknown: {limit}")),
        }
    }

    fn solve(&self, mut problem: Problem, map: &SourceMap, observer: &Spinner) -> Answer {
        let outcome = match synthesize(&mut problem, &self.synthesis, observer) {
            Ok(outcome) => outcome,
            Err(failed) => return Answer::Internal(failed.to_string()),
        };
        let strategy = match (&outcome.verdict, self.counter) {
            (Verdict::Realizable(Form::Explicit(machine)), false) => Strategy::Controller(machine),
            (Verdict::Unrealizable(Form::Explicit(counter), _), true) => Strategy::Counter(counter),
            (Verdict::Realizable(Form::Circuit(circuit)), false) => {
                let meta = self.meta(&problem, map, &outcome);
                return answer(emit_circuit(&problem, circuit, Player::System, &meta, &self.options));
            }
            (Verdict::Unrealizable(Form::Circuit(circuit), _), true) => {
                let meta = self.meta(&problem, map, &outcome);
                return answer(emit_circuit(&problem, circuit, Player::Environment, &meta, &self.options));
            }
            (Verdict::Realizable(_), true) => {
                let message = "the specification is realizable: there is no counter-strategy";
                return Answer::Nothing(Exit::No, message.into());
            }
            (Verdict::Unrealizable(..), false) => {
                let message = "the specification is unrealizable: there is no controller\n\
                               `tsl-synth check` says why; `--counter` emits the counter-strategy";
                return Answer::Nothing(Exit::No, message.into());
            }
            (Verdict::Unknown(unknown), _) => {
                return Answer::Nothing(
                    Exit::Unknown,
                    format!("unknown: {}: {}", unknown.stage, unknown.limit),
                );
            }
        };
        let assumptions = if self.counter { Vec::new() } else { monitors(&mut problem, map) };
        let meta = self.meta(&problem, map, &outcome);
        let input = EmitInput { problem: &problem, strategy, assumptions: &assumptions, meta: &meta };
        answer(emit(&input, &self.options))
    }

    fn meta(&self, problem: &Problem, map: &SourceMap, outcome: &Outcome) -> Meta {
        let engine = outcome.statistics.engine;
        let mut origin: Vec<String> =
            engine.map(|engine| format!("{engine} synthesis")).into_iter().collect();
        origin.extend(outcome.statistics.bound.map(|bound| format!("bound {bound}")));
        origin.push("minimized".into());
        let written = problem.clauses.enumerate().filter(|(_, clause)| clause.span.is_some());
        let clauses = written.map(|(id, clause)| {
            let (always, text) = clause_parts(problem, map, id);
            let word = if clause.role == Role::Assumption { "assume" } else { "guarantee" };
            let section = if always { format!("always {word}") } else { word.into() };
            ClauseText { section, text }
        });
        let texts: String = map.iter().map(|(_, source)| source.text.as_str()).collect();
        Meta {
            tool_version: env!("CARGO_PKG_VERSION").into(),
            spec_name: input::name(&self.input),
            spec_sha256: sha256(texts.as_bytes()),
            certified_by: outcome.certificate.as_ref().map(|c| c.by.to_string()),
            origin: origin.join(", "),
            clauses: clauses.collect(),
        }
    }
}

fn answer(emitted: Result<Vec<EmittedFile>, EmitError>) -> Answer {
    match emitted {
        Ok(files) => Answer::Files(files),
        Err(EmitError::Internal(message)) => Answer::Internal(message),
        Err(EmitError::Limit(message)) => Answer::Nothing(Exit::Unknown, format!("unknown: {message}")),
        Err(EmitError::Unsupported(message) | EmitError::Template(message)) => {
            Answer::Nothing(Exit::Wrong, format!("error: {message}"))
        }
    }
}

/// Monitors of the assumptions that a finite play can break. Those that would be large are left out: then
/// the controller does not notice, and nothing else changes.
fn monitors(problem: &mut Problem, map: &SourceMap) -> Vec<AssumptionMonitor> {
    let assumptions: Vec<_> = problem
        .clauses
        .enumerate()
        .filter(|(_, c)| c.role == Role::Assumption && problem.formulas.class(c.formula).is(Class::SAFETY))
        .map(|(id, clause)| (id, clause.formula))
        .collect();
    let mut monitors = Vec::new();
    for (id, formula) in assumptions {
        let text = clause_text(problem, map, id);
        let budget = Budget::unlimited().with_work(MONITOR_WORK);
        let monitor =
            ltl_to_monitor(&mut problem.formulas, &problem.alphabet, formula, MONITOR_STATES, &budget);
        if let Ok(monitor) = monitor {
            monitors.push(AssumptionMonitor { text, monitor });
        }
    }
    monitors
}
