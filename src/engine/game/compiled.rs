//! A contract as a product of small deterministic automata: each conjunct is compiled separately, and the objective is
//! a Boolean combination of their acceptance.
//!
//! A conjunct has an automaton of exponentially many states if it has a large conjunction below its temporal operators,
//! looks far ahead, or has many obligations at once. If a few states are not enough, a conjunct of the first kind is
//! split; the others are compiled over memory that all automata share: evaluated with a delay ([`Formulas::delayed`]),
//! one bit for each state of a nondeterministic automaton, or for each invariant that releases an obligation
//! (`released`), whichever takes fewer bits. Conjuncts that relate consecutive letters are evaluated with one common
//! delay (`windows`).

use super::colors::{AutomatonId, Color, ColorId};
use super::condition::ColorCondition;
use super::determined::with_determined;
use super::memory::Memory;
use super::merge::merged;
use super::released::over_released;
use super::role::GameRole;
use super::strict::{Strict, is_known_in_time, strict, window};
use super::subsets::{SubsetEvent, over_subsets};
use super::tuning::{FEW_PARTNERS, MANY_PARTS, MAX_CONJUNCT_STATES};
use super::windows::{delayed_by, delayed_windows, windows_of_two};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use tsl_synth_automata::{ComponentId, components, ltl_to_buchi, ltl_to_deterministic};
use tsl_synth_core::base::{Budget, Id, IdVec, Limit, LimitKind};
use tsl_synth_core::logic::{
    Alphabet, AtomId, BitId, Class, FormulaId, Formulas, Guard, Node, Normalizer, delta2,
};
use tsl_synth_core::model::{Contract, DeterministicBuchi, Role, RunEdge};

/// The conjuncts of one duty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompiledPart {
    /// The automata of the safety conjuncts, which hold until they are dead.
    pub safety: Vec<AutomatonId>,
    /// The condition of the other conjuncts, over the colors.
    pub condition: ColorCondition,
}

/// A contract as automata.
#[derive(Clone, Debug)]
pub struct CompiledContract {
    /// The automata, over letters and memory.
    pub automata: IdVec<AutomatonId, DeterministicBuchi>,
    /// The memory that the automata share.
    pub memory: Memory,
    /// The colors of the conditions.
    pub colors: IdVec<ColorId, Color>,
    /// The number of inputs that facts determine, each of which has a bit of memory.
    pub determined: usize,
    facts: CompiledPart,
    restrictions: CompiledPart,
    assumptions: CompiledPart,
    promises: CompiledPart,
    guarantees: CompiledPart,
    /// The acceptance condition of the system by the role that is violated.
    objectives: BTreeMap<Option<Role>, ColorCondition>,
}

impl CompiledContract {
    /// The acceptance condition of the system, over few colors, once safety conjuncts of this role are violated; for
    /// `None`, while none are.
    pub fn objective(&self, violated: Option<Role>) -> &ColorCondition {
        &self.objectives[&violated]
    }
    /// The bits of memory that some automata depend on, in order.
    pub fn memory_of(&self, automata: &[AutomatonId]) -> Vec<BitId> {
        let labels = automata.iter().flat_map(|&c| {
            let automaton = &self.automata[c];
            automaton.states.iter().flatten().flat_map(|e| automaton.guards.support(e.guard))
        });
        self.memory.relevant(labels)
    }
    /// The system must achieve "facts imply restrictions, and assumptions imply guarantees".
    fn set_objectives(&mut self) {
        let weak: IdVec<AutomatonId, bool> = self.automata.iter().map(is_weak).collect();
        let fact_violated = self.facts.condition.negated();
        let bound = self.restrictions.condition.clone();
        let assumed = self.assumptions.condition.negated();
        let kept = ColorCondition::or([assumed.clone(), self.guarantees.condition.clone()]);
        let duties = [
            (None, ColorCondition::and([bound.clone(), kept])),
            (Some(Role::Guarantee), ColorCondition::and([bound.clone(), assumed])),
            (Some(Role::Assumption), bound),
            (Some(Role::Restriction), ColorCondition::False),
            (Some(Role::Fact), ColorCondition::True),
        ];
        for (violated, duty) in duties {
            let objective = ColorCondition::or([fact_violated.clone(), duty]);
            let objective = merged(&objective, &mut self.colors, &|c| weak[c]);
            self.objectives.insert(violated, objective);
        }
    }
    /// The part of a duty.
    pub fn part(&self, duty: GameRole) -> &CompiledPart {
        match duty {
            GameRole::Fact => &self.facts,
            GameRole::Restriction => &self.restrictions,
            GameRole::Assumption => &self.assumptions,
            GameRole::Promise => &self.promises,
            GameRole::Guarantee => &self.guarantees,
        }
    }
}

