//! Behaviors of agents: `check`, and what `agent` runs.

use super::{Failure, FilesReport, Input, VERSION, emitted};
use crate::Session;
use std::fmt::Write;
use tsl_synth_agents::behavior::{Behavior, FaultKind, Transcript, TranscriptFault, findings};
use tsl_synth_agents::behavior_spec::load_agent;
use tsl_synth_core::diag::{Code, Diagnostic, Diagnostics, Severity};
use tsl_synth_core::source::{SourceId, SourceMap, Span};
use tsl_synth_documents::{BehaviorCheckDocument, BehaviorResult, BehaviorTranscript, CheckDiagnostic};
use tsl_synth_emit::{BehaviorTarget, emit_behavior};

/// Asks whether a behavior can be run, and whether transcripts are runs of it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct BehaviorRequest {
    /// The `.agent` text.
    pub agent: Input,
    /// Transcripts: texts with prompts, or lists of states.
    pub against: Vec<Input>,
    /// A bound for all loops instead of those of the text.
    pub max_loops: Option<u32>,
}

impl BehaviorRequest {
    /// Asks about this behavior.
    pub fn new(agent: Input) -> Self {
        Self { agent, against: Vec::new(), max_loops: None }
    }
}

/// The result of checking a behavior.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct BehaviorReport {
    /// The name of the text.
    pub name: String,
    /// The behavior.
    pub behavior: Behavior,
    /// Whether it can be run and all transcripts are runs of it.
    pub valid: bool,
    /// Why not, in a sentence.
    pub reason: Option<String>,
    /// The transcripts by their names.
    pub transcripts: Vec<(String, Transcript)>,
    /// Errors, warnings and notes.
    pub diagnostics: Diagnostics,
}

impl BehaviorReport {
    /// `VALID` or `INVALID`.
    pub fn verdict(&self) -> &'static str {
        if self.valid { "VALID" } else { "INVALID" }
    }
    /// The automaton of the agent, in a line for each node with its successors.
    pub fn table(&self) -> String {
        let behavior = &self.behavior;
        let mut text = String::new();
        for (id, node) in behavior.automaton().nodes() {
            let mut next = behavior.legal_names(id);
            if node.may_end {
                next.push("end".into());
            }
            let name = node.state.map_or("start", |state| behavior.state(state).name.as_str());
            let by = if behavior.is_env_input(id) { " (environment)" } else { "" };
            let _ = writeln!(text, "  {name}{by} -> {}", next.join(" | "));
        }
        text
    }
    /// The result of `check --format json`.
    pub fn result(&self, sources: &SourceMap) -> BehaviorResult {
        let diagnostics = self.diagnostics.iter().map(|d| CheckDiagnostic::new(sources, d)).collect();
        let mut result = BehaviorResult::new(&self.name, self.verdict(), diagnostics);
        result.reason.clone_from(&self.reason);
        result.agent = Some(self.behavior.spec().name.clone());
        result.nodes = self.behavior.automaton().size() - 1;
        let name = |state| self.behavior.state(state).name.clone();
        for (file, transcript) in &self.transcripts {
            let runs = transcript.runs.iter();
            let runs = runs.map(|run| run.iter().map(|(state, _)| name(*state)).collect()).collect();
            let accepted = transcript.fault.is_none();
            result.transcripts.push(BehaviorTranscript { name: file.clone(), accepted, runs });
        }
        result
    }
    /// The document of `check --format json`.
    pub fn document(&self, sources: &SourceMap) -> BehaviorCheckDocument {
        BehaviorCheckDocument::new(VERSION, vec![self.result(sources)])
    }
}

/// Asks for the files of a behavior.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct BehaviorEmitRequest {
    /// The `.agent` text.
    pub agent: Input,
    /// The target.
    pub target: BehaviorTarget,
    /// The stem of the file names; `None`: that of the text.
    pub stem: Option<String>,
    /// A bound for all loops instead of those of the text.
    pub max_loops: Option<u32>,
}

impl BehaviorEmitRequest {
    /// Asks for this target.
    pub fn new(agent: Input, target: BehaviorTarget) -> Self {
        Self { agent, target, stem: None, max_loops: None }
    }
}

