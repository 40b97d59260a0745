//! The parts of a target language on which the view of a controller depends: identifiers, types, literals and
//! expressions. Statements are written by the templates.

mod c;
mod csharp;
mod go;
mod js;
mod lua;
mod python;
mod rust;

pub(super) use c::C;
pub(super) use csharp::CSharp;
pub(super) use go::Go;
pub(super) use js::Js;
pub(super) use lua::Lua;
pub(super) use python::Python;
pub(super) use rust::Rust;

use super::names::NameCase;
use tsl_synth_lang::spec::Operator;

/// What an identifier names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum IdentifierKind {
    /// A field, parameter or local.
    Field,
    /// A method of the environment.
    Method,
    /// A type.
    Type,
    /// A value of an enumeration.
    Variant,
}

/// The type of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Ty {
    /// A truth value.
    Bool,
    /// A whole number.
    Integer,
    /// A number.
    Real,
    /// An exact rational number, where the target has them.
    Rational,
    /// A declared enumeration, by the name of its type.
    Enum(String),
    /// A type that the user chooses, by its name.
    Opaque(String),
}

impl Ty {
    /// Whether values are copied implicitly.
    pub(super) fn is_builtin(&self) -> bool {
        !matches!(self, Self::Opaque(_))
    }
}

/// How an expression refers to its value; this decides whether the value is moved, borrowed or cloned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ValuePlace {
    /// A result that is not stored in a variable.
    Temporary,
    /// A variable or field.
    Variable,
    /// A variable that refers to the value.
    Reference,
}

/// An expression of the target.
#[derive(Clone, Debug)]
pub(super) struct TargetExpr {
    pub(super) code: String,
    pub(super) place: ValuePlace,
    /// Whether the code needs no parentheses as an operand.
    pub(super) closed: bool,
}

impl TargetExpr {
    /// A result that is not stored in a variable and needs no parentheses.
    pub(super) fn temporary(code: String) -> Self {
        Self { code, place: ValuePlace::Temporary, closed: true }
    }
    /// The code, in parentheses where needed.
    pub(super) fn inner(&self) -> String {
        if self.closed { self.code.clone() } else { format!("({})", self.code) }
    }
}

/// A type by the names of truth values, integers and real numbers; other types have their own names.
fn named(ty: &Ty, [boolean, integer, real]: [&str; 3]) -> String {
    match ty {
        Ty::Bool => boolean.into(),
        Ty::Integer => integer.into(),
        Ty::Real | Ty::Rational => real.into(),
        Ty::Enum(ident) | Ty::Opaque(ident) => ident.clone(),
    }
}

/// Names of types that most controllers have.
const FIXED_TYPES: &[&str] = &[
    "State",
    "Predicates",
    "Predicate",
    "Updates",
    "Inputs",
    "Cells",
    "Environment",
    "Controller",
    "Step",
    "Assumption",
    "Letter",
    "Snapshot",
    "RestoreError",
    "NotOfSort",
    "Plan",
];

