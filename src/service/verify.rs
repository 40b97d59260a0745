//! `verify`: does a machine do what a specification asks?

use super::extra_signals;
use super::machine::{MachineNotation, bad, notation};
use super::machine_names::as_specified;
use super::questions::CertificateTimer;
use super::tuning::{REGISTER_EDGES, UNFOLD_WORK};
use super::{Failure, FailureKind, Input, SolverOptions, SpecRequest, VERSION};
use crate::Session;
use rustc_hash::FxHashSet;
use tsl_synth_core::base::{Budget, Limit};
use tsl_synth_core::diag::{Code, Diagnostic, Diagnostics};
use tsl_synth_core::logic::{Alphabet, Player};
use tsl_synth_core::model::{Abstraction, Role, Silent};
use tsl_synth_core::source::SourceMap;
use tsl_synth_documents::machine::MachineDocument;
use tsl_synth_documents::{
    AnyStrategy, CheckCertificate, CheckClause, CheckDiagnostic, TraceDocument, VerifyDocument, VerifyVerdict,
};
use tsl_synth_engine::mealy::{Registers, rename_counter, rename_mealy};
use tsl_synth_engine::synth::{
    Engine, Friendliness, MachineCandidate, MachineVerdict, Verification, VerifyOptions,
    friendliness_of_candidate, verify,
};
use tsl_synth_explain::{clause_text, falsifying_machine, first_unavailable, role_word};
use tsl_synth_formats::aiger::{AigerStrategy, read_aiger};
use tsl_synth_formats::hoa::{HoaError, HoaHeader, read_hoa, write_counter_strategy, write_mealy};
use tsl_synth_lang::spec::{AtomMeaning, Problem, Target};

/// Asks whether a machine does what a specification asks.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct VerifyRequest {
    /// The specification.
    pub spec: SpecRequest,
    /// The machine: HOA, AIGER or machine JSON.
    pub machine: Input,
    /// Limits; [`Engine::Symbolic`] checks with decision diagrams instead of enumeration.
    pub solver: SolverOptions,
}

impl VerifyRequest {
    /// Asks about this machine.
    pub fn new(spec: SpecRequest, machine: Input) -> Self {
        Self { spec, machine, solver: SolverOptions::default() }
    }
}

/// The result of verifying a machine.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum VerifyAnswer {
    /// It is not a strategy over the atoms of the specification; the text says why.
    NoStrategy(String),
    /// It was checked by the certifier.
    Judged {
        /// The player whose strategy it is.
        owner: Player,
        /// Whether its labels leave outputs open, so that every way to choose them was checked.
        open: bool,
        /// Latches and gates, if it is a circuit.
        circuit: Option<(usize, usize)>,
        /// The answer.
        found: Verification,
    },
    /// A limit was reached before there was a machine to judge.
    Unknown(Limit),
}

/// The answer to whether a machine does what a specification asks.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct VerifyReport {
    /// The name of the specification.
    pub name: String,
    /// The name of the machine.
    pub machine: String,
    /// The specification; `None` if it was never read.
    pub problem: Option<Problem>,
    /// The answer.
    pub answer: VerifyAnswer,
    /// Warnings and notes about the specification.
    pub diagnostics: Diagnostics,
}

impl VerifyReport {
    /// A report without an answer.
    pub fn unknown(name: String, machine: String, limit: Limit) -> Self {
        let answer = VerifyAnswer::Unknown(limit);
        Self { name, machine, problem: None, answer, diagnostics: Diagnostics::new() }
    }

    /// Whether the machine satisfies the specification.
    pub fn verdict(&self) -> VerifyVerdict {
        match &self.answer {
            VerifyAnswer::NoStrategy(_) => VerifyVerdict::Violated,
            VerifyAnswer::Unknown(_) => VerifyVerdict::Unknown,
            VerifyAnswer::Judged { found, .. } => match found.judgment {
                MachineVerdict::Holds(..) => VerifyVerdict::Holds,
                MachineVerdict::Unknown(_) | MachineVerdict::Undecided { .. } => VerifyVerdict::Unknown,
                _ => VerifyVerdict::Violated,
            },
        }
    }

