//! The signature of a TSL specification: symbols, sorts, and hash-consed first-order terms.

use rustc_hash::{FxHashMap, FxHashSet};
use tsl_synth_core::base::IdVec;
use tsl_synth_core::define_id;
use tsl_synth_core::logic::AtomId;
use tsl_synth_core::model::Register;

define_id! {
    /// A symbol of a [`Signature`].
    pub struct SymbolId;
    /// A term in [`Terms`].
    pub struct TermId;
}

/// The sort of a value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Sort {
    /// `Bool`
    Bool,
    /// Integers or reals of the target language: arithmetic was used.
    Number,
    /// `Int`: all integers.
    Int,
    /// `Real`: all rational numbers.
    Real,
    /// A declared range `low..high`, both included.
    Range(i64, i64),
    /// A declared enumeration.
    Enum(Vec<String>),
    /// A declared sort.
    Named(String),
    /// A sort that was only inferred: all symbols with the same number share it.
    Inferred(u32),
}

/// The kind of a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SymbolKind {
    /// A signal that the environment chooses in every step.
    Input,
    /// A signal that the system updates and reads back.
    Cell,
    /// A signal that the system updates and never reads (self-updates aside).
    Output,
    /// A function of at least one argument.
    Function,
    /// A constant, `c()`.
    Constant,
    /// A predicate of any number of arguments (a Boolean input is an [`SymbolKind::Input`]).
    Predicate,
}

impl SymbolKind {
    /// Whether it is a signal: an input, a cell or an output.
    pub fn is_signal(self) -> bool {
        matches!(self, Self::Input | Self::Cell | Self::Output)
    }
}

/// A named symbol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// The name as written, imports prefixed (`Timer.start`).
    pub name: String,
    /// Its kind.
    pub kind: SymbolKind,
    /// Sorts of the arguments; empty for signals and constants.
    pub arguments: Vec<Sort>,
    /// Sort of the value.
    pub sort: Sort,
    /// The declared initial value of a cell.
    pub initial: Option<TermId>,
    /// The declared least and greatest value of a number of sort `Int` or `Real`.
    pub bounds: [Option<LiteralValue>; 2],
    /// Declared `noisy`: two evaluations on one value may differ.
    pub noisy: bool,
    /// The effect of an update that leaves the declared range; [`Overflow::Unavailable`] for symbols without a range.
    pub overflow: Overflow,
    /// Whether it encodes a remainder, and has no name in the specification.
    pub hidden: bool,
}

/// The effect of arithmetic that leaves the declared range of a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Overflow {
    /// The update is not available: the system must not choose it.
    #[default]
    Unavailable,
    /// The value is clamped to the range.
    Saturating,
    /// The value wraps around, modulo the size of the range.
    Wrapping,
}

/// A literal value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum LiteralValue {
    /// `true`, `false`
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A decimal number, as written.
    Real(String),
    /// A value of a declared enumeration.
    Variant(String),
}

impl std::fmt::Display for LiteralValue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Bool(value) => value.fmt(f),
            Self::Int(number) => number.fmt(f),
            Self::Real(text) | Self::Variant(text) => f.write_str(text),
        }
    }
}