/// A target language.
pub(super) trait TargetDialect {
    /// Words that are not available as identifiers.
    fn reserved(&self) -> &'static [&'static [&'static str]];
    /// Names of types that every controller has.
    fn fixed_types(&self) -> &'static [&'static [&'static str]];
    /// The case convention for identifiers of this kind.
    fn case(&self, what: IdentifierKind) -> NameCase;
    /// Whether values of enumerations share one scope and need a prefix.
    fn flat(&self) -> bool {
        false
    }
    /// The full name of a value of an enumeration where they share one scope.
    fn constant(&self, module_upper: &str, ident: &str) -> String {
        format!("{module_upper}_{ident}")
    }
    /// Whether types and the values of enumerations share one scope.
    fn is_one_scope(&self) -> bool {
        false
    }
    /// Whether values of enumerations are string literals and need no identifiers.
    fn texts(&self) -> bool {
        false
    }
    /// The full name of a type, with its module if the target has no namespaces.
    fn type_name(&self, _module: &str, ident: &str) -> String {
        ident.to_owned()
    }
    /// The name of a type that the user chooses, given that of a type.
    fn sort_name(&self, ident: String) -> String {
        ident
    }
    /// What stands before the names of variables for the results of calls, so that they are no other variables.
    fn local(&self) -> &'static str {
        "v_"
    }
    /// What stands before the numbers of the bits of the state and before those of the gates of a circuit.
    fn circuit_names(&self) -> [&'static str; 2] {
        ["s", "g"]
    }
    /// The type of a field.
    fn ty(&self, ty: &Ty) -> String;
    /// The type of a parameter.
    fn parameter(&self, ty: &Ty) -> String {
        self.ty(ty)
    }
    /// The type of a result.
    fn result(&self, ty: &Ty) -> String {
        self.ty(ty)
    }
    /// A string literal.
    fn string(&self, text: &str) -> String;
    /// A truth value.
    fn boolean(&self, value: bool) -> String {
        value.to_string()
    }
    /// The result of `+`, `-` or `*` on integers, checked: a result that is too large is an error. `None` if integers
    /// are unbounded.
    fn exact(&self, operator: Operator, left: &str, right: &str) -> Option<String>;
    /// The result of `+`, `-` or `*` on numbers of other sorts where the operator of the language will not do.
    fn computed(&self, _operator: Operator, _left: &str, _right: &str, _ty: &Ty) -> Option<String> {
        None
    }
    /// An input that is an integer, checked to be one where the type does not say so.
    fn exact_input(&self, code: String) -> String {
        code
    }
    /// A rational number as text or as an expression; `None` if the target has no exact ones.
    fn rational(&self, _code: &str) -> Option<String> {
        None
    }
    /// A whole number, written as a real literal if `real`.
    fn integer(&self, value: i64, _real: bool) -> String {
        value.to_string()
    }
    /// A value of an enumeration.
    fn variant(&self, ty: &str, ident: &str, _quoted: &str) -> String {
        format!("{ty}.{ident}")
    }
    /// An input of this step.
    fn input(&self, ident: &str) -> String {
        format!("inputs.{ident}")
    }
    /// The value of a cell before its update.
    fn cell(&self, ident: &str) -> String {
        format!("cells.{ident}")
    }
    /// A call of a method of the environment; `target` is the variable for its result if calls are statements.
    fn call(&self, method: &str, arguments: &[String], asynchronous: bool, _target: &str) -> String {
        let wait = if asynchronous { "await " } else { "" };
        format!("{wait}env.{method}({})", arguments.join(", "))
    }
    /// Whether calls are statements, never part of an expression.
    fn calls_are_statements(&self) -> bool {
        false
    }
    /// Whether the memoized result of a shared call is used by reference if its type is chosen by the user.
    fn shared_by_reference(&self) -> bool {
        false
    }
    /// A value as an argument.
    fn argument(&self, expr: &TargetExpr, _ty: &Ty) -> String {
        expr.code.clone()
    }
    /// A value that is stored.
    fn stored(&self, expr: &TargetExpr, _ty: &Ty) -> String {
        expr.code.clone()
    }
    /// A value inside of an expression.
    fn operand(&self, expr: &TargetExpr, _ty: &Ty) -> String {
        expr.inner()
    }
    /// The operator between two operands, blanks excluded.
    fn operator(&self, operator: Operator) -> &'static str {
        match operator {
            Operator::Add => "+",
            Operator::Sub => "-",
            Operator::Mul => "*",
            Operator::Div => "/",
            Operator::Mod => "%",
            Operator::Equal => "==",
            Operator::Greater => ">",
        }
    }
    /// Quotient or remainder of integers, rounded toward zero; `real` if integers are floating-point numbers here.
    fn integer_division(&self, operator: Operator, a: &str, b: &str, _real: bool) -> String {
        format!("{a} {} {b}", self.operator(operator))
    }
    /// The value that stubs return for a type that the user chooses: usually `text` as a string.
    fn sample(&self, text: &str) -> String {
        self.string(text)
    }
    /// The value of a predicate in a decision.
    fn predicate(&self, ident: &str) -> String {
        format!("p.{ident}")
    }
    /// Conjunction and disjunction, blanks excluded.
    fn connectives(&self) -> [&'static str; 2] {
        ["&&", "||"]
    }
    /// Negation.
    fn negate(&self, operand: &str) -> String {
        format!("!{operand}")
    }
    /// The value clamped to the range `low..=high`.
    fn saturate(&self, value: &str, low: &str, high: &str) -> String;
    /// The value wrapped into the range `low..=high`, modulo the size of the range.
    fn wrap(&self, value: &str, low: &str, high: &str, real: bool) -> String;
}
