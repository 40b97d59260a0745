//! Expands definitions, big operators and bounds: an evaluator with an explicit stack turns syntax trees into
//! [`ExpandedValues`]. Definitions are called by value and memoized by their arguments, so shared expressions stay
//! shared; every step counts against the node budget.

use std::sync::Arc;

use super::modules::Unit;
use super::value::{Expanded, ExpandedId, ExpandedValues, MacroId, NameId, ValueUse};
use crate::syntax::ast::{
    Alternative, AlternativeGuard, ApplicationStyle, Definition, ExprId, ExprKind, Exprs, Item,
};
use rustc_hash::{FxHashMap, FxHashSet};
use tsl_synth_core::base::{IdVec, Limit};
use tsl_synth_core::diag::{Code, Diagnostic, Diagnostics};
use tsl_synth_core::source::Span;

/// More errors than this are not collected.
const ERRORS: usize = 200;

/// A definition with its full name.
#[derive(Debug)]
pub(super) struct Macro<'a> {
    pub(super) unit: usize,
    pub(super) name: Arc<str>,
    pub(super) definition: &'a Definition,
    /// Part of a cycle, or a redefinition: an error was reported.
    pub(super) broken: bool,
}

/// A chain of bound names; 0 is empty.
pub(super) type Scope = usize;

/// Whether a name is evaluated as a value or as the head of an application.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    Value,
    Head,
}

#[derive(Debug)]
pub(super) enum ExpandTask {
    /// Pushes the value of an expression.
    Eval(usize, ExprId, Scope),
    /// Pushes the value of a name.
    Name(usize, Arc<str>, Span, Scope, Use),
    /// Pops the values of the children down to `base` and pushes that of the expression.
    Finish(usize, ExprId, usize),
    /// Pops a guard, then continues with its body or the next alternative.
    Choose(MacroId, usize, Scope),
    /// Memoizes the top value as the result of a call.
    Remember(MacroId, Box<[ExpandedId]>, Span),
    /// Applies the popped value, a result of the definition, to further arguments.
    ApplyTo(MacroId, Box<[ExpandedId]>, Span),
    /// Enumerates the values of the binders of a big operator, from this binder on, and pushes the value of the body
    /// for each.
    Bind(usize, ExprId, Scope, usize),
    /// Pops the set, or the two ends, of a binder.
    Spread(usize, ExprId, Scope, usize),
}

/// The evaluator.
#[derive(Debug)]
pub(super) struct Expander<'a> {
    pub(super) units: &'a [Unit],
    pub(super) values: ExpandedValues,
    pub(super) diagnostics: &'a mut Diagnostics,
    pub(super) macros: IdVec<MacroId, Macro<'a>>,
    pub(super) by_name: FxHashMap<Arc<str>, MacroId>,
    /// For the application `x y` in a written `f(x y)`: the text that was probably meant, `f(x, y)`.
    pub(super) suspects: FxHashMap<ExpandedId, String>,
    scopes: Vec<(Scope, Arc<str>, ExpandedId)>,
    memory: FxHashMap<(MacroId, Box<[ExpandedId]>), ExpandedId>,
    /// The widths of declared names.
    pub(super) widths: FxHashMap<NameId, i64>,
    /// The numbers that were given in the place of definitions.
    given: FxHashMap<MacroId, i64>,
    running: FxHashSet<(MacroId, Box<[ExpandedId]>)>,
    pub(super) tasks: Vec<ExpandTask>,
    pub(super) stack: Vec<ExpandedId>,
    errors: usize,
}

impl<'a> Expander<'a> {
    /// Collects the definitions of all files. Circular ones have to be marked before anything is expanded: see
    /// [`mark_cycles`](super::circular::mark_cycles).
    pub(super) fn new(units: &'a [Unit], limit: usize, diagnostics: &'a mut Diagnostics) -> Self {
        let mut this = Self {
            units,
            values: ExpandedValues::new(limit),
            diagnostics,
            macros: IdVec::new(),
            by_name: FxHashMap::default(),
            suspects: FxHashMap::default(),
            scopes: Vec::new(),
            memory: FxHashMap::default(),
            widths: FxHashMap::default(),
            given: FxHashMap::default(),
            running: FxHashSet::default(),
            tasks: Vec::new(),
            stack: Vec::new(),
            errors: 0,
        };
        for (unit, content) in units.iter().enumerate() {
            for item in &content.module.items {
                if let Item::Definition(definition) = item {
                    this.define(unit, definition);
                }
            }
        }
        this
    }

