//! Builds the view of a controller for one target; all decisions are made here, none in the templates.

use super::circuit_view::{circuit_run, circuit_view, read_atoms, state_digits};
use super::data::DataView;
use super::dialect::{C, CSharp, Go, Js, Lua, Python, Rust, TargetDialect};
use super::input::{
    AssumptionMonitor, CircuitInput, EmitError, EmitInput, EmitOptions, Lang, Meta, Strategy,
    no_counter_strategy,
};
use super::labels::{state_names, state_text};
use super::lasso::lassos;
use super::machine::{Control, Restart, StateData};
use super::parts::ViewSources;
use super::rows::Rows;
use super::scope::ControllerScope;
use super::text::{comment, plain};
use rustc_hash::FxHashSet;
use tsl_synth_core::base::Id;
use tsl_synth_core::logic::atoms::atom_of;
use tsl_synth_core::logic::{AtomId, Player};
use tsl_synth_core::model::{Circuit, Mealy, StateId};
use tsl_synth_documents::view::{
    AssumptionView, CircuitView, MonitorStateView, NameView, ResyncView, StateView, View,
};
use tsl_synth_engine::mealy::machine_id;
use tsl_synth_lang::spec::{Operator, Problem, Sort, Term, TermId};

/// If decisions nest deeper, the emitted lines may be longer than usual.
const DEEP: usize = 8;

/// The most characters of a quoted assumption.
const LONGEST_TEXT: usize = 1000;

/// The stem of file names: the chosen name or that of the specification, with `_` for all characters except letters,
/// digits, `_` and `-`. It is an identifier in scaffolds, and for code (except JavaScript) if no name was chosen.
pub(super) fn stem(problem: &Problem, options: &EmitOptions) -> String {
    let name = options.stem.as_deref().unwrap_or(&problem.name);
    let safe = |c: char| if c.is_ascii_alphanumeric() || c == '_' || c == '-' { c } else { '_' };
    let stem: String = name.chars().take(60).map(safe).collect();
    let stem = if stem.trim_matches(['_', '-']).is_empty() { "controller".into() } else { stem };
    match dialect(options.lang) {
        Some(dialect) if options.scaffold || options.stem.is_none() && options.lang != Lang::Js => {
            let mut names = super::names::Identifiers::new(dialect.reserved());
            for word in ["main", "lassos", "environment", "lib", "page", "program"] {
                names.reserve(word);
            }
            let stem = names.fresh(&stem, super::names::NameCase::Snake);
            // Go leaves out files whose names end in `_test` or in the name of another system.
            if options.lang == Lang::Go { stem.replace('_', "") } else { stem }
        }
        _ => stem,
    }
}

/// The dialect of a target.
pub(super) fn dialect(lang: Lang) -> Option<&'static dyn TargetDialect> {
    match lang {
        Lang::Rust => Some(&Rust),
        Lang::Js | Lang::Ts => Some(&Js),
        Lang::Python => Some(&Python),
        Lang::C => Some(&C),
        Lang::Lua => Some(&Lua),
        Lang::Go => Some(&Go),
        Lang::CSharp => Some(&CSharp),
        Lang::Dot
        | Lang::Mermaid
        | Lang::Svg
        | Lang::Text
        | Lang::Hoa
        | Lang::Aiger
        | Lang::Json
        | Lang::Verilog
        | Lang::Xstate => None,
    }
}

/// The decisions of a controller.
#[derive(Clone, Copy)]
enum Decisions<'a> {
    /// State by state.
    Machine(&'a Mealy),
    /// All together.
    Circuit(&'a Circuit),
}

/// A controller to be written as code.
#[derive(Clone)]
pub(super) struct CodeRequest<'a> {
    problem: &'a Problem,
    decisions: Decisions<'a>,
    id: String,
    assumptions: &'a [AssumptionMonitor],
    meta: &'a Meta,
}

