//! Expressions after expansion: names prefixed by their module, definitions and big operators gone, equal
//! expressions shared. Values live in an arena; operands have smaller ids, so all passes are loops.

use std::sync::Arc;

use super::signature::Operator;
use rustc_hash::{FxHashMap, FxHashSet};
use tsl_synth_core::base::{IdVec, Limit, LimitKind, Rational};
use tsl_synth_core::define_id;
use tsl_synth_core::source::Span;

define_id! {
    /// A value in [`ExpandedValues`].
    pub(super) struct ExpandedId;
    /// A full name.
    pub(super) struct NameId;
    /// A definition of any module.
    pub(super) struct MacroId;
}

/// An expanded expression.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Expanded {
    /// A signal; or a function, as the argument of a definition.
    Name(NameId),
    Bool(bool),
    Int(i64),
    Real(Arc<str>),
    /// An application; the constant `c()` has no arguments.
    Apply(NameId, Box<[ExpandedId]>),
    /// Arithmetic or a comparison on data.
    Operation(Operator, ExpandedId, ExpandedId),
    Update(NameId, ExpandedId),
    Not(ExpandedId),
    And(Box<[ExpandedId]>),
    Or(Box<[ExpandedId]>),
    Implies(ExpandedId, ExpandedId),
    Iff(ExpandedId, ExpandedId),
    Next(ExpandedId),
    Finally(ExpandedId),
    Globally(ExpandedId),
    Until(ExpandedId, ExpandedId),
    Release(ExpandedId, ExpandedId),
    WeakUntil(ExpandedId, ExpandedId),
    StrongRelease(ExpandedId, ExpandedId),
    /// False in step 0, then the operand of the step before.
    Yesterday(ExpandedId),
    Since(ExpandedId, ExpandedId),
    /// The number of the step, from 0, is a multiple of this one, which is at least 2.
    Tick(i64),
    /// Distinct values in the order of their first mention.
    Set(Box<[ExpandedId]>),
    /// A partially applied definition.
    Closure(MacroId, Box<[ExpandedId]>),
    /// The value of an expression about which an error was reported.
    Error,
}

/// What a value can be used as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ValueUse {
    /// A name, literal of data, application, or arithmetic: a term, and a formula if it is Boolean.
    Term,
    /// An integer: a term and a number of the specification language.
    Int,
    /// `true` or `false`: a term and a formula.
    Bool,
    /// A comparison on data: a Boolean term and a formula.
    Comparison,
    /// Arithmetic or a decimal number: a term, never a formula.
    Number,
    /// A formula that is no term.
    Formula,
    Set,
    Closure,
    Error,
}

impl Expanded {
    pub(super) fn class(&self) -> ValueUse {
        match self {
            Self::Name(_) | Self::Apply(..) => ValueUse::Term,
            Self::Bool(_) => ValueUse::Bool,
            Self::Int(_) => ValueUse::Int,
            Self::Operation(Operator::Equal | Operator::Greater, ..) => ValueUse::Comparison,
            Self::Real(_) | Self::Operation(..) => ValueUse::Number,
            Self::Set(_) => ValueUse::Set,
            Self::Closure(..) => ValueUse::Closure,
            Self::Error => ValueUse::Error,
            _ => ValueUse::Formula,
        }
    }
    /// Whether it is a Boolean operator on formulas.
    pub(super) fn is_boolean_operator(&self) -> bool {
        matches!(self, Self::Not(_) | Self::And(_) | Self::Or(_) | Self::Implies(..) | Self::Iff(..))
    }
    /// Whether it is a temporal operator about the future.
    pub(super) fn is_future_operator(&self) -> bool {
        matches!(
            self,
            Self::Next(_)
                | Self::Finally(_)
                | Self::Globally(_)
                | Self::Until(..)
                | Self::Release(..)
                | Self::WeakUntil(..)
                | Self::StrongRelease(..)
        )
    }
    /// Whether it is a temporal operator about the past.
    pub(super) fn is_past_operator(&self) -> bool {
        matches!(self, Self::Yesterday(_) | Self::Since(..))
    }
    pub(super) fn for_each_operand(&self, mut visit: impl FnMut(ExpandedId)) {
        match self {
            Self::Name(_) | Self::Bool(_) | Self::Int(_) | Self::Real(_) | Self::Tick(_) | Self::Error => {}
            Self::Apply(_, vs) | Self::And(vs) | Self::Or(vs) | Self::Set(vs) | Self::Closure(_, vs) => {
                vs.iter().copied().for_each(visit);
            }
            Self::Update(_, v)
            | Self::Not(v)
            | Self::Next(v)
            | Self::Finally(v)
            | Self::Globally(v)
            | Self::Yesterday(v) => visit(*v),
            Self::Operation(_, a, b)
            | Self::Implies(a, b)
            | Self::Iff(a, b)
            | Self::Until(a, b)
            | Self::Release(a, b)
            | Self::WeakUntil(a, b)
            | Self::StrongRelease(a, b)
            | Self::Since(a, b) => {
                visit(*a);
                visit(*b);
            }
        }
    }
}

impl ValueUse {
    pub(super) fn is_term(self) -> bool {
        matches!(self, Self::Term | Self::Int | Self::Bool | Self::Comparison | Self::Number)
    }
    pub(super) fn is_formula(self) -> bool {
        matches!(self, Self::Term | Self::Bool | Self::Comparison | Self::Formula)
    }
}

