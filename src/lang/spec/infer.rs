//! Names and sorts: which name is an input, cell, function or predicate, and first-order unification of
//! sorts over everything that the clauses mention.

use super::declare::Declarations;
use super::signature::{LiteralValue, Operator, Overflow, Sort, Symbol, SymbolId, SymbolKind};
use super::sorts::{Sorts, Var};
use super::value::{Expanded, ExpandedId, ExpandedValues, NameId};
use crate::syntax::ast::DeclarationKind;
use rustc_hash::{FxHashMap, FxHashSet};
use tsl_synth_core::base::IdVec;
use tsl_synth_core::diag::{Code, Diagnostic, Diagnostics};
use tsl_synth_core::source::Span;

/// How a name is used.
#[derive(Clone, Debug)]
struct Usage {
    name: NameId,
    result: Var,
    arguments: Vec<Var>,
    /// The first span where it is updated, used as a signal, read, applied (to how many arguments).
    updated: Option<Span>,
    signal: Option<Span>,
    read: Option<Span>,
    applied: Option<(usize, Span)>,
}

/// The result of inference.
#[derive(Debug)]
pub(super) struct Inferred {
    pub(super) symbols: IdVec<SymbolId, Symbol>,
    pub(super) by_name: FxHashMap<NameId, SymbolId>,
    /// Where each symbol is first mentioned.
    pub(super) places: IdVec<SymbolId, Span>,
    /// The outputs that the system chooses.
    pub(super) chosen: FxHashSet<SymbolId>,
}

/// Infers kinds and sorts from all values reachable from the roots (formulas).
pub(super) fn infer(
    values: &ExpandedValues,
    roots: &[ExpandedId],
    declarations: &Declarations,
    suspects: &FxHashMap<ExpandedId, String>,
    strict: bool,
    diagnostics: &mut Diagnostics,
) -> Inferred {
    let mut inference = Inference {
        values,
        declarations,
        suspects,
        diagnostics,
        sorts: Sorts::default(),
        usages: Vec::new(),
        by_name: FxHashMap::default(),
        operations: FxHashMap::default(),
    };
    inference.declare();
    inference.visit(roots);
    inference.finish(strict)
}

struct Inference<'a> {
    values: &'a ExpandedValues,
    declarations: &'a Declarations,
    suspects: &'a FxHashMap<ExpandedId, String>,
    diagnostics: &'a mut Diagnostics,
    sorts: Sorts,
    usages: Vec<Usage>,
    by_name: FxHashMap<NameId, usize>,
    /// The sort variable of each arithmetic operation.
    operations: FxHashMap<ExpandedId, Var>,
}

