//! Machines: read from a file, or found for a specification.

use crate::files;
use std::collections::BTreeSet;
use std::path::Path;
use tsl_synth::base::{Budget, Limit, LimitKind};
use tsl_synth::diag::{Code, Diagnostic, Diagnostics};
use tsl_synth::format::aiger::{is_aiger, read_aiger};
use tsl_synth::format::hoa::{HoaHeader, HoaMachine, read_hoa, write_mealy};
use tsl_synth::format::trace::TraceText;
use tsl_synth::logic::Alphabet;
use tsl_synth::mealy::mealy_of_circuit;
use tsl_synth::model::{Form, Observer, Verdict};
use tsl_synth::source::{SourceId, SourceMap};
use tsl_synth::spec::Problem;
use tsl_synth::synth::{Options, Wanted, synthesize};
use tsl_synth::wire::AnyStrategy;
use tsl_synth::wire::machine::MachineDocument;

/// Circuits with more states, or that take more counted work to unfold, are past the limit.
const UNFOLD_STATES: usize = 10_000;
const UNFOLD_WORK: u64 = 20_000_000;

/// Why there is no machine.
pub(crate) enum Lack {
    /// The diagnostics say.
    Wrong(Diagnostics),
    /// A limit was reached.
    Limit(String),
    /// Something is wrong with the program.
    Internal(String),
}

impl From<Diagnostic> for Lack {
    fn from(diagnostic: Diagnostic) -> Self {
        let mut all = Diagnostics::new();
        all.push(diagnostic);
        Self::Wrong(all)
    }
}

impl From<Limit> for Lack {
    fn from(limit: Limit) -> Self {
        Self::Limit(limit.to_string())
    }
}

/// What a file holds.
pub(crate) enum MachineFile {
    /// Machine JSON: its atoms, the strategy, the names of its states.
    Json(Alphabet, AnyStrategy, Vec<String>),
    /// HOA, whose atoms become inputs and outputs only with a specification or names of outputs.
    Hoa(HoaMachine),
}

/// Reads a text into the map.
pub(crate) fn load(path: &Path, map: &mut SourceMap) -> Result<SourceId, Lack> {
    loaded(path, files::load(path, map))
}

fn loaded(path: &Path, result: Result<SourceId, Option<Diagnostic>>) -> Result<SourceId, Lack> {
    result.map_err(|error| {
        error.map_or_else(
            || {
                let what = format!("`{}` is larger than {} MiB", files::shown(path), files::MAX_INPUT >> 20);
                Limit::new(LimitKind::Size, what).into()
            },
            Lack::from,
        )
    })
}

/// Reads a machine: JSON, HOA, or AIGER, which is read as the machine with Boolean outputs that it unfolds to.
pub(crate) fn read(path: &Path, map: &mut SourceMap) -> Result<MachineFile, Lack> {
    let bytes = files::read_bytes(path);
    if let Ok(bytes) = &bytes
        && is_aiger(bytes)
    {
        return unfolded(path, bytes);
    }
    let source = loaded(path, files::add(path, bytes, map))?;
    let text = map.get(source).text.trim_start_matches('\u{feff}').trim_start();
    if text.starts_with('{') {
        let document = MachineDocument::read(map, source)?;
        let (alphabet, strategy) = document.strategy()?;
        let names = document.states.into_iter().map(|state| state.name).collect();
        return Ok(MachineFile::Json(alphabet, strategy, names));
    }
    if files::is_stdin(path) && !["HOA:", "REALIZABLE"].iter().any(|begin| text.starts_with(begin)) {
        let message = "what comes from standard input is neither HOA nor AIGER nor machine JSON";
        let hint = "for a specification say `--input-format tsl`, `ltl` or `tlsf`";
        return Err(Diagnostic::error(Code::CANNOT_READ, message).hint(hint).into());
    }
    read_hoa(text).map(MachineFile::Hoa).map_err(|error| bad(path, error).into())
}

/// The machine of a circuit; updates of a cell are outputs like others in it, and become cells as in HOA.
fn unfolded(path: &Path, bytes: &[u8]) -> Result<MachineFile, Lack> {
    let aiger = read_aiger(bytes).map_err(|error| bad(path, error))?;
    let mut alphabet = Alphabet::new();
    let mut names: BTreeSet<&str> = BTreeSet::new();
    for name in aiger.inputs.iter().flatten().filter(|name| names.insert(name)) {
        alphabet.add_input(name.clone());
    }
    for name in aiger.outputs.iter().flatten().filter(|name| names.insert(name)) {
        alphabet.add_output(name.clone());
    }
    let strategy = aiger.strategy(&alphabet).map_err(|error| bad(path, error))?;
    let budget = Budget::unlimited().with_work(UNFOLD_WORK);
    let machine = mealy_of_circuit(&alphabet, &strategy.circuit, UNFOLD_STATES, &budget)?;
    let header = HoaHeader { name: files::shown(path), tool_version: env!("CARGO_PKG_VERSION").into() };
    let hoa = write_mealy(&alphabet, &machine, &header);
    read_hoa(&hoa).map(MachineFile::Hoa).map_err(|error| bad(path, error).into())
}

/// A diagnostic about a machine in a file.
pub(crate) fn bad(path: &Path, why: impl std::fmt::Display) -> Diagnostic {
    Diagnostic::error(Code::BAD_MACHINE, format!("`{}`: {why}", files::shown(path)))
}

/// A trace that names a machine is a trace of no other one.
pub(crate) fn same(trace: &TraceText, id: &str) -> Result<(), Diagnostic> {
    match &trace.machine_id {
        Some(named) if named.text != id => {
            let message = format!("the trace is of another machine: its `machineId` is not {id}");
            Err(Diagnostic::error(Code::NO_RUN, message).at(named.span, "another machine"))
        }
        _ => Ok(()),
    }
}

/// The controller of a problem, or the counter-strategy, whose constraints become clauses.
pub(crate) fn found(
    problem: &mut Problem,
    options: &Options,
    observer: &dyn Observer,
) -> Result<AnyStrategy, Lack> {
    let options = Options { form: Wanted::Explicit, ..options.clone() };
    let outcome =
        synthesize(problem, &options, observer).map_err(|failed| Lack::Internal(failed.to_string()))?;
    match outcome.verdict {
        Verdict::Realizable(Form::Explicit(mealy)) => Ok(AnyStrategy::Mealy(mealy)),
        Verdict::Unrealizable(Form::Explicit(counter), _) => {
            for constraint in outcome.constraints {
                problem.clauses.push(constraint);
            }
            Ok(AnyStrategy::Counter(counter))
        }
        Verdict::Realizable(Form::Circuit(_)) | Verdict::Unrealizable(Form::Circuit(_), _) => {
            Err(Lack::Internal("a circuit, where an explicit machine was asked for".into()))
        }
        Verdict::Unknown(unknown) => Err(Lack::Limit(format!("{}: {}", unknown.stage, unknown.limit))),
    }
}
