//! The `[[match]]` tables of a policy.

use super::atoms::Atoms;
use super::commands::{self, SHELL_TOOLS};
use super::fields::{TableFields, globs, pointer, text, unexpected, wrong};
use super::lookup::{UNMATCHED, action, settable};
use super::types::{DefaultRuling, EventKind, Match, Probe, SaidCondition, Source};
use super::{probes, sources};
use tsl_synth_core::base::{Decimal, Glob, GlobKind};
use tsl_synth_core::diag::Diagnostics;
use tsl_synth_core::model::{Pointer, RegexExpression, Relation, Scalar, ValueComparison, ValueCondition};
use tsl_synth_core::source::Span;
use tsl_synth_ltl::data::{DataKind, DataValue};

const ON: &[(&str, EventKind)] = &[
    ("start", EventKind::Start),
    ("message", EventKind::Message),
    ("call", EventKind::Call),
    ("result", EventKind::Result),
    ("observe", EventKind::Observe),
    ("tick", EventKind::Tick),
    ("end", EventKind::End),
];
const ROLES: &[(&str, bool)] = &[("user", true), ("agent", false), ("assistant", false)];

/// What tables refer to beside atoms.
#[derive(Clone, Copy)]
pub(super) struct TableNames<'p> {
    /// The answer to commands that cannot be read, where a table says none.
    pub(super) opaque: DefaultRuling,
    /// The sources that conditions may name.
    pub(super) sources: &'p [Source],
    /// The probes whose answers conditions may ask for.
    pub(super) probes: &'p [Probe],
    /// Whether the tables are those of a shipped vocabulary: they name servers of services, which people call `github` or
    /// `GitHub`.
    pub(super) is_shipped: bool,
}

/// Reads all tables.
pub(super) fn read(
    atoms: &Atoms,
    tables: &[DataValue],
    own: TableNames<'_>,
    diagnostics: &mut Diagnostics,
) -> Vec<Match> {
    tables.iter().filter_map(|data| table(atoms, data, own, diagnostics)).collect()
}

/// The actions that tables name, with their places.
pub(super) fn actions_of(tables: &[DataValue]) -> impl Iterator<Item = (&str, Span)> {
    tables.iter().filter_map(|data| {
        let DataKind::Table(entries) = &data.kind else { return None };
        let (_, action) = entries.iter().find(|(key, _)| key.name == "action")?;
        if let DataKind::Text(name) = &action.kind { Some((name.as_str(), action.span)) } else { None }
    })
}

/// The tools of a table about commands that names none.
fn shell_tools() -> Vec<Glob> {
    SHELL_TOOLS.iter().filter_map(|name| Glob::new(name, GlobKind::Name).ok()).collect()
}

/// The servers of a table.
fn servers(fields: &mut TableFields<'_>, is_shipped: bool, diagnostics: &mut Diagnostics) -> Vec<Glob> {
    let named = fields.texts("server", diagnostics).unwrap_or_default();
    if !is_shipped {
        return globs(&named, diagnostics);
    }
    let any_case: Vec<(String, Span)> = named.iter().map(|&(text, span)| (any_case(text), span)).collect();
    let texts: Vec<(&str, Span)> = any_case.iter().map(|(text, span)| (text.as_str(), *span)).collect();
    globs(&texts, diagnostics)
}

/// A pattern of names with letters of either case.
fn any_case(pattern: &str) -> String {
    let either = |c: char| {
        if c.is_ascii_alphabetic() {
            format!("[{}{}]", c.to_ascii_lowercase(), c.to_ascii_uppercase())
        } else {
            c.to_string()
        }
    };
    pattern.chars().map(either).collect()
}

fn glob(text: &str, kind: GlobKind, span: Span, diagnostics: &mut Diagnostics) -> Option<Glob> {
    Glob::new(text, kind).map_err(|bad| diagnostics.push(wrong(bad.message, span))).ok()
}

/// A regular expression within the limits of the library.
fn regex(text: &str, span: Span, diagnostics: &mut Diagnostics) -> Option<regex::Regex> {
    regex::Regex::new(text)
        .map_err(|error| {
            let reason = error.to_string();
            let reason = reason.lines().last().unwrap_or_default().trim();
            diagnostics.push(wrong(format!("this is not a regular expression: {reason}"), span));
        })
        .ok()
}

