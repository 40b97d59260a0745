//! The use cases as a library: requests in, typed events while they run, typed reports out. The command line and other
//! programs are built on this module. Every call runs on a thread of its own with a stack of 256 MiB (of address
//! space); WebAssembly has no threads, so there it runs on the stack of the module.
//!
//! A [`Session`] holds the texts that were read and the ports to the outside. The library itself reads no file, prints
//! nothing and reads no clock:
//!
//! | port | what it is for | without it |
//! |---|---|---|
//! | [`Loader`] | files that requests name, and imports | [`NoFiles`]: requests carry their texts |
//! | [`Clock`] | the seconds in reports | [`NoClock`]: they are zero |
//! | [`SessionObserver`] | phases, counters, the verdict before its explanation | [`Silent`] |
//! | [`StopFlag`] | ends the work from another thread | only the limits of the request end it |
//! | [`Cache`] | keeps verdicts of `check` | everything is solved |
//!
//! Every method of a session takes a request and gives a report, or a [`Failure`]: the input has errors, the request is
//! not possible for this input, there is no such strategy, a limit was reached, or the program has a defect.
//!
//! ```
//! use tsl_synth_service::{CheckRequest, Observer, Phase, Session, SessionObserver, SpecLanguage, SpecRequest};
//!
//! struct Phases;
//!
//! impl Observer for Phases {
//!     fn phase(&self, phase: Phase) {
//!         eprintln!("{phase}");
//!     }
//! }
//!
//! impl SessionObserver for Phases {}
//!
//! let text = "always guarantee { [x <- a()]; p -> [x <- b()]; }";
//! let mut session = Session::new().with_observer(&Phases);
//! let request = CheckRequest::new(SpecRequest::text(SpecLanguage::Tsl, "x.tsl", text));
//! let report = session.check(&request)?;
//! assert!(report.is_unrealizable());
//! println!("{}", report.reason().unwrap_or_default());
//! for repair in report.hints(&session.sources) {
//!     println!("{}", repair.sentence());
//! }
//! # Ok::<(), tsl_synth_service::Failure>(())
//! ```

#![forbid(unsafe_code)]

pub mod trace_terms;
mod actor;
mod adherence;
mod advice;
mod agent;
mod behavior;
mod behavior_run;
mod bench;
mod blame;
mod cache;
mod cause_words;
mod certificate;
mod chain;
mod check;
mod convert;
mod diff;
pub mod editor;
mod emit;
mod emitted;
mod evidence;
mod explain_spec;
mod explain_trace;
mod extra_signals;
mod failure;
mod follow;
#[cfg(test)]
mod foreign_machines;
mod format;
mod fret;
mod guided;
mod json;
mod machine;
mod machine_names;
mod monitors;
mod number_repairs;
mod numbers;
mod open_system;
mod opponent;
mod plan;
mod program;
mod property;
mod policy;
mod ports;
mod questions;
mod read;
mod recording;
mod report;
mod request;
mod scripted;
mod simulate;
mod subject;
#[cfg(test)]
mod true_reasons;
mod tuning;
mod verify;
mod view;
mod view_behavior;
mod view_plans;
mod view_policy;
mod view_record;
mod view_trace;
mod waveform;
mod what_if;

