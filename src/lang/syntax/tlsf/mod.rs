//! The Temporal Logic Synthesis Format, version 1.2 (Jacobs, Perez and Schlehuber-Caissier 2023; full format:
//! Jacobs, Klein and Schirmer 2016): trees and parser.
//!
//! Its binary temporal operators bind looser than `->`: the levels are those of
//! [`Dialect::Tsltools`](tsl_synth_ltl::operators::Dialect::Tsltools), which took them over from TLSF. `M` is not an operator
//! of the format but a name. The past operators `Y O H S T`, which the format's tool reads and its description lacks, are
//! read as well, and `Z` as in LTL; in a file that declares or binds such a letter, it is this name everywhere.

mod expressions;
mod mistakes;
mod readings;
mod sections;
mod words;

pub use readings::rewritten;
pub use sections::{is_name, parse_tlsf, parse_tlsf_partly};

use std::ops::Range;
use std::sync::Arc;

use tsl_synth_core::base::IdVec;
use tsl_synth_core::define_id;
use tsl_synth_core::source::Name;
use tsl_synth_core::source::{SourceId, Span};
use tsl_synth_ltl::operators::{BigOp, BinaryOp, UnaryOp};

/// The byte ranges of the words of a text, each with a description if the word is reserved.
pub(super) fn words(text: &str, source: SourceId) -> Vec<(Range<usize>, Option<&'static str>)> {
    let words = words::words(text, source).into_iter().filter(|word| word.sort != words::TlsfWordKind::End);
    words.map(|word| (word.span.range(), sections::reserved(word.text))).collect()
}

define_id! {
    /// An expression in a [`TlsfExprs`] arena.
    pub struct TlsfId;
}

/// A TLSF file.
#[derive(Clone, Debug)]
pub struct TlsfModule {
    /// The text it was read from.
    pub source: SourceId,
    /// `TITLE`, without its quotes.
    pub title: Option<Name>,
    /// `SEMANTICS`
    pub semantics: Semantics,
    /// `TARGET`
    pub target: TlsfModel,
    /// `PARAMETERS` with their values.
    pub parameters: Vec<(Name, TlsfId)>,
    /// Enumerations of `DEFINITIONS`.
    pub enums: Vec<EnumDefinition>,
    /// Constants and functions of `DEFINITIONS`.
    pub definitions: Vec<TlsfDefinition>,
    /// `INPUTS`
    pub inputs: Vec<TlsfSignal>,
    /// `OUTPUTS`
    pub outputs: Vec<TlsfSignal>,
    /// The formulas of `MAIN`, section by section in source order.
    pub sections: Vec<(MainSection, Vec<TlsfId>)>,
    /// Subformulas that parentheses would set apart, where LTL reads the formula differently.
    pub implied: Vec<Span>,
    /// The arena.
    pub exprs: TlsfExprs,
}

/// The implementation model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TlsfModel {
    /// Outputs depend on the inputs of the same step.
    #[default]
    Mealy,
    /// Outputs depend on the inputs of earlier steps only.
    Moore,
}

/// The semantics of the formulas.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Semantics {
    /// The model that the formulas were written for.
    pub model: TlsfModel,
    /// `Strict`: the system keeps its invariants as long as the environment has kept its own.
    pub strict: bool,
    /// `Finite`: LTL on finite words.
    pub finite: bool,
}

/// The sections of formulas in `MAIN`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MainSection {
    /// `INITIALLY`
    Initially,
    /// `PRESET`
    Preset,
    /// `REQUIRE`, `REQUIREMENTS`
    Require,
    /// `ASSERT`, `INVARIANTS`
    Assert,
    /// `ASSUME`, `ASSUMPTIONS`
    Assume,
    /// `GUARANTEE`, `GUARANTEES`
    Guarantee,
}

/// `name;`, `name[size];` or `enumeration name;`
#[derive(Clone, Debug)]
pub struct TlsfSignal {
    /// Its name.
    pub name: Name,
    /// The width of a bus.
    pub size: Option<TlsfId>,
    /// Its enumeration.
    pub sort: Option<Name>,
}

