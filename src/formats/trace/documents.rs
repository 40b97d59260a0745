//! Traces in JSON: our own documents, ITF (Apalache ADR 015: `states`, `loop`), and one letter per line, as emitted
//! controllers pass them to their trace hook.

use super::{TraceEntry, TraceLetter, TraceString, TraceText, TraceValue, error};
use tsl_synth_core::diag::Diagnostic;
use tsl_synth_core::json::{Json, JsonId, JsonKind, JsonString, read_json};
use tsl_synth_core::source::{SourceId, Span};

/// The keys of a trace document.
const KEYS: [&str; 10] = [
    "schemaVersion",
    "tool",
    "spec",
    "machine",
    "machineId",
    "effect",
    "name",
    "prefix",
    "loop",
    "assumptions",
];

/// The keys under which a letter may have its entries by player.
const PARTS: [&str; 5] = ["inputs", "outputs", "cells", "updates", "state"];

/// The keys of a controller's snapshot.
const SNAPSHOT: [&str; 4] = ["machineId", "state", "assumptions", "cells"];

pub(super) fn read(text: &str, source: SourceId) -> Result<TraceText, Diagnostic> {
    let json = read_json(text, source)?;
    let all = Span::new(source, 0, text.len());
    let array = |id: JsonId| matches!(json.get(id).kind, JsonKind::Array(_));
    match json.roots[..] {
        [] => Err(error(all, "there is no trace", "nothing here")),
        [root] if json.field(root, "states").is_some_and(array) => itf(&json, root),
        [root] if ["prefix", "loop"].iter().any(|key| json.field(root, key).is_some_and(array)) => {
            document(&json, root)
        }
        [root] if array(root) => {
            Ok(TraceText { prefix: letters(&json, root, &|_| true)?, ..TraceText::default() })
        }
        _ => lines(&json),
    }
}

/// One letter per line. A program that runs a controller may print its snapshots as well, as those of `emit --scaffold`
/// do at the end: they say nothing about the letters around them.
fn lines(json: &Json) -> Result<TraceText, Diagnostic> {
    let mut prefix = Vec::new();
    for (i, &root) in json.roots.iter().enumerate() {
        if !is_snapshot(json, root) {
            prefix.push(letter(json, root, &|_| true)?);
        } else if i == 0 {
            let message = "a trace begins with a letter of the initial state, not with a snapshot";
            return Err(error(json.get(root).span, message, "a snapshot"));
        }
    }
    Ok(TraceText { prefix, ..TraceText::default() })
}

/// Whether an object is what `save` of an emitted controller returns.
fn is_snapshot(json: &Json, root: JsonId) -> bool {
    let JsonKind::Object(fields) = &json.get(root).kind else { return false };
    let is_text =
        |key: &str| json.field(root, key).is_some_and(|id| matches!(json.get(id).kind, JsonKind::Text(_)));
    is_text("machineId")
        && is_text("state")
        && fields.iter().all(|(key, _)| SNAPSHOT.contains(&key.value.as_str()))
}

fn document(json: &Json, root: JsonId) -> Result<TraceText, Diagnostic> {
    let JsonKind::Object(fields) = &json.get(root).kind else { return Ok(TraceText::default()) };
    if let Some((key, _)) = fields.iter().find(|(key, _)| !KEYS.contains(&key.value.as_str())) {
        return Err(error(key.span, format!("a trace has no key `{}`", key.value), "not known")
            .hint(format!("its keys: `{}`", KEYS.join("`, `"))));
    }
    let text = |key: &str| -> Result<Option<TraceString>, Diagnostic> {
        let Some(id) = json.field(root, key) else { return Ok(None) };
        match &json.get(id).kind {
            JsonKind::Text(text) => Ok(Some(TraceString { text: text.clone(), span: json.get(id).span })),
            JsonKind::Null => Ok(None),
            other => Err(error(
                json.get(id).span,
                format!("`{key}` is a string, not {}", other.describe()),
                "expected a string",
            )),
        }
    };
    let word = |key: &str| match json.field(root, key) {
        None => Ok(Vec::new()),
        Some(id) if json.get(id).kind == JsonKind::Null => Ok(Vec::new()),
        Some(id) => letters(json, id, &|_| true),
    };
    let cycle = word("loop")?;
    if let Some(id) = json.field(root, "loop")
        && matches!(&json.get(id).kind, JsonKind::Array(items) if items.is_empty())
    {
        return Err(error(json.get(id).span, "the loop has no letter", "empty")
            .hint("leave `loop` out for a finite trace"));
    }
    Ok(TraceText {
        spec: text("spec")?,
        machine: text("machine")?,
        machine_id: text("machineId")?,
        effect: text("effect")?,
        prefix: word("prefix")?,
        cycle,
    })
}

