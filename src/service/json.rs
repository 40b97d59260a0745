//! A question in JSON and its answer in JSON, for hosts without files and processes, such as a browser.

use super::{
    CheckRequest, Deviation, EmitRequest, Emitted, ExplainSpecRequest, ExplainTraceRequest, Failure, Hints,
    Input, Playing, Prefer, SimulateRequest, SolverOptions, SpecLanguage, SpecRequest, VERSION, ViewRequest,
};
use crate::Session;
use serde::Serialize;
use std::path::Path;
use tsl_synth_core::base::StopFlag;
use tsl_synth_documents::{
    AboutDocument, AboutLang, CheckDiagnostic, CheckDocument, Question, QuestionError, QuestionHints,
    QuestionSpec, QuestionText, ViewDocument,
};
use tsl_synth_emit::Lang;

/// The answer to a [`Question`]: the document of the verb, or `{"error": ".."}`.
///
/// The answer depends on the question only. The time is not limited: a host that cannot stop the call from another
/// thread should bound the work in the question.
pub fn answer_json(question: &str) -> String {
    let asked = serde_json::from_str(question).map_err(|error| format!("this is no question: {error}"));
    asked.and_then(|question| answer(&question)).unwrap_or_else(|error| json(&QuestionError { error }))
}

fn json(document: &impl Serialize) -> String {
    serde_json::to_string(document).unwrap_or_else(|error| format!("{{\"error\":\"{error}\"}}"))
}

fn reported(failure: &Failure) -> String {
    let findings = failure.diagnostics.iter().map(|diagnostic| diagnostic.message.clone());
    std::iter::once(failure.reason()).chain(findings).collect::<Vec<_>>().join("\n")
}

fn deviates(deviation: &Deviation) -> String {
    match deviation {
        Deviation::Outputs { step, .. } => {
            format!("in step {step} of the script the machine does something else")
        }
        Deviation::Stuck { step, .. } => format!("the machine has no answer to step {step} of the script"),
        Deviation::TooLong(limit) => limit.to_string(),
    }
}

fn spec_of(asked: &QuestionSpec) -> Result<SpecRequest, String> {
    let texts = &asked.texts;
    let mut languages = texts.iter().map(|text| SpecLanguage::of_ending(Path::new(&text.name)));
    let language = match languages.next() {
        None => return Err("a specification has at least one text".into()),
        Some(language) => language.ok_or("the name of a text ends with .tsl, .ltl or .tlsf")?,
    };
    if languages.any(|other| other != Some(language)) {
        return Err("the texts of a specification are of one language".into());
    }
    let mut spec = SpecRequest::default();
    let input = |text: &QuestionText| Input::Text { name: text.name.clone(), text: text.text.clone() };
    spec.inputs = texts.iter().map(input).collect();
    spec.language = Some(language);
    (spec.ins, spec.outs) = (asked.ins.clone(), asked.outs.clone());
    spec.parameters = asked.parameters.iter().map(|(name, value)| (name.clone(), *value)).collect();
    Ok(spec)
}

/// Counted bytes that engines may use: a module of WebAssembly has four GiB for everything.
const MEMORY: u64 = 2 << 30;

fn about() -> AboutDocument {
    let lang = |lang: Lang| AboutLang {
        name: lang.name().into(),
        code: lang.is_code(),
        counter: lang.takes_counter_strategies(),
    };
    AboutDocument::new(VERSION, Lang::ALL.map(lang).into())
}

fn answer(question: &Question) -> Result<String, String> {
    let work = match question {
        Question::About {} => &None,
        Question::Check { work, .. }
        | Question::Emit { work, .. }
        | Question::Explain { work, .. }
        | Question::Simulate { work, .. }
        | Question::View { work, .. } => work,
    };
    let stop = work.map_or_else(StopFlag::new, |work| StopFlag::new().within(work));
    let mut session = Session::new().with_cancel(stop);
    let solver = SolverOptions { threads: 1, memory: MEMORY, ..SolverOptions::default() };
    match question {
        Question::About {} => Ok(json(&about())),
        Question::Check { spec, hints, .. } => {
            let spec = spec_of(spec)?;
            let name = spec.name();
            let friendly = *hints != QuestionHints::None;
            let solver = SolverOptions { friendly, prefer: Prefer::Any, ..solver };
            let hints = match hints {
                QuestionHints::None => Hints::None,
                QuestionHints::Brief => Hints::Brief,
                QuestionHints::Full => Hints::Full,
            };
            let request = CheckRequest { solver, hints, ..CheckRequest::new(spec) };
            let document = match session.check(&request) {
                Ok(report) => CheckDocument::new(VERSION, vec![report.result(&session.sources)]),
                Err(failure) => failure.check_document(&name, &session.sources),
            };
            Ok(json(&document))
        }
        Question::Emit { spec, lang, counter, .. } => {
            let lang = Lang::from_name(lang).ok_or_else(|| {
                let all = Lang::ALL.map(Lang::name).join(", ");
                format!("there is no target `{lang}`; there are {all}")
            })?;
            let what = if *counter { Emitted::CounterStrategy } else { Emitted::Controller };
            let request = EmitRequest { solver, what, ..EmitRequest::new(spec_of(spec)?, lang) };
            let report = session.emit(&request).map_err(|failure| reported(&failure))?;
            Ok(json(&report.document()))
        }
        Question::Explain { spec, trace: None, .. } => {
            let spec = spec_of(spec)?;
            let name = spec.name();
            let request = ExplainSpecRequest { solver, ..ExplainSpecRequest::new(spec) };
            let document = match session.explain_spec(&request) {
                Ok(report) => report.document(&session.sources),
                Err(failure) => failure.explain_document(&name, &session.sources),
            };
            Ok(json(&document))
        }
        Question::Explain { spec, trace: Some(trace), effect, .. } => {
            let input = Input::Text { name: "trace".into(), text: trace.clone() };
            let request = ExplainTraceRequest {
                solver,
                spec: spec_of(spec)?,
                effect: effect.clone(),
                ..ExplainTraceRequest::new(input)
            };
            let report = session.explain_trace(&request).map_err(|failure| reported(&failure))?;
            Ok(json(&report.document))
        }
        Question::Simulate { spec, script, random, seed, .. } => {
            let spec = spec_of(spec)?;
            let name = spec.name();
            let request = SimulateRequest { solver, ..SimulateRequest::new(spec) };
            let machine = session.simulate(&request).map_err(|failure| reported(&failure))?;
            let script = script.as_ref().map(|text| {
                session.script(&machine, &Input::Text { name: "script".into(), text: text.clone() })
            });
            let mut playing = Playing::new(&machine, *seed, true);
            match script.transpose().map_err(|failure| reported(&failure))? {
                Some(script) => {
                    playing.follow(&script, true, &mut |_| {}).map_err(|deviation| deviates(&deviation))?;
                }
                None => {
                    playing.random(*random, true, &mut |_| {});
                }
            }
            Ok(json(&playing.document(Some(name))))
        }
        Question::View { spec, .. } => {
            let request = ViewRequest { solver, ..ViewRequest::new(spec_of(spec)?) };
            let report = session.view(&request).map_err(|failure| reported(&failure))?;
            let diagnostics = report.diagnostics.iter();
            let diagnostics = diagnostics.map(|d| CheckDiagnostic::new(&session.sources, d)).collect();
            Ok(json(&ViewDocument::new(VERSION, &report.name, report.html, diagnostics)))
        }
    }
}
