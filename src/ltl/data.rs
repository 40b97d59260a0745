//! TOML and JSON as one kind of tree in which every value has its span.

use jsonc_parser::ast;
use jsonc_parser::common::Ranged;
use std::fmt::Display;
use toml::de::{DeTable, DeValue};
use tsl_synth_core::diag::{Code, Diagnostic, Diagnostics};
use tsl_synth_core::source::{SourceId, SourceMap, Span};

/// A value with its span.
#[derive(Clone, Debug, PartialEq)]
pub struct DataValue {
    /// Where.
    pub span: Span,
    /// The form of the value.
    pub kind: DataKind,
}

/// A key of a table with its span.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TomlKey {
    /// Where.
    pub span: Span,
    /// The key.
    pub name: String,
}

/// The forms of values.
#[derive(Clone, Debug, PartialEq)]
pub enum DataKind {
    /// `null`, in JSON only.
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number, as it is written.
    Number(String),
    /// A text.
    Text(String),
    /// A list.
    List(Vec<DataValue>),
    /// A table, in the order of the text.
    Table(Vec<(TomlKey, DataValue)>),
}

impl DataKind {
    /// The noun for it in messages.
    pub fn noun(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "a Boolean",
            Self::Number(_) => "a number",
            Self::Text(_) => "a text",
            Self::List(_) => "a list",
            Self::Table(_) => "a table",
        }
    }
}

/// The most levels of lists and tables in a JSON text.
const MAX_DEPTH: usize = 64;

/// The tree of a TOML or JSON text; `None` if there are errors. If `json` is `None`, the text counts as JSON if
/// it begins, apart from white space, with `{`, `[{` or `[]`.
pub fn parse_data(
    map: &SourceMap,
    source: SourceId,
    json: Option<bool>,
    code: Code,
    diagnostics: &mut Diagnostics,
) -> Option<DataValue> {
    let text = map.get(source).text.as_str();
    if json.unwrap_or_else(|| looks_like_json(text)) {
        parse_json(text, source, code, diagnostics)
    } else {
        parse_toml(text, source, code, diagnostics)
    }
}

/// `[` alone does not decide, since table headers of TOML begin with it, too.
fn looks_like_json(text: &str) -> bool {
    let text = text.trim_start_matches(['\u{feff}', ' ', '\t', '\r', '\n']);
    match text.strip_prefix('[') {
        Some(rest) => rest.trim_start().starts_with(['{', ']']),
        None => text.starts_with('{'),
    }
}

/// Whether the first line that is no comment is a key of YAML, or a list or a document begins there.
fn looks_like_yaml(text: &str) -> bool {
    let is_said = |line: &&str| !line.is_empty() && !line.starts_with('#');
    let Some(first) = text.trim_start_matches('\u{feff}').lines().map(str::trim).find(is_said) else {
        return false;
    };
    let is_name = |c: char| c.is_alphanumeric() || "_-.".contains(c);
    let after = first.trim_start_matches(is_name);
    let is_key = after.len() < first.len() && (after == ":" || after.starts_with(": "));
    is_key || first == "---" || first.starts_with("- ")
}

fn wrong(code: Code, span: Span, message: impl Display, what: &str) -> Diagnostic {
    let message = message.to_string();
    let message = message.lines().next().unwrap_or_default();
    Diagnostic::error(code, format!("this is not {what}: {message}")).at(span, "here")
}

fn parse_toml(text: &str, source: SourceId, code: Code, diagnostics: &mut Diagnostics) -> Option<DataValue> {
    let (table, errors) = DeTable::parse_recoverable(text);
    let is_yaml = !errors.is_empty() && looks_like_yaml(text);
    for error in errors.iter().take(if is_yaml { 1 } else { usize::MAX }) {
        let range = error.span().unwrap_or(0..0);
        let span = Span::new(source, range.start, range.end.max(range.start));
        let error = wrong(code, span, error.message(), "TOML");
        let hint = "YAML is not read; in TOML it is `name = value`, and a table begins with `[name]`";
        diagnostics.push(if is_yaml { error.hint(hint) } else { error });
    }
    let span = Span::new(source, 0, text.len());
    let kind = toml_table(table.get_ref(), source);
    errors.is_empty().then_some(DataValue { span, kind })
}

