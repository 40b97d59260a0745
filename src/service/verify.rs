//! `verify`: does a machine do what a specification asks?

use super::machine::bad;
use super::questions::Relay;
use super::{Failure, FailureKind, Input, Session, SolverOptions, SpecRequest, VERSION};
use crate::base::Limit;
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::explain::{clause_text, role_word};
use crate::format::aiger::{AigerStrategy, is_aiger, read_aiger};
use crate::format::hoa::{HoaError, read_hoa};
use crate::logic::{Alphabet, Player};
use crate::mealy::{rename_counter, rename_mealy};
use crate::model::{Notion, Role};
use crate::source::SourceMap;
use crate::spec::{AtomMeaning, Problem};
use crate::synth::{Candidate, Engine, Judgment, Verification, VerifyOptions, verify};
use crate::wire::machine::MachineDocument;
use crate::wire::{
    AnyStrategy, CheckCertificate, CheckClause, CheckDiagnostic, TraceDocument, VerifyDocument, VerifyVerdict,
};

/// Asks whether a machine does what a specification asks.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct VerifyRequest {
    /// The specification.
    pub spec: SpecRequest,
    /// The machine: HOA, AIGER or machine JSON.
    pub machine: Input,
    /// Limits; [`Engine::Symbolic`] checks on decision diagrams what is otherwise enumerated.
    pub solver: SolverOptions,
}

impl VerifyRequest {
    /// Asks about this machine.
    pub fn new(spec: SpecRequest, machine: Input) -> Self {
        Self { spec, machine, solver: SolverOptions::default() }
    }
}

