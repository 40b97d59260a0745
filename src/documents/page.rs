//! The data embedded in the pages of `view`: machines as tables, clauses as graphs of formulas, terms as trees. Only
//! the script of the page reads it, so it has no schema and may change from version to version.

use serde::Serialize;

/// The data of a page.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PageDocument {
    /// The version of this tool, which traces name.
    pub tool_version: String,
    /// The version of trace JSON.
    pub trace_version: String,
    /// The machine of the page first, then those of repairs.
    pub machines: Vec<PageMachine>,
    /// Repairs of an unrealizable specification.
    pub repairs: Vec<PageRepair>,
    /// The play that the page shows first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<serde_json::Value>,
    /// The cause of an effect in that play.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<serde_json::Value>,
    /// Runs with which the play is compared, with the properties that are evaluated on them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub what_if: Option<PageWhatIf>,
    /// Remarks about each step of the play: titles and texts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<Vec<(String, String)>>,
}

/// The actual run of a play with a cause, and other runs. Letters are lists of the atoms that hold.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PageWhatIf {
    /// The effect first, then the other properties that are evaluated on runs.
    pub properties: Vec<PageProperty>,
    /// The atoms that can be changed: inputs that are not determined by earlier steps.
    pub free: Vec<usize>,
    /// The events of the cause.
    pub marks: Vec<PageMark>,
    /// The actual run.
    pub actual: PageRun,
    /// Runs to compare it with, the nearest counterfactual first, if there is one.
    pub runs: Vec<PageRun>,
    /// The number of steps of a finite trace, after which its last input is repeated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended: Option<usize>,
    /// Whether every input has exactly one answer.
    pub answers: bool,
}

/// Something that holds on a run or does not.
#[derive(Clone, Debug, Serialize)]
pub struct PageProperty {
    /// `effect`, `cause`, `hypothesis`.
    pub role: &'static str,
    /// Its text.
    pub text: String,
    /// Its formula; `None` for an automaton.
    pub formula: Option<usize>,
}

/// An input that is part of a cause.
#[derive(Clone, Debug, Serialize)]
pub struct PageMark {
    /// The atom.
    pub atom: usize,
    /// Whether the event was necessary; otherwise it is one of several alternatives.
    pub needed: bool,
    /// Single steps.
    pub prefix: Vec<usize>,
    /// The steps of the first round.
    pub period: Vec<usize>,
    /// The period: each step of the first round recurs after this many steps.
    pub every: usize,
}

/// An ultimately periodic run.
#[derive(Clone, Debug, Serialize)]
pub struct PageRun {
    /// A description.
    pub text: String,
    /// The letters before the cycle.
    pub prefix: Vec<Vec<usize>>,
    /// The letters that repeat.
    pub cycle: Vec<Vec<usize>>,
    /// Whether letters contain the outputs, not only the inputs.
    pub whole: bool,
}

/// A repair.
#[derive(Clone, Debug, Serialize)]
pub struct PageRepair {
    /// What it is, in a sentence.
    pub sentence: String,
    /// The controller for the repaired specification; `None` if it was not found within its limits.
    pub machine: Option<usize>,
}

/// A machine.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PageMachine {
    /// Whether it plays the environment.
    pub counter: bool,
    /// What it is, in a few words.
    pub about: String,
    /// The file of the specification or machine, as traces name it.
    pub file: String,
    /// Whether that is a machine.
    pub is_machine: bool,
    /// The hash of its table.
    pub machine_id: String,
    /// The atoms.
    pub atoms: Vec<PageAtom>,
    /// The inputs among them.
    pub inputs: Vec<usize>,
    /// The Boolean outputs among them.
    pub outputs: Vec<usize>,
    /// The cells.
    pub cells: Vec<PageCell>,
    /// The state of past operators: an atom, false in the first step, and the formula whose truth value it has one step
    /// later.
    pub registers: Vec<(usize, usize)>,
    /// Nodes of decision diagrams over atoms: atom, otherwise, then. Numbers 0 and 1 are the constants, 2 is the first
    /// node of the list.
    pub nodes: Vec<(usize, usize, usize)>,
    /// The first state.
    pub initial: usize,
    /// The states.
    pub states: Vec<PageState>,
    /// The clauses.
    pub clauses: Vec<PageClause>,
    /// The formulas; operands come before the formulas that contain them.
    pub formulas: Vec<PageFormula>,
    /// Whether there is a drawing.
    pub drawn: bool,
    /// What the states of the drawing stand for, if they are not those of the machine: states with values of cells.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<PagePlace>,
}

