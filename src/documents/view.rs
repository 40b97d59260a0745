//! The data of a template: a controller for which all names, types and expressions are chosen. All `ident`s, types and
//! expressions are in the syntax of the target; texts under `header`, `doc` and `text` are made safe for its comments;
//! `quoted` and `json` are string literals of the target.

use schemars::JsonSchema;
use serde::Serialize;

/// A controller, prepared for one target language.
#[expect(clippy::struct_excessive_bools, reason = "a template asks many questions")]
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct View {
    /// Version of this document.
    pub schema_version: String,
    /// Version of the tool.
    pub tool_version: String,
    /// Name of the specification, safe in a comment.
    pub spec_name: String,
    /// SHA-256 of the text of the specification.
    pub spec_sha256: String,
    /// Whether an independent checker confirmed the machine.
    pub certified: bool,
    /// Hash of the transition table.
    pub machine_id: String,
    /// The target: `rust`, `js`, `ts`, `python`, `c`, `lua`, `go`, `csharp`.
    pub lang: String,
    /// Stem of the file names.
    pub stem: String,
    /// The name of the specification as an identifier for values and functions.
    pub module: String,
    /// The same for macros.
    pub module_upper: String,
    /// Lines for the comment on top: tool, specification, certificate, clauses, states, names.
    pub header: Vec<String>,
    /// Calls of the environment are asynchronous.
    pub asynchronous: bool,
    /// Predicates are evaluated only when asked for.
    pub lazy: bool,
    /// `error`, `hold`, `continue` or `resync`.
    pub on_broken: String,
    /// Whether the environment has methods: predicates, functions or constants.
    pub has_environment: bool,
    /// Whether every predicate is a Boolean input and there are no cells.
    pub boolean: bool,
    /// Whether the inputs need the sorts of the environment.
    pub inputs_generic: bool,
    /// Whether the cells need the sorts of the environment.
    pub cells_generic: bool,
    /// Whether the decision depends on any predicate.
    pub tests_anything: bool,
    /// Whether any leaf changes a cell or sets an output.
    pub updates_anything: bool,
    /// Whether some decision nests so deep that lines get long.
    pub deep: bool,
    /// Whether the text contains arithmetic or comparisons.
    pub arithmetic: bool,
    /// Whether some range saturates.
    pub saturates: bool,
    /// The overflow checks that the code needs: `add`, `sub` and `mul` for operators on signals of sort `Int`, and `read`
    /// for the values of such signals.
    pub exact: Vec<String>,
    /// Whether there are exact rational numbers.
    pub rationals: bool,
    /// Whether some range wraps around.
    pub wraps: bool,
    /// Sorts that the user chooses a type for.
    pub sorts: Vec<SortView>,
    /// Declared enumerations.
    pub enums: Vec<EnumView>,
    /// The signals that the environment gives in every step.
    pub inputs: Vec<FieldView>,
    /// Whether any of them is read.
    pub reads_inputs: bool,
    /// The cells and data outputs.
    pub cells: Vec<CellView>,
    /// Boolean outputs.
    pub outputs: Vec<FieldView>,
    /// All predicate terms in declared order.
    pub predicates: Vec<PredicateView>,
    /// Predicates, functions and constants that the user implements.
    pub methods: Vec<MethodView>,
    /// Subterms of several predicates or updates: evaluated at most once per step.
    pub shared: Vec<SharedView>,
    /// The start state; its bits as text where the machine is a circuit.
    pub start: String,
    /// The states; none where the machine is a circuit.
    pub states: Vec<StateView>,
    /// The decision as a circuit, where the machine has too many states or decisions to be listed.
    pub circuit: Option<CircuitView>,
    /// Decisions that several states or branches share.
    pub helpers: Vec<HelperView>,
    /// Watched safety assumptions.
    pub assumptions: Vec<AssumptionView>,
    /// The combined states in which `resync` may restart, best first.
    pub resync: Vec<ResyncView>,
    /// One lasso per reachable state, for tests.
    pub lassos: Vec<LassoView>,
    /// All names that were changed, with their identifiers.
    pub names: Vec<NameView>,
}

