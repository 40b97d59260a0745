//! JSON (RFC 8259) with the source position of every value, so that diagnostics for hand-written files point at the
//! mistake. Objects keep the order of their keys; duplicate keys are an error. Recursion is at most [`JSON_DEPTH`]
//! deep.

use crate::base::IdVec;
use crate::define_id;
use crate::diag::{Code, Diagnostic};
use crate::source::{SourceId, Span};
use rustc_hash::FxHashSet;

/// Arrays and objects nested deeper than this are refused.
pub const JSON_DEPTH: usize = 64;
/// More values than this are refused.
pub const JSON_VALUES: usize = 1 << 23;

define_id! {
    /// A value in a [`Json`] arena.
    pub struct JsonId;
}

/// A string with its span (quotes included).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonString {
    /// The string, escapes resolved.
    pub value: String,
    /// Where it is.
    pub span: Span,
}

/// A value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JsonKind {
    /// `null`
    Null,
    /// `true`, `false`
    Bool(bool),
    /// A number as written.
    Number(String),
    /// A string.
    Text(String),
    /// `[...]`
    Array(Vec<JsonId>),
    /// `{...}` in the order of the text.
    Object(Vec<(JsonString, JsonId)>),
}

impl JsonKind {
    /// The type of the value, for messages.
    pub fn describe(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "a Boolean",
            Self::Number(_) => "a number",
            Self::Text(_) => "a string",
            Self::Array(_) => "an array",
            Self::Object(_) => "an object",
        }
    }
}

/// A value with its span.
#[derive(Clone, Debug)]
pub struct JsonValue {
    /// Its position in the source.
    pub span: Span,
    /// Its content.
    pub kind: JsonKind,
}

/// The values of a text.
#[derive(Clone, Debug, Default)]
pub struct Json {
    values: IdVec<JsonId, JsonValue>,
    /// The outermost values in order: one for a document, any number for JSON lines.
    pub roots: Vec<JsonId>,
}

impl Json {
    /// A value.
    pub fn get(&self, id: JsonId) -> &JsonValue {
        &self.values[id]
    }
    /// The value of a key of an object.
    pub fn field(&self, object: JsonId, key: &str) -> Option<JsonId> {
        match &self.values[object].kind {
            JsonKind::Object(fields) => fields.iter().find(|(k, _)| k.value == key).map(|&(_, id)| id),
            _ => None,
        }
    }
}

/// An array or object that is not closed yet.
struct OpenContainer {
    start: usize,
    items: Vec<JsonId>,
    /// The keys of an object.
    keys: Option<Vec<JsonString>>,
    seen: FxHashSet<String>,
}

/// Reads all values of a text, with nothing but blanks between them. Linear.
///
/// # Errors
/// The first position at which the text is not JSON or exceeds a limit.
pub fn read_json(text: &str, source: SourceId) -> Result<Json, Diagnostic> {
    JsonReader { text, bytes: text.as_bytes(), source, at: 0, json: Json::default(), open: Vec::new() }.read()
}

struct JsonReader<'a> {
    text: &'a str,
    bytes: &'a [u8],
    source: SourceId,
    at: usize,
    json: Json,
    open: Vec<OpenContainer>,
}

