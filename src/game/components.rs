//! A contract as a product of small deterministic automata: each conjunct is compiled by itself, and the
//! objective is a Boolean combination of their acceptance.
//!
//! A conjunct that looks far ahead has an automaton of exponentially many states. If a few states are not enough,
//! it is read late instead: an automaton of its shift over the memory that all components share.

use super::condition::Condition;
use super::memory::Memory;
use crate::automaton::ltl_to_deterministic;
use crate::base::{Budget, Limit, LimitKind};
use crate::logic::{Alphabet, BitId, Class, FormulaId, Formulas, Guard, Node, Normalizer, delta2};
use crate::model::{Contract, DeterministicBuchi, Role, RunEdge};
use rustc_hash::FxHashMap;

/// A color of edges: a Boolean combination of acceptance of single components. Under [`Color::All`] each is the
/// automaton of a safety or co-safety formula: from some point on all or none of its edges are accepting, so
/// the combination is constant in the end, too. [`Color::Any`] of any colors is seen infinitely often if one of
/// them is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Color {
    /// The component takes an accepting edge.
    Accepting(usize),
    /// All of them.
    All(Vec<Color>),
    /// One of them.
    Any(Vec<Color>),
}

impl Color {
    /// The components it depends on.
    pub fn components(&self) -> Vec<usize> {
        match self {
            Self::Accepting(c) => vec![*c],
            Self::All(parts) | Self::Any(parts) => parts.iter().flat_map(Self::components).collect(),
        }
    }
    /// Whether an edge has the color, given whether each component's edge is accepting.
    pub fn holds(&self, accepting: &dyn Fn(usize) -> bool) -> bool {
        match self {
            Self::Accepting(c) => accepting(*c),
            Self::All(parts) => parts.iter().all(|part| part.holds(accepting)),
            Self::Any(parts) => parts.iter().any(|part| part.holds(accepting)),
        }
    }
}

/// The conjuncts of one role.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Components of safety conjuncts: kept until they are dead.
    pub safety: Vec<usize>,
    /// What the other conjuncts ask, over the colors.
    pub condition: Condition,
}

/// A contract as components.
#[derive(Clone, Debug)]
pub struct Components {
    /// The automata, over letters and memory.
    pub automata: Vec<DeterministicBuchi>,
    /// What the automata share.
    pub memory: Memory,
    /// The colors of the conditions.
    pub colors: Vec<Color>,
    facts: Part,
    restrictions: Part,
    assumptions: Part,
    guarantees: Part,
}

impl Components {
    /// The bits of memory that some automata depend on, in order.
    pub fn memory_of(&self, automata: &[usize]) -> Vec<BitId> {
        let labels = automata.iter().flat_map(|&c| {
            let automaton = &self.automata[c];
            automaton.states.iter().flatten().flat_map(|e| automaton.guards.support(e.guard))
        });
        self.memory.relevant(labels)
    }
    /// The part of a role.
    pub fn part(&self, role: Role) -> &Part {
        match role {
            Role::Fact => &self.facts,
            Role::Restriction => &self.restrictions,
            Role::Assumption => &self.assumptions,
            Role::Guarantee => &self.guarantees,
        }
    }
}

/// States of one component.
const MAX_COMPONENT_STATES: usize = 4_096;
/// States of a component for which reading late is not worth its memory.
pub const FEW_STATES: usize = 64;

/// Compiles every conjunct of a contract, those with more than `few` states over memory if that is possible;
/// see [`FEW_STATES`].
///
/// # Errors
/// A limit, among them that of [`delta2`].
pub fn components(
    formulas: &mut Formulas,
    alphabet: &Alphabet,
    contract: &Contract,
    few: usize,
    budget: &Budget,
) -> Result<Components, Limit> {
    let mut compiler = Compiler {
        formulas,
        few,
        budget,
        normalizer: Normalizer::new(),
        automata: Vec::new(),
        memory: Memory::new(alphabet),
        colors: Vec::new(),
        index: FxHashMap::default(),
    };
    let facts = compiler.part(&contract.facts)?;
    let restrictions = compiler.part(&contract.restrictions)?;
    let assumptions = compiler.part(&contract.assumptions)?;
    let guarantees = compiler.part(&contract.guarantees)?;
    Ok(Components {
        automata: compiler.automata,
        memory: compiler.memory,
        colors: compiler.colors,
        facts,
        restrictions,
        assumptions,
        guarantees,
    })
}

