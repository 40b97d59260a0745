//! Evaluates expressions: an evaluator with an explicit stack turns syntax trees into [`TlsfValue`]s. Definitions are
//! called by value and memoized by their arguments, so shared expressions stay shared; every step counts against a
//! budget, so a parameter that is too large exceeds a limit instead of exhausting memory.

use super::tree::{FormulaTree, TreeId, Trees};
use super::value::{Bus, Enumeration, TlsfValue};
use crate::syntax::tlsf::{TlsfBinder, TlsfDefinition, TlsfExprs, TlsfId, TlsfKind, TlsfModule};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use std::sync::Arc;
use tsl_synth_core::base::{Limit, LimitKind};
use tsl_synth_core::diag::{Code, Diagnostic, Diagnostics};
use tsl_synth_core::source::Name;
use tsl_synth_core::source::Span;
use tsl_synth_ltl::operators::{BigOp, BinaryOp};

/// More errors than this are not collected.
const ERRORS: usize = 200;

/// The operator that a word stands for in other languages.
fn operator_meant(word: &str) -> Option<&'static str> {
    Some(match word.to_lowercase().as_str() {
        "always" | "globally" => "G",
        "eventually" | "finally" => "F",
        "next" => "X",
        "never" => "G !",
        "not" => "!",
        _ => return None,
    })
}

/// A chain of bound names; 0 is empty.
pub(super) type Scope = usize;

/// A constant or function.
#[derive(Clone, Copy, Debug)]
pub(super) enum TlsfMacro<'a> {
    Parameter(TlsfId),
    /// A parameter whose value was given by the caller.
    Given(i64),
    Function(&'a TlsfDefinition),
}

enum TlsfExpandTask {
    /// Pushes the value of an expression.
    Eval(TlsfId, Scope),
    /// Pops the values of the children down to a height and pushes that of the expression.
    Finish(TlsfId, usize),
    /// Pops the arguments down to a height and calls a definition.
    Call(TlsfId, usize),
    /// Pops a guard (with a pattern: what it is matched against), then continues with its body or the next alternative.
    Choose(usize, usize, Scope),
    /// Tries an alternative.
    Try(usize, usize, Scope),
    /// Memoizes the top value as the result of a call.
    Remember(usize, Vec<TlsfValue>),
    /// Enumerates the values of the binders of a big operator, from this binder on, and pushes the value of the body
    /// for each.
    Bind(TlsfId, Scope, usize),
    /// Pops the set, or the two ends, of a binder.
    Spread(TlsfId, Scope, usize),
}

/// The evaluator.
pub(super) struct TlsfExpander<'a> {
    pub(super) exprs: &'a TlsfExprs,
    pub(super) trees: Trees,
    pub(super) buses: Vec<Bus>,
    pub(super) enums: Vec<Enumeration>,
    definitions: Vec<(Name, TlsfMacro<'a>)>,
    by_name: FxHashMap<Arc<str>, usize>,
    /// Signals and values of enumerations.
    pub(super) globals: FxHashMap<Arc<str>, TlsfValue>,
    scopes: Vec<(Scope, Arc<str>, TlsfValue)>,
    tasks: Vec<TlsfExpandTask>,
    values: Vec<TlsfValue>,
    /// A big operator whose instances are collected in place of their values.
    instances: Option<(TlsfId, Vec<Scope>)>,
    /// Results of calls; `None` while the call is being computed.
    known: FxHashMap<(usize, Vec<TlsfValue>), Option<TlsfValue>>,
    pub(super) diagnostics: Diagnostics,
    errors: usize,
    left: usize,
    budget: usize,
}

impl<'a> TlsfExpander<'a> {
    /// An evaluator for the definitions of a file; `given` overrides the values of parameters.
    pub(super) fn new(module: &'a TlsfModule, given: &[(String, i64)], budget: usize) -> Self {
        let mut this = Self {
            exprs: &module.exprs,
            trees: Trees::new(),
            buses: Vec::new(),
            enums: Vec::new(),
            definitions: Vec::new(),
            by_name: FxHashMap::default(),
            globals: FxHashMap::default(),
            scopes: vec![(0, Arc::from(""), TlsfValue::Error)],
            tasks: Vec::new(),
            values: Vec::new(),
            instances: None,
            known: FxHashMap::default(),
            diagnostics: Diagnostics::new(),
            errors: 0,
            left: budget,
            budget,
        };
        for (name, value) in &module.parameters {
            let outside = given.iter().rev().find(|(given, _)| **given == *name.text);
            let definition = outside.map_or(TlsfMacro::Parameter(*value), |(_, v)| TlsfMacro::Given(*v));
            this.define(name, definition);
        }
        for definition in &module.definitions {
            this.define(&definition.name, TlsfMacro::Function(definition));
        }
        this
    }

