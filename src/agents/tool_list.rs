//! Lists of tools with the kinds of their inputs and outputs, as grammars of plans (Li et al., "Formal-LLM", 2024,
//! equation 3 and table 3; the tools of OpenAGI, Ge et al., 2023).
//!
//! A kind, such as `image` or `text`, is a nonterminal; a tool that makes it stands before what it needs, and each tool
//! is used at most once. What is given ends a branch.

use crate::travel_planner::{csv, literal};
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::fmt::Write;

/// A tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// The kinds of its inputs, in order; at least one.
    pub inputs: Vec<String>,
    /// The kind of its output.
    pub output: String,
}

/// The tools of a file: a JSON list of objects, an object from names to objects, JSON lines, or CSV; with `name` (or
/// `tool`, `model`), `input` (or `inputs`, `input modality`) and `output` (or `output modality`). Several inputs are a
/// list, or are separated by `+`, `;` or `,`.
///
/// # Errors
/// What is wrong with the file, in a sentence.
pub fn tool_list(text: &str) -> Result<Vec<Tool>, String> {
    let values: Vec<Value> = match literal(text) {
        Some(Value::Array(items)) => items,
        Some(Value::Object(named)) => named
            .into_iter()
            .filter_map(|(name, value)| match value {
                Value::Object(mut fields) => {
                    fields.entry("name").or_insert(Value::String(name));
                    Some(Value::Object(fields))
                }
                _ => None,
            })
            .collect(),
        _ if text.trim_start().starts_with('{') => {
            let lines = text.lines().filter(|line| !line.trim().is_empty());
            let read: Result<Vec<Value>, _> = lines.map(serde_json::from_str).collect();
            read.map_err(|error| format!("neither JSON nor JSON lines: {error}"))?
        }
        _ => csv(text).ok_or("neither JSON nor a CSV table with one row of names")?,
    };
    let mut tools: Vec<Tool> = Vec::new();
    for (at, value) in values.iter().enumerate() {
        let fields = value.as_object().ok_or_else(|| format!("tool {}: an object is expected", at + 1))?;
        let missing = |what: &str| format!("tool {}: there is no `{what}`", at + 1);
        let name = kinds(fields, &["name", "tool", "model"]).and_then(|mut all| all.pop());
        let tool = Tool {
            name: name.ok_or_else(|| missing("name"))?,
            inputs: kinds(fields, &["inputs", "input"]).ok_or_else(|| missing("input"))?,
            output: kinds(fields, &["output", "outputs"])
                .filter(|all| all.len() == 1)
                .and_then(|mut all| all.pop())
                .ok_or_else(|| missing("output"))?,
        };
        if tools.iter().any(|other| other.name == tool.name) {
            return Err(format!("the tool `{}` occurs twice", tool.name));
        }
        tools.push(tool);
    }
    if tools.is_empty() { Err("there is no tool in the file".into()) } else { Ok(tools) }
}

/// The kinds that a field names; the name of the field may have `modality` or `type` after it, in any case.
fn kinds(fields: &Map<String, Value>, names: &[&str]) -> Option<Vec<String>> {
    let plain = |name: &str| {
        let name = name.trim().to_lowercase().replace('_', " ");
        name.trim_end_matches(" modality").trim_end_matches(" type").to_string()
    };
    let value = fields.iter().find(|(name, _)| names.contains(&plain(name).as_str()))?.1;
    let all: Vec<String> = match value {
        Value::String(text) if names.contains(&"name") => vec![text.trim().to_string()],
        Value::String(text) => text.split(['+', ';', ',']).map(|one| one.trim().to_lowercase()).collect(),
        Value::Array(items) => {
            items.iter().filter_map(|one| one.as_str()).map(|one| one.trim().to_lowercase()).collect()
        }
        _ => Vec::new(),
    };
    (!all.is_empty() && all.iter().all(|one| !one.is_empty())).then_some(all)
}

fn kinds_of(tools: &[Tool]) -> BTreeSet<&str> {
    tools
        .iter()
        .flat_map(|tool| tool.inputs.iter().map(String::as_str).chain([tool.output.as_str()]))
        .collect()
}

fn joined(all: &[&String], link: &str) -> String {
    all.iter().map(|one| one.as_str()).collect::<Vec<_>>().join(link)
}

/// The given kinds that no tool has and that are not wanted: a plan does not need them.
pub fn unused_kinds<'g>(tools: &[Tool], given: &'g [String], wanted: &str) -> Vec<&'g str> {
    let kinds = kinds_of(tools);
    given.iter().map(String::as_str).filter(|kind| !kinds.contains(kind) && *kind != wanted).collect()
}

/// The grammar of the plans that make something of the kind `wanted` from what is given, a `.cfg` text.
///
/// What is given and no tool has is left out: [`unused_kinds`] names it.
///
/// # Errors
/// If no tool has the wanted kind, or any of the given ones.
pub fn tools_grammar(tools: &[Tool], given: &[String], wanted: &str) -> Result<String, String> {
    let quoted = |text: &str| format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""));
    let mut kinds = kinds_of(tools);
    let unknown = |kind: &str| {
        let known = kinds.iter().map(|kind| format!("`{kind}`")).collect::<Vec<_>>().join(", ");
        Err(format!("no tool has the kind `{kind}`; the kinds are {known}"))
    };
    let is_given = given.iter().any(|kind| kind == wanted);
    if !kinds.contains(wanted) && !is_given {
        return unknown(wanted);
    }
    if let Some(first) =
        given.first().filter(|_| !is_given && given.iter().all(|kind| !kinds.contains(&**kind)))
    {
        return unknown(first);
    }
    kinds.insert(wanted);
    let given: Vec<&String> = given.iter().filter(|kind| kinds.contains(&***kind)).collect();
    let symbol = |kind: &str| quoted(&format!("some {kind}"));
    let leaf = |kind: &str| quoted(&format!("the given {kind}"));
    let mut text =
        format!("# From {} to {wanted}; what a tool needs stands after it.\n", joined(&given, " and "));
    let _ = writeln!(text, "%start Plan\nPlan -> {}", symbol(wanted));
    for kind in kinds {
        let made = tools.iter().filter(|tool| tool.output == kind);
        let mut bodies: Vec<String> = made
            .map(|tool| {
                let inputs: Vec<String> = tool.inputs.iter().map(|kind| symbol(kind)).collect();
                format!("{} {}", quoted(&tool.name), inputs.join(" "))
            })
            .collect();
        if given.iter().any(|one| *one == kind) {
            bodies.push(leaf(kind));
        }
        if bodies.is_empty() {
            bodies.push(symbol(kind));
        }
        let _ = writeln!(
            text,
            "{} -> {}\n%goal {} \"the {kind}\"",
            symbol(kind),
            bodies.join(" | "),
            symbol(kind)
        );
    }
    let leaves: Vec<String> = given.iter().map(|kind| leaf(kind)).collect();
    let _ = writeln!(text, "%limit * 1\n%unlimited {}\n%order execution", leaves.join(" "));
    Ok(text)
}
