//! Queries on JSON text: the value at a pointer, whether a condition holds, the canonical form. Values that are not
//! queried are skipped without being built. Strings that contain JSON (some hosts send arguments in this way) are
//! treated as strings; [`unpacked`] parses them.
//!
//! If an object has a key twice, the last one counts, as in most readers; [`has_duplicate_keys`] detects this. Skipped
//! values may be nested to any depth; a pointer leads through at most [`POINTER_PARTS`](crate::model::POINTER_PARTS)
//! levels.

use crate::base::{Decimal, Glob, Id};
use crate::json::{Json, JsonId, JsonKind, read_json};
use crate::model::{JsonText, Pointer, Relation, Scalar, ValueComparison, ValueCondition};
use crate::source::SourceId;
use rustc_hash::FxHashSet;
use serde::de::{DeserializeSeed, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// Text that is not JSON, or exceeds a limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadJsonText(pub String);

impl fmt::Display for BadJsonText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not JSON: {}", self.0)
    }
}

impl std::error::Error for BadJsonText {}

impl From<serde_json::Error> for BadJsonText {
    fn from(error: serde_json::Error) -> Self {
        Self(error.to_string())
    }
}

/// Pointers that are looked up together, in one pass over a text.
#[derive(Clone, Debug, Default)]
pub struct Lookup {
    pointers: usize,
    nodes: Vec<PointerPrefix>,
}

/// A node of the trie of pointers: a prefix of some of them.
#[derive(Clone, Debug, Default)]
struct PointerPrefix {
    /// The pointers that end here.
    found: Vec<usize>,
    children: BTreeMap<Box<str>, usize>,
    /// The children that are positions in an array.
    positions: BTreeMap<usize, usize>,
}

impl Lookup {
    /// A lookup of these pointers.
    pub fn new<'p>(pointers: impl IntoIterator<Item = &'p Pointer>) -> Self {
        let mut lookup = Self { pointers: 0, nodes: vec![PointerPrefix::default()] };
        for pointer in pointers {
            let mut at = 0;
            for part in pointer.parts() {
                let next = lookup.nodes.len();
                let child = *lookup.nodes[at].children.entry(part.clone()).or_insert(next);
                if child == next {
                    lookup.nodes.push(PointerPrefix::default());
                    if let Some(position) = Pointer::position(part) {
                        lookup.nodes[at].positions.insert(position, child);
                    }
                }
                at = child;
            }
            lookup.nodes[at].found.push(lookup.pointers);
            lookup.pointers += 1;
        }
        lookup
    }
    /// The value at each JSON pointer (RFC 6901), in the order in which the pointers were given. Linear in the text; the value at a pointer that is a
    /// proper prefix of another pointer is read once more.
    ///
    /// # Errors
    /// Text that is not a JSON value.
    pub fn find<'t>(&self, text: &'t str) -> Result<Vec<Option<JsonSlice<'t>>>, BadJsonText> {
        let mut found = vec![None; self.pointers];
        if self.pointers > 0 {
            let mut reader = serde_json::Deserializer::from_str(text);
            Seek { lookup: self, node: 0, found: &mut found }.deserialize(&mut reader)?;
            reader.end()?;
        }
        Ok(found)
    }
    fn forget(&self, node: usize, found: &mut [Option<JsonSlice<'_>>]) {
        for &pointer in &self.nodes[node].found {
            found[pointer] = None;
        }
        for &child in self.nodes[node].children.values() {
            self.forget(child, found);
        }
    }
}

/// Reads one value, for the pointers below a node.
struct Seek<'a, 't> {
    lookup: &'a Lookup,
    node: usize,
    found: &'a mut [Option<JsonSlice<'t>>],
}

