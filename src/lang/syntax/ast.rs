//! Syntax trees of TSL modules: with spans, faithful to the text, names not resolved.
//!
//! One expression type serves formulas, terms, integers and sets alike, since definitions are untyped
//! macros over all of them. Expressions are stored in an arena ([`Exprs`]); children have smaller ids than
//! their parents, so most bottom-up passes are one loop over [`Exprs::enumerate`], and nothing here
//! (building, dropping, comparing) recurses natively.

use std::sync::Arc;

use tsl_synth_core::base::{Id, IdVec};
use tsl_synth_core::define_id;
use tsl_synth_core::source::Name;
use tsl_synth_core::source::{SourceId, Span};
use tsl_synth_ltl::operators::{BigOp, BinaryOp, UnaryOp};

define_id! {
    /// An expression in an [`Exprs`] arena.
    pub struct ExprId;
}

/// One file.
#[derive(Clone, Debug)]
pub struct Module {
    /// The text it was read from.
    pub source: SourceId,
    /// The tag of a first line `#LIA`, `#UF`, `#EUF`.
    pub theory: Option<Theory>,
    /// Everything else, in source order.
    pub items: Vec<Item>,
    /// The arena of all expressions in `items`.
    pub exprs: Exprs,
}

/// A theory tag on the first line, as FORK (`Barnard-PL-Labs/tsltools`) writes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Theory {
    /// Which one.
    pub kind: TheoryKind,
    /// Where, with the `#`.
    pub span: Span,
}

/// The known theory tags.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TheoryKind {
    /// `#UF`: uninterpreted functions.
    Uf,
    /// `#EUF`: with equality.
    Euf,
    /// `#LIA`: linear integer arithmetic.
    Lia,
}

/// A top-level item.
#[derive(Clone, Debug)]
pub enum Item {
    /// `import "path" as Mod`
    Import(Import),
    /// `cell c: 0..3 = 0;`
    Declaration(Declaration),
    /// `press x = !x && X x;`
    Definition(Definition),
    /// `always guarantee { ... }`
    Section(Section),
}

impl Item {
    /// The span of the whole item.
    pub fn span(&self) -> Span {
        match self {
            Self::Import(i) => i.span,
            Self::Declaration(d) => d.span,
            Self::Definition(d) => d.span,
            Self::Section(s) => s.span,
        }
    }
}

/// `import "path" as Mod`, `import patterns as Mod`, `import patterns`
#[derive(Clone, Debug)]
pub struct Import {
    /// The whole clause.
    pub span: Span,
    /// The path without its quotes, or the name of a library.
    pub path: Name,
    /// Whether it is a library that comes with the program.
    pub is_library: bool,
    /// The prefix of the imported names. It may be absent only for a library that comes with the program.
    pub module: Option<Name>,
}

/// What a declaration declares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DeclarationKind {
    /// `input`
    Input,
    /// `output`
    Output,
    /// `cell`
    Cell,
    /// `predicate`
    Predicate,
    /// `function`
    Function,
}

/// A word in front of a declaration that changes its meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Modifier {
    /// Arithmetic saturates at the ends of the range.
    Saturating,
    /// Arithmetic wraps around at the ends of the range.
    Wrapping,
    /// Two evaluations on the same value may differ (a sensor, a judgment of a model).
    Noisy,
}

/// `[saturating|wrapping|noisy] kind names [: signature] [= init];`
#[derive(Clone, Debug)]
pub struct Declaration {
    /// From the first modifier to the `;`.
    pub span: Span,
    /// What it declares.
    pub kind: DeclarationKind,
    /// In source order.
    pub modifiers: Vec<(Modifier, Span)>,
    /// At least one.
    pub names: Vec<Name>,
    /// For each name its width, in `g[3]`, which declares `g[0]`, `g[1]` and `g[2]`.
    pub widths: Vec<Option<ExprId>>,
    /// After the colon.
    pub signature: Option<SortSignature>,
    /// After `=`; only cells have one.
    pub init: Option<ExprId>,
}

/// `A -> B -> Bool`; no arguments for a value.
#[derive(Clone, Debug)]
pub struct SortSignature {
    /// The sorts before the last arrow.
    pub arguments: Vec<SortExpr>,
    /// The last sort.
    pub result: SortExpr,
}

