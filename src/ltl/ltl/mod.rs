//! LTL in Spot's syntax: trees, reading and printing.
//!
//! Several formulas, one per line or with `;` between them, are a conjunction; those in `assume { }` are assumptions,
//! and those in `guarantee { }`, or in no section, guarantees. As in Spot, a word that begins with `F`, `G` or `X` and
//! no digit after it is an operator glued to what follows: `GFa` is `G F a`. Words that are known to be propositions
//! are not split; a warning says so where a word such as `Green` was probably meant as a name. As in Spot, too, `a=1` is
//! `a` and `a=0` is `!a`, `+` is or, `*` is and, and the signs of papers are read ([`crate::signs`]). After a formula on the
//! same line, where no proposition can stand, an infix operator may be glued to what follows: `(a)Ub`, `p=0Uq=1`.
//!
//! The past operators `Y Z O H S T`, which Spot does not have, are separate words and are never glued. Such a word is a
//! proposition where it cannot be an operator: `S` and `T` where a formula is expected, the others where no formula
//! follows. A word between double quotes is always a proposition.

mod foreign;
mod print;
mod read;
mod signed_names;
mod unread;
mod words;

use std::sync::Arc;

pub use print::{print_ltl, proposition};
pub use read::{parse_ltl, parse_ltl_partly};
pub use words::words;

use crate::operators::{BinaryOp, Level, Side, UnaryOp};
use tsl_synth_core::base::{Id, IdVec};
use tsl_synth_core::define_id;
use tsl_synth_core::source::Name;
use tsl_synth_core::source::{SourceId, Span};

define_id! {
    /// A formula in an [`LtlExprs`] arena.
    pub struct LtlId;
}

/// A text in LTL.
#[derive(Clone, Debug)]
pub struct LtlModule {
    /// The text it was read from.
    pub source: SourceId,
    /// The names of a line `// inputs: a, b`.
    pub inputs: Option<Vec<Name>>,
    /// The names of a line `// outputs: c`.
    pub outputs: Option<Vec<Name>>,
    /// The guarantees, at least one; all of them are required.
    pub formulas: Vec<LtlId>,
    /// The assumptions: the formulas in `assume { }`.
    pub assumptions: Vec<LtlId>,
    /// Whether the text has a section.
    pub has_sections: bool,
    /// The operators `X[!]`, `X[2!]`, `F[0:3!]` and `G[0:3!]`. On infinite words they are the operators without `!`; on
    /// finite words their steps have to exist.
    pub strong_nexts: Vec<Span>,
    /// The arena.
    pub exprs: LtlExprs,
}

/// A formula with its span.
#[derive(Clone, Debug)]
pub struct LtlExpr {
    /// Where.
    pub span: Span,
    /// The form of the formula.
    pub kind: LtlKind,
}

/// The forms of an LTL formula. Parentheses are not kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LtlKind {
    /// `true`, `1`, `false`, `0`
    Constant(bool),
    /// A name, without the quotes it may have had.
    Proposition(Arc<str>),
    /// `! X F G`, `Y Z O H`
    Unary(UnaryOp, LtlId),
    /// `X[n] f`, `F[n:m] f`, `Y[n] f`, `O[n:m] f`; without `high` for `[n:$]`. `X[n]` has `low == high`.
    Bounded {
        /// One of `X F G Y Z O H`.
        op: UnaryOp,
        /// The first step.
        low: u64,
        /// The last step.
        high: Option<u64>,
        /// What it applies to.
        body: LtlId,
    },
    /// `U R W M S T & ^ | -> <->`
    Binary(BinaryOp, LtlId, LtlId),
}

/// The arena of a text's formulas; children have smaller ids than their parents.
#[derive(Clone, Debug, Default)]
pub struct LtlExprs {
    nodes: IdVec<LtlId, LtlExpr>,
}