    fn define(&mut self, unit: usize, definition: &'a Definition) {
        let name: Arc<str> = format!("{}{}", self.units[unit].prefix, definition.name.text).into();
        let mut broken = false;
        if let Some(&first) = self.by_name.get(&name) {
            let first = self.macros[first].definition.name.span;
            self.report(
                Diagnostic::error(Code::REDEFINITION, format!("`{name}` is defined twice"))
                    .at(definition.name.span, "defined again here")
                    .at(first, "first defined here"),
            );
            return;
        }
        for (i, parameter) in definition.parameters.iter().enumerate() {
            if let Some(first) = definition.parameters[..i].iter().find(|p| p.text == parameter.text) {
                broken = true;
                self.report(
                    Diagnostic::error(
                        Code::REDEFINITION,
                        format!("`{name}` has two parameters `{}`", parameter.text),
                    )
                    .at(parameter.span, "the same name again")
                    .at(first.span, "first here"),
                );
            }
        }
        let id = self.macros.push(Macro { unit, name: name.clone(), definition, broken });
        self.by_name.insert(name, id);
    }

    /// Overrides definitions of numbers. It is an error if there is none of this name.
    ///
    /// # Errors
    /// The budget is spent.
    pub(super) fn give(&mut self, parameters: &[(String, i64)]) -> Result<(), Limit> {
        for (name, value) in parameters {
            if let Some(&id) = self.by_name.get(name.as_str())
                && self.is_number(id)?
            {
                self.given.insert(id, *value);
                continue;
            }
            let mut known = Vec::new();
            for id in self.macros.ids() {
                if self.is_number(id)? {
                    known.push(format!("`{}`", self.macros[id].name));
                }
            }
            let message = format!("the specification defines no number `{}`", name.escape_debug());
            self.diagnostics.push(Diagnostic::error(Code::UNKNOWN_PARAMETER, message).hint(
                match known.len() {
                    0 => "a parameter is a definition of a number: `N = 5;`".to_string(),
                    _ => format!("it defines {}", known.join(", ")),
                },
            ));
        }
        // What was computed so far may rest on the numbers of the files.
        self.memory.clear();
        Ok(())
    }

    /// Whether a definition is that of a number, which has no parameters.
    fn is_number(&mut self, id: MacroId) -> Result<bool, Limit> {
        let Macro { unit, definition, broken, .. } = self.macros[id];
        let [Alternative { guard: AlternativeGuard::None, body }] = definition.alternatives[..] else {
            return Ok(false);
        };
        if broken || !definition.parameters.is_empty() {
            return Ok(false);
        }
        // What is wrong with a definition is reported where it is used.
        let found = std::mem::take(self.diagnostics);
        let value = self.expand(unit, body);
        *self.diagnostics = found;
        Ok(matches!(self.values.get(value?), Expanded::Int(_)))
    }

