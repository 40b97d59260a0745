//! Adds, removes and finds our entries in the settings of a host. Everything else is preserved, comments, order and
//! layout included.

use super::{HookHost, SettingsForm};
use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstArray, CstInputValue, CstNode, CstObject, CstRootNode};
use serde_json::Value;

/// Settings longer than this many bytes are refused.
pub const SETTINGS_LIMIT: usize = 4 << 20;
/// Settings nested deeper than this are refused, since their parser is recursive.
const DEPTH: usize = 64;

/// Why settings cannot be changed, in a sentence without a full stop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingsFault(pub String);

impl std::fmt::Display for SettingsFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for SettingsFault {}

/// One of our hooks in settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstalledHook {
    /// The event.
    pub event: String,
    /// The program, or without `args` the line of a shell.
    pub command: String,
    /// The arguments, if the hook is started without a shell.
    pub args: Option<Vec<String>>,
    /// The line of a shell that names the program, if `command` does not name it.
    pub line: Option<String>,
    /// The number of seconds that the host waits.
    pub timeout: Option<u64>,
    /// Whether the host refuses the call when the hook fails.
    pub blocks_on_failure: bool,
    /// Whether it is called for all tools.
    pub sees_all: bool,
}

fn options() -> ParseOptions {
    ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
}

fn fault<T>(message: impl Into<String>) -> Result<T, SettingsFault> {
    Err(SettingsFault(message.into()))
}

/// Whether brackets outside of strings nest too deep. Brackets in comments count, too.
fn is_too_deep(text: &str) -> bool {
    let (mut depth, mut inside, mut escaped) = (0usize, false, false);
    text.bytes().any(|byte| {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if inside => escaped = true,
            b'"' => inside = !inside,
            b'[' | b'{' if !inside => depth += 1,
            b']' | b'}' if !inside => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth > DEPTH
    })
}

fn root(text: &str) -> Result<CstRootNode, SettingsFault> {
    if text.len() > SETTINGS_LIMIT {
        return fault(format!("the settings are longer than {} MiB", SETTINGS_LIMIT >> 20));
    }
    if is_too_deep(text) {
        return fault(format!("the settings are nested deeper than {DEPTH} levels"));
    }
    CstRootNode::parse(text, &options())
        .map_err(|error| SettingsFault(format!("the settings are not JSON: {error}")))
}

/// The value of a key; an error if the key occurs twice, since a host reads the last value and an editor the first.
fn value(object: &CstObject, key: &str) -> Result<Option<CstNode>, SettingsFault> {
    let mut found = object.properties().into_iter().filter(|p| p.decoded_name().as_deref() == Some(key));
    let first = found.next().and_then(|property| property.value());
    if found.next().is_some() {
        return fault(format!("the settings name the key `{key}` twice"));
    }
    Ok(first)
}

fn object(parent: &CstObject, key: &str) -> Result<Option<CstObject>, SettingsFault> {
    match value(parent, key)? {
        None => Ok(None),
        Some(node) => node
            .as_object()
            .map(Some)
            .ok_or_else(|| SettingsFault(format!("`{key}` in the settings is not an object"))),
    }
}

fn array(parent: &CstObject, key: &str) -> Result<Option<CstArray>, SettingsFault> {
    match value(parent, key)? {
        None => Ok(None),
        Some(node) => node
            .as_array()
            .map(Some)
            .ok_or_else(|| SettingsFault(format!("`{key}` in the settings is not a list"))),
    }
}

fn text_of(parent: &CstObject, key: &str) -> Option<String> {
    value(parent, key).ok()??.as_string_lit()?.decoded_value().ok()
}

/// The order in which the manuals of the hosts write these keys.
const ORDER: &[&str] = &[
    "matcher",
    "hooks",
    "type",
    "name",
    "command",
    "commandWindows",
    "bash",
    "powershell",
    "args",
    "timeout",
    "timeoutSec",
    "onFailure",
    "failClosed",
];

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(flag) => CstInputValue::Bool(*flag),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(all) => CstInputValue::Array(all.iter().map(input).collect()),
        Value::Object(all) => {
            let rank = |key: &str| ORDER.iter().position(|other| *other == key);
            let mut keys: Vec<&String> = all.keys().collect();
            keys.sort_by_key(|key| rank(key));
            CstInputValue::Object(keys.into_iter().map(|key| (key.clone(), input(&all[key]))).collect())
        }
    }
}