/// The recursion depth is bounded by the parser of the `toml` library.
fn toml_table(table: &DeTable<'_>, source: SourceId) -> DataKind {
    let mut entries: Vec<(TomlKey, DataValue)> = table
        .iter()
        .map(|(key, value)| {
            let at = key.span();
            let span = Span::new(source, at.start, at.end);
            (TomlKey { span, name: key.get_ref().to_string() }, toml_value(value, source))
        })
        .collect();
    entries.sort_by_key(|(key, _)| key.span.start);
    DataKind::Table(entries)
}

fn toml_value(value: &toml::Spanned<DeValue<'_>>, source: SourceId) -> DataValue {
    let at = value.span();
    let kind = match value.get_ref() {
        DeValue::String(text) => DataKind::Text(text.to_string()),
        DeValue::Integer(number) => DataKind::Number(decimal(number.as_str(), number.radix())),
        DeValue::Float(number) => DataKind::Number(number.as_str().replace('_', "")),
        DeValue::Boolean(value) => DataKind::Bool(*value),
        DeValue::Datetime(time) => DataKind::Text(time.to_string()),
        DeValue::Array(list) => DataKind::List(list.iter().map(|one| toml_value(one, source)).collect()),
        DeValue::Table(table) => toml_table(table, source),
    };
    DataValue { span: Span::new(source, at.start, at.end), kind }
}

/// An integer in decimal digits.
fn decimal(digits: &str, radix: u32) -> String {
    let digits = digits.replace('_', "");
    if radix == 10 {
        return digits.trim_start_matches('+').to_string();
    }
    i128::from_str_radix(&digits, radix).map_or(digits, |number| number.to_string())
}

fn parse_json(text: &str, source: SourceId, code: Code, diagnostics: &mut Diagnostics) -> Option<DataValue> {
    let skipped = text.len() - text.trim_start_matches('\u{feff}').len();
    let strict = jsonc_parser::ParseOptions {
        allow_comments: false,
        allow_loose_object_property_names: false,
        allow_trailing_commas: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    if let Some(at) = too_deep(text) {
        let message = format!("lists and tables are nested deeper than {MAX_DEPTH} levels");
        diagnostics
            .push(Diagnostic::error(Code::TOO_DEEP, message).at(Span::new(source, at, at + 1), "here"));
        return None;
    }
    let parsed =
        jsonc_parser::parse_to_ast(&text[skipped..], &jsonc_parser::CollectOptions::default(), &strict);
    let error = match parsed {
        Ok(parsed) => match parsed.value {
            Some(value) => return Some(json_value(&value, source, skipped)),
            None => wrong(code, Span::new(source, 0, text.len()), "the text is empty", "JSON"),
        },
        Err(error) => {
            let range = error.range();
            let start = (skipped + range.start).min(text.len());
            let span = Span::new(source, start, (skipped + range.end).clamp(start, text.len()));
            wrong(code, span, error.kind(), "JSON")
        }
    };
    diagnostics.push(error);
    None
}

/// The offset of a bracket, outside of strings, that is nested too deep.
fn too_deep(text: &str) -> Option<usize> {
    let (mut depth, mut inside, mut escaped) = (0usize, false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if inside => escaped = true,
            b'"' => inside = !inside,
            b'[' | b'{' if !inside => depth += 1,
            b']' | b'}' if !inside => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > MAX_DEPTH {
            return Some(at);
        }
    }
    None
}

fn json_value(value: &ast::Value<'_>, source: SourceId, skipped: usize) -> DataValue {
    let at = value.range();
    let kind = match value {
        ast::Value::StringLit(text) => DataKind::Text(text.value.to_string()),
        ast::Value::NumberLit(number) => DataKind::Number(number.value.to_string()),
        ast::Value::BooleanLit(value) => DataKind::Bool(value.value),
        ast::Value::NullKeyword(_) => DataKind::Null,
        ast::Value::Array(list) => {
            DataKind::List(list.elements.iter().map(|one| json_value(one, source, skipped)).collect())
        }
        ast::Value::Object(object) => DataKind::Table(
            object
                .properties
                .iter()
                .map(|property| {
                    let at = property.name.range();
                    let span = Span::new(source, skipped + at.start, skipped + at.end);
                    let key = TomlKey { span, name: property.name.as_str().to_string() };
                    (key, json_value(&property.value, source, skipped))
                })
                .collect(),
        ),
    };
    DataValue { span: Span::new(source, skipped + at.start, skipped + at.end), kind }
}
