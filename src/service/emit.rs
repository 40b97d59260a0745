//! `emit`: the controller of a specification as code, diagram or automaton.

use super::agent::StoryRequest;
use super::questions::CertificateTimer;
use super::scripted::scripted_play;
use super::tuning::{
    MONITOR_STATES, MONITOR_WORK, MOST_EDGES, MOST_EDGES_OF_STATE, NUMBER_MACHINE_WORK, READ_BACK_WORK,
    REASON_WORK,
};
use super::verify::read_back;
use super::{Failure, SolverOptions, SpecRequest, VERSION, emitted};
use crate::Session;
use std::collections::BTreeMap;
use tsl_synth_agents::prompts::Prompts;
use tsl_synth_automata::ltl_to_monitor_without;
use tsl_synth_core::base::{Budget, Id, Limit, LimitKind, sha256};
use tsl_synth_core::diag::{Code, Diagnostic, Diagnostics};
use tsl_synth_core::logic::{Class, Player};
use tsl_synth_core::model::{Circuit, Mealy, OnBroken, Prefer, Role, StrategyRepr, Verdict};
use tsl_synth_core::source::SourceMap;
use tsl_synth_documents::{CheckVerdict, EmitDocument, EmitFile};
use tsl_synth_emit::{
    AgentParts, AigerForm, AssumptionMonitor, CIRCUIT_TARGETS, CircuitInput, ClauseText, EmitError,
    EmitInput, EmitOptions, EmittedFile, Lang, Meta, Strategy, UserTemplate, emit, emit_agent, emit_circuit,
};
use tsl_synth_engine::mealy::{Registers, circuit_of_mealy};
use tsl_synth_engine::synth::{Outcome, StrategyForm, VerifyOptions, synthesize};
use tsl_synth_explain::{Asked, Reasons, clause_text, clause_with_line, falsified, line_parts};
use tsl_synth_lang::spec::Problem;

/// The object that is emitted for a specification.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Emitted {
    /// The controller.
    #[default]
    Controller,
    /// A project in which the controller uses a language model (`js`, `python`).
    Agent,
    /// The counter-strategy of an unrealizable specification.
    CounterStrategy,
    /// The deterministic automaton of each conjunct, as the symbolic engine uses it.
    Monitors,
}

/// Asks for files. They depend on the request only, never on the clock or the number of threads.
#[derive(Clone, Debug)]
#[non_exhaustive]
#[expect(clippy::struct_excessive_bools, reason = "options are bools")]
pub struct EmitRequest {
    /// The specification.
    pub spec: SpecRequest,
    /// How it is solved.
    pub solver: SolverOptions,
    /// What is emitted.
    pub what: Emitted,
    /// The target.
    pub lang: Lang,
    /// Whether predicates and functions are asynchronous (`rust`, `js`, `ts`, `python`).
    pub asynchronous: bool,
    /// Whether predicates are evaluated only when the decision depends on them.
    pub lazy: bool,
    /// What the controller does when the environment breaks a safety assumption.
    pub on_broken_assumption: OnBroken,
    /// A template instead of the embedded one of the target.
    pub template: Option<UserTemplate>,
    /// Whether to emit a project as well that builds and runs at once, with stubs and a test.
    pub scaffold: bool,
    /// Whether the project is a page that runs the controller (`js`).
    pub web: bool,
    /// The stem of the file names; the name of the specification where it is `None`.
    pub stem: Option<String>,
    /// The form of AIGER.
    pub aiger: AigerForm,
}

impl EmitRequest {
    /// Asks for the controller in this language.
    pub fn new(spec: SpecRequest, lang: Lang) -> Self {
        Self {
            spec,
            solver: SolverOptions::default(),
            what: Emitted::Controller,
            lang,
            asynchronous: false,
            lazy: false,
            on_broken_assumption: OnBroken::default(),
            template: None,
            scaffold: false,
            web: false,
            stem: None,
            aiger: AigerForm::Ascii,
        }
    }