    /// The answer in a sentence.
    pub fn reason(&self, sources: &SourceMap) -> String {
        let (owner, open, found) = match &self.answer {
            VerifyAnswer::NoStrategy(why) => return format!("This is no strategy: {why}."),
            VerifyAnswer::Unknown(limit) => return limit.to_string(),
            VerifyAnswer::Judged { owner, open, found, .. } => (*owner, *open, found),
        };
        match &found.judgment {
            MachineVerdict::Holds(..) => match owner {
                Player::System if open => {
                    "The machine keeps every guarantee, whatever the environment does and however the outputs that its labels leave open are chosen.".into()
                }
                Player::System => "The machine keeps every guarantee, whatever the environment does.".into(),
                Player::Environment => "The machine of the environment defeats every system.".into(),
            },
            MachineVerdict::Violated { clause, role, play } => {
                let text = self.problem.as_ref().zip(*clause);
                let found = text.and_then(|(problem, clause)| {
                    Some((problem, first_unavailable(problem, clause, play)?))
                });
                if let (Player::System, Some((problem, (step, update, why)))) = (owner, found) {
                    let name = &problem.alphabet.atoms()[update].name;
                    let why = why.map_or(String::new(), |why| format!(", because {why}"));
                    return format!("`{name}` is not available in step {step} of this play{why}:");
                }
                let text =
                    text.map_or(String::new(), |(problem, clause)| clause_text(problem, sources, clause));
                match (owner, role) {
                    (Player::System, _) => format!("The {} `{text}` fails on this play:", role_word(*role)),
                    (Player::Environment, Role::Guarantee) => {
                        "On this play the system keeps every guarantee against the machine:".into()
                    }
                    (Player::Environment, _) => {
                        let role = role_word(*role);
                        format!("The machine of the environment breaks the {role} `{text}` on this play:")
                    }
                }
            }
            MachineVerdict::Undecided { clause, role, limit, .. } => {
                let text = self.problem.as_ref().zip(*clause);
                let text =
                    text.map_or(String::new(), |(problem, clause)| clause_text(problem, sources, clause));
                let role = role_word(*role);
                format!(
                    "Whether the {role} `{text}` fails on a play of TSL was not decided ({limit}). It fails on this play of its LTL abstraction:"
                )
            }
            MachineVerdict::Improper(cell, inputs) => {
                let name = self.problem.as_ref().map_or("", |problem| &problem.alphabet.cells()[*cell].name);
                let step = inputs.len() - 1;
                format!("In step {step} of this play `{name}` does not get exactly one update.")
            }
            MachineVerdict::Malformed(why) => format!("This is no strategy: {why}."),
            MachineVerdict::Unknown(limit) => limit.to_string(),
        }
    }

    /// The document of `verify --format json`.
    pub fn document(&self, sources: &SourceMap) -> VerifyDocument {
        let mut document = VerifyDocument::new(VERSION, self.name.clone(), self.machine.clone());
        document.verdict = self.verdict();
        document.reason = Some(self.reason(sources));
        document.diagnostics = self.diagnostics.iter().map(|d| CheckDiagnostic::new(sources, d)).collect();
        let (VerifyAnswer::Judged { owner, circuit, found, .. }, Some(problem)) =
            (&self.answer, &self.problem)
        else {
            return document;
        };
        let player = if *owner == Player::System { "system" } else { "environment" };
        document.player = Some(player.into());
        document.latches = circuit.map(|(latches, _)| latches);
        document.gates = circuit.map(|(_, gates)| gates);
        document.states = found.states;
        let notion_word = |notion: Abstraction| if notion == Abstraction::Tsl { "tsl" } else { "ltl" };
        match &found.judgment {
            MachineVerdict::Holds(certified, notion) => {
                document.certificate =
                    found.certificate().map(|c| CheckCertificate { checked: true, by: c.to_string() });
                document.questions = Some(certified.searches);
                if found.states.is_some() {
                    document.product_states = Some(certified.product_states);
                } else {
                    document.diagram_nodes = Some(certified.diagram_nodes);
                }
                if *owner == Player::Environment {
                    document.notion = Some(notion_word(*notion).into());
                }
            }
            MachineVerdict::Violated { clause, play, .. }
            | MachineVerdict::Undecided { clause, play, .. } => {
                let letters: Vec<_> = (0..play.len()).map(|i| play.letter(i).clone()).collect();
                let back = Some(play.prefix.len());
                document.trace = Some(TraceDocument::new(VERSION, &problem.alphabet, &letters, back));
                document.clause = clause.map(|id| CheckClause::new(problem, sources, id));
                let violated = matches!(found.judgment, MachineVerdict::Violated { .. });
                document.notion = violated.then(|| notion_word(Abstraction::Tsl).into());
            }
            MachineVerdict::Improper(..) | MachineVerdict::Malformed(_) | MachineVerdict::Unknown(_) => {}
        }
        document
    }
}

