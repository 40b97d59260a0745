//! Machines: read from a file, or found for a specification.

use super::opponent::{no_machine, played_as};
use super::ports::is_stdin;
use super::tuning::{UNFOLD_STATES, UNFOLD_WORK};
use super::{Failure, Input};
use crate::Session;
use std::collections::BTreeSet;
use std::path::Path;
use tsl_synth_core::base::Budget;
use tsl_synth_core::diag::{Code, Diagnostic, Diagnostics};
use tsl_synth_core::logic::Alphabet;
use tsl_synth_core::model::{Circuit, Observer, StrategyRepr, Verdict};
use tsl_synth_documents::AnyStrategy;
use tsl_synth_documents::machine::MachineDocument;
use tsl_synth_engine::mealy::mealy_of_circuit;
use tsl_synth_engine::synth::{SolverOptions, StrategyForm};
use tsl_synth_formats::aiger::{is_aiger, read_aiger};
use tsl_synth_formats::hoa::{HoaHeader, HoaMachine, read_hoa, write_mealy};
use tsl_synth_formats::trace::TraceText;
use tsl_synth_lang::spec::{Clause, Problem, SignalNames};

/// How much of a file is looked at for its notation.
const NOTATION_BYTES: usize = 1 << 12;

/// The beginnings of HOA: `ltlsynt` prints its verdict before the machine.
const HOA_BEGINS: [&str; 3] = ["HOA:", "REALIZABLE", "UNREALIZABLE"];

/// Whether a text with this beginning is a machine (HOA, AIGER, machine JSON) and not a specification.
pub(super) fn machine_file_begins(start: &[u8]) -> bool {
    let start = String::from_utf8_lossy(start);
    let start = start.trim_start_matches('\u{feff}').trim_start();
    HOA_BEGINS.iter().chain(&["{", "aag ", "aig "]).any(|word| start.starts_with(word))
}

/// The notations of machines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MachineNotation {
    Aiger,
    Json,
    Hoa,
}

/// The notation of a machine file: the one in which the text begins, else the one that the ending tells.
///
/// # Errors
/// Neither tells one.
pub(super) fn notation(name: &str, bytes: &[u8]) -> Result<MachineNotation, Diagnostic> {
    if is_aiger(bytes) {
        return Ok(MachineNotation::Aiger);
    }
    let start = String::from_utf8_lossy(&bytes[..bytes.len().min(NOTATION_BYTES)]);
    let start = start.trim_start_matches('\u{feff}').trim_start();
    if start.starts_with('{') {
        return Ok(MachineNotation::Json);
    }
    if HOA_BEGINS.iter().chain(&["/*"]).any(|word| start.starts_with(word)) {
        return Ok(MachineNotation::Hoa);
    }
    notation_of_ending(Path::new(name)).ok_or_else(|| {
        let message =
            "it does not begin like a machine in HOA (`HOA: v1`), AIGER (`aag`, `aig`) or JSON (`{`)";
        bad(name, message)
    })
}

/// The notation that the ending of a file name tells.
pub(super) fn notation_of_ending(path: &Path) -> Option<MachineNotation> {
    match path.extension()?.to_string_lossy().to_ascii_lowercase().as_str() {
        "aag" | "aig" | "aiger" => Some(MachineNotation::Aiger),
        "json" => Some(MachineNotation::Json),
        "hoa" | "ehoa" => Some(MachineNotation::Hoa),
        _ => None,
    }
}

/// The contents of a machine file.
pub(super) enum MachineText {
    /// Machine JSON: its atoms, the strategy, the names of its states.
    Json(Alphabet, AnyStrategy, Vec<String>),
    /// HOA, whose atoms become inputs and outputs only with a specification or names of outputs.
    Hoa(HoaMachine),
}

/// The contents of a machine file, with HOA as text.
pub(super) enum MachineFile {
    /// As in [`MachineText`].
    Json(Box<(Alphabet, AnyStrategy, Vec<String>)>),
    /// The text of an automaton.
    Hoa(String),
}