/// A sort that the user chooses a type for.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SortView {
    /// Name of the type.
    pub ident: String,
    /// What it is, for a comment.
    pub text: String,
    /// Name of the macro that chooses the type, where the target has such a thing.
    pub constant: String,
    /// Values are compared for equality.
    pub equality: bool,
}

/// A declared enumeration.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct EnumView {
    /// Name of the type.
    pub ident: String,
    /// The signal it is named after, for a comment.
    pub text: String,
    /// Its values in declared order.
    pub variants: Vec<VariantView>,
}

/// A value of an enumeration.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct VariantView {
    /// Name of the value.
    pub ident: String,
    /// Its name in the specification.
    pub text: String,
    /// The same as a string literal.
    pub quoted: String,
}

/// An input or a Boolean output.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct FieldView {
    /// Name of the field.
    pub ident: String,
    /// Its name in the specification.
    pub text: String,
    /// The same as a string literal.
    pub quoted: String,
    /// The JSON text of its name as a string literal.
    pub json: String,
    /// Its type.
    pub ty: String,
    /// Some value of its type.
    pub stub: String,
    /// The values that the signal may have; absent if every value of its type is allowed.
    pub domain: Option<DomainView>,
}

/// The values that an input or a cell may have: its finite sort, or the bounds of its numbers.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct DomainView {
    /// `bool`, `range` (whole numbers of a finite sort), `enum`, `int` or `real` (numbers within bounds).
    pub kind: String,
    /// The least value of a number; empty if there is none.
    pub low: String,
    /// The greatest value of a number; empty if there is none.
    pub high: String,
    /// The values of an enumeration.
    pub values: Vec<VariantView>,
    /// The part of an error message before the value, as a string literal: `the input n is `.
    pub before: String,
    /// The part of an error message after the value, as a string literal: `, which is not in 0..9`.
    pub after: String,
}

/// A cell.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CellView {
    /// Name of the field that holds its value.
    pub ident: String,
    /// Its name in the specification.
    pub text: String,
    /// The same as a string literal.
    pub quoted: String,
    /// The JSON text of its name as a string literal.
    pub json: String,
    /// Type of its value.
    pub ty: String,
    /// Whether the type is built in and copied freely.
    pub builtin: bool,
    /// Whether the type is a declared enumeration.
    pub is_enum: bool,
    /// The values that the cell may have; absent if every value of its type is allowed.
    pub domain: Option<DomainView>,
    /// Whether a function of the environment computes some of its values: these may be outside of the domain.
    pub is_given: bool,
    /// Some value of its type.
    pub stub: String,
    /// The declared initial value.
    pub initial: Option<String>,
    /// Name of the type of its updates.
    pub update: String,
    /// Name of the update that keeps the value.
    pub keep: String,
    /// The text of that update.
    pub keep_text: String,
    /// The same as a string literal.
    pub keep_quoted: String,
    /// The JSON text of it as a string literal.
    pub keep_json: String,
    /// All other updates.
    pub options: Vec<OptionView>,
}

/// An update of a cell.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct OptionView {
    /// Name of the update.
    pub ident: String,
    /// Its term in the specification.
    pub text: String,
    /// The same as a string literal.
    pub quoted: String,
    /// The JSON text of the term as a string literal.
    pub json: String,
    /// Whether some state chooses it.
    pub used: bool,
    /// How its value is computed.
    pub value: EvaluationView,
}

