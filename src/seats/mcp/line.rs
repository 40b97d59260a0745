//! Reads lines, and extracts the entries of messages without parsing their values.

use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use tsl_synth_core::json_text::canonical;
use tsl_synth_core::model::JsonText;

/// Lines longer than this many bytes are refused.
pub const MESSAGE_LIMIT: usize = 64 << 20;

/// Why a line cannot be judged, in a sentence without a full stop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unclear(pub String);

impl Unclear {
    pub(super) fn new(why: impl Into<String>) -> Self {
        Self(why.into())
    }
}

impl std::fmt::Display for Unclear {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Unclear {}

/// A line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum McpLine<'a> {
    /// Nothing but blanks.
    Blank,
    /// A message.
    One(McpMessage<'a>),
    /// Several messages in an array, as version 2025-03-26 allows.
    Batch(Vec<McpMessage<'a>>),
}

/// A request, a notification (without an id) or a response (without a method).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct McpMessage<'a> {
    /// The whole object as it was sent.
    pub text: &'a str,
    /// The id as it was sent.
    pub id: Option<&'a str>,
    /// The method.
    pub method: Option<Cow<'a, str>>,
    /// The parameters as they were sent.
    pub params: Option<&'a str>,
    /// The result as it was sent.
    pub result: Option<&'a str>,
    /// The error as it was sent.
    pub error: Option<&'a str>,
}

/// A key or a method: a string that borrows where it can.
#[derive(serde::Deserialize)]
struct McpName<'a>(#[serde(borrow)] Cow<'a, str>);

/// Whether a key that is not a name equals it for a reader that ignores case. Some readers ignore case as in Unicode:
/// `ſ` is then an `s`, and the Kelvin sign a `k`.
pub(super) fn resembles(key: &str, name: &str) -> bool {
    let fold = |c: char| match c {
        '\u{17f}' => 's',
        '\u{212a}' => 'k',
        c => c.to_ascii_lowercase(),
    };
    key != name && key.chars().map(fold).eq(name.chars().map(fold))
}

/// The entries of a message.
struct McpEntries<'a>(McpMessage<'a>);

impl<'a> Deserialize<'a> for McpEntries<'a> {
    fn deserialize<D: Deserializer<'a>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object;
        impl<'a> Visitor<'a> for Object {
            type Value = McpEntries<'a>;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'a>>(self, mut map: A) -> Result<McpEntries<'a>, A::Error> {
                let mut entries: [(&str, Option<&'a str>); 6] =
                    ["jsonrpc", "id", "method", "params", "result", "error"].map(|name| (name, None));
                while let Some((McpName(key), value)) = map.next_entry::<McpName<'a>, &'a RawValue>()? {
                    for (name, entry) in &mut entries {
                        if resembles(&key, name) {
                            return Err(A::Error::custom(format_args!(
                                "some readers take the key `{}` for `{name}`",
                                key.escape_debug()
                            )));
                        }
                        if key == *name && entry.replace(value.get()).is_some() {
                            return Err(A::Error::custom(format_args!("the key `{name}` is named twice")));
                        }
                    }
                }
                let [_, id, method, params, result, error] = entries.map(|(_, entry)| entry);
                let method = match method.map(serde_json::from_str::<McpName<'a>>) {
                    None => None,
                    Some(Ok(McpName(method))) => Some(method),
                    Some(Err(_)) => return Err(A::Error::custom("the method is no text")),
                };
                let (params, result, error) = (params, result, error);
                Ok(McpEntries(McpMessage { text: "", id, method, params, result, error }))
            }
        }
        deserializer.deserialize_map(Object)
    }
}

fn message(text: &str) -> Result<McpMessage<'_>, Unclear> {
    match serde_json::from_str::<McpEntries<'_>>(text) {
        Ok(McpEntries(message)) => Ok(McpMessage { text: text.trim_ascii(), ..message }),
        Err(error) => Err(Unclear::new(format!("it is no clear JSON-RPC message: {error}"))),
    }
}

/// Reads a line, with or without its end. Linear; values may nest to any depth.
///
/// # Errors
/// A line that different readers could interpret differently.
pub fn read_line(bytes: &[u8]) -> Result<McpLine<'_>, Unclear> {
    if bytes.len() > MESSAGE_LIMIT {
        return Err(Unclear::new(format!("it is longer than {} MiB", MESSAGE_LIMIT >> 20)));
    }
    let text = std::str::from_utf8(bytes).map_err(|_| Unclear::new("it is not UTF-8"))?;
    let text = text.strip_suffix('\n').unwrap_or(text);
    let text = text.strip_suffix('\r').unwrap_or(text);
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.contains(['\n', '\r']) {
        return Err(Unclear::new("it has a carriage return or a line end within"));
    }
    let text = text.trim_ascii();
    if text.is_empty() {
        return Ok(McpLine::Blank);
    }
    if !text.starts_with('[') {
        return message(text).map(McpLine::One);
    }
    let all: Vec<&RawValue> =
        serde_json::from_str(text).map_err(|error| Unclear::new(format!("it is no JSON: {error}")))?;
    all.into_iter().map(|one| message(one.get())).collect::<Result<_, _>>().map(McpLine::Batch)
}

/// The form of an id that is the same for equal ids: `4` also for `4.0`, since many peers answer with the former. None
/// if it is neither a number nor a string.
pub fn id_key(id: &str) -> Option<String> {
    let is_id = id.starts_with(['"', '-']) || id.starts_with(|c: char| c.is_ascii_digit());
    is_id.then(|| canonical(&JsonText::borrowed(id)).ok()).flatten()
}