    /// The option that needs the states of the machine one by one, if there is one.
    fn needs_states(&self, problem: &Problem) -> Option<&'static str> {
        self.options().needs_states(problem.clauses.iter().any(|clause| clause.role == Role::Assumption))
    }

    /// Whether a circuit will do where the machine has too many states or decisions to be listed.
    fn takes_circuits(&self, problem: &Problem) -> bool {
        self.what == Emitted::Controller && self.lang.takes_circuits() && self.needs_states(problem).is_none()
    }

    /// What to write instead of a machine that is too large to be listed, as the end of a sentence.
    fn without_states(&self, problem: &Problem) -> String {
        if !self.lang.takes_circuits() {
            return format!("; {CIRCUIT_TARGETS} need no list of states");
        }
        match self.needs_states(problem) {
            Some(option) => format!("; without `{option}` the code needs no list of states"),
            None => String::new(),
        }
    }

    fn options(&self) -> EmitOptions {
        EmitOptions {
            asynchronous: self.asynchronous,
            lazy: self.lazy,
            on_broken: self.on_broken_assumption,
            template: self.template.clone(),
            scaffold: self.scaffold,
            web: self.web,
            stem: self.stem.clone(),
            aiger: self.aiger,
            ..EmitOptions::new(self.lang)
        }
    }
}

/// The texts that were read in addition to the problem.
struct EmitTexts {
    /// The text of the specification.
    texts: String,
    /// The prompts for models, for an agent.
    prompts: Option<Prompts>,
}

/// The files that were made.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct EmitReport {
    /// The name of the specification.
    pub name: String,
    /// The target.
    pub lang: Lang,
    /// The files, in a fixed order; one of them is the main file.
    pub files: Vec<EmittedFile>,
    /// What was requested and is missing because of a limit, in a sentence each.
    pub missing: Vec<String>,
    /// Warnings and notes about the input.
    pub diagnostics: Diagnostics,
}

impl EmitReport {
    /// The main file.
    ///
    /// # Panics
    /// Never: there is one in every report.
    pub fn main(&self) -> &EmittedFile {
        self.files.iter().find(|file| file.main).expect("there is a main file")
    }
    /// The document of `emit --format json`: files of text.
    pub fn document(&self) -> EmitDocument {
        let file = |f: &EmittedFile| {
            Some(EmitFile { path: f.path.clone(), main: f.main, text: f.text()?.to_string() })
        };
        EmitDocument::new(VERSION, &self.name, self.lang.name(), self.files.iter().filter_map(file).collect())
    }
}