/// A sort with its span.
#[derive(Clone, Debug)]
pub struct SortExpr {
    /// Where.
    pub span: Span,
    /// Which one.
    pub kind: SortKind,
}

/// The forms of a sort.
#[derive(Clone, Debug)]
pub enum SortKind {
    /// `Bool`
    Bool,
    /// `0..3`, both ends included.
    Range {
        /// The least value.
        low: ExprId,
        /// The greatest value.
        high: ExprId,
    },
    /// `Real in -40..125`, both ends included.
    Bounded {
        /// The sort of numbers.
        name: Name,
        /// The least value.
        low: ExprId,
        /// The greatest value.
        high: ExprId,
    },
    /// `enum {a, b}`
    Enum(Vec<Name>),
    /// Any other name.
    Named(Arc<str>),
}

/// `name parameters = alternatives;`, a macro.
#[derive(Clone, Debug)]
pub struct Definition {
    /// From the name to the `;`.
    pub span: Span,
    /// What it defines.
    pub name: Name,
    /// May be empty.
    pub parameters: Vec<Name>,
    /// One without a guard, or one or more with guards.
    pub alternatives: Vec<Alternative>,
}

/// `guard : body` or just `body`.
#[derive(Clone, Debug)]
pub struct Alternative {
    /// When it applies.
    pub guard: AlternativeGuard,
    /// The value of the alternative.
    pub body: ExprId,
}

/// When an alternative of a definition applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AlternativeGuard {
    /// Always: the definition has no guards.
    None,
    /// `cond :`
    When(ExprId),
    /// `otherwise :`
    Otherwise(Span),
}

/// `initially` or `always`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SectionMode {
    /// From step 0, the same as no mode.
    Initially,
    /// In every step.
    Always,
}

/// The player whose behavior a section constrains.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SectionKind {
    /// Assumptions, about the environment.
    Assume,
    /// Guarantees, about the system.
    Guarantee,
}

/// `[initially|always] (assume|guarantee) [after n] { f1; f2; ... }`
#[derive(Clone, Debug)]
pub struct Section {
    /// From the first word to the closing brace.
    pub span: Span,
    /// The words before the opening brace.
    pub header: Span,
    /// `initially`, `always` or nothing.
    pub mode: Option<SectionMode>,
    /// Assumptions or guarantees.
    pub kind: SectionKind,
    /// `after n`.
    pub after: Option<ExprId>,
    /// The formulas.
    pub clauses: Vec<ExprId>,
}

/// An expression with its span.
#[derive(Clone, Debug)]
pub struct Expr {
    /// Where.
    pub span: Span,
    /// The form of the expression.
    pub kind: ExprKind,
}

/// The forms of an expression.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// A signal, cell, function, predicate, definition or parameter.
    Name(Arc<str>),
    /// `true`, `false`
    Bool(bool),
    /// A decimal integer, with its sign.
    Int(i64),
    /// A decimal fraction as written, with its sign: `3.14`.
    Real(Arc<str>),
    /// `f x y`, `f(x, y)`; the constant `c()` has no arguments. `f(x)(y)` is an application of an application.
    Apply {
        /// What is applied: a name, a group, or another application.
        function: ExprId,
        /// In order; empty for a constant.
        arguments: Vec<ExprId>,
        /// How it was written.
        style: ApplicationStyle,
    },
    /// `name[i]`
    Index {
        /// The name.
        name: Arc<str>,
        /// The span of the name.
        name_span: Span,
        /// The index, a number.
        index: ExprId,
    },
    /// `[cell <- value]`, `[cell[i] <- value]`
    Update {
        /// The target.
        cell: Arc<str>,
        /// The span of the target without its index.
        cell_span: Span,
        /// The index of the target.
        index: Option<ExprId>,
        /// The new value.
        value: ExprId,
    },
    /// `op operand`
    Unary(UnaryOp, ExprId),
    /// `X[n] f` (no low bound), `F[n:m] f`
    Bounded {
        /// One of `X Y F G H O`.
        op: UnaryOp,
        /// Before the colon.
        low: Option<ExprId>,
        /// After the colon, or the only one.
        high: ExprId,
        /// What it applies to.
        body: ExprId,
    },
    /// `left op right`
    Binary(BinaryOp, ExprId, ExprId),
    /// `left U[n:m] right`
    BoundedBinary {
        /// One of `U W R M`.
        op: BinaryOp,
        /// Before the colon.
        low: ExprId,
        /// After the colon.
        high: ExprId,
        /// Before the operator.
        left: ExprId,
        /// After the bounds.
        right: ExprId,
    },
    /// `F within n f`, `G for n f`, and likewise with `O` and `H`
    Timed {
        /// One of `F O`, with `within`, and `G H`, with `for`.
        op: UnaryOp,
        /// The number of steps.
        count: ExprId,
        /// What it applies to.
        body: ExprId,
    },
    /// `f every n`
    Every {
        /// What holds at these steps.
        body: ExprId,
        /// The number of steps from each to the next.
        period: ExprId,
    },
    /// `&&[i IN s, 0 <= j < 3] body`
    Big {
        /// Which operator.
        op: BigOp,
        /// In order; later ones may use the names of earlier ones.
        binders: Vec<Binder>,
        /// What is repeated.
        body: ExprId,
    },
    /// `{a, b}`, `{1, 3..7}`; elements may be [`ExprKind::Progression`].
    Set(Vec<ExprId>),
    /// `first..last`, or `first, second..last`; only as an element of a set.
    Progression {
        /// The first element.
        first: ExprId,
        /// The second element, if the step is not 1.
        second: Option<ExprId>,
        /// No element is past this one.
        last: ExprId,
    },
    /// `( inner )`, kept so that printing is faithful.
    Group(ExprId),
}

