//! `view TRACE`: the page of the machine that a trace names, with the trace played and the cause of its effect marked.

use super::cause_words::deviation;
use super::simulate::{Playing, SimulateRequest};
use super::{
    ExplainTraceRequest, Failure, Input, Session, SpecLanguage, SpecRequest, ViewReport, ViewRequest,
    is_stdin,
};
use crate::diag::{Code, Diagnostic};
use crate::emit::GivenPlay;
use crate::format::trace::read_trace;
use crate::mealy::Deviation;
use serde_json::Value;
use std::path::Path;

impl Session<'_> {
    /// The one file that is named, if it holds a trace: a document with letters that is no machine.
    pub(super) fn named_trace(&self, spec: &SpecRequest) -> Option<Input> {
        let [input @ Input::File(path)] = spec.inputs.as_slice() else { return None };
        let is_spec = spec.language.is_some() || SpecLanguage::of_ending(path).is_some();
        if is_spec || !spec.formulas.is_empty() || is_stdin(path) {
            return None;
        }
        let document: Value = serde_json::from_slice(&self.bytes(path).ok()?).ok()?;
        let is_trace = document.get("kind").is_none()
            && (document.get("prefix").is_some() || document.get("loop").is_some());
        is_trace.then(|| input.clone())
    }

    /// The page of the machine of a trace.
    pub(super) fn view_trace(&mut self, trace: &Input, request: &ViewRequest) -> Result<ViewReport, Failure> {
        let source = self.source(trace)?;
        let text = read_trace(&self.sources, source)?;
        let folder = trace.path().and_then(Path::parent).map(Path::to_path_buf).unwrap_or_default();
        let Some(named) = text.machine.as_ref().or(text.spec.as_ref()) else {
            let message = "it is not known which machine made this trace";
            let hint = "`spec` or `machine` in the trace names it, relative to the folder of the trace";
            return Err(Diagnostic::error(Code::CANNOT_READ, message).hint(hint).into());
        };
        let inner = ViewRequest {
            spec: SpecRequest { inputs: vec![Input::File(folder.join(&named.text))], ..request.spec.clone() },
            ..request.clone()
        };
        // The machine, as `simulate` has it, says what the trace leaves open, and where it repeats.
        let asked = SimulateRequest { spec: inner.spec.clone(), solver: inner.solver.clone() };
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
        let document = playing.document(Some(named.text.clone()));
        let mut play = GivenPlay { name: trace.shown(), trace: json(&document)?, ..GivenPlay::default() };
        if request.effect.is_some() || text.effect.is_some() {
            let asked = ExplainTraceRequest {
                effect: request.effect.clone(),
                solver: request.solver.clone(),
                ..ExplainTraceRequest::new(trace.clone())
            };
            let report = self.explain_trace(&asked)?;
            play.sentence = Some(report.document.sentence.clone());
            play.cause = Some(json(&report.document)?);
        }
        self.view_play(&inner, Some(&play))
    }
}

fn json(document: &impl serde::Serialize) -> Result<Value, Failure> {
    serde_json::to_value(document).map_err(|error| Failure::internal(format!("JSON of a trace: {error}")))
}