impl Failure {
    /// The document of `verify --format json` for this failure.
    pub fn verify_document(&self, spec: &str, machine: &str, sources: &SourceMap) -> VerifyDocument {
        let mut document = VerifyDocument::new(VERSION, spec.into(), machine.into());
        document.diagnostics = self.diagnostics.iter().map(|d| CheckDiagnostic::new(sources, d)).collect();
        document
    }
}

/// Why a file has no candidate.
pub(super) enum NoCandidate {
    /// The file cannot be read or is not a machine.
    Failure(Failure),
    /// The file can be read, but it is not a strategy.
    NoStrategy(String),
}

impl std::fmt::Display for NoCandidate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Failure(failure) => failure.fmt(f),
            Self::NoStrategy(why) => f.write_str(why),
        }
    }
}

impl<E: Into<Failure>> From<E> for NoCandidate {
    fn from(error: E) -> Self {
        Self::Failure(error.into())
    }
}

impl Session<'_> {
    /// Whether a machine from any source does what a specification asks. A limit is an answer.
    ///
    /// # Errors
    /// Errors of the specification or of the machine's file, or a defect of this program.
    pub fn verify(&mut self, request: &VerifyRequest) -> Result<VerifyReport, Failure> {
        self.deep(|session| session.verify_here(request))
    }

    fn verify_here(&mut self, request: &VerifyRequest) -> Result<VerifyReport, Failure> {
        let (name, machine) = (request.spec.name(), request.machine.shown());
        let unknown = |limit, diagnostics| {
            let report = VerifyReport::unknown(name.clone(), machine.clone(), limit);
            Ok(VerifyReport { diagnostics, ..report })
        };
        let (mut problem, mut diagnostics) = match self.problem(&request.spec) {
            Ok(read) => read,
            Err(Failure { kind: FailureKind::Limit { limit, .. }, diagnostics }) => {
                return unknown(limit, diagnostics);
            }
            Err(failure) => return Err(failure),
        };
        let mut notes = Diagnostics::new();
        let read = self.input_bytes(&request.machine).map_err(NoCandidate::from).and_then(|(name, bytes)| {
            let bytes = foreign_as_hoa(&problem, &name, bytes);
            extra_signals::switch(&mut problem, &bytes);
            notes.extend(extra_signals::admit(&mut problem, &name, &bytes));
            let read =
                candidate(&problem, &mut self.sources, (&name, bytes), Player::System, Some(&mut notes))?;
            if read.1.is_some() && problem.target == Target::Moore {
                return Err(open_moore(&name).into());
            }
            Ok(read)
        });
        diagnostics.append(notes);
        let answer = match read {
            Ok((candidate, resolutions)) => {
                let (open, known) = (resolutions.is_some(), problem.alphabet.clone());
                if let Some(alphabet) = resolutions {
                    widen(&mut problem, alphabet);
                }
                let options = VerifyOptions {
                    symbolic: request.solver.engine == Engine::Symbolic,
                    refinement_rounds: request.solver.refinement_rounds,
                    stop: self.cancel.clone(),
                    memory: request.solver.memory,
                };
                let circuit = match &candidate {
                    MachineCandidate::Circuit { circuit, .. } => {
                        Some((circuit.latches.len(), circuit.gates.len()))
                    }
                    MachineCandidate::Mealy(_) | MachineCandidate::Counter(_) => None,
                };
                let relay = CertificateTimer::new(self.observer, self.clock);
                let found = verify(&mut problem, &candidate, &options, &relay);
                let friendly = match found.judgment {
                    MachineVerdict::Holds(..)
                        if request.solver.friendly && problem.target == Target::Mealy =>
                    {
                        let further = &found.constraints;
                        friendliness_of_candidate(&mut problem, &candidate, further, &options)
                    }
                    _ => Friendliness::NotAsked,
                };
                // Plays are shown without the additional inputs that choose open outputs, and without registers.
                problem.alphabet = known;
                if let Friendliness::Undecided(_, Some(how)) = friendly {
                    diagnostics.push(falsifying_machine(&problem, &self.sources, &how));
                }
                problem.alphabet = problem.shown_alphabet();
                VerifyAnswer::Judged { owner: candidate.owner(), open, circuit, found }
            }
            Err(NoCandidate::NoStrategy(why)) => VerifyAnswer::NoStrategy(why),
            Err(NoCandidate::Failure(Failure { kind: FailureKind::Limit { limit, .. }, .. })) => {
                return unknown(limit, diagnostics);
            }
            Err(NoCandidate::Failure(failure)) => return Err(failure.after(diagnostics)),
        };
        Ok(VerifyReport { name, machine, problem: Some(problem), answer, diagnostics })
    }

    /// The machine over the atoms of the specification; if its labels leave outputs open, over a wider alphabet, in
    /// which additional inputs choose them.
    pub(super) fn candidate(
        &mut self,
        problem: &Problem,
        machine: &Input,
    ) -> Result<(MachineCandidate, Option<Alphabet>), NoCandidate> {
        let (name, bytes) = self.input_bytes(machine)?;
        candidate(problem, &mut self.sources, (&name, bytes), Player::System, None)
    }
}