impl<'a> CodeRequest<'a> {
    /// A machine as code.
    ///
    /// # Errors
    /// If it is a counter-strategy.
    pub(super) fn of_machine(input: &EmitInput<'a>) -> Result<Self, EmitError> {
        let Strategy::Controller(mealy) = input.strategy else {
            return Err(no_counter_strategy());
        };
        let EmitInput { problem, assumptions, meta, .. } = *input;
        let id = machine_id(&problem.alphabet, mealy);
        Ok(Self { problem, decisions: Decisions::Machine(mealy), id, assumptions, meta })
    }
    /// The machine, unless it is a circuit.
    pub(super) fn machine(&self) -> Option<EmitInput<'a>> {
        let &Self { problem, assumptions, meta, .. } = self;
        match self.decisions {
            Decisions::Machine(mealy) => {
                Some(EmitInput { problem, strategy: Strategy::Controller(mealy), assumptions, meta })
            }
            Decisions::Circuit(_) => None,
        }
    }
    /// A circuit as code.
    ///
    /// # Errors
    /// If an option needs states.
    pub(super) fn of_circuit(input: &CircuitInput<'a>, options: &EmitOptions) -> Result<Self, EmitError> {
        let CircuitInput { problem, circuit, assumptions, meta, .. } = *input;
        match options.needs_states(!assumptions.is_empty()) {
            None => Ok(Self {
                problem,
                decisions: Decisions::Circuit(circuit),
                id: input.id(),
                assumptions,
                meta,
            }),
            Some(option) => Err(EmitError::Unsupported(format!(
                "the controller has too many states or decisions to be listed and is written as a circuit, for which \
                 there is no `{option}`: leave it out"
            ))),
        }
    }
}

/// The target, if it can express the controller.
fn target(problem: &Problem, options: &EmitOptions) -> Result<&'static dyn TargetDialect, EmitError> {
    let dialect = dialect(options.lang)
        .ok_or_else(|| EmitError::Unsupported(format!("`{}` is not code", options.lang.name())))?;
    if options.asynchronous && !options.lang.is_asynchronous() {
        return Err(EmitError::Unsupported(format!(
            "`--async` is for `rust`, `js`, `ts` and `python`: leave it out for `{}`, where calls wait for their results",
            options.lang.name()
        )));
    }
    if options.web && (options.lang != Lang::Js || options.asynchronous || options.lazy) {
        let what = "a page runs JavaScript whose predicates answer at once: `--web` is for `--lang js` without `--async` \
                    and `--lazy`";
        return Err(EmitError::Unsupported(what.into()));
    }
    inexact(problem, options.lang)?;
    Ok(dialect)
}

/// Refuses arithmetic on real numbers for targets without exact ones: with rounded numbers the controller would not be the
/// one that was certified.
fn inexact(problem: &Problem, lang: Lang) -> Result<(), EmitError> {
    let signature = &problem.signature;
    let is_real = |term: TermId| {
        let signals = signature.signals_of(term);
        signals.into_iter().any(|symbol| signature.symbols[symbol].sort == Sort::Real)
    };
    let computes = (0..signature.terms.len())
        .map(TermId::from_index)
        .any(|term| matches!(signature.terms.get(term), Term::Operation(..)) && is_real(term));
    if lang == Lang::Python || !computes {
        return Ok(());
    }
    Err(EmitError::Unsupported(format!(
        "numbers of sort `Real` are exact in Python only, and `{}` rounds them: emit `python`, or count smaller units \
         with sort `Int`",
        lang.name()
    )))
}