    /// Whether a name is that of a signal, a value of an enumeration, a parameter or a definition.
    pub(super) fn is_declared(&self, name: &str) -> bool {
        self.globals.contains_key(name) || self.by_name.contains_key(name)
    }

    fn define(&mut self, name: &Name, definition: TlsfMacro<'a>) {
        if let Some(&first) = self.by_name.get(&name.text) {
            let first = self.definitions[first].0.span;
            return self.redefined(name, first);
        }
        self.by_name.insert(name.text.clone(), self.definitions.len());
        self.definitions.push((name.clone(), definition));
    }

    pub(super) fn redefined(&mut self, name: &Name, first: Span) {
        let error = Diagnostic::error(Code::REDEFINITION, format!("`{}` is defined twice", name.text))
            .at(name.span, "the second time")
            .at(first, "the first time");
        self.report(error);
    }

    /// Where a parameter or definition of this name is.
    pub(super) fn defined(&self, name: &str) -> Option<Span> {
        self.by_name.get(name).map(|&d| self.definitions[d].0.span)
    }

    pub(super) fn report(&mut self, error: Diagnostic) {
        self.errors += 1;
        if self.errors <= ERRORS {
            self.diagnostics.push(error);
        }
    }

    pub(super) fn error(&mut self, code: Code, at: Span, message: impl Into<String>) -> TlsfValue {
        self.report(Diagnostic::error(code, message).at(at, ""));
        TlsfValue::Error
    }

    /// Charges steps to the budget.
    pub(super) fn spend(&mut self, steps: usize) -> Result<(), Limit> {
        let left = self.left.checked_sub(steps).ok_or_else(|| {
            let what = format!("expanding the specification takes more than {} steps", self.budget);
            Limit::new(LimitKind::Size, what)
        })?;
        self.left = left;
        Ok(())
    }

    /// The definition that was being expanded within itself most often when the budget was spent, with the number of times.
    pub(super) fn recursion(&self) -> Option<(&Name, usize)> {
        /// Less deep recursion may be intended.
        const FEWEST: usize = 1_000;
        let mut calls = vec![0usize; self.definitions.len()];
        for task in &self.tasks {
            if let TlsfExpandTask::Remember(definition, _) = task {
                calls[*definition] += 1;
            }
        }
        let most = (0..calls.len()).max_by_key(|&i| calls[i]).filter(|&i| calls[i] >= FEWEST)?;
        Some((&self.definitions[most].0, calls[most]))
    }

    /// The value of an expression outside of all definitions.
    ///
    /// # Errors
    /// The budget is spent.
    pub(super) fn expand(&mut self, id: TlsfId) -> Result<TlsfValue, Limit> {
        self.expand_in(id, 0)
    }

    /// The conjuncts of a formula outside of all definitions, those of big conjunctions instance by instance, from left to
    /// right: each with the names that are bound in it, and its value.
    ///
    /// # Errors
    /// The budget is spent.
    pub(super) fn instances(&mut self, id: TlsfId) -> Result<Vec<(TlsfId, Scope, TlsfValue)>, Limit> {
        let (whole, mut found, mut todo) = (id, Vec::new(), vec![(id, 0)]);
        while let Some((id, scope)) = todo.pop() {
            match self.exprs.kind(id) {
                TlsfKind::Binary(BinaryOp::And, a, b) => todo.extend([(*b, scope), (*a, scope)]),
                TlsfKind::Big { op: BigOp::And, body, .. } => {
                    self.instances = Some((id, Vec::new()));
                    self.tasks.push(TlsfExpandTask::Bind(id, scope, 0));
                    let end = self.run()?;
                    let (_, scopes) = self.instances.take().unwrap_or((id, Vec::new()));
                    // A range without values has no conjunct.
                    if scopes.is_empty() && matches!(end, Some(TlsfValue::Error)) {
                        found.push((id, scope, TlsfValue::Error));
                    }
                    todo.extend(scopes.into_iter().rev().map(|scope| (*body, scope)));
                }
                _ => {
                    let value = self.expand_in(id, scope)?;
                    found.push((id, scope, value));
                }
            }
        }
        if found.is_empty() {
            found.push((whole, 0, TlsfValue::Formula(self.trees.bool(true))));
        }
        Ok(found)
    }

