//! `[[probe]]`: commands whose answers tables ask for when a call is decided.

use super::fields::{TableFields, unexpected, wrong};
use super::types::Probe;
use tsl_synth_core::base::{Glob, GlobKind};
use tsl_synth_core::diag::{Code, Diagnostic, Diagnostics};
use tsl_synth_core::model::Pointer;
use tsl_synth_core::source::Span;
use tsl_synth_ltl::data::{DataKind, DataValue};
use tsl_synth_shell::{ClauseWords, CommandClause, ProgramPattern};

/// The first part of pointers to answers.
const PROBE: &str = "probe";
/// What an answer has.
const PARTS: [&str; 3] = ["text", "lines", "exit"];
/// How long a probe may take unless the policy says otherwise, in milliseconds.
const TIMEOUT: i64 = 2_000;
/// The longest time that a policy may give a probe, in milliseconds: hosts end hooks that take longer.
const LONGEST: i64 = 10_000;

/// Reads all probes.
pub(super) fn read(list: &[DataValue], diagnostics: &mut Diagnostics) -> Vec<Probe> {
    let mut all: Vec<Probe> = Vec::new();
    for data in list {
        let Some(probe) = probe(data, diagnostics) else { continue };
        if all.iter().any(|other| other.name == probe.name) {
            let message = format!("the name `{}` of a probe is taken", probe.name);
            diagnostics.push(Diagnostic::error(Code::POLICY_TWICE, message).at(data.span, "here"));
        }
        all.push(probe);
    }
    all
}

fn probe(data: &DataValue, diagnostics: &mut Diagnostics) -> Option<Probe> {
    let before = diagnostics.len();
    let mut fields = TableFields::of(data, "a `[[probe]]`", diagnostics)?;
    let name = fields.text("name", diagnostics).unwrap_or_default().to_owned();
    let place = fields.get("run");
    let run = place.and_then(|data| words(data, diagnostics)).unwrap_or_default();
    let timeout = fields.duration("timeout", diagnostics).unwrap_or(TIMEOUT);
    let folder = fields.text("folder", diagnostics).map(str::to_owned);
    let mut unchanged_by = Vec::new();
    for (text, span) in fields.texts("unchanged_by", diagnostics).unwrap_or_default() {
        unchanged_by.extend(clause(text, span, diagnostics));
    }
    fields.finish(diagnostics);
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if name.is_empty() || !name.chars().all(is_name) {
        let error = wrong("a probe has a `name` of letters, digits, `_` and `-`", data.span);
        diagnostics.push(error.hint(format!("conditions ask for `/{PROBE}/NAME/text`, `/lines` or `/exit`")));
    }
    if place.is_none() {
        let error = wrong("a probe says which command it runs, `run`", data.span);
        diagnostics.push(error.hint("for example `run = [\"git\", \"branch\", \"--show-current\"]`"));
    }
    if timeout > LONGEST {
        diagnostics.push(wrong(format!("a probe takes at most {} s", LONGEST / 1000), data.span));
    }
    if folder.as_ref().is_some_and(|folder| !folder.starts_with('/')) {
        diagnostics.push(wrong("the `folder` of a probe is an absolute path", data.span));
    }
    let timeout = u64::try_from(timeout).ok()?;
    let span = data.span;
    (diagnostics.len() == before).then_some(Probe { span, name, run, timeout, folder, unchanged_by })
}

/// A program and its arguments.
fn words(data: &DataValue, diagnostics: &mut Diagnostics) -> Option<Vec<String>> {
    let text = |one: &DataValue| if let DataKind::Text(text) = &one.kind { Some(text.clone()) } else { None };
    let all = if let DataKind::List(list) = &data.kind { list.iter().map(text).collect() } else { None };
    let all = all.filter(|all: &Vec<String>| {
        all.first().is_some_and(|program| !program.is_empty()) && all.iter().all(|word| !word.contains('\0'))
    });
    if all.is_none() {
        let error = unexpected(data, "run", "a list of the program and its arguments");
        diagnostics.push(error.hint("no shell reads them: `[\"sh\", \"-c\", \"..\"]` is one that does"));
    }
    all
}

/// The commands that begin with these words: a program and its subcommands, such as `git add`.
fn clause(text: &str, span: Span, diagnostics: &mut Diagnostics) -> Option<CommandClause> {
    let mut globs = Vec::new();
    for word in text.split_whitespace() {
        let glob = Glob::new(word, GlobKind::Name).map_err(|bad| diagnostics.push(wrong(bad.message, span)));
        globs.push(glob.ok()?);
    }
    if globs.is_empty() {
        let error = wrong("`unchanged_by` has the first words of commands", span);
        diagnostics.push(error.hint("for example `[\"git add\", \"npm test\"]`"));
        return None;
    }
    let subcommand = globs.split_off(1);
    let words = ClauseWords::Program(ProgramPattern {
        programs: globs,
        subcommand,
        flags: Vec::new(),
        without_flags: Vec::new(),
        operands: Vec::new(),
        without_operands: Vec::new(),
    });
    Some(words.into())
}

/// Whether a pointer is to the answer of a probe.
pub(super) fn is_of_probe(pointer: &Pointer) -> bool {
    pointer.parts().first().is_some_and(|part| **part == *PROBE)
}

/// Errors of a pointer to the answer of a probe.
pub(super) fn check(probes: &[Probe], pointer: &Pointer, span: Span, diagnostics: &mut Diagnostics) {
    let parts: Vec<&str> = pointer.parts().iter().skip(1).map(|part| &**part).collect();
    let named = parts.first().and_then(|name| probes.iter().find(|probe| probe.name == *name));
    if named.is_none() {
        let name = parts.first().copied().unwrap_or_default();
        let own: Vec<String> = probes.iter().map(|probe| format!("`{}`", probe.name)).collect();
        let error = wrong(format!("there is no probe `{name}`"), span);
        diagnostics.push(match own.as_slice() {
            [] => error.hint("a `[[probe]]` has a `name` and a command, `run`"),
            own => error.hint(format!("probes are {}", own.join(", "))),
        });
    } else if !matches!(parts.as_slice(), [_, part] | [_, part, _] if PARTS.contains(part)) {
        let error = wrong("the answer of a probe has `text`, `lines` and `exit`", span);
        diagnostics.push(error.hint(format!("`/{PROBE}/{}/text`", parts[0])));
    }
}