impl<'t> DeserializeSeed<'t> for Seek<'_, 't> {
    type Value = ();
    fn deserialize<D: Deserializer<'t>>(self, deserializer: D) -> Result<(), D::Error> {
        let node = &self.lookup.nodes[self.node];
        // If a key occurs twice, what was found in its first value is dropped.
        self.lookup.forget(self.node, self.found);
        if node.found.is_empty() {
            return deserializer.deserialize_any(self);
        }
        let value = JsonSlice { text: <&RawValue>::deserialize(deserializer)?.get() };
        for &pointer in &node.found {
            self.found[pointer] = Some(value);
        }
        if !node.children.is_empty() && value.text.starts_with(['{', '[']) {
            serde_json::Deserializer::from_str(value.text).deserialize_any(self).map_err(D::Error::custom)?;
        }
        Ok(())
    }
}

impl<'t> Visitor<'t> for Seek<'_, 't> {
    type Value = ();
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }
    fn visit_map<A: MapAccess<'t>>(self, mut map: A) -> Result<(), A::Error> {
        let children = &self.lookup.nodes[self.node].children;
        while let Some(JsonKey(key)) = map.next_key()? {
            match children.get(&*key) {
                Some(&node) => map.next_value_seed(Seek { lookup: self.lookup, node, found: self.found })?,
                None => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(())
    }
    fn visit_seq<A: SeqAccess<'t>>(self, mut seq: A) -> Result<(), A::Error> {
        let positions = &self.lookup.nodes[self.node].positions;
        for position in 0.. {
            let more = match positions.get(&position) {
                Some(&node) => {
                    seq.next_element_seed(Seek { lookup: self.lookup, node, found: self.found })?.is_some()
                }
                None => seq.next_element::<IgnoredAny>()?.is_some(),
            };
            if !more {
                break;
            }
        }
        Ok(())
    }
    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }
    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }
    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }
    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }
    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }
    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }
}

/// A string that borrows where it can.
#[derive(Deserialize)]
struct JsonKey<'t>(#[serde(borrow)] Cow<'t, str>);

/// A JSON value as a slice of the text that contains it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JsonSlice<'t> {
    text: &'t str,
}

impl<'t> JsonSlice<'t> {
    /// A whole text, which is one JSON value.
    pub fn whole(text: &'t str) -> Self {
        Self { text: text.trim_ascii() }
    }
    /// The text of the value.
    pub fn as_str(self) -> &'t str {
        self.text
    }
    /// The characters, if the value is a string.
    pub fn string(self) -> Option<Cow<'t, str>> {
        self.text
            .starts_with('"')
            .then(|| serde_json::from_str(self.text).ok().map(|JsonKey(text)| text))
            .flatten()
    }
    /// The exact number, if the value is one. `None` also for numbers whose exponents exceed 32 bits.
    pub fn number(self) -> Option<Decimal> {
        Decimal::parse(self.text)
    }
    /// The scalar; `None` for arrays, objects and numbers whose exponents exceed 32 bits.
    pub fn scalar(self) -> Option<Scalar> {
        match self.text {
            "null" => Some(Scalar::Null),
            "true" => Some(Scalar::Bool(true)),
            "false" => Some(Scalar::Bool(false)),
            text if text.starts_with('"') => Some(Scalar::Text(self.string()?.into_owned())),
            _ => self.number().map(Scalar::Number),
        }
    }
    /// The values of an array.
    fn elements(self) -> Option<Vec<JsonSlice<'t>>> {
        let array = self.text.starts_with('[');
        let raw: Vec<&RawValue> = array.then(|| serde_json::from_str(self.text).ok()).flatten()?;
        Some(raw.into_iter().map(|value| JsonSlice { text: value.get() }).collect())
    }
    /// The strings of an array of strings, as `["git", "push"]`.
    pub fn strings(self) -> Option<Vec<String>> {
        self.elements()?.into_iter().map(|element| element.string().map(Cow::into_owned)).collect()
    }
    /// The keys of an object.
    fn keys(self) -> Option<BTreeSet<Cow<'t, str>>> {
        let object: Option<ObjectKeys<'t>> =
            self.text.starts_with('{').then(|| serde_json::from_str(self.text).ok()).flatten();
        Some(object?.0)
    }
    fn length(self) -> Option<u64> {
        let length = match self.text.as_bytes().first()? {
            b'"' => self.string()?.chars().count(),
            b'[' => self.elements()?.len(),
            b'{' => self.keys()?.len(),
            _ => return None,
        };
        Some(length as u64)
    }
    fn contains(self, part: &Scalar) -> bool {
        match (self.text.as_bytes().first(), part) {
            (Some(b'"'), Scalar::Text(part)) => {
                self.string().is_some_and(|text| text.contains(part.as_str()))
            }
            (Some(b'{'), Scalar::Text(part)) => self.keys().is_some_and(|keys| keys.contains(part.as_str())),
            (Some(b'['), part) => self
                .elements()
                .is_some_and(|all| all.into_iter().any(|element| element.scalar().as_ref() == Some(part))),
            _ => false,
        }
    }
}