impl Session<'_> {
    /// Emits the controller of a specification, or what else the request names, as files.
    ///
    /// # Errors
    /// Errors of the input, a strategy that does not exist, a target that cannot express the request, a limit, or a
    /// defect of this program.
    pub fn emit(&mut self, request: &EmitRequest) -> Result<EmitReport, Failure> {
        self.deep(|session| session.emit_here(request))
    }

    fn emit_here(&mut self, request: &EmitRequest) -> Result<EmitReport, Failure> {
        let (mut problem, mut diagnostics) = self.problem(&request.spec)?;
        let mut read = EmitTexts { texts: self.texts().collect(), prompts: None };
        if request.what == Emitted::Agent {
            let tables = self.prompts(&StoryRequest::new(request.spec.clone()), &problem, &mut diagnostics);
            match tables {
                Ok(tables) => read.prompts = Some(tables.prompts),
                Err(failure) => return Err(failure.after(diagnostics)),
            }
        }
        let mut unread = None;
        let made = match request.what {
            Emitted::Monitors => super::monitors::monitors(&mut problem, request.lang, &self.cancel),
            _ => self.strategy_files(problem, request, &read, &mut diagnostics).map(|(files, limit)| {
                unread = limit;
                (files, Vec::new())
            }),
        };
        match made {
            Ok((files, missing)) => {
                let name = request.spec.name();
                if let Some(limit) = unread {
                    diagnostics.push(not_read_back(&limit));
                }
                Ok(EmitReport { name, lang: request.lang, files, missing, diagnostics })
            }
            Err(failure) => Err(failure.after(diagnostics)),
        }
    }

    /// The files, and the limit that was reached before the main one was read back and certified. Adds the finding
    /// about a controller that falsifies the assumptions.
    fn strategy_files(
        &mut self,
        mut problem: Problem,
        request: &EmitRequest,
        read: &EmitTexts,
        diagnostics: &mut Diagnostics,
    ) -> Result<(Vec<EmittedFile>, Option<Limit>), Failure> {
        let counter = request.what == Emitted::CounterStrategy;
        let options = request.options();
        let takes_circuits = request.takes_circuits(&problem);
        let form = match request.lang {
            Lang::Aiger => StrategyForm::Either,
            _ if takes_circuits => StrategyForm::PreferExplicit,
            _ => StrategyForm::Explicit,
        };
        let mut synthesis = SolverOptions { form, ..self.options(&request.solver, true) };
        if request.what == Emitted::Agent {
            // As for the stories that are run here.
            synthesis.prefer = Prefer::Any;
        }
        let relay = CertificateTimer::new(self.observer, self.clock);
        let name = request.spec.name();
        let (mut outcome, (), game) =
            self.solve_with_games(&name, &mut problem, &synthesis, |_, problem, options| {
                Ok((synthesize(problem, options, &relay)?, ()))
            })?;
        if let Some(game) = game.filter(|_| request.what == Emitted::Controller) {
            let is_code = matches!(request.lang, Lang::Python | Lang::Js);
            if is_code || game.report.verdict() != CheckVerdict::Realizable {
                let stem = emitted::stem(request.stem.as_deref(), &name, "controller");
                return Ok((game.report.code(request.lang, &stem)?, None));
            }
            // Other targets have machines with finitely many states, which may take more work than the game.
            problem = game.problem;
            let stop = synthesis.stop.within(NUMBER_MACHINE_WORK);
            let options = SolverOptions { stop, threads: 1, ..synthesis.clone() };
            outcome = synthesize(&mut problem, &options, &relay)?;
            if !matches!(outcome.verdict, Verdict::Realizable(_)) {
                let what = "the controller computes with numbers, and no machine with finitely many states was found: \
                            `emit --lang python` and `--lang js` write it";
                return Err(EmitError::Unsupported(what.into()).into());
            }
        }
        if let Some(finding) = falsified(&problem, &self.sources, &outcome.friendly).filter(|_| !counter) {
            diagnostics.push(finding);
        }
        let verdict = Registers::of(&problem).hidden(&outcome.verdict);
        let shown = problem.shown();
        let strategy = match (&verdict, counter) {
            (Verdict::Realizable(StrategyRepr::Explicit(machine)), false)
                if takes_circuits && has_many_decisions(machine) =>
            {
                let circuit = circuit_of_mealy(&shown.alphabet, machine);
                let code = (&circuit, Some(machine));
                let files = self.circuit_files(&mut problem, request, read, &outcome, code)?;
                return self.read_back(problem, request, &outcome, files);
            }
            (Verdict::Realizable(StrategyRepr::Explicit(machine)), false) => Strategy::Controller(machine),
            (Verdict::Unrealizable(StrategyRepr::Explicit(counter), _), true) => Strategy::Counter(counter),
            (Verdict::Realizable(StrategyRepr::Circuit(circuit)), false)
            | (Verdict::Unrealizable(StrategyRepr::Circuit(circuit), _), true) => {
                let code = (circuit, None);
                let files = self.circuit_files(&mut problem, request, read, &outcome, code)?;
                return self.read_back(problem, request, &outcome, files);
            }
            (Verdict::Realizable(_), true) => return Err(Failure::no_strategy(Player::Environment, None)),
            (Verdict::Unrealizable(_, notion), false) => {
                return Err(Failure::no_strategy(Player::System, Some(*notion)));
            }
            (Verdict::Unknown(unknown), _) => {
                let mut limit = unknown.limit.clone();
                if limit.kind == LimitKind::Size && request.what == Emitted::Controller {
                    limit.what.push_str(&request.without_states(&problem));
                }
                return Err(Failure::limit(unknown.stage, limit));
            }
        };
        let assumptions = if counter { Vec::new() } else { monitors(&mut problem, &self.sources) };
        let mut meta = self.meta(&problem, request, read, &outcome);
        if request.lang == Lang::Json && outcome.certificate.is_some() {
            meta.asked = self.asked_for(&problem, &outcome);
        }
        let input = EmitInput { problem: &shown, strategy, assumptions: &assumptions, meta: &meta };
        let files = match (&read.prompts, strategy) {
            (Some(prompts), Strategy::Controller(machine)) => {
                let memory = request.solver.memory;
                let play = scripted_play(&problem, machine, &self.sources, &outcome.constraints, memory);
                let parts = AgentParts { prompts, play: &play };
                emit_agent(&input, &options, &parts)?
            }
            _ => emit(&input, &options)?,
        };
        self.read_back(problem, request, &outcome, files)
    }

    /// The files of a strategy that is a circuit, perhaps of this machine.
    fn circuit_files(
        &self,
        problem: &mut Problem,
        request: &EmitRequest,
        read: &EmitTexts,
        outcome: &Outcome,
        (circuit, encodes): (&Circuit, Option<&Mealy>),
    ) -> Result<Vec<EmittedFile>, Failure> {
        let owner = match outcome.verdict {
            Verdict::Unrealizable(..) => Player::Environment,
            _ => Player::System,
        };
        let is_watched = owner == Player::System && request.lang.is_code();
        let assumptions = if is_watched { monitors(problem, &self.sources) } else { Vec::new() };
        let (shown, meta) = (problem.shown(), self.meta(problem, request, read, outcome));
        let assumptions = &assumptions;
        let input = CircuitInput { problem: &shown, circuit, encodes, owner, assumptions, meta: &meta };
        Ok(emit_circuit(&input, &request.options())?)
    }

    /// Reads the text of a machine back and certifies it, if answers are certified.
    fn read_back(
        &self,
        mut problem: Problem,
        request: &EmitRequest,
        outcome: &Outcome,
        files: Vec<EmittedFile>,
    ) -> Result<(Vec<EmittedFile>, Option<Limit>), Failure> {
        let is_machine = matches!(request.lang, Lang::Hoa | Lang::Aiger | Lang::Json);
        let main = files.iter().find(|file| file.main);
        let (Some(main), true, None) = (main, is_machine && outcome.certificate.is_some(), &request.template)
        else {
            return Ok((files, None));
        };
        for clause in &outcome.constraints {
            problem.clauses.push(clause.clone());
        }
        let owner = match outcome.verdict {
            Verdict::Unrealizable(..) => Player::Environment,
            _ => Player::System,
        };
        let options = VerifyOptions {
            symbolic: false,
            refinement_rounds: 0,
            stop: self.cancel.within(READ_BACK_WORK),
            memory: request.solver.memory,
        };
        let limit = read_back(problem, owner, (&main.path, main.bytes()), &options)?;
        Ok((files, limit))
    }

    /// Which clauses ask for the updates on each edge of the controller.
    fn asked_for(&self, problem: &Problem, outcome: &Outcome) -> Vec<Vec<BTreeMap<String, Vec<String>>>> {
        let Verdict::Realizable(StrategyRepr::Explicit(machine)) = &outcome.verdict else {
            return Vec::new();
        };
        let mut problem = problem.clone();
        for clause in &outcome.constraints {
            problem.clauses.push(clause.clone());
        }
        let Some(reasons) = Reasons::new(&problem, machine) else { return Vec::new() };
        let budget = Budget::unlimited().with_flag(self.cancel.clone()).with_work(REASON_WORK);
        let mut found: Vec<Vec<BTreeMap<String, Vec<String>>>> =
            machine.states.iter().map(|state| vec![BTreeMap::new(); state.edges.len()]).collect();
        for reason in reasons.all(&budget) {
            let clauses = match reason.asked {
                Asked::By(clauses) => clauses,
                Asked::Free => Vec::new(),
                Asked::Undecided => continue,
            };
            let name = problem.alphabet.cells()[reason.cell].name.clone();
            let text = |id| clause_with_line(&problem, &self.sources, id);
            found[reason.state.index()][reason.edge].insert(name, clauses.into_iter().map(text).collect());
        }
        found
    }

    fn meta(&self, problem: &Problem, request: &EmitRequest, read: &EmitTexts, outcome: &Outcome) -> Meta {
        let engine = outcome.statistics.engine.map_or(String::new(), |engine| engine.to_string());
        let mut origin = vec![format!("{engine} synthesis")];
        origin.extend(outcome.statistics.bound.map(|bound| format!("bound {bound}")));
        origin.push("minimized".into());
        let written = problem.clauses.enumerate().filter(|(_, clause)| clause.span.is_some());
        let clauses = written.map(|(id, clause)| {
            let (always, text) = line_parts(problem, &self.sources, id);
            let word = if clause.role == Role::Assumption { "assume" } else { "guarantee" };
            let section = if always { format!("always {word}") } else { word.into() };
            ClauseText { section, text }
        });
        let mut clauses: Vec<ClauseText> = clauses.collect();
        // One text of TLSF may be many clauses.
        clauses.dedup();
        Meta {
            tool_version: VERSION.into(),
            spec_name: request.spec.name(),
            spec_sha256: sha256(read.texts.as_bytes()),
            certified_by: outcome.certificate.as_ref().map(ToString::to_string),
            origin: origin.join(", "),
            clauses,
            asked: Vec::new(),
        }
    }
}

