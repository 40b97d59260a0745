//! What was said in a session before a call: by the user, and in results of tools that a policy takes for sources. A table
//! can ask whether a value of a call occurs there, so that recipients, accounts and addresses come from whom they may come.
//!
//! A value occurs in a text if it stands there as a whole. Letters are compared without their case, and any white space is
//! one blank. Before and after it there is an end of the text, white space, or another sign that is no part of a name: not
//! a letter, a digit or `_`, and none of `-.@/+:%#&=~\` with a letter or a digit right behind it. So `mark@x.com` does not
//! occur in `not-mark@x.com` or `mark@x.community`, but in `<mark@x.com>.`. A number occurs where the text has the same
//! number, and no comma between digits. Of a list each element occurs.

use crate::language::Source;
use serde_json::Value;
use std::sync::Arc;
use tsl_synth_core::base::Decimal;
use tsl_synth_core::json_text::JsonSlice;

/// The longest text that is remembered of a session, in bytes; of longer ones what was said last.
const LONGEST: usize = 512 << 10;
/// Values with more elements are not judged.
const ELEMENTS: usize = 1_000;

/// Texts with the numbers of their sources: 0 is the user, the others are those of the policy, from 1 on.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Said {
    texts: Arc<Vec<(usize, String)>>,
}

impl Said {
    /// The texts of a checkpoint.
    pub(super) fn of(texts: Vec<(usize, String)>) -> Self {
        Self { texts: Arc::new(texts) }
    }
    pub(super) fn texts(&self) -> &[(usize, String)] {
        &self.texts
    }
    /// Remembers a text.
    pub(super) fn add(&mut self, source: usize, text: &str) {
        let normal = normal(text);
        if normal.is_empty() || self.texts.iter().any(|(own, known)| *own == source && *known == normal) {
            return;
        }
        let texts = Arc::make_mut(&mut self.texts);
        texts.push((source, normal));
        let mut length: usize = texts.iter().map(|(_, text)| text.len()).sum();
        while length > LONGEST && !texts.is_empty() {
            length -= texts.remove(0).1.len();
        }
    }
    /// Remembers what a result says.
    pub(super) fn result(&mut self, number: usize, source: &Source, result: &str) {
        let whole: Value = serde_json::from_str(result).unwrap_or_else(|_| Value::String(result.to_owned()));
        let mut at = &whole;
        for part in source.pointer.within("result").unwrap_or_default().parts() {
            let next = match at {
                Value::Array(list) => part.parse().ok().and_then(|place: usize| list.get(place)),
                other => other.get(&**part),
            };
            let Some(next) = next else { return };
            at = next;
        }
        let mut open = vec![(at, source.keys.is_empty())];
        while let Some((value, is_meant)) = open.pop() {
            match value {
                Value::String(text) if is_meant => self.add(number, text),
                Value::Number(text) if is_meant => self.add(number, &text.to_string()),
                Value::Array(list) => open.extend(list.iter().map(|one| (one, is_meant))),
                Value::Object(fields) => {
                    let own = |name: &String| is_meant || source.keys.contains(name);
                    open.extend(fields.iter().map(|(name, value)| (value, own(name))));
                }
                _ => {}
            }
        }
    }
    /// Whether a value occurs in a text of one of these sources; `None` if the value is missing or empty, or is not a string, a
    /// number, or a list of strings and numbers.
    pub(super) fn has(&self, sources: &[usize], found: Option<JsonSlice<'_>>) -> Option<bool> {
        let value: Value = serde_json::from_str(found?.as_str()).ok()?;
        let values = match &value {
            Value::Array(list) if list.len() <= ELEMENTS => list.iter().collect(),
            other => vec![other],
        };
        let texts: Vec<&str> = self
            .texts
            .iter()
            .filter(|(source, _)| sources.contains(source))
            .map(|(_, text)| text.as_str())
            .collect();
        let mut all = true;
        for value in values {
            let is_said = match value {
                Value::String(own) => {
                    let own = normal(own);
                    if own.is_empty() {
                        return None;
                    }
                    texts.iter().any(|text| occurs(&own, text))
                }
                Value::Number(number) => {
                    let number = Decimal::parse(&number.to_string())?;
                    texts.iter().any(|text| has_number(&number, text))
                }
                _ => return None,
            };
            all &= is_said;
        }
        Some(all)
    }
}