/// The keys of an object without their values.
struct ObjectKeys<'t>(BTreeSet<Cow<'t, str>>);

impl<'t> Deserialize<'t> for ObjectKeys<'t> {
    fn deserialize<D: Deserializer<'t>>(deserializer: D) -> Result<Self, D::Error> {
        struct JsonObject;
        impl<'t> Visitor<'t> for JsonObject {
            type Value = ObjectKeys<'t>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'t>>(self, mut map: A) -> Result<ObjectKeys<'t>, A::Error> {
                let mut keys = BTreeSet::new();
                while let Some((JsonKey(key), IgnoredAny)) = map.next_entry()? {
                    keys.insert(key);
                }
                Ok(ObjectKeys(keys))
            }
        }
        deserializer.deserialize_map(JsonObject)
    }
}

/// The value at a pointer; `None` if there is none.
///
/// # Errors
/// Text that is not a JSON value.
pub fn at<'t>(pointer: &Pointer, text: &'t str) -> Result<Option<JsonSlice<'t>>, BadJsonText> {
    Ok(Lookup::new([pointer]).find(text)?.pop().flatten())
}

/// Whether a comparison holds for the value that was found at a pointer (`None`: there is no value).
pub fn holds(comparison: &ValueComparison, found: Option<JsonSlice<'_>>) -> bool {
    let Some(found) = found else { return *comparison == ValueComparison::Exists(false) };
    let matches = |globs: &[Glob], text: &str| globs.iter().any(|glob| glob.matches(text));
    match comparison {
        ValueComparison::Compare(relation, with) => match (found.scalar(), relation) {
            (Some(value), Relation::Equal) => value == *with,
            (Some(value), Relation::NotEqual) => value != *with,
            // An array, an object, or a number whose exponent is too large differs from every scalar.
            (None, Relation::NotEqual) => true,
            (Some(value), _) => value.order(with).is_some_and(|order| relation.holds(order)),
            (None, _) => false,
        },
        ValueComparison::In(list) => found.scalar().is_some_and(|value| list.contains(&value)),
        ValueComparison::Glob(globs) => found.string().is_some_and(|text| matches(globs, &text)),
        ValueComparison::Regex(regex) => found.string().is_some_and(|text| regex.0.is_match(&text)),
        ValueComparison::Exists(wanted) => *wanted,
        ValueComparison::Contains(part) => found.contains(part),
        ValueComparison::Length(relation, with) => {
            found.length().is_some_and(|length| relation.holds(length.cmp(with)))
        }
    }
}

