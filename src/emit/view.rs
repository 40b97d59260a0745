//! From a prepared machine to the view of one target: every decision is made here.

use super::data::{Data, Input, Predicate, kind_name};
use super::dialect::{C, Dialect, Js, Python, Rust, Ty};
use super::expressions::Expressions;
use super::identity::machine_id;
use super::input::{EmitError, EmitInput, EmitOptions, Lang, Strategy};
use super::labels::{state_names, state_text};
use super::lasso::lassos;
use super::machine::Control;
use super::rows::Rows;
use super::scope::Scope;
use super::text::{comment, json_string, plain};
use crate::base::Id;
use crate::format::atoms::atom_of;
use crate::logic::{AtomId, Player};
use crate::spec::Sort;
use crate::wire::view::{
    AssumptionView, CellView, EvaluationView, FieldView, MethodView, MonitorStateView, OptionView,
    ParameterView, PredicateView, ResyncView, SharedView, StateView, View,
};
use rustc_hash::FxHashSet;

/// Assumptions are quoted up to so many characters.
const LONGEST_TEXT: usize = 1000;

/// The stem of file names: letters, digits, `_` and `-` of the name of the specification; where files are
/// modules and nobody chose a name, an identifier.
pub(super) fn stem(input: &EmitInput<'_>, options: &EmitOptions) -> String {
    let name = options.stem.as_deref().unwrap_or(&input.problem.name);
    let safe = |c: char| if c.is_ascii_alphanumeric() || c == '_' || c == '-' { c } else { '_' };
    let stem: String = name.chars().take(60).map(safe).collect();
    let stem = if stem.trim_matches(['_', '-']).is_empty() { "controller".into() } else { stem };
    match dialect(options.lang) {
        Some(dialect) if options.scaffold || options.stem.is_none() && options.lang != Lang::Js => {
            let mut names = super::names::Names::new(dialect.reserved());
            ["main", "lassos", "environment", "lib"].iter().for_each(|word| names.reserve(word));
            names.fresh(&stem, super::names::Case::Snake)
        }
        _ => stem,
    }
}

/// The dialect of a target.
pub(super) fn dialect(lang: Lang) -> Option<&'static dyn Dialect> {
    match lang {
        Lang::Rust => Some(&Rust),
        Lang::Js | Lang::Ts => Some(&Js),
        Lang::Python => Some(&Python),
        Lang::C => Some(&C),
        Lang::Dot | Lang::Mermaid | Lang::Hoa | Lang::Json => None,
    }
}