pub use actor::{
    ActorEnd, ActorKind, ActorOptions, ActorOutcome, ActorRun, ActorTotals, GoalTotal, RunEvents, TASK_DONE,
    actor_options, actor_totals, play_actor, replay_actor, reported_goals, run_actor, run_events,
};
pub use adherence::{Adherence, LoggedRun, Point, RunViolation, TableLog, adherence};
pub use advice::Advice;
pub use agent::{ChoiceReport, LoadedStory, StoryRequest, replay_story, run_story};
pub use behavior::{BehaviorEmitRequest, BehaviorReport, BehaviorRequest};
pub use behavior_run::{BehaviorRun, replay_behavior, run_behavior};
pub use bench::{
    BENCH_HEADER, BenchRow, BenchVerdict, ExpectedVerdict, bench_summary, read_bench_rows, read_expectations,
};
pub use certificate::CertificateText;
pub use check::{CheckRequest, Hints};
pub use convert::{ConvertReport, ConvertRequest, MachineFormat};
pub use diff::{DiffAnswer, DiffReport, DiffRequest, DiffStep, DistinguishingWord, MachineDifference};
pub use emit::{EmitReport, EmitRequest, Emitted};
pub use emitted::FilesReport;
pub use evidence::{Evidence, EvidenceFile};
pub use explain_spec::{ExplainSpecReport, ExplainSpecRequest, SpecExplanation};
pub use explain_trace::{AutomatonForm, ExplainTraceReport, ExplainTraceRequest, TraceAnswer};
pub use failure::{Failure, FailureKind};
pub use format::Formatted;
pub use fret::{FretReport, FretRequest};
pub use json::answer_json;
pub use machine::PlayedStrategy;
pub use plan::{PlanRequest, Plans};
pub use policy::{
    AskReport, AskRequest, CriticGoal, CriticLoopReport, CriticLoopRequest, CriticReport, CriticRequest,
    ExampleWord, GroupTotals, JudgedEdit, LawInWords, LawOfSentence, LawTotal, ListedSpellings, LoadSessions,
    LoggedSession, LoggedSessions, LoggedSessionsBuilder, LoopActor, LoopIteration, MonitorGroup, MonitorRow,
    MonitorRun, MonitorTotals, MonitorWindow, NamedLetter, PolicyAgentRequest, PolicyCheckReport,
    PolicyCheckRequest, PolicyEmitRequest, PolicyInWords, PolicyVerdict, Refusal, RefusalWitness,
    RefusedBecause, RowLaw, SeenViolation, SentencesReport, SentencesRequest, TryReport, TryRequest,
    patterns_document,
};
pub use ports::{
    Clock, Event, Loader, MAX_INPUT, NoClock, NoFiles, ReadError, SessionObserver, Texts, is_stdin, shown,
};
pub use program::{ProgramLanguage, ProgramReport, ProgramRequest};
pub use recording::Oracles;
pub use report::{CheckReport, Explanation, Searched};
pub use request::{Input, SpecLanguage, SpecRequest};
pub use simulate::{PlayEvent, PlayScript, PlayedMachine, Playing, SimulateRequest, read_choice};
pub use verify::{VerifyAnswer, VerifyReport, VerifyRequest};
pub use view::{ViewReport, ViewRequest};
pub use view_behavior::BehaviorViewRequest;
pub use view_plans::PlanViewRequest;
pub use view_policy::{PolicyViewRequest, ViewedLog};
pub use view_record::StoryViewRequest;

pub use tsl_synth_agents::behavior::Behavior;
pub use tsl_synth_core::base::{Limit, LimitKind, StopFlag};
pub use tsl_synth_core::model::{Cache, Counter, Observer, OnBroken, Phase, Silent, Stage};
pub use tsl_synth_emit::{
    AgentLang, AigerForm, BehaviorTarget, Contents, EmittedFile, Lang, LettersTable, PolicyTarget,
    SqlDialect, UserTemplate,
};
pub use tsl_synth_engine::mealy::{Continuation, Deviation};
pub use tsl_synth_engine::synth::{
    Certificate, CheckMethod, Engine, FailedCertificate, MachineVerdict, Prefer, SolverOptions, Statistics,
    Verification,
};
pub use tsl_synth_explain::cause;
pub use tsl_synth_explain::{
    Addition, BrokenClause as PlayFailure, Core, Cores, FINDINGS, LosingPlay, Lost, PlayEnding, PlayStep,
    Repair, Repairs, ShownStep, Template, Weakened, Weakening,
};
pub use tsl_synth_explain::{
    ClauseWeight, MOST_WEIGHED, cited, clause_quote, clause_text, is_given, literal_text, role_word,
    shown_steps, updates_of_numbers, values_told,
};
pub use tsl_synth_fret::is_export;
pub use tsl_synth_gate::{
    FORWARDED, FileLimits, Forward, GateAnswer, GateChange, GateDocument, GateExplanation, GateJournal,
    GateService, LoadedPolicy, LoggedHistory, McpGate, McpProxy, McpStep, MemoryJournal, Scenario,
    ScenarioFault, ScriptReader, SharedSolver, StepReport, Surroundings, WITHOUT_LOOK_AHEAD, explain_refusal,
    forwarded, gate_limit, read_wanted, scenario_of, unused_grant,
};
pub use tsl_synth_kernel::{Blame, Certified, CertifyError, Culprit, Violation};
pub use tsl_synth_lang::spec::{LoadError, Loaded, Loader as ImportLoader, NoImports};
pub use tsl_synth_ltl::operators::Dialect;
pub use tsl_synth_policy::language::Fallback;

