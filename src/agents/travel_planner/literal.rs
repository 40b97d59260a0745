//! Readers of CSV and of Python literals, which the columns of TravelPlanner's tables contain.

use serde_json::{Map, Number, Value};

/// The deepest nesting of a literal.
const MAX_DEPTH: usize = 64;

/// The value of a literal of Python (a dictionary, list, tuple, text, number, `None`, `True` or `False`) or of JSON.
/// `None` if the text is neither.
pub(crate) fn literal(text: &str) -> Option<Value> {
    if let Ok(value) = serde_json::from_str(text) {
        return Some(value);
    }
    let mut reader = Reader { rest: text };
    let value = reader.value(0)?;
    reader.blanks();
    reader.rest.is_empty().then_some(value)
}

struct Reader<'t> {
    rest: &'t str,
}

impl Reader<'_> {
    fn blanks(&mut self) {
        self.rest = self.rest.trim_start();
    }
    fn take(&mut self, begin: &str) -> bool {
        self.blanks();
        match self.rest.strip_prefix(begin) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }
    fn value(&mut self, depth: usize) -> Option<Value> {
        self.blanks();
        if depth > MAX_DEPTH {
            return None;
        }
        match self.rest.chars().next()? {
            '{' => {
                self.take("{");
                let mut members = Map::new();
                while !self.take("}") {
                    let Value::String(key) = self.value(depth + 1)? else { return None };
                    if !self.take(":") {
                        return None;
                    }
                    members.insert(key, self.value(depth + 1)?);
                    if !self.take(",") {
                        return self.take("}").then_some(Value::Object(members));
                    }
                }
                Some(Value::Object(members))
            }
            open @ ('[' | '(') => {
                let close = if open == '[' { "]" } else { ")" };
                self.rest = &self.rest[1..];
                let mut items = Vec::new();
                while !self.take(close) {
                    items.push(self.value(depth + 1)?);
                    if !self.take(",") {
                        return self.take(close).then_some(Value::Array(items));
                    }
                }
                Some(Value::Array(items))
            }
            quote @ ('\'' | '"') => self.text(quote).map(Value::String),
            _ => {
                let end = self.rest.find(|c: char| ",]}): \n\t\r".contains(c)).unwrap_or(self.rest.len());
                let (word, rest) = self.rest.split_at(end);
                self.rest = rest;
                Some(match word {
                    "None" | "nan" | "null" => Value::Null,
                    "True" | "true" => Value::Bool(true),
                    "False" | "false" => Value::Bool(false),
                    number => Value::Number(match number.parse::<i64>() {
                        Ok(integer) => integer.into(),
                        Err(_) => Number::from_f64(number.parse().ok()?)?,
                    }),
                })
            }
        }
    }
    fn text(&mut self, quote: char) -> Option<String> {
        let mut text = String::new();
        let mut chars = self.rest.char_indices().skip(1);
        while let Some((at, c)) = chars.next() {
            match c {
                '\\' => text.push(match chars.next()?.1 {
                    'n' => '\n',
                    't' => '\t',
                    'r' => '\r',
                    'x' => hexadecimal(&mut chars, 2)?,
                    'u' => hexadecimal(&mut chars, 4)?,
                    other => other,
                }),
                c if c == quote => {
                    self.rest = &self.rest[at + c.len_utf8()..];
                    return Some(text);
                }
                c => text.push(c),
            }
        }
        None
    }
}

fn hexadecimal(chars: &mut dyn Iterator<Item = (usize, char)>, digits: usize) -> Option<char> {
    let mut code = 0;
    for _ in 0..digits {
        code = code * 16 + chars.next()?.1.to_digit(16)?;
    }
    char::from_u32(code)
}

/// The rows of a CSV text (RFC 4180), each as an object with the names of the first row. `None` if a quote is never
/// closed or a row has too many fields.
pub(crate) fn csv(text: &str) -> Option<Vec<Value>> {
    // A quote that is never closed would be read to the end of the text.
    if text.matches('"').count() % 2 == 1 {
        return None;
    }
    let text = text.trim_start_matches('\u{feff}');
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(text.as_bytes());
    let names = reader.headers().ok()?.clone();
    if names.is_empty() {
        return None;
    }
    let object = |row: Result<csv::StringRecord, csv::Error>| {
        let row = row.ok()?;
        let fields = names.iter().map(str::to_owned).zip(row.iter().map(|field| Value::String(field.into())));
        (row.len() <= names.len()).then(|| Value::Object(fields.collect()))
    };
    reader.records().map(object).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn literals_of_python_and_json_are_read() {
        let text =
            "{'house rule': None, 'cuisine': ['Thai', \"Chef's\"], 'n': (1, 2.5), 'x': 'a\\'b\\u00e9'}";
        let expected = json!({"house rule": null, "cuisine": ["Thai", "Chef's"], "n": [1, 2.5], "x": "a'bé"});
        assert_eq!(literal(text), Some(expected));
        assert_eq!(literal("[]"), Some(json!([])));
        assert_eq!(literal("{\"a\": null}"), Some(json!({"a": null})));
        for wrong in ["{'a': }", "['a'", "{'a' 1}", "[1] 2", "", "'a", "{1: 2}"] {
            assert_eq!(literal(wrong), None, "{wrong}");
        }
        assert_eq!(literal(&"[".repeat(100_000)), None);
    }

    #[test]
    fn tables_are_read() {
        let rows = csv("org,text\nA,\"one, \"\"two\"\"\nthree\"\r\nB,\n").expect("a table");
        assert_eq!(
            rows,
            [json!({"org": "A", "text": "one, \"two\"\nthree"}), json!({"org": "B", "text": ""})]
        );
        assert_eq!(csv("a,b\n\"1,2\n"), None);
        assert_eq!(csv("a\n1,2\n"), None);
    }
}