/// The view of a controller in a target.
pub(super) fn view(input: &CodeRequest<'_>, options: &EmitOptions) -> Result<View, EmitError> {
    let dialect = target(input.problem, options)?;
    let mut control = match input.decisions {
        Decisions::Machine(mealy) => Control::build(input.problem, mealy, input.assumptions)?,
        Decisions::Circuit(_) => Control::without_states(input.problem, input.assumptions)?,
    };
    let mut data = DataView::collect(input.problem);
    let names = state_names(&control);
    let stem = stem(input.problem, options);
    let scope = ControllerScope::new(input.problem, &data, &names, &stem, dialect);
    let tested = tested(input, &control);
    data.always(&|p| !(p.costs() && (options.lazy || !tested.contains(&p.atom))));
    let data = data;
    let texts: Vec<String> =
        control.states.ids().map(|id| state_text(input.problem, &mut control, &names, id)).collect();
    let alphabet = &input.problem.alphabet;
    let machine_id = input.id.clone();
    let mut rows = Rows { scope: &scope, asked: FxHashSet::default(), helpers: Vec::new() };
    if options.lazy {
        rows.asked = data
            .predicates
            .iter()
            .filter(|p| p.costs() && tested.contains(&p.atom))
            .map(|p| p.atom)
            .collect();
    }
    let lazy = !rows.asked.is_empty();
    let states = states(&control, &mut rows, &names, &texts);
    let (circuit, start, lassos, updates_anything, machine_tests) = match input.decisions {
        Decisions::Machine(_) => {
            let lassos = lassos(alphabet, &mut control);
            let lassos = lassos.iter().map(|lasso| rows.lasso(lasso)).collect();
            let changes = |state: &StateData| state.leaves.iter().any(|leaf| rows.changes(leaf));
            let start = scope.states[control.initial.index()].clone();
            let tests = control.states.iter().any(|state| !state.tree.variables().is_empty());
            (None, start, lassos, control.states.iter().any(changes), tests)
        }
        Decisions::Circuit(circuit) => {
            let (view, tests) = circuit_view(circuit, &rows);
            let updates = !view.outputs.is_empty() || view.cells.iter().any(|cell| !cell.choices.is_empty());
            let run = vec![circuit_run(circuit, &rows)];
            (Some(view), state_digits(&circuit.reset()), run, updates, tests)
        }
    };
    let assumptions = assumptions(input, &control, &rows);
    let helpers = rows.helpers;
    let parts = ViewSources { problem: input.problem, options, data: &data, scope: &scope, tested: &tested };
    let cells = parts.cells(&chosen(input, &control));
    let ranges = || data.cells.iter().map(|cell| &input.problem.signature.symbols[cell.symbol]);
    Ok(View {
        schema_version: tsl_synth_documents::SCHEMA_VERSION.into(),
        tool_version: plain(&input.meta.tool_version),
        spec_name: comment(&input.meta.spec_name),
        spec_sha256: plain(&input.meta.spec_sha256),
        certified: input.meta.certified_by.is_some(),
        header: header(input.meta, &scope.names, &form(&texts, circuit.as_ref()), &machine_id),
        machine_id,
        lang: options.lang.name().into(),
        module: scope.module.clone(),
        module_upper: scope.module_upper.clone(),
        stem,
        asynchronous: options.asynchronous,
        lazy,
        on_broken: options.on_broken.name().into(),
        has_environment: !data.methods.is_empty() || options.lang == Lang::Rust && !scope.sorts.is_empty(),
        boolean: data.cells.is_empty()
            && data.predicates.iter().all(|p| parts.is_input(p))
            && data.inputs.len() == data.predicates.len(),
        reads_inputs: data.reads,
        inputs_generic: data.inputs.iter().any(|input| parts.input_ty(*input).is_opaque()),
        cells_generic: data.cells.iter().any(|cell| parts.sort_ty(cell.symbol).is_opaque()),
        tests_anything: machine_tests,
        updates_anything,
        deep: states.iter().flat_map(|state| &state.rows).any(|row| row.depth > DEEP),
        arithmetic: data.arithmetic,
        saturates: ranges().any(|symbol| symbol.overflow == tsl_synth_lang::spec::Overflow::Saturating),
        exact: exact_operators(&data, input.problem),
        rationals: scope.exact,
        wraps: ranges().any(|symbol| symbol.overflow == tsl_synth_lang::spec::Overflow::Wrapping),
        sorts: scope.sorts.iter().map(|(_, view)| view.clone()).collect(),
        enums: scope.enums.iter().map(|(_, view)| view.clone()).collect(),
        inputs: data.inputs.iter().map(|&input| parts.input_field(input)).collect(),
        cells,
        outputs: data.outputs.iter().map(|&atom| parts.output_field(atom)).collect(),
        predicates: data.predicates.iter().map(|p| parts.predicate(p)).collect(),
        methods: parts.methods(),
        shared: parts.shared(),
        start,
        states,
        circuit,
        helpers,
        assumptions,
        resync: resync(&control, &scope),
        lassos,
        names: scope.names.clone(),
    })
}

fn states(control: &Control<'_>, rows: &mut Rows<'_>, names: &[String], texts: &[String]) -> Vec<StateView> {
    let view = |(id, state): (StateId, &StateData)| StateView {
        ident: rows.scope.states[id.index()].clone(),
        name: names[id.index()].clone(),
        index: id.index(),
        start: id == control.initial,
        sink: state.sink,
        text: comment(&texts[id.index()]),
        rows: rows.machine(&state.tree, &state.leaves),
    };
    control.states.enumerate().map(view).collect()
}

fn resync(control: &Control<'_>, scope: &ControllerScope<'_>) -> Vec<ResyncView> {
    let monitors = |place: &Restart| {
        let watched = place.monitors.iter().zip(&control.watches);
        watched.map(|(state, watch)| state.map_or(watch.states.len(), Id::index)).collect()
    };
    let view = |place: &Restart| ResyncView {
        state: scope.states[place.state.index()].clone(),
        monitors: monitors(place),
    };
    control.restarts.iter().map(view).collect()
}

/// The updates that the machine may choose.
fn chosen(input: &CodeRequest<'_>, control: &Control<'_>) -> FxHashSet<AtomId> {
    match input.decisions {
        Decisions::Machine(_) => {
            let leaves = control.states.iter().flat_map(|state| &state.leaves);
            leaves.flat_map(|leaf| leaf.updates.iter().copied()).collect()
        }
        Decisions::Circuit(_) => {
            input.problem.alphabet.cells().iter().flat_map(|cell| cell.options.iter().copied()).collect()
        }
    }
}