use tsl_synth_core::base::{NoResult, on_large_stack};
use tsl_synth_core::source::SourceMap;

/// The version that is written into documents and emitted files.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The texts that were read, and the ports to the world. One session may answer many requests.
pub struct Session<'a> {
    /// All texts read so far; the spans in diagnostics and clauses point into them. Requests add texts and remove none;
    /// a long-lived program uses one session per request.
    pub sources: SourceMap,
    /// How many texts there were before those of the specification that was read last.
    begin: usize,
    loader: &'a dyn Loader,
    clock: &'a dyn Clock,
    observer: &'a dyn SessionObserver,
    cancel: StopFlag,
    cache: Option<&'a dyn Cache>,
}

impl Default for Session<'_> {
    fn default() -> Self {
        Self::new()
    }
}

impl<'a> Session<'a> {
    /// A session without files and clock.
    pub fn new() -> Self {
        Self {
            sources: SourceMap::new(),
            begin: 0,
            loader: &NoFiles,
            clock: &NoClock,
            observer: &Silent,
            cancel: StopFlag::new(),
            cache: None,
        }
    }
    /// Reads files through this loader.
    #[must_use]
    pub fn with_loader(mut self, loader: &'a dyn Loader) -> Self {
        self.loader = loader;
        self
    }
    /// Reads the time from this clock.
    #[must_use]
    pub fn with_clock(mut self, clock: &'a dyn Clock) -> Self {
        self.clock = clock;
        self
    }
    /// Reports progress to this observer.
    #[must_use]
    pub fn with_observer(mut self, observer: &'a dyn SessionObserver) -> Self {
        self.observer = observer;
        self
    }
    /// Ends the work when this flag is raised: `check` answers UNKNOWN, other calls fail with [`FailureKind::Limit`]. A
    /// flag is never lowered; the next request needs a new one.
    #[must_use]
    pub fn with_cancel(mut self, cancel: StopFlag) -> Self {
        self.cancel = cancel;
        self
    }
    /// The options of a request with the stop flag of this session.
    fn options(&self, solver: &SolverOptions, minimize: bool) -> SolverOptions {
        SolverOptions { stop: self.cancel.clone(), minimize, ..solver.clone() }
    }

    /// Keeps certified verdicts of `check` in this cache. A cached verdict is not solved again, but it is certified
    /// again.
    #[must_use]
    pub fn with_cache(mut self, cache: &'a dyn Cache) -> Self {
        self.cache = Some(cache);
        self
    }

    /// Runs `work` on a thread with a large stack. A panic is a failure of kind [`FailureKind::Internal`].
    fn deep<T: Send>(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<T, Failure> + Send,
    ) -> Result<T, Failure> {
        match on_large_stack(|| work(self)) {
            Ok(done) => done,
            Err(NoResult::Panic(panic)) => Err(Failure::panic(&*panic)),
            Err(NoResult::NoStack(error)) => {
                Err(Failure::internal(format!("cannot start a thread: {error}")))
            }
        }
    }
}
