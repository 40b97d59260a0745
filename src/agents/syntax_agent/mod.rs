//! Behaviors of agents (`.agent`): parses text to a tree with spans.
//!
//! ```text
//! (define NAME
//!   (:states
//!     (STATE (:text "prompt") (:flags :env-input :initial :final) (:one-of "a" "b"))
//!     ...)
//!   (:max-loops 3)
//!   (:behavior FORMULA))
//! ```
//!
//! A formula is the name of a state, `(next F G ...)`, `(until BODY EXIT)`, `(or F G ...)` or `(always F)`. The bound
//! `(:max-loops N)` applies to every `until`; after the exit of an `until`, it applies to that one. Comments begin
//! with `;`.

mod forms;
mod read;

pub use forms::parse_agent;

use tsl_synth_core::base::{Id, IdVec};
use tsl_synth_core::define_id;
use tsl_synth_core::source::Name;
use tsl_synth_core::source::{SourceId, Span};

/// How deep the parentheses of a behavior may nest.
pub const MAX_AGENT_NESTING: usize = 200;

define_id! {
    /// A formula in an [`AgentFormulas`] arena.
    pub struct AgentFormulaId;
}

/// One file.
#[derive(Clone, Debug)]
pub struct AgentModule {
    /// The text it was read from.
    pub source: SourceId,
    /// The name of the agent.
    pub name: Name,
    /// The states in the order of declaration.
    pub states: Vec<AgentState>,
    /// The bound of all loops that have none of their own.
    pub max_loops: Option<Bound>,
    /// The arena of the formulas.
    pub formulas: AgentFormulas,
    /// The behavior.
    pub behavior: AgentFormulaId,
}

/// A text between double quotes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quoted {
    /// The text without quotes, with escapes replaced.
    pub text: String,
    /// Where, with the quotes.
    pub span: Span,
}

/// The bound of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bound {
    /// How often the body may be run.
    pub times: u32,
    /// Where the number is.
    pub span: Span,
}

/// A flag of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AgentFlag {
    /// `:env-input`: its text comes from the environment.
    EnvInput,
    /// `:initial`: a run begins here.
    Initial,
    /// `:final`: a run may end here.
    Final,
}

/// A state as it is declared.
#[derive(Clone, Debug)]
pub struct AgentState {
    /// Its name.
    pub name: Name,
    /// Its prompt.
    pub text: Quoted,
    /// Its flags.
    pub flags: Vec<AgentFlag>,
    /// The texts that are allowed in it; any text if the list is empty.
    pub one_of: Vec<Quoted>,
    /// Where the declaration is.
    pub span: Span,
}

/// The forms of formulas.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AgentFormula {
    /// One visit of a state.
    State(Name),
    /// A sequence of at least one formula.
    Next(Vec<AgentFormulaId>),
    /// The body any number of times, then the exit.
    Until {
        /// What is repeated.
        body: AgentFormulaId,
        /// The formula after the loop.
        exit: AgentFormulaId,
        /// How often the body may be run.
        bound: Option<Bound>,
    },
    /// A choice among at least one formula.
    Or(Vec<AgentFormulaId>),
    /// Infinite repetition.
    Always(AgentFormulaId),
}

/// An arena of formulas; children come before their parents.
#[derive(Clone, Debug, Default)]
pub struct AgentFormulas {
    nodes: IdVec<AgentFormulaId, (Span, AgentFormula)>,
}

impl AgentFormulas {
    /// Adds a formula, whose children must be in the arena already.
    pub fn push(&mut self, span: Span, formula: AgentFormula) -> AgentFormulaId {
        self.nodes.push((span, formula))
    }
    /// The formula with this id.
    pub fn get(&self, id: AgentFormulaId) -> &AgentFormula {
        &self.nodes[id].1
    }
    /// The span of the formula with this id.
    pub fn span(&self, id: AgentFormulaId) -> Span {
        self.nodes[id].0
    }
    /// All ids, children before their parents.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = AgentFormulaId> + use<> {
        (0..self.nodes.len()).map(AgentFormulaId::from_index)
    }
}