/// A predicate term.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PredicateView {
    /// The method whose result it is; empty if it is more than a call.
    pub method: String,
    /// Name of the field that holds its value.
    pub ident: String,
    /// Name of the question, for `lazy`.
    pub variant: String,
    /// Its term in the specification.
    pub text: String,
    /// Its key in a letter as a string literal: the term, in parentheses where it is also the name of a cell.
    pub quoted: String,
    /// The JSON text of this key as a string literal.
    pub json: String,
    /// Whether it may have no value, since it is evaluated only when it is needed, or only for a trace.
    pub optional: bool,
    /// Whether the machine or a monitor depends on it.
    pub tested: bool,
    /// How its value is computed.
    pub value: EvaluationView,
}

/// How a term is evaluated: calls in order, then an expression.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct EvaluationView {
    /// Calls whose results the expression uses, arguments before the calls they are used in.
    pub calls: Vec<CallView>,
    /// The value.
    pub code: String,
}

/// A call of the environment whose result gets a name.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CallView {
    /// The local name.
    pub ident: String,
    /// Its type.
    pub ty: String,
    /// Whether the type is built in and copied freely.
    pub builtin: bool,
    /// The call.
    pub code: String,
    /// `own`: a local of this term. `define`: it is one of `shared` and made here, before all others.
    /// `memo`: it is one of `shared` and made only if it was not made in this step.
    pub kind: String,
}

/// A method of the environment.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct MethodView {
    /// Its name in the specification as a string literal.
    pub quoted: String,
    /// Name of the method.
    pub ident: String,
    /// Its name in the specification.
    pub text: String,
    /// `predicate`, `function` or `constant`.
    pub kind: String,
    /// Its parameters.
    pub parameters: Vec<ParameterView>,
    /// Type of the result.
    pub ty: String,
    /// Some value of that type.
    pub stub: String,
}

/// A parameter of a method.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ParameterView {
    /// Name of the parameter.
    pub ident: String,
    /// Its type.
    pub ty: String,
}

/// A subterm of several predicates or updates.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SharedView {
    /// The local name.
    pub ident: String,
    /// Its type.
    pub ty: String,
    /// Its term in the specification.
    pub text: String,
    /// It is made in every step, before any decision.
    pub definite: bool,
}

/// A state of the machine.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct StateView {
    /// Name of the state.
    pub ident: String,
    /// The name that snapshots and the machine JSON use.
    pub name: String,
    /// Its number in the machine JSON.
    pub index: usize,
    /// Whether runs begin here.
    pub start: bool,
    /// Whether it is never left once reached.
    pub sink: bool,
    /// What it is, for a comment.
    pub text: String,
    /// The decision as rows: tests, leaves and ends of blocks in order of the text.
    pub rows: Vec<RowView>,
}

/// A controller as a sequential circuit. Its state is the vector of the values of its latches; a step evaluates the
/// gates in order.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CircuitView {
    /// How many bits a state has, at least one.
    pub bits: usize,
    /// The bits of the state that are read.
    pub reads: Vec<StateBitView>,
    /// The gates; each uses those before it, the bits of the state and predicates.
    pub gates: Vec<GateView>,
    /// The value of each bit of the state after the step.
    pub next: Vec<String>,
    /// The Boolean outputs: the identifier of the field, and its value.
    pub outputs: Vec<GateView>,
    /// The update of each cell.
    pub cells: Vec<CellChoiceView>,
}

/// A bit of the state of a circuit.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct StateBitView {
    /// Its number.
    pub index: usize,
    /// The local name of its value.
    pub ident: String,
}

/// A value of a circuit.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct GateView {
    /// Its name.
    pub ident: String,
    /// Its value.
    pub code: String,
}

/// How a circuit chooses the update of a cell: the first choice whose condition holds, else the cell keeps its value.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CellChoiceView {
    /// Field of the cell.
    pub ident: String,
    /// Type of its updates.
    pub update: String,
    /// The update that keeps the value.
    pub keep: String,
    /// The choices in order.
    pub choices: Vec<ChoiceView>,
}

/// A choice of an update.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ChoiceView {
    /// Its condition; nothing where it is the last choice and holds in all other cases.
    pub when: Option<String>,
    /// Whether the cell keeps its value.
    pub keeps: bool,
    /// Name of the update.
    pub variant: String,
    /// Its term as a string literal.
    pub quoted: String,
}

