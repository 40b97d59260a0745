//! All identifiers of a controller in one target, and which of them differ from the names in the
//! specification.

use super::data::{DataView, EnvironmentSignal, kind_name};
use super::dialect::{IdentifierKind, TargetDialect, Ty};
use super::labels::comparison;
use super::names::{Identifiers, NameCase, convert};
use super::text::comment;
use rustc_hash::FxHashMap;
use tsl_synth_core::base::Id;
use tsl_synth_core::logic::AtomId;
use tsl_synth_documents::view::{EnumView, NameView, SortView, VariantView};
use tsl_synth_lang::spec::{Problem, Sort, SymbolId, Term, TermId};

/// The update that keeps a cell, in every type of updates.
const KEEP: &str = "Keep";

/// Constants that every controller has, where constants share one scope.
const FIXED_CONSTANTS: [&str; 11] = [
    "H",
    "MACHINE_ID",
    "OK",
    "BROKEN",
    "ENVIRONMENT",
    "MALFORMED",
    "FOREIGN",
    "UNKNOWN",
    "NO_ASSUMPTION",
    "TOO_SMALL",
    "NOT_OF_SORT",
];

/// The names of a cell.
#[derive(Clone, Debug)]
pub(super) struct CellNames {
    pub(super) field: String,
    pub(super) update: String,
    pub(super) keep: String,
    /// In the order of `CellData::updates`.
    pub(super) variants: Vec<String>,
}

/// The identifiers of a controller.
pub(super) struct ControllerScope<'a> {
    pub(super) problem: &'a Problem,
    pub(super) dialect: &'a dyn TargetDialect,
    pub(super) module: String,
    pub(super) module_upper: String,
    pub(super) reals: bool,
    /// Whether some signal is of sort `Real`, so that real numbers are exact.
    pub(super) exact: bool,
    pub(super) numeric: Vec<Sort>,
    pub(super) inputs: FxHashMap<SymbolId, String>,
    pub(super) input_atoms: FxHashMap<AtomId, String>,
    pub(super) cells: FxHashMap<SymbolId, CellNames>,
    pub(super) outputs: FxHashMap<AtomId, String>,
    pub(super) predicates: FxHashMap<AtomId, String>,
    pub(super) questions: FxHashMap<AtomId, String>,
    pub(super) methods: FxHashMap<SymbolId, String>,
    pub(super) locals: FxHashMap<TermId, String>,
    pub(super) states: Vec<String>,
    pub(super) sorts: Vec<(Sort, SortView)>,
    pub(super) enums: Vec<(Sort, EnumView)>,
    pub(super) names: Vec<NameView>,
}

/// Builds a [`ControllerScope`] in a fixed order.
struct ScopeBuilder<'a> {
    scope: ControllerScope<'a>,
    types: Identifiers,
    constants: Identifiers,
}

impl<'a> ControllerScope<'a> {
    /// Creates all identifiers.
    pub(super) fn new(
        problem: &'a Problem,
        data: &DataView,
        states: &[String],
        stem: &str,
        dialect: &'a dyn TargetDialect,
    ) -> Self {
        let mut modules = Identifiers::new(dialect.reserved());
        let module = modules.fresh(stem, NameCase::Snake);
        let scope = Self {
            problem,
            dialect,
            module_upper: convert(&module, NameCase::Upper),
            module,
            reals: data.reals,
            exact: problem.signature.symbols.iter().any(|symbol| symbol.sort == Sort::Real),
            numeric: data.numeric.clone(),
            inputs: FxHashMap::default(),
            input_atoms: FxHashMap::default(),
            cells: FxHashMap::default(),
            outputs: FxHashMap::default(),
            predicates: FxHashMap::default(),
            questions: FxHashMap::default(),
            methods: FxHashMap::default(),
            locals: FxHashMap::default(),
            states: Vec::new(),
            sorts: Vec::new(),
            enums: Vec::new(),
            names: Vec::new(),
        };
        let mut types = Identifiers::new(dialect.reserved());
        for word in dialect.fixed_types().iter().copied().flatten() {
            types.reserve(word);
        }
        let mut constants = Identifiers::new(dialect.reserved());
        for word in FIXED_CONSTANTS {
            constants.reserve(word);
        }
        let mut builder = ScopeBuilder { scope, types, constants };
        builder.states(states);
        builder.sorts(data);
        builder.signals(data);
        builder.cells(data);
        builder.predicates(data);
        builder.methods(data);
        builder.scope
    }
    /// The type of values of a sort.
    pub(super) fn ty(&self, sort: &Sort) -> Ty {
        match sort {
            Sort::Bool => Ty::Bool,
            _ if self.numeric.contains(sort) => {
                if self.reals {
                    Ty::Real
                } else {
                    Ty::Integer
                }
            }
            Sort::Real => Ty::Rational,
            Sort::Number | Sort::Range(..) if self.reals => Ty::Real,
            Sort::Int | Sort::Number | Sort::Range(..) => Ty::Integer,
            Sort::Enum(_) => Ty::Enum(
                self.enums
                    .iter()
                    .find(|(s, _)| s == sort)
                    .map_or_else(String::new, |(_, view)| view.ident.clone()),
            ),
            Sort::Named(_) | Sort::Inferred(_) => Ty::Opaque(
                self.sorts
                    .iter()
                    .find(|(s, _)| s == sort)
                    .map_or_else(String::new, |(_, view)| view.ident.clone()),
            ),
        }
    }
}