impl LtlExprs {
    /// The empty arena.
    pub fn new() -> Self {
        Self::default()
    }
    /// Adds a formula, whose children must be in the arena already.
    pub fn push(&mut self, span: Span, kind: LtlKind) -> LtlId {
        self.nodes.push(LtlExpr { span, kind })
    }
    /// The formula with this id.
    pub fn get(&self, id: LtlId) -> &LtlExpr {
        &self.nodes[id]
    }
    /// The form of the formula with this id.
    pub fn kind(&self, id: LtlId) -> &LtlKind {
        &self.nodes[id].kind
    }
    /// The span of the formula with this id.
    pub fn span(&self, id: LtlId) -> Span {
        self.nodes[id].span
    }
    /// All formulas, children before their parents.
    pub fn enumerate(&self) -> impl Iterator<Item = (LtlId, &LtlExpr)> {
        self.nodes.enumerate()
    }
    /// All ids in order, children before their parents.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = LtlId> + use<> {
        (0..self.nodes.len()).map(LtlId::from_index)
    }
    /// The truth value of a formula without temporal operators, given those of its propositions; `None` if it has a
    /// temporal operator. Linear in the arena.
    pub fn holds(&self, root: LtlId, holds: &dyn Fn(&str) -> bool) -> Option<bool> {
        // Children come before their parents.
        let mut values: Vec<Option<bool>> = Vec::with_capacity(self.nodes.len());
        for (id, expr) in self.enumerate() {
            let of = |id: &LtlId| values[id.index()];
            let value = match &expr.kind {
                LtlKind::Constant(value) => Some(*value),
                LtlKind::Proposition(name) => Some(holds(name)),
                LtlKind::Unary(UnaryOp::Not, a) => of(a).map(|a| !a),
                LtlKind::Binary(op, a, b) => of(a).zip(of(b)).and_then(|(a, b)| match op {
                    BinaryOp::And => Some(a && b),
                    BinaryOp::Or => Some(a || b),
                    BinaryOp::Implies => Some(!a || b),
                    BinaryOp::Iff => Some(a == b),
                    BinaryOp::Xor => Some(a != b),
                    _ => None,
                }),
                LtlKind::Unary(..) | LtlKind::Bounded { .. } => None,
            };
            if id == root {
                return value;
            }
            values.push(value);
        }
        None
    }
    /// Whether two formulas, possibly of different arenas, are the same up to their spans.
    pub fn same(&self, a: LtlId, other: &Self, b: LtlId) -> bool {
        let mut todo = vec![(a, b)];
        while let Some((a, b)) = todo.pop() {
            match (self.kind(a), other.kind(b)) {
                (LtlKind::Unary(x, a), LtlKind::Unary(y, b)) if x == y => todo.push((*a, *b)),
                (
                    LtlKind::Bounded { op: x, low: l, high: h, body: a },
                    LtlKind::Bounded { op: y, low: m, high: i, body: b },
                ) if x == y && l == m && h == i => todo.push((*a, *b)),
                (LtlKind::Binary(x, a, c), LtlKind::Binary(y, b, d)) if x == y => {
                    todo.extend([(*a, *b), (*c, *d)]);
                }
                (
                    x @ (LtlKind::Constant(_) | LtlKind::Proposition(_)),
                    y @ (LtlKind::Constant(_) | LtlKind::Proposition(_)),
                ) if x == y => {}
                _ => return false,
            }
        }
        true
    }
}

/// The level of `! X F G Y Z O H`.
pub(super) const PREFIX: Level = 60;

/// The infix operators of LTL: spellings (the first is printed), level and side. More is tighter.
pub(super) const INFIX: &[(BinaryOp, &[&str], Level, Side)] = &[
    (BinaryOp::Until, &["U"], 50, Side::Right),
    (BinaryOp::Release, &["R", "V"], 50, Side::Right),
    (BinaryOp::WeakUntil, &["W"], 50, Side::Right),
    (BinaryOp::StrongRelease, &["M"], 50, Side::Right),
    (BinaryOp::Since, &["S"], 50, Side::Right),
    (BinaryOp::Trigger, &["T"], 50, Side::Right),
    (BinaryOp::And, &["&", "&&", "/\\", "and", "*"], 40, Side::Left),
    (BinaryOp::Xor, &["^", "xor"], 38, Side::Left),
    (BinaryOp::Or, &["|", "||", "\\/", "or", "+"], 35, Side::Left),
    (BinaryOp::Implies, &["->", "=>", "-->", "==>", "implies"], 30, Side::Right),
    (BinaryOp::Iff, &["<->", "<=>", "<-->", "<==>", "iff"], 30, Side::Right),
];

/// The prefix operators of LTL: spellings, the first is printed.
pub(super) const PREFIXES: &[(UnaryOp, &[&str])] = &[
    (UnaryOp::Not, &["!", "~", "not"]),
    (UnaryOp::Next, &["X", "()"]),
    (UnaryOp::Finally, &["F", "<>"]),
    (UnaryOp::Globally, &["G", "[]"]),
    (UnaryOp::Yesterday, &["Y"]),
    (UnaryOp::WeakYesterday, &["Z"]),
    (UnaryOp::Once, &["O"]),
    (UnaryOp::Historically, &["H"]),
];

/// The first spelling, the level and the side of an infix operator.
pub(super) fn infix(op: BinaryOp) -> Option<(&'static str, Level, Side)> {
    INFIX.iter().find(|row| row.0 == op).map(|row| (row.1[0], row.2, row.3))
}

/// Whether an entry of a list of names, which are separated by commas, is one name: lists of other tools have blanks,
/// semicolons or bars between names.
pub fn is_one_name(entry: &str) -> bool {
    !entry.contains(|c: char| c.is_whitespace() || matches!(c, ';' | '|'))
}