/// The predicates on which the machine or a monitor depends.
fn tested(input: &CodeRequest<'_>, control: &Control<'_>) -> FxHashSet<AtomId> {
    let watched =
        control.watches.iter().flat_map(|watch| watch.states.iter().flatten().map(|state| &state.tree));
    let trees = control.states.iter().map(|state| &state.tree).chain(watched);
    let mut tested: FxHashSet<AtomId> = trees
        .flat_map(super::tree::DecisionTree::variables)
        .map(atom_of)
        .filter(|&atom| input.problem.alphabet.player(atom) == Player::Environment)
        .collect();
    if let Decisions::Circuit(circuit) = input.decisions {
        tested.extend(read_atoms(&input.problem.alphabet, circuit));
    }
    tested
}

fn assumptions(input: &CodeRequest<'_>, control: &Control<'_>, rows: &Rows<'_>) -> Vec<AssumptionView> {
    let dialect = rows.scope.dialect;
    let view = |(i, watch): (usize, &super::machine::MonitorData)| {
        let dead = watch.states.len();
        let live: Vec<_> =
            watch.states.enumerate().filter_map(|(id, state)| Some((id, state.as_ref()?))).collect();
        let variables: Vec<AtomId> = live.iter().flat_map(|(_, s)| s.tree.variables()).map(atom_of).collect();
        let by = |player| variables.iter().any(|&atom| input.problem.alphabet.player(atom) == player);
        let name = format!("a{}", i + 1);
        AssumptionView {
            ident: if dialect.flat() {
                format!("{}_ASSUMPTION_{}", rows.scope.module_upper, i + 1)
            } else {
                name.to_ascii_uppercase()
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

/// What the comment on top says about the states.
pub(super) enum StatesText<'a> {
    /// A line for each state.
    Listed(&'a [String]),
    /// The numbers of bits and of gates.
    Circuit(usize, usize),
}

fn form<'a>(texts: &'a [String], circuit: Option<&CircuitView>) -> StatesText<'a> {
    circuit.map_or(StatesText::Listed(texts), |c| StatesText::Circuit(c.bits, c.gates.len()))
}

/// `1 state`, `2 states`.
pub(super) fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// The lines of the comment on top.
pub(super) fn header(
    meta: &Meta,
    names: &[NameView],
    states: &StatesText<'_>,
    machine_id: &str,
) -> Vec<String> {
    let size = match states {
        StatesText::Listed(texts) => counted(texts.len(), "state"),
        StatesText::Circuit(bits, gates) => {
            format!("a circuit of {} of state and {}", counted(*bits, "bit"), counted(*gates, "named gate"))
        }
    };
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
            None => "not certified: no independent check confirmed this machine".into(),
        },
        format!("machine:       {size}, {}", comment(&meta.origin)),
        format!("machine id:    {machine_id}"),
    ];
    if !meta.clauses.is_empty() {
        lines.extend([String::new(), "clauses:".into()]);
        let clause =
            |c: &super::input::ClauseText| format!("  {} {{ {} }}", comment(&c.section), comment(&c.text));
        lines.extend(meta.clauses.iter().map(clause));
    }
    match states {
        StatesText::Listed(texts) => {
            lines.extend([String::new(), "states:".into()]);
            lines.extend(texts.iter().map(|text| format!("  {}", comment(text))));
        }
        StatesText::Circuit(..) => lines.extend([
            String::new(),
            "states: too many states or decisions to be listed, so a state is a list of bits".into(),
        ]),
    }
    if !names.is_empty() {
        lines.extend([String::new(), "names in the specification and here:".into()]);
        lines.extend(names.iter().map(|name| format!("  {} {} is {}", name.kind, name.text, name.ident)));
    }
    lines
}

/// The names of the overflow checks that the code needs: `add`, `sub` and `mul` for operators on signals of sort `Int`,
/// and `read` for the values of such signals.
fn exact_operators(data: &DataView, problem: &Problem) -> Vec<String> {
    let signature = &problem.signature;
    let mut found = Vec::new();
    for &term in &data.terms {
        let (reads, word) = match *signature.terms.get(term) {
            Term::Signal(symbol) => (vec![symbol], "read"),
            Term::Operation(operator, a, b) => {
                let reads = [a, b].into_iter().flat_map(|side| signature.signals_of(side)).collect();
                let word = match operator {
                    Operator::Add => "add",
                    Operator::Sub => "sub",
                    Operator::Mul => "mul",
                    _ => continue,
                };
                (reads, word)
            }
            Term::Literal(_) | Term::Apply(..) => continue,
        };
        let is_integer = reads.into_iter().any(|symbol| signature.symbols[symbol].sort == Sort::Int);
        if is_integer && !found.iter().any(|known| known == word) {
            found.push(word.to_owned());
        }
    }
    found
}