    /// The values of the names that are bound in a scope, inner ones first; those that cannot be written are `None`.
    pub(super) fn bound(&self, mut scope: Scope) -> Vec<(Arc<str>, Option<String>)> {
        let mut bound: Vec<(Arc<str>, Option<String>)> = Vec::new();
        while scope != 0 {
            let (parent, name, value) = &self.scopes[scope];
            if !bound.iter().any(|(known, _)| known == name) {
                bound.push((name.clone(), self.written(value)));
            }
            scope = *parent;
        }
        bound
    }

    /// A value as it is written.
    fn written(&self, value: &TlsfValue) -> Option<String> {
        match value {
            TlsfValue::Int(int) => Some(int.to_string()),
            TlsfValue::Bus(bus) => Some(self.buses[*bus].name.to_string()),
            TlsfValue::Variant(sort, value) => Some(self.enums[*sort].values[*value].0.to_string()),
            TlsfValue::Formula(_) => {
                let mut names: Vec<&Arc<str>> =
                    self.globals.iter().filter(|(_, known)| *known == value).map(|(name, _)| name).collect();
                names.sort_unstable();
                names.first().map(ToString::to_string)
            }
            TlsfValue::Set(_) | TlsfValue::Error => None,
        }
    }

    fn expand_in(&mut self, id: TlsfId, scope: Scope) -> Result<TlsfValue, Limit> {
        self.tasks.push(TlsfExpandTask::Eval(id, scope));
        Ok(self.run()?.unwrap_or(TlsfValue::Error))
    }

    /// Does all tasks; the last value.
    fn run(&mut self) -> Result<Option<TlsfValue>, Limit> {
        while let Some(task) = self.tasks.pop() {
            self.spend(1)?;
            match task {
                TlsfExpandTask::Eval(id, scope) => self.eval(id, scope),
                TlsfExpandTask::Finish(id, base) => {
                    let children = self.values.split_off(base);
                    let value = self.compute(id, &children)?;
                    self.values.push(value);
                }
                TlsfExpandTask::Call(id, base) => {
                    let arguments = self.values.split_off(base);
                    if let TlsfKind::Call(name, _) = self.exprs.kind(id) {
                        self.call(id, name, arguments);
                    }
                }
                TlsfExpandTask::Try(definition, i, scope) => self.attempt(definition, i, scope),
                TlsfExpandTask::Choose(definition, i, scope) => self.choose(definition, i, scope),
                TlsfExpandTask::Remember(definition, arguments) => {
                    let value = self.values.last().cloned().unwrap_or(TlsfValue::Error);
                    self.known.insert((definition, arguments), Some(value));
                }
                TlsfExpandTask::Bind(id, scope, i) => self.bind(id, scope, i),
                TlsfExpandTask::Spread(id, scope, i) => self.spread(id, scope, i)?,
            }
        }
        Ok(self.values.pop())
    }

    /// The value as a formula; `None` if it is none, after a report.
    pub(super) fn formula(&mut self, value: &TlsfValue, at: Span) -> Option<TreeId> {
        match value {
            TlsfValue::Formula(tree) => Some(*tree),
            TlsfValue::Error => None,
            TlsfValue::Bus(bus) => {
                let name = self.buses[*bus].name.clone();
                let error = Diagnostic::error(Code::WRONG_KIND, format!("the bus `{name}` is no formula"))
                    .at(at, "a formula was expected")
                    .hint(format!("one of its signals is `{name}[0]`"));
                self.report(error);
                None
            }
            other => {
                self.error(
                    Code::WRONG_KIND,
                    at,
                    format!("a formula was expected, and this is {}", other.sort()),
                );
                None
            }
        }
    }

    /// The value as a number; `None` if it is none, after a report.
    pub(super) fn int(&mut self, value: &TlsfValue, at: Span) -> Option<i64> {
        match value {
            TlsfValue::Int(int) => Some(*int),
            TlsfValue::Error => None,
            other => {
                self.error(
                    Code::WRONG_KIND,
                    at,
                    format!("a number was expected, and this is {}", other.sort()),
                );
                None
            }
        }
    }

