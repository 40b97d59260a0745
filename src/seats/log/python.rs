//! Literals of Python, as `repr` writes them: dicts, lists, tuples, strings, numbers, `True`, `False` and `None`.

use super::text::quoted;
use std::borrow::Cow;
use tsl_synth_core::model::JsonText;

/// The depth to which literals are read.
const DEPTH: usize = 64;

/// The JSON object that a dict of Python means; `None` if the text is not a literal dict whose keys are strings.
pub(super) fn dict(text: &str) -> Option<JsonText<'static>> {
    let mut reader = LiteralReader { rest: text.trim() };
    if !reader.rest.starts_with('{') {
        return None;
    }
    let value = reader.value(0)?;
    reader.rest.is_empty().then_some(JsonText(Cow::Owned(value)))
}

struct LiteralReader<'a> {
    rest: &'a str,
}

impl LiteralReader<'_> {
    fn skip(&mut self) {
        self.rest = self.rest.trim_start();
    }
    fn takes(&mut self, token: &str) -> bool {
        let Some(rest) = self.rest.strip_prefix(token) else { return false };
        self.rest = rest;
        self.skip();
        true
    }
    fn value(&mut self, depth: usize) -> Option<String> {
        if depth > DEPTH {
            return None;
        }
        match self.rest.chars().next()? {
            '{' => self.items(("{", "}"), ("{", "}"), depth),
            '[' => self.items(("[", "]"), ("[", "]"), depth),
            '(' => self.items(("(", ")"), ("[", "]"), depth),
            '\'' | '"' => Some(quoted(&self.string()?).as_str().to_owned()),
            '-' | '0'..='9' => self.number(),
            _ => {
                let words = [("True", "true"), ("False", "false"), ("None", "null")];
                let (_, json) = words.into_iter().find(|(word, _)| self.takes(word))?;
                let is_whole = !self.rest.starts_with(|c: char| c.is_alphanumeric() || "_(".contains(c));
                is_whole.then(|| json.to_owned())
            }
        }
    }
    /// The items between brackets; those of a dict are pairs.
    fn items(
        &mut self,
        (open, close): (&str, &str),
        (begin, end): (&str, &str),
        depth: usize,
    ) -> Option<String> {
        self.takes(open);
        let mut all: Vec<String> = Vec::new();
        while !self.takes(close) {
            let item = if open == "{" {
                let key = quoted(&self.string()?);
                if !self.takes(":") {
                    return None;
                }
                [key.as_str(), ":", &self.value(depth + 1)?].concat()
            } else {
                self.value(depth + 1)?
            };
            all.push(item);
            if !self.takes(",") && !self.rest.starts_with(close) {
                return None;
            }
        }
        Some([begin, &all.join(","), end].concat())
    }
    fn number(&mut self) -> Option<String> {
        let end = self.rest.find(|c: char| !(c.is_ascii_alphanumeric() || "+-.".contains(c)));
        let (text, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest;
        self.skip();
        // What JSON reads is written as Python writes it.
        serde_json::from_str::<serde_json::Number>(text).ok().map(|_| text.to_owned())
    }
    fn string(&mut self) -> Option<String> {
        let quote = self.rest.chars().next().filter(|quote| matches!(quote, '\'' | '"'))?;
        let mut out = String::new();
        let mut chars = self.rest[1..].char_indices();
        while let Some((at, c)) = chars.next() {
            match c {
                _ if c == quote => {
                    self.rest = &self.rest[1 + at + 1..];
                    self.skip();
                    return Some(out);
                }
                '\\' => {
                    let (_, escaped) = chars.next()?;
                    let mut code = |digits: usize| -> Option<char> {
                        let digits: Option<String> =
                            (0..digits).map(|_| chars.next().map(|(_, digit)| digit)).collect();
                        char::from_u32(u32::from_str_radix(&digits?, 16).ok()?)
                    };
                    out.push(match escaped {
                        'n' => '\n',
                        'r' => '\r',
                        't' => '\t',
                        '\\' | '\'' | '"' => escaped,
                        'x' => code(2)?,
                        'u' => code(4)?,
                        'U' => code(8)?,
                        _ => return None,
                    });
                }
                '\n' => return None,
                _ => out.push(c),
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::dict;

    #[test]
    fn dicts_are_read() {
        for (python, json) in [
            ("{'order_id': 'A'}", r#"{"order_id":"A"}"#),
            ("{}", "{}"),
            (r#"{'a': "it's", "b": 'say "x"'}"#, r#"{"a":"it's","b":"say \"x\""}"#),
            (
                "{'n': -1.5e-07, 'm': 12, 'ok': True, 'no': False, 'none': None}",
                r#"{"n":-1.5e-07,"m":12,"ok":true,"no":false,"none":null}"#,
            ),
            (r"{'l': [1, (2,), []], 'd': {'x': {}}}", r#"{"l":[1,[2],[]],"d":{"x":{}}}"#),
            (r"{'s': 'a\\b\n\x41\u00e9\U0001f600é'}", r#"{"s":"a\\b\nAé😀é"}"#),
        ] {
            let read = dict(python).unwrap_or_else(|| panic!("{python}"));
            assert_eq!(read.as_str(), json, "{python}");
            assert!(serde_json::from_str::<serde_json::Value>(read.as_str()).is_ok(), "{python}");
        }
    }

    #[test]
    fn what_is_no_literal_dict_is_not_read() {
        let deep = format!("{{'a': {}{}}}", "[".repeat(100_000), "]".repeat(100_000));
        for text in [
            "",
            "{",
            "{'a'}",
            "{'a': }",
            "{'a': 1",
            "{'a': b}",
            "{'a': Truey}",
            "{'a': datetime.date(2026, 1, 1)}",
            "{1: 2}",
            "[1]",
            "'a'",
            "{'a': 1} x",
            "{'a': 1 2}",
            "{'a': 'b",
            "{'a': '\\q'}",
            "{'a': nan}",
            "{'a': 0x1}",
            "{'a': set()}",
            "{'a': '\\ud800'}",
            "{'a' 'b': 1}",
            "{'a': 1j}",
            &deep,
        ] {
            assert!(dict(text).is_none(), "{text:.60}");
        }
    }
}
