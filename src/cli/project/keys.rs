//! Reads the keys of a project file; error messages name the key.

use anyhow::{Result, anyhow, bail};
use clap::ValueEnum;
use std::ops::RangeInclusive;
use std::str::FromStr;
use toml::{Table, Value};

/// A table from which each key is removed when it is read, so that unknown keys remain.
#[derive(Debug, Default)]
pub(super) struct TableKeys {
    table: Table,
    /// The prefix of each key in messages: empty, or `options.`.
    prefix: String,
    known: Vec<&'static str>,
}

impl TableKeys {
    /// The keys of a text.
    ///
    /// # Errors
    /// When it is not TOML.
    pub(super) fn read(text: &str) -> Result<Self> {
        let table = text.parse::<Table>().map_err(|error| anyhow!("{}", error.to_string().trim_end()))?;
        Ok(Self { table, ..Self::default() })
    }

    fn wrong(&self, key: &str, what: impl std::fmt::Display) -> anyhow::Error {
        anyhow!("{}{key}: {what}", self.prefix)
    }

    fn take(&mut self, key: &'static str) -> Option<Value> {
        self.known.push(key);
        self.table.remove(key)
    }

    /// A nested table, empty if there is none.
    pub(super) fn table(&mut self, key: &'static str) -> Result<Self> {
        let prefix = format!("{}{key}.", self.prefix);
        match self.take(key) {
            None => Ok(Self { prefix, ..Self::default() }),
            Some(Value::Table(table)) => Ok(Self { table, prefix, known: Vec::new() }),
            Some(other) => Err(self.wrong(key, format!("expected a table, not {}", kind(&other)))),
        }
    }

    /// A text.
    pub(super) fn text(&mut self, key: &'static str) -> Result<Option<String>> {
        match self.take(key) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(self.wrong(key, format!("expected a text, not {}", kind(&other)))),
        }
    }

    /// A text, or a list of texts.
    pub(super) fn texts(&mut self, key: &'static str) -> Result<Option<Vec<String>>> {
        let wrong = |keys: &Self, value: &Value| {
            keys.wrong(key, format!("expected a text or a list of texts, not {}", kind(value)))
        };
        match self.take(key) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(vec![text])),
            Some(Value::Array(values)) => {
                let text = |value| match value {
                    Value::String(text) => Ok(text),
                    other => Err(wrong(self, &other)),
                };
                values.into_iter().map(text).collect::<Result<_>>().map(Some)
            }
            Some(other) => Err(wrong(self, &other)),
        }
    }

    /// A text or a list of texts, each of which is parsed; without the key empty.
    pub(super) fn parsed_list<T: FromStr<Err = String>>(&mut self, key: &'static str) -> Result<Vec<T>> {
        let texts = self.texts(key)?.unwrap_or_default();
        texts.iter().map(|text| text.parse().map_err(|error| self.wrong(key, error))).collect()
    }

    /// A text that is parsed like the value of the flag of the same name.
    pub(super) fn read_with<T>(
        &mut self,
        key: &'static str,
        read: impl FnOnce(&str) -> Result<T, String>,
    ) -> Result<Option<T>> {
        let text = self.text(key)?;
        text.map(|text| read(&text).map_err(|error| self.wrong(key, error))).transpose()
    }

    /// One of the possible values of a flag.
    pub(super) fn word<T: ValueEnum>(&mut self, key: &'static str) -> Result<Option<T>> {
        let Some(text) = self.text(key)? else { return Ok(None) };
        let word = |value: &T| value.to_possible_value().map(|value| value.get_name().to_string());
        let found = T::value_variants().iter().find(|value| word(value).as_deref() == Some(text.as_str()));
        found.cloned().map(Some).ok_or_else(|| {
            let words: Vec<String> = T::value_variants().iter().filter_map(word).collect();
            self.wrong(key, format!("`{text}` is none of {}", words.join(", ")))
        })
    }

    /// `true` or `false`; without the key `false`.
    pub(super) fn flag(&mut self, key: &'static str) -> Result<bool> {
        match self.take(key) {
            None => Ok(false),
            Some(Value::Boolean(flag)) => Ok(flag),
            Some(other) => Err(self.wrong(key, format!("expected true or false, not {}", kind(&other)))),
        }
    }

    /// A number within these limits.
    pub(super) fn number<T>(&mut self, key: &'static str, range: RangeInclusive<T>) -> Result<Option<T>>
    where
        T: TryFrom<i64> + PartialOrd + std::fmt::Display,
    {
        let shown = |value: &Value| match value {
            Value::Integer(number) => number.to_string(),
            other => kind(other).to_string(),
        };
        let Some(value) = self.take(key) else { return Ok(None) };
        let number = value.as_integer().and_then(|number| T::try_from(number).ok());
        number.filter(|number| range.contains(number)).map(Some).ok_or_else(|| {
            let (low, high) = (range.start(), range.end());
            self.wrong(key, format!("expected a number from {low} to {high}, not {}", shown(&value)))
        })
    }

    /// Fails if a key was not read, which is then unknown.
    pub(super) fn end(self) -> Result<()> {
        let Some(key) = self.table.keys().next() else { return Ok(()) };
        let near = self.known.iter().filter(|known| strsim::damerau_levenshtein(known, key) <= 2).min();
        match near {
            Some(near) => bail!("{}{key}: there is no such key; did you mean `{near}`?", self.prefix),
            None => {
                bail!("{}{key}: there is no such key, only {}", self.prefix, self.known.join(", "))
            }
        }
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::String(_) => "a text",
        Value::Integer(_) | Value::Float(_) => "a number",
        Value::Boolean(_) => "true or false",
        Value::Datetime(_) => "a time",
        Value::Array(_) => "a list",
        Value::Table(_) => "a table",
    }
}