struct Compiler<'a> {
    formulas: &'a mut Formulas,
    few: usize,
    budget: &'a Budget,
    normalizer: Normalizer,
    automata: Vec<DeterministicBuchi>,
    memory: Memory,
    colors: Vec<Color>,
    /// The component of each compiled formula.
    index: FxHashMap<FormulaId, usize>,
}

impl Compiler<'_> {
    fn part(&mut self, clauses: &[FormulaId]) -> Result<Part, Limit> {
        let mut conjuncts = Vec::new();
        for &f in clauses {
            let f = delta2(self.formulas, f, self.budget)?;
            match self.formulas.node(f) {
                Node::And(gs) => conjuncts.extend_from_slice(gs),
                _ => conjuncts.push(f),
            }
        }
        conjuncts.sort_unstable();
        conjuncts.dedup();
        let (mut safety, mut rest) = (Vec::new(), Vec::new());
        for f in conjuncts {
            if f == self.formulas.top() {
                continue;
            }
            if self.formulas.class(f).is(Class::SAFETY) {
                safety.push(self.component(f)?);
            } else {
                rest.push(self.condition(f)?);
            }
        }
        Ok(Part { safety, condition: Condition::and(rest) })
    }

    /// The automaton of a Π₂ formula.
    fn component(&mut self, f: FormulaId) -> Result<usize, Limit> {
        if let Some(&component) = self.index.get(&f) {
            return Ok(component);
        }
        let automaton = match self.explicit(f, self.few) {
            Err(limit) if limit.kind == LimitKind::Size => match self.late(f)? {
                Some(automaton) => automaton,
                None => self.explicit(f, MAX_COMPONENT_STATES)?,
            },
            result => result?,
        };
        self.automata.push(automaton);
        self.index.insert(f, self.automata.len() - 1);
        Ok(self.automata.len() - 1)
    }

    fn explicit(&mut self, f: FormulaId, max_states: usize) -> Result<DeterministicBuchi, Limit> {
        ltl_to_deterministic(self.formulas, &self.memory.alphabet, f, max_states, self.budget)
    }

    /// The automaton of a formula read so late that no X is left, if there is any X and it is small then.
    fn late(&mut self, f: FormulaId) -> Result<Option<DeterministicBuchi>, Limit> {
        let depth = self.formulas.next_depth(f);
        if depth == 0 {
            return Ok(None);
        }
        let before = self.memory.clone();
        let memory = &mut self.memory;
        let shifted = self.formulas.delayed(f, depth, &mut |formulas, g, k| memory.past(formulas, g, k));
        match self.explicit(shifted, MAX_COMPONENT_STATES) {
            // Before the first step there were only letters without true bits.
            Ok(automaton) if self.formulas.idles(&before.alphabet, f) => Ok(Some(automaton)),
            Ok(automaton) => {
                let started = self.memory.started(self.formulas, depth);
                Ok(Some(starting(automaton, started)))
            }
            Err(limit) if limit.kind == LimitKind::Size => {
                self.memory = before;
                Ok(None)
            }
            Err(limit) => Err(limit),
        }
    }

    /// The condition of a formula: itself a Π₂ or Σ₂ formula, or a Boolean combination of such. Recursion is
    /// as deep as Boolean operators alternate above temporal ones, which nesting limits.
    fn condition(&mut self, f: FormulaId) -> Result<Condition, Limit> {
        let class = self.formulas.class(f);
        if class.is(Class::OBLIGATION)
            && let Some(color) = self.obligation(f)?
        {
            return Ok(Condition::Inf(self.color(color)));
        }
        let node = self.formulas.node(f).clone();
        match node {
            Node::And(gs) => self.combined(&gs, true),
            Node::Or(gs) => self.combined(&gs, false),
            _ if class.is(Class::RECURRENCE) => {
                let component = self.component(f)?;
                Ok(Condition::Inf(self.color(Color::Accepting(component))))
            }
            _ if class.is(Class::PERSISTENCE) => {
                let negation = self.normalizer.normalize(self.formulas, f, true);
                let component = self.component(negation)?;
                Ok(Condition::Fin(self.color(Color::Accepting(component))))
            }
            _ => unreachable!("conjuncts are in Δ₂"),
        }
    }

    /// A conjunction (`all`) or disjunction. Its obligations are one color; so are the colors of which one
    /// must be seen infinitely often, and those that must all be seen finitely often.
    fn combined(&mut self, gs: &[FormulaId], all: bool) -> Result<Condition, Limit> {
        let (mut obligations, mut colors, mut rest) = (Vec::new(), Vec::new(), Vec::new());
        for &g in gs {
            if self.formulas.class(g).is(Class::OBLIGATION)
                && let Some(color) = self.obligation(g)?
            {
                obligations.push(color);
                continue;
            }
            match self.condition(g)? {
                Condition::Inf(color) if !all => colors.push(self.colors[color].clone()),
                Condition::Fin(color) if all => colors.push(self.colors[color].clone()),
                other => rest.push(other),
            }
        }
        let one = |mut colors: Vec<Color>, any: bool| match colors.len() {
            1 => colors.swap_remove(0),
            _ if any => Color::Any(colors),
            _ => Color::All(colors),
        };
        if !obligations.is_empty() {
            let color = self.color(one(obligations, !all));
            rest.push(Condition::Inf(color));
        }
        if !colors.is_empty() {
            let color = self.color(one(colors, true));
            rest.push(if all { Condition::Fin(color) } else { Condition::Inf(color) });
        }
        Ok(if all { Condition::and(rest) } else { Condition::or(rest) })
    }

    fn color(&mut self, color: Color) -> usize {
        self.colors.iter().position(|c| *c == color).unwrap_or_else(|| {
            self.colors.push(color);
            self.colors.len() - 1
        })
    }

    /// A Boolean combination of safety and co-safety formulas; `None` for other obligations.
    fn obligation(&mut self, f: FormulaId) -> Result<Option<Color>, Limit> {
        let class = self.formulas.class(f);
        let (parts, all) = match self.formulas.node(f) {
            Node::And(gs) => (gs.clone(), true),
            Node::Or(gs) => (gs.clone(), false),
            _ if class.is(Class::SAFETY) || class.is(Class::COSAFETY) => {
                return Ok(Some(Color::Accepting(self.component(f)?)));
            }
            _ => return Ok(None),
        };
        if class.is(Class::SAFETY) && class.is(Class::COSAFETY) {
            return Ok(Some(Color::Accepting(self.component(f)?)));
        }
        let mut colors = Vec::with_capacity(parts.len());
        for &g in &parts {
            let Some(color) = self.obligation(g)? else { return Ok(None) };
            colors.push(color);
        }
        Ok(Some(if all { Color::All(colors) } else { Color::Any(colors) }))
    }
}

/// The automaton that begins when a bit is true for the first time, from when on it is true for ever.
fn starting(mut automaton: DeterministicBuchi, started: BitId) -> DeterministicBuchi {
    if automaton.dead == Some(automaton.initial) {
        return automaton;
    }
    let guards = &mut automaton.guards;
    let now = guards.bit(started);
    let mut wait = RunEdge { next: automaton.initial, accepting: true, guard: guards.not(now) };
    let mut edges = Vec::new();
    for e in &automaton.states[automaton.initial] {
        let guard = guards.and(e.guard, now);
        if (e.next, e.accepting) == (wait.next, wait.accepting) {
            wait.guard = guards.or(wait.guard, guard);
        } else if guard != Guard::FALSE {
            edges.push(RunEdge { guard, ..*e });
        }
    }
    edges.push(wait);
    edges.sort_by_key(|e| (e.next, e.accepting));
    automaton.states[automaton.initial] = edges;
    automaton
}
