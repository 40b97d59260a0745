//! Edits of laws in the text of a policy: everything else stays as it is, comments, order and layout included.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstArray, CstInputValue, CstNode, CstObject, CstRootNode};
use std::fmt;
use toml_edit::{ArrayOfTables, DocumentMut, InlineTable, Item, Table, TableLike, value};
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

fn twice(id: &str) -> EditFault {
    EditFault(format!("there is a law `{id}` already"))
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
    let string = |text: &str| CstInputValue::String(text.to_owned());
    let rules = top.as_object().and_then(|top| top.get("rules")?.value()?.as_object());
    if let Some(own) = rules.and_then(|rules| rules.get(&edit.id)) {
        match (edit.kind, own.value().and_then(|value| value.as_object())) {
            (EditKind::Add, _) => return Err(twice(&edit.id)),
            (EditKind::Delete, _) => own.remove(),
            (EditKind::Replace, Some(law)) => replace_formula_in_json(&law, edit, |keys| keys[1]),
            (EditKind::Replace, None) => {
                let entries =
                    [("ltl", &edit.ltl), ("why", &edit.why)].into_iter().filter(|(_, text)| !text.is_empty());
                let entries = entries.map(|(key, text)| (key.to_owned(), string(text)));
                own.set_value(CstInputValue::Object(entries.collect()));
            }
        }
        return Ok(tree.to_string());
    }
    let bare = top.as_array();
    let is_bare = bare.is_some();
    let listed = || top.as_object()?.get("law")?.value()?.as_array();
    let add_list = || {
        let added = top.as_object()?.append("law", CstInputValue::Array(Vec::new()));
        added.value()?.as_array()
    };
    let laws = bare.or_else(listed).or_else(add_list);
    let laws: CstArray = laws.ok_or_else(|| fault("the policy has no list of laws"))?;
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
    match (edit.kind, found) {
        (EditKind::Add, Some(_)) => return Err(twice(&edit.id)),
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
        (EditKind::Replace, Some((_, object))) => replace_formula_in_json(object, edit, used),
    }
    Ok(tree.to_string())
}

/// As [`replace_formula`]; `used` chooses among keys of the same meaning.
fn replace_formula_in_json(
    law: &CstObject,
    edit: &LawEdit,
    used: impl Fn([&'static str; 2]) -> &'static str,
) {
    if let Some(rule) = law.get("rule") {
        rule.remove();
    }
    for (keys, text) in [(FORMULAS, &edit.ltl), (WORDS, &edit.why)] {
        let value = CstInputValue::String(text.clone());
        match keys.into_iter().find_map(|key| law.get(key)) {
            Some(property) => property.set_value(value),
            None => {
                law.append(used(keys), value);
            }
        }
    }
}

fn edit_toml(text: &str, edit: &LawEdit) -> Result<String, EditFault> {
    let mut document: DocumentMut =
        text.parse().map_err(|error| fault(format!("the policy is not TOML: {error}")))?;
    if let Some(rules) = document.get_mut("rules").and_then(Item::as_table_like_mut)
        && let Some(own) = rules.get_mut(&edit.id)
    {
        match (edit.kind, own.as_table_like_mut()) {
            (EditKind::Add, _) => return Err(twice(&edit.id)),
            (EditKind::Delete, _) => drop(rules.remove(&edit.id)),
            (EditKind::Replace, Some(table)) => replace_formula(table, edit),
            (EditKind::Replace, None) => {
                let mut table = InlineTable::new();
                replace_formula(&mut table, edit);
                *own = value(table);
            }
        }
        return Ok(document.to_string());
    }
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
        (EditKind::Add, Some(_)) => return Err(twice(&edit.id)),
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
            replace_formula(table, edit);
        }
    }
    Ok(document.to_string())
}

/// Writes the formula of a replaced law in place of its named pattern or formula, and its reason.
fn replace_formula(law: &mut dyn TableLike, edit: &LawEdit) {
    law.remove("rule");
    for (keys, text) in [(FORMULAS, &edit.ltl), (WORDS, &edit.why)] {
        let own = keys.into_iter().find(|key| law.contains_key(key));
        if own.is_some() || !text.is_empty() {
            law.insert(own.unwrap_or(keys[1]), value(&**text));
        }
    }
}
