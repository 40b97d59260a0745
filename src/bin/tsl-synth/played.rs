//! What a trace is about: the machine that a specification has, or one from a file.

use crate::args::{EngineArgs, InputArgs, OutputArgs};
use crate::exit::Exit;
use crate::input::{self, Reading};
use crate::settings::Settings;
use crate::supervise::{self, End};
use crate::terminal::{self, Spinner};
use crate::{files, output, text};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tsl_synth::base::{LimitKind, StopFlag};
use tsl_synth::diag::{Code, Diagnostic, Diagnostics, Severity};
use tsl_synth::format::hoa::read_hoa;
use tsl_synth::logic::Alphabet;
use tsl_synth::mealy::{counter_id, machine_id};
use tsl_synth::model::{StateId, Verdict};
use tsl_synth::source::SourceMap;
use tsl_synth::spec::Problem;
use tsl_synth::synth::{Options, synthesize};
use tsl_synth::wire::AnyStrategy;
use tsl_synth::wire::machine::MachineDocument;

/// A strategy with what is known about it.
pub(crate) struct Played {
    /// Its atoms.
    pub(crate) alphabet: Alphabet,
    /// Of either player.
    pub(crate) strategy: AnyStrategy,
    /// The hash of its table.
    pub(crate) id: String,
    /// The names of its states, as far as they have some.
    names: Vec<String>,
    /// The specification; `None` for a machine from a file.
    pub(crate) problem: Option<Problem>,
    /// The texts that were read.
    pub(crate) map: SourceMap,
    /// The file of the machine, or the only file of the specification.
    pub(crate) path: Option<PathBuf>,
}

impl Played {
    /// The name of a state.
    pub(crate) fn name(&self, state: StateId) -> String {
        let number = tsl_synth::base::Id::index(state);
        self.names
            .get(number)
            .filter(|name| !name.is_empty())
            .cloned()
            .unwrap_or_else(|| format!("S{number}"))
    }
    /// How many states there are.
    pub(crate) fn states(&self) -> usize {
        match &self.strategy {
            AnyStrategy::Mealy(mealy) => mealy.states.len(),
            AnyStrategy::Counter(counter) => counter.states.len(),
        }
    }
}

/// What came of the work.
enum Answer {
    Played(Box<Played>),
    Wrong,
    Nothing(Exit, String),
    Internal(String),
}

/// Loads a machine, or synthesizes one exactly as `emit` does.
///
/// # Errors
/// The exit, after everything was said on standard error.
pub(crate) fn load(input: &InputArgs, engine: &EngineArgs, output: &OutputArgs) -> Result<Played, Exit> {
    let settings = Settings::new(engine.clone());
    let stop = StopFlag::new();
    let spinner = Arc::new(Spinner::new(output.progress, output.quiet));
    let options = Options { deterministic: true, ..settings.options(stop.clone(), true) };
    let (job, observer) = (input.clone(), Arc::clone(&spinner));
    let end = supervise::run(settings.allowance, &stop, &StopFlag::new(), move |_| {
        let (mut map, mut diagnostics) = (SourceMap::new(), Diagnostics::new());
        let answer = match machine_file(&job) {
            Some(path) => from_file(&path, &job, &mut map, &mut diagnostics),
            None => from_spec(&job, &options, &mut map, &mut diagnostics, &observer),
        };
        (answer, map, diagnostics)
    });
    spinner.clear();
    let (answer, map, diagnostics) = match end {
        End::Done(result) => result,
        End::Abandoned(kind, _) => {
            let what = if kind == LimitKind::Memory { "memory" } else { "time" };
            terminal::say(&format!("unknown: the {what} limit was reached\n"));
            return Err(Exit::Unknown);
        }
        End::Panicked(message) => return Err(output::internal(&message)),
    };
    let color = terminal::wants_color(output.color);
    let least = if output.quiet { Severity::Error } else { Severity::Warning };
    terminal::say(&text::render(diagnostics.iter().filter(|d| d.severity >= least), &map, color));
    match answer {
        Answer::Played(mut subject) => {
            subject.map = map;
            Ok(*subject)
        }
        Answer::Wrong => Err(Exit::Wrong),
        Answer::Nothing(exit, message) => {
            terminal::say(&format!("{}\n", terminal::escape_lines(&message)));
            Err(exit)
        }
        Answer::Internal(message) => Err(output::internal(&message)),
    }
}

