//! Behaviors of agents with their names resolved.

use crate::syntax_agent::{
    AgentFlag, AgentFormula, AgentFormulaId, AgentFormulas, AgentModule, AgentState, Quoted, parse_agent,
};
use rustc_hash::FxHashMap;
use tsl_synth_core::base::IdVec;
use tsl_synth_core::diag::{Code, Diagnostic, Diagnostics};
use tsl_synth_core::model::AgentStateId;
use tsl_synth_core::source::{SourceId, SourceMap, Span};
use tsl_synth_lang::spec::load::LoadFailure;
use tsl_synth_ltl::spelling::nearest;

/// A state of an agent.
#[derive(Clone, Debug)]
pub struct BehaviorState {
    /// Its name.
    pub name: String,
    /// The text that every visit of this state begins with, by which the state is recognized.
    pub prompt: String,
    /// Whether its text comes from the environment and not from the model.
    pub env_input: bool,
    /// The texts allowed in this state; empty if every text is allowed.
    pub one_of: Vec<Quoted>,
    /// Where its name is declared.
    pub span: Span,
    /// Where its prompt is.
    pub prompt_span: Span,
}

/// A behavior: its atoms are visits of states, and every run of a formula visits at least one state.
#[derive(Clone, Debug)]
pub enum BehaviorFormula {
    /// One visit.
    State(AgentStateId),
    /// The children in sequence.
    Next(Vec<BehaviorFormula>),
    /// The body any number of times (at most the bound, if there is one), then the exit.
    Until(Box<BehaviorFormula>, Box<BehaviorFormula>, Option<u32>),
    /// One of the children.
    Or(Vec<BehaviorFormula>),
    /// The body repeated forever.
    Always(Box<BehaviorFormula>),
}

impl BehaviorFormula {
    /// The first states of the formula: the initial states if no state has the flag `:initial`.
    fn first(&self, found: &mut Vec<AgentStateId>) {
        match self {
            Self::State(state) => found.push(*state),
            Self::Next(all) => all.iter().take(1).for_each(|f| f.first(found)),
            Self::Until(_, exit, Some(0)) => exit.first(found),
            Self::Until(body, _, _) | Self::Always(body) => body.first(found),
            Self::Or(all) => all.iter().for_each(|f| f.first(found)),
        }
    }
    /// The states that can be first in a run of the formula, including those after a loop that is executed zero times.
    fn possible_first(&self, found: &mut Vec<AgentStateId>) {
        match self {
            Self::State(state) => found.push(*state),
            Self::Next(all) => all.iter().take(1).for_each(|f| f.possible_first(found)),
            Self::Until(body, exit, bound) => {
                if *bound != Some(0) {
                    body.possible_first(found);
                }
                exit.possible_first(found);
            }
            Self::Always(body) => body.possible_first(found),
            Self::Or(all) => all.iter().for_each(|f| f.possible_first(found)),
        }
    }
    /// All states that occur in the formula.
    fn named(&self, found: &mut Vec<AgentStateId>) {
        match self {
            Self::State(state) => found.push(*state),
            Self::Next(all) | Self::Or(all) => all.iter().for_each(|f| f.named(found)),
            Self::Until(body, exit, _) => {
                body.named(found);
                exit.named(found);
            }
            Self::Always(body) => body.named(found),
        }
    }
}

/// An agent.
#[derive(Clone, Debug)]
pub struct BehaviorSpec {
    /// Its name.
    pub name: String,
    /// Its states in the order of declaration.
    pub states: IdVec<AgentStateId, BehaviorState>,
    /// Its behavior.
    pub formula: BehaviorFormula,
    /// The states that a run may begin with: those with the flag `:initial`, else the first ones of the formula. For
    /// `(until A B)` these are the first states of `A`, although the formula also allows zero repetitions of `A` (seed
    /// 001, section 3.2).
    pub initial: Vec<AgentStateId>,
    /// Whether a state has the flag `:initial`.
    pub is_flagged: bool,
    /// The states with the flag `:final`, after which a run may end; if there are none, a run ends at the end of the
    /// formula, and never under `always`.
    pub finals: Vec<AgentStateId>,
    /// The text it was read from.
    pub source: SourceId,
    /// Where the name of the agent is.
    pub span: Span,
}

impl BehaviorSpec {
    /// The state of this name.
    pub fn named(&self, name: &str) -> Option<AgentStateId> {
        self.states.enumerate().find(|(_, state)| state.name == name).map(|(id, _)| id)
    }
    /// Why a run may not begin with a state that the formula allows there, and what helps; `None` for other states.
    pub fn not_initial(&self, state: AgentStateId) -> Option<String> {
        let mut possible = Vec::new();
        self.formula.possible_first(&mut possible);
        if !possible.contains(&state) || self.initial.contains(&state) {
            return None;
        }
        let name = &self.states[state].name;
        Some(if self.is_flagged {
            format!("only states with the flag `:initial` begin a run: `{name}` has no `(:flags :initial)`")
        } else {
            format!(
                "without the flag `:initial` a run begins with the body of an `until` and not with its exit: give \
                 `{name}` and all other states that may come first `(:flags :initial)`"
            )
        })
    }
    /// The states that occur in the formula, sorted and without repetition.
    pub fn used(&self) -> Vec<AgentStateId> {
        let mut found = Vec::new();
        self.formula.named(&mut found);
        found.sort_unstable();
        found.dedup();
        found
    }
    /// Replaces the bounds of all loops by `times`.
    pub fn with_max_loops(mut self, times: u32) -> Self {
        fn bound(formula: &mut BehaviorFormula, times: u32) {
            match formula {
                BehaviorFormula::State(_) => {}
                BehaviorFormula::Next(all) | BehaviorFormula::Or(all) => {
                    for formula in all {
                        bound(formula, times);
                    }
                }
                BehaviorFormula::Until(body, exit, old) => {
                    *old = Some(times);
                    bound(body, times);
                    bound(exit, times);
                }
                BehaviorFormula::Always(body) => bound(body, times),
            }
        }
        bound(&mut self.formula, times);
        self
    }
}