    pub(super) fn set(&mut self, value: &TlsfValue, at: Span) -> Option<Rc<[TlsfValue]>> {
        match value {
            TlsfValue::Set(set) => Some(set.clone()),
            TlsfValue::Error => None,
            other => {
                self.error(Code::WRONG_KIND, at, format!("a set was expected, and this is {}", other.sort()));
                None
            }
        }
    }

    fn scope(&mut self, parent: Scope, name: &Arc<str>, value: TlsfValue) -> Scope {
        self.scopes.push((parent, name.clone(), value));
        self.scopes.len() - 1
    }

    fn eval(&mut self, id: TlsfId, scope: Scope) {
        let base = self.values.len();
        let exprs = self.exprs;
        let children: Vec<TlsfId> = match exprs.kind(id) {
            TlsfKind::Name(name) => return self.lookup(id, name, scope),
            TlsfKind::Bool(value) => {
                let tree = self.trees.bool(*value);
                return self.values.push(TlsfValue::Formula(tree));
            }
            TlsfKind::Otherwise => {
                let tree = self.trees.bool(true);
                return self.values.push(TlsfValue::Formula(tree));
            }
            TlsfKind::Int(int) => return self.values.push(TlsfValue::Int(*int)),
            TlsfKind::Big { .. } => {
                self.tasks.push(TlsfExpandTask::Finish(id, base));
                self.tasks.push(TlsfExpandTask::Bind(id, scope, 0));
                return;
            }
            TlsfKind::Call(_, arguments) => {
                self.tasks.push(TlsfExpandTask::Call(id, base));
                self.tasks.extend(arguments.iter().rev().map(|child| TlsfExpandTask::Eval(*child, scope)));
                return;
            }
            TlsfKind::Set(elements) => elements.clone(),
            TlsfKind::Index(a, b) | TlsfKind::Binary(_, a, b) => vec![*a, *b],
            // Patterns have no value.
            TlsfKind::Match(a, _) | TlsfKind::Unary(_, a) | TlsfKind::StrongNext(a) | TlsfKind::SizeOf(a) => {
                vec![*a]
            }
            TlsfKind::Bounded { low, high, body, .. } => vec![*low, *high, *body],
            TlsfKind::Progression { first, second, last } => {
                [Some(*first), *second, Some(*last)].into_iter().flatten().collect()
            }
        };
        self.tasks.push(TlsfExpandTask::Finish(id, base));
        self.tasks.extend(children.into_iter().rev().map(|child| TlsfExpandTask::Eval(child, scope)));
    }

    /// Pushes the value of a name.
    fn lookup(&mut self, id: TlsfId, name: &Arc<str>, mut scope: Scope) {
        while scope != 0 {
            let (parent, bound, value) = &self.scopes[scope];
            if bound == name {
                let value = value.clone();
                return self.values.push(value);
            }
            scope = *parent;
        }
        if self.by_name.contains_key(name) {
            return self.call(id, name, Vec::new());
        }
        if let Some(value) = self.globals.get(name) {
            let value = value.clone();
            return self.values.push(value);
        }
        let mut error = Diagnostic::error(Code::UNKNOWN_NAME, format!("`{name}` is not declared"))
            .at(self.exprs.span(id), "used here");
        match &**name {
            "tt" | "True" | "TRUE" => error = error.hint("the constant is `true`"),
            "ff" | "False" | "FALSE" => error = error.hint("the constant is `false`"),
            _ => {}
        }
        // The other tools of the format call the signals of a bus so.
        let of_bus = name.rsplit_once('_').filter(|(bus, index)| {
            let is_index = !index.is_empty() && index.bytes().all(|b| b.is_ascii_digit());
            is_index && matches!(self.globals.get(*bus), Some(TlsfValue::Bus(_)))
        });
        if let Some((bus, index)) = of_bus {
            error = error.hint(format!("the signals of the bus `{bus}` are written `{bus}[{index}]`"));
        }
        let mut known: Vec<&Arc<str>> = self.globals.keys().chain(self.by_name.keys()).collect();
        known.sort_unstable();
        if let Some(near) = known.into_iter().find(|other| tsl_synth_ltl::spelling::one_edit(name, other)) {
            error = error.hint(format!("did you mean `{near}`?"));
        }
        self.report(error);
        self.values.push(TlsfValue::Error);
    }

