//! Versioned serde types for everything that leaves the tool as JSON or enters a template. Only this crate and `gate`,
//! for the answers and checkpoints of the gate, derive `Serialize`.

#![forbid(unsafe_code)]

/// The version of all documents: additions raise the second number, everything else the first.
pub const SCHEMA_VERSION: &str = "1.0";

mod adherence;
mod baseline;
mod behavior;
mod cached;
mod cause;
mod check;
mod diff;
mod emitted;
mod explain;
mod fret;
mod monitor;
mod oracle;
mod page;
mod page_sessions;
mod parts;
mod question;
mod record;
mod record_actor;
mod plan;
mod program;
mod policy_check;
mod policy_ask;
mod policy_critic;
mod policy_emit;
pub mod policy_file;
mod policy_try;
mod policy_words;
mod repair;
mod rows;
mod sarif;
mod strategy;
mod trace;
mod verify;

pub use adherence::{AdherenceDocument, AdherencePoint, AdherenceViolation};
pub use baseline::{BaselineDocument, BaselineEntry};
pub use behavior::{
    BehaviorCheckDocument, BehaviorDocument, BehaviorEdgeDocument, BehaviorNodeDocument, BehaviorResult,
    BehaviorStateDocument, BehaviorStateView, BehaviorTranscript, BehaviorView, SegmentDocument,
    SegmentsDocument,
};
pub use cached::CachedVerdict;
pub use cause::{
    CauseCounterfactual, CauseDocument, CauseEvent, CauseEvents, CauseHypothesis, CauseLetter, CauseLink,
    CauseSteps, CauseValue, CauseVerdict, CauseWitness, CausesDocument, ChoiceDocument, cause_letter,
    cause_word,
};
pub use check::{CheckAdvice, CheckCertificate, CheckDocument, CheckFriendly, CheckResult, CheckWeight};
pub use diff::{DiffAtom, DiffDocument, DiffKind, DiffRelation, DiffVerdict, DiffWord};
pub use emitted::{EmitDocument, EmitFile};
pub use explain::{ExplainDocument, ExplainLost, lost_sentence};
pub use fret::{FretComponent, FretDocument, FretResult, UnreadRequirement};
pub use monitor::{
    MonitorGroupTotal, MonitorLaw, MonitorLetter, MonitorStep, MonitorTotal, MonitorViolation,
};
pub use oracle::{
    AnswerDocument, GrammarDocument, RequestDocument, ScriptedDocument, answer_value, read_script,
    value_answer,
};
pub use page::{
    PageAtom, PageCell, PageClause, PageDocument, PageEdge, PageFormula, PageMachine, PageMark, PagePlace,
    PagePlaceEdge, PageProperty, PageRepair, PageRun, PageState, PageTerm, PageWhatIf,
};
pub use page_sessions::{
    ActiveState, FollowedAutomaton, FollowedEdge, FollowedEvent, FollowedLetter, FollowedMove,
    FollowedRuling, FollowedSession, FollowedState, SessionsDocument,
};
pub use parts::{
    CheckClause, CheckCore, CheckDiagnostic, CheckFailure, CheckNotion, CheckPlay, CheckPosition, CheckStep,
    CheckVerdict, SourceLabel, SourcePlace, Tool, answer_words, severity_word,
};
pub use plan::{
    ConstraintDocument, ExportDocument, JudgmentDocument, PlanDocument, PlanStepDocument,
    RewardRequestDocument, TravelJudgmentDocument,
};
pub use policy_ask::PolicyAskDocument;
pub use policy_check::{
    PolicyCheckDocument, PolicyConflict, PolicyCopies, PolicyGrounding, PolicyOddity, PolicyResult,
    PolicySpelling, PolicySpellings, PolicyStep, PolicyStuck, PolicyTrap, PolicyTrapStep,
};
pub use policy_critic::{CriticDocument, CriticEdit, CriticIteration, CriticLoopDocument};
pub use policy_emit::{
    PolicyAgentView, PolicyAtomView, PolicyCodeView, PolicyLawView, PolicyNameView, PolicyRegisterView,
    PolicyTestView, PolicyTestsView, PolicyToolView,
};
pub use policy_try::{NearMiss, TriedCallDocument, TriedCommand, TriedTable, TryDocument};
pub use policy_words::{
    PatternEntry, PatternsDocument, PolicyRegister, PolicySentence, PolicySentencesDocument,
};
pub use program::{ProgramCertificateDocument, ProgramDocument, ProgramPlay, ProgramPlayStep, ProgramResult};
pub use question::{
    AboutDocument, AboutLang, Question, QuestionError, QuestionHints, QuestionSpec, QuestionText,
    ViewDocument,
};
pub use record::{
    BehaviorRunDocument, EndDocument, ExchangeDocument, FailureDocument, RECORD_VERSION, Record,
    RecordHeader, RecordLine, StateDocument, TurnDocument, record_line,
};
pub use record_actor::{
    ActorCore, ActorGoal, ActorRefusal, ActorRunDocument, ActorStepDocument, ActorTotalsDocument,
};
pub use repair::{CheckChange, CheckRepair};
pub use rows::{read_rows, row_line, rows_header};
pub use sarif::SarifLog;
pub use strategy::AnyStrategy;
pub use trace::{ImpossibleAssumptions, ImpossibleBy, LetterDocument, LetterValue, TraceDocument};
pub use verify::{VerifyDocument, VerifyVerdict};
pub mod machine;
pub mod table_code;
pub mod view;