impl ScopeBuilder<'_> {
    fn note(&mut self, kind: &str, text: &str, ident: &str) {
        let unused = self.scope.dialect.texts() && matches!(kind, "update" | "value");
        if text != ident && !unused {
            self.scope.names.push(NameView { kind: kind.into(), text: comment(text), ident: ident.into() });
        }
    }
    fn variant(&mut self, scope: &mut Identifiers, owner: &str, text: &str) -> String {
        let dialect = self.scope.dialect;
        if dialect.flat() {
            let names = if dialect.is_one_scope() { &mut self.types } else { &mut self.constants };
            let name = names.fresh(&format!("{owner} {text}"), dialect.case(IdentifierKind::Variant));
            dialect.constant(&self.scope.module_upper, &name)
        } else {
            scope.fresh(text, dialect.case(IdentifierKind::Variant))
        }
    }
    fn type_name(&mut self, text: &str) -> String {
        let dialect = self.scope.dialect;
        let ident = self.types.fresh(text, dialect.case(IdentifierKind::Type));
        dialect.type_name(&self.scope.module, &ident)
    }
    fn states(&mut self, states: &[String]) {
        let mut scope = Identifiers::new(self.scope.dialect.reserved());
        for state in states {
            let ident = self.variant(&mut scope, "state", state);
            self.scope.states.push(ident);
        }
    }
    fn sorts(&mut self, data: &DataView) {
        let problem = self.scope.problem;
        let symbols = &problem.signature.symbols;
        // A sort without a name is named after the first signal of that sort, else after the first method that uses it.
        let mut uses: Vec<(&Sort, &str, bool)> = Vec::new();
        let signals = data.inputs.iter().filter_map(|input| match input {
            EnvironmentSignal::Symbol(symbol) => Some(*symbol),
            EnvironmentSignal::Atom(_) => None,
        });
        for symbol in signals.chain(data.cells.iter().map(|cell| cell.symbol)) {
            uses.push((&symbols[symbol].sort, &symbols[symbol].name, true));
        }
        for &method in &data.methods {
            let symbol = &symbols[method];
            uses.extend(
                symbol.arguments.iter().chain([&symbol.sort]).map(|s| (s, symbol.name.as_str(), false)),
            );
        }
        for (sort, owner, is_signal) in uses {
            match sort {
                Sort::Bool | Sort::Number | Sort::Int | Sort::Real | Sort::Range(..) => {}
                _ if data.numeric.contains(sort) => {}
                Sort::Enum(variants) if self.scope.enums.iter().all(|(known, _)| known != sort) => {
                    self.enumeration(sort, owner, variants);
                }
                Sort::Named(_) | Sort::Inferred(_)
                    if self.scope.sorts.iter().all(|(known, _)| known != sort) =>
                {
                    let (name, text) = match sort {
                        Sort::Named(name) => (name.clone(), format!("values of sort {}", comment(name))),
                        _ if is_signal => (owner.to_owned(), format!("values of {}", comment(owner))),
                        _ => (format!("{owner} value"), format!("values of {}", comment(owner))),
                    };
                    let ident = self.scope.dialect.sort_name(self.type_name(&name));
                    if let Sort::Named(name) = sort {
                        self.note("sort", name, &ident);
                    }
                    let equality = compared(problem, data, sort);
                    let constant = if self.scope.dialect.flat() {
                        let name = self.constants.fresh(&format!("{name} type"), NameCase::Upper);
                        format!("{}_{name}", self.scope.module_upper)
                    } else {
                        String::new()
                    };
                    self.scope.sorts.push((sort.clone(), SortView { ident, text, constant, equality }));
                }
                _ => {}
            }
        }
    }
    fn enumeration(&mut self, sort: &Sort, owner: &str, variants: &[String]) {
        let ident = self.type_name(&format!("{owner} value"));
        let mut scope = Identifiers::new(self.scope.dialect.reserved());
        let mut views = Vec::new();
        for variant in variants {
            let name = self.variant(&mut scope, owner, variant);
            self.note("value", variant, &name);
            let quoted = self.scope.dialect.string(variant);
            views.push(VariantView { ident: name, text: comment(variant), quoted });
        }
        let view = EnumView { ident, text: comment(owner), variants: views };
        self.scope.enums.push((sort.clone(), view));
    }
    fn signals(&mut self, data: &DataView) {
        let case = self.scope.dialect.case(IdentifierKind::Field);
        let mut fields = Identifiers::new(self.scope.dialect.reserved());
        for input in &data.inputs {
            match *input {
                EnvironmentSignal::Symbol(symbol) => {
                    let name = &self.scope.problem.signature.symbols[symbol].name;
                    let ident = fields.fresh(name, case);
                    self.note("input", name, &ident);
                    self.scope.inputs.insert(symbol, ident);
                }
                EnvironmentSignal::Atom(atom) => {
                    let name = &self.scope.problem.alphabet.atoms()[atom].name;
                    let ident = fields.fresh(name, case);
                    self.note("input", name, &ident);
                    self.scope.input_atoms.insert(atom, ident);
                }
            }
        }
        for &atom in &data.outputs {
            let name = &self.scope.problem.alphabet.atoms()[atom].name;
            let ident = fields.fresh(name, case);
            self.note("output", name, &ident);
            self.scope.outputs.insert(atom, ident);
        }
        for cell in &data.cells {
            let symbol = &self.scope.problem.signature.symbols[cell.symbol];
            let field = fields.fresh(&symbol.name, case);
            self.note(kind_name(symbol.kind), &symbol.name, &field);
            let names = CellNames { field, update: String::new(), keep: String::new(), variants: Vec::new() };
            self.scope.cells.insert(cell.symbol, names);
        }
    }
    fn cells(&mut self, data: &DataView) {
        let problem = self.scope.problem;
        for cell in &data.cells {
            let name = &problem.signature.symbols[cell.symbol].name;
            let update = self.type_name(&format!("{name} update"));
            let mut scope = Identifiers::new(self.scope.dialect.reserved());
            let keep = self.variant(&mut scope, name, KEEP);
            let variants: Vec<String> = cell
                .updates
                .iter()
                .map(|u| {
                    if u.keeps {
                        return keep.clone();
                    }
                    let text = problem.signature.display(u.root.term);
                    let variant = self.variant(&mut scope, name, &text);
                    self.note("update", &text, &variant);
                    variant
                })
                .collect();
            let names = self.scope.cells.get_mut(&cell.symbol).expect("every cell has a field");
            (names.update, names.keep, names.variants) = (update, keep, variants);
        }
    }
    fn predicates(&mut self, data: &DataView) {
        let problem = self.scope.problem;
        let dialect = self.scope.dialect;
        let mut fields = Identifiers::new(dialect.reserved());
        let mut questions = Identifiers::new(dialect.reserved());
        for predicate in &data.predicates {
            let atom = predicate.atom;
            let text = match &predicate.root {
                Some(root) => comparison(problem, root.term, true)
                    .unwrap_or_else(|| problem.signature.display(root.term)),
                None => problem.alphabet.atoms()[atom].name.clone(),
            };
            let ident = fields.fresh(&text, dialect.case(IdentifierKind::Field));
            if predicate.root.as_ref().is_some_and(|root| !root.is_free()) {
                self.note("predicate term", &text, &ident);
            }
            self.scope.predicates.insert(atom, ident);
            let question = self.variant(&mut questions, "ask", &text);
            self.scope.questions.insert(atom, question);
        }
        let mut locals = Identifiers::new(dialect.reserved());
        let roots = data.predicates.iter().filter_map(|p| p.root.as_ref());
        for root in roots.chain(data.cells.iter().flat_map(|c| c.updates.iter().map(|u| &u.root))) {
            for &call in &root.calls {
                self.scope.locals.entry(call).or_insert_with(|| {
                    // The prefix avoids clashes with variables of the template.
                    format!(
                        "{}{}",
                        dialect.local(),
                        locals.fresh(&problem.signature.display(call), dialect.case(IdentifierKind::Field))
                    )
                });
            }
        }
    }
    fn methods(&mut self, data: &DataView) {
        let mut scope = Identifiers::new(self.scope.dialect.reserved());
        for &method in &data.methods {
            let symbol = &self.scope.problem.signature.symbols[method];
            let ident = scope.fresh(&symbol.name, self.scope.dialect.case(IdentifierKind::Method));
            self.note(kind_name(symbol.kind), &symbol.name, &ident);
            self.scope.methods.insert(method, ident);
        }
    }
}

/// Whether values of a sort are compared.
fn compared(problem: &Problem, data: &DataView, sort: &Sort) -> bool {
    let mut terms = (0..problem.signature.terms.len()).map(TermId::from_index);
    data.arithmetic
        && terms.any(|term| match problem.signature.terms.get(term) {
            Term::Operation(_, a, _) => super::data::sort_of(problem, *a) == *sort,
            _ => false,
        })
}
