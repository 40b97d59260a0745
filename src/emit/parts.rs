//! The parts of a view that are about data: signals, predicates, methods.

use super::data::{DataView, EnvironmentSignal, Predicate, kind_name};
use super::dialect::Ty;
use super::expressions::Expressions;
use super::input::EmitOptions;
use super::scope::ControllerScope;
use super::text::{comment, json_string, plain};
use rustc_hash::FxHashSet;
use tsl_synth_core::logic::AtomId;
use tsl_synth_documents::view::{
    CellView, DomainView, EvaluationView, FieldView, MethodView, OptionView, ParameterView, PredicateView,
    SharedView,
};
use tsl_synth_lang::spec::{LiteralValue, Problem, Sort, SymbolId, SymbolKind};

/// The sources of the parts of a view.
pub(super) struct ViewSources<'a> {
    pub(super) problem: &'a Problem,
    pub(super) options: &'a EmitOptions,
    pub(super) data: &'a DataView,
    pub(super) scope: &'a ControllerScope<'a>,
    pub(super) tested: &'a FxHashSet<AtomId>,
}

impl Ty {
    pub(super) fn is_opaque(&self) -> bool {
        !self.is_builtin()
    }
}

impl ViewSources<'_> {
    fn expressions(&self) -> Expressions<'_> {
        Expressions { scope: self.scope, data: self.data, asynchronous: self.options.asynchronous }
    }
    pub(super) fn sort_ty(&self, symbol: SymbolId) -> Ty {
        self.scope.ty(&self.problem.signature.symbols[symbol].sort)
    }
    pub(super) fn input_ty(&self, input: EnvironmentSignal) -> Ty {
        match input {
            EnvironmentSignal::Symbol(symbol) => self.sort_ty(symbol),
            EnvironmentSignal::Atom(_) => Ty::Bool,
        }
    }
    /// Whether a predicate is just a Boolean input.
    pub(super) fn is_input(&self, predicate: &Predicate) -> bool {
        predicate.root.as_ref().is_none_or(|root| match self.problem.signature.terms.get(root.term) {
            tsl_synth_lang::spec::Term::Signal(symbol) => self.scope.inputs.contains_key(symbol),
            _ => false,
        })
    }
    /// A sample value of a sort, for stubs; `text` is used for a type that the user chooses.
    fn stub(&self, sort: &Sort, text: &str) -> String {
        let dialect = self.scope.dialect;
        match self.scope.ty(sort) {
            Ty::Bool => dialect.boolean(false),
            Ty::Integer => dialect.integer(low(sort), false),
            Ty::Real => dialect.integer(low(sort), true),
            Ty::Rational => dialect.rational("0").unwrap_or_else(|| dialect.integer(0, true)),
            Ty::Enum(ident) => {
                let view = self.scope.enums.iter().find(|(known, _)| known == sort).map(|(_, view)| view);
                let first = view.and_then(|view| view.variants.first());
                first.map_or_else(String::new, |v| dialect.variant(&ident, &v.ident, &v.quoted))
            }
            Ty::Opaque(_) => dialect.sample(&plain(text)),
        }
    }
    /// A sample value of a cell, within its bounds.
    fn cell_stub(&self, cell: SymbolId) -> String {
        let symbol = &self.problem.signature.symbols[cell];
        match (&symbol.sort, &symbol.bounds) {
            (Sort::Int | Sort::Real, [Some(end), _] | [None, Some(end)]) => {
                self.expressions().bound(end, &symbol.sort)
            }
            (sort, _) => self.stub(sort, &symbol.name),
        }
    }
    fn field(&self, ident: &str, text: &str, ty: String, stub: String) -> FieldView {
        let dialect = self.scope.dialect;
        FieldView {
            ident: ident.into(),
            text: comment(text),
            quoted: dialect.string(text),
            json: dialect.string(&json_string(text)),
            ty,
            stub,
            domain: None,
        }
    }
    /// The values that a signal may have. Bounds of inputs of sort `Int` or `Real` are not among them: they are watched
    /// like the assumptions of the specification.
    fn domain(&self, id: SymbolId) -> Option<DomainView> {
        let symbol = &self.problem.signature.symbols[id];
        let is_input = symbol.kind == SymbolKind::Input;
        let dialect = self.scope.dialect;
        let end = |literal: Option<LiteralValue>| {
            literal.map_or_else(String::new, |literal| self.expressions().bound(&literal, &symbol.sort))
        };
        let text =
            |end: &Option<LiteralValue>| end.as_ref().map_or_else(String::new, LiteralValue::to_string);
        let (kind, [low, high], why) = match &symbol.sort {
            Sort::Bool => ("bool", [None, None], "true or false".into()),
            Sort::Range(low, high) => {
                ("range", [low, high].map(|&n| Some(LiteralValue::Int(n))), format!("in {low}..{high}"))
            }
            Sort::Enum(values) if values.len() == 1 => ("enum", [None, None], values[0].clone()),
            Sort::Enum(values) => ("enum", [None, None], format!("one of {}", values.join(", "))),
            Sort::Int | Sort::Real if !is_input && symbol.bounds != [None, None] => {
                let kind = if symbol.sort == Sort::Int { "int" } else { "real" };
                let [low, high] = &symbol.bounds;
                (kind, symbol.bounds.clone(), format!("in {}..{}", text(low), text(high)))
            }
            Sort::Number | Sort::Int | Sort::Real | Sort::Named(_) | Sort::Inferred(_) => return None,
        };
        let declared = self.scope.enums.iter().find(|(sort, _)| *sort == symbol.sort);
        let noun = if is_input { "input" } else { "cell" };
        Some(DomainView {
            kind: kind.into(),
            low: end(low),
            high: end(high),
            values: declared.map_or(Vec::new(), |(_, view)| view.variants.clone()),
            before: dialect.string(&format!("the {noun} {} is ", plain(&symbol.name))),
            after: dialect.string(&format!(", which is not {why}")),
        })
    }
    pub(super) fn input_field(&self, input: EnvironmentSignal) -> FieldView {
        let problem = self.problem;
        let ty = self.scope.dialect.ty(&self.input_ty(input));
        match input {
            EnvironmentSignal::Symbol(id) => {
                let symbol = &problem.signature.symbols[id];
                let stub = self.stub(&symbol.sort, &symbol.name);
                let field = self.field(&self.scope.inputs[&id], &symbol.name, ty, stub);
                FieldView { domain: self.domain(id), ..field }
            }
            EnvironmentSignal::Atom(atom) => {
                let text = &problem.alphabet.atoms()[atom].name;
                self.field(&self.scope.input_atoms[&atom], text, ty, self.stub(&Sort::Bool, ""))
            }
        }
    }
    pub(super) fn output_field(&self, atom: AtomId) -> FieldView {
        let text = &self.problem.alphabet.atoms()[atom].name;
        let ty = self.scope.dialect.ty(&Ty::Bool);
        self.field(&self.scope.outputs[&atom], text, ty, self.stub(&Sort::Bool, ""))
    }
    /// The cells; `used` are the updates that may be chosen.
    pub(super) fn cells(&self, used: &FxHashSet<AtomId>) -> Vec<CellView> {
        let problem = self.problem;
        let dialect = self.scope.dialect;
        let cell = |cell: &super::data::CellData| {
            let symbol = &problem.signature.symbols[cell.symbol];
            let names = &self.scope.cells[&cell.symbol];
            let options = cell.updates.iter().zip(&names.variants).filter(|(update, _)| !update.keeps);
            let option = |(update, variant): (&super::data::CellOption, &String)| {
                let text = problem.signature.display(update.root.term);
                OptionView {
                    ident: variant.clone(),
                    quoted: dialect.string(&text),
                    json: dialect.string(&json_string(&text)),
                    text: comment(&text),
                    used: used.contains(&update.atom),
                    value: self.expressions().update(&update.root, cell.symbol),
                }
            };
            let ty = self.scope.ty(&symbol.sort);
            CellView {
                ident: names.field.clone(),
                text: comment(&symbol.name),
                quoted: dialect.string(&symbol.name),
                json: dialect.string(&json_string(&symbol.name)),
                builtin: ty.is_builtin(),
                stub: self.cell_stub(cell.symbol),
                is_enum: matches!(ty, Ty::Enum(_)),
                domain: self.domain(cell.symbol),
                is_given: cell.updates.iter().any(|update| !update.root.is_free()),
                ty: dialect.ty(&ty),
                initial: self.expressions().initial(cell.symbol),
                update: names.update.clone(),
                keep: names.keep.clone(),
                keep_text: comment(&symbol.name),
                keep_quoted: dialect.string(&symbol.name),
                keep_json: dialect.string(&json_string(&symbol.name)),
                options: options.map(option).collect(),
            }
        };
        self.data.cells.iter().map(cell).collect()
    }
    pub(super) fn predicate(&self, predicate: &Predicate) -> PredicateView {
        let problem = self.problem;
        let dialect = self.scope.dialect;
        let text = match &predicate.root {
            Some(root) => problem.signature.display(root.term),
            None => problem.alphabet.atoms()[predicate.atom].name.clone(),
        };
        // In a letter the name of a cell is the key of its update, so the value of a Boolean cell is in parentheses,
        // which do not change the term for readers of traces.
        let updated = |cell: &super::data::CellData| problem.signature.symbols[cell.symbol].name == text;
        let key = if self.data.cells.iter().any(updated) { format!("({text})") } else { text.clone() };
        let tested = self.tested.contains(&predicate.atom);
        let optional = predicate.costs() && (self.options.lazy || !tested);
        let value = match &predicate.root {
            Some(root) => self.expressions().predicate(root, predicate.atom),
            None => EvaluationView {
                calls: Vec::new(),
                code: dialect.input(&self.scope.input_atoms[&predicate.atom]),
            },
        };
        let method = predicate.root.as_ref().and_then(|root| match problem.signature.terms.get(root.term) {
            tsl_synth_lang::spec::Term::Apply(symbol, _) => self.scope.methods.get(symbol).cloned(),
            _ => None,
        });
        PredicateView {
            method: method.unwrap_or_default(),
            ident: self.scope.predicates[&predicate.atom].clone(),
            variant: self.scope.questions[&predicate.atom].clone(),
            quoted: dialect.string(&key),
            json: dialect.string(&json_string(&key)),
            text: comment(&text),
            optional,
            tested,
            value,
        }
    }
    pub(super) fn methods(&self) -> Vec<MethodView> {
        let problem = self.problem;
        let dialect = self.scope.dialect;
        let method = |&id: &SymbolId| {
            let symbol = &problem.signature.symbols[id];
            let parameter = |(i, sort): (usize, &Sort)| ParameterView {
                ident: format!("{}{}", parameter_name(self.scope, sort), i + 1),
                ty: dialect.parameter(&self.scope.ty(sort)),
            };
            MethodView {
                quoted: dialect.string(&symbol.name),
                ident: self.scope.methods[&id].clone(),
                text: comment(&symbol.name),
                kind: kind_name(symbol.kind).into(),
                parameters: symbol.arguments.iter().enumerate().map(parameter).collect(),
                ty: dialect.result(&self.scope.ty(&symbol.sort)),
                stub: self.stub(&symbol.sort, &symbol.name),
            }
        };
        self.data.methods.iter().map(method).collect()
    }
    pub(super) fn shared(&self) -> Vec<SharedView> {
        let problem = self.problem;
        let view = |&term: &tsl_synth_lang::spec::TermId| SharedView {
            ident: self.scope.locals[&term].clone(),
            ty: self.scope.dialect.ty(&self.scope.ty(&super::data::sort_of(problem, term))),
            text: comment(&problem.signature.display(term)),
            definite: self.data.definite.contains_key(&term),
        };
        self.data.shared.iter().map(view).collect()
    }
}

/// The least value of a range, 0 for other numbers.
fn low(sort: &Sort) -> i64 {
    if let Sort::Range(low, _) = sort { *low } else { 0 }
}

/// The name of a parameter of a sort, without its number.
fn parameter_name(scope: &ControllerScope<'_>, sort: &Sort) -> &'static str {
    match scope.ty(sort) {
        Ty::Bool => "flag",
        Ty::Integer | Ty::Real | Ty::Rational => "number",
        Ty::Enum(_) => "choice",
        Ty::Opaque(_) => "value",
    }
}