/// The view of a controller in a target.
pub(super) fn view(input: &EmitInput<'_>, options: &EmitOptions) -> Result<View, EmitError> {
    let dialect = dialect(options.lang)
        .ok_or_else(|| EmitError::Unsupported(format!("`{}` is not code", options.lang.name())))?;
    let Strategy::Controller(mealy) = input.strategy else {
        return Err(EmitError::Unsupported(
            "a counter-strategy is emitted as `dot`, `mermaid`, `hoa` or `json`".into(),
        ));
    };
    if options.asynchronous && options.lang == Lang::C {
        return Err(EmitError::Unsupported("C has no asynchronous functions: leave out `--async`".into()));
    }
    let mut control = Control::build(input.problem, mealy, input.assumptions)?;
    let mut data = Data::collect(input.problem);
    let names = state_names(&control);
    let stem = stem(input, options);
    let scope = Scope::new(input.problem, &data, &names, &stem, dialect);
    let tested = tested(input, &control);
    data.always(&|p| !(costs(p) && (options.lazy || !tested.contains(&p.atom))));
    let data = data;
    let texts: Vec<String> =
        control.states.ids().map(|id| state_text(input.problem, &mut control, &names, id)).collect();
    let lassos = lassos(&input.problem.alphabet, &mut control);
    let machine_id = machine_id(&input.problem.alphabet, &control);
    let mut rows = Rows { scope: &scope, asked: FxHashSet::default(), helpers: Vec::new() };
    if options.lazy {
        rows.asked =
            data.predicates.iter().filter(|p| costs(p) && tested.contains(&p.atom)).map(|p| p.atom).collect();
    }
    let lazy = !rows.asked.is_empty();
    let states = control
        .states
        .enumerate()
        .map(|(id, state)| StateView {
            ident: scope.states[id.index()].clone(),
            name: names[id.index()].clone(),
            index: id.index(),
            start: id == control.initial,
            sink: state.sink,
            text: comment(&texts[id.index()]),
            rows: rows.machine(&state.tree, &state.leaves),
        })
        .collect();
    let updates_anything = control.states.iter().any(|s| s.leaves.iter().any(|leaf| rows.changes(leaf)));
    let assumptions = assumptions(input, &control, &rows);
    let resync = control
        .restarts
        .iter()
        .map(|place| ResyncView {
            state: scope.states[place.state.index()].clone(),
            monitors: place
                .monitors
                .iter()
                .zip(&control.watches)
                .map(|(state, watch)| state.map_or(watch.states.len(), Id::index))
                .collect(),
        })
        .collect();
    let lassos = lassos.iter().map(|lasso| rows.lasso(lasso)).collect();
    let helpers = rows.helpers;
    let parts = Parts { input, options, data: &data, scope: &scope, tested: &tested };
    let machine_tests = control.states.iter().any(|state| !state.tree.variables().is_empty());
    let cells = parts.cells(&control);
    let ranges = || data.cells.iter().map(|cell| &input.problem.signature.symbols[cell.symbol]);
    Ok(View {
        schema_version: crate::wire::SCHEMA_VERSION.into(),
        tool_version: plain(&input.meta.tool_version),
        spec_name: comment(&input.meta.spec_name),
        spec_sha256: plain(&input.meta.spec_sha256),
        certified: input.meta.certified_by.is_some(),
        header: header(input, &scope, &texts, &machine_id),
        machine_id,
        lang: options.lang.name().into(),
        module: scope.module.clone(),
        module_upper: scope.module_upper.clone(),
        stem,
        asynchronous: options.asynchronous,
        lazy,
        on_broken: options.on_broken.name().into(),
        has_environment: !data.methods.is_empty() || options.lang == Lang::Rust && !scope.sorts.is_empty(),
        boolean: data.cells.is_empty() && data.predicates.iter().all(|p| parts.is_input(p)),
        inputs_generic: data.inputs.iter().any(|input| parts.input_ty(*input).is_opaque()),
        cells_generic: data.cells.iter().any(|cell| parts.sort_ty(cell.symbol).is_opaque()),
        tests_anything: machine_tests,
        updates_anything,
        arithmetic: data.arithmetic,
        saturates: ranges().any(|symbol| symbol.overflow == crate::spec::Overflow::Saturating),
        wraps: ranges().any(|symbol| symbol.overflow == crate::spec::Overflow::Wrapping),
        sorts: scope.sorts.iter().map(|(_, view)| view.clone()).collect(),
        enums: scope.enums.iter().map(|(_, view)| view.clone()).collect(),
        inputs: data.inputs.iter().map(|&input| parts.input_field(input)).collect(),
        cells,
        outputs: data.outputs.iter().map(|&atom| parts.output_field(atom)).collect(),
        predicates: data.predicates.iter().map(|p| parts.predicate(p)).collect(),
        methods: parts.methods(),
        shared: parts.shared(),
        start: scope.states[control.initial.index()].clone(),
        states,
        helpers,
        assumptions,
        resync,
        lassos,
        names: scope.names.clone(),
    })
}

/// The predicates on which the machine or a monitor depends.
fn tested(input: &EmitInput<'_>, control: &Control<'_>) -> FxHashSet<AtomId> {
    let watched =
        control.watches.iter().flat_map(|watch| watch.states.iter().flatten().map(|state| &state.tree));
    let trees = control.states.iter().map(|state| &state.tree).chain(watched);
    trees
        .flat_map(super::tree::Tree::variables)
        .map(atom_of)
        .filter(|&atom| input.problem.alphabet.player(atom) == Player::Environment)
        .collect()
}

/// Whether evaluating a predicate calls the environment.
fn costs(predicate: &Predicate) -> bool {
    predicate.root.as_ref().is_some_and(|root| !root.is_free())
}

