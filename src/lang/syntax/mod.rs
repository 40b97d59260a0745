//! Parsers and printers, between text and trees with spans: TSL modules ([`ast`]), LTL formulas, TLSF files, behaviors
//! of agents and grammars of plans.
//!
//! Trees are purely syntactic: names are not resolved, definitions not expanded, sorts not checked. The module `spec`
//! does that.

pub mod ast;
mod format;
mod print;
mod row_readings;
pub mod tlsf;
mod tsl;
mod tslmt;
mod words;

pub use format::format_tsl;
pub use print::{Parentheses, print_expression, print_module};
pub use tslmt::{is_tsl_mt, theory_operator};
pub use words::{WordLanguage, unreadable_from, words};

use tsl_synth_core::diag::Diagnostics;
use tsl_synth_core::source::{SourceId, SourceMap, Span};
use tsl_synth_ltl::operators::Dialect;

/// Parses a TSL file. Findings (errors and warnings) are added to `diagnostics`; `None` if there are errors.
pub fn parse_tsl(
    map: &SourceMap,
    source: SourceId,
    dialect: Dialect,
    diagnostics: &mut Diagnostics,
) -> Option<ast::Module> {
    tsl::parse_file(map, source, dialect, diagnostics)
}

/// Parses a TSL file as far as possible in spite of errors: items and clauses that cannot be parsed are missing, or
/// `true` replaces parts of them. `None` if brackets nest too deep or a comment is not closed.
pub fn parse_tsl_partly(
    map: &SourceMap,
    source: SourceId,
    diagnostics: &mut Diagnostics,
) -> Option<ast::Module> {
    tsl::read_partly(map, source, diagnostics)
}

/// A single expression, as in traces, options and policies.
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