/// How an application was written. Both styles have the same meaning; only the hints of arity errors differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ApplicationStyle {
    /// `f x y`
    Juxtaposition,
    /// `f(x, y)`, the parenthesis glued to the name.
    Call,
}

/// A binder of a big operator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Binder {
    /// `name IN set`
    In {
        /// The bound name.
        name: Name,
        /// Its values.
        set: ExprId,
    },
    /// `low <= name < high`
    Between {
        /// The lower end.
        low: ExprId,
        /// Whether the lower end is left out (`<`).
        low_strict: bool,
        /// The bound name.
        name: Name,
        /// The upper end.
        high: ExprId,
        /// Whether the upper end is left out (`<`).
        high_strict: bool,
    },
}

/// The arena of a module's expressions.
#[derive(Clone, Debug, Default)]
pub struct Exprs {
    nodes: IdVec<ExprId, Expr>,
}

impl Exprs {
    /// The empty arena.
    pub fn new() -> Self {
        Self::default()
    }
    /// Adds an expression, whose children must be in the arena already.
    pub fn push(&mut self, span: Span, kind: ExprKind) -> ExprId {
        self.nodes.push(Expr { span, kind })
    }
    /// Gives an expression another form, whose children must be older than it.
    pub(super) fn replace(&mut self, id: ExprId, kind: ExprKind) {
        self.nodes[id].kind = kind;
    }
    /// The expression with this id.
    pub fn get(&self, id: ExprId) -> &Expr {
        &self.nodes[id]
    }
    /// The form of the expression with this id.
    pub fn kind(&self, id: ExprId) -> &ExprKind {
        &self.nodes[id].kind
    }
    /// The span of the expression with this id.
    pub fn span(&self, id: ExprId) -> Span {
        self.nodes[id].span
    }
    /// The expression without the parentheses around it.
    pub fn strip(&self, mut id: ExprId) -> ExprId {
        while let ExprKind::Group(inner) = self.nodes[id].kind {
            id = inner;
        }
        id
    }
    /// All expressions, children before their parents.
    pub fn enumerate(&self) -> impl Iterator<Item = (ExprId, &Expr)> {
        self.nodes.enumerate()
    }
    /// How many expressions there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }
    /// Calls `visit` with each child of `id`, from left to right as written.
    pub fn for_each_child(&self, id: ExprId, mut visit: impl FnMut(ExprId)) {
        match &self.nodes[id].kind {
            ExprKind::Name(_) | ExprKind::Bool(_) | ExprKind::Int(_) | ExprKind::Real(_) => {}
            ExprKind::Apply { function, arguments, .. } => {
                visit(*function);
                arguments.iter().copied().for_each(visit);
            }
            ExprKind::Index { index, .. } => visit(*index),
            ExprKind::Update { index, value, .. } => {
                index.iter().copied().for_each(&mut visit);
                visit(*value);
            }
            ExprKind::Unary(_, a) | ExprKind::Group(a) => visit(*a),
            ExprKind::Bounded { low, high, body, .. } => {
                low.iter().copied().for_each(&mut visit);
                visit(*high);
                visit(*body);
            }
            ExprKind::Binary(_, a, b)
            | ExprKind::Timed { count: a, body: b, .. }
            | ExprKind::Every { body: a, period: b } => {
                visit(*a);
                visit(*b);
            }
            ExprKind::BoundedBinary { low, high, left, right, .. } => {
                [*left, *low, *high, *right].into_iter().for_each(visit);
            }
            ExprKind::Big { binders, body, .. } => {
                for binder in binders {
                    match binder {
                        Binder::In { set, .. } => visit(*set),
                        Binder::Between { low, high, .. } => {
                            visit(*low);
                            visit(*high);
                        }
                    }
                }
                visit(*body);
            }
            ExprKind::Set(elements) => elements.iter().copied().for_each(visit),
            ExprKind::Progression { first, second, last } => {
                visit(*first);
                second.iter().copied().for_each(&mut visit);
                visit(*last);
            }
        }
    }
    /// Whether two expressions, possibly of different arenas, are the same up to their spans; with
    /// `ignore_groups` also up to parentheses. Linear, iterative.
    pub fn same(&self, a: ExprId, other: &Self, b: ExprId, ignore_groups: bool) -> bool {
        let mut todo = vec![(a, b)];
        let (mut left, mut right) = (Vec::new(), Vec::new());
        while let Some((a, b)) = todo.pop() {
            let (a, b) = if ignore_groups { (self.strip(a), other.strip(b)) } else { (a, b) };
            if !same_head(self.kind(a), other.kind(b)) {
                return false;
            }
            left.clear();
            right.clear();
            self.for_each_child(a, |c| left.push(c));
            other.for_each_child(b, |c| right.push(c));
            if left.len() != right.len() {
                return false;
            }
            todo.extend(left.iter().copied().zip(right.iter().copied()));
        }
        true
    }
    /// All ids in order, children before their parents.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = ExprId> + use<> {
        (0..self.nodes.len()).map(ExprId::from_index)
    }
}