/// A decision that several places share.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct HelperView {
    /// Name of the function.
    pub ident: String,
    /// Whether any leaf changes a cell or sets an output.
    pub updates_anything: bool,
    /// The decision.
    pub rows: Vec<RowView>,
}

/// A row of a decision.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RowView {
    /// `ask` (lazy: the value must be known), `if`, `else_if`, `else`, `end`, `leaf`, `helper`, and in
    /// assumptions `goes`, `broken`.
    pub kind: String,
    /// Depth of nesting, from 0.
    pub depth: usize,
    /// What is tested (`ask`: what must be known).
    pub tests: Vec<TestView>,
    /// Whether one of several tests is enough; otherwise all must hold.
    pub any: bool,
    /// The helper that is called.
    pub ident: String,
    /// For a leaf: the next state. For an assumption: the number of the next state of the monitor.
    pub next: String,
    /// For a leaf: the updates that change a cell.
    pub updates: Vec<UpdateView>,
    /// For a leaf: the Boolean outputs that are true.
    pub outputs: Vec<String>,
}

/// A test.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TestView {
    /// What is tested: `predicate`, `output` or `update`.
    pub what: String,
    /// The field of the predicate, output or cell.
    pub ident: String,
    /// The predicate may have no value, see `PredicateView`.
    pub optional: bool,
    /// The question of a lazy predicate, or the tested update.
    pub variant: String,
    /// The type of the tested update.
    pub update: String,
    /// The term of the tested update as a string literal.
    pub quoted: String,
    /// The test is that it does not hold.
    pub negated: bool,
}

/// An update in a leaf.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct UpdateView {
    /// Field of the cell.
    pub ident: String,
    /// Type of its updates.
    pub update: String,
    /// Name of the update.
    pub variant: String,
    /// Its term as a string literal.
    pub quoted: String,
}

/// A watched assumption.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct AssumptionView {
    /// Name of the assumption.
    pub ident: String,
    /// Name of its field.
    pub field: String,
    /// The assumption as written.
    pub text: String,
    /// The same as a string literal.
    pub quoted: String,
    /// The first state of its monitor.
    pub initial: usize,
    /// The state after the assumption was broken.
    pub dead: usize,
    /// The live states of its monitor.
    pub states: Vec<MonitorStateView>,
    /// Whether any state tests a predicate.
    pub tests_predicates: bool,
    /// Whether any state tests an update or output.
    pub tests_updates: bool,
}

/// A live state of a monitor.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct MonitorStateView {
    /// Its number.
    pub index: usize,
    /// The decision.
    pub rows: Vec<RowView>,
}

/// A combined state of machine and monitors in which `resync` may restart.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ResyncView {
    /// The state of the machine.
    pub state: String,
    /// The states of the monitors, in the order of the assumptions.
    pub monitors: Vec<usize>,
}

/// A path from the start state to a state, and a loop.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LassoView {
    /// Name of the state.
    pub state: String,
    /// Its number.
    pub index: usize,
    /// The steps.
    pub steps: Vec<LassoStepView>,
    /// The step with which the loop begins; the last step leads back to it.
    pub turn: usize,
}

/// A step of a lasso.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LassoStepView {
    /// The state before.
    pub from: String,
    /// The fields of the predicates that hold; all others do not.
    pub holds: Vec<String>,
    /// The state after.
    pub next: String,
    /// The updates that change a cell.
    pub updates: Vec<UpdateView>,
    /// The update of every cell.
    pub choices: Vec<String>,
    /// The Boolean outputs that are true.
    pub outputs: Vec<String>,
}

/// A name of the specification and its identifier.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct NameView {
    /// `input`, `cell`, `predicate`, `function`, …
    pub kind: String,
    /// As written, safe in a comment.
    pub text: String,
    /// The identifier.
    pub ident: String,
}