/// A state of a drawing by the values of cells.
#[derive(Clone, Debug, Serialize)]
pub struct PagePlace {
    /// Its name.
    pub name: String,
    /// A state of the machine.
    pub state: usize,
    /// The edges on the letters that can occur here.
    pub edges: Vec<PagePlaceEdge>,
}

/// An edge between states of a drawing.
#[derive(Clone, Debug, Serialize)]
pub struct PagePlaceEdge {
    /// The number of its guard.
    pub guard: usize,
    /// The next state of the drawing.
    pub next: usize,
    /// The guard as a formula, where what is known in the state does not count.
    pub when: String,
    /// The updates and true outputs that the next state does not show.
    pub does: Vec<String>,
}

/// An atom.
#[derive(Clone, Debug, Serialize)]
pub struct PageAtom {
    /// Its text.
    pub name: String,
    /// Its key in letters of traces.
    pub key: String,
    /// Whether it represents a past operator, and is not shown.
    pub hidden: bool,
    /// The predicate term, if it has parts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub term: Option<PageTerm>,
}

/// A cell.
#[derive(Clone, Debug, Serialize)]
pub struct PageCell {
    /// Its name.
    pub name: String,
    /// Whether it represents a past operator, and is not shown.
    pub hidden: bool,
    /// Its declared initial value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub initial: Option<PageTerm>,
    /// The atoms of its updates.
    pub options: Vec<usize>,
    /// The values that the updates set it to, as written in traces.
    pub texts: Vec<String>,
    /// The same as trees.
    pub terms: Vec<PageTerm>,
    /// The ends of its declared range.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<(i64, i64)>,
    /// Whether it wraps around at the ends of its range; otherwise it saturates.
    pub wraps: bool,
}

/// A term.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum PageTerm {
    /// A literal, or a text that is not parsed.
    Text(String),
    /// The value that an input has in the step.
    Input {
        /// Its name.
        i: String,
    },
    /// An integer.
    Number {
        /// Its digits.
        n: String,
    },
    /// The value of a cell.
    Cell {
        /// Its number.
        c: usize,
    },
    /// A function or predicate with arguments.
    Apply {
        /// Its name.
        f: String,
        /// Its arguments.
        a: Vec<Self>,
    },
    /// An operator with its two arguments.
    Operation {
        /// The operator.
        o: &'static str,
        /// The arguments.
        a: Vec<Self>,
    },
}

/// A state.
#[derive(Clone, Debug, Serialize)]
pub struct PageState {
    /// Its name.
    pub name: String,
    /// Whether it is never left.
    pub sink: bool,
    /// The inputs that hold in a state of a counter-strategy.
    pub letter: Vec<usize>,
    /// Its edges.
    pub edges: Vec<PageEdge>,
}

/// An edge.
#[derive(Clone, Debug, Serialize)]
pub struct PageEdge {
    /// When it is taken: a node of a decision diagram.
    pub guard: usize,
    /// The next state.
    pub next: usize,
    /// The updates and the true outputs of a controller.
    pub chosen: Vec<usize>,
    /// The guard as text for people.
    pub when: String,
    /// The updates and outputs as text for people.
    pub does: Vec<String>,
}

/// A clause.
#[derive(Clone, Debug, Serialize)]
pub struct PageClause {
    /// Its role: `fact`, `restriction`, `assumption`, `guarantee`.
    pub role: String,
    /// Its text.
    pub text: String,
    /// Its formula.
    pub formula: usize,
    /// Whether a repair changed or added it.
    pub repaired: bool,
}

/// A formula: an operator with its operands.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum PageFormula {
    /// `true`, `false`.
    Constant(bool),
    /// An atom.
    Atom(usize),
    /// An operator and its operands, by their numbers: `! & | = X F G U W R M`.
    Node(&'static str, Vec<usize>),
}
