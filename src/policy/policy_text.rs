//! Edits of laws in the text of a policy: everything else stays as it is, comments, order and layout included.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstArray, CstInputValue, CstNode, CstObject, CstRootNode};
use std::fmt;
use toml_edit::{ArrayOfTables, DocumentMut, Item, Table, value};
use tsl_synth_core::model::{EditKind, LawEdit};

/// Why an edit cannot be made, in a sentence without a full stop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditFault(pub String);

impl fmt::Display for EditFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for EditFault {}

fn fault(message: impl Into<String>) -> EditFault {
    EditFault(message.into())
}

fn unknown(id: &str) -> EditFault {
    EditFault(format!("the policy has no law `{id}`"))
}

/// The text of a policy after one edit. An added law is soft.
///
/// The text is one that [`load_policy`](crate::language::load_policy) reads; `is_json` says whether it is JSON.
///
/// # Errors
/// If the edited law does not exist, an added law has the id of an existing one, or the text does not have the expected
/// form.
pub fn edit_law(text: &str, is_json: bool, edit: &LawEdit) -> Result<String, EditFault> {
    if is_json { edit_json(text, edit) } else { edit_toml(text, edit) }
}

/// The alternative keys of the id, the formula and the explanation of a law. In JSON an added law has the keys that the
/// list uses already.
const IDS: [&str; 2] = ["law_id", "id"];
const FORMULAS: [&str; 2] = ["law", "ltl"];
const WORDS: [&str; 2] = ["explanation", "why"];

fn edit_json(text: &str, edit: &LawEdit) -> Result<String, EditFault> {
    let tree = CstRootNode::parse(text, &ParseOptions::default())
        .map_err(|error| fault(format!("the policy is not JSON: {error}")))?;
    let top = tree.value().ok_or_else(|| fault("the policy is empty"))?;
    let bare = top.as_array();
    let is_bare = bare.is_some();
    let listed = || top.as_object()?.get("law")?.value()?.as_array();
    let laws: CstArray = bare.or_else(listed).ok_or_else(|| fault("the policy has no list of laws"))?;
    let objects: Vec<CstObject> = laws.elements().iter().filter_map(CstNode::as_object).collect();
    let text_of =
        |object: &CstObject, key: &str| object.get(key)?.value()?.as_string_lit()?.decoded_value().ok();
    let used = |keys: [&'static str; 2]| {
        let is_used = |key: &&str| objects.iter().any(|object| object.get(key).is_some());
        keys.into_iter().find(is_used).unwrap_or(if is_bare { keys[0] } else { keys[1] })
    };
    let found = objects.iter().enumerate().find(|(i, object)| {
        let id = IDS.iter().find_map(|key| text_of(object, key));
        id.map_or_else(|| edit.id == format!("law-{}", i + 1), |id| id == edit.id)
    });
    let string = |text: &str| CstInputValue::String(text.to_owned());
    match (edit.kind, found) {
        (EditKind::Add, Some(_)) => return Err(fault(format!("there is a law `{}` already", edit.id))),
        (EditKind::Add, None) => {
            let entry = [
                (used(IDS), string(&edit.id)),
                ("kind", string("soft")),
                (used(FORMULAS), string(&edit.ltl)),
                (used(WORDS), string(&edit.why)),
            ];
            let entry = entry.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
            laws.ensure_multiline();
            laws.append(CstInputValue::Object(entry));
        }
        (_, None) => return Err(unknown(&edit.id)),
        (EditKind::Delete, Some((_, object))) => object.clone().remove(),
        (EditKind::Replace, Some((_, object))) => {
            // The formula replaces a named pattern.
            if let Some(rule) = object.get("rule") {
                rule.remove();
            }
            for (keys, text) in [(FORMULAS, &edit.ltl), (WORDS, &edit.why)] {
                let own = keys.into_iter().find_map(|key| object.get(key));
                match own {
                    Some(property) => property.set_value(string(text)),
                    None => {
                        object.append(used(keys), string(text));
                    }
                }
            }
        }
    }
    Ok(tree.to_string())
}

fn edit_toml(text: &str, edit: &LawEdit) -> Result<String, EditFault> {
    let mut document: DocumentMut =
        text.parse().map_err(|error| fault(format!("the policy is not TOML: {error}")))?;
    let laws = document.entry("law").or_insert(Item::ArrayOfTables(ArrayOfTables::new()));
    let laws = laws.as_array_of_tables_mut().ok_or_else(|| {
        fault("the laws of the policy stand in one list `law = [..]`, where each is to be a table `[[law]]`")
    })?;
    let is_named = |table: &Table| {
        let id = IDS.iter().find_map(|key| table.get(key)?.as_str());
        id == Some(&*edit.id)
    };
    let found = laws.iter().position(is_named);
    match (edit.kind, found) {
        (EditKind::Add, Some(_)) => return Err(fault(format!("there is a law `{}` already", edit.id))),
        (EditKind::Add, None) => {
            let mut table = Table::new();
            table.insert("id", value(&*edit.id));
            table.insert("kind", value("soft"));
            table.insert("ltl", value(&*edit.ltl));
            if !edit.why.is_empty() {
                table.insert("why", value(&*edit.why));
            }
            if !laws.is_empty() {
                table.decor_mut().set_prefix("\n");
            }
            laws.push(table);
        }
        (_, None) => return Err(unknown(&edit.id)),
        (EditKind::Delete, Some(place)) => {
            laws.remove(place);
        }
        (EditKind::Replace, Some(place)) => {
            let table = laws.get_mut(place).ok_or_else(|| unknown(&edit.id))?;
            table.remove("rule");
            for (keys, text) in [(FORMULAS, &edit.ltl), (WORDS, &edit.why)] {
                let own = keys.into_iter().find(|key| table.contains_key(key));
                if own.is_some() || !text.is_empty() {
                    table.insert(own.unwrap_or(keys[1]), value(&**text));
                }
            }
        }
    }
    Ok(document.to_string())
}