/// Whether automata may share memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharing {
    /// An automaton with more states than this (see [`FEW_STATES`](super::FEW_STATES)) uses shared memory if that takes
    /// fewer bits.
    Memory(usize),
    /// No memory: each automaton has states of its own, at most this many.
    Nothing(usize),
}

/// Compiles every conjunct of a contract.
///
/// # Errors
/// A limit, among them that of [`delta2`].
pub fn compile_contract(
    formulas: &mut Formulas,
    alphabet: &Alphabet,
    contract: &Contract,
    sharing: Sharing,
    budget: &Budget,
) -> Result<CompiledContract, Limit> {
    let mut compiler = ContractCompiler {
        formulas,
        sharing,
        budget,
        normalizer: Normalizer::new(),
        automata: IdVec::new(),
        memory: Memory::new(alphabet),
        colors: IdVec::new(),
        index: FxHashMap::default(),
        small: FxHashMap::default(),
        delayed: FxHashMap::default(),
    };
    let over_memory = match sharing {
        Sharing::Memory(_) => with_determined(compiler.formulas, &mut compiler.memory, contract),
        Sharing::Nothing(_) => None,
    };
    let (contract, determined) = over_memory.as_ref().map_or((contract, 0), |(own, bits)| (own, *bits));
    let Contract { facts, restrictions, assumptions, guarantees } = contract;
    let assumptions = compiler.conjuncts(assumptions)?;
    let strict = compiler.strict(contract, &assumptions);
    let (restrictions, promises) = match strict {
        Some(Strict { restrictions, promises, .. }) => (restrictions, promises),
        None => (restrictions.clone(), Vec::new()),
    };
    let parts = [
        compiler.conjuncts(facts)?,
        compiler.conjuncts(&restrictions)?,
        assumptions,
        promises,
        compiler.conjuncts(guarantees)?,
    ];
    if matches!(sharing, Sharing::Memory(_)) {
        compiler.delay_windows(&parts.concat())?;
    }
    let [facts, restrictions, assumptions, promises, guarantees] = parts.map(|part| compiler.part(part));
    let (facts, restrictions, promises) = (facts?, restrictions?, promises?);
    let (assumptions, guarantees) = (assumptions?, guarantees?);
    let mut compiled = CompiledContract {
        automata: compiler.automata,
        memory: compiler.memory,
        colors: compiler.colors,
        determined,
        facts,
        restrictions,
        assumptions,
        promises,
        guarantees,
        objectives: BTreeMap::new(),
    };
    compiled.set_objectives();
    Ok(compiled)
}

/// An automaton with the memory that it needs.
struct Attempt {
    automaton: DeterministicBuchi,
    memory: Memory,
    /// The number of new bits of memory and of bits for the state.
    bits: usize,
}

/// The result; `None` if a size limit was exceeded.
fn small_enough<T>(built: Result<T, Limit>) -> Result<Option<T>, Limit> {
    match built {
        Ok(built) => Ok(Some(built)),
        Err(limit) if limit.kind == LimitKind::Size => Ok(None),
        Err(limit) => Err(limit),
    }
}

/// The number of bits that encode the states that are not dead.
fn bits(automaton: &DeterministicBuchi) -> usize {
    let states = automaton.states.len() - usize::from(automaton.dead.is_some());
    states.next_power_of_two().trailing_zeros() as usize
}

struct ContractCompiler<'a> {
    formulas: &'a mut Formulas,
    sharing: Sharing,
    budget: &'a Budget,
    normalizer: Normalizer,
    automata: IdVec<AutomatonId, DeterministicBuchi>,
    memory: Memory,
    colors: IdVec<ColorId, Color>,
    /// The automaton of each compiled formula.
    index: FxHashMap<FormulaId, AutomatonId>,
    /// Automata with a few states, not all of them used; `None` where a few are not enough.
    small: FxHashMap<FormulaId, Option<DeterministicBuchi>>,
    /// Windows and the delayed formulas that replace them.
    delayed: FxHashMap<FormulaId, FormulaId>,
}