/// The arena of values, with the span where each was first written, and the table of names.
#[derive(Debug)]
pub(super) struct ExpandedValues {
    nodes: IdVec<ExpandedId, Expanded>,
    spans: IdVec<ExpandedId, Span>,
    index: FxHashMap<Expanded, ExpandedId>,
    names: IdVec<NameId, Arc<str>>,
    name_index: FxHashMap<Arc<str>, NameId>,
    /// Names that were only applied so far; their span is replaced when they are first used as a signal.
    heads: FxHashSet<ExpandedId>,
    /// The remaining budget of nodes; operands count as well.
    left: usize,
}

impl ExpandedValues {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            nodes: IdVec::new(),
            spans: IdVec::new(),
            index: FxHashMap::default(),
            names: IdVec::new(),
            name_index: FxHashMap::default(),
            heads: FxHashSet::default(),
            left: limit,
        }
    }
    pub(super) fn name(&mut self, text: &str) -> NameId {
        if let Some(&id) = self.name_index.get(text) {
            return id;
        }
        let text: Arc<str> = text.into();
        let id = self.names.push(text.clone());
        self.name_index.insert(text, id);
        id
    }
    pub(super) fn text(&self, name: NameId) -> &Arc<str> {
        &self.names[name]
    }
    /// Gives a name another text, the first one of `base`, `base1`, `base2`, .. that is no name yet.
    pub(super) fn rename(&mut self, name: NameId, base: &str) {
        let numbered = (1..).map(|number| format!("{base}{number}"));
        let mut texts = std::iter::once(base.to_owned()).chain(numbered);
        let Some(text) = texts.find(|text| !self.name_index.contains_key(text.as_str())) else { return };
        let text: Arc<str> = text.into();
        self.name_index.remove(&self.names[name]);
        self.names[name] = text.clone();
        self.name_index.insert(text, name);
    }
    pub(super) fn intern(&mut self, value: Expanded, span: Span) -> Result<ExpandedId, Limit> {
        if let Some(&id) = self.index.get(&value) {
            if self.heads.remove(&id) {
                self.spans[id] = span;
            }
            return Ok(id);
        }
        let mut cost = 1;
        value.for_each_operand(|_| cost += 1);
        self.charge(cost)?;
        let id = self.nodes.push(value.clone());
        self.spans.push(span);
        self.index.insert(value, id);
        Ok(id)
    }
    /// The value of a name that is about to be applied.
    pub(super) fn head(&mut self, name: NameId, span: Span) -> Result<ExpandedId, Limit> {
        let value = Expanded::Name(name);
        if let Some(&id) = self.index.get(&value) {
            return Ok(id);
        }
        let id = self.intern(value, span)?;
        self.heads.insert(id);
        Ok(id)
    }
    /// Charges `cost` nodes to the budget.
    pub(super) fn charge(&mut self, cost: usize) -> Result<(), Limit> {
        match self.left.checked_sub(cost) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => Err(Limit::new(
                LimitKind::Size,
                "the specification is too large after expanding definitions, big operators and bounds",
            )),
        }
    }
    pub(super) fn left(&self) -> usize {
        self.left
    }
    pub(super) fn get(&self, id: ExpandedId) -> &Expanded {
        &self.nodes[id]
    }
    pub(super) fn span(&self, id: ExpandedId) -> Span {
        self.spans[id]
    }
    /// The number that a value is.
    pub(super) fn number(&self, id: ExpandedId) -> Option<Rational> {
        match &self.nodes[id] {
            Expanded::Int(value) => Rational::integer((*value).into()),
            Expanded::Real(text) => Rational::parse(text),
            _ => None,
        }
    }
    pub(super) fn class(&self, id: ExpandedId) -> ValueUse {
        self.nodes[id].class()
    }
    /// All values reachable from the roots, in the order of ids.
    pub(super) fn reachable(&self, roots: impl IntoIterator<Item = ExpandedId>) -> Vec<ExpandedId> {
        let mut seen: FxHashSet<ExpandedId> = FxHashSet::default();
        let mut todo: Vec<ExpandedId> = roots.into_iter().filter(|&v| seen.insert(v)).collect();
        while let Some(id) = todo.pop() {
            self.nodes[id].for_each_operand(|v| {
                if seen.insert(v) {
                    todo.push(v);
                }
            });
        }
        let mut all: Vec<ExpandedId> = seen.into_iter().collect();
        all.sort_unstable();
        all
    }
    /// A description of a value, for messages.
    pub(super) fn describe(&self, id: ExpandedId) -> String {
        match self.get(id) {
            Expanded::Name(name) => format!("the name `{}`", self.text(*name)),
            Expanded::Apply(name, _) => format!("a term of `{}`", self.text(*name)),
            Expanded::Bool(b) => format!("`{b}`"),
            Expanded::Int(i) => format!("the number {i}"),
            Expanded::Real(r) => format!("the number {r}"),
            Expanded::Operation(Operator::Equal | Operator::Greater, ..) => "a comparison".into(),
            Expanded::Operation(..) => "arithmetic".into(),
            Expanded::Update(..) => "an update".into(),
            Expanded::Set(_) => "a set".into(),
            Expanded::Closure(_, arguments) if arguments.is_empty() => {
                "a definition without its arguments".into()
            }
            Expanded::Closure(..) => "a definition that misses arguments".into(),
            _ => "a formula".into(),
        }
    }
}
