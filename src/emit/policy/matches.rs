//! The `[[match]]` tables of a gate as data, with their regular expressions and globs for the engine of the target.

use super::PolicyTarget;
use super::programs::Programs;
use super::regexes::{class_ranges, glob, regex};
use crate::input::EmitError;
use regex::Regex;
use serde_json::{Value, json};
use tsl_synth_core::base::{Glob, Id};
use tsl_synth_core::model::{Pointer, Relation, Scalar, ValueComparison};
use tsl_synth_policy::language::{EventKind, Match};

/// How the target matches texts with regular expressions and globs.
pub(super) enum RegexEngine {
    /// With the regular expressions of its standard library.
    Own,
    /// With a virtual machine that is part of the emitted file.
    Machine(Programs),
}

impl RegexEngine {
    /// The engine of a target.
    pub(super) fn of(target: PolicyTarget) -> Self {
        if target == PolicyTarget::Rust { Self::Machine(Programs::default()) } else { Self::Own }
    }
    fn regex(&mut self, own: &Regex) -> Result<Value, String> {
        match self {
            Self::Own => regex(own).map(Value::from),
            Self::Machine(programs) => programs.regex(own).map(Value::from),
        }
    }
    fn glob(&mut self, own: &Glob) -> Result<Value, String> {
        if let Some(text) = own.literal() {
            return Ok(json!({ "literal": text }));
        }
        Ok(match self {
            Self::Own => json!({ "regex": glob(own)? }),
            Self::Machine(programs) => json!({ "regex": programs.glob(own)? }),
        })
    }
    /// The classes and the programs that tables refer to.
    pub(super) fn data(&self, tables: &[Value]) -> (Value, Value) {
        match self {
            Self::Own => {
                let texts = Value::from(tables.to_vec()).to_string();
                let uses = ["\\u0001", "\\u0002", "\\u0003"].iter().any(|token| texts.contains(token));
                let classes = if uses { class_ranges() } else { vec![String::new(); 3] };
                (json!(classes), json!([]))
            }
            Self::Machine(programs) => (json!(programs.classes()), json!(programs.flat())),
        }
    }
}

/// The error for a policy that a gate cannot be emitted for.
pub(super) fn unsupported<T>(what: &str) -> Result<T, EmitError> {
    Err(EmitError::Unsupported(format!("{what}; `--law-monitor` emits the monitor alone")))
}

/// The parts of a pointer as JSON.
pub(super) fn parts(pointer: &Pointer) -> Value {
    pointer.parts().iter().map(|part| Value::from(&**part)).collect()
}

fn on_name(on: EventKind) -> &'static str {
    match on {
        EventKind::Start => "start",
        EventKind::Message => "message",
        EventKind::Call => "call",
        EventKind::Result => "result",
        EventKind::Observe => "observe",
        EventKind::Tick => "tick",
        EventKind::End => "end",
    }
}

/// The document that contains a value of a table, and the path of the value in it.
fn place(on: EventKind, pointer: &Pointer) -> (&'static str, Value) {
    if let (EventKind::Call | EventKind::Result, Some(inner)) = (on, pointer.within("arguments")) {
        ("arguments", parts(&inner))
    } else if let (EventKind::Result, Some(inner)) = (on, pointer.within("result")) {
        ("result", parts(&inner))
    } else {
        ("event", parts(pointer))
    }
}

/// A table as JSON.
///
/// # Errors
/// If the target cannot express a part of the table, which the message names.
pub(super) fn table(table: &Match, engine: &mut RegexEngine) -> Result<Value, EmitError> {
    let of = match (table.action, table.tools.first()) {
        (_, Some(tool)) => format!("the table about `{}`", tool.as_str()),
        _ => format!("a table about `{}`", on_name(table.on)),
    };
    if table.shell.is_some() {
        return unsupported(&format!("{of} reads shell commands, which emitted gates do not"));
    }
    let globs = |all: &[Glob], engine: &mut RegexEngine| -> Result<Value, EmitError> {
        let mut out = Vec::new();
        for own in all {
            match engine.glob(own) {
                Ok(data) => out.push(data),
                Err(what) => {
                    return unsupported(&format!("{of} has the pattern `{}` with {what}", own.as_str()));
                }
            }
        }
        Ok(Value::Array(out))
    };
    let expression = |own: &Regex, engine: &mut RegexEngine| match engine.regex(own) {
        Ok(data) => Ok(data),
        Err(what) => unsupported(&format!("{of} has the expression `{}` with {what}", own.as_str())),
    };
    let (tools, servers) = (globs(&table.tools, engine)?, globs(&table.servers, engine)?);
    let mut conditions = Vec::new();
    for one in &table.conditions {
        let (document, parts) = place(table.on, &one.pointer);
        let (kind, given) = match &one.comparison {
            ValueComparison::Compare(relation, with) => {
                ("compare", json!([relation_name(*relation), scalar(with)]))
            }
            ValueComparison::In(list) => ("in", list.iter().map(scalar).collect()),
            ValueComparison::Glob(all) => ("glob", globs(all, engine)?),
            ValueComparison::Regex(own) => ("regex", expression(&own.0, engine)?),
            ValueComparison::Exists(wanted) => ("exists", Value::from(*wanted)),
            ValueComparison::Contains(part) => ("contains", scalar(part)),
            ValueComparison::Length(relation, with) => ("length", json!([relation_name(*relation), with])),
        };
        conditions.push(json!([document, parts, kind, given]));
    }
    let message = table.regex.as_ref().map_or(Ok(Value::Null), |own| expression(own, engine))?;
    let bind = table.bind.iter().map(|(name, pointer)| {
        let (document, parts) = place(table.on, pointer);
        json!([name, document, parts])
    });
    Ok(json!({
        "on": on_name(table.on), "tools": tools, "servers": servers, "ok": table.ok, "user": table.user,
        "regex": message, "where": conditions, "action": table.action.map(Id::index),
        "set": table.set.iter().map(|&(id, value)| json!([id.index(), value])).collect::<Vec<_>>(),
        "bind": bind.collect::<Vec<_>>(),
    }))
}

fn relation_name(relation: Relation) -> &'static str {
    Relation::ALL.iter().find(|(own, _)| *own == relation).map_or("=", |(_, name)| name)
}

fn scalar(scalar: &Scalar) -> Value {
    match scalar {
        Scalar::Null => Value::Null,
        Scalar::Bool(value) => Value::from(*value),
        Scalar::Number(number) => json!({ "number": number.to_string() }),
        Scalar::Text(text) => Value::from(text.as_str()),
    }
}
