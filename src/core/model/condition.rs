//! Conditions on JSON values, as `where` tables of policies write them.

use crate::base::{Decimal, Glob};
use regex::Regex;
use std::cmp::Ordering;

/// Pointers with more parts are refused.
pub const POINTER_PARTS: usize = 64;

/// A JSON pointer (RFC 6901): keys of objects and positions in arrays, from the outside in. The empty pointer is the whole
/// value.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Pointer(Vec<Box<str>>);

impl Pointer {
    /// Reads `/arguments/path`, where `~1` is a `/` in a key and `~0` a `~`.
    ///
    /// # Errors
    /// What is wrong, in a few words.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        if text.is_empty() {
            return Ok(Self::default());
        }
        let Some(rest) = text.strip_prefix('/') else { return Err("a pointer begins with `/`") };
        if rest.split('/').count() > POINTER_PARTS {
            return Err("the pointer has too many parts");
        }
        let unescaped = |part: &str| {
            let good = part.split('~').skip(1).all(|after| after.starts_with(['0', '1']));
            good.then(|| part.replace("~1", "/").replace("~0", "~").into_boxed_str())
        };
        let parts: Option<_> = rest.split('/').map(unescaped).collect();
        parts.map(Self).ok_or("`~` is written `~0` in a pointer, and `/` in a key `~1`")
    }
    /// Its parts, unescaped.
    pub fn parts(&self) -> &[Box<str>] {
        &self.0
    }
    /// The pointer without its first part, if that is `part`: for `arguments`, `/arguments/path` becomes `/path`.
    pub fn within(&self, part: &str) -> Option<Self> {
        (**self.0.first()? == *part).then(|| Self(self.0[1..].to_vec()))
    }
    /// The pointer of its first parts.
    #[must_use]
    pub fn begin(&self, parts: usize) -> Self {
        Self(self.0[..parts.min(self.0.len())].to_vec())
    }
    /// A part as a position in an array: digits without a leading zero.
    pub fn position(part: &str) -> Option<usize> {
        let canonical = part == "0" || (!part.starts_with('0') && part.bytes().all(|b| b.is_ascii_digit()));
        canonical.then(|| part.parse().ok()).flatten()
    }
}

/// As it is written.
impl std::fmt::Display for Pointer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|part| write!(f, "/{}", part.replace('~', "~0").replace('/', "~1")))
    }
}

/// A value that is neither array nor object.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scalar {
    /// `null`
    Null,
    /// `true`, `false`
    Bool(bool),
    /// A number.
    Number(Decimal),
    /// A string.
    Text(String),
}

impl Scalar {
    /// The order of two numbers or of two strings (by code points, so that dates as ISO 8601 writes them are in order);
    /// other pairs have none.
    pub fn order(&self, other: &Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Number(a), Self::Number(b)) => Some(a.cmp(b)),
            (Self::Text(a), Self::Text(b)) => Some(a.cmp(b)),
            _ => None,
        }
    }
}

/// A comparison of two ordered values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Relation {
    /// `=`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    Greater,
    /// `>=`
    AtLeast,
}

impl Relation {
    /// All, as they are written.
    pub const ALL: [(Self, &'static str); 6] = [
        (Self::Equal, "="),
        (Self::NotEqual, "!="),
        (Self::Less, "<"),
        (Self::AtMost, "<="),
        (Self::Greater, ">"),
        (Self::AtLeast, ">="),
    ];
    /// Whether it holds between two values with this order.
    pub fn holds(self, order: Ordering) -> bool {
        match self {
            Self::Equal => order.is_eq(),
            Self::NotEqual => order.is_ne(),
            Self::Less => order.is_lt(),
            Self::AtMost => order.is_le(),
            Self::Greater => order.is_gt(),
            Self::AtLeast => order.is_ge(),
        }
    }
}

/// A regular expression, compared by its text.
#[derive(Clone, Debug)]
pub struct RegexExpression(pub Regex);

impl PartialEq for RegexExpression {
    fn eq(&self, other: &Self) -> bool {
        self.0.as_str() == other.0.as_str()
    }
}

impl Eq for RegexExpression {}

/// A condition on the value that a pointer refers to. If it refers to nothing, only `exists = false` holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ValueComparison {
    /// `"=" = 3`, `">" = 0`: with numbers (exactly), strings, and truth values and `null` for `=` and `!=`. Values of
    /// different types are different and have no order; arrays and objects are different from every scalar.
    Compare(Relation, Scalar),
    /// `in = ["a", "b"]`: equal to one of these.
    In(Vec<Scalar>),
    /// `glob = "src/**"` or a list: a string of which the whole matches one of these.
    Glob(Vec<Glob>),
    /// `regex = '\byes\b'`: a string of which a part matches.
    Regex(RegexExpression),
    /// `exists = true`, `exists = false`. A value that is `null` exists.
    Exists(bool),
    /// `contains = "x"`: a string with this part, an array with an equal element, an object with this key.
    Contains(Scalar),
    /// `length = { "<" = 10 }`: characters of a string, elements of an array, keys of an object.
    Length(Relation, u64),
}

/// One line of a `where` list. All lines of a list have to hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueCondition {
    /// The value.
    pub pointer: Pointer,
    /// The condition on the value.
    pub comparison: ValueComparison,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pointers_are_read_as_the_rfc_says() {
        let parts = |text: &str| {
            Pointer::parse(text).map(|p| p.parts().iter().map(ToString::to_string).collect::<Vec<_>>())
        };
        assert_eq!(parts(""), Ok(vec![]));
        assert_eq!(parts("/"), Ok(vec![String::new()]));
        assert_eq!(parts("/a~1b/~01/0"), Ok(vec!["a/b".into(), "~1".into(), "0".into()]));
        for wrong in ["a", "/~", "/~2"] {
            assert!(parts(wrong).is_err(), "{wrong}");
        }
        for text in ["", "/", "/a~1b/~01/0"] {
            assert_eq!(Pointer::parse(text).expect("a pointer").to_string(), text);
        }
        assert_eq!(
            Pointer::parse("/arguments/a").expect("a pointer").within("arguments"),
            Pointer::parse("/a").ok()
        );
        assert_eq!(
            ["0", "12", "01", "", "-", "+1"].map(Pointer::position),
            [Some(0), Some(12), None, None, None, None]
        );
        assert!(Pointer::parse(&"/a".repeat(POINTER_PARTS + 1)).is_err());
    }
}
