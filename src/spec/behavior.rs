//! Behaviors of agents with their names resolved.

use super::load::LoadFailure;
use super::spelling::nearest;
use crate::base::IdVec;
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::model::AgentStateId;
use crate::source::{SourceId, SourceMap, Span};
use crate::syntax::agent::{
    AgentFlag, AgentFormula, AgentFormulaId, AgentFormulas, AgentModule, AgentState, Quoted, parse_agent,
};
use rustc_hash::FxHashMap;

/// A state of an agent.
#[derive(Clone, Debug)]
pub struct BehaviorState {
    /// Its name.
    pub name: String,
    /// The text that begins it.
    pub prompt: String,
    /// Whether its text comes from the environment and not from the model.
    pub env_input: bool,
    /// The texts that may stand in it; empty if any may.
    pub one_of: Vec<Quoted>,
    /// Where its name is declared.
    pub span: Span,
    /// Where its prompt is.
    pub prompt_span: Span,
}

/// A behavior: atoms are visits of states, and every formula has runs of at least one state.
#[derive(Clone, Debug)]
pub enum BehaviorFormula {
    /// One visit.
    State(AgentStateId),
    /// One after the other.
    Next(Vec<BehaviorFormula>),
    /// The body any number of times, at most so many if there is a bound, then the exit.
    Until(Box<BehaviorFormula>, Box<BehaviorFormula>, Option<u32>),
    /// One of several.
    Or(Vec<BehaviorFormula>),
    /// Again and again without end.
    Always(Box<BehaviorFormula>),
}

impl BehaviorFormula {
    /// The states that are named first: what a run begins with unless the file says otherwise.
    fn first(&self, found: &mut Vec<AgentStateId>) {
        match self {
            Self::State(state) => found.push(*state),
            Self::Next(all) => all.iter().take(1).for_each(|f| f.first(found)),
            Self::Until(_, exit, Some(0)) => exit.first(found),
            Self::Until(body, _, _) | Self::Always(body) => body.first(found),
            Self::Or(all) => all.iter().for_each(|f| f.first(found)),
        }
    }
    /// All states that are named.
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
    /// The states that a run begins with: those with the flag, else the first ones of the formula. Of `(until A B)` that
    /// is the first of `A`, although the formula by itself allows no round at all (seed 001, section 3.2).
    pub initial: Vec<AgentStateId>,
    /// The states with the flag `:final`, after which a run may end; without any a run ends at the end of the formula,
    /// and under `always` never.
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
    /// The states that the formula names.
    pub fn used(&self) -> Vec<AgentStateId> {
        let mut found = Vec::new();
        self.formula.named(&mut found);
        found.sort_unstable();
        found.dedup();
        found
    }
    /// With this bound for all loops, instead of what the file says.
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

/// Reads a behavior. The second result are warnings and notes.
///
/// # Errors
/// What is wrong with the text.
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
    if initial.is_empty() {
        formula.first(&mut initial);
        initial.sort_unstable();
        initial.dedup();
    }
    let (name, span) = (module.name.text.to_string(), module.name.span);
    Some(BehaviorSpec { name, states, formula, initial, finals, source: module.source, span })
}

/// Recurses as deep as the text nests, which is bounded.
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
