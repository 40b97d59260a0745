//! What a trace is about: the machine that a specification has, or one from a file.

use crate::args::{EngineArgs, InputArgs, OutputArgs};
use crate::exit::Exit;
use crate::input::{self, Reading};
use crate::machine::{self, Lack, MachineFile};
use crate::settings::Settings;
use crate::supervise;
use crate::terminal::{self, Spinner};
use crate::{files, output, text};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tsl_synth::base::StopFlag;
use tsl_synth::diag::{Code, Diagnostic, Diagnostics, Severity};
use tsl_synth::logic::Alphabet;
use tsl_synth::mealy::{counter_id, machine_id};
use tsl_synth::model::StateId;
use tsl_synth::source::SourceMap;
use tsl_synth::spec::Problem;
use tsl_synth::synth::Options;
use tsl_synth::wire::AnyStrategy;

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

/// Loads a machine, or synthesizes one exactly as `emit` does.
///
/// # Errors
/// The exit, after everything was said on standard error.
pub(crate) fn load(input: &InputArgs, engine: &EngineArgs, output: &OutputArgs) -> Result<Played, Exit> {
    let settings = Settings::new(engine.clone());
    let stop = StopFlag::new();
    let spinner = Arc::new(Spinner::new(output.progress, output.quiet));
    let options = settings.options(stop.clone(), true);
    let (job, observer) = (input.clone(), Arc::clone(&spinner));
    let end = supervise::run(settings.allowance, &stop, move |_| {
        let (mut map, mut diagnostics) = (SourceMap::new(), Diagnostics::new());
        let answer = match machine_file(&job) {
            Some(path) => from_file(&path, &job, &mut map, &mut diagnostics),
            None => from_spec(&job, &options, &mut map, &mut diagnostics, &observer),
        };
        (answer, map, diagnostics)
    });
    spinner.clear();
    let (answer, map, mut diagnostics) = end.or_exit()?;
    let answer = answer.map_err(|lack| match lack {
        Lack::Wrong(found) => {
            diagnostics.append(found);
            Exit::Wrong
        }
        Lack::Limit(what) => {
            terminal::say(&format!("unknown: {}\n", terminal::escape_lines(&what)));
            Exit::Unknown
        }
        Lack::Internal(message) => output::internal(&message),
    });
    let color = terminal::wants_color(output.color);
    let least = if output.quiet { Severity::Error } else { Severity::Warning };
    terminal::say(&text::render(diagnostics.iter().filter(|d| d.severity >= least), &map, color));
    answer.map(|subject| Played { map, ..subject })
}

/// The one file that is named, if it holds a machine: by its ending, else by how it begins.
fn machine_file(input: &InputArgs) -> Option<PathBuf> {
    let [path] = input.specs.as_slice() else { return None };
    if input.input_format.is_some() || !input.formula.is_empty() {
        return None;
    }
    // Without a language standard input can only be a machine.
    if files::is_stdin(path) {
        return Some(path.clone());
    }
    match path.extension().and_then(|e| e.to_str()) {
        Some("hoa" | "ehoa" | "json" | "aag" | "aig") => return Some(path.clone()),
        Some("tsl" | "ltl" | "tlsf") => return None,
        _ => {}
    }
    let mut start = [0; 64];
    let read = std::fs::File::open(path).and_then(|mut file| file.read(&mut start)).ok()?;
    let start = String::from_utf8_lossy(&start[..read]);
    let begins = |word: &str| start.trim_start_matches('\u{feff}').trim_start().starts_with(word);
    ["HOA:", "{", "REALIZABLE", "aag ", "aig "].into_iter().any(begins).then(|| path.clone())
}

fn from_file(
    path: &Path,
    input: &InputArgs,
    map: &mut SourceMap,
    diagnostics: &mut Diagnostics,
) -> Result<Played, Lack> {
    let (alphabet, strategy, names) = match machine::read(path, map)? {
        MachineFile::Json(alphabet, strategy, names) => (alphabet, strategy, names),
        MachineFile::Hoa(hoa) => {
            let (alphabet, mealy) = hoa.mealy(&input.outs).map_err(|error| machine::bad(path, error))?;
            let names = hoa.states.into_iter().map(|state| state.name.unwrap_or_default()).collect();
            (alphabet, AnyStrategy::Mealy(mealy), names)
        }
    };
    if alphabet.outputs().next().is_none() && alphabet.cells().is_empty() {
        diagnostics.push(
            Diagnostic::warning(Code::BAD_MACHINE, "the machine has no outputs")
                .hint("without `controllable-AP` in the file, `--outs a,b` names them"),
        );
    }
    let path = Some(path.to_path_buf()).filter(|path| !files::is_stdin(path));
    Ok(subject(alphabet, strategy, names, None, path))
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
) -> Result<Played, Lack> {
    let mut problem = match input::read(input, map, diagnostics) {
        Reading::Problem(problem) => *problem,
        // The diagnostics are there already.
        Reading::Wrong => return Err(Lack::Wrong(Diagnostics::new())),
        Reading::TooLarge(limit) => return Err(limit.into()),
    };
    let strategy = machine::found(&mut problem, options, observer)?;
    let path = match input.specs.as_slice() {
        [path] if !files::is_stdin(path) => Some(path.clone()),
        _ => None,
    };
    Ok(subject(problem.alphabet.clone(), strategy, Vec::new(), Some(problem), path))
}