/// The error for a machine with open outputs where a Moore machine is asked for: the additional inputs that choose them
/// belong to the same step, and a Moore machine must not depend on these.
fn open_moore(name: &str) -> Diagnostic {
    let message =
        "it leaves outputs open, and the target of the specification is a Moore machine: that is not checked";
    bad(name, message).hint("a file in which every output has a value is checked")
}

/// Machine JSON as HOA if some of its atoms are not atoms of the specification, so that names are matched as those of HOA
/// are. Other bytes are returned as they are.
fn foreign_as_hoa(problem: &Problem, name: &str, bytes: Vec<u8>) -> Vec<u8> {
    let read = || {
        if notation(name, &bytes) != Ok(MachineNotation::Json) {
            return None;
        }
        let text = std::str::from_utf8(&bytes).ok()?.trim_start_matches('\u{feff}');
        let mut sources = SourceMap::new();
        let source = sources.add(name, text.to_owned());
        let (alphabet, strategy) = MachineDocument::read(&sources, source).ok()?.strategy().ok()?;
        let known = problem.shown_alphabet();
        let names: FxHashSet<&str> = known.atoms().iter().map(|atom| atom.name.as_str()).collect();
        if alphabet.atoms().iter().all(|atom| names.contains(atom.name.as_str())) {
            return None;
        }
        let header = HoaHeader { name: name.into(), tool_version: VERSION.into() };
        Some(match strategy {
            AnyStrategy::Mealy(mealy) => write_mealy(&alphabet, &mealy, &header),
            AnyStrategy::Counter(counter) => write_counter_strategy(&alphabet, &counter, &header),
        })
    };
    read().map_or(bytes, String::into_bytes)
}