/// `enum name = A: 00 B: 01,1*;`
#[derive(Clone, Debug)]
pub struct EnumDefinition {
    /// Its name.
    pub name: Name,
    /// The values with their codes over `0`, `1` and `*`, the bit with index 0 first.
    pub values: Vec<(Name, Vec<Name>)>,
}

/// `name(parameters) = alternatives;`
#[derive(Clone, Debug)]
pub struct TlsfDefinition {
    /// What it defines.
    pub name: Name,
    /// May be empty.
    pub parameters: Vec<Name>,
    /// Each with its guard, `None` for an unguarded one, and its body.
    pub alternatives: Vec<(Option<TlsfId>, TlsfId)>,
}

/// An expression with its span.
#[derive(Clone, Debug)]
pub struct TlsfExpr {
    /// Where.
    pub span: Span,
    /// The form of the expression.
    pub kind: TlsfKind,
}

/// The forms of an expression. Parentheses are not kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TlsfKind {
    /// A signal, parameter, definition, value of an enumeration or bound name; `_` in patterns.
    Name(Arc<str>),
    /// `true`, `false`
    Bool(bool),
    /// A number.
    Int(i64),
    /// `otherwise`
    Otherwise,
    /// `f(x, y)`
    Call(Arc<str>, Vec<TlsfId>),
    /// `bus[i]`
    Index(TlsfId, TlsfId),
    /// `! X F G Y Z O H SIZE MIN MAX`
    Unary(UnaryOp, TlsfId),
    /// `X[!] f`
    StrongNext(TlsfId),
    /// `SIZEOF bus`
    SizeOf(TlsfId),
    /// `X[n] f` (then `low` and `high` are the same), `F[n:m] f`, `G[n:m] f`, and `Y Z O H` likewise
    Bounded {
        /// One of `X F G Y Z O H`.
        op: UnaryOp,
        /// Whether the steps have to exist: `X[n!]`, `F[n:m!]`, `G[n:m!]`.
        strong: bool,
        /// The first step.
        low: TlsfId,
        /// The last step.
        high: TlsfId,
        /// What it applies to.
        body: TlsfId,
    },
    /// `left op right`
    Binary(BinaryOp, TlsfId, TlsfId),
    /// `f ~ pattern`
    Match(TlsfId, TlsfId),
    /// `&&[i IN s, 0 <= j < 3] body`
    Big {
        /// Which operator.
        op: BigOp,
        /// In order; later ones may use the names of earlier ones.
        binders: Vec<TlsfBinder>,
        /// What is repeated.
        body: TlsfId,
    },
    /// `{a, b}`
    Set(Vec<TlsfId>),
    /// `{first .. last}`, `{first, second .. last}`
    Progression {
        /// The first element.
        first: TlsfId,
        /// The second element, if the step is not 1.
        second: Option<TlsfId>,
        /// No element is past this one.
        last: TlsfId,
    },
}

/// A binder of a big operator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TlsfBinder {
    /// `name IN set`
    In(Name, TlsfId),
    /// `low <= name < high`
    Between {
        /// The lower end, and whether it is left out (`<`).
        low: (TlsfId, bool),
        /// The bound name.
        name: Name,
        /// The upper end, and whether it is left out (`<`).
        high: (TlsfId, bool),
    },
}

/// The arena of a file's expressions; children have smaller ids than their parents.
#[derive(Clone, Debug, Default)]
pub struct TlsfExprs {
    nodes: IdVec<TlsfId, TlsfExpr>,
}

impl TlsfExprs {
    /// The empty arena.
    pub fn new() -> Self {
        Self::default()
    }
    /// Adds an expression, whose children must be in the arena already.
    pub fn push(&mut self, span: Span, kind: TlsfKind) -> TlsfId {
        self.nodes.push(TlsfExpr { span, kind })
    }
    /// The form of the expression with this id.
    pub fn kind(&self, id: TlsfId) -> &TlsfKind {
        &self.nodes[id].kind
    }
    /// The span of the expression with this id.
    pub fn span(&self, id: TlsfId) -> Span {
        self.nodes[id].span
    }
    /// All expressions, children before their parents.
    pub fn enumerate(&self) -> impl Iterator<Item = (TlsfId, &TlsfExpr)> {
        self.nodes.enumerate()
    }
    /// Whether no expression was added.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }
}
