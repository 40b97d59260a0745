//! `view TRACE`: the page of the machine that a trace names, with the trace played and the cause of its effect marked.

use super::cause_words::deviation;
use super::simulate::{Playing, SimulateRequest};
use super::what_if::WhatIf;
use super::{
    ExplainTraceRequest, Failure, Input, SpecLanguage, SpecRequest, ViewReport, ViewRequest, is_stdin,
};
use crate::Session;
use serde_json::Value;
use std::path::Path;
use tsl_synth_core::diag::{Code, Diagnostic};
use tsl_synth_emit::GivenPlay;
use tsl_synth_engine::mealy::Deviation;
use tsl_synth_formats::trace::{TraceText, read_trace};

impl Session<'_> {
    /// The only input, if it is a file with a trace: a document with letters that is not a machine.
    pub(super) fn named_trace(&self, spec: &SpecRequest) -> Option<Input> {
        let [input @ Input::File(path)] = spec.inputs.as_slice() else { return None };
        let is_spec = spec.language.is_some() || SpecLanguage::of_ending(path).is_some();
        if is_spec || !spec.formulas.is_empty() || is_stdin(path) {
            return None;
        }
        let document: Value = serde_json::from_slice(&self.bytes(path).ok()?).ok()?;
        let has = |key: &str| document.get(key).is_some();
        let is_trace = !has("kind") && (has("prefix") || has("loop") || has("states"));
        is_trace.then(|| input.clone())
    }

    /// The page of the machine of a trace.
    pub(super) fn view_trace(&mut self, trace: &Input, request: &ViewRequest) -> Result<ViewReport, Failure> {
        let source = self.source(trace)?;
        let text = read_trace(&self.sources, source)?;
        let (spec, file) = match &request.trace {
            Some(_) => (request.spec.clone(), request.spec.name()),
            None => spec_of(trace, &text, request)?,
        };
        let inner = ViewRequest { spec, ..request.clone() };
        // The machine, played as by `simulate`, determines the values that the trace leaves open, and where it repeats.
        let asked =
            SimulateRequest { solver: inner.solver.clone(), ..SimulateRequest::new(inner.spec.clone()) };
        let machine = self.simulate(&asked)?;
        let script = self.script(&machine, trace)?;
        let mut playing = Playing::new(&machine, 0, false);
        match playing.follow(&script, false, &mut |_| {}) {
            Ok(()) => {}
            Err(Deviation::TooLong(limit)) => return Err(limit.into()),
            Err(other) => {
                let message = deviation(&machine.shown, "the machine", &other);
                return Err(Diagnostic::error(Code::NO_RUN, message).into());
            }
        }
        let document = playing.document(Some(file));
        let mut play = GivenPlay { name: trace.shown(), trace: json(&document)?, ..GivenPlay::default() };
        if request.effect.is_none() && text.effect.is_none() {
            if request.hypothesis.is_some() {
                let message = "the hypothesis is about the cause of an effect, and none was named";
                return Err(Diagnostic::error(Code::CANNOT_READ, message)
                    .hint("say `--effect FORMULA`")
                    .into());
            }
            return self.view_play(&inner, Some(&play), None);
        }
        let report = self.explain_trace(&self.asked_of(trace, &inner))?;
        let ended = text.cycle.is_empty().then_some(text.prefix.len());
        let what_if = WhatIf::new(&report, request.hypothesis.as_deref(), ended);
        let compared = report.document.hypothesis.as_ref().map(|hypothesis| &hypothesis.sentence);
        let told = std::iter::once(&report.document.sentence).chain(compared).cloned();
        play.sentence = Some(told.collect::<Vec<_>>().join(" "));
        play.cause = Some(json(&report.document)?);
        play.notes = report.document.notes.iter().map(|note| sentence(note)).collect();
        play.drawing = report.drawing;
        self.view_play(&inner, Some(&play), what_if.as_ref())
    }

    /// The request for the cause of the effect, with the automaton of the cause.
    fn asked_of(&self, trace: &Input, request: &ViewRequest) -> ExplainTraceRequest {
        let mut asked = ExplainTraceRequest {
            effect: request.effect.clone(),
            hypothesis: request.hypothesis.clone(),
            svg: true,
            solver: request.solver.clone(),
            ..ExplainTraceRequest::new(trace.clone())
        };
        // Otherwise the trace names its machine or specification.
        if request.trace.is_some() {
            match self.named_machine(&request.spec) {
                Some(machine) => asked.machine = Some(machine),
                None => asked.spec.clone_from(&request.spec),
            }
        }
        asked
    }
}

/// The specification or machine that a trace names, and its name.
fn spec_of(trace: &Input, text: &TraceText, request: &ViewRequest) -> Result<(SpecRequest, String), Failure> {
    let folder = trace.path().and_then(Path::parent).map(Path::to_path_buf).unwrap_or_default();
    let Some(named) = text.machine.as_ref().or(text.spec.as_ref()) else {
        let message = "it is not known which machine made this trace";
        let hint = "say `--spec s.tsl` or `--machine m.hoa`, or name it in the trace: `spec` or `machine`, relative to the folder of the trace";
        return Err(Diagnostic::error(Code::CANNOT_READ, message).hint(hint).into());
    };
    let inputs = vec![Input::File(folder.join(&named.text))];
    Ok((SpecRequest { inputs, ..request.spec.clone() }, named.text.clone()))
}

/// A note with a capital and a full stop.
fn sentence(note: &str) -> String {
    let mut letters = note.chars();
    let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
    format!("{first}{}.", letters.as_str().trim_end_matches('.'))
}

fn json(document: &impl serde::Serialize) -> Result<Value, Failure> {
    serde_json::to_value(document).map_err(|error| Failure::internal(format!("JSON of a trace: {error}")))
}