/// See [`Session::candidate`]. With `notes` for what is said about it, names may differ in their spelling. In HOA and
/// AIGER a machine without any atom does not say whose it is: it is of this owner.
fn candidate(
    problem: &Problem,
    sources: &mut SourceMap,
    (name, bytes): (&str, Vec<u8>),
    owner: Player,
    mut notes: Option<&mut Diagnostics>,
) -> Result<(MachineCandidate, Option<Alphabet>), NoCandidate> {
    let registers = Registers::of(problem);
    let notation = notation(name, &bytes)?;
    if notation == MachineNotation::Aiger {
        let shown = problem.shown_alphabet();
        let mut aiger = read_aiger(&bytes).map_err(|error| bad(name, error))?;
        if let Some(notes) = notes.as_deref_mut() {
            let own: Vec<String> = aiger.names().cloned().collect();
            let (names, note) = as_specified(problem, &shown, name, &own);
            aiger.rename(names);
            notes.extend(note);
        }
        let strategy = aiger.strategy(&shown).map_err(|error| bad(name, error))?;
        let AigerStrategy { owner: seen, circuit, proper, open } = strategy;
        let owner = if shown.atoms().is_empty() { owner } else { seen };
        let circuit = match owner {
            Player::System => registers.unread_by_circuit(&circuit, open),
            Player::Environment => registers.given_by_circuit(&circuit),
        };
        let wider = (open > 0).then(|| problem.alphabet.with_resolutions(open));
        return Ok((MachineCandidate::Circuit { owner, circuit, proper }, wider));
    }
    let text = String::from_utf8(bytes).map_err(|_| bad(name, "it is neither text nor binary AIGER"))?;
    if notation == MachineNotation::Json {
        return Ok((with_registers(registers, json(problem, sources, name, text)?)?, None));
    }
    let (candidate, resolutions) = hoa(problem, name, &text, owner, notes)?;
    Ok((with_registers(registers, candidate)?, resolutions))
}

/// Adds the registers to a machine of the environment, which sets them. A controller does not read them and stays as it
/// is.
fn with_registers(registers: Registers<'_>, candidate: MachineCandidate) -> Result<MachineCandidate, Limit> {
    Ok(match candidate {
        MachineCandidate::Counter(counter) if !registers.all.is_empty() => {
            let budget = Budget::unlimited().with_work(UNFOLD_WORK);
            MachineCandidate::Counter(registers.given_by(&counter, REGISTER_EDGES, &budget)?)
        }
        other => other,
    })
}

fn json(
    problem: &Problem,
    sources: &mut SourceMap,
    name: &str,
    text: String,
) -> Result<MachineCandidate, NoCandidate> {
    let source = sources.add(name, text);
    let (alphabet, strategy) = MachineDocument::read(sources, source)?.strategy()?;
    let shown = problem.shown_alphabet();
    let renamed = match strategy {
        AnyStrategy::Mealy(mealy) => rename_mealy(&alphabet, &mealy, &shown).map(MachineCandidate::Mealy),
        AnyStrategy::Counter(counter) => {
            rename_counter(&alphabet, &counter, &shown).map(MachineCandidate::Counter)
        }
    };
    Ok(renamed.map_err(|why| Diagnostic::error(Code::BAD_MACHINE, format!("`{name}`: {why}")))?)
}

/// Adds the additional inputs that choose open outputs to the atoms of the problem.
fn widen(problem: &mut Problem, alphabet: Alphabet) {
    for _ in problem.alphabet.atoms().len()..alphabet.atoms().len() {
        problem.signature.atoms.push(AtomMeaning::Proposition);
    }
    problem.alphabet = alphabet;
}