/// A diagnostic about a machine in a file.
pub(super) fn bad(name: &str, why: impl std::fmt::Display) -> Diagnostic {
    Diagnostic::error(Code::BAD_MACHINE, format!("`{name}`: {why}"))
}

/// The propositions of a machine or automaton that a list of outputs denotes; it may have regular expressions between
/// slashes. A header `controllable-AP:` is stronger than the list, which is then not looked at.
pub(super) fn named_outputs(
    name: &str,
    propositions: &[String],
    controllable: Option<&[usize]>,
    outs: &[String],
) -> Result<Vec<String>, Failure> {
    if controllable.is_some() || outs.is_empty() {
        return Ok(Vec::new());
    }
    let mut found = Diagnostics::new();
    let entries: Vec<_> = outs.iter().map(|entry| (entry.clone(), None)).collect();
    let list = SignalNames::new(&entries, &mut found);
    let names: BTreeSet<&str> = propositions.iter().map(String::as_str).collect();
    list.warn_of_unmatched(&names, "`--outs`", "no proposition", &mut found);
    let Some(first) = found.iter().next() else {
        return Ok(propositions.iter().filter(|own| list.matches(own)).cloned().collect());
    };
    let all = propositions.iter().map(|own| format!("`{own}`")).collect::<Vec<_>>().join(", ");
    let mut error =
        bad(name, first.message.replace("occurs in no proposition", "is none of its propositions"));
    error.hints.clone_from(&first.hints);
    Err(error.hint(format!("its propositions are {all}")).into())
}

/// Rejects a trace that names another machine.
pub(super) fn same(trace: &TraceText, id: Option<&str>) -> Result<(), Diagnostic> {
    match &trace.machine_id {
        Some(named) if Some(named.text.as_str()) != id => {
            let is = id.map_or_else(String::new, |id| format!(": its `machineId` is not {id}"));
            let message = format!("the trace is of another machine{is}");
            Err(Diagnostic::error(Code::NO_RUN, message).at(named.span, "another machine"))
        }
        _ => Ok(()),
    }
}

/// The strategy of a machine to play.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum PlayedStrategy {
    /// A table.
    Explicit(AnyStrategy),
    /// A controller as a circuit, whose states are numbered as they are met.
    Circuit(Circuit),
}

impl PlayedStrategy {
    /// The table.
    ///
    /// # Errors
    /// It is a circuit, for which nobody asked.
    pub(super) fn explicit(&self) -> Result<&AnyStrategy, Failure> {
        match self {
            Self::Explicit(strategy) => Ok(strategy),
            Self::Circuit(_) => Err(Failure::internal("a circuit, where an explicit machine was asked for")),
        }
    }
}

/// Solves a problem. The result is the controller with the facts that refinement added, or the counter-strategy of
/// [`played`], and then these facts become clauses of the problem.
pub(super) fn found(
    problem: &mut Problem,
    options: &SolverOptions,
    observer: &dyn Observer,
) -> Result<(AnyStrategy, Vec<Clause>), Failure> {
    let (strategy, further) = found_as(problem, options, false, observer)?;
    Ok((strategy.explicit()?.clone(), further))
}

/// The same; with `takes_circuits` the controller may be a circuit.
pub(super) fn found_as(
    problem: &mut Problem,
    options: &SolverOptions,
    takes_circuits: bool,
    observer: &dyn Observer,
) -> Result<(PlayedStrategy, Vec<Clause>), Failure> {
    let form = if takes_circuits { StrategyForm::PreferExplicit } else { StrategyForm::Explicit };
    let outcome = played_as(problem, options, form, observer)?.outcome;
    match outcome.verdict {
        Verdict::Realizable(StrategyRepr::Explicit(mealy)) => {
            Ok((PlayedStrategy::Explicit(AnyStrategy::Mealy(mealy)), outcome.constraints))
        }
        Verdict::Unrealizable(StrategyRepr::Explicit(counter), _) => {
            Ok((PlayedStrategy::Explicit(AnyStrategy::Counter(counter)), Vec::new()))
        }
        Verdict::Realizable(StrategyRepr::Circuit(circuit)) => {
            Ok((PlayedStrategy::Circuit(circuit), outcome.constraints))
        }
        Verdict::Unrealizable(StrategyRepr::Circuit(_), _) => {
            Err(Failure::internal("a circuit, where an explicit machine was asked for"))
        }
        Verdict::Unknown(unknown) => Err(no_machine(problem, &unknown)),
    }
}