/// The hook, if it is ours: a command `.. shield .. --proto hook ..`.
fn ours(host: HookHost, event: &str, entry: &CstObject, hook: &CstObject) -> Option<InstalledHook> {
    let command = text_of(hook, "command").or_else(|| text_of(hook, "bash"))?;
    let args: Option<Vec<String>> = array(hook, "args").ok()?.map(|list| {
        let text = |node: CstNode| node.as_string_lit()?.decoded_value().ok();
        list.elements().into_iter().filter_map(text).collect()
    });
    let words: Vec<&str> = match &args {
        Some(args) => args.iter().map(String::as_str).collect(),
        None => command.split_whitespace().collect(),
    };
    let is_ours = words.contains(&"shield") && words.windows(2).any(|two| two == ["--proto", "hook"]);
    let (key, unit) = host.dialect().facts().timeout;
    let time: Option<u64> =
        value(hook, key).ok().flatten().and_then(|node| node.as_number_lit()?.to_string().parse().ok());
    let matcher = text_of(entry, "matcher").unwrap_or_default();
    let closed = value(hook, "failClosed").ok().flatten().and_then(|node| node.as_boolean_lit());
    is_ours.then(|| InstalledHook {
        event: event.to_owned(),
        args,
        line: None,
        timeout: time.map(|time| time.div_ceil(unit)),
        blocks_on_failure: text_of(hook, "onFailure").as_deref() == Some("block")
            || closed.is_some_and(|closed| closed.value()),
        sees_all: matches!(&*matcher, "" | "*" | ".*"),
        command,
    })
}

/// An entry of the settings that has hooks of ours.
struct HookEntry {
    event: String,
    entry: CstObject,
    ours: Vec<(CstObject, InstalledHook)>,
}

/// The entries with hooks of ours, in order.
fn found(host: HookHost, root: &CstRootNode) -> Result<Vec<HookEntry>, SettingsFault> {
    let mut all = Vec::new();
    let Some(top) = root.object_value() else {
        return match root.value() {
            None => Ok(all),
            Some(_) => fault("the settings are not an object"),
        };
    };
    let Some(hooks) = object(&top, "hooks")? else { return Ok(all) };
    for property in hooks.properties() {
        let Some(event) = property.decoded_name() else { continue };
        let Some(entries) = array(&hooks, &event)? else { continue };
        for entry in entries.elements().iter().filter_map(CstNode::as_object) {
            let list = match host.place().layout {
                SettingsForm::Nested => {
                    let Some(list) = array(&entry, "hooks")? else { continue };
                    list.elements().into_iter().filter_map(|node| node.as_object()).collect()
                }
                SettingsForm::Flat | SettingsForm::Files => vec![entry.clone()],
            };
            let ours: Vec<_> = list
                .into_iter()
                .filter_map(|hook| Some((hook.clone(), ours(host, &event, &entry, &hook)?)))
                .collect();
            if !ours.is_empty() {
                all.push(HookEntry { event: event.clone(), entry, ours });
            }
        }
    }
    Ok(all)
}

/// Our hooks in settings, in order.
///
/// # Errors
/// Text that is not JSON, except for comments and trailing commas, or not of the form of settings.
pub fn installed(host: HookHost, text: &str) -> Result<Vec<InstalledHook>, SettingsFault> {
    let found = found(host, &root(text)?)?;
    Ok(found.into_iter().flat_map(|found| found.ours).map(|(_, hook)| hook).collect())
}

/// Whether one of these keys of the outermost object is `true`, as `disableAllHooks`.
pub(super) fn is_set(text: &str, keys: &[&str]) -> Result<bool, String> {
    let reported = value_of(text)?;
    Ok(keys.iter().any(|key| reported[*key] == true))
}

/// Settings as a value, without their comments. Empty text is `null`.
pub(super) fn value_of(text: &str) -> Result<Value, String> {
    let tree = root(text).map_err(|fault| fault.0)?;
    if let Some(top) = tree.object_value() {
        // Programs disagree on the value of a key that occurs twice.
        let mut names = std::collections::BTreeSet::new();
        for name in top.properties().iter().filter_map(jsonc_parser::cst::CstObjectProp::decoded_name) {
            if names.contains(&name) {
                return Err(format!("the settings name the key `{name}` twice"));
            }
            names.insert(name);
        }
    }
    if text.trim().is_empty() {
        return Ok(Value::Null);
    }
    read_tree(text).ok_or_else(|| "the settings cannot be read".into())
}