    pub(super) fn exprs(&self, unit: usize) -> &'a Exprs {
        let units: &'a [Unit] = self.units;
        &units[unit].module.exprs
    }

    /// Adds a diagnostic, with the span of the innermost call of a definition.
    pub(super) fn report(&mut self, mut diagnostic: Diagnostic) {
        self.errors += 1;
        if self.errors > ERRORS {
            return;
        }
        let call = self.tasks.iter().rev().find_map(|task| match task {
            ExpandTask::Remember(id, _, span) => Some((*id, *span)),
            _ => None,
        });
        if let Some((id, span)) = call {
            diagnostic = diagnostic.at(span, format!("in `{}`, used here", self.macros[id].name));
        }
        self.diagnostics.push(diagnostic);
    }
    /// Reports an error and returns the error value that replaces the faulty expression.
    pub(super) fn fail(&mut self, diagnostic: Diagnostic, span: Span) -> Result<ExpandedId, Limit> {
        self.report(diagnostic);
        self.values.intern(Expanded::Error, span)
    }

    /// The value of an expression outside of definitions.
    pub(super) fn expand(&mut self, unit: usize, expr: ExprId) -> Result<ExpandedId, Limit> {
        self.tasks.clear();
        self.stack.clear();
        self.running.clear();
        self.scopes.clear();
        self.tasks.push(ExpandTask::Eval(unit, expr, 0));
        while let Some(task) = self.tasks.pop() {
            self.values.charge(1)?;
            self.step(task)?;
        }
        Ok(self.pop())
    }

    pub(super) fn pop(&mut self) -> ExpandedId {
        self.stack.pop().expect("every expression pushes one value")
    }

    fn step(&mut self, task: ExpandTask) -> Result<(), Limit> {
        match task {
            ExpandTask::Eval(unit, expr, scope) => self.eval(unit, expr, scope),
            ExpandTask::Name(unit, text, span, scope, purpose) => {
                self.name(unit, &text, span, scope, purpose)
            }
            ExpandTask::Finish(unit, expr, base) => {
                let operands = self.stack.split_off(base);
                self.finish(unit, expr, &operands)
            }
            ExpandTask::Choose(id, alternative, scope) => {
                let guard = self.pop();
                match self.values.get(guard) {
                    Expanded::Bool(true) => {
                        let body = self.macros[id].definition.alternatives[alternative].body;
                        self.tasks.push(ExpandTask::Eval(self.macros[id].unit, body, scope));
                        Ok(())
                    }
                    Expanded::Bool(false) => self.select(id, alternative + 1, scope),
                    Expanded::Error => {
                        self.stack.push(guard);
                        Ok(())
                    }
                    _ => {
                        let span = self.guard_span(id, alternative);
                        let message = format!(
                            "a guard must be true or false without running, but this is {}",
                            self.values.describe(guard)
                        );
                        let value = self.fail(
                            Diagnostic::error(Code::WRONG_KIND, message)
                                .at(span, "not known before running")
                                .hint("guards compare numbers and sets of the specification: `n == 0 : ...`"),
                            span,
                        )?;
                        self.stack.push(value);
                        Ok(())
                    }
                }
            }
            ExpandTask::Remember(id, arguments, _) => {
                let value = *self.stack.last().expect("a call pushes one value");
                let key = (id, arguments);
                self.running.remove(&key);
                self.memory.insert(key, value);
                Ok(())
            }
            ExpandTask::ApplyTo(id, arguments, span) => {
                let function = self.pop();
                if !matches!(
                    self.values.class(function),
                    ValueUse::Term | ValueUse::Closure | ValueUse::Error
                ) {
                    let Macro { name, definition, .. } = &self.macros[id];
                    let takes = definition.parameters.len();
                    let message =
                        format!("`{name}` takes {takes} arguments and has {}", takes + arguments.len());
                    let diagnostic = Diagnostic::error(Code::ARITY_CLASH, message)
                        .at(span, "too many arguments here")
                        .at(definition.name.span, "defined here");
                    let value = self.fail(diagnostic, span)?;
                    self.stack.push(value);
                    return Ok(());
                }
                self.apply(function, &arguments, ApplicationStyle::Juxtaposition, span)
            }
            ExpandTask::Bind(unit, expr, scope, binder) => {
                self.bind(unit, expr, scope, binder);
                Ok(())
            }
            ExpandTask::Spread(unit, expr, scope, binder) => self.spread(unit, expr, scope, binder),
        }
    }

    fn eval(&mut self, unit: usize, expr: ExprId, scope: Scope) -> Result<(), Limit> {
        let exprs = self.exprs(unit);
        let span = exprs.span(expr);
        match exprs.kind(expr) {
            ExprKind::Name(text) => self.name(unit, text, span, scope, Use::Value),
            ExprKind::Bool(b) => self.push(Expanded::Bool(*b), span),
            ExprKind::Int(i) => self.push(Expanded::Int(*i), span),
            ExprKind::Real(r) => self.push(Expanded::Real(r.clone()), span),
            ExprKind::Group(inner) => {
                self.tasks.push(ExpandTask::Eval(unit, *inner, scope));
                Ok(())
            }
            ExprKind::Big { .. } => {
                let base = self.stack.len();
                self.tasks.push(ExpandTask::Finish(unit, expr, base));
                self.tasks.push(ExpandTask::Bind(unit, expr, scope, 0));
                Ok(())
            }
            kind => {
                self.tasks.push(ExpandTask::Finish(unit, expr, self.stack.len()));
                let first = self.tasks.len();
                if let ExprKind::Update { cell, cell_span, .. }
                | ExprKind::Index { name: cell, name_span: cell_span, .. } = kind
                {
                    self.tasks.push(ExpandTask::Name(unit, cell.clone(), *cell_span, scope, Use::Value));
                }
                exprs.for_each_child(expr, |child| self.tasks.push(ExpandTask::Eval(unit, child, scope)));
                if let ExprKind::Apply { function, .. } = kind
                    && let ExprKind::Name(text) = exprs.kind(exprs.strip(*function))
                {
                    self.tasks[first] =
                        ExpandTask::Name(unit, text.clone(), exprs.span(*function), scope, Use::Head);
                }
                self.tasks[first..].reverse();
                Ok(())
            }
        }
    }

    pub(super) fn push(&mut self, value: Expanded, span: Span) -> Result<(), Limit> {
        let id = self.values.intern(value, span)?;
        self.stack.push(id);
        Ok(())
    }

    pub(super) fn push_id(&mut self, value: ExpandedId) {
        self.stack.push(value);
    }

    fn name(
        &mut self,
        unit: usize,
        text: &Arc<str>,
        span: Span,
        scope: Scope,
        purpose: Use,
    ) -> Result<(), Limit> {
        let mut at = scope;
        while at > 0 {
            let (outer, bound, value) = &self.scopes[at - 1];
            if bound == text {
                self.stack.push(*value);
                return Ok(());
            }
            at = *outer;
        }
        let full = format!("{}{text}", self.units[unit].prefix);
        match self.by_name.get(full.as_str()) {
            Some(&id) if self.macros[id].broken => self.push(Expanded::Error, span),
            Some(id) if self.given.contains_key(id) => {
                let value = self.given[id];
                self.push(Expanded::Int(value), span)
            }
            Some(&id) if self.macros[id].definition.parameters.is_empty() => {
                self.call(id, Box::default(), span)
            }
            Some(&id) => self.push(Expanded::Closure(id, Box::default()), span),
            None => {
                let name = self.values.name(&full);
                if purpose == Use::Value {
                    return self.push(Expanded::Name(name), span);
                }
                let head = self.values.head(name, span)?;
                self.stack.push(head);
                Ok(())
            }
        }
    }

    pub(super) fn scope(&mut self, outer: Scope, name: &Arc<str>, value: ExpandedId) -> Scope {
        self.scopes.push((outer, name.clone(), value));
        self.scopes.len()
    }

    pub(super) fn call(
        &mut self,
        id: MacroId,
        arguments: Box<[ExpandedId]>,
        span: Span,
    ) -> Result<(), Limit> {
        let key = (id, arguments);
        if let Some(&value) = self.memory.get(&key) {
            self.stack.push(value);
            return Ok(());
        }
        if !self.running.insert(key.clone()) {
            let message = format!("`{}` needs its own value", self.macros[id].name);
            let diagnostic =
                Diagnostic::error(Code::CIRCULAR_DEFINITION, message).at(span, "used while it is expanded");
            let value = self.fail(diagnostic, span)?;
            self.stack.push(value);
            return Ok(());
        }
        let definition = self.macros[id].definition;
        let mut scope = 0;
        for (parameter, &value) in definition.parameters.iter().zip(&key.1) {
            scope = self.scope(scope, &parameter.text, value);
        }
        self.tasks.push(ExpandTask::Remember(id, key.1, span));
        self.select(id, 0, scope)
    }

    fn guard_span(&self, id: MacroId, alternative: usize) -> Span {
        let Macro { unit, definition, .. } = &self.macros[id];
        match definition.alternatives[alternative].guard {
            AlternativeGuard::When(guard) => self.exprs(*unit).span(guard),
            AlternativeGuard::Otherwise(span) => span,
            AlternativeGuard::None => definition.span,
        }
    }

    fn select(&mut self, id: MacroId, alternative: usize, scope: Scope) -> Result<(), Limit> {
        let Macro { unit, definition, ref name, .. } = self.macros[id];
        match definition.alternatives.get(alternative) {
            Some(Alternative { guard: AlternativeGuard::When(guard), .. }) => {
                self.tasks.push(ExpandTask::Choose(id, alternative, scope));
                self.tasks.push(ExpandTask::Eval(unit, *guard, scope));
            }
            Some(Alternative { body, .. }) => self.tasks.push(ExpandTask::Eval(unit, *body, scope)),
            None => {
                let diagnostic =
                    Diagnostic::error(Code::NO_ALTERNATIVE, format!("no guard of `{name}` is true here"))
                        .at(definition.name.span, "defined here")
                        .hint("add a last alternative `otherwise : ...`");
                let value = self.fail(diagnostic, definition.span)?;
                self.stack.push(value);
            }
        }
        Ok(())
    }
}