impl JsonReader<'_> {
    fn error(&self, message: impl Into<String>, label: &str) -> Diagnostic {
        let end = self.text[self.at..].chars().next().map_or(self.at, |c| self.at + c.len_utf8());
        Diagnostic::error(Code::BAD_JSON, message).at(Span::new(self.source, self.at, end), label)
    }
    fn blanks(&mut self) {
        if self.at == 0 && self.text.starts_with('\u{feff}') {
            self.at = 3;
        }
        while matches!(self.bytes.get(self.at), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }
    fn skip(&mut self, byte: u8) -> bool {
        self.blanks();
        let found = self.bytes.get(self.at) == Some(&byte);
        self.at += usize::from(found);
        found
    }
    fn read(mut self) -> Result<Json, Diagnostic> {
        loop {
            self.blanks();
            if self.at == self.bytes.len() && self.open.is_empty() {
                return Ok(self.json);
            }
            // Just inside of a bracket, or after a comma.
            if let Some(open) = self.open.last() {
                let (empty, object) = (open.items.is_empty(), open.keys.is_some());
                if empty && self.skip(if object { b'}' } else { b']' }) {
                    self.close()?;
                    continue;
                }
                if object {
                    self.key()?;
                }
            }
            self.blanks();
            let start = self.at;
            match self.bytes.get(self.at) {
                Some(&bracket @ (b'[' | b'{')) => {
                    if self.open.len() >= JSON_DEPTH {
                        return Err(self.error(format!("nested deeper than {JSON_DEPTH}"), "here"));
                    }
                    self.at += 1;
                    let keys = (bracket == b'{').then(Vec::new);
                    self.open.push(OpenContainer {
                        start,
                        items: Vec::new(),
                        keys,
                        seen: FxHashSet::default(),
                    });
                }
                Some(b'"') => {
                    let text = self.string()?;
                    self.finish(start, JsonKind::Text(text))?;
                }
                Some(b'-' | b'0'..=b'9') => {
                    let number = self.number()?;
                    self.finish(start, JsonKind::Number(number))?;
                }
                _ => {
                    let words = [
                        ("true", JsonKind::Bool(true)),
                        ("false", JsonKind::Bool(false)),
                        ("null", JsonKind::Null),
                    ];
                    let rest = &self.bytes[start..];
                    let Some((word, kind)) =
                        words.into_iter().find(|(word, _)| rest.starts_with(word.as_bytes()))
                    else {
                        let hint = match self.bytes.get(start) {
                            None => "the text ends inside of a value",
                            Some(b'\'') => "strings have double quotes",
                            Some(b',' | b']' | b'}') => "a value is missing",
                            _ => "not a value",
                        };
                        return Err(self.error("this is not JSON", hint));
                    };
                    self.at += word.len();
                    self.finish(start, kind)?;
                }
            }
        }
    }
    fn key(&mut self) -> Result<(), Diagnostic> {
        let start = self.at;
        if self.bytes.get(start) != Some(&b'"') {
            return Err(self.error("expected a key between double quotes", "expected a key"));
        }
        let value = self.string()?;
        let span = Span::new(self.source, start, self.at);
        if !self.skip(b':') {
            return Err(self.error("expected `:` after a key", "expected `:`"));
        }
        let open = self.open.last_mut().expect("keys are inside of objects");
        if !open.seen.insert(value.clone()) {
            let message = format!("the key {value:?} is named twice");
            return Err(Diagnostic::error(Code::BAD_JSON, message).at(span, "the second time"));
        }
        open.keys.get_or_insert_default().push(JsonString { value, span });
        Ok(())
    }
    /// Adds a complete value to the innermost open array or object, and closes that one if its bracket follows.
    fn finish(&mut self, start: usize, kind: JsonKind) -> Result<(), Diagnostic> {
        if self.json.values.len() >= JSON_VALUES {
            return Err(self.error(format!("more than {JSON_VALUES} values"), "here"));
        }
        let id = self.json.values.push(JsonValue { span: Span::new(self.source, start, self.at), kind });
        let Some(open) = self.open.last_mut() else {
            self.json.roots.push(id);
            return Ok(());
        };
        open.items.push(id);
        let object = open.keys.is_some();
        if self.skip(b',') {
            return Ok(());
        }
        let (closing, expected) =
            if object { (b'}', "expected `,` or `}`") } else { (b']', "expected `,` or `]`") };
        if self.skip(closing) { self.close() } else { Err(self.error("this is not JSON", expected)) }
    }
    /// Closes the innermost array or object, whose bracket was just read. At most [`JSON_DEPTH`] brackets close in a
    /// row, which bounds the mutual recursion with [`Self::finish`].
    fn close(&mut self) -> Result<(), Diagnostic> {
        let open = self.open.pop().expect("a bracket is open");
        let kind = match open.keys {
            Some(keys) => JsonKind::Object(keys.into_iter().zip(open.items).collect()),
            None => JsonKind::Array(open.items),
        };
        self.finish(open.start, kind)
    }
    fn number(&mut self) -> Result<String, Diagnostic> {
        let start = self.at;
        let digits = |this: &mut Self| {
            let from = this.at;
            while this.bytes.get(this.at).is_some_and(u8::is_ascii_digit) {
                this.at += 1;
            }
            this.at > from
        };
        self.at += usize::from(self.bytes[self.at] == b'-');
        let zero = self.bytes.get(self.at) == Some(&b'0');
        let first = self.at;
        let mut good = digits(self) && !(zero && self.at > first + 1);
        if good && self.bytes.get(self.at) == Some(&b'.') {
            self.at += 1;
            good = digits(self);
        }
        if good && matches!(self.bytes.get(self.at), Some(b'e' | b'E')) {
            self.at += 1;
            self.at += usize::from(matches!(self.bytes.get(self.at), Some(b'+' | b'-')));
            good = digits(self);
        }
        if good {
            return Ok(self.text[start..self.at].to_string());
        }
        Err(self.error("this is not a JSON number", "here"))
    }
    fn string(&mut self) -> Result<String, Diagnostic> {
        let mut out = String::new();
        self.at += 1;
        loop {
            let rest = &self.bytes[self.at..];
            let plain = rest.iter().position(|b| matches!(b, b'"' | b'\\' | 0..=31)).unwrap_or(rest.len());
            out.push_str(&self.text[self.at..self.at + plain]);
            self.at += plain;
            match self.bytes.get(self.at) {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(out);
                }
                Some(b'\\') => out.push(self.escape()?),
                None => return Err(self.error("a string is not closed", "the text ends here")),
                Some(_) => return Err(self.error("a control character in a string", "write it as an escape")),
            }
        }
    }
    fn escape(&mut self) -> Result<char, Diagnostic> {
        let c = match self.bytes.get(self.at + 1) {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                let first = self.unit(self.at + 2)?;
                let (code, length) = match first {
                    0xd800..=0xdbff if self.bytes.get(self.at + 6..self.at + 8) == Some(b"\\u") => {
                        let second = self.unit(self.at + 8)?;
                        let low = second.wrapping_sub(0xdc00);
                        (if low < 0x400 { 0x10000 + ((first - 0xd800) << 10) + low } else { 0xd800 }, 12)
                    }
                    code => (code, 6),
                };
                let Some(c) = char::from_u32(code) else {
                    return Err(self.error("half of a surrogate pair", "here"));
                };
                self.at += length;
                return Ok(c);
            }
            _ => return Err(self.error("an escape that JSON does not have", "here")),
        };
        self.at += 2;
        Ok(c)
    }
    fn unit(&self, at: usize) -> Result<u32, Diagnostic> {
        let digits = self.bytes.get(at..at + 4).filter(|d| d.iter().all(u8::is_ascii_hexdigit));
        let text = digits.and_then(|d| std::str::from_utf8(d).ok());
        let unit = text.and_then(|t| u32::from_str_radix(t, 16).ok());
        unit.ok_or_else(|| self.error("`\\u` takes four hexadecimal digits", "here"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Id;

    fn read(text: &str) -> Result<Json, Diagnostic> {
        read_json(text, SourceId::from_index(0))
    }

    #[test]
    fn it_reads_what_serde_reads() {
        for text in [
            "{}",
            "[]",
            "[1, -0.5e+3, true, null]",
            r#"{"a": {"b": [[], {}]}, "c": "x"}"#,
            r#""\u00e4\ud83d\ude00\n\"""#,
            "[1,]",
            "{\"a\"}",
            "{\"a\":1,}",
            "[1 2]",
            "01",
            "1.",
            "-",
            "tru",
            "\"a",
            "\"\\x\"",
            "\"\\ud800\"",
            "[",
            "]",
            "{\"a\":}",
            "\"\t\"",
            "'a'",
        ] {
            let known = serde_json::from_str::<serde_json::Value>(text);
            let ours = read(text).is_ok_and(|json| json.roots.len() == 1);
            assert_eq!(ours, known.is_ok(), "{text}");
        }
        let json = read(r#""\u00e4\ud83d\ude00\n\"""#).expect("a string");
        assert_eq!(json.get(json.roots[0]).kind, JsonKind::Text("\u{e4}\u{1f600}\n\"".into()));
        assert_eq!(read("{\"a\":1}\n{\"a\":2}\n\n").expect("lines").roots.len(), 2);
        assert_eq!(read("").expect("nothing").roots.len(), 0);
    }

    #[test]
    fn twice_the_same_key_and_deep_nesting_are_refused() {
        assert!(read(r#"{"a": 1, "\u0061": 2}"#).is_err());
        assert!(read(&"[".repeat(JSON_DEPTH)).is_err());
        assert!(read(&format!("{}{}", "[".repeat(JSON_DEPTH), "]".repeat(JSON_DEPTH))).is_ok());
        assert!(read(&format!("{}{}", "[".repeat(JSON_DEPTH + 1), "]".repeat(JSON_DEPTH + 1))).is_err());
        assert!(read(&"[".repeat(1_000_000)).is_err());
    }
}