impl Session<'_> {
    /// The bytes of an input, and its name.
    pub(super) fn input_bytes(&self, input: &Input) -> Result<(String, Vec<u8>), Failure> {
        let name = input.shown();
        match input {
            Input::File(path) => Ok((name, self.bytes(path)?)),
            Input::Text { text, .. } => Ok((name, text.clone().into_bytes())),
        }
    }

    /// Reads a machine: JSON, HOA, or AIGER, which is read as the machine with Boolean outputs that it unfolds to.
    pub(super) fn machine_text(&mut self, input: &Input) -> Result<MachineText, Failure> {
        match self.machine_file(input)? {
            MachineFile::Json(json) => {
                let (alphabet, strategy, names) = *json;
                Ok(MachineText::Json(alphabet, strategy, names))
            }
            MachineFile::Hoa(text) => {
                let read = read_hoa(&text).map(MachineText::Hoa);
                read.map_err(|error| bad(&input.shown(), error).into())
            }
        }
    }

    /// Reads a machine; HOA is not parsed.
    pub(super) fn machine_file(&mut self, input: &Input) -> Result<MachineFile, Failure> {
        let (name, bytes) = self.input_bytes(input)?;
        let notation = notation(&name, &bytes);
        if notation == Ok(MachineNotation::Aiger) {
            return unfolded(&name, &bytes).map(MachineFile::Hoa);
        }
        let source = self.add(name, bytes)?;
        let text = self.sources.get(source).text.trim_start_matches('\u{feff}').trim_start();
        if notation == Ok(MachineNotation::Json) {
            let document = MachineDocument::read(&self.sources, source)?;
            let (alphabet, strategy) = document.strategy()?;
            let names = document.states.into_iter().map(|state| state.name).collect();
            return Ok(MachineFile::Json(Box::new((alphabet, strategy, names))));
        }
        if input.path().is_some_and(is_stdin) && !machine_file_begins(text.as_bytes()) {
            let message = "what comes from standard input is neither HOA nor AIGER nor machine JSON";
            let hint = "for a specification say `--input-format tsl`, `ltl` or `tlsf`";
            return Err(Diagnostic::error(Code::CANNOT_READ, message).hint(hint).into());
        }
        notation?;
        Ok(MachineFile::Hoa(text.to_owned()))
    }
}

/// The machine of a circuit, in HOA; updates of a cell are outputs like others in the circuit, and become cells when
/// the HOA is read.
fn unfolded(name: &str, bytes: &[u8]) -> Result<String, Failure> {
    let aiger = read_aiger(bytes).map_err(|error| bad(name, error))?;
    let mut alphabet = Alphabet::new();
    let mut names: BTreeSet<&str> = BTreeSet::new();
    for name in aiger.inputs.iter().flatten().filter(|name| names.insert(name)) {
        alphabet.add_input(name.clone());
    }
    if let Some(both) = aiger.outputs.iter().flatten().find(|name| names.contains(name.as_str())) {
        return Err(bad(name, format!("an input and an output have the name {both:?}")).into());
    }
    for name in aiger.outputs.iter().flatten().filter(|name| names.insert(name)) {
        alphabet.add_output(name.clone());
    }
    let strategy = aiger.strategy(&alphabet).map_err(|error| bad(name, error))?;
    let budget = Budget::unlimited().with_work(UNFOLD_WORK);
    let machine = mealy_of_circuit(&alphabet, &strategy.circuit, UNFOLD_STATES, &budget)?;
    let header = HoaHeader { name: name.into(), tool_version: super::VERSION.into() };
    Ok(write_mealy(&alphabet, &machine, &header))
}