/// Whether a comparison holds for the value that was found at a pointer; `None` if there is no value, or one of a type
/// that the comparison is not about: a text or a list where a number is compared, `null` where a size is.
pub fn judged(comparison: &ValueComparison, found: Option<JsonSlice<'_>>) -> Option<bool> {
    if matches!(comparison, ValueComparison::Exists(_)) {
        return Some(holds(comparison, found));
    }
    let found = found?;
    let is_comparable = match comparison {
        ValueComparison::Compare(relation, with) => {
            let value = found.scalar()?;
            let is_null = matches!(relation, Relation::Equal | Relation::NotEqual)
                && (value == Scalar::Null || *with == Scalar::Null);
            is_null || std::mem::discriminant(&value) == std::mem::discriminant(with)
        }
        ValueComparison::In(list) => {
            let value = found.scalar()?;
            let is_same = |one: &Scalar| std::mem::discriminant(one) == std::mem::discriminant(&value);
            value == Scalar::Null || list.iter().any(is_same)
        }
        ValueComparison::Glob(_) | ValueComparison::Regex(_) => found.string().is_some(),
        ValueComparison::Contains(_) => matches!(found.text.as_bytes().first(), Some(b'"' | b'{' | b'[')),
        ValueComparison::Length(..) => found.length().is_some(),
        ValueComparison::Exists(_) => true,
    };
    is_comparable.then(|| holds(comparison, Some(found)))
}

/// Whether a pointer leads to a position behind the end of an array of the text, where there is surely no value.
pub fn is_beyond(pointer: &Pointer, text: &str) -> bool {
    let (mut now, parts) = (JsonSlice::whole(text), pointer.parts());
    for (i, part) in parts.iter().enumerate() {
        if let Some(elements) = now.elements() {
            match Pointer::position(part) {
                Some(position) if position >= elements.len() => return true,
                _ => {}
            }
        }
        match at(&pointer.begin(i + 1), text) {
            Ok(Some(found)) => now = found,
            _ => return false,
        }
    }
    false
}

/// Whether all conditions hold for a text.
///
/// # Errors
/// Text that is not a JSON value.
pub fn all_hold(conditions: &[ValueCondition], text: &JsonText<'_>) -> Result<bool, BadJsonText> {
    let found = Lookup::new(conditions.iter().map(|condition| &condition.pointer)).find(text.as_str())?;
    Ok(conditions.iter().zip(found).all(|(condition, found)| holds(&condition.comparison, found)))
}

/// The JSON text inside a JSON string: some hosts send `"{\"command\":\"ls\"}"` as arguments. `None` if `text` is not a
/// string that contains JSON.
pub fn unpacked(text: &JsonText<'_>) -> Option<JsonText<'static>> {
    let inner = JsonSlice::whole(text.as_str()).string()?;
    serde_json::from_str::<IgnoredAny>(&inner).ok()?;
    Some(JsonText(Cow::Owned(inner.into_owned())))
}

/// Whether some object has a key twice, at any depth. Such text is read differently by different programs.
///
/// # Errors
/// Text that is not a JSON value, or nests deeper than 127.
pub fn has_duplicate_keys(text: &JsonText<'_>) -> Result<bool, BadJsonText> {
    Ok(serde_json::from_str::<Duplicates>(text.as_str())?.0)
}

/// Whether a value has a key twice.
struct Duplicates(bool);

impl<'t> Deserialize<'t> for Duplicates {
    fn deserialize<D: Deserializer<'t>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;
        impl<'t> Visitor<'t> for Any {
            type Value = Duplicates;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a JSON value")
            }
            fn visit_map<A: MapAccess<'t>>(self, mut map: A) -> Result<Duplicates, A::Error> {
                let (mut seen, mut twice) = (FxHashSet::default(), false);
                while let Some((JsonKey(key), Duplicates(inside))) = map.next_entry()? {
                    twice |= inside | !seen.insert(key);
                }
                Ok(Duplicates(twice))
            }
            fn visit_seq<A: SeqAccess<'t>>(self, mut seq: A) -> Result<Duplicates, A::Error> {
                let mut twice = false;
                while let Some(Duplicates(inside)) = seq.next_element()? {
                    twice |= inside;
                }
                Ok(Duplicates(twice))
            }
            fn visit_bool<E>(self, _: bool) -> Result<Duplicates, E> {
                Ok(Duplicates(false))
            }
            fn visit_i64<E>(self, _: i64) -> Result<Duplicates, E> {
                Ok(Duplicates(false))
            }
            fn visit_u64<E>(self, _: u64) -> Result<Duplicates, E> {
                Ok(Duplicates(false))
            }
            fn visit_f64<E>(self, _: f64) -> Result<Duplicates, E> {
                Ok(Duplicates(false))
            }
            fn visit_str<E>(self, _: &str) -> Result<Duplicates, E> {
                Ok(Duplicates(false))
            }
            fn visit_unit<E>(self) -> Result<Duplicates, E> {
                Ok(Duplicates(false))
            }
        }
        deserializer.deserialize_any(Any)
    }
}