/// The one file that is named, if it holds a machine: by its ending, else by how it begins.
fn machine_file(input: &InputArgs) -> Option<PathBuf> {
    let [path] = input.specs.as_slice() else { return None };
    if files::is_stdin(path) || input.input_format.is_some() || !input.formula.is_empty() {
        return None;
    }
    match path.extension().and_then(|e| e.to_str()) {
        Some("hoa" | "ehoa" | "json") => return Some(path.clone()),
        Some("tsl" | "ltl" | "tlsf") => return None,
        _ => {}
    }
    let mut start = [0; 64];
    let read = std::fs::File::open(path).and_then(|mut file| file.read(&mut start)).ok()?;
    let start = String::from_utf8_lossy(&start[..read]);
    let begins = |word: &str| start.trim_start_matches('\u{feff}').trim_start().starts_with(word);
    ["HOA:", "{", "REALIZABLE"].into_iter().any(begins).then(|| path.clone())
}

fn from_file(path: &Path, input: &InputArgs, map: &mut SourceMap, diagnostics: &mut Diagnostics) -> Answer {
    let source = match files::load(path, map) {
        Ok(source) => source,
        Err(Some(diagnostic)) => {
            diagnostics.push(diagnostic);
            return Answer::Wrong;
        }
        Err(None) => {
            let message =
                format!("unknown: `{}` is larger than {} MiB", files::shown(path), files::MAX_INPUT >> 20);
            return Answer::Nothing(Exit::Unknown, message);
        }
    };
    let text = map.get(source).text.trim_start_matches('\u{feff}').trim_start();
    let found = if text.starts_with('{') {
        MachineDocument::read(map, source).and_then(|document| {
            let (alphabet, strategy) = document.strategy()?;
            Ok((alphabet, strategy, document.states.into_iter().map(|state| state.name).collect()))
        })
    } else {
        read_hoa(text)
            .and_then(|hoa| {
                let (alphabet, mealy) = hoa.mealy(&input.outs)?;
                let names = hoa.states.into_iter().map(|state| state.name.unwrap_or_default()).collect();
                Ok((alphabet, AnyStrategy::Mealy(mealy), names))
            })
            .map_err(|error| {
                Diagnostic::error(Code::BAD_MACHINE, format!("`{}`: {error}", files::shown(path)))
            })
    };
    match found {
        Ok((alphabet, strategy, names)) => {
            if alphabet.outputs().next().is_none() && alphabet.cells().is_empty() {
                diagnostics.push(
                    Diagnostic::warning(Code::BAD_MACHINE, "the machine has no outputs")
                        .hint("without `controllable-AP` in the file, `--outs a,b` names them"),
                );
            }
            let path = Some(path.to_path_buf());
            Answer::Played(Box::new(subject(alphabet, strategy, names, None, path)))
        }
        Err(diagnostic) => {
            diagnostics.push(diagnostic);
            Answer::Wrong
        }
    }
}

fn subject(
    alphabet: Alphabet,
    strategy: AnyStrategy,
    names: Vec<String>,
    problem: Option<Problem>,
    path: Option<PathBuf>,
) -> Played {
    let id = match &strategy {
        AnyStrategy::Mealy(mealy) => machine_id(&alphabet, mealy),
        AnyStrategy::Counter(counter) => counter_id(&alphabet, counter),
    };
    Played { alphabet, strategy, id, names, problem, map: SourceMap::new(), path }
}

fn from_spec(
    input: &InputArgs,
    options: &Options,
    map: &mut SourceMap,
    diagnostics: &mut Diagnostics,
    observer: &Spinner,
) -> Answer {
    let mut problem = match input::read(input, map, diagnostics) {
        Reading::Problem(problem) => *problem,
        Reading::Wrong => return Answer::Wrong,
        Reading::TooLarge(limit) => return Answer::Nothing(Exit::Unknown, format!("unknown: {limit}")),
    };
    let outcome = synthesize(&mut problem, options, observer);
    if let Some(failure) = outcome.failure {
        return Answer::Internal(failure);
    }
    let strategy = match outcome.verdict {
        Verdict::Realizable(mealy) => AnyStrategy::Mealy(mealy),
        Verdict::Unrealizable(counter, _) => {
            for constraint in outcome.constraints {
                problem.clauses.push(constraint);
            }
            AnyStrategy::Counter(counter)
        }
        Verdict::Unknown(unknown) => {
            let message = format!("unknown: {}: {}", unknown.stage, unknown.limit);
            return Answer::Nothing(Exit::Unknown, message);
        }
    };
    let path = match input.specs.as_slice() {
        [path] if !files::is_stdin(path) => Some(path.clone()),
        _ => None,
    };
    Answer::Played(Box::new(subject(problem.alphabet.clone(), strategy, Vec::new(), Some(problem), path)))
}
