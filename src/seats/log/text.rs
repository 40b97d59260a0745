//! Text of logs: byte-order marks, values that JSON does not have, text inside of text, times.

use super::lenient::LenientText;
use serde::de::IgnoredAny;
use std::borrow::Cow;
use tsl_synth_core::base::calendar::days;
use tsl_synth_core::model::JsonText;

/// A line without byte-order mark, line end and white space around it.
pub(super) fn trimmed(line: &str) -> &str {
    line.trim_start_matches('\u{feff}').trim()
}

/// Whether a text is one JSON value.
pub(super) fn is_json(text: &str) -> bool {
    serde_json::from_str::<IgnoredAny>(text).is_ok()
}

/// The text as a JSON string.
pub(super) fn quoted(text: &str) -> JsonText<'static> {
    JsonText(Cow::Owned(serde_json::Value::from(text).to_string()))
}

/// The string, if a raw JSON value is one.
pub(super) fn unquoted(raw: &str) -> Option<Cow<'_, str>> {
    serde_json::from_str::<LenientText<'_>>(raw).ok()?.0
}

/// The raw JSON value, or the object or array inside if it is a string that contains one: tools often return JSON to a
/// model as text.
pub(super) fn meant(raw: &str) -> JsonText<'_> {
    let inner = raw.strip_prefix('"').map(str::trim_start);
    if inner.is_some_and(|inner| inner.starts_with(['{', '[']) || inner.starts_with('\\'))
        && let Some(text) = unquoted(raw)
    {
        return meant_text(&text).unwrap_or(JsonText::borrowed(raw));
    }
    JsonText::borrowed(raw)
}

/// The object or array, if the whole text is one.
pub(super) fn meant_text(text: &str) -> Option<JsonText<'static>> {
    let text = text.trim();
    let whole =
        (text.starts_with('{') && text.ends_with('}')) || (text.starts_with('[') && text.ends_with(']'));
    (whole && is_json(text)).then(|| JsonText(Cow::Owned(text.to_owned())))
}

/// The arguments of a call: the raw value itself, or the JSON inside if it is a string. The flag is set if the string
/// does not contain JSON; the arguments are then the string.
pub(super) fn arguments(raw: &str) -> (JsonText<'_>, bool) {
    if !raw.starts_with('"') {
        return (JsonText::borrowed(raw), false);
    }
    let Some(text) = unquoted(raw) else {
        return (JsonText::borrowed(raw), true);
    };
    let inner = text.trim();
    if inner.is_empty() {
        return (JsonText::borrowed("{}"), false);
    }
    if is_json(inner) {
        return match text {
            Cow::Borrowed(text) => (JsonText::borrowed(text.trim()), false),
            Cow::Owned(text) => (JsonText(Cow::Owned(text.trim().to_owned())), false),
        };
    }
    (JsonText::borrowed(raw), true)
}

/// The text with `null` for the tokens `NaN`, `Infinity` and `-Infinity`, which Python writes and JSON does not have.
pub(super) fn without_nan(text: &str) -> Cow<'_, str> {
    if !text.contains("NaN") && !text.contains("Infinity") {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let (mut kept, mut at, mut inside) = (0, 0, false);
    let bytes = text.as_bytes();
    while at < bytes.len() {
        match bytes[at] {
            b'\\' if inside => at += 1,
            b'"' => inside = !inside,
            b'N' | b'I' | b'-' if !inside => {
                let word = ["NaN", "-Infinity", "Infinity"]
                    .into_iter()
                    .find(|word| bytes[at..].starts_with(word.as_bytes()));
                if let Some(word) = word {
                    out.push_str(&text[kept..at]);
                    out.push_str("null");
                    at += word.len();
                    kept = at;
                    continue;
                }
            }
            _ => {}
        }
        at += 1;
    }
    out.push_str(&text[kept..]);
    Cow::Owned(out)
}

/// The JSON text of an object, which is the raw value or is contained in it as a string.
pub(super) fn held_object(raw: &str) -> Option<String> {
    let (value, broken) = arguments(raw);
    (!broken && value.as_str().starts_with('{')).then(|| value.as_str().to_owned())
}

/// Milliseconds since 1970 of `2026-11-23T01:02:03.456Z`, also with an offset, a blank for the `T`, or no zone (then
/// UTC).
pub fn time(text: &str) -> Option<i64> {
    micros(text).map(|micros| micros.div_euclid(1000))
}