/// The normal form of a text: lower case, one blank for any white space.
fn normal(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn joins(c: char) -> bool {
    "-.@/+:%#&=~\\".contains(c)
}

/// Whether a name cannot go on across the end of a value; `outside` are the characters next to the value, nearest first.
fn is_end(mut outside: impl Iterator<Item = char>) -> bool {
    match outside.next() {
        Some(c) if is_name(c) => false,
        Some(c) if joins(c) => !outside.next().is_some_and(is_name),
        Some(_) | None => true,
    }
}

/// Whether a value occurs as a whole in a text; both are in normal form.
fn occurs(value: &str, text: &str) -> bool {
    text.match_indices(value)
        .any(|(at, _)| is_end(text[..at].chars().rev()) && is_end(text[at + value.len()..].chars()))
}

/// Whether a text has a number: digits, with a sign and a fraction if it has them.
fn has_number(number: &Decimal, text: &str) -> bool {
    let is_part = |c: char| c.is_ascii_digit() || c == '.';
    let mut at = 0;
    while let Some(start) = text[at..].find(|c: char| c.is_ascii_digit()).map(|found| at + found) {
        let length = text[start..].find(|c| !is_part(c)).unwrap_or(text.len() - start);
        let digits = text[start..start + length].trim_end_matches('.');
        at = start + length.max(1);
        let before = &text[..start];
        let is_negative = before.ends_with('-') && is_end(before[..before.len() - 1].chars().rev());
        let (before, sign) = if is_negative { (&before[..before.len() - 1], "-") } else { (before, "") };
        let after = &text[start + digits.len()..];
        // `1,000` and `1,5` are different numbers in different countries.
        let has_comma = |mut side: Box<dyn Iterator<Item = char> + '_>| {
            side.next() == Some(',') && side.next().is_some_and(|c| c.is_ascii_digit())
        };
        let is_whole = !before.ends_with(|c: char| is_name(c) || joins(c))
            && is_end(after.chars())
            && !has_comma(Box::new(after.chars()))
            && !has_comma(Box::new(before.chars().rev()));
        if is_whole && Decimal::parse(&format!("{sign}{digits}")).as_ref() == Some(number) {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str, value: &str) -> Option<bool> {
        let mut said = Said::default();
        said.add(0, text);
        let value = JsonSlice::whole(value);
        said.has(&[0], Some(value))
    }

    #[test]
    fn values_occur_as_wholes() {
        let text = "Pay Anna Berg (anna@x.com),  GB29NWBK60161331926819 or US12-34.\nSee www.shop.com/a?b=1 and \
                    https://api.shop.org. Refund 10.00 of 1,5 or -3 to \"Bob\"; Straße 7. File a_b.txt.";
        for value in [
            r#""anna@x.com""#,
            r#""ANNA@X.COM""#,
            r#""anna berg""#,
            r#""Anna\n Berg""#,
            r#""GB29NWBK60161331926819""#,
            r#""us12-34""#,
            r#""www.shop.com/a?b=1""#,
            r#""https://api.shop.org""#,
            r#""api.shop.org""#,
            r#""Bob""#,
            r#""STRASSE 7""#,
            r#""a_b.txt""#,
            r#"["Bob", "anna@x.com"]"#,
            "[]",
            "10",
            "10.0",
            "-3",
            "7",
        ] {
            let expected = Some(value != r#""STRASSE 7""#);
            assert_eq!(said(text, value), expected, "{value}");
        }
        for value in [
            r#""nna@x.com""#,
            r#""anna@x.co""#,
            r#""x.com""#,
            r#""anna""#.replace("anna", "ann").as_str(),
            r#""GB29NWBK6016133192681""#,
            r#""12-34""#,
            r#""www.shop.com""#,
            r#""shop.org""#,
            r#""berg anna""#,
            r#""a_b""#,
            r#"["Bob", "eve@x.com"]"#,
            "1",
            "3",
            "5",
            "10.5",
            "29",
            "12",
        ] {
            assert_eq!(said(text, value), Some(false), "{value}");
        }
        for value in ["null", "{}", "true", r#""""#, r#"" ""#, r#"["Bob", null]"#, r#"["Bob", [1]]"#] {
            assert_eq!(said(text, value), None, "{value}");
        }
        assert_eq!(Said::default().has(&[0], None), None);
    }

    #[test]
    fn results_say_what_stands_under_their_keys() {
        use tsl_synth_core::model::Pointer;
        let of = |pointer: &str, keys: &[&str], result: &str| {
            let mut said = Said::default();
            let source = Source {
                name: "s".into(),
                tools: Vec::new(),
                servers: Vec::new(),
                pointer: Pointer::parse(pointer).expect("a pointer"),
                keys: keys.iter().map(|key| (*key).to_owned()).collect(),
            };
            said.result(1, &source, result);
            let mut texts: Vec<String> = said.texts().iter().map(|(_, text)| text.clone()).collect();
            texts.sort();
            texts
        };
        let events = r#"[{"title": "a", "participants": ["x@y.z", "u@v.w"]}, {"description": "evil@e.e", "inner": {"participants": "p@q.r"}}]"#;
        assert_eq!(of("/result", &["participants"], events), ["p@q.r", "u@v.w", "x@y.z"]);
        assert_eq!(of("/result/0", &[], events), ["a", "u@v.w", "x@y.z"]);
        assert_eq!(of("/result/7", &[], events), [""; 0]);
        assert_eq!(of("/result", &[], "no JSON"), ["no json"]);
        assert_eq!(of("/result", &["email"], "email: evil@e.e"), [""; 0]);
        assert_eq!(of("/result", &[], "[1, null, true]"), ["1"]);
    }

    #[test]
    fn long_sessions_forget_what_was_said_first() {
        let mut said = Said::default();
        for i in 0..20 {
            said.add(0, &format!("{i} {}", "x".repeat(LONGEST / 10)));
        }
        assert!(said.texts().len() < 11);
        assert_eq!(said.has(&[0], Some(JsonSlice::whole("0"))), Some(false));
        assert_eq!(said.has(&[0], Some(JsonSlice::whole("19"))), Some(true));
        said.add(0, &"y".repeat(LONGEST + 1));
        assert_eq!(said.has(&[0], Some(JsonSlice::whole("19"))), Some(false));
    }
}