    /// Calls a definition.
    fn call(&mut self, id: TlsfId, name: &Arc<str>, arguments: Vec<TlsfValue>) {
        let at = self.exprs.span(id);
        let Some(&index) = self.by_name.get(name) else {
            let known = self.globals.contains_key(name);
            let message = format!("`{name}` is {}", if known { "no function" } else { "not defined" });
            let mut error = Diagnostic::error(Code::NOT_A_FUNCTION, message).at(at, "");
            if !known && let Some(meant) = operator_meant(name) {
                error = error.hint(format!("write `{meant} (..)`"));
            }
            self.report(error);
            return self.values.push(TlsfValue::Error);
        };
        let parameters: &[Name] = match self.definitions[index].1 {
            TlsfMacro::Function(function) => &function.parameters,
            _ => &[],
        };
        if parameters.len() != arguments.len() {
            let message = format!(
                "`{name}` has {} parameters, and {} arguments are given",
                parameters.len(),
                arguments.len()
            );
            let error = Diagnostic::error(Code::ARITY_CLASH, message)
                .at(at, "called here")
                .at(self.definitions[index].0.span, "defined here");
            self.report(error);
            return self.values.push(TlsfValue::Error);
        }
        if arguments.contains(&TlsfValue::Error) {
            return self.values.push(TlsfValue::Error);
        }
        let key = (index, arguments);
        match self.known.get(&key) {
            Some(Some(value)) => {
                let value = value.clone();
                return self.values.push(value);
            }
            Some(None) => {
                let message = format!("`{name}` needs its own value");
                let value = self.error(Code::CIRCULAR_DEFINITION, at, message);
                return self.values.push(value);
            }
            None => {}
        }
        let mut scope = 0;
        for (parameter, value) in parameters.iter().zip(&key.1) {
            scope = self.scope(scope, &parameter.text, value.clone());
        }
        self.known.insert(key.clone(), None);
        self.tasks.push(TlsfExpandTask::Remember(key.0, key.1));
        match self.definitions[index].1 {
            TlsfMacro::Given(value) => self.values.push(TlsfValue::Int(value)),
            TlsfMacro::Parameter(value) => self.tasks.push(TlsfExpandTask::Eval(value, 0)),
            TlsfMacro::Function(_) => self.tasks.push(TlsfExpandTask::Try(index, 0, scope)),
        }
    }

    fn attempt(&mut self, index: usize, i: usize, scope: Scope) {
        let (name, TlsfMacro::Function(function)) = &self.definitions[index] else {
            return self.values.push(TlsfValue::Error);
        };
        match function.alternatives.get(i) {
            Some((None, body)) => self.tasks.push(TlsfExpandTask::Eval(*body, scope)),
            Some((Some(guard), _)) => {
                let guard = match self.exprs.kind(*guard) {
                    TlsfKind::Match(formula, _) => *formula,
                    _ => *guard,
                };
                self.tasks.push(TlsfExpandTask::Choose(index, i, scope));
                self.tasks.push(TlsfExpandTask::Eval(guard, scope));
            }
            None => {
                let message = format!("no alternative of `{}` applies to these arguments", name.text);
                let error = Diagnostic::error(Code::NO_ALTERNATIVE, message)
                    .at(name.span, "")
                    .hint("a last alternative `otherwise : ..` applies always");
                self.report(error);
                self.values.push(TlsfValue::Error);
            }
        }
    }

    fn choose(&mut self, index: usize, i: usize, mut scope: Scope) {
        let value = self.values.pop().unwrap_or(TlsfValue::Error);
        let TlsfMacro::Function(function) = self.definitions[index].1 else { return };
        let (Some(guard), body) = function.alternatives[i] else { return };
        let at = self.exprs.span(guard);
        let Some(formula) = self.formula(&value, at) else { return self.values.push(TlsfValue::Error) };
        let holds = if let TlsfKind::Match(_, pattern) = self.exprs.kind(guard) {
            match self.matched(formula, *pattern) {
                Some(bound) => {
                    for (name, part) in bound {
                        scope = self.scope(scope, &name, TlsfValue::Formula(part));
                    }
                    true
                }
                None => false,
            }
        } else if let Some(value) = self.trees.constant(formula) {
            value
        } else {
            let message = "a guard depends on numbers and sets, not on signals";
            let value = self.error(Code::WRONG_KIND, at, message);
            return self.values.push(value);
        };
        self.tasks.push(if holds {
            TlsfExpandTask::Eval(body, scope)
        } else {
            TlsfExpandTask::Try(index, i + 1, scope)
        });
    }

