//! Text to spanned trees and back: TSL modules ([`ast`]), LTL formulas, TLSF files, behaviors of agents and grammars of
//! plans.
//!
//! Trees are faithful and have no meaning: names are not resolved, definitions not expanded, sorts not
//! checked. That is the next room's work.

pub mod agent;
pub mod ast;
mod climb;
pub mod data;
mod format;
pub mod ltl;
pub mod operators;
pub mod plan;
mod print;
mod scan;
pub mod shell;
pub mod tlsf;
mod tsl;
mod word;
mod words;

pub use format::format_tsl;
pub use print::{Parentheses, print_expression, print_module};
pub use scan::MAX_NESTING;
pub use word::{Word, WordKind};
pub use words::{WordLanguage, unreadable_from, words};

use crate::diag::Diagnostics;
use crate::source::{SourceId, SourceMap, Span};

/// Whose rules of precedence a TSL text is read by. It changes parsing only, never meaning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Dialect {
    /// Ours, as the manual describes it; warns where the others read differently.
    #[default]
    TslSynth,
    /// reactive-systems/tsltools: `U R W` are looser than `->`.
    Tsltools,
    /// Barnard-PL-Labs/tsltools: one flat level; a second prefix operator takes the rest.
    Barnard,
}

/// Parses a TSL file. Findings (errors and warnings) are added to `diagnostics`; `None` if there are errors.
pub fn parse_tsl(
    map: &SourceMap,
    source: SourceId,
    dialect: Dialect,
    diagnostics: &mut Diagnostics,
) -> Option<ast::Module> {
    tsl::parse_file(map, source, dialect, diagnostics)
}

/// What can be read of a TSL file with errors: items and clauses that cannot be read are missing, or `true` stands for parts of
/// them. `None` if nothing is read because of brackets that nest too deep or a comment without an end.
pub fn parse_tsl_partly(
    map: &SourceMap,
    source: SourceId,
    diagnostics: &mut Diagnostics,
) -> Option<ast::Module> {
    tsl::read_partly(map, source, diagnostics)
}

/// An expression by itself, as it stands in traces, options and policies.
#[derive(Clone, Debug)]
pub struct Expression {
    /// The arena.
    pub exprs: ast::Exprs,
    /// The expression.
    pub root: ast::ExprId,
}

/// Parses the text under `span` as one expression: a term, an update or a formula.
pub fn parse_tsl_expression(
    map: &SourceMap,
    span: Span,
    dialect: Dialect,
    diagnostics: &mut Diagnostics,
) -> Option<Expression> {
    tsl::parse_expression(map, span, dialect, diagnostics)
}
