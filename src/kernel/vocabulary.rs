//! The terms of a specification as plain data: signals, terms over them, and what the atoms say about them.

use tsl_synth_core::base::{IdVec, Rational};
use tsl_synth_core::define_id;
use tsl_synth_core::logic::AtomId;

define_id! {
    /// An input or cell of a [`Vocabulary`].
    pub struct SignalId;
    /// A term of a [`Vocabulary`].
    pub struct DataId;
}

/// The meaning of the atoms of an alphabet in terms of values.
#[derive(Clone, Debug, Default)]
pub struct Vocabulary {
    /// Inputs and cells.
    pub signals: IdVec<SignalId, Signal>,
    /// Terms; arguments have smaller ids.
    pub terms: IdVec<DataId, DataTerm>,
    /// The meaning of each atom.
    pub atoms: IdVec<AtomId, DataAtom>,
}

/// An input or a cell.
#[derive(Clone, Debug, Default)]
pub struct Signal {
    /// Whether it keeps its value until an update; an input has a new value in every step.
    pub is_cell: bool,
    /// The declared value in the first step, if there is one.
    pub initial: Option<DataId>,
    /// All values of a finite sort whose values are compared.
    pub values: Vec<Constant>,
    /// The atoms that are the binary digits of the index of the value, least significant first, if there are any.
    pub digits: Vec<AtomId>,
    /// Whether results of arithmetic are brought into a range before they are stored.
    pub adjusted: bool,
    /// The numbers that it can have as values, if arithmetic on it is that of numbers.
    pub number: Option<NumberKind>,
}

/// A set of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NumberKind {
    /// Whether all of them are integers.
    pub integer: bool,
    /// The least one, if there is one.
    pub low: Option<Rational>,
    /// The greatest one, if there is one.
    pub high: Option<Rational>,
}

/// A literal value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Constant {
    /// A truth value.
    Truth(bool),
    /// A decimal number as text.
    Number(String),
    /// A value of an enumeration.
    Variant(String),
}

/// An operation on two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ValueOperation {
    /// `a = b`
    Equal,
    /// `a > b`
    Greater,
    /// `a + b`
    Plus,
    /// `a - b`
    Minus,
    /// `a * b`
    Times,
    /// `a / b`, on integers rounded toward zero.
    Divide,
    /// Another operator, identified by a number; its results are not computed here.
    Other(u8),
}

/// A term over values of one step.
#[derive(Clone, Debug)]
pub enum DataTerm {
    /// The value of a signal.
    Signal(SignalId),
    /// A literal.
    Constant(Constant),
    /// A function or predicate, identified by a number, applied to arguments.
    Apply(u32, Box<[DataId]>),
    /// A term with a new arbitrary value in every step.
    Noisy,
    /// An operation on two terms.
    Operation(ValueOperation, DataId, DataId),
}

/// The meaning of an atom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DataAtom {
    /// The atom does not refer to values.
    Plain,
    /// A predicate holds.
    Holds(DataId),
    /// A cell takes the value of a term.
    Update(SignalId, DataId),
}
