//! Short forms of tables: `tools`, whose names are actions, and `[user_says]` and `[agent_says]`, expressions for messages.

use super::atoms::{Action, Atoms, Named, Proposition};
use super::fields::{TableFields, name_is_good, taken, text};
use super::for_each::{names_in, split_for_each};
use super::tables::actions_of;
use std::collections::BTreeSet;
use tsl_synth_core::diag::Diagnostics;
use tsl_synth_core::model::split_mcp;
use tsl_synth_core::source::Span;
use tsl_synth_ltl::data::{DataKind, DataValue, TomlKey};

/// The tables that short forms stand for, as they would stand in the file. Declares their names: tools are actions in the
/// group `group`, since a call has one tool, except for those that are actions of other tables, or that two names may
/// mean, which have groups of their own after it.
///
/// Tools bind the values that laws and counts ask for, `for_each` and `distinct`, to their arguments of these names.
pub(super) fn read<'d>(
    atoms: &mut Atoms,
    fields: &mut TableFields<'_>,
    asking: impl Iterator<Item = &'d DataValue>,
    tables: &[DataValue],
    group: usize,
    diagnostics: &mut Diagnostics,
) -> Vec<DataValue> {
    let mut all = Vec::new();
    let tools = fields.texts("tools", diagnostics).unwrap_or_default();
    let names = if tools.is_empty() { Vec::new() } else { asked_values(asking) };
    let elsewhere: BTreeSet<&str> = actions_of(tables).map(|(name, _)| name).collect();
    for (i, &(name, span)) in tools.iter().enumerate() {
        let is_known = matches!(atoms.named(name), Some(Named::Action(_)));
        let has_own = elsewhere.contains(name) || split_mcp(name).0.is_some();
        let group = if has_own { group + 1 + i } else { group };
        let action = Action { name: name.to_owned(), span, group, is_declared: true };
        let key = TomlKey { span, name: name.to_owned() };
        if !name_is_good(&key, diagnostics) {
            continue;
        }
        if !is_known && atoms.add_action(action).is_none() {
            diagnostics.push(taken(&key));
            continue;
        }
        all.push(tool(name, span, &names));
    }
    for (field, role) in [("user_says", "user"), ("agent_says", "agent")] {
        for (key, data) in fields.named(field, diagnostics) {
            let Some(expression) = text(data, &key.name, diagnostics) else { continue };
            let proposition = Proposition {
                name: key.name.clone(),
                span: key.span,
                is_state: false,
                initial: false,
                is_computed: false,
            };
            let is_known = matches!(atoms.named(&key.name), Some(Named::Proposition(_)));
            if !name_is_good(key, diagnostics) {
                continue;
            }
            if !is_known && atoms.add_proposition(proposition).is_none() {
                diagnostics.push(taken(key));
                continue;
            }
            let one = |name: &str, value: &str| (named(name, key.span), texts(value, data.span));
            let table = vec![
                one("on", "message"),
                one("role", role),
                one("regex", expression),
                one("proposition", &key.name),
            ];
            all.push(DataValue { span: data.span, kind: DataKind::Table(table) });
        }
    }
    all
}

fn named(name: &str, span: Span) -> TomlKey {
    TomlKey { span, name: name.to_owned() }
}

fn texts(text: &str, span: Span) -> DataValue {
    DataValue { span, kind: DataKind::Text(text.to_owned()) }
}

/// The table of a tool.
fn tool(name: &str, span: Span, values: &[String]) -> DataValue {
    let one = |key: &str, value: &str| (named(key, span), texts(value, span));
    let mut table = vec![one("on", "call"), one("tool", name), one("action", name)];
    if !values.is_empty() {
        let bind = values.iter().map(|value| {
            let pointer = format!("/arguments/{}", value.replace('~', "~0").replace('/', "~1"));
            one(value, &pointer)
        });
        table.push((named("bind", span), DataValue { span, kind: DataKind::Table(bind.collect()) }));
    }
    DataValue { span, kind: DataKind::Table(table) }
}

/// The names of values that laws and counts ask for.
fn asked_values<'d>(asking: impl Iterator<Item = &'d DataValue>) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for own in asking {
        let DataKind::Table(entries) = &own.kind else { continue };
        for (key, value) in entries {
            match (key.name.as_str(), &value.kind) {
                ("for_each" | "distinct", _) => all.extend(names_in(value)),
                ("rule", DataKind::Text(rule)) => {
                    let words: Vec<&str> = rule.split_whitespace().collect();
                    let distinct =
                        words.windows(3).filter(|words| words[0] == "distinct" && words[2] == "in");
                    all.extend(distinct.map(|words| words[1].to_owned()));
                    all.extend(split_for_each(rule).1);
                }
                _ => {}
            }
        }
    }
    all.sort();
    all.dedup();
    all
}
