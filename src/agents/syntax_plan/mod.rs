//! `.cfg` files: grammars of plans and pushdown tables.
//!
//! A line is a production `A -> x B "a b" = "label" | ε`, which continues on the next line if that begins with `|`; a
//! row `(states, letter, tops) -> (state, stack)` of a pushdown or flow table; or a directive `%name arguments`. `#`
//! begins a comment. Symbols are words without blanks and brackets, or texts between double quotes.

mod read;

pub use read::parse_cfg;

use tsl_synth_core::source::Name;
use tsl_synth_core::source::{SourceId, Span};

/// One file.
#[derive(Clone, Debug)]
pub struct CfgModule {
    /// The text it was read from.
    pub source: SourceId,
    /// In source order.
    pub items: Vec<CfgItem>,
}

/// A line of a file.
#[derive(Clone, Debug)]
pub enum CfgItem {
    /// `A -> x B | ε`
    Production(Production),
    /// `(q, x, Z) -> (r, A Z)`
    Row(TransitionRow),
    /// `%limit T 1`
    Directive(Directive),
}

/// `A -> alternatives`
#[derive(Clone, Debug)]
pub struct Production {
    /// The nonterminal that is replaced.
    pub head: Name,
    /// The alternatives, in order; at least one.
    pub bodies: Vec<Body>,
}

/// One alternative of a production.
#[derive(Clone, Debug)]
pub struct Body {
    /// The whole alternative.
    pub span: Span,
    /// In order; empty for `ε`.
    pub symbols: Vec<Name>,
    /// The name of the alternative in prompts.
    pub label: Option<Name>,
}

/// `(from, letter, tops) -> (to, push) = "label"`
#[derive(Clone, Debug)]
pub struct TransitionRow {
    /// The whole row.
    pub span: Span,
    /// The states in which the row applies; `*` is any state.
    pub from: Vec<Name>,
    /// The letter of the transition; `None` for `ε`.
    pub letter: Option<Name>,
    /// The symbols on top of the stack for which the row applies; `*` is any symbol.
    pub tops: Vec<Name>,
    /// The next state.
    pub to: Name,
    /// The symbols that replace the top, the new top first; `*` is the old top.
    pub push: Vec<Name>,
    /// The name of the row in prompts.
    pub label: Option<Name>,
}

/// `%name arguments`
#[derive(Clone, Debug)]
pub struct Directive {
    /// Without `%`.
    pub name: Name,
    /// In order.
    pub arguments: Vec<Argument>,
}

/// An argument of a directive.
#[derive(Clone, Debug)]
pub struct Argument {
    /// As written, without the quotes it may have had.
    pub name: Name,
    /// Whether it was between quotes.
    pub quoted: bool,
}