impl Inference<'_> {
    fn usage(&mut self, name: NameId) -> usize {
        if let Some(&i) = self.by_name.get(&name) {
            return i;
        }
        let result = self.sorts.fresh();
        let usage = Usage {
            name,
            result,
            arguments: Vec::new(),
            updated: None,
            signal: None,
            read: None,
            applied: None,
        };
        self.by_name.insert(name, self.usages.len());
        self.usages.push(usage);
        self.usages.len() - 1
    }

    fn declare(&mut self) {
        for declared in &self.declarations.all {
            let i = self.usage(declared.name);
            let name = self.values.text(declared.name);
            if let Some(sort) = &declared.sort {
                let var = self.usages[i].result;
                // Fixing the sort of a fresh variable cannot fail.
                let _ = self.sorts.fix(var, sort, declared.span, &format!("`{name}` is declared here"));
            }
            for sort in &declared.arguments {
                let var = self.sorts.fresh();
                let _ = self.sorts.fix(var, sort, declared.span, &format!("`{name}` is declared here"));
                self.usages[i].arguments.push(var);
            }
            if let Some((initial, span)) = declared.initial {
                let reachable = self.values.reachable([initial]);
                for &value in &reachable {
                    self.node(value);
                    if let Expanded::Name(name) = self.values.get(value)
                        && !self.declarations.variants.contains_key(name)
                    {
                        let text = self.values.text(*name);
                        let message = format!("an initial value is a constant, but `{text}` is a signal");
                        self.diagnostics.push(
                            Diagnostic::error(Code::NOT_CONSTANT, message)
                                .at(span, "not known before the first step")
                                .hint(format!("a constant is written `{text}()`")),
                        );
                    }
                }
                let var = self.usages[i].result;
                self.edge(initial, var, false);
            }
        }
    }

    fn visit(&mut self, roots: &[ExpandedId]) {
        for value in self.values.reachable(roots.iter().copied()) {
            self.node(value);
        }
        for &root in roots {
            self.formula(root);
        }
    }

    fn formula(&mut self, value: ExpandedId) {
        if matches!(self.values.get(value), Expanded::Name(_) | Expanded::Apply(..)) {
            let var = self.sorts.boolean(self.values.span(value));
            self.edge(value, var, true);
        }
    }

    fn node(&mut self, value: ExpandedId) {
        let span = self.values.span(value);
        match self.values.get(value) {
            Expanded::Name(_)
            | Expanded::Bool(_)
            | Expanded::Int(_)
            | Expanded::Real(_)
            | Expanded::Tick(_)
            | Expanded::Set(_)
            | Expanded::Closure(..)
            | Expanded::Error => {}
            Expanded::Apply(name, arguments) => self.application(value, *name, arguments, span),
            Expanded::Update(name, term) => {
                let i = self.usage(*name);
                self.usages[i].updated.get_or_insert(span);
                let var = self.usages[i].result;
                let keeps = matches!(self.values.get(*term), Expanded::Name(n) if n == name);
                self.edge(*term, var, !keeps);
            }
            Expanded::Operation(operator, a, b) => {
                let var = self.sorts.fresh();
                match operator {
                    Operator::Equal => {}
                    Operator::Greater => self.numeric(var, span),
                    _ => {
                        self.numeric(var, span);
                        self.operations.insert(value, var);
                    }
                }
                self.edge(*a, var, true);
                self.edge(*b, var, true);
            }
            other => {
                let mut operands = Vec::new();
                other.for_each_operand(|v| operands.push(v));
                for v in operands {
                    self.formula(v);
                }
            }
        }
    }

    fn application(&mut self, value: ExpandedId, name: NameId, arguments: &[ExpandedId], span: Span) {
        let i = self.usage(name);
        let declared = self.declarations.by_name.get(&name).map(|&d| &self.declarations.all[d]);
        if let Some(arity) = declared.and_then(|d| d.arity)
            && self.usages[i].applied.is_none()
        {
            self.usages[i].applied = Some((arity, declared.map_or(span, |d| d.span)));
        }
        match self.usages[i].applied {
            Some((arity, first)) if arity != arguments.len() => {
                let text = self.values.text(name);
                let counted = |n: usize| if n == 1 { "1 argument".into() } else { format!("{n} arguments") };
                let message = format!(
                    "`{text}` has {} here and {} elsewhere",
                    counted(arguments.len()),
                    counted(arity)
                );
                let mut diagnostic = Diagnostic::error(Code::ARITY_CLASH, message)
                    .at(span, format!("{} here", counted(arguments.len())))
                    .at(first, format!("{} here", counted(arity)));
                for argument in arguments {
                    if let Some(meant) = self.suspects.get(argument) {
                        diagnostic = diagnostic.hint(format!("did you mean `{meant}`?"));
                    }
                }
                if let Some(meant) = self.suspects.get(&value) {
                    diagnostic = diagnostic.hint(format!("did you mean `{meant}`?"));
                }
                self.diagnostics.push(diagnostic);
                return;
            }
            _ => {
                self.usages[i].applied.get_or_insert((arguments.len(), span));
            }
        }
        if let Some(signal) = self.usages[i].signal.or(self.usages[i].updated) {
            self.signal_clash(name, signal, span, Some(value));
        }
        while self.usages[i].arguments.len() < arguments.len() {
            let var = self.sorts.fresh();
            self.usages[i].arguments.push(var);
        }
        for (k, &argument) in arguments.iter().enumerate() {
            let var = self.usages[i].arguments[k];
            self.edge(argument, var, true);
        }
    }

    fn signal_clash(&mut self, name: NameId, signal: Span, applied: Span, application: Option<ExpandedId>) {
        let text = self.values.text(name);
        let message = format!("`{text}` is used as a signal and as a function or constant");
        let mut diagnostic = Diagnostic::error(Code::NAME_CLASH, message)
            .at(applied, "applied here")
            .at(signal, "a signal here");
        match application.and_then(|a| self.suspects.get(&a)) {
            Some(meant) => diagnostic = diagnostic.hint(format!("did you mean `{meant}`?")),
            None if application
                .is_some_and(|a| matches!(self.values.get(a), Expanded::Apply(_, all) if all.is_empty())) =>
            {
                diagnostic = diagnostic.hint(format!("if it is a constant, write `{text}()` everywhere"));
            }
            None => {
                diagnostic = diagnostic.hint("is an operator missing between the name and what follows it?");
            }
        }
        self.diagnostics.push(diagnostic);
    }

    /// Requires the term to have the sort of the variable; `reads` marks the occurrence of a signal as a read.
    fn edge(&mut self, term: ExpandedId, var: Var, reads: bool) {
        let span = self.values.span(term);
        match self.values.get(term) {
            Expanded::Bool(_) | Expanded::Operation(Operator::Equal | Operator::Greater, ..) => {
                let boolean = self.sorts.boolean(span);
                self.unify(var, boolean, span, term);
            }
            Expanded::Int(_) | Expanded::Real(_) => self.numeric(var, span),
            Expanded::Operation(..) => {
                if let Some(&other) = self.operations.get(&term) {
                    self.unify(var, other, span, term);
                }
            }
            Expanded::Name(name) => {
                if let Some(enums) = self.declarations.variants.get(name) {
                    self.variant(*name, enums, var, span);
                    return;
                }
                let i = self.usage(*name);
                self.usages[i].signal.get_or_insert(span);
                if reads {
                    self.usages[i].read.get_or_insert(span);
                }
                if self.usages[i].applied.is_some() && self.declarations.by_name.contains_key(name) {
                    // Reported elsewhere, against the declaration.
                    return;
                }
                if let Some((_, applied)) = self.usages[i].applied {
                    let suspected = self.suspected(*name);
                    self.signal_clash(*name, span, applied, suspected);
                    return;
                }
                let other = self.usages[i].result;
                self.unify(var, other, span, term);
            }
            Expanded::Apply(name, _) => {
                let i = self.usage(*name);
                let other = self.usages[i].result;
                self.unify(var, other, span, term);
            }
            _ => {}
        }
    }

    /// An application of this name that was written as `f(name y)`.
    fn suspected(&self, name: NameId) -> Option<ExpandedId> {
        let mut found: Vec<ExpandedId> = self
            .suspects
            .keys()
            .copied()
            .filter(|&v| matches!(self.values.get(v), Expanded::Apply(n, _) if *n == name))
            .collect();
        found.sort_unstable();
        found.first().copied()
    }

    fn variant(&mut self, name: NameId, enums: &[Vec<String>], var: Var, span: Span) {
        let sort = match self.sorts.known(var) {
            Some(Sort::Enum(names)) if names.iter().any(|n| **n == **self.values.text(name)) => return,
            _ => Sort::Enum(enums[0].clone()),
        };
        let text = format!("`{}` is one of its values", self.values.text(name));
        if let Err(clash) = self.sorts.fix(var, &sort, span, &text) {
            self.diagnostics.push(clash.diagnostic("one value", span));
        }
    }

    fn numeric(&mut self, var: Var, span: Span) {
        if let Err(clash) = self.sorts.numeric(var, span) {
            self.diagnostics.push(clash.diagnostic("one value", span));
        }
    }

    fn unify(&mut self, a: Var, b: Var, span: Span, term: ExpandedId) {
        if let Err(clash) = self.sorts.unify(a, b) {
            let subject = match self.values.get(term) {
                Expanded::Name(name) => format!("`{}`", self.values.text(*name)),
                Expanded::Apply(name, _) => format!("a value of `{}`", self.values.text(*name)),
                _ => "one value".into(),
            };
            let mut diagnostic = clash.diagnostic(&subject, span);
            if let Some(meant) = self.suspects.get(&term) {
                diagnostic = diagnostic.hint(format!("did you mean `{meant}`?"));
            }
            self.diagnostics.push(diagnostic);
        }
    }

    fn finish(mut self, strict: bool) -> Inferred {
        let mut inferred = Inferred {
            symbols: IdVec::new(),
            by_name: FxHashMap::default(),
            places: IdVec::new(),
            chosen: FxHashSet::default(),
        };
        // Declared names first, then by the first span where they are written.
        let declared = self.declarations.all.len();
        let mut order: Vec<usize> = (0..self.usages.len()).collect();
        let places = |u: &Usage| [u.updated, u.signal, u.applied.map(|(_, s)| s)].into_iter().flatten().min();
        order.sort_by_key(|&i| (i.min(declared), if i < declared { None } else { places(&self.usages[i]) }));
        for i in order {
            let usage = self.usages[i].clone();
            if self.declarations.variants.contains_key(&usage.name)
                && usage.updated.is_none()
                && usage.applied.is_none()
            {
                continue;
            }
            let text = self.values.text(usage.name).to_string();
            let declared = self.declarations.by_name.get(&usage.name).map(|&d| &self.declarations.all[d]);
            let place =
                usage.updated.or(usage.signal).or(usage.applied.map(|(_, s)| s)).or(declared.map(|d| d.span));
            // Every usage comes from a declaration or a span in a formula.
            let Some(place) = place else { continue };
            if strict && declared.is_none() {
                self.diagnostics.push(
                    Diagnostic::error(Code::UNDECLARED, format!("`{text}` is not declared"))
                        .at(place, "used here")
                        .hint("with `--strict` every name has to be declared"),
                );
            }
            let sort = self.sorts.resolve(usage.result);
            let kind = self.kind(&usage, declared.map(|d| (d.kind, d.span)), &sort, &text);
            let sort = match (declared.and_then(|d| d.sort.clone()), sort) {
                // Arithmetic is computed only on names whose sort is declared.
                (None, Sort::Int | Sort::Real) => Sort::Number,
                (Some(sort), _) | (None, sort) => sort,
            };
            let arguments = match declared {
                Some(d) if d.arity.is_some() => d.arguments.clone(),
                _ => usage.arguments.iter().map(|&var| self.sorts.resolve(var)).collect(),
            };
            let bound = |end: Option<ExpandedId>| match self.values.get(end?) {
                Expanded::Int(value) => Some(LiteralValue::Int(*value)),
                Expanded::Real(text) => Some(LiteralValue::Real(text.to_string())),
                _ => None,
            };
            let symbol = Symbol {
                name: text,
                kind,
                arguments,
                sort,
                initial: None,
                bounds: declared.map_or([None, None], |d| [d.bounds.0, d.bounds.1].map(bound)),
                noisy: declared.is_some_and(|d| d.noisy),
                overflow: declared.map_or(Overflow::Unavailable, |d| d.overflow),
                hidden: false,
            };
            let id = inferred.symbols.push(symbol);
            inferred.places.push(place);
            inferred.by_name.insert(usage.name, id);
        }
        inferred
    }

    fn kind(
        &mut self,
        usage: &Usage,
        declared: Option<(DeclarationKind, Span)>,
        sort: &Sort,
        text: &str,
    ) -> SymbolKind {
        use DeclarationKind as K;
        let inferred = match (usage.applied, usage.updated) {
            (Some((0, _)), None) if *sort != Sort::Bool => SymbolKind::Constant,
            (Some(_), None) if *sort != Sort::Bool => SymbolKind::Function,
            (Some(_), None) => SymbolKind::Predicate,
            (_, Some(_)) if usage.read.is_some() => SymbolKind::Cell,
            (_, Some(_)) => SymbolKind::Output,
            (None, None) => SymbolKind::Input,
        };
        let Some((kind, at)) = declared else { return inferred };
        let used = |what| format!("`{text}` is declared as {what}");
        let clash = |message: String, place: Option<Span>| {
            place.map(|place| {
                Diagnostic::error(Code::NAME_CLASH, message)
                    .at(place, "used otherwise here")
                    .at(at, "declared here")
            })
        };
        let applied = usage.applied.map(|(_, span)| span).filter(|&span| span != at);
        let found = match kind {
            K::Input => {
                if let Some(place) = usage.updated {
                    self.diagnostics.push(
                        Diagnostic::error(
                            Code::INPUT_UPDATED,
                            format!("`{text}` is declared as an input, but it is updated"),
                        )
                        .at(place, "updated here")
                        .at(at, "declared as an input here")
                        .hint("the system updates outputs and cells; declare it as `cell`"),
                    );
                }
                clash(used("an input, but it is applied"), applied)
            }
            K::Output | K::Cell => clash(used("a cell, but it is applied"), applied),
            K::Predicate => {
                clash(used("a predicate, but it is used as a signal"), usage.signal.or(usage.updated))
            }
            K::Function => {
                clash(used("a function, but it is used as a signal"), usage.signal.or(usage.updated))
            }
        };
        if let Some(diagnostic) = found {
            self.diagnostics.push(diagnostic);
        }
        match kind {
            K::Input => SymbolKind::Input,
            K::Cell => SymbolKind::Cell,
            K::Output if usage.read.is_some() => SymbolKind::Cell,
            K::Output => SymbolKind::Output,
            K::Predicate => SymbolKind::Predicate,
            K::Function if *sort == Sort::Bool => SymbolKind::Predicate,
            K::Function if usage.arguments.is_empty() => SymbolKind::Constant,
            K::Function => SymbolKind::Function,
        }
    }
}
