//! Values of the reference interpreter, with a semantics of terms that was written from the contract, independently of
//! the emitter.

use tsl_synth_lang::spec::{LiteralValue, Operator, Overflow, Problem, Sort, SymbolId, Term, TermId};

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Value {
    Bool(bool),
    Int(i64),
    Real(f64),
    /// The value of an enumeration with this index.
    Variant(usize),
    /// A value of a sort that the user chooses.
    Opaque(u32),
}

/// What kind of values a sort has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Bool,
    Int,
    Real,
    Enum(usize),
    Opaque,
}

impl Value {
    /// The value as a token of a script.
    pub(crate) fn token(self) -> String {
        match self {
            Value::Bool(b) => u8::from(b).to_string(),
            Value::Int(n) => n.to_string(),
            Value::Real(x) => format!("{x:?}"),
            Value::Variant(i) => i.to_string(),
            Value::Opaque(n) => n.to_string(),
        }
    }
    pub(crate) fn truth(self) -> bool {
        matches!(self, Value::Bool(true))
    }
}

/// The kinds of the sorts of a problem; a sort without a declaration is numeric if operations use its values.
pub(crate) struct Kinds<'a> {
    problem: &'a Problem,
    reals: bool,
    numbers: Vec<Sort>,
    /// Numbers around the literals of the problem.
    pub(crate) near: Vec<i64>,
}

impl<'a> Kinds<'a> {
    pub(crate) fn new(problem: &'a Problem) -> Self {
        let terms: Vec<&Term> = (0..problem.signature.terms.len())
            .map(|i| problem.signature.terms.get(tsl_synth_core::base::Id::from_index(i)))
            .collect();
        let reals = terms.iter().any(|t| matches!(t, Term::Literal(LiteralValue::Real(_))));
        let mut kinds = Self { problem, reals, numbers: Vec::new(), near: vec![0, 1] };
        for term in &terms {
            if let Term::Literal(literal) = term {
                let number = match literal {
                    LiteralValue::Int(n) => *n,
                    LiteralValue::Real(text) => text.parse::<f64>().expect("a number").floor() as i64,
                    _ => continue,
                };
                kinds.near.extend([number - 1, number, number + 1]);
            }
        }
        let is_number = |t: TermId| {
            matches!(
                problem.signature.terms.get(t),
                Term::Literal(LiteralValue::Int(_) | LiteralValue::Real(_))
            )
        };
        for term in terms {
            if let Term::Operation(operator, a, b) = term
                && (*operator != Operator::Equal || is_number(*a) || is_number(*b))
            {
                for side in [*a, *b] {
                    kinds.numbers.extend(kinds.sort(side));
                }
            }
        }
        for meaning in &problem.signature.atoms {
            if let tsl_synth_lang::spec::AtomMeaning::Update(cell, term) = meaning
                && is_number(*term)
            {
                kinds.numbers.push(problem.signature.symbols[*cell].sort.clone());
            }
        }
        kinds
    }
    fn sort(&self, term: TermId) -> Option<Sort> {
        match self.problem.signature.terms.get(term) {
            Term::Signal(s) | Term::Apply(s, _) => Some(self.problem.signature.symbols[*s].sort.clone()),
            Term::Operation(Operator::Equal | Operator::Greater, ..) => Some(Sort::Bool),
            Term::Operation(_, a, b) => self.sort(*a).or_else(|| self.sort(*b)),
            Term::Literal(_) => None,
        }
    }
    pub(crate) fn of(&self, sort: &Sort) -> Kind {
        let number = if self.reals { Kind::Real } else { Kind::Int };
        match sort {
            Sort::Bool => Kind::Bool,
            Sort::Int => Kind::Int,
            Sort::Real => Kind::Real,
            Sort::Number | Sort::Range(..) => number,
            Sort::Enum(variants) => Kind::Enum(variants.len()),
            other if self.numbers.contains(other) => number,
            Sort::Named(_) | Sort::Inferred(_) => Kind::Opaque,
        }
    }
    pub(crate) fn symbol(&self, symbol: SymbolId) -> Kind {
        self.of(&self.problem.signature.symbols[symbol].sort)
    }
    /// The value of a literal where this sort is expected.
    pub(crate) fn literal(&self, literal: &LiteralValue, sort: &Sort) -> Value {
        match literal {
            LiteralValue::Bool(b) => Value::Bool(*b),
            LiteralValue::Int(n) if self.reals => Value::Real(*n as f64),
            LiteralValue::Int(n) => Value::Int(*n),
            LiteralValue::Real(text) => Value::Real(text.parse().expect("a decimal number")),
            LiteralValue::Variant(name) => {
                let Sort::Enum(variants) = sort else { panic!("{name} has no enumeration") };
                Value::Variant(variants.iter().position(|v| v == name).expect("a declared value"))
            }
        }
    }
    /// The value of an operation.
    pub(crate) fn operate(operator: Operator, a: Value, b: Value) -> Value {
        match (operator, a, b) {
            (Operator::Equal, a, b) => Value::Bool(a == b),
            (Operator::Greater, Value::Int(a), Value::Int(b)) => Value::Bool(a > b),
            (Operator::Greater, Value::Real(a), Value::Real(b)) => Value::Bool(a > b),
            (Operator::Add, Value::Int(a), Value::Int(b)) => Value::Int(a + b),
            (Operator::Sub, Value::Int(a), Value::Int(b)) => Value::Int(a - b),
            (Operator::Mul, Value::Int(a), Value::Int(b)) => Value::Int(a * b),
            (Operator::Div, Value::Int(a), Value::Int(b)) => Value::Int(a / b),
            (Operator::Mod, Value::Int(a), Value::Int(b)) => Value::Int(a % b),
            (Operator::Add, Value::Real(a), Value::Real(b)) => Value::Real(a + b),
            (Operator::Sub, Value::Real(a), Value::Real(b)) => Value::Real(a - b),
            (Operator::Mul, Value::Real(a), Value::Real(b)) => Value::Real(a * b),
            (Operator::Div, Value::Real(a), Value::Real(b)) => Value::Real(a / b),
            other => panic!("no example computes {other:?}"),
        }
    }
    /// The sort of the operands of an operation; a literal takes the sort of the other operand.
    pub(crate) fn operand_sort(&self, a: TermId, b: TermId) -> Sort {
        self.sort(a).or_else(|| self.sort(b)).unwrap_or(Sort::Number)
    }
    /// The value of a cell after an update to a value that may be out of range.
    pub(crate) fn stored(&self, cell: SymbolId, value: Value) -> Value {
        let symbol = &self.problem.signature.symbols[cell];
        let Sort::Range(low, high) = symbol.sort else { return value };
        match (symbol.overflow, value) {
            (Overflow::Saturating, Value::Int(n)) => Value::Int(n.clamp(low, high)),
            (Overflow::Wrapping, Value::Int(n)) => Value::Int((n - low).rem_euclid(high - low + 1) + low),
            _ => value,
        }
    }
}