/// The canonical form, which is the same for equal values: keys in the order of their bytes, no blanks, equal numbers
/// written alike (`4.0` and `4e0` as `4`), strings with the fewest escapes. It is used to hash arguments.
///
/// # Errors
/// Text that is not one JSON value, nests deeper than [`JSON_DEPTH`](crate::json::JSON_DEPTH), or has a key
/// twice, since another reader may take the other value.
pub fn canonical(text: &JsonText<'_>) -> Result<String, BadJsonText> {
    let json =
        read_json(text.as_str(), SourceId::from_index(0)).map_err(|found| BadJsonText(found.message))?;
    let &[root] = &json.roots[..] else { return Err(BadJsonText("not one value".into())) };
    let mut out = String::with_capacity(text.as_str().len());
    write_canonical(&json, root, &mut out);
    Ok(out)
}

/// The recursion depth is bounded by the nesting limit of the reader.
fn write_canonical(json: &Json, value: JsonId, out: &mut String) {
    let quoted = |text: &str| serde_json::Value::from(text).to_string();
    match &json.get(value).kind {
        JsonKind::Null => out.push_str("null"),
        JsonKind::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        JsonKind::Number(number) => match Decimal::parse(number) {
            Some(decimal) => out.push_str(&decimal.to_string()),
            None => out.push_str(number),
        },
        JsonKind::Text(text) => out.push_str(&quoted(text)),
        JsonKind::Array(values) => {
            out.push('[');
            for (i, &value) in values.iter().enumerate() {
                out.push_str(if i > 0 { "," } else { "" });
                write_canonical(json, value, out);
            }
            out.push(']');
        }
        JsonKind::Object(fields) => {
            let sorted: BTreeMap<&str, JsonId> = fields.iter().map(|(key, id)| (&*key.value, *id)).collect();
            out.push('{');
            for (i, (key, value)) in sorted.into_iter().enumerate() {
                out.push_str(if i > 0 { "," } else { "" });
                out.push_str(&quoted(key));
                out.push(':');
                write_canonical(json, value, out);
            }
            out.push('}');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{GlobKind, Random};
    use crate::model::RegexExpression;
    use serde_json::{Value, json};

    fn pointer(text: &str) -> Pointer {
        Pointer::parse(text).expect("a pointer")
    }

    /// Random JSON with few keys, so that pointers hit.
    fn value(random: &mut Random, depth: usize) -> Value {
        let keys = ["a", "b", "0", "x/y", "~"];
        match random.below(if depth == 0 { 4 } else { 7 }) {
            0 => Value::Null,
            1 => Value::Bool(random.chance(0.5)),
            2 => json!(random.below(100)),
            3 => json!(["", "a\"\n", "\u{e4}"][random.below(3)]),
            4 => (0..random.below(4)).map(|_| value(random, depth - 1)).collect(),
            _ => {
                let pairs = (0..random.below(4))
                    .map(|_| (keys[random.below(5)].to_owned(), value(random, depth - 1)));
                Value::Object(pairs.collect())
            }
        }
    }

    #[test]
    fn lookups_find_what_serde_finds() {
        let mut random = Random::new(1);
        let parts = ["a", "b", "0", "1", "x~1y", "~0", "00"];
        let mut found_any = 0;
        for _ in 0..3_000 {
            let value = value(&mut random, 4);
            let text = if random.chance(0.5) { value.to_string() } else { format!(" {value:#}\n") };
            let mut pointer_text = || {
                let chosen: Vec<&str> =
                    (0..random.below(4)).map(|_| parts[random.below(parts.len())]).collect();
                chosen.iter().flat_map(|part| ["/", part]).collect::<String>()
            };
            let texts: Vec<String> = (0..5).map(|_| pointer_text()).collect();
            let pointers: Vec<Pointer> = texts.iter().map(|text| pointer(text)).collect();
            let found = Lookup::new(&pointers).find(&text).expect("it is JSON");
            for (pointer, found) in texts.iter().zip(found) {
                let ours = found.map(|found| serde_json::from_str(found.as_str()).expect("a part is JSON"));
                found_any += usize::from(ours.is_some());
                assert_eq!(ours.as_ref(), value.pointer(pointer), "{pointer} in {text}");
            }
        }
        assert!(found_any > 3_000);
    }

    #[test]
    fn the_last_of_two_equal_keys_counts() {
        let text = r#"{"a":{"b":1,"c":2},"a":{"c":3}}"#;
        let pointers = ["/a/b", "/a/c", "/a", "/a/c/d"].map(pointer);
        let found = Lookup::new(&pointers).find(text).expect("JSON");
        assert_eq!(found.map_text(), [None, Some("3"), Some(r#"{"c":3}"#), None]);
        for (text, twice) in
            [(text, true), (r#"{"a":1,"b":{"a":2}}"#, false), (r#"[{"a":1,"\u0061":2}]"#, true)]
        {
            assert_eq!(has_duplicate_keys(&JsonText::borrowed(text)), Ok(twice), "{text}");
            assert_eq!(canonical(&JsonText::borrowed(text)).is_err(), twice, "{text}");
        }
    }

    trait MapText<'t> {
        fn map_text(&self) -> Vec<Option<&'t str>>;
    }

    impl<'t> MapText<'t> for Vec<Option<JsonSlice<'t>>> {
        fn map_text(&self) -> Vec<Option<&'t str>> {
            self.iter().map(|found| found.map(JsonSlice::as_str)).collect()
        }
    }

    #[test]
    fn comparisons_hold_as_documented() {
        let text = r#"{"n":9007199254740993,"s":"yes, do","b":true,"z":null,"l":[1,"x"],"o":{"k":1},"d":"2026-11-23","q":1e999999999999}"#;
        let number = |text: &str| Scalar::Number(Decimal::parse(text).expect("a number"));
        let string = |text: &str| Scalar::Text(text.into());
        let compare = |relation, with| ValueComparison::Compare(relation, with);
        let regex = |text: &str| {
            ValueComparison::Regex(RegexExpression(regex::Regex::new(text).expect("an expression")))
        };
        let glob =
            |text: &str| ValueComparison::Glob(vec![Glob::new(text, GlobKind::Name).expect("a pattern")]);
        let table = [
            ("/n", compare(Relation::Equal, number("9007199254740993")), true),
            ("/n", compare(Relation::Equal, number("9007199254740992")), false),
            ("/n", compare(Relation::Greater, number("9007199254740992.5")), true),
            ("/n", compare(Relation::Equal, string("9007199254740993")), false),
            ("/n", compare(Relation::NotEqual, string("x")), true),
            ("/n", compare(Relation::Less, string("x")), false),
            ("/none", compare(Relation::NotEqual, number("1")), false),
            ("/none", ValueComparison::Exists(false), true),
            ("/none", ValueComparison::Exists(true), false),
            ("/z", ValueComparison::Exists(false), false),
            ("/z", compare(Relation::Equal, Scalar::Null), true),
            ("/b", compare(Relation::Equal, Scalar::Bool(true)), true),
            ("/b", compare(Relation::AtLeast, Scalar::Bool(false)), false),
            ("/d", compare(Relation::AtLeast, string("2026-11-01")), true),
            ("/q", compare(Relation::Greater, number("0")), false),
            ("/s", regex(r"(?i)\bYES\b"), true),
            ("/n", regex("9"), false),
            ("/s", glob("yes*"), true),
            ("/s", glob("yes"), false),
            ("/s", ValueComparison::Contains(string(", ")), true),
            ("/l", ValueComparison::Contains(number("1.0")), true),
            ("/l", ValueComparison::Contains(string("1")), false),
            ("/o", ValueComparison::Contains(string("k")), true),
            ("/s", ValueComparison::In(vec![number("1"), string("yes, do")]), true),
            ("/l", ValueComparison::In(vec![number("1")]), false),
            ("/s", ValueComparison::Length(Relation::Equal, 7), true),
            ("/l", ValueComparison::Length(Relation::AtMost, 1), false),
            ("/o", ValueComparison::Length(Relation::Less, 2), true),
            ("/b", ValueComparison::Length(Relation::AtLeast, 0), false),
            ("", ValueComparison::Contains(string("n")), true),
        ];
        for (at, comparison, expected) in table {
            let conditions = [ValueCondition { pointer: pointer(at), comparison }];
            assert_eq!(all_hold(&conditions, &JsonText::borrowed(text)), Ok(expected), "{conditions:?}");
        }
    }

    #[test]
    fn equal_values_have_one_canonical_form() {
        let same = [r#"{"b":[1.0,2e1],"a":"ä\/"}"#, " {\n\"a\": \"\\u00e4/\", \"b\": [1, 20] } "];
        for text in same {
            assert_eq!(canonical(&JsonText::borrowed(text)).as_deref(), Ok(r#"{"a":"ä/","b":[1,20]}"#));
        }
        let mut random = Random::new(2);
        for _ in 0..500 {
            let (a, b) = (value(&mut random, 3), value(&mut random, 2));
            let form = |value: &Value| canonical(&JsonText::of(value)).expect("JSON");
            assert_eq!(form(&a) == form(&b), a == b);
            assert_eq!(serde_json::from_str::<Value>(&form(&a)).expect("JSON"), a);
        }
        assert!(canonical(&JsonText::borrowed("1 2")).is_err());
    }

    #[test]
    fn what_is_packed_is_opened_only_when_asked() {
        let text = JsonText::borrowed(r#""{\"command\":\"ls\"}""#);
        assert_eq!(at(&pointer("/command"), text.as_str()), Ok(None));
        let inner = unpacked(&text).expect("JSON in a string");
        assert_eq!(
            at(&pointer("/command"), inner.as_str()).expect("JSON").and_then(JsonSlice::string),
            Some("ls".into())
        );
        assert_eq!(unpacked(&JsonText::borrowed(r#""ls""#)), None);
        assert_eq!(unpacked(&JsonText::borrowed("{}")), None);
    }

    #[test]
    fn hostile_texts_are_errors_or_answers() {
        let deep = "[".repeat(200_000);
        let closed = format!("{deep}{}", "]".repeat(200_000));
        for text in [
            deep.as_str(),
            closed.as_str(),
            "",
            "{",
            r#"{"a":"\ud800"}"#,
            "nul",
            "1 1",
            "\u{0}",
            r#"{"a":1}}"#,
        ] {
            let text = JsonText::borrowed(text);
            let _ = at(&pointer("/0/0/a"), text.as_str());
            let _ = at(&pointer(""), text.as_str());
            let _ = at(&pointer("/a/b"), text.as_str());
            let _ = (canonical(&text), has_duplicate_keys(&text), unpacked(&text));
        }
        assert!(canonical(&JsonText::borrowed(&closed)).is_err());
        // Deeply nested values that are not queried are skipped.
        let text = format!(r#"{{"x":{closed},"a":1}}"#);
        assert_eq!(at(&pointer("/a"), &text).expect("JSON").map(JsonSlice::as_str), Some("1"));
    }
}
