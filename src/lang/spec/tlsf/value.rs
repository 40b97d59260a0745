//! The values of TLSF expressions.

use super::tree::TreeId;
use std::rc::Rc;
use std::sync::Arc;
use tsl_synth_core::logic::AtomId;
use tsl_synth_core::source::Span;

/// The value of an expression.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum TlsfValue {
    Int(i64),
    Formula(TreeId),
    /// The index of a [`Bus`].
    Bus(usize),
    /// The enumeration and the index of the value.
    Variant(usize, usize),
    /// Sorted, without repetition.
    Set(Rc<[TlsfValue]>),
    /// An error was reported.
    Error,
}

impl TlsfValue {
    /// The kind of value, for messages.
    pub(super) fn sort(&self) -> &'static str {
        match self {
            Self::Int(_) => "a number",
            Self::Formula(_) => "a formula",
            Self::Bus(_) => "a bus",
            Self::Variant(..) => "a value of an enumeration",
            Self::Set(_) => "a set",
            Self::Error => "an error",
        }
    }
}

/// Signals under one name.
#[derive(Clone, Debug)]
pub(super) struct Bus {
    pub(super) name: Arc<str>,
    pub(super) atoms: Vec<AtomId>,
    /// The enumeration whose values it holds.
    pub(super) sort: Option<usize>,
}

/// An enumeration.
#[derive(Clone, Debug)]
pub(super) struct Enumeration {
    pub(super) name: Arc<str>,
    pub(super) width: usize,
    /// The codes of each value; a bit that is `None` matches 0 and 1.
    pub(super) values: Vec<(Arc<str>, Vec<Word>)>,
}

/// A code, the bit with index 0 first.
pub(super) type Word = Vec<Option<bool>>;

impl Enumeration {
    /// Whether every code denotes a value. Enumerations with more than `WIDTH` bits are assumed not to be total.
    pub(super) fn is_total(&self) -> bool {
        const WIDTH: usize = 10;
        let matches = |code: usize, word: &[Option<bool>]| {
            word.iter().enumerate().all(|(i, bit)| bit.is_none_or(|bit| bit == (code >> i & 1 == 1)))
        };
        self.width <= WIDTH
            && (0..1usize << self.width)
                .all(|code| self.values.iter().any(|(_, words)| words.iter().any(|w| matches(code, w))))
    }
}

/// The constraint of a signal with an enumeration: its code denotes a value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Valid {
    pub(super) formula: TreeId,
    pub(super) input: bool,
    pub(super) span: Span,
}