/// An interpreted operator of the input language, emitted as the target's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Operator {
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`
    Div,
    /// `%`
    Mod,
    /// `=`; `!=` is its negation
    Equal,
    /// `>`; `<=` is its negation; `a < b` is `b > a`, `a >= b` is `!(b > a)`
    Greater,
}

/// A first-order term over values of the present step: inputs as given, cells before their update.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Term {
    /// The present value of an input, cell or output.
    Signal(SymbolId),
    /// A literal.
    Literal(LiteralValue),
    /// A function, predicate or constant applied to arguments.
    Apply(SymbolId, Box<[TermId]>),
    /// An operator applied to two arguments.
    Operation(Operator, TermId, TermId),
}

/// Hash-consed terms; arguments have smaller ids than the terms made of them.
#[derive(Clone, Debug, Default)]
pub struct Terms {
    terms: IdVec<TermId, Term>,
    index: FxHashMap<Term, TermId>,
}

impl Terms {
    /// No terms yet.
    pub fn new() -> Self {
        Self::default()
    }
    /// The id of a term.
    pub fn intern(&mut self, term: Term) -> TermId {
        if let Some(&id) = self.index.get(&term) {
            return id;
        }
        let id = self.terms.push(term.clone());
        self.index.insert(term, id);
        id
    }
    /// The term with this id.
    pub fn get(&self, id: TermId) -> &Term {
        &self.terms[id]
    }
    /// How many terms there are.
    pub fn len(&self) -> usize {
        self.terms.len()
    }
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }
}

/// The meaning of an atom of the alphabet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AtomMeaning {
    /// A predicate term, evaluated once per step: an application of a predicate, a comparison, or a Boolean signal.
    Predicate(TermId),
    /// The update of a cell or output to the value of a term.
    Update(SymbolId, TermId),
    /// A plain proposition of an LTL specification.
    Proposition,
}

/// An input or output of an enumeration of TLSF.
#[derive(Clone, Debug)]
pub struct EnumeratedSignal {
    /// Its name.
    pub name: String,
    /// Its bits, the one with index 0 first.
    pub atoms: Vec<AtomId>,
    /// Its values in order, each with its codes; a bit that is `None` matches both truth values.
    pub values: Vec<(String, Vec<Vec<Option<bool>>>)>,
}

/// The symbols and terms of a specification, and the meaning of its atoms.
#[derive(Clone, Debug, Default)]
pub struct Signature {
    /// All symbols in the order of their first use or declaration.
    pub symbols: IdVec<SymbolId, Symbol>,
    /// All terms.
    pub terms: Terms,
    /// The meaning of each atom.
    pub atoms: IdVec<AtomId, AtomMeaning>,
    /// The symbol of each cell of the alphabet.
    pub cells: IdVec<tsl_synth_core::logic::CellId, SymbolId>,
    /// The symbols of the signals whose values atoms encode, in the order of [`Alphabet::encoded`].
    ///
    /// [`Alphabet::encoded`]: tsl_synth_core::logic::Alphabet::encoded
    pub encoded: Vec<SymbolId>,
    /// The declared Boolean outputs that no update sets: in a formula, the name of one stands for its update to true.
    pub chosen: FxHashSet<SymbolId>,
    /// The spelling of atoms in the specification where it differs from their names: elements of the buses of TLSF.
    pub spellings: FxHashMap<AtomId, String>,
    /// The inputs and outputs of enumerations of TLSF.
    pub enumerated: Vec<EnumeratedSignal>,
    /// The registers that encode past operators and `every`; their atoms are the last ones of the alphabet. Facts define
    /// their values, and no output contains them.
    pub registers: Vec<Register>,
    /// The terms over declared numbers that have a value, but one that is not computed: some remainders, quotients and
    /// products. The environment of a strategy chooses the values of comparisons with them.
    pub open: Vec<TermId>,
    /// Whether arithmetic or comparisons stayed uninterpreted, so that UNREALIZABLE may depend on them.
    pub uninterpreted_arithmetic: bool,
}

impl Signature {
    /// The signals that a term reads, in no special order.
    pub fn signals_of(&self, term: TermId) -> Vec<SymbolId> {
        let mut seen = FxHashSet::from_iter([term]);
        let (mut todo, mut signals) = (vec![term], Vec::new());
        while let Some(id) = todo.pop() {
            match self.terms.get(id) {
                Term::Signal(symbol) => signals.push(*symbol),
                Term::Literal(_) => {}
                Term::Apply(_, arguments) => {
                    todo.extend(arguments.iter().copied().filter(|t| seen.insert(*t)));
                }
                Term::Operation(_, a, b) => todo.extend([*a, *b].into_iter().filter(|t| seen.insert(*t))),
            }
        }
        signals
    }
    /// Whether a term contains an operator.
    pub fn has_operation(&self, term: TermId) -> bool {
        let mut todo = vec![term];
        let mut seen = FxHashSet::default();
        while let Some(term) = todo.pop() {
            match self.terms.get(term) {
                Term::Operation(..) => return true,
                Term::Apply(_, arguments) => {
                    todo.extend(arguments.iter().copied().filter(|a| seen.insert(*a)));
                }
                Term::Signal(_) | Term::Literal(_) => {}
            }
        }
        false
    }
    /// The term as text in TSL notation with calls: `f(x, g(y))`, `a + 1`, `c()`. Linear in the result.
    pub fn display(&self, term: TermId) -> String {
        enum TermTask {
            Text(String),
            Term(TermId, bool),
        }
        let mut out = String::new();
        let mut stack = vec![TermTask::Term(term, false)];
        while let Some(task) = stack.pop() {
            let (term, nested) = match task {
                TermTask::Text(text) => {
                    out.push_str(&text);
                    continue;
                }
                TermTask::Term(term, nested) => (term, nested),
            };
            match self.terms.get(term) {
                Term::Signal(symbol) => out.push_str(&self.symbols[*symbol].name),
                Term::Literal(literal) => out.push_str(&literal.to_string()),
                Term::Apply(symbol, arguments) => {
                    out.push_str(&self.symbols[*symbol].name);
                    out.push('(');
                    stack.push(TermTask::Text(")".into()));
                    for (i, &argument) in arguments.iter().enumerate().rev() {
                        stack.push(TermTask::Term(argument, false));
                        if i > 0 {
                            stack.push(TermTask::Text(", ".into()));
                        }
                    }
                }
                Term::Operation(operator, a, b) => {
                    let symbol = match operator {
                        Operator::Add => " + ",
                        Operator::Sub => " - ",
                        Operator::Mul => " * ",
                        Operator::Div => " / ",
                        Operator::Mod => " % ",
                        Operator::Equal => " = ",
                        Operator::Greater => " > ",
                    };
                    if nested {
                        out.push('(');
                        stack.push(TermTask::Text(")".into()));
                    }
                    stack.push(TermTask::Term(*b, true));
                    stack.push(TermTask::Text(symbol.into()));
                    stack.push(TermTask::Term(*a, true));
                }
            }
        }
        out
    }
}