/// Parses a behavior and resolves its names. The second result holds warnings and notes.
///
/// # Errors
/// The diagnostics, if the text has errors.
pub fn load_agent(source: SourceId, map: &SourceMap) -> Result<(BehaviorSpec, Diagnostics), LoadFailure> {
    let mut diagnostics = Diagnostics::new();
    let resolved = parse_agent(map, source, &mut diagnostics)
        .and_then(|module| resolve(&module, &mut diagnostics))
        .filter(|_| !diagnostics.has_errors());
    match resolved {
        Some(spec) => Ok((spec, diagnostics)),
        None => Err(LoadFailure { diagnostics, limit: None }),
    }
}

fn resolve(module: &AgentModule, diagnostics: &mut Diagnostics) -> Option<BehaviorSpec> {
    let mut states: IdVec<AgentStateId, BehaviorState> = IdVec::new();
    let mut ids: FxHashMap<&str, AgentStateId> = FxHashMap::default();
    let flagged = |flag: AgentFlag| {
        let with = |state: &&AgentState| state.flags.contains(&flag);
        module.states.iter().filter(with).map(|state| state.name.text.to_string()).collect::<Vec<_>>()
    };
    let (initial, finals) = (flagged(AgentFlag::Initial), flagged(AgentFlag::Final));
    for state in &module.states {
        if let Some(&first) = ids.get(&*state.name.text) {
            let message = format!("the state `{}` is declared twice", state.name.text);
            let error = Diagnostic::error(Code::AGENT_TWICE, message).at(state.name.span, "");
            diagnostics.push(error.at(states[first].span, "the first one"));
            continue;
        }
        if state.text.text.trim().is_empty() {
            let message = format!("the prompt of `{}` is empty", state.name.text);
            let error = Diagnostic::error(Code::AGENT_PROMPT, message).at(state.text.span, "");
            diagnostics.push(error.hint("the prompt is how the state is recognized, such as `\"Thought:\"`"));
        }
        let env_input = state.flags.contains(&AgentFlag::EnvInput);
        if let (true, Some(first)) = (env_input, state.one_of.first()) {
            let message = format!("the text of `{}` comes from the environment", state.name.text);
            let error =
                Diagnostic::error(Code::AGENT_STATE, message).at(first.span, "so it cannot be limited");
            diagnostics.push(error);
        }
        let id = states.push(BehaviorState {
            name: state.name.text.to_string(),
            prompt: state.text.text.clone(),
            env_input,
            one_of: state.one_of.clone(),
            span: state.name.span,
            prompt_span: state.text.span,
        });
        ids.insert(&state.name.text, id);
    }
    let bound = module.max_loops.map(|bound| bound.times);
    let formula = formula(&module.formulas, module.behavior, bound, &ids, diagnostics)?;
    let id = |names: Vec<String>| -> Vec<AgentStateId> {
        let mut all: Vec<_> = names.iter().filter_map(|name| ids.get(name.as_str()).copied()).collect();
        all.sort_unstable();
        all.dedup();
        all
    };
    let (mut initial, finals) = (id(initial), id(finals));
    let is_flagged = !initial.is_empty();
    if !is_flagged {
        formula.first(&mut initial);
        initial.sort_unstable();
        initial.dedup();
    }
    let (name, span) = (module.name.text.to_string(), module.name.span);
    Some(BehaviorSpec { name, states, formula, initial, is_flagged, finals, source: module.source, span })
}

/// Recursion is as deep as the nesting of the text, which is bounded.
fn formula(
    formulas: &AgentFormulas,
    id: AgentFormulaId,
    bound: Option<u32>,
    ids: &FxHashMap<&str, AgentStateId>,
    diagnostics: &mut Diagnostics,
) -> Option<BehaviorFormula> {
    let mut of = |id: AgentFormulaId| formula(formulas, id, bound, ids, diagnostics);
    let mut all = |children: &[AgentFormulaId]| {
        let found: Vec<Option<BehaviorFormula>> = children.iter().map(|&child| of(child)).collect();
        found.into_iter().collect::<Option<Vec<_>>>()
    };
    match formulas.get(id) {
        AgentFormula::Next(children) => Some(BehaviorFormula::Next(all(children)?)),
        AgentFormula::Or(children) => Some(BehaviorFormula::Or(all(children)?)),
        AgentFormula::Always(body) => Some(BehaviorFormula::Always(Box::new(of(*body)?))),
        AgentFormula::Until { body, exit, bound: own } => {
            let (body, exit) = (of(*body), of(*exit));
            let bound = own.map(|own| own.times).or(bound);
            Some(BehaviorFormula::Until(Box::new(body?), Box::new(exit?), bound))
        }
        AgentFormula::State(name) => {
            if let Some(&state) = ids.get(&*name.text) {
                return Some(BehaviorFormula::State(state));
            }
            let message = format!("there is no state `{}`", name.text);
            let mut error = Diagnostic::error(Code::AGENT_UNKNOWN_STATE, message).at(name.span, "");
            let mut names: Vec<&str> = ids.keys().copied().collect();
            names.sort_unstable();
            error = match nearest(&name.text, names) {
                Some(near) => error.hint(format!("did you mean `{near}`?")),
                None => error.hint("states are declared in `(:states ...)`"),
            };
            diagnostics.push(error);
            None
        }
    }
}