fn table(
    atoms: &Atoms,
    data: &DataValue,
    own: TableNames<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<Match> {
    let before = diagnostics.len();
    let mut fields = TableFields::of(data, "a `[[match]]`", diagnostics)?;
    let on = fields.word("on", ON, diagnostics);
    let mut tools = globs(&fields.texts("tool", diagnostics).unwrap_or_default(), diagnostics);
    let servers = servers(&mut fields, own.is_shipped, diagnostics);
    let says_where = fields.get("shell").is_some();
    let opaque = fields.word("opaque", UNMATCHED, diagnostics);
    let commands = commands::read(&mut fields, data.span, own.opaque, opaque, diagnostics);
    let mut shell = commands.shell;
    if commands.is_about && !says_where && tools.is_empty() && servers.is_empty() {
        tools = shell_tools();
    }
    let ok = fields.bool("ok", diagnostics);
    let user = fields.word("role", ROLES, diagnostics);
    let expression = fields.get("regex").and_then(|data| {
        let text = text(data, "regex", diagnostics)?;
        regex(text, data.span, diagnostics)
    });
    let (conditions, said) = conditions(&mut fields, on, own, diagnostics);
    let named = fields.get("action").and_then(|data| {
        let name = text(data, "action", diagnostics)?;
        action(atoms, name, data.span, diagnostics)
    });
    let mut set = Vec::new();
    for (name, span) in fields.texts("proposition", diagnostics).unwrap_or_default() {
        set.extend(settable(atoms, name, span, diagnostics).map(|id| (id, true)));
    }
    for (key, value) in fields.named("set", diagnostics) {
        match value.kind {
            DataKind::Bool(value) => {
                set.extend(settable(atoms, &key.name, key.span, diagnostics).map(|id| (id, value)));
            }
            _ => diagnostics.push(unexpected(value, &key.name, "`true` or `false`")),
        }
    }
    let mut bind: Vec<(String, Pointer)> = Vec::new();
    for (key, value) in fields.named("bind", diagnostics) {
        let Some(text) = text(value, &key.name, diagnostics) else { continue };
        if let (Some(shell), "/writes" | "/reads") = (&mut shell, text) {
            shell.files.push((key.name.clone(), text == "/writes"));
            continue;
        }
        bind.extend(pointer(text, value.span, diagnostics).map(|pointer| (key.name.clone(), pointer)));
    }
    fields.finish(diagnostics);
    let Some(on) = on else {
        diagnostics.push(wrong("a table says which events it is about: `on = \"call\"`", data.span));
        return None;
    };
    let of_tool = !tools.is_empty() || !servers.is_empty() || commands.is_about;
    if of_tool && !matches!(on, EventKind::Call | EventKind::Result) {
        diagnostics.push(wrong("only calls and results are of a tool", data.span));
    }
    if on != EventKind::Call && (named.is_some() || commands.is_about) {
        diagnostics.push(
            wrong(
                "only a call is an action; its outcomes are `NAME.ok`, `NAME.failed` and `NAME.unknown`",
                data.span,
            )
            .hint("`on = \"call\"`"),
        );
    }
    if on != EventKind::Result && ok.is_some() {
        diagnostics.push(wrong("`ok` is about results", data.span));
    }
    if on != EventKind::Call && !said.is_empty() {
        diagnostics.push(wrong("`said_in` and `not_said_in` are about calls", data.span));
    }
    if on != EventKind::Message && (user.is_some() || expression.is_some()) {
        diagnostics.push(wrong(
            "`role` and `regex` are about messages; other texts are compared in `where`",
            data.span,
        ));
    }
    // A name that is unknown has been reported.
    if named.is_none() && set.is_empty() && diagnostics.len() == before {
        let message = "a table names an `action` or sets a `proposition`; this one says nothing";
        diagnostics.push(wrong(message, data.span));
    }
    (diagnostics.len() == before).then_some(Match {
        span: data.span,
        on,
        tools,
        servers,
        shell,
        ok,
        user,
        regex: expression,
        conditions,
        said,
        action: named,
        set,
        bind,
    })
}

/// The conditions of a table: comparisons of values, and conditions on what was said earlier in the session.
fn conditions(
    fields: &mut TableFields<'_>,
    on: Option<EventKind>,
    own: TableNames<'_>,
    diagnostics: &mut Diagnostics,
) -> (Vec<ValueCondition>, Vec<SaidCondition>) {
    let (mut conditions, mut said) = (Vec::new(), Vec::new());
    for one in fields.list("where", diagnostics) {
        match condition(one, own.sources, diagnostics) {
            Some(Condition::Value(condition)) => {
                if probes::is_of_probe(&condition.pointer) {
                    if on.is_some_and(|on| on != EventKind::Call) {
                        diagnostics.push(wrong("probes are asked about calls", one.span));
                    }
                    probes::check(own.probes, &condition.pointer, one.span, diagnostics);
                }
                conditions.push(condition);
            }
            Some(Condition::Said(own)) => said.push(own),
            None => {}
        }
    }
    (conditions, said)
}

fn scalar(data: &DataValue, diagnostics: &mut Diagnostics) -> Option<Scalar> {
    match &data.kind {
        DataKind::Null => Some(Scalar::Null),
        DataKind::Bool(value) => Some(Scalar::Bool(*value)),
        DataKind::Text(text) => Some(Scalar::Text(text.clone())),
        DataKind::Number(text) => {
            let number = Decimal::parse(text).map(Scalar::Number);
            if number.is_none() {
                diagnostics.push(unexpected(data, "a value", "a finite number"));
            }
            number
        }
        _ => {
            diagnostics.push(unexpected(data, "a value", "a text, a number or a Boolean"));
            None
        }
    }
}

/// A condition on a value by itself, or on what was said before.
enum Condition {
    Value(ValueCondition),
    Said(SaidCondition),
}

/// `{ pointer = "/arguments/eur", ">" = 0 }`
fn condition(data: &DataValue, sources: &[Source], diagnostics: &mut Diagnostics) -> Option<Condition> {
    let mut fields = TableFields::of(data, "a condition", diagnostics)?;
    let place = fields.get("pointer");
    let mut comparisons: Vec<ValueComparison> = Vec::new();
    for (relation, sign) in Relation::ALL {
        let value = fields.get(sign).and_then(|data| scalar(data, diagnostics));
        comparisons.extend(value.map(|value| ValueComparison::Compare(relation, value)));
    }
    if let Some(list) = fields.get("in") {
        if let DataKind::List(values) = &list.kind {
            let values = values.iter().filter_map(|one| scalar(one, diagnostics)).collect();
            comparisons.push(ValueComparison::In(values));
        } else {
            diagnostics.push(unexpected(list, "in", "a list"));
        }
    }
    if let Some(texts) = fields.texts("glob", diagnostics) {
        let globs = texts.iter().filter_map(|(text, span)| glob(text, GlobKind::Path, *span, diagnostics));
        comparisons.push(ValueComparison::Glob(globs.collect()));
    }
    if let Some(data) = fields.get("regex")
        && let Some(text) = text(data, "regex", diagnostics)
        && let Some(expression) = regex(text, data.span, diagnostics)
    {
        comparisons.push(ValueComparison::Regex(RegexExpression(expression)));
    }
    comparisons.extend(fields.bool("exists", diagnostics).map(ValueComparison::Exists));
    let part = fields.get("contains").and_then(|data| scalar(data, diagnostics));
    comparisons.extend(part.map(ValueComparison::Contains));
    if let Some(data) = fields.get("length")
        && let Some(mut inner) = TableFields::of(data, "`length`", diagnostics)
    {
        for (relation, sign) in Relation::ALL {
            let number = inner.number(sign, "a number of characters or elements", diagnostics);
            comparisons.extend(number.map(|number| ValueComparison::Length(relation, number)));
        }
        inner.finish(diagnostics);
    }
    let mut said = Vec::new();
    for (name, is_said) in [("said_in", true), ("not_said_in", false)] {
        said.extend(fields.texts(name, diagnostics).map(|names| (names, is_said)));
    }
    fields.finish(diagnostics);
    let Some(place) = place else {
        diagnostics.push(wrong(
            "a condition says which value it is about: `pointer = \"/arguments/path\"`",
            data.span,
        ));
        return None;
    };
    let pointer = pointer(text(place, "pointer", diagnostics)?, place.span, diagnostics)?;
    if comparisons.len() + said.len() != 1 {
        diagnostics.push(wrong(
            "a condition compares once; several conditions are several tables in `where`",
            data.span,
        ));
        return None;
    }
    if let Some((names, is_said)) = said.pop() {
        return sources::condition(sources, &names, pointer, is_said, diagnostics).map(Condition::Said);
    }
    comparisons.pop().map(|comparison| Condition::Value(ValueCondition { pointer, comparison }))
}