/// What was found about a machine.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum VerifyAnswer {
    /// It is no strategy over the atoms of the specification; why.
    NoStrategy(String),
    /// The certifier looked at it.
    Judged {
        /// Whose strategy it is.
        owner: Player,
        /// Whether its labels leave outputs open, so that every way to choose them was looked at.
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

    /// Whether the machine does what is asked.
    pub fn verdict(&self) -> VerifyVerdict {
        match &self.answer {
            VerifyAnswer::NoStrategy(_) => VerifyVerdict::Violated,
            VerifyAnswer::Unknown(_) => VerifyVerdict::Unknown,
            VerifyAnswer::Judged { found, .. } => match found.judgment {
                Judgment::Holds(..) => VerifyVerdict::Holds,
                Judgment::Unknown(_) | Judgment::Undecided { .. } => VerifyVerdict::Unknown,
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
            Judgment::Holds(..) => match owner {
                Player::System if open => {
                    "The machine keeps every guarantee, whatever the environment does and however the outputs that its labels leave open are chosen.".into()
                }
                Player::System => "The machine keeps every guarantee, whatever the environment does.".into(),
                Player::Environment => "The machine of the environment defeats every system.".into(),
            },
            Judgment::Violated { clause, role, .. } => {
                let text = self.problem.as_ref().zip(*clause);
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
            Judgment::Undecided { clause, role, limit, .. } => {
                let text = self.problem.as_ref().zip(*clause);
                let text =
                    text.map_or(String::new(), |(problem, clause)| clause_text(problem, sources, clause));
                let role = role_word(*role);
                format!(
                    "Whether the {role} `{text}` fails on a play of TSL was not decided ({limit}). It fails on this play of its LTL abstraction:"
                )
            }
            Judgment::Improper(cell, inputs) => {
                let name = self.problem.as_ref().map_or("", |problem| &problem.alphabet.cells()[*cell].name);
                let step = inputs.len() - 1;
                format!("In step {step} of this play `{name}` does not get exactly one update.")
            }
            Judgment::Malformed(why) => format!("This is no strategy: {why}."),
            Judgment::Unknown(limit) => limit.to_string(),
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
        let notion_word = |notion: Notion| if notion == Notion::Tsl { "tsl" } else { "ltl" };
        match &found.judgment {
            Judgment::Holds(certified, notion) => {
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
            Judgment::Violated { clause, play, .. } | Judgment::Undecided { clause, play, .. } => {
                let letters: Vec<_> = (0..play.len()).map(|i| play.letter(i).clone()).collect();
                let back = Some(play.prefix.len());
                document.trace = Some(TraceDocument::new(VERSION, &problem.alphabet, &letters, back));
                document.clause = clause.map(|id| CheckClause::new(problem, sources, id));
                let violated = matches!(found.judgment, Judgment::Violated { .. });
                document.notion = violated.then(|| notion_word(Notion::Tsl).into());
            }
            Judgment::Improper(..) | Judgment::Malformed(_) | Judgment::Unknown(_) => {}
        }
        document
    }
}

impl Failure {
    /// The document of `verify --format json` that stands for it.
    pub fn verify_document(&self, spec: &str, machine: &str, sources: &SourceMap) -> VerifyDocument {
        let mut document = VerifyDocument::new(VERSION, spec.into(), machine.into());
        document.diagnostics = self.diagnostics.iter().map(|d| CheckDiagnostic::new(sources, d)).collect();
        document
    }
}

/// Why there is no candidate.
enum Lack {
    /// The file cannot be read or is no machine.
    Failure(Failure),
    /// It can be read, and what it says is no strategy.
    NoStrategy(String),
}

impl<E: Into<Failure>> From<E> for Lack {
    fn from(error: E) -> Self {
        Self::Failure(error.into())
    }
}

impl Session<'_> {
    /// Whether a machine, whoever made it, does what a specification asks. A limit is an answer.
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
        let (mut problem, diagnostics) = match self.problem(&request.spec) {
            Ok(read) => read,
            Err(Failure { kind: FailureKind::Limit { limit, .. }, diagnostics }) => {
                return unknown(limit, diagnostics);
            }
            Err(failure) => return Err(failure),
        };
        let answer = match self.candidate(&problem, &request.machine) {
            Ok((candidate, resolutions)) => {
                let (open, known) = (resolutions.is_some(), problem.alphabet.clone());
                if let Some(alphabet) = resolutions {
                    for _ in known.atoms().len()..alphabet.atoms().len() {
                        problem.signature.atoms.push(AtomMeaning::Proposition);
                    }
                    problem.alphabet = alphabet;
                }
                let options = VerifyOptions {
                    symbolic: request.solver.engine == Engine::Symbolic,
                    refinement_rounds: request.solver.refinements,
                    stop: self.cancel.clone(),
                    memory: request.solver.memory,
                };
                let circuit = match &candidate {
                    Candidate::Circuit { circuit, .. } => Some((circuit.latches.len(), circuit.gates.len())),
                    Candidate::Mealy(_) | Candidate::Counter(_) => None,
                };
                let relay = Relay::new(self.observer, self.clock);
                let found = verify(&mut problem, &candidate, &options, &relay);
                // Who reads a play does not know the inputs that resolved what was open.
                problem.alphabet = known;
                VerifyAnswer::Judged { owner: candidate.owner(), open, circuit, found }
            }
            Err(Lack::NoStrategy(why)) => VerifyAnswer::NoStrategy(why),
            Err(Lack::Failure(Failure { kind: FailureKind::Limit { limit, .. }, .. })) => {
                return unknown(limit, diagnostics);
            }
            Err(Lack::Failure(failure)) => return Err(failure.after(diagnostics)),
        };
        Ok(VerifyReport { name, machine, problem: Some(problem), answer, diagnostics })
    }

    /// The machine over the atoms of the specification; where its labels leave outputs open, over a wider alphabet, in
    /// which further inputs choose them.
    fn candidate(
        &mut self,
        problem: &Problem,
        machine: &Input,
    ) -> Result<(Candidate, Option<Alphabet>), Lack> {
        let (name, bytes) = self.input_bytes(machine)?;
        if is_aiger(&bytes) {
            let strategy = read_aiger(&bytes).and_then(|aiger| aiger.strategy(&problem.alphabet));
            let strategy = strategy.map_err(|error| bad(&name, error))?;
            let AigerStrategy { owner, circuit, proper } = strategy;
            return Ok((Candidate::Circuit { owner, circuit, proper }, None));
        }
        let text = String::from_utf8(bytes).map_err(|_| bad(&name, "it is neither text nor binary AIGER"))?;
        if text.trim_start_matches('\u{feff}').trim_start().starts_with('{') {
            return Ok((self.json(problem, &name, text)?, None));
        }
        hoa(problem, &name, &text)
    }

    fn json(&mut self, problem: &Problem, name: &str, text: String) -> Result<Candidate, Lack> {
        let source = self.sources.add(name, text);
        let (alphabet, strategy) = MachineDocument::read(&self.sources, source)?.strategy()?;
        let renamed = match strategy {
            AnyStrategy::Mealy(mealy) => {
                rename_mealy(&alphabet, &mealy, &problem.alphabet).map(Candidate::Mealy)
            }
            AnyStrategy::Counter(counter) => {
                rename_counter(&alphabet, &counter, &problem.alphabet).map(Candidate::Counter)
            }
        };
        Ok(renamed.map_err(|why| Diagnostic::error(Code::BAD_MACHINE, format!("`{name}`: {why}")))?)
    }
}

/// A text that cannot be read is an error; a machine that is no strategy is an answer.
fn hoa(problem: &Problem, name: &str, text: &str) -> Result<(Candidate, Option<Alphabet>), Lack> {
    let hoa = read_hoa(text).map_err(|error| bad(name, error))?;
    if let Some(unknown) = hoa.unknown_over(&problem.alphabet) {
        return Err(
            bad(name, format!("the proposition {unknown:?} is not an atom of the specification")).into()
        );
    }
    let no_strategy = |why: HoaError| Lack::NoStrategy(why.to_string());
    if hoa.is_counter_over(&problem.alphabet) {
        let counter = hoa.counter_over(&problem.alphabet).map_err(no_strategy)?;
        return Ok((Candidate::Counter(counter), None));
    }
    let mealy = hoa.mealy_over(&problem.alphabet).map_err(no_strategy)?;
    Ok(match hoa.resolutions_over(&problem.alphabet)? {
        Some((alphabet, mealy)) => (Candidate::Mealy(mealy), Some(alphabet)),
        None => (Candidate::Mealy(mealy), None),
    })
}
