//! The fields of a table: each is requested by name, and a field that was never requested is an error.

use tsl_synth_core::base::{Glob, GlobKind};
use tsl_synth_core::diag::{Code, Diagnostic, Diagnostics};
use tsl_synth_core::model::Pointer;
use tsl_synth_core::source::Span;
use tsl_synth_ltl::data::{DataKind, DataValue, TomlKey};
use tsl_synth_ltl::spelling::nearest;

/// An error of a `[[match]]` table.
pub(super) fn wrong(message: impl Into<String>, span: Span) -> Diagnostic {
    Diagnostic::error(Code::POLICY_MATCH, message).at(span, "here")
}

/// The pointer that a text is.
pub(super) fn pointer(text: &str, span: Span, diagnostics: &mut Diagnostics) -> Option<Pointer> {
    Pointer::parse(text).map_err(|bad| diagnostics.push(wrong(bad, span))).ok()
}

/// The fields of one table.
pub(super) struct TableFields<'d> {
    what: &'static str,
    entries: &'d [(TomlKey, DataValue)],
    known: Vec<&'static str>,
}

impl<'d> TableFields<'d> {
    /// The fields of a table; reports an error for any other value.
    pub(super) fn of(data: &'d DataValue, what: &'static str, diagnostics: &mut Diagnostics) -> Option<Self> {
        let DataKind::Table(entries) = &data.kind else {
            diagnostics.push(unexpected(data, what, "a table"));
            return None;
        };
        for (i, (key, _)) in entries.iter().enumerate() {
            if let Some((first, _)) = entries[..i].iter().find(|(other, _)| other.name == key.name) {
                let error = Diagnostic::error(Code::POLICY_FIELD, format!("`{}` stands twice", key.name));
                diagnostics.push(error.at(key.span, "again").at(first.span, "first"));
            }
        }
        Some(Self { what, entries, known: Vec::new() })
    }
    /// The value of a field.
    pub(super) fn get(&mut self, name: &'static str) -> Option<&'d DataValue> {
        if !self.known.contains(&name) {
            self.known.push(name);
        }
        self.entries.iter().find(|(key, _)| key.name == name).map(|(_, value)| value)
    }
    /// The value of a field with several names: that of the first name present.
    pub(super) fn either(&mut self, names: &[&'static str]) -> Option<&'d DataValue> {
        names.iter().fold(None, |found, name| {
            let own = self.get(name);
            found.or(own)
        })
    }
    /// A text.
    pub(super) fn text(&mut self, name: &'static str, diagnostics: &mut Diagnostics) -> Option<&'d str> {
        self.get(name).and_then(|data| text(data, name, diagnostics))
    }
    /// `true` or `false`.
    pub(super) fn bool(&mut self, name: &'static str, diagnostics: &mut Diagnostics) -> Option<bool> {
        let data = self.get(name)?;
        if let DataKind::Bool(value) = data.kind {
            return Some(value);
        }
        diagnostics.push(unexpected(data, name, "`true` or `false`"));
        None
    }
    /// A number.
    pub(super) fn number<N: std::str::FromStr>(
        &mut self,
        name: &'static str,
        expected: &str,
        diagnostics: &mut Diagnostics,
    ) -> Option<N> {
        let data = self.get(name)?;
        if let DataKind::Number(text) = &data.kind
            && let Ok(number) = text.parse()
        {
            return Some(number);
        }
        diagnostics.push(unexpected(data, name, expected));
        None
    }
    /// A duration such as `60s`, in milliseconds.
    pub(super) fn duration(&mut self, name: &'static str, diagnostics: &mut Diagnostics) -> Option<i64> {
        let data = self.get(name)?;
        let given = text(data, name, diagnostics)?;
        let digits = given.find(|c: char| !c.is_ascii_digit()).unwrap_or(given.len());
        let unit = match &given[digits..] {
            "ms" => Some(1),
            "s" => Some(1_000),
            "m" | "min" => Some(60_000),
            "h" => Some(3_600_000),
            "d" => Some(86_400_000),
            _ => None,
        };
        let length = given[..digits].parse::<i64>().ok().zip(unit).and_then(|(n, unit)| n.checked_mul(unit));
        if length.is_none_or(|length| length == 0) {
            diagnostics.push(unexpected(data, name, "a duration such as `60s`, `5m`, `24h`"));
        }
        length.filter(|&length| length > 0)
    }
    /// One of several words.
    pub(super) fn word<T: Copy>(
        &mut self,
        name: &'static str,
        words: &[(&'static str, T)],
        diagnostics: &mut Diagnostics,
    ) -> Option<T> {
        let data = self.get(name)?;
        let given = text(data, name, diagnostics)?;
        let found = words.iter().find(|(word, _)| *word == given);
        if found.is_none() {
            let list: Vec<String> = words.iter().map(|(word, _)| format!("`{word}`")).collect();
            let error = Diagnostic::error(
                Code::POLICY_FIELD,
                format!("`{name}` is one of {}, not `{given}`", list.join(", ")),
            )
            .at(data.span, "not one of them");
            let near = nearest(given, words.iter().map(|(word, _)| *word));
            diagnostics.push(match near {
                Some(near) => error.hint(format!("did you mean `{near}`?")),
                None => error,
            });
        }
        found.map(|(_, value)| *value)
    }
    /// A text or a list of texts, each with its span.
    pub(super) fn texts(
        &mut self,
        name: &'static str,
        diagnostics: &mut Diagnostics,
    ) -> Option<Vec<(&'d str, Span)>> {
        let data = self.get(name)?;
        match &data.kind {
            DataKind::Text(one) => Some(vec![(one.as_str(), data.span)]),
            DataKind::List(list) => {
                let texts = list.iter().map(|one| text(one, name, diagnostics).map(|text| (text, one.span)));
                Some(texts.collect::<Vec<_>>().into_iter().flatten().collect())
            }
            _ => {
                diagnostics.push(unexpected(data, name, "a text or a list of texts"));
                None
            }
        }
    }
    /// A list of tables; empty where the field is missing.
    pub(super) fn list(&mut self, name: &'static str, diagnostics: &mut Diagnostics) -> &'d [DataValue] {
        match self.get(name).map(|data| (data, &data.kind)) {
            None => &[],
            Some((_, DataKind::List(list))) => list,
            Some((data, kind)) => {
                let error = unexpected(data, name, "a list of tables");
                diagnostics.push(match kind {
                    DataKind::Table(entries) => error.hint(as_list(name, entries)),
                    _ => error,
                });
                &[]
            }
        }
    }
    /// The entries of a table whose keys are not fixed but names of the policy.
    pub(super) fn named(
        &mut self,
        name: &'static str,
        diagnostics: &mut Diagnostics,
    ) -> &'d [(TomlKey, DataValue)] {
        match self.get(name).map(|data| (data, &data.kind)) {
            None => &[],
            Some((_, DataKind::Table(entries))) => entries,
            Some((data, _)) => {
                diagnostics.push(unexpected(data, name, "a table"));
                &[]
            }
        }
    }
    /// Reports fields that were never requested.
    pub(super) fn finish(self, diagnostics: &mut Diagnostics) {
        self.finish_with(|_, _| None, diagnostics);
    }
    /// The same, with hints about fields that are meant otherwise.
    pub(super) fn finish_with(
        self,
        meant: impl Fn(&str, &DataValue) -> Option<String>,
        diagnostics: &mut Diagnostics,
    ) {
        for (key, data) in self.entries {
            if self.known.contains(&key.name.as_str()) {
                continue;
            }
            let error =
                Diagnostic::error(Code::POLICY_FIELD, format!("{} has no field `{}`", self.what, key.name))
                    .at(key.span, "unknown");
            if let Some(hint) = meant(&key.name, data) {
                diagnostics.push(error.hint(hint));
                continue;
            }
            diagnostics.push(match nearest(&key.name, self.known.iter().copied()) {
                Some(near) => error.hint(format!("did you mean `{near}`?")),
                None => error.hint(format!("its fields are {}", self.known.join(", "))),
            });
        }
    }
}

/// The text of a value.
pub(super) fn text<'d>(data: &'d DataValue, name: &str, diagnostics: &mut Diagnostics) -> Option<&'d str> {
    if let DataKind::Text(text) = &data.kind {
        return Some(text);
    }
    diagnostics.push(unexpected(data, name, "a text"));
    None
}

/// A text as a string of TOML.
pub(super) fn toml_string(text: &str) -> String {
    toml_edit::Value::from(text).to_string()
}

/// How a table is written where a list of tables is expected, as a hint. Tables by pointers are taken for conditions.
fn as_list(name: &str, entries: &[(TomlKey, DataValue)]) -> String {
    let by_pointer = entries.iter().all(|(key, _)| key.name.starts_with('/'));
    if !by_pointer || entries.is_empty() {
        return format!("write `[[{name}]]`, once for each, or `{name} = [{{ .. }}]`");
    }
    let conditions: Vec<String> = entries
        .iter()
        .map(|(key, data)| {
            let value = match &data.kind {
                DataKind::Bool(value) => value.to_string(),
                DataKind::Number(number) => number.clone(),
                DataKind::Text(text) => toml_string(text),
                _ => "..".to_owned(),
            };
            format!("{{ pointer = {}, \"=\" = {value} }}", toml_string(&key.name))
        })
        .collect();
    format!("write `{name} = [{}]`", conditions.join(", "))
}

/// An error about a value of another kind.
pub(super) fn unexpected(data: &DataValue, name: &str, expected: &str) -> Diagnostic {
    let message = format!("`{name}` is {expected}, not {}", data.kind.noun());
    Diagnostic::error(Code::POLICY_FIELD, message).at(data.span, "here")
}

/// Whether laws can refer to the name without quotes; reports an error otherwise.
pub(super) fn name_is_good(key: &TomlKey, diagnostics: &mut Diagnostics) -> bool {
    let good = !key.name.is_empty()
        && key.name.len() <= 200
        && !key.name.chars().any(|c| c.is_control() || c.is_whitespace() || "\"'`()!&|".contains(c));
    if !good {
        let message = "a name of a policy has no blanks, quotes, parentheses and signs of formulas";
        diagnostics.push(Diagnostic::error(Code::POLICY_NAME, message).at(key.span, "here"));
    }
    good
}

/// An error about a name that stands for something else already.
pub(super) fn taken(key: &TomlKey) -> Diagnostic {
    Diagnostic::error(Code::POLICY_TWICE, format!("the name `{}` is taken", key.name))
        .at(key.span, "here")
        .hint("`act` and `opaque` are names that every policy has; each action `a` brings `a.ok`, `a.failed`, `a.unknown`")
}

/// Patterns of names.
pub(super) fn globs(texts: &[(&str, Span)], diagnostics: &mut Diagnostics) -> Vec<Glob> {
    texts.iter().filter_map(|&(text, span)| name_glob(text, span, diagnostics)).collect()
}

/// A pattern of names.
pub(super) fn name_glob(text: &str, span: Span, diagnostics: &mut Diagnostics) -> Option<Glob> {
    Glob::new(text, GlobKind::Name).map_err(|bad| diagnostics.push(wrong(bad.message, span))).ok()
}