/// The settings with our hooks for all events; older hooks of ours are removed. `words` are the program and its
/// arguments, to which `--event` and the name of the event are added. Settings that already have exactly these hooks
/// are not changed in any byte.
///
/// # Errors
/// As [`installed`].
pub fn install(host: HookHost, text: &str, words: &[String]) -> Result<String, SettingsFault> {
    let entry = |event: &super::HookEvent| {
        let words: Vec<String> = words.iter().cloned().chain(["--event".into(), event.name.into()]).collect();
        host.dialect().entry(event, &words)
    };
    let wanted: Vec<(&str, Value)> = host.events().iter().map(|event| (event.name, entry(event))).collect();
    let tree = root(text)?;
    let mut there = Vec::new();
    for HookEntry { event, entry, .. } in found(host, &tree)? {
        there.push((event, plain(&entry)?));
    }
    let is_there = |(name, value): &(&str, Value)| {
        there.iter().filter(|(event, _)| event == name).map(|(_, value)| value).eq([value])
    };
    if there.len() == wanted.len() && wanted.iter().all(is_there) {
        return Ok(text.to_owned());
    }
    take_out(host, &tree)?;
    let top = tree
        .object_value_or_create()
        .ok_or_else(|| SettingsFault("the settings are not an object".into()))?;
    top.ensure_multiline();
    if host.place().layout == SettingsForm::Flat && value(&top, "version")?.is_none() {
        top.append("version", CstInputValue::Number("1".into()));
    }
    let wrong = || SettingsFault("`hooks` in the settings is not of the form that hooks have".into());
    let hooks = top.object_value_or_create("hooks").ok_or_else(wrong)?;
    for (event, value) in wanted {
        hooks.array_value_or_create(event).ok_or_else(wrong)?.append(input(&value));
    }
    let mut text = tree.to_string();
    if !text.ends_with('\n') {
        text.push('\n');
    }
    Ok(text)
}

/// The settings without our hooks. Lists and objects that become empty are removed, too.
///
/// # Errors
/// As [`installed`].
pub fn uninstall(host: HookHost, text: &str) -> Result<String, SettingsFault> {
    let tree = root(text)?;
    take_out(host, &tree)?;
    Ok(tree.to_string())
}

fn take_out(host: HookHost, tree: &CstRootNode) -> Result<(), SettingsFault> {
    let all = found(host, tree)?;
    if all.is_empty() {
        return Ok(());
    }
    let Some(top) = tree.object_value() else { return Ok(()) };
    let Some(hooks) = object(&top, "hooks")? else { return Ok(()) };
    for HookEntry { event, entry, ours } in all {
        let count = match host.place().layout {
            SettingsForm::Nested => array(&entry, "hooks")?.map_or(0, |list| list.elements().len()),
            SettingsForm::Flat | SettingsForm::Files => 1,
        };
        if ours.len() == count {
            entry.remove();
        } else {
            for (hook, _) in ours {
                hook.remove();
            }
        }
        if array(&hooks, &event)?.is_some_and(|list| list.elements().is_empty())
            && let Some(property) = hooks.get(&event)
        {
            property.remove();
        }
    }
    if hooks.properties().is_empty()
        && let Some(property) = top.get("hooks")
    {
        property.remove();
    }
    Ok(())
}

/// An entry as a value, without its comments.
fn plain(entry: &CstObject) -> Result<Value, SettingsFault> {
    read_tree(&entry.to_string())
        .ok_or_else(|| SettingsFault("an entry of the settings cannot be read".into()))
}

fn read_tree(text: &str) -> Option<Value> {
    let parsed =
        jsonc_parser::parse_to_ast(text, &jsonc_parser::CollectOptions::default(), &options()).ok()?;
    parsed.value.as_ref().map(of_tree)
}

fn of_tree(value: &jsonc_parser::ast::Value<'_>) -> Value {
    use jsonc_parser::ast::Value as Tree;
    match value {
        Tree::StringLit(text) => Value::from(text.value.as_ref()),
        Tree::NumberLit(number) => serde_json::from_str(number.value).unwrap_or(Value::Null),
        Tree::BooleanLit(flag) => Value::Bool(flag.value),
        Tree::NullKeyword(_) => Value::Null,
        Tree::Array(list) => list.elements.iter().map(of_tree).collect(),
        Tree::Object(object) => Value::Object(
            object.properties.iter().map(|p| (p.name.as_str().to_owned(), of_tree(&p.value))).collect(),
        ),
    }
}