/// Whether a list of the decisions of a machine would be long and hard to read.
fn has_many_decisions(machine: &Mealy) -> bool {
    let edges = || machine.states.iter().map(|state| state.edges.len());
    edges().any(|edges| edges > MOST_EDGES_OF_STATE) || edges().sum::<usize>() > MOST_EDGES
}

impl From<EmitError> for Failure {
    fn from(error: EmitError) -> Self {
        match error {
            EmitError::Internal(message) => Self::internal(message),
            EmitError::Limit(message) => Limit::new(LimitKind::Work, message).into(),
            EmitError::Unsupported(message) | EmitError::Template(message) => Self::unsupported(message),
        }
    }
}

fn not_read_back(limit: &Limit) -> Diagnostic {
    let message =
        "the text of the machine was read back, but not certified within its limits; the machine itself was";
    Diagnostic::note(Code::NOT_READ_BACK, message)
        .hint(format!("`tsl-synth verify` has no such limit ({limit})"))
}

/// Monitors of the assumptions that a finite play can violate. Monitors that would be too large are left out: then the
/// controller does not detect the violation, and nothing else changes.
fn monitors(problem: &mut Problem, sources: &SourceMap) -> Vec<AssumptionMonitor> {
    let assumptions: Vec<_> = problem
        .clauses
        .enumerate()
        .filter(|(_, c)| c.role == Role::Assumption)
        .map(|(id, clause)| (id, clause.formula))
        .collect();
    let mut monitors = Vec::new();
    // Facts define the registers, which are not inputs of the controller.
    let registers = Registers::of(problem).bits();
    let facts: Vec<_> =
        problem.clauses.iter().filter(|c| problem.defines_register(c)).map(|clause| clause.formula).collect();
    for (id, formula) in assumptions {
        let formula = problem.target_formula(formula);
        if !problem.formulas.class(formula).is(Class::SAFETY) {
            continue;
        }
        let text = clause_text(problem, sources, id);
        let budget = Budget::unlimited().with_work(MONITOR_WORK);
        let whole = if problem.remembers(formula) {
            problem.formulas.and(facts.iter().copied().chain([formula]))
        } else {
            formula
        };
        let Problem { formulas, alphabet, .. } = &mut *problem;
        let hidden = |bit| registers.contains(&bit);
        let monitor = ltl_to_monitor_without(formulas, alphabet, whole, &hidden, MONITOR_STATES, &budget);
        if let Ok(monitor) = monitor {
            monitors.push(AssumptionMonitor { text, monitor });
        }
    }
    monitors
}
