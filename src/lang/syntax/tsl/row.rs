//! A row: operands and operators between two separators, as the reader collects them.

use crate::syntax::ast::{Binder, ExprId};
use tsl_synth_core::source::Span;
use tsl_synth_ltl::operators::Dialect;
use tsl_synth_ltl::operators::{BigOp, BinaryOp, EVERY, Level, PREFIX, Side, UnaryOp};
use tsl_synth_ltl::shunting_yard::RowSymbol;

/// A token of a row.
#[derive(Clone, Debug)]
pub(super) struct RowToken {
    pub(super) kind: TokenKind,
    pub(super) span: Span,
}

/// The kinds of tokens of a row.
#[derive(Clone, Debug)]
pub(super) enum TokenKind {
    Operand(ExprId),
    Unary(UnaryOp),
    Bounded {
        op: UnaryOp,
        low: Option<ExprId>,
        high: ExprId,
    },
    /// `F within n`, `G for n`
    Timed {
        op: UnaryOp,
        count: ExprId,
    },
    /// The binders are `None` until they are read.
    Big {
        op: BigOp,
        binders: Option<Vec<Binder>>,
    },
    Infix(BinaryOp),
    BoundedInfix {
        op: BinaryOp,
        low: ExprId,
        high: ExprId,
    },
    /// `every`; the number after it is its right operand.
    Every,
}

impl TokenKind {
    /// Whether an operand must follow.
    fn is_prefix(&self) -> bool {
        !matches!(self, Self::Operand(_) | Self::Infix(_) | Self::BoundedInfix { .. } | Self::Every)
    }
    /// Whether it makes a formula.
    pub(super) fn is_logical(&self) -> bool {
        match self {
            Self::Operand(_) => false,
            Self::Unary(op) => op.is_logical(),
            Self::Bounded { .. } | Self::BoundedInfix { .. } | Self::Timed { .. } | Self::Every => true,
            Self::Big { op, .. } => op.is_logical(),
            Self::Infix(op) => op.is_logical(),
        }
    }
}

/// The symbols of a row under a dialect's precedence; `None` if the dialect does not have one of the operators.
/// For our own dialect and with `lenient` every operator has a level.
pub(super) fn symbols(tokens: &[RowToken], dialect: Dialect, lenient: bool) -> Option<Vec<RowSymbol>> {
    let mut row = Vec::with_capacity(tokens.len());
    let mut after_prefix = false;
    for token in tokens {
        // In dialect `barnard`, the operand of the second prefix operator in a row is the rest of the expression.
        let greedy = dialect == Dialect::Barnard && after_prefix;
        let prefix = |level: Level| RowSymbol::Prefix(if greedy && level == PREFIX { 1 } else { level });
        let in_barnard = match &token.kind {
            TokenKind::Unary(op) => op.in_barnard(),
            TokenKind::BoundedInfix { .. } | TokenKind::Every => false,
            kind => !kind.is_prefix(),
        };
        let is_ours = matches!(token.kind, TokenKind::Timed { .. } | TokenKind::Every);
        if !lenient && (dialect == Dialect::Barnard && !in_barnard || is_ours) {
            return None;
        }
        let symbol = match &token.kind {
            TokenKind::Operand(_) => RowSymbol::Operand,
            TokenKind::Unary(op) | TokenKind::Bounded { op, .. } | TokenKind::Timed { op, .. } => {
                prefix(op.level())
            }
            TokenKind::Every => RowSymbol::Infix(EVERY, Side::Left),
            TokenKind::Big { op, .. } => prefix(op.level()),
            TokenKind::Infix(op) | TokenKind::BoundedInfix { op, .. } => {
                let own = || op.binding(Dialect::TslSynth).filter(|_| lenient);
                let (level, side) = op.binding(dialect).or_else(own)?;
                RowSymbol::Infix(level, side)
            }
        };
        after_prefix = token.kind.is_prefix() && token.kind.is_logical();
        row.push(symbol);
    }
    Some(row)
}

/// A head and its juxtaposed arguments, possibly incomplete.
#[derive(Clone, Debug)]
pub(super) struct Juxtaposed {
    /// The head and its arguments.
    pub(super) atoms: Vec<RowAtom>,
    /// Whether something was called with a glued parenthesis after the head: `f g(x)`.
    pub(super) argument_called: bool,
    /// Whether one of its words is that of a sentence; it was reported.
    pub(super) is_sentence: bool,
}

/// A single operand.
#[derive(Clone, Copy, Debug)]
pub(super) struct RowAtom {
    pub(super) expr: ExprId,
    pub(super) span: Span,
    /// Whether it can be applied: a name, a call, a group.
    pub(super) applicable: bool,
}

/// The row under construction.
#[derive(Debug, Default)]
pub(super) struct OpenRow {
    pub(super) tokens: Vec<RowToken>,
    /// The operand that was just read; while there is none, an operand is expected.
    pub(super) operand: Option<Juxtaposed>,
    /// Rows around an open `|`, with its span.
    pub(super) sizes: Vec<(Vec<RowToken>, Span)>,
    /// The number of consecutive prefix operators before the next operand.
    pub(super) prefixes: usize,
}

impl OpenRow {
    /// Whether an operand must come next.
    pub(super) fn expects_operand(&self) -> bool {
        self.operand.is_none()
    }
    /// Whether nothing was read yet.
    pub(super) fn is_empty(&self) -> bool {
        self.tokens.is_empty() && self.operand.is_none() && self.sizes.is_empty()
    }
    /// The span of the last element.
    pub(super) fn last_span(&self) -> Option<Span> {
        match &self.operand {
            Some(app) => app.atoms.last().map(|a| a.span),
            None => self.tokens.last().map(|t| t.span).or(self.sizes.last().map(|s| s.1)),
        }
    }
}

/// Whether regrouping a chain of this operator changes nothing.
pub(super) fn is_associative(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::And | BinaryOp::Or | BinaryOp::Iff | BinaryOp::Add)
}