impl ContractCompiler<'_> {
    /// How many states of its own an automaton may have before anything else is tried.
    fn few(&self) -> usize {
        match self.sharing {
            Sharing::Memory(states) | Sharing::Nothing(states) => states,
        }
    }

    /// The conjuncts of some clauses, in Δ₂. Conjuncts about only the first few letters are joined into one if that has
    /// few states: separate automata would each count the steps.
    fn conjuncts(&mut self, clauses: &[FormulaId]) -> Result<Vec<FormulaId>, Limit> {
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
        let is_bounded = |f: &FormulaId| {
            let class = self.formulas.class(*f);
            class.is(Class::SAFETY) && class.is(Class::COSAFETY)
        };
        let (bounded, mut rest): (Vec<FormulaId>, Vec<FormulaId>) =
            conjuncts.iter().copied().partition(is_bounded);
        if bounded.is_empty() {
            return Ok(rest);
        }
        let start = self.formulas.and(bounded);
        if !self.is_small(start)? {
            return Ok(conjuncts);
        }
        rest.push(start);
        Ok(rest)
    }

    /// The strict implications of a contract; if there are any, they and the assumptions are evaluated with a delay.
    fn strict(&mut self, contract: &Contract, assumptions: &[FormulaId]) -> Option<Strict> {
        if !matches!(self.sharing, Sharing::Memory(_)) {
            return None;
        }
        let strict = strict(self.formulas, &mut self.normalizer, contract)?;
        let mut windows: Vec<(FormulaId, FormulaId)> = strict.promises.iter().map(|&f| (f, f)).collect();
        for &f in assumptions {
            match window(self.formulas, f) {
                Some(window) => windows.push((f, window)),
                None if !self.formulas.class(f).is(Class::SAFETY) => {}
                None if is_known_in_time(self.formulas, f, strict.lag) => {}
                None => return None,
            }
        }
        if windows.iter().any(|&(_, window)| self.formulas.next_depth(window) > strict.lag) {
            return None;
        }
        if strict.lag > 0 {
            for (f, window) in windows {
                let delayed = delayed_by(self.formulas, &mut self.memory, window, strict.lag);
                self.delayed.insert(f, delayed);
            }
        }
        Some(strict)
    }

    /// Decides which other windows are evaluated with a delay.
    fn delay_windows(&mut self, conjuncts: &[FormulaId]) -> Result<(), Limit> {
        let mut windows = windows_of_two(self.formulas, conjuncts);
        windows.retain(|f| !self.delayed.contains_key(f));
        let mut explicit = Some(0);
        for &f in &windows {
            explicit = explicit.zip(self.few_bits(f)?).map(|(sum, bits)| sum + bits);
            if explicit.is_none() {
                break;
            }
        }
        self.delayed.extend(delayed_windows(self.formulas, &mut self.memory, &windows, explicit));
        Ok(())
    }

    fn part(&mut self, conjuncts: Vec<FormulaId>) -> Result<CompiledPart, Limit> {
        let (mut invariants, mut rest) = (Vec::new(), Vec::new());
        for f in conjuncts {
            for f in self.split_conjunct(f)? {
                if self.formulas.class(f).is(Class::SAFETY) {
                    invariants.push(f);
                } else {
                    rest.push(self.condition(f)?);
                }
            }
        }
        let mut safety = Vec::new();
        for f in self.join_conjuncts(invariants)? {
            safety.push(self.automaton(f)?);
        }
        safety.sort_unstable();
        safety.dedup();
        Ok(CompiledPart { safety, condition: ColorCondition::and(rest) })
    }

    /// The parts of a Π₂ formula that is a conjunction of many or whose automaton has more than a few states; they
    /// are of the same classes. Any other formula is its only part, ⊤ has none.
    fn split_conjunct(&mut self, f: FormulaId) -> Result<Vec<FormulaId>, Limit> {
        if f == self.formulas.top() {
            return Ok(Vec::new());
        }
        let class = self.formulas.class(f);
        // A disjunction is better represented by combining the colors of its operands.
        let combined = matches!(self.formulas.node(f), Node::Or(_)) && !class.is(Class::SAFETY);
        // A window that is evaluated with a delay has no states, while its disjunctions may split into exponentially
        // many parts.
        let windowed = self.delayed.contains_key(&f) || self.formulas.is_windowed(f);
        if combined || !class.is(Class::RECURRENCE) || windowed {
            return Ok(vec![f]);
        }
        let kept = if class.is(Class::SAFETY) { Class::SAFETY } else { Class::RECURRENCE };
        let mut parts = Vec::new();
        for g in self.formulas.conjuncts(f, MANY_PARTS) {
            let g = self.normalizer.normalize(self.formulas, g, false);
            match self.formulas.node(g) {
                Node::And(gs) => parts.extend_from_slice(gs),
                _ => parts.push(g),
            }
        }
        parts.sort_unstable();
        parts.dedup();
        parts.retain(|&g| g != self.formulas.top());
        // Each part may double the states.
        let many = 1usize.checked_shl(parts.len() as u32).is_none_or(|states| states > self.few());
        let worse = parts.len() < 2 || parts.iter().any(|&g| !self.formulas.class(g).is(kept));
        let known = self.small.get(&f).is_some_and(Option::is_some);
        if worse || known || !many && self.is_small(f)? { Ok(vec![f]) } else { Ok(parts) }
    }

    /// Joins safety conjuncts about the same atoms if one automaton takes fewer bits than separate ones, which store
    /// much of the same information. Tries each conjunct with a few others.
    fn join_conjuncts(&mut self, conjuncts: Vec<FormulaId>) -> Result<Vec<FormulaId>, Limit> {
        let mut groups: BTreeMap<Vec<AtomId>, Vec<FormulaId>> = BTreeMap::new();
        let mut done = Vec::new();
        for f in conjuncts {
            let is_made = self.delayed.contains_key(&f) || self.index.contains_key(&f);
            let own = if is_made { None } else { self.few_bits(f)?.filter(|&bits| bits > 0) };
            let Some(own) = own else {
                done.push(f);
                continue;
            };
            let group = groups.entry(self.formulas.support(&[f]).iter().collect()).or_default();
            let mut merged = false;
            for g in group.iter_mut().rev().take(FEW_PARTNERS) {
                let both = self.formulas.and([*g, f]);
                let apart = self.few_bits(*g)?.map(|bits| own + bits);
                if self.few_bits(both)?.is_some_and(|bits| Some(bits) < apart) {
                    (*g, merged) = (both, true);
                    break;
                }
            }
            if !merged {
                group.push(f);
            }
        }
        done.extend(groups.into_values().flatten());
        Ok(done)
    }

    /// Bits for the states of a formula, if a few states are enough.
    fn few_bits(&mut self, f: FormulaId) -> Result<Option<usize>, Limit> {
        self.is_small(f)?;
        Ok(self.small[&f].as_ref().map(bits))
    }

    /// Whether a few states are enough.
    fn is_small(&mut self, f: FormulaId) -> Result<bool, Limit> {
        if !self.small.contains_key(&f) {
            let built = self.explicit(f, self.few());
            self.small.insert(f, small_enough(built)?);
        }
        Ok(self.small[&f].is_some())
    }

    /// The automaton of a Π₂ formula.
    fn automaton(&mut self, f: FormulaId) -> Result<AutomatonId, Limit> {
        if let Some(&done) = self.index.get(&f) {
            return Ok(done);
        }
        let automaton = match self.delayed.get(&f).copied() {
            Some(delayed) => self.explicit(delayed, MAX_CONJUNCT_STATES)?,
            None if self.is_small(f)? => self.small.remove(&f).flatten().expect("it is small"),
            None if matches!(self.sharing, Sharing::Memory(_)) => self.over_memory(f)?,
            None => self.explicit(f, self.few())?,
        };
        let id = self.automata.push(automaton);
        self.index.insert(f, id);
        Ok(id)
    }

    /// The automaton of a formula for which a few states are not enough.
    fn over_memory(&mut self, f: FormulaId) -> Result<DeterministicBuchi, Limit> {
        let attempts = [self.over_delay(f)?, self.subsets(f)?, self.released(f)];
        match attempts.into_iter().flatten().min_by_key(|attempt| attempt.bits) {
            Some(Attempt { automaton, memory, .. }) => {
                self.memory = memory;
                Ok(automaton)
            }
            None => self.explicit(f, MAX_CONJUNCT_STATES),
        }
    }

    fn explicit(&mut self, f: FormulaId, max_states: usize) -> Result<DeterministicBuchi, Limit> {
        ltl_to_deterministic(self.formulas, &self.memory.alphabet, f, max_states, self.budget)
    }

    /// The automaton of a formula with a delay such that no X is left; `None` if there is no X or the automaton is too
    /// large.
    fn over_delay(&mut self, f: FormulaId) -> Result<Option<Attempt>, Limit> {
        let depth = self.formulas.next_depth(f);
        if depth == 0 {
            return Ok(None);
        }
        let mut memory = self.memory.clone();
        let shifted = self.formulas.delayed(f, depth, &mut |formulas, g, k| memory.past(formulas, g, k));
        let states = MAX_CONJUNCT_STATES;
        let automaton = ltl_to_deterministic(self.formulas, &memory.alphabet, shifted, states, self.budget);
        let Some(mut automaton) = small_enough(automaton)? else { return Ok(None) };
        // Before the first step there were only letters without true bits.
        if !self.formulas.idles(&self.memory.alphabet, f) {
            automaton = starting(automaton, memory.started_bit(self.formulas, depth));
        }
        Ok(Some(self.attempt(automaton, memory)))
    }

    /// An automaton over the subsets of a nondeterministic automaton of the formula or of its negation.
    fn subsets(&mut self, f: FormulaId) -> Result<Option<Attempt>, Limit> {
        let class = self.formulas.class(f);
        if !class.is(Class::SAFETY) && !class.is(Class::COSAFETY) {
            return Ok(None);
        }
        let mut best: Option<Attempt> = None;
        for negated in [false, true] {
            // A violation decides safety, a fulfillment co-safety.
            let event =
                if class.is(Class::SAFETY) == negated { SubsetEvent::Accepting } else { SubsetEvent::Empty };
            let g = self.normalizer.normalize(self.formulas, f, negated);
            let automaton = ltl_to_buchi(self.formulas, &self.memory.alphabet, g, MANY_PARTS, self.budget);
            let Some(automaton) = small_enough(automaton)? else { continue };
            let mut memory = self.memory.clone();
            let made = over_subsets(&mut memory, self.formulas, &automaton, &event, negated, self.budget)?;
            if let Some(automaton) = made {
                let attempt = self.attempt(automaton, memory);
                if best.as_ref().is_none_or(|best| attempt.bits < best.bits) {
                    best = Some(attempt);
                }
            }
        }
        Ok(best)
    }

    /// An automaton over memory of the invariants that were broken since the obligation began.
    fn released(&mut self, f: FormulaId) -> Option<Attempt> {
        let mut memory = self.memory.clone();
        let automaton = over_released(&mut memory, self.formulas, f)?;
        Some(self.attempt(automaton, memory))
    }

    fn attempt(&self, automaton: DeterministicBuchi, memory: Memory) -> Attempt {
        Attempt { bits: memory.len() - self.memory.len() + bits(&automaton), automaton, memory }
    }

    /// The condition of a Π₂ or Σ₂ formula or of a Boolean combination of such formulas. Recursion is as deep as
    /// Boolean operators alternate above temporal ones, which nesting limits.
    fn condition(&mut self, f: FormulaId) -> Result<ColorCondition, Limit> {
        let class = self.formulas.class(f);
        if class.is(Class::OBLIGATION)
            && let Some(color) = self.obligation(f)?
        {
            return Ok(ColorCondition::Inf(self.color(color)));
        }
        let node = self.formulas.node(f).clone();
        match node {
            Node::And(gs) => self.combined(&gs, true),
            Node::Or(gs) => self.combined(&gs, false),
            _ if class.is(Class::RECURRENCE) => self.recurrence(f),
            _ if class.is(Class::PERSISTENCE) => {
                let negation = self.normalizer.normalize(self.formulas, f, true);
                Ok(self.recurrence(negation)?.negated())
            }
            _ => unreachable!("conjuncts are in Δ₂"),
        }
    }

    /// The condition of a Π₂ formula.
    fn recurrence(&mut self, f: FormulaId) -> Result<ColorCondition, Limit> {
        let parts = self.split_conjunct(f)?;
        let mut conditions = Vec::with_capacity(parts.len());
        for g in parts {
            let automaton = self.automaton(g)?;
            conditions.push(ColorCondition::Inf(self.color(Color::Accepting(automaton))));
        }
        Ok(ColorCondition::and(conditions))
    }

    /// The condition of a conjunction (`all`) or disjunction. Its obligations become one color; so do the colors of
    /// which one must be seen infinitely often, and those that must all be seen finitely often.
    fn combined(&mut self, gs: &[FormulaId], all: bool) -> Result<ColorCondition, Limit> {
        let (mut obligations, mut colors, mut rest) = (Vec::new(), Vec::new(), Vec::new());
        for &g in gs {
            if self.formulas.class(g).is(Class::OBLIGATION)
                && let Some(color) = self.obligation(g)?
            {
                obligations.push(color);
                continue;
            }
            match self.condition(g)? {
                ColorCondition::Inf(color) if !all => colors.push(self.colors[color].clone()),
                ColorCondition::Fin(color) if all => colors.push(self.colors[color].clone()),
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
            rest.push(ColorCondition::Inf(color));
        }
        if !colors.is_empty() {
            let color = self.color(one(colors, true));
            rest.push(if all { ColorCondition::Fin(color) } else { ColorCondition::Inf(color) });
        }
        Ok(if all { ColorCondition::and(rest) } else { ColorCondition::or(rest) })
    }

    fn color(&mut self, color: Color) -> ColorId {
        match self.colors.iter().position(|known| *known == color) {
            Some(known) => ColorId::from_index(known),
            None => self.colors.push(color),
        }
    }

    /// The color of a safety or co-safety formula, or of the automaton of its negation.
    fn literal(&mut self, f: FormulaId) -> Result<Color, Limit> {
        let negation = self.normalizer.normalize(self.formulas, f, true);
        match self.index.get(&negation) {
            Some(&automaton) if !self.index.contains_key(&f) => {
                Ok(Color::Not(Box::new(Color::Accepting(automaton))))
            }
            _ => Ok(Color::Accepting(self.automaton(f)?)),
        }
    }

    /// The color of a safety or co-safety formula, part by part.
    fn weak(&mut self, f: FormulaId) -> Result<Color, Limit> {
        let all = self.formulas.class(f).is(Class::SAFETY);
        let mut parts = Vec::new();
        if all {
            parts = self.split_conjunct(f)?;
        } else {
            let negation = self.normalizer.normalize(self.formulas, f, true);
            for g in self.split_conjunct(negation)? {
                parts.push(self.normalizer.normalize(self.formulas, g, true));
            }
        }
        let mut colors = Vec::with_capacity(parts.len());
        for g in parts {
            colors.push(self.literal(g)?);
        }
        Ok(match (colors.len(), all) {
            (1, _) => colors.swap_remove(0),
            (_, true) => Color::All(colors),
            (_, false) => Color::Any(colors),
        })
    }

    /// A Boolean combination of safety and co-safety formulas; `None` for other obligations.
    fn obligation(&mut self, f: FormulaId) -> Result<Option<Color>, Limit> {
        let class = self.formulas.class(f);
        let (parts, all) = match self.formulas.node(f) {
            Node::And(gs) => (gs.clone(), true),
            Node::Or(gs) => (gs.clone(), false),
            _ if class.is(Class::SAFETY) || class.is(Class::COSAFETY) => return self.weak(f).map(Some),
            _ => return Ok(None),
        };
        if class.is(Class::SAFETY) && class.is(Class::COSAFETY) {
            return self.literal(f).map(Some);
        }
        let mut colors = Vec::with_capacity(parts.len());
        for &g in &parts {
            let Some(color) = self.obligation(g)? else { return Ok(None) };
            colors.push(color);
        }
        Ok(Some(if all { Color::All(colors) } else { Color::Any(colors) }))
    }
}

/// Whether in each component all edges are accepting or none is.
fn is_weak(automaton: &DeterministicBuchi) -> bool {
    let successors: Vec<Vec<usize>> =
        automaton.states.iter().map(|out| out.iter().map(|e| e.next.index()).collect()).collect();
    let component = components(&successors);
    let mut kinds: FxHashMap<ComponentId, bool> = FxHashMap::default();
    automaton.states.enumerate().all(|(q, out)| {
        let mut inside = out.iter().filter(|e| component[e.next.index()] == component[q.index()]);
        inside.all(|e| *kinds.entry(component[q.index()]).or_insert(e.accepting) == e.accepting)
    })
}

/// The automaton, started in the first step in which the bit is true; the bit stays true from then on.
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