    /// Matches a formula against a pattern; the result is the subformula for each name of the pattern.
    pub(super) fn matched(&mut self, formula: TreeId, pattern: TlsfId) -> Option<Vec<(Arc<str>, TreeId)>> {
        let (mut bound, mut todo): (Vec<(Arc<str>, TreeId)>, _) = (Vec::new(), vec![(formula, pattern)]);
        while let Some((formula, pattern)) = todo.pop() {
            match (self.exprs.kind(pattern), self.trees.get(formula)) {
                (TlsfKind::Name(name), _) if &**name == "_" => {}
                (TlsfKind::Name(name), _) => match bound.iter().find(|(other, _)| other == name) {
                    Some((_, other)) if *other == formula => {}
                    Some(_) => return None,
                    None => bound.push((name.clone(), formula)),
                },
                (TlsfKind::Bool(x), FormulaTree::Bool(y)) if *x == y => {}
                (TlsfKind::Unary(x, p), FormulaTree::Unary(y, f)) if *x == y => todo.push((f, *p)),
                (TlsfKind::StrongNext(p), FormulaTree::StrongNext(f)) => todo.push((f, *p)),
                (TlsfKind::Binary(x, p, q), FormulaTree::Binary(y, f, g)) if *x == y => {
                    todo.extend([(g, *q), (f, *p)]);
                }
                (
                    TlsfKind::Bool(_) | TlsfKind::Unary(..) | TlsfKind::StrongNext(_) | TlsfKind::Binary(..),
                    _,
                ) => return None,
                _ => {
                    let message = "a pattern is made of names, `_`, constants and operators of formulas";
                    self.error(Code::PATTERN, self.exprs.span(pattern), message);
                    return None;
                }
            }
        }
        Some(bound)
    }

    fn binders(&self, id: TlsfId) -> (BigOp, &'a [TlsfBinder], TlsfId) {
        match self.exprs.kind(id) {
            TlsfKind::Big { op, binders, body } => (*op, binders, *body),
            _ => unreachable!("only big operators have binders"),
        }
    }

    fn bind(&mut self, id: TlsfId, scope: Scope, i: usize) {
        let (_, binders, body) = self.binders(id);
        match binders.get(i) {
            None if self.instances.as_ref().is_some_and(|(own, _)| *own == id) => {
                if let Some((_, scopes)) = &mut self.instances {
                    scopes.push(scope);
                }
            }
            None => self.tasks.push(TlsfExpandTask::Eval(body, scope)),
            Some(binder) => {
                self.tasks.push(TlsfExpandTask::Spread(id, scope, i));
                match binder {
                    TlsfBinder::In(_, set) => self.tasks.push(TlsfExpandTask::Eval(*set, scope)),
                    TlsfBinder::Between { low, high, .. } => {
                        self.tasks.push(TlsfExpandTask::Eval(high.0, scope));
                        self.tasks.push(TlsfExpandTask::Eval(low.0, scope));
                    }
                }
            }
        }
    }

    fn spread(&mut self, id: TlsfId, scope: Scope, i: usize) -> Result<(), Limit> {
        let (_, binders, _) = self.binders(id);
        let last = self.values.pop().unwrap_or(TlsfValue::Error);
        match &binders[i] {
            TlsfBinder::In(name, set) => {
                let Some(set) = self.set(&last, self.exprs.span(*set)) else {
                    self.values.push(TlsfValue::Error);
                    return Ok(());
                };
                self.spend(set.len())?;
                for value in set.iter().rev() {
                    let scope = self.scope(scope, &name.text, value.clone());
                    self.tasks.push(TlsfExpandTask::Bind(id, scope, i + 1));
                }
            }
            TlsfBinder::Between { low, name, high } => {
                let first = self.values.pop().unwrap_or(TlsfValue::Error);
                let first = self.int(&first, self.exprs.span(low.0));
                let last = self.int(&last, self.exprs.span(high.0));
                let (Some(first), Some(last)) = (first, last) else {
                    self.values.push(TlsfValue::Error);
                    return Ok(());
                };
                let first = first.saturating_add(i64::from(low.1));
                let last = last.saturating_sub(i64::from(high.1));
                let count = (i128::from(last) - i128::from(first) + 1).max(0);
                self.spend(usize::try_from(count).unwrap_or(usize::MAX))?;
                for value in (first..=last).rev() {
                    let scope = self.scope(scope, &name.text, TlsfValue::Int(value));
                    self.tasks.push(TlsfExpandTask::Bind(id, scope, i + 1));
                }
            }
        }
        Ok(())
    }
}