impl Session<'_> {
    /// The files of a behavior: code, its automaton, or grammars.
    ///
    /// # Errors
    /// Errors of the text, a behavior that is invalid, or what the target cannot express.
    pub fn emit_behavior(&mut self, request: &BehaviorEmitRequest) -> Result<FilesReport, Failure> {
        let (behavior, diagnostics) = self.behavior(&request.agent, request.max_loops)?;
        let name = request.agent.shown();
        let stem = emitted::stem(request.stem.as_deref(), &name, "agent");
        self.deep(|_| {
            let files = emit_behavior(&behavior, request.target, &stem, VERSION)?;
            Ok(FilesReport { name: name.clone(), target: request.target.name(), files, diagnostics })
        })
    }

    /// A behavior that can be run, with warnings and notes.
    ///
    /// # Errors
    /// Errors of the text, a behavior that is invalid, or one that is too large.
    pub fn behavior(
        &mut self,
        agent: &Input,
        max_loops: Option<u32>,
    ) -> Result<(Behavior, Diagnostics), Failure> {
        self.deep(|session| {
            let (behavior, diagnostics) = session.any_behavior(agent, max_loops)?;
            if diagnostics.has_errors() {
                Err(Failure::input(diagnostics))
            } else {
                Ok((behavior, diagnostics))
            }
        })
    }

    /// Whether a behavior can be run, and whether transcripts are runs of it.
    ///
    /// # Errors
    /// Errors of the text, a transcript that cannot be read, or a limit.
    pub fn check_behavior(&mut self, request: &BehaviorRequest) -> Result<BehaviorReport, Failure> {
        self.deep(|session| session.check_behavior_here(request))
    }

    /// A behavior; among the findings are errors if it is invalid.
    fn any_behavior(
        &mut self,
        agent: &Input,
        max_loops: Option<u32>,
    ) -> Result<(Behavior, Diagnostics), Failure> {
        let source = self.source(agent)?;
        let (mut spec, mut diagnostics) = match load_agent(source, &self.sources) {
            Ok(loaded) => loaded,
            Err(failure) => return Err(Failure::input(failure.diagnostics)),
        };
        if let Some(times) = max_loops {
            spec = spec.with_max_loops(times);
        }
        let span = spec.span;
        let behavior = Behavior::new(spec).map_err(|limit| {
            let error = Diagnostic::error(Code::AGENT_TOO_LARGE, limit.to_string()).at(span, "");
            Failure::from(error.hint("bounds of loops inside of loops multiply"))
        })?;
        diagnostics.append(findings(&behavior).diagnostics);
        Ok((behavior, diagnostics))
    }

    fn check_behavior_here(&mut self, request: &BehaviorRequest) -> Result<BehaviorReport, Failure> {
        let name = request.agent.shown();
        let (behavior, mut diagnostics) = self.any_behavior(&request.agent, request.max_loops)?;
        let mut transcripts = Vec::new();
        for input in &request.against {
            let source = self.source(input)?;
            let transcript = behavior.transcript(&self.sources.get(source).text);
            if let Some(fault) = &transcript.fault {
                diagnostics.push(reported(&behavior, fault, source, &self.sources));
            }
            transcripts.push((input.shown(), transcript));
        }
        let error = diagnostics.iter().find(|found| found.severity == Severity::Error);
        let reason = error.map(|error| error.message.clone());
        let valid = reason.is_none();
        Ok(BehaviorReport { name, behavior, valid, reason, transcripts, diagnostics })
    }
}

/// The diagnostic for a fault of a transcript.
fn reported(
    behavior: &Behavior,
    fault: &TranscriptFault,
    source: SourceId,
    sources: &SourceMap,
) -> Diagnostic {
    let state = |state| &behavior.state(state).name;
    let shown = &sources.get(source).name;
    let after = match fault.after {
        Some(after) => format!("after `{}`", state(after)),
        None => "at the beginning".into(),
    };
    let allowed: Vec<String> = fault.allowed.iter().map(|&next| format!("`{}`", state(next))).collect();
    let (code, message) = match &fault.kind {
        FaultKind::Illegal(got) => {
            (Code::TRANSCRIPT, format!("`{shown}` is no run: `{}` may not come {after}", state(*got)))
        }
        FaultKind::Unknown(word) => {
            (Code::TRANSCRIPT, format!("`{shown}` is no run: there is no state `{word}`"))
        }
        FaultKind::Content(why) => (Code::TRANSCRIPT, format!("`{shown}` is no run: {why}")),
        FaultKind::Unfinished => {
            (Code::TRANSCRIPT_ENDS, format!("`{shown}` is no whole run: it may not end {after}"))
        }
        FaultKind::Nothing => {
            (Code::TRANSCRIPT_ENDS, format!("`{shown}` has no prompt and no state of the agent in it"))
        }
    };
    let span = Span::new(source, fault.place.start, fault.place.end);
    let is_content = matches!(fault.kind, FaultKind::Content(_));
    let remark = match &*allowed {
        _ if is_content => String::new(),
        [] => "no state is allowed here".into(),
        [only] => format!("only {only} may come here"),
        many => format!("allowed here: {}", many.join(", ")),
    };
    let error = Diagnostic::error(code, message).at(span, remark);
    match fault.kind {
        FaultKind::Illegal(got) if fault.after.is_none() => match behavior.spec().not_initial(got) {
            Some(why) => error.hint(why),
            None => error,
        },
        _ => error,
    }
}