fn assumptions(input: &EmitInput<'_>, control: &Control<'_>, rows: &Rows<'_>) -> Vec<AssumptionView> {
    let dialect = rows.scope.dialect;
    let view = |(i, watch): (usize, &super::machine::WatchData)| {
        let dead = watch.states.len();
        let live: Vec<_> =
            watch.states.enumerate().filter_map(|(id, state)| Some((id, state.as_ref()?))).collect();
        let variables: Vec<AtomId> = live.iter().flat_map(|(_, s)| s.tree.variables()).map(atom_of).collect();
        let by = |player| variables.iter().any(|&atom| input.problem.alphabet.player(atom) == player);
        let name = format!("a{}", i + 1);
        AssumptionView {
            ident: match dialect.flat() {
                true => format!("{}_ASSUMPTION_{}", rows.scope.module_upper, i + 1),
                false => name.to_ascii_uppercase(),
            },
            field: name,
            text: comment(&watch.text),
            quoted: dialect.string(&plain(&watch.text).chars().take(LONGEST_TEXT).collect::<String>()),
            initial: watch.initial.index(),
            dead,
            states: live
                .iter()
                .map(|(id, state)| MonitorStateView {
                    index: id.index(),
                    rows: rows.watch(&state.tree, &state.leaves, dead),
                })
                .collect(),
            tests_predicates: by(Player::Environment),
            tests_updates: by(Player::System),
        }
    };
    control.watches.iter().enumerate().map(view).collect()
}

/// The lines of the comment on top.
fn header(input: &EmitInput<'_>, scope: &Scope<'_>, texts: &[String], machine_id: &str) -> Vec<String> {
    let meta = input.meta;
    let mut lines = vec![
        format!(
            "Controller for {}, made by tsl-synth {}.",
            comment(&meta.spec_name),
            comment(&meta.tool_version)
        ),
        String::new(),
        format!("specification: {}, sha256 {}", comment(&meta.spec_name), comment(&meta.spec_sha256)),
        match &meta.certified_by {
            Some(by) => format!("certified:     {}", comment(by)),
            None => "not certified: nobody but the synthesizer vouches for this machine".into(),
        },
        format!(
            "machine:       {} {}, {}",
            texts.len(),
            if texts.len() == 1 { "state" } else { "states" },
            comment(&meta.origin)
        ),
        format!("machine id:    {machine_id}"),
    ];
    if !meta.clauses.is_empty() {
        lines.extend([String::new(), "clauses:".into()]);
        let clause =
            |c: &super::input::ClauseText| format!("  {} {{ {} }}", comment(&c.section), comment(&c.text));
        lines.extend(meta.clauses.iter().map(clause));
    }
    lines.extend([String::new(), "states:".into()]);
    lines.extend(texts.iter().map(|text| format!("  {}", comment(text))));
    if !scope.names.is_empty() {
        lines.extend([String::new(), "names in the specification and here:".into()]);
        lines.extend(
            scope.names.iter().map(|name| format!("  {} {} is {}", name.kind, name.text, name.ident)),
        );
    }
    lines
}

/// What the parts of a view are made from.
struct Parts<'a> {
    input: &'a EmitInput<'a>,
    options: &'a EmitOptions,
    data: &'a Data,
    scope: &'a Scope<'a>,
    tested: &'a FxHashSet<AtomId>,
}

impl Ty {
    fn is_opaque(&self) -> bool {
        !self.is_builtin()
    }
}

