//! Edits of laws as models write them: a JSON list, alone, under the key `edits`, or in a code fence.

use serde::Deserialize;
use tsl_synth_core::base::unfenced;
use tsl_synth_core::model::{EditKind, LawEdit};

/// An answer has at most this many edits.
pub const MAX_EDITS: usize = 1000;

#[derive(Deserialize)]
#[serde(untagged)]
enum EditsReply {
    List(Vec<serde_json::Value>),
    Object { edits: Vec<serde_json::Value> },
}

#[derive(Deserialize)]
struct Edit {
    #[serde(alias = "kind", alias = "action")]
    op: String,
    #[serde(alias = "id")]
    law_id: String,
    #[serde(default, alias = "ltl", alias = "formula")]
    law: Option<String>,
    #[serde(default, alias = "why")]
    explanation: Option<String>,
}

/// The edits of an answer; an edit that cannot be read is an `Err` with the reason.
///
/// # Errors
/// If the answer as a whole is not a list of edits, or has more than [`MAX_EDITS`].
pub fn read_edits(text: &str) -> Result<Vec<Result<LawEdit, String>>, String> {
    let answer: EditsReply = serde_json::from_str(unfenced(text))
        .map_err(|_| "a list of edits in JSON is expected: `[{\"op\":\"add\",\"law_id\":..}]`".to_string())?;
    let (EditsReply::List(edits) | EditsReply::Object { edits }) = answer;
    if edits.len() > MAX_EDITS {
        return Err(format!("there are more than {MAX_EDITS} edits"));
    }
    Ok(edits.into_iter().map(read_edit).collect())
}

fn read_edit(value: serde_json::Value) -> Result<LawEdit, String> {
    let edit: Edit = serde_json::from_value(value).map_err(|error| format!("this is no edit: {error}"))?;
    let kind = EditKind::of_name(&edit.op)
        .ok_or_else(|| format!("`{}` is none of `add`, `replace` and `delete`", edit.op))?;
    let ltl = edit.law.unwrap_or_default();
    let id = edit.law_id.trim();
    if id.is_empty() || id.len() > 200 || id.chars().any(char::is_control) {
        return Err("an edit names a law by its `law_id`".into());
    }
    if kind != EditKind::Delete && ltl.trim().is_empty() {
        return Err(format!("the edit of `{id}` has no formula, `law`"));
    }
    Ok(LawEdit { kind, id: id.into(), ltl, why: edit.explanation.unwrap_or_default() })
}