/// Like [`time`], in microseconds.
pub(super) fn micros(text: &str) -> Option<i64> {
    let bytes = text.as_bytes();
    let digits = |from: usize, to: usize| -> Option<i64> {
        bytes
            .get(from..to)?
            .iter()
            .try_fold(0i64, |sum, b| b.is_ascii_digit().then(|| sum * 10 + i64::from(b - b'0')))
    };
    let is = |at: usize, allowed: &[u8]| bytes.get(at).is_some_and(|b| allowed.contains(b));
    let separated = is(4, b"-") && is(7, b"-") && is(10, b"Tt ") && is(13, b":") && is(16, b":");
    if !separated {
        return None;
    }
    let (year, month, day) = (digits(0, 4)?, digits(5, 7)?, digits(8, 10)?);
    let (hour, minute, second) = (digits(11, 13)?, digits(14, 16)?, digits(17, 19)?);
    let plausible =
        (1..=12).contains(&month) && (1..=31).contains(&day) && hour < 24 && minute < 60 && second <= 60;
    if !plausible {
        return None;
    }
    let mut at = 19;
    let mut micros = 0;
    if is(at, b".,") {
        let from = at + 1;
        at = from + bytes[from..].iter().take_while(|b| b.is_ascii_digit()).count();
        let last = at.min(from + 6);
        micros = digits(from, last)? * 10i64.pow(6 - (last - from) as u32);
    }
    let offset = match bytes.get(at) {
        None => 0,
        Some(b'Z' | b'z') if at + 1 == bytes.len() => 0,
        Some(sign @ (b'+' | b'-')) => {
            let colon = usize::from(is(at + 3, b":"));
            let minutes = digits(at + 1, at + 3)? * 60 + digits(at + 3 + colon, at + 5 + colon)?;
            if *sign == b'-' { -minutes } else { minutes }
        }
        Some(_) => return None,
    };
    Some((((days(year, month, day) * 24 + hour) * 60 + minute - offset) * 60 + second) * 1_000_000 + micros)
}

#[cfg(test)]
mod tests {
    use super::{arguments, meant, time, without_nan};

    #[test]
    fn times_are_those_of_the_calendar() {
        assert_eq!(time("1970-01-01T00:00:00Z"), Some(0));
        assert_eq!(time("2000-03-01T00:00:00.5Z"), Some(951_868_800_500));
        assert_eq!(time("2026-11-23T01:57:49.123456Z"), Some(1_795_399_069_123));
        assert_eq!(time("2026-11-23T03:57:49.123+02:00"), Some(1_795_399_069_123));
        assert_eq!(time("2026-11-22T20:57:49.123-0500"), Some(1_795_399_069_123));
        assert_eq!(time("2026-11-23 01:57:49.123"), Some(1_795_399_069_123));
        for wrong in [
            "",
            "2026",
            "2026-13-01T00:00:00Z",
            "2026-11-23T01:57:49Zx",
            "2026-11-23T01:57:49+2",
            "é026-11-23T01:57:49",
        ] {
            assert_eq!(time(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn tokens_of_python_are_null_but_not_inside_of_strings() {
        let text = r#"{"a":NaN,"b":[-Infinity,Infinity,-1],"c":"NaN \" Infinity"}"#;
        assert_eq!(without_nan(text), r#"{"a":null,"b":[null,null,-1],"c":"NaN \" Infinity"}"#);
    }

    #[test]
    fn text_that_is_json_is_read() {
        assert_eq!(meant(r#""{\"a\":1}""#).as_str(), r#"{"a":1}"#);
        assert_eq!(meant(r#""{a""#).as_str(), r#""{a""#);
        assert_eq!(meant(r#""\\ no""#).as_str(), r#""\\ no""#);
        assert_eq!(
            arguments(r#""{\"a\":1}""#),
            (tsl_synth_core::model::JsonText::borrowed(r#"{"a":1}"#), false)
        );
        assert_eq!(arguments(r#""{\"a\":""#).0.as_str(), r#""{\"a\":""#);
        assert!(arguments(r#""{\"a\":""#).1);
        assert_eq!(arguments("\"\"").0.as_str(), "{}");
    }
}
