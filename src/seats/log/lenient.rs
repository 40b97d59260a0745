//! Parts of log records that are read without building trees and without failing: a field of an unexpected type counts
//! as absent, since the formats of logs change from version to version.

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt::Formatter;
use std::marker::PhantomData;

/// A string; any other value counts as absent.
#[derive(Clone, Debug, Default)]
pub(super) struct LenientText<'a>(pub(super) Option<Cow<'a, str>>);

impl LenientText<'_> {
    pub(super) fn get(&self) -> Option<&str> {
        self.0.as_deref()
    }
    pub(super) fn is(&self, text: &str) -> bool {
        self.get() == Some(text)
    }
}

/// A scalar; names and times may be written as numbers. Arrays and objects count as absent.
#[derive(Clone, Debug, Default)]
pub(super) enum LenientScalar<'a> {
    #[default]
    Absent,
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(Cow<'a, str>),
}

impl LenientScalar<'_> {
    /// A name: a string, or an integer in decimal.
    pub(super) fn name(&self) -> Option<Cow<'_, str>> {
        match self {
            Self::Text(text) => Some(Cow::Borrowed(text)),
            Self::Int(number) => Some(Cow::Owned(number.to_string())),
            _ => None,
        }
    }
    pub(super) fn flag(&self) -> Option<bool> {
        if let Self::Bool(flag) = self { Some(*flag) } else { None }
    }
    pub(super) fn int(&self) -> Option<i64> {
        if let Self::Int(number) = self { Some(*number) } else { None }
    }
}

/// An object; a value of any other type counts as absent.
#[derive(Clone, Debug)]
pub(crate) struct LenientObject<T>(pub(crate) Option<T>);

impl<T> Default for LenientObject<T> {
    fn default() -> Self {
        Self(None)
    }
}

/// An array, if it is one; empty otherwise.
#[derive(Clone, Debug)]
pub(super) struct List<T>(pub(super) Vec<T>);

impl<T> Default for List<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

macro_rules! nothing {
    ($($name:ident $kind:ty),*) => {
        $(fn $name<E>(self, _: $kind) -> Result<Self::Value, E> {
            Ok(Self::Value::default())
        })*
    };
}

macro_rules! absent {
    ($($name:ident),*) => {
        $(fn $name<E>(self) -> Result<Self::Value, E> {
            Ok(Self::Value::default())
        })*
    };
}

fn skip_map<'de, A: MapAccess<'de>>(mut map: A) -> Result<(), A::Error> {
    while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
    Ok(())
}

fn skip_seq<'de, A: SeqAccess<'de>>(mut seq: A) -> Result<(), A::Error> {
    while seq.next_element::<IgnoredAny>()?.is_some() {}
    Ok(())
}

struct TextVisitor;

impl<'de> Visitor<'de> for TextVisitor {
    type Value = LenientText<'de>;
    fn expecting(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        f.write_str("anything")
    }
    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<LenientText<'de>, E> {
        Ok(LenientText(Some(Cow::Borrowed(text))))
    }
    fn visit_str<E>(self, text: &str) -> Result<LenientText<'de>, E> {
        Ok(LenientText(Some(Cow::Owned(text.to_owned()))))
    }
    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<LenientText<'de>, A::Error> {
        skip_map(map).map(|()| LenientText(None))
    }
    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<LenientText<'de>, A::Error> {
        skip_seq(seq).map(|()| LenientText(None))
    }
    nothing!(visit_bool bool, visit_i64 i64, visit_u64 u64, visit_f64 f64);
    absent!(visit_unit, visit_none);
}

impl<'de: 'a, 'a> Deserialize<'de> for LenientText<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TextVisitor)
    }
}

struct ScalarVisitor;

impl<'de> Visitor<'de> for ScalarVisitor {
    type Value = LenientScalar<'de>;
    fn expecting(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        f.write_str("anything")
    }
    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<LenientScalar<'de>, E> {
        Ok(LenientScalar::Text(Cow::Borrowed(text)))
    }
    fn visit_str<E>(self, text: &str) -> Result<LenientScalar<'de>, E> {
        Ok(LenientScalar::Text(Cow::Owned(text.to_owned())))
    }
    fn visit_bool<E>(self, flag: bool) -> Result<LenientScalar<'de>, E> {
        Ok(LenientScalar::Bool(flag))
    }
    fn visit_i64<E>(self, number: i64) -> Result<LenientScalar<'de>, E> {
        Ok(LenientScalar::Int(number))
    }
    fn visit_u64<E>(self, number: u64) -> Result<LenientScalar<'de>, E> {
        Ok(i64::try_from(number).map_or(LenientScalar::Float(number as f64), LenientScalar::Int))
    }
    fn visit_f64<E>(self, number: f64) -> Result<LenientScalar<'de>, E> {
        Ok(LenientScalar::Float(number))
    }
    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<LenientScalar<'de>, A::Error> {
        skip_map(map).map(|()| LenientScalar::Absent)
    }
    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<LenientScalar<'de>, A::Error> {
        skip_seq(seq).map(|()| LenientScalar::Absent)
    }
    absent!(visit_unit, visit_none);
}

impl<'de: 'a, 'a> Deserialize<'de> for LenientScalar<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ScalarVisitor)
    }
}

struct ObjectVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ObjectVisitor<T> {
    type Value = LenientObject<T>;
    fn expecting(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        f.write_str("anything")
    }
    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<LenientObject<T>, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map)).map(|value| LenientObject(Some(value)))
    }
    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<LenientObject<T>, A::Error> {
        skip_seq(seq).map(|()| LenientObject(None))
    }
    nothing!(visit_bool bool, visit_i64 i64, visit_u64 u64, visit_f64 f64, visit_str &str);
    absent!(visit_unit, visit_none);
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for LenientObject<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ObjectVisitor(PhantomData))
    }
}

struct ListVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ListVisitor<T> {
    type Value = List<T>;
    fn expecting(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        f.write_str("anything")
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<List<T>, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element()? {
            items.push(item);
        }
        Ok(List(items))
    }
    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<List<T>, A::Error> {
        skip_map(map).map(|()| List::default())
    }
    nothing!(visit_bool bool, visit_i64 i64, visit_u64 u64, visit_f64 f64, visit_str &str);
    absent!(visit_unit, visit_none);
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for List<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ListVisitor(PhantomData))
    }
}

/// The entries of an object in their order.
#[derive(Clone, Debug)]
pub(super) struct Entries<'a>(pub(super) Vec<(Cow<'a, str>, &'a RawValue)>);

struct EntriesVisitor;

impl<'de> Visitor<'de> for EntriesVisitor {
    type Value = Entries<'de>;
    fn expecting(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        f.write_str("an object")
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Entries<'de>, A::Error> {
        let mut all = Vec::new();
        while let Some((key, value)) = map.next_entry::<LenientText<'de>, &'de RawValue>()? {
            all.push((key.0.unwrap_or_default(), value));
        }
        Ok(Entries(all))
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Entries<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(EntriesVisitor)
    }
}

/// The text of a value of any kind; `null` counts as absent.
pub(super) fn given(raw: Option<&RawValue>) -> Option<&str> {
    raw.map(RawValue::get).filter(|text| *text != "null")
}