impl Parts<'_> {
    fn expressions(&self) -> Expressions<'_> {
        Expressions { scope: self.scope, data: self.data, asynchronous: self.options.asynchronous }
    }
    fn sort_ty(&self, symbol: crate::spec::SymbolId) -> Ty {
        self.scope.ty(&self.input.problem.signature.symbols[symbol].sort)
    }
    fn input_ty(&self, input: Input) -> Ty {
        match input {
            Input::Symbol(symbol) => self.sort_ty(symbol),
            Input::Atom(_) => Ty::Bool,
        }
    }
    /// Whether a predicate is a Boolean input by itself.
    fn is_input(&self, predicate: &Predicate) -> bool {
        predicate.root.as_ref().is_none_or(|root| match self.input.problem.signature.terms.get(root.term) {
            crate::spec::Term::Signal(symbol) => self.scope.inputs.contains_key(symbol),
            _ => false,
        })
    }
    /// Some value of a sort.
    fn stub(&self, sort: &Sort, text: &str) -> String {
        let dialect = self.scope.dialect;
        match self.scope.ty(sort) {
            Ty::Bool => dialect.boolean(false),
            Ty::Integer => dialect.integer(low(sort), false),
            Ty::Real => dialect.integer(low(sort), true),
            Ty::Enum(ident) => {
                let view = self.scope.enums.iter().find(|(known, _)| known == sort).map(|(_, view)| view);
                let first = view.and_then(|view| view.variants.first());
                first.map_or_else(String::new, |v| dialect.variant(&ident, &v.ident, &v.quoted))
            }
            Ty::Opaque(_) => dialect.sample(&plain(text)),
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
        }
    }
    fn input_field(&self, input: Input) -> FieldView {
        let problem = self.input.problem;
        let ty = self.scope.dialect.ty(&self.input_ty(input));
        match input {
            Input::Symbol(id) => {
                let symbol = &problem.signature.symbols[id];
                let stub = self.stub(&symbol.sort, &symbol.name);
                self.field(&self.scope.inputs[&id], &symbol.name, ty, stub)
            }
            Input::Atom(atom) => {
                let text = &problem.alphabet.atoms()[atom].name;
                self.field(&self.scope.input_atoms[&atom], text, ty, self.stub(&Sort::Bool, ""))
            }
        }
    }
    fn output_field(&self, atom: AtomId) -> FieldView {
        let text = &self.input.problem.alphabet.atoms()[atom].name;
        let ty = self.scope.dialect.ty(&Ty::Bool);
        self.field(&self.scope.outputs[&atom], text, ty, self.stub(&Sort::Bool, ""))
    }
    fn cells(&self, control: &Control<'_>) -> Vec<CellView> {
        let problem = self.input.problem;
        let dialect = self.scope.dialect;
        let used: FxHashSet<AtomId> = control
            .states
            .iter()
            .flat_map(|s| &s.leaves)
            .flat_map(|leaf| leaf.updates.iter().copied())
            .collect();
        let cell = |cell: &super::data::CellData| {
            let symbol = &problem.signature.symbols[cell.symbol];
            let names = &self.scope.cells[&cell.symbol];
            let options = cell.updates.iter().zip(&names.variants).filter(|(update, _)| !update.keeps);
            let option = |(update, variant): (&super::data::Update, &String)| {
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
                stub: self.stub(&symbol.sort, &symbol.name),
                is_enum: matches!(ty, Ty::Enum(_)),
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
    fn predicate(&self, predicate: &Predicate) -> PredicateView {
        let problem = self.input.problem;
        let dialect = self.scope.dialect;
        let text = match &predicate.root {
            Some(root) => problem.signature.display(root.term),
            None => problem.alphabet.atoms()[predicate.atom].name.clone(),
        };
        let tested = self.tested.contains(&predicate.atom);
        let optional = costs(predicate) && (self.options.lazy || !tested);
        let value = match &predicate.root {
            Some(root) => self.expressions().predicate(root, predicate.atom),
            None => EvaluationView {
                calls: Vec::new(),
                code: dialect.input(&self.scope.input_atoms[&predicate.atom]),
            },
        };
        PredicateView {
            ident: self.scope.predicates[&predicate.atom].clone(),
            variant: self.scope.questions[&predicate.atom].clone(),
            quoted: dialect.string(&text),
            json: dialect.string(&json_string(&text)),
            text: comment(&text),
            optional,
            tested,
            value,
        }
    }
    fn methods(&self) -> Vec<MethodView> {
        let problem = self.input.problem;
        let dialect = self.scope.dialect;
        let method = |&id: &crate::spec::SymbolId| {
            let symbol = &problem.signature.symbols[id];
            let parameter = |(i, sort): (usize, &Sort)| ParameterView {
                ident: format!("{}{}", parameter_name(self.scope, sort), i + 1),
                ty: dialect.parameter(&self.scope.ty(sort)),
            };
            MethodView {
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
    fn shared(&self) -> Vec<SharedView> {
        let problem = self.input.problem;
        let view = |&term: &crate::spec::TermId| SharedView {
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

/// What a parameter of a sort is called.
fn parameter_name(scope: &Scope<'_>, sort: &Sort) -> &'static str {
    match scope.ty(sort) {
        Ty::Bool => "flag",
        Ty::Integer | Ty::Real => "number",
        Ty::Enum(_) => "choice",
        Ty::Opaque(_) => "value",
    }
}
