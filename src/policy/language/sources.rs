//! `[[source]]`: results of tools that say which values a call may have.

use super::fields::{TableFields, globs, pointer, text, wrong};
use super::types::{SaidCondition, Source};
use tsl_synth_core::diag::{Code, Diagnostic, Diagnostics};
use tsl_synth_core::model::Pointer;
use tsl_synth_core::source::Span;
use tsl_synth_ltl::data::DataValue;

/// The source that every session has: the messages of its user.
pub(super) const USER: &str = "user";

/// Reads all sources.
pub(super) fn read(list: &[DataValue], diagnostics: &mut Diagnostics) -> Vec<Source> {
    let mut all: Vec<Source> = Vec::new();
    for data in list {
        let Some(source) = source(data, diagnostics) else { continue };
        if source.name == USER || all.iter().any(|other| other.name == source.name) {
            let message = format!("the name `{}` of a source is taken", source.name);
            diagnostics.push(Diagnostic::error(Code::POLICY_TWICE, message).at(data.span, "here"));
        }
        all.push(source);
    }
    all
}

fn source(data: &DataValue, diagnostics: &mut Diagnostics) -> Option<Source> {
    let mut fields = TableFields::of(data, "a `[[source]]`", diagnostics)?;
    let name = fields.text("name", diagnostics).map(str::to_owned);
    let tools = globs(&fields.texts("tool", diagnostics).unwrap_or_default(), diagnostics);
    let servers = globs(&fields.texts("server", diagnostics).unwrap_or_default(), diagnostics);
    let place = fields.get("pointer");
    let keys = fields.texts("keys", diagnostics).unwrap_or_default();
    let keys = keys.into_iter().map(|(key, _)| key.to_owned()).collect();
    fields.finish(diagnostics);
    let own = match place {
        Some(place) => pointer(text(place, "pointer", diagnostics)?, place.span, diagnostics)?,
        None => Pointer::parse("/result").ok()?,
    };
    if own.within("result").is_none() {
        diagnostics.push(wrong("the pointer of a source is into the result: `/result`", data.span));
    }
    let Some(name) = name else {
        diagnostics.push(wrong("a source has a `name`, which conditions refer to in `said_in`", data.span));
        return None;
    };
    if tools.is_empty() && servers.is_empty() {
        diagnostics.push(wrong("a source says whose results it has: `tool` or `server`", data.span));
    }
    Some(Source { name, tools, servers, pointer: own, keys })
}

/// The condition that a value occurs, or does not, in what these sources said.
pub(super) fn condition(
    sources: &[Source],
    names: &[(&str, Span)],
    pointer: Pointer,
    is_said: bool,
    diagnostics: &mut Diagnostics,
) -> Option<SaidCondition> {
    let mut numbers = Vec::new();
    for (name, span) in names {
        let known = sources.iter().position(|source| source.name == *name).map(|at| at + 1);
        let Some(number) = known.or((*name == USER).then_some(0)) else {
            let own: Vec<String> = sources.iter().map(|source| format!("`{}`", source.name)).collect();
            let error = wrong(format!("there is no source `{name}`"), *span);
            let list = if own.is_empty() { String::new() } else { format!(", {}", own.join(", ")) };
            diagnostics.push(error.hint(format!("sources are `user`, the messages of the user{list}")));
            continue;
        };
        numbers.push(number);
    }
    if pointer.within("arguments").is_none() {
        let span = names.first().map(|(_, span)| *span)?;
        diagnostics.push(wrong("`said_in` is about an argument of a call: `/arguments/..`", span));
        return None;
    }
    (!numbers.is_empty()).then_some(SaidCondition { pointer, sources: numbers, is_said })
}