/// Whether two expressions agree in everything but their children and spans.
fn same_head(a: &ExprKind, b: &ExprKind) -> bool {
    use ExprKind as K;
    match (a, b) {
        (K::Name(x), K::Name(y))
        | (K::Real(x), K::Real(y))
        | (K::Index { name: x, .. }, K::Index { name: y, .. }) => x == y,
        (K::Update { cell: x, index: i, .. }, K::Update { cell: y, index: j, .. }) => {
            x == y && i.is_some() == j.is_some()
        }
        (K::Bool(x), K::Bool(y)) => x == y,
        (K::Int(x), K::Int(y)) => x == y,
        (K::Apply { style: x, .. }, K::Apply { style: y, .. }) => x == y,
        (K::Unary(x, _), K::Unary(y, _)) | (K::Timed { op: x, .. }, K::Timed { op: y, .. }) => x == y,
        (K::Bounded { op: x, low: l, .. }, K::Bounded { op: y, low: m, .. }) => {
            x == y && l.is_some() == m.is_some()
        }
        (K::Binary(x, ..), K::Binary(y, ..))
        | (K::BoundedBinary { op: x, .. }, K::BoundedBinary { op: y, .. }) => x == y,
        (K::Big { op: x, binders: l, .. }, K::Big { op: y, binders: m, .. }) => {
            x == y && l.len() == m.len() && l.iter().zip(m).all(|(l, m)| same_binder(l, m))
        }
        (K::Progression { second: x, .. }, K::Progression { second: y, .. }) => x.is_some() == y.is_some(),
        (K::Set(_), K::Set(_)) | (K::Group(_), K::Group(_)) | (K::Every { .. }, K::Every { .. }) => true,
        _ => false,
    }
}

/// Whether two binders agree in everything but their expressions and spans.
fn same_binder(a: &Binder, b: &Binder) -> bool {
    match (a, b) {
        (Binder::In { name: x, .. }, Binder::In { name: y, .. }) => x.text == y.text,
        (
            Binder::Between { name: x, low_strict: l, high_strict: h, .. },
            Binder::Between { name: y, low_strict: m, high_strict: i, .. },
        ) => x.text == y.text && l == m && h == i,
        _ => false,
    }
}