/// Reads a machine that was written, and certifies what was read: a strategy of this player that wins the problem. `Some`
/// if a limit was reached before that was known.
///
/// # Errors
/// It is not such a strategy: a defect of this program.
pub(super) fn read_back(
    mut problem: Problem,
    owner: Player,
    file: (&str, &[u8]),
    options: &VerifyOptions,
) -> Result<Option<Limit>, Failure> {
    let wrong =
        |why: String| Failure::internal(format!("`{}` was read back after it was written: {why}", file.0));
    let (candidate, resolutions) =
        match candidate(&problem, &mut SourceMap::new(), (file.0, file.1.to_vec()), owner, None) {
            Ok(read) => read,
            Err(NoCandidate::NoStrategy(why)) => return Err(wrong(why)),
            Err(NoCandidate::Failure(Failure { kind: FailureKind::Limit { limit, .. }, .. })) => {
                return Ok(Some(limit));
            }
            Err(NoCandidate::Failure(failure)) => return Err(wrong(failure.reason())),
        };
    if candidate.owner() != owner {
        return Err(wrong("it is a strategy of the other player".into()));
    }
    if let Some(alphabet) = resolutions {
        widen(&mut problem, alphabet);
    }
    match verify(&mut problem, &candidate, options, &Silent).judgment {
        MachineVerdict::Holds(..) => Ok(None),
        MachineVerdict::Unknown(limit) => Ok(Some(limit)),
        MachineVerdict::Malformed(why) => Err(wrong(why)),
        MachineVerdict::Violated { .. } | MachineVerdict::Undecided { .. } => {
            Err(wrong("a clause fails".into()))
        }
        MachineVerdict::Improper(..) => Err(wrong("a cell has not exactly one update".into())),
    }
}

/// A text that cannot be read is an error; a machine that is not a strategy is an answer.
fn hoa(
    problem: &Problem,
    name: &str,
    text: &str,
    owner: Player,
    notes: Option<&mut Diagnostics>,
) -> Result<(MachineCandidate, Option<Alphabet>), NoCandidate> {
    let shown = problem.shown_alphabet();
    let mut hoa = read_hoa(text).map_err(|error| bad(name, error))?;
    if let Some(notes) = notes {
        let (names, note) = as_specified(problem, &shown, name, &hoa.propositions);
        hoa.rename(names);
        notes.extend(note);
    }
    if let Some(unknown) = hoa.unknown_over(&shown) {
        return Err(
            bad(name, format!("the proposition {unknown:?} is not an atom of the specification")).into()
        );
    }
    let no_strategy = |why: HoaError| NoCandidate::NoStrategy(why.to_string());
    let is_counter =
        if shown.atoms().is_empty() { owner == Player::Environment } else { hoa.is_counter_over(&shown) };
    if is_counter {
        let counter = hoa.counter_over(&shown).map_err(no_strategy)?;
        return Ok((MachineCandidate::Counter(counter), None));
    }
    let mealy = hoa.mealy_over(&problem.alphabet).map_err(no_strategy)?;
    Ok(match hoa.resolutions_over(&problem.alphabet)? {
        Some((alphabet, mealy)) => (MachineCandidate::Mealy(mealy), Some(alphabet)),
        None => (MachineCandidate::Mealy(mealy), None),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use tsl_synth_core::base::StopFlag;

    #[test]
    fn a_text_that_says_something_else_is_a_defect() {
        let spec = SpecRequest::formulas(["G (a -> x)"], ["x"]);
        let (problem, _) = Session::new().problem(&spec).expect("a problem");
        let options =
            VerifyOptions { symbolic: false, refinement_rounds: 0, stop: StopFlag::new(), memory: 1 << 30 };
        let read =
            |text: &str| read_back(problem.clone(), Player::System, ("m.aag", text.as_bytes()), &options);
        assert_eq!(read("aag 1 1 0 1 0\n2\n2\ni0 a\no0 x\n").expect("the same"), None);
        for text in [
            "aag 1 1 0 1 0\n2\n3\ni0 a\no0 x\n",
            "aag 1 1 0 1 0\n2\n2\ni0 x\no0 a\n",
            "aag 1 1 0 1 0\n2\n2\ni0 a\no0 z\n",
            "aag 1 1",
        ] {
            let failure = read(text).expect_err("it is another machine");
            assert!(matches!(failure.kind, FailureKind::Internal(_)), "{text}: {failure:?}");
        }
        let stopped = VerifyOptions { stop: StopFlag::new().within(0), ..options };
        let text = "aag 1 1 0 1 0\n2\n2\ni0 a\no0 x\n";
        let limit = read_back(problem.clone(), Player::System, ("m.aag", text.as_bytes()), &stopped);
        assert!(limit.expect("no defect").is_some());
    }
}