/// The last state is followed by the state with the number `loop`.
fn itf(json: &Json, root: JsonId) -> Result<TraceText, Diagnostic> {
    // Skips the keys that Apalache and Quint add to the variables.
    let known = |key: &str| !key.starts_with('#') && !key.starts_with("mbt::");
    let states = json.field(root, "states").expect("it was found before");
    let mut prefix = letters(json, states, &known)?;
    let cycle = match json.field(root, "loop").map(|id| json.get(id)) {
        None => Vec::new(),
        Some(value) => match &value.kind {
            JsonKind::Null => Vec::new(),
            JsonKind::Number(n) if n.parse::<usize>().is_ok_and(|n| n < prefix.len()) => {
                prefix.split_off(n.parse().unwrap_or(0))
            }
            _ => {
                return Err(error(value.span, "`loop` is the number of a state", "no such state")
                    .hint(format!("there are {} states, counted from 0", prefix.len())));
            }
        },
    };
    Ok(TraceText { prefix, cycle, ..TraceText::default() })
}

fn letters(json: &Json, id: JsonId, known: &dyn Fn(&str) -> bool) -> Result<Vec<TraceLetter>, Diagnostic> {
    match &json.get(id).kind {
        JsonKind::Array(items) => items.iter().map(|&item| letter(json, item, known)).collect(),
        other => Err(error(
            json.get(id).span,
            format!("expected an array of letters, found {}", other.describe()),
            "not an array",
        )),
    }
}

fn letter(json: &Json, id: JsonId, known: &dyn Fn(&str) -> bool) -> Result<TraceLetter, Diagnostic> {
    let span = json.get(id).span;
    let JsonKind::Object(fields) = &json.get(id).kind else {
        let message =
            format!("a letter is an object of terms and values, not {}", json.get(id).kind.describe());
        return Err(error(span, message, "not a letter"));
    };
    let mut entries = Vec::new();
    for (key, id) in fields.iter().filter(|(key, _)| known(&key.value)) {
        match &json.get(*id).kind {
            JsonKind::Object(inner) if PARTS.contains(&key.value.as_str()) => {
                for (key, id) in inner {
                    entries.push(entry(json, key, *id)?);
                }
            }
            _ => entries.push(entry(json, key, *id)?),
        }
    }
    Ok(TraceLetter { span, entries })
}

fn entry(json: &Json, key: &JsonString, id: JsonId) -> Result<TraceEntry, Diagnostic> {
    let span = json.get(id).span;
    let string = |text: &str| TraceValue::Term(TraceString { text: text.into(), span });
    let value = match &json.get(id).kind {
        JsonKind::Bool(value) => TraceValue::Holds(*value),
        JsonKind::Text(text) | JsonKind::Number(text) => string(text),
        JsonKind::Object(_) => match json.field(id, "#bigint").map(|big| &json.get(big).kind) {
            Some(JsonKind::Text(text)) => string(text),
            _ => return Err(value_error(span, &key.value, "an object")),
        },
        other => return Err(value_error(span, &key.value, other.describe())),
    };
    Ok(TraceEntry { term: TraceString { text: key.value.clone(), span: key.span }, value })
}

fn value_error(span: Span, key: &str, found: &str) -> Diagnostic {
    error(span, format!("`{key}` is true, false, or the term of an update; found {found}"), "not a value")
}

#[cfg(test)]
mod tests {
    use super::super::read_trace;
    use tsl_synth_core::source::SourceMap;

    #[test]
    fn snapshots_between_letters_are_passed_over() {
        let letter = r#"{"a":true,"x":"t()"}"#;
        let read = |text: &str| {
            let mut sources = SourceMap::new();
            let source = sources.add("run.jsonl", text);
            read_trace(&sources, source).map(|trace| trace.prefix.len()).ok()
        };
        for snapshot in [
            r#"{"machineId":"10ce","state":"S0","assumptions":[0,"dead"],"cells":{"x":"t","n":4}}"#,
            r#"{"machineId":"10ce","state":"S0","assumptions":[]}"#,
            r#"{"machineId":"10ce","state":"S0"}"#,
        ] {
            assert_eq!(read(&format!("{letter}\n{letter}\n{snapshot}\n")), Some(2), "{snapshot}");
            assert_eq!(read(&format!("{letter}\n{snapshot}\n{letter}\n")), Some(2), "{snapshot}");
            assert_eq!(read(&format!("{snapshot}\n{letter}\n")), None, "{snapshot}");
        }
        // Letters of a specification with such names.
        for own in [r#"{"machineId":true,"state":false}"#, r#"{"machineId":"x","state":"y","a":true}"#] {
            assert_eq!(read(&format!("{own}\n{letter}\n{own}\n")), Some(3), "{own}");
        }
    }
}
